// Korean for the words that scripts of Sphinx and its extensions show.
"use strict";

Documentation.addTranslations({
  locale: "ko",
  plural_expr: "0",
  messages: {
    "Search Results": "검색 결과",
    Searching: "찾는 중",
    "Preparing search...": "검색을 준비하고 있습니다.",
    "Your search did not match any documents. Please make sure that all words are spelled correctly and that you've selected enough categories.":
      "찾는 말이 있는 쪽이 없습니다. 더 짧은 낱말로 다시 찾아보십시오.",
    "Search finished, found ${resultCount} page(s) matching the search query.": "${resultCount}곳을 찾았습니다.",
  },
});

// sphinx-copybutton has no Korean; its tables are globals of its script.
messages.ko = {
  copy: "복사",
  copy_to_clipboard: "클립보드에 복사",
  copy_success: "복사했습니다",
  copy_failure: "복사하지 못했습니다",
};
locale = "ko";

// Names that the theme's templates hold in English
document.addEventListener("DOMContentLoaded", () => {
  const names = { Main: "책의 차례", Page: "이 페이지의 차례" };
  document.querySelectorAll("nav[aria-label]").forEach((nav) => {
    nav.ariaLabel = names[nav.ariaLabel] ?? nav.ariaLabel;
  });
});
