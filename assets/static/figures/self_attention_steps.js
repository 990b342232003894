// One word of 나는 배를 먹었다 followed to its output: its query, everybody's keys and values, scores, weights, the sum.
"use strict";

(() => {
  const VECTORS = { 나는: [0, 0, -1], 배를: [1, 1, 0], 먹었다: [2, 0, 1], 탔다: [0, 2, 1] };
  const W_Q = [1, 1, -3];
  const W_K = [0, 0, 2];
  const WIDTH = 112; // of a word's column
  const LAST = 4;
  const QUERY = "var(--course-accent, #1f5fa8)";
  const KEY = "var(--course-accent-2, #a34f00)";
  const VALUE = "var(--course-right, #1a6b36)";

  const dot = (a, b) => a.reduce((sum, part, i) => sum + part * b[i], 0);
  const minus = (value) => String(value).replace("-", "−");
  const tuple = (vector) => `(${vector.map(minus).join(", ")})`;
  const factor = (value) => (value < 0 ? `(${minus(value)})` : minus(value));

  class SelfAttentionSteps extends CourseFigure {
    static words = {
      ko: {
        picture: "한 단어의 질의, 세 단어의 키와 값, 점수, 가중치, 출력",
        sentence: "문장",
        word: "따라갈 단어",
        verb: "동사",
        query: "질의",
        key: "키",
        value: "값",
        softmax: "소프트맥스",
        add: "더하기",
        times: "× 값",
        output: (word) => `‘${word}’의 출력`,
        say: [
          () => "단어마다 벡터가 하나입니다.",
          (word, found) => `벡터마다 질의, 키, 값을 만듭니다. ‘${word}’의 질의는 ${found.query}입니다.`,
          (word, found) => `‘${word}’의 질의를 세 단어의 키와 곱합니다. 점수는 ${found.scores}입니다.`,
          (word, found) => `점수를 소프트맥스로 바꿉니다. 가중치는 ${found.weights}입니다.`,
          (word, found) => `가중치로 세 단어의 값을 더합니다. ‘${word}’의 출력은 ${found.output}입니다.`,
        ],
      },
      en: {
        picture: "the query of one word, keys and values of three, scores, weights, output",
        sentence: "sentence",
        word: "word to follow",
        verb: "verb",
        query: "query",
        key: "key",
        value: "value",
        softmax: "softmax",
        add: "adds",
        times: "× value",
        output: (word) => `output of ‘${word}’`,
        say: [
          () => "Every word has one vector.",
          (word, found) => `Each is projected to a query, a key and a value. The query of ‘${word}’ is ${found.query}.`,
          (word, found) => `The query of ‘${word}’ times the three keys gives the scores ${found.scores}.`,
          (word, found) => `Softmax turns them into the weights ${found.weights}.`,
          (word, found) => `The weighted sum of the three values, the output of ‘${word}’, is ${found.output}.`,
        ],
      },
    };

    state = { verb: "먹었다", word: 1, step: LAST };

    attend() {
      const names = ["나는", "배를", this.state.verb];
      const vectors = names.map((name) => VECTORS[name]);
      const [queries, keys] = [W_Q, W_K].map((weights) => vectors.map((vector) => dot(vector, weights)));
      const values = vectors.map((vector) => vector.slice(0, 2));
      const query = queries[this.state.word];
      const scores = keys.map((key) => query * key); // one dimension: nothing to divide by
      const weights = CourseFigure.softmax(scores);
      const output = [0, 1].map((i) => dot(weights, values.map((value) => value[i])));
      return { names, vectors, queries, keys, values, query, scores, weights, output };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content = "", attributes = {}) => svg("text", { x, y, "font-size": 14, "text-anchor": "middle", ...attributes }, content);
      const box = (x, y, width, height, attributes) => svg("rect", { x, y, width, height, rx: 4, fill: "none", "stroke-width": 1.5, ...attributes });
      const small = { "font-size": 12.5 };
      const bold = { "font-weight": 600 };
      const picture = svg("svg", { viewBox: "0 0 352 372", role: "img", "aria-label": words.picture });
      picture.style.maxWidth = "27rem";
      const line = (attributes) => svg("path", { fill: "none", stroke: "currentColor", "stroke-width": 1.5, "stroke-linejoin": "round", ...attributes });
      // What appears at each step; a step's group stays from then on.
      this.layers = Array.from({ length: LAST + 1 }, () => picture.appendChild(svg("g")));
      this.links = line({ stroke: QUERY, "stroke-width": 2 });
      this.layers[2].append(this.links);
      this.layers[3].append(text(176, 206, words.softmax, small));
      this.layers[4].append(
        line({ d: `M58 286v20H294v-20${CourseFigure.arrow(176, 286, 176, 322, 7)}` }), text(182, 302, words.add, { ...small, "text-anchor": "start" }),
        box(101, 324, 150, 46, { stroke: VALUE }),
      );
      this.columns = [0, 1, 2].map((j) => {
        const left = 4 + 118 * j;
        const middle = left + WIDTH / 2 - 2;
        const put = (layer, element) => this.layers[layer].appendChild(element);
        put(0, box(left, 2, WIDTH - 4, 46, { stroke: "currentColor" }));
        put(1, line({ d: [19, 53, 88].map((x) => `M${middle} 48L${left + x} 70`).join(""), "stroke-width": 1 }));
        const roles = [[0, 38, QUERY, words.query], [41, 25, KEY, words.key], [69, 39, VALUE, words.value]];
        const [query, key, value] = roles.map(([x, width, stroke, label]) => {
          const frame = put(1, box(left + x, 71, width, 48, { stroke }));
          put(1, text(left + x + width / 2, 90, label, small));
          return { frame, number: put(1, text(left + x + width / 2, 110)) };
        });
        put(3, line({ d: CourseFigure.arrow(middle, 180, middle, 212, 7), "stroke-opacity": j === 1 ? 0 : 1 }));
        return {
          query, key, value,
          keyAt: left + 53.5,
          queryAt: left + 19,
          name: put(0, text(middle, 21, "", bold)),
          vector: put(0, text(middle, 40)),
          score: put(2, text(middle, 172)),
          weight: put(3, text(middle, 230, "", bold)),
          frame: put(3, box(left, 238, WIDTH - 4, 10, { stroke: "currentColor", "stroke-opacity": 0.5, "stroke-width": 1, rx: 2 })),
          bar: put(3, svg("rect", { x: left, y: 238, height: 10, rx: 2, fill: QUERY })),
          times: put(4, text(middle, 272)),
        };
      });
      this.output = { name: text(176, 343, "", bold), vector: text(176, 363) };
      this.layers[4].append(this.output.name, this.output.vector);
      const sentence = (verb) => [verb, `나는 배를 ${verb}`];
      stage.append(
        html("div", { class: "lf-controls" },
          this.choice(words.sentence, { key: "verb", options: ["먹었다", "탔다"].map(sentence) }),
          this.choice(words.word, { key: "word", options: [[0, "나는"], [1, "배를"], [2, words.verb]] })),
        this.steps({ last: LAST, seconds: 2 }),
        picture,
      );
    }

    draw() {
      const { step, word } = this.state;
      const found = this.attend();
      this.layers.forEach((layer, at) => (layer.style.display = at > step ? "none" : ""));
      const from = this.columns[word].queryAt;
      const ends = this.columns.map(({ keyAt }) => keyAt);
      const [least, most] = [Math.min(from, ...ends), Math.max(from, ...ends)];
      this.links.setAttribute("d", `M${from} 119V146M${least} 146H${most}` + ends.map((x) => CourseFigure.arrow(x, 146, x, 122, 7)).join(""));
      this.columns.forEach(({ query, key, value, name, vector, score, weight, bar, times }, j) => {
        name.textContent = found.names[j];
        vector.textContent = tuple(found.vectors[j]);
        query.number.textContent = minus(found.queries[j]);
        key.number.textContent = minus(found.keys[j]);
        value.number.textContent = tuple(found.values[j]);
        query.frame.setAttribute("fill", j === word ? "var(--course-fill, #dbe8f6)" : "none");
        query.frame.setAttribute("stroke-dasharray", j === word || step < 2 ? "none" : "3 3"); // the others' queries play no part
        score.textContent = `${minus(found.query)} · ${factor(found.keys[j])} = ${minus(found.scores[j] + 0)}`;
        weight.textContent = found.weights[j].toFixed(3);
        bar.setAttribute("width", Math.max((WIDTH - 4) * found.weights[j], 1).toFixed(1));
        times.textContent = `${this.words.times} ${tuple(found.values[j])}`;
      });
      const output = `(${found.output.map((part) => part.toFixed(2)).join(", ")})`;
      this.output.name.textContent = this.words.output(found.names[word]);
      this.output.vector.textContent = output;
      const listed = (numbers) => numbers.join(", ");
      this.say(this.words.say[step](found.names[word], {
        query: minus(found.query),
        scores: listed(found.scores.map((score) => minus(score + 0))),
        weights: listed(found.weights.map((weight) => weight.toFixed(3))),
        output,
      }));
    }
  }

  customElements.define("course-self-attention-steps", SelfAttentionSteps);
})();
