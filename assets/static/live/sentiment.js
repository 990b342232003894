// The tiny BERT with an adapter that has learned what a review feels like, and what each token has to do with it.
"use strict";

live.widgets.sentiment = async (panel) => {
  const WORDS = {
    ko: {
      review: "영화평",
      example: "연기는 좋았지만 이야기가 지루해서 두 번은 못 보겠다.",
      learned: "무엇으로 배웠나",
      adapters: { many: "영화평 15만 개", few: "이 책의 320문장" },
      accuracy: {
        many: "정확도: NSMC 시험 문장 84.5%, 이 책의 504문장 65.7%",
        few: "정확도: NSMC 시험 문장 77.5%, 이 책의 504문장 62.7%",
      },
      positive: (share) => `긍정일 확률 ${share}`,
      nothing: "아직 읽을 글이 없습니다. 한 줄 적어 보십시오.",
      tooLong: (limit) => `앞의 ${limit}토큰만 읽습니다.`,
      part: "토큰마다, 그것을 빼면 로짓이 잃는 값입니다. +는 긍정 쪽으로, −는 부정 쪽으로 당긴 토큰입니다.",
    },
    en: {
      review: "Review",
      example: "연기는 좋았지만 이야기가 지루해서 두 번은 못 보겠다.",
      learned: "What it learned from",
      adapters: { many: "150,000 reviews", few: "this book's 320 sentences" },
      accuracy: {
        many: "Accuracy: 84.5% of NSMC's test reviews, 65.7% of this book's 504 sentences",
        few: "Accuracy: 77.5% of NSMC's test reviews, 62.7% of this book's 504 sentences",
      },
      positive: (share) => `positive with probability ${share}`,
      nothing: "There is nothing to read yet. Write a line.",
      tooLong: (limit) => `Only the first ${limit} tokens are read.`,
      part: "For each token, what the logit loses without it: + pulls to positive, − to negative.",
    },
  };
  const LONGEST = 60;
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const { element } = live;

  const base = decodeWeights(live.files.tiny_bert);
  const tokenizer = new WordPiece(live.files.tiny_bert.vocabulary);
  const [CLS, SEP] = ["[CLS]", "[SEP]"].map((token) => tokenizer.ids.get(token));

  // LoRA: W + BA, with the scale already in B
  function adapted({ weight, bias }, { A, B }) {
    const columns = { weight: transformer.matrix(A.width, A.rows) };
    for (let r = 0; r < A.rows; r += 1) {
      for (let i = 0; i < A.width; i += 1) columns.weight.data[i * A.rows + r] = A.data[r * A.width + i];
    }
    const change = transformer.linear(B, columns);
    const data = weight.data.map((value, i) => value + change.data[i]);
    return { weight: transformer.matrix(weight.rows, weight.width, data), bias };
  }

  function classifier({ weights: adapter }) {
    const layers = base.weights.layers.map((layer, l) => {
      const { attention, widen, narrow } = adapter.layers[l];
      const maps = Object.entries(attention).map(([name, change]) => [name, adapted(layer.attention[name], change)]);
      const feedForward = { widen: adapted(layer.widen, widen), narrow: adapted(layer.narrow, narrow) };
      return { ...layer, attention: Object.fromEntries(maps), ...feedForward };
    });
    const bert = new transformer.Bert({ settings: base.settings, weights: { ...base.weights, layers } });
    return (ids) => {
      const { hidden } = bert.read([CLS, ...ids, SEP]);
      return transformer.linear(transformer.matrix(1, hidden.width, transformer.row(hidden, 0)), adapter.head).data[0];
    };
  }

  const classifiers = {
    many: classifier(decodeWeights(live.files.sentiment_many)),
    few: classifier(decodeWeights(live.files.sentiment_few)),
  };

  const input = element("textarea", { class: "live-text", rows: "2", maxlength: "300" });
  input.value = words.example;
  const choices = Object.entries(words.adapters).map(([name, label], i) => {
    const radio = element("input", { type: "radio", name: "live-adapter", value: name, checked: i === 0 });
    return element("label", {}, radio, element("span", {}, label));
  });
  const picker = element("fieldset", { class: "live-choices" }, element("legend", {}, words.learned), ...choices);
  const accuracy = element("p", { class: "live-hint" });
  const verdict = element("p", { class: "live-verdict", role: "status" });
  const parts = element("ul", { class: "live-parts" });
  panel.append(element("label", { class: "live-label" }, words.review, input), picker, accuracy);
  panel.append(element("div", { class: "live-result" }, verdict, parts), element("p", { class: "live-hint" }, words.part));

  const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;

  function part(id, pull) {
    const shade = { class: pull < 0 ? "live-down" : "live-up", style: `--pull:${Math.min(Math.abs(pull) / 3, 1).toFixed(2)}` };
    return element("li", shade, tokenizer.tokens[id], " ", element("span", { class: "live-number" }, signed(pull)));
  }

  let turn = 0; // what an earlier text still computes is dropped
  async function judge() {
    const mine = (turn += 1);
    const adapter = picker.querySelector(":checked").value;
    const logit = classifiers[adapter];
    accuracy.textContent = words.accuracy[adapter];
    const all = tokenizer.encode(input.value);
    const ids = all.slice(0, LONGEST);
    if (!ids.length) {
      verdict.textContent = words.nothing;
      parts.replaceChildren();
      return;
    }
    const whole = logit(ids);
    const share = words.positive(live.share(1 / (1 + Math.exp(-whole))));
    verdict.textContent = share + (all.length > ids.length ? ` · ${words.tooLong(LONGEST)}` : "");
    const found = [];
    for (let i = 0; i < ids.length; i += 1) {
      await live.pause();
      if (mine !== turn) return;
      found.push(part(ids[i], whole - logit(ids.filter((_, j) => j !== i))));
    }
    parts.replaceChildren(...found);
  }

  input.addEventListener("input", live.settled(judge));
  picker.addEventListener("change", judge);
  await judge();
};
