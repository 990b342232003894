"""A class graded by Dask's workers on two hosts, each a network namespace of its own, by the number of workers.

    PYTHONPATH=. python benchmarks/two_hosts.py [--submissions 10000] [--entered 0] [--workers 1,2,4,8,16]
        [--database postgres|sqlite] [--judging SECONDS|--judge] [--exercise STEM ...] [--models DIR] [--json FILE]

Three works of each exercise are judged once, and kept in DIR. Then workers wait as long as judging takes, and say what was
found: so many of them on few cores show what the one writer, the scheduler, the database and the network do, which are
real. With --judge the workers judge. --entered: how many are in the gradebook before. Needs Linux, root (for the namespaces)
and, for `postgres`, PostgreSQL. Writer, scheduler and database are on the machine that both hosts are wired to.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

import psutil
import sqlalchemy as sa
from distributed import Client
from rich.console import Console
from rich.table import Table

from benchmarks import replay
from benchmarks.autograde import honest_mix
from benchmarks.postgres import postgres
from grader.classroom import cluster
from grader.classroom.batch import TOGETHER, grade_class
from grader.classroom.folder import Classroom
from grader.classroom.judge_process import JudgeSettings, make_grader
from grader.classroom.newclass import make_class, update_class
from grader.classroom.recording import read_job
from grader.classroom.sample import Sample
from grader.exercise import ROOT, Exercise, all_exercises, find_exercise
from grader.gradebook.tables import Gradebook
from grader.results import write_whole

KINDS = 3  # works of each exercise: right, one mistake, two
NETWORK, PORT, HOSTS = "10.77.0", 8786, 2
ADDRESS = f"tcp://{NETWORK}.1:{PORT}"
FILLED = ("grade", "comment", "submitted_notebook", "submitted_assignment", "student", "grade_history")


def make_models(root: Path, exercises: list[Exercise]) -> None:
    """A class, and for each exercise works with what was found in them."""
    make_class(root, exercises, None)
    classroom = Classroom.open(root)
    for exercise in exercises:
        grader, found = make_grader(JudgeSettings(root, exercise.stem, unconfined=False)), {}
        path = classroom.submitted(exercise.stem, "model")
        for notebook in honest_mix(Sample(classroom, exercise), exercise.bank, KINDS).values():
            work = json.dumps(notebook).encode()
            write_whole(path, work)
            found[replay.digest(work)] = work, grader.grade(read_job(classroom, exercise.stem, "model", ""))
        grader.close()
        write_whole(replay.path_of(root, exercise.stem), pickle.dumps(found))
        shutil.rmtree(path.parents[1])
        print(f"{exercise.stem}: judged", file=sys.stderr)


def processor_seconds(process: psutil.Process) -> float:
    return sum(process.cpu_times()[:2])


@contextmanager
def running(*command: str) -> Iterator[subprocess.Popen]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def ip(*words: str, before: tuple[str, ...] = ()) -> None:
    subprocess.run([*before, "ip", *words], check=True)


@contextmanager
def hosts() -> Iterator[list[tuple[str, ...]]]:
    """The beginnings of commands that run the rest on one of the hosts; all wired to this namespace."""
    ip("link", "set", "lo", "up")
    ip("link", "add", "wire", "type", "bridge")
    ip("addr", "add", f"{NETWORK}.1/24", "dev", "wire")
    ip("link", "set", "wire", "up")
    with ExitStack() as stack:
        entries = []
        for number in range(HOSTS):
            life = stack.enter_context(running("unshare", "-n", "sleep", "infinity"))
            while os.readlink(f"/proc/{life.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
                time.sleep(0.01)
            enter = ("nsenter", "-t", str(life.pid), "-n")
            ends = (
                "link",
                "add",
                f"host{number}",
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "netns",
                str(life.pid),
            )
            ip(*ends)
            ip("link", "set", f"host{number}", "master", "wire", "up")
            ip("addr", "add", f"{NETWORK}.{number + 2}/24", "dev", "eth0", before=enter)
            ip("link", "set", "eth0", "up", before=enter)
            ip("link", "set", "lo", "up", before=enter)
            entries.append(enter)
        yield entries


@contextmanager
def workers(entries: list[tuple[str, ...]], count: int) -> Iterator[psutil.Process]:
    """A scheduler, and so many workers on the hosts in turn; the scheduler's process."""
    dask = (sys.executable, "-W", "ignore", "-m")
    with ExitStack() as stack:
        command = (*dask, "distributed.cli.dask_scheduler", "--host", f"{NETWORK}.1", "--port", str(PORT))
        scheduler = stack.enter_context(running(*command, "--no-dashboard"))
        for number in range(count):
            command = (*dask, "distributed.cli.dask_worker", ADDRESS, "--nthreads", "1", "--no-dashboard")
            stack.enter_context(running(*entries[number % len(entries)], *command, "--no-nanny"))
        with Client(ADDRESS, timeout=120, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=300)
        yield psutil.Process(scheduler.pid)


class Timed(cluster.Cluster):
    """Counts the seconds for which the writer waits for judges."""

    waited = 0.0

    def next(self, *seconds: float):
        began = time.perf_counter()
        try:
            return super().next(*seconds)
        finally:
            Timed.waited += time.perf_counter() - began


def empty(classroom: Classroom) -> None:
    """Take away all that students have handed in and got."""
    for folder in ("submitted", "autograded", "results"):
        shutil.rmtree(classroom.root / folder, ignore_errors=True)
    engine = sa.create_engine(classroom.database, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for table in FILLED:
            connection.execute(sa.text(f"DELETE FROM {table}"))
        connection.execute(sa.text("VACUUM ANALYZE" if "postgres" in classroom.database else "VACUUM"))
    engine.dispose()


def enter(classroom: Classroom, students: int) -> None:
    """Others, of whom the gradebook knows every exercise, and nothing else is there."""
    for stem in classroom.stems():
        found = itertools.cycle(graded for _, graded in replay.answers(classroom.root, stem).values())
        theirs = (replay.of_student(next(found), f"o{n:06}", "").submission for n in range(students))
        with Gradebook(classroom.database, stem, classroom.config) as gradebook:
            while some := list(itertools.islice(theirs, TOGETHER)):
                gradebook.record(some)


def hand_in(classroom: Classroom, students: int) -> None:
    """Everybody hands in every exercise."""
    for stem in classroom.stems():
        works = itertools.cycle(work for work, _ in replay.answers(classroom.root, stem).values())
        for number in range(students):
            write_whole(classroom.submitted(stem, f"s{number:06}"), next(works))


def measure(
    classroom: Classroom, entries: list[tuple[str, ...]], count: int, options: argparse.Namespace
) -> dict:
    """One class graded by so many workers, exercise after exercise."""
    stems, here = classroom.stems(), psutil.Process()
    students = math.ceil(options.submissions / len(stems))
    empty(classroom)
    enter(classroom, options.entered // len(stems))
    hand_in(classroom, students)
    Timed.waited = 0.0
    with workers(entries, count) as scheduler:
        writer, scheduling = processor_seconds(here), processor_seconds(scheduler)
        began = time.perf_counter()
        graded = sum(grade_class(classroom, stem, cluster=ADDRESS).graded for stem in stems)
        seconds = time.perf_counter() - began
        writer, scheduling = processor_seconds(here) - writer, processor_seconds(scheduler) - scheduling
    if graded != students * len(stems):
        sys.exit(f"{graded} of {students * len(stems)} were graded.")
    return {
        "workers": count,
        "submissions": graded,
        "seconds": round(seconds, 1),
        "per_second": round(graded / seconds, 1),
        "busy": None if options.judge else round(options.judging * graded / seconds / count, 3),
        "writing_ms": round(1000 * (seconds - Timed.waited) / graded, 2),
        "writers_share": round(1 - Timed.waited / seconds, 3),
        "writer_cpu_ms": round(1000 * writer / graded, 2),
        "scheduler_cpu_ms": round(1000 * scheduling / graded, 2),
        "load": round(os.getloadavg()[0], 1),
    }


def show(results: list[dict], title: str) -> None:
    table = Table(title=title)
    for column in ("workers", "works", "s", "a second", "busy", "writer ms", "share", "CPU ms", "scheduler"):
        table.add_column(column, justify="right")
    for r in results:
        counts = (str(r[key]) for key in ("workers", "submissions", "seconds", "per_second"))
        busy = "" if r["busy"] is None else f"{r['busy']:.0%}"
        writer = f"{r['writing_ms']:.1f}", f"{r['writers_share']:.0%}", f"{r['writer_cpu_ms']:.1f}"
        table.add_row(*counts, busy, *writer, f"{r['scheduler_cpu_ms']:.1f}")
    Console(width=80).print(table)
    print(
        "writer ms, share: of the time, what it does not wait; CPU ms, scheduler: their processors'; each a work"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--submissions", type=int, default=10_000)
    parser.add_argument("--entered", type=int, default=0)
    parser.add_argument("--workers", default="1,2,4,8,16")
    parser.add_argument("--database", choices=["postgres", "sqlite"], default="postgres")
    parser.add_argument(
        "--judging", type=float, default=0.1, help="a right answer, the mean of all exercises"
    )
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--exercise", action="append", help="all, without")
    parser.add_argument("--models", type=Path, default=ROOT / "build" / "two_hosts")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "two_hosts.json")
    options = parser.parse_args()
    if "WIRED" not in os.environ:  # a network of its own: nothing of this machine's is touched
        os.execvpe("unshare", ["unshare", "-n", sys.executable, *sys.argv], {**os.environ, "WIRED": "1"})
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # workers and hosts end with it
    exercises = list(map(find_exercise, options.exercise)) if options.exercise else all_exercises()
    if not options.models.exists():
        make_models(options.models, exercises)
    cluster.Cluster = Timed
    if not options.judge:
        cluster._grade = replay.grade
    server = postgres() if options.database == "postgres" else nullcontext()
    results = []
    with tempfile.TemporaryDirectory() as folder, server as address, hosts() as entries:
        root = Path(shutil.copytree(options.models, Path(folder) / "class"))
        write_whole(root / "answers" / "seconds", str(options.judging).encode())
        if address:
            config = root / "nbgrader_config.py"
            config.write_text(config.read_text() + f"\nc.CourseDirectory.db_url = {address!r}\n")
        classroom = Classroom.open(root)
        update_class(classroom, exercises, None)
        for count in map(int, options.workers.split(",")):
            results.append(measure(classroom, entries, count, options))
            write_whole(options.json, json.dumps(results, indent=1).encode() + b"\n")
            print(json.dumps(results[-1]), file=sys.stderr)
    kind = "that judge" if options.judge else f"that wait {1000 * options.judging:.0f} ms each"
    show(results, f"{options.database}, workers {kind}")


if __name__ == "__main__":
    main()
