"""The course that a class is connected to, on whichever platform it is."""

from __future__ import annotations

from collections.abc import Callable

from grader.classroom.connection import Connection, connection_of
from grader.classroom.folder import Classroom
from grader.classroom.platforms.canvas_api import CanvasCourse
from grader.classroom.platforms.course import Course
from grader.classroom.platforms.moodle_api import MoodleCourse
from grader.errors import GraderError

COURSES: dict[str, Callable[[Connection], Course]] = {"canvas": CanvasCourse, "moodle": MoodleCourse}


def course_of(classroom: Classroom, platform: str) -> Course:
    """The course that a class is connected to.

    Args:
        platform: on which the user takes it to be.

    Raises:
        GraderError: it is connected to none, or to one elsewhere.
    """
    connection = connection_of(classroom)
    if connection.platform != platform:
        raise GraderError(
            f"This class is connected to a course on {connection.platform}, not on {platform}: say {connection.platform}."
        )
    return course_at(connection)


def course_at(connection: Connection) -> Course:
    """The course of a connection."""
    return COURSES[connection.platform](connection)
