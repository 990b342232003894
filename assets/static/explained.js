// A term's definition at the term, a work's reference where it is cited: while a pointer or the keyboard's focus rests on it, or at a finger's first tap.
"use strict";

(() => {
  const WORDS = {
    ko: { glossary: "용어집에서 보기", references: "참고 문헌에서 보기" },
    en: { glossary: "See the glossary", references: "See the references" },
  };
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const ROOT = new URL(document.documentElement.dataset.content_root || "./", location.href);
  const LATER = 250; // milliseconds: a pointer that passes by asks for nothing, and one on its way to the box keeps it

  // The definitions come when the first is asked for. A script, since a page from disk may not fetch.
  let coming;
  const definitions = () =>
    (coming ??= new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = new URL("_static/glossary_terms.js", ROOT).href;
      script.onload = () => resolve(window.glossaryTerms);
      script.onerror = () => resolve({});
      document.head.append(script);
    }));

  const box = document.createElement("div");
  box.className = "term-box";
  box.id = "term-box";
  box.setAttribute("role", "tooltip");
  box.hidden = true;
  let shown = null; // the link whose explanation the box holds
  let timer = 0;

  // What the glossary says of a term: two paragraphs, none for a term that it lacks
  async function definition(link) {
    const found = (await definitions())[decodeURIComponent(link.href.slice(ROOT.href.length))];
    if (!found) return [];
    const [term, english, text] = found;
    const head = document.createElement("p");
    const name = document.createElement("strong");
    name.textContent = term;
    const translation = document.createElement("span");
    translation.lang = "en";
    translation.textContent = english;
    head.append(name, " ", translation);
    const told = document.createElement("p");
    told.textContent = text;
    return [head, told];
  }

  // What the page's own list of references says of a work: authors, title, year
  function reference(link) {
    const entry = document.getElementById(link.hash.slice(1));
    const told = entry?.querySelector("p")?.cloneNode(true);
    if (!told) return [];
    if (entry.lang) told.lang = entry.lang;
    return [told];
  }

  const cited = (link) => link.closest(".bibtex-citation") !== null;

  function fill(link, told) {
    const more = document.createElement("a");
    more.href = link.href;
    more.textContent = cited(link) ? words.references : words.glossary;
    box.replaceChildren(...told, more);
    for (const inside of box.querySelectorAll("a")) inside.tabIndex = -1; // the keyboard has the link itself
  }

  function place(link) {
    const term = link.getClientRects()[0];
    const width = box.offsetWidth;
    const left = Math.min(Math.max(8, term.left), document.documentElement.clientWidth - width - 8);
    const above = term.bottom + box.offsetHeight + 8 > innerHeight && term.top > box.offsetHeight + 8;
    const top = above ? term.top - box.offsetHeight - 4 : term.bottom + 4;
    const origin = (box.offsetParent ?? document.documentElement).getBoundingClientRect();
    box.style.left = `${left - origin.left}px`;
    box.style.top = `${top - origin.top}px`;
  }

  function hide() {
    clearTimeout(timer);
    box.hidden = true;
    shown?.removeAttribute("aria-describedby");
    shown = null;
  }

  async function show(link) {
    clearTimeout(timer);
    const told = await (cited(link) ? reference(link) : definition(link));
    if (!told.length || shown === link) return;
    hide();
    shown = link;
    fill(link, told);
    box.hidden = false;
    link.setAttribute("aria-describedby", box.id);
    place(link);
  }

  function after(action) {
    clearTimeout(timer);
    timer = setTimeout(action, LATER);
  }

  function watch(link) {
    let touched = false;
    link.removeAttribute("title"); // a citation's says the same, to a mouse alone
    link.addEventListener("pointerdown", (event) => (touched = event.pointerType === "touch"));
    link.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && after(() => show(link)));
    link.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && after(hide));
    link.addEventListener("focus", () => !touched && link.matches(":focus-visible") && show(link));
    link.addEventListener("blur", () => !box.matches(":hover") && !touched && hide());
    link.addEventListener("click", (event) => {
      if (!touched || shown === link) return;
      event.preventDefault(); // the first tap shows, the second follows
      show(link);
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("article a.reference:is(:has(> .std-term), .bibtex-citation > *)").forEach(watch);
    (document.querySelector("main") ?? document.body).append(box);
    box.addEventListener("pointerenter", () => clearTimeout(timer));
    box.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && after(hide));
    document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
    document.addEventListener("pointerdown", (event) => {
      if (!box.contains(event.target) && event.target.closest?.("a") !== shown) hide();
    });
  });
})();
