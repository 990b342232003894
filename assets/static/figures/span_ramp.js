// The span of a head: which keys it sees, what their weights become, and which way the loss pushes the span.
"use strict";

(() => {
  const EXPS = [3, 1, 4, 4, 1, 2, 1, 2]; // e to the scores, by distance
  const KNOWS = 2; // the distance of the one key that knows the answer
  const RAMP = 2;
  const MOST = 6; // of the span
  const RATE = 0.5;
  const x = (distance) => 56 + 40 * distance;
  const MASK = { top: 28, bottom: 92 };
  const WEIGHTS = { top: 130, bottom: 214, most: 0.75 };
  const LOSS = { top: 272, bottom: 398, least: 0.6, most: 2.6 };
  const between = ({ top, bottom }, share) => bottom - (bottom - top) * share;

  class SpanRamp extends CourseFigure {
    static words = {
      ko: {
        picture: "위는 거리에 따른 마스크, 가운데는 가중치, 아래는 범위에 따른 손실",
        edge: "마스크",
        ramp: `비탈 ${RAMP}`,
        hard: "딱 자르기",
        span: "범위 z",
        price: "값 λ",
        step: "기울기만큼 한 걸음",
        mask: "마스크",
        weights: "가중치",
        loss: "손실",
        distance: "거리",
        answer: "답",
        sum: (entropy, price) => `교차 엔트로피 ${entropy} + λz ${price}`,
        say: (z, seen, loss, slope, way) => `범위가 ${z}이면 점수를 ${seen}개 계산합니다. 손실은 ${loss}, z에 대한 기울기는 ${slope}입니다. ${way}`,
        ways: { grow: "범위를 늘리는 쪽입니다.", shrink: "범위를 줄이는 쪽입니다.", still: "범위는 움직이지 않습니다." },
      },
      en: {
        picture: "above, the mask by distance; then the weights; below, the loss by span",
        edge: "mask",
        ramp: `ramp of ${RAMP}`,
        hard: "hard edge",
        span: "span z",
        price: "price λ",
        step: "one step down the slope",
        mask: "mask",
        weights: "weights",
        loss: "loss",
        distance: "distance",
        answer: "answer",
        sum: (entropy, price) => `cross-entropy ${entropy} + λz ${price}`,
        say: (z, seen, loss, slope, way) => `With span ${z}, ${seen} scores are computed. The loss is ${loss}, its slope in z ${slope}: ${way}`,
        ways: { grow: "the span should grow.", shrink: "the span should shrink.", still: "the span stays." },
      },
    };

    state = { soft: true, z: 0.5, price: 0.05 };

    // Mask, weights, loss and the slope of the loss in z; only keys on the ramp give a slope.
    look(z = this.state.z) {
      const { soft, price } = this.state;
      const mask = EXPS.map((_, d) => (soft ? Math.min(Math.max((RAMP + z - d) / RAMP, 0), 1) : Number(d <= z)));
      const slopes = mask.map((m) => (soft && m > 0 && m < 1 ? 1 / RAMP : 0));
      const total = EXPS.reduce((sum, exp, d) => sum + exp * mask[d], 0);
      const weights = EXPS.map((exp, d) => (exp * mask[d]) / total);
      const known = 0.1 + 0.8 * weights[KNOWS]; // 0.9 from the key that knows, 0.1 from the others
      const growth = (EXPS[KNOWS] * slopes[KNOWS] - weights[KNOWS] * EXPS.reduce((sum, exp, d) => sum + exp * slopes[d], 0)) / total;
      const entropy = -Math.log(known);
      return { mask, weights, entropy, loss: entropy + price * z, slope: price - (0.8 * growth) / known };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (left, y, content, attributes = {}) => svg("text", { x: left, y, "font-size": 13, "text-anchor": "middle", ...attributes }, content);
      this.picture = svg("svg", { viewBox: "0 0 360 420", role: "img", "aria-label": words.picture });
      this.picture.style.maxWidth = "34rem";
      for (const [plot, name] of [[MASK, words.mask], [WEIGHTS, words.weights], [LOSS, words.loss]]) {
        this.picture.append(
          svg("path", { d: `M${x(0) - 22} ${plot.top}V${plot.bottom}H352`, fill: "none", stroke: "currentColor", "stroke-opacity": 0.5 }),
          text(4, plot.top - 12, name, { "text-anchor": "start" }),
        );
      }
      const small = { "font-size": 12.5 };
      this.picture.append(
        text(28, MASK.top + 9, "1", { ...small, "text-anchor": "end" }), text(28, MASK.bottom, "0", { ...small, "text-anchor": "end" }),
        text(28, LOSS.bottom, String(LOSS.least), { ...small, "text-anchor": "end" }), text(28, LOSS.top + 9, String(LOSS.most), { ...small, "text-anchor": "end" }),
        ...EXPS.map((_, d) => text(x(d), WEIGHTS.bottom + 17, d === KNOWS ? `${d} ${words.answer}` : String(d), { ...small, "font-weight": d === KNOWS ? 700 : 400 })),
        text(4, WEIGHTS.bottom + 17, words.distance, { ...small, "text-anchor": "start" }),
        ...Array.from({ length: MOST + 1 }, (_, z) => text(x(z), LOSS.bottom + 17, String(z), small)),
        text(346, LOSS.bottom + 17, "z", small),
      );
      this.span = svg("path", { stroke: "currentColor", "stroke-dasharray": "2 4" });
      this.name = text(0, MASK.top - 14, "z", { "font-weight": 600 });
      this.curve = svg("path", { fill: "none", stroke: "var(--course-accent-2, #a34f00)", "stroke-width": 2.5 });
      this.losses = svg("path", { fill: "none", stroke: "var(--course-accent, #1f5fa8)", "stroke-width": 2.5 });
      this.tangent = svg("line", { stroke: "var(--course-wrong, #a3301d)", "stroke-width": 2 });
      this.point = svg("circle", { r: 6, fill: "var(--course-wrong, #a3301d)" });
      this.sum = text(352, LOSS.top - 12, "", { "text-anchor": "end" });
      this.keys = EXPS.map((_, d) => {
        const dot = svg("circle", { cx: x(d), r: 4.5, fill: "var(--course-accent-2, #a34f00)" });
        const unmasked = between(WEIGHTS, EXPS[d] / EXPS.reduce((sum, exp) => sum + exp) / WEIGHTS.most);
        const all = svg("rect", { x: x(d) - 13, y: unmasked, width: 26, height: WEIGHTS.bottom - unmasked, fill: "none", stroke: "currentColor", "stroke-opacity": 0.55, "stroke-dasharray": "3 3" });
        const bar = svg("rect", { x: x(d) - 13, width: 26, fill: "var(--course-accent, #1f5fa8)", "fill-opacity": d === KNOWS ? 1 : 0.5 });
        const weight = text(x(d), 0, "", small);
        this.picture.append(dot, bar, all, weight);
        return { dot, bar, weight };
      });
      this.picture.append(this.span, this.name, this.curve, this.losses, this.tangent, this.point, this.sum);
      const slider = this.slider(words.span, { key: "z", min: 0, max: MOST, step: 0.05, format: (z) => z.toFixed(2) });
      const step = this.button(words.step, () => {
        this.set({ z: Math.min(Math.max(this.state.z - RATE * this.look().slope, 0), MOST) });
        slider.show();
      });
      stage.append(
        this.choice(words.edge, { key: "soft", options: [[true, words.ramp], [false, words.hard]] }),
        html("div", { class: "lf-controls" }, slider, this.slider(words.price, { key: "price", min: 0, max: 0.2, step: 0.05, format: (price) => price.toFixed(2) }), step),
        this.picture,
      );
    }

    draw() {
      const { soft, z, price } = this.state;
      const { mask, weights, entropy, loss, slope } = this.look();
      const lossAt = (value) => between(LOSS, (value - LOSS.least) / (LOSS.most - LOSS.least));
      this.span.setAttribute("d", [MASK, WEIGHTS, LOSS].map(({ top, bottom }) => `M${x(z)} ${top - 8}V${bottom}`).join(""));
      this.name.setAttribute("x", x(z));
      const down = soft ? `H${x(z)}L${x(Math.min(z + RAMP, 7.4))} ${between(MASK, Math.max(0, (z + RAMP - 7.4) / RAMP))}H352` : `H${x(z)}V${MASK.bottom}H352`;
      this.curve.setAttribute("d", `M${x(0)} ${MASK.top}${down}`);
      this.keys.forEach(({ dot, bar, weight }, d) => {
        dot.setAttribute("cy", between(MASK, mask[d]));
        const y = between(WEIGHTS, weights[d] / WEIGHTS.most);
        bar.setAttribute("y", y);
        bar.setAttribute("height", WEIGHTS.bottom - y);
        weight.setAttribute("y", y - 4);
        weight.textContent = mask[d] ? weights[d].toFixed(2) : "";
      });
      // Points just before each whole z keep the hard edge's jumps upright.
      const spans = Array.from({ length: 20 * MOST + 1 }, (_, k) => k / 20).flatMap((at) => (at > 0 && at % 1 === 0 ? [at - 1e-6, at] : [at]));
      this.losses.setAttribute("d", spans.map((at, k) => `${k ? "L" : "M"}${x(at).toFixed(1)} ${lossAt(this.look(at).loss).toFixed(1)}`).join(""));
      this.point.setAttribute("cx", x(z));
      this.point.setAttribute("cy", lossAt(loss));
      for (const [end, by] of [["1", -0.7], ["2", 0.7]]) {
        this.tangent.setAttribute(`x${end}`, x(z + by));
        this.tangent.setAttribute(`y${end}`, lossAt(loss + by * slope));
      }
      this.sum.textContent = this.words.sum(entropy.toFixed(2), (price * z).toFixed(2));
      const way = slope < -0.005 ? "grow" : slope > 0.005 ? "shrink" : "still";
      const signed = (Math.abs(slope) < 0.005 ? 0 : slope).toFixed(2).replace("-", "−");
      this.say(this.words.say(z.toFixed(2), mask.filter(Boolean).length, loss.toFixed(2), signed, this.words.ways[way]));
    }
  }

  customElements.define("course-span-ramp", SpanRamp);
})();
