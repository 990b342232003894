// What the theme's templates leave to do: names in the page's language, and a menu that closes.
"use strict";

// Names that the theme's templates hold in English
document.addEventListener("DOMContentLoaded", () => {
  const WORDS = {
    ko: { Main: "책의 차례", Page: "이 페이지의 차례" },
    en: { Main: "Contents of the book", Page: "Contents of this page" },
  };
  const names = WORDS[document.documentElement.lang] || WORDS.en;
  document.querySelectorAll("nav[aria-label]").forEach((nav) => {
    nav.ariaLabel = names[nav.ariaLabel] ?? nav.ariaLabel;
  });
});

// The head's menu closes at a touch elsewhere, or by Escape.
{
  const open = () => document.querySelector(".header-menu[open]");
  document.addEventListener("click", ({ target }) => {
    const menu = open();
    if (menu && !menu.contains(target)) menu.open = false;
  });
  document.addEventListener("keydown", ({ key }) => {
    const menu = key === "Escape" && open();
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}
