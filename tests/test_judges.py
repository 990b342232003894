"""Judges side by side, and the servers that are forked for them."""

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from grader.classroom.job import Job
from grader.classroom.judge_process import NAME, JudgeSettings
from grader.classroom.judges import JudgeDied, Judges, room_for
from grader.errors import GraderError
from grader.exercise import PACKAGES
from grader.sandbox import Sandbox
from grader.sandbox.launch import Launch

STEM = "masking"


@pytest.fixture
def settings(masking_class):
    return JudgeSettings(masking_class, STEM, unconfined=False)


def stub(settings, student):
    return Job(student, (settings.root / "release" / STEM / f"{STEM}.ipynb").read_bytes(), "digest")


def gone(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


@pytest.mark.whole
def test_servers_forked_from_one_live_and_die_by_themselves():
    launched = Launch(packages=PACKAGES).start()
    one, other = (Sandbox(warm=launched.fork(number)) for number in (1, 2))
    with one.run(["a = 1"]) as first, other.run(["a = 2"]) as second:
        assert (first.student.a, second.student.a) == (1, 2)
    launched.process.kill()
    launched.process.wait()
    with one.run(["a = 3"]) as run:
        assert run.student.a == 3
    one.close()
    assert gone(lambda: not Path(one._base).exists())
    with other.run(["a = 4"]) as run:
        assert run.student.a == 4
    other.close()


@pytest.mark.whole
def test_the_first_servers_end_leaves_the_others_what_they_need():
    launched = Launch(packages=PACKAGES).start()
    other, base = Sandbox(packages=PACKAGES, warm=launched.fork(1)), Path(launched.base)
    launched.control.close()
    launched.process.wait(20)
    with other.run(["import course_data\na = open('mine', 'w').write('kept')"]) as run:
        assert run.cells[0].error is None and run.student.a == 4
    assert Path(other._base).parent == base  # it was not replaced
    other.close()
    assert gone(lambda: not base.exists())


@pytest.mark.whole
def test_a_forked_server_that_dies_is_replaced():
    launched = Launch().start()
    with Sandbox(warm=launched.fork(1)) as server:
        with server.run(["import os\na = os.getppid()"]) as run:
            os.kill(run.student.a, signal.SIGKILL)
        with server.run(["a = 5"]) as run:
            assert run.student.a == 5
        base = Path(server._base)
    assert not base.exists()
    launched.control.close()
    launched.process.wait(20)
    assert not Path(launched.base).exists()


@pytest.mark.whole
def test_a_server_that_never_came_is_replaced():
    launched = Launch().start()
    warm = launched.fork(1)
    launched.process.kill()  # while it loads torch
    with Sandbox(warm=warm) as server, server.run(["a = 6"]) as run:
        assert run.student.a == 6


def test_a_judge_that_dies_costs_its_job_alone(settings):
    with Judges(settings, 2) as judges:
        for _ in ("both are begun", "both are at work"):
            while judges.busy:
                judges.next()
            for student in ("a", "b"):
                judges.submit(stub(settings, student))
        assert not judges.free
        victim = next(judge for judge in judges._judges if judge.job.student == "a")
        os.kill(victim.pid, signal.SIGKILL)
        answers = {job.student: answer for job, answer in (judges.next(), judges.next())}
        assert isinstance(answers["a"], JudgeDied)
        assert answers["b"].submission.earned == 0 and answers["b"].submission.verdict == "graded"
        judges.submit(stub(settings, "a"))
        _, again = judges.next()
        assert again.submission.verdict == "graded"


@pytest.mark.whole
def test_what_keeps_judges_from_beginning_is_said(settings, monkeypatch):
    monkeypatch.setattr("grader.classroom.judges.JUDGES", "grader.classroom.judge_process:nothing_there")
    with Judges(settings, 1) as judges, pytest.raises(GraderError, match="nothing_there"):
        judges.submit(stub(settings, "a"))
        judges.next()


@pytest.mark.parametrize("first", [False, True], ids=["forks judges", "forks all"])
@pytest.mark.whole
def test_who_forks_judges_is_begun_anew_where_it_has_died(settings, first):
    with Judges(settings, 2) as judges:
        judges.submit(stub(settings, "a"))
        judges.next()
        launched = psutil.Process(judges._launched.process.pid)
        for process in [child for child in launched.children() if child.name() == NAME] + first * [launched]:
            process.kill()
        for student in ("b", "c"):
            judges.submit(stub(settings, student))
        answers = [judges.next()[1] for _ in range(2)]
        assert [(answer.submission.verdict, answer.submission.reason) for answer in answers] == [
            ("graded", "")
        ] * 2
        begun = [psutil.Process(judge.pid) for judge in judges._judges]
    assert gone(lambda: not any(process.is_running() for process in begun))


@pytest.mark.parametrize(
    ("said", "room"),
    [(None, 32), ("2.0", 2), ("1.5", 2), ("0.1", 1), ("64", 32), ("500m", 32), ("nan", 32), ("inf", 32)],
)
def test_a_hubs_server_has_room_for_as_many_judges_as_it_may_use_cores(said, room, monkeypatch):
    """Of a machine with 32: two cores' time for 32 judges, and their memory, is no gain."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(32))
    monkeypatch.delenv("CPU_LIMIT", raising=False)
    if said is not None:
        monkeypatch.setenv("CPU_LIMIT", said)
    assert room_for() == room


@pytest.mark.whole
def test_as_many_judges_as_cores_have_one_each(settings, monkeypatch):
    cores = {
        *sorted(os.sched_getaffinity(0))[:2]
    }  # a large machine need not start a judge for each of its own
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: cores)
    with Judges(settings, len(cores)) as judges:
        for number in range(len(cores)):
            judges.submit(stub(settings, f"s{number}"))
        while judges.busy:
            judges.next()
        begun = [psutil.Process(judge.pid) for judge in judges._judges]
        forked = psutil.Process(judges._launched.process.pid).children()
        servers = [process for process in forked if process.name() != NAME]
        for processes in (begun, servers):
            assert sorted(process.cpu_affinity() for process in processes) == [
                [core] for core in sorted(cores)
            ]


@pytest.mark.whole
def test_fewer_judges_go_where_there_is_room(settings, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    with Judges(settings, 1) as judges:
        judges.submit(stub(settings, "a"))
        judges.next()
        [judge] = judges._judges
        assert psutil.Process(judge.pid).cpu_affinity() == psutil.Process().cpu_affinity()


@pytest.mark.whole
def test_a_judge_at_work_ends_with_its_class(settings):
    with Judges(settings, 1) as judges:
        judges.submit(stub(settings, "a"))
        assert judges.next(0) is None
        [judge] = judges._judges
        at_work = psutil.Process(judge.pid)
    assert not at_work.is_running()


def test_nothing_stays_behind(settings):
    with Judges(settings, 1) as judges:
        judges.submit(stub(settings, "a"))
        judges.next()
        base = Path(judges._launched.base)
        server = psutil.Process(judges._launched.process.pid)
        assert base.exists()
    assert gone(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE)
    assert gone(lambda: not base.exists())
