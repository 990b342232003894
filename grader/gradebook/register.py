"""The class' register in nbgrader's gradebook: its people, due dates and extensions."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

import sqlalchemy as sa

from grader.errors import GraderError
from grader.gradebook.roster import Person
from grader.gradebook.tables import EPOCH, connect, patiently


class Register:
    """Use it as a context; each change is committed by itself.

    Raises:
        GraderError: there is no gradebook.
    """

    def __init__(self, url: str):
        engine = connect(url)
        reflected = sa.MetaData()
        patiently(lambda: reflected.reflect(engine))
        if "assignment" not in reflected.tables:
            raise GraderError(f"{url} is no gradebook of nbgrader's. Make a class with 'grader new-class'.")
        self._engine, self._tables = engine, reflected.tables

    def __enter__(self) -> Register:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()

    def people(self) -> dict[str, Person]:
        table = self._tables["student"]
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(table)).all()
        found = (Person(r.id, r.first_name or "", r.last_name or "", r.email or "") for r in rows)
        return {person.id: person for person in sorted(found, key=lambda person: person.id)}

    def enrol(self, people: list[Person]) -> int:
        """Enter people, or their names and addresses anew; how many were not there."""
        known = self.people()
        table = self._tables["student"]

        def write() -> None:
            with self._engine.begin() as connection:
                for person in people:
                    about = {"first_name": person.first_name, "last_name": person.last_name}
                    about["email"] = person.email or None
                    if person.id in known:
                        connection.execute(sa.update(table).where(table.c.id == person.id).values(about))
                    else:
                        connection.execute(sa.insert(table).values(id=person.id, **about))

        patiently(write)
        return sum(person.id not in known for person in people)

    def due(self, stem: str) -> datetime | None:
        """In UTC, without a zone."""
        return self._assignment(stem).duedate

    def set_due(self, stem: str, when: datetime) -> None:
        table, identity = self._tables["assignment"], self._assignment(stem).id

        def write() -> None:
            with self._engine.begin() as connection:
                connection.execute(sa.update(table).where(table.c.id == identity).values(duedate=when))

        patiently(write)

    def extensions(self, stem: str) -> dict[str, timedelta]:
        table = self._tables["submitted_assignment"]
        query = sa.select(table).where(
            table.c.assignment_id == self._assignment(stem).id, table.c.extension.is_not(None)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        # SQLite keeps an interval as a date after the epoch.
        found = {
            row.student_id: row.extension - EPOCH if isinstance(row.extension, datetime) else row.extension
            for row in rows
        }
        return {student: granted for student, granted in sorted(found.items()) if granted}

    def extend(self, stem: str, student: str, granted: timedelta) -> None:
        """Give a student more time, also one who has not handed in anything yet; zero takes it back.

        Raises:
            GraderError: nobody is called that.
        """
        if student not in self.people():
            raise GraderError(
                f"The gradebook knows nobody called '{student}'. Enter them with 'grader roster'."
            )
        table, identity = self._tables["submitted_assignment"], self._assignment(stem).id
        value = EPOCH + granted if isinstance(table.c.extension.type, sa.DateTime) else granted
        theirs = sa.and_(table.c.assignment_id == identity, table.c.student_id == student)

        def write() -> None:
            with self._engine.begin() as connection:
                if not connection.execute(sa.update(table).where(theirs).values(extension=value)).rowcount:
                    row = {"id": uuid.uuid4().hex, "assignment_id": identity, "student_id": student}
                    connection.execute(sa.insert(table).values(**row, extension=value))

        patiently(write)

    def _assignment(self, stem: str) -> sa.Row:
        table = self._tables["assignment"]
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(table).where(table.c.name == stem)).one_or_none()
        if row is None:
            raise GraderError(f"The gradebook does not know '{stem}'.")
        return row
