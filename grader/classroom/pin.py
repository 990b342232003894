"""What a class is graded by: the course's files as they were when the class received them, kept in its folder.

`CLASS/course/STEM/` holds an exercise's solution (and text), suite, misconceptions, what these were observed to do, and
what all of it says in English.
A change of the course reaches a class by `grader new-class DIR --update` alone.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import msgspec

from grader.classroom.folder import Classroom
from grader.exercise import Exercise, words_file
from grader.notebook import Template
from grader.results import write_whole
from grader.words import ENGLISH

# Raise it by hand where a change of the grader may change scores: every class is then graded anew.
JUDGING = 1


def pin(exercise: Exercise, folder: Path) -> Exercise:
    """Keep an exercise's files in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    copy = Exercise(exercise.stem, folder)
    for ours, theirs in zip(files(exercise), files(copy), strict=True):
        shutil.copyfile(ours, theirs)
    write_whole(folder / "mistakes.json", msgspec.json.encode(exercise.mistakes))
    write_whole(folder / words_file(ENGLISH), msgspec.json.encode(exercise.voices[ENGLISH].texts))
    return copy


def files(exercise: Exercise) -> list[Path]:
    return [exercise.source, exercise.suite_path, exercise.bank_path]


def rules_digest(classroom: Classroom, stem: str) -> str:
    """What a submission is graded by."""
    return digest(classroom.exercise(stem), classroom.template(stem))


def digest(exercise: Exercise, template: Template) -> str:
    """Of the exercise's code (its text decides nothing) and of the cells that are ours."""
    code = [line for line in exercise.source.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    suite, bank = (path.read_bytes() for path in files(exercise)[1:])
    ours = [(name, cell["cell_type"], cell["source"]) for name, cell in template.locked.items()]
    graded = {**template.checks, **template.manual}
    points = [(name, float(cell["metadata"]["nbgrader"]["points"])) for name, cell in graded.items()]
    parts = [str(JUDGING), "\n".join(code), repr(sorted(ours)), repr(sorted(points))]
    found = hashlib.sha256()
    for part in [*(part.encode("utf-8", "replace") for part in parts), suite, bank]:
        found.update(hashlib.sha256(part).digest())
    return found.hexdigest()[:32]
