"""Dates of an exercise in the course that a class is connected to, beside the class' own.

A platform has dates for all, for sections, groups and single students; the class has one date, and more time for some. Its
date becomes the earliest that counts for anybody.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo

from rich import box
from rich.table import Table
from rich.text import Text

from grader.classroom.enrol import known_of
from grader.classroom.folder import Classroom
from grader.classroom.lateness import settle_all
from grader.classroom.platforms.course import Course
from grader.classroom.scores import people_of
from grader.counted import counted
from grader.errors import GraderError
from grader.gradebook.register import Register
from grader.gradebook.times import days_between, later, local

NONE = timedelta()


@dataclass
class CourseDates:
    """Dates in the course that differ from those in the class.

    Attributes:
        due: in UTC without a zone; the class', and the course's.
        more: more time in the class and in the course, of those for whom it differs.
        left_out: what is said of people who stay as they are, and their ids.
    """

    stem: str
    due: tuple[datetime | None, datetime]
    more: dict[str, tuple[timedelta, timedelta]] = field(default_factory=dict)
    left_out: list[tuple[str, list[str]]] = field(default_factory=list)

    @property
    def differ(self) -> bool:
        return bool(self.more) or self.due[0] != self.due[1]

    def table(self, zone: tzinfo) -> Table:
        """The dates to enter, beside those that are there."""
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for name in ("", "in the class", "in the course"):
            table.add_column(name)
        before, then = self.due
        table.add_row(f"{self.stem} is due", local(before, zone) if before else "never", local(then, zone))
        for student, (ours, theirs) in self.more.items():
            until = local(later(then, theirs, zone), zone)
            table.add_row(Text(student), _days(ours), f"{_days(theirs)}, until {until}")
        return table

    def enter(self, classroom: Classroom) -> None:
        """Enter it in the class."""
        with Register(classroom.database) as register:
            register.set_due(self.stem, self.due[1])
            for student, (_, theirs) in self.more.items():
                register.extend(self.stem, student, theirs)
        settle_all(classroom)


def dates_in(classroom: Classroom, stem: str, course: Course) -> CourseDates:
    """Dates of an exercise in the course.

    Raises:
        GraderError: the platform does not answer, or has no date for anybody.
    """
    task = course.task(stem)
    known = known_of({one.number: one.claim for one in course.students()}, people_of(classroom))
    given = course.dates(task)
    own = {student for number, student in known.items() if number in given.own}
    dates = {
        student: given.of(number) for number, student in known.items() if given.for_all or student in own
    }
    dates = dict(sorted(dates.items()))
    if not any(dates.values()):
        raise GraderError(f"The course has no due date of {stem} for anybody whom the class knows.")
    with Register(classroom.database) as register:
        before, granted = register.due(stem), register.extensions(stem)
    found = CourseDates(stem, (before, due := min(filter(None, dates.values()))))
    kept = []
    for student, time in dates.items():
        ours, theirs = granted.get(student, NONE), days_between(due, time, classroom.zone) if time else NONE
        if ours != theirs and time and (theirs or student in own):
            found.more[student] = ours, theirs
        elif ours != theirs:
            kept.append(student)
    by_hand = [f"{known[number]} ({status})" for number, status in given.by_hand.items() if number in known]
    never = [student for student, time in dates.items() if time is None]
    found.left_out = [
        (said, who)
        for said, who in (
            ("never due in the course; say until when with --extend", never),
            ("lateness set by hand in the course; say it here with --extend or --handed-in", by_hand),
            ("more time in the class alone: it stays, take it back with --extend ID=0", kept),
        )
        if who
    ]
    return found


def _days(more: timedelta) -> str:
    return counted(more / timedelta(days=1), "more day")
