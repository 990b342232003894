"""The part of a result that a page tells while others may still hand in; and how many tries are used."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from msgspec import structs

from grader.gradebook.entries import QuestionGrade, StudentGrades
from grader.results import CaseResult, QuestionResult, Submission

POINTS_ONLY = "지금은 점수만 보입니다. 이유와 읽을 곳은 제출 기간이 끝난 뒤에 나옵니다."
PUBLIC_ONLY = "지금은 보이는 시험의 결과만 있습니다. 나머지 시험의 결과는 제출 기간이 끝난 뒤에 나옵니다."
NO_MORE = "더 낸 노트북은 채점하지 않습니다."
WAITS = "그 뒤에 낸 노트북은 채점하지 않고 그대로 두었습니다."
COSTS_NOTHING = "채점하지 못한 노트북은 횟수에 넣지 않습니다."


class Shown(str, Enum):
    """The part of a result that pages show before an exercise is due."""

    all = "all"
    public = "public"
    points = "points"


def before_due(
    submission: Submission, grades: StudentGrades, shown: Shown
) -> tuple[Submission, StudentGrades]:
    """A result and grades as a page may tell them: the points without reasons, or the visible tests alone."""
    if shown is Shown.all:
        return submission, grades
    if shown is Shown.points:
        silent = [_silent(result) for result in submission.questions]
        return structs.replace(submission, questions=silent, notes=[POINTS_ONLY, *submission.notes]), grades
    public = {result.question: _public(result) for result in submission.questions}
    told = structs.replace(submission, questions=[*public.values()], notes=[PUBLIC_ONLY, *submission.notes])
    marks = {name: _visible(grade, public.get(name)) for name, grade in grades.questions.items()}
    return told, replace(grades, penalty=0.0, questions=marks)


def of_tries(submission: Submission, used: int, limit: int | None, waits: bool) -> list[str]:
    """Sentences on a student's tries; none without a limit.

    Args:
        waits: something else was handed in after the last of them.
    """
    if limit is None:
        return []
    said = [f"시도 {used} / {limit}."]
    said += [WAITS] if waits else [NO_MORE] if used >= limit else []
    return said + ([COSTS_NOTHING] if submission.verdict == "ungradable" else [])


def _silent(result: QuestionResult) -> QuestionResult:
    quiet = {"mistake": "", "mistake_reason": "", "mistake_read": "", "blamed": [], "excused": []}
    return structs.replace(result, cases=[_mute(case) for case in result.cases], **quiet)


def _mute(case: CaseResult) -> CaseResult:
    return structs.replace(case, reason="", read="", detail="")


def _public(result: QuestionResult) -> QuestionResult:
    """As the check at home says it: what only hidden tests have shown is not there."""
    cases = [case for case in result.cases if not case.hidden]
    told = structs.replace(result, cases=cases, blamed=[], excused=[])
    return told if told.failures else structs.replace(_silent(told), cases=cases)


def _visible(grade: QuestionGrade, result: QuestionResult | None) -> QuestionGrade:
    if grade.by_hand or result is None:
        return grade
    return replace(grade, points=result.earned if result.cases else None, possible=result.possible, extra=0.0)
