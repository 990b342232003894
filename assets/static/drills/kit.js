// What every drill is made of, without a page: numbers from a seed, sentences, and the judge of an answer. A chapter's file
// adds its drills:
//
//   courseDrills.masking = [{
//     name: "row", kind: "vector", digits: 2,      // number, vector, matrix, shape or tokens; digits: to which to round
//     draw: (random, level) => ({ exps: random.ints(4, 1, 6) }),         // null: these numbers will not do
//     right: ({ exps }) => …,
//     mistakes: { unmasked: { value: ({ exps }) => …, read: "masking#look-ahead" } },    // null: not with these numbers
//     words: { ko: { title: "…", ask: (drawn) => say`…`, unmasked: "…", way: (drawn) => [say`…`] }, en: { … } },
//   }];
//
// Draws for which two mistakes, or a mistake and the right answer, could be taken for one another are not used.
"use strict";

globalThis.courseDrills = {};

globalThis.drillKit = (() => {
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const dot = (a, b) => sum(a.map((value, i) => value * b[i]));
  const transpose = (matrix) => matrix[0].map((_, j) => matrix.map((row) => row[j]));
  const times = (a, b) => a.map((row) => transpose(b).map((column) => dot(row, column)));
  const share = (values) => values.map((value) => value / sum(values));
  const softmax = (scores) => share(scores.map((score) => Math.exp(score - Math.max(...scores))));
  const range = (n) => Array.from({ length: n }, (_, i) => i);

  // The same numbers for the same seed (mulberry32).
  function randomFrom(seed) {
    const uniform = () => {
      seed = (seed + 0x6d2b79f5) | 0;
      let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
    const int = (low, high) => low + Math.floor(uniform() * (high - low + 1));
    const ints = (n, low, high) => range(n).map(() => int(low, high));
    const shuffle = (values) => {
      const mixed = [...values];
      for (let i = mixed.length - 1; i > 0; i -= 1) {
        const j = int(0, i);
        [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
      }
      return mixed;
    };
    return {
      uniform, int, ints, shuffle,
      pick: (values) => values[int(0, values.length - 1)],
      rows: (n, columns, low, high) => range(n).map(() => ints(columns, low, high)),
      some: (n, values) => shuffle(values).slice(0, n), // n different ones
    };
  }

  // ---- Sentences: what say`…` holds is text, numbers, vectors, matrices, words or other sentences.

  const say = (strings, ...values) => ({ strings, values });
  const shape = (sizes) => `(${sizes.join(", ")}${sizes.length === 1 ? "," : ""})`;
  const fixed = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : number(value)).replace("-", "−");

  function number(value) {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
    if (Number.isInteger(value)) return String(value).replace("-", "−").replace(/\B(?=(\d{3})+$)/g, ",");
    const rounded = Math.abs(value) < 0.1 ? Number(value.toPrecision(3)).toString() : value.toFixed(3).replace(/\.?0+$/, "");
    return rounded.replace("-", "−");
  }

  const isMatrix = (value) => Array.isArray(value) && Array.isArray(value[0]);
  const flat = (values) => (typeof values[0] === "string" ? values.join(" ") : `(${values.map(number).join(", ")})`);
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const marked = (text) => // `code`, **stress**, d_k, x^2
    escaped(text)
      .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
      .replace(/`([^`]+)`/g, (_, code) => `<code>${code.replace(/_/g, "&#95;").replace(/\^/g, "&#94;")}</code>`)
      .replace(/([A-Za-zα-ωΣΔ])_(\{[^}]+\}|\w)/g, (_, name, low) => `${name}<sub>${low.replace(/[{}]/g, "")}</sub>`)
      .replace(/\^(\{[^}]+\}|\w)/g, (_, high) => `<sup>${high.replace(/[{}]/g, "")}</sup>`);

  function table(rows) {
    const cells = rows.map((row) => `<mtr>${row.map((value) => `<mtd><mn>${number(value)}</mn></mtd>`).join("")}</mtr>`).join("");
    return `<math><mrow><mo fence="true">[</mo><mtable>${cells}</mtable><mo fence="true">]</mo></mrow></math>`;
  }

  function html(said) {
    if (typeof said === "string") return marked(said);
    if (typeof said === "number") return number(said);
    if (isMatrix(said)) return table(said);
    if (Array.isArray(said)) return escaped(flat(said));
    // What is inserted is no markup, but may stand within some: 10000^{${i}/${d}}
    const text = marked(said.strings.join("\uE000"));
    const values = said.values.map((value) => (typeof value === "string" ? escaped(value) : html(value)));
    return text.replace(/\uE000/g, () => values.shift());
  }

  function plain(said) {
    if (typeof said === "string") return said.replace(/`|\*\*/g, "").replace(/([_^])\{([^}]*)\}/g, "$1($2)").replace(/_\((\w+)\)/g, "_$1");
    if (typeof said === "number") return number(said);
    if (isMatrix(said)) return `[${said.map((row) => `[${row.map(number).join(", ")}]`).join(", ")}]`;
    if (Array.isArray(said)) return flat(said);
    const values = said.values.map(plain);
    return plain(said.strings.join("\uE000")).replace(/\uE000/g, () => values.shift());
  }

  // ---- Posing a drill

  const all = (value) => (Array.isArray(value) ? value.flat(Infinity) : [value]);
  const tolerance = ({ digits }) => (digits == null ? 1e-6 : 1.01 * 10 ** -digits); // a cut digit is no mistake

  function within(a, b, distance) {
    const [left, right] = [all(a), all(b)];
    const same = (x, y) => x === y || Math.abs(x - y) <= distance;
    return left.length === right.length && left.every((x, i) => same(x, right[i]));
  }

  function complete(drill, drawn, right = drill.right(drawn)) {
    const mistakes = Object.entries(drill.mistakes)
      .map(([name, { value, read }]) => ({ name, read, value: value(drawn) }))
      .filter(({ value }) => value !== null);
    const answers = [right, ...mistakes.map(({ value }) => value)];
    const clash = answers.some((a, i) => answers.slice(0, i).some((b) => within(a, b, 2.5 * tolerance(drill))));
    return clash ? null : { drawn, right, mistakes };
  }

  function pose(drill, seed, level = 0) {
    const random = randomFrom(seed);
    for (let tries = 0; tries < 2000; tries += 1) {
      const drawn = drill.draw(random, level);
      const posed = drawn && complete(drill, drawn);
      if (posed) return { drill, seed, level, ...posed };
    }
    throw new Error(`${drill.name}: no numbers tell its mistakes apart`);
  }

  // ---- Reading an answer

  const TRUTH = { true: 1, t: 1, o: 1, 참: 1, false: 0, f: 0, x: 0, 거짓: 0 };

  function readNumber(text) {
    const word = text.trim().toLowerCase().replace(/[−–]/g, "-").replace(/^\+/, "");
    if (word in TRUTH) return TRUTH[word];
    if (/^-?(∞|inf|infinity|무한대)$/.test(word)) return word.startsWith("-") ? -Infinity : Infinity;
    const [, top, , bottom, percent] = word.match(/^(-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?)(\/(\d+\.?\d*))?(%)?$/) ?? [];
    return top === undefined ? NaN : (Number(top) / Number(bottom ?? 1)) / (percent ? 100 : 1);
  }

  // The numbers or words of an answer; null where it cannot be read.
  function read({ drill, right, mistakes }, text) {
    // Full-width signs, and the fractions that phones make of 1/2
    const typed = drill.kind === "tokens" ? text : text.normalize("NFKC").replace(/⁄/g, "/").replace(/、/g, ",");
    const tidy = typed.replace(/\s*\/\s*/g, "/").replace(/\s+%/g, "%").replace(/[()[\]{}<>]/g, " ").trim();
    if (drill.kind === "number") {
      const whole = /^-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(tidy) ? tidy.replace(/,/g, "") : tidy.replace(",", ".");
      return Number.isNaN(readNumber(whole)) ? null : [readNumber(whole)];
    }
    const parts = tidy.split(/[\s,;|]+/).filter(Boolean);
    const values = drill.kind === "tokens" ? parts.map((part) => part.normalize("NFC")) : parts.map(readNumber);
    const readable = values.length > 0 && !values.some(Number.isNaN);
    // Of a shape or a list of words the length is part of what was asked; else it is what an answer's may be.
    const lengths = [right, ...mistakes.map(({ value }) => value)].map((value) => all(value).length);
    return readable && (["shape", "tokens"].includes(drill.kind) || lengths.includes(values.length)) ? values : null;
  }

  // { state: "unreadable", "right", "named" (with the mistake), "near" or "wrong" }
  function judge(posed, text) {
    const given = read(posed, text);
    if (!given) return { state: "unreadable" };
    const distance = tolerance(posed.drill);
    if (within(given, posed.right, distance)) return { state: "right" };
    const mistake = posed.mistakes.find(({ value }) => within(given, value, distance));
    if (mistake) return { state: "named", mistake };
    const near = posed.drill.digits != null && within(given, posed.right, 5 * distance);
    return { state: near ? "near" : "wrong" };
  }

  return { sum, dot, transpose, times, share, softmax, range, say, shape, fixed, number, html, plain, pose, judge, tolerance, all };
})();
