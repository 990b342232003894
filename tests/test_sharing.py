"""Two teachers of one machine in one class folder, and a student of the same machine before its door."""

import grp
import os
import shutil
import sqlite3
import stat
import tempfile
import traceback
from pathlib import Path

import pytest

from grader.classroom.folder import Classroom
from grader.classroom.newclass import make_class, update_class
from grader.classroom.settings import set_late_days
from grader.classroom.sharing import SETTING, share
from grader.errors import GraderError
from grader.exercise import find_exercise
from grader.gradebook.people import Person
from grader.gradebook.register import Register
from grader.results import Submission, read, write

FIRST, SECOND, STUDENT = 61001, 61002, 61003
TEACHERS = grp.getgrgid(0 if os.geteuid() == 0 else os.getgid())
STEM = "masking"
OPEN = all(path.stat().st_mode & stat.S_IXOTH for path in Path(__file__).resolve().parents)
as_root = pytest.mark.skipif(
    os.geteuid() != 0 or not OPEN,
    reason="only root becomes other users, who must be able to read this checkout",
)


def by(user, action, *groups):
    """Do something as a user of these groups, in a process of its own; what it raises is raised here."""
    end, beginning = os.pipe()
    if (child := os.fork()) == 0:
        said = b""
        try:
            os.setgroups(list(groups))
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            os.umask(0o022)
            action()
        except BaseException:
            said = traceback.format_exc().encode()
        finally:
            os.write(beginning, said[-4000:])
            os._exit(0)
    os.close(beginning)
    with open(end, encoding="utf-8") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    if said:
        raise AssertionError(said)


@pytest.fixture
def folder(masking_class, monkeypatch):
    """A class of the first teacher's, where everybody may look: pytest's own folders are its user's alone."""
    around = Path(tempfile.mkdtemp())
    around.chmod(0o755)
    root = Path(shutil.copytree(masking_class, around / "class"))
    # Others may not be able to read this Python, or write into this home: what is imported late is imported now.
    for name in ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, "/nonexistent")
    with sqlite3.connect(root / "gradebook.db") as gradebook:
        (version,) = gradebook.execute("SELECT version_num FROM alembic_version").fetchone()
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: version)  # otherwise asked of a program
    "".encode("unicode_escape")
    grp.getgrnam(TEACHERS.gr_name)
    rename(work(root, "mina"), "https://first.test")
    for path in [root, *root.rglob("*")]:
        os.chown(path, FIRST, FIRST)
    yield root
    shutil.rmtree(around)


def work(root, student):
    """What commands leave in a class: submissions, results, points, a setting."""
    classroom = Classroom.open(root)
    assert len(classroom.secret) == 32
    set_late_days(classroom, 3)
    path = classroom.submitted(STEM, student)
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(classroom.released(STEM) / f"{STEM}.ipynb", path)
    write(Submission(exercise=STEM, student=student, verdict="graded"), classroom.result_path(STEM, student))
    with Register(classroom.database) as register:
        register.enrol([Person(student, last_name=f"{os.getpid()}")])
    return classroom


def rename(classroom, url):
    """An update: the exercise's folders are made anew, and the gradebook enters them."""
    assert update_class(classroom, [find_exercise(STEM)], url)


@as_root
def test_two_teachers_work_on_what_the_other_has_made(folder):
    def go_on():
        classroom = work(folder, "mina")
        work(folder, "jun")
        rename(classroom, "https://second.test")
        assert read(classroom.result_path(STEM, "jun")).student == "jun"

    with pytest.raises(AssertionError, match="PermissionError"):
        by(SECOND, go_on, TEACHERS.gr_gid)
    by(FIRST, lambda: share(folder, TEACHERS.gr_name), TEACHERS.gr_gid)
    by(SECOND, go_on, TEACHERS.gr_gid)
    by(FIRST, lambda: work(folder, "jun"), TEACHERS.gr_gid)
    for teacher in (FIRST, SECOND):  # once more, where both have made something
        by(teacher, lambda: share(folder, TEACHERS.gr_name), TEACHERS.gr_gid)
    for path in [folder, *folder.rglob("*")]:
        about = path.stat()
        assert about.st_gid == TEACHERS.gr_gid, path
        assert about.st_mode & stat.S_IWGRP or path.name == ".secret", path
    # A page of feedback is everybody's to read, as release_feedback copies it; nobody else comes so far.
    assert (folder / "results" / STEM / "jun.json").stat().st_mode & stat.S_IROTH
    assert stat.S_IMODE(folder.stat().st_mode) == 0o2770
    with pytest.raises(AssertionError, match="PermissionError"):
        by(STUDENT, lambda: (folder / ".secret").read_bytes())


@as_root
def test_only_who_is_in_a_group_gives_to_it(folder):
    with pytest.raises(AssertionError, match="Be in the group yourself"):
        by(FIRST, lambda: share(folder, TEACHERS.gr_name))


@pytest.mark.parametrize(("group", "mode"), [(None, 0o700), (TEACHERS.gr_name, 0o2770)])
def test_a_new_class_is_its_teachers(group, mode, tmp_path, monkeypatch):
    monkeypatch.setattr("grader.classroom.newclass.update_class", lambda *args, **kwargs: [])
    make_class(tmp_path / "class", [], None, group=group)
    assert stat.S_IMODE((tmp_path / "class").stat().st_mode) == mode


def test_a_class_that_exists_is_shared_once(masking_class, tmp_path):
    root = Path(shutil.copytree(masking_class, tmp_path / "class"))
    before = os.umask(0o022)
    try:
        for _ in range(2):
            share(root, TEACHERS.gr_name)
        Classroom.open(root)
        assert os.umask(0o022) == 0o002
    finally:
        os.umask(before)
    assert (root / "nbgrader_config.py").read_text(encoding="utf-8").count(SETTING) == 1
    assert Classroom(root).config.CourseDirectory.groupshared is True
    assert stat.S_IMODE((root / ".secret").stat().st_mode) == 0o640
    assert stat.S_IMODE((root / "source" / STEM).stat().st_mode) == 0o2775


def test_a_group_that_nobody_knows_is_told(masking_class, tmp_path):
    root = Path(shutil.copytree(masking_class, tmp_path / "class"))
    with pytest.raises(GraderError, match="has no group nobodys"):
        share(root, "nobodys")
    assert SETTING not in (root / "nbgrader_config.py").read_text(encoding="utf-8")
