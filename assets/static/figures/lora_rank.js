// How narrow a change may be: a frozen matrix and two thin ones to scale, and how much of a full fine-tuning they could hold.
"use strict";

(() => {
  const [OUT, IN] = [576, 192]; // c_attn of the book's GPT
  const SCALE = 0.27;
  const TOP = 34;
  const PLOT = { left: 44, right: 344, top: 258, bottom: 398 };
  const CURVES = [
    { key: "change", colour: "var(--course-accent-2, #a34f00)", dash: null },
    { key: "weight", colour: "var(--course-accent, #1f5fa8)", dash: "7 4" },
    { key: "chance", colour: "var(--course-muted, #57606a)", dash: "2 4" },
  ];

  class LoraRank extends CourseFigure {
    static words = {
      ko: {
        picture: "위는 행렬 W와 얇은 두 행렬 B, A를 같은 축척으로, 아래는 랭크 r에 담기는 몫",
        rank: "랭크 r",
        layer: "층",
        share: "랭크 r에 담기는 몫",
        curves: { change: "움직인 것", weight: "W 자신", chance: "무작위 행렬" },
        frozen: "동결",
        learn: "배우는 수",
        all: "W 전체",
        say: (r, count, percent, share, chance) => `랭크 ${r}이면 ${count}개, W의 ${percent}%를 배웁니다. 전체 파인튜닝이 움직인 것의 ${share}%가 담깁니다. 무작위 행렬이라면 ${chance}%입니다.`,
      },
      en: {
        picture: "above, the matrix W and two thin ones, B and A, to scale; below, what fits into rank r",
        rank: "rank r",
        layer: "layer",
        share: "share that fits into rank r",
        curves: { change: "what moved", weight: "W itself", chance: "random" },
        frozen: "frozen",
        learn: "learned",
        all: "all of W",
        say: (r, count, percent, share, chance) => `Rank ${r} trains ${count} numbers, ${percent}% of W. It captures ${share}% of the full fine-tuning update; of a random matrix, ${chance}%.`,
      },
    };

    state = { at: 3, layer: 0 };

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const { ranks } = this.data;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 14, "text-anchor": "middle", ...attributes }, content);
      const [tall, wide] = [OUT * SCALE, IN * SCALE];
      const small = { "font-size": 12.5 };
      this.picture = svg("svg", { viewBox: "0 0 360 440", role: "img", "aria-label": words.picture });
      this.picture.style.maxWidth = "34rem";
      const thin = { fill: "var(--course-accent-2, #a34f00)" };
      this.B = svg("rect", { y: TOP, height: tall, ...thin });
      this.A = svg("rect", { width: wide, ...thin });
      this.names = { B: text(0, TOP - 10, "B", { "font-weight": 600 }), A: text(0, TOP - 10, "A", { "font-weight": 600 }) };
      this.picture.append(
        svg("rect", { x: 30, y: TOP, width: wide, height: tall, rx: 2, fill: "var(--course-fill, #dbe8f6)", stroke: "var(--course-accent, #1f5fa8)" }),
        text(30 + wide / 2, TOP - 10, "W", { "font-weight": 600 }),
        text(30 + wide / 2, TOP + tall / 2 + 5, words.frozen, small),
        text(26, TOP + tall / 2 + 5, String(OUT), { ...small, "text-anchor": "end" }),
        text(30 + wide / 2, TOP + tall + 16, String(IN), small),
        text(30 + wide + 18, TOP + tall / 2 + 5, "+"),
        this.B, this.A, this.names.B, this.names.A,
      );
      this.count = text(352, TOP + tall - 16, "", { "text-anchor": "end", "font-weight": 600 });
      this.picture.append(this.count, text(352, TOP + tall + 4, `${words.all} ${(OUT * IN).toLocaleString("en-US")}`, { "text-anchor": "end", "font-size": 13 }));

      // Ranks on a logarithmic axis
      this.x = (rank) => PLOT.left + ((PLOT.right - PLOT.left) * Math.log(rank)) / Math.log(IN);
      this.y = (share) => PLOT.bottom - (PLOT.bottom - PLOT.top) * share;
      this.picture.append(
        svg("path", { d: `M${PLOT.left} ${PLOT.top}V${PLOT.bottom}H${PLOT.right}`, fill: "none", stroke: "currentColor", "stroke-opacity": 0.5 }),
        text(4, PLOT.top - 16, words.share, { "text-anchor": "start", "font-size": 13 }),
        text(PLOT.left - 6, PLOT.top + 9, "1", { ...small, "text-anchor": "end" }),
        text(PLOT.left - 6, PLOT.bottom, "0", { ...small, "text-anchor": "end" }),
        ...[1, 4, 16, 64, 192].map((rank) => text(this.x(rank), PLOT.bottom + 16, String(rank), small)),
        text(PLOT.right + 12, PLOT.bottom + 4, "r", small),
      );
      this.cursor = svg("line", { y1: PLOT.top, y2: PLOT.bottom, stroke: "currentColor", "stroke-dasharray": "2 4" });
      this.picture.append(this.cursor);
      this.curves = CURVES.map(({ key, colour, dash }, k) => {
        const line = svg("path", { fill: "none", stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dash });
        const dot = svg("circle", { r: 5, fill: colour });
        const left = 24 + 112 * k;
        const sample = svg("line", { x1: left, x2: left + 22, y1: PLOT.bottom + 35, y2: PLOT.bottom + 35, stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dash });
        this.picture.append(line, dot, sample, text(left + 28, PLOT.bottom + 40, words.curves[key], { ...small, "text-anchor": "start" }));
        return { key, line, dot };
      });
      stage.append(
        html("div", { class: "lf-controls" },
          this.slider(words.rank, { key: "at", min: 0, max: ranks.length - 1, format: (at) => String(ranks[at]) }),
          this.choice(words.layer, { key: "layer", options: this.data.change.map((_, layer) => [layer, String(layer + 1)]) }),
        ),
        this.picture,
      );
    }

    draw() {
      const { at, layer } = this.state;
      const { ranks, chance } = this.data;
      const rank = ranks[at];
      const shares = { change: this.data.change[layer], weight: this.data.weight[layer], chance };
      const thickness = Math.max(rank * SCALE, 0.8);
      const left = 30 + IN * SCALE + 36;
      this.B.setAttribute("x", left);
      this.B.setAttribute("width", thickness);
      this.names.B.setAttribute("x", left + thickness / 2);
      this.A.setAttribute("x", left + thickness + 26);
      this.A.setAttribute("y", TOP);
      this.A.setAttribute("height", thickness);
      this.names.A.setAttribute("x", left + thickness + 26 + (IN * SCALE) / 2);
      const number = (value) => value.toLocaleString("en-US");
      const percent = (share) => (100 * share).toFixed(share < 0.1 ? 1 : 0);
      const learned = rank * (OUT + IN);
      this.count.textContent = `${this.words.learn} ${number(learned)}`;
      for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, this.x(rank));
      for (const { key, line, dot } of this.curves) {
        line.setAttribute("d", shares[key].map((share, k) => `${k ? "L" : "M"}${this.x(ranks[k]).toFixed(1)} ${this.y(share).toFixed(1)}`).join(""));
        dot.setAttribute("cx", this.x(rank));
        dot.setAttribute("cy", this.y(shares[key][at]));
      }
      this.say(this.words.say(rank, number(learned), percent(learned / (OUT * IN)), percent(shares.change[at]), percent(chance[at])));
    }
  }

  customElements.define("course-lora-rank", LoraRank);
})();
