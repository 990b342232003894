// Live models: a model of the book runs in the reader's browser, once the reader asks for it.
// This file stands in each page that has one; the engine, the widget and the weights come with the button.
"use strict";

window.live = { files: {}, widgets: {} };

(() => {
  const WORDS = {
    ko: {
      start: (megabytes) => `모델 불러오기 (${megabytes} MB)`,
      loading: "불러오는 중입니다.",
      ready: "모델을 불러왔습니다.",
      failed: "불러오지 못했습니다. 연결을 확인하고 다시 누르십시오.",
    },
    en: {
      start: (megabytes) => `Load the model (${megabytes} MB)`,
      loading: "Loading.",
      ready: "The model is here.",
      failed: "It could not be loaded. Check the connection and try again.",
    },
  };
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
  const loaded = new Map();

  // A script of the book's own folder, once a page; after a failure it may be asked for again.
  function load(file) {
    if (!loaded.has(file)) {
      const arrival = new Promise((resolve, reject) => {
        const script = document.createElement("script");
        Object.assign(script, { src: folder + file, onload: resolve, onerror: reject });
        document.head.append(script);
      });
      loaded.set(file, arrival);
      arrival.catch(() => loaded.delete(file));
    }
    return loaded.get(file);
  }

  live.element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (typeof value === "boolean") made.toggleAttribute(key, value);
      else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };

  // Lets the page draw and answer before the next piece of work
  live.pause = () => new Promise((resolve) => setTimeout(resolve));

  // For input that comes letter by letter: only the last call of a quarter of a second counts.
  live.settled = (work) => {
    let timer;
    return () => {
      clearTimeout(timer);
      timer = setTimeout(work, 250);
    };
  };

  // Examples that fill the field at a click: [what is typed, what the button says]
  live.chips = (input, label, examples) => {
    const put = (text) => {
      input.value = text;
      input.dispatchEvent(new Event("input"));
    };
    const button = ([text, name]) => live.element("button", { type: "button", class: "live-chip", onclick: () => put(text) }, name ?? text);
    return live.element("div", { class: "live-chips", role: "group", "aria-label": label }, ...examples.map(button));
  };

  // A Korean example's chip: on an English page it says what it means.
  live.glossed = ([text, meaning]) => [text, document.documentElement.lang === "ko" ? text : `${text} (${meaning})`];

  live.share = (probability) => `${(100 * probability).toFixed(1)}%`;

  customElements.define(
    "live-model",
    class extends HTMLElement {
      connectedCallback() {
        if (this.start) return;
        const { element } = live;
        this.start = element("button", { type: "button", class: "live-start", onclick: () => this.load() });
        this.start.textContent = words.start(this.dataset.megabytes);
        this.status = element("p", { class: "live-status", role: "status" });
        const still = this.querySelector(".live-still");
        this.insertBefore(this.start, still);
        this.insertBefore(this.status, still);
      }

      async load() {
        this.start.setAttribute("aria-disabled", "true");
        this.status.textContent = words.loading;
        try {
          await Promise.all(this.dataset.files.split(" ").map(load));
          await live.pause();
          const name = this.parentElement.querySelector("figcaption").textContent;
          const panel = live.element("div", { class: "live-panel", role: "group", "aria-label": name, tabindex: "-1" });
          await live.widgets[this.dataset.name](panel);
          this.querySelector(".live-still").replaceWith(panel);
          this.start.remove();
          this.status.textContent = words.ready;
          panel.focus({ preventScroll: true }); // not its text field, which would bring up a phone's keyboard
        } catch (problem) {
          this.start.removeAttribute("aria-disabled");
          this.status.textContent = words.failed;
          if (problem instanceof Error) throw problem;
        }
      }
    }
  );
})();
