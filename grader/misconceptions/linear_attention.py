"""Wrong answers that people give to the exercise `linear_attention`."""

import math

import torch

from grader.judging.mistakes import right_answer, wrong


def _start(key, value, state):
    return value.new_zeros(*key.shape[:-2], key.shape[-1], value.shape[-1]) if state is None else state


def _forget(state, g):
    return g.exp() * state


# recurrent_linear_attention -----------------------------------------------------------------------------------


def _write(state, k, v):
    return state + k.mT * v


@right_answer("recurrent_linear_attention")
def _recurrent(
    query, key, value, log_decay, state=None, *, forget=_forget, write=_write, read=lambda q, before, after: q @ after
):  # fmt: skip
    """The right recurrence, in parts that a mistake can replace."""
    state, outputs = _start(key, value, state), []
    for t in range(key.shape[-2]):
        q, k, v = (x[..., t, None, :] for x in (query, key, value))
        kept = forget(state, log_decay[..., t, None, None])
        state = write(kept, k, v)
        outputs.append(read(q, kept, state)[..., 0, :])
    return torch.stack(outputs, dim=-2), state


@wrong("recurrent_linear_attention", read="la-order")
def read_before_writing(*args):
    """적기 전에 읽었습니다. 자기 자신이 보이지 않습니다. 잊고, 적고, 그다음에 읽으십시오."""
    return _recurrent(*args, read=lambda q, before, after: q @ before)


@wrong("recurrent_linear_attention", read="la-decay")
def decays_added_up(query, key, value, log_decay, state=None):
    """걸음마다 지금까지의 것을 모두 더한 만큼 잊었습니다. 앞의 걸음에서 이미 잊었으므로, 걸음 t에서는 g_t만큼만 잊습니다."""
    return _recurrent(query, key, value, log_decay.cumsum(-1), state)


@wrong("recurrent_linear_attention", read="la-state")
def tokens_first(*args):
    """출력의 첫 축이 토큰입니다. 토큰마다의 출력을 맨 앞에 쌓았습니다. `torch.stack(outputs, dim=-2)`로 쌓으십시오."""
    output, state = _recurrent(*args)
    return torch.stack(output.unbind(-2)), state


@wrong("recurrent_linear_attention", read="la-order")
def forgot_after_writing(query, key, value, log_decay, state=None):
    """적은 다음에 잊었습니다. 방금 적은 것까지 흐려집니다. 앞의 상태만 잊고 나서 적으십시오."""
    return _recurrent(query, key, value * log_decay.exp()[..., None], log_decay, state)


@wrong("recurrent_linear_attention", read="la-decay")
def nothing_forgotten(*args):
    """잊지 않았습니다. 앞의 상태에 log_decay의 exp를 곱하십시오."""
    return _recurrent(*args, forget=lambda state, g: state)


@wrong("recurrent_linear_attention", read="la-decay")
def logarithm_as_factor(*args):
    """log_decay를 그대로 곱했습니다. 로그이므로 exp를 취해 곱하십시오."""
    return _recurrent(*args, forget=lambda state, g: g * state)


@wrong("recurrent_linear_attention", read="la-decay")
def grew_instead(*args):
    """부호가 반대라서 상태가 점점 커집니다. log_decay는 0이거나 음수이고, 그 exp를 그대로 곱합니다."""
    return _recurrent(*args, forget=lambda state, g: (-g).exp() * state)


@wrong("recurrent_linear_attention", read="la-decay")
def share_forgotten(*args):
    """1에서 exp를 뺀 것을 곱했습니다. exp(log_decay)는 잊는 비율이 아니라 남는 비율입니다."""
    return _recurrent(*args, forget=lambda state, g: (1 - g.exp()) * state)


@wrong("recurrent_linear_attention", read="la-decay")
def first_decay_for_all(query, key, value, log_decay, state=None):
    """모든 토큰에 첫 토큰의 log_decay를 썼습니다. 잊는 정도는 토큰마다 다릅니다."""
    return _recurrent(query, key, value, log_decay[..., :1].expand_as(log_decay), state)


@wrong("recurrent_linear_attention", read="la-state")
def written_over_everything(*args):
    """앞의 상태를 버리고 새 것만 남겼습니다. 앞의 상태에 더하십시오."""
    return _recurrent(*args, write=lambda state, k, v: 0 * state + k.mT * v)


@wrong("recurrent_linear_attention", read="la-state")
def averaged_in(*args):
    """새로 적는 것에 1 - exp(log_decay)를 곱했습니다. 이동 평균이 아니라 합입니다."""
    query, key, value, log_decay, *state = args
    return _recurrent(query, key, value * (1 - log_decay.exp())[..., None], log_decay, *state)


@wrong("recurrent_linear_attention", read="la-state")
def divided_by_the_root(query, *args):
    """d_k의 제곱근으로 나누었습니다. 여기서는 부르는 쪽이 나눕니다."""
    return _recurrent(query / math.sqrt(query.shape[-1]), *args)


@wrong("recurrent_linear_attention", read="la-state")
def divided_by_the_sum(query, key, value, log_decay, state=None):
    """점수의 합으로 나누었습니다. 이 연습의 상태는 합을 따로 두지 않고 나누지도 않습니다."""
    output, state = _recurrent(query, key, value, log_decay, state)
    total, _ = _recurrent(query, key, torch.ones_like(value[..., :1]), log_decay)
    return output / total, state


@wrong("recurrent_linear_attention", read="la-future")
def all_read_the_end(query, *args):
    """모든 토큰이 마지막 상태를 읽었습니다. 뒤의 토큰이 적은 것까지 보입니다. 토큰마다 그때의 상태를 읽으십시오."""
    _, state = _recurrent(query, *args)
    return query @ state, state


@wrong("recurrent_linear_attention", read="la-state")
def state_turned(*args):
    """상태의 축이 뒤바뀌었습니다. (..., d_k, d_v)입니다."""
    output, state = _recurrent(*args)
    return output, state.mT


@wrong("recurrent_linear_attention", read="la-state")
def read_with_the_key(query, key, *args):
    """키로 읽었습니다. 키로 적고 질의로 읽습니다."""
    return _recurrent(key, key, *args)


@wrong("recurrent_linear_attention", read="la-state", slip=True)
def started_from_nothing(query, key, value, log_decay, state=None):
    """받은 상태를 쓰지 않고 0에서 시작했습니다. state를 주면 거기에서 시작합니다."""
    zeros = None if state is None else 0 * state
    return _recurrent(query, key, value, log_decay, zeros)


@wrong("recurrent_linear_attention", read="la-grading", slip=True)
def given_state_changed(query, key, value, log_decay, state=None):
    """받은 상태를 제자리에서 바꾸었습니다. 이어 부르는 쪽이 앞의 상태를 잃습니다. *=와 +=를 쓰지 마십시오."""
    found = _recurrent(query, key, value, log_decay, state)
    if state is not None:
        state *= 0.5
    return found


# chunked_linear_attention -------------------------------------------------------------------------------------


def _parts(chunk, *tensors):
    if chunk < 1:
        raise ValueError("chunk")
    return zip(*(x.split(chunk, dim=-2) for x in tensors), strict=True)


def _between(total):
    """What is left at i of what was written at j; total is (..., c, 1)."""
    since = total - total.mT
    return since.masked_fill(torch.ones_like(since, dtype=torch.bool).triu(1), -math.inf).exp()


@right_answer("chunked_linear_attention")
def _chunked(
    query, key, value, log_decay, chunk, state=None,
    *, between=_between, cumulate=lambda g: g.cumsum(dim=-2), to_start=torch.exp,
    to_end=lambda total: (total[..., -1:, :] - total).exp(), over=lambda total: total[..., -1:, :].exp(),
    carry=lambda old, new: old + new, late=False,
):  # fmt: skip
    """The right chunks, in parts that a mistake can replace."""
    state, outputs = _start(key, value, state), []
    for q, k, v, g in _parts(chunk, query, key, value, log_decay[..., None]):
        total = cumulate(g)
        after = carry(over(total) * state, (to_end(total) * k).mT @ v)
        outputs.append((q @ k.mT * between(total)) @ v + to_start(total) * (q @ (after if late else state)))
        state = after
    return torch.cat(outputs, dim=-2), state


@wrong("chunked_linear_attention", read="la-chunks")
def boundary_forgotten(query, key, value, log_decay, chunk, state=None):
    """조각마다 빈 상태에서 시작했습니다. 앞 조각이 적은 것이 사라집니다. 나갈 때의 상태를 다음 조각에 넘기십시오."""
    return _chunked(query, key, value, log_decay, chunk, state, carry=lambda old, new: new)


@wrong("chunked_linear_attention", read="la-chunks")
def state_read_whole(*args):
    """조각에 들어올 때의 상태를 잊지 않고 읽었습니다. 위치 i에서는 exp(G_i)만큼만 남아 있습니다."""
    return _chunked(*args, to_start=torch.ones_like)


@wrong("chunked_linear_attention", read="la-chunks")
def state_read_with_one_decay(*args):
    """조각의 모든 질의가 상태를 조각 끝까지 잊은 만큼으로 읽습니다. 위치 i까지 잊은 것은 exp(G_i)입니다."""
    return _chunked(*args, to_start=lambda total: total[..., -1:, :].exp().expand_as(total))


@wrong("chunked_linear_attention", read="la-chunks")
def state_carried_whole(*args):
    """조각을 지나는 동안 앞의 상태를 잊지 않았습니다. 나갈 때는 조각 전체의 exp(G)만큼 남습니다."""
    return _chunked(*args, over=lambda total: torch.ones_like(total[..., -1:, :]))


@wrong("chunked_linear_attention", read="la-chunks")
def written_without_decay(*args):
    """조각 안에서 적은 것을 조각의 끝까지 잊지 않고 넘겼습니다. 위치 j의 것은 끝까지 exp(G_c - G_j)만큼 남습니다."""
    return _chunked(*args, to_end=torch.ones_like)


@wrong("chunked_linear_attention", read="la-chunks")
def decayed_from_the_start(*args):
    """넘길 키에 exp(G_j)를 곱했습니다. 그것은 조각의 처음부터 j까지입니다. j부터 끝까지는 exp(G_c - G_j)입니다."""
    return _chunked(*args, to_end=torch.exp)


@wrong("chunked_linear_attention", read="la-chunks")
def nothing_forgotten_within(*args):
    """조각 안의 점수에 잊은 것을 곱하지 않았습니다. 위치 j에서 i까지 exp(G_i - G_j)만큼 남습니다."""
    return _chunked(*args, between=lambda total: torch.ones_like(total - total.mT).tril())


@wrong("chunked_linear_attention", read="la-chunks")
def within_from_the_start(*args):
    """조각 안의 점수에 exp(G_i)를 곱했습니다. j에서 i까지만 잊으므로 exp(G_i - G_j)입니다."""
    return _chunked(*args, between=lambda total: (total + 0 * total.mT).exp().tril())


@wrong("chunked_linear_attention", read="la-chunks")
def one_step_too_many(*args):
    """적은 것을 한 걸음 더 잊었습니다. 방금 적은 것은 아직 잊지 않았으므로 j = i에서는 1입니다."""
    query, key, value, log_decay, *rest = args
    return _chunked(query, key, value * log_decay.exp()[..., None], log_decay, *rest)


@wrong("chunked_linear_attention", read="la-future")
def future_within(*args):
    """조각 안에서 뒤의 토큰까지 보았습니다. j ≤ i만 남기십시오."""
    return _chunked(*args, between=lambda total: (-(total - total.mT).abs()).exp())


@wrong("chunked_linear_attention", read="la-future")
def itself_hidden(*args):
    """조각 안에서 자기 자신을 가렸습니다. 적은 다음에 읽으므로 j = i도 보입니다."""
    return _chunked(*args, between=lambda total: _between(total).tril(-1))


@wrong("chunked_linear_attention", read="la-order")
def read_after_the_chunk(*args):
    """조각이 적은 것을 더한 상태를 읽었습니다. 조각 안의 것이 두 번 들어가고 뒤의 것도 보입니다. 들어올 때의 상태를 읽으십시오."""
    return _chunked(*args, late=True)


@wrong("chunked_linear_attention", read="la-chunks")
def not_cumulated(*args):
    """토큰 하나의 log_decay만 썼습니다. 그 사이의 것을 모두 더해야 합니다(cumsum)."""
    return _chunked(*args, cumulate=lambda g: g)


@wrong("chunked_linear_attention", read="la-chunks")
def cumulated_from_the_first(query, key, value, log_decay, chunk, state=None):
    """잊은 것을 글의 처음부터 쌓아 상태에 곱했습니다. 상태는 앞 조각의 끝에서 왔으므로 조각의 처음부터 쌓으십시오."""
    state, outputs = _start(key, value, state), []
    for q, k, v, total in _parts(chunk, query, key, value, log_decay.cumsum(dim=-1)[..., None]):
        outputs.append((q @ k.mT * _between(total)) @ v + total.exp() * (q @ state))
        state = total[..., -1:, :].exp() * state + ((total[..., -1:, :] - total).exp() * k).mT @ v
    return torch.cat(outputs, dim=-2), state


@wrong("chunked_linear_attention", read="la-edges")
def short_chunk_dropped(query, key, value, log_decay, chunk, state=None):
    """짧은 마지막 조각을 버렸습니다. n이 chunk로 나누어떨어지지 않아도 모두 계산합니다."""
    n = max(key.shape[-2] // chunk * chunk, 1) if chunk > 0 else 1
    parts = (x[..., :n, :] for x in (query, key, value))
    return _chunked(*parts, log_decay[..., :n], chunk, state)


@wrong("chunked_linear_attention", read="la-state", slip=True)
def chunks_from_nothing(query, key, value, log_decay, chunk, state=None):
    """받은 상태를 쓰지 않고 0에서 시작했습니다. state를 주면 첫 조각이 거기에서 시작합니다."""
    return _chunked(query, key, value, log_decay, chunk, None if state is None else 0 * state)


@wrong("chunked_linear_attention", read="la-chunks", slip=True)
def token_by_token(query, key, value, log_decay, chunk, state=None):
    """값은 맞지만 토큰마다 한 걸음씩 돌았습니다. 조각 안은 행렬 곱으로 한꺼번에 계산하십시오."""
    list(_parts(chunk, key))
    return _recurrent(query, key, value, log_decay, state)


@wrong("chunked_linear_attention", read="la-chunks", slip=True)
def whole_square(query, key, value, log_decay, chunk, state=None):
    """값은 맞지만 n × n인 점수를 만들었습니다. 조각 안의 점수만 만들고 나머지는 상태로 읽으십시오."""
    list(_parts(chunk, key))
    return _chunked(query, key, value, log_decay, key.shape[-2], state)


@wrong("chunked_linear_attention", read="la-edges", slip=True)
def divided_apart(*args):
    """질의에 exp(G), 키에 exp(-G)를 곱했습니다. 세게 잊으면 exp(-G)가 넘칩니다. 차를 먼저 구한 다음 exp를 취하십시오."""
    return _chunked(*args, between=lambda total: (total.exp() * (-total).exp().mT).tril())


@wrong("chunked_linear_attention", read="la-edges", slip=True)
def masked_after_exp(*args):
    """exp를 취한 다음에 0을 곱해 가렸습니다. 미래의 차는 양수라서 exp가 넘치고, 무한대에 0을 곱하면 NaN입니다. 먼저 가리십시오."""

    def between(total):
        since = (total - total.mT).exp()
        return since * torch.ones_like(since).tril()

    return _chunked(*args, between=between)


@wrong("chunked_linear_attention", read="la-edges", slip=True)
def cut_after_exp(*args):
    """exp를 취한 다음에 미래를 잘랐습니다(`tril`). 값은 맞지만, 잘린 곳에서 exp가 넘치면 기울기가 NaN입니다. 먼저 가리고 exp를 취하십시오."""
    return _chunked(*args, between=lambda total: (total - total.mT).exp().tril())


@wrong("chunked_linear_attention", read="la-edges", slip=True)
def future_where_nothing_is_forgotten(*args):
    """차가 양수인 곳만 지워 미래를 가렸습니다. 잊기가 0이면 미래의 차도 0이라 보입니다. 위치로 가리십시오(tril)."""

    def between(total):
        since = total - total.mT
        return torch.where(since <= 0, since, -math.inf).exp()

    return _chunked(*args, between=between)


@wrong("chunked_linear_attention", read="la-grading", slip=True)
def any_chunk(query, key, value, log_decay, chunk, state=None):
    """1보다 작은 chunk를 받아들였습니다. ValueError를 내십시오."""
    return _chunked(query, key, value, log_decay, max(chunk, 1), state)


# gated_delta_rule ---------------------------------------------------------------------------------------------


def _missing(k, v, kept, before):
    return v - k @ kept


@right_answer("gated_delta_rule")
def _corrected(
    query, key, value, beta, log_decay, state=None,
    *, forget=_forget, missing=_missing, write=lambda kept, k, b, new: kept + b * k.mT * new,
    read=lambda q, kept, after: q @ after,
):  # fmt: skip
    """The right rule, in parts that a mistake can replace."""
    state, outputs = _start(key, value, state), []
    for t in range(key.shape[-2]):
        q, k, v = (x[..., t, None, :] for x in (query, key, value))
        b, g = (x[..., t, None, None] for x in (beta, log_decay))
        kept = forget(state, g)
        state = write(kept, k, b, missing(k, v, kept, state))
        outputs.append(read(q, kept, state)[..., 0, :])
    return torch.stack(outputs, dim=-2), state


@wrong("gated_delta_rule", read="la-delta")
def only_added(*args):
    """읽어 본 것을 빼지 않고 값을 그대로 더했습니다. 같은 키에 두 번 적으면 두 값이 섞입니다. 모자란 것만 적으십시오."""
    return _corrected(*args, missing=lambda k, v, kept, before: v)


@wrong("gated_delta_rule", read="la-gated")
def looked_up_before_forgetting(*args):
    """잊기 전의 상태를 읽어 보았습니다. 그러면 이미 잊은 것까지 뺍니다. 잊은 다음에 읽어 보십시오."""
    return _corrected(*args, missing=lambda k, v, kept, before: v - k @ before)


@wrong("gated_delta_rule", read="la-gated")
def decay_after_the_write(*args):
    """고쳐 적은 다음에 잊었습니다. 방금 적은 것까지 흐려집니다. 잊기가 먼저입니다."""
    query, key, value, beta, log_decay, *rest = args
    state, outputs = _start(key, value, *(rest or [None])), []
    for t in range(key.shape[-2]):
        q, k, v = (x[..., t, None, :] for x in (query, key, value))
        b, g = (x[..., t, None, None] for x in (beta, log_decay))
        state = g.exp() * (state + b * k.mT * (v - k @ state))
        outputs.append((q @ state)[..., 0, :])
    return torch.stack(outputs, dim=-2), state


@wrong("gated_delta_rule", read="la-gated")
def without_the_gate(*args):
    """잊지 않았습니다. 앞의 상태에 log_decay의 exp를 곱한 다음 고쳐 적으십시오."""
    return _corrected(*args, forget=lambda state, g: state)


@wrong("gated_delta_rule", read="la-gated")
def gate_upside_down(*args):
    """부호가 반대라서 상태가 점점 커집니다. exp(log_decay)를 그대로 곱하십시오."""
    return _corrected(*args, forget=lambda state, g: (-g).exp() * state)


@wrong("gated_delta_rule", read="la-delta")
def without_beta(*args):
    """beta를 곱하지 않았습니다. 모자란 것의 beta배만 적습니다."""
    return _corrected(*args, write=lambda kept, k, b, new: kept + k.mT * new)


@wrong("gated_delta_rule", read="la-delta")
def beta_on_the_value(query, key, value, beta, *rest):
    """beta를 값에만 곱했습니다. 읽어 본 것에도 곱해야 모자란 것의 beta배입니다."""
    return _corrected(query, key, beta[..., None] * value, torch.ones_like(beta), *rest)


@wrong("gated_delta_rule", read="la-delta")
def beta_on_the_found(query, key, value, beta, *rest):
    """beta를 읽어 본 것에만 곱했습니다. 값에도 곱하십시오."""
    return _corrected(query, key, value / beta[..., None], beta, *rest)


@wrong("gated_delta_rule", read="la-delta")
def beta_twice(query, key, value, beta, *rest):
    """beta를 두 번 곱했습니다. 모자란 것에 한 번만 곱합니다."""
    return _corrected(query, key, value, beta.square(), *rest)


@wrong("gated_delta_rule", read="la-delta")
def found_added(*args):
    """읽어 본 것을 빼지 않고 더했습니다. 같은 키에 적을 때마다 커집니다."""
    return _corrected(*args, missing=lambda k, v, kept, before: v + k @ kept)


@wrong("gated_delta_rule", read="la-delta")
def correction_turned_round(*args):
    """모자란 것의 부호가 반대입니다. 값에서 읽어 본 것을 뺍니다."""
    return _corrected(*args, missing=lambda k, v, kept, before: k @ kept - v)


@wrong("gated_delta_rule", read="la-delta")
def looked_up_with_the_query(query, key, value, beta, log_decay, state=None):
    """질의로 읽어 보았습니다. 적을 자리는 키가 정하므로 키로 읽어 보십시오."""
    state, outputs = _start(key, value, state), []
    for t in range(key.shape[-2]):
        q, k, v = (x[..., t, None, :] for x in (query, key, value))
        b, g = (x[..., t, None, None] for x in (beta, log_decay))
        state = g.exp() * state
        state = state + b * k.mT * (v - q @ state)
        outputs.append((q @ state)[..., 0, :])
    return torch.stack(outputs, dim=-2), state


@wrong("gated_delta_rule", read="la-delta")
def everything_faded(*args):
    """상태 전체를 1 - beta배로 줄이고 적었습니다. 그 키에 적힌 것만 고치고 다른 키의 것은 그대로 둡니다."""
    return _corrected(
        *args,
        missing=lambda k, v, kept, before: v,
        write=lambda kept, k, b, new: (1 - b) * kept + b * k.mT * new,
    )


@wrong("gated_delta_rule", read="la-delta")
def keys_made_unit(query, key, *rest):
    """키의 크기를 1로 맞추었습니다. 그것은 부르는 쪽의 일입니다."""
    return _corrected(query, torch.nn.functional.normalize(key, dim=-1), *rest)


@wrong("gated_delta_rule", read="la-delta")
def both_made_unit(query, key, *rest):
    """질의와 키의 크기를 1로 맞추었습니다. 크기를 맞추는 것은 부르는 쪽의 일입니다."""
    return _corrected(*(torch.nn.functional.normalize(x, dim=-1) for x in (query, key)), *rest)


@wrong("gated_delta_rule", read="la-delta")
def query_over_the_root(query, *rest):
    """질의를 차원의 제곱근으로 나누었습니다. 소프트맥스가 없으므로 나누지 않습니다."""
    return _corrected(query / query.shape[-1] ** 0.5, *rest)


@wrong("gated_delta_rule", read="la-order")
def read_before_correcting(*args):
    """고쳐 적기 전에 읽었습니다. 방금 적은 것이 보이지 않습니다. 적은 다음에 읽으십시오."""
    return _corrected(*args, read=lambda q, kept, after: q @ kept)


@wrong("gated_delta_rule", read="la-state", slip=True)
def corrected_from_nothing(query, key, value, beta, log_decay, state=None):
    """받은 상태를 쓰지 않고 0에서 시작했습니다. state를 주면 거기에서 시작합니다."""
    return _corrected(query, key, value, beta, log_decay, None if state is None else 0 * state)


@wrong("gated_delta_rule", read="la-grading", slip=True)
def corrected_in_place(query, key, value, beta, log_decay, state=None):
    """받은 상태를 제자리에서 바꾸었습니다. 이어 부르는 쪽이 앞의 상태를 잃습니다. *=와 +=를 쓰지 마십시오."""
    found = _corrected(query, key, value, beta, log_decay, state)
    if state is not None:
        state *= 0.5
    return found


# chunked_delta_rule -------------------------------------------------------------------------------------------


def _solved(system, missing):
    return torch.linalg.solve_triangular(system, missing, upper=False, unitriangular=True)


@right_answer("chunked_delta_rule")
def _chunked_rule(
    query, key, value, beta, chunk, state=None,
    *, system=lambda q, k, b: b * (k @ k.mT), missing=lambda k, v, b, state: b * (v - k @ state), solve=_solved,
    seen=torch.tril, shown=lambda v, u: u, kept=lambda v, u: u, carry=lambda old, new: old + new,
):  # fmt: skip
    """The right chunks, in parts that a mistake can replace."""
    state, outputs = _start(key, value, state), []
    for q, k, v, b in _parts(chunk, query, key, value, beta[..., None]):
        u = solve(system(q, k, b), missing(k, v, b, state))
        outputs.append(seen(q @ k.mT) @ shown(v, u) + q @ state)
        state = carry(state, k.mT @ kept(v, u))
    return torch.cat(outputs, dim=-2), state


@wrong("chunked_delta_rule", read="la-system")
def blind_within_the_chunk(*args):
    """조각 안에서 앞의 토큰이 적은 것을 빼지 않았습니다. 같은 조각에서 같은 키에 두 번 적으면 섞입니다."""
    return _chunked_rule(*args, solve=lambda system, missing: missing)


@wrong("chunked_delta_rule", read="la-system")
def one_correction(*args):
    """한 번만 고쳤습니다. 앞의 토큰도 고친 것을 적으므로 u에 대한 연립방정식을 풀어야 합니다."""
    return _chunked_rule(*args, solve=lambda system, missing: missing - system.tril(-1) @ missing)


@wrong("chunked_delta_rule", read="la-system")
def added_in_the_system(*args):
    """앞에서 적은 것을 빼지 않고 더했습니다. u를 왼쪽으로 옮기면 행렬은 I + tril(beta k·k)입니다."""
    return _chunked_rule(*args, solve=lambda system, missing: _solved(-system, missing))


@wrong("chunked_delta_rule", read="la-system")
def diagonal_as_it_comes(*args):
    """연립방정식의 대각선을 1로 두지 않았습니다. 왼쪽에는 u_i가 한 번 있습니다. `unitriangular=True`를 주거나 항등 행렬을 더하십시오."""
    return _chunked_rule(*args, solve=lambda s, m: torch.linalg.solve_triangular(s, m, upper=False))


@wrong("chunked_delta_rule", read="la-system", hint=diagonal_as_it_comes.__doc__)
def diagonal_of_zeros(*args):
    return _chunked_rule(*args, solve=lambda s, m: torch.linalg.solve_triangular(s.tril(-1), m, upper=False))


@wrong("chunked_delta_rule", read="la-system")
def itself_in_the_system(*args):
    """연립방정식의 대각선에 자기 자신을 넣었습니다. 위치 i가 적을 때는 j < i만 적혀 있으므로 대각선은 1입니다."""

    def solve(system, missing):
        return torch.linalg.solve_triangular(
            system + torch.eye(system.shape[-1]).to(system), missing, upper=False
        )

    return _chunked_rule(*args, solve=solve)


@wrong("chunked_delta_rule", read="la-system")
def solved_from_the_end(*args):
    """위 삼각 행렬로 풀었습니다. 뒤의 토큰이 적을 것을 앞에서 뺍니다. 아래 삼각 행렬입니다."""

    def solve(system, missing):
        return torch.linalg.solve_triangular(system, missing, upper=True, unitriangular=True)

    return _chunked_rule(*args, solve=solve)


@wrong("chunked_delta_rule", read="la-system")
def both_triangles(*args):
    """연립방정식의 행렬에서 위 삼각형을 지우지 않았습니다. 위치 i가 뺄 것은 앞에서 적은 것(j < i)뿐입니다."""

    def solve(system, missing):
        one = torch.eye(system.shape[-1]).to(system)
        return torch.linalg.solve(one + system - system * one, missing)

    return _chunked_rule(*args, solve=solve)


@wrong("chunked_delta_rule", read="la-system")
def state_outside_the_system(*args):
    """상태에서 읽은 것을 연립방정식을 푼 다음에 뺐습니다. 앞의 토큰이 적은 것도 그것을 뺀 것이므로 오른쪽에 함께 넣고 푸십시오."""
    query, key, value, beta, chunk, *state = args
    old, outputs = _start(key, value, state[0] if state else None), []
    for q, k, v, b in _parts(chunk, query, key, value, beta[..., None]):
        u = _solved(b * (k @ k.mT), b * v) - b * (k @ old)
        outputs.append((q @ k.mT).tril() @ u + q @ old)
        old = old + k.mT @ u
    return torch.cat(outputs, dim=-2), old


@wrong("chunked_delta_rule", read="la-system")
def system_without_beta(*args):
    """연립방정식의 행렬에 beta를 곱하지 않았습니다. u_i의 식에서 beta_i는 괄호 전체에 곱합니다."""
    return _chunked_rule(*args, system=lambda q, k, b: k @ k.mT)


@wrong("chunked_delta_rule", read="la-system")
def right_side_without_beta(*args):
    """오른쪽에 beta를 곱하지 않았습니다. beta_i는 값과 읽어 본 것에도 곱합니다."""
    return _chunked_rule(*args, missing=lambda k, v, b, state: v - k @ state)


@wrong("chunked_delta_rule", read="la-system")
def beta_of_the_columns(*args):
    """행렬의 열에 beta를 곱했습니다. 적는 쪽 i의 beta이므로 행에 곱하십시오."""
    return _chunked_rule(*args, system=lambda q, k, b: (k @ k.mT) * b.mT)


@wrong("chunked_delta_rule", read="la-system")
def system_of_queries(*args):
    """연립방정식에 질의를 썼습니다. 적을 때 읽어 보는 것은 키이므로 키끼리의 내적입니다."""
    return _chunked_rule(*args, system=lambda q, k, b: b * (q @ k.mT))


@wrong("chunked_delta_rule", read="la-system")
def old_state_not_looked_up(*args):
    """앞 조각들이 적은 것을 읽어 보지 않았습니다. 들어올 때의 상태를 키로 읽어 값에서 빼십시오."""
    return _chunked_rule(*args, missing=lambda k, v, b, state: b * v)


@wrong("chunked_delta_rule", read="la-chunks")
def rule_forgets_at_the_boundary(*args):
    """조각마다 빈 상태에서 시작했습니다. 나갈 때의 상태를 다음 조각에 넘기십시오."""
    return _chunked_rule(*args, carry=lambda old, new: new)


@wrong("chunked_delta_rule", read="la-system")
def values_read(*args):
    """출력에서 u 대신 값을 읽었습니다. 상태에 적힌 것은 u입니다."""
    return _chunked_rule(*args, shown=lambda v, u: v)


@wrong("chunked_delta_rule", read="la-system")
def values_carried(*args):
    """다음 조각에 u 대신 값을 적어 넘겼습니다. 적는 것은 모자란 것 u입니다."""
    return _chunked_rule(*args, kept=lambda v, u: v)


@wrong("chunked_delta_rule", read="la-future")
def rule_sees_the_future(*args):
    """조각 안에서 뒤의 토큰이 적은 것까지 읽었습니다. j ≤ i만 남기십시오."""
    return _chunked_rule(*args, seen=lambda scores: scores)


@wrong("chunked_delta_rule", read="la-future")
def rule_hides_itself(*args):
    """자기가 적은 것을 읽지 않았습니다. 적은 다음에 읽으므로 j = i도 보입니다."""
    return _chunked_rule(*args, seen=lambda scores: scores.tril(-1))


@wrong("chunked_delta_rule", read="la-state", slip=True)
def rule_from_nothing(query, key, value, beta, chunk, state=None):
    """받은 상태를 쓰지 않고 0에서 시작했습니다. state를 주면 첫 조각이 거기에서 시작합니다."""
    return _chunked_rule(query, key, value, beta, chunk, None if state is None else 0 * state)


@wrong("chunked_delta_rule", read="la-system", slip=True)
def rule_token_by_token(query, key, value, beta, chunk, state=None):
    """값은 맞지만 토큰마다 한 걸음씩 돌았습니다. 조각의 연립방정식을 한꺼번에 푸십시오."""
    list(_parts(chunk, key))
    return _corrected(query, key, value, beta, torch.zeros_like(beta), state)


@wrong("chunked_delta_rule", read="la-system", slip=True)
def rule_in_one_square(query, key, value, beta, chunk, state=None):
    """값은 맞지만 글 전체를 한 조각으로 풀었습니다. n × n인 행렬을 만들지 마십시오."""
    list(_parts(chunk, key))
    return _chunked_rule(query, key, value, beta, key.shape[-2], state)


@wrong("chunked_delta_rule", read="la-grading", slip=True)
def rule_of_any_chunk(query, key, value, beta, chunk, state=None):
    """1보다 작은 chunk를 받아들였습니다. ValueError를 내십시오."""
    return _chunked_rule(query, key, value, beta, max(chunk, 1), state)
