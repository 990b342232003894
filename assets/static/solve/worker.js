// Pyodide, the exercises' bundle and their checks, away from the page: it stays quick, and a loop that does not end can be
// ended with this. The Python that it calls is the bundle's own (grader/student/in_browser.py).
const PACKAGES = ["ipython", "msgspec", "pytest"];
// What torch imports; beside them its wheel, which is on no package registry
const FOR_TORCH = ["numpy", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec"];
const COURSE = "/course";

let python;
let checker;
let folder;

async function packages(names) {
  const problems = [];
  await python.loadPackage(names, { messageCallback() {}, errorCallback: (said) => problems.push(said) });
  if (problems.length) throw new Error(problems.join("\n"));
}

// The steps, in their order, each with what it brings
const prepare = {
  async python({ address }) {
    const { loadPyodide } = await import(new URL("pyodide.mjs", address).href);
    python = await loadPyodide({ indexURL: address, stdout() {}, stderr() {} });
  },
  packages: ({ torch }) => packages(torch ? [...PACKAGES, ...FOR_TORCH] : PACKAGES),
  async torch({ torch }) {
    if (!torch) return;
    const built = torch.match(/_(\d+_\d+)_wasm32\.whl/)?.[1];
    const { abi_version: here } = python.lockfile.info;
    if (built && built !== here) throw new Error(`${torch} is built for ${built}, not for ${here}`); // Pyodide does not look
    await packages(torch);
    python.runPython("import torch");
  },
  async bundle({ bundle, stem, book }) {
    const answer = await fetch(bundle);
    if (!answer.ok) throw new Error(`${answer.status} ${bundle}`);
    python.unpackArchive(await answer.arrayBuffer(), "zip", { extractDir: COURSE });
    const own = python.toPy({ stem, book, COURSE });
    python.runPython(
      `import os, pathlib, sys, zipfile
[wheel] = pathlib.Path(COURSE).glob("*/*.whl")
with zipfile.ZipFile(wheel) as packages:
    packages.extractall("/packages")
wheel.unlink()
sys.path.insert(0, "/packages")
os.environ["COURSE_BOOK_URL"] = book
place = str(wheel.parent / stem)`,
      { globals: own },
    );
    folder = own.get("place");
    own.destroy();
  },
  checker({ torch, signal }) {
    if (!torch) python.pyimport("grader.student.no_torch").destroy();
    checker = python.pyimport("grader.student.in_browser");
    if (signal) python.setInterruptBuffer(signal);
  },
};

const tasks = {
  async prepare(settings) {
    for (const [stage, bring] of Object.entries(prepare)) {
      if (stage !== "torch" || settings.torch) self.postMessage({ stage });
      try {
        await bring(settings);
      } catch (problem) {
        throw Object.assign(problem, { stage });
      }
    }
    self.postMessage({ stage: "ready" });
  },
  check({ answers, question, language }) {
    const given = python.toPy(answers);
    const result = checker.check(folder, given, question, language);
    const found = result.toJs({ dict_converter: Object.fromEntries });
    result.destroy();
    given.destroy();
    return found;
  },
  notebook({ answers }) {
    const given = python.toPy(answers);
    const written = checker.notebook(folder, given);
    given.destroy();
    return written;
  },
};

function kindOf({ name, message, stage, type }) {
  if (type === "KeyboardInterrupt") return "stopped";
  if (/memory/i.test(`${name} ${message}`)) return "memory";
  if (stage === "torch") return "torch";
  return stage ? "network" : "crash";
}

self.addEventListener("message", async ({ data: { id, task, given } }) => {
  try {
    self.postMessage({ id, result: await tasks[task](given) });
  } catch (problem) {
    console.warn(problem); // whole, for whoever publishes the book
    self.postMessage({ id, failed: kindOf(problem) });
  }
});
