"""The scores of a class: as a table, as JSON, as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.classroom.folder import Classroom
from grader.classroom.lateness import lateness
from grader.gradebook.entries import Counted
from grader.gradebook.people import Person
from grader.gradebook.register import Register
from grader.gradebook.tables import Gradebook
from grader.notebook import CHECK_PREFIX
from grader.results import Submission
from grader.shown import cell
from grader.words import IN_KOREAN, Words

UNGRADED = "ungraded"  # handed in, and nothing has come of it yet
MISSING = "missing"  # nothing was handed in


def scores(classroom: Classroom, stem: str) -> list[Submission]:
    """Every submission, also those that are not graded yet, and who has handed in nothing.

    Raises:
        GraderError: the class does not have the exercise.
    """
    classroom.template(stem)
    with Gradebook(classroom.database, stem, classroom.config) as gradebook:
        roster = gradebook.students()
    there = classroom.students(stem)
    verdicts = {**dict.fromkeys(roster, MISSING), **dict.fromkeys(there, UNGRADED)}
    return [
        student in there
        and classroom.result(stem, student)
        or Submission(exercise=stem, student=student, verdict=verdict)
        for student, verdict in sorted(verdicts.items())
    ]


def report(
    questions: list[str],
    submissions: list[Submission],
    names: dict[str, str] | None = None,
    voices: Mapping[str, Words] | None = None,
) -> Group:
    """Students and questions: points, and below them why they are not more.

    Args:
        names: of the people, by id.
        voices: what is said in which language; a student's reasons stand in that of the notebook.
    """
    named = {student: f"{student} {name}".strip() for student, name in (names or {}).items()}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("student", overflow="fold")
    for number, _ in enumerate(questions, 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    table.add_column("sum", justify="right", no_wrap=True)
    for submission in submissions:
        earned = {result.question: f"{result.earned:g}" for result in submission.questions}
        sums = f"{submission.earned:g}/{submission.possible:g}"
        table.add_row(
            Text(named.get(submission.student, submission.student)),
            *(earned.get(question, "") for question in questions),
            Text(sums) if submission.verdict == "graded" else Text(submission.verdict, style="yellow"),
        )
    legend = [Text(f"{number} {question}", style="dim") for number, question in enumerate(questions, 1)]
    return Group(
        table,
        *legend,
        Text(),
        *(line for s in submissions for line in _reasons(s, (voices or {}).get(s.language, IN_KOREAN))),
    )


def _reasons(submission: Submission, words: Words) -> list[Text | Padding]:
    lost = [result for result in submission.questions if result.earned < result.possible or result.excused]
    lines = [f"{result.question}: {result.said(words)}" for result in lost]
    if len(lost) > 1 and all(result.unanswered for result in lost):
        lines = [f"{', '.join(result.question for result in lost)}: {lost[0].said(words)}"]
    lines = [
        *([words(submission.reason)] if submission.reason else []),
        *lines,
        *map(words, submission.notes),
    ]
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
    stems = classroom.stems()
    columns = {stem: counted(classroom, stem) for stem in stems}
    text = io.StringIO()
    writer = csv.writer(text)
    people = people_of(classroom)
    about = ["name", "email"] if any(person.name or person.email for person in people.values()) else []
    writer.writerow(["student", *about, *(column for stem in stems for column in (stem, f"{stem}_verdict"))])
    for student in sorted({student for column in columns.values() for student in column}):
        row = [cell(student)]
        if about:
            person = people.get(student, Person(student))
            row += [cell(person.name), cell(person.email)]
        for stem in stems:
            score, verdict = columns[stem].get(student, (None, MISSING))
            row += ["" if score is None else f"{score:g}", verdict]
        writer.writerow(row)
    return text.getvalue()


def people_of(classroom: Classroom) -> dict[str, Person]:
    """The people of a class, by id, as its gradebook has them."""
    with Register(classroom.database) as register:
        return register.people()


def on_roster(classroom: Classroom) -> dict[str, Person]:
    """Those of them whom work may be of; nobody where no roster was entered, and who hands in says who is there."""
    with Register(classroom.database) as register:
        people, listed = register.people(), register.listed()
    described = any(person.name or person.email or person.also for person in people.values())
    return people if listed or described else {}


def outsiders(classroom: Classroom, students: list[str]) -> list[str]:
    """Those of these whom no roster has named; nobody, where the class has had none."""
    with Register(classroom.database) as register:
        listed = register.listed()
    return sorted(set(students) - listed) if listed else []


def counted(classroom: Classroom, stem: str) -> dict[str, tuple[float | None, str]]:
    """The score that counts and the verdict of everybody in the class, by the present dates and policy."""
    verdicts = {submission.student: submission.verdict for submission in scores(classroom, stem)}
    with Gradebook(classroom.database, stem, classroom.config) as gradebook:
        entered = gradebook.scores(lateness(classroom, stem, gradebook))
    return {student: _counts(verdict, entered.get(student)) for student, verdict in verdicts.items()}


def _counts(verdict: str, entered: Counted | None) -> tuple[float | None, str]:
    if entered is None or verdict in (MISSING, UNGRADED):
        return None, verdict
    if entered.score is None:
        return None, "ungradable" if verdict == "ungradable" else "to grade by hand"
    if entered.asked:
        return entered.score, "regrade asked for"
    if entered.outdated:
        return entered.score, "manual, then handed in anew"
    return entered.score, "manual" if entered.by_hand else verdict
