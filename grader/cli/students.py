"""The command for students."""

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.program import STUDENTS, Json, app, err, out, print_json


@app.command(rich_help_panel=STUDENTS)
def check(
    notebook: Annotated[
        str | None,
        typer.Argument(metavar="NOTEBOOK|EXERCISE", help="By default the one in the current folder."),
    ] = None,
    json: Json = False,
) -> None:
    """Run your notebook and its public tests: points, what went wrong, what to read.

    Ends with 0 when nothing is left to mend, otherwise with 1.
    """
    from grader.notebook import Ungradable, read_notebook
    from grader.student import selfcheck
    from grader.student.find import find
    from grader.words import KOREAN, language_of

    path, exercise = find(notebook)
    try:
        language = language_of(read_notebook(path.resolve()))
    except Ungradable:  # said below
        language = KOREAN
    words = exercise.words(language)
    with err.status(words("노트북을 실행하고 있습니다 ...")):
        results, errors = selfcheck.run(path, exercise, words)
    if json:
        print_json(selfcheck.summary(exercise, results, errors, words))
    else:
        out.print(selfcheck.Shown(exercise, results, errors, words))
    raise typer.Exit(1 if errors or any(result.reason for result in results) else 0)
