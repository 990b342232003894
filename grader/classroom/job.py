"""What goes to a judge's process and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field

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
