// Drills of the chapter on pictures and text.
"use strict";

{
  const { say, range, softmax, fixed } = drillKit;
  const scores = ({ cosines, scale }) => cosines.map((row) => row.map((cosine) => scale * cosine));
  const column = (table, j) => table.map((row) => row[j]);
  const places = ({ words, side, patch }) => words - 1 + (side / patch) ** 2;
  const row = ({ before, patches, after, at }, ahead) => range(before + patches + after).map((key) => Number(key <= at || ahead(key)));
  const own = ({ before, patches }) => (key) => key >= before && key < before + patches;

  courseDrills.vision_language = [
    {
      name: "chance", kind: "number", digits: 2,
      draw: (random, level) => ({ cosines: random.rows(2, 2, -6, 9).map((values) => values.map((value) => value / 10)), scale: level ? random.pick([4, 5, 8]) : 2 }),
      right: (drawn) => softmax(scores(drawn)[0])[0],
      mistakes: {
        column: { value: (drawn) => softmax(column(scores(drawn), 0))[0], read: "vision_language#vision-language-loss" },
        scale: { value: ({ cosines }) => softmax(cosines[0])[0], read: "vision_language#vision-language-loss" },
        all: { value: (drawn) => softmax(scores(drawn).flat())[0], read: "vision_language#vision-language-loss" },
      },
      words: {
        ko: {
          title: "제 글의 확률",
          ask: ({ cosines, scale }) => say`그림 둘과 글 둘의 코사인이 첫 그림은 ${cosines[0]}, 둘째 그림은 ${cosines[1]}입니다. 곱하는 수가 ${scale}일 때, 첫 그림이 첫 글에 주는 확률은 얼마입니까?`,
          column: "첫 글이 첫 그림에 주는 확률입니다. 그림이 고를 때는 행을 봅니다.",
          scale: "수를 곱하지 않고 소프트맥스를 취했습니다.",
          all: "넷 모두에 소프트맥스를 취했습니다. 행 하나에만 취합니다.",
          way: (drawn) => [
            say`첫 행에 ${drawn.scale}을 곱하면 ${scores(drawn)[0]}입니다.`,
            say`소프트맥스의 첫 성분은 ${fixed(softmax(scores(drawn)[0])[0], 2)}입니다.`,
          ],
        },
        en: {
          title: "The probability of its own caption",
          ask: ({ cosines, scale }) => say`The cosines with two captions are ${cosines[0]} for a first picture and ${cosines[1]} for a second. With a scale of ${scale}, what probability does the first picture give the first caption?`,
          column: "That is what the first caption gives the first picture. When a picture chooses, look at its row.",
          scale: "You took the softmax without the scale.",
          all: "You took the softmax over all four. Take it over one row.",
          way: (drawn) => [
            say`The first row times ${drawn.scale} is ${scores(drawn)[0]}.`,
            say`The first component of its softmax is ${fixed(softmax(scores(drawn)[0])[0], 2)}.`,
          ],
        },
      },
    },
    {
      name: "places", kind: "number",
      draw: (random, level) => {
        const [side, patch] = random.pick(level ? [[224, 14], [336, 14], [448, 14]] : [[8, 2], [32, 8], [12, 4]]);
        return { words: random.int(5, 40), side, patch };
      },
      right: places,
      mistakes: {
        stays: { value: (drawn) => places(drawn) + 1, read: "vision_language#vision-language-insert" },
        one: { value: ({ words }) => words, read: "vision_language#vision-language-insert" },
        line: { value: ({ words, side, patch }) => words - 1 + side / patch, read: "vision_language#vision-language-insert" },
      },
      words: {
        ko: {
          title: "그림을 끼운 길이",
          ask: ({ words, side, patch }) => say`그림의 자리 하나를 포함해 토큰이 ${words}개인 글에, 한 변이 ${side}인 그림을 한 변이 ${patch}인 패치로 잘라 끼웁니다. 언어 모델이 읽는 것은 모두 몇 자리입니까?`,
          stays: "그림의 자리를 빼지 않았습니다.",
          one: "그림을 한 자리로 셌습니다. 패치마다 한 자리입니다.",
          line: "패치를 한 줄만 셌습니다. 가로와 세로를 곱합니다.",
          way: (drawn) => [
            say`패치는 ${drawn.side / drawn.patch}·${drawn.side / drawn.patch} = ${(drawn.side / drawn.patch) ** 2}개입니다.`,
            say`자리 하나를 빼고 끼우면 ${drawn.words} − 1 + ${(drawn.side / drawn.patch) ** 2} = ${places(drawn)}자리입니다.`,
          ],
        },
        en: {
          title: "The length with a picture",
          ask: ({ words, side, patch }) => say`A text has ${words} tokens, including one placeholder for a picture. The picture, ${side} pixels a side, is cut into patches of ${patch} a side, which take the placeholder’s place. How many positions does the language model read?`,
          stays: "You did not remove the placeholder.",
          one: "You counted the picture as one position. Each patch takes one.",
          line: "You counted a single row of patches. Multiply rows by columns.",
          way: (drawn) => [
            say`There are ${drawn.side / drawn.patch}·${drawn.side / drawn.patch} = ${(drawn.side / drawn.patch) ** 2} patches.`,
            say`One position goes: ${drawn.words} − 1 + ${(drawn.side / drawn.patch) ** 2} = ${places(drawn)}.`,
          ],
        },
      },
    },
    {
      name: "mask", kind: "vector",
      draw: (random, level) => {
        const [before, patches, after] = [random.int(1, 2), random.int(3, 4), random.int(2, 3)];
        return { before, patches, after, at: before + random.int(0, level ? patches - 2 : 0) };
      },
      right: (drawn) => row(drawn, own(drawn)),
      mistakes: {
        causal: { value: (drawn) => row(drawn, () => false), read: "vision_language#vision-language-mask" },
        everything: { value: (drawn) => row(drawn, () => true), read: "vision_language#vision-language-mask" },
        alone: { value: (drawn) => row({ ...drawn, at: -1 }, own(drawn)), read: "vision_language#vision-language-mask" },
      },
      words: {
        ko: {
          title: "패치가 보는 자리",
          ask: ({ before, patches, after, at }) => say`글 ${before}자리, 그림의 패치 ${patches}자리, 글 ${after}자리가 차례로 있습니다. 패치끼리는 서로 보고, 그 밖에는 자기와 앞만 봅니다. 자리 ${at}의 패치(0부터 셈)의 마스크 행을 1(봄)과 0으로 적으십시오.`,
          causal: "앞만 보았습니다. 같은 그림의 뒤 패치도 봅니다.",
          everything: "뒤의 글까지 보았습니다.",
          alone: "앞의 글을 빠뜨렸습니다. 앞의 자리는 누구나 봅니다.",
          way: (drawn) => [
            say`자기와 앞은 자리 0부터 ${drawn.at}까지입니다.`,
            say`같은 그림은 자리 ${drawn.before}부터 ${drawn.before + drawn.patches - 1}까지입니다: ${row(drawn, own(drawn))}.`,
          ],
        },
        en: {
          title: "What a patch sees",
          ask: ({ before, patches, after, at }) => say`First comes text in ${before === 1 ? "one position" : say`${before} positions`}, then a picture’s patches in ${patches}, then text in ${after}. Patches see each other; everything else sees itself and what came before. For the patch at position ${at} (counting from 0), write its row of the mask: 1 where it sees, 0 where it does not.`,
          causal: "That looks only back. A patch also sees the later patches of its own picture.",
          everything: "That also sees the text that comes later.",
          alone: "You left out the text before. Everything sees what came before it.",
          way: (drawn) => [
            say`Itself and what came before are positions 0 to ${drawn.at}.`,
            say`Its own picture is positions ${drawn.before} to ${drawn.before + drawn.patches - 1}: ${row(drawn, own(drawn))}.`,
          ],
        },
      },
    },
  ];
}
