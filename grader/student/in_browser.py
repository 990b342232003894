"""Checks for the page of an exercise that is solved in the browser (assets/static/solve/worker.js).

As with `grader check`, the whole notebook is run each time, from nothing, with what the reader has written in the places
of its answers: nothing is left over from an earlier try.
"""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

from grader.exercise import PublicExercise
from grader.notebook import AT_HOME, parse, read_notebook
from grader.sandbox.shell import Capture, Stream
from grader.student.check import Report, check_names
from grader.student.execute import run_here

SHOWN = 20_000  # characters of what an answer prints: a loop that prints must not fill the page


@cache
def _exercise(folder: str) -> PublicExercise:
    return PublicExercise(Path(folder))


def check(folder: str, answers: dict[str, str], question: str | None, language: str) -> dict[str, str]:
    """Check one question, or all.

    Args:
        folder: the exercise's.
        answers: the text of each answer's cell, by its question.

    Returns:
        "printed": what the question's cell showed, and what its answer printed when it was checked; "report": the result
        as a notebook shows it, in HTML.

    Raises:
        KeyboardInterrupt: the reader has stopped it.
    """
    exercise = _exercise(folder)
    code = [cell for cell in parse(read_notebook(exercise.notebook)) if cell.kind == "code"]
    cells = [cell for cell in code if not cell.grade_id.startswith(AT_HOME)]
    sources = [answers.get(cell.grade_id, cell.source) for cell in cells]
    outputs: list[list[dict]] = []

    def show(shown: list[dict]) -> None:
        outputs.append(shown)
        if any(output.get("ename") == KeyboardInterrupt.__name__ for output in shown):
            raise KeyboardInterrupt  # who stops a cell does not want the next to run

    names, moments, _ = run_here(sources, exercise.folder, show)
    judged = Capture(SHOWN)
    with redirect_stdout(Stream("stdout", judged)), redirect_stderr(Stream("stderr", judged)):
        results = check_names(exercise, names, question, sources, moments)
    own = [shown for cell, shown in zip(cells, outputs, strict=True) if cell.grade_id == question]
    report = Report(results, exercise.book_url, exercise.words(language), hints=exercise.hints)
    return {
        "printed": _text([output for shown in own for output in shown] + judged.end()),
        "report": report._repr_html_(),
    }


def _text(outputs: list[dict]) -> str:
    """Outputs of nbformat 4 as text, as much of them as a page shows."""
    texts = []
    for output in outputs:
        if output["output_type"] == "error":
            texts.append("\n".join(output["traceback"]))
        else:
            texts.append(output.get("text") or output.get("data", {}).get("text/plain", ""))
    text = "\n".join(one.rstrip("\n") for one in texts if one)
    half = SHOWN // 2  # an error stands at the end
    return text if len(text) <= SHOWN else f"{text[:half]}\n[...]\n{text[-half:]}"


def notebook(folder: str, answers: dict[str, str]) -> str:
    """The exercise's notebook with the answers in it, to go on with elsewhere or to hand in."""
    written = json.loads(_exercise(folder).notebook.read_bytes())
    for cell in written["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in answers:
            cell["source"] = answers[name]
    return json.dumps(written, ensure_ascii=False, indent=1) + "\n"
