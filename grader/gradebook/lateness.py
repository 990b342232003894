"""Lateness and its cost: deadlines by the calendar of the class' zone, a budget of late days, nbgrader's policy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING

from grader.errors import GraderError
from grader.gradebook.times import days_between, later, zone_of

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


def class_zone(config: Config) -> tzinfo:
    """The zone in which a class' days begin and end: `c.Dates.timezone`, or this machine's."""
    return zone_of(config.Dates.get("timezone", None))


class LatePolicy:
    """
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
