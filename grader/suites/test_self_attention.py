"""What the exercise `self_attention` is graded by."""

import torch
import torch.nn.functional as F

from grader.judging.contract import bad_manners
from grader.judging.observed import attempt, form_of, leading_axes, temperature, up_to_the_first_wrong
from grader.judging.suite import (
    ATTENTION,
    assert_close,
    gradients,
    load,
    mutated,
    observes,
    parameters,
    points,
    scattered,
)
from grader.judging.values import secret

FORBIDDEN = {"basic_self_attention": ATTENTION, "SelfAttention": ATTENTION}


def in_what_form(attend, x):
    if isinstance(attempt(attend, x), str) and not isinstance(attempt(attend, x[None]), str):
        return "in a batch only"
    return form_of(attend(x))


# basic_self_attention ---------------------------------------------------------------------------------------


def three_words():
    return torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])


def as_distribution(weights):
    """Rows of weights must sum to one, whatever else is right or wrong."""
    assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]), atol=1e-5)


@points(1, "basic_self_attention", read="basic-self-attention", step="warm-up")
def test_weights_come_from_the_vectors_alone(student):
    """가중치는 x와 x의 내적에 소프트맥스를 취한 것입니다. 한 행(질의 하나)의 합이 1입니다. 나누기는 하지 않습니다."""
    _, weights = student.basic_self_attention(three_words())
    expected = [
        [0.4223188, 0.1553624, 0.4223188],
        [0.0158762, 0.8668133, 0.1173104],
        [0.1553624, 0.4223188, 0.4223188],
    ]
    assert_close(weights, torch.tensor(expected))


@points(1, "basic_self_attention", read="basic-self-attention")
def test_output_is_the_weighted_sum(student):
    """출력은 입력 벡터들의 가중합입니다. (출력, 가중치) 순서로 돌려줍니다."""
    x = three_words()
    output, weights = student.basic_self_attention(x)
    assert_close(output, weights @ x)
    as_distribution(weights)


OF_THREE_WORDS = [
    torch.tensor([[0.63566, 0.5], [-0.46386, 1.96215], [0.9865, -0.70182]]),
    torch.tensor([[0.51421, 0.2429, 0.2429], [0.02295, 0.97591, 0.00114], [0.18078, 0.009, 0.81022]]),
]


@observes("basic_self_attention")
def observe_basic_self_attention(student):
    attend = student.basic_self_attention
    x = scattered((4, 3), 3)

    def words():
        return torch.tensor([[1.0, 0.5], [-0.5, 2.0], [1.0, -1.0]])

    def slopes():
        """Whether the gradient says what a small step does."""
        step, outer = scattered((4, 3), 5), scattered((4, 3), 4)
        slope = (gradients(attend, x, cotangent=outer)["inputs"][0] * step).sum()
        ahead, behind = ((attend(x + by * step)[0] * outer).sum() for by in (1e-4, -1e-4))
        return bool(abs(slope - (ahead - behind) / 2e-4) < 1e-3)

    return up_to_the_first_wrong(
        (lambda: in_what_form(attend, words()), [[3, 2], [3, 3]]),
        (lambda: temperature(attend(words())[1], OF_THREE_WORDS[1]), "ours"),
        (lambda: attend(words()), OF_THREE_WORDS),
        (lambda: bad_manners(student, attend, x), "none"),
        (lambda: leading_axes(attend, 2 * scattered((2, 3, 5, 4), 1).float()), "any number"),
        (lambda: in_what_form(attend, torch.ones(1, 3)), [[1, 3], [1, 1]]),
        (lambda: bool(attend(40 * words())[1].isfinite().all()), True),
        (slopes, True),
    )


### BEGIN HIDDEN TESTS
@points(0.25, "basic_self_attention", read="basic-self-attention", step="robust")
def test_basic_with_any_leading_axes(student, device, rng):
    """앞에 붙은 축은 몇 개든 배치입니다. 길이 1에서도 되어야 합니다."""
    for shape in [(1, 3), (2, 5, 4), (3, 3, 3), (2, 3, 6, 2)]:
        x = torch.randn(shape, generator=rng).to(device)
        output, weights = student.basic_self_attention(x)
        assert_close(output, F.scaled_dot_product_attention(x, x, x, scale=1.0), atol=1e-5)
        assert_close(weights, torch.einsum("...id,...jd->...ij", x, x).softmax(-1), atol=1e-5)


def basic_oracle(x):
    return F.scaled_dot_product_attention(x, x, x, scale=1.0)


@points(0.25, "basic_self_attention", read="basic-self-attention", step="robust")
def test_basic_survives_large_scores(student):
    """점수가 1,000처럼 커도 넘치지 않아야 합니다. exp를 직접 쓰면 inf/inf가 됩니다."""
    x = 40 * scattered((4, 5), 1).float()
    output, weights = student.basic_self_attention(x)
    assert_close(output, basic_oracle(x), atol=1)
    assert_close(weights.sum(-1), torch.ones(4), atol=1e-2)


@points(0.25, "basic_self_attention", read="basic-self-attention", step="robust")
def test_basic_learns(student, rng):
    """기울기가 x까지 흘러야 합니다. x는 질의이자 키이자 값이므로 세 길로 흐릅니다."""
    x, cotangent = torch.randn(2, 4, 3, generator=rng)
    found = gradients(student.basic_self_attention, x, cotangent=cotangent)["inputs"][0]
    assert found is not None, "기울기가 x까지 흐르지 않습니다."
    expected = gradients(basic_oracle, x, cotangent=cotangent)["inputs"][0]
    assert_close(found, expected, rtol=1e-3, atol=1e-4)


@points(0.25, "basic_self_attention", read="basic-self-attention", step="robust")
def test_basic_keeps_its_input_and_dtype(student):
    """받은 텐서를 바꾸지 말고, 결과의 자료형은 입력을 따라야 합니다."""
    x = three_words().double()
    assert mutated(student.basic_self_attention, x) == [], "입력이 바뀌었습니다."
    for found in student.basic_self_attention(x):
        assert found.dtype == torch.float64, f"float64 입력에서 {found.dtype}이 나왔습니다."


### END HIDDEN TESTS


# SelfAttention ----------------------------------------------------------------------------------------------


MAPS = ["W_q", "W_k", "W_v"]


def known_weights(d_model, d_k, d_v, make):
    """`make(shape)` for each map's matrix and bias, in float64."""
    return {
        f"{name}.{part}": make(shape)
        for name, size in zip(MAPS, [d_k, d_k, d_v], strict=True)
        for part, shape in [("weight", (size, d_model)), ("bias", (size,))]
    }


def with_weights(student, d_model, d_k, d_v, make, maps=MAPS):
    """A student's layer in float64 with weights of ours, and those weights: a bias only where there is one."""
    layer = student.SelfAttention(d_model, d_k, d_v).double()
    values = {
        name: value
        for name, value in known_weights(d_model, d_k, d_v, make).items()
        if name.split(".")[0] in maps
    }
    return layer, load(student, layer, values, optional=[f"{name}.bias" for name in MAPS])


def drawn(rng, d_model):
    return lambda shape: torch.randn(shape, generator=rng, dtype=torch.float64) / d_model**0.5


def project(x, state, name):
    return F.linear(x, state[f"{name}.weight"], state.get(f"{name}.bias"))


def expected_weights(x, state):
    zero = {f"{name}.bias": torch.zeros(len(state[f"{name}.weight"])).double() for name in MAPS[:2]}
    return weights_by_hand(x, zero | {name: state[name] for name in state if name[:3] in MAPS[:2]})


@secret
def weights_by_hand(x, state):
    query, key = project(x, state, "W_q"), project(x, state, "W_k")
    return torch.einsum("...id,...jd->...ij", query, key).div(query.shape[-1] ** 0.5).softmax(-1)


def shapes_of_maps(student, d_model, d_k, d_v):
    names = [f"{name}.weight" for name in MAPS]
    found = parameters(student, student.SelfAttention(d_model, d_k, d_v), *names)
    return {name: tuple(found[name].shape) for name in names if name in found}


@points(0.5, "SelfAttention", read="three-roles", step="warm-up")
def test_three_linear_maps(student):
    """W_q와 W_k는 d_model에서 d_k로, W_v는 d_model에서 d_v로 가는 nn.Linear입니다."""
    shapes = shapes_of_maps(student, 6, 4, 3)
    assert shapes == {"W_q.weight": (4, 6), "W_k.weight": (4, 6), "W_v.weight": (3, 6)}, (
        f"지금은 {shapes}입니다."
    )


@points(0.75, "SelfAttention", read="self-attention-scale")
def test_weights_of_the_layer(student):
    """점수는 질의와 키의 내적을 sqrt(d_k)로 나눈 것이고, 가중치는 키 축의 소프트맥스입니다."""
    rng = torch.Generator().manual_seed(1)
    without_biases = lambda shape: drawn(rng, 4)(shape) * (len(shape) - 1)  # noqa: E731
    layer, state = with_weights(student, 4, 2, 3, without_biases, maps=["W_q", "W_k"])
    x = torch.randn(5, 4, generator=rng, dtype=torch.float64)
    _, weights = layer(x)
    assert_close(weights, expected_weights(x, state), atol=1e-5)


OF_TWO_WORDS = [
    torch.tensor(
        [[-1.25671, 1.00726, -1.63884, 0.71425, -0.21425], [-0.86724, 0.61642, -1.4572, 0.34069, -0.306]]
    ),
    torch.tensor([[0.44441, 0.55559], [0.68183, 0.31817]]),
]


@observes("SelfAttention")
def observe_self_attention(student):
    # Biases are zero: the text leaves them free.
    known = {
        name: scattered(value.shape, name) if value.dim() == 2 else value
        for name, value in known_weights(4, 3, 5, torch.zeros).items()
    }

    def maps():
        shapes = shapes_of_maps(student, 4, 3, 5)
        return [list(shape) for shape in shapes.values()] if len(shapes) == 3 else "other names"

    def made():
        layer = student.SelfAttention(4, 3, 5).double()
        load(student, layer, known, optional=[f"{name}.bias" for name in MAPS])
        return layer

    def attend(x):
        return made()(x)

    def words():
        return 2 * scattered((2, 4), 2)

    def matrices():
        return sum(value.dim() == 2 for value in parameters(student, made()).values())

    return up_to_the_first_wrong(
        (maps, [[3, 4], [3, 4], [5, 4]]),
        (lambda: in_what_form(attend, words()), [[2, 5], [2, 2]]),
        (matrices, 3),
        (lambda: attend(words()), OF_TWO_WORDS),
        (
            lambda: bad_manners(student, made(), words(), learns=["0", *(f"{one}.weight" for one in MAPS)]),
            "none",
        ),
        (lambda: leading_axes(made(), scattered((2, 3, 6, 4), 1)), "any number"),
        (lambda: in_what_form(attend, scattered((1, 4), 2)), [[1, 5], [1, 1]]),
        (lambda: bool(attend(100 * words())[1].isfinite().all()), True),
    )


### BEGIN HIDDEN TESTS
@points(2, "SelfAttention", read="three-roles")
def test_layer_equals_torch(student, device, rng):
    """출력은 값의 가중합이며 마지막 축이 d_v입니다. d_k와 d_v는 다를 수 있습니다."""
    for shape, d_k, d_v in [((7, 8), 4, 6), ((5, 8), 5, 5), ((2, 8), 3, 2)]:
        assert_equals_torch(student, device, rng, shape, d_k, d_v)


@points(0.5, "SelfAttention", read="three-roles", step="robust")
def test_layer_with_any_leading_axes(student, device, rng):
    """앞에 붙은 축은 몇 개든 배치입니다. 길이 1에서도 되어야 합니다."""
    for shape, d_k, d_v in [((1, 1, 8), 2, 2), ((5, 5, 8), 5, 5), ((2, 3, 5, 8), 8, 3)]:
        weights, expected = assert_equals_torch(student, device, rng, shape, d_k, d_v)
        assert_close(weights, expected, atol=1e-5)


@points(0.25, "SelfAttention", read="self-attention-scale", step="robust")
def test_layer_survives_large_scores(student, device):
    """점수가 1,000처럼 커도 넘치지 않아야 합니다. exp를 직접 쓰면 inf/inf가 됩니다."""
    # A constant of the student's may be rounded to float32, which large scores make visible.
    rng = torch.Generator().manual_seed(1)
    assert_equals_torch(student, device, rng, (7, 8), 4, 6, scale=100, atol=1)


def assert_equals_torch(student, device, rng, shape, d_k, d_v, scale=1, atol=1e-6):
    """Assert that a layer's output is PyTorch's; its weights, and what they should be."""
    layer, state = with_weights(student, 8, d_k, d_v, drawn(rng, 8))
    x = scale * torch.randn(shape, generator=rng, dtype=torch.float64)
    query, key, value = (project(x, state, name) for name in MAPS)
    output, weights = layer.to(str(device))(x.to(device))
    assert_close(output, F.scaled_dot_product_attention(query, key, value), atol=atol)
    return weights, expected_weights(x, state)


def attend_by_torch(x, *maps):
    """The layer's output as a function of its matrices and biases, so that `gradients` gives those too."""
    query, key, value = (torch.nn.functional.linear(x, maps[i], maps[i + 1]) for i in range(0, len(maps), 2))
    return torch.nn.functional.scaled_dot_product_attention(query, key, value)


@points(0.5, "SelfAttention", read="what-learns", step="robust")
def test_all_three_learn(student, rng):
    """질의, 키, 값은 서로 다른 변환에서 나와야 하고, 셋 모두 학습되어야 합니다. 기울기는 x까지도 흘러야 합니다."""
    layer, state = with_weights(student, 4, 3, 2, drawn(rng, 4))
    x, cotangent = (torch.randn(5, size, generator=rng, dtype=torch.float64) for size in (4, 2))
    found = gradients(layer, x, cotangent=cotangent)
    none = {f"{name}.bias": torch.zeros(size).double() for name, size in zip(MAPS, [3, 3, 2], strict=True)}
    parts = [f"{name}.{part}" for name in MAPS for part in ("weight", "bias")]
    values = [(none | state)[part] for part in parts]
    expected = gradients(attend_by_torch, x, *values, cotangent=cotangent)["inputs"]
    for name in MAPS:
        gradient = found["parameters"].get(f"{name}.weight")
        assert gradient is not None, f"{name}.weight에 기울기가 흐르지 않습니다."
        assert_close(gradient, expected[1 + parts.index(f"{name}.weight")])
    assert found["inputs"][0] is not None, "기울기가 x까지 흐르지 않습니다."
    assert_close(found["inputs"][0], expected[0])
    assert mutated(layer, x) == [], "입력이 바뀌었습니다."


@points(0.5, "SelfAttention", read="order-is-invisible")
def test_permuting_inputs_permutes_outputs(student, rng):
    """셀프 어텐션은 순서를 모릅니다. 입력의 순서를 바꾸면 출력의 순서만 같이 바뀌어야 합니다."""
    layer, _ = with_weights(student, 4, 3, 3, drawn(rng, 4))
    x = torch.randn(2, 6, 4, generator=rng, dtype=torch.float64)
    order = torch.randperm(6, generator=rng)
    output, weights = layer(x)
    shuffled, shuffled_weights = layer(x[:, order])
    assert_close(shuffled, output[:, order], atol=1e-5)
    assert_close(shuffled_weights, weights[:, order][:, :, order], atol=1e-5)
    assert float(output.detach().std(dim=1).min()) > 1e-4, "모든 자리의 출력이 같습니다."


### END HIDDEN TESTS


# costs ------------------------------------------------------------------------------------------------------


@points(0.5, "attention_flops", read="attention-cost")
def test_attention_small(student):
    """점수 n×n개가 각각 곱셈 d번, 가중합의 수 n×d개가 각각 곱셈 n번입니다."""
    assert student.attention_flops(3, 2) == 36, f"n=3, d=2이면 36인데 {student.attention_flops(3, 2)}입니다."


@observes("attention_flops")
def observe_attention_flops(student):
    return [student.attention_flops(n, d) for n, d in [(7, 11), (13, 5), (10, 3)]]


@points(0.25, "recurrent_flops", read="attention-cost")
def test_recurrent_small(student):
    """시간마다 d×d 행렬을 두 번(입력, 상태) 곱합니다. 그것이 n번입니다."""
    assert student.recurrent_flops(3, 2) == 24, f"n=3, d=2이면 24인데 {student.recurrent_flops(3, 2)}입니다."


@observes("recurrent_flops")
def observe_recurrent_flops(student):
    return [student.recurrent_flops(n, d) for n, d in [(7, 11), (13, 5), (10, 3)]]


@points(0.25, "crossover_length", read="crossover")
def test_crossover_small(student):
    """2n²d와 2nd²가 같아지는 n을 d로 나타내십시오."""
    assert student.crossover_length(64) == 64, f"d=64일 때 {student.crossover_length(64)}입니다."


@observes("crossover_length")
def observe_crossover_length(student):
    found = [student.crossover_length(d) for d in [16, 64, 484]]
    return "never another" if len(set(found)) == 1 and found[0] else found


### BEGIN HIDDEN TESTS
@points(0.5, "attention_flops", read="attention-cost")
def test_attention_grows_with_the_square_of_n(student, rng):
    """n이 두 배가 되면 네 배, d가 두 배가 되면 두 배입니다."""
    n, d = (int(i) for i in torch.randint(2, 900, (2,), generator=rng))
    assert student.attention_flops(n, d) == 2 * n * n * d


@points(0.25, "recurrent_flops", read="attention-cost")
def test_recurrent_grows_with_the_square_of_d(student, rng):
    """n이 두 배가 되면 두 배, d가 두 배가 되면 네 배입니다."""
    n, d = (int(i) for i in torch.randint(2, 900, (2,), generator=rng))
    assert student.recurrent_flops(n, d) == 2 * n * d * d


@points(0.25, "crossover_length", read="crossover")
def test_costs_are_equal_at_the_crossover(student, reference, rng):
    """그 길이에서 두 비용이 정확히 같아야 합니다."""
    for d in [1, 4096, *torch.randint(1, 2000, (5,), generator=rng).tolist()]:
        n = student.crossover_length(d)
        assert n > 0 and reference.attention_flops(n, d) == reference.recurrent_flops(n, d), (
            f"d={d}일 때 {n}입니다."
        )


### END HIDDEN TESTS
