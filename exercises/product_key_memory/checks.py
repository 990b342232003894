"""What the exercise `product_key_memory` is graded by."""

import math

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


def search_all(query, half_keys_1, half_keys_2, k):
    """The k best of all keys: every pair of half-keys, scored as one key."""
    n = len(half_keys_1)
    keys = torch.stack([torch.cat([a, b]) for a in half_keys_1 for b in half_keys_2])
    scores = query @ keys.T
    order = sorted(range(n * n), key=lambda slot: (-scores[slot].item(), slot))[:k]
    return scores[order], torch.tensor(order)


def largest_tensor(function, *args):
    """The number of elements of the largest tensor that a call makes."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Largest(TorchDispatchMode):
        _should_skip_dynamo = classmethod(lambda cls: False)  # torch would load its compiler, for 1.6 s
        found = 0

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            result = operation(*args, **(kwargs or {}))
            made = [x.untyped_storage().nbytes() // x.element_size() for x in tree_leaves(result)
                    if isinstance(x, torch.Tensor)]  # fmt: skip
            self.found = max([self.found, *made])
            return result

    with Largest() as largest:
        function(*args)
    return largest.found


# product_topk -----------------------------------------------------------------------------------------------

BY_HAND = torch.tensor([1.0, 1.0]), torch.tensor([[5.0], [3.0], [1.0]]), torch.tensor([[4.0], [3.0], [0.0]])


def whole_numbers(key, *shape):
    """Small integers, so that many scores are equal and none is rounded."""
    return (2.5 * scattered(shape, key)).round()


@points(
    0.5,
    question="product_topk",
    hint="절반마다 k개를 고르고, 고른 것끼리 만드는 짝을 모두 더해 그 가운데 가장 큰 k개를 고르십시오. 슬롯 번호는 i * n + j입니다.",
    read="product_key_memory#pkm-pairs",
)
def test_two_of_nine(student, device):
    scores, slots = student.product_topk(*(x.to(device) for x in BY_HAND), 2)
    assert_close(scores, torch.tensor([9.0, 8.0]))
    assert_close(slots, torch.tensor([0, 1]))


@points(
    0.75,
    question="product_topk",
    hint="모든 키를 견준 결과와 점수도 슬롯도 같아야 합니다. 점수는 두 절반의 내적을 더한 것이고, 나누지 않습니다.",
    read="product_key_memory#pkm-exact",
)
def test_equals_the_search_of_all_keys(student):
    query, half_keys = scattered((4,), 1), scattered((2, 5, 2), 2)
    for k in (1, 4):
        scores, slots = student.product_topk(query, *half_keys, k)
        expected_scores, expected_slots = search_all(query, *half_keys, k)
        assert_close(scores, expected_scores)
        assert_close(slots, expected_slots)


@observes("product_topk")
def observe_product_topk(student):
    find = student.product_topk
    query, half_keys = scattered((2, 3, 6), 3), scattered((2, 4, 3), 4)
    tied = [whole_numbers(5, 2), whole_numbers(6, 6, 1), whole_numbers(7, 6, 1)]
    return [
        outcome(find, *BY_HAND, 2),
        outcome(find, query, *half_keys, 3),
        outcome(find, query[0, 0], *half_keys, 7),
        outcome(find, *tied, 5),
        [outcome(find, whole_numbers(key, 4, 2), tied[1], tied[2], 9) for key in (8, 9)],
        outcome(find, query[0, 0], *half_keys, 17),
        outcome(
            lambda: place(student, largest_tensor)(find, query[0, 0], *scattered((2, 64, 3), 10), 3) < 1000
        ),
        reached(find, query, *half_keys, 3),
        mutated(find, query, *half_keys, 3),
    ]




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
    """Attention over all keys with all but the k best hidden, the heads summed."""
    half_keys, d_model = state["half_keys"], x.shape[-1]
    queries = x @ state["query.weight"].T + state.get("query.bias", 0.0)
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


@points(
    0.5,
    question="ProductKeyMemory",
    hint="이름과 모양이 글에 적힌 것과 같아야 합니다: query는 (h * d_model, d_model), half_keys는 (h, 2, n, d_model / 2), values는 n * n행입니다.",
    read="product_key_memory#pkm-heads",
)
def test_shapes_of_parameters(student):
    found = parameters(student, student.ProductKeyMemory(6, 4, 5, 3, 2))
    shapes = {name: tuple(value.shape) for name, value in found.items() if name != "query.bias"}
    assert shapes == {"query.weight": (12, 6), "half_keys": (2, 2, 4, 3), "values.weight": (16, 5)}, shapes


@points(
    0.75,
    question="ProductKeyMemory",
    hint="헤드마다 찾은 k개의 점수에 소프트맥스를 취해 그 슬롯의 값을 섞고, 헤드의 결과를 더합니다. 점수는 나누지 않습니다.",
    read="product_key_memory#pkm-heads",
)
def test_equals_masked_attention_over_all_keys(student, device):
    module, state = known(student, 4, 3, 5, 2, 2, fixed_weights)
    x = scattered((3, 4), 0.5)
    assert_close(module.to(device)(x.to(device)), read_all(x, state, 2), atol=1e-9)


@observes("ProductKeyMemory")
def observe_product_key_memory(student):
    def shapes_of(*sizes):
        found = parameters(student, student.ProductKeyMemory(*sizes))
        return sorted((name, list(value.shape)) for name, value in found.items() if name != "query.bias")

    def output_of(*sizes, scale=1.0):
        module, _ = known(student, *sizes, fixed_weights)
        return module(scale * scattered((2, 3, sizes[0]), 0.7))

    def fresh_keys():
        return len(parameters(student, student.ProductKeyMemory(4, 3, 5, 2, 2))["half_keys"].unique()) > 1

    def reaches():
        module, _ = known(student, 4, 3, 5, 2, 2, fixed_weights)
        return [name for name in reached(module, scattered((3, 4), 0.5)) if name != "query.bias"]

    return [
        outcome(shapes_of, 6, 4, 5, 3, 2),
        outcome(output_of, 4, 3, 5, 2, 1),
        outcome(output_of, 4, 3, 5, 2, 2),
        outcome(output_of, 4, 3, 5, 5, 2),
        outcome(lambda: bool(output_of(4, 3, 5, 3, 1, scale=1e4).isfinite().all())),
        outcome(fresh_keys),
        outcome(reaches),
        refuses(student.ProductKeyMemory, 5, 4, 5, 3, 2),
        refuses(student.ProductKeyMemory, 4, 2, 5, 5, 2),
    ]




def where_nothing_is_filled(make, *sizes):
    """A module made where memory that nobody fills is NaN, not what happened to be there."""
    import torch

    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        return make(*sizes)
    finally:
        torch.use_deterministic_algorithms(before)


# comparisons ------------------------------------------------------------------------------------------------


@points(
    0.5,
    question="comparisons",
    hint="두 절반에서 반쪽 키를 제곱근 N개씩 견주고, 고른 k개끼리의 짝을 k * k개 견줍니다.",
    read="product_key_memory#pkm-cost",
)
def test_counts(student):
    assert student.comparisons(9, 2) == 10
    assert student.comparisons(512**2, 32) == 2048
    assert student.comparisons(2**20, 1) == 2049


@observes("comparisons")
def observe_comparisons(student):
    return [
        outcome(student.comparisons, num_keys, k)
        for num_keys, k in [(9, 2), (512**2, 32), (2**20, 1), (4, 3), (10, 2), (99, 2)]
    ] + [outcome(lambda: type(student.comparisons(9, 2)).__name__)]




# memory_usage -----------------------------------------------------------------------------------------------


def assert_usage(found, share, kl):
    assert isinstance(found, tuple | list) and len(found) == 2, "둘을 돌려주어야 합니다."
    for name, value, expected in zip(["쓰인 비율", "KL"], found, [share, kl], strict=True):
        assert isinstance(value, float), f"{name}이 float가 아니라 {type(value).__name__}입니다."
        assert abs(value - expected) < 1e-5, f"{name}: {expected:.4f} 대신 {value:.4f}"


@points(
    0.5,
    question="memory_usage",
    hint="한 슬롯만 읽으면 비율은 1 / N, KL은 ln N입니다. 모든 슬롯을 고르게 읽으면 1과 0입니다. 로그의 밑은 e입니다.",
    read="product_key_memory#pkm-usage",
)
def test_one_slot_and_all_slots(student):
    assert_usage(
        student.memory_usage(torch.full((3, 2), 5), torch.full((3, 2), 0.5), 16), 1 / 16, math.log(16)
    )
    assert_usage(student.memory_usage(torch.arange(4), torch.full((4,), 0.5), 4), 1.0, 0.0)


@points(
    0.5,
    question="memory_usage",
    hint="읽은 횟수가 아니라 받은 가중치를 더합니다. 그런 다음 전체 합으로 나눕니다.",
    read="product_key_memory#pkm-usage",
)
def test_weights_not_reads(student, device):
    uneven = math.log(4) + 0.75 * math.log(0.75) + 0.25 * math.log(0.25)
    slots, weights = torch.tensor([[1, 3]], device=device), torch.tensor([[0.75, 0.25]], device=device)
    assert_usage(student.memory_usage(slots, weights, 4), 0.5, uneven)


@observes("memory_usage")
def observe_memory_usage(student):
    measure = student.memory_usage
    return [
        outcome(measure, torch.full((3, 2), 5), torch.full((3, 2), 0.5), 16),
        outcome(measure, torch.arange(4), torch.full((4,), 0.5), 4),
        outcome(measure, torch.tensor([[1, 3]]), torch.tensor([[0.75, 0.25]]), 4),
        outcome(measure, torch.tensor([[0, 2], [1, 2]]), torch.tensor([[1.0, 0.0], [0.4, 0.6]]), 5),
        outcome(measure, torch.tensor([0, 2]), torch.tensor([1.0, 0.0]), 5),
        outcome(measure, torch.tensor([[0, 1], [0, 2]]), torch.tensor([[0.7, 0.3], [0.2, 0.8]]), 5),
        outcome(lambda: [type(x).__name__ for x in measure(torch.arange(2), torch.ones(2), 4)]),
        outcome(mutated, measure, torch.arange(2), torch.ones(2), 4),
    ]
