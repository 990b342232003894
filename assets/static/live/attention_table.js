// The plain tables that chapters/plots.py writes, from weights that the page has computed; attention_map.js wakes them.
"use strict";

(() => {
  const CORNER = { ko: "질의 \\ 키", en: "query \\ key" };
  const corner = CORNER[document.documentElement.lang] || CORNER.en;
  const DENSE = 10;
  const [LIGHT_TEXT_IN_DARK_MODE, LIGHT_TEXT_IN_LIGHT_MODE] = [0.49, 0.69];

  function cell(weight, scale) {
    const shade = weight / scale;
    const kinds = ["am-cell"];
    if (shade >= LIGHT_TEXT_IN_DARK_MODE) kinds.push("am-mid");
    if (shade >= LIGHT_TEXT_IN_LIGHT_MODE) kinds.push("am-deep");
    const shown = { class: kinds.join(" "), style: `--w:${shade.toFixed(3)}`, "data-weight": weight.toFixed(4) };
    return live.element("td", shown, weight.toFixed(2));
  }

  function table(head, scale, queries, keys) {
    const { element } = live;
    const columns = keys.map((key) => element("th", { scope: "col" }, element("span", {}, key)));
    const rows = queries.map((query, i) => {
      const weights = [...transformer.row(head.map, i)];
      const first = element("th", { scope: "row" }, query);
      return element("tr", {}, first, ...weights.map((weight) => cell(weight, scale)));
    });
    const made = element(
      "table",
      { class: keys.length > DENSE ? "am-dense" : "", "data-head": head.name },
      element("caption", {}, head.name),
      element("thead", {}, element("tr", {}, element("td", { class: "am-corner" }, corner), ...columns)),
      element("tbody", {}, ...rows)
    );
    return element("div", { class: "am-scroll" }, made);
  }

  // heads: [{name, map}], each map a matrix of queries by keys
  live.attentionMap = (heads, queries, keys) => {
    const scale = Math.max(...heads.flatMap(({ map }) => [...map.data]));
    const tables = heads.map((head) => table(head, scale, queries, keys));
    return live.element("figure", { class: "attention-map", "data-max": scale.toFixed(2) }, ...tables);
  };
})();
