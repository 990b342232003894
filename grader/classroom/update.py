"""Brings a class' exercises up to date with the course: first what would change, made beside, then the change."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from grader.authoring.build import instructor_notebook, translated
from grader.authoring.built import write_checks_of
from grader.authoring.ladder import text_in
from grader.authoring.release import link_book
from grader.classroom.batch import alone
from grader.classroom.folder import Classroom
from grader.classroom.pin import digest, english_text, files, pin, pinned_english_text, rules_digest
from grader.errors import GraderError
from grader.exercise import BOOK_URL_FILE, Exercise
from grader.gradebook.assignments import entering, known
from grader.gradebook.converters import generate_assignment
from grader.notebook import CHECK_PREFIX, Template
from grader.results import write_whole
from grader.translation.voices import voices
from grader.words import ENGLISH, Words

ROOMS = ("source", "release", "course")
REMOVED = "is REMOVED"
BESIDE, OLD = ".update.", ".before-update."


@dataclass
class Change:
    """The change that an update makes to one exercise.

    Attributes:
        parts: what of it differs, in words.
        anew: how many results the next `grader autograde` makes anew.
        new: the class does not have it yet.
    """

    stem: str
    new: bool = False
    parts: list[str] = field(default_factory=list)
    anew: int = 0

    def __str__(self) -> str:
        graded = f"{self.anew} graded submissions will be graded anew" if self.anew else "no grade is touched"
        return f"{self.stem}: {'; '.join(self.parts)}; {graded}."


class Update:
    """An update of a class, made beside it. Use it as a context: what is not applied is thrown away.

    Args:
        book_url: the one that the class has if None.
        language: of the class' own notebooks; the one that they have if None.

    Attributes:
        changes: what would change, for exercises that differ.
    """

    def __init__(
        self,
        classroom: Classroom,
        exercises: list[Exercise],
        book_url: str | None,
        language: str | None = None,
    ):
        self._classroom, self._language = classroom, language
        self._exercises, self._url = exercises, book_url.rstrip("/") if book_url else None
        self._beside = classroom.root / f"{BESIDE}{os.getpid()}"
        self._known = known(classroom.database)
        self.changes: list[Change] = []

    def __enter__(self) -> Update:
        self._tidy()
        try:
            for exercise in self._exercises:
                if change := self._prepare(exercise):
                    self.changes.append(change)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._beside, ignore_errors=True)

    def _tidy(self) -> None:
        """Put back what an update that was killed had taken away, and throw the rest of it away."""
        root = self._classroom.root
        for old in root.glob(f"{OLD}*"):
            for path in old.glob("*/*"):
                place = root / path.relative_to(old)
                if not place.exists():
                    os.rename(path, place)
        for left in [*root.glob(f"{OLD}*"), *root.glob(f"{BESIDE}*")]:
            shutil.rmtree(left, ignore_errors=True)

    def apply(self) -> None:
        """Put what was made in its place, files and gradebook: all of it or nothing.

        Raises:
            GraderError: the gradebook cannot be written, or the class is being graded.
        """
        stems = [change.stem for change in self.changes]
        released = {stem: self._beside / "release" / stem / f"{stem}.ipynb" for stem in stems}
        old = self._classroom.root / f"{OLD}{os.getpid()}"
        moved: list[tuple[Path, Path]] = []
        classroom = self._classroom
        course = classroom.config.CourseDirectory.get("course_id", "default_course")
        gradebook = classroom.root / "gradebook.db"
        if any(REMOVED in part for change in self.changes for part in change.parts) and gradebook.exists():
            shutil.copyfile(
                gradebook, gradebook.with_name(f"gradebook.before-{time.strftime('%Y%m%d-%H%M%S')}.db")
            )
        try:
            with ExitStack() as stack:
                for change in self.changes:
                    if not change.new:
                        stack.enter_context(alone(classroom, change.stem))
                stack.enter_context(entering(classroom.database, course, released, classroom.root))
                for stem in stems:
                    for room in ROOMS:
                        place = classroom.root / room / stem
                        place.parent.mkdir(exist_ok=True)
                        if place.exists():
                            self._move(place, old / room / stem, moved)
                        self._move(self._beside / room / stem, place, moved)
        except BaseException:
            for place, taken_to in reversed(moved):
                os.rename(taken_to, place)
            raise
        finally:
            shutil.rmtree(old, ignore_errors=True)

    def _move(self, path: Path, to: Path, moved: list[tuple[Path, Path]]) -> None:
        to.parent.mkdir(parents=True, exist_ok=True)
        os.rename(path, to)
        moved.append((path, to))

    def _prepare(self, exercise: Exercise) -> Change | None:
        """Make the exercise beside the class; what would change, or None."""
        classroom, stem = self._classroom, exercise.stem
        there = stem in classroom.stems()
        before = classroom.exercise(stem) if there else None
        source = classroom.root / "source" / stem
        said = source / BOOK_URL_FILE
        link = said.read_text(encoding="utf-8").strip() if said.exists() else None
        url = self._url or link
        has = classroom.language(stem if there else None)
        language = self._language or has
        change = Change(stem, new=not there)
        if not there:
            change.parts = ["new in this class"]
        else:
            change.parts = _differences(before, exercise)
            if language == ENGLISH and pinned_english_text(before) != english_text(stem):
                change.parts.append("another English text")
        if there and language != has:
            change.parts.append(f"its notebook will be {'English' if language == ENGLISH else 'Korean'}")
        if there and url != link:
            change.parts.append(f"links lead to {url}")
        added = _added(source / f"{stem}.ipynb", before)
        if there:
            change.parts += self._astray(before, added)
        if not change.parts:
            return None
        self._make(exercise, url, language, added)
        template = Template.read(self._beside / "release" / stem / f"{stem}.ipynb")
        if there:
            change.parts += _questions(classroom.template(stem), template)
            rules = digest(exercise, template)
            if rules != rules_digest(classroom, stem):
                change.anew = sum(classroom.result(stem, s) is not None for s in classroom.students(stem))
        return change

    def _astray(self, before: Exercise, added: list[tuple[str, NotebookNode]]) -> list[str]:
        """Deviations of a class' exercise from what the last update left, in words."""
        classroom, stem = self._classroom, before.stem
        if not (classroom.released(stem) / f"{stem}.ipynb").exists():
            return ["its release is missing"]
        template = classroom.template(stem)
        by_hand = {_grade_id(cell) for _, cell in added if _by_hand(cell)}
        parts = [] if stem in self._known else ["the gradebook does not know it yet"]
        parts += ["questions that you grade by hand"] if by_hand != template.manual.keys() else []
        left = classroom.root / "course" / stem / "release.ipynb"
        if left.exists() and digest(before, Template.read(left, stem)) != digest(before, template):
            parts.append("its release was changed")
        return parts

    def _make(
        self, exercise: Exercise, url: str | None, language: str, added: list[tuple[str, NotebookNode]]
    ) -> None:
        stem = exercise.stem
        folder = self._beside / "source" / stem
        pin(exercise, self._beside / "course" / stem)
        notebook = instructor_notebook(exercise)
        if language == ENGLISH:
            notebook = translated(notebook, text_in(exercise, ENGLISH), ENGLISH)
        for behind, cell in added:
            places = [n for n, other in enumerate(notebook.cells, 1) if other.id == behind]
            notebook.cells.insert(places[-1] if places else len(notebook.cells), cell)
        write_whole(folder / f"{stem}.ipynb", (nbformat.writes(notebook) + "\n").encode())
        write_checks_of(exercise, folder)
        link_book(folder, url, Words({}, language))
        generate_assignment(self._beside, stem, self._classroom.config)
        shutil.copyfile(
            self._beside / "release" / stem / f"{stem}.ipynb",
            self._beside / "course" / stem / "release.ipynb",
        )


def _differences(before: Exercise, now: Exercise) -> list[str]:
    """The files of an exercise that differ, in words."""

    def code(exercise: Exercise) -> list[str]:
        lines = exercise.source.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line[:1] != "#"]

    def changed(number: int) -> bool:
        return files(before)[number].read_bytes() != files(now)[number].read_bytes()

    parts = []
    if changed(0):
        parts.append("other answers or given code" if code(before) != code(now) else "another text")
    parts += ["other tests"] if changed(1) else []
    parts += ["other named mistakes"] if changed(2) else []
    parts += ["other translations"] if voices(before)[ENGLISH].texts != voices(now)[ENGLISH].texts else []
    return parts


def _questions(before: Template, now: Template) -> list[str]:
    """Questions that come, go, or are worth something else."""

    def worth(template: Template) -> dict[str, float]:
        return {
            name.removeprefix(CHECK_PREFIX): float(cell["metadata"]["nbgrader"]["points"])
            for name, cell in {**template.checks, **template.manual}.items()
        }

    old, new = worth(before), worth(now)
    return [
        *(f"question {name} is added ({new[name]:g})" for name in new if name not in old),
        *(
            f"question {name} {REMOVED}, with its points (the gradebook is copied first)"
            for name in old
            if name not in new
        ),
        *(
            f"{name}: {old[name]:g} -> {points:g} points"
            for name, points in new.items()
            if name in old and old[name] != points
        ),
    ]


def _added(source: Path, before: Exercise | None) -> list[tuple[str, NotebookNode]]:
    """The cells that an instructor has added to `source/`, each with the id of the cell of ours that it stands behind."""
    if before is None or not source.exists():
        return []
    try:
        cells = nbformat.read(source, as_version=4).cells
    except Exception as error:
        raise GraderError(
            f"{source} cannot be read ({type(error).__name__}). Mend it or remove it."
        ) from error
    ours = set()
    with suppress(GraderError):  # of a class older than pinning the course may have moved on
        ours = {cell.id for cell in instructor_notebook(before).cells}
    found, behind = [], ""
    for cell in cells:
        if cell.get("id") in ours:
            behind = cell.id
        elif _by_hand(cell) or ours:
            found.append((behind, cell))
    return found


def _by_hand(cell: NotebookNode) -> bool:
    about = cell.metadata.get("nbgrader", {})
    return bool(about.get("task") or about.get("grade") and about.get("solution"))


def _grade_id(cell: NotebookNode) -> str:
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")
