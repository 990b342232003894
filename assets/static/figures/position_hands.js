// Position encoding as hands, waves and a map of colours: one position, one pair, one dimension to choose.
"use strict";

(() => {
  const LENGTH = 50;
  const STEP = 6; // from position to position
  const LEFT = 46;
  const WAVE = { middle: 156, height: 34 };
  const MAP = { top: 210, height: 112 };
  const LEVELS = 8; // shades from −1, the paper, to 1
  const SIN = "var(--course-accent, #1f5fa8)";
  const COS = "var(--course-accent-2, #a34f00)";

  class PositionHands extends CourseFigure {
    static words = {
      ko: {
        picture: "바늘, 물결, 색으로 그린 위치 인코딩",
        position: "위치 p",
        pair: "쌍 i",
        dims: "차원 d",
        place: "위치",
        dimension: "차원",
        say: (p, i, angle, sin, cos) => `위치 ${p}에서 쌍 ${i}의 각도는 ${angle}라디안, 사인은 ${sin}, 코사인은 ${cos}입니다.`,
      },
      en: {
        picture: "position encoding as hands, waves and colours",
        position: "position p",
        pair: "pair i",
        dims: "dimension d",
        place: "position",
        dimension: "dim.",
        say: (p, i, angle, sin, cos) => `At position ${p} the angle of pair ${i} is ${angle} radians: sine ${sin}, cosine ${cos}.`,
      },
    };

    state = { position: 10, pair: 1, dims: 8 };

    angle(position, pair) {
      return position / 10_000 ** ((2 * pair) / this.state.dims);
    }

    encoding(position) {
      return Array.from({ length: this.state.dims }, (_, j) => (j % 2 ? Math.cos : Math.sin)(this.angle(position, j >> 1)));
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content = "", attributes = {}) => svg("text", { x, y, "font-size": 12.5, "text-anchor": "middle", ...attributes }, content);
      this.text = text;
      const right = LEFT + STEP * LENGTH;
      const bottom = MAP.top + MAP.height;
      const picture = svg("svg", { viewBox: `0 0 ${right + 4} ${bottom + 34}`, role: "img", "aria-label": words.picture });
      picture.style.maxWidth = "30rem";
      const put = (name, attributes) => picture.appendChild(svg(name, { fill: "none", ...attributes }));
      this.clocks = put("g");
      put("path", { d: `M${LEFT} ${WAVE.middle}H${right}M${LEFT} ${WAVE.middle - WAVE.height}V${WAVE.middle + WAVE.height}`, stroke: "currentColor", "stroke-opacity": 0.5 });
      this.sine = put("path", { stroke: SIN, "stroke-width": 2 });
      this.cosine = put("path", { stroke: COS, "stroke-width": 2, "stroke-dasharray": "6 3" });
      this.shades = [];
      for (let level = 1; level <= LEVELS; level += 1) {
        this.shades.push([level, put("path", { fill: "currentColor", "fill-opacity": (0.9 * level) / LEVELS })]);
      }
      put("rect", { x: LEFT, y: MAP.top, width: right - LEFT, height: MAP.height, stroke: "currentColor", "stroke-opacity": 0.5 });
      this.row = put("rect", { x: LEFT, width: right - LEFT, stroke: SIN, "stroke-width": 3 });
      this.here = put("path", { stroke: SIN, "stroke-width": 2 });
      this.points = [SIN, COS].map((fill) => put("circle", { r: 5, fill }));
      this.rowName = text(LEFT - 6, 0, "", { "text-anchor": "end" });
      const side = { "text-anchor": "end" };
      picture.append(
        text(LEFT - 6, WAVE.middle - WAVE.height + 6, "1", side), text(LEFT - 6, WAVE.middle + 4, "0", side), text(LEFT - 6, WAVE.middle + WAVE.height + 2, "−1", side),
        text(right, WAVE.middle + WAVE.height + 14, "cos", { ...side, style: `fill: ${COS}` }), text(right - 30, WAVE.middle + WAVE.height + 14, "sin", { ...side, style: `fill: ${SIN}` }),
        this.rowName, text(LEFT - 6, MAP.top - 5, words.dimension, side),
        ...[0, 10, 20, 30, 40].map((p) => text(LEFT + STEP * (p + 0.5), bottom + 15, String(p))),
        text(right, bottom + 30, words.place, side),
      );
      this.pairs = this.slider(words.pair, { key: "pair", min: 0, max: this.state.dims / 2 - 1 });
      stage.append(
        html("div", { class: "lf-controls" },
          this.slider(words.position, { key: "position", min: 0, max: LENGTH - 1 }),
          this.pairs,
          this.choice(words.dims, { key: "dims", options: [4, 8, 16].map((dims) => [dims, String(dims)]) })),
        picture,
      );
    }

    // What only another dimension changes.
    lay() {
      const { dims } = this.state;
      const rowHeight = MAP.height / dims;
      this.state.pair = Math.min(this.state.pair, dims / 2 - 1);
      this.pairs.querySelector("input").max = dims / 2 - 1;
      this.pairs.show();
      const cells = new Map(this.shades.map(([level]) => [level, ""]));
      for (let p = 0; p < LENGTH; p += 1) {
        this.encoding(p).forEach((value, j) => {
          const level = Math.round((LEVELS * (value + 1)) / 2);
          if (level) cells.set(level, `${cells.get(level)}M${LEFT + STEP * p} ${MAP.top + rowHeight * j}h${STEP}v${rowHeight}h-${STEP}`);
        });
      }
      for (const [level, path] of this.shades) path.setAttribute("d", cells.get(level));
      const room = (LEFT + STEP * LENGTH) / (dims / 2);
      const radius = Math.min(room / 2 - 3, 38);
      this.hands = Array.from({ length: dims / 2 }, (_, i) => {
        const x = room * (i + 0.5);
        const { svg } = CourseFigure;
        return {
          x, radius, y: 46,
          face: svg("circle", { cx: x.toFixed(1), cy: 46, r: radius.toFixed(1), stroke: "currentColor" }),
          hand: svg("path", { fill: "none", "stroke-linejoin": "round", "stroke-linecap": "round" }),
          name: this.text(x.toFixed(1), 104, `i = ${i}`),
        };
      });
      this.clocks.replaceChildren(...this.hands.flatMap(({ face, hand, name }) => [face, hand, name]));
      this.laid = dims;
    }

    draw() {
      if (this.laid !== this.state.dims) this.lay();
      const { position, pair, dims } = this.state;
      this.hands.forEach(({ x, y, radius, face, hand, name }, i) => {
        const [sin, cos] = [Math.sin, Math.cos].map((of) => of(this.angle(position, i)) * (radius - 3));
        hand.setAttribute("d", CourseFigure.arrow(x, y, x + sin, y - cos, 8));
        hand.setAttribute("stroke", i === pair ? SIN : "currentColor");
        hand.setAttribute("stroke-width", i === pair ? 3.5 : 2);
        face.setAttribute("stroke-width", i === pair ? 2 : 1);
        face.setAttribute("stroke-opacity", i === pair ? 1 : 0.4);
        name.setAttribute("font-weight", i === pair ? 700 : 400);
      });
      const at = (p) => LEFT + STEP * (p + 0.5);
      const level = (value) => (WAVE.middle - WAVE.height * value).toFixed(1);
      const wave = (of) => Array.from({ length: 2 * LENGTH - 1 }, (_, half) => `${at(half / 2)} ${level(of(this.angle(half / 2, pair)))}`).join("L");
      this.sine.setAttribute("d", `M${wave(Math.sin)}`);
      this.cosine.setAttribute("d", `M${wave(Math.cos)}`);
      const angle = this.angle(position, pair);
      [Math.sin, Math.cos].forEach((of, j) => {
        this.points[j].setAttribute("cx", at(position));
        this.points[j].setAttribute("cy", level(of(angle)));
      });
      const rowHeight = MAP.height / dims;
      const top = MAP.top + 2 * pair * rowHeight;
      this.row.setAttribute("y", top);
      this.row.setAttribute("height", 2 * rowHeight);
      this.rowName.setAttribute("y", top + rowHeight + 4);
      this.rowName.textContent = `${2 * pair}, ${2 * pair + 1}`;
      this.here.setAttribute("d", `M${at(position)} ${WAVE.middle - WAVE.height}V${MAP.top + MAP.height}`);
      const number = (value) => value.toFixed(3).replace("-", "−");
      this.say(this.words.say(position, pair, number(angle), number(Math.sin(angle)), number(Math.cos(angle))));
    }
  }

  customElements.define("course-position-hands", PositionHands);
})();
