"""Tables of our own in nbgrader's gradebook: how grades have changed, who has asked for another look, and what else
people are known by.

Grades change here in three ways: by this package, which notes it itself; in formgrader; and by nbgrader's commands. Of
the last two `watch`, which a class' nbgrader_config.py calls, notes what they change.
"""

from __future__ import annotations

import getpass
import os
import sys
from datetime import datetime, timezone

import sqlalchemy as sa

OURS = sa.MetaData()
HISTORY = sa.Table(
    "grade_history",
    OURS,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", sa.DateTime, nullable=False),  # UTC
    sa.Column("exercise", sa.Text, nullable=False),
    sa.Column("student", sa.Text, nullable=False),
    sa.Column("cell", sa.Text, nullable=False),  # empty for what is of the whole exercise
    sa.Column("part", sa.Text, nullable=False),  # one of PARTS' values, LATE or SHOWN
    sa.Column("before", sa.Text),
    sa.Column("after", sa.Text),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("by", sa.Text, nullable=False),  # the program
)
REQUESTS = sa.Table(
    "regrade_request",
    OURS,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", sa.DateTime, nullable=False),
    sa.Column("exercise", sa.Text, nullable=False),
    sa.Column("student", sa.Text, nullable=False),
    sa.Column("cell", sa.Text, nullable=False),
    sa.Column("said", sa.Text, nullable=False),
    sa.Column("answered", sa.DateTime),
    sa.Column("answer", sa.Text),
)
ALSO = sa.Table(
    "known_as",
    OURS,
    sa.Column("student", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),  # one of grader.gradebook.people's
    sa.Column("text", sa.Text, primary_key=True),
)
PARTS = {
    "auto_score": "points",
    "manual_score": "points by hand",
    "extra_credit": "extra points",
    "manual_comment": "comment",
}
LATE = "late penalty"
SHOWN = "the course's answers"


def make(connection: sa.Connection) -> None:
    """Make our tables where they are not; in one transaction it is looked up once."""
    transaction = connection.get_transaction()
    if transaction is None or connection.info.get(__name__) is not transaction:
        OURS.create_all(connection, checkfirst=True)
        connection.info[__name__] = connection.get_transaction()


def now() -> datetime:
    return datetime.now(timezone.utc).replace(tzinfo=None)


def note(
    connection: sa.Connection,
    exercise: str,
    student: str,
    cell: str,
    part: str,
    before: object,
    after: object,
) -> None:
    """Keep a change, in the transaction that makes it."""
    if _said(before) == _said(after):
        return
    make(connection)  # a class made by an earlier grader has no such table
    row = {"at": now(), "exercise": exercise, "student": student, "cell": cell, "part": part}
    change = {"before": _said(before), "after": _said(after)}
    connection.execute(sa.insert(HISTORY).values(**row, **change, who=_who(), by=_program()))


def _said(value: object) -> str | None:
    return f"{value:g}" if isinstance(value, float | int) else value or None


def _who() -> str:
    try:
        return os.environ.get("JUPYTERHUB_USER") or getpass.getuser()
    except (OSError, KeyError):  # a user id without a name, as in some containers
        return str(os.getuid())


def _program() -> str:
    if "grader.cli" in sys.modules:
        command = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
        return f"grader {command}".strip()
    return "formgrader" if "jupyter_server.serverapp" in sys.modules else "nbgrader"


def watch() -> None:
    """Keep what formgrader and nbgrader's commands change in this process."""
    from sqlalchemy.orm import Session

    if not sa.event.contains(Session, "before_flush", _keep):
        sa.event.listen(Session, "before_flush", _keep)


def _keep(session, *_: object) -> None:
    changed = [row for row in session.dirty if type(row).__module__ == "nbgrader.api"]
    changed = [row for row in changed if type(row).__name__ in ("Grade", "Comment")]
    with session.no_autoflush:
        for row in changed:
            table = row.__table__
            before = session.connection().execute(sa.select(table).where(table.c.id == row.id)).one()._mapping
            for column in PARTS.keys() & before.keys():
                where = (row.assignment.name, row.student.id, row.name)
                note(session.connection(), *where, PARTS[column], before[column], getattr(row, column))
