// On a page that a result leads to: the words are marked, and a button takes the marks away. Marks are ranges, not
// elements: the page stays as it is, and a phrase is marked across links and code.
"use strict";

(() => {
  const WORDS = {
    ko: { marked: (count) => `찾은 말 ${count}곳을 표시했습니다.`, hide: "표시 지우기" },
    en: { marked: (count) => `${count} places are marked.`, hide: "Hide marks" },
  };
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const BLOCK = "p, li, dt, dd, td, th, pre, h1, h2, h3, h4, h5, h6, figcaption, summary, label, legend, div";
  const NOT_TEXT = "script, style, noscript, svg, math, button, textarea, .headerlink, .onlyprint, .am-heads, .am-status, .am-legend, [hidden]";

  // The page's words, and which text node each of them is in
  function readText(root) {
    const nodes = [];
    const starts = [];
    let text = "";
    let block = null;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
      node.parentElement.closest(NOT_TEXT) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    );
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const here = node.parentElement.closest(BLOCK);
      if (here !== block) text += "\n";
      block = here;
      nodes.push(node);
      starts.push(text.length);
      text += node.data.replace(/\s/g, " ");
    }
    const place = (position) => {
      let i = starts.findLastIndex((start) => start <= position);
      return [nodes[i], position - starts[i]];
    };
    return { text, place };
  }

  function rangesOf(root, forms) {
    const { text, place } = readText(root);
    const flat = courseSearch.text.flatten(text);
    return courseSearch.text
      .findAll(flat, forms)
      .map(([start, end]) => {
        const range = new Range();
        range.setStart(...place(start));
        const [node, offset] = place(end - 1);
        range.setEnd(node, offset + 1);
        return range;
      });
  }

  function arrive() {
    const article = document.querySelector("article");
    const forms = new URLSearchParams(location.search).getAll("mark");
    const ranges = article && CSS.highlights ? rangesOf(article, forms) : [];
    if (!ranges.length) return;
    CSS.highlights.set("course-search", new Highlight(...ranges));
    const target = document.getElementById(location.hash.slice(1));
    if (/^p\d+$/.test(target?.id)) target.classList.add("search-arrived");

    const bar = document.createElement("div");
    const hide = document.createElement("button");
    const said = document.createElement("span");
    bar.className = "search-bar";
    said.textContent = words.marked(ranges.length);
    said.setAttribute("role", "status");
    hide.type = "button";
    hide.textContent = words.hide;
    bar.append(said, hide);
    document.querySelector("main").append(bar);
    document.documentElement.classList.add("search-marked");

    function clear() {
      CSS.highlights.delete("course-search");
      target?.classList.remove("search-arrived");
      bar.remove();
      document.documentElement.classList.remove("search-marked");
      document.removeEventListener("keydown", escape);
      history.replaceState(null, "", location.pathname + location.hash);
    }
    const escape = (event) => event.key === "Escape" && !document.querySelector("dialog[open]") && clear();
    hide.addEventListener("click", clear);
    document.addEventListener("keydown", escape);

    keepInView(target);
  }

  // Formulas above it are set after the page is there, and push it away, until the reader takes over
  function keepInView(target) {
    if (!target) return;
    const controller = new AbortController();
    const settle = () => controller.signal.aborted || target.scrollIntoView();
    for (const name of ["wheel", "touchstart", "keydown", "pointerdown"]) {
      addEventListener(name, () => controller.abort(), { signal: controller.signal, passive: true });
    }
    settle();
    addEventListener("load", settle); // pictures have come
  }

  arrive();
})();
