"""What the exercise `masking` is graded by."""

import pytest
import torch
import torch.nn.functional as F

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
    reached,
)

FORBIDDEN = {"masked_softmax": (*ATTENTION, "aten::_masked_softmax", "torch.masked.softmax")}

T, N = True, False  # visible, hidden


# padding_mask -----------------------------------------------------------------------------------------------


@points(
    1,
    question="padding_mask",
    hint="진짜 토큰 자리는 True, 패딩 자리는 False여야 합니다. 길이가 3이면 앞의 세 자리가 True입니다.",
    read="masking#padding-mask",
)
def test_real_tokens_are_true(student, device):
    mask = student.padding_mask(torch.tensor([3, 1, 4], device=device), 4)
    assert_close(mask, torch.tensor([[T, T, T, N], [T, N, N, N], [T, T, T, T]]))


@points(
    0.5,
    question="padding_mask",
    hint="max_length보다 긴 문장이 있으면 ValueError를 내야 합니다. 잘린 문장은 조용히 틀린 답을 만듭니다.",
    read="masking#padding-mask",
)
def test_too_long_a_sentence_is_refused(student):
    student.padding_mask(torch.tensor([2, 4]), 4)
    with pytest.raises(ValueError):
        student.padding_mask(torch.tensor([2, 5]), 4)


@observes("padding_mask")
def observe_padding_mask(student):
    return [
        outcome(student.padding_mask, torch.tensor([3, 1, 4, 0]), 5),
        outcome(student.padding_mask, torch.tensor([2, 6]), 5),
        outcome(lambda: student.padding_mask(torch.tensor([5]), 5).dtype == torch.bool),
        follows_device(student, student.padding_mask, torch.tensor([3, 1]), 4),
    ]




# look_ahead_mask --------------------------------------------------------------------------------------------


@points(
    1,
    question="look_ahead_mask",
    hint="i번째 행에서 볼 수 있는 것은 0번째부터 i번째까지입니다. 행이 질의, 열이 키입니다.",
    read="masking#look-ahead",
)
def test_sees_only_the_past(student):
    assert_close(
        student.look_ahead_mask(4), torch.tensor([[T, N, N, N], [T, T, N, N], [T, T, T, N], [T, T, T, T]])
    )


@observes("look_ahead_mask")
def observe_look_ahead_mask(student):
    mask = student.look_ahead_mask(4)
    right = torch.ones(4, 4, dtype=torch.bool).tril()
    if not (isinstance(mask, torch.Tensor) and mask.dtype == right.dtype and mask.equal(right)):
        return [mask]  # where it lies is a second question
    return [mask, outcome(lambda: device_of(student, student.look_ahead_mask, 2, device="meta"))]




# combine_masks ----------------------------------------------------------------------------------------------

PADDING = torch.tensor([[T, T, T], [T, T, N]])
LOOK_AHEAD = torch.tensor([[T, N, N], [T, T, N], [T, T, T]])


@points(
    1,
    question="combine_masks",
    hint="두 마스크가 모두 허락한 자리만 True입니다. 패딩은 키, 곧 열을 가립니다.",
    read="masking#combining",
)
def test_both_masks_must_allow(student):
    expected = torch.tensor([[[T, N, N], [T, T, N], [T, T, T]], [[T, N, N], [T, T, N], [T, T, N]]])
    assert_close(student.combine_masks(PADDING, LOOK_AHEAD), expected)


@observes("combine_masks")
def observe_combine_masks(student):
    square = torch.tensor([[T, N, T], [T, T, N], [N, T, T]])
    return [
        outcome(student.combine_masks, torch.tensor([[T, N, T], [T, T, N]]), LOOK_AHEAD),
        outcome(student.combine_masks, square, LOOK_AHEAD),
    ]




# masked_softmax ---------------------------------------------------------------------------------------------


def example_scores():
    return torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0], [4.0, 1.0, 0.0]])


@points(
    1,
    question="masked_softmax",
    hint="가려진 자리의 가중치는 0이고, 보이는 자리의 가중치는 그 자리들만의 소프트맥스여야 합니다.",
    read="masking#minus-infinity",
)
def test_hidden_keys_get_nothing(student):
    mask = torch.tensor([[T, N, N], [T, T, N], [T, T, T]])
    weights = student.masked_softmax(example_scores(), mask)
    for i in range(3):
        visible = example_scores()[i, : i + 1].softmax(-1)
        assert_close(weights[i], torch.cat([visible, torch.zeros(2 - i)]))


@points(
    0.5,
    question="masked_softmax",
    hint="볼 것이 하나도 없는 행은 NaN도 균등 분포도 아닌, 모두 0이어야 합니다.",
    read="masking#nothing-to-see",
)
def test_nothing_to_see_gives_zeros(student):
    mask = torch.tensor([[T, T, N], [N, N, N], [T, N, T]])
    weights = student.masked_softmax(example_scores(), mask)
    assert_close(weights[1], torch.zeros(3))
    assert (weights[mask] > 0).all(), "보이는 자리의 가중치까지 0입니다."


@observes("masked_softmax")
def observe_masked_softmax(student):
    mask = torch.tensor([[T, N, N], [N, N, N], [T, T, N]])
    attend = student.masked_softmax

    def finite():
        found = gradients(attend, example_scores(), mask, cotangent=torch.eye(3))
        return found["inputs"][0].isfinite().all().item()

    return [
        outcome(attend, example_scores(), mask),
        outcome(finite),
        mutated(attend, example_scores(), mask),
        outcome(attend, 300 * example_scores(), mask),
        outcome(attend, torch.stack([example_scores(), example_scores().T]), mask[:1]),
        reached(attend, example_scores(), mask, cotangent=torch.eye(3)),
    ]




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


@points(
    0.5,
    question="causal_attention_is_causal",
    hint="앞의 것만 더하는 함수(누적합)는 True, 전체 평균을 더하는 함수는 False여야 합니다.",
    read="masking#probe",
)
def test_tells_a_sum_from_a_mean(student):
    x = torch.tensor([[1.0, 0.0], [0.5, 2.0], [-1.0, 1.0], [0.3, -0.7]])
    assert verdict(student, running_sum, x), "누적합을 새는 함수로 판정했습니다."
    assert not verdict(student, whole_mean, x), "전체 평균을 인과적이라고 판정했습니다."


@observes("causal_attention_is_causal")
def observe_causal_attention_is_causal(student):
    probe = student.causal_attention_is_causal
    x = torch.tensor([[[1.0, 0.5], [2.0, -1.0], [0.2, 3.0], [1.5, 1.0], [-0.3, 0.8]]])
    x = torch.cat([x, 1 - x.flip(-2)])
    honest = [running_sum, last_sees_first, mix_features]
    leaky = [whole_mean, peek_at_next, first_sees_last, first_sees_second, last_but_one_sees_last]
    placed = [
        place(student, fn) for fn in [*honest, *leaky, second_sees_third, last_sentence_sees_the_future]
    ]
    return [
        [outcome(lambda fn=fn: bool(probe(fn, x))) for fn in placed],
        outcome(lambda: type(probe(placed[0], x)).__name__),
        mutated(probe, placed[0], x),
        outcome(lambda: bool(probe(placed[3], x[0]))),
    ]
