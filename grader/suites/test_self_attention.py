"""What the exercise `self_attention` is graded by."""

import torch
import torch.nn.functional as F

from grader.judging.suite import ATTENTION, assert_close, gradients, mutated, observes, points

FORBIDDEN = {"basic_self_attention": ATTENTION, "SelfAttention": ATTENTION}

# basic_self_attention ---------------------------------------------------------------------------------------


def three_words():
    return torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])


def as_distribution(weights):
    """Rows of weights must sum to one, whatever else is right or wrong."""
    assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]), atol=1e-5)


@points(
    1,
    question="basic_self_attention",
    hint="가중치는 x와 x의 내적에 소프트맥스를 취한 것입니다. 한 행(질의 하나)의 합이 1입니다. 나누기는 하지 않습니다.",
    read="self_attention#basic-self-attention",
)
def test_weights_come_from_the_vectors_alone(student):
    _, weights = student.basic_self_attention(three_words())
    expected = torch.tensor([[1.0, 0.0, 1.0], [0.0, 4.0, 2.0], [1.0, 2.0, 2.0]]).exp()
    assert_close(weights, expected / expected.sum(-1, keepdim=True))


@points(
    1,
    question="basic_self_attention",
    hint="출력은 입력 벡터들의 가중합입니다. (출력, 가중치) 순서로 돌려줍니다.",
    read="self_attention#basic-self-attention",
)
def test_output_is_the_weighted_sum(student):
    x = three_words()
    output, weights = student.basic_self_attention(x)
    assert_close(output, weights @ x)
    as_distribution(weights)


@observes("basic_self_attention")
def observe_basic_self_attention(student):
    return student.basic_self_attention(three_words())


### BEGIN HIDDEN TESTS
@points(
    1,
    question="basic_self_attention",
    hint="앞에 붙은 축은 몇 개든 배치입니다. 길이 1에서도 되어야 하고, 받은 x를 바꾸지 않아야 합니다.",
    read="self_attention#basic-self-attention",
)
def test_basic_with_any_leading_axes(student, device, rng):
    for shape in [(1, 3), (2, 5, 4), (2, 3, 6, 2)]:
        x = torch.randn(shape, generator=rng).to(device)
        output, weights = student.basic_self_attention(x)
        assert_close(output, F.scaled_dot_product_attention(x, x, x, scale=1.0), atol=1e-5)
        assert_close(weights, torch.einsum("...id,...jd->...ij", x, x).softmax(-1), atol=1e-5)
        assert mutated(student.basic_self_attention, x) == [], "입력이 바뀌었습니다."


### END HIDDEN TESTS


# SelfAttention ----------------------------------------------------------------------------------------------


def with_weights(student, d_model, d_k, d_v, generator, dtype=torch.float32):
    """A student's layer with weights of ours, and those weights; a bias, where there is one, is set to ours."""
    layer = student.SelfAttention(d_model, d_k, d_v)
    state = {
        name: torch.randn(tensor.shape, generator=generator) / d_model**0.5
        for name, tensor in layer.state_dict().items()
    }
    layer.load_state_dict(state)
    layer = layer.double() if dtype == torch.float64 else layer
    return layer, {name: tensor.to(dtype) for name, tensor in state.items()}


def project(x, state, name):
    return F.linear(x, state[f"{name}.weight"], state.get(f"{name}.bias"))


@points(
    1,
    question="SelfAttention",
    hint="W_q와 W_k는 d_model에서 d_k로, W_v는 d_model에서 d_v로 가는 nn.Linear입니다.",
    read="self_attention#three-roles",
)
def test_three_linear_maps(student):
    state = student.SelfAttention(6, 4, 3).state_dict()
    shapes = {name: tuple(tensor.shape) for name, tensor in state.items() if name.endswith("weight")}
    assert shapes == {"W_q.weight": (4, 6), "W_k.weight": (4, 6), "W_v.weight": (3, 6)}, (
        f"지금은 {shapes}입니다."
    )


@points(
    1,
    question="SelfAttention",
    hint="점수는 질의와 키의 내적을 sqrt(d_k)로 나눈 것이고, 가중치는 키 축의 소프트맥스입니다.",
    read="self_attention#self-attention-scale",
)
def test_weights_of_the_layer(student):
    generator = torch.Generator().manual_seed(1)
    layer, state = with_weights(student, 4, 2, 3, generator)
    x = torch.randn(5, 4, generator=generator)
    scores = project(x, state, "W_q") @ project(x, state, "W_k").T / 2**0.5
    _, weights = layer(x)
    assert_close(weights, scores.softmax(-1), atol=1e-5)


@observes("SelfAttention")
def observe_self_attention(student):
    generator = torch.Generator().manual_seed(2)
    layer, state = with_weights(student, 4, 3, 5, generator)
    x = torch.randn(2, 6, 4, generator=generator)
    shapes = {name: tuple(tensor.shape) for name, tensor in state.items() if name.endswith("weight")}
    moved = [
        key
        for key, grad in gradients(layer, x)["parameters"].items()
        if grad is not None and key.endswith("weight")
    ]
    return [shapes, layer(x), moved]


### BEGIN HIDDEN TESTS
@points(
    1,
    question="SelfAttention",
    hint="출력은 값의 가중합이며 마지막 축이 d_v입니다. d_k와 d_v가 달라도, 배치 축이 여럿이어도 되어야 합니다.",
    read="self_attention#three-roles",
)
def test_layer_equals_torch(student, device, rng):
    for shape, d_k, d_v in [((7, 8), 4, 6), ((1, 1, 8), 2, 2), ((2, 3, 5, 8), 8, 3)]:
        layer, state = with_weights(student, 8, d_k, d_v, rng, torch.float64)
        x = torch.randn(shape, generator=rng, dtype=torch.float64)
        query, key, value = (project(x, state, name) for name in ["W_q", "W_k", "W_v"])
        output, weights = layer.to(str(device))(x.to(device))
        assert_close(output, F.scaled_dot_product_attention(query, key, value), rtol=1e-10, atol=1e-10)
        as_distribution(weights.float().cpu())


@points(
    1,
    question="SelfAttention",
    hint="질의, 키, 값은 서로 다른 변환에서 나와야 하고, 셋 모두 학습되어야 합니다.",
    read="self_attention#what-learns",
)
def test_all_three_learn(student, rng):
    layer, state = with_weights(student, 4, 3, 3, rng)
    x = torch.randn(5, 4, generator=rng)
    cotangent = torch.randn(5, 3, generator=rng)
    found = gradients(layer, x, cotangent=cotangent)["parameters"]
    ours = {name: tensor.requires_grad_() for name, tensor in state.items()}
    query, key, value = (project(x, ours, name) for name in ["W_q", "W_k", "W_v"])
    loss = (F.scaled_dot_product_attention(query, key, value) * cotangent).sum()
    for name in ["W_q.weight", "W_k.weight", "W_v.weight"]:
        expected = torch.autograd.grad(loss, ours[name], retain_graph=True)[0]
        assert found.get(name) is not None, f"{name}에 기울기가 흐르지 않습니다."
        assert_close(found[name], expected, rtol=1e-4, atol=1e-5)


@points(
    1,
    question="SelfAttention",
    hint="셀프 어텐션은 순서를 모릅니다. 입력의 순서를 바꾸면 출력의 순서만 같이 바뀌어야 합니다.",
    read="self_attention#order-is-invisible",
)
def test_permuting_inputs_permutes_outputs(student, rng):
    layer, _ = with_weights(student, 4, 3, 3, rng)
    x = torch.randn(2, 6, 4, generator=rng)
    order = torch.randperm(6, generator=rng)
    output, weights = layer(x)
    shuffled, shuffled_weights = layer(x[:, order])
    assert_close(shuffled, output[:, order], atol=1e-5)
    assert_close(shuffled_weights, weights[:, order][:, :, order], atol=1e-5)
    assert float(output.detach().std(dim=1).min()) > 1e-4, "모든 자리의 출력이 같습니다."


### END HIDDEN TESTS


# costs ------------------------------------------------------------------------------------------------------


@points(
    0.5,
    question="attention_flops",
    hint="점수 n×n개가 각각 곱셈 d번, 가중합의 수 n×d개가 각각 곱셈 n번입니다.",
    read="self_attention#attention-cost",
)
def test_attention_small(student):
    assert student.attention_flops(3, 2) == 36, f"n=3, d=2이면 36인데 {student.attention_flops(3, 2)}입니다."


@observes("attention_flops")
def observe_attention_flops(student):
    return [student.attention_flops(n, d) for n, d in [(3, 2), (2, 3), (5, 7)]]


@points(
    0.25,
    question="recurrent_flops",
    hint="시간마다 d×d 행렬을 두 번(입력, 상태) 곱합니다. 그것이 n번입니다.",
    read="self_attention#attention-cost",
)
def test_recurrent_small(student):
    assert student.recurrent_flops(3, 2) == 24, f"n=3, d=2이면 24인데 {student.recurrent_flops(3, 2)}입니다."


@observes("recurrent_flops")
def observe_recurrent_flops(student):
    return [student.recurrent_flops(n, d) for n, d in [(3, 2), (2, 3), (5, 7)]]


@points(
    0.25,
    question="crossover_length",
    hint="2n²d와 2nd²가 같아지는 n을 d로 나타내십시오.",
    read="self_attention#crossover",
)
def test_crossover_small(student):
    assert student.crossover_length(64) == 64, f"d=64일 때 {student.crossover_length(64)}입니다."


@observes("crossover_length")
def observe_crossover_length(student):
    return [student.crossover_length(d) for d in [2, 64, 512]]


### BEGIN HIDDEN TESTS
@points(
    0.5,
    question="attention_flops",
    hint="n이 두 배가 되면 네 배, d가 두 배가 되면 두 배입니다.",
    read="self_attention#attention-cost",
)
def test_attention_grows_with_the_square_of_n(student, rng):
    n, d = (int(i) for i in torch.randint(2, 900, (2,), generator=rng))
    assert student.attention_flops(n, d) == 2 * n * n * d


@points(
    0.25,
    question="recurrent_flops",
    hint="n이 두 배가 되면 두 배, d가 두 배가 되면 네 배입니다.",
    read="self_attention#attention-cost",
)
def test_recurrent_grows_with_the_square_of_d(student, rng):
    n, d = (int(i) for i in torch.randint(2, 900, (2,), generator=rng))
    assert student.recurrent_flops(n, d) == 2 * n * d * d


@points(
    0.25,
    question="crossover_length",
    hint="그 길이에서 두 비용이 정확히 같아야 합니다.",
    read="self_attention#crossover",
)
def test_costs_are_equal_at_the_crossover(student, reference, rng):
    for d in torch.randint(1, 2000, (5,), generator=rng).tolist():
        n = student.crossover_length(d)
        assert n > 0 and reference.attention_flops(n, d) == reference.recurrent_flops(n, d), (
            f"d={d}일 때 {n}입니다."
        )


### END HIDDEN TESTS
