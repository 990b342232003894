"""Due dates, overrides and extensions, read from Moodle."""

from datetime import datetime, timedelta

import pytest
from moodle_server import DOE, KIM, LEE, MOON, STEM

from grader.gradebook.register import Register

DAY = 86400
DUE = datetime(2027, 3, 31, 15, 0)
SECONDS = 1_806_505_200
DATES = ("dates", STEM, "--from", "moodle")


@pytest.fixture
def dated(enrolled):
    enrolled.assignments[71]["duedate"] = SECONDS
    return enrolled


def read(classroom):
    with Register(classroom.database) as register:
        days = {s: more / timedelta(days=1) for s, more in register.extensions(STEM).items()}
        return register.due(STEM), days


def test_they_are_shown_first_and_entered_when_agreed(dated, run, classroom):
    dated.flags[71, KIM] = {"extensionduedate": SECONDS + 2 * DAY}
    said = run(*DATES, code=2)
    assert "never" in said and "657700" in said and "2 more days" in said and "Add --yes" in said
    assert read(classroom) == (None, {})
    run(*DATES, "--yes")
    assert read(classroom) == (DUE, {"657700": 2})
    assert "in the course" not in run(*DATES)  # again: nothing to ask for


def test_overrides_of_groups_and_students_and_the_later_of_two(dated, run, classroom):
    """As the owner of the token sees it, the common date may be another than everybody's."""
    for user in (DOE, LEE):
        dated.overrides[71, user] = SECONDS + DAY
    dated.flags[71, DOE] = {"extensionduedate": SECONDS + 3 * DAY}
    dated.flags[71, LEE] = {"extensionduedate": SECONDS}
    dated.overrides[71, MOON] = SECONDS + DAY // 2
    run(*DATES, "--yes")
    assert read(classroom) == (DUE, {"657701": 3, "657702": 1, "657703": 0.5})


def test_never_is_said(dated, run, classroom):
    dated.overrides[71, KIM] = 0
    said = run(*DATES, "--yes")
    assert "never due in the course" in said and "657700" in said and read(classroom) == (DUE, {})
    dated.assignments[71]["duedate"] = 0
    assert "no due date of masking" in run(*DATES, code=2)


def test_what_the_class_alone_has_granted_stays(dated, run, classroom):
    run(*DATES, "--yes")
    run("dates", STEM, "--extend", "657701=5")
    assert "in the class alone: it stays" in run(*DATES, "--yes") and read(classroom) == (DUE, {"657701": 5})


def test_anonymous_work_has_dates_all_the_same(dated, run, classroom):
    dated.assignments[71]["blindmarking"] = 1
    run(*DATES, "--yes")
    assert read(classroom) == (DUE, {})
