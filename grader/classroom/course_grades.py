"""The class' points on their way into the course that it is connected to, beside what stands there.

Ours are compared with what somebody has entered there, not with what the platform's own late policy makes of it.
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
from grader.classroom.platforms.course import Course, Task, Work, as_points
from grader.classroom.platforms.web import Refused
from grader.classroom.scores import counted, people_of
from grader.errors import GraderError
from grader.gradebook.tables import Gradebook
from grader.shown import one_line

_NOTEBOOK = re.compile(r"\.(ipynb(\.json|\.txt)?|zip)$", re.IGNORECASE)


@dataclass(frozen=True)
class Row:
    """A student's points: the number of the person there, what stands there, what would."""

    student: str
    number: str
    before: str
    points: str


@dataclass
class Planned:
    """A plan of what to write.

    Attributes:
        works: what is there, by the number of the person.
        same: what stands there already.
        held: reasons for which nothing is written, and for whom.
    """

    task: Task
    works: dict[str, Work] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    same: list[Row] = field(default_factory=list)
    held: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

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
    task = course.task(stem)
    if task.kind:
        raise GraderError(
            f"{stem} takes no points in the course (it is {task.kind}). Display its grade as points there."
        )
    published(task, stem)
    planned = Planned(task, course.works(task))
    people, origins = people_of(classroom), classroom.origins(stem)
    known = known_of({number: work.claim for number, work in planned.works.items()}, people)
    with Gradebook(classroom.database, stem, classroom.config) as gradebook:
        ours, late = gradebook.possible(), lateness(classroom, stem, gradebook)
    factor = proportion(stem, ours, task.possible or ours, scale)
    deducts = any(there.late for there in planned.works.values()) and course.deducts(task)
    final = counted(classroom, stem)
    for number, there in planned.works.items():
        student = known.get(number)
        score = final[student][0] if student in final else None
        if student is None:
            if there.when:
                planned.held["nobody in the class"].append(one_line(there.name))
        elif there.excused:
            planned.held["excused there"].append(student)
        elif newer(origins.get(student), there, f"{course.kind}:{number}"):
            planned.held["handed in anew: collect and grade it first"].append(student)
        elif score is not None and deducts and there.late and late[student].penalty:
            said = f"late, and the late policy of {course.platform} would take points off again"
            planned.held[said].append(student)
        elif score is not None:
            row = Row(student, number, there.points, as_points(score * factor))
            if row.before == row.points and not there.outdated:
                planned.same.append(row)
            elif there.sealed:
                planned.held[there.sealed].append(student)
            else:
                planned.rows.append(row)
    _of_one_group(planned)
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
    written, sent = Written(), []
    for row in planned.rows:
        if row not in again.rows:
            written.changed.append(row.student)
            continue
        try:
            course.grade(planned.task, row.number, again.works[row.number], row.points)
        except Refused as error:  # of this student alone: the others need not wait
            written.refused.append(f"{row.student} ({error.code})")
            continue
        sent.append(row)
        done(row.student)
    there = course.works(planned.task) if sent else {}
    for row in sent:
        # A platform may take points, and keep others.
        now = there[row.number] if row.number in there else None
        (written.students if now and now.points == row.points else written.refused).append(row.student)
        if now and now.counted not in ("", now.points):
            written.less.append(f"{row.student} {now.counted}")
    return written


def published(task: Task, stem: str) -> None:
    """Pass an assignment that students may see.

    Raises:
        GraderError: it is not published: what is written there may reach them all the same.
    """
    if not task.published:
        raise GraderError(f"{stem} is not published in the course. Publish it first.")


def newer(origin: Origin | None, there: Work, place: str) -> bool:
    """True if the course has a later upload than the one that the class has collected: points would be an older one's."""
    if origin is None or origin.place != place:
        return False
    uploads = [number for number, name in there.uploads if _NOTEBOOK.search(name or ".ipynb")]
    # Of several files of one attempt the class has taken one, not always the last.
    return origin.attempt not in uploads and max(uploads, default=0) > origin.attempt


def _of_one_group(planned: Planned) -> None:
    """Hold the rows of groups that have one grade there, where the class has several."""
    if not planned.task.one_grade:
        return
    groups = {row: planned.works[row.number].group for row in [*planned.rows, *planned.same]}
    points: dict[str, set[str]] = defaultdict(set)
    for row, group in groups.items():
        points[group].add(row.points)
    for row in list(planned.rows):
        if groups[row] and len(points[groups[row]]) > 1:
            planned.held["a group has one grade there, and its members' differ here"].append(row.student)
            planned.rows.remove(row)
