"""Canvas over its REST API: the same people and files as in its zips and CSVs, without either.

What it says is taken as canvas-lms' source and documentation have it; anything may be null, and a token may see less
than its owner (no SIS ids, no addresses). `canvasapi` would add two packages, tries nothing twice and logs what it sends;
these few requests are shorter with `requests`, which nbgrader brings.
"""

from __future__ import annotations

import io
from collections.abc import Container, Iterator
from datetime import datetime, timezone
from functools import partial

from grader.classroom.archive import MAX_MB, Entry, opened
from grader.classroom.connection import Connection
from grader.classroom.platforms import Handed
from grader.classroom.platforms.canvas_web import CanvasWeb
from grader.classroom.platforms.course import Dates, Member, Task, Work, as_points, called, flat, once, text
from grader.classroom.platforms.web import Refused
from grader.errors import GraderError
from grader.gradebook.people import CANVAS, LOGIN, Claim
from grader.gradebook.times import moment

_IN_POINTS = ("points", "percent", "letter_grade", "gpa_scale")
_BY_HAND = ("none", "late", "extended")  # a submission's status, whatever its time


class CanvasCourse:
    """A course on Canvas."""

    platform = "Canvas"
    kind = CANVAS
    # As its exported gradebook has them.
    head = ("Student", "ID", "SIS User ID", "SIS Login ID", "Email", "Section")

    def __init__(self, connection: Connection):
        self._web = CanvasWeb(self.platform, f"{connection.address}/api/v1/", connection.token)
        self._course = f"courses/{connection.course}"

    def name(self) -> str:
        return text(self._web.get(self._course), "name") or "?"

    def lacks(self) -> list[str]:
        return []

    def students(self) -> list[Member]:
        """Those who take part, or are invited; not Canvas' test student."""
        sections = {text(one, "id"): text(one, "name") for one in self._web.pages(f"{self._course}/sections")}
        return [_member(user, sections) for user in self._users()]

    def task(self, stem: str) -> Task:
        # Its own dates, not the latest of anybody's.
        found = self._web.pages(f"{self._course}/assignments", override_assignment_dates="false")
        about = called(list(found), stem)
        kind = text(about, "grading_type") or "points"
        return Task(
            text(about, "id"),
            about.get("points_possible"),
            about,
            kind="" if kind in _IN_POINTS else kind,
            published=about.get("published") is not False,
            at_once=not about.get("post_manually"),
            one_grade=bool(about.get("group_category_id"))
            and not about.get("grade_group_students_individually"),
        )

    def dates(self, task: Task) -> Dates:
        """Dates for sections, groups and single students; of several the latest counts, or never."""
        found = self._web.pages(f"{self._of(task)}/overrides")
        others, users = [one for one in found if "due_at" in one], self._users()
        groups = {group: self._members(group) for one in others if (group := text(one, "group_id"))}
        own = {}
        for user in users:
            number, sections = text(user, "id"), sections_of(user)
            theirs = [
                time_of(one, "due_at")
                for one in others
                if number in map(str, one.get("student_ids") or [])
                or text(one, "course_section_id") in sections
                or number in groups.get(text(one, "group_id"), ())
            ]
            if theirs:
                own[number] = None if None in theirs else max(theirs)
        for_all = not task.about.get("only_visible_to_overrides")
        said = {number: text(one, "late_policy_status") for number, one in self._submissions(task).items()}
        by_hand = {number: status for number, status in said.items() if status in _BY_HAND}
        return Dates(time_of(task.about, "due_at"), own, for_all, by_hand)

    def groups(self, task: Task) -> dict[str, str]:
        if not (category := text(task.about, "group_category_id")):
            return {}
        found = self._web.pages(f"group_categories/{category}/groups")
        named = {text(group, "id"): text(group, "name") or text(group, "id") for group in found}
        return {number: name for group, name in named.items() for number in self._members(group)}

    def works(self, task: Task, pages: bool = False) -> dict[str, Work]:
        also = ["submission_comments"] if pages else []
        return {number: _work(one, number) for number, one in self._submissions(task, *also).items()}

    def deducts(self, task: Task) -> bool:
        try:
            policy = self._web.get(f"{self._course}/late_policy")
        except Refused as error:
            if error.code == 404:  # it has none
                return False
            raise
        return bool((policy.get("late_policy") or policy).get("late_submission_deduction_enabled"))

    def grade(self, task: Task, number: str, work: Work, points: str) -> None:
        data = {"submission[posted_grade]": points, "prefer_points_over_scheme": "true"}
        self._web.change("PUT", f"{self._of(task)}/submissions/{number}", data, again=True)

    def give(self, task: Task, number: str, work: Work, said: str, name: str, page: bytes) -> None:
        """One comment with one file; without an attempt's number Canvas would take the first."""
        path = f"{self._of(task)}/submissions/{number}"
        file = self._web.upload(f"{path}/comments/files", name, page)
        data = {"comment[text_comment]": said, "comment[file_ids]": [file]}
        self._web.change("PUT", path, data | ({"comment[attempt]": work.attempt} if work.attempt else {}))

    def handed(
        self, task: Task, groups: set[str], known: Container[tuple[str, int]] = ()
    ) -> Iterator[Handed]:
        for number, submission in self._submissions(task).items():
            if any((number, file) in known for file, _ in _uploads(submission)):
                continue
            group = text(submission.get("group") or {}, "name")
            claim = claim_of(submission.get("user") or {}, number)
            about = {"when": time_of(submission, "submitted_at"), "late": bool(submission.get("late"))}
            about["group"] = group if group in groups else ""
            who = flat(next(iter(claim.names), number))
            if not submission.get("attachments") and about["when"]:
                kind = text(submission, "submission_type") or "?"
                yield Handed(Entry(f"{who}/{flat(kind)}", io.BytesIO), [claim], **about)
            for file in submission.get("attachments") or []:
                path = f"{who}/{flat(text(file, 'display_name') or text(file, 'filename') or '?')}"
                for entry in opened([Entry(path, once(partial(self._content, file)))]):
                    yield Handed(entry, [claim], attempt=int(text(file, "id") or 0), **about)

    def traces(self, task: Task) -> object:
        found = self._submissions(task).items()
        return {number: (text(one, "submitted_at"), _uploads(one)) for number, one in found}

    def _users(self) -> list[dict]:
        states, also = ["active", "invited"], ["email", "enrollments"]
        found = self._web.pages(
            f"{self._course}/users", enrollment_type=["student"], enrollment_state=states, include=also
        )
        return [user for user in found if text(user, "id")]

    def _members(self, group: str) -> set[str]:
        return {text(user, "id") for user in self._web.pages(f"groups/{group}/users")}

    def _submissions(self, task: Task, *also: str) -> dict[str, dict]:
        """Submissions of everybody in the course, by the number of the person.

        Raises:
            GraderError: Canvas does not say whose they are.
        """
        found = list(self._web.pages(f"{self._of(task)}/submissions", include=["user", "group", *also]))
        if any(not text(one, "user_id") for one in found):
            raise GraderError(
                "Canvas does not say whose work this is (anonymous grading). Turn that off for the assignment."
            )
        return {text(one, "user_id"): one for one in found}

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

    def _of(self, task: Task) -> str:
        return f"{self._course}/assignments/{task.number}"


def _member(user: dict, sections: dict[str, str]) -> Member:
    number = text(user, "id")
    return Member(
        number,
        text(user, "sortable_name") or text(user, "name"),
        claim_of(user, number),
        text(user, "sis_user_id"),
        text(user, "login_id"),
        text(user, "email"),
        tuple(sections[one] for one in sections_of(user) if sections.get(one)),
    )


def _work(submission: dict, number: str) -> Work:
    """Canvas tells `entered_score`, which a person or a program has entered, from `score`, of which its late policy has
    taken points off."""
    user = submission.get("user") or {}
    entered = submission.get("entered_score", submission.get("score"))
    said = [
        file for one in submission.get("submission_comments") or [] for file in one.get("attachments") or []
    ]
    return Work(
        claim_of(user, number),
        text(user, "sortable_name") or text(user, "name") or number,
        time_of(submission, "submitted_at"),
        submission.get("attempt"),
        _uploads(submission),
        late=bool(submission.get("late")),
        points=as_points(entered),
        counted=as_points(submission.get("score")),
        outdated=submission.get("grade_matches_current_submission") is False,
        excused=bool(submission.get("excused")),
        group=text(submission.get("group") or {}, "id"),
        pages=[text(file, "display_name") or text(file, "filename") for file in said],
    )


def _uploads(submission: dict) -> list[tuple[int, str]]:
    files = submission.get("attachments") or []
    return [(int(text(file, "id") or 0), text(file, "display_name")) for file in files]


def claim_of(user: dict, number: str) -> Claim:
    """The claim of a user of Canvas', who has this number there."""
    numbers = ((CANVAS, number), *((LOGIN, login) for login in [text(user, "login_id")] if login))
    ids = tuple(one for one in (text(user, "sis_user_id"), text(user, "integration_id")) if one)
    emails = tuple(one for one in [text(user, "email")] if one)
    names = tuple(one for one in (text(user, "sortable_name"), text(user, "name")) if one)[:1]
    return Claim(ids, numbers, emails, names, number)


def sections_of(user: dict) -> list[str]:
    """Numbers of the sections in which somebody is."""
    enrolled = (text(one, "course_section_id") for one in user.get("enrollments") or [])
    return list(dict.fromkeys(filter(None, enrolled)))


def time_of(record: dict, name: str) -> datetime | None:
    """A time that Canvas gives, in UTC without a zone."""
    said = text(record, name)
    return moment(said, timezone.utc) if said else None
