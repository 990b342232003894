// A button beside code copies it. It is made when the code comes near the screen: a long page has a hundred, and
// sphinx-copybutton, whose look this has, makes all of them before a page is ready.
"use strict";

{
  const WORDS = {
    ko: { copy: "복사", copied: "복사했습니다", failed: "복사하지 못했습니다" },
    en: { copy: "Copy", copied: "Copied", failed: "Failed to copy" },
  };
  const words = WORDS[document.documentElement.lang] ?? WORDS.en;
  const icon = (paths) => `<svg viewBox="0 0 24 24" stroke-width="1.5" fill="none" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`;
  const SHEETS = icon('<rect x="8" y="8" width="12" height="12" rx="2"/><path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2"/>');
  const TICK = icon('<path d="M5 12l5 5L20 7"/>');
  const SHOWN = 2000; // milliseconds

  // Where a page comes over http from elsewhere browsers have no clipboard for it, but they tell what they are about to copy.
  async function copy(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const tell = (event) => {
      event.clipboardData.setData("text/plain", text);
      event.preventDefault();
    };
    document.addEventListener("copy", tell, { once: true });
    const done = document.execCommand("copy");
    document.removeEventListener("copy", tell);
    if (!done) throw new Error("the browser copies nothing");
  }

  function say(button, said) {
    button.dataset.tooltip = said;
    button.ariaLabel = said;
  }

  async function copyFrom(code, button) {
    try {
      await copy(code.textContent);
      button.innerHTML = TICK;
      button.classList.add("success");
      say(button, words.copied);
    } catch {
      say(button, words.failed);
    }
    setTimeout(() => {
      button.innerHTML = SHEETS;
      button.classList.remove("success");
      say(button, words.copy);
    }, SHOWN);
  }

  const near = new IntersectionObserver(
    (entries) =>
      entries.forEach(({ isIntersecting, target }) => {
        if (!isIntersecting) return;
        near.unobserve(target);
        const button = document.createElement("button");
        button.type = "button";
        button.className = "copybtn o-tooltip--left";
        button.innerHTML = SHEETS;
        say(button, words.copy);
        button.addEventListener("click", () => copyFrom(target, button));
        target.after(button);
      }),
    { rootMargin: "100% 0%" },
  );
  document.querySelectorAll("div.highlight pre:not(.cell_output pre)").forEach((code) => near.observe(code));
}
