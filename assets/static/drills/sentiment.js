// Drills of the chapter on sentiment.
"use strict";

{
  const { say, sum, dot, fixed, range } = drillKit;
  const sigmoid = (z) => 1 / (1 + Math.exp(-z));
  const bce = (y, p) => -(y * Math.log(p) + (1 - y) * Math.log(1 - p));

  courseDrills.sentiment = [
    {
      name: "sigmoid", kind: "number", digits: 2,
      draw: (random, level) => ({ h: random.ints(2 + level, -2, 2), w: random.ints(2 + level, -2, 2).map((value) => value / 2), b: random.pick([-1, -0.5, 0.5, 1]) }),
      right: ({ h, w, b }) => sigmoid(dot(h, w) + b),
      mistakes: {
        logit: { value: ({ h, w, b }) => dot(h, w) + b, read: "sentiment#sigmoid" },
        bias: { value: ({ h, w }) => sigmoid(dot(h, w)), read: "sentiment#cls-head" },
        twice: { value: ({ h, w, b }) => sigmoid(sigmoid(dot(h, w) + b)), read: "sentiment#sigmoid-twice" },
        negative: { value: ({ h, w, b }) => sigmoid(-dot(h, w) - b), read: "sentiment#sigmoid" },
      },
      words: {
        ko: {
          title: "긍정일 확률",
          ask: ({ h, w, b }) => say`[CLS]의 벡터가 ${h}, 분류기의 가중치가 ${w}, 편향이 ${b}입니다. 긍정일 확률은 얼마입니까?`,
          logit: "로짓을 적었습니다. 시그모이드를 지나야 확률입니다.",
          bias: "편향을 더하지 않았습니다.",
          twice: "시그모이드를 두 번 취했습니다. 확률이 0.5와 0.73 사이에 갇힙니다.",
          negative: "부정일 확률입니다. 지수의 부호가 반대입니다.",
          way: ({ h, w, b }) => [
            say`로짓은 내적에 편향을 더한 ${dot(h, w) + b}입니다.`,
            say`1/(1 + exp(−로짓)) = ${fixed(sigmoid(dot(h, w) + b), 2)}입니다.`,
          ],
        },
        en: {
          title: "The probability of positive",
          ask: ({ h, w, b }) => say`The vector of [CLS] is ${h}; the classifier has weights ${w} and bias ${b}. What is the probability that the sentence is positive?`,
          logit: "That is the logit. The sigmoid turns it into a probability.",
          bias: "You did not add the bias.",
          twice: "You took the sigmoid twice. That confines the probability to between 0.5 and 0.73.",
          negative: "That is the probability of negative. The sign in the exponent is flipped.",
          way: ({ h, w, b }) => [
            say`The logit, dot product plus bias, is ${dot(h, w) + b}.`,
            say`1/(1 + exp(−logit)) = ${fixed(sigmoid(dot(h, w) + b), 2)}.`,
          ],
        },
      },
    },
    {
      name: "loss", kind: "number", digits: 2,
      draw: (random, level) => {
        const y = random.ints(2 + level, 0, 1);
        return new Set(y).size === 2 ? { y, p: random.ints(2 + level, 5, 95).map((value) => value / 100) } : null;
      },
      right: ({ y, p }) => sum(y.map((label, i) => bce(label, p[i]))),
      mistakes: {
        averaged: { value: ({ y, p }) => sum(y.map((label, i) => bce(label, p[i]))) / y.length, read: "sentiment#binary-cross-entropy" },
        positive: { value: ({ y, p }) => sum(y.map((label, i) => -label * Math.log(p[i]))), read: "sentiment#binary-cross-entropy" },
        flipped: { value: ({ y, p }) => sum(y.map((label, i) => bce(1 - label, p[i]))), read: "sentiment#binary-cross-entropy" },
        same: { value: ({ p }) => sum(p.map((value) => -Math.log(value))), read: "sentiment#binary-cross-entropy" },
      },
      words: {
        ko: {
          title: "이진 교차 엔트로피",
          ask: ({ y, p }) => say`라벨이 ${y}이고(1이 긍정), 모델이 본 긍정일 확률이 ${p}입니다. 이진 교차 엔트로피의 **합**은 얼마입니까?`,
          averaged: "평균했습니다. 물은 것은 합입니다.",
          positive: "긍정인 문장만 셌습니다. 부정인 문장의 몫은 −ln(1 − p)입니다.",
          flipped: "라벨을 거꾸로 보았습니다.",
          same: "부정인 문장에도 −ln p를 썼습니다. 부정은 1 − p입니다.",
          way: ({ y, p }) => [
            say`긍정은 −ln p, 부정은 −ln(1 − p)입니다: ${y.map((label, i) => bce(label, p[i]))}.`,
            say`더하면 ${fixed(sum(y.map((label, i) => bce(label, p[i]))), 2)}입니다.`,
          ],
        },
        en: {
          title: "Binary cross-entropy",
          ask: ({ y, p }) => say`The labels are ${y} (1 is positive), and the model’s probabilities of positive are ${p}. What is the **sum** of the binary cross-entropies?`,
          averaged: "You averaged. The question asks for the sum.",
          positive: "You counted only the positive sentences. A negative one contributes −ln(1 − p).",
          flipped: "You read the labels the wrong way round.",
          same: "You used −ln p for negative sentences, too. Theirs is 1 − p.",
          way: ({ y, p }) => [
            say`A positive sentence gives −ln p, a negative one −ln(1 − p): ${y.map((label, i) => bce(label, p[i]))}.`,
            say`In all ${fixed(sum(y.map((label, i) => bce(label, p[i]))), 2)}.`,
          ],
        },
      },
    },
    {
      name: "tensor", kind: "shape",
      draw: (random, level) => ({ lengths: random.some(2 + 2 * level, range(9).map((i) => i + 3)), limit: 14 }),
      right: ({ lengths }) => [lengths.length, 3, Math.max(...lengths) + 2],
      mistakes: {
        special: { value: ({ lengths }) => [lengths.length, 3, Math.max(...lengths)], read: "sentiment#tensor-x" },
        longest: { value: ({ lengths, limit }) => [lengths.length, 3, limit], read: "sentiment#batch-padding" },
        stacked: { value: ({ lengths }) => [3, lengths.length, Math.max(...lengths) + 2], read: "sentiment#tensor-x" },
        ids: { value: ({ lengths }) => [lengths.length, Math.max(...lengths) + 2], read: "sentiment#tensor-x" },
      },
      words: {
        ko: {
          title: "입력 텐서의 모양",
          ask: ({ lengths, limit }) => say`토큰이 ${lengths}개인 문장들로 텐서 X를 만듭니다. [CLS]와 [SEP]가 붙고, 배치에서 가장 긴 것에 맞추어 채우며, 모델은 ${limit}개까지 받습니다. X의 모양은 무엇입니까?`,
          special: "[CLS]와 [SEP]의 자리를 빠뜨렸습니다.",
          longest: "모델의 한도까지 채웠습니다. 배치에서 가장 긴 문장까지면 됩니다.",
          stacked: "첫 축이 문장입니다. 문장마다 세 줄이 있습니다.",
          ids: "번호만 담았습니다. 토큰 번호, 세그먼트, 어텐션 마스크의 세 줄입니다.",
          way: ({ lengths }) => [
            say`가장 긴 문장은 [CLS]와 [SEP]까지 ${Math.max(...lengths)} + 2 = ${Math.max(...lengths) + 2}입니다.`,
            say`문장 ${lengths.length}개, 줄 3개: ${[lengths.length, 3, Math.max(...lengths) + 2]}.`,
          ],
        },
        en: {
          title: "The shape of the input",
          ask: ({ lengths, limit }) => say`Sentences of ${lengths} tokens become the tensor X: [CLS] and [SEP] are added, and all are padded to the longest in the batch. The model takes at most ${limit} tokens. What is the shape of X?`,
          special: "You left no room for [CLS] and [SEP].",
          longest: "You padded to the model’s limit. The longest in the batch is enough.",
          stacked: "The first axis is the sentences. Each has three rows.",
          ids: "You included only the ids. There are three rows: ids, segments and attention mask.",
          way: ({ lengths }) => [
            say`With [CLS] and [SEP], the longest sentence has ${Math.max(...lengths)} + 2 = ${Math.max(...lengths) + 2}.`,
            say`${lengths.length} sentences, 3 rows: ${[lengths.length, 3, Math.max(...lengths) + 2]}.`,
          ],
        },
      },
    },
  ];
}
