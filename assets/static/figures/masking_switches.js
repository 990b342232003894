// Masks to switch on and off: which keys a query sees, and what leaks from the future and from padding.
"use strict";

(() => {
  const TOKENS = ["SOS", "나는", "집에", "PAD"];
  const SCORES = [
    [1.2, 0.4, 0.9, 0.3],
    [0.2, 1.1, 1.6, 0.5],
    [0.7, 0.3, 1.0, 1.4],
    [0.5, 0.8, 0.1, 0.6],
  ];
  const n = TOKENS.length;
  const SIZE = 64;
  const LEFT = 76;
  const TOP = 44;

  class MaskingSwitches extends CourseFigure {
    static words = {
      ko: {
        lookAhead: "룩어헤드 마스크",
        padding: "패딩 마스크",
        flipped: "True와 False를 바꿔 읽기",
        fill: "가릴 자리에 채우는 값",
        map: "행은 질의, 열은 키인 어텐션 가중치",
        query: "질의",
        key: "키",
        say: (future, pad) => `진짜 토큰의 행에서 미래로 새는 무게는 가장 크게 ${future}, PAD로 새는 무게는 가장 크게 ${pad}입니다.`,
        empty: (token) => ` ‘${token}’ 행은 볼 것이 없어 NaN이 됩니다.`,
      },
      en: {
        lookAhead: "causal mask",
        padding: "padding mask",
        flipped: "read True and False the wrong way round",
        fill: "what masked scores are filled with",
        map: "attention weights; rows are queries, columns are keys",
        query: "query",
        key: "key",
        say: (future, pad) => `In the rows of real tokens, at most ${future} leaks from the future and ${pad} from PAD.`,
        empty: (token) => ` The row of ‘${token}’ sees nothing and becomes NaN.`,
      },
    };

    state = { lookAhead: true, padding: true, flipped: false, fill: -Infinity };

    // Which keys query i sees, and the weights that follow; NaN where a row sees nothing.
    attend() {
      const { lookAhead, padding, flipped, fill } = this.state;
      const sees = SCORES.map((row, i) => row.map((_, j) => ((!lookAhead || j <= i) && (!padding || TOKENS[j] !== "PAD")) !== flipped));
      const weights = SCORES.map((row, i) => CourseFigure.softmax(row.map((score, j) => (sees[i][j] ? score : fill))));
      return { sees, weights };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 15, "text-anchor": "middle", ...attributes }, content);
      this.picture = svg("svg", { viewBox: `0 0 ${LEFT + n * SIZE + 4} ${TOP + n * SIZE + 4}`, role: "img", "aria-label": words.map });
      this.picture.style.maxWidth = "24rem";
      this.picture.append(
        text(LEFT - 8, 18, `${words.query} \\ ${words.key}`, { "font-size": 12, "text-anchor": "end" }),
        ...TOKENS.map((token, j) => text(LEFT + (j + 0.5) * SIZE, TOP - 12, token)),
        ...TOKENS.map((token, i) => text(LEFT - 10, TOP + (i + 0.5) * SIZE + 5, token, { "text-anchor": "end" })),
      );
      this.cells = SCORES.map((row, i) =>
        row.map((_, j) => {
          const place = { x: LEFT + j * SIZE + 1, y: TOP + i * SIZE + 1, width: SIZE - 2, height: SIZE - 2 };
          const shade = svg("rect", { ...place, fill: "var(--course-shade, #1f5fa8)" });
          const frame = svg("rect", { ...place, fill: "none" });
          const number = text(LEFT + (j + 0.5) * SIZE, TOP + (i + 0.5) * SIZE + 5, "");
          this.picture.append(shade, frame, number);
          return { shade, frame, number };
        }),
      );
      stage.append(
        html("div", { class: "lf-controls" },
          this.toggle(words.lookAhead, { key: "lookAhead" }),
          this.toggle(words.padding, { key: "padding" }),
          this.toggle(words.flipped, { key: "flipped" }),
        ),
        this.choice(words.fill, { key: "fill", options: [[-Infinity, "−∞"], [0, "0"]] }),
        this.picture,
      );
    }

    draw() {
      const { sees, weights } = this.attend();
      const leak = { future: 0, pad: 0 };
      weights.forEach((row, i) =>
        row.forEach((weight, j) => {
          const { shade, frame, number } = this.cells[i][j];
          const leaks = TOKENS[i] !== "PAD" && (j > i || TOKENS[j] === "PAD") && weight > 0;
          if (leaks && TOKENS[j] === "PAD") leak.pad = Math.max(leak.pad, weight);
          else if (leaks) leak.future = Math.max(leak.future, weight);
          shade.setAttribute("fill-opacity", Number.isNaN(weight) ? 0 : (0.55 * weight).toFixed(3));
          frame.setAttribute("stroke", leaks ? "var(--course-wrong, #a3301d)" : "currentColor");
          frame.setAttribute("stroke-width", leaks ? 3 : 1);
          frame.setAttribute("stroke-dasharray", sees[i][j] ? "none" : "3 4");
          number.textContent = Number.isNaN(weight) ? "NaN" : weight.toFixed(2);
        }),
      );
      const empty = TOKENS.filter((_, i) => Number.isNaN(weights[i][0]));
      this.say(this.words.say(leak.future.toFixed(2), leak.pad.toFixed(2)) + empty.map(this.words.empty).join(""));
    }
  }

  customElements.define("course-masking-switches", MaskingSwitches);
})();
