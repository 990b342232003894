// Drills of the warm-up.
"use strict";

{
  const { say, dot, share, sum, times, range, shape, fixed } = drillKit;
  const column = (matrix, j) => matrix.map((row) => row[j]);
  const joined = (a, b) => a.map((size, k) => Math.max(size, b[k]));

  courseDrills.warm_up = [
    {
      name: "cell", kind: "number",
      draw: (random, level) => ({ left: random.rows(2, 2 + level, -3, 4), right: random.rows(2 + level, 2, -3, 4), i: random.int(0, 1), j: random.int(0, 1) }),
      right: ({ left, right, i, j }) => times(left, right)[i][j],
      mistakes: {
        swapped: { value: ({ left, right, i, j }) => (i === j ? null : times(left, right)[j][i]), read: "warm_up#warm-up-shapes" },
        row: { value: ({ left, right, i, j }) => (right.length === 2 ? dot(left[i], right[j]) : null), read: "warm_up#warm-up-shapes" },
        product: { value: ({ left, right, i, j }) => sum(left[i]) * sum(column(right, j)), read: "warm_up#warm-up-shapes" },
      },
      words: {
        ko: {
          title: "행렬 곱의 한 칸",
          ask: ({ left, right, i, j }) => say`${left}에 ${right}를 곱한 행렬의 ${i + 1}행 ${j + 1}열은 얼마입니까?`,
          swapped: "행과 열을 바꾸었습니다. 왼쪽에서 행을, 오른쪽에서 열을 고릅니다.",
          row: "오른쪽에서도 행을 골랐습니다. 오른쪽에서는 열을 고릅니다.",
          product: "따로 더한 다음에 곱했습니다. 짝지어 곱한 다음에 더합니다.",
          way: ({ left, right, i, j }) => [say`왼쪽의 행 ${left[i]}와 오른쪽의 열 ${column(right, j)}를 짝짓습니다.`, say`곱해서 더하면 ${dot(left[i], column(right, j))}입니다.`],
        },
        en: {
          title: "One cell of a matrix product",
          ask: ({ left, right, i, j }) => say`${left} is multiplied by ${right}. What is in row ${i + 1}, column ${j + 1}?`,
          swapped: "You swapped row and column. The row is chosen on the left, the column on the right.",
          row: "You chose a row on the right, too. On the right, choose a column.",
          product: "You added before you multiplied. Multiply pair by pair, then add.",
          way: ({ left, right, i, j }) => [say`Pair the row ${left[i]} on the left with the column ${column(right, j)} on the right.`, say`Multiply the pairs and add up: ${dot(left[i], column(right, j))}.`],
        },
      },
    },
    {
      name: "product-shape", kind: "shape",
      draw: (random, level) => {
        const [batch, n, m, d] = random.some(4, [2, 3, 4, 5, 6, 7, 8, 16]);
        return { a: level ? [batch, n, d] : [n, d], b: level ? [batch, d, m] : [d, m] };
      },
      right: ({ a, b }) => [...a.slice(0, -1), b.at(-1)],
      mistakes: {
        inner: { value: ({ a, b }) => [...a.slice(0, -2), b.at(-2), a.at(-1)], read: "warm_up#warm-up-shapes" },
        turned: { value: ({ a, b }) => [...a.slice(0, -2), b.at(-1), a.at(-2)], read: "warm_up#warm-up-shapes" },
        lost: { value: ({ a, b }) => (a.length === 3 ? [a[1], b[2]] : null), read: "warm_up#warm-up-shapes" },
      },
      words: {
        ko: {
          title: "곱의 모양",
          ask: ({ a, b }) => say`모양이 ${shape(a)}인 텐서와 ${shape(b)}인 텐서를 @로 곱합니다. 결과의 모양을 적으십시오.`,
          inner: "사라지는 수를 남겼습니다. 맞닿은 두 수가 사라집니다.",
          turned: "행의 수와 열의 수가 바뀌었습니다.",
          lost: "맨 앞의 축은 묶음이므로 남습니다.",
          way: ({ a, b }) => [say`맞닿은 수는 ${a.at(-1)}입니다. 이 수가 사라집니다.`, say`남은 것은 ${shape([...a.slice(0, -1), b.at(-1)])}입니다.`],
        },
        en: {
          title: "The shape of a product",
          ask: ({ a, b }) => say`A tensor of shape ${shape(a)} is multiplied by one of shape ${shape(b)}, with @. What is the shape of the result?`,
          inner: "That keeps the two axes that should go. Where the shapes meet, both axes disappear.",
          turned: "You swapped rows and columns.",
          lost: "The first axis is the batch, and it stays.",
          way: ({ a, b }) => [say`The two ${a.at(-1)}s where the shapes meet disappear.`, say`What remains is ${shape([...a.slice(0, -1), b.at(-1)])}.`],
        },
      },
    },
    {
      name: "broadcast", kind: "shape",
      draw: (random, level) => {
        const [n, m, batch] = random.some(3, [2, 3, 4, 5, 6, 7, 8]);
        return { a: level ? [batch, n, 1] : [n, 1], b: level ? [1, m] : [m] };
      },
      right: ({ a, b }) => joined(a, [...range(a.length - b.length).map(() => 1), ...b]),
      mistakes: {
        first: { value: ({ a }) => a, read: "warm_up#warm-up-broadcasting" },
        second: { value: ({ b }) => b, read: "warm_up#warm-up-broadcasting" },
        turned: { value: ({ a, b }) => [...a.slice(0, -2), b.at(-1), a.at(-2)], read: "warm_up#warm-up-broadcasting" },
      },
      words: {
        ko: {
          title: "더한 것의 모양",
          ask: ({ a, b }) => say`모양이 ${shape(a)}인 텐서와 ${shape(b)}인 텐서를 더합니다. 결과의 모양을 적으십시오.`,
          first: "앞의 텐서의 모양 그대로입니다. 1인 축은 상대에 맞추어 늘어납니다.",
          second: "뒤의 텐서의 모양 그대로입니다. 축이 모자라면 앞에 1을 붙여 맞춥니다.",
          turned: "뒤에서부터 맞추지 않고 축의 자리를 바꾸었습니다.",
          way: ({ a, b }) => [say`뒤에서부터 맞추면 뒤의 텐서는 ${shape([...range(a.length - b.length).map(() => 1), ...b])}로 읽습니다.`, say`1인 축을 늘이면 ${shape(joined(a, [...range(a.length - b.length).map(() => 1), ...b]))}입니다.`],
        },
        en: {
          title: "The shape of a sum",
          ask: ({ a, b }) => say`A tensor of shape ${shape(a)} is added to one of shape ${shape(b)}. What is the shape of the result?`,
          first: "That is the first tensor’s own shape. An axis of 1 is stretched to fit the other.",
          second: "That is the second tensor’s own shape. Missing axes are added in front, as 1.",
          turned: "You did not line up the axes from the last one backwards; they changed places.",
          way: ({ a, b }) => [say`Lined up from the last axis, the second shape reads ${shape([...range(a.length - b.length).map(() => 1), ...b])}.`, say`Axes of 1 are stretched: ${shape(joined(a, [...range(a.length - b.length).map(() => 1), ...b]))}.`],
        },
      },
    },
    {
      name: "softmax", kind: "vector", digits: 2,
      draw: (random, level) => ({ exps: random.ints(3 + level, 1, 8) }),
      right: ({ exps }) => share(exps),
      mistakes: {
        undivided: { value: ({ exps }) => exps, read: "warm_up#warm-up-softmax" },
        again: { value: ({ exps }) => share(exps.map(Math.exp)), read: "warm_up#warm-up-softmax" },
        most: { value: ({ exps }) => exps.map((exp) => exp / Math.max(...exps)), read: "warm_up#warm-up-softmax" },
      },
      words: {
        ko: {
          title: "소프트맥스",
          ask: ({ exps }) => say`exp를 취한 점수가 ${exps}입니다. 소프트맥스를 적으십시오.`,
          undivided: "합으로 나누지 않았습니다.",
          again: "exp를 한 번 더 취했습니다. 주어진 것은 이미 exp(점수)입니다.",
          most: "가장 큰 것으로 나누었습니다. 합으로 나누어야 합이 1입니다.",
          way: ({ exps }) => [say`합은 ${sum(exps)}입니다.`, say`하나씩 나누면 ${share(exps)}입니다.`],
        },
        en: {
          title: "Softmax",
          ask: ({ exps }) => say`exp of the scores is ${exps}. What is the softmax?`,
          undivided: "You did not divide by the sum.",
          again: "You took exp once more. What is given is already exp(score).",
          most: "You divided by the largest. Only division by the sum makes them add up to 1.",
          way: ({ exps }) => [say`The sum is ${sum(exps)}.`, say`Divide each by it: ${share(exps)}.`],
        },
      },
    },
    {
      name: "step", kind: "number", digits: 2,
      draw: (random, level) => ({ w: random.int(-4, 5), goal: random.int(-3, 4), rate: random.pick(level ? [0.05, 0.2, 0.25] : [0.1, 0.5]) }),
      right: ({ w, goal, rate }) => w - rate * 2 * (w - goal),
      mistakes: {
        uphill: { value: ({ w, goal, rate }) => w + rate * 2 * (w - goal), read: "warm_up#warm-up-gradients" },
        half: { value: ({ w, goal, rate }) => w - rate * (w - goal), read: "warm_up#warm-up-gradients" },
        loss: { value: ({ w, goal, rate }) => w - rate * (w - goal) ** 2, read: "warm_up#warm-up-gradients" },
        gradient: { value: ({ w, goal }) => 2 * (w - goal), read: "warm_up#warm-up-gradients" },
      },
      words: {
        ko: {
          title: "한 걸음 뒤",
          ask: ({ w, goal, rate }) => say`손실이 (w − c)^2이고 c = ${goal}입니다. w = ${w}에서 학습률 ${rate}로 한 걸음 움직이면 w는 얼마입니까?`,
          uphill: "기울기 쪽으로 움직여 손실이 늘어납니다. 반대쪽으로 갑니다.",
          half: "제곱을 미분할 때 나오는 2를 빠뜨렸습니다.",
          loss: "기울기 대신 손실만큼 움직였습니다.",
          gradient: "기울기입니다. 학습률을 곱해 w에서 뺍니다.",
          way: ({ w, goal, rate }) => [say`기울기는 2(w − c) = ${2 * (w - goal)}입니다.`, say`학습률을 곱해 빼면 ${fixed(w - rate * 2 * (w - goal), 2)}입니다.`],
        },
        en: {
          title: "After one step",
          ask: ({ w, goal, rate }) => say`The loss is (w − c)^2 with c = ${goal}. What is w after one step from w = ${w} with learning rate ${rate}?`,
          uphill: "That moves along the gradient, and the loss grows. Go the other way.",
          half: "You left out the 2 that comes from differentiating the square.",
          loss: "You moved by the loss, not by the gradient.",
          gradient: "That is the gradient. Multiply it by the learning rate and subtract it from w.",
          way: ({ w, goal, rate }) => [say`The gradient is 2(w − c) = ${2 * (w - goal)}.`, say`Subtract it, times the learning rate: ${fixed(w - rate * 2 * (w - goal), 2)}.`],
        },
      },
    },
    {
      name: "parameters", kind: "number",
      draw: (random, level) => ({ sizes: random.some(2 + level, [2, 3, 4, 8, 16, 32, 64]) }),
      right: ({ sizes }) => sum(sizes.slice(1).map((out, k) => (sizes[k] + 1) * out)),
      mistakes: {
        matrix: { value: ({ sizes }) => sum(sizes.slice(1).map((out, k) => sizes[k] * out)), read: "warm_up#warm-up-modules" },
        inward: { value: ({ sizes }) => sum(sizes.slice(1).map((out, k) => sizes[k] * (out + 1))), read: "warm_up#warm-up-modules" },
        added: { value: ({ sizes }) => sum(sizes.slice(1).map((out, k) => sizes[k] + out)), read: "warm_up#warm-up-modules" },
      },
      words: {
        ko: {
          title: "파라미터의 수",
          ask: ({ sizes }) => say`${sizes.slice(1).map((out, k) => `nn.Linear(${sizes[k]}, ${out})`).join(", ")}의 파라미터는 모두 몇 개입니까?`,
          matrix: "행렬만 셌습니다. 더하는 벡터도 셉니다.",
          inward: "더하는 벡터는 들어오는 수가 아니라 나가는 수만큼입니다.",
          added: "행렬의 칸은 곱해서 셉니다.",
          way: ({ sizes }) => sizes.slice(1).flatMap((out, k) => [say`${sizes[k]} × ${out} = ${sizes[k] * out}`, say`${sizes[k] * out} + ${out} = ${(sizes[k] + 1) * out}`]),
        },
        en: {
          title: "Counting parameters",
          ask: ({ sizes }) => say`How many parameters do ${sizes.slice(1).map((out, k) => `nn.Linear(${sizes[k]}, ${out})`).join(", ")} have in all?`,
          matrix: "You counted only the matrix. The vector that is added counts, too.",
          inward: "The vector that is added has as many numbers as come out, not as go in.",
          added: "You added rows and columns. The entries of a matrix are counted by multiplying.",
          way: ({ sizes }) => sizes.slice(1).flatMap((out, k) => [say`${sizes[k]} × ${out} = ${sizes[k] * out}`, say`${sizes[k] * out} + ${out} = ${(sizes[k] + 1) * out}`]),
        },
      },
    },
  ];
}
