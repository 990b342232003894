// The table of the book's parts: a reader keeps one in this browser, to read it where there is no network. Nothing is kept,
// and no worker stands between the pages and the network, before a reader asks. On disk the book is all there already.
"use strict";

(() => {
  const WORDS = {
    ko: {
      table: "이 기기에 저장할 부",
      heads: ["부", "크기", "상태", "저장과 지우기"],
      size: (bytes) => `${(bytes / 1e6).toFixed(1)} MB`,
      keep: "저장", forget: "지우기",
      here: "저장함", away: "없음",
      shared: (size) => `처음 저장할 때 검색과 용어집처럼 어느 부에나 필요한 것(${size})을 함께 저장합니다.`,
      renewed: "책이 새로 나오면 네트워크에 이어졌을 때 저장한 부도 새것으로 바뀝니다. 자리가 모자라면 브라우저가 스스로 지울 수 있습니다.",
      keeping: (title) => `${title}: 저장하고 있습니다.`,
      kept: (title) => `${title}: 저장했습니다. 네트워크 없이 읽을 수 있습니다.`,
      forgotten: (title) => `${title}: 지웠습니다.`,
      full: "이 기기에 자리가 모자라 저장하지 못했습니다. 다른 부를 지우고 다시 누르십시오.",
      failed: "받지 못했습니다. 연결을 확인하고 이 쪽을 새로 고친 다음 다시 누르십시오.",
      refused: "이 브라우저에는 저장할 수 없습니다. 사생활 보호 창이거나, 주소가 https로 시작하지 않거나, 저장을 막아 둔 브라우저입니다. 맨 아래에 내려받기 링크가 있으면 책을 파일로 받을 수 있습니다.",
    },
    en: {
      table: "Parts to keep on this device",
      heads: ["Part", "Size", "State", "Keep or remove"],
      size: (bytes) => `${(bytes / 1e6).toFixed(1)} MB`,
      keep: "Keep", forget: "Remove",
      here: "kept", away: "not kept",
      shared: (size) => `With the first part comes what all parts need, such as search and the glossary (${size}).`,
      renewed: "When a new edition of the book appears, what you keep is updated once there is a network. A browser that runs out of space may remove it.",
      keeping: (title) => `${title}: being kept.`,
      kept: (title) => `${title}: kept. It can be read without a network.`,
      forgotten: (title) => `${title}: removed.`,
      full: "There is no space left for it on this device. Remove another part and try again.",
      failed: "It could not be fetched. Check the connection, reload this page and try again.",
      refused: "This browser cannot keep it: the window is private, the address does not begin with https, or the browser is set to keep nothing. If there are downloads at the foot of this page, the book can be had as a file.",
    },
  };
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const ROOT = new URL(document.documentElement.dataset.content_root || "./", location.href);
  const WORKER = new URL("service_worker.js", ROOT);

  function make(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // The edition's worker, as the server has it now: once it answers, whatever was kept of an older build is renewed.
  async function workerOfToday() {
    const registration = await navigator.serviceWorker.register(WORKER);
    await registration.update();
    const coming = registration.installing ?? registration.waiting;
    if (!coming) return;
    await new Promise((resolve) => {
      const look = () => ["activated", "redundant"].includes(coming.state) && resolve();
      coming.addEventListener("statechange", look);
      look();
    });
  }

  class CourseKeeping extends HTMLElement {
    async connectedCallback() {
      if (location.protocol === "file:") return this.remove();
      try {
        this.store = courseStore(ROOT.href);
        this.kept = await this.store.kept();
        if (!navigator.serviceWorker) throw new TypeError("no worker here");
      } catch {
        return this.replaceChildren(make("p", {}, words.refused));
      }
      await this.read();
      this.show();
    }

    async read() {
      const answer = await fetch(new URL("keeping.json", ROOT), { cache: "no-cache" });
      this.book = await answer.json();
    }

    sizeOf({ files }) {
      return words.size(this.store.bytesOf(files));
    }

    show() {
      this.status = make("p", { role: "status" });
      const heads = words.heads.map((head, column) =>
        make("th", { scope: "col" }, column < 3 ? head : make("span", { class: "visually-hidden" }, head)));
      const table = make("table", { class: "table", "aria-label": words.table },
        make("thead", {}, make("tr", {}, ...heads)),
        make("tbody", {}, ...this.book.parts.map((part) => this.row(part))));
      const notes = `${words.shared(this.sizeOf(this.book.shared))} ${words.renewed}`;
      this.replaceChildren(table, this.status, make("p", { class: "keeping-notes" }, notes));
    }

    row(part) {
      const state = make("td", {});
      const button = make("button", { type: "button", class: "quiz-button" });
      const draw = () => {
        const here = this.kept.has(part.id);
        state.textContent = here ? words.here : words.away;
        button.textContent = here ? words.forget : words.keep;
        button.ariaLabel = `${part.title}: ${button.textContent}`;
      };
      button.addEventListener("click", async () => {
        if (button.ariaDisabled === "true") return;
        button.ariaDisabled = "true";
        this.status.textContent = await (this.kept.has(part.id) ? this.forget(part) : this.keep(part, state));
        this.kept = await this.store.kept();
        button.ariaDisabled = "false";
        draw();
      });
      draw();
      return make("tr", {}, make("th", { scope: "row" }, part.title),
        make("td", {}, this.sizeOf(part)), state, make("td", {}, button));
    }

    // Both say what came of it.
    async keep(part, state) {
      this.status.textContent = words.keeping(part.title);
      const all = this.store.bytesOf(this.book.shared.files) + this.store.bytesOf(part.files);
      let come = 0;
      const told = (bytes) => {
        come += bytes;
        state.textContent = `${Math.floor((100 * come) / all)}%`;
      };
      try {
        await workerOfToday();
        await this.read();
        await this.store.keep(this.book, part.id, told);
        navigator.storage?.persist?.(); // a browser may grant that it does not remove this by itself
        return words.kept(part.title);
      } catch (problem) {
        await this.leave();
        return { QuotaExceededError: words.full, SecurityError: words.refused }[problem.name] ?? words.failed;
      }
    }

    async forget(part) {
      await this.store.forget(part.id);
      await this.leave();
      return words.forgotten(part.title);
    }

    // Where nothing is kept, nothing stands between the pages and the network.
    async leave() {
      if ((await this.store.kept()).size) return;
      await this.store.forgetAll();
      await (await navigator.serviceWorker.getRegistration(ROOT.href))?.unregister();
    }
  }

  customElements.define("course-keeping", CourseKeeping);
})();
