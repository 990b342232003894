// The number translator: English words of a number in, Korean syllables out, one by one, with where it looked.
"use strict";

live.widgets.translator = (panel) => {
  const WORDS = {
    ko: {
      number: "0부터 9,999,999까지의 수",
      source: "원문",
      wrote: "모델의 번역",
      right: "맞았습니다.",
      wrong: (answer) => `틀렸습니다. 정답은 ‘${answer}’입니다.`,
      sure: (share) => `이 번역에 준 확률 ${share}`,
      beyond: "배운 범위(백만)를 넘는 수입니다. 자주 틀립니다.",
      none: "0부터 9,999,999까지의 수를 숫자로 적으십시오. 소수와 음수와 글자는 배우지 않았습니다.",
      chips: "적어 볼 수",
      today: (text) => `오늘 날짜 ${text}`,
      maps: "크로스 어텐션",
      head: (layer, head) => `${layer}층 ${head}번`,
    },
    en: {
      number: "A number from 0 to 9,999,999",
      source: "Source",
      wrote: "The model's translation",
      right: "Right.",
      wrong: (answer) => `Wrong: it is ‘${answer}’.`,
      sure: (share) => `Probability of this translation: ${share}.`,
      beyond: "This is outside its training range (up to a million), where it is often wrong.",
      none: "Write a number from 0 to 9,999,999 in digits. It never saw decimals, negative numbers or letters.",
      chips: "Numbers to try",
      today: (text) => `Today, ${text}`,
      maps: "Cross-attention",
      head: (layer, head) => `layer ${layer}, ${head}`,
    },
  };
  const [EXAMPLE, MILLION, LONGEST, SOS, EOS] = ["873569", 1e6, 20, 1, 2];
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const { element } = live;
  const now = new Date();
  const today = String(100 * (now.getMonth() + 1) + now.getDate());

  const file = live.files.number_translator;
  const model = new transformer.Translator(decodeWeights(file));

  const input = element("input", { type: "text", inputmode: "numeric", class: "live-text", value: EXAMPLE, maxlength: "12", autocomplete: "off" });
  const result = element("div", { class: "live-result", role: "status" });
  const maps = element("div");
  const heads = element("details", { class: "live-details", ontoggle: () => show() }, element("summary", {}, words.maps), maps);
  panel.append(element("label", { class: "live-label" }, words.number, input));
  panel.append(live.chips(input, words.chips, [[today, words.today(today)], ["2024"], ["100000"], ["777777"], ["1000021"]]), result, heads);

  // The likeliest syllable each time
  function translate(source) {
    const memory = model.read(source);
    const ids = [SOS];
    let probability = 1;
    for (;;) {
      const { logits, maps: layers } = model.write(ids, memory);
      const shares = transformer.softmax(transformer.row(logits, ids.length - 1));
      const best = shares.indexOf(shares.reduce((a, b) => Math.max(a, b)));
      probability *= shares[best];
      if (best === EOS || ids.length > LONGEST) return { ids: ids.slice(1), probability, layers };
      ids.push(best);
    }
  }

  function show() {
    const digits = input.value.normalize("NFKC").replace(/[,\s]/g, ""); // full-width digits, too
    if (!/^\d{1,7}$/.test(digits)) {
      result.replaceChildren(element("p", {}, words.none));
      maps.replaceChildren();
      return;
    }
    const number = Number(digits);
    const [source, answer] = [numberWords.english(number), numberWords.korean(number).join("")];
    const { ids, probability, layers } = translate(source.map((word) => file.source.indexOf(word)));
    const target = ids.map((id) => file.target[id]);
    const right = target.join("") === answer;
    const line = (name, text) => element("p", {}, element("span", { class: "live-name" }, name), " ", element("span", {}, text));
    const verdict = [right ? words.right : words.wrong(answer), words.sure(live.share(probability))];
    const taught = number < MILLION || number % MILLION === 0;
    result.replaceChildren(
      ...(taught ? [] : [element("p", { class: "live-note" }, words.beyond)]),
      line(words.source, source.join(" ")),
      line(words.wrote, target.join("")),
      element("p", { class: right ? "live-right" : "live-wrong" }, verdict.join(" "))
    );
    if (!heads.open) return;
    const all = layers.flatMap((layer, l) => layer.map((map, h) => ({ name: words.head(l + 1, h + 1), map })));
    maps.replaceChildren(live.attentionMap(all, [...target, "EOS"], source));
    window.startAttentionMaps?.();
  }

  input.addEventListener("input", live.settled(show));
  show();
};
