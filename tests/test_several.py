"""Exercises graded together: what judges load is loaded once, and what stops one does not stop the others."""

import json
import re
import shutil

import pytest

from grader.classroom.folder import Classroom
from grader.classroom.job import Job
from grader.classroom.judge_process import JudgeSettings
from grader.classroom.judges import WarmJudges
from grader.classroom.newclass import make_class
from grader.cli import main
from grader.errors import GraderError
from grader.exercise import find_exercise
from grader.results import write_whole
from grader.sandbox.launch import Launch

STEMS = ["attention", "masking"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("several") / "class"
    make_class(root, [find_exercise(stem) for stem in STEMS], None)
    return Classroom.open(root)


@pytest.fixture
def classroom(made):
    """Nothing is handed in or graded, whatever the test before it did."""
    for room in ("submitted", "results", "autograded"):
        shutil.rmtree(made.root / room, ignore_errors=True)
    (made.root / "submitted").mkdir()
    return made


@pytest.fixture
def handed_in(classroom):
    for stem in STEMS:
        write_whole(classroom.submitted(stem, "kim"), stub(classroom, stem).content)


@pytest.fixture
def starts(monkeypatch):
    """The libraries that each start of a sandbox loads."""
    start, started = Launch.start, []

    def counted(launch, **options):
        started.append(launch.preload)
        return start(launch, **options)

    monkeypatch.setattr(Launch, "start", counted)
    return started


def stub(classroom, stem):
    return Job("kim", (classroom.released(stem) / f"{stem}.ipynb").read_bytes(), "digest")


@pytest.fixture
def grader(monkeypatch, capsys, classroom):
    def run(*words):
        monkeypatch.setattr("sys.argv", ["grader", *words, "--class", str(classroom.root)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.mark.whole
def test_by_default_all_is_graded_that_somebody_has_handed_in(classroom, grader, starts):
    assert grader("autograde")[::2] == (0, "Nobody has handed in anything.\n")
    write_whole(classroom.submitted("masking", "kim"), stub(classroom, "masking").content)
    status, out, _ = grader("autograde", "--json")
    assert status == 0 and [told["exercise"] for told in json.loads(out)] == ["masking"]
    assert len(starts) == 1


def test_exercises_share_one_start(classroom, grader, handed_in, starts):
    status, out, err = grader("autograde", "--force")
    assert status == 0 and err == ""
    assert out.count("1 graded, 0 unchanged.") == 2
    assert re.findall("^(attention|masking)$", out, re.MULTILINE) == STEMS
    [loaded] = starts
    assert {name for stem in STEMS for name in classroom.exercise(stem).libraries} == {*loaded}


def test_what_is_graded_starts_nothing(grader, handed_in, starts):
    grader("autograde", "masking", "attention")
    starts.clear()
    status, out, _ = grader("autograde", "masking", "attention", "masking")
    assert status == 0 and out.count("0 graded, 1 unchanged.") == 2 and starts == []


@pytest.mark.whole
def test_what_stops_an_exercise_does_not_stop_the_next(classroom, grader, handed_in):
    suite = classroom.exercise("attention").suite_path
    before = suite.read_text(encoding="utf-8")
    suite.write_text(before.replace("@points(0.5,", "@points(0.75,"), encoding="utf-8")
    try:
        status, out, err = grader("autograde", "--force", "--json")
    finally:
        suite.write_text(before, encoding="utf-8")
    assert status == 1 and [told["exercise"] for told in json.loads(out)] == ["masking"]
    assert "attention: 'attention' has other questions or points than the class received." in err
    assert err.endswith("stopped, for the reason above (1): attention\n")


def test_what_stops_two_stops_all(grader, handed_in, monkeypatch):
    asked = []

    def fails(classroom, stem, **options):
        asked.append(stem)
        raise GraderError("No space is left.")

    monkeypatch.setattr("grader.classroom.batch.grade_class", fails)
    monkeypatch.setattr(Classroom, "stems", lambda self: [*STEMS, "masking"])
    status, _, err = grader("autograde")
    assert status == 2 and err.count("No space is left.") == 2 and asked == STEMS


@pytest.mark.whole
def test_of_one_student_all_is_graded_that_they_have_handed_in(classroom, grader, handed_in):
    """Who was late asks for one person's grade, not for everybody's again (nbgrader#1858)."""
    for student in ("lee", "park"):
        write_whole(classroom.submitted("masking", student), stub(classroom, "masking").content)
    status, out, _ = grader("autograde", "--student", "kim", "--student", "lee", "--json")
    found = [(told["exercise"], told["student"]) for told in json.loads(out)]
    assert status == 0 and found == [("attention", "kim"), ("masking", "kim"), ("masking", "lee")]
    status, _, err = grader("autograde", "--student", "kim", "--student", "nobody")
    assert status == 2 and "Nobody called nobody has handed in anything." in err


def test_a_question_is_of_one_exercise(grader, handed_in):
    status, _, err = grader("autograde", "--question", "padding_mask")
    assert status == 2 and "--question is of one exercise. Name it: attention, masking." in err


def test_an_unknown_exercise_stops_all_before_it_begins(grader, handed_in, starts):
    status, _, err = grader("autograde", "masking", "atention", "--force")
    assert status == 2 and "no exercise 'atention' (it has: attention, masking)" in err and starts == []


@pytest.mark.whole
def test_a_judge_goes_on_with_another_exercise_and_by_what_the_class_has_now(classroom):
    asked = [JudgeSettings(classroom.root, stem, unconfined=False) for stem in STEMS]
    suite = classroom.exercise("masking").suite_path
    before = suite.read_text(encoding="utf-8")

    def judged(settings):
        with warm.lent(settings) as judges:
            judges.submit(stub(classroom, settings.stem))
            _, answer = judges.next()
            return [judge.pid for judge in judges._judges], answer

    with WarmJudges(1, STEMS) as warm:
        found = [judged(settings) for settings in [*asked, asked[0]]]
        assert [answer.submission.exercise for _, answer in found] == [*STEMS, STEMS[0]]
        suite.write_text(before.replace("@points(0.5,", "@points(0.75,"), encoding="utf-8")
        try:
            again = judged(asked[1])
        finally:
            suite.write_text(before, encoding="utf-8")
        assert isinstance(again[1], GraderError) and "other questions or points" in str(again[1])
        assert judged(asked[1])[1].submission.verdict == "graded"
        assert {tuple(pids) for pids, _ in [*found, again]} == {tuple(found[0][0])}


def test_for_an_exercise_that_nobody_spoke_of_others_come(classroom):
    """Its notebooks may need libraries that each of them would load anew, in seconds."""
    lent = []
    with WarmJudges(1, STEMS[:1]) as warm:
        for stem in (*STEMS, *STEMS):
            with warm.lent(JudgeSettings(classroom.root, stem, unconfined=False)) as judges:
                lent.append(judges)
    assert lent[0] is not lent[1] and lent[1] is lent[2] is lent[3]
