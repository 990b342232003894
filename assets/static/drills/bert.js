// Drills of the chapter on BERT.
"use strict";

{
  const { say, sum } = drillKit;
  const mean = (rows) => rows[0].map((_, j) => sum(rows.map((row) => row[j])) / rows.length);
  const highest = (rows) => rows[0].map((_, j) => Math.max(...rows.map((row) => row[j])));
  const ids = (counts) => counts.flatMap((count, segment) => Array(count).fill(segment));
  const forward = (d) => 8 * d * d + 5 * d;

  courseDrills.bert = [
    {
      name: "segments", kind: "vector",
      draw: (random, level) => ({ a: random.int(2, 3 + level), b: random.int(1, 3), pad: level ? random.int(1, 2) : 0 }),
      right: ({ a, b, pad }) => [...ids([a + 2, b + 1]), ...Array(pad).fill(0)],
      mistakes: {
        separator: { value: ({ a, b, pad }) => [...ids([a + 1, b + 2]), ...Array(pad).fill(0)], read: "bert#bert-segments" },
        special: { value: ({ a, b, pad }) => [...ids([a, b]), ...Array(pad).fill(0)], read: "bert#bert-input" },
        end: { value: ({ a, b, pad }) => [...ids([a + 2, b, 0]), ...Array(pad + 1).fill(0)], read: "bert#bert-segments" },
        counted: { value: ({ a, b, pad }) => [...ids([a + 2, b + 1]).map((segment) => segment + 1), ...Array(pad).fill(0)], read: "bert#bert-segments" },
      },
      words: {
        ko: {
          title: "세그먼트의 번호",
          ask: ({ a, b, pad }) => say`토큰이 ${a}개인 문장 A와 ${b}개인 문장 B를 [CLS] A [SEP] B [SEP]로 이었습니다${pad ? say`. 뒤에 PAD가 ${pad}개 있고 PAD의 번호는 0입니다` : ""}. 세그먼트 번호(\`token_type_ids\`)를 차례로 적으십시오.`,
          separator: "첫 [SEP]를 B에 넣었습니다. 첫 [SEP]까지가 A입니다.",
          special: "[CLS]와 [SEP]를 빠뜨렸습니다. 이들에게도 번호가 있습니다.",
          end: "마지막 [SEP]를 A에 넣었습니다. 마지막 [SEP]는 B입니다.",
          counted: "번호를 1부터 매겼습니다. 0과 1입니다.",
          way: ({ a, b, pad }) => [
            say`[CLS], A의 ${a}개, 첫 [SEP]까지 0이 ${a + 2}개입니다.`,
            say`B의 ${b}개와 마지막 [SEP]에 1이 ${b + 1}개입니다: ${[...ids([a + 2, b + 1]), ...Array(pad).fill(0)]}.`,
          ],
        },
        en: {
          title: "Segment ids",
          ask: ({ a, b, pad }) => say`Sentence A with ${a} tokens and sentence B with ${b} are joined as [CLS] A [SEP] B [SEP]${pad ? say`, followed by ${pad} PAD, whose id is 0` : ""}. What are the segment ids (\`token_type_ids\`)?`,
          separator: "You gave the first [SEP] to B. It belongs to A.",
          special: "You left out [CLS] and [SEP]. They have segment ids, too.",
          end: "You gave the last [SEP] to A. It belongs to B.",
          counted: "You numbered the segments from 1. They are 0 and 1.",
          way: ({ a, b, pad }) => [
            say`[CLS], the ${a} tokens of A and the first [SEP] make ${a + 2} zeros.`,
            say`The ${b} tokens of B and the last [SEP] make ${b + 1} ones: ${[...ids([a + 2, b + 1]), ...Array(pad).fill(0)]}.`,
          ],
        },
      },
    },
    {
      name: "pool", kind: "vector", digits: 2,
      draw: (random, level) => {
        const n = 3 + level;
        return { hidden: random.rows(n + 1, 2, -4, 6), real: random.int(2, n) };
      },
      right: ({ hidden, real }) => mean(hidden.slice(0, real)),
      mistakes: {
        padded: { value: ({ hidden }) => mean(hidden), read: "bert#pool-mean" },
        divided: { value: ({ hidden, real }) => mean(hidden.slice(0, real)).map((value) => (value * real) / hidden.length), read: "bert#pool-mean" },
        first: { value: ({ hidden }) => hidden[0], read: "bert#bert-pooling-experiment" },
        largest: { value: ({ hidden, real }) => highest(hidden.slice(0, real)), read: "bert#pool-max" },
      },
      words: {
        ko: {
          title: "문장을 한 벡터로",
          ask: ({ hidden, real }) => say`마지막 층의 출력이 ${hidden}의 행이고, 앞의 ${real}개만 진짜 토큰입니다. 평균 풀링(mean pooling)의 결과는 무엇입니까?`,
          padded: "PAD의 벡터까지 평균했습니다.",
          divided: "더할 때는 뺐지만 나눌 때는 PAD까지 셌습니다.",
          first: "[CLS]의 벡터를 가져왔습니다. 물은 것은 평균입니다.",
          largest: "성분마다 가장 큰 것을 골랐습니다. 그것은 최댓값 풀링입니다.",
          way: ({ hidden, real }) => [
            say`진짜 토큰의 행만 남깁니다: ${hidden.slice(0, real)}.`,
            say`열마다 평균합니다: ${mean(hidden.slice(0, real))}.`,
          ],
        },
        en: {
          title: "A sentence as one vector",
          ask: ({ hidden, real }) => say`The last layer’s outputs are the rows of ${hidden}, and only the first ${real} are real tokens. What does mean pooling give?`,
          padded: "You averaged in the vectors of PAD.",
          divided: "You left PAD out of the sum but counted it when dividing.",
          first: "That is the vector of [CLS]. The question asks for the mean.",
          largest: "You took the largest of each component. That is max pooling.",
          way: ({ hidden, real }) => [
            say`Keep the rows of real tokens: ${hidden.slice(0, real)}.`,
            say`The mean of each column: ${mean(hidden.slice(0, real))}.`,
          ],
        },
      },
    },
    {
      name: "embeddings", kind: "number",
      draw: (random, level) => ({ V: random.pick(level ? [8000, 30000] : [100, 200, 500]), P: random.pick([16, 32, 64]), d: random.pick(level ? [128, 256] : [4, 8, 16]) }),
      right: ({ V, P, d }) => (V + P + 2) * d + 2 * d,
      mistakes: {
        norm: { value: ({ V, P, d }) => (V + P + 2) * d, read: "bert#bert-counting" },
        positions: { value: ({ V, d }) => (V + 2) * d + 2 * d, read: "bert#bert-positions" },
        words: { value: ({ V, d }) => V * d, read: "bert#bert-counting" },
      },
      words: {
        ko: {
          title: "임베딩의 파라미터",
          ask: ({ V, P, d }) => say`어휘가 ${V}개, 위치가 ${P}개, 세그먼트가 2개, 차원이 ${d}인 BERT의 임베딩 층(층 정규화까지)에는 파라미터가 몇 개 있습니까?`,
          norm: "2d개가 모자랍니다. 층 정규화의 γ와 β를, 또는 세그먼트 임베딩을 빠뜨린 값입니다.",
          positions: "위치 임베딩을 빠뜨렸습니다. BERT는 위치를 배웁니다.",
          words: "토큰 임베딩만 셌습니다.",
          way: ({ V, P, d }) => [
            say`표는 셋입니다: (${V} + ${P} + 2)·${d} = ${(V + P + 2) * d}.`,
            say`층 정규화 2·${d} = ${2 * d}. 모두 ${(V + P + 2) * d + 2 * d}개입니다.`,
          ],
        },
        en: {
          title: "Parameters of the embeddings",
          ask: ({ V, P, d }) => say`With ${V} tokens, ${P} positions, 2 segments and dimension ${d}, how many parameters does BERT’s embedding layer have, its layer norm included?`,
          norm: "You are 2d short: the γ and β of the layer norm, or the segment embedding.",
          positions: "You left out the position embedding. BERT’s positions are learned.",
          words: "You counted only the token embedding.",
          way: ({ V, P, d }) => [
            say`There are three tables: (${V} + ${P} + 2)·${d} = ${(V + P + 2) * d}.`,
            say`The layer norm: 2·${d} = ${2 * d}. In all ${(V + P + 2) * d + 2 * d}.`,
          ],
        },
      },
    },
    {
      name: "layers", kind: "number",
      draw: (random, level) => ({ d: random.pick(level ? [64, 128, 256] : [4, 8, 12]), N: random.pick([2, 3, 6, 12]) }),
      right: ({ d, N }) => N * (4 * d * d + 4 * d + forward(d) + 4 * d),
      mistakes: {
        bias: { value: ({ d, N }) => N * 12 * d * d, read: "bert#bert-counting" },
        norm: { value: ({ d, N }) => N * (4 * d * d + 4 * d + forward(d)), read: "bert#bert-counting" },
        attention: { value: ({ d, N }) => N * (4 * d * d + 4 * d + 2 * d), read: "bert#bert-counting" },
        one: { value: ({ d }) => 12 * d * d + 13 * d, read: "bert#bert-layers" },
      },
      words: {
        ko: {
          title: "층의 파라미터",
          ask: ({ d, N }) => say`차원이 ${d}, 피드포워드의 안쪽이 ${4 * d}인 BERT의 인코더 ${N}층에는 파라미터가 모두 몇 개 있습니까? 편향과 층 정규화도 셉니다.`,
          bias: "행렬만 셌습니다. 편향과 층 정규화도 있습니다.",
          norm: "층 정규화를 빠뜨렸습니다. 한 층에 둘입니다.",
          attention: "피드포워드를 빠뜨렸습니다. 층의 3분의 2가 거기에 있습니다.",
          one: "한 층만 셌습니다.",
          way: ({ d, N }) => [
            say`어텐션 4d² + 4d = ${4 * d * d + 4 * d}, 피드포워드 8d² + 5d = ${forward(d)}, 층 정규화 4d = ${4 * d}.`,
            say`한 층은 ${12 * d * d + 13 * d}, ${N}층은 ${N * (12 * d * d + 13 * d)}개입니다.`,
          ],
        },
        en: {
          title: "Parameters of the layers",
          ask: ({ d, N }) => say`How many parameters do ${N} encoder layers of a BERT with dimension ${d} have, if the feed-forward networks have ${4 * d} hidden units? Count biases and layer norms.`,
          bias: "You counted only the matrices. There are biases and layer norms, too.",
          norm: "You left out the layer norms. A layer has two.",
          attention: "You left out the feed-forward network. It is two thirds of a layer.",
          one: "You counted only one layer.",
          way: ({ d, N }) => [
            say`Attention has 4d² + 4d = ${4 * d * d + 4 * d}, feed-forward 8d² + 5d = ${forward(d)}, layer norms 4d = ${4 * d}.`,
            say`One layer has ${12 * d * d + 13 * d} and ${N} layers have ${N * (12 * d * d + 13 * d)}.`,
          ],
        },
      },
    },
  ];
}
