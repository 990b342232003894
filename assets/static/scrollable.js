// What is wider than the screen scrolls by itself (course.css): let the keyboard reach it, and only it, and say so.
// The theme's own script for code measured every block of a page, again at each change of any (light_pages.py).
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const CODE = ".bd-article :is(pre, .cell_output > .output)";
  const SCROLLS = ".bd-article :is(pre, table.table, table.dataframe, div.math, .course-plot, .am-scroll, .pst-scrollable-table-container)";
  const WORDS = { ko: "옆으로 밀면 이어집니다 →", en: "scrolls sideways →" };
  const words = WORDS[document.documentElement.lang] || WORDS.en;

  // What each region is said of: between the two may stand what copies code (copy.js).
  const hints = new Map();

  function say(region, scrolls) {
    const hint = hints.get(region);
    if (hint && !scrolls) {
      hint.remove();
      hints.delete(region);
    }
    if (hint || !scrolls) return;
    const said = document.createElement("p");
    said.className = "scroll-hint";
    said.setAttribute("aria-hidden", "true");
    said.textContent = words;
    hints.set(region, said);
    region.after(said);
    region.addEventListener("scroll", () => said.classList.add("scroll-found"), { once: true });
  }

  function setReachable({ region, wide, high }) {
    if (region.matches(".am-scroll")) return say(region, wide); // its cells are reached (attention_map.js)
    if (wide || high) region.tabIndex = 0;
    else region.removeAttribute("tabindex");
    if (region.matches(SCROLLS)) say(region, wide);
  }

  // All are measured before one is changed: a change lays the page out anew for the next measure.
  const measured = (region) => ({ region, wide: region.scrollWidth > region.clientWidth, high: region.scrollHeight > region.clientHeight });
  const setAll = (regions) => [...regions].map(measured).forEach(setReachable);

  // Measured when they come near: what is far below is not laid out yet (course.css).
  const met = new Set();
  const near = new IntersectionObserver(
    (entries) => {
      const come = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target);
      come.forEach((region) => met.add(region));
      setAll(come);
    },
    { rootMargin: "100% 0%" },
  );
  document.querySelectorAll(`${SCROLLS}, ${CODE}`).forEach((region) => near.observe(region));
  for (const name of ["load", "resize"]) window.addEventListener(name, () => setAll(met));
});
