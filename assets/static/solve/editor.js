// A text area for Python: Tab indents, Enter keeps the indentation. Esc and then Tab leaves it, so that it is no trap.
"use strict";

courseSolve.editor = (() => {
  const STEP = 4;

  // What a key puts in the place of text[from, to), and the selection after it; null: the browser's own way.
  function edit(text, start, end, key, shift) {
    const lineStart = text.lastIndexOf("\n", start - 1) + 1;
    if (key === "Enter") {
      const before = text.slice(lineStart, start);
      const indent = before.match(/^ */)[0] + (/:\s*$/.test(before) ? " ".repeat(STEP) : "");
      return { from: start, to: end, put: `\n${indent}`, start: start + 1 + indent.length, end: start + 1 + indent.length };
    }
    if (!shift && !text.slice(start, end).includes("\n")) {
      const put = " ".repeat(STEP - ((start - lineStart) % STEP));
      return { from: start, to: end, put, start: start + put.length, end: start + put.length };
    }
    const lines = text.slice(lineStart, end).split("\n");
    const moved = lines.map((line) => (shift ? line.replace(/^ {1,4}/, "") : line && " ".repeat(STEP) + line));
    const put = moved.join("\n");
    const first = moved[0].length - lines[0].length;
    return { from: lineStart, to: end, put, start: Math.max(lineStart, start + first), end: lineStart + put.length };
  }

  // The way that is deprecated is the one that a reader can undo.
  function replace(area, { from, to, put, start, end }) {
    area.setSelectionRange(from, to);
    const done = put ? document.execCommand("insertText", false, put) : from === to || document.execCommand("delete");
    if (!done) {
      area.setRangeText(put, from, to);
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    area.setSelectionRange(start, end);
  }

  function editor(area, run) {
    let leaves = false;
    const fit = () => (area.rows = area.value.split("\n").length + 1);
    area.addEventListener("input", fit);
    area.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      const { key } = event;
      if (key.startsWith("Arrow")) event.stopPropagation(); // with which the theme turns pages
      if (key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        return run();
      }
      if (key === "Enter" || (key === "Tab" && !leaves && !event.ctrlKey && !event.altKey && !event.metaKey)) {
        event.preventDefault();
        replace(area, edit(area.value, area.selectionStart, area.selectionEnd, key, event.shiftKey));
      }
      if (key !== "Shift") leaves = key === "Escape";
    });
    return { fit };
  }

  return Object.assign(editor, { edit });
})();
