"""What the exercise `positional_encoding` is graded by."""

import math

import pytest
import torch

from grader.judging.suite import assert_close, gradients, mutated, observes, points, refuses


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
    far = student.sinusoidal_encoding(60_000, 4)[-3:]
    far_error_in_thousandths = 1000 * (far - matrix(range(59_997, 60_000), 4))
    return [student.sinusoidal_encoding(5, 6), student.sinusoidal_encoding(2, 2), far_error_in_thousandths]


### BEGIN HIDDEN TESTS
@points(
    0.5,
    question="sinusoidal_encoding",
    hint="어떤 길이와 차원에서도 float32의 (length, d_model) 행렬이어야 합니다.",
    read="positional_encoding#sinusoid-formula",
)
def test_any_size(student, device, rng):
    for _ in range(3):
        length = int(torch.randint(1, 60, (), generator=rng))
        d = 2 * int(torch.randint(1, 40, (), generator=rng))
        encoding = student.sinusoidal_encoding(length, d, device=str(device))
        assert encoding.dtype == torch.float32, f"자료형이 {encoding.dtype}입니다."
        assert encoding.device.type == device.type, "device 인자를 쓰지 않았습니다."
        assert_close(encoding, matrix(range(length), d), atol=1e-5)


@points(
    0.5,
    question="sinusoidal_encoding",
    hint="먼 위치에서 값이 어긋납니다. 각도를 float64로 계산한 다음 float32로 바꾸십시오.",
    read="positional_encoding#far-positions",
)
def test_exact_at_far_positions(student):
    encoding = student.sinusoidal_encoding(60_000, 4)
    assert_close(encoding[-5:], matrix(range(59_995, 60_000), 4), rtol=0, atol=1e-6)


@points(
    0.5,
    question="sinusoidal_encoding",
    hint="d_model이 홀수이면 쌍을 만들 수 없습니다. ValueError를 내십시오.",
    read="positional_encoding#sinusoid-pairs",
)
def test_odd_size_is_refused(student):
    student.sinusoidal_encoding(4, 6)
    with pytest.raises(ValueError):
        student.sinusoidal_encoding(4, 5)


### END HIDDEN TESTS


# LearnedPositionalEmbedding ---------------------------------------------------------------------------------


def table_of(module):
    """The module's only parameter, by name."""
    state = module.state_dict()
    assert len(state) == 1, f"파라미터는 표 하나여야 하는데 {list(state)}입니다."
    return next(iter(state.items()))


@points(
    1,
    question="LearnedPositionalEmbedding",
    hint="x의 각 자리에 표의 같은 번호 행을 더합니다. 이어 붙이거나 바꾸지 않습니다.",
    read="positional_encoding#learned-positions",
)
def test_adds_rows(student):
    module = student.LearnedPositionalEmbedding(5, 2)
    name, table = table_of(module)
    ours = torch.arange(10.0).reshape(table.shape)
    module.load_state_dict({name: ours})
    x = torch.full((2, 3, 2), 100.0)
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
    name, table = table_of(module)
    module.load_state_dict({name: torch.arange(20.0).reshape(table.shape)})
    x = torch.ones(2, 3, 4)
    found = gradients(module, x)["parameters"].get(name)
    long = torch.zeros(1, 6, 4)
    return [module(x), found is not None, mutated(module, x), refuses(module, long)]


### BEGIN HIDDEN TESTS
@points(
    0.5,
    question="LearnedPositionalEmbedding",
    hint="앞에 붙은 축은 몇 개든 배치입니다. 시간 축은 뒤에서 둘째 축입니다. 표를 꽉 채운 길이도 됩니다.",
    read="positional_encoding#learned-positions",
)
def test_learned_with_any_leading_axes(student, device, rng):
    module = student.LearnedPositionalEmbedding(6, 4)
    name, table = table_of(module)
    ours = torch.randn(table.shape, generator=rng)
    module.load_state_dict({name: ours})
    module = module.to(str(device))
    for shape in [(6, 4), (1, 1, 4), (4, 3, 4), (2, 3, 5, 4)]:
        x = torch.randn(shape, generator=rng).to(device)
        assert_close(module(x), x.cpu() + ours[: shape[-2]])
        assert mutated(module, x) == [], "입력이 바뀌었습니다."


@points(
    0.5,
    question="LearnedPositionalEmbedding",
    hint="표가 학습되지 않습니다. 파라미터여야 하고, 쓰인 행에만 기울기가 흘러야 합니다.",
    read="positional_encoding#learned-positions",
)
def test_used_rows_learn(student, rng):
    module = student.LearnedPositionalEmbedding(5, 3)
    name, _ = table_of(module)
    x, cotangent = torch.randn(2, 3, 3, generator=rng), torch.randn(2, 3, 3, generator=rng)
    found = gradients(module, x, cotangent=cotangent)["parameters"].get(name)
    assert found is not None, "표가 파라미터가 아닙니다."
    assert_close(found, torch.cat([cotangent.sum(0), torch.zeros(2, 3)]), atol=1e-5)


### END HIDDEN TESTS


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
    return [student.shift_matrix(3, 6), student.shift_matrix(-2, 4)]


### BEGIN HIDDEN TESTS
@points(
    0.75,
    question="shift_matrix",
    hint="k가 0이면 단위 행렬, 음수이면 뒤로 밉니다. 회전이므로 전치가 역행렬입니다.",
    read="positional_encoding#shift-is-rotation",
)
def test_shifts_are_rotations(student, rng):
    d = 2 * int(torch.randint(1, 12, (), generator=rng))
    assert_close(student.shift_matrix(0, d), torch.eye(d), atol=1e-6)
    k = int(torch.randint(2, 9, (), generator=rng))
    forth, back = student.shift_matrix(k, d), student.shift_matrix(-k, d)
    assert_close(forth @ back, torch.eye(d), atol=1e-5)
    assert_close(forth.T, back, atol=1e-5)
    start = 10 + k
    assert_close(back @ matrix([start], d)[0], matrix([start - k], d)[0], atol=1e-5)


@points(
    0.25,
    question="shift_matrix",
    hint="d_model이 홀수이면 ValueError를 내십시오.",
    read="positional_encoding#sinusoid-pairs",
)
def test_shift_of_odd_size_is_refused(student):
    student.shift_matrix(1, 4)
    with pytest.raises(ValueError):
        student.shift_matrix(1, 3)


### END HIDDEN TESTS


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
        student.rotary(x, torch.tensor([1, 4])),
        student.rotary(torch.stack([x, 2 * x]), torch.tensor([0, 7])),
    ]


### BEGIN HIDDEN TESTS
@points(
    0.75,
    question="rotary",
    hint="주어진 positions를 써야 합니다. 0, 1, 2, …가 아닐 수 있습니다. 앞에 붙은 축은 몇 개든 배치입니다.",
    read="positional_encoding#rotary",
)
def test_any_positions(student, device, rng):
    for shape in [(3, 2), (2, 5, 8), (2, 3, 4, 6)]:
        x = torch.randn(shape, generator=rng, dtype=torch.float64)
        positions = torch.randint(0, 5000, (shape[-2],), generator=rng)
        found = student.rotary(x.to(device), positions.to(device))
        assert_close(found, turned(x, positions), rtol=1e-9, atol=1e-9)
        assert mutated(student.rotary, x, positions) == [], "입력이 바뀌었습니다."


@points(
    0.75,
    question="rotary",
    hint="돌린 질의와 키의 내적은 위치의 차이에만 달려 있어야 하고, 벡터의 길이는 그대로여야 합니다.",
    read="positional_encoding#rotary",
)
def test_products_depend_on_the_difference(student, rng):
    query, key = torch.randn(2, 1, 8, generator=rng).unbind(0)

    def product(p, q):
        return (student.rotary(query, torch.tensor([p])) * student.rotary(key, torch.tensor([q]))).sum()

    assert_close(product(7, 3), product(104, 100), atol=1e-3)
    assert_close(student.rotary(query, torch.tensor([9])).norm(), query.norm(), atol=1e-4)
    assert abs(float(product(7, 3) - product(3, 7))) > 1e-4, "방향이 사라졌습니다."


@points(
    0.25,
    question="rotary",
    hint="d가 홀수이면 ValueError를 내십시오.",
    read="positional_encoding#sinusoid-pairs",
)
def test_rotary_of_odd_size_is_refused(student):
    student.rotary(torch.zeros(2, 4), torch.tensor([0, 1]))
    with pytest.raises(ValueError):
        student.rotary(torch.zeros(2, 3), torch.tensor([0, 1]))


### END HIDDEN TESTS
