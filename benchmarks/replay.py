"""A judge's stand-in on a Dask worker: it waits as long as judging took, and says what was found then.

What it says lies in the class' folder, for each exercise in answers/STEM.pickle: the work, what was found and the
seconds, by the work's digest.
"""

from __future__ import annotations

import hashlib
import pickle
import time
from functools import cache
from pathlib import Path

from msgspec import structs

from grader.classroom.job import Graded, Job
from grader.classroom.judges import JudgeSettings

Answers = dict[str, tuple[bytes, Graded, float]]


def path_of(root: Path, stem: str) -> Path:
    return root / "answers" / f"{stem}.pickle"


@cache
def answers(root: Path, stem: str) -> Answers:
    return pickle.loads(path_of(root, stem).read_bytes())


def digest(work: bytes) -> str:
    return hashlib.sha256(work).hexdigest()


def grade(settings: JudgeSettings, job: Job) -> Graded:
    """In place of `grader.classroom.cluster._grade`."""
    _, graded, seconds = answers(settings.root, settings.stem)[digest(job.content)]
    time.sleep(seconds)
    return Graded(structs.replace(graded.submission, student=job.student, digest=job.digest), graded.notebook)
