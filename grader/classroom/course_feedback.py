"""Feedback pages on their way into the course that a class is connected to: each a file beside the work, once.

The file's name holds a digest of the page. So the platform itself knows which pages it has, whatever became of an answer, or
of the class folder.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from rich import box
from rich.table import Table
from rich.text import Text

from grader.classroom.course_grades import newer, published
from grader.classroom.enrol import known_of
from grader.classroom.folder import Classroom
from grader.classroom.platforms.course import Course, Task, Work
from grader.classroom.platforms.web import Refused
from grader.classroom.scores import people_of
from grader.translation.voices import voices
from grader.words import KOREAN

DIGITS = 12  # of a digest in a file's name
HERE = "채점 결과가 이 파일에 있습니다. 내려받아 브라우저로 여십시오."


@dataclass(frozen=True)
class Page:
    """A student's page: the number of the person there, the attempt beside which it goes, the file's name there."""

    student: str
    number: str
    attempt: int | None
    name: str
    earlier: int


@dataclass
class Pages:
    """A plan of pages to post.

    Attributes:
        works: what is there, by the number of the person.
        same: whose page is there already.
        held: reasons for which nothing is posted, and for whom.
    """

    task: Task
    works: dict[str, Work] = field(default_factory=dict)
    rows: list[Page] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    held: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def table(self, names: dict[str, str]) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for name in ("student", "", "attempt", "pages there", "to be posted"):
            table.add_column(name)
        for row in self.rows:
            attempt = str(row.attempt or "-")
            table.add_row(
                Text(row.student), Text(names.get(row.student, "")), attempt, str(row.earlier), row.name
            )
        return table


def plan(classroom: Classroom, stem: str, course: Course, students: list[str] | None) -> Pages:
    """The plan for an exercise. Nothing is posted.

    Args:
        students: only these.

    Raises:
        GraderError: the platform does not answer, or shows the assignment to nobody yet.
    """
    task = course.task(stem)
    published(task, stem)
    pages, origins = Pages(task, course.works(task, pages=True)), classroom.origins(stem)
    known = known_of({number: work.claim for number, work in pages.works.items()}, people_of(classroom))
    for number, there in pages.works.items():
        student = known.get(number)
        if student is None or students is not None and student not in students:
            continue
        page = classroom.feedback(stem, student)
        if not page.is_file():
            pages.held["no page yet"] += [student] if there.when else []
            continue
        if newer(origins.get(student), there, f"{course.kind}:{number}"):
            pages.held["handed in anew: collect and grade it first"].append(student)
            continue
        if there.sealed:
            pages.held[there.sealed].append(student)
            continue
        digest = hashlib.sha256(page.read_bytes()).hexdigest()[:DIGITS]
        if any(digest in name for name in there.pages):
            pages.same.append(student)
        else:
            name = f"{stem}-{digest}.html"
            earlier = sum(stem in name and name.endswith(".html") for name in there.pages)
            pages.rows.append(Page(student, number, there.attempt, name, earlier))
    with_page = {s for s in classroom.students(stem) if classroom.feedback(stem, s).is_file()}
    if gone := sorted(with_page - set(known.values())):
        pages.held["not in the course, or not any more"] += gone
    return pages


def post(
    classroom: Classroom,
    stem: str,
    pages: Pages,
    again: Pages,
    course: Course,
    done: Callable[[str], None] = lambda student: None,
) -> tuple[int, list[str], list[str]]:
    """Post what was planned and shown, where neither course nor pages have changed since.

    Args:
        again: the plan made anew, after it was agreed to.

    Returns:
        How many were posted; for whom something has changed; whom the platform has refused.
    """
    count, changed, refused, spoken = 0, [], [], voices(classroom.exercise(stem))
    for row in pages.rows:
        if row not in again.rows:
            changed.append(row.student)
            continue
        result = classroom.result(stem, row.student)
        said = spoken[result.language if result else KOREAN](HERE)
        content = classroom.feedback(stem, row.student).read_bytes()
        try:
            course.give(pages.task, row.number, again.works[row.number], said, row.name, content)
        except Refused as error:
            refused.append(f"{row.student} ({error.code})")
            continue
        count += 1
        done(row.student)
    return count, changed, refused
