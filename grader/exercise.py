"""The places of an exercise's parts.

A stem names the same exercise in every room of the repository. A student has only the folder
`exercises/<stem>` (or a bundle's copy of it): the notebook, the public tests and the observed mistakes.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from grader.errors import GraderError
from grader.words import Words

if TYPE_CHECKING:
    from grader.judging.mistakes import Mistake
    from grader.judging.suite import Local, Suite

ROOT = Path(__file__).parent.parent
PACKAGES = {"course_data": ROOT / "data"}  # what a notebook may import beside the installed libraries
OURS = ("grader", "solutions", *PACKAGES)
BOOK_URL = "http://localhost:8000"
BOOK_URL_FILE, HINTS_FILE = "book_url.txt", "hints.txt"
AT_HOME_TAG = "at-home"  # of given cells that train or show something, and that grading leaves out
HINTS = 3  # what is wrong; how to mend it; other numbers to work by hand


# What loads torch is imported late: to know where an exercise lies takes no second.
@dataclass(frozen=True)
class Exercise:
    """An exercise with its answers: the repository's, or what a class was handed out with.

    Attributes:
        pinned: the folder of a class' own copies (see `grader.classroom.pin`); None for the repository's files.
    """

    stem: str
    pinned: Path | None = None

    @property
    def source(self) -> Path:
        return self.pinned / "solution.py" if self.pinned else ROOT / "solutions" / f"{self.stem}.py"

    @property
    def folder(self) -> Path:
        return ROOT / "exercises" / self.stem

    @property
    def suite_path(self) -> Path:
        return (
            self.pinned / "suite.py" if self.pinned else ROOT / "grader" / "suites" / f"test_{self.stem}.py"
        )

    @property
    def bank_path(self) -> Path:
        return (
            self.pinned / "bank.py" if self.pinned else ROOT / "grader" / "misconceptions" / f"{self.stem}.py"
        )

    @property
    def answers(self) -> str:
        """The reference as grading runs it: without the cells that train or show something at home."""
        cells = re.split(r"^(?=# %%)", self.source.read_text(encoding="utf-8"), flags=re.MULTILINE)
        return "".join(cell for cell in cells if AT_HOME_TAG not in cell.partition("\n")[0])

    def missing(self) -> list[Path]:
        """Files that an author still has to write."""
        chapter = ROOT / "chapters" / f"{self.stem}.md"
        return [path for path in (self.source, self.suite_path, self.bank_path, chapter) if not path.exists()]

    @property
    def libraries(self) -> tuple[str, ...]:
        """Installed libraries that its notebooks load, "module" or "module:name".

        A suite's own imports are the judge's; those within its functions are for the student's side.
        """
        found: dict[str, None] = {}
        for path, everything in ((self.source, True), (self.suite_path, False)):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and (everything or node.col_offset):
                    found.update(dict.fromkeys(f"{node.module}:{alias.name}" for alias in node.names))
                elif isinstance(node, ast.Import) and (everything or node.col_offset):
                    found.update(dict.fromkeys(alias.name for alias in node.names))
        return tuple(name for name in found if name.partition(":")[0].partition(".")[0] not in OURS)

    @cached_property
    def names(self) -> dict[str, Any]:
        """The reference's names."""
        if self.pinned:
            from grader.judging.suite import load_module

            return vars(load_module(self.source, f"handed_out_{self.stem}"))
        # No wheel holds solutions/: a student's installation must not be able to import an answer.
        if str(ROOT) not in sys.path:
            sys.path.insert(0, str(ROOT))
        return vars(importlib.import_module(f"solutions.{self.stem}"))

    @cached_property
    def reference(self) -> Local:
        from grader.judging.suite import Local

        return Local(self.names)

    @cached_property
    def suite(self) -> Suite:
        from grader.judging.suite import load_suite

        return load_suite(self.suite_path, self.stem)

    @cached_property
    def bank(self) -> dict:
        from grader.judging.mistakes import load_bank

        return load_bank(self.bank_path, self.stem)

    @cached_property
    def mistakes(self) -> list[Mistake]:
        from grader.judging.mistakes import Mistake, record

        if self.pinned:
            return msgspec.json.decode((self.pinned / "mistakes.json").read_bytes(), type=list[Mistake])
        return record(self.suite, self.bank, self.names)


@dataclass(frozen=True)
class PublicExercise:
    """An exercise as a student has it."""

    folder: Path

    @property
    def stem(self) -> str:
        return self.folder.name

    @property
    def notebook(self) -> Path:
        return self.folder / f"{self.stem}.ipynb"

    @property
    def solution(self) -> Path | None:
        """The course's answers, where the folder is a repository's `exercises/STEM`; no bundle has any."""
        room = self.folder.resolve().parent
        path = room.with_name("solutions") / f"{self.stem}.py"
        return path if room.name == "exercises" and path.is_file() else None

    @property
    def book_url(self) -> str:
        """The book's address: what the environment says, or the bundle, or in a checkout the book served there.

        Empty where nobody has said.
        """
        said = self.folder / BOOK_URL_FILE
        served = BOOK_URL if self.folder.resolve().is_relative_to(ROOT / "exercises") else ""
        at_hand = said.read_text(encoding="utf-8").strip() if said.exists() else served
        return os.environ.get("COURSE_BOOK_URL", at_hand)

    @property
    def hints(self) -> int:
        """The number of hints that a check tells: all, or as many as whoever made the bundle has said."""
        said = self.folder / HINTS_FILE
        return int(said.read_text(encoding="utf-8")) if said.exists() else HINTS

    @cached_property
    def suite(self) -> Suite:
        from grader.judging.suite import load_suite

        return load_suite(self.folder / "checks.py", self.stem)

    @cached_property
    def mistakes(self) -> list[Mistake]:
        from grader.judging.mistakes import Mistake

        return msgspec.json.decode((self.folder / "mistakes.json").read_bytes(), type=list[Mistake])

    def words(self, language: str) -> Words:
        """The words of a check in a language: the exercise's own, and those that the package brings for all."""
        own = words_in(self.folder, language)
        return (
            Words({**words_in(Path(__file__).parent, language).texts, **own.texts}, language)
            if own.texts
            else own
        )


def words_file(language: str) -> str:
    return f"words.{language}.json"


def words_in(folder: Path, language: str) -> Words:
    """The translations that lie in a folder; without any, only the book is in the language."""
    path = folder / words_file(language)
    texts = msgspec.json.decode(path.read_bytes(), type=dict[str, str]) if path.exists() else {}
    return Words(texts, language)


def all_exercises() -> list[Exercise]:
    """The repository's exercises.

    Raises:
        GraderError: this is a student's installation, which has no solutions.
    """
    found = sorted(path.stem for path in (ROOT / "solutions").glob("[a-z]*.py"))
    if not found:
        raise GraderError(
            "No solutions here. Go to a checkout of the course and say 'python -m grader' there, in an environment as 'make' installs it."
        )
    return [Exercise(stem) for stem in found]


def find_exercise(stem: str) -> Exercise:
    """One exercise of the repository.

    Raises:
        GraderError: there is none of that name.
    """
    known = {exercise.stem: exercise for exercise in all_exercises()}
    if stem not in known:
        raise GraderError(f"No exercise '{stem}'. There are: {', '.join(known)}.")
    return known[stem]


def find_public(stem: str, start: Path) -> PublicExercise:
    """The student's folder of an exercise: `start` itself, or below it or one of its parents.

    Raises:
        GraderError: there is no such folder.
    """
    start = start.resolve()
    for base in (start, *start.parents):
        for folder in (base, base / stem, base / "exercises" / stem):
            if folder.name == stem and (folder / "checks.py").exists():
                return PublicExercise(folder)
    if (ROOT / "exercises" / stem / "checks.py").exists():
        return PublicExercise(ROOT / "exercises" / stem)
    raise GraderError(
        f"'{stem}' 연습 폴더를 찾지 못했습니다. 내려받은 꾸러미 안에서 실행해 주십시오 (checks.py가 있는 폴더). "
        f"/ No folder of the exercise '{stem}'. Run this inside the bundle that you received (where checks.py lies)."
    )
