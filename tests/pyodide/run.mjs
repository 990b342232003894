// node run.mjs BUILD REPOSITORY SCRIPT: a Python script in Pyodide, with the wheels of BUILD; the repository is /course.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [build, repository, script] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${build}/node_modules/pyodide/pyodide.mjs`).href);
const python = await loadPyodide({ stdout: console.log, stderr: console.error });
const places = { "/build": build, "/course": repository, "/packages/course_data": `${repository}/data` };
for (const [place, folder] of Object.entries(places)) {
  python.FS.mkdirTree(place);
  python.mountNodeFS(place, folder);
}
python.runPython(`
import glob, importlib, sys, zipfile
for wheel in glob.glob("/build/distribution/*.whl"):
    zipfile.ZipFile(wheel).extractall("/packages")
sys.path[:0] = ["/course", "/course/tests/pyodide", "/packages"]
importlib.invalidate_caches()
`);
await python.runPythonAsync(readFileSync(script, "utf8"));
