"""What the exercise `inference` is graded by."""

import math

import torch

from grader.judging.contract import assert_manners, bad_manners, how_refused
from grader.judging.memory import measured
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import assert_close, each, observes, place, points, reached, refuses, scattered
from grader.judging.values import secret

# quantize_groups --------------------------------------------------------------------------------------------

REFUSED = [(4, 5), (4, 0), (1, 3), (9, 3)]


def some_weight():
    """Made anew for each call: an answer may change what it is given."""
    return 3 * scattered((2, 12), 1)


@secret
def scales_of(weight, bits, group):
    """The largest absolute value of each group over the largest code, one group after another."""
    rows = weight.reshape(-1, weight.shape[-1]).tolist()
    most = 2 ** (bits - 1) - 1
    scales = [
        [max(abs(w) for w in row[start : start + group]) / most for start in range(0, len(row), group)]
        for row in rows
    ]
    return torch.tensor(scales, dtype=torch.float64).reshape(*weight.shape[:-1], -1)


@secret
def codes_of(weight, bits, group):
    """Each number over the scale of its group, to the nearest whole number."""
    scales = scales_of(weight, bits, group).repeat_interleave(group, dim=-1)
    return (weight.double() / torch.where(scales == 0, 1.0, scales)).round().long()


def tiny():
    """In float32 one over its scales is infinite."""
    return (some_weight() * 1e-38).float()


@points(0.25, "quantize_groups", read="inference-groups", step="warm-up")
def test_two_groups_by_hand(student, device):
    """묶음마다 절댓값이 가장 큰 수를 2^(bits-1) - 1로 나눈 것이 배율이고, 수를 배율로 나누어 반올림한 것이 코드입니다."""
    codes, scales = student.quantize_groups(torch.tensor([[1.0, -7.0, 0.2, 0.7]], device=device), 4, 2)
    assert_close(scales, torch.tensor([[1.0, 0.1]]))
    assert_close(codes.long(), torch.tensor([[1, -7, 2, 7]]))


@points(0.5, "quantize_groups", read="inference-groups")
def test_neighbours_share_a_scale(student):
    """배율은 이웃한 group개가 함께 씁니다. 묶음이 커지면 배율의 수가 줄어듭니다."""
    for bits, group in [(8, 3), (4, 4), (3, 12), (4, 1)]:
        codes, scales = student.quantize_groups(some_weight(), bits, group)
        assert_close(scales, scales_of(some_weight(), bits, group))
        assert_close(codes.long(), codes_of(some_weight(), bits, group))


@observes("quantize_groups")
def observe_quantize_groups(student):
    quantize = student.quantize_groups

    def is_right(weight, bits, group):
        codes, scales = quantize(weight.clone(), bits, group)
        return same(scales, scales_of(weight, bits, group)) and same(codes, codes_of(weight, bits, group))

    def small():
        codes, scales = quantize(some_weight() * 1e-6, 4, 4)
        return same(codes, codes_of(some_weight() * 1e-6, 4, 4))

    def zeros():
        codes, scales = quantize(torch.zeros(2, 4), 4, 2)
        return bool((codes == 0).all()) and bool(scales.isfinite().all())

    return up_to_the_first_wrong(
        (lambda: list(quantize(some_weight(), 4, 3)[0].shape), [2, 12]),
        (lambda: list(quantize(some_weight(), 4, 3)[1].shape), [2, 4]),
        (lambda: quantize(some_weight(), 4, 3)[1].double(), scales_of(some_weight(), 4, 3)),
        (lambda: quantize(some_weight(), 4, 3)[0].double(), codes_of(some_weight(), 4, 3).double()),
        (lambda: is_right(some_weight(), 8, 6), True),
        (lambda: [is_right(3 * scattered(shape, 2), 5, 4) for shape in [(8,), (3, 2, 8)]], [True, True]),
        (small, True),
        (zeros, True),
        (lambda: same(quantize(tiny(), 8, 4)[0], codes_of(tiny(), 8, 4)), True),
        (lambda: [how_refused(quantize, some_weight(), *how) for how in REFUSED], ["refused"] * 4),
        (lambda: str(quantize(some_weight(), 4, 3)[0].dtype), "torch.int8"),
        (lambda: quantize(some_weight().float(), 4, 3)[1].dtype == torch.float32, True),
        (lambda: bad_manners(student, quantize, some_weight(), 4, 3, learns=[]), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "quantize_groups", read="inference-groups")
def test_any_bits_and_any_leading_axes(student, rng):
    """배치 축이 몇이든, 2비트부터 8비트까지 같은 식입니다."""
    for shape, bits, group in [((16,), 2, 8), ((3, 8), 8, 8), ((2, 3, 12), 5, 4), ((1, 6), 6, 2)]:
        weight = 5 * torch.randn(*shape, generator=rng, dtype=torch.float64)
        codes, scales = student.quantize_groups(weight.clone(), bits, group)
        assert_close(scales, scales_of(weight, bits, group))
        assert_close(codes.long(), codes_of(weight, bits, group))


@points(0.25, "quantize_groups", read="inference-zero-group", step="robust")
def test_nothing_and_next_to_nothing(student):
    """모두 0인 묶음의 코드는 0이고 배율은 유한합니다. 아주 작은 수의 묶음은 0이 아닙니다. 배율에 무엇을 더하거나 아래로 막지 말고, 역수를 곱하지 말고 나누십시오."""
    weight = torch.cat([torch.zeros(2, 4).double(), 1e-9 * some_weight()], dim=-1)
    codes, scales = student.quantize_groups(weight.clone(), 4, 4)
    assert_close(codes.long(), codes_of(weight, 4, 4))
    assert scales.isfinite().all(), "배율이 유한하지 않습니다."
    assert_close(student.quantize_groups(tiny(), 8, 4)[0].long(), codes_of(tiny(), 8, 4))


@points(0.25, "quantize_groups", read="inference-grading", step="robust")
def test_quantize_groups_has_manners(student):
    """코드는 int8, 배율은 입력의 자료형입니다. 나누어지지 않는 묶음과 없는 비트는 ValueError이고, 입력은 바꾸지 않습니다."""
    for dtype in (torch.float32, torch.float64):
        codes, scales = student.quantize_groups(some_weight().to(dtype), 4, 3)
        assert (codes.dtype, scales.dtype) == (torch.int8, dtype), "자료형이 다릅니다."
    for bits, group in REFUSED:
        assert refuses(student.quantize_groups, some_weight(), bits, group), "ValueError를 내지 않았습니다."
    assert_manners(student, student.quantize_groups, some_weight(), 4, 3)


### END HIDDEN TESTS


# window_mask ------------------------------------------------------------------------------------------------

ODD = [(3, 5, 0, 0), (3, 5, -1, 0), (3, 5, 2, -1), (6, 5, 2, 0)]


@secret
def seen(n_q, n_k, window, sinks=0):
    """Query by query, key by key."""
    rows = [
        [key <= at and (at - key < window or key < sinks) for key in range(n_k)]
        for at in range(n_k - n_q, n_k)
    ]
    return torch.tensor(rows, dtype=torch.bool).reshape(n_q, n_k)


@points(0.25, "window_mask", read="inference-mask", step="warm-up")
def test_the_last_two_of_six(student):
    """질의는 마지막 n_q개 자리의 것입니다. 자기까지 넣어 가까운 window개와 맨 앞 sinks개를 봅니다."""
    expected = torch.tensor([[1, 0, 0, 1, 1, 0], [1, 0, 0, 0, 1, 1]]).bool()
    assert_close(student.window_mask(2, 6, 2, 1), expected)


@points(0.25, "window_mask", read="inference-window")
def test_a_prompt_at_once(student):
    """질의와 키의 수가 같으면 대각선부터 왼쪽으로 window칸입니다. 미래는 보지 않습니다."""
    expected = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]).bool()
    assert_close(student.window_mask(4, 4, 2), expected)


@observes("window_mask")
def observe_window_mask(student):
    mask = student.window_mask

    def numbers(*how):
        return mask(*how).long()

    return up_to_the_first_wrong(
        (lambda: list(mask(3, 7, 2, 0).shape), [3, 7]),
        (lambda: numbers(7, 7, 3), seen(7, 7, 3).long()),
        (lambda: numbers(3, 7, 3), seen(3, 7, 3).long()),
        (lambda: numbers(7, 7, 3, 2), seen(7, 7, 3, 2).long()),
        (lambda: numbers(3, 7, 3, 2), seen(3, 7, 3, 2).long()),
        (lambda: [same(numbers(*how), seen(*how).long()) for how in EDGES], [True] * len(EDGES)),
        (lambda: str(mask(3, 7, 2, 1).dtype), "torch.bool"),
        (lambda: [how_refused(mask, *how) for how in ODD], ["refused"] * 4),
    )


EDGES = [(1, 1, 1, 0), (2, 5, 99, 0), (5, 5, 1, 99), (1, 9, 1, 0)]


### BEGIN HIDDEN TESTS
@points(0.75, "window_mask", read="inference-mask")
def test_any_sizes(student, rng):
    """창, 싱크, 캐시의 길이가 얼마든 같은 규칙입니다. 싱크도 미래이면 보지 않습니다."""
    sizes = []
    for _ in range(12):
        n_k = int(torch.randint(1, 12, (), generator=rng))
        window, sinks = (int(torch.randint(1, n_k + 1, (), generator=rng)) for _ in range(2))
        sizes += [(n_q, n_k, window, sinks) for n_q in (1, -(-n_k // 2), n_k)]
    sizes += [(6, 6, 2, 4), (2, 8, 3, 2)]
    for found, size in zip(each(student, student.window_mask, sizes), sizes, strict=True):
        assert_close(found, seen(*size))


@points(0.25, "window_mask", read="inference-grading", step="robust")
def test_window_mask_refuses(student):
    """window가 1보다 작거나, sinks가 0보다 작거나, 질의가 키보다 많으면 ValueError입니다. 글보다 큰 창과 싱크는 괜찮습니다."""
    for how in EDGES:
        assert_close(student.window_mask(*how), seen(*how))
    for how in ODD:
        assert refuses(student.window_mask, *how), "ValueError를 내지 않았습니다."


### END HIDDEN TESTS


# absorbed_attention -----------------------------------------------------------------------------------------


def latent_inputs(batch, heads, n_q, n, rank, size, size_r, size_v, key=1):
    """query, rope_query, latents, rope_key, up_key, up_value."""
    shapes = [
        (*batch, heads, n_q, size),
        (*batch, heads, n_q, size_r),
        (*batch, n, rank),
        (*batch, n, size_r),
        (heads, rank, size),
        (heads, rank, size_v),
    ]
    return [2 * scattered(shape, 10 * key + i) for i, shape in enumerate(shapes)]


@secret
def unrolled(query, rope_query, latents, rope_key, up_key, up_value, mask=None):
    """Attention over keys and values that are unrolled, head by head."""
    outputs, all_weights = [], []
    for i in range(len(up_key)):
        keys = torch.cat([latents @ up_key[i], rope_key], dim=-1)
        both = torch.cat([query[..., i, :, :], rope_query[..., i, :, :]], dim=-1)
        scores = both @ keys.transpose(-2, -1) / math.sqrt(both.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        all_weights.append(scores.softmax(dim=-1))
        outputs.append(all_weights[-1] @ (latents @ up_value[i]))
    return torch.stack(outputs, dim=-3), torch.stack(all_weights, dim=-3)


def one_text():
    return latent_inputs((), 3, 2, 5, 5, 6, 2, 7)


HALF_HIDDEN = torch.tensor([[1, 1, 0, 1, 0], [1, 1, 1, 0, 1]]).bool()


def assert_both(found, expected):
    # Public tests know eight digits of what is right.
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other, rtol=1e-6, atol=1e-8)


@points(0.25, "absorbed_attention", read="inference-absorb", step="warm-up")
def test_two_latents_by_hand(student, device):
    """점수는 내린 질의와 압축 벡터의 내적에 위치를 맡은 두 벡터의 내적을 더한 것입니다. 여기서는 두 점수가 같으므로 가중치가 반씩입니다."""
    column = torch.tensor
    inputs = (
        column([[[1.0]]]),
        column([[[1.0]]]),
        column([[0.0], [1.0]]),
        column([[2.0], [0.0]]),
        column([[[2.0]]]),
        column([[[3.0]]]),
    )
    output, weights = student.absorbed_attention(*(x.to(device) for x in inputs))
    assert_close(weights, column([[[0.5, 0.5]]]))
    assert_close(output, column([[[1.5]]]))


@points(0.25, "absorbed_attention", read="inference-absorb")
def test_equals_unrolled_keys_and_values(student):
    """키와 값을 펼친 어텐션과 출력도 가중치도 같아야 합니다. 점수는 sqrt(d_h + d_R)로 나눕니다."""
    assert_both(student.absorbed_attention(*one_text()), unrolled(*one_text()))


def long_cache():
    """A cache of which unrolled keys would be 81,920 numbers, unrolled values 32,768."""
    mask = scattered((2, 512), 3) > 0
    return [*latent_inputs((), 8, 2, 512, 16, 20, 4, 8, key=7), mask]


SHORT = 16_384


@observes("absorbed_attention")
def observe_absorbed_attention(student):
    attend = student.absorbed_attention

    def right(inputs):
        found, expected = attend(*inputs), unrolled(*inputs)
        return all(same(one, other) for one, other in zip(found, expected, strict=True))

    def made():
        largest = measured(student, attend, *long_cache())[0]
        return "keys" if largest > 60_000 else "values" if largest > SHORT else "neither"

    return up_to_the_first_wrong(
        (lambda: [list(part.shape) for part in attend(*one_text())], [[3, 2, 7], [3, 2, 5]]),
        (lambda: attend(*one_text())[1], unrolled(*one_text())[1]),
        (lambda: attend(*one_text())[0], unrolled(*one_text())[0]),
        (lambda: attend(*one_text(), HALF_HIDDEN)[1], unrolled(*one_text(), HALF_HIDDEN)[1]),
        (lambda: right([*one_text(), HALF_HIDDEN]), True),
        (made, "neither"),
        (
            lambda: [right(latent_inputs(b, 2, 3, 4, 3, 2, 2, 5)) for b in [(), (1,), (2, 3)]],
            [True] * 3,
        ),
        (lambda: bad_manners(student, attend, *one_text()), "none"),
    )


### BEGIN HIDDEN TESTS
@points(1, "absorbed_attention", read="inference-absorb")
def test_keys_and_values_are_not_unrolled(student):
    """키와 값을 펼쳤거나, 펼치지 않았지만 결과가 다릅니다. 질의를 내리고, 압축 벡터의 가중합을 마지막에 한 번 올리십시오. mask의 True는 볼 수 있다는 뜻입니다."""
    inputs = long_cache()
    largest, _, found = measured(student, student.absorbed_attention, *inputs)
    assert_both(found, unrolled(*inputs))
    assert largest < SHORT, f"원소가 {largest:,}개인 텐서를 만들었습니다."


@points(0.25, "absorbed_attention", read="inference-absorb", step="robust")
def test_any_sizes_of_latents(student, rng):
    """배치 축이 몇이든, 압축 벡터가 키보다 길든 짧든 같습니다."""
    for batch, heads, n_q, n, rank, size, size_r, size_v in [
        ((2,), 2, 1, 6, 3, 5, 2, 4),
        ((2, 3), 1, 4, 4, 8, 2, 4, 3),
        ((), 4, 3, 7, 1, 3, 1, 1),
    ]:
        shapes = [x.shape for x in latent_inputs(batch, heads, n_q, n, rank, size, size_r, size_v)]
        inputs = [torch.randn(*shape, generator=rng, dtype=torch.float64) for shape in shapes]
        mask = torch.ones(n_q, n, dtype=torch.bool).tril(n - n_q)
        assert_both(student.absorbed_attention(*inputs, mask), unrolled(*inputs, mask))


@points(0.25, "absorbed_attention", read="inference-grading", step="robust")
def test_absorbed_attention_has_manners(student):
    """여섯 입력 모두로 기울기가 흐르고, 자료형과 장치는 입력을 따르며, 입력은 바꾸지 않습니다."""
    attend = student.absorbed_attention
    assert attend(*(x.float() for x in one_text()))[0].dtype == torch.float32, (
        "자료형이 입력을 따르지 않습니다."
    )
    cotangent = scattered((3, 2, 7), 5)
    assert len(reached(attend, *one_text(), cotangent=cotangent)) == 6, "기울기가 끊겼습니다."
    assert_manners(student, attend, *one_text(), HALF_HIDDEN)


### END HIDDEN TESTS


# PagedCache -------------------------------------------------------------------------------------------------


def rows(*numbers):
    """Vectors of three equal numbers."""
    return torch.tensor(numbers, dtype=torch.float64)[:, None].expand(-1, 3).clone()


@points(0.25, "PagedCache", read="inference-pages", step="warm-up")
def test_what_was_appended_comes_back(student):
    """붙인 차례대로 모두 돌려줍니다. 마지막 블록의 빈자리는 돌려주지 않습니다."""
    cache = student.PagedCache(4, 2)
    cache.append("a", rows(1, 2, 3))
    assert_close(cache.gather("a"), rows(1, 2, 3))
    cache.append("a", rows(4))
    assert_close(cache.gather("a"), rows(1, 2, 3, 4))


@points(0.5, "PagedCache", read="inference-pages")
def test_two_texts_take_blocks_in_turn(student):
    """글마다 필요한 만큼만, 다른 글이 가지지 않은 블록을 받습니다. 마지막 블록에 남은 자리부터 채웁니다. 지운 글의 블록은 다시 쓰입니다."""
    cache = student.PagedCache(5, 2)
    for name, numbers in [("a", [1]), ("b", [7, 8, 9]), ("a", [2]), ("a", [3]), ("b", [10])]:
        cache.append(name, rows(*numbers))
    assert_close(cache.gather("a"), rows(1, 2, 3))
    assert_close(cache.gather("b"), rows(7, 8, 9, 10))
    taken = [*cache.blocks("a"), *cache.blocks("b")]
    assert len(taken) == len(set(taken)) == 4 and set(taken) <= set(range(5)), "받은 블록이 다릅니다."
    assert cache.free_blocks() == 1, "남은 블록의 수가 다릅니다."
    cache.free("a")
    assert cache.free_blocks() == 3, "돌려놓은 블록의 수가 다릅니다."
    assert refuses(cache.gather, "a"), "지운 글이 남아 있습니다."
    cache.append("c", rows(4, 5, 6, 7, 8))
    assert_close(cache.gather("c"), rows(4, 5, 6, 7, 8))
    assert_close(cache.gather("b"), rows(7, 8, 9, 10))


@observes("PagedCache")
def observe_paged_cache(student):
    def after(*steps, blocks=6, size=2):
        cache = student.PagedCache(blocks, size)
        for name, *numbers in steps:
            cache.append(name, rows(*numbers)) if numbers else cache.free(name)
        return cache

    def held(cache, *names):
        return [cache.gather(name)[:, 0].tolist() for name in names]

    def counts(cache, *names):
        taken = [cache.blocks(name) for name in names]
        free = cache.free_blocks()
        free = free if isinstance(free, int) else type(free).__name__
        return [len(one) for one in taken], len({b for one in taken for b in one}), free

    turns = [("a", 1), ("b", 7, 8, 9), ("a", 2), ("a", 3), ("b", 10)]
    again = [*turns, ("a",), ("c", 4, 5, 6, 7)]

    def full():
        cache = after(*turns, blocks=4)
        how = how_refused(cache.append, "b", rows(1, 2, 3))
        return how, counts(cache, "a", "b"), held(cache, "a", "b")

    def partly():
        cache = after(*turns, blocks=5)
        how = how_refused(cache.append, "b", rows(1, 2, 3))
        return how, counts(cache, "a", "b"), held(cache, "a", "b")

    def unknown():
        return [
            how_refused(getattr(after(*turns), what), name)
            for what in ("gather", "free", "blocks")
            for name in ("nobody",)
        ]

    def empty():
        cache = after(("a", 1))
        cache.append("a", rows(1)[:0])
        cache.append("z", rows(1)[:0])
        return held(cache, "a", "z"), counts(cache, "a", "z")

    def apart():
        one, other = after(("a", 1)), after(("b", 5))
        other.append("a", rows(6))
        return held(one, "a"), held(other, "b", "a"), one.free_blocks()

    def kept():
        cache, mine = student.PagedCache(2, 2), rows(1, 2)
        cache.append("a", mine)
        mine.zero_()
        return held(cache, "a")

    return up_to_the_first_wrong(
        (lambda: held(after(("a", 1, 2, 3)), "a"), [[1.0, 2.0, 3.0]]),
        (lambda: counts(after(("a", 1, 2, 3)), "a"), ([2], 2, 4)),
        (lambda: held(after(("a", 1, 2, 3), ("a", 4)), "a"), [[1.0, 2.0, 3.0, 4.0]]),
        (lambda: counts(after(("a", 1), ("a", 2)), "a"), ([1], 1, 5)),
        (lambda: counts(after(*turns), "a", "b"), ([2, 2], 4, 2)),
        (lambda: held(after(*turns), "a", "b"), [[1.0, 2.0, 3.0], [7.0, 8.0, 9.0, 10.0]]),
        (lambda: after(*turns, ("a",)).free_blocks(), 4),
        (lambda: held(after(*again), "b", "c"), [[7.0, 8.0, 9.0, 10.0], [4.0, 5.0, 6.0, 7.0]]),
        (lambda: counts(after(*again), "b", "c"), ([2, 2], 4, 2)),
        (lambda: how_refused(after(*again).gather, "a"), "refused"),
        (apart, ([[1.0]], [[5.0], [6.0]], 5)),
        (kept, [[1.0, 2.0]]),
        (full, ("refused", ([2, 2], 4, 0), [[1.0, 2.0, 3.0], [7.0, 8.0, 9.0, 10.0]])),
        (partly, ("refused", ([2, 2], 4, 1), [[1.0, 2.0, 3.0], [7.0, 8.0, 9.0, 10.0]])),
        (unknown, ["refused"] * 3),
        (empty, ([[1.0], []], ([1, 0], 1, 5))),
        (lambda: attempt(lambda: str(after(("a", 1)).gather("a").dtype)), "torch.float64"),
    )


### BEGIN HIDDEN TESTS
def live(cache, name, new):
    """Append, or free the name where there is nothing new; how many blocks are left then."""
    cache.free(name) if new is None else cache.append(name, new)
    return cache.free_blocks()


def blocks_of(cache, names):
    return [list(cache.blocks(name)) for name in names]


@points(0.75, "PagedCache", read="inference-pages")
def test_a_long_day(student, rng):
    """글 여럿을 붙이고 지우기를 되풀이해도, 글마다 이어 둔 것과 같고 블록이 새거나 겹치지 않아야 합니다."""

    def draw(high):
        return int(torch.randint(high, (), generator=rng))

    lived, all_blocks = place(student, live), place(student, blocks_of)
    for num_blocks, size in [(12, 3), (20, 1), (6, 8)]:
        cache, held, steps, left = student.PagedCache(num_blocks, size), {}, [], []
        for turn in range(30):
            name = "abc"[draw(3)]
            new = torch.randn(1 + draw(5), 2, generator=rng)
            needed = sum(-(-len(x) // size) for x in held.values())
            whole = torch.cat([held.get(name, new[:0]), new])
            needed += -(-len(whole) // size) - -(-len(held.get(name, new[:0])) // size)
            if needed > num_blocks:
                name = max(held, key=lambda x: len(held[x]))
                new = None
                del held[name]
            else:
                held[name] = whole
            needed = sum(-(-len(x) // size) for x in held.values())
            steps.append([cache, name, new])
            left.append(num_blocks - needed)
            if turn % 3 == 2:  # each look at the blocks costs several asks
                for found, expected in zip(each(student, lived, steps), left, strict=True):
                    assert found == expected, "남은 블록의 수가 다릅니다."
                steps, left = [], []
                taken = [block for blocks in all_blocks(cache, list(held)) for block in blocks]
                assert len(taken) == len(set(taken)) == needed, "받은 블록이 겹치거나 수가 다릅니다."
                gathered = each(student, cache.gather, [[one] for one in held])
                for found, expected in zip(gathered, held.values(), strict=True):
                    assert_close(found, expected)


@points(0.25, "PagedCache", read="inference-pages-full", step="robust")
def test_too_few_blocks(student):
    """블록이 모자라면 ValueError를 내고 아무것도 바꾸지 않습니다. 몇 개를 받을지 먼저 세십시오."""
    cache = student.PagedCache(3, 2)
    cache.append("a", rows(1, 2, 3))
    assert refuses(cache.append, "a", rows(4, 5, 6, 7)), "ValueError를 내지 않았습니다."
    assert_close(cache.gather("a"), rows(1, 2, 3))
    assert refuses(cache.append, "b", rows(4, 5, 6)), "ValueError를 내지 않았습니다."
    assert refuses(cache.gather, "b"), "거절한 글이 남아 있습니다."
    assert cache.free_blocks() == 1, "남은 블록의 수가 다릅니다."
    cache.append("a", rows(4, 5, 6))
    assert_close(cache.gather("a"), rows(1, 2, 3, 4, 5, 6))


@points(0.25, "PagedCache", read="inference-grading", step="robust")
def test_edges_of_a_cache(student):
    """모르는 이름은 ValueError입니다. 캐시마다 저장소가 따로이고, 자료형은 넣은 것을 따릅니다. 벡터가 0개여도 됩니다."""
    one, other = student.PagedCache(2, 2), student.PagedCache(2, 2)
    one.append("a", rows(1).float())
    other.append("a", rows(5, 6))
    assert_close(one.gather("a"), rows(1))
    kinds = one.gather("a").dtype, other.gather("a").dtype
    assert kinds == (torch.float32, torch.float64), "자료형이 다릅니다."
    one.append("a", rows(1)[:0].float())
    one.append("z", rows(1)[:0].float())
    assert one.gather("z").shape == (0, 3) and one.free_blocks() == 1, "벡터 0개를 붙인 결과가 다릅니다."
    mine = rows(8, 9)
    other.append("b", mine)
    mine.zero_()
    assert_close(other.gather("b"), rows(8, 9))
    for call in (one.gather, one.free, one.blocks):
        assert refuses(call, "nobody"), "ValueError를 내지 않았습니다."


### END HIDDEN TESTS


# verify_drafts ----------------------------------------------------------------------------------------------


def drawn(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def target():
    return drawn([0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6])


def draft():
    return drawn([0.2, 0.7, 0.1], [0.5, 0.4, 0.1])


@points(0.25, "verify_drafts", read="inference-residual", step="warm-up")
def test_a_refused_draft(student, device):
    """난수가 p(x) / r(x)보다 작지 않으면 거절합니다. 그 자리는 max(0, p - r)를 합이 1이 되게 나눈 분포에서 다시 뽑습니다."""
    inputs = torch.tensor([1]), draft()[:1], target()[:2], drawn(0.6)
    accepted, rest = student.verify_drafts(*(x.to(device) for x in inputs))
    assert accepted == 0, f"받아들인 수가 0이어야 하는데 {accepted}입니다."
    assert_close(rest, drawn(0.75, 0, 0.25))


CASES = [  # drafts, uniforms, how many are accepted, the distribution that follows
    ((0, 1), (0.9, 0.9), 2, (0.2, 0.2, 0.6)),
    ((0, 0), (0.0, 0.1), 2, (0.2, 0.2, 0.6)),
    ((0, 0), (0.9, 0.3), 1, (0.0, 0.5, 0.5)),
    ((1, 1), (0.5, 0.1), 0, (0.75, 0.0, 0.25)),
]


@points(0.5, "verify_drafts", read="inference-bonus")
def test_the_first_refusal_ends_it(student):
    """처음 거절한 자리에서 멈춥니다. 그 뒤의 추측은 보지 않습니다. 모두 받아들였으면 다음 토큰은 큰 모델의 마지막 분포에서 뽑습니다."""
    for drafts, uniforms, accepted, rest in CASES:
        found, distribution = student.verify_drafts(torch.tensor(drafts), draft(), target(), drawn(*uniforms))
        assert found == accepted, f"{accepted}개를 받아들여야 하는데 {found}개입니다."
        assert_close(distribution, drawn(*rest))


SINGLE = [(1, 0.6), (1, 0.25), (1, 0.41), (1, 0.95), (0, 0.9), (2, 0.99)]


@observes("verify_drafts")
def observe_verify_drafts(student):
    verify = student.verify_drafts

    def told(drafts, uniforms):
        accepted, rest = verify(
            torch.tensor(drafts), draft()[: len(drafts)], target()[: len(drafts) + 1], drawn(*uniforms)
        )
        return int(accepted), rest.double()

    def certain():
        p, r = drawn(0, 1)[None], drawn(0.5, 0.5)[None]
        return int(verify(torch.tensor([0]), r, torch.cat([p, p]), drawn(0.0))[0])

    def none():
        accepted, rest = verify(torch.tensor([], dtype=torch.long), draft()[:0], target()[:1], drawn())
        return int(accepted), rest

    inputs = torch.tensor([0, 0]), draft(), target(), drawn(0.9, 0.3)
    return up_to_the_first_wrong(
        (lambda: [told([x], [u])[0] for x, u in SINGLE], [0, 1, 1, 0, 1, 1]),
        (lambda: told([1], [0.6]), (0, drawn(0.75, 0, 0.25))),
        (lambda: told([1], [0.25]), (1, target()[1])),
        (lambda: told([0, 1], [0.9, 0.9]), (2, target()[2])),
        (lambda: told([0, 0], [0.9, 0.3]), (1, drawn(0, 0.5, 0.5))),
        (lambda: told([1, 1], [0.5, 0.1]), (0, drawn(0.75, 0, 0.25))),
        (certain, 0),
        (none, (0, target()[0])),
        (lambda: type(verify(*inputs)[0]).__name__, "int"),
        (lambda: bad_manners(student, verify, *inputs, learns=[]), "none"),
    )


### BEGIN HIDDEN TESTS
def of_twelve(rng, count):
    """Distributions over three tokens, each a number of twelfths above 0."""
    cuts = [torch.randperm(11, generator=rng)[:2].sort().values + 1 for _ in range(count)]
    edges = [torch.cat([torch.tensor([0]), cut, torch.tensor([12])]) for cut in cuts]
    return torch.stack([edge.diff().double() / 12 for edge in edges])


@points(1, "verify_drafts", read="inference-residual")
def test_what_is_written_is_the_large_models(student, rng):
    """받아들인 몫과 다시 뽑은 몫을 더하면 꼭 큰 모델의 분포여야 합니다. 추측과 난수의 모든 경우를 세었습니다."""
    for _ in range(4):
        p, r = of_twelve(rng, 2), of_twelve(rng, 1)
        edges = torch.cat([drawn(0, 1), (p[0] / r[0]).clamp(max=1)]).unique()
        total = torch.zeros(3, dtype=torch.float64)
        parts = [(x, *ends) for x in range(3) for ends in zip(edges[:-1], edges[1:], strict=True)]
        calls = [(torch.tensor([x]), r.clone(), p.clone(), (low + high)[None] / 2) for x, low, high in parts]
        answers = each(student, student.verify_drafts, calls)
        for (x, low, high), (accepted, rest) in zip(parts, answers, strict=True):
            share = r[0, x] * (high - low)
            total += share * (torch.eye(3).double()[x] if accepted else rest)
            assert_close(rest, p[1] if accepted else rest)
        assert_close(total, p[0])
    for drafts, uniforms, count, expected in CASES:
        accepted, rest = student.verify_drafts(torch.tensor(drafts), draft(), target(), drawn(*uniforms))
        assert accepted == count, f"{count}개를 받아들여야 하는데 {accepted}개입니다."
        assert_close(rest, drawn(*expected))


@points(0.25, "verify_drafts", read="inference-residual")
def test_many_drafts(student, reference, rng):
    """추측이 몇 개든 앞에서부터 하나씩 확인합니다."""
    for k in (1, 3, 5, 5, 5, 5):
        r, p = of_twelve(rng, k), of_twelve(rng, k + 1)
        drafts, uniforms = torch.randint(3, (k,), generator=rng), torch.rand(k, generator=rng).double() ** 2
        found, rest = student.verify_drafts(drafts, r.clone(), p.clone(), uniforms)
        accepted, expected = reference.verify_drafts(drafts, r, p, uniforms)
        assert found == accepted, f"{accepted}개를 받아들여야 하는데 {found}개입니다."
        assert_close(rest, expected)


@points(0.25, "verify_drafts", read="inference-grading", step="robust")
def test_nothing_drafted_and_nothing_wanted(student):
    """추측이 없으면 큰 모델의 첫 분포입니다. 큰 모델이 0을 준 토큰은 난수가 0이어도 거절합니다."""
    accepted, rest = student.verify_drafts(
        torch.tensor([], dtype=torch.long), draft()[:0], target()[:1], drawn()
    )
    assert accepted == 0, f"받아들인 수가 0이어야 하는데 {accepted}입니다."
    assert_close(rest, target()[0])
    p, r = drawn(0, 1)[None], drawn(0.5, 0.5)[None]
    accepted, rest = student.verify_drafts(torch.tensor([0]), r, torch.cat([p, p]), drawn(0.0))
    assert accepted == 0, "확률이 0인 토큰을 받아들였습니다."
    assert_close(rest, drawn(0, 1))


@points(0.25, "verify_drafts", read="inference-grading", step="robust")
def test_verify_drafts_has_manners(student):
    """받아들인 수는 파이썬의 int, 분포의 자료형은 큰 모델의 것이며, 입력은 바꾸지 않습니다."""
    inputs = torch.tensor([0, 0]), draft(), target(), drawn(0.9, 0.3)
    accepted, rest = student.verify_drafts(inputs[0], *(x.float() for x in inputs[1:]))
    assert type(accepted) is int and rest.dtype == torch.float32, "자료형이 다릅니다."
    assert_manners(student, student.verify_drafts, *inputs)


### END HIDDEN TESTS
