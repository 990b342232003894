"""Fills the file that an instructor has downloaded: Canvas' gradebook, or the grading worksheet of a Moodle assignment.

Their importers ask for their own columns, ids and headings back: nothing but empty cells and earlier points of the
exercises' columns is touched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from grader.classroom.folder import Classroom
from grader.classroom.platforms import canvas, moodle
from grader.classroom.scores import counted, people_of
from grader.errors import GraderError
from grader.gradebook.csvfile import CsvFile, heading
from grader.gradebook.people import People
from grader.gradebook.roster import of_nobody
from grader.gradebook.tables import Gradebook
from grader.shown import one_line

_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")


@dataclass
class Filled:
    """A file with scores in it.

    Attributes:
        rows: how many scores were entered.
        unmatched: rows of nobody in the class.
        kept: cells that hold a mark and no points (EX), with whose they are: they stay.
        scaled: exercises whose points are others there, and how they were scaled.
    """

    content: bytes
    rows: int = 0
    unmatched: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    scaled: list[str] = field(default_factory=list)


def fill(classroom: Classroom, path: Path, stems: list[str], scale: bool = False) -> Filled:
    """A platform's own file of grades with the class' points in it.

    Args:
        stems: the exercises; one for a worksheet of Moodle's.
        scale: where an exercise is worth other points there, enter points in proportion.

    Raises:
        GraderError: it is neither, has no column for an exercise, or two, or other points for one.
    """
    file = CsvFile(path)
    head, filled = file.rows[0], Filled(b"")
    if moodle.is_worksheet(head):
        claim_of, columns = moodle.claim_of, _moodle_column(path, head, stems)
    elif canvas.is_gradebook(head):
        claim_of, columns = canvas.claim_of, _canvas_columns(path, head, stems)
    else:
        raise GraderError(
            f"{path} is neither a gradebook that Canvas has exported (Student, ID, ...) nor a grading worksheet of "
            "Moodle's (Identifier, ..., Grade)."
        )
    bodies = [(n, row) for n, row in enumerate(file.rows) if n and any(row) and not of_nobody(row)]
    claims = {number: claim_of(head, row) for number, row in bodies}
    whose = People(people_of(classroom)).find(claims.values())
    factors = {
        stem: _factor(classroom, file, stem, column, scale, filled) for stem, column in columns.items()
    }
    finals = {stem: counted(classroom, stem) for stem in columns}
    comma = any(re.fullmatch(r"\d+,\d+", cell.strip()) for row in file.rows for cell in row)
    students = {number: whose[claim] for number, claim in claims.items()}
    twice = {s for s in students.values() if s and list(students.values()).count(s) > 1}
    for number, row in bodies:
        student = students[number]
        if student is None or student in twice:
            filled.unmatched.append(_said(head, row))
            continue
        for stem, column in columns.items():
            score, _ = finals[stem].get(student, (None, ""))
            there = row[column].strip() if column < len(row) else ""
            if there and there != "-" and not _NUMBER.fullmatch(there):
                filled.kept.append(f"{student} {one_line(there)}")
            elif score is not None:
                text = f"{score * factors[stem]:g}"
                file.put(number, column, text.replace(".", ",") if comma else text)
                filled.rows += 1
    filled.content = file.content()
    return filled


def _said(head: list[str], row: list[str]) -> str:
    """A row of nobody's, as it is named: by its first cells."""
    return " ".join(one_line(cell.strip()) for cell in row[: 2 if moodle.is_worksheet(head) else 1])


def _factor(
    classroom: Classroom, file: CsvFile, stem: str, column: int, scale: bool, filled: Filled
) -> float:
    """The factor that turns points into the file's, whose maximum may be another.

    Raises:
        GraderError: it is another, and nobody has asked to scale.
    """
    with Gradebook(classroom.database, stem, classroom.config) as gradebook:
        ours = gradebook.possible()
    for theirs in _maxima(file.rows, column):
        if theirs != ours:
            filled.scaled.append(f"{stem}: points out of {ours:g} are entered out of {theirs:g}")
        return proportion(stem, ours, theirs, scale)
    return 1.0


def proportion(stem: str, ours: float, theirs: float, scale: bool) -> float:
    """The factor that turns points out of the class' maximum into points out of a platform's.

    Raises:
        GraderError: they differ, and nobody has asked to scale.
    """
    if theirs != ours and not scale:
        raise GraderError(
            f"{stem} has {ours:g} points, and {theirs:g} on the platform. Make them {ours:g} there, "
            f"or add --scale to enter points out of {theirs:g}."
        )
    return theirs / ours


def _maxima(rows: list[list[str]], column: int) -> list[float]:
    """The maxima of an exercise that the file states; one at most.

    Raises:
        GraderError: rows of one exercise say different things.
    """
    head = rows[0]
    if moodle.is_worksheet(head):
        where = next((n for n, cell in enumerate(head) if heading(cell) in moodle.MAXIMUM), None)
        cells = [row[where] for row in rows[1:] if where is not None and where < len(row)]
    else:
        cells = canvas.possible_of(rows)[column : column + 1]
    said = {float(cell.strip().replace(",", ".")) for cell in cells if _NUMBER.fullmatch(cell.strip())}
    if len(said) > 1:
        raise GraderError(
            f"The file holds several maxima for one exercise: {', '.join(f'{m:g}' for m in sorted(said))}."
        )
    return [maximum for maximum in said if maximum > 0]


def _moodle_column(path: Path, head: list[str], stems: list[str]) -> dict[str, int]:
    if len(stems) != 1:
        raise GraderError("A worksheet of Moodle's is for one assignment. Say which with --exercise.")
    names = [heading(cell) for cell in head]
    found = next((names.index(name) for name in moodle.GRADE if name in names), None)
    if found is None:
        raise GraderError(f"{path} has no column of grades; it has: {', '.join(map(one_line, head))}.")
    return {stems[0]: found}


def _canvas_columns(path: Path, head: list[str], stems: list[str]) -> dict[str, int]:
    columns = {}
    for stem in stems:
        found = canvas.columns_of(head, stem)
        if len(found) > 1:
            names = " and ".join(one_line(head[n]) for n in found)
            raise GraderError(
                f"{path} has several columns for {stem}: {names}. Remove those that are not meant."
            )
        if found:
            columns[stem] = found[0]
    if not columns:
        raise GraderError(
            f"{path} has no column for {', '.join(stems)}. Make an assignment of that name in Canvas and export anew; "
            "a column of another name would become a new assignment."
        )
    return columns
