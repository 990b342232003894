// A picture cut into patches: how many tokens, what one of them sees, and what is left when their order is lost.
"use strict";

(() => {
  // The three of the chapter, number 1032 of scikit-learn's digits; 16 is black.
  const PICTURE = [
    [0, 0, 6, 12, 13, 9, 0, 0], [0, 7, 14, 6, 7, 16, 3, 0], [0, 4, 6, 5, 14, 6, 0, 0], [0, 0, 0, 12, 14, 4, 0, 0],
    [0, 0, 0, 0, 3, 14, 2, 0], [0, 0, 0, 0, 0, 9, 7, 0], [0, 0, 3, 1, 0, 9, 8, 0], [0, 0, 5, 14, 12, 13, 2, 0],
  ];
  const SIZE = PICTURE.length;
  const SIDE = 152;
  const LEFT = 12;
  const RIGHT = 196;
  const TOP = 30;
  const VECTOR = { y: 232, width: 336, height: 30 };

  class PatchCutter extends CourseFigure {
    static words = {
      ko: {
        picture: "왼쪽은 패치로 자른 숫자 3의 그림, 오른쪽은 패치를 받은 차례로 다시 붙인 그림, 아래는 고른 패치를 편 것",
        patch: "패치의 한 변 P",
        shuffle: "패치의 차례를 섞기",
        pick: "화소 고르기",
        cut: "그림",
        order: "토큰의 차례",
        flat: (place, count) => `고른 패치: 토큰 ${place}, 화소 ${count}개를 편 것`,
        say: (patches, scores, pixels) => `패치 ${patches}개에 [CLS]를 더해 토큰이 ${patches + 1}개, 헤드마다 점수가 ${scores}개입니다. 토큰 하나는 화소 ${pixels}개를 봅니다.`,
        shuffled: (patches) => ` 차례를 섞어도 같은 패치 ${patches}개입니다. 어디에 있었는지는 위치 임베딩만 말해 줍니다.`,
      },
      en: {
        picture: "left, a three cut into patches; right, the patches put together in the order they are read; below, the chosen patch in a row",
        patch: "side of a patch, P",
        shuffle: "shuffle the patches",
        pick: "choose a pixel",
        cut: "picture",
        order: "order of the tokens",
        flat: (place, count) => `chosen patch: token ${place}, ${count} pixels in a row`,
        say: (patches, scores, pixels) => `${patches} patches and [CLS] make ${patches + 1} tokens and ${scores} scores a head. One token sees ${pixels} pixels.`,
        shuffled: (patches) => ` In another order they are the same ${patches} patches: only position embeddings know where they were.`,
      },
    };

    state = { size: 2, shuffled: false, chosen: [4, 1] }; // chosen: a pixel, column and row

    // Patches row by row, each a list of pixels row by row, and the order in which the model reads them.
    cut() {
      const { size, shuffled } = this.state;
      const across = SIZE / size;
      const patches = Array.from({ length: across * across }, (_, p) => {
        const [top, left] = [Math.floor(p / across) * size, (p % across) * size];
        return PICTURE.slice(top, top + size).flatMap((row) => row.slice(left, left + size));
      });
      const chance = (p) => (Math.sin(12.9898 * (p + 1)) * 43758.5453) % 1; // the same shuffle each time
      const order = patches.map((_, p) => p);
      if (shuffled) order.sort((p, q) => chance(p) - chance(q));
      const [column, row] = this.state.chosen.map((pixel) => Math.floor(pixel / size));
      return { across, patches, order, chosen: row * across + column };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      this.text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 14, "text-anchor": "middle", ...attributes }, content);
      this.picture = svg("svg", { viewBox: `0 0 360 ${VECTOR.y + VECTOR.height + 24}`, role: "group", "aria-label": words.picture });
      this.picture.style.maxWidth = "34rem";
      this.drawn = svg("g");
      this.flat = this.text(LEFT, VECTOR.y - 12, "", { "text-anchor": "start" });
      const frame = (colour) => svg("rect", { fill: "transparent", stroke: `var(${colour})`, "stroke-width": 3 });
      this.frames = [frame("--course-accent-2, #a34f00"), frame("--course-accent-2, #a34f00")];
      const unit = SIDE / SIZE;
      const inside = (value) => Math.min(Math.max(value, 0), SIZE - 1);
      const pick = (x, y) => this.set({ chosen: [inside(Math.floor((x - LEFT) / unit)), inside(Math.floor((y - TOP) / unit))] });
      this.draggable(this.frames[0], {
        label: words.pick,
        nudge: unit,
        at: () => this.state.chosen.map((pixel, axis) => [LEFT, TOP][axis] + (pixel + 0.5) * unit),
        place: pick,
      });
      // A finger may also touch any patch.
      const touch = svg("rect", { x: LEFT, y: TOP, width: SIDE, height: SIDE, fill: "transparent" });
      touch.addEventListener("click", (event) => {
        const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.picture.getScreenCTM().inverse());
        pick(x, y);
      });
      this.dots = [0, 1].map(() => svg("circle", { r: 4, fill: "var(--course-accent-2, #a34f00)", stroke: "var(--pst-color-background, #fff)" }));
      this.picture.append(this.text(LEFT + SIDE / 2, 16, words.cut), this.text(RIGHT + SIDE / 2, 16, words.order), this.drawn, this.flat, touch, this.frames[1], ...this.dots, this.frames[0]);
      stage.append(
        html("div", { class: "lf-controls" },
          this.choice(words.patch, { key: "size", options: [1, 2, 4, 8].map((size) => [size, String(size)]) }),
          this.toggle(words.shuffle, { key: "shuffled" }),
        ),
        this.picture,
      );
    }

    draw() {
      const { svg } = CourseFigure;
      const { size, shuffled } = this.state;
      const { across, patches, order, chosen } = this.cut();
      const unit = SIDE / SIZE;
      const gap = across > 1 ? Math.min(4, 12 / across) : 0;
      const pixel = (x, y, width, height, ink) => svg("rect", { x, y, width, height, fill: "currentColor", "fill-opacity": (0.04 + (0.92 * ink) / 16).toFixed(3) });
      const corner = (left, place) => [left + (place % across) * size * unit, TOP + Math.floor(place / across) * size * unit];
      const patch = (left, place, p) => {
        const [x, y] = corner(left, place);
        const scale = (size * unit - gap) / size;
        return patches[p].map((ink, k) => pixel(x + gap / 2 + (k % size) * scale, y + gap / 2 + Math.floor(k / size) * scale, scale, scale, ink));
      };
      const flatWidth = VECTOR.width / Math.max(patches[chosen].length, 4);
      this.drawn.replaceChildren(
        ...order.flatMap((p, place) => [...patch(LEFT, p, p), ...patch(RIGHT, place, p)]),
        ...patches[chosen].map((ink, k) => pixel(LEFT + k * flatWidth, VECTOR.y, flatWidth - 0.6, VECTOR.height, ink)),
        ...(size < 8 ? patches[chosen].map((ink, k) => this.text(LEFT + (k + 0.5) * flatWidth, VECTOR.y + VECTOR.height + 17, String(ink), { "font-size": 12.5 })) : []),
      );
      [[LEFT, chosen], [RIGHT, order.indexOf(chosen)]].forEach(([left, place], k) => {
        const [x, y] = corner(left, place);
        for (const [name, value] of Object.entries({ x, y, width: size * unit, height: size * unit })) this.frames[k].setAttribute(name, value);
      });
      const [column, row] = this.state.chosen;
      const along = (row % size) * size + (column % size);
      [[LEFT + (column + 0.5) * unit, TOP + (row + 0.5) * unit], [LEFT + (along + 0.5) * flatWidth, VECTOR.y + VECTOR.height / 2]].forEach(([x, y], k) => {
        this.dots[k].setAttribute("cx", x);
        this.dots[k].setAttribute("cy", y);
      });
      this.flat.textContent = this.words.flat(order.indexOf(chosen) + 1, size * size);
      this.say(this.words.say(patches.length, ((patches.length + 1) ** 2).toLocaleString("en-US"), size * size) + (shuffled && patches.length > 1 ? this.words.shuffled(patches.length) : ""));
    }
  }

  customElements.define("course-patch-cutter", PatchCutter);
})();
