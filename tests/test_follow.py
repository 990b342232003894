"""One mistake is paid for once, and nobody gains by one."""

import json

import pytest
import torch

from grader.classroom.batch import read_job
from grader.classroom.folder import Classroom
from grader.classroom.judges import Sitting, make_grader
from grader.classroom.newclass import make_class
from grader.classroom.sample import Sample
from grader.exercise import PublicExercise, find_exercise
from grader.judging.follow import class_stand_in, foundations, stand_in, substitute
from grader.results import write_whole
from grader.student.check import check_names

STEM = "multi_head_attention"
pytestmark = pytest.mark.timeout(900)  # seven notebooks, most of them judged twice

# What stands in for `split_heads` is searched for the course's source, and asked for everything it may give.
SPY = """
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        import gc, inspect
        found = []
        try:
            found.append(inspect.getsource(split_heads))
        except Exception:
            pass
        global looked
        objects = [] if "looked" in globals() else gc.get_objects()
        looked, mark = True, ".".join(["(num_heads, -1))", "transpose"])
        held = [t.values() if type(t) is dict else t for t in objects if type(t) in (dict, list, tuple)]
        found += [value for values in held for value in values if type(value) is str and mark in value]
        raise RuntimeError("FOUND" + "".join(found))
"""
# Asks the course's answer for more memory than there is, for ever, and with what is no tensor.
HOSTILE = """
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        for bad in (lambda: split_heads(torch.zeros(1, 1).expand(2**20, 2**20), 1), lambda: split_heads(self, 1),
                    lambda: split_heads(1, lambda: 1), lambda: split_heads(torch.zeros(2, 4), 10**400)):
            try:
                bad()
            except Exception:
                pass
        raise SystemExit
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    root = tmp_path_factory.mktemp("follow") / "class"
    make_class(root, [find_exercise(STEM)], None)
    classroom = Classroom.open(root)
    sample = Sample(classroom, find_exercise(STEM))
    wrong = {"split_heads": sample.mistaken("split_heads", "positions_behind_features")}
    unscaled = sample.answer("MultiHeadAttention").replace("math.sqrt(Q.shape[-1])", "1.0")
    assert unscaled != sample.answer("MultiHeadAttention")
    notebooks = {
        "one mistake": sample.solved(**wrong),
        "fails": sample.solved(split_heads="1 / 0"),
        "two mistakes": sample.solved(**wrong, MultiHeadAttention=unscaled),
        "a class": sample.solved(MultiHeadAttention=unscaled),
        "spies": sample.solved(**wrong, MultiHeadAttention=SPY),
        "hostile": sample.solved(**wrong, MultiHeadAttention=HOSTILE),
        "only builds": sample.solved(
            **wrong, merge_heads="def merge_heads(x):\n    return split_heads(x, 1)"
        ),
    }
    grader = make_grader(Sitting(classroom.root, STEM, unconfined=False))
    found = {}
    for student, notebook in notebooks.items():
        write_whole(classroom.submitted(STEM, student), json.dumps(notebook).encode())
        found[student] = grader.grade(read_job(classroom, STEM, student, "rules"))
    grader.close()
    return found


def results(graded, student):
    submission = graded[student].submission
    assert submission.verdict == "graded", submission.reason
    return {result.question: result for result in submission.questions}


@pytest.mark.parametrize("student", ["one mistake", "fails"])
def test_what_builds_on_a_mistake_is_judged_without_it(graded, student):
    found = results(graded, student)
    assert found["split_heads"].earned < 2
    for question, points in {"merge_heads": 1.5, "MultiHeadAttention": 4.5, "load_from_torch": 2}.items():
        assert found[question].earned == points
    assert "앞 문제 `split_heads`의 답이 틀려서" in found["MultiHeadAttention"].reason
    assert found["MultiHeadAttention"].excused == ["split_heads"]
    assert "앞 문제 `split_heads`의 답이 틀려서" in graded[student].notebook.decode()


def test_a_mistake_of_its_own_still_costs(graded):
    """As much as the same mistake alone, but for one small test: each submission's random inputs are its own."""
    found, alone = (results(graded, student)["MultiHeadAttention"] for student in ("two mistakes", "a class"))
    assert found.earned == pytest.approx(alone.earned, abs=0.25)
    assert max(found.earned, alone.earned) <= 2
    assert found.mistake == alone.mistake != ""


def test_modules_stand_in_for_a_wrong_class(graded):
    result = results(graded, "a class")["load_from_torch"]
    assert (result.earned, result.excused) == (2, ["MultiHeadAttention"])
    assert results(graded, "a class")["MultiHeadAttention"].earned < 4.5


def test_layers_stand_in_gradients_dropout_and_all_and_a_stack_pays_for_its_own_mistake(tmp_path):
    exercise = find_exercise("decoder")
    make_class(tmp_path / "class", [exercise], None)
    classroom = Classroom.open(tmp_path / "class")
    sample = Sample(classroom, exercise)
    wrong = {"DecoderLayer": sample.mistaken("DecoderLayer", "GradientCut")}
    one_layer = sample.answer("Decoder").replace("for layer in self.layers:", "for layer in self.layers[:1]:")
    assert one_layer != sample.answer("Decoder")
    notebooks = {"right": sample.solved(**wrong), "wrong": sample.solved(**wrong, Decoder=one_layer)}
    grader = make_grader(Sitting(classroom.root, "decoder", unconfined=False))
    found = {}
    for student, notebook in notebooks.items():
        write_whole(classroom.submitted("decoder", student), json.dumps(notebook).encode())
        found[student] = grader.grade(read_job(classroom, "decoder", student, "rules"))
    grader.close()
    right, its_own = (results(found, student)["Decoder"] for student in notebooks)
    assert (right.earned, right.excused) == (2.5, ["DecoderLayer"])
    assert its_own.earned <= 1


def test_functions_and_modules_can_stand_in_and_nothing_else():
    names = {"f": lambda x: x, "g": make_class, "Layer": torch.nn.Linear, "Sizes": dict}
    assert [substitute(names[n]) for n in names] == [stand_in, stand_in, class_stand_in, None]


def test_nobody_reads_the_courses_source_or_harms_the_judge(graded):
    for student in ("spies", "hostile"):
        found = results(graded, student)
        assert found["MultiHeadAttention"].earned == 0
        assert found["merge_heads"].earned == 1.5
    assert "FOUND" in graded["spies"].notebook.decode()
    said = " ".join(case.detail for case in results(graded, "spies")["MultiHeadAttention"].cases)
    assert "FOUND" in said and "(num_heads, -1)).transpose" not in said


def test_an_earlier_answer_does_not_replace_a_later_one(graded):
    assert results(graded, "only builds")["merge_heads"].earned == 0


def test_what_an_answer_builds_on_is_read_from_the_cells():
    suite = find_exercise(STEM).suite
    cells = [
        "%matplotlib inline\ndef helper(x):\n    return split_heads(x, 2)",
        "def broken(:",
        "def merge_heads(x):\n    return helper(x)",
        "class MultiHeadAttention:\n    pass",
        "merge_heads = lambda x: x",
    ]
    assert foundations(cells[:3], suite)["merge_heads"] == ["split_heads"]
    assert foundations(cells, suite)["merge_heads"] == []
    assert foundations(cells, suite)["split_heads"] == []


def test_at_home_it_is_said_whose_fault_it_is():
    exercise = find_exercise(STEM)
    right = "return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)"
    source = exercise.source.read_text(encoding="utf-8")
    assert right in source
    source = source.replace(right, "return x.unflatten(-1, (num_heads, -1))")
    names = {}
    exec(source, names)
    [result] = check_names(PublicExercise(exercise.folder), names, "MultiHeadAttention", [source])
    assert result.blamed == ["split_heads"] and "그것부터 고치십시오" in result.reason
