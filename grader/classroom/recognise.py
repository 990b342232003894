"""Says of a file that was handed in whether it is a notebook of the exercise, and whose cells are answered.

Of a file that somebody looks at again and again it is read once, as long as the file stays the same.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from grader.classroom.archive import Unreadable
from grader.classroom.platforms import Handed
from grader.notebook import Cell, Template, Ungradable, belongs, parse

ENDING = re.compile(r"\.ipynb(\.(json|txt))?$", re.IGNORECASE)
COPY = re.compile(
    r"[ _]?\((\d{1,3})\)$|-(\d{1,3})$"
)  # what browsers and Canvas add to a second file of a name
MISTAKEN = "called as the exercise is, but a notebook of something else"
_ARCHIVE = re.compile(r"\.(zip|7z|rar|alz|egg|tar|t?gz)$", re.IGNORECASE)


@dataclass(frozen=True)
class Recognised:
    """The nature of a file.

    Attributes:
        digest: SHA-256 of a notebook of the exercise; empty for all else.
        touched: anything in it is answered.
        why: the reason for which a file is none; empty where nobody could think it was.
    """

    digest: bytes = b""
    touched: bool = False
    why: str = ""


class Recognising:
    """Recognises files, and remembers what it has recognised."""

    def __init__(self) -> None:
        self._known: dict[Hashable, object] = {}
        self._template: Template | None = None

    def recognise(self, handed: Handed, template: Template) -> Recognised:
        """Recognise a file, or remember it.

        Raises:
            Unreadable: it is broken, encrypted, or closed to us.
        """
        if template != self._template:
            self._known, self._template = {}, template
        path, key = handed.entry.path, handed.entry.key
        return self.once(key and (path, handed.name, key), lambda: _recognised(handed, template))

    def once(self, key: Hashable, read: Callable[[], object]) -> object:
        """Call `read`, or give what it returned for the same key; None is the key of what changes unseen."""
        if key is None:
            return read()
        if key not in self._known:
            self._known[key] = read()
        return self._known[key]


def digest_of(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _recognised(handed: Handed, template: Template) -> Recognised:
    """Read a file. One called so that cannot be read as a notebook is handed in all the same: grading says what is wrong."""
    name = handed.name.casefold()
    called = bool(ENDING.search(name)) and COPY.sub("", ENDING.sub("", name)) == template.stem.casefold()
    if ".." in handed.entry.parts:
        return Recognised(why="a path that climbs")
    if _ARCHIVE.search(name):  # zips that can be opened are not met here
        raise Unreadable("an archive that is not opened here, or broken: have it handed in as .ipynb or .zip")
    if not called and not ENDING.search(name) and not _like_json(handed.entry.head()):
        return Recognised()
    content = handed.entry.read()
    try:
        cells = parse(content)
    except Ungradable:
        return Recognised(digest_of(content), True) if called else Recognised(why="not a notebook")
    if not belongs(cells, template):
        return Recognised(why=MISTAKEN if called else "a notebook of something else")
    return Recognised(digest_of(content), any(_answered(cell, template) for cell in cells))


def _like_json(head: bytes) -> bool:
    return head.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")) or head.lstrip()[:1] == b"{"


def _answered(cell: Cell, template: Template) -> bool:
    """True if a cell of an answer is another than it was handed out."""
    given = template.solutions.get(cell.grade_id)
    if given is None:
        return (
            cell.kind == "code"
            and not cell.grade_id
            and any(
                re.search(rf"^\s*(def|class)\s+{re.escape(name)}\b", cell.source, re.MULTILINE)
                for name in template.solutions
            )
        )
    stub = [line.strip() for line in given["source"].splitlines()[-2:]]
    lines = [line.strip() for line in cell.source.strip().splitlines()[-2:]]
    return cell.source.strip() != given["source"].strip() and lines != stub
