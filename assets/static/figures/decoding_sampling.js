// The next token of a real model: temperature, top-k and top-p reshape its probabilities, then tokens are drawn.
"use strict";

(() => {
  const KEPT = [1, 2, 3, 5, 10, 20, 50, 100, 500, 1000, Infinity]; // what the slider of top-k goes through
  const SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1];
  const SCALES = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1];
  const ROW = 27;
  const TOP = 88;
  const [LEFT, RIGHT] = [88, 282];

  // groups: [logit, how many tokens have it], best first. What each token of a group weighs, and how many are left.
  function shape(groups, { temperature, topK, topP }) {
    let left = temperature === 0 ? 1 : topK;
    const best = groups[0][0];
    const kept = groups.map(([logit, count]) => {
      const some = Math.min(count, left);
      left -= some;
      return { count: some, p: temperature === 0 ? 1 : Math.exp((logit - best) / temperature) };
    });
    const normalise = () => {
      const sum = kept.reduce((total, { count, p }) => total + count * p, 0);
      for (const group of kept) group.p /= sum;
    };
    normalise();
    let before = 0;
    for (const group of kept) {
      const all = group.count;
      // The token that passes topP stays; a hair's breadth for what floats make of sums such as 0.1 + 0.2
      if (topP < 1) group.count = Math.min(all, Math.max(0, Math.ceil((topP - before) / group.p - 1e-9)));
      before += all * group.p;
    }
    normalise();
    return kept;
  }

  class DecodingSampling extends CourseFigure {
    static words = {
      ko: {
        prompt: "프롬프트",
        temperature: "온도 T",
        topK: "top-k",
        topP: "top-p",
        all: "끔",
        once: "한 번 뽑기",
        often: "100번 뽑기",
        map: "다음 토큰의 확률 막대그래프",
        columns: ["확률", "횟수"],
        share: (named, rest, count, p) => `아래의 ${named}개 ${rest} · 그 밖의 ${count.toLocaleString()}개 ${p}`,
        like: (token) => `‘${token}’ 같은 꼬리의 토큰`,
        say: (kept, best, p, tail) => `토큰 ${kept.toLocaleString()}개가 남습니다. 가장 큰 것은 ‘${best}’ ${p}, 꼬리의 합은 ${tail}입니다.`,
        drawn: (count, last, tail) => ` ${count}번 뽑아 꼬리가 ${tail}번, 마지막은 ${last}.`,
      },
      en: {
        prompt: "prompt",
        temperature: "temperature T",
        topK: "top-k",
        topP: "top-p",
        all: "off",
        once: "draw once",
        often: "draw 100",
        map: "bar chart of the next token's probabilities",
        columns: ["p", "drawn"],
        share: (named, rest, count, p) => `the ${named} below ${rest} · the other ${count.toLocaleString()} ${p}`,
        like: (token) => `a tail token such as ‘${token}’`,
        say: (kept, best, p, tail) => `${kept.toLocaleString()} tokens are left. The most likely is ‘${best}’, ${p}; the tail adds up to ${tail}.`,
        drawn: (count, last, tail) => ` Drawn ${count} times, ${tail} from the tail; the last was ${last}.`,
      },
    };

    state = { prompt: 0, temperature: 1, topK: KEPT.length - 1, topP: SHARES.length - 1 };

    get groups() {
      const { logits, tail } = this.data.prompts[this.state.prompt];
      return [...logits.map((logit) => [logit, 1]), ...tail];
    }

    shaped(changes = {}) {
      const { temperature, topK, topP } = { ...this.state, ...changes };
      return shape(this.groups, { temperature, topK: KEPT[topK], topP: SHARES[topP] });
    }

    set(changes) {
      this.forget();
      super.set(changes);
    }

    forget() {
      this.random = CourseFigure.random(1);
      this.drawn = this.groups.map(() => 0);
      this.last = null;
    }

    pick(times) {
      const kept = this.shaped();
      for (let i = 0; i < times; i++) {
        let rest = this.random();
        let group = kept.findIndex(({ count, p }) => (rest -= count * p) < 0);
        if (group < 0) group = kept.findLastIndex(({ count }) => count > 0); // the sum fell short of 1 by rounding
        this.drawn[group] += 1;
        this.last = group;
      }
      this.draw();
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      const slider = (key, list, format) => this.slider(words[key], { key, min: 0, max: list.length - 1, format: (i) => format(list[i]) });
      const named = this.data.prompts[0].tokens.length;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 14, ...attributes }, content);
      this.picture = svg("svg", { viewBox: `0 0 392 ${TOP + named * ROW + 26}`, role: "img", "aria-label": words.map });
      this.picture.style.maxWidth = "30rem";
      this.shareText = text(4, 16, "");
      this.shareKept = svg("rect", { x: 4, y: 24, height: 18, fill: "var(--course-accent, #1f5fa8)" });
      this.shareTail = svg("rect", { y: 24, height: 18, fill: "var(--course-fill-2, #fbe6cf)", stroke: "var(--course-accent-2, #a34f00)" });
      this.ticks = [0, 1, 2].map((i) => text(LEFT + ((RIGHT - LEFT) * i) / 2, TOP + named * ROW + 20, "", { "text-anchor": "middle" }));
      const end = { "text-anchor": "end" };
      this.picture.append(
        this.shareText, this.shareKept, this.shareTail,
        text(338, TOP - 8, words.columns[0], end), text(388, TOP - 8, words.columns[1], end),
        ...this.ticks,
      );
      this.rows = Array.from({ length: named }, (_, i) => {
        const y = TOP + i * ROW;
        const row = {
          name: text(LEFT - 8, y + 18, "", end),
          bar: svg("rect", { x: LEFT, y: y + 3, height: ROW - 7, fill: "var(--course-accent, #1f5fa8)" }),
          model: svg("rect", { x: LEFT, y: y + 3, height: ROW - 7, fill: "none", stroke: "currentColor", "stroke-dasharray": "3 2" }),
          dot: svg("circle", { cy: y + ROW / 2 - 1, r: 5, fill: "var(--course-accent-2, #a34f00)", stroke: "var(--pst-color-background, #fff)" }),
          p: text(338, y + 18, "", end),
          count: text(388, y + 18, "", end),
        };
        this.picture.append(...Object.values(row));
        return row;
      });
      this.forget();
      stage.append(
        this.choice(words.prompt, { key: "prompt", options: this.data.prompts.map(({ text }, i) => [i, text]) }),
        html("div", { class: "lf-controls" },
          this.slider(words.temperature, { key: "temperature", min: 0, max: 2, step: 0.1, format: (t) => t.toFixed(1) }),
          slider("topK", KEPT, (k) => (k === Infinity ? words.all : String(k))),
          slider("topP", SHARES, (p) => (p === 1 ? words.all : String(p))),
        ),
        html("div", { class: "lf-controls" }, this.button(words.once, () => this.pick(1)), this.button(words.often, () => this.pick(100))),
        this.picture,
      );
    }

    draw() {
      const words = this.words;
      const { tokens, tail } = this.data.prompts[this.state.prompt];
      const kept = this.shaped();
      const model = this.shaped({ temperature: 1, topK: KEPT.length - 1, topP: SHARES.length - 1 });
      const named = tokens.length;
      const shown = kept.map(({ count, p }) => (count ? p : 0));
      const times = this.drawn.reduce((sum, count) => sum + count, 0);
      const most = Math.max(...shown.slice(0, named), ...model.slice(0, named).map(({ p }) => p));
      const scale = SCALES.find((limit) => limit >= most - 1e-9);
      const width = (p) => (Math.min(p, scale) / scale) * (RIGHT - LEFT);
      const place = (element, attributes) => Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));

      this.ticks.forEach((tick, i) => (tick.textContent = String((scale * i) / 2)));
      this.rows.forEach((row, i) => {
        row.name.textContent = tokens[i];
        place(row.bar, { width: width(shown[i]) });
        place(row.model, { width: width(model[i].p) });
        place(row.dot, { cx: LEFT + width(times ? this.drawn[i] / times : 0), visibility: this.drawn[i] ? "visible" : "hidden" });
        row.p.textContent = shown[i] ? shown[i].toFixed(3) : "0";
        row.count.textContent = times ? this.drawn[i] : "–";
      });

      const rest = kept.slice(named).reduce((sum, { count, p }) => sum + count * p, 0);
      const inTail = tail.reduce((sum, [, count]) => sum + count, 0);
      place(this.shareKept, { width: 384 * (1 - rest) });
      place(this.shareTail, { x: 4 + 384 * (1 - rest), width: 384 * rest });
      this.shareText.textContent = words.share(named, (1 - rest).toFixed(2), inTail, rest.toFixed(2));

      const last = this.last === null ? "" : this.last < named ? `‘${tokens[this.last]}’` : words.like(tail[this.last - named][2]);
      const fromTail = this.drawn.slice(named).reduce((sum, count) => sum + count, 0);
      const all = kept.reduce((sum, { count }) => sum + count, 0);
      this.say(words.say(all, tokens[0], shown[0].toFixed(3), rest.toFixed(2)) + (times ? words.drawn(times, last, fromTail) : ""));
    }
  }

  customElements.define("course-decoding-sampling", DecodingSampling);
})();
