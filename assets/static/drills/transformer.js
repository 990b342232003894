// Drills of the chapter on the whole Transformer.
"use strict";

{
  const { say, sum, fixed, range } = drillKit;
  const attention = (d) => 4 * d * d;
  const forward = (d, f) => 2 * d * f;

  courseDrills.transformer = [
    {
      name: "loss", kind: "number", digits: 2,
      draw: (random, level) => {
        const real = random.int(2, 3);
        return { losses: random.ints(4 + level, 2, 30).map((value) => value / 10), real };
      },
      right: ({ losses, real }) => sum(losses.slice(0, real)) / real,
      mistakes: {
        padded: { value: ({ losses }) => sum(losses) / losses.length, read: "transformer#train-step" },
        divided: { value: ({ losses, real }) => sum(losses.slice(0, real)) / losses.length, read: "transformer#train-step" },
        summed: { value: ({ losses, real }) => sum(losses.slice(0, real)), read: "transformer#train-step" },
      },
      words: {
        ko: {
          title: "PAD를 뺀 손실",
          ask: ({ losses, real }) => say`문장 하나의 자리마다 손실이 ${losses}입니다. 앞의 ${real}개만 진짜 토큰이고 나머지는 PAD입니다. 학습에 쓰는 평균 손실은 얼마입니까?`,
          padded: "PAD의 손실까지 평균했습니다.",
          divided: "더할 때는 뺐지만 나눌 때는 PAD까지 셌습니다.",
          summed: "더하기만 했습니다. 진짜 토큰의 수로 나눕니다.",
          way: ({ losses, real }) => [
            say`진짜 토큰의 손실만 더합니다: ${fixed(sum(losses.slice(0, real)), 1)}.`,
            say`진짜 토큰의 수로 나눕니다: ${fixed(sum(losses.slice(0, real)) / real, 2)}.`,
          ],
        },
        en: {
          title: "A loss without PAD",
          ask: ({ losses, real }) => say`The losses at the positions of one sentence are ${losses}. Only the first ${real} are real tokens; the rest are PAD. On what mean loss is the model trained?`,
          padded: "You averaged in the losses of PAD.",
          divided: "You left PAD out of the sum but counted it when dividing.",
          summed: "You only added up. Divide by the number of real tokens.",
          way: ({ losses, real }) => [
            say`Add up the losses of real tokens: ${fixed(sum(losses.slice(0, real)), 1)}.`,
            say`Divide by the number of them: ${fixed(sum(losses.slice(0, real)) / real, 2)}.`,
          ],
        },
      },
    },
    {
      name: "collate", kind: "shape",
      draw: (random, level) => ({ lengths: random.some(3 + level, range(9).map((i) => i + 2)) }),
      right: ({ lengths }) => [lengths.length, Math.max(...lengths)],
      mistakes: {
        joined: { value: ({ lengths }) => [sum(lengths)], read: "transformer#batches" },
        cut: { value: ({ lengths }) => [lengths.length, Math.min(...lengths)], read: "transformer#batches" },
        turned: { value: ({ lengths }) => [Math.max(...lengths), lengths.length], read: "transformer#batches" },
        first: { value: ({ lengths }) => (lengths[0] === Math.max(...lengths) || lengths[0] === Math.min(...lengths) ? null : [lengths.length, lengths[0]]), read: "transformer#batches" },
      },
      words: {
        ko: {
          title: "배치로 묶기",
          ask: ({ lengths }) => say`길이가 ${lengths}인 번호 리스트들을 패딩해서 텐서 하나로 묶습니다. 텐서의 모양은 무엇입니까?`,
          joined: "한 줄로 이어 붙였습니다. 문장마다 한 행입니다.",
          cut: "가장 짧은 문장에 맞추어 잘랐습니다. 잘린 토큰은 돌아오지 않습니다.",
          turned: "행과 열을 바꾸었습니다. 행이 문장입니다.",
          first: "첫 문장의 길이에 맞추었습니다.",
          way: ({ lengths }) => [
            say`행은 문장의 수 ${lengths.length}입니다.`,
            say`열은 가장 긴 문장의 길이 ${Math.max(...lengths)}이고, 짧은 문장의 뒤를 PAD로 채웁니다.`,
          ],
        },
        en: {
          title: "Into one batch",
          ask: ({ lengths }) => say`Lists of ids with the lengths ${lengths} are padded and stacked into one tensor. What is its shape?`,
          joined: "You joined them into one row. Each sentence has a row of its own.",
          cut: "You cut them to the shortest. What is cut off is lost.",
          turned: "You swapped rows and columns. The rows are the sentences.",
          first: "You fitted them to the length of the first sentence.",
          way: ({ lengths }) => [
            say`A row for each sentence: ${lengths.length}.`,
            say`A column for each token of the longest: ${Math.max(...lengths)}; shorter ones end in PAD.`,
          ],
        },
      },
    },
    {
      name: "matrices", kind: "number",
      draw: (random, level) => ({ d: random.pick(level ? [64, 128, 512] : [4, 8, 16]), N: random.pick([2, 3, 6]), times: 4 }),
      right: ({ d, N, times }) => N * (3 * attention(d) + 2 * forward(d, times * d)),
      mistakes: {
        cross: { value: ({ d, N, times }) => N * (2 * attention(d) + 2 * forward(d, times * d)), read: "transformer#whole-model" },
        once: { value: ({ d, times }) => 3 * attention(d) + 2 * forward(d, times * d), read: "transformer#assembly" },
        encoder: { value: ({ d, N, times }) => N * (attention(d) + forward(d, times * d)), read: "transformer#whole-model" },
        half: { value: ({ d, N, times }) => N * (3 * attention(d) + forward(d, times * d)), read: "transformer#whole-model" },
      },
      words: {
        ko: {
          title: "모델 전체의 행렬",
          ask: ({ d, N, times }) => say`인코더와 디코더가 ${N}층씩이고 d_{model} = ${d}, d_{ff} = ${times * d}입니다. 임베딩, 편향, 층 정규화를 빼면 행렬의 파라미터는 모두 몇 개입니까?`,
          cross: "크로스 어텐션을 빠뜨렸습니다. 디코더 층에는 어텐션이 둘입니다.",
          once: "한 층씩만 셌습니다.",
          encoder: "인코더만 셌습니다.",
          half: "피드포워드를 한쪽만 셌습니다. 인코더와 디코더에 다 있습니다.",
          way: ({ d, N, times }) => [
            say`어텐션 하나는 4·${d}² = ${attention(d)}, 피드포워드 하나는 2·${d}·${times * d} = ${forward(d, times * d)}개입니다.`,
            say`인코더 층에 어텐션 하나, 디코더 층에 둘, 피드포워드는 하나씩입니다: ${N}·(3·${attention(d)} + 2·${forward(d, times * d)}) = ${N * (3 * attention(d) + 2 * forward(d, times * d))}.`,
          ],
        },
        en: {
          title: "Matrices in the whole Transformer",
          ask: ({ d, N, times }) => say`Encoder and decoder have ${N} layers each, with d_{model} = ${d} and d_{ff} = ${times * d}. Leaving out embeddings, biases and layer norms, how many parameters do the matrices have?`,
          cross: "You left out cross-attention. A decoder layer has two attention sublayers.",
          once: "You counted only one layer of each.",
          encoder: "You counted only the encoder.",
          half: "You counted only one feed-forward network. Encoder and decoder layers each have one.",
          way: ({ d, N, times }) => [
            say`An attention sublayer has 4·${d}² = ${attention(d)}, a feed-forward network 2·${d}·${times * d} = ${forward(d, times * d)}.`,
            say`An encoder layer has one attention sublayer, a decoder layer two, and both have one feed-forward network: ${N}·(3·${attention(d)} + 2·${forward(d, times * d)}) = ${N * (3 * attention(d) + 2 * forward(d, times * d))}.`,
          ],
        },
      },
    },
    {
      name: "exact", kind: "number", digits: 2,
      draw: (random, level) => {
        const targets = range(3 + level).map(() => random.ints(3, 3, 9));
        const predictions = targets.map((ids) => ids.map((id) => (random.uniform() < 0.2 ? random.int(3, 9) : id)));
        return { targets, predictions };
      },
      right: ({ targets, predictions }) => matches(targets, predictions).filter((hits) => hits === 3).length / targets.length,
      mistakes: {
        tokens: { value: ({ targets, predictions }) => sum(matches(targets, predictions)) / (3 * targets.length), read: "transformer#exact-match" },
        count: { value: ({ targets, predictions }) => matches(targets, predictions).filter((hits) => hits === 3).length, read: "transformer#exact-match" },
        wrong: { value: ({ targets, predictions }) => matches(targets, predictions).filter((hits) => hits < 3).length / targets.length, read: "transformer#exact-match" },
      },
      words: {
        ko: {
          title: "통째로 맞은 비율",
          ask: ({ targets, predictions }) => say`정답이 ${targets}의 행, 모델이 쓴 것이 ${predictions}의 행입니다. 완전 일치(exact match)의 비율은 얼마입니까?`,
          tokens: "토큰마다 셌습니다. 문장이 통째로 맞아야 합니다.",
          count: "개수입니다. 문장의 수로 나눕니다.",
          wrong: "틀린 문장의 비율입니다.",
          way: ({ targets, predictions }) => [
            say`행마다 맞은 토큰은 ${matches(targets, predictions)}개입니다.`,
            say`셋 다 맞은 행의 수를 행의 수로 나눕니다: ${matches(targets, predictions).filter((hits) => hits === 3).length}/${targets.length}.`,
          ],
        },
        en: {
          title: "The share of exact matches",
          ask: ({ targets, predictions }) => say`The targets are the rows of ${targets}, and the model’s outputs the rows of ${predictions}. What is the share of exact matches?`,
          tokens: "You counted tokens. A sentence counts as a whole.",
          count: "That is how many there are. Divide by the number of sentences.",
          wrong: "That is the share of wrong sentences.",
          way: ({ targets, predictions }) => [
            say`Correct tokens in each row: ${matches(targets, predictions)}.`,
            say`Rows with all three correct, divided by the number of rows: ${matches(targets, predictions).filter((hits) => hits === 3).length}/${targets.length}.`,
          ],
        },
      },
    },
  ];

  function matches(targets, predictions) {
    return targets.map((ids, i) => ids.filter((id, j) => id === predictions[i][j]).length);
  }
}
