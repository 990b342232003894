"""nbgrader_config.py: what a new class begins with, and the line in it that commands change."""

from __future__ import annotations

import re

from grader.classroom.folder import Classroom
from grader.gradebook.converters import STUB
from grader.results import write_whole

CONFIG = f'''\
"""nbgrader's settings for this class.

`nbgrader autograde` and formgrader's button grade as `grader autograde` does: one preprocessor reads a submission, runs
it in the sandbox, judges it outside, and writes results and gradebook. It checks and restores cells itself, because
nbgrader's own preprocessors stop at broken metadata.
"""

from pathlib import Path

c = get_config()  # noqa: F821

# So that formgrader and nbgrader find it from wherever they run
c.CourseDirectory.root = str(Path(__file__).absolute().parent)
c.CourseDirectory.course_id = {{course!r}}
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = [
    "grader.classroom.preprocessor.GradeInSandbox",
    "nbgrader.preprocessors.AssignLatePenalties",
]
c.Autograde.pre_convert_hook = "grader.classroom.preprocessor.take_any_name"
c.Autograde.exporter_class = "grader.classroom.preprocessor.PatientExporter"

# What stands in place of an answer; the exercises' text speaks of it.
c.ClearSolutions.code_stub = {{{{'python': {STUB!r}}}}}

# Seconds for one notebook, its cells and its tests together.
c.GradeInSandbox.wall_seconds = {{wall_seconds}}
'''
WATCH = """
# Who changes a grade in formgrader, and from what, is kept: see 'grader history'.
from grader.gradebook.ours import watch  # noqa: E402

watch()
"""


def set_late_days(classroom: Classroom, budget: int) -> None:
    """Give everybody days by which they may be late, over all exercises together."""
    path = classroom.root / "nbgrader_config.py"
    line = f"c.LateDays.budget = {budget}"
    text, found = re.subn(r"(?m)^c\.LateDays\.budget = .*$", line, path.read_text(encoding="utf-8"))
    comment = "# Days by which everybody may be late, over all exercises together."
    write_whole(path, (text if found else f"{text}\n{comment}\n{line}\n").encode())
