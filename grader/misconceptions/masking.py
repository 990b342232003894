"""Wrong answers that people give to the exercise `masking`."""

import torch

from grader.judging.mistakes import misconception

# padding_mask -----------------------------------------------------------------------------------------------


@misconception(
    "padding_mask",
    hint="극성이 반대입니다. 이 책의 마스크는 True가 '볼 수 있다'입니다. 패딩 자리가 False여야 합니다.",
    read="masking#polarity",
)
def flipped_polarity(lengths, max_length):
    _refuse_long(lengths, max_length)
    return torch.arange(max_length) >= lengths[:, None]


@misconception(
    "padding_mask",
    hint="한 칸이 더 보입니다. 위치는 0부터 세므로 길이가 3이면 0, 1, 2까지만 진짜입니다 (<= 대신 <).",
    read="masking#padding-mask",
)
def one_too_many(lengths, max_length):
    _refuse_long(lengths, max_length)
    return torch.arange(max_length) <= lengths[:, None]


@misconception(
    "padding_mask",
    hint="패딩을 앞에 두었습니다. 이 책에서 패딩은 문장의 뒤에 붙습니다.",
    read="masking#padding-mask",
)
def left_padding(lengths, max_length):
    _refuse_long(lengths, max_length)
    return torch.arange(max_length) >= max_length - lengths[:, None]


@misconception(
    "padding_mask",
    hint="불리언이 아니라 0과 1의 수를 돌려주었습니다. ~나 &를 쓰면 수에서는 다른 뜻이 됩니다.",
    read="masking#padding-mask",
)
def zeros_and_ones(lengths, max_length):
    _refuse_long(lengths, max_length)
    return (torch.arange(max_length) < lengths[:, None]).float()


@misconception(
    "padding_mask",
    hint="너비를 배치에서 가장 긴 문장으로 잡았습니다. 너비는 언제나 max_length입니다.",
    read="masking#padding-mask",
)
def width_of_longest(lengths, max_length):
    _refuse_long(lengths, max_length)
    return torch.arange(int(lengths.max())) < lengths[:, None]


def _refuse_long(lengths, max_length):
    if (lengths > max_length).any():
        raise ValueError("too long")


# look_ahead_mask --------------------------------------------------------------------------------------------


@misconception(
    "look_ahead_mask",
    hint="대각선이 빠졌습니다. 위치 i는 자기 자신도 볼 수 있어야 합니다. 첫 행에는 볼 것이 남지 않습니다.",
    read="masking#diagonal",
)
def forgot_the_diagonal(length, device=None):
    return torch.ones(length, length, dtype=torch.bool).tril(-1)


@misconception(
    "look_ahead_mask",
    hint="행과 열을 바꾸었습니다. 행이 질의, 열이 키입니다. 지금은 과거를 가리고 미래를 보여 줍니다.",
    read="masking#look-ahead",
)
def transposed(length, device=None):
    return torch.ones(length, length, dtype=torch.bool).triu()


@misconception(
    "look_ahead_mask",
    hint="극성이 반대입니다. 가릴 자리가 아니라 볼 수 있는 자리가 True입니다.",
    read="masking#polarity",
)
def flipped_look_ahead(length, device=None):
    return torch.ones(length, length, dtype=torch.bool).triu(1)


@misconception(
    "look_ahead_mask",
    hint="한 칸 뒤의 미래가 보입니다. 대각선의 바로 오른쪽이 정답 자리입니다.",
    read="masking#diagonal",
)
def one_step_ahead(length, device=None):
    return torch.ones(length, length, dtype=torch.bool).tril(1)


@misconception(
    "look_ahead_mask",
    hint="0과 -inf로 된 덧셈 마스크를 만들었습니다. 이 문제는 불리언 마스크를 묻습니다.",
    read="masking#polarity",
)
def additive_mask(length, device=None):
    return torch.full((length, length), float("-inf")).triu(1)


# combine_masks ----------------------------------------------------------------------------------------------


@misconception(
    "combine_masks",
    hint="'그리고'가 아니라 '또는'으로 합쳤습니다. 두 마스크가 모두 허락해야 볼 수 있습니다.",
    read="masking#combining",
)
def either_mask(padding, look_ahead):
    return padding[:, None, :] | look_ahead


@misconception(
    "combine_masks",
    hint="패딩으로 행(질의)을 가렸습니다. 가릴 것은 열(키)입니다. padding을 (batch, 1, n)으로 놓으십시오.",
    read="masking#combining",
)
def padding_on_queries(padding, look_ahead):
    return padding[:, :, None] & look_ahead


@misconception(
    "combine_masks",
    hint="행과 열을 모두 가렸습니다. 패딩 자리의 행에는 볼 것이 하나도 남지 않습니다.",
    read="masking#nothing-to-see",
)
def padding_on_both(padding, look_ahead):
    return padding[:, None, :] & padding[:, :, None] & look_ahead


@misconception(
    "combine_masks",
    hint="패딩 마스크를 쓰지 않았습니다. 앞에 붙은 PAD나 룩어헤드 마스크가 없는 곳의 PAD가 그대로 보입니다.",
    read="masking#padding-mask",
)
def ignores_padding(padding, look_ahead):
    return look_ahead.expand(len(padding), -1, -1)


@misconception(
    "combine_masks",
    hint="룩어헤드 마스크를 쓰지 않았습니다. 디코더가 정답을 보게 됩니다.",
    read="masking#look-ahead",
)
def ignores_look_ahead(padding, look_ahead):
    return padding[:, None, :].expand(-1, padding.shape[1], -1)


# masked_softmax ---------------------------------------------------------------------------------------------


@misconception(
    "masked_softmax",
    hint="소프트맥스를 한 다음에 0으로 지웠습니다. 남은 가중치의 합이 1보다 작아집니다. 소프트맥스 전에 -inf로 바꾸십시오.",
    read="masking#minus-infinity",
)
def zero_after_softmax(scores, mask):
    return scores.softmax(-1).masked_fill(~mask, 0.0)


@misconception(
    "masked_softmax",
    hint="가릴 점수를 -inf가 아니라 0으로 바꾸었습니다. exp(0)은 1이므로 가린 자리도 가중치를 받습니다.",
    read="masking#minus-infinity",
)
def zero_before_softmax(scores, mask):
    return scores.masked_fill(~mask, 0.0).softmax(-1)


@misconception(
    "masked_softmax",
    hint="볼 것이 없는 행이 NaN이 되었습니다. 모든 점수가 -inf이면 소프트맥스는 0/0입니다.",
    read="masking#nothing-to-see",
)
def nan_rows(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(-1)


@misconception(
    "masked_softmax",
    hint="-inf 대신 -1e9 같은 큰 음수를 썼습니다. 볼 것이 없는 행이 균등 분포가 됩니다.",
    read="masking#nothing-to-see",
)
def large_negative_number(scores, mask):
    return scores.masked_fill(~mask, -1e9).softmax(-1)


@misconception(
    "masked_softmax",
    hint="-inf를 더해 생긴 NaN을 나중에 0으로 덮었습니다. 값은 맞지만 역전파에서 NaN이 되살아납니다.",
    read="masking#nothing-to-see",
)
def nan_covered_up(scores, mask):
    hidden = torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))
    return (scores + hidden).softmax(-1).nan_to_num(0.0)


@misconception(
    "masked_softmax",
    hint="소프트맥스를 질의 축에 적용했습니다. 마지막 축(키)에서 합이 1이어야 합니다.",
    read="masking#masked-softmax",
)
def softmax_over_queries(scores, mask):
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-2)
    return weights.nan_to_num(0.0)


@misconception(
    "masked_softmax",
    hint="마스크의 극성이 반대입니다. True인 자리를 가렸습니다.",
    read="masking#polarity",
)
def hides_the_visible(scores, mask):
    nothing = mask.all(-1, keepdim=True)
    return scores.masked_fill(mask & ~nothing, float("-inf")).softmax(-1).masked_fill(nothing, 0.0)


@misconception(
    "masked_softmax",
    hint="받은 점수를 제자리에서 바꾸었습니다. masked_fill_ 대신 masked_fill을 쓰십시오.",
    read="masking#masked-softmax",
)
def fills_in_place(scores, mask):
    nothing = ~mask.any(-1, keepdim=True)
    scores.detach().masked_fill_(~(mask | nothing), float("-inf"))
    return scores.softmax(-1).masked_fill(nothing, 0.0)


# causal_attention_is_causal ---------------------------------------------------------------------------------


@misconception(
    "causal_attention_is_causal",
    hint="마지막 입력만 바꾸어 보았습니다. 중간에서 새는 함수를 놓칩니다. 자르는 위치를 모두 시험하십시오.",
    read="masking#probe",
)
def changes_only_the_last(fn, x):
    changed = x.clone()
    changed[..., -1, :] += 1.0
    # Outputs far from the end are compared only with their own neighbour's change.
    return bool(torch.allclose(fn(changed)[..., :1, :], fn(x)[..., :1, :]))


@misconception(
    "causal_attention_is_causal",
    hint="과거를 바꾸고 미래를 보았습니다. 그것은 새는 것이 아닙니다. 미래를 바꾸고 과거를 보아야 합니다.",
    read="masking#probe",
)
def changes_the_past(fn, x):
    for t in range(1, x.shape[-2]):
        changed = x.clone()
        changed[..., :t, :] += 1.0
        if not torch.allclose(fn(changed)[..., t:, :], fn(x)[..., t:, :]):
            return False
    return True


@misconception(
    "causal_attention_is_causal",
    hint="자기 자신을 보는 것까지 누출로 셌습니다. 위치 t의 출력은 위치 t의 입력을 보아도 됩니다.",
    read="masking#diagonal",
)
def forbids_the_present(fn, x):
    for t in range(x.shape[-2]):
        changed = x.clone()
        changed[..., t:, :] += 1.0
        if not torch.allclose(fn(changed)[..., : t + 1, :], fn(x)[..., : t + 1, :]):
            return False
    return True


@misconception(
    "causal_attention_is_causal",
    hint="시간 축을 잘못 골랐습니다. 시간은 뒤에서 둘째 축(-2)이고, 마지막 축은 특징입니다.",
    read="masking#probe",
)
def wrong_axis(fn, x):
    for t in range(1, x.shape[-1]):
        changed = x.clone()
        changed[..., t:] += 1.0
        if not torch.allclose(fn(changed)[..., :t], fn(x)[..., :t]):
            return False
    return True


@misconception(
    "causal_attention_is_causal",
    hint="받은 x를 바꾸었습니다. 부른 쪽의 데이터가 망가집니다. clone()으로 베껴서 바꾸십시오.",
    read="masking#probe",
)
def spoils_the_input(fn, x):
    expected = fn(x).clone()
    for t in range(x.shape[-2] - 1, 0, -1):
        x[..., t:, :] += 1.0
        if not torch.allclose(fn(x)[..., :t, :], expected[..., :t, :], atol=1e-5):
            return False
    return True


@misconception(
    "causal_attention_is_causal",
    hint="언제나 True를 돌려줍니다. 입력을 실제로 바꾸어 보아야 새는 곳이 드러납니다.",
    read="masking#probe",
)
def never_changes_the_input(fn, x):
    return all(torch.equal(fn(x.clone())[..., :t, :], fn(x)[..., :t, :]) for t in range(1, x.shape[-2]))
