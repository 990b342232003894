"""Judges at work side by side: each a process with its own warm sandbox, fed one submission at a time, of any exercise.

torch and what notebooks need is loaded once, however many judges there are: by the sandbox's first server, from which their
servers are forked, and before all of them the process from which the judges are. Neither has computed anything before it forks.
Judges and servers end when this process does, because their connections close.
"""

from __future__ import annotations

import math
import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from typing import TYPE_CHECKING

from grader.classroom.folder import Classroom
from grader.classroom.judge_process import JudgeSettings
from grader.errors import GraderError
from grader.exercise import PACKAGES
from grader.sandbox.errors import SandboxUnavailable
from grader.sandbox.launch import Launch, Launched, sweep

if TYPE_CHECKING:
    from grader.classroom.job import Graded, Job


JUDGES = "grader.classroom.judge_process:fork_judges"


def room_for() -> int:
    """The number of judges that this process may use cores for: one each, or as many as JupyterHub lets its server use.

    More than that take turns, and a server's memory is as limited as its cores.
    """
    cores = len(os.sched_getaffinity(0))
    with suppress(ValueError, OverflowError):  # CPU_LIMIT can be somebody else's
        cores = min(cores, max(1, math.ceil(float(os.environ.get("CPU_LIMIT", cores)))))
    return cores


class JudgeDied(Exception):
    """A judge's process ended while it graded."""


@dataclass
class _Judge:
    job: Job | None = None
    pid: int | None = None
    connection: Connection | None = None
    core: int | None = None


class Judges:
    """`count` judges. Another executor (a cluster's) offers the same: `free`, `busy`, `submit`, `next`, `close`.

    Args:
        settings: of the first exercise.
        stems: others that may come after it, so that their libraries are loaded as well.
    """

    def __init__(self, settings: JudgeSettings, count: int, stems: Iterable[str] = ()):
        self._settings, self._count, self._stems = settings, count, [settings.stem, *stems]
        self._judges: list[_Judge] = []
        self._hired = 0
        self._launch: Launch | None = None
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

    def turn_to(self, settings: JudgeSettings) -> bool:
        """Judge by these from now on; False if what that needs may not be loaded."""
        if settings.stem not in self._stems or settings.unconfined != self._settings.unconfined:
            return False
        self._settings = settings
        return True

    def submit(self, job: Job) -> None:
        """Give a job to a judge who has none."""
        judge = next((judge for judge in self._judges if judge.job is None), None)
        if judge is None:
            self._warm_up()
            self._judges.append(_Judge(job))
        else:
            judge.job = job
            self._send(judge)

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
            return job, JudgeDied(f"the judge's process ended (status {self._status(judge) or 'unknown'})")

    def close(self) -> None:
        """End the judges, those at work too."""
        for judge in self._judges:
            if judge.connection:
                judge.connection.close()
        self._judges = []
        if self._launched:
            self._launched.close()

    def _warm_up(self) -> None:
        """Have torch loaded while this process goes on: a judge is begun when somebody waits for it."""
        if self._launched is None:
            classroom = Classroom.open(self._settings.root)
            libraries = dict.fromkeys(name for s in self._stems for name in classroom.exercise(s).libraries)
            self._launch = Launch(tuple(libraries), PACKAGES, self._settings.unconfined)
            self._launched = self._start()

    def _start(self) -> Launched:
        try:
            return self._launch.start(sibling=JUDGES)
        except SandboxUnavailable as error:
            raise GraderError(
                f"This machine cannot confine students' code: {error}. See 'grader doctor'. "
                "With --unconfined it runs all the same, and can read and do what you can."
            ) from error

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
            if judge.pid is None:
                self._begin(judge)

    def _begin(self, judge: _Judge) -> None:
        self._hired += 1
        judge.core = self._free_core()
        try:
            warm = self._launched.fork(self._hired, judge.core)
        except OSError:
            warm = None  # the first server is gone; the judge starts one of its own
        judge.connection, theirs = Pipe()
        with theirs:
            judge.pid = self._ask_for(theirs, *([warm.control] if warm else []))
        judge.connection.send((self._launch, warm and warm.base, judge.core))
        if warm:
            warm.control.close()
        self._send(judge)

    def _send(self, judge: _Judge) -> None:
        try:
            judge.connection.send((self._settings, judge.job))
        except OSError:
            pass  # dead already; `next` finds out

    def _ask_for(self, *given: Connection | socket.socket) -> int:
        """The number of a new judge, from the process that forks them (see `judge_process`); begun anew if it has died."""
        try:
            return self._ask(given)
        except (OSError, ValueError):
            self._launched.close()
            self._launched = self._start()
        try:
            return self._ask(given)
        except (OSError, ValueError):
            raise GraderError(f"The judges' process does not start: {self._launched.last_words()}") from None

    def _ask(self, given: tuple) -> int:
        return int(self._launched.ask(b"judge", *given))

    def _status(self, judge: _Judge) -> str:
        try:
            return self._launched.ask(b"%d" % judge.pid).decode()
        except OSError:
            return ""


class WarmJudges:
    """Judges who stay from run to run over a class, whatever exercise it is; others come where a run has broken off.

    Args:
        count: how many.
        stems: the exercises that they will be lent for; for another, others come.
        early: whether all are ready before the first work is handed in.
    """

    def __init__(self, count: int, stems: Iterable[str] = (), early: bool = False):
        self._count, self._stems, self._early = count, list(stems), early
        self._judges: Judges | None = None

    def __enter__(self) -> WarmJudges:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def lent(self, settings: JudgeSettings) -> Iterator[Judges]:
        """For one run."""
        if self._judges is None or not self._judges.turn_to(settings):
            self.close()
            self._judges = Judges(settings, self._count, self._stems).__enter__()
            if self._early:
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
