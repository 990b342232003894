"""The course's answers on students' pages: none while anybody may still hand in."""

from __future__ import annotations

from datetime import datetime

from grader.classroom.folder import Classroom
from grader.errors import GraderError
from grader.gradebook.lateness import LatePolicy
from grader.gradebook.register import Register
from grader.gradebook.times import local
from grader.judging.answers import Answer, course_answers


def last_moment(classroom: Classroom, stem: str) -> datetime | None:
    """The last moment at which anybody may hand in, in UTC without a zone; None of what is never due.

    It is the due date, moved by the longest extension and by all late days that the class gives.
    """
    with Register(classroom.database) as register:
        due, extensions = register.due(stem), register.extensions(stem).values()
    return None if due is None else LatePolicy(classroom.config).last_moment(due, extensions)


def answers_to_show(
    classroom: Classroom, stem: str, now: datetime, asked: bool | None = None
) -> dict[str, Answer]:
    """The course's answers by question, as the class was handed out with them; nothing before their time.

    Args:
        now: in UTC without a zone.
        asked: True to show those of an exercise that is never due; False to show none.

    Raises:
        GraderError: they are asked for before their time.
    """
    last = last_moment(classroom, stem)
    if asked and last is not None and now <= last:
        raise GraderError(
            f"'{stem}' may be handed in until {local(last, classroom.zone)}, extensions and late days counted. "
            "The course's answers are shown after that, and not before."
        )
    over = now > last if last is not None else bool(asked)
    if not over or asked is False:
        return {}
    exercise = classroom.exercise(stem)
    return course_answers(exercise.source, exercise.suite)


def handed_in_since(classroom: Classroom, stem: str, shown: datetime) -> list[str]:
    """Students who have handed in after the course's answers were shown."""
    works = classroom.works(stem).items()
    times = ((student, classroom.handed_in(stem, author)) for author, members in works for student in members)
    return sorted(student for student, when in times if when is not None and when > shown)
