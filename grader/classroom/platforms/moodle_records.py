"""Records of Moodle's web services, and what they mean."""

from __future__ import annotations

from datetime import datetime, timezone

from grader.classroom.platforms.course import Member, Task, Work, as_points, text
from grader.gradebook.people import LOGIN, MOODLE_USER, Claim

_HANDED_IN = "submitted"  # a submission's status; others are new, draft, reopened


def member_of(user: dict) -> Member:
    number, last, first = (text(user, key) for key in ("id", "lastname", "firstname"))
    whole = text(user, "fullname")
    ids = tuple(one for one in [text(user, "idnumber")] if one)
    login, email = text(user, "username"), text(user, "email")
    numbers = ((MOODLE_USER, number), *((LOGIN, one) for one in [login] if one))
    claim = Claim(ids, numbers, tuple(filter(None, [email])), tuple(filter(None, [whole])), number)
    sections = tuple(text(group, "name") for group in user.get("groups") or [])
    name = f"{last}, {first}" if last and first else whole
    return Member(number, name, claim, text(user, "idnumber"), login, email, sections)


def work_of(member: Member, there: dict, task: Task) -> Work:
    submission, grade = there.get("submission") or {}, there.get("grade") or {}
    when, graded = when_of(submission), float(text(grade, "grade") or -1)
    uploads = [
        (int(f.get("timemodified") or 0), text(f, "filename")) for f in files_of(submission.get("plugins"))
    ]
    points = as_points(graded) if graded >= 0 else ""
    due = time_of(task.about.get("duedate"))
    return Work(
        member.claim,
        member.name,
        when,
        int(submission.get("attemptnumber") or 0) + 1 if submission else None,
        uploads,
        late=bool(when and due and when > due),
        points=points,
        outdated=bool(points and when and when > (time_of(grade.get("timemodified")) or when)),
        group="" if text(submission, "groupid") == "0" else text(submission, "groupid"),
        pages=[text(file, "filename") for file in files_of(there.get("plugins"))],
    )


def opened_anew(submission: dict) -> bool:
    """True if there is an earlier attempt, and nothing has been handed in anew."""
    return bool(submission.get("attemptnumber")) and text(submission, "status") != _HANDED_IN


def files_of(plugins: list[dict] | None) -> list[dict]:
    """Files of plugins of the kind that has files."""
    areas = [
        area for one in plugins or [] if text(one, "type") == "file" for area in one.get("fileareas") or []
    ]
    return [file for area in areas for file in area.get("files") or []]


def has_feedback(task: Task, plugin: str) -> bool:
    """True if an assignment has feedback of a kind, or nobody says."""
    said = task.about.get("configs") or []
    return not said or any(
        text(one, "subtype") == "assignfeedback" and text(one, "plugin") == plugin for one in said
    )


def when_of(submission: dict) -> datetime | None:
    """The time of a submission that was handed in: Moodle measures lateness by it."""
    return time_of(submission.get("timemodified")) if text(submission, "status") == _HANDED_IN else None


def time_of(seconds: int | None) -> datetime | None:
    """A time in UTC without a zone; 0 is none."""
    return datetime.fromtimestamp(int(seconds), timezone.utc).replace(tzinfo=None) if seconds else None
