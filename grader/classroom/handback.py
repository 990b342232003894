"""Feedback on its way back: one zip that Moodle or Canvas takes, under the names of the zip that it gave.

Moodle ("Upload multiple feedback files in a zip") knows a participant by the folder's number, Canvas ("Upload
submissions") by the numbers of user and file in the name.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from grader.classroom.collect import CANVAS, MOODLE, identified, match_of
from grader.classroom.folder import Classroom
from grader.classroom.scores import roster
from grader.errors import GraderError


@dataclass
class Packed:
    """A zip of pages, and whom it leaves out: who has no page, and files of nobody in the class."""

    content: bytes
    students: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)


def pack(classroom: Classroom, stem: str, source: Path) -> Packed:
    """
    Args:
        source: the zip of submissions, as the platform gave it.

    Raises:
        GraderError: it cannot be read, or is neither Moodle's nor Canvas'.
    """
    people, out, packed = roster(classroom), io.BytesIO(), Packed(b"")
    names: dict[str, str] = {}
    for kind, pattern in (("moodle", MOODLE), ("canvas", CANVAS)):
        for found in identified(source, kind, stem):
            if not (match := pattern.search(found.path)) or ".." in found.path.split("/"):
                continue
            if (student := match_of(found, people)) is None:
                packed.unmatched.append(found.path)
            elif not classroom.feedback(stem, student).is_file():
                packed.without.append(student)
            else:
                names[student] = _name(found.path, match.group(), kind, stem)
        if names or packed.unmatched or packed.without:
            break
    else:
        raise GraderError(f"{source} is no zip of submissions that Moodle or Canvas has made.")
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for student, name in sorted(names.items()):
            archive.write(classroom.feedback(stem, student), name)
    packed.content, packed.students = out.getvalue(), sorted(names)
    packed.without = sorted(set(packed.without) - names.keys())
    return packed


def _name(path: str, matched: str, kind: str, stem: str) -> str:
    if kind == "moodle":
        return f"{matched.rstrip('/')}/{stem}.html"
    match = CANVAS.search(path)
    return f"{match['name']}_{match['id']}_{match['attempt']}_{stem}.html"
