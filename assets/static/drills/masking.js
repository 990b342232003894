// Drills of the chapter on masking.
"use strict";

{
  const { say, share, sum, range, fixed } = drillKit;
  const kept = (values, seen) => values.map((value, j) => (seen(j) ? value : 0));
  const ones = (n, seen) => range(n).map((j) => (seen(j) ? 1 : 0));

  courseDrills.masking = [
    {
      name: "weights", kind: "vector", digits: 2,
      draw: (random, level) => {
        const n = 4 + level;
        return { exps: random.ints(n, 1, 7), at: random.int(1, n - 2) };
      },
      right: ({ exps, at }) => share(kept(exps, (j) => j <= at)),
      mistakes: {
        unmasked: { value: ({ exps }) => share(exps), read: "masking#look-ahead" },
        after: { value: ({ exps, at }) => kept(share(exps), (j) => j <= at), read: "masking#minus-infinity" },
        zero: { value: ({ exps, at }) => share(exps.map((exp, j) => (j <= at ? exp : 1))), read: "masking#minus-infinity" },
        itself: { value: ({ exps, at }) => share(kept(exps, (j) => j < at)), read: "masking#diagonal" },
        flipped: { value: ({ exps, at }) => share(kept(exps, (j) => j > at)), read: "masking#polarity" },
      },
      words: {
        ko: {
          title: "가린 행의 가중치",
          ask: ({ exps, at }) => say`어떤 질의의 exp(점수)가 ${exps}입니다. 이 질의는 위치 ${at}이고(0부터 셉니다) 룩어헤드 마스크를 씁니다. 가중치를 적으십시오.`,
          unmasked: "마스크를 쓰지 않은 소프트맥스입니다. 뒤의 위치는 미래이므로 가려야 합니다.",
          after: "소프트맥스 뒤에서 0으로 지운 값입니다. 합이 1보다 작습니다.",
          zero: "가릴 점수를 −∞가 아니라 0으로 바꾼 값입니다. exp(0) = 1이 분모에 남아 가중치를 받습니다.",
          itself: "자기 자신까지 가렸습니다. 그 자리의 입력은 이미 읽은 단어이므로 봅니다.",
          flipped: "마스크의 True와 False를 바꾸어 읽었습니다. 과거를 가리고 미래를 보았습니다.",
          way: ({ exps, at }) => [
            say`위치 0부터 ${at}까지 봅니다. 나머지 점수는 −∞가 되어 exp가 0입니다: ${kept(exps, (j) => j <= at)}.`,
            say`보이는 것의 합은 ${sum(exps.slice(0, at + 1))}입니다. 합으로 나누면 ${share(kept(exps, (j) => j <= at))}입니다.`,
          ],
        },
        en: {
          title: "Weights of a masked row",
          ask: ({ exps, at }) => say`exp of a query’s scores is ${exps}. The query is at position ${at} (counting from 0) under a causal mask. What are its weights?`,
          unmasked: "That is the softmax without the mask. Later positions are the future and must be hidden.",
          after: "That is what you get by zeroing after the softmax. The weights add up to less than 1.",
          zero: "You set the hidden scores to 0, not to −∞. exp(0) = 1 stays in the denominator and takes weight.",
          itself: "You hid the query’s own position as well. Its input has already been read, so it is visible.",
          flipped: "You swapped the mask’s True and False: the past is hidden and the future visible.",
          way: ({ exps, at }) => [
            say`Positions 0 to ${at} are visible. The other scores become −∞, whose exp is 0: ${kept(exps, (j) => j <= at)}.`,
            say`The visible ones add up to ${sum(exps.slice(0, at + 1))}. Divide by that sum: ${share(kept(exps, (j) => j <= at))}.`,
          ],
        },
      },
    },
    {
      name: "mask-row", kind: "vector",
      draw: (random, level) => {
        const n = 5 + level;
        const real = random.int(2, n - 1);
        return { n, real, at: random.int(1, n - 2) };
      },
      right: ({ n, real, at }) => ones(n, (j) => j <= at && j < real),
      mistakes: {
        ahead: { value: ({ n, real, at }) => (at < real ? null : ones(n, (j) => j <= at)), read: "masking#combining" },
        padding: { value: ({ n, real, at }) => (at >= real - 1 ? null : ones(n, (j) => j < real)), read: "masking#combining" },
        more: { value: ({ n, real, at }) => (at === real ? null : ones(n, (j) => j <= at + 1 && j <= real)), read: "masking#padding-mask" },
        less: { value: ({ n, real, at }) => (at >= real ? null : ones(n, (j) => j < at && j < real)), read: "masking#diagonal" },
        hidden: { value: ({ n, real, at }) => ones(n, (j) => !(j <= at && j < real)), read: "masking#polarity" },
      },
      words: {
        ko: {
          title: "두 마스크를 합친 한 행",
          ask: ({ n, real, at }) => say`길이가 ${real}인 문장 뒤에 PAD를 붙여 ${n}칸으로 만들었습니다. 룩어헤드 마스크와 패딩 마스크를 합쳤을 때 위치 ${at}(0부터 셉니다)인 질의의 행을 적으십시오. 볼 수 있으면 1, 가렸으면 0입니다.`,
          ahead: "PAD가 보입니다. 룩어헤드 마스크만 썼거나 둘을 ‘또는’으로 합친 값입니다.",
          padding: "미래가 보입니다. 패딩 마스크만 썼거나 둘을 ‘또는’으로 합친 값입니다.",
          more: "한 칸씩 더 보입니다. 위치는 0부터 셉니다.",
          less: "자기 자신을 가렸습니다. 대각선은 봅니다.",
          hidden: "1과 0이 반대입니다. 이 책에서는 볼 수 있는 자리가 True, 곧 1입니다.",
          way: ({ n, real, at }) => [
            say`룩어헤드 마스크의 행은 위치 ${at}까지 봅니다: ${ones(n, (j) => j <= at)}.`,
            say`패딩 마스크는 진짜 토큰 ${real}개를 봅니다: ${ones(n, (j) => j < real)}.`,
            say`둘 다 1인 자리만 남깁니다: ${ones(n, (j) => j <= at && j < real)}.`,
          ],
        },
        en: {
          title: "One row of two masks combined",
          ask: ({ n, real, at }) => say`A sentence of length ${real} is padded at the end to ${n} positions, and the causal mask is combined with the padding mask. Write the row of the query at position ${at} (counting from 0): 1 where it may look, 0 where it may not.`,
          ahead: "PAD is visible. That is the causal mask alone, or the two combined with “or”.",
          padding: "The future is visible. That is the padding mask alone, or the two combined with “or”.",
          more: "One position too many is visible. Positions count from 0.",
          less: "You hid the query’s own position. The diagonal is visible.",
          hidden: "You swapped 1 and 0. In this book True, that is 1, marks what may be seen.",
          way: ({ n, real, at }) => [
            say`The row of the causal mask sees up to position ${at}: ${ones(n, (j) => j <= at)}.`,
            say`The padding mask sees the ${real} real tokens: ${ones(n, (j) => j < real)}.`,
            say`Keep the positions where both are 1: ${ones(n, (j) => j <= at && j < real)}.`,
          ],
        },
      },
    },
    {
      name: "output", kind: "vector", digits: 2,
      draw: (random, level) => {
        const n = 3 + level;
        return { exps: random.ints(n, 1, 6), values: random.rows(n, 2, 0, 8), at: random.int(1, n - 2) };
      },
      right: ({ exps, values, at }) => mix(share(kept(exps, (j) => j <= at)), values),
      mistakes: {
        unmasked: { value: ({ exps, values }) => mix(share(exps), values), read: "masking#look-ahead" },
        after: { value: ({ exps, values, at }) => mix(kept(share(exps), (j) => j <= at), values), read: "masking#minus-infinity" },
        zero: { value: ({ exps, values, at }) => mix(share(exps.map((exp, j) => (j <= at ? exp : 1))), values), read: "masking#minus-infinity" },
        undivided: { value: ({ exps, values, at }) => mix(kept(exps, (j) => j <= at), values), read: "masking#masked-softmax" },
        even: { value: ({ values, at }) => mix(share(ones(values.length, (j) => j <= at)), values), read: "masking#masked-softmax" },
      },
      words: {
        ko: {
          title: "가린 뒤의 출력",
          ask: ({ exps, values, at }) => say`exp(점수)가 ${exps}이고, 값 벡터가 차례로 ${values}의 행입니다. 룩어헤드 마스크를 쓰는 위치 ${at}(0부터 셉니다)의 출력은 무엇입니까?`,
          unmasked: "마스크 없이 모든 값을 섞었습니다. 미래의 값이 들어 있습니다.",
          after: "소프트맥스 뒤에서 지웠습니다. 가중치의 합이 1보다 작아 출력도 작아집니다.",
          zero: "가릴 점수를 0으로 두어 exp(0) = 1만큼 미래의 값이 섞였습니다.",
          undivided: "합으로 나누지 않았습니다. exp(점수)는 아직 가중치가 아닙니다.",
          even: "보이는 값을 고르게 평균했습니다. 점수만큼 다르게 섞습니다.",
          way: ({ exps, values, at }) => [
            say`위치 0부터 ${at}까지 보므로 가중치는 ${share(kept(exps, (j) => j <= at))}입니다.`,
            say`가중치로 값을 섞습니다: ${mix(share(kept(exps, (j) => j <= at)), values)}.`,
          ],
        },
        en: {
          title: "The output behind the mask",
          ask: ({ exps, values, at }) => say`exp of the scores is ${exps}, and the value vectors are the rows of ${values}. What is the output of position ${at} (counting from 0) under a causal mask?`,
          unmasked: "You mixed all the values, without the mask. The future is in there.",
          after: "You zeroed the weights after the softmax. They add up to less than 1, and the output shrinks with them.",
          zero: "You set the hidden scores to 0, so each future value is mixed in with exp(0) = 1.",
          undivided: "You did not divide by the sum. exp(score) is not yet a weight.",
          even: "You averaged the visible values evenly. The scores say how much each counts.",
          way: ({ exps, values, at }) => [
            say`Positions 0 to ${at} are visible, so the weights are ${share(kept(exps, (j) => j <= at))}.`,
            say`Mix the values with these weights: ${mix(share(kept(exps, (j) => j <= at)), values)}.`,
          ],
        },
      },
    },
    {
      name: "lost", kind: "number", digits: 2,
      draw: (random, level) => ({ exps: random.ints(4 + level, 1, 9), at: random.int(1, 2) }),
      right: ({ exps, at }) => sum(exps.slice(0, at + 1)) / sum(exps),
      mistakes: {
        one: { value: () => 1, read: "masking#minus-infinity" },
        rest: { value: ({ exps, at }) => sum(exps.slice(at + 1)) / sum(exps), read: "masking#minus-infinity" },
        itself: { value: ({ exps, at }) => sum(exps.slice(0, at)) / sum(exps), read: "masking#diagonal" },
      },
      words: {
        ko: {
          title: "뒤에서 지우면 남는 합",
          ask: ({ exps, at }) => say`exp(점수)가 ${exps}인 위치 ${at}(0부터 셉니다)의 질의에서, 누가 룩어헤드 마스크를 소프트맥스 **뒤**에 곱했습니다. 남은 가중치의 합은 얼마입니까?`,
          one: "합이 1인 것은 소프트맥스 앞에서 −∞로 바꾸었을 때입니다.",
          rest: "지워진 가중치의 합입니다. 남은 것은 1에서 그만큼을 뺀 값입니다.",
          itself: "자기 자신까지 지웠습니다. 대각선은 남습니다.",
          way: ({ exps, at }) => [
            say`마스크 없이 나누면 분모는 ${sum(exps)}입니다. 가려야 할 점수도 들어 있습니다.`,
            say`남은 것은 위치 0부터 ${at}까지이므로 ${sum(exps.slice(0, at + 1))}/${sum(exps)} = ${fixed(sum(exps.slice(0, at + 1)) / sum(exps), 2)}입니다.`,
          ],
        },
        en: {
          title: "What is left after zeroing",
          ask: ({ exps, at }) => say`For a query at position ${at} (counting from 0), exp of the scores is ${exps}. Someone multiplies by the causal mask **after** the softmax. What do the remaining weights add up to?`,
          one: "They add up to 1 only if the scores become −∞ before the softmax.",
          rest: "That is the weight that was removed. What is left is 1 minus that.",
          itself: "You removed the query’s own position as well. The diagonal stays.",
          way: ({ exps, at }) => [
            say`Without the mask the denominator is ${sum(exps)}, the scores to be hidden included.`,
            say`Positions 0 to ${at} remain: ${sum(exps.slice(0, at + 1))}/${sum(exps)} = ${fixed(sum(exps.slice(0, at + 1)) / sum(exps), 2)}.`,
          ],
        },
      },
    },
  ];

  function mix(weights, values) {
    return drillKit.times([weights], values)[0];
  }
}
