"""A check at home where there are no processes, threads and limits, as in Pyodide: Python in the browser."""

import json
import shutil
import subprocess
import sys

import pytest
from sampled import one_in

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


@pytest.mark.parametrize("stem", one_in(2, ["tokenization", "self_attention"]))
@pytest.mark.whole
def test_a_check_needs_no_process_no_thread_and_no_limits(stem):
    ran = subprocess.run([sys.executable, "-c", STRIPPED, stem], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0 and int(ran.stdout.split()[-1]) > 2, ran.stdout + ran.stderr


# What the page of an exercise asks for (grader/student/in_browser.py), here in a Python of this machine, without torch
ASKED = """
import json, sys
import grader.student.no_torch
from grader.student.in_browser import SHOWN, check, notebook

folder, answers = "exercises/tokenization", json.loads(sys.argv[1])
right = check(folder, answers, None, "ko")["report"]
shown = {name: check(folder, {**answers, "bpe_train": code}, "bpe_train", "en") for name, code in json.loads(sys.argv[2]).items()}
sources = {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell["source"] for cell in json.loads(notebook(folder, answers))["cells"]}
print(json.dumps({"right": right, "shown": shown, "written": {name: sources[name] for name in answers}, "most": SHOWN}))
"""
TRIES = {
    "prints": 'def bpe_train(words, num_merges):\n    print("asked")\n    return []\nbpe_train([], 1)',
    "floods": "for i in range(100_000):\n    print(i)\nraise KeyError('the end')",
    "breaks": "def bpe_train(words:\n    pass",
    "untouched": "def bpe_train(words, num_merges):\n    raise NotImplementedError()",
}


def test_a_page_gets_the_report_of_a_notebook_and_what_was_printed():
    parts = (ROOT / "solutions" / "tokenization.py").read_text(encoding="utf-8").split("\n# %% ")
    cells = [part.partition("\n") for part in parts]
    answers = {head.split()[0]: code for head, _, code in cells if 'tags=["question"]' in head}
    command = [sys.executable, "-c", ASKED, json.dumps(answers), json.dumps(TRIES)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["written"] == answers
    assert told["right"].count("통과 ·") == len(answers) == 5
    printed = {name: said["printed"] for name, said in told["shown"].items()}
    assert printed["prints"].startswith("asked\n[]\nasked\n")
    assert len(printed["floods"]) < 1.1 * told["most"]
    assert printed["floods"].startswith("0\n1\n") and "the end" in printed["floods"]
    assert "SyntaxError" in printed["breaks"] and "line 1" in printed["breaks"]
    assert printed["untouched"] == ""
    assert all("Needs work" in said["report"] for said in told["shown"].values())


@pytest.mark.skipif(
    not (BUILD / "distribution").is_dir() or not shutil.which("node"),
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
