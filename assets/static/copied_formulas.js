// What a formula is on the clipboard: one line, as one would type it. Browsers write its signs one a line, and leave out its
// fractions, roots and indices.
"use strict";

{
  const INVISIBLE = /[\u2061-\u2064]/g;
  const RELATION = /^[=≠≈≡∼∝<>≤≥≪≫←→⟶↦∈∉⊂⊆]$/;
  const grouped = (text) => (/^[\p{L}\p{N}.∞⊤]*$/u.test(text) ? text : `(${text})`);

  function written(node) {
    if (!node.children.length) {
      const text = node.textContent.replace(INVISIBLE, "");
      if (node.localName === "mspace") return " ";
      if (node.localName !== "mo") return text;
      return RELATION.test(text) ? ` ${text} ` : text === "," ? ", " : text;
    }
    const parts = [...node.children].map(written);
    const [base, one, two] = parts;
    switch (node.localName) {
      case "mphantom": return "";
      case "mfrac": return `${grouped(base)}/${grouped(one)}`;
      case "msqrt": return `√${grouped(parts.join(""))}`;
      case "mroot": return `${base}^(1/${one})`;
      case "msub": case "munder": return `${base}_${grouped(one)}`;
      case "mover": return node.lastElementChild.localName === "mo" ? base + one : `${base}^${grouped(one)}`; // an accent
      case "msup": return `${base}^${grouped(one)}`;
      case "msubsup": case "munderover": return `${base}_${grouped(one)}^${grouped(two)}`;
      case "mtr": return parts.filter(Boolean).join(" ");
      case "mtable": return parts.join(node.matches(".tml-jot") ? "\n" : "; "); // lines of a display; rows of a matrix
      default: return parts.join("");
    }
  }

  // The selection as the browser writes it, its formulas in one line each. They stand in the page for as long as it takes.
  function copied(selection, formulas) {
    const { dataset } = document.documentElement;
    const far = !("again" in dataset) && formulas.some((formula) => !formula.checkVisibility({ contentVisibilityAuto: true }));
    if (far) dataset.again = ""; // what is not laid out has no text in Firefox (course.css)
    const changed = formulas.map((formula) => {
      const line = document.createElement("span");
      line.style.whiteSpace = "pre-wrap";
      line.textContent = written(formula).replace(/[ \u00a0]+/g, " ").replace(/^ | $/gm, "");
      const style = formula.getAttribute("style");
      formula.before(line);
      formula.style.display = "none";
      return () => {
        line.remove();
        formula.removeAttribute("style");
        if (style) formula.setAttribute("style", style);
      };
    });
    const text = selection.toString();
    changed.forEach((back) => back());
    if (far) delete dataset.again;
    return text;
  }

  // For what keeps more than the text: the same with its markup, addresses whole
  function markup(range) {
    const holder = document.createElement("div");
    holder.append(range.cloneContents());
    holder.querySelectorAll("a[href]").forEach((link) => link.setAttribute("href", link.href));
    holder.querySelectorAll("img[src]").forEach((picture) => picture.setAttribute("src", picture.src));
    return holder.innerHTML;
  }

  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    if (selection.isCollapsed) return;
    const range = selection.getRangeAt(0);
    const around = (node) => (node.closest ? node : node.parentElement)?.closest("math");
    const [first, last] = [around(range.startContainer), around(range.endContainer)];
    if (first) range.setStartBefore(first); // a formula is copied whole
    if (last) range.setEndAfter(last);
    const root = range.commonAncestorContainer;
    const formulas = [...(root.querySelectorAll?.("math") ?? [])].filter((formula) => range.intersectsNode(formula));
    if (!formulas.length) return;
    event.clipboardData.setData("text/html", markup(range));
    event.clipboardData.setData("text/plain", copied(selection, formulas));
    event.preventDefault();
  });
}
