"""Makes a class folder for nbgrader, and brings one up to date with the exercises."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import nbformat

from grader.authoring.build import instructor_notebook, write_checks
from grader.authoring.release import link_book
from grader.classroom.folder import Classroom
from grader.errors import GraderError
from grader.exercise import BOOK_URL_FILE, Exercise, find_exercise
from grader.gradebook.converters import generate_assignment
from grader.results import write_whole

CONFIG = '''\
"""nbgrader's settings for this class.

`nbgrader autograde` and formgrader's button grade as `grader autograde` does: one preprocessor reads a submission, runs
it in the sandbox, judges it outside, and writes results and gradebook. It checks and restores cells itself, because
nbgrader's own preprocessors stop at broken metadata.
"""

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = {course!r}
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = [
    "grader.gradebook.preprocessor.GradeInSandbox",
    "nbgrader.preprocessors.AssignLatePenalties",
]
c.Autograde.pre_convert_hook = "grader.gradebook.preprocessor.record_unreadable"

# Seconds for one notebook, its cells and its tests together.
c.GradeInSandbox.wall_seconds = {wall_seconds}
'''


def make_class(root: Path, exercises: list[Exercise], book_url: str | None, wall_seconds: float = 60) -> None:
    """Make a class folder.

    Args:
        book_url: where students read the book; hints link there.
        wall_seconds: how long one notebook may take.

    Raises:
        GraderError: `root` holds something, or nbgrader could not work there.
    """
    if root.is_file() or root.is_dir() and any(root.iterdir()):
        raise GraderError(f"{root} is not empty. Choose another folder; for an existing class, add --update.")
    if unfit := set(str(root.resolve())) & set("[]*?+%#"):
        raise GraderError(f"nbgrader cannot work in a folder whose path holds {' '.join(sorted(unfit))}")
    beside = root.resolve().with_name(f".{root.resolve().name}.{os.getpid()}")
    try:
        for folder in ("source", "release", "submitted"):
            (beside / folder).mkdir(parents=True)
        config = CONFIG.format(course=root.resolve().name, wall_seconds=wall_seconds)
        write_whole(beside / "nbgrader_config.py", config.encode())
        update_class(Classroom.open(beside), exercises, book_url)
        os.rename(beside, root)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def update_class(classroom: Classroom, exercises: list[Exercise], book_url: str | None) -> None:
    """Add exercises to a class, or bring them up to date; without any, all that the class has.

    Args:
        book_url: the one that the class has if None.

    Raises:
        GraderError: an exercise asks other questions than before, and there are submissions.
    """
    for exercise in exercises or [find_exercise(stem) for stem in classroom.stems()]:
        folder = classroom.root / "source" / exercise.stem
        said = folder / BOOK_URL_FILE
        url = book_url or (said.read_text(encoding="utf-8").strip() if said.exists() else None)
        notebook = nbformat.writes(instructor_notebook(exercise)) + "\n"
        write_whole(folder / f"{exercise.stem}.ipynb", notebook.encode())
        write_checks(exercise, folder)
        link_book(folder, url.rstrip("/") if url else None)
        generate_assignment(classroom.root, exercise.stem, classroom.config)
    classroom.secret  # noqa: B018  made here, so that a class which is copied keeps its hidden inputs
