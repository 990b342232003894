"""Commands for instructors, one module for each stretch of a semester, in its order: help lists them so."""

from grader.cli.instructors import handout, grading, people, watching, handback, results, machine  # noqa: F401  # isort: skip
