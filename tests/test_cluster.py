"""A class graded by Dask's workers, each in a process of its own."""

import json

import psutil
import pytest

from grader.classroom.batch import grade_class
from grader.classroom.folder import Classroom
from grader.classroom.newclass import make_class
from grader.classroom.sample import Sample
from grader.errors import GraderError
from grader.exercise import find_exercise
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
