// Drills of the chapter on GPT.
"use strict";

{
  const { say, sum, fixed } = drillKit;
  const loss = (p) => sum(p.map((value) => -Math.log(value))) / p.length;
  const layer = (d) => 12 * d * d;

  courseDrills.gpt = [
    {
      name: "perplexity", kind: "number", digits: 2,
      draw: (random, level) => ({ p: random.ints(2 + level, 10, 80).map((value) => value / 100) }),
      right: ({ p }) => Math.exp(loss(p)),
      mistakes: {
        loss: { value: ({ p }) => loss(p), read: "gpt#gpt-loss" },
        turned: { value: ({ p }) => p.length / sum(p), read: "gpt#gpt-loss" },
        summed: { value: ({ p }) => Math.exp(loss(p) * p.length), read: "gpt#gpt-loss" },
        base: { value: ({ p }) => 2 ** loss(p), read: "gpt#gpt-loss" },
      },
      words: {
        ko: {
          title: "퍼플렉시티",
          ask: ({ p }) => say`모델이 다음 토큰마다 정답에 준 확률이 ${p}입니다. 퍼플렉시티(perplexity), 곧 exp(평균 손실)은 얼마입니까?`,
          loss: "평균 손실입니다. exp가 남았습니다.",
          turned: "평균 확률을 뒤집었습니다. 로그를 평균해야 합니다.",
          summed: "손실의 합에 exp를 취했습니다. 토큰의 수로 나눈 다음입니다.",
          base: "2를 밑으로 했습니다. 손실이 자연로그이므로 밑은 e입니다.",
          way: ({ p }) => [
            say`−ln p의 평균은 ${loss(p)}입니다.`,
            say`exp를 취하면 ${fixed(Math.exp(loss(p)), 2)}입니다. 그만큼의 토큰 가운데 고르게 찍는 것과 같습니다.`,
          ],
        },
        en: {
          title: "Perplexity",
          ask: ({ p }) => say`A model gave the right next tokens the probabilities ${p}. What is its perplexity, exp of the mean loss?`,
          loss: "That is the mean loss. Take exp of it.",
          turned: "You took the reciprocal of the mean probability. Average the logarithms instead.",
          summed: "You took exp of the summed loss. Divide by the number of tokens first.",
          base: "You used base 2. The loss is in natural logarithms, so the base is e.",
          way: ({ p }) => [
            say`The mean of −ln p is ${loss(p)}.`,
            say`Its exp is ${fixed(Math.exp(loss(p)), 2)}: the model is as unsure as if it were guessing uniformly among that many tokens.`,
          ],
        },
      },
    },
    {
      name: "targets", kind: "vector",
      draw: (random, level) => ({ ids: random.some(4 + level, drillKit.range(30).map((i) => i + 10)) }),
      right: ({ ids }) => ids.slice(1),
      mistakes: {
        same: { value: ({ ids }) => ids, read: "gpt#gpt-shift-mistakes" },
        back: { value: ({ ids }) => ids.slice(0, -1), read: "gpt#gpt-shift-mistakes" },
        round: { value: ({ ids }) => [...ids.slice(1), ids[0]], read: "gpt#gpt-last-position" },
        two: { value: ({ ids }) => ids.slice(2), read: "gpt#gpt-shift-mistakes" },
      },
      words: {
        ko: {
          title: "맞힐 토큰",
          ask: ({ ids }) => say`번호가 ${ids}인 글로 GPT를 학습시킵니다. 손실에 들어가는 자리마다 맞힐 번호를 차례로 적으십시오.`,
          same: "밀지 않았습니다. 자기 자신을 맞히는 것은 베끼기입니다.",
          back: "거꾸로 밀었습니다. 이미 지나간 토큰입니다.",
          round: "마지막 자리에 첫 토큰을 돌려 넣었습니다. 마지막 자리는 맞힐 것이 없어 손실에서 뺍니다.",
          two: "두 칸 밀었습니다.",
          way: ({ ids }) => [
            say`자리마다 바로 다음 토큰을 맞힙니다. 첫 자리는 ${ids[1]}입니다.`,
            say`마지막 자리 다음에는 아무것도 없으므로 ${ids.length - 1}개입니다: ${ids.slice(1)}.`,
          ],
        },
        en: {
          title: "Next-token targets",
          ask: ({ ids }) => say`A GPT is trained on a text with ids ${ids}. For each position that enters the loss, give the id to be predicted.`,
          same: "You did not shift. A token that predicts itself is only copied.",
          back: "You shifted backwards. Those tokens have already been read.",
          round: "You wrapped the first token around to the end. Nothing follows the last position, so it is left out.",
          two: "You shifted by two.",
          way: ({ ids }) => [
            say`Each position predicts the next token. The first predicts ${ids[1]}.`,
            say`Nothing follows the last, so there are ${ids.length - 1}: ${ids.slice(1)}.`,
          ],
        },
      },
    },
    {
      name: "size", kind: "number",
      draw: (random, level) => ({ V: random.pick(level ? [8000, 50000] : [100, 200, 500]), P: random.pick([16, 32, 64]), d: random.pick(level ? [128, 256] : [4, 8, 16]), N: random.pick([2, 3, 6]) }),
      right: ({ V, P, d, N }) => (V + P) * d + N * layer(d),
      mistakes: {
        head: { value: ({ V, P, d, N }) => (2 * V + P) * d + N * layer(d), read: "gpt#gpt-sizes" },
        positions: { value: ({ V, d, N }) => V * d + N * layer(d), read: "gpt#gpt-sizes" },
        cross: { value: ({ V, P, d, N }) => (V + P) * d + N * 16 * d * d, read: "gpt#gpt-block" },
        one: { value: ({ V, P, d }) => (V + P) * d + layer(d), read: "gpt#gpt-sizes" },
      },
      words: {
        ko: {
          title: "GPT의 크기",
          ask: ({ V, P, d, N }) => say`어휘 ${V}개, 위치 ${P}개, 차원 ${d}, 블록 ${N}개인 GPT에서 행렬과 임베딩의 파라미터는 몇 개입니까? 편향과 층 정규화는 빼고, 피드포워드의 안쪽은 4배, 출력은 임베딩과 같은 행렬입니다.`,
          head: "출력의 행렬을 따로 셌습니다. 임베딩과 같은 행렬입니다.",
          positions: "위치 임베딩을 빠뜨렸습니다.",
          cross: "크로스 어텐션까지 셌습니다. GPT의 블록에는 없습니다.",
          one: "블록을 하나만 셌습니다.",
          way: ({ V, P, d, N }) => [
            say`블록 하나는 어텐션 4d²와 피드포워드 8d², 곧 12·${d}² = ${layer(d)}입니다.`,
            say`(${V} + ${P})·${d} + ${N}·${layer(d)} = ${(V + P) * d + N * layer(d)}개입니다.`,
          ],
        },
        en: {
          title: "The size of a GPT",
          ask: ({ V, P, d, N }) => say`A GPT has ${V} tokens, ${P} positions, dimension ${d} and ${N} blocks. How many parameters do its matrices and embeddings have? Leave out biases and layer norms. The feed-forward hidden size is 4d, and the output is tied to the token embedding.`,
          head: "You counted the output matrix separately. It is tied to the embedding.",
          positions: "The position embedding is missing.",
          cross: "You counted cross-attention. A GPT block has none.",
          one: "You counted only one block.",
          way: ({ V, P, d, N }) => [
            say`A block has 4d² in attention and 8d² in the feed-forward network: 12·${d}² = ${layer(d)}.`,
            say`(${V} + ${P})·${d} + ${N}·${layer(d)} = ${(V + P) * d + N * layer(d)}.`,
          ],
        },
      },
    },
  ];
}
