// The words in which readers ask for a page who know none of its own yet (chapters/asked), found by what their words have in common.
"use strict";

courseSearch.asked = (() => {
  const { HANGUL, endings } = courseSearch.text;
  const { jamo } = courseSearch.hangul;

  // How verbs end where people talk, beside the endings of nouns; in letters, longest first
  const SPOKEN =
    "한테 하나 해서 했어요 돼요 됐어요 습니까 습니다 ㅂ니까 ㅂ니다 는가요 나요 ㄴ가요 은가요 을까요 ㄹ까요 는가 ㄴ가 은가 을까 ㄹ까 네요 지요 죠 는데요 는데 은데 ㄴ데 는지 은지 ㄴ지 을지 ㄹ지 " +
    "ㄴ다 는다 려면 으려면 려고 으려고 으면 거나 도록 던 자 어요 아요 여요 ㅓ요 ㅏ요 ㅕ요 ㅝ요 ㅘ요 ㅐ요 어서 아서 여서 ㅓ서 ㅏ서 ㅕ서 ㅝ서 ㅘ서 ㅐ서 어도 아도 었어요 았어요 ㅆ어요 " +
    "었다 았다 ㅆ다 었는데 았는데 ㅆ는데 더니 던데 다던데 ㄴ다던데 는다던데 라던데 다고 ㄴ다고 는다고 냐고 다면 ㄴ다면 는다면 니까 으니까 길래 다가 잖아요 거든요 는데도 ㄴ데도 ㄹ수록 을수록 " +
    "어야 아야 ㅓ야 ㅏ야 ㅐ야 었 았 ㅆ 어 아 기 지 게 네 니 냐 다 음 ㅁ ㄴ ㄹ 요 하 해 되 돼";
  const ENDINGS = new Set([...endings, ...SPOKEN.split(" ")].map(jamo));
  const LONGEST = Math.max(...[...ENDINGS].map((ending) => ending.length));
  const SUFFIX = /(?:ations?|itions?|ions?|ings?|ments?|ness|ers?|ors?|est|ed|es|ly|al|ise|ize|s|e|y)$/;
  const LEAST = 4; // letters that stay: with three, 순서 and 순환 were one word

  // What the forms of a word have in common. It need not be a word, and two words may share it: it finds pages, and
  // nobody sees it. The last vowel of a Korean stem goes, since it changes: 쏠리다, 쏠려요.
  function bare(asked, least = LEAST) {
    const word = asked.replace(/^([a-z][\w.+-]*)[가-힣]+$/, "$1").replace(/(?<=[a-z0-9])-/g, ""); // loss가, of which loss is the word; few-shot as the query has it
    const korean = HANGUL.test(word);
    let letters = korean ? jamo(word) : word;
    const shorter = () => {
      if (!korean) return letters.replace(SUFFIX, "");
      for (let cut = Math.max(least, letters.length - LONGEST); cut < letters.length; cut++) {
        if (ENDINGS.has(letters.slice(cut))) return letters.slice(0, cut);
      }
      return letters;
    };
    for (let next = shorter(); next !== letters && next.length >= least; next = shorter()) letters = next;
    if (korean) return letters.length > least ? letters.replace(/[ㅏ-ㅣ]$/, "") : letters;
    return letters.replace(/([^aeiou])\1$/, "$1").replace(/i$/, "");
  }

  // Forms of a word begin with the same two letters; what is alike, with those of its words. All stems at once would hold
  // up the first answer: a query's words need those that begin so.
  const initial = (word) => (HANGUL.test(word[0]) ? jamo(word[0]) : word.replaceAll("-", "")).slice(0, 2);

  const ALIKE = new Map();
  const SAID = new Map(); // such words by their first's stem
  const INITIALS = new Map(); // how such words begin
  for (const words of courseSearch.alike.words) {
    const first = bare(words[0]);
    for (const word of words) ALIKE.set(bare(word), first);
    SAID.set(first, words);
    INITIALS.set(first, new Set(words.map(initial)));
  }

  // The other ways to say a word, if there are any
  const othersOf = (word) => SAID.get(ALIKE.get(bare(word))) ?? [];

  // Many pages are asked for with the same words
  const stems = new Map();
  function stem(word) {
    if (!stems.has(word)) {
      const own = bare(word);
      stems.set(word, ALIKE.get(own) ?? own);
    }
    return stems.get(word);
  }

  let phrases = []; // all that the pages are asked for with, a page's after the other's
  let pageOf = []; // of a phrase
  let phrasesWith = new Map(); // word -> the phrases that have it
  let begun = new Map(); // two letters -> the words that begin so
  let spelled = ""; // the words, one after the other
  let lengths = []; // of each page: of how many words its phrases are, against the pages' mean
  let total = 0;
  const known = new Map(); // stem -> whether a word of theirs has it
  let learned = null; // of pieces of words, how much they tell (learn_asked.py)

  function load(lines, weights) {
    learned = weights;
    known.clear();
    [phrases, pageOf, phrasesWith, begun, lengths] = [[], [], new Map(), new Map(), lines.map(() => 0)];
    lines.forEach((line, page) => {
      for (const phrase of line ? line.split(",") : []) {
        for (const word of phrase.split(" ")) {
          const having = phrasesWith.get(word);
          if (having) having.push(phrases.length);
          else phrasesWith.set(word, [phrases.length]);
          lengths[page] += 1;
        }
        phrases.push(` ${phrase} `);
        pageOf.push(page);
      }
    });
    spelled = ` ${[...phrasesWith.keys()].join("  ")} `;
    total = lengths.filter(Boolean).length;
    const mean = lengths.reduce((sum, length) => sum + length, 0) / total;
    lengths = lengths.map((length) => length / mean);
  }

  function wordsBegunWith(letters) {
    if (!begun.size) {
      for (const word of phrasesWith.keys()) {
        const first = initial(word);
        if (begun.has(first)) begun.get(first).push(word);
        else begun.set(first, [word]);
      }
    }
    return begun.get(letters) ?? [];
  }

  // Whether readers ask with a form of the word
  function knows(word) {
    const sought = stem(word);
    if (!known.has(sought)) known.set(sought, [...(INITIALS.get(sought) ?? [initial(word)])].some((letters) => wordsBegunWith(letters).some((one) => stem(one) === sought)));
    return known.get(sought);
  }

  // Also of words that are written together: 안내려가요, 자동채점
  function isAskedWith(word) {
    const least = HANGUL.test(word) ? 2 : 4;
    const cuts = Array.from({ length: Math.max(0, word.length - 2 * least + 1) }, (_, i) => least + i);
    return knows(word) || (/^[안못]../.test(word) && knows(word.slice(1))) || cuts.some((cut) => knows(word.slice(0, cut)) && knows(word.slice(cut)));
  }

  // ---- What a query and the phrases of a page have in common, in pieces of words: their forms and spellings share some

  const SURE = 3; // for the page that is asked for in just these words
  const WITHOUT = 60; // pages that have no piece, in thought: what all pages have tells a little too

  // Each word once, letters and syllables apart, as in the index (course_search.py): loss가 is loss and 가
  const separate = (query) => [...new Set(query.normalize("NFC").toLowerCase().match(/[a-z0-9_.+-]*[a-z0-9]|[가-힣]+|[α-ω]+/g))];
  const opening = (word) => (HANGUL.test(word) && word.length > 1 ? ` ${word.slice(0, 2)}` : ` ${word} `);

  // A word; two or three syllables of it, or four or five letters, with how it begins and ends; how two neighbours begin:
  // each with the phrases that have it
  function piecesOf(query) {
    const words = separate(query);
    const pieces = new Map();
    for (const word of words) {
      const [whole, sizes] = HANGUL.test(word) ? [` ${word}`, [2, 3]] : [` ${word} `, [4, 5]];
      const add = (piece) => pieces.has(piece) || pieces.set(piece, phrasesOf(wordsWith(piece)));
      add(` ${word} `);
      for (const size of sizes) for (let i = 0; i === 0 || i + size <= whole.length; i++) add(whole.slice(i, i + size));
    }
    words.slice(1).forEach((word, i) => {
      const [first, second] = [opening(words[i]), opening(word)];
      pieces.set(first + second, together(first, second));
    });
    return pieces;
  }

  function wordsWith(piece) {
    const found = [];
    for (let i = spelled.indexOf(piece); i >= 0; i = spelled.indexOf(piece, i + 1)) {
      const start = spelled[i] === " " ? i : spelled.lastIndexOf(" ", i);
      found.push(spelled.slice(start + 1, spelled.indexOf(" ", start + 1)));
    }
    return found;
  }

  const phrasesOf = (words) => new Set(words.flatMap((word) => phrasesWith.get(word)));

  function together(first, second) {
    const stand = (phrase) => {
      for (let i = phrase.indexOf(first); i >= 0; i = phrase.indexOf(first, i + 1)) if (phrase.startsWith(second, phrase.indexOf(" ", i + 1))) return true;
      return false;
    };
    return [...phrasesOf(wordsWith(first))].filter((phrase) => stand(phrases[phrase]));
  }

  function countedByPage(having) {
    const counts = new Map();
    for (const phrase of having) counts.set(pageOf[phrase], (counts.get(pageOf[phrase]) ?? 0) + 1);
    return counts;
  }

  // A letter for each: N is 1, the next ones a tenth more or less (learn_asked.py)
  function weightOf(piece) {
    let hash = 2166136261;
    for (let i = 0; i < piece.length; i++) hash = Math.imul(hash ^ piece.charCodeAt(i), 16777619);
    const code = learned.weights.charCodeAt((hash >>> 0) % learned.weights.length);
    return Math.exp(0.1 * (code - (code < 91 ? 78 : 84)));
  }

  // How likely each page is asked for, as a logarithm: BM25 with what is learned of each piece, and just these words
  function likeness(query) {
    const { scale, often, long, bias } = learned;
    const sums = [...bias];
    for (const [piece, having] of piecesOf(query)) {
      const counts = countedByPage(having);
      const tells = scale * weightOf(piece) * Math.log(1 + (total + WITHOUT - counts.size + 0.5) / (counts.size + 0.5));
      for (const [page, count] of counts) sums[page] += (tells * count * (often + 1)) / (count + often * (1 - long + long * lengths[page]));
    }
    const whole = ` ${separate(query).join(" ")} `;
    phrases.forEach((phrase, i) => phrase === whole && (sums[pageOf[i]] += SURE));
    return sums;
  }

  return { load, othersOf, knows, isAskedWith, likeness };
})();
