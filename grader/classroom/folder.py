"""A class folder, as nbgrader knows it, with our results beside."""

from __future__ import annotations

import os
import pwd
import secrets
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.nbgraders_settings import exchange, settings_in
from grader.classroom.sharing import work_as_shared
from grader.errors import GraderError
from grader.exercise import Exercise
from grader.gradebook.people import can_be_id
from grader.gradebook.times import class_zone, moment
from grader.notebook import Template, Ungradable, read_submitted
from grader.results import Submission, read, write_whole
from grader.sandbox.limits import Limits
from grader.words import KOREAN

if TYPE_CHECKING:
    from traitlets.config import Config


class Origin(msgspec.Struct, frozen=True, omit_defaults=True):
    """The source that a notebook was collected from.

    Attributes:
        place: whose it was there: a platform's number of somebody, a folder.
        attempt: the platform's number of the upload; larger ones are later.
        late: the platform has marked it as late, and gives no time.
    """

    place: str
    attempt: int = 0
    late: bool = False


@dataclass(frozen=True)
class Classroom:
    """The folder `root`.

    Students hand in submitted/STUDENT/EXERCISE/EXERCISE.ipynb; results/EXERCISE/STUDENT.json is what they get. Of those
    who work in a group (groups/EXERCISE.json), what the last has handed in counts for all.
    """

    root: Path

    @classmethod
    def open(cls, root: Path) -> Classroom:
        """The class whose folder `root` is.

        Raises:
            GraderError: `root` is no class folder.
        """
        if not (root / "nbgrader_config.py").is_file():
            raise GraderError(f"{root} is no class folder. Make one with 'grader new-class {root}'.")
        work_as_shared(root)
        return cls(root.resolve())

    @cached_property
    def config(self) -> Config:
        """nbgrader's settings for this class."""
        if str(self.root) not in sys.path:  # as nbgrader does: a plugin for lateness may lie here
            sys.path.append(str(self.root))
        return settings_in(self.root)

    @property
    def database(self) -> str:
        """URL of the gradebook."""
        return self.config.CourseDirectory.get("db_url", f"sqlite:///{self.root / 'gradebook.db'}")

    @property
    def zone(self) -> tzinfo:
        """In which the class' days begin and end."""
        return class_zone(self.config)

    @property
    def inbound(self) -> Path:
        """The folder of nbgrader's exchange into which students submit."""
        return exchange(self.config) / self.config.CourseDirectory.get("course_id", "") / "inbound"

    @property
    def wall_seconds(self) -> float:
        return float(self.config.GradeInSandbox.get("wall_seconds", Limits.wall))

    @property
    def unconfined(self) -> bool:
        return bool(self.config.GradeInSandbox.get("unconfined", False))

    @cached_property
    def secret(self) -> bytes:
        """A key from which, with the submission, hidden inputs are drawn: nobody can work them out beforehand.

        Raises:
            GraderError: it is another's, who lets nobody read it.
        """
        path = self.root / ".secret"
        try:
            if not path.exists():
                write_whole(path, secrets.token_bytes(32))
                path.chmod(0o600)
            return path.read_bytes()
        except PermissionError as error:
            about = path.lstat() if os.path.lexists(path) else self.root.lstat()
            raise GraderError(
                f"{error.filename} cannot be used: it belongs to {owner(about)}, mode {about.st_mode & 0o7777:04o}. "
                "Work as its owner, or let the owner share it with those who teach."
            ) from None

    def stems(self) -> list[str]:
        """The exercises that the class has."""
        return sorted(path.parent.name for path in self.root.glob("course/*/release.ipynb"))

    def template(self, stem: str) -> Template:
        """The exercise's notebook as the class handed it out.

        Raises:
            GraderError: the class does not have the exercise.
        """
        if stem not in self.stems():
            known = ", ".join(self.stems()) or "none"
            raise GraderError(
                f"The class has no exercise '{stem}' (it has: {known}). "
                f"Add it with 'grader new-class {self.root} --update --exercise {stem}'."
            )
        released = self.released(stem) / f"{stem}.ipynb"
        if not released.exists():  # nbgrader removes it where its Generate button fails
            released = self.root / "course" / stem / "release.ipynb"
        return Template.read(released, stem)

    def language(self, stem: str | None = None) -> str:
        """Of its own notebook of an exercise; by default of the first it has, in which others are added."""
        stem = stem or next(iter(self.stems()), None)
        return self.template(stem).metadata.get("lang", KOREAN) if stem else KOREAN

    def exercise(self, stem: str) -> Exercise:
        """The class' own copy of an exercise, by which it is graded."""
        return Exercise(stem, self.root / "course" / stem)

    def students(self, stem: str) -> list[str]:
        """Students who have handed in the exercise, or whose group has."""
        own, groups = {name for name, work in self._folders(stem) if _is_students(work)}, self.groups(stem)
        at_work = {groups[student] for student in own & groups.keys()}
        return sorted(own | {student for student, group in groups.items() if group in at_work})

    def groups(self, stem: str) -> dict[str, str]:
        """The group of each student who works in one.

        Raises:
            GraderError: what was entered cannot be read.
        """
        path = self.groups_path(stem)
        try:
            return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise GraderError(
                f"{path} cannot be read ({error}). Enter the groups anew: 'grader groups'."
            ) from None

    def groups_path(self, stem: str) -> Path:
        return self.root / "groups" / f"{stem}.json"

    def author(self, stem: str, student: str) -> str:
        """The student whose work counts for another: of a group the one who handed in last."""
        groups = self.groups(stem)
        others = [
            other for other, group in groups.items() if group == groups.get(student) and other != student
        ]
        return self._last(stem, [student, *others])

    def _last(self, stem: str, members: list[str]) -> str:
        if len(members) == 1:
            return members[0]
        folders = ((member, str(self.submitted(stem, member).parent)) for member in members)
        there = [member for member, folder in folders if os.path.isdir(folder) and _is_students(folder)]
        return max(there, key=lambda member: self._order(stem, member), default=members[0])

    def _order(self, stem: str, author: str) -> tuple[bool, datetime, str]:
        """A key whose largest is a group's last work; a folder without a notebook is none, whatever its time."""
        try:
            written = self._own_notebook(stem, author).lstat().st_mtime
        except OSError:
            return False, datetime.min, author
        by_file = datetime.fromtimestamp(written, timezone.utc).replace(tzinfo=None)
        return True, self.handed_in(stem, author) or by_file, author

    def works(self, stem: str) -> dict[str, list[str]]:
        """For whom each work counts, by its author."""
        groups, together = self.groups(stem), defaultdict(list)
        for student in self.students(stem):
            together[student in groups, groups.get(student, student)].append(student)
        return {self._last(stem, students): students for students in together.values()}

    def refused(self, stem: str) -> list[str]:
        """Folders that look handed in, but belong to nobody: their names can be no id, or they are links."""
        return sorted(name for name, work in self._folders(stem) if not _is_students(work))

    def _folders(self, stem: str) -> Iterator[tuple[str, str]]:
        """Each NAME of submitted/NAME/EXERCISE with that path: in strings, for it is asked often, of large classes."""
        with suppress(FileNotFoundError), os.scandir(self.root / "submitted") as found:
            for entry in found:
                if os.path.exists(work := os.path.join(entry.path, stem)):
                    yield entry.name, work

    def submitted_notebook(self, stem: str, student: str) -> Path:
        """The file that counts as a student's notebook: STEM.ipynb, or else the one notebook that is there."""
        return self._own_notebook(stem, self.author(stem, student))

    def _own_notebook(self, stem: str, student: str) -> Path:
        path = self.submitted(stem, student)
        others = [] if os.path.lexists(path) else sorted(path.parent.glob("*.ipynb"))
        return others[0] if len(others) == 1 else path

    def released(self, stem: str) -> Path:
        return self.root / "release" / stem

    def submitted(self, stem: str, student: str) -> Path:
        return self.root / "submitted" / student / stem / f"{stem}.ipynb"

    def marked(self, stem: str, student: str) -> Path:
        return self.root / "autograded" / student / stem / f"{stem}.ipynb"

    def feedback(self, stem: str, student: str) -> Path:
        return self.root / "feedback" / student / stem / f"{stem}.html"

    def result_path(self, stem: str, student: str) -> Path:
        return self.root / "results" / stem / f"{student}.json"

    def result(self, stem: str, student: str) -> Submission | None:
        """A student's result; None if there is nothing yet, or nothing that can be read."""
        try:
            return read(self.result_path(stem, student))
        except (OSError, ValueError):
            return None

    def handed_in(self, stem: str, student: str) -> datetime | None:
        """The time at which a student handed in, in UTC, by nbgrader's timestamp.txt; None without one."""
        try:
            text = read_submitted(self.timestamp(stem, student))[:100].decode().strip()
            return moment(text, timezone.utc)
        except (Ungradable, UnicodeDecodeError, GraderError):  # no time, or one in a zone that nobody knows
            return None

    def origins(self, stem: str) -> dict[str, Origin]:
        """Sources of each student's work, as far as 'grader collect' has brought it.

        Raises:
            GraderError: what was kept cannot be read.
        """
        path = self.origins_path(stem)
        try:
            return msgspec.json.decode(path.read_bytes(), type=dict[str, Origin])
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise GraderError(f"{path} cannot be read ({error}). Without it, collect anew.") from None

    def origins_path(self, stem: str) -> Path:
        return self.root / "collected" / f"{stem}.json"

    def set_handed_in(self, stem: str, student: str, when: datetime) -> None:
        """Say when a student's work was handed in, in UTC without a zone.

        Raises:
            GraderError: there is no work of theirs.
        """
        path = self.timestamp(stem, student)
        if not path.parent.is_dir():
            raise GraderError(f"Nothing of '{student}' is in {path.parent}.")
        write_whole(path, f"{when:%Y-%m-%d %H:%M:%S.%f} UTC".encode())

    def timestamp(self, stem: str, student: str) -> Path:
        """nbgrader's note of when the work was handed in."""
        return self.submitted(stem, student).with_name("timestamp.txt")


def _is_students(folder: str) -> bool:
    """True if `submitted/STUDENT/EXERCISE` is real and STUDENT can be an id. A link could lead to another's work."""
    above = os.path.dirname(folder)
    return can_be_id(os.path.basename(above)) and not os.path.islink(folder) and not os.path.islink(above)


def owner(about: os.stat_result) -> str:
    """The name of whom a file belongs to."""
    try:
        return pwd.getpwuid(about.st_uid).pw_name
    except KeyError:
        return f"user {about.st_uid}"
