"""What the exercise `experts` is graded by."""

import math

import torch

from grader.judging.contract import assert_manners, bad_manners
from grader.judging.memory import measured
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import assert_close, mutated, observes, points, reached, refuses, scattered
from grader.judging.values import secret


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


@secret
def mixed(x, weights, experts, gate, up, down, kept=None):
    """Every expert on every token, those not chosen with weight 0; no NaN may be in them."""
    hidden = torch.einsum("td,edf->etf", x, gate)
    outputs = (hidden * hidden.sigmoid() * torch.einsum("td,edf->etf", x, up)) @ down
    if kept is not None:
        weights = weights * kept
    shares = torch.zeros(len(x), len(gate), dtype=x.dtype).scatter_add(1, experts, weights)
    return torch.einsum("te,etd->td", shares, outputs)


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


### BEGIN HIDDEN TESTS
@points(0.75, "mix_experts", read="experts-layer")
def test_any_mixture(student, rng):
    """토큰, 전문가, 고르는 수가 얼마든 같은 식입니다. 고르지 않은 전문가와 버린 배정은 계산하지 않고, 아무것도 더하지 않습니다."""
    for tokens, number_of, k in [(7, 4, 2), (5, 3, 3), (9, 6, 1)]:
        x = torch.randn(tokens, 4, generator=rng, dtype=torch.float64)
        gate, up = torch.randn(2, number_of, 4, 3, generator=rng, dtype=torch.float64)
        down = torch.randn(number_of, 3, 4, generator=rng, dtype=torch.float64)
        experts = torch.rand(tokens, number_of, generator=rng).argsort(1)[:, :k]
        weights = torch.rand(tokens, k, generator=rng, dtype=torch.float64)
        kept = torch.rand(tokens, k, generator=rng) < 0.6
        given = x, weights, experts, gate, up, down
        assert_close(student.mix_experts(*given), mixed(*given))
        assert_close(student.mix_experts(*given, kept), mixed(*given, kept))
    assert_close(student.mix_experts(*with_nan(mixture())), mixed(*mixture()))
    kept = torch.tensor(WITHOUT_FOUR)
    assert_close(student.mix_experts(*with_nan(mixture(), 4), kept), mixed(*mixture(), kept))
    assert computes_few(student), "고르지 않은 것까지 계산했거나 행렬을 토큰마다 복사했습니다."


@points(0.25, "mix_experts", read="experts-grading", step="robust")
def test_mix_experts_has_manners(student):
    """받은 텐서를 바꾸지 않습니다. 기울기는 x와 가중치와 세 행렬로 흐릅니다. 모두 버렸으면 0입니다."""
    given = [x.double() if x.is_floating_point() else x for x in mixture()]
    assert_manners(student, student.mix_experts, *given)
    assert reached(student.mix_experts, *given) == ["0", "1", "3", "4", "5"], (
        "기울기가 흐르지 않는 입력이 있습니다."
    )
    assert student.mix_experts(*given).dtype == torch.float64, "자료형이 x를 따르지 않습니다."
    nobody = torch.zeros(6, 2, dtype=torch.bool)
    assert_close(student.mix_experts(*given, nobody), torch.zeros(6, 3, dtype=torch.float64))


### END HIDDEN TESTS


# kept_in_capacity ---------------------------------------------------------------------------------------------

QUEUE = [[0, 1], [0, 2], [1, 0], [0, 1], [3, 0], [1, 3], [0, 3]]


@secret
def in_queue(experts, capacity):
    """One assignment after another."""
    places, kept = {}, torch.zeros(experts.shape, dtype=torch.bool)
    for rank in range(experts.shape[1]):
        for token, e in enumerate(experts[:, rank].tolist()):
            places[e] = places.get(e, 0) + 1
            kept[token, rank] = places[e] <= capacity
    return kept


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


### BEGIN HIDDEN TESTS
@points(0.5, "kept_in_capacity", read="experts-capacity")
def test_any_queue(student, rng):
    """토큰, 전문가, 자리의 수가 얼마든 같습니다. 자리가 토큰보다 많으면 모두 남고, 0이면 모두 버립니다."""
    for tokens, number_of, k, capacity in [
        (20, 6, 2, 5),
        (9, 4, 3, 2),
        (12, 3, 1, 3),
        (5, 4, 2, 50),
        (5, 4, 2, 0),
    ]:
        experts = torch.rand(tokens, number_of, generator=rng).argsort(1)[:, :k]
        assert_close(student.kept_in_capacity(experts, capacity), in_queue(experts, capacity))  # fmt: skip
    # Third choices that are drawn need not stand behind first ones.
    assert_close(student.kept_in_capacity(three_choices(), 3), in_queue(three_choices(), 3))


@points(0.25, "kept_in_capacity", read="experts-grading", step="robust")
def test_kept_in_capacity_has_manners(student):
    """받은 번호를 바꾸지 않고, 같은 장치의 참·거짓을 돌려줍니다. 아무도 고르지 않은 번호가 있어도 됩니다."""
    assert_manners(student, student.kept_in_capacity, torch.tensor(QUEUE), 3)
    alone = torch.tensor([[4], [0], [4], [4]])
    assert_close(student.kept_in_capacity(alone, 2), in_queue(alone, 2))


### END HIDDEN TESTS


# bias_route ---------------------------------------------------------------------------------------------------

BIAS = [0.09, -0.2, 0.2, 0.1, 0.05]
SCORES = (0.5 + 0.45 * scattered((6, 5), 3)).tolist()


@secret
def routed(scores, bias, k):
    """The weight of every expert, by sorting."""
    rank = (scores + bias).argsort(dim=-1, descending=True).argsort(dim=-1)
    chosen = scores * (rank < k)
    return chosen / chosen.sum(dim=-1, keepdim=True)


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


### BEGIN HIDDEN TESTS
@points(0.75, "bias_route", read="experts-bias")
def test_any_scores_and_biases(student, rng):
    """편향은 전문가마다일 수도, 토큰마다 다를 수도 있습니다. 음의 무한대인 전문가는 고르지 않습니다. 나머지의 합이 모두 음수여도 그렇습니다."""
    for tokens, number_of, k in [(6, 5, 2), (3, 7, 4), (4, 3, 1), (2, 3, 3)]:
        scores = torch.randn(tokens, number_of, generator=rng, dtype=torch.float64).sigmoid()
        bias = 0.5 * torch.randn(number_of, generator=rng, dtype=torch.float64)
        weights, experts = both(student.bias_route(scores.clone(), bias, k))
        assert_close(dense(weights, experts, number_of), routed(scores, bias, k))
    scores = torch.tensor(SCORES)
    for bias in (forbidden(torch.tensor(BIAS)), forbidden(torch.tensor(BIAS) - 3)):
        weights, experts = both(student.bias_route(scores.clone(), bias, 2))
        assert_close(dense(weights, experts, 5), routed(scores, bias, 2))


@points(0.5, "bias_route", read="experts-grading", step="robust")
def test_bias_route_has_manners(student):
    """아주 작은 점수는 편향을 더했다가 빼면 사라집니다. 기울기는 점수로 흐르고, 고를 수 없는 k는 ValueError입니다."""
    scores, bias = torch.tensor(SCORES).double(), torch.tensor(BIAS).double()
    assert_manners(student, student.bias_route, scores, bias, 2)
    assert reached(student.bias_route, scores, bias, 2, cotangent=scattered((6, 2), 1).double()) == ["0"], (
        "기울기가 점수로만 흘러야 합니다."
    )
    weights, experts = both(student.bias_route(*tiny(), 2))
    assert_close(dense(weights, experts, 3), torch.tensor([[0.75, 0.25, 0.0]]))
    for k in (0, 6):
        assert refuses(student.bias_route, scores, bias, k), f"k = {k}를 받아들였습니다."


### END HIDDEN TESTS


# update_bias --------------------------------------------------------------------------------------------------

LOADS = [[0, 1], [0, 1], [0, 1], [0, 3], [2, 0], [3, 2]]  # 5, 3, 2, 2, 0: the mean is 2.4
BEFORE = [0.3, -0.2, 0.1, 0.05, 0.0]


@secret
def moved(bias, experts, rate):
    """One expert after another."""
    mean = experts.numel() / len(bias)
    load = [(experts == e).sum().item() for e in range(len(bias))]
    steps = [rate if n < mean else -rate if n > mean else 0.0 for n in load]
    return bias + torch.tensor(steps, dtype=bias.dtype)


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


### BEGIN HIDDEN TESTS
@points(0.5, "update_bias", read="experts-bias")
def test_any_loads(student, rng):
    """배정이 어떻게 나뉘었든 같습니다. 평균과 꼭 같으면 그대로 둡니다."""
    for tokens, number_of, k in [(20, 6, 2), (8, 4, 1), (6, 3, 2)]:
        experts = torch.rand(tokens, number_of, generator=rng).argsort(1)[:, :k]
        bias = torch.randn(number_of, generator=rng, dtype=torch.float64)
        assert_close(student.update_bias(bias.clone(), experts, 0.05), moved(bias, experts, 0.05))
    even = torch.tensor([[0, 1], [1, 2], [2, 0]])
    assert_close(student.update_bias(torch.ones(3), even, 0.1), torch.ones(3))
    # What is drawn need not have a mean with a fraction, or an expert whom nobody chooses.
    found = student.update_bias(torch.tensor(BEFORE), torch.tensor(LOADS), 0.3)
    assert_close(found, moved(torch.tensor(BEFORE), torch.tensor(LOADS), 0.3))


@points(0.25, "update_bias", read="experts-grading", step="robust")
def test_update_bias_has_manners(student):
    """받은 편향을 제자리에서 바꾸지 않고, 자료형과 장치는 편향을 따릅니다."""
    bias = torch.tensor(BEFORE).double()
    assert_manners(student, student.update_bias, bias, torch.tensor(LOADS), 0.1)
    assert student.update_bias(bias, torch.tensor(LOADS), 0.1).dtype == torch.float64, "자료형이 다릅니다."


### END HIDDEN TESTS


# allowed_groups -----------------------------------------------------------------------------------------------

GROUPED = scattered((8, 9), 6).tolist()


@secret
def in_groups(scores, groups, kept):
    """One token after another."""
    size = scores.shape[1] // groups
    rows = []
    for row in scores.tolist():
        parts = [sorted(row[g * size : (g + 1) * size], reverse=True) for g in range(groups)]
        order = sorted(range(groups), key=lambda g: -sum(parts[g][:2]))
        rows.append([i // size in order[:kept] for i in range(len(row))])
    return torch.tensor(rows)


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


### BEGIN HIDDEN TESTS
@points(0.75, "allowed_groups", read="experts-groups")
def test_any_groups(student, rng):
    """묶음의 수와 크기가 얼마든 같습니다. 하나씩인 묶음도, 묶음 하나도 됩니다. 묶음은 번호가 이웃한 전문가입니다."""
    for number_of, groups, kept in [(12, 4, 2), (12, 3, 1), (6, 6, 2), (8, 2, 2), (10, 5, 3), (6, 1, 1)]:
        scores = torch.randn(7, number_of, generator=rng, dtype=torch.float64)
        assert_close(student.allowed_groups(scores, groups, kept), in_groups(scores, groups, kept))


@points(0.25, "allowed_groups", read="experts-grading", step="robust")
def test_allowed_groups_has_manners(student):
    """받은 점수를 바꾸지 않습니다. 나누어떨어지지 않는 묶음과 고를 수 없는 수는 ValueError입니다."""
    assert_manners(student, student.allowed_groups, torch.tensor(GROUPED), 3, 2)
    for wrong in [(2, 1), (3, 0), (3, 4)]:
        assert refuses(student.allowed_groups, torch.tensor(GROUPED), *wrong), f"{wrong}를 받아들였습니다."


### END HIDDEN TESTS
