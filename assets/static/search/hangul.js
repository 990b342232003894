// Syllables, jamo and keys: what a typing error is measured by, and what a verb turns into.
"use strict";

courseSearch.hangul = (() => {
  const LEADS = [..."ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"];
  const VOWELS = [..."ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"];
  const TAILS = ["", ..."ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"];
  const PAIRS = { ㄳ: "ㄱㅅ", ㄵ: "ㄴㅈ", ㄶ: "ㄴㅎ", ㄺ: "ㄹㄱ", ㄻ: "ㄹㅁ", ㄼ: "ㄹㅂ", ㄽ: "ㄹㅅ", ㄾ: "ㄹㅌ", ㄿ: "ㄹㅍ", ㅀ: "ㄹㅎ", ㅄ: "ㅂㅅ" };
  Object.assign(PAIRS, { ㅘ: "ㅗㅏ", ㅙ: "ㅗㅐ", ㅚ: "ㅗㅣ", ㅝ: "ㅜㅓ", ㅞ: "ㅜㅔ", ㅟ: "ㅜㅣ", ㅢ: "ㅡㅣ" });

  // A syllable as [lead, vowel, tail]; null for anything else
  function parts(syllable) {
    const code = syllable.charCodeAt(0) - 0xac00;
    if (!(code >= 0 && code < 11172)) return null;
    return [LEADS[Math.floor(code / 588)], VOWELS[Math.floor(code / 28) % 21], TAILS[code % 28]];
  }

  const syllable = (lead, vowel, tail = "") =>
    String.fromCharCode(0xac00 + LEADS.indexOf(lead) * 588 + VOWELS.indexOf(vowel) * 28 + TAILS.indexOf(tail));

  const jamo = (text) => [...text].map((character) => parts(character)?.join("") ?? character).join("");

  // Jamo as they are typed, made into syllables
  function compose(typed) {
    const joined = (a, b) => Object.keys(PAIRS).find((key) => PAIRS[key] === a + b);
    let text = "";
    let lead = "", vowel = "", tail = "";
    const flush = () => {
      text += lead && vowel ? syllable(lead, vowel, tail) : lead + vowel;
      lead = vowel = tail = "";
    };
    for (const key of typed) {
      if (VOWELS.includes(key)) {
        if (tail) {
          const pair = PAIRS[tail] ?? tail; // the last consonant goes with this vowel
          const next = pair[pair.length - 1];
          tail = pair.slice(0, -1);
          flush();
          lead = next;
        } else if (vowel) {
          const both = joined(vowel, key);
          if (both) {
            vowel = both;
            continue;
          }
          flush();
        }
        vowel = key;
      } else if (lead && vowel && TAILS.includes(key) && !tail) tail = key;
      else if (tail && joined(tail, key)) tail = joined(tail, key);
      else {
        flush();
        if (LEADS.includes(key)) lead = key;
        else text += key;
      }
    }
    flush();
    return text;
  }

  // One keyboard, two layouts
  const QWERTY = [..."qwertyuiopasdfghjklzxcvbnmQWERTOP"];
  const DUBEOL = [..."ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡㅃㅉㄸㄲㅆㅒㅖ"];

  function otherLayout(text) {
    if (/[a-z]/i.test(text)) {
      const keys = [...text].map((key) => DUBEOL[QWERTY.indexOf(key)] ?? DUBEOL[QWERTY.indexOf(key.toLowerCase())] ?? key);
      return compose(keys.join(""));
    }
    return [...jamo(text)].map((key) => [...(PAIRS[key] ?? key)].map((one) => QWERTY[DUBEOL.indexOf(one)] ?? one).join("")).join("");
  }

  // Endings of a verb in a question or a clause, longest first
  const OF_VERBS = (
    "습니까 ㅂ니까 는가요 나요 ㄴ가요 은가요 을까요 ㄹ까요 는가 ㄴ가 은가 을까 ㄹ까 지나요 지나 니까 으니까 는데 려면 으려면 면 으면 고 며 어서 아서 기 는 ㄴ 은 ㄹ 을 나 지 다 ㄴ다 는다 ㅂ니다 습니다 어 아 게 요"
  )
    .split(" ")
    .sort((a, b) => b.length - a.length);

  const CLEAR = "습니까 ㅂ니까 는가요 나요 ㄴ가요 은가요 을까요 ㄹ까요 는가 은가 을까 ㄹ까 는데 려면 으려면 으면 기 어요 아요".split(" ").map(jamo);

  // Whether a word ends as only verbs do, or nouns that are made of them: 바꾸기, 튀어요
  const isVerb = (word) => CLEAR.some((ending) => jamo(word).endsWith(ending) && stemBefore(word, jamo(word).length - ending.length));

  // What a verb may be a shape of, the likeliest first: for 나누나요 나누 나눈 나눌 나눕 나눴, for 고르면 고르 골라
  function shapesOf(word) {
    const letters = jamo(word);
    return OF_VERBS.map(jamo).flatMap((ending) => {
      const stem = letters.endsWith(ending) && stemBefore(word, letters.length - ending.length);
      return stem ? [shapesOfStem(stem)] : [];
    });
  }

  // The first letters of a word, if they are whole syllables
  function stemBefore(word, length) {
    let stem = "";
    for (const one of word) {
      const whole = jamo(stem + one).length;
      if (whole > length) {
        const [lead, vowel] = parts(one) ?? [];
        if (lead && whole - 1 === length) stem += syllable(lead, vowel);
        break;
      }
      stem += one;
    }
    return stem.length > 1 && jamo(stem).length === length && parts(stem[stem.length - 1]) ? stem : null;
  }

  function shapesOfStem(stem) {
    const head = stem.slice(0, -1);
    const [lead, vowel, tail] = parts(stem[stem.length - 1]);
    const shapes = [stem];
    if (tail) return shapes;
    const add = (...last) => shapes.push(head + syllable(lead, ...last));
    for (const added of "ㄴㄹㅂㅆ") add(vowel, added);
    if (lead === "ㅎ" && vowel === "ㅏ") return [...shapes, `${head}해`, `${head}했`];
    const grown = { ㅜ: "ㅝ", ㅣ: "ㅕ" }[vowel];
    if (grown) ["", "ㅆ"].forEach((added) => add(grown, added));
    const before = parts(head[head.length - 1]);
    if (lead === "ㄹ" && vowel === "ㅡ" && before && !before[2]) {
      const double = head.slice(0, -1) + syllable(before[0], before[1], "ㄹ");
      for (const last of "라랐러렀") shapes.push(double + last);
    }
    return shapes;
  }

  const ALIKE = new Set(["ㅐㅔ", "ㅔㅐ", "ㅒㅖ", "ㅖㅒ", "ㅓㅗ", "ㅗㅓ", "ㅙㅞ", "ㅚㅞ", "ㅚㅙ"]);

  // Letters to change, to put in, to leave out or to swap, at most `limit`
  function distance(a, b, limit) {
    if (Math.abs(a.length - b.length) > limit) return Infinity;
    let before = [], last = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
      const row = [i];
      let least = i;
      for (let j = 1; j <= b.length; j++) {
        const change = a[i - 1] === b[j - 1] ? 0 : ALIKE.has(a[i - 1] + b[j - 1]) ? 0.5 : 1;
        row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + change);
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
        least = Math.min(least, row[j]);
      }
      if (least > limit) return Infinity;
      [before, last] = [last, row];
    }
    return last[b.length];
  }

  // ---- English as it sounds, alike in both scripts: its consonants, and where there is a vowel (델타넷, DeltaNet)

  const SOUNDS = Object.fromEntries([..."ㄱㄲㅋㄴㄷㄸㅌㄹㅁㅂㅃㅍㅅㅆㅈㅉㅊㅎ"].map((letter, i) => [letter, "gkkndttlmbppssjjch"[i]]));
  const SOUNDS_LAST = { ...SOUNDS, ㄱ: "k", ㅂ: "p", ㅅ: "t", ㅇ: "n" };

  function sound(word) {
    if (/[가-힣]/.test(word)) {
      const heard = [...word].map((one) => {
        const [lead, vowel, tail] = parts(one);
        return (SOUNDS[lead] ?? "") + (vowel === "ㅡ" ? "" : "a") + (SOUNDS_LAST[tail] ?? "");
      });
      return heard.join("").replace(/(.)\1+/g, "$1");
    }
    return word
      .replace(/[ts]ion/g, "san").replace(/tch|ch/g, "C").replace(/ph|f/g, "p").replace(/th|sh|c(?=[eiy])/g, "s").replace(/ck|qu?|c/g, "k").replace(/x/g, "ks")
      .replace(/ng(?![aeiou])/g, "n").replace(/g(?=[eiy])|z/g, "j").replace(/(?<=..)e$/, "").replace(/r(?![aeiouy])/g, "").replace(/[aeiouyw]+/g, "a").replace(/v/g, "b").replace(/r/g, "l")
      .replace(/(.)\1+/g, "$1").toLowerCase();
  }

  return { parts, syllable, jamo, sound, otherLayout, shapesOf, isVerb, distance };
})();
