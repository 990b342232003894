"""Wrong answers that people give to the exercise `attention`."""

import math

import torch

from grader.judging.mistakes import right_answer, wrong

# dot_product_attention --------------------------------------------------------------------------------------


@wrong("dot_product_attention", read="attention-softmax-axis")
def softmax_over_queries(query, keys, values):
    """소프트맥스를 질의 축에 적용했습니다. 질의마다 키의 가중치를 합해 1이어야 합니다 (dim=-1)."""
    weights = (query @ keys.transpose(-2, -1)).softmax(-2 if query.dim() > 1 else 0)
    return weights @ values, weights


@wrong("dot_product_attention", read="scores-are-not-weights")
def scores_as_weights(query, keys, values):
    """점수를 그대로 가중치로 썼습니다. 점수는 음수일 수도 있고 합이 1도 아닙니다. 소프트맥스를 거쳐야 합니다."""
    scores = query @ keys.transpose(-2, -1)
    return scores @ values, scores


@wrong("dot_product_attention", read="scores-are-not-weights")
def divided_by_their_sum(query, keys, values):
    """점수를 점수의 합으로 나누었습니다. 음수 점수가 있으면 가중치가 음수가 되고, 합이 0에 가까우면 터집니다."""
    scores = query @ keys.transpose(-2, -1)
    weights = scores / scores.sum(-1, keepdim=True)
    return weights @ values, weights


@wrong("dot_product_attention", read="hard-lookup")
def hard_look_up(query, keys, values):
    """가장 큰 점수 하나만 골랐습니다. 고르는 일에는 기울기가 흐르지 않습니다. 소프트맥스로 나누어 보십시오."""
    scores = query @ keys.transpose(-2, -1)
    weights = torch.nn.functional.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)
    return weights @ values, weights


@wrong("dot_product_attention", read="keys-and-values")
def sums_the_keys(query, keys, values):
    """값이 아니라 키를 더했습니다. 키는 비교하는 데 쓰고, 더하는 것은 값입니다."""
    weights = (query @ keys.transpose(-2, -1)).softmax(-1)
    return weights @ keys, weights


@wrong("dot_product_attention", read="one-query")
def already_scaled(query, keys, values):
    """점수를 √d_k 같은 수로 나누거나 곱했습니다. 나누는 것은 문제 2입니다. 여기서는 내적을 그대로 소프트맥스에 넣습니다."""
    weights = (query @ keys.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
    return weights @ values, weights


@wrong("dot_product_attention", read="cosine")
def cosine_similarity(query, keys, values):
    """질의와 키의 길이를 1로 맞추었습니다. 그것은 코사인 유사도입니다. 내적에는 벡터의 크기도 들어갑니다."""
    query, keys = (torch.nn.functional.normalize(x, dim=-1) for x in (query, keys))
    weights = (query @ keys.transpose(-2, -1)).softmax(-1)
    return weights @ values, weights


@wrong("dot_product_attention", read="scores-are-not-weights")
def plain_mean(query, keys, values):
    """값을 똑같이 평균했습니다. 질의가 달라도 출력이 같습니다. 가중치는 질의와 키의 내적에서 나와야 합니다."""
    scores = query @ keys.transpose(-2, -1)
    weights = torch.ones_like(scores) / scores.shape[-1]
    return weights @ values, weights


@wrong("dot_product_attention", read="one-query")
def only_the_output(query, keys, values):
    """출력만 돌려주었습니다. 출력과 가중치를 (output, weights)로 함께 돌려주십시오."""
    return (query @ keys.transpose(-2, -1)).softmax(-1) @ values


@wrong("dot_product_attention", read="one-query")
def weights_first(query, keys, values):
    """돌려주는 순서가 바뀌었습니다. 출력이 먼저, 가중치가 다음입니다."""
    weights = (query @ keys.transpose(-2, -1)).softmax(-1)
    return weights, weights @ values


@wrong("dot_product_attention", read="saturation", slip=True)
def bare_exponentials(query, keys, values):
    """exp를 직접 썼습니다. 점수가 크면 inf/inf가 되어 NaN이 납니다. softmax는 가장 큰 점수를 먼저 뺍니다."""
    powers = (query @ keys.transpose(-2, -1)).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ values, weights


@wrong("dot_product_attention", read="hard-lookup", slip=True)
def gradient_cut(query, keys, values):
    """기울기를 끊었습니다(detach, no_grad, numpy). 값은 맞지만 이 어텐션을 지나서는 아무것도 배우지 못합니다."""
    weights = (query @ keys.transpose(-2, -1)).softmax(-1).detach()
    return weights @ values, weights


@wrong("dot_product_attention", read="query-matrix")
def one_query_only(query, keys, values):
    """질의가 언제나 하나라고 보았습니다. 질의가 여럿이면 query @ keys.transpose(-2, -1)로 점수의 행렬을 냅니다."""
    weights = (keys @ query).softmax(-1)
    return weights @ values, weights


@wrong("dot_product_attention", read="one-query")
def negative_distances(query, keys, values):
    """내적 대신 거리를 점수로 썼습니다. 점수는 질의와 키의 내적입니다."""
    distances = (query.unsqueeze(-2) - keys.unsqueeze(-3 if query.dim() > 1 else -2)).norm(dim=-1)
    weights = (-distances).softmax(-1).squeeze(-2) if query.dim() == 1 else (-distances).softmax(-1)
    return weights @ values, weights


@wrong("dot_product_attention", read="attention-softmax-axis")
def one_softmax_for_all(query, keys, values):
    """모든 질의의 점수를 한꺼번에 소프트맥스했습니다. 질의마다, 곧 행마다 합이 1이어야 합니다."""
    scores = query @ keys.transpose(-2, -1)
    weights = scores.flatten().softmax(0).view_as(scores)
    return weights @ values, weights


@wrong("dot_product_attention", read="scores-are-not-weights")
def sum_by_scores(query, keys, values):
    """가중치는 맞지만 값을 더할 때 소프트맥스 전의 점수를 썼습니다. 출력은 가중치로 더한 것입니다."""
    scores = query @ keys.transpose(-2, -1)
    return scores @ values, scores.softmax(-1)


@right_answer("dot_product_attention")
def _ours(query, keys, values):
    """A right answer, for those that spoil its inputs or its results."""
    weights = (query @ keys.transpose(-2, -1)).softmax(-1)
    return weights @ values, weights


@wrong("dot_product_attention", read="query-matrix", slip=True)
def transposes_the_first_axes(query, keys, values):
    """배치 축이 있으면 멈추거나 다른 축을 바꿉니다. 키를 뒤집을 때는 앞의 두 축이 아니라 마지막 두 축(-2와 -1)을 바꾸십시오."""
    weights = (query @ keys.transpose(0, 1)).softmax(-1)
    return weights @ values, weights


@wrong("dot_product_attention", read="query-matrix", slip=True)
def one_batch_axis_at_most(query, keys, values):
    """배치 축이 둘 이상이면 틀립니다. 배치 축은 몇 개든 올 수 있고, 결과에도 그대로 남아야 합니다. 축을 뒤에서부터 세십시오."""
    if query.dim() < 3:
        return _ours(query, keys, values)
    return _ours(*(x.flatten(0, -3) for x in (query, keys, values)))


@wrong("dot_product_attention", read="query-matrix")
def a_batch_axis_is_needed(query, keys, values):
    """배치 축이 없으면 멈춥니다. 배치 축은 없을 수도, 여럿일 수도 있습니다. 축을 뒤에서부터 세고 @로 곱하십시오."""
    weights = torch.bmm(query, keys.transpose(1, 2)).softmax(-1)
    return torch.bmm(weights, values), weights


@wrong("dot_product_attention", read="attention-softmax-axis", slip=True)
def softmax_over_axis_one(query, keys, values):
    """소프트맥스의 축을 앞에서부터 세었습니다. 배치 축이 붙으면 그 축은 키의 축이 아닙니다. 마지막 축(dim=-1)에 적용하십시오."""
    weights = (query @ keys.transpose(-2, -1)).softmax(min(1, query.dim() - 1))
    return weights @ values, weights


@wrong("dot_product_attention", read="one-query", slip=True)
def keeps_the_inserted_axis(query, keys, values):
    """질의가 하나뿐일 때 끼워 넣은 축이 결과에 남았습니다. (d_k,)인 질의의 출력은 (d_v,), 가중치는 (n_k,)입니다."""
    return _ours(torch.atleast_2d(query), keys, values)


@wrong("dot_product_attention", read="one-query", slip=True)
def many_queries_only(query, keys, values):
    """질의가 하나, 곧 (d_k,)이면 멈춥니다. 질의는 하나일 수도, 여럿일 수도 있습니다."""
    weights = torch.einsum("...qd,...kd->...qk", query, keys).softmax(-1)
    return weights @ values, weights


@wrong("dot_product_attention", read="query-matrix", slip=True)
def squeezes_every_axis(query, keys, values):
    """길이가 1인 축이 결과에서 사라졌습니다. squeeze는 길이가 1인 질의나 배치의 축까지 없앱니다. 끼워 넣은 축만 빼십시오."""
    output, weights = _ours(query, keys, values)
    return output.squeeze(), weights.squeeze()


@wrong("dot_product_attention", read="one-query", slip=True)
def always_single_precision(query, keys, values):
    """결과의 자료형이 입력과 다릅니다. float()로 바꾸거나 float32로 만든 텐서를 섞지 말고 입력의 자료형으로 계산하십시오."""
    return _ours(query.float(), keys.float(), values.float())


@wrong("dot_product_attention", read="scores-are-not-weights")
def returns_the_scores(query, keys, values):
    """출력은 맞지만 가중치 대신 소프트맥스 전의 점수를 돌려주었습니다. 돌려줄 것은 합이 1인 가중치입니다."""
    return _ours(query, keys, values)[0], query @ keys.transpose(-2, -1)


@wrong("dot_product_attention", read="query-matrix")
def weights_transposed(query, keys, values):
    """가중치는 맞지만 뒤집어서 값에 곱했습니다. 출력의 i번째 행은 가중치의 i번째 행으로 값을 더한 것입니다."""
    _, weights = _ours(query, keys, values)
    return (weights.transpose(-2, -1) if query.dim() > 1 else weights) @ values, weights


@wrong("dot_product_attention", read="scores-are-not-weights")
def sigmoid_for_softmax(query, keys, values):
    """소프트맥스 대신 시그모이드를 썼습니다. 키마다 따로 0과 1 사이로 눌러서는 가중치의 합이 1이 되지 않습니다."""
    weights = (query @ keys.transpose(-2, -1)).sigmoid()
    return weights @ values, weights


@wrong("dot_product_attention", read="attention-scale")
def doubles_in_place(query, keys, values):
    """받은 텐서를 제자리에서 바꾸었습니다. 부른 쪽의 텐서가 바뀝니다. 새 텐서를 만드십시오."""
    answer = _ours(query, keys, values)
    query *= 2
    return answer


@wrong("dot_product_attention", read="query-matrix")
def query_times_keys(query, keys, values):
    """질의와 키를 자리끼리 곱했습니다. 질의가 하나일 때만 맞습니다. 질의마다 모든 키와 내적하도록 query @ keys.transpose(-2, -1)로 곱하십시오."""
    weights = (query * keys).sum(-1).softmax(-1)
    return weights @ values, weights


@wrong("dot_product_attention", read="saturation", slip=True)
def clamps_the_scores(query, keys, values):
    """넘치지 않도록 큰 점수를 잘랐습니다(clamp). 자른 점수끼리는 차이가 사라집니다. 행마다 가장 큰 점수를 빼십시오."""
    powers = (query @ keys.transpose(-2, -1)).clamp(max=50.0).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ values, weights


# scaled_dot_product_attention -------------------------------------------------------------------------------


def _scores(query, key):
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])


def _attend(scores, value, mask):
    """A right ending, for answers whose scores are wrong."""
    if mask is None:
        weights = scores.softmax(-1)
    else:
        nothing = ~mask.any(-1, keepdim=True)
        weights = scores.masked_fill(~(mask | nothing), float("-inf")).softmax(-1).masked_fill(nothing, 0.0)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", read="attention-scale")
def no_scale(query, key, value, mask=None):
    """√d_k로 나누지 않았습니다. d_k가 크면 점수도 커져서 소프트맥스가 키 하나에 몰립니다."""
    return _attend(query @ key.transpose(-2, -1), value, mask)


@wrong("scaled_dot_product_attention", read="attention-scale")
def divides_by_d_k(query, key, value, mask=None):
    """d_k로 나누었습니다. 점수의 표준편차가 √d_k이므로 나눌 것은 제곱근입니다(질의와 키를 각각 √d_k로 나누어도 점수는 d_k로 나뉩니다). d_k로 나누면 가중치가 고르게 뭉개집니다."""
    return _attend(query @ key.transpose(-2, -1) / query.shape[-1], value, mask)


@wrong("scaled_dot_product_attention", read="attention-scale")
def divides_by_root_of_d_v(query, key, value, mask=None):
    """√d_v로 나누었습니다. 점수는 질의와 키의 내적이므로 값의 차원과 상관이 없습니다."""
    return _attend(query @ key.transpose(-2, -1) / math.sqrt(value.shape[-1]), value, mask)


@wrong("scaled_dot_product_attention", read="attention-scale")
def divides_by_root_of_n_k(query, key, value, mask=None):
    """키의 개수의 제곱근으로 나누었습니다. key.shape[-2]는 n_k입니다. d_k는 마지막 축 key.shape[-1]입니다."""
    return _attend(query @ key.transpose(-2, -1) / math.sqrt(key.shape[-2]), value, mask)


@wrong("scaled_dot_product_attention", read="attention-scale")
def multiplies_by_the_root(query, key, value, mask=None):
    """√d_k를 곱했습니다. 점수가 더 커져서 소프트맥스가 더 빨리 포화합니다. 나누어야 합니다."""
    return _attend(query @ key.transpose(-2, -1) * math.sqrt(query.shape[-1]), value, mask)


@wrong("scaled_dot_product_attention", read="attention-scale")
def scales_the_weights(query, key, value, mask=None):
    """소프트맥스를 한 다음에 나누었습니다. 가중치의 합이 1이 아닙니다. 소프트맥스 전의 점수를 나누십시오."""
    output, weights = _attend(query @ key.transpose(-2, -1), value, mask)
    root = math.sqrt(query.shape[-1])
    return output / root, weights / root


@wrong("scaled_dot_product_attention", read="attention-softmax-axis")
def scaled_softmax_over_queries(query, key, value, mask=None):
    """소프트맥스를 질의 축에 적용했습니다. 질의마다 키의 가중치를 합해 1이어야 합니다 (dim=-1)."""
    scores = _scores(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-2).nan_to_num(0.0)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", read="attention-mask")
def ignores_the_mask(query, key, value, mask=None):
    """마스크를 쓰지 않았습니다. 보면 안 되는 키도 가중치를 받습니다."""
    return _attend(_scores(query, key), value, None)


@wrong("scaled_dot_product_attention", read="attention-mask")
def hides_the_visible(query, key, value, mask=None):
    """마스크의 극성이 반대입니다. 이 책의 마스크는 True가 '볼 수 있다'입니다. ~mask인 자리를 가리십시오."""
    return _attend(_scores(query, key), value, None if mask is None else ~mask)


@wrong("scaled_dot_product_attention", read="attention-mask")
def zero_after_softmax(query, key, value, mask=None):
    """소프트맥스를 한 다음에 0으로 지웠습니다. 남은 가중치의 합이 1보다 작아집니다. 소프트맥스 전에 -inf로 바꾸십시오."""
    weights = _scores(query, key).softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", read="attention-mask")
def zero_before_softmax(query, key, value, mask=None):
    """가릴 점수를 -inf가 아니라 0으로 바꾸었습니다. exp(0)은 1이므로 가린 키도 가중치를 받습니다."""
    scores = _scores(query, key)
    if mask is not None:
        scores = scores * mask
    weights = scores.softmax(-1)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", read="attention-nothing-to-see", slip=True)
def nan_rows(query, key, value, mask=None):
    """볼 것이 없는 질의가 NaN이 되었습니다. 모든 점수가 -inf이면 소프트맥스는 0/0입니다."""
    scores = _scores(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", read="attention-nothing-to-see", slip=True)
def large_negative_number(query, key, value, mask=None):
    """볼 것이 없는 질의가 키를 봅니다. -1e9 같은 큰 음수로 가리거나 빈 행을 다른 수로 채우기만 하면 그렇게 됩니다. 그런 질의의 가중치와 출력은 0이어야 합니다."""
    scores = _scores(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", read="attention-nothing-to-see", slip=True)
def nan_covered_up(query, key, value, mask=None):
    """NaN을 나중에 0으로 덮었습니다. 값은 맞지만 역전파에서 NaN이 되살아납니다."""
    scores = _scores(query, key)
    if mask is not None:
        scores = scores + torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    weights = torch.where(weights.isnan(), torch.zeros_like(weights), weights)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", read="saturation", slip=True)
def exponentials_by_hand(query, key, value, mask=None):
    """exp를 직접 썼습니다. 점수가 크면 inf/inf가 되어 NaN이 납니다. softmax는 가장 큰 점수를 먼저 뺍니다."""
    powers = _scores(query, key).exp()
    if mask is None:
        weights = powers / powers.sum(-1, keepdim=True)
    else:
        powers = powers * mask
        total = powers.sum(-1, keepdim=True)
        weights = powers / total.masked_fill(total == 0, 1.0)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", read="attention-scale")
def scales_in_place(query, key, value, mask=None):
    """받은 텐서를 제자리에서 바꾸었습니다 (query /= … 따위). 부른 쪽의 텐서가 바뀝니다. 새 텐서를 만드십시오."""
    query /= math.sqrt(query.shape[-1])
    return _attend(query @ key.transpose(-2, -1), value, mask)


@wrong("scaled_dot_product_attention", read="one-query")
def only_the_scaled_output(query, key, value, mask=None):
    """출력만 돌려주었습니다. 출력과 가중치를 (output, weights)로 함께 돌려주십시오."""
    return _attend(_scores(query, key), value, mask)[0]


@wrong("scaled_dot_product_attention", read="keys-and-values")
def sums_the_scaled_keys(query, key, value, mask=None):
    """값이 아니라 키를 더했습니다. 키는 비교하는 데 쓰고, 더하는 것은 값입니다."""
    return _attend(_scores(query, key), key, mask)


@wrong("scaled_dot_product_attention", read="one-query")
def scaled_weights_first(query, key, value, mask=None):
    """돌려주는 순서가 바뀌었습니다. 출력이 먼저, 가중치가 다음입니다."""
    return _attend(_scores(query, key), value, mask)[::-1]


@wrong("scaled_dot_product_attention", read="attention-mask", slip=True)
def masked_and_divided_again(query, key, value, mask=None):
    """소프트맥스나 exp를 한 다음 가리고 다시 나누었습니다. 보이는 점수가 가린 점수보다 훨씬 작으면 0/0이 됩니다. 그 전에 가리십시오."""
    weights = _scores(query, key).softmax(-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / (weights.sum(-1, keepdim=True) + 1e-12)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", read="hard-lookup", slip=True)
def scaled_gradient_cut(query, key, value, mask=None):
    """기울기를 끊었습니다(detach, no_grad, numpy). 값은 맞지만 이 어텐션을 지나서는 아무것도 배우지 못합니다."""
    output, weights = _attend(_scores(query, key), value, mask)
    return (weights.detach() @ value), weights


@wrong("scaled_dot_product_attention", read="query-matrix", slip=True)
def scaled_first_axes(query, key, value, mask=None):
    """배치 축이 있으면 멈추거나 다른 축을 바꿉니다. 키를 뒤집을 때는 앞의 두 축이 아니라 마지막 두 축(-2와 -1)을 바꾸십시오."""
    return _attend(query @ key.transpose(0, 1) / math.sqrt(query.shape[-1]), value, mask)


@wrong("scaled_dot_product_attention", read="query-matrix", slip=True)
def scaled_one_batch_axis_at_most(query, key, value, mask=None):
    """배치 축이 둘 이상이면 틀립니다. 배치 축은 몇 개든 올 수 있고, 결과에도 그대로 남아야 합니다. 축을 뒤에서부터 세십시오."""
    query, key, value = (x.flatten(0, -3) if x.dim() > 3 else x for x in (query, key, value))
    return _attend(_scores(query, key), value, mask)


@wrong("scaled_dot_product_attention", read="query-matrix")
def scaled_needs_a_batch_axis(query, key, value, mask=None):
    """배치 축이 없으면 멈춥니다. 배치 축은 없을 수도, 여럿일 수도 있습니다. 축을 뒤에서부터 세고 @로 곱하십시오."""
    return _attend(torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.shape[-1]), value, mask)


@wrong("scaled_dot_product_attention", read="attention-softmax-axis", slip=True)
def scaled_softmax_over_axis_one(query, key, value, mask=None):
    """소프트맥스의 축을 앞에서부터 세었습니다. 배치 축이 붙으면 그 축은 키의 축이 아닙니다. 마지막 축(dim=-1)에 적용하십시오."""
    scores = _scores(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


@wrong("scaled_dot_product_attention", read="query-matrix", slip=True)
def scaled_squeezes_every_axis(query, key, value, mask=None):
    """길이가 1인 축이 결과에서 사라졌습니다. squeeze는 길이가 1인 질의나 배치의 축까지 없앱니다."""
    output, weights = _attend(_scores(query, key), value, mask)
    return output.squeeze(), weights.squeeze()


@wrong("scaled_dot_product_attention", read="attention-mask", slip=True)
def a_head_axis_for_the_mask(query, key, value, mask=None):
    """어떤 모양의 마스크에서는 멈추거나 다른 키를 가립니다. 마스크에 축을 끼워 넣지 마십시오. 모자란 축은 브로드캐스트가 앞에서 채웁니다."""
    if mask is not None and mask.dim() == 3:
        mask = mask.unsqueeze(1)
    return _attend(_scores(query, key), value, mask)


@wrong("scaled_dot_product_attention", read="attention-mask", slip=True)
def a_mask_of_the_scores_shape(query, key, value, mask=None):
    """마스크의 모양이 점수와 똑같을 때만 맞습니다. (n_k,)나 (batch, 1, 1, n_k)인 마스크도 점수의 모양으로 브로드캐스트되어야 합니다."""
    scores = _scores(query, key)
    if mask is not None and mask.shape != scores.shape:
        raise IndexError(mask.shape)
    return _attend(scores, value, mask)


@wrong("scaled_dot_product_attention", read="attention-mask")
def adds_the_mask(query, key, value, mask=None):
    """마스크를 점수에 그대로 더했습니다. True는 1로 더해질 뿐 아무것도 가리지 않습니다. False인 자리를 -inf로 바꾸십시오."""
    return _attend(_scores(query, key) + (0 if mask is None else mask), value, None)


@wrong("scaled_dot_product_attention", read="attention-mask")
def infinity_times_the_mask(query, key, value, mask=None):
    """-inf에 마스크를 곱했습니다. 0 × inf는 NaN이므로 볼 수 있는 키까지 NaN이 됩니다. masked_fill로 가릴 자리만 바꾸십시오."""
    return _attend(_scores(query, key) + (0 if mask is None else ~mask * float("-inf")), value, None)


@wrong("scaled_dot_product_attention", read="attention-mask")
def hides_too_little(query, key, value, mask=None):
    """가린 키의 가중치가 정확히 0이 아닙니다. 크지 않은 음수로 가려서는 조금씩 새어 나옵니다. -inf를 쓰십시오."""
    return _attend(_scores(query, key) - (0 if mask is None else 20.0 * ~mask), value, None)


@wrong("scaled_dot_product_attention", read="attention-nothing-to-see", slip=True)
def only_the_output_is_zero(query, key, value, mask=None):
    """볼 것이 없는 질의에서 출력과 가중치 가운데 하나만 0입니다. 둘 다 0이어야 합니다."""
    scores = _scores(query, key)
    if mask is None:
        return _attend(scores, value, mask)
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return _attend(scores, value, mask)[0], weights


@wrong("scaled_dot_product_attention", read="scores-are-not-weights")
def returns_the_scaled_scores(query, key, value, mask=None):
    """출력은 맞지만 가중치 대신 소프트맥스 전의 점수를 돌려주었습니다. 돌려줄 것은 합이 1인 가중치입니다."""
    return _attend(_scores(query, key), value, mask)[0], _scores(query, key)


@wrong("scaled_dot_product_attention", read="scores-are-not-weights")
def scaled_scores_as_weights(query, key, value, mask=None):
    """소프트맥스를 거치지 않고 점수를 그대로 가중치로 썼습니다. 점수는 음수일 수도 있고 합이 1도 아닙니다."""
    weights = _scores(query, key) * (1 if mask is None else mask)
    return weights @ value, weights


@wrong("scaled_dot_product_attention", read="attention-mask", slip=True)
def scaled_in_single_precision(query, key, value, mask=None):
    """결과의 자료형이 입력과 다릅니다. float()로 바꾸거나 float32로 만든 텐서를 섞지 마십시오. 새 텐서의 dtype은 입력을 따릅니다."""
    return _attend(_scores(query.float(), key.float()), value.float(), mask)


@wrong("scaled_dot_product_attention", read="attention-mask", slip=True)
def made_on_another_device(query, key, value, mask=None):
    """새로 만든 텐서가 입력과 다른 장치에 있습니다. torch.zeros 따위에 device=query.device를 넘기거나 masked_fill을 쓰십시오."""
    return _attend(_scores(query, key) + torch.zeros(key.shape[-2], dtype=query.dtype), value, mask)


# expected_score_variance ------------------------------------------------------------------------------------


@wrong("scaled_dot_product_attention", read="attention-mask")
def an_axis_in_every_mask(query, key, value, mask=None):
    """마스크에 언제나 축을 하나 끼웠습니다. 마스크는 이미 점수의 모양으로 브로드캐스트됩니다. 받은 그대로 쓰십시오."""
    return _attend(_scores(query, key), value, None if mask is None else mask.unsqueeze(1))


@wrong("scaled_dot_product_attention", read="attention-scale")
def drops_weights(query, key, value, mask=None):
    """드롭아웃을 넣었습니다. 부를 때마다 결과가 다릅니다. 이 함수는 식만 계산하고, 드롭아웃은 층의 일입니다."""
    weights = torch.nn.functional.dropout(_attend(_scores(query, key), value, mask)[1], 0.1)
    return weights @ value, weights


def _draw(samples, d_k, generator):
    return torch.randn(samples, d_k, generator=generator), torch.randn(samples, d_k, generator=generator)


@wrong("expected_score_variance", read="score-variance")
def standard_deviation(d_k, samples=10_000, generator=None):
    """표준편차를 돌려주었습니다. 분산은 그 제곱입니다. 점수를 나누는 √d_k가 표준편차입니다."""
    queries, keys = _draw(samples, d_k, generator)
    return (queries * keys).sum(-1).std().item()


@wrong("expected_score_variance", read="score-variance")
def variance_of_scaled_scores(d_k, samples=10_000, generator=None):
    """이미 √d_k로 나눈 점수의 분산을 쟀습니다. 그래서 언제나 1입니다. 나누지 않은 내적의 분산을 묻습니다."""
    queries, keys = _draw(samples, d_k, generator)
    return ((queries * keys).sum(-1) / math.sqrt(d_k)).var().item()


@wrong("expected_score_variance", read="score-variance")
def forgot_the_sum(d_k, samples=10_000, generator=None):
    """성분의 곱을 더하지 않고 그 분산을 냈습니다. 곱 하나의 분산은 1입니다. 내적마다 d_k개의 곱을 더해 수 하나를 얻고, 그 수들의 분산을 냅니다."""
    queries, keys = _draw(samples, d_k, generator)
    return (queries * keys).var().item()


@wrong("expected_score_variance", read="score-variance")
def query_is_the_key(d_k, samples=10_000, generator=None):
    """질의와 키에 같은 벡터를 썼습니다. 그러면 내적은 길이의 제곱이고 분산이 두 배가 됩니다. 따로 뽑으십시오."""
    vectors = torch.randn(samples, d_k, generator=generator)
    return (vectors * vectors).sum(-1).var().item()


@wrong("expected_score_variance", read="score-variance")
def uniform_numbers(d_k, samples=10_000, generator=None):
    """0과 1 사이의 균등 분포에서 뽑았습니다 (torch.rand). 평균 0, 분산 1인 torch.randn을 쓰십시오."""
    queries = torch.rand(samples, d_k, generator=generator)
    keys = torch.rand(samples, d_k, generator=generator)
    return (queries * keys).sum(-1).var().item()


@wrong("expected_score_variance", read="score-variance")
def mean_instead_of_variance(d_k, samples=10_000, generator=None):
    """내적의 평균을 돌려주었습니다. 평균은 0 근처입니다. 얼마나 흩어지는지, 곧 분산을 묻습니다."""
    queries, keys = _draw(samples, d_k, generator)
    return (queries * keys).sum(-1).mean().item()


@wrong("expected_score_variance", read="score-variance")
def the_formula(d_k, samples=10_000, generator=None):
    """뽑지 않고 이론값을 돌려주었습니다. 값은 맞지만 문제는 표본으로 추정하라고 합니다."""
    return float(d_k)


@wrong("expected_score_variance", read="score-variance", slip=True)
def ignores_the_generator(d_k, samples=10_000, generator=None):
    """generator를 쓰지 않은 곳이 있습니다. 같은 시드에서 다른 값이 나옵니다. 질의와 키를 뽑는 곳마다 generator=generator를 넘기십시오."""
    queries, keys = _draw(samples, d_k, None)
    return (queries * keys).sum(-1).var().item()


@wrong("expected_score_variance", read="score-variance", slip=True)
def ignores_samples(d_k, samples=10_000, generator=None):
    """samples를 쓰지 않고 정해진 수만큼 뽑았습니다."""
    queries, keys = _draw(10_000, d_k, generator)
    return (queries * keys).sum(-1).var().item()


@wrong("expected_score_variance", read="score-variance")
def one_query_for_all(d_k, samples=10_000, generator=None):
    """질의를 하나만 뽑아 모든 키와 비교했습니다. 그러면 그 질의의 길이의 제곱을 재게 됩니다. 쌍마다 새로 뽑으십시오."""
    query = torch.randn(d_k, generator=generator)
    keys = torch.randn(samples, d_k, generator=generator)
    return (query * keys).sum(-1).var().item()


@wrong("expected_score_variance", read="score-variance", slip=True)
def a_tensor(d_k, samples=10_000, generator=None):
    """텐서를 돌려주었습니다. .item()으로 float를 꺼내십시오."""
    queries, keys = _draw(samples, d_k, generator)
    return (queries * keys).sum(-1).var()


@wrong("expected_score_variance", read="score-variance")
def sum_of_one_vector(d_k, samples=10_000, generator=None):
    """벡터 하나의 성분을 더했습니다. 분산은 우연히 같지만 내적이 아닙니다. 질의와 키를 따로 뽑아 곱하십시오."""
    return torch.randn(samples, d_k, generator=generator).sum(-1).var().item()


@wrong("expected_score_variance", read="score-variance", slip=True)
def a_fixed_seed_without_a_generator(d_k, samples=10_000, generator=None):
    """generator를 주지 않았을 때에도 언제나 같은 값이 나옵니다. 정해진 시드로 새로 만들지 말고 None을 그대로 넘기십시오."""
    generator = generator or torch.Generator().manual_seed(0)
    queries, keys = _draw(samples, d_k, generator)
    return (queries * keys).sum(-1).var().item()


@wrong("expected_score_variance", read="score-variance")
def a_fixed_seed(d_k, samples=10_000, generator=None):
    """어떤 generator를 주어도 같은 값이 나옵니다. 함수 안에서 시드를 정해 버렸습니다. 받은 generator에서 이어서 뽑으십시오."""
    queries, keys = _draw(samples, d_k, torch.Generator().manual_seed(0))
    return (queries * keys).sum(-1).var().item()


@wrong("expected_score_variance", read="score-variance", slip=True)
def starts_over(d_k, samples=10_000, generator=None):
    """같은 generator로 다시 부르면 처음부터 다시 뽑습니다. 시드를 되돌리거나 새 generator로 옮기지 말고 받은 것에서 이어서 뽑으십시오."""
    if generator is not None:
        generator.manual_seed(generator.initial_seed())
    queries, keys = _draw(samples, d_k, generator)
    return (queries * keys).sum(-1).var().item()


@wrong("expected_score_variance", read="score-variance")
def mean_of_the_products(d_k, samples=10_000, generator=None):
    """성분의 곱을 더하지 않고 평균했거나 내적을 d_k로 나누었습니다. 그러면 분산이 1/d_k이 됩니다. 내적은 더한 것입니다."""
    queries, keys = _draw(samples, d_k, generator)
    return (queries * keys).mean(-1).var().item()


@wrong("expected_score_variance", read="score-variance")
def sums_over_the_samples(d_k, samples=10_000, generator=None):
    """성분이 아니라 표본에 걸쳐 더했습니다. 값이 표본의 수를 따라갑니다. 쌍마다 성분의 곱을 더하고, 분산은 표본에 걸쳐 냅니다."""
    queries, keys = _draw(samples, d_k, generator)
    return (queries * keys).sum(0).var(unbiased=d_k > 1).item()


@wrong("expected_score_variance", read="score-variance")
def sum_of_the_squares(d_k, samples=10_000, generator=None):
    """제곱을 더하기만 하고 표본의 수로 나누지 않았습니다. 분산은 제곱의 평균입니다."""
    queries, keys = _draw(samples, d_k, generator)
    return (queries * keys).sum(-1).square().sum().item()
