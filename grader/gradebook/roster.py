"""Rosters: who is in the class, from any CSV that a platform or a person has made.

What can be mended is, with a line that says so; what cannot is refused before anything is entered, so that nothing that
was let in is lost later.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import GraderError
from grader.gradebook import people
from grader.gradebook.csvfile import CsvFile, short_heading, titles_above
from grader.gradebook.people import Person, clean_id, why_no_id
from grader.shown import one_line

# What columns are called, in the order in which they are preferred; compared as `heading` gives them.
IDS = (
    "학번", "학생번호", "studentid", "studentnumber", "studentno", "idnumber", "sisuserid", "sid", "orgdefinedid",
    "id번호", "identifier", "id", "userid", "moodleuserid", "sisloginid", "loginid", "username", "사용자이름", "사용자명", "아이디", "student",
)  # fmt: skip
NAMES = ("이름", "성명", "name", "fullname", "학생이름", "student", "studentname")
FIRST, LAST = ("firstname", "given", "givenname"), ("lastname", "surname", "familyname", "성")
EMAILS = ("이메일", "이메일주소", "전자우편", "전자메일", "email", "emailaddress", "메일", "메일주소", "mail")
ALSO = {
    people.GITHUB: (
        "githubusername",
        "githubuser",
        "github",
        "githubname",
        "githublogin",
        "깃허브",
        "깃허브아이디",
    ),
    people.HUB: (
        "hub",
        "hubuser",
        "hubusername",
        "jupyterhub",
        "jupyterhubuser",
        "jupyterhubusername",
        "허브",
    ),
    people.LOGIN: ("sisloginid", "loginid", "login", "username", "사용자이름", "사용자명", "아이디"),
    people.SECTION: ("section", "sections", "분반", "반"),
}
# No login: min and max are people's.
SUMS = {
    "합계", "총계", "소계", "총합", "총", "계", "누계", "평균", "평균점수", "총점", "인원", "총인원", "인원수", "표준편차", "최고점", "최저점",
    "만점", "이하여백", "total", "totals", "subtotal", "grandtotal", "average", "avg",
}  # fmt: skip
ONE_EACH = (people.GITHUB, people.HUB, people.CANVAS, people.MOODLE_USER)
NO_ID = re.compile(
    r"(participant|참가자|참여자)\s*(\d+)", re.IGNORECASE
)  # Moodle's identifier in a worksheet
SHOWN = 5  # of what is wrong, in one message
FEW = 0.1  # of the ids may be unlike the others, and worth a line


@dataclass
class Roster:
    """The people of a CSV.

    Attributes:
        said: what was mended or left out, and why, a line each.
        without: rows that name somebody but have no id.
    """

    people: list[Person] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)


def read_roster(path: Path) -> Roster:
    """The people of a CSV, whoever made it.

    Raises:
        GraderError: it cannot be read, has no column of ids, names nobody, or holds what can be nobody's id.
    """
    roster = roster_of(CsvFile(path).rows, str(path))
    if not roster.people and not roster.without:
        raise GraderError(f"{path} names nobody: nothing stands below its headings.")
    return roster


def roster_of(rows: list[list[str]], path: str) -> Roster:
    """The people of a table, its headings first.

    Args:
        path: what the table is called in messages.

    Raises:
        GraderError: it has no column of ids, or holds what can be nobody's id.
    """
    lines = [(n, row) for n, row in enumerate(rows, 1) if any(cell.strip() for cell in row)]
    (_, headings), *bodies = lines[titles_above([row for _, row in lines], IDS) :]
    head = [short_heading(cell) for cell in headings]
    sums = [
        f"line {n}: sums, and nobody ({one_line(' '.join(filter(None, row)))}); left out"
        for n, row in bodies
        if is_sum(row)
    ]
    bodies = [(n, row) for n, row in bodies if not of_nobody(row) and not is_sum(row)]
    where = _ids_column(path, head, headings, bodies)
    read = _Reader(head, where)
    roster, wrong, found = Roster(said=sums), [], {}
    for number, row in bodies:
        try:
            person, mended = read.person(row)
        except GraderError as error:
            wrong.append(f"line {number}: {error}")
            continue
        roster.said += [f"line {number}: {text}" for text in mended]
        if not person.id:
            roster.without.append(f"line {number}: {one_line(person.name or person.email or row[0])}")
            continue
        try:
            merged = _merged(found[person.id], person) if person.id in found else person
        except GraderError as error:
            wrong.append(f"line {number}: {error}")
            continue
        if person.id in found:
            roster.said.append(f"line {number}: {person.id} stands there more than once; entered once")
        found[person.id] = merged
    roster.people = list(found.values())
    roster.said += _unlike(list(found))
    wrong += twins(roster.people)
    if wrong:
        more = f"; and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
        raise GraderError(f"{path}: nothing was entered. {'; '.join(wrong[:SHOWN])}{more}")
    return roster


def twins(persons: Iterable[Person]) -> list[str]:
    """Pairs whom a folder, or a platform, would take for one person: a sentence each."""
    said, seen = [], {}
    for person in persons:
        keys = [("", person.id.casefold())]
        keys += [(kind, text.casefold()) for kind, text in person.also if kind in people.UNIQUE]
        for key in keys:
            other = seen.setdefault(key, person.id)
            if other != person.id and key[0]:
                said.append(f"{other} and {person.id} have the same {key[0]} name or number, {key[1]}")
            elif other != person.id:
                said.append(f"{other} and {person.id} differ by capitals alone, and could share one folder")
    return said


def of_nobody(row: list[str]) -> bool:
    """Canvas' rows of a gradebook that are no person's."""
    first = row[0].strip().casefold() if row else ""
    cells = {cell.strip().casefold() for cell in row}
    return (
        first.startswith("points possible")
        or "manual posting" in cells
        or first in ("student, test", "test student")
    )


def is_sum(row: list[str]) -> bool:
    """True for what a spreadsheet has below people: it begins with 합계, 평균 or the like, and has no other word."""
    filled = [cell for cell in row if cell.strip()]
    words = [cell for cell in filled if re.search(r"[^\W\d_]", cell)]
    return words[:1] == filled[:1] and all(
        short_heading(re.sub(r"\d+|명$", "", word.strip())) in SUMS for word in words
    )


def _unlike(ids: list[str]) -> list[str]:
    """A line on ids that are built otherwise than nearly all: what a spreadsheet has cut, or a line of sums."""
    shapes = Counter(len(identity) if identity.isdecimal() else 0 for identity in ids)
    digits, times = max(shapes.items(), key=lambda pair: pair[1], default=(0, 0))
    others = [one_line(i) for i in ids if not (i.isdecimal() and len(i) == digits)]
    if not (digits and 0 < len(others) <= FEW * times):
        return []
    return [
        f"entered, but unlike the others, who have {digits} digits: {', '.join(others[:SHOWN])}. Zeros that a "
        "spreadsheet has left out? A line that is nobody's?"
    ]


class _Reader:
    def __init__(self, head: list[str], where: int):
        self._head, self._where = head, where
        self._name, self._email = self._column(NAMES), self._column(EMAILS)
        self._first, self._last = self._column(FIRST), self._column(LAST)
        self._also = {kind: self._column(names) for kind, names in ALSO.items()}
        # Canvas' own number is called ID, beside the ids of the school.
        canvas = {"id", "section"} <= set(head) and bool({"student", "lastname"} & set(head))
        self._numbers = {people.CANVAS: head.index("id")} if canvas else {}
        if "moodleuserid" in head:
            self._numbers[people.MOODLE_USER] = head.index("moodleuserid")

    def _column(self, names: tuple[str, ...]) -> int | None:
        found = (self._head.index(name) for name in names if name in self._head)
        return next((position for position in found if position != self._where), None)

    def person(self, row: list[str]) -> tuple[Person, list[str]]:
        """The person of a row, and what was mended.

        Raises:
            GraderError: what stands there for an id can be none.
        """

        def cell(position: int | None) -> str:
            return clean_text(row[position]) if position is not None and position < len(row) else ""

        identity, mended = mend_id(row[self._where] if self._where < len(row) else "")
        given, family = cell(self._first), cell(self._last)
        if not given:
            given, family = _parted(cell(self._name), family)
        also = [(kind, cell(position)) for kind, position in (self._also | self._numbers).items()]
        also = [
            (kind, part)
            for kind, text in also
            for part in (_sections(text) if kind == people.SECTION else [text])
        ]
        if "identifier" in self._head and (number := NO_ID.fullmatch(cell(self._head.index("identifier")))):
            also.append((people.MOODLE, number[2]))
        email = cell(self._email)
        return Person(identity, given, family, email, tuple(pair for pair in also if pair[1])), mended


def _ids_column(path: str, head: list[str], headings: list[str], bodies: list[tuple[int, list[str]]]) -> int:
    """The position of the ids: the first column of that name in which anything stands."""

    def filled(position: int) -> bool:
        cells = [row[position].strip() for _, row in bodies if position < len(row)]
        return any(cell and not NO_ID.fullmatch(cell) for cell in cells)

    columns = [head.index(name) for name in IDS if name in head]
    where = next((position for position in columns if filled(position)), None)
    if where is None and (bodies or not columns):
        there = ", ".join(one_line(cell) for cell in headings)
        raise GraderError(
            f"{path} has no column of ids (학번, student_id, id) with ids in it; it has: {there}."
        )
    return columns[0] if where is None else where


def mend_id(text: str) -> tuple[str, list[str]]:
    """An id as it was meant, and what was mended.

    Raises:
        GraderError: nobody can tell, or it cannot be an id; the message says why.
    """
    identity, said = clean_id(text), []
    if identity != text.strip():
        said.append(
            f"'{one_line(text.strip())}' is entered as {identity} (other digits, or characters that nobody sees)"
        )
    bare = re.sub(r'^=?"(.*)"$|^\'', r"\1", identity)  # what keeps Excel from making a number of it
    if damaged := re.fullmatch(r"(\d)(?:[.,](\d+))?E\+?(\d+)", bare, re.IGNORECASE):
        digits = damaged[1] + (damaged[2] or "")
        if len(digits) <= int(damaged[3]):
            raise GraderError(
                f"{bare} is what Excel makes of a long number; its last digits are lost. Make the column text, "
                "enter the ids anew and save again"
            )
        bare = digits
    elif re.fullmatch(r"\d{1,3}(,\d{3})+", bare):
        bare = bare.replace(",", "")
    elif whole := re.fullmatch(r"(\d+)[.,]0+", bare):
        bare = whole[1]
    if bare != identity:
        said.append(f"{identity} is entered as {bare} (a spreadsheet has changed it)")
    if bare and (why := why_no_id(bare) or _why_not_now(bare)):
        raise GraderError(
            f"'{one_line(bare)}' can be nobody's id: {why}. Give them another, or leave those characters out"
        )
    return bare, said


def _why_not_now(identity: str) -> str | None:
    """The reason not to let in an id that older classes may hold; None if there is none."""
    if identity[0] in "-=@":
        return f"a spreadsheet takes what begins with {identity[0]} for a formula, a command for an option"
    if unfit := sorted(set(identity) & set('*?[]<>|":')):
        return f"{' '.join(unfit)} cannot stand in every folder's name"
    return None


def clean_text(text: str) -> str:
    """A name or address without what nobody sees."""
    return re.sub(r"\s+", " ", "".join(c for c in text if c not in _UNSEEN)).strip()


_UNSEEN = {chr(code) for code in (0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF)}


def _parted(whole: str, family: str) -> tuple[str, str]:
    """Given and family name: `Doe, John`, 홍길동, or one text that is both."""
    if not family and whole.count(",") == 1:
        last, first = (part.strip() for part in whole.split(","))
        return first, last
    hangul = re.fullmatch(r"[가-힣]{2,4}", whole) and not family
    return (whole[1:], whole[0]) if hangul else (whole, family)


def _sections(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\s+and\s+|[;/]", text)]


def _merged(first: Person, second: Person) -> Person:
    """One of two rows of the same id.

    Raises:
        GraderError: they are of two people.
    """
    for one, other in ((first.name, second.name), (first.email.casefold(), second.email.casefold())):
        if one and other and people.spellings(one) != people.spellings(other):
            raise GraderError(f"{first.id} stands there twice, for {one_line(one)} and for {one_line(other)}")
    for kind in (kind for kind, _ in second.also if kind in ONE_EACH):
        if first.of(kind) and first.of(kind) != second.of(kind):
            raise GraderError(f"{first.id} stands there twice, with two {kind} names or numbers")
    named = first if first.name else second
    also = tuple(dict.fromkeys((*first.also, *second.also)))
    return Person(first.id, named.first_name, named.last_name, first.email or second.email, also)
