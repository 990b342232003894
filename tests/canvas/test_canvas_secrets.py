"""The guide's lines in their order; and what they leave behind: neither token nor address, anywhere but in one file."""

import logging

import pytest
from canvas_server import DOE, KIM, LEE, STEM, TOKEN
from guide_lines import lines
from test_roster import grade


def test_both_guides_give_the_same_lines():
    assert lines("teaching.md", "canvas") == lines("teaching.ko.md", "canvas")


@pytest.fixture
def semester(canvas, run, classroom, notebook, caplog):
    """The guide's lines, on a class of three who have handed in; all that was said."""
    caplog.set_level(logging.DEBUG)
    canvas.assignments[71] |= {"due_at": "2027-03-31T14:59:00Z", "group_category_id": 5}
    canvas.groups, canvas.group_members = {5: {30: "1조"}}, {30: [LEE]}
    said = {}
    for user in (KIM, DOE, LEE):
        canvas.hand_in(71, user, notebook(str(user)))
    for _, command, *words in lines("teaching.md", "canvas"):
        words = words[: words.index("--class")]
        if command == "connect":
            words = [canvas.course]
        if command == "feedback":
            for student, points in (("657700", 8.5), ("657701", 10), ("657702", 1)):
                grade(classroom, student, points)
        asks = {"groups", "dates", "feedback", "export"} & {command}
        said[command] = run(command, *words, *(["--yes"] if asks else []), told=TOKEN + "\n")
    return said


def test_each_line_of_the_guide(canvas, semester):
    assert "5 people, 5 of them new" in semester["roster"] and "2027-03-31" in semester["dates"]
    assert "1 person in 1 group" in semester["groups"]
    assert "3 new" in semester["collect"] and "3 pages posted" in semester["feedback"]
    assert "3 scores written" in semester["export"]
    assert [canvas.submissions[71][user]["entered_score"] for user in (KIM, DOE, LEE)] == [8.5, 10, 1]


def test_neither_token_nor_address_is_left_anywhere(canvas, run, semester, classroom, tmp_path, caplog):
    canvas.faults = [("GET", "submissions", [(500, "")] * 9)]
    semester["broken"] = run("collect", STEM, "--from", "canvas", code=2)
    canvas.close()
    semester["gone"] = run("collect", STEM, "--from", "canvas", code=2)
    secrets = [TOKEN, str(canvas.port)]
    for text in semester.values():
        assert not any(secret in text for secret in secrets)
    logged = [record for record in caplog.records if record.name.startswith("grader")]
    assert not logged and TOKEN not in caplog.text  # urllib3 logs addresses, where somebody asks for DEBUG
    [kept] = (tmp_path / "home").rglob("*.json")
    found = [path for path in tmp_path.rglob("*") if path.is_file() and path != kept]
    assert len(found) > 20
    for path in found:
        content = path.read_bytes()
        assert not any(secret.encode() in content for secret in (TOKEN, canvas.address)), path


def test_the_page_in_canvas_names_nobody_elses(canvas, semester, classroom):
    for number, (name, content) in canvas.uploads.items():
        others = {"김민", "Doe John", "이서"} - {
            n for n in ("김민", "Doe John", "이서") if n.encode() in content
        }
        assert len(others) == 2, f"{number} {name}"
