// Drills of the chapter on circuits.
"use strict";

{
  const { say, sum, dot, fixed, range } = drillKit;
  const mean = (values) => sum(values) / values.length;
  const centred = (values) => values.map((value) => value - mean(values));
  const square = (values) => dot(values, values);
  const tenths = [[10], [7, 3], [6, 3, 1], [5, 3, 2, 0], [5, 2, 2, 1, 0], [4, 2, 2, 1, 1, 0]];
  const places = ({ tokens }) => range(tokens.length).filter((i) => tokens.indexOf(tokens[i]) < i);
  const last = ({ tokens }, i) => tokens.lastIndexOf(tokens[i], i - 1);
  const looked = (drawn, at) => places(drawn).map((i) => drawn.weights[i][at(i)]);
  const induction = (drawn) => looked(drawn, (i) => last(drawn, i) + 1);
  const back = ({ right, wrong, patched }) => patched.map((score) => (score - wrong) / (right - wrong));
  const whole = ({ parts }) => centred(parts[0].map((_, i) => sum(parts.map((part) => part[i]))));
  const spread = (values) => Math.sqrt(mean(values.map((value) => value ** 2)));
  const shares = (drawn, scale, freed = centred) => drawn.parts.map((part) => dot(freed(part), drawn.u) / scale(part));
  const strengths = ({ W, b, x }) => W.map((row) => dot(row, x.map((value, i) => value - b[i])));
  const keep = (values, k, by = (value) => value) => values.map((value) => (values.filter((other) => by(other) > by(value)).length < k ? value : 0));
  const relu = (values) => values.map((value) => Math.max(0, value));
  const other = (value, right) => (String(value) === String(right) ? null : value);
  const kept = (drawn) => relu(keep(strengths(drawn), drawn.k));
  const errors = ({ x, y }) => x.map((row, i) => row.map((value, j) => value - y[i][j]));
  const middle = ({ x }) => x[0].map((_, j) => mean(x.map((row) => row[j])));
  const apart = (drawn) => drawn.x.map((row) => row.map((value, j) => value - middle(drawn)[j]));
  const ratio = (drawn, size) => sum(errors(drawn).map(size)) / sum(apart(drawn).map(size));
  const large = ({ found, others }) => others.filter((other) => Math.abs(other) >= Math.abs(found));

  courseDrills.circuits = [
    {
      name: "induction", kind: "number", digits: 2,
      draw: (random, level) => {
        const pattern = random.pick(level ? ["012010", "012101", "010210"] : ["01201", "01202", "01021", "01210"]);
        const letters = random.some(4, [..."ABCDEFG"]);
        const weights = range(pattern.length).map((i) => range(pattern.length).map((j) => (j <= i ? 1 : 0)));
        const filled = weights.map((row, i) => {
          const drawn = random.shuffle(tenths[i]);
          return row.map((open, j) => (open ? drawn[j] / 10 : 0));
        });
        return { tokens: [...pattern].map((digit) => letters[digit]), weights: filled };
      },
      right: (drawn) => mean(induction(drawn)),
      mistakes: {
        same: { value: (drawn) => mean(looked(drawn, (i) => last(drawn, i))), read: "circuits#interpretability-induction-mistakes" },
        previous: { value: (drawn) => mean(looked(drawn, (i) => i - 1)), read: "circuits#interpretability-induction-mistakes" },
        all: { value: (drawn) => sum(induction(drawn)) / drawn.tokens.length, read: "circuits#interpretability-induction-mistakes" },
        first: { value: (drawn) => other(mean(looked(drawn, (i) => drawn.tokens.indexOf(drawn.tokens[i]) + 1)), mean(induction(drawn))), read: "circuits#interpretability-induction-mistakes" },
      },
      words: {
        ko: {
          title: "귀납 점수",
          ask: ({ tokens, weights }) => say`토큰이 ${tokens}입니다. 한 헤드의 가중치는 다음과 같습니다. 행이 질의, 열이 키입니다. ${weights} 귀납 점수는 얼마입니까?`,
          same: "같은 토큰에 준 가중치입니다. 그 다음 자리를 보십시오.",
          previous: "바로 앞 토큰에 준 가중치입니다. 앞 토큰 헤드의 점수입니다.",
          all: "모든 위치의 수로 나누었습니다. 앞에 같은 토큰이 있는 위치만 평균합니다.",
          first: "처음 나온 자리를 썼습니다. 마지막으로 나온 자리입니다.",
          way: (drawn) => [
            say`앞에 같은 토큰이 있는 위치는 0부터 세어 ${places(drawn)}이고, 볼 자리는 마지막으로 나온 자리의 다음, ${places(drawn).map((i) => last(drawn, i) + 1)}입니다.`,
            say`그 가중치 ${induction(drawn)}의 평균은 ${fixed(mean(induction(drawn)), 2)}입니다.`,
          ],
        },
        en: {
          title: "An induction score",
          ask: ({ tokens, weights }) => say`The tokens are ${tokens}. One head has these attention weights, with queries in rows and keys in columns: ${weights} What is its induction score?`,
          same: "Those are the weights on the same token. Look at the position after it.",
          previous: "Those are the weights on the token just before: the score of a previous-token head.",
          all: "You divided by the number of all positions. Average only over those whose token has occurred before.",
          first: "You used the first occurrence. It is the most recent one that counts.",
          way: (drawn) => [
            say`Counting from 0, the positions whose token has occurred before are ${places(drawn)}. They should look one past its most recent occurrence, at ${places(drawn).map((i) => last(drawn, i) + 1)}.`,
            say`The weights there are ${induction(drawn)}, with mean ${fixed(mean(induction(drawn)), 2)}.`,
          ],
        },
      },
    },
    {
      name: "patching", kind: "vector", digits: 2,
      draw: (random, level) => {
        const [right, wrong] = [random.int(3, 9), random.int(-4, 2)];
        if (right - wrong < 3) return null;
        const [low, high] = level ? [wrong - 2, right + 2] : [wrong + 1, right - 1];
        return { right, wrong, patched: random.some(2 + level, range(high - low + 1).map((i) => low + i)) };
      },
      right: back,
      mistakes: {
        base: { value: ({ right, wrong, patched }) => patched.map((score) => (score - wrong) / right), read: "circuits#circuits-patching" },
        raw: { value: ({ right, patched }) => patched.map((score) => score / right), read: "circuits#circuits-mistakes" },
        lost: { value: (drawn) => back(drawn).map((share) => 1 - share), read: "circuits#circuits-patching" },
        undivided: { value: ({ wrong, patched }) => patched.map((score) => score - wrong), read: "circuits#circuits-patching" },
      },
      words: {
        ko: {
          title: "갈아 끼운 몫",
          ask: ({ right, wrong, patched }) => say`답의 점수가 깨끗한 글에서 ${right}, 망가뜨린 글에서 ${wrong}입니다. 망가뜨린 글의 벡터를 한 번에 한 자리씩 깨끗한 글의 것으로 갈아 끼우니 점수가 차례로 ${patched}입니다. 자리마다 돌아온 몫은 얼마입니까?`,
          base: "깨끗한 점수로 나누었습니다. 나눌 것은 두 글의 점수의 차입니다.",
          raw: "망가뜨린 점수를 빼지 않았습니다. 갈아 끼우기 전에도 그만큼은 있었습니다.",
          lost: "돌아오지 않은 몫입니다.",
          undivided: "점수의 차로 나누지 않았습니다. 다 돌아오면 1이어야 합니다.",
          way: (drawn) => [
            say`망가뜨린 점수를 빼면 ${drawn.patched.map((score) => score - drawn.wrong)}입니다.`,
            say`두 글의 차는 ${drawn.right} − (${drawn.wrong}) = ${drawn.right - drawn.wrong}이고, 나누면 ${back(drawn)}입니다.`,
          ],
        },
        en: {
          title: "What patching restores",
          ask: ({ right, wrong, patched }) => say`The answer scores ${right} in the clean run and ${wrong} in the corrupted run. Patching the corrupted run with the clean vector, one position at a time, gives the scores ${patched} in turn. What share of the answer does each position restore?`,
          base: "You divided by the clean score. Divide by the difference between the two runs.",
          raw: "You did not subtract the corrupted score. That much was there before patching.",
          lost: "That is the share that was not restored.",
          undivided: "You did not divide by the difference between the runs. Full recovery should give 1.",
          way: (drawn) => [
            say`Subtracting the corrupted score leaves ${drawn.patched.map((score) => score - drawn.wrong)}.`,
            say`Divide by the difference between the runs, ${drawn.right} − (${drawn.wrong}) = ${drawn.right - drawn.wrong}: ${back(drawn)}.`,
          ],
        },
      },
    },
    {
      name: "shares", kind: "vector", digits: 2,
      draw: (random, level) => {
        const parts = random.rows(2, 2 + level, -4, 5);
        const u = random.pick(level ? [[1, 0, 0], [0, 1, -1], [2, 0, 1]] : [[1, 0], [0, 1], [2, 1]]);
        return spread(whole({ parts })) > 0 ? { parts, u } : null;
      },
      right: (drawn) => shares(drawn, () => spread(whole(drawn))),
      mistakes: {
        own: { value: (drawn) => shares(drawn, (part) => spread(centred(part)) || 1), read: "circuits#circuits-mistakes" },
        uncentred: { value: (drawn) => shares(drawn, () => spread(whole(drawn)), (part) => part), read: "circuits#circuits-shares" },
        unscaled: { value: (drawn) => shares(drawn, () => 1), read: "circuits#circuits-shares" },
        variance: { value: (drawn) => shares(drawn, () => spread(whole(drawn)) ** 2), read: "circuits#circuits-shares" },
      },
      words: {
        ko: {
          title: "부품의 몫",
          ask: ({ parts, u }) => say`잔차 흐름은 부품 둘이 더한 것의 합입니다. 하나는 ${parts[0]}, 하나는 ${parts[1]}입니다. 로짓은 층 정규화를 지난 합과 u = ${u}의 내적입니다(γ는 1, β와 ε은 0). 로짓에서 부품마다의 몫은 얼마입니까?`,
          own: "부품마다 제 표준편차로 나누었습니다. 합의 표준편차 하나로 나눕니다.",
          uncentred: "부품의 평균을 빼지 않았습니다.",
          unscaled: "합의 표준편차로 나누지 않았습니다.",
          variance: "분산으로 나누었습니다. 제곱근을 취하십시오.",
          way: (drawn) => [
            say`합에서 평균을 빼면 ${whole(drawn)}이고 표준편차는 ${spread(whole(drawn))}입니다.`,
            say`부품에서 제 평균을 빼면 차례로 ${centred(drawn.parts[0])}, ${centred(drawn.parts[1])}입니다.`,
            say`u와 내적해 합의 표준편차로 나누면 ${shares(drawn, () => spread(whole(drawn)))}입니다.`,
          ],
        },
        en: {
          title: "Shares of a logit",
          ask: ({ parts, u }) => say`Two components wrote ${parts[0]} and ${parts[1]} to the residual stream. The logit is the dot product of the layer-normalised stream with the direction ${u} (γ is 1; β and ε are 0). What does each component contribute?`,
          own: "You divided each component by its own standard deviation. Use that of the sum for both.",
          uncentred: "You did not subtract each component’s mean.",
          unscaled: "You did not divide by the standard deviation of the sum.",
          variance: "You divided by the variance. Take its square root.",
          way: (drawn) => [
            say`The sum minus its mean is ${whole(drawn)}; its standard deviation is ${spread(whole(drawn))}.`,
            say`The components minus their own means are ${centred(drawn.parts[0])} and ${centred(drawn.parts[1])}.`,
            say`Their dot products with the direction, divided by ${spread(whole(drawn))}, are ${shares(drawn, () => spread(whole(drawn)))}.`,
          ],
        },
      },
    },
    {
      name: "features", kind: "vector", digits: 2,
      draw: (random, level) => {
        const W = random.some(3 + level, [[1, 0], [0, 1], [0.6, 0.8], [0.8, -0.6], [-0.6, 0.8], [-1, 0], [0.8, 0.6], [0, -1]]);
        const drawn = { W, b: random.ints(2, -2, 2), x: random.ints(2, -4, 5), k: 1 + level };
        const sizes = strengths(drawn).map(Math.abs).sort((a, b) => a - b);
        return sizes.some((size, i) => i && size - sizes[i - 1] < 0.1) ? null : drawn;
      },
      right: kept,
      mistakes: {
        all: { value: (drawn) => other(relu(strengths(drawn)), kept(drawn)), read: "circuits#circuits-sae" },
        sizes: { value: (drawn) => other(keep(strengths(drawn), drawn.k, Math.abs), kept(drawn)), read: "circuits#circuits-mistakes" },
        negative: { value: (drawn) => other(keep(strengths(drawn), drawn.k), kept(drawn)), read: "circuits#circuits-sae" },
        bias: { value: (drawn) => kept({ ...drawn, b: [0, 0] }), read: "circuits#circuits-mistakes" },
      },
      words: {
        ko: {
          title: "남는 특징",
          ask: ({ W, b, x, k }) => say`희소 오토인코더의 W_{enc}이 ${W}이고 b = ${b}, k = ${k}입니다. x = ${x}의 특징의 세기 z는 무엇입니까?`,
          all: "k개만 남기지 않았습니다.",
          sizes: "절댓값이 큰 것을 골랐습니다. 가장 큰 k개를 남깁니다.",
          negative: "남은 음수를 0으로 바꾸지 않았습니다.",
          bias: "b를 먼저 빼지 않았습니다.",
          way: (drawn) => [
            say`x − b는 ${drawn.x.map((value, i) => value - drawn.b[i])}이고, 행마다 내적하면 ${strengths(drawn)}입니다.`,
            say`가장 큰 ${drawn.k}개만 남기고 음수는 0으로 둡니다: ${kept(drawn)}.`,
          ],
        },
        en: {
          title: "The features that stay on",
          ask: ({ W, b, x, k }) => say`A sparse autoencoder has W_{enc} = ${W}, b = ${b} and k = ${k}. What are the feature strengths z of x = ${x}?`,
          all: "You did not keep only the top k.",
          sizes: "You picked the largest absolute values. TopK keeps the largest values.",
          negative: "A negative strength was kept. It becomes 0.",
          bias: "You did not subtract b first.",
          way: (drawn) => [
            say`The dot products of the rows with x − b = ${drawn.x.map((value, i) => value - drawn.b[i])} are ${strengths(drawn)}.`,
            say`Keep the top ${drawn.k} and set what is negative to 0: ${kept(drawn)}.`,
          ],
        },
      },
    },
    {
      name: "unexplained", kind: "number", digits: 2,
      draw: (random, level) => {
        const x = random.rows(3 + level, 2, -3, 6);
        const drawn = { x, y: x.map((row) => row.map((value) => value + random.int(-1, 1))) };
        const whole = middle(drawn).every(Number.isInteger);
        const varied = [0, 1].every((j) => apart(drawn).some((row) => row[j]));
        return whole && varied && ratio(drawn, square) < 0.7 ? drawn : null;
      },
      right: (drawn) => ratio(drawn, square),
      mistakes: {
        zero: { value: (drawn) => sum(errors(drawn).map(square)) / sum(drawn.x.map(square)), read: "circuits#circuits-mistakes" },
        explained: { value: (drawn) => 1 - ratio(drawn, square), read: "circuits#circuits-mistakes" },
        lengths: { value: (drawn) => ratio(drawn, (row) => Math.sqrt(square(row))), read: "circuits#circuits-features" },
      },
      words: {
        ko: {
          title: "설명하지 못한 비율",
          ask: ({ x, y }) => say`벡터 ${x.length}개가 ${x}의 행이고, 희소 오토인코더가 되살린 것이 ${y}의 행입니다. 설명하지 못한 분산의 비율은 얼마입니까?`,
          zero: "0에서 잰 크기로 나누었습니다. 분모에서는 벡터들의 평균을 먼저 뺍니다.",
          explained: "설명한 비율입니다. 1에서 뺀 것을 물었습니다.",
          lengths: "제곱하지 않은 크기를 더했습니다. 크기의 제곱을 더합니다.",
          way: (drawn) => [
            say`되살린 것과의 차를 제곱해 모두 더하면 ${sum(errors(drawn).map(square))}입니다.`,
            say`벡터들의 평균은 ${middle(drawn)}이고, 평균과의 차를 제곱해 모두 더하면 ${sum(apart(drawn).map(square))}입니다.`,
            say`나누면 ${fixed(ratio(drawn, square), 2)}입니다.`,
          ],
        },
        en: {
          title: "The fraction of variance unexplained",
          ask: ({ x, y }) => say`The rows of ${x} are ${x.length} vectors, and the rows of ${y} are what a sparse autoencoder reconstructs from them. What fraction of the variance is unexplained?`,
          zero: "You divided by the size measured from 0. In the denominator, subtract the mean of the vectors first.",
          explained: "That is the fraction explained. Subtract it from 1.",
          lengths: "You summed the norms. Sum their squares.",
          way: (drawn) => [
            say`The squared differences from the reconstructions sum to ${sum(errors(drawn).map(square))}.`,
            say`The squared differences from the mean ${middle(drawn)} sum to ${sum(apart(drawn).map(square))}.`,
            say`Their ratio is ${fixed(ratio(drawn, square), 2)}.`,
          ],
        },
      },
    },
    {
      name: "random", kind: "number", digits: 2,
      draw: (random, level) => {
        const found = (level ? -1 : 1) * random.int(25, 50);
        const others = random.ints(level ? 11 : 9, -60, 60);
        return others.some((other) => Math.abs(other) === Math.abs(found)) ? null : { found: found / 100, others: others.map((other) => other / 100) };
      },
      right: (drawn) => (1 + large(drawn).length) / (1 + drawn.others.length),
      mistakes: {
        bare: { value: (drawn) => large(drawn).length / drawn.others.length, read: "circuits#circuits-control" },
        signed: { value: ({ found, others }) => (1 + others.filter((other) => other >= found).length) / (1 + others.length), read: "circuits#circuits-grading" },
        left: { value: (drawn) => large(drawn).length / (1 + drawn.others.length), read: "circuits#circuits-control" },
        smaller: { value: (drawn) => (1 + drawn.others.length - large(drawn).length) / (1 + drawn.others.length), read: "circuits#circuits-control" },
      },
      words: {
        ko: {
          title: "무작위 방향과 비교하기",
          ask: ({ found, others }) => say`특징의 방향을 뺐더니 답이 ${found}만큼 움직였습니다. 크기가 같은 무작위 방향 ${others.length}개에서는 ${others}만큼 움직였습니다. 부호를 보지 않는 p는 얼마입니까?`,
          bare: "1을 더하지 않았습니다. 특징 자신도 후보 하나로 셉니다.",
          signed: "부호까지 비교했습니다. 절댓값을 비교합니다.",
          left: "분모에서만 특징 자신을 셌습니다. 분자에도 1을 더합니다.",
          smaller: "더 작게 움직인 것을 셌습니다. 그만큼 또는 더 크게 움직인 것을 셉니다.",
          way: (drawn) => [
            say`크기가 ${Math.abs(drawn.found)} 이상인 것은 ${large(drawn).length}개입니다.`,
            say`p = (1 + ${large(drawn).length}) / (1 + ${drawn.others.length}) = ${fixed((1 + large(drawn).length) / (1 + drawn.others.length), 2)}입니다.`,
          ],
        },
        en: {
          title: "Against random directions",
          ask: ({ found, others }) => say`Ablating a feature’s direction moves the answer by ${found}. Ablating ${others.length} random directions of the same size moves it by ${others}. Ignoring signs, what is p?`,
          bare: "You did not add 1. The feature itself counts as one of the candidates.",
          signed: "You compared signs as well. Compare absolute values.",
          left: "You counted the feature only in the denominator. Add 1 to the numerator too.",
          smaller: "You counted the smaller effects. Count those at least as large.",
          way: (drawn) => [
            say`The number of effects of size ${Math.abs(drawn.found)} or more is ${large(drawn).length}.`,
            say`p = (1 + ${large(drawn).length}) / (1 + ${drawn.others.length}) = ${fixed((1 + large(drawn).length) / (1 + drawn.others.length), 2)}.`,
          ],
        },
      },
    },
  ];
}
