// Drills of the chapter on encoders, decoders and the look back.
"use strict";

{
  const { say, dot, sum, times, share, fixed } = drillKit;
  const mix = (weights, values) => times([weights], values)[0];
  const tanhs = (values) => values.map(Math.tanh);
  const plus = (a, b) => a.map((value, i) => value + b[i]);

  courseDrills.seq2seq = [
    {
      name: "context", kind: "vector", digits: 2,
      draw: (random, level) => ({ exps: random.ints(3 + level, 1, 7), states: random.rows(3 + level, 2, -4, 6) }),
      right: ({ exps, states }) => mix(share(exps), states),
      mistakes: {
        undivided: { value: ({ exps, states }) => mix(exps, states), read: "seq2seq#context-vector" },
        average: { value: ({ states }) => mix(states.map(() => 1 / states.length), states), read: "seq2seq#context-vector" },
        last: { value: ({ states }) => states.at(-1), read: "seq2seq#look-back" },
        largest: { value: ({ exps, states }) => states[exps.indexOf(Math.max(...exps))], read: "seq2seq#look-back" },
      },
      words: {
        ko: {
          title: "문맥 벡터",
          ask: ({ exps, states }) => say`인코더의 상태가 ${states}의 행이고, 디코더가 매긴 점수에 exp를 취하면 ${exps}입니다. 문맥 벡터는 무엇입니까?`,
          undivided: "합으로 나누지 않았습니다. 가중치는 합이 1이어야 합니다.",
          average: "상태를 고르게 평균했습니다. 점수만큼 다르게 섞습니다.",
          last: "마지막 상태만 가져왔습니다. 어텐션 없는 디코더가 받는 것입니다.",
          largest: "점수가 가장 큰 상태 하나만 가져왔습니다.",
          way: ({ exps, states }) => [
            say`합은 ${sum(exps)}이므로 가중치는 ${share(exps)}입니다.`,
            say`가중치로 상태를 섞습니다: ${mix(share(exps), states)}.`,
          ],
        },
        en: {
          title: "The context vector",
          ask: ({ exps, states }) => say`The encoder’s states are the rows of ${states}, and exp of the decoder’s scores is ${exps}. What is the context vector?`,
          undivided: "You did not divide by the sum. Weights must add up to 1.",
          average: "You averaged the states evenly. Their scores decide the mixture.",
          last: "You took only the last state, which is what a decoder without attention gets.",
          largest: "You took only the state with the largest score.",
          way: ({ exps, states }) => [
            say`The sum is ${sum(exps)}, so the weights are ${share(exps)}.`,
            say`Mix the states with these weights: ${mix(share(exps), states)}.`,
          ],
        },
      },
    },
    {
      name: "additive", kind: "number", digits: 2,
      draw: (random, level) => {
        const tenths = () => random.ints(2 + level, -9, 9).map((value) => value / 10);
        return { query: tenths(), key: tenths(), v: random.ints(2 + level, -3, 3) };
      },
      right: ({ query, key, v }) => dot(v, tanhs(plus(query, key))),
      mistakes: {
        straight: { value: ({ query, key, v }) => dot(v, plus(query, key)), read: "seq2seq#tanh" },
        apart: { value: ({ query, key, v }) => dot(v, plus(tanhs(query), tanhs(key))), read: "seq2seq#tanh" },
        summed: { value: ({ query, key }) => sum(tanhs(plus(query, key))), read: "seq2seq#additive-attention" },
        outside: { value: ({ query, key, v }) => Math.tanh(dot(v, plus(query, key))), read: "seq2seq#tanh" },
      },
      words: {
        ko: {
          title: "더하는 점수",
          ask: ({ query, key, v }) => say`행렬을 곱한 질의가 ${query}, 행렬을 곱한 키가 ${key}, v_a가 ${v}입니다. 가산 어텐션(additive attention)의 점수는 얼마입니까?`,
          straight: "tanh를 빠뜨렸습니다. 그러면 질의의 몫이 모든 키에 똑같이 더해져 소프트맥스에서 사라집니다.",
          apart: "tanh를 따로 취하고 더했습니다. 더한 다음에 tanh를 취합니다.",
          summed: "v_a를 곱하지 않고 더했습니다.",
          outside: "v_a와 내적한 다음에 tanh를 취했습니다. tanh는 그 앞입니다.",
          way: ({ query, key, v }) => [
            say`먼저 더합니다: ${plus(query, key)}.`,
            say`tanh를 취합니다: ${tanhs(plus(query, key))}.`,
            say`v_a와 내적합니다: ${fixed(dot(v, tanhs(plus(query, key))), 2)}.`,
          ],
        },
        en: {
          title: "An additive score",
          ask: ({ query, key, v }) => say`Multiplied by its matrix, the query is ${query}; multiplied by its own, the key is ${key}; v_a is ${v}. What is the score in additive attention?`,
          straight: "You left out the tanh. Without it, the query adds the same amount for every key and vanishes in the softmax.",
          apart: "You took the tanh of each and then added. Add first, then take the tanh.",
          summed: "You added up without multiplying by v_a.",
          outside: "You took the tanh after the dot product with v_a. It comes before.",
          way: ({ query, key, v }) => [
            say`Add first: ${plus(query, key)}.`,
            say`Take the tanh: ${tanhs(plus(query, key))}.`,
            say`Take the dot product with v_a: ${fixed(dot(v, tanhs(plus(query, key))), 2)}.`,
          ],
        },
      },
    },
    {
      name: "general", kind: "number",
      draw: (random, level) => ({ query: random.ints(2, -3, 3), W: random.rows(2, 2, level ? -2 : 0, 3), key: random.ints(2, -3, 3) }),
      right: ({ query, W, key }) => dot(mix(query, W), key),
      mistakes: {
        turned: { value: ({ query, W, key }) => dot(mix(key, W), query), read: "seq2seq#luong-score" },
        plain: { value: ({ query, key }) => dot(query, key), read: "seq2seq#luong-score" },
        diagonal: { value: ({ query, W, key }) => sum(query.map((q, i) => q * W[i][i] * key[i])), read: "seq2seq#luong-score" },
      },
      words: {
        ko: {
          title: "행렬을 낀 점수",
          ask: ({ query, W, key }) => say`질의 q가 ${query}, 행렬 W가 ${W}, 키 k가 ${key}입니다. Luong의 general 점수 q W k^T는 얼마입니까?`,
          turned: "행렬을 뒤집어 곱했습니다. 질의가 왼쪽입니다.",
          plain: "행렬을 빼고 내적했습니다. 그것은 dot 점수입니다.",
          diagonal: "행렬의 대각선만 썼습니다.",
          way: ({ query, W, key }) => [
            say`질의에 행렬을 곱합니다: q W = ${mix(query, W)}.`,
            say`키와 내적합니다: ${dot(mix(query, W), key)}.`,
          ],
        },
        en: {
          title: "A score with a matrix between",
          ask: ({ query, W, key }) => say`The query q is ${query}, the matrix W ${W}, the key k ${key}. What is Luong’s general score, q W k^T?`,
          turned: "You transposed the matrix. The query multiplies it from the left.",
          plain: "That is the dot score, without the matrix.",
          diagonal: "You used only the diagonal of the matrix.",
          way: ({ query, W, key }) => [
            say`Query times matrix: q W = ${mix(query, W)}.`,
            say`Take the dot product with the key: ${dot(mix(query, W), key)}.`,
          ],
        },
      },
    },
  ];
}
