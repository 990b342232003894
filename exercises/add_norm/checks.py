"""What the exercise `add_norm` is graded by."""

import pytest
import torch
import torch.nn.functional as F

from grader.judging.suite import (
    NORMALISATION,
    assert_close,
    gradients,
    mutated,
    observes,
    place,
    points,
    refuses,
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
    return [student.layer_norm(x, weight, bias, 0.01), mutated(student.layer_norm, x, weight, bias, 0.01)]




# normalize_over ---------------------------------------------------------------------------------------------


def small_images():
    return torch.arange(72.0).reshape(2, 6, 3, 2).sin() * 3 + 1


@points(
    0.5,
    question="normalize_over",
    hint="batch는 채널마다 모든 표본과 위치를, layer는 표본마다 모든 채널과 위치를 모읍니다.",
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
    hint="instance는 표본과 채널마다 위치를, group은 표본마다 이웃한 채널 묶음과 위치를 모읍니다.",
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
    results = [student.normalize_over(x * 0.01, kind, groups, 1e-4)[:, :, 0, 0] for kind, groups in kinds]
    refused = [refuses(student.normalize_over, x, *kind) for kind in [("group", 4), ("unknown", None)]]
    return [results, refused]




# PositionwiseFeedForward ------------------------------------------------------------------------------------


def feed_forward(student, d_model, d_ff, generator, dtype=torch.float32):
    """A student's network with weights of ours, and those weights."""
    network = student.PositionwiseFeedForward(d_model, d_ff)
    state = {name: torch.randn(t.shape, generator=generator) for name, t in network.state_dict().items()}
    network.load_state_dict(state)
    network = network.double() if dtype == torch.float64 else network
    return network, {name: tensor.to(dtype) for name, tensor in state.items()}


def by_hand(x, state):
    hidden = F.linear(x, state["linear1.weight"], state.get("linear1.bias"))
    return F.linear(hidden.clamp(min=0), state["linear2.weight"], state.get("linear2.bias"))


@points(
    0.5,
    question="PositionwiseFeedForward",
    hint="linear1은 d_model에서 d_ff로, linear2는 d_ff에서 d_model로 갑니다.",
    read="add_norm#feed-forward",
)
def test_two_linear_maps(student):
    shapes = {
        name: tuple(tensor.shape)
        for name, tensor in student.PositionwiseFeedForward(3, 10).state_dict().items()
        if name.endswith("weight")
    }
    assert shapes == {"linear1.weight": (10, 3), "linear2.weight": (3, 10)}, f"지금은 {shapes}입니다."


@points(
    0.5,
    question="PositionwiseFeedForward",
    hint="두 선형 변환 사이에 ReLU 하나가 있고, 끝에는 없습니다.",
    read="add_norm#feed-forward",
)
def test_relu_between(student):
    generator = torch.Generator().manual_seed(0)
    network, state = feed_forward(student, 3, 5, generator)
    x = torch.randn(4, 3, generator=generator)
    assert_close(network(x), by_hand(x, state), atol=1e-5)


@observes("PositionwiseFeedForward")
def observe_feed_forward(student):
    generator = torch.Generator().manual_seed(1)
    network, state = feed_forward(student, 3, 5, generator)
    x = torch.randn(2, 4, 3, generator=generator)
    return [
        {name: list(tensor.shape) for name, tensor in state.items() if name.endswith("weight")},
        network(x),
    ]




# SublayerConnection -----------------------------------------------------------------------------------------


def double_and_add_one(x):
    return 2 * x + 1


def connection(student, norm_first, dropout=0.0, generator=None):
    """A student's connection in evaluation mode, with gain and shift of ours."""
    wrapped = student.SublayerConnection(4, dropout, norm_first)
    generator = generator or torch.Generator().manual_seed(3)
    weight, bias = torch.randn(2, 4, generator=generator)
    wrapped.load_state_dict({"norm.weight": weight, "norm.bias": bias})
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
    expected = expected_connection(x, double_and_add_one, False, weight, bias)
    assert_close(wrapped(x, place(student, double_and_add_one)), expected, atol=1e-5)


@points(
    0.75,
    question="SublayerConnection",
    hint="norm_first=True이면 x + sublayer(norm(x))입니다. 지름길로 가는 x는 정규화하지 않습니다.",
    read="add_norm#pre-norm",
)
def test_pre_norm(student):
    wrapped, weight, bias = connection(student, norm_first=True)
    x = torch.tensor([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, 4.0, -1.0]])
    expected = expected_connection(x, double_and_add_one, True, weight, bias)
    assert_close(wrapped(x, place(student, double_and_add_one)), expected, atol=1e-5)


@observes("SublayerConnection")
def observe_sublayer_connection(student):
    x = torch.tensor([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, 4.0, -1.0]])
    seen = []
    for norm_first in [False, True]:
        wrapped, _, _ = connection(student, norm_first)
        seen.append(wrapped(x, place(student, double_and_add_one)))
        dropped, weight, bias = connection(student, norm_first, dropout=1.0)
        seen.append(dropped(x, place(student, double_and_add_one)))
    return seen
