"""A judge's stand-in on a Dask worker: it waits as long as judging took, and says what was found then.

What it says lies in the class' folder: answers/STEM.pickle has works with what was found in them, answers/seconds how
long it waits.
"""

from __future__ import annotations

import hashlib
import pickle
import time
from functools import cache
from pathlib import Path

from msgspec import structs

from grader.classroom.job import Graded, Job
from grader.classroom.judge_process import JudgeSettings


def path_of(root: Path, stem: str) -> Path:
    return root / "answers" / f"{stem}.pickle"


@cache
def answers(root: Path, stem: str) -> dict[str, tuple[bytes, Graded]]:
    """Works and what was found, by the work's digest."""
    return pickle.loads(path_of(root, stem).read_bytes())


@cache
def seconds(root: Path) -> float:
    return float((root / "answers" / "seconds").read_text())


def digest(work: bytes) -> str:
    return hashlib.sha256(work).hexdigest()


def grade(settings: JudgeSettings, jobs: list[Job]) -> list[Graded]:
    """In place of `grader.classroom.cluster._grade`."""
    found = []
    for job in jobs:
        _, graded = answers(settings.root, settings.stem)[digest(job.content)]
        time.sleep(seconds(settings.root))
        found.append(of_student(graded, job.student, job.digest))
    return found


def of_student(graded: Graded, student: str, known: str) -> Graded:
    return Graded(structs.replace(graded.submission, student=student, digest=known), graded.notebook)
