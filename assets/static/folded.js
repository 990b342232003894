// Folded sections open for a link to them or to something inside them, and for print.
"use strict";

// What is folded of a section that shows nothing but its heading; its anchor is the section's own or stands before that
function wholeFold(target) {
  const section = target?.matches("section") ? target : target?.closest("section > span")?.parentElement;
  const first = [...(section?.children ?? [])].find((child) => !child.matches("span, h2, h3, h4, h5"));
  return first?.matches("details.course-folded") ? first : null;
}

function openAround(target) {
  const closed = [];
  const inmost = wholeFold(target) ?? target?.closest("details");
  for (let fold = inmost; fold; fold = fold.parentElement.closest("details")) {
    if (!fold.open) closed.push(fold);
  }
  closed.forEach((fold) => (fold.open = true));
  if (closed.length) target.scrollIntoView();
}

function openForHash() {
  openAround(document.getElementById(decodeURIComponent(location.hash.slice(1))));
}

window.addEventListener("hashchange", openForHash);
document.addEventListener("DOMContentLoaded", openForHash);
// The same link a second time changes no hash.
document.addEventListener("click", (event) => {
  if (event.target.closest?.('a[href*="#"]')?.hash === location.hash) openForHash();
});

let openedForPrint = [];
window.addEventListener("beforeprint", () => {
  openedForPrint = [...document.querySelectorAll(":is(details.course-folded, .long-code details):not([open])")];
  openedForPrint.forEach((fold) => (fold.open = true));
});
window.addEventListener("afterprint", () => openedForPrint.forEach((fold) => (fold.open = false)));
