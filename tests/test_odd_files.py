"""What lies in a watched folder beside plain files, and what files are called: said or taken, never a reason to stop."""

import json
import os
import shutil
import socket
import time
import unicodedata
from pathlib import Path

import pytest

from grader.classroom import arrivals
from grader.classroom.arrivals import FromFolder
from grader.classroom.folder import Classroom
from grader.classroom.sample import Sample
from grader.exercise import find_exercise
from grader.gradebook.people import Person
from grader.gradebook.register import Register

STEM = "masking"
SOON = 0.25  # seconds: arrivals.QUIET, and a little


@pytest.fixture
def classroom(masking_class, tmp_path):
    return Classroom(Path(shutil.copytree(masking_class, tmp_path / "봄")))


@pytest.fixture(scope="module")
def right(masking_class):
    return json.dumps(Sample(Classroom(masking_class), find_exercise(STEM)).solved()).encode()


@pytest.fixture
def inbox(tmp_path):
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


@pytest.fixture
def put(inbox, right):
    def put(name, content=right):
        path = inbox / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    return put


@pytest.fixture
def take(classroom, inbox, monkeypatch):
    """What a watch takes once all that is there has stood still for as long as anybody waits."""
    monkeypatch.setattr(arrivals, "PATIENCE", 1.5 * SOON)
    source = FromFolder(inbox, "folder")

    def take():
        for _ in range(3):  # seen, quiet, waited for long enough
            source.look()
            time.sleep(SOON)
        source.look()
        assert not source.moving
        return source.take(classroom, STEM, lambda student, digest: False)

    return take


def test_links_pipes_and_sockets_are_said_and_hold_nobody_up(take, put, inbox):
    """A pipe that is opened waits for its writer."""
    notebook = put(f"kim/{STEM}.ipynb")
    links = {
        f"lee/{STEM}.ipynb": notebook,
        "park": inbox / "kim",
        "gone.ipynb": "/nowhere",
        "round/and/round": inbox,
    }
    for name, target in links.items():
        (inbox / name).parent.mkdir(parents=True, exist_ok=True)
        (inbox / name).symlink_to(target)
    os.mkfifo(inbox / "pipe.ipynb")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(inbox / "socket"))  # a socket's path is short
    outcome = take()
    why = dict(line.split(": ", 1) for line in outcome.unreadable)
    assert outcome.new == ["kim"]
    assert {name for name, said in why.items() if "a link" in said} == links.keys()
    assert {name for name, said in why.items() if "no plain file" in said} == {"pipe.ipynb", "socket"}


def test_a_link_becomes_work_once_the_file_itself_is_there(take, put, inbox, right):
    (inbox / "kim").mkdir()
    (inbox / "kim" / f"{STEM}.ipynb").symlink_to("/nowhere")
    assert len(take().unreadable) == 1
    (inbox / "kim" / f"{STEM}.ipynb").unlink()
    put(f"kim/{STEM}.ipynb")
    assert take().new == ["kim"]


def test_the_longest_names(take, put, classroom):
    with Register(classroom.database) as register:
        register.enrol([Person("20270001", "민수", "김"), Person("20270002", "서연", "이")])
    put(f"20270001_{'가' * 79}.ipynb")
    put(f"20270002/{'a' * 249}.ipynb")
    assert take().new == ["20270001", "20270002"]


def test_a_name_too_long_for_a_students_folder_is_nobodys(take, put):
    put(f"{'b' * 255}/{STEM}.ipynb")
    put(f"{'b' * 128}/{STEM}.ipynb")
    outcome = take()
    assert outcome.new == ["b" * 128] and len(outcome.unmatched) == 1


def test_one_name_written_in_two_ways_is_one_student(take, put, right):
    """A Mac takes names apart (NFD), others do not."""
    put(f"{unicodedata.normalize('NFD', '김민수')}/{STEM}.ipynb")
    put(f"김민수/{STEM}.ipynb", right.replace(b"return ", b"return  ", 1))
    outcome = take()
    assert outcome.new == ["김민수"] and len(outcome.several) == 1
    assert take().unchanged == ["김민수"]


def test_names_that_a_shell_would_stumble_over(take, put, classroom):
    for name in ("kim\nlee", "-rf", "a\x1b[31m", "~", "$HOME", "`id`", "'"):
        put(f"{name}/{STEM}.ipynb")
    take()
    assert classroom.students(STEM) == sorted(["kimlee", "-rf", "a[31m", "~", "$HOME", "`id`", "'"])


def test_an_upload_that_begins_with_nothing_and_takes_its_time(put, inbox, classroom, right, monkeypatch):
    monkeypatch.setattr(arrivals, "PATIENCE", 1.0)
    path, source, quarter = put(f"kim/{STEM}.ipynb", b""), FromFolder(inbox, "folder"), len(right) // 4
    for part in range(4):
        source.look()
        time.sleep(SOON)
        assert not source.look() and source.moving
        with path.open("ab") as file:
            file.write(right[part * quarter : (part + 1) * quarter if part < 3 else None])
    source.look()
    time.sleep(SOON)
    assert source.look()
    assert source.take(classroom, STEM, lambda student, digest: False).new == ["kim"]
    assert classroom.submitted(STEM, "kim").read_bytes() == right
