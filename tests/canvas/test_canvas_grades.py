"""Points go into Canvas once, each to whom it belongs, and only where the course is as it was shown.

What others have met with other tools (named beside the tests) is tried on ours.
"""

import pytest
from canvas_server import DOE, KIM, LEE, MOON, PARK, STEM
from test_roster import grade

EXPORT = ("export", "--into", "canvas", "--exercise", STEM)


THREE = {KIM: ("657700", 8.5), DOE: ("657701", 10), LEE: ("657702", 0)}


@pytest.fixture
def graded(enrolled, run, classroom, notebook):
    """Three have handed in and are graded; the others have not handed in."""
    for user, (student, _) in THREE.items():
        enrolled.hand_in(71, user, notebook(student))
    run("collect", STEM, "--from", "canvas")
    for student, points in THREE.values():
        grade(classroom, student, points)
    enrolled.asked.clear()
    return enrolled


def entered(canvas):
    there = canvas.submissions[71]
    return {user: one["entered_score"] for user, one in there.items() if one["entered_score"] is not None}


def penalise(classroom):
    with (classroom.root / "nbgrader_config.py").open("a") as config:
        config.write("\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")


class TestOnce:
    def test_first_a_table_then_done_then_nothing(self, graded, run):
        said = run(*EXPORT, code=2)
        assert "3 scores to write" in said and "Doe" in said and "8.5" in said and "Add --yes" in said
        assert graded.written() == []
        assert "masking: 3 scores written." in run(*EXPORT, "--yes")
        assert entered(graded) == {KIM: 8.5, DOE: 10, LEE: 0}
        graded.asked.clear()
        assert "0 scores to write, 3 there already" in run(*EXPORT)
        assert graded.written() == []

    def test_a_grade_brings_no_comment(self, graded, run):
        """vishalsachdev/canvas-mcp#235: a grade that was assigned left a comment, too."""
        run(*EXPORT, "--yes")
        assert all(one["submission_comments"] == [] for one in graded.submissions[71].values())

    def test_what_was_done_before_the_connection_broke_is_not_done_twice(self, graded, run):
        path = f"submissions/{DOE}$"
        graded.faults = [("PUT", path, ["done, then reset"] * 9)]
        assert "is not done twice" in run(*EXPORT, "--yes", code=2)
        assert entered(graded) == {KIM: 8.5, DOE: 10}
        graded.faults, graded.asked = [], []
        run(*EXPORT, "--yes")
        assert [path for _, path in graded.written()] == [
            f"/api/v1/courses/1234/assignments/71/submissions/{LEE}"
        ]

    def test_a_server_that_stumbles_is_asked_again(self, graded, run):
        graded.faults = [("PUT", str(KIM), [(500, ""), (429, ""), (403, "Rate Limit Exceeded")])]
        assert "3 scores written" in run(*EXPORT, "--yes")


class TestHeld:
    def test_what_changes_between_table_and_writing(self, graded, run):
        """Somebody grades in SpeedGrader while the table is read."""

        def change():
            graded.submissions[71][DOE]["entered_score"] = 7.0

        graded.before[r"/assignments\?(?!.*&page=)"] = [lambda: None, change]
        said = run(*EXPORT, "--yes", code=1)
        assert "2 scores written" in said and "has changed since: look again (1): 657701" in said
        assert entered(graded)[DOE] == 7.0

    def test_a_later_attempt_gets_no_older_ones_points(self, graded, run, classroom, notebook):
        """The wrong attempt: a grade lands beside work that nobody has graded."""
        graded.hand_in(71, KIM, notebook("later"), when="2027-04-02T00:00:00Z")
        said = run(*EXPORT, "--yes")
        assert "handed in anew: collect and grade it first (1): 657700" in said and KIM not in entered(graded)
        run("collect", STEM, "--from", "canvas")
        grade(classroom, "657700", 10)
        run(*EXPORT, "--yes")
        assert entered(graded)[KIM] == 10

    def test_a_second_notebook_of_the_same_attempt_is_no_later_one(self, graded, run, notebook):
        blank = graded.submissions[71][KIM]["attachments"][0] | {"id": 9900, "display_name": "other.ipynb"}
        graded.submissions[71][KIM]["attachments"].append(blank)
        assert "3 scores written" in run(*EXPORT, "--yes")

    def test_a_resubmission_of_the_same_points_is_graded_there(self, graded, run, classroom, notebook):
        run(*EXPORT, "--yes")
        graded.hand_in(71, KIM, notebook("later"), when="2027-04-02T00:00:00Z")
        run("collect", STEM, "--from", "canvas")
        grade(classroom, "657700", 8.5)
        assert "1 score to write, 2 there already" in run(*EXPORT, code=2)
        run(*EXPORT, "--yes")
        assert "0 scores to write" in run(*EXPORT)

    def test_excused_and_ungradable_stay(self, graded, run, classroom):
        graded.submissions[71][KIM]["excused"] = True
        grade(classroom, "657701", 0, verdict="ungradable")
        assert "excused there (1): 657700" in run(*EXPORT, "--yes")
        assert entered(graded) == {LEE: 0}

    def test_who_has_left_stops_nobody(self, graded, run):
        """edulinq/lms-toolkit#14, UM-USElab/gradecraft-development#3793: one who is not there failed all."""
        graded.enrol(LEE, "이서", "657702", state="inactive")
        assert "not in the course, or not any more (1): 657702" in run(*EXPORT, "--yes")
        assert entered(graded) == {KIM: 8.5, DOE: 10}

    def test_one_whom_canvas_refuses_stops_nobody(self, graded, run):
        graded.faults = [("PUT", str(KIM), [(401, '{"status":"unauthorized"}')])]
        said = run(*EXPORT, "--yes", code=1)
        assert "2 scores written" in said and "Canvas has refused it (1): 657700 (401)" in said

    def test_an_expired_token_stops_at_once(self, graded, run):
        graded.faults = [("PUT", str(DOE), [(401, '{"errors":[{"message":"Expired access token."}]}')])]
        assert "does not take the token" in run(*EXPORT, "--yes", code=2)
        assert entered(graded) == {KIM: 8.5}

    def test_who_is_nobody_here_is_named(self, graded, run, notebook):
        graded.enrol(4010, "새로", "657710")
        graded.hand_in(71, 4010, notebook())
        assert "nobody in the class (1): 새로" in run(*EXPORT, "--yes")


class TestLateness:
    def test_it_is_not_paid_for_twice(self, graded, run, classroom):
        """Canvas' late policy takes points off what was entered, from which the class has taken them already."""
        penalise(classroom)
        run("dates", STEM, "--due", "2027-03-29 00:00 UTC")
        run("dates", STEM, "--extend", "657701=9", "--extend", "657702=9")
        for user in (KIM, DOE):
            graded.submissions[71][user]["late"] = True
        graded.late_policy = {"late_submission_deduction_enabled": True, "late_submission_deduction": 10.0}
        said = run(*EXPORT, "--yes")
        assert "would take points off again (1): 657700" in said and entered(graded) == {DOE: 10, LEE: 0}
        graded.late_policy = {"late_submission_deduction_enabled": False}
        run(*EXPORT, "--yes")
        assert entered(graded)[KIM] == 0

    def test_points_that_canvas_takes_off_are_said_and_not_written_again(self, graded, run):
        graded.deduct[DOE] = 2.5
        assert "counted as less by the late policy of Canvas (1): 657701 7.5" in run(*EXPORT, "--yes")
        assert "0 scores to write" in run(*EXPORT)


class TestWhatCanvasCounts:
    def test_other_maxima_only_in_proportion(self, graded, run):
        graded.assignments[71]["points_possible"] = 100.0
        assert "100 on the platform" in run(*EXPORT, "--yes", code=2) and graded.written() == []
        run(*EXPORT, "--yes", "--scale")
        assert entered(graded) == {KIM: 85, DOE: 100, LEE: 0}

    @pytest.mark.parametrize(
        ("about", "said"),
        [({"grading_type": "pass_fail"}, "takes no points"), ({"published": False}, "not published")],
    )
    def test_what_takes_no_points(self, graded, run, about, said):
        graded.assignments[71] |= about
        assert said in run(*EXPORT, "--yes", code=2) and graded.written() == []

    @pytest.mark.parametrize("manually", [True, False])
    def test_that_students_see_them_at_once_is_said(self, graded, run, manually):
        """instructure/canvas-lms#2517: scripts posted what was to stay hidden."""
        graded.assignments[71]["post_manually"] = manually
        assert ("Students see them at once" in run(*EXPORT, code=2)) is not manually

    def test_nulls_and_older_servers(self, graded, run):
        graded.assignments[71] |= {"grading_type": None, "points_possible": None, "published": None}
        for one in graded.submissions[71].values():
            del one["entered_score"], one["grade_matches_current_submission"]
            one |= {"group": None, "late": None}
        graded.submissions[71][DOE]["score"] = 10.0
        assert "2 scores to write, 1 there" in run(*EXPORT, code=2)

    def test_a_group_has_one_grade_there(self, graded, run, classroom):
        graded.assignments[71]["group_category_id"] = 5
        graded.group_members[3] = [KIM, DOE]
        for user in (KIM, DOE):
            graded.submissions[71][user]["group"] = {"id": 3, "name": "1조"}
        said = run(*EXPORT, "--yes")
        assert "one grade there" in said and "(2): 657700, 657701" in said and entered(graded) == {LEE: 0}
        grade(classroom, "657700", 10)
        run(*EXPORT, "--yes")
        assert entered(graded) == {KIM: 10, DOE: 10, LEE: 0}
        assert "0 scores to write" in run(*EXPORT)
        grade(classroom, "657700", 9)  # the other's stands there already
        assert "(1): 657700" in run(*EXPORT, "--yes") and entered(graded) == {KIM: 10, DOE: 10, LEE: 0}


def test_more_than_a_page_of_students(graded, run, classroom, notebook):
    """instructure/canvas-lms#430, daranzolin/rcanvas#13: whoever is not on the first page is forgotten."""
    for number in range(12):
        graded.enrol(4100 + number, f"학생{number}", f"6578{number:02}")
        graded.hand_in(71, 4100 + number, notebook(str(number)))
    run("roster", "--from", "canvas")
    run("collect", STEM, "--from", "canvas")
    for number in range(12):
        grade(classroom, f"6578{number:02}", number / 2)
    assert "15 scores written" in run(*EXPORT, "--yes")
    assert [entered(graded)[4100 + n] for n in range(12)] == [n / 2 for n in range(12)]
    assert {MOON, PARK}.isdisjoint(entered(graded))


def test_a_file_is_filled_as_before(graded, run, tmp_path):
    (tmp_path / "canvas.csv").write_text(
        f"Student,ID,SIS User ID,Section,masking (71)\n김민,{KIM},657700,A,\n"
    )
    run("export", "--into", tmp_path / "canvas.csv", "-o", tmp_path / "out.csv")
    assert ",8.5" in (tmp_path / "out.csv").read_text()
    assert "-o FILE is for" in run(*EXPORT, "-o", tmp_path / "x.csv", code=2)
    assert "Say where to" in run("export", code=2)
