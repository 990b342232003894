// Drills of the chapter on fast inference.
"use strict";

{
  const { say, sum, share, fixed, range } = drillKit;
  const scale = (group, most = 7) => Math.max(...group.map(Math.abs)) / most;
  const groups = (weights, size) => range(weights.length / size).map((i) => weights.slice(i * size, (i + 1) * size));
  const quotients = (weights, size, most) => groups(weights, size).flatMap((group) => group.map((w) => w / scale(group, most)));
  const codes = (weights, size, most) => quotients(weights, size, most).map(Math.round);
  const onEdge = (value) => Math.abs(Math.abs(value % 1) - 0.5) < 0.03;
  const seen = (n, at, near, sinks) => range(n).map((key) => Number(key <= at && (near(at - key) || key < sinks)));
  const blocks = (tokens, size) => Math.ceil(tokens / size);
  const tenths = [[5, 3, 2], [1, 6, 3], [2, 2, 6], [4, 4, 2], [7, 2, 1], [3, 1, 6]];
  const longer = [[4, 3, 2, 1], [1, 5, 2, 2], [2, 1, 6, 1], [3, 3, 1, 3]];
  const missing = ({ p, r }) => p.map((value, i) => Math.max(0, value - r[i]));
  const seconds = ({ W, B, texts, cache }, bytes = 2) => (bytes * W + texts * cache) / (1000 * B);

  courseDrills.inference = [
    {
      name: "cache", kind: "number",
      draw: (random, level) => ({ layers: random.pick([16, 24, 32]), heads: random.pick([16, 32]), kv: random.pick([2, 4, 8]), d: random.pick([64, 128]), n: level ? 1000 : 1 }),
      right: ({ layers, kv, d, n }) => 2 * layers * kv * d * 2 * n,
      mistakes: {
        queries: { value: ({ layers, heads, d, n }) => 2 * layers * heads * d * 2 * n, read: "inference#inference-batch" },
        numbers: { value: ({ layers, kv, d, n }) => 2 * layers * kv * d * n, read: "inference#inference-time" },
        layer: { value: ({ kv, d, n }) => 2 * kv * d * 2 * n, read: "inference#inference-batch" },
      },
      words: {
        ko: {
          title: "캐시의 바이트",
          ask: ({ layers, heads, kv, d, n }) => say`층 ${layers}개, 질의 헤드 ${heads}개, 키·값 헤드 ${kv}개, 헤드의 차원이 ${d}인 모델을 bfloat16으로 씁니다. 토큰 ${n}개가 캐시에 남기는 것은 몇 바이트입니까?`,
          queries: "질의 헤드를 셌습니다. 캐시에는 키와 값만 남습니다.",
          numbers: "수의 개수이거나 키와 값 가운데 하나만 센 것입니다. bfloat16은 수 하나에 2바이트입니다.",
          layer: "한 층만 셌습니다.",
          way: ({ layers, kv, d, n }) => [
            say`층마다 키와 값이 ${kv}·${d}개씩이므로 토큰 하나에 2·${layers}·${kv}·${d} = ${2 * layers * kv * d}개입니다.`,
            say`수 하나에 2바이트, 토큰 ${n}개면 ${2 * layers * kv * d * 2 * n}바이트입니다.`,
          ],
        },
        en: {
          title: "The size of a KV cache",
          ask: ({ layers, heads, kv, d, n }) => say`A model has ${layers} layers, ${heads} query heads and ${kv} key–value heads of dimension ${d}, and stores numbers in bfloat16. How many bytes does its KV cache take for ${n === 1 ? "one token" : say`${n} tokens`}?`,
          queries: "You counted the query heads. The cache stores only keys and values.",
          numbers: "You counted numbers rather than bytes, or only keys or only values. A bfloat16 number takes 2 bytes.",
          layer: "You counted only one layer.",
          way: ({ layers, kv, d, n }) => [
            say`Each layer stores ${kv}·${d} numbers for the keys and as many for the values: 2·${layers}·${kv}·${d} = ${2 * layers * kv * d} per token.`,
            say`At 2 bytes per number, that makes ${2 * layers * kv * d * 2 * n} bytes in all.`,
          ],
        },
      },
    },
    {
      name: "limit", kind: "number", digits: 1,
      draw: (random, level) => ({ W: random.pick([4, 8, 10, 20, 40]), B: random.pick([1, 2, 4]), texts: level ? random.pick([4, 10, 20]) : 1, cache: level ? random.pick([0.5, 1, 2]) : 0 }),
      right: (drawn) => drawn.texts / seconds(drawn),
      mistakes: {
        byte: { value: (drawn) => drawn.texts / seconds(drawn, 1), read: "inference#inference-time" },
        compute: { value: ({ W }) => 300000 / (2 * W), read: "inference#inference-time" },
        shared: { value: (drawn) => (drawn.cache ? drawn.texts / seconds({ ...drawn, cache: drawn.cache / drawn.texts }) : null), read: "inference#inference-batch" },
        one: { value: (drawn) => (drawn.texts > 1 ? 1 / seconds(drawn) : null), read: "inference#inference-batch" },
      },
      words: {
        ko: {
          title: "1초에 쓰는 토큰",
          ask: ({ W, B, texts, cache }) => say`파라미터 ${W}·10^9개를 bfloat16으로 둔 모델로 글 ${texts === 1 ? "하나를" : say`${texts}개를 함께`} 씁니다. ${cache ? say`글 하나의 캐시는 ${cache} GB입니다. ` : "캐시는 세지 않습니다. "}메모리는 1초에 ${B} TB(${B}·10^{12}바이트)를 옮기고, 계산 장치는 1초에 300·10^{12}번 계산합니다. 옮기는 시간이 한계일 때 1초에 쓰는 토큰은 모두 몇 개입니까?`,
          byte: "가중치 하나를 1바이트로 셌습니다. bfloat16은 2바이트입니다.",
          compute: "계산이 한계일 때의 수입니다. 더 오래 걸리는 것은 옮기는 일입니다.",
          shared: "캐시를 한 번만 읽었습니다. 글마다 제 캐시를 읽습니다.",
          one: "글 하나의 토큰입니다. 한 걸음에 글마다 토큰 하나를 씁니다.",
          way: (drawn) => [
            say`한 걸음에 가중치 ${2 * drawn.W} GB와 캐시 ${drawn.texts * drawn.cache} GB를 옮깁니다. ${seconds(drawn)}초 걸립니다.`,
            say`한 걸음에 토큰 ${drawn.texts}개이므로 1초에 ${fixed(drawn.texts / seconds(drawn), 1)}개입니다.`,
          ],
        },
        en: {
          title: "Tokens per second",
          ask: ({ W, B, texts, cache }) => say`A model of ${W}·10^9 parameters in bfloat16 ${texts === 1 ? "writes one text" : say`writes ${texts} texts at once`}. ${cache ? say`Each text has a cache of ${cache} GB. ` : "Leave out the cache. "}The memory moves ${B} TB (${B}·10^{12} bytes) a second, and the arithmetic units do 300·10^{12} operations a second. If decoding is memory-bound, how many tokens are written in a second, all told?`,
          byte: "You counted 1 byte per weight. In bfloat16 it is 2.",
          compute: "That is the compute limit. Decoding is memory-bound, so moving the data takes longer.",
          shared: "You read the cache only once. Each text has its own.",
          one: "That is the rate for one text. A step writes one token of every text.",
          way: (drawn) => [
            say`A step moves ${2 * drawn.W} GB of weights and ${drawn.texts * drawn.cache} GB of cache, which takes ${seconds(drawn)} seconds.`,
            say`At ${drawn.texts} tokens per step, that is ${fixed(drawn.texts / seconds(drawn), 1)} tokens per second.`,
          ],
        },
      },
    },
    {
      name: "codes", kind: "vector",
      draw: (random, level) => {
        const size = level ? 2 : 4;
        const weights = random.ints(4, -9, 9).map((value, i) => (level && i < 2 ? value : value / 10));
        const bare = groups(weights, size).some((group) => scale(group) === 0);
        return bare || quotients(weights, size).some(onEdge) ? null : { weights, size };
      },
      right: ({ weights, size }) => codes(weights, size),
      mistakes: {
        cut: { value: ({ weights, size }) => quotients(weights, size).map((value) => Math.trunc(value + 1e-9 * Math.sign(value))), read: "inference#inference-zero-group" },
        power: { value: ({ weights, size }) => codes(weights, size, 8), read: "inference#inference-zero-group" },
        sign: { value: ({ weights, size }) => codes(weights, size, 15), read: "inference#inference-zero-group" },
        whole: { value: ({ weights, size }) => (size < 4 ? codes(weights, 4) : null), read: "inference#inference-groups" },
      },
      words: {
        ko: {
          title: "4비트로 적기",
          ask: ({ weights, size }) => say`가중치가 ${weights}입니다. ${size}개씩 묶어 4비트로 옮겨 적은 코드는 무엇입니까? 배율은 absmax로 정합니다.`,
          cut: "소수를 버렸습니다. 반올림합니다.",
          power: "가장 큰 코드를 8로 셌습니다. 부호 있는 4비트의 가장 큰 정수는 7입니다.",
          sign: "부호에 드는 비트를 빼지 않았습니다.",
          whole: "넷이 배율 하나를 함께 썼습니다. 묶음마다 하나입니다.",
          way: ({ weights, size }) => [
            say`절댓값이 가장 큰 것을 7로 나눈 배율은 ${groups(weights, size).map((group) => scale(group))}입니다.`,
            say`배율로 나누면 ${quotients(weights, size)}, 반올림하면 ${codes(weights, size)}입니다.`,
          ],
        },
        en: {
          title: "Quantising to 4 bits",
          ask: ({ weights, size }) => say`Quantise the weights ${weights} to signed 4-bit integers with absmax scales, in groups of ${size}. What are the codes?`,
          cut: "You truncated. Round to the nearest integer.",
          power: "You took 8 as the largest code. Signed 4-bit integers go up to 7.",
          sign: "You forgot that one bit holds the sign.",
          whole: "You used one scale for all four. Each group has its own.",
          way: ({ weights, size }) => [
            say`The scale is the largest absolute value divided by 7: ${groups(weights, size).map((group) => scale(group))}.`,
            say`Divided by it, the weights are ${quotients(weights, size)}; rounded, ${codes(weights, size)}.`,
          ],
        },
      },
    },
    {
      name: "window", kind: "vector",
      draw: (random, level) => ({ n: random.int(7, 8) + level, queries: random.int(2, 3), window: random.int(2, 3), sinks: level ? random.int(1, 2) : 1 }),
      right: ({ n, queries, window, sinks }) => seen(n, n - queries, (back) => back < window, sinks),
      mistakes: {
        wide: { value: ({ n, queries, window, sinks }) => seen(n, n - queries, (back) => back <= window, sinks), read: "inference#inference-window" },
        sinkless: { value: ({ n, queries, window }) => seen(n, n - queries, (back) => back < window, 0), read: "inference#inference-sinks" },
        corner: { value: ({ n, window, sinks }) => seen(n, 0, (back) => back < window, sinks), read: "inference#inference-mask" },
        past: { value: ({ n, queries, sinks }) => seen(n, n - queries, () => true, sinks), read: "inference#inference-window" },
      },
      words: {
        ko: {
          title: "캐시 앞의 창",
          ask: ({ n, queries, window, sinks }) => say`캐시에 키가 ${n}개 있고 질의는 마지막 ${queries}개 자리의 것입니다. 창은 자기까지 ${window}개, 싱크는 ${sinks}개입니다. **첫** 질의의 마스크 행을 1(봄)과 0으로 적으십시오.`,
          wide: "창이 하나 넓습니다. 자기까지 셉니다.",
          sinkless: "싱크를 빠뜨렸습니다.",
          corner: "질의를 맨 앞자리에 맞추었습니다. 마지막 자리들의 것입니다.",
          past: "앞을 모두 봅니다. 창과 싱크만 남깁니다.",
          way: ({ n, queries, window, sinks }) => [
            say`첫 질의의 자리는 ${n} − ${queries} = ${n - queries}입니다(0부터 셉니다).`,
            say`자리 ${n - queries - window + 1}부터 ${n - queries}까지, 그리고 맨 앞 ${sinks}개를 봅니다: ${seen(n, n - queries, (back) => back < window, sinks)}.`,
          ],
        },
        en: {
          title: "A sliding window over a cache",
          ask: ({ n, queries, window, sinks }) => say`A cache holds ${n} keys, and the queries stand at the last ${queries} positions. The window is ${window} wide, counting the query’s own position, and the number of attention sinks is ${sinks}. Write the mask row of the **first** query with 1 for visible and 0 for hidden.`,
          wide: "Your window is one too wide. It counts the query’s own position.",
          sinkless: "The sinks are missing.",
          corner: "You put the query at position 0. The queries stand at the last positions.",
          past: "Your query sees the whole past. It should see only the window and the sinks.",
          way: ({ n, queries, window, sinks }) => [
            say`The first query is at position ${n} − ${queries} = ${n - queries}, counting from 0.`,
            say`It sees positions ${n - queries - window + 1} to ${n - queries}, plus the sinks at the front (${sinks} of them): ${seen(n, n - queries, (back) => back < window, sinks)}.`,
          ],
        },
      },
    },
    {
      name: "blocks", kind: "number",
      draw: (random, level) => ({ size: random.pick(level ? [8, 16] : [2, 4]), a: random.ints(2 + level, 1, level ? 30 : 9), b: random.int(1, level ? 50 : 9) }),
      right: ({ size, a, b }) => blocks(sum(a), size) + blocks(b, size),
      mistakes: {
        anew: { value: ({ size, a, b }) => sum(a.map((tokens) => blocks(tokens, size))) + blocks(b, size), read: "inference#inference-pages-full" },
        pooled: { value: ({ size, a, b }) => blocks(sum(a) + b, size), read: "inference#inference-pages" },
        full: { value: ({ size, a, b }) => Math.floor(sum(a) / size) + Math.floor(b / size), read: "inference#inference-pages" },
      },
      words: {
        ko: {
          title: "받은 블록의 수",
          ask: ({ size, a, b }) => say`블록 하나에 토큰 ${size}개가 들어갑니다. 글 A에 토큰을 차례로 ${a}개씩, 글 B에 ${b}개를 붙였습니다. 두 글이 받은 블록은 모두 몇 개입니까?`,
          anew: "붙일 때마다 새 블록을 받았습니다. 마지막 블록에 남은 자리부터 채웁니다.",
          pooled: "두 글의 토큰을 한 블록에 섞어 담았습니다. 블록은 글마다 따로 받습니다.",
          full: "다 찬 블록만 셌습니다. 덜 찬 마지막 블록도 받은 것입니다.",
          way: ({ size, a, b }) => [
            say`A는 토큰이 ${sum(a)}개이므로 블록 ${blocks(sum(a), size)}개입니다.`,
            say`B는 ${b}개이므로 ${blocks(b, size)}개, 모두 ${blocks(sum(a), size) + blocks(b, size)}개입니다.`,
          ],
        },
        en: {
          title: "Paged blocks",
          ask: ({ size, a, b }) => say`A block of the paged KV cache holds ${size} tokens. Text A grows in several rounds, by ${a} tokens; text B takes ${b} in one go. How many blocks do the two occupy?`,
          anew: "You opened a new block each round. Fill the last one first.",
          pooled: "You put tokens of both texts into one block. Each text has blocks of its own.",
          full: "You counted only full blocks. A partly filled last block counts too.",
          way: ({ size, a, b }) => [
            say`The number of blocks for A, with ${sum(a)} tokens, is ${blocks(sum(a), size)}.`,
            say`For B, with ${b}, it is ${blocks(b, size)}; in total ${blocks(sum(a), size) + blocks(b, size)}.`,
          ],
        },
      },
    },
    {
      name: "residual", kind: "vector", digits: 2,
      draw: (random, level) => {
        const [p, r] = random.some(2, level ? longer : tenths).map(share);
        return sum(missing({ p, r })) > 0.15 ? { p, r } : null;
      },
      right: (drawn) => share(missing(drawn)),
      mistakes: {
        target: { value: ({ p }) => p, read: "inference#inference-residual" },
        turned: { value: ({ p, r }) => share(missing({ p: r, r: p })), read: "inference#inference-residual" },
        unshared: { value: (drawn) => missing(drawn), read: "inference#inference-residual" },
        sizes: { value: ({ p, r }) => share(p.map((value, i) => Math.abs(value - r[i]))), read: "inference#inference-residual" },
      },
      words: {
        ko: {
          title: "거절한 다음",
          ask: ({ p, r }) => say`큰 모델의 분포가 p = ${p}, 작은 모델의 분포가 r = ${r}입니다. 추측을 거절했을 때 토큰을 다시 뽑을 분포는 무엇입니까?`,
          target: "큰 모델의 분포 그대로입니다. 받아들인 몫이 이미 있습니다.",
          turned: "방향이 반대입니다. 모자란 몫은 p − r입니다.",
          unshared: "합이 1이 되게 나누지 않았습니다.",
          sizes: "절댓값을 나누었습니다. p가 r보다 작은 토큰은 0입니다.",
          way: (drawn) => [
            say`p − r에서 음수를 0으로 두면 ${missing(drawn)}, 합은 ${sum(missing(drawn))}입니다.`,
            say`합으로 나눕니다: ${share(missing(drawn))}.`,
          ],
        },
        en: {
          title: "After a rejection",
          ask: ({ p, r }) => say`The target model’s distribution is p = ${p}, the draft model’s r = ${r}. After a draft token is rejected, from which distribution is the replacement drawn?`,
          target: "That is the target model’s own distribution. Part of it has been covered by accepted drafts.",
          turned: "You subtracted the wrong way round. What is missing is p − r.",
          unshared: "You did not normalise it to sum to 1.",
          sizes: "You normalised the absolute values. Where p is below r, the result is 0.",
          way: (drawn) => [
            say`Take p − r and set negative entries to 0: ${missing(drawn)}, which sums to ${sum(missing(drawn))}.`,
            say`Divide by the sum: ${share(missing(drawn))}.`,
          ],
        },
      },
    },
  ];
}
