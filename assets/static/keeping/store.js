// What is kept of the book in this browser: a cache for each part, named after edition, build and part. Both the page that
// keeps parts (parts.js) and the worker that answers without a network (worker.js) stand on this.
"use strict";

// `scope` is the edition's address; a book is what keeping.json holds: {build, shared: {files}, parts: [{id, title, files}]},
// files being {path: [digest, bytes]}.
const courseStore = (scope) => {
  const SHARED = "shared"; // what every part needs: styles, scripts, fonts, search, the pages for reference
  const AT_ONCE = 6; // files
  const OURS = `attentively ${scope} `; // other projects and the other edition keep theirs at the same host
  const WHOLE = `${scope}?whole`; // stands in a cache once all files do
  const bytesOf = (files) => Object.values(files).reduce((sum, [, bytes]) => sum + bytes, 0);
  const keyOf = (path, digest) => `${new URL(path, scope)}?${encodeURIComponent(digest)}`;

  async function ours() {
    const names = (await caches.keys()).filter((name) => name.startsWith(OURS));
    return names.map((name) => {
      const [build, id] = name.slice(OURS.length).split(" ");
      return { name, build, id };
    });
  }

  // The ids of the parts that are here whole, of whatever build
  async function kept() {
    const found = new Set();
    for (const { name, id } of await ours()) {
      if (id !== SHARED && (await (await caches.open(name)).match(WHOLE))) found.add(id);
    }
    return found;
  }

  // Another file than the book's list names is refused, so that no two builds mix.
  async function fetched(path, digest) {
    const answer = await fetch(new URL(path, scope), { cache: "no-cache", integrity: `sha256-${digest}` });
    if (!answer.ok) throw new TypeError(`${answer.status} ${path}`);
    const headers = { "Content-Type": answer.headers.get("Content-Type") };
    return new Response(await answer.blob(), { headers }); // made anew: one that was redirected may open no page
  }

  // A file that has not changed is taken from an earlier build. What cannot be kept whole is not kept.
  async function fill(build, id, files, told) {
    const name = `${OURS}${build} ${id}`;
    const cache = await caches.open(name);
    if (await cache.match(WHOLE)) return told(bytesOf(files));
    const waiting = Object.entries(files);
    const work = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [path, [digest, bytes]] = next;
        const key = keyOf(path, digest);
        await cache.put(key, (await caches.match(key)) ?? (await fetched(path, digest)));
        told(bytes);
      }
    };
    const stop = (problem) => {
      waiting.length = 0;
      throw problem;
    };
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => work().catch(stop)));
    const failed = ended.find(({ status }) => status === "rejected");
    if (!failed) return cache.put(WHOLE, new Response());
    await caches.delete(name);
    throw failed.reason;
  }

  // `told` hears how many bytes have come.
  async function keep(book, id, told = () => {}) {
    await fill(book.build, SHARED, book.shared.files, told);
    await fill(book.build, id, book.parts.find((part) => part.id === id).files, told);
  }

  async function drop(fits) {
    await Promise.all((await ours()).filter(fits).map(({ name }) => caches.delete(name)));
  }

  return {
    kept, keep, bytesOf,
    forget: (id) => drop((cache) => cache.id === id),
    forgetAll: () => drop(() => true),
    forgetOtherBuilds: (build) => drop((cache) => cache.build !== build),
    find: (path, digest) => caches.match(keyOf(path, digest)),
  };
};
