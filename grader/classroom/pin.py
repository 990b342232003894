"""The files that a class is graded by: the course's as they were when the class received them, kept in its folder.

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
from grader.translation.catalogue import Catalogue
from grader.translation.voices import voices
from grader.words import ENGLISH, KOREAN, OPENINGS

# Raise it by hand where a change of the grader may change scores: every class is then graded anew.
JUDGING = 1


def pin(exercise: Exercise, folder: Path) -> Exercise:
    """Keep an exercise's files in `folder`."""
    from grader.authoring.built import (
        mistakes_of,
    )  # loads torch, which whoever only asks for a digest does without

    folder.mkdir(parents=True, exist_ok=True)
    copy = Exercise(exercise.stem, folder)
    for ours, theirs in zip(files(exercise), files(copy), strict=True):
        shutil.copyfile(ours, theirs)
    write_whole(folder / "mistakes.json", msgspec.json.encode(mistakes_of(exercise)))
    write_whole(folder / words_file(ENGLISH), msgspec.json.encode(voices(exercise)[ENGLISH].texts))
    write_whole(folder / f"text.{ENGLISH}.json", msgspec.json.encode(english_text(exercise.stem)))
    return copy


def english_text(stem: str) -> dict[str, str]:
    """English of a notebook's text cells, as the course has it now."""
    return Catalogue(ENGLISH, f"exercises/{stem}").texts


def pinned_english_text(exercise: Exercise) -> dict[str, str]:
    """The same as it was when a class received it; nothing in a class older than this."""
    path = exercise.suite_path.with_name(f"text.{ENGLISH}.json")
    return msgspec.json.decode(path.read_bytes(), type=dict[str, str]) if path.exists() else {}


def files(exercise: Exercise) -> list[Path]:
    return [exercise.source, exercise.suite_path, exercise.bank_path]


def rules_digest(classroom: Classroom, stem: str) -> str:
    """A digest of the files that a submission is graded by."""
    return digest(classroom.exercise(stem), classroom.template(stem))


def digest(exercise: Exercise, template: Template) -> str:
    """Of the exercise's code (its text decides nothing) and of the cells that are ours."""
    code = [line for line in exercise.source.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    suite, bank = (path.read_bytes() for path in files(exercise)[1:])
    same = dict.fromkeys(OPENINGS.values(), OPENINGS[KOREAN])  # in whichever language it opens
    ours = [
        (name, cell["cell_type"], same.get(cell["source"], cell["source"]))
        for name, cell in template.locked.items()
    ]
    graded = {**template.checks, **template.manual}
    points = [(name, float(cell["metadata"]["nbgrader"]["points"])) for name, cell in graded.items()]
    parts = [str(JUDGING), "\n".join(code), repr(sorted(ours)), repr(sorted(points))]
    found = hashlib.sha256()
    for part in [*(part.encode("utf-8", "replace") for part in parts), suite, bank]:
        found.update(hashlib.sha256(part).digest())
    return found.hexdigest()[:32]
