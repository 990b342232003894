// Drills of the chapter on BERT's pretraining.
"use strict";

{
  const { say, sum, fixed, range } = drillKit;
  const MASK = 4;

  courseDrills.bert_pretraining = [
    {
      name: "counts", kind: "vector",
      draw: (random, level) => ({ n: 200 * random.int(1, 9), rate: level ? random.pick([20, 30]) : 15 }),
      right: ({ n, rate }) => [0.8, 0.1, 0.1].map((part) => Math.round((n * rate * part)) / 100),
      mistakes: {
        all: { value: ({ n }) => [0.8, 0.1, 0.1].map((part) => n * part), read: "bert_pretraining#mlm-choose" },
        masked: { value: ({ n, rate }) => [(n * rate) / 100, 0, 0], read: "bert_pretraining#mlm-fates" },
        thirds: { value: ({ n, rate }) => [1, 1, 1].map((part) => (n * rate * part) / 300), read: "bert_pretraining#mlm-fates" },
        percent: { value: () => [80, 10, 10], read: "bert_pretraining#mlm-fates" },
      },
      words: {
        ko: {
          title: "고르는 토큰의 수",
          ask: ({ n, rate }) => say`특수 토큰을 뺀 토큰이 ${n}개입니다. ${rate}%를 고르면 [MASK]가 되는 것, 무작위 토큰이 되는 것, 그대로 두는 것은 평균 몇 개씩입니까?`,
          all: "모든 토큰을 80, 10, 10으로 나누었습니다. 먼저 고르고, 고른 것을 나눕니다.",
          masked: "고른 것을 모두 [MASK]로 바꾸었습니다.",
          thirds: "고른 것을 셋으로 고르게 나누었습니다.",
          percent: "비율을 적었습니다. 물은 것은 개수입니다.",
          way: ({ n, rate }) => [
            say`고른 토큰은 ${n}·${rate}% = ${(n * rate) / 100}개입니다.`,
            say`그 80%, 10%, 10%는 ${[0.8, 0.1, 0.1].map((part) => Math.round(n * rate * part) / 100)}개입니다.`,
          ],
        },
        en: {
          title: "How many tokens are chosen",
          ask: ({ n, rate }) => say`Not counting special tokens there are ${n}, of which ${rate}% are chosen. On average, how many become [MASK], how many become a random token, and how many stay as they are?`,
          all: "You split all the tokens 80, 10, 10. Choose first, then split the chosen ones.",
          masked: "You turned all the chosen tokens into [MASK].",
          thirds: "You split the chosen tokens evenly.",
          percent: "Those are the shares. The question asks how many.",
          way: ({ n, rate }) => [
            say`${rate}% of ${n} makes ${(n * rate) / 100} chosen tokens.`,
            say`80%, 10% and 10% of them are ${[0.8, 0.1, 0.1].map((part) => Math.round(n * rate * part) / 100)}.`,
          ],
        },
      },
    },
    {
      name: "labels", kind: "vector",
      draw: (random, level) => {
        const n = 4 + level;
        const fates = random.shuffle(["mask", "random", ...range(n - 2).map(() => random.pick(["", "", "same"]))]);
        return fates.some((fate) => !fate) ? { ids: random.some(n, range(40).map((i) => i + 10)), fates, drawn: random.int(60, 90) } : null;
      },
      right: ({ ids, fates }) => ids.map((id, i) => (fates[i] ? id : -100)),
      mistakes: {
        masks: { value: ({ ids, fates }) => ids.map((id, i) => (fates[i] === "mask" ? id : -100)), read: "bert_pretraining#mlm-labels" },
        zeros: { value: ({ ids, fates }) => ids.map((id, i) => (fates[i] ? id : 0)), read: "bert_pretraining#mlm-labels" },
        inputs: { value: ({ ids, fates, drawn }) => seen(ids, fates, drawn), read: "bert_pretraining#mlm-labels" },
        everything: { value: ({ ids }) => ids, read: "bert_pretraining#mlm-labels" },
      },
      words: {
        ko: {
          title: "무엇을 맞히는가",
          ask: ({ ids, fates, drawn }) => say`문장이 ${ids}입니다. 고른 자리는 ${chosen(fates)}(0부터 셉니다), 만든 입력은 ${seen(ids, fates, drawn)}입니다. [MASK]는 ${MASK}입니다. 라벨을 적으십시오. 맞히지 않는 자리는 −100입니다.`,
          masks: "[MASK]가 된 자리만 맞힙니다. 고른 자리는 바뀌지 않았어도 모두 맞힙니다.",
          zeros: "맞히지 않는 자리에 0을 적었습니다. 0은 토큰의 번호이므로 −100을 씁니다.",
          inputs: "입력을 적었습니다. 라벨은 원래 토큰입니다.",
          everything: "모든 자리를 맞히게 했습니다. 고른 자리만입니다.",
          way: ({ ids, fates }) => [
            say`고른 자리는 ${chosen(fates)}입니다. [MASK]가 되었든 무작위 토큰이 되었든 그대로이든 상관없습니다.`,
            say`그 자리에 원래 토큰을, 나머지에 −100을 적습니다: ${ids.map((id, i) => (fates[i] ? id : -100))}.`,
          ],
        },
        en: {
          title: "What has to be predicted",
          ask: ({ ids, fates, drawn }) => say`A sentence has the ids ${ids}. Positions ${chosen(fates)} (counting from 0) are chosen, and the input becomes ${seen(ids, fates, drawn)}, where [MASK] is ${MASK}. What are the labels? Write −100 where nothing is to be predicted.`,
          masks: "You labelled only the positions that became [MASK]. Every chosen position has a label, even an unchanged one.",
          zeros: "You wrote 0 where nothing is to be predicted. But 0 is some token’s id, so it has to be −100.",
          inputs: "That is the input. Labels are the original tokens.",
          everything: "You labelled every position. Only the chosen ones are to be predicted.",
          way: ({ ids, fates }) => [
            say`The chosen positions are ${chosen(fates)}, whether they became [MASK], became a random token or stayed as they were.`,
            say`Write the original token there and −100 elsewhere: ${ids.map((id, i) => (fates[i] ? id : -100))}.`,
          ],
        },
      },
    },
    {
      name: "loss", kind: "number", digits: 2,
      draw: (random, level) => {
        const n = 4 + level;
        return { p: random.ints(n, 5, 90).map((value) => value / 100), picked: random.some(2, range(n)).sort(), nsp: random.ints(2, 20, 95).map((value) => value / 100) };
      },
      right: ({ p, picked, nsp }) => mlm(p, picked) + mean(nsp),
      mistakes: {
        every: { value: ({ p, nsp }) => mlm(p, range(p.length)) + mean(nsp), read: "bert_pretraining#mlm-labels" },
        half: { value: ({ p, picked, nsp }) => (mlm(p, picked) + mean(nsp)) / 2, read: "bert_pretraining#pretraining-sum" },
        alone: { value: ({ p, picked }) => mlm(p, picked), read: "bert_pretraining#pretraining-sum" },
        summed: { value: ({ p, picked, nsp }) => 2 * (mlm(p, picked) + mean(nsp)), read: "bert_pretraining#pretraining-sum" },
      },
      words: {
        ko: {
          title: "사전학습의 손실",
          ask: ({ p, picked, nsp }) => say`자리마다 원래 토큰에 준 확률이 ${p}이고, 고른 자리는 ${picked}(0부터 셉니다)입니다. 문장 쌍 둘에서 다음 문장인지 바르게 답할 확률은 ${nsp}입니다. 사전학습의 손실은 얼마입니까?`,
          every: "고르지 않은 자리까지 평균했습니다.",
          half: "두 손실을 평균했습니다. 더합니다.",
          alone: "다음 문장 예측의 손실을 빠뜨렸습니다.",
          summed: "저마다 평균하지 않고 더했습니다.",
          way: ({ p, picked, nsp }) => [
            say`고른 자리의 −ln p의 평균은 ${mlm(p, picked)}입니다.`,
            say`다음 문장 예측의 평균은 ${mean(nsp)}입니다. 더하면 ${fixed(mlm(p, picked) + mean(nsp), 2)}입니다.`,
          ],
        },
        en: {
          title: "The pretraining loss",
          ask: ({ p, picked, nsp }) => say`The model gave the original tokens the probabilities ${p}, and positions ${picked} (counting from 0) were chosen. For two pairs of sentences, it gave ${nsp} to the correct answer to whether one follows the other. What is the pretraining loss?`,
          every: "You averaged in positions that were not chosen.",
          half: "You averaged the two losses. They are added.",
          alone: "You left out the loss of next sentence prediction.",
          summed: "You summed each loss instead of averaging it. Average each one, then add the two.",
          way: ({ p, picked, nsp }) => [
            say`The mean of −ln p over the chosen places is ${mlm(p, picked)}.`,
            say`Add the mean loss of next sentence prediction, ${mean(nsp)}: ${fixed(mlm(p, picked) + mean(nsp), 2)}.`,
          ],
        },
      },
    },
  ];

  function chosen(fates) {
    return range(fates.length).filter((i) => fates[i]).join(", ");
  }

  // The input that the model gets
  function seen(ids, fates, drawn) {
    return ids.map((id, i) => ({ mask: MASK, random: drawn })[fates[i]] ?? id);
  }

  function mean(probabilities) {
    return sum(probabilities.map((p) => -Math.log(p))) / probabilities.length;
  }

  function mlm(p, picked) {
    return mean(picked.map((i) => p[i]));
  }
}
