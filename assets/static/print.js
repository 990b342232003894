// Paper is white: a page that is dark on the screen is printed with the light theme's colours. Answers that a reader is to
// find alone stand on a page at the end.
"use strict";

{
  const { dataset } = document.documentElement;
  const hidden = []; // what hides answers: the title above them, and a function that makes an item of each
  let onScreen;
  let printed = null;

  window.courseAnswers = (title, items) => hidden.push({ title, items });

  function answers({ title, items }) {
    const head = document.createElement("p");
    head.className = "quiz-answers-title";
    head.textContent = title;
    const list = document.createElement("ol");
    list.append(...items());
    list.querySelectorAll("[id]").forEach((element) => element.removeAttribute("id"));
    const section = document.createElement("section");
    section.className = "quiz-answers";
    section.append(head, list);
    return section;
  }

  window.addEventListener("beforeprint", () => {
    if (printed) return;
    onScreen = dataset.theme;
    dataset.theme = "light";
    printed = hidden.map(answers);
    document.querySelector(".bd-article")?.append(...printed);
  });
  window.addEventListener("afterprint", () => {
    dataset.theme = onScreen;
    printed.forEach((section) => section.remove());
    printed = null;
  });
}
