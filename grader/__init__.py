"""The autograder of "Transformers, attentively"."""

from grader.student.check import check

__all__ = ["check"]
