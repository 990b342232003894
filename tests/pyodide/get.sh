#!/usr/bin/env bash
# npm's Pyodide and what a check at home needs beside torch and numpy, into build/pyodide: for tests/test_pyodide.py.
set -euo pipefail
cd "$(dirname "$0")/../.."
to=build/pyodide
mkdir -p "$to/wheels"
npm install --prefix "$to" --no-audit --no-fund --loglevel=error pyodide@314.0.7
fetch() {
  .venv/bin/pip download --quiet --no-deps --only-binary=:all: --dest "$to/wheels" --constraint constraints.txt "$@"
}
fetch asttokens executing iniconfig ipython ipython_pygments_lexers jedi matplotlib-inline packaging parso pluggy \
  prompt_toolkit pure_eval pygments pytest stack-data traitlets typing_extensions
fetch --python-version 3.14 --implementation cp --abi cp314 --platform pyemscripten_2026_0_wasm32 msgspec
