"""Errors that everybody meets, answers that print instead of returning, numpy: the words that a student reads."""

import linecache
import re

import pytest
import torch
from torch import nn

from grader.exercise import ROOT, PublicExercise, find_exercise
from grader.judging.failures import _ADVICE
from grader.judging.names import is_silent
from grader.student.check import check_names, result_lines
from grader.words import IN_KOREAN

# Wrong answers of `attention` and `encoder`, each by a word of the advice on its error.
MEETS = {
    "is not None": "if mask:\n        scores = scores.masked_fill(~mask, -1e30)",
    "torch.no_grad": "nn.Parameter(torch.ones(2)).copy_(torch.zeros(2))",
    "torch의 함수": "nn.Parameter(torch.ones(2)).numpy()",
    "`[0]`": "torch.relu(scores.max(dim=-1))",
    "전치": "scores = query @ key",
    "keepdim": "scores = scores - scores[..., :-1]",
    "뒤에서부터(-1, -2)": "batch, n, d = query.shape",
    "reshape": "scores = query.mT.view(-1)",
    "dtype=x.dtype": "scores = query @ key.mT.double()",
    "정수 번호": "nn.Embedding(3, 4)(query)",
    "마지막 자리": "scores[99]",
    "print(x.shape)": "scores[0, 0, 0, 0]",
    "super().__init__": "Layer()",
    "`sort`": "scores.sort(-1, descending=True, stable=True)",
    "`torch.stack`": "torch.stack([scores, scores[..., :-1]])",
    "`...qd,...kd->...qk`": 'torch.einsum("bqd,bkd->bqk", query[..., 0, :], key[..., 0, :])',
    "`item()`": "scores.item()",
}
ATTENTION = """
class Layer(nn.Module):
    def __init__(self):
        self.map = nn.Linear(2, 2)

def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    {}
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
"""


def checked(stem, question, code):
    """A student's check of one answer, the others being right."""
    names = {**find_exercise(stem).names, "nn": nn}
    cell = f"<ipython-input-1-{abs(hash(code))}>"
    linecache.cache[cell] = (len(code), None, code.splitlines(True), cell)
    exec(compile(code, cell, "exec"), names)
    exercise = PublicExercise(ROOT / "exercises" / stem)
    [result] = check_names(exercise, names, question, sources=[code])
    return exercise, result


@pytest.mark.parametrize("word", MEETS)
def test_an_error_that_everybody_meets_says_what_to_do(word):
    exercise, result = checked("attention", "scaled_dot_product_attention", ATTENTION.format(MEETS[word]))
    said = next(case.reason for case in result.failures if case.reason.startswith("오류가 났습니다."))
    error, advice = re.fullmatch(r"오류가 났습니다\. (`[^`]+`) (.+)", said).groups()
    assert word in advice and advice in _ADVICE.values()
    in_english = exercise.words("en")(said)
    assert in_english.startswith(f"An error occurred: {error} ") and not re.search("[가-힣]", in_english)


def test_each_piece_of_advice_is_met():
    assert len(MEETS) == len(_ADVICE)


def test_a_changed_first_line_is_said_and_not_what_the_test_is_about():
    code = """
class EncoderLayer(nn.TransformerEncoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(d_model, num_heads, d_ff, dropout, batch_first=True, norm_first=norm_first)

    def forward(self, x, mask):
        return super().forward(x, mask)
"""
    _, result = checked("encoder", "EncoderLayer", code)
    assert "missing 1 required positional argument: 'mask'" in result.reason
    assert "기본값이 같아야 합니다" in result.reason and "batch_first" not in result.reason


@pytest.mark.parametrize("last", ["print(x)", "pass", "return", "return None"])
def test_an_answer_that_returns_nothing_is_told_so_whatever_else_it_looks_like(last):
    """Without a return the layer once read that its dropout was on in evaluation."""
    code = f"""
class DecoderLayer(DecoderLayer):
    def forward(self, x, memory, self_mask=None, memory_mask=None):
        def alike(x):
            return x
        x = alike(super().forward(x, memory, self_mask, memory_mask))
        {last}
"""
    exercise, result = checked("decoder", "DecoderLayer", code)
    assert result.mistake == "returns_nothing" and result.read
    told = [result_lines(result, "", words, 1) for words in (IN_KOREAN, exercise.words("en"))]
    for lines, words in zip(told, ("`return`이 없습니다", "there is no `return`"), strict=True):
        assert any(words in line for line in lines) and not any(
            "드롭아웃이 걸립니다" in line for line in lines
        )


def test_who_returns_on_some_way_or_was_right_later_is_not_told_so():
    returns = "def f(x):\n    if x:\n        return 1"
    assert is_silent("f", ["def f(x):\n    print(x)"]) and not is_silent("f", [returns])
    assert not is_silent("f", ["def f(x): ...", returns]) and is_silent("f", [returns, "def f(x): ..."])
    assert not is_silent("f", ["def f(x): ...", "f = lambda x: x"])
    assert not is_silent("f", ["def f(x):\n    yield x"]) and not is_silent("f", ["f = g", "(("])


def test_a_method_that_returns_nothing_to_the_tests_is_told_so():
    code = """
class KVCache(KVCache):
    def update(self, layer, key, value):
        super().update(layer, key, value)
"""
    _, result = checked("decoding", "KVCache", code)
    assert "None입니다" in result.reason and "`return`" in result.reason


def test_numpys_arrays_are_named_and_no_misconception_is_read_in_them():
    code = """
class DecoderLayer(DecoderLayer):
    def forward(self, *args, **kwargs):
        return super().forward(*args, **kwargs).detach().numpy()
"""
    _, result = checked("decoder", "DecoderLayer", code)
    assert result.mistake == "" and "numpy" in result.reason


def test_values_with_their_places_are_named():
    code = """
def pool(hidden, mask, how):
    return hidden.max(dim=1)
"""
    _, result = checked("bert", "pool", code)
    assert any("`.values`" in case.reason for case in result.failures)


def test_a_gradient_that_is_not_there_is_not_taken_for_an_answer_that_is_none():
    from grader.judging.suite import NoTensor, assert_close

    with pytest.raises(AssertionError) as missing:
        assert_close(None, torch.ones(1))
    assert not isinstance(missing.value, NoTensor)


@pytest.mark.parametrize(("found", "said"), [("weight[:1]", "값 2개를"), ("0.5", "값 여럿을")])
def test_who_returns_one_where_there_are_two_is_told_so(found, said):
    code = f"""
def quantize_groups(weight, bits, group):
    return {found}
"""
    exercise, result = checked("inference", "quantize_groups", code)
    assert result.reason.startswith(said) and "`return`" in result.reason
    assert not re.search("[가-힣]", exercise.words("en")(result.reason))


def test_a_list_with_which_a_test_can_do_nothing_is_named():
    code = """
def candidate_pairs(n, k):
    return [[0, 0]]
"""
    _, result = checked("product_key_memory", "candidate_pairs", code)
    assert result.reason == "텐서를 돌려주어야 하는데 list입니다." and not result.failures[0].detail
