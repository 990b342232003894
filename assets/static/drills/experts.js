// Drills of the chapter on mixtures of experts.
"use strict";

{
  const { say, sum, dot, share, fixed, range } = drillKit;
  const parameters = ({ d, f, E, k, shared }, each = 3, router = 1) => each * d * f * (k + shared) + router * d * E;
  const over = (values, whole) => values.map((value) => value / whole);
  const balance = ({ counts, P }, tokens = sum(counts)) => P.length * dot(over(counts, tokens), P);
  const capacity = ({ choices, E, c }, each = choices[0].length) => Math.ceil((c * choices.length * each) / E);
  const byRank = ({ choices }) => choices[0].flatMap((_, i) => range(choices.length).map((t) => [t, i]));
  const byToken = ({ choices }) => range(choices.length).flatMap((t) => choices[t].map((_, i) => [t, i]));
  // 1 where the last choice of each token finds a place; the queue holds (token, choice) in the order of seating.
  const seated = (drawn, queue = byRank(drawn), places = capacity(drawn)) => {
    const free = range(drawn.E).map(() => places);
    const found = drawn.choices.map(() => 0);
    for (const [t, i] of queue) {
      const takes = free[drawn.choices[t][i]] > 0;
      if (takes) free[drawn.choices[t][i]] -= 1;
      if (i === drawn.choices[t].length - 1) found[t] = Number(takes);
    }
    return found;
  };
  const top = (values, k) => range(values.length).sort((a, b) => values[b] - values[a]).slice(0, k);
  const biased = ({ scores, bias }) => scores.map((score, e) => score + bias[e]);
  const only = (values, chosen) => values.map((value, e) => (chosen.includes(e) ? value : 0));
  const tied = (values) => values.some((value, i) => values.some((other, j) => i < j && Math.abs(value - other) < 0.005));
  const other = (value, right) => (String(value) === String(right) ? null : value);
  const moved = ({ loads, bias, rate }, by) => bias.map((value, e) => value + rate * by(sum(loads) / loads.length - loads[e]));
  const ofGroups = ({ scores, size }) => range(scores.length / size).map((g) => scores.slice(g * size, (g + 1) * size));
  const pair = (group) => sum([...group].sort((a, b) => b - a).slice(0, 2));
  const chosen = (drawn, score) => {
    const kept = top(ofGroups(drawn).map(score), drawn.kept);
    const open = drawn.scores.map((value, e) => (kept.includes(Math.floor(e / drawn.size)) ? value : -Infinity));
    return top(open, drawn.k).sort((a, b) => a - b);
  };

  courseDrills.experts = [
    {
      name: "active", kind: "number",
      draw: (random, level) => ({ d: random.pick(level ? [512, 1024] : [4, 8, 16]), f: random.pick(level ? [256, 512] : [8, 16, 32]), E: random.pick([8, 16, 32]), k: random.pick([2, 4]), shared: level }),
      right: (drawn) => parameters(drawn),
      mistakes: {
        total: { value: (drawn) => parameters({ ...drawn, k: drawn.E }), read: "experts#experts-why" },
        two: { value: (drawn) => parameters(drawn, 2), read: "experts#experts-why" },
        router: { value: (drawn) => parameters(drawn, 3, 0), read: "experts#experts-why" },
        shared: { value: (drawn) => (drawn.shared ? parameters({ ...drawn, shared: 0 }) : null), read: "experts#experts-shared" },
      },
      words: {
        ko: {
          title: "활성 파라미터",
          ask: ({ d, f, E, k, shared }) => say`차원이 ${d}, 안쪽이 ${f}인 SwiGLU 전문가가 ${E}개 있고 토큰마다 ${k}개를 고릅니다. ${shared ? "크기가 같은 공유 전문가도 하나 있습니다. " : ""}편향이 없을 때, 라우터까지 세어 토큰 하나에 드는 파라미터는 몇 개입니까?`,
          total: "모든 전문가를 셌습니다. 그것은 메모리에 두는 수입니다.",
          two: "전문가 하나에 행렬을 둘만 셌습니다. SwiGLU에는 셋입니다.",
          router: "라우터를 빠뜨렸습니다. 토큰마다 모든 전문가의 점수를 구합니다.",
          shared: "공유 전문가를 빠뜨렸습니다. 모든 토큰이 지납니다.",
          way: (drawn) => [
            say`전문가 하나는 3·${drawn.d}·${drawn.f} = ${3 * drawn.d * drawn.f}개이고, 토큰 하나는 ${drawn.k + drawn.shared}개를 지납니다.`,
            say`라우터 ${drawn.d}·${drawn.E} = ${drawn.d * drawn.E}개를 더하면 ${parameters(drawn)}개입니다.`,
          ],
        },
        en: {
          title: "Active parameters",
          ask: ({ d, f, E, k, shared }) => say`A layer has ${E} SwiGLU experts of dimension ${d} and hidden size ${f}, and routes each token to ${k} of them. ${shared ? "There is also one shared expert of the same size. " : ""}Without biases but with the router, how many parameters are active per token?`,
          total: "You counted all experts. That is what the layer keeps in memory.",
          two: "You counted two matrices per expert. A SwiGLU has three.",
          router: "The router is missing. It scores every expert for each token.",
          shared: "The shared expert is missing. Every token passes through it.",
          way: (drawn) => [
            say`An expert has 3·${drawn.d}·${drawn.f} = ${3 * drawn.d * drawn.f} parameters, and a token passes through ${drawn.k + drawn.shared} of them.`,
            say`With the router’s ${drawn.d}·${drawn.E} = ${drawn.d * drawn.E}, that makes ${parameters(drawn)}.`,
          ],
        },
      },
    },
    {
      name: "balance", kind: "number", digits: 2,
      draw: (random, level) => {
        const [E, k, T] = level ? [4, 2, 8] : [3, 1, 8];
        const counts = range(E).map(() => 0);
        for (const e of random.ints(T * k, 0, E * E - 1)) counts[Math.floor(Math.sqrt(e))] += 1;
        const P = random.pick(level ? [[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.2, 0.5], [0.1, 0.4, 0.2, 0.3]] : [[0.5, 0.3, 0.2], [0.1, 0.3, 0.6], [0.2, 0.2, 0.6]]);
        return Math.max(...counts) > T ? null : { T, k, counts, P };
      },
      right: (drawn) => balance(drawn),
      mistakes: {
        unscaled: { value: (drawn) => balance(drawn) / drawn.P.length, read: "experts#experts-balance" },
        tokens: { value: (drawn) => (drawn.k > 1 ? balance(drawn, drawn.T) : null), read: "experts#experts-mistakes" },
        squares: { value: ({ counts }) => balance({ counts, P: share(counts) }), read: "experts#experts-balance" },
        certain: { value: ({ P }) => P.length * dot(P, P), read: "experts#experts-balance" },
      },
      words: {
        ko: {
          title: "균형 손실",
          ask: ({ T, k, counts, P }) => say`토큰 ${T}개가 전문가 ${P.length}개 가운데 ${k === 1 ? "하나" : "둘"}씩 골라, 전문가마다 받은 배정이 ${counts}입니다. 라우터가 준 확률의 평균은 ${P}입니다. 균형 손실은 얼마입니까?`,
          unscaled: "전문가의 수를 곱하지 않았습니다. 고르면 1이어야 합니다.",
          tokens: "배정을 토큰의 수로 나누었습니다. k배가 됩니다.",
          squares: "받은 몫을 제곱했습니다. 한쪽은 기울기가 흐르는 확률 P입니다.",
          certain: "확률만 제곱했습니다. 한쪽은 세어서 얻은 몫 f입니다.",
          way: (drawn) => [
            say`배정은 모두 ${sum(drawn.counts)}개이므로 f = ${share(drawn.counts)}입니다.`,
            say`f와 P의 내적 ${dot(share(drawn.counts), drawn.P)}에 전문가의 수를 곱합니다: ${fixed(balance(drawn), 2)}.`,
          ],
        },
        en: {
          title: "The load-balancing loss",
          ask: ({ T, k, counts, P }) => say`Each of ${T} tokens picks ${k === 1 ? "one" : "two"} of ${P.length} experts, and the experts receive ${counts} assignments. The router’s mean probabilities are ${P}. What is the load-balancing loss?`,
          unscaled: "You did not multiply by the number of experts. A uniform load should give 1.",
          tokens: "You divided the assignments by the number of tokens, which makes the loss k times as large.",
          squares: "You squared the shares of the load. One factor is the probability P, through which the gradient flows.",
          certain: "You squared the probabilities. One factor is f, the counted share of the load.",
          way: (drawn) => [
            say`There are ${sum(drawn.counts)} assignments in all, so f = ${share(drawn.counts)}.`,
            say`The dot product of f and P is ${dot(share(drawn.counts), drawn.P)}; times ${drawn.P.length} it is ${fixed(balance(drawn), 2)}.`,
          ],
        },
      },
    },
    {
      name: "seats", kind: "vector",
      draw: (random, level) => {
        const [T, E] = level ? [5, 4] : [8, 4];
        const choices = range(T).map(() => (level ? random.some(2, [0, 0, 1, 1, 2, 3]) : [random.pick([0, 0, 0, 1, 1, 2, 3])]));
        const drawn = { choices, E, c: random.pick([1, 1.1, 1.25]) };
        return choices.some(([a, b]) => a === b) || sum(seated(drawn)) === T ? null : drawn;
      },
      right: (drawn) => seated(drawn),
      mistakes: {
        floor: { value: (drawn) => other(seated(drawn, byRank(drawn), Math.floor((drawn.c * drawn.choices.length * drawn.choices[0].length) / drawn.E)), seated(drawn)), read: "experts#experts-capacity" },
        late: { value: (drawn) => other(seated(drawn, byRank(drawn).sort((a, b) => a[1] - b[1] || b[0] - a[0])), seated(drawn)), read: "experts#experts-capacity" },
        tokens: { value: (drawn) => other(seated(drawn, byToken(drawn)), seated(drawn)), read: "experts#experts-capacity" },
        each: { value: (drawn) => (drawn.choices[0].length > 1 ? seated(drawn, byRank(drawn), capacity(drawn, 1)) : null), read: "experts#experts-capacity" },
      },
      words: {
        ko: {
          title: "버려지는 토큰",
          ask: ({ choices, E, c }) => say`토큰 ${choices.length}개가 전문가 ${E}개에서 ${choices[0].length === 1 ? say`고른 번호는 차례로 ${choices.flat()}입니다.` : say`둘씩 골랐습니다. 첫째로 고른 번호는 차례로 ${choices.map(([a]) => a)}, 둘째로 고른 번호는 ${choices.map(([, b]) => b)}입니다.`} 용량 계수는 ${c}입니다. ${choices[0].length === 1 ? "토큰" : "**둘째로 고른** 배정"}마다 남으면 1, 버려지면 0으로 적으십시오.`,
          floor: "자리의 수를 내림했습니다. 올림합니다.",
          late: "뒤의 토큰을 먼저 앉혔습니다. 앞의 토큰이 먼저입니다.",
          tokens: "토큰마다 둘을 차례로 앉혔습니다. 첫째로 고른 것을 모두 먼저 앉힙니다.",
          each: "자리를 셀 때 k를 빠뜨렸습니다. 배정은 토큰의 두 배입니다.",
          way: (drawn) => [
            say`자리는 전문가마다 ${drawn.c}·${drawn.choices.length}·${drawn.choices[0].length}/${drawn.E} = ${(drawn.c * drawn.choices.length * drawn.choices[0].length) / drawn.E}, 올림해 ${capacity(drawn)}개입니다.`,
            drawn.choices[0].length === 1 ? say`앞의 토큰부터 앉힙니다: ${seated(drawn)}.` : say`첫째로 고른 것을 앞에서부터 모두 앉히고, 남은 자리에 둘째로 고른 것을 앞에서부터 앉힙니다: ${seated(drawn)}.`,
          ],
        },
        en: {
          title: "Which assignments are dropped",
          ask: ({ choices, E, c }) => say`${choices[0].length === 1 ? say`There are ${E} experts, and ${choices.length} tokens choose experts ${choices.flat()} in turn.` : say`There are ${E} experts, and ${choices.length} tokens choose two each: first ${choices.map(([a]) => a)}, then ${choices.map(([, b]) => b)}.`} The capacity factor is ${c}. For each ${choices[0].length === 1 ? "token" : "**second choice**"}, write 1 if it is kept and 0 if it is dropped.`,
          floor: "You rounded the capacity down. Round it up.",
          late: "You seated later tokens first. Earlier tokens come first.",
          tokens: "You seated both choices of one token before the next token. All first choices come before any second choice.",
          each: "You left k out of the capacity. There are two assignments per token.",
          way: (drawn) => [
            say`The capacity is ${drawn.c}·${drawn.choices.length}·${drawn.choices[0].length}/${drawn.E} = ${(drawn.c * drawn.choices.length * drawn.choices[0].length) / drawn.E}, rounded up to ${capacity(drawn)}.`,
            drawn.choices[0].length === 1 ? say`Seat the tokens in order: ${seated(drawn)}.` : say`Seat all first choices in order, then the second choices in the places left: ${seated(drawn)}.`,
          ],
        },
      },
    },
    {
      name: "bias", kind: "vector", digits: 2,
      draw: (random, level) => {
        const scores = random.some(3 + level, range(8).map((i) => (i + 1) / 10));
        const bias = range(3 + level).map(() => random.int(-4, 4) / 10);
        return tied(biased({ scores, bias })) || biased({ scores, bias }).some((value) => value <= 0.05) ? null : { scores, bias, k: 2 };
      },
      right: ({ scores, bias, k }) => share(only(scores, top(biased({ scores, bias }), k))),
      mistakes: {
        unbiased: { value: ({ scores, k }) => share(only(scores, top(scores, k))), read: "experts#experts-bias" },
        weighed: { value: ({ scores, bias, k }) => share(only(biased({ scores, bias }), top(biased({ scores, bias }), k))), read: "experts#experts-bias" },
        undivided: { value: ({ scores, bias, k }) => only(scores, top(biased({ scores, bias }), k)), read: "experts#experts-bias" },
        all: { value: ({ scores, bias, k }) => only(share(scores), top(biased({ scores, bias }), k)), read: "experts#experts-bias" },
      },
      words: {
        ko: {
          title: "편향으로 고르기",
          ask: ({ scores, bias, k }) => say`점수가 ${scores}, 편향이 ${bias}이고 ${k}개를 고릅니다. 전문가마다의 가중치를 적으십시오. 고르지 않은 것은 0입니다.`,
          unbiased: "편향 없이 골랐습니다. 고를 때는 편향을 더합니다.",
          weighed: "가중치에도 편향이 들어갔습니다. 가중치는 더하지 않은 점수로 구합니다.",
          undivided: "고른 것의 합으로 나누지 않았습니다.",
          all: "모든 전문가의 합으로 나누었습니다. 고른 것끼리의 합이 1입니다.",
          way: ({ scores, bias, k }) => [
            say`더한 것은 ${biased({ scores, bias })}이고, 고르는 번호는 0부터 세어 ${top(biased({ scores, bias }), k).sort((a, b) => a - b)}입니다.`,
            say`그 점수를 합으로 나눕니다: ${share(only(scores, top(biased({ scores, bias }), k)))}.`,
          ],
        },
        en: {
          title: "Routing with a bias",
          ask: ({ scores, bias, k }) => say`The scores are ${scores} and the biases ${bias}; the router picks ${k} experts. Write the weight of each expert, 0 for those not chosen.`,
          unbiased: "You chose without the bias. It is added for choosing.",
          weighed: "The bias got into the weights. They come from the scores alone.",
          undivided: "You did not divide by the sum over the chosen.",
          all: "You divided by the sum over all experts. The weights of the chosen sum to 1.",
          way: ({ scores, bias, k }) => [
            say`With the biases added the scores are ${biased({ scores, bias })}, so experts ${top(biased({ scores, bias }), k).sort((a, b) => a - b)} are chosen, counting from 0.`,
            say`Divide their own scores by their sum: ${share(only(scores, top(biased({ scores, bias }), k)))}.`,
          ],
        },
      },
    },
    {
      name: "step", kind: "vector", digits: 2,
      draw: (random, level) => {
        const loads = random.ints(3 + level, 0, level ? 8 : 6);
        const rest = (4 + level) * (3 + level) - sum(loads);
        return rest < 0 || rest > 8 ? null : { loads: [...loads.slice(1), loads[0] + rest], bias: range(3 + level).map(() => random.int(-3, 3) / 10), rate: random.pick([0.1, 0.2]) };
      },
      right: (drawn) => moved(drawn, Math.sign),
      mistakes: {
        turned: { value: (drawn) => moved(drawn, (short) => -Math.sign(short)), read: "experts#experts-bias" },
        far: { value: (drawn) => other(moved(drawn, (short) => short), moved(drawn, Math.sign)), read: "experts#experts-bias" },
        down: { value: (drawn) => other(moved(drawn, (short) => Math.min(0, Math.sign(short))), moved(drawn, Math.sign)), read: "experts#experts-bias" },
        mean: { value: (drawn) => other(moved(drawn, (short) => (short < 0 ? -1 : 1)), moved(drawn, Math.sign)), read: "experts#experts-bias" },
      },
      words: {
        ko: {
          title: "편향 옮기기",
          ask: ({ loads, bias, rate }) => say`한 걸음에 전문가마다 받은 배정이 ${loads}입니다. 편향이 ${bias}이고 γ = ${rate}일 때, 다음 편향은 무엇입니까?`,
          turned: "방향이 반대입니다. 많이 받은 전문가의 편향을 내립니다.",
          far: "차이만큼 옮겼습니다. 얼마나 다르든 γ만큼입니다.",
          down: "내리기만 했습니다. 적게 받은 전문가의 편향은 올립니다.",
          mean: "평균과 같은 것도 올렸습니다. 그대로 둡니다.",
          way: (drawn) => [
            say`평균은 ${sum(drawn.loads) / drawn.loads.length}이고, 옮기는 방향은 ${drawn.loads.map((load) => Math.sign(sum(drawn.loads) / drawn.loads.length - load))}입니다.`,
            say`방향에 γ를 곱해 편향에 더합니다: ${moved(drawn, Math.sign)}.`,
          ],
        },
        en: {
          title: "Updating the biases",
          ask: ({ loads, bias, rate }) => say`In one step the experts receive ${loads} assignments. The biases are ${bias} and γ = ${rate}. What are the next biases?`,
          turned: "You moved the wrong way. An expert with too much load has its bias lowered.",
          far: "You moved by the difference. The step is γ, however large the difference.",
          down: "You only lowered biases. Those of experts with too little load go up.",
          mean: "You raised the bias of an expert at the mean. It stays.",
          way: (drawn) => [
            say`The mean is ${sum(drawn.loads) / drawn.loads.length}, so the biases move in the directions ${drawn.loads.map((load) => Math.sign(sum(drawn.loads) / drawn.loads.length - load))}.`,
            say`Multiply those by ${drawn.rate} and add them to the biases: ${moved(drawn, Math.sign)}.`,
          ],
        },
      },
    },
    {
      name: "groups", kind: "vector",
      draw: (random, level) => {
        const [groups, size] = level ? [4, 3] : [3, 3];
        const drawn = { scores: random.some(groups * size, range(40).map((i) => (i + 10) / 100)), size, kept: 1 + level, k: 2 + level };
        const [best, all] = [(group) => Math.max(...group), sum];
        const clear = [pair, best, all].every((score) => !tied(ofGroups(drawn).map(score)));
        return clear && other(chosen(drawn, best), chosen(drawn, pair)) ? drawn : null;
      },
      right: (drawn) => chosen(drawn, pair),
      mistakes: {
        free: { value: ({ scores, k }) => top(scores, k).sort((a, b) => a - b), read: "experts#experts-groups" },
        best: { value: (drawn) => other(chosen(drawn, (group) => Math.max(...group)), chosen(drawn, pair)), read: "experts#experts-groups" },
        sums: { value: (drawn) => other(chosen(drawn, sum), chosen(drawn, pair)), read: "experts#experts-groups" },
      },
      words: {
        ko: {
          title: "묶음으로 좁히기",
          ask: ({ scores, size, kept, k }) => say`전문가 ${scores.length}개의 점수가 ${scores}입니다. 이웃한 ${size}개가 한 묶음이고, DeepSeek-V3처럼 묶음 ${kept === 1 ? "하나" : "둘"}에서만 ${k}개를 고릅니다. 고른 번호를 작은 것부터 적으십시오(0부터 셉니다).`,
          free: "묶음을 보지 않고 골랐습니다.",
          best: "묶음의 점수로 가장 큰 하나를 썼습니다. 가장 큰 둘의 합입니다.",
          sums: "묶음의 점수로 모두의 합을 썼습니다. 가장 큰 둘의 합입니다.",
          way: (drawn) => [
            say`묶음마다 가장 큰 둘의 합은 ${ofGroups(drawn).map(pair)}이므로, 남는 묶음의 번호는 ${top(ofGroups(drawn).map(pair), drawn.kept).sort((a, b) => a - b)}입니다.`,
            say`거기서 점수가 큰 ${drawn.k}개는 ${chosen(drawn, pair)}입니다.`,
          ],
        },
        en: {
          title: "Routing within groups",
          ask: ({ scores, size, kept, k }) => say`The scores of ${scores.length} experts are ${scores}. Neighbours form groups of ${size}. As in DeepSeek-V3, the router keeps the best ${kept === 1 ? "group" : "two groups"} and picks ${k} experts there. Write their numbers in ascending order, counting from 0.`,
          free: "You ignored the groups.",
          best: "You scored a group by its single best expert. It is the sum of the best two.",
          sums: "You scored a group by the sum of all its experts. It is the sum of the best two.",
          way: (drawn) => [
            say`The sums of the best two in each group are ${ofGroups(drawn).map(pair)}, so the ${drawn.kept === 1 ? "group kept is number" : "groups kept are numbers"} ${top(ofGroups(drawn).map(pair), drawn.kept).sort((a, b) => a - b)}.`,
            say`The ${drawn.k} best experts there are ${chosen(drawn, pair)}.`,
          ],
        },
      },
    },
  ];
}
