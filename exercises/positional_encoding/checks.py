"""What the exercise `positional_encoding` is graded by."""

import math

import pytest
import torch

from grader.judging.suite import (
    assert_close,
    device_of,
    follows_device,
    gradients,
    load,
    mutated,
    observes,
    outcome,
    parameters,
    points,
    reached,
    refuses,
)


def closed_form(p, j, d):
    """One entry of the paper's matrix, by the formula."""
    angle = p / 10_000 ** ((j - j % 2) / d)
    return math.cos(angle) if j % 2 else math.sin(angle)


def matrix(positions, d):
    return torch.tensor([[closed_form(p, j, d) for j in range(d)] for p in positions])


# sinusoidal_encoding ----------------------------------------------------------------------------------------


@points(
    1,
    question="sinusoidal_encoding",
    hint="짝수 열이 사인, 홀수 열이 코사인입니다. 한 쌍은 같은 각도 p / 10000^(2i/d)를 씁니다.",
    read="positional_encoding#sinusoid-formula",
)
def test_small_matrix(student):
    assert_close(student.sinusoidal_encoding(4, 6), matrix(range(4), 6), atol=1e-5)


@points(
    0.5,
    question="sinusoidal_encoding",
    hint="위치는 0부터 셉니다. 첫 행은 0, 1, 0, 1, …입니다.",
    read="positional_encoding#sinusoid-formula",
)
def test_first_row(student):
    assert_close(student.sinusoidal_encoding(1, 8), torch.tensor([[0.0, 1.0] * 4]))


@observes("sinusoidal_encoding")
def observe_sinusoidal_encoding(student):
    near, far = student.sinusoidal_encoding(5, 6), student.sinusoidal_encoding(60_000, 4)[-3:]
    right = torch.allclose(
        near.float(), matrix(range(5), 6), atol=1e-4
    )  # how precise what is wrong is tells nothing
    far_error_in_thousandths = 1000 * (far - matrix(range(59_997, 60_000), 4))
    return [
        near,
        student.sinusoidal_encoding(2, 2),
        far_error_in_thousandths if right else None,
        refuses(student.sinusoidal_encoding, 4, 5),
        str(student.sinusoidal_encoding(2, 2).dtype),
        outcome(lambda: device_of(student, student.sinusoidal_encoding, 2, 2, device="meta")),
    ]




# LearnedPositionalEmbedding ---------------------------------------------------------------------------------


def table_of(student, module):
    """The name and the shape of the module's only parameter: the text leaves its name free."""
    found = parameters(student, module)
    assert len(found) == 1, f"파라미터는 표 하나여야 하는데 {list(found)}입니다."
    return next((name, tuple(tensor.shape)) for name, tensor in found.items())


@points(
    1,
    question="LearnedPositionalEmbedding",
    hint="x의 각 자리에 표의 같은 번호 행을 더합니다. 이어 붙이거나 바꾸지 않습니다.",
    read="positional_encoding#learned-positions",
)
def test_adds_rows(student):
    module = student.LearnedPositionalEmbedding(5, 2)
    name, shape = table_of(student, module)
    ours = torch.arange(10.0).reshape(shape)
    load(student, module, {name: ours})
    x = torch.full((3, 3, 2), 100.0)
    assert_close(module(x), x + ours[:3])


@points(
    0.5,
    question="LearnedPositionalEmbedding",
    hint="표보다 긴 입력에는 ValueError를 내야 합니다.",
    read="positional_encoding#learned-positions",
)
def test_too_long_is_refused(student):
    embedding = student.LearnedPositionalEmbedding(4, 2)
    embedding(torch.zeros(1, 4, 2))
    with pytest.raises(ValueError):
        embedding(torch.zeros(1, 5, 2))


@observes("LearnedPositionalEmbedding")
def observe_learned(student):
    module = student.LearnedPositionalEmbedding(5, 4)
    name, shape = table_of(student, module)
    load(student, module, {name: torch.arange(20.0).reshape(shape)})
    x = torch.ones(2, 3, 4)
    learns = reached(module, x)
    return [
        outcome(module, x.clone()),
        outcome(module, x[0].clone()),
        [name in learns, "0" in learns],
        mutated(module, x),
        outcome(module, torch.zeros(1, 6, 4)),
        outcome(lambda: module(torch.zeros(1, 5, 4)).shape[-2]),
    ]




# shift_matrix -----------------------------------------------------------------------------------------------


@points(
    1,
    question="shift_matrix",
    hint="모든 위치 p에서 encoding[p + k] == shift @ encoding[p]여야 합니다. 벡터는 행렬의 오른쪽에 섭니다.",
    read="positional_encoding#shift-is-rotation",
)
def test_moves_every_position(student):
    encoding = matrix(range(12), 6)
    assert_close(encoding[:9] @ student.shift_matrix(3, 6).mT, encoding[3:], atol=1e-5)


@observes("shift_matrix")
def observe_shift_matrix(student):
    return [student.shift_matrix(3, 6), student.shift_matrix(-2, 4), refuses(student.shift_matrix, 1, 3)]




# rotary -----------------------------------------------------------------------------------------------------


def turned(x, positions):
    """The rotation as a product of complex numbers."""
    d = x.shape[-1]
    angles = positions[:, None].double() * 10_000.0 ** (-torch.arange(0, d, 2).double() / d)
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


@points(
    0.75,
    question="rotary",
    hint="(a, b)를 θ만큼 돌리면 (a cos θ - b sin θ, a sin θ + b cos θ)입니다. 쌍은 이웃한 두 성분입니다.",
    read="positional_encoding#rotary",
)
def test_turns_neighbouring_pairs(student):
    x = torch.tensor([[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]])
    theta, slow = 1.0, 0.01
    expected = torch.tensor(
        [[1.0, 0.0, 0.0, 1.0], [math.cos(theta), math.sin(theta), -math.sin(slow), math.cos(slow)]]
    )
    assert_close(student.rotary(x, torch.tensor([0, 1])), expected, atol=1e-5)


@observes("rotary")
def observe_rotary(student):
    x = torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.5, -1.0, 2.0, 0.3, 1.0, -0.7]])
    return [
        outcome(student.rotary, x.clone(), torch.tensor([1, 4])),
        outcome(student.rotary, torch.stack([x, 2 * x]), torch.tensor([0, 7])),
        refuses(student.rotary, torch.zeros(2, 3), torch.tensor([0, 1])),
        mutated(student.rotary, x, torch.tensor([1, 4])),
        reached(student.rotary, x, torch.tensor([1, 4])),
    ]
