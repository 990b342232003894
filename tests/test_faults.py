"""Whatever ends, fills up or is locked while a class is graded: the next run ends with everything graded, once."""

import errno
import os
import random
import shutil
import signal
import sqlite3
import time
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec import structs
from one_judge import OneJudge

from benchmarks.kills import KINDS, STEM, Hall, honest_class, left, start, strike, wrong
from grader.classroom import recording
from grader.classroom.batch import grade_class
from grader.classroom.folder import Classroom
from grader.classroom.job import Graded
from grader.classroom.scores import scores
from grader.errors import GraderError
from grader.gradebook.database import connect
from grader.gradebook.tables import Gradebook

STUDENTS = 30


@pytest.fixture(scope="module")
def ungraded(tmp_path_factory):
    return honest_class(tmp_path_factory.mktemp("faults") / "class", STUDENTS)


@pytest.fixture
def classroom(ungraded, tmp_path):
    return Classroom(Path(shutil.copytree(ungraded.root, tmp_path / "class")))


@pytest.fixture(scope="module")
def one_judge(ungraded):
    judge = OneJudge(ungraded, STEM)
    yield judge
    judge.close()


@pytest.fixture
def quick(one_judge, monkeypatch):
    """Grading without processes of judges to start, by rules that nobody changes meanwhile."""
    monkeypatch.setattr("grader.classroom.batch.Judges", one_judge)
    monkeypatch.setattr("grader.classroom.batch.rules_digest", lambda classroom, stem: "rules")


def assert_graded_once(classroom):
    assert wrong(classroom, STUDENTS) == []


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("of_a_kind", [1, pytest.param(40, marks=pytest.mark.exhaustive)])
@pytest.mark.whole
def test_every_kind_of_process_killed_at_random_moments(classroom, of_a_kind, tmp_path_factory):
    chance, killed, scratch = random.Random(7), dict.fromkeys(KINDS, 0), tmp_path_factory.mktemp("s")
    for _ in range(2 * of_a_kind):  # some find nothing to strike
        run = start(classroom, scratch, "--force")
        for kind in KINDS:
            if killed[kind] < of_a_kind:
                time.sleep(chance.uniform(0, 0.4))
                killed[kind] += strike(run, kind, chance)
        run.kill()
        run.wait()
        run.stderr.close()
        if all(count == of_a_kind for count in killed.values()):
            break
    assert killed == dict.fromkeys(KINDS, of_a_kind)
    last = grade_class(classroom, STEM, jobs=2)
    assert last.failures == {}
    assert_graded_once(classroom)
    assert left(classroom, scratch, set()) == []


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("kills", [1, pytest.param(100, marks=pytest.mark.exhaustive)])
@pytest.mark.whole
def test_a_watch_killed_at_random_moments(kills, tmp_path, tmp_path_factory):
    hall, scratch, seen = Hall(tmp_path / "class", 6), tmp_path_factory.mktemp("s"), set()
    assert hall.strike(kills, scratch, random.Random(7), seen).total() == kills
    assert hall.finish(scratch) == []
    assert left(hall.classroom, scratch, seen) == []


@pytest.mark.parametrize(
    ("at_once", "moments"),
    # Each batch is its marked notebooks, three steps in the gradebook, its results.
    [(1, range(1, 12)), (8, [1, 5, 8, 9, 10, 11, 12, 13, 19, 20, 27])],
)
@pytest.mark.whole
def test_killed_between_any_two_writes(quick, classroom, one_judge, monkeypatch, at_once, moments):
    """The writer ends right before each of its writes in turn, also in the midst of a transaction."""
    steps = [0]

    class Killed(BaseException):
        pass

    def dying(write):
        def perhaps(*args, **kwargs):
            steps[0] -= 1
            if steps[0] == 0:
                raise Killed
            return write(*args, **kwargs)

        return perhaps

    def remembered(job):
        if job.content not in judged:
            judged[job.content] = judge(job)
        graded = judged[job.content]
        theirs = structs.replace(graded.submission, student=job.student, digest=job.digest)
        return Graded(theirs, graded.notebook)

    judge, judged = one_judge.grade, {}
    monkeypatch.setattr(one_judge, "grade", remembered)
    monkeypatch.setattr(one_judge, "at_once", at_once)
    monkeypatch.setattr(recording, "write_whole", dying(recording.write_whole))
    monkeypatch.setattr(recording, "write", dying(recording.write))
    for step in ("record", "_write_grades", "_write_comments"):
        monkeypatch.setattr(Gradebook, step, dying(getattr(Gradebook, step)))
    for steps[0] in moments:
        with pytest.raises(Killed):
            grade_class(classroom, STEM, jobs=1)
        assert_whole(classroom)
    grade_class(classroom, STEM, jobs=1)
    assert_graded_once(classroom)


def assert_whole(classroom):
    """Each submission is in the gradebook with all that belongs to it, or not at all."""
    with sqlite3.connect(classroom.root / "gradebook.db") as database:
        for table, cells in (("grade", "grade_cells"), ("comment", "solution_cells")):
            [[asked]] = database.execute(f"SELECT count(*) FROM {cells}")
            query = f"""SELECT count({table}.id) FROM submitted_assignment LEFT JOIN submitted_notebook ON
                submitted_notebook.assignment_id = submitted_assignment.id
                LEFT JOIN {table} ON {table}.notebook_id = submitted_notebook.id GROUP BY submitted_assignment.id"""
            assert {count for (count,) in database.execute(query)} <= {asked}
        [[entered]] = database.execute("SELECT count(*) FROM submitted_assignment")
    assert sum(classroom.result(STEM, s) is not None for s in classroom.students(STEM)) <= entered


@pytest.mark.whole
def test_a_full_disk_is_told_and_leaves_nothing_half_written(quick, classroom, monkeypatch):
    replace, writes = os.replace, iter(range(1000))

    def full(source, target):
        if next(writes) > 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr("grader.results.os.replace", full)
        with pytest.raises(GraderError, match="No space is left on the disk"):
            grade_class(classroom, STEM, jobs=1)
    assert not list(classroom.root.rglob(".*.json.*")) and not list(classroom.root.rglob(".*.ipynb.*"))
    kept = sum(submission.verdict == "graded" for submission in scores(classroom, STEM))
    assert kept == 10
    assert grade_class(classroom, STEM, jobs=1).graded == STUDENTS - kept
    assert_graded_once(classroom)


@pytest.mark.whole
def test_a_full_database_is_told(quick, classroom, monkeypatch):
    create = sa.create_engine

    def small(*args, **kwargs):
        engine = create(*args, **kwargs)
        sa.event.listen(
            engine, "connect", lambda connection, _: connection.execute("PRAGMA max_page_count = 1")
        )
        return engine

    with monkeypatch.context() as patch:
        patch.setattr("grader.gradebook.database.sa.create_engine", small)
        with pytest.raises(GraderError, match="No space is left for the gradebook"):
            grade_class(classroom, STEM, jobs=1)
    connect.cache_clear()
    grade_class(classroom, STEM, jobs=1)
    assert_graded_once(classroom)


def test_two_runs_at_once_do_not_mix(classroom, tmp_path_factory):
    run = start(classroom, tmp_path_factory.mktemp("s"), "--force")
    try:
        deadline = time.monotonic() + 120
        while not (classroom.root / "results" / STEM / ".lock").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        with pytest.raises(GraderError, match="at work on this class"):
            grade_class(classroom, STEM)
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stderr.close()
