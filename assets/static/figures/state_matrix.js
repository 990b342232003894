// A state that pairs of a key and a value are written into, by adding, forgetting or correcting, and what each key reads back.
"use strict";

(() => {
  const KEYS = [[1, 0, 0], [0.6, 0.8, 0], [0, 0, 1]]; // a and b are alike, c is orthogonal to both
  const NAMES = ["a", "b", "c"];
  const START = [[0, 0], [1, 1], [0, 2]]; // a ← 1, b ← 2, a ← 3
  const MOST = 12; // writes that are kept
  const CELL = 40;
  const GRID = { x: 26, y: 34 };
  const BARS = { x: 206, y: 34, half: 62, unit: 31 }; // a bar of 1 is 31 wide; longer ones are cut at 2

  class StateMatrix extends CourseFigure {
    static words = {
      ko: {
        picture: "상태의 아홉 칸과, 키마다 읽은 세 값의 막대",
        rule: "규칙",
        rules: { add: "더하기", decay: "잊기", delta: "델타", gated: "잊기와 델타" },
        key: "키",
        value: "값",
        write: "적기",
        clear: "비우기",
        state: "상태",
        reads: "읽은 것",
        say: (written, reads) => (written ? `적은 순서: ${written}. ` : "아무것도 적지 않았습니다. ") + `읽으면 ${reads}.`,
        of: (key, values) => `${key}는 ${values}`,
      },
      en: {
        picture: "the nine cells of the state, and bars of the three values that each key reads",
        rule: "rule",
        rules: { add: "add", decay: "forget", delta: "delta", gated: "forget and delta" },
        key: "key",
        value: "value",
        write: "Write",
        clear: "Clear",
        state: "state",
        reads: "what is read",
        say: (written, reads) => (written ? `Written in this order: ${written}. ` : "Nothing is written. ") + `What is read: ${reads}.`,
        of: (key, values) => `${key} gives ${values}`,
      },
    };

    state = { rule: "add", key: 0, value: 0, left: 0.7, beta: 1, written: START };

    // The state after all that was written, 3 x 3: rows of the key's width, a column a value.
    matrix() {
      const { rule, left, beta, written } = this.state;
      const forgets = rule === "decay" || rule === "gated";
      const corrects = rule === "delta" || rule === "gated";
      let S = KEYS.map(() => [0, 0, 0]);
      for (const [key, value] of written) {
        const k = KEYS[key];
        S = S.map((row) => row.map((x) => (forgets ? left * x : x)));
        const found = [0, 1, 2].map((column) => (corrects ? k.reduce((sum, x, row) => sum + x * S[row][column], 0) : 0));
        const share = corrects ? beta : 1;
        S = S.map((row, i) => row.map((x, column) => x + share * k[i] * ((column === value ? 1 : 0) - found[column])));
      }
      return S;
    }

    reads() {
      const S = this.matrix();
      return KEYS.map((k) => [0, 1, 2].map((column) => k.reduce((sum, x, row) => sum + x * S[row][column], 0)));
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      this.picture = svg("svg", { viewBox: "0 0 360 176", role: "img", "aria-label": words.picture });
      this.picture.style.maxWidth = "36rem";
      const label = (x, y, text, anchor = "middle") => svg("text", { x, y, "font-size": 13, "text-anchor": anchor }, text);
      this.picture.append(label(GRID.x + 1.5 * CELL, 13, words.state), label(BARS.x + BARS.half, 13, words.reads));
      this.cells = [0, 1, 2].map((row) =>
        [0, 1, 2].map((column) => {
          const [x, y] = [GRID.x + column * CELL, GRID.y + row * CELL];
          const fill = svg("rect", { x, y, width: CELL, height: CELL, stroke: "currentColor", "stroke-opacity": 0.4 });
          const number = svg("text", { x: x + CELL / 2, y: y + CELL / 2 + 5, "font-size": 13, "text-anchor": "middle" });
          this.picture.append(fill, number);
          return { fill, number };
        }),
      );
      [0, 1, 2].forEach((column) => this.picture.append(label(GRID.x + (column + 0.5) * CELL, 28, String(column + 1))));
      this.bars = NAMES.map((name, key) => {
        const top = BARS.y + key * CELL;
        this.picture.append(label(BARS.x - 14, top + 24, name), svg("path", { d: `M${BARS.x + BARS.half / 2} ${top + 1}v36`, stroke: "currentColor", "stroke-opacity": 0.4 }));
        return [0, 1, 2].map((value) => {
          const bar = svg("rect", { y: top + 2 + 12 * value, height: 10, "stroke-width": 2, fill: "var(--course-accent, #1f5fa8)" });
          const number = svg("text", { x: 356, y: top + 11 + 12 * value, "font-size": 11, "text-anchor": "end" });
          this.picture.append(bar, number);
          return { bar, number };
        });
      });
      const write = this.button(words.write, () => this.set({ written: [...this.state.written, [this.state.key, this.state.value]].slice(-MOST) }));
      const clear = this.button(words.clear, () => this.set({ written: [] }));
      stage.append(
        html("div", { class: "lf-controls" },
          this.choice(words.rule, { key: "rule", options: Object.entries(words.rules) }),
          this.choice(words.key, { key: "key", options: NAMES.map((name, i) => [i, name]) }),
          this.choice(words.value, { key: "value", options: [0, 1, 2].map((i) => [i, String(i + 1)]) }),
          html("div", { class: "lf-buttons" }, write, clear),
          this.slider("eᵍ", { key: "left", min: 0, max: 1, step: 0.1 }),
          this.slider("β", { key: "beta", min: 0, max: 1, step: 0.1 }),
        ),
        this.picture,
      );
    }

    draw() {
      const shown = (x) => (Math.round(100 * x) / 100 + 0).toFixed(2).replace(/^-0\.00$/, "0.00").replace("-", "−");
      this.matrix().forEach((row, i) =>
        row.forEach((x, column) => {
          const { fill, number } = this.cells[i][column];
          fill.setAttribute("fill", x < 0 ? "var(--course-accent-2, #a34f00)" : "var(--course-accent, #1f5fa8)");
          fill.setAttribute("fill-opacity", (Math.min(Math.abs(x), 2) * 0.2).toFixed(3));
          number.textContent = shown(x);
        }),
      );
      const reads = this.reads();
      reads.forEach((values, key) => {
        const last = [...this.state.written].reverse().find(([written]) => written === key)?.[1];
        values.forEach((x, value) => {
          const { bar, number } = this.bars[key][value];
          const zero = BARS.x + BARS.half / 2;
          const width = Math.min(Math.abs(x), 2.8) * BARS.unit;
          bar.setAttribute("x", x < 0 ? zero - Math.min(width, BARS.unit) : zero);
          bar.setAttribute("width", x < 0 ? Math.min(width, BARS.unit) : width);
          bar.setAttribute("fill-opacity", value === last ? 1 : 0.45);
          bar.setAttribute("stroke", value === last ? "var(--course-accent-2, #a34f00)" : "none");
          number.textContent = shown(x);
        });
      });
      const written = this.state.written.map(([key, value]) => `${NAMES[key]}←${value + 1}`).join(", ");
      this.say(this.words.say(written, reads.map((values, key) => this.words.of(NAMES[key], values.map(shown).join(" "))).join(", ")));
    }
  }

  customElements.define("course-state-matrix", StateMatrix);
})();
