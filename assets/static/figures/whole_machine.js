// The whole Transformer in ten stations: a sentence's way through it, with the tensors of a model that the book ships.
"use strict";

(() => {
  const [WIDE, HIGH, PITCH] = [158, 44, 60];
  const COLUMNS = [8, 196];
  const BOTTOM = 4 * PITCH + 26;
  const cell = (column, row) => ({ x: COLUMNS[column], y: BOTTOM - row * PITCH });
  // In the order of the way: what a station shows (a name in the page's data), where it stands, where it is built.
  const STATIONS = [
    { key: "words", ...cell(0, 0), link: "tokenization.html", ko: ["문장", "단어로 나눕니다.", "토큰화"], en: ["sentence", "Split into words.", "Tokenization"] },
    { key: "ids", ...cell(0, 1), link: "tokenization.html#one-hot", ko: ["번호", "기계는 글자를 모릅니다. 단어마다 어휘의 번호 하나를 씁니다.", "토큰화"], en: ["numbers", "A machine knows no letters: each word becomes its number in the vocabulary.", "Tokenization"] },
    { key: "vectors", ...cell(0, 2), link: "positional_encoding.html", ko: ["벡터", "번호로 표의 행을 골라 벡터로 바꾸고, 자리를 알리는 벡터를 더합니다. 이 수는 모두 배운 것입니다.", "위치 인코딩"], en: ["vectors", "Each number picks a row of a table; a vector that tells the place is added. All of it is learned.", "Positional encoding"] },
    { key: "look", ...cell(0, 3), link: "self_attention.html", ko: ["서로 보기", "단어마다 다른 단어를 얼마나 볼지 정하고, 그만큼 섞어 옵니다. 행의 합은 1입니다. 이 계산이 어텐션입니다.", "셀프 어텐션"], en: ["looking around", "Each word decides how much to look at each other word and takes in that much. Rows add up to 1. This is attention.", "Self-attention"] },
    { key: "memory", ...cell(0, 4), link: "encoder.html", ko: ["읽은 것", "보고 셈하기를 두 번 되풀이한 결과입니다. 이제 벡터마다 문장 전체의 사정이 담겼습니다.", "인코더"], en: ["what was read", "Looking and computing, twice. Each vector now knows of the whole sentence.", "The encoder"] },
    { key: "written", ...cell(1, 0), link: "seq2seq.html", ko: ["쓴 글자", "쓰는 쪽은 시작 표시 SOS에서 출발합니다. 지금까지 쓴 글자를 다시 읽습니다.", "시퀀스에서 시퀀스로"], en: ["written so far", "The writing side sets out from a start sign, SOS, and reads again what it has written.", "From sequence to sequence"] },
    { key: "past", ...cell(1, 1), link: "masking.html", ko: ["앞만 보기", "아직 쓰지 않은 글자는 볼 수 없습니다. 그래서 대각선의 오른쪽은 모두 0입니다.", "마스킹"], en: ["looking back", "What is not written yet cannot be seen: right of the diagonal, all is 0.", "Masking"] },
    { key: "cross", ...cell(1, 2), link: "decoder.html#cross-attention", ko: ["원문 보기", "다음 글자를 정하려고 원문의 어느 단어를 보는지입니다. 행마다 가장 진한 칸을 찾아보십시오.", "디코더"], en: ["looking at the source", "Which source words it looks at to decide on the next syllable. Find the darkest cell of each row.", "The decoder"] },
    { key: "hidden", ...cell(1, 3), link: "add_norm.html#feed-forward", ko: ["셈하기", "모아 온 것을 자리마다 따로 셈합니다. 행마다 다음 글자를 정할 벡터가 남습니다.", "잔차 연결과 층 정규화"], en: ["computing", "What was gathered is worked on, place by place. Each row holds a vector that decides on the next syllable.", "Residual connections and layer normalisation"] },
    { key: "next", ...cell(1, 4), link: "transformer.html", ko: ["다음 글자", "왼쪽까지 썼을 때 다음에 올 글자의 확률입니다. 가장 큰 것을 골라 뒤에 붙이고, 끝 표시 EOS가 나올 때까지 되풀이합니다.", "트랜스포머"], en: ["next syllable", "How likely each syllable is to follow. The likeliest is appended, and so on until the end sign, EOS.", "The Transformer"] },
  ];
  const SHARES = new Set(["look", "past", "cross", "next"]);
  const size = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
  const minus = (text) => text.replace("-", "−");

  class WholeMachine extends CourseFigure {
    static words = {
      ko: { map: "트랜스포머의 열 정거장. 누르면 그 자리의 숫자가 나옵니다.", read: "읽는 쪽 · 인코더", write: "쓰는 쪽 · 디코더", station: "정거장", shape: (shape, more) => `모양 ${size(shape)}${more ? ", 앞의 다섯 수" : ""}`, build: (title) => `여기를 만드는 장: ${title}`, again: "되풀이" },
      en: { map: "Ten stations of the Transformer. Press one to see its numbers.", read: "reading · encoder", write: "writing · decoder", station: "station", shape: (shape, more) => `shape ${size(shape)}${more ? ", the first five" : ""}`, build: (title) => `Built in: ${title}`, again: "again" },
    };

    state = { at: 0 };

    build(stage) {
      const { html, svg } = CourseFigure;
      const { words } = this;
      this.language = document.documentElement.lang === "ko" ? "ko" : "en";
      this.map = svg("svg", { viewBox: `0 0 380 ${BOTTOM + HIGH + 26}`, role: "group", "aria-label": words.map });
      const text = (x, y, content, more = {}) => svg("text", { x, y, "font-size": 15, "text-anchor": "middle", ...more }, content);
      const line = (d) => svg("path", { d, fill: "none", stroke: "currentColor", "stroke-width": 1.5 });
      const arrow = (...ends) => line(CourseFigure.arrow(...ends, 7));
      for (const column of COLUMNS) {
        for (let row = 0; row < 4; row += 1) {
          const x = column + WIDE / 2;
          this.map.append(arrow(x, BOTTOM - row * PITCH, x, BOTTOM - row * PITCH - (PITCH - HIGH)));
        }
      }
      const [from, to] = [cell(0, 4), cell(1, 2)]; // what was read goes over to where it is looked at
      const middle = (from.x + WIDE + to.x) / 2;
      this.map.append(line(`M${from.x + WIDE} ${from.y + HIGH / 2}H${middle}V${to.y + HIGH / 2}`), arrow(middle, to.y + HIGH / 2, to.x, to.y + HIGH / 2));
      const [top, low] = [cell(1, 4), cell(1, 0)]; // what is chosen is appended
      const side = top.x + WIDE + 14;
      this.map.append(line(`M${top.x + WIDE} ${top.y + HIGH / 2}H${side}V${low.y + HIGH / 2}`), arrow(side, low.y + HIGH / 2, low.x + WIDE, low.y + HIGH / 2));
      this.map.append(text(COLUMNS[0] + WIDE / 2, BOTTOM + HIGH + 20, words.read), text(COLUMNS[1] + WIDE / 2, BOTTOM + HIGH + 20, words.write));
      this.boxes = STATIONS.map((station, k) => {
        const [name] = station[this.language];
        const box = svg("rect", { x: station.x, y: station.y, width: WIDE, height: HIGH, rx: 7 });
        const label = text(station.x + WIDE / 2, station.y + 19, `${k + 1} ${name}`, { "font-weight": 600 });
        const shape = text(station.x + WIDE / 2, station.y + 36, size(this.data[station.key].shape), { "font-size": 12.5 });
        const door = svg("g", { tabindex: 0, role: "button", "aria-label": `${k + 1} ${name}`, class: "wm-door" }, box, label, shape);
        const go = () => this.go(k);
        door.addEventListener("click", go);
        door.addEventListener("keydown", (event) => ["Enter", " "].includes(event.key) && (event.preventDefault(), go()));
        this.map.append(door);
        return { door, box };
      });
      this.name = html("p", { class: "wm-name" });
      this.numbers = svg("svg", { role: "img" });
      this.more = html("p", { class: "wm-more" });
      this.controls = this.steps({ key: "at", last: STATIONS.length - 1, seconds: 4, label: words.station, format: (at) => `${at + 1} / ${STATIONS.length}` });
      stage.append(this.controls, html("div", { class: "wm-both" }, this.map, html("div", { class: "wm-detail" }, this.name, this.numbers, this.more)));
    }

    go(at) {
      this.set({ at });
      this.controls.querySelector(".lf-slider").show();
    }

    draw() {
      const { at } = this.state;
      this.boxes.forEach(({ door, box }, k) => {
        door.setAttribute("aria-pressed", String(k === at));
        box.setAttribute("stroke", k === at ? "var(--course-accent-2, #a34f00)" : "currentColor");
        box.setAttribute("stroke-width", k === at ? 3.5 : 1.2);
        box.setAttribute("fill", k === at ? "var(--course-fill-2, #fbe6cf)" : k < at ? "var(--course-fill, #dbe8f6)" : "var(--pst-color-background, #fff)");
      });
      const station = STATIONS[at];
      const [name, sentence, title] = station[this.language];
      const { shape, values } = this.data[station.key];
      this.name.textContent = `${name} · ${this.words.shape(shape, shape.length > 1 && values[0].length < shape.at(-1) && !SHARES.has(station.key))}`;
      this.more.replaceChildren(CourseFigure.html("a", { href: station.link }, this.words.build(title)));
      this.drawNumbers(station.key);
      this.say(`${at + 1} ${name}: ${sentence}`);
    }

    // The tensor of a station as a table; the more of a share, the stronger.
    drawNumbers(key) {
      const { svg } = CourseFigure;
      const { rows, columns, values, whole } = this.data[key];
      const share = SHARES.has(key);
      const [left, height, top] = [86, 38, columns ? 30 : 8];
      const width = (340 - left) / Math.max(values[0].length, 3);
      const most = share ? 1 : Math.max(...values.flat().map(Math.abs));
      const text = (x, y, content, more = {}) => svg("text", { x, y, "font-size": 15, "text-anchor": "middle", ...more }, content);
      const parts = (columns ?? []).map((column, j) => text(left + (j + 0.5) * width, 20, column, { "font-size": column.length > 6 ? 12.5 : 15 }));
      rows.forEach((row, i) => {
        const y = top + i * height;
        parts.push(text(left - 8, y + 25, row, { "text-anchor": "end" }));
        values[i].forEach((value, j) => {
          const word = typeof value === "string";
          const colour = value < 0 ? "var(--course-shade-2, #a34f00)" : "var(--course-shade, #1f5fa8)";
          const opacity = word || whole ? 0 : (0.55 * Math.min(Math.abs(value) / most, 1)).toFixed(3);
          parts.push(
            svg("rect", { x: left + j * width + 1, y: y + 2, width: width - 2, height: height - 4, rx: 3, fill: colour, "fill-opacity": opacity, stroke: "currentColor", "stroke-opacity": 0.35 }),
            text(left + (j + 0.5) * width, y + 25, word || whole ? String(value) : minus(value.toFixed(2)), { "font-size": 14 }),
          );
        });
      });
      this.numbers.setAttribute("viewBox", `0 0 344 ${30 + 5 * height}`);
      this.numbers.setAttribute("aria-label", this.name.textContent);
      this.numbers.replaceChildren(...parts);
    }
  }

  customElements.define("course-whole-machine", WholeMachine);
})();
