"""Commands for instructors: grade work as it comes in."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from grader.cli.instructors.handout import Origin
from grader.cli.program import INSTRUCTORS, Class, Exercise, Language, app, err, out
from grader.errors import GraderError, Interrupted

if TYPE_CHECKING:
    from grader.classroom.arrivals import Source
    from grader.classroom.folder import Classroom

MOST_JUDGES = 4  # that stay in memory unasked


class BeforeDue(str, Enum):
    all = "all"
    public = "public"
    points = "points"


@app.command(rich_help_panel=INSTRUCTORS)
def watch(
    exercise: Exercise,
    folder: Class,
    source: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Where work comes in; by default the class' submitted/."),
    ] = None,
    origin: Annotated[
        Origin | None,
        typer.Option(
            "--from",
            help="Whose names the files have. canvas or moodle without a folder: the course of 'grader connect'; nbgrader: the "
            "exchange.",
        ),
    ] = None,
    tries: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Grade so many notebooks of each, and no more.")
    ] = None,
    before_due: Annotated[
        BeforeDue,
        typer.Option(help="What pages show until nobody may hand in any more: all, visible tests, points."),
    ] = BeforeDue.all,
    names: Annotated[
        bool, typer.Option("--names", help="Name everybody on the page on the class: not for a hall.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option("--serve", metavar="PORT", min=0, max=65535, help="Serve that page to this machine."),
    ] = None,
    language: Annotated[Language, typer.Option(help="Of that page.")] = Language.ko,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Judges side by side; by default one a core, at most four.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="End when what is there is graded.")] = False,
    unconfined: Annotated[
        bool, typer.Option("--unconfined", help="Grade even where students' code cannot be confined.")
    ] = False,
) -> None:
    """Grade work as it comes in: collected, graded, its feedback page written, within a second or two.

    A file counts once it stands still. Stop it, or kill it, whenever you like: begun again, it goes on from there. A page
    on the class, watch-EXERCISE.html, shows how many have handed in, how each question went, what most are stuck at.
    """
    from grader.classroom.early import Shown
    from grader.classroom.folder import Classroom
    from grader.classroom.judges import WarmJudges, room_for
    from grader.classroom.watch import Rules, Watch
    from grader.classroom.watch_page import serve

    classroom = Classroom.open(folder)
    came_from = _source(classroom, exercise, source, origin)
    rules = Rules(tries, Shown(before_due.value), names, language.value, unconfined)
    judges = WarmJudges(jobs or min(MOST_JUDGES, room_for()), early=True)
    watching = Watch(folder, exercise, came_from, rules, judges, _say)

    def begun() -> None:
        about = serve(watching.page, port) if port is not None else watching.page
        out.print(Text(f"Watching. The page on the class: {about}"))

    try:
        watching.run(once, begun)
    except (KeyboardInterrupt, Interrupted):
        out.print("Stopped. The same command goes on from there.")


def _source(classroom: Classroom, stem: str, folder: Path | None, origin: Origin | None) -> Source:
    from grader.classroom.arrivals import FromCourse, FromFolder, Submitted
    from grader.classroom.connected import COURSES

    if folder is None and origin is None:
        return Submitted(classroom)
    if folder is None and origin.value in COURSES:
        return FromCourse(classroom, stem, origin.value)
    if folder is None and origin is Origin.nbgrader:
        folder = classroom.inbound
        if not folder.is_dir():
            raise GraderError(f"{folder} is not there yet: 'nbgrader release_assignment {stem}' makes it.")
    if folder is None:
        raise GraderError(
            "Say which folder. Without one, a course on Canvas or Moodle, or nbgrader's exchange, can be watched."
        )
    if not folder.is_dir():
        raise GraderError(f"{folder} is no folder. Make it, or say which.")
    return FromFolder(folder, (origin or Origin.folder).value)


def _say(line: str) -> None:
    with suppress(OSError):  # the terminal may be gone, and who watches in the background goes on
        err.print(Text(f"{datetime.now():%H:%M:%S}  {line}"))
