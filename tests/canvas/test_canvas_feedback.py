"""Feedback pages go into Canvas once, beside the attempt that they are about."""

import json

import pytest
from canvas_server import DOE, KIM, LEE, STEM
from test_roster import grade

FEEDBACK = ("feedback", STEM, "--into", "canvas")


@pytest.fixture
def graded(enrolled, run, classroom, notebook):
    for user, student in ((KIM, "657700"), (DOE, "657701")):
        enrolled.hand_in(71, user, notebook(student))
    enrolled.hand_in(71, DOE, notebook("second"))  # the attempt that counts
    run("collect", STEM, "--from", "canvas")
    grade(classroom, "657700", 8.5)
    grade(classroom, "657701", 10)
    enrolled.asked.clear()
    return enrolled


def comments(canvas, user):
    return canvas.submissions[71].get(user, {}).get("submission_comments", [])


def names(canvas, user):
    return [file["display_name"] for said in comments(canvas, user) for file in said["attachments"]]


def test_first_a_table_then_one_comment_with_one_file(graded, run, classroom):
    """ucfopen/canvasapi#496: a file went up as one comment, and what was said of it as another."""
    said = run(*FEEDBACK, code=2)
    assert "2 pages to post" in said and "Add --yes" in said and graded.written() == []
    assert "2 pages posted" in run(*FEEDBACK, "--yes")
    [comment] = comments(graded, KIM)
    [file] = comment["attachments"]
    assert "채점 결과" in comment["comment"] and file["display_name"].startswith("masking-")
    assert graded.uploads[file["id"]][1] == classroom.feedback(STEM, "657700").read_bytes()
    assert graded.submissions[71][KIM]["entered_score"] is None


def test_beside_the_attempt_that_was_graded(graded, run):
    """ucfopen/canvasapi#631: comments always went to the first attempt."""
    run(*FEEDBACK, "--yes")
    assert [comments(graded, user)[0]["attempt"] for user in (KIM, DOE)] == [1, 2]


def test_again_posts_nothing_and_a_changed_page_once(graded, run, classroom):
    run(*FEEDBACK, "--yes")
    graded.asked.clear()
    assert "0 pages to post, 2 there already" in run(*FEEDBACK, "--yes") and graded.written() == []
    grade(classroom, "657700", 9)
    assert "1 page to post, 1 there already" in run(*FEEDBACK, "--yes")
    assert len(set(names(graded, KIM))) == 2 and len(names(graded, DOE)) == 1


def test_what_canvas_has_renamed_is_known(graded, run):
    run(*FEEDBACK, "--yes")
    for file in graded.submissions[71][KIM]["submission_comments"][0]["attachments"]:
        file["display_name"] = file["display_name"].replace(".html", "-1.html")
    assert "0 pages to post" in run(*FEEDBACK, "--yes")


def test_a_class_folder_that_was_restored_posts_nothing_twice(graded, run, classroom):
    run(*FEEDBACK, "--yes")
    for path in classroom.root.glob("feedback/**/*.html"):
        path.unlink()
    assert "0 pages to post, 2 there already" in run(*FEEDBACK, "--yes")


def test_an_answer_that_is_lost_leads_to_no_second_comment(graded, run):
    graded.faults = [("PUT", f"submissions/{KIM}$", ["done, then reset"])]
    assert "is not done twice" in run(*FEEDBACK, "--yes", code=2)
    run(*FEEDBACK, "--yes")
    assert len(comments(graded, KIM)) == 1 and len(comments(graded, DOE)) == 1


@pytest.mark.parametrize("path", ["comments/files", "^/upload", "^/api/v1/files/"])
def test_an_upload_that_breaks_off_posts_nothing_half(graded, run, path):
    method = "GET" if "v1" in path else "POST"
    graded.faults = [(method, path, ["reset"] * 5)]
    run(*FEEDBACK, "--yes", code=2)
    assert comments(graded, KIM) == []
    graded.faults = []
    run(*FEEDBACK, "--yes")
    assert len(names(graded, KIM)) == 1


def test_a_pause_that_is_asked_for_is_no_reason_to_post_less_or_more(graded, run, waited):
    graded.faults = [("PUT", str(KIM), [(429, "", {"Retry-After": "3"})]), ("POST", "^/upload", [(503, "")])]
    assert "2 pages posted" in run(*FEEDBACK, "--yes")
    assert len(comments(graded, KIM)) == 1 and 3 in waited


def test_a_later_attempt_and_who_has_left(graded, run, notebook):
    graded.hand_in(71, KIM, notebook("later"))
    graded.enrol(DOE, "Doe, John", "657701", state="completed")
    said = run(*FEEDBACK, "--yes")
    assert "handed in anew: collect and grade it first (1): 657700" in said
    assert "not in the course, or not any more (1): 657701" in said and graded.written() == []


def test_work_that_is_not_graded_has_no_page(graded, run, notebook):
    graded.hand_in(71, LEE, notebook("lee"))
    assert "no page yet (1): 657702" in run(*FEEDBACK, "--yes")


def test_one_alone_and_one_whom_canvas_refuses(graded, run):
    run(*FEEDBACK, "--yes", "--student", "657701")
    assert (len(comments(graded, KIM)), len(comments(graded, DOE))) == (0, 1)
    graded.faults = [("POST", f"{KIM}/comments", [(403, '{"status":"unauthorized"}')])]
    assert "Canvas has refused it (1): 657700 (403)" in run(*FEEDBACK, "--yes", code=1)


def test_a_page_that_changes_after_it_was_shown(graded, run, classroom):
    def change():
        classroom.feedback(STEM, "657700").write_text("other")

    graded.before[r"/assignments\?(?!.*&page=)"] = [lambda: None, change]
    assert "has changed since: look again (1): 657700" in run(*FEEDBACK, "--yes", code=1)
    assert comments(graded, KIM) == [] and len(comments(graded, DOE)) == 1


def test_who_works_in_english_reads_english(graded, run, classroom):
    path = classroom.result_path(STEM, "657700")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"language": "en"}))
    run(*FEEDBACK, "--yes")
    assert "Your feedback" in comments(graded, KIM)[0]["comment"]


def test_before_the_assignment_is_published_nothing_reaches_anybody(graded, run):
    """instructure/canvas-lms#231: comments on an unpublished assignment were sent."""
    graded.assignments[71]["published"] = False
    assert "not published" in run(*FEEDBACK, "--yes", code=2) and graded.written() == []


def test_a_zip_is_packed_as_before(graded, run, tmp_path):
    assert "go together" in run("feedback", STEM, "--into", tmp_path / "x.zip", code=2)
    assert "-o FILE is for" in run(*FEEDBACK, "-o", tmp_path / "x.zip", code=2)
