"""nbgrader_config.py: what a new class begins with, and how one that was made earlier is brought up to date."""

from __future__ import annotations

import re

from grader.classroom.folder import Classroom
from grader.gradebook.converters import STUB
from grader.results import write_whole

EXPORTER = 'c.Autograde.exporter_class = "grader.gradebook.preprocessor.PatientExporter"'
CODE_STUB = f"c.ClearSolutions.code_stub = {{'python': {STUB!r}}}"
WATCH = """\
# Who changes a grade in formgrader, and from what, is kept: see 'grader history'.
from grader.gradebook.ours import watch  # noqa: E402

watch()"""
CONFIG = f'''\
"""nbgrader's settings for this class.

`nbgrader autograde` and formgrader's button grade as `grader autograde` does: one preprocessor reads a submission, runs
it in the sandbox, judges it outside, and writes results and gradebook. It checks and restores cells itself, because
nbgrader's own preprocessors stop at broken metadata.
"""

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = {{course!r}}
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = [
    "grader.gradebook.preprocessor.GradeInSandbox",
    "nbgrader.preprocessors.AssignLatePenalties",
]
c.Autograde.pre_convert_hook = "grader.gradebook.preprocessor.take_any_name"
{EXPORTER}

# What stands in place of an answer; the exercises' text speaks of it.
{CODE_STUB.replace("{", "{{").replace("}", "}}")}

# Seconds for one notebook, its cells and its tests together.
c.GradeInSandbox.wall_seconds = {{wall_seconds}}
'''
MOVED = {
    "grader.preprocessor.": "grader.gradebook.preprocessor.",
    "preprocessor.record_unreadable": "preprocessor.take_any_name",
}
ADDED = {"exporter_class": EXPORTER, "code_stub": CODE_STUB, "gradebook.ours": WATCH}


def _modern(text: str) -> str:
    for old, new in MOVED.items():
        text = text.replace(old, new)
    return text + "".join(f"\n{line}\n" for name, line in ADDED.items() if name not in text)


def dated(classroom: Classroom) -> list[str]:
    """Sentences on what of a class is older than this grader."""
    text = (classroom.root / "nbgrader_config.py").read_text(encoding="utf-8")
    loose = [stem for stem in classroom.stems() if classroom.exercise(stem).pinned is None]
    said = ["nbgrader_config.py was written by an earlier grader."] if _modern(text) != text else []
    return said + (
        [f"{', '.join(loose)}: graded by the course as it is checked out now, not as it was handed out."]
        if loose
        else []
    )


def modernise(classroom: Classroom) -> bool:
    """Bring nbgrader_config.py up to date, and keep what an instructor has written there; whether it had to be."""
    path = classroom.root / "nbgrader_config.py"
    text = path.read_text(encoding="utf-8")
    if (modern := _modern(text)) != text:
        write_whole(path, modern.encode())
    return modern != text


def set_late_days(classroom: Classroom, budget: int) -> None:
    """Give everybody days by which they may be late, over all exercises together."""
    path = classroom.root / "nbgrader_config.py"
    line = f"c.LateDays.budget = {budget}"
    text, found = re.subn(r"(?m)^c\.LateDays\.budget = .*$", line, path.read_text(encoding="utf-8"))
    comment = "# Days by which everybody may be late, over all exercises together."
    write_whole(path, (text if found else f"{text}\n{comment}\n{line}\n").encode())
