"""Wrong answers that people give to the exercise `efficient_attention`."""

import math

import torch
from torch.nn.functional import normalize

from grader.judging.mistakes import right_answer, wrong

BATCH = "앞의 축이 늘면 오류가 나거나 하나씩 넣을 때와 답이 다릅니다. 축을 뒤에서부터 세고, 배치끼리 섞지 마십시오."
DTYPE = "자료형이 입력을 따르지 않습니다. float64를 넣으면 float64가 나와야 합니다."
CHANGED = "받은 텐서를 제자리에서 바꾸었습니다(/=, *=, 밑줄로 끝나는 함수). 부른 쪽의 텐서가 바뀝니다. 새 텐서를 만드십시오."
CUT = "값은 맞지만 기울기가 다 흐르지 않습니다(detach, no_grad, item). 들어온 것 모두로 흘러야 배웁니다."
DEVICE = "새로 만든 텐서의 장치가 입력을 따르지 않습니다. GPU에서는 오류가 납니다."
OVERFLOW = "점수가 크면 exp가 넘쳐 NaN이 됩니다. 소프트맥스는 가장 큰 점수를 뺀 다음 계산하십시오. torch의 softmax가 그렇게 합니다."


def _as_float32(found):
    return found.float() if isinstance(found, torch.Tensor) else tuple(x.float() for x in found)


def _by_hand(scores):
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


# linformer_attention ----------------------------------------------------------------------------------------


def _refuse_other_lengths(key, E, F):
    if not key.shape[-2] == E.shape[-1] == F.shape[-1]:
        raise ValueError("another length")


def _linformer(query, key, value, E, F, scale):
    _refuse_other_lengths(key, E, F)
    weights = (query @ (E @ key).mT * scale).softmax(-1)
    return weights @ (F @ value), weights


def _linformer_unchecked(query, key, value, E, F):
    weights = (query @ (E @ key).mT / math.sqrt(key.shape[-1])).softmax(-1)
    return weights @ (F @ value), weights


@right_answer("linformer_attention")
def _linformer_right(query, key, value, E, F):
    _refuse_other_lengths(key, E, F)
    return _linformer(query, key, value, E, F, key.shape[-1] ** -0.5)


@wrong("linformer_attention", read="order-of-products")
def scores_then_mixed(query, key, value, E, F):
    """답은 맞지만 점수를 n개 다 만든 만큼 큰 텐서를 만들었습니다. 메모리가 n²입니다. E @ key를 먼저 계산하십시오."""
    _refuse_other_lengths(key, E, F)
    weights = (query @ key.mT @ E.mT / math.sqrt(key.shape[-1])).softmax(-1)
    return weights @ (F @ value), weights


@wrong("linformer_attention", read="low-rank")
def weights_mixed_after_softmax(query, key, value, E, F):
    """소프트맥스를 한 다음에 줄였습니다. 줄인 가중치는 합이 1이 아닙니다. 키를 먼저 줄이고 점수를 내십시오."""
    _refuse_other_lengths(key, E, F)
    weights = (query @ key.mT / math.sqrt(key.shape[-1])).softmax(-1) @ E.mT
    return weights @ (F @ value), weights


@wrong("linformer_attention", read="low-rank")
def divided_by_sqrt_of_k(query, key, value, E, F):
    """점수를 줄인 길이 k의 제곱근으로 나누었습니다. 나누는 것은 키의 차원의 제곱근입니다."""
    return _linformer(query, key, value, E, F, len(E) ** -0.5)


@wrong("linformer_attention", read="low-rank")
def linformer_unscaled(query, key, value, E, F):
    """점수를 √d로 나누지 않았습니다."""
    return _linformer(query, key, value, E, F, 1.0)


@wrong("linformer_attention", read="low-rank")
def matrices_swapped(query, key, value, E, F):
    """E와 F를 바꾸었습니다. E가 키를, F가 값을 줄입니다."""
    return _linformer(query, key, value, F, E, key.shape[-1] ** -0.5)


@wrong("linformer_attention", read="low-rank")
def one_matrix_for_both(query, key, value, E, F):
    """키와 값을 모두 E로 줄였습니다. 값은 F로 줄입니다."""
    _refuse_other_lengths(key, E, F)
    return _linformer(query, key, value, E, E, key.shape[-1] ** -0.5)


@wrong("linformer_attention", read="low-rank")
def only_the_keys_mixed(query, key, value, E, F):
    """키만 줄이고 값은 n개 그대로 두었습니다. 가중치가 k개이므로 값도 k개여야 합니다."""
    _refuse_other_lengths(key, E, F)
    weights = (query @ (E @ key).mT / math.sqrt(key.shape[-1])).softmax(-1)
    return weights @ value, weights


@wrong("linformer_attention", read="low-rank")
def queries_mixed_too(query, key, value, E, F):
    """질의까지 줄였습니다. 출력은 질의마다 하나씩이어야 하므로 줄이는 것은 키와 값뿐입니다."""
    _refuse_other_lengths(key, E, F)
    return _linformer(E @ query, key, value, E, F, key.shape[-1] ** -0.5)


@wrong("linformer_attention", read="fixed-length", slip=True)
def columns_cut_off(query, key, value, E, F):
    """길이가 다른 키를 받아들였습니다. 자르거나 채우면 배우지 않은 섞음이 됩니다. ValueError를 내십시오."""
    n = key.shape[-2]
    return _linformer(query, key, value, E[:, :n], F[:, :n], key.shape[-1] ** -0.5)


@wrong("linformer_attention", read="attention#attention-softmax-axis")
def linformer_softmax_over_queries(query, key, value, E, F):
    """소프트맥스를 질의 축에 적용했습니다. 마지막 축에서 합이 1이어야 합니다."""
    _refuse_other_lengths(key, E, F)
    weights = (query @ (E @ key).mT / math.sqrt(key.shape[-1])).softmax(-2)
    return weights @ (F @ value), weights


@wrong("linformer_attention", read="low-rank")
def linformer_divided_by_d(query, key, value, E, F):
    """점수를 √d가 아니라 d로 나누었습니다. 두 번 나누어도 그렇게 됩니다."""
    _refuse_other_lengths(key, E, F)
    return _linformer(query, key, value, E, F, 1 / key.shape[-1])


@wrong("linformer_attention", read="low-rank")
def divided_by_sqrt_of_n(query, key, value, E, F):
    """점수를 키의 수 n의 제곱근으로 나누었습니다. 나누는 것은 키의 차원의 제곱근입니다."""
    _refuse_other_lengths(key, E, F)
    return _linformer(query, key, value, E, F, key.shape[-2] ** -0.5)


@wrong("linformer_attention", read="low-rank")
def linformer_divided_by_sqrt_of_values(query, key, value, E, F):
    """점수를 값의 차원의 제곱근으로 나누었습니다. 나누는 것은 키의 차원의 제곱근입니다."""
    _refuse_other_lengths(key, E, F)
    return _linformer(query, key, value, E, F, value.shape[-1] ** -0.5)


@wrong("linformer_attention", read="low-rank")
def values_matrix_for_both(query, key, value, E, F):
    """키와 값을 모두 F로 줄였습니다. 키는 E로 줄입니다."""
    _refuse_other_lengths(key, E, F)
    return _linformer(query, key, value, F, F, key.shape[-1] ** -0.5)


@wrong("linformer_attention", read="low-rank")
def only_the_values_mixed(query, key, value, E, F):
    """값만 줄이고 키는 n개 그대로 두었습니다. 점수가 k개이려면 키도 E로 줄여야 합니다."""
    _refuse_other_lengths(key, E, F)
    weights = (query @ key.mT / math.sqrt(key.shape[-1])).softmax(-1)
    return weights @ (F @ value), weights


@wrong("linformer_attention", read="low-rank")
def mixtures_transposed(query, key, value, E, F):
    """E와 F를 전치해서 곱했습니다. (k, n)인 그대로 왼쪽에서 곱합니다."""
    _refuse_other_lengths(key, E, F)
    return _linformer_unchecked(query, key, value, E.mT, F.mT)


@wrong("linformer_attention", read="low-rank")
def features_mixed(query, key, value, E, F):
    """길이가 아니라 특징을 섞었습니다. E와 F는 길이 쪽, 곧 키와 값의 왼쪽에 곱합니다."""
    _refuse_other_lengths(key, E, F)
    weights = (query @ (key @ E.mT).mT / math.sqrt(key.shape[-1])).softmax(-1)
    return weights @ (value @ F.mT), weights


@wrong("linformer_attention", read="low-rank")
def linformer_without_softmax(query, key, value, E, F):
    """소프트맥스를 하지 않았습니다. 가중치는 합이 1이어야 합니다."""
    _refuse_other_lengths(key, E, F)
    weights = query @ (E @ key).mT / math.sqrt(key.shape[-1])
    return weights @ (F @ value), weights


@wrong("linformer_attention", read="low-rank")
def linformer_scores_returned(query, key, value, E, F):
    """가중치 대신 소프트맥스를 하기 전의 점수를 돌려주었습니다."""
    _refuse_other_lengths(key, E, F)
    scale = key.shape[-1] ** -0.5
    return _linformer(query, key, value, E, F, scale)[0], query @ (E @ key).mT * scale


@wrong("linformer_attention", read="low-rank")
def linformer_weights_first(query, key, value, E, F):
    """가중치를 앞에 돌려주었습니다. 차례는 (출력, 가중치)입니다."""
    return _linformer_right(query, key, value, E, F)[::-1]


@wrong("linformer_attention", read="low-rank")
def linformer_output_alone(query, key, value, E, F):
    """출력만 돌려주었습니다. (출력, 가중치)를 돌려주십시오."""
    return _linformer_right(query, key, value, E, F)[0]


@wrong("linformer_attention", read="fixed-length", slip=True)
def another_error(query, key, value, E, F):
    """길이가 다를 때 ValueError가 아닌 오류가 납니다. assert나 행렬 곱의 오류에 맡기지 말고 먼저 확인해 ValueError를 내십시오."""
    return _linformer_unchecked(query, key, value, E, F)


@wrong("linformer_attention", read="fixed-length", slip=True)
def length_of_E_alone(query, key, value, E, F):
    """F의 열의 수를 확인하지 않았습니다. 키의 수는 E와도 F와도 맞아야 합니다."""
    if key.shape[-2] != E.shape[-1]:
        raise ValueError("another length")
    return _linformer_unchecked(query, key, value, E, F)


@wrong("linformer_attention", read="fixed-length", slip=True)
def length_of_F_alone(query, key, value, E, F):
    """E의 열의 수를 확인하지 않았습니다. 키의 수는 E와도 F와도 맞아야 합니다."""
    if key.shape[-2] != F.shape[-1]:
        raise ValueError("another length")
    return _linformer_unchecked(query, key, value, E, F)


@wrong("linformer_attention", read="fixed-length")
def right_lengths_refused(query, key, value, E, F):
    """맞는 길이를 거부했습니다. 비교할 것은 키의 수, 곧 key의 뒤에서 두 번째 축과 E와 F의 열의 수입니다. 질의의 수는 다를 수 있습니다."""
    if query.shape[-2] != E.shape[-1]:
        raise ValueError("another length")
    return _linformer_right(query, key, value, E, F)


@wrong("linformer_attention", read="low-rank", slip=True, hint=BATCH)
def linformer_of_one_batch_axis(query, key, value, E, F):
    _refuse_other_lengths(key, E, F)
    weights = (query @ (E @ key).mT / math.sqrt(key.shape[-1])).softmax(1)
    return weights @ (F @ value), weights


@wrong("linformer_attention", read="low-rank", slip=True, hint=DTYPE)
def linformer_in_float32(query, key, value, E, F):
    return _as_float32(_linformer_right(query, key, value, E, F))


@wrong("linformer_attention", read="low-rank", slip=True, hint=CHANGED)
def linformer_in_place(query, key, value, E, F):
    found = _linformer_right(query, key, value, E, F)
    query += 1
    return found


@wrong("linformer_attention", read="low-rank", slip=True, hint=CUT)
def linformer_without_gradient(query, key, value, E, F):
    with torch.no_grad():
        return _linformer_right(query, key, value, E, F)


@wrong("linformer_attention", read="low-rank", slip=True, hint=OVERFLOW)
def linformer_overflows(query, key, value, E, F):
    _refuse_other_lengths(key, E, F)
    weights = _by_hand(query @ (E @ key).mT / math.sqrt(key.shape[-1]))
    return weights @ (F @ value), weights


# sorted_lsh_attention -----------------------------------------------------------------------------------------


def _lsh(
    qk,
    value,
    buckets,
    causal,
    *,
    query=None,
    key=None,
    scale=None,
    others=None,
    itself=None,
    scores_when_alone=None,
):
    """The right answer, but for what is given."""
    n, d = qk.shape[-2:]
    query = qk if query is None else query
    key = normalize(qk, dim=-1) if key is None else key
    scores = query @ key.mT * (d**-0.5 if scale is None else scale)
    eye = torch.eye(n, dtype=torch.bool, device=qk.device)
    if others is None:
        others = _same(buckets) & ~eye
    if causal:
        others = others.tril()
    if itself is None:
        itself = eye & ~others.any(-1, keepdim=True)
    if scores_when_alone is not None:
        scores = scores.masked_fill(_alone(buckets, causal), scores_when_alone)
    weights = scores.masked_fill(~(others | itself), float("-inf")).softmax(-1)
    return weights @ value


def _same(buckets):
    return buckets[..., :, None] == buckets[..., None, :]


def _eye(qk):
    return torch.eye(qk.shape[-2], dtype=torch.bool, device=qk.device)


def _others(buckets):
    return _same(buckets) & ~torch.eye(buckets.shape[-1], dtype=torch.bool, device=buckets.device)


def _alone(buckets, causal):
    """The rows of those who see nobody else."""
    others = _others(buckets)
    return ~(others.tril() if causal else others).any(-1, keepdim=True)


@wrong("sorted_lsh_attention", read="shared-qk")
def keys_of_any_norm(qk, value, buckets, block, causal=False):
    """키를 크기 1로 맞추지 않았습니다. 큰 벡터가 모두의 가중치를 가져갑니다."""
    return _lsh(qk, value, buckets, causal, key=qk)


@wrong("sorted_lsh_attention", read="shared-qk")
def queries_of_unit_norm(qk, value, buckets, block, causal=False):
    """질의까지 크기 1로 맞추었습니다. 맞추는 것은 키뿐입니다."""
    return _lsh(qk, value, buckets, causal, query=normalize(qk, dim=-1))


@wrong("sorted_lsh_attention", read="shared-qk")
def lsh_unscaled(qk, value, buckets, block, causal=False):
    """점수를 √d로 나누지 않았습니다."""
    return _lsh(qk, value, buckets, causal, scale=1.0)


@wrong("sorted_lsh_attention", read="itself-last")
def sees_itself(qk, value, buckets, block, causal=False):
    """자기 자신을 다른 위치와 함께 보았습니다. 질의와 키가 같은 벡터라 자기 점수가 늘 높습니다. 달리 볼 것이 없을 때만 봅니다."""
    return _lsh(qk, value, buckets, causal, others=_same(buckets))


@wrong("sorted_lsh_attention", read="itself-last")
def never_sees_itself(qk, value, buckets, block, causal=False):
    """자기 자신을 언제나 가렸습니다. 버킷에 혼자인 위치는 볼 것이 없어 NaN이 됩니다."""
    return _lsh(qk, value, buckets, causal, itself=_eye(qk) & False)


@wrong("sorted_lsh_attention", read="itself-last")
def zeros_when_alone(qk, value, buckets, block, causal=False):
    """혼자인 위치의 출력을 0으로 했습니다. 달리 볼 것이 없으면 자기 자신을 봅니다."""
    others = _same(buckets) & ~_eye(qk)
    alone = ~(others.tril() if causal else others).any(-1, keepdim=True)
    weights = _lsh_weights(qk, buckets, causal)
    weights = weights.masked_fill(alone, 0.0)
    return weights @ value


@wrong("sorted_lsh_attention", read="buckets")
def other_buckets(qk, value, buckets, block, causal=False):
    """다른 버킷을 보았습니다. 보는 것은 버킷이 같은 위치입니다."""
    return _lsh(qk, value, buckets, causal, others=~_same(buckets))


@wrong("sorted_lsh_attention", read="buckets")
def all_buckets(qk, value, buckets, block, causal=False):
    """버킷을 쓰지 않았습니다. 모든 위치를 보면 아낄 것이 없습니다."""
    return _lsh(qk, value, buckets, causal, others=~_eye(qk).expand_as(_same(buckets)))


@wrong("sorted_lsh_attention", read="masking#minus-infinity")
def zero_for_other_buckets(qk, value, buckets, block, causal=False):
    """가릴 점수를 -inf가 아니라 0으로 바꾸었습니다. exp(0)은 1이므로 다른 버킷도 가중치를 받습니다."""
    right = _lsh_weights(qk, buckets, causal)
    scores = qk @ normalize(qk, dim=-1).mT / math.sqrt(qk.shape[-1])
    weights = scores.masked_fill(right == 0, 0.0).softmax(-1)
    return weights @ value


@wrong("sorted_lsh_attention", read="shared-qk")
def lsh_divided_by_d(qk, value, buckets, block, causal=False):
    """점수를 √d가 아니라 d로 나누었습니다."""
    return _lsh(qk, value, buckets, causal, scale=1 / qk.shape[-1])


@wrong("sorted_lsh_attention", read="shared-qk")
def lsh_divided_by_sqrt_of_n(qk, value, buckets, block, causal=False):
    """점수를 길이의 제곱근으로 나누었습니다. 나누는 것은 차원의 제곱근입니다."""
    return _lsh(qk, value, buckets, causal, scale=qk.shape[-2] ** -0.5)


@wrong("sorted_lsh_attention", read="shared-qk")
def queries_in_place_of_keys(qk, value, buckets, block, causal=False):
    """키가 아니라 질의를 크기 1로 맞추었습니다. 질의는 qk 그대로입니다."""
    return _lsh(qk, value, buckets, causal, query=normalize(qk, dim=-1), key=qk)


@wrong("sorted_lsh_attention", read="shared-qk")
def norms_over_positions(qk, value, buckets, block, causal=False):
    """크기를 위치 축에서 쟀습니다. 벡터마다 마지막 축에서 크기 1로 맞춥니다."""
    return _lsh(qk, value, buckets, causal, key=normalize(qk, dim=-2))


@wrong("sorted_lsh_attention", read="shared-qk")
def keys_to_the_square(qk, value, buckets, block, causal=False):
    """키를 크기가 아니라 크기의 제곱으로 나누었습니다. 제곱근을 취하십시오."""
    return _lsh(qk, value, buckets, causal, key=qk / qk.square().sum(-1, keepdim=True))


@wrong("sorted_lsh_attention", read="shared-qk")
def one_norm_for_all_keys(qk, value, buckets, block, causal=False):
    """크기를 벡터마다가 아니라 전체에서 하나 쟀습니다. 키는 저마다 크기가 1입니다."""
    return _lsh(qk, value, buckets, causal, key=qk / qk.norm())


@wrong("sorted_lsh_attention", read="itself-last")
def all_alike_when_alone(qk, value, buckets, block, causal=False):
    """혼자인 위치가 모든 위치를 고르게 보았습니다. 자기와 다른 버킷을 같은 수로 가려 차이가 없어졌습니다. 달리 볼 것이 없으면 자기 자신만 봅니다."""
    return _lsh(qk, value, buckets, causal, itself=_alone(buckets, causal), scores_when_alone=0.0)


@wrong("sorted_lsh_attention", read="itself-last")
def all_seen_when_alone(qk, value, buckets, block, causal=False):
    """혼자인 위치가 모든 위치를 보았습니다. 달리 볼 것이 없으면 자기 자신만 봅니다."""
    return _lsh(qk, value, buckets, causal, itself=_alone(buckets, causal))


@wrong("sorted_lsh_attention", read="masking#minus-infinity")
def hidden_after_softmax(qk, value, buckets, block, causal=False):
    """소프트맥스를 한 다음에 가렸습니다. 남은 가중치의 합이 1이 아닙니다. 점수를 가린 다음 소프트맥스를 하십시오."""
    seen = _lsh_weights(qk, buckets, causal) > 0
    weights = (qk @ normalize(qk, dim=-1).mT / math.sqrt(qk.shape[-1])).softmax(-1) * seen
    return weights @ value


@wrong("sorted_lsh_attention", read="buckets")
def last_bucket_missed(qk, value, buckets, block, causal=False):
    """어떤 버킷의 위치에는 아무것도 쓰지 않았습니다. 버킷을 마지막 번호까지 모두 도십시오."""
    weights = _lsh_weights(qk, buckets, causal)
    weights = weights * (buckets < buckets.max()).unsqueeze(-1)
    return weights @ value


@wrong("sorted_lsh_attention", read="itself-last")
def always_causal(qk, value, buckets, block, causal=False):
    """언제나 앞만 보았습니다. causal이 아니면 버킷의 모두를 봅니다."""
    return _lsh(qk, value, buckets, True)


def _lsh_weights(qk, buckets, causal):
    return _lsh(qk, torch.eye(len(qk)).to(qk), buckets, causal)


@right_answer("sorted_lsh_attention")
def _by_buckets(qk, value, buckets, block, causal=False, seen_first=True, itself=False, ahead=False):
    """Bucket by bucket; wrong ones differ in what is seen where nothing or something is before it."""
    parts, places = [], []
    for number in buckets.unique():
        here = (buckets == number).nonzero().flatten()
        few = qk[here]
        scores = few @ normalize(few, dim=-1).mT / math.sqrt(qk.shape[-1])
        eye = torch.eye(len(here), dtype=torch.bool, device=qk.device)
        others = ~eye | itself
        if causal:
            others = others.triu() if ahead else others.tril()
        alone = eye & ~others.any(-1, keepdim=True)
        weights = scores.masked_fill(~(others | alone), float("-inf")).softmax(-1)
        parts.append(weights * (seen_first or others) @ value[here])
        places.append(here)
    return torch.cat(parts)[torch.cat(places).argsort()]


@wrong("sorted_lsh_attention", read="order-of-products")
def whole_square(qk, value, buckets, block, causal=False):
    """값은 맞지만 (n, n)인 것을 만들었습니다. 정렬하면 볼 것이 이웃한 블록에 모이므로 그 키에만 점수를 매기면 됩니다."""
    return _lsh(qk, value, buckets, causal)


@wrong("sorted_lsh_attention", read="shared-qk")
def left_sorted(qk, value, buckets, block, causal=False):
    """버킷의 차례로 정렬한 채 돌려주었습니다. 글의 처음 차례로 되돌리십시오."""
    return _by_buckets(qk, value, buckets, block, causal)[buckets.argsort(stable=True)]


@wrong("sorted_lsh_attention", read="shared-qk")
def sorted_twice(qk, value, buckets, block, causal=False):
    """되돌릴 때 정렬한 차례를 한 번 더 썼습니다. 거꾸로 가는 차례는 order.argsort()입니다."""
    order = buckets.argsort(stable=True)
    return _by_buckets(qk, value, buckets, block, causal)[order][order]


@wrong("sorted_lsh_attention", read="shared-qk")
def values_left_unsorted(qk, value, buckets, block, causal=False):
    """값을 정렬하지 않았습니다. 가중치는 정렬한 차례인데 값은 글의 차례입니다. 질의, 키, 값을 모두 같은 차례로 놓으십시오."""
    order = buckets.argsort(stable=True)
    return _by_buckets(qk, value[order.argsort()], buckets, block, causal)


@wrong("sorted_lsh_attention", read="shared-qk")
def buckets_left_unsorted(qk, value, buckets, block, causal=False):
    """규칙이 정렬하지 않은 버킷을 보았습니다. rule이 받는 i와 j는 정렬한 다음의 자리이므로 buckets[order[i]]로 찾으십시오."""
    order = buckets.argsort(stable=True)
    return _lsh(qk[order], value[order], buckets, causal)[order.argsort()]


@wrong("sorted_lsh_attention", read="sliding-window")
def own_block_only(qk, value, buckets, block, causal=False):
    """자기 블록의 키만 보았습니다. 버킷은 블록의 경계에 걸칠 수 있으므로 이웃한 블록까지 보아야 합니다."""
    order = buckets.argsort(stable=True)
    part = torch.empty_like(order)
    part[order] = torch.arange(len(order), device=order.device) // block
    return _lsh(qk, value, buckets * (len(order) + 1) + part, causal)


@wrong("sorted_lsh_attention", read="shared-qk")
def lsh_weights_too(qk, value, buckets, block, causal=False):
    """가중치까지 돌려주었습니다. 제곱인 표를 만들지 않는 것이 문제입니다. 출력 하나를 돌려주십시오."""
    return _lsh(qk, value, buckets, causal), _lsh_weights(qk, buckets, causal)


@wrong("sorted_lsh_attention", read="itself-last", slip=True)
def looks_ahead(qk, value, buckets, block, causal=False):
    """causal을 쓰지 않았습니다. 같은 버킷의 뒤에 있는 위치가 보입니다."""
    return _by_buckets(qk, value, buckets, block)


@wrong("sorted_lsh_attention", read="itself-last", slip=True)
def sees_what_is_ahead(qk, value, buckets, block, causal=False):
    """causal인데 앞이 아니라 뒤를 보았습니다. 글의 자리에서 키가 질의보다 앞이어야 합니다: order[j] <= order[i]."""
    return _by_buckets(qk, value, buckets, block, causal, ahead=True)


@wrong("sorted_lsh_attention", read="itself-last", slip=True)
def sees_itself_when_causal(qk, value, buckets, block, causal=False):
    """causal일 때 자기 자신을 다른 위치와 함께 보았습니다. causal이어도 달리 볼 것이 없을 때만 자기를 봅니다."""
    return _by_buckets(qk, value, buckets, block, causal, itself=causal)


@wrong("sorted_lsh_attention", read="itself-last", slip=True)
def nothing_for_the_first(qk, value, buckets, block, causal=False):
    """causal일 때 버킷의 첫 위치가 0이 되었습니다. 앞에 아무도 없으면 자기 자신을 봅니다."""
    return _by_buckets(qk, value, buckets, block, causal, seen_first=not causal)


@wrong("sorted_lsh_attention", read="shared-qk", slip=True, hint=DTYPE)
def lsh_in_float32(qk, value, buckets, block, causal=False):
    return _by_buckets(qk, value, buckets, block, causal).float()


@wrong("sorted_lsh_attention", read="shared-qk", slip=True, hint=CHANGED)
def lsh_in_place(qk, value, buckets, block, causal=False):
    found = _by_buckets(qk, value, buckets, block, causal)
    with torch.no_grad():
        qk += 1
    return found


@wrong("sorted_lsh_attention", read="shared-qk", slip=True, hint=CUT)
def lsh_without_gradient(qk, value, buckets, block, causal=False):
    return _by_buckets(qk.detach(), value, buckets, block, causal)


@wrong("sorted_lsh_attention", read="shared-qk", slip=True, hint=DEVICE)
def lsh_on_the_cpu(qk, value, buckets, block, causal=False):
    return _by_buckets(qk, value, buckets, block, causal) + torch.zeros(value.shape, dtype=value.dtype)


# positive_random_features -----------------------------------------------------------------------------------


def _features(x, projection, subtract):
    return (x @ projection.mT - subtract).exp() / len(projection) ** 0.5


def _square(x):
    return x.square().sum(-1, keepdim=True)


@right_answer("positive_random_features")
def _features_right(x, projection):
    return _features(x, projection, _square(x) / 2)


@wrong("positive_random_features", read="random-features")
def no_square(x, projection):
    """|x|² / 2를 빼지 않았습니다. 큰 벡터일수록 특징이 너무 커집니다."""
    return _features(x, projection, 0.0)


@wrong("positive_random_features", read="random-features")
def square_not_halved(x, projection):
    """|x|²을 2로 나누지 않고 뺐습니다. |x|² / 2를 빼십시오."""
    return _features(x, projection, _square(x))


@wrong("positive_random_features", read="random-features")
def norm_not_squared(x, projection):
    """벡터의 크기 |x|의 절반을 뺐습니다. 크기의 제곱 |x|²의 절반을 빼십시오."""
    return _features(x, projection, _square(x).sqrt() / 2)


@wrong("positive_random_features", read="random-features")
def square_added(x, projection):
    """|x|² / 2를 더했습니다. 빼야 합니다."""
    return _features(x, projection, -_square(x) / 2)


@wrong("positive_random_features", read="random-features")
def mean_of_squares(x, projection):
    """성분의 제곱을 더하지 않고 평균했습니다. |x|²은 성분의 제곱을 모두 더한 수입니다."""
    return _features(x, projection, x.square().mean(-1, keepdim=True) / 2)


@wrong("positive_random_features", read="random-features")
def not_divided(x, projection):
    """√m으로 나누지 않았습니다. 내적이 m배가 됩니다."""
    return _features(x, projection, _square(x) / 2) * len(projection) ** 0.5


@wrong("positive_random_features", read="random-features")
def divided_by_m(x, projection):
    """m으로 나누었습니다. 특징끼리 내적할 때 두 번 나누게 되므로 √m으로 나눕니다."""
    return _features(x, projection, _square(x) / 2) / len(projection) ** 0.5


@wrong("positive_random_features", read="why-positive")
def sines_and_cosines(x, projection):
    """특징이 두 배로 많고 음수가 있습니다. 사인과 코사인은 분모가 0에 가까워질 수 있습니다. 지수 함수를 쓰십시오."""
    along = x @ projection.mT
    waves = torch.cat([along.sin(), along.cos()], dim=-1)
    return (_square(x) / 2).exp() * waves / len(projection) ** 0.5


@wrong("positive_random_features", read="why-positive")
def rectified(x, projection):
    """지수 함수 대신 ReLU를 썼습니다. 양수이지만 소프트맥스가 아닌 다른 커널의 특징입니다."""
    return (x @ projection.mT).relu() / len(projection) ** 0.5


@wrong("positive_random_features", read="features-and-denominator")
def own_maximum_taken_off(x, projection):
    """벡터마다 가장 큰 지수를 뺐습니다. 위치마다 다른 수를 빼면 키의 무게가 달라집니다."""
    exponents = x @ projection.mT - _square(x) / 2
    return (exponents - exponents.amax(-1, keepdim=True)).exp() / len(projection) ** 0.5


@wrong("positive_random_features", read="linear-time")
def scaled_inside(x, projection):
    """차원의 네제곱근으로 나누는 일을 여기서 했습니다. 그것은 어텐션이 질의와 키에 합니다."""
    x = x * x.shape[-1] ** -0.25
    return _features(x, projection, _square(x) / 2)


@wrong("positive_random_features", read="random-features")
def one_norm_for_all(x, projection):
    """크기를 벡터마다가 아니라 전체에서 하나 쟀습니다. |x|²은 벡터마다 마지막 축의 제곱을 더한 것입니다."""
    return _features(x, projection, x.square().sum() / 2)


@wrong("positive_random_features", read="random-features")
def norms_in_a_row(x, projection):
    """뺄 것의 축이 어긋났습니다. 벡터마다 하나인 |x|² / 2를 특징의 축에 걸쳐 뺐습니다. keepdim=True로 축을 남기십시오."""
    return _features(x, projection, x.square().sum(-1) / 2)


@wrong("positive_random_features", read="random-features")
def norms_of_directions(x, projection):
    """x의 크기가 아니라 방향 ω의 크기를 썼습니다. 빼는 것은 |x|² / 2입니다."""
    return _features(x, projection, projection.square().sum(-1) / 2)


@wrong("positive_random_features", read="random-features")
def both_norms(x, projection):
    """|x|² / 2에 더해 방향 ω의 |ω|² / 2까지 뺐습니다. 빼는 것은 x의 것뿐입니다."""
    return _features(x, projection, (_square(x) + projection.square().sum(-1)) / 2)


@wrong("positive_random_features", read="random-features")
def directions_of_unit_norm(x, projection):
    """방향의 크기를 1로 맞추었습니다. projection의 행을 받은 그대로 내적합니다."""
    return _features(x, normalize(projection, dim=-1), _square(x) / 2)


@wrong("positive_random_features", read="random-features")
def vectors_of_unit_norm(x, projection):
    """x의 크기를 1로 맞추었습니다. x를 받은 그대로 쓰십시오."""
    x = normalize(x, dim=-1)
    return _features(x, projection, _square(x) / 2)


@wrong("positive_random_features", read="random-features")
def directions_in_columns(x, projection):
    """방향을 projection의 열에서 꺼냈습니다. 방향은 행입니다."""
    return _features(x, projection.mT, _square(x) / 2)


@wrong("positive_random_features", read="random-features")
def divided_by_sqrt_of_d(x, projection):
    """√m이 아니라 √d로 나누었습니다. m은 방향의 수, 곧 projection의 행의 수입니다."""
    m, d = projection.shape
    return _features(x, projection, _square(x) / 2) * (m / d) ** 0.5


@wrong("positive_random_features", read="random-features")
def multiplied_by_sqrt_of_m(x, projection):
    """√m을 곱했습니다. 나누어야 합니다."""
    return _features(x, projection, _square(x) / 2) * len(projection)


@wrong("positive_random_features", read="random-features")
def exponents_divided(x, projection):
    """지수를 √m으로 나누었습니다. 나누는 것은 exp를 한 다음입니다."""
    return ((x @ projection.mT - _square(x) / 2) / len(projection) ** 0.5).exp()


@wrong("positive_random_features", read="random-features")
def all_halved(x, projection):
    """ω · x까지 2로 나누었습니다. 2로 나누는 것은 |x|²뿐입니다."""
    return _features(x / 2, projection, _square(x) / 2)


@wrong("positive_random_features", read="random-features")
def subtracted_outside(x, projection):
    """|x|² / 2를 exp의 밖에서 뺐습니다. 지수에서 빼십시오."""
    return ((x @ projection.mT).exp() - _square(x) / 2) / len(projection) ** 0.5


@wrong("positive_random_features", read="why-positive")
def exponents_themselves(x, projection):
    """exp를 하지 않았습니다. 특징은 모두 양수여야 합니다."""
    return (x @ projection.mT - _square(x) / 2) / len(projection) ** 0.5


@wrong("positive_random_features", read="random-features")
def both_signs(x, projection):
    """특징이 두 배로 많습니다. exp(ω · x)와 exp(-ω · x)를 함께 쓰는 방법도 있지만 여기서는 방향마다 하나입니다."""
    directions = torch.cat([projection, -projection])
    return _features(x, directions, _square(x) / 2)


@wrong("positive_random_features", read="random-features")
def softmax_of_exponents(x, projection):
    """특징에 소프트맥스를 했습니다. 벡터마다 합이 1이 되어 크기를 잃습니다. exp를 하고 √m으로 나누기만 하십시오."""
    return (x @ projection.mT - _square(x) / 2).softmax(-1)


@wrong("positive_random_features", read="random-features")
def small_number_added(x, projection):
    """특징마다 작은 수를 더했습니다. 지수 함수는 이미 양수이고, 더한 만큼 내적이 어긋납니다. 작은 수는 어텐션의 분모에만 더할 수 있습니다."""
    return _features(x, projection, _square(x) / 2) + 1e-4


@wrong("positive_random_features", read="features-and-denominator")
def largest_of_all_taken_off(x, projection):
    """전체에서 가장 큰 지수를 뺐습니다. 이 함수의 값은 exp(ω · x - |x|² / 2)를 √m으로 나눈 것 그대로입니다."""
    exponents = x @ projection.mT - _square(x) / 2
    return (exponents - exponents.max()).exp() / len(projection) ** 0.5


@wrong("positive_random_features", read="random-features", slip=True)
def two_exponentials(x, projection):
    """큰 벡터에서 NaN이나 inf가 나옵니다. exp(ω · x)를 따로 구하면 넘칩니다. 지수에서 먼저 빼고 exp를 한 번 하십시오."""
    return (x @ projection.mT).exp() * (-_square(x) / 2).exp() / len(projection) ** 0.5


@wrong("positive_random_features", read="random-features", slip=True, hint=BATCH)
def features_of_one_batch_axis(x, projection):
    return _features(x, projection, x.square().sum(1, keepdim=True) / 2)


@wrong("positive_random_features", read="random-features", slip=True, hint=DTYPE)
def features_in_float32(x, projection):
    return _as_float32(_features_right(x, projection))


@wrong("positive_random_features", read="random-features", slip=True, hint=CHANGED)
def features_in_place(x, projection):
    found = _features_right(x, projection)
    x += 1
    return found


@wrong("positive_random_features", read="random-features", slip=True, hint=CUT)
def features_without_gradient(x, projection):
    with torch.no_grad():
        return _features_right(x, projection)


# performer_attention ----------------------------------------------------------------------------------------


def _phi(x, projection, power=-0.25):
    x = x * x.shape[-1] ** power
    return (x @ projection.mT - x.square().sum(-1, keepdim=True) / 2).exp()


def _sums(phi_q, phi_k, value, causal):
    """Numerator and denominator."""
    ones = torch.ones_like(value[..., :1])
    if causal:
        state = (phi_k.unsqueeze(-1) * torch.cat([value, ones], -1).unsqueeze(-2)).cumsum(-3)
        found = (phi_q.unsqueeze(-2) @ state).squeeze(-2)
    else:
        found = phi_q @ (phi_k.mT @ torch.cat([value, ones], -1))
    return found[..., :-1], found[..., -1:]


def _divided(phi_q, phi_k, value, causal):
    total, count = _sums(phi_q, phi_k, value, causal)
    return total / count


def _performer(query, key, value, projection, causal, power=-0.25):
    return _divided(_phi(query, projection, power), _phi(key, projection, power), value, causal)


@wrong("performer_attention", read="linear-time")
def performer_unscaled(query, key, value, projection, causal=False):
    """질의와 키에 d^(-1/4)를 곱하지 않았습니다. 점수를 √d로 나누지 않은 어텐션이 됩니다."""
    return _performer(query, key, value, projection, causal, power=0.0)


@wrong("performer_attention", read="linear-time")
def divided_by_sqrt_d_twice(query, key, value, projection, causal=False):
    """질의와 키에 모두 d^(-1/2)를 곱했습니다. 내적하면 d로 나눈 것이 됩니다. 각각 d^(-1/4)를 곱하십시오."""
    return _performer(query, key, value, projection, causal, power=-0.5)


@wrong("performer_attention", read="linear-time")
def not_normalised(query, key, value, projection, causal=False):
    """분모로 나누지 않았습니다. 특징의 내적은 exp(점수)이고 가중치가 아닙니다."""
    total, _ = _sums(_phi(query, projection), _phi(key, projection), value, causal)
    return total / len(projection)


@wrong("performer_attention", read="linear-time")
def divided_by_the_count(query, key, value, projection, causal=False):
    """합을 키의 수로 나누었습니다. 질의마다 다른 분모 φ(q)·Σφ(k)로 나누십시오."""
    total, _ = _sums(_phi(query, projection), _phi(key, projection), value, causal)
    return total / len(projection) / key.shape[-2]


@wrong("performer_attention", read="order-of-products")
def whole_kernel_matrix(query, key, value, projection, causal=False):
    """φ(Q)φ(K)ᵀ, 곧 n × n을 만들었습니다. 답은 같지만 메모리를 아끼지 못합니다. φ(K)ᵀV를 먼저 곱하십시오."""
    kernel = _phi(query, projection) @ _phi(key, projection).mT
    kernel = kernel.tril() if causal else kernel
    return kernel @ value / kernel.sum(-1, keepdim=True)


@wrong("performer_attention", read="prefix-sums", slip=True)
def square_when_causal(query, key, value, projection, causal=False):
    """causal일 때 n × n을 만들어 가렸습니다. 답은 같지만 메모리가 n²입니다. 앞의 합에 하나씩 더해 가십시오."""
    if not causal:
        return _performer(query, key, value, projection, False)
    kernel = (_phi(query, projection) @ _phi(key, projection).mT).tril()
    return kernel @ value / kernel.sum(-1, keepdim=True)


@wrong("performer_attention", read="prefix-sums")
def sums_to_the_end(query, key, value, projection, causal=False):
    """causal인데 뒤에 오는 키까지 더했습니다. 위치마다 그 위치까지의 합을 쓰십시오."""
    return _performer(query, key, value, projection, False)


@wrong("performer_attention", read="prefix-sums")
def sums_before_itself(query, key, value, projection, causal=False):
    """자기 자신을 더하지 않은 합을 썼습니다. 첫 출력은 0/0입니다. 합은 j ≤ i까지입니다."""
    if not causal:
        return _performer(query, key, value, projection, False)
    phi_q, phi_k = _phi(query, projection), _phi(key, projection)
    terms = phi_k.unsqueeze(-1) * torch.cat([value, torch.ones_like(value[..., :1])], -1).unsqueeze(-2)
    found = (phi_q.unsqueeze(-2) @ (terms.cumsum(-3) - terms)).squeeze(-2)
    return found[..., :-1] / found[..., -1:]


@wrong("performer_attention", read="prefix-sums")
def denominator_of_all(query, key, value, projection, causal=False):
    """분자만 앞에서부터 더하고 분모는 전체의 합을 썼습니다. 분모도 j ≤ i까지입니다."""
    phi_q, phi_k = _phi(query, projection), _phi(key, projection)
    return _sums(phi_q, phi_k, value, causal)[0] / _sums(phi_q, phi_k, value, False)[1]


@wrong("performer_attention", read="linear-time")
def softmax_over_features(query, key, value, projection, causal=False):
    """특징에 소프트맥스를 취했습니다. 특징은 이미 양수이고, 나누는 것은 모든 키에 걸친 합입니다."""
    scale = query.shape[-1] ** -0.25
    phi_q, phi_k = ((x * scale @ projection.mT).softmax(-1) for x in (query, key))
    total, count = _sums(phi_q, phi_k, value, causal)
    return total / count


@wrong("performer_attention", read="linear-time")
def output_and_nothing(query, key, value, projection, causal=False):
    """출력과 함께 다른 것을 돌려주었습니다. 가중치를 만들지 않으므로 출력 하나만 돌려줍니다."""
    return _performer(query, key, value, projection, causal), None


@wrong("performer_attention", read="linear-time")
def all_the_scale_to_the_query(query, key, value, projection, causal=False):
    """d^(-1/2)를 질의에만 곱했습니다. 키의 |k|²이 그대로여서 키의 특징이 달라집니다. 질의와 키에 각각 d^(-1/4)를 곱하십시오."""

    phi_q, phi_k = _phi(query, projection, -0.5), _phi(key, projection, 0.0)
    return _divided(phi_q, phi_k, value, causal)


@wrong("performer_attention", read="linear-time")
def all_the_scale_to_the_key(query, key, value, projection, causal=False):
    """d^(-1/2)를 키에만 곱했습니다. 질의의 특징과 키의 특징이 달라집니다. 질의와 키에 각각 d^(-1/4)를 곱하십시오."""

    phi_q, phi_k = _phi(query, projection, 0.0), _phi(key, projection, -0.5)
    return _divided(phi_q, phi_k, value, causal)


@wrong("performer_attention", read="linear-time")
def scale_to_the_query_alone(query, key, value, projection, causal=False):
    """d^(-1/4)를 질의에만 곱했습니다. 키에도 곱하십시오."""

    phi_q, phi_k = _phi(query, projection), _phi(key, projection, 0.0)
    return _divided(phi_q, phi_k, value, causal)


@wrong("performer_attention", read="linear-time")
def scale_to_the_key_alone(query, key, value, projection, causal=False):
    """d^(-1/4)를 키에만 곱했습니다. 질의에도 곱하십시오."""

    phi_q, phi_k = _phi(query, projection, 0.0), _phi(key, projection)
    return _divided(phi_q, phi_k, value, causal)


@wrong("performer_attention", read="linear-time")
def multiplied_by_the_root(query, key, value, projection, causal=False):
    """질의와 키에 d^(1/4)를 곱했습니다. 나누어야 합니다."""

    return _performer(query, key, value, projection, causal, power=0.25)


@wrong("performer_attention", read="features-and-denominator")
def keys_own_maximum_taken_off(query, key, value, projection, causal=False):
    """키마다 자기의 가장 큰 지수를 뺐습니다. 키마다 다른 수를 빼면 키의 무게가 달라집니다."""

    phi_k = _phi(key, projection)
    phi_k = phi_k / phi_k.amax(-1, keepdim=True)
    return _divided(_phi(query, projection), phi_k, value, causal)


@wrong("performer_attention", read="features-and-denominator")
def keys_without_square(query, key, value, projection, causal=False):
    """키의 특징에서 |k|² / 2를 빼지 않았습니다. 큰 키의 무게가 너무 커집니다."""

    phi_k = (key * key.shape[-1] ** -0.25 @ projection.mT).exp()
    return _divided(_phi(query, projection), phi_k, value, causal)


@wrong("performer_attention", read="linear-time")
def denominator_without_the_query(query, key, value, projection, causal=False):
    """분모에 질의의 특징이 없습니다. 분모는 φ(q) · Σφ(k)이고 질의마다 다릅니다."""

    phi_q, phi_k = _phi(query, projection), _phi(key, projection)
    count = phi_k.cumsum(-2) if causal else phi_k.sum(-2, keepdim=True)
    return _sums(phi_q, phi_k, value, causal)[0] / count.sum(-1, keepdim=True)


@wrong("performer_attention", read="linear-time")
def denominator_without_the_keys(query, key, value, projection, causal=False):
    """분모에 키의 특징이 없습니다. 분모는 φ(q) · Σφ(k)입니다."""

    phi_q, phi_k = _phi(query, projection), _phi(key, projection)
    return _sums(phi_q, phi_k, value, causal)[0] / phi_q.sum(-1, keepdim=True) / len(projection) ** 0.5


@wrong("performer_attention", read="prefix-sums")
def performer_always_causal(query, key, value, projection, causal=False):
    """언제나 앞만 보았습니다. causal이 아니면 모든 키를 더합니다."""

    return _performer(query, key, value, projection, True)


@wrong("performer_attention", read="prefix-sums")
def numerator_of_all(query, key, value, projection, causal=False):
    """분모만 앞에서부터 더하고 분자는 전체의 합을 썼습니다. 분자도 j ≤ i까지입니다."""

    phi_q, phi_k = _phi(query, projection), _phi(key, projection)
    return _sums(phi_q, phi_k, value, False)[0] / _sums(phi_q, phi_k, value, causal)[1]


@wrong("performer_attention", read="prefix-sums")
def sums_over_features(query, key, value, projection, causal=False):
    """합이 위치가 아니라 특징을 따라 쌓였습니다(`cumsum`의 축). 위치의 축에서, 앞에서부터 더해 가십시오."""
    if not causal:
        return _performer(query, key, value, projection, False)
    phi_q, phi_k = _phi(query, projection), _phi(key, projection)
    sums = (phi_k.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(-2)
    return (phi_q.unsqueeze(-2) @ sums).squeeze(-2) / (phi_q * phi_k.cumsum(-2)).sum(-1, keepdim=True)


@wrong("performer_attention", read="prefix-sums")
def sums_from_the_end(query, key, value, projection, causal=False):
    """causal인데 뒤에서부터 더했습니다. 합은 앞에서부터 j ≤ i까지입니다."""

    phi_q, phi_k = _phi(query, projection), _phi(key, projection)
    if causal:
        backwards = [x.flip(-2) for x in (phi_q, phi_k, value)]
        return _divided(*backwards, True).flip(-2)
    return _divided(phi_q, phi_k, value, False)


@wrong("performer_attention", read="linear-time", slip=True)
def performer_for_as_many_queries(query, key, value, projection, causal=False):
    """질의의 수가 키의 수와 다르면 어긋납니다. causal이 아니면 둘은 다를 수 있습니다."""

    if query.shape != key.shape:
        raise IndexError("another number of queries")
    return _performer(query, key, value, projection, causal)


@wrong("performer_attention", read="prefix-sums", slip=True)
def only_within_blocks(query, key, value, projection, causal=False):
    """causal이고 글이 길면 답이 다릅니다. 블록으로 나누었다면 앞의 블록까지의 합을 다음 블록으로 넘기십시오."""

    phi_q, phi_k = _phi(query, projection), _phi(key, projection)
    if not causal:
        return _divided(phi_q, phi_k, value, False)
    parts = zip(*(x.split(64, dim=-2) for x in (phi_q, phi_k, value)), strict=True)
    return torch.cat([_divided(*part, True) for part in parts], dim=-2)


@wrong("performer_attention", read="order-of-products", slip=True)
def sum_for_each_query_anew(query, key, value, projection, causal=False):
    """질의마다 합을 처음부터 다시 구했습니다. 답은 같지만 하는 일이 n²입니다. 합에는 i가 없으므로 한 번만 구하십시오."""

    if causal:
        return _performer(query, key, value, projection, True)
    phi_q, phi_k = _phi(query, projection), _phi(key, projection)
    each = [_divided(q, phi_k * 1, value * 1, False) for q in phi_q.split(1, dim=-2)]
    return torch.cat(each, dim=-2)


@wrong("performer_attention", read="prefix-sums", slip=True)
def prefix_for_each_query_anew(query, key, value, projection, causal=False):
    """causal일 때 위치마다 합을 처음부터 다시 구했습니다. 답은 같지만 하는 일이 n²입니다. 앞의 합에 하나씩 더해 가십시오."""

    phi_q, phi_k = _phi(query, projection), _phi(key, projection)
    if not causal:
        return _divided(phi_q, phi_k, value, False)
    n = key.shape[-2]
    each = [
        _divided(phi_q[..., i : i + 1, :], phi_k[..., : i + 1, :], value[..., : i + 1, :], False)
        for i in range(n)
    ]
    return torch.cat(each, dim=-2)


@wrong("performer_attention", read="linear-time", slip=True, hint=BATCH)
def performer_of_one_batch_axis(query, key, value, projection, causal=False):
    if query.dim() > 3:
        raise IndexError("too many axes")
    return _performer(query, key, value, projection, causal)


@wrong("performer_attention", read="prefix-sums", slip=True, hint=BATCH)
def causal_performer_of_one_batch_axis(query, key, value, projection, causal=False):
    if causal:
        return performer_of_one_batch_axis(query, key, value, projection, True)
    return _performer(query, key, value, projection, False)


@wrong("performer_attention", read="linear-time", slip=True, hint=DTYPE)
def performer_in_float32(query, key, value, projection, causal=False):
    return _as_float32(_performer(query, key, value, projection, causal))


@wrong("performer_attention", read="prefix-sums", slip=True, hint=DTYPE)
def causal_performer_in_float32(query, key, value, projection, causal=False):
    if causal:
        return performer_in_float32(query, key, value, projection, True)
    return _performer(query, key, value, projection, False)


@wrong("performer_attention", read="linear-time", slip=True, hint=CHANGED)
def performer_in_place(query, key, value, projection, causal=False):
    found = _performer(query, key, value, projection, causal)
    query += 1
    return found


@wrong("performer_attention", read="prefix-sums", slip=True, hint=CHANGED)
def causal_performer_in_place(query, key, value, projection, causal=False):
    if causal:
        return performer_in_place(query, key, value, projection, True)
    return _performer(query, key, value, projection, False)


@wrong("performer_attention", read="linear-time", slip=True, hint=CUT)
def performer_without_gradient(query, key, value, projection, causal=False):
    with torch.no_grad():
        return _performer(query, key, value, projection, causal)


@wrong("performer_attention", read="prefix-sums", slip=True, hint=CUT)
def causal_performer_without_gradient(query, key, value, projection, causal=False):
    if causal:
        return performer_without_gradient(query, key, value, projection, True)
    return _performer(query, key, value, projection, False)


@wrong("performer_attention", read="linear-time", slip=True, hint=DEVICE)
def performer_on_the_cpu(query, key, value, projection, causal=False):
    return torch.zeros(1, dtype=value.dtype) + _performer(query, key, value, projection, causal)


@wrong("performer_attention", read="prefix-sums", slip=True, hint=DEVICE)
def causal_performer_on_the_cpu(query, key, value, projection, causal=False):
    if causal:
        return performer_on_the_cpu(query, key, value, projection, True)
    return _performer(query, key, value, projection, False)
