"""Any folder: whose a file is stands in the name of one of the folders around it, or else in its own.

STUDENT/EXERCISE/timestamp.txt, as nbgrader leaves it beside a notebook, says when.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timezone

from grader.classroom.archive import Entry, Unreadable
from grader.classroom.platforms import Handed
from grader.errors import GraderError
from grader.gradebook.people import Claim, People
from grader.gradebook.times import moment

TIMES = "Folders hold no times but nbgrader's timestamp.txt: elsewhere nobody is late."
_TIME = "timestamp.txt"
SHORTEST = 4  # characters of an id that is but a part of a name; "masking (1)" is not of student 1
_ID_LIKE = re.compile(r"\d{5,}")


def handed(found: Iterable[Entry], stem: str, groups: Iterable[str], people: People) -> list[Handed]:
    found = list(found)
    when = times(found)
    return [
        Handed(entry, [_claim(entry, stem, people)], when=when.get(entry.folder))
        for entry in found
        if not is_time(entry)
    ]


def is_time(entry: Entry) -> bool:
    return entry.parts[-1] == _TIME


def times(found: Iterable[Entry]) -> dict[str, datetime | None]:
    """Times of handing in by folder, as nbgrader's note in it says."""
    return {entry.folder: _time(entry) for entry in found if is_time(entry)}


def _claim(entry: Entry, stem: str, people: People) -> Claim:
    around = (re.sub(r"\.zip$", "", part, flags=re.IGNORECASE) for part in entry.parts[:-1])
    folders = [part for part in around if part.casefold() != stem.casefold()]
    named = folders or [re.sub(r"\.ipynb.*$|\.[^.]*$", "", entry.parts[-1], flags=re.IGNORECASE)]
    if not people:  # an id is what is there: the folder around the notebook, or around the exercise's
        return Claim(ids=(named[-1],))
    for parts in (folders, named, [re.sub(r"\.[^.]*$", "", entry.parts[-1])]):
        if ids := {student for part in parts for text in _pieces(part) if (student := people.by_id(text))}:
            return Claim(ids=tuple(sorted(ids)))
    for position, part in enumerate(named):
        if _ID_LIKE.search(part):
            return Claim(ids=(part,))  # of somebody, whom the class does not know
        if names := tuple(text for text in (part, *re.split("[_-]", part)) if people.is_name(text)):
            return Claim(names=names, place="/".join(named[: position + 1]))
    return Claim()


def _pieces(name: str) -> list[str]:
    """The name, and parts of it that could be an id."""
    parts = {part for signs in (r"[\s_()\[\],]+", r"[\s_()\[\],-]+") for part in re.split(signs, name)}
    return [name, *(part for part in parts if len(part) >= SHORTEST)]


def _time(beside: Entry) -> datetime | None:
    try:
        return moment(beside.read()[:100].decode("utf-8", "replace"), timezone.utc)
    except (GraderError, Unreadable):
        return None
