// Six pictures and six captions in one space: every cosine, and the softmax of a row or a column.
"use strict";

(() => {
  const GRID = { x: 48, y: 64, width: 40, height: 40 };
  const BARS = { x: 296 };

  class CaptionTable extends CourseFigure {
    static words = {
      ko: {
        picture: "행은 숫자 그림 여섯, 열은 글 여섯, 칸은 코사인, 오른쪽과 아래는 고른 방향의 확률",
        inks: ["흐린", "진한"],
        digits: [..."영일이삼사오육칠팔구"],
        direction: "고르는 쪽", row: "그림이 글을", column: "글이 그림을", scale: "곱하는 수",
        cell: (i, j) => `그림 ${i + 1}과 글 ${j + 1}`,
        say: (i, j, cosine, chance, loss) => `그림 ${i + 1}과 글 ${j + 1}: 코사인 ${cosine}, 확률 ${chance}. 여섯 짝의 손실 ${loss}.`,
      },
      en: {
        picture: "rows are six pictures of digits, columns six captions, cells their cosines, to the right or below the chosen direction's probabilities",
        inks: ["pale", "dark"],
        digits: [..."0123456789"],
        direction: "who chooses", row: "picture a caption", column: "caption a picture", scale: "scale",
        cell: (i, j) => `picture ${i + 1} and caption ${j + 1}`,
        say: (i, j, cosine, chance, loss) => `Picture ${i + 1} and caption ${j + 1}: cosine ${cosine}, probability ${chance}. Loss of the six pairs ${loss}.`,
      },
    };

    state = { direction: "row", scale: 4, at: [2, 2] };

    // Softmax of every row, or of every column, still indexed [picture][caption].
    chances() {
      const { direction, scale } = this.state;
      const scores = this.data.cosines.map((row) => row.map((cosine) => scale * cosine));
      const turn = (table) => (direction === "row" ? table : table[0].map((_, j) => table.map((row) => row[j])));
      const softmax = (row) => {
        const most = Math.max(...row);
        const exps = row.map((score) => Math.exp(score - most));
        const sum = exps.reduce((a, b) => a + b);
        return exps.map((e) => e / sum);
      };
      return turn(turn(scores).map(softmax));
    }

    // The symmetric loss of the six pairs, whichever direction is shown.
    loss() {
      const shown = this.state.direction;
      const of = (direction) => {
        this.state.direction = direction;
        return this.chances().map((row, i) => -Math.log(row[i]));
      };
      const losses = [...of("row"), ...of("column")];
      this.state.direction = shown;
      return losses.reduce((a, b) => a + b) / losses.length;
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content, size = 12) => svg("text", { x, y, "font-size": size, "text-anchor": "middle", "pointer-events": "none" }, content);
      const { pictures, kinds } = this.data;
      const n = kinds.length;
      this.picture = svg("svg", { viewBox: `0 0 360 ${GRID.y + n * GRID.height + 66}`, role: "group", "aria-label": words.picture });
      this.picture.style.maxWidth = "34rem";
      kinds.forEach((kind, j) => {
        const x = GRID.x + (j + 0.5) * GRID.width;
        this.picture.append(text(x, 40, words.inks[kind % 2]), text(x, 56, words.digits[Math.floor(kind / 2)]), text(x, 20, String(j + 1), 11));
      });
      pictures.forEach((picture, i) => {
        const top = GRID.y + i * GRID.height + 4;
        this.picture.append(text(5, top + 20, String(i + 1), 11));
        picture.forEach((row, y) =>
          row.forEach((ink, x) => ink && this.picture.append(svg("rect", { x: 12 + 4 * x, y: top + 4 * y, width: 4, height: 4, fill: "currentColor", "fill-opacity": (ink / 16).toFixed(2) }))),
        );
      });
      this.cells = kinds.map((_, i) =>
        kinds.map((_, j) => {
          const [x, y] = [GRID.x + j * GRID.width, GRID.y + i * GRID.height];
          const plate = svg("rect", { x: x + 2, y: y + 2, width: GRID.width - 4, height: GRID.height - 4, rx: 3, fill: "var(--course-accent, #1f5fa8)", "stroke-width": 2.5, tabindex: 0, role: "button", "aria-label": words.cell(i, j) });
          plate.style.cursor = "pointer";
          const choose = () => this.set({ at: [i, j] });
          plate.addEventListener("click", choose);
          plate.addEventListener("focus", choose);
          plate.addEventListener("keydown", (event) => {
            const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
            if (!step) return;
            event.preventDefault();
            this.cells[(i + step[0] + n) % n][(j + step[1] + n) % n].plate.focus();
          });
          const number = text(x + GRID.width / 2, y + GRID.height / 2 + 4);
          this.picture.append(plate, number);
          return { plate, number };
        }),
      );
      this.bars = kinds.map(() => {
        const bar = svg("rect", { fill: "var(--course-accent-2, #a34f00)" });
        const share = text(0, 0, "", 11);
        this.picture.append(bar, share);
        return { bar, share };
      });
      stage.append(
        html("div", { class: "lf-controls" },
          this.choice(words.direction, { key: "direction", options: [["row", words.row], ["column", words.column]] }),
          this.slider(words.scale, { key: "scale", min: 1, max: 40 }),
        ),
        this.picture,
      );
    }

    draw() {
      const { direction, at: [i, j] } = this.state;
      const { cosines } = this.data;
      const chances = this.chances();
      const signed = (value) => value.toFixed(2).replace(/^-(?!0\.00)/, "−").replace("-", "");
      const across = direction === "row";
      this.cells.forEach((row, a) =>
        row.forEach(({ plate, number }, b) => {
          plate.setAttribute("fill-opacity", (0.04 + 0.36 * chances[a][b]).toFixed(3));
          plate.setAttribute("stroke", a === i && b === j ? "currentColor" : (across ? a === i : b === j) ? "var(--course-accent-2, #a34f00)" : "none");
          number.textContent = signed(cosines[a][b]);
        }),
      );
      const bottom = GRID.y + this.cells.length * GRID.height;
      this.bars.forEach(({ bar, share }, k) => {
        const chance = across ? chances[i][k] : chances[k][j];
        const [x, y] = across ? [GRID.x + (k + 0.5) * GRID.width, bottom + 44] : [BARS.x, GRID.y + (k + 0.5) * GRID.height];
        const place = across ? { x: x - 9, y: y - 38 * chance, width: 18, height: 38 * chance + 0.5 } : { x, y: y - 9, width: 26 * chance + 0.5, height: 18 };
        for (const [name, value] of Object.entries(place)) bar.setAttribute(name, value.toFixed(1));
        share.setAttribute("x", across ? x : BARS.x + 45);
        share.setAttribute("y", across ? bottom + 58 : y + 4);
        share.textContent = chance.toFixed(2);
      });
      this.say(this.words.say(i, j, signed(cosines[i][j]), chances[i][j].toFixed(2), this.loss().toFixed(2)));
    }
  }

  customElements.define("course-caption-table", CaptionTable);
})();
