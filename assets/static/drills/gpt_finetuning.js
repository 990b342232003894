// Drills of the chapter on fine-tuning GPT.
"use strict";

{
  const { say, sum, softmax, fixed, range } = drillKit;

  courseDrills.gpt_finetuning = [
    {
      name: "entailment", kind: "vector",
      draw: (random, level) => {
        const ids = random.some(5 + level, range(30).map((i) => i + 10));
        return { premise: ids.slice(0, 2 + level), hypothesis: ids.slice(2 + level), start: 1, delimiter: 2, extract: 3 };
      },
      right: ({ premise, hypothesis, start, delimiter, extract }) => [start, ...premise, delimiter, ...hypothesis, extract],
      mistakes: {
        swapped: { value: ({ premise, hypothesis, start, delimiter, extract }) => [start, ...hypothesis, delimiter, ...premise, extract], read: "gpt_finetuning#gft-delimiter" },
        joined: { value: ({ premise, hypothesis, start, extract }) => [start, ...premise, ...hypothesis, extract], read: "gpt_finetuning#gft-delimiter" },
        open: { value: ({ premise, hypothesis, start, delimiter }) => [start, ...premise, delimiter, ...hypothesis], read: "gpt_finetuning#gft-extract" },
        early: { value: ({ premise, hypothesis, start, delimiter, extract }) => [extract, start, ...premise, delimiter, ...hypothesis], read: "gpt_finetuning#gft-extract" },
      },
      words: {
        ko: {
          title: "함의를 한 줄로",
          ask: ({ premise, hypothesis, start, delimiter, extract }) => say`전제가 ${premise}, 가설이 ${hypothesis}입니다. 시작은 ${start}, 구분은 ${delimiter}, 추출은 ${extract}번입니다. 함의(entailment)의 입력을 적으십시오.`,
          swapped: "가설을 앞에 두었습니다. 전제가 먼저입니다.",
          joined: "구분 토큰을 빠뜨렸습니다.",
          open: "추출 토큰을 빠뜨렸습니다. 거기서 답을 읽습니다.",
          early: "추출 토큰을 앞에 두었습니다. 왼쪽만 보는 모델은 맨 뒤에서 모두를 봅니다.",
          way: ({ premise, hypothesis, start, delimiter, extract }) => [
            say`차례는 시작, 전제, 구분, 가설, 추출입니다.`,
            say`이으면 ${[start, ...premise, delimiter, ...hypothesis, extract]}입니다.`,
          ],
        },
        en: {
          title: "An input for entailment",
          ask: ({ premise, hypothesis, start, delimiter, extract }) => say`The premise is ${premise}, the hypothesis ${hypothesis}. The start token is ${start}, the delimiter ${delimiter}, the extract token ${extract}. What is the input for entailment?`,
          swapped: "You put the hypothesis first. The premise comes first.",
          joined: "You left out the delimiter.",
          open: "You left out the extract token, which is where the answer is read.",
          early: "You put the extract token first. A model that looks only back sees everything only from the end.",
          way: ({ premise, hypothesis, start, delimiter, extract }) => [
            say`The order is start, premise, delimiter, hypothesis, extract.`,
            say`Joined: ${[start, ...premise, delimiter, ...hypothesis, extract]}.`,
          ],
        },
      },
    },
    {
      name: "lambda", kind: "number", digits: 2,
      draw: (random, level) => ({ clf: random.int(2, 20) / 10, lm: random.int(15, 60) / 10, lam: random.pick(level ? [0.15, 0.25, 0.35] : [0.1, 0.2, 0.4]) }),
      right: ({ clf, lm, lam }) => clf + lam * lm,
      mistakes: {
        shared: { value: ({ clf, lm, lam }) => (1 - lam) * clf + lam * lm, read: "gpt_finetuning#gft-lambda" },
        other: { value: ({ clf, lm, lam }) => lam * clf + lm, read: "gpt_finetuning#gft-lambda" },
        both: { value: ({ clf, lm, lam }) => lam * (clf + lm), read: "gpt_finetuning#gft-lambda" },
        plain: { value: ({ clf, lm }) => clf + lm, read: "gpt_finetuning#gft-lambda" },
      },
      words: {
        ko: {
          title: "두 손실을 합치기",
          ask: ({ clf, lm, lam }) => say`분류의 손실이 ${clf}, 언어 모델의 손실이 ${lm}이고 λ = ${lam}입니다. 파인튜닝의 손실은 얼마입니까?`,
          shared: "분류에 1 − λ를 곱했습니다. 분류의 손실은 그대로 둡니다.",
          other: "λ를 분류에 곱했습니다. 언어 모델의 손실에 곱합니다.",
          both: "둘 다에 λ를 곱했습니다.",
          plain: "λ를 곱하지 않았습니다.",
          way: ({ clf, lm, lam }) => [
            say`언어 모델의 손실에 λ를 곱합니다: ${lam}·${lm} = ${fixed(lam * lm, 2)}.`,
            say`분류의 손실을 더합니다: ${fixed(clf + lam * lm, 2)}.`,
          ],
        },
        en: {
          title: "Two losses in one",
          ask: ({ clf, lm, lam }) => say`The classification loss is ${clf}, the language-modelling loss ${lm}, and λ = ${lam}. What is the fine-tuning loss?`,
          shared: "You multiplied the classification loss by 1 − λ. It stays as it is.",
          other: "You multiplied the classification loss by λ. It is the language-modelling loss that λ multiplies.",
          both: "You multiplied both by λ.",
          plain: "You left out λ.",
          way: ({ clf, lm, lam }) => [
            say`The language-modelling loss times λ: ${lam}·${lm} = ${fixed(lam * lm, 2)}.`,
            say`Add the classification loss: ${fixed(clf + lam * lm, 2)}.`,
          ],
        },
      },
    },
    {
      name: "choices", kind: "number", digits: 2,
      draw: (random, level) => ({ scores: random.ints(3 + level, -2, 3), answer: random.int(0, 2) }),
      right: ({ scores, answer }) => -Math.log(softmax(scores)[answer]),
      mistakes: {
        probability: { value: ({ scores, answer }) => softmax(scores)[answer], read: "gpt_finetuning#gft-choices" },
        alone: { value: ({ scores, answer }) => Math.log(1 + Math.exp(-scores[answer])), read: "gpt_finetuning#gft-choices" },
        score: { value: ({ scores, answer }) => -scores[answer], read: "gpt_finetuning#gft-choices" },
        next: { value: ({ scores, answer }) => -Math.log(softmax(scores)[(answer + scores.length - 1) % scores.length]), read: "gpt_finetuning#gft-choices" },
      },
      words: {
        ko: {
          title: "여러 선택지",
          ask: ({ scores, answer }) => say`선택지마다 추출 토큰에서 읽은 점수가 ${scores}이고 정답은 ${answer}번(0부터 셉니다)입니다. 손실은 얼마입니까?`,
          probability: "확률입니다. −ln을 취해야 손실입니다.",
          alone: "정답의 점수에만 시그모이드를 썼습니다. 선택지끼리 소프트맥스를 취합니다.",
          score: "점수의 부호만 바꾸었습니다. 소프트맥스를 거칩니다.",
          next: "선택지를 1부터 셌습니다.",
          way: ({ scores, answer }) => [
            say`선택지의 점수에 소프트맥스를 취합니다: ${softmax(scores)}.`,
            say`정답의 확률에 −ln을 취합니다: ${fixed(-Math.log(softmax(scores)[answer]), 2)}.`,
          ],
        },
        en: {
          title: "Several choices",
          ask: ({ scores, answer }) => say`Read at their extract tokens, the choices have the scores ${scores}, and number ${answer} (counting from 0) is correct. What is the loss?`,
          probability: "That is the probability. The loss is −ln of it.",
          alone: "You took the sigmoid of the correct choice’s score. Take a softmax over the choices.",
          score: "You only flipped the sign of the score. It has to go through the softmax.",
          next: "You counted choices from 1.",
          way: ({ scores, answer }) => [
            say`The softmax over the choices’ scores: ${softmax(scores)}.`,
            say`−ln of the correct choice’s probability: ${fixed(-Math.log(softmax(scores)[answer]), 2)}.`,
          ],
        },
      },
    },
    {
      name: "label", kind: "vector", digits: 2,
      draw: (random, level) => {
        const tokens = () => random.ints(random.int(1, 2 + level), 5, 90).map((p) => p / 100);
        const [a, b] = [tokens(), tokens()];
        return a.length === b.length ? null : { a, b };
      },
      right: ({ a, b }) => [log(a) / a.length, log(b) / b.length],
      mistakes: {
        summed: { value: ({ a, b }) => [log(a), log(b)], read: "gpt_finetuning#gft-score" },
        product: { value: ({ a, b }) => [Math.exp(log(a)), Math.exp(log(b))], read: "gpt_finetuning#gft-score" },
        averaged: { value: ({ a, b }) => [Math.log(sum(a) / a.length), Math.log(sum(b) / b.length)], read: "gpt_finetuning#gft-score" },
        first: { value: ({ a, b }) => [Math.log(a[0]), Math.log(b[0])], read: "gpt_finetuning#gft-score" },
      },
      words: {
        ko: {
          title: "길이가 다른 라벨",
          ask: ({ a, b }) => say`프롬프트 다음에 라벨 A의 토큰이 올 확률이 차례로 ${a}, 라벨 B는 ${b}입니다. 토큰마다 평균한 로그 확률로 매긴 A와 B의 점수를 차례로 적으십시오.`,
          summed: "더하기만 했습니다. 긴 라벨이 손해를 봅니다.",
          product: "로그를 취하지 않은 확률의 곱입니다.",
          averaged: "확률을 평균하고 로그를 취했습니다. 로그를 먼저 취합니다.",
          first: "첫 토큰만 보았습니다.",
          way: ({ a, b }) => [
            say`ln을 취합니다: A는 ${a.map(Math.log)}, B는 ${b.map(Math.log)}.`,
            say`저마다 평균합니다: ${[log(a) / a.length, log(b) / b.length]}.`,
          ],
        },
        en: {
          title: "Labels of different lengths",
          ask: ({ a, b }) => say`After a prompt, the tokens of label A have the probabilities ${a}, those of label B ${b}. Score each label by its mean log-probability per token, A first.`,
          summed: "You only added up. That puts the longer label at a disadvantage.",
          product: "That is the product of the probabilities, without the logarithm.",
          averaged: "You averaged the probabilities and then took the logarithm. Take the logarithm first.",
          first: "You looked only at the first token.",
          way: ({ a, b }) => [
            say`Take ln: A gives ${a.map(Math.log)}, B ${b.map(Math.log)}.`,
            say`Average each: ${[log(a) / a.length, log(b) / b.length]}.`,
          ],
        },
      },
    },
  ];

  function log(probabilities) {
    return sum(probabilities.map(Math.log));
  }
}
