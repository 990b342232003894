// Korean for the words that scripts of Sphinx and its extensions show.
"use strict";

if (document.documentElement.lang === "ko") {
  // sphinx-copybutton has no Korean; its tables are globals of its script.
  messages.ko = {
    copy: "복사",
    copy_to_clipboard: "클립보드에 복사",
    copy_success: "복사했습니다",
    copy_failure: "복사하지 못했습니다",
  };
  locale = "ko";
}

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
