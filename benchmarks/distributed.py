"""A class graded by Dask's workers on two hosts, each a network namespace of its own, by the number of workers.

    PYTHONPATH=. python benchmarks/distributed.py [--submissions 10000] [--workers 1,2,4,8,16] [--database postgres|sqlite]
                                                  [--judge] [--models DIR] [--json FILE]

All exercises. Three works of each are judged once, and kept in DIR. Then workers wait as long as judging takes a core with
nothing beside it, and say what was found: so many of them on few cores show what the one writer, the scheduler, the
database and the network do, which are real. With --judge the workers judge. Needs Linux, root (for the namespaces) and, for
`postgres`, PostgreSQL. Writer, scheduler and database are on the machine that both hosts are wired to.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pickle
import shutil
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
from grader.classroom.batch import grade_class, read_job
from grader.classroom.folder import Classroom
from grader.classroom.judges import JudgeSettings, make_grader
from grader.classroom.newclass import make_class, update_class
from grader.classroom.sample import Sample
from grader.exercise import ROOT, Exercise, all_exercises
from grader.results import write_whole

KINDS = 3  # works of each exercise: right, one mistake, two
NETWORK, PORT, HOSTS = "10.77.0", 8786, 2
ADDRESS = f"tcp://{NETWORK}.1:{PORT}"
FILLED = ("grade", "comment", "submitted_notebook", "submitted_assignment", "student", "grade_history")


def make_models(root: Path) -> None:
    """A class, and for each exercise works with what was found in them."""
    make_class(root, all_exercises(), None)
    classroom = Classroom.open(root)
    for exercise in all_exercises():
        mix = honest_mix(Sample(classroom, exercise), exercise.bank, KINDS)
        write_whole(replay.path_of(root, exercise.stem), pickle.dumps(_judged(classroom, exercise, mix)))
        print(f"{exercise.stem}: judged", file=sys.stderr)


def _judged(classroom: Classroom, exercise: Exercise, mix: dict[str, dict]) -> replay.Answers:
    grader, found = make_grader(JudgeSettings(classroom.root, exercise.stem, unconfined=False)), {}
    path = classroom.submitted(exercise.stem, "model")
    for work in (json.dumps(notebook).encode() for notebook in mix.values()):
        write_whole(path, work)
        job = read_job(classroom, exercise.stem, "model", "")
        grader.grade(job)  # the first time, much is loaded
        before = processor_seconds()
        graded = grader.grade(job)
        found[replay.digest(work)] = (work, graded, processor_seconds() - before)
    grader.close()
    shutil.rmtree(path.parent)
    return found


def processor_seconds(process: psutil.Process | None = None) -> float:
    """Of a process (this one) and of those that it has begun, also where they have ended."""
    process = process or psutil.Process()
    times = [member.cpu_times() for member in (process, *process.children(recursive=True))]
    return sum(t.user + t.system + t.children_user + t.children_system for t in times)


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


def hand_in(classroom: Classroom, students: int) -> float:
    """Everybody hands in every exercise; the seconds that judging takes a core."""
    total = 0.0
    for stem in classroom.stems():
        answers = replay.answers(classroom.root, stem)
        works = list(answers.values())
        for number in range(students):
            work, _, seconds = works[number % len(works)]
            write_whole(classroom.submitted(stem, f"s{number:05}"), work)
            total += seconds
    return total


def measure(classroom: Classroom, entries: list[tuple[str, ...]], count: int, submissions: int) -> dict:
    """One class graded by so many workers, exercise after exercise."""
    empty(classroom)
    stems = classroom.stems()
    students = math.ceil(submissions / len(stems))
    judging = hand_in(classroom, students)
    Timed.waited, here = 0.0, psutil.Process()
    with workers(entries, count) as scheduler:
        before, of_scheduler = sum(here.cpu_times()[:2]), processor_seconds(scheduler)
        began = time.perf_counter()
        graded = sum(grade_class(classroom, stem, cluster=ADDRESS).graded for stem in stems)
        seconds = time.perf_counter() - began
        writer, of_scheduler = sum(here.cpu_times()[:2]) - before, processor_seconds(scheduler) - of_scheduler
    if graded != students * len(stems):
        sys.exit(f"{graded} of {students * len(stems)} were graded.")
    return {
        "workers": count,
        "submissions": graded,
        "seconds": round(seconds, 1),
        "per_second": round(graded / seconds, 1),
        "judging_ms": round(1000 * judging / graded, 1),
        "busy": round(judging / seconds / count, 3),
        "writing_ms": round(1000 * (seconds - Timed.waited) / graded, 2),
        "writers_share": round(1 - Timed.waited / seconds, 3),
        "writer_cpu_ms": round(1000 * writer / graded, 2),
        "scheduler_cpu_ms": round(1000 * of_scheduler / graded, 2),
        "load": round(os.getloadavg()[0], 1),
    }


def show(results: list[dict], title: str) -> None:
    table = Table(title=title)
    columns = "workers", "works", "s", "a second", "busy", "writer ms", "share", "CPU ms", "scheduler"
    for column in columns:
        table.add_column(column, justify="right")
    for r in results:
        shares = f"{r['busy']:.0%}", f"{r['writing_ms']:.1f}", f"{r['writers_share']:.0%}"
        counts = (r[key] for key in ("workers", "submissions", "seconds", "per_second"))
        table.add_row(*map(str, counts), *shares, f"{r['writer_cpu_ms']:.1f}", f"{r['scheduler_cpu_ms']:.1f}")
    Console(width=80).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--submissions", type=int, default=10_000)
    parser.add_argument("--workers", default="1,2,4,8,16")
    parser.add_argument("--database", choices=["postgres", "sqlite"], default="postgres")
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--models", type=Path, default=ROOT / "build" / "distributed")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "distributed.json")
    options = parser.parse_args()
    if "WIRED" not in os.environ:  # a network of its own: nothing of this machine's is touched
        os.execvpe("unshare", ["unshare", "-n", sys.executable, *sys.argv], {**os.environ, "WIRED": "1"})
    if not options.models.exists():
        make_models(options.models)
    cluster.Cluster = Timed
    if not options.judge:
        cluster._grade = replay.grade
    server = postgres() if options.database == "postgres" else nullcontext()
    results = []
    with tempfile.TemporaryDirectory() as folder, server as address, hosts() as entries:
        root = Path(shutil.copytree(options.models, Path(folder) / "class"))
        if address:
            config = root / "nbgrader_config.py"
            config.write_text(config.read_text() + f"\nc.CourseDirectory.db_url = {address!r}\n")
        classroom = Classroom.open(root)
        update_class(classroom, all_exercises(), None)
        for count in map(int, options.workers.split(",")):
            results.append(measure(classroom, entries, count, options.submissions))
            write_whole(options.json, json.dumps(results, indent=1).encode() + b"\n")
            print(json.dumps(results[-1]), file=sys.stderr)
    kind = "judging" if options.judge else "waiting as long as judging takes"
    show(results, f"{options.database}, workers {kind}, {results[0]['judging_ms']:.0f} ms each")


if __name__ == "__main__":
    main()
