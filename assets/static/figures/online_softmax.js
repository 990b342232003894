// Online softmax: two tiles of scores, each read once. What was summed is scaled down when a larger score comes.
"use strict";

(() => {
  const VALUES = [1, 2, 3, 4];
  const TILE = 2;
  const MOST = 6; // of the axis of scores
  const COLUMNS = [92, 152, 248, 308];
  const SCORES_AT = { top: 34, bottom: 154 };
  const POWERS_AT = { top: 200, bottom: 280 };
  const LINES_AT = 318;

  class OnlineSoftmax extends CourseFigure {
    static words = {
      ko: {
        picture: "위는 점수 넷과 지금까지의 최댓값, 아래는 e의 (점수 − 최댓값) 제곱",
        drag: (j) => `점수 ${j + 1}`,
        step: "걸음",
        scores: "점수 s",
        powers: "e^(s−m)",
        tile: (t) => `타일 ${t + 1}`,
        value: "값 v",
        largest: "최댓값 m",
        sum: "합 D",
        mixed: "가중합 o",
        atOnce: "한꺼번에 계산하면",
        say: [
          () => "아직 아무것도 읽지 않았습니다. m은 −∞, D와 o는 0입니다.",
          ({ m, D, o }) => `타일 1을 읽었습니다. m = ${m}, D = ${D}, o = ${o}입니다. 점수는 잊어도 됩니다.`,
          ({ grows, shrink, m }) =>
            grows ? `타일 2의 최댓값은 ${m}입니다. 더 크므로 앞에서 쌓은 D와 o를 줄입니다. 곱하는 수는 ${shrink}입니다.` : "타일 2에 더 큰 점수가 없습니다. 앞에서 쌓은 D와 o는 그대로입니다.",
          ({ D, o }) => `타일 2의 몫을 더했습니다. D = ${D}, o = ${o}입니다.`,
          ({ output, whole }) => `o ÷ D = ${output}입니다. 점수를 한꺼번에 놓고 계산해도 ${whole}입니다.`,
        ],
      },
      en: {
        picture: "above, four scores and the largest so far; below, e to the power of (score − largest)",
        drag: (j) => `score ${j + 1}`,
        step: "step",
        scores: "scores s",
        powers: "e^(s−m)",
        tile: (t) => `tile ${t + 1}`,
        value: "value v",
        largest: "largest m",
        sum: "sum D",
        mixed: "mixed o",
        atOnce: "all at once",
        say: [
          () => "Nothing is read yet: m is −∞, D and o are 0.",
          ({ m, D, o }) => `Tile 1 is read: m = ${m}, D = ${D}, o = ${o}. Its scores can be discarded.`,
          ({ grows, shrink, m }) =>
            grows ? `Tile 2 has a larger score, ${m}: what D and o hold is multiplied by ${shrink}.` : "Tile 2 has no larger score: D and o stay as they are.",
          ({ D, o }) => `What tile 2 adds: D = ${D}, o = ${o}.`,
          ({ output, whole }) => `o ÷ D = ${output}, the same as all scores at once, ${whole}.`,
        ],
      },
    };

    state = { step: 2, scores: [1, 3, 2, 5] };

    // m, D and o after each tile, and between: what the second tile's maximum makes of the first's sums.
    pass() {
      const { scores } = this.state;
      const add = ({ m, D, o }, from) => {
        const tile = scores.slice(from, from + TILE);
        const higher = Math.max(m, ...tile);
        const shrink = Math.exp(m - higher);
        const powers = tile.map((score) => Math.exp(score - higher));
        const rescaled = { m: higher, D: D * shrink, o: o * shrink, shrink };
        const after = {
          m: higher,
          D: rescaled.D + powers.reduce((sum, power) => sum + power, 0),
          o: rescaled.o + powers.reduce((sum, power, k) => sum + power * VALUES[from + k], 0),
        };
        return { rescaled, powers, after };
      };
      const first = add({ m: -Infinity, D: 0, o: 0 }, 0);
      const second = add(first.after, TILE);
      const whole = CourseFigure.softmax(scores).reduce((sum, weight, j) => sum + weight * VALUES[j], 0);
      return { first, second, output: second.after.o / second.after.D, whole };
    }

    build(stage) {
      const { svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 14, ...attributes }, content);
      const middle = { "text-anchor": "middle" };
      this.picture = svg("svg", { viewBox: "0 0 360 412", role: "group", "aria-label": words.picture });
      this.picture.style.maxWidth = "32rem";
      const axis = ({ top, bottom }) => svg("path", { d: `M56 ${top}V${bottom}H344`, fill: "none", stroke: "currentColor", "stroke-opacity": 0.5 });
      this.tiles = [0, 1].map((t) => {
        const plate = svg("rect", { x: COLUMNS[TILE * t] - 30, y: 22, width: 120, height: 262, rx: 6, fill: "var(--course-fill, #dbe8f6)" });
        this.picture.append(plate, text(COLUMNS[TILE * t] + 30, 15, words.tile(t), middle));
        return plate;
      });
      this.picture.append(
        axis(SCORES_AT), axis(POWERS_AT),
        text(0, SCORES_AT.top + 10, words.scores, { "font-size": 12.5 }),
        text(48, SCORES_AT.bottom, "0", { "font-size": 12.5, "text-anchor": "end" }),
        text(0, POWERS_AT.top + 4, words.powers, { "font-size": 12.5 }),
        text(48, POWERS_AT.bottom, "0", { "font-size": 12.5, "text-anchor": "end" }),
        text(48, SCORES_AT.bottom + 20, words.value, { "font-size": 12.5, "text-anchor": "end" }),
        ...VALUES.map((value, j) => text(COLUMNS[j], SCORES_AT.bottom + 20, String(value), { ...middle, "font-size": 13 })),
      );
      this.highest = svg("line", { x1: 56, x2: 344, stroke: "var(--course-accent-2, #a34f00)", "stroke-width": 2, "stroke-dasharray": "6 4" });
      this.picture.append(this.highest);
      this.bars = VALUES.map((_, j) => {
        const stem = svg("line", { x1: COLUMNS[j], x2: COLUMNS[j], y1: SCORES_AT.bottom, stroke: "var(--course-accent, #1f5fa8)", "stroke-width": 4 });
        const knob = svg("circle", { cx: COLUMNS[j], r: 14, fill: "var(--course-accent, #1f5fa8)" });
        const score = text(COLUMNS[j], 0, "", { ...middle, "pointer-events": "none", style: "fill: var(--pst-color-background, #fff)", "font-size": 13 });
        const before = svg("rect", { x: COLUMNS[j] - 16, width: 32, fill: "none", stroke: "currentColor", "stroke-dasharray": "3 3" });
        const power = svg("rect", { x: COLUMNS[j] - 16, width: 32, fill: "var(--course-accent-2, #a34f00)", "fill-opacity": 0.75 });
        const number = text(COLUMNS[j], 0, "", { ...middle, "font-size": 13 });
        this.draggable(knob, {
          label: words.drag(j),
          nudge: (SCORES_AT.bottom - SCORES_AT.top) / MOST / 2,
          at: () => [COLUMNS[j], this.heightOf(this.state.scores[j])],
          place: (_, y) => {
            const score = ((SCORES_AT.bottom - y) / (SCORES_AT.bottom - SCORES_AT.top)) * MOST;
            const scores = [...this.state.scores];
            scores[j] = Math.min(Math.max(Math.round(score * 2) / 2, 0), MOST);
            this.set({ scores });
          },
        });
        this.picture.append(stem, before, power, number, knob, score);
        return { stem, knob, score, before, power, number };
      });
      this.lines = [words.largest, words.sum, words.mixed, "o ÷ D"].map((name, k) => {
        const y = LINES_AT + 26 * k;
        const line = text(92, y, "", { "font-size": 13.5 });
        this.picture.append(text(84, y, name, { "text-anchor": "end", "font-size": 13.5 }), line);
        return line;
      });
      stage.append(this.steps({ last: 4, seconds: 2, label: words.step }), this.picture);
    }

    heightOf(score) {
      return SCORES_AT.bottom - ((SCORES_AT.bottom - SCORES_AT.top) * score) / MOST;
    }

    draw() {
      const { step, scores } = this.state;
      const { first, second, output, whole } = this.pass();
      const m = [-Infinity, first.after.m, second.after.m, second.after.m, second.after.m][step];
      const tall = POWERS_AT.bottom - POWERS_AT.top;
      this.tiles.forEach((plate, t) => plate.setAttribute("fill-opacity", (t === 0 ? step === 1 : step === 2 || step === 3) ? 1 : 0.35));
      this.highest.setAttribute("visibility", step ? "visible" : "hidden");
      for (const end of ["y1", "y2"]) this.highest.setAttribute(end, this.heightOf(step ? m : 0));
      this.bars.forEach(({ stem, knob, score, before, power, number }, j) => {
        const y = this.heightOf(scores[j]);
        stem.setAttribute("y2", y);
        knob.setAttribute("cy", y);
        score.setAttribute("y", y + 5);
        score.textContent = scores[j];
        const read = j < TILE ? step >= 1 : step >= 3;
        const height = read ? Math.exp(scores[j] - m) * tall : 0;
        const was = j < TILE && step === 2 ? Math.exp(scores[j] - first.after.m) * tall : 0;
        power.setAttribute("height", height);
        power.setAttribute("y", POWERS_AT.bottom - height);
        before.setAttribute("height", was);
        before.setAttribute("y", POWERS_AT.bottom - was);
        number.setAttribute("y", POWERS_AT.bottom - Math.max(height, was) - 4);
        number.textContent = read ? (height / tall).toFixed(3) : "";
      });
      const digits = (value) => value.toFixed(4);
      const shrink = second.rescaled.shrink;
      const [D1, o1, D2, o2] = [first.after.D, first.after.o, second.after.D, second.after.o].map(digits);
      const times = (old, rescaled) => `${old} × ${digits(shrink)} = ${digits(rescaled)}`;
      const plus = (rescaled, after, added) => `${digits(rescaled)} + ${digits(added)} = ${after}`;
      const { rescaled, after } = second;
      const lines = [
        ["−∞", "0", "0", ""],
        [`${first.after.m}`, D1, o1, ""],
        [`${first.after.m} → ${m}`, times(D1, rescaled.D), times(o1, rescaled.o), ""],
        [`${m}`, plus(rescaled.D, D2, after.D - rescaled.D), plus(rescaled.o, o2, after.o - rescaled.o), ""],
        [`${m}`, D2, o2, `${digits(output)}  (${this.words.atOnce} ${digits(whole)})`],
      ][step];
      this.lines.forEach((line, k) => (line.textContent = lines[k]));
      const grows = second.after.m > first.after.m;
      const now = step === 1 ? first.after : second.after;
      this.say(this.words.say[step]({ m, D: digits(now.D), o: digits(now.o), shrink: digits(shrink), grows, output: digits(output), whole: digits(whole) }));
    }
  }

  customElements.define("course-online-softmax", OnlineSoftmax);
})();
