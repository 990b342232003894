// Both lists of contents show where a reader is. The theme's own do so while a page opens, at the price of laying it out, and
// watch headings come into sight, and say nothing between them.
"use strict";

// The book's contents stand as they stood on the page before, or with this page's line in the upper part. On a phone the
// theme shows them in a dialog, when they are asked for.
{
  const KEY = "sidebar-scroll-top";
  const nav = document.querySelector(".bd-sidebar-primary");
  const whenIdle = window.requestIdleCallback ?? ((work) => setTimeout(work, 100)); // Safari has none
  const kept = () => {
    try {
      return parseInt(sessionStorage.getItem(KEY), 10);
    } catch {
      return NaN; // a browser may refuse to keep anything
    }
  };

  function toLine(list) {
    const line = [...list.querySelectorAll(".active")].at(-1);
    if (line) list.scrollTop = line.getBoundingClientRect().y - list.getBoundingClientRect().y - list.clientHeight / 4;
  }

  function place() {
    if (!nav.checkVisibility()) return;
    const before = kept();
    if (Number.isNaN(before)) toLine(nav);
    else nav.scrollTop = before;
  }

  if (nav) {
    whenIdle(place);
    const dialog = document.getElementById("pst-primary-sidebar-modal");
    document.querySelector(".primary-toggle")?.addEventListener("click", () => setTimeout(() => dialog.open && toLine(dialog)));
    addEventListener("pagehide", () => {
      if (!nav.checkVisibility()) return;
      try {
        sessionStorage.setItem(KEY, nav.scrollTop);
      } catch {}
    });
  }
}

// "On this page": the last heading that has passed a third of the screen.

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
