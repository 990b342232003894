"""One submission, from the notebook to the result: read, run in the sandbox, judged outside, marked."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Collection
from contextlib import ExitStack
from typing import Any

from grader.classroom.job import Graded, Job
from grader.errors import GraderError
from grader.exercise import Exercise
from grader.gradebook.marked import marked_notebook
from grader.judging import follow, silence
from grader.judging.judge import judge
from grader.judging.names import written
from grader.notebook import AT_HOME, CHECK_PREFIX, Cell, Template, Ungradable, compare, parse
from grader.results import QuestionResult, Submission
from grader.sandbox import (
    CellRun,
    Limits,
    Run,
    Sandbox,
    SandboxError,
    ServerDied,
    WorkerKilled,
    WorkerTimeout,
)
from grader.translation.voices import voices
from grader.words import language_of

NOT_INSTALLED = re.compile(r"^([\w.]{1,80}): this package is not installed here$", re.MULTILINE)
MAX_DISTURBANCES = 4  # a notebook that kills itself does so every time; a machine short of memory does not


class Grader:
    """Grades submissions of one exercise, one after another, in a warm sandbox.

    Args:
        template: the exercise as the class received it.
        sandbox: gives where notebooks run; asked last, since it may still be warming up.
        secret: what hidden inputs are drawn from.
        wall_seconds: how long one notebook may take.

    Raises:
        GraderError: the class received other questions or points than the exercise has now.
    """

    def __init__(
        self,
        exercise: Exercise,
        template: Template,
        sandbox: Callable[[], Sandbox],
        *,
        secret: bytes,
        book_url: str,
        wall_seconds: float,
    ):
        self._exercise, self._template, self._secret, self._book_url = exercise, template, secret, book_url
        self._limits = Limits.within(wall_seconds)
        self._refuse_other_questions()
        exercise.reference, exercise.mistakes  # noqa: B018
        self._voices = voices(exercise)
        self._sandbox = sandbox()

    def _refuse_other_questions(self) -> None:
        suite = self._exercise.suite
        now = {CHECK_PREFIX + q: sum(case.points for case in suite.of(q)) for q in suite.questions}
        handed_out = {
            name: cell["metadata"]["nbgrader"]["points"] for name, cell in self._template.checks.items()
        }
        if not now.items() <= handed_out.items():  # an instructor may ask more, and grades it by hand
            raise GraderError(
                f"'{self._exercise.stem}' has other questions or points than the class received. "
                "Bring the class up to date with 'grader new-class DIR --update'."
            )

    def close(self) -> None:
        self._sandbox.close()

    def grade(self, job: Job) -> Graded:
        """Grade one submission. Whatever is wrong with it becomes a verdict.

        Raises:
            Disturbed: the machine, not the submission, ended its process again and again.
        """
        began = time.monotonic()
        submission = Submission(
            exercise=self._exercise.stem,
            student=job.student,
            verdict="graded",
            digest=job.digest,
            notes=job.notes,
            language=language_of(job.content),
        )
        cells, sitting = [], None
        try:
            if job.refused:
                raise Ungradable(job.refused)
            sheet = compare(parse(job.content), self._template)
            cells, submission.notes = sheet.cells, job.notes + sheet.notes
            sitting = _Sitting(self._sandbox, self._limits, cells, self._template.at_home)
            submission.questions = self._judge_patiently(sitting, job)
            submission.notes += sitting.notes
            if sitting.lacking and submission.earned < submission.possible:
                submission.notes.append(f"채점하는 곳에 없는 패키지나 파일: {', '.join(sitting.lacking)}")
            if submission.late_in(self._exercise.suite.questions):
                submission.timed_out = self._limits.wall
        except Ungradable as found:
            submission.verdict, submission.reason = "ungradable", found.reason
            submission.timed_out = self._limits.wall if isinstance(found, _TooLate) else 0.0
            cells = cells or found.cells
        finally:
            if sitting:
                sitting.end()
        submission.seconds = round(time.monotonic() - began, 3)
        shown = sitting.outputs if sitting else {}
        words = self._voices[submission.language]
        made = marked_notebook(self._template, cells, shown, submission, self._book_url, words)
        return Graded(submission, made)

    def _judge_patiently(self, sitting: _Sitting, job: Job) -> list[QuestionResult]:
        for _ in range(MAX_DISTURBANCES):
            try:
                sitting.begin()
                return self._judge(sitting, job)
            except Disturbed as disturbed:
                last = disturbed
        raise last

    def _judge(self, sitting: _Sitting, job: Job) -> list[QuestionResult]:
        results = self._ask(sitting.run.student, job, job.questions or None, sitting.restart)
        if job.earlier is not None:
            anew = {result.question: result for result in results}
            results = [anew.get(result.question, result) for result in job.earlier.questions]
        results = self._follow_through(sitting, results, job)
        silence.name_silence(results, sitting.sources)
        return results

    def _ask(
        self, student: Any, job: Job, questions: list[str] | None, restart: Callable[[], Any] | None = None
    ) -> list[QuestionResult]:
        return judge(
            student,
            self._exercise.suite,
            mistakes=self._exercise.mistakes,
            reference=self._exercise.reference,
            seed=seed_of(self._secret, job.content),
            questions=questions,
            restart=restart,
        )

    def _follow_through(
        self, sitting: _Sitting, results: list[QuestionResult], job: Job
    ) -> list[QuestionResult]:
        """Judge once more what builds on wrong answers, with the course's in their place."""
        suite, lost = self._exercise.suite, follow.wrong(results)
        builds_on = follow.foundations(sitting.sources, suite) if len(lost) > 1 else {}
        culprits = {
            question: [name for name in builds_on.get(question, []) if name in lost]
            for question in suite.questions
            if question in lost and question in (job.questions or suite.questions)
        }
        found = {result.question: result for result in results}
        for kind in (follow.stand_in, follow.class_stand_in):  # functions can always stand in, modules often
            chosen = {
                question: [
                    name for name in names if follow.substitute(self._exercise.names.get(name)) is kind
                ]
                for question, names in culprits.items()
                if question in follow.wrong(found.values())
            }
            if any(chosen.values()):
                try:
                    self._judge_again(sitting, chosen, kind, found, job)
                except SandboxError:
                    pass  # what was not judged again stays as it was
        still = follow.wrong(found.values())
        for question, names in culprits.items():
            follow.blame(
                found[question], [n for n in names if n in still and n not in found[question].excused]
            )
        return list(found.values())

    def _judge_again(
        self,
        sitting: _Sitting,
        culprits: dict[str, list[str]],
        stand_in: Callable[[Any, str, Any], None],
        found: dict[str, QuestionResult],
        job: Job,
    ) -> None:
        """In processes of their own: the notebook's, which ends afterwards, and the course's answers'."""
        course = [self._exercise.answers]
        with ExitStack() as stack:
            answers = self._sandbox.run(course, self._limits)
            stack.callback(answers.leave)
            run = sitting.start()
            stack.callback(run.leave)
            bound: set[str] = set()
            for question, names in culprits.items():
                if names:
                    # What stands in is made of torch as it was, not as patched.
                    run.student.__stand__(question)
                for name in set(names) - bound:
                    stand_in(run.student, name, answers.student)
                    bound.add(name)
                if names:
                    [again] = self._ask(run.student, job, [question])
                    found[question] = follow.excuse(found[question], again, names)


def _lacking(ran: list[CellRun]) -> list[str]:
    """The packages that cells have asked for in vain, by what they showed."""
    shown = (
        output.get("text", "") for cell in ran for output in cell.outputs if output.get("name") == "stderr"
    )
    return list(dict.fromkeys(name for text in shown for name in NOT_INSTALLED.findall(text)))[:5]


def seed_of(secret: bytes, content: bytes) -> str:
    """The seed of a submission's hidden inputs: the same whenever it is graded, and nobody's to foresee."""
    return hashlib.sha256(secret + content).hexdigest()


class _TooLate(Ungradable):
    """The cells took too long: a longer limit may help."""


class Disturbed(RuntimeError):
    """The sandbox's server or a worker ended through no fault of the notebook's, as far as can be seen."""


class _Sitting:
    """One submission's notebook in a worker, and in a new one where that ends."""

    def __init__(self, sandbox: Sandbox, limits: Limits, cells: list[Cell], at_home: Collection[str] = ()):
        self._sandbox, self._limits, self._cells = sandbox, limits, cells
        # What runs, by the position of its cell.
        self._code = [
            i
            for i, cell in enumerate(cells)
            if cell.kind == "code" and cell.source
            if not cell.grade_id.startswith(AT_HOME) and cell.source not in at_home
        ]
        self.sources = [cells[i].source for i in self._code]
        self._checks = {
            number: cells[i].grade_id.removeprefix(CHECK_PREFIX)
            for number, i in enumerate(self._code)
            if cells[i].grade
        }
        self._killed = 0
        self.run: Run | None = None
        self.outputs: dict[int, list[dict]] = {}
        self.notes: list[str] = []
        self.lacking: list[str] = []  # packages that are not installed

    def begin(self) -> None:
        """Run the cells.

        Raises:
            Ungradable: they end their process or take too long.
            Disturbed: the process was ended from outside, for all that can be seen.
        """
        self.end()
        try:
            self.run = self.start()
            self._keep(self.run.cells)
        except SandboxError as failure:
            self._excuse(failure)
            self._keep(failure.cells)
            kind = _TooLate if isinstance(failure, WorkerTimeout) else Ungradable
            raise kind(self._reason(failure)) from None

    def restart(self) -> Any:
        """The names of a new worker, after a question ended the old one."""
        self._excuse(self.run.failure)
        self.end()
        self.run = self.start()
        return self.run.student

    def start(self) -> Run:
        """A new worker in which all has run."""
        return self._sandbox.run(self.sources, self._limits, checks=self._checks)

    def end(self) -> None:
        if self.run:
            self.run.leave()

    def _excuse(self, failure: SandboxError) -> None:
        """Let the whole be tried again where it was perhaps not the notebook that ended its process."""
        self._killed += isinstance(failure, WorkerKilled)
        if (
            isinstance(failure, ServerDied)
            or isinstance(failure, WorkerKilled)
            and self._killed < MAX_DISTURBANCES
        ):
            raise Disturbed(failure.reason)

    def _keep(self, ran: list[CellRun]) -> None:
        self.outputs, failed = {}, []
        for i, cell in zip(self._code, ran, strict=False):
            self.outputs[i] = cell.outputs
            if cell.error:
                failed.append((self._place(i), cell.error))
        self.notes = [f"{place}에서 오류가 났습니다: {error}" for place, error in dict.fromkeys(failed)]
        self.notes += self._defined_again()
        self.lacking = _lacking(ran)

    def _defined_again(self) -> list[str]:
        """Notes on functions and classes that are written anew below their check."""
        notes = []
        checked = {question: self._code[number] for number, question in self._checks.items()}
        for question, at in checked.items():
            later = (
                i
                for i, code in zip(self._code, self.sources, strict=True)
                if i > at and question in written(code)
            )
            if (again := next(later, None)) is not None:
                notes.append(
                    f"`{question}` 답을 확인한 다음 {self._place(again)}에서 다시 썼습니다. 확인할 때의 답을 채점합니다."
                )
        return notes

    def _reason(self, failure: SandboxError) -> str:
        where = "노트북" if failure.cell is None else self._place(self._code[failure.cell])
        if isinstance(failure, WorkerTimeout):
            return f"{where}이 제한 시간({self._limits.wall:g}초) 안에 끝나지 않았습니다."
        return f"{where}을 실행하다가 프로세스가 끝났습니다 ({failure.reason})."

    def _place(self, position: int) -> str:
        number = sum(cell.kind == "code" and not cell.ours for cell in self._cells[: position + 1])
        name = self._cells[position].grade_id[:60]
        return f"{number}번째 코드 칸({name})" if name else f"{number}번째 코드 칸"
