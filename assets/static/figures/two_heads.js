// One word of 나는 집에 간다 in two heads, who and where: scores, weights, outputs joined and sent back to the features.
"use strict";

(() => {
  const WORDS = ["나는", "집에", "간다"];
  const VECTORS = [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, -1]]; // person, place, motion, noun + or verb −
  const MOTION = 2;
  const SOUGHT = [0, 1]; // head 1 looks for the person, head 2 for the place
  const HOME = [0, MOTION, 1, MOTION]; // the feature to which W^O sends each number of the joined vector
  const COLOURS = ["var(--course-accent, #1f5fa8)", "var(--course-accent-2, #a34f00)"];
  const FILLS = ["var(--course-fill, #dbe8f6)", "var(--course-fill-2, #fbe6cf)"];
  const CELL = 82;
  const cellAt = (i) => 6 + 86 * i; // left edge of a cell of four

  const pair = (vector, digits) => `(${vector.map((part) => part.toFixed(digits)).join(", ")})`;

  class TwoHeads extends CourseFigure {
    static words = {
      ko: {
        picture: "두 헤드의 질의, 점수, 가중치, 출력과 이어 붙인 벡터",
        word: "질의하는 단어",
        heads: ["헤드 1: 누가", "헤드 2: 어디로"],
        on: (head) => `헤드 ${head} 켜기`,
        query: "질의",
        score: "점수",
        weight: "가중치",
        output: "출력",
        joined: "이어 붙인 벡터",
        back: "가 돌려보낸 특징",
        features: ["사람", "곳", "움직임", "명사/동사"],
        say: (word, joined, output) => `‘${word}’의 이어 붙인 벡터는 ${joined}, 돌려보낸 특징은 ${output}입니다.`,
        off: (head) => ` 헤드 ${head}의 자리는 비었습니다.`,
      },
      en: {
        picture: "queries, scores, weights and outputs of two heads, and the joined vector",
        word: "word that asks",
        heads: ["head 1: who", "head 2: where"],
        on: (head) => `head ${head} on`,
        query: "query",
        score: "score",
        weight: "weight",
        output: "output",
        joined: "joined vector",
        back: " sends back to the features",
        features: ["person", "place", "motion", "noun/verb"],
        say: (word, joined, output) => `The joined vector of ‘${word}’ is ${joined}; the features sent back are ${output}.`,
        off: (head) => ` The places of head ${head} are empty.`,
      },
    };

    state = { word: 2, first: true, second: true };

    attend() {
      const asking = VECTORS[this.state.word];
      const heads = SOUGHT.map((sought, h) => {
        const query = [3 * asking[MOTION], 3 * asking[sought]];
        const keys = VECTORS.map((vector) => [vector[sought], vector[MOTION]]); // they are the values too
        const scores = keys.map((key) => (query[0] * key[0] + query[1] * key[1]) / Math.SQRT2);
        const weights = CourseFigure.softmax(scores);
        const on = [this.state.first, this.state.second][h];
        const output = [0, 1].map((i) => (on ? weights.reduce((sum, weight, j) => sum + weight * keys[j][i], 0) : 0));
        return { query, scores, weights, output, on };
      });
      const joined = heads.flatMap((head) => head.output);
      const output = VECTORS[0].map((_, feature) => joined.reduce((sum, part, i) => sum + (HOME[i] === feature ? part : 0), 0));
      return { heads, joined, output };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content = "", attributes = {}) => svg("text", { x, y, "font-size": 14, ...attributes }, content);
      const middle = { "text-anchor": "middle" };
      const bold = { "font-weight": 600 };
      const picture = svg("svg", { viewBox: "0 0 352 384", role: "img", "aria-label": words.picture });
      picture.style.maxWidth = "28rem";
      this.heads = words.heads.map((label, h) => {
        const left = 4 + 178 * h;
        const panel = picture.appendChild(svg("g"));
        const put = (element) => panel.appendChild(element);
        put(text(left, 18, label, { ...bold, style: `fill: ${COLOURS[h]}` }));
        const query = put(text(left, 40));
        put(text(left + 68, 62, words.score, { "font-size": 12.5, "text-anchor": "end" }));
        put(text(left + 76, 62, words.weight, { "font-size": 12.5 }));
        const rows = WORDS.map((word, j) => {
          const y = 84 + 26 * j;
          put(text(left, y, word));
          return {
            score: put(text(left + 68, y, "", { "text-anchor": "end" })),
            bar: put(svg("rect", { x: left + 76, y: y - 14, height: 18, rx: 2, fill: COLOURS[h] })),
            weight: put(text(0, y, "", bold)),
          };
        });
        put(svg("path", { d: CourseFigure.arrow(left + 84, 172, left + 84, 202, 7), stroke: COLOURS[h], "stroke-width": 2, fill: "none" }));
        const output = put(text(left, 164));
        return { panel, left, query, rows, output };
      });
      const cells = (top, fillOf) => [0, 1, 2, 3].map((i) => {
        const box = svg("rect", { x: cellAt(i), y: top, width: CELL, height: 30, rx: 3, fill: fillOf(i), stroke: "currentColor", "stroke-opacity": 0.5 });
        const number = text(cellAt(i) + CELL / 2, top + 21, "", { ...middle, ...bold });
        picture.append(box, number);
        return number;
      });
      this.joined = cells(206, (i) => FILLS[i >> 1]);
      this.output = cells(332, () => "none");
      this.routes = HOME.map((feature, i) => {
        const [from, to] = [cellAt(i) + CELL / 2, cellAt(feature) + CELL / 2 + (feature === MOTION ? (i - 2) * 8 : 0)];
        return picture.appendChild(svg("path", { d: CourseFigure.arrow(from, 238, to, 308, 7), stroke: COLOURS[i >> 1], "stroke-width": 2, fill: "none" }));
      });
      picture.append(
        text(176, 197, words.joined, { ...middle, "font-size": 12.5 }),
        ...words.features.map((feature, i) => text(cellAt(i) + CELL / 2, 325, feature, { ...middle, "font-size": 12.5 })),
        svg("text", { x: 176, y: 380, ...middle, "font-size": 12.5 },
          "W", svg("tspan", { dy: -5 }, "O"), svg("tspan", { dy: 5 }, words.back)),
      );
      stage.append(
        html("div", { class: "lf-controls" },
          this.choice(words.word, { key: "word", options: WORDS.map((word, j) => [j, word]) }),
          this.toggle(words.on(1), { key: "first" }),
          this.toggle(words.on(2), { key: "second" })),
        picture,
      );
    }

    draw() {
      const { heads, joined, output } = this.attend();
      heads.forEach(({ query, scores, weights, output: part, on }, h) => {
        const shown = this.heads[h];
        shown.panel.setAttribute("opacity", on ? 1 : 0.45);
        shown.query.textContent = `${this.words.query} ${pair(query, 0)}`;
        shown.output.textContent = `${this.words.output} ${pair(part, 3)}`;
        shown.rows.forEach(({ score, bar, weight }, j) => {
          const width = 60 * weights[j];
          score.textContent = scores[j].toFixed(1);
          bar.setAttribute("width", width.toFixed(1));
          weight.setAttribute("x", (shown.left + 80 + width).toFixed(1));
          weight.textContent = weights[j].toFixed(2);
        });
      });
      joined.forEach((part, i) => {
        this.joined[i].textContent = part.toFixed(3);
        this.routes[i].setAttribute("opacity", heads[i >> 1].on ? 1 : 0.2);
      });
      output.forEach((part, i) => (this.output[i].textContent = part.toFixed(3)));
      const off = heads.map(({ on }, h) => (on ? "" : this.words.off(h + 1))).join("");
      this.say(this.words.say(WORDS[this.state.word], pair(joined, 3), pair(output, 3)) + off);
    }
  }

  customElements.define("course-two-heads", TwoHeads);
})();
