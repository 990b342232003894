"""Commands for instructors: grade a class, and see its scores."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from grader.cli.program import (
    INSTRUCTORS,
    Class,
    Exercise,
    Json,
    app,
    err,
    out,
    print_json,
    progress,
)
from grader.errors import GraderError, Interrupted

if TYPE_CHECKING:
    from grader.classroom.batch import Outcome
    from grader.classroom.folder import Classroom


@app.command(rich_help_panel=INSTRUCTORS)
def autograde(
    folder: Class,
    exercises: Annotated[
        list[str] | None,
        typer.Argument(metavar="EXERCISE", help="By default all that somebody, or --student, has handed in."),
    ] = None,
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
    """Grade a class. Run it again after anything: only what is missing or has changed is graded.

    Several exercises take less time together than one after another: what judges load is loaded once.
    """
    from grader.classroom.batch import grade_class
    from grader.classroom.folder import Classroom
    from grader.classroom.judges import WarmJudges, room_for

    classroom = Classroom.open(folder)
    chosen = _chosen(classroom, exercises, students)
    if question and len(chosen) > 1:
        raise GraderError(f"--question is of one exercise. Name it: {', '.join(chosen)}.")
    count, several = jobs or room_for(), len(chosen) > 1 and not cluster
    told, failed, stopped = [], False, {}
    with WarmJudges(count, chosen) if several else nullcontext() as staying:
        for stem, wanted in chosen.items():
            try:
                with progress(stem) as (begin, done, waits):
                    outcome = grade_class(
                        classroom,
                        stem,
                        students=wanted,
                        question=question,
                        jobs=count,
                        force=force,
                        unconfined=unconfined,
                        cluster=cluster,
                        begin=begin,
                        done=done,
                        waits=waits,
                        judges=staying.lent if staying else None,
                    )
            except Interrupted:
                raise
            except GraderError as error:
                if len(chosen) == 1 or str(error) in stopped.values():  # what stops two exercises stops all
                    raise
                err.print(Text(f"{stem}: {error}", style="red"))
                stopped[stem] = str(error)
                continue
            if len(chosen) > 1 and not json:
                out.print(Text(f"\n{stem}", style="bold"))
            told += _tell(classroom, stem, outcome, table=not json, everybody=students is None)
            failed = failed or bool(outcome.failures)
    if json:
        print_json(told)
    if stopped:
        err.print(Text(f"stopped, for the reason above ({len(stopped)}): {', '.join(stopped)}", style="red"))
    raise typer.Exit(1 if failed or stopped else 0)


def _chosen(
    classroom: Classroom, exercises: list[str] | None, students: list[str] | None
) -> dict[str, list[str] | None]:
    """The exercises to grade, and of whom (None: of all)."""
    for stem in exercises or []:
        classroom.template(stem)
    if exercises:
        return dict.fromkeys(exercises, students)
    handed_in = {stem: classroom.students(stem) for stem in classroom.stems()}
    if students is None:
        chosen = {stem: None for stem, there in handed_in.items() if there}
    else:
        of = {stem: [s for s in dict.fromkeys(students) if s in there] for stem, there in handed_in.items()}
        chosen = {stem: wanted for stem, wanted in of.items() if wanted}
    if missing := [s for s in students or [] if not any(s in there for there in handed_in.values())]:
        raise GraderError(f"Nobody called {', '.join(missing)} has handed in anything.")
    if not chosen:
        err.print("Nobody has handed in anything.")
    return chosen


def _tell(classroom: Classroom, stem: str, outcome: Outcome, table: bool, everybody: bool) -> list[dict]:
    """Say what came of an exercise; its results, for JSON."""
    from grader.classroom.scores import outsiders, people_of, questions_of, report
    from grader.translation.voices import voices

    submissions = [outcome.submissions[student] for student in sorted(outcome.submissions)]
    spoken = voices(classroom.exercise(stem))
    if table:
        out.print(report(questions_of(classroom, stem), submissions, voices=spoken), soft_wrap=False)
        out.print(f"{outcome.graded} graded, {len(submissions) - outcome.graded} unchanged.")
    if everybody and (missing := sorted(people_of(classroom).keys() - outcome.submissions.keys())):
        err.print(Text(f"nothing handed in ({len(missing)}): {', '.join(missing[:10])}"))
    if strangers := outsiders(classroom, list(outcome.submissions)):
        err.print(
            Text(
                f"work of nobody on the roster ({len(strangers)}): {', '.join(strangers)}. If these are their names on "
                "JupyterHub, give the roster a column hub_user, and collect from that folder.",
                style="yellow",
            )
        )
    for name in classroom.refused(stem):
        err.print(
            Text(f"left out: submitted/{name!r}, which is a link or cannot be anybody's id", style="yellow")
        )
    for student, reason in outcome.failures.items():
        err.print(Text(f"not graded: {student!r}: {reason}. Run the same command again.", style="red"))
    return [submission.summary(spoken[submission.language]) for submission in submissions]


@app.command(rich_help_panel=INSTRUCTORS)
def scores(exercise: Exercise, folder: Class, json: Json = False) -> None:
    """Show who got what from the grader, and why.

    Points that a person has entered are in the gradebook and in 'grader export'.
    """
    from grader.classroom.folder import Classroom
    from grader.classroom.scores import people_of, questions_of, report
    from grader.classroom.scores import scores as read_scores
    from grader.translation.voices import voices

    classroom = Classroom.open(folder)
    submissions, spoken = read_scores(classroom, exercise), voices(classroom.exercise(exercise))
    if json:
        print_json([submission.summary(spoken[submission.language]) for submission in submissions])
    else:
        names = {student: person.name for student, person in people_of(classroom).items()}
        out.print(report(questions_of(classroom, exercise), submissions, names, spoken), soft_wrap=False)
