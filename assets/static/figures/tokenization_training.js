// BPE learns: the pairs are counted, the most frequent becomes one symbol, and the words are cut anew.
"use strict";

(() => {
  const TEXT = [["먹었다", 3], ["웃었다", 2], ["먹는다", 2], ["웃는다", 1]];
  const MERGES = 4;
  const [ROW, BAR] = [44, 27];
  const COUNT = 206; // where the counts of pairs begin

  // What training looks like before each merge, and after the last: the words' symbols, the numbers, the counted pairs.
  function train(text, merges) {
    let words = text.map(([word, times]) => [[...word], times]);
    const symbols = [...new Set(text.flatMap(([word]) => [...word]))].sort();
    const states = [];
    for (let i = 0; ; i++) {
      const counts = new Map();
      for (const [parts, times] of words) {
        parts.slice(1).forEach((right, k) => {
          const pair = `${parts[k]} ${right}`;
          counts.set(pair, (counts.get(pair) ?? 0) + times);
        });
      }
      const numbers = (pair) => pair.split(" ").map((symbol) => symbols.indexOf(symbol));
      const before = ([a, x], [b, y]) => y - x || numbers(a)[0] - numbers(b)[0] || numbers(a)[1] - numbers(b)[1];
      const pairs = [...counts].sort(before).map(([pair, count]) => ({ pair, count, numbers: numbers(pair) }));
      states.push({ words, symbols: [...symbols], pairs });
      if (i === merges || !pairs.length) return states;
      const [left, right] = pairs[0].pair.split(" ");
      symbols.push(left + right);
      words = words.map(([parts, times]) => [join(parts, left, right), times]);
    }
  }

  function join(parts, left, right) {
    const joined = [];
    for (let i = 0; i < parts.length; i++) {
      const here = parts[i] === left && parts[i + 1] === right;
      joined.push(here ? left + right : parts[i]);
      if (here) i += 1;
    }
    return joined;
  }

  class TokenizationTraining extends CourseFigure {
    static words = {
      ko: {
        step: "병합",
        map: "네 단어의 기호와 이웃한 쌍의 횟수",
        text: "글",
        pairs: "이웃한 쌍의 횟수 (번호)",
        symbols: "어휘의 번호",
        next: ({ pair, count }, tie) => `다음에 합칠 쌍은 ${pair.replace(" ", " + ")}, ${count}번입니다.${tie ? " 횟수가 같은 쌍이 있어 번호가 작은 것을 고릅니다." : ""}`,
        made: (symbol, tokens) => `‘${symbol}’가 한 기호가 되었습니다. 글은 이제 ${tokens}토큰입니다. `,
        start: (tokens) => `글자마다 기호 하나, 모두 ${tokens}토큰입니다. `,
      },
      en: {
        step: "merge",
        map: "the symbols of four words, and how often neighbours occur",
        text: "text",
        pairs: "pairs, counted (numbers)",
        symbols: "token ids",
        next: ({ pair, count }, tie) => `Next, ${pair.replace(" ", " + ")} merge: ${count} times.${tie ? " Ties go to the pair with the smaller ids." : ""}`,
        made: (symbol, tokens) => `‘${symbol}’ is one symbol now; the text has ${tokens} tokens. `,
        start: (tokens) => `A symbol for each letter: ${tokens} tokens. `,
      },
    };

    state = { step: 0 };

    states = train(TEXT, MERGES);

    build(stage) {
      const { svg } = CourseFigure;
      const height = 40 + this.states[0].pairs.length * BAR;
      this.picture = svg("svg", { viewBox: `0 0 392 ${Math.max(height, 40 + TEXT.length * ROW) + 66}`, role: "img", "aria-label": this.words.map });
      this.picture.style.maxWidth = "32rem";
      stage.append(this.steps({ last: this.states.length - 1, label: this.words.step, seconds: 2 }), this.picture);
    }

    draw() {
      const { svg } = CourseFigure;
      const { words: parts, symbols, pairs } = this.states[this.state.step];
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 15, "text-anchor": "middle", ...attributes }, content);
      const small = { "font-size": 13, "text-anchor": "start" };
      const newest = this.state.step ? symbols.at(-1) : null;
      const [next] = pairs;
      const drawn = [text(4, 16, this.words.text, small), text(COUNT, 16, this.words.pairs, small)];
      parts.forEach(([word, times], row) => {
        let x = 4;
        const y = 30 + row * ROW;
        for (const symbol of word) {
          const merged = symbol.length > 1;
          const width = 18 * symbol.length + 22;
          drawn.push(
            svg("rect", { x, y, width, height: 32, rx: 4, fill: symbol === newest ? "var(--course-fill-2, #fbe6cf)" : merged ? "var(--course-fill, #dbe8f6)" : "none", stroke: symbol === newest ? "var(--course-accent-2, #a34f00)" : merged ? "var(--course-accent, #1f5fa8)" : "currentColor", "stroke-width": merged ? 2 : 1 }),
            text(x + width / 2, y + 22, symbol, { "font-size": 17, "font-weight": merged ? 600 : 400 }),
          );
          x += width + 4;
        }
        drawn.push(text(x + 4, y + 21, `×${times}`, { "text-anchor": "start" }));
      });
      pairs.forEach(({ pair, count, numbers }, i) => {
        const y = 30 + i * BAR;
        const chosen = i === 0;
        drawn.push(
          text(COUNT + 74, y + 16, pair.replace(" ", " + "), { "text-anchor": "end", "font-weight": chosen ? 600 : 400 }),
          svg("rect", { x: COUNT + 80, y: y + 2, width: 10 * count, height: 18, fill: chosen ? "var(--course-accent, #1f5fa8)" : "var(--course-muted, #57606a)", "fill-opacity": chosen ? 1 : 0.45 }),
          text(COUNT + 86 + 10 * count, y + 16, `${count} (${numbers.join(", ")})`, { "font-size": 13, "text-anchor": "start" }),
        );
      });
      const bottom = this.picture.viewBox.baseVal.height - 42;
      drawn.push(text(4, bottom, this.words.symbols, small));
      let x = 4;
      symbols.forEach((symbol, number) => {
        const label = `${symbol} ${number}`;
        drawn.push(text(x, bottom + 26, label, { ...small, "font-weight": symbol === newest ? 600 : 400 }));
        x += 13 * symbol.length + 20;
      });
      this.picture.replaceChildren(...drawn);
      const tokens = parts.reduce((sum, [word, times]) => sum + word.length * times, 0);
      const tie = pairs.length > 1 && pairs[1].count === next.count;
      this.say((newest ? this.words.made(newest, tokens) : this.words.start(tokens)) + (next ? this.words.next(next, tie) : ""));
    }
  }

  customElements.define("course-tokenization-training", TokenizationTraining);
})();
