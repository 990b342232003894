// Self-check questions: hide the explanations until the reader has answered, then show every one of them. An answer is
// still there when the reader comes back (progress.js).
"use strict";

(() => {
  const WORDS = {
    ko: {
      check: "답 확인하기",
      again: "다시 풀기",
      none: "먼저 선택지를 고르십시오.",
      right: "맞았습니다. 선택지마다 설명을 읽어 보십시오.",
      wrong: "아직 아닙니다. 선택지마다 설명을 읽어 보십시오.",
      mine: "내가 고른 답",
    },
    en: {
      check: "Check",
      again: "Try again",
      none: "Choose an answer first.",
      right: "Correct. Read why for each choice.",
      wrong: "Not yet. Read why for each choice.",
      mine: "your answer",
    },
  };
  const words = WORDS[document.documentElement.lang] || WORDS.en;

  function button(text, onClick) {
    const element = document.createElement("button");
    element.type = "button";
    element.className = "quiz-button";
    element.textContent = text;
    element.addEventListener("click", onClick);
    return element;
  }

  function start(quiz) {
    const choices = [...quiz.querySelectorAll(".quiz-choice")];
    const inputs = choices.map((choice) => choice.querySelector("input"));
    const status = document.createElement("p");
    status.className = "quiz-status";
    status.setAttribute("role", "status");

    function judge() {
      const right = choices.every((choice, i) => inputs[i].checked === (choice.dataset.correct === "true"));
      quiz.dataset.state = right ? "right" : "wrong";
      inputs.forEach((input, i) => {
        input.disabled = true;
        if (!input.checked) return;
        const mine = document.createElement("span");
        mine.className = "quiz-mine";
        mine.textContent = words.mine;
        choices[i].querySelector(".quiz-verdict").prepend(mine);
      });
      status.textContent = right ? words.right : words.wrong;
      check.hidden = true;
      again.hidden = false;
      return right;
    }

    const check = button(words.check, () => {
      if (!inputs.some((input) => input.checked)) {
        status.textContent = words.none;
        return;
      }
      const right = judge();
      again.focus();
      window.courseProgress?.answer(quiz.dataset.key, inputs.flatMap((input, i) => (input.checked ? [i] : [])), right);
    });

    const again = button(words.again, () => {
      quiz.dataset.state = "open";
      quiz.querySelectorAll(".quiz-mine").forEach((mine) => mine.remove());
      inputs.forEach((input) => {
        input.disabled = false;
        input.checked = false;
      });
      status.textContent = "";
      again.hidden = true;
      check.hidden = false;
      inputs[0].focus();
      window.courseProgress?.forgetAnswer(quiz.dataset.key);
    });
    again.hidden = true;

    const controls = document.createElement("div");
    controls.className = "quiz-controls";
    controls.append(check, again, status);
    quiz.append(controls);
    quiz.dataset.state = "open";

    const before = window.courseProgress?.answersOf(quiz.dataset.key);
    if (before) {
      before.chosen.forEach((i) => (inputs[i].checked = true));
      judge();
    }
  }

  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".quiz").forEach(start));
})();
