"""A CSV as somebody's program wrote it: read in whatever encoding and delimiter it has, and given back with both.

Python's `csv` forgets quoting, line ends and marks of encodings, and what a learning platform gets back must be its own
file; so fields are kept as they were written.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Container
from pathlib import Path

from grader.errors import GraderError

DELIMITERS = ",;\t"
ABOVE = 10  # rows that a spreadsheet may have above the headings: a title, a date
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"<")  # .xlsx; .xls; a page that calls itself .xls
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class CsvFile:
    """A CSV, read whole.

    Attributes:
        rows: what the cells say, the headings' row first; cells may be missing at a row's end.

    Raises:
        GraderError: it cannot be read, or is empty.
    """

    def __init__(self, path: Path):
        self._path = path
        try:
            content = path.read_bytes()
        except OSError as error:
            raise GraderError(f"{path} cannot be read ({error.strerror}).") from None
        if content.lstrip(codecs.BOM_UTF8 + b" \r\n\t").startswith(_WORKBOOKS):
            raise GraderError(f"{path} is a workbook and no CSV. Open it, and save it as CSV UTF-8.")
        self._mark, self._encoding, text = _decoded(content, path)
        said = re.match(r"sep=(.)\r?\n", text, re.IGNORECASE)  # Excel's, for itself
        self._before, text = (said[0], text[said.end() :]) if said else ("", text)
        self._delimiter = said[1] if said else _delimiter(text)
        self._fields, self._ends = _split(text, self._delimiter)
        self.rows = [[_said(field) for field in row] for row in self._fields]
        if not any(cell.strip() for row in self.rows for cell in row):
            raise GraderError(f"{path} is empty.")

    def put(self, row: int, column: int, text: str) -> None:
        """Write in a cell; quoted if it was, or must be."""
        for cells in (self.rows[row], self._fields[row]):
            cells += [""] * (column + 1 - len(cells))
        unquoted = {'"', "\r", "\n", self._delimiter}.isdisjoint(text)
        quoted = self._fields[row][column].startswith('"') or not unquoted
        self.rows[row][column] = text
        self._fields[row][column] = '"' + text.replace('"', '""') + '"' if quoted else text

    def content(self) -> bytes:
        """The file with what was put into it; all else is as it came, to the byte."""
        lines = (self._delimiter.join(row) + end for row, end in zip(self._fields, self._ends, strict=True))
        return self._mark + (self._before + "".join(lines)).encode(self._encoding)


def _decoded(content: bytes, path: Path) -> tuple[bytes, str, str]:
    """The mark of the encoding, the encoding, the text: UTF-8, UTF-16, or what Korean Windows writes."""
    mark = next((mark for mark in _MARKS if content.startswith(mark)), b"")
    if mark:
        candidates = [_MARKS[mark]]
    elif b"\0" in content[:200]:
        candidates = ["utf-16-le" if content[1:2] == b"\0" else "utf-16-be"]
    else:
        candidates = ["utf-8", "cp949"]
    for encoding in candidates:
        try:
            return mark, encoding, content[len(mark) :].decode(encoding)
        except UnicodeDecodeError:
            continue
    raise GraderError(f"{path} is neither UTF-8 nor UTF-16 nor CP949. Save it as CSV in one of them.")


def _delimiter(text: str) -> str:
    """The delimiter: the one that most often stands between the headings, which a title without any may precede."""
    bare = (re.sub(r'"(?:[^"]|"")*"', "", line) for line in text.splitlines())
    first = next((line for line in bare if any(sign in line for sign in DELIMITERS)), "")
    return max(DELIMITERS, key=first.count)


def _split(text: str, delimiter: str) -> tuple[list[list[str]], list[str]]:
    """Fields as they are written, quotes included, by row; and what ends each row."""
    sign = re.escape(delimiter)
    field = re.compile(rf'("(?:[^"]|"")*"[^{sign}\r\n]*|[^{sign}\r\n]*)({sign}|\r\n|\n|\r|\Z)')
    rows, ends, row, at = [], [], [], 0
    while at < len(text) or row:
        found = field.match(text, at)
        row.append(found[1])
        at = found.end()
        if found[2] != delimiter:
            rows.append(row)
            ends.append(found[2])
            row = []
    return rows, ends


def _said(field: str) -> str:
    if not field.startswith('"'):
        return field
    inside, _, after = field[1:].rpartition('"')
    return inside.replace('""', '"') + after


def table_of(path: Path) -> tuple[list[str], list[list[str]]]:
    """Names of a CSV's columns, as `heading` gives them; and its rows that hold anything, the first included.

    Raises:
        GraderError: it cannot be read, or is empty.
    """
    rows = filled(CsvFile(path).rows)
    return [heading(cell) for cell in rows[0]], rows


def filled(rows: list[list[str]]) -> list[list[str]]:
    """The rows that hold anything."""
    return [row for row in rows if any(cell.strip() for cell in row)]


def titles_above(rows: list[list[str]], known: Container[str]) -> int:
    """The number of rows above the headings, which are the first row that has one of those known; 0 where none has."""
    found = (
        n for n, row in enumerate(rows[: ABOVE + 1]) if any(short_heading(cell) in known for cell in row)
    )
    return next(found, 0)


def heading(cell: str) -> str:
    """A heading without case, spaces, signs and what nobody sees."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", cell)).lower()


def short_heading(cell: str) -> str:
    """A heading without what stands in brackets, as in 학번(ID), if anything else does."""
    return heading(re.sub(r"\(.*?\)", "", unicodedata.normalize("NFKC", cell), flags=re.DOTALL)) or heading(
        cell
    )
