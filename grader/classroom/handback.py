"""Feedback on its way back: one zip that Moodle or Canvas takes, under the names of the zip that it gave.

Moodle ("Upload multiple feedback files in a zip") knows a participant by the folder's number, Canvas ("Upload
submissions") by the numbers of user and file in the name.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from grader.classroom.archive import entries
from grader.classroom.folder import Classroom
from grader.classroom.platforms import canvas, moodle
from grader.classroom.scores import people_of
from grader.errors import GraderError
from grader.gradebook.people import People


@dataclass
class Packed:
    """A zip of pages, and whom it leaves out: who has no page, and files of nobody in the class."""

    content: bytes
    students: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)


def pack(classroom: Classroom, stem: str, source: Path) -> Packed:
    """The zip of feedback pages that a platform takes back.

    Args:
        source: the zip of submissions, as the platform gave it.

    Raises:
        GraderError: it cannot be read, or is neither Moodle's nor Canvas'.
    """
    people, out, packed = People(people_of(classroom)), io.BytesIO(), Packed(b"")
    groups = classroom.groups(stem)
    found = [entry for entry in entries(source) if ".." not in entry.parts]
    for platform in (moodle, canvas):
        handed = [h for h in platform.handed(found, stem, set(groups.values()), people) if h.back]
        if handed:
            break
    else:
        raise GraderError(f"{source} is no zip of submissions that Moodle or Canvas has made.")
    whose = people.find(claim for file in handed for claim in file.claims)
    names: dict[str, str] = {}
    for file in handed:
        [claim] = file.claims
        students = [s for s in groups if groups[s] == file.group] if file.group else [whose[claim]]
        if students == [None]:
            packed.unmatched.append(file.entry.path)
        elif page := next((s for s in students if classroom.feedback(stem, s).is_file()), None):
            names[page] = f"{file.back}{stem}.html"
        else:
            packed.without += students
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for student, name in sorted(names.items()):
            archive.write(classroom.feedback(stem, student), name)
    packed.content, packed.students = out.getvalue(), sorted(names)
    packed.without = sorted(set(packed.without) - names.keys())
    return packed
