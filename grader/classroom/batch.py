"""A whole class: many judges, one writer.

A result is written in this order: the marked notebook, the gradebook, results/EXERCISE/STUDENT.json. The last one
says that a submission is done. Killed in between, the next run grades that submission again, to the same end.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from grader.classroom.folder import Classroom
from grader.classroom.job import Graded, Job
from grader.classroom.judges import JudgeDied, Judges, Sitting
from grader.errors import GraderError
from grader.exercise import ROOT, find_exercise
from grader.gradebook.marked import CHECK_PREFIX
from grader.gradebook.tables import Gradebook
from grader.notebook import Ungradable, read_submitted
from grader.results import Submission, write, write_whole

if TYPE_CHECKING:
    from grader.classroom.cluster import Cluster

RULES = ("judging", "sandbox", "classroom")  # the rooms whose code decides what a submission gets
ATTEMPTS = 3  # of a submission whose judge dies


@dataclass
class Outcome:
    """What a run over a class has brought.

    Attributes:
        submissions: graded or ungradable, by student.
        graded: how many of them were graded now, rather than kept.
        failures: who could not be graded because of the machine, and why; another run tries again.
    """

    submissions: dict[str, Submission] = field(default_factory=dict)
    graded: int = 0
    failures: dict[str, str] = field(default_factory=dict)


def grade_class(
    classroom: Classroom,
    stem: str,
    *,
    students: list[str] | None = None,
    question: str | None = None,
    jobs: int = 1,
    force: bool = False,
    unconfined: bool = False,
    cluster: str | None = None,
    begin: Callable[[int], None] = lambda total: None,
    done: Callable[[str], None] = lambda student: None,
) -> Outcome:
    """Grade what is not graded yet, or has changed.

    Args:
        students: only these.
        question: grade this question anew, and keep the others of a result as they are.
        jobs: judges side by side.
        force: grade everything anew.
        unconfined: grade even where this machine cannot confine students' code.
        cluster: address of a Dask scheduler, whose workers are the judges then.
        begin: called with the number of submissions.
        done: called with each student whose result is there.

    Raises:
        GraderError: something is missing, full or locked; what is graded stays graded.
    """
    template = classroom.template(stem)
    if question is not None and CHECK_PREFIX + question not in template.checks:
        asked = ", ".join(name.removeprefix(CHECK_PREFIX) for name in template.checks)
        raise GraderError(f"'{stem}' has no question '{question}'. It asks: {asked}.")
    chosen = _choose(classroom, stem, students)
    begin(len(chosen))
    sitting = Sitting(classroom.root, stem, unconfined or classroom.unconfined)
    with _alone(classroom, stem), _executor(sitting, jobs, cluster) as judges:
        try:
            return _Batch(classroom, stem, question, force, done).run(chosen, judges)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise GraderError(
                "No space is left on the disk. Free some and run the same command again."
            ) from error


def _executor(sitting: Sitting, jobs: int, cluster: str | None) -> Judges | Cluster:
    if cluster is None:
        return Judges(sitting, jobs)
    try:
        from grader.classroom.cluster import Cluster
    except ModuleNotFoundError as error:
        raise GraderError(
            f"--cluster needs {error.name}. Install it with: pip install 'attentively[cluster]'"
        ) from None
    return Cluster(sitting, cluster)


def _choose(classroom: Classroom, stem: str, wanted: list[str] | None) -> list[str]:
    there = classroom.students(stem)
    if wanted is None:
        return there
    if missing := [student for student in wanted if student not in there]:
        raise GraderError(f"Nobody called {', '.join(missing)} has handed in '{stem}'.")
    return wanted


@contextmanager
def _alone(classroom: Classroom, stem: str) -> Iterator[None]:
    """Two runs over one exercise would write the same files. The lock ends with the process that holds it."""
    folder = classroom.result_path(stem, "").parent
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise GraderError(
                f"Another 'grader autograde {stem}' is at work on this class. Wait for it."
            ) from None
        yield


class _Batch:
    def __init__(
        self, classroom: Classroom, stem: str, question: str | None, force: bool, done: Callable[[str], None]
    ):
        self._classroom, self._stem, self._question, self._force = classroom, stem, question, force
        self._done = done
        self._rules = rules_digest(classroom, stem)
        self._outcome = Outcome()
        self._deaths: Counter[str] = Counter()

    def run(self, students: list[str], judges: Judges | Cluster) -> Outcome:
        self._waiting = deque(students)
        self._employ(judges)
        with Gradebook(self._classroom.database, self._stem, self._classroom.config) as gradebook:
            while judges.busy:
                job, answer = judges.next()
                if isinstance(answer, JudgeDied):
                    self._bury(job, answer)
                self._employ(judges)  # they go on while this process writes
                if isinstance(answer, Graded):
                    self._keep(answer, gradebook)
                elif isinstance(answer, GraderError):
                    raise answer
                elif not isinstance(answer, JudgeDied):
                    self._outcome.failures[job.student] = str(answer)
        return self._outcome

    def _employ(self, judges: Judges | Cluster) -> None:
        """Give every judge a submission that is not graded yet."""
        while self._waiting and judges.free:
            student = self._waiting.popleft()
            job = self._prepare(student)
            if job is None:
                self._done(student)
            else:
                judges.submit(job)

    def _prepare(self, student: str) -> Job | None:
        """What to grade of a student's; None if the result is there already."""
        job = read_job(self._classroom, self._stem, student, self._rules)
        earlier = self._classroom.result(self._stem, student)
        if earlier is None or not self._classroom.marked(self._stem, student).exists():
            return job
        same_work = earlier.digest.partition("-")[0] == job.digest.partition("-")[0]
        if self._question is not None and same_work and earlier.verdict == "graded":
            # What is kept may be graded by older rules: it stays known by those.
            return replace(job, digest=earlier.digest, questions=[self._question], earlier=earlier)
        if earlier.digest == job.digest and not self._force:
            self._outcome.submissions[student] = earlier
            return None
        return job

    def _bury(self, job: Job, death: JudgeDied) -> None:
        self._deaths[job.student] += 1
        if self._deaths[job.student] < ATTEMPTS:
            self._waiting.append(job.student)
        else:
            self._outcome.failures[job.student] = str(death)

    def _keep(self, graded: Graded, gradebook: Gradebook) -> None:
        submission = graded.submission
        record(self._classroom, graded, gradebook)
        self._outcome.submissions[submission.student] = submission
        self._outcome.graded += 1
        self._done(submission.student)


def read_job(classroom: Classroom, stem: str, student: str, rules: str) -> Job:
    """What a student has handed in, known by it and by the rules it is graded by."""
    content, refused = b"", ""
    try:
        content = read_submitted(classroom.submitted(stem, student))
    except Ungradable as found:
        refused = found.reason
    digest = hashlib.sha256(content or refused.encode()).hexdigest()[:32]
    return Job(student, content, f"{digest}-{rules}", refused)


def record(classroom: Classroom, graded: Graded, gradebook: Gradebook) -> None:
    """Write a marked notebook and its result to the class folder."""
    stem, student = graded.submission.exercise, graded.submission.student
    marked = classroom.marked(stem, student)
    write_whole(marked, graded.notebook)
    with suppress(Ungradable):  # nbgrader compares it with a later submission's
        write_whole(marked.with_name("timestamp.txt"), read_submitted(classroom.timestamp(stem, student)))
    record_result(classroom, graded.submission, gradebook)


def record_result(classroom: Classroom, submission: Submission, gradebook: Gradebook) -> None:
    """Enter a result in the gradebook and write it, in this order."""
    stem, student = submission.exercise, submission.student
    gradebook.record(submission, classroom.handed_in(stem, student))
    write(submission, classroom.result_path(stem, student))


def rules_digest(classroom: Classroom, stem: str) -> str:
    """What a submission is graded by: the exercise as handed out, its answers and tests, and this grader."""
    exercise = find_exercise(stem)
    ours = [exercise.source, exercise.suite_path, exercise.bank_path]
    grader = [path for room in RULES for path in (ROOT / "grader" / room).glob("*.py")]
    released = classroom.released(stem) / f"{stem}.ipynb"
    digest = hashlib.sha256()
    for path in [released, *ours, *sorted(grader)]:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:32]
