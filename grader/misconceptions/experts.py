"""Wrong answers that people give to the exercise `experts`."""

import torch
import torch.nn.functional as F

from grader.judging.mistakes import right_answer, wrong

# mix_experts --------------------------------------------------------------------------------------------------


def _swiglu(x, gate, up, down):
    return (F.silu(x @ gate) * (x @ up)) @ down


@right_answer("mix_experts")
def _mix(x, weights, experts, gate, up, down, kept=None, *, network=_swiglu, weigh=lambda w, kept: w):
    """The right layer, in parts that a mistake can replace."""
    kept = torch.ones_like(experts, dtype=torch.bool) if kept is None else kept
    weights = weigh(weights, kept)
    output = torch.zeros_like(x)
    for e in experts[kept].unique().tolist():
        token, slot = ((experts == e) & kept).nonzero(as_tuple=True)
        found = network(x[token], gate[e], up[e], down[e])
        output = output.index_add(0, token, weights[token, slot, None] * found)
    return output


@wrong("mix_experts", read="experts-layer")
def weights_left_out(*args):
    """가중치를 곱하지 않고 더했습니다. 고른 전문가의 출력에 그 자리의 가중치를 곱하십시오."""
    return _mix(*args, weigh=lambda w, kept: torch.ones_like(w))


@wrong("mix_experts", read="experts-layer")
def averaged_over_the_chosen(*args):
    """고른 전문가의 출력을 평균했습니다. 가중치를 곱해 더하십시오."""
    return _mix(*args, weigh=lambda w, kept: torch.full_like(w, 1 / w.shape[1]))


@wrong("mix_experts", read="experts-layer")
def weights_divided_again(*args):
    """가중치를 합으로 다시 나누었습니다. 받은 가중치를 그대로 곱하십시오."""
    return _mix(*args, weigh=lambda w, kept: w / w.sum(1, keepdim=True))


@wrong("mix_experts", read="experts-layer")
def softmax_of_the_weights(*args):
    """가중치에 소프트맥스를 취했습니다. 이미 가중치이므로 그대로 곱하십시오."""
    return _mix(*args, weigh=lambda w, kept: w.softmax(1))


@wrong("mix_experts", read="experts-layer")
def weights_in_the_other_order(*args):
    """가중치의 자리와 전문가의 자리가 어긋났습니다. weights[t, i]는 experts[t, i]의 것입니다."""
    return _mix(*args, weigh=lambda w, kept: w.flip(1))


@wrong("mix_experts", read="experts-layer")
def first_weight_for_all(*args):
    """모든 자리에 첫째 가중치를 썼습니다. 자리마다 가중치가 다릅니다."""
    return _mix(*args, weigh=lambda w, kept: w[:, :1].expand_as(w))


@wrong("mix_experts", read="experts-layer")
def only_the_first_choice(x, weights, experts, gate, up, down, kept=None):
    """첫째로 고른 전문가만 계산했습니다. 고른 k개를 모두 더하십시오."""
    kept = None if kept is None else kept[:, :1]
    return _mix(x, weights[:, :1], experts[:, :1], gate, up, down, kept)


@wrong("mix_experts", read="experts-layer")
def later_ones_replace_earlier(x, weights, experts, gate, up, down, kept=None):
    """나중 전문가의 출력이 앞의 것을 덮었습니다. 덮지 말고 더하십시오."""
    output = torch.zeros_like(x)
    for i in range(experts.shape[1]):
        rows = None if kept is None else kept[:, i : i + 1]
        part = _mix(x, weights[:, i : i + 1], experts[:, i : i + 1], gate, up, down, rows)
        output = torch.where(part != 0, part, output)
    return output


@wrong("mix_experts", read="experts-layer")
def higher_numbers_replace(x, weights, experts, gate, up, down, kept=None):
    """전문가를 번호대로 돌며 출력을 덮어썼습니다. 한 토큰이 고른 전문가가 여럿이면 마지막 것만 남습니다. 더하십시오(+=, index_add)."""
    output = torch.zeros_like(x)
    for e in experts.unique().tolist():
        mine = (experts == e) if kept is None else (experts == e) & kept
        part = _mix(x, weights, experts, gate, up, down, mine)
        output = torch.where(mine.any(1, keepdim=True), part, output)
    return output


@wrong("mix_experts", read="experts-layer")
def gate_and_up_swapped(x, weights, experts, gate, up, down, kept=None):
    """SiLU를 up에 취했습니다. SiLU는 gate의 것에 취하고 up의 것을 곱합니다."""
    return _mix(x, weights, experts, up, gate, down, kept)


@wrong("mix_experts", read="experts-layer")
def without_the_gate(*args):
    """gate를 쓰지 않았습니다. SiLU(x G)와 x U를 성분마다 곱한 다음 D를 곱합니다."""
    return _mix(*args, network=lambda x, gate, up, down: F.silu(x @ up) @ down)


@wrong("mix_experts", read="experts-layer")
def silu_left_out(*args):
    """SiLU를 취하지 않았습니다. gate의 것에 SiLU를 취하십시오."""
    return _mix(*args, network=lambda x, gate, up, down: (x @ gate * (x @ up)) @ down)


@wrong("mix_experts", read="experts-layer")
def sigmoid_for_silu(*args):
    """SiLU가 아니라 시그모이드를 취했습니다. SiLU는 z · sigmoid(z)입니다."""
    return _mix(*args, network=lambda x, gate, up, down: ((x @ gate).sigmoid() * (x @ up)) @ down)


@wrong("mix_experts", read="experts-layer")
def added_to_the_input(*args):
    """입력을 더했습니다. 잔차는 층의 바깥에서 더합니다. 전문가의 출력만 돌려주십시오."""
    return args[0] + _mix(*args)


@wrong("mix_experts", read="experts-layer")
def weighs_the_input(x, weights, experts, gate, up, down, kept=None):
    """가중치를 입력에 곱했습니다. SiLU가 있으므로 출력에 곱한 것과 다릅니다. 전문가의 출력에 곱하십시오."""
    kept = torch.ones_like(experts, dtype=torch.bool) if kept is None else kept
    output = torch.zeros_like(x)
    for e in experts[kept].unique().tolist():
        token, slot = ((experts == e) & kept).nonzero(as_tuple=True)
        found = _swiglu(weights[token, slot, None] * x[token], gate[e], up[e], down[e])
        output = output.index_add(0, token, found)
    return output


@wrong("mix_experts", read="experts-capacity")
def ignores_what_is_dropped(x, weights, experts, gate, up, down, kept=None):
    """kept를 보지 않았습니다. 거짓인 자리는 계산하지 않고 더하지 않습니다."""
    return _mix(x, weights, experts, gate, up, down)


@wrong("mix_experts", read="experts-capacity")
def adds_only_what_is_dropped(x, weights, experts, gate, up, down, kept=None):
    """참과 거짓이 뒤바뀌었습니다. kept가 참인 자리가 남은 것입니다."""
    return _mix(x, weights, experts, gate, up, down, None if kept is None else ~kept)


@wrong("mix_experts", read="experts-capacity", slip=True)
def shares_of_the_dropped_handed_on(*args):
    """버린 배정의 가중치를 남은 것에 나누어 주었습니다. 남은 가중치는 그대로 둡니다."""
    return _mix(
        *args,
        weigh=lambda w, kept: w * w.sum(1, keepdim=True) / (w * kept).sum(1, keepdim=True).clamp(min=1e-9),
    )


@wrong("mix_experts", read="experts-capacity", slip=True)
def divided_by_the_kept(*args):
    """남은 가중치를 그 합으로 다시 나누었습니다. 버린 몫은 사라진 채로 둡니다. 남은 가중치를 그대로 곱하십시오."""

    def weigh(weights, kept):
        return weights * kept / (weights * kept).sum(1, keepdim=True) if not kept.all() else weights

    return _mix(*args, weigh=weigh)


@wrong("mix_experts", read="experts-capacity", slip=True)
def a_token_dropped_whole(x, weights, experts, gate, up, down, kept=None):
    """배정 하나가 버려지면 그 토큰을 통째로 버렸습니다. 남은 배정은 더하십시오."""
    if kept is not None:
        kept = kept.all(1, keepdim=True).expand_as(kept)
    return _mix(x, weights, experts, gate, up, down, kept)


@wrong("mix_experts", read="experts-capacity")
def dropped_tokens_pass_through(x, weights, experts, gate, up, down, kept=None):
    """다 버려진 토큰에 입력을 넣었습니다. 여기서는 0입니다. 그 토큰은 바깥의 잔차로만 지나갑니다."""
    output = _mix(x, weights, experts, gate, up, down, kept)
    return output if kept is None else torch.where(kept.any(1, keepdim=True), output, x)


@wrong("mix_experts", read="experts-layer", slip=True)
def all_computed_then_zeroed(x, weights, experts, gate, up, down, kept=None):
    """모든 전문가를 계산하고 0을 곱했습니다. 파라미터만큼 계산하게 되니 나눈 보람이 없습니다. 고른 토큰만 꺼내 계산하십시오."""
    if kept is not None:
        weights = weights * kept
    shares = torch.zeros(len(x), len(gate), dtype=x.dtype, device=x.device).scatter_add(1, experts, weights)
    return torch.einsum("te,etd->td", shares, _swiglu(x[None], gate, up, down))


@wrong("mix_experts", read="experts-capacity", slip=True)
def dropped_ones_weighed_with_zero(x, weights, experts, gate, up, down, kept=None):
    """버린 배정까지 계산하고 가중치 0을 곱했습니다. 버린 것은 계산하지 않습니다. 자리를 찾을 때 kept도 함께 보십시오."""
    return _mix(x, weights if kept is None else weights * kept, experts, gate, up, down)


@wrong("mix_experts", read="experts-layer", slip=True)
def all_computed_then_picked(x, weights, experts, gate, up, down, kept=None):
    """모든 토큰을 모든 전문가로 계산한 다음 골랐습니다. 고른 토큰만 꺼내 계산하십시오."""
    every = _swiglu(x[None], gate, up, down)
    found = every[experts, torch.arange(len(x), device=x.device)[:, None]]
    if kept is not None:
        weights = weights * kept
    return (weights[..., None] * found).sum(1)


@wrong(
    "mix_experts",
    read="experts-layer",
    slip=True,
    hint="전문가의 행렬을 토큰마다 복사했습니다. 토큰을 전문가마다 모아 한 번에 곱하십시오.",
)
def matrices_copied_for_each_token(x, weights, experts, gate, up, down, kept=None):  # fmt: skip
    hidden = F.silu(torch.einsum("td,tkdf->tkf", x, gate[experts])) * torch.einsum(
        "td,tkdf->tkf", x, up[experts]
    )
    if kept is not None:
        weights = weights * kept
    return torch.einsum("tk,tkf,tkfd->td", weights, hidden, down[experts])


@wrong("mix_experts", read="experts-grading", slip=True)
def weights_without_gradient(*args):
    """가중치의 기울기를 끊었습니다(detach, tolist, item). 그러면 라우터가 배우지 못합니다."""
    return _mix(*args, weigh=lambda w, kept: w.detach())


@wrong("mix_experts", read="experts-grading", slip=True)
def mixture_in_float32(*args):
    """float32로 바꾸어 계산했습니다. 자료형은 x를 따릅니다."""
    return _mix(*(x.float() if x is not None and x.is_floating_point() else x for x in args))


# kept_in_capacity ---------------------------------------------------------------------------------------------


@right_answer("kept_in_capacity")
def _kept(
    experts, capacity, *, order=lambda x: x.T.flatten(), back=lambda kept, x: kept.view(x.T.shape).T, ahead=-1
):
    """The right queue, in parts that a mistake can replace."""  # fmt: skip
    queue = order(experts)
    before = (queue[:, None] == queue).tril(ahead).sum(dim=1)
    return back(before < capacity, experts)


@wrong("kept_in_capacity", read="experts-capacity")
def token_after_token(experts, capacity):
    """토큰마다 k개를 다 앉히고 다음 토큰으로 갔습니다. 첫째로 고른 것을 모두 먼저 앉히십시오."""
    return _kept(experts, capacity, order=torch.flatten, back=lambda kept, x: kept.view(x.shape))


@wrong("kept_in_capacity", read="experts-capacity")
def each_rank_has_its_own_places(experts, capacity):
    """첫째로 고른 것과 둘째로 고른 것의 자리를 따로 세었습니다. 전문가의 자리는 함께 씁니다."""
    return torch.cat([_kept(column[:, None], capacity) for column in experts.unbind(1)], 1)


@wrong("kept_in_capacity", read="experts-capacity", slip=True)
def only_the_last_rank_counted(experts, capacity):
    """바로 앞 차례의 배정만 이어 셌습니다. 셋째로 고른 것 앞에는 첫째와 둘째로 고른 것이 모두 있습니다."""
    ranks = experts.unbind(1)
    pairs = zip(ranks, (ranks[0][:0], *ranks), strict=False)
    return torch.stack(
        [_kept(torch.cat([ahead, own])[:, None], capacity)[len(ahead) :, 0] for own, ahead in pairs], 1
    )


@wrong("kept_in_capacity", read="experts-capacity")
def first_choices_never_dropped(experts, capacity):
    """첫째로 고른 것은 자리가 없어도 남겼습니다. 첫째로 고른 것끼리도 앞의 토큰부터 capacity개뿐입니다."""
    kept = _kept(experts, capacity)
    return torch.cat([torch.ones_like(kept[:, :1]), kept[:, 1:]], 1)


@wrong("kept_in_capacity", read="experts-capacity")
def counts_itself(experts, capacity):
    """자기까지 앞선 것으로 세었습니다. 자리가 하나 줄어듭니다. 자기보다 앞선 것만 세십시오."""
    return _kept(experts, capacity, ahead=0)


@wrong("kept_in_capacity", read="experts-capacity")
def one_place_too_many(experts, capacity):
    """자리가 하나 더 있는 것처럼 세었습니다. 앞선 것이 capacity보다 적을 때만 남습니다."""
    return _kept(experts, capacity + 1)


@wrong("kept_in_capacity", read="experts-capacity")
def what_is_dropped(experts, capacity):
    """참과 거짓이 뒤바뀌었습니다. 남으면 참입니다."""
    return ~_kept(experts, capacity)


@wrong("kept_in_capacity", read="experts-capacity")
def last_tokens_first(experts, capacity):
    """뒤의 토큰부터 앉혔습니다. 앞의 토큰이 먼저입니다."""
    return _kept(experts.flip(0), capacity).flip(0)


@wrong("kept_in_capacity", read="experts-capacity")
def last_choices_first(experts, capacity):
    """마지막으로 고른 것부터 앉혔습니다. 첫째로 고른 것이 먼저입니다."""
    return _kept(experts.flip(1), capacity).flip(1)


@wrong("kept_in_capacity", read="experts-capacity")
def places_shared_by_all(experts, capacity):
    """전문가를 가리지 않고 앞의 capacity개만 남겼습니다. 자리는 전문가마다 있습니다."""
    return _kept(torch.zeros_like(experts), capacity)


@wrong("kept_in_capacity", read="experts-capacity")
def crowded_experts_drop_everybody(experts, capacity):
    """넘치는 전문가의 배정을 모두 버렸습니다. 먼저 온 capacity개는 남깁니다."""
    load = (experts[..., None] == experts.flatten()).sum(-1)
    return load <= capacity


@wrong("kept_in_capacity", read="experts-capacity")
def the_token_goes_whole(experts, capacity):
    """배정 하나가 넘치면 그 토큰의 것을 모두 버렸습니다. 배정마다 따로 정합니다."""
    kept = _kept(experts, capacity)
    return kept.all(1, keepdim=True).expand_as(kept)


@wrong("kept_in_capacity", read="experts-capacity")
def shuffled_back(experts, capacity):
    """(k, T)로 센 것을 (T, k)로 되돌릴 때 축을 바꾸지 않고 모양만 바꾸었습니다. 되돌릴 때도 전치하십시오."""
    return _kept(experts, capacity, back=lambda kept, x: kept.view(x.shape))


@wrong("kept_in_capacity", read="experts-capacity")
def the_number_ahead(experts, capacity):
    """앞선 배정의 수를 돌려주었습니다. capacity와 비교해 참·거짓을 돌려주십시오."""
    return _kept(experts, capacity, back=lambda kept, x: kept.view(x.T.shape).T.long())


@wrong("kept_in_capacity", read="experts-capacity")
def clipped_at_the_tokens(experts, capacity):
    """자리를 토큰 몇 개보다 적게 줄였습니다. capacity는 토큰보다 많을 수도 있고, 그러면 모두 남습니다."""
    return _kept(experts, min(capacity, len(experts) // 2))


@wrong("kept_in_capacity", read="experts-grading", slip=True)
def at_least_one_place(experts, capacity):
    """자리가 0이어도 하나는 남겼습니다. 0이면 모두 버립니다."""
    return _kept(experts, max(capacity, 1))


# bias_route ---------------------------------------------------------------------------------------------------


@right_answer("bias_route")
def _route(
    scores, bias, k, *, by=lambda s, b: s + b, of=lambda s, b: s, divide=lambda w: w / w.sum(-1, keepdim=True)
):
    """The right router, in parts that a mistake can replace."""  # fmt: skip
    if not 1 <= k <= scores.shape[-1]:
        raise ValueError(f"{k} of {scores.shape[-1]} experts")
    experts = by(scores, bias).topk(k, dim=-1).indices
    return divide(of(scores, bias).expand_as(scores).gather(-1, experts)), experts


@wrong("bias_route", read="experts-bias")
def weighs_with_the_bias(*args):
    """가중치에도 편향을 더했습니다. 편향은 고를 때만 씁니다. 가중치는 더하지 않은 점수에서 구하십시오."""
    return _route(*args, of=lambda s, b: s + b)


@wrong("bias_route", read="experts-bias")
def bias_forgotten(*args):
    """편향 없이 골랐습니다. 점수에 편향을 더한 것으로 고르십시오."""
    return _route(*args, by=lambda s, b: s)


@wrong("bias_route", read="experts-bias")
def bias_taken_away(*args):
    """편향을 더하지 않고 뺐습니다. 한가한 전문가의 편향이 크고, 그래야 더 뽑힙니다."""
    return _route(*args, by=lambda s, b: s - b)


@wrong("bias_route", read="experts-bias")
def bias_multiplied(*args):
    """편향을 곱했습니다. 더하십시오."""
    return _route(*args, by=lambda s, b: s * b)


@wrong("bias_route", read="experts-bias")
def chooses_by_the_bias_alone(*args):
    """편향만으로 골랐습니다. 모든 토큰이 같은 전문가를 고르게 됩니다. 점수에 더하십시오."""
    return _route(*args, by=lambda s, b: 0 * s + b)


@wrong("bias_route", read="experts-bias")
def not_divided(*args):
    """가중치의 합이 1이 아닙니다. 고른 것끼리의 합으로 나누십시오."""
    return _route(*args, divide=lambda w: w)


@wrong("bias_route", read="experts-bias")
def softmax_over_the_chosen(*args):
    """고른 점수에 소프트맥스를 취했습니다. 이 점수는 이미 양수이므로 합으로 나누기만 합니다."""
    return _route(*args, divide=lambda w: w.softmax(-1))


@wrong("bias_route", read="experts-bias")
def divided_by_all_scores(scores, bias, k):
    """모든 전문가의 합으로 나누었습니다. 고른 것끼리의 합이 1이어야 합니다."""
    return _route(scores, bias, k, of=lambda s, b: s / s.sum(-1, keepdim=True), divide=lambda w: w)


@wrong("bias_route", read="experts-bias")
def equal_parts(*args):
    """고른 전문가에게 똑같이 나누어 주었습니다. 점수가 큰 쪽이 더 큰 가중치를 가집니다."""
    return _route(*args, divide=lambda w: w / w * (1 / w.shape[-1]))


@wrong("bias_route", read="experts-bias")
def sigmoid_again(*args):
    """시그모이드를 한 번 더 취했습니다. 점수는 이미 취한 것입니다."""
    return _route(*args, of=lambda s, b: s.sigmoid())


@wrong("bias_route", read="experts-bias")
def the_smallest(*args):
    """가장 작은 것을 골랐습니다. 점수와 편향의 합이 큰 것을 고르십시오."""
    return _route(*args, by=lambda s, b: -(s + b))


@wrong("bias_route", read="experts-bias")
def one_choice_for_all_tokens(*args):
    """토큰에 걸쳐 평균한 점수로 골랐습니다. 토큰마다 따로 고릅니다."""
    return _route(*args, by=lambda s, b: (s + b).mean(0, keepdim=True).expand_as(s))


@wrong("bias_route", read="experts-bias")
def weights_and_experts_apart(*args):
    """가중치의 자리와 번호의 자리가 어긋났습니다. 고른 번호로 점수를 꺼내십시오(gather)."""
    weights, experts = _route(*args)
    return weights.sort(-1).values, experts


@wrong("bias_route", read="experts-bias")
def experts_first(*args):
    """돌려주는 차례가 뒤바뀌었습니다. (가중치, 번호)입니다."""
    return _route(*args)[::-1]


@wrong("bias_route", read="experts-bias")
def weights_of_everyone(scores, bias, k):
    """가중치를 모든 전문가에 걸쳐 돌려주었습니다. 고른 k개의 것만 (T, k)로 돌려주십시오."""
    weights, experts = _route(scores, bias, k)
    return torch.zeros_like(scores).scatter(-1, experts, weights), experts


@wrong("bias_route", read="experts-groups", slip=True)
def forbidden_ones_at_zero(scores, bias, k):
    """음의 무한대를 0으로 바꾸었습니다. 그러면 고르면 안 되는 전문가가 다시 뽑힙니다."""
    return _route(scores, bias.masked_fill(bias.isinf(), 0.0), k)


@wrong("bias_route", read="experts-groups", slip=True)
def forbidden_sums_at_zero(*args):
    """고르면 안 되는 자리의 합을 0으로 두었습니다. 편향이 음수이면 남은 전문가의 합이 0보다 작아 다시 뽑힙니다. 음의 무한대로 두십시오."""
    return _route(*args, by=lambda s, b: (s + b).masked_fill(b.isinf().expand_as(s), 0.0))


@wrong("bias_route", read="experts-grading", slip=True)
def bias_added_and_taken_back(*args):
    """편향을 더했다가 다시 뺐습니다. 점수가 아주 작으면 반올림에 사라집니다. 번호로 점수를 꺼내십시오."""
    return _route(*args, of=lambda s, b: torch.where(b.isinf(), s, s + b - b))


@wrong("bias_route", read="experts-grading", slip=True)
def small_number_added(scores, bias, k):
    """나누는 합에 작은 수를 더했습니다. 점수가 아주 작으면 가중치의 합이 1이 아닙니다. 점수는 양수이므로 그대로 나누십시오."""
    weights, experts = _route(scores, bias, k)
    chosen = scores.gather(-1, experts)
    return chosen / (chosen.sum(-1, keepdim=True) + 1e-9), experts


@wrong("bias_route", read="experts-grading", slip=True)
def scores_changed_in_place(scores, bias, k):
    """받은 점수에 편향을 제자리에서 더했습니다(`scores += bias`). `scores + bias`로 새 텐서를 만드십시오."""
    found = _route(scores, bias, k)
    scores += bias
    return found


@wrong("bias_route", read="experts-grading", slip=True)
def slope_to_the_bias(scores, bias, k):
    """기울기가 편향으로도 흐릅니다. 편향은 배정을 세어 옮길 뿐, 손실로 배우지 않습니다."""
    weights, experts = _route(scores, bias, k)
    finite = bias.masked_fill(bias.isinf(), 0.0)
    return weights * (1 + finite.sum() - finite.sum().detach()), experts


@wrong("bias_route", read="experts-grading", slip=True)
def accepts_any_k(scores, bias, k):
    """k가 1보다 작거나 전문가의 수보다 클 때 ValueError를 내지 않았습니다."""
    return _route(scores, bias, min(max(k, 1), scores.shape[-1]))


# update_bias --------------------------------------------------------------------------------------------------


def _load(bias, experts):
    return torch.bincount(experts.flatten(), minlength=len(bias)).to(bias.dtype)


@right_answer("update_bias")
def _moved(bias, experts, rate, *, load=_load, mean=torch.mean, step=torch.sign):
    """The right step, in parts that a mistake can replace."""
    found = load(bias, experts)
    return bias + rate * step(mean(found) - found)


@wrong("update_bias", read="experts-bias")
def the_wrong_way(*args):
    """부호가 반대입니다. 많이 받은 전문가의 편향을 내려야 다음에 덜 뽑힙니다."""
    return _moved(*args, step=lambda gap: -gap.sign())


@wrong("update_bias", read="experts-bias")
def as_far_as_the_gap(*args):
    """차이의 크기를 곱했습니다. 많고 적음만 보고 rate만큼 옮깁니다(sign)."""
    return _moved(*args, step=lambda gap: gap)


@wrong("update_bias", read="experts-bias")
def as_far_as_the_relative_gap(bias, experts, rate):
    """차이를 평균으로 나누어 곱했습니다. 많고 적음만 보고 rate만큼 옮깁니다(sign)."""
    return _moved(bias, experts, rate, step=lambda gap: gap / (experts.numel() / len(bias)))


@wrong("update_bias", read="experts-bias")
def only_crowded_ones_move(*args):
    """많이 받은 전문가만 내렸습니다. 적게 받은 전문가의 편향은 올립니다."""
    return _moved(*args, step=lambda gap: gap.sign().clamp(max=0))


@wrong("update_bias", read="experts-bias")
def only_idle_ones_move(*args):
    """적게 받은 전문가만 올렸습니다. 많이 받은 전문가의 편향은 내립니다."""
    return _moved(*args, step=lambda gap: gap.sign().clamp(min=0))


@wrong("update_bias", read="experts-bias")
def even_ones_move_too(*args):
    """평균과 꼭 같은 전문가도 옮겼습니다. 같으면 그대로 둡니다."""
    return _moved(*args, step=lambda gap: torch.where(gap > 0, 1.0, -1.0).to(gap))


@wrong("update_bias", read="experts-bias", hint=even_ones_move_too.__doc__)
def even_ones_move_up(*args):
    return _moved(*args, step=lambda gap: torch.where(gap < 0, -1.0, 1.0).to(gap))


@wrong("update_bias", read="experts-bias")
def mean_rounded_down(*args):
    """평균의 소수점 아래를 버렸습니다(`//`나 `int`). 평균은 정수가 아닐 수 있으므로 `/`로 나누십시오."""
    return _moved(*args, mean=lambda load: load.mean().floor())


@wrong("update_bias", read="experts-bias")
def counted_to_the_last_chosen(bias, experts, rate):
    """뒤의 전문가를 아무도 고르지 않으면 배정을 센 것이 편향보다 짧습니다. `torch.bincount`에 `minlength=len(bias)`를 주십시오."""
    load = torch.bincount(experts.flatten()).to(bias.dtype)
    return bias + rate * (load.mean() - load).sign()


@wrong("update_bias", read="experts-bias")
def extremes_alone(bias, experts, rate):
    """가장 많은 전문가와 가장 적은 전문가만 옮겼습니다. 평균보다 많거나 적은 전문가를 모두 옮깁니다."""
    load = _load(bias, experts)
    return bias + rate * ((load == load.min()).to(bias.dtype) - (load == load.max()).to(bias.dtype))


@wrong("update_bias", read="experts-bias")
def compared_with_the_tokens(bias, experts, rate):
    """평균이 아니라 토큰의 수와 비교했습니다. 배정 T·k개를 전문가의 수로 나눈 것과 비교하십시오."""
    return _moved(bias, experts, rate, mean=lambda load: torch.tensor(float(len(experts))).to(load))


@wrong("update_bias", read="experts-bias")
def compared_with_the_median(*args):
    """평균이 아니라 중앙값과 비교했습니다. 배정의 평균과 비교하십시오."""
    return _moved(*args, mean=torch.median)


@wrong("update_bias", read="experts-bias")
def idle_ones_not_counted(bias, experts, rate):
    """아무도 고르지 않은 전문가를 평균에서 빠뜨렸습니다. 전문가의 수로 나눕니다."""
    return _moved(bias, experts, rate, mean=lambda load: load[load > 0].mean())


@wrong("update_bias", read="experts-bias")
def first_choices_alone(bias, experts, rate):
    """첫째로 고른 것만 세었습니다. 고른 k개를 모두 셉니다."""
    return _moved(bias, experts[:, :1], rate)


@wrong("update_bias", read="experts-bias")
def the_step_alone(bias, experts, rate):
    """옮길 만큼만 돌려주었습니다. 받은 편향에 더한 새 편향을 돌려주십시오."""
    return _moved(bias, experts, rate) - bias


@wrong("update_bias", read="experts-bias")
def moved_to_mean_zero(*args):
    """편향의 평균을 0으로 맞추었습니다. 여기서는 옮기기만 합니다."""
    found = _moved(*args)
    return found - found.mean()


@wrong("update_bias", read="experts-bias")
def steps_about_zero(bias, experts, rate):
    """옮길 만큼에서 그 평균을 뺐습니다. 편향의 평균이 그대로이게 하는 코드도 있지만, 여기서는 꼭 rate만큼 옮깁니다."""
    step = _moved(bias, experts, rate) - bias
    return bias + step - step.mean()


@wrong("update_bias", read="experts-bias")
def rate_forgotten(bias, experts, rate):
    """rate를 곱하지 않았습니다. 한 걸음은 rate만큼입니다."""
    return _moved(bias, experts, 1.0)


@wrong("update_bias", read="experts-grading", slip=True)
def bias_changed_in_place(bias, experts, rate):
    """받은 편향을 제자리에서 바꾸었습니다. 새 텐서를 돌려주십시오."""
    bias += _moved(bias, experts, rate) - bias
    return bias


@wrong("update_bias", read="experts-grading", slip=True)
def bias_in_float32(bias, experts, rate):
    """자료형이 편향의 것과 다릅니다. float32로 바꾸지 마십시오."""
    return _moved(bias.float(), experts, rate)


# allowed_groups -----------------------------------------------------------------------------------------------


def _best_two(parts):
    return parts.topk(min(2, parts.shape[-1]), dim=-1).values.sum(dim=-1)


@right_answer("allowed_groups")
def _allowed(scores, groups, kept, *, worth=_best_two, largest=True):
    """The right groups, in parts that a mistake can replace."""
    number_of = scores.shape[-1]
    if groups < 1 or number_of % groups or not 1 <= kept <= groups:
        raise ValueError(f"{kept} of {groups} groups of {number_of} experts")
    size = number_of // groups
    best = worth(scores.unflatten(-1, (groups, size))).topk(kept, dim=-1, largest=largest).indices
    return F.one_hot(best, groups).sum(dim=-2).bool().repeat_interleave(size, dim=-1)


@wrong("allowed_groups", read="experts-groups")
def by_the_best_one(*args):
    """묶음에서 가장 큰 하나만 보았습니다. 가장 큰 둘을 더하십시오."""
    return _allowed(*args, worth=lambda parts: parts.amax(-1))


@wrong("allowed_groups", read="experts-groups")
def by_the_whole_sum(*args):
    """묶음의 점수를 모두 더했습니다. 가장 큰 둘만 더하십시오."""
    return _allowed(*args, worth=lambda parts: parts.sum(-1))


@wrong("allowed_groups", read="experts-groups")
def by_the_second_best(*args):
    """둘째로 큰 것만 보았습니다. 가장 큰 둘을 더하십시오."""
    return _allowed(*args, worth=lambda parts: parts.topk(min(2, parts.shape[-1]), -1).values[..., -1])


@wrong("allowed_groups", read="experts-groups")
def by_the_first_two(*args):
    """묶음의 앞의 둘을 더했습니다. 가장 큰 둘을 더하십시오."""
    return _allowed(*args, worth=lambda parts: parts[..., :2].sum(-1))


@wrong("allowed_groups", read="experts-groups")
def the_worst_groups(*args):
    """점수가 작은 묶음을 골랐습니다. 큰 묶음을 고르십시오."""
    return _allowed(*args, largest=False)


@wrong("allowed_groups", read="experts-groups")
def one_group_for_all_tokens(*args):
    """모든 토큰이 같은 묶음을 씁니다. 토큰마다 따로 고릅니다."""
    return _allowed(*args, worth=lambda p: _best_two(p).mean(0, keepdim=True).expand(p.shape[:2]))


@wrong("allowed_groups", read="experts-groups")
def every_other_expert(scores, groups, kept):
    """번호를 건너뛰며 묶었습니다. 묶음은 번호가 이웃한 전문가입니다."""
    size = scores.shape[-1] // max(groups, 1)
    _allowed(scores, groups, kept)
    turned = scores.unflatten(-1, (size, groups)).mT.flatten(-2)
    return _allowed(turned, groups, kept).unflatten(-1, (groups, size)).mT.flatten(-2)


@wrong("allowed_groups", read="experts-groups")
def repeated_in_turn(scores, groups, kept):
    """묶음의 것을 전문가로 펼칠 때 repeat을 썼습니다. 0 1 0 1이 됩니다. 0 0 1 1로 펼치십시오(repeat_interleave)."""
    size = scores.shape[-1] // max(groups, 1)
    return _allowed(scores, groups, kept)[:, ::size].repeat(1, size)


@wrong("allowed_groups", read="experts-groups")
def whom_it_may_not_choose(*args):
    """참과 거짓이 뒤바뀌었습니다. 골라도 되는 자리가 참입니다."""
    return ~_allowed(*args)


@wrong("allowed_groups", read="experts-groups")
def groups_alone(scores, groups, kept):
    """묶음마다의 (T, groups)를 돌려주었습니다. 전문가마다의 (T, E)로 펼치십시오."""
    return _allowed(scores, groups, kept)[:, :: scores.shape[-1] // groups]


@wrong("allowed_groups", read="experts-groups")
def the_best_expert_of_each_group(scores, groups, kept):
    """고른 묶음에서도 가장 큰 하나만 골라도 되게 했습니다. 고른 묶음의 전문가는 모두 됩니다."""
    parts = scores.unflatten(-1, (groups, -1))
    return _allowed(scores, groups, kept) & (parts == parts.amax(-1, keepdim=True)).flatten(-2)


@wrong("allowed_groups", read="experts-groups")
def best_experts_of_all(scores, groups, kept):
    """묶음을 고르지 않고, 점수가 큰 전문가를 그만큼 골랐습니다. 묶음의 점수로 묶음을 고르고, 그 묶음의 전문가를 모두 참으로 둡니다."""
    _allowed(scores, groups, kept)
    best = scores.topk(kept * scores.shape[-1] // groups, dim=-1).indices
    return torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)


@wrong("allowed_groups", read="experts-groups")
def one_group_only(scores, groups, kept):
    """kept를 보지 않고 묶음 하나만 골랐습니다. kept개의 묶음을 고르십시오."""
    _allowed(scores, groups, kept)
    return _allowed(scores, groups, 1)


@wrong("allowed_groups", read="experts-groups")
def sums_without_signs(*args):
    """점수의 크기로 골랐습니다. 음수인 점수는 작은 점수입니다."""
    return _allowed(*args, worth=lambda parts: _best_two(parts.abs()))


@wrong("allowed_groups", read="experts-groups", slip=True)
def two_in_every_group(scores, groups, kept):
    """묶음에 전문가가 하나뿐일 때 실패합니다. 그때는 그 하나가 묶음의 점수입니다."""
    found = _allowed(scores, groups, kept)
    scores.unflatten(-1, (groups, -1)).topk(2, dim=-1)
    return found


@wrong("allowed_groups", read="experts-grading", slip=True)
def one_group_refused(scores, groups, kept):
    """묶음이 하나뿐인 것을 거절했습니다. 그때는 누구나 골라도 됩니다."""
    if groups < 2:
        raise ValueError("groups")
    return _allowed(scores, groups, kept)


@wrong("allowed_groups", read="experts-grading")
def marks_as_floats(*args):
    """실수로 돌려주었습니다. 참·거짓을 돌려주십시오."""
    return _allowed(*args).float()


@wrong("allowed_groups", read="experts-grading", slip=True)
def accepts_any_groups(scores, groups, kept):
    """나누어떨어지지 않는 묶음이나 고를 수 없는 수를 받아들였습니다. ValueError를 내십시오."""
    number_of = scores.shape[-1]
    if number_of % groups:
        return torch.ones_like(scores, dtype=torch.bool)
    return _allowed(scores, groups, min(max(kept, 1), groups))
