"""A class graded by Dask's workers on two hosts, each a network namespace of its own, by the number of workers.

    PYTHONPATH=. python benchmarks/distributed.py [--submissions 10000] [--workers 1,2,4,8,16] [--database postgres|sqlite]
                                                  [--judge] [--models DIR] [--json FILE]

All exercises, ten works of each. These are judged once, and kept in DIR. Then workers wait as long as judging takes a core
with nothing beside it, and say what was found: so many of them on few cores show what the one writer, the scheduler, the
database and the network do, which are real. With --judge the workers judge. Needs Linux, root (for the namespaces) and, for
`postgres`, PostgreSQL; writer, scheduler and database are on the machine that both hosts are wired to.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

import psutil
import sqlalchemy as sa
from distributed import Client
from rich.console import Console
from rich.table import Table

from benchmarks import replay
from benchmarks.autograde import honest_mix
from benchmarks.postgres import postgres
from grader.classroom import cluster
from grader.classroom.batch import grade_class, read_job
from grader.classroom.folder import Classroom
from grader.classroom.judges import JudgeSettings, make_grader
from grader.classroom.newclass import make_class, update_class
from grader.classroom.sample import Sample
from grader.exercise import ROOT, all_exercises
from grader.results import write_whole

KINDS = 10  # works of each exercise
NETWORK, PORT, HOSTS = "10.77.0", 8786, 2
ADDRESS = f"tcp://{NETWORK}.1:{PORT}"
DASK = [sys.executable, "-W", "ignore", "-m", "distributed.cli."]
FULL = ("grade", "comment", "submitted_notebook", "submitted_assignment", "student", "grade_history")


def make_models(root: Path) -> Classroom:
    """A class whose works are judged already, with what was found and how long it takes."""
    make_class(root, all_exercises(), None)
    classroom = Classroom.open(root)
    for exercise in all_exercises():
        works = [json.dumps(work).encode() for work in _mix(classroom, exercise)]
        grader, found = make_grader(JudgeSettings(root, exercise.stem, unconfined=False)), []
        for work in [works[0], *works]:  # the first warms up
            write_whole(classroom.submitted(exercise.stem, "model"), work)
            before = processor_seconds()
            found.append(grader.grade(read_job(classroom, exercise.stem, "model", "")))
            found = found and found
        grader.close()
    return classroom
