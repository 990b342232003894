"""A class graded by Dask's workers, each in a process of its own."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time

import psutil
import pytest

from grader.classroom.batch import grade_class
from grader.classroom.folder import Classroom
from grader.classroom.newclass import make_class
from grader.classroom.sample import Sample
from grader.errors import GraderError
from grader.exercise import ROOT, find_exercise
from grader.results import write_whole

distributed = pytest.importorskip("distributed")
STEM = "masking"


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster


@pytest.fixture
def classroom(tmp_path):
    exercise = find_exercise(STEM)
    make_class(tmp_path / "class", [exercise], None)
    made = Classroom.open(tmp_path / "class")
    sample = Sample(made, exercise)
    wrong = sample.solved(look_ahead_mask=sample.mistaken("look_ahead_mask", "forgot_the_diagonal"))
    for number, notebook in enumerate([sample.solved(), wrong, sample.released] * 2):
        write_whole(made.submitted(STEM, f"s{number}"), json.dumps(notebook).encode())
    write_whole(made.submitted(STEM, "s6"), b"{")
    return made


@pytest.mark.timeout(300)
def test_workers_grade_as_judges_do_and_one_may_die(cluster, classroom):
    struck = []

    def kill_a_worker(_):
        """One of the cluster's own that has a sandbox; other tests may have left sandboxes to this process."""
        if not struck:
            workers = [psutil.Process(nanny.pid) for nanny in cluster.workers.values()]
            struck.append(next(worker for worker in workers if worker.children()))
            struck[0].kill()

    outcome = grade_class(classroom, STEM, cluster=cluster.scheduler_address, done=kill_a_worker)
    assert outcome.failures == {} and outcome.graded == 7 and struck
    earned = {student: result.earned for student, result in outcome.submissions.items()}
    assert earned == {"s0": 10, "s1": 8.5, "s2": 0, "s3": 10, "s4": 8.5, "s5": 0, "s6": 0}
    assert outcome.submissions["s6"].verdict == "ungradable"
    assert grade_class(classroom, STEM, cluster=cluster.scheduler_address).graded == 0


def test_an_address_where_nobody_answers_is_told(classroom, monkeypatch):
    monkeypatch.setattr("grader.classroom.cluster.CONNECT_SECONDS", 0.2)
    with pytest.raises(GraderError, match="No Dask scheduler answers"):
        grade_class(classroom, STEM, cluster="tcp://127.0.0.1:9")


def test_a_cluster_without_workers_is_told(classroom, monkeypatch):
    monkeypatch.setattr("grader.classroom.cluster.WORKER_SECONDS", 0.5)
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as empty:
        with pytest.raises(GraderError, match="has no worker. Start one for each core: dask worker"):
            grade_class(classroom, STEM, cluster=empty.scheduler_address)


@pytest.mark.timeout(600)
def test_a_scheduler_that_dies_is_told_and_what_is_graded_is_kept(classroom, tmp_path):
    """Scheduler and workers as commands, each worker with a copy of the class' folder of its own where that can be had."""
    root, copies = classroom.root, [tmp_path / f"host {number}" for number in range(2)]
    address = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    common = ["--scheduler-file", str(address), "--no-dashboard"]
    started = [
        subprocess.Popen([*dask, "--host", "127.0.0.1", "--port", "0", *common], stderr=subprocess.DEVNULL)
    ]
    worker = shlex.join([sys.executable, "-m", "distributed.cli.dask_worker", *common, "--nthreads", "1"])
    apart = subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0
    try:
        while not address.exists():
            time.sleep(0.1)
        for copy in copies:
            shutil.copytree(root, copy)
            mounted = f"mount --bind {shlex.quote(str(copy))} {shlex.quote(str(root))} && exec {worker}"
            command = ["unshare", "-m", "sh", "-c", mounted] if apart else ["sh", "-c", f"exec {worker}"]
            started.append(
                subprocess.Popen(
                    command, stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(ROOT)}
                )
            )
        with pytest.raises(GraderError, match="has gone. What is graded is kept"):
            where = json.loads(address.read_text())["address"]
            grade_class(classroom, STEM, cluster=where, done=lambda student: started[0].kill())
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()
    kept = sum(classroom.result(STEM, student) is not None for student in classroom.students(STEM))
    assert 1 <= kept < 7 and not list((copies[0] / "results").rglob("*.json"))
    assert grade_class(classroom, STEM).graded == 7 - kept
