"""Requests for another look at a grade, and how grades have changed.

A request puts its question on formgrader's list of what needs manual grading. It is answered there, by saving points
(the same ones, or others), or with `Requests.answer`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from grader.errors import GraderError
from grader.gradebook import ours
from grader.gradebook.database import Database, patiently
from grader.notebook import CHECK_PREFIX


@dataclass(frozen=True)
class Request:
    """A student's request: `question` as the exercise names it."""

    student: str
    exercise: str
    question: str
    said: str


@dataclass(frozen=True)
class Asked:
    """A request in the gradebook. `open` until somebody has answered, or has saved points in formgrader."""

    number: int
    at: datetime
    request: Request
    open: bool
    answer: str
    points: float | None
    possible: float


@dataclass(frozen=True)
class Change:
    """One change of a grade; `question` is empty for what is of the whole exercise."""

    at: datetime
    exercise: str
    student: str
    question: str
    part: str
    before: str | None
    after: str | None
    who: str
    by: str


class Requests(Database):
    """Reads and writes them; each request and answer is committed by itself."""

    def enter(self, request: Request) -> bool:
        """Enter a request; False if it is there already.

        Raises:
            GraderError: the student has no such grade.
        """
        grade, entered = self._tables["grade"], []

        def write() -> None:
            with self._engine.begin() as connection:
                ours.make(connection)
                row = self._grade(connection, request.exercise, request.student, request.question)
                if row is None:
                    raise GraderError(
                        f"{request.student} has no grade for {request.question} of {request.exercise}"
                    )
                values = {
                    "exercise": request.exercise,
                    "student": request.student,
                    "cell": row.name,
                    "said": request.said,
                }
                same = [ours.REQUESTS.c[name] == value for name, value in values.items()]
                if connection.execute(sa.select(ours.REQUESTS.c.id).where(*same)).first() is None:
                    connection.execute(sa.insert(ours.REQUESTS).values(at=ours.now(), **values))
                    look = sa.update(grade).where(grade.c.id == row.id).values(needs_manual_grade=True)
                    connection.execute(look)
                    entered.append(request)

        patiently(write)
        return bool(entered)

    def all(self) -> list[Asked]:
        if not sa.inspect(self._engine).has_table(ours.REQUESTS.name):
            return []
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(ours.REQUESTS).order_by(ours.REQUESTS.c.id)).all()
            return [self._asked(connection, row) for row in rows]

    def _asked(self, connection: sa.Connection, row: sa.Row) -> Asked:
        question = row.cell.removeprefix(CHECK_PREFIX)
        grade = self._grade(connection, row.exercise, row.student, question)
        points = None
        if grade is not None:
            points = grade.auto_score if grade.manual_score is None else grade.manual_score
        return Asked(
            row.id,
            row.at,
            Request(row.student, row.exercise, question, row.said),
            row.answered is None and grade is not None and bool(grade.needs_manual_grade),
            row.answer or "",
            points,
            0.0 if grade is None else grade.max_score or 0.0,
        )

    def answer(self, number: int, said: str, points: float | None) -> Asked:
        """Answer a request, with other points or with none.

        Raises:
            GraderError: there is none of that number, or the points are not possible.
        """
        asked = next((asked for asked in self.all() if asked.number == number), None)
        if asked is None:
            raise GraderError(f"There is no request {number}. 'grader requests' lists them.")
        request = asked.request
        if points is not None and not 0 <= points <= asked.possible:
            raise GraderError(
                f"{request.question} has {asked.possible:g} points; {points:g} cannot be. Extra points: in formgrader."
            )
        grade = self._tables["grade"]

        def write() -> None:
            with self._engine.begin() as connection:
                row = self._grade(connection, request.exercise, request.student, request.question)
                if row is None:
                    raise GraderError(
                        f"{request.student} has no grade for {request.question} of {request.exercise}"
                    )
                values = {"needs_manual_grade": row.auto_score is None and points is None}
                if points is not None:
                    what = (request.exercise, request.student, row.name, ours.PARTS["manual_score"])
                    ours.note(connection, *what, row.manual_score, points)
                    values["manual_score"] = points
                connection.execute(sa.update(grade).where(grade.c.id == row.id).values(values))
                done = sa.update(ours.REQUESTS).where(ours.REQUESTS.c.id == number)
                connection.execute(done.values(answered=ours.now(), answer=said))

        patiently(write)
        return asked

    def history(self, exercise: str | None = None, student: str | None = None) -> list[Change]:
        """Changes of grades, in order."""
        if not sa.inspect(self._engine).has_table(ours.HISTORY.name):
            return []
        table = ours.HISTORY.c
        query = sa.select(ours.HISTORY).order_by(table.id)
        query = query if exercise is None else query.where(table.exercise == exercise)
        query = query if student is None else query.where(table.student == student)
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [
            Change(r.at, r.exercise, r.student, r.cell.removeprefix(CHECK_PREFIX), r.part, r.before, r.after, r.who, r.by)
            for r in rows
        ]  # fmt: skip

    def waiting(self, exercise: str) -> list[tuple[str, str, list[str]]]:
        """Grades that a person must look at: student, formgrader's id of the submission, questions."""
        with self._engine.connect() as connection:
            rows = connection.execute(self._grades(exercise)).all()
        found: dict[str, tuple[str, list[str]]] = {}
        for row in rows:
            if row.needs_manual_grade:
                found.setdefault(row.student_id, (row.notebook_id, []))[1].append(
                    row.name.removeprefix(CHECK_PREFIX)
                )
        return [(student, *found[student]) for student in sorted(found)]

    def _grade(self, connection: sa.Connection, exercise: str, student: str, question: str) -> sa.Row | None:
        submitted, base = self._tables["submitted_assignment"], self._tables["base_cell"]
        named = base.c.name.in_([question, CHECK_PREFIX + question])
        query = self._grades(exercise).where(submitted.c.student_id == student, named)
        return connection.execute(query).first()

    def _grades(self, exercise: str) -> sa.Select:
        names = (
            "assignment",
            "submitted_assignment",
            "submitted_notebook",
            "grade",
            "base_cell",
            "grade_cells",
        )
        assignment, submitted, notebook, grade, base, worth = (self._tables[name] for name in names)
        return (
            sa.select(submitted.c.student_id, base.c.name, worth.c.max_score, grade)
            .join(assignment, assignment.c.id == submitted.c.assignment_id)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .join(grade, grade.c.notebook_id == notebook.c.id)
            .join(base, base.c.id == grade.c.cell_id)
            .join(worth, worth.c.id == base.c.id, isouter=True)
            .where(assignment.c.name == exercise)
            .order_by(base.c.name)
        )
