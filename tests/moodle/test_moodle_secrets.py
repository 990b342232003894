"""The guide's lines in their order; and what they leave behind: neither token nor address, anywhere but in one file."""

import logging

import pytest
from guide_lines import lines
from moodle_server import DOE, KIM, LEE, STEM, TOKEN
from test_roster import grade

NAMES = ("김민", "Doe John", "이서")


def test_both_guides_give_the_same_lines():
    assert lines("teaching.md", "moodle") == lines("teaching.ko.md", "moodle")


@pytest.fixture
def semester(moodle, run, classroom, notebook, caplog):
    """The guide's lines, on a class of two in a group and one alone who have handed in; all that was said."""
    caplog.set_level(logging.DEBUG)
    moodle.assignments[71] |= {"duedate": 1_806_505_200, "teamsubmission": 1}
    moodle.teams = {KIM: (3, "1조"), DOE: (3, "1조"), LEE: (4, "2조")}
    said = {}
    for user in (KIM, LEE):
        moodle.hand_in(71, user, notebook(str(user)))
    for _, command, *words in lines("teaching.md", "moodle"):
        words = words[: words.index("--class")]
        if command == "connect":
            words = [moodle.course]
        if command == "export":
            for student, points in (("657700", 8.5), ("657701", 8.5), ("657702", 1)):
                grade(classroom, student, points)
        asks = {"groups", "dates", "feedback", "export"} & {command}
        said[command] = run(command, *words, *(["--yes"] if asks else []), told=TOKEN + "\n")
    return said


def test_each_line_of_the_guide(moodle, semester):
    assert "5 people, 5 of them new" in semester["roster"] and "2027-0" in semester["dates"]
    assert "3 people in 2 groups" in semester["groups"] and "3 new" in semester["collect"]
    assert "3 pages posted" in semester["feedback"] and "3 scores written" in semester["export"]
    assert moodle.entered() == {KIM: 8.5, DOE: 8.5, LEE: 1}
    # No page names anybody but its own student; no request has the token in its address.
    pages = [content for path, content in moodle.files.items() if path.endswith(".html")]
    assert len(pages) == 3 and all(sum(name.encode() in page for name in NAMES) <= 1 for page in pages)
    assert len(moodle.asked) > 20 and not any(TOKEN in path for path, _, _ in moodle.asked)


def test_neither_token_nor_address_is_left_anywhere(moodle, run, semester, classroom, tmp_path, caplog):
    moodle.faults = [("get_submissions", [(500, "")] * 9)]
    semester["broken"] = run("collect", STEM, "--from", "moodle", code=2)
    moodle.close()
    semester["gone"] = run("collect", STEM, "--from", "moodle", code=2)
    for text in semester.values():
        assert not any(secret in text for secret in (TOKEN, str(moodle.port)))
    logged = [record for record in caplog.records if record.name.startswith("grader")]
    assert not logged and TOKEN not in caplog.text  # urllib3 logs addresses, where somebody asks for DEBUG
    [kept] = (tmp_path / "home").rglob("*.json")
    found = [path for path in tmp_path.rglob("*") if path.is_file() and path != kept]
    assert len(found) > 20
    for path in found:
        content = path.read_bytes()
        assert not any(secret.encode() in content for secret in (TOKEN, moodle.address)), path
