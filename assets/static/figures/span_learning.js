// Spans as they are learned: the four heads of the page's runs, step after step, and what each sees then.
"use strict";

(() => {
  const COLOURS = ["var(--course-accent, #1f5fa8)", "var(--course-right, #1a6b36)", "var(--course-wrong, #a3301d)", "var(--course-accent-2, #a34f00)"];
  const DASHES = ["8 3", "2 3", "8 3 2 3", "none"];
  const HEADS = COLOURS.map((_, head) => head);
  const [LEFT, RIGHT] = [34, 352];
  const CURVES = { top: 26, bottom: 176 };
  const STRIPS = { top: 236, height: 20 };
  const MASK = { top: 358, bottom: 418 };
  const PLACES = { left: 62, width: 6.6 }; // the columns of distances
  const column = (distance) => PLACES.left + PLACES.width * distance;
  const between = ({ top, bottom }, share) => bottom - (bottom - top) * share;
  const signed = (value) => (Math.abs(value) < 0.005 ? "0" : `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`);

  class SpanLearning extends CourseFigure {
    static words = {
      ko: {
        picture: "위는 걸음에 따른 네 헤드의 범위, 가운데는 네 헤드가 보는 거리, 아래는 고른 헤드의 마스크",
        run: "값 λ",
        seed: (seed) => `시드 ${seed}`,
        head: "헤드",
        step: "걸음",
        span: "범위 z",
        seen: (far) => `네 헤드가 보는 거리 (테두리: 답이 있는 거리 ${far})`,
        mask: (head) => `헤드 ${head}의 마스크`,
        reaches: (far) => `거리 ${far}에 닿는 z`,
        say: (step, head, z, mask, far, scores) => `${step}걸음. 헤드 ${head}의 범위는 ${z}이고 거리 ${far}의 마스크는 ${mask}입니다. 네 헤드의 점수는 질의마다 ${scores}개입니다.`,
        pushed: (every, price, loss) => ` 지난 ${every}걸음에 값은 ${price}, 손실은 ${loss}만큼 밀었습니다.`,
        floor: " 범위가 0에 닿아 있습니다.",
        loss: (loss) => ` 학습한 뒤 처음 보는 글의 손실은 ${loss}입니다.`,
      },
      en: {
        picture: "above, the spans of four heads by step; then the distances that the four see; below, the mask of the chosen head",
        run: "price λ",
        seed: (seed) => `seed ${seed}`,
        head: "head",
        step: "step",
        span: "span z",
        seen: (far) => `distances the four heads see (frame: the answer, ${far})`,
        mask: (head) => `mask of head ${head}`,
        reaches: (far) => `z that reaches ${far}`,
        say: (step, head, z, mask, far, scores) => `Step ${step}. The span of head ${head} is ${z}, its mask at distance ${far} is ${mask}. The four heads need ${scores} scores a query.`,
        pushed: (every, price, loss) => ` Over the last ${every} steps the price pushed it by ${price}, the loss by ${loss}.`,
        floor: " The span has reached 0.",
        loss: (loss) => ` After training, the loss on new texts is ${loss}.`,
      },
    };

    state = { run: 1, head: 3, at: 70 };

    // The chosen head at the step shown, what all heads cost, and who pushed the span since the last number.
    look() {
      const { rate, ramp, far, longest, every, runs } = this.data;
      const { run, head, at } = this.state;
      const { price, loss, spans } = runs[run];
      const masks = spans[at].map((z) => Array.from({ length: longest }, (_, x) => Math.min(Math.max((ramp + z - x) / ramp, 0), 1)));
      const scores = spans[at].reduce((sum, z) => sum + Math.min(z + ramp, longest), 0);
      const z = spans[at][head];
      const byPrice = (-rate * every * price) / HEADS.length; // descent: the price's slope is the same for each head
      const pushed = at > 0 && z > 0 && z < longest ? { byPrice, byLoss: z - spans[at - 1][head] - byPrice } : null;
      return { z, masks, scores, pushed, atFar: masks[head][far], loss };
    }

    x(at) {
      return LEFT + ((RIGHT - LEFT) * at) / this.last;
    }

    y(z) {
      return between(CURVES, z / this.data.longest);
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const { words, data } = this;
      this.last = data.runs[0].spans.length - 1;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 12.5, "text-anchor": "middle", ...attributes }, content);
      const end = { "text-anchor": "end" };
      const start = { "text-anchor": "start" };
      const axes = (left, { top, bottom }) => svg("path", { d: `M${left} ${top}V${bottom}H${RIGHT}`, fill: "none", stroke: "currentColor", "stroke-opacity": 0.5 });
      const reach = this.y(data.far - data.ramp);
      this.picture = svg("svg", { viewBox: "0 0 360 440", role: "img", "aria-label": words.picture });
      this.picture.style.maxWidth = "30rem";
      this.picture.append(
        axes(LEFT, CURVES), axes(PLACES.left, MASK),
        text(4, 14, words.span, start),
        ...[0, data.longest / 2, data.longest].map((z) => text(LEFT - 5, this.y(z) + 4, String(z), end)),
        ...[0, 100, 200, 300].map((step) => text(this.x(step / data.every), CURVES.bottom + 16, String(step))),
        text(RIGHT, CURVES.bottom + 16, words.step, end),
        svg("line", { x1: LEFT, x2: RIGHT, y1: reach, y2: reach, stroke: "currentColor", "stroke-dasharray": "4 4", "stroke-opacity": 0.7 }),
        svg("line", { x1: 190, x2: 222, y1: 10, y2: 10, stroke: "currentColor", "stroke-dasharray": "4 4" }),
        text(228, 14, words.reaches(data.far), start),
        text(4, STRIPS.top - 14, words.seen(data.far), start),
        text(PLACES.left - 6, MASK.top + 9, "1", end), text(PLACES.left - 6, MASK.bottom, "0", end),
        ...[0, 10, 20, 30].map((distance) => text(column(distance + 0.5), MASK.bottom + 16, String(distance))),
      );
      this.now = svg("line", { y1: CURVES.top - 6, y2: CURVES.bottom, stroke: "currentColor" });
      this.heads = HEADS.map((head) => {
        const top = STRIPS.top + (STRIPS.height + 4) * head - 6;
        const faint = svg("path", { fill: "none", stroke: COLOURS[head], "stroke-opacity": 0.3, "stroke-width": 1.5 });
        const seen = svg("path", { fill: "none", stroke: COLOURS[head], "stroke-dasharray": DASHES[head], "stroke-linejoin": "round" });
        const dot = svg("circle", { fill: COLOURS[head] });
        const cells = Array.from({ length: data.longest }, (_, x) => svg("rect", { x: column(x), y: top, width: PLACES.width - 0.6, height: STRIPS.height, fill: COLOURS[head] }));
        const frame = svg("rect", { x: column(0) - 2, y: top - 2, width: PLACES.width * data.longest + 3, height: STRIPS.height + 4, rx: 3, fill: "transparent", stroke: "currentColor" });
        const name = text(4, top + 15, "", start);
        frame.style.cursor = "pointer";
        frame.addEventListener("click", () => this.chooser.querySelectorAll("input")[head].click());
        this.picture.append(faint, seen, dot, ...cells, name, frame);
        return { faint, seen, dot, cells, frame, name };
      });
      this.slope = svg("path", { fill: "none", "stroke-width": 2.5 });
      this.maskName = text(4, MASK.top - 14, "", start);
      const answer = (top, bottom) => svg("rect", { x: column(data.far) - 1, y: top, width: PLACES.width + 1, height: bottom - top, fill: "none", stroke: "currentColor", "stroke-dasharray": "3 2" });
      this.picture.append(this.now, this.slope, this.maskName, answer(STRIPS.top - 10, STRIPS.top + 92), answer(MASK.top - 4, MASK.bottom));
      this.chooser = this.choice(words.head, { key: "head", options: HEADS.map((head) => [head, String(head + 1)]) });
      const seeds = {};
      const runs = data.runs.map(({ price }, run) => {
        seeds[price] = (seeds[price] ?? -1) + 1;
        return [run, seeds[price] ? `${price}, ${words.seed(seeds[price])}` : String(price)];
      });
      stage.append(
        html("div", { class: "lf-controls" }, this.choice(words.run, { key: "run", options: runs }), this.chooser),
        this.steps({ key: "at", last: this.last, seconds: 0.2, label: words.step, format: (at) => String(at * data.every) }),
        this.picture,
      );
    }

    draw() {
      const { words, data } = this;
      const { run, head, at } = this.state;
      const { z, masks, scores, pushed, atFar, loss } = this.look();
      const spans = data.runs[run].spans;
      const path = (of, until) => spans.slice(0, until + 1).map((row, k) => `${k ? "L" : "M"}${this.x(k).toFixed(1)} ${this.y(row[of]).toFixed(1)}`).join("");
      this.now.setAttribute("x1", this.x(at));
      this.now.setAttribute("x2", this.x(at));
      this.heads.forEach(({ faint, seen, dot, cells, frame, name }, of) => {
        faint.setAttribute("d", path(of, this.last));
        seen.setAttribute("d", path(of, at));
        seen.setAttribute("stroke-width", of === head ? 3.5 : 1.8);
        dot.setAttribute("cx", this.x(at));
        dot.setAttribute("cy", this.y(spans[at][of]));
        dot.setAttribute("r", of === head ? 5.5 : 3);
        cells.forEach((cell, distance) => cell.setAttribute("fill-opacity", masks[of][distance]));
        frame.setAttribute("stroke-opacity", of === head ? 1 : 0.25);
        frame.setAttribute("stroke-width", of === head ? 2 : 1);
        name.textContent = `${of + 1}: ${spans[at][of].toFixed(1)}`;
        name.setAttribute("font-weight", of === head ? 700 : 400);
      });
      this.slope.setAttribute("stroke", COLOURS[head]);
      this.slope.setAttribute("d", masks[head].map((mask, distance) => `${distance ? "L" : "M"}${column(distance + 0.5).toFixed(1)} ${between(MASK, mask).toFixed(1)}`).join(""));
      this.maskName.textContent = words.mask(head + 1);
      const why = pushed ? words.pushed(data.every, signed(pushed.byPrice), signed(pushed.byLoss)) : at && !z ? words.floor : "";
      this.say(
        words.say(at * data.every, head + 1, z.toFixed(1), atFar.toFixed(2), data.far, scores.toFixed(0)) + why + (at === this.last ? words.loss(loss.toFixed(2)) : ""),
      );
    }
  }

  customElements.define("course-span-learning", SpanLearning);
})();
