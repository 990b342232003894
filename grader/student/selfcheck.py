"""`grader check`: a whole notebook, run and checked in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, ConsoleOptions
from rich.text import Text

from grader.errors import GraderError
from grader.exercise import PublicExercise
from grader.results import QuestionResult
from grader.student.check import answer_key, check_names, further_hints, result_lines, total
from grader.student.execute import CellError, read_code, run_here
from grader.words import IN_KOREAN, Words


def run(
    notebook: Path, exercise: PublicExercise, words: Words = IN_KOREAN
) -> tuple[list[QuestionResult], list[CellError]]:
    """Run the notebook, then its public tests.

    Raises:
        GraderError: it cannot be read; says so in the language of `words`.
    """
    try:
        cells = read_code(notebook)
    except GraderError as error:
        raise GraderError(words(str(error))) from error
    names, moments, errors = run_here(cells, notebook.parent)
    return check_names(exercise, names, sources=cells, moments=moments), errors


def summary(
    exercise: PublicExercise, results: list[QuestionResult], errors: list[CellError], words: Words = IN_KOREAN
) -> dict:
    """The object that `--json` prints."""
    return {
        "exercise": exercise.stem,
        "earned": sum(result.earned for result in results),
        "possible": sum(result.possible for result in results),
        "questions": [result.summary(words) for result in results],
        "errors": errors,
    }


class Shown:
    """The result as the terminal shows it."""

    def __init__(
        self,
        exercise: PublicExercise,
        results: list[QuestionResult],
        errors: list[CellError],
        words: Words = IN_KOREAN,
        hints: int = 1,
    ):
        self._exercise, self._results, self._errors, self._words = exercise, results, errors, words
        self._further = min(hints, exercise.hints) - 1

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        for error in self._errors:
            said = f"코드 칸 {error.cell}에서 오류가 났습니다. {error.error}: {error.message}"
            yield Text(self._words(said), style="red")
        for result in self._results:
            head, *lines = result_lines(result, self._exercise.book_url, self._words, self._further)
            yield Text(head, style="bold yellow" if result.reason else "bold green")
            yield from map(Text, lines)
        yield Text(total(self._results, self._words), style="bold")
        left = (len(further_hints(result)[: self._exercise.hints - 1]) for result in self._results)
        if any(number > self._further for number in left):
            again = f"다음 힌트를 보려면 --hint {self._further + 2}를 붙여 다시 실행하십시오."
            yield Text(self._words(again))
        yield from map(Text, answer_key(self._exercise, self._results, self._words))
