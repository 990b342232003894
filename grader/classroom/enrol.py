"""A class' roster, read from the course that it is connected to."""

from __future__ import annotations

from grader.classroom.folder import Classroom
from grader.classroom.platforms.canvas_api import Course, claim_of, rows_of, text
from grader.classroom.scores import people_of
from grader.gradebook.people import CANVAS, People, Person
from grader.gradebook.roster import Roster, roster_of


def roster_from(classroom: Classroom, course: Course) -> tuple[Roster, list[str]]:
    """Those in the course, under the ids that the class has for them; and those of the class who have left it.

    Raises:
        GraderError: the platform does not answer; or somebody's id can be none.
    """
    users, everybody = course.students(), people_of(classroom)
    known = known_of(users, everybody)
    roster = roster_of(rows_of(users, course.sections(), known), "The course on Canvas")
    there = {person.id for person in roster.people}
    gone = [one for one, person in everybody.items() if person.of(CANVAS) and one not in there]
    return roster, gone


def known_of(users: list[dict], everybody: dict[str, Person]) -> dict[str, str]:
    """Ids that a class has for users of Canvas', by their numbers there."""
    claims = {claim_of(user, text(user, "id")): text(user, "id") for user in users}
    found = People(everybody).find(claims) if everybody else {}
    return {claims[claim]: student for claim, student in found.items() if student}
