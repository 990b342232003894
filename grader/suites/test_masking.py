"""What the exercise `masking` is graded by."""

import pytest
import torch
import torch.nn.functional as F

from grader.judging.contract import bad_manners, finite_gradients
from grader.judging.observed import attempt, same
from grader.judging.suite import (
    ATTENTION,
    assert_close,
    device_of,
    follows_device,
    gradients,
    mutated,
    observes,
    outcome,
    place,
    points,
)

FORBIDDEN = {"masked_softmax": (*ATTENTION, "aten::_masked_softmax", "torch.masked.softmax")}

T, N = True, False  # visible, hidden


def look_of(make, *args):
    """What a mask is made of, its shape, and where it is True (not 0); "fails" where there is none."""
    mask = attempt(make, *args)
    if not isinstance(mask, torch.Tensor):
        return ["fails"] * 3
    kind = "bool" if mask.dtype == torch.bool else "numbers" if mask.isfinite().all() else "infinite"
    return [list(mask.shape), kind, mask.int().tolist() if kind != "infinite" else None]


# padding_mask -----------------------------------------------------------------------------------------------


@points(1, "padding_mask", read="padding-mask", step="warm-up")
def test_real_tokens_are_true(student, device):
    """진짜 토큰 자리는 True, 패딩 자리는 False여야 합니다. 길이가 3이면 앞의 세 자리가 True입니다."""
    mask = student.padding_mask(torch.tensor([3, 1, 4], device=device), 4)
    assert_close(mask, torch.tensor([[T, T, T, N], [T, N, N, N], [T, T, T, T]]))


@points(0.25, "padding_mask", read="padding-mask", step="robust")
def test_too_long_a_sentence_is_refused(student):
    """max_length보다 긴 문장이 있으면 ValueError를 내야 합니다. 잘린 문장은 조용히 틀린 답을 만듭니다."""
    student.padding_mask(torch.tensor([2, 4]), 4)
    with pytest.raises(ValueError):
        student.padding_mask(torch.tensor([2, 5]), 4)


@observes("padding_mask")
def observe_padding_mask(student):
    make = student.padding_mask
    refused = outcome(make, torch.tensor([2, 6]), 5)
    return [
        *look_of(make, torch.tensor([3, 1, 4]), 5),
        look_of(make, torch.tensor([0, 2]), 3)[-1],
        refused if isinstance(refused, str) and refused == "ValueError" else isinstance(refused, str),
        look_of(make, torch.tensor([3, 1]), 3)[-1],
        attempt(follows_device, student, make, torch.tensor([3, 1]), 4),
    ]


### BEGIN HIDDEN TESTS
@points(0.5, "padding_mask", read="padding-mask")
def test_width_is_max_length(student, device, rng):
    """열의 수는 언제나 max_length입니다. 길이가 0인 문장의 행은 모두 False입니다."""
    for _ in range(5):
        lengths = torch.randint(0, 7, (5,), generator=rng)
        mask = student.padding_mask(lengths.to(device), 9)
        expected = torch.tensor([[j < length for j in range(9)] for length in lengths.tolist()])
        assert_close(mask, expected)
    assert_close(student.padding_mask(torch.tensor([3]), 3), torch.tensor([[T, T, T]]))


@points(0.25, "padding_mask", read="padding-mask", step="robust")
def test_mask_lies_where_the_lengths_do(student):
    """마스크의 장치는 lengths의 것입니다."""
    lengths = torch.tensor([3, 1, 4])
    assert student.padding_mask(lengths, 4).any(), "모두 False입니다."
    assert follows_device(student, student.padding_mask, lengths, 9), (
        "마스크가 lengths의 장치를 따르지 않습니다."
    )


### END HIDDEN TESTS


# look_ahead_mask --------------------------------------------------------------------------------------------


@points(1, "look_ahead_mask", read="look-ahead")
def test_sees_only_the_past(student):
    """i번째 행에서 볼 수 있는 것은 0번째부터 i번째까지입니다. 행이 질의, 열이 키입니다."""
    assert_close(
        student.look_ahead_mask(4), torch.tensor([[T, N, N, N], [T, T, N, N], [T, T, T, N], [T, T, T, T]])
    )


@observes("look_ahead_mask")
def observe_look_ahead_mask(student):
    make = student.look_ahead_mask
    return [
        *look_of(make, 4),
        attempt(lambda: device_of(student, make, 2, device="meta")),
    ]


### BEGIN HIDDEN TESTS
@points(0.5, "look_ahead_mask", read="look-ahead", step="robust")
def test_any_length(student, reference, device, rng):
    """어떤 길이에서도, 길이 1에서도 (length, length) 크기의 불리언 마스크여야 합니다."""
    student.look_ahead_mask(2)
    elsewhere = device_of(student, student.look_ahead_mask, 2, device="meta")
    assert elsewhere == "meta", "device 인자를 쓰지 않았습니다."
    for length in [1, 2, int(torch.randint(3, 40, (), generator=rng))]:
        mask = student.look_ahead_mask(length, device=str(device))
        assert_close(mask, reference.look_ahead_mask(length))
        assert mask.device.type == device.type, "device 인자를 쓰지 않았습니다."


### END HIDDEN TESTS


# combine_masks ----------------------------------------------------------------------------------------------

PADDING = torch.tensor([[T, T, T], [T, T, N]])
LOOK_AHEAD = torch.tensor([[T, N, N], [T, T, N], [T, T, T]])


@points(1, "combine_masks", read="combining")
def test_both_masks_must_allow(student):
    """두 마스크가 모두 허락한 자리만 True입니다. 패딩은 키, 곧 열을 가립니다."""
    expected = torch.tensor([[[T, N, N], [T, T, N], [T, T, T]], [[T, N, N], [T, T, N], [T, T, N]]])
    assert_close(student.combine_masks(PADDING.clone(), LOOK_AHEAD.clone()), expected)


@observes("combine_masks")
def observe_combine_masks(student):
    padding, square = torch.tensor([[T, N, T], [T, T, N]]), torch.tensor([[T, N, T], [T, T, N], [N, T, T]])
    shape, kind, values = look_of(student.combine_masks, padding.clone(), LOOK_AHEAD.clone())
    return [
        shape != "fails" or look_of(student.combine_masks, square.clone(), LOOK_AHEAD.clone())[0],
        shape,
        kind,
        attempt(lambda: mutated(student.combine_masks, padding, LOOK_AHEAD)),
        values,
        look_of(student.combine_masks, padding.clone(), square.clone())[-1],
        look_of(student.combine_masks, square.clone(), LOOK_AHEAD.clone())[-1],
    ]


### BEGIN HIDDEN TESTS
@points(1, "combine_masks", read="combining")
def test_each_sentence_has_its_own_padding(student, rng):
    """배치의 문장마다 자기 패딩을 써야 합니다. 문장 수와 길이가 같아도 축을 혼동하지 않아야 합니다."""
    for batch, n in [(1, 1), (4, 4), (3, 6)]:
        padding = torch.rand(batch, n, generator=rng) < 0.6
        padding[1:2] = False  # a sentence that sees nothing, always
        look_ahead = torch.rand(n, n, generator=rng) < 0.6  # any mask, not only a triangle
        expected = torch.zeros(batch, n, n, dtype=torch.bool)
        for b in range(batch):
            for i in range(n):
                for j in range(n):
                    expected[b, i, j] = padding[b, j] and look_ahead[i, j]
        assert_close(student.combine_masks(padding, look_ahead), expected)


### END HIDDEN TESTS


# masked_softmax ---------------------------------------------------------------------------------------------


def example_scores():
    return torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0], [4.0, 1.0, 0.0]])


@points(1, "masked_softmax", read="minus-infinity", step="warm-up")
def test_hidden_keys_get_nothing(student):
    """가려진 자리의 가중치는 0이고, 보이는 자리의 가중치는 그 자리들만의 소프트맥스여야 합니다."""
    mask = torch.tensor([[T, N, N], [T, T, N], [T, T, T]])
    weights = student.masked_softmax(example_scores(), mask)
    for i in range(3):
        visible = example_scores()[i, : i + 1].softmax(-1)
        assert_close(weights[i], torch.cat([visible, torch.zeros(2 - i)]))


@points(0.5, "masked_softmax", read="nothing-to-see")
def test_nothing_to_see_gives_zeros(student):
    """볼 것이 하나도 없는 행은 NaN도 균등 분포도 아닌, 모두 0이어야 합니다."""
    mask = torch.tensor([[T, T, N], [N, N, N], [T, N, T]])
    weights = student.masked_softmax(example_scores(), mask)
    assert_close(weights[1], torch.zeros(3))
    assert (weights[mask] > 0).all(), "보이는 자리의 가중치까지 0입니다."


@observes("masked_softmax")
def observe_masked_softmax(student):
    attend, scores = student.masked_softmax, example_scores()
    mask, empty = (
        torch.tensor([[T, N, N], [N, T, T], [T, T, N]]),
        torch.tensor([[T, N, N], [N, N, N], [T, T, N]]),
    )

    def nothing_to_see():
        row = attend(scores.clone(), empty)[1]
        if row.isnan().any():
            return "NaN"
        return "zeros" if row.eq(0).all() else "even" if same(row, torch.full((3,), 1 / 3)) else "uneven"

    def as_alone():
        both = attend(torch.stack([scores, scores.T, -scores]), mask.repeat(3, 1, 1))
        return all(
            same(found, attend(one, mask)) for found, one in zip(both, (scores, scores.T), strict=False)
        )

    def as_expanded(mask):
        return same(attend(scores.clone(), mask), attend(scores.clone(), mask.expand(3, 3)))

    def large(*row):
        return attend(torch.tensor([row], dtype=torch.float64), torch.tensor([[T, T, N]]))

    return [
        attempt(lambda: attend(scores.clone(), mask)),
        attempt(nothing_to_see),
        attempt(lambda: bad_manners(student, attend, scores, mask)),
        attempt(lambda: finite_gradients(attend, scores, empty, cotangent=torch.eye(3))),
        attempt(large, 1e3, 1e3 - 1, 2e3),
        attempt(large, -1e10, -1e10, 5.0),
        attempt(as_alone, otherwise=False),
        attempt(lambda: as_expanded(mask[:1]) and as_expanded(mask[:, :1]), otherwise=False),
        attempt(
            lambda: [str(attend(scores.to(kind), mask).dtype) for kind in (torch.bfloat16, torch.float64)]
        ),
    ]


### BEGIN HIDDEN TESTS
@points(0.5, "masked_softmax", read="masked-softmax", step="robust")
def test_any_leading_axes(student, rng):
    """마스크는 점수의 모양으로 브로드캐스트되어야 합니다: (n, n) 마스크와 (batch, heads, n, n) 점수."""
    for shape, mask_shape in [
        ((5, 5), (5, 5)),
        ((2, 4, 6), (4, 6)),
        ((2, 3, 4, 5), (2, 1, 1, 5)),
        ((1, 1), (1, 1)),
    ]:
        scores = torch.randn(shape, generator=rng) * 4
        mask = torch.rand(mask_shape, generator=rng) < 0.7
        mask[..., 0], mask[..., 1:2] = True, False  # something to see and something to hide, always
        expected = F.scaled_dot_product_attention(
            scores, torch.eye(shape[-1]).expand(*shape[:-2], -1, -1), torch.eye(shape[-1]).expand(*shape[:-2], -1, -1),
            attn_mask=mask, scale=1.0,
        )  # fmt: skip
        assert_close(student.masked_softmax(scores, mask), expected, atol=1e-5)
    scores, rows = torch.randn(2, 4, 4, generator=rng), torch.tensor([[T], [N], [T], [T]])
    assert_close(student.masked_softmax(scores, rows), scores.softmax(-1) * rows, atol=1e-5)
    assert follows_device(student, student.masked_softmax, scores, rows), (
        "결과가 점수와 다른 장치에 있습니다."
    )


@points(0.5, "masked_softmax", read="nothing-to-see", step="robust")
def test_gradients_are_finite(student, reference, rng):
    """볼 것이 없는 행을 지나는 기울기도 유한해야 합니다. 앞에서 생긴 NaN은 나중에 0으로 덮어도 역전파에 남습니다."""
    scores = torch.randn(2, 4, 5, generator=rng)
    mask = torch.rand(2, 4, 5, generator=rng) < 0.5
    mask[0, 1] = False
    cotangent = torch.randn(2, 4, 5, generator=rng)
    found = gradients(student.masked_softmax, scores, mask, cotangent=cotangent)["inputs"][0]
    expected = gradients(reference.masked_softmax, scores, mask, cotangent=cotangent)["inputs"][0]
    assert_close(found, expected, atol=1e-5)


@points(0.25, "masked_softmax", read="minus-infinity", step="robust")
def test_large_scores(student):
    """점수가 1,000처럼 커도 넘치지 않아야 하고, 어떤 점수보다도 작은 값으로 가려야 합니다. -1e9로는 점수가 -1e10일 때 가리지 못합니다."""
    scores = [[1e3, 1e3 - 1, 2e3], [-1e3, -1e3 - 1, 0.0], [-1e10, -1e10, 5.0]]
    expected = [[0.7310586, 0.2689414, 0.0], [0.7310586, 0.2689414, 0.0], [0.5, 0.5, 0.0]]
    # In float32 nobody who subtracts a logarithm from 1e10 could be right.
    scores, expected = (torch.tensor(rows, dtype=torch.float64) for rows in (scores, expected))
    assert_close(student.masked_softmax(scores, torch.tensor([[T, T, N]])), expected)


@points(0.25, "masked_softmax", read="masked-softmax", step="robust")
def test_scores_are_left_alone(student):
    """받은 점수를 제자리에서 바꾸지 말아야 하고 (masked_fill_ 대신 masked_fill), 자료형은 점수를 따릅니다."""
    assert mutated(student.masked_softmax, example_scores(), LOOK_AHEAD) == [], "입력이 바뀌었습니다."
    weights = student.masked_softmax(example_scores(), LOOK_AHEAD.clone())
    assert weights.is_floating_point() and torch.equal(weights > 0, LOOK_AHEAD), "가중치가 아닙니다."
    for dtype in [torch.bfloat16, torch.float64]:
        found = student.masked_softmax(example_scores().to(dtype), LOOK_AHEAD.clone()).dtype
        assert found == dtype, f"{dtype} 점수에서 {found}이 나왔습니다."


### END HIDDEN TESTS


# causal_attention_is_causal ---------------------------------------------------------------------------------

# What is probed lies on the student's side (`place`): a probe may ask for gradients. So each is self-contained.


def running_sum(x):
    return x.cumsum(dim=-2)


def whole_mean(x):
    return x + x.mean(dim=-2, keepdim=True)


def peek_at_next(x):
    return x + torch.cat([x[..., 1:, :], x[..., -1:, :]], dim=-2)


def last_sees_first(x):
    return torch.cat([x[..., :-1, :], x[..., -1:, :] + x[..., :1, :]], dim=-2)


def first_sees_last(x):
    return torch.cat([x[..., :1, :] + x[..., -1:, :], x[..., 1:, :]], dim=-2)


def first_sees_second(x):
    return torch.cat([x[..., :1, :] + x[..., 1:2, :], x[..., 1:, :]], dim=-2)


def last_but_one_sees_last(x):
    return torch.cat([x[..., :-2, :], x[..., -2:-1, :] + x[..., -1:, :], x[..., -1:, :]], dim=-2)


def second_sees_third(x):
    return torch.cat([x[..., :1, :], x[..., 1:2, :] + x[..., 2:3, :], x[..., 2:, :]], dim=-2)


def last_sentence_sees_the_future(x):
    first, last = x[:-1], x[-1:]
    return torch.cat([first.cumsum(-2), last + last.mean(-2, keepdim=True)], dim=0)


def mix_features(x):
    return x.flip(-1).cumsum(dim=-1)


def verdict(student, fn, x):
    """What the student's probe says of `fn`: True or False, nothing that is merely like it."""
    found = student.causal_attention_is_causal(place(student, fn), x)
    assert isinstance(found, bool), f"True나 False를 돌려주어야 하는데 {type(found).__name__}입니다."
    return found


@points(0.5, "causal_attention_is_causal", read="probe", step="warm-up")
def test_tells_a_sum_from_a_mean(student):
    """앞의 것만 더하는 함수(누적합)는 True, 전체 평균을 더하는 함수는 False여야 합니다."""
    x = torch.tensor([[1.0, 0.0], [0.5, 2.0], [-1.0, 1.0], [0.3, -0.7]])
    assert verdict(student, running_sum, x), "누적합을 새는 함수로 판정했습니다."
    assert not verdict(student, whole_mean, x), "전체 평균을 인과적이라고 판정했습니다."


def slight_leak(x):
    y = x.clone()
    y[..., 2, :] = x[..., 2, :] + 1e-4 * x[..., 4, :]
    return y


def trembling(x):
    """Moves by less than 1e-6 with the future, as rounding does."""
    return torch.tanh(x) + 2e-7 * torch.tanh(x.detach().sum(-2, keepdim=True))


def lower_triangle(x):
    return torch.ones(x.shape[-2], x.shape[-2], dtype=x.dtype, device=x.device).tril() @ x


def diff(x):
    return x - torch.cat([x[..., :1, :], x[..., :-1, :]], dim=-2)


def yesterday(x):
    return torch.cat([torch.zeros_like(x[..., :1, :]), x[..., :-1, :]], dim=-2)


def five_long(x):
    """Only of five positions: a shorter or a longer text is another function's."""
    if x.shape[-2] != 5:
        raise ValueError("not five positions")
    return x.cumsum(dim=-2)


@observes("causal_attention_is_causal")
def observe_causal_attention_is_causal(student):
    x = torch.tensor([[[1.0, 0.5], [2.0, -1.0], [0.2, 3.0], [1.5, 1.0], [-0.3, 0.8]]])
    x = torch.cat([x, 1 - x.flip(-2)])
    honest = [running_sum, last_sees_first, mix_features, yesterday]
    leaky = [whole_mean, peek_at_next, first_sees_last, first_sees_second, last_but_one_sees_last]

    def says(fn, x):
        return attempt(lambda: bool(student.causal_attention_is_causal(place(student, fn), x.clone())))

    def kind():
        return type(student.causal_attention_is_causal(place(student, running_sum), x.clone())).__name__

    return [
        says(running_sum, x) != "fails" and says(five_long, x) == "fails",
        [says(fn, x) for fn in [*honest, *leaky, second_sees_third, last_sentence_sees_the_future]],
        says(whole_mean, torch.zeros(2, 5, 2)),
        says(lower_triangle, x),
        says(trembling, x),
        says(slight_leak, x),
        [says(fn, batch) for fn in (diff, whole_mean) for batch in (x[0], x[:, None])]
        == [True, True, False, False],
        attempt(kind),
        attempt(lambda: mutated(student.causal_attention_is_causal, place(student, running_sum), x)),
    ]


### BEGIN HIDDEN TESTS
def reverse_running_sum(x):
    return x.flip(-2).cumsum(dim=-2).flip(-2)


def middle_leak(x):
    y = x.clone()
    y[..., 2, :] = x[..., 2, :] + 1e-2 * x[..., 4, :]
    return y


def leak_beside_large_numbers(x):
    return 1000 + x + 1e-3 * x.mean(-2, keepdim=True)


def squashed(x):
    return torch.tanh(x)


def feature_sum(x):
    return x.sum(-1, keepdim=True)


@points(0.75, "causal_attention_is_causal", read="probe")
def test_finds_a_leak_wherever_it_is(student, rng):
    """새는 곳은 바로 다음 칸일 수도, 처음과 끝 사이에만, 한 문장에만 있을 수도 있습니다. 자르는 위치 1, 2, …, n - 1을 모두 시험해야 합니다."""
    x = torch.randn(2, 6, 3, generator=rng)
    for leaky in [
        peek_at_next,
        first_sees_last,
        first_sees_second,
        last_but_one_sees_last,
        second_sees_third,
        last_sentence_sees_the_future,
        reverse_running_sum,
        middle_leak,
        leak_beside_large_numbers,
    ]:
        assert not verdict(student, leaky, x), f"{leaky.__name__}의 누출을 놓쳤습니다."
    assert not verdict(student, whole_mean, x[:, None]), "배치 축이 여럿일 때 누출을 놓쳤습니다."
    assert not verdict(student, whole_mean, x[0, :2]), "길이가 2일 때 누출을 놓쳤습니다."
    unmoved = "0인 입력에서 누출을 놓쳤습니다. 바꾼 입력은 원래와 달라야 합니다."
    assert not verdict(student, whole_mean, torch.zeros(2, 4, 3)), unmoved
    assert verdict(student, running_sum, x) is True, "누적합을 새는 함수로 판정했습니다."


@points(0.25, "causal_attention_is_causal", read="probe")
def test_the_past_may_be_seen(student, rng):
    """과거를 보는 것은 누출이 아닙니다. 자기 자신을 보는 것도 아닙니다. 시간 축은 뒤에서 둘째입니다."""
    x = torch.randn(3, 5, 4, generator=rng)
    for honest in [running_sum, last_sees_first, diff, mix_features, squashed, feature_sum]:
        assert verdict(student, honest, x), "과거만 보는 함수를 새는 함수로 판정했습니다."
        assert verdict(student, honest, x.transpose(0, 1)[:, None]), "배치 축이 여럿일 때 잘못 판정했습니다."
    assert verdict(student, trembling, x), "1e-6보다 작은 차이는 누출이 아닙니다."
    assert not verdict(student, slight_leak, x), "1e-6보다 큰 차이는 누출입니다."
    assert verdict(student, lower_triangle, x), (
        "0을 곱한 미래를 누출로 판정했습니다. NaN이나 무한대로 바꾸지 마십시오."
    )
    assert verdict(student, running_sum, x[:, :1]), "길이가 1이면 새는 것이 없습니다."
    assert not verdict(student, whole_mean, x), "무엇이든 인과적이라고 판정합니다."
    probed = place(student, running_sum)
    assert mutated(student.causal_attention_is_causal, probed, x) == [], "받은 x를 바꾸었습니다."


### END HIDDEN TESTS
