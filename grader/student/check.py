"""A student's own check: the public tests, in this process, with hints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import GraderError
from grader.exercise import HINTS
from grader.reading import in_code, link, link_to_read, to_try, where_to_read, with_address
from grader.results import STEP_NAMES, CaseResult, QuestionResult, steps_of
from grader.shown import escape
from grader.words import IN_KOREAN, KOREAN, Words

if TYPE_CHECKING:
    from grader.exercise import PublicExercise
    from grader.sandbox.moments import Moments

_PASSED_SO_FAR = "여기 보이는 시험은 통과했지만, 제출하면 점수를 잃습니다."


# The exercise's modules are imported late: torch takes a second, for which `grader --help` need not wait.
def check(stem: str, question: str | None = None, language: str = KOREAN) -> None:
    """Check one question (or all) of this notebook, and show the points, the reasons and what to read."""
    from IPython import get_ipython
    from IPython.display import display

    from grader.exercise import find_public

    exercise = find_public(stem, Path.cwd())
    words = exercise.words(language)
    if question is not None and question not in exercise.suite.questions:
        raise GraderError(
            words(f"'{stem}'에는 '{question}' 문제가 없습니다. 문제: {', '.join(exercise.suite.questions)}")
        )
    names = get_ipython().user_ns
    results = check_names(exercise, names, question, names.get("In", ()))
    more = answer_key(exercise, results, words)
    display(Report(results, exercise.book_url, words, more, exercise.hints))


def check_names(
    exercise: PublicExercise,
    names: dict,
    question: str | None = None,
    sources: Iterable[str] = (),
    moments: Moments | None = None,
) -> list[QuestionResult]:
    """Run the public tests against a namespace, in clean surroundings as in a class.

    Args:
        sources: the cells that made it, by which an answer is seen to build on an earlier one.
        moments: what the names were when each question was checked; None: what they are.
    """
    from grader.judging import follow, silence
    from grader.judging.judge import judge
    from grader.judging.suite import Local
    from grader.student.execute import here

    surroundings = here()

    def run(questions: list[str] | None) -> list[QuestionResult]:
        student = Local(names, moments, surroundings)
        with surroundings.cleaned():
            return judge(student, exercise.suite, mistakes=exercise.mistakes, questions=questions)

    sources = list(sources)
    results = run(None if question is None else [question])
    silence.name_silence(results, sources)
    if lost := follow.wrong(results):
        builds_on = follow.foundations(sources, exercise.suite)
        lost |= follow.wrong(run(builds_on[question])) if question is not None else set()
        for result in results:
            follow.blame(result, [name for name in builds_on[result.question] if name in lost])
    return results


class Report:
    """A check's result, as text and as a notebook shows it."""

    def __init__(
        self,
        results: list[QuestionResult],
        book_url: str,
        words: Words = IN_KOREAN,
        more: Iterable[str] = (),
        hints: int = HINTS,
    ):
        self.results, self.book_url, self.words = results, book_url, words
        self._more, self._hints = more, hints

    def __repr__(self) -> str:
        """Text cannot be folded: all hints."""
        about = (self.book_url, self.words, self._hints - 1)
        lines = [line for result in self.results for line in result_lines(result, *about)]
        return "\n".join([*lines, *self._total(), *self._more])

    def _repr_html_(self) -> str:
        cards = [_card(result, self.book_url, self.words, self._hints) for result in self.results]
        totals = (f"<div><b>{line}</b></div>" for line in self._total())
        return "".join([*cards, *totals, *(f"<div>{in_code(line)}</div>" for line in self._more)])

    def _total(self) -> list[str]:
        return [total(self.results, self.words)] if len(self.results) > 1 else []


def total(results: list[QuestionResult], words: Words = IN_KOREAN) -> str:
    earned, possible = (sum(getattr(result, name) for result in results) for name in ("earned", "possible"))
    return words(f"보이는 시험의 합계 {earned:g}/{possible:g}점")


def answer_key(
    exercise: PublicExercise, results: list[QuestionResult], words: Words = IN_KOREAN
) -> list[str]:
    """The way to the course's answers, in a line, for who has solved all; nothing where there are none."""
    solved = len(results) == len(exercise.suite.questions) and not any(result.reason for result in results)
    if not solved or exercise.solution is None:
        return []
    return [words(f"모범 답안과 비교해 보려면 터미널에서: `grader answer-key {exercise.stem}`")]


@dataclass(frozen=True)
class Hint:
    """A further hint, which is told when asked for: how it is offered, and its lines, with a place in the book or ""."""

    offer: str
    lines: list[tuple[str, str]]


def further_hints(result: QuestionResult, words: Words = IN_KOREAN) -> list[Hint]:
    """The hints after what a check says at once, in the order in which they are told: the idea that mends a named
    mistake, then numbers to work by hand."""
    idea, tries = result.in_two(words)[1], to_try(result.read, words)
    found = [Hint(words("다음 힌트: 어떻게 고칠까요?"), [(idea, "")])] if idea else []
    if tries:
        lines = [(line, at) for at, line in tries.items()]
        found.append(Hint(words("다음 힌트: 같은 생각을 다른 수로"), lines))
    return found


def result_lines(
    result: QuestionResult, book_url: str, words: Words = IN_KOREAN, further: int = 0
) -> list[str]:
    """A question's result in words: the first line is the verdict.

    Args:
        further: how many of the further hints are told.
    """
    lines = [f"{words(_verdict(result))}  {result.question}  {words(_points(result))}"]
    lines += [f"  {line}" for line in [result.by_step(words)] if line]
    if not result.reason:
        return lines
    lines.append(f"  {result.in_two(words)[0]}")
    if result.earned == result.possible:
        lines.append(f"  {words(_PASSED_SO_FAR)}")
    for case in _explained(result):
        if case.reason != result.reason:
            lines.append(f"  - {words(case.reason)}")
        lines += [f"    {line}" for line in words(case.detail).splitlines()]
    lines += [f"  {line}" for line in _waiting(result, words)]
    if result.read:
        lines.append(f"  {where_to_read(result.read, book_url, words)}")
    for hint in further_hints(result, words)[:further]:
        lines += [f"  {with_address(line, at, book_url, words) if at else line}" for line, at in hint.lines]
    return lines


def _verdict(result: QuestionResult) -> str:
    return "확인 필요" if result.reason else "통과"


def _points(result: QuestionResult) -> str:
    return f"{result.earned:g}/{result.possible:g}점"


def _explained(result: QuestionResult) -> list[CaseResult]:
    """The failed tests of the lowest step that fails: one difficulty at a time."""
    failed = [] if result.unanswered else result.failures
    return [case for case in failed if case.step == failed[0].step]


def _waiting(result: QuestionResult, words: Words) -> list[str]:
    """A line on the steps above that fail as well, whose reasons wait."""
    lowest, *above = [words(STEP_NAMES[step]) for step in steps_of(result.failures)] or [""]
    if result.unanswered or not above:
        return []
    return [words(f"{lowest}부터 고치십시오. 그러면 다음 단계를 봅니다: {', '.join(above)}.")]


_STYLE = (
    "border-left:4px solid {colour};padding:.4em .8em;margin:.3em 0;font-family:sans-serif;line-height:1.6"
)


def _card(result: QuestionResult, book_url: str, words: Words, hints: int) -> str:
    head = f"{words(_verdict(result))} · <code>{result.question}</code> · {words(_points(result))}"
    body = "".join(f"<div>{line}</div>" for line in [result.by_step(words)] if line)
    body += f"<div><b>{in_code(result.in_two(words)[0])}</b></div>" if result.reason else ""
    if result.reason and result.earned == result.possible:
        body += f"<div>{words(_PASSED_SO_FAR)}</div>"
    for case in _explained(result):
        reason = "" if case.reason == result.reason else in_code(words(case.reason))
        detail = (
            f"<pre style='margin:.2em 0;white-space:pre-wrap'>{escape(words(case.detail))}</pre>"
            if case.detail
            else ""
        )
        if reason or detail:
            body += f"<div style='margin-left:1em'>{reason}{detail}</div>"
    body += "".join(f"<div>{line}</div>" for line in _waiting(result, words))
    if result.read:
        body += f"<div>{link_to_read(result.read, book_url, words)}</div>"
    body += _folded(further_hints(result, words)[: hints - 1], book_url, words)
    colour = "#b26a00" if result.reason else "#2e7d32"
    return f"<div style='{_STYLE.format(colour=colour)}' role='status'>{head}{body}</div>"


def _folded(hints: list[Hint], book_url: str, words: Words) -> str:
    """Each hint folded, the next within the one before."""
    if not hints:
        return ""
    hint, *others = hints
    lines = (link(line, at, book_url, words) if at else in_code(line) for line, at in hint.lines)
    told = "".join(f"<div>{line}</div>" for line in lines)
    return f"<details><summary>{hint.offer}</summary>{told}{_folded(others, book_url, words)}</details>"
