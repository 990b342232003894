"""A watched course: each file is downloaded once, a new attempt is graded, and what Canvas lacks for a while is waited for."""

import pytest
from canvas_server import DOE, KIM, STEM, TOKEN
from one_judge import OneJudge

from grader.classroom import watch as watch_module
from grader.classroom.arrivals import FromCourse
from grader.classroom.watch import Rules, Watch


@pytest.fixture
def watched(classroom):
    """watched(): what was said while all that is in the course was graded."""
    judge = OneJudge(classroom, STEM)

    class Lent:
        def lent(self, settings):
            return judge

        def close(self):
            pass

    def run(**rules):
        said = []
        Watch(
            classroom.root, STEM, FromCourse(classroom, STEM, "canvas"), Rules(**rules), Lent(), said.append
        ).run(once=True)
        return said

    yield run
    judge.close()


def downloads(canvas):
    return [path for method, path, *_ in canvas.asked if "/files/" in path and method == "GET"]


def test_each_file_is_downloaded_once_and_a_new_attempt_graded(enrolled, watched, classroom, notebook):
    for user, mark in ((KIM, "a"), (DOE, "b")):
        enrolled.hand_in(71, user, notebook(mark))
    assert watched() == ["2 graded, 2 handed in."]
    assert len(downloads(enrolled)) == 2
    assert watched() == [] and len(downloads(enrolled)) == 2
    enrolled.hand_in(71, KIM, notebook("c"), when="2027-03-30T11:00:00Z")
    assert watched() == ["1 graded, 2 handed in."] and len(downloads(enrolled)) == 3
    assert "<c>" in classroom.submitted(STEM, "657700").read_text()
    assert classroom.feedback(STEM, "657701").exists()


def test_one_try_too_many_is_left_in_canvas(enrolled, watched, classroom, notebook):
    for hour, mark in ((10, "a"), (11, "b")):
        enrolled.hand_in(71, KIM, notebook(mark), when=f"2027-03-30T{hour}:00:00Z")
        watched(tries=1)
    assert "<a>" in classroom.submitted(STEM, "657700").read_text()
    assert "채점하지 않고 그대로" in classroom.feedback(STEM, "657700").read_text()


def test_a_course_that_does_not_answer_is_asked_again(enrolled, classroom, notebook, watched, monkeypatch):
    monkeypatch.setattr(watch_module, "PAUSE_SECONDS", 0.0)
    enrolled.hand_in(71, KIM, notebook("a"))
    said = []

    class Lent:
        close = staticmethod(lambda: None)

    watching = Watch(
        classroom.root, STEM, FromCourse(classroom, STEM, "canvas"), Rules(), Lent(), said.append
    )
    enrolled.close()
    for _ in range(2):
        watching._guarded(once=False)
    assert len(said) == 1 and "does not answer" in said[0]
    assert TOKEN not in said[0] and str(enrolled.port) not in said[0]
