"""Nothing that an instructor does in a semester loses a grade, or leaves one wrong."""

import csv
import json
import os
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from msgspec import structs
from nbgrader.api import Gradebook
from one_judge import OneJudge
from traitlets.utils.importstring import import_item

from grader.classroom.batch import grade_class
from grader.classroom.folder import Classroom
from grader.classroom.job import Graded
from grader.classroom.newclass import make_class, update_class
from grader.classroom.pin import rules_digest
from grader.classroom.preprocessor import GradeInSandbox, PatientExporter, take_any_name
from grader.classroom.sample import Sample, grade_id
from grader.classroom.scores import MISSING, export_csv, scores
from grader.classroom.settings import CONFIG
from grader.errors import GraderError, Interrupted
from grader.exercise import Exercise, find_exercise
from grader.gradebook.converters import generate_assignment, generate_feedback
from grader.results import TOO_LATE, write, write_whole
from grader.sandbox import launch, watch
from grader.sandbox.shell import _own

STEM = "masking"


class Judge(OneJudge):
    """Grades by what the class has now."""

    def submit(self, job):
        classroom = self.classroom
        self._grader._exercise, self._grader._template = classroom.exercise(STEM), classroom.template(STEM)
        super().submit(job)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("semester") / "봄"
    make_class(root, [find_exercise(STEM)], None)
    classroom = Classroom.open(root)
    sample = Sample(classroom, find_exercise(STEM))
    wrong = sample.mistaken("look_ahead_mask", "forgot_the_diagonal")
    typo = "def padding_mask(*args):\n    return torch.nn.Linear(2, 2)(look_ahed)"
    for student, notebook in {
        "kim": sample.solved(),
        "lee": sample.solved(look_ahead_mask=wrong),
        "park": sample.solved(padding_mask=typo),
    }.items():
        write_whole(classroom.submitted(STEM, student), json.dumps(notebook).encode())
    return classroom


@pytest.fixture(scope="module")
def judge(made):
    judge = Judge(made, STEM)
    yield judge
    judge.close()


@pytest.fixture(scope="module")
def graded(made, judge):
    judge.classroom = made
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.classroom.batch.Judges", judge)
        assert grade_class(made, STEM).graded == 3
    return made


@pytest.fixture
def classroom(graded, judge, tmp_path, monkeypatch):
    monkeypatch.setattr("grader.classroom.batch.Judges", judge)
    judge.classroom = Classroom(Path(shutil.copytree(graded.root, tmp_path / "봄")))
    return judge.classroom


@pytest.fixture
def course(tmp_path):
    """The exercise as the course has it now: `course(solution=..., suite=...)`, each a change of the text."""

    def change(solution=lambda text: text, suite=lambda text: text):
        here, now = find_exercise(STEM), Exercise(STEM, tmp_path / "course now")
        now.pinned.mkdir(exist_ok=True)
        now.source.write_text(solution(here.source.read_text()))
        now.suite_path.write_text(suite(here.suite_path.read_text()))
        now.bank_path.write_text(here.bank_path.read_text())
        (now.pinned / "mistakes.json").write_bytes(here.folder.joinpath("mistakes.json").read_bytes())
        return now

    return change


def more_for_masked_softmax(suite):
    before, marker, after = suite.rpartition(', "masked_softmax", ')
    head, mark, points = before.rpartition("@points(")
    assert marker and mark
    return f"{head}{mark}{float(points) + 0.5}{marker}{after}"


QUESTION = """

# %% [markdown]
# ## 문제 6


# %% same tags=["question"]
def same(x):
    ### BEGIN SOLUTION
    return x
    ### END SOLUTION
"""
TEST = """

@points(1, "same", read="diagonal")
def test_same(student):
    '''그대로 돌려주어야 합니다.'''
    assert student.same(1) == 1
"""


def add_a_question(course):
    return course(lambda text: text + QUESTION, lambda text: text + TEST)


def earned(classroom):
    return {s.student: s.earned for s in scores(classroom, STEM)}


def exported(classroom):
    return {row["student"]: row for row in csv.DictReader(export_csv(classroom).splitlines())}


def everything(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestUpdate:
    @pytest.mark.whole
    def test_other_points_after_handing_out(self, classroom, course):
        now = course(suite=more_for_masked_softmax)
        asked = []
        update_class(classroom, [now], None, lambda changes: asked.extend(map(str, changes)) or True)
        assert "masked_softmax: 3 -> 3.5 points" in asked[0] and "3 graded submissions" in asked[0]
        outcome = grade_class(classroom, STEM, question="masked_softmax")
        assert outcome.graded == 3 and not outcome.failures
        assert earned(classroom) == {"kim": 10.5, "lee": 9.0, "park": 8.5}
        assert {row[f"{STEM}_verdict"] for row in exported(classroom).values()} == {"graded"}
        update_class(classroom, [find_exercise(STEM)], None)
        assert grade_class(classroom, STEM).graded == 3
        assert earned(classroom) == {"kim": 10.0, "lee": 8.5, "park": 8.0}

    @pytest.mark.whole
    def test_a_question_added_and_taken_away_again(self, classroom, course):
        with Gradebook(classroom.database) as gradebook:
            grade = gradebook.find_grade("check_padding_mask", STEM, STEM, "park")
            grade.manual_score, grade.needs_manual_grade = 1.0, False
            gradebook.db.commit()
        update_class(classroom, [add_a_question(course)], None)
        assert grade_class(classroom, STEM).graded == 3
        assert earned(classroom) == {"kim": 10.0, "lee": 8.5, "park": 8.0}
        found = {s.student: s for s in scores(classroom, STEM)}
        assert found["kim"].possible == 11 and "`same`" in found["kim"].questions[-1].reason
        assert exported(classroom)["park"][STEM] == "9"
        update_class(classroom, [find_exercise(STEM)], None)
        grade_class(classroom, STEM)
        assert exported(classroom)["park"][STEM] == "9" and exported(classroom)["kim"][STEM] == "10"

    def test_nothing_is_done_without_consent_nor_for_nothing(self, classroom, course):
        before = everything(classroom.root)
        assert update_class(classroom, [add_a_question(course)], None, lambda changes: False) == []
        assert update_class(classroom, [find_exercise(STEM)], None) == []
        assert everything(classroom.root) == before

    @pytest.mark.parametrize("broken", ["os.rename", "driver", "disk"])
    def test_a_failing_update_leaves_the_class_as_it_was(self, classroom, course, monkeypatch, broken):
        now = add_a_question(course)
        if broken == "driver":
            config = classroom.root / "nbgrader_config.py"
            config.write_text(config.read_text() + "\nc.CourseDirectory.db_url = 'postgresql+none://x'\n")
            classroom = Classroom(classroom.root)
        elif broken == "os.rename":
            rename, calls = os.rename, iter(range(100))

            def failing(source, target):
                if next(calls) == 3:
                    raise OSError("no")
                rename(source, target)

            monkeypatch.setattr("grader.classroom.update.os.rename", failing)
        else:
            monkeypatch.setattr(
                "grader.gradebook.assignments._Entry._cells", lambda *args: (_ for _ in ()).throw(OSError)
            )
        before = everything(classroom.root)
        with pytest.raises(Exception):  # noqa: B017
            update_class(classroom, [now], None)
        monkeypatch.undo()
        assert everything(classroom.root) == before
        if broken != "driver":
            assert exported(classroom)["kim"][STEM] == "10"

    def test_the_course_may_change_as_it_likes(self, classroom, monkeypatch):
        monkeypatch.setattr("grader.exercise.ROOT", classroom.root / "nowhere")
        assert grade_class(classroom, STEM).graded == 0

    def test_other_text_regrades_nobody(self, classroom, course):
        now = course(solution=lambda text: text.replace("# 마스크", "# 가리개", 1) + "# 끝\n")
        [change] = update_class(classroom, [now], None)
        assert change.anew == 0 and grade_class(classroom, STEM).graded == 0

    def test_the_settings_of_a_class_from_before_are_understood(self):
        before = CONFIG.replace("grader.classroom.preprocessor.", "grader.gradebook.preprocessor.")
        named = re.findall(r'"(grader\.[\w.]+)"', before)
        assert len(named) == 3 and all(name.startswith("grader.gradebook.") for name in named)
        assert [import_item(name) for name in named] == [GradeInSandbox, take_any_name, PatientExporter]

    def test_what_formgraders_generate_button_does(self, classroom, monkeypatch):
        rules = rules_digest(classroom, STEM)
        generate_assignment(classroom.root, STEM, classroom.config)
        assert "# TODO" in (classroom.released(STEM) / f"{STEM}.ipynb").read_text()
        assert rules_digest(classroom, STEM) == rules
        shutil.rmtree(classroom.released(STEM))  # as nbgrader does where it fails
        assert rules_digest(classroom, STEM) == rules and classroom.stems() == [STEM]
        [change] = update_class(classroom, [find_exercise(STEM)], None)
        assert classroom.released(STEM).exists() and change.anew == 0


class TestOneQuestion:
    @pytest.mark.parametrize(
        "bad", [{"verdict": "ungradable", "reason": "까닭", "questions": []}, {"questions": "late"}]
    )
    def test_a_failure_keeps_the_earlier_result(self, classroom, judge, monkeypatch, bad):
        before = everything(classroom.root / "results")
        real = judge._grader.grade

        def slow(job):
            graded = real(job)
            if "late" in bad.values():
                for case in graded.submission.questions[0].cases:
                    case.earned, case.reason = 0.0, TOO_LATE
                return graded
            return Graded(structs.replace(graded.submission, **bad), graded.notebook)

        with monkeypatch.context() as patch:
            patch.setattr(judge._grader, "grade", slow)
            outcome = grade_class(classroom, STEM, question="padding_mask")
        assert outcome.failures.keys() == outcome.submissions.keys() == {"kim", "lee", "park"}
        assert everything(classroom.root / "results") == before
        assert grade_class(classroom, STEM).graded == 0

    def test_a_mixture_of_rules_is_current_by_none(self, classroom, monkeypatch):
        for rules in ("others", None):
            with monkeypatch.context() as patch:
                if rules:
                    patch.setattr("grader.classroom.batch.rules_digest", lambda classroom, stem: "others")
                    assert grade_class(classroom, STEM, question="padding_mask").graded == 3
                else:
                    assert grade_class(classroom, STEM).graded == 3


class TestAgain:
    def test_a_longer_limit_grades_who_was_late(self, classroom):
        late = structs.replace(classroom.result(STEM, "kim"), timed_out=30.0)
        write(late, classroom.result_path(STEM, "kim"))
        assert grade_class(classroom, STEM).graded == 1
        write(structs.replace(late, timed_out=60.0), classroom.result_path(STEM, "kim"))
        assert grade_class(classroom, STEM).graded == 0

    def test_an_interrupted_force_is_taken_up(self, classroom, monkeypatch):
        def interrupt(student):
            raise KeyboardInterrupt

        with pytest.raises(Interrupted, match="1 were graded"):
            grade_class(classroom, STEM, force=True, done=interrupt)
        assert grade_class(classroom, STEM).graded == 2

    def test_who_hands_in_anew_after_a_persons_grade_is_shown(self, classroom):
        with Gradebook(classroom.database) as gradebook:
            grade = gradebook.find_grade("check_padding_mask", STEM, STEM, "kim")
            grade.manual_score, grade.needs_manual_grade = 2.0, False
            gradebook.db.commit()
        grade_class(classroom, STEM, force=True)
        assert exported(classroom)["kim"][f"{STEM}_verdict"] == "manual"
        shutil.copy(classroom.submitted(STEM, "lee"), classroom.submitted(STEM, "kim"))
        grade_class(classroom, STEM)
        assert exported(classroom)["kim"][f"{STEM}_verdict"] == "manual, then handed in anew"


class TestLateness:
    @pytest.fixture
    def late(self, classroom):
        """Everybody is ten hours late; nothing is graded after the dates are set."""
        for student in ("kim", "lee", "park"):
            classroom.timestamp(STEM, student).write_text("2030-01-01 10:00:00 UTC")
        with Gradebook(classroom.database) as gradebook:
            gradebook.update_or_create_assignment(STEM, duedate="2030-01-01 00:00:00 UTC")
        return classroom

    def configure(self, classroom, line):
        config = classroom.root / "nbgrader_config.py"
        config.write_text(config.read_text() + f"\n{line}\n")
        return Classroom(classroom.root)

    def test_dates_extensions_and_policies_count_whenever_they_are_set(self, late):
        assert exported(late)["kim"][STEM] == "10"  # no policy, no penalty
        strict = self.configure(late, "c.LateSubmissionPlugin.penalty_method = 'zero'")
        assert grade_class(strict, STEM).graded == 0
        with Gradebook(strict.database) as gradebook:
            assert gradebook.find_submission(STEM, "kim").late_submission_penalty == 10
            gradebook.grant_extension(STEM, "kim", days=1)
        assert {s: row[STEM] for s, row in exported(strict).items()} == {"kim": "10", "lee": "0", "park": "0"}
        late.timestamp(STEM, "lee").write_text("2029-12-31 10:00:00 UTC")
        assert exported(strict)["lee"][STEM] == "8.5"

    def test_a_policy_in_the_class_folder(self, late):
        (late.root / "my_late_days.py").write_text(
            "from nbgrader.plugins import LateSubmissionPlugin\n"
            "class Tenth(LateSubmissionPlugin):\n"
            "    def late_submission_penalty(self, student_id, score, seconds):\n"
            "        return score / 10\n"
        )
        kind = self.configure(late, "c.AssignLatePenalties.plugin_class = 'my_late_days.Tenth'")
        assert exported(kind)["kim"][STEM] == "9"

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("AssignLatePenalties.plugin_class = 'nowhere.Tenth'", "'nowhere.Tenth' cannot be loaded"),
            ("AssignLatePenalties.plugin_class = 'os.path.Tenth'", "'os.path.Tenth' cannot be loaded"),
            ("AssignLatePenalties.plugin_class = 'broken.Tenth'", "cannot be loaded (SyntaxError: "),
            ("AssignLatePenalties.plugin_class = 'os.path'", "'os.path' is no late policy: make it a class"),
            ("AssignLatePenalties.plugin_class = 'nbgrader.plugins.ExportPlugin'", "is no late policy"),
            ("AssignLatePenalties.plugin_class = 3", "= 3 is no late policy"),
            ("LateSubmissionPlugin.penalty_method = 'zer0'", "'penalty_method'"),
        ],
    )
    def test_a_policy_that_is_none_is_one_clear_line(self, late, line, said):
        (late.root / "broken.py").write_text("class Tenth(:\n")
        with pytest.raises(GraderError) as refused:
            export_csv(self.configure(late, f"c.{line}"))
        told = str(refused.value)
        assert told.startswith("nbgrader_config.py: ") and said in told
        assert " at 0x" not in told and "\n" not in told


def test_who_hands_in_nothing_is_listed(classroom):
    with Gradebook(classroom.database) as gradebook:
        gradebook.add_student("choi")
    assert {s.student: s.verdict for s in scores(classroom, STEM)}["choi"] == MISSING
    assert exported(classroom)["choi"] == {"student": "choi", STEM: "", f"{STEM}_verdict": MISSING}


def test_what_the_exchange_needs_comes_back_with_the_feedback(classroom):
    folder = classroom.submitted(STEM, "kim").parent
    (folder / "submission_secret.txt").write_text("a secret")
    (folder / "link").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe")
    grade_class(classroom, STEM, students=["kim"], force=True)
    assert (classroom.marked(STEM, "kim").parent / "submission_secret.txt").read_text() == "a secret"
    assert {path.name for path in classroom.marked(STEM, "kim").parent.iterdir()} == {
        f"{STEM}.ipynb",
        "submission_secret.txt",
    }
    generate_feedback(classroom.root, STEM, "kim", classroom.config)
    assert (classroom.root / "feedback" / "kim" / STEM / "submission_secret.txt").exists()


def test_an_error_says_where_it_is_in_the_notebook_and_nowhere_else(classroom):
    [result, *_] = classroom.result(STEM, "park").questions
    assert result.reason.startswith("오류가 났습니다. `NameError: name 'look_ahed' is not defined")
    assert "torch.nn.Linear(2, 2)(look_ahed)" in result.cases[0].detail
    assert "site-packages" not in classroom.marked(STEM, "park").read_text()
    assert _own(
        ["  Cell In[1], line 1", "    f()", "", "  File /x/torch.py:1 in f", "    g()", "", "E: x"]
    ) == [
        "  Cell In[1], line 1",
        "    f()",
        "",
        "E: x",
    ]


def test_a_question_that_a_person_grades(classroom):
    source = classroom.root / "source" / STEM / f"{STEM}.ipynb"
    notebook = nbformat.read(source, as_version=4)
    behind = next(n for n, c in enumerate(notebook.cells) if grade_id(c) == "check_padding_mask")
    cell = nbformat.v4.new_markdown_cell("왜 그렇습니까?", id="essay")
    about = {"grade": True, "solution": True, "locked": False, "task": False, "schema_version": 3}
    cell.metadata["nbgrader"] = {**about, "grade_id": "essay", "points": 2}
    item = nbformat.v4.new_markdown_cell("예를 들었습니까?", id="item")  # of a rubric, with points of its own
    about = {**about, "grade": False, "solution": False, "locked": True, "task": True}
    item.metadata["nbgrader"] = {**about, "grade_id": "item", "points": 1}
    notebook.cells[behind + 1 : behind + 1] = [cell, item]
    nbformat.write(notebook, source)
    [change] = update_class(classroom, [], None)
    assert "question essay is added (2)" in str(change) and "question item is added (1)" in str(change)
    assert {"essay", "item"} == classroom.template(STEM).manual.keys()
    handed_in = json.loads((classroom.released(STEM) / f"{STEM}.ipynb").read_bytes())
    next(c for c in handed_in["cells"] if grade_id(c) == "essay")["source"] = "나의 답"
    write_whole(classroom.submitted(STEM, "park"), json.dumps(handed_in).encode())
    grade_class(classroom, STEM)
    assert exported(classroom)["kim"] == {
        "student": "kim",
        STEM: "",
        f"{STEM}_verdict": "to grade by hand",
    }
    marked = nbformat.read(classroom.marked(STEM, "park"), as_version=4)
    essay = next(c for c in marked.cells if grade_id(c) == "essay")
    assert essay.source == "나의 답" and essay.metadata.nbgrader.points == 2
    with Gradebook(classroom.database) as gradebook:
        for name, points in (("essay", 2.0), ("item", 0.5)):
            grade = gradebook.find_grade(name, STEM, STEM, "kim")
            grade.manual_score, grade.needs_manual_grade = points, False
        gradebook.db.commit()
    grade_class(classroom, STEM, force=True)
    assert exported(classroom)["kim"][STEM] == "12.5"


def test_folders_of_dead_runs_go(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("sandbox-dead", "sandbox-alive", "sandbox-new", "mine"):
        (tmp_path / name).mkdir()
    (tmp_path / "sandbox-dead" / watch.LOCK).touch()
    (tmp_path / "sandbox-link").symlink_to(tmp_path / "mine")
    held = launch._hold(str(tmp_path / "sandbox-alive"))
    launch.sweep()
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"sandbox-alive", "sandbox-new", "sandbox-link", "mine"}
    os.close(held)
    launch.sweep()
    assert not (tmp_path / "sandbox-alive").exists()
