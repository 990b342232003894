"""Who is in the class and until when: nbgrader's students, due dates and extensions."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from grader.errors import GraderError

# What columns are called, in the order in which they are preferred; compared without case, spaces and signs.
IDS = ("학번", "studentid", "id", "sisuserid", "userid", "sisloginid", "username", "아이디", "student")
NAMES = ("이름", "성명", "name", "fullname", "학생이름", "student")
FIRST, LAST = ("firstname", "given", "givenname"), ("lastname", "surname", "familyname", "성")
EMAILS = ("이메일", "전자우편", "email", "emailaddress", "메일")
_HANGUL = re.compile(r"[가-힣]{2,4}")


@dataclass(frozen=True)
class Person:
    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""

    @property
    def name(self) -> str:
        between = "" if _HANGUL.fullmatch(self.last_name + self.first_name) else " "
        return f"{self.last_name}{between}{self.first_name}".strip()

    @property
    def known_as(self) -> set[str]:
        return spellings(self.name) | spellings(f"{self.first_name} {self.last_name}")


def spellings(name: str) -> set[str]:
    """How a name may be written elsewhere: the family's first or last, with spaces or without."""
    words = re.split(r"[\W_]+", unicodedata.normalize("NFC", name).casefold().strip())
    words = [word for word in words if word]
    orders = (words, words[1:] + words[:1], words[-1:] + words[:-1])
    return {"".join(order) for order in orders if order}


def read_roster(path: Path) -> list[Person]:
    """The people of a CSV, however its columns are called and whatever Korean encoding it has.

    Raises:
        GraderError: it cannot be read, has no column of ids, or one of them twice.
    """
    head, rows = table_of(path)

    def column(names: tuple[str, ...], taken: int | None = None) -> int | None:
        return next((head.index(n) for n in names if n in head and head.index(n) != taken), None)

    where = column(IDS)
    if where is None:
        raise GraderError(
            f"{path} has no column of ids (학번, student_id, id); it has: {', '.join(rows[0])}."
        )
    name, first, last, email = column(NAMES, where), column(FIRST), column(LAST), column(EMAILS)

    def cell(row: list[str], position: int | None) -> str:
        return row[position].strip() if position is not None and position < len(row) else ""

    people = []
    for row in rows[1:]:
        given, family = cell(row, first), cell(row, last)
        if not given:
            whole = cell(row, name)
            hangul = _HANGUL.fullmatch(whole) and not family
            given, family = (whole[1:], whole[0]) if hangul else (whole, family)
        if identity := cell(row, where):
            people.append(Person(identity, given, family, cell(row, email)))
    ids = [person.id for person in people]
    if twice := sorted({identity for identity in ids if ids.count(identity) > 1}):
        raise GraderError(f"{path} holds twice: {', '.join(twice[:5])}.")
    return people


def table_of(path: Path) -> tuple[list[str], list[list[str]]]:
    """What a CSV's columns are called, without case, spaces and signs; and its rows, the first included.

    Raises:
        GraderError: it cannot be read, or is empty.
    """
    text = text_of(path)
    rows = [row for row in csv.reader(io.StringIO(text), _dialect(text)) if any(cell.strip() for cell in row)]
    if not rows:
        raise GraderError(f"{path} is empty.")
    return [re.sub(r"[\W_]", "", cell).lower() for cell in rows[0]], rows


def text_of(path: Path) -> str:
    """A CSV's text, in UTF-8 or as Korean Windows writes it.

    Raises:
        GraderError: it cannot be read.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise GraderError(f"{path} cannot be read ({error.strerror}).") from None
    for encoding in ("utf-8-sig", "cp949"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise GraderError(f"{path} is neither UTF-8 nor CP949. Save it as CSV in one of them.")


def _dialect(text: str) -> type[csv.Dialect]:
    first = text.partition("\n")[0]
    return csv.excel_tab if first.count("\t") > first.count(",") else csv.excel


def moment(text: str) -> datetime:
    """A date as people write it, in this machine's time zone unless it names one; in UTC without a zone.

    Raises:
        GraderError: it is no date.
    """
    from dateutil import parser

    try:
        when = parser.parse(text)
    except (ValueError, OverflowError):
        raise GraderError(f"'{text}' is no date. Write it like 2027-03-31 23:59.") from None
    if not re.search(r"\d:\d", text):
        when = when.replace(hour=23, minute=59, second=59)
    return when.astimezone(timezone.utc).replace(tzinfo=None)


def local(when: datetime) -> str:
    """A time of the gradebook's, as it is said here."""
    return when.replace(tzinfo=timezone.utc).astimezone().strftime("%Y-%m-%d %H:%M")


def duration(days: str) -> timedelta:
    """
    Raises:
        GraderError: it is no number of days.
    """
    try:
        found = timedelta(days=float(days))
    except (ValueError, OverflowError):
        raise GraderError(f"'{days}' is no number of days.") from None
    if found < timedelta():
        raise GraderError("An extension cannot be negative.")
    return found
