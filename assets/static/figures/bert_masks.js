// Masks drawn anew: which tokens are chosen, what becomes of each, and how often over many readings.
"use strict";

(() => {
  const LINES = [["[CLS]", "연기가", "정말", "좋다", "[SEP]"], ["또", "보고", "싶다", "[SEP]"]];
  const TOKENS = LINES.flat();
  const SPECIAL = new Set(["[CLS]", "[SEP]"]);
  const OTHERS = ["버스", "배우", "하늘", "음악", "그냥", "아침", "결말", "다시", "우산", "감독", "조금", "바다"]; // what stands for the vocabulary
  const FATES = ["mask", "random", "same"];
  const SHARES = { mask: 0.8, random: 0.1, same: 0.1 };
  const [CELL, LINE, BARS, ROW] = [77, 78, 196, 28];
  const COLOURS = { mask: "var(--course-accent, #1f5fa8)", random: "var(--course-accent-2, #a34f00)", same: "var(--course-right, #1a6b36)" };

  class BertMasks extends CourseFigure {
    static words = {
      ko: {
        share: "뽑는 비율",
        once: "다시 읽기",
        often: "1,000번 읽기",
        map: "가려진 문장과 지금까지의 비율",
        label: (token) => (token ? `라벨 ${token}` : "−100"),
        bars: { chosen: "뽑힘", mask: "[MASK]", random: "무작위", same: "그대로" },
        header: (count) => `${count.toLocaleString()}번 읽은 비율 (세로선은 기대)`,
        chosen: (list) => (list.length ? `뽑힌 것은 ${list.join(", ")}입니다.` : "이번에는 하나도 뽑히지 않았습니다."),
        fate: (token, fate) => `${token}(${{ mask: "[MASK]", random: "무작위", same: "그대로" }[fate]})`,
        so: (count, share, none) => ` ${count.toLocaleString()}번 읽는 동안 토큰의 ${share}가 뽑혔고, ${none}번은 하나도 뽑히지 않았습니다.`,
      },
      en: {
        share: "masking rate",
        once: "read again",
        often: "read 1,000 times",
        map: "the masked sentence and the shares so far",
        label: (token) => (token ? `label ${token}` : "−100"),
        bars: { chosen: "chosen", mask: "[MASK]", random: "random", same: "same" },
        header: (count) => `shares after ${count.toLocaleString()} readings (line: expected)`,
        chosen: (list) => (list.length ? `Chosen: ${list.join(", ")}.` : "Nothing was chosen this time."),
        fate: (token, fate) => `${token} (${{ mask: "[MASK]", random: "random", same: "the same" }[fate]})`,
        so: (count, share, none) => ` Over ${count.toLocaleString()} readings, ${share} of the tokens were chosen; in ${none} of them, none at all.`,
      },
    };

    state = { share: 0.15 };

    set(changes) {
      this.forget();
      super.set(changes);
    }

    forget() {
      this.random = CourseFigure.random(6);
      this.counts = { readings: 0, tokens: 0, empty: 0, mask: 0, random: 0, same: 0 };
      this.read(1);
    }

    // Each token apart: chosen or not, and if so its fate.
    read(times) {
      for (let i = 0; i < times; i++) {
        this.reading = TOKENS.map((token) => {
          if (SPECIAL.has(token)) return { token, input: token, fate: null };
          this.counts.tokens += 1;
          if (this.random() >= this.state.share) return { token, input: token, fate: null };
          const draw = this.random();
          const fate = draw < 0.8 ? "mask" : draw < 0.9 ? "same" : "random";
          this.counts[fate] += 1;
          const other = OTHERS[Math.floor(this.random() * OTHERS.length)];
          return { token, input: { mask: "[MASK]", random: other, same: token }[fate], fate };
        });
        this.counts.readings += 1;
        if (!this.reading.some(({ fate }) => fate)) this.counts.empty += 1;
      }
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      this.forget();
      this.picture = svg("svg", { viewBox: `0 0 390 ${BARS + 4 * ROW}`, role: "img", "aria-label": words.map });
      this.picture.style.maxWidth = "30rem";
      const again = (times) => () => {
        this.read(times);
        this.draw();
      };
      stage.append(
        html("div", { class: "lf-controls" },
          this.slider(words.share, { key: "share", min: 0.05, max: 0.5, step: 0.05, format: (share) => `${Math.round(100 * share)}%` }),
          this.button(words.once, again(1)), this.button(words.often, again(1000)),
        ),
        this.picture,
      );
    }

    draw() {
      const { svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 15, "text-anchor": "middle", ...attributes }, content);
      const { counts, reading } = this;
      const drawn = [];
      reading.forEach(({ token, input, fate }, i) => {
        const line = i < LINES[0].length ? 0 : 1;
        const x = 3 + (i - line * LINES[0].length) * CELL;
        const y = 4 + line * LINE;
        const colour = COLOURS[fate] ?? "currentColor";
        drawn.push(
          svg("rect", { x, y, width: CELL - 6, height: 34, rx: 4, fill: fate ? colour : "none", "fill-opacity": 0.15, stroke: colour, "stroke-width": fate ? 2.5 : 1, "stroke-opacity": fate ? 1 : 0.45 }),
          text(x + CELL / 2 - 3, y + 23, input, { "font-weight": fate ? 600 : 400 }),
          text(x + CELL / 2 - 3, y + 53, words.label(fate && token), { "font-size": 13 }),
        );
      });
      const chosen = FATES.reduce((sum, fate) => sum + counts[fate], 0);
      drawn.push(text(3, BARS - 22, words.header(counts.readings), { "font-size": 13, "text-anchor": "start" }));
      const bars = [["chosen", chosen / counts.tokens, this.state.share], ...FATES.map((fate) => [fate, chosen ? counts[fate] / chosen : 0, SHARES[fate]])];
      bars.forEach(([name, share, expected], i) => {
        const y = BARS - 10 + i * ROW;
        const scale = 226;
        drawn.push(
          text(66, y + 16, words.bars[name], { "text-anchor": "end" }),
          svg("rect", { x: 74, y: y + 2, width: share * scale, height: 18, fill: COLOURS[name] ?? "currentColor", "fill-opacity": 0.6 }),
          svg("line", { x1: 74 + expected * scale, x2: 74 + expected * scale, y1: y - 2, y2: y + 24, stroke: "currentColor", "stroke-width": 2 }),
          text(386, y + 16, `${(100 * share).toFixed(1)}%`, { "text-anchor": "end" }),
        );
      });
      this.picture.replaceChildren(...drawn);
      const list = reading.filter(({ fate }) => fate).map(({ token, fate }) => words.fate(token, fate));
      const so = counts.readings > 1 ? words.so(counts.readings, `${((100 * chosen) / counts.tokens).toFixed(1)}%`, counts.empty.toLocaleString()) : "";
      this.say(words.chosen(list) + so);
    }
  }

  customElements.define("course-bert-masks", BertMasks);
})();
