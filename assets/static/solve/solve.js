// Solving an exercise on its page, where whoever publishes the book has set Pyodide's address (extensions/solve_here.py): a
// button. What it needs comes when it is pressed, by script tags; the book's Python, in a worker of its own.
"use strict";

window.courseSolve = { folder: document.currentScript.src.replace(/[^/]*$/, "") };

(() => {
  const WORDS = {
    ko: {
      start: "여기서 풀기",
      offer: (megabytes, host) => `설치하지 않고 이 쪽에서 풀고 채점합니다. 처음에 Python과 채점기 약 ${megabytes} MB를 ${host ? `${host}에서 ` : ""}받습니다. 쓴 답은 이 브라우저에만 남습니다.`,
      kept: "지난번에 쓰던 답이 이 브라우저에 있습니다.",
      disk: "디스크에서 연 책에서는 여기서 풀 수 없습니다. 아래의 연습 꾸러미를 쓰십시오.",
      failed: "불러오지 못했습니다. 연결을 확인하고 다시 누르십시오.",
    },
    en: {
      start: "Solve here",
      offer: (megabytes, host) => `Solve and check it on this page; nothing is installed. The first time, Python and the checker are loaded${host ? ` from ${host}` : ""}, about ${megabytes} MB. Your answers stay in this browser.`,
      kept: "What you wrote last time is still in this browser.",
      disk: "This does not work in a book that is opened from disk. Use the exercises to download below.",
      failed: "It could not be loaded. Check the connection and try again.",
    },
  };
  const words = WORDS[document.documentElement.lang] ?? WORDS.en;
  const { folder } = courseSolve;
  const loaded = new Map();

  // A script or stylesheet of this folder, once a page; after a failure it may be asked for again.
  function load(file) {
    if (!loaded.has(file)) {
      const arrival = new Promise((resolve, reject) => {
        const made = file.endsWith(".css")
          ? Object.assign(document.createElement("link"), { rel: "stylesheet", href: folder + file })
          : Object.assign(document.createElement("script"), { src: folder + file });
        Object.assign(made, { onload: resolve, onerror: reject });
        document.head.append(made);
      });
      loaded.set(file, arrival);
      arrival.catch(() => loaded.delete(file));
    }
    return loaded.get(file);
  }

  class CourseSolve extends HTMLElement {
    connectedCallback() {
      if (this.status) return;
      const make = (name, className, text) => Object.assign(document.createElement(name), { className, textContent: text });
      const { host } = new URL(this.dataset.address, location.href);
      this.start = Object.assign(make("button", "quiz-button", words.start), { type: "button" });
      this.status = make("p", "", "");
      this.status.setAttribute("role", "status");
      this.start.addEventListener("click", () => this.open());
      this.controls = make("div", "quiz-controls", "");
      this.controls.append(this.start);
      this.offer = make("p", "", words.offer(this.dataset.megabytes, host === location.host ? "" : host));
      this.append(this.controls, this.offer, this.status);
      try {
        if (localStorage.getItem(`attentively solve ${this.dataset.stem}`)) this.status.textContent = words.kept;
      } catch {}
    }

    async open() {
      if (location.protocol === "file:") return (this.status.textContent = words.disk);
      if (this.start.ariaDisabled === "true") return;
      this.start.ariaDisabled = "true";
      try {
        await Promise.all(["solve.css", "answers.js", "editor.js", "python.js", "panel.js"].map(load));
      } catch {
        this.start.ariaDisabled = "false";
        return (this.status.textContent = words.failed);
      }
      courseSolve.open(this, this.start);
    }
  }

  customElements.define("course-solve", CourseSolve);
})();
