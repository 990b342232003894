"""Takes what was handed in elsewhere into a class: archives and folders as Moodle, Canvas, Gradescope or git leave them.

A notebook is known by its cells, whatever it is called and however it is packed; all else is listed. A time is what the
platform says, never a file's date. What is replaced is kept in replaced/.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import ModuleType

import msgspec

from grader.classroom.archive import Unreadable, entries, key_of
from grader.classroom.folder import Classroom, Origin
from grader.classroom.platforms import Handed, canvas, folder, github, gradescope, moodle, nbgrader
from grader.classroom.platforms.course import Course
from grader.classroom.recognise import COPY, ENDING, Recognising, digest_of
from grader.classroom.scores import on_roster, people_of
from grader.gradebook.people import Claim, People
from grader.results import write_changed, write_whole

PLATFORMS: dict[str, ModuleType] = {
    "moodle": moodle, "canvas": canvas, "gradescope": gradescope, "github": github,
    "nbgrader": nbgrader, "folder": folder,
}  # fmt: skip
Spent = Callable[[str, bytes], bool]


@dataclass
class Collected:
    """The outcome of a collection; the lists hold students, or paths where nobody is known.

    Attributes:
        older: something newer is there already.
        several: who has handed in more than one notebook: which is taken.
        others: files that are no notebook of this exercise, and why.
        unreadable: files, and folders, that nobody can read, and why.
        untimed: whose time nobody says; they are late only by decision.
        late: whom the platform has marked as late, without a time.
        forged: what one student has handed in under another's name; nobody gets it.
        times: what the platform's download says of times.
        spent: who has handed in something else after all their tries; it is left where it is.
    """

    new: list[str] = field(default_factory=list)
    newer: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    older: list[str] = field(default_factory=list)
    several: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    forged: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    untimed: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    times: str = ""
    spent: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Attempt:
    """A notebook of the exercise, as it lies there: it is read again when it is taken, for there may be many."""

    handed: Handed
    digest: bytes
    touched: bool
    place: str = ""

    def order(self, stem: str) -> tuple:
        """Larger is later: one with answers before the one handed out, then by time, upload, and number in the name."""
        name = ENDING.sub("", self.handed.name)
        copy = COPY.search(name)
        number = int(copy[1] or copy[2]) if copy else 0
        exact = COPY.sub("", name).casefold() == stem.casefold()
        return (
            self.touched,
            self.handed.when or datetime.min,
            self.handed.attempt,
            exact,
            number,
            self.handed.entry.path,
        )


def collect(
    classroom: Classroom,
    stem: str,
    source: Path,
    kind: str,
    only: Mapping[Path, Hashable] | None = None,
    spent: Spent = lambda student, content: False,
    known: Recognising | None = None,
) -> Collected:
    """Take the notebooks of an exercise into submitted/.

    Args:
        source: a zip or a folder.
        kind: whose names it holds, one of `PLATFORMS`.
        only: these of the folder's files, with their keys.
        spent: see `take`.
        known: see `take`.

    Raises:
        GraderError: it cannot be read.
    """
    classroom.template(stem)
    platform, people, groups = PLATFORMS[kind], People(on_roster(classroom)), classroom.groups(stem)
    found = platform.handed(entries(source, only), stem, set(groups.values()), people)
    return take(classroom, stem, found, platform.TIMES, spent, known)


def collect_from(classroom: Classroom, stem: str, course: Course) -> Collected:
    """Take the notebooks of an exercise out of a course.

    Raises:
        GraderError: the platform does not answer.
    """
    classroom.template(stem)
    return take(classroom, stem, course.handed(course.task(stem), set(classroom.groups(stem).values())))


def take(
    classroom: Classroom,
    stem: str,
    files: Iterable[Handed],
    times: str = "",
    spent: Spent = lambda student, content: False,
    known: Recognising | None = None,
) -> Collected:
    """Take those that are notebooks of an exercise into submitted/. Nothing is changed before all are read.

    Args:
        times: what the platform says of times.
        spent: true of a student and the SHA-256 of what is handed in, where it is one try too many.
        known: what an earlier call has read.
    """
    known = known or Recognising()
    template, everybody = classroom.template(stem), people_of(classroom)
    outcome, people = Collected(times=times), People(on_roster(classroom))
    taken: list[Attempt] = []
    claims: list[Claim] = []
    given = {path.name for path in classroom.released(stem).glob("*") if path.suffix != ".ipynb"}
    for handed in files:
        claims += handed.claims
        try:
            found = known.recognise(handed, template)
        except Unreadable as error:
            outcome.unreadable.append(f"{handed.entry.path}: {error}")
            continue
        if found.digest:
            taken.append(Attempt(handed, found.digest, found.touched))
        # The checks beside a notebook come back with it: nobody need hear of them.
        elif handed.name not in given:
            outcome.others.append(f"{handed.entry.path}: {found.why}" if found.why else handed.entry.path)
    origins = classroom.origins(stem)
    theirs = _by_student(classroom, stem, taken, people.find(claims), people, origins, outcome)
    for student, attempts in sorted(theirs.items()):
        newest = max(attempts, key=lambda attempt: attempt.order(stem))
        if len({attempt.digest for attempt in attempts}) > 1:
            outcome.several.append(f"{student}: {newest.handed.entry.path}")
        if spent(student, newest.digest):
            outcome.spent.append(student)
            continue
        word = _take(classroom, stem, student, newest, origins, known)
        getattr(outcome, word).append(student)
        if word in ("new", "newer") and newest.handed.when is None:
            (outcome.late if newest.handed.late else outcome.untimed).append(student)
    handed_in = set(classroom.students(stem))
    outcome.missing = [student for student in everybody if student not in handed_in]
    return outcome


def _by_student(
    classroom: Classroom,
    stem: str,
    taken: list[Attempt],
    whose: dict[Claim, str | None],
    people: People,
    origins: dict[str, Origin],
    outcome: Collected,
) -> dict[str, list[Attempt]]:
    """The notebooks of each student; those of nobody are said.

    Args:
        whose: everybody's who has handed in anything: of two of one name, one may have handed in no notebook.
    """
    groups = classroom.groups(stem)
    theirs: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in taken:
        handed, path = attempt.handed, attempt.handed.entry.path
        if handed.by:
            outcome.forged.append(f"{path} (by {handed.by})")
            continue
        if not handed.claims:
            outcome.unmatched.append(path)
        for claim in handed.claims:
            student, place = whose[claim], _place(claim)
            if student is None and handed.group:
                student = _of_group(classroom, stem, handed.group, groups)
            elif student and _another(origins.get(student), place) and people.certain(claim) is None:
                student = None
            if student is None:
                outcome.unmatched.append(f"{path} ({claim.place})" if len(handed.claims) > 1 else path)
            else:
                theirs[student].append(replace(attempt, place=place))
    return theirs


def _place(claim: Claim) -> str:
    """By which number a platform knows somebody; empty where it says who it is."""
    return ":".join(claim.numbers[0]) if claim.numbers else ""


def _another(origin: Origin | None, place: str) -> bool:
    """True for a name that leads to work collected as somebody else's: two of one name, one download each."""
    before = origin.place if origin else ""
    return bool(before and place) and before != place and before.partition(":")[0] == place.partition(":")[0]


def _of_group(classroom: Classroom, stem: str, group: str, groups: dict[str, str]) -> str:
    """Under whose name a group's work is kept: whoever has handed in before, or else who is named first."""
    members = [student for student, theirs in groups.items() if theirs == group]
    return classroom.author(stem, members[0])


def _take(
    classroom: Classroom,
    stem: str,
    student: str,
    attempt: Attempt,
    origins: dict[str, Origin],
    known: Recognising,
) -> str:
    """Put a notebook in its place; what it is beside what is there."""
    path, time = classroom.submitted(stem, student), classroom.timestamp(stem, student)
    handed, when, there = attempt.handed, attempt.handed.when, _there(path, known)
    word = "new" if there is None else "unchanged" if there == attempt.digest else "newer"
    before = classroom.handed_in(stem, student) if when or word == "newer" else None
    if word == "newer":
        kept = classroom.root / "replaced" / student
        replaced = [digest_of(file.read_bytes()) for file in kept.glob(f"{stem}.*.ipynb")]
        if _older(attempt, before, origins.get(student, Origin("")), replaced):
            return "older"
        number = len(replaced) + 1
        write_whole(kept / f"{stem}.{number}.ipynb", path.read_bytes())
        if before and when is None:
            write_whole(kept / f"{stem}.{number}.{time.name}", time.read_bytes())
            time.unlink()
    if word != "unchanged":
        write_whole(path, handed.entry.read())
    if handed.secret:
        write_changed(path.with_name(nbgrader.SECRET), handed.secret)
    if when is not None and (word != "unchanged" or before is None):
        classroom.set_handed_in(stem, student, when)
    origin = Origin(attempt.place, handed.attempt, handed.late and when is None)
    if origins.get(student) != origin:
        origins |= classroom.origins(stem) | {student: origin}  # others may collect as well
        write_whole(classroom.origins_path(stem), msgspec.json.format(msgspec.json.encode(origins), indent=1))
    return word


def _there(path: Path, known: Recognising) -> bytes | None:
    """The digest of what is in a student's place already; a link leads elsewhere, and holds nothing."""
    if not path.is_file() or path.is_symlink():
        return None
    return known.once((path, key_of(path.lstat())), lambda: digest_of(path.read_bytes()))


def _older(attempt: Attempt, before: datetime | None, origin: Origin, replaced: list[bytes]) -> bool:
    """True if newer work is there. Where nobody says when, what was replaced before is older, and all else newer."""
    handed = attempt.handed
    if before is not None and handed.when is not None:
        return handed.when <= before
    if handed.attempt and origin.attempt and origin.place == attempt.place:
        return handed.attempt < origin.attempt
    return attempt.digest in replaced
