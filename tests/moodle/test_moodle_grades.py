"""Points and pages go into Moodle once, each to whom it belongs; and what people have written there stays.

What others have met with other tools (named beside the tests) is tried on ours.
"""

import pytest
from moodle_server import DOE, KIM, LEE, PARK, STEM, Refusal
from test_roster import grade

COLLECT = ("collect", STEM, "--from", "moodle")
EXPORT = ("export", "--into", "moodle", "--exercise", STEM)
FEEDBACK = ("feedback", STEM, "--into", "moodle")
THREE = {KIM: ("657700", 8.5), DOE: ("657701", 10), LEE: ("657702", 0)}


@pytest.fixture
def graded(enrolled, run, classroom, notebook):
    """Three have handed in and are graded; the others have not handed in."""
    for user, (student, _) in THREE.items():
        enrolled.hand_in(71, user, notebook(student))
    run(*COLLECT)
    for student, points in THREE.values():
        grade(classroom, student, points)
    enrolled.asked.clear()
    return enrolled


def calls(moodle):
    return [form for _, function, form in moodle.asked if function == "mod_assign_save_grade"]


class TestPoints:
    def test_first_a_table_then_done_then_nothing(self, graded, run):
        said = run(*EXPORT, code=2)
        assert "3 scores to write" in said and "Doe" in said and "8.5" in said and "Add --yes" in said
        assert "Students see them at once" in said and graded.written() == []
        assert "masking: 3 scores written." in run(*EXPORT, "--yes")
        assert graded.entered() == {KIM: 8.5, DOE: 10, LEE: 0}
        graded.asked.clear()
        assert "0 scores to write, 3 there already" in run(*EXPORT) and graded.written() == []

    def test_comments_and_files_of_people_stay(self, graded, run):
        """mod_assign takes away what a request leaves out: most clients send no comment, and lose the teacher's."""
        said = '<p>잘했습니다 &amp; <img src="@@PLUGINFILE@@/a.png"></p>'
        graded.comment(71, KIM, said)
        graded.feedback_file(71, KIM, "annotated.pdf", b"%PDF")
        run(*EXPORT, "--yes")
        assert graded.grades[71, KIM, 0]["comment"] == said
        run(*FEEDBACK, "--yes")
        assert graded.grades[71, KIM, 0]["comment"] == said and graded.entered()[KIM] == 8.5
        names = [name for _, name in graded.pages(KIM)]
        assert names[0] == "annotated.pdf" and len(names) == 2
        [there] = [path for path in graded.files if path.endswith("annotated.pdf")]
        assert graded.files[there] == b"%PDF"

    def test_a_workflow_goes_on_where_it_was(self, graded, run, classroom):
        """turnitin/moodle-plagiarism_turnitin#496: the state of marking was lost."""
        graded.assignments[71]["markingworkflow"] = 1
        graded.flags[71, KIM] = {"workflowstate": "released"}
        graded.flags[71, DOE] = {"workflowstate": "inreview"}
        said = run(*EXPORT, code=2)
        assert "Students see them at once" not in said
        run(*EXPORT, "--yes")
        assert graded.flags[71, KIM]["workflowstate"] == "released"
        assert graded.flags[71, DOE]["workflowstate"] == "inreview"
        grade(classroom, "657700", 9)
        grade(classroom, "657701", 9)
        said = run(*EXPORT, "--yes")
        assert "1 score written" in said and "not released there yet" in said and "(1): 657701" in said

    def test_what_was_done_before_the_connection_broke_is_not_done_twice(self, graded, run):
        graded.before["mod_assign_save_grade"] = [lambda: None, lambda: graded.faults.append(FAULT)]
        FAULT = ("save_grade", ["done, then reset"] * 9)
        assert "is not done twice" in run(*EXPORT, "--yes", code=2)
        assert graded.entered() == {KIM: 8.5, DOE: 10}
        graded.faults.clear()
        graded.asked.clear()
        run(*EXPORT, "--yes")
        assert [form["userid"] for form in calls(graded)] == [str(LEE)]

    def test_a_server_that_stumbles_is_asked_again(self, graded, run):
        graded.faults = [("save_grade", [(500, ""), (503, ""), "reset"])]
        assert "3 scores written" in run(*EXPORT, "--yes") and graded.entered() == {KIM: 8.5, DOE: 10, LEE: 0}

    def test_what_changes_between_table_and_writing(self, graded, run):
        """UKPLab/CARE#187: grades of people were overwritten unintentionally."""

        def change():
            graded.comment(71, DOE, "")
            graded.grades[71, DOE, 0]["grade"] = 7.0

        graded.before["mod_assign_get_assignments"] = [lambda: None, change]
        said = run(*EXPORT, "--yes", code=1)
        assert "2 scores written" in said and "has changed since: look again (1): 657701" in said
        assert graded.entered()[DOE] == 7.0

    def test_a_grade_that_moodle_takes_and_does_not_keep_is_said(self, graded, run):
        """A locked item of the gradebook: save_grade answers as if it were done."""
        graded.locked = {DOE}
        said = run(*EXPORT, "--yes", code=1)
        assert "2 scores written" in said and "Moodle has refused it (1): 657701" in said

    def test_one_whom_moodle_refuses_stops_nobody_and_an_expired_token_all(self, graded, run):
        graded.faults = [("save_grade", [Refusal("nopermissions"), Refusal("invalidtoken")])]
        assert "does not take the token" in run(*EXPORT, "--yes", code=2)
        assert graded.entered() == {}
        graded.faults = [("save_grade", [Refusal("nopermissions")])]
        said = run(*EXPORT, "--yes", code=1)
        assert "Moodle has refused it (1): 657700 (nopermissions)" in said
        assert graded.entered() == {DOE: 10, LEE: 0}

    def test_who_has_left_and_who_is_nobody_here(self, graded, run, notebook):
        graded.users[LEE]["active"] = False
        graded.enrol(50, "새", "로", "657710")
        graded.hand_in(71, 50, notebook())
        said = run(*EXPORT, "--yes")
        assert (
            "not in the course, or not any more (1): 657702" in said
            and "nobody in the class (1): 새, 로" in said
        )
        assert graded.entered() == {KIM: 8.5, DOE: 10}

    def test_a_service_that_only_reads(self, graded, run):
        graded.service -= {"mod_assign_save_grade"}
        assert "does not let this token use mod_assign_save_grade" in run(*EXPORT, "--yes", code=2)

    @pytest.mark.parametrize(
        ("maximum", "said"), [(-3, "a scale"), (0, "not graded"), (100, "100 on the platform")]
    )
    def test_what_takes_no_points_or_other_ones(self, graded, run, maximum, said):
        graded.assignments[71]["grade"] = maximum
        assert said in run(*EXPORT, "--yes", code=2) and graded.written() == []
        if maximum > 0:
            run(*EXPORT, "--yes", "--scale")
            assert graded.entered() == {KIM: 85, DOE: 100, LEE: 0}

    def test_lateness_is_not_paid_for_twice(self, graded, run, classroom):
        """Moodle 5 has penalties of its own."""
        with (classroom.root / "nbgrader_config.py").open("a") as config:
            config.write("\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
        run("dates", STEM, "--due", "2027-03-29 00:00 UTC")
        run("dates", STEM, "--extend", "657701=9", "--extend", "657702=9")
        graded.assignments[71] |= {"gradepenalty": 1, "duedate": graded.now - 86400}
        said = run(*EXPORT, "--yes")
        assert "late policy of Moodle would take points off again (1): 657700" in said
        assert graded.entered() == {DOE: 10, LEE: 0}


class TestAttempts:
    def test_a_later_one_gets_no_earlier_ones_points(self, graded, run, classroom, notebook):
        graded.hand_in(71, KIM, notebook("later"), again=True)
        said = run(*EXPORT, "--yes")
        assert (
            "handed in anew: collect and grade it first (1): 657700" in said and KIM not in graded.entered()
        )
        run(*COLLECT)
        grade(classroom, "657700", 10)
        run(*EXPORT, "--yes")
        assert graded.grades[71, KIM, 1]["grade"] == 10 and (71, KIM, 0) not in graded.grades

    def test_a_second_attempts_grade_leaves_the_firsts(self, graded, run, classroom, notebook):
        """jmcgettrick/MoodleDirectV2#442: the second attempt's grade overwrote the first's."""
        run(*EXPORT, "--yes")
        graded.hand_in(71, KIM, notebook("second"), again=True)
        run(*COLLECT)
        grade(classroom, "657700", 10)
        run(*EXPORT, "--yes")
        assert [graded.grades[71, KIM, n]["grade"] for n in (0, 1)] == [8.5, 10]

    def test_the_attempt_that_a_grade_opens_gets_neither_points_nor_page(self, graded, run):
        """With attempts that reopen, attemptnumber -1 of a second call is another attempt than that of the first."""
        graded.assignments[71] |= {"attemptreopenmethod": "untilpass", "maxattempts": -1}
        run(*EXPORT, "--yes")
        assert len(graded.submissions[71, LEE, 0]) == 2 and len(graded.submissions[71, KIM, 0]) == 1
        run(*FEEDBACK, "--yes")
        assert graded.pages(LEE)[0][0] == 0 and (71, LEE, 1) not in graded.grades
        graded.asked.clear()
        assert "0 scores to write, 3 there already" in run(*EXPORT)
        assert "0 pages to post, 3 there already" in run(*FEEDBACK, "--yes")
        assert graded.written() == []

    def test_what_was_edited_after_it_was_graded_is_graded_again(self, graded, run, classroom, notebook):
        run(*EXPORT, "--yes")
        graded.hand_in(71, KIM, notebook("edited"))
        run(*COLLECT)
        grade(classroom, "657700", 8.5)
        assert "1 score to write, 2 there already" in run(*EXPORT, code=2)
        run(*EXPORT, "--yes")
        assert "0 scores to write" in run(*EXPORT)


class TestPages:
    def test_first_a_table_then_one_file_beside_the_attempt(self, graded, run, classroom):
        said = run(*FEEDBACK, code=2)
        assert "3 pages to post" in said and "Add --yes" in said and graded.written() == []
        assert "3 pages posted" in run(*FEEDBACK, "--yes")
        [(attempt, name)] = graded.pages(KIM)
        assert attempt == 0 and name.startswith("masking-") and name.endswith(".html")
        [path] = [p for p in graded.files if p.endswith(name)]
        assert graded.files[path] == classroom.feedback(STEM, "657700").read_bytes()

    def test_a_page_alone_gives_no_points_and_takes_none(self, graded, run, classroom):
        """moodlehq/moodleapp#1171: feedback without a change of the grade; clients send -1, and the grade is gone."""
        run(*FEEDBACK, "--yes")
        assert graded.entered() == {}
        run(*EXPORT, "--yes")
        grade(classroom, "657700", 8.5)
        classroom.feedback(STEM, "657700").write_text("another")
        run(*FEEDBACK, "--yes")
        assert graded.entered() == {KIM: 8.5, DOE: 10, LEE: 0}

    def test_again_posts_nothing_and_a_changed_page_takes_the_place_of_the_old(self, graded, run, classroom):
        run(*FEEDBACK, "--yes")
        before = graded.pages(KIM)
        graded.asked.clear()
        assert "0 pages to post, 3 there already" in run(*FEEDBACK, "--yes") and graded.written() == []
        grade(classroom, "657700", 9)
        assert "1 page to post, 2 there already" in run(*FEEDBACK, "--yes")
        assert len(graded.pages(KIM)) == 1 and graded.pages(KIM) != before

    def test_an_answer_that_is_lost_leads_to_no_second_page(self, graded, run):
        graded.faults = [("save_grade", ["done, then reset"])]
        run(*FEEDBACK, "--yes")
        assert [len(graded.pages(user)) for user in THREE] == [1, 1, 1]

    @pytest.mark.parametrize("fault", ["reset", (200, [{"filename": "x", "errortype": "fileoversized"}])])
    def test_an_upload_that_fails_posts_nothing_half(self, graded, run, fault):
        graded.faults = [("upload.php", [fault] * 9)]
        run(*FEEDBACK, "--yes", code=1 if isinstance(fault, tuple) else 2)
        assert graded.pages(KIM) == []
        graded.faults.clear()
        run(*FEEDBACK, "--yes")
        assert len(graded.pages(KIM)) == 1

    def test_a_comment_that_cannot_be_read_is_not_risked(self, graded, run):
        graded.assignments[71]["markingworkflow"] = 1
        graded.flags[71, KIM] = {"workflowstate": "released"}
        said = run(*FEEDBACK, "--yes")
        assert "1 page posted" in said and "not released there yet" in said and "(2): 657701, 657702" in said

    def test_folders_of_somebody_are_left_alone(self, graded, run):
        graded.feedback_file(71, KIM, "a.pdf", b"%PDF")
        graded.grades[71, KIM, 0]["files"][0]["filepath"] = "/notes/"
        assert "Moodle has refused it (1): 657700 (folders)" in run(*FEEDBACK, "--yes", code=1)
        assert graded.pages(KIM) == [(0, "a.pdf")] and len(graded.pages(DOE)) == 1

    def test_an_assignment_without_feedback_files_says_what_to_turn_on(self, graded, run):
        del graded.assignments[71]["configs"][2]
        assert "Turn on 'Feedback files'" in run(*FEEDBACK, "--yes", code=2) and graded.written() == []
        assert "3 scores written" in run(*EXPORT, "--yes")

    def test_work_that_is_not_graded_has_no_page(self, graded, run, notebook):
        graded.hand_in(71, PARK, notebook("park"))
        assert "no page yet (1): 657704" in run(*FEEDBACK, "--yes")
