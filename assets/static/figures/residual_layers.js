// Five inputs on their way through 24 blocks, with shortcuts and without: what is left of their differences.
"use strict";

(() => {
  const INPUTS = 5;
  const PARTS = 5; // components shown of each
  const CELL = 19;
  const LEFT = [4, 128, 252]; // of the three stacks
  const TOP = 46;
  const GRAPH = { top: 208, height: 104, left: 40, width: 306 };
  const COLOURS = ["var(--course-accent, #1f5fa8)", "var(--course-wrong, #a3301d)", "var(--course-accent-2, #a34f00)"];
  const DASHES = ["none", "7 3", "2 3"];

  class ResidualLayers extends CourseFigure {
    static words = {
      ko: {
        picture: "블록을 지나며 달라지는 다섯 벡터와, 서로의 코사인",
        layer: "지난 블록",
        kinds: [["지름길", ""], ["지름길 없음", ""], ["지름길 없음,", "공들인 초깃값"]],
        gradient: "기울기",
        cosine: "코사인의 평균",
        blocks: "지난 블록",
        say: (layer, [kept, plain, careful]) => `블록 ${layer}개를 지난 뒤 입력들의 코사인은 지름길이 있으면 ${kept}, 없으면 ${plain}, 없지만 초깃값을 공들이면 ${careful}입니다.`,
      },
      en: {
        picture: "five vectors passing through blocks, and the cosine between them",
        layer: "blocks passed",
        kinds: [["shortcuts", ""], ["no shortcuts", ""], ["no shortcuts,", "careful start"]],
        gradient: "gradient",
        cosine: "mean cosine",
        blocks: "blocks passed",
        say: (layer, [kept, plain, careful]) => `After ${layer} blocks the cosine between inputs is ${kept} with shortcuts, ${plain} without, ${careful} without but with a careful start.`,
      },
    };

    state = { layer: 24 };

    build(stage) {
      const { svg } = CourseFigure;
      const words = this.words;
      const last = this.data.stacks[0].alike.length - 1;
      const text = (x, y, content = "", attributes = {}) => svg("text", { x, y, "font-size": 12.5, "text-anchor": "middle", ...attributes }, content);
      const bottom = GRAPH.top + GRAPH.height;
      const picture = svg("svg", { viewBox: `0 0 352 ${bottom + 36}`, role: "img", "aria-label": words.picture });
      picture.style.maxWidth = "30rem";
      const put = (name, attributes) => picture.appendChild(svg(name, { fill: "none", ...attributes }));
      this.at = (layer) => GRAPH.left + (GRAPH.width * layer) / last;
      const level = (value) => bottom - GRAPH.height * value;
      this.level = level;
      this.stacks = this.data.stacks.map(({ alike }, k) => {
        const left = LEFT[k];
        const middle = left + (PARTS * CELL) / 2;
        const [first, second] = words.kinds[k];
        const style = `fill: ${COLOURS[k]}`;
        picture.append(text(middle, second ? 16 : 30, first, { "font-weight": 600, style }), text(middle, 34, second, { "font-weight": 600, style }));
        const cells = Array.from({ length: INPUTS * PARTS }, (_, i) =>
          put("rect", { x: left + CELL * (i % PARTS), y: TOP + (CELL + 2) * Math.floor(i / PARTS), width: CELL, height: CELL }));
        put("rect", { x: left - 1, y: TOP - 1, width: PARTS * CELL + 2, height: INPUTS * (CELL + 2), stroke: "currentColor", "stroke-opacity": 0.4 });
        put("path", { d: `M${alike.map((value, at) => `${this.at(at).toFixed(1)} ${level(value).toFixed(1)}`).join("L")}`, stroke: COLOURS[k], "stroke-width": 2, "stroke-dasharray": DASHES[k] });
        return { cells, gradient: picture.appendChild(text(middle, TOP + INPUTS * (CELL + 2) + 18)), point: put("circle", { r: 5, fill: COLOURS[k] }) };
      });
      put("path", { d: `M${GRAPH.left} ${GRAPH.top}V${bottom}H${GRAPH.left + GRAPH.width}`, stroke: "currentColor", "stroke-opacity": 0.5 });
      this.here = put("path", { stroke: "currentColor", "stroke-opacity": 0.5, "stroke-dasharray": "3 3" });
      picture.append(
        text(GRAPH.left, GRAPH.top - 10, words.cosine, { "text-anchor": "start" }),
        ...[0, 0.5, 1].map((value) => text(GRAPH.left - 6, level(value) + 4, String(value), { "text-anchor": "end" })),
        ...[0, 6, 12, 18, 24].map((layer) => text(this.at(layer), bottom + 16, String(layer))),
        text(GRAPH.left + GRAPH.width, bottom + 32, words.blocks, { "text-anchor": "end" }),
      );
      stage.append(this.steps({ key: "layer", last, seconds: 0.5, label: words.layer }), picture);
    }

    draw() {
      const { layer } = this.state;
      const { stacks } = this.data;
      const { svg } = CourseFigure;
      stacks.forEach(({ alike, rows, gradient }, k) => {
        const { cells, gradient: text, point } = this.stacks[k];
        rows[layer].flat().forEach((value, i) => {
          cells[i].setAttribute("fill", value > 0 ? COLOURS[0] : COLOURS[2]);
          cells[i].setAttribute("fill-opacity", Math.min(2 * Math.abs(value), 1).toFixed(2));
        });
        point.setAttribute("cx", this.at(layer).toFixed(1));
        point.setAttribute("cy", this.level(alike[layer]).toFixed(1));
        // The gradient of the block just passed, as a power of ten.
        if (layer) text.replaceChildren(`${this.words.gradient} 10`, svg("tspan", { dy: -5 }, String(Math.round(gradient[layer - 1])).replace("-", "−")));
        else text.replaceChildren();
      });
      this.here.setAttribute("d", `M${this.at(layer).toFixed(1)} ${GRAPH.top}V${GRAPH.top + GRAPH.height}`);
      this.say(this.words.say(layer, stacks.map(({ alike }) => alike[layer].toFixed(2))));
    }
  }

  customElements.define("course-residual-layers", ResidualLayers);
})();
