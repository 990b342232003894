// Drills of the chapter on self-attention.
"use strict";

{
  const { say, dot, times, softmax, fixed } = drillKit;
  const scoresOf = ({ x, at }) => x.map((row) => dot(x[at], row));
  const mix = (weights, values) => times([weights], values)[0];

  courseDrills.self_attention = [
    {
      name: "basic", kind: "vector", digits: 2,
      draw: (random, level) => {
        const drawn = { x: random.rows(2 + level, 2, -1, 2), at: random.int(0, 1) };
        const most = Math.max(...scoresOf(drawn));
        return most < 4 && drawn.x.flat().some((value) => value) ? drawn : null;
      },
      right: (drawn) => softmax(scoresOf(drawn)),
      mistakes: {
        scaled: { value: (drawn) => softmax(scoresOf(drawn).map((score) => score / Math.SQRT2)), read: "self_attention#self-attention-scale" },
        others: { value: (drawn) => softmax(scoresOf(drawn).map((score, i) => (i === drawn.at ? -Infinity : score))), read: "self_attention#basic-self-attention" },
        scores: { value: scoresOf, read: "self_attention#basic-self-attention" },
        output: { value: (drawn) => mix(softmax(scoresOf(drawn)), drawn.x), read: "self_attention#basic-self-attention" },
      },
      words: {
        ko: {
          title: "배울 것이 없는 셀프 어텐션",
          ask: ({ x, at }) => say`문장의 벡터가 ${x}의 행입니다. 파라미터도 나눗셈도 없는 기본 셀프 어텐션에서 위치 ${at}(0부터 셉니다)의 가중치는 무엇입니까?`,
          scaled: "점수를 √d로 나누었습니다. 기본 셀프 어텐션은 나누지 않습니다.",
          others: "자기 자신을 뺐습니다. 셀프 어텐션은 자기도 봅니다.",
          scores: "점수를 그대로 적었습니다. 소프트맥스가 남았습니다.",
          output: "출력을 적었습니다. 물은 것은 가중치입니다.",
          way: (drawn) => [
            say`위치 ${drawn.at}의 벡터와 모든 벡터의 내적은 ${scoresOf(drawn)}입니다. 자기 자신도 들어 있습니다.`,
            say`exp를 취하면 ${scoresOf(drawn).map(Math.exp)}, 합으로 나누면 ${softmax(scoresOf(drawn))}입니다.`,
          ],
        },
        en: {
          title: "Self-attention with nothing to learn",
          ask: ({ x, at }) => say`The vectors of a sentence are the rows of ${x}. In basic self-attention, without parameters or scaling, what are the weights of position ${at} (counting from 0)?`,
          scaled: "You divided the scores by √d. Basic self-attention does not.",
          others: "You left out the position itself. In self-attention a position sees itself, too.",
          scores: "Those are the scores. The softmax is still to come.",
          output: "That is the output. The question asks for the weights.",
          way: (drawn) => [
            say`The dot products of position ${drawn.at} with all vectors, itself included, are ${scoresOf(drawn)}.`,
            say`exp gives ${scoresOf(drawn).map(Math.exp)}, and dividing by the sum gives ${softmax(scoresOf(drawn))}.`,
          ],
        },
      },
    },
    {
      name: "roles", kind: "number", digits: 2,
      draw: (random, level) => {
        const matrix = () => random.rows(2, 2, level ? -2 : 0, 2);
        return { x: random.rows(2, 2, -1, 2), W_q: matrix(), W_k: matrix(), from: random.int(0, 1) };
      },
      right: (drawn) => score(drawn, drawn.from, 1 - drawn.from) / Math.SQRT2,
      mistakes: {
        turned: { value: (drawn) => score(drawn, 1 - drawn.from, drawn.from) / Math.SQRT2, read: "self_attention#three-roles" },
        raw: { value: ({ x }) => dot(x[0], x[1]) / Math.SQRT2, read: "self_attention#three-roles" },
        unscaled: { value: (drawn) => score(drawn, drawn.from, 1 - drawn.from), read: "self_attention#self-attention-scale" },
        itself: { value: (drawn) => score(drawn, drawn.from, drawn.from) / Math.SQRT2, read: "self_attention#three-roles" },
      },
      words: {
        ko: {
          title: "누가 누구를 보는가",
          ask: ({ x, W_q, W_k, from }) => say`벡터가 ${x}의 행입니다. W^Q는 ${W_q}, W^K는 ${W_k}이고 질의는 x W^Q, 키는 x W^K입니다. 위치 ${from}이 위치 ${1 - from}에 매기는 점수를 √d_k = √2로 나눈 값은 얼마입니까? (위치는 0부터 셉니다.)`,
          turned: "거꾸로 위치를 짝지었습니다. 보는 쪽이 질의, 보이는 쪽이 키입니다.",
          raw: "행렬을 곱하지 않은 벡터끼리 내적했습니다.",
          unscaled: "√2로 나누지 않았습니다.",
          itself: "자기 자신에게 매기는 점수입니다.",
          way: (drawn) => [
            say`보는 쪽의 질의는 ${mix(drawn.x[drawn.from], drawn.W_q)}, 보이는 쪽의 키는 ${mix(drawn.x[1 - drawn.from], drawn.W_k)}입니다.`,
            say`내적은 ${score(drawn, drawn.from, 1 - drawn.from)}, √2로 나누면 ${fixed(score(drawn, drawn.from, 1 - drawn.from) / Math.SQRT2, 2)}입니다.`,
          ],
        },
        en: {
          title: "Who looks at whom",
          ask: ({ x, W_q, W_k, from }) => say`The vectors are the rows of ${x}. W^Q is ${W_q} and W^K is ${W_k}; the queries are x W^Q, the keys x W^K. What is the score that position ${from} gives position ${1 - from}, divided by √d_k = √2? (Positions count from 0.)`,
          turned: "You paired the positions the wrong way round. The one that looks has the query, the one looked at has the key.",
          raw: "That is the dot product of the vectors, without the matrices.",
          unscaled: "You did not divide by √2.",
          itself: "That is the score of the position with itself.",
          way: (drawn) => [
            say`The query of the position that looks is ${mix(drawn.x[drawn.from], drawn.W_q)}, the key of the one looked at ${mix(drawn.x[1 - drawn.from], drawn.W_k)}.`,
            say`Their dot product is ${score(drawn, drawn.from, 1 - drawn.from)}; divided by √2, ${fixed(score(drawn, drawn.from, 1 - drawn.from) / Math.SQRT2, 2)}.`,
          ],
        },
      },
    },
    {
      name: "cost", kind: "number",
      draw: (random, level) => ({ n: random.pick(level ? [20, 30, 50, 200] : [4, 6, 8, 10]), d: random.pick(level ? [16, 32, 64] : [2, 3, 5]) }),
      right: ({ n, d }) => 2 * n * n * d,
      mistakes: {
        half: { value: ({ n, d }) => n * n * d, read: "self_attention#attention-cost" },
        recurrent: { value: ({ n, d }) => 2 * n * d * d, read: "self_attention#attention-cost" },
        pairs: { value: ({ n }) => n * n, read: "self_attention#attention-cost" },
        line: { value: ({ n, d }) => 2 * n * d, read: "self_attention#attention-cost" },
      },
      words: {
        ko: {
          title: "곱셈의 수",
          ask: ({ n, d }) => say`길이가 ${n}, 차원이 ${d}인 셀프 어텐션에서 점수와 가중합에 드는 곱셈은 모두 몇 번입니까? 투영은 빼고 셉니다.`,
          half: "점수와 가중합 가운데 하나만 셌습니다. 둘 다 n²d입니다.",
          recurrent: "순환 층의 곱셈입니다. 어텐션은 길이의 제곱에 비례합니다.",
          pairs: "쌍의 수입니다. 쌍마다 곱셈이 d번씩 듭니다.",
          line: "한 위치가 보는 위치도 n개입니다. n을 한 번 더 곱합니다.",
          way: ({ n, d }) => [
            say`쌍은 ${n}·${n} = ${n * n}개이고, 점수 하나에 곱셈이 ${d}번 듭니다: ${n * n * d}번.`,
            say`가중합도 같은 수이므로 모두 ${2 * n * n * d}번입니다.`,
          ],
        },
        en: {
          title: "How many multiplications",
          ask: ({ n, d }) => say`How many multiplications do the scores and the weighted sums of self-attention take for length ${n} and dimension ${d}? Leave out the projections.`,
          half: "You counted only the scores or only the weighted sums. Each takes n²d.",
          recurrent: "Those are the multiplications of a recurrent layer. Attention grows with the square of the length.",
          pairs: "That is the number of pairs. Each takes d multiplications.",
          line: "Each of the n positions looks at n positions. Multiply by n once more.",
          way: ({ n, d }) => [
            say`There are ${n}·${n} = ${n * n} pairs, and a score takes ${d} multiplications: ${n * n * d}.`,
            say`The weighted sums take as many: ${2 * n * n * d} in all.`,
          ],
        },
      },
    },
    {
      name: "ratio", kind: "number", digits: 2,
      draw: (random, level) => ({ n: random.pick(level ? [100, 400, 3000] : [10, 20, 50, 500]), d: random.pick([64, 128, 200, 512]) }),
      right: ({ n, d }) => n / d,
      mistakes: {
        turned: { value: ({ n, d }) => d / n, read: "self_attention#crossover" },
        squared: { value: ({ n, d }) => (n / d) ** 2, read: "self_attention#crossover" },
        doubled: { value: ({ n, d }) => (2 * n) / d, read: "self_attention#crossover" },
      },
      words: {
        ko: {
          title: "순환 층과 비교하기",
          ask: ({ n, d }) => say`길이가 ${n}, 차원이 ${d}일 때 셀프 어텐션의 곱셈(2n²d)은 순환 층(2nd²)의 몇 배입니까?`,
          turned: "거꾸로 나누었습니다. 어텐션을 순환 층으로 나눕니다.",
          squared: "n과 d를 한 번씩만 남겨야 합니다. 제곱끼리 약분됩니다.",
          doubled: "2는 두 쪽에 다 있으므로 약분됩니다.",
          way: ({ n, d }) => [
            say`2n²d를 2nd²으로 나누면 n/d가 남습니다.`,
            say`${n}/${d} = ${fixed(n / d, 2)}. 길이가 차원보다 길어야 어텐션이 더 비쌉니다.`,
          ],
        },
        en: {
          title: "Compared with a recurrent layer",
          ask: ({ n, d }) => say`For length ${n} and dimension ${d}, how many times the multiplications of a recurrent layer (2nd²) does self-attention take (2n²d)?`,
          turned: "You divided the wrong way round. Divide attention’s multiplications by the recurrent layer’s.",
          squared: "One n and one d remain; the rest cancels.",
          doubled: "The 2 is on both sides and cancels.",
          way: ({ n, d }) => [
            say`2n²d divided by 2nd² leaves n/d.`,
            say`${n}/${d} = ${fixed(n / d, 2)}. Attention costs more only where the length exceeds the dimension.`,
          ],
        },
      },
    },
  ];

  function score({ x, W_q, W_k }, from, to) {
    return dot(mix(x[from], W_q), mix(x[to], W_k));
  }
}
