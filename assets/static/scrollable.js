// What is wider than the screen scrolls by itself (course.css): let the keyboard reach it, and only it, and say so.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const SCROLLS = ".bd-article :is(table.table, table.dataframe, div.math, .course-plot, .pst-scrollable-table-container)";
  const WORDS = { ko: "옆으로 밀면 이어집니다 →", en: "scrolls sideways →" };
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const regions = document.querySelectorAll(SCROLLS);

  function say(region, scrolls) {
    const hint = region.nextElementSibling?.matches(".scroll-hint") ? region.nextElementSibling : null;
    if (hint && !scrolls) hint.remove();
    if (hint || !scrolls) return;
    const said = document.createElement("p");
    said.className = "scroll-hint";
    said.setAttribute("aria-hidden", "true");
    said.textContent = words;
    region.after(said);
    region.addEventListener("scroll", () => said.classList.add("scroll-found"), { once: true });
  }

  function setReachable(region) {
    const scrolls = region.scrollWidth > region.clientWidth;
    if (scrolls) region.tabIndex = 0;
    else region.removeAttribute("tabindex");
    say(region, scrolls);
  }

  // Measured as they come near, before the page has all: a chapter's first lines show first.
  const near = new IntersectionObserver(
    (entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && setReachable(target)),
    { rootMargin: "100% 0%" },
  );
  regions.forEach((region) => near.observe(region));
  for (const name of ["load", "resize"]) window.addEventListener(name, () => regions.forEach(setReachable));
});
