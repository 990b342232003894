// Drills of the chapter on models that learn to reason.
"use strict";

{
  const { say, sum, share, fixed, range } = drillKit;
  const mean = (values) => sum(values) / values.length;
  const deviation = (values) => Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)));
  const centred = (values) => values.map((value) => value - mean(values));
  const over = (values, divisor) => values.map((value) => value / divisor);
  const clip = (ratio) => Math.min(Math.max(ratio, 0.8), 1.2);
  const least = ({ A, ratios }) => mean(ratios.map((ratio) => Math.min(ratio * A, clip(ratio) * A)));
  const unlike = (value, right) => (Math.abs(value - right) < 1e-9 ? null : value);
  const k3 = (d) => Math.exp(d) - d - 1;
  const choose = (n, k) => range(k).reduce((product, i) => (product * (n - i)) / (i + 1), 1);
  const passed = ({ n, c, k }) => 1 - choose(n - c, k) / choose(n, k);

  courseDrills.reasoning = [
    {
      name: "gradient", kind: "vector", digits: 2,
      draw: (random, level) => {
        const p = share(random.pick(level ? [[5, 3, 2], [6, 3, 1], [2, 7, 1]] : [[8, 2], [7, 3], [1, 9]]));
        return { p, drawn: random.int(1, p.length), R: random.int(1, 4), b: random.pick([0.5, 1.5, 2.5]) };
      },
      right: ({ p, drawn, R, b }) => p.map((value, i) => (R - b) * ((i === drawn - 1) - value)),
      mistakes: {
        baseline: { value: ({ p, drawn, R }) => p.map((value, i) => R * ((i === drawn - 1) - value)), read: "reasoning#reason-baseline" },
        turned: { value: ({ p, drawn, R, b }) => p.map((value, i) => (R - b) * (value - (i === drawn - 1))), read: "reasoning#reason-gradient" },
        probability: { value: ({ p, drawn, R, b }) => p.map((value, i) => (R - b) * p[drawn - 1] * ((i === drawn - 1) - value)), read: "reasoning#reason-gradient" },
        alone: { value: ({ p, drawn, R, b }) => p.map((_, i) => (R - b) * (i === drawn - 1)), read: "reasoning#reason-gradient" },
      },
      words: {
        ko: {
          title: "글 하나의 기울기",
          ask: ({ p, drawn, R, b }) => say`토큰의 확률이 ${p}입니다. ${drawn}번째 토큰을 뽑았고 보상은 ${R}, 기준선은 ${b}입니다. 이 글에서 온 로짓의 기울기 (R − b) ∇ln π는 무엇입니까?`,
          baseline: "기준선을 빼지 않았습니다.",
          turned: "부호가 반대입니다. 뽑은 토큰의 기울기는 1 − p입니다.",
          probability: "확률을 한 번 더 곱했습니다. 뽑았으므로 이미 그 확률만큼 나옵니다.",
          alone: "확률을 빼지 않았습니다. 한 로짓을 올리면 다른 토큰의 확률이 내려갑니다.",
          way: ({ p, drawn, R, b }) => [
            say`ln π의 기울기는 뽑은 자리의 1에서 확률을 뺀 것입니다: ${p.map((value, i) => (i === drawn - 1) - value)}.`,
            say`이점 ${R} − ${b} = ${R - b}을 곱합니다.`,
          ],
        },
        en: {
          title: "A policy gradient from one sample",
          ask: ({ p, drawn, R, b }) => say`The policy gives the tokens the probabilities ${p}. Token ${drawn} was sampled; its reward is ${R} and the baseline is ${b}. What is the gradient with respect to the logits, (R − b) ∇ln π?`,
          baseline: "You did not subtract the baseline.",
          turned: "Your sign is flipped. At the sampled token, the gradient of ln π is 1 − p.",
          probability: "You multiplied by the probability as well. Sampling already accounts for it.",
          alone: "You did not subtract the probabilities. Raising one logit lowers the probabilities of the other tokens.",
          way: ({ p, drawn, R, b }) => [
            say`The gradient of ln π is 1 at the sampled token and 0 elsewhere, minus the probabilities: ${p.map((value, i) => (i === drawn - 1) - value)}.`,
            say`Multiply by the advantage, ${R} − ${b} = ${R - b}.`,
          ],
        },
      },
    },
    {
      name: "advantages", kind: "vector", digits: 2,
      draw: (random, level) => {
        const rewards = random.ints(4 + level, 0, level ? 3 : 1);
        return deviation(rewards) > 0 ? { rewards } : null;
      },
      right: ({ rewards }) => over(centred(rewards), deviation(rewards)),
      mistakes: {
        undivided: { value: ({ rewards }) => centred(rewards), read: "reasoning#reason-group" },
        less: { value: ({ rewards: r }) => over(centred(r), deviation(r) * Math.sqrt(r.length / (r.length - 1))), read: "reasoning#reason-group" },
        variance: { value: ({ rewards }) => over(centred(rewards), deviation(rewards) ** 2), read: "reasoning#reason-group" },
        raw: { value: ({ rewards }) => over(rewards, deviation(rewards)), read: "reasoning#reason-baseline" },
      },
      words: {
        ko: {
          title: "무리의 이점",
          ask: ({ rewards }) => say`한 물음에 쓴 답 ${rewards.length}개의 보상이 ${rewards}입니다. GRPO의 이점은 무엇입니까?`,
          undivided: "표준편차로 나누지 않았습니다.",
          less: "표준편차를 G − 1로 나누어 구했습니다. 여기서는 G로 나눕니다.",
          variance: "분산으로 나누었습니다. 제곱근을 취하십시오.",
          raw: "평균을 빼지 않았습니다.",
          way: ({ rewards }) => [
            say`평균은 ${mean(rewards)}이고 빼면 ${centred(rewards)}입니다.`,
            say`표준편차 ${deviation(rewards)}로 나눕니다.`,
          ],
        },
        en: {
          title: "Advantages in a group",
          ask: ({ rewards }) => say`The ${rewards.length} answers to one question have rewards ${rewards}. What are their advantages in GRPO?`,
          undivided: "You did not divide by the standard deviation.",
          less: "You divided by G − 1 in the standard deviation. Here it is G.",
          variance: "You divided by the variance. Take its square root.",
          raw: "You did not subtract the mean.",
          way: ({ rewards }) => [
            say`The mean is ${mean(rewards)}; subtracting it leaves ${centred(rewards)}.`,
            say`Divide by the standard deviation, ${deviation(rewards)}.`,
          ],
        },
      },
    },
    {
      name: "clip", kind: "number", digits: 2,
      draw: (random, level) => ({ A: random.pick([-2, -1, -0.5, 0.5, 1, 2]), ratios: random.some(1 + level, [0.4, 0.5, 0.6, 1.4, 1.5, 1.7]) }),
      right: least,
      mistakes: {
        unclipped: { value: (drawn) => unlike(mean(drawn.ratios) * drawn.A, least(drawn)), read: "reasoning#reason-clip" },
        always: { value: (drawn) => unlike(mean(drawn.ratios.map(clip)) * drawn.A, least(drawn)), read: "reasoning#reason-clip" },
        sign: { value: (drawn) => -least(drawn), read: "reasoning#reason-clip" },
      },
      words: {
        ko: {
          title: "자른 목적 함수",
          ask: ({ A, ratios }) => say`이점이 ${A}인 글의 토큰 ${ratios.length}개에서 비가 ${ratios}입니다. ε = 0.2일 때 PPO의 목적 함수(토큰에 걸친 평균)는 얼마입니까?`,
          unclipped: "자르지 않았습니다.",
          always: "자른 것만 썼습니다. 자르지 않은 것과 비교해 작은 쪽입니다.",
          sign: "손실의 부호입니다. 크게 하려는 목적 함수를 물었습니다.",
          way: ({ A, ratios }) => [
            say`자르지 않으면 ${ratios.map((ratio) => ratio * A)}, 자르면 ${ratios.map((ratio) => clip(ratio) * A)}입니다.`,
            say`토큰마다 작은 쪽을 평균합니다: ${fixed(least({ A, ratios }), 2)}.`,
          ],
        },
        en: {
          title: "The clipped objective",
          ask: ({ A, ratios }) => say`A text with advantage ${A} has probability ratios ${ratios} at its tokens. With ε = 0.2, what is PPO’s objective, averaged over the tokens?`,
          unclipped: "Nothing was clipped.",
          always: "You used only the clipped values. Take the minimum of clipped and unclipped.",
          sign: "That is the loss. The question asks for the objective, which is maximised.",
          way: ({ A, ratios }) => [
            say`Without clipping: ${ratios.map((ratio) => ratio * A)}; clipped: ${ratios.map((ratio) => clip(ratio) * A)}.`,
            say`Average the smaller of the two at each token: ${fixed(least({ A, ratios }), 2)}.`,
          ],
        },
      },
    },
    {
      name: "divergence", kind: "number", digits: 3,
      draw: (random, level) => ({ policy: random.int(1, level ? 99 : 9) / (level ? 100 : 10), reference: random.int(1, level ? 99 : 9) / (level ? 100 : 10) }),
      right: ({ policy, reference }) => k3(Math.log(reference / policy)),
      mistakes: {
        turned: { value: ({ policy, reference }) => k3(Math.log(policy / reference)), read: "reasoning#reason-kl" },
        difference: { value: ({ policy, reference }) => Math.log(policy / reference), read: "reasoning#reason-kl" },
        square: { value: ({ policy, reference }) => Math.log(policy / reference) ** 2 / 2, read: "reasoning#reason-kl" },
        one: { value: ({ policy, reference }) => k3(Math.log(reference / policy)) + 1, read: "reasoning#reason-kl" },
      },
      words: {
        ko: {
          title: "기준에서 멀어진 만큼",
          ask: ({ policy, reference }) => say`뽑은 토큰에 정책이 준 확률이 ${policy}, 기준 모델이 준 확률이 ${reference}입니다. k3은 얼마입니까?`,
          turned: "d의 부호가 반대입니다. d는 ln π_ref − ln π입니다.",
          difference: "로그 확률의 차입니다. 음수가 되기도 합니다.",
          square: "차의 제곱의 절반입니다. 가까울 때만 비슷합니다.",
          one: "1을 빼지 않았습니다. 두 확률이 같으면 0이어야 합니다.",
          way: ({ policy, reference }) => [
            say`d = ln ${reference} − ln ${policy} = ${Math.log(reference / policy)}입니다.`,
            say`e^d는 두 확률의 비 ${reference / policy}이고, d와 1을 빼면 ${fixed(k3(Math.log(reference / policy)), 3)}입니다.`,
          ],
        },
        en: {
          title: "KL to the reference",
          ask: ({ policy, reference }) => say`A sampled token has probability ${policy} under the policy and ${reference} under the reference model. What is the k3 estimate of the KL divergence?`,
          turned: "The sign of d is flipped. It is ln π_ref − ln π.",
          difference: "That is the difference of the log probabilities, which can be negative.",
          square: "That is half the squared difference. It is close to k3 only when the two probabilities are close.",
          one: "You did not subtract the 1. Equal probabilities must give 0.",
          way: ({ policy, reference }) => [
            say`d = ln ${reference} − ln ${policy} = ${Math.log(reference / policy)}.`,
            say`e^d is the ratio of the two, ${reference / policy}; subtracting d and 1 leaves ${fixed(k3(Math.log(reference / policy)), 3)}.`,
          ],
        },
      },
    },
    {
      name: "tries", kind: "number", digits: 2,
      draw: (random, level) => {
        const n = random.int(4 + level, 6 + level);
        return { n, c: random.int(1, n - 2 - level), k: 2 + level };
      },
      right: passed,
      mistakes: {
        replaced: { value: ({ n, c, k }) => 1 - (1 - c / n) ** k, read: "reasoning#reason-tries" },
        share: { value: ({ n, c }) => c / n, read: "reasoning#reason-tries" },
        never: { value: (drawn) => 1 - passed(drawn), read: "reasoning#reason-tries" },
        every: { value: ({ n, c, k }) => choose(c, k) / choose(n, k), read: "reasoning#reason-tries" },
      },
      words: {
        ko: {
          title: "k번 안에 한 번은",
          ask: ({ n, c, k }) => say`답을 ${n}개 써서 ${c}개가 맞았습니다. pass@${k}의 치우치지 않은 추정값은 얼마입니까?`,
          replaced: "되돌려 넣으며 뽑았습니다. 낮게 치우칩니다.",
          share: "맞은 비율입니다. 그것은 pass@1입니다.",
          never: "하나도 맞지 않을 확률입니다. 1에서 빼십시오.",
          every: "모두 맞을 확률입니다. 하나라도 맞으면 됩니다.",
          way: ({ n, c, k }) => [
            say`${n}개에서 ${k}개를 고르는 방법은 ${choose(n, k)}가지, 모두 틀린 것은 ${choose(n - c, k)}가지입니다.`,
            say`1 − ${choose(n - c, k)}/${choose(n, k)} = ${fixed(passed({ n, c, k }), 2)}입니다.`,
          ],
        },
        en: {
          title: "pass@k",
          ask: ({ n, c, k }) => say`Of ${n} sampled answers, ${c} are right. What is the unbiased estimate of pass@${k}?`,
          replaced: "That samples with replacement and is biased low.",
          share: "That is the share of right answers, which is pass@1.",
          never: "That is the chance that none is right. Subtract it from 1.",
          every: "That is the chance that all are right. One is enough.",
          way: ({ n, c, k }) => [
            say`There are ${choose(n, k)} ways to choose ${k} of ${n}; in ${choose(n - c, k)} of them all are wrong.`,
            say`1 − ${choose(n - c, k)}/${choose(n, k)} = ${fixed(passed({ n, c, k }), 2)}.`,
          ],
        },
      },
    },
  ];
}
