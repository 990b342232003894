"""Writes nbgrader's gradebook: one connection, one transaction a submission.

nbgrader's own API opens a session for each step and loads every relation that it touches. Here its tables are
taken from the database as they are (nbgrader is pinned), and a submission costs a few statements.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa

from grader.errors import GraderError
from grader.gradebook.marked import CHECK_PREFIX
from grader.results import Submission

if TYPE_CHECKING:
    from traitlets.config import Config

LOCKED_SECONDS = 60
NO_RESPONSE = "답하지 않았습니다."
_EPOCH = datetime(1970, 1, 1)


class Gradebook:
    """The gradebook of a class, for one exercise.

    Args:
        url: of the database.
        config: nbgrader's settings, which say what lateness costs.

    Raises:
        GraderError: there is no gradebook, or it does not know the exercise.
    """

    def __init__(self, url: str, stem: str, config: Config):
        self._config = config
        engine = sa.create_engine(url, connect_args={"timeout": 5} if url.startswith("sqlite") else {})
        reflected = sa.MetaData()
        _patiently(lambda: reflected.reflect(engine))
        self._tables = reflected.tables
        if "assignment" not in self._tables:
            raise GraderError(f"{url} is no gradebook of nbgrader's. Make a class with 'grader new-class'.")
        self._connection = engine.connect()
        _patiently(lambda: self._look_up(stem))

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _look_up(self, stem: str) -> None:
        assignment, notebook = self._tables["assignment"], self._tables["notebook"]
        found = (
            sa.select(assignment.c.id, assignment.c.duedate, notebook.c.id.label("notebook"))
            .join(notebook, notebook.c.assignment_id == assignment.c.id)
            .where(assignment.c.name == stem, notebook.c.name == stem)
        )
        self._assignment = self._connection.execute(found).one_or_none()
        if self._assignment is None:
            raise GraderError(
                f"The gradebook does not know '{stem}'. Add it with 'grader new-class DIR --update'."
            )
        self._grade_cells = self._cells("grade_cells")
        self._solution_cells = self._cells("solution_cells")
        self._connection.rollback()

    def _cells(self, kind: str) -> dict[str, str]:
        """Ids of the notebook's cells of a kind, by name."""
        base, kept = self._tables["base_cell"], self._tables[kind]
        found = (
            sa.select(base.c.name, base.c.id)
            .join(kept, kept.c.id == base.c.id)
            .where(base.c.notebook_id == self._assignment.notebook)
        )
        return {name: identity for name, identity in self._connection.execute(found)}

    def record(self, submission: Submission, handed_in: datetime | None = None) -> None:
        """Enter a submission, replacing what was there, except what a person has entered.

        Args:
            handed_in: when, in UTC without a zone.

        Raises:
            GraderError: the database stays locked, or the disk is full.
        """
        _patiently(lambda: self._transact(submission, handed_in))

    def scores(self) -> dict[str, float | None]:
        """What counts for each student; None where somebody must still look."""
        submitted, notebook, grade = (
            self._tables[name] for name in ("submitted_assignment", "submitted_notebook", "grade")
        )
        found = (
            sa.select(submitted.c.student_id, notebook.c.late_submission_penalty, grade)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .join(grade, grade.c.notebook_id == notebook.c.id)
            .where(submitted.c.assignment_id == self._assignment.id)
        )
        sums: dict[str, float | None] = {}
        for row in self._connection.execute(found):
            score = row.auto_score if row.manual_score is None else row.manual_score
            before = sums.get(row.student_id, -(row.late_submission_penalty or 0.0))
            known = before is not None and score is not None
            sums[row.student_id] = before + score + (row.extra_credit or 0.0) if known else None
        self._connection.rollback()
        return sums

    def _transact(self, submission: Submission, handed_in: datetime | None) -> None:
        try:
            self._write(submission, handed_in)
            self._connection.commit()
        except BaseException:
            self._connection.rollback()
            raise

    def _write(self, submission: Submission, handed_in: datetime | None) -> None:
        when = {} if handed_in is None else {"timestamp": handed_in}
        self._row("student", {"id": submission.student})
        of_student = {"assignment_id": self._assignment.id, "student_id": submission.student}
        submitted = self._row("submitted_assignment", of_student, **when)
        of_notebook = {"assignment_id": submitted, "notebook_id": self._assignment.notebook}
        notebook = self._row("submitted_notebook", of_notebook, new={"flagged": False})
        score = self._write_grades(notebook, submission)
        self._write_comments(notebook, submission)
        penalty = self._late_penalty(submission.student, submitted, score)
        self._row("submitted_notebook", of_notebook, late_submission_penalty=penalty)

    def _write_grades(self, notebook: str, submission: Submission) -> float:
        """Enter the points, and say where a person must look; the sum of what then counts."""
        table = self._tables["grade"]
        rows = self._connection.execute(sa.select(table).where(table.c.notebook_id == notebook))
        there = {row.cell_id: row for row in rows}
        points = {CHECK_PREFIX + result.question: result.earned for result in submission.questions}
        total = 0.0
        for name, cell in self._grade_cells.items():
            row, auto = there.get(cell), points.get(name)
            manual = row.manual_score if row else None
            needed = manual is not None or auto is None
            values = {"auto_score": auto, "needs_manual_grade": needed}
            self._row("grade", {"notebook_id": notebook, "cell_id": cell}, **values)
            total += (auto if manual is None else manual) or 0.0
            total += (row.extra_credit if row else None) or 0.0
        return total

    def _write_comments(self, notebook: str, submission: Submission) -> None:
        unanswered = {result.question for result in submission.questions if result.unanswered}
        for name, cell in self._solution_cells.items():
            comment = NO_RESPONSE if name in unanswered else None
            self._row("comment", {"notebook_id": notebook, "cell_id": cell}, auto_comment=comment)

    def _row(self, name: str, key: dict, new: dict | None = None, **values: object) -> str:
        """The id of the row of `key`, made with `new` if it is not there, with `values` set."""
        table = self._tables[name]
        where = [table.c[column] == value for column, value in key.items()]
        found = self._connection.execute(sa.select(table.c.id).where(*where)).scalar_one_or_none()
        if found is None:
            row = {"id": uuid.uuid4().hex, **key, **(new or {}), **values}
            self._connection.execute(sa.insert(table).values(row))
            return row["id"]
        if values:
            self._connection.execute(sa.update(table).where(table.c.id == found).values(values))
        return found

    def _late_penalty(self, student: str, submitted: str, score: float) -> float | None:
        table = self._tables["submitted_assignment"]
        row = self._connection.execute(sa.select(table).where(table.c.id == submitted)).one()
        if row.timestamp is None or self._assignment.duedate is None:
            return None
        granted = row.extension or timedelta()
        if isinstance(granted, datetime):  # SQLite keeps an interval as a date after the epoch
            granted -= _EPOCH
        late = (row.timestamp - self._assignment.duedate - granted).total_seconds()
        if late <= 0:
            return None
        from nbgrader.preprocessors import AssignLatePenalties

        assigner = AssignLatePenalties(config=self._config)
        assigner.init_plugin()
        penalty = assigner.plugin_inst.late_submission_penalty(student, score, late)
        return None if penalty is None else min(max(penalty, 0.0), score)


def _patiently(action: Callable[[], None]) -> None:
    """Do it, again and again for a while if the database is locked."""
    deadline = time.monotonic() + LOCKED_SECONDS
    while True:
        try:
            with _explained():
                return action()
        except _Locked:
            if time.monotonic() > deadline:
                raise GraderError(
                    f"Another program keeps the gradebook locked for {LOCKED_SECONDS} s (formgrader? nbgrader?). "
                    "Close it and run the same command again: what is graded stays graded."
                ) from None
            time.sleep(0.1)


class _Locked(Exception):
    pass


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what the database says into what the user can do."""
    try:
        yield
    except sa.exc.OperationalError as error:
        said = str(error.orig)
        if "locked" in said:
            raise _Locked from error
        if "full" in said:
            raise GraderError(
                "No space is left for the gradebook. Free some and run the same command again."
            ) from error
        raise GraderError(f"The gradebook cannot be used: {said}.") from error
