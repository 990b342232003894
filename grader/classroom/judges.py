"""Judges at work side by side: each a process with its own warm sandbox, fed one submission at a time.

torch is loaded twice, at the same time, however many judges there are: by the process from which judges are forked,
and by the sandbox's first server, from which their servers are forked. Neither has computed anything before it forks.
Judges and servers end when this process does, because their connections close.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver, util
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.folder import Classroom
from grader.errors import GraderError
from grader.exercise import PACKAGES, PublicExercise
from grader.sandbox import watch
from grader.sandbox.errors import SandboxUnavailable
from grader.sandbox.launch import Launch, Launched, Warm, new_folder, sweep

MAX_TEMPORARY = 50  # bytes of the temporary folder's name: a socket's has 103 at most, of which 49 are added

if TYPE_CHECKING:
    from grader.classroom.grading import Grader
    from grader.classroom.job import Graded, Job


class JudgeDied(Exception):
    """A judge's process ended while it graded."""


@dataclass(frozen=True)
class JudgeSettings:
    """The setting of a judge: the class' folder, the exercise, and whether to grade unconfined."""

    root: Path
    stem: str
    unconfined: bool


@dataclass
class _Judge:
    job: Job | None = None
    process: BaseProcess | None = None
    connection: Connection | None = None
    core: int | None = None


class Judges:
    """`count` judges. Another executor (a cluster's) offers the same: `free`, `busy`, `submit`, `next`, `close`."""

    def __init__(self, settings: JudgeSettings, count: int):
        self._settings, self._count = settings, count
        self._judges: list[_Judge] = []
        self._hired = 0
        self._launched: Launched | None = None

    def __enter__(self) -> Judges:
        sweep()  # what killed runs have left, even where there is nothing to grade
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def free(self) -> bool:
        return self.busy < self._count

    @property
    def busy(self) -> int:
        return sum(judge.job is not None for judge in self._judges)

    def submit(self, job: Job) -> None:
        """Give a job to a judge who has none."""
        judge = next((judge for judge in self._judges if judge.job is None), None)
        if judge is None:
            self._warm_up()
            self._judges.append(_Judge(job))
        else:
            judge.job = job
            _send(judge)

    def warm(self) -> None:
        """Begin all judges, each with what it needs to grade, before anything is handed in."""
        self._warm_up()
        self._judges += [_Judge() for _ in range(self._count - len(self._judges))]
        self._begin_all()

    def next(self, seconds: float | None = None) -> tuple[Job, Graded | Exception] | None:
        """Wait for a judge; the job and what came of it. None if nobody is ready in that time."""
        self._begin_all()
        ready = wait([judge.connection for judge in self._judges if judge.job], seconds)
        if not ready:
            return None
        judge = next(judge for judge in self._judges if judge.connection is ready[0])
        job, judge.job = judge.job, None
        try:
            return job, judge.connection.recv()
        except (EOFError, OSError):
            self._judges.remove(judge)
            judge.process.join()
            return job, JudgeDied(f"the judge's process ended (status {judge.process.exitcode})")

    def close(self) -> None:
        """End the judges, those at work too."""
        begun = [judge for judge in self._judges if judge.process]
        for judge in begun:
            judge.connection.close()
            if judge.job is not None:
                judge.process.terminate()
        for judge in begun:
            judge.process.join()
        self._judges = []
        if self._launched:
            self._launched.control.close()

    def _warm_up(self) -> None:
        """Have torch loaded, by two processes, while this one goes on: a judge is begun when somebody waits for it."""
        if self._launched is None:
            self._launched = _launch(self._settings)
            _start_forkserver()

    def _free_core(self) -> int | None:
        """A core for a judge and its sandbox: they take turns, and to wake another core costs more than a turn.

        None where there are not as many judges as cores: the kernel must be free to make room for others.
        """
        cores = os.sched_getaffinity(0)
        if self._count != len(cores):
            return None
        return min(cores - {judge.core for judge in self._judges})

    def _begin_all(self) -> None:
        for judge in self._judges:
            if judge.process is None:
                self._begin(judge)

    def _begin(self, judge: _Judge) -> None:
        self._hired += 1
        judge.core = self._free_core()
        try:
            warm = self._launched.fork(self._hired, judge.core)
        except OSError:
            warm = None  # the first server is gone; the judge starts one of its own
        judge.connection, theirs = _context.Pipe()
        settings = (theirs, self._settings, warm, judge.core)
        process = _context.Process(target=_serve, args=settings, daemon=True)
        process.start()
        judge.process = process
        theirs.close()
        if warm:
            warm.control.close()
        _send(judge)


class WarmJudges:
    """Judges who stay from run to run over a class, ready before the first; others come where they were asked for by
    other rules, or where a run has broken off.

    Args:
        count: how many.
    """

    def __init__(self, count: int):
        self._count, self._known, self._judges = count, None, None

    @contextmanager
    def lent(self, settings: JudgeSettings) -> Iterator[Judges]:
        """For one run."""
        known = settings, state(settings)
        if self._judges is None or known != self._known:
            self.close()
            self._known, self._judges = known, Judges(settings, self._count).__enter__()
            self._judges.warm()
        try:
            yield self._judges
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._judges:
            self._judges.close()
        self._judges = None


def state(settings: JudgeSettings) -> list[tuple[Path, int, int]]:
    """The state of the files that a judge has read."""
    root, stem = settings.root, settings.stem
    files = [*root.glob(f"course/{stem}/*"), *root.glob(f"release/{stem}/*"), root / "nbgrader_config.py"]
    return [(path, about.st_mtime_ns, about.st_size) for path in sorted(files) for about in [path.stat()]]


def _send(judge: _Judge) -> None:
    try:
        judge.connection.send(judge.job)
    except OSError:
        pass  # dead already; `next` finds out


_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["grader.classroom.grading"])


def _start_forkserver() -> None:
    """Deaf to Ctrl-C from its first moment on: that is for this process, which then ends the judges."""
    if threading.current_thread() is not threading.main_thread():
        return
    before, folder = signal.signal(signal.SIGINT, signal.SIG_IGN), tempfile.tempdir
    tempfile.tempdir = _sockets()
    try:
        forkserver.ensure_running()
    finally:
        tempfile.tempdir = folder
        signal.signal(signal.SIGINT, before)


@cache
def _sockets() -> str:
    """A folder for the judges' socket: multiprocessing's own would stay for ever where this process is killed."""
    if len(os.fsencode(tempfile.gettempdir())) > MAX_TEMPORARY:
        return tempfile.gettempdir()
    folder, _ = new_folder()
    util.Finalize(
        None, watch.remove, args=(folder,), exitpriority=-200
    )  # after multiprocessing's, which lies in it
    return folder


def _launch(settings: JudgeSettings) -> Launched:
    try:
        libraries = Classroom.open(settings.root).exercise(settings.stem).libraries
        return Launch(libraries, packages=PACKAGES, unconfined=settings.unconfined).start()
    except SandboxUnavailable as error:
        raise GraderError(
            f"This machine cannot confine students' code: {error}. See 'grader doctor'. "
            "With --unconfined it runs all the same, and can read and do what you can."
        ) from error


def _serve(connection: Connection, settings: JudgeSettings, warm: Warm | None, core: int | None) -> None:
    """A judge's life: grade what comes until the pipe closes."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the writer, who then closes the pipe
    os.environ["OMP_NUM_THREADS"] = "1"  # judges side by side would fight for the cores
    grader = None
    try:
        while True:
            job = connection.recv()
            try:
                grader = grader or make_grader(settings, warm)
                answer = grader.grade(job) if job else None
            except Exception as error:
                answer = portable(error)
            # Without one it was to be ready, no more; what is wrong is said when something is handed in.
            if job:
                connection.send(answer)
    except (EOFError, OSError):
        os._exit(0)  # the sandbox sees its judge gone, tidies up and ends; nobody need wait for it


def make_grader(settings: JudgeSettings, warm: Warm | None = None) -> Grader:
    """A grader for a class' exercise, in this process.

    Args:
        warm: the sandbox's server, if there is one already.
    """
    import torch

    from grader.classroom.grading import Grader

    torch.set_num_threads(1)
    classroom = Classroom.open(settings.root)
    return Grader(
        classroom.exercise(settings.stem),
        classroom.template(settings.stem),
        secret=classroom.secret,
        book_url=PublicExercise(classroom.released(settings.stem)).book_url,
        wall_seconds=classroom.wall_seconds,
        unconfined=settings.unconfined,
        warm=warm,
    )


def portable(error: Exception) -> Exception:
    """An error as it can be sent: what the user can put right as it is, anything else in words."""
    return error if isinstance(error, GraderError) else RuntimeError(f"{type(error).__name__}: {error}")
