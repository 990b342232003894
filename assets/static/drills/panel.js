// One drill on the page: question, field, what an answer says, the way, another one.
"use strict";

globalThis.coursePanel = (() => {
  const { html, pose, judge, all } = drillKit;
  const IN_A_ROW = 3; // right answers after which it becomes harder
  const WORDS = {
    ko: {
      answer: "답",
      check: "확인",
      way: "풀이 보기",
      another: "다른 수로",
      read: "읽을 곳",
      right: "맞았습니다.",
      harder: "맞았습니다. 세 번 이어서 맞혔으므로 다음은 조금 더 어렵습니다.",
      near: "거의 맞았습니다. 중간에 반올림하지 말고 끝에서 한 번만 하십시오.",
      wrong: "아직 아닙니다. 다시 계산해 보거나 풀이를 보십시오.",
      solution: "답",
      level: (level, levels, streak) => `${levels}단계 가운데 ${level}단계, 이어서 맞힌 것 ${streak}개`,
      unreadable: (asked) => `읽지 못했습니다. ${asked}`,
      rounded: (digits) => (digits ? `, 소수 ${["", "첫째", "둘째", "셋째", "넷째"][digits]} 자리까지` : ""),
      asked: {
        number: (n, rounded) => `수 하나${rounded}. 분수도 됩니다.`,
        vector: (n, rounded) => `수 ${n}개${rounded}. 쉼표나 공백으로 나눕니다.`,
        matrix: (n, rounded, rows) => `${rows}행, 모두 수 ${n}개${rounded}. 한 줄로 적어도 됩니다.`,
        shape: () => "모양. 예: 2, 4, 8",
        tokens: () => "조각을 공백으로 나누어 적습니다.",
      },
    },
    en: {
      answer: "Answer",
      check: "Check",
      way: "Show the solution",
      another: "Other numbers",
      read: "Read",
      right: "Correct.",
      harder: "Correct. That is three in a row, so the next is a little harder.",
      near: "Almost. Do not round in between; round once, at the end.",
      wrong: "Not yet. Calculate again, or look at the solution.",
      solution: "Answer",
      level: (level, levels, streak) => `Level ${level} of ${levels}, ${streak} correct in a row`,
      unreadable: (asked) => `This does not read as an answer. ${asked}`,
      rounded: (digits) => (digits ? ` to ${digits} decimal place${digits === 1 ? "" : "s"}` : ""),
      asked: {
        number: (n, rounded) => `One number${rounded}. A fraction will do.`,
        vector: (n, rounded) => `${n} numbers${rounded}, separated by commas or spaces.`,
        matrix: (n, rounded, rows) => `${rows} rows, ${n} numbers in all${rounded}. One line will do.`,
        shape: () => "A shape, such as 2, 4, 8",
        tokens: () => "Pieces, separated by spaces.",
      },
    },
  };
  const language = document.documentElement.lang in WORDS ? document.documentElement.lang : "en";
  const words = WORDS[language];
  let count = 0;

  function make(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const said = (name, className, sentence) => {
    const made = make(name, { class: className });
    made.innerHTML = html(sentence);
    return made;
  };

  const button = (label, action) => {
    const made = make("button", { type: "button", class: "quiz-button" }, label);
    made.addEventListener("click", action);
    return made;
  };

  // Where a mistake is explained: a paragraph of this page or of another chapter
  function linkTo(read) {
    const [stem, anchor] = read.split("#");
    const here = location.pathname.endsWith(`/${stem}.html`);
    return make("a", { href: here ? `#${anchor}` : `${stem}.html#${anchor}` }, words.read);
  }

  function askedOf({ drill, right }) {
    const rows = Array.isArray(right) ? right.length : 1;
    return words.asked[drill.kind](all(right).length, words.rounded(drill.digits), rows);
  }

  // The panel of a drill. whenJudged(right): after the first answer to each set of numbers.
  return function coursePanel(chapter, drill, { title, whenJudged = () => {} }) {
    const own = drill.words[language];
    const levels = drill.levels ?? 2;
    const memory = window.courseProgress;
    const kept = memory?.drill(chapter, drill.name) ?? {};
    const state = { level: Math.min(kept.level ?? 0, levels - 1), streak: kept.streak ?? 0 };
    const id = `drill-${(count += 1)}`;
    const question = make("div", { class: "drill-ask", id: `${id}-ask` });
    const hint = make("p", { class: "drill-asked", id: `${id}-asked` });
    const field = make(drill.kind === "matrix" ? "textarea" : "input", {
      id, class: "drill-field", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": `${id}-ask ${id}-asked`,
    });
    const status = make("p", { class: "drill-said", role: "status" });
    const level = make("p", { class: "drill-level" });
    const way = make("div", { class: "drill-way" });
    const form = make("form", { class: "drill-form" }, make("label", { for: id }, words.answer), field, make("button", { class: "quiz-button" }, words.check));
    const show = button(words.way, () => {
      settle(false);
      showWay();
    });
    const another = button(words.another, () => {
      next();
      field.focus();
    });
    const element = make("div", { class: "drill-panel", role: "group", "aria-label": title }, question, form, hint, status, way, make("div", { class: "quiz-controls" }, show, another), level);
    let posed;
    let settled;

    // Only the first answer to the same numbers counts; whoever looks at the way has not found it.
    function settle(right) {
      if (settled) return;
      settled = true;
      state.streak = right ? state.streak + 1 : 0;
      const rises = state.streak === IN_A_ROW && state.level < levels - 1;
      if (rises) Object.assign(state, { level: state.level + 1, streak: 0 });
      memory?.keepDrill(chapter, drill.name, state, right);
      level.textContent = words.level(state.level + 1, levels, state.streak);
      whenJudged(right);
      return rises;
    }

    function showWay() {
      const steps = make("ol", {});
      own.way(posed.drawn).forEach((step) => steps.append(said("li", "", step)));
      way.replaceChildren(steps);
      show.hidden = true;
    }

    function answer() {
      const { state: verdict, mistake } = judge(posed, field.value);
      const right = verdict === "right";
      element.dataset.state = verdict;
      if (verdict === "unreadable") status.textContent = words.unreadable(askedOf(posed));
      else if (mistake) {
        const sentence = own[mistake.name];
        status.innerHTML = html(typeof sentence === "function" ? sentence(posed.drawn) : sentence);
        status.append(" ", linkTo(mistake.read));
      } else status.textContent = words[verdict];
      if (verdict === "unreadable") return;
      if (settle(right)) status.textContent = words.harder;
      if (right) {
        showWay();
        another.focus({ preventScroll: true });
      }
    }

    function next(seed = Math.floor(Math.random() * 2 ** 32)) {
      posed = pose(drill, seed, state.level);
      settled = false;
      question.innerHTML = `<p>${html(own.ask(posed.drawn))}</p>`;
      hint.textContent = askedOf(posed);
      level.textContent = words.level(state.level + 1, levels, state.streak);
      status.textContent = "";
      field.value = "";
      delete element.dataset.state;
      way.replaceChildren();
      show.hidden = false;
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      answer();
    });
    // The theme turns pages with the arrow keys; a matrix is sent with Enter where its rows are written in one line.
    element.addEventListener("keydown", (event) => {
      if (event.key.startsWith("Arrow")) event.stopPropagation();
      if (event.target === field && drill.kind === "matrix" && event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    next();
    element.panel = { next, get posed() { return posed; } }; // for tests
    return { element, next };
  };
})();
