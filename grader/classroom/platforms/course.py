"""A course on a platform, as its interface shows it: what Canvas and Moodle have in common, and no more.

Who reads or writes a course (enrol.py, course_dates.py, course_grades.py, ...) knows this alone; a module for each platform
says how it is asked.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, BinaryIO, Protocol

from grader.classroom.platforms import Handed
from grader.errors import GraderError
from grader.gradebook.people import Claim


@dataclass(frozen=True)
class Member:
    """Somebody who takes part in a course.

    Attributes:
        number: the platform's own.
        id: the school's, "" where the token sees none.
        sections: names.
    """

    number: str
    name: str
    claim: Claim
    id: str = ""
    login: str = ""
    email: str = ""
    sections: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """An exercise's assignment in a course.

    Attributes:
        possible: its maximum; None where nobody says.
        kind: "" for points, or else what its grades are.
        published: students may see it.
        at_once: students see points and pages as soon as they are written.
        one_grade: a group has one grade, and no member another.
        about: what the platform says of it, for its own module.
    """

    number: str
    possible: float | None
    about: dict[str, Any]
    kind: str = ""
    published: bool = True
    at_once: bool = False
    one_grade: bool = False


@dataclass(frozen=True)
class Dates:
    """Due dates, in UTC without a zone; None for never.

    Attributes:
        common: for all who have no other; nobody else is to hand in where `for_all` is false.
        own: by the number of the person.
        by_hand: whose lateness somebody has set, by number, in the platform's word for it.
    """

    common: datetime | None
    own: dict[str, datetime | None]
    for_all: bool = True
    by_hand: dict[str, str] = field(default_factory=dict)

    def of(self, number: str) -> datetime | None:
        return self.own.get(number, self.common)


@dataclass
class Work:
    """One person's work on one assignment, and all that the course has beside it.

    Attributes:
        when: in UTC without a zone; None of who has not handed in.
        attempt: counted from 1, as the platform does.
        uploads: number and name of each file of the last attempt that was handed in; later ones have larger numbers.
        late: by the platform's own dates.
        points: as somebody, or a program, has entered them; "" for none.
        counted: what the platform makes of them, "" where it does not say.
        outdated: the points are of an earlier attempt.
        excused: no points are wanted.
        group: the number of the group in whose name it was handed in; "" for none.
        pages: names of the files that are feedback.
        sealed: what stands there can be seen or kept by no program; "" or the reason.
    """

    claim: Claim
    name: str
    when: datetime | None = None
    attempt: int | None = None
    uploads: list[tuple[int, str]] = field(default_factory=list)
    late: bool = False
    points: str = ""
    counted: str = ""
    outdated: bool = False
    excused: bool = False
    group: str = ""
    pages: list[str] = field(default_factory=list)
    sealed: str = ""


class Course(Protocol):
    """A course, as the owner of a token may see and change it. Whatever is asked of it may raise GraderError.

    Attributes:
        platform: its name, for people.
        kind: of the numbers by which it knows people, one of `people.UNIQUE`.
        head: headings of a table of its members, as `read_roster` knows them.
    """

    platform: str
    kind: str
    head: tuple[str, ...]

    def name(self) -> str:
        """The course's name; that it can be read proves address and token."""

    def lacks(self) -> list[str]:
        """Functions and rights that the token needs for all that is done here, and lacks, as far as the platform says."""

    def students(self) -> list[Member]:
        """Those who take part: not who has left, nor who teaches."""

    def task(self, stem: str) -> Task:
        """The assignment of an exercise: the one that is called so; capitals may differ if they must.

        Raises:
            GraderError: there is none, or several.
        """

    def dates(self, task: Task) -> Dates:
        """Due dates of an assignment."""

    def groups(self, task: Task) -> dict[str, str]:
        """Names of the groups that hand in together, by the number of each member."""

    def works(self, task: Task, pages: bool = False) -> dict[str, Work]:
        """The work of everybody in the course, also of those who have handed in nothing, by the number of the person.

        Args:
            pages: with the feedback that is there.
        """

    def deducts(self, task: Task) -> bool:
        """True if the platform itself takes points off for lateness."""

    def grade(self, task: Task, number: str, work: Work, points: str) -> None:
        """Enter points; nothing else changes.

        Raises:
            Refused: not of this one; others may go well.
        """

    def give(self, task: Task, number: str, work: Work, said: str, name: str, page: bytes) -> None:
        """Put one page of feedback beside an attempt; points stay as they are.

        Args:
            said: a sentence to go with it, where the platform has a place for it that nobody else uses.

        Raises:
            Refused: not to this one; others may go well.
        """

    def handed(
        self, task: Task, groups: set[str], known: Container[tuple[str, int]] = ()
    ) -> Iterator[Handed]:
        """Files of the last attempt of each that was handed in, as in the platform's own zip, and with their times.

        Args:
            groups: names of groups that the class knows.
            known: numbers of people and of a file of theirs, with which they have handed in nothing new.
        """

    def traces(self, task: Task) -> object:
        """Something that is equal to what it was before as long as nobody hands in."""


def called(found: list[dict], stem: str) -> dict:
    """The record of the name of an exercise.

    Raises:
        GraderError: there is none, or several.
    """
    names = [text(one, "name").strip() for one in found]
    same = [one for one, name in zip(found, names, strict=True) if name == stem] or [
        one for one, name in zip(found, names, strict=True) if name.casefold() == stem.casefold()
    ]
    if len(same) != 1:
        count = "several assignments" if same else "no assignment"
        raise GraderError(f"The course has {count} called {stem}. Give one of them, and only one, that name.")
    return same[0]


def once(content: Callable[[], bytes]) -> Callable[[], BinaryIO]:
    """Opens a file that is downloaded once, when it is first read."""
    kept: list[bytes] = []

    def read() -> BinaryIO:
        if not kept:
            kept.append(content())
        return io.BytesIO(kept[0])

    return read


def as_points(value: float | None) -> str:
    """Points as they are compared and shown; "" for none."""
    return "" if value is None else f"{value:g}"


def flat(name: str) -> str:
    """A name that is no path."""
    return name.replace("/", "_").replace("\\", "_")


def text(record: Any, name: str) -> str:
    """A value of a record as text; empty where there is none."""
    value = record.get(name) if isinstance(record, dict) else None
    return "" if value is None else str(value)
