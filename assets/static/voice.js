// Beside each heading's own address, the way to tell of a mistake in it; the foot's link, which works without this, gives it.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const page = document.querySelector("a[data-tell]");
  document.querySelectorAll(".bd-article :is(h2, h3, h4) > a.headerlink").forEach((own) => {
    const link = document.createElement("a");
    link.className = "headerlink course-tell";
    link.href = page.href + encodeURIComponent(own.hash);
    link.title = link.ariaLabel = page.dataset.tell;
    link.textContent = "!";
    own.after(link);
  });
});
