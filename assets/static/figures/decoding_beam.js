// Beam search as a tree: how many hypotheses are kept, step after step, and which sentence is found.
"use strict";

(() => {
  // The page's MODEL; a place is the words so far.
  const MODEL = {
    "": { 오늘: 0.5, 내일: 0.4, 어제: 0.1 },
    오늘: { 은: 0.4, 도: 0.35, 만: 0.25 },
    내일: { 은: 0.9, 도: 0.1 },
    "오늘 은": { 맑다: 0.5, 흐리다: 0.3, 덥다: 0.2 },
    "내일 은": { 흐리다: 0.6, 맑다: 0.3, 덥다: 0.1 },
  };
  const STEPS = 3;
  const COLUMN = [4, 78, 182, 286]; // where SOS and the words of each step begin
  const [WIDTH, HEIGHT] = [74, 40];
  const LAST = 98; // the last column's width
  const ROW = 46;

  // Every sentence of up to three words, and on which row its place is; a parent stands in the middle of its children.
  const nodes = [];
  let leaves = 0;
  (function grow(sentence, p, depth) {
    const node = { sentence, p, depth, word: sentence.split(" ").at(-1) };
    const children = Object.entries(MODEL[sentence] ?? {}).map(([word, share]) => grow(`${sentence} ${word}`.trim(), p * share, depth + 1));
    node.row = children.length ? (children[0].row + children.at(-1).row) / 2 : leaves++;
    node.parent = null;
    for (const child of children) child.parent = node;
    nodes.push(node);
    return node;
  })("", 1, 0);
  const root = nodes.at(-1);

  // The beams after 0, 1, 2 … steps. `each`: the mistake of keeping one child of every hypothesis.
  function beams(size, each) {
    const found = [[root]];
    for (let step = 1; step <= STEPS; step++) {
      const candidates = nodes.filter((node) => found.at(-1).includes(node.parent)).sort((a, b) => b.p - a.p);
      const first = (node) => candidates.find(({ parent }) => parent === node.parent) === node;
      found.push(each && step > 1 ? candidates.filter(first) : candidates.slice(0, size));
    }
    return found;
  }

  class DecodingBeam extends CourseFigure {
    static words = {
      ko: {
        size: "빔의 크기 K",
        step: "걸음",
        each: "가설마다 하나씩만 남기기 (흔한 실수)",
        map: "빔 서치의 나무",
        kept: (step, seen, names) => `${step}걸음: 후보 ${seen}개 가운데 남긴 것은 ${names}입니다.`,
        found: (sentence, p) => ` 찾은 문장은 ‘${sentence}’ ${p}입니다.`,
      },
      en: {
        size: "beam size K",
        step: "step",
        each: "keep one continuation per hypothesis (a common mistake)",
        map: "the tree of a beam search",
        kept: (step, seen, names) => `Step ${step}: of ${seen} candidates, ${names} survive.`,
        found: (sentence, p) => ` The sentence found is ‘${sentence}’, ${p}.`,
      },
    };

    state = { size: 2, step: STEPS, each: false };

    beams() {
      return beams(this.state.size, this.state.each);
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 15, "text-anchor": "middle", ...attributes }, content);
      this.picture = svg("svg", { viewBox: `0 0 388 ${leaves * ROW}`, role: "img", "aria-label": this.words.map });
      this.picture.style.maxWidth = "28rem";
      const width = ({ depth }) => (depth === 0 ? 50 : depth === STEPS ? LAST : WIDTH);
      const middle = ({ row }) => (row + 0.5) * ROW;
      this.drawn = new Map();
      for (const node of nodes.filter(({ parent }) => parent)) {
        const line = svg("path", { d: `M${COLUMN[node.depth - 1] + width(node.parent)} ${middle(node.parent)}L${COLUMN[node.depth]} ${middle(node)}` });
        this.picture.append(line);
        this.drawn.set(node, { line });
      }
      for (const node of nodes) {
        const box = svg("rect", { x: COLUMN[node.depth], y: middle(node) - HEIGHT / 2, width: width(node), height: HEIGHT, rx: 5 });
        const centre = COLUMN[node.depth] + width(node) / 2;
        const word = node.parent ? text(centre, middle(node) - 3, node.word) : text(centre, middle(node) + 5, "SOS");
        const p = text(centre, middle(node) + 14, node.parent ? String(+node.p.toFixed(3)) : "", { "font-size": 14 });
        this.picture.append(box, word, p);
        this.drawn.set(node, { ...this.drawn.get(node), box, word, p });
      }
      stage.append(
        html("div", { class: "lf-controls" }, this.slider(this.words.size, { key: "size", min: 1, max: 4 })),
        this.toggle(this.words.each, { key: "each" }),
        this.steps({ last: STEPS, label: this.words.step }),
        this.picture,
      );
    }

    draw() {
      const found = this.beams();
      const { step } = this.state;
      const best = found[step][0];
      const path = new Set();
      for (let node = best; node; node = node.parent) path.add(node);
      const mark = (element, attributes) => Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
      for (const [node, { line, box, word, p }] of this.drawn) {
        const seen = node.depth === 0 || (node.depth <= step && found[node.depth - 1].includes(node.parent));
        const kept = node.depth <= step && found[node.depth].includes(node);
        const visibility = seen ? "visible" : "hidden";
        mark(box, {
          visibility,
          fill: kept ? "var(--course-fill, #dbe8f6)" : "none",
          stroke: kept ? "var(--course-accent, #1f5fa8)" : "currentColor",
          "stroke-dasharray": kept ? "none" : "5 4",
          "stroke-width": 1.5,
        });
        mark(word, { visibility, "font-weight": kept ? 600 : 400 });
        mark(p, { visibility });
        if (line) {
          const onPath = path.has(node);
          mark(line, {
            visibility,
            stroke: onPath ? "var(--course-accent-2, #a34f00)" : "currentColor",
            "stroke-width": onPath ? 4 : 1.4,
            "stroke-opacity": onPath ? 1 : 0.45,
          });
        }
      }
      const name = ({ sentence, p }) => `${sentence} ${+p.toFixed(3)}`;
      if (step === 0) {
        this.say("SOS");
        return;
      }
      const candidates = nodes.filter((node) => found[step - 1].includes(node.parent)).length;
      const sentence = this.words.kept(step, candidates, found[step].map(name).join(", "));
      this.say(sentence + (step === STEPS ? this.words.found(best.sentence, +best.p.toFixed(3)) : ""));
    }
  }

  customElements.define("course-decoding-beam", DecodingBeam);
})();
