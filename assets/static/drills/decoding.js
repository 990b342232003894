// Drills of the chapter on decoding.
"use strict";

{
  const { say, sum, softmax, share, fixed, range } = drillKit;
  const whole = [[5, 3, 2], [4, 3, 2, 1], [6, 3, 1], [50, 28, 14, 8], [45, 25, 20, 10], [40, 30, 15, 10, 5]]; // no two alike
  const nucleus = (p, most) => {
    const order = range(p.length).sort((a, b) => p[b] - p[a]);
    let before = 0;
    return order.filter((i) => (before += p[i]) - p[i] < most - 1e-9);
  };
  const keep = (p, kept) => p.map((value, i) => (kept.includes(i) ? value : 0));

  courseDrills.decoding = [
    {
      name: "temperature", kind: "vector", digits: 2,
      draw: (random, level) => ({ logits: random.ints(2 + level, -1, 3), T: random.pick([0.5, 2, 4]) }),
      right: ({ logits, T }) => softmax(logits.map((logit) => logit / T)),
      mistakes: {
        multiplied: { value: ({ logits, T }) => softmax(logits.map((logit) => logit * T)), read: "decoding#decoding-temperature" },
        after: { value: ({ logits, T }) => softmax(logits).map((p) => p / T), read: "decoding#decoding-temperature" },
        none: { value: ({ logits }) => softmax(logits), read: "decoding#decoding-temperature" },
        logits: { value: ({ logits, T }) => logits.map((logit) => logit / T), read: "decoding#decoding-temperature" },
      },
      words: {
        ko: {
          title: "온도",
          ask: ({ logits, T }) => say`로짓이 ${logits}이고 온도가 ${T}입니다. 토큰을 뽑을 확률은 무엇입니까?`,
          multiplied: "온도를 곱했습니다. 나눕니다. 온도가 높을수록 고르게 됩니다.",
          after: "소프트맥스 뒤에 나누었습니다. 합이 1이 아닙니다.",
          none: "온도를 쓰지 않았습니다.",
          logits: "나눈 로짓입니다. 소프트맥스가 남았습니다.",
          way: ({ logits, T }) => [
            say`로짓을 온도로 나눕니다: ${logits.map((logit) => logit / T)}.`,
            say`소프트맥스를 취합니다: ${softmax(logits.map((logit) => logit / T))}.`,
          ],
        },
        en: {
          title: "Temperature",
          ask: ({ logits, T }) => say`The logits are ${logits} and the temperature is ${T}. With what probabilities are the tokens sampled?`,
          multiplied: "You multiplied by the temperature. Divide by it: the higher the temperature, the more even the distribution.",
          after: "You divided after the softmax. The result does not add up to 1.",
          none: "You did not use the temperature.",
          logits: "Those are the divided logits. The softmax is still to come.",
          way: ({ logits, T }) => [
            say`Divide the logits by the temperature: ${logits.map((logit) => logit / T)}.`,
            say`Take the softmax: ${softmax(logits.map((logit) => logit / T))}.`,
          ],
        },
      },
    },
    {
      name: "nucleus", kind: "vector", digits: 2,
      draw: (random, level) => ({ p: share(random.shuffle(random.pick(whole.slice(level ? 1 : 0)))), most: random.pick([0.6, 0.7, 0.75, 0.8, 0.85]) }),
      right: ({ p, most }) => share(keep(p, nucleus(p, most))),
      mistakes: {
        under: { value: ({ p, most }) => (nucleus(p, most).length > 1 ? share(keep(p, nucleus(p, most).slice(0, -1))) : null), read: "decoding#decoding-nucleus" },
        unshared: { value: ({ p, most }) => keep(p, nucleus(p, most)), read: "decoding#decoding-nucleus" },
        order: { value: ({ p, most }) => share(keep(p, range(p.length).filter((i) => sum(p.slice(0, i)) < most - 1e-9))), read: "decoding#decoding-nucleus" },
        best: { value: ({ p }) => keep(p, nucleus(p, 0.01)).map(Math.ceil), read: "decoding#decoding-nucleus" },
      },
      words: {
        ko: {
          title: "뉴클리어스",
          ask: ({ p, most }) => say`토큰의 확률이 ${p}입니다. 문턱이 p = ${most}인 top-p 표본 추출에서 토큰마다 뽑힐 확률은 무엇입니까?`,
          under: "문턱을 넘게 하는 토큰을 뺐습니다. 그 토큰까지 남깁니다.",
          unshared: "남은 확률을 합으로 나누지 않았습니다.",
          order: "확률이 큰 차례가 아니라 적힌 차례로 모았습니다.",
          best: "가장 큰 것만 남겼습니다. 그것은 탐욕적 디코딩입니다.",
          way: ({ p, most }) => [
            say`큰 것부터 더해 ${most}에 이를 때까지 남깁니다: ${keep(p, nucleus(p, most))}.`,
            say`남은 것의 합은 ${sum(keep(p, nucleus(p, most)))}이고, 나누면 ${share(keep(p, nucleus(p, most)))}.`,
          ],
        },
        en: {
          title: "The nucleus",
          ask: ({ p, most }) => say`The tokens’ probabilities are ${p}. With top-p sampling at p = ${most}, how likely is each token to be sampled?`,
          under: "You dropped the token that crosses the threshold. It is kept.",
          unshared: "You did not divide what is left by its sum.",
          order: "You collected tokens in the order listed, not from the most probable down.",
          best: "You kept only the largest. That is greedy decoding.",
          way: ({ p, most }) => [
            say`From the largest down, keep tokens until they add up to ${most}: ${keep(p, nucleus(p, most))}.`,
            say`Divide by their sum, ${sum(keep(p, nucleus(p, most)))}: ${share(keep(p, nucleus(p, most)))}.`,
          ],
        },
      },
    },
    {
      name: "beam", kind: "tokens",
      draw: (random, level) => {
        const beams = random.shuffle([random.int(5, 7), random.int(2, 5)].map((p) => p / 10));
        const next = beams.map(() => share(random.ints(2 + level, 1, 8)).map((p) => Math.round(p * 100) / 100));
        const scores = all({ beams, next }).map(({ score }) => score);
        return new Set(scores.map((score) => score.toFixed(3))).size === scores.length ? { beams, next } : null;
      },
      right: (drawn) => best(all(drawn)),
      mistakes: {
        each: { value: (drawn) => unlike(drawn, best(drawn.beams.map((_, i) => all(drawn).filter((one) => one.i === i).sort((a, b) => b.score - a.score)[0]))), read: "decoding#beam-pooling" },
        last: { value: ({ beams, next }) => best(all({ beams: beams.map(() => 1), next })), read: "decoding#beam-log-probabilities" },
        greedy: { value: (drawn) => unlike(drawn, best(all(drawn).filter(({ i }) => drawn.beams[i] === Math.max(...drawn.beams)))), read: "decoding#beam-pooling" },
      },
      words: {
        ko: {
          title: "빔의 다음 걸음",
          ask: ({ beams, next }) => say`폭이 2인 빔에 A(확률 ${beams[0]})와 B(확률 ${beams[1]})가 있습니다. A 다음에 올 토큰 ${letters(next)}의 확률은 차례로 ${next[0]}, B 다음은 ${next[1]}입니다. 다음 빔에 남는 두 가지를 좋은 것부터 적으십시오. (예: Ax By)`,
          each: "빔마다 하나씩 남겼습니다. 모두 한데 모아 좋은 둘을 고릅니다.",
          last: "마지막 토큰의 확률만 보았습니다. 앞의 확률을 곱합니다.",
          greedy: "더 좋은 빔만 이어 갔습니다. 다른 빔도 겨룹니다.",
          way: (drawn) => [
            say`모두 곱합니다: ${all(drawn).map(({ name, score }) => `${name} ${fixed(score, 3)}`).join(", ")}.`,
            say`가장 큰 둘은 ${best(all(drawn))}입니다.`,
          ],
        },
        en: {
          title: "A beam’s next step",
          ask: ({ beams, next }) => say`A beam of width 2 holds A (probability ${beams[0]}) and B (probability ${beams[1]}). After A, the tokens ${letters(next)} have probabilities ${next[0]}; after B, ${next[1]}. Which two stay in the beam? Write the better one first (such as Ax By).`,
          each: "You kept one from each beam. Pool them all and keep the best two.",
          last: "You looked only at the last token’s probability. Multiply it by what comes before.",
          greedy: "You continued only the better beam. The other competes as well.",
          way: (drawn) => [
            say`Multiply: ${all(drawn).map(({ name, score }) => `${name} ${fixed(score, 3)}`).join(", ")}.`,
            say`The largest two are ${best(all(drawn))}.`,
          ],
        },
      },
    },
    {
      name: "penalty", kind: "number", digits: 2,
      draw: (random, level) => ({ probabilities: random.ints(2 + level, 10, 90).map((p) => p / 100), alpha: random.pick([0.5, 1]) }),
      right: ({ probabilities, alpha }) => sum(probabilities.map(Math.log)) / probabilities.length ** alpha,
      mistakes: {
        none: { value: ({ probabilities }) => sum(probabilities.map(Math.log)), read: "decoding#beam-length-penalty" },
        times: { value: ({ probabilities, alpha }) => sum(probabilities.map(Math.log)) * probabilities.length ** alpha, read: "decoding#beam-length-penalty" },
        sign: { value: ({ probabilities, alpha }) => -sum(probabilities.map(Math.log)) / probabilities.length ** alpha, read: "decoding#beam-log-probabilities" },
        plain: { value: ({ probabilities, alpha }) => probabilities.reduce((a, b) => a * b, 1) / probabilities.length ** alpha, read: "decoding#beam-log-probabilities" },
      },
      words: {
        ko: {
          title: "길이로 나눈 점수",
          ask: ({ probabilities, alpha }) => say`생성한 토큰의 확률이 차례로 ${probabilities}이고 마지막이 EOS입니다. α = ${alpha}일 때 빔의 점수 log p / 길이^α는 얼마입니까?`,
          none: "길이로 나누지 않았습니다.",
          times: "길이를 곱했습니다. 나눕니다.",
          sign: "부호가 반대입니다. 로그 확률은 음수입니다.",
          plain: "로그를 취하지 않은 확률을 나누었습니다.",
          way: ({ probabilities, alpha }) => [
            say`ln을 취해 더합니다: ${sum(probabilities.map(Math.log))}.`,
            say`길이는 EOS까지 ${probabilities.length}, 나눌 것은 ${probabilities.length ** alpha}입니다: ${fixed(sum(probabilities.map(Math.log)) / probabilities.length ** alpha, 2)}.`,
          ],
        },
        en: {
          title: "A score divided by its length",
          ask: ({ probabilities, alpha }) => say`The generated tokens have the probabilities ${probabilities}, the last of them being EOS. With α = ${alpha}, what is the beam’s score log p / length^α?`,
          none: "You did not divide by the length.",
          times: "You multiplied by the length. Divide by it.",
          sign: "Your sign is flipped. Log-probabilities are negative.",
          plain: "You divided the probability without taking its logarithm.",
          way: ({ probabilities, alpha }) => [
            say`Add up the natural logarithms: ${sum(probabilities.map(Math.log))}.`,
            say`The length is ${probabilities.length}, EOS included, so divide by ${probabilities.length ** alpha}: ${fixed(sum(probabilities.map(Math.log)) / probabilities.length ** alpha, 2)}.`,
          ],
        },
      },
    },
    {
      name: "cache", kind: "number",
      draw: (random, level) => ({ layers: random.pick([2, 6, 12]), d: random.pick(level ? [256, 512, 768] : [8, 16, 32]), n: random.pick([10, 50, 100]) }),
      right: ({ layers, d, n }) => 2 * layers * n * d,
      mistakes: {
        keys: { value: ({ layers, d, n }) => layers * n * d, read: "decoding#decoding-cache" },
        layer: { value: ({ d, n }) => 2 * n * d, read: "decoding#decoding-cache-layers" },
        weights: { value: ({ layers, n }) => layers * n * n, read: "decoding#decoding-cache" },
        step: { value: ({ layers, d }) => 2 * layers * d, read: "decoding#decoding-cache" },
      },
      words: {
        ko: {
          title: "키와 값을 담아 두기",
          ask: ({ layers, d, n }) => say`층이 ${layers}개, d_{model} = ${d}인 디코더가 토큰 ${n}개까지 썼습니다. KV 캐시에 든 수는 모두 몇 개입니까? (문장 하나, 헤드를 다 합쳐 셉니다.)`,
          keys: "키와 값 가운데 하나만 셌습니다.",
          layer: "한 층만 셌습니다. 층마다 제 키와 값이 있습니다.",
          weights: "어텐션 가중치를 셌습니다. 담아 두는 것은 키와 값입니다.",
          step: "한 걸음에 늘어나는 만큼입니다.",
          way: ({ layers, d, n }) => [
            say`토큰 하나가 층마다 키 ${d}개와 값 ${d}개를 남깁니다: 2·${layers}·${d} = ${2 * layers * d}.`,
            say`토큰 ${n}개면 ${2 * layers * n * d}개입니다.`,
          ],
        },
        en: {
          title: "The size of the KV cache",
          ask: ({ layers, d, n }) => say`A decoder of ${layers} layers with d_{model} = ${d} has written ${n} tokens. How many numbers are in its KV cache? (One sentence, all heads together.)`,
          keys: "You counted only the keys or only the values.",
          layer: "You counted only one layer. Each has keys and values of its own.",
          weights: "You counted attention weights. It is keys and values that are kept.",
          step: "That is what one step adds.",
          way: ({ layers, d, n }) => [
            say`In each layer a token leaves a key of ${d} numbers and a value of ${d}: 2·${layers}·${d} = ${2 * layers * d}.`,
            say`${n} tokens leave ${2 * layers * n * d}.`,
          ],
        },
      },
    },
  ];

  // Every continuation of every beam; x, y, z are the next tokens.
  function all({ beams, next }) {
    return next.flatMap((row, i) => row.map((p, j) => ({ i, j, name: "AB"[i] + "xyz"[j], score: beams[i] * p })));
  }

  function best(candidates) {
    return [...candidates].sort((a, b) => b.score - a.score).slice(0, 2).map(({ name }) => name);
  }

  // Where the two best come from one beam, continuing only that is no mistake; else one from each is none.
  function unlike(drawn, names) {
    return names.join() === best(all(drawn)).join() ? null : names;
  }

  function letters(next) {
    return [..."xyz"].slice(0, next[0].length).join(", ");
  }
}
