"""Writes nbgrader's gradebook: one connection, one transaction a submission.

nbgrader's own API opens a session for each step and loads every relation that it touches. Here its tables are
taken from the database as they are (nbgrader is pinned), and a submission costs a few statements.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

import sqlalchemy as sa

from grader.errors import GraderError
from grader.gradebook import ours
from grader.gradebook.entries import Counted, Entered, Graded
from grader.gradebook.lateness import Late, LatePolicy, marked_time
from grader.gradebook.marked import CHECK_PREFIX
from grader.gradebook.people import Person
from grader.results import Submission

if TYPE_CHECKING:
    from traitlets.config import Config

LOCKED_SECONDS = 60
NO_RESPONSE = {"ko": "답하지 않았습니다.", "en": "Not answered."}  # of a notebook in which language
EPOCH = datetime(1970, 1, 1)


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
        engine = connect(url)
        reflected = sa.MetaData()
        patiently(lambda: reflected.reflect(engine))
        self._tables = reflected.tables
        if "assignment" not in self._tables:
            raise GraderError(f"{url} is no gradebook of nbgrader's. Make a class with 'grader new-class'.")
        self._connection, self._stem = engine.connect(), stem
        patiently(lambda: self._look_up(stem))

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
        """Times and costs of lateness of all who have handed in, by the present dates and policy. Nothing is written.

        Args:
            handed_in: when, by student, in UTC without a zone; None where nobody says.
            marked: by exercise, whose work a platform has marked as late without a time.

        Raises:
            GraderError: the database stays locked, or the policy cannot be loaded.
        """
        found: dict[str, Late] = {}
        patiently(lambda: found.update(self._lateness(handed_in, marked)))
        self._connection.rollback()
        return found

    def settle(self, handed_in: Mapping[str, datetime | None], marked: Mapping[str, Container[str]]) -> None:
        """Enter when submissions were handed in, and what `lateness` says that they cost."""
        patiently(lambda: self._transact(lambda: self._settle(handed_in, marked)))

    def students(self) -> list[str]:
        """Everybody whom the gradebook knows, whether or not they have handed anything in."""
        found = self._connection.execute(sa.select(self._tables["student"].c.id)).scalars().all()
        self._connection.rollback()
        return sorted(found)

    def possible(self) -> float:
        """The exercise's maximum of points."""
        worth = sum(self._worth().values())
        self._connection.rollback()
        return worth

    def scores(self, late: Mapping[str, Late]) -> dict[str, Counted]:
        """Each student's score, with what `lateness` says."""
        submitted, notebook, grade, base = (
            self._tables[name]
            for name in ("submitted_assignment", "submitted_notebook", "grade", "base_cell")
        )
        found = (
            sa.select(submitted.c.student_id, grade, base.c.name)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .join(grade, grade.c.notebook_id == notebook.c.id)
            .join(base, base.c.id == grade.c.cell_id)
            .where(submitted.c.assignment_id == self._assignment.id)
        )
        asked = {(row.student, row.cell) for row in self._asked() if row.answered is None}
        counted: dict[str, Counted] = {}
        for row in self._connection.execute(found):
            penalty = late[row.student_id].penalty if row.student_id in late else 0.0
            counts = counted.setdefault(row.student_id, Counted(-penalty, penalty))
            by_hand = row.manual_score is not None
            score = row.manual_score if by_hand else row.auto_score
            known = counts.score is not None and score is not None
            counts.score = counts.score + score + (row.extra_credit or 0.0) if known else None
            counts.by_hand |= by_hand
            waits = bool(row.needs_manual_grade) and (row.student_id, row.name) in asked
            counts.asked |= waits
            counts.outdated |= by_hand and bool(row.needs_manual_grade) and not waits
        self._connection.rollback()
        return counted

    def entered(self, late: Mapping[str, Late]) -> dict[str, Entered]:
        """Everything that a page for a student tells, by student, with what `lateness` says."""
        student, submitted, notebook, grade, base, comment = (
            self._tables[name]
            for name in (
                "student",
                "submitted_assignment",
                "submitted_notebook",
                "grade",
                "base_cell",
                "comment",
            )
        )
        worth = self._worth()
        found = (
            sa.select(
                submitted.c.student_id, student.c.first_name, student.c.last_name,
                notebook.c.id.label("notebook"), base.c.name, grade,
            )
            .join(student, student.c.id == submitted.c.student_id)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .join(grade, grade.c.notebook_id == notebook.c.id)
            .join(base, base.c.id == grade.c.cell_id)
            .where(submitted.c.assignment_id == self._assignment.id)
        )  # fmt: skip
        said = sa.select(comment.c.notebook_id, base.c.name, comment.c.manual_comment).join(
            base, base.c.id == comment.c.cell_id
        )
        comments = {(row.notebook_id, row.name): row.manual_comment for row in self._connection.execute(said)}
        rows: dict[str, dict[str, Graded]] = {}
        everybody: dict[str, Entered] = {}
        for row in self._connection.execute(found):
            person = Person(row.student_id, row.first_name or "", row.last_name or "")
            penalty = late[row.student_id].penalty if row.student_id in late else 0.0
            everybody[row.student_id] = Entered(person.name, penalty)
            question, by_hand = row.name.removeprefix(CHECK_PREFIX), row.manual_score is not None
            rows.setdefault(row.student_id, {})[question] = Graded(
                row.manual_score if by_hand else row.auto_score,
                worth.get(row.name, 0.0),
                by_hand,
                row.extra_credit or 0.0,
                comments.get((row.notebook, question)) or "",
                bool(row.needs_manual_grade),
            )
        for name, graded in rows.items():
            everybody[name].questions = graded
        for asked in self._asked():
            if question := rows.get(asked.student, {}).get(asked.cell.removeprefix(CHECK_PREFIX)):
                question.asked.append(
                    (asked.said, asked.answered is not None or not question.waits, asked.answer or "")
                )
        self._connection.rollback()
        return everybody

    def _worth(self) -> dict[str, float]:
        """Each cell's maximum of points, by name."""
        base = self._tables["base_cell"]
        found = {}
        for kind in ("grade_cells", "task_cells"):
            kept = self._tables[kind]
            query = sa.select(base.c.name, kept.c.max_score).join(kept, kept.c.id == base.c.id)
            query = query.where(base.c.notebook_id == self._assignment.notebook)
            found.update({name: worth for name, worth in self._connection.execute(query)})
        return found

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
        asked = {asked.cell for asked in self._asked(submission.student) if asked.answered is None}
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

    def _asked(self, student: str | None = None) -> list[sa.Row]:
        """Rows of the requests for another look."""
        if ours.REQUESTS.name not in self._tables:
            return []
        query = sa.select(ours.REQUESTS).where(ours.REQUESTS.c.exercise == self._stem)
        query = query if student is None else query.where(ours.REQUESTS.c.student == student)
        return self._connection.execute(query.order_by(ours.REQUESTS.c.id)).all()

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

    def _lateness(
        self, handed_in: Mapping[str, datetime | None], marked: Mapping[str, Container[str]]
    ) -> dict[str, Late]:
        due, stem = self._assignment.duedate, self._stem
        times = {}
        for row in self._submitted():
            when = handed_in.get(row.student_id, row.timestamp)
            counted = when or (marked_time(due) if row.student_id in marked.get(stem, ()) else None)
            times[row.student_id] = (when, counted, row.extension, row.total)
        spent = self._late_days({student: counted for student, (_, counted, *_) in times.items()}, marked)
        found = {}
        for student, (when, counted, extension, total) in times.items():
            late = self._policy.seconds_late(counted, due, interval(extension), spent.get(student, 0))
            found[student] = Late(when, self._policy.penalty(student, total, late))
        return found

    def _submitted(self) -> Sequence[sa.Row]:
        submitted, notebook, grade = (
            self._tables[name] for name in ("submitted_assignment", "submitted_notebook", "grade")
        )
        score = sa.func.coalesce(grade.c.manual_score, grade.c.auto_score, 0.0)
        total = sa.func.sum(score + sa.func.coalesce(grade.c.extra_credit, 0.0)).label("total")
        penalty = notebook.c.late_submission_penalty
        found = (
            sa.select(submitted, notebook.c.id.label("notebook"), penalty.label("penalty"), total)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .join(grade, grade.c.notebook_id == notebook.c.id)
            .where(submitted.c.assignment_id == self._assignment.id)
            .group_by(submitted.c.id, notebook.c.id)
        )
        return self._connection.execute(found).all()

    def _settle(self, handed_in: Mapping[str, datetime | None], marked: Mapping[str, Container[str]]) -> None:
        submitted, notebook = (self._tables[name] for name in ("submitted_assignment", "submitted_notebook"))
        found = self._lateness(handed_in, marked)
        for row in self._submitted():
            late = found[row.student_id]
            if late.when != row.timestamp:
                change = sa.update(submitted).where(submitted.c.id == row.id)
                self._connection.execute(change.values(timestamp=late.when))
            if late.penalty != (row.penalty or 0.0):
                change = sa.update(notebook).where(notebook.c.id == row.notebook)
                self._connection.execute(change.values(late_submission_penalty=late.penalty or None))
                what = (self._stem, row.student_id, "", ours.LATE)
                ours.note(self._connection, *what, row.penalty or 0.0, late.penalty)

    def _late_days(
        self, here: Mapping[str, datetime | None], marked: Mapping[str, Container[str]]
    ) -> dict[str, int]:
        """Days of each student's budget that are spent here: by the day, on what is due first.

        Args:
            here: when this exercise was handed in; of the others the gradebook says so.
        """
        if not self._policy.budget:
            return {}
        submitted, assignment = self._tables["submitted_assignment"], self._tables["assignment"]
        found = (
            sa.select(submitted.c.student_id, submitted.c.timestamp, submitted.c.extension)
            .add_columns(assignment.c.id.label("exercise"), assignment.c.name, assignment.c.duedate)
            .join(assignment, assignment.c.id == submitted.c.assignment_id)
            .where(assignment.c.duedate.is_not(None))
            .order_by(assignment.c.duedate, assignment.c.name)
        )
        left: dict[str, int] = {}
        spent: dict[str, int] = {}
        for row in self._connection.execute(found):
            when = row.timestamp
            if row.exercise == self._assignment.id:
                when = here.get(row.student_id)
            elif when is None and row.student_id in marked.get(row.name, ()):
                when = marked_time(row.duedate)
            days = self._policy.days_late(when, row.duedate, interval(row.extension))
            days = min(left.get(row.student_id, self._policy.budget), days)
            left[row.student_id] = left.get(row.student_id, self._policy.budget) - days
            if row.exercise == self._assignment.id:
                spent[row.student_id] = days
        return spent

    @cached_property
    def _policy(self) -> LatePolicy:
        return LatePolicy(self._config)


def interval(extension: timedelta | datetime | None) -> timedelta:
    # SQLite keeps an interval as a date after the epoch.
    return extension - EPOCH if isinstance(extension, datetime) else extension or timedelta()


def connect(url: str) -> sa.Engine:
    """An engine for the gradebook's database.

    Raises:
        GraderError: the database's driver is not installed, or there is none of that name.
    """
    try:
        return sa.create_engine(url, connect_args={"timeout": 5} if url.startswith("sqlite") else {})
    except (ModuleNotFoundError, sa.exc.ArgumentError) as error:
        driver = " Install it: pip install '.[postgres]'" if "psycopg2" in str(error) else ""
        raise GraderError(f"The gradebook's database cannot be reached: {error}.{driver}") from error


def patiently(action: Callable[[], None]) -> None:
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
    except sa.exc.IntegrityError as error:
        raise _Locked from error  # another has just entered the same student: look again
    except sa.exc.OperationalError as error:
        said = str(error.orig).partition("\n")[0]
        if "locked" in said:
            raise _Locked from error
        if "full" in said:
            raise GraderError(
                "No space is left for the gradebook. Free some and run the same command again."
            ) from error
        raise GraderError(f"The gradebook cannot be used: {said}.") from error
