"""Who has copied is found whatever was renamed and reordered; who has not is left alone."""

import json
import shutil
from pathlib import Path

import pytest

from grader.classroom.folder import Classroom
from grader.classroom.sample import Sample
from grader.classroom.similarity import compare, features, marked_lines, similarity
from grader.classroom.similarity_page import similarity_page
from grader.errors import GraderError
from grader.exercise import find_exercise
from grader.results import write_whole

ORIGINAL = """
def attend(q, k, v):
    # 먼저 점수를 구합니다
    scores = q @ k.transpose(-2, -1)
    width = q.shape[-1] ** 0.5
    weights = (scores / width).softmax(-1)
    return weights @ v
"""
COPY = """
def attend(query, keys, values):
    w: float = query.shape[-1] ** 0.5

    s = query @ keys.transpose(-2, -1)   # 먼저, 점수를 구합니다!
    a = (s / w).softmax(-1)
    return a @ values
"""


def test_renaming_reordering_and_layout_change_nothing():
    assert features(ORIGINAL) == features(COPY)
    assert features(ORIGINAL) != features(ORIGINAL.replace("-2, -1", "-1, -2"))
    assert features(ORIGINAL) != features(ORIGINAL.replace("softmax", "sigmoid"))


def test_what_is_no_python_is_compared_by_its_lines():
    broken = "def f(x)\n    return x * 2 + 1\n"
    assert features(broken) == features(broken.replace(" * ", "*")) and len(features(broken)) == 2
    assert features("") == features('"""Words."""\npass') == set()
    assert features("%matplotlib inline\n!pip install x\n") == set()


def test_shared_lines_are_marked_where_they_stand():
    shared = features("def f(query):\n    w = query.shape[-1] ** 0.5")
    assert marked_lines(COPY, shared) == {3} and marked_lines(ORIGINAL, shared) == {5}


def test_a_copy_stands_out_and_common_answers_do_not():
    def own(number):
        steps = [f"    x{k} = step_{number}_{k}(x, {number + k})" for k in range(4)]
        return "\n".join(["def attend(x):", *steps, "    return x0 + x3"])

    answers = {f"s{n:02}": {"attend": own(n)} for n in range(30)}
    answers |= {f"t{n:02}": {"attend": "def attend(x):\n    y = x * 2\n    return y + 1"} for n in range(8)}
    answers |= {"first": {"attend": ORIGINAL}, "second": {"attend": COPY}}
    found = compare(answers, {}, {})
    assert [(pair.first, pair.second) for pair in found.pairs] == [("first", "second")]
    assert found.pairs[0].expected < 0.05 and found.compared == 40 * 39 // 2
    assert compare(answers, {"attend": ORIGINAL}, {}).pairs == []  # it was handed out so


def test_a_class(masking_class, tmp_path):
    classroom = Classroom.open(Path(shutil.copytree(masking_class, tmp_path / "class")))
    sample = Sample(classroom, find_exercise("masking"))
    wrong = ["forgot_the_diagonal", "transposed"]
    for number in range(12):
        mistakes = (
            {"look_ahead_mask": sample.mistaken("look_ahead_mask", wrong[number % 2])} if number % 3 else {}
        )
        notebook = sample.solved(**mistakes)
        if number in (4, 9):
            own = sample.answer("padding_mask").replace(
                "return ", "a = lengths + 0\n    b = a.clone() * 1\n    return "
            )
            own = own.replace(" b ", " c ") if number == 9 else own
            notebook = sample.solved(**{**mistakes, "padding_mask": own + "\n# 나만의 방법 <b>\n"})
        write_whole(classroom.submitted("masking", f"s{number}"), json.dumps(notebook).encode())
    write_whole(classroom.submitted("masking", "broken"), b"{")
    found = similarity(classroom, "masking")
    assert [(pair.first, pair.second) for pair in found.pairs] == [("s4", "s9")]
    page = similarity_page(found, {"s4": "<유>"}, "봄")
    assert (
        "&lt;유&gt; · s9" in page and "<mark># 나만의 방법 &lt;b&gt;</mark>" in page and "<script" not in page
    )
    for number in range(4):
        classroom.submitted("masking", f"s{number}").unlink()
    with pytest.raises(GraderError, match="8 have handed in"):
        similarity(classroom, "masking")
