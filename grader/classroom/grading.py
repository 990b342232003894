"""One submission, from the notebook to the result: read, run in the sandbox, judged outside, marked."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from grader.classroom.job import Graded, Job
from grader.classroom.sitting import MAX_DISTURBANCES, Disturbed, Sitting, TooLate
from grader.errors import GraderError
from grader.exercise import Exercise
from grader.gradebook.marked import marked_notebook
from grader.judging import follow, silence
from grader.judging.judge import judge
from grader.notebook import CHECK_PREFIX, Template, Ungradable, compare, parse
from grader.results import QuestionResult, Submission
from grader.sandbox import Limits, Sandbox, SandboxError
from grader.translation.voices import voices
from grader.words import language_of


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
            sitting = Sitting(self._sandbox, self._limits, cells, self._template.at_home)
            submission.questions = self._judge_patiently(sitting, job)
            submission.notes += sitting.notes
            if sitting.lacking and submission.earned < submission.possible:
                submission.notes.append(f"채점하는 곳에 없는 패키지나 파일: {', '.join(sitting.lacking)}")
            if submission.late_in(self._exercise.suite.questions):
                submission.timed_out = self._limits.wall
        except Ungradable as found:
            submission.verdict, submission.reason = "ungradable", found.reason
            submission.timed_out = self._limits.wall if isinstance(found, TooLate) else 0.0
            cells = cells or found.cells
        finally:
            if sitting:
                sitting.end()
        submission.seconds = round(time.monotonic() - began, 3)
        shown = sitting.outputs if sitting else {}
        words = self._voices[submission.language]
        made = marked_notebook(self._template, cells, shown, submission, self._book_url, words)
        return Graded(submission, made)

    def _judge_patiently(self, sitting: Sitting, job: Job) -> list[QuestionResult]:
        for _ in range(MAX_DISTURBANCES):
            try:
                sitting.begin()
                results = self._judge(sitting, job)
            except Disturbed as disturbed:
                last = disturbed
            else:
                if sitting.left_out and any(result.earned < result.possible for result in results):
                    raise sitting.left_out  # an answer may lack what that cell defines
                return results
        raise last

    def _judge(self, sitting: Sitting, job: Job) -> list[QuestionResult]:
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
        self, sitting: Sitting, results: list[QuestionResult], job: Job
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
        sitting: Sitting,
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


def seed_of(secret: bytes, content: bytes) -> str:
    """The seed of a submission's hidden inputs: the same whenever it is graded, and nobody's to foresee."""
    return hashlib.sha256(secret + content).hexdigest()
