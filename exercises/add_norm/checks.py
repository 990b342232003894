"""What the exercise `add_norm` is graded by."""

import pytest
import torch
import torch.nn.functional as F

from grader.judging.suite import (
    NORMALISATION,
    assert_close,
    gradients,
    load,
    mutated,
    observes,
    outcome,
    parameters,
    place,
    points,
    reached,
    refuses,
    scattered,
)

FORBIDDEN = {"layer_norm": NORMALISATION, "normalize_over": NORMALISATION}

# layer_norm -------------------------------------------------------------------------------------------------


@points(
    1,
    question="layer_norm",
    hint="마지막 축에서 평균을 빼고 sqrt(분산 + eps)로 나눕니다. 분산은 d로 나눈 것입니다.",
    read="add_norm#layer-norm",
)
def test_mean_zero_variance_one(student):
    x = torch.tensor([[1.0, 2.0, 3.0, 6.0], [-4.0, 0.0, 0.0, 4.0]])
    found = student.layer_norm(x, torch.ones(4), torch.zeros(4), 0.0)
    root = 14**0.5
    expected = torch.tensor([[-2.0, -1.0, 0.0, 3.0], [-4.0, 0.0, 0.0, 4.0]]) * torch.tensor(
        [[2 / root], [1 / 8**0.5]]
    )
    assert_close(found, expected, atol=1e-5)


@points(
    0.5,
    question="layer_norm",
    hint="정규화한 다음 weight를 곱하고 bias를 더합니다. eps의 기본값은 1e-5입니다.",
    read="add_norm#gain-and-shift",
)
def test_gain_and_shift(student):
    x = torch.tensor([[1.0, 3.0], [0.0, 10.0]])
    found = student.layer_norm(x, torch.tensor([2.0, 3.0]), torch.tensor([10.0, 20.0]))
    assert_close(found, torch.tensor([[8.0, 23.0], [8.0, 23.0]]), atol=1e-3)


@observes("layer_norm")
def observe_layer_norm(student):
    x = torch.tensor([[[1.0, 2.0, 4.0], [0.1, 0.2, 0.2]], [[-1.0, 0.5, 3.0], [5.0, 5.0, 5.1]]])
    weight, bias = torch.tensor([1.0, 2.0, 0.5]), torch.tensor([0.0, 1.0, -1.0])
    norm = student.layer_norm
    cotangent = scattered(x.shape, 1).float()
    return [
        outcome(norm, x.clone(), weight, bias, 0.01),
        mutated(norm, x, weight, bias, 0.01),
        outcome(lambda: gradients(norm, x, weight, bias, 0.01, cotangent=cotangent)["inputs"]),
        outcome(norm, torch.full((1, 2, 3), 3.0), weight, bias),
    ]




# normalize_over ---------------------------------------------------------------------------------------------


def small_images():
    return torch.arange(72.0).reshape(2, 6, 3, 2).sin() * 3 + 1


@points(
    0.5,
    question="normalize_over",
    hint="batch는 채널마다 모든 표본과 위치를, layer는 표본마다 모든 채널과 위치를 모읍니다. 분산은 개수로 나눕니다.",
    read="add_norm#which-axes",
)
def test_batch_and_layer(student):
    x = small_images()
    batch, layer = student.normalize_over(x, "batch"), student.normalize_over(x, "layer")
    assert_close(batch.mean(dim=(0, 2, 3)), torch.zeros(6), atol=1e-5)
    assert_close(batch.var(dim=(0, 2, 3), unbiased=False), torch.ones(6), atol=1e-3)
    assert_close(layer.mean(dim=(1, 2, 3)), torch.zeros(2), atol=1e-5)
    assert_close(layer.var(dim=(1, 2, 3), unbiased=False), torch.ones(2), atol=1e-3)


@points(
    0.5,
    question="normalize_over",
    hint="instance는 표본과 채널마다 위치를, group은 표본마다 이웃한 채널 묶음과 위치를 모읍니다. 분산은 개수로 나눕니다.",
    read="add_norm#which-axes",
)
def test_instance_and_group(student):
    x = small_images()
    assert_close(student.normalize_over(x, "instance"), F.instance_norm(x), atol=1e-5)
    assert_close(student.normalize_over(x, "group", groups=2), F.group_norm(x, 2), atol=1e-5)


@observes("normalize_over")
def observe_normalize_over(student):
    x = small_images()
    kinds = [("batch", None), ("layer", None), ("instance", None), ("group", 2)]
    over = student.normalize_over
    results = [outcome(lambda k=kind: over(x * 0.01, *k, 1e-4)[:, :, 0, 0]) for kind in kinds]
    impossible = [("group", 4), ("group", None), ("unknown", None)]
    cotangent = scattered(x.shape, 1).float()
    learns = [
        outcome(lambda k=kind: gradients(over, x, *k, cotangent=cotangent)["inputs"][0]) for kind in kinds
    ]
    learns = [x if isinstance(x, str) else x[:, :, 0, 0] for x in learns]
    return [results, [refuses(over, x, *kind) for kind in impossible], learns, mutated(over, x, "layer")]




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


def feed_forward(student, d_model, d_ff, generator):
    """A student's network in float64 with weights of ours, and those weights: a bias only where there is one."""
    network = student.PositionwiseFeedForward(d_model, d_ff).double()
    make = lambda shape: torch.randn(shape, generator=generator, dtype=torch.float64)  # noqa: E731
    values = known_network(d_model, d_ff, make)
    return network, load(student, network, values, optional=["linear1.bias", "linear2.bias"])


def by_hand(x, state):
    hidden = F.linear(x, state["linear1.weight"], state.get("linear1.bias"))
    return F.linear(hidden.clamp(min=0), state["linear2.weight"], state.get("linear2.bias"))


def shapes_of_maps(student, d_model, d_ff):
    names = ["linear1.weight", "linear2.weight"]
    found = parameters(student, student.PositionwiseFeedForward(d_model, d_ff), *names)
    return {name: tuple(tensor.shape) for name, tensor in found.items()}


@points(
    0.5,
    question="PositionwiseFeedForward",
    hint="linear1은 d_model에서 d_ff로, linear2는 d_ff에서 d_model로 갑니다.",
    read="add_norm#feed-forward",
)
def test_two_linear_maps(student):
    shapes = shapes_of_maps(student, 3, 10)
    assert shapes == {"linear1.weight": (10, 3), "linear2.weight": (3, 10)}, f"지금은 {shapes}입니다."


@points(
    0.25,
    question="PositionwiseFeedForward",
    hint="위치마다 따로 계산합니다. 이웃이 무엇이든 같은 벡터는 같은 출력이 되고, 드롭아웃은 없습니다.",
    read="add_norm#feed-forward",
)
def test_neighbours_do_not_matter(student):
    network = student.PositionwiseFeedForward(4, 40)
    x = scattered((3, 5, 4), 1).float()
    found = network(x)
    assert_close(network(x), found)
    for i in range(5):
        assert_close(found[:, i], network(x[:, i]), atol=1e-5)
    assert (found[:, 0] != found[:, 1]).any(), "다른 벡터의 출력이 같습니다."


@points(
    0.5,
    question="PositionwiseFeedForward",
    hint="두 선형 변환 사이에 ReLU 하나가 있고, 끝에는 없습니다.",
    read="add_norm#feed-forward",
)
def test_relu_between(student):
    generator = torch.Generator().manual_seed(0)
    network, state = feed_forward(student, 3, 5, generator)
    x = torch.randn(4, 3, generator=generator, dtype=torch.float64)
    assert_close(network(x), by_hand(x, state), atol=1e-5)


@observes("PositionwiseFeedForward")
def observe_feed_forward(student):
    shapes = shapes_of_maps(student, 3, 5)
    if shapes != {"linear1.weight": (5, 3), "linear2.weight": (3, 5)}:
        return shapes
    network = student.PositionwiseFeedForward(3, 5).double()
    # Biases are zero: the text leaves them free.
    values = {
        name: scattered(value.shape, name) if value.dim() == 2 else value
        for name, value in known_network(3, 5, torch.zeros).items()
    }
    load(student, network, values, optional=["linear1.bias", "linear2.bias"])
    x = 3 * scattered((2, 4, 3), 2)
    one = 3 * scattered((1, 3), 3).expand(50, 3)
    in_training = network.train()(one)
    return [
        network.eval()(x),
        bool((in_training - in_training[:1]).abs().max() < 1e-6),
        reached(network, x),
    ]




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


def expected_connection(x, sublayer, norm_first, weight, bias):
    norm = lambda x: F.layer_norm(x, (4,), weight, bias)  # noqa: E731
    return x + sublayer(norm(x)) if norm_first else norm(x + sublayer(x))


@points(
    0.75,
    question="SublayerConnection",
    hint="norm_first=False이면 norm(x + sublayer(x))입니다. 더한 다음 정규화합니다.",
    read="add_norm#post-norm",
)
def test_post_norm(student):
    wrapped, weight, bias = connection(student, norm_first=False)
    x = torch.tensor([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, 4.0, -1.0]])
    expected = expected_connection(x, crooked, False, weight, bias)
    assert_close(wrapped(x, place(student, crooked)), expected, atol=1e-5)


@points(
    0.75,
    question="SublayerConnection",
    hint="norm_first=True이면 x + sublayer(norm(x))입니다. 지름길로 가는 x는 정규화하지 않습니다.",
    read="add_norm#pre-norm",
)
def test_pre_norm(student):
    wrapped, weight, bias = connection(student, norm_first=True)
    x = torch.tensor([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, 4.0, -1.0]])
    expected = expected_connection(x, crooked, True, weight, bias)
    assert_close(wrapped(x, place(student, crooked)), expected, atol=1e-5)


@observes("SublayerConnection")
def observe_sublayer_connection(student):
    x = torch.tensor([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, 4.0, -1.0]])
    sublayer, cotangent = place(student, crooked), scattered((2, 4), 1).float()
    seen = []
    for norm_first in [False, True]:
        wrapped, _, _ = connection(student, norm_first)
        dropped, _, _ = connection(student, norm_first, dropout=1.0)
        changed = mutated(wrapped, x, sublayer)
        learns = [] if changed else gradients(wrapped, x, sublayer, cotangent=cotangent)["inputs"][0]
        seen += [wrapped(x.clone(), sublayer), dropped(x.clone(), sublayer)]
        seen += [dropped.eval()(x.clone(), sublayer), changed, learns]
    return seen
