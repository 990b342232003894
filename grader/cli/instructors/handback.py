"""Commands for instructors: give back, and look again at what a person must."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from grader.cli.program import (
    INSTRUCTORS,
    Class,
    Exercise,
    Json,
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


@app.command(rich_help_panel=INSTRUCTORS)
def feedback(
    exercise: Exercise,
    folder: Class,
    students: Annotated[
        list[str] | None, typer.Option("--student", metavar="ID", help="Only this student; can be repeated.")
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="ZIP|canvas|moodle",
            help="Also pack them under the names of this zip of submissions, from Moodle or Canvas. canvas or moodle: post "
            "them in the course of 'grader connect', without a file.",
        ),
    ] = None,
    to: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="That pack.")] = None,
    answers: Annotated[
        bool | None,
        typer.Option(
            "--answers/--no-answers",
            show_default=False,
            help="With the course's answers, of an exercise that is never due; without them, whatever the date.",
        ),
    ] = None,
    yes: Yes = False,
) -> None:
    """Write a page for each student: points, reasons and what to read. Pages that have not changed are kept.

    Once nobody may hand in any more (the due date, the longest extension and all late days are over), pages show the
    course's answers beside the student's own. They never do before.
    """
    from grader.classroom.answers_due import answers_to_show, handed_in_since, last_moment
    from grader.classroom.feedback import write_feedback
    from grader.classroom.folder import Classroom
    from grader.classroom.handback import pack
    from grader.gradebook.ours import now
    from grader.gradebook.register import Register
    from grader.gradebook.times import local
    from grader.results import write_whole

    posts = in_course(into, to)
    if not posts and (into is None) != (to is None):
        raise GraderError(
            "--into ZIP and -o FILE go together: what the platform gave, and what it gets back."
        )
    classroom = Classroom.open(folder)
    classroom.template(exercise)
    shown = answers_to_show(classroom, exercise, now(), answers)
    with progress(exercise) as (begin, done, _):
        written, failures = write_feedback(classroom, exercise, students, begin, done, shown)
    out.print(
        Text(f"{counted(written, 'page')} written to {folder}/feedback/STUDENT/{exercise}/{exercise}.html")
    )
    if shown:
        with Register(classroom.database) as register:
            register.note_answers_shown(exercise)
            since = register.answers_shown(exercise)
        out.print(Text("They show the course's answers."))
        if since and (later := handed_in_since(classroom, exercise, since)):
            said = (
                f"handed in after these were first shown ({local(since, classroom.zone)}): {', '.join(later)}"
            )
            err.print(Text(said, style="yellow"))
    elif answers is None:
        last = last_moment(classroom, exercise)
        when = f"after {local(last, classroom.zone)}" if last else "when you say --answers: it is never due"
        out.print(Text(f"They show the course's answers {when}."))
    for student, reason in failures.items():
        err.print(Text(f"no feedback: {student!r}: {reason}", style="red"))
    if posts:
        failures |= _post(classroom, str(into), exercise, students, yes)
    elif into and to:
        packed = pack(classroom, exercise, into)
        write_whole(to, packed.content)
        out.print(
            Text(f"{counted(len(packed.students), 'page')} in {to}: upload it where {into.name} came from.")
        )
        for said, who in (("no page yet", packed.without), ("of nobody on the roster", packed.unmatched)):
            if who:
                err.print(Text(f"{said} ({len(who)}): {', '.join(who)}", style="yellow"))
    raise typer.Exit(1 if failures else 0)


def _post(
    classroom: Classroom, platform: str, stem: str, students: list[str] | None, yes: bool
) -> dict[str, str]:
    """Post pages in the connected course; who got none that was shown, and why."""
    from grader.classroom.connected import course_of
    from grader.classroom.course_feedback import plan, post
    from grader.classroom.scores import people_of

    course = course_of(classroom, platform)
    names = {s: person.name for s, person in people_of(classroom).items()}
    pages = plan(classroom, stem, course, students)
    for why, who in pages.held.items():
        if who:
            err.print(Text(f"not posted, {why} ({len(who)}): {', '.join(who)}", style="yellow"))
    out.print(f"{counted(len(pages.rows), 'page')} to post, {len(pages.same)} there already.")
    if not pages.rows:
        return {}
    out.print(pages.table(names), soft_wrap=False)
    if pages.task.at_once:
        err.print("Students see them at once: grades of this assignment are posted automatically.")
    if not agreed(yes):
        return {}
    with progress(stem) as (begin, done, _):
        begin(len(pages.rows))
        again = plan(classroom, stem, course, students)
        count, changed, refused = post(classroom, stem, pages, again, course, done)
    out.print(f"{counted(count, 'page')} posted.")
    for said, who in (
        ("not posted, something has changed since: look again", changed),
        (f"not posted, {course.platform} has refused it", refused),
    ):
        if who:
            err.print(Text(f"{said} ({len(who)}): {', '.join(who)}", style="yellow"))
    return dict.fromkeys([*changed, *refused], "not posted")


@app.command(rich_help_panel=INSTRUCTORS)
def todo(
    exercise: Exercise,
    folder: Class,
    among: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Share it out: who looks at whose. Once for each who grades."),
    ] = None,
    url: Annotated[
        str, typer.Option(metavar="URL", help="Where Jupyter runs in the class' folder.")
    ] = "http://localhost:8888",
) -> None:
    """List what a person must look at (free text, ungradable notebooks, requests), each with its page in formgrader."""
    from grader.classroom.folder import Classroom
    from grader.classroom.request_form import shared_out
    from grader.classroom.scores import people_of
    from grader.gradebook.requests import Requests

    classroom = Classroom.open(folder)
    classroom.template(exercise)
    with Requests(classroom.database) as requests:
        waiting = requests.waiting(exercise)
    whose = shared_out(list(people_of(classroom)), among or [""])
    for name in among or [""]:
        theirs = [entry for entry in waiting if whose[entry[0]] == name]
        if name:
            out.print(Text(f"{name} ({len(theirs)})", style="bold"))
        for student, page, questions in theirs:
            link = f"{url.rstrip('/')}/formgrader/submissions/{page}/"
            out.print(Text(f"  {student}: {', '.join(questions)}  {link}"))
    out.print(f"{len(waiting)} to look at.")


@app.command(rich_help_panel=INSTRUCTORS)
def requests(
    folder: Class,
    file: Annotated[
        Path | None, typer.Argument(metavar="CSV", help="Enter these first: what a form has collected.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Answered ones, too.")] = False,
    json: Json = False,
) -> None:
    """List who asks for another look at a grade. A CSV needs columns for 학번 (or an address), question, reason.

    Where the class has several exercises, it needs one for the exercise, too.

    They wait in formgrader's manual grading; saving points there answers them, and so does 'grader answer'. Ends with 1
    if a line of the CSV could not be entered.
    """
    from grader.classroom.folder import Classroom
    from grader.classroom.request_form import EnteredRequests, enter_requests
    from grader.gradebook.requests import Requests
    from grader.gradebook.times import local

    classroom = Classroom.open(folder)
    entered = enter_requests(classroom, file) if file else EnteredRequests()
    with Requests(classroom.database) as book:
        found = [asked for asked in book.all() if asked.open or everything]
    if json:
        print_json(found)
    for asked in [] if json else found:
        request, points = asked.request, "-" if asked.points is None else f"{asked.points:g}"
        head = f"{asked.number}  {local(asked.at, classroom.zone)}  {request.student}  {request.exercise} {request.question}"
        out.print(Text(f"{head}  {points}/{asked.possible:g}" + ("" if asked.open else "  answered")))
        out.print(Text(f"   {request.said}" + (f"\n   -> {asked.answer}" if asked.answer else "")))
    if file:
        err.print(f"{entered.new} new, {entered.known} known before.")
    for line in entered.refused:
        err.print(Text(f"not entered: {line}", style="yellow"))
    raise typer.Exit(1 if entered.refused else 0)


@app.command(rich_help_panel=INSTRUCTORS)
def answer(
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="As 'grader requests' shows it.")],
    folder: Class,
    say: Annotated[
        str, typer.Option(metavar="TEXT", help="For the student; it stands on the feedback page.")
    ],
    points: Annotated[
        float | None,
        typer.Option(metavar="POINTS", help="For the question; without it they stay as they are."),
    ] = None,
) -> None:
    """Answer a request for another look at a grade."""
    from grader.classroom.folder import Classroom
    from grader.gradebook.requests import Requests

    with Requests(Classroom.open(folder).database) as book:
        asked = book.answer(number, say, points)
    was = "-" if asked.points is None else f"{asked.points:g}"
    change = f"{was} -> {points:g} points" if points is not None else f"{was} points stay"
    out.print(Text(f"{asked.request.student}, {asked.request.question}: {change}."))


@app.command(rich_help_panel=INSTRUCTORS)
def history(
    folder: Class,
    exercise: Annotated[str | None, typer.Argument(metavar="EXERCISE", help="By default all.")] = None,
    student: Annotated[str | None, typer.Option(metavar="ID", help="Only this student.")] = None,
    json: Json = False,
) -> None:
    """List how grades have changed: when, whose, from what to what, by whom, here and in formgrader."""
    from grader.classroom.folder import Classroom
    from grader.gradebook.requests import Requests
    from grader.gradebook.times import local

    classroom = Classroom.open(folder)
    with Requests(classroom.database) as book:
        changes = book.history(exercise, student)
    if json:
        print_json(changes)
    for change in [] if json else changes:
        where = f"{change.student or 'everybody'}  {change.exercise} {change.question}".rstrip()
        what = f"{change.part} {change.before or '-'} -> {change.after or '-'}"
        out.print(Text(f"{local(change.at, classroom.zone)}  {where}  {what}  ({change.who}, {change.by})"))
