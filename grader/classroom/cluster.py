"""Judges on other machines: Dask's workers, in place of processes of this one.

The class' folder must be at the same path on every machine. Each worker keeps a judge with its own warm sandbox; the
gradebook is written here.
"""

from __future__ import annotations

import math
import time
from collections import deque
from threading import Lock

from distributed import Client, Future, as_completed

from grader.classroom.grading import Grader
from grader.classroom.job import Graded, Job
from grader.classroom.judge_process import JudgeSettings, make_grader, portable, state
from grader.classroom.judges import JudgeDied
from grader.errors import GraderError

CONNECT_SECONDS = 10
WORKER_SECONDS = 30  # for which a cluster may be without any worker
LOOK_SECONDS = 1  # between two questions to the scheduler, how many workers it has
AHEAD = 2  # tasks for each worker: the next one lies there when it is done with the last
JOBS = 4  # in a task at most, where there are enough for all: to send one takes this process as long as to enter two results
TICK = 0.01
KEPT = 2  # judges that a worker keeps, each with a warm sandbox: two exercises may be graded at once


class Cluster:
    """As many judges as the scheduler at `address` has workers; an executor like `Judges`."""

    def __init__(self, settings: JudgeSettings, address: str):
        self._settings = settings
        self._unsent: list[Job] = []
        self._tasks: dict[Future, list[Job]] = {}
        self._answers: deque[tuple[Job, Graded | Exception]] = deque()
        try:
            self._client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise GraderError(f"No Dask scheduler answers at {address} ({type(error).__name__}).") from error
        self._address, self._alone_since = address, time.monotonic()
        self._workers, self._next_look = 0, 0.0
        # Results are fetched while this process writes others.
        self._done = as_completed(loop=self._client.loop, with_results=True, raise_errors=False)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def free(self) -> bool:
        # One without workers yet takes jobs as well: they wait for the first.
        self._count()
        return self.busy < JOBS * AHEAD * max(1, self._workers)

    def _count(self) -> None:
        """See once in a while how many workers there are: they come and go."""
        if time.monotonic() >= self._next_look:
            self._workers = self._client.scheduler_info(n_workers=0).get("n_workers", 0)  # none once closed
            self._next_look = time.monotonic() + LOOK_SECONDS

    @property
    def busy(self) -> int:
        return len(self._unsent) + sum(map(len, self._tasks.values())) + len(self._answers)

    def submit(self, job: Job) -> None:
        self._unsent.append(job)
        tasks = AHEAD * max(1, self._workers)
        if len(self._unsent) * tasks >= self.busy:  # else there is enough for a larger one
            self._flush()

    def _flush(self) -> None:
        jobs, self._unsent = self._unsent, []
        self._send(jobs)

    def _send(self, jobs: list[Job]) -> None:
        future = self._client.submit(_grade, self._settings, jobs, pure=False, retries=0)
        self._tasks[future] = jobs
        self._done.add(future)

    def next(self, seconds: float | None = None) -> tuple[Job, Graded | Exception] | None:
        """Wait for a judge; the job and what came of it. None if nobody is ready in that time."""
        if self._unsent and not self._answers:  # else whoever asks may be about to bring more
            self._flush()
        deadline = math.inf if seconds is None else time.monotonic() + seconds
        while not self._answers:
            while not self._done.has_ready():
                if time.monotonic() >= deadline:
                    return None
                self._refuse_to_wait_for_nobody()
                time.sleep(TICK)
            self._answers += self._of(*next(self._done))
        return self._answers.popleft()

    def _of(self, future: Future, answers: list[Graded | Exception]) -> list[tuple[Job, Graded | Exception]]:
        """The jobs of a task that has ended, each with what came of it."""
        jobs = self._tasks.pop(future)
        if future.status == "finished":
            return list(zip(jobs, answers, strict=True))
        if future.cancelled():  # with its scheduler, as all others are
            gone = (
                f"The Dask scheduler at {self._address} has gone. What is graded is kept: "
                "start it, and give the command again."
            )
            return [(job, GraderError(gone)) for job in jobs]
        if len(jobs) > 1:  # nobody knows which of them its worker died of
            for job in jobs:
                self._send([job])
            return []
        # What a judge itself cannot do, it returns.
        return [(jobs[0], JudgeDied(f"the judge's worker ended ({future.status})"))]

    def _refuse_to_wait_for_nobody(self) -> None:
        self._count()
        if self._workers:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > WORKER_SECONDS:
            raise GraderError(
                f"The Dask scheduler at {self._address} has no worker. "
                f"Start one for each core: dask worker {self._address} --nthreads 1"
            )


_lock = Lock()  # a Dask worker may run several tasks at once; a judge hears one case after another
_judges: dict[tuple, Grader] = {}  # on a worker, by what they judge by


def _grade(settings: JudgeSettings, jobs: list[Job]) -> list[Graded | Exception]:
    """On a worker: grade with the judge that is kept there."""
    with _lock:
        return [_answer(settings, job) for job in jobs]


def _answer(settings: JudgeSettings, job: Job) -> Graded | Exception:
    try:
        return _judge(settings).grade(job)
    except Exception as error:
        return portable(error)


def _judge(settings: JudgeSettings) -> Grader:
    """The judge of an exercise, by the rules that the class has now; whoever has not judged for longest goes home."""
    known = settings, tuple(state(settings))
    judge = _judges.pop(known, None) or make_grader(settings)
    _judges[known] = judge
    if len(_judges) > KEPT:
        _judges.pop(next(iter(_judges))).close()
    return judge
