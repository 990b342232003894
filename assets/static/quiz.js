// Self-check questions: a first wrong answer is explained alone, and the reader tries again; a right or a second one
// shows every explanation. An answer is still there when the reader comes back (progress.js). On paper the explanations
// stand at the end (print.js).
"use strict";

(() => {
  const WORDS = {
    ko: {
      check: "답 확인하기",
      again: "다시 풀기",
      none: "먼저 선택지를 고르십시오.",
      right: "맞았습니다. 선택지마다 설명을 읽어 보십시오.",
      hint: "아직 아닙니다. 고른 답의 설명을 읽고 다시 골라 보십시오.",
      more: "고른 것은 맞습니다. 맞는 것이 더 있습니다.",
      wrong: "아직 아닙니다. 선택지마다 설명을 읽어 보십시오.",
      mine: "내가 고른 답",
      answers: "확인 문제의 답",
    },
    en: {
      check: "Check",
      again: "Try again",
      none: "Choose an answer first.",
      right: "Correct. Read why for each choice.",
      hint: "Not yet. Read why, and choose again.",
      more: "What you chose is right. There is more to choose.",
      wrong: "Not yet. Read why for each choice.",
      mine: "your answer",
      answers: "Answers to the self-checks",
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

    const isRight = (i) => choices[i].dataset.correct === "true";
    let tries = 0;

    function judge() {
      tries += 1;
      const right = choices.every((_, i) => inputs[i].checked === isRight(i));
      const over = right || tries > 1;
      quiz.dataset.state = right ? "right" : over ? "wrong" : "hint";
      quiz.querySelectorAll(".quiz-mine").forEach((mine) => mine.remove());
      inputs.forEach((input, i) => {
        input.disabled = over;
        choices[i].toggleAttribute("data-told", input.checked);
        if (!input.checked) return;
        const mine = document.createElement("span");
        mine.className = "quiz-mine";
        mine.textContent = words.mine;
        choices[i].querySelector(".quiz-verdict").prepend(mine);
      });
      const onlyRight = choices.every((_, i) => !inputs[i].checked || isRight(i));
      status.textContent = right ? words.right : over ? words.wrong : onlyRight ? words.more : words.hint;
      check.hidden = over;
      again.hidden = !over;
      return right;
    }

    const check = button(words.check, () => {
      if (!inputs.some((input) => input.checked)) {
        status.textContent = words.none;
        return;
      }
      const right = judge();
      if (!again.hidden) again.focus();
      window.courseProgress?.answer(quiz.dataset.key, inputs.flatMap((input, i) => (input.checked ? [i] : [])), right, quiz.dataset.page);
    });

    const again = button(words.again, () => {
      tries = 0;
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

  // What is right of a question, and why each choice is or is not
  function answers(quiz) {
    const item = document.createElement("li");
    item.append(quiz.querySelector(".quiz-choices").cloneNode(true));
    item.querySelectorAll("input, .quiz-mine").forEach((element) => element.remove());
    return item;
  }

  // A question that came after the page, on the page that brings them back (review/review.js)
  document.addEventListener("course-quiz", ({ target }) => start(target));

  document.addEventListener("DOMContentLoaded", () => {
    const quizzes = document.querySelectorAll(".quiz");
    quizzes.forEach(start);
    if (quizzes.length) courseAnswers(words.answers, () => [...quizzes].map(answers)); // print.js
  });
})();
