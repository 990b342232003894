"""Moodle over its web services: the same people and files as in its zips and worksheets, without either.

What it says is taken as the source of mod_assign has it (4.1 to 5.1). A grade there is saved together with all feedback:
what a request leaves out is taken away. So whatever stands there is read first, and sent again as it is; where it cannot be
read, nothing is written. Its `requests` are those of Canvas: a second library for the web would bring nothing.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Container, Iterator
from functools import partial
from typing import Any

from grader.classroom.archive import MAX_MB, Entry, opened
from grader.classroom.connection import Connection
from grader.classroom.platforms import Handed
from grader.classroom.platforms.course import Dates, Member, Task, Work, called, flat, once, text
from grader.classroom.platforms.moodle_reading import NO_GROUP, MoodleReading
from grader.classroom.platforms.moodle_records import (
    files_of,
    has_feedback,
    opened_anew,
    time_of,
    when_of,
    work_of,
)
from grader.classroom.platforms.moodle_web import MoodleWeb
from grader.classroom.platforms.web import Refused
from grader.errors import GraderError
from grader.gradebook.people import MOODLE_USER

FUNCTIONS = (
    "core_course_get_courses_by_field", "core_enrol_get_enrolled_users", "core_webservice_get_site_info",
    "mod_assign_get_assignments", "mod_assign_get_grades", "mod_assign_get_participant",
    "mod_assign_get_submission_status", "mod_assign_get_submissions", "mod_assign_get_user_flags",
    "mod_assign_list_participants", "mod_assign_save_grade",
)  # fmt: skip
# Of a service, beside its functions.
_SERVICE = {"downloadfiles": "files may be downloaded", "uploadfiles": "files may be uploaded"}
_RELEASED = "released"
_UNSEEN = "not released there yet, and until then Moodle does not show what writing would take away"
_FOLDERS = "has feedback files in folders there, which would be lost"
_NO_FILES = "Moodle takes no feedback files for {}. Turn on 'Feedback files' in the assignment's settings."


class MoodleCourse:
    """A course on Moodle."""

    platform = "Moodle"
    kind = MOODLE_USER
    head = ("Student", "Moodle user ID", "ID number", "Username", "Email address", "Section")

    def __init__(self, connection: Connection):
        self._web = MoodleWeb(self.platform, connection.address, connection.token)
        self._course = connection.course
        self._there = MoodleReading(self._web, self._course)

    def name(self) -> str:
        found = self._web.call("core_course_get_courses_by_field", field="id", value=self._course)
        if not found.get("courses"):
            raise GraderError("Moodle has no such course for this token. Is the address right?")
        return text(found["courses"][0], "fullname") or "?"

    def lacks(self) -> list[str]:
        site = self._web.call("core_webservice_get_site_info")
        there = {text(one, "name") for one in site.get("functions") or []}
        files = [said for key, said in _SERVICE.items() if site.get(key) == 0]
        return [name for name in FUNCTIONS if name not in there] + files

    def students(self) -> list[Member]:
        return list(self._there.students().values())

    def task(self, stem: str) -> Task:
        found = self._web.call(
            "mod_assign_get_assignments", courseids=[self._course], includenotenrolledcourses=True
        )
        about = called([one for course in found["courses"] for one in course["assignments"]], stem)
        maximum = about.get("grade") or 0
        kind = "" if maximum > 0 else "a scale" if maximum else "not graded"
        return Task(
            text(about, "id"),
            float(maximum) if maximum > 0 else None,
            about | {"stem": stem},
            kind,
            at_once=not about.get("markingworkflow"),
        )

    def dates(self, task: Task) -> Dates:
        """Dates as Moodle's overrides for groups and single students make them, or the extension, if that is later."""
        more = {n: time_of(flags.get("extensionduedate")) for n, flags in self._there.flags(task).items()}
        common, own = time_of(task.about.get("duedate")), {}
        for number in self._there.students():
            try:
                there = self._web.call(
                    "mod_assign_get_participant", assignid=task.number, userid=number, embeduser=False
                )
                due = time_of(there.get("duedate"))
            except Refused as error:
                if error.code != "usernotincourse":
                    raise
                due = common  # of the course, but not to hand this in
            extended = more.get(number)
            latest = max(due, extended) if due and extended else due
            if extended or due != common:
                own[number] = latest
        return Dates(common, own)

    def groups(self, task: Task) -> dict[str, str]:
        found = {number: team for number, team in self._there.teams(task).items() if team.number != NO_GROUP}
        times = Counter(dict(team[:2] for team in found.values()).values())
        return {
            n: team.name if times[team.name] == 1 else f"{team.name} ({team.number})"
            for n, team in found.items()
        }

    def works(self, task: Task, pages: bool = False) -> dict[str, Work]:
        last, points = self._there.submissions(task), self._there.grades(task)
        team, steps = bool(task.about.get("teamsubmission")), bool(task.about.get("markingworkflow"))
        flags = self._there.flags(task) if steps else {}
        found = {}
        for number, member in self._there.students().items():
            there = {"submission": last.get(number, {}), "grade": points.get(number)}
            if number in last and (pages or team or opened_anew(last[number])):
                there = self._there.last(task, number, there)
            found[number] = work_of(member, there, task)
            unseen = steps and text(flags.get(number, {}), "workflowstate") != _RELEASED
            if unseen and (pages or team or number in points):
                found[number].sealed = _UNSEEN
        return found

    def deducts(self, task: Task) -> bool:
        return bool(task.about.get("gradepenalty"))

    def grade(self, task: Task, number: str, work: Work, points: str) -> None:
        self._save(task, number, work, float(points), self._there.last(task, number, {}))

    def give(self, task: Task, number: str, work: Work, said: str, name: str, page: bytes) -> None:
        """A feedback file: in place of our earlier one, beside those of others."""
        if not has_feedback(task, "file"):
            raise GraderError(_NO_FILES.format(task.about["stem"]))
        there = self._there.last(task, number, {})
        ours = re.compile(rf"{re.escape(name.rpartition('-')[0])}-[0-9a-f]+\.html")
        others = [
            file for file in files_of(there.get("plugins")) if not ours.fullmatch(text(file, "filename"))
        ]
        if any(text(file, "filepath") not in ("", "/") for file in others):
            raise Refused(f"Somebody {_FOLDERS}.", "folders")
        files = {text(file, "filename"): self._content(file) for file in others}
        draft = self._web.upload(files | {name: page})
        stands = float(work.points) if work.points else -1.0
        self._save(task, number, work, stands, there, {"files_filemanager": draft})

    def handed(
        self, task: Task, groups: set[str], known: Container[tuple[str, int]] = ()
    ) -> Iterator[Handed]:
        """Of a group's work the owners are its members: each has handed it in."""
        people, teams = self._there.students(), self._there.teams(task)
        owners: dict[str, tuple[dict, list[str]]] = {}
        for number, submission in self._there.submissions(task).items():
            if number in people:
                owners.setdefault(text(submission, "id"), (submission, []))[1].append(number)
        for submission, numbers in owners.values():
            if opened_anew(submission):
                submission = self._there.last(task, numbers[0], {}).get("submission") or {}
            files = files_of(submission.get("plugins"))
            if any((n, int(file.get("timemodified") or 0)) in known for n in numbers for file in files):
                continue
            group = teams[numbers[0]].name if numbers[0] in teams else ""
            who = flat(group or people[numbers[0]].name)
            claims = [people[number].claim for number in numbers]
            about = {"when": when_of(submission), "group": group if group in groups else ""}
            if about["when"] is None or not files:
                state = text(submission, "status")
                if state not in ("", "new", "reopened"):
                    yield Handed(
                        Entry(f"{who}/{'no file' if about['when'] else state}", io.BytesIO), claims, **about
                    )
                continue
            for file in files:
                path = f"{who}/{flat(text(file, 'filename'))}"
                for entry in opened([Entry(path, once(partial(self._content, file)))]):
                    yield Handed(entry, claims, attempt=int(file.get("timemodified") or 0), **about)

    def traces(self, task: Task) -> object:
        found = self._there.submissions(task).items()
        return {n: [one.get(k) for k in ("status", "timemodified", "attemptnumber")] for n, one in found}

    def _save(
        self,
        task: Task,
        number: str,
        work: Work,
        points: float,
        there: dict,
        data: dict[str, Any] | None = None,
    ) -> None:
        """Save a grade, and with it what else is there.

        Args:
            there: as `MoodleReading.last` gives it.
            data: feedback that changes.
        """
        plugins = dict(data or {})
        if has_feedback(task, "comments"):
            said = next((one for one in there.get("plugins") or [] if text(one, "type") == "comments"), {})
            field = next(iter(said.get("editorfields") or []), {})
            plugins["assignfeedbackcomments_editor"] = {
                "text": text(field, "text"),
                "format": field.get("format", 1),
            }
        state = ""
        if task.about.get("markingworkflow"):
            state = text(self._there.flags(task).get(number, {}), "workflowstate")
        self._web.call(
            "mod_assign_save_grade", assignmentid=task.number, userid=number, grade=points,
            # By its number: the last may be one that was opened by the grade before.
            attemptnumber=work.attempt - 1 if work.attempt else -1,
            addattempt=False, workflowstate=state, applytoall=False, plugindata=plugins,
        )  # fmt: skip

    def _content(self, file: dict) -> bytes:
        size = file.get("filesize")
        if not text(file, "fileurl") or (size or 0) > MAX_MB << 20:
            raise OSError("locked, or too large")
        try:
            return self._web.download(file["fileurl"], size if isinstance(size, int) else None)
        except Refused as error:
            if error.code in (403, 404, "filenotfound"):  # this file alone
                raise OSError("gone") from None
            raise
