"""What the exercise `add_norm` is graded by."""

import pytest
import torch
import torch.nn.functional as F

from grader.judging.observed import same, up_to_the_first_wrong
from grader.judging.suite import (
    NORMALISATION,
    assert_close,
    gradients,
    load,
    mutated,
    observes,
    parameters,
    place,
    points,
    reached,
    refuses,
    scattered,
)
from grader.judging.values import secret

FORBIDDEN = {"layer_norm": NORMALISATION, "normalize_over": NORMALISATION}


def passes_the_statistics(found, centred, dims):
    """Whether a gradient came through mean and variance: nothing of it lies along ones or along the values."""
    parts = (found.sum(dims), (found * centred).sum(dims))
    return all(bool((part.abs() < 1e-4).all()) for part in parts)


# layer_norm -------------------------------------------------------------------------------------------------


@points(0.75, "layer_norm", read="layer-norm", step="warm-up")
def test_mean_zero_variance_one(student):
    """마지막 축에서 평균을 빼고 sqrt(분산 + eps)로 나눕니다. 분산은 d로 나눈 것입니다."""
    x = torch.tensor([[1.0, 2.0, 3.0, 6.0], [-4.0, 0.0, 0.0, 4.0]])
    found = student.layer_norm(x, torch.ones(4), torch.zeros(4), 0.0)
    expected = [[-1.069045, -0.534522, 0.0, 1.603567], [-1.414214, 0.0, 0.0, 1.414214]]
    assert_close(found, torch.tensor(expected), atol=1e-5)


@points(1, "layer_norm", read="gain-and-shift")
def test_gain_and_shift(student):
    """정규화한 다음 weight를 곱하고 bias를 더합니다. eps의 기본값은 1e-5입니다."""
    x = torch.tensor([[[1.0, 3.0], [0.0, 10.0]], [[-2.0, 8.0], [5.0, 9.0]]])  # two sentences of two positions
    found = student.layer_norm(x, torch.tensor([2.0, 3.0]), torch.tensor([10.0, 20.0]))
    assert_close(found, torch.tensor([8.0, 23.0]).expand(2, 2, 2), atol=1e-3)


# The example of the exercise's text, ten thousand further up: the mean of the squares has no digits left for it.
FAR_FROM_ZERO = torch.tensor([10_001.0, 10_002.0, 10_003.0, 10_006.0])
NEAR_ZERO = torch.tensor([-1.0690, -0.5345, 0.0, 1.6036])


@observes("layer_norm")
def observe_layer_norm(student):
    norm, one, zero = student.layer_norm, torch.ones(4).double(), torch.zeros(4).double()
    x = 3 * scattered((2, 3, 4), 5) + scattered((2, 1, 4), 6) + 1

    def taken_together():
        """The axes over which the mean is zero."""
        found = norm(x.clone(), one, zero, 1e-9)
        axes = [(2,), (1,), (0,), (1, 2), (0, 1, 2)]
        return [bool((found.mean(dims).abs() < 1e-4).all()) for dims in axes]

    def mean_square(variance, *eps):
        """Of the result for values of this variance."""
        x = torch.tensor([[-2.0, -1.0, 0.0, 3.0]]).double() * (variance / 3.5) ** 0.5
        return norm(x, one, zero, *eps).square().mean().item()

    def gain_and_shift():
        x, weight, bias = torch.tensor([[[1.0, 3.0]], [[2.0, 3.0]], [[10.0, 20.0]]]).double()
        return [round(value, 2) for value in norm(x, weight[0], bias[0], 1e-9).flatten().tolist()]

    def learns():
        found = gradients(norm, x, one, zero, 1e-9, cotangent=scattered(x.shape, 1))["inputs"][0]
        return passes_the_statistics(found, x - x.mean(-1, keepdim=True), -1)

    def finite():
        same_values = torch.full((2, 4), 3.0).double()
        found = gradients(norm, same_values, one, zero, 1e-5, cotangent=scattered((2, 4), 1))
        return bool(found["output"].isfinite().all() and found["inputs"][0].isfinite().all())

    return up_to_the_first_wrong(
        (taken_together, [True, False, False, True, True]),
        (lambda: mean_square(3.5, 1e-9), 1.0),
        (gain_and_shift, [8.0, 23.0]),
        (lambda: mean_square(0.5e-4, 1e-4), 1 / 3),
        (lambda: mutated(norm, x, one, zero, 1e-4), []),
        (learns, True),
        (finite, True),
        (lambda: abs(mean_square(1e-5) - 0.5) < 1e-3, True),
        (lambda: same(norm(FAR_FROM_ZERO.clone(), one.float(), zero.float()), NEAR_ZERO, atol=1e-3), True),
    )


### BEGIN HIDDEN TESTS
@points(0.25, "layer_norm", read="norm-epsilon", step="robust")
def test_equals_torch(student, device, rng):
    """eps는 제곱근 안에서 더합니다. 분산이 eps만큼 작을 때 차이가 드러납니다."""
    for shape in [(7,), (1, 1), (2, 5), (5, 5), (2, 3, 4, 6)]:
        for scale in [1.0, 1e-2]:
            x = torch.randn(shape, generator=rng, dtype=torch.float64) * scale
            weight, bias = torch.randn(2, shape[-1], generator=rng, dtype=torch.float64)
            given = (x.to(device), weight.to(device), bias.to(device))
            found = student.layer_norm(*given, 1e-4)
            assert_close(found, F.layer_norm(x, shape[-1:], weight, bias, 1e-4), rtol=1e-7, atol=1e-7)
            assert_close(student.layer_norm(*given), F.layer_norm(x, shape[-1:], weight, bias), atol=1e-6)


@points(0.25, "layer_norm", read="norm-epsilon", step="robust")
def test_constant_vectors_are_finite(student):
    """모든 성분이 같은 벡터에서도 유한하고, 성분이 커도 맞아야 합니다. 받은 텐서를 바꾸지 않아야 합니다."""
    assert_close(
        student.layer_norm(FAR_FROM_ZERO.clone(), torch.ones(4), torch.zeros(4)), NEAR_ZERO, atol=1e-3
    )
    x = torch.full((2, 4), 3.0)
    found = gradients(student.layer_norm, x, torch.ones(4), torch.zeros(4), 1e-5, cotangent=torch.eye(4)[:2])
    assert_close(found["output"], torch.zeros(2, 4), atol=1e-5)
    assert found["inputs"][0].isfinite().all(), "기울기가 유한하지 않습니다."
    assert mutated(student.layer_norm, x, torch.ones(4), torch.zeros(4), 1e-5) == [], "입력이 바뀌었습니다."


def norm_of_torch(x, weight, bias, eps):
    return F.layer_norm(x, weight.shape, weight, bias, eps)


@points(0.25, "layer_norm", read="layer-norm", step="robust")
def test_gradients_equal_torch(student, rng):
    """기울기가 F.layer_norm과 다릅니다. 평균과 분산도 x의 함수이므로 떼어 내지(detach) 마십시오."""
    x, cotangent = torch.randn(2, 3, 5, generator=rng, dtype=torch.float64)
    weight, bias = torch.randn(2, 5, generator=rng, dtype=torch.float64)
    found, expected = (
        gradients(norm, x, weight, bias, 1e-3, cotangent=cotangent)["inputs"]
        for norm in (student.layer_norm, norm_of_torch)
    )
    for i, name in enumerate(["x", "weight", "bias"]):
        assert found[i] is not None, f"{name}에 기울기가 흐르지 않습니다."
        assert_close(found[i], expected[i], rtol=1e-7, atol=1e-8)


### END HIDDEN TESTS


# normalize_over ---------------------------------------------------------------------------------------------


def small_images():
    return torch.arange(72.0).reshape(2, 6, 3, 2).sin() * 3 + 1


@points(0.75, "normalize_over", read="which-axes", step="warm-up")
def test_batch_and_layer(student):
    """batch는 채널마다 모든 표본과 위치를, layer는 표본마다 모든 채널과 위치를 모읍니다. 분산은 개수로 나눕니다."""
    x = small_images()
    batch = F.batch_norm(x, None, None, training=True)
    assert_close(student.normalize_over(x.clone(), "batch"), batch, atol=1e-5)
    assert_close(student.normalize_over(x.clone(), "layer"), F.layer_norm(x, (6, 3, 2)), atol=1e-5)


@points(0.5, "normalize_over", read="which-axes")
def test_instance_and_group(student):
    """instance는 표본과 채널마다 위치를, group은 표본마다 이웃한 채널 묶음과 위치를 모읍니다. 분산은 개수로 나눕니다."""
    x = small_images()
    assert_close(student.normalize_over(x.clone(), "instance"), F.instance_norm(x), atol=1e-5)
    assert_close(student.normalize_over(x.clone(), "group", groups=2), F.group_norm(x, 2), atol=1e-5)


def means_of(*parts):
    return torch.stack([part.flatten(1).mean(-1) for part in parts])


# Means, by what is taken together.
TOGETHER = {
    "samples": lambda x: x.mean(0),
    "channels": lambda x: x.mean(1),
    "the last axis": lambda x: x.mean(-1),
    "positions": lambda x: means_of(*x.unbind(1)),
    "pairs of channels": lambda x: means_of(x[:, :2], x[:, 2:4], x[:, 4:]),
    "neighbours": lambda x: means_of(x[:, :3], x[:, 3:]),
    "channels apart": lambda x: means_of(x[:, ::2], x[:, 1::2]),
    "each channel": lambda x: torch.stack([channel.mean() for channel in x.unbind(1)]),
    "each sample": means_of,
    "everything": lambda x: x.mean(),
}


@observes("normalize_over")
def observe_normalize_over(student):
    over, x = student.normalize_over, scattered((3, 6, 3, 2), 8) + 1
    kinds = {"batch": None, "layer": None, "instance": None, "group": 2}
    sizes = {"batch": 18, "layer": 36, "instance": 6, "group": 18}

    def together(kind):
        found = over(x.clone(), kind, kinds[kind], 1e-9)
        seen = [name for name, mean in TOGETHER.items() if (mean(found).abs() < 1e-4).all()]
        return seen[0] if seen else "none"

    def exchanged():
        batch, layer, instance = (together(kind) for kind in ("batch", "layer", "instance"))
        if (batch, layer) == ("each sample", "each channel"):
            return "batch and layer"
        return "layer and instance" if (layer, instance) == ("positions", "each sample") else "none"

    def divided_by():
        seen = {kind: over(x.clone(), kind, kinds[kind], 1e-9).square().mean().item() for kind in kinds}
        if all(abs(square - 1) < 1e-3 for square in seen.values()):
            return "n"
        fewer = [min(abs(square - 1), abs(square - 1 + 1 / sizes[kind])) for kind, square in seen.items()]
        return "n - 1" if max(fewer) < 1e-3 else "other"

    def with_epsilon():
        """The mean square of two values of variance 1e-4, at an eps of 1e-4, where it is furthest from half."""
        two = torch.tensor([[[0.01, -0.01]]]).double()
        found = [
            over(two.clone(), kind, groups and 1, 1e-4).square().mean().item()
            for kind, groups in kinds.items()
        ]
        return max(found, key=lambda square: abs(square - 0.5))

    def learns():
        cotangent = scattered(x.shape, 1)
        axes = {"batch": (0, 2, 3), "layer": (1, 2, 3), "instance": (2, 3)}
        for kind, dims in axes.items():
            found = gradients(over, x, kind, None, 1e-9, cotangent=cotangent)["inputs"][0]
            if not passes_the_statistics(found, x - x.mean(dims, keepdim=True), dims):
                return False
        return True

    def refused(*requests):
        return [refuses(over, x.clone(), *request) for request in requests]

    return up_to_the_first_wrong(
        (exchanged, "none"),
        (lambda: together("batch"), "each channel"),
        (lambda: together("layer"), "each sample"),
        (lambda: together("instance"), "positions"),
        (lambda: together("group"), "neighbours"),
        (divided_by, "n"),
        (with_epsilon, 0.5),
        (lambda: [mutated(over, x, kind, groups) for kind, groups in kinds.items()] == [[]] * 4, True),
        (learns, True),
        (lambda: refused(("unknown", None)), [True]),
        (lambda: refused(("group", None), ("group", 4)), [True, True]),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "normalize_over", read="which-axes")
def test_equals_torch_on_any_shape(student, rng):
    """위치의 축은 없을 수도, 여럿일 수도 있습니다. 분산은 개수로 나누고 eps는 제곱근 안에 둡니다."""
    for shape in [(5, 6), (3, 4, 7), (2, 6, 3, 5), (1, 4, 2, 2, 3)]:
        x = torch.randn(shape, generator=rng, dtype=torch.float64) * 0.05
        expected = {
            ("batch", None): F.batch_norm(x, None, None, training=True, eps=1e-4),
            ("layer", None): F.layer_norm(x, shape[1:], eps=1e-4),
            ("group", 2): F.group_norm(x, 2, eps=1e-4),
        }
        if len(shape) > 2:
            expected["instance", None] = F.instance_norm(x, eps=1e-4)
        for (kind, groups), normalized in expected.items():
            found = student.normalize_over(x.clone(), kind, groups, 1e-4)
            assert_close(found, normalized, rtol=1e-7, atol=1e-7)
    small = torch.randn(4, 6, 5, generator=rng) * 3e-3  # where the default eps of 1e-5 shows
    assert_close(student.normalize_over(small.clone(), "layer"), F.layer_norm(small, (6, 5)), atol=1e-4)
    assert_close(student.normalize_over(small.clone(), "group", 3), F.group_norm(small, 3), atol=1e-4)


def batch_norm(x):
    return F.batch_norm(x, None, None, training=True)


def layer_norm_of_all(x):
    return F.layer_norm(x, x.shape[1:])


def two_groups(x):
    return F.group_norm(x, 2)


@points(0.25, "normalize_over", read="layer-norm", step="robust")
def test_gradients_pass_the_statistics(student, rng):
    """기울기는 평균과 분산을 지나서도 흐릅니다. 통계를 떼어 내지(detach) 말고, 받은 x를 바꾸지 마십시오."""
    x, cotangent = torch.randn(2, 3, 4, 5, generator=rng, dtype=torch.float64)
    kinds = {
        ("batch", None): batch_norm,
        ("layer", None): layer_norm_of_all,
        ("instance", None): F.instance_norm,
        ("group", 2): two_groups,
    }
    for (kind, groups), oracle in kinds.items():
        found = gradients(student.normalize_over, x, kind, groups, cotangent=cotangent)["inputs"][0]
        assert_close(found, gradients(oracle, x, cotangent=cotangent)["inputs"][0], rtol=1e-6, atol=1e-7)
        assert mutated(student.normalize_over, x, kind, groups) == [], "입력이 바뀌었습니다."


@points(0.25, "normalize_over", read="which-axes", step="robust")
def test_impossible_requests_are_refused(student):
    """모르는 kind, 없는 groups, 채널을 나누지 못하는 groups에는 ValueError를 내십시오."""
    student.normalize_over(small_images(), "group", 2)
    for kind, groups in [("group", 4), ("group", None), ("unknown", None)]:
        with pytest.raises(ValueError):
            student.normalize_over(small_images(), kind, groups)


### END HIDDEN TESTS


# PositionwiseFeedForward ------------------------------------------------------------------------------------


def known_network(d_model, d_ff, make):
    """`make(shape)` for each matrix and bias, in float64."""
    shapes = {
        "linear1.weight": (d_ff, d_model),
        "linear1.bias": (d_ff,),
        "linear2.weight": (d_model, d_ff),
        "linear2.bias": (d_model,),
    }
    return {name: make(shape) for name, shape in shapes.items()}


def feed_forward(student, d_model, d_ff, generator, biased=True):
    """A student's network in float64 with weights of ours, and those weights: a bias only where there is one."""
    network = student.PositionwiseFeedForward(d_model, d_ff).double()

    def make(shape):
        drawn = torch.randn(shape, generator=generator, dtype=torch.float64)
        return drawn if biased or len(shape) == 2 else 0 * drawn

    values = known_network(d_model, d_ff, make)
    return network, load(student, network, values, optional=["linear1.bias", "linear2.bias"])


def by_hand(x, state):
    """What the network returns; biases that it lacks are zero."""
    d_ff, d_model = state["linear1.weight"].shape
    zero = {"linear1.bias": torch.zeros(d_ff).double(), "linear2.bias": torch.zeros(d_model).double()}
    return two_maps(x, zero | state)


@secret
def two_maps(x, state):
    hidden = F.linear(x, state["linear1.weight"], state["linear1.bias"])
    return F.linear(hidden.clamp(min=0), state["linear2.weight"], state["linear2.bias"])


def shapes_of_maps(student, d_model, d_ff):
    names = ["linear1.weight", "linear2.weight"]
    found = parameters(student, student.PositionwiseFeedForward(d_model, d_ff), *names)
    return {name: tuple(tensor.shape) for name, tensor in found.items()}


@points(0.5, "PositionwiseFeedForward", read="feed-forward", step="warm-up")
def test_two_linear_maps(student):
    """linear1은 d_model에서 d_ff로, linear2는 d_ff에서 d_model로 갑니다."""
    shapes = shapes_of_maps(student, 3, 10)
    assert shapes == {"linear1.weight": (10, 3), "linear2.weight": (3, 10)}, f"지금은 {shapes}입니다."


@points(0.25, "PositionwiseFeedForward", read="feed-forward")
def test_neighbours_do_not_matter(student):
    """위치마다 따로 계산합니다. 이웃이 무엇이든 같은 벡터는 같은 출력이 되고, 드롭아웃은 없습니다."""
    network = student.PositionwiseFeedForward(4, 40)
    x = scattered((3, 5, 4), 1).float()
    found = network(x)
    assert_close(network(x), found)
    for i in range(5):
        assert_close(found[:, i], network(x[:, i]), atol=1e-5)
    assert (found[:, 0] != found[:, 1]).any(), "다른 벡터의 출력이 같습니다."


@points(0.5, "PositionwiseFeedForward", read="feed-forward")
def test_relu_between(student):
    """두 선형 변환 사이에 ReLU 하나가 있고, 끝에는 없습니다."""
    generator = torch.Generator().manual_seed(0)
    network, state = feed_forward(student, 3, 5, generator, biased=False)
    x = torch.randn(4, 3, generator=generator, dtype=torch.float64)
    assert_close(network(x), by_hand(x, state), atol=1e-5)


@observes("PositionwiseFeedForward")
def observe_feed_forward(student):
    def network(make):
        """A network of sizes 2 and 2; biases are zero, as the text leaves them free."""
        made = student.PositionwiseFeedForward(2, 2).double()
        values = {
            name: make(name) if value.dim() == 2 else value
            for name, value in known_network(2, 2, torch.zeros).items()
        }
        load(student, made, values, optional=["linear1.bias", "linear2.bias"])
        return made

    def mirrors(name):
        return -torch.eye(2).double()

    def crooked(name):
        return scattered((2, 2), name)

    def shape():
        return list(network(crooked)(scattered((3, 4, 2), 2)).shape)

    def drops_nothing():
        rows = torch.tensor([-1.0, -2.0]).double().expand(50, 2)
        found = network(mirrors).train()(rows)
        return bool((found - found[:1]).abs().max() < 1e-6)

    def each_by_itself():
        made, x = network(crooked).eval(), 3 * scattered((3, 4, 2), 2)
        return same(made(x), torch.stack([torch.stack([made(one) for one in row]) for row in x]))

    return up_to_the_first_wrong(
        (lambda: shapes_of_maps(student, 3, 5), {"linear1.weight": [5, 3], "linear2.weight": [3, 5]}),
        (shape, [3, 4, 2]),
        (drops_nothing, True),
        (each_by_itself, True),
        (lambda: network(mirrors)(torch.tensor([[2.0, -1.0]]).double()).flatten().tolist(), [0.0, -1.0]),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "PositionwiseFeedForward", read="feed-forward", step="robust")
def test_each_position_by_itself(student, device, rng):
    """배치 축이 몇 개든 위치마다 같은 가중치로 계산해야 합니다. 한 위치를 바꾸면 그 위치의 출력만 바뀝니다."""
    network, state = feed_forward(student, 4, 9, rng)
    network = network.to(str(device))
    for shape in [(4,), (1, 4), (2, 5, 4), (4, 4, 4), (2, 3, 5, 4)]:
        x = torch.randn(shape, generator=rng, dtype=torch.float64)
        assert_close(network(x.to(device)), by_hand(x, state), rtol=1e-7, atol=1e-7)
    x = torch.randn(2, 6, 4, generator=rng, dtype=torch.float64)
    changed = x.clone()
    changed[:, 2] += 1
    moved = (network(x.to(device)) != network(changed.to(device))).any(-1)
    assert moved.sum() == 2 and moved[:, 2].all(), "다른 위치의 출력이 바뀌었습니다."


@points(0.25, "PositionwiseFeedForward", read="feed-forward", step="robust")
def test_both_maps_learn(student, rng):
    """기울기가 두 선형 변환과 x까지 흘러야 하고, 받은 x를 바꾸지 않아야 합니다."""
    network, state = feed_forward(student, 4, 9, rng)
    x, cotangent = torch.randn(2, 5, 4, generator=rng, dtype=torch.float64)
    found = gradients(network, x, cotangent=cotangent)
    first, second = state["linear1.weight"], state["linear2.weight"]
    hidden = F.linear(x, first, state.get("linear1.bias"))
    back = (cotangent @ second) * (hidden > 0)
    assert_close(found["parameters"].get("linear2.weight"), cotangent.T @ hidden.clamp(min=0))
    assert_close(found["parameters"].get("linear1.weight"), back.T @ x)
    assert_close(found["inputs"][0], back @ first)
    assert mutated(network, x) == [], "입력이 바뀌었습니다."


### END HIDDEN TESTS


# SublayerConnection -----------------------------------------------------------------------------------------


def crooked(x):
    """A sublayer whose output layer normalisation cannot take back, nor an order of the features hide."""
    return 1.5 * x.roll(1, -1) + x.square() - 1


def connection(student, norm_first, dropout=0.0, generator=None):
    """A student's connection, with gain and shift of ours."""
    wrapped = student.SublayerConnection(4, dropout, norm_first)
    generator = generator or torch.Generator().manual_seed(3)
    weight, bias = torch.randn(2, 4, generator=generator)
    load(student, wrapped, {"norm.weight": weight, "norm.bias": bias})
    return wrapped, weight, bias


@secret
def expected_connection(x, sublayer, norm_first, weight, bias):
    norm = lambda x: F.layer_norm(x, (4,), weight, bias)  # noqa: E731
    return x + sublayer(norm(x)) if norm_first else norm(x + sublayer(x))


@points(0.75, "SublayerConnection", read="post-norm", step="warm-up")
def test_post_norm(student):
    """norm_first=False이면 norm(x + sublayer(x))입니다. 더한 다음 정규화합니다. 평가할 때 드롭아웃은 꺼집니다."""
    wrapped, weight, bias = connection(student, norm_first=False, dropout=1.0)
    wrapped.eval()
    x = torch.tensor([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, 4.0, -1.0]])
    expected = expected_connection(x, crooked, False, weight, bias)
    assert_close(wrapped(x, place(student, crooked)), expected, atol=1e-5)


@points(0.75, "SublayerConnection", read="pre-norm")
def test_pre_norm(student):
    """norm_first=True이면 x + sublayer(norm(x))입니다. 지름길로 가는 x는 정규화하지 않습니다. 평가할 때 드롭아웃은 꺼집니다."""
    wrapped, weight, bias = connection(student, norm_first=True, dropout=1.0)
    wrapped.eval()
    x = torch.tensor([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, 4.0, -1.0]])
    expected = expected_connection(x, crooked, True, weight, bias)
    assert_close(wrapped(x, place(student, crooked)), expected, atol=1e-5)


def nothing(x):
    """A sublayer that adds nothing."""
    return 0 * x


def of_nothing(x):
    """`crooked` of an input of which nothing is left."""
    return 0 * x - 1


@observes("SublayerConnection")
def observe_sublayer_connection(student):
    x = torch.tensor([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, 4.0, -1.0]])
    around, zero, minus_one = (place(student, sublayer) for sublayer in (crooked, nothing, of_nothing))
    orders = (False, True)

    def output(norm_first, sublayer=around, dropout=0.0, training=False, x=x):
        wrapped, _, _ = connection(student, norm_first, dropout)
        return wrapped.train(training)(x.clone(), sublayer)

    def values():
        """The first row in both orders."""
        return [output(norm_first)[0].tolist() for norm_first in orders]

    def dropped(norm_first):
        """What a dropout of everything takes away."""
        found = output(norm_first, around, 1.0, True)
        if same(found, output(norm_first, zero)):
            return "the sublayer"
        if same(found, output(norm_first)):
            return "none"
        if same(found, output(norm_first, minus_one)):
            return "the input"
        return "all" if same(found[0], found[1]) else "other"

    def all_dropped():
        seen = [dropped(norm_first) for norm_first in orders]
        strange = [what for what in seen if what not in ("the sublayer", "none")]
        return strange[0] if strange else "in one order" if len(set(seen)) > 1 else seen[0]

    def whole(training, dropout):
        """Whether nothing is dropped."""
        many = x.repeat(100, 1)
        pairs = [(output(way, around, dropout, training, many), output(way, x=many)) for way in orders]
        return all(same(found, right) for found, right in pairs)

    def changes():
        return [mutated(connection(student, norm_first)[0], x, around) for norm_first in orders] != [[], []]

    def learns():
        """Whether a gradient takes the way past the sublayer, and the way through it."""
        wrapped = connection(student, True)[0]
        return ["0" in reached(wrapped, x, zero), "norm.weight" in reached(wrapped, x, around)]

    return up_to_the_first_wrong(
        (values, [[0.2504, -1.4208, 0.2162, 0.1461], [0.3354, -0.0333, -2.8292, 2.534]]),
        (changes, False),
        (lambda: whole(False, 0.9), True),
        (lambda: whole(True, 0.0), True),
        (all_dropped, "the sublayer"),
        (learns, [True, True]),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "SublayerConnection", read="sublayer-dropout")
def test_dropout_is_on_the_sublayer(student, rng):
    """드롭아웃은 부분층의 출력에만 걸립니다. 지름길에 걸면 신호가 통째로 사라집니다. 평가할 때는 꺼져야 합니다."""
    x = torch.randn(3, 4, generator=rng)
    for norm_first in [False, True]:
        wrapped, weight, bias = connection(student, norm_first, dropout=1.0, generator=rng)
        sublayer = place(student, crooked)
        nothing_added = x if norm_first else F.layer_norm(x, (4,), weight, bias)
        assert_close(wrapped.train()(x, sublayer), nothing_added, atol=1e-5)
        whole = expected_connection(x, crooked, norm_first, weight, bias)
        assert_close(wrapped.eval()(x, sublayer), whole, atol=1e-5)
    wrapped, weight, bias = connection(student, True, dropout=0.5, generator=rng)
    rows = torch.tensor([1.0, -2.0, 0.5, 3.0]).expand(300, 4)
    kept = (wrapped.train()(rows, sublayer) - rows) / crooked(F.layer_norm(rows, (4,), weight, bias))
    assert ((kept * (kept - 2)).abs() < 5e-3).all(), "드롭아웃은 지우거나, 남기고 1 / (1 - p)배 합니다."
    shares = (kept > 1).float().mean(0)
    assert ((shares > 0.3) & (shares < 0.7)).all(), "드롭아웃은 성분마다 따로 겁니다."


@points(0.25, "SublayerConnection", read="residual", step="robust")
def test_x_is_left_alone(student, rng):
    """받은 x를 제자리에서 바꾸지 마십시오 (x += … 대신 x + …)."""
    x = torch.randn(2, 4, generator=rng)
    for norm_first in [False, True]:
        wrapped, weight, bias = connection(student, norm_first)
        assert mutated(wrapped, x, place(student, crooked)) == [], "입력이 바뀌었습니다."
        output, other = (wrapped(y, place(student, crooked)) for y in (x, x.flip(0)))
        assert min((output - y).abs().max() for y in (x, other)) > 1e-3, "감싸지 않고 돌려주었습니다."


@points(0.5, "SublayerConnection", read="residual", step="robust")
def test_gradients_take_both_ways(student, rng):
    """기울기는 지름길과 부분층 두 길로 모두 흘러야 합니다."""
    x, cotangent = torch.randn(2, 3, 4, generator=rng), torch.randn(2, 3, 4, generator=rng)
    for norm_first in [False, True]:
        wrapped, weight, bias = connection(student, norm_first, generator=rng)
        wrapped.eval()
        found = gradients(wrapped, x, place(student, crooked), cotangent=cotangent)

        def ours(x, norm_first=norm_first, weight=weight, bias=bias):
            return expected_connection(x, crooked, norm_first, weight, bias)

        assert_close(
            found["inputs"][0], gradients(ours, x, cotangent=cotangent)["inputs"][0], rtol=1e-4, atol=1e-4
        )
        assert found["parameters"].get("norm.weight") is not None, "norm이 학습되지 않습니다."


### END HIDDEN TESTS
