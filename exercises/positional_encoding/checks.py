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
from grader.judging.values import values_of


matrix = values_of(
    [
        ([range(0, 4), 6], {'dtype': 'float32', 'shape': [4, 6], 'values': [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.84147096, 0.54030228, 0.046399225, 0.998923, 0.0021544329, 0.99999768, 0.90929741, -0.41614684, 0.0926985, 0.99569422, 0.0043088561, 0.9999907, 0.14112, -0.9899925, 0.1387981, 0.99032068, 0.006463259, 0.99997914]}),
        ([range(0, 5), 6], {'dtype': 'float32', 'shape': [5, 6], 'values': [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.84147096, 0.54030228, 0.046399225, 0.998923, 0.0021544329, 0.99999768, 0.90929741, -0.41614684, 0.0926985, 0.99569422, 0.0043088561, 0.9999907, 0.14112, -0.9899925, 0.1387981, 0.99032068, 0.006463259, 0.99997914, -0.7568025, -0.65364361, 0.18459873, 0.98281395, 0.0086176321, 0.99996287]}),
        ([range(59997, 60000), 4], {'dtype': 'float32', 'shape': [3, 4], 'values': [-0.90716565, 0.42077374, 0.074128777, -0.99724865, -0.13607478, 0.99069858, 0.064152747, -0.99794006, 0.7601226, 0.64977968, 0.054170307, -0.9985317]}),
        ([range(0, 12), 6], {'dtype': 'float32', 'shape': [12, 6], 'values': [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.84147096, 0.54030228, 0.046399225, 0.998923, 0.0021544329, 0.99999768, 0.90929741, -0.41614684, 0.0926985, 0.99569422, 0.0043088561, 0.9999907, 0.14112, -0.9899925, 0.1387981, 0.99032068, 0.006463259, 0.99997914, -0.7568025, -0.65364361, 0.18459873, 0.98281395, 0.0086176321, 0.99996287, -0.95892429, 0.2836622, 0.23000172, 0.97319025, 0.010771965, 0.999942, -0.27941549, 0.96017027, 0.27490926, 0.96147019, 0.012926248, 0.99991643, 0.65698659, 0.75390226, 0.31922466, 0.94767904, 0.015080472, 0.99988627, 0.98935825, -0.14550003, 0.36285242, 0.93184662, 0.017234623, 0.99985147, 0.41211849, -0.91113025, 0.40569857, 0.91400695, 0.019388698, 0.99981201, -0.54402113, -0.83907151, 0.44767085, 0.89419842, 0.02154268, 0.99976796, -0.99999022, 0.004425698, 0.48867878, 0.87246376, 0.023696564, 0.9997192]}),
        ([range(0, 9), 6], {'dtype': 'float32', 'shape': [9, 6], 'values': [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.84147096, 0.54030228, 0.046399225, 0.998923, 0.0021544329, 0.99999768, 0.90929741, -0.41614684, 0.0926985, 0.99569422, 0.0043088561, 0.9999907, 0.14112, -0.9899925, 0.1387981, 0.99032068, 0.006463259, 0.99997914, -0.7568025, -0.65364361, 0.18459873, 0.98281395, 0.0086176321, 0.99996287, -0.95892429, 0.2836622, 0.23000172, 0.97319025, 0.010771965, 0.999942, -0.27941549, 0.96017027, 0.27490926, 0.96147019, 0.012926248, 0.99991643, 0.65698659, 0.75390226, 0.31922466, 0.94767904, 0.015080472, 0.99988627, 0.98935825, -0.14550003, 0.36285242, 0.93184662, 0.017234623, 0.99985147]}),
        ([[3, 4, 5, 6, 7, 8, 9, 10, 11], 6], {'dtype': 'float32', 'shape': [9, 6], 'values': [0.14112, -0.9899925, 0.1387981, 0.99032068, 0.006463259, 0.99997914, -0.7568025, -0.65364361, 0.18459873, 0.98281395, 0.0086176321, 0.99996287, -0.95892429, 0.2836622, 0.23000172, 0.97319025, 0.010771965, 0.999942, -0.27941549, 0.96017027, 0.27490926, 0.96147019, 0.012926248, 0.99991643, 0.65698659, 0.75390226, 0.31922466, 0.94767904, 0.015080472, 0.99988627, 0.98935825, -0.14550003, 0.36285242, 0.93184662, 0.017234623, 0.99985147, 0.41211849, -0.91113025, 0.40569857, 0.91400695, 0.019388698, 0.99981201, -0.54402113, -0.83907151, 0.44767085, 0.89419842, 0.02154268, 0.99976796, -0.99999022, 0.004425698, 0.48867878, 0.87246376, 0.023696564, 0.9997192]}),
        ([range(2, 9), 4], {'dtype': 'float32', 'shape': [7, 4], 'values': [0.90929741, -0.41614684, 0.019998666, 0.99980003, 0.14112, -0.9899925, 0.029995501, 0.99955004, -0.7568025, -0.65364361, 0.039989334, 0.99920011, -0.95892429, 0.2836622, 0.049979169, 0.99875027, -0.27941549, 0.96017027, 0.059964005, 0.99820054, 0.65698659, 0.75390226, 0.069942847, 0.99755102, 0.98935825, -0.14550003, 0.079914697, 0.99680173]}),
        ([[0, 1, 2, 3, 4, 5, 6], 4], {'dtype': 'float32', 'shape': [7, 4], 'values': [0.0, 1.0, 0.0, 1.0, 0.84147096, 0.54030228, 0.0099998331, 0.99994999, 0.90929741, -0.41614684, 0.019998666, 0.99980003, 0.14112, -0.9899925, 0.029995501, 0.99955004, -0.7568025, -0.65364361, 0.039989334, 0.99920011, -0.95892429, 0.2836622, 0.049979169, 0.99875027, -0.27941549, 0.96017027, 0.059964005, 0.99820054]}),
    ]
)


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
