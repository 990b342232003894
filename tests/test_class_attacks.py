"""A class in which some tamper with the file that they hand in: each gets its verdict, nobody else notices.

What a notebook's cells may try is in tests/attacks; here it is the file around them, and what lies in its place.
"""

import copy
import json
import os
import socket
import sqlite3
import sys
from pathlib import Path

import pytest
from one_judge import OneJudge

from grader.classroom.batch import grade_class
from grader.classroom.demo import FULL
from grader.classroom.folder import Classroom
from grader.classroom.newclass import make_class
from grader.classroom.sample import Sample, grade_id
from grader.exercise import find_exercise
from grader.results import write_whole

STEM = "masking"
SECRET = "a line of somebody else's"
PYTHON_314 = sys.version_info >= (3, 14)  # evaluates annotations late, and reads JSON of any depth
NOTHING = dict.fromkeys(FULL, 0.0)
HONEST = {"honest right": {}, "honest wrong": {"look_ahead_mask": 0.0}, "honest untouched": NOTHING}

# By attack: points of each question that is not full, or the whole reason for which there are none.
EXPECTED: dict[str, dict[str, float] | str] = {}
ATTACKS = {}


def attack(expected):
    """Mark a change to a right (or untouched) notebook, with what must come of it."""

    def mark(change):
        name = change.__name__.replace("_", " ")
        EXPECTED[name], ATTACKS[name] = expected, change
        return change

    return mark


def cell(notebook, name):
    return next(cell for cell in notebook["cells"] if grade_id(cell) == name)


def about(notebook, name):
    return cell(notebook, name)["metadata"]["nbgrader"]


@attack(NOTHING)
def check_cells_that_give_points(right, untouched):
    for name in FULL:
        cell(untouched, f"check_{name}")["source"] = "10.0"
    return untouched


@attack(NOTHING)
def unlocked_check_cells(right, untouched):
    for name in FULL:
        about(untouched, f"check_{name}")["locked"] = False
        cell(untouched, f"check_{name}").update(cell_type="markdown", source="10")
    return untouched


@attack(NOTHING)
def outputs_that_show_points(right, untouched):
    for made in untouched["cells"]:
        if made["cell_type"] == "code":
            result = {"output_type": "execute_result", "data": {"text/plain": "10.0"}, "metadata": {}}
            made["outputs"] = [{**result, "execution_count": 1}]
    return untouched


@attack(NOTHING)
def results_in_the_metadata(right, untouched):
    forged = {"verdict": "graded", "questions": [{"question": q, "earned": 99} for q in FULL]}
    untouched["metadata"].update(grader=forged, nbgrader={"score": 10, "max_score": 10})
    return untouched


@attack({})
def a_check_cell_deleted(right, untouched):
    right["cells"].remove(cell(right, "check_masked_softmax"))
    return right


@attack({})
def a_check_cell_doubled(right, untouched):
    right["cells"].append(copy.deepcopy(cell(right, "check_masked_softmax")))
    return right


@attack({})
def a_check_cell_renamed(right, untouched):
    about(right, "check_masked_softmax")["grade_id"] = "check_padding"
    return right


@attack({})
def two_check_cells_exchanged(right, untouched):
    one, other = about(right, "check_look_ahead_mask"), about(right, "check_masked_softmax")
    one["grade_id"], other["grade_id"] = other["grade_id"], one["grade_id"]
    one["points"], other["points"] = 1.5, 3
    return right


@attack({} if PYTHON_314 else NOTHING)
def cells_in_reverse(right, untouched):
    right["cells"].reverse()  # what an answer's annotations name is not there yet when its cell runs
    return right


@attack(NOTHING)
def no_metadata_and_every_check_twice(right, untouched):
    untouched["cells"] += copy.deepcopy(untouched["cells"])
    for made in untouched["cells"]:
        made["metadata"] = {}
    return untouched


@attack({})
def another_file_name(right, untouched):
    return lambda path, classroom: path.with_name("masking_최종 <b>.ipynb").write_text(json.dumps(right))


@attack("제출 폴더에 masking.ipynb 파일이 없습니다. 있는 노트북: a.ipynb, b.ipynb")
def two_other_file_names(right, untouched):
    def write(path, classroom):
        for name in ("a.ipynb", "b.ipynb"):
            path.with_name(name).write_text(json.dumps(right))

    return write


@attack({})
def points_that_are_more(right, untouched):
    about(right, "check_padding_mask")["points"] = 1e9
    return right


@attack({})
def points_that_are_no_number(right, untouched):
    about(right, "check_padding_mask")["points"] = float("nan")
    return right


@attack({})
def points_that_are_text(right, untouched):
    about(right, "check_padding_mask")["points"] = "2"
    return right


@attack({})
def a_check_cell_that_is_not_graded(right, untouched):
    about(right, "check_padding_mask")["grade"] = False
    return right


@attack({})
def a_check_cell_more(right, untouched):
    bonus = copy.deepcopy(cell(right, "check_padding_mask"))
    bonus["metadata"]["nbgrader"].update(grade_id="bonus", points=100)
    right["cells"].append(bonus)
    return right


@attack({})
def an_answer_that_is_graded(right, untouched):
    about(right, "look_ahead_mask").update(grade=True, points=100)
    return right


@attack({})
def a_look_alike_of_a_name(right, untouched):
    about(right, "check_padding_mask")["grade_id"] = "check_p\N{CYRILLIC SMALL LETTER A}dding_mask"
    return right


@attack({})
def a_null_byte_in_a_name(right, untouched):
    about(right, "check_padding_mask")["grade_id"] = "check_padding_mask\0"
    return right


@attack({"look_ahead_mask": 0.0})
def null_bytes_in_the_source(right, untouched):
    cell(right, "look_ahead_mask")["source"] = "def look_ahead_mask(length, device=None):\0\n    return True"
    return right


@attack({})
def half_a_surrogate_pair_in_the_source(right, untouched):
    cell(right, "look_ahead_mask")["source"] += "\n# \ud800 \N{RIGHT-TO-LEFT OVERRIDE}"
    return right


@attack({})
def other_answers_behind_a_doubled_name(right, untouched):
    # Two cells with the id of one answer: both run, in their order, and nothing is graded twice.
    right["cells"].insert(0, copy.deepcopy(cell(right, "look_ahead_mask")))
    right["cells"][0]["source"] = "look_ahead_mask = None"
    return right


@attack({} if PYTHON_314 else "파일이 JSON이 아닙니다. 노트북을 저장해 다시 제출해야 합니다.")
def nesting_without_end(right, untouched):
    return json.dumps(right).replace("{", '{"deep": ' + "[" * 200_000 + "]" * 200_000 + ", ", 1)


@attack("파일이 JSON이 아닙니다. 노트북을 저장해 다시 제출해야 합니다.")
def no_text_at_all(right, untouched):
    return b"\xff\xfe\x00PK\x03\x04" * 100


@attack({})
def twenty_megabytes_of_outputs(right, untouched):
    stream = {"output_type": "stream", "name": "stdout", "text": "x" * (20 << 20)}
    cell(right, "padding_mask")["outputs"] = [stream]
    return right


@attack("파일이 500 MB이고, 출력을 빼도 32 MB가 넘습니다. 32 MB까지 채점합니다.")
def half_a_gigabyte_of_outputs(right, untouched):
    def write(path, classroom):
        path.write_text(json.dumps(right))
        os.truncate(path, 500 << 20)  # as if it were that: it is not read

    return write


def link_to(target):
    return lambda path, classroom: path.symlink_to(target(classroom))


REFUSED_LINK = "masking.ipynb 파일을 열 수 없습니다 (Too many levels of symbolic links)."


@attack(REFUSED_LINK)
def a_link_to_another_student(right, untouched):
    return link_to(lambda classroom: classroom.submitted(STEM, "honest right"))


@attack(REFUSED_LINK)
def a_link_to_the_source(right, untouched):
    return link_to(lambda classroom: classroom.root / "source" / STEM / f"{STEM}.ipynb")


@attack(REFUSED_LINK)
def a_link_to_a_device(right, untouched):
    return link_to(lambda classroom: "/dev/zero")


@attack("masking.ipynb이 보통 파일이 아닙니다.")
def a_pipe(right, untouched):
    return lambda path, classroom: os.mkfifo(path)


@attack("masking.ipynb이 보통 파일이 아닙니다.")
def a_folder(right, untouched):
    return lambda path, classroom: path.mkdir()


@attack("masking.ipynb 파일을 열 수 없습니다 (No such device or address).")
def a_socket(right, untouched):
    def bind(path, classroom):
        os.chdir(path.parent)  # an address is 107 bytes long at most
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)

    return bind


@attack({})
def a_time_that_never_was(right, untouched):
    def write(path, classroom):
        path.write_text(json.dumps(right))
        path.with_name("timestamp.txt").write_text("0001-01-01 00:00:00 +14:00")

    return write


@attack({})
def a_time_in_a_pipe(right, untouched):
    def write(path, classroom):
        path.write_text(json.dumps(right))
        os.mkfifo(path.with_name("timestamp.txt"))

    return write


@attack({})
def files_beside_the_notebook(right, untouched):
    def write(path, classroom):
        path.write_text(json.dumps(right))
        for name in (
            "gradebook.db",
            "nbgrader_config.py",
            "torch.py",
            "grader.py",
            "sitecustomize.py",
            "[x]*.ipynb",
        ):
            path.with_name(name).write_text("raise SystemExit")

    return write


@pytest.fixture(scope="module")
def classroom(tmp_path_factory):
    """The class, graded in one batch."""
    root, exercise = tmp_path_factory.mktemp("attacked") / "class", find_exercise(STEM)
    make_class(root, [exercise], None)
    made = Classroom.open(root)
    sample = Sample(made, exercise)
    honest = {
        "honest right": sample.solved(padding_mask=f"# {SECRET}\n" + sample.answer("padding_mask")),
        "honest wrong": sample.solved(
            look_ahead_mask=sample.mistaken("look_ahead_mask", "forgot_the_diagonal")
        ),
        "honest untouched": sample.released,
    }
    for student, notebook in honest.items():
        write_whole(made.submitted(STEM, student), json.dumps(notebook).encode())
    before = Path.cwd()
    for name, change in ATTACKS.items():
        content = change(sample.solved(), copy.deepcopy(sample.released))
        path = made.submitted(STEM, name)
        path.parent.mkdir(parents=True)
        if callable(content):
            content(path, made)
            os.chdir(before)
        else:
            text = json.dumps(content) if isinstance(content, dict) else content
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
    (root / "submitted" / "a linked folder").mkdir()
    (root / "submitted" / "a linked folder" / STEM).symlink_to(made.submitted(STEM, "honest right").parent)
    (root / "submitted" / "a linked student").symlink_to(root / "submitted" / "honest right")
    return made


@pytest.fixture(scope="module")
def outcome(classroom):
    judge = OneJudge(classroom, STEM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.classroom.batch.Judges", judge)
        yield grade_class(classroom, STEM)
    judge.close()


@pytest.mark.parametrize("student", [*HONEST, *ATTACKS])
def test_everybody_gets_exactly_what_they_must(outcome, student):
    expected = {**HONEST, **EXPECTED}[student]
    submission = outcome.submissions[student]
    if isinstance(expected, str):
        assert (submission.verdict, submission.reason) == ("ungradable", expected)
        assert submission.questions == []
    else:
        earned = {result.question: result.earned for result in submission.questions}
        assert (submission.verdict, submission.reason) == ("graded", "")
        assert earned == {**FULL, **expected}


def test_the_batch_grades_everybody_and_no_link(outcome, classroom):
    assert outcome.failures == {}
    assert outcome.submissions.keys() == HONEST.keys() | ATTACKS.keys()
    assert classroom.refused(STEM) == ["a linked folder", "a linked student"]


def test_the_gradebook_knows_no_other_points(outcome, classroom):
    with sqlite3.connect(classroom.root / "gradebook.db") as database:
        cells = dict(database.execute("SELECT name, max_score FROM base_cell JOIN grade_cells USING (id)"))
        query = """SELECT a.student_id, sum(g.auto_score) FROM submitted_assignment a
            JOIN submitted_notebook n ON n.assignment_id = a.id JOIN grade g ON g.notebook_id = n.id GROUP BY 1"""
        sums = dict(database.execute(query))
    assert cells == {f"check_{name}": points for name, points in FULL.items()}
    for student, expected in {**HONEST, **EXPECTED}.items():
        entered = None if isinstance(expected, str) else sum({**FULL, **expected}.values())
        assert sums[student] == entered, student


def test_nothing_of_anybody_elses_is_marked(outcome, classroom):
    holding = {
        path.parts[-3] for path in classroom.root.glob("autograded/*/*/*.ipynb") if SECRET in path.read_text()
    }
    assert holding == {"honest right"}
