// Drills of the chapter on attention.
"use strict";

{
  const { say, dot, times, transpose, softmax, range, fixed } = drillKit;
  const scoresOf = ({ query, keys }) => keys.map((key) => dot(query, key));
  const scaled = (drawn) => scoresOf(drawn).map((score) => score / Math.sqrt(drawn.query.length));
  const weightsOf = (drawn) => softmax(scaled(drawn));
  const mix = (weights, values) => times([weights], values)[0];
  const small = (value) => Math.abs(value) < 3;

  courseDrills.attention = [
    {
      name: "score", kind: "number", digits: 2,
      draw: (random, level) => {
        const d = level ? 9 : 4;
        return { query: random.ints(d, -2, 3), key: random.ints(d, -2, 3) };
      },
      right: ({ query, key }) => dot(query, key) / Math.sqrt(key.length),
      mistakes: {
        unscaled: { value: ({ query, key }) => dot(query, key), read: "attention#attention-scale" },
        byDimension: { value: ({ query, key }) => dot(query, key) / key.length, read: "attention#attention-scale" },
        multiplied: { value: ({ query, key }) => dot(query, key) * Math.sqrt(key.length), read: "attention#attention-scale" },
        cosine: { value: ({ query, key }) => dot(query, key) / Math.sqrt(dot(query, query) * dot(key, key) || 1), read: "attention#cosine" },
      },
      words: {
        ko: {
          title: "나눈 점수 하나",
          ask: ({ query, key }) => say`질의가 ${query}, 키가 ${key}입니다. 스케일드 내적 어텐션의 점수는 얼마입니까?`,
          unscaled: "√d_k로 나누지 않은 내적입니다.",
          byDimension: "d_k로 나누었습니다. 나눌 것은 d_k의 제곱근입니다.",
          multiplied: "√d_k를 곱했습니다. 나누어야 점수의 퍼짐이 차원과 상관없어집니다.",
          cosine: "코사인 유사도입니다. 벡터의 크기가 아니라 √d_k로 나눕니다.",
          way: ({ query, key }) => [
            say`같은 자리끼리 곱해 더한 내적은 ${dot(query, key)}입니다.`,
            say`√d_k = √${key.length} = ${Math.sqrt(key.length)}. 이 수로 나누면 ${fixed(dot(query, key) / Math.sqrt(key.length), 2)}입니다.`,
          ],
        },
        en: {
          title: "One scaled score",
          ask: ({ query, key }) => say`The query is ${query} and the key ${key}. What is the score in scaled dot-product attention?`,
          unscaled: "That is the dot product, not yet divided by √d_k.",
          byDimension: "You divided by d_k. Divide by its square root.",
          multiplied: "You multiplied by √d_k. Dividing by it is what makes the spread of the scores independent of the dimension.",
          cosine: "That is the cosine similarity. Divide by √d_k, not by the vectors’ norms.",
          way: ({ query, key }) => [
            say`The products of the components add up to ${dot(query, key)}.`,
            say`d_k = ${key.length}, so divide by ${Math.sqrt(key.length)}: ${fixed(dot(query, key) / Math.sqrt(key.length), 2)}.`,
          ],
        },
      },
    },
    {
      name: "weights", kind: "vector", digits: 2,
      draw: (random, level) => {
        const drawn = { query: random.ints(4, 0, 2), keys: random.rows(2 + level, 4, -1, 2) };
        return scaled(drawn).every(small) ? drawn : null;
      },
      right: weightsOf,
      mistakes: {
        unscaled: { value: (drawn) => softmax(scoresOf(drawn)), read: "attention#attention-scale" },
        byDimension: { value: (drawn) => softmax(scoresOf(drawn).map((score) => score / drawn.query.length)), read: "attention#attention-scale" },
        scores: { value: scaled, read: "attention#scores-are-not-weights" },
        exps: { value: (drawn) => scaled(drawn).map(Math.exp), read: "attention#one-query" },
        after: { value: (drawn) => softmax(scoresOf(drawn)).map((weight) => weight / Math.sqrt(drawn.query.length)), read: "attention#attention-scale" },
        hard: { value: (drawn) => scaled(drawn).map((score) => (score === Math.max(...scaled(drawn)) ? 1 : 0)), read: "attention#hard-lookup" },
      },
      words: {
        ko: {
          title: "질의 하나의 가중치",
          ask: ({ query, keys }) => say`질의가 ${query}이고 키는 ${keys}의 행입니다. 스케일드 내적 어텐션의 가중치는 무엇입니까?`,
          unscaled: "점수를 √d_k로 나누지 않았습니다. 가중치가 한쪽으로 더 몰립니다.",
          byDimension: "점수를 d_k로 나누었습니다. 가중치가 너무 고르게 뭉개집니다.",
          scores: "점수를 그대로 적었습니다. 소프트맥스를 거쳐야 가중치입니다.",
          exps: "exp를 취하고 합으로 나누지 않았습니다.",
          after: "소프트맥스 뒤에서 나누었습니다. 합이 1이 아닙니다.",
          hard: "가장 큰 것 하나만 골랐습니다. 소프트맥스는 나머지도 조금씩 봅니다.",
          way: (drawn) => [
            say`내적은 차례로 ${scoresOf(drawn)}입니다.`,
            say`√4 = 2로 나눈 점수는 ${scaled(drawn)}입니다.`,
            say`exp를 취하면 ${scaled(drawn).map(Math.exp)}이고, 합으로 나누면 ${weightsOf(drawn)}입니다.`,
          ],
        },
        en: {
          title: "The weights of one query",
          ask: ({ query, keys }) => say`The query is ${query}, and the keys are the rows of ${keys}. What are the weights of scaled dot-product attention?`,
          unscaled: "You did not divide the scores by √d_k. The weights are too sharply peaked.",
          byDimension: "You divided the scores by d_k. The weights are spread too evenly.",
          scores: "Those are the scores. The softmax turns them into weights.",
          exps: "You took exp but did not divide by the sum.",
          after: "You divided after the softmax. The weights no longer add up to 1.",
          hard: "You picked only the largest. A softmax gives the others some weight, too.",
          way: (drawn) => [
            say`The dot products are ${scoresOf(drawn)}.`,
            say`Divided by √4 = 2, the scores are ${scaled(drawn)}.`,
            say`exp gives ${scaled(drawn).map(Math.exp)}, and dividing by the sum gives ${weightsOf(drawn)}.`,
          ],
        },
      },
    },
    {
      name: "output", kind: "vector", digits: 2,
      draw: (random, level) => ({
        weights: random.pick(level ? [[5, 3, 2], [6, 3, 1], [1, 2, 7], [4, 1, 5]] : [[1, 3], [4, 1], [7, 3], [1, 4]]).map((part, _, all) => part / drillKit.sum(all)),
        keys: random.rows(2 + level, 2, -3, 3),
        values: random.rows(2 + level, 2, 0, 9),
      }),
      right: ({ weights, values }) => mix(weights, values),
      mistakes: {
        keys: { value: ({ weights, keys }) => mix(weights, keys), read: "attention#keys-and-values" },
        average: { value: ({ values }) => mix(values.map(() => 1 / values.length), values), read: "attention#scores-are-not-weights" },
        largest: { value: ({ weights, values }) => values[weights.indexOf(Math.max(...weights))], read: "attention#hard-lookup" },
        backwards: { value: ({ weights, values }) => mix([...weights].reverse(), values), read: "attention#one-query" },
      },
      words: {
        ko: {
          title: "가중치로 값을 섞기",
          ask: ({ weights, keys, values }) => say`가중치가 ${weights}, 키가 ${keys}의 행, 값이 ${values}의 행입니다. 출력은 무엇입니까?`,
          keys: "키를 더했습니다. 키는 비교하는 데 쓰고 끝나고, 더하는 것은 값입니다.",
          average: "값을 고르게 평균했습니다. 가중치만큼 섞어야 합니다.",
          largest: "가중치가 가장 큰 값 하나만 가져왔습니다.",
          backwards: "가중치를 거꾸로 짝지었습니다. 첫 가중치는 첫 값의 것입니다.",
          way: ({ weights, values }) => [
            say`값마다 제 가중치를 곱합니다: ${weights.map((weight, i) => values[i].map((value) => weight * value))}.`,
            say`열마다 더합니다: ${mix(weights, values)}. 키는 여기에 쓰이지 않습니다.`,
          ],
        },
        en: {
          title: "Mixing values by weights",
          ask: ({ weights, keys, values }) => say`The weights are ${weights}, the keys the rows of ${keys}, the values the rows of ${values}. What is the output?`,
          keys: "You mixed the keys. Keys are only for comparing; it is the values that are mixed.",
          average: "You averaged the values evenly. Mix them by the weights.",
          largest: "You took only the value with the largest weight.",
          backwards: "You paired weights and values the wrong way round. The first weight belongs to the first value.",
          way: ({ weights, values }) => [
            say`Multiply each value by its weight: ${weights.map((weight, i) => values[i].map((value) => weight * value))}.`,
            say`Add up each column: ${mix(weights, values)}. The keys play no part in that.`,
          ],
        },
      },
    },
    {
      name: "axis", kind: "matrix", digits: 2,
      draw: (random, level) => ({ exps: random.rows(2, 2 + level, 1, 6) }),
      right: ({ exps }) => exps.map(drillKit.share),
      mistakes: {
        columns: { value: ({ exps }) => transpose(transpose(exps).map(drillKit.share)), read: "attention#attention-softmax-axis" },
        everything: { value: ({ exps }) => exps.map((row) => row.map((exp) => exp / drillKit.sum(exps.flat()))), read: "attention#attention-softmax-axis" },
      },
      words: {
        ko: {
          title: "소프트맥스의 축",
          ask: ({ exps }) => say`질의가 행, 키가 열인 점수에 exp를 취한 것이 ${exps}입니다. 가중치의 행렬을 적으십시오.`,
          columns: "열의 합으로 나누었습니다. 합이 1이어야 하는 것은 질의의 행입니다.",
          everything: "전체의 합으로 나누었습니다. 질의마다 따로 합이 1이어야 합니다.",
          way: ({ exps }) => [
            say`행의 합은 ${exps.map(drillKit.sum)}입니다.`,
            say`행마다 제 합으로 나눕니다: ${exps.map(drillKit.share)}.`,
          ],
        },
        en: {
          title: "The axis of the softmax",
          ask: ({ exps }) => say`exp of the scores, with queries as rows and keys as columns, is ${exps}. What is the matrix of weights?`,
          columns: "You divided by the sums of the columns. It is the rows, one for each query, that must add up to 1.",
          everything: "You divided by the sum of everything. Each query has weights of its own that add up to 1.",
          way: ({ exps }) => [
            say`The rows add up to ${exps.map(drillKit.sum)}.`,
            say`Divide each row by its own sum: ${exps.map(drillKit.share)}.`,
          ],
        },
      },
    },
    {
      name: "shapes", kind: "shape",
      draw: (random, level) => {
        const [n_q, n_k, d_k, d_v] = random.some(4, [2, 3, 4, 5, 6, 8]);
        return { batch: level ? [random.int(7, 9)] : [], n_q, n_k, d_k, d_v };
      },
      right: ({ batch, n_q, d_v }) => [...batch, n_q, d_v],
      mistakes: {
        key: { value: ({ batch, n_q, d_k }) => [...batch, n_q, d_k], read: "attention#query-matrix" },
        weights: { value: ({ batch, n_q, n_k }) => [...batch, n_q, n_k], read: "attention#query-matrix" },
        keys: { value: ({ batch, n_k, d_v }) => [...batch, n_k, d_v], read: "attention#query-matrix" },
        turned: { value: ({ batch, n_q, d_v }) => [...batch, d_v, n_q], read: "attention#query-matrix" },
      },
      words: {
        ko: {
          title: "출력의 모양",
          ask: ({ batch, n_q, n_k, d_k, d_v }) => say`질의의 모양이 ${[...batch, n_q, d_k]}, 키가 ${[...batch, n_k, d_k]}, 값이 ${[...batch, n_k, d_v]}입니다. 출력의 모양은 무엇입니까?`,
          key: "질의의 차원을 따랐습니다. 출력은 값을 섞은 것이므로 값의 차원입니다.",
          weights: "가중치의 모양입니다. 출력은 가중치에 값을 곱한 것입니다.",
          keys: "행의 수가 키의 수입니다. 출력은 질의마다 하나입니다.",
          turned: "행과 열을 바꾸었습니다. 행이 질의입니다.",
          way: ({ batch, n_q, n_k, d_v }) => [
            say`가중치는 질의마다 키의 수만큼이므로 ${[...batch, n_q, n_k]}입니다.`,
            say`값의 모양은 ${[...batch, n_k, d_v]}이므로 곱하면 ${[...batch, n_q, d_v]}입니다.`,
          ],
        },
        en: {
          title: "The shape of the output",
          ask: ({ batch, n_q, n_k, d_k, d_v }) => say`The query has shape ${[...batch, n_q, d_k]}, the key ${[...batch, n_k, d_k]}, the value ${[...batch, n_k, d_v]}. What is the shape of the output?`,
          key: "Your last axis is the query’s dimension. The output is a mixture of values and has theirs.",
          weights: "That is the shape of the weights. The output is the weights times the values.",
          keys: "You have one row for each key. The output has one for each query.",
          turned: "You swapped rows and columns. The rows are the queries.",
          way: ({ batch, n_q, n_k, d_v }) => [
            say`Each query has a weight for each key: ${[...batch, n_q, n_k]}.`,
            say`Times the values ${[...batch, n_k, d_v]}: ${[...batch, n_q, d_v]}.`,
          ],
        },
      },
    },
  ];
}
