"""The autograder that runs on Gradescope: grades the one submission there, and writes results/results.json."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from grader.classroom.folder import Classroom
from grader.classroom.job import Job, job_of
from grader.classroom.judge_process import JudgeSettings, make_grader
from grader.errors import GraderError
from grader.notebook import Template, Ungradable, belongs, parse, read_submitted
from grader.reading import where_to_read
from grader.results import AFTERWARDS, NOT_YET, CaseResult, QuestionResult, Submission, write_whole
from grader.sandbox.errors import SandboxUnavailable
from grader.shown import plain
from grader.translation.voices import voices
from grader.words import IN_KOREAN, Words, language_of

VISIBLE, LATER, STAFF = "visible", "after_published", "hidden"
NOT_STARTED = (
    "채점기에 문제가 있어 채점하지 못했습니다. 담당자에게 알려 주십시오. 이 0점은 답에 대한 점수가 아닙니다."
)


def main(base: Path) -> None:
    classroom = Classroom.open(base / "source" / "class")
    [stem] = classroom.stems()
    job = job_of(find(base / "submission", stem, classroom.template(stem)), stem, "submission", "gradescope")
    words = voices(classroom.exercise(stem))[language_of(job.content)]
    try:
        submission, book_url = grade(classroom, stem, job)
        results = results_of(submission, book_url, words)
    except (SandboxUnavailable, GraderError) as error:
        results = not_graded(error, words)
    write_whole(base / "results" / "results.json", msgspec.json.format(msgspec.json.encode(results)))


def grade(classroom: Classroom, stem: str, job: Job) -> tuple[Submission, str]:
    """The result, and where the book is."""
    from grader.exercise import PublicExercise

    grader = make_grader(JudgeSettings(classroom.root, stem, classroom.unconfined))
    try:
        return grader.grade(job).submission, PublicExercise(classroom.released(stem)).book_url
    finally:
        grader.close()


def find(folder: Path, stem: str, template: Template) -> Path:
    """The notebook among what was handed in: by its name, or else by its cells."""
    notebooks = sorted(path for path in folder.rglob("*.ipynb") if not path.name.startswith("."))
    named = [path for path in notebooks if path.stem == stem]
    return next(
        iter(named or [path for path in notebooks if _belongs(path, template)]), folder / f"{stem}.ipynb"
    )


def _belongs(path: Path, template: Template) -> bool:
    try:
        return belongs(parse(read_submitted(path)), template)
    except Ungradable:
        return False


def not_graded(error: Exception, words: Words = IN_KOREAN) -> dict:
    """Results that tell those who teach what is wrong. There is a score: Gradescope takes no results without."""
    lines = [f"Nothing was graded: {error}"]
    if isinstance(error, SandboxUnavailable):
        lines.append(
            "See the end of the image's build log. Where students' code cannot be confined, export the autograder anew "
            "from a class whose nbgrader_config.py says c.GradeInSandbox.unconfined = True. Then rerun it here."
        )
    return {
        "score": 0.0,
        "visibility": VISIBLE,
        "output": words(NOT_STARTED),
        "output_format": "text",
        "tests": [
            {
                "name": "For instructors",
                "status": "failed",
                "output": "\n".join(lines),
                "output_format": "text",
                "visibility": STAFF,
            }
        ],
    }


def results_of(submission: Submission, book_url: str, words: Words = IN_KOREAN) -> dict:
    """As Gradescope reads it: what a hidden test says is shown when grades are published."""
    about = {"execution_time": submission.seconds, "visibility": VISIBLE, "output_format": "text"}
    notes = "\n".join(map(words, submission.notes))
    if submission.verdict != "graded":
        said = f"채점하지 못했습니다. {submission.reason} 고쳐서 다시 제출하십시오. 이 0점은 답에 대한 점수가 아닙니다."
        return {**about, "score": 0.0, "output": plain("\n".join(filter(None, [words(said), notes])))}
    tests = [test for result in submission.questions for test in _tests(result, book_url, words)]
    return {**about, "output": plain(notes), "tests": tests}


def _tests(result: QuestionResult, book_url: str, words: Words = IN_KOREAN) -> list[dict]:
    seen = [case for case in result.cases if not case.hidden]
    hidden = [case for case in result.cases if case.hidden]
    first = NOT_YET if result.unanswered else result.mistake_reason
    lines = [words(line) for line in (*result.faults, first) if line]
    lines += _reasons(result, seen, True, words)
    read = [where_to_read(result.read, book_url, words)] if result.read else []
    afterwards = _reasons(result, hidden, False, words)
    return [
        _test(result.question, seen, lines and [*lines, *read], VISIBLE),
        _test(f"{result.question} ({words(AFTERWARDS)})", hidden, afterwards and [*afterwards, *read], LATER),
    ]


def _test(name: str, cases: list[CaseResult], lines: list[str], visibility: str) -> dict:
    earned, possible = sum(case.earned for case in cases), sum(case.possible for case in cases)
    return {
        "name": name,
        "score": earned,
        "max_score": possible,
        "status": "passed" if earned == possible else "failed",
        "output": plain("\n".join(lines)),
        "output_format": "text",
        "visibility": visibility,
    }


def _reasons(result: QuestionResult, cases: list[CaseResult], details: bool, words: Words) -> list[str]:
    """Reasons for lost points; a hidden test's details would show how it is written."""
    if result.unanswered:
        return []
    lost = [case for case in cases if not case.passed]
    lines = []
    for case in lost:
        lines.append("- " + words(f"{case.possible - case.earned:g}점을 잃었습니다: {case.reason}"))
        lines += [f"    {line}" for line in words(case.detail).splitlines()] if details else []
    return lines


if __name__ == "__main__":
    main(Path(sys.argv[1]))
