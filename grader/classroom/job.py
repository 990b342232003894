"""Jobs for a judge's process, and its answers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.notebook import Ungradable, plain_name, read_notebook
from grader.results import Submission


@dataclass(frozen=True)
class Job:
    """A submission to grade.

    Attributes:
        content: the file; empty where `refused` says why it could not be read.
        digest: what the result will be known by.
        notes: what there is to say of the file.
        questions: to grade only these anew, on top of `earlier`.
    """

    student: str
    content: bytes
    digest: str
    refused: str = ""
    notes: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    earlier: Submission | None = None


@dataclass(frozen=True)
class Graded:
    """A result, and the marked notebook."""

    submission: Submission
    notebook: bytes


def job_of(path: Path, stem: str, student: str, rules: str) -> Job:
    """A file as it was handed in, known by itself and by the rules it is graded by."""
    content, refused, notes = b"", "", []
    try:
        content = read_notebook(path)
        if path.stem != stem:
            notes = [f"제출한 파일의 이름이 {plain_name(path.name)}입니다. {stem}.ipynb로 보고 채점했습니다."]
    except Ungradable as found:
        refused = found.reason
        others = [plain_name(other.name) for other in sorted(path.parent.glob("*.ipynb")) if other != path]
        refused = f"{refused} 있는 노트북: {', '.join(others[:5])}" if others else refused
    digest = hashlib.sha256(content or refused.encode()).hexdigest()[:32]
    return Job(student, content, f"{digest}-{rules}", refused, notes=notes)


def of_group(job: Job, group: str, author: str) -> Job:
    """A group's work: the result says so, and is another where group or author is."""
    said = f"조별 제출({group}): {author} 학생이 낸 것을 채점했습니다."
    mark = hashlib.sha256(said.encode()).hexdigest()[:8]
    return replace(job, notes=[said, *job.notes], digest=f"{job.digest}-{mark}")
