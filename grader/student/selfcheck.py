"""`grader check`: a whole notebook, run and checked in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, ConsoleOptions
from rich.text import Text

from grader.errors import GraderError
from grader.exercise import PublicExercise, find_public
from grader.results import QuestionResult
from grader.student.check import check_names, result_lines, total
from grader.student.execute import CellError, read_code, run_here
from grader.words import IN_KOREAN, Words


def find(notebook: str | None) -> tuple[Path, PublicExercise]:
    """The notebook that is meant, and its exercise.

    Args:
        notebook: a path, an exercise's name, or None for the one notebook in the current folder.

    Raises:
        GraderError: there is none, or more than one.
    """
    if notebook is None:
        found = sorted(Path.cwd().glob("*.ipynb"))
        if len(found) != 1:
            raise GraderError(
                f"이 폴더에 노트북이 {len(found)}개 있습니다. 확인할 노트북을 적어 주십시오: grader check masking.ipynb"
            )
        return found[0], _exercise_of(found[0])
    path = Path(notebook)
    if path.suffix == ".ipynb":
        if not path.is_file():
            raise GraderError(f"{path} 파일이 없습니다.")
        return path.resolve(), _exercise_of(path.resolve())
    exercise = find_public(notebook, Path.cwd())
    return exercise.notebook, exercise


def _exercise_of(notebook: Path) -> PublicExercise:
    if (notebook.parent / "checks.py").exists():
        return PublicExercise(notebook.parent)
    return find_public(notebook.stem, notebook.parent)


def run(notebook: Path, exercise: PublicExercise) -> tuple[list[QuestionResult], list[CellError]]:
    """Run the notebook, then its public tests."""
    cells = read_code(notebook)
    names, errors = run_here(cells, notebook.parent)
    return check_names(exercise, names, sources=cells), errors


def summary(
    exercise: PublicExercise, results: list[QuestionResult], errors: list[CellError], words: Words = IN_KOREAN
) -> dict:
    """What `--json` prints."""
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
    ):
        self._exercise, self._results, self._errors, self._words = exercise, results, errors, words

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        for error in self._errors:
            said = f"코드 칸 {error.cell}에서 오류가 났습니다. {error.error}: {error.message}"
            yield Text(self._words(said), style="red")
        for result in self._results:
            head, *lines = result_lines(result, self._exercise.book_url, self._words)
            yield Text(head, style="bold yellow" if result.reason else "bold green")
            yield from map(Text, lines)
        yield Text(total(self._results, self._words), style="bold")
