// On a phone the panels of a plot stand one below the other (plots.css): parts of the one drawing, referred to. A browser
// keeps a copy of all that is referred to, so a panel is filled when it comes near the screen.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const SVG = "http://www.w3.org/2000/svg";
  const near = new IntersectionObserver(
    (entries) =>
      entries.forEach(({ isIntersecting, target }) => {
        if (!isIntersecting) return;
        near.unobserve(target);
        for (const shown of target.children) {
          const part = document.createElementNS(SVG, "use");
          part.setAttribute("href", `#${shown.dataset.of}`);
          shown.append(part);
        }
      }),
    { rootMargin: "100% 0%" },
  );
  document.querySelectorAll(".course-plot-panels > svg").forEach((panel) => near.observe(panel));
});
