"""Canvas: the zip of an assignment's submissions, and the exported gradebook.

A file is called NAME_USER_UPLOAD_FILE, with LATE after the name where it was; the name is the sortable one, in small
letters and without spaces. The zip holds no times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.classroom.archive import Entry
from grader.classroom.platforms import Handed
from grader.gradebook.csvfile import heading
from grader.gradebook.people import CANVAS, LOGIN, Claim, People

TIMES = "Canvas' zip holds no times: late is what Canvas has marked as LATE, and by how much nobody says."
_FILE = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>\d+)_(?P<upload>\d+)_(?P<file>.+)")
_IDS, _LOGINS = ("sisuserid", "integrationid"), ("sisloginid",)


def handed(found: Iterable[Entry], stem: str, groups: Iterable[str], people: People) -> list[Handed]:
    """The work in a download of Canvas'.

    Args:
        groups: names of groups, which stand in place of a person's where a group hands in.
    """
    spelt = {re.sub(r"[\W_]", "", group).casefold(): group for group in groups}
    return [_handed(entry, spelt) for entry in found]


def _handed(entry: Entry, groups: dict[str, str]) -> Handed:
    for position, part in enumerate(entry.parts):
        if match := _FILE.fullmatch(part):
            claim = Claim(numbers=((CANVAS, match["id"]),), names=(match["name"],), place=match["id"])
            return Handed(
                entry,
                [claim],
                group=groups.get(re.sub(r"[\W_]", "", match["name"]).casefold(), ""),
                attempt=int(match["upload"]),
                late=bool(match["late"]),
                name=match["file"] if position == len(entry.parts) - 1 else "",
                back=f"{match['name']}_{match['id']}_{match['upload']}_",
            )
    return Handed(entry)


def is_gradebook(head: list[str]) -> bool:
    names = {heading(cell) for cell in head}
    return "id" in names and ("student" in names or {"lastname", "firstname"} <= names)


def claim_of(head: list[str], row: list[str]) -> Claim:
    """The claim of a gradebook's row: whose it is."""
    cells = {heading(cell): text.strip() for cell, text in zip(head, row, strict=False)}
    name = cells.get("student") or f"{cells.get('lastname', '')} {cells.get('firstname', '')}".strip()
    numbers = ((CANVAS, cells.get("id", "")), *((LOGIN, cells.get(kind, "")) for kind in _LOGINS))
    numbers = tuple(pair for pair in numbers if pair[1])
    ids = tuple(cells[kind] for kind in _IDS if cells.get(kind))
    return Claim(ids, numbers, (), (name,) if name else (), cells.get("id", ""))


def possible_of(rows: list[list[str]]) -> list[str]:
    """The row of points possible; empty where there is none."""
    return next((row for row in rows if row and row[0].strip().casefold().startswith("points possible")), [])


def columns_of(head: list[str], stem: str) -> list[int]:
    """The columns of an exercise's points: `masking (12345)`, as Canvas calls it; capitals may differ if they must."""

    def named(flags: int) -> list[int]:
        pattern = re.compile(rf"{re.escape(stem)}(\s*\(\d+\))?", flags)
        return [n for n, cell in enumerate(head) if pattern.fullmatch(cell.strip())]

    return named(0) or named(re.IGNORECASE)
