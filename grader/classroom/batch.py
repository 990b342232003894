"""A whole class: many judges, one writer.

What has come while the writer wrote is entered together, in one transaction: one submission where judges are slow, many
where the writer is. What a killed one has not written yet (see `grader.classroom.recording`), the next run grades again.
"""

from __future__ import annotations

import fcntl
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from msgspec import structs

from grader.classroom.folder import Classroom
from grader.classroom.job import Graded, Job
from grader.classroom.judge_process import JudgeSettings
from grader.classroom.judges import JudgeDied, Judges
from grader.classroom.pin import rules_digest
from grader.classroom.recording import read_job, record, write_marked
from grader.errors import NO_DISK, GraderError, Interrupted, in_words
from grader.notebook import CHECK_PREFIX
from grader.results import Submission, sweep, write

if TYPE_CHECKING:
    from grader.classroom.cluster import Cluster
    from grader.gradebook.tables import Gradebook

ATTEMPTS = 3  # of a submission whose judge dies
TOGETHER = 64  # submissions entered in one transaction, at most: a killed writer loses as many
LOOK_SECONDS = 0.1  # until somebody who may bring more is asked again, while judges are at work


@dataclass
class Outcome:
    """The outcome of a run over a class.

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
    waits: Callable[[list[str]], None] = lambda students: None,
    more: Callable[[], dict[str, list[str]]] | None = None,
    judges: Callable[[JudgeSettings], AbstractContextManager[Judges]] | None = None,
) -> Outcome:
    """Grade what is not graded yet, or has changed.

    Args:
        students: only these, and who is in a group with them.
        question: grade this question anew, and keep the others of a result as they are.
        jobs: judges side by side.
        force: grade everything anew.
        unconfined: grade even where this machine cannot confine students' code.
        cluster: address of a Dask scheduler, whose workers are the judges then.
        begin: called with the number of submissions.
        done: called with each student whose result is there.
        waits: called with those still at work, when nobody waits behind them.
        more: called again and again until nobody is at work; what has come in meanwhile, as `Classroom.works` has it.
        judges: lends judges in place of new ones.

    Raises:
        GraderError: something is missing, full or locked; what is graded stays graded.
    """
    template = classroom.template(stem)
    if question is not None and CHECK_PREFIX + question not in template.checks:
        asked = ", ".join(name.removeprefix(CHECK_PREFIX) for name in template.checks)
        raise GraderError(f"'{stem}' has no question '{question}'. It asks: {asked}.")
    works = _choose(classroom, stem, students)
    begin(sum(map(len, works.values())))
    settings = JudgeSettings(classroom.root, stem, unconfined or classroom.unconfined)
    with alone(classroom, stem), judges(settings) if judges else _executor(settings, jobs, cluster) as hired:
        batch = _Batch(classroom, stem, works, question, done, waits)
        try:
            if force and question is None:
                _forget(classroom, stem, [student for members in works.values() for student in members])
            return batch.run(hired, more)
        except KeyboardInterrupt:
            raise Interrupted(
                f"Interrupted. {batch.graded} were graded and are kept; the same command goes on from there."
            ) from None
        except OSError as error:
            if error.errno not in NO_DISK:
                raise
            raise GraderError(in_words(error)) from error


def _executor(settings: JudgeSettings, jobs: int, cluster: str | None) -> Judges | Cluster:
    if cluster is None:
        return Judges(settings, jobs)
    try:
        from grader.classroom.cluster import Cluster
    except ModuleNotFoundError as error:
        raise GraderError(
            f"--cluster needs {error.name}. Install it in the course's checkout with: pip install '.[cluster]'"
        ) from None
    return Cluster(settings, cluster)


def _choose(classroom: Classroom, stem: str, wanted: list[str] | None) -> dict[str, list[str]]:
    """For whom each work counts that is to be graded, by its author."""
    works = classroom.works(stem)
    if wanted is None:
        return works
    chosen = {author: members for author, members in works.items() if {*members} & {*wanted}}
    if missing := sorted({*wanted}.difference(*chosen.values())):
        raise GraderError(f"Nobody called {', '.join(missing)} has handed in '{stem}'.")
    return chosen


@contextmanager
def alone(classroom: Classroom, stem: str, command: str = "autograde") -> Iterator[None]:
    """Two runs over one exercise would write the same files. The lock ends with the process that holds it."""
    folder = classroom.result_path(stem, "").parent
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / (".lock" if command == "autograde" else f".{command}-lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            or_watch = f", or 'grader watch {stem}'," if command == "autograde" else ""
            raise GraderError(
                f"Another 'grader {command} {stem}'{or_watch} is at work on this class. Wait for it, or stop it."
            ) from None
        sweep([*folder.glob(".*.*"), *classroom.root.glob(f"autograded/*/{stem}/.*.*")])
        yield


def _forget(classroom: Classroom, stem: str, students: list[str]) -> None:
    """Mark results as stale, so that no run takes them for current: where this one is interrupted, the next goes on."""
    for student in students:
        if earlier := classroom.result(stem, student):
            write(
                structs.replace(earlier, digest=f"{earlier.work}-forgotten"),
                classroom.result_path(stem, student),
            )


class _Batch:
    """Jobs of an exercise, handed out to judges and entered as their answers come.

    Args:
        works: for whom each counts, by its author, who stands for them all while it is graded.
    """

    def __init__(self, classroom, stem, works, question, done, waits):
        self._classroom, self._stem, self._works, self._question = classroom, stem, works, question
        self._done, self._waits, self._at_work = done, waits, set()
        self._rules = rules_digest(classroom, stem)
        self._outcome = Outcome()
        self._deaths: Counter[str] = Counter()

    @property
    def graded(self) -> int:
        return self._outcome.graded

    def run(
        self, judges: Judges | Cluster, more: Callable[[], dict[str, list[str]]] | None = None
    ) -> Outcome:
        self._waiting = deque(self._works)
        self._employ(judges)
        from grader.classroom.lateness import settle  # load SQLAlchemy, while others load torch
        from grader.gradebook.tables import Gradebook

        with Gradebook(self._classroom.database, self._stem, self._classroom.config) as gradebook:
            while True:
                if more:
                    self._add(more())
                    self._employ(judges)
                if not judges.busy:
                    break
                if not self._waiting:
                    self._waits(list(self._at_work))
                if (first := judges.next(LOOK_SECONDS) if more else judges.next()) is None:
                    continue
                answered = [first, *self._others(judges)]
                for job, answer in answered:
                    self._at_work.discard(job.student)
                    if isinstance(answer, JudgeDied):
                        self._bury(job, answer)
                fatal = [answer for _, answer in answered if isinstance(answer, GraderError)]
                if not fatal:
                    self._employ(judges)  # they go on while this process writes
                self._enter([both for both in answered if isinstance(both[1], Graded)], gradebook)
                if fatal:
                    raise fatal[0]
                for job, answer in answered:
                    if not isinstance(answer, Graded | JudgeDied):
                        self._fail(job, str(answer))
            self._enter_again(gradebook)
            settle(self._classroom, self._stem, gradebook)
        return self._outcome

    def _others(self, judges: Judges | Cluster) -> Iterator[tuple[Job, Graded | Exception]]:
        """More answers that are there already."""
        for _ in range(TOGETHER - 1):
            if not judges.busy or (answered := judges.next(0)) is None:
                return
            yield answered

    def _employ(self, judges: Judges | Cluster) -> None:
        """Give every judge a submission that is not graded yet."""
        for _ in range(len(self._waiting)):
            if not judges.free:
                break
            author = self._waiting.popleft()
            # The older first: the newer's result is to stay.
            if self._at_work.intersection(self._works[author]):
                self._waiting.append(author)
                continue
            job = self._prepare(author)
            if job is None:
                self._finish(author)
            else:
                self._at_work.add(author)
                judges.submit(job)

    def _add(self, works: dict[str, list[str]]) -> None:
        self._works = {**self._works, **works}
        self._waiting.extend(works.keys() - set(self._waiting))

    def _finish(self, author: str) -> None:
        for student in self._works[author]:
            self._done(student)

    def _prepare(self, author: str) -> Job | None:
        """The job of an author's work; None if its result is there already."""
        job = read_job(self._classroom, self._stem, author, self._rules)
        results = {student: self._classroom.result(self._stem, student) for student in self._works[author]}
        there = [self._classroom.marked(self._stem, student).exists() for student in results]
        if (
            None in results.values()
            or not all(there)
            or len({known.digest for known in results.values()}) > 1
        ):
            return job
        earlier = results[author]
        work, _, rules = job.digest.partition("-")
        if self._question is not None and work == earlier.work and earlier.verdict == "graded":
            # What is kept may be graded by older rules: the whole is then current by no rules.
            current = earlier.digest == job.digest
            known = job.digest if current else f"{work}-{self._question}-by-{rules}"
            return replace(job, digest=known, questions=[self._question], earlier=earlier)
        gained_time = 0 < earlier.timed_out < self._classroom.wall_seconds
        if earlier.digest == job.digest and not gained_time:
            self._outcome.submissions |= results
            return None
        return job

    def _bury(self, job: Job, death: JudgeDied) -> None:
        self._deaths[job.student] += 1
        if self._deaths[job.student] < ATTEMPTS:
            self._waiting.append(job.student)
        else:
            self._fail(job, str(death))

    def _fail(self, job: Job, reason: str) -> None:
        for student in self._works[job.student]:
            self._outcome.failures[student] = reason
            if job.earlier:
                self._outcome.submissions[student] = structs.replace(job.earlier, student=student)
        self._finish(job.student)

    def _enter(self, answered: list[tuple[Job, Graded]], gradebook: Gradebook) -> None:
        kept = {}
        for job, graded in answered:
            if reason := _worse(job, graded.submission):
                self._fail(job, f"{reason} The earlier result stays")
                continue
            members = self._works[job.student]
            kept[job.student] = {s: structs.replace(graded.submission, student=s) for s in members}
            for student in members:
                write_marked(self._classroom, self._stem, student, graded.notebook)
        record(self._classroom, [theirs for found in kept.values() for theirs in found.values()], gradebook)
        for author, found in kept.items():
            self._outcome.submissions |= found
            self._outcome.graded += len(found)
            self._finish(author)

    def _enter_again(self, gradebook: Gradebook) -> None:
        """Enter what is graded, but no longer in the gradebook: it is an older copy, or somebody was removed from it."""
        there = gradebook.entered()
        gone = [found for student, found in self._outcome.submissions.items() if student not in there]
        record(self._classroom, gone, gradebook)


def _worse(job: Job, submission: Submission) -> str:
    """The reason for which a question that was graded anew does not count; empty where it does."""
    if job.earlier and submission.verdict != "graded":
        return submission.reason or submission.verdict
    if job.earlier and submission.late_in(job.questions) - job.earlier.late_in(job.questions):
        return "A test did not end in time."
    return ""
