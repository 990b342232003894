"""The gradebook of a class, for one exercise: one connection, one transaction for all that is entered at once.

nbgrader's own API opens a session for each step and loads every relation that it touches. Here its tables are
taken from the database as they are (nbgrader is pinned), and many submissions cost as many statements as one.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Container, Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
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
        self,
        submissions: Iterable[Submission],
        handed_in: Mapping[str, datetime | None] = MappingProxyType({}),
        resubmitted: Container[str] = (),
    ) -> None:
        """Enter submissions, all or none, replacing what was there, except what a person has entered.

        What lateness costs is for `settle` to say.

        Args:
            submissions: one of each student's.
            handed_in: when, by student, in UTC without a zone; None where nobody says.
            resubmitted: whose file is another than before, so a person must look at what a person has entered.

        Raises:
            GraderError: the database stays locked, or the disk is full.
        """
        # In one order: of two programs that enter the same students, none then waits for the other.
        entered = dict(sorted((submission.student, submission) for submission in submissions))
        patiently(lambda: self._transact(lambda: self._write(entered, handed_in, resubmitted)))

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

    def entered(self) -> set[str]:
        """Students of whom the gradebook holds a submission."""
        return self._read(self._entries.submitted)

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

    def _write(
        self,
        submissions: dict[str, Submission],
        handed_in: Mapping[str, datetime | None],
        resubmitted: Container[str],
    ) -> None:
        """A statement for each table and kind of change, however many are entered."""
        self._rows("student", "id", dict.fromkeys(submissions, {}))
        times = {student: {"timestamp": handed_in.get(student)} for student in submissions}
        of_exercise = {"assignment_id": self._assignment.id}
        submitted = self._rows("submitted_assignment", "student_id", times, of_exercise)
        of_notebook = {"notebook_id": self._assignment.notebook}
        none = dict.fromkeys(submitted.values(), {})
        rows = self._rows("submitted_notebook", "assignment_id", none, of_notebook, {"flagged": False})
        notebooks = {rows[submitted[student]]: submission for student, submission in submissions.items()}
        self._write_grades(notebooks, resubmitted)
        self._write_comments(notebooks)

    def _write_grades(self, notebooks: dict[str, Submission], resubmitted: Container[str]) -> None:
        """Enter the points, and say where a person must look."""
        there = self._there("grade", notebooks, self._grade_cells)
        asked = {(row.student, row.cell) for row in self._entries.asked() if row.answered is None}
        values = {}
        for notebook, submission in notebooks.items():
            student = submission.student
            points = {CHECK_PREFIX + result.question: result.earned for result in submission.questions}
            for name, cell in self._grade_cells.items():
                row, auto = there.get((notebook, cell)), points.get(name)
                flagged = row is not None and bool(row.needs_manual_grade)
                if row is not None and row.manual_score is not None:
                    needed = student in resubmitted or flagged
                else:
                    needed = auto is None or flagged and (student, name) in asked
                if row is not None:
                    what = (self._stem, student, name, ours.PARTS["auto_score"])
                    ours.note(self._connection, *what, row.auto_score, auto)
                values[notebook, cell] = {"auto_score": auto, "needs_manual_grade": needed}
        self._set("grade", values, there)

    def _write_comments(self, notebooks: dict[str, Submission]) -> None:
        values = {}
        for notebook, submission in notebooks.items():
            unanswered = {result.question for result in submission.questions if result.unanswered}
            for name, cell in self._solution_cells.items():
                said = NO_RESPONSE[submission.language] if name in unanswered else None
                values[notebook, cell] = {"auto_comment": said}
        self._set("comment", values, self._there("comment", notebooks, self._solution_cells))

    def _there(
        self, name: str, notebooks: Iterable[str], cells: Mapping[str, str]
    ) -> dict[tuple[str, str], sa.Row]:
        """Rows of notebooks' cells: asked for by cell too, for nbgrader's index begins with it."""
        table = self._tables[name]
        where = table.c.cell_id.in_(cells.values()), table.c.notebook_id.in_(notebooks)
        found = self._connection.execute(sa.select(table).where(*where))
        return {(row.notebook_id, row.cell_id): row for row in found}

    def _set(self, name: str, values: dict[tuple[str, str], dict], there: Container[tuple[str, str]]) -> None:
        """Enter `values` by notebook and cell, of which those in `there` have a row: two statements in all."""
        table = self._tables[name]
        keyed = [((n, c), {"notebook_id": n, "cell_id": c, **value}) for (n, c), value in values.items()]
        if new := [{"id": uuid.uuid4().hex, **row} for key, row in keyed if key not in there]:
            self._connection.execute(sa.insert(table), new)
        if known := [{"of_notebook": n, "of_cell": c, **values[n, c]} for n, c in values if (n, c) in there]:
            row = (
                table.c.notebook_id == sa.bindparam("of_notebook"),
                table.c.cell_id == sa.bindparam("of_cell"),
            )
            self._connection.execute(sa.update(table).where(*row), known)

    def _rows(
        self, name: str, column: str, values: dict[str, dict], of: dict | None = None, new: dict | None = None
    ) -> dict[str, str]:
        """Ids by what stands in `column`, of rows that are `of` something; made with `new` where there are none.

        Args:
            values: to set, by what stands in `column`.
        """
        table = self._tables[name]
        where = [table.c[key] == value for key, value in (of or {}).items()]
        query = sa.select(table.c[column].label("key"), table.c.id).where(*where, table.c[column].in_(values))
        found = {row.key: row.id for row in self._connection.execute(query)}
        # Where the column is the id itself, it stays as it is.
        made = {
            key: {"id": uuid.uuid4().hex, **(of or {}), column: key, **(new or {}), **about}
            for key, about in values.items()
            if key not in found
        }
        if made:
            self._connection.execute(sa.insert(table), list(made.values()))
        if changed := [
            {"of_id": found[key], **about} for key, about in values.items() if about and key in found
        ]:
            self._connection.execute(sa.update(table).where(table.c.id == sa.bindparam("of_id")), changed)
        return found | {key: row["id"] for key, row in made.items()}
