"""Wrong answers that people give to the exercise `inference`."""

import math

import torch

from grader.judging.mistakes import right_answer, wrong

# quantize_groups --------------------------------------------------------------------------------------------


def _together(weight, group):
    return weight.unflatten(-1, (-1, group))


def _largest(parts):
    return parts.abs().amax(dim=-1)


@right_answer("quantize_groups")
def _quantize(weight, bits, group, *, parts=_together, largest=_largest, most=None, whole=torch.round):
    """The right codes, in parts that a mistake can replace."""
    if group < 1 or weight.shape[-1] % group or not 2 <= bits <= 8:
        raise ValueError("no such groups")
    most = most or (lambda bits: 2 ** (bits - 1) - 1)
    grouped = parts(weight, group)
    scale = largest(grouped) / most(bits)
    codes = whole(grouped / torch.where(scale == 0, torch.ones_like(scale), scale)[..., None])
    return codes.to(torch.int8).flatten(-2), scale


@wrong("quantize_groups", read="inference-groups")
def codes_left_in_groups(weight, bits, group):
    """코드가 묶음으로 나뉜 채입니다. 모양이 weight와 같아야 하므로 두 축을 다시 이으십시오(`flatten(-2)`)."""
    codes, scale = _quantize(weight, bits, group)
    return _together(codes, group), scale


@wrong("quantize_groups", read="inference-groups")
def scale_keeps_an_axis(weight, bits, group):
    """배율에 길이 1인 축이 남았습니다. 나눌 때 남겨 둔 축을 돌려주기 전에 없애십시오(`squeeze(-1)`)."""
    codes, scale = _quantize(weight, bits, group)
    return codes, scale[..., None]


@wrong("quantize_groups", read="inference-groups")
def scale_of_each_number(weight, bits, group):
    """배율을 수마다 하나씩 돌려주었습니다. 배율은 묶음마다 하나, (..., n // group)입니다. 그래야 저장할 것이 줄어듭니다."""
    codes, scale = _quantize(weight, bits, group)
    return codes, scale.repeat_interleave(group, dim=-1)


@wrong("quantize_groups", read="inference-zero-group")
def truncated(weight, bits, group):
    """반올림하지 않고 소수를 버렸습니다. 정수로 바꾸기 전에 가장 가까운 정수로 반올림하십시오(round)."""
    return _quantize(weight, bits, group, whole=torch.trunc)


@wrong("quantize_groups", read="inference-zero-group")
def rounded_down(weight, bits, group):
    """아래로 내렸습니다(//, floor). 가장 가까운 정수로 반올림하십시오. 내리면 모든 수가 조금씩 작아집니다."""
    return _quantize(weight, bits, group, whole=torch.floor)


@wrong("quantize_groups", read="inference-zero-group")
def one_code_too_many(weight, bits, group):
    """가장 큰 코드를 2^(bits-1)로 셌습니다. 부호 있는 b비트의 가장 큰 정수는 2^(b-1) - 1입니다. 8비트에서 128은 int8을 넘습니다."""
    return _quantize(weight, bits, group, most=lambda bits: 2 ** (bits - 1))


@wrong("quantize_groups", read="inference-zero-group")
def without_the_sign(weight, bits, group):
    """부호에 드는 비트를 빼지 않았습니다. 가장 큰 코드는 2^bits - 1이 아니라 2^(bits-1) - 1입니다."""
    return _quantize(weight, bits, group, most=lambda bits: 2**bits - 1)


@wrong("quantize_groups", read="inference-zero-group")
def half_of_the_span(weight, bits, group):
    """코드가 -2^(bits-1)까지 있다고 보고 그 폭의 절반으로 나누었습니다. 양쪽이 같은 2^(bits-1) - 1까지만 씁니다."""
    return _quantize(weight, bits, group, most=lambda bits: (2**bits - 1) / 2)


@wrong("quantize_groups", read="inference-zero-group")
def one_code_more_below(weight, bits, group):
    """음수 쪽에서 코드 하나를 더 썼습니다. 여기서는 0을 가운데 두고 양쪽이 같은 2^(bits-1) - 1까지만 씁니다."""

    def largest(parts):
        below = -parts.amin(dim=-1) * (2 ** (bits - 1) - 1) / 2 ** (bits - 1)
        return torch.maximum(parts.amax(dim=-1), below)

    return _quantize(weight, bits, group, largest=largest)


@wrong("quantize_groups", read="inference-groups")
def codes_without_a_sign(weight, bits, group):
    """코드를 0보다 작지 않게 밀었습니다. 여기의 코드는 부호가 있고, 배율을 곱하기만 하면 원래의 수에 가까워집니다."""
    codes, scale = _quantize(weight, bits, group)
    return (codes.short() + 2 ** (bits - 1)).to(torch.uint8), scale


@wrong("quantize_groups", read="inference-groups")
def largest_without_abs(weight, bits, group):
    """절댓값이 아니라 가장 큰 값으로 배율을 정했습니다. 음수가 더 크게 튀면 코드가 범위를 넘습니다."""
    return _quantize(weight, bits, group, largest=lambda parts: parts.amax(dim=-1))


@wrong("quantize_groups", read="inference-groups")
def from_least_to_most(weight, bits, group):
    """가장 작은 값에서 가장 큰 값까지의 폭으로 배율을 정했습니다. 여기의 배율은 0을 가운데 두고, 절댓값이 가장 큰 수로 정합니다."""
    return _quantize(weight, bits, group, largest=lambda parts: (parts.amax(dim=-1) - parts.amin(dim=-1)) / 2)


@wrong("quantize_groups", read="inference-groups")
def one_scale_for_all(weight, bits, group):
    """텐서 전체가 배율 하나를 썼습니다. 튀는 수 하나가 모두를 망칩니다. 묶음마다 배율을 따로 두십시오."""
    return _quantize(weight, bits, group, largest=lambda parts: parts.abs().amax().expand(parts.shape[:-1]))


@wrong("quantize_groups", read="inference-groups")
def one_scale_a_row(weight, bits, group):
    """행마다 배율을 하나만 두었습니다. 마지막 축을 group개씩 묶어 묶음마다 하나를 두십시오."""
    return _quantize(weight, bits, weight.shape[-1] if weight.shape[-1] % max(group, 1) == 0 else group)


@wrong("quantize_groups", read="inference-groups")
def number_of_groups(weight, bits, group):
    """group을 묶음의 수로 읽었습니다. 한 묶음에 든 수의 개수입니다."""
    n = weight.shape[-1]
    return _quantize(weight, bits, n // group if group > 0 and n % group == 0 else group)


@wrong("quantize_groups", read="inference-groups")
def every_so_many(weight, bits, group):
    """이웃이 아니라 띄엄띄엄 떨어진 수를 묶었습니다. 코드도 제자리에 있어야 합니다. 마지막 축을 (-1, group)으로 나누십시오."""

    def strided(weight, group):
        return weight.unflatten(-1, (group, -1)).transpose(-2, -1)

    codes, scale = _quantize(weight, bits, group, parts=strided)
    return codes.unflatten(-1, (-1, group)).transpose(-2, -1).flatten(-2), scale


@wrong("quantize_groups", read="inference-groups")
def scale_upside_down(weight, bits, group):
    """배율의 역수를 돌려주었습니다. 코드에 배율을 곱하면 원래의 수에 가까워야 합니다."""
    codes, scale = _quantize(weight, bits, group)
    return codes, torch.where(scale == 0, scale, 1 / scale)


@wrong("quantize_groups", read="inference-groups")
def multiplied_back(weight, bits, group):
    """코드 대신 되돌린 값을 돌려주었습니다. 코드는 배율을 곱하기 전의 정수입니다."""
    codes, scale = _quantize(weight, bits, group)
    return (_together(codes, group) * scale[..., None]).flatten(-2), scale


@wrong("quantize_groups", read="inference-groups")
def two_axes_only(weight, bits, group):
    """앞의 축을 한데 펼쳤습니다. 코드의 모양은 weight와 같고, 배율도 앞의 축을 그대로 지닙니다."""
    codes, scale = _quantize(weight, bits, group)
    return codes, scale.reshape(-1)


@wrong("quantize_groups", read="inference-zero-group", slip=True)
def scale_kept_from_zero(weight, bits, group):
    """배율을 어떤 수보다 작아지지 않게 막았거나 조금 더했습니다. 0인 묶음은 괜찮지만 아주 작은 수의 묶음이 모두 0이 됩니다. 배율이 0일 때만 따로 다루십시오."""
    return _quantize(weight, bits, group, largest=lambda parts: _largest(parts).clamp(min=1e-4))


@wrong("quantize_groups", read="inference-zero-group", slip=True)
def nan_of_zeros(weight, bits, group):
    """모두 0인 묶음에서 배율이 NaN이나 무한대가 되었습니다. 0을 0으로 나누지 마십시오."""
    codes, scale = _quantize(weight, bits, group)
    return codes, scale * (scale / scale)


@wrong("quantize_groups", read="inference-zero-group", slip=True)
def reciprocal_overflows(weight, bits, group):
    """배율의 역수를 곱했습니다. 배율이 아주 작으면 역수가 넘쳐 무한대가 됩니다. 배율로 바로 나누십시오."""
    _, scale = _quantize(weight, bits, group)
    inverse = torch.where(scale == 0, torch.zeros_like(scale), 1 / scale)
    codes = (weight.unflatten(-1, (-1, group)) * inverse[..., None]).round().nan_to_num(0, 127, -127)
    return codes.to(torch.int8).flatten(-2), scale


@wrong("quantize_groups", read="inference-grading", slip=True)
def remainder_left_over(weight, bits, group):
    """나누어지지 않는 묶음이나 없는 비트를 받아들였습니다. ValueError를 내십시오."""
    if group < 1 or weight.shape[-1] % group:
        raise ValueError("no such groups")
    return _quantize(weight, min(max(bits, 2), 8), group)


@wrong("quantize_groups", read="inference-grading", slip=True)
def codes_are_floats(weight, bits, group):
    """코드가 정수가 아닙니다. torch.int8로 바꾸어야 메모리가 줄어듭니다."""
    codes, scale = _quantize(weight, bits, group)
    return codes.to(weight.dtype), scale


@wrong("quantize_groups", read="inference-grading", slip=True)
def weight_changed(weight, bits, group):
    """받은 텐서를 바꾸었습니다. 제자리에서 나누지 마십시오(/=, div_)."""
    found = _quantize(weight, bits, group)
    weight.div_(2)
    return found


@wrong("quantize_groups", read="inference-grading", slip=True)
def scale_in_float64(weight, bits, group):
    """배율의 자료형이 입력을 따르지 않습니다."""
    codes, scale = _quantize(weight, bits, group)
    return codes, scale.double()


# window_mask ------------------------------------------------------------------------------------------------


@right_answer("window_mask")
def _mask(n_q, n_k, window, sinks=0, *, first=None, near=None, sink=None):
    """The right mask, in parts that a mistake can replace."""
    if window < 1 or sinks < 0 or n_q > n_k:
        raise ValueError("no such window")
    key = torch.arange(n_k)
    query = torch.arange(n_q)[:, None] + (n_k - n_q if first is None else first)
    near = near or (lambda back: back < window)
    sink = sink or (lambda key, query: key < sinks)
    return (key <= query) & (near(query - key) | sink(key, query))


@wrong("window_mask", read="inference-mask")
def from_the_upper_left(n_q, n_k, window, sinks=0):
    """질의를 맨 앞의 자리에 맞추었습니다. 캐시가 있을 때 질의는 마지막 n_q개 자리의 것입니다. 첫 질의의 자리는 n_k - n_q입니다."""
    return _mask(n_q, n_k, window, sinks, first=0)


@wrong("window_mask", read="inference-window")
def itself_not_counted(n_q, n_k, window, sinks=0):
    """자기를 세지 않아 하나를 더 봅니다. window는 자기까지 넣은 수이므로 window - 1칸 앞까지 봅니다."""
    return _mask(n_q, n_k, window, sinks, near=lambda back: back <= window)


@wrong("window_mask", read="inference-window")
def one_too_few(n_q, n_k, window, sinks=0):
    """창이 하나 좁습니다. 자기까지 넣어 window개를 봅니다."""
    return _mask(n_q, n_k, window, sinks, near=lambda back: (back < window - 1) | (back == 0))


@wrong("window_mask", read="inference-window")
def both_sides(n_q, n_k, window, sinks=0):
    """미래도 봅니다. 창은 앞쪽으로만 열립니다. 질의보다 뒤의 키는 창 안이라도 볼 수 없습니다."""
    _mask(n_q, n_k, window, sinks)
    key, query = torch.arange(n_k), torch.arange(n_k - n_q, n_k)[:, None]
    return ((key - query).abs() < window) | ((key < sinks) & (key <= query))


@wrong("window_mask", read="inference-window")
def future_left_open(n_q, n_k, window, sinks=0):
    """뒤의 키를 모두 봅니다. 앞으로 떨어진 거리가 window보다 작은지만 보면 음수인 거리, 곧 미래도 들어옵니다. 거리가 0보다 작지 않아야 합니다."""
    _mask(n_q, n_k, window, sinks)
    key, query = torch.arange(n_k), torch.arange(n_k - n_q, n_k)[:, None]
    return (query - key < window) | (key < sinks)


@wrong("window_mask", read="inference-window")
def all_the_past(n_q, n_k, window, sinks=0):
    """창을 쓰지 않고 앞을 모두 봅니다. 가까운 window개와 싱크만 남기십시오."""
    return _mask(n_q, n_k, window, sinks, near=lambda back: back >= 0)


@wrong("window_mask", read="inference-window")
def one_query_sees_everything(n_q, n_k, window, sinks=0):
    """질의가 하나이면 창을 쓰지 않았습니다. 한 토큰씩 쓸 때도 창 밖은 싱크만 봅니다."""
    return _mask(n_q, n_k, n_k if n_q == 1 else window, sinks)


@wrong("window_mask", read="inference-sinks")
def sinks_forgotten(n_q, n_k, window, sinks=0):
    """싱크가 없습니다. 맨 앞 sinks개는 창 밖이라도 봅니다."""
    return _mask(n_q, n_k, window, sinks, sink=lambda key, query: key < 0)


@wrong("window_mask", read="inference-sinks")
def sinks_of_the_future(n_q, n_k, window, sinks=0):
    """싱크를 미래에서도 봅니다. 자리 0의 질의는 자리 1이 싱크라도 보지 못합니다. 앞만 본다는 조건이 둘 모두에 걸려야 합니다."""
    return _mask(n_q, n_k, window, sinks) | (torch.arange(n_k) < sinks)


@wrong("window_mask", read="inference-sinks")
def sinks_inside_the_window(n_q, n_k, window, sinks=0):
    """싱크의 수만큼 창을 줄였습니다. 여기의 window는 싱크와 따로 셉니다."""
    return _mask(n_q, n_k, window, sinks, near=lambda back: back < max(window - sinks, 1))


@wrong("window_mask", read="inference-sinks")
def one_sink_too_many(n_q, n_k, window, sinks=0):
    """싱크가 하나 많습니다. 맨 앞 sinks개는 자리 0부터 sinks - 1까지입니다(`key < sinks`)."""
    return _mask(n_q, n_k, window, sinks, sink=lambda key, query: key <= sinks)


@wrong("window_mask", read="inference-sinks")
def only_sink(n_q, n_k, window, sinks=0):
    """맨 앞 하나만 남겼습니다. sinks개를 남기십시오."""
    return _mask(n_q, n_k, window, sinks, sink=lambda key, query: key < min(sinks, 1))


@wrong("window_mask", read="inference-sinks")
def sinks_and_window(n_q, n_k, window, sinks=0):
    """창과 싱크를 모두 만족하는 키만 남겼습니다. 둘 가운데 하나면 됩니다(|)."""
    mask = _mask(n_q, n_k, window, sinks)
    return mask & (torch.arange(n_k) < sinks) if sinks else mask


@wrong("window_mask", read="inference-window")
def hidden_is_true(n_q, n_k, window, sinks=0):
    """극성이 반대입니다. 여기서는 True가 볼 수 있다는 뜻입니다."""
    return ~_mask(n_q, n_k, window, sinks)


@wrong("window_mask", read="inference-mask")
def keys_first(n_q, n_k, window, sinks=0):
    """축의 차례가 바뀌었습니다. 행이 질의, 열이 키입니다."""
    return _mask(n_q, n_k, window, sinks).T


@wrong("window_mask", read="inference-grading")
def mask_of_floats(n_q, n_k, window, sinks=0):
    """불리언이 아닙니다. 1과 0이 아니라 True와 False를 돌려주십시오."""
    return _mask(n_q, n_k, window, sinks).float()


@wrong("window_mask", read="inference-grading", slip=True)
def odd_sizes_accepted(n_q, n_k, window, sinks=0):
    """없는 창이나 싱크, 키보다 많은 질의를 받아들였습니다. ValueError를 내십시오."""
    key, query = torch.arange(n_k), torch.arange(n_k - n_q, n_k)[:, None]
    return (key <= query) & ((query - key < window) | (key < sinks))


@wrong("window_mask", read="inference-grading", slip=True)
def too_wide_refused(n_q, n_k, window, sinks=0):
    """글보다 넓은 창이나 글보다 많은 싱크를 거절했습니다. 그때는 앞을 모두 봅니다."""
    if window > n_k or sinks > n_k:
        raise ValueError("too wide")
    return _mask(n_q, n_k, window, sinks)


# absorbed_attention -----------------------------------------------------------------------------------------


def _both_widths(query, rope_query, latents):
    return query.shape[-1] + rope_query.shape[-1]


def _softmax(scores, mask):
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return scores.softmax(dim=-1)


def _added(content, place):
    return content + place


@right_answer("absorbed_attention")
def _absorbed(
    query, rope_query, latents, rope_key, up_key, up_value, mask=None,
    *, width=_both_widths, add=_added, weigh=_softmax, raised=torch.matmul
):  # fmt: skip
    """The right attention, in parts that a mistake can replace."""
    shared = latents.unsqueeze(-3)
    content = (query @ up_key.mT) @ shared.mT
    scores = add(content, rope_query @ rope_key.unsqueeze(-3).mT)
    weights = weigh(scores / math.sqrt(width(query, rope_query, latents)), mask)
    return raised(weights @ shared, up_value), weights


@wrong("absorbed_attention", read="inference-absorb")
def scaled_by_the_content(*inputs, **options):
    """점수를 sqrt(d_h)로만 나누었습니다. 키는 두 부분을 이어 붙인 것이므로 차원은 d_h + d_R입니다."""
    return _absorbed(*inputs, **options, width=lambda query, rope_query, latents: query.shape[-1])


@wrong("absorbed_attention", read="inference-absorb")
def scaled_by_the_rank(*inputs, **options):
    """점수를 압축 벡터의 차원으로 나누었습니다. 질의를 내려도 점수는 펼친 키와의 내적과 같으므로, 나누는 수도 sqrt(d_h + d_R) 그대로입니다."""
    return _absorbed(
        *inputs, **options, width=lambda query, rope_query, latents: latents.shape[-1] + rope_query.shape[-1]
    )


@wrong("absorbed_attention", read="inference-absorb")
def not_scaled(*inputs, **options):
    """점수를 나누지 않았습니다. sqrt(d_h + d_R)로 나누십시오."""
    return _absorbed(*inputs, **options, width=lambda *_: 1)


@wrong("absorbed_attention", read="inference-absorb")
def each_part_scaled(query, rope_query, latents, rope_key, up_key, up_value, mask=None):
    """두 부분을 저마다의 차원으로 따로 나누었습니다. 더한 다음 sqrt(d_h + d_R)로 한 번 나누십시오."""
    d_h, d_r = query.shape[-1], rope_query.shape[-1]
    both = d_h + d_r
    return _absorbed(
        query * math.sqrt(both / d_h), rope_query * math.sqrt(both / d_r),
        latents, rope_key, up_key, up_value, mask,
    )  # fmt: skip


@wrong("absorbed_attention", read="inference-absorb")
def place_forgotten(*inputs, **options):
    """위치를 맡은 키를 빠뜨렸습니다. 두 내적을 더해야 순서를 압니다."""
    return _absorbed(*inputs, **options, add=lambda content, place: content + 0 * place)


@wrong("absorbed_attention", read="inference-absorb")
def place_alone(*inputs, **options):
    """위치를 맡은 키와의 내적만 썼습니다. 압축 벡터와의 내적을 더하십시오."""
    return _absorbed(*inputs, **options, add=lambda content, place: 0 * content + place)


@wrong("absorbed_attention", read="inference-absorb")
def parts_multiplied(*inputs, **options):
    """두 내적을 곱했습니다. 이어 붙인 벡터의 내적은 부분의 내적을 더한 것입니다."""
    return _absorbed(*inputs, **options, add=torch.mul)


@wrong("absorbed_attention", read="inference-absorb")
def two_softmaxes(*inputs, **options):
    """두 부분에 소프트맥스를 따로 취했습니다. 점수를 더한 다음 한 번 취합니다."""

    def mean(content, place):
        return ((content.softmax(-1) + place.softmax(-1)) / 2).log()

    return _absorbed(*inputs, **options, add=mean)


@wrong("absorbed_attention", read="inference-absorb")
def keys_unrolled(query, rope_query, latents, rope_key, up_key, up_value, mask=None):
    """키와 값을 펼쳤습니다. 답은 맞지만 캐시에서 읽은 짧은 벡터를 도로 늘려 놓았습니다. 질의를 내리고, 가중합을 마지막에 올리십시오."""
    keys = latents.unsqueeze(-3) @ up_key
    scores = query @ keys.mT + rope_query @ rope_key.unsqueeze(-3).mT
    weights = _softmax(scores / math.sqrt(query.shape[-1] + rope_query.shape[-1]), mask)
    return weights @ (latents.unsqueeze(-3) @ up_value), weights


@wrong("absorbed_attention", read="inference-absorb")
def values_unrolled(query, rope_query, latents, rope_key, up_key, up_value, mask=None):
    """키는 펼치지 않았지만 값을 펼쳤습니다. 압축 벡터의 가중합을 먼저 구하고 한 번만 올리십시오."""
    _, weights = _absorbed(query, rope_query, latents, rope_key, up_key, up_value, mask)
    return weights @ (latents.unsqueeze(-3) @ up_value), weights


@wrong("absorbed_attention", read="inference-absorb")
def left_down_there(*inputs, **options):
    """압축 벡터의 가중합을 올리지 않았습니다. 출력의 마지막 축은 d_v입니다."""
    return _absorbed(*inputs, **options, raised=lambda mixed, up_value: mixed)


@wrong("absorbed_attention", read="inference-absorb")
def other_heads_values(*inputs, **options):
    """헤드마다 제 값으로 올리지 않았습니다. 헤드 i의 가중합은 W_i^V로 올립니다."""
    return _absorbed(*inputs, **options, raised=lambda mixed, up_value: mixed @ up_value[0])


@wrong("absorbed_attention", read="inference-absorb")
def softmax_over_queries(*inputs, **options):
    """소프트맥스의 축이 다릅니다. 키에 걸쳐, 곧 마지막 축으로 취합니다."""
    return _absorbed(*inputs, **options, weigh=lambda scores, mask: scores.softmax(dim=-2))


@wrong("absorbed_attention", read="inference-grading")
def true_is_hidden(*inputs, **options):
    """마스크의 극성이 반대입니다. True가 볼 수 있다는 뜻입니다."""

    def weigh(scores, mask):
        return _softmax(scores, None if mask is None else ~mask)

    return _absorbed(*inputs, **options, weigh=weigh)


@wrong("absorbed_attention", read="inference-grading")
def mask_not_used(*inputs, **options):
    """mask를 쓰지 않았습니다. 볼 수 없는 자리의 점수는 소프트맥스 전에 음의 무한대로 둡니다."""
    return _absorbed(*inputs, **options, weigh=lambda scores, mask: scores.softmax(dim=-1))


@wrong("absorbed_attention", read="inference-grading")
def masked_afterwards(*inputs, **options):
    """소프트맥스를 한 다음에 0으로 지웠습니다. 행의 합이 1보다 작아집니다. 지울 것은 소프트맥스 전의 점수입니다."""

    def weigh(scores, mask):
        weights = scores.softmax(dim=-1)
        return weights if mask is None else weights * mask

    return _absorbed(*inputs, **options, weigh=weigh)


@wrong("absorbed_attention", read="inference-grading", slip=True)
def one_text_only(query, rope_query, latents, rope_key, up_key, up_value, mask=None):
    """배치 축이 있으면 헤드의 축과 섞입니다. 압축 벡터에는 헤드의 축이 없으므로 그 자리에 축을 하나 넣으십시오(unsqueeze(-3))."""
    scores = (query @ up_key.mT) @ latents.mT + rope_query @ rope_key.mT
    weights = _softmax(scores / math.sqrt(query.shape[-1] + rope_query.shape[-1]), mask)
    return (weights @ latents) @ up_value, weights


@wrong("absorbed_attention", read="inference-grading", slip=True)
def without_gradient(*inputs, **options):
    """기울기가 끊겼습니다(detach, no_grad). 학습한 뒤에도 파인튜닝할 수 있어야 합니다."""
    return tuple(part.detach() for part in _absorbed(*inputs, **options))


# PagedCache -------------------------------------------------------------------------------------------------


@right_answer("PagedCache")
class _Pages:
    """The right cache, in parts that a mistake can replace."""

    def __init__(self, num_blocks, block_size):
        self.num_blocks, self.size = num_blocks, block_size
        self.pool, self.texts, self.storage = list(range(num_blocks)), {}, None

    def append(self, name, vectors):
        table, length = self.texts.get(name, ([], 0))
        missing = self.wanted(table, length, len(vectors))
        if missing > len(self.pool):
            raise ValueError("no block left")
        table = table + [self.take() for _ in range(missing)]
        self.write(table, length, vectors)
        self.texts[name] = table, length + len(vectors)

    def wanted(self, table, length, new):
        return math.ceil((length + new) / self.size) - len(table)

    def take(self):
        return self.pool.pop(0)

    def write(self, table, length, vectors):
        if self.storage is None:
            self.storage = vectors.new_zeros(self.num_blocks, self.size, vectors.shape[-1])
        for place, vector in enumerate(vectors, start=length):
            self.storage[table[place // self.size], place % self.size] = vector

    def known(self, name):
        if name not in self.texts:
            raise ValueError("no such text")
        return self.texts[name]

    def gather(self, name):
        table, length = self.known(name)
        return self.storage[table].flatten(0, 1)[:length]

    def free(self, name):
        self.pool += self.known(name)[0]
        del self.texts[name]

    def blocks(self, name):
        return list(self.known(name)[0])

    def free_blocks(self):
        return len(self.pool)


@wrong("PagedCache", read="inference-pages-full")
class AlwaysNewBlocks(_Pages):
    """붙일 때마다 새 블록을 받았습니다. 한 토큰씩 쓰면 블록마다 하나만 들어갑니다. 마지막 블록에 남은 자리부터 채우십시오."""

    def append(self, name, vectors):
        table, numbers = self.texts.get(name, ([], []))
        missing = math.ceil(len(vectors) / self.size)
        if missing > len(self.pool):
            raise ValueError("no block left")
        self.texts[name] = table + [self.take() for _ in range(missing)], [*numbers, *vectors.clone()]
        self.empty = vectors[:0]

    def gather(self, name):
        _, numbers = self.known(name)
        return torch.stack(numbers) if numbers else self.empty


@wrong("PagedCache", read="inference-pages")
class ReservedAtOnce(_Pages):
    """글이 처음 올 때 블록을 넉넉히 잡아 두었습니다. 지금 필요한 만큼만 받으십시오."""

    def wanted(self, table, length, new):
        needed = super().wanted(table, length, new)
        return needed + 1 if not table and needed < len(self.pool) else needed


@wrong("PagedCache", read="inference-pages")
class BlocksShared(_Pages):
    """두 글이 같은 블록을 받았습니다. 준 블록은 남은 것에서 빼야 합니다. 아니면 나중 글이 앞 글을 덮어씁니다."""

    def append(self, name, vectors):
        table, length = self.texts.get(name, ([], 0))
        missing = self.wanted(table, length, len(vectors))
        if missing > len(self.pool):
            raise ValueError("no block left")
        table = table + [b for b in range(self.num_blocks) if b not in table][:missing]
        self.write(table, length, vectors)
        self.texts[name] = table, length + len(vectors)


@wrong("PagedCache", read="inference-pages")
class WholeBlocksReturned(_Pages):
    """마지막 블록의 빈자리까지 돌려주었습니다. 글의 길이만큼만 돌려주십시오."""

    def gather(self, name):
        return self.storage[self.known(name)[0]].flatten(0, 1)


@wrong("PagedCache", read="inference-pages")
class BlocksInTheirOwnOrder(_Pages):
    """블록을 받은 차례가 아니라 번호의 차례로 이었습니다. 돌려놓은 블록을 다시 받으면 번호와 차례가 다릅니다. 글마다 적은 표의 차례로 이으십시오."""

    def gather(self, name):
        table, length = self.known(name)
        return self.storage[sorted(table)].flatten(0, 1)[:length]

    def take(self):
        return self.pool.pop()


@wrong("PagedCache", read="inference-pages")
class StartedAnew(_Pages):
    """두 번째 append가 앞의 것을 지웠습니다. 뒤에 이어 붙이십시오."""

    def append(self, name, vectors):
        if name in self.texts:
            self.free(name)
        super().append(name, vectors)


@wrong("PagedCache", read="inference-pages")
class NewestFirst(_Pages):
    """새것을 앞에 붙였습니다. 글의 뒤에 붙이십시오."""

    def append(self, name, vectors):
        if name in self.texts:
            vectors = torch.cat([vectors, self.gather(name)])
            self.free(name)
        super().append(name, vectors)


@wrong("PagedCache", read="inference-pages")
class FreeBlocksInAList(_Pages):
    """`free_blocks()`가 남은 블록의 목록을 돌려줍니다. 돌려줄 것은 그 수입니다(`len`)."""

    def free_blocks(self):
        return list(self.pool)


@wrong("PagedCache", read="inference-pages")
class NeverGivenBack(_Pages):
    """지운 글의 블록을 돌려놓지 않았습니다. 글이 오갈수록 블록이 사라집니다."""

    def free(self, name):
        self.known(name)
        del self.texts[name]


@wrong("PagedCache", read="inference-pages")
class LastBlockLost(_Pages):
    """지운 글의 블록을 하나만 돌려놓았습니다. 표에 적힌 블록을 모두 돌려놓으십시오."""

    def free(self, name):
        self.pool += self.known(name)[0][:1]
        del self.texts[name]


@wrong("PagedCache", read="inference-pages")
class TextNotForgotten(_Pages):
    """블록은 돌려놓았지만 글이 남았습니다. 돌려놓은 블록을 두 글이 쓰게 됩니다. 표에서도 지우십시오."""

    def free(self, name):
        self.pool += self.known(name)[0]
        self.texts[name] = self.texts[name][0], self.texts[name][1]

    def append(self, name, vectors):
        super().append(name, vectors)


@wrong("PagedCache", read="inference-pages")
class PlacesCounted(_Pages):
    """블록이 아니라 남은 자리를 세었습니다. free_blocks는 블록의 수입니다."""

    def free_blocks(self):
        return len(self.pool) * self.size


@wrong("PagedCache", read="inference-pages-full", slip=True)
class TakenBeforeCounted(_Pages):
    """블록을 받다가 모자라서 멈추었고, 받은 것이 사라졌습니다. 몇 개가 더 필요한지 먼저 세고, 모자라면 아무것도 바꾸지 마십시오."""

    def append(self, name, vectors):
        table, length = self.texts.get(name, ([], 0))
        taken = []
        for _ in range(self.wanted(table, length, len(vectors))):
            if not self.pool:
                raise ValueError("no block left")
            taken.append(self.take())
        self.write(table + taken, length, vectors)
        self.texts[name] = table + taken, length + len(vectors)


@wrong("PagedCache", read="inference-pages-full", slip=True)
class AnotherErrorWhenFull(_Pages):
    """블록이 모자랄 때 ValueError가 아닌 다른 오류로 멈춥니다(pop의 IndexError 따위). 먼저 세고 ValueError를 내십시오."""

    def append(self, name, vectors):
        table, length = self.texts.get(name, ([], 0))
        if self.wanted(table, length, len(vectors)) > len(self.pool):
            raise IndexError("pop from empty list")
        super().append(name, vectors)


@wrong("PagedCache", read="inference-grading", slip=True)
class UnknownNameIsAKeyError(_Pages):
    """모르는 이름에 KeyError를 냈습니다. ValueError를 내십시오."""

    def known(self, name):
        return self.texts[name]

    def gather(self, name):
        if name in self.texts or self.storage is None:
            return super().gather(name)
        raise ValueError("no such text")


@wrong("PagedCache", read="inference-grading", slip=True)
class StorageOfAllCaches(_Pages):
    """모든 캐시가 저장소를 함께 썼습니다. 클래스의 변수가 아니라 self에 두십시오."""

    kept = {}

    def __init__(self, num_blocks, block_size):
        super().__init__(num_blocks, block_size)
        self.kept.clear()

    def append(self, name, vectors):
        super().append(name, vectors)
        self.kept[name] = self

    def gather(self, name):
        return _Pages.gather(self.kept.get(name, self), name)


@wrong("PagedCache", read="inference-grading", slip=True)
class FloatsOnly(_Pages):
    """넣은 자료형을 따르지 않습니다. 저장소를 처음 넣는 벡터의 자료형으로 만드십시오."""

    def append(self, name, vectors):
        super().append(name, vectors.float())


# verify_drafts ----------------------------------------------------------------------------------------------


def _missing(p, r, token):
    rest = (p - r).clamp(min=0)
    return rest / rest.sum()


def _below_the_ratio(u, p, r):
    return u * r < p


@right_answer("verify_drafts")
def _verify(drafts, draft_probs, target_probs, uniforms, *, rest=_missing, accept=_below_the_ratio):
    """The right check, in parts that a mistake can replace."""
    for t, token in enumerate(drafts.tolist()):
        p, r = target_probs[t], draft_probs[t]
        if not accept(uniforms[t], p[token], r[token]):
            return t, rest(p, r, token)
    return len(drafts), target_probs[len(drafts)]


@wrong("verify_drafts", read="inference-residual")
def drawn_from_the_target(*inputs):
    """거절한 자리를 큰 모델의 분포에서 그대로 뽑습니다. 받아들인 몫이 이미 있으므로, 더할 것은 모자란 몫 max(0, p - r)뿐입니다."""
    return _verify(*inputs, rest=lambda p, r, token: p)


@wrong("verify_drafts", read="inference-residual")
def the_refused_taken_out(*inputs):
    """거절한 토큰만 빼고 나머지를 다시 나누었습니다. 다른 토큰도 모자란 만큼만 받아야 합니다. max(0, p - r)를 나누십시오."""

    def rest(p, r, token):
        left = p.clone()
        left[token] = 0
        return left / left.sum()

    return _verify(*inputs, rest=rest)


@wrong("verify_drafts", read="inference-residual")
def missing_share_not_divided(*inputs):
    """모자란 몫을 합이 1이 되게 나누지 않았습니다."""
    return _verify(*inputs, rest=lambda p, r, token: (p - r).clamp(min=0))


@wrong("verify_drafts", read="inference-residual")
def the_other_way_round(*inputs):
    """모자란 몫의 방향이 반대입니다. 큰 모델이 더 주고 싶어 한 몫은 p - r입니다."""
    return _verify(*inputs, rest=lambda p, r, token: _missing(r, p, token))


@wrong("verify_drafts", read="inference-residual")
def differences_without_sign(*inputs):
    """차이의 절댓값을 나누었습니다. p가 r보다 작은 토큰은 0이어야 합니다."""
    return _verify(*inputs, rest=lambda p, r, token: (p - r).abs() / (p - r).abs().sum())


@wrong("verify_drafts", read="inference-residual")
def softmax_of_the_rest(*inputs):
    """모자란 몫에 소프트맥스를 취했습니다. 이미 확률이므로 합으로 나누면 됩니다."""
    return _verify(*inputs, rest=lambda p, r, token: (p - r).clamp(min=0).softmax(-1))


@wrong("verify_drafts", read="inference-residual")
def compared_without_chance(*inputs):
    """p가 r보다 크거나 같을 때만 받아들였습니다. 작을 때에도 p / r의 확률로 받아들여야 합니다. 난수를 쓰십시오."""
    return _verify(*inputs, accept=lambda u, p, r: p >= r)


@wrong("verify_drafts", read="inference-residual")
def accepted_by_p_alone(*inputs):
    """큰 모델의 확률만으로 받아들였습니다. 작은 모델이 이미 r의 확률로 뽑았으므로 비율 p / r로 받아들입니다."""
    return _verify(*inputs, accept=lambda u, p, r: u < p)


@wrong("verify_drafts", read="inference-residual")
def ratio_upside_down(*inputs):
    """비율이 뒤집혔습니다. 받아들일 확률은 p / r입니다. 작은 모델이 너무 자주 내는 토큰을 덜 받아들여야 합니다."""
    return _verify(*inputs, accept=lambda u, p, r: u * p < r)


@wrong("verify_drafts", read="inference-residual")
def refused_when_small(*inputs):
    """부등호가 반대입니다. 난수가 비율보다 작을 때 받아들입니다."""
    return _verify(*inputs, accept=lambda u, p, r: u * r >= p)


@wrong("verify_drafts", read="inference-residual")
def everything_accepted(*inputs):
    """확인하지 않고 모두 받아들였습니다. 그러면 작은 모델의 글이 됩니다."""
    return _verify(*inputs, accept=lambda u, p, r: True)


@wrong("verify_drafts", read="inference-residual")
def only_the_likeliest(drafts, draft_probs, target_probs, uniforms):
    """큰 모델이 가장 그럴듯하다고 본 토큰일 때만 받아들였습니다. 탐욕 디코딩의 확인이지, 분포를 지키지 않습니다."""
    for t, token in enumerate(drafts.tolist()):
        if target_probs[t].argmax() != token:
            return t, _missing(target_probs[t], draft_probs[t], token)
    return len(drafts), target_probs[-1]


@wrong("verify_drafts", read="inference-bonus")
def counted_past_a_refusal(drafts, draft_probs, target_probs, uniforms):
    """거절한 뒤의 추측도 세었습니다. 뒤의 추측은 거절한 토큰을 보고 쓴 것이므로 버립니다."""
    accepted, rest = _verify(drafts, draft_probs, target_probs, uniforms)
    places = torch.arange(len(drafts))
    right = uniforms * draft_probs[places, drafts] < target_probs[places, drafts]
    return int(right.sum()), rest


@wrong("verify_drafts", read="inference-bonus")
def up_to_the_last_accepted(drafts, draft_probs, target_probs, uniforms):
    """거절한 자리를 지나 마지막으로 받아들일 만한 추측까지 받아들였습니다. 처음 거절한 자리에서 멈추십시오. 뒤의 추측은 거절한 토큰을 보고 쓴 것입니다."""
    passed = [u * r[x] < p[x] for x, u, p, r in zip(drafts.tolist(), uniforms, target_probs, draft_probs, strict=False)]  # fmt: skip
    count = max((t + 1 for t, one in enumerate(passed) if one), default=0)
    last = slice(count, None)
    return count, _verify(
        drafts[last][:1], draft_probs[last], target_probs[last], torch.ones(1).to(uniforms)
    )[1]


@wrong("verify_drafts", read="inference-bonus")
def no_bonus(drafts, draft_probs, target_probs, uniforms):
    """모두 받아들였을 때 마지막 추측 자리의 분포를 돌려주었습니다. 다음 토큰은 그 뒤의 분포, target_probs의 마지막 행에서 뽑습니다."""
    accepted, rest = _verify(drafts, draft_probs, target_probs, uniforms)
    return accepted, target_probs[accepted - 1] if 0 < accepted == len(drafts) else rest


@wrong("verify_drafts", read="inference-bonus")
def bonus_counted(drafts, draft_probs, target_probs, uniforms):
    """다음에 뽑을 토큰까지 세었습니다. 받아들인 추측의 수만 돌려주십시오."""
    accepted, rest = _verify(drafts, draft_probs, target_probs, uniforms)
    return accepted + 1, rest


@wrong("verify_drafts", read="inference-bonus")
def all_or_nothing(drafts, draft_probs, target_probs, uniforms):
    """하나라도 거절하면 모두 버렸습니다. 거절하기 전까지의 추측은 받아들입니다."""
    accepted, rest = _verify(drafts, draft_probs, target_probs, uniforms)
    return (accepted, rest) if accepted == len(drafts) else (0, rest)


@wrong("verify_drafts", read="inference-grading", slip=True)
def zero_accepted(*inputs):
    """난수가 비율과 같을 때도 받아들였습니다. 난수는 0일 수 있으므로, 큰 모델이 0을 준 토큰을 받아들이게 됩니다. 작을 때만 받아들이십시오."""
    return _verify(*inputs, accept=lambda u, p, r: u * r <= p)


@wrong("verify_drafts", read="inference-grading", slip=True)
def nothing_drafted_stops(drafts, draft_probs, target_probs, uniforms):
    """추측이 하나도 없으면 멈춥니다. 그때는 0과 큰 모델의 첫 분포를 돌려줍니다."""
    if len(drafts) == 0:
        raise IndexError("nothing drafted")
    return _verify(drafts, draft_probs, target_probs, uniforms)


@wrong("verify_drafts", read="inference-grading", slip=True)
def count_in_a_tensor(*inputs):
    """받아들인 수가 텐서입니다. 파이썬의 int를 돌려주십시오(.item())."""
    accepted, rest = _verify(*inputs)
    return torch.tensor(accepted), rest


@wrong("verify_drafts", read="inference-grading", slip=True)
def target_changed(drafts, draft_probs, target_probs, uniforms):
    """받은 텐서를 바꾸었습니다. 제자리에서 빼거나 나누지 마십시오(-=, clamp_)."""
    found = _verify(drafts, draft_probs, target_probs.clone(), uniforms)
    target_probs.sub_(0.125)
    return found
