"""Writes nbgrader's gradebook: one connection, one transaction a submission.

nbgrader's own API opens a session for each step and loads every relation that it touches. Here its tables are
taken from the database as they are (nbgrader is pinned), and a submission costs a few statements.
"""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

import sqlalchemy as sa

from grader.errors import GraderError
from grader.gradebook import ours
from grader.gradebook.entries import Counted, Entered, Graded
from grader.gradebook.marked import CHECK_PREFIX
from grader.gradebook.roster import Person
from grader.results import Submission

if TYPE_CHECKING:
    from nbgrader.plugins import LateSubmissionPlugin
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

    def settle(self, handed_in: dict[str, datetime | None]) -> None:
        """Enter when submissions were handed in, and what lateness costs each, by the present dates and policy.

        Args:
            handed_in: by student, in UTC without a zone.

        Raises:
            GraderError: the database stays locked, or the policy cannot be loaded.
        """
        patiently(lambda: self._transact(lambda: self._settle(handed_in)))

    def students(self) -> list[str]:
        """Everybody whom the gradebook knows, whether or not they have handed anything in."""
        found = self._connection.execute(sa.select(self._tables["student"].c.id)).scalars().all()
        self._connection.rollback()
        return sorted(found)

    def scores(self) -> dict[str, Counted]:
        """What counts for each student."""
        submitted, notebook, grade, base = (
            self._tables[name]
            for name in ("submitted_assignment", "submitted_notebook", "grade", "base_cell")
        )
        found = (
            sa.select(submitted.c.student_id, notebook.c.late_submission_penalty, grade, base.c.name)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .join(grade, grade.c.notebook_id == notebook.c.id)
            .join(base, base.c.id == grade.c.cell_id)
            .where(submitted.c.assignment_id == self._assignment.id)
        )
        asked = {(row.student, row.cell) for row in self._asked() if row.answered is None}
        counted: dict[str, Counted] = {}
        for row in self._connection.execute(found):
            penalty = row.late_submission_penalty or 0.0
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

    def entered(self) -> dict[str, Entered]:
        """Everything that a page for a student tells, by student."""
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
                notebook.c.id.label("notebook"), notebook.c.late_submission_penalty, base.c.name, grade,
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
            everybody[row.student_id] = Entered(person.name, row.late_submission_penalty or 0.0)
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
        """What each cell is worth, by name."""
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
        when = {} if handed_in is None else {"timestamp": handed_in}
        self._row("student", {"id": submission.student})
        of_student = {"assignment_id": self._assignment.id, "student_id": submission.student}
        submitted = self._row("submitted_assignment", of_student, **when)
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
        """Who has asked for another look at what."""
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

    def _settle(self, handed_in: dict[str, datetime | None]) -> None:
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
        rows = self._connection.execute(found).all()
        times = {row.student_id: handed_in.get(row.student_id) or row.timestamp for row in rows}
        for row in rows:
            if times[row.student_id] != row.timestamp:
                change = sa.update(submitted).where(submitted.c.id == row.id)
                self._connection.execute(change.values(timestamp=times[row.student_id]))
        covered = self._late_days()
        for row in rows:
            free = covered.get(row.student_id, timedelta())
            cost = self._late_penalty(row.student_id, times[row.student_id], row.extension, free, row.total)
            if (cost or 0.0) != (row.penalty or 0.0):
                change = sa.update(notebook).where(notebook.c.id == row.notebook)
                self._connection.execute(change.values(late_submission_penalty=cost))
                what = (self._stem, row.student_id, "", ours.LATE)
                ours.note(self._connection, *what, row.penalty or 0.0, cost or 0.0)

    def _late_days(self) -> dict[str, timedelta]:
        """How much lateness each student's budget covers here: spent by the day, on what is due first."""
        budget = int(self._config.LateDays.get("budget", 0))
        if not budget:
            return {}
        submitted, assignment = self._tables["submitted_assignment"], self._tables["assignment"]
        found = (
            sa.select(submitted.c.student_id, submitted.c.timestamp, submitted.c.extension)
            .add_columns(assignment.c.id.label("exercise"), assignment.c.duedate)
            .join(assignment, assignment.c.id == submitted.c.assignment_id)
            .where(assignment.c.duedate.is_not(None), submitted.c.timestamp.is_not(None))
            .order_by(assignment.c.duedate, assignment.c.name)
        )
        left: dict[str, int] = {}
        here: dict[str, timedelta] = {}
        for row in self._connection.execute(found):
            late = row.timestamp - row.duedate - _interval(row.extension)
            days = min(left.get(row.student_id, budget), max(0, math.ceil(late / timedelta(days=1))))
            left[row.student_id] = left.get(row.student_id, budget) - days
            if row.exercise == self._assignment.id:
                here[row.student_id] = timedelta(days=days)
        return here

    def _late_penalty(
        self, student: str, when: datetime | None, extension: object, covered: timedelta, score: float
    ) -> float | None:
        if when is None or self._assignment.duedate is None:
            return None
        late = (when - self._assignment.duedate - _interval(extension) - covered).total_seconds()
        if late <= 0:
            return None
        penalty = self._policy.late_submission_penalty(student, score, late)
        return None if penalty is None else min(max(penalty, 0.0), score)

    @cached_property
    def _policy(self) -> LateSubmissionPlugin:
        from nbgrader.plugins import BasePlugin
        from nbgrader.preprocessors import AssignLatePenalties
        from traitlets import TraitError
        from traitlets.utils.importstring import import_item

        named = self._config.AssignLatePenalties.get(
            "plugin_class", AssignLatePenalties.plugin_class.default_value
        )
        about = f"nbgrader_config.py: AssignLatePenalties.plugin_class = {named!r}"
        try:
            kind = import_item(named) if isinstance(named, str) else named
        except Exception as error:  # it runs an instructor's module
            raise GraderError(f"{about} cannot be loaded ({type(error).__name__}: {error}).") from error
        if not (
            isinstance(kind, type)
            and issubclass(kind, BasePlugin)
            and hasattr(kind, "late_submission_penalty")
        ):
            raise GraderError(
                f"{about} is no late policy: make it a class that extends LateSubmissionPlugin."
            )
        try:
            assigner = AssignLatePenalties(config=self._config)
            assigner.init_plugin()
        except TraitError as error:
            raise GraderError(f"nbgrader_config.py: {error}") from error
        return assigner.plugin_inst


def _interval(extension: timedelta | datetime | None) -> timedelta:
    # SQLite keeps an interval as a date after the epoch.
    return extension - EPOCH if isinstance(extension, datetime) else extension or timedelta()


def connect(url: str) -> sa.Engine:
    """
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
