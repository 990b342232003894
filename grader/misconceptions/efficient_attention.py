"""Wrong answers that people give to the exercise `efficient_attention`."""

import math

import torch
from torch.nn.functional import normalize

from grader.judging.mistakes import misconception

# linformer_attention ----------------------------------------------------------------------------------------


def _refuse_other_lengths(key, E, F):
    if not key.shape[-2] == E.shape[-1] == F.shape[-1]:
        raise ValueError("another length")


def _linformer(query, key, value, E, F, scale):
    _refuse_other_lengths(key, E, F)
    weights = (query @ (E @ key).mT * scale).softmax(-1)
    return weights @ (F @ value), weights


@misconception(
    "linformer_attention",
    hint="점수를 n개 다 만든 다음 줄였습니다. 답은 같지만 메모리는 n²입니다. E @ key를 먼저 계산하십시오.",
    read="efficient_attention#order-of-products",
)
def scores_then_mixed(query, key, value, E, F):
    _refuse_other_lengths(key, E, F)
    weights = (query @ key.mT @ E.mT / math.sqrt(key.shape[-1])).softmax(-1)
    return weights @ (F @ value), weights


@misconception(
    "linformer_attention",
    hint="소프트맥스를 한 다음에 줄였습니다. 줄인 가중치는 합이 1이 아닙니다. 키를 먼저 줄이고 점수를 내십시오.",
    read="efficient_attention#low-rank",
)
def weights_mixed_after_softmax(query, key, value, E, F):
    _refuse_other_lengths(key, E, F)
    weights = (query @ key.mT / math.sqrt(key.shape[-1])).softmax(-1) @ E.mT
    return weights @ (F @ value), weights


@misconception(
    "linformer_attention",
    hint="점수를 줄인 길이 k의 제곱근으로 나누었습니다. 나누는 것은 키의 차원의 제곱근입니다.",
    read="efficient_attention#low-rank",
)
def divided_by_sqrt_of_k(query, key, value, E, F):
    return _linformer(query, key, value, E, F, len(E) ** -0.5)


@misconception(
    "linformer_attention",
    hint="점수를 √d로 나누지 않았습니다.",
    read="efficient_attention#low-rank",
)
def linformer_unscaled(query, key, value, E, F):
    return _linformer(query, key, value, E, F, 1.0)


@misconception(
    "linformer_attention",
    hint="E와 F를 바꾸었습니다. E가 키를, F가 값을 줄입니다.",
    read="efficient_attention#low-rank",
)
def matrices_swapped(query, key, value, E, F):
    return _linformer(query, key, value, F, E, key.shape[-1] ** -0.5)


@misconception(
    "linformer_attention",
    hint="키와 값을 모두 E로 줄였습니다. 값은 F로 줄입니다.",
    read="efficient_attention#low-rank",
)
def one_matrix_for_both(query, key, value, E, F):
    _refuse_other_lengths(key, E, F)
    return _linformer(query, key, value, E, E, key.shape[-1] ** -0.5)


@misconception(
    "linformer_attention",
    hint="키만 줄이고 값은 n개 그대로 두었습니다. 가중치가 k개이므로 값도 k개여야 합니다.",
    read="efficient_attention#low-rank",
)
def only_the_keys_mixed(query, key, value, E, F):
    _refuse_other_lengths(key, E, F)
    weights = (query @ (E @ key).mT / math.sqrt(key.shape[-1])).softmax(-1)
    return weights @ value, weights


@misconception(
    "linformer_attention",
    hint="질의까지 줄였습니다. 출력은 질의마다 하나씩이어야 하므로 줄이는 것은 키와 값뿐입니다.",
    read="efficient_attention#low-rank",
)
def queries_mixed_too(query, key, value, E, F):
    _refuse_other_lengths(key, E, F)
    return _linformer(E @ query, key, value, E, F, key.shape[-1] ** -0.5)


@misconception(
    "linformer_attention",
    hint="길이가 다른 키를 받아들였습니다. E의 열을 잘라 쓰면 배우지 않은 섞음이 됩니다. ValueError를 내십시오.",
    read="efficient_attention#fixed-length",
)
def columns_cut_off(query, key, value, E, F):
    n = key.shape[-2]
    return _linformer(query, key, value, E[:, :n], F[:, :n], key.shape[-1] ** -0.5)


@misconception(
    "linformer_attention",
    hint="소프트맥스를 질의 축에 적용했습니다. 마지막 축에서 합이 1이어야 합니다.",
    read="attention#attention-softmax-axis",
)
def linformer_softmax_over_queries(query, key, value, E, F):
    _refuse_other_lengths(key, E, F)
    weights = (query @ (E @ key).mT / math.sqrt(key.shape[-1])).softmax(-2)
    return weights @ (F @ value), weights


# sliding_window_mask ----------------------------------------------------------------------------------------


def _distances(n):
    positions = torch.arange(n)
    return (positions[:, None] - positions).abs()


def _with_globals(mask, global_positions, rows=True, columns=True):
    for position in global_positions:
        if rows:
            mask[position] = True
        if columns:
            mask[:, position] = True
    return mask


@misconception(
    "sliding_window_mask",
    hint="window를 양쪽을 합한 폭으로 읽었습니다. 여기서는 한쪽의 폭입니다: |i - j| <= window.",
    read="efficient_attention#sliding-window",
)
def window_is_the_total(n, window, global_positions=()):
    return _with_globals(_distances(n) <= window // 2, global_positions)


@misconception(
    "sliding_window_mask",
    hint="창이 한 칸 좁습니다. 거리가 window인 위치도 봅니다 (< 대신 <=).",
    read="efficient_attention#sliding-window",
)
def one_too_narrow(n, window, global_positions=()):
    return _with_globals(_distances(n) < window, global_positions)


@misconception(
    "sliding_window_mask",
    hint="창이 처음과 끝을 이어 돕니다. 첫 위치의 왼쪽에는 아무것도 없습니다.",
    read="efficient_attention#sliding-window",
)
def wraps_around(n, window, global_positions=()):
    distances = _distances(n)
    return _with_globals(torch.minimum(distances, n - distances) <= window, global_positions)


@misconception(
    "sliding_window_mask",
    hint="겹치지 않는 블록으로 나누었습니다. 창은 위치마다 자기를 가운데에 두고 미끄러집니다.",
    read="efficient_attention#sliding-window",
)
def separate_blocks(n, window, global_positions=()):
    block = torch.arange(n) // (window + 1)
    return _with_globals(block[:, None] == block, global_positions)


@misconception(
    "sliding_window_mask",
    hint="앞쪽만 보았습니다. 창은 양쪽입니다. 인과 마스크는 쓰는 쪽에서 합칩니다.",
    read="efficient_attention#sliding-window",
)
def only_behind(n, window, global_positions=()):
    return _with_globals((_distances(n) <= window).tril(), global_positions)


@misconception(
    "sliding_window_mask",
    hint="전역 위치의 열만 켰습니다. 모두가 그 위치를 보지만, 그 위치는 아직 이웃만 봅니다. 행도 켜십시오.",
    read="efficient_attention#global-positions",
)
def global_columns_only(n, window, global_positions=()):
    return _with_globals(_distances(n) <= window, global_positions, rows=False)


@misconception(
    "sliding_window_mask",
    hint="전역 위치의 행만 켰습니다. 그 위치는 모두를 보지만, 아무도 그 위치를 보지 못합니다. 열도 켜십시오.",
    read="efficient_attention#global-positions",
)
def global_rows_only(n, window, global_positions=()):
    return _with_globals(_distances(n) <= window, global_positions, columns=False)


@misconception(
    "sliding_window_mask",
    hint="전역 위치를 무시했습니다. 그 위치의 행과 열을 모두 True로 바꾸십시오.",
    read="efficient_attention#global-positions",
)
def no_globals(n, window, global_positions=()):
    return _distances(n) <= window


@misconception(
    "sliding_window_mask",
    hint="전역 위치끼리만 서로 보게 했습니다. 모두가 전역 위치를 보고 전역 위치가 모두를 봅니다.",
    read="efficient_attention#global-positions",
)
def globals_among_themselves(n, window, global_positions=()):
    chosen = torch.zeros(n, dtype=torch.bool)
    chosen[list(global_positions)] = True
    return (_distances(n) <= window) | (chosen[:, None] & chosen)


@misconception(
    "sliding_window_mask",
    hint="극성이 반대입니다. 이 책의 마스크에서 True는 '볼 수 있다'입니다.",
    read="masking#polarity",
)
def hides_the_window(n, window, global_positions=()):
    return ~_with_globals(_distances(n) <= window, global_positions)


@misconception(
    "sliding_window_mask",
    hint="불리언이 아니라 0과 1의 수를 돌려주었습니다.",
    read="masking#polarity",
)
def numbers_for_a_mask(n, window, global_positions=()):
    return _with_globals(_distances(n) <= window, global_positions).float()


# lsh_buckets ------------------------------------------------------------------------------------------------


@misconception(
    "lsh_buckets",
    hint="반대 방향 -xR을 이어 붙이지 않았습니다. 버킷이 절반뿐이고, 반대쪽을 향한 벡터가 아무 버킷에나 들어갑니다.",
    read="efficient_attention#buckets",
)
def no_opposites(x, rotations):
    return (x @ rotations).argmax(-1)


@misconception(
    "lsh_buckets",
    hint="xR과 -xR을 번갈아 놓았습니다. xR 전체 뒤에 -xR 전체가 옵니다.",
    read="efficient_attention#buckets",
)
def signs_interleaved(x, rotations):
    along = x @ rotations
    return torch.stack([along, -along], dim=-1).flatten(-2).argmax(-1)


@misconception(
    "lsh_buckets",
    hint="가장 먼 방향의 번호입니다. -xR을 앞에 놓았거나 가장 작은 것을 골랐습니다. [xR; -xR]에서 가장 큰 것을 고르십시오.",
    read="efficient_attention#buckets",
)
def farthest_direction(x, rotations):
    along = x @ rotations
    return torch.cat([-along, along], dim=-1).argmax(-1)


@misconception(
    "lsh_buckets",
    hint="절댓값이 가장 큰 방향을 골랐습니다. 서로 반대쪽을 향한 벡터가 한 버킷에 들어갑니다.",
    read="efficient_attention#buckets",
)
def opposites_together(x, rotations):
    return (x @ rotations).abs().argmax(-1)


@misconception(
    "lsh_buckets",
    hint="방향마다의 부호를 이진수로 읽었습니다. 그것도 해싱이지만 여기서는 가장 가까운 방향 하나의 번호입니다.",
    read="efficient_attention#buckets",
)
def signs_as_bits(x, rotations):
    bits = (x @ rotations > 0).long()
    return (bits * 2 ** torch.arange(bits.shape[-1], device=x.device)).sum(-1)


@misconception(
    "lsh_buckets",
    hint="위치 축에서 골랐습니다. 벡터마다 하나씩, 마지막 축에서 고릅니다.",
    read="efficient_attention#buckets",
)
def largest_over_positions(x, rotations):
    along = x @ rotations
    return torch.cat([along, -along], dim=-1).argmax(-2)


# lsh_attention ----------------------------------------------------------------------------------------------


def _lsh(qk, value, buckets, causal, *, query=None, key=None, scale=None, others=None, itself=None):
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
    weights = scores.masked_fill(~(others | itself), float("-inf")).softmax(-1)
    return weights @ value, weights


def _same(buckets):
    return buckets[..., :, None] == buckets[..., None, :]


def _eye(qk):
    return torch.eye(qk.shape[-2], dtype=torch.bool, device=qk.device)


@misconception(
    "lsh_attention",
    hint="키를 크기 1로 맞추지 않았습니다. 큰 벡터가 모두의 가중치를 가져갑니다.",
    read="efficient_attention#shared-qk",
)
def keys_of_any_norm(qk, value, buckets, causal=False):
    return _lsh(qk, value, buckets, causal, key=qk)


@misconception(
    "lsh_attention",
    hint="질의까지 크기 1로 맞추었습니다. 맞추는 것은 키뿐입니다.",
    read="efficient_attention#shared-qk",
)
def queries_of_unit_norm(qk, value, buckets, causal=False):
    return _lsh(qk, value, buckets, causal, query=normalize(qk, dim=-1))


@misconception(
    "lsh_attention",
    hint="점수를 √d로 나누지 않았습니다.",
    read="efficient_attention#shared-qk",
)
def lsh_unscaled(qk, value, buckets, causal=False):
    return _lsh(qk, value, buckets, causal, scale=1.0)


@misconception(
    "lsh_attention",
    hint="자기 자신을 다른 위치와 함께 보았습니다. 질의와 키가 같은 벡터라 자기 점수가 늘 높습니다. 달리 볼 것이 없을 때만 봅니다.",
    read="efficient_attention#itself-last",
)
def sees_itself(qk, value, buckets, causal=False):
    return _lsh(qk, value, buckets, causal, others=_same(buckets))


@misconception(
    "lsh_attention",
    hint="자기 자신을 언제나 가렸습니다. 버킷에 혼자인 위치는 볼 것이 없어 NaN이 됩니다.",
    read="efficient_attention#itself-last",
)
def never_sees_itself(qk, value, buckets, causal=False):
    return _lsh(qk, value, buckets, causal, itself=_eye(qk) & False)


@misconception(
    "lsh_attention",
    hint="혼자인 위치의 출력을 0으로 했습니다. 달리 볼 것이 없으면 자기 자신을 봅니다.",
    read="efficient_attention#itself-last",
)
def zeros_when_alone(qk, value, buckets, causal=False):
    others = _same(buckets) & ~_eye(qk)
    alone = ~(others.tril() if causal else others).any(-1, keepdim=True)
    _, weights = _lsh(qk, value, buckets, causal)
    weights = weights.masked_fill(alone, 0.0)
    return weights @ value, weights


@misconception(
    "lsh_attention",
    hint="다른 버킷을 보았습니다. 보는 것은 버킷이 같은 위치입니다.",
    read="efficient_attention#buckets",
)
def other_buckets(qk, value, buckets, causal=False):
    return _lsh(qk, value, buckets, causal, others=~_same(buckets))


@misconception(
    "lsh_attention",
    hint="버킷을 쓰지 않았습니다. 모든 위치를 보면 아낄 것이 없습니다.",
    read="efficient_attention#buckets",
)
def all_buckets(qk, value, buckets, causal=False):
    return _lsh(qk, value, buckets, causal, others=~_eye(qk).expand_as(_same(buckets)))


@misconception(
    "lsh_attention",
    hint="가릴 점수를 -inf가 아니라 0으로 바꾸었습니다. exp(0)은 1이므로 다른 버킷도 가중치를 받습니다.",
    read="masking#minus-infinity",
)
def zero_for_other_buckets(qk, value, buckets, causal=False):
    _, right = _lsh(qk, value, buckets, causal)
    scores = qk @ normalize(qk, dim=-1).mT / math.sqrt(qk.shape[-1])
    weights = scores.masked_fill(right == 0, 0.0).softmax(-1)
    return weights @ value, weights


@misconception(
    "lsh_attention",
    hint="causal을 쓰지 않았습니다. 같은 버킷의 뒤에 있는 위치가 보입니다.",
    read="efficient_attention#itself-last",
)
def looks_ahead(qk, value, buckets, causal=False):
    return _lsh(qk, value, buckets, False)


@misconception(
    "lsh_attention",
    hint="달리 볼 것이 있는지를 미래를 가리기 전에 세었습니다. 버킷의 첫 위치는 앞에 아무도 없어 NaN이 됩니다. 가린 다음에 세십시오.",
    read="efficient_attention#itself-last",
)
def counted_before_the_mask(qk, value, buckets, causal=False):
    alone = ~(_same(buckets) & ~_eye(qk)).any(-1, keepdim=True)
    return _lsh(qk, value, buckets, causal, itself=_eye(qk) & alone)


@misconception(
    "lsh_attention",
    hint="출력만 돌려주었습니다. (출력, 가중치)를 돌려주십시오.",
    read="efficient_attention#shared-qk",
)
def lsh_output_alone(qk, value, buckets, causal=False):
    return _lsh(qk, value, buckets, causal)[0]


# positive_random_features -----------------------------------------------------------------------------------


def _features(x, projection, subtract):
    return (x @ projection.mT - subtract).exp() / len(projection) ** 0.5


def _square(x):
    return x.square().sum(-1, keepdim=True)


@misconception(
    "positive_random_features",
    hint="|x|² / 2를 빼지 않았습니다. 큰 벡터일수록 특징이 너무 커집니다.",
    read="efficient_attention#random-features",
)
def no_square(x, projection):
    return _features(x, projection, 0.0)


@misconception(
    "positive_random_features",
    hint="|x|²을 2로 나누지 않고 뺐습니다. |x|² / 2를 빼십시오.",
    read="efficient_attention#random-features",
)
def square_not_halved(x, projection):
    return _features(x, projection, _square(x))


@misconception(
    "positive_random_features",
    hint="벡터의 크기 |x|의 절반을 뺐습니다. 크기의 제곱 |x|²의 절반을 빼십시오.",
    read="efficient_attention#random-features",
)
def norm_not_squared(x, projection):
    return _features(x, projection, _square(x).sqrt() / 2)


@misconception(
    "positive_random_features",
    hint="|x|² / 2를 더했습니다. 빼야 합니다.",
    read="efficient_attention#random-features",
)
def square_added(x, projection):
    return _features(x, projection, -_square(x) / 2)


@misconception(
    "positive_random_features",
    hint="성분마다 제곱을 뺐습니다. |x|²은 성분의 제곱을 모두 더한 수 하나입니다.",
    read="efficient_attention#random-features",
)
def mean_of_squares(x, projection):
    return _features(x, projection, x.square().mean(-1, keepdim=True) / 2)


@misconception(
    "positive_random_features",
    hint="√m으로 나누지 않았습니다. 내적이 m배가 됩니다.",
    read="efficient_attention#random-features",
)
def not_divided(x, projection):
    return _features(x, projection, _square(x) / 2) * len(projection) ** 0.5


@misconception(
    "positive_random_features",
    hint="m으로 나누었습니다. 특징끼리 내적할 때 두 번 나누게 되므로 √m으로 나눕니다.",
    read="efficient_attention#random-features",
)
def divided_by_m(x, projection):
    return _features(x, projection, _square(x) / 2) / len(projection) ** 0.5


@misconception(
    "positive_random_features",
    hint="사인과 코사인을 썼습니다. 음수가 나와 분모가 0에 가까워질 수 있습니다. 지수 함수를 쓰십시오.",
    read="efficient_attention#why-positive",
)
def sines_and_cosines(x, projection):
    along = x @ projection.mT
    waves = torch.cat([along.sin(), along.cos()], dim=-1)
    return (_square(x) / 2).exp() * waves / len(projection) ** 0.5


@misconception(
    "positive_random_features",
    hint="지수 함수 대신 ReLU를 썼습니다. 양수이지만 소프트맥스가 아닌 다른 커널의 특징입니다.",
    read="efficient_attention#why-positive",
)
def rectified(x, projection):
    return (x @ projection.mT).relu() / len(projection) ** 0.5


@misconception(
    "positive_random_features",
    hint="벡터마다 가장 큰 지수를 뺐습니다. 위치마다 다른 수를 빼면 키의 무게가 달라집니다.",
    read="efficient_attention#features-and-denominator",
)
def own_maximum_taken_off(x, projection):
    exponents = x @ projection.mT - _square(x) / 2
    return (exponents - exponents.amax(-1, keepdim=True)).exp() / len(projection) ** 0.5


@misconception(
    "positive_random_features",
    hint="차원의 네제곱근으로 나누는 일을 여기서 했습니다. 그것은 어텐션이 질의와 키에 합니다.",
    read="efficient_attention#linear-time",
)
def scaled_inside(x, projection):
    x = x * x.shape[-1] ** -0.25
    return _features(x, projection, _square(x) / 2)


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


def _performer(query, key, value, projection, causal, power=-0.25):
    total, count = _sums(_phi(query, projection, power), _phi(key, projection, power), value, causal)
    return total / count


@misconception(
    "performer_attention",
    hint="질의와 키에 d^(-1/4)를 곱하지 않았습니다. 점수를 √d로 나누지 않은 어텐션이 됩니다.",
    read="efficient_attention#linear-time",
)
def performer_unscaled(query, key, value, projection, causal=False):
    return _performer(query, key, value, projection, causal, power=0.0)


@misconception(
    "performer_attention",
    hint="질의와 키에 모두 d^(-1/2)를 곱했습니다. 내적하면 d로 나눈 것이 됩니다. 각각 d^(-1/4)를 곱하십시오.",
    read="efficient_attention#linear-time",
)
def divided_by_sqrt_d_twice(query, key, value, projection, causal=False):
    return _performer(query, key, value, projection, causal, power=-0.5)


@misconception(
    "performer_attention",
    hint="분모로 나누지 않았습니다. 특징의 내적은 exp(점수)이고 가중치가 아닙니다.",
    read="efficient_attention#linear-time",
)
def not_normalised(query, key, value, projection, causal=False):
    total, _ = _sums(_phi(query, projection), _phi(key, projection), value, causal)
    return total / len(projection)


@misconception(
    "performer_attention",
    hint="합을 키의 수로 나누었습니다. 질의마다 다른 분모 φ(q)·Σφ(k)로 나누십시오.",
    read="efficient_attention#linear-time",
)
def divided_by_the_count(query, key, value, projection, causal=False):
    total, _ = _sums(_phi(query, projection), _phi(key, projection), value, causal)
    return total / len(projection) / key.shape[-2]


@misconception(
    "performer_attention",
    hint="φ(Q)φ(K)ᵀ, 곧 n × n을 만들었습니다. 답은 같지만 메모리를 아끼지 못합니다. φ(K)ᵀV를 먼저 곱하십시오.",
    read="efficient_attention#order-of-products",
)
def whole_kernel_matrix(query, key, value, projection, causal=False):
    kernel = _phi(query, projection) @ _phi(key, projection).mT
    kernel = kernel.tril() if causal else kernel
    return kernel @ value / kernel.sum(-1, keepdim=True)


@misconception(
    "performer_attention",
    hint="causal일 때 n × n을 만들어 가렸습니다. 답은 같지만 메모리가 n²입니다. 앞의 합에 하나씩 더해 가십시오.",
    read="efficient_attention#prefix-sums",
)
def square_when_causal(query, key, value, projection, causal=False):
    if not causal:
        return _performer(query, key, value, projection, False)
    kernel = (_phi(query, projection) @ _phi(key, projection).mT).tril()
    return kernel @ value / kernel.sum(-1, keepdim=True)


@misconception(
    "performer_attention",
    hint="causal을 쓰지 않았습니다. 뒤에 오는 키까지 더했습니다.",
    read="efficient_attention#prefix-sums",
)
def sums_to_the_end(query, key, value, projection, causal=False):
    return _performer(query, key, value, projection, False)


@misconception(
    "performer_attention",
    hint="자기 자신을 더하지 않은 합을 썼습니다. 첫 출력은 0/0입니다. 합은 j ≤ i까지입니다.",
    read="efficient_attention#prefix-sums",
)
def sums_before_itself(query, key, value, projection, causal=False):
    if not causal:
        return _performer(query, key, value, projection, False)
    phi_q, phi_k = _phi(query, projection), _phi(key, projection)
    terms = phi_k.unsqueeze(-1) * torch.cat([value, torch.ones_like(value[..., :1])], -1).unsqueeze(-2)
    found = (phi_q.unsqueeze(-2) @ (terms.cumsum(-3) - terms)).squeeze(-2)
    return found[..., :-1] / found[..., -1:]


@misconception(
    "performer_attention",
    hint="분자만 앞에서부터 더하고 분모는 전체의 합을 썼습니다. 분모도 j ≤ i까지입니다.",
    read="efficient_attention#prefix-sums",
)
def denominator_of_all(query, key, value, projection, causal=False):
    phi_q, phi_k = _phi(query, projection), _phi(key, projection)
    return _sums(phi_q, phi_k, value, causal)[0] / _sums(phi_q, phi_k, value, False)[1]


@misconception(
    "performer_attention",
    hint="특징에 소프트맥스를 취했습니다. 특징은 이미 양수이고, 나누는 것은 모든 키에 걸친 합입니다.",
    read="efficient_attention#linear-time",
)
def softmax_over_features(query, key, value, projection, causal=False):
    scale = query.shape[-1] ** -0.25
    phi_q, phi_k = ((x * scale @ projection.mT).softmax(-1) for x in (query, key))
    total, count = _sums(phi_q, phi_k, value, causal)
    return total / count


@misconception(
    "performer_attention",
    hint="출력과 함께 다른 것을 돌려주었습니다. 가중치를 만들지 않으므로 출력 하나만 돌려줍니다.",
    read="efficient_attention#linear-time",
)
def output_and_nothing(query, key, value, projection, causal=False):
    return _performer(query, key, value, projection, causal), None


# latent_attention -------------------------------------------------------------------------------------------


def _attend(query, key, value, scale, axis=-1):
    weights = (query @ key.mT * scale).softmax(axis)
    return weights @ value, weights


@misconception(
    "latent_attention",
    hint="입력이 묻고 잠재 벡터가 답하게 했습니다. 질의는 잠재 벡터에서, 키와 값은 입력에서 나옵니다.",
    read="efficient_attention#latents",
)
def inputs_ask(latents, inputs, W_q, W_k, W_v):
    return _attend(inputs @ W_q, latents @ W_k, latents @ W_v, W_k.shape[-1] ** -0.5)


@misconception(
    "latent_attention",
    hint="소프트맥스를 잠재 벡터 쪽에서 했습니다. 잠재 벡터마다 입력에 걸친 합이 1이어야 합니다.",
    read="efficient_attention#latents",
)
def softmax_over_latents(latents, inputs, W_q, W_k, W_v):
    return _attend(latents @ W_q, inputs @ W_k, inputs @ W_v, W_k.shape[-1] ** -0.5, axis=-2)


@misconception(
    "latent_attention",
    hint="점수를 키의 차원의 제곱근으로 나누지 않았습니다.",
    read="efficient_attention#latents",
)
def latents_unscaled(latents, inputs, W_q, W_k, W_v):
    return _attend(latents @ W_q, inputs @ W_k, inputs @ W_v, 1.0)


@misconception(
    "latent_attention",
    hint="점수를 잠재 벡터의 차원의 제곱근으로 나누었습니다. 나누는 것은 행렬을 곱한 다음의 키의 차원입니다.",
    read="efficient_attention#latents",
)
def divided_by_sqrt_of_latents(latents, inputs, W_q, W_k, W_v):
    return _attend(latents @ W_q, inputs @ W_k, inputs @ W_v, latents.shape[-1] ** -0.5)


@misconception(
    "latent_attention",
    hint="점수를 입력의 차원의 제곱근으로 나누었습니다. 나누는 것은 행렬을 곱한 다음의 키의 차원입니다.",
    read="efficient_attention#latents",
)
def divided_by_sqrt_of_inputs(latents, inputs, W_q, W_k, W_v):
    return _attend(latents @ W_q, inputs @ W_k, inputs @ W_v, inputs.shape[-1] ** -0.5)


@misconception(
    "latent_attention",
    hint="행렬을 전치해서 곱했습니다. 여기서는 그대로 오른쪽에서 곱합니다: latents @ W_q.",
    read="efficient_attention#latents",
)
def matrices_transposed(latents, inputs, W_q, W_k, W_v):
    return _attend(latents @ W_q.mT, inputs @ W_k.mT, inputs @ W_v.mT, W_k.shape[-1] ** -0.5)


@misconception(
    "latent_attention",
    hint="잠재 벡터끼리 보았습니다. 키와 값은 입력에서 나옵니다.",
    read="efficient_attention#latents",
)
def latents_among_themselves(latents, inputs, W_q, W_k, W_v):
    return _attend(latents @ W_q, latents @ W_k, latents @ W_v, W_k.shape[-1] ** -0.5)


@misconception(
    "latent_attention",
    hint="입력을 그대로 값으로 썼습니다. 값은 inputs @ W_v입니다.",
    read="efficient_attention#latents",
)
def values_not_projected(latents, inputs, W_q, W_k, W_v):
    return _attend(latents @ W_q, inputs @ W_k, inputs, W_k.shape[-1] ** -0.5)


@misconception(
    "latent_attention",
    hint="키에서 값을 냈습니다. 값은 키가 아니라 입력에 W_v를 곱한 것입니다.",
    read="efficient_attention#latents",
)
def keys_as_values(latents, inputs, W_q, W_k, W_v):
    key = inputs @ W_k
    return _attend(latents @ W_q, key, key, W_k.shape[-1] ** -0.5)


@misconception(
    "latent_attention",
    hint="출력을 잠재 벡터에 더했습니다. 잔차 연결은 이 함수의 밖에서 합니다.",
    read="efficient_attention#latents",
)
def latents_added(latents, inputs, W_q, W_k, W_v):
    output, weights = _attend(latents @ W_q, inputs @ W_k, inputs @ W_v, W_k.shape[-1] ** -0.5)
    return latents + output, weights
