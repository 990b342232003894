"""What people have reported of other graders, tried on this one."""

# ruff: noqa: F811

import json
from datetime import timedelta

import pytest
from test_roster import STEM, classroom, grade, made, notebook  # noqa: F401
from test_watch import hand_in, judge, lent, sample, watched  # noqa: F401

from grader.classroom.arrivals import FromFolder
from grader.classroom.collect import collect
from grader.classroom.feedback import write_feedback
from grader.classroom.folder import Classroom
from grader.classroom.groups import enter_groups
from grader.classroom.lateness import settle_all
from grader.classroom.scores import counted
from grader.gradebook.register import Register
from grader.gradebook.times import moment


@pytest.fixture
def strict(classroom):
    """The class, in which nothing late counts."""
    config = classroom.root / "nbgrader_config.py"
    config.write_text(f"{config.read_text()}\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
    return Classroom(classroom.root)


def due(classroom, when):
    with Register(classroom.database) as register:
        register.set_due(STEM, moment(when))
    settle_all(classroom)


def score(classroom, student):
    return counted(classroom, STEM)[student][0]


def test_an_extension_is_never_a_disadvantage(strict):
    """autograder.io#29: extended to the 18th, then the date was put off to the 19th for all: late on the 19th."""
    with Register(strict.database) as register:
        register.set_due(STEM, moment("2030-01-16 23:59 UTC"))
        register.extend(STEM, "657700", timedelta(days=2))
    for student in ("657700", "657701"):
        grade(strict, student, 10, "2030-01-19 20:00:00 UTC")
    assert (score(strict, "657700"), score(strict, "657701")) == (0, 0)
    due(strict, "2030-01-19 23:59 UTC")
    assert (score(strict, "657700"), score(strict, "657701")) == (10, 10)


def test_a_penalty_goes_where_the_date_or_the_time_is_mended(strict):
    """nbgrader#723: feedback went on showing it."""
    due(strict, "2030-01-01 00:00 UTC")
    grade(strict, "657700", 10, "2030-01-02 00:00:00 UTC")

    def page():
        write_feedback(strict, STEM, ["657700"])
        return strict.feedback(STEM, "657700").read_text(encoding="utf-8")

    late = page()
    assert score(strict, "657700") == 0 and "0 / 10점" in late
    strict.set_handed_in(STEM, "657700", moment("2029-12-31 00:00 UTC"))
    assert score(strict, "657700") == 10 and "10 / 10점" in page()
    strict.set_handed_in(STEM, "657700", moment("2030-01-02 00:00 UTC"))
    assert page() == late
    due(strict, "2030-01-03 00:00 UTC")
    assert score(strict, "657700") == 10 and "10 / 10점" in page()


def test_a_group_made_after_the_date_of_work_without_a_time(strict, tmp_path):
    """Markus#6772: the view of grades broke. Nobody says when: nobody is late, and both have the work's points."""
    due(strict, "2020-01-01 00:00 UTC")
    grade(strict, "657700", 10)
    (tmp_path / "groups.csv").write_text("조,학번\n1,657700\n1,657701\n", encoding="utf-8")
    enter_groups(strict, STEM, tmp_path / "groups.csv")
    settle_all(strict)
    assert score(strict, "657700") == 10
    assert counted(strict, STEM)["657701"] == (None, "ungraded")  # until grading is run again
    assert write_feedback(strict, STEM)[1] == {}


def test_work_lost_on_its_way_through_the_exchange_is_listed(classroom, tmp_path):
    """nbgrader#919: many handed in at once, one's notebook never came; the record on their side says it did."""
    lost, whole = (
        tmp_path / "inbound" / f"{s}+{STEM}+2030-01-01 10:00:00 UTC+x" for s in ("657700", "657701")
    )
    for folder in (lost, whole):
        folder.mkdir(parents=True)
        (folder / "timestamp.txt").write_text("2030-01-01 10:00:00 UTC")
    (whole / f"{STEM}.ipynb").write_bytes(notebook(classroom))
    outcome = collect(classroom, STEM, tmp_path / "inbound", "nbgrader")
    assert outcome.new == ["657701"] and "657700" in outcome.missing
    assert outcome.others == [f"{lost.name}/timestamp.txt"]


@pytest.mark.parametrize(
    ("of_folder", "of_file", "by"),
    [
        ("657700", "657700", None),
        ("kim", "kim", None),  # who teaches has copied it
        ("657701", "657701", "657701"),
        ("657700", "657701", "657701"),  # laid into another's folder, which nbgrader leaves open to all
    ],
)
def test_nobody_hands_in_for_another(classroom, watched, tmp_path, monkeypatch, of_folder, of_file, by):
    """nbgrader#1097: everybody may write into the exchange; a folder is named after whomever its maker likes."""
    folder = tmp_path / "inbound" / f"657700+{STEM}+2030-01-01 10:00:00 UTC+x"
    folder.mkdir(parents=True)
    (folder / f"{STEM}.ipynb").write_bytes(notebook(classroom))
    owners = {folder.stat().st_ino: of_folder, (folder / f"{STEM}.ipynb").stat().st_ino: of_file}
    monkeypatch.setattr("grader.classroom.platforms.nbgrader.owner", lambda about: owners[about.st_ino])
    outcome = collect(classroom, STEM, tmp_path / "inbound", "nbgrader")
    assert outcome.new == ([] if by else ["657700"])
    assert outcome.forged == ([f"{folder.name}/{STEM}.ipynb (by {by})"] if by else [])
    said = watched(FromFolder(tmp_path / "inbound", "nbgrader"))
    assert ("1 by one student under another's name, left out" in " ".join(said)) is bool(by)


def test_a_notebook_of_another_exercise_in_the_wrong_place_is_said(classroom, watched, hand_in, sample):
    """otter-grader#442: graded all the same, since questions had the same names. Of one without any it is said."""
    other = sample.solved()
    for cell in other["cells"]:
        cell["metadata"].pop("nbgrader", None)
        cell["source"] = "x = 1"
    hand_in("657700", json.dumps(other).encode())
    assert "1 called as the exercise is, but a notebook of something else" in " ".join(watched())
    assert classroom.students(STEM) == []
