// A line that should hide scores from a softmax: computed while it is typed, and a mistake named by what comes out.
"use strict";

(() => {
  const SCORES = [[0, 0.7, 0], [0.7, 0, 1.6], [0, 1.1, 1.4]];
  const MASK = SCORES.map((row, i) => row.map((_, j) => +(j <= i)));
  const RIGHT = "scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)";
  // Wrong answers; the words for each are the grader's own (grader/misconceptions/masking.py), but for the last.
  const WRONG = {
    after: "torch.softmax(scores, dim=-1) * mask",
    zero: "scores.masked_fill(~mask, 0).softmax(dim=-1)",
    axis: "scores.masked_fill(~mask, -torch.inf).softmax(dim=0)",
    flipped: "scores.masked_fill(mask, -torch.inf).softmax(dim=-1)",
    times: "torch.softmax(scores + ~mask * -torch.inf, dim=-1)",
    none: "scores.softmax(dim=-1)",
  };
  const CHIPS = ["after", "zero", "axis", "flipped", "right"];
  const SHOW = ["zero", "axis", "after"]; // what the figure types by itself, once
  const [LEFT, TOP, SIZE] = [60, 26, 56];

  // ---- A line of Python on two matrices. A value is {rows, bool}; a number is a matrix of one row and one column.

  const matrix = (rows, bool = false) => ({ rows, bool });
  const bools = (x) => matrix(x.rows, true);
  const turned = (x) => matrix(x.rows[0].map((_, j) => x.rows.map((row) => row[j])), x.bool);
  const at = (x, i, j) => x.rows[x.rows.length === 1 ? 0 : i][x.rows[0].length === 1 ? 0 : j];

  function each(work, ...xs) {
    const [n, m] = [Math.max(...xs.map((x) => x.rows.length)), Math.max(...xs.map((x) => x.rows[0].length))];
    return matrix(Array.from({ length: n }, (_, i) => Array.from({ length: m }, (_, j) => work(...xs.map((x) => at(x, i, j))))));
  }

  function along(dim, work, x) {
    if ([-1, 1].includes(dim)) return matrix(x.rows.map(work));
    if ([-2, 0].includes(dim)) return turned(along(1, work, turned(x)));
    throw new SyntaxError(`dim=${dim}`);
  }

  const OPERATIONS = [
    { "==": (a, b) => +(a === b), "!=": (a, b) => +(a !== b) },
    { "+": (a, b) => a + b, "-": (a, b) => a - b },
    { "*": (a, b) => a * b, "/": (a, b) => a / b },
  ];
  const invert = (x) => bools(each((v) => +!v, x));
  // Of each function: how many values it takes, and what it does with them and with the named ones
  const FUNCTIONS = {
    softmax: [1, ([x], { dim }) => along(dim, (row) => (Math.max(...row) === -Infinity ? row.map(() => NaN) : CourseFigure.softmax(row)), x)],
    sum: [1, ([x], { dim, keepdim }) => (keepdim ? along(dim, (row) => [row.reduce((a, b) => a + b)], x) : refuse("keepdim"))],
    masked_fill: [3, ([x, mask, value]) => (mask.bool ? each((s, m, v) => (m ? v : s), x, mask, value) : refuse("mask"))],
    where: [3, ([condition, yes, no]) => each((c, a, b) => (c ? a : b), condition, yes, no)],
    exp: [1, ([x]) => each(Math.exp, x)],
    nan_to_num: [1, ([x]) => each((v) => (Number.isNaN(v) ? 0 : v), x)],
    logical_not: [1, ([x]) => invert(x)],
    bool: [1, ([x]) => bools(x)],
    float: [1, ([x]) => matrix(x.rows)],
  };
  const refuse = (what) => {
    throw new SyntaxError(what);
  };

  // The value of an expression of scores and mask. Raises SyntaxError where it says what is not known here.
  function evaluate(source) {
    const tokens = source.match(/\d*\.?\d+(?:e[+-]?\d+)?|[A-Za-z_]\w*|"[^"]*"|'[^']*'|==|!=|\S/g) ?? [];
    let place = 0;
    const take = (wanted) => (wanted === undefined || tokens[place] === wanted ? tokens[place++] : refuse(tokens[place] ?? wanted));

    function binary(level = 0) {
      if (level === OPERATIONS.length) return unary();
      let value = binary(level + 1);
      while (Object.hasOwn(OPERATIONS[level], tokens[place])) {
        const found = each(OPERATIONS[level][take()], value, binary(level + 1));
        value = level === 0 ? bools(found) : found;
      }
      return value;
    }

    function unary() {
      if (tokens[place] === "-") return take(), each((v) => -v, unary());
      if (tokens[place] !== "~") return postfix();
      take();
      const value = unary();
      return value.bool ? invert(value) : refuse("~");
    }

    function call(name, values = []) {
      const [count, work] = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : refuse(name);
      const named = {};
      take("(");
      while (tokens[place] !== ")") {
        if (tokens[place + 1] === "=") {
          const key = take();
          take("=");
          named[key] = tokens[place] === "True" ? take() : binary().rows[0][0];
        } else values.push(binary());
        if (tokens[place] !== ")") take(",");
      }
      take(")");
      if (values.length === count + 1) named.dim ??= values.pop().rows[0][0];
      return values.length === count ? work(values, named) : refuse(name);
    }

    function postfix() {
      const token = take() ?? refuse("…");
      let value;
      if (token === "(") {
        value = binary();
        take(")");
      } else if (/^[\d.]/.test(token)) value = matrix([[Number(token)]]);
      else if (token === "scores") value = matrix(SCORES);
      else if (token === "mask") value = matrix(MASK, true);
      else if (token === "float") {
        take("(");
        value = matrix([[/^.-inf.$/.test(take()) ? -Infinity : refuse("float")]]);
        take(")");
      } else if (["torch", "F", "math"].includes(token)) {
        take(".");
        const name = take();
        value = name === "inf" ? matrix([[Infinity]]) : call(name);
      } else refuse(token);
      while (tokens[place] === ".") {
        take();
        const name = take();
        value = ["T", "mT"].includes(name) ? turned(value) : call(name, [value]);
      }
      return value;
    }

    const value = binary();
    if (place < tokens.length) refuse(tokens[place]);
    return each((v) => v, value, matrix(SCORES)).rows;
  }

  const alike = (a, b) => a.every((row, i) => row.every((v, j) => Object.is(v, b[i][j]) || Math.abs(v - b[i][j]) < 1e-6));

  class NamedMistake extends CourseFigure {
    static words = {
      ko: {
        tokens: ["밤에", "눈이", "내린다"], sum: "합", line: "masked_softmax의 한 줄. 고쳐 보십시오.", map: "행은 질의, 열은 키인 가중치",
        chips: { after: "뒤에서 지우기", zero: "0으로 바꾸기", axis: "다른 축", flipped: "거꾸로", right: "맞는 답" },
        bad: "확인 필요", good: "맞았습니다", stop: "멈춤", read: "읽을 곳: 0이 아니라 −∞를, 소프트맥스 앞에",
        right: "가린 자리는 0이고 행마다 합이 1입니다. 볼 것이 하나도 없는 행까지 다루는 일은 연습에서 합니다.",
        after: "소프트맥스를 한 다음에 0으로 지웠습니다. 남은 가중치의 합이 1보다 작아집니다. 소프트맥스 전에 -inf로 바꾸십시오.",
        zero: "가릴 점수를 -inf가 아니라 0으로 바꾸었습니다. exp(0)은 1이므로 가린 자리도 가중치를 받습니다.",
        axis: "소프트맥스를 질의 축에 적용했습니다. 마지막 축(키)에서 합이 1이어야 합니다.",
        flipped: "마스크의 극성이 반대입니다. True인 자리를 가렸습니다.",
        times: "마스크에 -inf를 곱했습니다. 0 × -inf는 NaN이므로 보이는 자리까지 NaN이 됩니다. masked_fill로 바꾸십시오.",
        none: "마스크를 쓰지 않았습니다. 가려야 할 자리도 가중치를 받습니다.",
        other: (query, key, right, found) => `‘${query}’ 행의 ‘${key}’ 자리: ${right} 대신 ${found}.`,
        unread: "이 한 줄은 셈할 수 없습니다. scores와 mask를 torch.softmax, masked_fill, where, exp, sum, +, −, ×, /로 엮어 보십시오.",
      },
      en: {
        tokens: ["nightly", "snow", "falls"], sum: "sum", line: "The line of masked_softmax. Change it.", map: "weights; rows are queries, columns are keys",
        chips: { after: "erase after", zero: "fill with 0", axis: "other axis", flipped: "upside down", right: "a right answer" },
        bad: "Needs work", good: "Right", stop: "Stop", read: "Read: −∞, not 0, and before the softmax",
        right: "What is hidden is 0, and each row adds up to 1. Rows that see nothing at all are left for the exercise.",
        after: "You set the weights to 0 after the softmax. The remaining weights then sum to less than 1. Replace the scores with -inf before the softmax.",
        zero: "You replaced the scores to be masked with 0 instead of -inf. Since exp(0) is 1, masked positions still get weight.",
        axis: "You applied the softmax over the query axis. The weights must sum to 1 over the last axis (the keys).",
        flipped: "The polarity of the mask is reversed. You masked the positions that are True.",
        times: "You multiplied the mask by -inf. 0 × -inf is NaN, so the visible positions become NaN too. Replace with masked_fill.",
        none: "You did not use the mask. Masked positions still get weight.",
        other: (query, key, right, found) => `Row ‘${query}’, column ‘${key}’: ${found} instead of ${right}.`,
        unread: "This line cannot be computed here. Combine scores and mask with torch.softmax, masked_fill, where, exp, sum, +, −, ×, /.",
      },
    };

    state = { code: WRONG.after };

    build(stage) {
      const { html, svg } = CourseFigure;
      const words = this.words;
      this.right = evaluate(RIGHT);
      this.wrong = Object.entries(WRONG).map(([name, code]) => [name, evaluate(code)]);
      this.input = html("textarea", { rows: 2, spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": words.line });
      this.input.addEventListener("input", () => this.mine(this.input.value));
      this.input.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
      const chips = CHIPS.map((name) => this.button(words.chips[name], () => this.mine(WRONG[name] ?? RIGHT)));
      this.stop = this.button(words.stop, () => this.mine(this.state.code));
      this.picture = svg("svg", { viewBox: `0 0 ${LEFT + 4 * SIZE} ${TOP + 3 * SIZE + 2}`, role: "img", "aria-label": words.map });
      const text = (x, y, content, more = {}) => svg("text", { x, y, "font-size": 14, "text-anchor": "middle", ...more }, content);
      const centre = (k) => (k + 0.5) * SIZE;
      words.tokens.forEach((token, k) => this.picture.append(text(LEFT + centre(k), TOP - 8, token), text(LEFT - 8, TOP + centre(k) + 5, token, { "text-anchor": "end" })));
      this.picture.append(text(LEFT + centre(3), TOP - 8, words.sum));
      this.cells = SCORES.map((row, i) => {
        const cells = row.map((_, j) => {
          const box = { x: LEFT + j * SIZE + 1, y: TOP + i * SIZE + 1, width: SIZE - 2, height: SIZE - 2, rx: 3 };
          const [shade, frame, label] = [svg("rect", { ...box, class: "nm-shade" }), svg("rect", { ...box, fill: "none" }), text(LEFT + centre(j), TOP + centre(i) + 5, "")];
          this.picture.append(shade, frame, label);
          return { shade, frame, label };
        });
        const sum = text(LEFT + centre(3), TOP + centre(i) + 5, "");
        this.picture.append(sum);
        return { cells, sum };
      });
      this.link = html("p", { class: "nm-link" });
      stage.append(
        html("div", { class: "nm-code" }, html("code", {}, "def masked_softmax(scores, mask):"), html("div", {}, html("code", {}, "return "), this.input)),
        html("div", { class: "nm-chips" }, ...chips, this.stop),
        this.picture,
        this.link,
      );
      if (this.calm) this.stop.hidden = true;
      else this.play();
    }

    // By itself the figure types a few answers, once, until somebody takes over.
    play() {
      const script = SHOW.flatMap((name) => [...Array(WRONG[name].length).keys()].map((n) => [WRONG[name].slice(0, n + 1), n + 1 === WRONG[name].length]));
      const type = (k) => {
        if (k === script.length) return this.halt();
        const [code, whole] = script[k];
        this.input.value = code;
        if (whole) this.set({ code });
        this.timer = setTimeout(() => type(k + 1), whole ? 3500 : 35);
      };
      this.timer = setTimeout(() => type(0), 2500);
    }

    halt() {
      clearTimeout(this.timer);
      this.stop.hidden = true;
    }

    mine(code) {
      this.halt();
      this.told = true;
      this.set({ code });
    }

    draw() {
      const { code } = this.state;
      const words = this.words;
      if (this.input.value !== code) this.input.value = code;
      let [rows, name, said] = [null, "other", ""];
      try {
        rows = evaluate(code.replace(/^\s*return\b/, ""));
        name = alike(rows, this.right) ? "right" : (this.wrong.find(([, wrong]) => alike(rows, wrong))?.[0] ?? "other");
        const at = rows.flatMap((row, i) => row.map((v, j) => [i, j, v])).find(([i, j, v]) => !(Math.abs(v - this.right[i][j]) < 1e-6));
        said = name === "other" ? words.other(words.tokens[at[0]], words.tokens[at[1]], this.right[at[0]][at[1]].toFixed(2), this.number(at[2])) : words[name];
      } catch (problem) {
        if (!(problem instanceof SyntaxError || problem instanceof RangeError)) throw problem;
        said = words.unread;
      }
      this.cells.forEach(({ cells, sum }, i) => {
        cells.forEach(({ shade, frame, label }, j) => {
          const weight = rows?.[i][j];
          const bad = rows && !(Math.abs(weight - this.right[i][j]) < 1e-6);
          shade.setAttribute("fill-opacity", weight > 0 ? (0.6 * Math.min(weight, 1)).toFixed(3) : 0);
          frame.setAttribute("stroke", bad ? "var(--course-wrong, #a3301d)" : "currentColor");
          frame.setAttribute("stroke-width", bad ? 2.5 : 1);
          frame.setAttribute("stroke-dasharray", MASK[i][j] ? "none" : "3 4");
          label.textContent = rows ? this.number(weight) : "";
        });
        sum.textContent = rows ? this.number(rows[i].reduce((a, b) => a + b)) : "";
      });
      const verdict = rows && (name === "right" ? "good" : "bad");
      const known = verdict === "bad" && name !== "other";
      this.link.replaceChildren(...(known ? [CourseFigure.html("a", { href: "masking.html#minus-infinity" }, words.read)] : []));
      this.status.className = `lf-status nm-status ${{ good: "nm-good", bad: "nm-bad" }[verdict] ?? ""}`;
      this.status.setAttribute("aria-live", this.told ? "polite" : "off"); // what types by itself interrupts nobody
      this.say((verdict ? `${words[verdict]}. ` : "") + said);
    }

    number(value) {
      return Number.isNaN(value) ? "NaN" : value.toFixed(2).replace("-", "−");
    }
  }

  customElements.define("course-named-mistake", NamedMistake);
})();
