"""Lateness and its cost: deadlines by the calendar of the class' zone, a budget of late days, nbgrader's policy."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING

import sqlalchemy as sa

from grader.errors import GraderError
from grader.gradebook import ours
from grader.gradebook.database import Assignment, interval
from grader.gradebook.times import class_zone, days_between, later

if TYPE_CHECKING:
    from nbgrader.plugins import LateSubmissionPlugin
    from traitlets.config import Config


@dataclass(frozen=True)
class Late:
    """A time of handing in (UTC without a zone; None where nobody says), and the points that its lateness costs."""

    when: datetime | None
    penalty: float


def marked_time(due: datetime | None) -> datetime | None:
    """The time that counts for what a platform has marked as late, and says no more: a moment after it was due."""
    return None if due is None else due + timedelta(seconds=1)


class LatePolicy:
    """The late policy of a class, from nbgrader's settings.

    Attributes:
        budget: days by which everybody may be late, over all exercises together.
    """

    def __init__(self, config: Config):
        self._config = config
        self.budget = int(config.LateDays.get("budget", 0))

    @cached_property
    def _zone(self) -> tzinfo:
        return class_zone(self._config)

    def days_late(self, when: datetime | None, due: datetime, extension: timedelta) -> int:
        """Days begun after the deadline, by the calendar."""
        if when is None:
            return 0
        late = days_between(later(due, extension, self._zone), when, self._zone)
        return max(0, math.ceil(late / timedelta(days=1)))

    def seconds_late(
        self, when: datetime | None, due: datetime | None, extension: timedelta, covered: int
    ) -> float:
        """Seconds late, after an extension and days of the budget; 0 for what is in time, or has no time."""
        if when is None or due is None:
            return 0.0
        deadline = later(due, extension + timedelta(days=covered), self._zone)
        return max(0.0, (when - deadline).total_seconds())

    def last_moment(self, due: datetime, extensions: Iterable[timedelta]) -> datetime:
        """The end of the longest extension, all days of the budget after it."""
        return later(due, max(extensions, default=timedelta()) + timedelta(days=self.budget), self._zone)

    def penalty(self, student: str, score: float, late: float) -> float:
        """Points that lateness of so many seconds costs, by nbgrader's policy: from 0 to what was earned."""
        if late <= 0:
            return 0.0
        penalty = self._plugin.late_submission_penalty(student, score, late)
        return min(max(penalty or 0.0, 0.0), score)

    @cached_property
    def _plugin(self) -> LateSubmissionPlugin:
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


class Lateness:
    """The lateness of one exercise' work, by the present dates and policy."""

    def __init__(self, assignment: Assignment, policy: LatePolicy):
        self._assignment, self._policy = assignment, policy

    def of_all(
        self, handed_in: Mapping[str, datetime | None], marked: Mapping[str, Container[str]]
    ) -> dict[str, Late]:
        """Times and costs of all who have handed in. Nothing is written.

        Args:
            handed_in: when, by student, in UTC without a zone; None where nobody says.
            marked: by exercise, whose work a platform has marked as late without a time.

        Raises:
            GraderError: the policy cannot be loaded.
        """
        due, stem = self._assignment.due, self._assignment.stem
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
            self._assignment.tables[name] for name in ("submitted_assignment", "submitted_notebook", "grade")
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
        return self._assignment.connection.execute(found).all()

    def store(self, handed_in: Mapping[str, datetime | None], marked: Mapping[str, Container[str]]) -> None:
        """Enter what `of_all` says."""
        submitted, notebook = (
            self._assignment.tables[name] for name in ("submitted_assignment", "submitted_notebook")
        )
        found = self.of_all(handed_in, marked)
        for row in self._submitted():
            late = found[row.student_id]
            if late.when != row.timestamp:
                change = sa.update(submitted).where(submitted.c.id == row.id)
                self._assignment.connection.execute(change.values(timestamp=late.when))
            if late.penalty != (row.penalty or 0.0):
                change = sa.update(notebook).where(notebook.c.id == row.notebook)
                self._assignment.connection.execute(
                    change.values(late_submission_penalty=late.penalty or None)
                )
                what = (self._assignment.stem, row.student_id, "", ours.LATE)
                ours.note(self._assignment.connection, *what, row.penalty or 0.0, late.penalty)

    def _late_days(
        self, here: Mapping[str, datetime | None], marked: Mapping[str, Container[str]]
    ) -> dict[str, int]:
        """Days of each student's budget that are spent here: by the day, on what is due first.

        Args:
            here: when this exercise was handed in; of the others the gradebook says so.
        """
        if not self._policy.budget:
            return {}
        submitted, assignment = (
            self._assignment.tables["submitted_assignment"],
            self._assignment.tables["assignment"],
        )
        found = (
            sa.select(submitted.c.student_id, submitted.c.timestamp, submitted.c.extension)
            .add_columns(assignment.c.id.label("exercise"), assignment.c.name, assignment.c.duedate)
            .join(assignment, assignment.c.id == submitted.c.assignment_id)
            .where(assignment.c.duedate.is_not(None))
            .order_by(assignment.c.duedate, assignment.c.name)
        )
        left: dict[str, int] = {}
        spent: dict[str, int] = {}
        for row in self._assignment.connection.execute(found):
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
