// Where the book is served, browsers offer to install it. A page from disk may not read the manifest.
"use strict";

if (location.protocol !== "file:") {
  const link = document.createElement("link");
  link.rel = "manifest";
  link.href = `${document.documentElement.dataset.content_root || "./"}manifest.webmanifest`;
  document.head.append(link);
}
