// Drills of the chapter on several heads.
"use strict";

{
  const { say, range, fixed } = drillKit;

  courseDrills.multi_head_attention = [
    {
      name: "split", kind: "shape",
      draw: (random, level) => {
        const [h, width] = random.some(2, [2, 3, 4, 5, 8]);
        return { batch: level ? [random.int(6, 9)] : [], n: random.pick([7, 10, 11]), h, d: h * width };
      },
      right: ({ batch, n, h, d }) => [...batch, h, n, d / h],
      mistakes: {
        unmoved: { value: ({ batch, n, h, d }) => [...batch, n, h, d / h], read: "multi_head_attention#splitting-heads" },
        whole: { value: ({ batch, n, h, d }) => [...batch, h, n, d], read: "multi_head_attention#multi-head-formula" },
        turned: { value: ({ batch, n, h, d }) => [...batch, d / h, n, h], read: "multi_head_attention#splitting-heads" },
        chopped: { value: ({ batch, n, h, d }) => [...batch, h, d / h, n], read: "multi_head_attention#splitting-heads" },
      },
      words: {
        ko: {
          title: "헤드로 나눈 모양",
          ask: ({ batch, n, h, d }) => say`모양이 ${[...batch, n, d]}인 텐서에 \`split_heads\`를 불러 헤드 ${h}개로 나눕니다. 결과의 모양은 무엇입니까?`,
          unmoved: "나누기만 하고 헤드의 축을 위치의 앞으로 옮기지 않았습니다.",
          whole: "헤드마다 전체 차원을 주었습니다. 헤드의 차원은 d/h입니다.",
          turned: "헤드의 수와 헤드의 차원을 바꾸었습니다.",
          chopped: "마지막 두 축이 바뀌었습니다. 위치 다음이 헤드의 차원입니다.",
          way: ({ batch, n, h, d }) => [
            say`차원 ${d}개를 헤드 ${h}개로 나누면 헤드의 차원은 ${d / h}입니다: ${[...batch, n, h, d / h]}.`,
            say`헤드마다 따로 보도록 헤드의 축을 위치의 앞으로 옮깁니다: ${[...batch, h, n, d / h]}.`,
          ],
        },
        en: {
          title: "The shape after splitting",
          ask: ({ batch, n, h, d }) => say`\`split_heads\` splits a tensor of shape ${[...batch, n, d]} into ${h} heads. What is the shape of the result?`,
          unmoved: "You did not move the axis of heads in front of the positions.",
          whole: "You gave each head the whole dimension. A head’s is d/h.",
          turned: "You swapped the number of heads and a head’s dimension.",
          chopped: "You swapped the last two axes. A head’s dimension comes after the positions.",
          way: ({ batch, n, h, d }) => [
            say`${d} components shared by ${h} heads make ${d / h} each: ${[...batch, n, h, d / h]}.`,
            say`Each head attends on its own, so the axis of heads moves in front of the positions: ${[...batch, h, n, d / h]}.`,
          ],
        },
      },
    },
    {
      name: "columns", kind: "vector",
      draw: (random, level) => {
        const [h, width] = random.pick(level ? [[3, 2], [2, 4], [4, 2], [3, 3]] : [[2, 3], [3, 2]]);
        return { x: random.some(h * width, range(20)), h, head: random.int(0, h - 1) };
      },
      right: ({ x, h, head }) => x.slice((head * x.length) / h, ((head + 1) * x.length) / h),
      mistakes: {
        every: { value: ({ x, h, head }) => x.filter((_, i) => i % h === head), read: "multi_head_attention#splitting-heads" },
        size: { value: ({ x, h, head }) => (head * h + h <= x.length ? x.slice(head * h, head * h + h) : null), read: "multi_head_attention#splitting-heads" },
        next: { value: ({ x, h, head }) => (head + 1 < h ? x.slice(((head + 1) * x.length) / h, ((head + 2) * x.length) / h) : null), read: "multi_head_attention#splitting-heads" },
      },
      words: {
        ko: {
          title: "한 헤드가 받는 성분",
          ask: ({ x, h, head }) => say`투영한 벡터가 ${x}이고 헤드가 ${h}개입니다. 헤드 ${head}(0부터 셉니다)가 받는 벡터는 무엇입니까?`,
          every: "건너뛰며 골랐습니다. 헤드는 이웃한 성분을 한 덩어리로 받습니다.",
          size: "덩어리의 크기를 헤드의 수로 잡았습니다. 크기는 d/h입니다.",
          next: "헤드를 1부터 셌습니다. 헤드 0이 첫 덩어리입니다.",
          way: ({ x, h, head }) => [
            say`헤드의 차원은 ${x.length}/${h} = ${x.length / h}입니다.`,
            say`앞의 ${(head * x.length) / h}개를 건너뛰고 ${x.length / h}개를 받습니다: ${x.slice((head * x.length) / h, ((head + 1) * x.length) / h)}.`,
          ],
        },
        en: {
          title: "What one head gets",
          ask: ({ x, h, head }) => say`A vector is ${x} after projection, and there are ${h} heads. Which vector does head ${head} (counting from 0) get?`,
          every: "You picked components at regular intervals. A head gets neighbours, in one block.",
          size: "Your block is as long as there are heads. It should be d/h long.",
          next: "You counted heads from 1. Head 0 has the first block.",
          way: ({ x, h, head }) => [
            say`A head’s dimension is ${x.length}/${h} = ${x.length / h}.`,
            say`Head ${head} skips ${(head * x.length) / h} and takes the next ${x.length / h}: ${x.slice((head * x.length) / h, ((head + 1) * x.length) / h)}.`,
          ],
        },
      },
    },
    {
      name: "merge", kind: "vector",
      draw: (random, level) => {
        const h = 2 + level;
        const numbers = random.some(h * 4, range(30));
        return { heads: range(h).map((k) => range(2).map((i) => numbers.slice(4 * k + 2 * i, 4 * k + 2 * i + 2))), at: random.int(0, 1) };
      },
      right: ({ heads, at }) => heads.flatMap((head) => head[at]),
      mistakes: {
        unturned: { value: ({ heads, at }) => heads.flat(2).slice(at * heads.length * 2, (at + 1) * heads.length * 2), read: "multi_head_attention#merging-heads" },
        woven: { value: ({ heads, at }) => range(2).flatMap((j) => heads.map((head) => head[at][j])), read: "multi_head_attention#merging-heads" },
        backwards: { value: ({ heads, at }) => [...heads].reverse().flatMap((head) => head[at]), read: "multi_head_attention#concatenating-heads" },
      },
      words: {
        ko: {
          title: "헤드를 이어 붙이기",
          ask: ({ heads, at }) => say`헤드마다 위치 둘의 출력을 행으로 적으면 헤드 0은 ${heads[0]}, 헤드 1은 ${heads[1]}${heads[2] ? say`, 헤드 2는 ${heads[2]}` : ""}입니다. 합친 것에서 위치 ${at}(0부터 셉니다)의 벡터는 무엇입니까?`,
          unturned: "헤드와 위치의 축을 되돌리지 않고 모양만 바꾸었습니다. 서로 다른 위치가 섞였습니다.",
          woven: "성분을 번갈아 놓았습니다. 헤드의 벡터를 통째로 잇습니다.",
          backwards: "헤드의 차례를 거꾸로 이었습니다.",
          way: ({ heads, at }) => [
            say`헤드마다 위치 ${at}의 행을 꺼냅니다.`,
            say`헤드 0부터 차례로 잇습니다: ${heads.flatMap((head) => head[at])}.`,
          ],
        },
        en: {
          title: "Joining the heads",
          ask: ({ heads, at }) => say`The rows are the outputs of two positions: head 0 gives ${heads[0]}, head 1 ${heads[1]}${heads[2] ? say`, head 2 ${heads[2]}` : ""}. After merging, what is the vector of position ${at} (counting from 0)?`,
          unturned: "You did not swap the axes of heads and positions back before reshaping, so different positions got mixed.",
          woven: "Your components alternate between heads. Join whole vectors.",
          backwards: "You joined the heads in reverse order.",
          way: ({ heads, at }) => [
            say`Take the row of position ${at} from each head.`,
            say`Join them, head 0 first: ${heads.flatMap((head) => head[at])}.`,
          ],
        },
      },
    },
    {
      name: "parameters", kind: "number",
      draw: (random, level) => ({ d: random.pick([8, 12, 16, 24, 64]), h: random.pick([2, 4]), bias: level }),
      right: ({ d, bias }) => 4 * d * d + bias * 4 * d,
      mistakes: {
        heads: { value: ({ d, h, bias }) => h * (4 * d * d + bias * 4 * d), read: "multi_head_attention#parameter-count" },
        three: { value: ({ d, bias }) => 3 * d * d + bias * 3 * d, read: "multi_head_attention#output-projection" },
        narrow: { value: ({ d, h, bias }) => (4 * d * d) / h + bias * 4 * d, read: "multi_head_attention#parameter-count" },
        bias: { value: ({ d, bias }) => (bias ? 4 * d * d : 4 * d * d + 4 * d), read: "multi_head_attention#parameter-count" },
      },
      words: {
        ko: {
          title: "파라미터의 수",
          ask: ({ d, h, bias }) => say`차원이 ${d}, 헤드가 ${h}개인 멀티 헤드 어텐션의 파라미터는 몇 개입니까? 선형 변환에는 편향이 ${bias ? "있습니다" : "없습니다"}.`,
          heads: "헤드의 수를 곱했습니다. 헤드가 늘면 헤드의 차원이 줄어 전체는 같습니다.",
          three: "마지막 행렬 W^O를 빠뜨렸습니다.",
          narrow: "헤드 하나의 몫만 셌습니다.",
          bias: ({ bias }) => (bias ? "편향을 빠뜨렸습니다." : "편향까지 셌습니다. 여기에는 없습니다."),
          way: ({ d, bias }) => [
            say`W^Q, W^K, W^V, W^O가 모두 ${d}·${d} = ${d * d}개입니다: ${4 * d * d}.`,
            bias ? say`편향 ${4 * d}개를 더하면 ${4 * d * d + 4 * d}개입니다.` : say`헤드의 수는 상관없습니다. 나누어 가질 뿐입니다.`,
          ],
        },
        en: {
          title: "How many parameters",
          ask: ({ d, h, bias }) => say`How many parameters does multi-head attention of dimension ${d} with ${h} heads have? Its linear transformations have ${bias ? "a bias each" : "no bias"}.`,
          heads: "You multiplied by the number of heads. More heads are narrower heads; the total stays the same.",
          three: "You left out the last matrix, W^O.",
          narrow: "You counted only one head’s share.",
          bias: ({ bias }) => (bias ? "You left out the biases." : "You counted biases. There are none here."),
          way: ({ d, bias }) => [
            say`W^Q, W^K, W^V and W^O have ${d}·${d} = ${d * d} each, in all ${4 * d * d}.`,
            bias ? say`With ${4 * d} more for the biases, ${4 * d * d + 4 * d}.` : say`The number of heads does not matter; they only divide these among themselves.`,
          ],
        },
      },
    },
    {
      name: "scale", kind: "number", digits: 2,
      draw: (random, level) => ({ ...random.pick(level ? [{ d: 512, h: 8 }, { d: 768, h: 12 }, { d: 96, h: 6 }] : [{ d: 32, h: 2 }, { d: 64, h: 4 }, { d: 36, h: 4 }]), score: random.int(-30, 60) }),
      right: ({ d, h, score }) => score / Math.sqrt(d / h),
      mistakes: {
        model: { value: ({ d, score }) => score / Math.sqrt(d), read: "multi_head_attention#scale-of-a-head" },
        heads: { value: ({ h, score }) => score / Math.sqrt(h), read: "multi_head_attention#scale-of-a-head" },
        unrooted: { value: ({ d, h, score }) => score / (d / h), read: "multi_head_attention#scale-of-a-head" },
        unscaled: { value: ({ score }) => score, read: "multi_head_attention#scale-of-a-head" },
      },
      words: {
        ko: {
          title: "헤드 안에서 나누기",
          ask: ({ d, h, score }) => say`차원이 ${d}, 헤드가 ${h}개입니다. 한 헤드에서 질의와 키의 내적이 ${score}입니다. 나눈 점수는 얼마입니까?`,
          model: "전체 차원의 제곱근으로 나누었습니다. 내적한 것은 헤드의 차원만큼입니다.",
          heads: "헤드의 수의 제곱근으로 나누었습니다.",
          unrooted: "제곱근을 취하지 않고 헤드의 차원으로 나누었습니다.",
          unscaled: "나누지 않았습니다.",
          way: ({ d, h, score }) => [
            say`헤드의 차원은 ${d}/${h} = ${d / h}입니다.`,
            say`${score}/√${d / h} = ${fixed(score / Math.sqrt(d / h), 2)}입니다.`,
          ],
        },
        en: {
          title: "Scaling inside a head",
          ask: ({ d, h, score }) => say`The dimension is ${d}, with ${h} heads. In one head the dot product of query and key is ${score}. What is the scaled score?`,
          model: "You divided by the root of the whole dimension. The dot product runs over a head’s dimension only.",
          heads: "You divided by the root of the number of heads.",
          unrooted: "You divided by a head’s dimension, without the root.",
          unscaled: "You did not divide.",
          way: ({ d, h, score }) => [
            say`A head’s dimension is ${d}/${h} = ${d / h}.`,
            say`${score}/√${d / h} = ${fixed(score / Math.sqrt(d / h), 2)}.`,
          ],
        },
      },
    },
  ];
}
