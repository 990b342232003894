// What is wider than the screen scrolls by itself (course.css): let the keyboard reach it, and only it.
"use strict";

(() => {
  const SCROLLS = '.bd-article :is(table.table, table.dataframe, div.math, .pst-scrollable-table-container)';

  const reachable = () =>
    document.querySelectorAll(SCROLLS).forEach((region) => {
      if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
      else region.removeAttribute("tabindex");
    });

  window.addEventListener("load", () => {
    reachable();
    window.addEventListener("resize", reachable);
  });
})();
