"""The attacks of tests/attacks against stock nbgrader, tests in the student's kernel, and against this grader.

Each hostile notebook is graded alone in a class in which an honest one already has its ten points. Prints what it
earned beside what it deserved, how much it learnt, and what it did to the class; and writes the same as JSON.

Stock nbgrader has no walls, so this puts one around it: its kernels may write to their scratch folder only, and signal
only each other. What would take the machine down all the same is left to us alone, and the table says so.

    python benchmarks/attacks.py [--json FILE] [ATTACK ...]
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import re
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from autograde import EXERCISE, entered, make_stock
from rich.console import Console
from rich.table import Table

from grader.classroom.batch import grade_class
from grader.classroom.folder import Classroom
from grader.classroom.grading import Grader
from grader.classroom.judge_process import JudgeSettings, make_grader
from grader.classroom.newclass import make_class
from grader.classroom.recording import read_job, record, write_marked
from grader.classroom.sample import Sample, grade_id
from grader.exercise import ROOT, find_exercise
from grader.gradebook.tables import Gradebook
from grader.results import write_whole
from grader.sandbox import landlock

ATTACKER, HONEST, FULL = "attacker", "honest", 10.0
STOCK_SECONDS, CELL_SECONDS = 120, 8
TOO_MUCH = re.compile(
    r"disk_bomb|memory_bomb|memory_outside|thread_bomb|output_bomb|raw_system_calls|raw_clone"
)
REPORT = """
print("LOOT", sum(len(str(found)) for found in loot))
"""


@dataclass
class Row:
    """The result of one attack. Points are None where there is no grade.

    Attributes:
        learnt: characters that it has got hold of.
        class_keeps: whether the honest student's points are still there.
    """

    attack: str
    what: str
    deserved: float | None
    ours: float | None = None
    ours_learnt: int = 0
    ours_class_keeps: bool = True
    stock: float | None = None
    stock_learnt: int = 0
    stock_class_keeps: bool = True
    stock_ran: bool = True


def hostile(sample: Sample, text: str, prelude: str) -> dict:
    """A notebook whose answers are followed by the attack, and that by the check cells."""
    honest = "\n# notebook: honest\n" in text
    notebook = sample.solved() if honest else copy.deepcopy(sample.released)
    cells = re.split(r"^# %%.*\n", text, flags=re.M)[1:]
    made = [
        {
            "cell_type": "code",
            "metadata": {},
            "source": source,
            "execution_count": None,
            "outputs": [],
            "id": f"a{i}",
        }
        for i, source in enumerate([prelude, *cells, REPORT])
    ]
    checks = [cell for cell in notebook["cells"] if grade_id(cell).startswith("check_")]
    others = [cell for cell in notebook["cells"] if cell not in checks and grade_id(cell) != "closing"]
    return {**notebook, "cells": [*others, *made, *checks]}


def prelude(project: Path, root: Path, port: int) -> str:
    return f"""
PROJECT, CLASS, PORT, SECRET_NAME = {str(project)!r}, {str(root)!r}, {port}, "a-secret-of-the-class"
import torch
loot = []
def attempt(action):
    try:
        loot.append(repr(action()))
    except Exception:
        pass
"""


def result(root: Path, student: str) -> tuple[float | None, bool]:
    """The attacker's points, and whether the honest student has still theirs."""
    try:
        points = entered(root / "gradebook.db")
    except sqlite3.Error:
        return None, False
    return points.get(student), points.get(HONEST) == FULL


def learnt(root: Path) -> int:
    marked = root / "autograded" / ATTACKER / EXERCISE / f"{EXERCISE}.ipynb"
    found = re.findall(r'"LOOT (\d+)', marked.read_text(encoding="utf-8")) if marked.exists() else []
    return int(found[-1]) if found else 0


def walled(scratch: Path) -> None:
    """Before stock nbgrader starts: write to the scratch folder alone, and end some time."""
    files_and_signals = landlock._handled(landlock.version())
    landlock._handled = lambda abi: (files_and_signals[0], 0, files_and_signals[2])  # kernels talk over TCP
    execute = 1 << 0
    landlock.restrict(
        [("/", landlock.READ | execute), (scratch, landlock.OWN | execute | 0x1FF0), ("/dev", landlock.USE)]
    )
    resource.setrlimit(resource.RLIMIT_CPU, (60, 61))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def grade_stock(model: Path, project: Path, scratch: Path, notebook: dict) -> tuple[float | None, int, bool]:
    root = scratch / "stock"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(model, root)
    write_whole(root / "submitted" / ATTACKER / EXERCISE / f"{EXERCISE}.ipynb", json.dumps(notebook).encode())
    home = scratch / "home"
    home.mkdir(exist_ok=True)
    binaries = Path(sys.executable).parent
    environment = {
        **os.environ, "HOME": str(home), "TMPDIR": str(home), "PYTHONPATH": str(project),
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    process = subprocess.Popen(
        [binaries / "nbgrader", "autograde", EXERCISE, "--student", ATTACKER, f"--ExecutePreprocessor.timeout={CELL_SECONDS}"],
        cwd=root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True, preexec_fn=lambda: walled(scratch),
    )  # fmt: skip
    try:
        process.wait(STOCK_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass
        process.wait()
    points, keeps = result(root, ATTACKER)
    return points, learnt(root), keeps


def grade_ours(grader: Grader, classroom: Classroom, notebook: dict) -> tuple[float | None, int, bool]:
    write_whole(classroom.submitted(EXERCISE, ATTACKER), json.dumps(notebook).encode())
    graded = grader.grade(read_job(classroom, EXERCISE, ATTACKER, "rules"))
    with Gradebook(classroom.database, EXERCISE, classroom.config) as gradebook:
        write_marked(classroom, EXERCISE, graded.submission.student, graded.notebook)
        record(classroom, [graded.submission], gradebook)
    points = graded.submission.earned if graded.submission.verdict == "graded" else None
    return points, learnt(classroom.root), result(classroom.root, ATTACKER)[1]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help="all by default")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "attacks.json")
    options = parser.parse_args()
    paths = sorted((ROOT / "tests" / "attacks").glob("*.py"))
    rows = []
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        scratch = Path(folder)
        port = listener.getsockname()[1]
        exercise = find_exercise(EXERCISE)
        make_class(scratch / "ours", [exercise], None, wall_seconds=10)
        ours = Classroom.open(scratch / "ours")
        sample = Sample(ours, exercise)
        write_whole(ours.submitted(EXERCISE, HONEST), json.dumps(sample.solved()).encode())
        grade_class(ours, EXERCISE)
        grader = make_grader(JudgeSettings(ours.root, EXERCISE, unconfined=False))
        model, project = scratch / "model", scratch / "project"
        make_stock(model, ours, len(ours.students(EXERCISE)))
        for name in ("grader", "solutions", "exercises", "data"):
            shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run(
            [Path(sys.executable).with_name("nbgrader"), "autograde", EXERCISE],
            cwd=model,
            check=True,
            capture_output=True,
        )
        for path in paths:
            if options.attacks and path.stem not in options.attacks:
                continue
            text = path.read_text(encoding="utf-8")
            earns = re.search(r"^# earns: (.*)$", text, flags=re.M)
            row = Row(path.stem, text.splitlines()[0].lstrip("# "), float(earns.group(1)) if earns else None)
            notebook = hostile(sample, text, prelude(ROOT, ours.root, port))
            row.ours, row.ours_learnt, row.ours_class_keeps = grade_ours(grader, ours, notebook)
            row.stock_ran = not TOO_MUCH.search(path.stem)
            if row.stock_ran:
                # The project's copy: what the attack does to it, it does to nobody.
                attacked = hostile(sample, text, prelude(project, scratch / "stock", port))
                row.stock, row.stock_learnt, row.stock_class_keeps = grade_stock(
                    model, project, scratch, attacked
                )
            rows.append(row)
            write_whole(
                options.json, json.dumps(summary(rows), indent=1).encode() + b"\n"
            )  # it takes half an hour
            print(
                row.attack,
                row.deserved,
                row.ours,
                row.stock if row.stock_ran else "-",
                file=sys.stderr,
                flush=True,
            )
        grader.close()
    show(rows)


def summary(rows: list[Row]) -> dict:
    sums = {}
    for grader in ("ours", "stock"):
        ran = [asdict(row) for row in rows if grader == "ours" or row.stock_ran]
        sums[grader] = {
            "attacks": len(ran),
            "undeserved_points": sum((row[grader] or 0) > (row["deserved"] or 0) for row in ran),
            "learnt_something": sum(row[f"{grader}_learnt"] > 0 for row in ran),
            "harmed_the_class": sum(not row[f"{grader}_class_keeps"] for row in ran),
        }
    return {**sums, "attacks": [asdict(row) for row in rows]}


def show(rows: list[Row]) -> None:
    table = Table(title="what an attack earned (deserved), learnt (characters) and did to the class")
    for column in ("attack", "deserved", "ours", "stock nbgrader"):
        table.add_column(column)
    for row in rows:
        stock = _cell(row.stock, row.stock_learnt, row.stock_class_keeps)
        table.add_row(
            row.attack,
            _points(row.deserved),
            _cell(row.ours, row.ours_learnt, row.ours_class_keeps),
            stock if row.stock_ran else "not run: would take the machine down",
        )
    console = Console(width=110)
    console.print(table)
    sums = summary(rows)
    for grader in ("ours", "stock"):
        console.print(grader, {name: count for name, count in sums[grader].items()})


def _cell(points: float | None, characters: int, keeps: bool) -> str:
    return _points(points) + f", learnt {characters}" * (characters > 0) + ", harmed the class" * (not keeps)


def _points(points: float | None) -> str:
    return "no grade" if points is None else f"{points:g}"


if __name__ == "__main__":
    main()
