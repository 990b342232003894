"""The cost of a week: a class graded, its feedback, report, similarity and export, each as the command that is typed.

Prints a row a command: seconds on the wall, and of processor time, all processes together (what two quiet cores need is at
least half of that).

    python benchmarks/semester.py [--students 300] [--jobs 2] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from benchmarks.autograde import make_ours
from grader.exercise import ROOT, find_exercise
from grader.results import write_whole

STEM = "masking"
COMMAND = "from grader.cli import main; main()"


def timed(*arguments: object) -> tuple[float, float]:
    """Seconds on the wall, and of processor time, of a command and whatever it starts."""
    began, before = time.perf_counter(), _spent()
    process = psutil.Popen(
        [sys.executable, "-c", COMMAND, *map(str, arguments)], stdout=subprocess.DEVNULL, cwd=ROOT
    )
    # What its descendants spend is lost where they end without being waited for: the most that was seen counts.
    seen: dict[int, float] = {}
    while process.poll() is None:
        for child in process.children(recursive=True):
            try:
                times = child.cpu_times()
                seen[child.pid] = times.user + times.system
            except psutil.NoSuchProcess:
                continue
        time.sleep(0.05)
    if process.returncode:
        sys.exit(f"grader {arguments[0]} ended with {process.returncode}")
    return time.perf_counter() - began, max(_spent() - before, sum(seen.values()))


def _spent() -> float:
    times = psutil.Process().cpu_times()
    return times.children_user + times.children_system


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "semester.json")
    options = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        classroom = make_ours(Path(folder) / "class", [find_exercise(STEM)], options.students)
        where = ("--class", classroom.root)
        for command in (
            ("autograde", STEM, *where, "--jobs", options.jobs),
            ("feedback", STEM, *where),
            ("report", STEM, *where),
            ("similarity", STEM, *where),
            ("export", *where, "-o", Path(folder) / "scores.csv"),
        ):
            wall, processor = timed(*command)
            found[command[0]] = {"seconds": round(wall, 1), "processor_seconds": round(processor, 1)}
            write_whole(options.json, json.dumps(found, indent=1).encode() + b"\n")
    table = Table(title=f"{options.students} submissions, {options.jobs} jobs")
    for column in ("", "seconds", "processor seconds"):
        table.add_column(column, justify="right" if column else "left")
    for name, row in found.items():
        table.add_row(name, *map(str, row.values()))
    table.add_row("all", *(f"{sum(row[key] for row in found.values()):.1f}" for key in row))
    Console().print(table)


if __name__ == "__main__":
    main()
