"""Groups from Moodle: what one has handed in counts for all, points and pages reach each."""

import pytest
from moodle_server import DOE, KIM, LEE, MOON, PARK, STEM
from test_roster import grade

COLLECT = ("collect", STEM, "--from", "moodle")
EXPORT = ("export", "--into", "moodle", "--exercise", STEM)
FEEDBACK = ("feedback", STEM, "--into", "moodle")
GROUPS = ("groups", STEM, "--from", "moodle")


@pytest.fixture
def teams(enrolled):
    """Two of three, and two; one alone."""
    enrolled.assignments[71]["teamsubmission"] = 1
    enrolled.teams = {KIM: (3, "1조"), DOE: (3, "1조"), LEE: (4, "2조"), MOON: (4, "2조")}
    return enrolled


def test_they_are_shown_first_and_entered_when_agreed(teams, run, classroom):
    said = run(*GROUPS, code=2)
    assert "657700" in said and "1조" in said and "Add --yes" in said and classroom.groups(STEM) == {}
    assert "4 people in 2 groups, 1 alone." in run(*GROUPS, "--yes")
    assert classroom.groups(STEM) == {"657700": "1조", "657701": "1조", "657702": "2조", "657703": "2조"}
    assert "in the course" not in run(*GROUPS)  # again: nothing to ask for
    teams.teams[MOON] = (3, "1조")
    assert "657703" in run(*GROUPS, "--yes") and classroom.groups(STEM)["657703"] == "1조"


def test_two_groups_of_one_name_and_somebody_who_is_nobody_here(teams, run, classroom):
    teams.teams = {KIM: (3, "조"), DOE: (4, "조"), 50: (4, "조")}
    teams.enrol(50, "새", "로", "657710")
    assert "in a group there, nobody here (1): 새, 로" in run(*GROUPS, "--yes")
    assert len(set(classroom.groups(STEM).values())) == 2


def test_an_assignment_of_single_students_has_none(enrolled, run):
    enrolled.teams = {KIM: (3, "1조")}
    assert "no group assignment" in run(*GROUPS, code=2)


@pytest.mark.parametrize("entered", [True, False])
def test_what_one_hands_in_counts_for_each(teams, run, classroom, notebook, entered):
    """moodle-mod_publication#12: of group work, which is of user 0, nothing was taken; jmcgettrick/MoodleDirectV2#59:
    only the uploader got points."""
    if entered:
        run(*GROUPS, "--yes")
    teams.hand_in(71, DOE, notebook("ours"))
    teams.hand_in(71, PARK, notebook("alone"))
    assert "3 new" in run(*COLLECT)
    downloads = [path for path, _, _ in teams.asked if "pluginfile" in path]
    assert len(downloads) == 2
    assert "<ours>" in classroom.submitted(STEM, "657700").read_text()
    assert len(classroom.works(STEM)) == (2 if entered else 3)
    for student, points in (("657700", 8), ("657701", 8), ("657704", 3)):
        grade(classroom, student, points)
    assert "3 scores written" in run(*EXPORT, "--yes") and teams.entered() == {KIM: 8, DOE: 8, PARK: 3}
    assert "0 scores to write, 3 there already" in run(*EXPORT)
    assert "3 pages posted" in run(*FEEDBACK, "--yes")
    assert len(teams.pages(KIM)) == len(teams.pages(DOE)) == 1


def test_each_may_have_other_points(teams, run, classroom, notebook):
    teams.hand_in(71, DOE, notebook("ours"))
    run(*COLLECT)
    grade(classroom, "657700", 8)
    grade(classroom, "657701", 9)
    run(*EXPORT, "--yes")
    assert teams.entered() == {KIM: 8, DOE: 9}


def test_a_draft_of_a_group_is_nobodys_work(teams, run, notebook):
    teams.hand_in(71, DOE, notebook("ours"), status="draft")
    said = run(*COLLECT)
    assert "0 new" in said and "1조/draft" in said


def test_a_group_with_fewer_attempts_than_another_is_not_forgotten(teams, run, notebook):
    """An older get_submissions tells of those groups alone that have the most attempts: they are all of user 0."""
    teams.hand_in(71, KIM, notebook("one"))
    teams.hand_in(71, LEE, notebook("two"))
    shown = teams.mod_assign_get_submissions

    def fewer(form):
        said = shown(form)
        said["assignments"][0]["submissions"] = [
            one for one in said["assignments"][0]["submissions"] if one["groupid"] != 4
        ]
        return said

    teams.mod_assign_get_submissions = fewer
    assert "4 new" in run(*COLLECT)
