"""`check` with hints in English: what an English notebook opens with."""

from grader.student.check import check as _check
from grader.words import ENGLISH


def check(stem: str, question: str | None = None) -> None:
    """Check one question (or all) of this notebook, and show the points, the reasons and what to read."""
    _check(stem, question, ENGLISH)
