// Python in a worker that is started when it is first needed, and ended where it must stop: one at a time.
"use strict";

// told(stage): what is being loaded. A question that gets no answer is rejected with { kind }: stopped, network, torch, memory,
// crash or browser.
courseSolve.python = (settings, told) => {
  const PATIENCE = 2_000; // ms in which Python stops by itself, if it does
  const SIGINT = 2;
  let worker = null;
  let prepared;
  let ready = false;
  let count = 0;
  const asked = new Map();
  // Shared with Python, which looks at it now and then. Few sites can be so isolated: GitHub's pages cannot.
  const signal = window.crossOriginIsolated ? new Uint8Array(new SharedArrayBuffer(1)) : null;

  function end(kind) {
    worker?.terminate();
    worker = null;
    ready = false;
    for (const { reject } of asked.values()) reject({ kind });
    asked.clear();
  }

  function ask(task, given) {
    const id = (count += 1);
    if (signal) signal[0] = 0; // of the last, which may have ended before it saw it
    return new Promise((resolve, reject) => {
      asked.set(id, { resolve, reject });
      worker.postMessage({ id, task, given });
    });
  }

  function hear({ id, stage, result, failed }) {
    if (stage) return told(stage);
    if (failed && failed !== "stopped") return end(failed); // nobody knows what has gone wrong in there: the next begins anew
    const { resolve, reject } = asked.get(id) ?? {};
    asked.delete(id);
    if (failed) reject?.({ kind: failed });
    else resolve?.(result);
  }

  function start() {
    if (worker) return prepared;
    if (!window.Worker || !window.WebAssembly) return Promise.reject({ kind: "browser" });
    worker = new Worker(`${courseSolve.folder}worker.js`, { type: "module" });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      end(/memory/i.test(event.message ?? "") ? "memory" : "network");
    });
    worker.addEventListener("message", ({ data }) => hear(data));
    prepared = ask("prepare", { ...settings, signal }).then(() => (ready = true));
    prepared.catch(() => {}); // told to whoever waits for it
    return prepared;
  }

  // Ends the worker. Where an answer ran, the next is made ready at once, while the reader mends it.
  function replace() {
    const again = ready;
    end("stopped");
    if (again) start();
  }

  function stop() {
    if (!signal || !ready) return replace();
    signal[0] = SIGINT;
    const running = [...asked.keys()];
    setTimeout(() => running.some((id) => asked.has(id)) && replace(), PATIENCE);
  }

  // A page that is left gives its memory back; where the browser shows it again, Python starts when it is needed.
  addEventListener("pagehide", () => end("stopped"));

  return {
    start,
    stop,
    async run(task, given) {
      await start();
      return ask(task, given);
    },
  };
};
