"""Canvas over its REST API: the same people and files as in its zips and CSVs, without either.

What it says is taken as canvas-lms' source and documentation have it; anything may be null, and a token may see less
than its owner (no SIS ids, no addresses). `canvasapi` would add two packages, tries nothing twice and logs what it sends;
these few requests are shorter with `requests`, which nbgrader brings.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Container, Iterator
from datetime import datetime, timezone
from typing import Any, BinaryIO

from grader.classroom.archive import MAX_MB, Entry, opened
from grader.classroom.connection import Connection, connection_of
from grader.classroom.folder import Classroom
from grader.classroom.platforms import Handed, canvas
from grader.classroom.platforms.web import Refused, Web
from grader.errors import GraderError
from grader.gradebook.people import CANVAS, LOGIN, Claim
from grader.gradebook.times import moment

# As its exported gradebook has them.
HEAD = ["Student", "ID", "SIS User ID", "SIS Login ID", "Email", "Section"]


class Course:
    """A course on Canvas, as the owner of a token may see and change it."""

    def __init__(self, connection: Connection):
        self._web = Web("Canvas", f"{connection.address}/api/v1/", connection.token)
        self._course = f"courses/{connection.course}"

    @classmethod
    def of(cls, classroom: Classroom) -> Course:
        """The course that a class is connected to.

        Raises:
            GraderError: it is connected to none.
        """
        return cls(connection_of(classroom))

    def name(self) -> str:
        """The course's name; that it can be read proves address and token."""
        return text(self._web.get(self._course), "name") or "?"

    def students(self) -> list[dict]:
        """Those who take part, or are invited: not who has left, nor Canvas' test student."""
        states, also = ["active", "invited"], ["email", "enrollments"]
        found = self._web.pages(
            f"{self._course}/users", enrollment_type=["student"], enrollment_state=states, include=also
        )
        return [user for user in found if text(user, "id")]

    def sections(self) -> dict[str, str]:
        """Names by number."""
        return {text(one, "id"): text(one, "name") for one in self._web.pages(f"{self._course}/sections")}

    def assignment(self, stem: str) -> dict:
        """The assignment of an exercise: the one that is called so; capitals may differ if they must.

        Raises:
            GraderError: there is none, or several.
        """
        # Its own dates, not the latest of anybody's.
        found = list(self._web.pages(f"{self._course}/assignments", override_assignment_dates="false"))
        where = canvas.columns_of([text(one, "name") for one in found], stem)
        if len(where) != 1:
            count = "several assignments" if where else "no assignment"
            raise GraderError(
                f"The course has {count} called {stem}. Give one of them, and only one, that name."
            )
        return found[where[0]]

    def overrides(self, assignment: dict) -> list[dict]:
        """Other dates of an assignment, for some."""
        return list(self._web.pages(f"{self._of(assignment)}/overrides"))

    def members(self, group: str) -> set[str]:
        return {text(user, "id") for user in self._web.pages(f"groups/{group}/users")}

    def submissions(self, assignment: dict, *also: str) -> dict[str, dict]:
        """Submissions of everybody in the course, also of those who have handed in nothing, by the number of the person.

        Raises:
            GraderError: Canvas does not say whose they are.
        """
        found = list(self._web.pages(f"{self._of(assignment)}/submissions", include=["user", "group", *also]))
        if any(not text(one, "user_id") for one in found):
            raise GraderError(
                "Canvas does not say whose work this is (anonymous grading). Turn that off for the assignment."
            )
        return {text(one, "user_id"): one for one in found}

    def late_policy(self) -> bool:
        """True if Canvas itself takes points off for lateness."""
        try:
            policy = self._web.get(f"{self._course}/late_policy")
        except Refused as error:
            if error.code == 404:  # it has none
                return False
            raise
        return bool((policy.get("late_policy") or policy).get("late_submission_deduction_enabled"))

    def grade(self, assignment: dict, user: str, points: str) -> dict:
        """Enter points; the submission as it is then."""
        data = {"submission[posted_grade]": points, "prefer_points_over_scheme": "true"}
        return self._web.change("PUT", f"{self._of(assignment)}/submissions/{user}", data, again=True)

    def comment(
        self, assignment: dict, user: str, said: str, name: str, page: bytes, attempt: int | None
    ) -> None:
        """Put one comment with one file beside an attempt; without its number Canvas would take the first."""
        path = f"{self._of(assignment)}/submissions/{user}"
        file = self._web.upload(f"{path}/comments/files", name, page)
        data = {"comment[text_comment]": said, "comment[file_ids]": [file]}
        self._web.change("PUT", path, data | ({"comment[attempt]": attempt} if attempt else {}))

    def handed(
        self, assignment: dict, groups: set[str], known: Container[tuple[str, int]] = ()
    ) -> Iterator[Handed]:
        """Files of the last attempt of each, as in Canvas' own zip, and with their times.

        Args:
            known: numbers of people and of a file of theirs, with which they have handed in nothing new.
        """
        for user, submission in self.submissions(assignment).items():
            if any((user, number) in known for number in files_of(submission)):
                continue
            group = text(submission.get("group") or {}, "name")
            claim = claim_of(submission.get("user") or {}, user)
            about = {"when": time_of(submission, "submitted_at"), "late": bool(submission.get("late"))}
            about["group"] = group if group in groups else ""
            who = _flat(next(iter(claim.names), user))
            if not submission.get("attachments") and about["when"]:
                kind = text(submission, "submission_type") or "?"
                yield Handed(Entry(f"{who}/{_flat(kind)}", io.BytesIO), [claim], **about)
            for file in submission.get("attachments") or []:
                path = f"{who}/{_flat(text(file, 'display_name') or text(file, 'filename') or '?')}"
                for entry in opened([Entry(path, self._opener(file))]):
                    yield Handed(entry, [claim], attempt=int(text(file, "id") or 0), **about)

    def _opener(self, file: dict) -> Callable[[], BinaryIO]:
        """Opens an uploaded file, which is downloaded once, when it is first read."""
        kept: list[bytes] = []

        def read() -> BinaryIO:
            if not kept:
                kept.append(self._content(file))
            return io.BytesIO(kept[0])

        return read

    def _content(self, file: dict) -> bytes:
        size = file.get("size")
        if not text(file, "url") or (size or 0) > MAX_MB << 20:
            raise OSError("locked, or too large")
        try:
            return self._web.download(file["url"], size if isinstance(size, int) else None)
        except Refused as error:
            if error.code in (403, 404, 410):  # this file alone
                raise OSError("gone") from None
            raise

    def _of(self, assignment: dict) -> str:
        return f"{self._course}/assignments/{assignment['id']}"


def files_of(submission: dict) -> list[int]:
    """Numbers of the files of a submission's last attempt."""
    return [int(text(file, "id") or 0) for file in submission.get("attachments") or []]


def claim_of(user: dict, number: str) -> Claim:
    """The claim of a user of Canvas', who has this number there."""
    numbers = ((CANVAS, number), *((LOGIN, login) for login in [text(user, "login_id")] if login))
    ids = tuple(one for one in (text(user, "sis_user_id"), text(user, "integration_id")) if one)
    emails = tuple(one for one in [text(user, "email")] if one)
    names = tuple(one for one in (text(user, "sortable_name"), text(user, "name")) if one)[:1]
    return Claim(ids, numbers, emails, names, number)


def rows_of(users: list[dict], sections: dict[str, str], known: dict[str, str]) -> list[list[str]]:
    """The people as a table with Canvas' headings.

    Args:
        known: ids that the class has for some already, by Canvas' number.
    """
    ids = {text(user, "id"): text(user, "sis_user_id") for user in users}
    if any(ids.values()) or any(number != identity for number, identity in known.items()):
        ids |= known  # otherwise nobody has another id than that number
    return [HEAD, *(_row(user, sections, ids) for user in users)]


def _row(user: dict, sections: dict[str, str], ids: dict[str, str]) -> list[str]:
    number, name = text(user, "id"), text(user, "sortable_name") or text(user, "name")
    there = ";".join(sections[one] for one in sections_of(user) if sections.get(one))
    return [name, number, ids[number], text(user, "login_id"), text(user, "email"), there]


def sections_of(user: dict) -> list[str]:
    """Numbers of the sections in which somebody is."""
    enrolled = (text(one, "course_section_id") for one in user.get("enrollments") or [])
    return list(dict.fromkeys(filter(None, enrolled)))


def time_of(record: dict, name: str) -> datetime | None:
    """A time that Canvas gives, in UTC without a zone."""
    said = text(record, name)
    return moment(said, timezone.utc) if said else None


def text(record: Any, name: str) -> str:
    """A value of a record as text; empty where there is none."""
    value = record.get(name) if isinstance(record, dict) else None
    return "" if value is None else str(value)


def _flat(name: str) -> str:
    """A name that is no path."""
    return name.replace("/", "_").replace("\\", "_")
