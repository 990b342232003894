"""Groups of an exercise, from any CSV that names them and their members, or from a course; kept as groups/EXERCISE.json."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
from rich import box
from rich.table import Table
from rich.text import Text

from grader.classroom.batch import alone
from grader.classroom.enrol import known_of
from grader.classroom.folder import Classroom
from grader.classroom.platforms.course import Course
from grader.classroom.scores import people_of
from grader.errors import GraderError
from grader.gradebook.csvfile import CsvFile, filled, short_heading, titles_above
from grader.gradebook.people import People, can_be_id, clean_id
from grader.gradebook.roster import IDS
from grader.results import write_whole
from grader.shown import one_line

# What columns are called, as in the roster. Those of members may be numbered: 학번1, 학번2.
GROUPS = (
    "조",
    "팀",
    "모둠",
    "group",
    "team",
    "조이름",
    "팀이름",
    "팀명",
    "모둠이름",
    "groupname",
    "teamname",
)
MEMBERS = (*IDS, "조원", "팀원", "모둠원", "members", "member")


def enter_groups(classroom: Classroom, stem: str, path: Path) -> dict[str, str]:
    """Enter the groups of an exercise in place of those that were there; the group of each student, which come of it.

    Nothing is graded, and nothing handed in is touched: the next run grades whose work is another now.

    Raises:
        GraderError: it cannot be read, lacks a column, or names somebody twice or nobody.
    """
    read, people = _read(path), People(people_of(classroom))
    found = {text: (people.by_id(text) if people else clean_id(text)) for text in read}
    if unknown := [one_line(text) for text in read if not found[text]]:
        raise GraderError(
            f"{path}: nobody in the class is called {', '.join(unknown[:5])}. Enter them with 'grader roster'."
        )
    groups: dict[str, str] = {}
    for text, group in read.items():
        if groups.setdefault(found[text], group) != group:
            raise GraderError(f"{path}: {found[text]} is in two groups: {groups[found[text]]} and {group}.")
    if unfit := [student for student in groups if not can_be_id(student)]:
        raise GraderError(f"{path}: nobody's id can be {unfit[0]!r}.")
    set_groups(classroom, stem, groups)
    return groups


def set_groups(classroom: Classroom, stem: str, groups: dict[str, str]) -> None:
    """Keep the group of each student, in place of those that were there."""
    with alone(classroom, stem):
        write_whole(classroom.groups_path(stem), msgspec.json.format(msgspec.json.encode(groups), indent=1))


def groups_in(classroom: Classroom, stem: str, course: Course) -> tuple[dict[str, str], list[str]]:
    """The group of each student of the class in a course; and who works in one there, but is nobody here.

    Raises:
        GraderError: the platform does not answer, or each works alone there.
    """
    members, found = course.students(), course.groups(course.task(stem))
    if not found:
        raise GraderError(
            f"Nobody hands {stem} in as a group in the course: it is no group assignment, or has none yet."
        )
    known = known_of({member.number: member.claim for member in members}, people_of(classroom))
    groups = {student: found[number] for number, student in known.items() if number in found}
    strangers = [one_line(m.name) for m in members if m.number in found and m.number not in known]
    return dict(sorted(groups.items(), key=lambda pair: (pair[1], pair[0]))), strangers


def changed(before: dict[str, str], after: dict[str, str]) -> Table:
    """A table of whose group is another."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("", "in the class", "in the course"):
        table.add_column(name)
    for student in sorted(before.keys() | after.keys()):
        if before.get(student) != after.get(student):
            table.add_row(
                Text(student), Text(before.get(student, "alone")), Text(after.get(student, "alone"))
            )
    return table


def _read(path: Path) -> dict[str, str]:
    """The group of each student: a row for each, or for each group, with its members in one cell or several."""
    rows = filled(CsvFile(path).rows)
    rows = rows[titles_above(rows, (*GROUPS, *MEMBERS)) :]
    head = [short_heading(cell) for cell in rows[0]]
    numbered = [re.sub(r"\d+$", "", name) for name in head]
    of_group = next((head.index(name) for name in GROUPS if name in head), None)
    of_members = next((name for name in MEMBERS if name in numbered), None)
    lacking = {"groups (조, 팀, group)": of_group, "ids (학번, student_id, id)": of_members}
    if missing := [name for name, found in lacking.items() if found is None]:
        raise GraderError(
            f"{path} has no column of {' nor of '.join(missing)}; it has: {', '.join(map(one_line, rows[0]))}."
        )
    groups: dict[str, str] = {}
    for row in rows[1:]:
        cells = dict(enumerate(map(str.strip, row)))
        named = [cells.get(n, "") for n, name in enumerate(numbered) if name == of_members]
        for student in filter(None, map(str.strip, re.split("[;,\n]", ";".join(named)))):
            group = cells.get(of_group, "")
            if group and groups.setdefault(student, group) != group:
                raise GraderError(f"{path}: {student} is in two groups: {groups[student]} and {group}.")
    return groups
