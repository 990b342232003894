// The tiny GPT continues a review, with and without its key-value cache.
"use strict";

live.widgets.gpt = (panel) => {
  const WORDS = {
    ko: {
      prompt: "첫머리",
      temperature: "온도",
      among: "고를 토큰",
      amongAll: "전부",
      among_: (k) => `위에서 ${k}개`,
      cache: "키·값 캐시",
      endless: "128토큰까지 멈추지 않기",
      fresh: "되풀이 막기",
      chips: "첫머리의 예",
      unknown: (list) => `${list}: 배운 말이 아니어서 빼고 읽습니다. 한국어 영화평에 나올 말로 시작해 보십시오.`,
      copy: "복사",
      copied: "복사했습니다",
      write: "이어 쓰기",
      again: "다시 뽑기",
      stop: "멈추기",
      done: (text) => `다 썼습니다: ${text}`,
      columns: ["캐시", "쓴 토큰", "모델을 지난 토큰", "초당 토큰"],
      on: "켬",
      off: "끔",
    },
    en: {
      prompt: "Prompt",
      temperature: "Temperature",
      among: "Tokens to draw from",
      amongAll: "all",
      among_: (k) => `the top ${k}`,
      cache: "Key-value cache",
      endless: "Do not end before 128 tokens",
      fresh: "No repetition",
      chips: "Prompts to try",
      unknown: (list) => `${list}: left out, as the model has read only Korean film reviews. Begin as one of them would.`,
      copy: "Copy",
      copied: "Copied",
      write: "Continue",
      again: "Draw again",
      stop: "Stop",
      done: (text) => `Written: ${text}`,
      columns: ["Cache", "Tokens written", "Tokens through the model", "Tokens per second"],
      on: "on",
      off: "off",
    },
  };
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const { element } = live;

  const model = new transformer.Gpt(decodeWeights(live.files.tiny_gpt));
  const tokenizer = new WordPiece(live.files.tiny_gpt.vocabulary);
  const [BEGIN, END] = ["[CLS]", "[SEP]"].map((token) => tokenizer.ids.get(token));
  const sampler = new sampling.Sampler(tokenizer.tokens);
  const BEGINNINGS = [
    ["배우들의", "The actors’"],
    ["이 영화는", "This film is"],
    ["마지막 장면에서", "In the last scene"],
    ["처음엔 기대 안 했는데", "I expected nothing at first, but"],
    ["어릴 때 봤던", "What I saw as a child"],
  ];
  let seed = 3;
  let running = null; // {stopped}: the text that is being written

  const input = element("input", { type: "text", class: "live-text", value: BEGINNINGS[0][0], maxlength: "100", enterkeyhint: "go" });
  // Not the Enter that ends a syllable of an input method
  input.addEventListener("keydown", (event) => event.key === "Enter" && !event.isComposing && write());
  const slider = element("input", { type: "range", min: "0.1", max: "2", step: "0.1", value: "0.7" });
  const degrees = element("output", {}, slider.value);
  slider.addEventListener("input", () => degrees.replaceChildren(Number(slider.value).toFixed(1)));
  const topK = element("select", {}, ...[5, 40, 0].map((k) => element("option", { value: String(k), selected: k === 40 }, k ? words.among_(k) : words.amongAll)));
  const cached = element("input", { type: "checkbox", checked: true });
  const fresh = element("input", { type: "checkbox", checked: true });
  const endless = element("input", { type: "checkbox" });
  const start = element("button", { type: "button", class: "live-button", onclick: () => (running ? (running.stopped = true) : write()) }, words.write);
  const again = element("button", { type: "button", class: "live-button", onclick: () => write((seed += 1)) }, words.again);
  const copy = element("button", { type: "button", class: "live-button", onclick: () => copyText() }, words.copy);
  const note = element("p", { class: "live-note", role: "status" });
  const written = element("p", { class: "live-written" });
  const status = element("p", { class: "live-unseen", role: "status" });
  const cells = Object.fromEntries(["on", "off"].map((key) => [key, [0, 1, 2].map(() => element("td", {}, "–"))]));
  const head = words.columns.map((column) => element("th", { scope: "col" }, column));
  const rows = Object.keys(cells).map((key) => element("tr", {}, element("th", { scope: "row" }, words[key]), ...cells[key]));
  const speeds = element("table", { class: "live-speeds" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));

  panel.append(element("label", { class: "live-label" }, words.prompt, input));
  const chips = live.chips(input, words.chips, BEGINNINGS.map(live.glossed));
  chips.addEventListener("click", (event) => event.target.closest("button") && write());
  panel.append(chips, note);
  panel.append(
    element(
      "div",
      { class: "live-controls" },
      element("label", {}, words.temperature, slider, degrees),
      element("label", {}, words.among, topK),
      element("label", {}, fresh, words.fresh),
      element("label", {}, cached, words.cache),
      element("label", {}, endless, words.endless),
      start,
      again,
      copy
    )
  );
  panel.append(element("div", { class: "live-result" }, written), speeds, status);

  async function copyText() {
    const range = document.createRange();
    range.selectNodeContents(written);
    const chosen = getSelection();
    chosen.removeAllRanges();
    chosen.addRange(range);
    document.execCommand("copy"); // navigator.clipboard needs https; the book also opens from disk
    chosen.removeAllRanges();
    copy.replaceChildren(words.copied);
    setTimeout(() => copy.replaceChildren(words.copy), 2000);
  }

  const draw = (logits, ids, begin, random) =>
    sampler.draw(logits, ids, {
      temperature: Number(slider.value),
      k: Number(topK.value),
      fresh: fresh.checked,
      without: endless.checked || !sampler.mayEnd(ids.slice(begin)) ? END : undefined,
      random,
    });

  // The ids of what is typed; words that it does not know are named and left out
  function read() {
    const strange = tokenizer.strange(input.value);
    note.textContent = strange.length ? words.unknown(strange.join(", ")) : "";
    const known = WordPiece.words(input.value).filter((word) => !strange.includes(word));
    return known.flatMap((word) => tokenizer.encode(word));
  }

  async function write() {
    if (running) running.stopped = true;
    const mine = (running = { stopped: false });
    start.replaceChildren(words.stop);
    const cache = cached.checked ? model.newCache() : null;
    const row = cells[cache ? "on" : "off"];
    const random = sampling.random(seed);
    const ids = [BEGIN, ...read()].slice(0, model.settings.places - 1);
    const begin = ids.length;
    let [seconds, passed] = [0, 0];
    while (ids.length < model.settings.places && !mine.stopped) {
      const unread = cache && ids.length > begin ? ids.slice(-1) : ids;
      const began = performance.now();
      const logits = cache ? model.next(unread, cache) : model.next(unread);
      seconds += (performance.now() - began) / 1000;
      passed += unread.length;
      const id = draw(logits, ids, begin, random);
      ids.push(id);
      written.textContent = tokenizer.decode(id === END ? ids.slice(0, -1) : ids);
      const numbers = [ids.length - begin, passed, Math.round((ids.length - begin) / seconds)];
      row.forEach((cell, i) => cell.replaceChildren(numbers[i].toLocaleString()));
      if (id === END) break;
      await live.pause();
    }
    if (running !== mine) return;
    running = null;
    start.replaceChildren(words.write);
    status.textContent = words.done(written.textContent);
  }

  write();
};
