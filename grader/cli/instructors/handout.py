"""Commands for instructors: hand out, take in."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from grader.cli.program import INSTRUCTORS, Class, Exercise, Language, agreed, app, err, out
from grader.errors import GraderError


@app.command(rich_help_panel=INSTRUCTORS)
def release(
    exercises: Annotated[list[str], typer.Argument(metavar="EXERCISE")],
    to: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The bundle; must not exist yet.")
    ],
    book_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where students read the book; hints link there.")
    ] = None,
    archive: Annotated[bool, typer.Option("--zip", help="Also write DIR.zip.")] = False,
    language: Annotated[Language, typer.Option(help="Of the notebooks and their hints.")] = Language.ko,
    hints: Annotated[
        int,
        typer.Option(
            min=1,
            max=3,
            help="Hints that a check at home tells, one at a time: what is wrong; how to mend it; other numbers.",
        ),
    ] = 3,
) -> None:
    """Make a bundle for students: notebooks and public tests; no solution, no hidden test."""
    from grader.exercise import find_exercise

    chosen = [find_exercise(stem) for stem in exercises]  # a typo need not wait for what follows
    from grader.authoring.release import release as make

    with err.status("Building the bundle ..."):
        make(chosen, to, book_url.rstrip("/") if book_url else None, archive, language.value, hints)
    out.print(
        Text(f"Hand out {to}" + (f" or {to}.zip" if archive else "") + ". Its README.md says how to begin.")
    )
    if book_url is None:
        err.print(
            Text(
                "Hints name a chapter without a link: nobody but you knows where the book is. Publish "
                "build/book/_build/html (any web server will do) and give its address with --book-url.",
                style="yellow",
            )
        )


@app.command("new-class", rich_help_panel=INSTRUCTORS)
def new_class(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    exercises: Annotated[
        list[str] | None, typer.Option("--exercise", metavar="EXERCISE", help="Only this; can be repeated.")
    ] = None,
    update: Annotated[
        bool,
        typer.Option(
            "--update", help="Bring a class that exists up to date with its exercises, or add more."
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do what --update would ask for.")] = False,
    book_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where students read the book; hints link there.")
    ] = None,
    language: Annotated[
        Language | None,
        typer.Option(help="Of the folder's own notebooks: by default ko, and with --update as they are."),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            metavar="GROUP", help="Users of this machine who teach it with you; by default you alone."
        ),
    ] = None,
) -> None:
    """Make a class folder for nbgrader: settings, assignments, gradebook, submitted/.

    It keeps the exercises as they are now. A later change of the course reaches it by --update alone, which first
    says what would change for whom.
    """
    from grader.classroom.folder import Classroom
    from grader.exercise import all_exercises, find_exercise

    chosen = [find_exercise(stem) for stem in exercises or []]
    classroom = Classroom.open(folder) if update else None
    from grader.classroom.newclass import make_class, update_class
    from grader.classroom.sharing import share

    if classroom is None:
        with err.status("Generating assignments ..."):
            own = (language or Language.ko).value
            make_class(folder, chosen or all_exercises(), book_url, language=own, group=group)
        out.print(Text(f"{folder} is ready. Hand out what 'grader release' makes; put what students hand in"))
        out.print(Text("into submitted/STUDENT/EXERCISE/; then: grader autograde EXERCISE --class DIR"))
        return
    if group:
        share(classroom.root, group)
        out.print(Text(f"{folder} is the group's: who is in {group} works there as you do."))
    with err.status("Comparing with the course ...") as status:

        def agree(changes: list[object]) -> bool:
            status.stop()
            for change in changes:
                out.print(Text(str(change)))
            return agreed(yes or all(change.new for change in changes))

        changes = update_class(classroom, chosen, book_url, agree, language.value if language else None)
    out.print(Text(f"{folder} is up to date." if changes else f"{folder}: nothing was changed."))
    for change in changes:
        if change.anew:
            out.print(Text(f"Now run: grader autograde {change.stem} --class {folder}"))


@app.command(rich_help_panel=INSTRUCTORS)
def connect(
    folder: Class,
    url: Annotated[
        str | None, typer.Argument(metavar="URL", help="The course's address, as the browser shows it.")
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Forget address and token.")] = False,
) -> None:
    """Connect a class to its course on Canvas or Moodle: then roster, groups, dates, collect and watch take --from canvas (or
    moodle), export and feedback --into it, without files.

    Asks for a token (Canvas: Account, Settings, New Access Token; Moodle: Preferences, Security keys), or reads it from
    standard input. Both are kept in your own settings, for you alone, and never in the class folder. Without a token, the
    platform's files do the same.
    """
    from grader.classroom.connected import course_at
    from grader.classroom.connection import connection_to, keep
    from grader.classroom.folder import Classroom

    classroom = Classroom.open(folder)
    if forget:
        keep(classroom, None)
        out.print("Address and token are forgotten. Withdraw the token on the platform, too.")
        return
    if url is None:
        raise GraderError(
            "Give the course's address, like https://canvas.example.org/courses/1234 or "
            "https://moodle.example.org/course/view.php?id=1234, or --forget."
        )
    token = typer.prompt("Token", hide_input=True, err=True) if sys.stdin.isatty() else sys.stdin.readline()
    connection = connection_to(url, token.strip())
    course = course_at(connection)
    name, lacking = course.name(), course.lacks()
    keep(classroom, connection)
    if lacking:
        said = "The token's service does not have all that is used here. Have its administrator add: "
        err.print(Text(said + ", ".join(lacking), style="yellow"))
    out.print(Text(f"Connected to {name}. Now: grader roster --from {connection.platform} --class {folder}"))


class Origin(str, Enum):
    moodle = "moodle"
    canvas = "canvas"
    gradescope = "gradescope"
    github = "github"
    nbgrader = "nbgrader"
    folder = "folder"


@app.command(rich_help_panel=INSTRUCTORS)
def collect(
    exercise: Exercise,
    folder: Class,
    origin: Annotated[Origin, typer.Option("--from", help="Whose names the files have.")],
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="ZIP|FOLDER",
            help="None for the course of 'grader connect', with --from canvas or moodle.",
        ),
    ] = None,
) -> None:
    """Take what was handed in elsewhere into submitted/: the newest notebook of each, and its time if the platform says it.

    Students are known by their id; where there is none, by a name that only one has, on the roster and among those who
    hand in. A notebook is known by its cells, whatever it is called and however it is packed; all else is listed. A time
    is what the platform says, never a file's date. What a newer attempt replaces is kept in replaced/.
    """
    from grader.classroom.collect import collect as take
    from grader.classroom.collect import collect_from
    from grader.classroom.connected import COURSES, course_of
    from grader.classroom.folder import Classroom

    classroom = Classroom.open(folder)
    if source is not None:
        outcome = take(classroom, exercise, source, origin.value)
    elif origin.value in COURSES:
        with err.status("Reading the course ..."):
            outcome = collect_from(classroom, exercise, course_of(classroom, origin.value))
    else:
        raise GraderError(
            "Say which zip or folder. Without one, only a course on Canvas or Moodle can be read: 'grader connect'."
        )
    out.print(
        f"{len(outcome.new)} new, {len(outcome.newer)} newer than before, {len(outcome.unchanged)} unchanged."
    )
    for said, who in (
        ("older than what is there, left out", outcome.older),
        ("several notebooks, this one counts", outcome.several),
        ("of nobody on the roster", outcome.unmatched),
        ("by one student under another's name, left out", outcome.forged),
        ("no notebook of this exercise", outcome.others),
        ("cannot be read", outcome.unreadable),
        ("marked as late, without a time", outcome.late),
        ("nobody says when, so not late", outcome.untimed),
        ("nothing handed in yet", outcome.missing),
    ):
        if who:
            out.print(Text(f"{said} ({len(who)}): {', '.join(who)}"))
    if outcome.times and (outcome.untimed or outcome.late):
        out.print(Text(f"{outcome.times} To say when: grader dates {exercise} --handed-in ID=WHEN"))
    raise typer.Exit(1 if outcome.unmatched or outcome.forged else 0)


class BankFormat(str, Enum):
    moodle = "moodle"
    qti = "qti"
    gift = "gift"


@app.command(rich_help_panel=INSTRUCTORS)
def quizzes(
    to: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="What to write.")],
    to_format: Annotated[
        BankFormat,
        typer.Option("--format", help="Moodle's XML, QTI (a zip, for Canvas), or GIFT, which others read."),
    ] = BankFormat.moodle,
    language: Annotated[Language, typer.Option(help="The language of the questions.")] = Language.ko,
) -> None:
    """Write the chapters' self-check questions and drills, each mistake explained, for a platform's question bank.

    Of each drill there are five variants with other numbers.
    """
    from grader.authoring.drill_bank import drills
    from grader.authoring.gift import gift
    from grader.authoring.moodle import moodle
    from grader.authoring.qti import qti
    from grader.authoring.quizzes import questions
    from grader.results import write_whole

    bank = questions(language.value)
    if not bank:
        raise GraderError("There are no chapters here. Run this in the course's checkout.")
    posed = drills(language.value)
    made = {BankFormat.moodle: moodle, BankFormat.qti: qti, BankFormat.gift: gift}[to_format](bank, posed)
    write_whole(to, made if isinstance(made, bytes) else made.encode())
    out.print(Text(f"{len(bank)} questions, {len(posed)} of drills: {to}"))
