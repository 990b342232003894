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
from grader.judging.values import values_of

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


def expected_weights(x, state):
    zero = {f"{name}.bias": torch.zeros(len(state[f"{name}.weight"])).double() for name in MAPS[:2]}
    return weights_by_hand(x, zero | {name: state[name] for name in state if name[:3] in MAPS[:2]})


weights_by_hand = values_of(
    [
        ([['float64', 5, 4, 20, 0.88628844, 16.109498], [['float64', 2, 0, 0.0, 0.0], ['float64', 2, 4, 8, -2.1020444, 1.8666568], ['float64', 2, 0, 0.0, 0.0], ['float64', 2, 4, 8, -0.98921286, 2.0668797]]], {'dtype': 'float64', 'shape': [5, 5], 'values': [0.11821062, 0.15408384, 0.13351544, 0.37093908, 0.22325102, 0.075036823, 0.20177372, 0.10964764, 0.3430648, 0.27047701, 0.13769063, 0.16042241, 0.14863947, 0.33548811, 0.21775937, 0.32052759, 0.18210797, 0.25616778, 0.10276153, 0.13843513, 0.26743786, 0.18778751, 0.23315316, 0.14642734, 0.16519414]}),
    ]
)


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
