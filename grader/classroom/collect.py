"""Takes what was handed in elsewhere into a class: archives and folders as Moodle, Canvas, Gradescope or git leave them.

Nothing of an archive is unpacked: names in it are read, never followed. The newest attempt counts; what it replaces is
kept in replaced/.
"""

from __future__ import annotations

import re
import stat
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath

from grader.classroom.folder import Classroom, can_be_id
from grader.classroom.scores import roster
from grader.errors import GraderError
from grader.gradebook.roster import Person, spellings
from grader.notebook import MAX_MB, Ungradable, belongs, parse, read_submitted
from grader.results import write_whole
from grader.words import ENGLISH, Words

MAX_FILES = 100_000
MOODLE = re.compile(r"(?P<name>[^/]+)_(?P<id>\d+)_assignsubmission_file_?/")
CANVAS = re.compile(r"(?P<name>[^/_]+)(?:_LATE)?_(?P<id>\d+)_(?P<attempt>\d+)_[^/]+$")
GRADESCOPE = re.compile(r"(?P<id>submission_\d+)/")


@dataclass(frozen=True)
class Found:
    """A notebook somewhere: whose it seems to be, when it was handed in, and how to read it."""

    path: str
    id: str
    name: str
    when: datetime | None
    attempt: int
    read: Callable[[], bytes]


@dataclass
class Collected:
    """What has come of a collection; the lists hold students, or paths where nobody is known.

    Attributes:
        older: something newer is there already.
        several: who has handed in more than one notebook; the newest counts.
        others: notebooks of other exercises, and files that are no notebook of this one.
    """

    new: list[str] = field(default_factory=list)
    newer: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    older: list[str] = field(default_factory=list)
    several: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def collect(classroom: Classroom, stem: str, source: Path, kind: str) -> Collected:
    """Take the notebooks of an exercise into submitted/.

    Args:
        source: a zip or a folder.
        kind: whose names it holds: moodle, canvas, gradescope, github or folder.

    Raises:
        GraderError: it cannot be read.
    """
    template, people = classroom.template(stem), roster(classroom)
    outcome, theirs = Collected(), defaultdict(list)
    for found in identified(source, kind, stem):
        if ".." in found.path.split("/"):
            outcome.others.append(f"{found.path}: a path that climbs")
            continue
        try:
            content = found.read()
            ours = belongs(parse(content), template)
        except Ungradable as refused:
            # What cannot be read is handed in all the same: grading then says what is wrong with it.
            content, ours = b"", _called(found.path) == stem
            if not ours:
                outcome.others.append(f"{found.path}: {refused.reason}")
                continue
            content = _bytes(found)
        if not ours:
            outcome.others.append(found.path)
        elif (student := match_of(found, people)) is None:
            outcome.unmatched.append(found.path)
        else:
            theirs[student].append((found, content))
    for student, attempts in sorted(theirs.items()):
        earliest = datetime.min
        newest = max(
            attempts, key=lambda attempt: (attempt[0].when or earliest, attempt[0].attempt, attempt[0].path)
        )
        if len(attempts) > 1:
            outcome.several.append(student)
        getattr(outcome, _take(classroom, stem, student, *newest)).append(student)
    handed_in = set(classroom.students(stem))
    outcome.missing = [student for student in people if student not in handed_in]
    return outcome


def _take(classroom: Classroom, stem: str, student: str, found: Found, content: bytes) -> str:
    """Put a notebook in its place; what it is beside what is there."""
    path = classroom.submitted(stem, student)
    before, when = classroom.handed_in(stem, student), found.when
    word = "new"
    if path.exists():
        there = read_submitted(path)
        if there == content:
            return "unchanged"
        if before is not None and (when is None or when <= before):
            return "older"
        word = "newer"
        number = sum(1 for _ in (classroom.root / "replaced" / student).glob(f"{stem}.*.ipynb"))
        write_whole(classroom.root / "replaced" / student / f"{stem}.{number + 1}.ipynb", there)
    write_whole(path, content)
    if when is not None:
        write_whole(classroom.timestamp(stem, student), f"{when:%Y-%m-%d %H:%M:%S.%f} UTC".encode())
    return word


def match_of(found: Found, people: dict[str, Person]) -> str | None:
    """Whose it is: by the id, or by a name that only one has; without a roster the id is taken as it is."""
    if found.id in people:
        return found.id
    if not people:
        return found.id if can_be_id(found.id) else None
    names = spellings(found.name)
    named = [person.id for person in people.values() if names & person.known_as]
    mails = [
        p.id for p in people.values() if p.email and p.email.partition("@")[0].lower() == found.id.lower()
    ]
    same = named or mails
    return same[0] if len(same) == 1 else None


def identified(source: Path, kind: str, stem: str) -> Iterator[Found]:
    """The notebooks in a zip or a folder, with what its names say of them."""
    people: dict[str, tuple[str, str, datetime | None]] = {}
    entries = list(_entries(source))
    if kind == "gradescope":
        people = _gradescope(entries)
    for path, when, read in entries:
        if not path.lower().endswith(".ipynb") or PurePosixPath(path).name.startswith("."):
            continue
        parts = path.split("/")
        identity, name, attempt = "", "", 0
        if kind == "moodle" and (match := MOODLE.search(path)):
            identity, name = match["id"], match["name"].rpartition("/")[2]
        elif kind == "canvas" and (match := CANVAS.search(path)):
            identity, name, attempt = match["id"], match["name"], int(match["attempt"])
            attempt += _suffix(path)
        elif kind == "gradescope" and (match := GRADESCOPE.search(path)):
            identity, name, when = people.get(match["id"], ("", "", when))
        elif kind == "github":
            # The repository is called ASSIGNMENT-USER; an archive has one folder around them.
            repository = next((part for part in parts[:-1] if "-" in part), "")
            identity = repository.removeprefix(f"{stem}-") or repository.rpartition("-")[2]
        elif kind == "folder":
            identity = (
                parts[-3] if len(parts) > 2 and parts[-2] == stem else parts[-2] if len(parts) > 1 else ""
            )
            identity = identity or PurePosixPath(path).stem
            name = identity
        yield Found(path, identity, name, when, attempt, read)


def _called(path: str) -> str:
    """What a student has called a notebook: Canvas puts who and which attempt before it, a number behind it."""
    name = PurePosixPath(path).stem
    return re.sub(r"^.+_\d+_\d+_(.+?)(-\d{1,3})?$", r"\1", name)


def _suffix(path: str) -> int:
    """Canvas calls the second upload of a file masking-1.ipynb."""
    match = re.search(r"-(\d{1,3})\.ipynb$", path)
    return int(match[1]) if match else 0


Entry = tuple[str, "datetime | None", Callable[[], bytes]]


def _entries(source: Path) -> Iterator[Entry]:
    """The files in a zip or a folder: path in NFC, time in UTC, and how to read one."""
    if source.is_dir():
        for path in sorted(source.rglob("*")):
            about = path.lstat()
            if stat.S_ISREG(about.st_mode):
                when = datetime.fromtimestamp(about.st_mtime, timezone.utc).replace(tzinfo=None)
                name = unicodedata.normalize("NFC", path.relative_to(source).as_posix())
                yield name, when, (lambda path=path: read_submitted(path))
        return
    try:
        archive = zipfile.ZipFile(source)
    except (OSError, zipfile.BadZipFile) as error:
        raise GraderError(f"{source} is neither a folder nor a zip that can be read ({error}).") from None
    if len(archive.infolist()) > MAX_FILES:
        raise GraderError(f"{source} holds more than {MAX_FILES} files.")
    for info in archive.infolist():
        if not info.is_dir():
            yield _name(info), _when(info), (lambda info=info: _read(archive, info))


def _name(info: zipfile.ZipInfo) -> str:
    name = info.filename
    if not info.flag_bits & 0x800:  # not said to be UTF-8: what Korean Windows writes is CP949
        for encoding in ("utf-8", "cp949"):
            try:
                name = name.encode("cp437").decode(encoding)
                break
            except UnicodeError:
                continue
    return unicodedata.normalize("NFC", name.replace("\\", "/"))


def _when(info: zipfile.ZipInfo) -> datetime | None:
    try:
        when = datetime(*info.date_time)
    except ValueError:
        return None
    return None if when.year == 1980 else when.astimezone(timezone.utc).replace(tzinfo=None)


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """
    Raises:
        Ungradable: it is larger than a notebook may be, whatever the archive says of it, or broken.
    """
    try:
        with archive.open(info) as file:
            content = file.read((MAX_MB << 20) + 1)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError) as error:
        raise Ungradable(f"압축을 풀 수 없습니다 ({type(error).__name__}).") from None
    if len(content) > MAX_MB << 20:
        raise Ungradable(f"풀면 {MAX_MB} MB를 넘습니다.")
    return content


def _bytes(found: Found) -> bytes:
    try:
        return found.read()
    except Ungradable as refused:
        return refused.reason.encode()  # a file that is no notebook, and says why


def _in_english(reason: str) -> str:
    """Instructors' messages are English; why a file is refused is mostly for students."""
    from grader.translation.catalogue import Catalogue

    return Words(Catalogue(ENGLISH, "grader").texts, ENGLISH)(reason)


def _gradescope(entries: list[Entry]) -> dict[str, tuple[str, str, datetime | None]]:
    """Student, name and time by submission, from the export's submission_metadata.yml."""
    import yaml

    found = {}
    for path, _, read in entries:
        if path.endswith("submission_metadata.yml"):
            try:
                about = yaml.safe_load(read()) or {}
            except Ungradable as refused:
                raise GraderError(f"{path} cannot be read: {_in_english(refused.reason)}") from None
            except yaml.YAMLError as error:
                raise GraderError(f"{path} cannot be read: {str(error).splitlines()[0]}") from None
            for submission, values in about.items():
                [person, *_] = values.get(":submitters") or [{}]
                when = values.get(":created_at")
                if isinstance(when, datetime) and when.tzinfo:
                    when = when.astimezone(timezone.utc).replace(tzinfo=None)
                identity = str(person.get(":sid") or person.get(":email") or "")
                time = when if isinstance(when, datetime) else None
                found[submission] = (identity, str(person.get(":name", "")), time)
    return found
