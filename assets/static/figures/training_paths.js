// One valley, three optimisers: how far a hundred steps lead, by learning rate and by how the valley is turned.
"use strict";

(() => {
  const START = [-8, 0.25]; // along the gentle and the steep direction
  const STEEP = [1, 1000];
  const STEPS = 100;
  const LOSS = ([x, y]) => (STEEP[0] * x * x + STEEP[1] * y * y) / 2;
  // Learning rates that a slider goes through: four to the decade
  const RATES = [1e-4, 1.8e-4, 3.2e-4, 5.6e-4, 1e-3, 1.9e-3, 2.1e-3, 3.5e-3, 5.6e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8];

  // What each does with a gradient, in place of point and memory; s counts from 1.
  const RULES = {
    sgd: (point, g, rate) => point.map((p, i) => p - rate * g[i]),
    momentum: (point, g, rate, memory) => {
      memory.m = g.map((gi, i) => 0.9 * (memory.m?.[i] ?? 0) + gi);
      return point.map((p, i) => p - rate * memory.m[i]);
    },
    adam: (point, g, rate, memory, s) => {
      memory.m = g.map((gi, i) => 0.9 * (memory.m?.[i] ?? 0) + 0.1 * gi);
      memory.v = g.map((gi, i) => 0.98 * (memory.v?.[i] ?? 0) + 0.02 * gi * gi);
      return point.map((p, i) => p - (rate * memory.m[i]) / (1 - 0.9 ** s) / (Math.sqrt(memory.v[i] / (1 - 0.98 ** s)) + 1e-8));
    },
  };

  // The places of a path in the valley's own directions, the start first.
  function path(rule, rate, degrees) {
    const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    const inValley = ([x, y]) => [c * x - s * y, s * x + c * y];
    const inParameters = ([x, y]) => [c * x + s * y, -s * x + c * y];
    let point = inParameters(START);
    const memory = {};
    const places = [START];
    for (let step = 1; step <= STEPS; step++) {
      const gradient = inParameters(inValley(point).map((p, i) => STEEP[i] * p));
      point = RULES[rule](point, gradient, rate, memory, step);
      places.push(inValley(point));
    }
    return places;
  }

  const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [384, 276, 44, 30, 236];
  const X = (x) => LEFT + ((x + 9) / 12) * (WIDTH - LEFT - 6);
  const Y = (y) => BOTTOM - ((y + 0.4) / 0.8) * (BOTTOM - TOP);
  const COLOURS = { sgd: "var(--course-right, #1a6b36)", momentum: "var(--course-accent-2, #a34f00)", adam: "var(--course-accent, #1f5fa8)" };
  const DASHES = { sgd: "2 3", momentum: "7 4", adam: "none" };
  const short = (number) => (number >= 1000 || number < 0.001 ? number.toExponential(0) : String(+number.toPrecision(2)));

  class TrainingPaths extends CourseFigure {
    static words = {
      ko: {
        optimiser: "학습률을 바꿀 방법",
        names: { sgd: "SGD", momentum: "관성", adam: "Adam" },
        rate: "학습률",
        angle: "골짜기를 돌린 각",
        step: "걸음",
        map: "골짜기의 등고선과 세 가지 길",
        axes: ["완만한 쪽", "가파른 쪽"],
        say: (step, degrees, losses) => `${step}걸음, ${degrees}도. 남은 손실은 ${losses}입니다.`,
        gone: "튀어 나감",
      },
      en: {
        optimiser: "whose learning rate",
        names: { sgd: "SGD", momentum: "momentum", adam: "Adam" },
        rate: "learning rate",
        angle: "valley turned by",
        step: "step",
        map: "contours of a valley and three paths",
        axes: ["gentle direction", "steep direction"],
        say: (step, degrees, losses) => `Step ${step}, ${degrees}°. Loss left: ${losses}.`,
        gone: "flew off",
      },
    };

    state = { optimiser: "adam", angle: 0, step: STEPS, sgd: 5, momentum: 7, adam: 13 };

    paths() {
      return Object.fromEntries(Object.keys(RULES).map((rule) => [rule, path(rule, RATES[this.state[rule]], this.state.angle)]));
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 13, ...attributes }, content);
      this.picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words.map });
      this.picture.style.maxWidth = "36rem";
      this.picture.append(
        svg("clipPath", { id: "training-paths-frame" }, svg("rect", { x: LEFT, y: TOP, width: WIDTH - LEFT, height: BOTTOM - TOP })),
        svg("rect", { x: LEFT, y: TOP, width: WIDTH - LEFT - 2, height: BOTTOM - TOP, fill: "none", stroke: "currentColor", "stroke-opacity": 0.5 }),
      );
      const inside = svg("g", { "clip-path": "url(#training-paths-frame)" });
      for (const level of [0.3, 2, 8, 20, 40, 70]) {
        const [rx, ry] = [Math.sqrt((2 * level) / STEEP[0]), Math.sqrt((2 * level) / STEEP[1])];
        inside.append(svg("ellipse", { cx: X(0), cy: Y(0), rx: X(rx) - X(0), ry: Y(0) - Y(ry), fill: "none", stroke: "currentColor", "stroke-opacity": 0.3 }));
      }
      this.lines = Object.fromEntries(Object.keys(RULES).map((rule) => [rule, svg("polyline", { fill: "none", stroke: COLOURS[rule], "stroke-width": 2, "stroke-dasharray": DASHES[rule], "stroke-linejoin": "round" })]));
      this.ends = Object.fromEntries(Object.keys(RULES).map((rule) => [rule, svg("circle", { r: 5, fill: COLOURS[rule] })]));
      inside.append(...Object.values(this.lines), ...Object.values(this.ends), text(X(0), Y(0) + 5, "+", { "text-anchor": "middle", "font-size": 18 }));
      this.picture.append(
        inside,
        ...[-8, -4, 0].map((x) => text(X(x), BOTTOM + 16, String(x).replace("-", "−"), { "text-anchor": "middle" })),
        ...[-0.3, 0, 0.3].map((y) => text(LEFT - 6, Y(y) + 4, String(y).replace("-", "−"), { "text-anchor": "end" })),
        text((LEFT + WIDTH) / 2, BOTTOM + 34, words.axes[0], { "text-anchor": "middle" }),
        text(14, 138, words.axes[1], { "text-anchor": "middle", transform: "rotate(-90 14 138)" }),
        ...Object.keys(RULES).flatMap((rule, i) => [
          svg("line", { x1: LEFT + 10 + i * 100, x2: LEFT + 38 + i * 100, y1: 14, y2: 14, stroke: COLOURS[rule], "stroke-width": 3, "stroke-dasharray": DASHES[rule] }),
          text(LEFT + 43 + i * 100, 19, words.names[rule]),
        ]),
      );
      const optimisers = this.choice(words.optimiser, { key: "optimiser", options: Object.entries(words.names) });
      this.rate = this.slider(words.rate, { key: "rate", min: 0, max: RATES.length - 1, format: (i) => String(RATES[i ?? 0]) });
      const slider = (key, label, max, step, format) => this.slider(label, { key, min: 0, max, step, format });
      stage.append(
        optimisers,
        html("div", { class: "lf-controls" }, this.rate, slider("angle", words.angle, 90, 5, (angle) => `${angle}°`), slider("step", words.step, STEPS, 1, String)),
        this.picture,
      );
    }

    get optimiserRate() {
      return this.state[this.state.optimiser];
    }

    // The slider of the learning rate is the chosen optimiser's.
    set(changes) {
      const { rate, ...others } = changes;
      super.set(rate === undefined ? others : { [this.state.optimiser]: rate });
    }

    draw() {
      this.state.rate = this.optimiserRate;
      this.rate.show();
      const { step, angle } = this.state;
      const words = this.words;
      const left = [];
      const bounded = (value) => Math.max(-2000, Math.min(2000, value));
      for (const [rule, places] of Object.entries(this.paths())) {
        const seen = places.slice(0, step + 1);
        const points = seen.map(([x, y]) => [bounded(X(x)), bounded(Y(y))].map((value) => value.toFixed(1)));
        this.lines[rule].setAttribute("points", points.join(" "));
        this.lines[rule].setAttribute("stroke-width", rule === this.state.optimiser ? 3 : 1.6);
        this.ends[rule].setAttribute("cx", points.at(-1)[0]);
        this.ends[rule].setAttribute("cy", points.at(-1)[1]);
        const loss = LOSS(seen.at(-1));
        left.push(`${words.names[rule]} ${loss > 1000 ? words.gone : short(loss)}`);
      }
      this.say(words.say(step, angle, left.join(", ")));
    }
  }

  customElements.define("course-training-paths", TrainingPaths);
})();
