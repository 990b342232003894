// The difference of two models' scores and its 95% interval: as if they had answered other questions, and question by question.
"use strict";

(() => {
  const PLOT = { left: 16, right: 344, most: 0.2, axis: 128 }; // differences from -0.2 to 0.2
  const ROWS = { unpaired: 44, paired: 96 };
  const Z = 1.959964;

  class PairedIntervals extends CourseFigure {
    static words = {
      ko: {
        picture: "차의 95% 구간 둘과 0의 세로선",
        n: "물음의 수",
        a: "A의 점수",
        b: "B의 점수",
        apart: "답이 갈린 비율",
        each: "지문마다 물음",
        unpaired: "짝짓지 않음",
        paired: "짝지음",
        axis: "A의 점수 − B의 점수",
        say: (difference, unpaired, paired, sure, apart) =>
          `차는 ${difference}. 짝짓지 않으면 ± ${unpaired}, 짝지으면 ± ${paired}. 답은 ${apart}에서 갈립니다. ` +
          (sure[0] === sure[1] ? (sure[0] ? "두 구간 모두 0을 품지 않습니다." : "두 구간 모두 0을 품습니다.") : sure[1] ? "짝지은 구간만 0을 품지 않습니다." : "짝지은 구간만 0을 품습니다."),
      },
      en: {
        picture: "two 95% intervals of the difference and a vertical line at 0",
        n: "questions",
        a: "score of A",
        b: "score of B",
        apart: "they differ on",
        each: "questions a passage",
        unpaired: "unpaired",
        paired: "paired",
        axis: "score of A − score of B",
        say: (difference, unpaired, paired, sure, apart) =>
          `The difference is ${difference}. Unpaired ± ${unpaired}, paired ± ${paired}. They differ on ${apart} of the questions. ` +
          (sure[0] === sure[1] ? (sure[0] ? "Neither interval holds 0." : "Both intervals hold 0.") : sure[1] ? "Only the unpaired interval holds 0." : "Only the paired interval holds 0."),
      },
    };

    state = { n: 400, a: 0.7, b: 0.66, apart: 0.12, each: 1 };

    // Half widths; questions of one passage are right and wrong together. Models differ at least by their scores' difference.
    measure() {
      const { n, a, b, each } = this.state;
      const difference = a - b;
      const apart = Math.min(Math.max(this.state.apart, Math.abs(difference)), a + b, 2 - a - b);
      const half = (variance) => Z * Math.sqrt(Math.max(variance, 0) / (n / each - 1));
      return { difference, apart, unpaired: half(a * (1 - a) + b * (1 - b)), paired: half(apart - difference ** 2) };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      this.picture = svg("svg", { viewBox: "0 0 360 168", role: "img", "aria-label": words.picture });
      this.picture.style.maxWidth = "34rem";
      this.x = (value) => PLOT.left + ((PLOT.right - PLOT.left) * (value + PLOT.most)) / (2 * PLOT.most);
      const text = (x, y, content, anchor = "middle") => svg("text", { x, y, "font-size": 12.5, "text-anchor": anchor }, content);
      this.picture.append(
        svg("path", { d: `M${PLOT.left} ${PLOT.axis}H${PLOT.right}`, stroke: "currentColor", "stroke-opacity": 0.5 }),
        svg("path", { d: `M${this.x(0)} 8V${PLOT.axis}`, stroke: "currentColor", "stroke-opacity": 0.7, "stroke-dasharray": "4 4" }),
        ...[-0.2, -0.1, 0, 0.1, 0.2].map((value) => text(this.x(value), 145, String(value).replace("-", "−"))),
        text((PLOT.left + PLOT.right) / 2, 163, words.axis),
      );
      this.lines = Object.entries(ROWS).map(([name, y]) => {
        const line = svg("path", { fill: "none", stroke: name === "paired" ? "var(--course-accent, #1f5fa8)" : "var(--course-accent-2, #a34f00)", "stroke-width": 3 });
        const dot = svg("circle", { cy: y, r: 5, fill: "currentColor" });
        this.picture.append(text(PLOT.left, y - 14, words[name], "start"), line, dot);
        return { name, y, line, dot };
      });
      const percent = (value) => `${Math.round(100 * value)}%`;
      stage.append(
        html("div", { class: "lf-controls" },
          this.slider(words.n, { key: "n", min: 50, max: 2000, step: 50 }),
          this.slider(words.a, { key: "a", min: 0.6, max: 0.8, step: 0.01, format: percent }),
          this.slider(words.b, { key: "b", min: 0.6, max: 0.8, step: 0.01, format: percent }),
          this.slider(words.apart, { key: "apart", min: 0.01, max: 0.4, step: 0.01, format: percent }),
          this.choice(words.each, { key: "each", options: [1, 2, 5].map((each) => [each, String(each)]) }),
        ),
        this.picture,
      );
    }

    draw() {
      const found = this.measure();
      const inside = (value) => Math.min(Math.max(this.x(value), PLOT.left), PLOT.right);
      for (const { name, y, line, dot } of this.lines) {
        const [low, high] = [found.difference - found[name], found.difference + found[name]].map(inside);
        line.setAttribute("d", `M${low.toFixed(1)} ${y - 6}v12M${low.toFixed(1)} ${y}H${high.toFixed(1)}M${high.toFixed(1)} ${y - 6}v12`);
        dot.setAttribute("cx", inside(found.difference).toFixed(1));
      }
      const shown = (value) => value.toFixed(3).replace("-", "−").replace("−0.000", "0.000");
      const sure = [found.unpaired, found.paired].map((half) => Math.abs(found.difference) > half);
      this.say(this.words.say(shown(found.difference), shown(found.unpaired), shown(found.paired), sure, `${Math.round(100 * found.apart)}%`));
    }
  }

  customElements.define("course-paired-intervals", PairedIntervals);
})();
