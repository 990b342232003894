"""A group hands in one notebook, and each member gets its grade."""

import json
import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeReleaseFeedback
from one_judge import OneJudge

from grader.classroom import similarity as comparing
from grader.classroom.batch import grade_class
from grader.classroom.collect import collect
from grader.classroom.feedback import SECRET, write_feedback
from grader.classroom.folder import Classroom
from grader.classroom.groups import enter_groups
from grader.classroom.sample import Sample
from grader.classroom.scores import MISSING, UNGRADED, counted, scores
from grader.errors import GraderError
from grader.exercise import find_exercise
from grader.gradebook.converters import nbgrader_environment
from grader.gradebook.people import Person
from grader.gradebook.register import Register
from grader.gradebook.times import moment
from grader.results import write_whole

STEM = "masking"
GROUPED = "조,학번\n3,s1\n3,s2\n3,s3\n"


class Judge(OneJudge):
    def submit(self, job):
        self.judged.append(job.student)
        super().submit(job)


@pytest.fixture(scope="module")
def made(masking_class, tmp_path_factory):
    """s1 and, later, s2 have handed in, s4 as well; s3 and s5 have not. All are on the roster."""
    root = Path(shutil.copytree(masking_class, tmp_path_factory.mktemp("groups") / "봄"))
    classroom, sample = Classroom(root), Sample(Classroom(root), find_exercise(STEM))
    with Register(classroom.database) as register:
        register.enrol([Person(f"s{number}", "채원", "유") for number in range(1, 6)])
    wrong = sample.mistaken("look_ahead_mask", "forgot_the_diagonal")
    for student, hour, notebook in (
        ("s1", 9, sample.solved(look_ahead_mask=wrong)),
        ("s2", 10, sample.solved()),
        ("s4", 9, sample.solved(look_ahead_mask=wrong)),
    ):
        write_whole(classroom.submitted(STEM, student), json.dumps(notebook).encode())
        hand_in_at(classroom, student, hour)
    return classroom


def hand_in_at(classroom, student, hour):
    classroom.timestamp(STEM, student).write_text(f"2030-01-01 {hour:02}:00:00 UTC")


@pytest.fixture(scope="module")
def warm(made):
    judge = Judge(made, STEM)
    yield judge
    judge.close()


@pytest.fixture
def judge(warm, monkeypatch):
    monkeypatch.setattr("grader.classroom.batch.Judges", warm)
    warm.judged = []
    return warm


@pytest.fixture
def classroom(made, judge, tmp_path):
    return Classroom(Path(shutil.copytree(made.root, tmp_path / "봄")))


@pytest.fixture
def enter(classroom, tmp_path):
    def entered(text=GROUPED):
        (tmp_path / "groups.csv").write_text(text, encoding="utf-8")
        return enter_groups(classroom, STEM, tmp_path / "groups.csv")

    return entered


@pytest.fixture
def graded(classroom, enter, judge):
    enter()
    assert grade_class(classroom, STEM).graded == 4
    return classroom


def final(classroom):
    return {student: score for student, (score, _) in counted(classroom, STEM).items()}


def test_one_notebook_is_judged_once_and_counts_for_all(graded, judge):
    assert sorted(judge.judged) == ["s2", "s4"]
    found = {submission.student: submission for submission in scores(graded, STEM)}
    for student in ("s1", "s2", "s3"):
        assert found[student].earned == 10
        assert found[student].notes == ["조별 제출(3): s2 학생이 낸 것을 채점했습니다."]
    assert found["s4"].notes == [] and found["s5"].verdict == MISSING
    assert final(graded) == {"s1": 10, "s2": 10, "s3": 10, "s4": 8.5, "s5": None}
    with Gradebook(graded.database) as gradebook:
        assert gradebook.find_submission(STEM, "s3").score == 10
    assert not graded.submitted(STEM, "s3").parent.exists()
    judge.judged.clear()
    assert grade_class(graded, STEM).graded == 0 and judge.judged == []


def test_each_member_gets_a_page(graded):
    assert write_feedback(graded, STEM) == (4, {})
    pages = {s: graded.feedback(STEM, s).read_text(encoding="utf-8") for s in ("s1", "s2", "s3", "s4")}
    assert ["s2 학생이 낸 것" in page for page in pages.values()] == [True, True, True, False]
    assert "10 / 10점" in pages["s3"]


def test_the_last_of_a_group_counts_whoever_hands_in(graded, judge):
    judge.judged.clear()
    hand_in_at(graded, "s1", 11)
    assert grade_class(graded, STEM).graded == 3 and judge.judged == ["s1"]
    assert final(graded) == {"s1": 8.5, "s2": 8.5, "s3": 8.5, "s4": 8.5, "s5": None}
    shutil.copytree(graded.submitted(STEM, "s2").parent, graded.submitted(STEM, "s3").parent)
    hand_in_at(graded, "s3", 12)
    graded.submitted(STEM, "s3").rename(graded.submitted(STEM, "s3").with_name("우리 답.ipynb"))
    assert grade_class(graded, STEM).graded == 3
    assert final(graded)["s1"] == 10 and "우리 답" in graded.result(STEM, "s1").notes[1]
    graded.submitted(STEM, "s3").with_name(
        "우리 답.ipynb"
    ).unlink()  # a folder alone is no work, as late as it is
    assert graded.author(STEM, "s3") == "s1"


def test_without_times_the_newest_file_counts(classroom, enter):
    enter()
    for number, student in enumerate(("s2", "s1")):
        classroom.timestamp(STEM, student).unlink()
        os.utime(classroom.submitted(STEM, student), (1_000_000 + number,) * 2)
    assert classroom.author(STEM, "s3") == "s1"


def test_who_leaves_a_group_gets_own_work_graded(graded, enter, judge):
    enter("조,학번\n3,s2\n4,s3\n")
    found = {submission.student: submission for submission in scores(graded, STEM)}
    assert found["s3"].verdict == MISSING and found["s1"].verdict == "graded"
    judge.judged.clear()
    assert grade_class(graded, STEM).graded == 1 and judge.judged == ["s1"]
    assert final(graded) == {"s1": 8.5, "s2": 10, "s3": None, "s4": 8.5, "s5": None}
    assert graded.result(STEM, "s1").notes == []
    enter()
    assert grade_class(graded, STEM).graded == 3 and final(graded)["s1"] == 10


def test_a_group_of_another_name_is_called_by_it(graded, enter):
    enter(GROUPED.replace("3,s", "셋,s"))
    grade_class(graded, STEM)
    assert "조별 제출(셋): s2" in graded.result(STEM, "s1").notes[0]
    assert "조별 제출(셋): s2" in graded.marked(STEM, "s3").read_text(encoding="utf-8")


def test_whoever_is_named_the_group_is_graded(graded, judge):
    judge.judged.clear()
    assert grade_class(graded, STEM, students=["s3"], force=True).graded == 3 and judge.judged == ["s2"]
    assert grade_class(graded, STEM, students=["s1"], question="padding_mask").graded == 3
    with pytest.raises(GraderError, match="Nobody called s5"):
        grade_class(graded, STEM, students=["s5", "s3"])


def test_what_a_person_has_entered_for_a_member_stays(graded, enter):
    with Gradebook(graded.database) as gradebook:
        grade = gradebook.find_grade("check_padding_mask", STEM, STEM, "s1")
        grade.manual_score, grade.needs_manual_grade = 0.5, False
        gradebook.db.commit()
    before = final(graded)
    grade_class(graded, STEM, force=True)
    assert final(graded) == before and before["s1"] < before["s2"]
    enter("조,학번\n")
    grade_class(graded, STEM)
    assert counted(graded, STEM)["s1"] == (before["s1"] - 1.5, "manual, then handed in anew")


def test_late_is_who_has_no_extension_by_the_time_of_the_groups_work(graded):
    config = graded.root / "nbgrader_config.py"
    config.write_text(config.read_text() + "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
    late = Classroom(graded.root)
    with Register(late.database) as register:
        register.set_due(STEM, moment("2030-01-01 09:30 UTC"))  # s1's own was in time
        register.extend(STEM, "s3", timedelta(days=1))
    assert final(late) == {"s1": 0, "s2": 0, "s3": 10, "s4": 8.5, "s5": None}


def test_members_are_no_suspicious_pair(classroom, enter, monkeypatch):
    compared = []
    monkeypatch.setattr(comparing, "FEWEST", 1)
    monkeypatch.setattr(comparing, "compare", lambda answers, *_: compared.extend(answers))
    enter()
    comparing.similarity(classroom, STEM)
    assert sorted(compared) == ["s2", "s4"]


def test_nobody_is_missing_whose_group_has_handed_in(classroom, enter, tmp_path):
    enter()
    (tmp_path / "in").mkdir()
    assert collect(classroom, STEM, tmp_path / "in", "folder").missing == ["s5"]
    assert {s.student: s.verdict for s in scores(classroom, STEM)}["s3"] == UNGRADED


def test_formgraders_button_serves_the_group(classroom, enter, judge, monkeypatch):
    class Desk:
        def grade(self, sitting, job):
            return judge._grader.grade(job)

    monkeypatch.setattr("grader.classroom.preprocessor._desk", Desk())
    enter()
    with nbgrader_environment(classroom.root):
        config = classroom.config.copy()
        config.CourseDirectory.root = str(classroom.root)
        done = NbGraderAPI(CourseDirectory(config=config), config=config).autograde(STEM, "s1")
    assert done["success"], done
    with Gradebook(classroom.database) as gradebook:
        assert gradebook.find_submission(STEM, "s1").timestamp.hour == 10
    assert {s: score for s, score in final(classroom).items() if score} == {"s1": 10, "s2": 10, "s3": 10}
    assert grade_class(classroom, STEM, students=["s1"]).graded == 0


def test_nbgraders_exchange_releases_every_page(graded, tmp_path):
    for student in ("s1", "s2", "s4"):
        graded.submitted(STEM, student).with_name(SECRET).write_text(f"secret of {student}")
    write_feedback(graded, STEM)
    (tmp_path / "exchange").mkdir()
    with nbgrader_environment(graded.root):
        config = graded.config.copy()
        config.CourseDirectory.update(root=str(graded.root), assignment_id=STEM)
        config.Exchange.root = str(tmp_path / "exchange")
        ExchangeReleaseFeedback(coursedir=CourseDirectory(config=config), config=config).start()
    assert len(list((tmp_path / "exchange").glob("*/feedback/*.html"))) == 4


@pytest.mark.parametrize(
    "text",
    [
        "학번,이름,팀\ns1,유채원,3\ns2,,3\ns3,,3\ns4,,\n",
        "Group\tStudent ID\n3\ts1\n3\ts2\n3\ts3\n",
        "조,학번1,학번2,학번3\n3,s1,s2,s3\n4,,,\n",
        'team,members\n3,"s1, s2;s3"\n',
        "name,canvas_user_id,user_id,group_name\nA,1,s1,3\nB,2,s2,3\nC,3,s3,3\n",
    ],
)
def test_any_csv(enter, text):
    assert enter(text) == {"s1": "3", "s2": "3", "s3": "3"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("조,학번\n3,s1\n4,s2\n4,s1\n", "s1 is in two groups: 3 and 4"),
        ("조,학번\n3,s1\n3,s9\n", "nobody in the class is called s9. Enter them with 'grader roster'"),
        ("학번,이름\ns1,a\n", r"no column of groups \(조, 팀, group\); it has: 학번, 이름"),
        ("조,이름\n3,a\n", r"no column of ids \(학번"),
        ("", "is empty"),
    ],
)
def test_bad_input_is_one_clear_line_and_changes_nothing(enter, classroom, text, said):
    enter()
    with pytest.raises(GraderError, match=said):
        enter(text)
    assert classroom.groups(STEM) == {"s1": "3", "s2": "3", "s3": "3"}


def test_without_a_roster_any_id_will_do_that_can_be_one(masking_class, tmp_path):
    classroom = Classroom(Path(shutil.copytree(masking_class, tmp_path / "class")))
    for student, fine in (("new", True), ("../x", False)):
        (tmp_path / "groups.csv").write_text(f"group,id\n1,{student}\n")
        if fine:
            assert enter_groups(classroom, STEM, tmp_path / "groups.csv") == {"new": "1"}
        else:
            with pytest.raises(GraderError, match="nobody's id can be '../x'"):
                enter_groups(classroom, STEM, tmp_path / "groups.csv")
    classroom.groups_path(STEM).write_text("[")
    with pytest.raises(GraderError, match="Enter the groups anew"):
        classroom.students(STEM)


def test_the_command_line(classroom, tmp_path, monkeypatch, capsys):
    from grader.cli import main

    def run(*arguments):
        monkeypatch.setattr(
            "sys.argv", ["grader", "groups", *map(str, arguments), "--class", str(classroom.root)]
        )
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out + printed.err

    (tmp_path / "groups.csv").write_bytes(GROUPED.encode("cp949"))
    for arguments in ((STEM, tmp_path / "groups.csv"), (STEM,)):
        status, said = run(*arguments)
        assert status == 0 and "3: s1 유채원, s2 유채원, s3 유채원\n" in said
        assert "3 people in 1 group, 2 alone." in said
    assert "no exercise 'attention'" in run("attention")[1]
