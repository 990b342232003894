"""The course's answers: what an exercise's source holds between nbgrader's markers, and why it is written so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.judging.suite import Case, Suite

WHY = "왜 이렇게 쓸까요? 그렇지 않은 답에 시험이 하는 말과 읽을 곳입니다."  # stands above an answer's reasons
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_QUESTION = re.compile(r'# %% (\w+) tags=\[.*"question".*\]')


@dataclass(frozen=True)
class Answer:
    """The course's answer to a question.

    Attributes:
        code: the question's cell.
        lines: the numbers, from 1, of its lines that a student writes.
        why: what the tests say of an answer that does otherwise, by the paragraph that explains it.
    """

    code: str
    lines: list[int]
    why: dict[str, list[str]] = field(default_factory=dict)


def course_answers(source: Path, suite: Suite) -> dict[str, Answer]:
    """The answer to each question, in the order of the source, with its reasons."""
    written = answers_in(source.read_text(encoding="utf-8"))
    return {name: Answer(one.code, one.lines, _why(suite.of(name))) for name, one in written.items()}


def answers_in(source: str) -> dict[str, Answer]:
    """The answer to each question of a source in the percent format."""
    cells = (cell.partition("\n") for cell in re.split(r"^(?=# %%)", source, flags=re.MULTILINE))
    return {named[1]: _answer(body) for head, _, body in cells if (named := _QUESTION.match(head))}


def _answer(cell: str) -> Answer:
    code, lines, between = [], [], False
    for line in cell.strip("\n").splitlines():
        if line.strip() in (BEGIN, END):
            between = line.strip() == BEGIN
            continue
        code.append(line)
        if between:
            lines.append(len(code))
    return Answer("\n".join(code), lines)


def _why(cases: Iterable[Case]) -> dict[str, list[str]]:
    said: dict[str, list[str]] = {}
    for case in cases:
        hints = said.setdefault(case.read, [])
        if case.hint not in hints:
            hints.append(case.hint)
    return said
