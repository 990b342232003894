"""What the exercise `experts` is graded by."""

import math

import torch

from grader.judging.contract import assert_manners, bad_manners
from grader.judging.memory import measured
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import assert_close, mutated, observes, points, reached, refuses, scattered
from grader.judging.values import values_of


def both(found):
    """The weights and the numbers that an answer returned."""
    assert isinstance(found, list | tuple) and len(found) == 2, "가중치와 전문가의 번호, 둘을 돌려줍니다."
    return found


def dense(weights, experts, number_of):
    """The weight of every expert, chosen or not, (tokens, experts): any order of the chosen gives the same."""
    assert not experts.is_floating_point(), "전문가의 번호는 정수여야 합니다."
    empty = torch.zeros(len(weights), number_of, dtype=weights.dtype)
    return empty.scatter_add(1, experts.cpu().long(), weights.cpu())


# mix_experts --------------------------------------------------------------------------------------------------

CHOSEN = [[3, 1], [1, 0], [0, 3], [1, 3], [4, 1], [0, 4]]  # nobody chooses expert 2


def mixture(number_of=5, d=3, d_ff=4):
    """x, weights that do not sum to one, experts, gate, up, down."""
    matrices = [
        1.5 * scattered((number_of, *size), key)
        for key, size in [(3, (d, d_ff)), (4, (d, d_ff)), (5, (d_ff, d))]
    ]
    x, weights = 2 * scattered((6, d), 1), 0.6 + 0.5 * scattered((6, 2), 2)
    return [x, weights, torch.tensor(CHOSEN), *matrices]


KEPT = [[True, True], [False, True], [True, False], [False, False], [True, True], [True, True]]


mixed = values_of(
    [
        ([['float64', 6, 3, 18, 14.895098, 14.35161], ['float64', 6, 2, 12, 15.23579, 6.1185527], ['int64', 6, 2, 9, 53.64445, 21.0], ['float64', 5, 3, 4, 60, -20.239603, 44.979914], ['float64', 5, 3, 4, 60, -70.741325, 45.496994], ['float64', 5, 4, 3, 60, 39.798418, 49.728187]], {'dtype': 'float64', 'shape': [6, 3], 'values': [-0.6614148, 1.567785, 1.2372505, 0.80551921, 4.4936526, 0.73608784, -1.359684, 6.0907034, -2.5647815, 0.20852293, 0.54579878, -0.31122705, 0.13047232, 0.088630185, -0.39111585, -0.035210368, 0.017692052, 0.039583993]}),
        ([['float64', 6, 3, 18, 14.895098, 14.35161], ['float64', 6, 2, 12, 15.23579, 6.1185527], ['int64', 6, 2, 9, 53.64445, 21.0], ['float64', 5, 3, 4, 60, -20.239603, 44.979914], ['float64', 5, 3, 4, 60, -70.741325, 45.496994], ['float64', 5, 4, 3, 60, 39.798418, 49.728187], ['bool', 6, 2, 9, 22.239037, 9.0]], {'dtype': 'float64', 'shape': [6, 3], 'values': [-0.6614148, 1.567785, 1.2372505, 2.3877725, 0.6991517, 3.2379122, 1.3331173, 0.38484898, 1.647881, 0.21287428, 0.50719072, -0.28035361, 0.13047232, 0.088630185, -0.39111585, -0.035210368, 0.017692052, 0.039583993]}),
        ([['float64', 6, 3, 18, 14.895098, 14.35161], ['float64', 6, 2, 12, 15.23579, 6.1185527], ['int64', 6, 2, 9, 53.64445, 21.0], ['float64', 5, 3, 4, 60, -20.239603, 44.979914], ['float64', 5, 3, 4, 60, -70.741325, 45.496994], ['float64', 5, 4, 3, 60, 39.798418, 49.728187], ['bool', 6, 2, 8, 19.593286, 8.0]], {'dtype': 'float64', 'shape': [6, 3], 'values': [-0.6614148, 1.567785, 1.2372505, 2.3877725, 0.6991517, 3.2379122, 1.3331173, 0.38484898, 1.647881, 0.0, 0.0, 0.0, 0.13047232, 0.088630185, -0.39111585, -0.035210368, 0.017692052, 0.039583993]}),
    ]
)


PARTLY = [[True, True], [False, True], [True, False], [True, False], [True, True], [True, True]]
# nobody of those kept chooses expert 4
WITHOUT_FOUR = [[True, True], [True, True], [True, True], [True, True], [False, True], [True, False]]


def with_nan(given, expert=2):
    """NaN in the matrices of an expert whom nobody chooses."""
    for matrix in given[3:6]:
        matrix[expert] = math.nan
    return given


def many():
    """64 tokens, 32 experts: computing all of them takes 65,536 numbers, the chosen 4,096."""
    sizes = [(32, 8, 32), (32, 8, 32), (32, 32, 8)]
    matrices = [scattered(size, 7 + i) for i, size in enumerate(sizes)]
    experts = torch.stack([torch.arange(64) % 32, (torch.arange(64) + 5) % 32], 1)
    return [scattered((64, 8), 1), 0.5 + 0.3 * scattered((64, 2), 2), experts, *matrices]


def computes_few(student, limit=16384):
    """No tensor as large; a copy of the matrices for each token takes 32,768."""
    return measured(student, student.mix_experts, *many())[0] < limit


@points(0.25, "mix_experts", read="experts-layer", step="warm-up")
def test_one_expert_by_hand(student, device):
    """토큰 1이 전문가 1을 가중치 0.5로 골랐습니다. silu(1) · 2 · 3 = 4.3863이고, 절반은 2.1932입니다."""
    gate, up, down = (torch.tensor([[[9.0]], [[value]]], device=device) for value in (1.0, 2.0, 3.0))
    x, half = torch.ones(1, 1, device=device), torch.full((1, 1), 0.5, device=device)
    found = student.mix_experts(x, half, torch.ones(1, 1, dtype=torch.long, device=device), gate, up, down)
    assert_close(found, torch.tensor([[2.1932]]), atol=1e-4)


@points(0.75, "mix_experts", read="experts-layer")
def test_mixes_the_chosen(student):
    """토큰마다 고른 전문가의 출력에 그 자리의 가중치를 곱해 더합니다. 가중치를 다시 나누지 않습니다."""
    assert_close(student.mix_experts(*mixture()), mixed(*mixture()))


@observes("mix_experts")
def observe_mix_experts(student):
    mix = student.mix_experts
    return up_to_the_first_wrong(
        (lambda: list(mix(*mixture()).shape), [6, 3]),
        (lambda: mix(*mixture()).double(), mixed(*mixture())),
        (lambda: mix(*mixture(), torch.tensor(PARTLY)).double(), mixed(*mixture(), torch.tensor(PARTLY))),
        (lambda: mix(*mixture(), torch.tensor(KEPT)).double(), mixed(*mixture(), torch.tensor(KEPT))),
        (lambda: attempt(lambda: bool(mix(*with_nan(mixture())).isfinite().all())) is True, True),
        (lambda: computes_few(student, 50_000), True),
        (lambda: computes_few(student), True),
        (lambda: attempt(lambda: bool(mix(*with_nan(mixture(), 4), torch.tensor(WITHOUT_FOUR)).isfinite().all())) is True, True),
        (lambda: bad_manners(student, mix, *(x.double() if x.is_floating_point() else x for x in mixture())), "none"),
    )  # fmt: skip




# kept_in_capacity ---------------------------------------------------------------------------------------------

QUEUE = [[0, 1], [0, 2], [1, 0], [0, 1], [3, 0], [1, 3], [0, 3]]


in_queue = values_of(
    [
        ([['int64', 7, 2, 8, 44.41261, 15.0], 1], {'dtype': 'bool', 'shape': [7, 2], 'values': [True, False, False, True, True, False, False, False, True, False, False, False, False, False]}),
        ([['int64', 7, 2, 8, 44.41261, 15.0], 3], {'dtype': 'bool', 'shape': [7, 2], 'values': [True, True, True, True, True, False, True, False, True, False, True, True, False, True]}),
        ([['int64', 7, 2, 8, 44.41261, 15.0], 2], {'dtype': 'bool', 'shape': [7, 2], 'values': [True, False, True, True, True, False, False, False, True, False, True, True, False, False]}),
        ([['int64', 7, 2, 8, 44.41261, 15.0], 4], {'dtype': 'bool', 'shape': [7, 2], 'values': [True, True, True, True, True, False, True, True, True, False, True, True, True, True]}),
        ([['int64', 7, 2, 8, 44.41261, 15.0], 100], {'dtype': 'bool', 'shape': [7, 2], 'values': [True, True, True, True, True, True, True, True, True, True, True, True, True, True]}),
        ([['int64', 7, 2, 8, 44.41261, 15.0], 0], {'dtype': 'bool', 'shape': [7, 2], 'values': [False, False, False, False, False, False, False, False, False, False, False, False, False, False]}),
        ([['int64', 7, 3, 13, 91.583487, 29.0], 3], {'dtype': 'bool', 'shape': [7, 3], 'values': [True, True, False, True, True, True, True, False, True, True, False, False, True, False, True, True, True, False, False, True, False]}),
    ]
)


def three_choices():
    return torch.tensor([[*row, (row[1] + 2) % 5] for row in QUEUE])


@points(0.5, "kept_in_capacity", read="experts-capacity", step="warm-up")
def test_two_places_by_hand(student, device):
    """첫째로 고른 것이 먼저 자리를 잡습니다. 전문가 1의 자리는 토큰 2의 첫째, 토큰 0의 둘째가 쓰고, 토큰 1의 둘째는 버려집니다."""
    experts = torch.tensor([[0, 1], [0, 1], [1, 0]], device=device)
    found = student.kept_in_capacity(experts, 2)
    assert_close(found, torch.tensor([[True, True], [True, False], [True, False]]))


@points(0.75, "kept_in_capacity", read="experts-capacity")
def test_first_choices_come_first(student):
    """첫째로 고른 것을 토큰 순서로 다 앉힌 다음에 둘째로 고른 것을 앉힙니다. 전문가마다 따로 셉니다."""
    for capacity in (1, 3):
        experts = torch.tensor(QUEUE)
        assert_close(student.kept_in_capacity(experts, capacity), in_queue(experts, capacity))


@observes("kept_in_capacity")
def observe_kept_in_capacity(student):
    kept = student.kept_in_capacity

    def seen(capacity):
        found = kept(torch.tensor(QUEUE), capacity)
        return [str(found.dtype), found.int().tolist()]

    def right(capacity):
        return ["torch.bool", in_queue(torch.tensor(QUEUE), capacity).int().tolist()]

    alone = torch.tensor([[4], [0], [4], [4]])
    return up_to_the_first_wrong(
        *[(lambda c=c: seen(c), right(c)) for c in (3, 1, 2, 4, 100, 0)],
        (lambda: kept(three_choices(), 3).int().tolist(), in_queue(three_choices(), 3).int().tolist()),
        (lambda: kept(alone.clone(), 2).int().tolist(), [[1], [1], [1], [0]]),
        (lambda: bad_manners(student, kept, torch.tensor(QUEUE), 3), "none"),
    )




# bias_route ---------------------------------------------------------------------------------------------------

BIAS = [0.09, -0.2, 0.2, 0.1, 0.05]
SCORES = (0.5 + 0.45 * scattered((6, 5), 3)).tolist()


routed = values_of(
    [
        ([['float32', 6, 5, 30, 50.553734, 13.556486], ['float32', 5, 5, 0.46537086, 0.64000001], 2], {'dtype': 'float32', 'shape': [6, 5], 'values': [0.0, 0.0, 0.0, 0.47377226, 0.52622777, 0.0, 0.0, 0.46457076, 0.0, 0.53542924, 0.0, 0.0, 0.32355353, 0.0, 0.6764465, 0.33366054, 0.0, 0.66633946, 0.0, 0.0, 0.53819114, 0.0, 0.46180889, 0.0, 0.0, 0.0, 0.0, 0.35797447, 0.64202553, 0.0]}),
        ([['float32', 6, 5, 30, 50.553734, 13.556486], ['float32', 5, 5, 0.46537086, 0.64000001], 3], {'dtype': 'float32', 'shape': [6, 5], 'values': [0.0, 0.0, 0.23117669, 0.36424714, 0.40457615, 0.31549376, 0.0, 0.31800157, 0.0, 0.36650464, 0.28043982, 0.0, 0.23281623, 0.0, 0.48674396, 0.27409756, 0.0, 0.54738873, 0.0, 0.17851371, 0.35797307, 0.0, 0.30716807, 0.33485895, 0.0, 0.0, 0.0, 0.2859357, 0.5128243, 0.20124]}),
        ([['float32', 6, 5, 30, 50.553734, 13.556486], ['float32', 5, 5, 0.46537086, 0.64000001], 1], {'dtype': 'float32', 'shape': [6, 5], 'values': [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]}),
        ([['float32', 6, 5, 30, 50.553734, 13.556486], ['float32', 6, 5, 30, '-inf', 'inf'], 2], {'dtype': 'float32', 'shape': [6, 5], 'values': [0.0, 0.0, 0.36362666, 0.0, 0.63637334, 0.4626019, 0.0, 0.0, 0.0, 0.5373981, 0.54639363, 0.0, 0.45360643, 0.0, 0.0, 0.0, 0.0, 0.75408036, 0.0, 0.2459197, 0.5166809, 0.0, 0.0, 0.4833191, 0.0, 0.0, 0.0, 0.35797447, 0.64202553, 0.0]}),
    ]
)


def forbidden(bias):
    """A bias for each token, in which one or two experts are forbidden."""
    number = torch.arange(6)[:, None] + torch.arange(5)
    return bias.expand(6, 5).masked_fill(number % 3 == 0, -math.inf)


def tiny():
    """Scores that vanish beside their bias in float32."""
    return torch.tensor([[3e-8, 1e-8, 2e-8]]), torch.tensor([12.0, 12.5, 0.0])


@points(0.25, "bias_route", read="experts-bias", step="warm-up")
def test_bias_route_by_hand(student, device):
    """더한 것 (0.3, 0.6, 0.5)에서 전문가 1과 2를 고르고, 더하지 않은 0.6과 0.2를 합 0.8로 나눕니다."""
    scores, bias = (
        torch.tensor([[0.8, 0.6, 0.2]], device=device),
        torch.tensor([-0.5, 0.0, 0.3], device=device),
    )
    weights, experts = both(student.bias_route(scores, bias, 2))
    assert_close(dense(weights, experts, 3), torch.tensor([[0.0, 0.75, 0.25]]))  # fmt: skip


@points(1.0, "bias_route", read="experts-bias")
def test_chooses_with_the_bias_and_weighs_without(student):
    """편향은 고를 때만 더합니다. 가중치는 더하지 않은 점수를 고른 것끼리 합이 1이 되게 나눈 것입니다."""
    for k in (2, 3):
        weights, experts = both(student.bias_route(torch.tensor(SCORES), torch.tensor(BIAS), k))
        assert_close(dense(weights, experts, 5), routed(torch.tensor(SCORES), torch.tensor(BIAS), k))


@observes("bias_route")
def observe_bias_route(student):
    def shares(bias, k, scores=SCORES):
        weights, experts = both(student.bias_route(torch.tensor(scores), bias, k))
        return dense(weights, experts, 5)

    bias = torch.tensor(BIAS)
    scores = torch.tensor(SCORES)

    def of_tiny():
        weights, experts = both(student.bias_route(*tiny(), 2))
        return dense(weights, experts, 3)

    def slopes():
        given = scores.double(), bias.double(), 2
        return reached(student.bias_route, *given, cotangent=scattered((6, 2), 1).double())

    def per_token(bias):
        return same(shares(forbidden(bias), 2), routed(scores, forbidden(bias), 2))

    return up_to_the_first_wrong(
        (lambda: [list(part.shape) for part in both(student.bias_route(scores.clone(), bias.clone(), 2))], [[6, 2]] * 2),
        (lambda: shares(bias, 2), routed(scores, bias, 2)),
        (lambda: shares(bias, 3), routed(scores, bias, 3)),
        (lambda: shares(bias, 1), routed(scores, bias, 1)),
        (lambda: attempt(per_token, bias) is True, True),
        (lambda: attempt(per_token, bias - 3) is True, True),
        (lambda: attempt(of_tiny), torch.tensor([[0.75, 0.25, 0.0]])),
        (lambda: mutated(student.bias_route, scores.clone(), bias.clone(), 2) == [], True),
        (lambda: attempt(slopes) == ["0"], True),
        (lambda: [refuses(student.bias_route, scores.clone(), bias.clone(), k) for k in (0, 6)], [True, True]),
        (lambda: bad_manners(student, student.bias_route, scores.double(), bias.double(), 2, learns=["0"]), "none"),
    )  # fmt: skip




# update_bias --------------------------------------------------------------------------------------------------

LOADS = [[0, 1], [0, 1], [0, 1], [0, 3], [2, 0], [3, 2]]  # 5, 3, 2, 2, 0: the mean is 2.4
BEFORE = [0.3, -0.2, 0.1, 0.05, 0.0]


moved = values_of(
    [
        ([['float32', 5, 4, 0.29036238, 0.65000002], ['int64', 6, 2, 7, 37.227062, 13.0], 0.02], {'dtype': 'float32', 'shape': [5], 'values': [0.28, -0.22, 0.12, 0.07, 0.02]}),
        ([['float32', 5, 4, 0.29036238, 0.65000002], ['int64', 11, 1, 7, 38.913068, 13.0], 0.02], {'dtype': 'float32', 'shape': [5], 'values': [0.28, -0.22, 0.12, 0.07, 0.02]}),
        ([['float32', 5, 4, 0.29036238, 0.65000002], ['int64', 6, 2, 7, 37.227062, 13.0], 0.3], {'dtype': 'float32', 'shape': [5], 'values': [0.0, -0.5, 0.40000001, 0.35000002, 0.30000001]}),
        ([['float32', 5, 4, 0.29036238, 0.65000002], ['int64', 5, 2, 7, 42.714399, 16.0], 0.02], {'dtype': 'float32', 'shape': [5], 'values': [0.28, -0.2, 0.1, 0.050000001, 0.02]}),
    ]
)


@points(0.25, "update_bias", read="experts-bias", step="warm-up")
def test_one_step_by_hand(student, device):
    """배정은 3, 2, 1이고 평균은 2입니다. 많은 것은 내리고, 같은 것은 그대로, 적은 것은 올립니다."""
    experts = torch.tensor([[0, 1], [0, 1], [0, 2]], device=device)
    found = student.update_bias(torch.tensor([0.0, 0.0, 0.5], device=device), experts, 0.1)
    assert_close(found, torch.tensor([-0.1, 0.0, 0.6]))


@points(0.5, "update_bias", read="experts-bias")
def test_a_step_of_one_size(student):
    """평균보다 많으면 rate만큼 내리고 적으면 rate만큼 올립니다. 차이의 크기를 곱하지 않고, 아무도 고르지 않은 전문가도 셉니다."""
    found = student.update_bias(torch.tensor(BEFORE), torch.tensor(LOADS), 0.02)
    assert_close(found, moved(torch.tensor(BEFORE), torch.tensor(LOADS), 0.02))


@observes("update_bias")
def observe_update_bias(student):
    before, loads = torch.tensor(BEFORE), torch.tensor(LOADS)
    # 4, 4, 1, 1, 1: as many are even as the median
    unlike = torch.tensor([[0]] * 4 + [[1]] * 4 + [[2], [3], [4]])
    even = torch.tensor([[0, 1], [0, 2], [0, 3], [1, 2], [3, 4]])

    def update(experts, rate=0.02):
        return student.update_bias(before.clone(), experts.clone(), rate).double()

    def right(experts, rate=0.02):
        return moved(before, experts, rate).double()

    return up_to_the_first_wrong(
        (lambda: [attempt(update, loads), attempt(update, unlike)], [right(loads), right(unlike)]),
        (lambda: update(loads, 0.3), right(loads, 0.3)),
        (lambda: update(even), right(even)),
        (lambda: bad_manners(student, student.update_bias, before.double(), loads, 0.02, learns=[]), "none"),
    )  # fmt: skip




# allowed_groups -----------------------------------------------------------------------------------------------

GROUPED = scattered((8, 9), 6).tolist()


in_groups = values_of(
    [
        ([['float32', 8, 9, 72, 24.273458, 34.947943], 3, 1], {'dtype': 'bool', 'shape': [8, 9], 'values': [True, True, True, False, False, False, False, False, False, False, False, False, True, True, True, False, False, False, True, True, True, False, False, False, False, False, False, True, True, True, False, False, False, False, False, False, False, False, False, True, True, True, False, False, False, True, True, True, False, False, False, False, False, False, True, True, True, False, False, False, False, False, False, False, False, False, False, False, False, True, True, True]}),
        ([['float32', 8, 9, 72, 24.273458, 34.947943], 3, 2], {'dtype': 'bool', 'shape': [8, 9], 'values': [True, True, True, True, True, True, False, False, False, True, True, True, True, True, True, False, False, False, True, True, True, True, True, True, False, False, False, True, True, True, False, False, False, True, True, True, True, True, True, True, True, True, False, False, False, True, True, True, False, False, False, True, True, True, True, True, True, True, True, True, False, False, False, True, True, True, False, False, False, True, True, True]}),
        ([['float32', 8, 9, 72, 24.273458, 34.947943], 9, 4], {'dtype': 'bool', 'shape': [8, 9], 'values': [True, True, False, True, False, True, False, False, False, False, True, True, True, False, True, False, False, False, True, True, True, False, False, True, False, False, False, True, False, True, False, True, False, True, False, False, True, False, True, True, True, False, False, False, False, True, False, True, False, False, False, True, False, True, True, True, False, True, False, True, False, False, False, True, False, False, False, True, False, True, False, True]}),
        ([['float32', 8, 9, 72, 24.273458, 34.947943], 1, 1], {'dtype': 'bool', 'shape': [8, 9], 'values': [True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True, True]}),
    ]
)


@points(0.25, "allowed_groups", read="experts-groups", step="warm-up")
def test_two_groups_by_hand(student, device):
    """묶음의 점수는 0.9 + 0.1과 0.6 + 0.5입니다. 가장 큰 하나는 앞 묶음에 있지만, 둘의 합은 뒤가 큽니다."""
    scores = torch.tensor([[0.9, 0.1, 0.1, 0.6, 0.5, 0.2]], device=device)
    assert_close(student.allowed_groups(scores, 2, 1), torch.tensor([[False] * 3 + [True] * 3]))


@points(0.75, "allowed_groups", read="experts-groups")
def test_the_best_groups_of_each_token(student):
    """토큰마다, 가장 큰 둘의 합이 큰 묶음을 고릅니다. 점수에 편향을 더하면 음수일 수도 있습니다."""
    for kept in (1, 2):
        assert_close(
            student.allowed_groups(torch.tensor(GROUPED), 3, kept), in_groups(torch.tensor(GROUPED), 3, kept)
        )


@observes("allowed_groups")
def observe_allowed_groups(student):
    allowed, scores = student.allowed_groups, torch.tensor(GROUPED)

    def seen(*options):
        found = allowed(scores.clone(), *options)
        return [str(found.dtype), found.int().tolist()]

    def right(*options):
        return ["torch.bool", in_groups(scores, *options).int().tolist()]

    return up_to_the_first_wrong(
        (lambda: seen(3, 1), right(3, 1)),
        (lambda: seen(3, 2), right(3, 2)),
        (lambda: seen(9, 4), right(9, 4)),
        (lambda: seen(1, 1), right(1, 1)),
        (
            lambda: [refuses(allowed, scores.clone(), *wrong) for wrong in [(2, 1), (3, 0), (3, 4)]],
            [True] * 3,
        ),
        (lambda: bad_manners(student, allowed, scores.double(), 3, 2, learns=[]), "none"),
    )
