"""Answers that return nothing: they print, or end too early. Whatever else they seem to be, this is what to say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.judging.names import is_silent
from grader.results import QuestionResult

NAME = "returns_nothing"  # a bank's own word on it, under this name, stays
_HINT = "아무것도 돌려주지 않습니다: `return`이 없습니다. `print`는 값을 보여 주기만 하므로, 계산한 것을 `return`으로 돌려주십시오."


def name_silence(results: Iterable[QuestionResult], sources: Sequence[str]) -> None:
    """Say of wrong answers that return nothing that they do, by the cells of their notebook."""
    for result in results:
        lost = result.earned < result.possible and not result.unanswered
        if lost and result.mistake != NAME and is_silent(result.question, sources):
            result.mistake, result.mistake_reason = NAME, _HINT
            result.mistake_read = result.failures[0].read
