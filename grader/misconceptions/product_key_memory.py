"""Wrong answers that people give to the exercise `product_key_memory`."""

import math

import torch
from torch import nn

from grader.judging.mistakes import misconception

# product_topk -----------------------------------------------------------------------------------------------


def _best(scores, k):
    """The best k in the order of their indices."""
    best = scores.argsort(dim=-1, descending=True, stable=True)[..., :k].sort(dim=-1).values
    return scores.gather(-1, best), best


def _topk(query, half_keys_1, half_keys_2, k, *, best=_best, add=torch.add, slot=None, final=None):
    """The right search, in parts that a mistake can replace."""
    n = len(half_keys_1)
    if k > n * n:
        raise ValueError("too many")
    query_1, query_2 = query.chunk(2, dim=-1)
    scores_1, best_1 = best(query_1 @ half_keys_1.T, k)
    scores_2, best_2 = best(query_2 @ half_keys_2.T, k)
    sums = add(scores_1[..., :, None], scores_2[..., None, :]).flatten(-2)
    slot = slot or (lambda i, j: i * n + j)
    slots = slot(best_1[..., :, None], best_2[..., None, :]).flatten(-2)
    scores, order = (final or (lambda x: x.sort(dim=-1, descending=True, stable=True)))(sums)
    return scores[..., :k], slots.gather(-1, order[..., :k])


@misconception(
    "product_topk",
    hint="첫째는 첫째와, 둘째는 둘째와만 짝지었습니다. 고른 것끼리의 짝 k * k개를 모두 견주어야 합니다. 둘째로 좋은 슬롯의 두 절반이 둘 다 둘째일 까닭은 없습니다.",
    read="product_key_memory#pkm-pairs",
)
def best_with_best(query, half_keys_1, half_keys_2, k):
    n = len(half_keys_1)
    if k > n * n:
        raise ValueError("too many")
    query_1, query_2 = query.chunk(2, dim=-1)
    scores_1, first = (query_1 @ half_keys_1.T).sort(dim=-1, descending=True, stable=True)
    scores_2, second = (query_2 @ half_keys_2.T).sort(dim=-1, descending=True, stable=True)
    return (scores_1 + scores_2)[..., :k], (first * n + second)[..., :k]


@misconception(
    "product_topk",
    hint="슬롯 번호에서 두 절반이 바뀌었습니다. 첫째 절반의 i번째와 둘째 절반의 j번째가 만드는 슬롯은 i * n + j입니다.",
    read="product_key_memory#pkm-pairs",
)
def slot_the_other_way_round(query, half_keys_1, half_keys_2, k):
    n = len(half_keys_1)
    return _topk(query, half_keys_1, half_keys_2, k, slot=lambda i, j: j * n + i)


@misconception(
    "product_topk",
    hint="슬롯 번호 대신 후보 안에서의 번호를 돌려주었습니다. 후보의 번호를 반쪽 키의 번호로 되돌려 i * n + j를 만드십시오.",
    read="product_key_memory#pkm-pairs",
)
def place_among_the_candidates(query, half_keys_1, half_keys_2, k):
    few = min(k, len(half_keys_1))

    def slot(i, j):
        return (
            torch.arange(few * few, device=i.device)
            .view(few, few)
            .expand(torch.broadcast_shapes(i.shape, j.shape))
        )

    return _topk(query, half_keys_1, half_keys_2, k, slot=slot)


@misconception(
    "product_topk",
    hint="두 절반의 점수를 곱했습니다. 이어 붙인 벡터의 내적은 절반의 내적을 더한 것입니다.",
    read="product_key_memory#pkm-exact",
)
def halves_multiplied(query, half_keys_1, half_keys_2, k):
    return _topk(query, half_keys_1, half_keys_2, k, add=torch.mul)


@misconception(
    "product_topk",
    hint="점수를 차원의 제곱근으로 나누었습니다. 여기의 점수는 내적 그대로입니다.",
    read="product_key_memory#pkm-exact",
)
def scaled(query, half_keys_1, half_keys_2, k):
    scores, slots = _topk(query, half_keys_1, half_keys_2, k)
    return scores / query.shape[-1] ** 0.5, slots


@misconception(
    "product_topk",
    hint="절반에서 제곱근 k개만 골랐습니다. 가장 좋은 k개가 모두 같은 반쪽 키를 쓸 수도 있습니다. 절반마다 k개가 있어야 정확합니다.",
    read="product_key_memory#pkm-exact",
)
def root_of_k_per_half(query, half_keys_1, half_keys_2, k):
    few = math.ceil(k**0.5)
    return _topk(query, half_keys_1, half_keys_2, k, best=lambda scores, _: _best(scores, few))


@misconception(
    "product_topk",
    hint="두 절반을 모두 half_keys_1과 견주었습니다. 뒤 절반에는 자기 반쪽 키 half_keys_2가 있습니다.",
    read="product_key_memory#pkm-pairs",
)
def one_codebook_for_both_halves(query, half_keys_1, half_keys_2, k):
    return _topk(query, half_keys_1, half_keys_1, k)


@misconception(
    "product_topk",
    hint="질의의 두 절반을 바꾸어 견주었습니다. 앞 절반이 half_keys_1, 뒤 절반이 half_keys_2의 것입니다.",
    read="product_key_memory#pkm-pairs",
)
def halves_of_the_query_swapped(query, half_keys_1, half_keys_2, k):
    return _topk(torch.cat(query.chunk(2, dim=-1)[::-1], dim=-1), half_keys_1, half_keys_2, k)


@misconception(
    "product_topk",
    hint="키 n * n개를 모두 견주었습니다. 답은 맞지만 곱 키를 쓰는 까닭이 사라집니다. 절반에서 먼저 k개씩으로 줄이십시오.",
    read="product_key_memory#pkm-pairs",
)
def every_key_scored(query, half_keys_1, half_keys_2, k):
    return _topk(query, half_keys_1, half_keys_2, k, best=lambda scores, _: _best(scores, len(half_keys_1)))


@misconception(
    "product_topk",
    hint="점수가 같을 때의 차례가 슬롯 번호를 따르지 않습니다. 후보를 점수 차례로 늘어놓으면 stable=True도 슬롯 차례를 지키지 못합니다. 후보를 슬롯 차례로 늘어놓고 정렬하십시오.",
    read="product_key_memory#pkm-ties",
)
def ties_in_the_order_of_halves(query, half_keys_1, half_keys_2, k):
    def best(scores, k):
        scores, order = scores.sort(dim=-1, descending=True, stable=True)
        return scores[..., :k], order[..., :k]

    return _topk(query, half_keys_1, half_keys_2, k, best=best)


@misconception(
    "product_topk",
    hint="k가 n보다 크면 멈춥니다. 반쪽 키는 n개뿐이지만 짝은 n * n개입니다. 절반에서는 min(k, n)개를 고르십시오.",
    read="product_key_memory#pkm-cost",
)
def stops_beyond_n(query, half_keys_1, half_keys_2, k):
    if k > len(half_keys_1):
        raise ValueError("k is larger than n")
    return _topk(query, half_keys_1, half_keys_2, k)


@misconception(
    "product_topk",
    hint="슬롯보다 많이 달라는 k를 받아들였습니다. k가 n * n보다 크면 ValueError를 내십시오.",
    read="product_key_memory#pkm-grading",
)
def too_large_k_accepted(query, half_keys_1, half_keys_2, k):
    return _topk(query, half_keys_1, half_keys_2, min(k, len(half_keys_1) ** 2))


@misconception(
    "product_topk",
    hint="점수가 작은 것부터 돌려주었습니다. 가장 큰 것이 먼저입니다.",
    read="product_key_memory#pkm-grading",
)
def worst_first(query, half_keys_1, half_keys_2, k):
    scores, slots = _topk(query, half_keys_1, half_keys_2, k)
    return scores.flip(-1), slots.flip(-1)


@misconception(
    "product_topk",
    hint="점수 대신 소프트맥스를 돌려주었습니다. 소프트맥스는 문제 2에서 취합니다.",
    read="product_key_memory#pkm-grading",
)
def weights_for_scores(query, half_keys_1, half_keys_2, k):
    scores, slots = _topk(query, half_keys_1, half_keys_2, k)
    return scores.softmax(dim=-1), slots


@misconception(
    "product_topk",
    hint="점수에서 기울기가 끊겼습니다(detach, no_grad). 질의와 반쪽 키는 이 점수로만 배웁니다.",
    read="product_key_memory#pkm-grading",
)
def scores_without_gradient(query, half_keys_1, half_keys_2, k):
    scores, slots = _topk(query, half_keys_1, half_keys_2, k)
    return scores.detach(), slots


# ProductKeyMemory -------------------------------------------------------------------------------------------


class _InParts(nn.Module):
    """The right memory, in parts that a mistake can replace."""

    def __init__(self, d_model, num_half_keys, d_value, k, num_heads):
        super().__init__()
        self.refuse(d_model, num_half_keys, k)
        self.k, self.num_heads, self.d_model = k, num_heads, d_model
        self.query = nn.Linear(d_model, num_heads * d_model)
        self.half_keys = nn.Parameter(self.start(num_heads, 2, num_half_keys, d_model // 2))
        self.values = nn.Embedding(num_half_keys**2, d_value)

    def refuse(self, d_model, num_half_keys, k):
        if d_model % 2 or k > num_half_keys**2:
            raise ValueError("impossible")

    def start(self, *shape):
        return torch.randn(shape)

    def queries(self, x):
        return self.query(x).split(self.d_model, dim=-1)

    def keys(self, head):
        return self.half_keys[head]

    def weights(self, scores):
        return scores.softmax(dim=-1)

    def read(self, query, head):
        scores, slots = _topk(query, *self.keys(head), self.k)
        return (self.weights(scores)[..., None] * self.values(slots)).sum(dim=-2)

    def forward(self, x):
        return sum(self.read(query, head) for head, query in enumerate(self.queries(x)))


@misconception(
    "ProductKeyMemory",
    hint="헤드의 결과를 평균했습니다. 헤드마다 읽은 것을 더해야 합니다.",
    read="product_key_memory#pkm-heads",
)
class HeadsAveraged(_InParts):
    def forward(self, x):
        return super().forward(x) / self.num_heads


@misconception(
    "ProductKeyMemory",
    hint="모든 헤드가 같은 질의를 썼습니다. query의 출력 h * d_model개를 d_model개씩 나누어 헤드마다 하나씩 주십시오.",
    read="product_key_memory#pkm-heads",
)
class OneQueryForAllHeads(_InParts):
    def queries(self, x):
        return [super().queries(x)[0]] * self.num_heads


@misconception(
    "ProductKeyMemory",
    hint="모든 헤드가 첫 헤드의 반쪽 키를 썼습니다. 반쪽 키는 헤드마다 따로입니다.",
    read="product_key_memory#pkm-heads",
)
class OneCodebookForAllHeads(_InParts):
    def keys(self, head):
        return self.half_keys[0]


@misconception(
    "ProductKeyMemory",
    hint="두 절반이 같은 반쪽 키를 썼습니다. half_keys[h, 0]은 앞 절반, half_keys[h, 1]은 뒤 절반의 것입니다.",
    read="product_key_memory#pkm-pairs",
)
class OneCodebookForBothHalves(_InParts):
    def keys(self, head):
        return self.half_keys[head, 0], self.half_keys[head, 0]


@misconception(
    "ProductKeyMemory",
    hint="점수를 차원의 제곱근으로 나누었습니다. 이 메모리의 점수는 내적 그대로입니다.",
    read="product_key_memory#pkm-exact",
)
class Scaled(_InParts):
    def weights(self, scores):
        return (scores / self.d_model**0.5).softmax(dim=-1)


@misconception(
    "ProductKeyMemory",
    hint="소프트맥스를 모든 슬롯에 취했습니다. 찾은 k개의 점수에만 취해야 가중치의 합이 1입니다.",
    read="product_key_memory#pkm-heads",
)
class SoftmaxOverAllSlots(_InParts):
    def read(self, query, head):
        scores, slots = _topk(query, *self.keys(head), self.half_keys.shape[2] ** 2)
        weights = scores.softmax(dim=-1)[..., : self.k]
        return (weights[..., None] * self.values(slots[..., : self.k])).sum(dim=-2)


@misconception(
    "ProductKeyMemory",
    hint="헤드를 이어 한꺼번에 소프트맥스를 취했습니다. 헤드마다 가중치의 합이 1이어야 합니다.",
    read="product_key_memory#pkm-heads",
)
class SoftmaxAcrossHeads(_InParts):
    def forward(self, x):
        found = [_topk(query, *self.keys(h), self.k) for h, query in enumerate(self.queries(x))]
        weights = torch.cat([scores for scores, _ in found], dim=-1).softmax(dim=-1)
        return (weights[..., None] * self.values(torch.cat([slots for _, slots in found], dim=-1))).sum(
            dim=-2
        )


@misconception(
    "ProductKeyMemory",
    hint="찾은 값을 같은 무게로 평균했습니다. 점수의 소프트맥스가 무게입니다. 그래야 키와 질의가 배웁니다.",
    read="product_key_memory#pkm-heads",
)
class EqualWeights(_InParts):
    def weights(self, scores):
        return torch.full_like(scores, 1 / self.k)


@misconception(
    "ProductKeyMemory",
    hint="가장 가까운 슬롯 하나만 읽었습니다. k개를 소프트맥스로 섞어야 합니다.",
    read="product_key_memory#pkm-heads",
)
class OnlyTheBest(_InParts):
    def weights(self, scores):
        return torch.ones_like(scores) * (torch.arange(self.k, device=scores.device) == 0)


@misconception(
    "ProductKeyMemory",
    hint="소프트맥스 없이 점수를 그대로 곱했습니다. 가중치는 합이 1이어야 합니다.",
    read="product_key_memory#pkm-heads",
)
class RawScores(_InParts):
    def weights(self, scores):
        return scores


@misconception(
    "ProductKeyMemory",
    hint="exp를 직접 써서 점수가 크면 inf / inf가 됩니다. softmax는 가장 큰 점수를 먼저 뺍니다.",
    read="product_key_memory#pkm-grading",
)
class ExponentialsByHand(_InParts):
    def weights(self, scores):
        return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


@misconception(
    "ProductKeyMemory",
    hint="출력과 가중치를 함께 돌려주었습니다. 이 모듈은 출력 하나만 돌려줍니다.",
    read="product_key_memory#pkm-grading",
)
class OutputAndWeights(_InParts):
    def forward(self, x):
        query = self.queries(x)[0]
        return super().forward(x), self.weights(_topk(query, *self.keys(0), self.k)[0])


@misconception(
    "ProductKeyMemory",
    hint="반쪽 키가 모두 같은 수에서 시작합니다. 모든 키의 점수가 같아 언제나 같은 슬롯만 읽습니다. 무작위로 시작하십시오.",
    read="product_key_memory#pkm-usage",
)
class KeysStartAtZero(_InParts):
    def start(self, *shape):
        return torch.zeros(shape)


@misconception(
    "ProductKeyMemory",
    hint="가중치에서 기울기가 끊겼습니다. 질의와 반쪽 키가 배우지 못합니다.",
    read="product_key_memory#pkm-usage",
)
class WeightsWithoutGradient(_InParts):
    def weights(self, scores):
        return scores.softmax(dim=-1).detach()


@misconception(
    "ProductKeyMemory",
    hint="홀수 d_model이나 슬롯보다 큰 k를 받아들였습니다. 모듈을 만들 때 ValueError를 내십시오.",
    read="product_key_memory#pkm-grading",
)
class ImpossibleSizesAccepted(_InParts):
    def refuse(self, d_model, num_half_keys, k): ...


# comparisons ------------------------------------------------------------------------------------------------


def _root(num_keys):
    n = math.isqrt(num_keys)
    if n * n != num_keys:
        raise ValueError("no square")
    return n


@misconception(
    "comparisons",
    hint="고른 것끼리의 짝을 견주는 k * k번이 빠졌습니다.",
    read="product_key_memory#pkm-cost",
)
def pairs_forgotten(num_keys, k):
    return 2 * _root(num_keys)


@misconception(
    "comparisons",
    hint="한쪽 절반만 세었습니다. 반쪽 키는 두 벌이므로 제곱근 N의 두 배입니다.",
    read="product_key_memory#pkm-cost",
)
def one_half_only(num_keys, k):
    return _root(num_keys) + min(k, _root(num_keys)) ** 2


@misconception(
    "comparisons",
    hint="k가 반쪽 키의 수보다 클 때를 놓쳤습니다. 절반에서 고를 수 있는 것은 제곱근 N개까지입니다.",
    read="product_key_memory#pkm-cost",
)
def k_not_capped(num_keys, k):
    return 2 * _root(num_keys) + k**2


@misconception(
    "comparisons",
    hint="키를 모두 견준 횟수입니다. 곱 키는 반쪽 키만 견줍니다.",
    read="product_key_memory#pkm-cost",
)
def all_keys(num_keys, k):
    _root(num_keys)
    return num_keys


@misconception(
    "comparisons",
    hint="고른 것을 2k개로 세었습니다. 두 절반에서 고른 것끼리 모두 짝지으므로 k * k개입니다.",
    read="product_key_memory#pkm-cost",
)
def candidates_added(num_keys, k):
    return 2 * _root(num_keys) + 2 * min(k, _root(num_keys))


@misconception(
    "comparisons",
    hint="제곱수가 아닌 슬롯의 수를 받아들였습니다. ValueError를 내십시오.",
    read="product_key_memory#pkm-grading",
)
def any_number_accepted(num_keys, k):
    n = math.isqrt(num_keys)
    return 2 * n + min(k, n) ** 2


@misconception(
    "comparisons",
    hint="실수를 돌려주었습니다. 횟수는 정수입니다. math.sqrt 대신 math.isqrt를 쓰십시오.",
    read="product_key_memory#pkm-grading",
)
def a_float(num_keys, k):
    n = float(_root(num_keys))
    return 2 * n + min(k, n) ** 2


# memory_usage -----------------------------------------------------------------------------------------------


def _totals(indices, weights, num_keys):
    totals = torch.zeros(num_keys, dtype=torch.float64)
    return totals.index_add_(0, indices.flatten(), weights.flatten().double())


def _divergence(p, num_keys):
    return torch.special.xlogy(p, num_keys * p).sum().item()


@misconception(
    "memory_usage",
    hint="읽은 횟수를 세었습니다. 슬롯마다 받은 가중치를 더하십시오. 가중치가 0인 읽기는 쓴 것이 아닙니다.",
    read="product_key_memory#pkm-usage",
)
def reads_counted(indices, weights, num_keys):
    counts = torch.bincount(indices.flatten(), minlength=num_keys).double()
    return (counts > 0).double().mean().item(), _divergence(counts / counts.sum(), num_keys)


@misconception(
    "memory_usage",
    hint="가중치가 0인 읽기도 쓰인 슬롯으로 세었습니다. 가중치의 합이 0보다 큰 슬롯만 셉니다.",
    read="product_key_memory#pkm-usage",
)
def zero_weight_is_used(indices, weights, num_keys):
    totals = _totals(indices, weights, num_keys)
    return len(indices.unique()) / num_keys, _divergence(totals / totals.sum(), num_keys)


@misconception(
    "memory_usage",
    hint="로그의 밑이 2입니다. 여기서는 밑이 e인 자연로그를 씁니다.",
    read="product_key_memory#pkm-usage",
)
def in_bits(indices, weights, num_keys):
    totals = _totals(indices, weights, num_keys)
    return (totals > 0).double().mean().item(), _divergence(totals / totals.sum(), num_keys) / math.log(2)


@misconception(
    "memory_usage",
    hint="엔트로피를 돌려주었습니다. 균등 분포와의 KL은 ln N에서 엔트로피를 뺀 것입니다.",
    read="product_key_memory#pkm-usage",
)
def entropy(indices, weights, num_keys):
    totals = _totals(indices, weights, num_keys)
    kl = _divergence(totals / totals.sum(), num_keys)
    return (totals > 0).double().mean().item(), math.log(num_keys) - kl


@misconception(
    "memory_usage",
    hint="KL의 방향이 반대입니다. 균등 분포에서 p까지를 재면 쓰이지 않은 슬롯이 하나만 있어도 무한대입니다.",
    read="product_key_memory#pkm-usage",
)
def the_other_direction(indices, weights, num_keys):
    totals = _totals(indices, weights, num_keys)
    p = totals / totals.sum()
    return (totals > 0).double().mean().item(), -(num_keys * p).log().mean().item()


@misconception(
    "memory_usage",
    hint="가중치의 합으로 나누지 않았습니다. p의 합이 1이어야 KL입니다.",
    read="product_key_memory#pkm-usage",
)
def not_normalised(indices, weights, num_keys):
    totals = _totals(indices, weights, num_keys)
    return (totals > 0).double().mean().item(), _divergence(totals, num_keys)


@misconception(
    "memory_usage",
    hint="쓰이지 않은 슬롯에서 0 * ln 0이 NaN이 되었습니다. p가 0인 항은 빼십시오.",
    read="product_key_memory#pkm-usage",
)
def zero_times_log_zero(indices, weights, num_keys):
    totals = _totals(indices, weights, num_keys)
    p = totals / totals.sum()
    return (totals > 0).double().mean().item(), (p * (num_keys * p).log()).sum().item()


@misconception(
    "memory_usage",
    hint="같은 슬롯을 다시 읽으면 앞의 가중치가 덮어써집니다. totals[indices] += weights는 되풀이된 번호를 한 번만 더합니다. index_add_를 쓰십시오.",
    read="product_key_memory#pkm-usage",
)
def repeats_overwritten(indices, weights, num_keys):
    totals = torch.zeros(num_keys, dtype=torch.float64)
    for slot, weight in zip(indices.flatten().tolist(), weights.flatten().tolist(), strict=True):
        totals[slot] = weight
    return (totals > 0).double().mean().item(), _divergence(totals / totals.sum(), num_keys)


@misconception(
    "memory_usage",
    hint="텐서를 돌려주었습니다. 둘 다 파이썬의 float여야 합니다(.item()).",
    read="product_key_memory#pkm-grading",
)
def tensors(indices, weights, num_keys):
    totals = _totals(indices, weights, num_keys)
    kl = _divergence(totals / totals.sum(), num_keys)
    return (totals > 0).double().mean(), torch.tensor(kl)
