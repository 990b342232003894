"""The autograder of "Transformers, attentively"."""

from grader.check import check

__all__ = ["check"]
