// Six ways to attend, each a square of queries and keys: what is computed as the text grows.
"use strict";

(() => {
  const SIDE = 128;
  const ORDER = ["full", "window", "buckets", "lowRank", "features", "latents"];

  // Rectangles [row, column, rows, columns] of what is computed for n positions when a query may see about b keys.
  const COMPUTED = {
    full: (n) => [[0, 0, n, n]],
    window(n, b) {
      const rows = Array.from({ length: n - 1 }, (_, k) => k + 1);
      const band = rows.map((i) => [i, Math.max(1, i - b / 2), 1, Math.min(n - 1, i + b / 2) - Math.max(1, i - b / 2) + 1]);
      return [[0, 0, 1, n], [1, 0, n - 1, 1], ...band];
    },
    buckets(n, b) {
      const cells = [];
      for (let i = 0; i < n; i += 1) {
        const start = i - (i % b);
        const end = Math.min(start + b, n);
        if (i > start) cells.push([i, start, 1, i - start]);
        if (i + 1 < end) cells.push([i, i + 1, 1, end - i - 1]);
      }
      return cells;
    },
    lowRank: (n, b) => [[0, 0, n, b]],
    features: (n, b) => [[0, 0, n, b], [0, 0, b, n]],
    latents: (n, b) => [[0, 0, b, n]],
  };

  class AttentionSquares extends CourseFigure {
    static words = {
      ko: {
        picture: "행은 질의, 열은 키인 네모 여섯. 칠한 곳이 계산하는 것입니다",
        length: "길이 n",
        budget: "예산 b",
        names: { full: "모두", window: "창과 전역 위치", buckets: "버킷 (정렬한 뒤)", lowRank: "저랭크", features: "무작위 특징", latents: "잠재 벡터" },
        count: (cells, share) => `${cells}개 · ${share}%`,
        say: (n, full, window, fuller, wider) =>
          `길이 ${n}에서 모두 보면 ${full}개, 창과 전역 위치는 ${window}개를 계산합니다. 길이를 두 배로 늘리면 앞의 것은 ${fuller}배, 뒤의 것은 ${wider}배가 됩니다.`,
      },
      en: {
        picture: "six squares; rows are queries, columns are keys; what is filled is computed",
        length: "length n",
        budget: "budget b",
        names: { full: "full", window: "window and global", buckets: "buckets (sorted)", lowRank: "low rank", features: "random features", latents: "latents" },
        count: (cells, share) => `${cells} · ${share}%`,
        say: (n, full, window, fuller, wider) =>
          `At length ${n}, full attention computes ${full} numbers, window and global positions ${window}. Doubling the length multiplies the first by ${fuller} and the second by ${wider}.`,
      },
    };

    state = { n: 16, b: 4 };

    count(way, n = this.state.n) {
      if (way === "features") return 2 * n * this.state.b; // two thin matrices, which overlap in the drawing only
      return COMPUTED[way](n, this.state.b).reduce((sum, [, , rows, columns]) => sum + rows * columns, 0);
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      this.picture = svg("svg", { viewBox: "0 0 360 582", role: "img", "aria-label": words.picture });
      this.picture.style.maxWidth = "28rem";
      this.squares = Object.fromEntries(
        ORDER.map((way, k) => {
          const x = 26 + 180 * (k % 2);
          const y = 48 + 194 * Math.floor(k / 2);
          const text = (dy, content, attributes) => svg("text", { x: x + SIDE / 2, y: y + dy, "text-anchor": "middle", ...attributes }, content);
          const filled = svg("path", { transform: `translate(${x} ${y})`, fill: "var(--course-accent, #1f5fa8)", "fill-opacity": 0.75 });
          const count = text(-10, "", { "font-size": 13.5 });
          this.picture.append(
            text(-28, words.names[way], { "font-size": 15, "font-weight": 600 }), count,
            svg("rect", { x, y, width: SIDE, height: SIDE, fill: "none", stroke: "currentColor", "stroke-opacity": 0.6 }), filled,
          );
          return [way, { filled, count }];
        }),
      );
      stage.append(
        html("div", { class: "lf-controls" },
          this.slider(words.length, { key: "n", min: 8, max: 64, step: 8 }),
          this.slider(words.budget, { key: "b", min: 2, max: 8, step: 2 }),
        ),
        this.picture,
      );
    }

    draw() {
      const { n, b } = this.state;
      const cell = SIDE / n;
      const gap = n > 32 ? 0 : 0.6;
      const number = (value) => value.toLocaleString("en-US");
      for (const way of ORDER) {
        const { filled, count } = this.squares[way];
        const cells = COMPUTED[way](n, b).flatMap(([row, column, rows, columns]) =>
          Array.from({ length: rows * columns }, (_, k) => [row + Math.floor(k / columns), column + (k % columns)]),
        );
        const path = cells.map(([i, j]) => `M${(j * cell).toFixed(2)} ${(i * cell).toFixed(2)}h${(cell - gap).toFixed(2)}v${(cell - gap).toFixed(2)}h${(gap - cell).toFixed(2)}z`);
        filled.setAttribute("d", path.join(""));
        count.textContent = this.words.count(number(this.count(way)), Math.round((100 * this.count(way)) / n ** 2));
      }
      const growth = (way) => (this.count(way, 2 * n) / this.count(way)).toFixed(1);
      this.say(this.words.say(n, number(this.count("full")), number(this.count("window")), growth("full"), growth("window")));
    }
  }

  customElements.define("course-attention-squares", AttentionSquares);
})();
