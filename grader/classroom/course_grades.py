"""The class' points on their way into the course that it is connected to, beside what stands there.

Canvas tells `entered_score`, which a person or a program has entered, from `score`, of which its own late policy has
taken points off; ours are compared with the former.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from rich import box
from rich.table import Table
from rich.text import Text

from grader.classroom.enrol import known_of
from grader.classroom.folder import Classroom, Origin
from grader.classroom.lateness import lateness
from grader.classroom.merge import proportion
from grader.classroom.platforms.canvas_api import Course, text
from grader.classroom.platforms.web import Refused
from grader.classroom.scores import counted, people_of
from grader.errors import GraderError
from grader.gradebook.people import CANVAS
from grader.gradebook.tables import Gradebook
from grader.shown import one_line

_NOTEBOOK = re.compile(r"\.(ipynb(\.json|\.txt)?|zip)$", re.IGNORECASE)
_IN_POINTS = ("points", "percent", "letter_grade", "gpa_scale")


@dataclass(frozen=True)
class Row:
    """A student's points: the number of the person there, what stands there, what would."""

    student: str
    user: str
    before: str
    points: str


@dataclass
class Planned:
    """A plan of what to write.

    Attributes:
        same: what stands there already.
        held: reasons for which nothing is written, and for whom.
        at_once: students see grades as soon as they are written.
    """

    assignment: dict
    rows: list[Row] = field(default_factory=list)
    same: list[Row] = field(default_factory=list)
    held: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    at_once: bool = False

    def table(self, names: dict[str, str]) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for name in ("student", "", "in the course", "to be written"):
            table.add_column(name)
        for row in self.rows:
            table.add_row(Text(row.student), Text(names.get(row.student, "")), row.before or "-", row.points)
        return table


@dataclass
class Written:
    """Students whose points were written, and those whose were not, or count as less."""

    students: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    less: list[str] = field(default_factory=list)


def plan(classroom: Classroom, stem: str, course: Course, scale: bool) -> Planned:
    """The plan for an exercise. Nothing is written.

    Raises:
        GraderError: the platform does not answer, or takes no points for it, or other ones.
    """
    assignment = course.assignment(stem)
    _takes_points(assignment, stem)
    planned = Planned(assignment, at_once=not assignment.get("post_manually"))
    submissions = course.submissions(assignment)
    people, origins = people_of(classroom), classroom.origins(stem)
    known = known_of([{**(one.get("user") or {}), "id": user} for user, one in submissions.items()], people)
    with Gradebook(classroom.database, stem, classroom.config) as gradebook:
        ours, late = gradebook.possible(), lateness(classroom, stem, gradebook)
    factor = proportion(stem, ours, assignment.get("points_possible") or ours, scale)
    deducts = any(one.get("late") for one in submissions.values()) and course.late_policy()
    final = counted(classroom, stem)
    for user, there in submissions.items():
        student = known.get(user)
        score = final[student][0] if student in final else None
        if student is None:
            if there.get("submitted_at"):
                planned.held["nobody in the class"].append(_name(there, user))
        elif there.get("excused"):
            planned.held["excused there"].append(student)
        elif newer(origins.get(student), there, user):
            planned.held["handed in anew: collect and grade it first"].append(student)
        elif score is not None and deducts and there.get("late") and late[student].penalty:
            planned.held["late, and Canvas' own late policy would take points off again"].append(student)
        elif score is not None:
            row = Row(student, user, _entered(there), f"{score * factor:g}")
            if row.before == row.points and there.get("grade_matches_current_submission") is not False:
                planned.same.append(row)
            else:
                planned.rows.append(row)
    _of_one_group(planned, assignment, submissions)
    gone = {s for s, (score, _) in final.items() if score is not None} - set(known.values())
    if gone:
        planned.held["not in the course, or not any more"] += sorted(gone)
    return planned


def write(
    planned: Planned, again: Planned, course: Course, done: Callable[[str], None] = lambda student: None
) -> Written:
    """Write what was planned and shown, where the course still says what it said then.

    Args:
        again: the plan made anew, after it was agreed to.
    """
    written = Written()
    for row in planned.rows:
        if row not in again.rows:
            written.changed.append(row.student)
            continue
        try:
            there = course.grade(planned.assignment, row.user, row.points)
        except Refused as error:  # of this student alone: the others need not wait
            written.refused.append(f"{row.student} ({error.code})")
            continue
        (written.students if _entered(there) == row.points else written.refused).append(row.student)
        if there.get("score") is not None and f"{there['score']:g}" != _entered(there):
            written.less.append(f"{row.student} {there['score']:g}")
        done(row.student)
    return written


def _takes_points(assignment: dict, stem: str) -> None:
    kind = text(assignment, "grading_type") or "points"
    if kind not in _IN_POINTS:
        raise GraderError(
            f"{stem} takes no points in the course (it is {kind}). Display its grade as points there."
        )
    published(assignment, stem)


def published(assignment: dict, stem: str) -> None:
    """Pass an assignment that students may see.

    Raises:
        GraderError: it is not published: what is written there may reach them all the same.
    """
    if assignment.get("published") is False:
        raise GraderError(f"{stem} is not published in the course. Publish it first.")


def newer(origin: Origin | None, there: dict, user: str) -> bool:
    """True if Canvas has a later upload than the one that the class has collected: points would be an older one's."""
    if origin is None or origin.place != f"{CANVAS}:{user}":
        return False
    files = there.get("attachments") or []
    numbers = [
        int(text(f, "id") or 0) for f in files if _NOTEBOOK.search(text(f, "display_name") or ".ipynb")
    ]
    # Of several files of one attempt the class has taken one, not always the last.
    return origin.attempt not in numbers and max(numbers, default=0) > origin.attempt


def _of_one_group(planned: Planned, assignment: dict, submissions: dict[str, dict]) -> None:
    """Hold the rows of groups that have one grade there, where the class has several."""
    if not assignment.get("group_category_id") or assignment.get("grade_group_students_individually"):
        return
    groups = {
        row: text(submissions[row.user].get("group") or {}, "id") for row in [*planned.rows, *planned.same]
    }
    points: dict[str, set[str]] = defaultdict(set)
    for row, group in groups.items():
        points[group].add(row.points)
    for row in list(planned.rows):
        if groups[row] and len(points[groups[row]]) > 1:
            planned.held["a group has one grade there, and its members' differ here"].append(row.student)
            planned.rows.remove(row)


def _entered(there: dict) -> str:
    score = there.get("entered_score", there.get("score"))
    return "" if score is None else f"{score:g}"


def _name(there: dict, user: str) -> str:
    about = there.get("user") or {}
    return one_line(text(about, "sortable_name") or text(about, "name") or user)
