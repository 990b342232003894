"""Due dates and extensions, read from Canvas."""

from datetime import datetime, timedelta

import pytest
from canvas_server import DOE, KIM, LEE, STEM

from grader.gradebook.register import Register

BASE = "2027-03-31T14:59:00Z"
DUE = datetime(2027, 3, 31, 14, 59)


@pytest.fixture
def dated(enrolled):
    enrolled.assignments[71]["due_at"] = BASE
    return enrolled


def read(classroom):
    with Register(classroom.database) as register:
        days = {s: more / timedelta(days=1) for s, more in register.extensions(STEM).items()}
        return register.due(STEM), days


def test_they_are_shown_first_and_entered_when_agreed(dated, run, classroom):
    dated.overrides[71] = [{"id": 1, "student_ids": [KIM], "due_at": "2027-04-02T14:59:00Z", "title": None}]
    said = run("dates", STEM, "--from", "canvas", code=2)
    assert "never" in said and "657700" in said and "2 more days" in said and "Add --yes" in said
    assert read(classroom) == (None, {})
    run("dates", STEM, "--from", "canvas", "--yes")
    assert read(classroom) == (DUE, {"657700": 2})
    assert "in the course" not in run("dates", STEM, "--from", "canvas")  # again: nothing to ask for


def test_sections_and_students_each_the_latest_that_counts(dated, run, classroom):
    """DOE and LEE are in the second section; of several dates for one the latest counts, as in Canvas."""
    dated.overrides[71] = [
        {"id": 1, "course_section_id": 2, "due_at": "2027-04-01T14:59:00Z"},
        {"id": 2, "student_ids": [LEE], "due_at": "2027-03-31T20:59:00Z"},
        {"id": 3, "student_ids": [KIM], "unlock_at": "2027-03-01T00:00:00Z"},  # another kind of date
    ]
    run("dates", STEM, "--from", "canvas", "--yes")
    assert read(classroom) == (DUE, {"657701": 1, "657702": 1})


def test_where_every_section_has_its_own_the_earliest_is_the_class(dated, run, classroom):
    dated.assignments[71] |= {"due_at": None, "only_visible_to_overrides": True}
    dated.overrides[71] = [
        {"id": 1, "course_section_id": 1, "due_at": "2027-04-03T14:59:00Z"},
        {"id": 2, "course_section_id": 2, "due_at": BASE},
    ]
    run("dates", STEM, "--from", "canvas", "--yes")
    assert read(classroom) == (DUE, {"657700": 3, "657703": 3, "657704": 3})


def test_groups_have_dates_too(dated, run, classroom):
    dated.group_members[30] = [KIM, DOE]
    dated.overrides[71] = [{"id": 1, "group_id": 30, "due_at": "2027-04-01T02:59:00Z"}]
    run("dates", STEM, "--from", "canvas", "--yes")
    assert read(classroom) == (DUE, {"657700": 0.5, "657701": 0.5})


def test_a_day_is_the_calendars_where_clocks_change(dated, run, classroom):
    with (classroom.root / "nbgrader_config.py").open("a") as config:
        config.write('\nc.Dates.timezone = "Europe/Berlin"\n')
    dated.assignments[71]["due_at"] = "2027-03-27T22:59:00Z"  # 23:59; the next night has an hour less
    dated.overrides[71] = [{"id": 1, "student_ids": [KIM], "due_at": "2027-03-29T21:59:00Z"}]
    run("dates", STEM, "--from", "canvas", "--yes")
    assert read(classroom)[1] == {"657700": 2}


def test_what_the_class_alone_has_granted_stays(dated, run, classroom):
    run("dates", STEM, "--from", "canvas", "--yes")
    run("dates", STEM, "--extend", "657701=5", "--extend", "657702=1")
    dated.overrides[71] = [{"id": 1, "student_ids": [LEE], "due_at": BASE}]
    said = run("dates", STEM, "--from", "canvas", "--yes")
    assert "in the class alone: it stays, take it back with --extend ID=0 (1): 657701" in said
    assert read(classroom) == (DUE, {"657701": 5})


def test_never_is_said(dated, run, classroom):
    dated.overrides[71] = [
        {"id": 1, "student_ids": [KIM], "due_at": None},
        {"id": 2, "student_ids": [9999], "due_at": "2027-05-01T00:00:00Z"},
    ]
    said = run("dates", STEM, "--from", "canvas", "--yes")
    assert "never due in the course" in said and "657700" in said and read(classroom) == (DUE, {})
    dated.assignments[71]["due_at"] = None
    assert "no due date of masking" in run("dates", STEM, "--from", "canvas", code=2)


def test_lateness_that_somebody_has_set_by_hand_is_said(dated, run, classroom, notebook):
    for user, status in ((KIM, "none"), (DOE, "missing"), (LEE, None)):
        dated.hand_in(71, user, notebook(), late_policy_status=status)
    assert "set by hand in the course; say it here with --extend or --handed-in (1): 657700 (none)" in run(
        "dates", STEM, "--from", "canvas", "--yes"
    )
