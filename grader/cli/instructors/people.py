"""Commands for instructors: who is in a class, in which group, and until when they hand in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from grader.cli.program import (
    INSTRUCTORS,
    Class,
    Exercise,
    From,
    Yes,
    agreed,
    app,
    err,
    out,
)
from grader.counted import counted
from grader.errors import GraderError

if TYPE_CHECKING:
    from grader.classroom.folder import Classroom


@app.command(rich_help_panel=INSTRUCTORS)
def roster(
    folder: Class,
    file: Annotated[Path | None, typer.Argument(metavar="CSV")] = None,
    origin: From = None,
) -> None:
    """Enter who is in the class: any CSV with a column of ids (학번, student_id, id); names and addresses if it has them.

    Who hands in nothing is then listed in scores and export. Names on GitHub (github_username) and on JupyterHub (hub_user)
    have columns of their own. What a spreadsheet has done to an id is mended or refused, and said. Ends with 1 if a row
    has no id.
    """
    from grader.classroom.folder import Classroom
    from grader.gradebook.register import Register
    from grader.gradebook.roster import read_roster

    if (file is None) == (origin is None):
        raise GraderError("Give a CSV, or --from canvas, or --from moodle.")
    classroom, gone = Classroom.open(folder), []
    if file is None:
        from grader.classroom.connected import course_of
        from grader.classroom.enrol import roster_from

        read, gone = roster_from(classroom, course_of(classroom, origin.value))
    else:
        read = read_roster(file)
    with Register(classroom.database) as register:
        new = register.enrol(read.people)
    some = ", ".join(p.name or p.id for p in read.people[:3])
    out.print(Text(f"{counted(len(read.people), 'person', 'people')}, {new} of them new: {some} ..."))
    for line in read.said:
        err.print(Text(line, style="yellow"))
    if gone:
        err.print(
            Text(f"no longer in the course, kept here ({len(gone)}): {', '.join(gone)}", style="yellow")
        )
    if read.without:
        err.print(
            Text(
                f"without an id, not entered ({len(read.without)}): {', '.join(read.without)}", style="yellow"
            )
        )
    raise typer.Exit(1 if read.without else 0)


@app.command(rich_help_panel=INSTRUCTORS)
def groups(
    exercise: Exercise,
    folder: Class,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="CSV", help="Enter these in place of the groups that are there."),
    ] = None,
    origin: From = None,
    yes: Yes = False,
) -> None:
    """Show, or set, who works in which group on an exercise: any CSV with columns for 조, 팀 or group, and for ids.

    What the last of a group has handed in is graded once and counts for all of them. Who is in no group works alone. From a
    course, first a table says whose group would change.
    """
    from grader.classroom.folder import Classroom
    from grader.classroom.groups import enter_groups
    from grader.classroom.scores import people_of

    if file and origin:
        raise GraderError("Give a CSV, or --from a course, not both.")
    classroom = Classroom.open(folder)
    classroom.template(exercise)
    if origin:
        _groups_from(classroom, exercise, origin.value, yes)
    found = enter_groups(classroom, exercise, file) if file else classroom.groups(exercise)
    people = people_of(classroom)
    for group in dict.fromkeys(found.values()):
        members = (student for student in found if found[student] == group)
        who = ", ".join(f"{s} {people[s].name}".strip() if s in people else s for s in members)
        out.print(Text(f"{group}: {who}"))
    loners = sorted(people.keys() - found.keys())
    out.print(
        f"{counted(len(found), 'person', 'people')} in {counted(len(set(found.values())), 'group')}, {len(loners)} alone."
    )


def _groups_from(classroom: Classroom, stem: str, platform: str, yes: bool) -> None:
    """Enter the groups of the connected course, if the user agrees."""
    from grader.classroom.connected import course_of
    from grader.classroom.groups import changed, groups_in, set_groups

    groups, strangers = groups_in(classroom, stem, course_of(classroom, platform))
    if strangers:
        said = f"in a group there, nobody here ({len(strangers)}): {', '.join(strangers)}"
        err.print(Text(said, style="yellow"))
    before = classroom.groups(stem)
    if groups != before:
        out.print(changed(before, groups), soft_wrap=False)
        if agreed(yes):
            set_groups(classroom, stem, groups)


def _said_of_one(text: str, what: str) -> tuple[str, str]:
    student, equals, said = text.rpartition("=")
    if not equals:
        raise GraderError(f"Whose? '{text}' is not ID={what}.")
    return student, said


@app.command(rich_help_panel=INSTRUCTORS)
def dates(
    exercise: Exercise,
    folder: Class,
    due: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Like '2027-03-31 23:59' or '2027-03-31 23:59 Asia/Seoul'."),
    ] = None,
    extend: Annotated[
        list[str] | None,
        typer.Option(metavar="ID=DAYS", help="More time for one student; 0 takes it back. Can be repeated."),
    ] = None,
    handed_in: Annotated[
        list[str] | None,
        typer.Option(metavar="ID=WHEN", help="When one student's work was handed in. Can be repeated."),
    ] = None,
    late_days: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Days by which each may be late, over all exercises together."),
    ] = None,
    origin: From = None,
    yes: Yes = False,
) -> None:
    """Show, or set, until when an exercise is handed in, who has more time, and whose time nobody says.

    A day is the calendar's, in the zone that nbgrader_config.py gives as c.Dates.timezone, or else this machine's. Who has
    no time is not late until you say so with --handed-in. What lateness then costs is nbgrader's LateSubmissionPlugin in
    nbgrader_config.py: nothing need be graded again.
    """
    from grader.classroom.folder import Classroom
    from grader.classroom.lateness import settle_all
    from grader.classroom.settings import set_late_days
    from grader.gradebook.register import Register
    from grader.gradebook.times import duration, local, moment

    classroom = Classroom.open(folder)
    classroom.template(exercise)
    if origin:
        from grader.classroom.connected import course_of
        from grader.classroom.course_dates import dates_in

        found = dates_in(classroom, exercise, course_of(classroom, origin.value))
        for said, who in found.left_out:
            err.print(Text(f"{said} ({len(who)}): {', '.join(who)}", style="yellow"))
        if found.differ:
            out.print(found.table(classroom.zone), soft_wrap=False)
            if agreed(yes):
                found.enter(classroom)
    when = moment(due, classroom.zone) if due else None
    granted, times = {}, {}
    for text in extend or []:
        student, days = _said_of_one(text, "DAYS")
        granted[student] = duration(days)
    for text in handed_in or []:
        student, said = _said_of_one(text, "WHEN")
        times[student] = moment(said, classroom.zone)
        classroom.template(exercise)
    for student, time in times.items():
        classroom.set_handed_in(exercise, student, time)
    with Register(classroom.database) as register:
        if when:
            register.set_due(exercise, when)
        for student, days in granted.items():
            register.extend(exercise, student, days)
        if late_days is not None:
            set_late_days(classroom, late_days)
            classroom = Classroom.open(folder)
        if when or granted or times or late_days is not None:
            settle_all(classroom)
        known = register.due(exercise)
        out.print(Text(f"{exercise} is due {local(known, classroom.zone) if known else 'never'}."))
        for student, more in register.extensions(exercise).items():
            out.print(Text(f"{student}: {counted(more.total_seconds() / 86400, 'more day')}"))
        if shown := register.answers_shown(exercise):
            said = f"The course's answers have been on feedback pages since {local(shown, classroom.zone)}."
            err.print(Text(f"{said} Who hands in later may have read them.", style="yellow"))
    if budget := classroom.config.LateDays.get("budget", 0):
        out.print(Text(f"Each student may be late by {counted(budget, 'day')} in all."))
    origins, authors = classroom.origins(exercise), classroom.works(exercise)
    unknown = [author for author in authors if classroom.handed_in(exercise, author) is None]
    marked = [author for author in unknown if author in origins and origins[author].late]
    for said, who in (
        ("marked as late, nobody says by how much: counted as a moment late", marked),
        ("handed in at a time that nobody says: not late", [a for a in unknown if a not in marked]),
    ):
        if who:
            out.print(Text(f"{said} ({len(who)}): {', '.join(who)}"))
