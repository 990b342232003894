// Python in a worker that is started when it is first needed, and ended where it must stop: one at a time.
"use strict";

// told(stage): what is being loaded. A question that gets no answer is rejected with { kind }: stopped, network, torch, memory
// or crash.
courseSolve.python = (settings, told) => {
  let worker = null;
  let prepared;
  let ready = false;
  let count = 0;
  const asked = new Map();

  function end(kind) {
    worker?.terminate();
    worker = null;
    ready = false;
    for (const { reject } of asked.values()) reject({ kind });
    asked.clear();
  }

  function ask(task, given) {
    const id = (count += 1);
    return new Promise((resolve, reject) => {
      asked.set(id, { resolve, reject });
      worker.postMessage({ id, task, given });
    });
  }

  function start() {
    if (worker) return prepared;
    if (!window.Worker || !window.WebAssembly) return Promise.reject({ kind: "browser" });
    worker = new Worker(`${courseSolve.folder}worker.js`, { type: "module" });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      end(/memory/i.test(event.message ?? "") ? "memory" : "network");
    });
    worker.addEventListener("message", ({ data: { id, stage, result, failed } }) => {
      if (stage) told(stage);
      else if (failed) end(failed); // what has gone wrong in there, nobody knows: the next begins anew
      else {
        asked.get(id)?.resolve(result);
        asked.delete(id);
      }
    });
    prepared = ask("prepare", settings).then(() => (ready = true));
    prepared.catch(() => {}); // told to whoever waits for it
    return prepared;
  }

  // A page that is left gives its memory back; where the browser shows it again, Python starts when it is needed.
  addEventListener("pagehide", () => end("stopped"));

  return {
    get ready() { return ready; },
    start,
    async run(task, given) {
      await start();
      return ask(task, given);
    },
    stop: () => end("stopped"),
  };
};
