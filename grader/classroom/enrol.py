"""A class' roster, read from the course that it is connected to."""

from __future__ import annotations

from collections.abc import Mapping

from grader.classroom.folder import Classroom
from grader.classroom.platforms.course import Course, Member
from grader.classroom.scores import people_of
from grader.gradebook.people import Claim, People, Person
from grader.gradebook.roster import Roster, roster_of


def roster_from(classroom: Classroom, course: Course) -> tuple[Roster, list[str]]:
    """Those in the course, under the ids that the class has for them; and those of the class who have left it.

    Raises:
        GraderError: the platform does not answer; or somebody's id can be none.
    """
    members, everybody = course.students(), people_of(classroom)
    known = known_of({member.number: member.claim for member in members}, everybody)
    roster = roster_of(_rows(course, members, known), f"The course on {course.platform}")
    there = {person.id for person in roster.people}
    gone = [one for one, person in everybody.items() if person.of(course.kind) and one not in there]
    return roster, gone


def known_of(claims: Mapping[str, Claim], everybody: dict[str, Person]) -> dict[str, str]:
    """Ids that a class has for people of a course, by their numbers there."""
    found = People(everybody).find(claims.values()) if everybody else {}
    return {number: student for number, claim in claims.items() if (student := found.get(claim))}


def _rows(course: Course, members: list[Member], known: dict[str, str]) -> list[list[str]]:
    """The people as a table with the platform's headings.

    Args:
        known: ids that the class has for some already, by the platform's number.
    """
    ids = {member.number: member.id for member in members}
    if any(ids.values()) or any(number != identity for number, identity in known.items()):
        ids |= known  # otherwise nobody has another id than that number
    return [
        list(course.head),
        *([m.name, m.number, ids[m.number], m.login, m.email, ";".join(m.sections)] for m in members),
    ]
