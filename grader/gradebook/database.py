"""The gradebook's database: opened in one place, and asked again while another program keeps it locked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Self

import sqlalchemy as sa

from grader.errors import GraderError

LOCKED_SECONDS = 60
EPOCH = datetime(1970, 1, 1)
# Tables as they were found, by database and their names: to look at every column takes longer than all else.
_found: dict[tuple[str, frozenset[str]], Mapping[str, sa.Table]] = {}


class Database:
    """A gradebook, open while it is used as a context.

    Raises:
        GraderError: there is no gradebook.
    """

    def __init__(self, url: str):
        self._engine = connect(url)
        patiently(self._reflect)
        if "assignment" not in self._tables:
            raise GraderError(f"{url} is no gradebook of nbgrader's. Make a class with 'grader new-class'.")

    def _reflect(self) -> None:
        key = str(self._engine.url), frozenset(sa.inspect(self._engine).get_table_names())
        if key not in _found:
            reflected = sa.MetaData()
            reflected.reflect(self._engine)
            _found[key] = reflected.tables
        self._tables = _found[key]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()


@dataclass(frozen=True)
class Assignment:
    """One exercise in an open gradebook, by nbgrader's name for it: its row and that of its notebook."""

    connection: sa.Connection
    tables: dict[str, sa.Table]
    stem: str
    id: str
    notebook: str
    due: datetime | None


def interval(extension: timedelta | datetime | None) -> timedelta:
    """An extension as its length: SQLite keeps an interval as a date after the epoch."""
    return extension - EPOCH if isinstance(extension, datetime) else extension or timedelta()


@lru_cache(maxsize=16)
def connect(url: str) -> sa.Engine:
    """An engine for the gradebook's database: always the same, since it remembers how statements are put.

    Raises:
        GraderError: the database's driver is not installed, or there is none of that name.
    """
    try:
        return sa.create_engine(url, connect_args={"timeout": 5} if url.startswith("sqlite") else {})
    except (ModuleNotFoundError, sa.exc.ArgumentError) as error:
        driver = " Install it: pip install '.[postgres]'" if "psycopg2" in str(error) else ""
        raise GraderError(f"The gradebook's database cannot be reached: {error}.{driver}") from error


def patiently(action: Callable[[], None]) -> None:
    """Do it, again and again for a while if the database is locked."""
    deadline = time.monotonic() + LOCKED_SECONDS
    while True:
        try:
            with _explained():
                return action()
        except _Locked:
            if time.monotonic() > deadline:
                raise GraderError(
                    f"Another program keeps the gradebook locked for {LOCKED_SECONDS} s (formgrader? nbgrader?). "
                    "Close it and run the same command again: what is graded stays graded."
                ) from None
            time.sleep(0.1)


class _Locked(Exception):
    pass


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what the database says into what the user can do."""
    try:
        yield
    except sa.exc.IntegrityError as error:
        raise _Locked from error  # another has just entered the same student: look again
    except sa.exc.OperationalError as error:
        said = str(error.orig).partition("\n")[0]
        if "locked" in said or "deadlock" in said:  # of two who wait for each other, PostgreSQL ends one
            raise _Locked from error
        if "full" in said:
            raise GraderError(
                "No space is left for the gradebook. Free some and run the same command again."
            ) from error
        raise GraderError(f"The gradebook cannot be used: {said}.") from error
