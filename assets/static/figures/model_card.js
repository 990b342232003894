// The numbers of a model's card, and what they make: parameters by part, the cache, memory by format.
// Counts as the page's own functions do (chapters/model_cards.md); a test holds them to each other.
"use strict";

(() => {
  const GIB = 2 ** 30;
  const GROUPS = {
    size: ["vocab", "d", "layers", "heads", "kv_heads", "head_dim", "ffn"],
    experts: ["experts", "chosen", "shared", "dense_layers", "dense_ffn"],
    latent: ["kv_rank", "q_rank", "rope_dim"],
    window: ["window", "window_layers"],
  };
  const LEAST = { vocab: 1, d: 1, layers: 1, heads: 1, kv_heads: 1, head_dim: 1, ffn: 1 }; // of the others, 0
  const PARTS = ["embedding", "attention", "feed-forward", "norms", "head"];
  const BAR = { left: 104, right: 284, height: 15, step: 25 };
  const USED = "var(--course-accent, #1f5fa8)";
  const IDLE = "var(--course-fill, #dbe8f6)";
  const CACHE = "var(--course-accent-2, #a34f00)";

  class ModelCard extends CourseFigure {
    static words = {
      ko: {
        picture: "부분마다의 파라미터와, 형식마다의 메모리",
        model: "모델",
        tokens: "글의 토큰",
        groups: { size: "크기", experts: "전문가 (없으면 0)", latent: "압축한 키와 값 (없으면 0)", window: "창 (없으면 0)" },
        fields: {
          vocab: "어휘", d: "차원", layers: "층", heads: "질의 헤드", kv_heads: "키·값 헤드", head_dim: "헤드의 차원", ffn: "안쪽 차원",
          experts: "전문가", chosen: "고르는 수", shared: "공유", dense_layers: "전문가 없는 층", dense_ffn: "그 층의 안쪽",
          kv_rank: "kv_lora_rank", q_rank: "q_lora_rank", rope_dim: "위치의 키", window: "창의 폭", window_layers: "창을 쓰는 층",
        },
        tied: "임베딩을 나가는 행렬로도",
        biases: "편향",
        kinds: { none: "없음", qkv: "질의·키·값", all: "모두" },
        parts: { embedding: "임베딩", attention: "어텐션", "feed-forward": "피드포워드", norms: "정규화", head: "나가는 행렬" },
        all: "모두",
        active: "활성",
        cache: (each) => `캐시: 토큰 하나에 ${each}바이트`,
        memory: (tokens) => `가중치 + 토큰 ${tokens}개의 캐시, GiB`,
        bad: (name, least) => `${name}: ${least} 이상의 정수를 적으십시오.`,
        say: (all, active, each, tokens, cache, weights) =>
          `파라미터 ${all} 가운데 토큰 하나가 쓰는 것은 ${active}입니다. 캐시는 토큰 하나에 ${each}바이트, 토큰 ${tokens}개에 ${cache} GiB이고, 가중치는 bfloat16에서 ${weights} GiB입니다.`,
      },
      en: {
        picture: "parameters by part, and memory by format",
        model: "model",
        tokens: "tokens of text",
        groups: { size: "sizes", experts: "experts (none: 0)", latent: "compressed keys and values (none: 0)", window: "window (none: 0)" },
        fields: {
          vocab: "vocabulary", d: "dimension", layers: "layers", heads: "query heads", kv_heads: "key-value heads", head_dim: "head dim.", ffn: "inner dim.",
          experts: "experts", chosen: "chosen", shared: "shared", dense_layers: "dense layers", dense_ffn: "dense inner dim.",
          kv_rank: "kv_lora_rank", q_rank: "q_lora_rank", rope_dim: "position key", window: "window", window_layers: "its layers",
        },
        tied: "tied embedding",
        biases: "biases",
        kinds: { none: "none", qkv: "Q, K, V", all: "all" },
        parts: { embedding: "embedding", attention: "attention", "feed-forward": "feed-forward", norms: "norms", head: "output matrix" },
        all: "all",
        active: "active",
        cache: (each) => `cache: ${each} bytes a token`,
        memory: (tokens) => `weights + cache of ${tokens} tokens, GiB`,
        bad: (name, least) => `${name}: enter a whole number of at least ${least}.`,
        say: (all, active, each, tokens, cache, weights) =>
          `Of ${all} parameters, a token uses ${active}. The cache is ${each} bytes a token, ${cache} GiB for ${tokens} tokens; the weights are ${weights} GiB in bfloat16.`,
      },
    };

    state = { model: "Llama 3 8B", at: 13 }; // 2 ** at tokens; the card's numbers join it

    // Parameters by part, all of them, those that a token uses, and the bytes of its keys and values.
    count() {
      const c = this.state;
      const linear = (inputs, outputs, bias) => inputs * outputs + (bias ? outputs : 0);
      const network = (width) => 2 * linear(c.d, width, c.biases === "all") + linear(width, c.d, c.biases === "all");
      const inner = c.heads * c.head_dim;
      let attention, kept;
      if (c.kv_rank) {
        const query = c.heads * (c.head_dim + c.rope_dim);
        const queries = c.q_rank ? linear(c.d, c.q_rank) + c.q_rank + linear(c.q_rank, query) : linear(c.d, query);
        attention = queries + linear(c.d, c.kv_rank + c.rope_dim) + c.kv_rank + linear(c.kv_rank, 2 * inner) + linear(inner, c.d);
        kept = c.kv_rank + c.rope_dim;
      } else {
        const bias = c.biases !== "none";
        attention = linear(c.d, inner, bias) + 2 * linear(c.d, c.kv_heads * c.head_dim, bias);
        attention += linear(inner, c.d, c.biases === "all") + (c.sinks ? c.heads : 0);
        kept = 2 * c.kv_heads * c.head_dim;
      }
      const chosen = Math.min(c.chosen, c.experts);
      const mixed = c.experts ? Math.max(c.layers - c.dense_layers, 0) : 0;
      const inUse = linear(c.d, c.experts, c.biases === "all") + (c.shared + chosen) * network(c.ffn);
      const parts = {
        embedding: c.vocab * c.d,
        attention: c.layers * attention,
        "feed-forward": (c.layers - mixed) * network(c.dense_ffn || c.ffn) + mixed * inUse,
        norms: (2 * c.layers + 1) * c.d,
        head: c.tied ? 0 : c.vocab * c.d,
      };
      const idle = mixed * (c.experts - chosen) * network(c.ffn);
      const active = Object.values(parts).reduce((sum, part) => sum + part, 0);
      const windowed = Math.min(c.window_layers, c.layers);
      const cacheBytes = (tokens) => 2 * kept * ((c.layers - windowed) * tokens + windowed * Math.min(tokens, c.window));
      return { parts, idle, active, total: active + idle, each: cacheBytes(1), cache: cacheBytes(2 ** c.at) };
    }

    // A model brings its numbers; a number of the reader's own is no model's any more.
    set(changes) {
      if (changes.model) changes = { ...changes, ...this.data.cards[changes.model] };
      else if (!("at" in changes)) changes = { ...changes, model: null };
      super.set(changes);
      this.show();
    }

    // What stands in the controls, from the state.
    show() {
      for (const [key, input] of Object.entries(this.inputs)) {
        if (input.value !== String(this.state[key])) input.value = this.state[key];
        input.removeAttribute("aria-invalid");
      }
      this.tied.querySelector("input").checked = this.state.tied;
      const check = (fieldset, values, now) => fieldset.querySelectorAll("input").forEach((input, k) => (input.checked = values[k] === now));
      check(this.biases, Object.keys(this.words.kinds), this.state.biases);
      check(this.models, Object.keys(this.data.cards), this.state.model);
      this.tokens.show();
    }

    field(key) {
      const { html } = CourseFigure;
      const name = this.words.fields[key];
      const least = LEAST[key] ?? 0;
      const input = html("input", { type: "number", inputmode: "numeric", min: least, step: 1 });
      input.addEventListener("input", () => {
        if (/^\d+$/.test(input.value) && Number(input.value) >= least) return this.set({ [key]: Number(input.value) });
        input.setAttribute("aria-invalid", "true");
        this.say(this.words.bad(name, least));
      });
      this.inputs[key] = input;
      return html("label", {}, name, input);
    }

    build(stage) {
      const { html } = CourseFigure;
      const { words, data } = this;
      Object.assign(this.state, data.cards[this.state.model]);
      this.inputs = {};
      const number = (value) => value.toLocaleString("en-US");
      this.models = this.choice(words.model, { key: "model", options: Object.keys(data.cards).map((name) => [name, name]) });
      this.tied = this.toggle(words.tied, { key: "tied" });
      this.biases = this.choice(words.biases, { key: "biases", options: Object.entries(words.kinds) });
      const groups = Object.entries(GROUPS).map(([group, keys]) =>
        html("fieldset", { class: "mc-fields" }, html("legend", {}, words.groups[group]), ...keys.map((key) => this.field(key))),
      );
      this.tokens = this.slider(words.tokens, { key: "at", min: 10, max: 20, format: (at) => number(2 ** at) });
      // The picture beside what is chosen most: below all fields it is off a phone's screen.
      stage.append(this.models, this.tokens, this.drawing(), ...groups, html("div", { class: "lf-controls" }, this.tied, this.biases));
      this.show();
    }

    drawing() {
      const { svg } = CourseFigure;
      const { words, data } = this;
      const text = (x, y, content, attributes = {}) => svg("text", { x, y, "font-size": 13, ...attributes }, content);
      const picture = svg("svg", { viewBox: "0 0 360 352", role: "img", "aria-label": words.picture });
      picture.style.maxWidth = "36rem";
      const bar = (fill, y) => svg("rect", { x: BAR.left, y, height: BAR.height, fill, stroke: USED, "stroke-width": fill === IDLE ? 1 : 0 });
      const row = (name, y, fills) => {
        const bars = fills.map((fill) => bar(fill, y));
        const amount = text(0, y + 12);
        picture.append(text(BAR.left - 8, y + 12, name, { "text-anchor": "end" }), ...bars, amount);
        return { bars, amount };
      };
      this.headline = text(4, 18, "", { "font-size": 15, "font-weight": 600 });
      this.kept = text(4, 188, "", { "font-size": 15, "font-weight": 600 });
      this.length = text(4, 216, "");
      picture.append(this.headline, this.kept, this.length);
      this.parts = PARTS.map((part, k) => row(words.parts[part], 34 + BAR.step * k, [USED, IDLE]));
      this.formats = Object.keys(data.bits).map((name, k) => row(name, 230 + BAR.step * k, [USED, CACHE]));
      return picture;
    }

    // Two lengths end to end, and their amount behind them
    stretch({ bars, amount }, lengths, most, words) {
      let x = BAR.left;
      lengths.forEach((length, k) => {
        const width = ((BAR.right - BAR.left) * length) / most;
        bars[k].setAttribute("x", x.toFixed(2));
        bars[k].setAttribute("width", width.toFixed(2));
        bars[k].style.display = length ? "" : "none";
        x += width;
      });
      amount.setAttribute("x", (x + 6).toFixed(2));
      amount.textContent = words;
    }

    draw() {
      const { words, data } = this;
      const { parts, idle, active, total, each, cache } = this.count();
      const short = (value) => (value < 1e9 ? `${(value / 1e6).toFixed(value < 1e7 ? 2 : 0)}M` : `${(value / 1e9).toFixed(2)}B`);
      const gib = (bytes) => (bytes / GIB).toFixed(bytes < 100 * GIB ? 2 : 0);
      const number = (value) => value.toLocaleString("en-US");
      const tokens = number(2 ** this.state.at);
      const most = Math.max(...Object.values(parts), parts["feed-forward"] + idle);
      this.headline.textContent = `${words.all} ${short(total)}, ${words.active} ${short(active)}`;
      this.kept.textContent = words.cache(number(each));
      this.length.textContent = words.memory(tokens);
      PARTS.forEach((part, k) => {
        const rest = part === "feed-forward" ? idle : 0;
        this.stretch(this.parts[k], [parts[part], rest], most, short(parts[part] + rest));
      });
      const weights = Object.values(data.bits).map((bits) => (total * bits) / 8);
      weights.forEach((bytes, k) => this.stretch(this.formats[k], [bytes, cache], weights[0] + cache, gib(bytes + cache)));
      this.say(words.say(short(total), short(active), number(each), tokens, gib(cache), gib((total * data.bits.bfloat16) / 8)));
    }
  }

  customElements.define("course-model-card", ModelCard);
})();
