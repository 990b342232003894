// Drills of the chapter on training.
"use strict";

{
  const { say, sum, dot, fixed, range } = drillKit;
  const rate = ({ step, d, warmup }) => 1000 * d ** -0.5 * Math.min(step ** -0.5, step * warmup ** -1.5);

  courseDrills.training = [
    {
      name: "cross-entropy", kind: "number", digits: 2,
      draw: (random, level) => ({ probabilities: random.ints(2 + level, 5, 90).map((p) => p / 100) }),
      right: ({ probabilities }) => sum(probabilities.map((p) => -Math.log(p))) / probabilities.length,
      mistakes: {
        bits: { value: ({ probabilities }) => sum(probabilities.map((p) => -Math.log2(p))) / probabilities.length, read: "training#training-cross-entropy" },
        tens: { value: ({ probabilities }) => sum(probabilities.map((p) => -Math.log10(p))) / probabilities.length, read: "training#training-cross-entropy" },
        missing: { value: ({ probabilities }) => sum(probabilities.map((p) => 1 - p)) / probabilities.length, read: "training#training-cross-entropy" },
        before: { value: ({ probabilities }) => -Math.log(sum(probabilities) / probabilities.length), read: "training#training-cross-entropy" },
        summed: { value: ({ probabilities }) => sum(probabilities.map((p) => -Math.log(p))), read: "training#training-cross-entropy" },
      },
      words: {
        ko: {
          title: "교차 엔트로피",
          ask: ({ probabilities }) => say`모델이 정답 토큰에 준 확률이 차례로 ${probabilities}입니다. 교차 엔트로피, 곧 −ln p의 평균은 얼마입니까?`,
          bits: "밑이 2인 로그를 썼습니다. 이 책의 손실은 자연로그입니다.",
          tens: "밑이 10인 로그를 썼습니다. 계산기의 ln을 누릅니다.",
          missing: "1에서 확률을 뺐습니다. 그것은 교차 엔트로피가 아닙니다.",
          before: "확률을 먼저 평균하고 로그를 취했습니다. 차례가 반대입니다.",
          summed: "더하기만 했습니다. 토큰의 수로 나눕니다.",
          way: ({ probabilities }) => [
            say`토큰마다 −ln p를 구합니다: ${probabilities.map((p) => -Math.log(p))}.`,
            say`평균은 ${fixed(sum(probabilities.map((p) => -Math.log(p))) / probabilities.length, 2)}입니다.`,
          ],
        },
        en: {
          title: "Cross-entropy",
          ask: ({ probabilities }) => say`A model gave the correct tokens the probabilities ${probabilities}. What is the cross-entropy, the mean of −ln p?`,
          bits: "You took the logarithm to base 2. This book’s loss uses the natural logarithm.",
          tens: "You took the logarithm to base 10. Use ln.",
          missing: "You subtracted the probabilities from 1. That is not cross-entropy.",
          before: "You averaged the probabilities and then took the logarithm. It is the other way round.",
          summed: "You only added up. Divide by the number of tokens.",
          way: ({ probabilities }) => [
            say`−ln p of each token: ${probabilities.map((p) => -Math.log(p))}.`,
            say`Their mean is ${fixed(sum(probabilities.map((p) => -Math.log(p))) / probabilities.length, 2)}.`,
          ],
        },
      },
    },
    {
      name: "noam", kind: "number", digits: 2,
      draw: (random, level) => ({
        step: random.pick(level ? [1000, 2000, 8000, 16000, 40000] : [100, 200, 500, 1600, 2500]),
        d: random.pick([64, 256, 512]), warmup: random.pick(level ? [4000] : [400, 1000]),
      }),
      right: rate,
      mistakes: {
        largest: { value: ({ step, d, warmup }) => 1000 * d ** -0.5 * Math.max(step ** -0.5, step * warmup ** -1.5), read: "training#noam-schedule" },
        dimension: { value: ({ step, warmup }) => 1000 * Math.min(step ** -0.5, step * warmup ** -1.5), read: "training#noam-schedule" },
        unrooted: { value: (drawn) => rate(drawn) / Math.sqrt(drawn.d), read: "training#noam-schedule" },
        peak: { value: ({ d, warmup }) => 1000 * (d * warmup) ** -0.5, read: "training#noam-schedule" },
      },
      words: {
        ko: {
          title: "올렸다가 내리는 학습률",
          ask: ({ step, d, warmup }) => say`학습률이 d^{−0.5}·min(step^{−0.5}, step·warmup^{−1.5})입니다. d = ${d}, warmup = ${warmup}일 때 ${step}번째 걸음의 학습률에 1,000을 곱한 값은 얼마입니까?`,
          largest: "둘 가운데 큰 것을 골랐습니다. 작은 것을 씁니다.",
          dimension: "d^{−0.5}을 곱하지 않았습니다.",
          unrooted: "d로 나누었습니다. d의 제곱근으로 나눕니다.",
          peak: "가장 높은 때의 학습률입니다. 그때는 걸음이 warmup과 같습니다.",
          way: (drawn) => [
            say`step^{−0.5} = ${drawn.step ** -0.5}, step·warmup^{−1.5} = ${drawn.step * drawn.warmup ** -1.5}. 작은 것을 고릅니다.`,
            say`d^{−0.5} = ${drawn.d ** -0.5}. 이 수와 1,000을 곱합니다: ${fixed(rate(drawn), 2)}.`,
          ],
        },
        en: {
          title: "A learning rate that rises and falls",
          ask: ({ step, d, warmup }) => say`The learning rate is d^{−0.5}·min(step^{−0.5}, step·warmup^{−1.5}). For d = ${d} and warmup = ${warmup}, what is it at step ${step}, times 1,000?`,
          largest: "You took the larger of the two. Take the smaller.",
          dimension: "You did not multiply by d^{−0.5}.",
          unrooted: "You divided by d. Divide by the root of d.",
          peak: "That is the rate at its peak, where the step equals the warm-up.",
          way: (drawn) => [
            say`step^{−0.5} = ${drawn.step ** -0.5} and step·warmup^{−1.5} = ${drawn.step * drawn.warmup ** -1.5}. Take the smaller.`,
            say`Times d^{−0.5} = ${drawn.d ** -0.5} and 1,000: ${fixed(rate(drawn), 2)}.`,
          ],
        },
      },
    },
    {
      name: "smoothing", kind: "vector", digits: 3,
      draw: (random, level) => {
        const V = 4 + level;
        return { V, epsilon: random.pick([0.1, 0.2, 0.3, 0.4]), at: random.int(0, V - 1) };
      },
      right: ({ V, epsilon, at }) => range(V).map((j) => epsilon / V + (j === at ? 1 - epsilon : 0)),
      mistakes: {
        others: { value: ({ V, epsilon, at }) => range(V).map((j) => (j === at ? 1 - epsilon : epsilon / (V - 1))), read: "training#smoothing-conventions" },
        short: { value: ({ V, epsilon, at }) => range(V).map((j) => (j === at ? 1 - epsilon : epsilon / V)), read: "training#smoothing-the-target" },
        hard: { value: ({ V, at }) => range(V).map((j) => (j === at ? 1 : 0)), read: "training#smoothing-the-target" },
        each: { value: ({ V, epsilon, at }) => range(V).map((j) => (j === at ? 1 - epsilon * (V - 1) : epsilon)), read: "training#smoothing-conventions" },
      },
      words: {
        ko: {
          title: "무디게 한 정답",
          ask: ({ V, epsilon, at }) => say`단어가 ${V}개이고 정답이 ${at}번(0부터 셉니다)입니다. PyTorch의 약속대로 라벨 스무딩(ε = ${epsilon})을 하면 정답의 분포는 무엇입니까?`,
          others: "ε을 나머지 단어에만 나누었습니다. PyTorch는 정답까지 모든 단어에 나눕니다.",
          short: "합이 1이 아닙니다. 정답도 ε/V를 받습니다.",
          hard: "스무딩하지 않은 정답입니다.",
          each: "나머지 단어에 ε을 하나씩 주었습니다. ε을 나누어 줍니다.",
          way: ({ V, epsilon, at }) => [
            say`모든 단어가 ε/V = ${fixed(epsilon / V, 3)}만큼 받습니다.`,
            say`정답은 1 − ε = ${1 - epsilon}만큼 더 받습니다: ${range(V).map((j) => epsilon / V + (j === at ? 1 - epsilon : 0))}.`,
          ],
        },
        en: {
          title: "A smoothed target",
          ask: ({ V, epsilon, at }) => say`There are ${V} words, and number ${at} (counting from 0) is correct. With label smoothing ε = ${epsilon} in PyTorch’s convention, what is the target distribution?`,
          others: "You shared ε among the other words only. PyTorch shares it among all of them, the correct one included.",
          short: "Yours does not add up to 1. The correct word gets ε/V, too.",
          hard: "That is the target without smoothing.",
          each: "You gave ε to each of the other words. They share it.",
          way: ({ V, epsilon, at }) => [
            say`Every word gets ε/V = ${epsilon / V}.`,
            say`The correct one gets 1 − ε = ${1 - epsilon} more: ${range(V).map((j) => epsilon / V + (j === at ? 1 - epsilon : 0))}.`,
          ],
        },
      },
    },
    {
      name: "accumulate", kind: "number", digits: 2,
      draw: (random, level) => ({ sums: random.ints(2 + level, 4, 30), counts: random.ints(2 + level, 2, 9) }),
      right: ({ sums, counts }) => sum(sums) / sum(counts),
      mistakes: {
        means: { value: ({ sums, counts }) => sum(sums.map((total, i) => total / counts[i])) / sums.length, read: "training#mean-of-means" },
        added: { value: ({ sums, counts }) => sum(sums.map((total, i) => total / counts[i])), read: "training#mean-of-means" },
        batches: { value: ({ sums }) => sum(sums) / sums.length, read: "training#mean-of-means" },
        summed: { value: ({ sums }) => sum(sums), read: "training#mean-of-means" },
      },
      words: {
        ko: {
          title: "나누어 모은 손실",
          ask: ({ sums, counts }) => say`작은 배치마다 손실의 합이 ${sums}, 진짜 토큰의 수가 ${counts}입니다. 한 배치로 계산한 것과 같은 평균 손실은 얼마입니까?`,
          means: "평균을 평균했습니다. 토큰이 적은 배치의 토큰이 더 큰 몫을 가집니다.",
          added: "배치마다의 평균을 더했습니다.",
          batches: "토큰이 아니라 배치의 수로 나누었습니다.",
          summed: "더하기만 했습니다.",
          way: ({ sums, counts }) => [
            say`손실은 모두 ${sum(sums)}, 토큰은 모두 ${sum(counts)}개입니다.`,
            say`${sum(sums)}/${sum(counts)} = ${fixed(sum(sums) / sum(counts), 2)}입니다.`,
          ],
        },
        en: {
          title: "A loss in portions",
          ask: ({ sums, counts }) => say`Small batches have the summed losses ${sums} and ${counts} real tokens. Which mean loss equals that of one big batch?`,
          means: "You averaged the means. That gives tokens in short batches more weight.",
          added: "You added up the means of the batches.",
          batches: "You divided by the number of batches, not of tokens.",
          summed: "You only added up.",
          way: ({ sums, counts }) => [
            say`The losses add up to ${sum(sums)} and the tokens to ${sum(counts)}.`,
            say`${sum(sums)}/${sum(counts)} = ${fixed(sum(sums) / sum(counts), 2)}.`,
          ],
        },
      },
    },
    {
      name: "clip", kind: "vector", digits: 2,
      draw: (random, level) => {
        const gradient = random.pick(level ? [[2, -3, 6], [1, 2, -2], [4, -4, 7]] : [[3, -4], [6, 8], [-5, 12]]).map((value) => value * random.int(1, 2));
        return { gradient: random.shuffle(gradient), limit: random.int(1, 2) };
      },
      right: ({ gradient, limit }) => gradient.map((value) => (value * limit) / Math.sqrt(dot(gradient, gradient))),
      mistakes: {
        parts: { value: ({ gradient, limit }) => gradient.map((value) => Math.min(Math.max(value, -limit), limit)), read: "training#training-clipping" },
        unit: { value: ({ gradient, limit }) => (limit === 1 ? null : gradient.map((value) => value / Math.sqrt(dot(gradient, gradient)))), read: "training#training-clipping" },
        squared: { value: ({ gradient, limit }) => gradient.map((value) => (value * limit) / dot(gradient, gradient)), read: "training#training-clipping" },
        whole: { value: ({ gradient }) => gradient, read: "training#training-clipping" },
      },
      words: {
        ko: {
          title: "기울기 자르기",
          ask: ({ gradient, limit }) => say`기울기가 ${gradient}입니다. 크기의 한도를 ${limit}로 두고 자르면(\`clip_grad_norm_\`) 무엇이 됩니까?`,
          parts: "성분마다 잘랐습니다. 방향이 바뀝니다.",
          unit: "크기를 1로 맞추었습니다.",
          squared: "크기의 제곱으로 나누었습니다.",
          whole: "자르지 않았습니다. 크기가 한도보다 큽니다.",
          way: ({ gradient, limit }) => [
            say`크기는 √${dot(gradient, gradient)} = ${Math.sqrt(dot(gradient, gradient))}입니다.`,
            say`모든 성분에 ${limit}/${Math.sqrt(dot(gradient, gradient))}만큼 곱합니다: ${gradient.map((value) => (value * limit) / Math.sqrt(dot(gradient, gradient)))}.`,
          ],
        },
        en: {
          title: "Clipping a gradient",
          ask: ({ gradient, limit }) => say`A gradient is ${gradient}. What is left of it after clipping its norm to ${limit}?`,
          parts: "You clipped each component. That changes the direction.",
          unit: "You scaled the norm to 1.",
          squared: "You divided by the norm squared.",
          whole: "You clipped nothing. The norm is above the limit.",
          way: ({ gradient, limit }) => [
            say`The norm is √${dot(gradient, gradient)} = ${Math.sqrt(dot(gradient, gradient))}.`,
            say`Multiply each component by ${limit}/${Math.sqrt(dot(gradient, gradient))}: ${gradient.map((value) => (value * limit) / Math.sqrt(dot(gradient, gradient)))}.`,
          ],
        },
      },
    },
  ];
}
