"""Two results in the wrong order are named, whatever the exercise, at home and in a class; nothing else is."""

import pytest
import torch
from torch import nn

from grader.exercise import PublicExercise, find_exercise
from grader.judging import turned
from grader.judging.judge import judge
from grader.judging.suite import Local, gradients, mutated, place
from grader.sandbox import Sandbox
from grader.student.check import check_names

# Functions; a class that a test first moves to a device; numbers in place of tensors; one whose first test is not of values.
SWAPPED = {
    "inference": ["quantize_groups", "absorbed_attention", "verify_drafts"],
    "linear_attention": ["gated_delta_rule"],
    "adaptive_span": ["AdaptiveSpanAttention"],
    "modern": ["GroupedQueryAttention"],
    "evaluation": ["yarn_frequencies", "judge_fairly"],
    "reasoning": ["completion_log_probs"],
}
CASES = [(stem, question) for stem, questions in SWAPPED.items() for question in questions]
FUNCTION = """
right_{0} = {0}

def {0}(*args, **kwargs):
    one, other = right_{0}(*args, **kwargs)
    return other, one
"""
CLASS = """
class {0}({0}):
    def forward(self, *args, **kwargs):
        one, other = super().forward(*args, **kwargs)
        return other, one
"""


def swapped(stem, question):
    return (CLASS if question[0].isupper() else FUNCTION).format(question)


@pytest.mark.parametrize(("stem", "question"), CASES)
def test_named_at_home(stem, question):
    exercise = find_exercise(stem)
    names = dict(exercise.names)
    exec(swapped(stem, question), names)
    [result] = check_names(PublicExercise(exercise.folder), names, question)
    assert (result.mistake, result.mistake_reason) == (turned.NAME, turned.HINT) and result.read
    assert "wrong order" in PublicExercise(exercise.folder).words("en")(turned.HINT)


def test_named_in_a_class():
    with Sandbox() as server:
        for stem, question in CASES:
            exercise = find_exercise(stem)
            with server.run([exercise.answers, swapped(stem, question)]) as run:
                asked = {"reference": exercise.reference, "questions": [question]}
                [result] = judge(run.student, exercise.suite, mistakes=exercise.mistakes, **asked)
            assert result.mistake == turned.NAME, question


def test_a_banks_own_word_on_it_stays():
    exercise = find_exercise("modern")
    names = dict(exercise.names)
    exec(swapped("modern", "route"), names)
    [result] = check_names(PublicExercise(exercise.folder), names, "route")
    assert result.mistake == "experts_first"


def test_what_is_wrong_either_way_is_not_named():
    exercise = find_exercise("inference")
    code = "def quantize_groups(weight, bits, group):\n    return weight[..., :1], weight"
    names = dict(exercise.names)
    exec(code, names)
    [result] = check_names(PublicExercise(exercise.folder), names, "quantize_groups")
    assert result.mistake != turned.NAME


def test_gradients_and_placed_functions_see_the_answer_turned():
    class Pair(nn.Module):
        def forward(self, x):
            return 2 * x, 3 * x.clone()

    student = turned.Turned(Local({"Pair": Pair, "other": lambda x: (x, 2)}), "Pair")
    pair, x = student.Pair().double(), torch.ones(2, dtype=torch.float64)
    assert [part.tolist() for part in pair(x)] == [[3, 3], [2, 2]]
    assert [gradients(pair, x, output=i)["inputs"][0].tolist() for i in (0, 1)] == [[3, 3], [2, 2]]
    assert mutated(pair, x) == [] and student.other(1) == (1, 2)
    assert place(student, is_module)(pair) is True


def is_module(given):
    return isinstance(given, torch.nn.Module)
