"""Commands for instructors: what a class has done, as pages and files."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from grader.cli.program import (
    INSTRUCTORS,
    Class,
    Exercise,
    Json,
    Language,
    Yes,
    agreed,
    app,
    err,
    in_course,
    out,
    print_json,
    progress,
)
from grader.counted import counted
from grader.errors import GraderError

if TYPE_CHECKING:
    from grader.classroom.folder import Classroom

Page = Annotated[Language, typer.Option(help="Of the page.")]


@app.command(rich_help_panel=INSTRUCTORS)
def report(
    folder: Class,
    exercises: Annotated[
        list[str] | None, typer.Argument(metavar="EXERCISE", help="By default all that the class has.")
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="By default report.html in the class' folder."),
    ] = None,
    language: Page = Language.ko,
) -> None:
    """Write one page about the class: points, the most frequent mistakes with what to teach again, who is stuck."""
    from grader.classroom.folder import Classroom
    from grader.classroom.report import report_page
    from grader.results import write_whole

    classroom = Classroom.open(folder)
    path = to or folder / "report.html"
    write_whole(path, report_page(classroom, exercises or classroom.stems(), language.value).encode())
    out.print(Text(f"Written to {path}. It names students: keep it among those who teach."))


class Format(str, Enum):
    csv = "csv"
    gradescope = "gradescope"


@app.command(rich_help_panel=INSTRUCTORS)
def similarity(
    exercise: Exercise,
    folder: Class,
    to: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="By default similarity-EXERCISE.html in the class' folder."
        ),
    ] = None,
    language: Page = Language.ko,
    json: Json = False,
) -> None:
    """Find answers that are more alike than chance makes them, whatever was renamed or reordered: pairs side by side.

    Grading need not have run. A pair is a reason to ask, no proof.
    """
    from grader.classroom.folder import Classroom
    from grader.classroom.scores import people_of
    from grader.classroom.similarity import similarity as compare
    from grader.classroom.similarity_page import similarity_page
    from grader.results import write_whole
    from grader.translation.voices import to_instructors, voices

    classroom = Classroom.open(folder)
    with err.status("Comparing everybody with everybody ..."):
        found = compare(classroom, exercise)
    if json:
        return print_json(
            [
                {"first": p.first, "second": p.second, "bits": p.bits, "expected": p.expected}
                for p in found.pairs
            ]
        )
    names = {student: f"{student} {person.name}".strip() for student, person in people_of(classroom).items()}
    for author, members in classroom.works(exercise).items():
        names[author] = ", ".join(names.get(student, student) for student in members)
    for pair in found.pairs:
        who = "  ".join(names.get(student, student) for student in (pair.first, pair.second))
        out.print(Text(f"{who}  {pair.bits:.0f} bits, by chance {pair.expected:.2g} such pairs"))
    path, title = to or folder / f"similarity-{exercise}.html", f"{classroom.root.name}: {exercise}"
    words = to_instructors(voices(classroom.exercise(exercise))[language.value])
    write_whole(path, similarity_page(found, names, title, words).encode())
    out.print(Text(f"{len(found.pairs)} of {found.compared} pairs, side by side in {path}."))


@app.command(rich_help_panel=INSTRUCTORS)
def export(
    folder: Class,
    to: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE")] = None,
    format: Annotated[
        Format,
        typer.Option(help="gradescope: the autograder zip of one exercise, which grades there as here."),
    ] = Format.csv,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|canvas|moodle",
            help="Fill this file: a gradebook exported from Canvas, or a grading worksheet from Moodle. canvas or moodle: "
            "the course of 'grader connect', without a file.",
        ),
    ] = None,
    scale: Annotated[
        bool, typer.Option("--scale", help="Where the file's maximum is another, enter points in proportion.")
    ] = False,
    exercises: Annotated[
        list[str] | None,
        typer.Option(
            "--exercise",
            metavar="EXERCISE",
            help="Only this, into a file or for Gradescope; can be repeated.",
        ),
    ] = None,
    yes: Yes = False,
) -> None:
    """Write the scores that count: one row a student, for each exercise a score and a verdict.

    Into a course, what stands there already is not written again; first a table says what would be.
    """
    from grader.classroom.folder import Classroom
    from grader.classroom.merge import fill
    from grader.classroom.scores import export_csv
    from grader.results import write_whole

    classroom = Classroom.open(folder)
    if in_course(into, to):
        raise typer.Exit(_into_course(classroom, str(into), exercises or classroom.stems(), scale, yes))
    if to is None:
        raise GraderError("Say where to, with -o FILE.")
    if format is Format.gradescope:
        from grader.classroom.platforms.gradescope_autograder import autograder

        chosen = exercises or classroom.stems()
        if len(chosen) != 1 or into:
            raise GraderError("An autograder for Gradescope is for one exercise. Say which with --exercise.")
        with err.status("Making the autograder ..."):
            write_whole(to, autograder(classroom, chosen[0]))
        out.print(
            Text(f"{to}: upload it as the autograder of a programming assignment. It holds hidden tests.")
        )
        return
    # Spreadsheets take a file without the mark for another encoding, and names in Korean break.
    if into is None:
        write_whole(to, export_csv(classroom).encode("utf-8-sig"))
        out.print(Text(f"Scores written to {to}."))
        return
    filled = fill(classroom, into, exercises or classroom.stems(), scale)
    write_whole(to, filled.content)
    out.print(Text(f"{counted(filled.rows, 'score')} filled in: {to}."))
    for line in filled.scaled:
        out.print(Text(line))
    for said, what in (("left as they were", filled.kept), ("nobody in the class", filled.unmatched)):
        if what:
            err.print(Text(f"{said} ({len(what)}): {', '.join(what)}", style="yellow"))


def _into_course(classroom: Classroom, platform: str, stems: list[str], scale: bool, yes: bool) -> int:
    """Write the scores of exercises into the connected course; the exit status."""
    from grader.classroom.connected import course_of
    from grader.classroom.course_grades import plan, write
    from grader.classroom.scores import people_of

    course = course_of(classroom, platform)
    names = {s: person.name for s, person in people_of(classroom).items()}
    plans = {stem: plan(classroom, stem, course, scale) for stem in stems}
    for stem, planned in plans.items():
        for why, who in planned.held.items():
            err.print(Text(f"{stem}: left as it is, {why} ({len(who)}): {', '.join(who)}", style="yellow"))
        out.print(
            f"{stem}: {counted(len(planned.rows), 'score')} to write, {len(planned.same)} there already."
        )
        if planned.rows:
            out.print(planned.table(names), soft_wrap=False)
        if planned.rows and planned.task.at_once:
            err.print("Students see them at once: grades of this assignment are posted automatically.")
    status = 0
    if any(planned.rows for planned in plans.values()) and agreed(yes):
        for stem, planned in plans.items():
            with progress(stem) as (begin, done, _):
                begin(len(planned.rows))
                written = write(planned, plan(classroom, stem, course, scale), course, done)
            out.print(f"{stem}: {counted(len(written.students), 'score')} written.")
            for said, who in (
                ("not written, the course has changed since: look again", written.changed),
                (f"not written, {course.platform} has refused it", written.refused),
                (f"written, and counted as less by the late policy of {course.platform}", written.less),
            ):
                if who:
                    err.print(Text(f"{said} ({len(who)}): {', '.join(who)}", style="yellow"))
            status = 1 if written.changed or written.refused else status
    return status
