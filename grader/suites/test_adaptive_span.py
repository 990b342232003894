"""What the exercise `adaptive_span` is graded by."""

import math

import pytest
import torch

from grader.judging.contract import assert_manners, bad_manners, finite_gradients, how_refused
from grader.judging.observed import same, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    each,
    gradients,
    load,
    mutated,
    observes,
    outcome,
    parameters,
    place,
    points,
    reached,
    scattered,
)
from grader.judging.values import secret

MAPS = ["W_q", "W_k", "W_v", "W_o"]
# Its derivative is to be written, not asked for.
FORBIDDEN = {
    "span_slope": ("torch.autograd.grad", "torch.autograd.backward", "torch.func.jvp", "torch.func.grad")
}


def distances(n_q, n_k=None):
    """How many places back a key lies, where the last query and the last key stand at the same place."""
    n_k = n_q if n_k is None else n_k
    return torch.arange(n_k - n_q, n_k)[:, None] - torch.arange(n_k)


# soft_span_mask ---------------------------------------------------------------------------------------------


@secret
def mask_by_hand(distance, z, ramp):
    """One span, one number after the other."""
    rows = [
        [0.0 if x < 0 else min(max((ramp + z - x) / ramp, 0.0), 1.0) for x in row]
        for row in distance.tolist()
    ]
    return torch.tensor(rows, dtype=torch.float64)


@points(0.25, "soft_span_mask", read="span-mask", step="warm-up")
def test_one_up_to_the_span_then_a_ramp(student, device):
    """거리 z까지는 1이고, 거기서 ramp자리에 걸쳐 0까지 곧게 내려갑니다. (ramp + z - distance) / ramp를 0과 1로 자르십시오."""
    distance = torch.arange(8, device=device)[None]
    expected = [[1, 1, 1, 1, 0.75, 0.25, 0, 0]]
    assert_close(
        student.soft_span_mask(distance, torch.tensor(3.5, device=device), 2), torch.tensor(expected)
    )


@points(0.25, "soft_span_mask", read="span-future")
def test_the_future_is_hidden(student):
    """음수인 거리는 미래입니다. 식으로는 1이 되므로 따로 0으로 만들어야 합니다."""
    mask = student.soft_span_mask(torch.tensor([[-3, -1, 0, 1]]), torch.tensor(0.5), 1)
    assert_close(mask, torch.tensor([[0, 0, 1, 0.5]]))


@observes("soft_span_mask")
def observe_soft_span_mask(student):
    mask, z, ramp = student.soft_span_mask, torch.tensor(2.25).double(), 3
    past, future = torch.tensor([[*range(10), 40]]), torch.tensor([[-9, -4, -1]])
    spans = torch.tensor([0.25, 4.25]).double().reshape(2, 1, 1)

    def heads():
        found = outcome(mask, past.clone(), spans.clone(), ramp)
        if not isinstance(found, torch.Tensor):
            return "heads"
        if found.shape != (2, 1, 11):
            return "merged" if found.numel() == 11 else list(found.shape)
        right = torch.stack([mask_by_hand(past, span, ramp) for span in (0.25, 4.25)])
        return "right" if same(found, right) else found

    def usual():
        found = mask(past.clone(), z.clone(), ramp)
        return "never zero" if 0 < found.flatten()[-1] < 0.5 else found

    return up_to_the_first_wrong(
        (usual, mask_by_hand(past, 2.25, ramp)),
        (lambda: mask(future.clone(), z.clone(), ramp), torch.zeros(1, 3)),
        (lambda: "1" in reached(mask, past, z, ramp), True),
        (lambda: bad_manners(student, mask, torch.cat([future, past], -1), z, ramp, learns=["1"]), "none"),
        (heads, "right"),
        (lambda: str(mask(past.float(), spans.clone(), ramp).dtype), "torch.float64"),
    )


### BEGIN HIDDEN TESTS
@points(0.25, "soft_span_mask", read="span-mask")
def test_a_span_for_each_head(student, device, rng):
    """범위가 (h, 1, 1)이면 헤드마다 마스크가 하나씩, (h, n_q, n_k)입니다."""
    for n_q, n_k, ramp in [(1, 1, 1), (5, 5, 3), (2, 9, 0.5), (7, 7, 32)]:
        spans = 8 * torch.rand(3, generator=rng, dtype=torch.float64)
        distance = distances(n_q, n_k)
        mask = student.soft_span_mask(distance.to(device), spans.reshape(3, 1, 1).to(device), ramp)
        right = torch.stack([mask_by_hand(distance, z, ramp) for z in spans.tolist()])
        assert_close(mask, right, atol=1e-5)


@points(0.5, "soft_span_mask", read="why-a-ramp")
def test_the_ramp_passes_gradients(student, rng):
    """비탈에 있는 자리마다 z로 미분한 값이 1 / ramp이고 다른 곳은 0입니다. z를 정수로 바꾸거나 기울기를 끊으면 범위를 배울 수 없습니다."""
    cotangent = torch.randn(6, 6, generator=rng, dtype=torch.float64)
    for span in (0.5, 2.25):
        z, distance = torch.tensor(span, dtype=torch.float64), distances(6)
        found = gradients(student.soft_span_mask, distance, z, 2, cotangent=cotangent)
        on_the_ramp = (distances(6) > span) & (distances(6) < span + 2)
        assert_close(found["output"], mask_by_hand(distances(6), span, 2))
        assert_close(found["inputs"][1], (cotangent * on_the_ramp / 2).sum())


@points(0.25, "soft_span_mask", read="span-mask", step="robust")
def test_the_mask_has_manners(student):
    """마스크의 자료형과 장치는 z를 따릅니다. 받은 distance를 바꾸지 마십시오."""
    spans = torch.tensor([0.5, 2.25, 4.0], dtype=torch.float64).reshape(3, 1, 1)
    for distance in (distances(4), distances(4).float()):
        mask = student.soft_span_mask(distance, spans, 2)
        assert mask.dtype == torch.float64, f"자료형이 z의 float64가 아니라 {mask.dtype}입니다."
    fresh = distances(4)  # nobody has changed it yet
    assert_manners(student, student.soft_span_mask, fresh, spans, 2)


### END HIDDEN TESTS


# span_attention ---------------------------------------------------------------------------------------------


@secret
def attend_by_hand(scores, distance, z, ramp):
    """Exponentials times the mask, divided by their sum; nothing for large scores or empty rows."""
    parts = scores.exp() * (((ramp + z - distance) / ramp).clamp(0, 1) * (distance >= 0))
    return parts / parts.sum(-1, keepdim=True)


EXPS = torch.tensor([[4.0, 4.0, 1.0, 3.0]])
BACK = torch.tensor([[3, 2, 1, 0]])


@points(0.25, "span_attention", read="span-weights", step="warm-up")
def test_exponentials_times_the_mask(student, device):
    """점수의 exp에 마스크를 곱한 다음 행의 합으로 나눕니다. 가중치의 합이 1이어야 합니다."""
    weights = student.span_attention(EXPS.log().to(device), BACK.to(device), torch.tensor(1.5).to(device), 2)
    assert_close(weights, torch.tensor([[0.125, 0.375, 0.125, 0.375]]))


@points(0.25, "span_attention", read="span-mistakes", step="robust")
def test_nothing_left_gives_zeros(student):
    """볼 것이 하나도 남지 않은 행은 NaN이 아니라 모두 0이어야 합니다."""
    distance = torch.tensor([[-2, -1], [7, 8], [1, 0]])
    scores = torch.tensor([[1.0, 2.0], [3.0, 0.0], [0.0, 0.0]])
    weights = student.span_attention(scores, distance, torch.tensor(2.5), 2)
    assert_close(weights, torch.tensor([[0, 0], [0, 0], [0.5, 0.5]]))


@observes("span_attention")
def observe_span_attention(student):
    attend, ramp = student.span_attention, 4
    spans = torch.tensor([2.25, 1.5]).double().reshape(2, 1, 1)
    near = torch.tensor([[4, 3, 2, 1, 0], [5, 4, 3, 2, 1], [0, 3, 1, 2, 5]])  # some of each mask, none hidden
    mixed = torch.tensor([[3, 0, -1, 8, 1], [9, 1, 4, 0, -2], [2, -1, 5, 7, 0]])
    scores = 2 * scattered((2, 3, 5), 1)
    scores -= scores.amax(-1, keepdim=True)
    far, ahead = mixed > 6, mixed < 0
    right = attend_by_hand(scores, mixed, spans, ramp)
    foot, whole = torch.tensor([[3, 4, 0, 1, -1], [2, 1, 0, -1, -2], [4, 3, 2, 1, 0]]), spans.ceil() - 1
    nothing = torch.where(torch.arange(3)[:, None] == 1, torch.tensor([4, -1, 9, 4, 8]), foot)

    def weigh(offset=0.0, distance=mixed):
        return attend(scores + offset, distance.clone(), spans.clone(), ramp)

    def seen():
        found = weigh().double().abs()
        return "far" if found[:, far].max() > 1e-6 else "future" if found[:, ahead].max() > 1e-6 else "right"

    def large():
        """Scores that are all large or small, those of hidden keys only, those of some rows only."""
        found = weigh(900)
        if not same(found, right):
            return "clipped" if same(found.sum(-1), torch.ones(2, 3)) else "all"
        if not same(weigh(-900), right):
            return "small"
        found = weigh(800 * (far | ahead))
        if not same(found, right):
            return "hidden, seen" if found[:, far | ahead].nan_to_num().any() else "hidden"
        return "right" if same(weigh(torch.tensor([[0.0], [800], [-800]])), right) else "rows"

    def empty():
        found = attend(scores, nothing.clone(), whole.clone(), 2)[:, 1]
        return "nan" if found.isnan().any() else "looks" if found.any() else "right"

    def finite(distance):
        return finite_gradients(attend, scores, distance, whole, 2, cotangent=scattered((2, 3, 5), 4))

    def usual():
        found = weigh(0.0, near)
        return [found, seen()] if same(found, scores.softmax(-1)) else found

    return up_to_the_first_wrong(
        (usual, attend_by_hand(scores, near, spans, ramp)),
        (seen, "right"),
        (lambda: bad_manners(student, attend, scores, mixed, spans, ramp), "none"),
        (large, "right"),
        (empty, "right"),
        (lambda: finite(foot), True),
        (lambda: finite(nothing), True),
    )


### BEGIN HIDDEN TESTS
def assert_each(student, device, function, given, right, **tolerances):
    """Calls of a function with these arguments on a device, all asked for at once, against what is right."""
    there = [[x.clone().to(device) if isinstance(x, torch.Tensor) else x for x in args] for args in given]
    for found, expected in zip(each(student, function, there), right, strict=True):
        assert_close(found, expected, **tolerances)


def on_copies(function):
    """The function on copies of its tensors, so that only a test of manners sees which it changes."""
    return lambda *args: function(*(x.clone() if hasattr(x, "clone") else x for x in args))


@points(0.5, "span_attention", read="span-weights")
def test_any_axes_and_spans(student, device, rng):
    """범위가 문장보다 길면 룩어헤드 마스크를 쓴 소프트맥스와 같아야 합니다. 헤드마다 범위가 다를 수 있고 배치 축은 몇 개든 됩니다. 기울기가 점수와 범위로 흘러야 합니다."""
    given = []
    for shape, spans, ramp in [
        ((3, 3), None, 2),
        ((2, 4, 5, 5), 4, 1),
        ((1, 1), None, 3),
        ((2, 3, 2, 6), 3, 3),
        ((2, 3, 4, 4), None, 2),
    ]:
        scores = 4 * torch.rand(shape, generator=rng, dtype=torch.float64)  # large ones are another test's
        distance, z = distances(*shape[-2:]), 4 * torch.rand((), generator=rng, dtype=torch.float64)
        if spans:
            z = 4 * torch.rand(spans, 1, 1, generator=rng, dtype=torch.float64)
        given.append([scores, distance, z, ramp])
    right = [attend_by_hand(*args) for args in given]
    given.append([scores, distance, z + 10, 2])
    right.append(scores.masked_fill(distance < 0, -math.inf).softmax(-1))
    assert_each(student, device, student.span_attention, given, right)
    half = torch.tensor(0.5, dtype=torch.float64)
    weigh = place(student, on_copies)(student.span_attention)
    found = reached(weigh, scores, distance, half, 2, cotangent=scattered(scores.shape, 1))
    assert found == ["0", "2"], "기울기가 점수와 범위에 닿지 않습니다."


@points(0.5, "span_attention", read="span-mistakes")
def test_large_scores(student, device):
    """점수가 커도 넘치지 않아야 하고, 마스크가 0인 자리의 점수가 아무리 커도 남은 자리의 가중치가 바뀌지 않아야 합니다. 먼저 가리고 그다음 exp를 구하십시오."""
    z, distance = torch.tensor(1.5), torch.tensor([[9, 2, 1, 0], [2, 1, 0, -1]])
    expected = torch.tensor([[0, 3 / 11, 4 / 11, 4 / 11], [3 / 11, 4 / 11, 4 / 11, 0]])
    large = [
        torch.tensor([[5000.0, 1000, 1000, 1000], [1000, 1000, 1000, 5000]]),
        torch.tensor([[0.0, -1000, -1000, -1000], [-1000, -1000, -1000, 0]]),
        torch.tensor([[800.0, 0, 0, 0], [0, 0, 0, 800]]),
        torch.tensor([[0.0, 1000, 1000, 1000], [-1000, -1000, -1000, 0]]),
        torch.tensor([[0.0, -5000, -5000, -5000], [5000, 5000, 5000, 0]]),
    ]
    given = [[scores, distance, z, 2] for scores in large]
    # float32 keeps no more
    assert_each(student, device, student.span_attention, given, [expected] * 5, rtol=1e-4)
    scores = torch.tensor([[4.0, 4, 1, 3], [1, 2, 5, 4]]).double().log()
    parts = torch.tensor([[0, 3, 1, 3], [0.75, 2, 5, 0]]).double()
    alone = torch.tensor([[0.0, 30, 0, 0]]).double()  # what matters lies at the foot of the ramp
    given = [[scores + offset, distance, z.double(), 2] for offset in (-1000, 1000)]
    given.append([alone, distance[:1], torch.tensor(0.03125).double(), 2])
    right = [*[parts / parts.sum(-1, keepdim=True)] * 2, torch.tensor([[0.0, 1, 0, 0]])]
    assert_each(student, device, student.span_attention, given, right)


@points(0.75, "span_attention", read="span-mistakes")
def test_gradients_reach_the_span(student, rng):
    """기울기가 점수에도 범위 z에도 흘러야 하고, 점수가 크거나 볼 것이 없는 행이 있어도 유한해야 합니다. log(0)을 지나는 기울기는 NaN입니다."""
    scores = torch.randn(2, 5, 5, generator=rng, dtype=torch.float64)
    spans, distance = torch.tensor([0.4, 2.3]).double().reshape(2, 1, 1), distances(5)
    cotangent = torch.randn(2, 5, 5, generator=rng, dtype=torch.float64)
    large = scores.masked_fill(distance < 0, 1000) + 1000  # the largest are hidden
    expected = gradients(attend_by_hand, scores, distance, spans, 2, cotangent=cotangent)["inputs"]
    weigh = place(student, on_copies)(student.span_attention)
    for given in (scores, large):
        found = gradients(weigh, given, distance, spans, 2, cotangent=cotangent)["inputs"]
        for i in (0, 2):
            assert_close(found[i], expected[i], atol=1e-6)
    whole = torch.tensor([1.0, 2.0]).double().reshape(2, 1, 1)  # some keys lie exactly where the ramp ends
    for beyond in (9, 4):  # nothing is left for query 3, which may see ramps end, too
        hidden = distance.masked_fill(torch.arange(5)[:, None] == 3, beyond)
        found = gradients(weigh, scores, hidden, whole, 2, cotangent=cotangent)["inputs"]
        for i in (0, 2):
            assert found[i].isfinite().all(), "기울기에 NaN이나 무한대가 있습니다."


@points(0.25, "span_attention", read="span-weights", step="robust")
def test_the_weights_have_manners(student):
    """가중치의 자료형과 장치는 점수를 따릅니다. 받은 점수를 바꾸지 마십시오."""
    scores, z = scattered((2, 4, 4), 1), torch.tensor(1.5, dtype=torch.float64)
    weights = student.span_attention(scores.clone(), distances(4), z, 2)
    assert weights.dtype == torch.float64, f"float64 점수에서 {weights.dtype}이 나왔습니다."
    assert_manners(student, student.span_attention, scores, distances(4), z, 2)


### END HIDDEN TESTS


# AdaptiveSpanAttention --------------------------------------------------------------------------------------


def known_weights(d_model, make):
    """`make(name, shape)` for each map's matrix and bias."""
    shapes = {"weight": (d_model, d_model), "bias": (d_model,)}
    return {f"{name}.{part}": make(f"{name}.{part}", shapes[part]) for name in MAPS for part in shapes}


def layer_of(student, d_model, num_heads, max_span, ramp, make, spans, device="cpu"):
    """The student's layer in float64 with these weights and spans, and what was set."""
    layer = student.AdaptiveSpanAttention(d_model, num_heads, max_span, ramp)
    values = known_weights(d_model, make) | {"z": torch.tensor(spans, dtype=torch.float64)}
    optional = [f"{name}.bias" for name in MAPS]
    return layer, load(student, layer, values, optional=optional, typed=True, device=device)


def random_weights(rng):
    return lambda name, shape: torch.randn(shape, generator=rng, dtype=torch.float64) / 2


def fixed_weights(name, shape):
    return scattered(shape, name) if len(shape) == 2 else torch.zeros(shape, dtype=torch.float64)


def dense(x, state, max_span, ramp):
    """What the layer returns; biases that it lacks are zero."""
    zero = known_weights(x.shape[-1], lambda name, shape: torch.zeros(shape, dtype=torch.float64))
    return with_all_scores(x, zero | state, max_span, ramp)


@secret
def with_all_scores(x, state, max_span, ramp):
    """The whole matrix of scores, masked afterwards."""

    def project(name, x):
        return x @ state[f"{name}.weight"].T + state[f"{name}.bias"]

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


@points(0.25, "AdaptiveSpanAttention", read="span-layer", step="warm-up")
def test_equals_the_dense_formula(student, device):
    """헤드마다 자기 범위로 가린 어텐션과 같아야 합니다. sqrt(d_model / h), 헤드의 순서, 헤드마다의 z를 확인하십시오. 가중치는 (B, h, n, n)입니다."""
    layer, state = layer_of(student, 6, 2, 8, 2, fixed_weights, [0.5, 2.25], device)
    assert_equals_dense(layer, scattered((2, 7, 6), 0.1), state, 8, 2, device)


@points(0.25, "AdaptiveSpanAttention", read="span-layer")
def test_spans_are_parameters_that_start_in_the_middle(student):
    """z는 헤드마다 하나씩, 모양이 (h,)인 파라미터이고 처음 값은 max_span / 2입니다."""
    layer = student.AdaptiveSpanAttention(12, 3, 21, 4)
    z = parameters(student, layer, "z").get("z")
    assert z is not None, "z라는 파라미터가 없습니다."
    assert_close(z, torch.tensor([10.5, 10.5, 10.5]))


@points(0.25, "AdaptiveSpanAttention", read="multi_head_attention#heads-divide", step="robust")
def test_uneven_heads_are_refused(student):
    """d_model이 헤드의 수로 나누어떨어지지 않으면 모듈을 만들 때 ValueError를 내야 합니다."""
    student.AdaptiveSpanAttention(8, 4, 16, 2)
    with pytest.raises(ValueError):
        student.AdaptiveSpanAttention(10, 4, 16, 2)


@observes("AdaptiveSpanAttention")
def observe_adaptive_span_attention(student):
    ramp, x, wide = 5, scattered((1, 11, 6), 2), scattered((1, 48, 6), 5)
    count = place(student, multiplications)

    def unmixed(name, shape):
        return torch.eye(6).double() if name == "W_o.weight" else fixed_weights(name, shape)

    def layer(*spans, max_span=9, make=fixed_weights):
        made = student.AdaptiveSpanAttention(6, 2, max_span, ramp).double()
        values = known_weights(6, make) | {"z": torch.tensor(spans).double()}
        load(student, made, values, optional=values)
        return made

    def right(*spans, x=x, max_span=9, make=fixed_weights):
        return dense(x, known_weights(6, make) | {"z": torch.tensor(spans).double()}, max_span, ramp)

    def output(*spans, x=x, **options):
        found = layer(*spans, **options)(x)
        return found[0] if isinstance(found, list | tuple) else found

    def start():
        z = parameters(student, student.AdaptiveSpanAttention(6, 2, 9, ramp), "z").get("z")
        return "none" if z is None else "one" if z.numel() == 1 else z if list(z.shape) != [2] else "two"

    def heads():
        """What the heads found, in whatever order; "single" where all is well in float32 only."""
        found = outcome(lambda: layer(0, 6, make=unmixed)(x))
        if isinstance(found, str):
            alone = outcome(lambda: layer(0, 6, make=unmixed).float()(x.float())[0])
            return "single" if same(alone, right(0, 6, make=unmixed)[0]) else found
        found = found if isinstance(found, list | tuple) else [found]
        if any(part.dtype != torch.float64 for part in found):
            return "single"
        return found[0].flatten().sort().values

    def weights():
        """What became of them."""
        found, expected = layer(0, 6)(x), right(0, 6)[1]
        if not isinstance(found, list | tuple):
            return "none"
        found = found[1]
        if found.numel() == 11 * 11:
            return "merged"
        if same(found, expected):
            return "right"
        ordered = [
            part.sort(-1, descending=True).values[..., : found.shape[-1]] for part in (found, expected)
        ]
        return "moved" if same(*ordered) else found

    def between():
        found = output(1.45, 4.45)[:, -1]
        return "right" if same(found, right(1.45, 4.45)[0][:, -1]) else found

    def clamped():
        below = same(outcome(output, -1.5, 3), right(-1.5, 3)[0])
        above = outcome(lambda: output(1, 5, max_span=3))
        kinds = [
            name
            for name, most in (("cut", 3), ("as it is", 99))
            if same(above, right(1, 5, max_span=most)[0])
        ]
        return [below, *kinds]

    def short():
        return same(output(0, 6, x=x[:, :3]), right(0, 6, x=x[:, :3])[0])

    def cost():
        """Where the first input is still mixed in, further than blocks of thrice the reach would; products."""
        sparing = layer(0.5, 3, max_span=25)
        first = first_finite(sparing, wide)
        if not 0 < first <= 24:
            return "longest" if 25 < first <= 30 else first
        return "products" if count(sparing, wide)[0] > allowed(48, 6, 8) else "sparing"

    learning = ["z", *(f"{name}.weight" for name in MAPS)]
    return up_to_the_first_wrong(
        (start, "two"),
        (heads, right(0, 6, make=unmixed)[0].flatten().sort().values),
        (lambda: output(0, 6), right(0, 6)[0]),
        (weights, "right"),
        (between, "right"),
        (clamped, [True, "cut"]),
        (short, True),
        (cost, "sparing"),
        (lambda: bad_manners(student, layer(1, 5.25), x, learns=learning), "none"),
        (
            lambda: parameters(student, student.AdaptiveSpanAttention(6, 2, 9, ramp), "z")["z"],
            torch.full((2,), 4.5),
        ),
        (lambda: how_refused(student.AdaptiveSpanAttention, 10, 4, 16, 2), "refused"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "AdaptiveSpanAttention", read="span-layer")
def test_equals_the_dense_formula_at_every_size(student, device, rng):
    """길이가 1이어도, 헤드가 하나여도, 범위가 문장보다 길어도 같은 식이어야 합니다."""
    for batch, n, d_model, spans, ramp in [
        (1, 1, 4, [2.5], 3),
        (3, 6, 6, [0.0, 1.75, 4.5], 1),
        (2, 9, 8, [20.5, 3.25], 5),
        (2, 12, 4, [0.0, 0.0], 2),
    ]:
        layer, state = layer_of(student, d_model, len(spans), 32, ramp, random_weights(rng), spans, device)
        x = torch.randn(batch, n, d_model, generator=rng, dtype=torch.float64)
        assert_equals_dense(layer, x, state, 32, ramp, device)


@points(0.25, "AdaptiveSpanAttention", read="span-layer", step="robust")
def test_the_layer_has_manners(student):
    """출력과 가중치의 자료형과 장치는 입력을 따릅니다. 받은 텐서를 바꾸지 마십시오."""
    layer, x = student.AdaptiveSpanAttention(6, 2, 8, 2), scattered((2, 5, 6), 1)
    for dtype in (torch.float32, torch.float64):
        for found in layer.to(dtype)(x.to(dtype)):
            assert found.dtype == dtype, f"{dtype} 입력에서 {found.dtype}이 나왔습니다."
    assert_manners(student, layer, x)


@points(0.75, "AdaptiveSpanAttention", read="span-clamp")
def test_spans_are_clamped_where_they_are_used(student, rng):
    """학습하다 보면 z가 0보다 작아지거나 max_span보다 커집니다. 쓸 때 [0, max_span]으로 자르십시오. 계산할 거리도 자른 z로 정합니다."""
    layer, state = layer_of(student, 6, 2, 4, 2, random_weights(rng), [-2.5, 3.5])
    assert_equals_dense(layer, torch.randn(2, 10, 6, generator=rng, dtype=torch.float64), state, 4, 2)
    for spans in [[9.0, 1.5], [-1.0, -7.0], [3.75, 0.5]]:  # the same layer, as it learns
        state |= load(student, layer, {"z": torch.tensor(spans).double()})
        assert_equals_dense(layer, torch.randn(2, 10, 6, generator=rng, dtype=torch.float64), state, 4, 2)
        layer.eval()
    layer, _ = layer_of(student, 16, 2, 64, 2, random_weights(rng), [-3.0, 0.5])
    x = torch.randn(1, 96, 16, generator=rng, dtype=torch.float64)
    assert_sparing(student, layer, x, 3)


def assert_sparing(student, layer, x, reach):
    """That a call on 96 vectors of size 16 multiplies only what lies within reach."""
    (found, largest), most = place(student, multiplications)(layer, x), allowed(96, 16, reach)
    assert largest <= 2 * max(2 * 96**2, 3 * 96 * reach * 16), "n × n개의 곱을 모두 늘어놓았습니다."
    assert found >= 4 * 96 * 16**2, "네 선형 변환을 계산하지 않았습니다."
    assert found <= most, f"곱셈이 {found:,}번입니다. 범위 안의 점수만 계산하면 {most:,}번이 넘지 않습니다."


@points(1.25, "AdaptiveSpanAttention", read="span-cost")
def test_nothing_beyond_the_longest_span_is_computed(student, device, rng):
    """거리가 max(z) + ramp 이상인 점수는 계산하지 않아야 합니다. n × n을 모두 계산하고 가리면 범위가 짧아도 아끼는 것이 없습니다. z는 그래도 배워야 합니다."""
    for spans, reach in [([0.5, 3.0], 5), ([4.25, 1.0], 7)]:
        layer, _ = layer_of(student, 16, 2, 64, 2, random_weights(rng), spans, device)
        x = torch.randn(1, 96, 16, generator=rng, dtype=torch.float64).to(device)
        layer.eval()
        assert_sparing(student, layer, x, reach)
        assert 0 < first_finite(layer, x) <= 3 * reach, "범위 밖의 벡터가 출력에 섞입니다."
    assert "z" in reached(layer, x), "z로 기울기가 흐르지 않습니다."


@points(0.5, "AdaptiveSpanAttention", read="why-a-ramp")
def test_everything_learns(student, device, rng):
    """기울기가 네 선형 변환과 z에 모두 이르러야 합니다. z를 int나 item으로 바꾼 값은 범위를 정하는 데만 쓰고, 마스크에는 z를 그대로 넣으십시오."""
    layer, state = layer_of(student, 6, 2, 8, 2, random_weights(rng), [0.5, 3.25], device)
    x = torch.randn(2, 8, 6, generator=rng, dtype=torch.float64)
    cotangent = torch.randn(2, 8, 6, generator=rng, dtype=torch.float64)
    found = gradients(layer, x.to(device), cotangent=cotangent.to(device))
    leaves = {name: value.clone().requires_grad_() for name, value in state.items()}
    source = x.clone().requires_grad_()
    (dense(source, leaves, 8, 2)[0] * cotangent).sum().backward()
    assert_close(found["inputs"][0], source.grad, atol=1e-6)
    for name in [*(f"{name}.weight" for name in MAPS), "z"]:
        gradient = found["parameters"].get(name)
        assert gradient is not None, f"{name}에 기울기가 없습니다."
        assert_close(gradient, leaves[name].grad, atol=1e-6)


### END HIDDEN TESTS


# span_slope -------------------------------------------------------------------------------------------------


@secret
def slope_by_difference(scores, distance, z, ramp, gain):
    """How much the mixture of the gains grows from a little less than z to a little more."""
    step = 1e-5
    more, less = ((attend_by_hand(scores, distance, z + way, ramp) * gain).sum(-1) for way in (step, -step))
    return (more - less) / (2 * step)


def slopes(seed=1):
    """Scores, distances, a span, a ramp and gains, the same each time; no key at an edge of the ramp."""
    scores, gain = 2 * scattered((2, 5, 5), seed), scattered((2, 5, 5), seed + 1)
    return scores, distances(5), torch.tensor(1.25).double(), 2, gain


@points(0.25, "span_slope", read="why-a-ramp", step="warm-up")
def test_slope_by_hand(student, device):
    """가중치를 z로 미분하십시오. 움직이는 것은 비탈에 있는 키의 마스크와, 가중치를 나누던 합입니다. 합이 커지면 다른 키의 몫이 줄어듭니다."""
    for gain, right in [([0, 1, 0, 0], 0.0625), ([1, 0, 0, 0], 0.1875), ([0, 0, 0, 1], -0.1875)]:
        given = EXPS.log(), BACK, torch.tensor(1.5)
        there = [part.to(device) for part in given]
        found = student.span_slope(*there, 2, torch.tensor([gain]).float().to(device))
        assert_close(found, torch.tensor([right]))


@observes("span_slope")
def observe_span_slope(student):
    slope, given = student.span_slope, slopes()
    scores, distance, _, ramp, gain = given
    spans = torch.tensor([0.25, 2.75]).double().reshape(2, 1, 1)
    blind = torch.tensor([[-2, -1], [7, 8]])

    def survives():
        """Whether scores as large as these, seen or hidden, do no harm."""
        places = torch.tensor([[9, 2, 1, 0]])
        found = [
            slope(torch.tensor([row]).float(), places, torch.tensor(0.5), 2, EXPS.clone())
            for row in ([0.0, 1000, 1000, 999], [1000.0, 0, 1, 2])
        ]
        fine = [[0.0, 1000 - 1000, 0, -1], [0.0, 0, 1, 2]]
        right = [
            slope_by_difference(torch.tensor([row]).double(), places, torch.tensor(0.5).double(), 2, EXPS)
            for row in fine
        ]
        return [
            "right" if same(*pair) else "another" if pair[0].isfinite().all() else "no number"
            for pair in zip(found, right, strict=True)
        ]

    return up_to_the_first_wrong(
        (lambda: list(slope(*given).shape), [2, 5]),
        (lambda: slope(*given), slope_by_difference(*given)),
        (
            lambda: slope(scores, distance, spans, ramp, gain),
            slope_by_difference(scores, distance, spans, ramp, gain),
        ),
        (lambda: slope(scores[:, :2, :2], blind, given[2], 2, gain[:, :2, :2]), torch.zeros(2, 2)),
        (survives, ["right", "right"]),
        (lambda: str(slope(*given).dtype), "torch.float64"),
        (lambda: mutated(slope, *given), []),
    )


### BEGIN HIDDEN TESTS
@points(1.5, "span_slope", read="why-a-ramp")
def test_slope_is_how_the_mixture_changes(student, device, rng):
    """z를 조금 줄였을 때와 늘렸을 때의 y의 차와 같아야 합니다. 헤드마다 범위가 달라도, 비탈이 길어도 짧아도 그렇습니다."""
    given = []
    for n_q, n_k, ramp, span in [(4, 4, 2, 1.25), (3, 8, 4, 2.5), (6, 6, 0.75, 0.5), (5, 5, 32, 1.75)]:
        scores, gain = torch.randn(2, 2, 3, n_q, n_k, generator=rng, dtype=torch.float64)
        z = span + torch.arange(3).double().reshape(3, 1, 1)
        given += [[scores, distances(n_q, n_k), spans, ramp, gain] for spans in (z[0, 0, 0], z)]
    right = [slope_by_difference(*args) for args in given]
    assert_each(student, device, student.span_slope, given, right, rtol=1e-4, atol=1e-6)


@points(0.25, "span_slope", read="span-mistakes", step="robust")
def test_slope_of_rows_with_nothing_and_of_large_scores(student):
    """볼 것이 남지 않은 행에서는 NaN이 아니라 0입니다. 보이는 점수가 크든, 가린 점수만 크든 정확합니다. 자료형과 장치는 입력을 따르고, 입력은 바꾸지 않습니다."""
    z, gain = torch.tensor(0.5).double(), EXPS.double()
    blind = torch.tensor([[-2, -1, 9, 8]])
    assert_close(student.span_slope(EXPS.double(), blind, z, 2, gain), torch.zeros(1))
    places, scores = torch.tensor([[9, 2, 1, 0]]), torch.tensor([[0.0, 1, 2, 1]]).double()
    right = slope_by_difference(scores, places, z, 2, gain)
    hidden = scores + 1000 * (places == 9)
    for large in (scores + 1000, hidden):
        assert_close(student.span_slope(large, places, z, 2, gain), right, rtol=1e-4)
    given = slopes()
    found = student.span_slope(*given)
    assert found.dtype == torch.float64, f"float64 입력에서 {found.dtype}이 나왔습니다."
    assert_manners(student, student.span_slope, *given)


### END HIDDEN TESTS
