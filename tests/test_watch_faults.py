"""What the world does to `grader watch`: a full disk, a disk that can only be read, a clock that jumps."""

# ruff: noqa: F811

import errno
import os
import time
from datetime import timedelta

import pytest
from test_watch import STEM, classroom, earned, hand_in, judge, lent, page, right, sample, version, wrong  # noqa: F401

from grader.classroom import watch as watch_module
from grader.classroom.arrivals import FromFolder
from grader.classroom.early import Shown
from grader.classroom.watch import Rules, Watch
from grader.gradebook import ours
from grader.gradebook.register import Register

WRITTEN = ["submitted/", "autograded/", "results/", "tries/", "feedback/", f"watch-{STEM}"]


@pytest.fixture
def watching(classroom, lent, tmp_path, monkeypatch):
    """watching(until): rounds of one watch until something holds; the lines that were said so far."""
    monkeypatch.setattr(watch_module, "PAUSE_SECONDS", 0.05)
    monkeypatch.setattr(watch_module, "PAGE_SECONDS", 0.0)
    (tmp_path / "in").mkdir()
    said, source = [], FromFolder(tmp_path / "in", "folder")
    watch = Watch(classroom.root, STEM, source, Rules(shown=Shown.points), lent, said.append)

    def rounds(until):
        deadline = time.monotonic() + 60
        while not until(said):
            assert time.monotonic() < deadline, said
            watch._guarded(False)
            time.sleep(0.05)
        return said

    return rounds


@pytest.mark.parametrize(
    ("where", "number"),
    [*((where, errno.ENOSPC) for where in WRITTEN), ("feedback/", errno.EDQUOT), ("submitted/", errno.EROFS)],
)
def test_a_disk_that_takes_nothing_for_a_while(
    where, number, watching, classroom, hand_in, right, monkeypatch
):
    """Work handed in meanwhile is graded once it can be, and nobody hears of an empty folder (a-plus#988)."""
    replace, rounds = os.replace, iter(range(4))

    def full(source, target):
        if where in str(target):
            raise OSError(number, os.strerror(number))
        replace(source, target)

    hand_in("kim", right)
    with monkeypatch.context() as patch:
        patch.setattr("grader.results.os.replace", full)
        said = watching(lambda said: said)
        watching(lambda _: next(rounds) == 3)
    disk = [line for line in said if "disk" in line]
    assert disk == [line for line in said if "Trying again" in line] and len(disk) == 1, said
    watching(
        lambda said: (
            classroom.feedback(STEM, "kim").exists() and (classroom.root / f"watch-{STEM}.html").exists()
        )
    )
    assert earned(classroom, "kim") == 10, classroom.result(STEM, "kim")
    assert [path for path in classroom.root.rglob(".*.*") if path.name.endswith(str(os.getpid()))] == []


@pytest.mark.parametrize("jump", [timedelta(hours=-1), timedelta(hours=1), timedelta(days=365)], ids=str)
def test_a_clock_that_jumps(jump, watching, classroom, hand_in, lent, right, wrong, monkeypatch):
    """Another reads it right again: what was handed in is graded once, and dates are held against the time it is then."""
    before = list(lent.graded)
    with Register(classroom.database) as register:
        register.set_due(STEM, ours.now() + timedelta(hours=2))
    hand_in("kim", wrong)
    watching(lambda said: classroom.feedback(STEM, "kim").exists())
    shift = [jump]
    real, clock = ours.now, time.time
    monkeypatch.setattr("grader.classroom.watch.now", lambda: real() + shift[0])
    monkeypatch.setattr(time, "time", lambda: clock() + shift[0].total_seconds())
    path = hand_in("lee", version(wrong, 1))
    os.utime(path, (time.time(), time.time()))
    watching(lambda said: classroom.feedback(STEM, "lee").exists())
    over = jump > timedelta(hours=2)
    assert ("대각선" in page(classroom, "lee")) == over
    shift[0] = timedelta()
    hand_in("park", version(wrong, 2))
    watching(lambda said: classroom.feedback(STEM, "park").exists())
    assert "대각선" not in page(classroom, "park")
    assert sorted(lent.graded[len(before) :]) == ["kim", "lee", "park"]
