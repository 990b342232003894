"""Makes a class folder for nbgrader, and brings one up to date with the exercises."""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from grader.classroom.folder import Classroom
from grader.classroom.settings import CONFIG, WATCH
from grader.classroom.sharing import share
from grader.classroom.update import Change, Update
from grader.errors import GraderError
from grader.exercise import Exercise, find_exercise
from grader.results import sweep, write_whole
from grader.sandbox.limits import Limits
from grader.words import KOREAN


def make_class(
    root: Path,
    exercises: list[Exercise],
    book_url: str | None,
    wall_seconds: float = Limits.wall,
    language: str = KOREAN,
    group: str | None = None,
) -> None:
    """Make a class folder.

    Args:
        book_url: where students read the book; hints link there.
        wall_seconds: how long one notebook may take.
        language: of the folder's own notebooks; students hand in whichever they like.
        group: of this machine's users: who is in it works there as well. You alone, without.

    Raises:
        GraderError: `root` holds something, nbgrader could not work there, or you cannot give it to the group.
    """
    if root.is_file() or root.is_dir() and any(root.iterdir()):
        raise GraderError(f"{root} is not empty. Choose another folder; for an existing class, add --update.")
    if unfit := set(str(root.resolve())) & set("[]*?+%#"):
        raise GraderError(f"nbgrader cannot work in a folder whose path holds {' '.join(sorted(unfit))}")
    beside = root.resolve().with_name(f".{root.resolve().name}.{os.getpid()}")
    sweep(beside.parent.glob(f"{glob.escape(beside.stem)}.*"))
    try:
        for folder in ("source", "release", "submitted"):
            (beside / folder).mkdir(parents=True)
        config = CONFIG.format(course=root.resolve().name, wall_seconds=wall_seconds) + WATCH
        write_whole(beside / "nbgrader_config.py", config.encode())
        update_class(Classroom.open(beside), exercises, book_url, language=language)
        # On a machine that students use, too, it holds solutions and others' work.
        if group:
            share(beside, group)
        else:
            beside.chmod(0o700)
        os.rename(beside, root)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def update_class(
    classroom: Classroom,
    exercises: list[Exercise],
    book_url: str | None,
    agree: Callable[[list[Change]], bool] = lambda changes: True,
    language: str | None = None,
) -> list[Change]:
    """Add exercises to a class, or bring them up to date; without any, all that the class has.

    Args:
        book_url: the one that the class has if None.
        agree: asked with what would change, before anything is.
        language: of the folder's own notebooks; the one that they have if None.

    Returns:
        What has changed.

    Raises:
        GraderError: the gradebook or nbgrader refuses; the class is as it was.
    """
    with Update(classroom, exercises or course_exercises(classroom), book_url, language) as update:
        if update.changes:
            if not agree(update.changes):
                return []
            update.apply()
    classroom.secret  # noqa: B018  made here, so that a class which is copied keeps its hidden inputs
    return update.changes


def course_exercises(classroom: Classroom) -> list[Exercise]:
    """The class' exercises as the course has them now."""
    return [find_exercise(stem) for stem in classroom.stems()]
