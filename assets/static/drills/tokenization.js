// Drills of the chapter on tokens.
"use strict";

{
  const { say, sum, range } = drillKit;
  const SYLLABLES = [..."가나다라마바사아자차카타파하고노도로모보소오조구누두루무부수우주강난달람몽별손엄"];
  const jamoOf = (word) => [...word.normalize("NFD")].length;
  const bytesOf = (word) => sum([...word].map((letter) => (letter.codePointAt(0) < 128 ? 1 : 3)));

  courseDrills.tokenization = [
    {
      name: "merge", kind: "tokens",
      draw: (random, level) => {
        const letters = random.some(3 + level, [..."abcdefgh"]);
        const words = range(3).map(() => ({ word: range(random.int(2, 4)).map(() => random.pick(letters)).join(""), count: random.int(1, 6) }));
        return new Set(words.map(({ word }) => word)).size === 3 ? { words } : null;
      },
      right: ({ words }) => top(pairs(words)),
      mistakes: {
        types: { value: ({ words }) => top(pairs(words.map(({ word }) => ({ word, count: 1 })))), read: "tokenization#bpe-training" },
        letters: { value: ({ words }) => mostLetters(words), read: "tokenization#bpe-training" },
        first: { value: ({ words }) => [...words[0].word].slice(0, 2), read: "tokenization#bpe-training" },
        backwards: { value: ({ words }) => [...top(pairs(words))].reverse(), read: "tokenization#bpe-training" },
      },
      words: {
        ko: {
          title: "첫 병합",
          ask: ({ words }) => say`글에 나온 단어와 횟수가 ${told(words)}입니다. BPE가 가장 먼저 합치는 두 글자는 무엇입니까? 공백으로 나누어 적으십시오.`,
          types: "단어를 한 번씩만 셌습니다. 단어가 나온 횟수만큼 셉니다.",
          letters: "자주 나오는 글자 둘입니다. 이웃한 쌍을 셉니다.",
          first: "첫 단어의 앞 두 글자입니다. 가장 자주 나오는 쌍을 찾습니다.",
          backwards: "차례가 뒤집혔습니다.",
          way: ({ words }) => [
            say`이웃한 쌍을 횟수만큼 셉니다: ${listed(pairs(words))}.`,
            say`가장 많은 쌍은 ${top(pairs(words))}입니다.`,
          ],
        },
        en: {
          title: "The first merge",
          ask: ({ words }) => say`A text contains these words, this many times each: ${told(words)}. Which two letters does BPE merge first? Separate them with a space.`,
          types: "You counted each word once. Count it as often as it occurs.",
          letters: "Those are the most frequent letters. Count neighbouring pairs.",
          first: "Those are the first letters of the first word. Look for the most frequent pair.",
          backwards: "The two letters are in the wrong order.",
          way: ({ words }) => [
            say`Count each pair of neighbours as often as its word occurs: ${listed(pairs(words))}.`,
            say`The most frequent pair is ${top(pairs(words))}.`,
          ],
        },
      },
    },
    {
      name: "encode", kind: "tokens",
      draw: (random, level) => {
        const letters = random.some(3, [..."abcde"]);
        const word = range(4 + level).map(() => random.pick(letters)).join("");
        const found = random.some(3, neighbours([...word]));
        const merges = [...new Set(found.map(([a, b]) => `${a} ${b}`))].map((pair) => pair.split(" "));
        if (merges.length < 2) return null;
        merges.push([merges[0].join(""), random.pick(letters)]);
        return { word, merges };
      },
      right: ({ word, merges }) => encode(word, merges),
      mistakes: {
        letters: { value: ({ word }) => [...word], read: "tokenization#bpe-encoding" },
        order: { value: ({ word, merges }) => leftToRight(word, merges), read: "tokenization#bpe-rank" },
        last: { value: ({ word, merges }) => encode(word, [...merges].reverse()), read: "tokenization#bpe-rank" },
        once: { value: ({ word, merges }) => encode(word, merges.slice(0, 1)), read: "tokenization#bpe-encoding" },
      },
      words: {
        ko: {
          title: "배운 차례로 합치기",
          ask: ({ word, merges }) => say`배운 병합이 차례로 ${merges.map((pair) => pair.join("+")).join(", ")}입니다. 단어 ${word}의 BPE 토큰을 적으십시오.`,
          letters: "합치지 않았습니다.",
          order: "왼쪽부터 합칠 수 있는 대로 합쳤습니다. 먼저 배운 병합이 먼저입니다.",
          last: "나중에 배운 병합부터 했습니다.",
          once: "첫 병합만 했습니다. 합칠 것이 없을 때까지 합니다.",
          way: ({ word, merges }) => steps(word, merges).map((symbols) => say`${symbols}`),
        },
        en: {
          title: "Merging in the order learned",
          ask: ({ word, merges }) => say`BPE has learned these merges, in this order: ${merges.map((pair) => pair.join("+")).join(", ")}. What are the tokens of the word ${word}?`,
          letters: "You merged nothing.",
          order: "You merged whatever you could from the left. What was learned first is merged first.",
          last: "You merged first what was learned last.",
          once: "You made only the first merge. Go on until nothing can be merged.",
          way: ({ word, merges }) => steps(word, merges).map((symbols) => say`${symbols}`),
        },
      },
    },
    {
      name: "wordpiece", kind: "tokens",
      draw: (random, level) => {
        const word = random.some(4 + level, [..."aeilnorst"]).join("");
        const cuts = [random.int(1, 2), random.int(3, word.length - 1)];
        const [a, b, c] = [word.slice(0, cuts[0]), word.slice(cuts[0], cuts[1]), word.slice(cuts[1])];
        return { word, vocab: random.shuffle([...new Set([a, ...(a.length > 1 ? [a[0]] : []), a + b[0], `##${b}`, `##${b.slice(1) || b}`, `##${c}`, `##${c[0]}`, `##${c.slice(1) || c}`])]) };
      },
      right: ({ word, vocab }) => piece(word, vocab, (ends) => ends.reverse()),
      mistakes: {
        shortest: { value: ({ word, vocab }) => piece(word, vocab, (ends) => ends), read: "tokenization#wordpiece-greedy" },
        unmarked: { value: ({ word, vocab }) => piece(word, vocab, (ends) => ends.reverse()).map((part) => part.replace("##", "")), read: "tokenization#wordpiece" },
        unknown: { value: ({ word, vocab }) => (piece(word, vocab, (ends) => ends.reverse())[0] === "UNK" ? null : ["UNK"]), read: "tokenization#wordpiece-unknown" },
      },
      words: {
        ko: {
          title: "가장 긴 조각부터",
          ask: ({ word, vocab }) => say`WordPiece의 어휘가 ${vocab.join(", ")}입니다. 단어 ${word}의 토큰을 적으십시오. 나눌 수 없으면 UNK를 적습니다.`,
          shortest: "짧은 조각부터 골랐습니다. 맞는 것 가운데 가장 긴 조각을 고릅니다.",
          unmarked: "##을 빠뜨렸습니다. 단어의 가운데에서 시작하는 조각에는 ##이 붙습니다.",
          unknown: "나눌 수 있습니다. 앞에서부터 가장 긴 조각을 찾아보십시오.",
          way: ({ word, vocab }) => [
            say`앞에서 시작하는 조각 가운데 가장 긴 것은 ${piece(word, vocab, (ends) => ends.reverse())[0]}입니다.`,
            say`나머지도 ##이 붙은 조각 가운데 가장 긴 것을 고릅니다: ${piece(word, vocab, (ends) => ends.reverse())}.`,
          ],
        },
        en: {
          title: "The longest piece first",
          ask: ({ word, vocab }) => say`WordPiece has the vocabulary ${vocab.join(", ")}. What are the tokens of the word ${word}? Write UNK if it cannot be split.`,
          shortest: "You took the shortest piece. Take the longest that fits.",
          unmarked: "The ## is missing. A piece that does not start its word carries it.",
          unknown: "The word can be split. Look for the longest piece, starting from the front.",
          way: ({ word, vocab }) => [
            say`The longest piece at the front is ${piece(word, vocab, (ends) => ends.reverse())[0]}.`,
            say`For the rest, take the longest pieces that begin with ##: ${piece(word, vocab, (ends) => ends.reverse())}.`,
          ],
        },
      },
    },
    {
      name: "bytes", kind: "vector",
      draw: (random, level) => ({ word: random.shuffle([...random.some(2 + level, SYLLABLES), ...random.some(level ? 2 : 1, [..."AIkm7"])]).join("") }),
      right: ({ word }) => [jamoOf(word), bytesOf(word)],
      mistakes: {
        letters: { value: ({ word }) => [[...word].length, bytesOf(word)], read: "tokenization#jamo" },
        three: { value: ({ word }) => [[...word].length * 3, [...word].length * 3], read: "tokenization#utf8-bytes" },
        two: { value: ({ word }) => [jamoOf(word), sum([...word].map((letter) => (letter.codePointAt(0) < 128 ? 1 : 2)))], read: "tokenization#utf8-bytes" },
        decomposed: { value: ({ word }) => [jamoOf(word), bytesOf(word.normalize("NFD"))], read: "tokenization#normalisation" },
      },
      words: {
        ko: {
          title: "글자, 자모, 바이트",
          ask: ({ word }) => say`‘${word}’를 NFD로 풀면 코드 포인트가 몇 개입니까? 풀지 않고 UTF-8로 적으면 몇 바이트입니까? 두 수를 차례로 적으십시오. 로마자와 숫자는 1바이트입니다.`,
          letters: "첫째 수가 글자의 수입니다. NFD는 초성, 중성, 종성을 나눕니다.",
          three: "모두 셋으로 셌습니다. 받침이 없으면 자모는 둘이고, 로마자와 숫자는 1바이트입니다.",
          two: "한글 한 글자를 2바이트로 셌습니다. UTF-8에서는 3바이트입니다.",
          decomposed: "푼 것의 바이트를 셌습니다. 둘째 수는 풀지 않고 셉니다.",
          way: ({ word }) => [
            say`글자마다 자모는 ${[...word].map(jamoOf)}개이고, 모두 ${jamoOf(word)}개입니다.`,
            say`글자마다 바이트는 ${[...word].map(bytesOf)}이고, 모두 ${bytesOf(word)}바이트입니다.`,
          ],
        },
        en: {
          title: "Letters, jamo, bytes",
          ask: ({ word }) => say`How many code points does ‘${word}’ have once NFD takes it apart, and how many bytes does it have in UTF-8 as it is? Give both numbers. Latin letters and digits take one byte.`,
          letters: "Your first number counts letters. NFD separates the initial, the vowel and the final.",
          three: "You counted three for everything. Without a final there are two jamo, and Latin letters and digits take one byte.",
          two: "You counted 2 bytes for a Hangul syllable. In UTF-8 it takes 3.",
          decomposed: "You counted the bytes after decomposition. The second number is for the word as it is.",
          way: ({ word }) => [
            say`Jamo in each letter: ${[...word].map(jamoOf)}; in all ${jamoOf(word)}.`,
            say`Bytes in each letter: ${[...word].map(bytesOf)}; in all ${bytesOf(word)}.`,
          ],
        },
      },
    },
  ];

  function neighbours(symbols) {
    return range(symbols.length - 1).map((i) => [symbols[i], symbols[i + 1]]);
  }

  // How often each pair of neighbours occurs, the most frequent first
  function pairs(words) {
    const counts = new Map();
    for (const { word, count } of words) {
      for (const pair of neighbours([...word])) counts.set(pair.join(""), (counts.get(pair.join("")) ?? 0) + count);
    }
    return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  function top(counted) {
    return [...counted[0][0]];
  }

  function mostLetters(words) {
    const counts = {};
    for (const { word, count } of words) for (const letter of word) counts[letter] = (counts[letter] ?? 0) + count;
    return Object.keys(counts).sort((a, b) => counts[b] - counts[a] || (a < b ? -1 : 1)).slice(0, 2);
  }

  function told(words) {
    return words.map(({ word, count }) => `${word} ×${count}`).join(", ");
  }

  function listed(counted) {
    return counted.map(([pair, count]) => `${[...pair].join("+")} ${count}`).join(", ");
  }

  function join(symbols, [left, right]) {
    const joined = [];
    for (let i = 0; i < symbols.length; i += 1) {
      const both = symbols[i] === left && symbols[i + 1] === right;
      joined.push(both ? left + right : symbols[i]);
      i += both;
    }
    return joined;
  }

  // The word's symbols after each merge
  function steps(word, merges) {
    const seen = [[...word]];
    for (;;) {
      const symbols = seen.at(-1);
      const next = merges.find(([left, right]) => neighbours(symbols).some(([a, b]) => a === left && b === right));
      if (!next) return seen;
      seen.push(join(symbols, next));
    }
  }

  function encode(word, merges) {
    return steps(word, merges).at(-1);
  }

  function leftToRight(word, merges) {
    let symbols = [...word];
    for (let i = 0; i < symbols.length - 1; i += 1) {
      if (merges.some(([a, b]) => a === symbols[i] && b === symbols[i + 1])) {
        symbols = [...symbols.slice(0, i), symbols[i] + symbols[i + 1], ...symbols.slice(i + 2)];
        i -= 1;
      }
    }
    return symbols;
  }

  // Pieces from the front, the first that `order` puts among those that fit
  function piece(word, vocab, order) {
    const pieces = [];
    for (let start = 0; start < word.length; ) {
      const mark = start ? "##" : "";
      const end = order(range(word.length - start).map((i) => start + i + 1)).find((stop) => vocab.includes(mark + word.slice(start, stop)));
      if (!end) return ["UNK"];
      pieces.push(mark + word.slice(start, end));
      start = end;
    }
    return pieces;
  }
}
