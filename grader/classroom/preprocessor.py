"""The grading that nbgrader runs in a class folder in place of its own.

`nbgrader autograde` and formgrader's button call `GradeInSandbox`, which grades as `grader autograde` does and leaves the
same notebook, gradebook and results. nbgrader itself reads a submission before any preprocessor, and where it cannot, or
finds no notebook of the right name, removes what was marked before: `PatientExporter` and `take_any_name` see to it that
such a submission reaches the preprocessor as well.
"""

from __future__ import annotations

import atexit
from pathlib import Path
from threading import Lock, Timer

import nbformat
from msgspec import structs
from nbconvert.exporters import NotebookExporter
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Float

from grader.classroom.folder import Classroom
from grader.classroom.job import Graded, Job
from grader.classroom.judge_process import JudgeSettings
from grader.classroom.judges import WarmJudges
from grader.classroom.pin import rules_digest
from grader.classroom.recording import read_job, record, write_marked
from grader.gradebook.tables import Gradebook
from grader.notebook import read_submitted
from grader.sandbox.limits import Limits

IDLE_SECONDS = 60


class GradeInSandbox(NbGraderPreprocessor):
    """Grades the notebook in the sandbox, and writes gradebook and results."""

    # Read from nbgrader_config.py by `Classroom`, for the judge's process and for `grader autograde` alike.
    wall_seconds = Float(Limits.wall, help="Seconds for one notebook, its cells and tests together.").tag(
        config=True
    )
    unconfined = Bool(False, help="Grade even where students' code cannot be confined.").tag(config=True)

    def preprocess(self, nb, resources):
        """Replace the notebook by the marked one."""
        about = resources["nbgrader"]
        stem, student = about["assignment"], about["student"]
        classroom = Classroom.open(Path.cwd())  # nbgrader works in the class' folder
        job = read_job(classroom, stem, student, rules_digest(classroom, stem))
        graded = _desk.grade(JudgeSettings(classroom.root, stem, classroom.unconfined), job)
        _record(classroom, graded)
        return nbformat.reads(graded.notebook.decode(), as_version=4), resources


class PatientExporter(NotebookExporter):
    """Reads as an empty notebook what is none: the preprocessor reads the file itself, and says what is wrong."""

    def from_filename(self, filename, resources=None, **options):
        try:
            notebook = nbformat.reads(read_submitted(Path(filename)).decode(), as_version=4)
        except Exception:
            notebook = nbformat.v4.new_notebook()
        return self.from_notebook_node(notebook, resources=resources, **options)


def take_any_name(assignment: str, student: str, notebooks: list[str]) -> None:
    """Have nbgrader grade a submission whatever its file is called (its `pre_convert_hook`)."""
    ours = [str(Path(path).with_name(f"{assignment}.ipynb")) for path in notebooks[:1]]
    notebooks[:] = ours


def _record(classroom: Classroom, graded: Graded) -> None:
    """Write the result, and for the others of a group all that nbgrader does not know to write for them."""
    submission, stem = graded.submission, graded.submission.exercise
    members = classroom.works(stem).get(classroom.author(stem, submission.student), [])
    others = [student for student in members if student != submission.student]
    for student in others:
        write_marked(classroom, stem, student, graded.notebook)
    theirs = [structs.replace(submission, student=student) for student in others]
    with Gradebook(classroom.database, stem, classroom.config) as gradebook:
        record(classroom, [submission, *theirs], gradebook)


class _Desk:
    """One judge, kept warm from notebook to notebook, and sent home when nothing comes for a while."""

    def __init__(self):
        self._lock = Lock()
        self._judges = WarmJudges(1)
        self._timer: Timer | None = None

    def grade(self, settings: JudgeSettings, job: Job) -> Graded:
        with self._lock:
            if self._timer:
                self._timer.cancel()
            try:
                with self._judges.lent(settings) as judges:
                    judges.submit(job)
                    _, answer = judges.next()
            finally:
                self._timer = Timer(IDLE_SECONDS, self.close)
                self._timer.daemon = True
                self._timer.start()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        with self._lock:
            self._judges.close()


_desk = _Desk()
atexit.register(_desk.close)
