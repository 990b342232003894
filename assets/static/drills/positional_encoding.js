// Drills of the chapter on positions.
"use strict";

{
  const { say, range, sum, dot, fixed } = drillKit;
  const angle = (p, i, d) => p / 10000 ** ((2 * i) / d);
  const encoding = (p, d) => range(d).map((j) => (j % 2 ? Math.cos : Math.sin)(angle(p, Math.floor(j / 2), d)));
  const turn = ([a, b], by) => [a * Math.cos(by) - b * Math.sin(by), a * Math.sin(by) + b * Math.cos(by)];

  courseDrills.positional_encoding = [
    {
      name: "row", kind: "vector", digits: 2,
      draw: (random, level) => ({ p: random.int(1, 9) * (level ? 10 : 1), d: 4 }),
      right: ({ p, d }) => encoding(p, d),
      mistakes: {
        halves: { value: ({ p, d }) => [0, 1].flatMap((half) => range(d / 2).map((i) => (half ? Math.cos : Math.sin)(angle(p, i, d)))), read: "positional_encoding#interleaved" },
        columns: { value: ({ p, d }) => range(d).map((j) => (j % 2 ? Math.cos : Math.sin)(p / 10000 ** (j / d))), read: "positional_encoding#sinusoid-pairs" },
        degrees: { value: ({ p, d }) => range(d).map((j) => (j % 2 ? Math.cos : Math.sin)((angle(p, Math.floor(j / 2), d) * Math.PI) / 180)), read: "positional_encoding#sinusoid-formula" },
        swapped: { value: ({ p, d }) => range(d).map((j) => (j % 2 ? Math.sin : Math.cos)(angle(p, Math.floor(j / 2), d))), read: "positional_encoding#sinusoid-formula" },
      },
      words: {
        ko: {
          title: "위치 벡터 하나",
          ask: ({ p, d }) => say`d_{model} = ${d}일 때 위치 ${p}의 사인·코사인 위치 인코딩은 무엇입니까? 사인과 코사인을 번갈아 놓고, 각은 라디안입니다.`,
          halves: "사인을 앞에, 코사인을 뒤에 모았습니다. 이 책은 번갈아 놓습니다.",
          columns: "칸마다 주기를 바꾸었습니다. 짝을 이루는 사인과 코사인은 주기가 같습니다.",
          degrees: "각을 도로 읽었습니다. 라디안입니다.",
          swapped: "사인과 코사인을 바꾸었습니다. 짝수 칸이 사인입니다.",
          way: ({ p, d }) => [
            say`첫 짝의 각은 ${p}/10000^0 = ${p}, 둘째 짝의 각은 ${p}/10000^{2/4} = ${angle(p, 1, d)}입니다.`,
            say`사인, 코사인을 번갈아 적습니다: ${encoding(p, d)}.`,
          ],
        },
        en: {
          title: "The vector of one position",
          ask: ({ p, d }) => say`For d_{model} = ${d}, what is the sinusoidal encoding of position ${p}? Sines and cosines alternate, and angles are in radians.`,
          halves: "You put all the sines first, then all the cosines. In this book they alternate.",
          columns: "You gave each column a period of its own. A sine and its cosine share one.",
          degrees: "You read the angle in degrees. It is in radians.",
          swapped: "You swapped sines and cosines. Even columns are sines.",
          way: ({ p, d }) => [
            say`The first pair’s angle is ${p}/10000^0 = ${p}, the second’s ${p}/10000^{2/4} = ${angle(p, 1, d)}.`,
            say`Write their sines and cosines in turn: ${encoding(p, d)}.`,
          ],
        },
      },
    },
    {
      name: "period", kind: "number", digits: 0,
      draw: (random, level) => {
        const d = random.pick(level ? [16, 32, 64, 512] : [4, 8]);
        return { d, i: random.int(1, level ? 6 : d / 2 - 1) };
      },
      right: ({ d, i }) => 2 * Math.PI * 10000 ** ((2 * i) / d),
      mistakes: {
        turnless: { value: ({ d, i }) => 10000 ** ((2 * i) / d), read: "positional_encoding#why-10000" },
        column: { value: ({ d, i }) => 2 * Math.PI * 10000 ** (i / d), read: "positional_encoding#sinusoid-pairs" },
        first: { value: () => 2 * Math.PI, read: "positional_encoding#why-10000" },
      },
      words: {
        ko: {
          title: "한 바퀴의 길이",
          ask: ({ d, i }) => say`d_{model} = ${d}입니다. 짝 ${i}(0부터 셉니다. 칸 ${2 * i}, ${2 * i + 1}입니다)의 사인은 몇 위치마다 한 바퀴를 돕니까? 정수로 반올림하십시오.`,
          turnless: "2π를 곱하지 않았습니다. 각이 2π만큼 늘어야 한 바퀴입니다.",
          column: "지수에 2i가 아니라 i를 썼습니다.",
          first: "짝 0의 주기입니다. 뒤로 갈수록 느려집니다.",
          way: ({ d, i }) => [
            say`위치 하나마다 각이 1/10000^{${2 * i}/${d}} = 1/${10000 ** ((2 * i) / d)}씩 늡니다.`,
            say`한 바퀴는 2π이므로 2π·${10000 ** ((2 * i) / d)} = ${fixed(2 * Math.PI * 10000 ** ((2 * i) / d), 0)}입니다.`,
          ],
        },
        en: {
          title: "Once around",
          ask: ({ d, i }) => say`d_{model} = ${d}. After how many positions does the sine of pair ${i} (counting from 0; columns ${2 * i} and ${2 * i + 1}) come full circle? Round to a whole number.`,
          turnless: "You left out 2π. A full turn is an angle of 2π.",
          column: "Your exponent has i in place of 2i.",
          first: "That is the period of pair 0. Later pairs are slower.",
          way: ({ d, i }) => [
            say`Each position adds 1/10000^{${2 * i}/${d}} = 1/${10000 ** ((2 * i) / d)} to the angle.`,
            say`A full turn is 2π, so 2π·${10000 ** ((2 * i) / d)} = ${fixed(2 * Math.PI * 10000 ** ((2 * i) / d), 0)}.`,
          ],
        },
      },
    },
    {
      name: "relative", kind: "number", digits: 2,
      draw: (random, level) => {
        const p = random.int(1, 9);
        return { p, r: p + random.int(1, 3 + 4 * level), d: 4 };
      },
      right: ({ p, r, d }) => dot(encoding(p, d), encoding(r, d)),
      mistakes: {
        first: { value: ({ p, r }) => Math.cos(r - p), read: "positional_encoding#shift-is-rotation" },
        same: { value: ({ d }) => d / 2, read: "positional_encoding#shift-is-rotation" },
        sines: { value: ({ p, r, d }) => sum(range(d / 2).map((i) => Math.sin(angle(p, i, d)) * Math.sin(angle(r, i, d)))), read: "positional_encoding#shift-is-rotation" },
        absolute: { value: ({ p, r, d }) => sum(range(d / 2).map((i) => Math.cos(angle(p + r, i, d)))), read: "positional_encoding#shift-is-rotation" },
      },
      words: {
        ko: {
          title: "두 위치의 내적",
          ask: ({ p, r, d }) => say`d_{model} = ${d}일 때 두 위치 ${p}, ${r}의 위치 벡터를 내적하면 얼마입니까? cos a cos b + sin a sin b = cos(a − b)를 쓰면 빠릅니다.`,
          first: "첫 짝만 셌습니다. 짝마다 하나씩 더합니다.",
          same: "같은 위치끼리의 내적입니다.",
          sines: "사인끼리의 곱만 더했습니다. 코사인도 있습니다.",
          absolute: "각을 뺄 자리에 더했습니다. 내적은 두 위치의 차이로만 정해집니다.",
          way: ({ p, r, d }) => [
            say`짝마다 cos(각의 차이)가 됩니다: cos(${r - p})와 cos(${r - p}/100).`,
            say`더하면 ${Math.cos(r - p)} + ${Math.cos((r - p) / 100)} = ${fixed(dot(encoding(p, d), encoding(r, d)), 2)}. 어디에 있든 차이가 ${r - p}이면 같습니다.`,
          ],
        },
        en: {
          title: "The dot product of two positions",
          ask: ({ p, r, d }) => say`For d_{model} = ${d}, what is the dot product of the encodings of positions ${p} and ${r}? It is short work with cos a cos b + sin a sin b = cos(a − b).`,
          first: "You counted only the first pair. Add up one cosine for each pair.",
          same: "That is a position’s dot product with itself.",
          sines: "You added only the products of sines. The cosines count, too.",
          absolute: "You added the angles instead of subtracting them. Only the difference of the positions counts.",
          way: ({ p, r, d }) => [
            say`Each pair gives the cosine of a difference: cos(${r - p}) and cos(${r - p}/100).`,
            say`${Math.cos(r - p)} + ${Math.cos((r - p) / 100)} = ${fixed(dot(encoding(p, d), encoding(r, d)), 2)}, the same wherever two positions lie ${r - p} apart.`,
          ],
        },
      },
    },
    {
      name: "rotary", kind: "vector", digits: 2,
      draw: (random, level) => ({ x: random.ints(level ? 4 : 2, -3, 4), p: random.int(1, 6) }),
      right: ({ x, p }) => rotated(x, p),
      mistakes: {
        back: { value: ({ x, p }) => rotated(x, -p), read: "positional_encoding#rotary" },
        same: { value: ({ x, p }) => (x.length === 4 ? [...turn(x.slice(0, 2), p), ...turn(x.slice(2), p)] : null), read: "positional_encoding#rotary" },
        halves: { value: ({ x, p }) => (x.length === 4 ? half(x, p) : null), read: "positional_encoding#rotary" },
        added: { value: ({ x, p }) => x.map((value, j) => value + encoding(p, x.length)[j]), read: "positional_encoding#rotary" },
      },
      words: {
        ko: {
          title: "돌려서 넣는 위치",
          ask: ({ x, p }) => say`질의가 ${x}이고 위치가 ${p}입니다. 이웃한 두 성분을 짝으로 하는 회전 위치 인코딩(RoPE)을 쓰면 어떤 벡터가 됩니까? 짝 i는 위치·10000^{−2i/d} 라디안만큼 돕니다.`,
          back: "반대쪽으로 돌렸습니다. 각은 양의 방향입니다.",
          same: "두 짝을 같은 각으로 돌렸습니다. 둘째 짝은 100배 느립니다.",
          halves: "앞쪽 절반과 뒤쪽 절반을 짝으로 했습니다. 이 책은 이웃한 성분을 짝으로 합니다.",
          added: "사인과 코사인을 더했습니다. 회전 위치 인코딩은 더하지 않고 돌립니다.",
          way: ({ x, p }) => [
            say`(a, b)를 각 θ만큼 돌리면 (a cos θ − b sin θ, a sin θ + b cos θ)입니다. 첫 짝의 θ는 ${p}${x.length === 4 ? say`, 둘째 짝은 ${p / 100}` : ""}입니다.`,
            say`cos ${p} = ${Math.cos(p)}, sin ${p} = ${Math.sin(p)}이므로 결과는 ${rotated(x, p)}입니다.`,
          ],
        },
        en: {
          title: "Positions as rotations",
          ask: ({ x, p }) => say`A query at position ${p} is ${x}. What does rotary position embedding turn it into, with neighbours as pairs? Pair i is rotated by position·10000^{−2i/d} radians.`,
          back: "You rotated backwards. The angle is positive.",
          same: "You rotated both pairs by the same angle. The second turns a hundred times more slowly.",
          halves: "You paired the first half with the second. In this book neighbours make a pair.",
          added: "You added sines and cosines. Rotary embedding adds nothing; it rotates.",
          way: ({ x, p }) => [
            say`(a, b) rotated by θ is (a cos θ − b sin θ, a sin θ + b cos θ). θ is ${p} for the first pair${x.length === 4 ? say` and ${p / 100} for the second` : ""}.`,
            say`cos ${p} = ${Math.cos(p)} and sin ${p} = ${Math.sin(p)} give ${rotated(x, p)}.`,
          ],
        },
      },
    },
  ];

  function rotated(x, p) {
    return range(x.length / 2).flatMap((i) => turn(x.slice(2 * i, 2 * i + 2), angle(p, i, x.length)));
  }

  function half([a, b, c, d], p) {
    const [[e, g], [f, h]] = [turn([a, c], p), turn([b, d], p / 100)];
    return [e, f, g, h];
  }
}
