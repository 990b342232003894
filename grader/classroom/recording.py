"""A submission as it is read from a class' folder, and its result as it is written there and into the gradebook.

A result is written in this order: the marked notebook, the gradebook, results/EXERCISE/STUDENT.json. The last one
says that a submission is done. Killed in between, the next run grades that submission again, to the same end.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from grader.classroom.folder import Classroom
from grader.classroom.job import Job, job_of, of_group
from grader.notebook import Ungradable, read_submitted
from grader.results import Submission, write, write_whole

if TYPE_CHECKING:
    from grader.gradebook.tables import Gradebook

MAX_OTHERS = 100  # files beside a notebook


def read_job(classroom: Classroom, stem: str, student: str, rules: str) -> Job:
    """The job that counts for a student, its digest made of the work and of the rules it is graded by."""
    job = job_of(classroom.submitted_notebook(stem, student), stem, student, rules)
    group = classroom.groups(stem).get(student)
    return job if group is None else of_group(job, group, classroom.author(stem, student))


def write_marked(classroom: Classroom, stem: str, student: str, notebook: bytes) -> None:
    """Write a marked notebook to the class folder, and what else was handed in with it."""
    write_whole(classroom.marked(stem, student), notebook)
    _copy_others(classroom, stem, student)


def _copy_others(classroom: Classroom, stem: str, student: str) -> None:
    """Take over what else was handed in, as nbgrader does: its exchange looks there for times and secrets."""
    theirs = classroom.submitted(stem, student).parent
    ours = {path.name for path in classroom.released(stem).glob("*")}
    for path in islice(sorted(theirs.glob("*")), MAX_OTHERS):
        if path.suffix == ".ipynb" or path.name in ours or path.name.startswith("."):
            continue
        try:
            content = read_submitted(path)
        except Ungradable:  # a folder, a link, a pipe, or too much
            continue
        write_whole(classroom.marked(stem, student).with_name(path.name), content)


def record(classroom: Classroom, submissions: list[Submission], gradebook: Gradebook) -> None:
    """Enter results of one exercise in the gradebook, all or none, and write them, in this order."""
    handed_in, resubmitted = {}, set()
    for submission in submissions:
        stem, student = submission.exercise, submission.student
        earlier = classroom.result(stem, student)
        if earlier is not None and earlier.work != submission.work:
            resubmitted.add(student)
        handed_in[student] = classroom.handed_in(stem, classroom.author(stem, student))
    if submissions:
        gradebook.record(submissions, handed_in, resubmitted)
    for submission in submissions:
        write(submission, classroom.result_path(submission.exercise, submission.student))
