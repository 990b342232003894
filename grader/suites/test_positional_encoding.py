"""What the exercise `positional_encoding` is graded by."""

import math

import pytest
import torch

from grader.judging.contract import assert_manners, bad_manners, how_refused
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    device_of,
    gradients,
    load,
    observes,
    parameters,
    points,
    scattered,
)
from grader.judging.values import secret


@secret
def closed_form(p, j, d):
    """One entry of the paper's matrix, by the formula."""
    angle = p / 10_000 ** ((j - j % 2) / d)
    return math.cos(angle) if j % 2 else math.sin(angle)


@secret
def matrix(positions, d):
    return torch.tensor([[closed_form(p, j, d) for j in range(d)] for p in positions])


# sinusoidal_encoding ----------------------------------------------------------------------------------------


@points(1, "sinusoidal_encoding", read="sinusoid-formula", step="warm-up")
def test_small_matrix(student):
    """짝수 열이 사인, 홀수 열이 코사인입니다. 한 쌍은 같은 각도 p / 10000^(2i/d)를 씁니다."""
    assert_close(student.sinusoidal_encoding(4, 6), matrix(range(4), 6), atol=1e-5)


@points(0.5, "sinusoidal_encoding", read="sinusoid-formula")
def test_first_row(student):
    """위치는 0부터 셉니다. 첫 행은 0, 1, 0, 1, …입니다."""
    assert_close(student.sinusoidal_encoding(1, 8), torch.tensor([[0.0, 1.0] * 4]))


@observes("sinusoidal_encoding")
def observe_sinusoidal_encoding(student):
    encoding, right = student.sinusoidal_encoding, matrix(range(5), 6)
    return up_to_the_first_wrong(
        (lambda: list(encoding(5, 6).shape), [5, 6]),
        (lambda: encoding(5, 6)[0], right[0]),
        (lambda: encoding(5, 6)[1], right[1]),
        (lambda: encoding(5, 6), right),
        (lambda: how_refused(encoding, 4, 5), "refused"),
        (lambda: str(encoding(2, 2).dtype), "torch.float32"),
        (lambda: same(encoding(60_000, 4)[-3:], matrix(range(59_997, 60_000), 4), rtol=0, atol=1e-6), True),
        (lambda: device_of(student, encoding, 2, 2, device="meta") == "meta", True),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "sinusoidal_encoding", read="sinusoid-formula")
def test_any_size(student, device, rng):
    """어떤 길이와 차원에서도 (length, d_model) 행렬이어야 합니다."""
    sizes = torch.randint(1, 40, (3, 2), generator=rng).tolist()
    for length, half in [*sizes, [8, 4], [1, 1]]:
        d = 2 * half
        encoding = student.sinusoidal_encoding(length, d, device=str(device))
        assert_close(encoding, matrix(range(length), d), atol=1e-4)


@points(0.25, "sinusoidal_encoding", read="sinusoid-formula", step="robust")
def test_dtype_and_device(student, device):
    """행렬의 자료형은 float32이고, 장치는 device 인자로 받은 것입니다."""
    encoding = student.sinusoidal_encoding(3, 4, device=str(device))
    assert encoding.dtype == torch.float32, f"자료형이 {encoding.dtype}입니다."
    assert encoding.device.type == device.type, "device 인자를 쓰지 않았습니다."
    elsewhere = device_of(student, student.sinusoidal_encoding, 3, 4, device="meta")
    assert elsewhere == "meta", "device 인자를 쓰지 않았습니다."


@points(0.25, "sinusoidal_encoding", read="far-positions", step="robust")
def test_exact_at_far_positions(student):
    """먼 위치에서 값이 어긋납니다. 각도를 float64로 계산한 다음 float32로 바꾸십시오."""
    encoding = student.sinusoidal_encoding(60_000, 4)
    assert_close(encoding[-5:], matrix(range(59_995, 60_000), 4), rtol=0, atol=1e-6)


@points(0.25, "sinusoidal_encoding", read="sinusoid-pairs", step="robust")
def test_odd_size_is_refused(student):
    """d_model이 홀수이면 쌍을 만들 수 없습니다. ValueError를 내십시오."""
    student.sinusoidal_encoding(4, 6)
    with pytest.raises(ValueError):
        student.sinusoidal_encoding(4, 5)


### END HIDDEN TESTS


# LearnedPositionalEmbedding ---------------------------------------------------------------------------------


def table_of(student, module):
    """The name and the shape of the module's only parameter: the text leaves its name free."""
    found = parameters(student, module)
    assert len(found) == 1, f"파라미터는 표 하나여야 하는데 {list(found)}입니다."
    return next((name, tuple(tensor.shape)) for name, tensor in found.items())


@points(0.5, "LearnedPositionalEmbedding", read="learned-positions", step="warm-up")
def test_adds_rows(student):
    """x의 각 자리에 표의 같은 번호 행을 더합니다. 이어 붙이거나 바꾸지 않습니다."""
    module = student.LearnedPositionalEmbedding(5, 2)
    name, shape = table_of(student, module)
    load(student, module, {name: torch.arange(10.0).reshape(shape)})
    expected = torch.tensor([[100.0, 101.0], [102.0, 103.0], [104.0, 105.0]])
    x = torch.full((3, 3, 2), 100.0)
    assert_close(module(x), expected.expand(3, 3, 2))


@points(0.25, "LearnedPositionalEmbedding", read="learned-positions", step="robust")
def test_too_long_is_refused(student):
    """표보다 긴 입력에는 ValueError를 내야 합니다."""
    embedding = student.LearnedPositionalEmbedding(4, 2)
    embedding(torch.zeros(1, 4, 2))
    with pytest.raises(ValueError):
        embedding(torch.zeros(1, 5, 2))


@observes("LearnedPositionalEmbedding")
def observe_learned(student):
    module, rows = student.LearnedPositionalEmbedding(5, 4), torch.arange(20.0).reshape(5, 4)
    one_more = torch.arange(1.0, 21.0).reshape(5, 4)  # what comes of ones
    names = list(parameters(student, module))
    if len(names) == 1:
        name, shape = table_of(student, module)
        load(student, module, {name: rows.reshape(shape)})

    def after(*size):
        return attempt(lambda: module(torch.ones(*size, 4)), otherwise=None)

    def right(*size):
        return same(after(*size), one_more[: size[-1]].expand(*size, 4))

    def counted():
        """The axis by which rows seem to be counted; "right" also for what is wrong otherwise."""
        if same(after(3, 3), one_more[:3, None].expand(3, 3, 4)) or (right(3, 3) and not right(2, 3)):
            return "first"
        return "second" if right(3, 3) and not (right(3) and right(2, 2, 3)) else "right"

    def too_long():
        found = how_refused(module, torch.zeros(1, 6, 4))
        return found if found != "accepted" else module(torch.zeros(1, 6, 4))

    x = torch.ones(2, 3, 4)
    return up_to_the_first_wrong(
        (lambda: len(names), 1),
        (counted, "right"),
        (lambda: module(torch.ones(3, 3, 4)), one_more[:3].expand(3, 3, 4)),
        (too_long, "refused"),
        (lambda: right(1, 5), True),
        (lambda: bad_manners(student, module, x, learns=[*names, "0"]), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.25, "LearnedPositionalEmbedding", read="learned-positions", step="robust")
def test_learned_with_any_leading_axes(student, device, rng):
    """앞에 붙은 축은 몇 개든 배치입니다. 시간 축은 뒤에서 둘째 축입니다. 표를 꽉 채운 길이도 됩니다."""
    module = student.LearnedPositionalEmbedding(6, 4)
    name, table = table_of(student, module)
    ours = torch.randn(table, generator=rng)
    load(student, module, {name: ours})
    module = module.to(str(device))
    for shape in [(6, 4), (1, 1, 4), (3, 3, 4), (4, 3, 4), (2, 3, 5, 4)]:
        x = torch.randn(shape, generator=rng).to(device)
        assert_close(module(x.clone()), x.cpu() + ours[: shape[-2]])


@points(0.25, "LearnedPositionalEmbedding", read="learned-positions", step="robust")
def test_learned_keeps_its_input_and_device(student):
    """받은 x를 바꾸지 말고, 결과의 장치는 x를 따라야 합니다."""
    module, x = student.LearnedPositionalEmbedding(6, 4), torch.ones(2, 3, 4)
    assert tuple(module(x).shape) == (2, 3, 4)
    assert_manners(student, module, x)


@points(1.25, "LearnedPositionalEmbedding", read="learned-positions")
def test_used_rows_learn(student, rng):
    """표가 학습되지 않거나 기울기가 x까지 흐르지 않습니다. 표는 파라미터여야 하고, 쓰인 행에만 기울기가 흐릅니다."""
    module = student.LearnedPositionalEmbedding(5, 3)
    name, _ = table_of(student, module)
    x, cotangent = torch.randn(2, 3, 3, generator=rng), torch.randn(2, 3, 3, generator=rng)
    everything = gradients(module, x, cotangent=cotangent)
    found = everything["parameters"].get(name)
    assert found is not None, "표가 파라미터가 아닙니다."
    assert_close(everything["inputs"][0], cotangent)
    assert_close(found, torch.cat([cotangent.sum(0), torch.zeros(2, 3)]), atol=1e-5)


### END HIDDEN TESTS


# shift_matrix -----------------------------------------------------------------------------------------------


@points(1, "shift_matrix", read="shift-is-rotation", step="warm-up")
def test_moves_every_position(student):
    """모든 위치 p에서 encoding[p + k] == shift @ encoding[p]여야 합니다. 벡터는 행렬의 오른쪽에 섭니다."""
    encoding = matrix(range(12), 6)
    assert_close(encoding[:9] @ student.shift_matrix(3, 6).float().mT, encoding[3:], atol=1e-5)


@observes("shift_matrix")
def observe_shift_matrix(student):
    shift = student.shift_matrix

    def moves(k, d):
        """ "right" if it moves encodings, or else the matrix itself."""
        found, start = shift(k, d), range(max(0, -k), 9)
        moved = attempt(lambda: matrix(start, d).to(found) @ found.mT)
        return "right" if same(moved, matrix([p + k for p in start], d)) else found

    def back():
        found = shift(-2, 4)
        return "forth" if same(found, shift(2, 4), rtol=0, atol=1e-2) else moves(-2, 4)

    return up_to_the_first_wrong(
        (lambda: moves(3, 6), "right"),
        (back, "right"),
        (lambda: how_refused(shift, 1, 3), "refused"),
        (lambda: str(shift(0, 4).dtype), "torch.float32"),
        (lambda: same(shift(1003, 4)[2:, 2:].mT, shift(-1003, 4)[2:, 2:]), True),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "shift_matrix", read="shift-is-rotation")
def test_shifts_are_rotations(student, rng):
    """k가 0이면 단위 행렬, 음수이면 뒤로 밉니다. 회전이므로 전치가 역행렬입니다."""
    d = 2 * int(torch.randint(2, 12, (), generator=rng))
    assert_close(student.shift_matrix(0, d), torch.eye(d), atol=1e-6)
    k = int(torch.randint(2, 9, (), generator=rng))
    forth, back = student.shift_matrix(k, d).float(), student.shift_matrix(-k, d).float()
    assert_close(forth @ back, torch.eye(d), atol=1e-5)
    assert_close(forth.T, back, atol=1e-5)
    start = 10 + k
    assert_close(back @ matrix([start], d)[0], matrix([start - k], d)[0], atol=1e-5)
    far = 1000 + k
    shift = student.shift_matrix(far, d).float()
    assert_close(shift @ matrix([3], d)[0], matrix([3 + far], d)[0], atol=1e-3)


@points(0.25, "shift_matrix", read="shift-is-rotation", step="robust")
def test_shift_is_float32(student):
    """각도를 float64로 계산했더라도 행렬의 자료형은 float32입니다."""
    shift = student.shift_matrix(3, 6)
    assert tuple(shift.shape) == (6, 6), f"모양이 (6, 6)이어야 하는데 {tuple(shift.shape)}입니다."
    assert shift.dtype == torch.float32, f"자료형이 {shift.dtype}입니다."


@points(0.25, "shift_matrix", read="sinusoid-pairs", step="robust")
def test_shift_of_odd_size_is_refused(student):
    """d_model이 홀수이면 ValueError를 내십시오."""
    student.shift_matrix(1, 4)
    with pytest.raises(ValueError):
        student.shift_matrix(1, 3)


### END HIDDEN TESTS


# rotary -----------------------------------------------------------------------------------------------------


@points(0.75, "rotary", read="rotary", step="warm-up")
def test_turns_neighbouring_pairs(student):
    """(a, b)를 θ만큼 돌리면 (a cos θ - b sin θ, a sin θ + b cos θ)입니다. 쌍은 이웃한 두 성분입니다."""
    x = torch.tensor([[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]])
    expected = torch.tensor([[1.0, 0.0, 0.0, 1.0], [0.540302, 0.841471, -0.01, 0.99995]])
    assert_close(student.rotary(x, torch.tensor([0, 1])), expected, atol=1e-5)


@observes("rotary")
def observe_rotary(student):
    rotary, positions, far = student.rotary, torch.tensor([1, 4]), torch.tensor([300, 501])
    wide = torch.linspace(-1, 1, 128).reshape(2, 64).half()
    x = torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.5, -1.0, 2.0, 0.3, 1.0, -0.7]])

    from_zero = torch.tensor([[1.0, 2, 3, 4, 5, 6], [1.1116, -0.1196, 1.9839, 0.3925, 1.0015, -0.6978]])
    later = torch.tensor(
        [[-1.1426, 1.9221, 2.8112, 4.1349, 4.9871, 6.0108], [-1.0836, 0.2752, 1.9102, 0.664, 1.006, -0.6914]]
    )

    def far_away():
        found = rotary(wide.clone(), far).double() @ scattered((64,), 1)
        return same(found, torch.tensor([-5.8455, -0.0182]), atol=1.2e-2)

    return up_to_the_first_wrong(
        (lambda: rotary(x[None].clone(), torch.arange(2))[0], from_zero),
        (lambda: same(rotary(x[None].clone(), positions)[0], from_zero), False),
        (lambda: same(rotary(x[None].clone(), positions)[0], later), True),
        (
            lambda: all(
                same(rotary(many.clone(), positions), later.expand_as(many))
                for many in (x, x.expand(3, 3, 2, 6))
            ),
            True,
        ),
        (lambda: how_refused(rotary, torch.zeros(2, 3), torch.tensor([0, 1])), "refused"),
        (lambda: bad_manners(student, rotary, x.double(), positions), "none"),
        (lambda: rotary(x.half(), positions).dtype == torch.float16, True),
        (far_away, True),
    )


### BEGIN HIDDEN TESTS
def turned(x, positions):
    """The rotation as a product of complex numbers."""
    d = x.shape[-1]
    angles = positions[:, None].double() * 10_000.0 ** (-torch.arange(0, d, 2).double() / d)
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


@points(0.5, "rotary", read="rotary")
def test_any_positions(student, device, rng):
    """주어진 positions를 써야 합니다. 0, 1, 2, …가 아닐 수 있습니다. 앞에 붙은 축은 몇 개든 배치입니다."""
    # At positions up to 500 angles in float32 are right to 5e-5.
    for shape in [(3, 2), (2, 5, 8), (4, 4, 4), (2, 3, 4, 6), (5, 64)]:
        x = torch.randn(shape, generator=rng)
        positions = torch.randint(0, 500, (shape[-2],), generator=rng)
        found = student.rotary(x.to(device), positions.to(device))
        assert_close(found, turned(x, positions), rtol=1e-3, atol=1e-3)


@points(0.25, "rotary", read="rotary", step="robust")
def test_rotary_follows_its_input(student, rng):
    """자료형과 장치는 x를 따르지만 각도는 float32보다 거칠면 안 됩니다. 받은 x는 바꾸지 않고, 기울기가 x까지 흘러야 합니다."""
    x, cotangent = torch.randn(2, 2, 8, generator=rng)
    found = gradients(student.rotary, x, torch.tensor([2, 5]), cotangent=cotangent)["inputs"][0]
    assert_close(found, turned(cotangent, -torch.tensor([2, 5])), atol=1e-4)  # back is the turn the other way
    for dtype, off in [(torch.float16, 2e-2), (torch.float32, 1e-3), (torch.float64, 1e-3)]:
        x, positions = torch.randn(2, 5, 8, generator=rng).to(dtype), torch.tensor([0, 3, 499, 498, 7])
        found = student.rotary(x, positions)
        assert found.dtype == dtype, f"{dtype} 입력에서 {found.dtype}이 나왔습니다."
        assert_close(found, turned(x, positions), rtol=1e-3, atol=off)
        assert_manners(student, student.rotary, x, positions)


@points(0.75, "rotary", read="rotary")
def test_products_depend_on_the_difference(student, rng):
    """돌린 질의와 키의 내적은 위치의 차이에만 달려 있어야 하고, 벡터의 크기는 그대로입니다."""
    query, key = torch.randn(2, 1, 8, generator=rng).unbind(0)

    def product(p, q):
        return (student.rotary(query, torch.tensor([p])) * student.rotary(key, torch.tensor([q]))).sum()

    assert_close(product(7, 3), product(104, 100), atol=1e-3)
    assert_close(student.rotary(query, torch.tensor([9])).norm(), query.norm(), atol=1e-4)
    assert abs(float(product(7, 3) - product(3, 7))) > 1e-4, (
        "앞뒤의 방향이 사라졌습니다: 3에서 7을 볼 때와 7에서 3을 볼 때가 같습니다."
    )


@points(0.25, "rotary", read="sinusoid-pairs", step="robust")
def test_rotary_of_odd_size_is_refused(student):
    """d가 홀수이면 ValueError를 내십시오."""
    student.rotary(torch.zeros(2, 4), torch.tensor([0, 1]))
    with pytest.raises(ValueError):
        student.rotary(torch.zeros(2, 3), torch.tensor([0, 1]))


### END HIDDEN TESTS
