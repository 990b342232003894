// Sentences in which one feature of a sparse autoencoder is strongest, shaded by its strength, and the tokens that it raises.
"use strict";

(() => {
  class SparseFeatures extends CourseFigure {
    static words = {
      ko: {
        kind: "무엇을 볼까요",
        kinds: { trained: "학습한 GPT의 특징", untrained: "학습하지 않은 GPT의 특징", neurons: "학습한 GPT의 뉴런" },
        which: "번호",
        raises: "올리는 토큰",
        on: (count) => `토큰 ${count}개에서 켜집니다`,
        say: (kind, number, token, raised) => `${kind} ${number}: ‘${token}’에서 가장 세게 켜지고, 다음에 ‘${raised}’ 쪽을 가장 많이 올립니다.`,
      },
      en: {
        kind: "what to look at",
        kinds: { trained: "features, trained GPT", untrained: "features, untrained GPT", neurons: "neurons, trained GPT" },
        which: "number",
        raises: "Tokens it raises",
        on: (count) => `On at ${count} tokens`,
        say: (kind, number, token, raised) => `${kind}, ${number}: strongest on ‘${token}’, and what it raises most is ‘${raised}’.`,
        // What the course's own sentences mean, by their number there
        meaning: {
          6: "It's an old game, so it looks dated, but it is more fun than new ones.",
          8: "The reviews were good, but I watched the clock for two hours.",
          12: "The translation reads so smoothly that it might have been written in Korean.",
          40: "It's not as heavy as I feared, so I carry it about easily.",
          59: "Wow, a true masterpiece: it erased two hours of my life.",
          60: "The moral is fine, but not as a two-hour sermon.",
          70: "Breakfast was generous and the fruit was fresh.",
          100: "Its only fault is that it ends too soon.",
          115: "I took it for a third-rate comedy, and it floored me at the end.",
          120: "I found nothing to complain about.",
          128: "The same joke ten times over wears you out.",
          129: "They say ten million saw it; I never found out why.",
          130: "Even one star is too many; why can't I give zero?",
          133: "I could eat it for ever.",
          146: "The finish is rough in places, but there's no such chair at this price.",
          156: "The colour wasn't the one in the picture.",
          165: "As a student I hated this novel; reread, it is beautiful.",
          170: "It never drew me in, and I struggled to the end.",
          265: "I feel cheated, and it rankles.",
          279: "The translationese kept me from getting on.",
          283: "It made the trip much more enjoyable.",
          291: "The rice cake was stiff and hard to chew.",
          292: "The whole audience sang along, which was moving.",
          294: "The seaside path is well kept and good to walk.",
          304: "Delivery in four hours; how very quick.",
          309: "Not fancy, but a neat meal that sits well.",
          311: "I booked for the view; outside was a building site.",
          315: "Dogs were allowed, so the whole family had fun.",
          317: "An actor should act; you can't just become the man.",
          334: "It was much better under the last manager.",
          338: "Grandma heaped my bowl again; if I put on weight, it's her fault.",
          342: "They were busy, yet helped without a sour look.",
          343: "It was out of the way, but worth getting lost for.",
          362: "The adaptation goes deeper than the original.",
          369: "I read it and nothing stays.",
          374: "The ending was no surprise, but the way there was a joy.",
          386: "My husband took to cooking and my trousers shrank; I could sue.",
          389: "The first half hour was superb; after that I only sighed.",
          393: "I earn less but have my evenings, and I'm content.",
          394: "The cake in the picture was splendid; it came with its cream collapsed.",
          398: "The lead was dazzling, but it is too long and dull to live on that.",
          431: "The operation went well and the whole family relaxed.",
          440: "I wouldn't recommend it to anybody.",
          451: "For this money I could eat twice elsewhere.",
          453: "I can't stop eating; these should be banned.",
          468: "A book you need not blush to recommend.",
          477: "I cried myself out, yet felt oddly bright.",
          479: "The actor mumbled and I couldn't follow.",
          486: "Noodles in company beat a feast alone.",
          489: "The ribs are tender, easy for older people.",
          492: "Our dog won't let me sit on this cushion.",
          493: "Well, I'm not so sure.",
          501: "The coffee smelt of dishcloth.",
          502: "The charger gets so hot that I dare not use it.",
          517: "My manager patted my back and said well done.",
          542: "A fine work that asks no light question.",
          552: "It fits exactly and the stitching is strong.",
          557: "The team isn't what it was, and it saps me.",
          568: "A great discovery: leave a camera on and it's a film.",
          571: "What a way to keep a secret: the whole town knew.",
          578: "Only the price is kind; all the rest is bad.",
          586: "I fell and felt silly, but friends took my hand and I laughed.",
          589: "A dud that kills time with third-rate jokes.",
          593: "Well, I don't know that I want to meet again.",
          602: "The warmest teacher I have ever had.",
          619: "Far less care than in the last book.",
          631: "Hearing the song, I was twenty again.",
          651: "Our team's defence is generous: it lets anyone through.",
          665: "A trip with not one thing to worry about.",
          680: "The romance came from nowhere and was awkward.",
          683: "I keep humming the songs, but the plot is gone; can't recommend it.",
          687: "The bus driver waited for me as I ran.",
          697: "Three years and not one breakdown.",
          723: "I didn't eat a single popcorn; refund me just that.",
          729: "They must love their audience: never was \"The End\" so welcome.",
          734: "I thought the birthday had fallen flat, then the door opened and all sang.",
          744: "The operation was much simpler than we feared.",
          749: "This place's food is homelier than home.",
          765: "It smells good, but then my face stings.",
          780: "My daughter, learning to cycle, rode ten metres alone, and we cheered.",
          781: "My friends nearly killed me; I laughed so hard.",
          783: "The water was clear, but with litter everywhere we soon left.",
          785: "A steak with all the fun of chewing rubber.",
          790: "A strange city scared me, but kind neighbours won me over.",
          792: "You have no conscience: so much for this price?",
          816: "A group project I'd rather have done alone.",
          823: "My girl is taller than me already; I'm so upset that I keep smiling.",
        },
      },
    };

    state = { kind: "trained", number: 12 };

    build(stage) {
      const { html } = CourseFigure;
      const words = this.words;
      const kinds = Object.keys(this.data.kinds).map((kind) => [kind, words.kinds[kind]]);
      this.slider_ = this.slider(words.which, { key: "number", min: 1, max: this.features().length, format: (number) => `${number} / ${this.features().length}` });
      const go = (by) => () => {
        const last = this.features().length;
        this.set({ number: ((this.state.number - 1 + by + last) % last) + 1 });
      };
      this.texts = html("div", { class: "sf-texts" });
      this.raised = html("p", { class: "sf-raised" });
      stage.append(
        this.choice(words.kind, { key: "kind", options: kinds }),
        html("div", { class: "lf-steps" }, this.slider_, html("div", { class: "lf-buttons" }, this.button("←", go(-1)), this.button("→", go(1)))),
        this.texts,
        this.raised,
      );
      const [back, next] = stage.querySelectorAll(".lf-button");
      const english = document.documentElement.lang === "en";
      back.setAttribute("aria-label", english ? "Back" : "이전");
      next.setAttribute("aria-label", english ? "Next" : "다음");
    }

    features() {
      return this.data.kinds[this.state.kind];
    }

    // Another kind begins with its first.
    set(changes) {
      super.set(changes.kind ? { ...changes, number: 1 } : changes);
      this.slider_.querySelector("input").max = this.features().length;
      this.slider_.show();
    }

    // What a token writes, and whether a space comes before it.
    static piece = (token) => (token.startsWith("##") ? [token.slice(2), false] : [token, !/^[.,!?]$/.test(token)]);

    sentence([number, strengths]) {
      const { html } = CourseFigure;
      const line = html("p", { class: "sf-text", lang: "ko" });
      this.data.texts[number].split(" ").forEach((token, i) => {
        const [letters, apart] = SparseFeatures.piece(token);
        const strength = Number(strengths[i]);
        if (apart && i) line.append(" ");
        line.append(strength ? html("mark", { style: `--heat: ${strength / 9}`, title: `${strength} / 9` }, letters) : letters);
      });
      const meaning = this.words.meaning?.[number];
      return html("div", {}, line, ...(meaning ? [html("p", { class: "sf-meaning" }, meaning)] : []));
    }

    draw() {
      const { html } = CourseFigure;
      const words = this.words;
      const { kind, number } = this.state;
      const feature = this.features()[number - 1];
      this.texts.replaceChildren(...feature.shown.map((shown) => this.sentence(shown)));
      this.raised.replaceChildren(`${words.on(feature.on)}. ${words.raises}: `, html("span", { lang: "ko" }, feature.raises.join(" · ")));
      const [text, strengths] = feature.shown[0];
      const strongest = this.data.texts[text].split(" ")[strengths.indexOf("9")];
      this.say(words.say(words.kinds[kind], number, SparseFeatures.piece(strongest)[0], SparseFeatures.piece(feature.raises[0])[0]));
    }
  }

  customElements.define("course-sparse-features", SparseFeatures);
})();
