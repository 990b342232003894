"""What the exercise `efficient_attention` is graded by."""

import math
from copy import deepcopy

import torch
import torch.nn.functional as F

from grader.judging.contract import assert_manners, finite_gradients, first_broken, kept, manners
from grader.judging.memory import measured
from grader.judging.observed import up_to_the_first_wrong
from grader.judging.suite import (
    ATTENTION,
    assert_close,
    gradients,
    observes,
    outcome,
    points,
    reached,
    refuses,
    scattered,
)
from grader.judging.values import values_of

FORBIDDEN = dict.fromkeys(["linformer_attention", "sorted_lsh_attention", "performer_attention"], ATTENTION)


def listed(found):
    """What a call returned as a list, whatever holds it."""
    return list(found) if isinstance(found, list | tuple) else [found]


def alone(function, count, args):
    """What a call returns, as a list, for one sequence; for a batch of one where it wants a batch.

    The first `count` arguments are those with a batch. Whatever the call does to them is not left behind.
    """
    try:
        return listed(function(*deepcopy(args)))
    except Exception:
        batch = [x[None].clone() for x in args[:count]]
        return [x[0] for x in listed(function(*batch, *deepcopy(args[count:])))]


UNASKED = "LaterError"  # as where a call fails: looked at only where what comes before it is right


def close(found, expected):
    """Whether the tensors of two lists are nearly the same, as far as the shorter list goes."""
    return all(
        a.shape == b.shape and torch.allclose(a.double(), b.double(), rtol=5e-3, atol=5e-3)
        for a, b in zip(found, expected, strict=False)
    )


def promised(student, function, count, args):
    """What every answer promises: the manners of all, and as many axes before the others as there are."""
    double = [x.double() if torch.is_tensor(x) and x.is_floating_point() else x for x in args]
    return {
        "batch": lambda: each_of_a_batch(function, count, args),
        "not a number": lambda: not reached(function, *double) or finite_gradients(function, *double),
        **manners(student, function, *double),
        "slopes": lambda: follows_slopes(function, double),
    }


def each_of_a_batch(function, count, args):
    """Whether a sequence gets the same alone, in a batch of six, and in one of two times three."""
    rolled = [[x.roll(i, 0) for x in args[:count]] for i in range(6)]
    one_by_one = [alone(function, count, [*row, *args[count:]]) for row in rolled]
    expected = [torch.stack(column) for column in zip(*one_by_one, strict=True)]
    batch = [torch.stack(column) for column in zip(*rolled, strict=True)]
    return close(listed(function(*deepcopy(args))), one_by_one[0]) and all(
        close(
            listed(function(*(x.unflatten(0, shape).clone() for x in batch), *args[count:])),
            [x.unflatten(0, shape) for x in expected],
        )
        for shape in [(6,), (2, 3)]
    )


def follows_slopes(function, args):
    """Whether the gradients tell what a small step of each input changes."""
    for i, gradient in gradients(function, *args)["inputs"].items():
        step = 1e-4 * scattered(args[i].shape, i)
        ahead, behind = (
            listed(function(*args[:i], args[i] + sign * step, *args[i + 1 :]))[0].sum() for sign in (1, -1)
        )
        if not torch.isclose((ahead - behind) / 2e-4, (gradient * step).sum() / 1e-4, rtol=1e-3, atol=1e-5):
            return False
    return True


def finite_for_large(function, args):
    """Whether scores of some thousands give numbers still."""
    return all(bool(x.isfinite().all()) for x in listed(function(1e4 * args[0], *args[1:])))


LONG = 512


def is_linear(largest):
    """For LONG positions: whether nothing was larger than a quarter of n x n numbers."""
    return largest <= LONG**2 / 4


def is_linear_work(made):
    """For LONG positions: whether all that was made is less than half of n x n numbers, in whatever pieces."""
    return made <= LONG**2 / 2


# linformer_attention ----------------------------------------------------------------------------------------


def four_keys():
    """Keys whose scores with a query of ones are 0, 0, ln 4 and ln 9."""
    key = torch.zeros(4, 4)
    key[2, 0] = key[2, 2] = math.log(4)
    key[3, 0] = key[3, 3] = math.log(9)
    return torch.ones(1, 4), key, torch.tensor([[0.0], [7], [7], [14]])


MEANS = torch.tensor([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]])
FIRSTS = torch.tensor([[1.0, 0, 0, 0], [0, 0, 1, 0]])


@points(0.25, "linformer_attention", read="low-rank", step="warm-up")
def test_means_of_neighbours(student, device):
    """E가 키를, F가 값을 길이 쪽에서 줄입니다: E @ key와 F @ value. 그다음은 보통의 어텐션입니다."""
    inputs = [x.to(device) for x in (*four_keys(), MEANS, MEANS)]
    output, weights = student.linformer_attention(*inputs)
    assert_close(weights, torch.tensor([[1 / 7, 6 / 7]]))
    assert_close(output, torch.tensor([[9.5]]))


@points(0.25, "linformer_attention", read="fixed-length", step="robust")
def test_another_length_is_refused(student):
    """키의 수가 E나 F의 열의 수와 다르면 ValueError를 내야 합니다. 배운 행렬이 길이를 정합니다."""
    query, key, value = four_keys()
    student.linformer_attention(query, key, value, MEANS, MEANS)
    assert refuses(student.linformer_attention, query, key[:3], value[:3], MEANS, MEANS), (
        "열이 4개인 E에 키 3개를 넣어도 ValueError가 없습니다."
    )
    assert refuses(student.linformer_attention, query, key, value, MEANS, MEANS[:, :3]), (
        "열이 3개인 F에 값 4개를 넣어도 ValueError가 없습니다."
    )
    assert refuses(student.linformer_attention, query, key, value, MEANS[:, :3], MEANS), (
        "열이 3개인 E에 키 4개를 넣어도 ValueError가 없습니다."
    )


@observes("linformer_attention")
def observe_linformer_attention(student):
    attend_ = student.linformer_attention
    query, key, value = four_keys()
    example = [query, key, value, MEANS, FIRSTS]
    shapes = [(3, 4), (5, 4), (5, 3), (2, 5), (2, 5)]
    inputs = [2 * scattered(shape, i).float() for i, shape in enumerate(shapes)]
    square = [2 * scattered((4, 4), i).float() for i in range(5)]
    right = kept(lambda: close(alone(attend_, 3, example), [torch.tensor([[6.0]])]))
    return [
        outcome(alone, attend_, 3, inputs),
        outcome(alone, attend_, 3, square),
        first_broken(promised_by_linformer(student, example)) if right else UNASKED,
    ]


def promised_by_linformer(student, args):
    attend_ = student.linformer_attention
    query, key, value, E, F_ = args
    other_lengths = [
        (query, x[:n], y[:n], E, F_) for n in (3, 5) for x, y in [(key.repeat(2, 1), value.repeat(2, 1))]
    ]
    wider = E.repeat(1, 2)[:, :5], F_.repeat(1, 2)[:, :5]
    return {
        "batch": lambda: each_of_a_batch(attend_, 3, args),
        "no other length": lambda: all(isinstance(outcome(attend_, *x), str) for x in other_lengths),
        "refusal": lambda: all(refuses(attend_, *x) for x in other_lengths),
        "the length of E": lambda: refuses(attend_, query, key, value, wider[0], F_),
        "the length of F": lambda: refuses(attend_, query, key, value, E, wider[1]),
        "memory": lambda: is_linear(measured(student, attend_, *long_linformer())[0]),
        "large scores": lambda: finite_for_large(attend_, args),
        **promised(student, attend_, 3, args),
    }


def long_linformer():
    x = scattered((LONG, 2), 0).float()
    return x, x, x.repeat(1, 2), scattered((3, LONG), 1).float(), scattered((3, LONG), 2).float()




# sorted_lsh_attention ---------------------------------------------------------------------------------------


in_buckets = values_of(
    [
        ([['float64', 9, 4, 36, 31.134667, 33.055615], ['float64', 9, 2, 18, -1.8057108, 8.7696092], ['int64', 9, 7, 32.433969, 14.0]], {'dtype': 'float64', 'shape': [9, 2], 'values': [0.12593995, -0.38845873, -0.20399826, -0.82843563, 0.28976056, 0.30740237, -0.73834731, 0.18912674, 0.34842386, 0.44761356, -0.033814888, -0.71759741, -0.64886242, 0.37573586, 0.05143524, -0.40309397, -0.35065436, 0.26493486]}),
        ([['float64', 9, 4, 36, 31.134667, 33.055615], ['float64', 9, 2, 18, -1.8057108, 8.7696092], ['int64', 9, 7, 32.433969, 14.0], True], {'dtype': 'float64', 'shape': [9, 2], 'values': [-0.5969431, 0.028573879, -0.033814888, -0.71759741, -0.86158617, 0.32976302, -0.5969431, 0.028573879, 0.34842386, 0.44761356, -0.033814888, -0.71759741, -0.86158617, 0.32976302, 0.05143524, -0.40309397, -0.35065436, 0.26493486]}),
        ([['float64', 9, 4, 36, -9.5690064, 18.211168], ['float64', 9, 2, 18, -8.4795631, 7.2105557], ['int64', 9, 6, 14.978086, 9.0]], {'dtype': 'float64', 'shape': [9, 2], 'values': [-0.54186016, -0.4138851, -0.049051231, -0.52547303, -0.27645388, 0.0045533256, -0.038320051, -0.24671773, 0.18570899, -0.05309371, 0.096211762, -0.16245756, -0.26784045, -0.18356111, -0.85115946, 0.02118451, -0.19949353, 0.39889041]}),
        ([['float64', 8, 4, 32, -5.3749827, 15.398062], ['float64', 8, 2, 16, -2.6816331, 5.8199185], ['int64', 8, 5, 10.796546, 7.0]], {'dtype': 'float64', 'shape': [8, 2], 'values': [-0.83257218, 0.11425439, 0.344177, -0.11787363, 0.074624632, -0.18027479, -0.24033659, -0.60175462, -0.081940854, -0.51468192, -0.4199501, 0.49971172, 0.16237453, -0.016024338, -0.46137581, 0.34299195]}),
        ([['float64', 1, 4, 4, -2.0137174, 1.58168], ['float64', 1, 2, 2, 0.17747852, 0.46205063], ['int64', 1, 0, 0.0, 0.0]], {'dtype': 'float64', 'shape': [1, 2], 'values': [0.344177, -0.11787363]}),
    ]
)


def three_and_one():
    qk = torch.tensor([[1.0, 0], [2, 0], [0, 1], [0, -1]])
    return qk, torch.tensor([[1.0], [2], [4], [8]]), torch.tensor([0, 0, 0, 1])


def in_turns():
    """Nine positions whose buckets of two, three, one and three lie mixed; sorted, one crosses a block of three."""
    qk, value = 2 * scattered((9, 4), 1), scattered((9, 2), 2)
    return qk, value, torch.tensor([1, 0, 3, 1, 2, 0, 3, 1, 3])


def long_buckets(size=4):
    """LONG positions, and `size` of them in each bucket, dealt out in turns."""
    qk, value = scattered((LONG, 4), 1).float(), scattered((LONG, 2), 2).float()
    return qk, value, torch.arange(LONG) * 7 % (LONG // size), size


@points(0.25, "sorted_lsh_attention", read="shared-qk", step="warm-up")
def test_one_bucket_and_one_alone(student, device):
    """키는 qk를 크기 1로 맞춘 것, 질의는 qk 그대로입니다. 같은 버킷의 다른 위치만 보고, 혼자인 위치는 자기 값을 냅니다."""
    output = student.sorted_lsh_attention(*(x.to(device) for x in three_and_one()), 3)
    assert_close(output, torch.tensor([[2.66052], [1.58674], [1.5], [8]]), atol=1e-4)


@points(0.25, "sorted_lsh_attention", read="shared-qk")
def test_back_in_their_places(student):
    """버킷이 섞여 있어도 출력은 글의 처음 차례대로입니다. 정렬했으면 되돌리십시오: order.argsort()가 거꾸로 가는 차례입니다."""
    right = in_buckets(*in_turns())
    assert_close(student.sorted_lsh_attention(*in_turns(), 3), right, atol=1e-5)


@points(0.25, "sorted_lsh_attention", read="itself-last")
def test_causal_buckets(student):
    """causal이면 같은 버킷에서 글의 앞에 있는 위치만 봅니다. 앞에 아무도 없으면 자기 자신을 봅니다."""
    output = student.sorted_lsh_attention(*three_and_one(), 3, causal=True)
    assert_close(output, torch.tensor([[1.0], [1], [1.5], [8]]))
    right = in_buckets(*in_turns(), True)
    assert_close(student.sorted_lsh_attention(*in_turns(), 3, True), right, atol=1e-5)


@observes("sorted_lsh_attention")
def observe_sorted_lsh_attention(student):
    attend_, given = student.sorted_lsh_attention, in_turns()
    right, later = in_buckets(*given), in_buckets(*given, True)
    alone_, first = [4], [0, 1, 2, 4]  # in a bucket; of a bucket
    others = [i for i in range(9) if i not in alone_]
    behind = [i for i in range(9) if i not in first]

    def answer(causal=False):
        return attend_(*(x.clone() for x in given), 3, causal)

    def call(causal=False):
        found = answer(causal)
        return found[0] if isinstance(found, list | tuple) else found

    def order():
        """Which of the right rows each row is; "in place" where some are none of them, or all are where they belong."""
        like = torch.stack([torch.isclose(row, right, 1e-3, 1e-3).all(-1) for row in call()])
        mixed = like.any(-1).all() and not like.diagonal().all()
        return like.int().argmax(-1).tolist() if mixed else "in place"

    def fits(n, block):
        qk, value = scattered((n, 4), 3), scattered((n, 2), 4)
        buckets = torch.arange(n).flip(0) // block
        found = attend_(qk.clone(), value.clone(), buckets, block)
        return bool(torch.allclose(found, in_buckets(qk, value, buckets), 1e-3, 1e-4))

    def without_a_square():
        largest, made, _ = measured(student, attend_, *long_buckets())
        return is_linear(largest) and is_linear_work(made)

    return up_to_the_first_wrong(
        (lambda: type(answer()).__name__ == "Tensor", True),
        (order, "in place"),
        (lambda: call()[others], right[others]),
        (lambda: call()[alone_], right[alone_]),
        (lambda: call(True)[behind], later[behind]),
        (lambda: call(True)[first], later[first]),
        (lambda: [fits(9, 3), fits(8, 3), fits(1, 4)], [True, True, True]),
        (without_a_square, True),
        (lambda: finite_for_large(attend_, [*given, 3]), True),
        (lambda: first_broken(manners(student, attend_, *given, 3)), "none"),
    )




# positive_random_features -----------------------------------------------------------------------------------


@points(0.5, "positive_random_features", read="random-features", step="warm-up")
def test_features_by_hand(student, device):
    """exp(ω · x - |x|² / 2)를 √m으로 나눈 것입니다. |x|는 벡터의 크기, m은 projection의 행의 수입니다."""
    projection = torch.tensor([[1.0, 0], [0, 2], [-1, 1], [3, 0]])
    found = student.positive_random_features(torch.tensor([[1.0, 0]]).to(device), projection.to(device))
    assert_close(found, torch.tensor([[0.8243606, 0.3032653, 0.1115651, 6.0912470]]))
    found = student.positive_random_features(
        torch.tensor([[1.0, 2], [0, 0]]).to(device), projection.to(device)
    )
    assert_close(found, torch.tensor([[0.1115651, 2.2408445, 0.1115651, 0.8243606], [0.5] * 4]))


@observes("positive_random_features")
def observe_positive_random_features(student):
    features = student.positive_random_features
    inputs = [
        torch.tensor([[1.0, 2], [-1, 0], [2, -1]]),
        torch.tensor([[1.0, 0], [0, 2], [-1, 1], [3, 0]]),
    ]
    square = [torch.tensor([[1.0, 0], [0, 2]]), torch.tensor([[1.0, 2], [3, 4]])]
    expected = [
        [0.1115651, 2.2408445, 0.1115651, 0.8243606],
        [0.1115651, 0.3032653, 0.8243606, 0.0150987],
        [0.3032653, 0.0055545, 0.0020434, 16.5577260],
    ]
    right = kept(lambda: close(alone(features, 1, inputs), [torch.tensor(expected)]))
    return [
        "right" if right else outcome(shape_or_values, features, inputs),
        UNASKED if right else outcome(shape_or_values, features, square),
        first_broken(promised_by_features(student, inputs)) if right else UNASKED,
    ]


def shape_or_values(features, args):
    """The features; where their shape is not that of the exercise, only it and whether there are negative ones."""
    [found] = alone(features, 1, args)
    expected = (len(args[0]), len(args[1]))
    return found if found.shape == expected else [list(found.shape), bool((found < 0).any())]


def promised_by_features(student, args):
    features = student.positive_random_features
    return {
        "batch": lambda: each_of_a_batch(features, 1, args),
        "nothing added": lambda: bool((features(torch.tensor([[20.0, 20]]), args[1]) < 1e-9).all()),
        "large exponents": lambda: bool(
            features(torch.tensor([[20.0, 0]]), torch.tensor([[9.9, 0]])).isfinite()
        ),
        **promised(student, features, 1, args),
    }




# performer_attention ----------------------------------------------------------------------------------------


kernel_attention = values_of(
    [
        ([['float64', 5, 4, 20, 7.4587668, 10.127533], ['float64', 5, 4, 20, 5.8177632, 8.595571], ['float64', 5, 3, 15, -6.1360339, 7.7230285], ['float64', 6, 4, 24, -18.50872, 22.973982]], {'dtype': 'float64', 'shape': [5, 3], 'values': [0.2389301, -0.30330944, -0.40759253, 0.196838, -0.25467144, -0.39429018, 0.17658585, -0.36022897, -0.29335477, 0.20735879, -0.36728249, -0.32284336, 0.16035546, -0.31529113, -0.31578355]}),
        ([['float64', 5, 4, 20, 7.4587668, 10.127533], ['float64', 5, 4, 20, 5.8177632, 8.595571], ['float64', 5, 3, 15, -6.1360339, 7.7230285], ['float64', 6, 4, 24, -18.50872, 22.973982], True], {'dtype': 'float64', 'shape': [5, 3], 'values': [-0.5969431, 0.028573879, -0.033814888, -0.64588139, -0.33248166, 0.11365502, -0.051180611, -0.69230042, 0.25292762, 0.14674293, -0.53799461, -0.13169668, 0.16035546, -0.31529113, -0.31578355]}),
        ([['float32', 5, 4, 20, 7.4587669, 10.127533], ['float32', 5, 4, 20, 5.8177635, 8.595571], ['float32', 5, 3, 15, -6.1360338, 7.7230285], ['float32', 6, 4, 24, -18.50872, 22.973982]], {'dtype': 'float32', 'shape': [5, 3], 'values': [0.23893011, -0.30330947, -0.40759256, 0.19683801, -0.25467145, -0.39429021, 0.17658582, -0.36022896, -0.29335475, 0.20735876, -0.36728248, -0.32284337, 0.16035543, -0.31529114, -0.31578353]}),
        ([['float32', 5, 4, 20, 7.4587669, 10.127533], ['float32', 5, 4, 20, 5.8177635, 8.595571], ['float32', 5, 3, 15, -6.1360338, 7.7230285], ['float32', 6, 4, 24, -18.50872, 22.973982], True], {'dtype': 'float32', 'shape': [5, 3], 'values': [-0.59694308, 0.028573878, -0.033814888, -0.64588141, -0.33248162, 0.11365501, -0.051180635, -0.69230044, 0.2529276, 0.1467429, -0.53799456, -0.13169669, 0.16035543, -0.31529114, -0.31578353]}),
    ]
)


def five_positions():
    return [scattered((5, 4), i) for i in range(2)] + [scattered((5, 3), 2), 2 * scattered((6, 4), 3)]


@points(0.5, "performer_attention", read="linear-time", step="warm-up")
def test_features_in_place_of_scores(student, device):
    """질의와 키에 각각 d^(-1/4)를 곱한 다음 특징을 내고, 분자를 분모로 나누어야 합니다. 출력 하나만 돌려줍니다."""
    inputs = five_positions()
    found = student.performer_attention(*(x.to(device) for x in inputs))
    assert_close(found, kernel_attention(*inputs), atol=1e-4)


@points(0.25, "performer_attention", read="prefix-sums")
def test_sums_up_to_here(student, device):
    """causal이면 분자와 분모의 합이 모두 j ≤ i까지입니다. 첫 출력은 첫 값, 마지막 출력은 causal이 아닐 때와 같습니다."""
    inputs = five_positions()
    found = student.performer_attention(*(x.clone().to(device) for x in inputs), causal=True)
    assert_close(found, kernel_attention(*inputs, causal=True), atol=1e-4)
    assert_close(found[0], inputs[2][0], atol=1e-4)


@observes("performer_attention")
def observe_performer_attention(student):
    attend_ = student.performer_attention
    inputs = [x.float() for x in five_positions()]
    right = kept(lambda: is_one(alone(attend_, 3, inputs), kernel_attention(*inputs)))
    later = [*inputs, True]
    right_later = right and kept(lambda: is_one(alone(attend_, 3, later), kernel_attention(*later)))
    return [
        outcome(lambda: len(alone(attend_, 3, inputs))),
        outcome(lambda: alone(attend_, 3, inputs)[0]),
        outcome(lambda: alone(attend_, 3, later)[0][1:]) if right else UNASKED,
        kept(lambda: close([alone(attend_, 3, later)[0][:1]], [inputs[2][:1]])) if right else UNASKED,
        first_broken(promised_by_performer(student, inputs)) if right_later else UNASKED,
    ]


def is_one(found, expected):
    return len(found) == 1 and close(found, [expected])


def promised_by_performer(student, args):
    attend_ = student.performer_attention
    later, longer = [*args, True], [x.repeat(26, 1) for x in args[:3]]
    used = {}

    def of(causal):
        if causal not in used:
            used[causal] = measured(student, attend_, *long_performer(), causal)[:2]
        return used[causal]

    return {
        "batch": lambda: each_of_a_batch(attend_, 3, args),
        "batch when causal": lambda: each_of_a_batch(attend_, 3, later),
        "memory": lambda: is_linear(of(False)[0]),
        "memory when causal": lambda: is_linear(of(True)[0]),
        "work": lambda: is_linear_work(of(False)[1]),
        "work when causal": lambda: is_linear_work(of(True)[1]),
        "number of queries": lambda: close(
            [alone(attend_, 3, [args[0][:2], *args[1:]])[0]], [alone(attend_, 3, args)[0][:2]]
        ),
        "length": lambda: close(
            [alone(attend_, 3, [*longer, args[3], True])[0][-1]],
            [alone(attend_, 3, [*longer, args[3]])[0][-1]],
        ),
        **promised(student, attend_, 3, args),
        **{f"{name} when causal": look for name, look in promised(student, attend_, 3, later).items()},
    }


def long_performer():
    x = [scattered((1, LONG, 2), i).float() for i in range(3)]
    return *x, scattered((3, 2), 3).float()
