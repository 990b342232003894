"""What the exercise `product_key_memory` is graded by."""

import math

import torch

from grader.judging.contract import assert_manners, bad_manners, how_refused, unreached
from grader.judging.memory import measured
from grader.judging.observed import alike, same, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
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
from grader.judging.values import secret


@secret
def search_all(query, half_keys_1, half_keys_2, k):
    """The k best of all keys: every pair of sub-keys, scored as one key."""
    n = len(half_keys_1)
    keys = torch.stack([torch.cat([a, b]) for a in half_keys_1 for b in half_keys_2])
    scores = query @ keys.T
    order = sorted(range(n * n), key=lambda slot: (-scores[slot].item(), slot))[:k]
    return scores[order], torch.tensor(order)


def at_one(function, value, *shapes):
    """What a function makes of one vector, given in the first of the shapes that it can take."""
    for shape in shapes:
        found = outcome(function, value.reshape(*shape, -1))
        if not isinstance(found, str):  # an error's name
            return found
    raise ValueError("takes none of the shapes")


# product_topk -----------------------------------------------------------------------------------------------

BY_HAND = torch.tensor([1.0, 1.0]), torch.tensor([[5.0], [3.0], [1.0]]), torch.tensor([[4.0], [3.0], [0.0]])


def whole_numbers(key, *shape):
    """Small integers, so that many scores are equal and none is rounded."""
    return (2.5 * scattered(shape, key)).round()


@points(0.25, "product_topk", read="pkm-pairs", step="warm-up")
def test_two_of_nine(student, device):
    """절반마다 k개를 고르고, 고른 것끼리 만드는 짝을 모두 더해 그 가운데 가장 큰 k개를 고르십시오. 슬롯 번호는 i * n + j입니다."""
    scores, slots = student.product_topk(*(x.to(device) for x in BY_HAND), 2)
    assert_close(scores, torch.tensor([9.0, 8.0]))
    assert_close(slots, torch.tensor([0, 1]))


@points(0.25, "product_topk", read="pkm-exact")
def test_equals_the_search_of_all_keys(student):
    """모든 키를 비교한 결과와 점수도 슬롯도 같아야 합니다. 점수는 두 절반의 내적을 더한 것이고, 나누지 않습니다."""
    query, half_keys = scattered((4,), 1), scattered((2, 5, 2), 2)
    for k in (1, 4):
        scores, slots = student.product_topk(query, *half_keys, k)
        expected_scores, expected_slots = search_all(query, *half_keys, k)
        assert_close(scores, expected_scores)
        assert_close(slots, expected_slots)


@observes("product_topk")
def observe_product_topk(student):
    find = student.product_topk
    query, half_keys = scattered((6,), 7), scattered((2, 5, 3), 4)
    right_scores, right_slots = search_all(query, *half_keys, 4)

    def search(query, half_keys, k):
        scores, slots = at_one(lambda x: find(x, *half_keys, k), query, (), (1,))
        return scores.flatten(), slots.flatten()

    def order():
        scores, _ = search(query, half_keys, 4)
        if not scores.is_floating_point():
            return "whole numbers"
        steps = scores.diff()
        if not steps.isfinite().all():
            return "not finite"
        return "descending" if (steps <= 0).all() else "ascending" if (steps >= 0).all() else "none"

    def scores_to_the_first():
        scores, _ = search(query, half_keys, 4)
        return scores / scores[0]

    def slots():
        best_first = torch.tensor([[9.0, 8.0, 3.0, 1.0, 0.0], [7.0, 5.5, 5.0, 4.0, 1.0]])
        _, found = search(query, half_keys, 4)
        few = bool((found < 16).all())  # as many as there are candidates
        return search(torch.ones(2), best_first[..., None], 4)[1].tolist(), same(found, right_slots), few

    def is_right(query, half_keys, k):
        scores, slots = find(query, *half_keys, k)
        expected = [search_all(row, *half_keys, k) for row in query.reshape(-1, query.shape[-1])]
        shape = (*query.shape[:-1], k)
        return same(scores, torch.stack([row for row, _ in expected]).reshape(shape)) and same(
            slots, torch.stack([row for _, row in expected]).reshape(shape)
        )

    def every_number_of_axes():
        queries = [query, scattered((3, 6), 5), scattered((2, 3, 6), 6)]
        return all(outcome(is_right, x, half_keys, 4) is True for x in queries)

    def beyond_n():
        found, _ = find(query, *half_keys[:, :3], 5)
        return len(found), is_right(query, half_keys[:, :3], 5)

    def ties():
        return all(
            is_right(whole_numbers(key, 4, 2), whole_numbers(key + 1, 2, n, 1), k)
            for key, (n, k) in enumerate([(6, 5), (6, 9), (7, 1), (12, 7)], start=5)
        )

    batch = scattered((2, 3, 6), 3), *half_keys, 3
    return up_to_the_first_wrong(
        (order, "descending"),
        (scores_to_the_first, right_scores / right_scores[0]),
        (lambda: same(search(query, half_keys, 4)[0], right_scores), True),
        (slots, [[0, 5, 1, 2], True, False]),
        (every_number_of_axes, True),
        (lambda: measured(student, find, query, *scattered((2, 64, 3), 10), 3)[0] < 1000, True),
        (beyond_n, [5, True]),
        (lambda: is_right(query, half_keys[:, :3], 9), True),
        (ties, True),
        (lambda: how_refused(find, query, *half_keys[:, :3], 10), "refused"),
        (lambda: bad_manners(student, find, *batch), "none"),
    )


### BEGIN HIDDEN TESTS
@points(1.25, "product_topk", read="pkm-exact")
def test_any_k_and_any_leading_axes(student, rng):
    """배치 축이 몇이든, 모든 키를 비교한 결과와 같아야 합니다. 그러나 키를 모두 비교하지는 않고, 점수는 질의와 반쪽 키로 기울기를 보내야 합니다."""
    for shape, n, half, k in [
        ((), 3, 2, 3),
        ((4,), 7, 3, 5),
        ((2, 3), 4, 1, 4),
        ((1, 2, 1), 1, 2, 1),
    ]:
        query = torch.randn(*shape, 2 * half, generator=rng, dtype=torch.float64)
        half_keys = torch.randn(2, n, half, generator=rng, dtype=torch.float64)
        scores, slots = student.product_topk(query, *half_keys, k)
        expected = [search_all(row, *half_keys, k) for row in query.reshape(-1, 2 * half)]
        assert_close(scores, torch.stack([row for row, _ in expected]).reshape(*shape, k))
        assert_close(slots, torch.stack([row for _, row in expected]).reshape(*shape, k))
    query, half_keys = torch.randn(2, 4, generator=rng), torch.randn(2, 300, 2, generator=rng)
    made, *_ = measured(student, student.product_topk, query, *half_keys, 3)
    assert made < 300 * 300 / 8, f"원소가 {made:,}개인 텐서를 만들었습니다."
    assert reached(student.product_topk, query, *half_keys, 3) == ["0", "1", "2"], "기울기가 끊겼습니다."


@points(0.25, "product_topk", read="pkm-ties", step="robust")
def test_equal_scores_in_the_order_of_slots(student, rng):
    """점수가 같으면 슬롯 번호가 작은 것이 먼저입니다. 절반에서 고를 때도, 짝에서 고를 때도 그렇습니다. 짝을 슬롯 차례로 늘어놓고 stable=True로 정렬하십시오."""
    # Half scores (1, 2) and (2, 1): the better halves make slot 3 before slot 0.
    halves = torch.tensor([[[1.0], [2.0]], [[2.0], [1.0]]])
    assert_close(student.product_topk(torch.ones(2), *halves, 3)[1], torch.tensor([2, 0, 3]))
    equal = torch.ones(24, 1)  # of more than 16, a sort that is not stable mixes equals up
    assert_close(student.product_topk(torch.ones(2), equal, equal, 17)[1], torch.arange(17))
    for n, k in [(9, 4), (7, 1), (24, 17)]:
        query = torch.randint(-2, 3, (3, 2), generator=rng).double()
        half_keys = torch.randint(-2, 3, (2, n, 1), generator=rng).double()
        _, slots = student.product_topk(query, *half_keys, k)
        assert_close(slots, torch.stack([search_all(row, *half_keys, k)[1] for row in query]))


@points(0.25, "product_topk", read="pkm-grading", step="robust")
def test_more_than_all_slots_are_refused(student):
    """반쪽 키는 n개뿐이므로 k가 n보다 크면 절반에서는 min(k, n)개를 고릅니다. 슬롯은 n * n개입니다. k가 그보다 크면 ValueError를 내고, 같으면 모두 돌려줍니다."""
    for k in (5, 9):
        for found, right in zip(student.product_topk(*BY_HAND, k), search_all(*BY_HAND, k), strict=True):
            assert_close(found, right)
    assert refuses(student.product_topk, *BY_HAND, 10), "ValueError를 내지 않았습니다."


@points(0.5, "product_topk", read="pkm-pairs")
def test_not_every_key_is_scored(student, rng):
    """키를 모두 만들거나 모든 짝의 점수를 만들었습니다. n이 1,024이면 짝은 백만 개가 넘습니다. 절반에서 먼저 k개로 줄이십시오."""
    n, k = 1024, 8
    query, half_keys = torch.randn(2, generator=rng).double(), torch.randn(2, n, 1, generator=rng).double()
    of_all = (query[0] * half_keys[0] + query[1] * half_keys[1].T).flatten()
    assert_close(student.product_topk(query, *half_keys, k)[0], of_all.topk(k).values)
    made, *_ = measured(student, student.product_topk, query, *half_keys, k)
    assert made < n * n / 8, f"원소가 {made:,}개인 텐서를 만들었습니다."


@points(0.5, "product_topk", read="pkm-grading")
def test_gradients_of_scores(student, rng):
    """점수는 질의와 반쪽 키로 기울기를 보내야 합니다(detach, item을 지나지 않습니다)."""
    query, half_keys = torch.randn(2, 4, generator=rng), torch.randn(2, 3, 2, generator=rng)
    inputs, cotangent = (query, *half_keys, 2), torch.randn(2, 2, generator=rng)
    found = gradients(student.product_topk, *inputs, cotangent=cotangent)["inputs"]
    slots = student.product_topk(*inputs)[1]
    by_hand = torch.cat([half_keys[0][slots // 3], half_keys[1][slots % 3]], dim=-1)
    assert_close(found[0], (cotangent[..., None] * by_hand).sum(-2))
    assert reached(student.product_topk, *inputs) == ["0", "1", "2"], "기울기가 끊겼습니다."


@points(0.25, "product_topk", read="pkm-grading", step="robust")
def test_topk_has_manners(student, rng):
    """점수의 자료형과 장치는 입력을 따르고, 입력은 바꾸지 않습니다."""
    query, half_keys = torch.randn(2, 4, generator=rng), torch.randn(2, 3, 2, generator=rng)
    inputs = (query, *half_keys, 2)
    doubled = [x.double() for x in inputs[:3]]
    assert student.product_topk(*doubled, 2)[0].dtype == torch.float64, "자료형이 입력을 따르지 않습니다."
    assert_manners(student, student.product_topk, *inputs)


### END HIDDEN TESTS


# ProductKeyMemory -------------------------------------------------------------------------------------------


def known(student, d_model, n, d_value, k, num_heads, make):
    """A module in float64 and the parameters that it was given; a bias of the query may be missing."""
    module = student.ProductKeyMemory(d_model, n, d_value, k, num_heads).double()
    shapes = {
        "query.weight": (num_heads * d_model, d_model),
        "query.bias": (num_heads * d_model,),
        "half_keys": (num_heads, 2, n, d_model // 2),
        "values.weight": (n * n, d_value),
    }
    values = {name: make(name, shape) for name, shape in shapes.items()}
    return module, load(student, module, values, optional=["query.bias"])


def read_all(x, state, k):
    """What the memory returns; a bias that it lacks is zero."""
    bias = torch.zeros(len(state["query.weight"]))
    return with_all_keys(x, {"query.bias": bias} | state, k)


@secret
def with_all_keys(x, state, k):
    """Attention over all keys with all but the k best hidden, the heads summed."""
    half_keys, d_model = state["half_keys"], x.shape[-1]
    queries = x @ state["query.weight"].T + state["query.bias"]
    output = 0.0
    for query, (first, second) in zip(queries.split(d_model, dim=-1), half_keys, strict=True):
        keys = torch.stack([torch.cat([a, b]) for a in first for b in second])
        scores = query @ keys.T
        least = scores.sort(dim=-1, descending=True).values[..., k - 1 : k]
        output = output + scores.masked_fill(scores < least, -math.inf).softmax(-1) @ state["values.weight"]
    return output


def fixed_weights(name, shape):
    return torch.zeros(shape) if name.endswith("bias") else 2 * scattered(shape, name)


def random_weights(rng):
    return lambda name, shape: torch.randn(shape, generator=rng, dtype=torch.float64)


@points(0.25, "ProductKeyMemory", read="pkm-heads", step="warm-up")
def test_shapes_of_parameters(student):
    """이름과 모양이 글에 적힌 것과 같아야 합니다: query는 (h * d_model, d_model), half_keys는 (h, 2, n, d_model / 2), values는 n * n행입니다."""
    found = parameters(student, student.ProductKeyMemory(6, 4, 5, 3, 2))
    shapes = {name: tuple(value.shape) for name, value in found.items() if name != "query.bias"}
    assert shapes == {"query.weight": (12, 6), "half_keys": (2, 2, 4, 3), "values.weight": (16, 5)}, shapes


@points(0.5, "ProductKeyMemory", read="pkm-heads")
def test_equals_masked_attention_over_all_keys(student, device):
    """헤드마다 찾은 k개의 점수에 소프트맥스를 취해 그 슬롯의 값을 섞고, 헤드의 결과를 더합니다. 점수는 나누지 않습니다."""
    module, state = known(student, 4, 3, 5, 2, 2, fixed_weights)
    x = scattered((3, 4), 0.5)
    assert_close(module.to(device)(x.to(device)), read_all(x, state, 2), atol=1e-9)


@observes("ProductKeyMemory")
def observe_product_key_memory(student):
    make = student.ProductKeyMemory
    names = ("query.weight", "half_keys", "values.weight")
    one, shapes = scattered((6,), 0.7), [(1, 1), (1,), ()]

    def shapes_of(*sizes):
        found = parameters(student, make(*sizes))
        shapes = [list(found[name].shape) if name in found else None for name in names]
        return *shapes, bool(found.keys() - {*names, "query.bias"})

    def output_of(x, *sizes):
        module, state = known(student, *sizes, fixed_weights)
        return at_one(module, x, *shapes), state

    def right_output(heads):
        make = {"half_keys": (heads, 2, 3, 3), "values.weight": (9, 5), "query.weight": (heads * 6, 6)}
        return read_all(one, {name: fixed_weights(name, shape) for name, shape in make.items()}, 3)

    def divides():
        found, state = output_of(one, 6, 3, 5, 3, 1)
        divided = [{**state, "query.weight": state["query.weight"] / by} for by in (6, 3, 6**0.5, 3**0.5)]
        return any(same(found.flatten(), read_all(one, other, 3)) for other in divided)

    def forgets_the_length():
        """Another length of the query changes nothing, another direction does."""
        module, _ = known(student, 6, 3, 5, 3, 1, fixed_weights)
        short, long = (at_one(module, x, *shapes) for x in (one, 3 * one))
        return same(short, long) and "0" in at_one(lambda x: reached(module, x), one, *shapes)

    def every_number_of_axes():
        module, state = known(student, 4, 3, 5, 2, 2, fixed_weights)
        inputs = [scattered((*shape, 4), 0.5) for shape in [(), (3,), (2, 3)]]
        return all(outcome(lambda x: same(module(x), read_all(x, state, 2)), x) is True for x in inputs)

    def cut():
        module, _ = known(student, 4, 3, 5, 2, 2, fixed_weights)
        return unreached(["0", *names], module, scattered((3, 4), 0.5))

    def start():
        make = place(student, where_nothing_is_filled)
        keys, again = (
            parameters(student, make(student.ProductKeyMemory, 8, 4, 5, 2, 3))["half_keys"].flatten(0, 2)
            for _ in range(2)
        )
        if keys.isnan().any():
            return "not filled"
        return {1: "equal", len(keys): "apart"}.get(len(keys.unique(dim=0)), "some equal"), same(keys, again)

    return up_to_the_first_wrong(
        (lambda: shapes_of(6, 4, 5, 3, 2), [[12, 6], [2, 2, 4, 3], [16, 5], False]),
        (lambda: type(output_of(one, 6, 3, 5, 3, 1)[0]).__name__, "Tensor"),
        (divides, False),
        (forgets_the_length, False),
        (lambda: output_of(one, 6, 3, 5, 3, 1)[0].flatten(), right_output(1)),
        (lambda: output_of(one, 6, 3, 5, 3, 2)[0].flatten(), right_output(2)),
        (every_number_of_axes, True),
        (lambda: bool(parameters(student, make(4, 2, 5, 4, 2))), True),
        (lambda: bool(output_of(1e4 * one, 6, 3, 5, 3, 1)[0].isfinite().all()), True),
        (cut, []),
        (start, ["apart", False]),
        (
            lambda: [how_refused(make, 5, 4, 5, 3, 2), how_refused(make, 4, 2, 5, 5, 2)],
            ["refused", "refused"],
        ),
        (lambda: bad_manners(student, make(4, 3, 5, 2, 2).double(), scattered((2, 4), 1), learns=()), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "ProductKeyMemory", read="pkm-heads")
def test_equals_masked_attention_at_every_size(student, rng):
    """헤드와 슬롯의 수, 배치 축이 달라져도, k가 1이거나 모든 슬롯이어도 맞고, 모든 파라미터가 배워야 합니다. d_value는 d_model과 다를 수 있습니다."""
    for shape, *sizes in [
        ((2,), 6, 4, 3, 1, 3),
        ((2, 3), 4, 3, 7, 5, 1),
        ((), 2, 2, 1, 4, 4),
        ((1, 2, 2), 4, 5, 4, 3, 2),
    ]:
        module, state = known(student, *sizes, random_weights(rng))
        x = torch.randn(*shape, sizes[0], generator=rng, dtype=torch.float64)
        assert_close(module(x), read_all(x, state, sizes[3]), atol=1e-9)
        assert_close(module.eval()(x), read_all(x, state, sizes[3]), atol=1e-9)
    learning = {"0", *state} - {"query.bias"}
    assert learning <= set(reached(module, x)), "기울기가 끊긴 곳이 있습니다."


@points(1, "ProductKeyMemory", read="pkm-usage")
def test_gradients_reach_what_was_read(student, rng):
    """기울기는 읽은 슬롯의 값, 그 키, 질의, 입력까지 흘러야 합니다. 읽지 않은 슬롯의 값에는 기울기가 없습니다."""
    for k in (2, 3):
        module, state = known(student, 4, 3, 5, k, 2, random_weights(rng))
        x = torch.randn(2, 4, generator=rng, dtype=torch.float64)
        cotangent = torch.randn(2, 5, generator=rng, dtype=torch.float64)
        found = gradients(module, x, cotangent=cotangent)
        names = [name for name in state if name != "query.bias"]
        learning = {name: value.clone().requires_grad_() for name, value in state.items()}
        read_all(x, learning, k).backward(cotangent)
        for name in names:
            grad = found["parameters"].get(name)
            assert grad is not None, f"{name}에 기울기가 없습니다."
            assert_close(grad, learning[name].grad, atol=1e-9)
        assert (found["inputs"][0] != 0).any(), "입력에 기울기가 없습니다."


@points(0.25, "ProductKeyMemory", read="pkm-grading", step="robust")
def test_impossible_sizes_are_refused(student):
    """d_model은 짝수여야 하고, k는 슬롯의 수 n * n을 넘을 수 없습니다. 모듈을 만들 때 ValueError를 내십시오."""
    assert parameters(student, student.ProductKeyMemory(4, 3, 5, 9, 2)), "k가 슬롯의 수와 같아도 됩니다."
    assert refuses(student.ProductKeyMemory, 5, 4, 5, 3, 2), "홀수 d_model을 받았습니다."
    assert refuses(student.ProductKeyMemory, 4, 3, 5, 10, 2), "슬롯보다 큰 k를 받았습니다."


@points(0.25, "ProductKeyMemory", read="pkm-grading", step="robust")
def test_dtype_and_device(student):
    """출력의 자료형과 장치는 모듈과 입력을 따르고, 입력은 바꾸지 않습니다."""
    module = student.ProductKeyMemory(4, 3, 5, 2, 2)
    x = scattered((2, 4), 1).float()
    assert tuple(module(x).shape) == (2, 5), "출력 하나가 (..., d_value)여야 합니다."
    assert module.double()(x.double()).dtype == torch.float64
    assert_manners(student, module, x.double())


@points(0.25, "ProductKeyMemory", read="pkm-usage", step="robust")
def test_half_keys_start_apart(student):
    """반쪽 키가 모두 같은 수로 시작하면 모든 질의가 같은 슬롯을 읽고, 읽지 않은 슬롯은 배우지 못합니다. 무작위로 시작하십시오."""
    make = place(student, where_nothing_is_filled)
    half_keys, again = (
        parameters(student, make(student.ProductKeyMemory, 8, 4, 5, 2, 3))["half_keys"].flatten(0, 2)
        for _ in range(2)
    )
    assert len(half_keys) == 24, f"반쪽 키가 {len(half_keys)}개입니다."
    apart = (half_keys[:, None] - half_keys).abs().sum(-1) > 0
    assert apart.sum() == 24 * 23, "같은 반쪽 키가 있습니다."
    assert not torch.equal(half_keys, again), "모듈을 만들 때마다 같은 수에서 시작합니다."


@points(0.25, "ProductKeyMemory", read="pkm-grading", step="robust")
def test_large_scores(student, rng):
    """점수가 1,000처럼 커도 출력이 유한해야 합니다. exp를 직접 쓰면 넘칩니다."""
    module, state = known(student, 4, 3, 5, 3, 1, random_weights(rng))
    x = 1e4 * torch.randn(3, 4, generator=rng, dtype=torch.float64)
    assert_close(module(x), read_all(x, state, 3), atol=1e-6)


### END HIDDEN TESTS


def where_nothing_is_filled(make, *sizes):
    """A module made where memory that nobody fills is NaN, not what happened to be there."""
    import torch

    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("error")  # use_deterministic_algorithms loads torch's compiler
    try:
        return make(*sizes)
    finally:
        torch.set_deterministic_debug_mode(before)


# candidate_pairs --------------------------------------------------------------------------------------------


def is_chosen(i, j, n, k):
    """Whether ranks (i, j) are among the k best where the scores favour them most: all after them are far below."""
    first = [-rank - 1e6 * (rank > i) for rank in range(n)]
    second = [-rank / n - 1e6 * (rank > j) for rank in range(n)]
    sums = sorted((x + y for x in first for y in second), reverse=True)
    return first[i] + second[j] in sums[:k]


@secret
def all_that_can_be_chosen(n, k):
    return [[i, j] for i in range(n) for j in range(n) if is_chosen(i, j, n, k)]


def in_order(pairs):
    """As lists, in order, whatever the order was."""
    return sorted([int(number) for number in pair] for pair in pairs.tolist())


@points(0.25, "candidate_pairs", read="pkm-exact", step="warm-up")
def test_three_of_twenty_five(student):
    """앞 절반의 등수도 뒤 절반의 등수도 (i, j)에 뒤지지 않는 다른 짝은 언제나 앞섭니다. 그런 짝이 k개보다 적을 때만 뽑힐 수 있습니다."""
    assert in_order(student.candidate_pairs(5, 3)) == [[0, 0], [0, 1], [0, 2], [1, 0], [2, 0]]
    assert in_order(student.candidate_pairs(4, 1)) == [[0, 0]]


@observes("candidate_pairs")
def observe_candidate_pairs(student):
    pairs = student.candidate_pairs

    def found(*sizes):
        return in_order(pairs(*sizes))

    return up_to_the_first_wrong(
        (lambda: list(pairs(9, 6).shape[1:]), [2]),
        (lambda: found(9, 6), all_that_can_be_chosen(9, 6)),
        (lambda: found(4, 6), all_that_can_be_chosen(4, 6)),
        (lambda: len(found(2, 9)), 4),
        (lambda: pairs(9, 6).tolist(), all_that_can_be_chosen(9, 6)),
        (lambda: str(pairs(4, 4).dtype), "torch.int64"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "candidate_pairs", read="pkm-exact")
def test_none_missing_and_none_too_many(student):
    """어떤 점수에서 뽑히는 짝은 빠지지 않고, 어떤 점수에서도 뽑히지 않는 짝은 없어야 합니다."""
    for n, k in [(1, 1), (7, 4), (8, 6), (12, 12)]:
        found, right = in_order(student.candidate_pairs(n, k)), all_that_can_be_chosen(n, k)
        missing = [pair for pair in right if pair not in found]
        assert not missing, f"반쪽 키가 {n}개씩이고 k가 {k}이면 {missing[0]}도 뽑힐 수 있습니다."
        extra = [pair for pair in found if pair not in right]
        assert not extra, f"반쪽 키가 {n}개씩이고 k가 {k}이면 {extra[0]}은 언제나 밀려납니다."
        assert len(found) == len(right), "같은 짝이 두 번 있습니다."


@points(0.25, "candidate_pairs", read="pkm-grading", step="robust")
def test_pairs_in_order_and_within_the_lists(student):
    """i가 작은 것부터, i가 같으면 j가 작은 것부터 놓은 정수 텐서입니다. k가 n보다 커도 등수는 n보다 작습니다."""
    for n, k in [(8, 6), (3, 5), (2, 9)]:
        pairs = student.candidate_pairs(n, k)
        assert pairs.tolist() == all_that_can_be_chosen(n, k), f"n = {n}, k = {k}"
        assert not pairs.is_floating_point(), "정수여야 합니다."


### END HIDDEN TESTS


# memory_usage -----------------------------------------------------------------------------------------------


def assert_usage(found, share, kl):
    assert isinstance(found, tuple | list) and len(found) == 2, "둘을 돌려주어야 합니다."
    for name, value, expected in zip(["쓰인 비율", "KL"], found, [share, kl], strict=True):
        assert isinstance(value, float), f"{name}이 float가 아니라 {type(value).__name__}입니다."
        assert abs(value - expected) < 1e-5, f"{name}: {expected:.4f} 대신 {value:.4f}"


@points(0.25, "memory_usage", read="pkm-usage", step="warm-up")
def test_one_slot_and_all_slots(student):
    """한 슬롯만 읽으면 비율은 1 / N, KL은 ln N입니다. 모든 슬롯을 고르게 읽으면 1과 0입니다. 로그의 밑은 e입니다."""
    assert_usage(
        student.memory_usage(torch.full((3, 2), 5), torch.full((3, 2), 0.5), 16), 1 / 16, math.log(16)
    )
    assert_usage(student.memory_usage(torch.arange(4), torch.full((4,), 0.5), 4), 1.0, 0.0)


@points(0.5, "memory_usage", read="pkm-usage")
def test_weights_not_reads(student, device):
    """읽은 횟수가 아니라 받은 가중치를 더합니다. 같은 슬롯이 되풀이되면 쌓입니다. 그런 다음 전체 합으로 나눕니다."""
    uneven = math.log(4) + 0.75 * math.log(0.75) + 0.25 * math.log(0.25)
    slots, weights = torch.tensor([[1, 3]], device=device), torch.tensor([[0.75, 0.25]], device=device)
    assert_usage(student.memory_usage(slots, weights, 4), 0.5, uneven)
    slots = torch.tensor([[1, 3], [1, 1]], device=device)
    weights = torch.tensor([[0.5, 0.5], [0.75, 0.25]], device=device)
    assert_usage(student.memory_usage(slots, weights, 4), 0.5, uneven)


@observes("memory_usage")
def observe_memory_usage(student):
    def measure(slots, weights, num_keys):
        """The two numbers, of reads along one axis."""
        for leading in [(), (1,)]:
            reads = torch.tensor(slots).reshape(*leading, -1), torch.tensor(weights).reshape(*leading, -1)
            found = outcome(lambda reads: [float(x) for x in student.memory_usage(*reads, num_keys)], reads)
            if not isinstance(found, str):  # an error's name
                return found
        raise ValueError("takes neither shape")

    def share(*reads):
        return measure(*reads)[0]

    def divergence(*reads):
        return measure(*reads)[1]

    def forgets_the_total():
        once, thrice = (divergence([2, 0, 3, 1], [0.5 * x, 0.25 * x, x, x], 4) for x in (1.0, 3.0))
        return "not finite" if math.isnan(once - thrice) else abs(once - thrice) < 1e-4

    def every_number_of_axes():
        slots, weights = torch.tensor([0, 1, 0, 2, 2, 1, 4, 0]), scattered((8,), 3).abs() + 0.1
        flat = measure(slots.tolist(), weights.tolist(), 5)
        found = [
            outcome(lambda shape: student.memory_usage(slots.view(shape), weights.view(shape), 5), shape)
            for shape in [(8,), (4, 2), (2, 2, 2)]
        ]
        return all(outcome(lambda x: alike([float(y) for y in x], flat), one) is True for one in found)

    def types():
        return [type(x).__name__ for x in student.memory_usage(torch.arange(2), torch.ones(2), 4)]

    unused, unread = ([4, 1], [0.5, 1.5], 5), ([0, 2, 1], [1.0, 0.0, 0.5], 5)
    return up_to_the_first_wrong(
        (forgets_the_total, True),
        (lambda: measure([2, 0, 3, 1], [0.5, 0.25, 1.0, 1.0], 4), [1.0, 0.12264]),
        (lambda: measure([0, 1, 0, 2, 0], [0.5, 0.5, 0.25, 0.5, 0.75], 3), [1.0, 0.148342]),
        (lambda: share(*unused), 0.4),
        (lambda: divergence(*unused), 1.047103),
        (lambda: share(*unread), 0.4),
        (lambda: divergence(*unread), 0.972924),
        (lambda: share([0, 2], [1.0, 1e-12], 5), 0.4),
        (every_number_of_axes, True),
        (types, ["float", "float"]),
        (lambda: mutated(student.memory_usage, torch.arange(2), torch.ones(2), 4), []),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "memory_usage", read="pkm-usage")
def test_reads_add_up(student, rng):
    """축이 몇이든 모든 읽기를 더해야 하고, 같은 슬롯이 되풀이되면 가중치가 쌓여야 합니다."""
    for shape, num_keys in [((7,), 3), ((2, 5, 3), 11), ((4, 2), 100), ((2, 2, 2, 2), 1)]:
        slots = torch.randint(0, num_keys, shape, generator=rng)
        weights = torch.rand(shape, generator=rng)
        totals = [0.0] * num_keys
        for slot, weight in zip(slots.flatten().tolist(), weights.flatten().tolist(), strict=True):
            totals[slot] += weight
        p = [total / sum(totals) for total in totals if total > 0]
        kl = sum(x * math.log(num_keys * x) for x in p)
        assert_usage(student.memory_usage(slots, weights.clone(), num_keys), len(p) / num_keys, kl)


@points(0.25, "memory_usage", read="pkm-usage", step="robust")
def test_weight_of_zero_is_no_use(student):
    """가중치가 0이면 쓰이지 않은 것입니다. p가 0인 항은 0으로 두어야 KL이 NaN이 되지 않습니다."""
    usage = student.memory_usage(torch.tensor([[0, 2], [1, 2]]), torch.tensor([[1.0, 0.0], [0.4, 0.6]]), 5)
    p = [0.5, 0.2, 0.3]
    assert_usage(usage, 0.6, sum(x * math.log(5 * x) for x in p))
    assert_usage(student.memory_usage(torch.tensor([0, 2]), torch.tensor([1.0, 0.0]), 5), 0.2, math.log(5))
    tiny = student.memory_usage(torch.tensor([0, 2]), torch.tensor([1.0, 1e-12]), 5)
    assert_usage(tiny, 0.4, math.log(5))


@points(0.25, "memory_usage", read="pkm-usage", step="robust")
def test_usage_has_manners(student):
    """받은 번호와 가중치를 바꾸지 마십시오."""
    slots, weights = torch.tensor([[0, 2], [1, 2]]), torch.tensor([[1.0, 0.25], [0.4, 0.6]])
    student.memory_usage(slots.clone(), weights.clone(), 5)
    assert mutated(student.memory_usage, slots, weights, 5) == [], "입력이 바뀌었습니다."


### END HIDDEN TESTS
