// What a reader has read and answered, kept in this browser and sent nowhere: ticks, and where to go on.
"use strict";

(() => {
  const WORDS = {
    ko: {
      read: "읽음",
      mark: "이 장을 읽었습니다",
      goOn: "이어서 읽기",
      waiting: (n) => `다시 볼 것이 ${n}개 있습니다`,
      chapters: (read, all) => `${all}장 가운데 ${read}장을 읽었습니다.`,
      quizzes: (right, all) => `확인 문제 ${all}개 가운데 ${right}개를 맞혔습니다.`,
      card: (right, all) => `확인 문제 ${right}/${all}`,
      kept: "이 기록은 이 브라우저에만 있고 어디로도 보내지 않습니다.",
      forget: "기록 지우기",
      sure: "읽은 장과 확인 문제의 기록을 모두 지웁니다. 되돌릴 수 없습니다.",
      forgotten: "기록을 지웠습니다.",
    },
    en: {
      read: "read",
      mark: "I have read this chapter",
      goOn: "Continue reading",
      waiting: (n) => `${n} to look at again`,
      chapters: (read, all) => `You have read ${read} of ${all} chapters.`,
      quizzes: (right, all) => `You have answered ${right} of ${all} self-checks.`,
      card: (right, all) => `self-checks ${right}/${all}`,
      kept: "This is kept in this browser alone and sent nowhere.",
      forget: "Forget it",
      sure: "This forgets the chapters that you have read and your answers. It cannot be undone.",
      forgotten: "Forgotten.",
    },
  };
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const KEY = "attentively";
  const SECONDS_TO_READ = 60; // who leaps to the end sooner has not read it
  const ROOT = new URL(document.documentElement.dataset.content_root || "./", location.href);

  // What was missed comes back after so many days; once it is right on such a day, after the next.
  const DAYS = [1, 3, 7, 21];

  // The sections of a record, and what each entry of them is. What else lies there, cut short or not ours, is left out.
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const SECTIONS = {
    read: (entry) => entry === true,
    quizzes: (entry) => isObject(entry) && Object.values(entry).every(isObject),
    drills: isObject,
    review: (entry) => entry?.step in DAYS && /^\d{4}-\d\d-\d\d$/.test(entry.due),
  };
  const isRecord = (given) =>
    Object.entries(SECTIONS).every(([name, fits]) => isObject(given?.[name]) && Object.values(given[name]).every(fits));

  // A browser may refuse to keep anything; then a page is as it is without this script.
  function load() {
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(KEY));
    } catch {}
    const state = {};
    for (const [name, fits] of Object.entries(SECTIONS)) {
      const entries = isObject(kept?.[name]) ? Object.entries(kept[name]) : [];
      state[name] = Object.fromEntries(entries.filter(([, entry]) => fits(entry)));
    }
    if (typeof kept?.last?.page === "string") state.last = kept.last;
    return state;
  }

  function change(edit) {
    const state = load();
    edit(state);
    try {
      localStorage.setItem(KEY, JSON.stringify(state));
    } catch {}
  }

  // "chapters/masking" for the address of that page, from a server or from disk
  function pageOf(address) {
    const path = new URL(address, location.href).pathname;
    return path.startsWith(ROOT.pathname) ? path.slice(ROOT.pathname.length).replace(/\.html$/, "") : "";
  }
  const here = pageOf(location.href);
  const addressOf = (page, anchor) => new URL(`${page}.html${anchor ? `#${anchor}` : ""}`, ROOT).href;

  function dayIn(days) {
    const day = new Date();
    day.setDate(day.getDate() + days);
    return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
  }

  // What waits for longer than anything may was written under a clock that has been set back since.
  const isDue = ({ due }) => due <= dayIn(0) || due > dayIn(DAYS.at(-1));

  // `what` is "chapters/masking quiz 0a1b2c3d ko" or "chapters/masking drill weights": a quiz's key is of its language.
  function schedule(review, what, right) {
    const waits = review[what];
    if (!right) review[what] = { step: 0, due: dayIn(DAYS[0]) };
    else if (waits && isDue(waits)) {
      const step = waits.step + 1;
      if (step < DAYS.length) review[what] = { step, due: dayIn(DAYS[step]) };
      else delete review[what];
    }
  }

  const language = document.documentElement.lang;

  window.courseProgress = {
    load, change,
    // Whether what is given is a record of this book; then it is added to the one that is here.
    take: (given) => {
      if (!isRecord(given)) return false;
      change((state) => {
        for (const name of Object.keys(SECTIONS)) {
          for (const [key, entry] of Object.entries(given[name])) {
            state[name][key] = name === "quizzes" ? { ...state.quizzes[key], ...entry } : entry;
          }
        }
      });
      return true;
    },
    answersOf: (quiz) => load().quizzes[here]?.[quiz],
    answer: (quiz, chosen, right, page = here) =>
      change(({ quizzes, review }) => {
        (quizzes[page] ??= {})[quiz] = { chosen, right };
        schedule(review, `${page} quiz ${quiz} ${language}`, right);
      }),
    forgetAnswer: (quiz) => change(({ quizzes }) => delete quizzes[here]?.[quiz]),
    drill: (chapter, name) => load().drills[`${chapter} ${name}`],
    keepDrill: (chapter, name, { level, streak }, right) =>
      change(({ drills, review }) => {
        drills[`${chapter} ${name}`] = { level, streak };
        schedule(review, `chapters/${chapter} drill ${name}`, right);
      }),
    // What waits today: [{ what, page, kind, name, step, due }], none of the other language's quizzes
    waiting: () =>
      Object.entries(load().review)
        .map(([what, { step, due }]) => {
          const [page, kind, name, of] = what.split(" ");
          return { what, page, kind, name, of, step, due };
        })
        .filter((item) => isDue(item) && (!item.of || item.of === language)),
  };

  function element(name, className, text = "") {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    return made;
  }

  function tick(place, read) {
    place.querySelector(":scope > .read-tick")?.remove();
    if (!read) return;
    const mark = element("span", "read-tick");
    mark.append(element("span", "visually-hidden", words.read));
    place.append(mark);
  }

  function tickSidebar() {
    const { read } = load();
    document.querySelectorAll(".bd-sidebar-primary nav a.reference.internal").forEach((link) => {
      tick(link, read[pageOf(link.href)]);
    });
  }

  // On a chapter: a button at its end, pressed by itself when a reader arrives there.
  function markChapter(article) {
    const button = element("button", "read-button", words.mark);
    button.type = "button";
    const show = () => {
      button.setAttribute("aria-pressed", String(here in load().read));
      tickSidebar();
    };
    const mark = (read) => {
      change((state) => (read ? (state.read[here] = true) : delete state.read[here]));
      show();
    };
    button.addEventListener("click", () => {
      atEnd.disconnect();
      mark(!(here in load().read));
    });
    article.append(button);
    show();

    let seconds = 0;
    setInterval(() => (seconds += !document.hidden), 1000);
    const atEnd = new IntersectionObserver(([end]) => {
      if (!end.isIntersecting || seconds < SECONDS_TO_READ) return;
      atEnd.disconnect();
      mark(true);
    });
    atEnd.observe(button);
  }

  const whenIdle = window.requestIdleCallback ?? ((work) => setTimeout(work, 100)); // Safari has none

  // Not folded, nor in a section far from the screen (course.css), which would be laid out to be asked
  const isLaidOut = (heading) => heading.checkVisibility?.({ contentVisibilityAuto: true }) ?? heading.offsetParent;

  // On any page of a chapter or exercise: where a reader is.
  function keepPlace(article) {
    const titleOf = (node) => node.textContent.replace(/#$/, "").trim();
    const next = document.querySelector(".prev-next-footer .right-next, .prev-next-area .right-next");
    const keep = () => {
      const passed = [...article.querySelectorAll("section[id] > :is(h2, h3)")].filter(
        (heading) => isLaidOut(heading) && heading.getBoundingClientRect().top < innerHeight / 2,
      );
      const heading = passed.at(-1);
      change((state) => {
        state.last = {
          page: here,
          title: titleOf(article.querySelector("h1")),
          anchor: heading?.parentElement.id,
          heading: heading && titleOf(heading),
          next: next && { page: pageOf(next.href), title: titleOf(next.querySelector(".prev-next-title")) },
        };
      });
    };
    let waiting = 0;
    window.addEventListener("scroll", () => {
      clearTimeout(waiting);
      waiting = setTimeout(keep, 500);
    });
    whenIdle(keep);
  }

  // On the landing page: what has been read, and where to go on.
  function showProgress(start) {
    const cards = [...document.querySelectorAll(".chapter-card")];
    const { read, quizzes, last } = load();
    const rightOn = (page) => Object.values(quizzes[page] ?? {}).filter(({ right }) => right).length;
    cards.forEach((card) => {
      const { page, quizzes: all } = card.dataset;
      tick(card.querySelector(".chapter-title"), page in read);
      card.querySelector(".chapter-quizzes")?.remove();
      if (rightOn(page)) {
        card.querySelector(".chapter-facts").append(element("span", "chapter-quizzes", words.card(rightOn(page), all)));
      }
    });
    document.querySelectorAll(".go-on, .course-progress, .review-waits").forEach((old) => old.remove());
    const waiting = courseProgress.waiting().length;
    if (waiting) {
      const again = element("a", "review-waits", words.waiting(waiting));
      again.href = addressOf("chapters/review");
      start.append(again);
    }
    if (!last) return;

    const place = last.page in read && last.next ? last.next : last;
    const link = element("a", "go-on");
    link.href = addressOf(place.page, place.anchor);
    link.append(element("strong", "", words.goOn), element("span", "", [place.title, place.heading].filter(Boolean).join(" · ")));
    start.prepend(link);

    const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
    const pages = cards.map((card) => card.dataset.page);
    const box = element("div", "course-progress");
    const chapters = pages.filter((page) => page in read).length;
    const right = sum(pages.map(rightOn));
    const told = [
      chapters && words.chapters(chapters, pages.length),
      right && words.quizzes(right, sum(cards.map((card) => Number(card.dataset.quizzes)))),
      words.kept,
    ].filter(Boolean);
    const forget = element("button", "forget-button", words.forget);
    forget.type = "button";
    forget.addEventListener("click", () => {
      if (!confirm(words.sure)) return;
      localStorage.removeItem(KEY);
      showProgress(start);
      tickSidebar();
      const status = element("p", "course-progress", words.forgotten);
      status.setAttribute("role", "status");
      start.after(status);
    });
    box.append(element("p", "", told.join(" ")), forget);
    start.after(box);
  }

  tickSidebar();
  const article = document.querySelector("article");
  const start = document.querySelector(".landing-start");
  if (start) {
    showProgress(start);
    // a page that the browser kept as it was when it was left
    window.addEventListener("pageshow", (event) => event.persisted && showProgress(start));
  } else if (article?.querySelector("h1 .section-number")) {
    keepPlace(article);
    if (here.startsWith("chapters/")) markChapter(article);
  }
})();
