// Folded sections open for a link to something inside them, and for print.
"use strict";

function openAround(target) {
  const closed = [];
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) {
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
