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


### BEGIN HIDDEN TESTS
@points(
    0.75,
    question="layer_norm",
    hint="eps는 제곱근 안에서 더합니다. 분산이 eps만큼 작을 때 차이가 드러납니다.",
    read="add_norm#norm-epsilon",
)
def test_equals_torch(student, device, rng):
    for shape in [(7,), (1, 1), (2, 5), (2, 3, 4, 6)]:
        for scale in [1.0, 1e-2]:
            x = torch.randn(shape, generator=rng, dtype=torch.float64) * scale
            weight, bias = torch.randn(2, shape[-1], generator=rng, dtype=torch.float64)
            found = student.layer_norm(x.to(device), weight.to(device), bias.to(device), 1e-4)
            assert_close(found, F.layer_norm(x, shape[-1:], weight, bias, 1e-4), rtol=1e-10, atol=1e-10)


@points(
    0.25,
    question="layer_norm",
    hint="모든 성분이 같은 벡터에서도 유한해야 하고, 받은 텐서를 바꾸지 않아야 합니다.",
    read="add_norm#norm-epsilon",
)
def test_constant_vectors_are_finite(student):
    x = torch.full((2, 4), 3.0)
    found = gradients(student.layer_norm, x, torch.ones(4), torch.zeros(4), 1e-5, cotangent=torch.eye(4)[:2])
    assert_close(found["output"], torch.zeros(2, 4), atol=1e-5)
    assert found["inputs"][0].isfinite().all(), "기울기가 유한하지 않습니다."
    assert mutated(student.layer_norm, x, torch.ones(4), torch.zeros(4), 1e-5) == [], "입력이 바뀌었습니다."


### END HIDDEN TESTS


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


### BEGIN HIDDEN TESTS
@points(
    1,
    question="normalize_over",
    hint="위치의 축은 없을 수도, 여럿일 수도 있습니다. 분산은 개수로 나누고 eps는 제곱근 안에 둡니다.",
    read="add_norm#which-axes",
)
def test_equals_torch_on_any_shape(student, rng):
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
            assert_close(student.normalize_over(x, kind, groups, 1e-4), normalized, rtol=1e-9, atol=1e-9)
        assert mutated(student.normalize_over, x, "layer") == [], "입력이 바뀌었습니다."


@points(
    0.5,
    question="normalize_over",
    hint="모르는 kind, 없는 groups, 채널을 나누지 못하는 groups에는 ValueError를 내십시오.",
    read="add_norm#which-axes",
)
def test_impossible_requests_are_refused(student):
    student.normalize_over(small_images(), "group", 2)
    for kind, groups in [("group", 4), ("group", None), ("unknown", None)]:
        with pytest.raises(ValueError):
            student.normalize_over(small_images(), kind, groups)


### END HIDDEN TESTS


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


### BEGIN HIDDEN TESTS
@points(
    1,
    question="PositionwiseFeedForward",
    hint="위치마다 따로, 같은 가중치로 계산해야 합니다. 한 위치를 바꾸면 그 위치의 출력만 바뀝니다.",
    read="add_norm#feed-forward",
)
def test_each_position_by_itself(student, device, rng):
    network, state = feed_forward(student, 4, 9, rng, torch.float64)
    network = network.to(str(device))
    for shape in [(4,), (1, 4), (2, 5, 4), (2, 3, 5, 4)]:
        x = torch.randn(shape, generator=rng, dtype=torch.float64)
        assert_close(network(x.to(device)), by_hand(x, state), rtol=1e-10, atol=1e-10)
    x = torch.randn(2, 6, 4, generator=rng, dtype=torch.float64)
    changed = x.clone()
    changed[:, 2] += 1
    moved = (network(x.to(device)) != network(changed.to(device))).any(-1)
    assert moved.sum() == 2 and moved[:, 2].all(), "다른 위치의 출력이 바뀌었습니다."


### END HIDDEN TESTS


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


### BEGIN HIDDEN TESTS
@points(
    0.5,
    question="SublayerConnection",
    hint="드롭아웃은 부분층의 출력에만 걸립니다. 지름길에 걸면 신호가 통째로 사라집니다. 평가할 때는 꺼져야 합니다.",
    read="add_norm#sublayer-dropout",
)
def test_dropout_is_on_the_sublayer(student, rng):
    x = torch.randn(3, 4, generator=rng)
    for norm_first in [False, True]:
        wrapped, weight, bias = connection(student, norm_first, dropout=1.0, generator=rng)
        sublayer = place(student, double_and_add_one)
        nothing_added = x if norm_first else F.layer_norm(x, (4,), weight, bias)
        assert_close(wrapped.train()(x, sublayer), nothing_added, atol=1e-5)
        whole = expected_connection(x, double_and_add_one, norm_first, weight, bias)
        assert_close(wrapped.eval()(x, sublayer), whole, atol=1e-5)


@points(
    0.5,
    question="SublayerConnection",
    hint="기울기는 지름길과 부분층 두 길로 모두 흘러야 합니다.",
    read="add_norm#residual",
)
def test_gradients_take_both_ways(student, rng):
    x, cotangent = torch.randn(2, 3, 4, generator=rng), torch.randn(2, 3, 4, generator=rng)
    for norm_first in [False, True]:
        wrapped, weight, bias = connection(student, norm_first, generator=rng)
        found = gradients(wrapped, x, place(student, double_and_add_one), cotangent=cotangent)

        def ours(x, norm_first=norm_first, weight=weight, bias=bias):
            return expected_connection(x, double_and_add_one, norm_first, weight, bias)

        assert_close(found["inputs"][0], gradients(ours, x, cotangent=cotangent)["inputs"][0], atol=1e-4)
        assert found["parameters"].get("norm.weight") is not None, "norm이 학습되지 않습니다."


@points(
    0.5,
    question="SublayerConnection",
    hint="받은 x를 제자리에서 바꾸지 마십시오 (x += … 대신 x + …).",
    read="add_norm#residual",
)
def test_x_is_left_alone(student, rng):
    x = torch.randn(2, 4, generator=rng)
    for norm_first in [False, True]:
        wrapped, weight, bias = connection(student, norm_first)
        assert mutated(wrapped, x, place(student, double_and_add_one)) == [], "입력이 바뀌었습니다."
        output, other = (wrapped(y, place(student, double_and_add_one)) for y in (x, x.flip(0)))
        assert min((output - y).abs().max() for y in (x, other)) > 1e-3, "감싸지 않고 돌려주었습니다."


### END HIDDEN TESTS
