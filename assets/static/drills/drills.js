// Drills of a page: titles to open. What a drill needs comes when the first is opened, by script tags, so that it comes from
// disk too. Without a script, and on paper, one example of each stands there (extensions/drills.py); on paper its answer at
// the page's end (print.js).
"use strict";

window.courseDrillFiles = (() => {
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
  const loaded = new Map();

  function load(file) {
    if (!loaded.has(file)) {
      const arrival = new Promise((resolve, reject) => {
        const script = document.createElement("script");
        Object.assign(script, { src: folder + file, async: false, onload: resolve, onerror: reject });
        document.head.append(script);
      });
      loaded.set(file, arrival);
      arrival.catch(() => loaded.delete(file)); // it may be asked for again
    }
    return loaded.get(file);
  }

  // A chapter's drills, once they and all that they need are there
  async function of(chapter) {
    await load("kit.js");
    await Promise.all([load("panel.js"), load(`${chapter}.js`)]);
    return courseDrills[chapter];
  }
  return { load, of };
})();

(() => {
  const WORDS = {
    ko: {
      failed: "불러오지 못했습니다. 연결을 확인하고 다시 누르십시오.",
      answers: "손으로 풀기의 답",
    },
    en: {
      failed: "It could not be loaded. Check the connection and try again.",
      answers: "Answers to the drills",
    },
  };
  const words = WORDS[document.documentElement.lang] ?? WORDS.en;

  class CourseDrills extends HTMLElement {
    connectedCallback() {
      if (this.classList.contains("drills-live")) return;
      for (const item of this.querySelectorAll("[data-drill]")) this.fold(item);
      this.status = document.createElement("p");
      this.status.setAttribute("role", "status");
      this.append(this.status);
      this.classList.add("drills-live");
    }

    // The title becomes a button that opens and closes its drill.
    fold(item) {
      const title = item.querySelector(".drill-title");
      const button = document.createElement("button");
      button.type = "button";
      button.className = "drill-open";
      button.setAttribute("aria-expanded", "false");
      button.append(...title.childNodes);
      title.append(button);
      const place = document.createElement("div");
      place.hidden = true;
      item.append(place);
      button.addEventListener("click", async () => {
        const opens = place.hidden;
        if (opens && !place.firstChild && !(await this.fill(place, item.dataset.drill, button.textContent))) return;
        place.hidden = !opens;
        button.setAttribute("aria-expanded", String(opens));
        if (opens) place.querySelector("input, textarea")?.focus({ preventScroll: true });
      });
    }

    async fill(place, name, title) {
      const { chapter } = this.dataset;
      try {
        const drills = await courseDrillFiles.of(chapter);
        place.replaceChildren(coursePanel(chapter, drills.find((drill) => drill.name === name), { title }).element);
        this.status.textContent = "";
        return true;
      } catch (problem) {
        this.status.textContent = words.failed;
        if (problem instanceof Error) throw problem; // of ours; a script that does not come is an event
        return false;
      }
    }
  }

  customElements.define("course-drills", CourseDrills);

  // An example's title and its answer
  function answers(item) {
    const listed = document.createElement("li");
    const title = document.createElement("p");
    title.textContent = item.querySelector(".drill-title").textContent;
    listed.append(title, item.querySelector(".drill-answer").cloneNode(true));
    return listed;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const items = [...document.querySelectorAll("course-drills [data-drill]")];
    if (items.length) courseAnswers(words.answers, () => items.map(answers));
  });
})();
