// A list of years upon an axis: a dot for each item; the one that is chosen is read below.
"use strict";

(() => {
  const WORDS = {
    ko: { axis: "연표. 화살표 키로 옮겨 다닙니다.", back: "이전", next: "다음" },
    en: { axis: "A time line; arrow keys move along it.", back: "Back", next: "Next" },
  };
  const words = WORDS[document.documentElement.lang] ?? WORDS.en;
  const WAYS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity };

  customElements.define(
    "course-timeline",
    class extends HTMLElement {
      connectedCallback() {
        this.items = [...this.querySelectorAll(":scope > ul > li")];
        if (this.axis || !this.items.length) return;
        const make = (name, className, ...children) => {
          const made = document.createElement(name);
          made.className = className;
          made.append(...children);
          return made;
        };
        const names = this.items.map((item) => item.querySelector("strong").textContent.replace(/\.$/, ""));
        const years = names.map((name) => Number(name.slice(0, 4)));
        this.dots = names.map((name, k) => {
          const dot = make("button", "tl-dot");
          Object.assign(dot, { type: "button", title: name, onclick: () => this.choose(k) });
          dot.setAttribute("aria-label", name);
          return dot;
        });
        this.axis = make("div", "tl-axis");
        this.axis.setAttribute("role", "group");
        this.axis.setAttribute("aria-label", words.axis);
        for (let year = years[0]; year <= years.at(-1); year += 1) {
          const dots = this.dots.filter((_, k) => years[k] === year);
          const label = make("span", "tl-year", String(year));
          label.setAttribute("aria-hidden", "true");
          this.axis.append(make("div", "tl-column", ...dots.reverse(), label)); // the first of a year stands lowest
        }
        this.axis.addEventListener("keydown", (event) => {
          const way = WAYS[event.key];
          if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          event.stopPropagation(); // the theme turns pages with the arrow keys
          this.choose(this.chosen + way);
          this.dots[this.chosen].focus();
        });
        const turn = (label, by) => {
          const button = make("button", "lf-button", label);
          Object.assign(button, { type: "button", onclick: () => this.choose(this.chosen + by) });
          return button;
        };
        this.buttons = [turn(words.back, -1), turn(words.next, 1)];
        this.prepend(this.axis, make("div", "tl-turn", ...this.buttons));
        this.querySelector("ul").setAttribute("aria-live", "polite");
        this.choose(0);
      }

      choose(k) {
        const last = this.items.length - 1;
        this.chosen = Math.min(Math.max(k, 0), last);
        this.items.forEach((item, i) => item.classList.toggle("tl-away", i !== this.chosen));
        this.dots.forEach((dot, i) => {
          dot.setAttribute("aria-pressed", String(i === this.chosen));
          dot.tabIndex = i === this.chosen ? 0 : -1;
        });
        this.buttons[0].disabled = this.chosen === 0;
        this.buttons[1].disabled = this.chosen === last;
      }
    }
  );
})();
