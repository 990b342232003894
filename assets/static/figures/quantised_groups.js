// Quantisation by groups: sixteen weights, one of which sticks out, written with few bits and a scale for each group.
"use strict";

(() => {
  const WEIGHTS = [0.31, -0.58, 0.12, 0.44, -0.27, 0.63, -0.09, 0.35, -0.41, 1, 0.22, -0.66, 0.53, -0.16, 0.38, -0.3];
  const OUTLIER = 9; // whose size a reader chooses
  const GROUPS = [16, 8, 4, 2];
  const PLOT = { left: 16, right: 344, middle: 128, half: 92 };

  class QuantisedGroups extends CourseFigure {
    static words = {
      ko: {
        picture: "가중치 열여섯 개의 막대와, 적은 비트로 옮긴 값의 점",
        bits: "비트",
        group: "묶음",
        outlier: "튀는 수",
        scale: "배율",
        say: (bits, group, error, zeros) =>
          `${bits}비트, ${group}개씩 묶으면 튀는 수를 뺀 열다섯 개의 평균 오차는 ${error}이고, 그 가운데 ${zeros}개가 0이 됩니다.`,
      },
      en: {
        picture: "bars of sixteen weights, and dots for what few bits make of them",
        bits: "bits",
        group: "group",
        outlier: "outlier",
        scale: "scale",
        say: (bits, group, error, zeros) =>
          `${bits} bits in groups of ${group}: without the outlier, the other fifteen are off by ${error} on average, and ${zeros} of them become 0.`,
      },
    };

    state = { bits: 4, group: 16, outlier: 6 };

    quantise() {
      const { bits, group, outlier } = this.state;
      const weights = WEIGHTS.map((weight, j) => (j === OUTLIER ? outlier : weight));
      const most = 2 ** (bits - 1) - 1;
      const scales = Array.from({ length: weights.length / group }, (_, g) => Math.max(...weights.slice(g * group, (g + 1) * group).map(Math.abs)) / most);
      const codes = weights.map((weight, j) => Math.round(weight / scales[Math.floor(j / group)]));
      const back = codes.map((code, j) => code * scales[Math.floor(j / group)]);
      const others = weights.map((_, j) => j).filter((j) => j !== OUTLIER);
      const error = others.reduce((sum, j) => sum + Math.abs(back[j] - weights[j]), 0) / others.length;
      return { weights, scales, codes, back, error, zeros: others.filter((j) => codes[j] === 0).length };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      this.picture = svg("svg", { viewBox: "0 0 360 268", role: "img", "aria-label": words.picture });
      this.picture.style.maxWidth = "34rem";
      const wide = (PLOT.right - PLOT.left) / WEIGHTS.length;
      this.x = (j) => PLOT.left + wide * (j + 0.5);
      this.edges = svg("path", { stroke: "currentColor", "stroke-opacity": 0.5, "stroke-dasharray": "3 3" });
      this.grid = svg("path", { stroke: "currentColor", "stroke-opacity": 0.18 });
      this.picture.append(this.grid, this.edges, svg("path", { d: `M${PLOT.left} ${PLOT.middle}H${PLOT.right}`, stroke: "currentColor", "stroke-opacity": 0.6 }));
      this.bars = WEIGHTS.map((_, j) => {
        const bar = svg("rect", { x: this.x(j) - 6, width: 12, fill: "var(--course-accent, #1f5fa8)", "fill-opacity": 0.4 });
        const dot = svg("circle", { cx: this.x(j), r: 4.5, fill: "var(--course-accent-2, #a34f00)" });
        this.picture.append(bar, dot);
        return { bar, dot };
      });
      this.scales = Array.from({ length: 8 }, () => svg("text", { y: 244, "font-size": 12, "text-anchor": "middle" }));
      this.picture.append(svg("text", { x: PLOT.left, y: 260, "font-size": 12.5 }, words.scale), ...this.scales);
      stage.append(
        html("div", { class: "lf-controls" },
          this.slider(words.bits, { key: "bits", min: 2, max: 8 }),
          this.slider(words.outlier, { key: "outlier", min: 1, max: 12 }),
          this.choice(words.group, { key: "group", options: GROUPS.map((group) => [group, String(group)]) }),
        ),
        this.picture,
      );
    }

    draw() {
      const { bits, group, outlier } = this.state;
      const { weights, scales, back, error, zeros } = this.quantise();
      // Small weights must be seen beside an outlier of any size: the axis is of square roots.
      const most = Math.sqrt(outlier);
      const y = (value) => PLOT.middle - (Math.sign(value) * Math.sqrt(Math.abs(value)) * PLOT.half) / most;
      const wide = (PLOT.right - PLOT.left) / WEIGHTS.length;
      const left = (g) => PLOT.left + g * group * wide;
      this.edges.setAttribute("d", scales.map((_, g) => `M${left(g).toFixed(1)} 24V232`).join("") + `M${PLOT.right} 24V232`);
      // What a group can write: a line for each code that a weight of the figure's height can have.
      const levels = 2 ** (bits - 1) - 1;
      this.grid.setAttribute("d", scales.flatMap((scale, g) =>
        Array.from({ length: 2 * levels + 1 }, (_, k) => `M${left(g).toFixed(1)} ${y((k - levels) * scale).toFixed(1)}h${(group * wide).toFixed(1)}`)).join(""));
      this.bars.forEach(({ bar, dot }, j) => {
        const at = y(weights[j]);
        bar.setAttribute("y", Math.min(at, PLOT.middle));
        bar.setAttribute("height", Math.abs(at - PLOT.middle));
        dot.setAttribute("cy", y(back[j]));
      });
      this.scales.forEach((text, g) => {
        text.textContent = g < scales.length ? scales[g].toFixed(2) : "";
        text.setAttribute("x", left(g) + (group * wide) / 2);
      });
      this.say(this.words.say(bits, group, error.toFixed(3), zeros));
    }
  }

  customElements.define("course-quantised-groups", QuantisedGroups);
})();
