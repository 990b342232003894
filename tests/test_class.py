"""A class from folder to feedback: the same scores by every way that leads to them."""

import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import determine_grade
from one_judge import OneJudge

from grader.classroom import demo
from grader.classroom.batch import grade_class
from grader.classroom.feedback import write_feedback
from grader.classroom.folder import Classroom
from grader.classroom.newclass import make_class, update_class
from grader.classroom.pin import rules_digest
from grader.classroom.scores import UNGRADED, export_csv, scores
from grader.errors import GraderError
from grader.exercise import find_exercise
from grader.gradebook.converters import nbgrader_environment
from grader.gradebook.tables import Gradebook as OurGradebook

STEM = demo.EXERCISE
EXERCISE_CLASS = "grader.exercise.Exercise"
NBGRADER = Path(sys.executable).with_name("nbgrader")


@pytest.fixture(scope="module", autouse=True)
def same_rules():
    """Results are known by the grader's own files too; somebody who edits them meanwhile must not fail a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.classroom.batch.rules_digest", lambda classroom, stem: "rules")
        yield


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The sample class, graded. Tests that write work on a copy."""
    classroom = demo.make(tmp_path_factory.mktemp("class") / "봄 학기")
    demo.grade(classroom)
    return classroom


@pytest.fixture
def classroom(graded, tmp_path):
    return Classroom(Path(shutil.copytree(graded.root, tmp_path / "사본")))


@pytest.fixture(scope="module")
def one_judge(graded):
    judge = OneJudge(graded, STEM)
    yield judge
    judge.close()


@pytest.fixture
def quick(one_judge, monkeypatch):
    """Grading without processes of judges to start."""
    monkeypatch.setattr("grader.classroom.batch.Judges", one_judge)


def points(classroom):
    """Verdict and points of every question, by student; the machine was quick enough for all but the endless."""
    late = [s.student for s in scores(classroom, STEM) if s.late_in([*demo.FULL])]
    assert not late, f"too slow for {late}"
    return {
        s.student: (s.verdict, {q.question: q.earned for q in s.questions}) for s in scores(classroom, STEM)
    }


def entered(classroom):
    """What nbgrader's own reader finds in the gradebook: (score, needs a person), by student and check cell."""
    with Gradebook(classroom.database) as gradebook:
        return {
            (submission.student.id, grade.name): (grade.auto_score, grade.needs_manual_grade)
            for submission in gradebook.assignment_submissions(STEM)
            for grade in submission.notebooks[0].grades
        }


def forget_everything(classroom):
    shutil.rmtree(classroom.root / "autograded")
    shutil.rmtree(classroom.root / "results")
    with sqlite3.connect(classroom.root / "gradebook.db") as database:
        for table in ("grade", "comment", "submitted_notebook", "submitted_assignment", "student"):
            database.execute(f"DELETE FROM {table}")


def test_everybody_gets_what_they_must(graded):
    assert demo.differences(scores(graded, STEM)) == []
    reasons = {s.student: [q.mistake for q in s.questions if q.mistake] for s in scores(graded, STEM)}
    assert reasons["02 one mistake"] == ["forgot_the_diagonal"]
    assert len(reasons["04 세 군데 틀림"]) == 3


def test_the_demo_notices_a_wrong_score(graded):
    found = scores(graded, STEM)
    found[0].questions[0].cases[0].earned = 0.0
    found[7].reason = "다른 까닭"
    assert len(demo.differences(found)) == 2


def test_gradebook_holds_the_results(graded):
    book = entered(graded)
    for student, (verdict, earned) in points(graded).items():
        for question in demo.FULL:
            expected = (earned[question], False) if verdict == "graded" else (None, True)
            assert book[student, f"check_{question}"] == expected


def test_nbgrader_reads_the_same_points_from_the_marked_notebooks(graded):
    for student, (verdict, earned) in points(graded).items():
        notebook = nbformat.read(graded.marked(STEM, student), as_version=4)
        nbformat.validate(notebook)
        checks = {
            c.metadata.nbgrader.grade_id: c
            for c in notebook.cells
            if c.metadata.get("nbgrader", {}).get("grade")
        }
        assert len(checks) == len(demo.FULL)
        if verdict == "graded":
            read = {name.removeprefix("check_"): determine_grade(c)[0] for name, c in checks.items()}
            assert read == earned


@pytest.mark.whole
def test_nbgrader_autograde_gives_the_same_scores(classroom):
    before, book = points(classroom), entered(classroom)
    forget_everything(classroom)
    done = subprocess.run(
        [NBGRADER, "autograde", STEM], cwd=classroom.root, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert points(classroom) == before
    assert entered(classroom) == book
    assert "중간에서 끊겼습니다" in classroom.marked(STEM, "10 cut off").read_text(encoding="utf-8")
    marked = classroom.marked(STEM, "02 one mistake").read_text(encoding="utf-8")
    assert "대각선이 빠졌습니다" in marked


def test_formgraders_button_gives_the_same_score(classroom):
    before = points(classroom)["03 two mistakes"]
    classroom.result_path(STEM, "03 two mistakes").unlink()
    with nbgrader_environment(classroom.root):
        config = classroom.config.copy()
        config.CourseDirectory.root = str(classroom.root)
        api = NbGraderAPI(CourseDirectory(config=config), config=config)
        done = api.autograde(STEM, "03 two mistakes")
    assert done["success"], done
    assert points(classroom)["03 two mistakes"] == before


def test_a_second_run_grades_nothing_and_a_new_submission_alone(quick, classroom):
    assert grade_class(classroom, STEM).graded == 0
    shutil.copy(classroom.submitted(STEM, "01 all right"), classroom.submitted(STEM, "05 untouched"))
    outcome = grade_class(classroom, STEM)
    assert outcome.graded == 1
    assert outcome.submissions["05 untouched"].earned == 10
    assert grade_class(classroom, STEM, students=["05 untouched"], force=True).graded == 1


def test_what_the_gradebook_has_lost_is_entered_again(quick, classroom):
    before = entered(classroom)
    with Gradebook(classroom.database) as gradebook:
        gradebook.remove_student("01 all right")
        gradebook.update_or_create_student("01 all right", first_name="돌아온")
    assert entered(classroom) != before
    assert grade_class(classroom, STEM).graded == 0
    assert entered(classroom) == before


def test_one_question_is_graded_anew_and_the_others_kept(quick, classroom):
    path = classroom.result_path(STEM, "01 all right")
    kept = json.loads(path.read_text(encoding="utf-8"))
    for question in kept["questions"][:2]:
        for case in question["cases"]:
            case["earned"] = 0.0
    path.write_text(json.dumps(kept), encoding="utf-8")
    outcome = grade_class(classroom, STEM, students=["01 all right"], question="padding_mask")
    earned = {q.question: q.earned for q in outcome.submissions["01 all right"].questions}
    assert earned == {**demo.FULL, "look_ahead_mask": 0.0}
    assert entered(classroom)["01 all right", "check_look_ahead_mask"] == (0.0, False)


def test_results_are_known_by_what_the_class_was_handed_out_with(classroom):
    before = rules_digest(classroom, STEM)
    pinned = classroom.root / "course" / STEM
    with open(pinned / "solution.py", "a") as file:
        file.write("# only text\n")
    assert rules_digest(classroom, STEM) == before
    for name in ("solution.py", "suite.py", "bank.py"):
        with open(pinned / name, "a") as file:
            file.write("changed = True\n")
        assert rules_digest(classroom, STEM) != before
        before = rules_digest(classroom, STEM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.classroom.pin.JUDGING", 0)
        assert rules_digest(classroom, STEM) != before


def test_a_broken_result_is_graded_again(quick, classroom):
    classroom.result_path(STEM, "01 all right").write_text("{")
    assert grade_class(classroom, STEM, students=["01 all right"]).graded == 1


def test_what_a_person_has_entered_stays_and_counts(quick, classroom):
    with Gradebook(classroom.database) as gradebook:
        for question in demo.FULL:
            grade = gradebook.find_grade(f"check_{question}", STEM, STEM, "08 never returns")
            grade.manual_score, grade.needs_manual_grade = 1.0, False
        gradebook.db.commit()
    grade_class(classroom, STEM, students=["08 never returns"], force=True)
    rows = {row["student"]: row for row in csv.DictReader(export_csv(classroom).splitlines())}
    assert rows["08 never returns"][STEM] == "5"
    assert rows["08 never returns"][f"{STEM}_verdict"] == "manual"


def test_export_says_how_each_score_came_about(graded):
    rows = {row["student"]: row for row in csv.DictReader(export_csv(graded).splitlines())}
    assert len(rows) == 12
    assert (rows["03 two mistakes"][STEM], rows["03 two mistakes"][f"{STEM}_verdict"]) == ("6.25", "graded")
    assert (rows["05 untouched"][STEM], rows["05 untouched"][f"{STEM}_verdict"]) == ("0", "graded")
    assert (rows["10 cut off"][STEM], rows["10 cut off"][f"{STEM}_verdict"]) == ("", "ungradable")


def test_nbgrader_exports_the_same(classroom):
    subprocess.run([NBGRADER, "export"], cwd=classroom.root, check=True, capture_output=True, timeout=120)
    rows = list(csv.DictReader((classroom.root / "grades.csv").read_text(encoding="utf-8").splitlines()))
    expected = {s.student: s.earned for s in scores(classroom, STEM)}
    assert {row["student_id"]: float(row["score"]) for row in rows} == expected


def test_feedback_says_what_a_hidden_test_was_about_but_not_how_it_tests(classroom):
    keep = ["03 two mistakes", "11 check cell missing"]
    for folder in (classroom.root / "submitted").iterdir():
        if folder.name not in keep:
            shutil.rmtree(folder)
    written, failures = write_feedback(classroom, STEM)
    assert (written, failures) == (2, {})
    pages = {
        s: (classroom.root / "feedback" / s / STEM / f"{STEM}.html").read_text(encoding="utf-8") for s in keep
    }
    assert "소프트맥스를 질의 축에" in pages["03 two mistakes"]
    assert "없던 채점 칸을 다시 넣었습니다" in pages["11 check cell missing"]
    exercise = find_exercise(STEM)
    hidden = [case for case in exercise.suite.cases if case.hidden]
    result = next(s for s in scores(classroom, STEM) if s.student == "03 two mistakes")
    lost = [case for q in result.questions for case in q.cases if case.hidden and not case.passed]
    assert lost and all(case.reason.split("`")[0][:20] in pages["03 two mistakes"] for case in lost)
    for page in pages.values():
        assert not [case.name for case in hidden if case.name in page]
        assert not [case.detail for case in lost if case.detail and case.detail in page]


def test_lateness_costs_what_nbgrader_is_told(quick, classroom):
    student = "01 all right"
    classroom.timestamp(STEM, student).write_text("2030-01-02 09:00:00.000000 Asia/Seoul")
    config = classroom.root / "nbgrader_config.py"
    config.write_text(config.read_text() + "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
    with Gradebook(classroom.database) as gradebook:
        gradebook.update_or_create_assignment(STEM, duedate="2030-01-02 00:00:01 UTC")
    late = Classroom(classroom.root)
    grade_class(late, STEM, students=[student], force=True)
    with Gradebook(late.database) as gradebook:
        submission = gradebook.find_submission(STEM, student)
        assert str(submission.timestamp) == "2030-01-02 00:00:00"
        assert submission.late_submission_penalty == 0
    classroom.timestamp(STEM, student).write_text("2030-01-02 10:00:00.000000 Asia/Seoul")
    grade_class(late, STEM, students=[student], force=True)
    with Gradebook(late.database) as gradebook:
        assert gradebook.find_submission(STEM, student).late_submission_penalty == 10


class TestFolders:
    """What lies in submitted/ is anybody's doing."""

    @pytest.fixture
    def empty(self, graded, tmp_path):
        shutil.copytree(
            graded.root, tmp_path / "c", ignore=shutil.ignore_patterns("submitted", "autograded", "results")
        )
        (tmp_path / "c" / "submitted").mkdir()
        return Classroom(tmp_path / "c")

    def hand_in(self, classroom, student, content="{"):
        path = classroom.submitted(STEM, student)
        path.parent.mkdir(parents=True)
        path.write_text(content)

    def test_hostile_names_are_left_out_or_harmless(self, quick, empty):
        for name in [
            "[red]x",
            "=1",
            "$(id)",
            "a'; DROP TABLE grade;--",
            "..x",
            "new\nline",
            "plus+",
            "\x1b[31m",
        ]:
            self.hand_in(empty, name)
        os.symlink("/tmp", empty.root / "submitted" / "link")
        outcome = grade_class(empty, STEM)
        assert sorted(outcome.submissions) == ["$(id)", "=1", "[red]x", "a'; DROP TABLE grade;--"]
        assert set(empty.refused(STEM)) == {"..x", "new\nline", "plus+", "\x1b[31m"}
        assert "'=1,,ungradable" in export_csv(empty)
        assert {path.parent for path in (empty.root / "results").rglob("*.json")} == {
            empty.root / "results" / STEM
        }

    def test_not_yet_graded_and_missing_files(self, quick, empty):
        empty.submitted(STEM, "nothing inside").parent.mkdir(parents=True)
        assert [s.student for s in scores(empty, STEM) if s.verdict == UNGRADED] == ["nothing inside"]
        outcome = grade_class(empty, STEM)
        assert "masking.ipynb 파일이 없습니다" in outcome.submissions["nothing inside"].reason

    def test_an_empty_class_is_no_error(self, quick, empty):
        assert grade_class(empty, STEM).submissions == {}


class TestErrors:
    def test_unknown_names(self, quick, graded, tmp_path):
        with pytest.raises(GraderError, match="no class folder"):
            Classroom.open(tmp_path)
        with pytest.raises(GraderError, match="no exercise 'nothing'"):
            grade_class(graded, "nothing")
        with pytest.raises(GraderError, match="Nobody called ../x"):
            grade_class(graded, STEM, students=["../x"])
        with pytest.raises(GraderError, match="no question 'nothing'"):
            grade_class(graded, STEM, question="nothing")

    def test_new_class_refuses_a_folder_that_holds_something(self, tmp_path):
        (tmp_path / "file").write_text("mine")
        with pytest.raises(GraderError, match="not empty"):
            make_class(tmp_path, [find_exercise(STEM)], None)
        assert [path.name for path in tmp_path.iterdir()] == ["file"]

    def test_new_class_refuses_what_nbgrader_cannot_read(self, tmp_path):
        with pytest.raises(GraderError, match="path holds"):
            make_class(tmp_path / "class [1]", [find_exercise(STEM)], None)

    def test_a_class_that_received_other_points_is_not_graded(self, classroom):
        released = classroom.released(STEM) / f"{STEM}.ipynb"
        released.write_text(
            re.sub(r'"points": 2(\.0)?\b', '"points": 3', released.read_text(encoding="utf-8"))
        )
        with pytest.raises(GraderError, match="--update"):
            grade_class(classroom, STEM, students=["01 all right"], force=True)
        update_class(classroom, [], None)
        assert grade_class(classroom, STEM, students=["01 all right"], force=True).graded == 1

    def test_a_locked_gradebook_is_waited_for_and_then_told(self, quick, classroom, monkeypatch):
        monkeypatch.setattr("grader.gradebook.database.LOCKED_SECONDS", 0)
        before = points(classroom)
        with sqlite3.connect(classroom.root / "gradebook.db", isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(GraderError, match="locked"):
                grade_class(classroom, STEM, students=["01 all right"], force=True)
        other.close()
        assert grade_class(classroom, STEM, students=["01 all right"], force=True).graded == 1
        assert points(classroom) == before

    def test_a_missing_gradebook_is_told(self, classroom):
        (classroom.root / "gradebook.db").unlink()
        with pytest.raises(GraderError, match="no gradebook"):
            OurGradebook(classroom.database, STEM, classroom.config)
