"""Moodle: the zip of an assignment's submissions, and its grading worksheet.

A folder is NAME_NUMBER_assignsubmission_file; without folders the file's name goes on. The number is the participant's,
in this assignment; with blind marking the name is but "Participant". The zip holds no times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.classroom.archive import Entry
from grader.classroom.platforms import Handed
from grader.gradebook.csvfile import heading
from grader.gradebook.people import MOODLE, Claim, People
from grader.gradebook.roster import NO_ID

TIMES = "Moodle's zip holds no times: nobody is late by it."
_FOLDER = re.compile(r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_[a-z]+(?P<rest>_.+|_?)", re.IGNORECASE)
_BLIND = ("participant", "참가자", "참여자")

# A worksheet's headings, in the site's language.
IDENTIFIER = ("identifier", "식별자", "식별번호")
GRADE = ("grade", "성적", "점수", "평점")
MAXIMUM = ("maximumgrade", "최고성적", "최고점수", "최대성적", "최대점수", "최고평점", "만점")
_IDS = ("idnumber", "학번", "id번호", "username", "사용자이름", "사용자명", "아이디")
_EMAILS = ("emailaddress", "이메일주소", "이메일", "email")
_NAMES = ("fullname", "이름", "성명", "name")


def handed(found: Iterable[Entry], stem: str, groups: Iterable[str], people: People) -> list[Handed]:
    """The work in a download of Moodle's.

    Args:
        groups: names of groups, which Moodle puts before a name where it knows them.
    """
    groups = set(groups)
    return [_handed(entry, groups) for entry in found]


def _handed(entry: Entry, groups: set[str]) -> Handed:
    for position, part in enumerate(entry.parts):
        if match := _FOLDER.fullmatch(part):
            name, number = match["name"], match["id"] or ""
            before, _, rest = name.partition("-")
            name = rest if rest and before in groups else name
            blind = name.casefold() in _BLIND
            claim = Claim(
                numbers=((MOODLE, number),) if number else (),
                names=() if blind else (name,),
                place=part[: match.start("rest")],
            )
            flat = len(match["rest"]) > 1
            return Handed(
                entry,
                [claim],
                group=name if name in groups else "",
                name=match["rest"][1:] if flat and position == len(entry.parts) - 1 else "",
                back=f"{part[: match.start('rest')]}_" if flat else f"{part}/",
            )
    return Handed(entry)


def is_worksheet(head: list[str]) -> bool:
    return any(heading(cell) in IDENTIFIER for cell in head)


def claim_of(head: list[str], row: list[str]) -> Claim:
    """The claim of a worksheet's row: whose it is."""
    cells = {heading(cell): text.strip() for cell, text in zip(head, row, strict=False)}

    def said(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(cells[name] for name in names if cells.get(name))

    identifier = next(iter(said(IDENTIFIER)), "")
    number = NO_ID.fullmatch(identifier)
    numbers = ((MOODLE, number[2] if number else identifier),) if identifier else ()
    names = said(_NAMES)
    if {"firstname", "lastname"} <= cells.keys() or {"이름", "성"} <= cells.keys():
        names = (" ".join(said(("lastname", "성", "firstname", "이름"))),)
    return Claim(said(_IDS), numbers, said(_EMAILS), names, identifier)
