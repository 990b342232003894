// Looking into text as a reader means it: spacing is free, and words carry particles, or endings (english.js).
"use strict";

window.courseSearch ??= {};

courseSearch.text = (() => {
  const BETWEEN = /[ \t\u00a0\-‐‑–·]/g;
  const FREE = new Uint8Array(65536); // by its code, whether it stands between syllables, or is missing
  for (const character of " \t\u00a0-‐‑–·") FREE[character.charCodeAt(0)] = 1;
  const { fold = (text) => text, stem, same, root } = courseSearch.language ?? {};
  const UTF16 = new TextDecoder("utf-16", { ignoreBOM: true }); // in the machine's order, which is little-endian wherever a browser runs
  const HANGUL = /[가-힣]/;
  const LATIN = /[a-z]/i;

  // What follows a noun: particles, and the endings of 이다 and 하다 that make a clause or a question of it
  const PARTICLES =
    "은 는 이 가 을 를 의 에 와 과 랑 이랑 로 도 만 나 란 며 면 인 임 들 간 쯤 째 씩 뿐 께 야 라 고 서 까지 부터 에게 보다 처럼 마다 조차 마저 밖에 " +
    "대로 만큼 하고 이나 이란 이며 이면 이고 이라 라고 라는 이라고 이라는 라면 이라면 으로 로서 로써 으로서 으로써 로는 로도 로만 으로는 으로도 으로만 " +
    "에서 에는 에도 에만 에서는 에서도 에서만 에서의 에게는 에게서 에의 와는 과는 와도 과도 와의 과의 으로의 로의 까지는 까지도 까지의 부터는 부터의 " +
    "보다는 보다도 처럼은 만은 만을 만이 만의 만으로 만으로도 만큼은 들은 들이 들을 들의 들에 들에게 들로 들도 들과 마다의";
  const CLAUSES =
    "입니다 이다 이었다 였다 입니까 인가 인가요 인지 일까 일까요 이에요 예요 이죠 이지만 지만 이므로 므로 이어서 이기 인데 이라서 라서 이든 든 " +
    "한가 한가요 한지 하는지 했나 했는지 할지 되나 되나요 되는지 되는가 하다 하는 하기 하고 하면 하며 하여 해서 한다 합니다 할 한 해 함 하지 하려면 하려고 하자 했다 했습니다 하게 하므로 할까 할까요 하나 하나요 " +
    "된 되는 되고 되면 되어 됩니다 된다 될 돼 됨 되지 되었다 되었습니다 시키는 시킨 시키고 시킵니다 시킨다 시킬 시키기 시키면 시켜 시켜서 때 때는 때도 때의 할때 할때는 할때도 시에 시에는 적 적인 적으로 화 화된 화한 용 끼리";
  const particles = new Set(PARTICLES.split(" "));
  const endings = new Set([...particles, ...CLAUSES.split(" ")]);
  const isEnding = (rest) => rest === "" || endings.has(rest);

  // The text without what is free, in small letters, and where a character of it stands in the text. Of a whole book the
  // places of all characters would be megabytes: every 64th is kept, and one counts on from there.
  const NEAR = 6;
  function flatten(text) {
    if (text.includes("İ")) text = text.replaceAll("İ", "I"); // the one letter that grows when it is made small
    const small = fold(text.toLowerCase());
    const codes = new Uint16Array(small.length);
    const places = new Uint32Array((small.length >> NEAR) + 1);
    let length = 0;
    for (let i = 0; i < small.length; i++) {
      const code = small.charCodeAt(i);
      if (FREE[code]) continue;
      if (length % (1 << NEAR) === 0) places[length >> NEAR] = i;
      codes[length++] = code;
    }
    function at(place) {
      let i = places[place >> NEAR];
      for (let left = place % (1 << NEAR); ; i++) if (!FREE[small.charCodeAt(i)] && left-- === 0) return i;
    }
    return { text, flat: UTF16.decode(codes.subarray(0, length)), at };
  }

  // The same of a word or a title, of which nobody asks where its characters stood: thousands of names are flattened
  // before the first answer
  const flattened = (text) =>
    fold(text.normalize("NFC").replace(/\s/g, " ").replaceAll("İ", "I").toLowerCase()).replace(BETWEEN, "");

  function restOfWord(text, from) {
    let end = from;
    while (HANGUL.test(text[end] ?? "")) end += 1;
    return text.slice(from, end);
  }

  // Whether a place in the text is meant by the needle, or only happens to hold its letters
  function isMeant(text, start, end, needle, whole) {
    const before = text[start - 1] ?? "";
    if (HANGUL.test(needle[0])) {
      const inside = HANGUL.test(before);
      const rest = HANGUL.test(needle[needle.length - 1]) ? restOfWord(text, end) : "";
      if (needle.length === 1) return !inside && (!whole || isEnding(rest));
      if (end - start > needle.length) return !inside && (needle.length > 3 || isEnding(rest)); // across a space
      return true;
    }
    if (!LATIN.test(needle[0])) return true;
    const hump = /[a-z]/.test(before) && /[A-Z]/.test(text[start]);
    if (LATIN.test(before) && !hump) return false;
    const after = text[end] ?? "";
    return !whole || needle.length > 3 || !LATIN.test(after) || (/[A-Z]/.test(after) && /[a-z]/.test(text[end - 1]));
  }

  const forms = new Map(); // flattened: a book says each a hundred times

  // The end of a word in the text that is a form of the needle; 0 where there is none
  function endOfForm(text, start, end, needle) {
    while (LATIN.test(text[end] ?? "") && !(/[A-Z]/.test(text[end]) && /[a-z]/.test(text[end - 1]))) end += 1;
    const form = text.slice(start, end);
    if (!forms.has(form)) forms.set(form, flattened(form));
    return same(forms.get(form), needle) ? end : 0;
  }

  // Places [start, end) of a needle in a flattened text. Short needles stand alone, unless they never do.
  function find({ text, flat, at }, needle, limit = Infinity) {
    const inflected = stem && /[a-z]$/.test(needle);
    for (const whole of [true, false]) {
      const places = [];
      const sought = whole && inflected ? root(needle) : needle;
      for (let i = flat.indexOf(sought); i >= 0 && places.length < limit; i = flat.indexOf(sought, i + 1)) {
        const start = at(i);
        let end = at(i + sought.length - 1) + 1;
        if (!isMeant(text, start, end, sought, whole && !inflected)) continue;
        if (whole && inflected) end = endOfForm(text, start, end, needle);
        if (end) places.push([start, end]);
      }
      if (places.length) return places;
    }
    return [];
  }

  // Places of any of the forms, in order; one inside of another is no place of its own
  function findAll(flat, forms) {
    let reached = 0;
    return forms
      .flatMap((form) => find(flat, form))
      .sort(([a, toA], [b, toB]) => a - b || toB - toA)
      .filter(([, to]) => to > reached && (reached = to));
  }

  return { flatten, flattened, fold, find, findAll, stem, endings, particles, HANGUL, LATIN };
})();
