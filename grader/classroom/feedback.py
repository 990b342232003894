"""Pages for students, by nbgrader's generate_feedback."""

from __future__ import annotations

from collections.abc import Callable

from grader.classroom.folder import Classroom
from grader.errors import GraderError
from grader.gradebook.converters import generate_feedback


def write_feedback(
    classroom: Classroom,
    stem: str,
    begin: Callable[[int], None] = lambda total: None,
    done: Callable[[str], None] = lambda student: None,
) -> tuple[int, dict[str, str]]:
    """Write `feedback/STUDENT/STEM/STEM.html` for everybody who has a result.

    Returns:
        How many pages, and for whom there is none, and why.

    Raises:
        GraderError: nothing is graded yet.
    """
    classroom.template(stem)
    students = [student for student in classroom.students(stem) if classroom.marked(stem, student).exists()]
    if not students:
        raise GraderError(
            f"Nothing is graded yet. Run 'grader autograde {stem} --class {classroom.root}' first."
        )
    begin(len(students))
    failures = {}
    for student in students:
        try:
            generate_feedback(classroom.root, stem, student, classroom.config)
        except GraderError as error:
            failures[student] = str(error)
        done(student)
    return len(students) - len(failures), failures
