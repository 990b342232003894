// Drills of the chapter on the encoder.
"use strict";

{
  const { say } = drillKit;
  const attention = (d) => 4 * d * d + 4 * d;
  const forward = (d, f) => 2 * d * f + f + d;
  const layer = (d, f) => attention(d) + forward(d, f) + 4 * d;
  const sizes = (random, level) => ({ d: random.pick([4, 6, 8, 10]), f: random.pick([12, 16, 20, 32]), N: level + 2 });

  courseDrills.encoder = [
    {
      name: "layer", kind: "number",
      draw: sizes,
      right: ({ d, f }) => layer(d, f),
      mistakes: {
        norm: { value: ({ d, f }) => layer(d, f) - 2 * d, read: "encoder#encoder-counting" },
        bias: { value: ({ d, f }) => 4 * d * d + 2 * d * f + 4 * d, read: "encoder#encoder-counting" },
        output: { value: ({ d, f }) => layer(d, f) - d * d - d, read: "encoder#encoder-counting" },
        noNorm: { value: ({ d, f }) => layer(d, f) - 4 * d, read: "encoder#encoder-counting" },
      },
      words: {
        ko: {
          title: "인코더 층 하나의 파라미터",
          ask: ({ d, f }) => say`d_{model} = ${d}, d_{ff} = ${f}인 인코더 층의 파라미터는 몇 개입니까? 선형 변환에는 모두 편향이 있고, 층 정규화는 둘입니다.`,
          norm: "층 정규화를 하나만 셌습니다. 부분층마다 하나씩 둘입니다.",
          bias: "선형 변환의 편향을 빠뜨렸습니다.",
          output: "어텐션의 마지막 행렬 W^O를 빠뜨렸습니다.",
          noNorm: "층 정규화의 γ와 β를 빠뜨렸습니다.",
          way: ({ d, f }) => [
            say`어텐션: 4·(${d}·${d} + ${d}) = ${attention(d)}.`,
            say`피드포워드: ${d}·${f} + ${f} + ${f}·${d} + ${d} = ${forward(d, f)}.`,
            say`층 정규화 둘: 2·2·${d} = ${4 * d}. 모두 ${layer(d, f)}개입니다.`,
          ],
        },
        en: {
          title: "Parameters of one encoder layer",
          ask: ({ d, f }) => say`How many parameters does an encoder layer with d_{model} = ${d} and d_{ff} = ${f} have? All linear transformations have a bias, and there are two layer norms.`,
          norm: "You counted only one layer norm. Each sublayer has its own.",
          bias: "You left out the biases of the linear transformations.",
          output: "You left out attention’s last matrix, W^O.",
          noNorm: "You left out the γ and β of the layer norms.",
          way: ({ d, f }) => [
            say`Attention: 4·(${d}·${d} + ${d}) = ${attention(d)}.`,
            say`Feed-forward: ${d}·${f} + ${f} + ${f}·${d} + ${d} = ${forward(d, f)}.`,
            say`Two layer norms: 2·2·${d} = ${4 * d}. In all ${layer(d, f)}.`,
          ],
        },
      },
    },
    {
      name: "stack", kind: "number",
      draw: (random, level) => ({ ...sizes(random, level), V: random.pick([50, 100, 200]) }),
      right: ({ d, f, N, V }) => N * layer(d, f) + V * d,
      mistakes: {
        shared: { value: ({ d, f, V }) => layer(d, f) + V * d, read: "encoder#encoder-stack" },
        embedding: { value: ({ d, f, N }) => N * layer(d, f), read: "encoder#encoder-counting" },
        each: { value: ({ d, f, N, V }) => N * (layer(d, f) + V * d), read: "encoder#encoder-stack" },
      },
      words: {
        ko: {
          title: "층을 쌓으면",
          ask: ({ d, f, N, V }) => say`파라미터가 ${layer(d, f)}개인 층을 ${N}개 쌓고, 단어가 ${V}개인 임베딩(차원 ${d})을 아래에 둡니다. 사인·코사인 위치 인코딩을 쓰면 파라미터는 모두 몇 개입니까?`,
          shared: "층 하나만 셌습니다. 층들은 모양만 같고 파라미터를 나누어 쓰지 않습니다.",
          embedding: "임베딩을 빠뜨렸습니다.",
          each: "임베딩을 층마다 셌습니다. 맨 아래에 한 번만 있습니다.",
          way: ({ d, f, N, V }) => [
            say`층: ${N}·${layer(d, f)} = ${N * layer(d, f)}.`,
            say`임베딩: ${V}·${d} = ${V * d}. 사인·코사인에는 파라미터가 없습니다. 모두 ${N * layer(d, f) + V * d}개입니다.`,
          ],
        },
        en: {
          title: "A stack of layers",
          ask: ({ d, f, N, V }) => say`A stack of ${N} layers with ${layer(d, f)} parameters each sits on an embedding of ${V} words (dimension ${d}). With sinusoidal positions, how many parameters are there in all?`,
          shared: "You counted only one layer. Layers look alike but share no parameters.",
          embedding: "You left out the embedding.",
          each: "You counted the embedding once per layer. There is only one, at the bottom.",
          way: ({ d, f, N, V }) => [
            say`Layers: ${N}·${layer(d, f)} = ${N * layer(d, f)}.`,
            say`Embedding: ${V}·${d} = ${V * d}. Sinusoidal positions have no parameters. In all ${N * layer(d, f) + V * d}.`,
          ],
        },
      },
    },
    {
      name: "weights", kind: "shape",
      draw: (random, level) => {
        const [B, n, h] = random.some(3, [2, 3, 4, 5, 7, 9]);
        return { B, n, h, d: h * random.pick(level ? [8, 16] : [6, 10]) };
      },
      right: ({ B, n, h }) => [B, h, n, n],
      mistakes: {
        single: { value: ({ B, n }) => [B, n, n], read: "encoder#encoder-layer" },
        output: { value: ({ B, n, d }) => [B, n, d], read: "encoder#encoder-layer" },
        heads: { value: ({ B, n, h, d }) => [B, h, n, d / h], read: "encoder#encoder-layer" },
        last: { value: ({ B, n, h }) => [B, n, n, h], read: "encoder#encoder-layer" },
      },
      words: {
        ko: {
          title: "층 안의 가중치",
          ask: ({ B, n, h, d }) => say`모양이 ${[B, n, d]}인 배치가 헤드 ${h}개인 인코더 층을 지납니다. 헤드마다 따로 본 어텐션 가중치의 모양은 무엇입니까?`,
          single: "헤드의 축이 없습니다. 헤드마다 가중치가 다릅니다.",
          output: "층의 출력의 모양입니다. 들어간 것과 같습니다.",
          heads: "나눈 질의의 모양입니다. 가중치는 위치와 위치 사이의 것입니다.",
          last: "헤드의 축이 맨 뒤에 있습니다. 배치 다음입니다.",
          way: ({ B, n, h }) => [
            say`질의 ${n}개가 저마다 키 ${n}개를 보므로 헤드 하나에 ${[n, n]}입니다.`,
            say`배치와 헤드의 축을 앞에 놓습니다: ${[B, h, n, n]}. 헤드의 차원은 나타나지 않습니다.`,
          ],
        },
        en: {
          title: "Weights inside a layer",
          ask: ({ B, n, h, d }) => say`A batch of shape ${[B, n, d]} goes through an encoder layer with ${h} heads. What is the shape of its attention weights, head by head?`,
          single: "You left out the axis of heads. Each head has weights of its own.",
          output: "That is the shape of the layer’s output, which is the same as its input’s.",
          heads: "That is the shape of the split queries. Weights run between positions.",
          last: "You put the axis of heads last. It comes after the batch.",
          way: ({ B, n, h }) => [
            say`${n} queries look at ${n} keys each: ${[n, n]} for one head.`,
            say`Batch and heads come first: ${[B, h, n, n]}. A head’s dimension does not appear.`,
          ],
        },
      },
    },
  ];
}
