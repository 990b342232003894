// Three tokens' weights as a point of a triangle: which maps give the same output, and how far an output can move.
"use strict";

(() => {
  const FIRST = [0.7, 0.2, 0.1]; // the map before it is swapped, as in the text
  const CORNERS = [{ x: 62, y: 276 }, { x: 180, y: 72 }, { x: 298, y: 276 }];
  const LEVELS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
  const LINE = { left: 40, right: 320, y: 366 };
  const BEFORE = "var(--course-accent-2, #a34f00)";
  const AFTER = "var(--course-accent, #1f5fa8)";

  const mean = (weights, values) => weights.reduce((sum, weight, j) => sum + weight * values[j], 0);
  const distance = (p, q) => p.reduce((sum, weight, j) => sum + Math.abs(weight - q[j]), 0) / 2;
  const onTriangle = (weights) => [mean(weights, CORNERS.map(({ x }) => x)), mean(weights, CORNERS.map(({ y }) => y))];
  const onLine = (output) => LINE.left + (LINE.right - LINE.left) * output;

  // Weights of a point of the drawing, in hundredths; outside of the triangle, of one of its edges.
  function weightsAt(x, y) {
    const [a, b, c] = CORNERS;
    const height = (y - a.y) / (b.y - a.y);
    const right = (x - a.x - height * (b.x - a.x)) / (c.x - a.x);
    const inside = [1 - height - right, height, right].map((weight) => Math.max(weight, 0));
    const sum = inside.reduce((total, weight) => total + weight);
    const rounded = inside.map((weight) => Math.round((100 * weight) / sum));
    rounded[rounded.indexOf(Math.max(...rounded))] += 100 - rounded.reduce((total, weight) => total + weight);
    return rounded.map((weight) => weight / 100);
  }

  // The two ends of the maps whose output is `level`, on the edges of the triangle.
  function ends(level, values) {
    const found = [];
    for (const [i, j] of [[0, 1], [1, 2], [0, 2]]) {
      const share = (level - values[i]) / (values[j] - values[i]);
      if (!(share >= 0 && share <= 1)) continue; // not a number where both values are alike
      const weights = [0, 0, 0];
      weights[i] = 1 - share;
      weights[j] = share;
      if (!found.some((known) => distance(known, weights) < 1e-9)) found.push(weights);
    }
    return found.slice(0, 2);
  }

  class SwappedWeights extends CourseFigure {
    static words = {
      ko: {
        picture: "세모 안의 점으로 그린 가중치와, 그 아래 출력의 자리",
        tokens: ["첫 토큰", "둘째 토큰", "셋째 토큰"],
        value: (value) => `값 ${value}`,
        third: "셋째 토큰의 값",
        drag: "바꾼 가중치",
        before: "처음",
        after: "바꾼 것",
        output: "출력",
        flip: "뒤집기",
        same: "출력이 같은 가장 먼 지도",
        say: (weights, far, first, now, limit) => `가중치 (${weights}). 처음과의 거리는 ${far}이고 출력은 ${first} → ${now}입니다. 움직일 수 있는 한계는 ${limit}입니다.`,
      },
      en: {
        picture: "weights as a point of a triangle; below it, where the output is",
        tokens: ["first token", "second token", "third token"],
        value: (value) => `value ${value}`,
        third: "value of the third token",
        drag: "swapped weights",
        before: "original",
        after: "swapped",
        output: "output",
        flip: "Flip",
        same: "The farthest map with the same output",
        say: (weights, far, first, now, limit) => `Weights (${weights}): at distance ${far} from the original, output ${first} → ${now}. It can move by ${limit} at most.`,
      },
    };

    state = { weights: [0.1, 0.2, 0.7], third: 0 };

    look() {
      const { weights, third } = this.state;
      const values = [1, 0, third];
      const far = distance(FIRST, weights);
      return { values, far, first: mean(FIRST, values), now: mean(weights, values), limit: far * (Math.max(...values) - Math.min(...values)) };
    }

    farthestAlike() {
      const { values, first } = this.look();
      return ends(first, values).reduce((one, other) => (distance(FIRST, other) > distance(FIRST, one) ? other : one));
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 13.5, "text-anchor": "middle", ...attributes }, content);
      const line = (attributes) => svg("path", { fill: "none", stroke: "currentColor", ...attributes });
      const picture = svg("svg", { viewBox: "0 0 360 396", role: "group", "aria-label": words.picture });
      picture.style.maxWidth = "28rem";
      this.values = CORNERS.map(({ x, y }, j) => {
        const below = j === 1 ? -28 : 22;
        const value = text(x, y + below + 17, "", { "font-size": 12.5 });
        picture.append(text(x, y + below, words.tokens[j], { "font-weight": 600 }), value);
        return value;
      });
      this.levels = line({ "stroke-opacity": 0.35 });
      this.alike = line({ stroke: BEFORE, "stroke-width": 3 });
      this.way = line({ "stroke-dasharray": "3 4", "stroke-opacity": 0.7 });
      const place = (x, y) => this.set({ weights: weightsAt(x, y) });
      this.handle = svg("g", {}, svg("circle", { r: 20, fill: "transparent" }), svg("circle", { r: 7.5, fill: AFTER }));
      this.draggable(this.handle, { label: words.drag, place, at: () => onTriangle(this.state.weights), nudge: 6 });
      const [x, y] = onTriangle(FIRST);
      this.name = text(0, 0, words.after, { "font-weight": 600, style: `fill: ${AFTER}` });
      this.band = svg("rect", { y: LINE.y - 7, height: 14, fill: "currentColor", "fill-opacity": 0.16 });
      this.outputs = [BEFORE, AFTER].map((colour, i) =>
        svg("circle", { cy: LINE.y, r: i ? 6.5 : 8.5, fill: i ? colour : "none", stroke: colour, "stroke-width": 3 }));
      picture.append(
        line({ d: `M${CORNERS.map((corner) => `${corner.x} ${corner.y}`).join("L")}Z`, "stroke-opacity": 0.7 }),
        this.levels, this.alike, this.way,
        svg("circle", { cx: x, cy: y, r: 8.5, fill: "none", stroke: BEFORE, "stroke-width": 3 }),
        text(x - 14, y - 13, words.before, { "font-weight": 600, "text-anchor": "end", style: `fill: ${BEFORE}` }),
        this.name, this.handle,
        this.band, line({ d: `M${LINE.left} ${LINE.y}H${LINE.right}`, "stroke-opacity": 0.7 }), ...this.outputs,
        text(4, LINE.y - 18, words.output, { "text-anchor": "start", "font-weight": 600 }),
        ...[0, 0.5, 1].map((output) => text(onLine(output), LINE.y + 25, String(output), { "font-size": 12.5 })),
      );
      stage.append(
        this.slider(words.third, { key: "third", min: 0, max: 1, step: 0.1, format: (value) => value.toFixed(1) }),
        html("div", { class: "lf-controls" },
          this.button(words.flip, () => this.set({ weights: [...FIRST].reverse() })),
          this.button(words.same, () => this.set({ weights: this.farthestAlike() }))),
        picture,
      );
    }

    draw() {
      const { weights } = this.state;
      const { values, far, first, now, limit } = this.look();
      const across = (level) => ends(level, values).map((end, i) => `${i ? "L" : "M"}${onTriangle(end).map((part) => part.toFixed(1)).join(" ")}`).join("");
      this.values.forEach((value, j) => (value.textContent = this.words.value(String(Math.round(10 * values[j]) / 10))));
      this.levels.setAttribute("d", LEVELS.map(across).join(""));
      this.alike.setAttribute("d", across(first));
      const [x, y] = onTriangle(weights);
      const [startX, startY] = onTriangle(FIRST);
      this.way.setAttribute("d", `M${startX} ${startY}L${x.toFixed(1)} ${y.toFixed(1)}`);
      this.handle.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      this.name.setAttribute("x", (x + 12).toFixed(1));
      this.name.setAttribute("y", (y < 110 ? y + 26 : y - 14).toFixed(1)); // below the name of the corner
      const [low, high] = [first - limit, first + limit].map((output) => onLine(Math.min(Math.max(output, 0), 1)));
      this.band.setAttribute("x", low.toFixed(1));
      this.band.setAttribute("width", (high - low).toFixed(1));
      [first, now].forEach((output, i) => this.outputs[i].setAttribute("cx", onLine(output).toFixed(1)));
      const [distanceNow, firstNow, outputNow, most] = [far, first, now, limit].map((number) => number.toFixed(2));
      this.say(this.words.say(weights.map((weight) => weight.toFixed(2)).join(", "), distanceNow, firstNow, outputNow, most));
    }
  }

  customElements.define("course-swapped-weights", SwappedWeights);
})();
