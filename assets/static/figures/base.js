// What every figure that answers is built on: a custom element that replaces its still when its script runs.
//
//   class Gauge extends CourseFigure {
//     static words = { ko: { name: "온도" }, en: { name: "temperature" } };
//     state = { value: 1 };
//     build(stage) { stage.append(this.slider(this.words.name, { min: 0, max: 2, step: 0.1, key: "value" })); }
//     draw() { …; this.say("온도 1.0: …"); }
//   }
//   customElements.define("course-gauge", Gauge);
//
// build() makes controls and picture once; draw() shows this.state; set() changes the state and draws. say() tells a
// screen reader, and everybody else, the state in one sentence. What cells computed is in this.data (chapters/figure_data.py).
"use strict";

const CourseFigure = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const KEYS_OF_CONTROLS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);
  const WORDS = {
    ko: { play: "재생", pause: "멈춤", back: "이전", next: "다음", step: "단계" },
    en: { play: "Play", pause: "Pause", back: "Back", next: "Next", step: "Step" },
  };
  const inLanguage = (words) => words[document.documentElement.lang] ?? words.en;
  let count = 0;
  const near = new IntersectionObserver(
    (entries) =>
      entries.forEach(({ isIntersecting, target }) => {
        if (!isIntersecting) return;
        near.unobserve(target);
        target.start();
      }),
    { rootMargin: "100% 0%" },
  );

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  }

  return class CourseFigure extends HTMLElement {
    static words = {};
    state = {};

    static html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
    static svg = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
    static softmax(scores) {
      const most = Math.max(...scores);
      const powers = scores.map((score) => Math.exp(score - most)); // exp(-Infinity) is 0: a hidden place weighs nothing
      const sum = powers.reduce((total, power) => total + power, 0);
      return powers.map((power) => power / sum);
    }

    // The path of an arrow; its head is drawn by its stroke.
    static arrow(x1, y1, x2, y2, head = 9) {
      const way = Math.atan2(y2 - y1, x2 - x1);
      if (Math.hypot(x2 - x1, y2 - y1) < 1) return "";
      const barb = (side) => `${(x2 - head * Math.cos(way + side)).toFixed(1)} ${(y2 - head * Math.sin(way + side)).toFixed(1)}`;
      const tip = `${x2.toFixed(1)} ${y2.toFixed(1)}`;
      return `M${x1.toFixed(1)} ${y1.toFixed(1)}L${tip}M${barb(0.45)}L${tip}L${barb(-0.45)}`;
    }

    // Uniform numbers in [0, 1) from a seed: what is drawn once is drawn again (mulberry32).
    static random = (seed) => () => {
      seed = (seed + 0x6d2b79f5) | 0;
      let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };

    // Built when it comes near the screen: a page's figures together would hold up its opening.
    connectedCallback() {
      near.observe(this);
    }

    start() {
      if (this.stage) return;
      this.words = inLanguage(this.constructor.words);
      const name = this.localName.replace("course-", "");
      const data = document.querySelector(`script[data-figure="${name}"]`);
      this.data = data && JSON.parse(data.textContent);
      this.stage = CourseFigure.html("div", { class: "lf-stage" });
      this.status = CourseFigure.html("p", { class: "lf-status", role: "status" });
      // The theme turns pages with the arrow keys.
      this.stage.addEventListener("keydown", (event) => KEYS_OF_CONTROLS.has(event.key) && event.stopPropagation());
      this.build(this.stage);
      this.append(this.stage, this.status);
      this.draw();
      this.classList.add("lf-live"); // only now does the still give way: an error leaves it standing
    }

    set(changes) {
      Object.assign(this.state, changes);
      this.draw();
    }

    say(sentence) {
      if (this.status.textContent !== sentence) this.status.textContent = sentence;
    }

    get calm() {
      return matchMedia("(prefers-reduced-motion: reduce)").matches;
    }

    // A slider for state[key]; format(value) is what stands beside it and what a screen reader says.
    slider(label, { key, min, max, step = 1, format = String }) {
      const id = `lf-${(count += 1)}`;
      const output = CourseFigure.html("output", { for: id });
      const input = CourseFigure.html("input", { id, type: "range", min, max, step, value: this.state[key] });
      const show = () => {
        output.textContent = format(this.state[key]);
        input.value = this.state[key];
        input.setAttribute("aria-valuetext", format(this.state[key]));
      };
      input.addEventListener("input", () => {
        this.set({ [key]: Number(input.value) });
        show();
      });
      show();
      const row = CourseFigure.html("div", { class: "lf-slider" }, CourseFigure.html("label", { for: id }, label), input, output);
      row.show = show; // for a figure that changes state[key] by other means
      return row;
    }

    // Radio buttons for state[key]; options: [[value, label], …].
    choice(legend, { key, options }) {
      const name = `lf-${(count += 1)}`;
      const fieldset = CourseFigure.html("fieldset", { class: "lf-choice" }, CourseFigure.html("legend", {}, legend));
      for (const [value, label] of options) {
        const input = CourseFigure.html("input", { type: "radio", name, checked: value === this.state[key] });
        input.addEventListener("change", () => this.set({ [key]: value }));
        fieldset.append(CourseFigure.html("label", {}, input, CourseFigure.html("span", {}, label)));
      }
      return fieldset;
    }

    // A check box for state[key].
    toggle(label, { key }) {
      const input = CourseFigure.html("input", { type: "checkbox", checked: this.state[key] });
      input.addEventListener("change", () => this.set({ [key]: input.checked }));
      return CourseFigure.html("label", { class: "lf-toggle" }, input, CourseFigure.html("span", {}, label));
    }

    button(label, action) {
      const button = CourseFigure.html("button", { type: "button", class: "lf-button" }, label);
      button.addEventListener("click", action);
      return button;
    }

    // Steps 0 … last of state[key], one after another: back, next, and play where motion is welcome.
    steps({ key = "step", last, seconds = 1, label, format = (step) => `${step} / ${last}` }) {
      const words = inLanguage(WORDS);
      const slider = this.slider(label ?? words.step, { key, min: 0, max: last, format });
      const go = (step) => {
        this.set({ [key]: Math.min(Math.max(step, 0), last) });
        slider.show();
      };
      let timer = null;
      const play = this.button(words.play, () => (timer ? stop() : begin()));
      const stop = () => {
        clearInterval(timer);
        timer = null;
        play.textContent = words.play;
      };
      const begin = () => {
        if (this.state[key] === last) go(0);
        play.textContent = words.pause;
        timer = setInterval(() => {
          if (this.state[key] < last) go(this.state[key] + 1);
          if (this.state[key] === last) stop();
        }, 1000 * seconds);
      };
      const manual = (by) => () => {
        stop();
        go(this.state[key] + by);
      };
      const buttons = [this.button(words.back, manual(-1)), this.button(words.next, manual(1)), ...(this.calm ? [] : [play])];
      return CourseFigure.html("div", { class: "lf-steps" }, slider, CourseFigure.html("div", { class: "lf-buttons" }, ...buttons));
    }

    // A point of an SVG that moves by mouse, finger and arrow keys. place(x, y) gets coordinates of the drawing and keeps
    // them in bounds; nudge is how far an arrow key goes; at() gives where the point is.
    draggable(point, { label, place, at, nudge = 10 }) {
      fill(point, { tabindex: 0, role: "button", "aria-label": label, class: "lf-drag" }, []);
      const drawing = () => point.ownerSVGElement;
      point.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        point.focus();
        point.setPointerCapture(event.pointerId);
      });
      point.addEventListener("pointermove", (event) => {
        if (!point.hasPointerCapture(event.pointerId)) return;
        const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing().getScreenCTM().inverse());
        place(x, y);
      });
      point.addEventListener("keydown", (event) => {
        const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        const [x, y] = at();
        place(x + way[0] * nudge, y + way[1] * nudge);
      });
      return point;
    }
  };
})();
