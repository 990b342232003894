"""What the exercise `linear_attention` is graded by."""

import math

import torch

from grader.judging.contract import assert_manners, bad_manners, finite_gradients, how_refused
from grader.judging.memory import measured
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import assert_close, observes, place, points, reached, refuses, scattered
from grader.judging.values import secret

# What all four share -----------------------------------------------------------------------------------------


def texts(n=7, d_k=3, d_v=2, batch=(2,), key=1):
    """query, key, value, beta, log_decay: every number of its own size, no key of unit length."""
    query, keys, value, beta, decay = (
        scattered((*batch, n, *width), 10 * key + i)
        for i, width in enumerate([(d_k,), (d_k,), (d_v,), (), ()])
    )
    return query, 0.9 * keys, value, 0.55 + 0.4 * beta, -0.5 - 0.4 * decay


def without_beta(*shape, **options):
    query, key, value, _, log_decay = texts(*shape, **options)
    return query, key, value, log_decay


def without_decay(*shape, **options):
    return texts(*shape, **options)[:4]


def a_state(d_k=3, d_v=2, batch=(2,), key=5):
    return scattered((*batch, d_k, d_v), key)


@secret
def summed(query, key, value, log_decay, state=None):
    """Each token's weighted sum over all up to itself; no state is kept on the way."""
    total, places = log_decay.cumsum(-1), torch.arange(key.shape[-2])
    since = total[..., :, None] - total[..., None, :]
    left = torch.where(places[:, None] >= places, since, -math.inf).exp()
    output = torch.einsum("...id,...jd,...ij,...jv->...iv", query, key, left, value)
    end = torch.einsum("...jd,...j,...jv->...dv", key, left[..., -1, :], value)
    if state is not None:
        output = output + torch.einsum("...i,...id,...dv->...iv", total.exp(), query, state)
        end = end + total[..., -1, None, None].exp() * state
    return output, end


@secret
def corrected(query, key, value, beta, log_decay=None, state=None):
    """The state multiplied by I - beta k kᵀ as a matrix, then written to."""
    log_decay = torch.zeros_like(beta) if log_decay is None else log_decay
    d_k, outputs = key.shape[-1], []
    if state is None:
        state = torch.zeros(*key.shape[:-2], d_k, value.shape[-1]).to(value)
    for t in range(key.shape[-2]):
        k, b, g = key[..., t, :, None], beta[..., t, None, None], log_decay[..., t, None, None]
        erase = torch.eye(d_k).to(k) - b * k * k.mT
        state = erase @ (g.exp() * state) + b * k * value[..., t, None, :]
        outputs.append((query[..., t, None, :] @ state)[..., 0, :])
    return torch.stack(outputs, -2), state


def assert_both(found, expected, **tolerance):
    assert_close(found[0], expected[0], **tolerance)
    assert_close(found[1], expected[1], **tolerance)


def in_two(function, given, *options, first=3):
    """A text in two calls, the second from where the first one ended."""
    early = [x[:, :first] for x in given]
    late = [x[:, first:] for x in given]
    one, state = function(*early, *options)
    other, state = function(*late, *options, state)
    return torch.cat([one, other], 1), state


def operations(function, args):
    """How many operations of torch a call takes; on the student's side."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Count(TorchDispatchMode):
        _should_skip_dynamo = classmethod(lambda cls: False)  # torch would load its compiler, for 1.6 s
        made = 0

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            self.made += 1
            return operation(*args, **(kwargs or {}))

    with Count() as count:
        function(*args)
    return count.made


LONG, CHUNK = 512, 128


def few_operations(student, function, given):
    """Fewer than there are tokens: whoever goes token by token takes more."""
    return place(student, operations)(function, [*given, CHUNK]) < LONG


def little_memory(student, function, given):
    """No tensor as large as half of n x n."""
    return measured(student, function, *given, CHUNK)[0] < LONG**2 // 2


def looks(student, function, given, right, *options):
    """What all four have in common, to be observed in this order."""
    expected = right(*given())
    started = right(*given(), state=a_state())

    def leading(batch):
        few = given(4, batch=batch)
        return same(function(*few, *options)[0], right(*few)[0])

    def twice():
        return same(in_two(function, given(), *options)[0], expected[0])

    return [
        (lambda: [list(part.shape) for part in function(*given(), *options)], [[2, 7, 2], [2, 3, 2]]),
        (lambda: function(*given(), *options)[0].double(), expected[0]),
        (lambda: function(*given(), *options)[1].double(), expected[1]),
        (lambda: function(*given(), *options, a_state())[0].double(), started[0]),
        (lambda: function(*given(), *options, a_state())[1].double(), started[1]),
        (lambda: attempt(twice) is True, True),
        (lambda: [attempt(leading, batch) is True for batch in [(), (2, 3)]], [True] * 2),
    ]


# recurrent_linear_attention -----------------------------------------------------------------------------------


@points(0.25, "recurrent_linear_attention", read="la-state", step="warm-up")
def test_two_tokens_by_hand(student, device):
    """첫 걸음에 4를 적고, 둘째 걸음에 절반을 잊은 다음 2를 더합니다. 0.5 · 4 + 2 = 4입니다."""
    key = torch.tensor([[1.0, 0.0], [1.0, 0.0]], device=device)
    value = torch.tensor([[4.0], [2.0]], device=device)
    decay = torch.tensor([0.0, math.log(0.5)], device=device)
    output, state = student.recurrent_linear_attention(key, key, value, decay)
    assert_close(output, torch.tensor([[4.0], [4.0]]))
    assert_close(state, torch.tensor([[4.0], [0.0]]))


@points(0.5, "recurrent_linear_attention", read="la-order")
def test_forgets_writes_and_reads(student):
    """잊고, 적고, 읽는 순서입니다. 자기 자신은 보이고 뒤의 토큰은 보이지 않습니다. 점수는 나누지 않습니다."""
    assert_both(student.recurrent_linear_attention(*without_beta()), summed(*without_beta()))


@observes("recurrent_linear_attention")
def observe_recurrent_linear_attention(student):
    attend = student.recurrent_linear_attention
    return up_to_the_first_wrong(
        *looks(student, attend, without_beta, summed),
        (lambda: bad_manners(student, attend, *without_beta(), a_state()), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "recurrent_linear_attention", read="la-decay")
def test_any_texts(student, rng):
    """길이와 차원과 앞의 축이 얼마든 같은 식입니다. 잊는 정도는 토큰마다 다릅니다."""
    for batch, n, d_k, d_v in [((), 1, 2, 3), ((3,), 6, 4, 1), ((2, 2), 5, 1, 4)]:
        query, key = torch.randn(2, *batch, n, d_k, generator=rng, dtype=torch.float64)
        value = torch.randn(*batch, n, d_v, generator=rng, dtype=torch.float64)
        decay = -torch.rand(*batch, n, generator=rng, dtype=torch.float64)
        found = student.recurrent_linear_attention(query, key, value, decay)
        assert_both(found, summed(query, key, value, decay))


@points(0.5, "recurrent_linear_attention", read="la-state")
def test_goes_on_from_a_state(student):
    """받은 상태에서 시작하고 마지막 상태를 돌려줍니다. 둘로 나누어 이어 불러도 한 번에 부른 것과 같습니다."""
    found = student.recurrent_linear_attention(*without_beta(), a_state())
    assert_both(found, summed(*without_beta(), state=a_state()))
    assert_both(in_two(student.recurrent_linear_attention, without_beta()), summed(*without_beta()))


@points(0.25, "recurrent_linear_attention", read="la-grading", step="robust")
def test_recurrent_linear_attention_has_manners(student):
    """입력과 받은 상태를 바꾸지 않습니다. 자료형과 장치는 입력을 따르고, 기울기는 다섯 입력에 모두 흐릅니다."""
    given = [*without_beta(), a_state()]
    assert_manners(student, student.recurrent_linear_attention, *given)
    assert reached(student.recurrent_linear_attention, *given) == ["0", "1", "2", "3", "4"], (
        "기울기가 흐르지 않는 입력이 있습니다."
    )
    single = [x.float() for x in without_beta()]
    assert student.recurrent_linear_attention(*single)[0].dtype == torch.float32, "자료형이 다릅니다."


### END HIDDEN TESTS


# chunked_linear_attention -------------------------------------------------------------------------------------


def strong():
    """Almost all is forgotten at each step."""
    query, key, value, log_decay = without_beta()
    return query, key, value, 1000 * log_decay


@points(0.25, "chunked_linear_attention", read="la-chunks", step="warm-up")
def test_three_tokens_in_chunks_of_two(student, device):
    """조각은 둘, 하나입니다. 셋째 토큰은 앞 조각의 상태 [4 · 0.5 + 2]의 절반에 1을 더해 읽습니다."""
    key = torch.tensor([[1.0, 0.0]] * 3, device=device)
    value = torch.tensor([[4.0], [2.0], [1.0]], device=device)
    decay = torch.tensor([1.0, 0.5, 0.5], device=device).log()
    output, state = student.chunked_linear_attention(key, key, value, decay, 2)
    assert_close(output, torch.tensor([[4.0], [4.0], [3.0]]))
    assert_close(state, torch.tensor([[3.0], [0.0]]))


@points(0.75, "chunked_linear_attention", read="la-chunks")
def test_same_as_token_by_token(student):
    """조각으로 나누어도 한 토큰씩 계산한 것과 같습니다. 조각 안에서 잊은 것, 조각에 들어올 때의 상태, 나갈 때의 상태를 모두 보십시오."""
    for chunk in (3, 2):
        assert_both(student.chunked_linear_attention(*without_beta(), chunk), summed(*without_beta()))


@observes("chunked_linear_attention")
def observe_chunked_linear_attention(student):
    attend = student.chunked_linear_attention

    def long():
        return [x[0] for x in without_beta(LONG, batch=(1,))]

    def right(chunk):
        return same(attend(*without_beta(), chunk)[0], summed(*without_beta())[0])

    def finite(chunk):
        return all(map(same, attend(*strong(), chunk), summed(*strong())))

    def unfaded():
        query, key, value, log_decay = without_beta()
        given = query, key, value, 0 * log_decay
        return all(map(same, attend(*given, 3), summed(*given)))

    return up_to_the_first_wrong(
        *looks(student, attend, without_beta, summed, 3),
        (lambda: attempt(unfaded) is True, True),
        (lambda: [attempt(right, chunk) is True for chunk in (1, 2, 7, 50)], [True] * 4),
        (lambda: attempt(finite, 1) is True, True),
        (lambda: attempt(finite, 3) is True, True),
        (lambda: finite_gradients(attend, *(x.float() for x in strong()), 7), True),
        (lambda: little_memory(student, attend, long()), True),
        (lambda: few_operations(student, attend, long()), True),
        (lambda: [how_refused(attend, *without_beta(), chunk) for chunk in (0, -1)], ["refused"] * 2),
        (lambda: bad_manners(student, attend, *without_beta(), 3, a_state()), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "chunked_linear_attention", read="la-chunks")
def test_any_chunks(student, rng):
    """조각의 길이는 얼마든 좋습니다. n이 나누어떨어지지 않거나 조각이 n보다 길어도 같고, 이어 불러도 같습니다. 잊기가 0인 토큰도 있습니다."""
    for batch, n, chunk in [((), 5, 1), ((2,), 6, 4), ((2, 2), 7, 3), ((1,), 4, 9)]:
        query, key = torch.randn(2, *batch, n, 3, generator=rng, dtype=torch.float64)
        value = torch.randn(*batch, n, 2, generator=rng, dtype=torch.float64)
        decay = -torch.rand(*batch, n, generator=rng, dtype=torch.float64)
        decay[..., 1::2] = 0
        state = torch.randn(*batch, 3, 2, generator=rng, dtype=torch.float64)
        found = student.chunked_linear_attention(query, key, value, decay, chunk, state)
        assert_both(found, summed(query, key, value, decay, state))


@points(0.75, "chunked_linear_attention", read="la-chunks")
def test_chunked_linear_attention_goes_chunk_by_chunk(student):
    """반복은 조각마다 한 번입니다. 토큰마다 돌거나 n × n인 점수를 만들면 조각으로 나눈 보람이 없습니다."""
    given = [x[0] for x in without_beta(LONG, batch=(1,))]
    assert_both(student.chunked_linear_attention(*given, CHUNK), summed(*given))
    assert few_operations(student, student.chunked_linear_attention, given), "연산이 토큰의 수보다 많습니다."
    assert little_memory(student, student.chunked_linear_attention, given), (
        "n × n에 가까운 텐서를 만들었습니다."
    )


@points(0.25, "chunked_linear_attention", read="la-edges", step="robust")
def test_forgets_almost_everything(student):
    """아주 세게 잊어도 값과 기울기는 유한합니다. exp(-G)를 따로 구하지 말고, 차를 먼저 구해 미래를 가린 다음 exp를 취하십시오."""
    assert_both(student.chunked_linear_attention(*strong(), 3), summed(*strong()))
    single = [x.float() for x in strong()]
    found = student.chunked_linear_attention(*single, 7)
    assert_both(found, summed(*strong()), rtol=1e-4, atol=1e-5)
    assert finite_gradients(student.chunked_linear_attention, *single, 7), "기울기가 유한하지 않습니다."


@points(0.25, "chunked_linear_attention", read="la-grading", step="robust")
def test_chunked_linear_attention_has_manners(student):
    """1보다 작은 chunk는 ValueError입니다. 입력과 받은 상태를 바꾸지 않고, 기울기는 모두 흐릅니다."""
    given = [*without_beta(), 3, a_state()]
    assert_manners(student, student.chunked_linear_attention, *given)
    assert reached(student.chunked_linear_attention, *given) == ["0", "1", "2", "3", "5"], (
        "기울기가 흐르지 않는 입력이 있습니다."
    )
    for chunk in (0, -1):
        assert refuses(student.chunked_linear_attention, *without_beta(), chunk), (
            "ValueError를 내지 않았습니다."
        )


### END HIDDEN TESTS


# gated_delta_rule ---------------------------------------------------------------------------------------------


@points(0.25, "gated_delta_rule", read="la-delta", step="warm-up")
def test_overwrites_by_hand(student, device):
    """같은 키에 4를 적은 다음 2를 적으면 2만 남습니다. 둘째 걸음에서 모자란 것은 2 - 4 = -2입니다."""
    key = torch.tensor([[1.0, 0.0], [1.0, 0.0]], device=device)
    value = torch.tensor([[4.0], [2.0]], device=device)
    one = torch.ones(2, device=device)
    output, state = student.gated_delta_rule(key, key, value, one, 0 * one)
    assert_close(output, value.cpu())
    assert_close(state, torch.tensor([[2.0], [0.0]]))


@points(0.75, "gated_delta_rule", read="la-gated")
def test_forgets_looks_up_corrects_and_reads(student):
    """잊기, 그 키로 읽어 보기, 모자란 것의 beta배를 적기, 읽기의 순서입니다. 읽어 보는 것은 잊은 다음의 상태입니다."""
    assert_both(student.gated_delta_rule(*texts()), corrected(*texts()))


@observes("gated_delta_rule")
def observe_gated_delta_rule(student):
    rule = student.gated_delta_rule
    return up_to_the_first_wrong(
        *looks(student, rule, texts, corrected),
        (lambda: bad_manners(student, rule, *texts(), a_state()), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "gated_delta_rule", read="la-gated")
def test_any_corrections(student, rng):
    """길이와 차원과 앞의 축이 얼마든 같은 식입니다. 키의 크기는 맞추지 않습니다."""
    for batch, n, d_k, d_v in [((), 1, 2, 3), ((3,), 6, 4, 1), ((2, 2), 5, 1, 4)]:
        query, key = torch.randn(2, *batch, n, d_k, generator=rng, dtype=torch.float64) / 2
        value = torch.randn(*batch, n, d_v, generator=rng, dtype=torch.float64)
        beta, decay = torch.rand(2, *batch, n, generator=rng, dtype=torch.float64)
        found = student.gated_delta_rule(query, key, value, beta, -decay)
        assert_both(found, corrected(query, key, value, beta, -decay))


@points(0.25, "gated_delta_rule", read="la-delta")
def test_reads_back_what_was_just_written(student, rng):
    """beta가 1이고 키의 크기가 1이면, 적은 키로 읽은 것이 꼭 그 값입니다. 앞에 무엇이 있었든 같습니다."""
    key = torch.nn.functional.normalize(torch.randn(9, 4, generator=rng, dtype=torch.float64), dim=-1)
    value = torch.randn(9, 3, generator=rng, dtype=torch.float64)
    decay = -torch.rand(9, generator=rng, dtype=torch.float64)
    output, _ = student.gated_delta_rule(key, key, value, torch.ones_like(decay), decay)
    assert_close(output, value)


@points(0.5, "gated_delta_rule", read="la-state")
def test_corrects_a_given_state(student):
    """받은 상태에서 시작하고 마지막 상태를 돌려줍니다. 둘로 나누어 이어 불러도 한 번에 부른 것과 같습니다."""
    found = student.gated_delta_rule(*texts(), a_state())
    assert_both(found, corrected(*texts(), state=a_state()))
    assert_both(in_two(student.gated_delta_rule, texts()), corrected(*texts()))


@points(0.25, "gated_delta_rule", read="la-grading", step="robust")
def test_gated_delta_rule_has_manners(student):
    """입력과 받은 상태를 바꾸지 않습니다. 자료형과 장치는 입력을 따르고, 기울기는 여섯 입력에 모두 흐릅니다."""
    given = [*texts(), a_state()]
    assert_manners(student, student.gated_delta_rule, *given)
    assert reached(student.gated_delta_rule, *given) == ["0", "1", "2", "3", "4", "5"], (
        "기울기가 흐르지 않는 입력이 있습니다."
    )
    assert student.gated_delta_rule(*(x.float() for x in texts()))[0].dtype == torch.float32, (
        "자료형이 다릅니다."
    )


### END HIDDEN TESTS


# chunked_delta_rule -------------------------------------------------------------------------------------------


@points(0.25, "chunked_delta_rule", read="la-system", step="warm-up")
def test_overwrites_within_a_chunk(student, device):
    """한 조각 안에서 같은 키에 4와 2를 적습니다. 둘째가 적는 것은 2 - 4 = -2이고, 남는 것은 2입니다."""
    key = torch.tensor([[1.0, 0.0], [1.0, 0.0]], device=device)
    value = torch.tensor([[4.0], [2.0]], device=device)
    output, state = student.chunked_delta_rule(key, key, value, torch.ones(2, device=device), 2)
    assert_close(output, value.cpu())
    assert_close(state, torch.tensor([[2.0], [0.0]]))


@points(0.5, "chunked_delta_rule", read="la-system")
def test_same_as_correcting_token_by_token(student):
    """조각으로 계산해도 한 토큰씩 고쳐 적은 것과 같습니다. 앞에서 적은 것만 빼고(j < i), 자기까지 읽습니다(j ≤ i)."""
    for chunk in (3, 2):
        assert_both(student.chunked_delta_rule(*without_decay(), chunk), corrected(*without_decay()))


@observes("chunked_delta_rule")
def observe_chunked_delta_rule(student):
    rule = student.chunked_delta_rule

    def long():
        return [x[0] for x in without_decay(LONG, batch=(1,))]

    def right(chunk):
        return same(rule(*without_decay(), chunk)[0], corrected(*without_decay())[0])

    return up_to_the_first_wrong(
        *looks(student, rule, without_decay, corrected_without_decay, 3),
        (lambda: [attempt(right, chunk) is True for chunk in (1, 2, 7, 50)], [True] * 4),
        (lambda: little_memory(student, rule, long()), True),
        (lambda: few_operations(student, rule, long()), True),
        (lambda: [how_refused(rule, *without_decay(), chunk) for chunk in (0, -1)], ["refused"] * 2),
        (lambda: bad_manners(student, rule, *without_decay(), 3, a_state()), "none"),
    )


def corrected_without_decay(query, key, value, beta, state=None):
    return corrected(query, key, value, beta, state=state)


### BEGIN HIDDEN TESTS
@points(0.75, "chunked_delta_rule", read="la-system")
def test_any_chunks_of_corrections(student, rng):
    """조각의 길이는 얼마든 좋습니다. n이 나누어떨어지지 않거나 조각이 n보다 길어도 같고, 받은 상태에서 시작합니다."""
    for batch, n, chunk in [((), 5, 1), ((2,), 6, 4), ((2, 2), 7, 3), ((1,), 4, 9)]:
        query, key = torch.randn(2, *batch, n, 3, generator=rng, dtype=torch.float64) / 2
        value = torch.randn(*batch, n, 2, generator=rng, dtype=torch.float64)
        beta = torch.rand(*batch, n, generator=rng, dtype=torch.float64)
        state = torch.randn(*batch, 3, 2, generator=rng, dtype=torch.float64)
        found = student.chunked_delta_rule(query, key, value, beta, chunk, state)
        assert_both(found, corrected(query, key, value, beta, state=state))


@points(0.75, "chunked_delta_rule", read="la-system")
def test_chunked_delta_rule_goes_chunk_by_chunk(student):
    """반복은 조각마다 한 번입니다. 토큰마다 돌지 말고 삼각 행렬의 연립방정식을 한 번에 푸십시오. n × n인 텐서도 만들지 않습니다."""
    query, key, value, beta = (x[0] for x in without_decay(LONG, batch=(1,)))
    given = query, key, value, beta
    assert_both(student.chunked_delta_rule(*given, CHUNK), corrected(*given))
    assert few_operations(student, student.chunked_delta_rule, given), "연산이 토큰의 수보다 많습니다."
    assert little_memory(student, student.chunked_delta_rule, given), "n × n에 가까운 텐서를 만들었습니다."


@points(0.25, "chunked_delta_rule", read="la-grading", step="robust")
def test_chunked_delta_rule_has_manners(student):
    """1보다 작은 chunk는 ValueError입니다. 입력과 받은 상태를 바꾸지 않고, 기울기는 모두 흐릅니다."""
    given = [*without_decay(), 3, a_state()]
    assert_manners(student, student.chunked_delta_rule, *given)
    assert reached(student.chunked_delta_rule, *given) == ["0", "1", "2", "3", "5"], (
        "기울기가 흐르지 않는 입력이 있습니다."
    )
    for chunk in (0, -1):
        assert refuses(student.chunked_delta_rule, *without_decay(), chunk), "ValueError를 내지 않았습니다."


### END HIDDEN TESTS
