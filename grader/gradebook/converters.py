"""Runs nbgrader's own converters on a class folder."""

from __future__ import annotations

import glob
import logging
import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import GraderError

if TYPE_CHECKING:
    from traitlets.config import Config

STUB = "# TODO: write your code here\nraise NotImplementedError()"


def generate_assignment(course: Path, stem: str, config: Config | None = None) -> None:
    """Make `release/STEM` of `source/STEM`. No gradebook is made or touched: see `gradebook.assignments`.

    Raises:
        GraderError: nbgrader refuses; with its reason.
    """
    from nbgrader.converters import GenerateAssignment
    from traitlets.config import Config

    settings = Config(config or {})
    settings.GenerateAssignment.no_database = True
    settings.SaveCells.enabled = False
    _convert(GenerateAssignment, course, stem, "*", settings)


def generate_feedback(course: Path, stem: str, student: str, config: Config | None = None) -> None:
    """Make `feedback/STUDENT/STEM/STEM.html` of the marked notebook and the gradebook.

    Raises:
        GraderError: nbgrader refuses; with its reason.
    """
    from nbgrader.converters import GenerateFeedback

    _convert(GenerateFeedback, course, stem, student, config)


def _convert(converter: type, course: Path, stem: str, student: str, config: Config | None) -> None:
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.utils import capture_log
    from traitlets.config import Config

    settings = Config()
    settings.ClearSolutions.code_stub = {"python": STUB}
    settings.merge(config or Config())
    named = student if student == "*" else glob.escape(student)  # nbgrader takes it for a pattern
    settings.CourseDirectory.update(root=str(course), assignment_id=stem, student_id=named)
    with nbgrader_environment(course):
        app = converter(coursedir=CourseDirectory(config=settings), config=settings)
        app.force = True
        result = capture_log(app)
    if not result["success"]:
        raise GraderError(f"nbgrader's {converter.__name__} refuses '{stem}': {_reason(result)}")


def _reason(result: dict) -> str:
    """The error at the bottom of a failure, by nbgrader's log."""
    log = result.get("log", "") + result.get("error", "")
    raised = re.findall(r"^\s*(?:\w+\.)*(\w+(?:Error|Exception|Entry): .*)", log, re.MULTILINE)
    return raised[0] if raised else "no reason given"


@contextmanager
def nbgrader_environment(folder: Path):
    """nbgrader works in the current folder and finds `alembic` on PATH; both are put back afterwards."""
    before, path = Path.cwd(), os.environ["PATH"]
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{path}"
    logging.getLogger("alembic").setLevel(logging.WARNING)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ["PATH"] = path
