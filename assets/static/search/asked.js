// The words in which readers ask for a page who know none of its own yet (chapters/asked), found by their stems.
"use strict";

courseSearch.asked = (() => {
  const { HANGUL, endings } = courseSearch.text;
  const { jamo } = courseSearch.hangul;

  // How verbs end where people talk, beside the endings of nouns; in letters, longest first
  const SPOKEN =
    "한테 하나 해서 했어요 돼요 됐어요 습니까 습니다 ㅂ니까 ㅂ니다 는가요 나요 ㄴ가요 은가요 을까요 ㄹ까요 는가 ㄴ가 은가 을까 ㄹ까 네요 지요 죠 는데요 는데 은데 ㄴ데 는지 은지 ㄴ지 을지 ㄹ지 " +
    "ㄴ다 는다 려면 으려면 려고 으려고 으면 거나 도록 던 자 어요 아요 여요 ㅓ요 ㅏ요 ㅕ요 ㅝ요 ㅘ요 ㅐ요 어서 아서 여서 ㅓ서 ㅏ서 ㅕ서 ㅝ서 ㅘ서 ㅐ서 어도 아도 었어요 았어요 ㅆ어요 " +
    "었다 았다 ㅆ다 었는데 았는데 ㅆ는데 더니 던데 다던데 ㄴ다던데 는다던데 라던데 다고 ㄴ다고 는다고 냐고 다면 ㄴ다면 는다면 니까 으니까 길래 다가 잖아요 거든요 는데도 ㄴ데도 ㄹ수록 을수록 " +
    "어야 아야 ㅓ야 ㅏ야 ㅐ야 었 았 ㅆ 어 아 기 지 게 네 니 냐 다 음 ㅁ ㄴ ㄹ 요";
  const ENDINGS = [...new Set([...endings, ...SPOKEN.split(" ")].map(jamo))].sort((a, b) => b.length - a.length);
  const SUFFIX = /(?:ations?|itions?|ions?|ings?|ments?|ness|ers?|ors?|est|ed|es|ly|al|ise|ize|s|e|y)$/;
  const LEAST = 3; // letters that stay

  // What the forms of a word have in common. It need not be a word, and two words may share it: it finds pages, and
  // nobody sees it. The last vowel of a Korean stem goes, since it changes: 쏠리다, 쏠려요.
  function stem(word) {
    const korean = HANGUL.test(word);
    let letters = korean ? jamo(word) : word;
    const shorter = () => {
      if (!korean) return letters.replace(SUFFIX, "");
      const ending = ENDINGS.find((one) => letters.endsWith(one) && letters.length - one.length >= LEAST);
      return ending ? letters.slice(0, -ending.length) : letters;
    };
    for (let next = shorter(); next !== letters && next.length >= LEAST; next = shorter()) letters = next;
    if (korean) return letters.length > LEAST ? letters.replace(/[ㅏ-ㅣ]$/, "") : letters;
    return letters.replace(/([^aeiou])\1$/, "$1").replace(/i$/, "");
  }

  let pagesOf = new Map(); // stem -> the pages that are asked for with it
  let total = 0;

  // Of each page the words, in a line
  function load(lines) {
    pagesOf = new Map();
    lines.forEach((line, page) => {
      for (const known of line ? line.split(" ").map(stem) : []) pagesOf.set(known, (pagesOf.get(known) ?? new Set()).add(page));
    });
    total = lines.filter(Boolean).length;
  }

  const knows = (word) => pagesOf.has(stem(word));

  // Of the words that are known, their pages, and how rare they are
  const hear = (words) =>
    words.filter(knows).map((word) => {
      const pages = pagesOf.get(stem(word));
      return { word, pages, weight: Math.log((total + 1) / pages.size) };
    });

  return { load, hear, knows };
})();
