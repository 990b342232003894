// Drills of the chapter on residual connections, normalisation and the feed-forward network.
"use strict";

{
  const { say, sum, times } = drillKit;
  const mean = (values) => sum(values) / values.length;
  const variance = (values, less = 0) => sum(values.map((value) => (value - mean(values)) ** 2)) / (values.length - less);
  const norm = (values) => values.map((value) => (value - mean(values)) / Math.sqrt(variance(values)));
  const plus = (a, b) => a.map((value, i) => value + b[i]);
  const relu = (values) => values.map((value) => Math.max(0, value));
  const product = (row, matrix) => times([row], matrix)[0];

  courseDrills.add_norm = [
    {
      name: "layer-norm", kind: "vector", digits: 2,
      draw: (random, level) => {
        const x = random.ints(level ? 5 : 4, -4, 8);
        return variance(x) > 1 ? { x } : null;
      },
      right: ({ x }) => norm(x),
      mistakes: {
        variance: { value: ({ x }) => x.map((value) => (value - mean(x)) / variance(x)), read: "add_norm#layer-norm" },
        sample: { value: ({ x }) => x.map((value) => (value - mean(x)) / Math.sqrt(variance(x, 1))), read: "add_norm#layer-norm" },
        centred: { value: ({ x }) => x.map((value) => value - mean(x)), read: "add_norm#layer-norm" },
        uncentred: { value: ({ x }) => x.map((value) => value / Math.sqrt(variance(x))), read: "add_norm#layer-norm" },
      },
      words: {
        ko: {
          title: "층 정규화",
          ask: ({ x }) => say`벡터 ${x}의 층 정규화는 무엇입니까? γ = 1, β = 0이고 ε은 무시합니다.`,
          variance: "분산으로 나누었습니다. 나눌 것은 표준편차입니다.",
          sample: "분산을 n − 1로 나누어 구했습니다. 층 정규화는 n으로 나눕니다.",
          centred: "평균만 뺐습니다. 표준편차로 나누어야 합니다.",
          uncentred: "평균을 빼지 않았습니다.",
          way: ({ x }) => [
            say`평균은 ${mean(x)}, 빼면 ${x.map((value) => value - mean(x))}입니다.`,
            say`분산은 ${variance(x)}, 표준편차는 ${Math.sqrt(variance(x))}입니다.`,
            say`나누면 ${norm(x)}입니다.`,
          ],
        },
        en: {
          title: "Layer normalisation",
          ask: ({ x }) => say`What does layer normalisation make of ${x}? γ = 1, β = 0, and ε may be ignored.`,
          variance: "You divided by the variance. Divide by the standard deviation.",
          sample: "You divided by n − 1 in the variance. Layer normalisation divides by n.",
          centred: "You only subtracted the mean. Divide by the standard deviation, too.",
          uncentred: "You did not subtract the mean.",
          way: ({ x }) => [
            say`The mean is ${mean(x)}; subtracting it leaves ${x.map((value) => value - mean(x))}.`,
            say`The variance is ${variance(x)} and the standard deviation ${Math.sqrt(variance(x))}.`,
            say`Divide by it: ${norm(x)}.`,
          ],
        },
      },
    },
    {
      name: "statistics", kind: "number",
      draw: (random, level) => {
        const groups = 2;
        return { N: random.int(3, 9), C: groups * random.int(2, 4), L: random.pick([5, 7, 11]), groups, kind: random.pick(level ? ["instance", "group"] : ["batch", "layer"]) };
      },
      right: (drawn) => counts(drawn)[drawn.kind],
      mistakes: {
        batch: { value: (drawn) => (drawn.kind === "batch" ? null : counts(drawn).batch), read: "add_norm#which-axes" },
        layer: { value: (drawn) => (drawn.kind === "layer" ? null : counts(drawn).layer), read: "add_norm#which-axes" },
        instance: { value: (drawn) => (drawn.kind === "instance" ? null : counts(drawn).instance), read: "add_norm#which-axes" },
        size: { value: ({ N, C, L, groups, kind }) => (N * C * L) / counts({ N, C, groups })[kind], read: "add_norm#which-axes" },
      },
      words: {
        ko: {
          title: "평균은 몇 개인가",
          ask: ({ N, C, L, groups, kind }) => say`모양이 (N, C, L) = ${[N, C, L]}인 텐서에 ${{ batch: "배치 정규화", layer: "층 정규화", instance: "인스턴스 정규화", group: `그룹이 ${groups}개인 그룹 정규화` }[kind]}를 합니다. 평균을 몇 개 구합니까?`,
          batch: "배치 정규화의 수입니다. 채널마다 하나입니다.",
          layer: "층 정규화의 수입니다. 샘플마다 하나입니다.",
          instance: "인스턴스 정규화의 수입니다. 샘플과 채널마다 하나입니다.",
          size: "평균 하나에 들어가는 수의 개수입니다. 물은 것은 평균의 개수입니다.",
          way: (drawn) => [
            say`배치는 채널마다(C), 층은 샘플마다(N), 인스턴스는 둘 다마다(N·C), 그룹은 샘플과 그룹마다(N·G) 하나입니다.`,
            say`여기서는 ${counts(drawn)[drawn.kind]}개입니다.`,
          ],
        },
        en: {
          title: "How many means",
          ask: ({ N, C, L, groups, kind }) => say`A tensor of shape (N, C, L) = ${[N, C, L]} goes through ${{ batch: "batch normalisation", layer: "layer normalisation", instance: "instance normalisation", group: `group normalisation with ${groups} groups` }[kind]}. How many means are taken?`,
          batch: "That is the number for batch normalisation: one mean for each channel.",
          layer: "That is the number for layer normalisation: one mean for each sample.",
          instance: "That is the number for instance normalisation: one mean for each sample and channel.",
          size: "That is how many numbers go into one mean. The question is how many means there are.",
          way: (drawn) => [
            say`Batch: one per channel (C). Layer: one per sample (N). Instance: one per sample and channel (N·C). Group: one per sample and group (N·G).`,
            say`Here there are ${counts(drawn)[drawn.kind]}.`,
          ],
        },
      },
    },
    {
      name: "sublayer", kind: "vector", digits: 2,
      draw: (random, level) => {
        const [x, f] = [random.ints(3, -3, 5), random.ints(3, -3, 5)];
        return variance(x) > 1 && variance(plus(x, f)) > 1 && variance(f) > 1 ? { x, f, pre: level } : null;
      },
      right: ({ x, f, pre }) => (pre ? plus(x, f) : norm(plus(x, f))),
      mistakes: {
        other: { value: ({ x, f, pre }) => (pre ? norm(plus(x, f)) : plus(x, f)), read: "add_norm#pre-norm" },
        before: { value: ({ x, f }) => plus(norm(x), f), read: "add_norm#pre-norm" },
        inside: { value: ({ x, f }) => plus(x, norm(f)), read: "add_norm#post-norm" },
        lost: { value: ({ f, pre }) => (pre ? f : norm(f)), read: "add_norm#residual" },
      },
      words: {
        ko: {
          title: "더하고 정규화",
          ask: ({ x, f, pre }) => (pre
            ? say`pre-norm 층입니다. 입력 x가 ${x}이고, 정규화한 입력을 받은 부분층의 출력이 ${f}입니다. 층의 출력은 무엇입니까?`
            : say`post-norm 층입니다. 입력 x가 ${x}이고 부분층의 출력이 ${f}입니다. 층의 출력은 무엇입니까? γ = 1, β = 0이고 ε은 무시합니다.`),
          other: ({ pre }) => (pre ? "post-norm의 출력입니다. pre-norm은 더한 뒤에 정규화하지 않습니다." : "더하기만 했습니다. post-norm은 더한 뒤에 정규화합니다."),
          before: "정규화한 x를 더했습니다. 더하는 것은 손대지 않은 x입니다.",
          inside: "부분층의 출력만 정규화하고 더했습니다.",
          lost: "x를 더하지 않았습니다. 잔차 연결이 빠졌습니다.",
          way: ({ x, f, pre }) => [
            say`x를 그대로 더합니다: ${plus(x, f)}.`,
            pre ? say`pre-norm에서는 이것이 출력입니다. 정규화는 부분층 안쪽에서 이미 했습니다.` : say`더한 것을 정규화합니다: ${norm(plus(x, f))}.`,
          ],
        },
        en: {
          title: "Add and norm",
          ask: ({ x, f, pre }) => (pre
            ? say`A pre-norm layer: its input x is ${x}, and the sublayer, given the normalised input, returns ${f}. What is the layer’s output?`
            : say`A post-norm layer: its input x is ${x}, and the sublayer returns ${f}. What is the layer’s output? γ = 1, β = 0, and ε may be ignored.`),
          other: ({ pre }) => (pre ? "That is post-norm’s output. Pre-norm does not normalise after adding." : "You only added. Post-norm normalises the sum."),
          before: "You added the normalised x. What is added is x itself.",
          inside: "You normalised only the sublayer’s output and then added x.",
          lost: "You did not add x: the residual connection is missing.",
          way: ({ x, f, pre }) => [
            say`Add x as it is: ${plus(x, f)}.`,
            pre ? say`With pre-norm that is the output. The sublayer’s input is where the normalisation took place.` : say`Normalise the sum: ${norm(plus(x, f))}.`,
          ],
        },
      },
    },
    {
      name: "feed-forward", kind: "vector",
      draw: (random, level) => {
        const drawn = { x: random.ints(2, -2, 3), W1: random.rows(2, 2 + level, -2, 2), b1: random.ints(2 + level, -2, 2), W2: random.rows(2 + level, 2, -2, 2) };
        return Math.min(...plus(product(drawn.x, drawn.W1), drawn.b1)) < 0 ? drawn : null;
      },
      right: ({ x, W1, b1, W2 }) => product(relu(plus(product(x, W1), b1)), W2),
      mistakes: {
        linear: { value: ({ x, W1, b1, W2 }) => product(plus(product(x, W1), b1), W2), read: "add_norm#feed-forward" },
        late: { value: ({ x, W1, b1, W2 }) => relu(product(plus(product(x, W1), b1), W2)), read: "add_norm#feed-forward" },
        bias: { value: ({ x, W1, W2 }) => product(relu(product(x, W1)), W2), read: "add_norm#feed-forward" },
        early: { value: ({ x, W1, b1, W2 }) => product(plus(relu(product(x, W1)), b1), W2), read: "add_norm#feed-forward" },
      },
      words: {
        ko: {
          title: "피드포워드 한 위치",
          ask: ({ x, W1, b1, W2 }) => say`max(0, x W_1 + b_1) W_2를 계산하십시오. x는 ${x}, W_1은 ${W1}, b_1은 ${b1}, W_2는 ${W2}이고 b_2는 0입니다.`,
          linear: "ReLU를 빠뜨렸습니다. 그러면 행렬 하나와 다르지 않습니다.",
          late: "ReLU를 맨 뒤에 취했습니다. 두 행렬의 사이입니다.",
          bias: "b_1을 더하지 않았습니다.",
          early: "편향을 더하기 전에 ReLU를 취했습니다.",
          way: ({ x, W1, b1, W2 }) => [
            say`x W_1 + b_1 = ${plus(product(x, W1), b1)}.`,
            say`음수를 0으로 바꿉니다: ${relu(plus(product(x, W1), b1))}.`,
            say`W_2를 곱합니다: ${product(relu(plus(product(x, W1), b1)), W2)}.`,
          ],
        },
        en: {
          title: "The feed-forward network at one position",
          ask: ({ x, W1, b1, W2 }) => say`Compute max(0, x W_1 + b_1) W_2 for x = ${x}, W_1 = ${W1}, b_1 = ${b1}, W_2 = ${W2}, and b_2 = 0.`,
          linear: "You left out the ReLU. Without it the two matrices amount to one.",
          late: "Your ReLU came last. It goes between the matrices.",
          bias: "You did not add b_1.",
          early: "Your ReLU came before the bias.",
          way: ({ x, W1, b1, W2 }) => [
            say`x W_1 + b_1 = ${plus(product(x, W1), b1)}.`,
            say`Negative numbers become 0: ${relu(plus(product(x, W1), b1))}.`,
            say`Times W_2: ${product(relu(plus(product(x, W1), b1)), W2)}.`,
          ],
        },
      },
    },
  ];

  function counts({ N, C, groups }) {
    return { batch: C, layer: N, instance: N * C, group: N * groups };
  }
}
