"""Pages for students, and only those that have changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import msgspec

from grader.classroom.folder import Classroom
from grader.classroom.lateness import lateness
from grader.classroom.page import page
from grader.classroom.platforms.nbgrader import SECRET
from grader.errors import NO_DISK, GraderError
from grader.exercise import Exercise, PublicExercise
from grader.gradebook.entries import StudentGrades
from grader.gradebook.tables import Gradebook
from grader.judging.answers import Answer
from grader.notebook import CHECK_PREFIX, Ungradable, read_submitted
from grader.results import Submission, write_changed, write_whole
from grader.translation.voices import voices
from grader.words import Words

TIME = "timestamp.txt"  # with the secret what release_feedback reads beside a page


def write_feedback(
    classroom: Classroom,
    stem: str,
    students: list[str] | None = None,
    begin: Callable[[int], None] = lambda total: None,
    done: Callable[[str], None] = lambda student: None,
    answers: Mapping[str, Answer] = MappingProxyType({}),
    told: Callable[[Submission, StudentGrades], tuple[Submission, StudentGrades]] | None = None,
) -> tuple[int, dict[str, str]]:
    """Write `feedback/STUDENT/STEM/STEM.html` for everybody who has a result.

    Args:
        students: only for these.
        answers: the course's, by question (see `classroom.answers_due`: not before their time).
        told: makes of a result and grades what a page may tell of them.

    Returns:
        How many pages were written because they are new or have changed, and for whom there is none, and why.

    Raises:
        GraderError: nothing is graded yet.
    """
    template, exercise = classroom.template(stem), classroom.exercise(stem)
    title, spoken = title_of(exercise), voices(exercise)
    book_url = PublicExercise(classroom.released(stem)).book_url
    chosen = [
        student
        for student in classroom.students(stem)
        if (students is None or student in students) and classroom.marked(stem, student).exists()
    ]
    if not chosen:
        raise GraderError(
            f"Nothing is graded yet. Run 'grader autograde {stem} --class {classroom.root}' first."
        )
    begin(len(chosen))
    with Gradebook(classroom.database, stem, classroom.config) as gradebook:
        grades = gradebook.grades(lateness(classroom, stem, gradebook))
    order = [name.removeprefix(CHECK_PREFIX) for name in template.graded]
    for known in grades.values():
        known.questions = {name: known.questions[name] for name in order if name in known.questions}
    written, failures = 0, {}
    for student in chosen:
        try:
            submission = classroom.result(stem, student)
            if submission is None:
                raise GraderError("its result cannot be read; run 'grader autograde' again")
            known = grades.get(student, StudentGrades())
            if told:
                submission, known = told(submission, known)
            made = (submission, known, classroom.marked(stem, student).read_bytes())
            words = spoken[submission.language]
            written += _write(classroom, *made, words(title), book_url, words, answers)
        except (GraderError, OSError, ValueError, KeyError) as error:
            if isinstance(error, OSError) and error.errno in NO_DISK:  # nor can anybody else's be written
                raise
            failures[student] = str(error) or type(error).__name__
        done(student)
    return written, failures


def _write(
    classroom: Classroom,
    submission: Submission,
    grades: StudentGrades,
    notebook: bytes,
    title: str,
    book_url: str,
    words: Words,
    answers: Mapping[str, Answer],
) -> bool:
    """Write a page if it is not there as it must be; whether it was written."""
    path = classroom.feedback(submission.exercise, submission.student)
    _keep_for_exchange(classroom, submission.exercise, submission.student)
    parts = [msgspec.json.encode(submission), repr(grades).encode(), notebook, f"{title}{book_url}".encode()]
    parts += [msgspec.json.encode(words.texts), repr(dict(answers)).encode()]
    known = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in [*parts, _OURS])).hexdigest()
    mark = f"<!-- {known} -->\n"
    with suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8").endswith(mark):
            return False
    made = page(submission, grades, notebook, title, book_url, words, answers)
    write_whole(path, (made + mark).encode("utf-8", "replace"))
    return True


def _keep_for_exchange(classroom: Classroom, stem: str, student: str) -> None:
    """Keep time and secret beside the page: release_feedback stops at the first page without.

    Who has handed in nothing, but whose group has, gets another secret than the author's: the exchange names pages by it.
    """
    author = classroom.author(stem, student)
    for name in (TIME, SECRET):
        own, theirs = (classroom.submitted(stem, who).with_name(name) for who in (student, author))
        with suppress(Ungradable):
            content = read_submitted(own if own.exists() else theirs)
            if name == SECRET and not own.exists():
                content = hashlib.sha256(content + student.encode()).hexdigest().encode()
            write_changed(classroom.feedback(stem, student).with_name(name), content)


# Another look makes every page anew.
_OURS = b"".join(Path(__file__).with_name(name).read_bytes() for name in ("page.py", "answer_block.py"))


def title_of(exercise: Exercise) -> str:
    """The notebook's heading in Korean, from which it is translated."""
    lines = exercise.source.read_text(encoding="utf-8").splitlines()
    return next((line.removeprefix("# # ") for line in lines if line.startswith("# # ")), exercise.stem)
