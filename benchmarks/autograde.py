"""Time to grade a class: stock nbgrader, tests in the student's kernel, and `grader autograde`.

Both grade the same honest submissions of an exercise with the same tests, each as the one command that an instructor
would type, from the start of the process to the end of it, gradebook written: nbgrader's is for one exercise, ours takes all
that are asked for, and an exercise's time begins where the one before it ends. What comes before the first submission is begun
(torch and the exercises' libraries are loaded) has a row of its own, "start", and counts for no exercise; nbgrader's times
include its own. Prints a row an exercise: the comparison, and where our time goes.

    PYTHONPATH=. python benchmarks/autograde.py [--exercise masking|…|all] [--students 60] [--stock 60] [--jobs 2] [--json FILE]

Stock nbgrader takes a submission after the other and the same time for each: with --stock it grades only so many of the
class (none with 0), and times are compared by the submission.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil
from rich.console import Console
from rich.table import Table

from grader.authoring.build import instructor_notebook
from grader.classroom.folder import Classroom
from grader.classroom.grading import Grader, seed_of
from grader.classroom.job import Job
from grader.classroom.judge_process import JudgeSettings, make_grader
from grader.classroom.newclass import make_class
from grader.classroom.recording import read_job, record, write_marked
from grader.classroom.sample import Sample
from grader.errors import GraderError
from grader.exercise import ROOT, Exercise, all_exercises, find_exercise
from grader.gradebook.tables import Gradebook
from grader.notebook import CHECK_PREFIX
from grader.results import write_whole

# Between two looks at the memory. A look goes through the pages of all processes, which have to wait for it: ten a second
# slowed a command that keeps all cores busy by a tenth.
SAMPLE_SECONDS = 0.5

# The suite in the student's kernel. The last line is what stock nbgrader takes for partial credit.
IN_KERNEL = """\
from grader.exercise import find_exercise as _find
from grader.judging.judge import judge as _judge
from grader.judging.suite import Local as _Local
from pathlib import Path as _Path
_exercise = _find("{stem}")
[_result] = _judge(
    _Local(globals()), _exercise.suite, reference=_exercise.reference, questions=["{question}"],
    seed=_Path("seed.txt").read_text(),
)
print(_result.reason)
_result.earned
"""


@dataclass
class Measured:
    """One command over the class: seconds, and the most memory that its processes together held at once."""

    seconds: float
    peak_mb: float


def measure(command: list[str | Path], folder: Path) -> Measured:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    log = tempfile.TemporaryFile()
    began = time.perf_counter()
    process = psutil.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
    peak = [0.0]
    watcher = threading.Thread(target=_watch, args=(process, peak))
    watcher.start()
    status = process.wait()
    seconds = time.perf_counter() - began
    watcher.join()
    if status:
        log.seek(0)
        sys.exit(f"{command[0]} ended with {status}:\n{log.read().decode(errors='replace')[-3000:]}")
    return Measured(seconds, peak[0])


def _watch(process: psutil.Process, peak: list[float]) -> None:
    """Sum the proportional set sizes (shared pages count once) of a process and its descendants."""
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        try:
            tree = [process, *process.children(recursive=True)]
        except psutil.NoSuchProcess:
            return
        peak[0] = max(peak[0], sum(map(_megabytes, tree)))
        time.sleep(SAMPLE_SECONDS)


def _megabytes(process: psutil.Process) -> float:
    try:
        return process.memory_full_info().pss / 2**20
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0.0


def honest_mix(sample: Sample, bank: dict, students: int) -> dict[str, dict]:
    """A third right, most others with one to three misconceptions, one in ten untouched."""
    names = [(mistake.question, mistake.name) for mistake in bank.values()]
    made = {}
    for number in range(students):
        if number % 10 == 9:
            notebook = sample.released
        else:
            wrong = dict(
                names[(7 * number + 5 * k) % len(names)] for k in range(number % 4 if number % 3 else 0)
            )
            notebook = sample.solved(**{q: sample.mistaken(q, name) for q, name in wrong.items()})
        made[f"student{number:04}"] = notebook
    return made


def make_ours(root: Path, exercises: list[Exercise], students: int) -> Classroom:
    make_class(root, exercises, None)
    classroom = Classroom.open(root)
    for exercise in exercises:
        for student, notebook in honest_mix(Sample(classroom, exercise), exercise.bank, students).items():
            write_whole(classroom.submitted(exercise.stem, student), json.dumps(notebook).encode())
    return classroom


def make_stock(root: Path, exercise: Exercise, ours: Classroom, students: int) -> None:
    """The first of the class for stock nbgrader: its default configuration, the tests in the check cells."""
    stem = exercise.stem
    notebook = instructor_notebook(exercise)
    for cell in notebook.cells:
        about = cell.metadata.get("nbgrader", {})
        if about.get("grade"):
            cell.source = IN_KERNEL.format(stem=stem, question=about["grade_id"].removeprefix("check_"))
        elif about.get("grade_id") == "closing":
            cell.source = "# would check everything a second time"
    write_whole(root / "source" / stem / f"{stem}.ipynb", nbformat.writes(notebook).encode())
    binaries = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
    command = [binaries / "nbgrader", "generate_assignment", stem]
    subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True)
    # nbgrader puts the check cells back from its gradebook, as it does with hidden tests.
    for student in ours.students(stem)[:students]:
        theirs = root / "submitted" / student
        shutil.copytree(ours.root / "submitted" / student, theirs)
        seed = seed_of(
            ours.secret, ours.submitted(stem, student).read_bytes()
        )  # the same hidden inputs for both
        write_whole(theirs / stem / "seed.txt", seed.encode())


def entered(gradebook: Path) -> dict[tuple[str, str], float]:
    """Points by student and check cell."""
    query = """SELECT a.student_id, c.name, coalesce(g.auto_score, 0) FROM submitted_assignment a
        JOIN submitted_notebook n ON n.assignment_id = a.id JOIN grade g ON g.notebook_id = n.id
        JOIN base_cell c ON g.cell_id = c.id"""
    with sqlite3.connect(gradebook) as database:
        return {(student, name): round(score, 6) for student, name, score in database.execute(query)}


def agree(classroom: Classroom, stem: str, stock: Path) -> bool:
    """True if both gave the same points, except where an earlier mistake was put right: nbgrader has it paid again."""
    theirs, ours = entered(stock), entered(classroom.root / "gradebook.db")
    excused = {
        (student, CHECK_PREFIX + question.question)
        for student in classroom.students(stem)
        for question in classroom.result(stem, student).questions
        if question.excused
    }
    return all(
        ours[place] > points if place in excused else ours[place] == points
        for place, points in theirs.items()
    )


def where_time_goes(classroom: Classroom, stem: str) -> dict[str, float]:
    """Seconds for one submission, by stage, and for a right one, in one process without company."""
    spent: dict[str, float] = defaultdict(float)
    grader = make_grader(JudgeSettings(classroom.root, stem, unconfined=False))
    run = grader._sandbox.run

    def timed_run(*arguments, **options):
        began = time.perf_counter()
        running = run(*arguments, **options)
        spent["cells"] += sum(cell.seconds for cell in running.cells)
        spent["fork"] += time.perf_counter() - began - sum(cell.seconds for cell in running.cells)
        return running

    students = classroom.students(stem)[:30]
    with Gradebook(classroom.database, stem, classroom.config) as gradebook:
        grader.grade(read_job(classroom, stem, students[0], "warm"))
        grader._sandbox.run = timed_run
        for student in students:
            began = time.perf_counter()
            graded = grader.grade(read_job(classroom, stem, student, "rules"))
            spent["all"] += time.perf_counter() - began
            began = time.perf_counter()
            write_marked(classroom, stem, graded.submission.student, graded.notebook)
            record(classroom, [graded.submission], gradebook)
            spent["writing"] += time.perf_counter() - began
    spent["judging"] = spent.pop("all") - spent["fork"] - spent["cells"]
    stages = {stage: spent[stage] / len(students) for stage in ("fork", "cells", "judging", "writing")}
    right = [
        timed(grader, read_job(classroom, stem, students[0], "rules")) for _ in range(5)
    ]  # honest_mix's first
    grader.close()
    return {**stages, "right": statistics.median(right)}


def timed(grader: Grader, job: Job) -> float:
    """Seconds of one grading."""
    began = time.perf_counter()
    grader.grade(job)
    return time.perf_counter() - began


def compare(exercises: list[Exercise], students: int, by_stock: int, jobs: int) -> Iterator[dict]:
    """The start; then a class graded by us, and in each exercise the first of it by stock nbgrader."""
    binaries = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        ours = make_ours(Path(folder) / "ours", exercises, students)
        start, taken = graded(ours, [exercise.stem for exercise in exercises], jobs)
        yield {"exercise": "start", "seconds": round(start, 2)}
        for exercise in exercises:
            stem, stock = exercise.stem, Path(folder) / f"stock-{exercise.stem}"
            result = {"exercise": stem, "students": students, "jobs": jobs}
            result["cores"] = len(os.sched_getaffinity(0))
            runs = {"grader": (taken[stem], students)}
            if by_stock:
                make_stock(stock, exercise, ours, by_stock)
                runs["nbgrader"] = measure([binaries / "nbgrader", "autograde", stem], stock), by_stock
                result["scores_agree"] = agree(ours, stem, stock / "gradebook.db")
            for name, (run, count) in runs.items():
                result[f"{name}_seconds"] = round(run.seconds, 2)
                result[f"{name}_seconds_per_submission"] = round(run.seconds / count, 4)
                result[f"{name}_peak_memory_mb"] = round(run.peak_mb)
            if by_stock:
                each = [result[f"{name}_seconds_per_submission"] for name in ("nbgrader", "grader")]
                result["ratio"] = round(each[0] / each[1], 1)
            result["stages"] = {stage: round(s, 4) for stage, s in where_time_goes(ours, stem).items()}
            yield result


def graded(classroom: Classroom, stems: list[str], jobs: int) -> tuple[float, dict[str, Measured]]:
    """Grade all with one command; the seconds until the first submission is begun, and what each exercise has taken.

    An exercise has taken from the last result of the one before it to its own last; the first begins with its first
    submission, the last ends with the process, and the memory is the whole's.
    """
    command = [Path(sys.executable).with_name("grader"), "autograde", *stems]
    began = time.time()
    whole = measure([*command, "--class", classroom.root, "--jobs", str(jobs)], classroom.root)
    results = {stem: [*(classroom.root / "results" / stem).glob("*.json")] for stem in stems}
    first = min(path.stat().st_mtime - json.loads(path.read_bytes())["seconds"] for path in results[stems[0]])
    ends = [max(path.stat().st_mtime for path in paths) for paths in results.values()]
    ends[-1] = began + whole.seconds
    return first - began, {
        stem: Measured(end - before, whole.peak_mb)
        for stem, before, end in zip(stems, [first, *ends], ends, strict=False)
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--exercise", action="append", help="a stem, or all; can be repeated (masking)")
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "autograde.json")
    parser.add_argument("--stock", type=int, help="how many of them stock nbgrader grades as well (all)")
    options = parser.parse_args()
    named = options.exercise or ["masking"]
    try:
        chosen = all_exercises() if "all" in named else [find_exercise(stem) for stem in named]
    except GraderError as error:
        parser.error(str(error))
    by_stock = options.students if options.stock is None else min(options.stock, options.students)
    results = []
    for result in compare(chosen, options.students, by_stock, options.jobs):
        results.append(result)
        write_whole(options.json, json.dumps(results, indent=1).encode() + b"\n")
        print(f"{result['exercise']}: done", file=sys.stderr)
    show(results)


def show(results: list[dict]) -> None:
    """Two tables, for all columns of one would not be read at 80 characters."""
    start, first, *_ = results
    compared = Table(title=f"{first['students']} submissions, {first['jobs']} jobs, {first['cores']} cores")
    compared.add_column("")
    for column in ("ms each", "nbgrader", "times", "scores", "MB"):
        compared.add_column(column, justify="right")
    stages = Table(title="milliseconds of one submission, and of a right one; one job, nothing beside it")
    stages.add_column("")
    for stage in first["stages"]:
        stages.add_column(stage, justify="right")
    compared.add_row("start, once", f"{1000 * start['seconds']:.0f}")
    for result in results[1:]:
        both = "ratio" in result
        compared.add_row(
            result["exercise"],
            f"{1000 * result['grader_seconds_per_submission']:.0f}",
            f"{1000 * result['nbgrader_seconds_per_submission']:.0f}" if both else "",
            f"{result['ratio']}" if both else "",
            ("same" if result["scores_agree"] else "DIFFERENT") if both else "",
            f"{result['grader_peak_memory_mb']}",
        )
        stages.add_row(result["exercise"], *(f"{1000 * s:.0f}" for s in result["stages"].values()))
    Console().print(compared)
    Console().print(stages)


if __name__ == "__main__":
    main()
