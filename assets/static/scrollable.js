// What is wider than the screen scrolls by itself (course.css): let the keyboard reach it, and only it.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const SCROLLS = ".bd-article :is(table.table, table.dataframe, div.math, .pst-scrollable-table-container)";
  const regions = document.querySelectorAll(SCROLLS);

  const setReachable = (region) => {
    if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
    else region.removeAttribute("tabindex");
  };

  // Measured as they come near: all at once would lay out the whole chapter before its first lines show.
  const near = new IntersectionObserver(
    (entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && setReachable(target)),
    { rootMargin: "100% 0%" },
  );
  regions.forEach((region) => near.observe(region));
  window.addEventListener("resize", () => regions.forEach(setReachable));
});
