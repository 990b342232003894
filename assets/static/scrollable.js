// What is wider than the screen scrolls by itself (course.css): let the keyboard reach it, and only it, and say so.
"use strict";

(() => {
  const SCROLLS = '.bd-article :is(table.table, table.dataframe, mjx-container[display="true"], .pst-scrollable-table-container)';

  const WORDS = { ko: "옆으로 밀면 이어집니다 →", en: "scrolls sideways →" };
  const words = WORDS[document.documentElement.lang] || WORDS.en;

  function say(region, scrolls) {
    const block = region.closest("div.math") ?? region;
    const hint = block.nextElementSibling?.matches(".scroll-hint") ? block.nextElementSibling : null;
    if (hint && !scrolls) hint.remove();
    if (hint || !scrolls) return;
    const said = document.createElement("p");
    said.className = "scroll-hint";
    said.setAttribute("aria-hidden", "true");
    said.textContent = words;
    block.after(said);
    region.addEventListener("scroll", () => said.classList.add("scroll-found"), { once: true });
  }

  const reachable = () =>
    document.querySelectorAll(SCROLLS).forEach((region) => {
      const scrolls = region.scrollWidth > region.clientWidth;
      if (scrolls) region.tabIndex = 0;
      else region.removeAttribute("tabindex");
      say(region, scrolls);
    });

  window.addEventListener("load", async () => {
    await window.MathJax?.startup?.promise; // formulas have their widths only then
    reachable();
    window.addEventListener("resize", reachable);
  });
})();
