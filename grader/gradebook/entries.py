"""Records that are read from the gradebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sqlalchemy as sa

from grader.gradebook import ours
from grader.gradebook.database import Assignment
from grader.gradebook.lateness import Late
from grader.gradebook.people import Person
from grader.notebook import CHECK_PREFIX


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
class QuestionGrade:
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
class StudentGrades:
    """A student's grades in an exercise."""

    name: str = ""
    penalty: float = 0.0
    questions: dict[str, QuestionGrade] = field(default_factory=dict)

    @property
    def score(self) -> float | None:
        found = [graded.points for graded in self.questions.values()]
        extra = sum(graded.extra for graded in self.questions.values())
        return None if None in found else sum(found) + extra - self.penalty

    @property
    def possible(self) -> float:
        return sum(graded.possible for graded in self.questions.values())


class Entries:
    """Reads what the gradebook holds of one exercise."""

    def __init__(self, assignment: Assignment):
        self._of = assignment

    def submitted(self) -> set[str]:
        """Students whose notebook has been entered."""
        submitted, notebook = (
            self._of.tables[name] for name in ("submitted_assignment", "submitted_notebook")
        )
        found = sa.select(submitted.c.student_id).join(notebook, notebook.c.assignment_id == submitted.c.id)
        return set(
            self._of.connection.execute(found.where(submitted.c.assignment_id == self._of.id)).scalars()
        )

    def scores(self, late: Mapping[str, Late]) -> dict[str, Counted]:
        """Each student's score, with what `lateness` says."""
        submitted, notebook, grade, base = (
            self._of.tables[name]
            for name in ("submitted_assignment", "submitted_notebook", "grade", "base_cell")
        )
        found = (
            sa.select(submitted.c.student_id, grade, base.c.name)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .join(grade, grade.c.notebook_id == notebook.c.id)
            .join(base, base.c.id == grade.c.cell_id)
            .where(submitted.c.assignment_id == self._of.id)
        )
        asked = {(row.student, row.cell) for row in self.asked() if row.answered is None}
        counted: dict[str, Counted] = {}
        for row in self._of.connection.execute(found):
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
        return counted

    def grades(self, late: Mapping[str, Late]) -> dict[str, StudentGrades]:
        """Everything that a page for a student tells, by student, with what `lateness` says."""
        student, submitted, notebook, grade, base, comment = (
            self._of.tables[name]
            for name in (
                "student",
                "submitted_assignment",
                "submitted_notebook",
                "grade",
                "base_cell",
                "comment",
            )
        )
        worth = self.worth()
        found = (
            sa.select(
                submitted.c.student_id, student.c.first_name, student.c.last_name,
                notebook.c.id.label("notebook"), base.c.name, grade,
            )
            .join(student, student.c.id == submitted.c.student_id)
            .join(notebook, notebook.c.assignment_id == submitted.c.id)
            .join(grade, grade.c.notebook_id == notebook.c.id)
            .join(base, base.c.id == grade.c.cell_id)
            .where(submitted.c.assignment_id == self._of.id)
        )  # fmt: skip
        said = sa.select(comment.c.notebook_id, base.c.name, comment.c.manual_comment).join(
            base, base.c.id == comment.c.cell_id
        )
        comments = {
            (row.notebook_id, row.name): row.manual_comment for row in self._of.connection.execute(said)
        }
        rows: dict[str, dict[str, QuestionGrade]] = {}
        everybody: dict[str, StudentGrades] = {}
        for row in self._of.connection.execute(found):
            person = Person(row.student_id, row.first_name or "", row.last_name or "")
            penalty = late[row.student_id].penalty if row.student_id in late else 0.0
            everybody[row.student_id] = StudentGrades(person.name, penalty)
            question, by_hand = row.name.removeprefix(CHECK_PREFIX), row.manual_score is not None
            rows.setdefault(row.student_id, {})[question] = QuestionGrade(
                row.manual_score if by_hand else row.auto_score,
                worth.get(row.name, 0.0),
                by_hand,
                row.extra_credit or 0.0,
                comments.get((row.notebook, question)) or "",
                bool(row.needs_manual_grade),
            )
        for name, graded in rows.items():
            everybody[name].questions = graded
        for asked in self.asked():
            if question := rows.get(asked.student, {}).get(asked.cell.removeprefix(CHECK_PREFIX)):
                question.asked.append(
                    (asked.said, asked.answered is not None or not question.waits, asked.answer or "")
                )
        return everybody

    def worth(self) -> dict[str, float]:
        """Each cell's maximum of points, by name."""
        base = self._of.tables["base_cell"]
        found = {}
        for kind in ("grade_cells", "task_cells"):
            kept = self._of.tables[kind]
            query = sa.select(base.c.name, kept.c.max_score).join(kept, kept.c.id == base.c.id)
            query = query.where(base.c.notebook_id == self._of.notebook)
            found.update({name: worth for name, worth in self._of.connection.execute(query)})
        return found

    def asked(self) -> list[sa.Row]:
        """Rows of the requests for another look."""
        if ours.REQUESTS.name not in self._of.tables:
            return []
        query = sa.select(ours.REQUESTS).where(ours.REQUESTS.c.exercise == self._of.stem)
        return self._of.connection.execute(query.order_by(ours.REQUESTS.c.id)).all()
