"""The gradebook in PostgreSQL, written by several at once. Skipped where no PostgreSQL can be started."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from msgspec import structs
from nbgrader.api import Gradebook as Theirs
from test_roster import STEM, grade

from benchmarks.postgres import installed, postgres
from grader.classroom.folder import Classroom
from grader.classroom.lateness import settle_all
from grader.classroom.newclass import update_class
from grader.classroom.scores import counted
from grader.errors import GraderError
from grader.exercise import find_exercise
from grader.gradebook.people import Person
from grader.gradebook.register import Register
from grader.gradebook.requests import Request, Requests
from grader.gradebook.tables import Gradebook
from grader.gradebook.times import duration

pytest.importorskip("psycopg2")


@pytest.fixture(scope="module")
def server():
    if not installed():
        pytest.skip("no PostgreSQL here")
    with postgres("fsync=off") as address:
        yield address


@pytest.fixture
def classroom(server, masking_class, tmp_path):
    root = Path(shutil.copytree(masking_class, tmp_path / "봄"))
    (root / "gradebook.db").unlink()
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text() + f"\nc.CourseDirectory.db_url = {server!r}\n")
    return Classroom.open(root)


@pytest.mark.timeout(900)
def test_a_class_with_its_gradebook_in_postgresql(classroom):
    with pytest.raises(GraderError, match="is no gradebook"):
        Gradebook(classroom.database, STEM, classroom.config)
    [change] = update_class(classroom, [find_exercise(STEM)], None)
    assert "the gradebook does not know it yet" in str(change)
    assert update_class(classroom, [find_exercise(STEM)], None) == []
    with Register(classroom.database) as register:
        assert register.enrol([Person("kim"), Person("lee")]) == 2
        register.extend(STEM, "kim", duration("1.5"))
        assert register.extensions(STEM)["kim"].total_seconds() == 1.5 * 86400
    for student in ("s0", "s1"):
        grade(classroom, student, 8.5)
    results = [structs.replace(classroom.result(STEM, "s0"), student=f"new {n}") for n in range(4)]
    together = Barrier(3)

    def record(
        order,
    ):  # several graders, who meet the same new students at the same moment, each in another order
        with Gradebook(classroom.database, STEM, classroom.config) as gradebook:
            together.wait()
            gradebook.record(results[::order])

    with ThreadPoolExecutor(3) as graders:
        list(graders.map(record, (1, -1, 1)))
    found = counted(classroom, STEM)
    assert found["s0"] == (8.5, "graded") and found["kim"] == (None, "missing")
    with Theirs(classroom.database) as gradebook:
        assert gradebook.find_submission(STEM, "new 3").score == 8.5
        mine = gradebook.find_grade("check_padding_mask", STEM, STEM, "s0")
        mine.manual_score, mine.needs_manual_grade = 1.0, False
        gradebook.db.commit()
    with Requests(classroom.database) as requests:
        assert [(c.student, c.before, c.after) for c in requests.history()] == [("s0", None, "1")]
        assert requests.enter(Request("s1", STEM, "padding_mask", "다시")) and requests.all()[0].open
    assert counted(classroom, STEM)["s0"][0] == 7.5
    for student in ("s0", "s1"):
        classroom.timestamp(STEM, student).write_text("2030-01-01 10:00:00 UTC")
    with Theirs(classroom.database) as gradebook:
        gradebook.update_or_create_assignment(STEM, duedate="2030-01-01 00:00:00 UTC")
    config = classroom.root / "nbgrader_config.py"
    config.write_text(config.read_text() + "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
    strict = Classroom.open(classroom.root)
    assert {s: counted(strict, STEM)[s][0] for s in ("s0", "s1")} == {"s0": 0, "s1": 0}
    with Register(strict.database) as register:
        register.extend(STEM, "s0", duration("1"))
    assert {s: counted(strict, STEM)[s][0] for s in ("s0", "s1")} == {"s0": 7.5, "s1": 0}
    settle_all(strict)  # reading does not store
    with Theirs(strict.database) as gradebook:
        penalties = {s: gradebook.find_submission(STEM, s).late_submission_penalty for s in ("s0", "s1")}
    assert penalties == {"s0": 0, "s1": 8.5}


def test_a_server_that_does_not_answer_is_one_line():
    with pytest.raises(GraderError) as refused:
        Requests("postgresql+psycopg2://teacher@127.0.0.1:1/postgres")
    assert "refused" in str(refused.value) and "\n" not in str(refused.value)
