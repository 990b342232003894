"""Kills the processes of `grader autograde` at random moments, again and again, and counts what is lost.

A class is graded by two judges. Whatever runs for it is killed in turn: workers, judges, sandbox servers, what each of
these two is forked from, and the writer; the command is then typed again, as an instructor would. Each time a class is through, every score
is compared, each submission must be in the gradebook once, and no process, lock or half-written file may be left; then it
is graded anew, until the kills are used up.

With --watch the same is done to `grader watch`, while students hand in again and again.

    python benchmarks/kills.py [--kills 1000] [--students 60] [--seed 7] [--watch] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil

from grader.classroom import demo
from grader.classroom.folder import Classroom
from grader.classroom.judge_process import NAME
from grader.classroom.scores import scores
from grader.exercise import ROOT
from grader.results import write_whole
from grader.sandbox.launch import sweep

STEM = demo.EXERCISE
HONEST = list(demo.EXPECTED)[:6]  # whose scores are numbers
KINDS = ("worker", "judge", "first judge", "server", "first server", "writer")
STRIKE_SECONDS = 60  # for a process of a kind to appear, on a busy machine
HALL_SECONDS = 15  # the same while a hall is watched: then more is handed in
PAUSE_SECONDS = 1  # at most, before the next is struck


def honest_class(root: Path, students: int) -> Classroom:
    """A class of submissions whose scores are known."""
    made = demo.make(root)
    models = [made.submitted(STEM, name).read_bytes() for name in HONEST]
    shutil.rmtree(made.root / "submitted")
    for number in range(students):
        write_whole(made.submitted(STEM, f"s{number:03}"), models[number % len(models)])
    return made


def start(
    classroom: Classroom, scratch: Path, *options: str | Path, name: str = "autograde"
) -> subprocess.Popen:
    code = "from grader.cli import main; main()"
    about = [name, STEM, "--class", classroom.root, "--jobs", "2", *options]
    command = [sys.executable, "-c", code, *about]
    environment = {**os.environ, "TMPDIR": str(scratch)}  # a short name: sockets lie there
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def processes(run: subprocess.Popen) -> dict[str, list[psutil.Process]]:
    """A run's processes, by what they do: the first to be struck is the writer's last helper, the last the writer.

    Those that are forked from the first server outlive it, and are known by its session then.
    """
    found = {kind: [] for kind in KINDS}
    found["writer"] = [psutil.Process(run.pid)]
    begun = {child.pid for child in found["writer"][0].children()}
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getsid(process.pid) not in begun or process.status() == psutil.STATUS_ZOMBIE:
                continue
            if process.pid in begun:
                found["first server"].append(process)
            elif process.name() == NAME:
                of_another = (parent := process.parent()) and parent.name() == NAME
                found["judge" if of_another else "first judge"].append(process)
            else:
                found["server"].append(process)
                found["worker"] += process.children()
    return found


def strike(run: subprocess.Popen, kind: str, chance: random.Random, seconds: float = STRIKE_SECONDS) -> bool:
    """Kill one of the run's processes of a kind; False if there is none while the run lasts, or for a while."""
    deadline = time.monotonic() + seconds
    while run.poll() is None and time.monotonic() < deadline:
        try:
            chance.choice(processes(run)[kind]).kill()
            return True
        except (psutil.NoSuchProcess, IndexError):
            time.sleep(0.002)
    return False


def wrong(classroom: Classroom, students: int) -> list[str]:
    """Faults that are left once a class is through, a line each."""
    found, said = scores(classroom, STEM), []
    for number, submission in enumerate(found):
        expected = {**demo.FULL, **demo.EXPECTED[HONEST[number % len(HONEST)]]}
        if {q.question: q.earned for q in submission.questions} != expected:
            said.append(f"{submission.student}: {submission.verdict} {submission.earned}")
        if not classroom.marked(STEM, submission.student).exists():
            said.append(f"{submission.student}: no marked notebook")
    with sqlite3.connect(classroom.root / "gradebook.db") as database:
        [[entered]] = database.execute("SELECT count(*) FROM submitted_assignment")
        [[grades]] = database.execute("SELECT count(*) FROM grade WHERE auto_score IS NOT NULL")
        [[total]] = database.execute("SELECT sum(auto_score) FROM grade")
    if (len(found), entered, grades) != (students, students, students * len(demo.FULL)):
        said.append(f"{len(found)} results, {entered} submissions and {grades} grades in the gradebook")
    if total != sum(submission.earned for submission in found):
        said.append(f"the gradebook's sum is {total}")
    return said


def family(run: subprocess.Popen) -> set[psutil.Process]:
    try:
        return set(psutil.Process(run.pid).children(recursive=True))
    except psutil.NoSuchProcess:
        return set()


def left(classroom: Classroom, scratch: Path, seen: set[psutil.Process]) -> list[str]:
    """Processes that outlived their run, half-written files, and temporary ones."""
    _, alive = psutil.wait_procs([process for process in seen if process.is_running()], STRIKE_SECONDS)
    files = [str(path) for path in classroom.root.rglob(".*.*") if path.name.rpartition(".")[2].isdigit()]
    deadline = time.monotonic() + STRIKE_SECONDS  # a server that notices late holds its folder until then
    while (folders := _swept(scratch)) and time.monotonic() < deadline:
        time.sleep(0.1)
    files += folders
    return [f"process {process.pid}" for process in alive] + files


def _swept(scratch: Path) -> list[str]:
    """Files that the next run would not remove."""
    sweep(str(scratch))
    return [str(path) for path in scratch.iterdir()]


class Hall:
    """A class of submissions whose scores are known, that come into a folder which is watched: each again and again, as
    another file."""

    def __init__(self, root: Path, students: int):
        self.classroom, self.source, self.students = honest_class(root, students), root / "in", students
        submitted = self.classroom.root / "submitted"
        self._models = [self.classroom.submitted(STEM, f"s{n:03}").read_bytes() for n in range(students)]
        shutil.rmtree(submitted)
        self.source.mkdir()
        self._handed_in = 0

    def hand_in(self, count: int) -> None:
        """The next `count` hand in: half a file first, as a slow network leaves it."""
        for number in range(self._handed_in, self._handed_in + count):
            again, who = divmod(number, self.students)
            content = self._models[who].replace(b"return ", b"return " + b" " * again)
            path = self.source / f"s{who:03}" / f"{STEM}.ipynb"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content[: len(content) // 2])
            path.write_bytes(content)
        self._handed_in += count

    def strike(self, kills: int, scratch: Path, chance: random.Random, seen: set) -> Counter:
        """Kill processes of a watch, which is begun again whenever it has ended; how many, by kind."""
        killed, run = Counter(), None
        while killed.total() < kills:
            if run is None or run.poll() is not None:
                run = start(self.classroom, scratch, self.source, name="watch")
            # A judge first: what lives long is struck at once.
            kind = KINDS[(killed.total() + 1) % len(KINDS)]
            self.hand_in(self.students if kind == "worker" else chance.randint(1, 3))
            if kind != "worker":  # that lives for a moment only
                time.sleep(chance.uniform(0, PAUSE_SECONDS))
            seen |= family(run)
            killed[kind] += strike(run, kind, chance, HALL_SECONDS)
            print(f"{killed.total()} of {kills} kills", file=sys.stderr)
            if run.poll() is not None:
                run.communicate()
        run.kill()
        run.communicate()
        return killed

    def finish(self, scratch: Path) -> list[str]:
        """Watch until all is graded; faults that are left, a line each."""
        self.hand_in(max(0, self.students - self._handed_in))
        run = start(self.classroom, scratch, self.source, "--once", name="watch")
        said = run.communicate()[1].decode(errors="replace")
        faults = wrong(self.classroom, self.students) + ([said[-500:]] if run.returncode else [])
        tries = json.loads((self.classroom.root / "tries" / f"{STEM}.json").read_bytes())
        for number in range(self.students):
            student = f"s{number:03}"
            handed_in = (self.source / student / f"{STEM}.ipynb").read_bytes()
            if self.classroom.submitted(STEM, student).read_bytes() != handed_in:
                faults.append(f"{student}: not the last work")
            if self.classroom.result(STEM, student).work != tries[student][-1]:
                faults.append(f"{student}: a try that is not counted")
            if not self.classroom.feedback(STEM, student).read_bytes().endswith(b"-->\n"):
                faults.append(f"{student}: half a page")
        return faults


def watched(options: argparse.Namespace, folder: Path, chance: random.Random) -> dict:
    """Faults that are left of a watch, struck until the kills are used up."""
    hall, seen = Hall(folder / "class", options.students), set()
    (scratch := folder / "s").mkdir()
    killed = hall.strike(options.kills, scratch, chance, seen)
    faults = hall.finish(scratch) + left(hall.classroom, scratch, seen)
    return {"seed": options.seed, "students": options.students, "kills": dict(killed), "faults": faults}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--watch", action="store_true")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "kills.json")
    options = parser.parse_args()
    chance, killed, faults = random.Random(options.seed), Counter(), []
    result = {"seed": options.seed, "students": options.students, "runs": 0, "classes": 0}
    if options.watch:
        with tempfile.TemporaryDirectory() as folder:
            result = watched(options, Path(folder), chance)
        write_whole(options.json, json.dumps(result, indent=1).encode() + b"\n")
        print(json.dumps(result, indent=1))
        sys.exit(bool(result["faults"]))
    with tempfile.TemporaryDirectory() as folder:
        classroom = honest_class(Path(folder) / "class", options.students)
        (scratch := Path(folder) / "s").mkdir()
        anew, seen = True, set()
        while killed.total() < options.kills or not anew:
            run = start(classroom, scratch, *(["--force"] if anew else []))
            result["runs"] += 1
            anew = False
            while run.poll() is None and killed.total() < options.kills:
                time.sleep(chance.uniform(0, PAUSE_SECONDS))
                seen |= family(run)
                kind = chance.choice(KINDS)
                killed[kind] += strike(run, kind, chance)
            said = run.communicate()[1].decode(errors="replace")
            if run.returncode == 0:
                result["classes"] += 1
                faults += wrong(classroom, options.students) + left(classroom, scratch, seen)
                anew = True
            elif "Traceback" in said:
                faults.append(said[-500:])
            result |= {"kills": dict(killed), "faults": faults}
            write_whole(options.json, json.dumps(result, indent=1).encode() + b"\n")
            print(
                f"{killed.total()} kills, {result['classes']} classes through, {len(faults)} faults",
                file=sys.stderr,
            )
    print(json.dumps(result, indent=1))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
