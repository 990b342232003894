"""Commands for instructors: whether grading works on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from grader.cli.program import INSTRUCTORS, app, err, out


@app.command(rich_help_panel=INSTRUCTORS)
def demo(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Where; by default build/demo in the checkout.")
    ] = None,
) -> None:
    """Grade a sample class whose right scores are known, and compare. Ends with 1 if one differs."""
    from grader.classroom import demo as sample
    from grader.classroom.scores import questions_of, report
    from grader.exercise import ROOT

    with err.status("Making a class of 12 ..."):
        classroom = sample.make(folder or ROOT / "build" / "demo")
    with err.status("Grading it ..."):
        submissions = sample.grade(classroom)
    out.print(report(questions_of(classroom, sample.EXERCISE), submissions), soft_wrap=False)
    wrong = sample.differences(submissions)
    for line in wrong:
        err.print(Text(line, style="red"))
    out.print("All scores and verdicts are as they must be." if not wrong else f"{len(wrong)} differ.")
    raise typer.Exit(1 if wrong else 0)


@app.command(rich_help_panel=INSTRUCTORS)
def doctor() -> None:
    """Say how far this machine can confine students' code. Ends with 1 if it does not suffice."""
    from grader.sandbox import doctor as examine

    layers = examine()
    for layer in layers:
        mark, style = ("yes", "green") if layer.available else ("NO ", "red" if layer.required else "yellow")
        out.print(Text.assemble((mark, style), f"  {layer.name}: {layer.why}"))
    lacking = [layer for layer in layers if layer.required and not layer.available]
    if not hasattr(os, "fork"):
        out.print(
            "This machine does not grade. Use Linux: on Windows WSL 2 or a container (docs/machines.md)."
        )
    else:
        out.print("This machine grades." if not lacking else "This machine grades only with --unconfined.")
    raise typer.Exit(1 if lacking else 0)
