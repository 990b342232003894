"""Wrong answers that people give to the exercise `product_key_memory`."""

import math

import torch
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# product_topk -----------------------------------------------------------------------------------------------


def _best(scores, k):
    """The best k in the order of their indices."""
    best = scores.argsort(dim=-1, descending=True, stable=True)[..., :k].sort(dim=-1).values
    return scores.gather(-1, best), best


@right_answer("product_topk")
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


@wrong("product_topk", read="pkm-pairs")
def best_with_best(query, half_keys_1, half_keys_2, k):
    """첫째는 첫째와, 둘째는 둘째와만 짝지었습니다. 고른 것끼리의 짝 k * k개를 모두 비교해야 합니다. 둘째로 좋은 슬롯의 두 절반이 둘 다 둘째일 이유는 없습니다."""
    n = len(half_keys_1)
    if k > n * n:
        raise ValueError("too many")
    query_1, query_2 = query.chunk(2, dim=-1)
    scores_1, first = (query_1 @ half_keys_1.T).sort(dim=-1, descending=True, stable=True)
    scores_2, second = (query_2 @ half_keys_2.T).sort(dim=-1, descending=True, stable=True)
    return (scores_1 + scores_2)[..., :k], (first * n + second)[..., :k]


@wrong("product_topk", read="pkm-pairs")
def slot_the_other_way_round(query, half_keys_1, half_keys_2, k):
    """슬롯 번호에서 두 절반이 바뀌었습니다. 첫째 절반의 i번째와 둘째 절반의 j번째가 만드는 슬롯은 i * n + j입니다."""
    n = len(half_keys_1)
    return _topk(query, half_keys_1, half_keys_2, k, slot=lambda i, j: j * n + i)


@wrong("product_topk", read="pkm-pairs")
def place_among_the_candidates(query, half_keys_1, half_keys_2, k):
    """슬롯 번호 대신 후보 안에서의 번호를 돌려주었습니다. 후보의 번호를 반쪽 키의 번호로 되돌려 i * n + j를 만드십시오."""
    few = min(k, len(half_keys_1))

    def slot(i, j):
        return (
            torch.arange(few * few, device=i.device)
            .view(few, few)
            .expand(torch.broadcast_shapes(i.shape, j.shape))
        )

    return _topk(query, half_keys_1, half_keys_2, k, slot=slot)


@wrong("product_topk", read="pkm-exact")
def halves_multiplied(query, half_keys_1, half_keys_2, k):
    """두 절반의 점수를 곱했습니다. 이어 붙인 벡터의 내적은 절반의 내적을 더한 것입니다."""
    return _topk(query, half_keys_1, half_keys_2, k, add=torch.mul)


@wrong("product_topk", read="pkm-exact")
def scaled(query, half_keys_1, half_keys_2, k):
    """점수의 크기를 바꾸었습니다(차원의 제곱근으로 나누기, 평균, 질의의 정규화 따위). 여기의 점수는 두 절반의 내적을 더한 그대로입니다."""
    scores, slots = _topk(query, half_keys_1, half_keys_2, k)
    return scores / query.shape[-1] ** 0.5, slots


@wrong("product_topk", read="pkm-exact")
def root_of_k_per_half(query, half_keys_1, half_keys_2, k):
    """절반에서 k개보다 적게 골랐습니다. 짝이 k개가 되는 것으로는 모자랍니다. 가장 좋은 k개가 모두 같은 반쪽 키를 쓸 수도 있습니다. 절반마다 k개가 있어야 정확합니다."""
    few = math.ceil(k**0.5)
    return _topk(query, half_keys_1, half_keys_2, k, best=lambda scores, _: _best(scores, few))


@wrong("product_topk", read="pkm-pairs")
def one_codebook_for_both_halves(query, half_keys_1, half_keys_2, k):
    """두 절반을 모두 half_keys_1과 비교했습니다. 뒤 절반에는 자기 반쪽 키 half_keys_2가 있습니다."""
    return _topk(query, half_keys_1, half_keys_1, k)


@wrong("product_topk", read="pkm-pairs")
def halves_of_the_query_swapped(query, half_keys_1, half_keys_2, k):
    """질의의 두 절반을 바꾸어 비교했습니다. 앞 절반이 half_keys_1, 뒤 절반이 half_keys_2의 것입니다."""
    return _topk(torch.cat(query.chunk(2, dim=-1)[::-1], dim=-1), half_keys_1, half_keys_2, k)


@wrong("product_topk", read="pkm-pairs")
def every_key_scored(query, half_keys_1, half_keys_2, k):
    """키 n * n개를 모두 비교했습니다. 답은 맞지만 곱 키를 쓰는 이유가 사라집니다. 절반에서 먼저 k개씩으로 줄이십시오."""
    return _topk(query, half_keys_1, half_keys_2, k, best=lambda scores, _: _best(scores, len(half_keys_1)))


@wrong("product_topk", read="pkm-ties", slip=True)
def ties_in_the_order_of_halves(query, half_keys_1, half_keys_2, k):
    """점수가 같을 때의 차례가 슬롯 번호를 따르지 않습니다. torch.topk는 이 차례를 약속하지 않고, 안정 정렬은 후보를 늘어놓은 차례를 지킬 뿐입니다. 후보가 슬롯 차례로 놓여 있어야 합니다."""

    def best(scores, k):
        scores, order = scores.sort(dim=-1, descending=True, stable=True)
        return scores[..., :k], order[..., :k]

    return _topk(query, half_keys_1, half_keys_2, k, best=best)


@wrong("product_topk", read="pkm-cost", slip=True)
def stops_beyond_n(query, half_keys_1, half_keys_2, k):
    """k가 n보다 크면 멈춥니다. 반쪽 키는 n개뿐이지만 짝은 n * n개입니다. 절반에서는 min(k, n)개를 고르십시오."""
    if k > len(half_keys_1):
        raise ValueError("k is larger than n")
    return _topk(query, half_keys_1, half_keys_2, k)


@wrong("product_topk", read="pkm-grading", slip=True)
def too_large_k_accepted(query, half_keys_1, half_keys_2, k):
    """슬롯보다 많이 달라는 k를 받아들였습니다. k가 n * n보다 크면 ValueError를 내십시오."""
    return _topk(query, half_keys_1, half_keys_2, min(k, len(half_keys_1) ** 2))


@wrong("product_topk", read="pkm-grading")
def worst_first(query, half_keys_1, half_keys_2, k):
    """점수가 작은 것부터 돌려주었습니다. 정렬은 작은 것부터입니다. 가장 큰 것이 먼저여야 합니다(descending=True)."""
    scores, slots = _topk(query, half_keys_1, half_keys_2, k)
    return scores.flip(-1), slots.flip(-1)


@wrong("product_topk", read="pkm-grading")
def weights_for_scores(query, half_keys_1, half_keys_2, k):
    """점수 대신 소프트맥스를 돌려주었습니다. 소프트맥스는 문제 2에서 취합니다."""
    scores, slots = _topk(query, half_keys_1, half_keys_2, k)
    return scores.softmax(dim=-1), slots


@wrong("product_topk", read="pkm-grading")
def scores_without_gradient(query, half_keys_1, half_keys_2, k):
    """점수에서 기울기가 끊겼습니다(detach, no_grad). 질의와 반쪽 키는 이 점수로만 배웁니다."""
    scores, slots = _topk(query, half_keys_1, half_keys_2, k)
    return scores.detach(), slots


@wrong("product_topk", read="pkm-pairs")
def stride_of_k(query, half_keys_1, half_keys_2, k):
    """슬롯 번호에서 n 대신 고른 수 k를 곱했습니다. 한 줄에 놓인 슬롯은 n개이므로 번호는 i * n + j입니다."""
    few = min(k, len(half_keys_1))
    return _topk(query, half_keys_1, half_keys_2, k, slot=lambda i, j: i * few + j)


@wrong("product_topk", read="pkm-pairs")
def first_half_of_the_query_twice(query, half_keys_1, half_keys_2, k):
    """뒤 절반에서도 질의의 앞 절반을 썼습니다. half_keys_2는 질의의 뒤 절반과 비교합니다."""
    first, _ = query.chunk(2, dim=-1)
    return _topk(torch.cat([first, first], dim=-1), half_keys_1, half_keys_2, k)


@wrong("product_topk", read="pkm-pairs")
def every_other_component(query, half_keys_1, half_keys_2, k):
    """질의를 짝수째와 홀수째 성분으로 나누었습니다. 앞에서부터 절반, 나머지 절반으로 나누어야 합니다."""
    halves = torch.cat([query[..., ::2], query[..., 1::2]], dim=-1)
    return _topk(halves, half_keys_1, half_keys_2, k)


@wrong("product_topk", read="pkm-exact")
def worst_of_each_half(query, half_keys_1, half_keys_2, k):
    """절반에서 점수가 가장 작은 k개를 골랐습니다. 정렬은 작은 것부터이므로 descending=True가 있어야 합니다."""

    def worst(scores, k):
        scores, found = _best(-scores, k)
        return -scores, found

    return _topk(query, half_keys_1, half_keys_2, k, best=worst)


@wrong("product_topk", read="pkm-grading")
def in_the_order_of_slots(query, half_keys_1, half_keys_2, k):
    """찾은 슬롯이 점수 차례로 놓여 있지 않습니다. 짝을 모두 더한 다음 점수가 큰 것부터 늘어놓으십시오."""
    scores, slots = _topk(query, half_keys_1, half_keys_2, k)
    slots, order = slots.sort(dim=-1)
    return scores.gather(-1, order), slots


@wrong("product_topk", read="pkm-grading")
def slots_first(query, half_keys_1, half_keys_2, k):
    """점수와 슬롯의 차례가 바뀌었습니다. 점수를 먼저, 슬롯을 다음에 돌려주십시오."""
    return _topk(query, half_keys_1, half_keys_2, k)[::-1]


@wrong("product_topk", read="pkm-pairs")
def all_pairs_returned(query, half_keys_1, half_keys_2, k):
    """짝을 모두 돌려주었습니다. 정렬한 다음 앞의 k개만 남기십시오."""
    n, few = len(half_keys_1), min(k, len(half_keys_1))
    everything = few**2 if k <= n * n else k
    return _topk(query, half_keys_1, half_keys_2, everything, best=lambda scores, _: _best(scores, few))


@wrong("product_topk", read="pkm-grading")
def one_batch_axis(query, half_keys_1, half_keys_2, k):
    """배치 축의 수가 달라지면 틀립니다. 질의의 앞에는 축이 없을 수도, 여럿일 수도 있습니다. 모든 계산을 마지막 축에서 하고, 앞의 축은 결과에 그대로 남기십시오."""
    return _topk(query.reshape(-1, query.shape[-1]), half_keys_1, half_keys_2, k)


@wrong("product_topk", read="pkm-cost", slip=True)
def fewer_beyond_n(query, half_keys_1, half_keys_2, k):
    """k가 n보다 크면 k개를 다 돌려주지 않습니다. 반쪽 키는 n개뿐이지만 짝은 n * n개입니다. 절반에서 고르는 수만 min(k, n)으로 줄이십시오."""
    if k > len(half_keys_1) ** 2:
        raise ValueError("too many")
    return _topk(query, half_keys_1, half_keys_2, min(k, len(half_keys_1)))


@wrong("product_topk", read="pkm-grading", slip=True)
def all_slots_refused(query, half_keys_1, half_keys_2, k):
    """k가 n * n일 때에도 멈춥니다. 모든 슬롯을 달라고 할 수는 있습니다. 그보다 클 때만 ValueError를 내십시오."""
    if k >= len(half_keys_1) ** 2:
        raise ValueError("too many")
    return _topk(query, half_keys_1, half_keys_2, k)


@wrong("product_topk", read="pkm-grading", slip=True)
def too_large_k_is_another_error(query, half_keys_1, half_keys_2, k):
    """k가 n * n보다 클 때 ValueError가 아닌 다른 오류로 멈춥니다. 먼저 k를 확인하고 ValueError를 내십시오."""
    assert k <= len(half_keys_1) ** 2
    return _topk(query, half_keys_1, half_keys_2, k)


@wrong("product_topk", read="pkm-grading", slip=True)
def scores_in_float32(query, half_keys_1, half_keys_2, k):
    """점수가 질의의 자료형을 따르지 않습니다. 질의가 float64이면 점수도 float64여야 합니다."""
    scores, slots = _topk(query, half_keys_1, half_keys_2, k)
    return scores.float(), slots


@wrong("product_topk", read="pkm-grading", slip=True)
def made_on_the_default_device(query, half_keys_1, half_keys_2, k):
    """안에서 만든 텐서가 질의와 다른 장치에 있습니다. device=query.device로 만드십시오."""
    scores, slots = _topk(query, half_keys_1, half_keys_2, k)
    return scores, slots + torch.zeros(k, dtype=torch.long)


# ProductKeyMemory -------------------------------------------------------------------------------------------


@right_answer("ProductKeyMemory")
class _InParts(nn.Module):
    """The right memory, in parts that a mistake can replace."""

    def __init__(self, d_model, num_half_keys, d_value, k, num_heads):
        super().__init__()
        self.refuse(d_model, num_half_keys, k)
        self.k, self.num_heads, self.d_model = k, num_heads, d_model
        self.query = nn.Linear(d_model, num_heads * d_model)
        self.half_keys = nn.Parameter(self.start(num_heads, 2, num_half_keys, d_model // 2))
        self.values = nn.Embedding(num_half_keys**2, d_value)
        self.change(d_model, num_half_keys, d_value, num_heads)

    def change(self, d_model, num_half_keys, d_value, num_heads): ...

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

    def values_at(self, slots):
        return self.values(slots)

    def read(self, query, head):
        scores, slots = _topk(query, *self.keys(head), self.k)
        return (self.weights(scores)[..., None] * self.values_at(slots)).sum(dim=-2)

    def forward(self, x):
        return sum(self.read(query, head) for head, query in enumerate(self.queries(x)))


@wrong("ProductKeyMemory", read="pkm-heads")
class HeadsAveraged(_InParts):
    """헤드의 결과를 평균했습니다. 헤드마다 읽은 것을 더해야 합니다."""

    def forward(self, x):
        return super().forward(x) / self.num_heads


@wrong("ProductKeyMemory", read="pkm-heads")
class OneQueryForAllHeads(_InParts):
    """모든 헤드가 같은 질의를 썼습니다. query의 출력 h * d_model개를 d_model개씩 나누어 헤드마다 하나씩 주십시오."""

    def queries(self, x):
        return [super().queries(x)[0]] * self.num_heads


@wrong("ProductKeyMemory", read="pkm-heads")
class OneCodebookForAllHeads(_InParts):
    """모든 헤드가 첫 헤드의 반쪽 키를 썼습니다. 반쪽 키는 헤드마다 따로입니다."""

    def keys(self, head):
        return self.half_keys[0]


@wrong("ProductKeyMemory", read="pkm-pairs")
class OneCodebookForBothHalves(_InParts):
    """두 절반이 같은 반쪽 키를 썼습니다. half_keys[h, 0]은 앞 절반, half_keys[h, 1]은 뒤 절반의 것입니다."""

    def keys(self, head):
        return self.half_keys[head, 0], self.half_keys[head, 0]


@wrong("ProductKeyMemory", read="pkm-exact")
class Scaled(_InParts):
    """점수를 차원이나 그 제곱근으로 나누었습니다. 이 메모리의 점수는 내적 그대로입니다."""

    def weights(self, scores):
        return (scores / self.d_model**0.5).softmax(dim=-1)


@wrong("ProductKeyMemory", read="pkm-heads")
class SoftmaxOverAllSlots(_InParts):
    """소프트맥스를 모든 슬롯에 취했습니다. 찾은 k개의 점수에만 취해야 가중치의 합이 1입니다."""

    def read(self, query, head):
        scores, slots = _topk(query, *self.keys(head), self.half_keys.shape[2] ** 2)
        weights = scores.softmax(dim=-1)[..., : self.k]
        return (weights[..., None] * self.values(slots[..., : self.k])).sum(dim=-2)


@wrong("ProductKeyMemory", read="pkm-heads")
class SoftmaxAcrossHeads(_InParts):
    """헤드를 이어 한꺼번에 소프트맥스를 취했습니다. 헤드마다 가중치의 합이 1이어야 합니다."""

    def forward(self, x):
        found = [_topk(query, *self.keys(h), self.k) for h, query in enumerate(self.queries(x))]
        weights = torch.cat([scores for scores, _ in found], dim=-1).softmax(dim=-1)
        return (weights[..., None] * self.values(torch.cat([slots for _, slots in found], dim=-1))).sum(
            dim=-2
        )


@wrong("ProductKeyMemory", read="pkm-heads")
class EqualWeights(_InParts):
    """찾은 값을 같은 무게로 평균했습니다. 점수의 소프트맥스가 무게입니다. 그래야 키와 질의가 배웁니다."""

    def weights(self, scores):
        return torch.full_like(scores, 1 / self.k)


@wrong("ProductKeyMemory", read="pkm-heads")
class OnlyTheBest(_InParts):
    """가장 가까운 슬롯 하나만 읽었습니다. k개를 소프트맥스로 섞어야 합니다."""

    def weights(self, scores):
        return torch.ones_like(scores) * (torch.arange(self.k, device=scores.device) == 0)


@wrong("ProductKeyMemory", read="pkm-heads")
class RawScores(_InParts):
    """소프트맥스 없이 점수를 그대로 곱했습니다. 가중치는 합이 1이어야 합니다."""

    def weights(self, scores):
        return scores


@wrong("ProductKeyMemory", read="pkm-grading", slip=True)
class ExponentialsByHand(_InParts):
    """exp를 직접 써서 점수가 크면 inf / inf가 됩니다. softmax는 가장 큰 점수를 먼저 뺍니다."""

    def weights(self, scores):
        return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


@wrong("ProductKeyMemory", read="pkm-grading")
class OutputAndWeights(_InParts):
    """출력 말고 다른 것도 함께 돌려주었습니다. 가중치나 슬롯은 돌려주지 않습니다. 이 모듈은 출력 하나만 돌려줍니다."""

    def forward(self, x):
        query = self.queries(x)[0]
        return super().forward(x), self.weights(_topk(query, *self.keys(0), self.k)[0])


@wrong("ProductKeyMemory", read="pkm-usage", slip=True)
class KeysStartAtZero(_InParts):
    """반쪽 키가 모두 같은 수에서 시작합니다(torch.zeros, torch.ones 따위). 모든 키의 점수가 같아 언제나 같은 슬롯만 읽습니다. 무작위로 시작하십시오."""

    def start(self, *shape):
        return torch.zeros(shape)


@wrong("ProductKeyMemory", read="pkm-usage")
class WeightsWithoutGradient(_InParts):
    """가중치에서 기울기가 끊겼습니다. 질의와 반쪽 키가 배우지 못합니다."""

    def weights(self, scores):
        return scores.softmax(dim=-1).detach()


@wrong("ProductKeyMemory", read="pkm-grading", slip=True)
class ImpossibleSizesAccepted(_InParts):
    """홀수 d_model도, 슬롯보다 큰 k도 받아들였습니다. 모듈을 만들 때 ValueError를 내십시오."""

    def refuse(self, d_model, num_half_keys, k): ...


@wrong("ProductKeyMemory", read="pkm-heads")
class QueryOfOneHead(_InParts):
    """query가 질의를 하나만 만듭니다. 헤드마다 질의가 있어야 하므로 출력은 num_heads * d_model개입니다."""

    def change(self, d_model, num_half_keys, d_value, num_heads):
        self.query = nn.Linear(d_model, d_model)

    def queries(self, x):
        return [self.query(x)] * self.num_heads


@wrong("ProductKeyMemory", read="pkm-heads")
class HalfKeysWithoutHeads(_InParts):
    """half_keys에 헤드의 축이 없습니다. 반쪽 키는 헤드마다 두 벌씩 따로입니다."""

    def change(self, d_model, num_half_keys, d_value, num_heads):
        self.half_keys = nn.Parameter(self.start(2, num_half_keys, d_model // 2))

    def keys(self, head):
        return self.half_keys


@wrong("ProductKeyMemory", read="pkm-pairs")
class HalfKeysOfFullSize(_InParts):
    """반쪽 키의 차원이 d_model입니다. 질의의 절반과 비교하므로 d_model / 2여야 합니다."""

    def change(self, d_model, num_half_keys, d_value, num_heads):
        self.half_keys = nn.Parameter(self.start(num_heads, 2, num_half_keys, d_model))

    def keys(self, head):
        return self.half_keys[head, ..., : self.d_model // 2]


@wrong("ProductKeyMemory", read="pkm-heads")
class HalfKeysNoParameter(_InParts):
    """half_keys라는 파라미터가 없습니다. 배우는 것은 nn.Parameter 하나여야 합니다. 버퍼나 보통 텐서는 배우지 못하고, 여러 파라미터로 나누면 이름이 달라집니다."""

    def change(self, d_model, num_half_keys, d_value, num_heads):
        del self.half_keys
        self.register_buffer("half_keys", self.start(num_heads, 2, num_half_keys, d_model // 2))


@wrong("ProductKeyMemory", read="pkm-pairs")
class ValuesOfHalfKeys(_InParts):
    """값의 표가 num_half_keys행입니다. 값은 반쪽 키마다가 아니라 짝마다, 곧 슬롯마다 하나씩입니다."""

    def change(self, d_model, num_half_keys, d_value, num_heads):
        self.values = nn.Embedding(num_half_keys, d_value)


@wrong("ProductKeyMemory", read="pkm-heads")
class ValuesOfEachHead(_InParts):
    """값의 표를 헤드마다 두었습니다. 값의 표는 하나이고 모든 헤드가 함께 씁니다."""

    def change(self, d_model, num_half_keys, d_value, num_heads):
        self.values = nn.Embedding(num_heads * num_half_keys**2, d_value)


@wrong("ProductKeyMemory", read="pkm-heads")
class ValuesOfTheModelsSize(_InParts):
    """값의 벡터가 d_model차원입니다. 값과 출력의 차원은 d_value이고 d_model과 다를 수 있습니다."""

    def change(self, d_model, num_half_keys, d_value, num_heads):
        self.values = nn.Embedding(num_half_keys**2, d_model)


@wrong("ProductKeyMemory", read="pkm-heads")
class ValuesNoEmbedding(_InParts):
    """values.weight가 없습니다. 값의 표는 nn.Embedding이어야 합니다."""

    def change(self, d_model, num_half_keys, d_value, num_heads):
        self.values = nn.Parameter(torch.randn(num_half_keys**2, d_value))

    def values_at(self, slots):
        return self.values[slots]


@wrong("ProductKeyMemory", read="pkm-heads")
class MoreParameters(_InParts):
    """글에 없는 파라미터가 더 있습니다(정규화, 출력의 변환 따위). 이 메모리가 배우는 것은 query, half_keys, values뿐입니다."""

    def change(self, d_model, num_half_keys, d_value, num_heads):
        self.output = nn.Linear(d_value, d_value)

    def forward(self, x):
        return self.output(super().forward(x))


@wrong("ProductKeyMemory", read="pkm-heads")
class QueriesNormalised(_InParts):
    """질의를 정규화했습니다. 질의를 몇 배 해도 출력이 그대로입니다. 이 연습의 메모리는 질의를 그대로 씁니다."""

    def queries(self, x):
        return [nn.functional.normalize(query, dim=-1) for query in super().queries(x)]


@wrong("ProductKeyMemory", read="pkm-pairs")
class HalvesSwapped(_InParts):
    """두 절반의 반쪽 키를 바꾸어 썼습니다. half_keys[h, 0]은 앞 절반, half_keys[h, 1]은 뒤 절반의 것입니다."""

    def keys(self, head):
        return self.half_keys[head].flip(0)


@wrong("ProductKeyMemory", read="pkm-heads")
class WeightedMeanOverK(_InParts):
    """찾은 값을 섞고 다시 k로 나누었습니다(mean). 가중치의 합이 이미 1이므로 더하기만 합니다."""

    def weights(self, scores):
        return scores.softmax(dim=-1) / self.k


@wrong("ProductKeyMemory", read="pkm-heads")
class SoftmaxOverAnotherAxis(_InParts):
    """위치 하나에 헤드 하나이면 가중치가 모두 1이 됩니다. 소프트맥스를 찾은 k개의 축, 곧 점수의 마지막 축에 취해야 합니다."""

    def weights(self, scores):
        return scores.softmax(dim=-2 if scores.dim() > 1 else -1)


@wrong("ProductKeyMemory", read="pkm-heads")
class LogSoftmax(_InParts):
    """로그 소프트맥스를 가중치로 썼습니다. 가중치는 양수이고 합이 1이어야 합니다."""

    def weights(self, scores):
        return scores.log_softmax(dim=-1)


@wrong("ProductKeyMemory", read="pkm-heads")
class Sigmoid(_InParts):
    """점수마다 시그모이드를 취했습니다. 가중치의 합이 1이 되게 소프트맥스를 취하십시오."""

    def weights(self, scores):
        return scores.sigmoid()


@wrong("ProductKeyMemory", read="pkm-heads")
class SoftmaxTwice(_InParts):
    """소프트맥스를 두 번 취했습니다. 점수에 한 번만 취합니다."""

    def weights(self, scores):
        return scores.softmax(dim=-1).softmax(dim=-1)


@wrong("ProductKeyMemory", read="pkm-heads")
class QueriesInterleaved(_InParts):
    """헤드의 질의를 섞어 나누었습니다. 헤드 0의 질의는 앞의 d_model개입니다. 성분을 하나씩 번갈아 나누거나 축의 차례를 바꾸어 펼치면 안 됩니다."""

    def queries(self, x):
        return self.query(x).unflatten(-1, (self.d_model, self.num_heads)).unbind(-1)


@wrong("ProductKeyMemory", read="pkm-heads")
class LastHeadOnly(_InParts):
    """헤드 하나의 결과만 돌려주었습니다. 반복할 때마다 덮어쓰면 마지막 헤드만 남습니다. 모두 더하십시오."""

    def forward(self, x):
        return self.read(self.queries(x)[-1], self.num_heads - 1)


@wrong("ProductKeyMemory", read="pkm-heads")
class FirstHeadOnly(_InParts):
    """첫 헤드의 결과만 돌려주었습니다. 헤드마다 읽은 것을 모두 더하십시오."""

    def forward(self, x):
        return self.read(self.queries(x)[0], 0)


@wrong("ProductKeyMemory", read="pkm-heads")
class HeadsConcatenated(_InParts):
    """헤드의 결과를 더하지 않고 이어 붙이거나 쌓아 두었습니다. 이 층은 헤드의 결과를 더합니다."""

    def forward(self, x):
        return torch.cat([self.read(query, head) for head, query in enumerate(self.queries(x))], dim=-1)


@wrong("ProductKeyMemory", read="pkm-grading", slip=True)
class OneBatchAxis(_InParts):
    """배치 축의 수가 달라지면 틀립니다. x의 앞에는 축이 없을 수도, 여럿일 수도 있습니다. 위치마다 따로 읽고, 앞의 축은 출력에 그대로 남기십시오."""

    def forward(self, x):
        return super().forward(x.reshape(-1, x.shape[-1]))


@wrong("ProductKeyMemory", read="pkm-grading", slip=True)
class AtMostTheHalfKeys(_InParts):
    """k가 반쪽 키의 수보다 크다고 거절했습니다. 슬롯은 n * n개이므로 k는 거기까지 커도 됩니다."""

    def refuse(self, d_model, num_half_keys, k):
        if d_model % 2 or k > num_half_keys:
            raise ValueError("impossible")


@wrong("ProductKeyMemory", read="pkm-usage")
class ValuesWithoutGradient(_InParts):
    """값에서 기울기가 끊겼습니다(data, detach, no_grad). 읽은 슬롯의 값도 배워야 합니다."""

    def values_at(self, slots):
        return self.values(slots).detach()


@wrong("ProductKeyMemory", read="pkm-usage")
class NothingLearns(_InParts):
    """출력에서 기울기가 모두 끊겼습니다(no_grad, detach). 값도 질의도 반쪽 키도 배우지 못합니다."""

    def forward(self, x):
        return super().forward(x).detach()


@wrong("ProductKeyMemory", read="pkm-usage")
class HalfKeysWithoutGradient(_InParts):
    """반쪽 키에서 기울기가 끊겼습니다(data, detach). 반쪽 키도 배워야 합니다."""

    def keys(self, head):
        return self.half_keys[head].detach()


@wrong("ProductKeyMemory", read="pkm-usage")
class QueriesWithoutGradient(_InParts):
    """질의에서 기울기가 끊겼습니다(data, detach). query와 입력까지 흘러야 합니다."""

    def queries(self, x):
        return [query.detach() for query in super().queries(x)]


@wrong("ProductKeyMemory", read="pkm-usage")
class InputWithoutGradient(_InParts):
    """입력에서 기울기가 끊겼습니다(detach, torch.tensor). 앞의 층도 이 메모리를 거쳐 배워야 합니다."""

    def forward(self, x):
        return super().forward(x.detach())


@wrong("ProductKeyMemory", read="pkm-usage", slip=True)
class KeysNeverFilled(_InParts):
    """반쪽 키를 채우지 않았습니다. torch.empty에는 무엇이 들어 있을지 모릅니다. 무작위로 시작하십시오."""

    def start(self, *shape):
        return torch.empty(shape)


@wrong("ProductKeyMemory", read="pkm-usage", slip=True)
class KeysRepeated(_InParts):
    """서로 같은 반쪽 키에서 시작합니다. 한 벌을 헤드나 절반마다 되풀이해 쓰지 말고, 모두 따로 무작위로 시작하십시오."""

    def start(self, heads, halves, n, half):
        return torch.randn(1, halves, n, half).repeat(heads, 1, 1, 1)


@wrong("ProductKeyMemory", read="pkm-usage", slip=True)
class KeysAlwaysTheSame(_InParts):
    """모듈을 만들 때마다 반쪽 키가 같은 수에서 시작합니다(arange, 고정한 시드). 무작위로 시작하십시오."""

    def start(self, *shape):
        return torch.arange(math.prod(shape), dtype=torch.float32).reshape(shape)


@wrong("ProductKeyMemory", read="pkm-grading", slip=True)
class LargeKAccepted(_InParts):
    """슬롯보다 큰 k를 받아들였습니다. 부를 때가 아니라 모듈을 만들 때 ValueError를 내십시오."""

    def refuse(self, d_model, num_half_keys, k):
        if d_model % 2:
            raise ValueError("odd")


@wrong("ProductKeyMemory", read="pkm-grading", slip=True)
class OddModelAccepted(_InParts):
    """홀수 d_model을 받아들였습니다. 절반으로 나눌 수 없으므로 모듈을 만들 때 ValueError를 내십시오."""

    def refuse(self, d_model, num_half_keys, k):
        if k > num_half_keys**2:
            raise ValueError("too many")


@wrong("ProductKeyMemory", read="pkm-grading", slip=True)
class AnotherError(_InParts):
    """ValueError가 아닌 다른 오류로 거절했습니다. assert는 AssertionError를 냅니다."""

    def refuse(self, d_model, num_half_keys, k):
        assert d_model % 2 == 0 and k <= num_half_keys**2


@wrong("ProductKeyMemory", read="pkm-grading", slip=True)
class OutputInFloat32(_InParts):
    """출력이 입력의 자료형을 따르지 않습니다. 안에서 만든 텐서도 입력과 같은 자료형이어야 합니다."""

    def forward(self, x):
        return super().forward(x).float()


@wrong("ProductKeyMemory", read="pkm-grading", slip=True)
class MadeOnTheDefaultDevice(_InParts):
    """안에서 만든 텐서가 입력과 다른 장치에 있습니다. device=x.device로 만드십시오."""

    def forward(self, x):
        output = super().forward(x)
        return output + torch.zeros(output.shape, dtype=x.dtype)


# candidate_pairs --------------------------------------------------------------------------------------------


def _where(n, rule):
    """The pairs of ranks below n for which a rule holds."""
    ranks = torch.arange(n)
    return rule(ranks[:, None], ranks[None, :]).nonzero()


def _can_be_chosen(n, k):
    return _where(n, lambda i, j: (i + 1) * (j + 1) <= k)


@wrong("candidate_pairs", read="pkm-exact")
def every_pair_of_the_best(n, k):
    """k등 안의 짝을 모두 남겼습니다. (1, 1) 앞에는 (0, 0), (0, 1), (1, 0)이 언제나 있습니다. 짝마다 앞서는 짝을 세십시오."""
    return _where(n, lambda i, j: (i < k) & (j < k))


@wrong("candidate_pairs", read="pkm-exact")
def square_of_the_root(n, k):
    """절반마다 k의 제곱근만큼만 남겼습니다. 가장 큰 k개가 정사각형을 이룰 때만 맞습니다. 한 줄로 늘어설 수도 있습니다."""
    return _where(n, lambda i, j: (i < math.isqrt(k)) & (j < math.isqrt(k)))


@wrong("candidate_pairs", read="pkm-exact")
def square_of_the_root_rounded_up(n, k):
    """절반마다 k의 제곱근을 올린 만큼만 남겼습니다. 가장 큰 k개는 한 줄로 늘어설 수도 있습니다. 그때는 한쪽이 k등까지 갑니다."""
    side = math.ceil(k**0.5)
    return _where(n, lambda i, j: (i < side) & (j < side))


@wrong("candidate_pairs", read="pkm-exact")
def sum_of_the_ranks(n, k):
    """등수의 합으로 골랐습니다. 앞서는 짝은 삼각형이 아니라 직사각형을 이룹니다. 가로와 세로를 곱하십시오."""
    return _where(n, lambda i, j: i + j < k)


@wrong("candidate_pairs", read="pkm-exact")
def ranks_multiplied_from_zero(n, k):
    """0부터 센 등수를 그대로 곱했습니다. 0등까지 세면 가로는 i + 1개, 세로는 j + 1개입니다."""
    return _where(n, lambda i, j: (i * j < k) & (i < k) & (j < k))


@wrong("candidate_pairs", read="pkm-exact")
def lists_without_an_end(n, k):
    """0부터 센 등수를 그대로 곱해, 한쪽이 0등이면 다른 쪽은 몇 등이든 남았습니다. 가로는 i + 1개, 세로는 j + 1개입니다."""
    return _where(n, lambda i, j: i * j < k)


@wrong("candidate_pairs", read="pkm-exact")
def one_place_too_few(n, k):
    """꼭 k번째가 될 수 있는 짝을 뺐습니다. 앞서는 짝이 k - 1개이면 자기가 k번째로 뽑힙니다."""
    return _where(n, lambda i, j: (i + 1) * (j + 1) < k)


@wrong("candidate_pairs", read="pkm-exact")
def one_place_too_many(n, k):
    """자기 앞에 이미 k개가 있는 짝까지 남겼습니다. 앞서는 짝은 k - 1개까지입니다."""
    return _where(n, lambda i, j: (i + 1) * (j + 1) <= k + 1)


@wrong("candidate_pairs", read="pkm-exact")
def first_row_and_column(n, k):
    """한쪽이 0등인 짝만 남겼습니다. 둘 다 0등이 아니어도 앞서는 짝이 k보다 적으면 뽑힐 수 있습니다."""
    return _where(n, lambda i, j: ((i == 0) | (j == 0)) & (i + j < k))


@wrong("candidate_pairs", read="pkm-exact")
def equal_ranks(n, k):
    """같은 등수끼리만 짝지었습니다. 두 절반의 등수는 따로 정해지므로 0등과 2등도 짝이 됩니다."""
    return _where(n, lambda i, j: (i == j) & (i < k))


@wrong("candidate_pairs", read="pkm-exact")
def one_of_each_two(n, k):
    """(i, j)와 (j, i)를 같은 짝으로 보았습니다. 앞 절반의 i등과 뒤 절반의 j등이므로 둘은 다른 슬롯입니다."""
    return _where(n, lambda i, j: ((i + 1) * (j + 1) <= k) & (i <= j))


@wrong("candidate_pairs", read="pkm-exact")
def only_k_pairs(n, k):
    """짝을 k개만 남겼습니다. 어느 k개가 뽑히는지는 점수가 정합니다. 뽑힐 수 있는 것을 모두 남겨야 합니다."""
    return _can_be_chosen(n, k)[:k]


@wrong("candidate_pairs", read="pkm-exact")
def a_quarter_of_a_circle(n, k):
    """등수의 제곱을 더해 골랐습니다. 앞서는 짝의 수는 직사각형의 넓이입니다: (i + 1) * (j + 1)."""
    return _where(n, lambda i, j: i**2 + j**2 < k)


@wrong("candidate_pairs", read="pkm-exact")
def pairs_that_are_always_chosen(n, k):
    """언제나 뽑히는 짝만 남겼습니다. 어떤 점수에서 한 번이라도 뽑히면 더해 보아야 합니다."""
    return _where(n, lambda i, j: n * n - (n - i) * (n - j) < k)


@wrong("candidate_pairs", read="pkm-grading")
def ranks_from_one(n, k):
    """등수를 1부터 셌습니다. 0부터입니다."""
    return _can_be_chosen(n, k) + 1


@wrong("candidate_pairs", read="pkm-grading")
def two_rows(n, k):
    """모양이 (2, 짝의 수)입니다. 짝 하나가 한 행입니다: (짝의 수, 2)."""
    return _can_be_chosen(n, k).T


@wrong("candidate_pairs", read="pkm-grading")
def number_of_pairs(n, k):
    """짝의 수를 돌려주었습니다. 짝을 돌려주십시오."""
    return torch.tensor(len(_can_be_chosen(n, k)))


@wrong("candidate_pairs", read="pkm-grading")
def table_of_truths(n, k):
    """(n, n)인 참과 거짓의 표를 돌려주었습니다. 참인 자리의 번호를 돌려주십시오(nonzero)."""
    ranks = torch.arange(1, n + 1)
    return ranks[:, None] * ranks <= k


@wrong("candidate_pairs", read="pkm-grading", slip=True)
def second_rank_first(n, k):
    """j의 차례로 놓았습니다. i가 작은 것부터, i가 같으면 j가 작은 것부터 놓으십시오."""
    return _can_be_chosen(n, k).flip(1)


@wrong("candidate_pairs", read="pkm-grading", slip=True)
def nearest_to_the_top_first(n, k):
    """앞서는 짝이 적은 것부터 놓았습니다. i가 작은 것부터, i가 같으면 j가 작은 것부터 놓으십시오."""
    pairs = _can_be_chosen(n, k)
    return pairs[(pairs + 1).prod(dim=1).argsort(stable=True)]


@wrong("candidate_pairs", read="pkm-grading", slip=True)
def ranks_beyond_the_list(n, k):
    """k가 n보다 클 때 없는 등수까지 넣었습니다. 등수는 n보다 작습니다."""
    return _can_be_chosen(max(n, k), k)


@wrong("candidate_pairs", read="pkm-grading", slip=True)
def stops_beyond_the_list(n, k):
    """k가 n보다 크면 멈춥니다. 그때도 짝마다 앞서는 짝을 세면 됩니다."""
    if k > n:
        raise ValueError("too many")
    return _can_be_chosen(n, k)


@wrong("candidate_pairs", read="pkm-grading", slip=True)
def ranks_as_floats(n, k):
    """등수가 실수입니다. 번호로 쓸 것이므로 정수로 돌려주십시오."""
    return _can_be_chosen(n, k).float()


# memory_usage -----------------------------------------------------------------------------------------------


def _totals(indices, weights, num_keys):
    totals = torch.zeros(num_keys, dtype=torch.float64)
    return totals.index_add_(0, indices.flatten(), weights.flatten().double())


def _divergence(p, num_keys):
    return torch.special.xlogy(p, num_keys * p).sum().item()


@right_answer("memory_usage")
def _usage(indices, weights, num_keys):
    """The right answer."""
    totals = _totals(indices, weights, num_keys)
    return (totals > 0).double().mean().item(), _divergence(totals / totals.sum(), num_keys)


@wrong("memory_usage", read="pkm-usage")
def reads_counted(indices, weights, num_keys):
    """읽은 횟수를 세었습니다. 횟수가 아니라 슬롯마다 받은 가중치를 더하십시오."""
    counts = torch.bincount(indices.flatten(), minlength=num_keys).double()
    return (counts > 0).double().mean().item(), _divergence(counts / counts.sum(), num_keys)


@wrong("memory_usage", read="pkm-usage", slip=True)
def zero_weight_is_used(indices, weights, num_keys):
    """가중치가 0인 읽기도 쓰인 슬롯으로 세었습니다. 가중치의 합이 0보다 큰 슬롯만 셉니다."""
    totals = _totals(indices, weights, num_keys)
    return len(indices.unique()) / num_keys, _divergence(totals / totals.sum(), num_keys)


@wrong("memory_usage", read="pkm-usage")
def in_bits(indices, weights, num_keys):
    """로그의 밑이 2입니다. 여기서는 밑이 e인 자연로그를 씁니다."""
    totals = _totals(indices, weights, num_keys)
    return (totals > 0).double().mean().item(), _divergence(totals / totals.sum(), num_keys) / math.log(2)


@wrong("memory_usage", read="pkm-usage")
def entropy(indices, weights, num_keys):
    """엔트로피를 돌려주었습니다. 균등 분포와의 KL은 ln N에서 엔트로피를 뺀 것입니다."""
    totals = _totals(indices, weights, num_keys)
    kl = _divergence(totals / totals.sum(), num_keys)
    return (totals > 0).double().mean().item(), math.log(num_keys) - kl


@wrong("memory_usage", read="pkm-usage")
def the_other_direction(indices, weights, num_keys):
    """KL의 방향이 반대입니다. 균등 분포에서 p까지를 재면 쓰이지 않은 슬롯이 하나만 있어도 무한대입니다."""
    totals = _totals(indices, weights, num_keys)
    p = totals / totals.sum()
    return (totals > 0).double().mean().item(), -(num_keys * p).log().mean().item()


@wrong("memory_usage", read="pkm-usage")
def not_normalised(indices, weights, num_keys):
    """전체 합으로 나누지 않았습니다. 가중치를 모두 몇 배 해도 KL은 같아야 합니다. 읽은 횟수나 질의의 수가 아니라 가중치의 전체 합으로 나누어야 p의 합이 1입니다."""
    totals = _totals(indices, weights, num_keys)
    return (totals > 0).double().mean().item(), _divergence(totals, num_keys)


@wrong("memory_usage", read="pkm-usage")
def zero_times_log_zero(indices, weights, num_keys):
    """쓰이지 않은 슬롯에서 0 * ln 0이 NaN이 되었습니다. p가 0인 항은 빼십시오."""
    totals = _totals(indices, weights, num_keys)
    p = totals / totals.sum()
    return (totals > 0).double().mean().item(), (p * (num_keys * p).log()).sum().item()


@wrong("memory_usage", read="pkm-usage")
def log_of_zero_stops(indices, weights, num_keys):
    """쓰이지 않은 슬롯에서 ln 0을 계산하다가 멈춥니다. p가 0인 항은 빼십시오."""
    share, kl = _usage(indices, weights, num_keys)
    return share, kl + 0 * math.log(share == 1)


@wrong("memory_usage", read="pkm-usage")
def repeats_overwritten(indices, weights, num_keys):
    """같은 슬롯을 다시 읽으면 앞의 가중치가 덮어써집니다. totals[indices] += weights는 되풀이된 번호를 한 번만 더합니다. index_add_를 쓰십시오."""
    totals = torch.zeros(num_keys, dtype=torch.float64)
    for slot, weight in zip(indices.flatten().tolist(), weights.flatten().tolist(), strict=True):
        totals[slot] = weight
    return (totals > 0).double().mean().item(), _divergence(totals / totals.sum(), num_keys)


@wrong("memory_usage", read="pkm-grading")
def tensors(indices, weights, num_keys):
    """텐서를 돌려주었습니다. 둘 다 파이썬의 float여야 합니다(.item())."""
    totals = _totals(indices, weights, num_keys)
    kl = _divergence(totals / totals.sum(), num_keys)
    return (totals > 0).double().mean(), torch.tensor(kl)


@wrong("memory_usage", read="pkm-grading")
def the_two_swapped(indices, weights, num_keys):
    """쓰인 비율과 KL의 차례가 바뀌었습니다. 쓰인 비율이 먼저입니다."""
    p = _totals(indices, weights, num_keys)
    p /= p.sum()
    return _divergence(p, num_keys), (p > 0).double().mean().item()


@wrong("memory_usage", read="pkm-usage")
def number_of_used_slots(indices, weights, num_keys):
    """쓰인 슬롯의 수를 돌려주었습니다. 모든 슬롯의 수로 나눈 비율이어야 합니다."""
    share, kl = _usage(indices, weights, num_keys)
    return share * num_keys, kl


@wrong("memory_usage", read="pkm-usage")
def share_of_unused_slots(indices, weights, num_keys):
    """쓰이지 않은 슬롯의 비율을 돌려주었습니다. 가중치의 합이 0보다 큰 슬롯의 비율이어야 합니다."""
    share, kl = _usage(indices, weights, num_keys)
    return 1 - share, kl


@wrong("memory_usage", read="pkm-usage")
def percent(indices, weights, num_keys):
    """비율을 백분율로 돌려주었습니다. 모두 쓰이면 100이 아니라 1입니다."""
    share, kl = _usage(indices, weights, num_keys)
    return 100 * share, kl


@wrong("memory_usage", read="pkm-usage")
def share_of_reads(indices, weights, num_keys):
    """쓰인 슬롯의 수를 읽은 횟수로 나누었습니다. 모든 슬롯의 수 num_keys로 나누십시오."""
    share, kl = _usage(indices, weights, num_keys)
    return share * num_keys / indices.numel(), kl


@wrong("memory_usage", read="pkm-usage")
def mean_for_sum(indices, weights, num_keys):
    """KL을 더하지 않고 평균했습니다. 슬롯의 항을 모두 더하십시오."""
    share, kl = _usage(indices, weights, num_keys)
    return share, kl / num_keys


@wrong("memory_usage", read="pkm-usage")
def share_of_the_largest_divergence(indices, weights, num_keys):
    """KL을 ln N으로 나누었습니다. 슬롯 하나만 쓰이면 1이 아니라 ln N이어야 합니다."""
    share, kl = _usage(indices, weights, num_keys)
    return share, kl / math.log(num_keys)


@wrong("memory_usage", read="pkm-usage")
def sign_flipped(indices, weights, num_keys):
    """KL의 부호가 반대입니다. KL은 음수가 될 수 없습니다."""
    share, kl = _usage(indices, weights, num_keys)
    return share, -kl


@wrong("memory_usage", read="pkm-usage")
def without_the_uniform(indices, weights, num_keys):
    """균등 분포와 비교하지 않았습니다. 로그 안에서 p에 N을 곱해야 고르게 쓰일 때 0이 됩니다."""
    share, kl = _usage(indices, weights, num_keys)
    return share, kl - math.log(num_keys)


@wrong("memory_usage", read="pkm-usage")
def p_forgotten(indices, weights, num_keys):
    """로그에 p를 곱하지 않고 더했습니다. 항마다 p를 곱해야 합니다."""
    totals = _totals(indices, weights, num_keys)
    p = totals[totals > 0] / totals.sum()
    return len(p) / num_keys, (num_keys * p).log().sum().item()


@wrong("memory_usage", read="pkm-usage")
def each_read_by_itself(indices, weights, num_keys):
    """같은 슬롯의 읽기를 합하지 않고 읽기마다 항을 만들었습니다. 슬롯마다 받은 가중치를 먼저 모두 더하십시오."""
    share, _ = _usage(indices, weights, num_keys)
    return share, _divergence(weights.flatten().double() / weights.sum(), num_keys)


@wrong("memory_usage", read="pkm-usage")
def reads_averaged(indices, weights, num_keys):
    """같은 슬롯이 받은 가중치를 평균했습니다. 모두 더하십시오."""
    totals = _totals(indices, weights, num_keys)
    totals /= _totals(indices, torch.ones_like(weights), num_keys).clamp(min=1)
    return (totals > 0).double().mean().item(), _divergence(totals / totals.sum(), num_keys)


@wrong("memory_usage", read="pkm-usage")
def uniform_over_the_used(indices, weights, num_keys):
    """쓰인 슬롯만의 균등 분포와 비교했습니다. N은 쓰인 슬롯의 수가 아니라 모든 슬롯의 수 num_keys입니다."""
    share, kl = _usage(indices, weights, num_keys)
    return share, kl + math.log(share)


@wrong("memory_usage", read="pkm-usage", slip=True)
def little_is_nothing(indices, weights, num_keys):
    """아주 작은 가중치를 받은 슬롯을 쓰이지 않은 것으로 보았습니다. 합이 0보다 크면 쓰인 것입니다."""
    share, kl = _usage(indices, weights, num_keys)
    return (_totals(indices, weights, num_keys) > 1e-8).double().mean().item(), kl


@wrong("memory_usage", read="pkm-usage")
def one_axis_of_reads(indices, weights, num_keys):
    """읽기의 축이 하나가 아니면 틀립니다. indices와 weights는 어떤 모양이든 모두 펼쳐서 더하십시오."""
    if indices.dim() > 1:
        indices, weights = indices[0], weights[0]
    return _usage(indices.flatten(), weights.flatten(), num_keys)


@wrong("memory_usage", read="pkm-grading", slip=True)
def weights_changed(indices, weights, num_keys):
    """받은 텐서를 바꾸었습니다. 제자리에서 계산하지 말고(/=, add_ 따위) 새 텐서를 만드십시오."""
    weights /= weights.sum()
    return _usage(indices, weights, num_keys)
