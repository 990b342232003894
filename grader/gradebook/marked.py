"""The marked notebook: a submission with the judge's word in its check cells, as nbgrader and its feedback read it."""

from __future__ import annotations

import json

import msgspec

from grader.notebook import CHECK_PREFIX, Cell, Template
from grader.reading import where_to_read
from grader.results import AFTERWARDS, NOW, CaseResult, QuestionResult, Submission
from grader.words import IN_KOREAN, KOREAN, Words


def marked_notebook(
    template: Template,
    cells: list[Cell],
    outputs: dict[int, list[dict]],
    submission: Submission,
    book_url: str,
    words: Words = IN_KOREAN,
) -> bytes:
    """The notebook's JSON.

    nbgrader takes a check cell's points from its output: of an ungradable submission there are none.

    Args:
        cells: the submission's, those that could be read.
        outputs: what the cells showed when they ran, by their position in `cells`.
    """
    if not cells:  # nothing could be read: what a person says about it hangs on an answer's cell
        cells = [Cell("code", "", grade_id=name) for name in template.solutions]
    last = {cell.grade_id: position for position, cell in enumerate(cells)}
    ours = {**template.locked, **template.solutions, **template.checks, **template.manual}
    judged = {CHECK_PREFIX + result.question: result for result in submission.questions}
    behind: dict[int, list[str]] = {}  # checks that are not there, by the position of their question's answer
    for name in template.checks.keys() - last.keys():
        behind.setdefault(last.get(name.removeprefix(CHECK_PREFIX), len(cells)), []).append(name)

    def check(name: str) -> dict:
        return _check_cell(template.checks[name], judged.get(name), submission, book_url, words)

    made = [_heading(submission, words)] if submission.reason or submission.notes else []
    for position, cell in enumerate(cells):
        # Of a cell that was copied, id and all, nbgrader takes the last.
        original = ours.get(cell.grade_id) if last[cell.grade_id] == position else None
        if original and cell.grade_id in template.checks:
            made.append(check(cell.grade_id))
        else:
            made.append(_cell(cell, original, outputs.get(position, [])))
        made += map(check, behind.get(position, []))
    lacking = set(behind.get(len(cells), []))
    made += [check(name) for name in template.checks if name in lacking]
    # For what a person grades there must be a cell, also where nothing was handed in for it.
    made += [dict(cell) for name, cell in template.manual.items() if name not in last]
    for position, cell in enumerate(made):
        cell["id"] = f"cell-{position}"
    # The submission's language, whatever the class' own notebook is in; Korean is not said.
    metadata = {name: value for name, value in template.metadata.items() if name != "lang"}
    metadata |= {} if words.language == KOREAN else {"lang": words.language}
    notebook = {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    try:
        content = msgspec.json.encode(notebook)
    except UnicodeEncodeError:  # half a character; msgspec, many times as fast, has no way to replace it
        content = json.dumps(notebook, ensure_ascii=False).encode("utf-8", "replace")
    return msgspec.json.format(content, indent=1) + b"\n"


def _heading(submission: Submission, words: Words) -> dict:
    lines = [f"**자동으로 채점하지 못했습니다.** {submission.reason}"] if submission.reason else []
    return _cell(Cell("markdown", "\n\n".join(map(words, [*lines, *submission.notes]))), None, [])


def _cell(cell: Cell, original: dict | None, outputs: list[dict]) -> dict:
    # An original of another kind keeps its id out of the copy: nbgrader refuses a graded cell that has changed its kind.
    kept = original is not None and original["cell_type"] == cell.kind
    made = {"cell_type": cell.kind, "metadata": original["metadata"] if kept else {}, "source": cell.source}
    return {**made, "execution_count": None, "outputs": outputs} if cell.kind == "code" else made


def _check_cell(
    original: dict, result: QuestionResult | None, submission: Submission, book_url: str, words: Words
) -> dict:
    if result is None:
        lines = [words(f"채점하지 못했습니다. {submission.reason}")]
    else:
        lines = _lines(result, book_url, words)
    outputs = [{"output_type": "stream", "name": "stdout", "text": "\n".join(lines) + "\n"}]
    if result is not None:
        points = {"text/plain": repr(float(result.earned))}
        outputs.append(
            {"output_type": "execute_result", "data": points, "metadata": {}, "execution_count": None}
        )
    return {**original, "execution_count": None, "outputs": outputs}


def _lines(result: QuestionResult, book_url: str, words: Words) -> list[str]:
    lines = [words(f"{result.earned:g}/{result.possible:g}점"), *filter(None, [result.by_step(words)])]
    if result.reason:
        lines.append(result.said(words))
    if not result.unanswered:
        for case in result.failures:
            lines += _case_lines(case, result.reason, words)
    if result.read:
        lines.append(where_to_read(result.read, book_url, words))
    return lines


def _case_lines(case: CaseResult, said: str, words: Words) -> list[str]:
    """A lost point. Of a hidden test only what it was about: its details would show how it is written."""
    kind = AFTERWARDS if case.hidden else NOW
    lost = words(f"{case.possible - case.earned:g}점을 잃었습니다 ({kind})")
    reason = "" if case.reason == said else f": {words(case.reason)}"
    detail = [] if case.hidden else [f"    {line}" for line in words(case.detail).splitlines()]
    return [f"- {lost}{reason}", *detail]
