"""Judges on other machines: Dask's workers, in place of processes of this one.

The class' folder must be at the same path on every machine. Each worker keeps a judge with its own warm sandbox; the
gradebook is written here.
"""

from __future__ import annotations

import time
from functools import cache
from threading import Lock

from distributed import CancelledError, Client, as_completed

from grader.classroom.grading import Grader
from grader.classroom.job import Graded, Job
from grader.classroom.judges import JudgeDied, JudgeSettings, make_grader, portable
from grader.errors import GraderError

CONNECT_SECONDS = 10
WORKER_SECONDS = 30  # for which a cluster may be without any worker
TICK = 0.05


class Cluster:
    """As many judges as the scheduler at `address` has workers; an executor like `Judges`."""

    def __init__(self, settings: JudgeSettings, address: str):
        self._settings, self._jobs = settings, {}
        try:
            self._client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise GraderError(f"No Dask scheduler answers at {address} ({type(error).__name__}).") from error
        self._address, self._alone_since = address, time.monotonic()
        self._done = as_completed(loop=self._client.loop, raise_errors=False)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def free(self) -> bool:
        # One without workers yet takes a job as well: it waits for the first.
        return self.busy < max(1, self._workers)

    @property
    def _workers(self) -> int:
        return len(self._client.scheduler_info(n_workers=-1).get("workers", ()))  # none once closed

    @property
    def busy(self) -> int:
        return len(self._jobs)

    def submit(self, job: Job) -> None:
        future = self._client.submit(_grade, self._settings, job, pure=False, retries=0)
        self._jobs[future] = job
        self._done.add(future)

    def next(self) -> tuple[Job, Graded | Exception]:
        """Wait for a judge; the job and what came of it."""
        while not self._done.has_ready():
            self._refuse_to_wait_for_nobody()
            time.sleep(TICK)
        future = next(self._done)
        job = self._jobs.pop(future)
        try:
            return job, future.result()
        except CancelledError as error:  # with its scheduler, as all others are
            raise GraderError(
                f"The Dask scheduler at {self._address} has gone. What is graded is kept: "
                "start it, and give the command again."
            ) from error
        except Exception as error:  # what a judge itself cannot do, it returns
            return job, JudgeDied(f"the judge's worker ended ({type(error).__name__})")

    def _refuse_to_wait_for_nobody(self) -> None:
        if self._workers:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > WORKER_SECONDS:
            raise GraderError(
                f"The Dask scheduler at {self._address} has no worker. "
                f"Start one for each core: dask worker {self._address} --nthreads 1"
            )


_lock = Lock()  # a Dask worker may run several tasks at once; a judge hears one case after another


@cache
def _judge(settings: JudgeSettings) -> Grader:
    return make_grader(settings)


def _grade(settings: JudgeSettings, job: Job) -> Graded | Exception:
    """On a worker: grade with the judge that is kept there."""
    with _lock:
        try:
            return _judge(settings).grade(job)
        except Exception as error:
            return portable(error)
