"""Wrong answers that people give to the exercise `adaptive_span`."""

import math

import torch
from torch import nn

from grader.judging.mistakes import misconception

# soft_span_mask ---------------------------------------------------------------------------------------------


def _past(mask, distance):
    return mask.masked_fill(distance < 0, 0.0)


@misconception(
    "soft_span_mask",
    hint="비탈이 범위 안쪽에 있습니다. z까지는 1이고 그 뒤로 ramp자리에 걸쳐 내려갑니다. 분자는 ramp + z - distance입니다.",
    read="adaptive_span#span-mask",
)
def ramp_inside_the_span(distance, z, ramp):
    return _past(((z - distance) / ramp).clamp(0, 1), distance)


@misconception(
    "soft_span_mask",
    hint="비탈의 가운데를 z에 놓았습니다. 비탈은 z에서 시작해 z + ramp에서 끝납니다.",
    read="adaptive_span#span-mask",
)
def ramp_around_the_span(distance, z, ramp):
    return _past(((ramp / 2 + z - distance) / ramp).clamp(0, 1), distance)


@misconception(
    "soft_span_mask",
    hint="1에서 자르지 않았습니다. 가까운 자리의 값이 1보다 커져 가중치가 가까운 쪽으로 쏠립니다.",
    read="adaptive_span#span-mistakes",
)
def more_than_one(distance, z, ramp):
    return _past(((ramp + z - distance) / ramp).clamp(min=0), distance)


@misconception(
    "soft_span_mask",
    hint="0에서 자르지 않았습니다. 먼 자리의 값이 음수가 됩니다. clamp(0, 1)을 쓰십시오.",
    read="adaptive_span#span-mistakes",
)
def less_than_zero(distance, z, ramp):
    return _past(((ramp + z - distance) / ramp).clamp(max=1), distance)


@misconception(
    "soft_span_mask",
    hint="비탈 없이 z에서 딱 잘랐습니다. z로 미분하면 어디서나 0이어서 범위를 배울 수 없습니다.",
    read="adaptive_span#why-a-ramp",
)
def hard_edge(distance, z, ramp):
    return _past((distance <= z).to(z.dtype), distance)


@misconception(
    "soft_span_mask",
    hint="시그모이드는 0이 되지 않습니다. 먼 자리의 점수를 계산하지 않으려면 정확히 0이어야 합니다.",
    read="adaptive_span#why-a-ramp",
)
def sigmoid_edge(distance, z, ramp):
    return _past(((ramp + z - distance) / ramp).sigmoid(), distance)


@misconception(
    "soft_span_mask",
    hint="뒤집혔습니다. 가까운 자리가 1, 먼 자리가 0이어야 합니다.",
    read="adaptive_span#span-mask",
)
def far_instead_of_near(distance, z, ramp):
    return _past(1 - ((ramp + z - distance) / ramp).clamp(0, 1), distance)


@misconception(
    "soft_span_mask",
    hint="미래를 가리지 않았습니다. 거리가 음수이면 식의 값이 1입니다. distance < 0인 자리를 0으로 만드십시오.",
    read="adaptive_span#span-future",
)
def future_visible(distance, z, ramp):
    return ((ramp + z - distance) / ramp).clamp(0, 1)


@misconception(
    "soft_span_mask",
    hint="거리의 절댓값을 썼습니다. 음수인 거리는 멀지 않은 미래가 아니라 보아서는 안 되는 미래입니다.",
    read="adaptive_span#span-future",
)
def future_mirrored(distance, z, ramp):
    return ((ramp + z - distance.abs()) / ramp).clamp(0, 1)


@misconception(
    "soft_span_mask",
    hint="자기 자신까지 가렸습니다. 거리 0은 자기 자신이고 언제나 볼 수 있습니다. 가릴 것은 distance < 0입니다.",
    read="adaptive_span#span-future",
)
def itself_hidden(distance, z, ramp):
    return ((ramp + z - distance) / ramp).clamp(0, 1).masked_fill(distance <= 0, 0.0)


@misconception(
    "soft_span_mask",
    hint="범위를 정수로 반올림했습니다. 그러면 z까지 기울기가 흐르지 않습니다. z를 실수 그대로 쓰십시오.",
    read="adaptive_span#why-a-ramp",
)
def span_rounded(distance, z, ramp):
    return _past(((ramp + z.round() - distance) / ramp).clamp(0, 1), distance)


@misconception(
    "soft_span_mask",
    hint="z의 기울기를 끊었습니다(detach, item). 값은 맞지만 범위를 배울 수 없습니다.",
    read="adaptive_span#why-a-ramp",
)
def span_detached(distance, z, ramp):
    return _past(((ramp + z.detach() - distance) / ramp).clamp(0, 1), distance)


@misconception(
    "soft_span_mask",
    hint="ramp로 나누지 않았습니다. 비탈의 기울기는 1 / ramp이고, 1에서 0까지 ramp자리가 걸려야 합니다.",
    read="adaptive_span#span-mask",
)
def not_divided_by_the_ramp(distance, z, ramp):
    return _past((ramp + z - distance).clamp(0, 1), distance)


# span_attention ---------------------------------------------------------------------------------------------


def _mask(distance, z, ramp):
    return _past(((ramp + z - distance) / ramp).clamp(0, 1), distance)


def _weigh(scores, mask):
    """The right weights for a mask."""
    nothing = ~(mask > 0).any(-1, keepdim=True)
    weights = scores.masked_fill((mask == 0) & ~nothing, -math.inf).softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True).masked_fill(nothing, 1.0)


@misconception(
    "span_attention",
    hint="마스크를 곱하고 다시 나누지 않았습니다. 가중치의 합이 1보다 작아집니다.",
    read="adaptive_span#span-weights",
)
def not_divided_again(scores, distance, z, ramp):
    mask = _mask(distance, z, ramp)
    return scores.masked_fill(distance < 0, -1e30).softmax(-1) * mask


@misconception(
    "span_attention",
    hint="점수에 마스크를 곱했습니다. 점수 0은 '안 봄'이 아니라 exp(0) = 1입니다. exp를 구한 다음 곱하십시오.",
    read="adaptive_span#span-mistakes",
)
def scores_times_the_mask(scores, distance, z, ramp):
    mask = _mask(distance, z, ramp)
    weights = (scores * mask).masked_fill(distance < 0, -1e30).softmax(-1)
    return weights.masked_fill(~(mask > 0).any(-1, keepdim=True), 0.0)


@misconception(
    "span_attention",
    hint="점수에 마스크를 더했습니다. 가린 자리도 가중치를 받습니다. 더하려면 마스크의 로그를 더해야 합니다.",
    read="adaptive_span#span-mistakes",
)
def scores_plus_the_mask(scores, distance, z, ramp):
    mask = _mask(distance, z, ramp)
    weights = (scores + mask).masked_fill(distance < 0, -1e30).softmax(-1)
    return weights.masked_fill(~(mask > 0).any(-1, keepdim=True), 0.0)


@misconception(
    "span_attention",
    hint="마스크가 0보다 큰 자리를 모두 똑같이 보았습니다. 비탈에서는 마스크의 값을 곱해야 하고, 그래야 z가 기울기를 받습니다.",
    read="adaptive_span#span-weights",
)
def ramp_ignored(scores, distance, z, ramp):
    return _weigh(scores, (_mask(distance, z, ramp) > 0).to(scores.dtype))


@misconception(
    "span_attention",
    hint="z에서 딱 잘랐습니다. 비탈에 있는 자리가 빠졌고, z가 기울기를 받지 못합니다.",
    read="adaptive_span#why-a-ramp",
)
def cut_at_the_span(scores, distance, z, ramp):
    return _weigh(scores, ((distance <= z) & (distance >= 0)).to(scores.dtype))


@misconception(
    "span_attention",
    hint="마스크를 곱한 다음 소프트맥스를 또 취했습니다. 0인 자리도 exp(0) = 1만큼 가중치를 받습니다. 합으로 나누기만 하면 됩니다.",
    read="adaptive_span#span-mistakes",
)
def softmax_again(scores, distance, z, ramp):
    mask = _mask(distance, z, ramp)
    weights = (scores.softmax(-1) * mask).softmax(-1)
    return weights.masked_fill(~(mask > 0).any(-1, keepdim=True), 0.0)


@misconception(
    "span_attention",
    hint="가린 점수까지 넣어 소프트맥스를 취한 다음 가렸습니다. 가린 점수가 크면 남은 가중치가 모두 0이 되어 나눌 것이 없습니다. 마스크가 0인 자리를 먼저 -inf로 가리십시오.",
    read="adaptive_span#span-mistakes",
)
def softmax_before_the_mask(scores, distance, z, ramp):
    weights = scores.softmax(-1) * _mask(distance, z, ramp)
    return weights / (weights.sum(-1, keepdim=True) + 1e-8)


@misconception(
    "span_attention",
    hint="exp를 직접 썼습니다. 점수가 크면 inf/inf가 되어 NaN이 납니다. softmax처럼 볼 수 있는 점수 가운데 가장 큰 것을 먼저 빼십시오.",
    read="attention#saturation",
)
def exponentials_by_hand(scores, distance, z, ramp):
    parts = scores.exp() * _mask(distance, z, ramp)
    total = parts.sum(-1, keepdim=True)
    return parts / total.masked_fill(total == 0, 1.0)


@misconception(
    "span_attention",
    hint="볼 것이 없는 행이 NaN이 되었습니다. 합이 0인 행은 나누지 말고 0으로 두십시오.",
    read="adaptive_span#span-mistakes",
)
def nan_rows(scores, distance, z, ramp):
    mask = _mask(distance, z, ramp)
    return (scores + mask.log()).softmax(-1)


@misconception(
    "span_attention",
    hint="마스크의 로그를 더했습니다. 값은 맞지만 log(0)을 지나는 기울기가 NaN이 됩니다. 나중에 0으로 덮어도 남습니다.",
    read="adaptive_span#span-mistakes",
)
def logarithm_of_zero(scores, distance, z, ramp):
    mask = _mask(distance, z, ramp)
    weights = (scores + mask.log()).softmax(-1)
    return weights.masked_fill(~(mask > 0).any(-1, keepdim=True), 0.0)


@misconception(
    "span_attention",
    hint="마스크의 기울기를 끊었습니다(detach). 가중치는 맞지만 범위를 배울 수 없습니다.",
    read="adaptive_span#why-a-ramp",
)
def mask_detached(scores, distance, z, ramp):
    return _weigh(scores, _mask(distance, z, ramp).detach())


@misconception(
    "span_attention",
    hint="질의 축으로 나누었습니다. 마지막 축(키)에서 합이 1이어야 합니다.",
    read="adaptive_span#span-weights",
)
def divided_over_queries(scores, distance, z, ramp):
    mask = _mask(distance, z, ramp)
    return _weigh(scores.transpose(-2, -1), mask.transpose(-2, -1)).transpose(-2, -1)


@misconception(
    "span_attention",
    hint="미래를 보았습니다. 음수인 거리의 마스크는 0입니다.",
    read="adaptive_span#span-future",
)
def looks_ahead(scores, distance, z, ramp):
    return _weigh(scores, ((ramp + z - distance) / ramp).clamp(0, 1))


# AdaptiveSpanAttention --------------------------------------------------------------------------------------


class _Layer(nn.Module):
    """The right layer, its steps laid open."""

    def __init__(self, d_model, num_heads, max_span, ramp):
        super().__init__()
        self.refuse(d_model, num_heads)
        self.num_heads, self.max_span, self.ramp = num_heads, max_span, ramp
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))
        self.z = self.spans(num_heads, max_span)

    def refuse(self, d_model, num_heads):
        if d_model % num_heads:
            raise ValueError("heads")

    def spans(self, num_heads, max_span):
        return nn.Parameter(torch.full((num_heads,), max_span / 2))

    def clamped(self):
        return self.z.clamp(0, self.max_span)

    def reach(self, z):
        return math.ceil(z.max().item() + self.ramp)

    def scale(self, Q):
        return math.sqrt(Q.shape[-1])

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def distance(self, back, before_the_start):
        return back.expand(before_the_start.shape).masked_fill(before_the_start, -1)

    def mask(self, distance, z):
        return _mask(distance, z, self.ramp)

    def finish(self, heads):
        return self.W_o(heads.transpose(1, 2).flatten(2))

    def spread(self, weights, places, n):
        return weights.new_zeros(*weights.shape[:3], n).scatter_add(-1, places.expand_as(weights), weights)

    def forward(self, x):
        Q, K, V = (self.split(linear(x)) for linear in (self.W_q, self.W_k, self.W_v))
        z, n = self.clamped()[:, None, None], x.shape[1]
        back = torch.arange(max(1, min(n, self.reach(z))), device=x.device)
        places = torch.arange(n, device=x.device)[:, None] - back
        distance = self.distance(back, places < 0)
        places = places.clamp(min=0)
        scores = (K[:, :, places] @ Q.unsqueeze(-1)).squeeze(-1) / self.scale(Q)
        weights = _weigh(scores, self.mask(distance, z))
        heads = (weights.unsqueeze(-2) @ V[:, :, places]).squeeze(-2)
        return self.finish(heads), self.spread(weights, places, n)


@misconception(
    "AdaptiveSpanAttention",
    hint="모든 점수를 계산한 다음 가렸습니다. 값은 맞지만 범위가 짧아져도 아끼는 것이 없습니다. max(z) + ramp보다 가까운 키만 곱하십시오.",
    read="adaptive_span#span-cost",
)
class ComputesEverything(_Layer):
    def forward(self, x):
        Q, K, V = (self.split(linear(x)) for linear in (self.W_q, self.W_k, self.W_v))
        places = torch.arange(x.shape[1], device=x.device)
        mask = self.mask(places[:, None] - places, self.clamped()[:, None, None])
        weights = _weigh(Q @ K.transpose(-2, -1) / self.scale(Q), mask)
        return self.finish(weights @ V), weights


@misconception(
    "AdaptiveSpanAttention",
    hint="범위가 max_span일 때 닿는 곳까지 모두 계산했습니다. 지금의 z 가운데 가장 긴 것으로 정하십시오.",
    read="adaptive_span#span-cost",
)
class ReachOfTheLongestPossible(_Layer):
    def reach(self, z):
        return math.ceil(self.max_span + self.ramp)


@misconception(
    "AdaptiveSpanAttention",
    hint="계산할 거리를 max(z)에서 끊었습니다. 비탈에 있는 자리, 곧 max(z) + ramp까지도 가중치를 받습니다.",
    read="adaptive_span#span-cost",
)
class RampNotComputed(_Layer):
    def reach(self, z):
        return math.ceil(z.max().item())


@misconception(
    "AdaptiveSpanAttention",
    hint="헤드들의 범위의 평균만큼만 계산했습니다. 가장 긴 범위를 가진 헤드가 볼 것이 잘립니다.",
    read="adaptive_span#span-cost",
)
class ReachOfTheMeanSpan(_Layer):
    def reach(self, z):
        return math.ceil(z.mean().item() + self.ramp)


@misconception(
    "AdaptiveSpanAttention",
    hint="z를 [0, max_span]으로 자르지 않았습니다. 학습하다 보면 음수나 max_span보다 큰 값이 됩니다.",
    read="adaptive_span#span-clamp",
)
class SpansNotClamped(_Layer):
    def clamped(self):
        return self.z


@misconception(
    "AdaptiveSpanAttention",
    hint="z를 0에서만 잘랐습니다. max_span보다 커질 수도 있으므로 위로도 자르십시오.",
    read="adaptive_span#span-clamp",
)
class SpansClampedBelowOnly(_Layer):
    def clamped(self):
        return self.z.clamp(min=0)


@misconception(
    "AdaptiveSpanAttention",
    hint="범위 하나를 모든 헤드가 같이 씁니다. 헤드마다 보는 거리가 다를 수 있도록 모양을 (h,)로 하십시오.",
    read="adaptive_span#span-layer",
)
class OneSpanForAll(_Layer):
    def spans(self, num_heads, max_span):
        return nn.Parameter(torch.full((1,), max_span / 2))


@misconception(
    "AdaptiveSpanAttention",
    hint="모든 헤드가 범위의 평균을 씁니다. 헤드마다 자기 z를 쓰도록 (h, 1, 1)로 놓으십시오.",
    read="adaptive_span#span-layer",
)
class MeanSpanForAll(_Layer):
    def clamped(self):
        return self.z.clamp(0, self.max_span).mean().expand(self.num_heads)


@misconception(
    "AdaptiveSpanAttention",
    hint="z가 파라미터가 아니라 버퍼입니다. 옵티마이저가 움직이지 않으므로 범위를 배우지 못합니다. nn.Parameter로 만드십시오.",
    read="adaptive_span#span-layer",
)
class SpansInABuffer(_Layer):
    def __init__(self, d_model, num_heads, max_span, ramp):
        super().__init__(d_model, num_heads, max_span, ramp)
        del self.z
        self.register_buffer("z", torch.full((num_heads,), max_span / 2))


@misconception(
    "AdaptiveSpanAttention",
    hint="범위가 0에서 시작합니다. 비탈 밖에서는 기울기가 0이어서 먼 것이 필요해도 늘어나지 못합니다. max_span / 2에서 시작하십시오.",
    read="adaptive_span#span-layer",
)
class SpansStartAtZero(_Layer):
    def spans(self, num_heads, max_span):
        return nn.Parameter(torch.zeros(num_heads))


@misconception(
    "AdaptiveSpanAttention",
    hint="범위가 max_span에서 시작합니다. 이 연습에서는 max_span / 2입니다.",
    read="adaptive_span#span-layer",
)
class SpansStartAtTheMost(_Layer):
    def spans(self, num_heads, max_span):
        return nn.Parameter(torch.full((num_heads,), float(max_span)))


@misconception(
    "AdaptiveSpanAttention",
    hint="z의 기울기를 끊었습니다(item, int, requires_grad=False). 그 값은 계산할 거리를 정하는 데만 쓰고 마스크에는 self.z를 쓰십시오.",
    read="adaptive_span#why-a-ramp",
)
class SpansDetached(_Layer):
    def mask(self, distance, z):
        return _mask(distance, z.detach(), self.ramp)


@misconception(
    "AdaptiveSpanAttention",
    hint="문장의 앞을 벗어난 자리를 첫 토큰으로 채우고 가리지 않았습니다. 첫 토큰이 여러 번 세어집니다.",
    read="adaptive_span#span-mistakes",
)
class FirstTokenRepeated(_Layer):
    def distance(self, back, before_the_start):
        return back.expand(before_the_start.shape)


@misconception(
    "AdaptiveSpanAttention",
    hint="점수를 나누지 않았습니다. 헤드 하나의 차원의 제곱근으로 나누십시오.",
    read="multi_head_attention#multi-head-formula",
)
class NoScale(_Layer):
    def scale(self, Q):
        return 1.0


@misconception(
    "AdaptiveSpanAttention",
    hint="d_model의 제곱근으로 나누었습니다. 나눌 것은 헤드 하나의 차원 d_model / h의 제곱근입니다.",
    read="multi_head_attention#multi-head-formula",
)
class ScaledByModel(_Layer):
    def scale(self, Q):
        return math.sqrt(Q.shape[-1] * self.num_heads)


@misconception(
    "AdaptiveSpanAttention",
    hint="W_o를 곱하지 않았습니다. 헤드를 이어 붙인 다음 섞어야 합니다.",
    read="adaptive_span#span-layer",
)
class NoOutputMap(_Layer):
    def finish(self, heads):
        return heads.transpose(1, 2).flatten(2)


@misconception(
    "AdaptiveSpanAttention",
    hint="가중치를 거리의 차례로 돌려주었습니다. 열은 키의 자리이고 모양은 (B, h, n, n)입니다. 계산하지 않은 자리는 0입니다.",
    read="adaptive_span#span-layer",
)
class WeightsByDistance(_Layer):
    def spread(self, weights, places, n):
        return weights


@misconception(
    "AdaptiveSpanAttention",
    hint="가중치를 헤드끼리 평균했습니다. 헤드마다 범위가 다르므로 (B, h, n, n)으로 돌려주십시오.",
    read="adaptive_span#span-layer",
)
class WeightsAveraged(_Layer):
    def forward(self, x):
        output, weights = super().forward(x)
        return output, weights.mean(1)


@misconception(
    "AdaptiveSpanAttention",
    hint="d_model이 헤드의 수로 나누어떨어지지 않는데 받아들였습니다. ValueError를 내십시오.",
    read="multi_head_attention#heads-divide",
)
class UnevenHeadsAccepted(_Layer):
    def refuse(self, d_model, num_heads): ...


# span_penalty -----------------------------------------------------------------------------------------------


@misconception(
    "span_penalty",
    hint="범위를 더했습니다. 헤드의 수가 늘면 값도 커집니다. 평균에 계수를 곱하십시오.",
    read="adaptive_span#span-price",
)
def sum_of_spans(z, coefficient):
    return coefficient * z.sum()


@misconception(
    "span_penalty",
    hint="가장 긴 범위에만 값을 매겼습니다. 다른 헤드는 줄어들 까닭이 없습니다. 평균을 쓰십시오.",
    read="adaptive_span#span-price",
)
def longest_span(z, coefficient):
    return coefficient * z.max()


@misconception(
    "span_penalty",
    hint="범위를 제곱했습니다. 이 연습에서는 제곱하지 않고 평균합니다.",
    read="adaptive_span#span-price",
)
def squared_spans(z, coefficient):
    return coefficient * z.square().mean()


@misconception(
    "span_penalty",
    hint="계수를 곱하지 않았습니다.",
    read="adaptive_span#span-price",
)
def coefficient_forgotten(z, coefficient):
    return z.mean()


@misconception(
    "span_penalty",
    hint="기울기를 끊었습니다(item, detach). 손실에 더해도 범위가 줄어들지 않습니다.",
    read="adaptive_span#span-price",
)
def penalty_detached(z, coefficient):
    return coefficient * z.detach().mean()


@misconception(
    "span_penalty",
    hint="부호가 반대입니다. 범위가 길수록 손실이 커져야 짧아집니다.",
    read="adaptive_span#span-price",
)
def longer_is_cheaper(z, coefficient):
    return -coefficient * z.mean()
