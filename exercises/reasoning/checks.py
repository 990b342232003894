"""What the exercise `reasoning` is graded by."""

import math
from fractions import Fraction
from itertools import combinations

import torch

from grader.judging.contract import assert_manners, bad_manners, finite_gradients, how_refused
from grader.judging.observed import same, up_to_the_first_wrong
from grader.judging.suite import assert_close, gradients, observes, points, reached, refuses, scattered
from grader.judging.values import values_of

# completion_log_probs ---------------------------------------------------------------------------------------

EOS = 4
IDS = [[1, 2, 3, 0, 4, 4, 0], [4, 2, 4, 1, 2, 3, 4], [2, 0, 1, 3, 1, 2, 2]]
LENGTHS = [2, 3, 1]


def written():
    """logits, ids, prompt_lengths: an end with padding behind it, ends in a prompt, no end at all."""
    return 3 * scattered((3, 7, 5), 1), torch.tensor(IDS), torch.tensor(LENGTHS)


chosen = values_of(
    [
        ([[[1, 2, 3, 0, 4, 4, 0], [4, 2, 4, 1, 2, 3, 4], [2, 0, 1, 3, 1, 2, 2]], [2, 3, 1]], {'dtype': 'bool', 'shape': [3, 6], 'values': [False, True, True, True, False, False, False, False, True, True, True, True, True, True, True, True, True, True]}),
    ]
)


log_probs_of = values_of(
    [
        ([['float64', 3, 7, 5, 105, -18.043838, 152.77502], [[1, 2, 3, 0, 4, 4, 0], [4, 2, 4, 1, 2, 3, 4], [2, 0, 1, 3, 1, 2, 2]], [2, 3, 1]], {'dtype': 'float64', 'shape': [3, 6], 'values': [0.0, -1.7355809, -0.7284255, -4.7438821, 0.0, 0.0, 0.0, 0.0, -4.4300839, -1.5254591, -2.9488861, -3.7097558, -3.3180848, -3.9662559, -2.3488361, -1.7576559, -3.6601507, -1.6328174]}),
        ([['float64', 3, 7, 5, 105, -18.043838, 152.77502], [[1, 2, 3, 0, 4, 4, 0], [4, 2, 4, 1, 2, 3, 4], [2, 0, 1, 3, 1, 2, 2]], [2, 3, 1], 0.5], {'dtype': 'float64', 'shape': [3, 6], 'values': [0.0, -2.0407842, -0.2971064, -8.6772722, 0.0, 0.0, 0.0, 0.0, -8.0420914, -1.9317906, -5.2392481, -6.6989384, -6.2743266, -7.0156312, -3.8087249, -2.2244339, -6.7487882, -2.4893686]}),
        ([['float64', 3, 7, 5, 105, -18043.838, 152775.02], [[1, 2, 3, 0, 4, 4, 0], [4, 2, 4, 1, 2, 3, 4], [2, 0, 1, 3, 1, 2, 2]], [2, 3, 1]], {'dtype': 'float64', 'shape': [3, 6], 'values': [0.0, -688.46494, 0.0, -4259.2981, 0.0, 0.0, 0.0, 0.0, -3701.1924, -826.50496, -2586.2592, -3273.1018, -3128.8278, -3325.5817, -1564.2828, -840.96116, -3341.8767, -1170.7254]}),
    ]
)


@points(0.25, "completion_log_probs", read="reason-chosen", step="warm-up")
def test_one_choice_by_hand(student, device):
    """물음이 토큰 둘이면 마지막 토큰 하나만 골랐습니다. 그 로그 확률은 위치 1의 로짓에서 옵니다. 열은 n - 1개이고 나머지는 0입니다."""
    logits = torch.tensor([[[9.0, 0.0], [0.0, math.log(3.0)], [0.0, 9.0]]], device=device)
    ids, lengths = torch.tensor([[0, 1, 1]], device=device), torch.tensor([2], device=device)
    found, mask = student.completion_log_probs(logits, ids, lengths, 0)
    assert_close(mask.bool(), torch.tensor([[False, True]]))
    assert_close(found, torch.tensor([[0.0, -0.2876821]]))


@points(0.5, "completion_log_probs", read="reason-chosen")
def test_from_the_prompt_to_the_first_end(student):
    """고른 것은 물음 바로 뒤부터 처음 나온 끝 토큰까지입니다. 끝 토큰도 골랐습니다. 줄마다 물음의 길이가 다릅니다."""
    logits, ids, lengths = written()
    found, mask = student.completion_log_probs(logits, ids, lengths, EOS)
    assert_close(mask.bool(), chosen(IDS, LENGTHS))
    assert_close(found, log_probs_of(written()[0], IDS, LENGTHS))


@observes("completion_log_probs")
def observe_completion_log_probs(student):
    def call(**options):
        return student.completion_log_probs(*written(), EOS, **options)

    def far():
        logits, ids, lengths = written()
        return call_with(1000 * logits, ids, lengths)

    def call_with(logits, ids, lengths):
        found, _ = student.completion_log_probs(logits, ids, lengths, EOS)
        return same(found, log_probs_of(logits, ids.tolist(), lengths.tolist()))

    return up_to_the_first_wrong(
        (lambda: [list(part.shape) for part in call()], [[3, 6], [3, 6]]),
        (lambda: call()[1].long(), chosen(IDS, LENGTHS).long()),
        (lambda: call()[0].double(), log_probs_of(written()[0], IDS, LENGTHS)),
        (lambda: call(temperature=0.5)[0].double(), log_probs_of(written()[0], IDS, LENGTHS, 0.5)),
        (far, True),
        (lambda: str(call()[1].dtype), "torch.bool"),
        (lambda: [how_refused(student.completion_log_probs, *written(), EOS, t) for t in (0.0, -1.0)], ["refused"] * 2),
        (lambda: bad_manners(student, student.completion_log_probs, *written(), EOS), "none"),
    )  # fmt: skip




# group_advantages -------------------------------------------------------------------------------------------


def rewards():
    return torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0.5], [3, -1, 2, 0]], dtype=torch.float64)


advantages_of = values_of(
    [
        ([['float64', 3, 4, 7, 19.570743, 9.5]], {'dtype': 'float64', 'shape': [3, 4], 'values': [1.7320508, -0.57735027, -0.57735027, -0.57735027, 0.90453403, 0.90453403, -1.5075567, -0.30151134, 1.2649111, -1.2649111, 0.63245553, -0.63245553]}),
        ([['float64', 6, 4, 19, 5486.6117, 1284.5]], {'dtype': 'float64', 'shape': [6, 4], 'values': [1.7320508, -0.57735027, -0.57735027, -0.57735027, 0.90453403, 0.90453403, -1.5075567, -0.30151134, 1.2649111, -1.2649111, 0.63245553, -0.63245553, 1.7320508, -0.57735027, -0.57735027, -0.57735027, 0.90453403, 0.90453403, -1.5075567, -0.30151134, 1.2649111, -1.2649111, 0.63245553, -0.63245553]}),
        ([['float64', 4, 1, 1.0, 1.0]], {'dtype': 'float64', 'shape': [4], 'values': [1.7320508, -0.57735027, -0.57735027, -0.57735027]}),
        ([['float64', 2, 3, 4, 18, 89.483955, 28.0]], {'dtype': 'float64', 'shape': [2, 3, 4], 'values': [1.7320508, -0.57735027, -0.57735027, -0.57735027, 0.90453403, 0.90453403, -1.5075567, -0.30151134, 1.2649111, -1.2649111, 0.63245553, -0.63245553, -1.7320508, 0.57735027, 0.57735027, 0.57735027, -0.90453403, -0.90453403, 1.5075567, 0.30151134, -1.2649111, 1.2649111, -0.63245553, 0.63245553]}),
        ([['float64', 3, 4, 7, 1.9570743e-06, 9.5e-07]], {'dtype': 'float64', 'shape': [3, 4], 'values': [1.7320508, -0.57735027, -0.57735027, -0.57735027, 0.90453403, 0.90453403, -1.5075567, -0.30151134, 1.2649111, -1.2649111, 0.63245553, -0.63245553]}),
        ([['float64', 3, 4, 7, 19570743.0, 9500000.0]], {'dtype': 'float64', 'shape': [3, 4], 'values': [1.7320508, -0.57735027, -0.57735027, -0.57735027, 0.90453403, 0.90453403, -1.5075567, -0.30151134, 1.2649111, -1.2649111, 0.63245553, -0.63245553]}),
    ]
)


def alike_groups(value=0.1, size=3):
    return torch.full((2, size), value, dtype=torch.float64)


@points(0.25, "group_advantages", read="reason-group", step="warm-up")
def test_one_right_of_four(student, device):
    """넷 가운데 하나가 맞으면 평균은 0.25, 표준편차는 0.433입니다. 무리의 평균을 빼고 표준편차로 나누십시오. G로 나눈 표준편차입니다."""
    found = student.group_advantages(torch.tensor([[1.0, 0.0, 0.0, 0.0]], device=device))
    assert_close(found, torch.tensor([[1.7320508, -0.5773503, -0.5773503, -0.5773503]]))


@points(0.5, "group_advantages", read="reason-group")
def test_each_group_for_itself(student):
    """평균도 표준편차도 무리마다 따로 구합니다. 무리는 마지막 축입니다."""
    assert_close(student.group_advantages(rewards()), advantages_of(rewards()))
    apart = torch.cat([rewards(), 100 + 10 * rewards()])
    assert_close(student.group_advantages(apart), advantages_of(apart))


@observes("group_advantages")
def observe_group_advantages(student):
    advantages = student.group_advantages

    def zero(given):
        return bool((advantages(given) == 0).all())

    def right(given):
        return same(advantages(given.clone()), advantages_of(given))

    return up_to_the_first_wrong(
        (lambda: list(advantages(rewards()).shape), [3, 4]),
        (lambda: advantages(rewards()).double(), advantages_of(rewards())),
        (lambda: [right(rewards()[0]), right(torch.stack([rewards(), 2 - rewards()]))], [True] * 2),
        (lambda: [right(1e-7 * rewards()), right(1e6 * rewards())], [True] * 2),
        (lambda: same(advantages((1000 + rewards()).float()), advantages_of(rewards())), True),
        (lambda: zero(torch.ones(2, 4).double()), True),
        (lambda: zero(alike_groups()), True),
        (lambda: zero(torch.tensor([[5.0]]).double()), True),
        (lambda: bad_manners(student, advantages, rewards(), learns=[]), "none"),
    )




# clipped_loss -----------------------------------------------------------------------------------------------

MASK = [[1, 1, 1, 1, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]


def steps():
    """log_probs, old_log_probs, advantages, mask: ratios on both sides of both bounds, for both signs."""
    old = -1 - scattered((4, 5), 2).abs()
    return old + 0.6 * scattered((4, 5), 3), old, torch.tensor([1.5, -0.5, 0.7, -1.0]).double(), mask_of(MASK)


def mask_of(rows):
    return torch.tensor(rows).bool()


loss_of = values_of(
    [
        ([['float64', 4, 5, 20, -94.274031, 30.650913], ['float64', 4, 5, 20, -92.993761, 29.996686], ['float64', 4, 4, 0.0053287635, 3.7], ['bool', 4, 5, 14, 42.824564, 14.0]], {'dtype': 'float64', 'shape': [], 'values': [-0.093556192]}),
        ([['float64', 4, 5, 20, -94.274031, 30.650913], ['float64', 4, 5, 20, -92.993761, 29.996686], ['float64', 4, 4, 0.0053287635, 3.7], ['bool', 4, 5, 14, 42.824564, 14.0], 0.1, 0.3], {'dtype': 'float64', 'shape': [], 'values': [-0.080357346]}),
        ([['float64', 4, 5, 20, -94.274031, 30.650913], ['float64', 4, 5, 20, -92.993761, 29.996686], ['float64', 4, 4, 0.0053287635, 3.7], ['bool', 4, 5, 14, 42.824564, 14.0], 0.05, 0.4], {'dtype': 'float64', 'shape': [], 'values': [-0.067447868]}),
        ([['float64', 4, 5, 20, -94.274031, 30.650913], ['float64', 4, 5, 20, -92.993761, 29.996686], ['float64', 4, 4, 0.0053287635, 3.7], ['bool', 4, 5, 12, 37.729323, 12.0]], {'dtype': 'float64', 'shape': [], 'values': [-0.23895509]}),
        ([['float64', 4, 5, 20, -94.274031, 30.650913], ['float64', 4, 5, 20, -92.993761, 29.996686], ['float64', 4, 3, 0.71243554, 3.2], ['bool', 4, 5, 14, 42.824564, 14.0]], {'dtype': 'float64', 'shape': [], 'values': [-0.23895509]}),
    ]
)


def nowhere():
    """Where nothing was chosen stand what cannot be computed with."""
    new, old, advantages, mask = steps()
    return new.masked_fill(~mask, -math.inf), old.masked_fill(~mask, -math.inf), advantages, mask


def with_an_empty_one():
    new, old, advantages, mask = steps()
    mask[1] = False
    return new, old, advantages, mask


def with_nothing_to_gain():
    new, old, advantages, mask = steps()
    return new, old, advantages * torch.tensor([1, 0, 1, 1]), mask


@points(0.25, "clipped_loss", read="reason-clip", step="warm-up")
def test_two_tokens_by_hand(student, device):
    """비가 1.5와 0.5이고 이점이 1이면 1.2와 0.5를 얻습니다. 평균은 0.85이고 손실은 부호를 바꾼 것입니다."""
    new = torch.tensor([[1.5, 0.5]], device=device).log()
    one = torch.tensor([1.0], device=device)
    mask = torch.ones(1, 2, dtype=torch.bool, device=device)
    assert_close(student.clipped_loss(new, torch.zeros_like(new), one, mask), torch.tensor(-0.85))


@points(0.5, "clipped_loss", read="reason-clip")
def test_of_both_signs(student):
    """이점이 음수이면 반대쪽을 자릅니다. 자른 것과 자르지 않은 것 가운데 작은 쪽입니다. 글 안에서 평균한 것을 글에 걸쳐 평균합니다."""
    assert_close(student.clipped_loss(*steps()), loss_of(*steps()))


@observes("clipped_loss")
def observe_clipped_loss(student):
    loss = student.clipped_loss

    def finite():
        return [same(loss(*nowhere()), loss_of(*steps())), finite_gradients(loss, *nowhere())]

    return up_to_the_first_wrong(
        (lambda: list(loss(*steps()).shape), []),
        (lambda: loss(*steps()).double(), loss_of(*steps())),
        (lambda: loss(*steps(), 0.1, 0.3).double(), loss_of(*steps(), 0.1, 0.3)),
        (lambda: loss(*steps(), low=0.05, high=0.4).double(), loss_of(*steps(), 0.05, 0.4)),
        (lambda: "0" in reached(loss, *steps()), True),
        (finite, [True, True]),
        (lambda: loss(*with_an_empty_one()).double(), loss_of(*with_an_empty_one())),
        (lambda: loss(*with_nothing_to_gain()).double(), loss_of(*with_nothing_to_gain())),
        (lambda: "1" in reached(loss, *steps()), False),
        (lambda: bad_manners(student, loss, *steps(), learns=["0"]), "none"),
    )




# k3_divergence ----------------------------------------------------------------------------------------------


def two_models():
    policy, reference = (scattered((3, 4), key).mul(2).log_softmax(-1) for key in (5, 6))
    return policy, reference


k3_of = values_of(
    [
        ([['float64', 3, 4, 12, -51.003534, 21.05533], ['float64', 3, 4, 12, -48.643507, 19.39511]], {'dtype': 'float64', 'shape': [3, 4], 'values': [1.2841662, 0.16040108, 0.55456103, 1.2992348, 0.0091413203, 3.1162129, 0.0097247744, 0.88159361, 0.42559877, 1.0963708, 1.8283307, 2.6549833]}),
        ([['float32', 3, 0, 0.0, 0.0], ['float32', 3, 3, 0.00037230079, 0.00048828125]], {'dtype': 'float64', 'shape': [3], 'values': [7.4508838e-09, 7.4502774e-09, 2.9804748e-08]}),
    ]
)


def nearly_alike():
    """In float32; the differences themselves are exact."""
    return torch.zeros(3), torch.tensor([2.0**-13, -(2.0**-13), 2.0**-12])


@points(0.25, "k3_divergence", read="reason-kl", step="warm-up")
def test_one_token_by_hand(student, device):
    """정책이 0.5, 기준이 0.25를 준 토큰이면 d = ln 0.5이고 k3은 0.5 + 0.693 - 1입니다."""
    policy, reference = (
        torch.tensor([0.5, 0.5], device=device).log(),
        torch.tensor([0.25, 0.5], device=device).log(),
    )
    assert_close(student.k3_divergence(policy, reference), torch.tensor([0.1931472, 0.0]))  # fmt: skip


@points(0.5, "k3_divergence", read="reason-kl")
def test_token_by_token(student):
    """토큰마다 하나씩, 입력과 같은 모양입니다. d는 기준의 로그 확률에서 정책의 것을 뺀 것입니다."""
    assert_close(student.k3_divergence(*two_models()), k3_of(*two_models()))


@observes("k3_divergence")
def observe_k3_divergence(student):
    k3 = student.k3_divergence

    def small():
        found = k3(*nearly_alike())
        return bool(((found.double() / k3_of(*nearly_alike()) - 1).abs() < 0.01).all())

    return up_to_the_first_wrong(
        (lambda: list(k3(*two_models()).shape), [3, 4]),
        (lambda: k3(*two_models()).double(), k3_of(*two_models())),
        (lambda: [list(k3(x, x).shape) for x in (torch.zeros(()), torch.zeros(2, 1, 3))], [[], [2, 1, 3]]),
        (small, True),
        (lambda: "0" in reached(k3, *two_models()), True),
        (lambda: "1" in reached(k3, *two_models()), False),
        (lambda: bad_manners(student, k3, *two_models(), learns=["0"]), "none"),
    )




# pass_at_k --------------------------------------------------------------------------------------------------


def tries(*rights, n=8):
    """For each question so many right ones, in some order."""
    rows = [torch.arange(n).roll(3 * i + 2) < c for i, c in enumerate(rights)]
    return torch.stack(rows)


chance_of = values_of(
    [
        ([['bool', 4, 8, 12, 59.139986, 12.0], 1], 0.375),
        ([['bool', 4, 8, 12, 59.139986, 12.0], 3], 0.54910714),
        ([['bool', 4, 8, 12, 59.139986, 12.0], 6], 0.6875),
        ([['bool', 1, 8, 2, 3.7320508, 2.0], 1], 0.25),
        ([['bool', 1, 8, 2, 3.7320508, 2.0], 3], 0.64285714),
        ([['bool', 1, 8, 4, 8.4176085, 4.0], 2], 0.78571429),
        ([['bool', 1, 8, 5, 11.06336, 5.0], 3], 0.98214286),
        ([['bool', 3, 8, 4, 16.466303, 4.0], 3], 0.39880952),
    ]
)


@points(0.25, "pass_at_k", read="reason-tries", step="warm-up")
def test_two_of_four(student):
    """넷 가운데 하나가 맞았으면, 둘을 고르는 여섯 가지 가운데 셋에 맞은 것이 들어 있습니다."""
    found = student.pass_at_k(torch.tensor([[True, False, False, False]]), 2)
    assert_close(torch.tensor(float(found)), torch.tensor(0.5))


@points(0.5, "pass_at_k", read="reason-tries")
def test_question_by_question(student):
    """물음마다 구한 다음 평균합니다. 되돌려 넣지 않고 뽑습니다. 틀린 것이 k개보다 적으면 1입니다."""
    for k in (1, 3, 6):
        right = tries(0, 1, 3, 8)
        assert_close(torch.tensor(float(student.pass_at_k(right, k))).double(), torch.tensor(chance_of(right, k)).double())  # fmt: skip


ALONE = [(2, 1), (2, 3), (4, 2), (5, 3)]


@observes("pass_at_k")
def observe_pass_at_k(student):
    passed = student.pass_at_k

    def many():
        found = passed(torch.arange(2000)[None] < 40, 100)
        return abs(found - 0.87413) < 1e-3

    return up_to_the_first_wrong(
        (lambda: [float(passed(tries(c), k)) for c, k in ALONE], [chance_of(tries(c), k) for c, k in ALONE]),
        (lambda: float(passed(tries(0, 1, 3), 3)), chance_of(tries(0, 1, 3), 3)),
        (lambda: [float(passed(tries(*c), 5)) for c in [(4, 6), (8,), (0,)]], [1.0, 1.0, 0.0]),
        (many, True),
        (lambda: [how_refused(passed, tries(2), k) for k in (0, -1, 9)], ["refused"] * 3),
        (lambda: float(passed(tries(2, 0), 8)), 0.5),
        (lambda: type(passed(tries(2), 3)).__name__, "float"),
    )
