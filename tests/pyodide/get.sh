#!/usr/bin/env bash
# npm's Pyodide and what a check at home needs beside torch and numpy, into build/pyodide: for tests/test_pyodide.py and
# tests/site/test_solve_here.py.
set -euo pipefail
cd "$(dirname "$0")/../.."
npm install --prefix build/pyodide --no-audit --no-fund --loglevel=error pyodide@314.0.7
.venv/bin/python tests/pyodide/distribution.py
