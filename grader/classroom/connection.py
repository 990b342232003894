"""Connections of classes to courses on a platform: address, course and token, in the user's own settings.

Never in the class folder: whoever has it, or a copy of it, can open nothing with it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from platformdirs import user_config_path

from grader.classroom.folder import Classroom
from grader.errors import GraderError

# A course's address in the browser, by platform.
_COURSES = {
    "canvas": r"(?P<address>https?://[^/\s?#@]+)/courses/(?P<course>\d+)(?:[/?#].*)?",
    "moodle": r"(?P<address>https?://[^\s?#@]+)/course/view\.php\?(?:[^#]*&)?id=(?P<course>\d+)(?:[&#].*)?",
}
_TOKENS = {
    "canvas": "Canvas shows it once: Account, Settings, New Access Token",
    "moodle": "Moodle has it under Preferences, Security keys, or its administrator makes one",
}
_HERE = ("localhost", "127.0.0.1", "::1")


class Connection(msgspec.Struct, frozen=True):
    """A course on a platform, and what opens it."""

    address: str
    course: str
    token: str
    platform: str = "canvas"  # what was kept before there was another

    def __repr__(self) -> str:
        return "Connection(...)"  # a traceback or a log must not tell the token


def connection_to(url: str, token: str) -> Connection:
    """The connection that a course's address in the browser, and a token, make.

    Raises:
        GraderError: it is no course's address, or one that sends the token in the clear; or that can be no token.
    """
    matches = {name: re.fullmatch(pattern, url.strip()) for name, pattern in _COURSES.items()}
    platform, found = next((pair for pair in matches.items() if pair[1]), ("", None))
    if not found:
        raise GraderError(
            "That is no course's address. Copy it from the browser, like https://canvas.example.org/courses/1234 or "
            "https://moodle.example.org/course/view.php?id=1234."
        )
    address = urlsplit(found["address"])
    if address.scheme != "https" and address.hostname not in _HERE:
        raise GraderError("Over http:// anybody on the way could read the token. Give the https:// address.")
    if not re.fullmatch(r"[!-~]+", token):
        raise GraderError(f"That is no token. {_TOKENS[platform]}. Copy it whole.")
    return Connection(found["address"], found["course"], token, platform)


def keep(classroom: Classroom, connection: Connection | None) -> None:
    """Keep a class' connection, for this user alone; None forgets it."""
    known = _all()
    known.pop(str(classroom.root), None)
    if connection:
        known[str(classroom.root)] = connection
    path = _path()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(known), indent=1))
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def connection_of(classroom: Classroom) -> Connection:
    """A class' connection.

    Raises:
        GraderError: it has none, or what was kept cannot be read, or could be by others.
    """
    found = _all().get(str(classroom.root))
    if found is None:
        raise GraderError(
            f"This class is connected to no course. Once: grader connect URL --class {classroom.root}"
        )
    return found


def _path() -> Path:
    return user_config_path("attentively") / "connections.json"


def _all() -> dict[str, Connection]:
    path = _path()
    try:
        if path.stat().st_mode & 0o077:
            raise GraderError(f"{path} holds tokens, and others may read it: chmod 600 {path}")
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Connection])
    except FileNotFoundError:
        return {}
    except ValueError:
        raise GraderError(f"{path} cannot be read. Remove it, and connect anew: grader connect") from None
