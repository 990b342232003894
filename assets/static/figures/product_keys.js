// Product keys: two halves of a query choose among few sub-keys each; the best slots are among the pairs of the chosen.
"use strict";

(() => {
  const HALF_KEYS = [
    [[1.0, 0.3], [0.6, 1.1], [-0.4, 0.9], [-1.1, 0.4], [-0.8, -0.7], [0.1, -1.2], [0.9, -0.8], [0.3, 0.4]],
    [[0.9, 0.7], [0.1, 1.1], [-0.7, 0.8], [-1.0, -0.2], [-0.4, -1.0], [0.6, -0.9], [1.2, -0.1], [-0.3, 0.3]],
  ];
  const n = HALF_KEYS[0].length;
  const UNIT = 38; // a length of 1, in the two planes
  const PLANES = [{ x: 92, y: 104 }, { x: 268, y: 104 }];
  const REACH = 72; // how far a query may be dragged
  const CELL = 35;
  const GRID = { x: 72, y: 238 };
  const COLOURS = ["var(--course-accent, #1f5fa8)", "var(--course-accent-2, #a34f00)"];
  const LETTERS = ["a", "b"];

  const dot = ([x, y], [u, v]) => 2 * (x * u + y * v);
  // Places of the largest, as torch's topk gives them: the largest first.
  const topk = (scores, k) => scores.map((_, i) => i).sort((i, j) => scores[j] - scores[i]).slice(0, k);

  class ProductKeys extends CourseFigure {
    static words = {
      ko: {
        picture: "위는 두 벌의 반쪽 키와 질의의 두 절반, 아래는 슬롯 예순넷의 점수",
        query: (half) => (half ? "질의의 뒤 절반" : "질의의 앞 절반"),
        half: ["앞 절반", "뒤 절반"],
        wanted: "찾을 슬롯 k",
        perHalf: "절반마다 고르는 수",
        say: (compared, all, k, missed) =>
          `반쪽 키 ${2 * n}개와 짝 ${compared - 2 * n}개, 모두 ${compared}번 비교했습니다. 슬롯을 다 비교하면 ${all}번입니다. ` +
          (missed ? `가장 큰 ${k}개 가운데 ${missed}개를 놓쳤습니다.` : `가장 큰 ${k}개를 모두 찾았습니다.`),
      },
      en: {
        picture: "above, two sets of sub-keys and the two halves of the query; below, the scores of sixty-four slots",
        query: (half) => (half ? "second half of the query" : "first half of the query"),
        half: ["1st half", "2nd half"],
        wanted: "slots to find, k",
        perHalf: "candidates per half",
        say: (compared, all, k, missed) =>
          `${2 * n} sub-keys and ${compared - 2 * n} pairs: ${compared} comparisons; comparing with every slot would take ${all}. ` +
          (missed ? `${missed} of the top ${k} are missed.` : `All of the top ${k} are found.`),
      },
    };

    state = { k: 4, perHalf: 4, queries: [[0.8, 1.6], [0.4, 1.7]] };

    search() {
      const { k, perHalf, queries } = this.state;
      const scores = HALF_KEYS.map((keys, half) => keys.map((key) => dot(key, queries[half])));
      const slots = scores[0].flatMap((first) => scores[1].map((second) => first + second));
      const chosen = scores.map((half) => topk(half, perHalf));
      const pairs = chosen[0].flatMap((i) => chosen[1].map((j) => i * n + j));
      const found = topk(pairs.map((slot) => slots[slot]), k).map((place) => pairs[place]);
      return { scores, slots, chosen, pairs, found, best: topk(slots, k) };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 13, "text-anchor": "middle", ...attributes }, content);
      this.picture = svg("svg", { viewBox: `0 0 360 ${GRID.y + n * CELL + 4}`, role: "group", "aria-label": words.picture });
      this.picture.style.maxWidth = "34rem";
      this.halves = PLANES.map((centre, half) => this.plane(centre, half, text));
      this.cells = Array.from({ length: n * n }, (_, slot) => {
        const [x, y] = [GRID.x + (slot % n) * CELL, GRID.y + Math.floor(slot / n) * CELL];
        const plate = svg("rect", { x: x + 1.5, y: y + 1.5, width: CELL - 3, height: CELL - 3, rx: 3 });
        const number = text(x + CELL / 2, y + CELL / 2 + 4.5, "", { "font-size": 12.5 });
        this.picture.append(plate, number);
        return { plate, number };
      });
      stage.append(
        html("div", { class: "lf-controls" },
          this.slider(words.wanted, { key: "k", min: 1, max: 6 }),
          this.slider(words.perHalf, { key: "perHalf", min: 1, max: n }),
        ),
        this.picture,
      );
    }

    // One set of sub-keys around a query's half, and its scores beside the grid.
    plane(centre, half, text) {
      const { svg } = CourseFigure;
      const colour = COLOURS[half];
      const at = ([x, y]) => [centre.x + UNIT * x, centre.y - UNIT * y];
      this.picture.append(
        svg("circle", { cx: centre.x, cy: centre.y, r: REACH + 4, fill: "none", stroke: "currentColor", "stroke-opacity": 0.25 }),
        text(centre.x, 12, this.words.half[half]),
      );
      const arrow = svg("line", { x1: centre.x, y1: centre.y, stroke: colour, "stroke-width": 3 });
      this.picture.append(arrow); // below the sub-keys, so that it hides no name
      const keys = HALF_KEYS[half].map((key, i) => {
        const [cx, cy] = at(key);
        const point = svg("circle", { cx, cy, r: 11, stroke: colour, "stroke-width": 1.5 });
        const name = text(cx, cy + 4.5, LETTERS[half] + i, { "font-size": 12.5 });
        this.picture.append(point, name);
        const along = (i + 0.5) * CELL;
        const [x, y] = half ? [GRID.x + along, GRID.y - 8] : [GRID.x - 6, GRID.y + along + 4.5];
        const score = text(x, y, "", { "font-size": 12.5, "text-anchor": half ? "middle" : "end", fill: colour });
        this.picture.append(score, half ? text(x, y - 16, LETTERS[half] + i, { "font-size": 12.5 }) : text(x - 36, y, LETTERS[half] + i, { "font-size": 12.5, "text-anchor": "end" }));
        return { point, name, score };
      });
      const tip = svg("circle", { r: 13, fill: colour });
      const label = text(0, 0, "q", { "pointer-events": "none", "font-weight": 600, style: "fill: var(--pst-color-background, #fff)" });
      this.draggable(tip, {
        label: this.words.query(half),
        at: () => at(this.state.queries[half]),
        place: (x, y) => {
          const [dx, dy] = [x - centre.x, y - centre.y];
          const shorten = Math.min(1, REACH / Math.hypot(dx, dy));
          const queries = [...this.state.queries];
          queries[half] = [(shorten * dx) / UNIT, (-shorten * dy) / UNIT];
          this.set({ queries });
        },
      });
      this.picture.append(tip, label);
      return { keys, arrow, tip, label, at };
    }

    draw() {
      const { k, perHalf, queries } = this.state;
      const { scores, slots, chosen, pairs, found, best } = this.search();
      this.halves.forEach(({ keys, arrow, tip, label, at }, half) => {
        const [x, y] = at(queries[half]);
        for (const [element, names] of [[arrow, ["x2", "y2"]], [tip, ["cx", "cy"]], [label, ["x", "y"]]]) {
          element.setAttribute(names[0], x);
          element.setAttribute(names[1], element === label ? y + 4.5 : y);
        }
        keys.forEach(({ point, score }, i) => {
          const picked = chosen[half].includes(i);
          point.setAttribute("fill", picked ? ["var(--course-fill, #dbe8f6)", "var(--course-fill-2, #fbe6cf)"][half] : "var(--pst-color-background, #fff)");
          point.setAttribute("stroke-opacity", picked ? 1 : 0.4);
          score.textContent = scores[half][i].toFixed(1).replace("-", "−");
          score.setAttribute("font-weight", picked ? 700 : 400);
          score.setAttribute("opacity", picked ? 1 : 0.65);
        });
      });
      this.cells.forEach(({ plate, number }, slot) => {
        const missed = best.includes(slot) && !found.includes(slot);
        const compared = pairs.includes(slot);
        const won = found.includes(slot);
        plate.setAttribute("fill", won ? COLOURS[0] : compared ? "var(--course-fill, #dbe8f6)" : "none");
        plate.setAttribute("stroke", missed ? "var(--course-wrong, #a3301d)" : "currentColor");
        plate.setAttribute("stroke-opacity", missed ? 1 : compared ? 0.4 : 0.15);
        plate.setAttribute("stroke-width", missed ? 3 : 1);
        number.textContent = compared || missed ? slots[slot].toFixed(1).replace("-", "−") : "";
        number.setAttribute("style", won ? "fill: var(--pst-color-background, #fff)" : "");
      });
      const missed = best.filter((slot) => !found.includes(slot)).length;
      this.say(this.words.say(2 * n + perHalf ** 2, n * n, k, missed));
    }
  }

  customElements.define("course-product-keys", ProductKeys);
})();
