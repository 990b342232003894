"""A judge's life in a process of its own, and the process from which judges are forked: torch loaded, nothing computed."""

from __future__ import annotations

import importlib
import os
import signal
import socket
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.folder import Classroom
from grader.errors import GraderError
from grader.exercise import PACKAGES, PublicExercise
from grader.sandbox.launch import Launch, Warm

if TYPE_CHECKING:
    from grader.classroom.grading import Grader
    from grader.sandbox import Sandbox

NAME = "judges"  # as `top` shows them


@dataclass(frozen=True)
class JudgeSettings:
    """The setting of a judge: the class' folder, the exercise, and whether to grade unconfined."""

    root: Path
    stem: str
    unconfined: bool


def fork_judges(client: socket.socket) -> None:
    """Fork a judge for each pipe that the client sends, and end them all when it is gone.

    With the judge's end of a pipe comes its sandbox's connection, where there is one already; the answer is the judge's
    number. To a number the answer is how that judge has ended.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the client, who then ends the judges
    with suppress(OSError):
        Path("/proc/self/comm").write_text(NAME)
    os.environ["OMP_NUM_THREADS"] = "1"  # judges side by side would fight for the cores
    importlib.import_module("grader.classroom.grading")
    living: set[int] = set()
    with suppress(OSError):
        while (asked := socket.recv_fds(client, 64, 2))[0]:
            said, fds = asked[0], asked[1]
            if not fds:
                client.sendall(_status(int(said), living))
                continue
            if (pid := os.fork()) == 0:
                client.close()
                _live(*fds)
            living.add(pid)
            for fd in fds:
                os.close(fd)
            client.sendall(b"%d" % pid)
    for pid in living:
        os.kill(pid, signal.SIGTERM)  # those that have ended are there, if only as zombies
    for pid in living:
        os.waitpid(pid, 0)


def _status(pid: int, living: set[int]) -> bytes:
    if pid not in living:  # forked by another process, which has died
        return b"unknown"
    living.remove(pid)
    return b"%d" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _live(pipe: int, control: int | None = None) -> None:
    """Grade what comes until the pipe closes."""
    try:
        connection = Connection(pipe)
        launch, base, core = connection.recv()
        if core is not None:
            os.sched_setaffinity(0, {core})
        bench = _Bench(launch, None if control is None else Warm(base, socket.socket(fileno=control)))
        while True:
            settings, job = connection.recv()
            try:
                grader = bench.grader(settings)
                answer = grader.grade(job) if job else None
            except Exception as error:
                answer = portable(error)
            # Without one it was to be ready, no more; what is wrong is said when something is handed in.
            if job:
                connection.send(answer)
    except (EOFError, OSError):
        os._exit(0)  # the sandbox sees its judge gone, tidies up and ends; nobody need wait for it
    except BaseException:
        traceback.print_exc()
    os._exit(1)


class _Bench:
    """The grader of one exercise after another, with one sandbox; a new one too where what it judges by has changed."""

    def __init__(self, launch: Launch, warm: Warm | None):
        self._launch, self._warm = launch, warm
        self._known, self._grader = None, None
        self._sandbox = cache(self._make_sandbox)

    def grader(self, settings: JudgeSettings) -> Grader:
        known = settings, state(settings)
        if known != self._known:
            self._grader = make_grader(settings, self._sandbox)
            self._known = known
        return self._grader

    def _make_sandbox(self) -> Sandbox:
        from grader.sandbox import Sandbox

        launch, (warm, self._warm) = self._launch, (self._warm, None)
        return Sandbox(
            preload=launch.preload, packages=launch.packages, unconfined=launch.unconfined, warm=warm
        )


def state(settings: JudgeSettings) -> list[tuple[Path, int, int]]:
    """The state of the files that a grader has read."""
    root, stem = settings.root, settings.stem
    files = [*root.glob(f"course/{stem}/*"), *root.glob(f"release/{stem}/*"), root / "nbgrader_config.py"]
    return [(path, about.st_mtime_ns, about.st_size) for path in sorted(files) for about in [path.stat()]]


def make_grader(settings: JudgeSettings, sandbox: Callable[[], Sandbox] | None = None) -> Grader:
    """A grader for a class' exercise, in this process.

    Args:
        sandbox: gives a sandbox that there is already; by default it has one of its own.

    Raises:
        SandboxUnavailable: this machine cannot confine a worker.
    """
    import torch

    from grader.classroom.grading import Grader
    from grader.sandbox import Sandbox

    torch.set_num_threads(1)
    classroom = Classroom.open(settings.root)
    exercise = classroom.exercise(settings.stem)
    return Grader(
        exercise,
        classroom.template(settings.stem),
        sandbox
        or partial(Sandbox, preload=exercise.libraries, packages=PACKAGES, unconfined=settings.unconfined),
        secret=classroom.secret,
        book_url=PublicExercise(classroom.released(settings.stem)).book_url,
        wall_seconds=classroom.wall_seconds,
    )


def portable(error: Exception) -> Exception:
    """An error as it can be sent: what the user can put right as it is, anything else in words."""
    return error if isinstance(error, GraderError) else RuntimeError(f"{type(error).__name__}: {error}")
