"""What a class has got: as a table, as JSON, as CSV."""

from __future__ import annotations

import csv
import io

from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.classroom.folder import Classroom
from grader.gradebook.marked import CHECK_PREFIX
from grader.results import Submission

UNGRADED = "ungraded"  # handed in, and nothing has come of it yet


def scores(classroom: Classroom, stem: str) -> list[Submission]:
    """Every submission, also those that are not graded yet.

    Raises:
        GraderError: the class does not have the exercise.
    """
    classroom.template(stem)
    return [
        classroom.result(stem, student) or Submission(exercise=stem, student=student, verdict=UNGRADED)
        for student in classroom.students(stem)
    ]


def report(questions: list[str], submissions: list[Submission]) -> Group:
    """Students and questions: points, and below them why they are not more."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("student", overflow="fold")
    for number, _ in enumerate(questions, 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    table.add_column("sum", justify="right", no_wrap=True)
    for submission in submissions:
        earned = {result.question: f"{result.earned:g}" for result in submission.questions}
        sums = f"{submission.earned:g}/{submission.possible:g}"
        table.add_row(
            Text(submission.student),
            *(earned.get(question, "") for question in questions),
            Text(sums) if submission.verdict == "graded" else Text(submission.verdict, style="yellow"),
        )
    legend = [Text(f"{number} {question}", style="dim") for number, question in enumerate(questions, 1)]
    return Group(table, *legend, Text(), *(line for s in submissions for line in _reasons(s)))


def _reasons(submission: Submission) -> list[Text | Padding]:
    lost = [result for result in submission.questions if result.earned < result.possible]
    lines = [f"{result.question}: {result.reason}" for result in lost]
    if len(lost) > 1 and all(result.unanswered for result in lost):
        lines = [f"{', '.join(result.question for result in lost)}: {lost[0].reason}"]
    lines = [*([submission.reason] if submission.reason else []), *lines, *submission.notes]
    return (
        [Text(submission.student, style="bold"), *(Padding(Text(line), (0, 0, 0, 2)) for line in lines)]
        if lines
        else []
    )


def questions_of(classroom: Classroom, stem: str) -> list[str]:
    return [name.removeprefix(CHECK_PREFIX) for name in classroom.template(stem).checks]


def export_csv(classroom: Classroom) -> str:
    """One row a student; for each exercise the score that counts and how it came about.

    The score is the gradebook's: what a person has entered, and penalties for lateness, included. It is empty where
    nothing counts yet: missing, ungraded, or ungradable and not looked at.
    """
    from grader.gradebook.tables import Gradebook

    stems = classroom.stems()
    columns = {}
    for stem in stems:
        with Gradebook(classroom.database, stem, classroom.config) as gradebook:
            columns[stem] = gradebook.scores()
    verdicts = {stem: {s.student: s.verdict for s in scores(classroom, stem)} for stem in stems}
    students = sorted({student for stem in stems for student in [*columns[stem], *verdicts[stem]]})
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["student", *(column for stem in stems for column in (stem, f"{stem}_verdict"))])
    for student in students:
        row = [_safe(student)]
        for stem in stems:
            score = columns[stem].get(student)
            verdict = verdicts[stem].get(student, "missing")
            if verdict == "ungradable" and score is not None:
                verdict = "manual"
            row += ["" if score is None or verdict in ("missing", UNGRADED) else f"{score:g}", verdict]
        writer.writerow(row)
    return text.getvalue()


def _safe(name: str) -> str:
    """A spreadsheet would run a cell that begins like a formula."""
    return f"'{name}" if name[:1] in "=+-@\t\r" else name
