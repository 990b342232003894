"""Times as people and platforms write them. Stored ones are in UTC, without a zone; shown ones name their zone."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from datetime import datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from grader.errors import GraderError

if TYPE_CHECKING:
    from traitlets.config import Config

# Abbreviations that mean one zone the world over. EST, CST, IST, BST and others mean several.
ABBREVIATIONS = {"Z": "UTC", "UTC": "UTC", "GMT": "UTC", "KST": "Asia/Seoul", "JST": "Asia/Tokyo"}
_HALVES = ("AM", "PM")
_KOREAN = (
    (r"\s*(\([월화수목금토일]\)|[월화수목금토일]요일),?", " "),
    (r"(\d{4})\s*[년.]\s*(\d{1,2})\s*[월.]\s*(\d{1,2})\s*[일.]?", r"\1-\2-\3 "),
    (r"(\d{1,2})\s*시(?:\s*(\d{1,2})\s*분)?", lambda found: f"{found[1]}:{found[2] or '00'}"),
    (r"(오전|오후)\s*([\d:]+)", lambda found: f"{found[2]} {'AM' if found[1] == '오전' else 'PM'}"),
)
LONGEST_EXTENSION = timedelta(days=3653)


def zone_of(name: str | None = None) -> tzinfo:
    """The time zone of that name; without one, this machine's.

    Raises:
        GraderError: there is none.
    """
    if name:
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise GraderError(f"No time zone is called '{name}'. Write it like Asia/Seoul.") from None
    from dateutil import tz

    here = os.environ.get("TZ") or os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    try:
        return ZoneInfo(here.lstrip(":"))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return tz.tzlocal()


def class_zone(config: Config) -> tzinfo:
    """The zone in which a class' days begin and end: `c.Dates.timezone`, or this machine's."""
    return zone_of(config.Dates.get("timezone", None))


def moment(text: str, zone: tzinfo | None = None) -> datetime:
    """A date as people write it, in `zone` (this machine's if None) unless it names one; in UTC without a zone.

    A day without a time is its end.

    Raises:
        GraderError: it is no date, or its zone is unknown or ambiguous.
    """
    bare, said = _zone_said(_in_digits(text.strip()))
    bare, midnight = re.subn(r"\b24:00(:00)?\b", "00:00", bare)
    try:
        when = _read(bare) + timedelta(days=midnight)
    except (ValueError, OverflowError):
        raise GraderError(f"'{text}' is no date, or several. Write it like 2027-03-31 23:59.") from None
    if not _timed(bare):
        when = when.replace(hour=23, minute=59, second=59)
    if when.tzinfo is None:
        when = when.replace(tzinfo=said or zone or zone_of())
    try:
        return when.astimezone(timezone.utc).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise GraderError(f"'{text}' is no date. Write it like 2027-03-31 23:59.") from None


def local(when: datetime, zone: tzinfo | None = None) -> str:
    """A stored time, as it is said in a zone (this machine's if None), with the zone's name."""
    there = when.replace(tzinfo=timezone.utc).astimezone(zone or zone_of())
    return f"{there:%Y-%m-%d %H:%M} {getattr(there.tzinfo, 'key', None) or f'{there:%z}'}"


def duration(days: str) -> timedelta:
    """A number of days as a duration.

    Raises:
        GraderError: it is no number of days.
    """
    try:
        found = timedelta(days=float(days))
    except (ValueError, OverflowError):
        raise GraderError(f"'{days}' is no number of days.") from None
    if found < timedelta():
        raise GraderError("An extension cannot be negative.")
    if found > LONGEST_EXTENSION:
        raise GraderError(f"{days} days are more than ten years. Say a smaller number.")
    return found


def later(when: datetime, more: timedelta, zone: tzinfo) -> datetime:
    """A stored time moved by days of the calendar: the same hour of a later day, also where a clock was changed."""
    there = when.replace(tzinfo=timezone.utc).astimezone(zone).replace(tzinfo=None) + more
    return there.replace(tzinfo=zone).astimezone(timezone.utc).replace(tzinfo=None)


def days_between(first: datetime, second: datetime, zone: tzinfo) -> timedelta:
    """From one stored time to another, by the clock on a wall in the zone."""
    walls = (t.replace(tzinfo=timezone.utc).astimezone(zone).replace(tzinfo=None) for t in (second, first))
    return next(walls) - next(walls)


def _zone_said(text: str) -> tuple[str, tzinfo | None]:
    """The text without the zone at its end, and the zone."""
    if offset := re.search(r"\s*\b(?:UTC|GMT)\s*([+-])(\d{1,2})(?::?(\d\d))?$", text, re.IGNORECASE):
        # Said aloud, "GMT+9" is nine hours east; dateutil would take it as POSIX does, west.
        away = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return text[: offset.start()], timezone(away if offset[1] == "+" else -away)
    named = re.search(r"(?:(?<=\d)|\s)\[?\(?([A-Za-z]+(?:[/_+-][A-Za-z0-9_+-]+)*)\)?\]?$", text)
    if named is None or named[1].upper() in _HALVES:
        return text, None
    name = named[1]
    if "/" in name or name.upper() in ABBREVIATIONS:
        return text[: named.start()], zone_of(ABBREVIATIONS.get(name.upper(), name))
    if _timed(text):
        raise GraderError(
            f"'{name}' is no time zone, or the name of several. Write one like Asia/Seoul, KST, UTC or +09:00."
        )
    return text, None


def _in_digits(text: str) -> str:
    """A date as Korean writes it, in digits: 2027년 3월 31일 오후 11시 59분, 2027. 3. 31. 23:59."""
    for korean, digits in _KOREAN:
        text = re.sub(korean, digits, text)
    return text


def _read(text: str) -> datetime:
    """A date that can be read in one way alone: 03/04/2027 may be March or April, 4/3 is of no year.

    Raises:
        ValueError: it cannot.
    """
    from dateutil import parser

    with suppress(ValueError):
        return datetime.fromisoformat(text)
    readings = [{"default": datetime(2000, 1, 1)}, {"default": datetime(2004, 2, 2)}]
    if not re.match(r"\d{4}", text):
        readings += [{"dayfirst": True, **readings[0]}, {"yearfirst": True, **readings[0]}]
    [when] = {parser.parse(text, tzinfos=_refuse, **about) for about in readings}
    return when


def _timed(text: str) -> bool:
    """True if a text names an hour."""
    return bool(re.search(r"\d:\d|\d\s*[ap]\.?m\b|\dT\d{4}", text, re.IGNORECASE))


def _refuse(name: str | None, offset: int | None) -> tzinfo | None:
    if name is None or offset is not None:
        return None if offset is None else timezone(timedelta(seconds=offset))
    raise GraderError(
        f"'{name}' is no time zone, or the name of several. Write one like Asia/Seoul or +09:00."
    )
