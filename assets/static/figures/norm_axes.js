// Two sentences of three words and four features, normalised over different axes: which outputs follow one number.
"use strict";

(() => {
  const WORDS = [["나는", "집에", "간다"], ["너는", "학교에", "온다"]];
  // x + attention of the first sentence, as in the table of the chapter; the second is made up.
  const BLOCK = [
    [[1.1, 0.3, 1.1, 1], [0.3, 1.1, 1.1, 1], [0.8, 0.8, 1.2, -1]],
    [[1.4, 0.2, 0.9, 1], [0.1, 1.5, 0.7, 1], [0.6, 0.9, 1.6, -1]],
  ];
  const CHOSEN = { s: 0, w: 1, f: 1 }; // the number that moves: the place of 집에
  const EPSILON = 1e-5;
  // What one chunk has in common: sentence s, word w, feature f.
  const CHUNK = {
    token: ({ s, w }) => `${s} ${w}`,
    rms: ({ s, w }) => `${s} ${w}`,
    batch: ({ f }) => `${f}`,
    layer: ({ s }) => `${s}`,
    instance: ({ s, f }) => `${s} ${f}`,
    group: ({ s, f }) => `${s} ${f >> 1}`,
  };
  const PLACES = BLOCK.flatMap((sentence, s) => sentence.flatMap((word, w) => word.map((_, f) => ({ s, w, f }))));
  const CELL = { width: 37, height: 28 };
  const LEFT = [48, 204]; // of the two tables
  const TOP = 46;
  const topOf = (s, w) => TOP + (3 * s + w) * CELL.height + 10 * s;
  const is = (a, b) => a.s === b.s && a.w === b.w && a.f === b.f;
  const number = (value, digits) => value.toFixed(digits).replace(/^-(0\.0*)$/, "$1").replace("-", "−");

  class NormAxes extends CourseFigure {
    static words = {
      ko: {
        picture: "문장 둘의 수를 정규화하기 전과 후",
        kind: "정규화",
        kinds: { token: "층 (단어)", rms: "RMS (단어)", batch: "배치", layer: "층 (문장)", instance: "인스턴스", group: "그룹" },
        value: "테두리 친 수",
        before: "전",
        after: "후",
        features: ["사람", "곳", "움직임", "명/동"],
        chunk: (size, mean, deviation) => `덩어리: 수 ${size}개, 평균 ${mean}, 표준편차 ${deviation}`,
        chunkOfSquares: (size, root) => `덩어리: 수 ${size}개, 제곱의 평균의 제곱근 ${root}`,
        say: (kind, size, chunks) => `${kind} 정규화는 수 ${size}개씩 모두 ${chunks}덩어리입니다.`,
        moved: (words, sentences) =>
          words
            ? ` 수 하나를 바꾸자 다른 단어의 수 ${words}개가 따라 바뀌었고, 그 가운데 ${sentences}개는 다른 문장의 수입니다.`
            : " 수 하나를 바꾸어도 다른 단어의 수는 그대로입니다.",
      },
      en: {
        picture: "the numbers of two sentences before and after normalising",
        kind: "normalisation",
        kinds: { token: "layer (word)", rms: "RMS (word)", batch: "batch", layer: "layer (sentence)", instance: "instance", group: "group" },
        value: "framed number",
        before: "before",
        after: "after",
        features: ["person", "place", "motion", "n./v."],
        chunk: (size, mean, deviation) => `chunk: ${size} numbers, mean ${mean}, standard deviation ${deviation}`,
        chunkOfSquares: (size, root) => `chunk: ${size} numbers, root of their mean square ${root}`,
        say: (kind, size, chunks) => `Normalisation by ${kind} takes ${size} numbers at a time, in ${chunks} chunks.`,
        moved: (words, sentences) =>
          words
            ? ` ${words} numbers of other words followed the one that was changed, ${sentences} of them in the other sentence.`
            : " No number of another word followed the one that was changed.",
      },
    };

    state = { kind: "batch", value: BLOCK[CHOSEN.s][CHOSEN.w][CHOSEN.f] };

    normalise(value = this.state.value) {
      const { kind } = this.state;
      const numbers = PLACES.map((at) => (is(at, CHOSEN) ? value : BLOCK[at.s][at.w][at.f]));
      const chunks = PLACES.map(CHUNK[kind]);
      const of = (chunk) => {
        const members = numbers.filter((_, i) => chunks[i] === chunk);
        const mean = (parts) => parts.reduce((sum, part) => sum + part, 0) / parts.length;
        const centre = kind === "rms" ? 0 : mean(members);
        return { size: members.length, centre, variance: mean(members.map((member) => (member - centre) ** 2)) };
      };
      const measured = new Map([...new Set(chunks)].map((chunk) => [chunk, of(chunk)]));
      const normed = numbers.map((one, i) => {
        const { centre, variance } = measured.get(chunks[i]);
        return (one - centre) / Math.sqrt(variance + EPSILON);
      });
      return { numbers, chunks, measured, normed };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content = "", attributes = {}) => svg("text", { x, y, "font-size": 12.5, "text-anchor": "middle", ...attributes }, content);
      const picture = svg("svg", { viewBox: `0 0 354 ${topOf(1, 3) + 28}`, role: "img", "aria-label": words.picture });
      picture.style.maxWidth = "30rem";
      const cell = (left) => ({ s, w, f }) => {
        const [x, y] = [left + CELL.width * f, topOf(s, w)];
        const box = svg("rect", { x: x + 0.5, y: y + 0.5, width: CELL.width - 1, height: CELL.height - 1, stroke: "currentColor" });
        const shown = text(x + CELL.width / 2, y + 19);
        picture.append(box, shown);
        return { box, shown };
      };
      this.before = PLACES.map(cell(LEFT[0]));
      this.after = PLACES.map(cell(LEFT[1]));
      const frame = ({ s, w, f }) => svg("rect", {
        x: LEFT[0] + CELL.width * f, y: topOf(s, w), width: CELL.width, height: CELL.height, fill: "none", stroke: "var(--course-accent, #1f5fa8)", "stroke-width": 3,
      });
      this.measure = text(177, topOf(1, 3) + 20);
      picture.append(
        frame(CHOSEN),
        ...LEFT.map((left, at) => text(left + 2 * CELL.width, 16, [words.before, words.after][at], { "font-weight": 600, "font-size": 14 })),
        ...LEFT.flatMap((left) => words.features.map((feature, f) => text(left + CELL.width * (f + 0.5), TOP - 8, feature, { "font-size": 12 }))),
        ...WORDS.flatMap((sentence, s) => sentence.map((word, w) => text(LEFT[0] - 6, topOf(s, w) + 19, word, { "text-anchor": "end" }))),
        this.measure,
      );
      stage.append(
        this.choice(words.kind, { key: "kind", options: Object.entries(words.kinds) }),
        this.slider(words.value, { key: "value", min: -3, max: 5, step: 0.1, format: (value) => number(value, 1) }),
        picture,
      );
    }

    draw() {
      const { numbers, chunks, measured, normed } = this.normalise();
      const was = this.normalise(BLOCK[CHOSEN.s][CHOSEN.w][CHOSEN.f]).normed;
      const own = chunks[PLACES.findIndex((at) => is(at, CHOSEN))];
      const follows = normed.map((value, i) => Math.abs(value - was[i]) > 1e-9);
      const show = ({ box, shown }, i, text, changed) => {
        box.setAttribute("fill", chunks[i] === own ? "var(--course-fill-2, #fbe6cf)" : "none");
        box.setAttribute("stroke", changed ? "var(--course-accent-2, #a34f00)" : "currentColor");
        box.setAttribute("stroke-width", changed ? 2 : 1);
        box.setAttribute("stroke-opacity", changed ? 1 : 0.4);
        shown.setAttribute("font-weight", changed ? 700 : 400);
        shown.textContent = text;
      };
      this.before.forEach((cell, i) => show(cell, i, number(numbers[i], 1), false));
      this.after.forEach((cell, i) => show(cell, i, number(normed[i], 2), follows[i]));
      const { size, centre, variance } = measured.get(own);
      const root = number(Math.sqrt(variance), 2);
      const words = this.words;
      this.measure.textContent = this.state.kind === "rms" ? words.chunkOfSquares(size, root) : words.chunk(size, number(centre, 2), root);
      const others = PLACES.filter((at, i) => follows[i] && (at.s !== CHOSEN.s || at.w !== CHOSEN.w));
      const away = others.filter((at) => at.s !== CHOSEN.s);
      const moved = follows.includes(true) ? words.moved(others.length, away.length) : "";
      this.say(words.say(words.kinds[this.state.kind], size, measured.size) + moved);
    }
  }

  customElements.define("course-norm-axes", NormAxes);
})();
