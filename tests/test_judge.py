"""The judge decides by how a test ends, whatever ends it."""

import pytest

from grader.judge import judge
from grader.suite import Case, Local, Suite


def verdict(test, names=None, **options):
    case = Case(test, 1, "f", "the hint", "page#anchor")
    [result] = judge(Local(names or {}), Suite("stem", [case], {}), **options)
    return result


def test_a_test_that_returns_earns_its_points():
    def test_right(student): ...

    assert verdict(test_right).earned == 1


@pytest.mark.parametrize(
    "error", [AssertionError("no"), ValueError("no"), SystemExit(0), pytest.fail.Exception("DID NOT RAISE")]
)
def test_a_test_that_raises_earns_nothing(error):
    def test_wrong(student):
        raise error

    result = verdict(test_wrong)
    assert (result.earned, result.reason, result.read) == (0, "the hint", "page#anchor")


def test_a_missing_name_is_said():
    def test_calls(student):
        student.f()

    assert verdict(test_calls).reason == "노트북에 `f`이라는 이름이 없습니다."


def test_an_unwritten_answer_is_said():
    def unwritten():
        raise NotImplementedError

    def test_calls(student):
        student.f()

    result = verdict(test_calls, {"f": unwritten})
    assert result.unanswered and result.reason == "아직 구현하지 않았습니다."


def test_hidden_inputs_follow_the_seed():
    drawn = []

    def test_draws(student, rng):
        drawn.append(rng.initial_seed())

    for seed in ["a", "a", "b"]:
        verdict(test_draws, seed=seed)
    assert drawn[0] == drawn[1] != drawn[2]
