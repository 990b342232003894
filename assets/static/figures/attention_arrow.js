// A query dragged among the keys of 나는 집에 간다: scores, weights and the weighted mean follow it.
"use strict";

(() => {
  const WORDS = ["나는", "집에", "간다"];
  const KEYS = [[2, 0], [0, 2], [-2, -2]]; // they are the values too, as in the chapter before
  const QUERIES = { I: [1, -1], go: [-1, -1], home: [-1, 1] };
  const REACH = 3; // the plane shows -3 … 3
  const UNIT = 52;
  const MIDDLE = { x: 176, y: 160 };
  const TOP_OF_ROWS = 356;
  const ROW = 34;
  const BAR = { x: 124, width: 172 };
  const QUERY = "var(--course-accent, #1f5fa8)";
  const KEY = "var(--course-accent-2, #a34f00)";
  const OUTPUT = "var(--course-right, #1a6b36)";

  const number = (value, digits = 2) => value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1").replace("-", "−");
  const pair = (vector, digits) => `(${number(vector[0], digits)}, ${number(vector[1], digits)})`;
  const onPlane = ([x, y]) => [MIDDLE.x + UNIT * x, MIDDLE.y - UNIT * y];

  class AttentionArrow extends CourseFigure {
    static words = {
      ko: {
        plane: "질의와 세 키의 화살표, 점수와 가중치와 출력",
        query: "질의",
        output: "출력",
        key: "키",
        score: "점수",
        weight: "가중치",
        drag: "질의의 끝",
        put: (word) => `${word}의 질의`,
        say: (query, most, weight, output) => `질의 ${query}의 가중치는 ‘${most}’에서 ${weight}로 가장 크고, 출력은 ${output}입니다.`,
      },
      en: {
        plane: "arrows of a query and three keys, with scores, weights and the output",
        query: "query",
        output: "output",
        key: "key",
        score: "score",
        weight: "weight",
        drag: "tip of the query",
        put: (word) => `query of ${word}`,
        say: (query, most, weight, output) => `For the query ${query} the largest weight, ${weight}, is that of ‘${most}’; the output is ${output}.`,
      },
    };

    state = { query: QUERIES.home };

    attend() {
      const [x, y] = this.state.query;
      const scores = KEYS.map((key) => x * key[0] + y * key[1]);
      const weights = CourseFigure.softmax(scores);
      const output = [0, 1].map((i) => weights.reduce((sum, weight, j) => sum + weight * KEYS[j][i], 0));
      return { scores, weights, output };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 14, "text-anchor": "middle", ...attributes }, content);
      const edge = (value) => onPlane([value, value]);
      const [[left, bottom], [right, top]] = [edge(-REACH), edge(REACH)];
      const picture = svg("svg", { viewBox: `0 0 352 ${TOP_OF_ROWS + 3 * ROW + 6}`, role: "group", "aria-label": words.plane });
      picture.style.maxWidth = "28rem";
      const ticks = [-2, -1, 1, 2];
      picture.append(
        svg("polygon", { points: KEYS.map(onPlane).join(" "), fill: "var(--course-fill-2, #fbe6cf)", "fill-opacity": 0.5 }),
        svg("path", { d: `M${left} ${MIDDLE.y}H${right}M${MIDDLE.x} ${top}V${bottom}`, stroke: "currentColor", "stroke-opacity": 0.5 }),
        ...ticks.map((tick) => text(onPlane([tick, 0])[0], bottom + 14, number(tick, 0), { "font-size": 12.5, opacity: 0.75 })),
        ...ticks.map((tick) => text(0, onPlane([0, tick])[1] + 4, number(tick, 0), { "font-size": 12.5, "text-anchor": "start", opacity: 0.75 })),
      );
      const line = (attributes) => picture.appendChild(svg("path", { fill: "none", "stroke-linejoin": "round", "stroke-linecap": "round", ...attributes }));
      this.ray = line({ stroke: QUERY, "stroke-width": 1, "stroke-dasharray": "2 4" });
      this.feet = line({ stroke: "currentColor", "stroke-dasharray": "5 4", "stroke-opacity": 0.7 });
      const places = [[10, -12], [0, -10], [8, 20]]; // of the keys' names, beside their tips
      KEYS.forEach((key, j) => {
        const [x, y] = onPlane(key);
        line({ d: CourseFigure.arrow(MIDDLE.x, MIDDLE.y, x, y), stroke: KEY, "stroke-width": 3 });
        picture.append(text(x + places[j][0], y + places[j][1], WORDS[j], { "font-weight": 600, style: `fill: ${KEY}` }));
      });
      this.outputArrow = line({ stroke: OUTPUT, "stroke-width": 4 });
      this.queryArrow = line({ stroke: QUERY, "stroke-width": 4 });
      this.outputName = text(0, 0, words.output, { "font-weight": 600, style: `fill: ${OUTPUT}` });
      this.queryName = text(0, 0, words.query, { "font-weight": 600, style: `fill: ${QUERY}` });
      const place = (x, y) => {
        const within = (value) => Math.min(Math.max(Math.round(value * 10) / 10, 0.1 - REACH), REACH - 0.1);
        this.set({ query: [within((x - MIDDLE.x) / UNIT), within((MIDDLE.y - y) / UNIT)] });
      };
      this.handle = svg("g", {}, svg("circle", { r: 18, fill: "transparent" }), svg("circle", { r: 7, fill: QUERY }));
      this.draggable(this.handle, { label: words.drag, place, at: () => onPlane(this.state.query), nudge: UNIT / 10 });
      const baseline = (j) => TOP_OF_ROWS + j * ROW + 22;
      picture.append(
        this.outputName, this.queryName, this.handle,
        text(32, TOP_OF_ROWS - 2, words.key, { "font-size": 13 }),
        text(112, TOP_OF_ROWS - 2, words.score, { "font-size": 13, "text-anchor": "end" }),
        text(BAR.x, TOP_OF_ROWS - 2, words.weight, { "font-size": 13, "text-anchor": "start" }),
      );
      this.rows = WORDS.map((word, j) => {
        const score = text(112, baseline(j), "", { "text-anchor": "end" });
        const bar = svg("rect", { x: BAR.x, y: baseline(j) - 15, height: 20, rx: 2, fill: KEY });
        const weight = text(0, baseline(j), "", { "text-anchor": "start", "font-weight": 600 });
        picture.append(text(32, baseline(j), word, { "font-weight": 600, style: `fill: ${KEY}` }), bar, score, weight);
        return { score, bar, weight };
      });
      stage.append(
        html("div", { class: "lf-controls" },
          ...Object.entries(QUERIES).map(([word, query]) => this.button(`${words.put(word)} ${pair(query, 0)}`, () => this.set({ query })))),
        picture,
      );
    }

    draw() {
      const { query } = this.state;
      const { scores, weights, output } = this.attend();
      const length = query[0] ** 2 + query[1] ** 2;
      const name = (element, vector, [dx, dy]) => {
        const [x, y] = onPlane(vector);
        element.setAttribute("x", (x + dx).toFixed(1));
        element.setAttribute("y", (y + dy).toFixed(1));
      };
      const [tipX, tipY] = onPlane(query);
      const feet = length ? KEYS.map((key, j) => [key, query.map((part) => (part * scores[j]) / length)]) : [];
      const far = length ? query.map((part) => (part * 3) / Math.max(...query.map(Math.abs))) : [0, 0];
      this.ray.setAttribute("d", `M${onPlane(far)}L${onPlane(far.map((part) => -part))}`);
      this.feet.setAttribute("d", feet.map(([key, foot]) => `M${onPlane(key)}L${onPlane(foot)}`).join(""));
      this.queryArrow.setAttribute("d", CourseFigure.arrow(MIDDLE.x, MIDDLE.y, tipX, tipY, 13));
      this.outputArrow.setAttribute("d", CourseFigure.arrow(MIDDLE.x, MIDDLE.y, ...onPlane(output), 13));
      this.handle.setAttribute("transform", `translate(${tipX.toFixed(1)} ${tipY.toFixed(1)})`);
      name(this.queryName, query, [query[0] < 0 ? -26 : 26, query[1] < 0 ? 18 : -8]);
      name(this.outputName, output, [output[0] < 0 ? -24 : 24, output[1] < 0 ? 18 : 2]);
      this.rows.forEach(({ score, bar, weight }, j) => {
        const width = Math.max(BAR.width * weights[j], 1);
        score.textContent = number(scores[j], 1);
        bar.setAttribute("width", width.toFixed(1));
        weight.setAttribute("x", (BAR.x + width + 6).toFixed(1));
        weight.textContent = weights[j].toFixed(3);
      });
      const most = weights.indexOf(Math.max(...weights));
      this.say(this.words.say(pair(query, 1), WORDS[most], weights[most].toFixed(3), pair(output)));
    }
  }

  customElements.define("course-attention-arrow", AttentionArrow);
})();
