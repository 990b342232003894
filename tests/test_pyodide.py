"""A check at home where there are no processes, threads and limits, as in Pyodide: Python in the browser."""

import json
import shutil
import subprocess
import sys

import pytest

from grader.exercise import ROOT

BUILD = ROOT / "build" / "pyodide"
RUN = ROOT / "tests" / "pyodide"
# Pyodide has neither `resource` nor what multiprocessing is made of; what starts a process or a thread is there, and fails.
STRIPPED = """
import sys
import numpy, pytest, torch, IPython  # what the browser's Python brings

def missing(*args, **kwargs):
    raise OSError("there is nothing of this kind here")

for name in ("resource", "_multiprocessing", "_posixshmem"):
    sys.modules[name] = None
import os, subprocess, threading
os.fork = os.forkpty = os.posix_spawn = subprocess._fork_exec = threading.Thread.start = missing

from pathlib import Path
from grader.exercise import PublicExercise
from grader.student.check import check_names
from grader.student.execute import run_here

exercise = PublicExercise(Path("exercises", sys.argv[1]).resolve())
source = Path("solutions", f"{sys.argv[1]}.py").read_text(encoding="utf-8").split("\\n# %%")
cells = [part.partition("\\n")[2] for part in source if "[markdown]" not in part.partition("\\n")[0]]
names, moments, errors = run_here(cells, Path("/tmp"))
results = check_names(exercise, names, None, cells, moments)
assert not errors and all(one.earned == one.possible for one in results), (errors, results)
assert not any(name.startswith(("grader.sandbox.confine", "grader.sandbox.client")) for name in sys.modules)
print(len(results))
"""


@pytest.mark.parametrize("stem", ["tokenization", "self_attention"])
def test_a_check_needs_no_process_no_thread_and_no_limits(stem):
    ran = subprocess.run([sys.executable, "-c", STRIPPED, stem], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0 and int(ran.stdout.split()[-1]) > 2, ran.stdout + ran.stderr


@pytest.mark.skipif(
    not (BUILD / "node_modules").is_dir() or not shutil.which("node"),
    reason="tests/pyodide/get.sh has not been run",
)
def test_in_pyodide_an_exercise_without_torch_is_checked_whole():
    """Nothing stands in torch's place: `tokenization` asks for none. Its notebook runs, what is right is worth all, and
    each wrong answer of the bank is named as on a machine of one's own."""
    ran = subprocess.run(
        ["node", RUN / "run.mjs", BUILD, ROOT, RUN / "tokenization.py"], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    told = json.loads(ran.stdout.splitlines()[-1])
    assert told["errors"] == []
    assert all(one["unanswered"] and not one["earned"] for one in told["untouched"].values())
    assert all(one["earned"] == one["possible"] for one in told["right"].values())
    assert told["untouched"].keys() == told["right"].keys()
    assert len(told["wrong"]) > 20
    for question, name, named in told["wrong"]:
        assert named == name, question
