// Drills of the chapter on measuring models.
"use strict";

{
  const { say, sum, fixed, range } = drillKit;
  const mean = (values) => sum(values) / values.length;
  const speed = ({ d, base, i }) => base ** ((-2 * i) / d);
  const turns = (drawn) => (drawn.L * speed(drawn)) / (2 * Math.PI);
  const pairThatTurns = ({ d, base, L }, times) => ((d / 2) * Math.log(L / (2 * Math.PI * times))) / Math.log(base);
  const ramp = (drawn, slow = 1) => {
    const [from, to] = [Math.max(pairThatTurns(drawn, 32), 0), pairThatTurns(drawn, slow)];
    return Math.min(Math.max((drawn.i - from) / (to - from), 0), 1);
  };
  const slower = ({ s }, gamma) => 1 / (1 - gamma + gamma / s);
  const starts = ({ n, window, stride }) => range(1 + Math.ceil(Math.max(0, n - window) / stride)).map((i) => i * stride);
  const ends = (drawn) => starts(drawn).map((start) => Math.min(start + drawn.window, drawn.n));
  const counted = (drawn) => ends(drawn).map((end, i) => end - (i ? ends(drawn)[i - 1] : 1));
  const bits = ({ perplexity, tokens, characters, spaces }) => (tokens * Math.log2(perplexity)) / (3 * characters + spaces);
  const best = (values) => 1 + values.indexOf(Math.max(...values));
  const ways = ({ told, tokens, prior }) => [told, told.map((value, i) => value / tokens[i]), told.map((value, i) => value - prior[i])];
  const differences = ({ a, b }) => a.map((value, i) => value - b[i]);
  const off = (drawn) => differences(drawn).map((value) => value - mean(differences(drawn)));
  const totals = (drawn) => range(drawn.a.length / drawn.size).map((g) => sum(off(drawn).slice(g * drawn.size, (g + 1) * drawn.size)));
  const squares = (values) => sum(values.map((value) => value ** 2));
  const root = (drawn, values, G = values.length) => Math.sqrt((G / (G - 1)) * squares(values)) / drawn.a.length;
  const both = ({ first, second }) => first.map((value, i) => (value + 1 - second[i]) / 2);
  const line = (preferred, x) => {
    const slope = sum(x.map((value, i) => (value - mean(x)) * (preferred[i] - mean(preferred)))) / squares(x.map((value) => value - mean(x)));
    return [mean(preferred), mean(preferred) - slope * mean(x)];
  };

  courseDrills.evaluation = [
    {
      name: "turns", kind: "number", digits: 2,
      draw: (random, level) => {
        const d = random.pick(level ? [64, 128] : [8, 16]);
        const drawn = { d, base: level ? 500000 : 10000, L: random.pick(level ? [4096, 8192] : [32, 64, 128]), i: random.int(1, d / 4) };
        return turns(drawn) > 0.05 ? drawn : null;
      },
      right: turns,
      mistakes: {
        radians: { value: (drawn) => 2 * Math.PI * turns(drawn), read: "evaluation#ev-angles" },
        half: { value: (drawn) => turns({ ...drawn, i: drawn.i / 2 }), read: "evaluation#ev-angles" },
        per: { value: (drawn) => 1 / turns(drawn), read: "evaluation#ev-angles" },
      },
      words: {
        ko: {
          title: "몇 바퀴를 돌았을까",
          ask: ({ d, base, L, i }) => say`헤드의 차원이 ${d}, 밑이 ${base}인 RoPE를 길이 ${L}에서 배웠습니다. 번호가 ${i}인 쌍(0부터 셈)은 그 길이에서 몇 바퀴를 돕니까?`,
          radians: "라디안입니다. 한 바퀴는 2π입니다.",
          half: "지수의 2를 빠뜨렸습니다. 쌍의 번호는 d의 절반까지입니다.",
          per: "거꾸로 나누었습니다. 길이에 각속도를 곱한 것이 각입니다.",
          way: (drawn) => [
            say`한 칸에 ${drawn.base}^{−2·${drawn.i}/${drawn.d}} = ${speed(drawn)}라디안을 돕니다.`,
            say`길이 ${drawn.L}에서는 ${drawn.L * speed(drawn)}라디안, 2π로 나누면 ${fixed(turns(drawn), 2)}바퀴입니다.`,
          ],
        },
        en: {
          title: "How many turns?",
          ask: ({ d, base, L, i }) => say`RoPE with head dimension ${d} and base ${base} was trained at length ${L}. How many full turns does pair ${i}, counting from 0, make within it?`,
          radians: "Those are radians. A full turn is 2π.",
          half: "You left out the 2 in the exponent. Pair numbers go only up to d/2.",
          per: "You divided the wrong way round. The angle is the length times the speed.",
          way: (drawn) => [
            say`It turns by ${drawn.base}^{−2·${drawn.i}/${drawn.d}} = ${speed(drawn)} radians per position.`,
            say`Over ${drawn.L} positions that is ${drawn.L * speed(drawn)} radians; divided by 2π, ${fixed(turns(drawn), 2)} turns.`,
          ],
        },
      },
    },
    {
      name: "yarn", kind: "number", digits: 2,
      draw: (random, level) => {
        const drawn = { d: random.pick(level ? [64, 128] : [8, 16, 32]), base: 10000, L: random.pick(level ? [2048, 4096] : [32, 64, 128]), s: random.pick([4, 8, 16]), i: random.int(1, level ? 40 : 8) };
        return ramp(drawn) > 0.1 && ramp(drawn) < 0.9 ? drawn : null;
      },
      right: (drawn) => slower(drawn, ramp(drawn)),
      mistakes: {
        all: { value: ({ s }) => s, read: "evaluation#ev-interpolation" },
        turned: { value: (drawn) => slower(drawn, 1 - ramp(drawn)), read: "evaluation#ev-yarn" },
        mixed: { value: (drawn) => 1 - ramp(drawn) + ramp(drawn) * drawn.s, read: "evaluation#ev-yarn" },
        long: { value: (drawn) => slower(drawn, ramp({ ...drawn, L: drawn.L * drawn.s })), read: "evaluation#ev-mistakes" },
      },
      words: {
        ko: {
          title: "YaRN이 늦추는 만큼",
          ask: ({ d, base, L, s, i }) => say`헤드의 차원이 ${d}, 밑이 ${base}인 RoPE를 길이 ${L}에서 배우고, YaRN으로 ${s}배 늘입니다(β_{fast} = 32, β_{slow} = 1). 번호가 ${i}인 쌍의 각속도는 몇 배 느려집니까(θ/θ′)?`,
          all: "보간입니다. YaRN은 경사에 있는 쌍을 덜 늦춥니다.",
          turned: "섞는 비율이 거꾸로입니다. 번호가 클수록, 곧 덜 도는 쌍일수록 많이 늦춥니다.",
          mixed: "늦추는 배수를 섞었습니다. 섞는 것은 각속도입니다.",
          long: "늘인 길이에서 바퀴를 셌습니다. 배운 길이에서 셉니다.",
          way: (drawn) => [
            say`꼭 32바퀴를 도는 번호는 ${pairThatTurns(drawn, 32)}이므로 경사는 ${Math.max(pairThatTurns(drawn, 32), 0)}에서 시작하고, 한 바퀴를 도는 ${pairThatTurns(drawn, 1)}에서 끝납니다.`,
            say`번호 ${drawn.i}에서 γ는 ${ramp(drawn)}이고, 각속도는 (1 − γ) + γ/${drawn.s} = ${1 / slower(drawn, ramp(drawn))}배가 됩니다.`,
            say`거꾸로 하면 ${fixed(slower(drawn, ramp(drawn)), 2)}입니다.`,
          ],
        },
        en: {
          title: "How much YaRN slows a pair down",
          ask: ({ d, base, L, s, i }) => say`RoPE with head dimension ${d} and base ${base} was trained at length ${L} and is stretched ${s} times by YaRN (β_{fast} = 32, β_{slow} = 1). By what factor θ/θ′ is pair ${i} slowed down?`,
          all: "That is position interpolation. YaRN slows pairs on the ramp less.",
          turned: "The blend is the wrong way round. Higher pairs, which turn less, are slowed down more.",
          mixed: "You blended the factors. It is the speeds that are blended.",
          long: "You counted turns at the stretched length. Count them at the training length.",
          way: (drawn) => [
            say`The pair that would turn exactly 32 times is ${pairThatTurns(drawn, 32)}, so the ramp starts at ${Math.max(pairThatTurns(drawn, 32), 0)}; it ends at ${pairThatTurns(drawn, 1)}, which turns once.`,
            say`At pair ${drawn.i}, γ = ${ramp(drawn)}, and the speed is multiplied by (1 − γ) + γ/${drawn.s} = ${1 / slower(drawn, ramp(drawn))}.`,
            say`Its reciprocal is ${fixed(slower(drawn, ramp(drawn)), 2)}.`,
          ],
        },
      },
    },
    {
      name: "bytes", kind: "number", digits: 2,
      draw: (random, level) => ({ perplexity: random.pick([8, 16, 32, 64, 20, 50]), tokens: random.int(20, 60), characters: random.int(40, 120), spaces: level ? random.int(10, 30) : 0 }),
      right: bits,
      mistakes: {
        nats: { value: (drawn) => bits(drawn) * Math.LN2, read: "evaluation#ev-perplexity" },
        characters: { value: (drawn) => (bits(drawn) * (3 * drawn.characters + drawn.spaces)) / (drawn.characters + drawn.spaces), read: "evaluation#ev-mistakes" },
        tokens: { value: ({ perplexity }) => Math.log2(perplexity), read: "evaluation#ev-perplexity" },
        raw: { value: ({ perplexity, tokens, characters, spaces }) => (perplexity * tokens) / (3 * characters + spaces), read: "evaluation#ev-perplexity" },
      },
      words: {
        ko: {
          title: "바이트당 비트",
          ask: ({ perplexity, tokens, characters, spaces }) => say`한글 ${characters}자${spaces ? say`와 공백 ${spaces}자` : ""}로 된 글이 토큰 ${tokens}개로 나뉘고, 토큰마다의 퍼플렉시티가 ${perplexity}입니다. 바이트당 비트는 얼마입니까? 한글은 UTF-8로 한 글자가 3바이트, 공백은 1바이트입니다.`,
          nats: "자연로그를 썼습니다. 비트는 밑이 2입니다.",
          characters: "글자의 수로 나누었습니다.",
          tokens: "토큰마다의 비트입니다. 토큰이 다르면 비교할 수 없습니다.",
          raw: "퍼플렉시티에 로그를 취하지 않았습니다.",
          way: (drawn) => [
            say`글 전체는 ${drawn.tokens}·log_2 ${drawn.perplexity} = ${drawn.tokens * Math.log2(drawn.perplexity)}비트, ${3 * drawn.characters + drawn.spaces}바이트입니다.`,
            say`나누면 ${fixed(bits(drawn), 2)}입니다.`,
          ],
        },
        en: {
          title: "Bits per byte",
          ask: ({ perplexity, tokens, characters, spaces }) => say`A text of ${characters} Hangul syllables${spaces ? say` and ${spaces} spaces` : ""} is split into ${tokens} tokens and has a perplexity of ${perplexity} per token. How many bits per byte is that? In UTF-8 a Hangul syllable takes 3 bytes and a space 1.`,
          nats: "You used the natural logarithm. Bits take base 2.",
          characters: "You divided by the number of characters.",
          tokens: "Those are bits per token, which cannot be compared across tokenizers.",
          raw: "You did not take the logarithm of the perplexity.",
          way: (drawn) => [
            say`The whole text has ${drawn.tokens}·log_2 ${drawn.perplexity} = ${drawn.tokens * Math.log2(drawn.perplexity)} bits and ${3 * drawn.characters + drawn.spaces} bytes.`,
            say`Their ratio is ${fixed(bits(drawn), 2)}.`,
          ],
        },
      },
    },
    {
      name: "stride", kind: "vector",
      draw: (random, level) => {
        const [window, stride] = level ? random.pick([[64, 32], [32, 16], [64, 48]]) : [random.int(4, 6), random.int(2, 3)];
        return { window, stride, n: window + stride * (1 + level) + random.int(1, stride - 1) };
      },
      right: counted,
      mistakes: {
        again: { value: (drawn) => ends(drawn).map((end, i) => end - starts(drawn)[i] - 1), read: "evaluation#ev-mistakes" },
        first: { value: (drawn) => counted(drawn).map((count, i) => count + Number(i === 0)), read: "evaluation#ev-stride" },
        full: { value: (drawn) => counted(drawn).map((count, i) => (i ? drawn.stride : count)), read: "evaluation#ev-stride" },
        apart: { value: (drawn) => counted({ ...drawn, stride: drawn.window }), read: "evaluation#ev-stride" },
      },
      words: {
        ko: {
          title: "창마다 세는 토큰",
          ask: ({ n, window, stride }) => say`길이 ${n}인 글의 퍼플렉시티를 잽니다. 창은 ${window}, 걸음은 ${stride}입니다. 창마다 세는 토큰의 수를 차례로 적으십시오.`,
          again: "앞 창에서 센 토큰을 다시 셌습니다. 겹친 것은 앞말로만 씁니다.",
          first: "글의 첫 토큰을 셌습니다. 앞말이 없어 맞힐 수 없습니다.",
          full: "마지막 창은 글이 끝나는 데까지만 셉니다.",
          apart: "겹치지 않게 밀었습니다. 걸음만큼 밉니다.",
          way: (drawn) => [
            say`창은 자리 ${starts(drawn)}에서 시작해 ${ends(drawn)} 앞에서 끝납니다.`,
            say`첫 창은 첫 토큰을 빼고, 다음부터는 앞 창이 끝난 데서부터 셉니다: ${counted(drawn)}. 모두 ${drawn.n - 1}개입니다.`,
          ],
        },
        en: {
          title: "Tokens scored per window",
          ask: ({ n, window, stride }) => say`The perplexity of a text of ${n} tokens is measured with window ${window} and stride ${stride}. How many tokens does each window score?`,
          again: "You scored tokens of the previous window again. The overlap serves only as context.",
          first: "You scored the first token of the text. Nothing comes before it to predict it from.",
          full: "The last window scores only up to the end of the text.",
          apart: "You moved by whole windows. Move by the stride.",
          way: (drawn) => [
            say`The windows start at ${starts(drawn)} and end before ${ends(drawn)}.`,
            say`The first leaves out the first token; each later one starts scoring where the one before it ended: ${counted(drawn)}, or ${drawn.n - 1} in all.`,
          ],
        },
      },
    },
    {
      name: "choices", kind: "vector",
      draw: (random, level) => {
        const tokens = random.some(3 + level, range(8).map((i) => i + 1));
        const told = tokens.map((size) => -(size * random.int(2, 9) + random.int(0, 5)) / 4);
        const drawn = { told, tokens, prior: told.map((value) => value - random.int(-8, 20) / 4) };
        const close = ways(drawn).some((values) => values.some((value, i) => values.some((other, j) => i < j && Math.abs(value - other) < 0.05)));
        return close || new Set(ways(drawn).map(best)).size < 3 || Math.max(...drawn.prior) >= 0 ? null : drawn;
      },
      right: (drawn) => ways(drawn).map(best),
      mistakes: {
        least: { value: (drawn) => ways(drawn).map((values) => best(values.map((value) => -value))), read: "evaluation#ev-choices" },
        sums: { value: (drawn) => [0, 0, 2].map((way) => best(ways(drawn)[way])), read: "evaluation#ev-choices" },
        added: { value: (drawn) => [...ways(drawn).slice(0, 2), drawn.told.map((value, i) => value + drawn.prior[i])].map(best), read: "evaluation#ev-choices" },
        common: { value: (drawn) => [...ways(drawn).slice(0, 2), drawn.prior].map(best), read: "evaluation#ev-choices" },
      },
      words: {
        ko: {
          title: "세 가지 채점",
          ask: ({ told, tokens, prior }) => say`보기 ${told.length}개의 토큰은 ${tokens}개이고, 로그 확률의 합은 물음이 있을 때 ${told}, 없을 때 ${prior}입니다. 합, 토큰마다의 평균, PMI로 고르는 보기의 번호를 차례로 적으십시오(1부터 셉니다).`,
          least: "가장 작은 것을 골랐습니다. 로그 확률은 음수이고, 0에 가까울수록 큽니다.",
          sums: "토큰의 수로 나누지 않았습니다.",
          added: "물음이 없을 때의 로그 확률을 더했습니다. 뺍니다.",
          common: "물음이 없을 때 흔한 보기를 골랐습니다. PMI는 물음이 보탠 것을 봅니다.",
          way: (drawn) => [
            say`합은 ${drawn.told}, 토큰마다의 평균은 ${ways(drawn)[1]}, PMI는 ${ways(drawn)[2]}입니다.`,
            say`저마다 가장 큰 것은 ${ways(drawn).map(best)}번째입니다.`,
          ],
        },
        en: {
          title: "Scoring a question three ways",
          ask: ({ told, tokens, prior }) => say`A question has ${told.length} choices of ${tokens} tokens. Their summed log probabilities are ${told} after the question and ${prior} without it. Which choice wins by sum, by mean per token and by PMI? Write three numbers, counting choices from 1.`,
          least: "You took the smallest. Log probabilities are negative, and those nearer 0 are larger.",
          sums: "You did not divide by the number of tokens.",
          added: "You added the log probability without the question. Subtract it.",
          common: "You took the choice most likely without the question. PMI looks at what the question adds.",
          way: (drawn) => [
            say`The sums are ${drawn.told}, the means per token ${ways(drawn)[1]}, and the PMIs ${ways(drawn)[2]}.`,
            say`The largest of each are numbers ${ways(drawn).map(best)}.`,
          ],
        },
      },
    },
    {
      name: "paired", kind: "number", digits: 2,
      draw: (random, level) => {
        const n = level ? 6 : random.int(4, 6);
        const drawn = { a: random.ints(n, 0, 1), b: random.ints(n, 0, 1), size: level ? 2 : 1 };
        return squares(off(drawn)) && squares(totals(drawn)) ? drawn : null;
      },
      right: (drawn) => root(drawn, totals(drawn)),
      mistakes: {
        unpaired: { value: ({ a, b }) => Math.hypot(...[a, b].map((values) => root({ a }, values.map((value) => value - mean(values))))), read: "evaluation#ev-mistakes" },
        alone: { value: (drawn) => (drawn.size > 1 ? root(drawn, off(drawn)) : null), read: "evaluation#ev-clusters" },
        spread: { value: (drawn) => root(drawn, totals(drawn)) * Math.sqrt(totals(drawn).length), read: "evaluation#ev-paired" },
        uncorrected: { value: (drawn) => Math.sqrt(squares(totals(drawn))) / drawn.a.length, read: "evaluation#ev-clusters" },
      },
      words: {
        ko: {
          title: "짝지은 표준오차",
          ask: ({ a, b, size }) => say`같은 물음 ${a.length}개를 채점했습니다(맞으면 1, 틀리면 0). 모델 A는 ${a}, B는 ${b}입니다. ${size > 1 ? say`물음은 차례로 ${size}개씩 한 지문에 딸려 있습니다. ` : ""}맞힌 비율의 차의 표준오차는 얼마입니까?`,
          unpaired: "두 분산을 더했습니다. 다른 물음을 푼 두 모델의 오차입니다.",
          alone: "지문으로 묶지 않았습니다. 지문마다 먼저 더한 다음 제곱합니다.",
          spread: "표준편차입니다. 평균의 오차는 더 작습니다.",
          uncorrected: "하나를 뺀 수로 나누는 것을 빠뜨렸습니다.",
          way: (drawn) => [
            say`물음마다의 차는 ${differences(drawn)}이고, 평균을 빼면 ${off(drawn)}입니다.`,
            drawn.size > 1 ? say`지문마다 더하면 ${totals(drawn)}이고, 제곱의 합은 ${squares(totals(drawn))}입니다.` : say`제곱의 합은 ${squares(off(drawn))}입니다.`,
            say`표준오차는 √(${totals(drawn).length}/${totals(drawn).length - 1}·${squares(totals(drawn))})/${drawn.a.length} = ${fixed(root(drawn, totals(drawn)), 2)}입니다.`,
          ],
        },
        en: {
          title: "A paired standard error",
          ask: ({ a, b, size }) => say`On the same ${a.length} questions, with 1 for right and 0 for wrong, model A scores ${a} and model B ${b}. ${size > 1 ? say`The questions come in order, ${size} to a passage. ` : ""}What is the standard error of the difference in accuracy?`,
          unpaired: "You added the two variances. That is the error for models that answered different questions.",
          alone: "You did not cluster by passage. Add up within each passage before squaring.",
          spread: "That is the standard deviation. The error of a mean is smaller.",
          uncorrected: "You did not divide by one less than the number.",
          way: (drawn) => [
            say`The differences are ${differences(drawn)}; minus their mean, ${off(drawn)}.`,
            drawn.size > 1 ? say`Summed by passage they are ${totals(drawn)}, whose squares sum to ${squares(totals(drawn))}.` : say`Their squares sum to ${squares(off(drawn))}.`,
            say`The standard error is √(${totals(drawn).length}/${totals(drawn).length - 1}·${squares(totals(drawn))})/${drawn.a.length} = ${fixed(root(drawn, totals(drawn)), 2)}.`,
          ],
        },
      },
    },
    {
      name: "judge", kind: "vector", digits: 2,
      draw: (random, level) => {
        const n = 2 + level;
        const tenths = () => random.ints(n, 2, 9).map((value) => value / 10);
        const drawn = { first: tenths(), second: tenths(), x: random.some(n, [-20, -10, 0, 10, 20, 30, 40]) };
        const equal = line(both(drawn), drawn.x)[1];
        return equal >= 0 && equal <= 1 ? drawn : null;
      },
      right: (drawn) => line(both(drawn), drawn.x),
      mistakes: {
        asked: { value: ({ first, x }) => line(first, x), read: "evaluation#ev-judges" },
        unturned: { value: ({ first, second, x }) => line(first.map((value, i) => (value + second[i]) / 2), x), read: "evaluation#ev-mistakes" },
        flat: { value: (drawn) => [mean(both(drawn)), mean(both(drawn))], read: "evaluation#ev-length" },
        added: { value: (drawn) => [mean(both(drawn)), 2 * mean(both(drawn)) - line(both(drawn), drawn.x)[1]], read: "evaluation#ev-length" },
      },
      words: {
        ko: {
          title: "심판의 버릇 빼기",
          ask: ({ first, second, x }) => say`쌍 ${x.length}개에서 심판이 **먼저 읽은 글**이 낫다고 한 확률이, A를 먼저 읽었을 때 ${first}, B를 먼저 읽었을 때 ${second}입니다. A의 길이에서 B의 길이를 뺀 것은 ${x}입니다. 자리를 바꾸어 평균한 A의 승률과 길이가 같을 때의 승률을 차례로 적으십시오.`,
          asked: "한 차례만 썼습니다. 먼저 읽은 글을 좋아하는 버릇이 남습니다.",
          unturned: "B를 먼저 읽었을 때의 확률은 B의 것입니다. 1에서 빼십시오.",
          flat: "길이의 차를 보지 않았습니다. 직선을 그어 차가 0일 때의 높이를 읽습니다.",
          added: "기울기의 부호가 반대입니다.",
          way: (drawn) => [
            say`쌍마다 A가 나을 확률은 ${both(drawn)}이고, 평균은 ${line(both(drawn), drawn.x)[0]}입니다.`,
            say`길이의 차의 평균은 ${mean(drawn.x)}이고, 직선의 기울기는 ${mean(drawn.x) ? (line(both(drawn), drawn.x)[0] - line(both(drawn), drawn.x)[1]) / mean(drawn.x) : 0}입니다.`,
            say`차가 0일 때의 높이는 ${fixed(line(both(drawn), drawn.x)[1], 2)}입니다.`,
          ],
        },
        en: {
          title: "A judge without its habits",
          ask: ({ first, second, x }) => say`For ${x.length} pairs, a judge gives the text it **reads first** the probabilities ${first} of being better when A comes first, and ${second} when B comes first. A’s length minus B’s is ${x}. Write A’s win rate averaged over both orders, then its win rate at equal length.`,
          asked: "You used one order only, which keeps the habit of liking the first text.",
          unturned: "When B comes first, the probability is B’s. Subtract it from 1.",
          flat: "You ignored the lengths. Fit a line and read its height where the difference is 0.",
          added: "The slope has the wrong sign.",
          way: (drawn) => [
            say`A is better with probabilities ${both(drawn)}, with mean ${line(both(drawn), drawn.x)[0]}.`,
            say`The mean difference in length is ${mean(drawn.x)}, and the slope of the line is ${mean(drawn.x) ? (line(both(drawn), drawn.x)[0] - line(both(drawn), drawn.x)[1]) / mean(drawn.x) : 0}.`,
            say`Where the difference is 0, its height is ${fixed(line(both(drawn), drawn.x)[1], 2)}.`,
          ],
        },
      },
    },
  ];
}
