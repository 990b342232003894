"""Groups from Canvas: what one has handed in counts for all, points and pages reach each."""

import pytest
from canvas_server import DOE, KIM, LEE, MOON, STEM
from test_roster import grade

GROUPS = ("groups", STEM, "--from", "canvas")


@pytest.fixture
def teams(enrolled):
    enrolled.assignments[71]["group_category_id"] = 5
    enrolled.groups = {5: {30: "1조", 31: "2조"}, 6: {32: "다른 과제의 조"}}
    enrolled.group_members = {30: [KIM, DOE], 31: [LEE, MOON], 32: [KIM, LEE]}
    return enrolled


def test_they_are_shown_first_and_entered_when_agreed(teams, run, classroom):
    said = run(*GROUPS, code=2)
    assert "657700" in said and "1조" in said and "Add --yes" in said and classroom.groups(STEM) == {}
    assert "4 people in 2 groups, 1 alone." in run(*GROUPS, "--yes")
    assert classroom.groups(STEM) == {"657700": "1조", "657701": "1조", "657702": "2조", "657703": "2조"}
    assert "in the course" not in run(*GROUPS)
    assert "not both" in run(*GROUPS, "groups.csv", code=2)


def test_an_assignment_of_single_students_has_none(enrolled, run):
    assert "no group assignment" in run(*GROUPS, code=2)


def test_what_one_hands_in_counts_for_each(teams, run, classroom, notebook):
    """Canvas copies a group's submission to each member, under each one's name."""
    run(*GROUPS, "--yes")
    for user in (KIM, DOE):
        teams.hand_in(71, user, notebook("ours"), group={"id": 30, "name": "1조"})
    run("collect", STEM, "--from", "canvas")
    assert list(classroom.works(STEM).values()) == [["657700", "657701"]]
    for student in ("657700", "657701"):
        grade(classroom, student, 8)
    run("export", "--into", "canvas", "--exercise", STEM, "--yes")
    assert [teams.submissions[71][user]["entered_score"] for user in (KIM, DOE)] == [8, 8]
    assert "2 pages posted" in run("feedback", STEM, "--into", "canvas", "--yes")
