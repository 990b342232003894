// Five runs, each broken in one place: the reader names the fault, and the fault's own curve answers.
"use strict";

(() => {
  const FRAME = { left: 30, right: 352, top: 40, bottom: 238 };
  const MOST = 5; // of the loss; one patient leaps over it
  const HEALTHY = "var(--course-muted, #57606a)";
  const PATIENT = "var(--course-accent, #1f5fa8)";
  const GUESSED = "var(--course-wrong, #a3301d)";
  // Where the curve gives the fault away: its first and last step
  const GIVEN_AWAY = { "no shift": [5, 60], "softmax twice": [60, 119], shuffled: [60, 119], rate: [1, 14], "not cleared": [60, 119] };

  class TrainingClinic extends CourseFigure {
    static words = {
      ko: {
        picture: "걸음에 따른 손실: 정상인 학습과 고장 난 학습",
        patient: "환자",
        guess: "무엇이 고장 났습니까",
        step: "걸음",
        loss: "학습 손실",
        healthy: "정상",
        ill: (letter) => `환자 ${letter}`,
        guessed: "고른 고장",
        faults: {
          "no shift": "입력을 밀지 않음",
          "softmax twice": "소프트맥스 두 번",
          rate: "학습률 100배",
          shuffled: "정답이 뒤섞임",
          "not cleared": "기울기를 안 지움",
        },
        signs: {
          "no shift": () => "디코더가 그 자리의 정답을 받아 옮겨 적으므로 정상보다 훨씬 빨리 0으로 내려갑니다.",
          "softmax twice": (floor) => `확률은 0과 1 사이이므로 손실이 ${floor}보다 내려가지 못하고 아주 더디게 움직입니다.`,
          shuffled: () => "한국어 수의 생김새까지는 배우므로 정상처럼 내려가다가 1보다 높은 곳에서 평평해집니다.",
          rate: () => "처음 몇 걸음에 ln V보다 훨씬 높이 튀고, 내려온 다음에도 높은 곳에 머뭅니다.",
          "not cleared": () => "처음은 정상과 비슷하지만 지난 기울기가 쌓여 점점 크게 출렁입니다.",
        },
        say: (step, letter, healthy, ill) => `${step}걸음에서 정상의 손실은 ${healthy}, 환자 ${letter}는 ${ill}입니다.`,
        ask: " 무엇이 고장 났는지 골라 보십시오.",
        wrong: (sign, guessed) => ` 그 고장이 아닙니다. 그랬다면 점선처럼 되어 이 걸음의 손실이 ${guessed}입니다. ${sign}`,
        right: (sign, share) => ` 맞습니다. ${sign} 제대로 잰 검증 정확도는 ${share}입니다.`,
      },
      en: {
        picture: "loss by step: the healthy run and a broken one",
        patient: "patient",
        guess: "what is broken",
        step: "step",
        loss: "training loss",
        healthy: "healthy",
        ill: (letter) => `patient ${letter}`,
        guessed: "chosen fault",
        faults: {
          "no shift": "input not shifted",
          "softmax twice": "softmax twice",
          rate: "learning rate × 100",
          shuffled: "answers shuffled",
          "not cleared": "gradient not cleared",
        },
        signs: {
          "no shift": () => "The decoder is given the answer of each place and copies it: the loss falls to 0 far faster than the healthy one.",
          "softmax twice": (floor) => `Probabilities lie between 0 and 1, so the loss cannot fall below ${floor} and moves very slowly.`,
          shuffled: () => "What Korean numbers look like can still be learned: it falls like the healthy one, then stays flat above 1.",
          rate: () => "It leaps far above ln V in the first steps and stays high once it has come down.",
          "not cleared": () => "It begins like the healthy one; then old gradients pile up and it swings more and more.",
        },
        say: (step, letter, healthy, ill) => `At step ${step} the healthy loss is ${healthy}, that of patient ${letter} is ${ill}.`,
        ask: " Choose what is broken.",
        wrong: (sign, guessed) => ` Not that fault: it would go as the dashed line does and be at ${guessed} by now. ${sign}`,
        right: (sign, share) => ` Right. ${sign} The validation accuracy, rightly measured, is ${share}.`,
      },
    };

    state = { patient: 0, guess: null, step: 20 };

    // Whether the guess is right, and the curve that the guessed fault has.
    look() {
      const { patients } = this.data;
      const { patient, guess } = this.state;
      const ill = patients[patient];
      const guessed = patients.find(({ fault }) => fault === guess) ?? null;
      return { ill, guessed, right: guessed === ill, from: GIVEN_AWAY[ill.fault] };
    }

    // Another patient, another guess.
    set(changes) {
      if ("patient" in changes) {
        changes = { ...changes, guess: null };
        for (const input of this.guesses.querySelectorAll("input")) input.checked = false;
      }
      super.set(changes);
    }

    x(step) {
      return FRAME.left + ((FRAME.right - FRAME.left) * step) / (this.data.healthy.length - 1);
    }

    y(loss) {
      return FRAME.bottom - ((FRAME.bottom - FRAME.top) * Math.min(loss, 2 * MOST)) / MOST;
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const { words, data } = this;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 13, ...attributes }, content);
      const { left, right, top, bottom } = FRAME;
      const curve = (colour, width, dashes = "none") => svg("path", { fill: "none", stroke: colour, "stroke-width": width, "stroke-dasharray": dashes, "stroke-linejoin": "round" });
      const line = (loss) => svg("line", { x1: left, x2: right, y1: this.y(loss), y2: this.y(loss), stroke: "currentColor", "stroke-dasharray": "1 4", "stroke-width": 1.5 });
      const picture = svg("svg", { viewBox: "0 0 360 276", role: "img", "aria-label": words.picture });
      picture.style.maxWidth = "32rem";
      this.band = svg("rect", { y: top, height: bottom - top, fill: "var(--course-fill-2, #fbe6cf)" });
      this.healthy = curve(HEALTHY, 2);
      this.guessed = curve(GUESSED, 2, "6 4");
      this.ill = curve(PATIENT, 3);
      this.now = svg("line", { y1: top, y2: bottom, stroke: "currentColor", "stroke-opacity": 0.7 });
      this.dots = [HEALTHY, PATIENT].map((fill) => svg("circle", { r: 4.5, fill }));
      this.floor = svg("g", {}, line(data.floor), text(right - 2, this.y(data.floor) + 15, data.floor.toFixed(2), { "text-anchor": "end" }));
      const inside = svg("g", { "clip-path": "url(#training-clinic-frame)" }, this.band, line(data.start), this.floor, this.healthy, this.guessed, this.ill, this.now, ...this.dots);
      this.names = [HEALTHY, PATIENT, GUESSED].map((colour, i) => {
        const at = left + 108 * i;
        const name = svg("g", {}, svg("line", { x1: at, x2: at + 24, y1: 13, y2: 13, stroke: colour, "stroke-width": 3, "stroke-dasharray": i === 2 ? "6 4" : "none" }), text(at + 29, 18, words.healthy));
        picture.append(name);
        return name;
      });
      picture.append(
        svg("clipPath", { id: "training-clinic-frame" }, svg("rect", { x: left, y: top, width: right - left + 5, height: bottom - top + 3 })),
        inside,
        svg("path", { d: `M${left} ${top}V${bottom}H${right}`, fill: "none", stroke: "currentColor", "stroke-opacity": 0.5 }),
        text(left, top - 6, words.loss),
        text(right - 2, this.y(data.start) - 5, "ln V", { "text-anchor": "end" }),
        ...Array.from({ length: MOST + 1 }, (_, loss) => text(left - 6, this.y(loss) + 4, String(loss), { "text-anchor": "end" })),
        ...[0, 40, 80].map((step) => text(this.x(step), bottom + 18, String(step), { "text-anchor": "middle" })),
        text(right, bottom + 18, words.step, { "text-anchor": "end" }),
      );
      const letters = data.patients.map((_, i) => [i, "ABCDE"[i]]);
      this.guesses = this.choice(words.guess, { key: "guess", options: Object.entries(words.faults) });
      stage.append(
        this.choice(words.patient, { key: "patient", options: letters }),
        this.guesses,
        html("div", { class: "lf-controls" }, this.slider(words.step, { key: "step", min: 0, max: data.healthy.length - 1 })),
        picture,
      );
    }

    draw() {
      const { words, data } = this;
      const { patient, step } = this.state;
      const { ill, guessed, right, from } = this.look();
      const letter = "ABCDE"[patient];
      const path = (losses) => losses.map((loss, k) => `${k ? "L" : "M"}${this.x(k).toFixed(1)} ${this.y(loss).toFixed(1)}`).join("");
      const wrong = guessed && !right;
      this.healthy.setAttribute("d", path(data.healthy));
      this.ill.setAttribute("d", path(ill.losses));
      this.guessed.setAttribute("d", wrong ? path(guessed.losses) : "");
      this.band.setAttribute("x", this.x(from[0]));
      this.band.setAttribute("width", right ? this.x(from[1]) - this.x(from[0]) : 0);
      this.floor.style.display = right && ill.fault === "softmax twice" ? "" : "none";
      this.now.setAttribute("x1", this.x(step));
      this.now.setAttribute("x2", this.x(step));
      [data.healthy, ill.losses].forEach((losses, i) => {
        this.dots[i].setAttribute("cx", this.x(step));
        this.dots[i].setAttribute("cy", this.y(losses[step]));
      });
      [words.healthy, words.ill(letter), wrong ? words.guessed : ""].forEach((name, i) => (this.names[i].lastChild.textContent = name));
      this.names[2].style.display = wrong ? "" : "none";
      const sign = guessed && words.signs[guessed.fault](data.floor.toFixed(2));
      const verdict = !guessed ? words.ask : right ? words.right(sign, ill.right.toFixed(2)) : words.wrong(sign, guessed.losses[step].toFixed(2));
      this.say(words.say(step, letter, data.healthy[step].toFixed(2), ill.losses[step].toFixed(2)) + verdict);
    }
  }

  customElements.define("course-training-clinic", TrainingClinic);
})();
