"""Time from a file to its feedback while a folder is watched, and how many a minute: every exercise, or some.

A right answer is put into the folder, whole, twenty times one after another; measured is until its page is there. Then so
many at once, to see how many a minute. With --present, once more beside so many works that are there already. Prints a row
an exercise; processor time, of all processes together, hardly depends on other work on the machine, as seconds do.

    python benchmarks/watch.py [--exercise masking|…|all] [--each 20] [--at-once 30] [--jobs 2] [--json FILE]
    python benchmarks/watch.py --exercise masking --present 300 --pictures 300
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from grader.classroom.folder import Classroom
from grader.classroom.newclass import make_class
from grader.classroom.sample import Sample
from grader.exercise import ROOT, Exercise, all_exercises, find_exercise
from grader.results import write_whole

TICK = 0.005
LONGEST = 300  # seconds that are waited for anything


def measure(exercise: Exercise, each: int, at_once: int, jobs: int, present: int, pictures: int) -> dict:
    """Seconds from file to feedback, of a right answer, and how many a minute.

    Args:
        present: works that are there when it is measured once more.
        pictures: kB of them in each notebook.
    """
    stem = exercise.stem
    with tempfile.TemporaryDirectory() as folder:
        root, source = Path(folder) / "class", Path(folder) / "in"
        make_class(root, [exercise], None)
        source.mkdir()
        classroom = Classroom.open(root)
        solved = Sample(classroom, exercise).solved()
        picture = {
            "output_type": "display_data",
            "data": {"image/png": "A" * (pictures << 10)},
            "metadata": {},
        }
        next(cell for cell in solved["cells"] if cell["cell_type"] == "code")["outputs"] = [picture]
        right = json.dumps(solved).encode()
        binary, options = Path(sys.executable).parent / "grader", ["--class", root, "--jobs", str(jobs)]
        watch = subprocess.Popen([binary, "watch", stem, source, *options], stdout=subprocess.DEVNULL)

        def hand_in(student: str) -> Path:
            path = source / student / f"{stem}.ipynb"
            path.parent.mkdir()
            path.write_bytes(right)
            return classroom.feedback(stem, student)

        def wait_for(*pages: Path) -> float:
            began = time.perf_counter()
            while not all(page.exists() for page in pages):
                if time.perf_counter() - began > LONGEST or watch.poll() is not None:
                    sys.exit(f"{stem}: no page")
                time.sleep(TICK)
            return time.perf_counter() - began

        def one_by_one(name: str) -> dict[str, float]:
            waited, spent = [], _processor(watch.pid)
            for number in range(each):
                waited.append(wait_for(hand_in(f"{name}{number:03}")))
                time.sleep(0.07 * (number % 5))  # not in step with the looks
            spent = _processor(watch.pid) - spent
            waited.sort()
            return {
                "median": round(statistics.median(waited), 3),
                "95 %": round(waited[min(len(waited) - 1, round(0.95 * len(waited)))], 3),
                "processor": round(spent / each, 3),
            }

        try:
            for number in range(2 * jobs):  # begun, and every judge has graded
                pages = [hand_in(f"warm{number}-{k}") for k in range(jobs)]
                wait_for(*pages)
            row = {"exercise": stem, **one_by_one("s")}
            row["a minute"] = round(
                60 * at_once / wait_for(*[hand_in(f"t{number:03}") for number in range(at_once)])
            )
            if present:
                wait_for(*[hand_in(f"p{number:03}") for number in range(present)])
                row |= {f"{name}, beside {present}": found for name, found in one_by_one("q").items()}
        finally:
            watch.terminate()  # Ctrl-C is not for what a script has begun in the background
            watch.wait()
    return row


def _processor(process: int) -> float:
    """Seconds of processor time that a process and all that it has begun have taken."""
    root = psutil.Process(process)
    return sum(sum(one.cpu_times()[:4]) for one in (root, *root.children(recursive=True)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--exercise", default="all")
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--at-once", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--present", type=int, default=0, help="works that are there when it is done once more"
    )
    parser.add_argument("--pictures", type=int, default=0, help="kB of them in each notebook")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "watch.json")
    options = parser.parse_args()
    chosen = all_exercises() if options.exercise == "all" else [find_exercise(options.exercise)]
    settings = (options.each, options.at_once, options.jobs, options.present, options.pictures)
    rows = []
    for exercise in chosen:
        rows.append(measure(exercise, *settings))
        print(rows[-1], os.getloadavg()[0], file=sys.stderr)
        write_whole(options.json, json.dumps(rows, indent=1).encode() + b"\n")
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*map(str, row.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
