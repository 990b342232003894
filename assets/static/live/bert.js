// The tiny BERT: words of a typed sentence are blanked by a click and guessed; every head's attention is shown.
"use strict";

live.widgets.bert = (panel) => {
  const WORDS = {
    ko: {
      sentence: "문장",
      chips: "문장의 예",
      unknown: (list) => `${list}: 배운 말이 아닙니다. 이 모델은 한국어 영화평만 읽었습니다.`,
      hint: "토큰을 누르면 가려집니다. 다시 누르면 돌아옵니다.",
      blank: (number, word) => (word ? `빈칸 ${number} (‘${word}’ 자리)` : `빈칸 ${number}`),
      none: "가린 토큰이 없습니다.",
      tooLong: (limit) => `앞의 ${limit}토큰만 읽습니다.`,
      heads: "모든 헤드의 어텐션",
      head: (layer, head) => `${layer}층 ${head}번`,
    },
    en: {
      sentence: "Sentence",
      chips: "Sentences to try",
      unknown: (list) => `${list}: unknown to the model, which has read only Korean film reviews.`,
      hint: "Click a token to mask it; click again to bring it back.",
      blank: (number, word) => (word ? `Blank ${number} (was ‘${word}’)` : `Blank ${number}`),
      none: "No token is hidden.",
      tooLong: (limit) => `Only the first ${limit} tokens are read.`,
      heads: "Attention of all heads",
      head: (layer, head) => `layer ${layer}, ${head}`,
    },
  };
  const SENTENCES = [
    ["배우들의 연기가 정말 [MASK] 영화입니다.", "A film whose acting is really [MASK]."],
    ["스토리가 너무 [MASK] 졸렸다.", "The story was so [MASK] that I dozed off."],
    ["[MASK] 보고 싶은 영화", "A film that I want to see [MASK]"],
    ["시간 가는 줄 [MASK] 봤다.", "I watched it, [MASK] how time went by."],
    ["이 영화를 보고 펑펑 [MASK].", "I saw this film and [MASK] my eyes out."],
    ["돈이 [MASK] 영화", "A film that is [MASK] of money"],
  ];
  const LONGEST = 40; // what an attention map has room for
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const { element } = live;

  const model = new transformer.Bert(decodeWeights(live.files.tiny_bert));
  const tokenizer = new WordPiece(live.files.tiny_bert.vocabulary);
  const [CLS, SEP, MASK] = ["[CLS]", "[SEP]", "[MASK]"].map((token) => tokenizer.ids.get(token));
  let typed = []; // the sentence's ids
  let hidden = new Set(); // places in it

  const input = element("input", { type: "text", class: "live-text", value: SENTENCES[0][0], maxlength: "200" });
  const tokens = element("div", { class: "live-tokens", role: "group", "aria-label": words.hint });
  const note = element("p", { class: "live-note", role: "status" });
  const guesses = element("div", { class: "live-result" });
  const maps = element("div");
  const heads = element("details", { class: "live-details", ontoggle: () => show() }, element("summary", {}, words.heads), maps);
  panel.append(element("label", { class: "live-label" }, words.sentence, input));
  panel.append(live.chips(input, words.chips, SENTENCES.map(live.glossed)));
  panel.append(element("p", { class: "live-hint" }, words.hint), tokens, note, guesses, heads);

  function toggle(place) {
    if (!hidden.delete(place)) hidden.add(place);
    tokens.children[place].setAttribute("aria-pressed", hidden.has(place));
    show();
  }

  function read() {
    const all = tokenizer.encode(input.value);
    typed = all.slice(0, LONGEST - 2);
    const strange = tokenizer.strange(input.value);
    const notes = [strange.length ? words.unknown(strange.join(", ")) : "", all.length > typed.length ? words.tooLong(LONGEST - 2) : ""];
    note.textContent = notes.join(" ").trim();
    hidden = new Set(typed.flatMap((id, place) => (id === MASK ? [place] : [])));
    tokens.replaceChildren(
      ...typed.map((id, place) =>
        element(
          "button",
          { type: "button", "aria-pressed": String(hidden.has(place)), onclick: () => toggle(place) },
          tokenizer.tokens[id]
        )
      )
    );
    show();
  }

  function guess(state, place, number) {
    const shares = transformer.softmax(model.fill(state, place + 1));
    const best = [...shares.keys()].sort((a, b) => shares[b] - shares[a]).filter((id) => !coarse(tokenizer.tokens[id])).slice(0, 5);
    const rows = best.map((id) =>
      element(
        "li",
        { style: `--share:${(100 * shares[id]).toFixed(1)}%` },
        element("span", { class: "live-word" }, tokenizer.tokens[id]),
        element("span", { class: "live-number" }, live.share(shares[id]))
      )
    );
    const was = typed[place] === MASK ? "" : tokenizer.tokens[typed[place]];
    return [element("p", { class: "live-blank" }, words.blank(number, was)), element("ol", { class: "live-bars" }, ...rows)];
  }

  function show() {
    const ids = [CLS, ...typed.map((id, place) => (hidden.has(place) ? MASK : id)), SEP];
    const { hidden: state, maps: layers } = model.read(ids);
    const blanks = [...hidden].sort((a, b) => a - b);
    guesses.replaceChildren(...blanks.flatMap((place, i) => guess(state, place, i + 1)));
    if (!blanks.length) guesses.append(element("p", { class: "live-blank" }, words.none));
    if (!heads.open) return;
    const all = layers.flatMap((layer, l) => layer.map((map, h) => ({ name: words.head(l + 1, h + 1), map })));
    const names = ids.map((id) => tokenizer.tokens[id]);
    maps.replaceChildren(live.attentionMap(all, names, names));
    window.startAttentionMaps?.();
  }

  input.addEventListener("input", live.settled(read));
  read();
};
