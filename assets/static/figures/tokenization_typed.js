// A typed text cut in four ways: BPE's merges one after another, WordPiece on the same pieces, jamo and bytes.
"use strict";

(() => {
  const [WIDTH, BOX, GAP] = [384, 30, 4];
  const CHO = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";
  const JONG = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ";

  // Of the neighbours that may merge, the earliest learnt first.
  function bpe(word, ranks) {
    let parts = [...word];
    for (;;) {
      const known = parts.slice(1).map((right, i) => ranks.get(`${parts[i]} ${right}`) ?? Infinity);
      const best = Math.min(...known);
      if (best === Infinity) return parts;
      const at = known.indexOf(best);
      const pair = [parts[at], parts[at + 1]];
      const joined = [];
      for (let i = 0; i < parts.length; i++) {
        const here = parts[i] === pair[0] && parts[i + 1] === pair[1];
        joined.push(here ? pair.join("") : parts[i]);
        if (here) i += 1;
      }
      parts = joined;
    }
  }

  // The longest known piece from the left, again and again; one unknown piece loses the word.
  function wordpiece(word, known) {
    const letters = [...word];
    const pieces = [];
    let start = 0;
    while (start < letters.length) {
      let end = letters.length;
      while (end > start && !known.has(letters.slice(start, end).join(""))) end -= 1;
      if (end === start) return ["[UNK]"];
      pieces.push((start ? "##" : "") + letters.slice(start, end).join(""));
      start = end;
    }
    return pieces;
  }

  const jamo = (word) => [...word.normalize("NFD")];
  const bytes = (word) => [...new TextEncoder().encode(word)].map((byte) => byte.toString(16).padStart(2, "0"));

  // A conjoining jamo alone is drawn badly by many fonts: show the letter of a keyboard instead.
  function visible(token) {
    const code = token.codePointAt(0);
    if (token.length > 1) return token;
    if (code >= 0x1100 && code <= 0x1112) return CHO[code - 0x1100];
    if (code >= 0x1161 && code <= 0x1175) return String.fromCodePoint(0x314f + code - 0x1161);
    if (code >= 0x11a8 && code <= 0x11c2) return JONG[code - 0x11a8];
    return token;
  }

  class TokenizationTyped extends CourseFigure {
    static words = {
      ko: {
        input: "나눌 글",
        merges: "배운 병합",
        map: "네 가지로 나눈 글",
        rows: { bpe: "BPE", wordpiece: "WordPiece", jamo: "자모", bytes: "바이트" },
        count: (name, count) => `${name} · ${count}토큰`,
        last: (pair) => `마지막 병합은 ${pair}입니다. `,
        none: "아직 아무것도 합치지 않았습니다. ",
        say: (counts, lost) => `${counts}.${lost ? ` WordPiece는 단어 ${lost}개를 잃었습니다.` : ""}`,
      },
      en: {
        input: "text",
        merges: "merges",
        map: "the text cut in four ways",
        rows: { bpe: "BPE", wordpiece: "WordPiece", jamo: "jamo", bytes: "bytes" },
        count: (name, count) => `${name} · ${count} tokens`,
        last: (pair) => `The last merge is ${pair}. `,
        none: "Nothing has merged yet. ",
        say: (counts, lost) => `${counts}.${lost ? ` WordPiece lost ${lost} words.` : ""}`,
      },
    };

    // The tokens of each word, in four ways.
    cut() {
      const { text, merges } = this.state;
      const learnt = this.data.merges.slice(0, merges);
      const ranks = new Map(learnt.map((pair, i) => [pair, i]));
      const known = new Set([...this.data.alphabet, ...learnt.map((pair) => pair.replace(" ", ""))]);
      const words = text.normalize("NFC").split(/\s+/).filter(Boolean);
      const ways = { bpe: (word) => bpe(word, ranks), wordpiece: (word) => wordpiece(word, known), jamo, bytes };
      return Object.fromEntries(Object.entries(ways).map(([name, way]) => [name, words.map(way)]));
    }

    build(stage) {
      const { html, svg } = CourseFigure;
      this.state = { text: this.data.text, merges: this.data.merges.length };
      const input = html("input", { type: "text", id: "tokenization-typed-text", value: this.state.text, maxlength: 40, autocomplete: "off", spellcheck: "false" });
      input.addEventListener("input", () => this.set({ text: input.value }));
      this.picture = svg("svg", { role: "img", "aria-label": this.words.map });
      this.picture.style.maxWidth = "34rem";
      stage.append(
        html("div", { class: "lf-controls" },
          html("div", { class: "lf-text" }, html("label", { for: input.id }, this.words.input), input),
          this.slider(this.words.merges, { key: "merges", min: 0, max: this.data.merges.length }),
        ),
        this.picture,
      );
    }

    draw() {
      const { svg } = CourseFigure;
      const words = this.words;
      const cut = this.cut();
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 15, ...attributes }, content);
      const drawn = [];
      const counts = [];
      let y = 18;
      for (const [name, ofWords] of Object.entries(cut)) {
        const count = words.count(words.rows[name], ofWords.flat().length);
        counts.push(count.replace(" · ", " "));
        drawn.push(text(2, y, count, { "font-weight": 600 }));
        y += 8;
        let x = 2;
        let colour = 0;
        for (const tokens of ofWords) {
          for (const token of tokens) {
            const shown = visible(token);
            const width = [...shown].reduce((sum, letter) => sum + (letter.codePointAt(0) < 0x1000 ? 9 : 15), 8);
            if (x + width > WIDTH) [x, y] = [2, y + BOX + GAP];
            const first = (colour += 1) % 2;
            const lost = token === "[UNK]";
            drawn.push(
              svg("rect", { x, y, width, height: BOX, rx: 4, fill: lost ? "none" : first ? "var(--course-fill, #dbe8f6)" : "var(--course-fill-2, #fbe6cf)", stroke: lost ? "var(--course-wrong, #a3301d)" : first ? "var(--course-accent, #1f5fa8)" : "var(--course-accent-2, #a34f00)" }),
              text(x + width / 2, y + 20, shown, { "text-anchor": "middle" }),
            );
            x += width + 2;
          }
          x += 8; // between words
        }
        y += BOX + 28;
      }
      this.picture.setAttribute("viewBox", `0 0 388 ${y - 16}`);
      this.picture.replaceChildren(...drawn);
      const { merges } = this.state;
      const last = merges ? words.last(this.data.merges[merges - 1].replace(" ", " + ")) : words.none;
      this.say(last + words.say(counts.join(", "), cut.wordpiece.filter(([token]) => token === "[UNK]").length));
    }
  }

  customElements.define("course-tokenization-typed", TokenizationTyped);
})();
