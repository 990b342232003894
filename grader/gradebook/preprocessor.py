"""What nbgrader runs in a class folder in place of its own grading.

`nbgrader autograde` and formgrader's button call `GradeInSandbox`, which grades as `grader autograde` does and leaves the
same notebook, gradebook and results. nbgrader itself reads a submission before any preprocessor: where the file is no
notebook at all it reports an error for that student, keeps no marked notebook and ends with status 1, after it has
graded the others. `record_unreadable` has then entered the verdict and its reason nevertheless.
"""

from __future__ import annotations

import atexit
from pathlib import Path
from threading import Lock, Timer

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Float

from grader.classroom.batch import read_job, record_result, rules_digest
from grader.classroom.folder import WALL_SECONDS, Classroom
from grader.classroom.job import Graded, Job
from grader.classroom.judges import Judges, Sitting
from grader.gradebook.tables import Gradebook
from grader.notebook import Ungradable, parse
from grader.results import Submission

IDLE_SECONDS = 60


class GradeInSandbox(NbGraderPreprocessor):
    """Grades the notebook in the sandbox, and writes gradebook and results."""

    # Read from nbgrader_config.py by `Classroom`, for the judge's process and for `grader autograde` alike.
    wall_seconds = Float(WALL_SECONDS, help="Seconds for one notebook, its cells and tests together.").tag(
        config=True
    )
    unconfined = Bool(False, help="Grade even where students' code cannot be confined.").tag(config=True)

    def preprocess(self, nb, resources):
        """Replace the notebook by the marked one."""
        about = resources["nbgrader"]
        classroom = Classroom.open(Path.cwd())  # nbgrader works in the class' folder
        job = read_job(
            classroom, about["assignment"], about["student"], rules_digest(classroom, about["assignment"])
        )
        graded = _desk.grade(Sitting(classroom.root, about["assignment"], classroom.unconfined), job)
        _record(classroom, graded.submission)
        return nbformat.reads(graded.notebook.decode(), as_version=4), resources


def record_unreadable(assignment: str, student: str, notebooks: list[str]) -> None:
    """Enter submissions that nbgrader will not be able to read (its `pre_convert_hook`)."""
    classroom = Classroom.open(Path.cwd())
    for path in map(Path, notebooks):
        student = path.parent.parent.name
        job = read_job(classroom, assignment, student, rules_digest(classroom, assignment))
        try:
            if job.refused:
                raise Ungradable(job.refused)
            parse(job.content)
        except Ungradable as found:
            submission = Submission(
                exercise=assignment,
                student=student,
                verdict="ungradable",
                reason=found.reason,
                digest=job.digest,
            )
            _record(classroom, submission)


def _record(classroom: Classroom, submission: Submission) -> None:
    with Gradebook(classroom.database, submission.exercise, classroom.config) as gradebook:
        record_result(classroom, submission, gradebook)


class _Desk:
    """One judge, kept warm from notebook to notebook, and sent home when nothing comes for a while."""

    def __init__(self):
        self._lock = Lock()
        self._sitting: Sitting | None = None
        self._rules = ""
        self._judges: Judges | None = None
        self._timer: Timer | None = None

    def grade(self, sitting: Sitting, job: Job) -> Graded:
        with self._lock:
            rules = job.digest.partition("-")[2]
            if self._judges is None or (self._sitting, self._rules) != (sitting, rules):
                self._close()
                self._sitting, self._rules, self._judges = sitting, rules, Judges(sitting, 1)
            if self._timer:
                self._timer.cancel()
            try:
                self._judges.submit(job)
                _, answer = self._judges.next()
            finally:
                self._timer = Timer(IDLE_SECONDS, self.close)
                self._timer.daemon = True
                self._timer.start()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._judges:
            self._judges.close()
        self._judges = None


_desk = _Desk()
atexit.register(_desk.close)
