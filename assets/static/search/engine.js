// The book's text, where a query's words are in it, and in which order the places are meant.
"use strict";

courseSearch.engine = (() => {
  const { flatten, flattened, find, stem = (word) => word, HANGUL } = courseSearch.text;
  const { load: learnAsked, isAskedWith, likeness } = courseSearch.asked;
  const { open, understand, meantBy, near, named, names, isUnknown, asWritten, tellingWords } = courseSearch.query;

  const TITLE = 0, TEXT = 1, CODE = 2, ELSEWHERE = 3, DEFINED = 4; // ELSEWHERE: what to read, a list of papers
  const MANY = 4000;
  const LONGEST = 300; // letters of a query that are looked for: a pasted page would hold the reader's up
  const ASKED = 20; // what a page is worth that is asked for e times as likely as another
  const NAMED = 0.1; // of that what is left where the query is one name or phrase of the book
  const TITLED = 1000; // what a page is worth whose title the query is: it comes first

  let book = null; // flattened text and where its blocks lie

  function load(index) {
    const { text } = index;
    const blocks = [], starts = [], sections = [];
    const listings = []; // they stand behind all other text
    let at = 0;
    const add = (block) => {
      blocks.push(block);
      starts.push(at);
      at = text.indexOf("\n", at) + 1;
    };
    index.pages.forEach((page, p) => {
      let place = 0;
      page.offset = sections.length;
      page.sections.forEach(([id, kinds], s) => {
        const section = sections.length;
        add({ section, kind: TITLE, place: 0 });
        sections.push({ page: p, title: text.slice(starts.at(-1), at - 1), id, first: s === 0, block: blocks.length - 1 });
        for (const kind of [...kinds].map(Number)) {
          const block = { section, kind, place: (place += 1) };
          if (kind === CODE) listings.push(block);
          else add(block);
        }
      });
      page.title = sections[page.offset]?.title ?? "";
    });
    listings.forEach(add);
    book = { ...flatten(text), pages: index.pages, terms: index.terms, blocks, starts, sections, places, says, pagesOf };
    found.clear();
    learnAsked(index.asked.split("\n"), index.learned);
    open(book);
  }

  const textOf = (block) => book.text.slice(book.starts[block], (book.starts[block + 1] ?? book.text.length) - 1);

  const found = new Map();
  function places(needle) {
    if (!found.has(needle)) {
      if (found.size > 500) found.clear();
      found.set(needle, needle ? find(book, needle, MANY) : []);
    }
    return found.get(needle);
  }

  // Whether the book itself says it, and not only the title of a paper
  const says = (needle) => places(needle).some(([start]) => book.blocks[blockAt(start)].kind !== ELSEWHERE);

  const pagesOf = (needle) => new Set(places(needle).map(([start]) => book.sections[book.blocks[blockAt(start)].section].page));

  function blockAt(position) {
    let low = 0, high = book.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (book.starts[middle] <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // How much of a title the words make up
  function share(forms, title) {
    const flat = flattened(title);
    return Math.max(...forms.map((form) => (flat.includes(form) ? form.length / flat.length : 0)));
  }

  // Whether a later word of a name begins so: feed-forward, of the position-wise feed-forward network
  function within(word, name) {
    const parts = name.split(/[\s-]+/);
    return parts.some((_, k) => k > 0 && flattened(parts.slice(k).join(" ")).startsWith(stem(word)));
  }

  // The pages that teach the term; less surely, the terms of which it is a part. Who asks for nothing but a term asks what it is.
  function homesOf(one, alone) {
    const term = one.term ?? named(one.word)?.term;
    if (term) return new Map([[term.home, alone ? 16 : 12]]);
    const homes = new Map();
    for (const [name, { term, name: written }] of names()) {
      if (one.word.length < 2 || homes.get(term.home) > 4.5) continue;
      if (stem(name).startsWith(stem(one.word))) homes.set(term.home, 9);
      else if (stem(name).endsWith(stem(one.word)) || (name.includes(stem(one.word)) && within(one.word, written))) homes.set(term.home, 4.5);
    }
    return homes;
  }

  // The chapter whose exercise is the first to build what is called so
  function chapterThatBuilds({ term, builtIn }) {
    if (term || builtIn.length === 0) return null;
    const url = book.pages[Math.min(...builtIn)].url.replace(/^exercises\/(\w+)\/.*/, "chapters/$1.html");
    return book.pages.findIndex((page) => page.url === url);
  }

  // A name of the book, or what heads a section, says where the answer stands; other words (가능한, 갑자기) are only rare,
  // and say little beside a term (다음 문장 예측이 도움이 되나요)
  function tells(one, termed) {
    if (one.loose) return termed ? 0.2 : 0.4;
    const known = one.term || one.count > 1 || one.builtIn.length || !HANGUL.test(one.word);
    if (known || one.forms.some((form) => places(form).some(([start]) => book.blocks[blockAt(start)].kind === TITLE))) return 1;
    return termed ? 0.2 : 0.5;
  }

  // A page's beginning, as a place of which nothing but the page is meant
  const opening = (page) => ({ section: book.pages[page].offset, score: 0, here: { units: new Map(), blocks: new Map([[book.sections[book.pages[page].offset].block, new Set()]]) } });

  const saturated = (count, half) => count / (count + half);

  function search(typed) {
    const query = typed.slice(0, LONGEST);
    const { units, mended } = understand(query);
    const result = { query, mended, meant: meantBy(query, mended), missing: [], whole: flattened(query), definition: null, pages: [], marks: [] };
    const sought = units.filter((one) => one.forms.length);
    const isAsked = tellingWords(result.meant).some(isAskedWith);
    if (!sought.length && !isAsked) return result;

    const counts = new Map(); // section -> unit -> [in the title, in text, in code], and the blocks that have it
    const pages = new Map();
    const total = book.pages.length;
    const termed = sought.some(({ term }) => term);
    sought.forEach((one, u) => {
      const having = new Set();
      one.builtIn = [];
      one.forms.forEach((form) => {
        for (const [start] of places(form)) {
          const b = blockAt(start);
          const { section, kind } = book.blocks[b];
          if (!counts.has(section)) counts.set(section, { units: new Map(), blocks: new Map() });
          const here = counts.get(section);
          if (!here.units.has(u)) here.units.set(u, [0, 0, 0, 0, 0]);
          here.units.get(u)[kind] += 1;
          if (kind === CODE && /(def|class) $/.test(book.text.slice(start - 6, start))) {
            here.units.get(u)[DEFINED] += 1;
            const { page } = book.sections[section];
            if (book.pages[page].url.startsWith("exercises/")) one.builtIn.push(page);
          }
          if (!here.blocks.has(b)) here.blocks.set(b, new Set());
          here.blocks.get(b).add(u);
          having.add(book.sections[section].page);
        }
      });
      one.pages = having;
      one.chapter = chapterThatBuilds(one);
      one.homes = homesOf(one, sought.length === 1);
      one.rare = (Math.log(1 + total / (having.size || 1)) + 0.3) * tells(one, termed);
    });

    const only = sought.length === 1 && sought[0].term;
    if (only) counts.delete(book.pages[only.page].offset + only.section); // it is quoted above the results
    const asked = sought.filter(({ spare }) => !spare);
    const all = asked.reduce((sum, one) => sum + one.rare, 0) || 1;
    // The chapter that teaches a term that was asked for answers in other words what is asked of it
    const teaching = new Set(sought.map(({ term }) => term?.home));
    const inPhrase = (word) => sought.some((one) => one.spare && one.word.includes(word));
    const telling = sought.length === 1 && units.length === 1 ? NAMED : 1;
    const askedFor = likeness(result.meant).map((one) => telling * ASKED * one);
    const has = (page, one) => (one.pages.has(page) ? 1 : one.term || !teaching.has(page) || inPhrase(one.word) ? 0 : 0.7);
    const covered = (page) => asked.reduce((sum, one) => sum + has(page, one) * one.rare, 0) / all;
    const most = Math.max(...book.pages.map((_, page) => covered(page))) || 1;

    for (const [section, here] of counts) {
      const { page, title, first } = book.sections[section];
      let score = 0, cover = 0;
      for (const [u, [titled, text, code, elsewhere, defined]] of here.units) {
        const one = sought[u];
        if (!one.spare) cover += one.rare;
        const inTitle = titled && !first ? 5 + 4 * share(one.forms, title) : 0;
        score += one.rare * (inTitle + 4 * saturated(text, 3) + saturated(code, 3) + 0.3 * saturated(elsewhere, 3) + (defined ? 4 : 0));
      }
      score *= (cover / all) ** 2;
      if (!pages.has(page)) pages.set(page, { page, score: 0, places: [] });
      pages.get(page).places.push({ section, score, here });
    }

    const mostAsked = Math.max(...askedFor);
    book.pages.forEach((_, page) => {
      if (isAsked && askedFor[page] > mostAsked - ASKED / 2 && !pages.has(page)) pages.set(page, { page, score: 0, places: [opening(page)] });
    });

    for (const entry of pages.values()) {
      entry.places.sort((a, b) => b.score - a.score || a.section - b.section);
      entry.score = entry.places[0].score;
      const { title, number, url } = book.pages[entry.page];
      sought.forEach((one, u) => {
        const count = entry.places.reduce((sum, { here }) => sum + (here.units.get(u)?.[TEXT] ?? 0) + 0.3 * (here.units.get(u)?.[CODE] ?? 0), 0);
        entry.score += one.rare * 2 * Math.log1p(count);
        entry.score += one.rare * (one.homes.get(entry.page) ?? 0);
        if (entry.places.some(({ section, here }) => book.sections[section].first && here.units.get(u)?.[TEXT])) entry.score += one.rare * 2; // it opens with it
        if (one.chapter === entry.page) entry.score += one.rare * 12;
        const shared = share(one.forms, title);
        if (shared) entry.score += one.rare * (4 + 8 * shared);
      });
      if (url.startsWith("exercises/")) entry.score *= 0.6;
      if (!number) entry.score *= 0.5;
      entry.score *= (covered(entry.page) / most) ** 2;
      if (flattened(title) === result.whole) entry.score += TITLED;
      entry.score += askedFor[entry.page];
    }
    // Pages that have all the words; before them one that lacks some, if it is more about the others
    const whole = Math.max(...[...pages.values()].map(({ page, score }) => (covered(page) < most - 1e-9 ? 0 : score)));
    for (const [page, { score }] of pages) if (covered(page) < most - 1e-9 && score <= whole) pages.delete(page);

    result.missing = sought.filter(({ word }) => named(word)?.missing).map(({ word, term }) => ({ asked: named(word).name, near: term.names[0] }));
    result.missing.push(...units.filter((one) => isUnknown(one)).map((one) => ({ asked: asWritten(query, one.raw ?? one.word), near: null })));
    result.marks = [...new Set(sought.flatMap((one) => one.forms))];
    if (only) result.definition = define(only, sought[0].word);
    result.pages = [...pages.values()].sort((a, b) => b.score - a.score || a.page - b.page).map((entry) => show(entry, sought));
    return result;
  }

  const glossary = () => book.pages[book.terms[0]?.page ?? 0].url;

  function define(term, word) {
    const page = book.pages[term.page];
    const { title, id, block } = book.sections[page.offset + term.section];
    const known = named(word);
    return { title, text: textOf(block + 1), url: `${page.url}#${id}`, instead: known && !known.used && !known.missing ? known.name : null, page: term.page };
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
    let chosen = -1, value = -Infinity;
    for (const [b, having] of blocks) {
      const kind = book.blocks[b].kind;
      const worth = [...having].reduce((sum, u) => sum + sought[u].rare, 0) + ({ [TEXT]: 0.5, [TITLE]: 0.2, [ELSEWHERE]: -0.5 }[kind] ?? 0);
      if (worth > value || (worth === value && b < chosen)) [chosen, value] = [b, worth];
    }
    const titled = book.blocks[chosen].kind === TITLE;
    const quoted = titled && book.blocks[chosen + 1]?.section === book.blocks[chosen].section ? chosen + 1 : chosen;
    return { place: book.blocks[chosen].place, code: book.blocks[quoted].kind === CODE, text: titled && quoted === chosen ? "" : textOf(quoted) };
  }

  return { load, search, near, glossary };
})();
