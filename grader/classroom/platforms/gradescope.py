"""Gradescope: the export of an assignment's submissions, whose submission_metadata.yml says who and when."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import PurePosixPath

from grader.classroom.archive import Entry, Unreadable
from grader.classroom.platforms import Handed
from grader.errors import GraderError
from grader.gradebook.people import Claim, People
from grader.gradebook.times import moment

ABOUT = "submission_metadata.yml"
TIMES = ""


def handed(found: Iterable[Entry], stem: str, groups: Iterable[str], people: People) -> list[Handed]:
    """The work in an export of Gradescope's.

    Raises:
        GraderError: what the export says of its submissions cannot be read.
    """
    found = list(found)
    known = {
        str(PurePosixPath(entry.path).parent): _submissions(entry)
        for entry in found
        if entry.parts[-1] == ABOUT
    }
    return [_handed(entry, known) for entry in found if entry.parts[-1] != ABOUT]


def _handed(entry: Entry, known: dict[str, dict]) -> Handed:
    parts = entry.parts
    for position, part in enumerate(parts[:-1]):
        about = known.get("/".join(parts[:position]) or ".", {}).get(part)
        if about is not None:
            claims, when = about
            return Handed(entry, claims, when=when)
    return Handed(entry)


def _submissions(entry: Entry) -> dict[str, tuple[list[Claim], datetime | None]]:
    """Submitters and time, by submission."""
    import yaml

    try:
        # Everything as text: an id of 007 is no number.
        about = yaml.load(entry.read(), yaml.BaseLoader) or {}
    except Unreadable as error:
        raise GraderError(f"{entry.path}: {error}.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise GraderError(f"{entry.path} cannot be read: {str(error).splitlines()[0]}") from None
    if not isinstance(about, dict):
        raise GraderError(f"{entry.path} is no {ABOUT} of Gradescope's.")
    return {name: _submission(name, values) for name, values in about.items() if isinstance(values, dict)}


def _submission(name: str, values: dict) -> tuple[list[Claim], datetime | None]:
    submitters = [person for person in values.get(":submitters") or [] if isinstance(person, dict)]
    claims = [_claim(name, person) for person in submitters]
    try:
        return claims, moment(str(values.get(":created_at") or ""))
    except GraderError:
        return claims, None


def _claim(submission: str, person: dict) -> Claim:
    def said(key: str) -> tuple[str, ...]:
        text = person.get(key)
        return (text,) if isinstance(text, str) and text not in ("", "null", "~") else ()

    return Claim(
        said(":sid"), (), said(":email"), said(":name"), f"{submission} {' '.join(said(':name'))}".strip()
    )
