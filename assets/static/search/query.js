// What a query stands for: phrases and words of the book, other names, and what a typing error was meant to be.
"use strict";

courseSearch.query = (() => {
  const { flattened, fold, stem, endings, particles, HANGUL } = courseSearch.text;
  const { knows, othersOf } = courseSearch.asked;
  const { parts, syllable, jamo, sound, otherLayout, shapesOf, isVerb: endsAsVerb, distance } = courseSearch.hangul;

  const ASKING = new Set([...courseSearch.alike.asking, ...(courseSearch.language?.asking ?? [])]);

  // Formulas stand in the book as symbols (course_search.py), and are asked for by their names
  const SYMBOLS = new Map(
    Object.entries({ "√": "sqrt squareroot 제곱근 루트", α: "alpha 알파", β: "beta 베타", γ: "gamma 감마", ε: "epsilon 엡실론", η: "eta", θ: "theta 세타", λ: "lambda 람다", μ: "mu", σ: "sigma 시그마", "∞": "infinity 무한대" })
      .flatMap(([symbol, spoken]) => spoken.split(" ").map((name) => [name, symbol])),
  );
  const SHAPE = courseSearch.language ? "shape" : "모양"; // what is asked of, where sizes stand in brackets
  // What is said elsewhere (spoken.js) is looked for in the book when it is asked for: all at once would hold up the first answer.
  const spelled = new Map(); // a word that the book does not use -> its own ones, of those that are no terms
  const absent = new Map(); // a name that the book does not have, unless it says it after all -> the nearest term

  let book = null; // its text and sections, and where in it a word is
  let names = null; // flattened name -> the term that it stands for, and whether the book uses the name
  let inflected = null; // a name without its ending -> the name
  let vocabulary = null, sounds = null; // made when a word is found nowhere
  const places = (word) => book.places(word);

  function open(opened) {
    book = opened;
    names = new Map();
    vocabulary = sounds = null;
    inflected = new Map();
    for (const term of book.terms) {
      term.own = term.names.map(flattened);
      for (const [list, used] of [[term.names, true], [term.also, true], [term.unused, false]]) {
        for (const name of list) if (!names.has(flattened(name))) names.set(flattened(name), { term, name, used });
      }
    }
    learnSpoken();
    if (stem) for (const name of [...names.keys(), ...absent.keys()]) inflected.set(stem(name), name);
  }

  function learnSpoken() {
    const { same, words, absent: lacking } = courseSearch.spoken;
    spelled.clear();
    absent.clear();
    for (const [own, others] of words) {
      for (const name of others.map(flattened)) spelled.set(name, [...(spelled.get(name) ?? []), flattened(own)]);
    }
    for (const [list, known, missing] of [[same, names, false], [lacking, absent, true]]) {
      for (const [own, others] of list) {
        const term = names.get(flattened(own))?.term;
        for (const name of others) {
          if (term && !names.has(flattened(name))) known.set(flattened(name), { term, name, used: false, missing });
        }
      }
    }
  }

  const ownWords = (word) => (spelled.get(word) ?? []).filter((own) => places(own).length);

  const isName = (word) => nameOf(word) !== undefined;

  function nameOf(word) {
    const known = names.get(word);
    if (known || !absent.has(word)) return known;
    return ownWords(word).length || book.says(word) ? undefined : absent.get(word);
  }

  // ---- What a word of the query stands for

  // A noun stands in the book with a particle behind it
  function isNoun(word, stems = []) {
    return places(word).some(([, end]) => {
      let stop = end;
      while (HANGUL.test(book.text[stop] ?? "")) stop += 1;
      const rest = book.text.slice(end, stop);
      // 토큰화에서 is no particle behind the noun 토큰화에
      return rest && endings.has(rest) && !stems.some((stem) => endings.has(word.slice(stem.length) + rest));
    });
  }

  function withoutEnding(word) {
    const stems = [];
    let hangul = word.length; // where it begins, of a word that ends so: KV캐시란
    while (hangul > 0 && HANGUL.test(word[hangul - 1])) hangul -= 1;
    for (let cut = Math.max(hangul, 1); cut < word.length; cut++) {
      if (endings.has(word.slice(cut))) stems.push(word.slice(0, cut));
    }
    const name = stem && inflected.get(stem(word));
    if (name && name !== word) stems.push(name);
    return stems; // the longest ending first
  }

  function stemOf(word) {
    if (isName(word)) return word;
    if (!HANGUL.test(word[word.length - 1])) return withoutEnding(word).find((name) => isName(name)) ?? word;
    const stems = withoutEnding(word);
    return (
      stems.find((stem) => isName(stem)) ??
      [isNoun(word, stems) ? word : "", ...stems].find((stem) => stem && (stem === word || !HANGUL.test(stem[0]) || ((stem.length > 1 || particles.has(word.slice(1))) && isNoun(stem)))) ??
      word
    );
  }

  // 처리하는, 반복돼요: such words say less about where the answer stands than what they are said of
  function isVerb(word) {
    const stem = stemOf(word);
    return stem !== word && !isName(stem) && !particles.has(word.slice(stem.length));
  }

  // Everything that a word or phrase is looked for as; the first is what it is called
  function formsOf(word) {
    const known = nameOf(word);
    if (known && !known.term.own.includes(word)) return [known.used ? word : known.term.own[0], ...known.term.own, word];
    return [word, SYMBOLS.get(word), ...ownWords(word)].filter(Boolean);
  }

  const unit = (word, extra) => {
    const forms = [...new Set([...formsOf(word), ...(extra?.forms ?? [])])];
    const hits = forms.filter((form) => places(form).length);
    return { ...extra, word, forms: hits, term: nameOf(word)?.term };
  };

  // ---- Typing errors

  function learnWords() {
    const counts = new Map();
    for (const [word] of book.text.matchAll(/[가-힣]{2,}|[A-Za-z]{4,}/g)) {
      const small = fold(word.toLowerCase());
      counts.set(small, (counts.get(small) ?? 0) + 1);
    }
    vocabulary = new Map();
    for (const name of [...names.keys(), ...[...absent.keys()].filter(isName)]) vocabulary.set(name, { letters: jamo(name), weight: 3 });
    for (const { title } of book.sections) {
      for (const [word] of fold(title.toLowerCase()).matchAll(/[가-힣]{2,}|[a-z]{4,}/g)) {
        if (!vocabulary.has(word)) vocabulary.set(word, { letters: jamo(word), weight: 2 });
      }
    }
    for (const [word, count] of counts) {
      if (count > 2 && !vocabulary.has(word)) vocabulary.set(word, { letters: jamo(word), weight: Math.min(1, count / 50) });
    }
  }

  function mend(word, fewest = 5) {
    const other = otherLayout(word);
    const turned = other !== word && [other, ...withoutEnding(other)].find((candidate) => isName(candidate) || places(candidate).length > 2);
    if (turned && turned.length > 1) return turned;
    if (!vocabulary) learnWords();
    let best = null;
    for (const candidate of [word, ...withoutEnding(word)]) {
      const letters = jamo(candidate);
      if (letters.length < fewest) continue;
      const limit = letters.length < 10 ? 1 : letters.length < 16 ? 2 : 3;
      for (const [known, { letters: right, weight }] of vocabulary) {
        if (!HANGUL.test(candidate) && known[0] !== candidate[0]) continue; // who types a name knows how it begins: BCELoss is no CE loss
        const apart = distance(letters, right, limit);
        if (apart > limit) continue;
        const cost = apart - weight * 0.2 + (candidate === word ? 0 : 0.1);
        if (!best || cost < best.cost) best = { known, cost };
      }
    }
    return best?.known;
  }

  // The book's English word that a Korean one is, written as it sounds
  function asItSounds(word) {
    if (!vocabulary) learnWords();
    sounds ??= [...vocabulary.keys()].filter((known) => /^[a-z]+$/.test(known)).map((known) => [sound(known), known]);
    const heard = [word, ...withoutEnding(word)].filter((one) => /^[가-힣]+$/.test(one)).map(sound);
    const alike = sounds.filter(([one]) => one.length > 3 && heard.includes(one)).map(([, known]) => known);
    return alike.sort((a, b) => places(b).length - places(a).length)[0];
  }

  // ---- The query

  function wordsOf(query) {
    return query
      .normalize("NFC")
      .replace(/(?<=[가-힣]|rms)놈/gi, "정규화") // 레이어놈, as it sounds
      .replace(/\bsqrt\(([^)]*)\)?/g, "sqrt $1 ")
      .replace(/\(\s*[\w?]+\s*(?:,\s*[\w?]*\s*)+\)/g, (tuple, at, whole) => (/\w/.test(whole[at - 1] ?? "") ? tuple : ` ${SHAPE} `)) // (3, 1)
      .replace(/(\w)[([][^)\]]*[)\]]?/g, "$1 ") // of logits[:, :-1] the name
      .split(/[\s,?!'"“”‘’;=/]+/)
      .map((word) => flattened(word.replace(/[.:]+$/, "").replace(/^\(+|\)+$/g, "")))
      .filter(Boolean);
  }

  const tellingWords = (query) => wordsOf(query).filter((word) => !asks(word));

  const asks = (word) => ASKING.has(word);

  // The query in pieces: first as one phrase of the book, then in the longest names that it knows, then word by word
  function unitsOf(words) {
    let [from, to] = [0, words.length];
    let whole = phraseOf(words);
    while (!whole && from < to && (asks(words[from]) || asks(words[to - 1]))) {
      if (asks(words[to - 1])) to -= 1;
      else from += 1;
      whole = stem && words.slice(from, to).some(asks) ? null : phraseOf(words.slice(from, to)); // BERT and GPT are two
    }
    if (whole && !isRare(whole)) return [unit(whole, { count: 2 })];
    const units = whole ? [unit(whole, { count: 2, spare: true })] : []; // its page, beside those of its words
    for (let i = 0; i < words.length; ) {
      let piece = null;
      let next = words.length;
      for (; next > i + 1 && !piece; next--) {
        const phrase = words.slice(i, next).join("");
        const name = [phrase, ...withoutEnding(phrase)].find((candidate) => isName(candidate) || SYMBOLS.has(candidate) || ownWords(candidate).length);
        if (name && name.length > words.slice(i, next - 1).join("").length) piece = unit(name, { count: next - i });
      }
      units.push(piece ?? (asks(words[i]) ? silent(words[i]) : wordUnit(words[i])));
      i = piece ? next + 1 : i + 1;
    }
    return [...units, ...pairsOf(words)];
  }

  // A word that asks is not looked for while others tell: it stands in a book a thousand times
  const silent = (word) => ({ raw: word, word, count: 1, forms: [] });

  // What the book says most of all that is the same: BERT, for 버트
  function otherWord(word) {
    const count = (one) => places(one).length;
    return othersOf(word).map(flattened).reduce((best, one) => (count(one) > count(best) ? one : best), word);
  }

  // A verb is looked for in all its shapes
  function wordUnit(word) {
    const own = stemOf(word);
    const stem = isName(own) || asks(own) || places(own).length ? own : otherWord(own);
    const shapes = !isName(stem) && !asks(word) && endsAsVerb(word) && shapesOf(word)[0];
    return unit(stem, { raw: word, count: 1, loose: Boolean(shapes) || isVerb(word), ...(shapes && { forms: shapes }) });
  }

  // Two neighbours that stand together in the book too, as no name of it: where they do is likelier meant (위치 임베딩)
  function pairsOf(words) {
    if (words.length < 3) return [];
    return words.slice(1).flatMap((word, i) => {
      const phrase = words[i] + word;
      if (asks(words[i]) || asks(word) || stemOf(words[i]) !== words[i]) return [];
      const found = [phrase, ...withoutEnding(phrase)].find((candidate) => candidate.length > words[i].length + 1 && places(candidate).length > 1);
      return found && !isName(found) ? [unit(found, { count: 2, spare: true })] : [];
    });
  }

  // No name, and on one page alone: the others say it in other words
  const isRare = (phrase) => !isName(phrase) && book.pagesOf(phrase).size < 2;

  // Words that stand together in the book, as one compound: no particle between them, or else all of it word for word
  function phraseOf(words) {
    if (words.length < 2) return null;
    const phrase = words.join("");
    const known = [phrase, ...withoutEnding(phrase)].find((candidate) => isName(candidate));
    if (known) return known;
    const compound = words.slice(0, -1).every((word) => stemOf(word) === word);
    if (!compound && words.length < 3) return null;
    return [phrase, ...(compound ? withoutEnding(phrase) : [])].find((candidate) => candidate.length > words.slice(0, -1).join("").length && places(candidate).length);
  }

  function understand(query) {
    const words = wordsOf(query);
    let units = unitsOf(words);
    const mended = [];
    if (units.some((one) => !one.forms.length && !asks(one.word))) {
      // first as one name (멀티 해드 어텐션), then word by word
      const whole = words.length > 1 && mendPhrase(words);
      if (whole) {
        mended.push({ wrong: null, right: whole });
        units = [unit(whole, { count: words.length })];
      } else {
        units = units.flatMap((one, i) => {
          if (one.forms.length || asks(one.word)) return one;
          const shapes = shapesOf(one.raw ?? one.word).find((some) => some.some((shape) => places(shape).length));
          if (shapes) return unit(one.word, { forms: shapes, count: 1, loose: true });
          const last = one.word.split(".").at(-1); // torch.tril, where the book writes mask.tril()
          if (last !== one.word && places(last).length) return unit(last, { count: 1 });
          const parts = partsOf(one.word);
          if (parts.length) return parts.map((part) => unit(part, { count: 1 }));
          const typing = i === units.length - 1 && unfinished(one.word);
          if (typing) return unit(typing, { count: 1 });
          const meant = asItSounds(one.raw ?? one.word);
          if (meant) return unit(meant, { count: 1 });
          const right = mend(one.raw ?? one.word);
          if (!right || (knows(one.raw ?? one.word) && !isName(right))) return one; // a word that readers ask with is none
          mended.push({ wrong: one.raw ?? one.word, right });
          return unit(right, { count: 1 });
        });
      }
    }
    const telling = units.filter((one) => one.count > 1 || !(asks(one.word) || asks(one.raw)));
    return { units: telling.length ? telling : words.map(wordUnit), mended };
  }

  function mendPhrase(words) {
    if (!vocabulary) learnWords();
    const right = mend(words.join(""), 8);
    return right && isName(right) ? right : null;
  }

  // A name that the book's code does not have, in the longest pieces that the book says: top_k_top_p_filtering
  function partsOf(name) {
    const words = name.split(/[._]+/);
    const found = [];
    for (let i = 0; words.length > 1 && i < words.length; ) {
      let next = words.length;
      const piece = () => words.slice(i, next).join("_");
      while (next > i && (piece().length < 3 || !places(piece()).length)) next -= 1;
      if (next > i) found.push(piece());
      i = Math.max(next, i + 1);
    }
    return found.some(isName) ? found.filter(isName) : found;
  }

  // The last syllable may still be growing: 어텐ㅅ, 트랜스폼(ㅓ)
  function unfinished(word) {
    const last = word[word.length - 1];
    const [lead, vowel, tail] = parts(last) ?? [];
    const shorter = /[ㄱ-ㅎ]/.test(last) ? word.slice(0, -1) : tail ? word.slice(0, -1) + syllable(lead, vowel) : "";
    return shorter.length > 1 && places(shorter).length ? shorter : null;
  }

  // A noun that the book says nowhere; what may be a verb's form is no word to speak of
  const isUnknown = ({ word, raw, forms, loose }) => !forms.length && !loose && !knows(raw ?? word) && word.length > 1 && !asks(word) && !/[요까다지게서면고도나은는이가을를한할된될로에와과의만랑]$/.test(raw ?? word);

  const asWritten = (query, flat) => query.split(/[\s,?!]+/).find((word) => flattened(word) === flat) ?? flat;

  // The query as it should have been written
  function meantBy(query, mended) {
    const written = (flat) => nameOf(flat)?.name ?? flat;
    if (mended.some(({ wrong }) => wrong === null)) return written(mended[0].right);
    const right = new Map(mended.map(({ wrong, right }) => [wrong, written(right)]));
    return query
      .split(/\s+/)
      .map((word) => right.get(flattened(word)) ?? word)
      .join(" ");
  }

  // Names that begin or sound like what was found nowhere
  function near(query) {
    if (!vocabulary) learnWords();
    const letters = jamo(flattened(query));
    const likeness = (name) => {
      const other = jamo(name);
      return 1 - distance(letters, other, Math.max(letters.length, other.length)) / Math.max(letters.length, other.length);
    };
    return [...names]
      .filter(([, { used }]) => used)
      .map(([name, known]) => [likeness(name), known.name])
      .filter(([alike]) => alike > 0.4)
      .sort(([a], [b]) => b - a)
      .slice(0, 5)
      .map(([, name]) => name);
  }

  // A name's term; of code also where it is written with underscores: nn.MultiheadAttention, F.scaled_dot_product_attention
  const named = (word) => nameOf(word) ?? nameOf(word.split(".").at(-1).replaceAll("_", ""));

  return { open, understand, meantBy, near, named, isUnknown, asWritten, tellingWords, names: () => names };
})();
