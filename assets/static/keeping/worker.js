// The worker of an edition, whose reader has kept parts of it: it answers from what is kept and asks the network for the
// rest. The build puts the book's list (COURSE_BOOK) and store.js before this, so that another build is another worker.
"use strict";

const WORDS = {
  ko: {
    title: "저장해 두지 않은 쪽입니다",
    lead: "지금은 네트워크에 이어져 있지 않아 이 쪽을 열 수 없습니다. 이 기기에 저장해 둔 부는 다음과 같습니다.",
    again: "다시 열어 보기",
  },
  en: {
    title: "This page is not on your device",
    lead: "There is no network now, so it cannot be opened. These parts are on your device:",
    again: "Try again",
  },
};
const STYLE = `:root { color-scheme: light dark; background: light-dark(#fff, #121212); color: light-dark(#222, #ddd); }
  body { max-width: 34rem; margin: 15vh auto 0; padding: 0 1rem; font: 1.0625rem/1.75 system-ui, sans-serif; word-break: keep-all; }
  h1 { font-size: 1.6rem; }
  a { color: light-dark(#1f5fa8, #8fc1ff); }`;

const store = courseStore(registration.scope);
const FILES = Object.assign({}, COURSE_BOOK.shared.files, ...COURSE_BOOK.parts.map((part) => part.files));

// A new build keeps anew what was kept of the last; until it has all, the last one stays.
async function renew() {
  const kept = await store.kept();
  for (const { id } of COURSE_BOOK.parts) {
    if (kept.has(id)) await store.keep(COURSE_BOOK, id);
  }
  await skipWaiting();
}

async function begin() {
  await store.forgetOtherBuilds(COURSE_BOOK.build);
  await clients.claim();
}

// What stands in a kept book's page that is not kept itself
async function excuse() {
  const { language, parts } = COURSE_BOOK;
  const words = WORDS[language] ?? WORDS.en;
  const kept = await store.kept();
  const link = ({ title, first }) => `<li><a href="${new URL(first, registration.scope)}">${title}</a></li>`;
  const list = parts.filter(({ id }) => kept.has(id)).map(link).join("");
  const page = `<!DOCTYPE html><html lang="${language}"><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1"><title>${words.title}</title><style>${STYLE}</style>
    <main><h1>${words.title}</h1><p>${words.lead}</p><ul>${list}</ul><p><a href="">${words.again}</a></p></main></html>`;
  return new Response(page, { status: 503, headers: { "Content-Type": "text/html; charset=utf-8" } });
}

async function answer(request, path) {
  if (path === "keeping.json") return new Response(JSON.stringify(COURSE_BOOK)); // the page's list is always the worker's
  const kept = path in FILES && (await store.find(path, FILES[path][0]));
  if (kept) return kept;
  try {
    return await fetch(request);
  } catch (problem) {
    if (request.mode === "navigate" && path.endsWith(".html")) return excuse();
    throw problem;
  }
}

addEventListener("install", (event) => event.waitUntil(renew()));
addEventListener("activate", (event) => event.waitUntil(begin()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  const folder = new URL(registration.scope);
  if (request.method !== "GET" || address.origin !== folder.origin || !address.pathname.startsWith(folder.pathname)) return;
  const path = decodeURI(address.pathname.slice(folder.pathname.length)).replace(/(^|\/)$/, "$1index.html");
  event.respondWith(answer(request, path));
});
