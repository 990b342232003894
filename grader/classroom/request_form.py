"""Requests for another look at a grade, as a form's CSV brings them; and who of those who teach looks at what."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from grader.classroom.folder import Classroom
from grader.classroom.scores import people_of
from grader.errors import GraderError
from grader.gradebook.csvfile import table_of
from grader.gradebook.people import Claim, People
from grader.gradebook.requests import Request, Requests
from grader.gradebook.roster import EMAILS, IDS
from grader.notebook import CHECK_PREFIX
from grader.shown import one_line

# A form's headings are whole questions: it is enough that one of these words is in them.
EXERCISE = ("exercise", "assignment", "연습", "과제")
QUESTION = ("question", "문제", "문항")
SAID = ("reason", "request", "message", "이유", "까닭", "사유", "내용", "요청")


@dataclass
class EnteredRequests:
    """The outcome of entering a file: how many are new, how many were there, and lines that could not be entered."""

    new: int = 0
    known: int = 0
    refused: list[str] = field(default_factory=list)


def enter_requests(classroom: Classroom, path: Path) -> EnteredRequests:
    """Enter the requests of a CSV; those that are there already are not entered twice.

    Raises:
        GraderError: it cannot be read, or lacks a column.
    """
    head, rows = table_of(path)
    who, exercise, question, said = (_column(head, words) for words in (IDS, EXERCISE, QUESTION, SAID))
    mail = _column(head, EMAILS)
    stems, people, outcome = classroom.stems(), people_of(classroom), EnteredRequests()
    lacking = {
        "student (학번)": who if who is not None else mail,
        "exercise (과제)": exercise if len(stems) > 1 else 0,
        "question (문제)": question,
        "reason (이유)": said,
    }
    if missing := [name for name, where in lacking.items() if where is None]:
        raise GraderError(
            f"{path} has no column for {', '.join(missing)}; it has: {', '.join(map(one_line, rows[0]))}."
        )
    known = People(people)
    with Requests(classroom.database) as requests:
        for number, row in enumerate(rows[1:], 2):
            cells = [cell.strip() for cell in row] + [""] * len(head)
            ids = (cells[who],) if who is not None else ()
            address = (cells[mail],) if mail is not None else ()
            student = known.certain(Claim(ids)) or known.certain(Claim(emails=(*ids, *address)))
            try:
                if not student:
                    raise GraderError("nobody in the class")
                stem = _exercise(cells[exercise] if exercise is not None else "", stems)
                request = Request(student, stem, _question(classroom, stem, cells[question]), cells[said])
                new = requests.enter(request)
            except GraderError as error:
                outcome.refused.append(f"line {number}: {error}")
                continue
            outcome.new += new
            outcome.known += not new
    return outcome


def _column(head: list[str], words: tuple[str, ...]) -> int | None:
    exact = (head.index(word) for word in words if word in head)
    within = (
        n
        for word in words
        for n, cell in enumerate(head)
        if len(word) > 2 or not word.isascii()
        if word in cell
    )
    return next(iter([*exact, *within]), None)


def _exercise(text: str, stems: list[str]) -> str:
    named = [stem for stem in stems if re.search(rf"\b{re.escape(stem)}\b", text)] or ([] if text else stems)
    if len(named) != 1:
        raise GraderError(f"which exercise is '{text}'? The class has: {', '.join(stems)}")
    return named[0]


def _question(classroom: Classroom, stem: str, text: str) -> str:
    """By its name, or by its number in the exercise."""
    names = [name.removeprefix(CHECK_PREFIX) for name in classroom.template(stem).graded]
    if named := [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]:
        return named[0]
    number = re.search(r"\d+", text)
    if number and 1 <= int(number[0]) <= len(names):
        return names[int(number[0]) - 1]
    raise GraderError(f"which question is '{text}'? {stem} asks: {', '.join(names)}")


def shared_out(everybody: list[str], among: list[str]) -> dict[str, str]:
    """The person who looks at each student's work: evenly, at random, and the same while the class is the same."""
    lots = sorted(everybody, key=lambda student: hashlib.sha256(student.encode()).digest())
    return {student: among[position % len(among)] for position, student in enumerate(lots)}
