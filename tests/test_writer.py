"""Rows that the writer leaves in the gradebook: however many it enters at once, those that one at a time left."""

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from nbgrader.api import Gradebook as Theirs
from test_roster import STEM

from grader.classroom.folder import Classroom
from grader.gradebook.requests import Request, Requests
from grader.gradebook.tables import Gradebook
from grader.notebook import Template
from grader.results import CaseResult, QuestionResult, Submission

# As a writer left them that entered one submission in each transaction: `rows` of `scenario`.
AS_BEFORE = Path(__file__).with_name("gradebook_rows.txt")
WRITTEN = (
    "student submitted_assignment submitted_notebook grade comment grade_history regrade_request".split()
)
LEFT_OUT = {"id", "at", "who", "by"}


@pytest.fixture
def classroom(masking_class, tmp_path):
    return Classroom(Path(shutil.copytree(masking_class, tmp_path / "봄")))


def submission(classroom, student, points=None, unanswered=0, language="ko"):
    """A result with so many points for each question; ungradable without."""
    made = Submission(exercise=STEM, student=student, verdict="ungradable", digest="w-r", language=language)
    if points is not None:
        made.verdict = "graded"
        for number, name in enumerate(Template.read(classroom.released(STEM) / f"{STEM}.ipynb").checks):
            case = CaseResult(name="t", question=name[6:], possible=4.0, earned=points)
            result = QuestionResult(question=name[6:], cases=[case], unanswered=number < unanswered)
            made.questions.append(result)
    return made


def scenario(classroom, enter):
    """Two runs, between which people have entered points and comments, and asked for another look."""
    noon = datetime(2027, 3, 31, 12)
    first = [
        submission(classroom, "d", 1.5),
        submission(classroom, "a", 2.0),
        submission(classroom, "b", 0.0, unanswered=3, language="en"),
        submission(classroom, "c"),
    ]
    enter(first, {"a": noon, "b": noon}, set())
    with Theirs(classroom.database) as theirs:
        for student, by_hand, extra in (("a", 1.0, None), ("d", None, 0.5)):
            grade = theirs.find_grade("check_padding_mask", STEM, STEM, student)
            grade.manual_score, grade.extra_credit, grade.needs_manual_grade = by_hand, extra, False
            theirs.find_comment("padding_mask", STEM, STEM, student).manual_comment = "다시 보십시오"
        theirs.db.commit()
    with Requests(classroom.database) as requests:
        assert requests.enter(Request("b", STEM, "padding_mask", "맞는 것 같습니다"))
    again = [
        submission(classroom, "e", 2.0),
        submission(classroom, "b", 0.0, unanswered=1),
        submission(classroom, "a", 1.0),
        submission(classroom, "d", 1.5),
        submission(classroom, "c", 0.5),
    ]
    enter(again, {"a": noon, "e": noon}, {"a", "c"})


def all_rows(classroom):
    with sqlite3.connect(classroom.root / "gradebook.db") as database:
        database.row_factory = sqlite3.Row
        names = [
            row["name"] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return {name: [dict(row) for row in database.execute(f"SELECT * FROM {name}")] for name in names}


def rows(classroom):
    """A line for each row that the writer may touch, with names in place of ids."""
    tables = all_rows(classroom)
    named = {row["id"]: f"{row['type']} {row['name']}" for row in tables["base_cell"]}
    named |= {row["id"]: row["name"] for row in [*tables["assignment"], *tables["notebook"]]}
    named |= {row["id"]: f"of {row['student_id']}" for row in tables["submitted_assignment"]}
    named |= {row["id"]: named[row["assignment_id"]] for row in tables["submitted_notebook"]}
    lines = []
    for table in WRITTEN:
        out = {"at", "who", "by"} if table == "student" else LEFT_OUT
        for row in tables[table]:
            said = (f"{key}={named.get(value, value)!r}" for key, value in row.items() if key not in out)
            lines.append(f"{table} {' '.join(said)}")
    return sorted(lines)


def entering(classroom, at_once):
    def enter(submissions, handed_in, resubmitted):
        with Gradebook(classroom.database, STEM, classroom.config) as gradebook:
            for start in range(0, len(submissions), at_once):
                gradebook.record(submissions[start : start + at_once], handed_in, resubmitted)

    return enter


@pytest.mark.parametrize("at_once", [1, 2, 64])
def test_rows_are_those_that_one_at_a_time_left(classroom, at_once):
    with Theirs(classroom.database):  # which adds a course to any gradebook that it opens
        before = all_rows(classroom)
    scenario(classroom, entering(classroom, at_once))
    assert rows(classroom) == AS_BEFORE.read_text(encoding="utf-8").splitlines()
    after = all_rows(classroom)
    for name in before.keys() - {*WRITTEN}:
        assert after[name] == before[name]


def test_several_at_once_in_one_file_wait_for_each_other_and_leave_no_connection(classroom):
    """What nbgrader's users report: a locked database (#174), too many clients (#560)."""

    def enter(grader):
        for batch in range(10):
            some = [submission(classroom, f"{grader} {batch} {number}", 1.0) for number in range(8)]
            with Gradebook(classroom.database, STEM, classroom.config) as gradebook:
                gradebook.record(some)

    with ThreadPoolExecutor(3) as graders:
        list(graders.map(enter, range(3)))
    entered = all_rows(classroom)
    assert [len(entered[name]) for name in ("submitted_notebook", "grade")] == [240, 1200]


def test_what_is_there_does_not_slow_what_comes(classroom):
    """Each statement finds its rows by an index: nbgrader's users with 1,125 records waited for scans (#785)."""
    with Gradebook(classroom.database, STEM, classroom.config) as gradebook:
        gradebook.record([submission(classroom, f"{number}", 1.0) for number in range(50)])
        asked = []
        sa.event.listen(gradebook._engine, "before_cursor_execute", lambda *about: asked.append(about[2:4]))
        gradebook.record([submission(classroom, f"{number}", 2.0) for number in range(0, 100, 2)])
    plans = []
    with sqlite3.connect(classroom.root / "gradebook.db") as database:
        for statement, parameters in asked:
            if statement.startswith(("SELECT", "UPDATE")):
                one = parameters[0] if isinstance(parameters, list) else parameters
                plans += [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {statement}", one)]
    scans = [plan for plan in plans if plan.startswith("SCAN")]
    assert len(plans) > 5 and all("regrade_request" in plan or "grade_history" in plan for plan in scans)
