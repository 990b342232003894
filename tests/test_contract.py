"""The contract of every answer: each way to break it is seen, and a polite answer breaks none."""

import pytest
import torch
import torch.nn.functional as F

from grader.judging.contract import assert_manners, bad_manners, finite_gradients, how_refused, unreached
from grader.judging.observed import leading_axes, temperature
from grader.judging.suite import Local, scattered
from grader.sandbox import Limits, Sandbox

ANSWERS = """
import torch

def polite(x, y):
    return x @ y, None

def in_float32(x, y):
    return (x @ y).float()

def fails_in_float64(x, y):
    return x @ y @ torch.ones(y.shape[1], 1)

def in_place(x, y):
    found = x @ y
    y.mul_(2)
    return found

def half_cut(x, y):
    return x @ y.detach()

def all_cut(x, y):
    return (x @ y).detach()

def no_tensor(x, y):
    return (x @ y).tolist()

def elsewhere(x, y):
    return x @ y + torch.zeros(y.shape[1], dtype=x.dtype)
"""
BROKEN = {
    "polite": "none",
    "in_float32": "dtype",
    "fails_in_float64": "dtype",
    "in_place": "in place",
    "half_cut": "gradient to 1",
    "all_cut": "gradients",
    "no_tensor": "gradients",
    "elsewhere": "device",
}


@pytest.fixture(scope="module", params=["at home", "in a class"])
def student(request):
    if request.param == "at home":
        names = {}
        exec(ANSWERS, names)
        yield Local(names)
    else:
        with (
            Sandbox(Limits(wall=60, call=30, memory_mb=900, threads=4)) as server,
            server.run([ANSWERS]) as run,
        ):
            yield run.student


def inputs():
    return scattered((2, 3, 4), 1), scattered((4, 5), 2)


@pytest.mark.parametrize(("name", "broken"), BROKEN.items())
def test_the_first_broken_promise_is_named(student, name, broken):
    given = inputs()
    assert bad_manners(student, getattr(student, name), *given) == broken
    assert all(map(torch.equal, given, inputs()))


def test_what_need_not_learn_may_be_cut(student):
    assert bad_manners(student, student.half_cut, *inputs(), learns=["0"]) == "none"
    assert bad_manners(student, student.all_cut, *inputs(), learns=()) == "none"
    assert unreached(["0", "1"], student.half_cut, *inputs()) == ["1"]


def test_tests_ask_for_arguments_and_device(student):
    assert_manners(student, student.polite, *inputs())
    assert_manners(student, student.half_cut, *inputs())
    for name in ("in_place", "elsewhere"):
        with pytest.raises(AssertionError, match="바뀌었습니다|장치"):
            assert_manners(student, getattr(student, name), *inputs())


def test_gradients_that_are_no_numbers_are_seen():
    assert finite_gradients(torch.sqrt, torch.ones(2))
    assert not finite_gradients(torch.sqrt, torch.zeros(2))
    with pytest.raises(RuntimeError):
        finite_gradients(torch.Tensor.detach, torch.ones(2))


def test_refusals():
    def refuse(error):
        raise error

    errors = ValueError, RuntimeError
    assert [how_refused(refuse, error) for error in errors] == ["refused", "another error"]
    assert how_refused(abs, 1) == "accepted"


def attend(query, key, value, axis=-1):
    weights = (query @ key.mT).softmax(axis)
    return weights @ value, weights


def test_axes_and_temperature_of_attention():
    given = [scattered((2, 3, *shape), i) for i, shape in enumerate([(4, 5), (6, 5), (6, 7)])]
    assert leading_axes(attend, *given) == "any number"
    assert leading_axes(lambda *x: attend(*x, axis=0), *given) == "another axis"
    assert leading_axes(lambda q, k, v: attend(q, k, v) if q.dim() < 4 else None, *given) == "one only"
    assert leading_axes(lambda q, k, v: attend(q, k, v) if q.dim() < 3 else None, *given) == "none"
    scores = scattered((4, 5), 3)
    right = F.softmax(scores, -1)
    kinds = [temperature((factor * scores).softmax(-1), right) for factor in (1, 2, 0.5)]
    assert kinds == ["ours", "another", "another"]
    assert temperature(scores.abs().softmax(-1), right) == "ours"
