// From a query to the places that are meant: words and phrases, other names, typing errors, and their order.
"use strict";

courseSearch.engine = (() => {
  const { flatten, flattened, find, endings, particles, jamo, parts, syllable, otherLayout, HANGUL } = courseSearch.text;

  // Words that ask, and say nothing about where the answer stands
  const ASKING = new Set(
    ("왜 어떻게 어떤 어느 무엇 무엇이 무엇을 무엇인가 무엇인가요 무엇입니까 뭐 뭔가 뭔가요 뭐야 뭘 언제 어디 어디서 어디에 누가 얼마나 몇 이유 이유는 까닭 " +
      "방법 방법은 경우 차이 차이는 차이가 차이점 쓰면 쓰는 써야 하면 하는 되면 되는 있는 없는 나온 대신 서로 모두 뜻 의미 것 때 때문 대해 대한 관한 관하여 그리고 또는 및 하나 하나요 하는가 합니까 하나요 있나 있나요 있는가 있습니까 " +
      "될 되나 되나요 되는가 쓰나 쓰나요 쓰는가 씁니까 인가 인가요 이란 란 수 좀 더 the a an of in is to and what how why does do and for with").split(" "),
  );
  // Endings of a verb in a question or a clause, longest first
  const OF_VERBS = (
    "습니까 ㅂ니까 는가요 나요 ㄴ가요 은가요 을까요 ㄹ까요 는가 ㄴ가 은가 을까 ㄹ까 지나요 지나 니까 으니까 는데 려면 으려면 면 으면 고 며 어서 아서 기 는 ㄴ 은 ㄹ 을 나 지 다 ㄴ다 는다 ㅂ니다 습니다 어 아 게 요"
  )
    .split(" ")
    .sort((a, b) => b.length - a.length);
  const TITLE = 0, TEXT = 1, CODE = 2, DEFINED = 3;
  const MANY = 4000;

  let book = null; // flattened text and where its blocks lie
  let names = null; // flattened name -> the term it stands for, and whether the book uses the name
  let vocabulary = null; // made when a word is found nowhere

  function load(index) {
    const blocks = [];
    const starts = [];
    const sections = [];
    let text = "";
    let lines = -1;
    const add = (section, kind, place, words) => {
      starts.push(text.length);
      blocks.push({ section, kind, place });
      text += `${words.replace(/\s/g, " ")}\n`;
    };
    index.pages.forEach((page, p) => {
      let place = 0;
      page.sections.forEach(([title, id, content], s) => {
        const section = sections.length;
        sections.push({ page: p, title, id, first: s === 0 });
        add(section, TITLE, 0, title);
        for (const block of content) {
          place += 1;
          if (block) add(section, TEXT, place, block);
          else add(section, CODE, place, index.code[(lines += 1)]);
        }
      });
      page.offset = sections.length - page.sections.length;
      page.title = page.sections[0]?.[0] ?? "";
    });
    book = { ...flatten(text), pages: index.pages, terms: index.terms, blocks, starts, sections };
    names = new Map();
    for (const term of index.terms) {
      term.own = term.names.map(flattened);
      for (const [list, used] of [[term.names, true], [term.also, true], [term.unused, false]]) {
        for (const name of list) if (!names.has(flattened(name))) names.set(flattened(name), { term, name, used });
      }
    }
    vocabulary = null;
    found.clear();
  }

  const found = new Map();
  function places(needle) {
    if (!found.has(needle)) {
      if (found.size > 500) found.clear();
      found.set(needle, needle ? find(book, needle, MANY) : []);
    }
    return found.get(needle);
  }

  function blockAt(position) {
    let low = 0, high = book.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (book.starts[middle] <= position) low = middle;
      else high = middle - 1;
    }
    return low;
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
    for (let cut = 1; cut < word.length && HANGUL.test(word[cut]); cut++) {
      if (endings.has(word.slice(cut))) stems.push(word.slice(0, cut));
    }
    for (let cut = word.length - 1; cut > 0; cut--) {
      if (!HANGUL.test(word[cut - 1]) && endings.has(word.slice(cut)) && !stems.includes(word.slice(0, cut))) stems.push(word.slice(0, cut));
    }
    return stems; // the longest ending first
  }

  function stemOf(word) {
    if (names.has(word) || !HANGUL.test(word[word.length - 1])) return word;
    const stems = withoutEnding(word);
    return (
      stems.find((stem) => names.has(stem)) ??
      [isNoun(word, stems) ? word : "", ...stems].find((stem) => stem && (stem === word || !HANGUL.test(stem[0]) || ((stem.length > 1 || particles.has(word.slice(1))) && isNoun(stem)))) ??
      word
    );
  }

  // A verb's stem and the shapes that it takes: 나누 나눈 나눌 나눕 나눴, 고르 골라, 더하 더해
  function shapesOf(word) {
    const letters = jamo(word);
    for (const ending of OF_VERBS) {
      if (!letters.endsWith(jamo(ending)) || letters.length - jamo(ending).length < 4) continue;
      let stem = "";
      for (const one of word) {
        if (jamo(stem + one).length > letters.length - jamo(ending).length) {
          const [lead, vowel] = parts(one) ?? [];
          if (lead && jamo(stem + syllable(lead, vowel)).length === letters.length - jamo(ending).length) stem += syllable(lead, vowel);
          break;
        }
        stem += one;
      }
      if (jamo(stem).length !== letters.length - jamo(ending).length || stem.length < 2) continue;
      const last = parts(stem[stem.length - 1]);
      if (!last) continue;
      const head = stem.slice(0, -1);
      const shapes = [stem];
      if (!last[2]) {
        for (const tail of "ㄴㄹㅂㅆ") shapes.push(head + syllable(last[0], last[1], tail));
        if (last[0] === "ㅎ" && last[1] === "ㅏ") shapes.push(`${head}해`, `${head}했`);
        if (last[1] === "ㅜ") shapes.push(head + syllable(last[0], "ㅝ"), head + syllable(last[0], "ㅝ", "ㅆ"));
        if (last[1] === "ㅣ") shapes.push(head + syllable(last[0], "ㅕ"), head + syllable(last[0], "ㅕ", "ㅆ"));
        const before = head && parts(head[head.length - 1]);
        if (last[0] === "ㄹ" && last[1] === "ㅡ" && before && !before[2]) {
          const double = head.slice(0, -1) + syllable(before[0], before[1], "ㄹ");
          for (const vowel of "ㅏㅓ") shapes.push(double + syllable("ㄹ", vowel), double + syllable("ㄹ", vowel, "ㅆ"));
        }
      }
      const known = shapes.filter((shape) => places(shape).length);
      if (known.length) return known;
    }
    return [];
  }

  // Everything that a word or phrase is looked for as; the first is what it is called
  function formsOf(word) {
    const known = names.get(word);
    if (known && !known.term.own.includes(word)) return [known.used ? word : known.term.own[0], ...known.term.own, word];
    return [word];
  }

  const unit = (word, extra) => {
    const forms = [...new Set([...formsOf(word), ...(extra?.forms ?? [])])];
    const hits = forms.filter((form) => places(form).length);
    return { ...extra, word, forms: hits, term: names.get(word)?.term };
  };

  // ---- Typing errors

  function learnWords() {
    const counts = new Map();
    for (const [word] of book.text.matchAll(/[가-힣]{2,}|[A-Za-z]{4,}/g)) {
      const small = word.toLowerCase();
      counts.set(small, (counts.get(small) ?? 0) + 1);
    }
    vocabulary = new Map();
    for (const name of names.keys()) vocabulary.set(name, { letters: jamo(name), weight: 3 });
    for (const { title } of book.sections) {
      for (const [word] of title.toLowerCase().matchAll(/[가-힣]{2,}|[a-z]{4,}/g)) {
        if (!vocabulary.has(word)) vocabulary.set(word, { letters: jamo(word), weight: 2 });
      }
    }
    for (const [word, count] of counts) {
      if (count > 2 && !vocabulary.has(word)) vocabulary.set(word, { letters: jamo(word), weight: Math.min(1, count / 50) });
    }
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

  function mend(word, fewest = 5) {
    const other = otherLayout(word);
    const turned = other !== word && [other, ...withoutEnding(other)].find((candidate) => names.has(candidate) || places(candidate).length > 2);
    if (turned && turned.length > 1) return turned;
    if (!vocabulary) learnWords();
    let best = null;
    for (const candidate of [word, ...withoutEnding(word)]) {
      const letters = jamo(candidate);
      if (letters.length < fewest) continue;
      const limit = letters.length < 10 ? 1 : letters.length < 16 ? 2 : 3;
      for (const [known, { letters: right, weight }] of vocabulary) {
        const apart = distance(letters, right, limit);
        if (apart > limit) continue;
        const cost = apart - weight * 0.2 + (candidate === word ? 0 : 0.1);
        if (!best || cost < best.cost) best = { known, cost };
      }
    }
    return best?.known;
  }

  // ---- The query

  function wordsOf(query) {
    return query
      .normalize("NFC")
      .replace(/(\w)\([^)]*\)?/g, "$1 ")
      .split(/[\s,?!'"“”‘’;]+/)
      .map((word) => flattened(word.replace(/[.:]+$/, "").replace(/^\(+|\)+$/g, "")))
      .filter(Boolean);
  }

  const asks = (word) => ASKING.has(word);

  // The query in pieces: first as one phrase of the book, then in the longest names that it knows, then word by word
  function unitsOf(words) {
    let [from, to] = [0, words.length];
    let whole = phraseOf(words);
    while (!whole && from < to && (asks(words[from]) || asks(words[to - 1]))) {
      if (asks(words[to - 1])) to -= 1;
      else from += 1;
      whole = phraseOf(words.slice(from, to));
    }
    if (whole) return [unit(whole, { count: 2 })];
    const units = [];
    for (let i = 0; i < words.length; ) {
      let piece = null;
      let next = words.length;
      for (; next > i + 1 && !piece; next--) {
        const phrase = words.slice(i, next).join("");
        const name = [phrase, ...withoutEnding(phrase)].find((candidate) => names.has(candidate));
        if (name && name.length > words.slice(i, next - 1).join("").length) piece = unit(name, { count: next - i });
      }
      units.push(piece ?? unit(stemOf(words[i]), { raw: words[i], count: 1 }));
      i = piece ? next + 1 : i + 1;
    }
    return units;
  }

  // Words that stand together in the book, as one compound: no particle between them, or else all of it word for word
  function phraseOf(words) {
    if (words.length < 2) return null;
    const phrase = words.join("");
    const known = [phrase, ...withoutEnding(phrase)].find((candidate) => names.has(candidate));
    if (known) return known;
    const compound = words.slice(0, -1).every((word) => stemOf(word) === word);
    if (!compound && words.length < 3) return null;
    return [phrase, ...(compound ? withoutEnding(phrase) : [])].find((candidate) => candidate.length > words.slice(0, -1).join("").length && places(candidate).length);
  }

  function understand(query) {
    const words = wordsOf(query);
    let units = unitsOf(words);
    const mended = [];
    if (units.some((one) => !one.forms.length)) {
      // first as one name (멀티 해드 어텐션), then word by word
      const whole = words.length > 1 && mendPhrase(words);
      if (whole) {
        mended.push({ wrong: null, right: whole });
        units = [unit(whole, { count: words.length })];
      } else {
        units = units.map((one, i) => {
          if (one.forms.length || asks(one.word)) return one;
          const shapes = shapesOf(one.raw ?? one.word);
          if (shapes.length) return unit(one.word, { forms: shapes, count: 1, weak: true });
          const typing = i === units.length - 1 && unfinished(one.word);
          if (typing) return unit(typing, { count: 1 });
          const right = mend(one.raw ?? one.word);
          if (!right) return one;
          mended.push({ wrong: one.raw ?? one.word, right });
          return unit(right, { count: 1 });
        });
      }
    }
    const telling = units.filter((one) => one.count > 1 || !(asks(one.word) || asks(one.raw)));
    return { units: telling.length ? telling : units, mended };
  }

  function mendPhrase(words) {
    if (!vocabulary) learnWords();
    const right = mend(words.join(""), 8);
    return right && names.has(right) ? right : null;
  }

  // The last syllable may still be growing: 어텐ㅅ, 트랜스폼(ㅓ)
  function unfinished(word) {
    const last = word[word.length - 1];
    const [lead, vowel, tail] = parts(last) ?? [];
    const shorter = /[ㄱ-ㅎ]/.test(last) ? word.slice(0, -1) : tail ? word.slice(0, -1) + syllable(lead, vowel) : "";
    return shorter.length > 1 && places(shorter).length ? shorter : null;
  }

  // ---- The order

  // How much of a title the words make up
  function share(forms, title) {
    const flat = flattened(title);
    return Math.max(...forms.map((form) => (flat.includes(form) ? form.length / flat.length : 0)));
  }

  // The pages that teach the term; less surely, the terms of which it is a part
  function homesOf(one) {
    if (one.term) return new Map([[one.term.home, 8]]);
    const homes = new Map();
    for (const [name, { term }] of names) {
      if (one.word.length < 2 || homes.get(term.home) > 3) continue;
      if (name.startsWith(one.word)) homes.set(term.home, 6);
      else if (name.endsWith(one.word)) homes.set(term.home, 3);
    }
    return homes;
  }

  const saturated = (count, half) => count / (count + half);

  function search(query) {
    const { units, mended } = understand(query);
    const result = { query, mended, meant: meantBy(query, mended), whole: flattened(query), definition: null, pages: [], marks: [] };
    const sought = units.filter((one) => one.forms.length);
    if (!sought.length) return result;

    const counts = new Map(); // section -> unit -> [in the title, in text, in code], and the blocks that have it
    const pages = new Map();
    const total = book.pages.length;
    sought.forEach((one, u) => {
      const having = new Set();
      one.forms.forEach((form) => {
        for (const [start] of places(form)) {
          const b = blockAt(start);
          const { section, kind } = book.blocks[b];
          if (!counts.has(section)) counts.set(section, { units: new Map(), blocks: new Map() });
          const here = counts.get(section);
          if (!here.units.has(u)) here.units.set(u, [0, 0, 0, 0]);
          here.units.get(u)[kind] += 1;
          if (kind === CODE && /(def|class) $/.test(book.text.slice(start - 6, start))) here.units.get(u)[DEFINED] += 1;
          if (!here.blocks.has(b)) here.blocks.set(b, new Set());
          here.blocks.get(b).add(u);
          having.add(book.sections[section].page);
        }
      });
      one.pages = having;
      one.rare = Math.log(1 + total / (having.size || 1)) + 0.3;
    });

    const only = sought.length === 1 && sought[0].term;
    if (only) counts.delete(book.pages[only.page].offset + only.section); // it is quoted above the results
    const all = sought.reduce((sum, one) => sum + one.rare, 0);
    const covered = (page) => sought.reduce((sum, one) => sum + (one.pages.has(page) ? one.rare : 0), 0) / all;
    const most = Math.max(...book.pages.map((_, page) => covered(page)));

    for (const [section, here] of counts) {
      const { page, title, first } = book.sections[section];
      if (covered(page) < most - 1e-9) continue;
      let score = 0, cover = 0;
      for (const [u, [titled, text, code, defined]] of here.units) {
        const one = sought[u];
        cover += one.rare;
        const inTitle = titled && !first ? 5 + 4 * share(one.forms, title) : 0;
        score += one.rare * (inTitle + 4 * saturated(text, 3) + saturated(code, 3) + (defined ? 4 : 0));
      }
      score *= (cover / all) ** 2;
      if (!pages.has(page)) pages.set(page, { page, score: 0, places: [] });
      pages.get(page).places.push({ section, score, here });
    }

    for (const entry of pages.values()) {
      entry.places.sort((a, b) => b.score - a.score || a.section - b.section);
      entry.score = entry.places[0].score;
      const { title, number, url } = book.pages[entry.page];
      sought.forEach((one, u) => {
        const count = entry.places.reduce((sum, { here }) => sum + (here.units.get(u)?.[TEXT] ?? 0) + 0.3 * (here.units.get(u)?.[CODE] ?? 0), 0);
        entry.score += one.rare * 2 * Math.log1p(count);
        entry.score += one.rare * (homesOf(one).get(entry.page) ?? 0);
        const shared = share(one.forms, title);
        if (shared) entry.score += one.rare * (4 + 8 * shared);
      });
      if (url.startsWith("exercises/")) entry.score *= 0.7;
      if (!number) entry.score *= 0.5;
    }

    result.marks = [...new Set(sought.flatMap((one) => one.forms))];
    if (only) result.definition = define(only, sought[0].word);
    result.pages = [...pages.values()].sort((a, b) => b.score - a.score || a.page - b.page).map((entry) => show(entry, sought));
    return result;
  }

  // The query as it should have been written
  function meantBy(query, mended) {
    const written = (flat) => names.get(flat)?.name ?? flat;
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

  const glossary = () => book.pages[book.terms[0]?.page ?? 0].url;

  function define(term, word) {
    const page = book.pages[term.page];
    const [title, id, content] = page.sections[term.section];
    const known = names.get(word);
    return { title, text: content[0], url: `${page.url}#${id}`, instead: known && !known.used ? known.name : null, page: term.page };
  }

  function show({ page, places: found, score }, sought) {
    const { url, number, title } = book.pages[page];
    return {
      url,
      title: [number, title].filter(Boolean).join(" "),
      score,
      count: found.length,
      places: found.map(({ section, here }) => {
        const { title: heading, id, first } = book.sections[section];
        return { heading, id, first, ...best(here, sought) };
      }),
    };
  }

  // The block of a section that has most of what is sought, and how to quote it
  function best({ blocks }, sought) {
    let chosen = -1, value = -1;
    for (const [b, having] of blocks) {
      const kind = book.blocks[b].kind;
      const worth = [...having].reduce((sum, u) => sum + sought[u].rare, 0) + (kind === TEXT ? 0.5 : kind === TITLE ? 0.2 : 0);
      if (worth > value || (worth === value && b < chosen)) [chosen, value] = [b, worth];
    }
    const titled = book.blocks[chosen].kind === TITLE;
    const quoted = titled && book.blocks[chosen + 1]?.section === book.blocks[chosen].section ? chosen + 1 : chosen;
    const start = book.starts[quoted];
    const text = book.text.slice(start, (book.starts[quoted + 1] ?? book.text.length) - 1);
    return { place: book.blocks[chosen].place, code: book.blocks[quoted].kind === CODE, text: titled && quoted === chosen ? "" : text };
  }

  return { load, search, near, glossary };
})();
