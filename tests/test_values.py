"""What a suite's helpers return is computed once, and is the same as if it were computed anew."""

import pytest
import torch

from grader.judging.values import KEPT, secret


@pytest.fixture
def calls():
    return []


@pytest.fixture
def doubled(calls):
    @secret
    def helper(x, by=2):
        calls.append(x)
        return [x * by, by]

    return helper


def test_the_same_values_are_computed_once(doubled, calls):
    for dtype in (torch.float32, torch.bfloat16, torch.bool, torch.complex64, torch.int64):
        x = torch.tensor([[1, 0], [0, 1], [1, 1]]).to(dtype)
        for same in (x, x.clone(), x.t().clone().t()):
            assert torch.equal(doubled(same)[0], x * 2)
    assert len(calls) == 5


@pytest.mark.parametrize(
    "other",
    [
        lambda x: x.double(),
        lambda x: x[None],
        lambda x: -x,  # zeros of another sign
        lambda x: x + torch.tensor([0, 0, 1e-6]),
        lambda x: [x],
    ],
)
def test_other_values_are_computed_anew(doubled, calls, other):
    x = torch.tensor([0.0, 1.0, 2.0])
    doubled(x)
    doubled(other(x))
    assert len(calls) == 2


def test_true_is_not_one(doubled, calls):
    x = torch.ones(2)
    assert doubled(x, by=1)[1] is not True and doubled(x, by=True)[1] is True and len(calls) == 2


def test_who_writes_into_a_result_changes_no_other(doubled):
    x = torch.ones(2)
    for _ in range(3):
        found = doubled(x)[0]
        assert torch.equal(found, torch.tensor([2.0, 2.0]))
        found.zero_()


def test_gradients_and_generators_are_never_of_another_call(doubled, calls):
    x = torch.ones(2, requires_grad=True)
    for _ in range(2):
        doubled(x)[0].sum().backward()
    assert x.grad.tolist() == [4.0, 4.0] and len(calls) == 2

    @secret
    def drawn(rng):
        return torch.rand(3, generator=rng)

    rng = torch.Generator().manual_seed(0)
    assert not torch.equal(drawn(rng), drawn(rng))


def test_only_so_many_are_kept_and_those_asked_for_last(doubled, calls):
    often = torch.tensor([-1.0])
    for number in range(3 * KEPT):
        doubled(torch.tensor([float(number)]))
        doubled(often)
    assert len(calls) == 3 * KEPT + 1
    doubled(torch.tensor([0.0]))
    assert len(calls) == 3 * KEPT + 2
