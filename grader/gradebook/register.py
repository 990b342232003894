"""The class' register in nbgrader's gradebook: its people, due dates and extensions."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

import sqlalchemy as sa

from grader.errors import GraderError
from grader.gradebook import ours
from grader.gradebook.database import EPOCH, Database, interval, patiently
from grader.gradebook.people import MOODLE, Person
from grader.gradebook.roster import twins

LISTED = "listed"  # the kind of a mark: a roster has named the person


class Register(Database):
    """Reads and writes it; each change is committed by itself."""

    def people(self) -> dict[str, Person]:
        table = self._tables["student"]
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(table)).all()
            also: dict[str, list[tuple[str, str]]] = {}
            if sa.inspect(connection).has_table(ours.ALSO.name):
                query = sa.select(ours.ALSO).where(ours.ALSO.c.kind != LISTED).order_by(*ours.ALSO.c)
                for row in connection.execute(query):
                    also.setdefault(row.student, []).append((row.kind, row.text))
        found = (
            Person(r.id, r.first_name or "", r.last_name or "", r.email or "", tuple(also.get(r.id, ())))
            for r in rows
        )
        return {person.id: person for person in sorted(found, key=lambda person: person.id)}

    def listed(self) -> set[str]:
        """Students whom a roster has entered; nobody, where an earlier grader has entered them."""
        with self._engine.connect() as connection:
            if not sa.inspect(connection).has_table(ours.ALSO.name):
                return set()
            query = sa.select(ours.ALSO.c.student).where(ours.ALSO.c.kind == LISTED)
            return set(connection.execute(query).scalars())

    def enrol(self, people: list[Person]) -> int:
        """Enter people, or what is said of them anew; how many were not there. What is not said stays as it was.

        Raises:
            GraderError: one of them would be taken for another who is there.
        """
        known = self.people()
        news = {person.id for person in people}
        others = [person for person in known.values() if person.id not in news]
        if same := [text for text in twins([*others, *people]) if text not in twins(others)]:
            raise GraderError(f"Nothing was entered. {'; '.join(same[:5])}.")
        table = self._tables["student"]

        def write() -> None:
            with self._engine.begin() as connection:
                ours.make(connection)
                for person in people:
                    about = {"email": person.email} if person.email else {}
                    if person.name:
                        about |= {"first_name": person.first_name, "last_name": person.last_name}
                    if person.id not in known:
                        empty = {"first_name": "", "last_name": "", "email": None}
                        connection.execute(sa.insert(table).values(id=person.id, **(empty | about)))
                    elif about:
                        connection.execute(sa.update(table).where(table.c.id == person.id).values(about))
                    self._know(connection, person)

        patiently(write)
        return sum(person.id not in known for person in people)

    def _know(self, connection: sa.Connection, person: Person) -> None:
        """Keep what else somebody is known by; a kind of it that is said replaces what was there, but numbers of Moodle,
        of which everybody has one an assignment."""
        table = ours.ALSO
        said = {*person.also, (LISTED, "")}
        kinds = {kind for kind, _ in said} - {MOODLE}
        theirs = sa.and_(table.c.student == person.id, table.c.kind.in_(kinds))
        connection.execute(sa.delete(table).where(theirs))
        there = connection.execute(sa.select(table).where(table.c.student == person.id)).all()
        new = said - {(row.kind, row.text) for row in there}
        rows = [{"student": person.id, "kind": kind, "text": text} for kind, text in sorted(new)]
        connection.execute(sa.insert(table), rows)

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
        found = {row.student_id: interval(row.extension) for row in rows}
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

    def answers_shown(self, stem: str) -> datetime | None:
        """When the course's answers were first on students' pages, in UTC; None if never."""
        table = ours.HISTORY
        query = sa.select(sa.func.min(table.c.at)).where(table.c.exercise == stem, table.c.part == ours.SHOWN)
        with self._engine.connect() as connection:
            if not sa.inspect(connection).has_table(table.name):
                return None
            return connection.execute(query).scalar()

    def note_answers_shown(self, stem: str) -> None:
        """Keep that the course's answers are on students' pages from now on; once is enough."""

        def write() -> None:
            if self.answers_shown(stem):
                return
            with self._engine.begin() as connection:
                ours.note(connection, stem, "", "", ours.SHOWN, None, "shown")

        patiently(write)

    def _assignment(self, stem: str) -> sa.Row:
        table = self._tables["assignment"]
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(table).where(table.c.name == stem)).one_or_none()
        if row is None:
            raise GraderError(f"The gradebook does not know '{stem}'.")
        return row
