"""Wrong answers that people give to the exercise `evaluation`."""

import math

import torch

from grader.judging.mistakes import right_answer, wrong

# yarn_frequencies -------------------------------------------------------------------------------------------


def _pair(dim, base, length, turns):
    return dim / 2 * math.log(length / (2 * math.pi * turns)) / math.log(base)


def _ramp(pair, fast, slow):
    return ((pair - fast) / (slow - fast)).clamp(0, 1)


@right_answer("yarn_frequencies")
def _yarn(
    dim, base, factor, original_length, beta_fast=32.0, beta_slow=1.0,
    *, pair_of=_pair, bounds=lambda fast, slow: (max(fast, 0), slow), ramp=_ramp,
    mix=lambda g, theta, s: (1 - g) * theta + g * theta / s, power=lambda i, dim: -2 * i / dim,
    t=lambda s: 0.1 * math.log(s) + 1, length=lambda L, s: L, check=True,
):  # fmt: skip
    """The right speeds, in parts that a mistake can replace."""
    if check and (dim % 2 or factor < 1 or beta_fast <= beta_slow):
        raise ValueError("yarn")
    L = length(original_length, factor)
    fast, slow = bounds(*(pair_of(dim, base, L, turns) for turns in (beta_fast, beta_slow)))
    i = torch.arange(dim // 2, dtype=torch.float64)
    theta = base ** power(i, dim)
    return mix(ramp(i, fast, slow), theta, factor), t(factor)


@wrong("yarn_frequencies", read="ev-interpolation")
def all_interpolated(*args):
    """모든 쌍을 factor로 나누었습니다. 그것은 위치 보간입니다. 배운 길이에서 많이 도는 쌍은 그대로 두십시오."""
    return _yarn(*args, ramp=lambda i, fast, slow: torch.ones_like(i))


@wrong("yarn_frequencies", read="ev-ntk")
def base_stretched(dim, base, factor, *rest):
    """밑을 키웠습니다. 그것은 NTK 방식입니다. YaRN은 밑을 그대로 두고 느린 쌍만 factor로 나눕니다."""
    _yarn(dim, base, factor, *rest)
    i = torch.arange(dim // 2, dtype=torch.float64)
    return (base * factor ** (dim / (dim - 2))) ** (-2 * i / dim), 0.1 * math.log(factor) + 1


@wrong("yarn_frequencies", read="ev-yarn")
def ramp_upside_down(*args):
    """경사가 거꾸로입니다. 빠른 쌍을 나누고 느린 쌍을 그대로 두었습니다. 처음 보는 각도는 느린 쌍에서 생깁니다."""
    return _yarn(*args, mix=lambda g, theta, s: g * theta + (1 - g) * theta / s)


@wrong("yarn_frequencies", read="ev-yarn")
def no_ramp(*args):
    """두 한계 사이를 섞지 않고 한쪽으로 몰았습니다. 사이의 쌍은 번호에 따라 곧게 섞습니다."""
    return _yarn(*args, ramp=lambda i, fast, slow: (i > (fast + slow) / 2).double())


@wrong("yarn_frequencies", read="ev-yarn")
def periods_mixed(*args):
    """각속도가 아니라 주기를 섞었습니다. 두 각속도의 가중 평균이지, 주기의 가중 평균이 아닙니다."""
    return _yarn(*args, mix=lambda g, theta, s: 1 / ((1 - g) / theta + g * s / theta))


@wrong("yarn_frequencies", read="ev-yarn")
def multiplied_by_the_factor(*args):
    """factor를 곱했습니다. 긴 글에서 덜 돌게 하려면 나누어야 합니다."""
    return _yarn(*args, mix=lambda g, theta, s: (1 - g) * theta + g * theta * s)


@wrong("yarn_frequencies", read="ev-yarn")
def turns_without_pi(*args):
    """바퀴의 수에 2π를 빠뜨렸습니다. 쌍은 한 바퀴에 2π라디안을 돕니다."""
    return _yarn(*args, pair_of=lambda dim, base, L, turns: _pair(dim, base, 2 * math.pi * L, turns))


@wrong("yarn_frequencies", read="ev-yarn")
def longer_length(*args):
    """늘인 길이에서 도는 바퀴를 셌습니다. 모델이 본 각도는 배운 길이에서 정해집니다."""
    return _yarn(*args, length=lambda L, s: L * s)


@wrong("yarn_frequencies", read="ev-yarn")
def component_numbers(*args):
    """쌍의 번호 대신 성분의 번호로 세었습니다. 성분은 dim개이고 쌍은 그 절반입니다."""
    return _yarn(*args, pair_of=lambda *given: 2 * _pair(*given))


@wrong("yarn_frequencies", read="ev-yarn")
def whole_power(*args):
    """지수에서 2를 빠뜨렸습니다. 쌍 i의 각속도는 base^(-2i/d)입니다."""
    return _yarn(*args, power=lambda i, dim: -i / dim)


@wrong("yarn_frequencies", read="ev-yarn")
def rounded_bounds(*args):
    """두 한계를 정수로 반올림했습니다. transformers의 기본값이 그렇지만, 여기서는 그대로 씁니다(truncate=False)."""
    return _yarn(*args, bounds=lambda fast, slow: (max(math.floor(fast), 0), math.ceil(slow)))


@wrong("yarn_frequencies", read="ev-yarn")
def negative_bound(*args):
    """가장 빠른 한계가 0보다 작은데 그대로 두었습니다. 0보다 작으면 0입니다. 짧은 글로 배운 모델에서 생깁니다."""
    return _yarn(*args, bounds=lambda fast, slow: (fast, slow))


@wrong("yarn_frequencies", read="ev-yarn", slip=True)
def slow_bound_at_the_last_pair(dim, *args):
    """느린 한계를 마지막 쌍에서 멈추었습니다. 긴 글로 배운 모델에서는 마지막 쌍도 한 바퀴 넘게 돕니다. 0보다 작아지지 않게 하는 것은 빠른 한계뿐입니다."""
    return _yarn(dim, *args, bounds=lambda fast, slow: (max(fast, 0), min(slow, dim // 2 - 1)))


@wrong("yarn_frequencies", read="ev-grading", slip=True)
def temperature_in_a_tensor(*args):
    """t가 텐서입니다. 파이썬의 실수를 돌려주십시오. `math.log`는 실수를 돌려줍니다."""
    return _yarn(*args, t=lambda s: 0.1 * torch.tensor(float(s)).log() + 1)


@wrong("yarn_frequencies", read="ev-temperature", slip=True)
def no_temperature(*args):
    """t가 언제나 1입니다. 길이가 늘면 0.1 ln s + 1입니다."""
    return _yarn(*args, t=lambda s: 1.0)


@wrong("yarn_frequencies", read="ev-temperature", slip=True)
def temperature_squared(*args):
    """t를 제곱했습니다. 점수가 t²배이고, 질의와 키에 곱하는 것이 t입니다."""
    return _yarn(*args, t=lambda s: (0.1 * math.log(s) + 1) ** 2)


@wrong("yarn_frequencies", read="ev-temperature", slip=True)
def temperature_by_tens(*args):
    """상용로그를 썼습니다. t = 0.1 ln s + 1의 로그는 자연로그입니다."""
    return _yarn(*args, t=lambda s: 0.1 * math.log10(s) + 1)


@wrong("yarn_frequencies", read="ev-grading", slip=True)
def any_yarn(dim, base, factor, original_length, beta_fast=32.0, beta_slow=1.0):
    """쓸 수 없는 인수를 받아들였습니다. 홀수인 dim, 1보다 작은 factor, 사이가 없는 두 한계는 ValueError입니다."""
    if beta_fast <= beta_slow:
        beta_fast = 32.0
    return _yarn(dim, base, factor, original_length, beta_fast, beta_slow, check=False)


@wrong("yarn_frequencies", read="ev-grading", slip=True)
def single_precision(*args):
    """float32입니다. 긴 글에서는 각도의 오차가 위치만큼 커지므로 각속도는 float64로 돌려줍니다."""
    found, t = _yarn(*args)
    return found.float(), t


# strided_nll ------------------------------------------------------------------------------------------------


@right_answer("strided_nll")
def _strided(
    model, ids, window, stride,
    *, check=lambda window, stride: 1 <= stride < window, log=lambda x: x.log_softmax(-1),
    target=lambda part: part[1:], rows=lambda x: x[:-1], keep=lambda nll, new: nll[new:], sign=-1,
    stop=True,
):  # fmt: skip
    """The right windows, in parts that a mistake can replace."""
    if not check(window, stride):
        raise ValueError("stride")
    found, counted = [], 1
    for start in range(0, len(ids), stride):
        part = ids[start : start + window]
        nll = sign * log(rows(model(part))).gather(-1, target(part)[:, None])[:, 0]
        found.append(keep(nll, counted - start - 1))
        counted = start + len(part)
        if stop and counted == len(ids):
            break
    return torch.cat(found)


@wrong("strided_nll", read="ev-stride")
def counted_again(*args):
    """겹친 토큰을 다시 셌습니다. 앞의 창이 맞힌 토큰은 앞말로만 쓰고 세지 않습니다."""
    return _strided(*args, keep=lambda nll, new: nll)


@wrong("strided_nll", read="ev-stride")
def windows_without_overlap(model, ids, window, stride):
    """창을 겹치지 않게 이었습니다. 창의 첫머리에서는 앞말이 없이 맞힙니다. 창을 stride만큼씩 미십시오."""
    return _strided(model, ids, window, window - 1 if 1 <= stride < window else stride)


@wrong("strided_nll", read="ev-stride")
def not_shifted(*args):
    """자리 i의 로짓을 토큰 i와 비교했습니다. 자리 i의 로짓은 토큰 i + 1을 맞힙니다."""
    return _strided(*args, rows=lambda x: x[1:])


@wrong("strided_nll", read="ev-stride")
def shifted_twice(model, ids, window, stride):
    """두 칸 밀었습니다. 자리 i의 로짓은 바로 다음 토큰을 맞힙니다."""
    return _strided(model, ids, window, stride, target=lambda part: part.roll(-1)[1:])


@wrong("strided_nll", read="ev-stride")
def raw_logits(*args):
    """로짓을 그대로 로그 확률로 썼습니다. log_softmax를 취하십시오."""
    return _strided(*args, log=lambda x: x)


@wrong("strided_nll", read="ev-stride")
def probabilities(*args):
    """로그를 취하지 않은 확률입니다. 음의 로그 확률을 돌려줍니다."""
    return _strided(*args, log=lambda x: x.softmax(-1), sign=1)


@wrong("strided_nll", read="ev-stride")
def sign_forgotten(*args):
    """로그 확률의 부호를 바꾸지 않았습니다. 음의 로그 확률은 0 이상입니다."""
    return _strided(*args, sign=1)


@wrong("strided_nll", read="ev-stride")
def in_bits(*args):
    """밑이 2인 로그입니다. 여기서는 nats, 곧 자연로그입니다."""
    return _strided(*args) / math.log(2)


@wrong("strided_nll", read="ev-stride")
def mean_alone(*args):
    """평균 하나를 돌려주었습니다. 무엇으로 나눌지는 부르는 쪽이 정하므로 토큰마다 돌려줍니다."""
    return _strided(*args).mean()


@wrong("strided_nll", read="ev-stride")
def last_window_counts(model, ids, window, stride):
    """겹친 토큰을 뒤의 창의 값으로 덮어썼습니다. 뒤의 창에서는 앞말이 짧습니다. 토큰마다 그것을 처음 맞힌 창의 값을 남기십시오."""
    found = _strided(model, ids, window, stride)
    for start in range(0, len(ids), stride):
        part = ids[start : start + window]
        found[start : start + len(part) - 1] = (
            -model(part)[:-1].log_softmax(-1).gather(-1, part[1:, None])[:, 0]
        )
        if start + window >= len(ids):
            break
    return found


@wrong("strided_nll", read="ev-stride")
def a_stride_of_each_window(model, ids, window, stride):
    """창마다 마지막 stride개를 셌습니다. 마지막 창은 짧아서 새로 맞힌 토큰이 stride개보다 적을 수 있습니다. 앞의 창이 어디까지 맞혔는지 기억하십시오."""
    return _strided(model, ids, window, stride, keep=lambda nll, new: nll[-stride:] if new else nll)


@wrong("strided_nll", read="ev-stride")
def windows_averaged(model, ids, window, stride):
    """겹친 토큰의 값을 평균했습니다. 토큰마다 그것을 맞히는 첫 창의 값만 셉니다."""
    _strided(model, ids, window, stride)
    total, count = (torch.zeros(len(ids) - 1, dtype=torch.float64) for _ in range(2))
    for start in range(0, len(ids), stride):
        part = ids[start : start + window]
        nll = -model(part)[:-1].log_softmax(-1).gather(-1, part[1:, None])[:, 0]
        total[start : start + len(nll)] += nll
        count[start : start + len(nll)] += 1
        if start + len(part) == len(ids):
            break
    return total / count


@wrong("strided_nll", read="ev-stride")
def last_window_dropped(model, ids, window, stride):
    """짧은 마지막 창을 버렸습니다. 글의 끝에 남은 토큰도 셉니다."""
    full = window + (max(len(ids), window) - window) // max(stride, 1) * stride
    return _strided(model, ids[:full], window, stride)


@wrong("strided_nll", read="ev-stride")
def first_of_window_skipped(model, ids, window, stride):
    """창마다 새 토큰의 첫째를 빠뜨렸습니다. 한 칸 미는 일은 로짓과 정답 사이에서 한 번만 합니다."""
    return _strided(model, ids, window, stride, keep=lambda nll, new: nll[new + 1 if new else 0 :])


@wrong("strided_nll", read="ev-stride")
def first_window_too_short(model, ids, window, stride):
    """첫 창이 stride만큼뿐입니다. 창의 끝을 stride씩 옮기면 처음에는 앞말이 모자랍니다. 첫 창부터 window개를 읽히십시오."""
    if not 1 <= stride < window:
        raise ValueError("stride")
    found = []
    for end in range(stride, len(ids) + stride, stride):
        part = ids[max(end - window, 0) : end]
        nll = -model(part)[:-1].log_softmax(-1).gather(-1, part[1:, None])[:, 0]
        found.append(nll[max(len(nll) - (min(end, len(ids)) - (end - stride)), 0) :])
    return torch.cat(found)


@wrong("strided_nll", read="ev-stride")
def whole_last_window(model, ids, window, stride):
    """마지막 창을 앞으로 당겨 꽉 채웠습니다. 창은 stride의 배수에서만 시작하고 마지막 창은 짧을 수 있습니다."""
    found = _strided(model, ids, window, stride)
    rest = (len(ids) - window) % stride
    if len(ids) > window and rest:
        part = ids[-window:]
        last = -model(part)[:-1].log_softmax(-1).gather(-1, part[1:, None])[:, 0]
        found = torch.cat([found[:-rest], last[-rest:]])
    return found


@wrong("strided_nll", read="ev-stride", slip=True)
def token_by_token(model, ids, window, stride):
    """값은 맞지만 토큰마다 모델을 불렀습니다. 창마다 한 번만 부르십시오."""
    for t in range(1, len(ids)):
        model(ids[max(0, t - window + 1) : t])
    return _strided(model, ids, window, stride)


@wrong("strided_nll", read="ev-stride", slip=True)
def past_the_end(model, ids, window, stride):
    """글의 끝에 닿은 다음에도 창을 밀어 모델을 불렀습니다. 끝에 처음 닿은 창이 마지막입니다."""
    found = _strided(model, ids, window, stride)
    for start in range(0, len(ids), stride):
        if start + window >= len(ids):
            model(ids[start + stride :])
    return found


@wrong("strided_nll", read="ev-grading", slip=True)
def log_of_softmax(*args):
    """softmax를 취한 다음 로그를 취했습니다. 큰 로짓에서 확률이 0이 되어 무한대가 나옵니다. log_softmax를 쓰십시오."""
    return _strided(*args, log=lambda x: x.softmax(-1).log())


@wrong("strided_nll", read="ev-grading", slip=True)
def stride_as_long_as_the_window(model, ids, window, stride):
    """stride가 window와 같거나 커도 받아들였습니다. 창의 첫 토큰을 아무 창도 맞히지 않습니다. ValueError를 내십시오."""
    if stride < 1:
        raise ValueError("stride")
    return _strided(model, ids, window, min(stride, window - 1))


@wrong("strided_nll", read="ev-grading", slip=True)
def any_stride(model, ids, window, stride):
    """1보다 작은 stride를 받아들였습니다. ValueError를 내십시오."""
    return _strided(model, ids, window, max(stride, 1))


# choice_scores ----------------------------------------------------------------------------------------------


def _own(x, mask):
    return torch.where(mask, x, torch.zeros_like(x)).sum(dim=-1)


def _tokens(mask):
    return mask.sum(dim=-1).clamp(min=1)


@right_answer("choice_scores")
def _scores(
    log_probs, mask, how, byte_lengths=None, prior=None,
    *, ways=("sum", "token", "byte", "pmi"), own=_own, tokens=_tokens,
    per_byte=lambda total, sizes, mask: total / sizes.clamp(min=1),
    pmi=lambda total, before, mask: total - before,
    empty=lambda scores, mask: scores.masked_fill(~mask.any(-1), -math.inf), check=True,
):  # fmt: skip
    """The right scores, in parts that a mistake can replace."""
    missing = (how == "byte" and byte_lengths is None) or (how == "pmi" and prior is None)
    if check and (how not in ways or missing):
        raise ValueError(how)
    total = own(log_probs, mask)
    if how == "token":
        total = total / tokens(mask)
    elif how == "byte":
        total = per_byte(total, byte_lengths, mask)
    elif how == "pmi":
        total = pmi(total, own(prior, mask), mask)
    return empty(total, mask)


@wrong("choice_scores", read="ev-choices")
def filled_counted(*args):
    """채운 자리의 로그 확률까지 더했습니다. mask가 True인 토큰만 더하십시오."""
    return _scores(*args, own=lambda x, mask: x.sum(-1))


@wrong("choice_scores", read="ev-choices")
def mask_upside_down(log_probs, mask, *rest):
    """mask를 뒤집어 썼습니다. True인 것이 보기의 토큰입니다."""
    return _scores(log_probs, mask, *rest, own=lambda x, mask: _own(x, ~mask))


@wrong("choice_scores", read="ev-choices")
def divided_by_all_places(*args):
    """채운 자리까지 센 수로 나누었습니다. 보기의 토큰의 수로 나누십시오."""
    return _scores(*args, tokens=lambda mask: mask.shape[-1])


@wrong("choice_scores", read="ev-choices")
def divided_by_the_longest(*args):
    """가장 긴 보기의 토큰의 수로 나누었습니다. 보기마다 자기 수로 나누어야 순서가 달라집니다."""
    return _scores(*args, tokens=lambda mask: mask.sum(-1).amax(-1, keepdim=True))


@wrong("choice_scores", read="ev-choices")
def tokens_for_bytes(*args):
    """바이트 수 대신 토큰의 수로 나누었습니다. "byte"는 byte_lengths로 나눕니다."""
    return _scores(*args, per_byte=lambda total, sizes, mask: total / _tokens(mask))


@wrong("choice_scores", read="ev-choices")
def bytes_for_tokens(log_probs, mask, how, byte_lengths=None, prior=None):
    """ "token"에서 바이트 수로 나누었습니다. 토큰의 수로 나누십시오."""
    if how != "token" or byte_lengths is None:
        scores = _scores(log_probs, mask, how, byte_lengths, prior)
        return scores / 2 if how == "token" else scores
    return _scores(log_probs, mask, "byte", byte_lengths, prior)


@wrong("choice_scores", read="ev-choices")
def multiplied_by_length(*args):
    """길이로 나누지 않고 곱했습니다. 긴 보기가 더 불리해집니다."""
    return _scores(
        *args,
        tokens=lambda mask: 1 / _tokens(mask),
        per_byte=lambda total, sizes, mask: total * sizes.clamp(min=1),
    )


@wrong("choice_scores", read="ev-choices")
def prior_added(*args):
    """물음 없이 잰 로그 확률을 더했습니다. 물음이 보탠 것만 남기려면 빼야 합니다."""
    return _scores(*args, pmi=lambda total, before, mask: total + before)


@wrong("choice_scores", read="ev-choices")
def prior_divides(*args):
    """로그 확률을 로그 확률로 나누었습니다. 확률의 비는 로그에서 차입니다."""
    return _scores(*args, pmi=lambda total, before, mask: total / before)


@wrong("choice_scores", read="ev-choices")
def prior_turned(*args):
    """뺀 방향이 거꾸로입니다. 물음이 있을 때의 합에서 없을 때의 합을 뺍니다."""
    return _scores(*args, pmi=lambda total, before, mask: before - total)


@wrong("choice_scores", read="ev-choices")
def prior_of_padding(log_probs, mask, how, byte_lengths=None, prior=None):
    """물음 없이 잰 로그 확률은 채운 자리까지 더했습니다. 같은 mask를 쓰십시오."""
    scores = _scores(log_probs, mask, how, byte_lengths, prior)
    return scores - prior.masked_fill(mask, 0).sum(-1) if how == "pmi" else scores


@wrong("choice_scores", read="ev-choices")
def pmi_per_token(*args):
    """차를 토큰의 수로 다시 나누었습니다. "pmi"는 차 그대로입니다. 길이의 몫은 이미 빠졌습니다."""
    return _scores(*args, pmi=lambda total, before, mask: (total - before) / _tokens(mask))


@wrong("choice_scores", read="ev-choices")
def last_token_alone(log_probs, mask, *rest):
    """마지막 토큰의 로그 확률만 썼습니다. 보기 전체의 확률은 모든 토큰의 합입니다."""

    def own(x, mask):
        last = mask.int().cumsum(-1).argmax(-1, keepdim=True)
        return torch.where(mask.any(-1), x.gather(-1, last)[..., 0], 0)

    return _scores(log_probs, mask, *rest, own=own)


@wrong("choice_scores", read="ev-choices")
def probabilities_added(*args):
    """로그 확률을 확률로 바꾸어 더했습니다. 보기의 확률은 토큰의 확률의 곱이고, 로그에서 합입니다."""
    return _scores(*args, own=lambda x, mask: _own(x.exp(), mask))


@wrong("choice_scores", read="ev-choices")
def softmax_over_choices(*args):
    """보기에 걸쳐 정규화했습니다. 점수를 그대로 돌려줍니다. 순서는 같지만 값이 다릅니다."""
    return _scores(*args).log_softmax(dim=-1)


@wrong("choice_scores", read="ev-choices")
def answer_in_place_of_scores(*args):
    """가장 높은 보기의 번호를 돌려주었습니다. 점수를 돌려주십시오. 고르는 일은 부르는 쪽이 합니다."""
    return _scores(*args).argmax(dim=-1)


@wrong("choice_scores", read="ev-choices", slip=True)
def multiplied_by_the_mask(*args):
    """mask를 곱해 가렸습니다. 채운 자리의 NaN에 0을 곱하면 NaN입니다. masked_fill이나 where를 쓰십시오."""
    return _scores(*args, own=lambda x, mask: (x * mask).sum(-1))


@wrong("choice_scores", read="ev-choices", slip=True)
def empty_row_wins(*args):
    """토큰이 없는 줄의 점수가 0입니다. 로그 확률의 합은 음수이므로 채운 줄이 이깁니다. 음의 무한대로 두십시오."""
    return _scores(*args, empty=lambda scores, mask: scores)


@wrong("choice_scores", read="ev-choices", slip=True)
def empty_row_is_nan(*args):
    """토큰이 없는 줄의 점수가 NaN입니다. 0을 0으로 나누지 말고 음의 무한대로 두십시오."""
    return _scores(*args, empty=lambda scores, mask: scores.masked_fill(~mask.any(-1), math.nan))


@wrong("choice_scores", read="ev-grading", slip=True)
def any_way(log_probs, mask, how, byte_lengths=None, prior=None):
    """모르는 방법이나 빠진 것을 받아들였습니다. ValueError를 내십시오."""
    known = how == "token" or (how == "byte" and byte_lengths is not None) or (how == "pmi" and prior is not None)  # fmt: skip
    return _scores(log_probs, mask, how if known else "sum", byte_lengths, prior)


# paired_difference ------------------------------------------------------------------------------------------


@right_answer("paired_difference")
def _paired(
    a, b, groups=None,
    *, centre=lambda d: d - d.mean(), share=lambda G: G / (G - 1), square=lambda totals, n: totals.square().sum() / n**2,
    root=torch.sqrt, check=True, between=lambda a, b: a - b,
):  # fmt: skip
    """The right error, in parts that a mistake can replace."""
    if groups is None:
        groups = torch.arange(len(a), device=a.device)
    names, where = groups.unique(return_inverse=True)
    if check and (len(a) != len(b) or len(a) != len(groups) or len(names) < 2):
        raise ValueError("paired")
    d = between(a, b)
    totals = torch.zeros(len(names), dtype=d.dtype, device=d.device).index_add(0, where, centre(d))
    return d.mean(), root(share(len(names)) * square(totals, len(a)))


@wrong("paired_difference", read="ev-paired")
def unpaired(a, b, groups=None):
    """두 모델의 분산을 더했습니다. 같은 물음을 풀었으므로 먼저 물음마다 빼고 그 차의 분산을 구하십시오."""
    mean, _ = _paired(a, b, groups)
    return mean, ((a.var() + b.var()) / len(a)).sqrt()


@wrong("paired_difference", read="ev-paired")
def turned_around(*args):
    """방향이 거꾸로입니다. a에서 b를 뺍니다."""
    return _paired(*args, between=lambda a, b: b - a)


@wrong("paired_difference", read="ev-paired")
def absolute_differences(*args):
    """차의 절댓값을 평균했습니다. 부호가 있어야 누가 나은지 보입니다."""
    return _paired(*args, between=lambda a, b: (a - b).abs())


@wrong("paired_difference", read="ev-paired")
def deviation_for_error(a, b, groups=None):
    """표준오차가 아니라 차의 표준편차입니다. 평균의 오차는 물음이 많을수록 줄어듭니다. √n으로 나누십시오."""
    mean, error = _paired(a, b, groups)
    return mean, error * len(a) ** 0.5


@wrong("paired_difference", read="ev-paired")
def variance_of_the_mean(*args):
    """제곱근을 취하지 않았습니다. 표준오차는 분산의 제곱근입니다."""
    return _paired(*args, root=lambda x: x)


@wrong("paired_difference", read="ev-paired")
def not_centred(*args):
    """차의 평균을 빼지 않고 제곱했습니다. 평균에서 벗어난 것을 제곱하십시오."""
    return _paired(*args, centre=lambda d: d)


@wrong("paired_difference", read="ev-paired")
def half_width(*args):
    """신뢰구간의 절반 폭을 돌려주었습니다. 1.96을 곱하기 전의 표준오차입니다."""
    mean, error = _paired(*args)
    return mean, 1.96 * error


@wrong("paired_difference", read="ev-paired")
def as_if_of_one_proportion(a, b, groups=None):
    """√(p(1 - p) / n)을 썼습니다. 그것은 0과 1인 점수 하나의 식입니다. 차는 -1, 0, 1이고 실수일 수도 있습니다."""
    mean, _ = _paired(a, b, groups)
    p = a.mean()
    return mean, (p * (1 - p) / len(a)).abs().sqrt()


@wrong("paired_difference", read="ev-clusters")
def passages_ignored(a, b, groups=None):
    """지문을 무시했습니다. 같은 지문의 물음은 독립이 아니므로 지문마다 먼저 더한 다음 제곱합니다."""
    if groups is not None:
        _paired(a, b, groups)
    return _paired(a, b)


@wrong("paired_difference", read="ev-clusters")
def squared_before_added(a, b, groups=None):
    """지문 안에서 먼저 제곱한 다음 더했습니다. 그러면 함께 어긋난 것이 보이지 않습니다. 더한 다음 제곱하십시오."""
    if groups is None:
        return _paired(a, b)
    mean, _ = _paired(a, b, groups)
    G = len(groups.unique())
    return mean, (G / (G - 1) * (a - b - mean).square().sum()).sqrt() / len(a)


@wrong("paired_difference", read="ev-clusters")
def passages_averaged(a, b, groups=None):
    """지문마다 평균을 구해 지문을 하나씩 셌습니다. 지문의 크기가 다르면 물음이 적은 지문이 너무 무거워집니다."""
    if groups is None:
        return _paired(a, b)
    _paired(a, b, groups)
    means = torch.stack([(a - b)[groups == name].mean() for name in groups.unique()])
    return means.mean(), means.std() / len(means) ** 0.5


@wrong("paired_difference", read="ev-clusters")
def error_of_passage_means(a, b, groups=None):
    """표준오차를 지문마다의 평균에서 구했습니다. 물음이 하나인 지문도 여럿인 지문만큼 세게 됩니다. 지문마다 어긋난 것을 더하십시오."""
    mean, error = _paired(a, b, groups)
    return mean, error if groups is None else passages_averaged(a, b, groups)[1]


@wrong("paired_difference", read="ev-clusters")
def divided_by_passages(a, b, groups=None):
    """지문의 수로 나누었습니다. 평균은 물음에 걸친 것이므로 물음의 수 n으로 나눕니다."""
    mean, error = _paired(a, b, groups)
    return mean, error if groups is None else error * len(a) / len(groups.unique())


@wrong("paired_difference", read="ev-clusters")
def passages_in_a_row(a, b, groups=None):
    """같은 지문의 물음이 이어져 있다고 보았습니다. 흩어져 있어도 번호가 같으면 한 지문입니다."""
    if groups is None:
        return _paired(a, b)
    _paired(a, b, groups)
    return _paired(a, b, groups.unique_consecutive(return_inverse=True)[1])


@wrong("paired_difference", read="ev-paired")
def divided_by_n(*args):
    """G / (G - 1)을 빠뜨렸습니다. 지문이 없으면 분산을 n - 1이 아니라 n으로 나눈 것입니다."""
    return _paired(*args, share=lambda G: 1)


@wrong("paired_difference", read="ev-clusters")
def corrected_by_questions(a, b, groups=None):
    """지문이 있는데 n / (n - 1)로 고쳤습니다. 독립인 것은 지문이므로 G / (G - 1)입니다."""
    n = len(a)
    return _paired(a, b, groups, share=lambda G: n / (n - 1))


@wrong("paired_difference", read="ev-grading", slip=True)
def any_pairs(a, b, groups=None):
    """길이가 다르거나 지문이 하나뿐인 것을 받아들였습니다. ValueError를 내십시오."""
    n = min(len(a), len(b), len(a) if groups is None else len(groups))
    given = a[:n], b[:n], None if groups is None else groups[:n]
    return _paired(*given, share=lambda G: G / max(G - 1, 1), check=False)


@wrong("paired_difference", read="ev-grading", slip=True)
def numbered_on_the_cpu(a, b, groups=None):
    """지문이 없을 때 물음의 번호를 CPU에 만들었습니다. 입력이 GPU에 있으면 멈춥니다. 만들 때 입력의 장치를 따르십시오(device)."""
    return _paired(a, b, torch.arange(len(a)) if groups is None else groups)


# judge_fairly -----------------------------------------------------------------------------------------------


def _both(judge, x, y):
    return (judge(x, y) + 1 - judge(y, x)) / 2


def _line(p, x):
    mean, centre = sum(p) / len(p), sum(x) / len(x)
    slope = sum((one - centre) * (other - mean) for one, other in zip(x, p, strict=True))
    return mean, slope / sum((one - centre) ** 2 for one in x), centre


@right_answer("judge_fairly")
def _fair(
    judge, a, b,
    *, prefer=_both, longer=lambda x, y: len(x) - len(y), at=lambda mean, slope, centre: mean - slope * centre,
    first=lambda p, mean: mean, check=lambda a, b, x: len(a) != len(b) or len(set(x)) < 2,
):  # fmt: skip
    """The right verdict, in parts that a mistake can replace."""
    if len(a) != len(b):
        raise ValueError("answers")
    x = [longer(one, other) for one, other in zip(a, b, strict=True)]
    if check(a, b, x):
        raise ValueError("pairs")
    p = [prefer(judge, one, other) for one, other in zip(a, b, strict=True)]
    mean, slope, centre = _line(p, x)
    return first(p, mean), at(mean, slope, centre)


@wrong("judge_fairly", read="ev-judges")
def one_order(*args):
    """한 차례로만 물었습니다. 먼저 읽은 글을 좋아하는 버릇이 그대로 남습니다. 자리를 바꾸어 한 번 더 물으십시오."""
    return _fair(*args, prefer=lambda judge, x, y: judge(x, y))


@wrong("judge_fairly", read="ev-judges")
def second_order_not_turned(*args):
    """자리를 바꾼 답을 뒤집지 않고 더했습니다. judge(b, a)는 b가 나을 확률이므로 1에서 빼야 a의 것입니다."""
    return _fair(*args, prefer=lambda judge, x, y: (judge(x, y) + judge(y, x)) / 2)


@wrong("judge_fairly", read="ev-judges")
def preferred_the_other(*args):
    """b의 승률입니다. a[i]가 나을 확률을 평균하십시오."""
    return _fair(*args, prefer=lambda judge, x, y: 1 - _both(judge, x, y))


@wrong("judge_fairly", read="ev-judges")
def summed_not_averaged(*args):
    """두 차례의 값을 더하기만 했습니다. 둘의 평균이어야 0과 1 사이입니다."""
    return _fair(*args, prefer=lambda judge, x, y: 2 * _both(judge, x, y))


@wrong("judge_fairly", read="ev-judges")
def verdicts_rounded(*args):
    """쌍마다 이긴 쪽만 세었습니다. 확률을 반올림하지 말고 그대로 평균하십시오."""
    return _fair(*args, prefer=lambda judge, x, y: float(_both(judge, x, y) > 0.5))


@wrong("judge_fairly", read="ev-judges")
def votes_of_both_orders(*args):
    """차례마다 이긴 쪽만 세었습니다. 두 차례에 모두 이겨야 1이고 갈리면 무승부인 방법이지만, 여기서는 확률을 그대로 평균합니다."""
    return _fair(*args, prefer=lambda judge, x, y: ((judge(x, y) > 0.5) + (judge(y, x) < 0.5)) / 2)


@wrong("judge_fairly", read="ev-judges")
def only_where_they_agree(*args):
    """두 차례의 답이 갈린 쌍을 무승부로 두었습니다. 그것도 쓰는 방법이지만 여기서는 확률의 평균입니다."""

    def prefer(judge, x, y):
        one, other = judge(x, y), 1 - judge(y, x)
        return (one + other) / 2 if (one > 0.5) == (other > 0.5) else 0.5

    return _fair(*args, prefer=prefer)


@wrong("judge_fairly", read="ev-judges")
def multiplied_orders(*args):
    """두 차례의 확률을 곱했습니다. 평균을 구하십시오."""
    return _fair(*args, prefer=lambda judge, x, y: judge(x, y) * (1 - judge(y, x)))


@wrong("judge_fairly", read="ev-length")
def slope_in_place_of_height(*args):
    """기울기를 돌려주었습니다. 길이의 차가 0일 때의 높이를 돌려줍니다."""
    return _fair(*args, at=lambda mean, slope, centre: slope)


@wrong("judge_fairly", read="ev-length")
def length_not_taken_out(*args):
    """길이를 빼지 않았습니다. 두 수가 같습니다. 직선을 긋고 길이의 차가 0인 곳에서 읽으십시오."""
    return _fair(*args, at=lambda mean, slope, centre: mean)


@wrong("judge_fairly", read="ev-length")
def slope_added(*args):
    """부호가 반대입니다. 길이의 차의 평균만큼 내려와야 0에서의 높이입니다."""
    return _fair(*args, at=lambda mean, slope, centre: mean + slope * centre)


@wrong("judge_fairly", read="ev-length")
def through_a_half(judge, a, b):
    """직선을 0.5를 지나게 그었습니다. 길이가 같을 때의 승률은 모르는 값이므로 높이도 함께 구합니다."""
    mean, _ = _fair(judge, a, b)
    x = [len(one) - len(other) for one, other in zip(a, b, strict=True)]
    p = [_both(judge, one, other) for one, other in zip(a, b, strict=True)]
    slope = sum(one * (other - 0.5) for one, other in zip(x, p, strict=True)) / sum(one * one for one in x)
    return mean, mean - slope * sum(x) / len(x)


@wrong("judge_fairly", read="ev-length")
def slope_without_centring(judge, a, b):
    """기울기를 평균을 빼지 않고 구했습니다. 원점을 지나는 직선이 됩니다. 길이의 차와 승률에서 저마다의 평균을 먼저 빼십시오."""
    mean, _ = _fair(judge, a, b)
    x = [len(one) - len(other) for one, other in zip(a, b, strict=True)]
    p = [_both(judge, one, other) for one, other in zip(a, b, strict=True)]
    slope = sum(one * other for one, other in zip(x, p, strict=True)) / sum(one * one for one in x)
    return mean, mean - slope * sum(x) / len(x)


@wrong("judge_fairly", read="ev-length")
def length_of_a_alone(*args):
    """a의 길이만 보았습니다. 심판이 비교하는 것은 두 글이므로 길이의 차를 씁니다."""

    def check(a, b, x):
        return len({len(one) - len(other) for one, other in zip(a, b, strict=True)}) < 2

    return _fair(*args, longer=lambda x, y: len(x), check=check)


@wrong("judge_fairly", read="ev-length")
def only_equal_lengths(judge, a, b):
    """길이가 같은 쌍만 남겨 평균했습니다. 그런 쌍이 적거나 없을 수 있습니다. 직선으로 모든 쌍을 쓰십시오."""
    mean, _ = _fair(judge, a, b)
    even = [_both(judge, x, y) for x, y in zip(a, b, strict=True) if len(x) == len(y)]
    return mean, sum(even) / len(even) if even else mean


@wrong("judge_fairly", read="ev-length")
def other_difference(*args):
    """길이의 차를 절댓값으로 썼습니다. 어느 쪽이 긴지가 중요합니다."""
    return _fair(*args, longer=lambda x, y: abs(len(x) - len(y)))


@wrong("judge_fairly", read="ev-length", slip=True)
def length_in_bytes(*args):
    """글자 대신 바이트를 셌습니다. 여기서는 글자의 수입니다."""
    return _fair(*args, longer=lambda x, y: len(x.encode()) - len(y.encode()))


@wrong("judge_fairly", read="ev-length")
def length_in_words(*args):
    """글자 대신 낱말을 셌습니다. 여기서는 글자의 수입니다."""
    return _fair(*args, longer=lambda x, y: len(x.split()) - len(y.split()))


@wrong("judge_fairly", read="ev-grading", slip=True)
def asked_more_often(judge, a, b):
    """심판을 필요한 것보다 자주 불렀습니다. 쌍마다 두 번이면 됩니다. 심판은 비쌉니다."""
    _fair(judge, a, b)
    return _fair(judge, a, b)


@wrong("judge_fairly", read="ev-grading", slip=True)
def any_answers(judge, a, b):
    """비었거나 수가 다르거나 길이의 차가 모두 같은 것을 받아들였습니다. ValueError를 내십시오."""
    n = min(len(a), len(b))
    a, b = a[:n], b[:n]
    x = [len(one) - len(other) for one, other in zip(a, b, strict=True)]
    if len(set(x)) < 2:
        return (0.5, 0.5) if not a else (sum(_both(judge, p, q) for p, q in zip(a, b, strict=True)) / n,) * 2
    return _fair(judge, a, b)
