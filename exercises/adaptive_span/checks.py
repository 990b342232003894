"""What the exercise `adaptive_span` is graded by."""

import math

import pytest
import torch

from grader.judging.suite import (
    assert_close,
    follows_device,
    gradients,
    load,
    mutated,
    observes,
    outcome,
    parameters,
    place,
    points,
    reached,
    refuses,
    scattered,
)

MAPS = ["W_q", "W_k", "W_v", "W_o"]


def distances(n_q, n_k=None):
    """How many places back a key lies, where the last query and the last key stand at the same place."""
    n_k = n_q if n_k is None else n_k
    return torch.arange(n_k - n_q, n_k)[:, None] - torch.arange(n_k)


# soft_span_mask ---------------------------------------------------------------------------------------------


def mask_by_hand(distance, z, ramp):
    """One span, one number after the other."""
    rows = [
        [0.0 if x < 0 else min(max((ramp + z - x) / ramp, 0.0), 1.0) for x in row]
        for row in distance.tolist()
    ]
    return torch.tensor(rows, dtype=torch.float64)


@points(
    0.75,
    question="soft_span_mask",
    hint="거리 z까지는 1이고, 거기서 ramp자리에 걸쳐 0까지 곧게 내려갑니다. (ramp + z - distance) / ramp를 0과 1로 자르십시오.",
    read="adaptive_span#span-mask",
)
def test_one_up_to_the_span_then_a_ramp(student, device):
    distance = torch.arange(8, device=device)[None]
    expected = [[1, 1, 1, 1, 0.75, 0.25, 0, 0]]
    assert_close(
        student.soft_span_mask(distance, torch.tensor(3.5, device=device), 2), torch.tensor(expected)
    )


@points(
    0.25,
    question="soft_span_mask",
    hint="음수인 거리는 미래입니다. 식으로는 1이 되므로 따로 0으로 만들어야 합니다.",
    read="adaptive_span#span-future",
)
def test_the_future_is_hidden(student):
    mask = student.soft_span_mask(torch.tensor([[-3, -1, 0, 1]]), torch.tensor(0.5), 1)
    assert_close(mask, torch.tensor([[0, 0, 1, 0.5]]))


@observes("soft_span_mask")
def observe_soft_span_mask(student):
    distance, wide = torch.tensor([[-2, -1, 0, 1, 2, 3, 4, 5, 6, 9]]), torch.tensor(2.5).double()
    spans = torch.tensor([0.25, 4.5]).double().reshape(2, 1, 1)
    return [
        outcome(student.soft_span_mask, distance, wide, 3),
        outcome(student.soft_span_mask, distance, spans, 2),
        outcome(lambda: str(student.soft_span_mask(distance, wide, 3).dtype)),
        reached(student.soft_span_mask, distance, wide, 3),
        outcome(lambda: gradients(student.soft_span_mask, distance, wide, 3)["inputs"][1]),
    ]




# span_attention ---------------------------------------------------------------------------------------------


def attend_by_hand(scores, distance, z, ramp):
    """Exponentials times the mask, divided by their sum; nothing for large scores or empty rows."""
    parts = scores.exp() * (((ramp + z - distance) / ramp).clamp(0, 1) * (distance >= 0))
    return parts / parts.sum(-1, keepdim=True)


EXPS = torch.tensor([[4.0, 4.0, 1.0, 3.0]])
BACK = torch.tensor([[3, 2, 1, 0]])


@points(
    1,
    question="span_attention",
    hint="점수의 exp에 마스크를 곱한 다음 행의 합으로 나눕니다. 가중치의 합이 1이어야 합니다.",
    read="adaptive_span#span-weights",
)
def test_exponentials_times_the_mask(student, device):
    weights = student.span_attention(EXPS.log().to(device), BACK.to(device), torch.tensor(1.5).to(device), 2)
    assert_close(weights, torch.tensor([[0.125, 0.375, 0.125, 0.375]]))


@points(
    0.5,
    question="span_attention",
    hint="볼 것이 하나도 남지 않은 행은 NaN이 아니라 모두 0이어야 합니다.",
    read="adaptive_span#span-mistakes",
)
def test_nothing_left_gives_zeros(student):
    distance = torch.tensor([[-2, -1], [7, 8], [1, 0]])
    scores = torch.tensor([[1.0, 2.0], [3.0, 0.0], [0.0, 0.0]])
    weights = student.span_attention(scores, distance, torch.tensor(2.5), 2)
    assert_close(weights, torch.tensor([[0, 0], [0, 0], [0.5, 0.5]]))


@observes("span_attention")
def observe_span_attention(student):
    attend, scores = student.span_attention, scattered((2, 4, 5), 1)
    distance, spans = distances(4, 5), torch.tensor([1.5, 0.25]).double().reshape(2, 1, 1)
    empty = torch.tensor([[-1, -2, 0], [9, 8, 7], [2, 1, 0]])

    def finite():
        found = gradients(attend, scores[:, :3, :3], empty, spans, 2, cotangent=scattered((2, 3, 3), 4))
        return all(bool(found["inputs"][i].isfinite().all()) for i in (0, 2))

    return [
        outcome(attend, scores, distance, spans, 2),
        outcome(attend, scores, distance, spans, 3),
        outcome(attend, scores[0, :3, :3], empty, spans[0, 0, 0], 2),
        outcome(attend, 900 + scores, distance, spans, 2),
        outcome(attend, scores + 800 * (distance > 3), distance, spans, 2),
        outcome(attend, scores - 800 * (distance > 0), distance, spans, 2),
        outcome(finite),
        reached(attend, scores, distance, spans, 2, cotangent=scattered((2, 4, 5), 3)),
        mutated(attend, scores, distance, spans, 2),
    ]




# AdaptiveSpanAttention --------------------------------------------------------------------------------------


def known_weights(d_model, make):
    """`make(name, shape)` for each map's matrix and bias."""
    shapes = {"weight": (d_model, d_model), "bias": (d_model,)}
    return {f"{name}.{part}": make(f"{name}.{part}", shapes[part]) for name in MAPS for part in shapes}


def layer_of(student, d_model, num_heads, max_span, ramp, make, spans, device="cpu"):
    """The student's layer in float64 with these weights and spans, and what was set."""
    layer = student.AdaptiveSpanAttention(d_model, num_heads, max_span, ramp).double().to(device)
    values = known_weights(d_model, make) | {"z": torch.tensor(spans, dtype=torch.float64)}
    return layer, load(student, layer, values, optional=[f"{name}.bias" for name in MAPS])


def random_weights(rng):
    return lambda name, shape: torch.randn(shape, generator=rng, dtype=torch.float64) / 2


def fixed_weights(name, shape):
    return scattered(shape, name) if len(shape) == 2 else torch.zeros(shape, dtype=torch.float64)


def dense(x, state, max_span, ramp):
    """The whole matrix of scores, masked afterwards."""

    def project(name, x):
        return x @ state[f"{name}.weight"].T + state.get(f"{name}.bias", 0)

    z = state["z"].clamp(0, max_span)[:, None, None]
    Q, K, V = (
        torch.stack(project(name, x).chunk(len(state["z"]), dim=-1), dim=1) for name in ("W_q", "W_k", "W_v")
    )
    scores = torch.einsum("bhid,bhjd->bhij", Q, K) / math.sqrt(Q.shape[-1])
    weights = attend_by_hand(scores, distances(x.shape[1]), z, ramp)
    heads = torch.einsum("bhij,bhjd->bhid", weights, V)
    return project("W_o", torch.cat(heads.unbind(dim=1), dim=-1)), weights


def assert_equals_dense(layer, x, state, max_span, ramp, device="cpu"):
    output, weights = layer(x.to(device))
    expected_output, expected_weights = dense(x, state, max_span, ramp)
    assert_close(weights, expected_weights, atol=1e-6)
    assert_close(output, expected_output, atol=1e-6)


def multiplications(layer, x):
    """How many numbers the matrix products of a call multiply."""
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils.flop_counter import flop_registry

    class Count(TorchDispatchMode):
        flops = largest = 0
        _should_skip_dynamo = classmethod(lambda cls: False)  # torch would load its compiler, for 1.6 s

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            result = operation(*args, **(kwargs or {}))
            if isinstance(result, torch.Tensor):
                self.largest = max(self.largest, result.numel())
            if formula := flop_registry.get(operation.overloadpacket):
                self.flops += formula(*args, **(kwargs or {}), out_val=result)
            return result

    with Count() as count:
        layer(x)
    return count.flops // 2, count.largest


def allowed(n, d_model, reach):
    """For the four maps, and thrice what the scores and values within reach need: to choose blocks, say."""
    return 4 * n * d_model**2 + 3 * 2 * n * reach * d_model


def first_finite(layer, x):
    """The first position whose output does not depend on the first input."""
    spoiled = x.clone()
    spoiled[:, 0] = math.nan
    finite = layer(spoiled)[0].isfinite().all(dim=-1)[0]
    return int(finite.nonzero()[0, 0]) if finite.any() else -1


@points(
    0.75,
    question="AdaptiveSpanAttention",
    hint="헤드마다 자기 범위로 가린 어텐션과 같아야 합니다. sqrt(d_model / h), 헤드의 순서, 헤드마다의 z를 확인하십시오. 가중치는 (B, h, n, n)입니다.",
    read="adaptive_span#span-layer",
)
def test_equals_the_dense_formula(student, device):
    layer, state = layer_of(student, 6, 2, 8, 2, fixed_weights, [0.5, 2.25], device)
    assert_equals_dense(layer, scattered((2, 7, 6), 0.1), state, 8, 2, device)


@points(
    0.25,
    question="AdaptiveSpanAttention",
    hint="z는 헤드마다 하나씩, 모양이 (h,)인 파라미터이고 처음 값은 max_span / 2입니다.",
    read="adaptive_span#span-layer",
)
def test_spans_are_parameters_that_start_in_the_middle(student):
    layer = student.AdaptiveSpanAttention(12, 3, 21, 4)
    z = parameters(student, layer, "z").get("z")
    assert z is not None, "z라는 파라미터가 없습니다."
    assert_close(z, torch.tensor([10.5, 10.5, 10.5]))


@points(
    0.25,
    question="AdaptiveSpanAttention",
    hint="d_model이 헤드의 수로 나누어떨어지지 않으면 모듈을 만들 때 ValueError를 내야 합니다.",
    read="multi_head_attention#heads-divide",
)
def test_uneven_heads_are_refused(student):
    student.AdaptiveSpanAttention(8, 4, 16, 2)
    with pytest.raises(ValueError):
        student.AdaptiveSpanAttention(10, 4, 16, 2)


@observes("AdaptiveSpanAttention")
def observe_adaptive_span_attention(student):
    fresh = parameters(student, student.AdaptiveSpanAttention(6, 2, 8, 2))
    if "z" not in fresh or list(fresh["z"].shape) != [2]:
        return sorted(name for name in fresh if "weight" in name or name == "z"), fresh.get("z")

    def with_spans(*spans, max_span=8):
        return layer_of(student, 6, 2, max_span, 2, fixed_weights, spans)[0]

    def beyond(layer):
        """Where the first input is still mixed in, further than blocks of thrice the reach would."""
        first = first_finite(layer, wide)
        return 0 if 0 < first <= 18 else first

    def z_learns(*spans):
        return "z" in reached(with_spans(*spans), x, cotangent=scattered((2, 9, 6), 3))

    x, wide = scattered((2, 9, 6), 2), scattered((1, 48, 6), 5)
    count = place(student, multiplications)
    return [
        fresh["z"],
        refuses(student.AdaptiveSpanAttention, 10, 4, 16, 2),
        outcome(with_spans(0.5, 3.25), x),
        outcome(lambda: with_spans(-1.5, 3.25)(x)[1]),
        outcome(lambda: with_spans(0.5, 4.25, max_span=3)(x)[1]),
        outcome(lambda: with_spans(0.5, 40.25, max_span=64)(x)[1]),
        outcome(lambda: with_spans(0.5, 0.25)(x[:, :1])[1]),
        outcome(beyond, with_spans(0.5, 3.25, max_span=24)),
        outcome(lambda: count(with_spans(0.5, 3.25, max_span=24), wide)[0] > allowed(48, 6, 6)),
        outcome(z_learns, 0.5, 3.25),
    ]




# span_penalty -----------------------------------------------------------------------------------------------


@points(
    0.5,
    question="span_penalty",
    hint="헤드들의 범위의 평균에 계수를 곱합니다.",
    read="adaptive_span#span-price",
)
def test_price_of_two_spans(student):
    assert_close(student.span_penalty(torch.tensor([5.0, 1.0]), 0.1), torch.tensor(0.3))


@observes("span_penalty")
def observe_span_penalty(student):
    z = torch.tensor([4.0, 1.0, 2.5]).double()
    return [
        outcome(student.span_penalty, z, 0.5),
        outcome(student.span_penalty, z, 2.0),
        reached(student.span_penalty, z, 0.5),
    ]
