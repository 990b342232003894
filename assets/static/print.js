// Paper is white: a page that is dark on the screen is printed with the light theme's colours.
"use strict";

{
  const { dataset } = document.documentElement;
  let onScreen;
  window.addEventListener("beforeprint", () => {
    onScreen = dataset.theme;
    dataset.theme = "light";
  });
  window.addEventListener("afterprint", () => (dataset.theme = onScreen));
}
