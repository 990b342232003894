// Drills of the chapter on the decoder.
"use strict";

{
  const { say, dot, sum, softmax, range } = drillKit;

  courseDrills.decoder = [
    {
      name: "shift", kind: "vector",
      draw: (random, level) => ({ ids: [...random.some(3 + level, range(20).map((i) => i + 3)), 2], sos: 1, eos: 2 }),
      right: ({ ids, sos }) => [sos, ...ids.slice(0, -1)],
      mistakes: {
        left: { value: ({ ids, sos }) => [...ids.slice(1), sos], read: "decoder#shift-right" },
        longer: { value: ({ ids, sos }) => [sos, ...ids], read: "decoder#shift-right" },
        unmoved: { value: ({ ids }) => ids, read: "decoder#shift-right" },
        first: { value: ({ ids, sos }) => [sos, ...ids.slice(1)], read: "decoder#shift-right" },
      },
      words: {
        ko: {
          title: "오른쪽으로 밀기",
          ask: ({ ids, sos, eos }) => say`정답의 번호가 ${ids}입니다. SOS는 ${sos}, EOS는 ${eos}입니다. 학습할 때 디코더에 넣는 번호는 무엇입니까?`,
          left: "왼쪽으로 밀었습니다. 디코더가 다음 답을 미리 받습니다.",
          longer: "마지막 것을 빼지 않았습니다. 입력은 정답과 길이가 같습니다.",
          unmoved: "밀지 않았습니다. 디코더가 맞힐 답을 그 자리에서 받습니다.",
          first: "밀지 않고 첫 번호만 SOS로 바꾸었습니다.",
          way: ({ ids, sos }) => [
            say`위치마다 바로 앞까지의 정답을 받아야 합니다. 처음에는 앞이 없으므로 SOS를 받습니다.`,
            say`SOS를 앞에 붙이고 마지막 번호를 뺍니다: ${[sos, ...ids.slice(0, -1)]}.`,
          ],
        },
        en: {
          title: "Shifting right",
          ask: ({ ids, sos, eos }) => say`The target’s ids are ${ids}. SOS is ${sos}, EOS is ${eos}. Which ids go into the decoder in training?`,
          left: "You shifted left. That hands the decoder the next answer.",
          longer: "You did not drop the last id. The input is as long as the target.",
          unmoved: "You did not shift at all. Each position would be handed its own answer.",
          first: "You shifted nothing and only replaced the first id by SOS.",
          way: ({ ids, sos }) => [
            say`Each position gets the target up to the token before it. The first has nothing before it and gets SOS.`,
            say`Put SOS in front and drop the last id: ${[sos, ...ids.slice(0, -1)]}.`,
          ],
        },
      },
    },
    {
      name: "cross", kind: "shape",
      draw: (random, level) => {
        const [B, n, m, h] = random.some(4, [2, 3, 4, 5, 6, 7, 9]);
        return { B, n, m, h, d: h * random.pick([8, 16]), self: level };
      },
      right: ({ B, n, m, h, self }) => [B, h, m, self ? m : n],
      mistakes: {
        turned: { value: ({ B, n, m, h, self }) => (self ? null : [B, h, n, m]), read: "decoder#cross-attention" },
        source: { value: ({ B, n, h }) => [B, h, n, n], read: "decoder#cross-attention" },
        other: { value: ({ B, n, m, h, self }) => [B, h, m, self ? n : m], read: "decoder#cross-attention" },
        single: { value: ({ B, n, m, self }) => [B, m, self ? m : n], read: "decoder#decoder-layer" },
      },
      words: {
        ko: {
          title: "디코더의 가중치",
          ask: ({ B, n, m, h, d, self }) => say`원문이 ${[B, n, d]}, 지금까지 쓴 것이 ${[B, m, d]}인 텐서이고 헤드가 ${h}개입니다. 디코더의 ${self ? "마스크드 셀프 어텐션" : "크로스 어텐션"} 가중치의 모양은 무엇입니까?`,
          turned: "질의와 키를 바꾸었습니다. 질의는 디코더, 키는 인코더에서 옵니다.",
          source: "인코더의 셀프 어텐션입니다.",
          other: ({ self }) => (self ? "크로스 어텐션의 모양입니다. 셀프 어텐션은 쓴 것끼리 봅니다." : "디코더의 셀프 어텐션입니다. 크로스 어텐션은 원문을 봅니다."),
          single: "헤드의 축이 없습니다.",
          way: ({ B, n, m, h, self }) => [
            say`질의는 디코더의 위치 ${m}개입니다.`,
            say`키는 ${self ? say`디코더의 위치 ${m}개` : say`인코더의 위치 ${n}개`}입니다. 모양은 ${[B, h, m, self ? m : n]}입니다.`,
          ],
        },
        en: {
          title: "Weights in a decoder",
          ask: ({ B, n, m, h, d, self }) => say`The source is a tensor of shape ${[B, n, d]}, the text written so far one of shape ${[B, m, d]}, and there are ${h} heads. What is the shape of the weights of the decoder’s ${self ? "masked self-attention" : "cross-attention"}?`,
          turned: "You swapped queries and keys. Queries come from the decoder, keys from the encoder.",
          source: "That is the encoder’s self-attention.",
          other: ({ self }) => (self ? "That is the shape of cross-attention. Self-attention stays within the text written so far." : "That is the decoder’s self-attention. Cross-attention looks at the source."),
          single: "You left out the axis of heads.",
          way: ({ B, n, m, h, self }) => [
            say`The queries are the decoder’s ${m} positions.`,
            say`The keys are ${self ? say`the decoder’s ${m} positions` : say`the encoder’s ${n} positions`}. The shape is ${[B, h, m, self ? m : n]}.`,
          ],
        },
      },
    },
    {
      name: "pairs", kind: "number",
      draw: (random, level) => ({ n: random.int(3, 8 + 6 * level), m: random.int(3, 8 + 6 * level) }),
      right: ({ n, m }) => (m * (m + 1)) / 2 + m * n,
      mistakes: {
        unmasked: { value: ({ n, m }) => m * m + m * n, read: "decoder#two-masks" },
        diagonal: { value: ({ n, m }) => (m * (m - 1)) / 2 + m * n, read: "decoder#two-masks" },
        cross: { value: ({ n, m }) => (m * (m + 1)) / 2 + sum(range(m).map((i) => Math.min(i + 1, n))), read: "decoder#two-masks" },
        self: { value: ({ m }) => (m * (m + 1)) / 2, read: "decoder#cross-attention" },
      },
      words: {
        ko: {
          title: "디코더가 보는 쌍",
          ask: ({ n, m }) => say`원문이 ${n}개, 쓴 것이 ${m}개의 토큰입니다. 디코더 층 하나에서 질의가 볼 수 있는 (질의, 키) 쌍은 셀프 어텐션과 크로스 어텐션을 합쳐 몇 개입니까? PAD는 없습니다.`,
          unmasked: "셀프 어텐션에서 미래까지 보았습니다.",
          diagonal: "자기 자신을 보는 쌍을 뺐습니다.",
          cross: "크로스 어텐션에도 룩어헤드 마스크를 씌웠습니다. 원문은 처음부터 다 보입니다.",
          self: "셀프 어텐션만 셌습니다.",
          way: ({ n, m }) => [
            say`셀프 어텐션: 1 + 2 + … + ${m} = ${(m * (m + 1)) / 2}.`,
            say`크로스 어텐션: ${m}·${n} = ${m * n}. 모두 ${(m * (m + 1)) / 2 + m * n}개입니다.`,
          ],
        },
        en: {
          title: "What a decoder sees",
          ask: ({ n, m }) => say`The source has ${n} tokens, the text written so far ${m}. How many (query, key) pairs are visible in one decoder layer, counting self-attention and cross-attention together? There is no PAD.`,
          unmasked: "You let self-attention see the future as well.",
          diagonal: "You left out the pairs of a position with itself.",
          cross: "You masked cross-attention, too. The whole source is there from the start.",
          self: "You counted only self-attention.",
          way: ({ n, m }) => [
            say`Self-attention: 1 + 2 + … + ${m} = ${(m * (m + 1)) / 2}.`,
            say`Cross-attention: ${m}·${n} = ${m * n}. In all ${(m * (m + 1)) / 2 + m * n}.`,
          ],
        },
      },
    },
    {
      name: "tied", kind: "vector",
      draw: (random, level) => ({ hidden: random.ints(2 + level, -3, 3), E: random.rows(3, 2 + level, -3, 3) }),
      right: ({ hidden, E }) => E.map((row) => dot(row, hidden)),
      mistakes: {
        softmax: { value: ({ hidden, E }) => softmax(E.map((row) => dot(row, hidden))), read: "decoder#tied-logits" },
        squared: { value: ({ hidden, E }) => E.map((row) => dot(row, row) * dot(hidden, hidden)), read: "decoder#tied-logits" },
        distance: { value: ({ hidden, E }) => E.map((row) => sum(row.map((value, i) => (value - hidden[i]) ** 2))), read: "decoder#tied-logits" },
      },
      words: {
        ko: {
          title: "임베딩으로 내는 로짓",
          ask: ({ hidden, E }) => say`디코더의 출력이 ${hidden}이고, 임베딩 행렬이 ${E}입니다(행이 단어). 임베딩을 출력에도 쓰면 세 단어의 로짓은 무엇입니까?`,
          softmax: "소프트맥스까지 했습니다. 로짓은 그 앞의 점수입니다.",
          squared: "벡터의 크기를 곱했습니다. 내적입니다.",
          distance: "거리를 쟀습니다. 로짓은 내적입니다.",
          way: ({ hidden, E }) => [
            say`단어마다 제 임베딩과 출력을 내적합니다. 첫 단어는 ${dot(E[0], hidden)}입니다.`,
            say`차례로 ${E.map((row) => dot(row, hidden))}입니다.`,
          ],
        },
        en: {
          title: "Logits from the embedding",
          ask: ({ hidden, E }) => say`The decoder’s output is ${hidden}, and the embedding matrix is ${E}, with a row for each word. If the output layer is tied to the embedding, what are the logits of the three words?`,
          softmax: "That is after the softmax. Logits are the scores before it.",
          squared: "You multiplied the vectors’ norms. A logit is a dot product.",
          distance: "You measured a distance. A logit is a dot product.",
          way: ({ hidden, E }) => [
            say`Take the dot product of each word’s embedding with the output. The first gives ${dot(E[0], hidden)}.`,
            say`In order: ${E.map((row) => dot(row, hidden))}.`,
          ],
        },
      },
    },
  ];
}
