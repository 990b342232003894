"""Commands for authors."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.text import Text

from grader.cli.program import AUTHORS, Json, app, err, out, print_json, progress
from grader.errors import GraderError


@app.command(rich_help_panel=AUTHORS)
def build(
    exercises: Annotated[list[str] | None, typer.Argument(metavar="EXERCISE")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; fail if exercises/ is out of date.")
    ] = False,
) -> None:
    """Make exercises/ from solutions/: notebooks with stubs, public tests, observed mistakes."""
    from grader.authoring import build as builder
    from grader.authoring.built import remember
    from grader.exercise import ROOT, all_exercises, find_exercise

    chosen = [find_exercise(stem) for stem in exercises] if exercises else all_exercises()
    make = builder.outdated if check else builder.build
    changed = []
    for exercise in chosen:
        missing = [str(path.relative_to(ROOT)) for path in exercise.missing()]
        if any(not path.startswith("chapters") for path in missing):
            raise GraderError(f"Of an exercise's files there are still to be written: {', '.join(missing)}.")
        with err.status(f"Building {exercise.stem} ..."):
            found = make([exercise], ROOT / "build")
        word = "out of date" if check else "written"
        out.print(
            Text(f"{exercise.stem}: " + (f"{word}: {', '.join(map(str, found))}" if found else "up to date"))
        )
        if missing:
            err.print(Text(f"{exercise.stem}: its hints need a chapter: {missing[0]}", style="yellow"))
        changed += found
    if not check:
        remember(chosen)
    if builder.build_common(check):
        changed.append("words")
        out.print(Text(f"words of all exercises: {'out of date' if check else 'written'}"))
    if check and changed:
        raise GraderError("exercises/ is out of date. Run 'grader build' and commit what it writes.")


@app.command(rich_help_panel=AUTHORS)
def translate(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; fail if a translation is missing or stale.")
    ] = False,
) -> None:
    """Bring the catalogues in locale/en up to date with their sources, and say what is left to translate.

    NAME is a stem ("masking"), a kind ("hints") or one catalogue ("hints/masking"). A sentence that has changed keeps
    its old translation, marked fuzzy.
    """
    from grader.translation.sources import find_sources, update
    from grader.words import ENGLISH

    states = [update(source, ENGLISH, write=not check) for source in find_sources(names or [])]
    for state in states:
        if not state.complete:
            out.print(Text(str(state)))
    unfinished = sum(not state.complete for state in states)
    out.print(f"{len(states) - unfinished} of {len(states)} catalogues are complete.")
    if check and unfinished:
        raise GraderError("Run 'grader translate', then translate what is empty or fuzzy in locale/en.")


@app.command(rich_help_panel=AUTHORS)
def mutants(
    exercises: Annotated[list[str] | None, typer.Argument(metavar="EXERCISE")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Only so many of each exercise.")] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes side by side; by default one a core.")
    ] = None,
    json: Json = False,
) -> None:
    """Change each reference a little, again and again, and see whether its suite notices.

    Ends with 1 where a change is neither noticed nor explained beside the suite.
    """
    from grader.authoring import mutants as maker
    from grader.exercise import all_exercises, find_exercise

    chosen = [find_exercise(stem) for stem in exercises] if exercises else all_exercises()
    found = []
    for exercise in chosen:
        with progress(exercise.stem) as (begin, done, _):

            def show(number: int, of: int, begin=begin, done=done) -> None:
                begin(of)
                done(str(number))

            found.append(
                maker.examine(exercise, jobs or len(os.sched_getaffinity(0)), sample=sample, done=show)
            )
        if not json:
            out.print(maker.report(found[-1]))
    if json:
        print_json([maker.summary(one) for one in found])
    raise typer.Exit(1 if any(one.survivors or one.stale for one in found) else 0)
