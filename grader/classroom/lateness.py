"""The cost of lateness in a class: the times that its folder knows, held against its dates and policy."""

from __future__ import annotations

from datetime import datetime

from grader.classroom.folder import Classroom
from grader.gradebook.lateness import Late
from grader.gradebook.tables import Gradebook


def lateness(classroom: Classroom, stem: str, gradebook: Gradebook) -> dict[str, Late]:
    """By student, by the present dates and policy; nothing is written."""
    return gradebook.lateness(_times(classroom, stem), _marked(classroom))


def settle(classroom: Classroom, stem: str, gradebook: Gradebook) -> None:
    """Enter in the gradebook what `lateness` says: due dates, extensions, times and the policy may have changed."""
    gradebook.settle(_times(classroom, stem), _marked(classroom))


def settle_all(classroom: Classroom) -> None:
    """Enter what `lateness` says for each exercise: late days are one budget."""
    for stem in classroom.stems():
        with Gradebook(classroom.database, stem, classroom.config) as gradebook:
            settle(classroom, stem, gradebook)


def _times(classroom: Classroom, stem: str) -> dict[str, datetime | None]:
    works = classroom.works(stem).items()
    return {s: classroom.handed_in(stem, author) for author, members in works for s in members}


def _marked(classroom: Classroom) -> dict[str, set[str]]:
    """Students whose work a platform has marked as late, by exercise; that of a group counts for each of it."""
    found = {}
    for stem in classroom.stems():
        origins = classroom.origins(stem)
        marked = {student for student, origin in origins.items() if origin.late}
        works = classroom.works(stem).items() if marked else ()
        found[stem] = {s for author, members in works if author in marked for s in members}
    return found
