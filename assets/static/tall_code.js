// On a phone, code of more than fifteen lines shows its first ones (long_code.py, reading.css), and the rest at a touch.
"use strict";

{
  function open(code) {
    code.classList.remove("code-tall");
    code.nextElementSibling.remove();
  }

  document.addEventListener("click", ({ target }) => {
    const more = target.closest?.(".code-more");
    if (more) open(more.previousElementSibling);
  });

  // A link to the code, or to what it holds, as the search makes
  function openForHash() {
    if (!location.hash) return;
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const code = target?.closest(".code-tall") ?? (target?.matches("section") ? null : target?.querySelector(".code-tall"));
    if (code) open(code);
  }
  addEventListener("hashchange", openForHash);
  openForHash();
}
