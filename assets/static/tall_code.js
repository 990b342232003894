// On a phone, code of more than fifteen lines shows its first ones, and the rest at a touch (reading.css).
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const LINES = 15;
  const WORDS = { ko: (n) => `코드 ${n}줄 모두 보기`, en: (n) => `Show all ${n} lines` };
  const words = WORDS[document.documentElement.lang] || WORDS.en;

  for (const code of document.querySelectorAll(".bd-article div.highlight:not(.cell_output *)")) {
    const lines = code.textContent.trimEnd().split("\n").length;
    if (lines <= LINES || code.closest(".long-code")) continue;
    const more = document.createElement("button");
    more.type = "button";
    more.className = "code-more";
    more.textContent = words(lines);
    more.addEventListener("click", () => open(code));
    code.classList.add("code-tall");
    code.after(more);
  }

  function open(code) {
    code.classList.remove("code-tall");
    code.nextElementSibling.remove();
  }

  // A link to the code, or to what it holds, as the search makes
  function openForHash() {
    if (!location.hash) return;
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const code = target?.closest(".code-tall") ?? (target?.matches("section") ? null : target?.querySelector(".code-tall"));
    if (code) open(code);
  }
  addEventListener("hashchange", openForHash);
  openForHash();
});
