"""The commands for students."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from grader.cli.program import STUDENTS, Json, app, err, out, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from grader.words import Words

Notebook = Annotated[
    str | None,
    typer.Argument(metavar="NOTEBOOK|EXERCISE", help="By default the one in the current folder."),
]


@app.command(rich_help_panel=STUDENTS)
def check(
    notebook: Notebook = None,
    json: Json = False,
    hint: Annotated[int, typer.Option(min=1, max=3, help="2: the next hint, too; 3: the last one.")] = 1,
) -> None:
    """Run your notebook and its public tests: points, what went wrong, what to read.

    Ends with 0 when nothing is left to mend, otherwise with 1.
    """
    from grader.student import selfcheck
    from grader.student.find import find

    path, exercise = find(notebook)
    words = exercise.words(_language(path))
    with _running(words):
        results, errors = selfcheck.run(path, exercise, words)
    if json:
        print_json(selfcheck.summary(exercise, results, errors, words))
    else:
        out.print(selfcheck.Shown(exercise, results, errors, words, hint))
    raise typer.Exit(1 if errors or any(result.reason for result in results) else 0)


@app.command("answer-key", rich_help_panel=STUDENTS)
def answer_key(
    notebook: Notebook = None,
    questions: Annotated[
        list[str] | None,
        typer.Option("--question", metavar="NAME", help="Only this question; can be repeated."),
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Also of questions that your notebook has not solved yet.")
    ] = False,
) -> None:
    """Show the course's answers to the questions that your notebook has solved, and why they are written so.

    For those who study alone, in the course's repository: what a class hands out holds no answer. Ends with 1 where one
    was not shown.
    """
    from grader.student import selfcheck
    from grader.student.answer_key import AnswerKey, answers_of
    from grader.student.find import find

    path, exercise = find(notebook)
    words = exercise.words(_language(path))
    answers = answers_of(exercise, questions or [], words)
    with _running(words):
        results, _ = selfcheck.run(path, exercise, words)
    key = AnswerKey(exercise, answers, results, anyway, words)
    out.print(key)
    raise typer.Exit(1 if key.unsolved and not anyway else 0)


def _language(path: Path) -> str:
    from grader.notebook import Ungradable, read_notebook
    from grader.words import KOREAN, language_of

    try:
        return language_of(read_notebook(path.resolve()))
    except Ungradable:  # running it says so
        return KOREAN


def _running(words: Words):
    return err.status(words("노트북을 실행하고 있습니다 ..."))
