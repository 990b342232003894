// The learning rate over the steps: the paper's formula as the lesser of two curves, and what others do after the peak.
"use strict";

(() => {
  const STEPS = 20_000;
  const SIZES = [64, 128, 256, 512, 1024, 2048];
  const [WIDTH, TOP, LEFT, RIGHT, BOTTOM] = [384, 30, 58, 376, 210];
  const SCALES = [1.5, 2, 3, 4, 6, 8, 10, 15];

  const noam = (s, size, warmup) => size ** -0.5 * Math.min(s ** -0.5, s * warmup ** -1.5);

  // What share of the peak is left at step s, after a warm-up that all have.
  const SHARES = {
    linear: (done) => 1 - done,
    cosine: (done) => (1 + Math.cos(Math.PI * done)) / 2,
    stable: (done, s) => Math.min(1, (STEPS - s) / (0.2 * STEPS)),
  };

  function rate(kind, s, size, warmup) {
    if (kind === "noam" || s <= warmup) return noam(s, size, warmup);
    return (size * warmup) ** -0.5 * SHARES[kind]((s - warmup) / (STEPS - warmup), s);
  }

  class TrainingSchedules extends CourseFigure {
    static words = {
      ko: {
        kind: "올린 다음",
        kinds: { noam: "역제곱근(noam)", linear: "선형", cosine: "코사인", stable: "유지 후 감쇠" },
        size: "d_model",
        warmup: "워밍업 w",
        step: "걸음 s",
        map: "걸음에 따른 학습률",
        axes: ["걸음", "학습률"],
        say: (s, rate, peak, half) => `${s}걸음의 학습률은 ${rate}, 꼭대기는 ${peak}입니다. ${half}`,
        rising: "s·w^−1.5가 더 작아 곧게 오르는 중입니다.",
        falling: "s^−0.5가 더 작아 내려가는 중입니다.",
        top: "두 식이 만나는 꼭대기입니다.",
        end: (rate) => `마지막 걸음의 학습률은 ${rate}입니다.`,
      },
      en: {
        kind: "after the peak",
        kinds: { noam: "inverse square root (noam)", linear: "linear", cosine: "cosine", stable: "stable, then decay" },
        size: "d_model",
        warmup: "warm-up w",
        step: "step s",
        map: "learning rate by step",
        axes: ["step", "learning rate"],
        say: (s, rate, peak, half) => `At step ${s} the learning rate is ${rate}; the peak is ${peak}. ${half}`,
        rising: "s·w^−1.5 is less: it rises.",
        falling: "s^−0.5 is less: it falls.",
        top: "The two meet: the peak.",
        end: (rate) => `At the last step ${rate} is left.`,
      },
    };

    state = { kind: "noam", size: 3, warmup: 4000, step: 8000 };

    rateAt(s) {
      const { kind, size, warmup } = this.state;
      return rate(kind, s, SIZES[size], warmup);
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 13, ...attributes }, content);
      const line = (attributes) => svg("polyline", { fill: "none", "clip-path": "url(#training-schedules-frame)", ...attributes });
      this.picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${BOTTOM + 40}`, role: "img", "aria-label": words.map });
      this.picture.style.maxWidth = "36rem";
      this.halves = [0, 1].map(() => line({ stroke: "currentColor", "stroke-opacity": 0.7, "stroke-dasharray": "4 4" }));
      this.curve = line({ stroke: "var(--course-accent, #1f5fa8)", "stroke-width": 3 });
      this.guide = svg("line", { y2: BOTTOM, stroke: "var(--course-accent-2, #a34f00)" });
      this.point = svg("circle", { r: 6, fill: "var(--course-accent-2, #a34f00)" });
      this.labels = [0, 1, 2].map((i) => text(LEFT - 6, BOTTOM + 4 + (i * (TOP - BOTTOM)) / 2, "", { "text-anchor": "end" }));
      this.picture.append(
        svg("clipPath", { id: "training-schedules-frame" }, svg("rect", { x: LEFT, y: TOP - 8, width: RIGHT - LEFT, height: BOTTOM - TOP + 9 })),
        svg("path", { d: `M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}`, fill: "none", stroke: "currentColor" }),
        ...this.halves, this.curve, this.guide, this.point, ...this.labels,
        ...[0, 5000, 10_000, 15_000].map((s) => text(LEFT + (s / STEPS) * (RIGHT - LEFT), BOTTOM + 17, s.toLocaleString(), { "text-anchor": "middle" })),
        text((LEFT + RIGHT) / 2, BOTTOM + 35, words.axes[0], { "text-anchor": "middle" }),
        text(4, 12, words.axes[1]),
      );
      stage.append(
        this.choice(words.kind, { key: "kind", options: Object.entries(words.kinds) }),
        html("div", { class: "lf-controls" },
          this.slider(words.size, { key: "size", min: 0, max: SIZES.length - 1, format: (i) => String(SIZES[i]) }),
          this.slider(words.warmup, { key: "warmup", min: 500, max: 10_000, step: 500, format: (w) => w.toLocaleString() }),
          this.slider(words.step, { key: "step", min: 100, max: STEPS, step: 100, format: (s) => s.toLocaleString() }),
        ),
        this.picture,
      );
    }

    draw() {
      const words = this.words;
      const { kind, size, warmup, step } = this.state;
      const d = SIZES[size];
      const peak = (d * warmup) ** -0.5;
      const power = 10 ** Math.floor(Math.log10(peak));
      const scale = power * SCALES.find((factor) => factor * power >= 1.2 * peak);
      const x = (s) => LEFT + (s / STEPS) * (RIGHT - LEFT);
      const y = (value) => BOTTOM - (Math.min(value, 3 * scale) / scale) * (BOTTOM - TOP);
      const points = (f) => Array.from({ length: 201 }, (_, i) => Math.max(1, i * 100)).map((s) => `${x(s).toFixed(1)},${y(f(s)).toFixed(1)}`).join(" ");
      const scientific = (value) => (value ? value.toExponential(1).replace("e-", "e−") : "0");
      this.curve.setAttribute("points", points((s) => this.rateAt(s)));
      const halves = [(s) => d ** -0.5 * s * warmup ** -1.5, (s) => (d * s) ** -0.5];
      this.halves.forEach((half, i) => half.setAttribute("points", kind === "noam" ? points(halves[i]) : ""));
      this.labels.forEach((label, i) => (label.textContent = scientific((scale * i) / 2)));
      const here = this.rateAt(step);
      for (const [name, value] of [["x1", x(step)], ["x2", x(step)], ["y1", y(here)]]) this.guide.setAttribute(name, value);
      this.point.setAttribute("cx", x(step));
      this.point.setAttribute("cy", y(here));
      const half = step < warmup ? words.rising : step === warmup ? words.top : words.falling;
      const tail = kind === "noam" ? half : words.end(scientific(this.rateAt(STEPS)));
      this.say(words.say(step.toLocaleString(), scientific(here), scientific(peak), tail));
    }
  }

  customElements.define("course-training-schedules", TrainingSchedules);
})();
