"""What `grader watch` reads again of a folder: whatever has changed, however it was changed, and nothing else."""

import json
import os
import shutil
import time
import zipfile
from pathlib import Path
from unittest.mock import Mock

import pytest

from grader.classroom import arrivals, recognise
from grader.classroom.arrivals import QUIET, FromFolder
from grader.classroom.folder import Classroom
from grader.classroom.sample import Sample
from grader.classroom.watch import Rules, Watch
from grader.exercise import find_exercise

STEM = "masking"


@pytest.fixture
def classroom(masking_class, tmp_path):
    return Classroom(Path(shutil.copytree(masking_class, tmp_path / "봄")))


@pytest.fixture(scope="module")
def first(masking_class):
    return json.dumps(Sample(Classroom(masking_class), find_exercise(STEM)).solved()).encode()


@pytest.fixture(scope="module")
def second(first):
    """Another of the same length."""
    changed = first.replace(b"return ", b"return(", 1)
    assert len(changed) == len(first) and changed != first
    return changed


@pytest.fixture
def inbox(tmp_path):
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


@pytest.fixture
def read(monkeypatch):
    """Names of files that were looked into."""
    names, look = [], recognise._recognised
    monkeypatch.setattr(
        recognise, "_recognised", lambda handed, t: (names.append(handed.entry.path), look(handed, t))[1]
    )
    return names


@pytest.fixture
def take(classroom, inbox):
    source = FromFolder(inbox, "folder")

    def once_still():
        source.look()
        time.sleep(QUIET * 1.1)
        source.look()
        return source.take(classroom, STEM, lambda student, digest: False)

    once_still.source = source
    return once_still


def hand_in(inbox, student, content):
    path = inbox / student / f"{STEM}.ipynb"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def zipped(path, content):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{STEM}.ipynb", content)
    return path


def beside(path, content):
    made = path.with_name(f".{path.name}")
    made.write_bytes(content)
    return made


def overwrite(path, content):
    path.write_bytes(content)


def rename_over(path, content):
    os.replace(beside(path, content), path)


def in_the_same_moment(path, content):
    """As a tool does that keeps times, from a drive that counts in seconds."""
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def renamed_with_its_date(path, content):
    before, made = path.stat(), beside(path, content)
    os.utime(made, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(made, path)


def dated_back(path, content):
    path.write_bytes(content)
    os.utime(path, (0, 0))


def extracted_anew(path, content):
    shutil.rmtree(path.parent)
    path.parent.mkdir()
    dated_back(path, content)


WAYS = [overwrite, rename_over, in_the_same_moment, renamed_with_its_date, dated_back, extracted_anew]


@pytest.mark.parametrize("change", WAYS, ids=lambda way: way.__name__)
def test_no_change_is_missed(change, take, classroom, inbox, first, second):
    path = hand_in(inbox, "kim", first)
    os.utime(path, (10**9, 10**9))
    take()
    change(path, second)
    assert take().newer == ["kim"]
    assert classroom.submitted(STEM, "kim").read_bytes() == second


def test_nor_one_in_a_zip(take, classroom, inbox, first, second):
    path = zipped(inbox / "kim.zip", first)
    take()
    in_the_same_moment(path, zipped(inbox / ".beside", second).read_bytes())
    assert take().newer == ["kim"]
    assert classroom.submitted(STEM, "kim").read_bytes() == second


def test_nor_of_what_the_class_hands_out(take, classroom, inbox, first):
    """The same file, held against another notebook: it is none of the exercise any more."""
    hand_in(inbox, "kim", first)
    assert take().new == ["kim"]
    released = classroom.released(STEM) / f"{STEM}.ipynb"
    notebook = json.loads(released.read_bytes())
    for cell in notebook["cells"]:
        if ours := cell["metadata"].get("nbgrader"):
            ours["grade_id"] = f"new_{ours['grade_id']}"
    released.write_text(json.dumps(notebook))
    assert take().others == [f"kim/{STEM}.ipynb: {recognise.MISTAKEN}"]


def test_nor_what_somebody_puts_in_its_place_in_the_class(take, classroom, inbox, first, second):
    hand_in(inbox, "kim", first)
    take()
    assert take().unchanged == ["kim"]  # and remembered
    in_the_same_moment(classroom.submitted(STEM, "kim"), second)
    hand_in(inbox, "lee", first)
    assert take().newer == ["kim"]
    assert classroom.submitted(STEM, "kim").read_bytes() == first


def test_what_has_not_changed_is_not_read_again(take, inbox, first, second, read):
    for student in ("kim", "lee"):
        hand_in(inbox, student, first)
    zipped(inbox / "park.zip", first)
    take()
    read.clear()
    hand_in(inbox, "lee", second)
    hand_in(inbox, "choi", first)
    outcome = take()
    assert sorted(read) == [f"choi/{STEM}.ipynb", f"lee/{STEM}.ipynb"]
    assert (outcome.unchanged, outcome.newer, outcome.new) == (["kim", "park"], ["lee"], ["choi"])


def test_two_of_one_name_in_a_zip_are_two(take, inbox, first, second, monkeypatch):
    with zipfile.ZipFile(inbox / "kim.zip", "w") as archive:
        archive.writestr(f"{STEM}.ipynb", first)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(f"{STEM}.ipynb", second)
    assert len(take().several) == len(take().several) == 1


def test_a_drive_on_which_nothing_seems_to_change_is_read_once_a_minute(
    classroom, inbox, first, second, monkeypatch
):
    monkeypatch.setattr(arrivals, "key_of", lambda about: (0,))
    monkeypatch.setattr("grader.classroom.watch.grade_class", grade := Mock())
    grade.side_effect = lambda *_, more, **__: (more(), Mock(failures={}, graded=0))[1]
    watch = Watch(classroom.root, STEM, FromFolder(inbox, "folder"), Rules(), Mock())
    path = hand_in(inbox, "kim", first)
    for _ in range(2):
        watch._round()
        time.sleep(QUIET * 1.1)
    assert classroom.submitted(STEM, "kim").read_bytes() == first
    path.write_bytes(second)
    watch._round()
    assert classroom.submitted(STEM, "kim").read_bytes() == first
    watch._next_all = 0.0
    watch._round()
    assert classroom.submitted(STEM, "kim").read_bytes() == second
