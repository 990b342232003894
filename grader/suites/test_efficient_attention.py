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
from grader.judging.values import secret

FORBIDDEN = dict.fromkeys(["linformer_attention", "sorted_lsh_attention", "performer_attention"], ATTENTION)


def drawn(rng, *shape):
    return torch.randn(shape, generator=rng, dtype=torch.float64)


def attend(query, key, value, mask=None, scale=None):
    """PyTorch's attention, and its weights: the output for the values of an identity matrix."""
    identity = torch.eye(key.shape[-2], dtype=key.dtype).expand(*key.shape[:-1], -1)
    return [F.scaled_dot_product_attention(query, key, v, mask, scale=scale) for v in (value, identity)]


def assert_attention(found, expected, *, atol=1e-9):
    """Assert that output and weights are right, and float64 as the inputs are."""
    assert isinstance(found, list | tuple) and len(found) == 2, "(출력, 가중치) 둘을 돌려주어야 합니다."
    for tensor, right in zip(found, expected, strict=True):
        assert_close(tensor, right, rtol=1e-7, atol=atol)
        assert tensor.dtype == torch.float64, f"float64 입력에서 {tensor.dtype}이 나왔습니다."


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


### BEGIN HIDDEN TESTS
@points(0.5, "linformer_attention", read="low-rank")
def test_two_matrices(student, device, rng):
    """E는 키에, F는 값에 곱합니다. 서로 다른 행렬입니다. 둘이 단위행렬이면 보통의 어텐션입니다. 나누는 수는 줄인 길이가 아니라 키의 차원의 제곱근이고, 배치 축은 없을 수도 여럿일 수도 있습니다."""
    for shape, n, n_q in [((), 5, 3), ((2, 3), 4, 6), ((1,), 1, 1)]:
        query, key = drawn(rng, *shape, n_q, 6), drawn(rng, *shape, n, 6)
        value, identity = drawn(rng, *shape, n, 2), torch.eye(n, dtype=torch.float64)
        inputs = (query, key, value, identity, identity)
        found = student.linformer_attention(*(x.clone().to(device) for x in inputs))
        assert_attention(found, attend(query, key, value))
    query, key, value = drawn(rng, 2, 3, 4, 6), drawn(rng, 2, 3, 7, 6), drawn(rng, 2, 3, 7, 5)
    E, F_ = drawn(rng, 2, 7), drawn(rng, 2, 7)
    inputs = [x.to(device) for x in (query, key, value, E, F_)]
    found = student.linformer_attention(*(x.clone() for x in inputs))
    assert_attention(found, attend(query, E @ key, F_ @ value))
    assert_manners(student, student.linformer_attention, *inputs)
    assert reached(student.linformer_attention, *inputs) == ["0", "1", "2", "3", "4"], (
        "기울기가 E와 F까지 이르지 않습니다."
    )

    large = student.linformer_attention(1e4 * inputs[0], *inputs[1:])
    assert_attention(large, attend(1e4 * query, E @ key, F_ @ value))


@points(1, "linformer_attention", read="order-of-products")
def test_linformer_makes_no_square(student):
    """(n_q, n)인 점수를 만든 다음 줄이면 아끼는 것이 없습니다. 키를 먼저 줄이고 질의와 곱하십시오."""
    query, key, value, E, F_ = long_linformer()
    inputs = (x.clone() for x in (query, key, value, E, F_))
    largest, _, found = measured(student, student.linformer_attention, *inputs)
    assert is_linear(largest), f"길이 512에서 수 {largest:,}개인 텐서를 만들었습니다."
    for one, right in zip(found, attend(query, E @ key, F_ @ value), strict=True):
        assert_close(one, right, rtol=1e-3, atol=1e-3)


### END HIDDEN TESTS


# sorted_lsh_attention ---------------------------------------------------------------------------------------


def normalized(x):
    return x / x.norm(dim=-1, keepdim=True)


@secret
def lsh_rule(buckets, causal):
    """Who sees whom, place by place."""
    n = len(buckets)
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        seen = [j for j in range(n) if buckets[i] == buckets[j] and i != j and (j < i or not causal)]
        mask[i, seen or [i]] = True
    return mask


@secret
def in_buckets(qk, value, buckets, causal=False):
    """The output, with the whole matrix of scores."""
    scores = qk @ normalized(qk).mT / math.sqrt(qk.shape[-1])
    return scores.masked_fill(~lsh_rule(buckets.tolist(), causal), -math.inf).softmax(-1) @ value


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


### BEGIN HIDDEN TESTS
@points(0.5, "sorted_lsh_attention", read="shared-qk")
def test_equals_the_square(student, device, rng):
    """버킷에 든 수가 block보다 적든 같든, block이 길이를 나누든 나누지 않든 (n, n)으로 계산한 것과 같아야 합니다."""
    for n, block, causal in [(12, 4, False), (13, 4, True), (10, 5, True), (7, 7, False), (9, 2, False)]:
        qk, value = drawn(rng, n, 6), drawn(rng, n, 3)
        buckets = (torch.arange(n) // block)[torch.randperm(n, generator=rng)] * 3
        right, _ = attend(qk, normalized(qk), value, lsh_rule(buckets.tolist(), causal))
        found = student.sorted_lsh_attention(*(x.to(device) for x in (qk, value, buckets)), block, causal)
        assert_close(found, right, rtol=1e-7, atol=1e-9)


@points(1.5, "sorted_lsh_attention", read="shared-qk")
def test_buckets_make_no_square(student):
    """길이 512에서 (n, n)인 것을 만들지 않습니다. 정렬한 다음 이웃한 블록의 키에만 점수를 매기십시오."""
    qk, value, buckets, _ = long_buckets()
    some = buckets < 4
    right = in_buckets(qk[some], value[some], buckets[some])
    largest, made, found = measured(student, student.sorted_lsh_attention, *long_buckets())
    assert is_linear(largest), f"길이 512에서 수 {largest:,}개인 텐서를 만들었습니다."
    assert is_linear_work(made), f"길이 512에서 수를 {made:,}개 만들었습니다. 같은 버킷의 키만 곱하십시오."
    assert_close(found[some], right, rtol=1e-3, atol=1e-4)


@points(0.25, "sorted_lsh_attention", read="itself-last", step="robust")
def test_lsh_gradients_and_manners(student, rng):
    """기울기가 질의로도 키로도 값으로도 흐르고 유한해야 합니다. 길이가 1이어도 되고, 자료형과 장치는 입력을 따르고, 받은 텐서를 바꾸지 않습니다."""
    one = drawn(rng, 1, 3), drawn(rng, 1, 2), torch.tensor([7])
    for causal in [False, True]:
        assert_close(student.sorted_lsh_attention(*one, 2, causal), one[1])
    qk, value, buckets = in_turns()
    cotangent = drawn(rng, 9, 2)
    found = gradients(student.sorted_lsh_attention, qk, value, buckets, 3, cotangent=cotangent)
    assert found["output"].dtype == torch.float64, f"float64 입력에서 {found['output'].dtype}이 나왔습니다."
    mask = lsh_rule(buckets.tolist(), False)

    def by_torch(qk, value):
        return F.scaled_dot_product_attention(qk, qk / qk.norm(dim=-1, keepdim=True), value, mask)

    expected = gradients(by_torch, qk, value, cotangent=cotangent)["inputs"]
    for i in range(2):
        assert found["inputs"][i] is not None, "기울기가 입력까지 이르지 않습니다."
        assert_close(found["inputs"][i], expected[i], atol=1e-9)
    large = student.sorted_lsh_attention(1e4 * qk, value, buckets, 3)
    assert_close(large, in_buckets(1e4 * qk, value, buckets))
    assert_manners(student, student.sorted_lsh_attention, qk, value, buckets, 3, causal=True)


### END HIDDEN TESTS


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


### BEGIN HIDDEN TESTS
@points(0.75, "positive_random_features", read="why-positive")
def test_features_estimate_the_exponential(student, rng):
    """특징의 내적을 많이 뽑아 평균하면 exp(x · y)에 가까워져야 합니다."""
    # The estimate's spread grows as exp(|x + y|^2 / 2), so the lengths are fixed: here it is 3 % at most.
    x, y = (length * F.normalize(drawn(rng, n, 3), dim=-1) for length, n in [(0.8, 4), (0.6, 5)])
    projection = drawn(rng, 8_000, 3)
    found = [student.positive_random_features(z.clone(), projection.clone()) for z in (x, y)]
    assert all(bool((z > 0).all()) for z in found), "특징은 모두 양수여야 합니다."
    assert_close(found[0] @ found[1].mT, (x @ y.mT).exp(), rtol=0.2, atol=0.02)


@points(0.25, "positive_random_features", read="random-features", step="robust")
def test_features_of_any_shape(student, device, rng):
    """앞의 축이 몇 개든 되어야 하고, 큰 벡터에서도 넘치지 않으며, 자료형과 장치는 x를 따르고, 기울기가 x까지 흘러야 합니다."""
    for shape, m in [((2, 3, 4, 5), 7), ((1, 1), 1), ((6, 2), 2)]:
        x, projection = drawn(rng, *shape), drawn(rng, m, shape[-1])
        expected = torch.stack([(x @ row - (x**2).sum(-1) / 2).exp() / m**0.5 for row in projection], dim=-1)
        found = student.positive_random_features(x.to(device), projection.to(device))
        assert_close(found, expected, rtol=1e-7)
        assert found.dtype == torch.float64, f"float64 입력에서 {found.dtype}이 나왔습니다."

    far = torch.tensor([[20.0, 0]]), torch.tensor([[9.9, 0]])
    assert_close(student.positive_random_features(*far), torch.tensor([[-2.0]]).exp(), rtol=1e-2)

    def by_hand(x, projection):
        return (x @ projection.mT - (x * x).sum(-1, keepdim=True) / 2).exp() / len(projection) ** 0.5

    gradient, expected = (
        gradients(function, x, projection)["inputs"][0]
        for function in (student.positive_random_features, by_hand)
    )
    assert gradient is not None, "기울기가 x까지 이르지 않습니다."
    assert_close(gradient, expected, rtol=1e-6)
    assert_manners(student, student.positive_random_features, x, projection)


### END HIDDEN TESTS


# performer_attention ----------------------------------------------------------------------------------------


@secret
def kernel_attention(query, key, value, projection, causal=False):
    """The same with all n x n estimates: features of query and key, divided by their sums."""
    query, key = (x / x.shape[-1] ** 0.25 for x in (query, key))
    exponents = [x @ projection.mT - (x * x).sum(-1, keepdim=True) / 2 for x in (query, key)]
    kernel = exponents[0].exp() @ exponents[1].exp().mT
    kernel = kernel.tril() if causal else kernel
    return kernel @ value / kernel.sum(-1, keepdim=True)


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


### BEGIN HIDDEN TESTS
@points(0.5, "performer_attention", read="linear-time")
def test_many_features_are_softmax(student):
    """특징을 많이 뽑으면 소프트맥스 어텐션에 가까워져야 합니다. 질의와 키가 같은 projection을 씁니다."""
    # Of directions and lengths, and drawn once, so that the estimate is right to 0.01, and without a part of it is not.
    lengths = (
        torch.tensor([1.2, 0.6, 1.2, 0.84]).double(),
        torch.tensor([0.24, 1.2, 0.6, 1.2, 0.36, 1.08]).double(),
    )
    query, key = (
        n[:, None] * F.normalize(1 + scattered((len(n), 8), i), dim=-1) for i, n in enumerate(lengths)
    )
    value, projection = 3 * torch.eye(6).double(), drawn(torch.Generator().manual_seed(11), 4_000, 8)
    expected = F.scaled_dot_product_attention(query, key, value)
    found = student.performer_attention(query.clone(), key.clone(), value, projection)
    assert_close(found, expected, rtol=0, atol=0.03)


@points(0.25, "performer_attention", read="linear-time", step="robust")
def test_performer_with_any_shape(student, device, rng):
    """질의와 키의 수가 다를 수 있고, 앞의 축은 없을 수도 여럿일 수도 있습니다. 자료형과 장치는 입력을 따르고, 기울기가 질의, 키, 값까지 흘러야 합니다."""
    for shape, n_q, n, causal in [
        ((2, 3), 4, 6, False),
        ((), 1, 5, False),
        ((1,), 1, 1, True),
        ((3, 2), 70, 70, True),
        ((), 128, 128, True),
    ]:
        query, key = drawn(rng, *shape, n_q, 4), drawn(rng, *shape, n, 4)
        value, projection = drawn(rng, *shape, n, 3), drawn(rng, 5, 4)
        inputs = query, key, value, projection
        found = student.performer_attention(*(x.to(device) for x in inputs), causal)
        assert_close(found, kernel_attention(*inputs, causal), rtol=1e-3, atol=1e-3)
        assert found.dtype == torch.float64, f"float64 입력에서 {found.dtype}이 나왔습니다."
        if len(shape) == 2:  # manners do not hang on the length, and cost the most
            assert_manners(student, student.performer_attention, *inputs, causal=causal)
    inputs = [drawn(rng, 6, 4), drawn(rng, 6, 4), drawn(rng, 6, 2), drawn(rng, 5, 4)]
    for causal in [False, True]:
        found, expected = (
            gradients(function, *inputs, cotangent=torch.ones(6, 2, dtype=torch.float64), causal=causal)
            for function in (student.performer_attention, kernel_attention)
        )
        for i in range(3):
            assert found["inputs"][i] is not None, "기울기가 입력까지 이르지 않습니다."
            assert_close(found["inputs"][i], expected["inputs"][i], rtol=1e-3, atol=1e-3)


@points(0.75, "performer_attention", read="order-of-products")
def test_performer_makes_no_square(student):
    """φ(Q)φ(K)ᵀ를 만들면 n²입니다. φ(K)ᵀV를 먼저 곱하십시오."""
    largest, made, found = measured(student, student.performer_attention, *long_performer())
    assert is_linear(largest), f"길이 512에서 수 {largest:,}개인 텐서를 만들었습니다."
    assert is_linear_work(made), f"길이 512에서 수를 {made:,}개 만들었습니다. φ(K)ᵀV를 한 번만 구하십시오."
    assert_close(found, kernel_attention(*long_performer()), rtol=1e-3, atol=1e-3)


@points(1.25, "performer_attention", read="prefix-sums")
def test_causal_performer_makes_no_square(student):
    """causal일 때도 n × n을 만들지 않습니다. 마스크로 가리는 대신 앞의 합에 하나씩 더해 가십시오."""
    largest, made, found = measured(student, student.performer_attention, *long_performer(), True)
    assert is_linear(largest), f"길이 512에서 수 {largest:,}개인 텐서를 만들었습니다."
    assert is_linear_work(made), f"길이 512에서 수를 {made:,}개 만들었습니다. 앞의 합에 더해 가십시오."
    assert_close(found, kernel_attention(*long_performer(), True), rtol=1e-3, atol=1e-3)


### END HIDDEN TESTS
