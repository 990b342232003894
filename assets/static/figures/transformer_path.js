// 한 문장의 길: every tensor from a sentence's ids to the probabilities of the next token.
"use strict";

(() => {
  const [BOX, PITCH, WIDE] = [21, 26, 150]; // a part's height, from one part to the next, its width
  const [LEFT, RIGHT] = [8, 188];
  const BOTTOM = 290;
  // The parts of each column from the bottom up, and which of them are one layer.
  const COLUMNS = [
    { x: LEFT, side: "src", parts: ["embedding", "position", "attention", "add", "feed", "add2"], layer: [2, 5] },
    {
      x: RIGHT,
      side: "tgt",
      parts: ["embedding", "position", "masked", "add", "cross", "add2", "feed", "add3", "linear", "softmax"],
      layer: [2, 7],
    },
  ];
  // A tensor: the part that it leaves ("layer": the whole stack), its name and what there is to see.
  const add = { ko: ["더하고 정규화", "들어온 것에 더하고, 행마다 평균 0, 분산 1로 맞춥니다."], en: ["add & norm", "Added to what came in; each row: mean 0, variance 1."] };
  const feed = { ko: ["피드포워드의 안쪽", "두 배로 넓히고 음수를 0으로 합니다."], en: ["inside the feed-forward", "Twice as wide, negatives become 0."] };
  const place = { ko: ["위치를 더한 것", "자리마다 다른 벡터를 더합니다."], en: ["position added", "A vector for each place is added."] };
  const TENSORS = {
    "src ids": { at: "src ids", ko: ["원문의 번호", "단어마다 어휘의 번호 하나입니다."], en: ["source ids", "A number for each word."] },
    "src embedding": { at: "src embedding", ko: ["원문 임베딩 · √d", "번호로 표의 행을 골라 √128을 곱합니다."], en: ["source embedding · √d", "Rows of a table, times √128."] },
    "src position": { at: "src position", ...place },
    "enc q": { at: "src attention", ko: ["인코더 1층의 질의", "무엇을 찾는지입니다. 헤드 넷 가운데 첫째입니다."], en: ["queries, encoder layer 1", "What a word looks for; the first head."] },
    "enc k": { at: "src attention", ko: ["인코더 1층의 키", "무엇으로 찾아지는지입니다."], en: ["keys, encoder layer 1", "What finds it."] },
    "enc v": { at: "src attention", ko: ["인코더 1층의 값", "찾은 뒤에 섞을 것입니다."], en: ["values, encoder layer 1", "What is mixed."] },
    "enc weights": { at: "src attention", ko: ["인코더 1층의 가중치", "질의와 키의 내적에서 나옵니다. 행의 합은 1입니다."], en: ["weights, encoder layer 1", "From queries times keys; rows add up to 1."] },
    "enc out": { at: "src attention", ko: ["어텐션의 출력", "네 헤드가 섞은 값을 이어 붙여 행렬을 곱합니다."], en: ["output of attention", "Four heads side by side, times a matrix."] },
    "enc norm1": { at: "src add", ...add },
    "enc inside": { at: "src feed", ...feed },
    "enc norm2": { at: "src add2", ...add },
    memory: { at: "src layer", ko: ["인코더의 출력 Z", "2층이 같은 일을 한 번 더 했습니다. 디코더는 원문에서 이것만 봅니다."], en: ["encoder output Z", "After a second layer. All that the decoder sees."] },
    "tgt ids": { at: "tgt ids", ko: ["번역문의 번호", "지금까지 쓴 글자입니다. 쓸 때마다 행이 하나 늡니다."], en: ["target ids", "What is written."] },
    "tgt embedding": { at: "tgt embedding", ko: ["번역문 임베딩 · √d", "번역문의 표는 따로 있습니다."], en: ["target embedding · √d", "From a table of its own."] },
    "tgt position": { at: "tgt position", ...place },
    "own weights": { at: "tgt masked", ko: ["디코더 1층의 가린 가중치", "자기와 앞만 봅니다. 미래는 0입니다."], en: ["masked weights, decoder layer 1", "The past only."] },
    "dec norm1": { at: "tgt add", ...add },
    "cross q": { at: "tgt cross", ko: ["크로스 어텐션의 질의", "쓰는 쪽이 묻습니다."], en: ["queries of the cross", "The writing side asks."] },
    "cross k": { at: "tgt cross", ko: ["크로스 어텐션의 키", "Z에서 나오므로 더 써도 바뀌지 않습니다."], en: ["keys of the cross", "Made from Z."] },
    "cross weights": { at: "tgt cross", ko: ["1층의 크로스 어텐션", "첫째 헤드가 원문의 어디를 보는지입니다."], en: ["cross-attention, layer 1", "Where the first head looks in the source."] },
    "dec norm2": { at: "tgt add2", ...add },
    "dec inside": { at: "tgt feed", ...feed },
    "dec norm3": { at: "tgt add3", ...add },
    "last cross": { at: "tgt cross", ko: ["2층의 크로스 어텐션", "위에서 고른 헤드가 다음 글자를 쓰려고 보는 곳입니다."], en: ["cross-attention, layer 2", "Where the head chosen above looks."] },
    hidden: { at: "tgt layer", ko: ["디코더의 출력 H", "행마다 다음 글자를 정할 벡터입니다."], en: ["decoder output H", "Rows decide on the next token."] },
    logits: { at: "tgt linear", ko: ["로짓", "H에 행렬을 곱해 어휘의 토큰마다 점수를 냅니다."], en: ["logits", "H times a matrix: a score for each token."] },
    probabilities: { at: "tgt softmax", ko: ["다음 토큰의 확률", "행마다 소프트맥스를 취합니다."], en: ["probabilities of the next token", "A softmax of each row."] },
  };
  const SHARES = new Set(["enc weights", "own weights", "cross weights", "last cross", "probabilities"]);
  const mark = (element, attributes) => Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  const number = (value, digits) => value.toFixed(digits).replace(/^-(?=.*[1-9])/, "−").replace(/^-/, "");

  class TransformerPath extends CourseFigure {
    static words = {
      ko: {
        embedding: "임베딩", position: "위치 더하기", attention: "셀프 어텐션", masked: "가린 셀프 어텐션", cross: "크로스 어텐션",
        add: "더하고 정규화", feed: "피드포워드", linear: "선형 변환", softmax: "소프트맥스",
        stage: "텐서", written: "쓴 글자", map: "트랜스포머와 지금 보는 텐서", cells: "수를 화살표 키로 고르기",
        part: (shape, columns) => (shape[1] && columns < shape.at(-1) ? `모양 ${size(shape)} · 앞 ${columns}열` : `모양 ${size(shape)}`),
        value: (row, column, value) => `‘${row}’의 ${column} = ${value}`,
        column: (j) => `${j + 1}번째 수`,
        next: (token, p) => ` 다음 토큰은 ‘${token}’ ${p}입니다.`,
        tensor: ({ ko }) => ko,
      },
      en: {
        embedding: "embedding", position: "add position", attention: "self-attention", masked: "masked self-attention", cross: "cross-attention",
        add: "add & norm", feed: "feed-forward", linear: "linear", softmax: "softmax",
        stage: "tensor", written: "written", map: "the Transformer and the tensor in view", cells: "numbers; arrow keys choose one",
        part: (shape, columns) => (shape[1] && columns < shape.at(-1) ? `shape ${size(shape)}, the first ${columns} columns` : `shape ${size(shape)}`),
        value: (row, column, value) => `‘${row}’, ${column} = ${value}`,
        column: (j) => `number ${j + 1}`,
        next: (token, p) => ` The next token is ‘${token}’, ${p}.`,
        tensor: ({ en }) => en,
      },
    };

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const { source, target, tensors } = this.data;
      this.last = tensors.length - 1;
      this.state = { stage: this.last, written: target.length - 2, cell: null };
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 14, "text-anchor": "middle", ...attributes }, content);
      this.text = text;

      this.parts = {};
      const drawing = svg("g", {});
      for (const { x, side, parts, layer } of COLUMNS) {
        const y = (i) => BOTTOM - (i + 1) * PITCH;
        const [first, last] = layer;
        const frame = svg("rect", { x: x - 6, y: y(last) - 4, width: WIDE + 12, height: (last - first + 1) * PITCH + 3, rx: 8, fill: "none", "stroke-dasharray": "6 4" });
        const ids = text(x + WIDE / 2, BOTTOM + 16, "");
        drawing.append(frame, ids, text(x + WIDE + 15, y(first) + BOX, "×2"));
        this.parts[`${side} layer`] = frame;
        this.parts[`${side} ids`] = ids;
        parts.forEach((part, i) => {
          const box = svg("rect", { x, y: y(i), width: WIDE, height: BOX, rx: 4, fill: "none" });
          drawing.append(box, text(x + WIDE / 2, y(i) + 15, words[part.replace(/\d/, "")], { "font-size": 13 }));
          this.parts[`${side} ${part}`] = box;
        });
      }
      const top = BOTTOM - 6 * PITCH;
      const cross = BOTTOM - 5 * PITCH + BOX / 2;
      this.output = text(RIGHT + WIDE / 2, 20, "", { "font-weight": 600 });
      drawing.append(this.output, svg("path", { d: `M${LEFT + WIDE / 2} ${top}v-10h${RIGHT - LEFT - WIDE / 2 - 14}V${cross}h12m-5 -4l5 4l-5 4`, fill: "none", stroke: "currentColor", "stroke-width": 1.6 }));

      this.cells = svg("g", { tabindex: 0, role: "group", "aria-label": words.cells });
      const pointed = (event) => {
        const place = event.target.dataset.place;
        if (place) this.set({ cell: place.split(" ").map(Number) });
      };
      this.cells.addEventListener("pointerover", pointed);
      this.cells.addEventListener("pointerdown", pointed);
      this.cells.addEventListener("keydown", (event) => {
        const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [];
        if (down === undefined) return;
        event.preventDefault();
        const [i, j] = this.state.cell ?? [0, -1];
        const { values } = this.tensor;
        const within = (at, count) => Math.min(Math.max(at, 0), count - 1);
        this.set({ cell: [within(i + down, this.visibleRows(values)), within(j + right, values[0].length)] });
      });
      this.picture = svg("svg", { role: "group", "aria-label": words.map }, drawing, this.cells);
      const wide = matchMedia("(min-width: 48rem)");
      const lay = () => {
        mark(this.picture, { viewBox: wide.matches ? "0 0 736 316" : "0 0 368 560" });
        mark(this.cells, { transform: wide.matches ? "translate(368 40)" : "translate(0 326)" });
              };
      wide.addEventListener("change", lay);
      lay();
      this.labels = { src: source, tgt: target.slice(0, -1) };
      stage.append(
        html("div", {}, this.steps({ key: "stage", last: this.last, label: words.stage }), this.steps({ key: "written", last: target.length - 2, label: words.written })),
        this.picture,
      );
    }

    set(changes) {
      if (!("cell" in changes)) this.state.cell = null;
      super.set(changes);
    }

    get tensor() {
      const [key, shape, values] = this.data.tensors[this.state.stage];
      return { key, shape, values };
    }

    // Of the decoder's rows, those of what has been written.
    visibleRows(values) {
      const ofSource = values.length === this.labels.src.length;
      return ofSource ? values.length : this.state.written + 1;
    }

    draw() {
      const { svg } = CourseFigure;
      const { words, text, labels } = this;
      const { written, cell } = this.state;
      const { key, shape, values } = this.tensor;
      const { target, vocabulary } = this.data;
      const [name, sentence] = words.tensor(TENSORS[key]);
      for (const [place, part] of Object.entries(this.parts)) {
        const here = place === TENSORS[key].at;
        if (part.localName === "text") mark(part, { "font-weight": here ? 700 : 400 });
        else mark(part, { fill: here ? "var(--course-fill, #dbe8f6)" : "none", stroke: here ? "var(--course-accent, #1f5fa8)" : "currentColor", "stroke-width": here ? 2.5 : 1, "stroke-opacity": here ? 1 : 0.5 });
      }
      this.parts["src ids"].textContent = labels.src.join(" ");
      this.parts["tgt ids"].textContent = labels.tgt.slice(0, written + 1).join(" ");
      this.output.textContent = target.slice(1, written + 2).join(" ");

      const rows = values.length === labels.src.length ? labels.src : labels.tgt;
      const count = values[0].length;
      const heads = count > 8 ? vocabulary : SHARES.has(key) ? (key === "own weights" ? labels.tgt : labels.src) : null;
      const [x0, y0, height] = [72, 60, 34];
      const width = Math.min(292 / count, 64);
      const most = SHARES.has(key) ? 1 : Math.max(...values.flat().map(Math.abs));
      const chosen = cell && words.value(rows[cell[0]], heads ? `‘${heads[cell[1]]}’` : words.column(cell[1]), number(values[cell[0]][cell[1]], count === 1 ? 0 : 2));
      const children = [
        text(4, 14, name, { "font-size": 16, "font-weight": 600, "text-anchor": "start" }),
        text(4, 34, words.part(shape, count), { "font-size": 13, "text-anchor": "start" }),
      ];
      if (heads) heads.forEach((head, j) => children.push(text(x0 + (j + 0.5) * width, y0 - 6, count > 8 ? head.replace(/[[\]]/g, "")[0] : head, { "font-size": count > 8 || head.length > 7 ? 12 : 14 })));
      const seen = this.visibleRows(values);
      rows.forEach((token, i) => {
        const y = y0 + i * height;
        if (i >= seen) {
          children.push(svg("rect", { x: x0, y: y + 1, width: width * count, height: height - 2, fill: "none", stroke: "currentColor", "stroke-opacity": 0.4, "stroke-dasharray": "3 4" }));
          return;
        }
        children.push(text(x0 - 8, y + 22, token, { "text-anchor": "end" }));
        const best = Math.max(...values[i]);
        values[i].forEach((value, j) => {
          const x = x0 + j * width;
          const touched = cell && cell[0] === i && cell[1] === j;
          const wins = count > 8 && value === best;
          const colour = value < 0 ? "var(--course-accent-2, #a34f00)" : "var(--course-accent, #1f5fa8)";
          children.push(
            svg("rect", { x: x + 0.5, y: y + 1, width: width - 1, height: height - 2, fill: colour, "fill-opacity": shape.length === 1 ? 0 : (0.6 * Math.min(Math.abs(value) / most, 1)).toFixed(3), stroke: "currentColor", "stroke-opacity": touched || wins ? 1 : 0.25, "stroke-width": touched ? 3 : wins ? 2 : 1, "data-place": `${i} ${j}` }),
          );
          if (count <= 8) children.push(text(x + width / 2, y + 22, number(value, count === 1 ? 0 : SHARES.has(key) ? 2 : 1), { "font-size": 13, "pointer-events": "none" }));
        });
      });
      if (cell) children.push(text(4, y0 + rows.length * height + 20, chosen, { "text-anchor": "start" }));
      this.cells.replaceChildren(...children);

      const p = this.data.tensors[this.last][2][written];
      const next = rows === labels.tgt ? words.next(target[written + 1], Math.max(...p).toFixed(2)) : "";
      const said = chosen ?? sentence + next;
      this.say(`${this.state.stage}/${this.last} ${name}: ${said}`);
    }
  }

  function size(shape) {
    return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
  }

  customElements.define("course-transformer-path", TransformerPath);
})();
