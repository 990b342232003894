// "On this page" follows the reader: the last heading that has passed a third of the screen. The theme's own watches
// headings come into sight, and says nothing between them.
"use strict";

(() => {
  const links = [...document.querySelectorAll("#pst-page-toc-nav a[href^='#']")];
  const sections = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1)))?.closest("section"));
  if (!links.length) return;

  // What stands in a section that is far is not laid out (course.css), and asking where it is would lay it out.
  const isLaidOut = (section) => section?.checkVisibility({ contentVisibilityAuto: true });

  function here() {
    const line = innerHeight / 3;
    let now = null;
    sections.forEach((section, k) => {
      if (isLaidOut(section) && section.getBoundingClientRect().top < line) now = links[k];
    });
    return now;
  }

  let shown = null;
  function show() {
    const now = here();
    if (now === shown) return;
    document.querySelectorAll("#pst-page-toc-nav .toc-entry").forEach((entry) => entry.classList.toggle("active", entry.contains(now)));
    shown?.removeAttribute("aria-current");
    now?.setAttribute("aria-current", "true"); // the theme's own mark, and its look
    shown = now;
  }

  let asked = false;
  function ask() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      show();
    });
  }
  addEventListener("scroll", ask, { passive: true });
})();
