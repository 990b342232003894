"""The program that the commands join: its help, where it prints, what several of them share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from grader.errors import GraderError
from grader.shown import in_json, plain

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Check, hand out and grade the exercises of 'Transformers, attentively'.",
)
STUDENTS, INSTRUCTORS, AUTHORS = "For students", "For instructors", "For authors"


class _Plain(Console):
    """A console on which what is printed cannot act: no text brings escapes of its own."""

    def render(self, renderable, options=None):
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(plain(segment.text), segment.style)


out = _Plain(highlight=False, soft_wrap=True)
err = _Plain(stderr=True, highlight=False, soft_wrap=True)

Class = Annotated[Path, typer.Option("--class", metavar="DIR", help="The class folder.")]
Exercise = Annotated[str, typer.Argument(metavar="EXERCISE")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


class Language(str, Enum):
    ko = "ko"
    en = "en"


class Connected(str, Enum):
    canvas = "canvas"
    moodle = "moodle"


From = Annotated[
    Connected | None, typer.Option("--from", help="Read it in the course: see 'grader connect'.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do what would be asked for.")]


@app.callback()
def options(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback when something goes wrong.")
    ] = False,
) -> None: ...


@contextmanager
def progress(
    title: str,
) -> Iterator[tuple[Callable[[int], None], Callable[[str], None], Callable[[list[str]], None]]]:
    """A bar with rate, time left and the last who are waited for on a terminal; silence elsewhere."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    class Rate(TextColumn):
        def render(self, task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:.1f}/s" if speed else "")

    columns = [TextColumn(title), BarColumn(), MofNCompleteColumn(), Rate(""), TimeRemainingColumn()]
    columns.append(TextColumn("{task.fields[waits]}", markup=False))
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=None, waits="")
        yield (
            lambda total: bar.update(task, total=total),
            lambda _: bar.advance(task),
            lambda students: bar.update(task, waits=f"waiting for {', '.join(sorted(students)[:3])}"),
        )


def in_course(into: Path | None, to: Path | None) -> bool:
    """True where --into names the connected course, and no file.

    Raises:
        GraderError: a file to write is named as well.
    """
    if into is None or str(into) not in [one.value for one in Connected] or into.exists():
        return False
    if to is not None:
        raise GraderError(f"-o FILE is for what --into makes of a file. Leave it out with --into {into}.")
    return True


def agreed(yes: bool) -> bool:
    """True if the user, or --yes, agrees to what was shown.

    Raises:
        GraderError: nobody can be asked.
    """
    if yes:
        return True
    if not sys.stdin.isatty():
        raise GraderError("Not done yet. Add --yes to do this.")
    return typer.confirm("Do this?")


def print_json(value: object) -> None:
    import msgspec

    sys.stdout.write(in_json(msgspec.json.format(msgspec.json.encode(value), indent=1).decode()) + "\n")
