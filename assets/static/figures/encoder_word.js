// One word of 나는 집에 간다 through one encoder layer by hand: what each sublayer adds to it.
"use strict";

(() => {
  const WORDS = ["나는", "집에", "간다"];
  const VECTORS = [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, -1]]; // person, place, motion, noun + or verb −
  const W_1 = [[1, 0], [1, 0], [0, 1], [-1, 1]];
  const W_2 = [[0, 0, 1, 0], [0, 0, 0, 1]];
  const LEFT = 76;
  const CELL = 69;
  const ROW = 46;
  const TOP = 28;
  const UNIT = 12; // of a bar
  const LAST = 4;
  const IS = "var(--course-accent, #1f5fa8)";
  const ADDED = "var(--course-accent-2, #a34f00)";

  const plus = (a, b) => a.map((part, i) => part + b[i]);
  const times = (vector, matrix) => matrix[0].map((_, j) => vector.reduce((sum, part, i) => sum + part * matrix[i][j], 0));
  const norm = (vector) => {
    const mean = vector.reduce((sum, part) => sum + part, 0) / vector.length;
    const variance = vector.reduce((sum, part) => sum + (part - mean) ** 2, 0) / vector.length;
    return vector.map((part) => (part - mean) / Math.sqrt(variance + 1e-5));
  };
  // Two heads: one looks for the person, one for the place; W^O sends what they find back to the features.
  const gather = (asking) => {
    const gathered = [0, 0, 0, 0];
    for (const sought of [0, 1]) {
      const keys = VECTORS.map((vector) => [vector[sought], vector[2]]);
      const weights = CourseFigure.softmax(keys.map(([one, motion]) => (3 * (asking[2] * one + asking[sought] * motion)) / Math.SQRT2));
      weights.forEach((weight, j) => {
        gathered[sought] += weight * keys[j][0];
        gathered[2] += weight * keys[j][1];
      });
    }
    return gathered;
  };

  class EncoderWord extends CourseFigure {
    static words = {
      ko: {
        picture: "한 단어의 벡터가 인코더 층을 지나며 달라지는 것",
        word: "단어",
        shortcut: "잔차 연결",
        features: ["사람", "곳", "움직임", "명사/동사"],
        rows: [["x", "들어온 벡터"], ["어텐션", "이 더한 것"], ["y", "정규화"], ["뉴런", "이 더한 것"], ["z", "정규화"]],
        say: [
          (word, v) => `‘${word}’의 벡터는 ${v}입니다.`,
          (word, v) => `어텐션이 다른 단어에서 모은 것은 ${v}입니다.`,
          (word, v) => `더하고 정규화한 것은 ${v}입니다.`,
          (word, v) => `피드포워드의 뉴런이 더하는 것은 ${v}입니다.`,
          (word, v) => `다시 더하고 정규화한 ‘${word}’의 출력은 ${v}입니다.`,
        ],
      },
      en: {
        picture: "what happens to a word's vector in an encoder layer",
        word: "word",
        shortcut: "residual connection",
        features: ["person", "place", "motion", "noun/verb"],
        rows: [["x", "comes in"], ["attention", "adds"], ["y", "normed"], ["neurons", "add"], ["z", "normed"]],
        say: [
          (word, v) => `The vector of ‘${word}’ is ${v}.`,
          (word, v) => `Attention gathers ${v} from the words.`,
          (word, v) => `Added and normalised it is ${v}.`,
          (word, v) => `The neurons of the feed-forward network add ${v}.`,
          (word, v) => `Added and normalised again, the output of ‘${word}’ is ${v}.`,
        ],
      },
    };

    state = { word: 2, step: LAST, shortcut: true };

    pass() {
      const x = VECTORS[this.state.word];
      const keep = (vector, added) => norm(this.state.shortcut ? plus(vector, added) : added);
      const gathered = gather(x);
      const y = keep(x, gathered);
      const added = times(times(y, W_1).map((sum) => Math.max(sum, 0)), W_2);
      return [x, gathered, y, added, keep(y, added)];
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content = "", attributes = {}) => svg("text", { x, y, "font-size": 12.5, "text-anchor": "middle", ...attributes }, content);
      const picture = svg("svg", { viewBox: `0 0 352 ${TOP + (LAST + 1) * ROW}`, role: "img", "aria-label": words.picture });
      picture.style.maxWidth = "30rem";
      picture.append(...words.features.map((feature, f) => text(LEFT + CELL * (f + 0.5), 16, feature, { "font-weight": 600 })));
      this.rows = words.rows.map(([name, what], at) => {
        const y = TOP + ROW * at;
        const group = picture.appendChild(svg("g"));
        const adds = at % 2 === 1;
        group.append(
          text(2, y + 18, (adds ? "+ " : "") + name, { "text-anchor": "start", "font-weight": 600, "font-size": 14 }),
          text(adds ? 14 : 2, y + 34, what, { "text-anchor": "start" }),
        );
        const cells = words.features.map((_, f) => {
          const middle = LEFT + CELL * (f + 0.5);
          const bar = svg("rect", { y: y + 24, height: 12, fill: adds ? ADDED : IS });
          const number = text(middle, y + 18, "", { "font-size": 13.5 });
          group.append(svg("path", { d: `M${middle} ${y + 22}v16`, stroke: "currentColor", "stroke-opacity": 0.5 }), bar, number);
          return { middle, bar, number };
        });
        return { group, cells };
      });
      stage.append(
        html("div", { class: "lf-controls" },
          this.choice(words.word, { key: "word", options: WORDS.map((word, j) => [j, word]) }),
          this.toggle(words.shortcut, { key: "shortcut" })),
        this.steps({ last: LAST, seconds: 1.5 }),
        picture,
      );
    }

    draw() {
      const { word, step } = this.state;
      const passed = this.pass();
      const number = (value, digits) => value.toFixed(digits).replace(/^-(0\.0*)$/, "$1").replace("-", "−");
      passed.forEach((vector, at) => {
        const { group, cells } = this.rows[at];
        group.style.display = at > step ? "none" : "";
        cells.forEach(({ middle, bar, number: shown }, f) => {
          const width = Math.min(UNIT * Math.abs(vector[f]), CELL / 2 - 3);
          bar.setAttribute("x", (vector[f] < 0 ? middle - width : middle).toFixed(1));
          bar.setAttribute("width", width.toFixed(1));
          shown.textContent = number(vector[f], 3);
        });
      });
      this.say(this.words.say[step](WORDS[word], `(${passed[step].map((part) => number(part, 3)).join(", ")})`));
    }
  }

  customElements.define("course-encoder-word", EncoderWord);
})();
