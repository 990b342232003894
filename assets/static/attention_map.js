// Attention maps: move a finger, the mouse or the arrow keys over a cell and see where each head looks.
// Upgrades the plain tables that chapters/plots.py writes; the numbers are read from the tables themselves.
"use strict";

(() => {
  const WORDS = {
    ko: {
      choose: "지도 고르기",
      weight: (query, key, weight) => `질의 ‘${query}’ → 키 ‘${key}’: ${weight}`,
      query: (query) => `질의 ‘${query}’`,
      hidden: "가려진 자리",
      map: "어텐션 가중치",
      legend: (max, hidden) =>
        `행은 질의, 열은 키입니다. 색이 뚜렷할수록 가중치가 큽니다(가장 뚜렷한 색 ${max}).` +
        (hidden ? " 빗금은 마스크로 가려진 자리입니다." : ""),
    },
    en: {
      choose: "Map",
      weight: (query, key, weight) => `query ‘${query}’ → key ‘${key}’: ${weight}`,
      query: (query) => `query ‘${query}’`,
      hidden: "hidden",
      map: "attention weights",
      legend: (max, hidden) =>
        `Rows are queries, columns are keys; the stronger the colour, the more (strongest: ${max}).` + (hidden ? " Hatched: masked." : ""),
    },
  };
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  let maps = 0;

  function element(name, className, text = "") {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    return made;
  }

  function readTable(table) {
    const rows = [...table.tBodies[0].rows];
    return {
      table,
      rows,
      box: table.parentElement,
      name: table.dataset.head,
      cells: rows.map((row) => [...row.querySelectorAll("td")]),
    };
  }

  function start(figure) {
    const heads = [...figure.querySelectorAll("table")].map(readTable);
    const queries = heads[0].rows.map((row) => row.querySelector("th").textContent);
    const keys = [...heads[0].table.tHead.querySelectorAll("th")].map((th) => th.textContent);
    const title = figure.querySelector("figcaption")?.textContent || words.map;
    // The last query sees most in a causal map.
    const at = { head: 0, row: queries.length - 1, column: null };

    const status = element("p", "am-status");
    status.setAttribute("role", "status");
    const strips = element("div", "am-strips");
    const legend = element("p", "am-legend", words.legend(figure.dataset.max, figure.querySelector(".am-hidden")));

    const weight = (cell) => cell.dataset.weight ?? words.hidden;
    const label = (row, column, cell) => words.weight(queries[row], keys[column], weight(cell));
    // A cell's name says what the cell shows, so that a reader can speak it; the status line has the digits.
    const name = (row, column, cell) => words.weight(queries[row], keys[column], cell.dataset.weight ? cell.textContent.trim() : words.hidden);

    function strip(head) {
      const cells = head.cells[at.row];
      const line = element("div", "am-strip");
      const weights = cells.map((cell) => Number(cell.dataset.weight ?? -1));
      const most = Math.max(...weights);
      const alone = weights.filter((w) => w === most).length === 1;
      cells.forEach((cell, column) => {
        const word = element("span", cell.className.replace("am-here", ""), keys[column]);
        word.style.cssText = cell.style.cssText;
        if (alone && weights[column] === most) word.classList.add("am-most");
        line.append(word);
      });
      line.setAttribute("role", "img");
      const seen = weights.map((w, column) => [w, keys[column]]).filter(([w]) => w >= 0).sort(([a], [b]) => b - a);
      line.setAttribute("aria-label", `${head.name}: ${seen.slice(0, 3).map(([w, key]) => `${key} ${w}`).join(", ")}`);
      if (heads.length > 1) line.prepend(element("span", "am-strip-name", head.name));
      return line;
    }

    function show() {
      heads.forEach((head, i) => {
        head.box.hidden = i !== at.head;
        head.rows.forEach((row, r) => row.classList.toggle("am-row", r === at.row));
        head.cells.flat().forEach((cell) => {
          cell.classList.remove("am-here");
          cell.tabIndex = -1;
        });
        const current = head.cells[at.row][at.column ?? 0];
        current.tabIndex = 0;
        if (at.column !== null) current.classList.add("am-here");
      });
      const cell = at.column === null ? null : heads[at.head].cells[at.row][at.column];
      const place = heads.length > 1 && cell ? ` (${heads[at.head].name})` : "";
      status.textContent = cell ? label(at.row, at.column, cell) + place : words.query(queries[at.row]);
      strips.replaceChildren(...heads.map(strip));
    }

    function select(row, column) {
      if (row === at.row && column === at.column) return;
      at.row = row;
      at.column = column;
      show();
    }

    function point(event) {
      // A finger keeps its first target, so ask what lies below it now.
      const below = document.elementFromPoint(event.clientX, event.clientY);
      const head = heads[at.head];
      const row = head.rows.findIndex((candidate) => candidate.contains(below));
      if (row < 0) return;
      const column = head.cells[row].indexOf(below.closest("td"));
      select(row, column < 0 ? null : column);
    }

    function move(event) {
      const last = { row: queries.length - 1, column: keys.length - 1 };
      const column = at.column ?? 0;
      const target = {
        ArrowUp: [Math.max(at.row - 1, 0), column],
        ArrowDown: [Math.min(at.row + 1, last.row), column],
        ArrowLeft: [at.row, Math.max(column - 1, 0)],
        ArrowRight: [at.row, Math.min(column + 1, last.column)],
        Home: [at.row, 0],
        End: [at.row, last.column],
      }[event.key];
      if (!target || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation(); // the theme turns pages with the arrow keys
      select(...target);
      heads[at.head].cells[at.row][at.column].focus();
    }

    function headPicker() {
      const picker = element("fieldset", "am-heads");
      picker.append(element("legend", "", words.choose));
      const group = `attention-map-${(maps += 1)}`;
      heads.forEach((head, i) => {
        const choice = element("label", "");
        const input = document.createElement("input");
        Object.assign(input, { type: "radio", name: group, checked: i === 0 });
        input.addEventListener("change", () => {
          at.head = i;
          show();
        });
        choice.append(input, element("span", "", head.name));
        picker.append(choice);
      });
      return picker;
    }

    heads.forEach((head) => {
      head.table.setAttribute("role", "grid");
      head.table.setAttribute("aria-label", heads.length > 1 ? `${title}, ${head.name}` : title);
      head.cells.forEach((row, r) => row.forEach((cell, c) => cell.setAttribute("aria-label", name(r, c, cell))));
      head.table.addEventListener("pointerdown", point);
      head.table.addEventListener("pointermove", point);
      head.table.addEventListener("keydown", move);
      head.table.addEventListener("focusin", (event) => {
        const row = head.rows.findIndex((candidate) => candidate.contains(event.target));
        if (row >= 0) select(row, head.cells[row].indexOf(event.target));
      });
      // Where the whole map fits, a finger moving sideways explores it; where it does not, it scrolls the map.
      new ResizeObserver(() =>
        head.box.classList.toggle("am-fits", head.box.scrollWidth <= head.box.clientWidth)
      ).observe(head.box);
    });

    figure.classList.add("am-live");
    if (heads.length > 1) heads[0].box.before(headPicker());
    figure.append(status, strips, legend);
    show();
  }

  const startAll = () => document.querySelectorAll(".attention-map:not(.am-live)").forEach(start);
  window.startAttentionMaps = startAll; // for maps that come later (live models)

  // A page's own maps start when they come near the screen: a thousand cells together would hold up its opening.
  const near = new IntersectionObserver(
    (entries) =>
      entries.forEach(({ isIntersecting, target }) => {
        if (!isIntersecting) return;
        near.unobserve(target);
        if (!target.matches(".am-live")) start(target);
      }),
    { rootMargin: "100% 0%" },
  );
  document.querySelectorAll(".attention-map").forEach((figure) => near.observe(figure));
})();
