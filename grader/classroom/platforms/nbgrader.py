"""nbgrader: an exchange's inbound folder (USER+ASSIGNMENT+TIME+...), or a course's submitted folder (USER/ASSIGNMENT)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timezone

from grader.classroom.archive import Entry, Unreadable
from grader.classroom.folder import owner
from grader.classroom.platforms import Handed, folder
from grader.errors import GraderError
from grader.gradebook.people import Claim, People
from grader.gradebook.times import moment

SECRET = "submission_secret.txt"
TIMES = "Neither timestamp.txt nor a folder's name says when: nobody is late by it."
_INBOUND = re.compile(r"(?P<user>[^+]+)\+(?P<assignment>[^+]+)\+(?P<when>[^+]+)(?:\+.*)?")


def handed(found: Iterable[Entry], stem: str, groups: Iterable[str], people: People) -> list[Handed]:
    found = list(found)
    times, secrets = folder.times(found), _secrets(found)
    whole = {entry.folder for entry in found if entry.path.lower().endswith(".ipynb")}
    return [
        _handed(entry, stem, people, times.get(entry.folder), secrets.get(entry.folder, b""))
        for entry in found
        # A time without a notebook is work that was lost on its way (nbgrader#919): it stays, to be listed.
        if not _is_secret(entry) and (not folder.is_time(entry) or entry.folder not in whole)
    ]


def _handed(entry: Entry, stem: str, people: People, when: datetime | None, secret: bytes) -> Handed:
    for part in entry.parts[:-1]:
        if match := _INBOUND.fullmatch(part):
            claim = Claim(ids=(match["user"],))
            by = _another_student(entry, match["user"], people)
            return Handed(entry, [claim], when=when or _said(match["when"]), secret=secret, by=by)
    user = _user(entry.parts[:-1], stem)
    return Handed(entry, [Claim(ids=(user,))] if user else [], when=when, secret=secret)


def _another_student(entry: Entry, user: str, people: People) -> str:
    """The student who has put this into the exchange under another's name; "" if nobody has.

    Everybody may write there, and chooses the name (nbgrader#1097). What a teacher or root has copied stays `user`'s.
    """
    with suppress(OSError):
        for path in (entry.on_disk, entry.on_disk.parent) if entry.on_disk else ():
            name = owner(path.lstat())
            if people.by_id(name) not in (None, people.by_id(user)):
                return name
    return ""


def _is_secret(entry: Entry) -> bool:
    return entry.parts[-1] == SECRET


def _secrets(found: Iterable[Entry]) -> dict[str, bytes]:
    """Secrets by which the exchange names pages of feedback, by folder."""
    secrets = {}
    for entry in filter(_is_secret, found):
        with suppress(Unreadable):
            secrets[entry.folder] = entry.read()[:1000]
    return secrets


def _user(folders: list[str], stem: str) -> str:
    """The USER of submitted/USER/ASSIGNMENT, or of folders that lie like these."""
    names = [name.casefold() for name in folders]
    if "submitted" in names[:-1]:
        return folders[names.index("submitted") + 1]
    if stem.casefold() in names[1:]:
        return folders[names.index(stem.casefold(), 1) - 1]
    return folders[-2] if len(folders) > 1 else next(iter(folders), "")


def _said(text: str) -> datetime | None:
    try:
        return moment(text, timezone.utc)
    except GraderError:
        return None
