"""A class graded by Dask's workers, each in a process of its own."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from one_judge import OneJudge

from grader.classroom import cluster as ours
from grader.classroom.batch import grade_class
from grader.classroom.cluster import AHEAD, JOBS, Cluster
from grader.classroom.folder import Classroom
from grader.classroom.job import Job
from grader.classroom.judge_process import JudgeSettings
from grader.classroom.judges import JudgeDied
from grader.classroom.sample import Sample
from grader.errors import GraderError
from grader.exercise import ROOT, find_exercise
from grader.results import write_whole

distributed = pytest.importorskip("distributed")
STEM = "masking"
HERE = {"processes": False, "threads_per_worker": 1, "dashboard_address": None}
EARNED = {"s0": 10, "s1": 8.5, "s2": 0, "s3": 10, "s4": 8.5, "s5": 0, "s6": 0}


@pytest.fixture
def classroom(masking_class, tmp_path):
    made = Classroom(Path(shutil.copytree(masking_class, tmp_path / "class")))
    sample = Sample(made, find_exercise(STEM))
    wrong = sample.solved(look_ahead_mask=sample.mistaken("look_ahead_mask", "forgot_the_diagonal"))
    for number, notebook in enumerate([sample.solved(), wrong, sample.released] * 2):
        write_whole(made.submitted(STEM, f"s{number}"), json.dumps(notebook).encode())
    write_whole(made.submitted(STEM, "s6"), b"{")
    return made


@contextmanager
def started(*command):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def commands(folder, root):
    """A scheduler and two workers as commands, with the scheduler's address; where it can be had, each worker has a copy
    of the class' folder of its own, for which the others' is out of sight."""
    file = folder / "scheduler.json"
    dask = (sys.executable, "-m", "distributed.cli.dask_")
    common = ("--scheduler-file", str(file), "--no-dashboard")
    apart = subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0
    with ExitStack() as stack:
        scheduler = (*dask[:2], f"{dask[2]}scheduler", "--host", "127.0.0.1", "--port", "0", *common)
        processes = [stack.enter_context(started(*scheduler))]
        worker = shlex.join((*dask[:2], f"{dask[2]}worker", *common, "--nthreads", "1", "--no-nanny"))
        while not file.exists():
            time.sleep(0.1)
        for number in range(2):
            copy = shutil.copytree(root, folder / f"host {number}")
            mount = f"mount --bind {shlex.quote(str(copy))} {shlex.quote(str(root))}; " if apart else ""
            command = (*(("unshare", "-m") if apart else ()), "sh", "-c", f"{mount}exec {worker}")
            processes.append(stack.enter_context(started(*command)))
        yield json.loads(file.read_text())["address"], processes


@pytest.mark.timeout(600)
@pytest.mark.whole
def test_workers_grade_as_judges_do_one_may_die_and_without_a_scheduler_what_is_graded_is_kept(
    classroom, tmp_path, monkeypatch
):
    with commands(tmp_path, classroom.root) as (address, [scheduler, *workers]):
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        outcome = grade_class(classroom, STEM, cluster=address, done=lambda student: workers[0].kill())
        assert outcome.failures == {} and outcome.graded == 7 and workers[0].wait() != 0
        assert {student: result.earned for student, result in outcome.submissions.items()} == EARNED
        assert outcome.submissions["s6"].verdict == "ungradable"
        assert grade_class(classroom, STEM, cluster=address).graded == 0

        shutil.rmtree(classroom.root / "results")
        with pytest.raises(GraderError, match="has gone. What is graded is kept"):
            grade_class(classroom, STEM, cluster=address, done=lambda student: scheduler.kill())
    kept = sum(classroom.result(STEM, student) is not None for student in EARNED)
    assert 1 <= kept < 7 and not list(tmp_path.glob("host */results/**/*.json"))
    judge = OneJudge(classroom, STEM)
    monkeypatch.setattr("grader.classroom.batch.Judges", judge)
    assert grade_class(classroom, STEM).graded == 7 - kept
    judge.close()


def test_an_address_where_nobody_answers_is_told(classroom, monkeypatch):
    monkeypatch.setattr(ours, "CONNECT_SECONDS", 0.2)
    with pytest.raises(GraderError, match="No Dask scheduler answers"):
        grade_class(classroom, STEM, cluster="tcp://127.0.0.1:9")


def test_a_cluster_without_workers_is_told(classroom, monkeypatch):
    monkeypatch.setattr(ours, "WORKER_SECONDS", 0.5)
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as empty:
        with pytest.raises(GraderError, match="has no worker. Start one for each core: dask worker"):
            grade_class(classroom, STEM, cluster=empty.scheduler_address)


def whoever(settings, jobs):
    """In place of a judge: who was asked, and for how many in one task."""
    time.sleep(0.02)
    return [(distributed.get_worker().address, len(jobs))] * len(jobs)


def test_workers_that_come_later_are_given_work_and_each_has_the_next_at_hand(tmp_path, monkeypatch):
    monkeypatch.setattr(ours, "_grade", whoever)
    monkeypatch.setattr(ours, "LOOK_SECONDS", 0)
    with distributed.LocalCluster(n_workers=1, **HERE) as local:
        with Cluster(JudgeSettings(tmp_path, STEM, False), local.scheduler_address) as judges:
            asked, sizes, given = set(), [], 0
            for workers in (1, 3):
                local.scale(workers)
                local.wait_for_workers(workers)
                for _ in range(80):
                    while judges.free:
                        judges.submit(Job(f"s{given}", b"", "digest"))
                        given += 1
                    assert judges.busy == JOBS * AHEAD * workers
                    worker, size = judges.next()[1]
                    asked.add(worker)
                    sizes.append(size)
            while judges.busy:
                judges.next()
            assert len(asked) == 3 and sizes[0] == 1 and max(sizes) == max(sizes[-20:]) == JOBS


def test_few_works_are_spread_over_all_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(ours, "_grade", whoever)
    with distributed.LocalCluster(n_workers=3, **HERE) as local:
        with Cluster(JudgeSettings(tmp_path, STEM, False), local.scheduler_address) as judges:
            assert judges.free
            for number in range(6):
                judges.submit(Job(f"s{number}", b"", "digest"))
            answers = [judges.next()[1] for _ in range(6)]
            assert [size for _, size in answers] == [1] * 6 and len(set(answers)) == 3
            assert judges.busy == 0 and judges.next(0) is None


def fatal(settings, jobs):
    """In place of a judge: its worker dies of one work."""
    if any(job.student == "bad" for job in jobs):
        raise MemoryError
    return [job.student for job in jobs]


def test_nobody_else_pays_where_a_worker_dies_of_one_work(tmp_path, monkeypatch):
    monkeypatch.setattr(ours, "_grade", fatal)
    names = [*(f"s{number}" for number in range(6)), "bad", "s7"]
    with distributed.LocalCluster(n_workers=1, **HERE) as local:
        with Cluster(JudgeSettings(tmp_path, STEM, False), local.scheduler_address) as judges:
            assert judges.free
            for name in names:
                judges.submit(Job(name, b"", "digest"))
            found = {job.student: answer for job, answer in (judges.next() for _ in names)}
    assert isinstance(found.pop("bad"), JudgeDied)
    assert found == {name: name for name in names if name != "bad"}


class Standing:
    """In place of a judge: whether it still has its sandbox."""

    def __init__(self):
        self.open = True

    def close(self):
        self.open = False


def test_a_worker_judges_by_the_rules_of_now_and_keeps_few_judges(masking_class, tmp_path, monkeypatch):
    root = Path(shutil.copytree(masking_class, tmp_path / "class"))
    monkeypatch.setattr(ours, "make_grader", lambda settings: Standing())
    monkeypatch.setattr(ours, "_judges", {})
    masking, other = JudgeSettings(root, STEM, False), JudgeSettings(root, "other", False)
    first = ours._judge(masking)
    second = ours._judge(other)
    assert ours._judge(masking) is first and ours._judge(other) is second
    suite = root / "course" / STEM / "suite.py"
    suite.write_text(suite.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    anew = ours._judge(masking)
    assert anew is not first and not first.open
    assert second.open and anew.open and ours._judge(other) is second
