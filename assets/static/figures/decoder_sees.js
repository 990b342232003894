// What each place of the decoder sees, when it learns from the whole sentence and when it writes word by word.
"use strict";

(() => {
  const SOURCE = ["나는", "집에", "간다"];
  const TARGET = ["I", "go", "home", "EOS"];
  const SLIP = { at: 1, word: "went" }; // a wrong word at this place
  const n = TARGET.length;
  const LEFT = 50;
  const CELL = 34;
  const GAP = 8; // between source and target
  const TOP = 64;
  const LOOK = "var(--course-accent, #1f5fa8)";
  const CROSS = "var(--course-accent-2, #a34f00)";
  const WRONG = "var(--course-wrong, #a3301d)";
  const sourceAt = (j) => LEFT + CELL * j;
  const targetAt = (j) => LEFT + CELL * (SOURCE.length + j) + GAP;

  class DecoderSees extends CourseFigure {
    static words = {
      ko: {
        picture: "디코더의 자리마다 보는 곳",
        mode: "디코더가 하는 일",
        modes: { train: "학습", write: "생성" },
        mask: "룩어헤드 마스크",
        slip: "둘째 단어를 틀리게 쓰기",
        step: "쓰는 자리",
        source: "원문 (크로스 어텐션)",
        target: "번역문 (셀프 어텐션)",
        reads: "읽은 것",
        writes: "쓰는 것",
        train: (word, right) => `학습: 네 자리를 한꺼번에 계산합니다. ‘${word}’ 다음에 맞힐 단어는 ‘${right}’입니다.`,
        write: (word, next, count) => `생성: 읽은 것은 ${count}개뿐입니다. ‘${word}’ 다음에 쓰는 단어는 ‘${next}’입니다.`,
        leaks: " 맞힐 답이 입력에서 보입니다.",
        taught: " 앞자리에서 틀려도 정답을 읽습니다.",
        misled: " 자기가 쓴 틀린 단어를 읽습니다.",
        changed: " 마스크가 없으면 앞자리의 벡터가 새 단어를 보고 달라집니다.",
      },
      en: {
        picture: "what each position of the decoder sees",
        mode: "what the decoder does",
        modes: { train: "learns", write: "writes" },
        mask: "causal mask",
        slip: "get the second word wrong",
        step: "position",
        source: "source (cross-attention)",
        target: "target (self-attention)",
        reads: "reads",
        writes: "writes",
        train: (word, right) => `Training: four positions at once. After ‘${word}’ it should write ‘${right}’.`,
        write: (word, next, count) => `Generating: ${count} read so far. After ‘${word}’ it writes ‘${next}’.`,
        leaks: " The answer is visible in the input.",
        taught: " It reads the right word even where it wrote a wrong one.",
        misled: " It reads the wrong word that it wrote itself.",
        changed: " Without a mask, the new word changes the vectors of earlier positions.",
      },
    };

    state = { mode: "train", step: 1, mask: true, slip: false };

    // What is read and written at each place, and who sees whom; null where nothing is there yet.
    look() {
      const { mode, step, mask, slip } = this.state;
      const there = mode === "train" ? n : step + 1;
      const written = TARGET.map((word, i) => (slip && i === SLIP.at ? SLIP.word : word));
      const before = mode === "train" ? TARGET : written;
      const read = Array.from({ length: n }, (_, i) => (i >= there ? null : i === 0 ? "SOS" : before[i - 1]));
      const sees = read.map((word, i) => read.map((other, j) => word !== null && other !== null && (!mask || j <= i)));
      return { there, written, read, sees };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content = "", attributes = {}) => svg("text", { x, y, "font-size": 12.5, "text-anchor": "middle", ...attributes }, content);
      const right = targetAt(n);
      const picture = svg("svg", { viewBox: `0 0 352 ${TOP + n * CELL + 6}`, role: "img", "aria-label": words.picture });
      picture.style.maxWidth = "32rem";
      const heading = (x, y, content, style) => text(x, y, content, { "font-weight": 600, style });
      picture.append(
        heading(sourceAt(1.5) - 12, 16, words.source, `fill: ${CROSS}`), heading(targetAt(n / 2) + 18, 34, words.target, `fill: ${LOOK}`),
        text(LEFT - 6, TOP - 8, words.reads, { "text-anchor": "end" }), text(right + 30, TOP - 8, words.writes),
        ...SOURCE.map((word, j) => text(sourceAt(j + 0.5), TOP - 8, word)),
      );
      const box = (x, i) => picture.appendChild(svg("rect", { x: x + 1, y: TOP + CELL * i + 1, width: CELL - 2, height: CELL - 2, rx: 2, "stroke-width": 1 }));
      this.frame = picture.appendChild(svg("rect", { x: 1, width: 350, height: CELL, rx: 4, fill: "none", stroke: "currentColor", "stroke-width": 2 }));
      this.rows = TARGET.map((_, i) => {
        const y = TOP + CELL * i + 22;
        const row = {
          head: text(targetAt(i + 0.5), TOP - 8),
          read: text(LEFT - 6, y, "", { "text-anchor": "end" }),
          written: text(right + 30, y, "", { "font-weight": 600 }),
          source: SOURCE.map((_, j) => box(sourceAt(j), i)),
          target: TARGET.map((_, j) => box(targetAt(j), i)),
        };
        picture.append(row.head, row.read, row.written);
        return row;
      });
      stage.append(
        html("div", { class: "lf-controls" },
          this.choice(words.mode, { key: "mode", options: Object.entries(words.modes) }),
          this.toggle(words.mask, { key: "mask" }),
          this.toggle(words.slip, { key: "slip" })),
        this.steps({ last: n - 1, seconds: 1.5, label: words.step }),
        picture,
      );
    }

    draw() {
      const { mode, step, mask, slip } = this.state;
      const { read, written, sees } = this.look();
      const words = this.words;
      const shade = (rect, seen, colour, leak = false) => {
        rect.setAttribute("fill", seen ? colour : "transparent");
        rect.setAttribute("fill-opacity", 0.65);
        rect.setAttribute("stroke", leak ? WRONG : "currentColor");
        rect.setAttribute("stroke-width", leak ? 3 : 1);
        rect.setAttribute("stroke-dasharray", seen ? "none" : "2 3");
        rect.setAttribute("stroke-opacity", leak ? 1 : 0.6);
      };
      this.rows.forEach((row, i) => {
        const here = read[i] !== null;
        row.head.textContent = read[i] ?? "";
        row.read.textContent = read[i] ?? "";
        row.written.textContent = here ? written[i] : "";
        row.written.setAttribute("style", written[i] === TARGET[i] ? "" : `fill: ${WRONG}`);
        row.source.forEach((rect) => {
          rect.style.display = here ? "" : "none";
          shade(rect, true, CROSS);
        });
        row.target.forEach((rect, j) => {
          rect.style.display = here && read[j] !== null ? "" : "none";
          shade(rect, sees[i][j], LOOK, sees[i][j] && j > i);
        });
      });
      this.frame.setAttribute("y", TOP + CELL * step);
      const slipped = slip && step > SLIP.at;
      if (mode === "train") {
        this.say(words.train(read[step], TARGET[step]) + (mask || step === n - 1 ? "" : words.leaks) + (slipped ? words.taught : ""));
      } else {
        this.say(words.write(read[step], written[step], step + 1) + (mask || step === 0 ? "" : words.changed) + (slipped ? words.misled : ""));
      }
    }
  }

  customElements.define("course-decoder-sees", DecoderSees);
})();
