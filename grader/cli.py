"""The command line. Each command imports what it needs: torch and nbgrader take seconds to load."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from grader.errors import GraderError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Check, hand out and grade the exercises of 'Transformers, attentively'.",
)
STUDENTS, INSTRUCTORS, AUTHORS = "For students", "For instructors", "For authors"

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@app.callback()
def options(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback when something goes wrong.")
    ] = False,
) -> None: ...


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
    from grader.student import selfcheck
    from grader.student.find import find
    from grader.words import KOREAN, language_of

    path, exercise = find(notebook)
    words = exercise.words(language_of(path.read_bytes()) if path.is_file() else KOREAN)
    with err.status(words("노트북을 실행하고 있습니다 ...")):
        results, errors = selfcheck.run(path, exercise, words)
    if json:
        _print_json(selfcheck.summary(exercise, results, errors, words))
    else:
        out.print(selfcheck.Shown(exercise, results, errors, words))
    raise typer.Exit(1 if errors or any(result.reason for result in results) else 0)


@app.command(rich_help_panel=AUTHORS)
def build(
    exercises: Annotated[list[str] | None, typer.Argument(metavar="EXERCISE")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; fail if exercises/ is out of date.")
    ] = False,
) -> None:
    """Make exercises/ from solutions/: notebooks with stubs, public tests, observed mistakes."""
    from grader.authoring import build as builder
    from grader.exercise import ROOT, all_exercises, find_exercise

    chosen = [find_exercise(stem) for stem in exercises] if exercises else all_exercises()
    make = builder.outdated if check else builder.build
    changed = []
    for exercise in chosen:
        with err.status(f"Building {exercise.stem} ..."):
            found = make([exercise], ROOT / "build")
        word = "out of date" if check else "written"
        out.print(
            Text(f"{exercise.stem}: " + (f"{word}: {', '.join(map(str, found))}" if found else "up to date"))
        )
        changed += found
    if check and changed:
        raise GraderError("exercises/ is out of date. Run 'grader build' and commit what it writes.")


@app.command(rich_help_panel=AUTHORS)
def translate(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...")] = None,
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
    exercises: Annotated[list[str] | None, typer.Argument(metavar="[EXERCISE]...")] = None,
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
        with _progress(exercise.stem) as (begin, done, _):

            def show(number: int, of: int, begin=begin, done=done) -> None:
                begin(of)
                done(str(number))

            found.append(
                maker.examine(exercise, jobs or len(os.sched_getaffinity(0)), sample=sample, done=show)
            )
        if not json:
            out.print(maker.report(found[-1]))
    if json:
        _print_json([maker.summary(one) for one in found])
    raise typer.Exit(1 if any(one.survivors or one.stale for one in found) else 0)


class Language(str, Enum):
    ko = "ko"
    en = "en"


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
) -> None:
    """Make a bundle for students: notebooks and public tests; no solution, no hidden test."""
    from grader.exercise import find_exercise

    chosen = [find_exercise(stem) for stem in exercises]  # a typo need not wait for what follows
    from grader.authoring.release import release as make

    with err.status("Building the bundle ..."):
        make(chosen, to, book_url.rstrip("/") if book_url else None, archive, language.value)
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


Class = Annotated[Path, typer.Option("--class", metavar="DIR", help="The class folder.")]
Exercise = Annotated[str, typer.Argument(metavar="EXERCISE")]


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
    from grader.classroom.settings import dated

    if classroom is None:
        with err.status("Generating assignments ..."):
            make_class(folder, chosen or all_exercises(), book_url)
        out.print(Text(f"{folder} is ready. Hand out what 'grader release' makes; put what students hand in"))
        out.print(Text("into submitted/STUDENT/EXERCISE/; then: grader autograde EXERCISE --class DIR"))
        return
    old = dated(classroom)
    with err.status("Comparing with the course ...") as status:

        def agree(changes: list[object]) -> bool:
            status.stop()
            for change in changes:
                out.print(Text(str(change)))
            if yes or all(change.new for change in changes):
                return True
            if not sys.stdin.isatty():
                raise GraderError("Nothing was changed. Add --yes to do this.")
            return typer.confirm("Do this?")

        changes = update_class(classroom, chosen, book_url, agree)
    touched = changes or dated(classroom) != old
    out.print(Text(f"{folder} is up to date." if touched else f"{folder}: nothing was changed."))
    for change in changes:
        if change.anew:
            out.print(Text(f"Now run: grader autograde {change.stem} --class {folder}"))


class Origin(str, Enum):
    moodle = "moodle"
    canvas = "canvas"
    gradescope = "gradescope"
    github = "github"
    folder = "folder"


@app.command(rich_help_panel=INSTRUCTORS)
def collect(
    exercise: Exercise,
    source: Annotated[Path, typer.Argument(metavar="ZIP|FOLDER")],
    folder: Class,
    origin: Annotated[Origin, typer.Option("--from", help="Whose names the files have.")],
) -> None:
    """Take what was handed in elsewhere into submitted/: the newest notebook of each, and its time.

    Students are known by their id, or by a name that only one on the roster has. A notebook is known by its cells,
    whatever it is called. What a newer attempt replaces is kept in replaced/.
    """
    from grader.classroom.collect import collect as take
    from grader.classroom.folder import Classroom

    outcome = take(Classroom.open(folder), exercise, source, origin.value)
    out.print(
        f"{len(outcome.new)} new, {len(outcome.newer)} newer than before, {len(outcome.unchanged)} unchanged."
    )
    for said, who in (
        ("older than what is there, left out", outcome.older),
        ("several notebooks, the newest counts", outcome.several),
        ("of nobody on the roster", outcome.unmatched),
        ("no notebook of this exercise", outcome.others),
        ("nothing handed in yet", outcome.missing),
    ):
        if who:
            out.print(Text(f"{said} ({len(who)}): {', '.join(who)}"))
    raise typer.Exit(1 if outcome.unmatched else 0)


@app.command(rich_help_panel=INSTRUCTORS)
def autograde(
    exercise: Exercise,
    folder: Class,
    students: Annotated[
        list[str] | None, typer.Option("--student", metavar="ID", help="Only this student; can be repeated.")
    ] = None,
    question: Annotated[
        str | None, typer.Option(metavar="QUESTION", help="Grade this question anew, and keep the others.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Judges side by side; by default one a core.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Judge on the workers of this Dask scheduler, which share the class' folder.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Grade everything anew.")] = False,
    unconfined: Annotated[
        bool, typer.Option("--unconfined", help="Grade even where students' code cannot be confined.")
    ] = False,
    json: Json = False,
) -> None:
    """Grade a class. Run it again after anything: only what is missing or has changed is graded."""
    from grader.classroom.batch import grade_class
    from grader.classroom.folder import Classroom
    from grader.classroom.scores import questions_of, report
    from grader.classroom.scores import roster as everybody
    from grader.classroom.settings import dated

    classroom = Classroom.open(folder)
    for word in dated(classroom):
        err.print(Text(f"{word} Bring it up to date: grader new-class {folder} --update", style="yellow"))
    with _progress(exercise) as (begin, done, waits):
        outcome = grade_class(
            classroom,
            exercise,
            students=students,
            question=question,
            jobs=jobs or len(os.sched_getaffinity(0)),
            force=force,
            unconfined=unconfined,
            cluster=cluster,
            begin=begin,
            done=done,
            waits=waits,
        )
    submissions = [outcome.submissions[student] for student in sorted(outcome.submissions)]
    voices = classroom.exercise(exercise).voices
    if json:
        _print_json([submission.summary(voices[submission.language]) for submission in submissions])
    else:
        out.print(report(questions_of(classroom, exercise), submissions, voices=voices), soft_wrap=False)
        out.print(f"{outcome.graded} graded, {len(submissions) - outcome.graded} unchanged.")
    if students is None and (missing := sorted(everybody(classroom).keys() - outcome.submissions.keys())):
        err.print(Text(f"nothing handed in ({len(missing)}): {', '.join(missing[:10])}"))
    for name in classroom.refused(exercise):
        err.print(
            Text(f"left out: submitted/{name!r}, which is a link or cannot be anybody's id", style="yellow")
        )
    for student, reason in outcome.failures.items():
        err.print(Text(f"not graded: {student!r}: {reason}. Run the same command again.", style="red"))
    raise typer.Exit(1 if outcome.failures else 0)


@contextmanager
def _progress(
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
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task(title, total=None, waits="")
        yield (
            lambda total: progress.update(task, total=total),
            lambda _: progress.advance(task),
            lambda students: progress.update(task, waits=f"waiting for {', '.join(sorted(students)[:3])}"),
        )


@app.command(rich_help_panel=INSTRUCTORS)
def scores(exercise: Exercise, folder: Class, json: Json = False) -> None:
    """Show who got what from the grader, and why.

    Points that a person has entered are in the gradebook and in 'grader export'.
    """
    from grader.classroom.folder import Classroom
    from grader.classroom.scores import questions_of, report
    from grader.classroom.scores import roster as read_roster
    from grader.classroom.scores import scores as read_scores

    classroom = Classroom.open(folder)
    submissions, voices = read_scores(classroom, exercise), classroom.exercise(exercise).voices
    if json:
        _print_json([submission.summary(voices[submission.language]) for submission in submissions])
    else:
        names = {student: person.name for student, person in read_roster(classroom).items()}
        out.print(report(questions_of(classroom, exercise), submissions, names, voices), soft_wrap=False)


@app.command(rich_help_panel=INSTRUCTORS)
def roster(
    file: Annotated[Path, typer.Argument(metavar="CSV")],
    folder: Class,
) -> None:
    """Enter who is in the class: any CSV with a column of ids (학번, student_id, id); names and addresses if it has them.

    Who hands in nothing is then listed in scores and export.
    """
    from grader.classroom.folder import Classroom
    from grader.gradebook.register import Register
    from grader.gradebook.roster import read_roster

    people = read_roster(file)
    with Register(Classroom.open(folder).database) as register:
        new = register.enrol(people)
    out.print(
        Text(f"{len(people)} people, {new} of them new: {', '.join(p.name or p.id for p in people[:3])} ...")
    )


@app.command(rich_help_panel=INSTRUCTORS)
def dates(
    exercise: Exercise,
    folder: Class,
    due: Annotated[
        str | None, typer.Option(metavar="WHEN", help="Like '2027-03-31 23:59', by this machine's time zone.")
    ] = None,
    extend: Annotated[
        list[str] | None,
        typer.Option(metavar="ID=DAYS", help="More time for one student; 0 takes it back. Can be repeated."),
    ] = None,
    late_days: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Days by which each may be late, over all exercises together."),
    ] = None,
) -> None:
    """Show, or set, until when an exercise is handed in, and who has more time.

    What lateness then costs is nbgrader's LateSubmissionPlugin in nbgrader_config.py. Scores follow at the next export
    or run: nothing need be graded again.
    """
    from grader.classroom.folder import Classroom
    from grader.classroom.settings import set_late_days
    from grader.gradebook.register import Register
    from grader.gradebook.roster import duration, local, moment

    classroom = Classroom.open(folder)
    classroom.template(exercise)
    when = moment(due) if due else None
    granted = {}
    for text in extend or []:
        student, _, days = text.rpartition("=")
        granted[student] = duration(days)
    with Register(classroom.database) as register:
        if when:
            register.set_due(exercise, when)
        for student, days in granted.items():
            register.extend(exercise, student, days)
        if late_days is not None:
            set_late_days(classroom, late_days)
            classroom = Classroom.open(folder)
        known = register.due(exercise)
        out.print(Text(f"{exercise} is due {local(known) if known else 'never'}."))
        for student, more in register.extensions(exercise).items():
            out.print(Text(f"{student}: {more.total_seconds() / 86400:g} more days"))
    if budget := classroom.config.LateDays.get("budget", 0):
        out.print(Text(f"Each student may be late by {budget} days in all."))


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
            metavar="ZIP",
            help="Also pack them under the names of this zip of submissions, from Moodle or Canvas.",
        ),
    ] = None,
    to: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="That pack.")] = None,
) -> None:
    """Write a page for each student: points, reasons and what to read. Pages that have not changed are kept."""
    from grader.classroom.feedback import write_feedback
    from grader.classroom.folder import Classroom
    from grader.classroom.handback import pack
    from grader.results import write_whole

    if (into is None) != (to is None):
        raise GraderError(
            "--into ZIP and -o FILE go together: what the platform gave, and what it gets back."
        )
    classroom = Classroom.open(folder)
    with _progress(exercise) as (begin, done, _):
        written, failures = write_feedback(classroom, exercise, students, begin, done)
    out.print(Text(f"{written} pages written to {folder}/feedback/STUDENT/{exercise}/{exercise}.html"))
    for student, reason in failures.items():
        err.print(Text(f"no feedback: {student!r}: {reason}", style="red"))
    if into and to:
        packed = pack(classroom, exercise, into)
        write_whole(to, packed.content)
        out.print(Text(f"{len(packed.students)} pages in {to}: upload it where {into.name} came from."))
        for said, who in (("no page yet", packed.without), ("of nobody on the roster", packed.unmatched)):
            if who:
                err.print(Text(f"{said} ({len(who)}): {', '.join(who)}", style="yellow"))
    raise typer.Exit(1 if failures else 0)


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
    from grader.classroom.scores import roster as everybody
    from grader.classroom.wishes import shared_out
    from grader.gradebook.requests import Requests

    classroom = Classroom.open(folder)
    classroom.template(exercise)
    with Requests(classroom.database) as requests:
        waiting = requests.waiting(exercise)
    whose = shared_out(list(everybody(classroom)), among or [""])
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

    They wait in formgrader's manual grading; saving points there answers them, and so does 'grader answer'. Ends with 1
    if a line of the CSV could not be entered.
    """
    from grader.classroom.folder import Classroom
    from grader.classroom.wishes import Entered, enter_wishes
    from grader.gradebook.requests import Requests
    from grader.gradebook.roster import local

    classroom = Classroom.open(folder)
    entered = enter_wishes(classroom, file) if file else Entered()
    with Requests(classroom.database) as book:
        found = [asked for asked in book.all() if asked.open or everything]
    if json:
        _print_json(found)
    for asked in [] if json else found:
        wish, points = asked.wish, "-" if asked.points is None else f"{asked.points:g}"
        head = f"{asked.number}  {local(asked.at)}  {wish.student}  {wish.exercise} {wish.question}"
        out.print(Text(f"{head}  {points}/{asked.possible:g}" + ("" if asked.open else "  answered")))
        out.print(Text(f"   {wish.said}" + (f"\n   -> {asked.answer}" if asked.answer else "")))
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
    out.print(Text(f"{asked.wish.student}, {asked.wish.question}: {change}."))


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
    from grader.gradebook.roster import local

    with Requests(Classroom.open(folder).database) as book:
        changes = book.history(exercise, student)
    if json:
        _print_json(changes)
    for change in [] if json else changes:
        where = f"{change.student}  {change.exercise} {change.question}".rstrip()
        what = f"{change.part} {change.before or '-'} -> {change.after or '-'}"
        out.print(Text(f"{local(change.at)}  {where}  {what}  ({change.who}, {change.by})"))


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
) -> None:
    """Write one page about the class: points, the most frequent mistakes with what to teach again, who is stuck."""
    from grader.classroom.folder import Classroom
    from grader.classroom.report import report_page
    from grader.results import write_whole

    classroom = Classroom.open(folder)
    path = to or folder / "report.html"
    write_whole(path, report_page(classroom, exercises or classroom.stems()).encode())
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
    json: Json = False,
) -> None:
    """Find answers that are more alike than chance makes them, whatever was renamed or reordered: pairs side by side.

    Grading need not have run. A pair is a reason to ask, no proof.
    """
    from grader.classroom.folder import Classroom
    from grader.classroom.scores import roster as everybody
    from grader.classroom.similarity import similarity as compare
    from grader.classroom.similarity_page import similarity_page
    from grader.results import write_whole

    classroom = Classroom.open(folder)
    with err.status("Comparing everybody with everybody ..."):
        found = compare(classroom, exercise)
    if json:
        return _print_json(
            [
                {"first": p.first, "second": p.second, "bits": p.bits, "expected": p.expected}
                for p in found.pairs
            ]
        )
    names = {student: f"{student} {person.name}".strip() for student, person in everybody(classroom).items()}
    for pair in found.pairs:
        who = "  ".join(names.get(student, student) for student in (pair.first, pair.second))
        out.print(Text(f"{who}  {pair.bits:.0f} bits, by chance {pair.expected:.2g} such pairs"))
    path = to or folder / f"similarity-{exercise}.html"
    write_whole(path, similarity_page(found, names, f"{classroom.root.name}: {exercise}").encode())
    out.print(Text(f"{len(found.pairs)} of {found.compared} pairs, side by side in {path}."))


@app.command(rich_help_panel=INSTRUCTORS)
def export(
    folder: Class,
    to: Annotated[Path, typer.Option("-o", "--output", metavar="FILE")],
    format: Annotated[
        Format,
        typer.Option(help="gradescope: the autograder zip of one exercise, which grades there as here."),
    ] = Format.csv,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Fill this file: a gradebook exported from Canvas, or a grading worksheet from Moodle.",
        ),
    ] = None,
    exercises: Annotated[
        list[str] | None,
        typer.Option(
            "--exercise",
            metavar="EXERCISE",
            help="Only this, into a file or for Gradescope; can be repeated.",
        ),
    ] = None,
) -> None:
    """Write the scores that count: one row a student, for each exercise a score and a verdict."""
    from grader.classroom.folder import Classroom
    from grader.classroom.merge import fill
    from grader.classroom.scores import export_csv
    from grader.results import write_whole

    classroom = Classroom.open(folder)
    if format is Format.gradescope:
        from grader.classroom.gradescope import autograder

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
    filled = fill(classroom, into, exercises or classroom.stems())
    write_whole(to, filled.text.encode("utf-8-sig"))
    out.print(Text(f"{filled.rows} scores filled in: {to}."))
    if filled.unmatched:
        err.print(
            Text(
                f"nobody in the class ({len(filled.unmatched)}): {', '.join(filled.unmatched)}",
                style="yellow",
            )
        )


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
    out.print("This machine grades." if not lacking else "This machine grades only with --unconfined.")
    raise typer.Exit(1 if lacking else 0)


def _print_json(value: object) -> None:
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=1).decode() + "\n")


def main() -> None:
    """Run the command line; an error is one line, unless --debug asks for more."""
    debug = "--debug" in sys.argv[1:]
    try:
        app()
    except GraderError as error:
        if debug:
            raise
        _fail(str(error), error.status)
    except ModuleNotFoundError as error:
        if debug or not error.name or error.name.partition(".")[0] in ("grader", "solutions"):
            raise
        ours = error.name.partition(".")[0] in ("beartype", "jupytext", "matplotlib", "nbgrader")
        how = ": pip install '.[instructor]' in the course's checkout" if ours else " into this environment"
        _fail(f"'{error.name}' is not installed. Install it{how}.", 2)
    except Exception as error:
        if debug:
            raise
        _fail(f"unexpected {type(error).__name__}: {error}\nRun 'grader --debug ...' again to see where.", 70)


def _fail(message: str, status: int) -> None:
    err.print(Text(f"grader: {message}", style="red"))
    sys.exit(status)
