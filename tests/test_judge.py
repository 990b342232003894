"""The judge decides by how a test ends, whatever ends it."""

import pytest
import torch

from grader.judging.judge import judge
from grader.judging.suite import Case, Local, Suite


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

    assert verdict(test_calls).reason == "노트북에 없는 이름입니다: `f`."


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


class TestForbidden:
    """At home, where the suite's oracles run in the same process, the observation finds who calls what is forbidden."""

    @staticmethod
    def verdict(answer):
        def test_normalises(student):
            expected = torch.nn.functional.layer_norm(torch.arange(6.0), (6,))
            assert torch.allclose(student.f(torch.arange(6.0)), expected, atol=1e-4)

        case = Case(test_normalises, 1, "f", "the hint", "page#anchor")
        observations = {"f": lambda student: student.f(torch.arange(6.0))}
        suite = Suite("stem", [case], observations, {"f": ("aten::*layer_norm*",)})
        [result] = judge(Local({"f": answer}), suite)
        return result.earned, result.reason

    def test_nothing_for_who_calls_it(self):
        earned, reason = self.verdict(lambda x: torch.nn.LayerNorm(6)(x).detach())
        assert earned == 0 and "`layer_norm`" in reason and "직접" in reason

    def test_everything_for_who_writes_it(self):
        assert self.verdict(lambda x: (x - x.mean()) / x.std(correction=0)) == (1, "")

    def test_nothing_is_forbidden_afterwards(self):
        self.verdict(lambda x: torch.nn.LayerNorm(6)(x))
        assert torch.nn.LayerNorm(6)(torch.arange(6.0)).shape == (6,)


def test_a_result_says_the_step_of_each_test_and_the_reason_of_the_lowest_that_fails():
    def test_wrong(student):
        raise AssertionError

    def test_right(student): ...

    steps = [
        (test_wrong, "robust", "above"),
        (test_wrong, "core", "below"),
        (test_right, "warm-up", "passed"),
    ]
    cases = [Case(test, 0.5, "f", hint, f"page#{hint}", step) for test, step, hint in steps]
    [result] = judge(Local({}), Suite("stem", cases, {}))
    assert (result.reason, result.read) == ("below", "page#below")
    assert [case.step for case in result.summary()["cases"]] == ["robust", "core", "warm-up"]
