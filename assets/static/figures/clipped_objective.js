// PPO's clipped objective of one token: what a ratio earns, for an advantage of either sign, and where no slope is left.
"use strict";

(() => {
  const PLOT = { left: 34, right: 344, top: 14, bottom: 226, most: 2 }; // the ratio goes from 0 to 2
  const HIGH = 4; // and the objective from -4 to 4

  class ClippedObjective extends CourseFigure {
    static words = {
      ko: {
        picture: "비에 따른 자른 목적 함수의 꺾은선과, 고른 비의 점",
        ratio: "비 ρ",
        advantage: "이점 A",
        width: "폭 ε",
        axis: "비 ρ",
        say: (ratio, advantage, plain, clipped, value, slope) =>
          `비 ${ratio}, 이점 ${advantage}: 그대로면 ${plain}, 자르면 ${clipped}, 작은 쪽은 ${value}입니다. ` +
          (slope === 0 ? "이 토큰에서는 배울 것이 없습니다." : slope > 0 ? "확률을 올리는 기울기가 있습니다." : "확률을 내리는 기울기가 있습니다."),
      },
      en: {
        picture: "the clipped objective as a bent line over the ratio, and a point at the chosen ratio",
        ratio: "ratio ρ",
        advantage: "advantage A",
        width: "width ε",
        axis: "ratio ρ",
        say: (ratio, advantage, plain, clipped, value, slope) =>
          `Ratio ${ratio}, advantage ${advantage}: ${plain} as it is, ${clipped} clipped; the smaller is ${value}. ` +
          (slope === 0 ? "Nothing is left to learn from this token." : slope > 0 ? "The slope raises its probability." : "The slope lowers its probability."),
      },
    };

    state = { ratio: 1.5, advantage: 1, width: 0.2 };

    earn(ratio = this.state.ratio) {
      const { advantage, width } = this.state;
      const plain = ratio * advantage;
      const clipped = Math.min(Math.max(ratio, 1 - width), 1 + width) * advantage;
      return { plain, clipped, value: Math.min(plain, clipped), slope: plain > clipped ? 0 : advantage };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      this.picture = svg("svg", { viewBox: "0 0 360 262", role: "img", "aria-label": words.picture });
      this.picture.style.maxWidth = "34rem";
      this.x = (ratio) => PLOT.left + ((PLOT.right - PLOT.left) * ratio) / PLOT.most;
      this.y = (value) => PLOT.bottom - ((PLOT.bottom - PLOT.top) * (value + HIGH)) / (2 * HIGH);
      const line = (attributes) => svg("path", { fill: "none", stroke: "currentColor", ...attributes });
      this.band = svg("rect", { y: PLOT.top, height: PLOT.bottom - PLOT.top, fill: "var(--course-accent, #1f5fa8)", "fill-opacity": 0.12 });
      this.plain = line({ "stroke-opacity": 0.55, "stroke-dasharray": "4 4" });
      this.clipped = line({ stroke: "var(--course-accent, #1f5fa8)", "stroke-width": 2.5 });
      this.dot = svg("circle", { r: 6, fill: "var(--course-accent-2, #a34f00)" });
      this.picture.append(
        this.band,
        line({ "stroke-opacity": 0.5, d: `M${PLOT.left} ${this.y(0)}H${PLOT.right}M${PLOT.left} ${PLOT.top}V${PLOT.bottom}` }),
        ...[0, 0.5, 1, 1.5, 2].map((ratio) => svg("text", { x: this.x(ratio), y: 243, "font-size": 12, "text-anchor": "middle" }, String(ratio))),
        ...[-4, -2, 0, 2, 4].map((value) => svg("text", { x: 28, y: this.y(value) + 4, "font-size": 12, "text-anchor": "end" }, String(value).replace("-", "−"))),
        svg("text", { x: (PLOT.left + PLOT.right) / 2, y: 258, "font-size": 12.5, "text-anchor": "middle" }, words.axis),
        this.plain, this.clipped, this.dot,
      );
      stage.append(
        html("div", { class: "lf-controls" },
          this.slider(words.ratio, { key: "ratio", min: 0, max: 2, step: 0.05 }),
          this.slider(words.advantage, { key: "advantage", min: -2, max: 2, step: 0.25 }),
          this.slider(words.width, { key: "width", min: 0.05, max: 0.5, step: 0.05 }),
        ),
        this.picture,
      );
    }

    draw() {
      const { ratio, advantage, width } = this.state;
      const path = (ratios, value) => ratios.map((r, i) => `${i ? "L" : "M"}${this.x(r).toFixed(1)} ${this.y(value(r)).toFixed(1)}`).join("");
      this.band.setAttribute("x", this.x(1 - width));
      this.band.setAttribute("width", this.x(1 + width) - this.x(1 - width));
      this.plain.setAttribute("d", path([0, PLOT.most], (r) => r * advantage));
      this.clipped.setAttribute("d", path([0, 1 - width, 1 + width, PLOT.most], (r) => this.earn(r).value));
      const { plain, clipped, value, slope } = this.earn();
      this.dot.setAttribute("cx", this.x(ratio));
      this.dot.setAttribute("cy", this.y(value));
      this.say(this.words.say(ratio.toFixed(2), advantage, plain.toFixed(2), clipped.toFixed(2), value.toFixed(2), slope));
    }
  }

  customElements.define("course-clipped-objective", ClippedObjective);
})();
