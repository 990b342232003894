// The same learned keys read twice: as a feed-forward network, by ReLU, and as memory beside the context, by one softmax.
"use strict";

(() => {
  const CONTEXT = [[1.5, 1.1], [-1.6, 0.9]];
  const MEMORY = [[2, 0], [0, 2], [-1.4, -1.4]];
  const BIAS = -2; // of every hidden unit
  const NAMES = ["k₁", "k₂", "κ₁", "κ₂", "κ₃"];
  const UNIT = 38;
  const CENTRE = { x: 90, y: 130 };
  const REACH = 1.5; // how far the query may be dragged
  const LEFT = 214;
  const STEP = 29;
  const PLOTS = [{ top: 46, bottom: 120 }, { top: 190, bottom: 264 }];
  const colour = (i) => (i < CONTEXT.length ? "var(--course-accent, #1f5fa8)" : "var(--course-accent-2, #a34f00)");

  class ReluOrSoftmax extends CourseFigure {
    static words = {
      ko: {
        picture: "왼쪽은 질의와 키 다섯, 오른쪽은 ReLU로 낸 가중치와 소프트맥스로 낸 가중치",
        query: "질의",
        hide: "문맥의 키를 모두 가리기",
        relu: "피드포워드: ReLU",
        softmax: "지속 메모리: 소프트맥스",
        legend: ["문맥의 키", "메모리의 키"],
        sum: (value) => `합 ${value}`,
        say: (relu, share, hidden) =>
          (relu > 0 ? `ReLU의 가중치는 합이 ${relu.toFixed(2)}입니다.` : "ReLU는 모두 꺼져 합이 0입니다.") +
          (hidden ? " 소프트맥스는 문맥이 없어도 합이 1이고, 모두 메모리의 몫입니다." : ` 소프트맥스는 합이 1이고, 그 가운데 메모리의 몫이 ${share.toFixed(2)}입니다.`),
      },
      en: {
        picture: "left, a query and five keys; right, weights by ReLU and weights by softmax",
        query: "query",
        hide: "hide every key of the context",
        relu: "feed-forward: ReLU",
        softmax: "memory: softmax",
        legend: ["keys of the context", "keys of the memory"],
        sum: (value) => `sum ${value}`,
        say: (relu, share, hidden) =>
          (relu > 0 ? `The weights of ReLU sum to ${relu.toFixed(2)}.` : "ReLU turns every key off: the sum is 0.") +
          (hidden ? " Softmax sums to 1 without a context: all of it goes to the memory." : ` Softmax sums to 1, of which the memory gets ${share.toFixed(2)}.`),
      },
    };

    state = { query: [1.2, 0.4], hidden: false };

    // Both weights of all five keys; the network has no context, its two places are null.
    weigh() {
      const { query, hidden } = this.state;
      const scores = [...CONTEXT, ...MEMORY].map(([u, v]) => query[0] * u + query[1] * v);
      const inContext = (i) => i < CONTEXT.length;
      return {
        relu: scores.map((score, i) => (inContext(i) ? null : Math.max(score + BIAS, 0))),
        softmax: CourseFigure.softmax(scores.map((score, i) => (hidden && inContext(i) ? -Infinity : score))),
      };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 13, "text-anchor": "middle", ...attributes }, content);
      const at = ([x, y]) => [CENTRE.x + UNIT * x, CENTRE.y - UNIT * y];
      const line = (from, to, attributes) => svg("line", { x1: from[0], y1: from[1], x2: to[0], y2: to[1], ...attributes });
      this.picture = svg("svg", { viewBox: "0 0 360 288", role: "group", "aria-label": words.picture });
      this.picture.style.maxWidth = "38rem";
      this.picture.append(
        line(at([-2.2, 0]), at([2.2, 0]), { stroke: "currentColor", "stroke-opacity": 0.3 }),
        line(at([0, -2.2]), at([0, 2.2]), { stroke: "currentColor", "stroke-opacity": 0.3 }),
        ...words.legend.map((name, kind) => text(90, 246 + 20 * kind, name, { style: `fill: ${colour(2 * kind)}`, "font-weight": 600 })),
      );
      this.keys = [...CONTEXT, ...MEMORY].map((key, i) => {
        const [x, y] = at(key);
        const group = svg("g", {},
          line(at([0, 0]), [x, y], { stroke: colour(i), "stroke-width": 1.5, "stroke-opacity": 0.5 }),
          svg("circle", { cx: x, cy: y, r: 11, fill: `var(--course-fill${i < CONTEXT.length ? ", #dbe8f6" : "-2, #fbe6cf"})`, stroke: colour(i) }),
          text(x, y + 4.5, NAMES[i]),
        );
        this.picture.append(group);
        return group;
      });
      this.arrow = line(at([0, 0]), at([0, 0]), { stroke: "currentColor", "stroke-width": 3 });
      this.tip = svg("circle", { r: 13, fill: "currentColor" });
      this.name = text(0, 0, "q", { "pointer-events": "none", "font-weight": 600, style: "fill: var(--pst-color-background, #fff)" });
      this.draggable(this.tip, {
        label: words.query,
        at: () => at(this.state.query),
        place: (x, y) => {
          const [u, v] = [(x - CENTRE.x) / UNIT, (CENTRE.y - y) / UNIT];
          const shorten = Math.min(1, REACH / Math.hypot(u, v));
          this.set({ query: [shorten * u, shorten * v] });
        },
      });
      this.picture.append(this.arrow, this.tip, this.name);
      this.charts = [words.relu, words.softmax].map((title, k) => {
        const plot = PLOTS[k];
        this.picture.append(
          svg("path", { d: `M${LEFT - 10} ${plot.top}V${plot.bottom}H356`, fill: "none", stroke: "currentColor", "stroke-opacity": 0.5 }),
          text(LEFT - 14, plot.top + 9, "1", { "text-anchor": "end" }), text(LEFT - 14, plot.bottom, "0", { "text-anchor": "end" }),
          text(LEFT - 10, plot.top - 32, title, { "text-anchor": "start", "font-weight": 600 }),
        );
        const bars = NAMES.map((name, i) => {
          const x = LEFT + 10 + STEP * i;
          const bar = svg("rect", { x: x - 10, width: 20, fill: colour(i), "fill-opacity": 0.8 });
          const number = text(x, 0, "", { "font-size": 12.5 });
          this.picture.append(bar, number, text(x, plot.bottom + 17, k === 0 && i < CONTEXT.length ? "" : name));
          return { bar, number };
        });
        const sum = text(LEFT - 10, plot.top - 15, "", { "text-anchor": "start" });
        this.picture.append(sum);
        return { bars, sum };
      });
      stage.append(html("div", { class: "lf-controls" }, this.toggle(words.hide, { key: "hidden" })), this.picture);
    }

    draw() {
      const { query, hidden } = this.state;
      const weights = this.weigh();
      const [x, y] = [CENTRE.x + UNIT * query[0], CENTRE.y - UNIT * query[1]];
      for (const [element, names, down] of [[this.arrow, ["x2", "y2"], 0], [this.tip, ["cx", "cy"], 0], [this.name, ["x", "y"], 4.5]]) {
        element.setAttribute(names[0], x);
        element.setAttribute(names[1], y + down);
      }
      this.keys.forEach((key, i) => key.setAttribute("opacity", hidden && i < CONTEXT.length ? 0.25 : 1));
      const sums = [weights.relu, weights.softmax].map((found, k) => {
        const { top, bottom } = PLOTS[k];
        found.forEach((weight, i) => {
          const { bar, number } = this.charts[k].bars[i];
          const height = (bottom - top) * (weight ?? 0);
          bar.setAttribute("y", bottom - height);
          bar.setAttribute("height", height);
          number.setAttribute("y", bottom - height - 4);
          number.textContent = weight === null ? "" : weight.toFixed(2);
        });
        const total = found.reduce((sum, weight) => sum + weight, 0);
        this.charts[k].sum.textContent = this.words.sum(total.toFixed(2));
        return total;
      });
      const share = weights.softmax.slice(CONTEXT.length).reduce((sum, weight) => sum + weight, 0);
      this.say(this.words.say(sums[0], share, hidden));
    }
  }

  customElements.define("course-relu-or-softmax", ReluOrSoftmax);
})();
