"""The gradebook of a class, for one exercise: one connection, one transaction a submission.

nbgrader's own API opens a session for each step and loads every relation that it touches. Here its tables are
taken from the database as they are (nbgrader is pinned), and a submission costs a few statements.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Container, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from grader.errors import GraderError
from grader.gradebook import ours
from grader.gradebook.database import Assignment, Database, patiently
from grader.gradebook.entries import Counted, Entries, StudentGrades
from grader.gradebook.lateness import Late, Lateness, LatePolicy
from grader.notebook import CHECK_PREFIX
from grader.results import Submission

if TYPE_CHECKING:
    from traitlets.config import Config

NO_RESPONSE = {"ko": "답하지 않았습니다.", "en": "Not answered."}  # of a notebook in which language


class Gradebook(Database):
    """The gradebook of a class, for one exercise.

    Args:
        url: of the database.
        config: nbgrader's settings, which say what lateness costs.

    Raises:
        GraderError: there is no gradebook, or it does not know the exercise.
    """

    def __init__(self, url: str, stem: str, config: Config):
        super().__init__(url)
        self._connection, self._stem = self._engine.connect(), stem
        patiently(self._look_up)
        self._entries = Entries(self._assignment)
        self._lateness = Lateness(self._assignment, LatePolicy(config))

    def __exit__(self, *error: object) -> None:
        self._connection.close()
        super().__exit__(*error)

    def _look_up(self) -> None:
        assignment, notebook = self._tables["assignment"], self._tables["notebook"]
        found = (
            sa.select(assignment.c.id, assignment.c.duedate, notebook.c.id.label("notebook"))
            .join(notebook, notebook.c.assignment_id == assignment.c.id)
            .where(assignment.c.name == self._stem, notebook.c.name == self._stem)
        )
        row = self._connection.execute(found).one_or_none()
        if row is None:
            raise GraderError(
                f"The gradebook does not know '{self._stem}'. Add it with 'grader new-class DIR --update'."
            )
        about = (self._connection, self._tables, self._stem)
        self._assignment = Assignment(*about, row.id, row.notebook, row.duedate)
        self._grade_cells = {**self._cells("grade_cells"), **self._cells("task_cells")}
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

    def record(
        self, submission: Submission, handed_in: datetime | None = None, resubmitted: bool = False
    ) -> None:
        """Enter a submission, replacing what was there, except what a person has entered.

        What lateness costs is for `settle` to say.

        Args:
            handed_in: when, in UTC without a zone.
            resubmitted: the file is another than before, so a person must look at what a person has entered.

        Raises:
            GraderError: the database stays locked, or the disk is full.
        """
        patiently(lambda: self._transact(lambda: self._write(submission, handed_in, resubmitted)))

    def lateness(
        self, handed_in: Mapping[str, datetime | None], marked: Mapping[str, Container[str]]
    ) -> dict[str, Late]:
        """Times and costs of lateness of all who have handed in (see `Lateness.of_all`). Nothing is written.

        Raises:
            GraderError: the database stays locked, or the policy cannot be loaded.
        """
        return self._read(lambda: self._lateness.of_all(handed_in, marked))

    def settle(self, handed_in: Mapping[str, datetime | None], marked: Mapping[str, Container[str]]) -> None:
        """Enter when submissions were handed in, and what `lateness` says that they cost."""
        patiently(lambda: self._transact(lambda: self._lateness.store(handed_in, marked)))

    def students(self) -> list[str]:
        """Everybody whom the gradebook knows, whether or not they have handed anything in."""
        query = sa.select(self._tables["student"].c.id)
        return sorted(self._read(lambda: self._connection.execute(query).scalars().all()))

    def possible(self) -> float:
        """The exercise's maximum of points."""
        return sum(self._read(self._entries.worth).values())

    def scores(self, late: Mapping[str, Late]) -> dict[str, Counted]:
        """Each student's score, with what `lateness` says."""
        return self._read(lambda: self._entries.scores(late))

    def grades(self, late: Mapping[str, Late]) -> dict[str, StudentGrades]:
        """Everything that a page for a student tells, by student, with what `lateness` says."""
        return self._read(lambda: self._entries.grades(late))

    def _read(self, look: Callable[[], Any]) -> Any:
        found = []
        patiently(lambda: found.append(look()))
        self._connection.rollback()
        return found[-1]

    def _transact(self, write: Callable[[], None]) -> None:
        try:
            write()
            self._connection.commit()
        except BaseException:
            self._connection.rollback()
            raise

    def _write(self, submission: Submission, handed_in: datetime | None, resubmitted: bool) -> None:
        self._row("student", {"id": submission.student})
        of_student = {"assignment_id": self._assignment.id, "student_id": submission.student}
        submitted = self._row("submitted_assignment", of_student, timestamp=handed_in)
        of_notebook = {"assignment_id": submitted, "notebook_id": self._assignment.notebook}
        notebook = self._row("submitted_notebook", of_notebook, new={"flagged": False})
        self._write_grades(notebook, submission, resubmitted)
        self._write_comments(notebook, submission)

    def _write_grades(self, notebook: str, submission: Submission, resubmitted: bool) -> None:
        """Enter the points, and say where a person must look."""
        table = self._tables["grade"]
        rows = self._connection.execute(sa.select(table).where(table.c.notebook_id == notebook))
        there = {row.cell_id: row for row in rows}
        values = []
        points = {CHECK_PREFIX + result.question: result.earned for result in submission.questions}
        asked = {asked.cell for asked in self._entries.asked(submission.student) if asked.answered is None}
        for name, cell in self._grade_cells.items():
            row, auto = there.get(cell), points.get(name)
            flagged = row is not None and bool(row.needs_manual_grade)
            if row is not None and row.manual_score is not None:
                needed = resubmitted or flagged
            else:
                needed = auto is None or flagged and name in asked
            if row is not None:
                what = (self._stem, submission.student, name, ours.PARTS["auto_score"])
                ours.note(self._connection, *what, row.auto_score, auto)
            values.append({"cell_id": cell, "auto_score": auto, "needs_manual_grade": needed})
        self._set("grade", notebook, values, there)

    def _write_comments(self, notebook: str, submission: Submission) -> None:
        unanswered = {result.question for result in submission.questions if result.unanswered}
        table = self._tables["comment"]
        there = self._connection.execute(sa.select(table.c.cell_id).where(table.c.notebook_id == notebook))
        values = [
            {
                "cell_id": cell,
                "auto_comment": NO_RESPONSE[submission.language] if name in unanswered else None,
            }
            for name, cell in self._solution_cells.items()
        ]
        self._set("comment", notebook, values, set(there.scalars()))

    def _set(self, name: str, notebook: str, values: list[dict], there: Container[str]) -> None:
        """Enter `values` of a notebook's cells, of which those in `there` have a row: two statements in all."""
        table = self._tables[name]
        if new := [value for value in values if value["cell_id"] not in there]:
            rows = [{"id": uuid.uuid4().hex, "notebook_id": notebook, **value} for value in new]
            self._connection.execute(sa.insert(table), rows)
        if known := [value for value in values if value["cell_id"] in there]:
            row = (table.c.notebook_id == notebook, table.c.cell_id == sa.bindparam("of_cell"))
            changes = [{"of_cell": value["cell_id"], **value} for value in known]
            self._connection.execute(sa.update(table).where(*row), changes)

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
