"""One mistake is paid for once, and nobody gains by one."""

import json
from contextlib import contextmanager
from functools import cache

import pytest
import torch
from sampled import one_in

from grader.classroom.folder import Classroom
from grader.classroom.judge_process import JudgeSettings, make_grader
from grader.classroom.newclass import make_class
from grader.classroom.recording import read_job
from grader.classroom.sample import Sample
from grader.exercise import PublicExercise, find_exercise
from grader.judging.follow import apart, class_stand_in, foundations, stand_in, substitute
from grader.judging.follow import make_class as class_elsewhere
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


@contextmanager
def grading_in_a_class(root, stem, notebooks_of):
    """What a class' judge makes of a notebook, by the names that `notebooks_of` gives them for a Sample."""
    exercise = find_exercise(stem)
    make_class(root, [exercise], None)
    classroom = Classroom.open(root)
    grader = make_grader(JudgeSettings(classroom.root, stem, unconfined=False))
    notebooks = notebooks_of(Sample(classroom, exercise))

    @cache
    def graded(student):
        write_whole(classroom.submitted(stem, student), json.dumps(notebooks[student]).encode())
        return grader.grade(read_job(classroom, stem, student, "rules"))

    yield graded
    grader.close()


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    def notebooks(sample):
        wrong = {"split_heads": sample.mistaken("split_heads", "positions_behind_features")}
        unscaled = sample.answer("MultiHeadAttention").replace("math.sqrt(Q.shape[-1])", "1.0")
        assert unscaled != sample.answer("MultiHeadAttention")
        return {
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

    with grading_in_a_class(tmp_path_factory.mktemp("follow") / "class", STEM, notebooks) as graded:
        yield graded


def results(graded, student):
    submission = graded(student).submission
    assert submission.verdict == "graded", submission.reason
    return {result.question: result for result in submission.questions}


@pytest.mark.parametrize("student", one_in(2, ["one mistake", "fails"]))
def test_what_builds_on_a_mistake_is_judged_without_it(graded, student):
    found = results(graded, student)
    assert found["split_heads"].earned < 2
    for question, points in {"merge_heads": 1.5, "MultiHeadAttention": 4.5, "load_from_torch": 2}.items():
        assert found[question].earned == points
    assert "앞 문제 `split_heads`의 답이 틀려서" in found["MultiHeadAttention"].reason
    assert found["MultiHeadAttention"].excused == ["split_heads"]
    assert "앞 문제 `split_heads`의 답이 틀려서" in graded(student).notebook.decode()


def test_what_stands_in_does_nothing_that_is_for_home():
    """It would train, or load a model, for seconds and for each submission with a mistake."""
    exercise, names = find_exercise(STEM), {"__name__": "__main__"}
    called = "\n    where_heads_look("
    assert called in exercise.source.read_text(encoding="utf-8")
    assert called not in exercise.answers
    exec(compile(exercise.answers, "answers", "exec"), names)
    assert set(exercise.suite.questions) <= {*names}


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


# A wrong part, what is built of it, a change that makes that wrong itself.
BUILT = {
    "all_attention": ("PersistentAttention", "NoScale", "AllAttentionLayer", "norm(x + ", "norm("),
    "decoder": ("DecoderLayer", "GradientCut", "Decoder", "in self.layers:", "in self.layers[:1]:"),
    "encoder": ("EncoderLayer", "GradientCut", "Encoder", "in self.layers:", "in self.layers[:1]:"),
    "modern": ("GroupedQueryAttention", "NoScale", "Llama", "x = x + layer.mlp", "x = layer.mlp"),
}
# Where no module can stand in (a cache that a call fills, a constructor that takes objects), it is said whose fault it is.
BLAMED = {
    "gpt": ("CausalSelfAttention", "NoScale", ["Block", "GPT"]),
    "bert": ("BertEmbeddings", "NoPositions", ["BertModel"]),
}


@pytest.mark.parametrize(("stem", "built"), one_in(4, BUILT.items(), lambda stem, _: stem))
@pytest.mark.whole
def test_layers_stand_in_gradients_dropout_and_all_and_what_they_build_pays_for_its_own(
    stem, built, tmp_path
):
    part, mistake, whole, right, wrong = built

    def notebooks(sample):
        own = sample.answer(whole).replace(right, wrong)
        assert own != sample.answer(whole)
        mistaken = {part: sample.mistaken(part, mistake)}
        return {"right": sample.solved(**mistaken), "wrong": sample.solved(**mistaken, **{whole: own})}

    with grading_in_a_class(tmp_path / "class", stem, notebooks) as graded:
        its_part, right, wrong = (
            results(graded, s)[q] for s, q in (("right", part), ("right", whole), ("wrong", whole))
        )
    assert its_part.earned < its_part.possible
    assert (right.earned, right.excused) == (right.possible, [part])
    assert wrong.earned <= right.possible * 0.6


@pytest.mark.parametrize(("stem", "built"), one_in(4, BLAMED.items(), lambda stem, _: stem))
@pytest.mark.whole
def test_what_cannot_be_judged_without_a_mistake_says_whose_it_is(stem, built, tmp_path):
    part, mistake, wholes = built

    def notebooks(sample):
        return {"s": sample.solved(**{part: sample.mistaken(part, mistake)})}

    with grading_in_a_class(tmp_path / "class", stem, notebooks) as graded:
        found = results(graded, "s")
    blamed = [result for result in found.values() if result.blamed]
    assert [result.question for result in blamed] == wholes
    for result in blamed:
        assert result.blamed[0] == part and result.excused == []
        assert f"앞 문제 `{part}`" in result.reason


class Dropping(torch.nn.Module):
    """A part by whose values each thing that a stand-in passes on can be told."""

    def __init__(self, size, shift=0.0):
        super().__init__()
        self.shift = shift
        self.inner = torch.nn.ModuleList([torch.nn.Linear(size, size)])

    def forward(self, x, scale=1.0):
        return torch.nn.functional.dropout(
            self.inner[0](x), 0.5, self.training
        ) * scale + self.shift, self.training


def test_a_module_that_computes_elsewhere_has_the_parameters_the_mode_and_one_draw_there_and_back():
    new, called = apart(Dropping)
    calls = []
    Elsewhere = class_elsewhere(new, lambda *args, **kwargs: calls.append(kwargs) or called(*args, **kwargs))
    second, first = Elsewhere(4, shift=1.0), Elsewhere(4)
    like = Dropping(4, shift=1.0)
    assert [*first.state_dict()] == [*like.state_dict()]
    assert not torch.equal(first.inner._modules["0"].weight, second.inner._modules["0"].weight)
    like.load_state_dict(second.state_dict())
    x = torch.randn(3, 4, requires_grad=True)
    for module in (second, like):
        module.eval()
    (here, training), (there, _) = like(x, scale=2.0), second(x, scale=2.0)
    torch.testing.assert_close(there, here)
    assert training is False
    there.sum().backward()
    [gradient] = [p.grad for p in second.parameters()][:1]
    assert gradient is not None and gradient.abs().sum() > 0
    with torch.no_grad():  # what is learned counts at the next call
        for parameter in second.parameters():
            parameter.zero_()
    assert (second(x)[0] == 1).all()
    first.train()
    (one, training), (other, _) = first(x), first(x)
    assert training is True and not torch.equal(one, other)
    again, _ = called(x, **calls[-1])
    torch.testing.assert_close(again, other)  # backward computes the call anew: with the same draw


def test_functions_and_modules_can_stand_in_and_nothing_else():
    names = {"f": lambda x: x, "g": make_class, "Layer": torch.nn.Linear, "Sizes": dict}
    assert [substitute(names[n]) for n in names] == [stand_in, stand_in, class_stand_in, None]


def test_nobody_reads_the_courses_source_or_harms_the_judge(graded):
    for student in ("spies", "hostile"):
        found = results(graded, student)
        assert found["MultiHeadAttention"].earned == 0
        assert found["merge_heads"].earned == 1.5
    assert "FOUND" in graded("spies").notebook.decode()
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
