"""A watched course: each file is downloaded once, a new attempt is graded, and what one of a group hands in is graded once."""

import pytest
from moodle_server import DOE, KIM, STEM
from one_judge import OneJudge

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
        said, source = [], FromCourse(classroom, STEM, "moodle")
        Watch(classroom.root, STEM, source, Rules(**rules), Lent(), said.append).run(once=True)
        return said

    yield run
    judge.close()


def downloads(moodle):
    return [path for path, *_ in moodle.asked if "pluginfile" in path]


def test_each_file_is_downloaded_once_and_a_new_attempt_graded(enrolled, watched, classroom, run, notebook):
    for user, mark in ((KIM, "a"), (DOE, "b")):
        enrolled.hand_in(71, user, notebook(mark))
    assert watched() == ["2 graded, 2 handed in."]
    assert watched() == [] and len(downloads(enrolled)) == 2
    enrolled.hand_in(71, KIM, notebook("c"), again=True)
    assert watched() == ["1 graded, 2 handed in."] and len(downloads(enrolled)) == 3
    assert "<c>" in classroom.submitted(STEM, "657700").read_text()
    assert classroom.feedback(STEM, "657701").exists()
    enrolled.assignments[71]["teamsubmission"] = 1
    enrolled.teams = {KIM: (3, "1조"), DOE: (3, "1조")}
    run("groups", STEM, "--from", "moodle", "--yes")
    watched()
    enrolled.hand_in(71, DOE, notebook("ours"))
    watched()
    assert len(downloads(enrolled)) == 4 and len(classroom.works(STEM)) == 1
    assert all("<ours>" in classroom.submitted(STEM, s).read_text() for s in ("657700", "657701"))
