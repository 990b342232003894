"""Records that are read from the gradebook."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Counted:
    """A student's score in an exercise, and what it rests on.

    Attributes:
        score: extra credit and lateness included; None where somebody must still look.
        penalty: what lateness costs.
        by_hand: a person has entered points.
        outdated: something else was handed in since.
        asked: the student has asked for another look, and nobody has answered.
    """

    score: float | None
    penalty: float
    by_hand: bool = False
    outdated: bool = False
    asked: bool = False


@dataclass
class Graded:
    """A question's grade.

    Attributes:
        points: what counts; None while somebody must look.
        comment: a person's.
        waits: somebody must look.
        asked: requests for another look: what was said, whether somebody has looked since, and the answer.
    """

    points: float | None
    possible: float
    by_hand: bool = False
    extra: float = 0.0
    comment: str = ""
    waits: bool = False
    asked: list[tuple[str, bool, str]] = field(default_factory=list)


@dataclass
class Entered:
    """A student's grades in an exercise."""

    name: str = ""
    penalty: float = 0.0
    questions: dict[str, Graded] = field(default_factory=dict)

    @property
    def score(self) -> float | None:
        found = [graded.points for graded in self.questions.values()]
        extra = sum(graded.extra for graded in self.questions.values())
        return None if None in found else sum(found) + extra - self.penalty

    @property
    def possible(self) -> float:
        return sum(graded.possible for graded in self.questions.values())
