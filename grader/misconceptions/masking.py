"""Wrong answers that people give to the exercise `masking`."""

import torch

from grader.judging.mistakes import right_answer, wrong

# padding_mask -----------------------------------------------------------------------------------------------


@wrong("padding_mask", read="polarity")
def flipped_polarity(lengths, max_length):
    """극성이 반대입니다. 이 책의 마스크는 True가 '볼 수 있다'입니다. 패딩 자리가 False여야 합니다."""
    _refuse_long(lengths, max_length)
    return torch.arange(max_length, device=lengths.device) >= lengths[:, None]


@wrong("padding_mask", read="padding-mask")
def one_too_many(lengths, max_length):
    """한 칸이 더 보입니다. 위치는 0부터 세므로 길이가 3이면 0, 1, 2까지만 진짜입니다 (<= 대신 <)."""
    _refuse_long(lengths, max_length)
    return torch.arange(max_length, device=lengths.device) <= lengths[:, None]


@wrong("padding_mask", read="padding-mask")
def left_padding(lengths, max_length):
    """패딩을 앞에 두었습니다. 이 책에서 패딩은 문장의 뒤에 붙습니다."""
    _refuse_long(lengths, max_length)
    return torch.arange(max_length, device=lengths.device) >= max_length - lengths[:, None]


@wrong("padding_mask", read="padding-mask")
def zeros_and_ones(lengths, max_length):
    """불리언이 아니라 0과 1의 수를 돌려주었습니다. ~나 &를 쓰면 수에서는 다른 뜻이 됩니다."""
    _refuse_long(lengths, max_length)
    return (torch.arange(max_length, device=lengths.device) < lengths[:, None]).float()


@wrong("padding_mask", read="padding-mask", slip=True)
def width_of_longest(lengths, max_length):
    """열의 수를 배치에서 가장 긴 문장으로 정했습니다. 언제나 max_length입니다."""
    _refuse_long(lengths, max_length)
    return torch.arange(int(lengths.max()), device=lengths.device) < lengths[:, None]


@wrong("padding_mask", read="padding-mask", slip=True)
def long_sentences_accepted(lengths, max_length):
    """max_length보다 긴 문장을 받아들였습니다. 잘린 문장은 조용히 틀린 답을 만듭니다. ValueError를 내십시오."""
    return torch.arange(max_length, device=lengths.device) < lengths[:, None]


@wrong("padding_mask", read="padding-mask")
def full_sentences_refused(lengths, max_length):
    """max_length와 길이가 같은 문장까지 거절했습니다. 더 긴 문장에만 ValueError를 냅니다 (>= 대신 >)."""
    if (lengths >= max_length).any():
        raise ValueError("too long")
    return torch.arange(max_length, device=lengths.device) < lengths[:, None]


@wrong("padding_mask", read="padding-mask")
def positions_first(lengths, max_length):
    """행과 열을 바꾸었습니다. 결과는 (문장, 자리), 곧 (batch, max_length)입니다."""
    _refuse_long(lengths, max_length)
    return torch.arange(max_length, device=lengths.device)[:, None] < lengths


@wrong("padding_mask", read="padding-mask", slip=True)
def on_the_default_device(lengths, max_length):
    """마스크를 lengths의 장치에 만들지 않았습니다. GPU에서는 멈춥니다. torch.arange(…, device=lengths.device)를 쓰십시오."""
    _refuse_long(lengths, max_length)
    return torch.arange(max_length) < lengths[:, None]


@wrong("padding_mask", read="padding-mask")
def one_too_few(lengths, max_length):
    """한 칸이 덜 보입니다. 위치는 0부터 세므로 길이가 3이면 0, 1, 2가 모두 진짜입니다."""
    _refuse_long(lengths, max_length)
    return torch.arange(1, max_length + 1, device=lengths.device) < lengths[:, None]


@wrong("padding_mask", read="padding-mask", slip=True)
def refuses_with_another_error(lengths, max_length):
    """너무 긴 문장을 ValueError가 아닌 오류로 거절했습니다. raise ValueError(…)로 거절하십시오."""
    assert (lengths <= max_length).all()
    return torch.arange(max_length, device=lengths.device) < lengths[:, None]


@wrong("padding_mask", read="padding-mask")
def axes_for_heads_and_queries(lengths, max_length):
    """헤드와 질의의 축까지 끼웠습니다. 이 문제의 마스크는 (batch, max_length)입니다. 축은 쓰는 쪽에서 끼웁니다."""
    _refuse_long(lengths, max_length)
    positions = torch.arange(max_length, device=lengths.device)
    return (positions < lengths[:, None])[:, None, None, :]


def _refuse_long(lengths, max_length):
    if (lengths > max_length).any():
        raise ValueError("too long")


# look_ahead_mask --------------------------------------------------------------------------------------------


@wrong("look_ahead_mask", read="diagonal")
def forgot_the_diagonal(length, device=None):
    """대각선이 빠졌습니다. 위치 i는 자기 자신도 볼 수 있어야 합니다. 첫 행에는 볼 것이 남지 않습니다."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril(-1)


@wrong("look_ahead_mask", read="look-ahead")
def transposed(length, device=None):
    """행과 열을 바꾸었습니다. 행이 질의, 열이 키입니다. 지금은 과거를 가리고 미래를 보여 줍니다."""
    return torch.ones(length, length, dtype=torch.bool, device=device).triu()


@wrong("look_ahead_mask", read="polarity")
def flipped_look_ahead(length, device=None):
    """극성이 반대입니다. 가릴 자리가 아니라 볼 수 있는 자리가 True입니다."""
    return torch.ones(length, length, dtype=torch.bool, device=device).triu(1)


@wrong("look_ahead_mask", read="diagonal")
def one_step_ahead(length, device=None):
    """한 칸 뒤의 미래가 보입니다. 대각선의 바로 오른쪽이 정답 자리입니다."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril(1)


@wrong("look_ahead_mask", read="look-ahead")
def axis_in_front(length, device=None):
    """배치나 헤드의 축을 미리 붙였습니다. 모양은 (length, length)입니다. 축은 쓰는 쪽이 붙입니다."""
    return torch.ones(1, length, length, dtype=torch.bool, device=device).tril()


@wrong("look_ahead_mask", read="polarity")
def additive_mask(length, device=None):
    """0과 -inf로 된 덧셈 마스크를 만들었습니다. 이 문제는 불리언 마스크를 묻습니다."""
    return torch.full((length, length), float("-inf"), device=device).triu(1)


@wrong("look_ahead_mask", read="look-ahead", slip=True)
def ignores_the_device(length, device=None):
    """device를 쓰지 않았습니다. 마스크는 부르는 쪽이 고른 장치에 있어야 합니다."""
    return torch.ones(length, length, dtype=torch.bool).tril()


@wrong("look_ahead_mask", read="look-ahead")
def numbers_instead(length, device=None):
    """불리언이 아니라 0과 1의 수를 돌려주었습니다. ~나 &를 쓰면 수에서는 다른 뜻이 됩니다."""
    return torch.ones(length, length, device=device).tril()


@wrong("look_ahead_mask", read="look-ahead")
def everything_visible(length, device=None):
    """모든 자리가 True입니다. 위치 i보다 뒤에 있는 열은 False여야 합니다."""
    return torch.ones(length, length, dtype=torch.bool, device=device)


@wrong("look_ahead_mask", read="look-ahead")
def upside_down(length, device=None):
    """위아래가 뒤집혔습니다. 0번 행은 첫 질의이고 자기 자신만 봅니다. 아래로 갈수록 많이 봅니다."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril().flip(0)


# combine_masks ----------------------------------------------------------------------------------------------


@wrong("combine_masks", read="combining")
def either_mask(padding, look_ahead):
    """'그리고'가 아니라 '또는'으로 합쳤습니다. 두 마스크가 모두 허락해야 볼 수 있습니다."""
    return padding[:, None, :] | look_ahead


@wrong("combine_masks", read="combining")
def padding_on_queries(padding, look_ahead):
    """패딩으로 행(질의)을 가렸습니다. 가릴 것은 열(키)입니다. padding을 (batch, 1, n)으로 놓으십시오."""
    return padding[:, :, None] & look_ahead


@wrong("combine_masks", read="nothing-to-see")
def padding_on_both(padding, look_ahead):
    """행과 열을 모두 가렸습니다. 패딩 자리의 행에는 볼 것이 하나도 남지 않습니다."""
    return padding[:, None, :] & padding[:, :, None] & look_ahead


@wrong("combine_masks", read="padding-mask")
def ignores_padding(padding, look_ahead):
    """패딩 마스크를 쓰지 않았습니다. 앞에 붙은 PAD나 룩어헤드 마스크가 없는 곳의 PAD가 그대로 보입니다."""
    return look_ahead.expand(len(padding), -1, -1)


@wrong("combine_masks", read="look-ahead")
def ignores_look_ahead(padding, look_ahead):
    """룩어헤드 마스크를 쓰지 않았습니다. 디코더가 정답을 보게 됩니다."""
    return padding[:, None, :].expand(-1, padding.shape[1], -1)


@wrong("combine_masks", read="combining")
def without_a_query_axis(padding, look_ahead):
    """패딩에 질의 축을 끼워 넣지 않았습니다. 오류가 나거나, 문장 수와 길이가 같으면 조용히 엉뚱한 문장의 패딩을 씁니다. padding[:, None, :]로 놓으십시오."""
    return padding & look_ahead


@wrong("combine_masks", read="nothing-to-see")
def itself_where_nothing_is_left(padding, look_ahead):
    """볼 것이 없는 질의에게 자기 자신을 보여 주었습니다. 두 마스크가 모두 허락한 자리만 True입니다. 빈 행은 소프트맥스가 다룹니다."""
    both = padding[:, None, :] & look_ahead
    itself = torch.eye(len(look_ahead), dtype=torch.bool, device=look_ahead.device)
    return both | (itself & ~both.any(dim=-1, keepdim=True))


@wrong("combine_masks", read="combining")
def one_axis_too_many(padding, look_ahead):
    """축이 하나 더 붙었습니다. 결과는 문장마다 하나씩, (batch, n, n)입니다."""
    return padding[:, None, None, :] & look_ahead


@wrong("combine_masks", read="combining")
def product_of_numbers(padding, look_ahead):
    """불리언이 아니라 수를 돌려주었습니다. 곱하는 대신 &로 합치면 불리언이 남습니다."""
    return padding[:, None, :].float() * look_ahead.float()


@wrong("combine_masks", read="combining")
def look_ahead_transposed(padding, look_ahead):
    """룩어헤드 마스크를 뒤집었습니다. 받은 마스크의 행이 이미 질의입니다."""
    return padding[:, None, :] & look_ahead.T


@wrong("combine_masks", read="polarity")
def padding_reversed(padding, look_ahead):
    """패딩 마스크의 True를 패딩으로 읽었습니다. 이 책에서 True는 진짜 토큰, 곧 볼 수 있다는 뜻입니다."""
    return ~padding[:, None, :] & look_ahead


@wrong("combine_masks", read="combining")
def combines_in_place(padding, look_ahead):
    """받은 마스크를 제자리에서 바꾸었습니다. 한 문장의 패딩이 다음 문장에도 남습니다. 새 텐서를 만드십시오."""
    rows = []
    for real in padding:
        look_ahead &= real
        rows.append(look_ahead.clone())
    return torch.stack(rows)


@wrong("combine_masks", read="combining")
def every_position_sees_itself(padding, look_ahead):
    """대각선을 언제나 True로 두었습니다. 패딩 자리는 그 자리의 질의에게도 보이지 않습니다."""
    return padding[:, None, :] & look_ahead | torch.eye(len(look_ahead), dtype=torch.bool)


@wrong("combine_masks", read="combining")
def a_triangle_of_its_own(padding, look_ahead):
    """받은 look_ahead 대신 스스로 만든 아래 삼각형을 썼습니다. 받은 마스크가 삼각형이 아닐 수도 있습니다."""
    return padding[:, None, :] & torch.ones_like(look_ahead).tril()


# masked_softmax ---------------------------------------------------------------------------------------------


@wrong("masked_softmax", read="minus-infinity")
def zero_after_softmax(scores, mask):
    """소프트맥스를 한 다음에 0으로 지웠습니다. 남은 가중치의 합이 1보다 작아집니다. 소프트맥스 전에 -inf로 바꾸십시오."""
    return scores.softmax(-1).masked_fill(~mask, 0.0)


@wrong("masked_softmax", read="minus-infinity")
def zero_before_softmax(scores, mask):
    """가릴 점수를 -inf가 아니라 0으로 바꾸었습니다. exp(0)은 1이므로 가린 자리도 가중치를 받습니다."""
    return scores.masked_fill(~mask, 0.0).softmax(-1)


@wrong("masked_softmax", read="nothing-to-see", slip=True)
def nan_rows(scores, mask):
    """볼 것이 없는 행이 NaN이 되었습니다. 모든 점수가 -inf이면 소프트맥스는 0/0입니다."""
    return scores.masked_fill(~mask, float("-inf")).softmax(-1)


@wrong("masked_softmax", read="nothing-to-see", slip=True)
def large_negative_number(scores, mask):
    """-inf 대신 -1e9 같은 큰 음수를 썼습니다. 볼 것이 없는 행이 균등 분포가 됩니다."""
    return scores.masked_fill(~mask, -1e9).softmax(-1)


@wrong("masked_softmax", read="nothing-to-see", slip=True)
def nan_covered_up(scores, mask):
    """-inf를 더해 생긴 NaN을 나중에 0으로 덮었습니다. 값은 맞지만 역전파에서 NaN이 되살아납니다."""
    hidden = torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))
    return (scores + hidden).softmax(-1).nan_to_num(0.0)


@wrong("masked_softmax", read="masked-softmax")
def softmax_over_queries(scores, mask):
    """소프트맥스를 질의 축에 적용했습니다. 마지막 축(키)에서 합이 1이어야 합니다."""
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-2)
    return weights.nan_to_num(0.0)


@wrong("masked_softmax", read="polarity")
def hides_the_visible(scores, mask):
    """마스크의 극성이 반대입니다. True인 자리를 가렸습니다."""
    nothing = mask.all(-1, keepdim=True)
    return scores.masked_fill(mask & ~nothing, float("-inf")).softmax(-1).masked_fill(nothing, 0.0)


@wrong("masked_softmax", read="masked-softmax", slip=True)
def fills_in_place(scores, mask):
    """받은 점수를 제자리에서 바꾸었습니다. masked_fill_ 대신 masked_fill을 쓰십시오."""
    nothing = ~mask.any(-1, keepdim=True)
    scores.detach().masked_fill_(~(mask | nothing), float("-inf"))
    return scores.softmax(-1).masked_fill(nothing, 0.0)


@wrong("masked_softmax", read="attention#saturation", slip=True)
def exponentials_by_hand(scores, mask):
    """exp를 직접 썼습니다. 점수가 크면 inf/inf가 되어 NaN이 납니다. softmax는 가장 큰 점수를 먼저 뺍니다."""
    powers = scores.exp() * mask
    total = powers.sum(-1, keepdim=True)
    return powers / total.masked_fill(total == 0, 1.0)


@wrong("masked_softmax", read="minus-infinity", slip=True)
def divided_again(scores, mask):
    """가린 점수까지 넣어 지수를 구한 다음에 가리고 나누었습니다. 보이는 점수가 가린 점수보다 훨씬 작으면 0/0이 됩니다. 소프트맥스 전에 가리십시오."""
    weights = scores.softmax(-1) * mask
    return weights / (weights.sum(-1, keepdim=True) + 1e-12)


@wrong("masked_softmax", read="masked-softmax", slip=True)
def weights_detached(scores, mask):
    """기울기를 끊었습니다(detach). 가중치를 지나 점수까지 기울기가 흘러야 배웁니다."""
    nothing = ~mask.any(-1, keepdim=True)
    weights = scores.masked_fill(~(mask | nothing), float("-inf")).softmax(-1).masked_fill(nothing, 0.0)
    return weights.detach()


@wrong("masked_softmax", read="masked-softmax")
def something_in_the_denominator(scores, mask):
    """0으로 나누지 않으려고 분모에 작은 수를 더했습니다. 가중치의 합이 1보다 작아집니다."""
    exponentials = (scores - scores.amax(-1, keepdim=True)).exp() * mask
    return exponentials / (exponentials.sum(-1, keepdim=True) + 1e-3)


@right_answer("masked_softmax")
def _attend(scores, mask, hidden=float("-inf"), dim=-1):
    """The right answer, but for what stands at hidden places and the axis."""
    nothing = ~mask.any(-1, keepdim=True)
    return scores.masked_fill(~(mask | nothing), hidden).softmax(dim).masked_fill(nothing, 0.0)


@wrong("masked_softmax", read="minus-infinity")
def multiplies_by_infinity(scores, mask):
    """마스크에 -inf를 곱했습니다. 0 × -inf는 NaN이므로 보이는 자리까지 NaN이 됩니다. masked_fill로 바꾸십시오."""
    return (scores + (~mask).to(scores.dtype) * float("-inf")).softmax(-1)


@wrong("masked_softmax", read="nothing-to-see")
def empty_rows_left_unmasked(scores, mask):
    """볼 것이 없는 행에 가중치가 남았습니다. 그 행은 모두 0이어야 합니다."""
    return scores.masked_fill(~mask & mask.any(-1, keepdim=True), float("-inf")).softmax(-1)


@wrong("masked_softmax", read="minus-infinity", slip=True)
def hides_with_a_finite_number(scores, mask):
    """-1e9 같은 정해진 수로 가렸습니다. 보이는 점수가 그보다 작으면 가리지 못합니다. -inf를 쓰십시오."""
    return _attend(scores, mask, hidden=-1e9)


@wrong("masked_softmax", read="minus-infinity", slip=True)
def hides_with_a_number_and_clears(scores, mask):
    """-1e9나 -10000 같은 정해진 수로 가리고 가중치를 지웠습니다. 보이는 점수가 그보다 작으면 남는 것이 없습니다. -inf를 쓰십시오."""
    return (scores + (~mask).to(scores.dtype) * -1e4).softmax(-1) * mask


@wrong("masked_softmax", read="masked-softmax")
def softmax_over_all_visible(scores, mask):
    """보이는 점수를 한데 모아 소프트맥스를 한 번 취했습니다. 합이 1이어야 하는 것은 행 하나하나입니다. 마지막 축(dim=-1)에 취하십시오."""
    mask = mask.expand(scores.shape)
    weights = torch.zeros_like(scores)
    weights[mask] = scores[mask].softmax(-1)
    return weights


@wrong("masked_softmax", read="masked-softmax", slip=True)
def axis_from_the_front(scores, mask):
    """배치 축이 있으면 결과가 틀립니다. 키의 축은 앞에서 세지 말고 마지막 축(-1)으로 고르십시오."""
    return _attend(scores, mask, dim=1)


@wrong("masked_softmax", read="masked-softmax", slip=True)
def mask_of_the_same_shape(scores, mask):
    """점수와 모양이 같은 마스크만 받습니다. 마스크는 점수의 모양으로 브로드캐스트되어야 합니다."""
    weights = torch.zeros_like(scores)
    weights[mask] = _attend(scores, mask)[mask]
    return weights


@wrong("masked_softmax", read="masked-softmax", slip=True)
def always_single_precision(scores, mask):
    """결과의 자료형이 점수와 다릅니다. float32로 바꾸었다면 점수의 자료형으로 되돌리십시오."""
    return _attend(scores.float(), mask)


# causal_attention_is_causal ---------------------------------------------------------------------------------


@wrong("causal_attention_is_causal", read="probe")
def changes_only_the_last(fn, x):
    """마지막 입력만 바꾸어 보았습니다. 중간에서 새는 함수를 놓칩니다. 자르는 위치를 모두 시험하십시오."""
    changed = x.clone()
    changed[..., -1, :] += 1.0
    return torch.allclose(fn(changed)[..., :-1, :], fn(x)[..., :-1, :], atol=1e-6)


@wrong("causal_attention_is_causal", read="probe")
def changes_the_past(fn, x):
    """과거를 바꾸고 미래를 보았습니다. 그것은 새는 것이 아닙니다. 미래를 바꾸고 과거를 보아야 합니다."""
    for t in range(1, x.shape[-2]):
        changed = x.clone()
        changed[..., :t, :] += 1.0
        if not torch.allclose(fn(changed)[..., t:, :], fn(x)[..., t:, :]):
            return False
    return True


@wrong("causal_attention_is_causal", read="diagonal")
def forbids_the_present(fn, x):
    """자기 자신을 보는 것까지 누출로 셌습니다. 위치 t의 출력은 위치 t의 입력을 보아도 됩니다."""
    for t in range(x.shape[-2]):
        changed = x.clone()
        changed[..., t:, :] += 1.0
        if not torch.allclose(fn(changed)[..., : t + 1, :], fn(x)[..., : t + 1, :]):
            return False
    return True


@wrong("causal_attention_is_causal", read="probe")
def wrong_axis(fn, x):
    """시간 축을 잘못 골랐습니다. 시간은 뒤에서 둘째 축(-2)이고, 마지막 축은 특징입니다."""
    for t in range(1, x.shape[-1]):
        changed = x.clone()
        changed[..., t:] += 1.0
        if not torch.allclose(fn(changed)[..., :t], fn(x)[..., :t]):
            return False
    return True


@wrong("causal_attention_is_causal", read="probe")
def spoils_the_input(fn, x):
    """받은 x를 바꾸었습니다. 부른 쪽의 데이터가 망가집니다. clone()으로 베껴서 바꾸십시오."""
    expected = fn(x).clone()
    for t in range(x.shape[-2] - 1, 0, -1):
        x[..., t:, :] += 1.0
        if not torch.allclose(fn(x)[..., :t, :], expected[..., :t, :], atol=1e-5):
            return False
    return True


@wrong("causal_attention_is_causal", read="probe")
def never_changes_the_input(fn, x):
    """언제나 True를 돌려줍니다. 입력을 실제로 바꾸어 보아야 새는 곳이 드러납니다."""
    return all(torch.equal(fn(x.clone())[..., :t, :], fn(x)[..., :t, :]) for t in range(1, x.shape[-2]))


def _moved(future):
    return future + torch.linspace(1.0, 2.0, future.shape[-1])


def _is_causal(fn, x, cuts, compared=lambda t: slice(0, t), only=slice(None), change=_moved, atol=1e-6):
    """The right probe, but for where it cuts, what it changes and compares, and in which sentences."""
    expected = fn(x)
    for t in cuts:
        changed = torch.cat([x[..., :t, :], change(x[..., t:, :])], dim=-2)
        found = fn(changed)[..., compared(t), :]
        if not torch.allclose(found[only], expected[..., compared(t), :][only], rtol=0, atol=atol):
            return False
    return True


@wrong("causal_attention_is_causal", read="probe")
def first_cut_left_out(fn, x):
    """자르는 위치를 2부터 시험했습니다. 첫 출력이 둘째 입력을 보는 누출을 놓칩니다. 1부터 시험하십시오."""
    return _is_causal(fn, x, range(2, x.shape[-2]))


@wrong("causal_attention_is_causal", read="probe")
def last_cut_left_out(fn, x):
    """마지막 자리에서 자르지 않았습니다. 마지막 입력만 새는 함수를 놓칩니다. n - 1까지 시험하십시오."""
    return _is_causal(fn, x, range(1, x.shape[-2] - 1))


@wrong("causal_attention_is_causal", read="probe")
def cuts_in_the_middle(fn, x):
    """한 자리에서만 잘라 보았습니다. 다른 자리에서 새는 함수를 놓칩니다. 자르는 위치를 모두 시험하십시오."""
    n = x.shape[-2]
    return _is_causal(fn, x, [n // 2] if n > 1 else [])


@wrong("causal_attention_is_causal", read="probe")
def only_the_first_output(fn, x):
    """첫 입력 뒤를 한꺼번에 바꾸고 첫 출력만 보았습니다. 그 뒤에서 새는 함수를 놓칩니다. 자르는 위치를 모두 시험하십시오."""
    return _is_causal(fn, x, range(1, x.shape[-2]), compared=lambda t: slice(0, 1))


@wrong("causal_attention_is_causal", read="probe")
def one_output_too_few(fn, x):
    """자른 자리 바로 앞의 출력을 비교하지 않았습니다. 바로 다음 입력을 훔쳐보는 함수를 놓칩니다. [:t]까지 비교하십시오."""
    return _is_causal(fn, x, range(1, x.shape[-2]), compared=lambda t: slice(0, t - 1))


@wrong("causal_attention_is_causal", read="probe")
def only_the_first_sentence(fn, x):
    """배치의 첫 문장만 보았습니다. 다른 문장에서 새는 함수를 놓칩니다. 모든 문장의 출력을 비교하십시오."""
    return _is_causal(fn, x, range(1, x.shape[-2]), only=0)


@wrong("causal_attention_is_causal", read="probe")
def answers_the_opposite(fn, x):
    """답이 반대입니다. 미래를 보는 함수에 False, 보지 않는 함수에 True를 돌려주십시오."""
    return not _is_causal(fn, x, range(1, x.shape[-2]))


@wrong("causal_attention_is_causal", read="probe")
def returns_a_tensor(fn, x):
    """텐서를 돌려주었습니다. True나 False, 곧 파이썬의 bool을 돌려주십시오 (bool(…)이나 .item())."""
    return torch.tensor(_is_causal(fn, x, range(1, x.shape[-2])))


@wrong("causal_attention_is_causal", read="probe")
def a_shorter_input(fn, x):
    """뒷부분을 잘라 짧은 입력을 넣었습니다. 길이가 다르면 fn은 다른 계산을 할 수 있습니다. 길이는 두고 값을 바꾸십시오."""
    expected = fn(x)
    return all(
        torch.allclose(fn(x[..., :t, :]), expected[..., :t, :], atol=1e-6) for t in range(1, x.shape[-2])
    )


@wrong("causal_attention_is_causal", read="probe")
def zeros_instead_of_the_future(fn, x):
    """0을 채우거나 곱해서 바꾸었습니다. 원래 0인 입력은 바뀌지 않아 누출을 놓칩니다. 원래와 다른 값으로 바꾸십시오."""
    return _is_causal(fn, x, range(1, x.shape[-2]), change=torch.zeros_like)


@wrong("causal_attention_is_causal", read="probe", slip=True)
def not_a_number_in_the_future(fn, x):
    """뒷부분을 NaN이나 무한대로 바꾸었습니다. 0을 곱해도 NaN이므로 가린 미래까지 누출로 보입니다. 유한한 수로 바꾸십시오."""
    return _is_causal(fn, x, range(1, x.shape[-2]), change=lambda future: future * float("nan"))


@wrong("causal_attention_is_causal", read="probe", slip=True)
def too_little_allowed(fn, x):
    """너무 작은 차이까지 누출로 보았습니다. 1e-6을 넘지 않는 차이는 부동소수점 오차입니다."""
    return _is_causal(fn, x, range(1, x.shape[-2]), atol=0)


@wrong("causal_attention_is_causal", read="probe", slip=True)
def too_much_allowed(fn, x):
    """허용하는 차이가 너무 큽니다. 1e-6을 넘는 차이는 누출입니다."""
    return _is_causal(fn, x, range(1, x.shape[-2]), atol=1e-3)


@wrong("causal_attention_is_causal", read="probe")
def time_axis_from_the_front(fn, x):
    """배치 축이 하나일 때만 맞습니다. 배치 축은 없거나 여럿일 수도 있습니다. 시간 축은 뒤에서 세어 -2입니다."""
    expected = fn(x)
    for t in range(1, x.shape[1]):
        changed = x.clone()
        changed[:, t:, :] += 1.0 + torch.rand(
            changed[:, t:, :].shape, generator=torch.Generator().manual_seed(0)
        )
        if not torch.allclose(fn(changed)[:, :t, :], expected[:, :t, :], atol=1e-6):
            return False
    return True
