// What was missed comes back: quizzes and drills whose day has come (progress.js), newest chapter first, ten minutes at most.
"use strict";

window.courseReview = (() => {
  const of = {};
  return { of, quizzes: (stem, questions) => (of[stem] = questions) };
})();

(() => {
  const MINUTES = 10;
  const TAKES = { quiz: 1, drill: 2 }; // minutes
  const WORDS = {
    ko: {
      none: "오늘 다시 볼 것이 없습니다. 장에서 틀린 문제가 하루, 사흘, 이레, 스무하루 뒤에 여기로 옵니다.",
      waits: (n, left) => `오늘 다시 볼 것은 ${n}개입니다.${left ? ` 나머지 ${left}개는 이것을 마치고 이 쪽을 다시 열면 보입니다.` : ""}`,
      gone: "그 사이에 책에서 바뀐 문제는 목록에서 뺐습니다.",
      save: "기록 내보내기", open: "기록 가져오기", print: "인쇄하기",
      broken: "이 책의 기록 파일이 아닙니다. 여기서 내보낸 JSON 파일을 고르십시오.",
      taken: "기록을 가져왔습니다.",
      kept: "기록은 이 브라우저에만 있습니다.",
      failed: "문제를 불러오지 못했습니다. 연결을 확인하고 이 쪽을 다시 여십시오.",
    },
    en: {
      none: "Nothing comes back today. What you miss in a chapter returns here after one, three, seven and twenty-one days.",
      waits: (n, left) => `${n} to look at again today.${left ? ` When these are done, open this page again for the other ${left}.` : ""}`,
      gone: "Questions that have changed in the book since were taken off the list.",
      save: "Export the record", open: "Import a record", print: "Print",
      broken: "This is no record of this book. Choose a JSON file that was exported here.",
      taken: "The record has been imported.",
      kept: "The record is in this browser alone.",
      failed: "The questions could not be loaded. Check the connection and open this page again.",
    },
  };
  const language = document.documentElement.lang in WORDS ? document.documentElement.lang : "en";
  const words = WORDS[language];

  function make(name, className, ...children) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...children);
    return made;
  }

  function button(label, action) {
    const made = make("button", "quiz-button", label);
    made.type = "button";
    made.addEventListener("click", action);
    return made;
  }

  class CourseReview extends HTMLElement {
    connectedCallback() {
      this.titles = JSON.parse(this.dataset.chapters);
      this.status = make("p", "");
      this.status.setAttribute("role", "status");
      this.show();
    }

    // Today's, newest chapter first, as many as ten minutes hold
    today() {
      const order = Object.keys(this.titles);
      const stemOf = ({ page }) => page.replace("chapters/", "");
      const waiting = courseProgress.waiting().filter((item) => order.includes(stemOf(item)));
      waiting.sort((a, b) => order.indexOf(stemOf(b)) - order.indexOf(stemOf(a)) || (a.due < b.due ? -1 : 1));
      let minutes = 0;
      const now = waiting.filter(({ kind }) => (minutes += TAKES[kind]) <= MINUTES);
      return { now: now.map((item) => ({ ...item, stem: stemOf(item) })), left: waiting.length - now.length };
    }

    async show() {
      const { now, left } = this.today();
      const list = make("ol", "review-items");
      const gone = [];
      try {
        for (const item of now) {
          const shown = await this.make(item);
          if (shown) list.append(make("li", "", this.title(item.stem), shown));
          else gone.push(item.what);
        }
      } catch (problem) {
        this.replaceChildren(make("p", "", words.failed));
        if (problem instanceof Error) throw problem;
        return;
      }
      if (gone.length) courseProgress.change(({ review }) => gone.forEach((what) => delete review[what]));
      const count = list.childElementCount;
      const lead = make("p", "review-lead", count ? words.waits(count, left) : words.none, gone.length ? ` ${words.gone}` : "");
      this.replaceChildren(lead, list, this.controls(count));
      list.querySelectorAll(".quiz").forEach((quiz) => quiz.dispatchEvent(new CustomEvent("course-quiz", { bubbles: true })));
    }

    title(stem) {
      const link = make("a", "", this.titles[stem]);
      link.href = `${stem}.html`;
      return make("p", "review-from", link);
    }

    // A question or a drill as it stands in its chapter; nothing where the book has it no more
    async make({ stem, kind, name }) {
      if (kind === "drill") {
        const drill = (await courseDrillFiles.of(stem))?.find((one) => one.name === name);
        return drill && coursePanel(stem, drill, { title: drill.words[language].title }).element;
      }
      await courseDrillFiles.load(`../review/${stem}.js`);
      const html = courseReview.of[stem][name];
      if (!html) return null;
      const place = make("div", "");
      place.innerHTML = html;
      place.firstElementChild.dataset.page = `chapters/${stem}`;
      return place.firstElementChild;
    }

    controls(count) {
      const file = make("input", "visually-hidden");
      Object.assign(file, { type: "file", accept: "application/json", tabIndex: -1, ariaLabel: words.open });
      file.addEventListener("change", async () => {
        const taken = take(await file.files[0].text());
        file.value = ""; // so that the same file may be chosen again
        if (taken) await this.show();
        this.status.textContent = taken ? words.taken : words.broken;
      });
      const buttons = [button(words.save, save), button(words.open, () => file.click())];
      if (count) buttons.push(button(words.print, () => print()));
      return make("div", "review-controls", make("p", "", words.kept), make("div", "quiz-controls", ...buttons, file), this.status);
    }
  }

  function save() {
    const link = make("a", "");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(courseProgress.load())], { type: "application/json" }));
    link.download = "attentively.json";
    link.click();
    URL.revokeObjectURL(link.href);
  }

  function take(text) {
    try {
      return courseProgress.take(JSON.parse(text));
    } catch {
      return false; // no JSON
    }
  }

  document.addEventListener("DOMContentLoaded", () => customElements.define("course-review", CourseReview));
})();
