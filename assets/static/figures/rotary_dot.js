// A query and a key turned by their positions: their dot product depends on the distance only.
"use strict";

(() => {
  const QUERY = [1, 0.5];
  const KEY = [0.3, 0.8];
  const LAST = 20; // the last position
  const UNIT = 78;
  const MIDDLE = { x: 176, y: 98 };
  const GRAPH = { middle: 262, height: 46, step: 7.8 };
  const COLOURS = { query: "var(--course-accent, #1f5fa8)", key: "var(--course-accent-2, #a34f00)" };

  const turn = ([a, b], angle) => [a * Math.cos(angle) - b * Math.sin(angle), a * Math.sin(angle) + b * Math.cos(angle)];
  const score = (p, r) => {
    const [query, key] = [turn(QUERY, p), turn(KEY, r)];
    return query[0] * key[0] + query[1] * key[1];
  };
  const number = (value, digits = 3) => value.toFixed(digits).replace("-", "−");

  class RotaryDot extends CourseFigure {
    static words = {
      ko: {
        picture: "위치만큼 돌린 질의와 키, 거리에 따른 점수",
        query: "질의",
        key: "키",
        p: "질의의 위치 p",
        r: "키의 위치 r",
        back: "둘 다 한 칸 앞으로",
        on: "둘 다 한 칸 뒤로",
        score: "점수",
        distance: "거리 p − r",
        say: (p, r, score) => `질의는 위치 ${p}, 키는 위치 ${r}. 거리 ${number(p - r, 0)}의 점수는 ${score}입니다.`,
      },
      en: {
        picture: "a query and a key turned by their positions, and the score by distance",
        query: "query",
        key: "key",
        p: "position p of the query",
        r: "position r of the key",
        back: "both one position back",
        on: "both one position forward",
        score: "score",
        distance: "distance p − r",
        say: (p, r, score) => `Query at position ${p}, key at position ${r}: at distance ${number(p - r, 0)} the score is ${score}.`,
      },
    };

    state = { p: 3, r: 2 };

    score() {
      return score(this.state.p, this.state.r);
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content = "", attributes = {}) => svg("text", { x, y, "font-size": 13, "text-anchor": "middle", ...attributes }, content);
      const picture = svg("svg", { viewBox: "0 0 352 350", role: "img", "aria-label": words.picture });
      picture.style.maxWidth = "28rem";
      const line = (attributes) => picture.appendChild(svg("path", { fill: "none", "stroke-linejoin": "round", "stroke-linecap": "round", ...attributes }));
      line({ d: `M${MIDDLE.x - 96} ${MIDDLE.y}h192M${MIDDLE.x} ${MIDDLE.y - 94}v188`, stroke: "currentColor", "stroke-opacity": 0.35 });
      for (const [vector, stroke] of [[QUERY, COLOURS.query], [KEY, COLOURS.key]]) {
        const size = Math.hypot(...vector) * UNIT;
        picture.append(svg("circle", { cx: MIDDLE.x, cy: MIDDLE.y, r: size.toFixed(1), fill: "none", stroke, "stroke-opacity": 0.35 }));
        line({ d: this.arrowTo(vector), stroke, "stroke-width": 1.5, "stroke-dasharray": "3 4" }); // as it was before it was turned
      }
      this.between = line({ stroke: "currentColor", "stroke-width": 2 });
      this.arrows = { query: line({ stroke: COLOURS.query, "stroke-width": 4 }), key: line({ stroke: COLOURS.key, "stroke-width": 4 }) };
      this.names = {
        query: text(0, 0, words.query, { "font-weight": 600, style: `fill: ${COLOURS.query}` }),
        key: text(0, 0, words.key, { "font-weight": 600, style: `fill: ${COLOURS.key}` }),
      };
      const across = Array.from({ length: 2 * LAST + 1 }, (_, at) => at - LAST);
      const level = (value) => (GRAPH.middle - GRAPH.height * value).toFixed(1);
      this.place = (distance) => [(MIDDLE.x + GRAPH.step * distance).toFixed(1), level(score(distance, 0))];
      line({ d: `M${MIDDLE.x - 20 * GRAPH.step} ${GRAPH.middle}h${40 * GRAPH.step}M${MIDDLE.x} ${level(1.05)}V${level(-1.05)}`, stroke: "currentColor", "stroke-opacity": 0.5 });
      line({ d: `M${Array.from({ length: 20 * LAST + 1 }, (_, at) => this.place(at / 10 - LAST)).map((at) => at.join(" ")).filter((_, at) => at % 2 === 0).join("L")}`, stroke: "currentColor", "stroke-opacity": 0.35 });
      picture.append(
        ...across.map((distance) => svg("circle", { cx: this.place(distance)[0], cy: this.place(distance)[1], r: 2, fill: "currentColor" })),
        ...[-20, -10, 10, 20].map((distance) => text(this.place(distance)[0], GRAPH.middle + 62, number(distance, 0), { "font-size": 12.5 })),
        text(MIDDLE.x, GRAPH.middle + 62, "0", { "font-size": 12.5 }),
        text(MIDDLE.x, GRAPH.middle + 80, words.distance, { "font-size": 12.5 }),
        ...[-1, 1].map((value) => text(0, Number(level(value)) + 4, number(value, 0), { "font-size": 12.5, "text-anchor": "start" })),
        text(2, GRAPH.middle - 62, words.score, { "text-anchor": "start", "font-size": 12.5 }),
        this.names.query, this.names.key,
      );
      this.dot = picture.appendChild(svg("circle", { r: 7, fill: "var(--course-right, #1a6b36)" }));
      this.value = picture.appendChild(text(0, 0, "", { "font-weight": 600, "font-size": 14 }));
      this.sliders = ["p", "r"].map((key) => this.slider(words[key], { key, min: 0, max: LAST }));
      const move = (by) => () => {
        const { p, r } = this.state;
        if (Math.min(p, r) + by >= 0 && Math.max(p, r) + by <= LAST) this.set({ p: p + by, r: r + by });
        this.sliders.forEach((slider) => slider.show());
      };
      stage.append(
        html("div", { class: "lf-controls" }, ...this.sliders),
        html("div", { class: "lf-controls" }, this.button(words.back, move(-1)), this.button(words.on, move(1))),
        picture,
      );
    }

    arrowTo([x, y]) {
      return CourseFigure.arrow(MIDDLE.x, MIDDLE.y, MIDDLE.x + UNIT * x, MIDDLE.y - UNIT * y, 12);
    }

    draw() {
      const { p, r } = this.state;
      const turned = { query: turn(QUERY, p), key: turn(KEY, r) };
      for (const [name, vector] of Object.entries(turned)) {
        const out = 1 + 18 / (UNIT * Math.hypot(...vector)); // beside the tip
        this.arrows[name].setAttribute("d", this.arrowTo(vector));
        this.names[name].setAttribute("x", (MIDDLE.x + UNIT * out * vector[0]).toFixed(1));
        this.names[name].setAttribute("y", (MIDDLE.y - UNIT * out * vector[1] + 5).toFixed(1));
      }
      const [from, to] = [turned.key, turned.query].map(([x, y]) => [MIDDLE.x + (26 * x) / Math.hypot(x, y), MIDDLE.y - (26 * y) / Math.hypot(x, y)]);
      const counterClockwise = turned.key[0] * turned.query[1] - turned.key[1] * turned.query[0] > 0;
      const point = (at) => at.map((part) => part.toFixed(1)).join(" ");
      this.between.setAttribute("d", `M${point(from)}A26 26 0 0 ${counterClockwise ? 0 : 1} ${point(to)}`);
      const [x, y] = this.place(p - r);
      this.dot.setAttribute("cx", x);
      this.dot.setAttribute("cy", y);
      this.value.setAttribute("x", Math.min(Math.max(Number(x), 24), 328));
      this.value.setAttribute("y", Number(y) - 12);
      this.value.textContent = number(this.score());
      this.say(this.words.say(p, r, number(this.score())));
    }
  }

  customElements.define("course-rotary-dot", RotaryDot);
})();
