"""People in the loop: what they enter counts, is kept, and can be traced; who asks for another look gets one."""

import json
import shutil
from pathlib import Path

import pytest
from nbgrader.api import Gradebook as Theirs
from test_roster import STEM, grade

from grader.classroom.feedback import write_feedback
from grader.classroom.folder import Classroom
from grader.classroom.lateness import settle_all
from grader.classroom.request_form import enter_requests, shared_out
from grader.classroom.scores import counted
from grader.errors import GraderError
from grader.gradebook.people import Person
from grader.gradebook.register import Register
from grader.gradebook.requests import Request, Requests


@pytest.fixture(scope="module")
def made(masking_class, tmp_path_factory):
    root = Path(shutil.copytree(masking_class, tmp_path_factory.mktemp("people") / "봄"))
    classroom = Classroom(root)
    with Register(classroom.database) as register:
        register.enrol([Person("kim", "", "", "Kim@snu.test"), Person("lee"), Person("choi")])
    grade(classroom, "kim", 8.5)
    grade(classroom, "lee", 0, verdict="ungradable")
    return root


@pytest.fixture
def classroom(made, tmp_path):
    return Classroom(Path(shutil.copytree(made, tmp_path / "봄")))


@pytest.fixture
def requests(classroom):
    with Requests(classroom.database) as requests:
        yield requests


def by_hand(classroom, student, points, comment=None):
    """As formgrader does it, in a process that has read the class' nbgrader_config.py."""
    assert classroom.config
    with Theirs(classroom.database) as gradebook:
        found = gradebook.find_grade("check_padding_mask", STEM, STEM, student)
        found.manual_score, found.needs_manual_grade = points, False
        if comment:
            gradebook.find_comment("padding_mask", STEM, STEM, student).manual_comment = comment
        gradebook.db.commit()


def changes(requests, student):
    return [(c.question, c.part, c.before, c.after) for c in requests.history(STEM, student)]


class TestHistory:
    def test_what_a_person_and_what_the_grader_change(self, classroom, requests):
        assert requests.history() == []  # a first grade is no change
        by_hand(classroom, "kim", 1.5, "잘했습니다")
        by_hand(classroom, "kim", 2.0)
        grade(classroom, "kim", 1)
        assert changes(requests, "kim") == [
            ("padding_mask", "points by hand", None, "1.5"),
            ("padding_mask", "comment", None, "잘했습니다"),
            ("padding_mask", "points by hand", "1.5", "2"),
            ("padding_mask", "points", "2", "1"),
            ("look_ahead_mask", "points", "1.5", "0"),
            ("combine_masks", "points", "2", "0"),
            ("masked_softmax", "points", "3", "0"),
        ]
        assert {change.who for change in requests.history()} == {requests.history()[0].who} != {""}
        grade(classroom, "kim", 1)
        assert len(changes(requests, "kim")) == 7 and changes(requests, "lee") == []

    def test_lateness_is_traced(self, classroom, requests):
        config = classroom.root / "nbgrader_config.py"
        config.write_text(config.read_text() + "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
        grade(classroom, "kim", 8.5, "2030-01-02 00:00:00 UTC")
        with Theirs(classroom.database) as gradebook:
            gradebook.update_or_create_assignment(STEM, duedate="2030-01-01 00:00:00 UTC")
        assert counted(Classroom(classroom.root), STEM)["kim"] == (0.0, "graded")
        assert changes(requests, "kim") == []  # reading writes nothing
        settle_all(Classroom(classroom.root))
        assert changes(requests, "kim") == [("", "late penalty", "0", "8.5")]


class TestRequests:
    CSV = (
        "타임스탬프,이메일 주소,어느 문제입니까?,이유를 적어 주세요\n"
        "2030,kim@snu.test,2번,대각선이 맞습니다\n"
        "2030,nobody@snu.test,2,x\n"
        "2030,kim@snu.test,다섯째,x\n"
        "2030,choi@snu.test,1,x\n"
    )

    def test_a_forms_csv_again_and_again(self, classroom, requests, tmp_path):
        (tmp_path / "form.csv").write_text(self.CSV, encoding="utf-8-sig")
        entered = enter_requests(classroom, tmp_path / "form.csv")
        assert entered.new == 1 and [line[:7] for line in entered.refused] == [
            "line 3:",
            "line 4:",
            "line 5:",
        ]
        assert "which question is '다섯째'" in entered.refused[1]
        assert enter_requests(classroom, tmp_path / "form.csv").known == 1
        [asked] = requests.all()
        assert asked.open and asked.request == Request("kim", STEM, "look_ahead_mask", "대각선이 맞습니다")
        assert counted(classroom, STEM)["kim"] == (8.5, "regrade asked for")
        assert [(who, questions) for who, _, questions in requests.waiting(STEM)] == [
            ("kim", ["look_ahead_mask"]),
            ("lee", [f for f in sorted(c.question for c in classroom_questions(classroom))]),
        ]
        (tmp_path / "form.csv").write_text("학번,이유\nkim,x\n")
        with pytest.raises(GraderError, match="no column for question"):
            enter_requests(classroom, tmp_path / "form.csv")

    def test_with_several_exercises_a_form_asks_which(self, classroom, tmp_path, monkeypatch):
        (tmp_path / "form.csv").write_text("학번,문제,이유\nkim,2번,다시\n")
        monkeypatch.setattr(Classroom, "stems", lambda self: [STEM, "attention"])
        with pytest.raises(GraderError, match="no column for exercise"):
            enter_requests(classroom, tmp_path / "form.csv")
        (tmp_path / "form.csv").write_text("학번,과제,문제,이유\nkim,masking,2번,다시\n")
        assert enter_requests(classroom, tmp_path / "form.csv").new == 1

    def test_an_answer_counts_and_is_read(self, classroom, requests):
        requests.enter(Request("kim", STEM, "look_ahead_mask", "왜 <0점>입니까"))
        grade(classroom, "kim", 8.5)  # graded once more by the machine: the request stays
        assert requests.all()[0].open
        write_feedback(classroom, STEM)
        page = classroom.feedback(STEM, "kim")
        assert "왜 &lt;0점&gt;입니까<br>살펴보고 있습니다" in page.read_text()
        with pytest.raises(GraderError, match="has 1.5 points; 2 cannot be"):
            requests.answer(1, "", 2)
        requests.answer(1, "절반은 맞습니다", 0.75)
        assert not requests.all()[0].open and counted(classroom, STEM)["kim"] == (7.75, "manual")
        assert changes(requests, "kim") == [("look_ahead_mask", "points by hand", None, "0.75")]
        assert write_feedback(classroom, STEM)[0] == 1 and "답: 절반은 맞습니다" in page.read_text()
        with pytest.raises(GraderError, match="no request 9"):
            requests.answer(9, "", None)

    def test_points_in_formgrader_answer_too(self, classroom, requests):
        requests.enter(Request("kim", STEM, "padding_mask", "다시"))
        by_hand(classroom, "kim", 2.0)
        assert not requests.all()[0].open and counted(classroom, STEM)["kim"] == (8.5, "manual")

    def test_a_class_from_before(self, classroom, requests):
        import sqlite3

        with sqlite3.connect(classroom.root / "gradebook.db") as database:
            database.execute("DROP TABLE grade_history")
            database.execute("DROP TABLE regrade_request")
        assert requests.all() == [] and requests.history() == [] and counted(classroom, STEM)["kim"][0] == 8.5
        by_hand(classroom, "kim", 1.0)
        assert requests.enter(Request("kim", STEM, "padding_mask", "다시")) and len(requests.history()) == 1


def classroom_questions(classroom):
    return classroom.result(STEM, "kim").questions


def test_work_is_shared_out_evenly_and_always_alike():
    everybody = [f"s{number:03}" for number in range(300)]
    whose = shared_out(everybody, ["kim", "lee", "park"])
    assert [list(whose.values()).count(name) for name in ("kim", "lee", "park")] == [100] * 3
    assert shared_out(everybody[::-1], ["kim", "lee", "park"]) == whose
    assert [whose[student] for student in everybody[:9]] != ["kim", "lee", "park"] * 3


def test_the_command_line(classroom, tmp_path, monkeypatch, capsys):
    from grader.cli import main

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["grader", *map(str, arguments), "--class", str(classroom.root)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out + printed.err

    (tmp_path / "form.csv").write_text(TestRequests.CSV)
    status, said = run("requests", tmp_path / "form.csv")
    assert status == 1 and "1 new, 0 known" in said and "kim  masking look_ahead_mask  1.5/1.5" in said
    status, said = run("todo", STEM, "--among", "a", "--among", "b")
    assert status == 0 and "2 to look at." in said and "/formgrader/submissions/" in said
    assert "1.5 points stay" in run("answer", 1, "--say", "그대로입니다")[1]
    assert run("requests")[1] == "" and "그대로입니다" in run("requests", "--all")[1]
    assert run("answer", 1, "--points", 1, "--say", "다시")[0] == 0
    status, said = run("history", "--student", "kim")
    assert status == 0 and "points by hand - -> 1  (" in said and "grader answer)" in said
    assert json.loads(run("history", "--json")[1])[0]["after"] == "1"
