// One query and ten keys while their vectors grow: what softmax makes of the scores, divided by √d_k or not.
"use strict";

(() => {
  const KEYS = 10;
  const STEP = 31; // from key to key
  const LEFT = 40;
  const TOP = 12;
  const HEIGHT = 150;
  const GAUGE = { y: 250, height: 20, most: 0.9 }; // the largest that α(1 − α) of ten equal weights adds up to
  const WEIGHT = "var(--course-accent, #1f5fa8)";
  const SLOPE = "var(--course-accent-2, #a34f00)";

  class AttentionScale extends CourseFigure {
    static words = {
      ko: {
        picture: "열 개의 키에 주는 가중치와 점수, 기울기의 합",
        dims: "차원",
        scale: "√d_k로 나누기",
        weight: "가중치 α",
        slope: "기울기 α(1 − α)",
        score: "점수",
        sum: "기울기의 합",
        say: (dims, most, sum) => `d_k = ${dims}: 가장 큰 가중치는 ${most}, 기울기의 합은 ${sum}입니다.`,
      },
      en: {
        picture: "weights and scores of ten keys, and the sum of the slopes",
        dims: "dimension",
        scale: "divide by √d_k",
        weight: "weight α",
        slope: "slope α(1 − α)",
        score: "score",
        sum: "sum of the slopes",
        say: (dims, most, sum) => `d_k = ${dims}: the largest weight is ${most}, the slopes add up to ${sum}.`,
      },
    };

    state = { size: 2, scaled: false };

    attend() {
      const dims = this.data.dims[this.state.size];
      const scores = this.data.scores[this.state.size].map((score) => (this.state.scaled ? score / Math.sqrt(dims) : score));
      const weights = CourseFigure.softmax(scores);
      return { dims, scores, weights, slopes: weights.map((weight) => weight * (1 - weight)) };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 12.5, "text-anchor": "middle", ...attributes }, content);
      const right = LEFT + KEYS * STEP;
      const level = (value) => TOP + HEIGHT * (1 - value);
      const picture = svg("svg", { viewBox: `0 0 ${right + 2} 278`, role: "img", "aria-label": words.picture });
      picture.style.maxWidth = "30rem";
      for (const value of [0, 0.5, 1]) {
        picture.append(
          svg("path", { d: `M${LEFT} ${level(value)}H${right}`, stroke: "currentColor", "stroke-opacity": value ? 0.25 : 0.7 }),
          text(LEFT - 6, level(value) + 4, String(value), { "text-anchor": "end" }),
        );
      }
      const bar = (x, fill) => picture.appendChild(svg("rect", { x, width: 11, rx: 1.5, fill }));
      this.columns = Array.from({ length: KEYS }, (_, j) => {
        const x = LEFT + STEP * j + 4;
        const column = { weight: bar(x, WEIGHT), slope: bar(x + 12, SLOPE), score: text(x + 12, level(0) + 18, "", { "font-size": 11 }) };
        picture.append(column.score);
        return column;
      });
      const legend = (x, fill, label) => [
        svg("rect", { x, y: 196, width: 12, height: 12, fill }), text(x + 18, 207, label, { "text-anchor": "start", "font-size": 13 }),
      ];
      this.gauge = svg("rect", { x: LEFT, y: GAUGE.y, height: GAUGE.height, rx: 2, fill: SLOPE });
      this.sum = text(0, GAUGE.y - 7, "", { "text-anchor": "start", "font-size": 13, x: LEFT });
      picture.append(
        text(LEFT - 6, level(0) + 18, words.score, { "text-anchor": "end" }),
        ...legend(LEFT, WEIGHT, words.weight), ...legend(LEFT + 110, SLOPE, words.slope),
        svg("rect", { x: LEFT, y: GAUGE.y, width: KEYS * STEP, height: GAUGE.height, rx: 2, fill: "none", stroke: "currentColor", "stroke-opacity": 0.5 }),
        this.gauge, this.sum,
        text(LEFT - 6, GAUGE.y + 15, "0", { "text-anchor": "end" }),
      );
      this.level = level;
      const { dims } = this.data;
      stage.append(
        html("div", { class: "lf-controls" },
          this.slider(words.dims, { key: "size", min: 0, max: dims.length - 1, format: (size) => `d_k = ${dims[size]}` }),
          this.toggle(words.scale, { key: "scaled" })),
        picture,
      );
    }

    draw() {
      const { dims, scores, weights, slopes } = this.attend();
      const raise = (bar, value) => {
        bar.setAttribute("y", this.level(value).toFixed(1));
        bar.setAttribute("height", (HEIGHT * value).toFixed(1));
      };
      this.columns.forEach(({ weight, slope, score }, j) => {
        raise(weight, weights[j]);
        raise(slope, slopes[j]);
        score.textContent = scores[j].toFixed(Math.abs(scores[j]) < 10 ? 1 : 0).replace(/^-(0\.0)$/, "$1").replace("-", "−");
      });
      const sum = slopes.reduce((total, slope) => total + slope, 0);
      this.gauge.setAttribute("width", ((KEYS * STEP * sum) / GAUGE.most).toFixed(1));
      this.sum.textContent = `${this.words.sum} ${sum.toFixed(2)} / ${GAUGE.most}`;
      this.say(this.words.say(dims.toLocaleString("en"), Math.max(...weights).toFixed(2), sum.toFixed(2)));
    }
  }

  customElements.define("course-attention-scale", AttentionScale);
})();
