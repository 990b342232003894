// The link to the other language leads to the block that is read now: blocks have the same numbers in both editions.
"use strict";

(() => {
  const link = document.querySelector(".language-switch");
  if (!link) return;
  const page = link.getAttribute("href");
  const head = document.querySelector(".bd-header-article");
  // A section far from the screen only guesses where its blocks are (course.css).
  const isLaidOut = (block) => block.checkVisibility?.({ contentVisibilityAuto: true }) ?? true;
  const aim = () => {
    const edge = head?.getBoundingClientRect().bottom ?? 0;
    const blocks = [...document.querySelectorAll("article [id^=p]")].filter(({ id }) => /^p\d+$/.test(id));
    const read = scrollY > 0 && blocks.find((block) => isLaidOut(block) && block.getBoundingClientRect().bottom > edge + 8);
    link.setAttribute("href", read ? `${page}#${read.id}` : page);
  };
  for (const name of ["pointerdown", "keydown", "click"]) link.addEventListener(name, aim);
})();
