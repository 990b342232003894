"""Wrong answers that people give to the exercise `adaptive_span`."""

import math

import torch
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# soft_span_mask ---------------------------------------------------------------------------------------------


def _past(mask, distance):
    return mask.masked_fill(distance < 0, 0.0)


@wrong("soft_span_mask", read="span-mask")
def ramp_inside_the_span(distance, z, ramp):
    """비탈이 범위 안쪽에 있습니다. z까지는 1이고 그 뒤로 ramp자리에 걸쳐 내려갑니다. 분자는 ramp + z - distance입니다."""
    return _past(((z - distance) / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-mask")
def ramp_around_the_span(distance, z, ramp):
    """비탈의 가운데를 z에 놓았습니다. 비탈은 z에서 시작해 z + ramp에서 끝납니다."""
    return _past(((ramp / 2 + z - distance) / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-mistakes")
def more_than_one(distance, z, ramp):
    """1에서 자르지 않았습니다. 가까운 자리의 값이 1보다 커져 가중치가 가까운 쪽으로 쏠립니다."""
    return _past(((ramp + z - distance) / ramp).clamp(min=0), distance)


@wrong("soft_span_mask", read="span-mistakes")
def less_than_zero(distance, z, ramp):
    """0에서 자르지 않았습니다. 먼 자리의 값이 음수가 됩니다. clamp(0, 1)을 쓰십시오."""
    return _past(((ramp + z - distance) / ramp).clamp(max=1), distance)


@wrong("soft_span_mask", read="why-a-ramp")
def hard_edge(distance, z, ramp):
    """비탈 없이 z에서 딱 잘랐습니다. z로 미분하면 어디서나 0이어서 범위를 배울 수 없습니다."""
    return _past((distance <= z).to(z.dtype), distance)


@wrong("soft_span_mask", read="why-a-ramp")
def sigmoid_edge(distance, z, ramp):
    """시그모이드처럼 0이 되지 않는 함수를 썼습니다. 먼 자리의 점수를 계산하지 않으려면 정확히 0이어야 합니다."""
    return _past(((ramp + z - distance) / ramp).sigmoid(), distance)


@wrong("soft_span_mask", read="span-mask")
def far_instead_of_near(distance, z, ramp):
    """뒤집혔습니다. 가까운 자리가 1, 먼 자리가 0이어야 합니다."""
    return _past(1 - ((ramp + z - distance) / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-future")
def future_visible(distance, z, ramp):
    """미래를 가리지 않았습니다. 거리가 음수이면 식의 값이 1입니다. distance < 0인 자리를 0으로 만드십시오."""
    return ((ramp + z - distance) / ramp).clamp(0, 1)


@wrong("soft_span_mask", read="span-future")
def future_mirrored(distance, z, ramp):
    """거리의 절댓값을 썼습니다. 음수인 거리는 멀지 않은 미래가 아니라 보아서는 안 되는 미래입니다."""
    return ((ramp + z - distance.abs()) / ramp).clamp(0, 1)


@wrong("soft_span_mask", read="span-future")
def itself_hidden(distance, z, ramp):
    """자기 자신까지 가렸습니다. 거리 0은 자기 자신이고 언제나 볼 수 있습니다. 가릴 것은 distance < 0입니다."""
    return ((ramp + z - distance) / ramp).clamp(0, 1).masked_fill(distance <= 0, 0.0)


@wrong("soft_span_mask", read="why-a-ramp")
def span_rounded(distance, z, ramp):
    """범위를 정수로 만들었습니다(int, floor, round). 그러면 z까지 기울기가 흐르지 않습니다. z를 실수 그대로 쓰십시오."""
    return _past(((ramp + z.round() - distance) / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="why-a-ramp", slip=True)
def span_detached(distance, z, ramp):
    """z의 기울기를 끊었습니다(detach, item). 값은 맞지만 범위를 배울 수 없습니다."""
    return _past(((ramp + z.detach() - distance) / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-mask")
def not_divided_by_the_ramp(distance, z, ramp):
    """ramp로 나누지 않았습니다. 비탈의 기울기는 1 / ramp이고, 1에서 0까지 ramp자리가 걸려야 합니다."""
    return _past((ramp + z - distance).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-mistakes")
def not_clamped(distance, z, ramp):
    """0에서도 1에서도 자르지 않았습니다. 가까운 자리는 1보다 커지고 먼 자리는 음수가 됩니다. 두 쪽을 모두 자르십시오."""
    return _past((ramp + z - distance) / ramp, distance)


@wrong("soft_span_mask", read="why-a-ramp")
def cut_behind_the_ramp(distance, z, ramp):
    """z + ramp에서 딱 잘랐습니다. z까지만 1이고, 거기서부터 z + ramp까지는 비스듬히 내려가야 합니다."""
    return _past((distance < z + ramp).to(z.dtype), distance)


@wrong("soft_span_mask", read="span-mask")
def ramp_one_longer(distance, z, ramp):
    """비탈이 ramp자리보다 한 자리 깁니다. 나누는 것도 더하는 것도 ramp 그대로입니다."""
    return _past(((ramp + 1 + z - distance) / (ramp + 1)).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-mask")
def counted_from_one(distance, z, ramp):
    """거리를 하나씩 더 크게 셌습니다. 거리 0이 자기 자신이므로 1을 더할 것이 없습니다."""
    return _past(((ramp + z - distance - 1) / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-mask")
def one_place_further(distance, z, ramp):
    """거리를 하나씩 더 작게 셌습니다. 거리 z까지 1이고 z + ramp에서 벌써 0입니다. 더할 1은 없습니다."""
    return _past(((ramp + z - distance + 1) / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-mask")
def only_the_distance_divided(distance, z, ramp):
    """괄호가 빠져 거리만 ramp로 나누었습니다. ramp + z - distance 전체를 나누십시오."""
    return _past((ramp + z - distance / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-mask")
def span_and_ramp_swapped(distance, z, ramp):
    """z와 ramp가 뒤바뀌었습니다. 나누는 것은 비탈의 길이 ramp이고, 1이 이어지는 곳은 z까지입니다."""
    return _past(((ramp + z - distance) / z).clamp(0, 1), distance)


@wrong("soft_span_mask", read="why-a-ramp")
def steps_rounded_up(distance, z, ramp):
    """비탈의 값을 올림해 계단으로 만들었습니다(ceil). 계단에서는 기울기가 0입니다. 실수 그대로 나누십시오."""
    return _past(((ramp + z - distance).ceil() / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-future")
def future_minus_infinity(distance, z, ramp):
    """미래를 0이 아니라 -inf로 만들었습니다. 이 마스크는 점수에 더하는 것이 아니라 exp에 곱하는 것이므로 0이어야 합니다."""
    return ((ramp + z - distance) / ramp).clamp(0, 1).masked_fill(distance < 0, -math.inf)


@wrong("soft_span_mask", read="span-mask", slip=True)
def heads_merged(distance, z, ramp):
    """헤드마다 다른 범위를 하나로 합쳤습니다. z가 (h, 1, 1)이면 그대로 계산해 (h, n_q, n_k)를 돌려주십시오."""
    return _past(((ramp + z.mean() - distance) / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-mask", slip=True)
def one_span_only(distance, z, ramp):
    """범위가 하나일 때만 됩니다. z가 (h, 1, 1)이어도 계산이 되고 결과가 (h, n_q, n_k)여야 합니다."""
    if z.dim():
        raise TypeError("one span")
    return _past(((ramp + z - distance) / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-mask", slip=True)
def axes_added_again(distance, z, ramp):
    """z에 축을 또 붙였습니다. 헤드마다의 범위는 이미 (h, 1, 1)로 들어옵니다."""
    z = z[..., None, None] if z.dim() else z
    return _past(((ramp + z - distance) / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-mask")
def always_an_axis_of_heads(distance, z, ramp):
    """범위가 하나일 때도 헤드의 축을 붙였습니다. z가 수 하나이면 결과는 (n_q, n_k)입니다."""
    return _past(((ramp + z.reshape(-1, 1, 1) - distance) / ramp).clamp(0, 1), distance)


@wrong("soft_span_mask", read="span-mask", slip=True)
def in_single_precision(distance, z, ramp):
    """자료형을 float32로 정해 두었습니다. 결과의 자료형은 z를 따릅니다."""
    return _past(((ramp + z - distance) / ramp).clamp(0, 1), distance).float()


@wrong("soft_span_mask", read="span-mask", slip=True)
def dtype_of_the_distance(distance, z, ramp):
    """거리가 실수로 들어오면 결과가 거리의 자료형을 따릅니다. 거리가 아니라 z의 자료형을 따라야 합니다."""
    mask = _past(((ramp + z - distance) / ramp).clamp(0, 1), distance)
    return mask.to(distance.dtype) if distance.is_floating_point() else mask


@wrong("soft_span_mask", read="span-future", slip=True)
def distance_changed(distance, z, ramp):
    """받은 거리를 제자리에서 바꾸었습니다. 부른 쪽의 distance까지 달라집니다. 이름이 _로 끝나는 연산이나 대입 대신 새 텐서를 만드십시오."""
    hidden = distance < 0
    distance[hidden] = 10**6
    return ((ramp + z - distance) / ramp).clamp(0, 1)


# span_attention ---------------------------------------------------------------------------------------------


def _mask(distance, z, ramp):
    return _past(((ramp + z - distance) / ramp).clamp(0, 1), distance)


def _weigh(scores, mask):
    """The right weights for a mask."""
    nothing = ~(mask > 0).any(-1, keepdim=True)
    weights = scores.masked_fill((mask == 0) & ~nothing, -math.inf).softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True).masked_fill(nothing, 1.0)


@wrong("span_attention", read="span-weights")
def not_divided_again(scores, distance, z, ramp):
    """마스크를 곱하고 다시 나누지 않았습니다. 가중치의 합이 1보다 작아집니다."""
    mask = _mask(distance, z, ramp)
    return scores.masked_fill(distance < 0, -1e30).softmax(-1) * mask


@wrong("span_attention", read="span-mistakes")
def scores_times_the_mask(scores, distance, z, ramp):
    """점수에 마스크를 곱했습니다. 점수 0은 '안 봄'이 아니라 exp(0) = 1입니다. exp를 구한 다음 곱하십시오."""
    mask = _mask(distance, z, ramp)
    weights = (scores * mask).masked_fill(distance < 0, -1e30).softmax(-1)
    return weights.masked_fill(~(mask > 0).any(-1, keepdim=True), 0.0)


@wrong("span_attention", read="span-mistakes")
def scores_plus_the_mask(scores, distance, z, ramp):
    """점수에 마스크를 더했습니다. 가린 자리도 가중치를 받습니다. 더하려면 마스크의 로그를 더해야 합니다."""
    mask = _mask(distance, z, ramp)
    weights = (scores + mask).masked_fill(distance < 0, -1e30).softmax(-1)
    return weights.masked_fill(~(mask > 0).any(-1, keepdim=True), 0.0)


@wrong("span_attention", read="span-weights")
def ramp_ignored(scores, distance, z, ramp):
    """마스크가 0보다 큰 자리를 모두 똑같이 보았습니다. 비탈에서는 마스크의 값을 곱해야 하고, 그래야 z가 기울기를 받습니다."""
    return _weigh(scores, (_mask(distance, z, ramp) > 0).to(scores.dtype))


@wrong("span_attention", read="why-a-ramp")
def cut_at_the_span(scores, distance, z, ramp):
    """z에서 딱 잘랐습니다. 비탈에 있는 자리가 빠졌고, z가 기울기를 받지 못합니다."""
    return _weigh(scores, ((distance <= z) & (distance >= 0)).to(scores.dtype))


@wrong("span_attention", read="span-mistakes")
def softmax_again(scores, distance, z, ramp):
    """마스크를 곱한 다음 소프트맥스를 또 취했습니다. 0인 자리도 exp(0) = 1만큼 가중치를 받습니다. 합으로 나누기만 하면 됩니다."""
    mask = _mask(distance, z, ramp)
    weights = (scores.softmax(-1) * mask).softmax(-1)
    return weights.masked_fill(~(mask > 0).any(-1, keepdim=True), 0.0)


@wrong("span_attention", read="span-mistakes")
def softmax_before_the_mask(scores, distance, z, ramp):
    """가린 점수까지 넣어 소프트맥스를(또는 가장 큰 점수를) 구한 다음 가렸습니다. 가린 점수가 크면 남은 가중치가 모두 0이 되어 나눌 것이 없습니다. 마스크가 0인 자리를 먼저 -inf로 가리십시오."""
    weights = scores.softmax(-1) * _mask(distance, z, ramp)
    return weights / (weights.sum(-1, keepdim=True) + 1e-8)


@wrong("span_attention", read="attention#saturation")
def exponentials_by_hand(scores, distance, z, ramp):
    """exp를 직접 썼습니다. 점수가 크면 넘쳐서 inf/inf가 되고, 아주 작으면 모두 0이 됩니다. softmax처럼 볼 수 있는 점수 가운데 가장 큰 것을 먼저 빼십시오."""
    parts = scores.exp() * _mask(distance, z, ramp)
    total = parts.sum(-1, keepdim=True)
    return parts / total.masked_fill(total == 0, 1.0)


@wrong("span_attention", read="span-mistakes", slip=True)
def nan_rows(scores, distance, z, ramp):
    """볼 것이 없는 행이 NaN이 되었습니다. 합이 0인 행은 나누지 말고 0으로 두십시오."""
    mask = _mask(distance, z, ramp)
    return (scores + mask.log()).softmax(-1)


@wrong("span_attention", read="span-mistakes", slip=True)
def logarithm_of_zero(scores, distance, z, ramp):
    """마스크의 로그를 더했습니다. 값은 맞지만 log(0)을 지나는 기울기가 NaN이 됩니다. 나중에 0으로 덮어도 남습니다."""
    mask = _mask(distance, z, ramp)
    weights = (scores + mask.log()).softmax(-1)
    return weights.masked_fill(~(mask > 0).any(-1, keepdim=True), 0.0)


@wrong("span_attention", read="why-a-ramp")
def mask_detached(scores, distance, z, ramp):
    """마스크의 기울기를 끊었습니다(detach). 가중치는 맞지만 범위를 배울 수 없습니다."""
    return _weigh(scores, _mask(distance, z, ramp).detach())


@wrong("span_attention", read="span-weights")
def divided_over_queries(scores, distance, z, ramp):
    """질의 축으로 나누었습니다. 마지막 축(키)에서 합이 1이어야 합니다."""
    mask = _mask(distance, z, ramp)
    return _weigh(scores.transpose(-2, -1), mask.transpose(-2, -1)).transpose(-2, -1)


@wrong("span_attention", read="span-future")
def looks_ahead(scores, distance, z, ramp):
    """미래를 보았습니다. 음수인 거리의 마스크는 0입니다."""
    return _weigh(scores, ((ramp + z - distance) / ramp).clamp(0, 1))


@wrong("span_attention", read="span-weights")
def span_not_used(scores, distance, z, ramp):
    """범위를 쓰지 않았습니다. z와 ramp로 만든 마스크에서 0인 자리의 가중치는 0이어야 합니다."""
    return scores.masked_fill(distance < 0, -1e30).softmax(-1)


@wrong("span_attention", read="span-weights")
def never_divided(scores, distance, z, ramp):
    """exp에 마스크를 곱하기만 하고 합으로 나누지 않았습니다. 행의 합이 1이 되어야 합니다."""
    mask = _mask(distance, z, ramp)
    top = scores.masked_fill(mask == 0, -1e30).amax(-1, keepdim=True)
    return (scores - top).clamp(max=0).exp() * mask


@wrong("span_attention", read="span-weights")
def masked_twice(scores, distance, z, ramp):
    """마스크를 두 번 곱했습니다. 비탈에 있는 자리의 가중치가 너무 작습니다. 로그를 더하는 것도 한 번 곱하는 것입니다."""
    return _weigh(scores, _mask(distance, z, ramp) ** 2)


@wrong("span_attention", read="span-weights")
def exponentials_plus_the_mask(scores, distance, z, ramp):
    """마스크를 exp에 곱하지 않고 더했습니다. 가린 자리도 가중치를 받습니다."""
    mask = _mask(distance, z, ramp)
    parts = (scores - scores.amax(-1, keepdim=True)).exp() + mask
    return parts / parts.sum(-1, keepdim=True)


@wrong("span_attention", read="span-weights")
def softmax_over_queries(scores, distance, z, ramp):
    """질의 축으로 소프트맥스를 취했습니다. 나중에 행의 합으로 나누어도 점수의 비가 달라집니다. 마지막 축(키)에서 취하십시오."""
    weights = scores.softmax(-2) * _mask(distance, z, ramp)
    return weights / weights.sum(-1, keepdim=True).clamp(min=1e-30)


@wrong("span_attention", read="span-mask")
def span_and_ramp_swapped_in_the_call(scores, distance, z, ramp):
    """z와 ramp를 뒤바꾸어 넘겼습니다. soft_span_mask는 거리, 범위, 비탈의 차례로 받습니다."""
    return _weigh(scores, _mask(distance, ramp, z))


@wrong("span_attention", read="attention#saturation", slip=True)
def one_maximum_for_all(scores, distance, z, ramp):
    """가장 큰 점수를 텐서 전체에서 하나만 골라 뺐습니다. 다른 행의 점수가 훨씬 크면 한 행의 exp가 모두 0이 됩니다. 행마다 고르십시오."""
    mask = _mask(distance, z, ramp)
    visible = scores.masked_fill(mask == 0, -1e30)
    parts = (visible - visible.max()).exp() * mask
    total = parts.sum(-1, keepdim=True)
    return parts / total.masked_fill(total == 0, 1.0)


@wrong("span_attention", read="span-mistakes")
def mask_plus_epsilon(scores, distance, z, ramp):
    """가린 자리에 작은 수를 더하거나 작은 점수를 주어 조금은 보이게 했습니다. 가린 자리의 점수가 아주 크면 다시 보입니다. 가중치가 정확히 0이어야 합니다."""
    return (scores + (_mask(distance, z, ramp) + 1e-9).log()).softmax(-1)


@wrong("span_attention", read="span-mistakes", slip=True)
def empty_rows_look(scores, distance, z, ramp):
    """볼 것이 없는 행이 0이 아닙니다. 가린 점수를 모두 똑같은 작은 수로 채우면 소프트맥스는 그 행에서 모두를 똑같이 봅니다. 그런 행은 0으로 만드십시오."""
    mask = _mask(distance, z, ramp)
    return torch.where(mask > 0, scores + mask.clamp(min=1e-30).log(), -1e30).softmax(-1)


@wrong("span_attention", read="span-mistakes", slip=True)
def nan_covered(scores, distance, z, ramp):
    """0으로 나눈 NaN을 나중에 0으로 덮었습니다(nan_to_num, where). 값은 맞지만 기울기는 NaN으로 남습니다. 볼 것이 없는 행은 나누기 전에 0이 아닌 수로 나누게 하십시오."""
    mask = _mask(distance, z, ramp)
    weights = scores.masked_fill(mask == 0, -1e30).softmax(-1) * mask
    return (weights / weights.sum(-1, keepdim=True)).nan_to_num(0.0)


@wrong("span_attention", read="span-weights")
def scores_detached(scores, distance, z, ramp):
    """점수의 기울기를 끊었습니다(detach). 가중치는 맞지만 질의와 키가 배우지 못합니다."""
    return _weigh(scores.detach(), _mask(distance, z, ramp))


@wrong("span_attention", read="why-a-ramp")
def everything_detached(scores, distance, z, ramp):
    """가중치의 기울기를 모두 끊었습니다(no_grad, detach). 범위도 질의와 키도 배우지 못합니다."""
    return _weigh(scores, _mask(distance, z, ramp)).detach()


@wrong("span_attention", read="span-weights", slip=True)
def weights_in_single_precision(scores, distance, z, ramp):
    """자료형을 float32로 정해 두었습니다. 가중치의 자료형은 점수를 따릅니다."""
    return _weigh(scores, _mask(distance, z, ramp)).float()


@wrong("span_attention", read="span-weights", slip=True)
def scores_changed(scores, distance, z, ramp):
    """받은 점수를 제자리에서 바꾸었습니다(masked_fill_). 부른 쪽의 점수까지 달라집니다. _가 없는 masked_fill을 쓰십시오."""
    mask = _mask(distance, z, ramp)
    scores.masked_fill_(mask == 0, -1e30)
    return _weigh(scores, mask)


@wrong("span_attention", read="span-mistakes", slip=True)
def hidden_scores_zero(scores, distance, z, ramp):
    """가린 점수를 0으로 채웠습니다. 다른 점수가 아주 작으면 그 0이 가장 커서 남은 가중치가 모두 0이 됩니다. -inf로 가리십시오."""
    mask = _mask(distance, z, ramp)
    weights = scores.masked_fill(mask == 0, 0.0).softmax(-1) * mask
    total = weights.sum(-1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1.0)


@wrong("span_attention", read="attention#saturation")
def scores_clipped(scores, distance, z, ramp):
    """큰 점수를 잘랐습니다(clamp). 넘치지는 않지만 잘린 점수끼리는 구별되지 않습니다. 행마다 가장 큰 점수를 빼십시오."""
    return _weigh(scores.clamp(max=50), _mask(distance, z, ramp))


# AdaptiveSpanAttention --------------------------------------------------------------------------------------


@right_answer("AdaptiveSpanAttention")
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


@wrong("AdaptiveSpanAttention", read="span-cost")
class ComputesEverything(_Layer):
    """모든 점수를 계산한 다음 가렸습니다. 값은 맞지만 범위가 짧아져도 아끼는 것이 없습니다. max(z) + ramp보다 가까운 키만 곱하십시오."""

    def forward(self, x):
        Q, K, V = (self.split(linear(x)) for linear in (self.W_q, self.W_k, self.W_v))
        places = torch.arange(x.shape[1], device=x.device)
        mask = self.mask(places[:, None] - places, self.clamped()[:, None, None])
        weights = _weigh(Q @ K.transpose(-2, -1) / self.scale(Q), mask)
        return self.finish(weights @ V), weights


@wrong("AdaptiveSpanAttention", read="span-cost")
class ReachOfTheLongestPossible(_Layer):
    """범위가 max_span일 때 닿는 곳까지 모두 계산했습니다. 지금의 z 가운데 가장 긴 것으로 정하십시오."""

    def reach(self, z):
        return math.ceil(self.max_span + self.ramp)


@wrong("AdaptiveSpanAttention", read="span-cost")
class RampNotComputed(_Layer):
    """계산할 거리를 max(z)에서 끊었습니다. 비탈에 있는 자리, 곧 max(z) + ramp까지도 가중치를 받습니다."""

    def reach(self, z):
        return math.ceil(z.max().item())


@wrong("AdaptiveSpanAttention", read="span-cost")
class ReachOfTheMeanSpan(_Layer):
    """헤드들의 범위의 평균만큼만 계산했습니다. 가장 긴 범위를 가진 헤드가 볼 것이 잘립니다."""

    def reach(self, z):
        return math.ceil(z.mean().item() + self.ramp)


@wrong("AdaptiveSpanAttention", read="span-clamp", slip=True)
class SpansNotClamped(_Layer):
    """z를 [0, max_span]으로 자르지 않았습니다. 학습하다 보면 음수나 max_span보다 큰 값이 됩니다."""

    def clamped(self):
        return self.z


@wrong("AdaptiveSpanAttention", read="span-clamp", slip=True)
class SpansClampedBelowOnly(_Layer):
    """z를 위로는 max_span에서 자르지 않았습니다. 학습하다 보면 더 커질 수도 있으므로 위로도 자르십시오."""

    def clamped(self):
        return self.z.clamp(min=0)


@wrong("AdaptiveSpanAttention", read="span-layer")
class OneSpanForAll(_Layer):
    """범위 하나를 모든 헤드가 같이 씁니다. 헤드마다 보는 거리가 다를 수 있도록 모양을 (h,)로 하십시오."""

    def spans(self, num_heads, max_span):
        return nn.Parameter(torch.full((1,), max_span / 2))


@wrong("AdaptiveSpanAttention", read="span-layer")
class MeanSpanForAll(_Layer):
    """모든 헤드가 범위의 평균을 씁니다. 헤드마다 자기 z를 쓰도록 (h, 1, 1)로 놓으십시오."""

    def clamped(self):
        return self.z.clamp(0, self.max_span).mean().expand(self.num_heads)


@wrong("AdaptiveSpanAttention", read="span-layer")
class SpansInABuffer(_Layer):
    """z가 파라미터가 아니라 버퍼입니다. 옵티마이저가 움직이지 않으므로 범위를 배우지 못합니다. nn.Parameter로 만드십시오."""

    def __init__(self, d_model, num_heads, max_span, ramp):
        super().__init__(d_model, num_heads, max_span, ramp)
        del self.z
        self.register_buffer("z", torch.full((num_heads,), max_span / 2))


@wrong("AdaptiveSpanAttention", read="span-layer", slip=True)
class SpansStartAtZero(_Layer):
    """범위가 0에서 시작합니다. 비탈 밖에서는 기울기가 0이어서 먼 것이 필요해도 늘어나지 못합니다. max_span / 2에서 시작하십시오."""

    def spans(self, num_heads, max_span):
        return nn.Parameter(torch.zeros(num_heads))


@wrong("AdaptiveSpanAttention", read="span-layer", slip=True)
class SpansStartAtTheMost(_Layer):
    """범위가 max_span에서 시작합니다. 이 연습에서는 max_span / 2입니다."""

    def spans(self, num_heads, max_span):
        return nn.Parameter(torch.full((num_heads,), float(max_span)))


@wrong("AdaptiveSpanAttention", read="why-a-ramp", slip=True)
class SpansDetached(_Layer):
    """z의 기울기를 끊었습니다(item, int, requires_grad=False). 그 값은 계산할 거리를 정하는 데만 쓰고 마스크에는 self.z를 쓰십시오."""

    def mask(self, distance, z):
        return _mask(distance, z.detach(), self.ramp)


@wrong("AdaptiveSpanAttention", read="span-mistakes")
class FirstTokenRepeated(_Layer):
    """문장의 앞을 벗어난 자리를 첫 토큰으로 채우고 가리지 않았습니다. 첫 토큰이 여러 번 세어집니다."""

    def distance(self, back, before_the_start):
        return back.expand(before_the_start.shape)


@wrong("AdaptiveSpanAttention", read="multi_head_attention#multi-head-formula")
class NoScale(_Layer):
    """점수를 나누지 않았습니다. 헤드 하나의 차원의 제곱근으로 나누십시오."""

    def scale(self, Q):
        return 1.0


@wrong("AdaptiveSpanAttention", read="multi_head_attention#multi-head-formula")
class ScaledByModel(_Layer):
    """d_model의 제곱근으로 나누었습니다. 나눌 것은 헤드 하나의 차원 d_model / h의 제곱근입니다."""

    def scale(self, Q):
        return math.sqrt(Q.shape[-1] * self.num_heads)


@wrong("AdaptiveSpanAttention", read="span-layer")
class NoOutputMap(_Layer):
    """W_o를 곱하지 않았습니다. 헤드를 이어 붙인 다음 섞어야 합니다."""

    def finish(self, heads):
        return heads.transpose(1, 2).flatten(2)


@wrong("AdaptiveSpanAttention", read="span-layer", slip=True)
class WeightsByDistance(_Layer):
    """가중치를 키의 자리에 놓지 않았습니다. 거리나 창의 차례로 두지 마십시오. 열은 키의 자리이고 모양은 (B, h, n, n)입니다. 계산하지 않은 자리는 0입니다."""

    def spread(self, weights, places, n):
        return weights


@wrong("AdaptiveSpanAttention", read="span-layer", slip=True)
class WeightsAveraged(_Layer):
    """가중치를 헤드끼리 합쳤습니다(평균). 헤드마다 범위가 다르므로 (B, h, n, n)으로 돌려주십시오."""

    def forward(self, x):
        output, weights = super().forward(x)
        return output, weights.mean(1)


@wrong("AdaptiveSpanAttention", read="multi_head_attention#heads-divide", slip=True)
class UnevenHeadsAccepted(_Layer):
    """d_model이 헤드의 수로 나누어떨어지지 않는데 받아들였습니다. ValueError를 내십시오."""

    def refuse(self, d_model, num_heads): ...


@wrong("AdaptiveSpanAttention", read="span-cost")
class ReachOfTheShortestSpan(_Layer):
    """헤드들의 범위 가운데 가장 짧은 것만큼만 계산했습니다. 더 긴 범위를 가진 헤드가 볼 것이 잘립니다."""

    def reach(self, z):
        return math.ceil(z.min().item() + self.ramp)


@wrong("AdaptiveSpanAttention", read="span-cost", slip=True)
class ReachNoFurtherThanTheMost(_Layer):
    """계산할 거리를 max_span에서 끊었습니다. z가 max_span에 가까우면 비탈이 잘립니다. max(z) + ramp보다 가까운 키는 모두 계산하십시오."""

    def reach(self, z):
        return min(self.max_span, super().reach(z))


@wrong("AdaptiveSpanAttention", read="span-cost")
class ReachRoundedDown(_Layer):
    """max(z) + ramp를 버림했습니다(int, floor). 정수가 아니면 마지막 거리가 빠집니다. 올림하십시오."""

    def reach(self, z):
        return int(z.max().item() + self.ramp)


@wrong("AdaptiveSpanAttention", read="span-cost")
class ReachOneShort(_Layer):
    """마지막 거리 하나가 빠졌습니다. 거리는 0부터 세므로 max(z) + ramp보다 작은 거리는 그 값을 올림한 개수만큼 있습니다."""

    def reach(self, z):
        return math.ceil(z.max().item() + self.ramp) - 1


@wrong("AdaptiveSpanAttention", read="span-clamp", slip=True)
class SpansClampedAboveOnly(_Layer):
    """z를 위로만 잘랐습니다. 음수가 될 수도 있으므로 0에서도 자르십시오."""

    def clamped(self):
        return self.z.clamp(max=self.max_span)


@wrong("AdaptiveSpanAttention", read="why-a-ramp")
class SpansRounded(_Layer):
    """범위를 정수로 만들었습니다(round, int). 비탈의 자리가 달라지고 z가 기울기를 받지 못합니다. 마스크에는 z를 실수 그대로 쓰십시오."""

    def clamped(self):
        return self.z.clamp(0, self.max_span).round()


@wrong("AdaptiveSpanAttention", read="span-layer")
class LongestSpanForAll(_Layer):
    """모든 헤드가 가장 긴 범위를 씁니다. max(z)는 계산할 거리를 정하는 데만 쓰고, 마스크에는 헤드마다 자기 z를 (h, 1, 1)로 넣으십시오."""

    def clamped(self):
        return self.z.clamp(0, self.max_span).max().expand(self.num_heads)


@wrong("AdaptiveSpanAttention", read="span-layer")
class SpansOfThreeAxes(_Layer):
    """z의 모양이 (h, 1, 1)입니다. 파라미터는 (h,)로 만들고 쓸 때 축을 붙이십시오."""

    def spans(self, num_heads, max_span):
        return nn.Parameter(torch.full((num_heads, 1, 1), max_span / 2))

    def clamped(self):
        return super().clamped().flatten()


@wrong("AdaptiveSpanAttention", read="span-layer", slip=True)
class SpansStartAtOne(_Layer):
    """범위가 1에서 시작합니다. 이 연습에서는 max_span / 2입니다."""

    def spans(self, num_heads, max_span):
        return nn.Parameter(torch.ones(num_heads))


@wrong("AdaptiveSpanAttention", read="span-layer", slip=True)
class SpansStartAtAWholePlace(_Layer):
    """max_span을 정수로 나누었습니다(//). 홀수이면 처음 값이 max_span / 2보다 작습니다."""

    def spans(self, num_heads, max_span):
        return nn.Parameter(torch.full((num_heads,), float(max_span // 2)))


@wrong("AdaptiveSpanAttention", read="span-mistakes")
class WrapsRound(_Layer):
    """문장의 앞을 벗어난 자리가 문장의 끝으로 돌아갔습니다(roll, 음수 번호). 그 자리는 미래입니다. 거리를 음수로 두어 가리십시오."""

    def forward(self, x):
        Q, K, V = (self.split(linear(x)) for linear in (self.W_q, self.W_k, self.W_v))
        z, n = self.clamped()[:, None, None], x.shape[1]
        back = torch.arange(min(n, self.reach(z)), device=x.device)
        places = (torch.arange(n, device=x.device)[:, None] - back) % n
        scores = (K[:, :, places] @ Q.unsqueeze(-1)).squeeze(-1) / self.scale(Q)
        weights = _weigh(scores, self.mask(back.expand(n, -1), z))
        heads = (weights.unsqueeze(-2) @ V[:, :, places]).squeeze(-2)
        return self.finish(heads), self.spread(weights, places, n)


@wrong("AdaptiveSpanAttention", read="span-mistakes")
class PaddingNotHidden(_Layer):
    """문장의 앞을 0으로 채우고 가리지 않았습니다. 점수 0은 '안 봄'이 아니라 exp(0) = 1이므로 없는 자리가 가중치를 가져갑니다. 거리를 음수로 두어 가리십시오."""

    def forward(self, x):
        Q, K, V = (self.split(linear(x)) for linear in (self.W_q, self.W_k, self.W_v))
        z, n = self.clamped()[:, None, None], x.shape[1]
        back = torch.arange(min(n, self.reach(z)), device=x.device)
        places = torch.arange(n, device=x.device)[:, None] - back
        there, places = (places >= 0)[..., None], places.clamp(min=0)
        scores = ((K[:, :, places] * there) @ Q.unsqueeze(-1)).squeeze(-1) / self.scale(Q)
        weights = _weigh(scores, self.mask(back.expand(n, -1), z))
        heads = (weights.unsqueeze(-2) @ (V[:, :, places] * there)).squeeze(-2)
        return self.finish(heads), self.spread(weights * there[..., 0], places, n)


@wrong("AdaptiveSpanAttention", read="span-future")
class SeesTheFuture(ComputesEverything):
    """미래를 보았습니다. 거리가 음수인 키, 곧 질의보다 뒤에 있는 키의 가중치는 0입니다."""

    def mask(self, distance, z):
        return ((self.ramp + z - distance) / self.ramp).clamp(0, 1)


@wrong("AdaptiveSpanAttention", read="span-future")
class SeesBothSides(ComputesEverything):
    """거리의 절댓값을 썼습니다. 앞뒤를 똑같이 봅니다. 뒤에 있는 키는 거리가 음수이고 보아서는 안 됩니다."""

    def mask(self, distance, z):
        return _mask(distance.abs(), z, self.ramp)


@wrong("AdaptiveSpanAttention", read="span-future")
class SeesOnlyTheFuture(ComputesEverything):
    """거리의 부호가 반대입니다. 질의의 자리에서 키의 자리를 빼야 앞이 양수입니다."""

    def mask(self, distance, z):
        return _mask(-distance, z, self.ramp)


@wrong("AdaptiveSpanAttention", read="span-layer")
class SpansNotUsed(ComputesEverything):
    """범위를 쓰지 않고 앞을 모두 보았습니다. 헤드마다 z로 마스크를 만들어 곱하십시오."""

    def mask(self, distance, z):
        return (distance >= 0) + 0 * z


@wrong("AdaptiveSpanAttention", read="multi_head_attention#scale-of-a-head")
class ScaledWithoutTheRoot(_Layer):
    """d_model / h로 나누었습니다. 나눌 것은 그 제곱근입니다."""

    def scale(self, Q):
        return Q.shape[-1]


@wrong("AdaptiveSpanAttention", read="multi_head_attention#splitting-heads")
class ViewWithoutTranspose(_Layer):
    """축을 옮기지 않고 모양만 맞추어 헤드로 나누었습니다. 서로 다른 위치의 특징이 섞입니다. 마지막 축을 (h, d / h)로 나눈 다음 헤드 축과 위치 축을 바꾸십시오."""

    def split(self, x):
        return x.reshape(x.shape[0], self.num_heads, x.shape[1], -1)

    def finish(self, heads):
        return self.W_o(heads.flatten(1).reshape(heads.shape[0], heads.shape[2], -1))


@wrong("AdaptiveSpanAttention", read="multi_head_attention#splitting-heads")
class FeaturesInterleaved(_Layer):
    """특징을 건너뛰며 헤드로 나누었습니다. 헤드 하나는 이웃한 d / h개의 특징을 앞에서부터 받습니다."""

    def split(self, x):
        return x.unflatten(-1, (-1, self.num_heads)).movedim(-1, 1)


@wrong("AdaptiveSpanAttention", read="multi_head_attention#merging-heads")
class HeadsNotMovedBack(_Layer):
    """헤드를 이을 때 헤드 축과 위치 축을 되돌리지 않았습니다. 서로 다른 위치의 결과가 한 벡터에 섞입니다."""

    def finish(self, heads):
        return self.W_o(heads.reshape(heads.shape[0], heads.shape[2], -1))


@wrong("AdaptiveSpanAttention", read="multi_head_attention#merging-heads")
class FeaturesInterleavedBack(_Layer):
    """헤드를 이을 때 특징이 헤드마다 번갈아 놓였습니다. 헤드 하나의 결과는 이웃한 d / h칸에 놓습니다."""

    def finish(self, heads):
        return self.W_o(heads.permute(0, 2, 3, 1).flatten(2))


@wrong("AdaptiveSpanAttention", read="attention#keys-and-values")
class KeysForValues(_Layer):
    """값 대신 키를 모았습니다. 가중치를 곱할 것은 W_v의 결과입니다."""

    def forward(self, x):
        _, weights = super().forward(x)
        return self.finish(weights @ self.split(self.W_k(x))), weights


@wrong("AdaptiveSpanAttention", read="span-layer")
class WeightsNotReturned(_Layer):
    """출력만 돌려주었습니다. 모양이 (B, h, n, n)인 가중치도 함께 돌려주십시오."""

    def forward(self, x):
        return super().forward(x)[0]


@wrong("AdaptiveSpanAttention", read="multi_head_attention#heads-divide", slip=True)
class UnevenHeadsByAssertion(_Layer):
    """나누어떨어지지 않는 d_model에서 ValueError가 아닌 오류를 냈습니다(assert). 직접 확인하고 ValueError를 내십시오."""

    def refuse(self, d_model, num_heads):
        assert d_model % num_heads == 0


@wrong("AdaptiveSpanAttention", read="span-cost")
class ChoosesAfterComputing(_Layer):
    """모든 점수를 계산한 다음 필요한 거리만 골랐습니다. 고르기 전에 이미 n × n번 곱했습니다. 키를 먼저 고르고 그것만 곱하십시오."""

    def forward(self, x):
        Q, K = (self.split(linear(x)) for linear in (self.W_q, self.W_k))
        return super().forward(x + 0 * (Q @ K.transpose(-2, -1)).nan_to_num().mean())


@wrong("AdaptiveSpanAttention", read="span-cost", slip=True)
class SentenceLongerThanTheReach(_Layer):
    """범위가 문장보다 길면 멈춥니다. 계산할 거리의 수는 문장의 길이 n을 넘지 않게 하십시오."""

    def forward(self, x):
        if self.reach(self.clamped()) > x.shape[1]:
            raise RuntimeError("the window is longer than the sentence")
        return super().forward(x)


@wrong("AdaptiveSpanAttention", read="span-layer", slip=True)
class ZerosInSinglePrecision(_Layer):
    """0을 채운 텐서를 float32로 만들었습니다. 자료형을 입력과 같게 하십시오(new_zeros, dtype)."""

    def spread(self, weights, places, n):
        return super().spread(weights, places, n).float()


@wrong("AdaptiveSpanAttention", read="span-layer", slip=True)
class ZerosOnTheCpu(_Layer):
    """위치 번호나 0을 채운 텐서를 CPU에 만들었습니다. 입력이 GPU에 있으면 멈춥니다. 만들 때 입력의 장치를 따르십시오(device)."""

    def spread(self, weights, places, n):
        zeros = torch.zeros(*weights.shape[:3], n, dtype=weights.dtype)
        return zeros.scatter_add(-1, places.expand_as(weights), weights)


@wrong("AdaptiveSpanAttention", read="span-layer")
class ItselfLeftOut(_Layer):
    """자기 자신이 빠졌습니다. 거리 0도 보아야 하므로 거리는 0부터 셉니다."""

    def mask(self, distance, z):
        return _mask(distance, z, self.ramp) * (distance != 0)


# span_slope -------------------------------------------------------------------------------------------------


def _ramp_of(mask):
    return (mask > 0) & (mask < 1)


@right_answer("span_slope")
def _slope(scores, distance, z, ramp, gain, chosen=_ramp_of, against=None, masked=False):
    """The right slope; wrong ones choose other keys, compare with something else, or keep the mask."""
    mask = _mask(distance, z, ramp)
    weights = _weigh(scores, mask)
    mixed = (weights * gain).sum(-1, keepdim=True) if against is None else against
    share = weights if masked else weights / mask.masked_fill(mask == 0, 1.0)
    return (share * chosen(mask) * (gain - mixed)).sum(-1) / ramp


@wrong("span_slope", read="span-weights")
def others_not_thinned(scores, distance, z, ramp, gain):
    """비탈에 있는 키가 얻는 것만 더했습니다. 그 키의 마스크가 커지면 나누는 합도 커져 다른 키의 몫이 줄어듭니다. 키의 값에서 지금의 y를 빼십시오."""
    return _slope(scores, distance, z, ramp, gain, against=0.0)


@wrong("span_slope", read="why-a-ramp")
def weights_for_exponentials(scores, distance, z, ramp, gain):
    """가중치를 그대로 곱했습니다. 가중치에는 이미 마스크가 곱해져 있습니다. 마스크로 미분한 것은 마스크를 곱하기 전의 몫입니다."""
    return _slope(scores, distance, z, ramp, gain, masked=True)


@wrong("span_slope", read="why-a-ramp")
def every_visible_key_moves(scores, distance, z, ramp, gain):
    """보이는 키를 모두 더했습니다. 거리가 z보다 가까운 키의 마스크는 1에 멈추어 있어 z가 움직여도 그대로입니다. 비탈에 있는 키만 더하십시오."""
    return _slope(scores, distance, z, ramp, gain, chosen=lambda mask: mask > 0)


@wrong("span_slope", read="why-a-ramp")
def keys_within_the_span_move(scores, distance, z, ramp, gain):
    """범위 안의 키를 더했습니다. 그 키들의 마스크는 1에 멈추어 있습니다. 움직이는 것은 비탈에 있는 키입니다."""
    return _slope(scores, distance, z, ramp, gain, chosen=lambda mask: mask == 1)


@wrong("span_slope", read="why-a-ramp")
def keys_beyond_the_ramp_move(scores, distance, z, ramp, gain):
    """비탈 너머의 키까지 더했습니다. 마스크가 0에 멈춘 키는 z를 조금 늘려도 보이지 않습니다."""
    mask = _mask(distance, z, ramp)
    visible = scores.masked_fill((mask == 0) & (mask > 0).any(-1, keepdim=True), float("-inf"))
    total = (visible.softmax(-1) * mask).sum(-1, keepdim=True)
    share = (scores - visible.logsumexp(-1, keepdim=True)).exp() / total.masked_fill(total == 0, 1.0)
    mixed = (_weigh(scores, mask) * gain).sum(-1, keepdim=True)
    return (share * (distance > z) * (gain - mixed)).sum(-1) / ramp


@wrong("span_slope", read="why-a-ramp")
def slope_not_divided(scores, distance, z, ramp, gain):
    """ramp로 나누지 않았습니다. z가 한 자리 움직일 때 마스크는 1 / ramp만큼 움직입니다."""
    return _slope(scores, distance, z, ramp, gain) * ramp


@wrong("span_slope", read="why-a-ramp")
def slope_multiplied(scores, distance, z, ramp, gain):
    """ramp를 곱했습니다. 비탈이 길수록 마스크는 천천히 움직이므로 나누십시오."""
    return _slope(scores, distance, z, ramp, gain) * ramp**2


@wrong("span_slope", read="span-price")
def slope_of_a_loss(scores, distance, z, ramp, gain):
    """부호가 반대입니다. y는 손실이 아니라 얻는 것이므로, 멀리 보아서 늘어나면 양수입니다."""
    return -_slope(scores, distance, z, ramp, gain)


@wrong("span_slope", read="span-weights")
def compared_with_the_mean_gain(scores, distance, z, ramp, gain):
    """키들의 값의 단순한 평균과 비교했습니다. 비교할 것은 지금 얻는 것, 곧 가중치로 섞은 y입니다."""
    return _slope(scores, distance, z, ramp, gain, against=gain.mean(-1, keepdim=True))


@wrong("span_slope", read="span-weights")
def mixed_without_the_span(scores, distance, z, ramp, gain):
    """y를 범위 없이 소프트맥스로만 섞었습니다. 가린 키가 y에 남습니다. span_attention의 가중치로 섞으십시오."""
    mixed = (scores.softmax(-1) * gain).sum(-1, keepdim=True)
    return _slope(scores, distance, z, ramp, gain, against=mixed)


@wrong("span_slope", read="span-weights")
def divided_by_all_exponentials(scores, distance, z, ramp, gain):
    """exp를 모든 키의 exp의 합으로 나누었습니다(softmax). 나눌 것은 마스크를 곱해 더한 합입니다."""
    mask = _mask(distance, z, ramp)
    mixed = (_weigh(scores, mask) * gain).sum(-1, keepdim=True)
    return (scores.softmax(-1) * _ramp_of(mask) * (gain - mixed)).sum(-1) / ramp


@wrong("span_slope", read="span-future")
def slope_sees_the_future(scores, distance, z, ramp, gain):
    """미래의 키가 y와 합에 들어 있습니다. 음수인 거리의 마스크는 0입니다. soft_span_mask와 span_attention을 쓰십시오."""
    mask = ((ramp + z - distance) / ramp).clamp(0, 1)
    weights = _weigh(scores, mask)
    mixed = (weights * gain).sum(-1, keepdim=True)
    share = weights / mask.masked_fill(mask == 0, 1.0)
    return (share * _ramp_of(mask) * (gain - mixed)).sum(-1) / ramp


@wrong("span_slope", read="why-a-ramp")
def one_slope_for_all(scores, distance, z, ramp, gain):
    """질의까지 모두 더했습니다. 결과는 질의마다 하나입니다. 키의 축만 더하십시오."""
    return _slope(scores, distance, z, ramp, gain).sum()


@wrong("span_slope", read="why-a-ramp")
def a_slope_for_each_key(scores, distance, z, ramp, gain):
    """키마다의 몫을 더하지 않았습니다. 결과는 질의마다 하나입니다."""
    mask = _mask(distance, z, ramp)
    weights = _weigh(scores, mask)
    mixed = (weights * gain).sum(-1, keepdim=True)
    return weights / mask.masked_fill(mask == 0, 1.0) * _ramp_of(mask) * (gain - mixed) / ramp


@wrong("span_slope", read="why-a-ramp")
def gain_returned(scores, distance, z, ramp, gain):
    """y를 돌려주었습니다. 물은 것은 z를 늘릴 때 y가 늘어나는 빠르기입니다."""
    return (_weigh(scores, _mask(distance, z, ramp)) * gain).sum(-1)


@wrong("span_slope", read="span-mistakes", slip=True)
def slope_of_nothing_is_nan(scores, distance, z, ramp, gain):
    """볼 것이 남지 않은 행에서 NaN입니다. 0으로 나눈 것입니다. 그런 행의 기울기는 0입니다."""
    mask = _mask(distance, z, ramp)
    blind = torch.where((mask > 0).any(-1), 0.0, math.nan)
    return _slope(scores, distance, z, ramp, gain) + blind


@wrong("span_slope", read="why-a-ramp", slip=True)
def difference_of_two_spans(scores, distance, z, ramp, gain):
    """범위를 조금 움직여 본 차로 구했습니다. float32에서는 반올림이 크게 남습니다. 미분한 식을 쓰십시오."""
    more, less = ((_weigh(scores, _mask(distance, z + step, ramp)) * gain).sum(-1) for step in (1e-4, -1e-4))
    return (more - less) / 2e-4


@wrong("span_slope", read="span-mistakes", slip=True)
def slope_overflows(scores, distance, z, ramp, gain):
    """점수가 크면 exp가 넘칩니다. 소프트맥스를 거친 값이나 span_attention의 가중치에서 시작하십시오."""
    mask = _mask(distance, z, ramp)
    total = (scores.exp() * mask).sum(-1, keepdim=True)
    share = scores.exp() / total.masked_fill(total == 0, 1.0)
    mixed = (share * mask * gain).sum(-1, keepdim=True)
    return (share * _ramp_of(mask) * (gain - mixed)).sum(-1) / ramp


@wrong("span_slope", read="span-mistakes", slip=True)
def hidden_score_decides(scores, distance, z, ramp, gain):
    """가린 점수가 아주 크면 보이는 것이 모두 0으로 내려앉습니다. 마스크가 0인 자리를 소프트맥스 앞에서 가리십시오."""
    mask = _mask(distance, z, ramp)
    share = scores.softmax(-1)
    total = (share * mask).sum(-1, keepdim=True)
    share = share / total.masked_fill(total == 0, 1.0)
    mixed = (share * mask * gain).sum(-1, keepdim=True)
    return (share * _ramp_of(mask) * (gain - mixed)).sum(-1) / ramp


@wrong("span_slope", read="span-mistakes", slip=True)
def slope_in_single_precision(scores, distance, z, ramp, gain):
    """결과가 언제나 float32입니다. 새로 만든 텐서의 자료형을 입력과 같게 하십시오."""
    return _slope(scores, distance, z, ramp, gain).float()


@wrong("span_slope", read="span-mistakes", slip=True)
def gain_changed_in_place(scores, distance, z, ramp, gain):
    """받은 gain을 제자리에서 바꾸었습니다(-=). 새 텐서를 만드십시오."""
    mixed = (_weigh(scores, _mask(distance, z, ramp)) * gain).sum(-1, keepdim=True)
    gain -= mixed
    return _slope(scores, distance, z, ramp, gain, against=0.0)
