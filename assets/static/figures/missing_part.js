// A small model without one of its parts: which skills it loses, and what it writes. Or the other way round: a text is shown,
// and the reader says which part its writer lacked.
"use strict";

(() => {
  const [LEFT, WIDE, TOP, PITCH] = [76, 232, 12, 25];
  const [RIGHT, WHOLE] = ["var(--course-accent, #1f5fa8)", "var(--course-accent-2, #a34f00)"];
  const LOST = 0.1; // of a skill, that a reader is told of
  const percent = (share) => `${Math.round(100 * share)}%`;
  const two = (loss) => loss.toFixed(2);

  class MissingPart extends CourseFigure {
    static words = {
      ko: {
        task: "하는 일",
        tasks: [["take", "빼 보기"], ["guess", "맞혀 보기"]],
        take: "뺄 부품",
        guess: "어느 부품이 없는 모델이 썼습니까",
        picture: "처음 보는 이야기에서 성적마다 맞힌 비율",
        whole: "주황 선은 다 있을 때",
        more: "다른 글",
        next: "다음 문제",
        rules: { sentence: "문장의 꼴", particle: "조사", honorific: "높임", counter: "단위", name: "이름", place: "장소", owner: "임자", sum: "덧셈" },
        parts: { nothing: "다 있음", attention: "어텐션", heads: "헤드 넷", mask: "마스크", positions: "위치", layers: "세 층", residual: "잔차 연결", feed_forward: "피드포워드", norm: "정규화" },
        signs: {
          nothing: "부품이 다 있습니다.",
          attention: "앞을 고르게 섞기만 하므로, 멀리 있는 것을 골라 오지 못합니다.",
          heads: "넓은 헤드 하나로 봅니다.",
          mask: "배울 때 다음 글자를 보고 옮겨 적었습니다. 쓸 때는 옮겨 적을 글자가 없습니다.",
          positions: "무엇이 나왔는지는 알아도 어디에 나왔는지는 모릅니다.",
          layers: "한 층뿐이므로, 한 번 찾은 것을 가지고 다시 찾지 못합니다.",
          residual: "층마다 글자가 섞여, 앞의 글자를 그대로 옮겨 오지 못합니다.",
          feed_forward: "모아 온 것을 셈할 곳이 없지만, 이 작은 세계에서는 거의 티가 나지 않습니다.",
          norm: "층이 셋이면 정규화가 없어도 배웁니다.",
        },
        say: (sign, loss, whole) => `${sign} 손실은 ${loss}${loss === whole ? "" : `, 다 있을 때는 ${whole}`}입니다.`,
        stolen: (floor) => ` 바닥 ${floor}보다 낮으니 훔쳐본 것입니다.`,
        lost: (skills) => ` 잃은 것: ${skills}.`,
        broken: (share) => ` 쓴 글 오십 편에서는 규칙을 ${share} 어겼습니다.`,
        ask: (k, n) => `문제 ${k} / ${n}. 글을 읽고 고르십시오.`,
        right: (part) => `맞습니다. ${part}입니다. `,
        wrong: (part) => `아닙니다. 빠진 것은 ${part}입니다. `,
      },
      en: {
        task: "what to do",
        tasks: [["take", "Take one away"], ["guess", "Guess"]],
        take: "part to take away",
        guess: "which part did the writer lack",
        picture: "share of each skill that it gets right in unseen stories",
        whole: "orange line: with every part",
        more: "Another text",
        next: "Next question",
        rules: { sentence: "sentence", particle: "particle", honorific: "honorific", counter: "counter", name: "name", place: "place", owner: "owner", sum: "sum" },
        parts: { nothing: "none", attention: "attention", heads: "four heads", mask: "mask", positions: "positions", layers: "three layers", residual: "residual", feed_forward: "feed-forward", norm: "norm" },
        signs: {
          nothing: "Every part is there.",
          attention: "It mixes the past evenly and cannot pick out what lies far back.",
          heads: "It looks with one wide head.",
          mask: "In training it copied the next syllable; when it writes, there is none to copy.",
          positions: "It knows what has occurred, but not where.",
          layers: "With one layer it cannot use what it has found to look again.",
          residual: "Each layer blends the syllables, so that none can be carried over as it was.",
          feed_forward: "It has nowhere to work on what it has gathered, and in this small world that hardly shows.",
          norm: "Three layers learn without normalisation, too.",
        },
        say: (sign, loss, whole) => `${sign} Its loss is ${loss}${loss === whole ? "" : `; with every part it is ${whole}`}.`,
        stolen: (floor) => ` That is below the floor of ${floor}: it has peeked.`,
        lost: (skills) => ` What it loses: ${skills}.`,
        broken: (share) => ` In fifty stories of its own it breaks ${share} of the rules.`,
        ask: (k, n) => `Question ${k} of ${n}. Read the text and choose.`,
        right: (part) => `Right: ${part}. `,
        wrong: (part) => `No. What is missing: ${part}. `,
      },
    };

    state = { task: "take", part: "residual", text: 0, question: 0, guess: null };

    // Another part begins with its first text; another question, or another task, with no guess.
    set(changes) {
      if ("part" in changes) changes = { ...changes, text: 0 };
      if ("question" in changes || "task" in changes) {
        changes = { ...changes, guess: null };
        for (const input of this.guesses.querySelectorAll("input")) input.checked = false;
      }
      super.set(changes);
    }

    // What is asked: each text of each part that gives itself away, in an order that does not.
    get questions() {
      const next = CourseFigure.random(7);
      return this.data.asked.flatMap((part) => this.data.without[part].stories.map((story) => ({ part, story, key: next() }))).sort((a, b) => a.key - b.key);
    }

    // The part that is missing, the story, and whether the reader may see what is broken in it.
    look() {
      const { task, part, text, question, guess } = this.state;
      if (task === "guess") return { ...this.asked[question], open: guess !== null };
      const { stories } = this.data.without[part];
      return { part, story: stories[text % stories.length], open: true };
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const { words, data } = this;
      this.asked = this.questions;
      const text = (x, y, content, more = {}) => svg("text", { x, y, "font-size": 14, ...more }, content);
      this.picture = svg("svg", { viewBox: `0 0 360 ${TOP + PITCH * data.skills.length + 16}`, role: "img", "aria-label": words.picture });
      this.picture.style.maxWidth = "24rem";
      this.bars = data.skills.map((skill, i) => {
        const y = TOP + i * PITCH;
        const bar = svg("rect", { x: LEFT, y: y + 3, height: PITCH - 8, rx: 2, fill: RIGHT });
        const number = text(LEFT + WIDE + 8, y + 17, "");
        const whole = LEFT + WIDE * data.without.nothing.skills[i];
        this.picture.append(
          text(LEFT - 8, y + 17, words.rules[skill], { "text-anchor": "end" }),
          svg("rect", { x: LEFT, y: y + 3, width: WIDE, height: PITCH - 8, rx: 2, fill: "currentColor", "fill-opacity": 0.07 }),
          bar,
          svg("line", { x1: whole, x2: whole, y1: y, y2: y + PITCH - 2, stroke: WHOLE, "stroke-width": 3 }),
          number,
        );
        return { bar, number };
      });
      this.picture.append(text(LEFT, TOP + data.skills.length * PITCH + 11, words.whole, { "font-size": 12.5 }));
      this.takes = this.choice(words.take, { key: "part", options: Object.keys(data.without).map((part) => [part, words.parts[part]]) });
      this.guesses = this.choice(words.guess, { key: "guess", options: data.asked.map((part) => [part, words.parts[part]]) });
      this.story = html("blockquote", { class: "mp-story", lang: "ko" });
      this.again = this.button(words.more, () => this.turn());
      stage.append(this.choice(words.task, { key: "task", options: words.tasks }), this.takes, this.guesses, this.picture, this.story, this.again);
    }

    // Another text of the same part, or the next question.
    turn() {
      const { task, text, question } = this.state;
      this.set(task === "guess" ? { question: (question + 1) % this.asked.length } : { text: text + 1 });
    }

    draw() {
      const { words, data } = this;
      const { task, guess, question } = this.state;
      const { part, story, open } = this.look();
      const { loss, skills, broken } = data.without[part];
      const whole = data.without.nothing;
      this.takes.hidden = task === "guess";
      this.guesses.hidden = task !== "guess";
      this.picture.style.display = open ? "" : "none";
      this.again.textContent = task === "guess" ? words.next : words.more;
      this.bars.forEach(({ bar, number }, i) => {
        bar.setAttribute("width", (WIDE * skills[i]).toFixed(1));
        number.textContent = percent(skills[i]);
      });
      this.story.replaceChildren(...this.pieces(story, open));
      const lost = data.skills
        .map((skill, i) => ({ by: whole.skills[i] - skills[i], said: `${words.rules[skill]} ${percent(whole.skills[i])} → ${percent(skills[i])}` }))
        .filter(({ by }) => by > LOST)
        .sort((a, b) => b.by - a.by);
      const reason =
        words.say(words.signs[part], two(loss), two(whole.loss)) +
        (loss < data.floor ? words.stolen(two(data.floor)) : "") +
        (lost.length ? words.lost(lost.slice(0, 3).map(({ said }) => said).join(", ")) : "") +
        words.broken(percent(broken));
      const verdict = task !== "guess" ? "" : words[guess === part ? "right" : "wrong"](words.parts[part]);
      this.say(open ? verdict + reason : words.ask(question + 1, this.asked.length));
    }

    // The story; what breaks a rule is marked, and says which.
    pieces({ text, broken }, open) {
      if (!open) return [text];
      const found = [];
      let at = 0;
      for (const [start, end, rule] of broken) {
        if (start < at) continue;
        const name = this.words.rules[rule];
        found.push(text.slice(at, start), CourseFigure.html("mark", { title: name }, text.slice(start, end), CourseFigure.html("small", {}, name)));
        at = end;
      }
      return [...found, text.slice(at)];
    }
  }

  customElements.define("course-missing-part", MissingPart);
})();
