// Eight tokens choose among four experts by scores and a bias; each expert has so many places, and who comes late is dropped.
"use strict";

(() => {
  const SCORES = [
    [0.9, 0.4, 0.2, 0.3], [0.8, 0.6, 0.1, 0.4], [0.3, 0.7, 0.5, 0.2], [0.7, 0.2, 0.6, 0.1],
    [0.9, 0.8, 0.3, 0.5], [0.4, 0.3, 0.2, 0.6], [0.8, 0.5, 0.7, 0.2], [0.6, 0.4, 0.5, 0.3],
  ];
  const EXPERTS = [0, 1, 2, 3];
  const GRID = { x: 40, y: 30, width: 46, height: 26 };
  const RATE = 0.1;

  class ExpertPlaces extends CourseFigure {
    static words = {
      ko: {
        picture: "토큰 여덟의 전문가 넷에 대한 점수, 고른 것과 버려진 것, 전문가마다의 자리",
        chosen: "고르는 수 k", capacity: "자리", bias: (e) => `편향 b${e}`, step: "편향을 한 걸음 옮기기", clear: "편향 비우기",
        cell: (token, e) => `토큰 ${token}의 전문가 ${e} 점수 올리기`,
        say: (loads, dropped) => `배정 ${loads}. 버려진 배정 ${dropped}개.`,
      },
      en: {
        picture: "scores of eight tokens for four experts, what is chosen and what is dropped, and each expert's places",
        chosen: "chosen, k", capacity: "capacity", bias: (e) => `bias b${e}`, step: "Move the biases one step", clear: "Clear the biases",
        cell: (token, e) => `raise token ${token}'s score for expert ${e}`,
        say: (loads, dropped) => `Assignments ${loads}. Dropped: ${dropped}.`,
      },
    };

    state = { k: 1, capacity: 3, b0: 0, b1: 0, b2: 0, b3: 0, scores: SCORES };

    get bias() {
      return EXPERTS.map((e) => this.state[`b${e}`]);
    }

    // Each token's experts, best first: by score and bias, of equal ones the first.
    choices() {
      const { k, scores } = this.state;
      const bias = this.bias;
      return scores.map((row) =>
        EXPERTS.map((e) => [row[e] + bias[e], e]).sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, k).map(([, e]) => e),
      );
    }

    loads() {
      const chosen = this.choices().flat();
      return EXPERTS.map((e) => chosen.filter((other) => other === e).length);
    }

    // (token, rank): 1 where an assignment has a place; all first choices before the second.
    kept() {
      const taken = EXPERTS.map(() => 0);
      const chosen = this.choices();
      const kept = chosen.map((row) => row.map(() => 0));
      for (let rank = 0; rank < this.state.k; rank++)
        chosen.forEach((row, token) => (kept[token][rank] = Number(taken[row[rank]]++ < this.state.capacity)));
      return kept;
    }

    // The biases after a step: crowded experts down, idle ones up.
    moved() {
      const loads = this.loads();
      const mean = (this.state.scores.length * this.state.k) / EXPERTS.length;
      return this.bias.map((b, e) => Math.round(10 * Math.min(Math.max(b + RATE * Math.sign(mean - loads[e]), -1), 1)) / 10);
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const text = (x, y, content, anchor = "middle") => svg("text", { x, y, "font-size": 13, "text-anchor": anchor }, content);
      this.picture = svg("svg", { viewBox: "0 0 360 300", role: "group", "aria-label": words.picture });
      this.picture.style.maxWidth = "34rem";
      this.cells = SCORES.map((_, token) => {
        const y = GRID.y + token * GRID.height;
        this.picture.append(text(GRID.x - 8, y + 18, `t${token}`, "end"));
        return EXPERTS.map((e) => {
          const x = GRID.x + e * GRID.width;
          const plate = svg("rect", { x: x + 2, y: y + 2, width: GRID.width - 4, height: GRID.height - 4, rx: 3, tabindex: 0, role: "button", "aria-label": words.cell(token, e) });
          plate.style.cursor = "pointer";
          const number = svg("text", { x: x + GRID.width / 2, y: y + 18, "font-size": 13, "text-anchor": "middle", "pointer-events": "none" });
          const strike = svg("path", { d: `M${x + 8} ${y + 13}h${GRID.width - 16}`, stroke: "currentColor", "stroke-width": 2, "pointer-events": "none" });
          const raise = () => this.raise(token, e);
          plate.addEventListener("click", raise);
          plate.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            raise();
          });
          this.picture.append(plate, number, strike);
          return { plate, number, strike };
        });
      });
      this.heads = EXPERTS.map((e) => {
        const x = GRID.x + (e + 0.5) * GRID.width;
        const bias = text(x, 282, "");
        const load = text(x, 262, "");
        this.picture.append(text(x, 20, `E${e}`), bias, load);
        return { bias, load };
      });
      this.picture.append(text(GRID.x - 8, 282, "b", "end"), text(GRID.x - 8, 262, "n", "end"));
      this.seats = EXPERTS.map((e) => {
        const y = 44 + e * 56;
        this.picture.append(text(248, y + 6, `E${e}`, "end"));
        return Array.from({ length: 16 }, (_, i) => {
          const [x, top] = [262 + (i % 8) * 12, y - 8 + Math.floor(i / 8) * 14];
          const seat = svg("circle", { cx: x, cy: top + 6, r: 5, "stroke-width": 1.5 });
          this.picture.append(seat);
          return seat;
        });
      });
      const signed = (b) => b.toFixed(1).replace("-", "−");
      this.sliders = EXPERTS.map((e) => this.slider(words.bias(e), { key: `b${e}`, min: -1, max: 1, step: 0.1, format: signed }));
      stage.append(
        html("div", { class: "lf-controls" },
          this.slider(words.chosen, { key: "k", min: 1, max: 2 }),
          this.slider(words.capacity, { key: "capacity", min: 0, max: 8 }),
          ...this.sliders,
          html("div", { class: "lf-buttons" }, this.button(words.step, () => this.shift(this.moved())), this.button(words.clear, () => this.shift([0, 0, 0, 0]))),
        ),
        this.picture,
      );
    }

    shift(bias) {
      this.set(Object.fromEntries(bias.map((b, e) => [`b${e}`, b])));
      this.sliders.forEach((slider) => slider.show());
    }

    raise(token, e) {
      const scores = this.state.scores.map((row) => [...row]);
      scores[token][e] = scores[token][e] > 0.85 ? 0.1 : Math.round(10 * scores[token][e] + 1) / 10;
      this.set({ scores });
    }

    draw() {
      const [chosen, kept, loads] = [this.choices(), this.kept(), this.loads()];
      const { scores, capacity } = this.state;
      const bias = this.bias;
      this.cells.forEach((row, token) =>
        row.forEach(({ plate, number, strike }, e) => {
          const rank = chosen[token].indexOf(e);
          plate.setAttribute("fill", "var(--course-accent, #1f5fa8)");
          plate.setAttribute("fill-opacity", (0.35 * scores[token][e]).toFixed(2));
          plate.setAttribute("stroke", rank < 0 ? "none" : kept[token][rank] ? "currentColor" : "var(--course-accent-2, #a34f00)");
          plate.setAttribute("stroke-width", rank === 0 ? 2.5 : 1.5);
          number.textContent = scores[token][e].toFixed(1);
          strike.setAttribute("opacity", rank >= 0 && !kept[token][rank] ? 1 : 0);
        }),
      );
      EXPERTS.forEach((e) => {
        this.heads[e].bias.textContent = bias[e].toFixed(1).replace("-", "−");
        this.heads[e].load.textContent = String(loads[e]);
        this.seats[e].forEach((seat, i) => {
          const late = i >= capacity && i < loads[e];
          seat.setAttribute("visibility", i < Math.max(capacity, loads[e]) ? "visible" : "hidden");
          seat.setAttribute("fill", late ? "none" : i < loads[e] ? "var(--course-accent, #1f5fa8)" : "none");
          seat.setAttribute("stroke", late ? "var(--course-accent-2, #a34f00)" : "currentColor");
          seat.setAttribute("stroke-dasharray", late ? "2 2" : "none");
        });
      });
      const dropped = kept.flat().filter((one) => !one).length;
      this.say(this.words.say(loads.join(", "), dropped));
    }
  }

  customElements.define("course-expert-places", ExpertPlaces);
})();
