// The search field, in the dialog on every page and on the search page: results as one types. The engine and its index
// are loaded when a field is used, by script tags, since a page opened from disk may not fetch.
"use strict";

window.courseSearch ??= {};

(() => {
  const many = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
  const WORDS = {
    ko: {
      loading: "검색을 준비하고 있습니다.",
      failed: "검색에 필요한 파일을 읽지 못했습니다. 페이지를 새로 고쳐 보십시오.",
      found: (pages, places) => `${pages}쪽에서 ${places}곳을 찾았습니다.`,
      nothing: (query) => `찾은 곳이 없습니다: ${query}`,
      help: "더 짧은 낱말이나 다른 말로 찾아보십시오. 띄어쓰기와 조사는 달라도 됩니다. 낱말의 뜻은",
      helpEnd: "에 있습니다.",
      near: "가까운 말",
      examples: "이렇게 찾을 수 있습니다",
      tries: ["잔차 연결", "왜 d_k의 제곱근으로 나누나요", "beam search", "nn.MultiheadAttention"],
      glossary: "용어집",
      mended: "혹시 이 말입니까?",
      mendedNote: "이 말의 결과입니다.",
      instead: (unused, own) => `‘${unused}’, 이 책에서는 ‘${own}’`,
      missing: (asked, near) => `‘${asked}’, 이 책에는 없는 말입니다. ${near ? `가장 가까운 말은 ‘${near}’입니다.` : "나머지 말로 찾았습니다."}`,
      morePlaces: (count) => `이 쪽의 다른 ${count}곳`,
      morePages: (count) => `결과 ${count}쪽 더 보기`,
      code: "코드",
    },
    en: {
      loading: "Getting the search ready.",
      failed: "A file of the search could not be read. Try to reload the page.",
      found: (pages, places) => `${many(places, "place")} on ${many(pages, "page")}.`,
      nothing: (query) => `Nothing found for ‘${query}’.`,
      help: "Try a shorter or another word, or the",
      helpEnd: ".",
      near: "Close to it",
      examples: "You can ask like this",
      tries: ["residual connection", "why divide by the square root of d_k", "beam search", "nn.MultiheadAttention"],
      glossary: "Glossary",
      mended: "Did you mean",
      mendedNote: "These are its results.",
      instead: (unused, own) => `‘${unused}’ is ‘${own}’ in this book`,
      missing: (asked, near) => (near ? `This book has nothing on ‘${asked}’. What comes nearest is ‘${near}’.` : `This book does not say ‘${asked}’. These pages say the rest.`),
      morePlaces: (count) => `${count} more on this page`,
      morePages: (count) => many(count, "more page"),
      code: "code",
    },
  };
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const root = document.documentElement.dataset.content_root ?? "./";
  const TEXT = words === WORDS.en ? ["english", "text"] : ["text"];
  const SCRIPTS = [...[...TEXT, "hangul", "alike", "asked", "spoken", "query", "engine"].map((name) => `_static/search/${name}.js`), "search_index.js"];
  const PAGES = 8, PLACES = 3, QUOTED = 130;

  const script = (name) =>
    new Promise((resolve, reject) => {
      const element = document.createElement("script");
      Object.assign(element, { src: root + name, async: false, onload: resolve, onerror: reject });
      document.head.append(element);
    });

  let loading = null;
  let ready = false;
  function load() {
    loading ??= Promise.all(SCRIPTS.map(script)).then(() => {
      courseSearch.engine.load(courseSearch.index);
      ready = true;
    });
    return loading;
  }

  function element(name, className, ...content) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...content);
    return made;
  }

  function link(className, href, ...content) {
    const made = element("a", className, ...content);
    made.href = href;
    return made;
  }

  // Text with the words marked, cut to what stands around the first of them: the whole query's place, if there is one
  function excerpt(text, marks, whole, length = QUOTED) {
    const { flatten, find, findAll } = courseSearch.text;
    const flat = flatten(text);
    const hits = findAll(flat, marks);
    const [first] = find(flat, whole, 1).concat(hits);
    let start = Math.max(0, (first?.[0] ?? 0) - length / 4);
    if (start > 0) start = text.indexOf(" ", start) + 1 || start;
    if (first && start > first[0]) start = first[0];
    let end = Math.min(text.length, start + length);
    if (end < text.length) end = Math.max(text.lastIndexOf(" ", end), first ? first[1] : 0);
    const quoted = element("span", "search-excerpt", start > 0 ? "… " : "");
    let at = start;
    for (const [from, to] of hits) {
      if (from < at || to > end) continue;
      quoted.append(text.slice(at, from), element("mark", "", text.slice(from, to)));
      at = to;
    }
    quoted.append(text.slice(at, end), end < text.length ? " …" : "");
    return quoted;
  }

  function address(url, marks, id = "") {
    const query = marks.map((form) => `mark=${encodeURIComponent(form)}`).join("&");
    return `${root}${url}${query ? `?${query}` : ""}${id ? `#${id}` : ""}`;
  }

  function placeItem(page, place, result) {
    const href = address(page.url, result.marks, place.place ? `p${place.place}` : place.id);
    const heading = element("span", "search-heading", place.first ? "" : place.heading);
    const quoted = excerpt(place.text, result.marks, result.whole, place.code ? 80 : QUOTED);
    if (place.code) quoted.classList.add("search-code");
    return element("li", "", link("search-place", href, ...(place.first ? [] : [heading]), quoted));
  }

  function pageItem(page, result) {
    const list = element("ul", "search-places", ...page.places.slice(0, PLACES).map((place) => placeItem(page, place, result)));
    const title = element("h2", "search-page", link("", address(page.url, result.marks), page.title));
    const item = element("li", "", title, list);
    const rest = page.places.slice(PLACES);
    if (rest.length) {
      const more = element("button", "search-more", words.morePlaces(rest.length));
      more.type = "button";
      more.addEventListener("click", () => {
        const items = rest.map((place) => placeItem(page, place, result));
        list.append(...items);
        more.remove();
        items[0].querySelector("a").focus();
      });
      item.append(more);
    }
    return item;
  }

  function pagesList(result) {
    const list = element("ol", "search-pages", ...result.pages.slice(0, PAGES).map((page) => pageItem(page, result)));
    const rest = result.pages.slice(PAGES);
    if (!rest.length) return [list];
    const more = element("button", "search-more", words.morePages(rest.length));
    more.type = "button";
    more.addEventListener("click", () => {
      const items = rest.map((page) => pageItem(page, result));
      list.append(...items);
      more.remove();
      items[0].querySelector("a").focus();
    });
    return [list, more];
  }

  function definition({ title, text, url, instead }) {
    const [page, id] = url.split("#");
    const said = instead ? [element("p", "search-instead", words.instead(instead, title))] : [];
    const name = element("p", "search-term", link("", address(page, [], id), title), element("span", "", words.glossary));
    return element("section", "search-definition", ...said, name, element("p", "", text));
  }

  // Other queries, as links that fill the field
  function queries(title, list) {
    const items = list.map((query) => element("li", "", link("search-try", `${root}search.html?q=${encodeURIComponent(query)}`, query)));
    return element("div", "search-tries", element("p", "", title), element("ul", "", ...items));
  }

  function mended(result) {
    const suggestion = link("search-try", `${root}search.html?q=${encodeURIComponent(result.meant)}`, result.meant);
    return element("p", "search-mended", `${words.mended} `, suggestion, ` ${words.mendedNote}`);
  }

  function start(box) {
    const input = box.querySelector("input");
    const status = box.querySelector(".search-status");
    const results = box.querySelector(".search-results");
    const onPage = !box.closest("dialog");

    function show() {
      const query = input.value.trim();
      results.dataset.query = query;
      if (onPage) history.replaceState(null, "", query ? `?q=${encodeURIComponent(query)}` : location.pathname);
      if (!query) {
        status.textContent = "";
        results.replaceChildren(...(onPage ? [queries(words.examples, words.tries)] : []));
        return;
      }
      const result = courseSearch.engine.search(query);
      const places = result.pages.reduce((sum, page) => sum + page.places.length, 0);
      if (!result.pages.length && !result.definition) {
        status.textContent = words.nothing(query);
        const near = courseSearch.engine.near(query);
        const glossary = link("", address(courseSearch.engine.glossary(), []), words.glossary);
        results.replaceChildren(
          element("p", "", `${words.help} `, glossary, words.helpEnd),
          near.length ? queries(words.near, near) : queries(words.examples, words.tries),
        );
        return;
      }
      status.textContent = words.found(result.pages.length, places);
      const parts = result.mended.length ? [mended(result)] : [];
      parts.push(...result.missing.map(({ asked, near }) => element("p", "search-instead", words.missing(asked, near))));
      if (result.definition) parts.push(definition(result.definition));
      results.replaceChildren(...parts, ...pagesList(result));
      results.scrollTop = 0;
    }

    function search() {
      if (!ready) status.textContent = words.loading;
      load().then(show, () => (status.textContent = words.failed));
    }

    function walk(event) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      const stops = [input, ...results.querySelectorAll("a, button")];
      const next = stops[stops.indexOf(document.activeElement) + step];
      if (!next) return;
      event.preventDefault();
      event.stopPropagation();
      next.focus();
    }

    box.addEventListener("keydown", walk);
    input.addEventListener("focus", () => load().catch(() => {}));
    input.addEventListener("input", search);
    results.addEventListener("click", (event) => {
      const tried = event.target.closest(".search-try");
      if (!tried || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      input.value = tried.textContent;
      input.focus();
      search();
    });
    // A result on this very page: the dialog gives way to it
    results.addEventListener("click", (event) => event.target.closest("a:not(.search-try)") && box.closest("dialog")?.close());

    if (!onPage) return;
    // The theme's button and keys, which open the dialog elsewhere
    const focus = () => (input.focus(), input.select());
    document.querySelectorAll(".search-button__button").forEach((button) => button.addEventListener("click", focus));
    addEventListener("keydown", (event) => {
      if (!/^k$/i.test(event.key) || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      focus();
    });
    box.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      input.blur(); // a phone's keyboard makes room
      search();
    });
    input.value = new URLSearchParams(location.search).get("q") ?? "";
    input.focus();
    search();
  }

  document.querySelectorAll(".course-search").forEach(start);
  if (/[?&]mark=/.test(location.search)) [...TEXT, "marks"].reduce((done, name) => done.then(() => script(`_static/search/${name}.js`)), Promise.resolve());
})();
