"""Fills the file that an instructor has downloaded: Canvas' gradebook, or the grading worksheet of a Moodle assignment.

Their importers ask for their own columns, ids and headings back, so nothing else of the file is touched.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from pathlib import Path

from grader.classroom.folder import Classroom
from grader.classroom.scores import counted, roster
from grader.errors import GraderError
from grader.gradebook.roster import spellings, text_of

# Moodle's headings are in the site's language.
IDENTIFIER = ("identifier", "식별자", "식별번호")
GRADE = ("grade", "성적", "점수", "평점")
IDS = ("id number", "학번", "id", "sis user id", "sis login id", "email address", "이메일 주소", "이메일")
NAMES = ("student", "full name", "이름", "성명")


@dataclass
class Filled:
    """A file with scores in it.

    Attributes:
        rows: how many scores were entered.
        unmatched: rows of nobody in the class.
    """

    text: str
    rows: int = 0
    unmatched: list[str] = field(default_factory=list)


def fill(classroom: Classroom, path: Path, stems: list[str]) -> Filled:
    """
    Args:
        stems: the exercises; one for a worksheet of Moodle's.

    Raises:
        GraderError: it is neither, or has no column for an exercise.
    """
    text = text_of(path)
    rows = list(csv.reader(io.StringIO(text)))
    if not rows:
        raise GraderError(f"{path} is empty.")
    head = [cell.strip().casefold() for cell in rows[0]]
    moodle = any(name in head for name in IDENTIFIER)
    if not moodle and not {"student", "id"} <= set(head):
        raise GraderError(
            f"{path} is neither a gradebook that Canvas has exported (Student, ID, ...) nor a grading worksheet of "
            "Moodle's (Identifier, ..., Grade)."
        )
    columns = _moodle_column(path, head, stems) if moodle else _canvas_columns(path, rows[0], stems)
    finals = {stem: counted(classroom, stem) for stem in columns}
    people = roster(classroom)
    known = {student for final in finals.values() for student in final}
    names: dict[str, list[str]] = {}
    for person in people.values():
        for name in person.known_as:
            names.setdefault(name, []).append(person.id)
    mails = {person.email: person.id for person in people.values() if person.email}
    filled = Filled("")
    for row in rows[1:]:
        student = _student(head, row, known, mails, names)
        if student is None:
            if row and "points possible" not in row[0].casefold() and any(row):
                filled.unmatched.append(row[0].strip())
            continue
        for stem, column in columns.items():
            score, _ = finals[stem].get(student, (None, ""))
            if score is not None:
                row += [""] * (column + 1 - len(row))
                row[column] = f"{score:g}"
                filled.rows += 1
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    filled.text = out.getvalue()
    return filled


def _moodle_column(path: Path, head: list[str], stems: list[str]) -> dict[str, int]:
    if len(stems) != 1:
        raise GraderError("A worksheet of Moodle's is for one assignment. Say which with --exercise.")
    found = next((head.index(name) for name in GRADE if name in head), None)
    if found is None:
        raise GraderError(f"{path} has no column of grades; it has: {', '.join(head)}.")
    return {stems[0]: found}


def _canvas_columns(path: Path, head: list[str], stems: list[str]) -> dict[str, int]:
    """The columns of exercises: `masking (12345)`, as Canvas calls an assignment that it knows."""
    columns = {}
    for stem in stems:
        for number, cell in enumerate(head):
            if re.fullmatch(rf"{re.escape(stem)}(\s*\(\d+\))?", cell.strip(), re.IGNORECASE):
                columns[stem] = number
    if not columns:
        raise GraderError(
            f"{path} has no column for {', '.join(stems)}. Make an assignment of that name in Canvas and export anew; "
            "a column of another name would become a new assignment."
        )
    return columns


def _student(
    head: list[str], row: list[str], known: set[str], mails: dict[str, str], names: dict[str, list[str]]
) -> str | None:
    def cells(wanted: tuple[str, ...]) -> list[str]:
        return [
            row[head.index(name)].strip() for name in wanted if name in head and head.index(name) < len(row)
        ]

    numbers = [match[0] for cell in cells(IDENTIFIER) if (match := re.search(r"\d+", cell))]
    for cell in [*cells(IDS), *numbers]:
        if cell in known:
            return cell
        if mails.get(cell) in known:
            return mails[cell]
    for cell in cells(NAMES):
        same = {student for name in spellings(cell) for student in names.get(name, [])}
        if len(same) == 1:
            return same.pop()
    return None
