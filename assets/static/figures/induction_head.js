// Two heads that work together: the first layer writes down the token before, the second finds it and copies what followed.
"use strict";

(() => {
  const PERIOD = 6;
  const LETTERS = [..."ABCDEF"];
  const TEXT = [..."ABCDEFABCDEFAB"];
  const FROM = PERIOD; // the first position that repeats
  const x = (place) => 18 + 25 * place;
  const BARS = { top: 42, bottom: 104, left: 84, step: 44 };
  const TOP_NODE = 168;
  const MIDDLE = { y: 236, height: 40 };
  const INPUT = { y: 322, height: 24 };

  class InductionHead extends CourseFigure {
    static words = {
      ko: {
        picture: "아래부터 글, 첫째 층, 둘째 층, 다음 토큰의 확률",
        step: "자리",
        off: "헤드를 모두 끌 층",
        none: "없음",
        layers: ["첫째 층", "둘째 층"],
        next: "다음 토큰의 확률",
        written: (head) => `첫째 층의 헤드 ${head}: 앞 토큰을 적습니다`,
        look: (head) => `둘째 층의 헤드 ${head}: 앞이 같은 자리를 찾습니다`,
        read: (token) => `‘${token}’까지 읽었습니다. `,
        gone: { on: "", first: "첫째 층이 적은 것이 없습니다. ", second: "둘째 층이 베끼지 못합니다. " },
        looks: (token, share) => `둘째 층의 헤드는 앞이 ‘${token}’였던 자리를 ${share}만큼 봅니다. `,
        says: (next, chance) => `다음이 ‘${next}’일 확률은 ${chance}입니다.`,
      },
      en: {
        picture: "from below: the text, the first layer, the second layer, the chance of the next token",
        step: "position",
        off: "layer to ablate",
        none: "none",
        layers: ["first", "second"],
        next: "chance of the next token",
        written: (head) => `first layer, head ${head}: notes the token before`,
        look: (head) => `second layer, head ${head}: looks for the same token before`,
        read: (token) => `Read up to ‘${token}’. `,
        gone: { on: "", first: "The first layer has noted nothing. ", second: "The second layer cannot copy. " },
        looks: (token, share) => `The second layer gives ${share} to places that follow ‘${token}’. `,
        says: (next, chance) => `‘${next}’ comes next with probability ${chance}.`,
      },
    };

    state = { step: 6, off: "on" };

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (left, y, content, attributes = {}) => svg("text", { x: left, y, "font-size": 14, "text-anchor": "middle", ...attributes }, content);
      const start = { "text-anchor": "start", "font-size": 13 };
      this.picture = svg("svg", { viewBox: "0 0 360 372", role: "img", "aria-label": words.picture });
      this.picture.style.maxWidth = "36rem";
      this.lines = svg("g");
      this.picture.append(
        text(4, 16, words.next, start),
        svg("path", { d: `M${BARS.left - 22} ${BARS.bottom}h${BARS.step * LETTERS.length}`, stroke: "currentColor", "stroke-opacity": 0.5 }),
        this.lines,
      );
      this.captions = [
        text(4, TOP_NODE - 24, words.look(this.data.heads[1]), { ...start, style: "fill: var(--course-accent, #1f5fa8)" }),
        text(4, INPUT.y + INPUT.height + 19, words.written(this.data.heads[0]), { ...start, style: "fill: var(--course-accent-2, #a34f00)" }),
      ];
      this.picture.append(...this.captions);
      this.bars = LETTERS.map((letter, k) => {
        const left = BARS.left + BARS.step * k;
        const bar = svg("rect", { x: left - 14, width: 28, fill: "var(--course-accent, #1f5fa8)" });
        const number = text(left, 0, "", { "font-size": 12.5 });
        const name = text(left, BARS.bottom + 17, letter);
        this.picture.append(bar, number, name);
        return { bar, number, name };
      });
      this.places = TEXT.map((letter, place) => {
        const box = (y, height) => svg("rect", { x: x(place) - 11, y, width: 22, height, rx: 3, stroke: "currentColor", "stroke-opacity": 0.5 });
        const middle = box(MIDDLE.y, MIDDLE.height);
        const input = box(INPUT.y, INPUT.height);
        const written = text(x(place), MIDDLE.y + 34, "", { "font-size": 14, style: "fill: var(--course-accent-2, #a34f00)", "font-weight": 700 });
        const group = svg("g", {}, middle, input, text(x(place), MIDDLE.y + 16, letter), text(x(place), INPUT.y + 17, letter), written);
        this.picture.append(group);
        return { group, middle, input, written };
      });
      this.asks = svg("circle", { cy: TOP_NODE, r: 13, fill: "var(--course-fill, #dbe8f6)", stroke: "var(--course-accent, #1f5fa8)", "stroke-width": 2 });
      this.asking = text(0, TOP_NODE + 5, "");
      this.picture.append(this.asks, this.asking);
      stage.append(
        this.steps({ last: TEXT.length - 1 - FROM, seconds: 1.5, label: words.step }),
        html("div", { class: "lf-controls" }, this.choice(words.off, { key: "off", options: [["on", words.none], ["first", words.layers[0]], ["second", words.layers[1]]] })),
        this.picture,
      );
    }

    draw() {
      const { svg } = CourseFigure;
      const { off } = this.state;
      const at = FROM + this.state.step;
      const looks = this.data.layer2[off][at];
      const chances = this.data.next[off][at];
      const lines = [];
      const line = (x1, y1, x2, y2, weight, colour) =>
        weight > 0.02 && lines.push(svg("line", { x1, y1, x2, y2, stroke: colour, "stroke-width": (1 + 4 * weight).toFixed(2), "stroke-opacity": (0.25 + 0.75 * weight).toFixed(2), "stroke-dasharray": off === "second" && y1 === TOP_NODE ? "3 5" : null }));
      TEXT.forEach((_, place) => {
        const { group, middle, input, written } = this.places[place];
        const follows = place > 0 && place <= at && TEXT[place - 1] === TEXT[at];
        const read = place <= at;
        group.setAttribute("opacity", read ? 1 : 0.65);
        for (const box of [middle, input]) box.setAttribute("fill", read ? "var(--pst-color-background, #fff)" : "none");
        middle.setAttribute("stroke", follows ? "var(--course-accent-2, #a34f00)" : "currentColor");
        middle.setAttribute("stroke-width", follows ? 2.5 : 1);
        written.textContent = off !== "first" && read && place > 0 ? TEXT[place - 1] : "";
        if (!read) return;
        if (off !== "first") this.data.layer1[place].forEach((weight, from) => line(x(place), MIDDLE.y + MIDDLE.height, x(from), INPUT.y, weight, "var(--course-accent-2, #a34f00)"));
        line(x(at), TOP_NODE, x(place), MIDDLE.y, looks[place], "var(--course-accent, #1f5fa8)");
      });
      this.lines.replaceChildren(...lines);
      this.asks.setAttribute("cx", x(at));
      this.asking.setAttribute("x", x(at));
      this.asking.textContent = TEXT[at];
      this.captions[1].setAttribute("opacity", off === "first" ? 0.65 : 1);
      this.captions[0].setAttribute("opacity", off === "second" ? 0.65 : 1);
      const right = LETTERS.indexOf(TEXT[(at + 1) % PERIOD]);
      this.bars.forEach(({ bar, number, name }, k) => {
        const height = (BARS.bottom - BARS.top) * chances[k];
        bar.setAttribute("height", height);
        bar.setAttribute("y", BARS.bottom - height);
        bar.setAttribute("fill-opacity", k === right ? 1 : 0.45);
        number.setAttribute("y", BARS.bottom - height - 4);
        number.textContent = chances[k].toFixed(2);
        name.setAttribute("font-weight", k === right ? 700 : 400);
      });
      const share = looks.reduce((sum, weight, place) => sum + (place > 0 && TEXT[place - 1] === TEXT[at] ? weight : 0), 0);
      const words = this.words;
      this.say(words.read(TEXT[at]) + words.gone[off] + (off === "second" ? "" : words.looks(TEXT[at], share.toFixed(2))) + words.says(LETTERS[right], chances[right].toFixed(2)));
    }
  }

  customElements.define("course-induction-head", InductionHead);
})();
