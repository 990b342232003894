// The trained models of the chapter read letters and write them backwards: what each state is, and what is looked back at.
"use strict";

(() => {
  const LEFT = 28;
  const PART = 9; // height of one number of a state
  const READ = 30; // top of the encoder's states
  const WROTE = 176;
  const POSITIVE = "var(--course-accent, #1f5fa8)";
  const NEGATIVE = "var(--course-accent-2, #a34f00)";
  const WRONG = "var(--course-wrong, #a3301d)";

  class LookBackSteps extends CourseFigure {
    static words = {
      ko: {
        picture: "인코더의 상태, 디코더의 상태와 돌아보는 곳, 쓴 글자",
        model: "디코더가 받는 것",
        models: { attention: "모든 상태 (어텐션)", "one way": "마지막 상태 하나" },
        read: "읽기",
        wrote: "쓰기",
        answer: "정답",
        start: "아직 아무것도 읽지 않았습니다.",
        reading: (letter, count) => `${count}번째 글자 ‘${letter}’까지 읽고 상태를 남겼습니다.`,
        writing: (letter, count) => `${count}번째로 ‘${letter}’를 씁니다.`,
        looked: (letter, place, weight) => ` 가장 많이 본 것은 ${place}번째로 읽은 ‘${letter}’이고 가중치는 ${weight}입니다.`,
        handed: " 읽은 것은 마지막 상태 하나로만 건너왔습니다.",
        score: (right, all) => ` 지금까지 ${all}글자 가운데 ${right}글자가 맞았습니다.`,
      },
      en: {
        picture: "states of the encoder and of the decoder, what is looked back at, letters written",
        model: "what the decoder is given",
        models: { attention: "all states (attention)", "one way": "the last state only" },
        read: "read",
        wrote: "write",
        answer: "answer",
        start: "Nothing has been read yet.",
        reading: (letter, count) => `Letter ${count}, ‘${letter}’, has been read and left a state.`,
        writing: (letter, count) => `Letter ${count} is written: ‘${letter}’.`,
        looked: (letter, place, weight) => ` It looked most at ‘${letter}’, read as number ${place}, with weight ${weight}.`,
        handed: " What was read came over in the last state only.",
        score: (right, all) => ` So far ${right} of ${all} letters are right.`,
      },
    };

    build(stage) {
      const { svg } = CourseFigure;
      const words = this.words;
      const { text: letters, models } = this.data;
      const n = letters.length;
      const parts = models.attention.read[0].length;
      this.state = { model: "attention", step: 2 * n };
      const step = (352 - LEFT) / n;
      const write = (x, y, content = "", attributes = {}) => svg("text", { x, y, "font-size": 14, "text-anchor": "middle", ...attributes }, content);
      const label = (y, content) => write(0, y, content, { "font-size": 12.5, "text-anchor": "start" });
      this.middle = (j) => LEFT + step * (j + 0.5);
      const below = WROTE + PART * parts;
      const picture = svg("svg", { viewBox: `0 0 352 ${below + 48}`, role: "img", "aria-label": words.picture });
      picture.style.maxWidth = "32rem";
      this.looks = picture.appendChild(svg("g", { fill: "none", stroke: POSITIVE }));
      const column = (j, top) => {
        const group = picture.appendChild(svg("g"));
        const [x, width] = [LEFT + step * j + 2, step - 4];
        const cells = Array.from({ length: parts }, (_, i) => group.appendChild(svg("rect", { x: x.toFixed(1), y: top + PART * i, width: width.toFixed(1), height: PART })));
        group.append(svg("rect", { x: x.toFixed(1), y: top, width: width.toFixed(1), height: PART * parts, fill: "none", stroke: "currentColor", "stroke-opacity": 0.6 }));
        return { group, cells };
      };
      const inside = { "font-size": 12.5 };
      this.read = letters.map((letter, j) => {
        const made = column(j, READ);
        made.group.append(write(this.middle(j).toFixed(1), 20, letter));
        return made;
      });
      this.wrote = letters.map((_, j) => {
        const made = column(j, WROTE);
        made.letter = write(this.middle(j).toFixed(1), below + 20, "", { "font-weight": 600 });
        made.group.append(made.letter, write(this.middle(j).toFixed(1), below + 42, letters[n - 1 - j], inside));
        return made;
      });
      picture.append(label(20, words.read), label(below + 20, words.wrote), label(below + 42, words.answer));
      stage.append(
        this.choice(words.model, { key: "model", options: Object.entries(words.models) }),
        this.steps({ last: 2 * n, seconds: 0.7 }),
        picture,
      );
      this.edges = { read: READ + PART * parts + 2, wrote: WROTE - 2 };
    }

    // Where writing step i looks: weights of all states, or everything from the last one, through the first state.
    look(i) {
      const { weights } = this.data.models[this.state.model];
      const { read, wrote } = this.edges;
      const n = this.read.length;
      const line = (from, to, weight) => [`M${this.middle(from).toFixed(1)} ${read}L${this.middle(to).toFixed(1)} ${wrote}`, weight];
      return weights ? weights[i].map((weight, j) => line(j, i, weight)) : i === 0 ? [line(n - 1, 0, 1)] : [];
    }

    draw() {
      const { step, model } = this.state;
      const words = this.words;
      const letters = this.data.text;
      const n = letters.length;
      const { read, wrote, written, weights } = this.data.models[model];
      const now = step - n - 1; // the writing step; negative while reading
      const paint = ({ cells, group }, state, opacity) => {
        group.setAttribute("opacity", opacity);
        state.forEach((value, i) => {
          cells[i].setAttribute("fill", value > 0 ? POSITIVE : NEGATIVE);
          cells[i].setAttribute("fill-opacity", Math.min(Math.abs(value), 1).toFixed(2));
        });
      };
      const given = (j) => weights || now < 0 || j === n - 1; // the others were thrown away
      this.read.forEach((column, j) => paint(column, read[j], j >= step ? 0.12 : given(j) ? 1 : 0.3));
      this.wrote.forEach((column, j) => {
        paint(column, wrote[j], j <= now ? 1 : 0.12);
        const right = written[j] === letters[n - 1 - j];
        column.letter.textContent = j <= now ? written[j] : "";
        column.letter.setAttribute("style", right ? "" : `fill: ${WRONG}; text-decoration: line-through`);
      });
      const lines = [];
      for (let i = 0; i <= now; i += 1) {
        for (const [d, weight] of this.look(i)) {
          if (weight > 0.02) lines.push(CourseFigure.svg("path", { d, "stroke-width": (1 + 5 * weight).toFixed(1), opacity: (i === now || !weights ? weight : 0.3 * weight).toFixed(2) }));
        }
      }
      this.looks.replaceChildren(...lines);
      if (step === 0) this.say(words.start);
      else if (now < 0) this.say(words.reading(letters[step - 1], step));
      else {
        const right = written.slice(0, now + 1).filter((letter, j) => letter === letters[n - 1 - j]).length;
        const most = weights ? weights[now].indexOf(Math.max(...weights[now])) : 0;
        const how = weights ? words.looked(letters[most], most + 1, weights[now][most].toFixed(2)) : words.handed;
        this.say(words.writing(written[now], now + 1) + how + words.score(right, now + 1));
      }
    }
  }

  customElements.define("course-look-back-steps", LookBackSteps);
})();
