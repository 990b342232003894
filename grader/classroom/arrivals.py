"""Places where work comes in while somebody watches: a folder, a course, the class' own submitted/.

A folder is looked at again and again: no notice of changes crosses a network drive. What counts is whether a file has
changed between two looks, by this process' clock; a file's own date may be of another machine, or of last year.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
import zipfile
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from grader.classroom.archive import NOBODYS, key_of
from grader.classroom.collect import Collected, Spent, collect, take
from grader.classroom.connected import course_of
from grader.classroom.folder import Classroom
from grader.classroom.platforms.course import Task
from grader.classroom.recognise import Recognising
from grader.notebook import Ungradable, read_notebook

QUIET = 0.2  # seconds for which a whole file must not change
PATIENCE = 10.0  # seconds for one that breaks off: still on its way, or broken for good
UNFINISHED = (".part", ".partial", ".crdownload", ".download", ".filepart", ".opdownload", ".tmp", "~")
HIDDEN = (".", "~$")


class Source(Protocol):
    """A place where work comes in.

    Attributes:
        every: seconds to leave between two looks.
        moving: whether something is still on its way in.
    """

    every: float

    @property
    def moving(self) -> bool: ...

    def look(self) -> bool:
        """True if something has come in since it was last taken.

        Raises:
            GraderError, OSError: nobody can say; ask again later.
        """

    def take(self, classroom: Classroom, stem: str, spent: Spent) -> Collected:
        """Take what is there into submitted/."""

    def gradable(self, classroom: Classroom, stem: str, spent: Spent) -> list[str] | None:
        """Students whose work in submitted/ may be graded; None for all."""

    def forget(self) -> None:
        """Read anew, the next time, what has not changed as far as anybody can tell."""

    def again(self) -> None:
        """Something went wrong: count all as new."""


@dataclass
class _File:
    key: tuple[int, ...]
    since: float
    still: bool = False


class Still:
    """The files of a folder, of which those count that stand still."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic):
        self._folder, self._clock = folder, clock
        self._files: dict[str, _File] = {}
        self.fresh: set[Path] = set()  # come to stand still, for somebody to take out

    def look(self) -> bool:
        """True if a file has come to stand still since the last look."""
        now, before = self._clock(), self._files
        there = ((path, key, before.get(path)) for path, key in _files(str(self._folder)))
        self._files = {
            path: known if known and known.key == key else _File(key, now) for path, key, known in there
        }
        moving = {path: file for path, file in self._files.items() if not file.still}
        for path, file in moving.items():
            stood = now - file.since
            file.still = stood >= QUIET and (stood >= PATIENCE or _whole(Path(path)))
        new = {Path(path) for path, file in moving.items() if file.still}
        self.fresh |= new
        return bool(new)

    @property
    def paths(self) -> dict[Path, tuple[int, ...]]:
        """Those that stand still, with their keys."""
        return {Path(path): file.key for path, file in self._files.items() if file.still}

    @property
    def moving(self) -> bool:
        return not all(file.still for file in self._files.values())


def _files(folder: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Files below a folder, each with its key; also what nobody will read: links, pipes, folders that may not be entered.
    What goes away meanwhile is not there. In strings: of a large class this is most of what a watch does."""
    with suppress(FileNotFoundError), os.scandir(folder) as found:
        for entry in found:
            if entry.name.startswith(HIDDEN) or entry.name in NOBODYS:
                continue
            with suppress(FileNotFoundError):
                if entry.is_dir(follow_symlinks=False):
                    try:
                        yield from _files(entry.path)
                    except PermissionError:
                        yield entry.path, key_of(entry.stat(follow_symlinks=False))
                elif not entry.name.lower().endswith(UNFINISHED):
                    yield entry.path, key_of(entry.stat(follow_symlinks=False))


def _whole(path: Path) -> bool:
    """False for a notebook, or a zip, that breaks off, and for what is no plain file: opened, a pipe would keep us."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        if path.suffix.lower() == ".zip":
            return zipfile.is_zipfile(path)
        with open(path, "rb") as file:
            if not file.read(64).lstrip(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
                return ".ipynb" not in path.name.lower()
            file.seek(-min(64, os.fstat(file.fileno()).st_size), os.SEEK_END)
            if not file.read().rstrip().endswith(b"}"):
                return False
        msgspec.json.decode(path.read_bytes().removeprefix(b"\xef\xbb\xbf"), type=msgspec.Raw)
    except (OSError, msgspec.DecodeError):
        return False
    return True


class FilesBelow:
    """Files below a folder, looked at again and again."""

    every = 0.1

    def __init__(self, folder: Path):
        self._folder = folder
        self.again()

    @property
    def moving(self) -> bool:
        return self._files.moving

    def look(self) -> bool:
        return self._files.look()

    def forget(self) -> None:
        self._known = Recognising()

    def again(self) -> None:
        self._files = Still(self._folder)
        self.forget()


class FromFolder(FilesBelow):
    """A folder into which work is put under a platform's names: one of `collect.PLATFORMS`."""

    def __init__(self, folder: Path, kind: str):
        super().__init__(folder)
        self._kind = kind

    def take(self, classroom: Classroom, stem: str, spent: Spent) -> Collected:
        return collect(classroom, stem, self._folder, self._kind, self._files.paths, spent, self._known)

    def gradable(self, classroom: Classroom, stem: str, spent: Spent) -> None:
        return None


class Submitted(FilesBelow):
    """The class' own submitted/, into which others put work. What is there cannot be left out, so it is not graded."""

    def __init__(self, classroom: Classroom):
        super().__init__(classroom.root / "submitted")

    def take(self, classroom: Classroom, stem: str, spent: Spent) -> Collected:
        new, self._files.fresh = self._files.fresh, set()
        return self._those_in(new, classroom, stem, spent)

    def gradable(self, classroom: Classroom, stem: str, spent: Spent) -> list[str]:
        return self._those_in(self._files.paths, classroom, stem, spent).newer

    def _those_in(self, paths: Container[Path], classroom: Classroom, stem: str, spent: Spent) -> Collected:
        """Students whose notebook is one of these, told from those who have no try left."""
        found = Collected()
        for student in classroom.students(stem):
            if (path := classroom.submitted_notebook(stem, student)) not in paths:
                continue
            try:
                over = spent(student, hashlib.sha256(read_notebook(path)).digest())
            except Ungradable:  # grading says why, and it costs no try
                over = False
            (found.spent if over else found.newer).append(student)
        return found


class FromCourse:
    """The course that a class is connected to. A file is downloaded once."""

    every = 15.0
    moving = False

    def __init__(self, classroom: Classroom, stem: str, platform: str):
        self._classroom, self._stem, self._platform = classroom, stem, platform
        self.again()

    def look(self) -> bool:
        if self._task is None:
            self._course = course_of(self._classroom, self._platform)
            self._task = self._course.task(self._stem)
        self._there, before = self._course.traces(self._task), self._there
        return self._there != before

    def take(self, classroom: Classroom, stem: str, spent: Spent) -> Collected:
        origins = classroom.origins(stem).items()
        places = ((one.place.split(":"), one.attempt) for s, one in origins if _is_there(classroom, stem, s))
        known = {(place[1], attempt) for place, attempt in places if place[0] == self._course.kind}
        groups = set(classroom.groups(stem).values())
        return take(classroom, stem, self._course.handed(self._task, groups, known), "", spent)

    def gradable(self, classroom: Classroom, stem: str, spent: Spent) -> None:
        return None

    def forget(self) -> None:
        pass

    def again(self) -> None:
        self._task: Task | None = None
        self._there: object = None


def _is_there(classroom: Classroom, stem: str, student: str) -> bool:
    return classroom.submitted(stem, student).is_file()
