"""What the exercise `attention` is graded by."""

import math

import torch
import torch.nn.functional as F

from grader.judging.contract import bad_manners, finite_gradients
from grader.judging.observed import attempt, form_of, leading_axes, same, temperature, up_to_the_first_wrong
from grader.judging.suite import (
    ATTENTION,
    assert_close,
    follows_device,
    gradients,
    mutated,
    observes,
    place,
    points,
    scattered,
)

FORBIDDEN = {"dot_product_attention": ATTENTION, "scaled_dot_product_attention": ATTENTION}

T, N = True, False  # visible, hidden


def both(result):
    """The output and the weights, or a plain word about what came back instead."""
    assert isinstance(result, tuple | list) and len(result) == 2, "출력과 가중치, 두 개를 돌려주어야 합니다."
    return result


def example():
    """Three queries, three keys and their values; no two of n_k, d_k and d_v are equal."""
    query = torch.tensor([[1.0, 0.5, -1.0, 0.2], [0.3, -1.2, 0.4, 1.0], [-0.6, 0.8, 0.1, -0.5]])
    keys = torch.tensor([[0.5, 1.0, -0.4, 0.1], [-1.0, 0.2, 0.9, 0.7], [0.8, -0.6, 0.3, 1.1]])
    values = torch.tensor([[1.0, 10.0], [2.0, 20.0], [4.0, -10.0]])
    return query, keys, values


# What the two questions return for these, the second also where a mask hides three keys.
RIGHT_WEIGHTS = torch.tensor(
    [[0.70729, 0.03251, 0.2602], [0.03042, 0.1549, 0.81468], [0.44538, 0.4873, 0.06733]]
)
RIGHT_OUTPUT = torch.tensor([[1.81311, 5.12109], [3.59895, -4.74559], [1.6892, 13.5276]])
RIGHT_SCALED = [
    torch.tensor([[2.117, 4.5155], [3.1092, 0.3997], [1.9086, 11.1035]]),
    torch.tensor([[0.5492, 0.1177, 0.3331], [0.1185, 0.2677, 0.6139], [0.4107, 0.4296, 0.1596]]),
]
RIGHT_MASKED = [
    torch.tensor([[1.1765, 11.7654], [3.3927, -0.8906], [1.8397, 4.4022]]),
    torch.tensor([[0.8235, 0.1765, 0.0], [0.0, 0.3036, 0.6964], [0.7201, 0.0, 0.2799]]),
]


def takes(attend, *forms):
    """Which inputs a call takes, rightly or not."""
    return [not isinstance(attempt(attend, *inputs), str) for inputs in forms]


ONE_APART = torch.tensor([[0.7310586, 0.2689414]])


def large_and_not_alike():
    """A query whose two products are 1,000 and 999: who cuts large scores off takes them for equal."""
    return torch.tensor([[1.0, 0, 0, 0]]), torch.tensor([[1e3, 0, 0, 0], [999.0, 0, 0, 0]]), torch.eye(2)


def all_same(found, expected):
    return all(same(*pair) for pair in zip(found, expected, strict=True))


def in_a_batch():
    """Inputs with two axes before the others; no two sizes are equal."""
    return [
        2 * scattered(shape, key).float()
        for key, shape in enumerate([(2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6)])
    ]


def axes_of_length_one(attend):
    """Whether they are still there."""
    one = [torch.ones(1, size) for size in (4, 4, 1)]
    shapes = [form_of(attend(*inputs)) for inputs in (one, [one[0], *example()[1:]])]
    return "kept" if shapes == [[[1, 1], [1, 1]], [[1, 2], [1, 3]]] else "gone"


# dot_product_attention --------------------------------------------------------------------------------------


@points(1, "dot_product_attention", read="one-query", step="warm-up")
def test_one_query_by_hand(student, device):
    """점수는 질의와 키의 내적, 가중치는 점수의 소프트맥스, 출력은 값의 가중합입니다. 나눗셈은 없습니다."""
    query = torch.tensor([math.log(2.0), math.log(3.0)], device=device)
    keys = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], device=device)
    values = torch.tensor([[6.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 6.0]], device=device)
    output, weights = both(student.dot_product_attention(query, keys, values))
    assert_close(weights, torch.tensor([1 / 6, 2 / 6, 3 / 6]))
    assert_close(output, torch.tensor([1.0, 2.0, 3.0]))


@points(0.75, "dot_product_attention", read="attention-softmax-axis")
def test_each_row_is_its_own_query(student):
    """질의가 여럿이면 행마다 따로 소프트맥스를 취합니다. 한 행의 결과는 그 질의만 넣었을 때와 같아야 합니다."""
    query, keys, values = example()
    output, weights = both(student.dot_product_attention(query, keys, values))
    assert_close(weights.sum(dim=-1), torch.ones(3))
    for i in range(3):
        alone, alone_weights = both(student.dot_product_attention(query[[i, i]], keys, values))
        assert_close(output[i], alone[0])
        assert_close(weights[i], alone_weights[0])


@observes("dot_product_attention")
def observe_dot_product_attention(student):
    attend = student.dot_product_attention
    right = [RIGHT_OUTPUT, RIGHT_WEIGHTS]

    def queries():
        query, keys, values = example()
        one, many, batch = takes(attend, (query[0], keys, values), example(), [x[None] for x in example()])
        return "many" if many else "one only" if one else "in a batch only" if batch else "none"

    def one_query():
        query, *others = example()
        found = attend(query[0], *others)
        shapes = form_of(found)
        return "axis kept" if shapes == [[1, 2], [1, 3]] else all_same(found, [x[0] for x in right]) or shapes

    def large_products():
        return bool(attend(300 * example()[0], *example()[1:])[1].isfinite().all())

    return up_to_the_first_wrong(
        (queries, "many"),
        (lambda: form_of(attend(*example())), [[3, 2], [3, 3]]),
        (lambda: temperature(attend(*example())[1], RIGHT_WEIGHTS), "ours"),
        (lambda: attend(*example()), right),
        (lambda: bad_manners(student, attend, *(x.double() for x in example())), "none"),
        (one_query, True),
        (lambda: leading_axes(attend, *in_a_batch()), "any number"),
        (lambda: axes_of_length_one(attend), "kept"),
        (large_products, True),
        (lambda: same(attend(*large_and_not_alike())[1], ONE_APART), True),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "dot_product_attention", read="query-matrix", step="robust")
def test_dot_product_on_any_leading_axes(student, device, rng):
    """배치 축이 몇 개 있어도, 길이가 1이어도, 값의 차원이 키와 달라도 맞아야 합니다. 키의 마지막 두 축만 바꾸십시오."""
    for batch, n_q, n_k, d_k, d_v in [
        ((), 4, 4, 4, 4),
        ((3,), 5, 2, 3, 6),
        ((2, 3), 1, 4, 5, 2),
        ((1,), 1, 1, 1, 1),
        ((4, 4), 4, 4, 4, 1),
    ]:
        query, keys, values = random_inputs(rng, device, batch, n_q, n_k, d_k, d_v)
        output, weights = both(student.dot_product_attention(query, keys, values))
        expected = F.scaled_dot_product_attention(query, keys, values, scale=1.0)
        assert_close(output, expected, atol=1e-5)
        assert_close(weights @ values, expected, atol=1e-5)
        assert weights.shape == (*batch, n_q, n_k), f"가중치의 모양이 {tuple(weights.shape)}입니다."


@points(0.25, "dot_product_attention", read="hard-lookup", step="robust")
def test_gradients_reach_query_keys_and_values(student, rng):
    """기울기가 질의, 키, 값 모두에 흘러야 합니다. 가장 큰 것만 고르거나 detach로 끊으면 배울 수 없습니다."""
    inputs = random_inputs(rng, "cpu", (2,), 3, 5, 4, 2)
    cotangent = torch.randn(2, 3, 2, generator=rng)
    found = gradients(student.dot_product_attention, *inputs, cotangent=cotangent)["inputs"]
    expected = gradients(unscaled_oracle, *inputs, cotangent=cotangent)["inputs"]
    for i in range(3):
        assert_close(found[i], expected[i], rtol=1e-4, atol=1e-5)


@points(0.25, "dot_product_attention", read="query-matrix", step="robust")
def test_products_keep_inputs_and_dtype(student):
    """받은 텐서를 바꾸지 말고, 결과의 자료형은 입력을 따라야 합니다."""
    inputs = [x.double() for x in example()]
    assert mutated(student.dot_product_attention, *inputs) == [], "받은 텐서를 제자리에서 바꾸었습니다."
    for out in both(student.dot_product_attention(*inputs)):
        assert out.dtype == torch.float64, f"float64 입력에서 {out.dtype}이 나왔습니다."


@points(0.25, "dot_product_attention", read="saturation", step="robust")
def test_large_products(student):
    """점수가 1,000처럼 커도 넘치지 않아야 합니다. exp를 직접 쓰면 inf/inf가 됩니다."""
    query = torch.tensor([[1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]])
    keys = torch.tensor([[2e3, 0.0, 0.0, 0.0], [2e3, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    output, weights = both(student.dot_product_attention(query, keys, torch.eye(3)))
    assert_close(weights, torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]), atol=1e-3)
    assert_close(output, weights)
    _, weights = both(student.dot_product_attention(*large_and_not_alike()))
    assert_close(weights, ONE_APART, atol=1e-3)


def random_inputs(rng, device, batch, n_q, n_k, d_k, d_v):
    shapes = [(*batch, n_q, d_k), (*batch, n_k, d_k), (*batch, n_k, d_v)]
    return [torch.randn(shape, generator=rng).to(device) for shape in shapes]


def unscaled_oracle(query, keys, values):
    return F.scaled_dot_product_attention(query, keys, values, scale=1.0)


### END HIDDEN TESTS


# scaled_dot_product_attention -------------------------------------------------------------------------------


@points(1.25, "scaled_dot_product_attention", read="attention-scale", step="warm-up")
def test_scores_are_divided_by_the_root_of_d_k(student, device):
    """소프트맥스에 넣기 전에 점수를 √d_k로 나눕니다. d_k는 질의와 키의 마지막 축의 길이입니다."""
    # Scores 2 ln 3 and 0; d_k = 4 halves them: weights 3/4 and 1/4. A query of zeros finds nothing nearer.
    query = torch.tensor([[1.0, 1.0, 0.0, 0.0], [0.0] * 4], device=device) * math.log(3.0)
    key = torch.tensor([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 5.0, 0.0]], device=device)
    value = torch.tensor([[4.0, 0.0], [8.0, 4.0]], device=device)
    output, weights = both(student.scaled_dot_product_attention(query, key, value))
    assert_close(weights, torch.tensor([[0.75, 0.25], [0.5, 0.5]]))
    assert_close(output, torch.tensor([[5.0, 1.0], [6.0, 2.0]]))


@points(1.25, "scaled_dot_product_attention", read="attention-mask")
def test_hidden_keys_have_no_influence(student):
    """False인 키의 가중치는 정확히 0, True인 키의 가중치는 합이 1이어야 합니다. 소프트맥스 전에 가리십시오."""
    query, key, value = example()
    mask = torch.tensor([[T, N, N], [T, T, N], [N, T, T]])
    output, weights = both(student.scaled_dot_product_attention(query, key, value, mask=mask))
    assert_close(weights * ~mask, torch.zeros(3, 3), atol=0)
    assert_close(weights.sum(dim=-1), torch.ones(3))
    # With the hidden key taken out altogether, the second query must see the same.
    _, visible = both(student.scaled_dot_product_attention(query[:2], key[:2], value[:2]))
    assert_close(weights[1, :2], visible[1])
    assert_close(output, weights @ value)


@points(0.25, "scaled_dot_product_attention", read="attention-nothing-to-see", step="robust")
def test_a_query_with_nothing_to_see_gets_zeros(student):
    """볼 것이 하나도 없는 질의의 가중치와 출력은 NaN도 평균도 아닌 0이고, 기울기도 유한해야 합니다."""
    mask = torch.tensor([[T, T, N], [N, N, N], [T, N, T]])
    output, weights = both(student.scaled_dot_product_attention(*example(), mask=mask))
    assert_close(weights[1], torch.zeros(3))
    assert_close(output[1], torch.zeros(2))
    finite = place(student, gradients_where_nothing_is_seen)
    assert finite(student.scaled_dot_product_attention, *example(), mask), (
        "기울기가 유한하지 않습니다. NaN을 나중에 0으로 덮어도 역전파에 남습니다."
    )


def gradients_where_nothing_is_seen(attend, query, key, value, mask):
    """Whether none is NaN: of an answer that sends none, there is nothing to see here."""
    inputs = [x.clone().requires_grad_() for x in (query, key, value)]
    output, _ = attend(*(1 * x for x in inputs), mask=mask)
    if output.requires_grad:
        output.sum().backward()
    return all(x.grad is None or bool(x.grad.isfinite().all()) for x in inputs)


@observes("scaled_dot_product_attention")
def observe_scaled_dot_product_attention(student):
    attend = student.scaled_dot_product_attention
    mask = torch.tensor([[T, T, N], [N, T, T], [T, N, T]])
    blind = mask * torch.tensor([[T], [N], [T]])

    def alone():
        without, within = takes(attend, example(), [x[None] for x in example()])
        return "taken" if without else "in a batch only" if within else "none"

    def steady():
        """Whether twenty calls more say the same: few weights are easily all kept twice."""
        first = attend(*example())[0]
        return all(same(attend(*example())[0], first) for _ in range(20))

    def nothing_to_see():
        output, weights = (x[1] for x in attend(*example(), mask=blind.clone()))
        zero = [not x.any() for x in (output, weights)]
        if any(zero):
            return "zero" if all(zero) else "one of the two"
        return "nan" if weights.isnan().any() else "seen"

    def masks():
        """Which shapes of a mask do what the same mask of the scores' shape does."""
        whole = scattered((2, 3, 5, 7), 4) < 0.2
        row = [slice(1), slice(1)]
        forms = [
            whole[place] for place in [(0, 0, 0), (0, 0), (0,), (*row, slice(1)), (slice(None), *row), ()]
        ]

        def works(mask):
            expected = attend(*in_a_batch(), mask=mask.expand(2, 3, 5, 7).clone())
            return all_same(attend(*in_a_batch(), mask=mask.clone()), expected)

        works = [attempt(works, mask) is True for mask in forms]
        return "any shape" if all(works) else "some shapes" if any(works[:-1]) else "the scores' shape only"

    def large_scores(*without):
        """Whether rows of large scores still sum to one."""
        query, key, value = example()
        return same(attend(300 * query, key, value, *without)[1].sum(-1), torch.ones(3))

    return up_to_the_first_wrong(
        (alone, "taken"),
        (lambda: form_of(attend(*example())), [[3, 2], [3, 3]]),
        (steady, True),
        (lambda: attend(*example()), RIGHT_SCALED),
        (lambda: bad_manners(student, attend, *(x.double() for x in example())), "none"),
        (lambda: attend(*example(), mask=mask.clone()), RIGHT_MASKED),
        (lambda: not attend(*example(), mask=mask.clone())[1][~mask].any(), True),
        (lambda: bad_manners(student, attend, *(x.double() for x in example()), mask=mask), "none"),
        (nothing_to_see, "zero"),
        (lambda: leading_axes(attend, *in_a_batch()), "any number"),
        (lambda: axes_of_length_one(attend), "kept"),
        (masks, "any shape"),
        (large_scores, True),
        (lambda: large_scores(RIGHT_WEIGHTS < RIGHT_WEIGHTS.amax(-1, keepdim=True)), True),
        (lambda: finite_gradients(attend, *example(), mask=blind.clone()), True),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "scaled_dot_product_attention", read="query-matrix", step="robust")
def test_scaled_attention_on_any_leading_axes(student, device, rng):
    """배치 축이 몇 개 있어도, 길이가 1이어도, d_v가 d_k와 달라도 맞아야 합니다. 키의 마지막 두 축만 바꾸십시오."""
    for batch, n_q, n_k, d_k, d_v in [
        ((), 3, 3, 3, 3),
        ((2,), 4, 3, 5, 2),
        ((2, 3), 1, 6, 4, 7),
        ((1, 1), 5, 1, 2, 3),
        ((3, 3), 3, 3, 64, 3),
    ]:
        inputs = random_inputs(rng, device, batch, n_q, n_k, d_k, d_v)
        output, weights = both(student.scaled_dot_product_attention(*inputs))
        expected = F.scaled_dot_product_attention(*inputs)
        assert_close(output, expected, atol=1e-5)
        assert_close(weights @ inputs[2], expected, atol=1e-5)


@points(1, "scaled_dot_product_attention", read="attention-mask")
def test_masks_of_every_shape(student, device, rng):
    """마스크는 점수의 모양으로 브로드캐스트되어야 합니다: (n_k,), (n_q, n_k), (batch, 1, 1, n_k) 모두."""
    inputs = random_inputs(rng, device, (2, 3), 4, 5, 6, 2)
    for shape in [(5,), (1, 5), (4, 5), (3, 4, 5), (2, 1, 1, 5), (2, 1, 4, 5), (2, 3, 4, 5)]:
        mask = torch.rand(shape, generator=rng) < 0.6
        mask[..., 0], mask[..., 1] = True, False  # something to see and something to hide, always
        mask = mask.to(device)
        output, weights = both(student.scaled_dot_product_attention(*inputs, mask=mask))
        seen = mask.expand(2, 3, 4, 5)
        assert_close(weights * ~seen, torch.zeros(2, 3, 4, 5), atol=0)
        assert_close(weights.sum(-1), torch.ones(2, 3, 4), atol=1e-5)
        expected = F.scaled_dot_product_attention(*inputs, attn_mask=seen)
        assert_close(output, expected, atol=1e-5)


@points(0.25, "scaled_dot_product_attention", read="hard-lookup", step="robust")
def test_scaled_gradients_reach_query_key_and_value(student, rng):
    """기울기가 질의, 키, 값 모두에 흘러야 합니다. detach나 no_grad로 끊으면 배울 수 없습니다."""
    inputs = random_inputs(rng, "cpu", (2,), 4, 5, 3, 2)
    cotangent = torch.randn(2, 4, 2, generator=rng)
    found, expected = (
        gradients(attend, *inputs, cotangent=cotangent)["inputs"]
        for attend in (student.scaled_dot_product_attention, F.scaled_dot_product_attention)
    )
    for i in range(3):
        assert_close(found[i], expected[i], rtol=1e-4, atol=1e-5)


@points(0.25, "scaled_dot_product_attention", read="saturation", step="robust")
def test_large_scores(student):
    """점수가 1,000처럼 커도 넘치지 않아야 합니다. exp를 직접 쓰면 inf/inf가 됩니다."""
    query = torch.tensor([[1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]])
    key = torch.tensor([[2e3, 0.0, 0.0, 0.0], [2e3, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    output, weights = both(student.scaled_dot_product_attention(query, key, torch.eye(3)))
    assert_close(weights, torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]), atol=1e-3)
    assert_close(output, weights)
    query, *others = large_and_not_alike()
    _, weights = both(student.scaled_dot_product_attention(2 * query, *others))  # d_k is 4
    assert_close(weights, ONE_APART, atol=1e-3)
    # The largest score is hidden.
    _, weights = both(
        student.scaled_dot_product_attention(query[:1], key, torch.eye(3), mask=torch.tensor([N, N, T]))
    )
    assert_close(weights, torch.tensor([[0.0, 0.0, 1.0]]))


@points(0.25, "scaled_dot_product_attention", read="attention-scale", step="robust")
def test_inputs_and_their_dtype_are_kept(student):
    """받은 텐서를 바꾸지 말고, 결과의 자료형과 장치는 입력을 따라야 합니다. query /= …는 부른 쪽의 질의를 망가뜨립니다."""
    mask = torch.tensor([[T, T, N], [N, T, N], [T, N, T]])
    changed = mutated(student.scaled_dot_product_attention, *example(), mask=mask)
    assert changed == [], "받은 텐서를 제자리에서 바꾸었습니다."
    for dtype in [torch.bfloat16, torch.float64]:
        inputs = [x.to(dtype) for x in example()]
        for out in both(student.scaled_dot_product_attention(*inputs, mask=mask)):
            assert out.dtype == dtype, f"{dtype} 입력에서 {out.dtype}이 나왔습니다."
            assert out.isfinite().all(), f"{dtype}에서 NaN이나 inf가 나왔습니다."
    for given in [{}, {"mask": mask}]:
        same = follows_device(student, student.scaled_dot_product_attention, *example(), **given)
        assert same, "새로 만든 텐서가 입력과 다른 장치에 있습니다."


### END HIDDEN TESTS


# expected_score_variance ------------------------------------------------------------------------------------


def estimate(student, seed, *args, **kwargs):
    """An estimate whose random numbers start from `seed`."""
    generator = student.torch.Generator().manual_seed(seed)
    return student.expected_score_variance(*args, generator=generator, **kwargs)


def assert_estimates(found, d_k, samples):
    # Var(S²) = E S⁴ - d² = 2d² + 6d for the dot product S of two standard normal vectors.
    deviation = math.sqrt((2 * d_k**2 + 6 * d_k) / samples)
    low, high = d_k - 6 * deviation, d_k + 6 * deviation
    assert low < found < high, f"d_k={d_k}에서 {low:.3g}와 {high:.3g} 사이여야 하는데 {found:.4g}입니다."


@points(0.25, "expected_score_variance", read="score-variance", step="warm-up")
def test_estimate_is_near_the_truth(student):
    """독립인 곱 d_k개를 더한 내적의 분산입니다. 성분마다가 아니라 내적마다 수 하나를 얻고, 그 분산을 냅니다."""
    for d_k in [4, 64]:
        assert_estimates(estimate(student, 0, d_k), d_k, 10_000)
        assert estimate(student, 0, d_k) != d_k, "표본에서 잰 값이 아니라 d_k 그대로입니다."


@points(0.25, "expected_score_variance", read="score-variance", step="robust")
def test_estimate_comes_from_the_generator(student):
    """float 하나를 돌려주고, 난수를 모두 generator에서 뽑아야 합니다. 시드가 같으면 추정값이 같고, 다르면 다릅니다."""
    first = estimate(student, 1, 8, samples=500)
    assert isinstance(first, float), f"float를 돌려주어야 하는데 {type(first).__name__}입니다."
    assert first == estimate(student, 1, 8, samples=500), "같은 시드에서 다른 값이 나왔습니다."
    assert first != estimate(student, 2, 8, samples=500), "시드가 달라도 같은 값이 나왔습니다."
    by_default = estimate(student, 3, 2) == estimate(student, 3, 2, samples=10_000)
    assert by_default, "samples의 기본값이 10,000이 아닙니다."
    one, other = (student.expected_score_variance(8, 500) for _ in range(2))
    assert one != other, "generator가 없으면 부를 때마다 새로 뽑아야 합니다."
    assert place(student, goes_on)(student.expected_score_variance), (
        "같은 generator로 다시 부르면 이어서 뽑아야 합니다."
    )


def goes_on(function):
    """Whether a second call with the same generator draws other numbers."""
    generator = torch.Generator().manual_seed(1)
    return function(8, 500, generator) != function(8, 500, generator)


def estimates(student, d_k, samples, times):
    """Estimates from the seeds 0, 1, ..., all made on the student's side."""
    return torch.tensor(place(student, _estimates)(student.expected_score_variance, d_k, samples, times))


def _estimates(function, d_k, samples, times):
    seeds = (torch.Generator().manual_seed(seed) for seed in range(times))
    return [float(function(d_k, samples=samples, generator=seed)) for seed in seeds]


def spread(student, d_k, samples, times=20):
    """How far estimates scatter, as a part of their mean."""
    found = estimates(student, d_k, samples, times)
    return (found.std() / found.mean().abs()).item()


# With one component a product has the fourth moment 9, a single normal number 3. So estimates from 200 samples
# scatter by sqrt(8 / 200) = 0.2 or by sqrt(2 / 200) = 0.1.
PRODUCTS_SCATTER = 0.14


@observes("expected_score_variance")
def observe_expected_score_variance(student):
    # Answers draw in their own order, so what is kept is coarse: powers of two, and how far estimates scatter.
    def power(d_k):
        mean = estimates(student, d_k, 500, 80).mean().item()
        return round(2 * math.log2(mean)) / 2 if mean > 0.115 else None

    few, many = spread(student, 64, 30), spread(student, 4, 2_000)
    one, again, other = (estimate(student, seed, 8, samples=500) for seed in (1, 1, 2))
    by_torch = [float(student.expected_score_variance(8, 500)) for _ in range(2)]
    return [
        [power(8), power(64)],
        float(one) == 8,
        sum(few > bound for bound in (1e-6, 0.04, 0.13)),
        many > 0.2,
        spread(student, 1, 200, 200) > PRODUCTS_SCATTER,
        float(one) == float(again),
        float(one) != float(other),
        by_torch[0] != by_torch[1],
        bool(place(student, goes_on)(student.expected_score_variance)),
        "float" if isinstance(one, float) else type(one).__name__,
    ]


### BEGIN HIDDEN TESTS
@points(1, "expected_score_variance", read="score-variance")
def test_a_query_meets_a_key(student):
    """내적은 질의와 키의 성분을 곱해 더한 것입니다. 벡터 하나의 성분만 더해도 분산은 같지만, 그것은 내적이 아닙니다."""
    for d_k in [1, 8]:
        assert_estimates(estimate(student, 0, d_k), d_k, 10_000)
    # By sqrt(8 / 500) and sqrt(2.1 / 500): products scatter more where there are few of them, single numbers do not.
    found = spread(student, 1, 500, 200) / spread(student, 64, 500, 200)
    assert found > 1.4, f"내적이라면 d_k가 작을 때 추정값이 더 흩어져야 합니다: {found:.3f}배."


@points(0.25, "expected_score_variance", read="score-variance")
def test_any_number_of_components(student, rng):
    """어떤 d_k에서도, 1에서도 맞아야 합니다. 쌍마다 질의와 키를 새로 뽑아야 추정값이 한 질의에 매이지 않습니다."""
    for d_k in [1, 2, int(torch.randint(3, 200, (), generator=rng))]:
        for _ in range(3):
            seed = int(torch.randint(0, 10_000, (), generator=rng))
            found = estimate(student, seed, d_k, samples=5_000)
            assert_estimates(found, d_k, 5_000)
            assert found != d_k, "표본에서 잰 값이 아니라 d_k 그대로입니다."


@points(0.25, "expected_score_variance", read="score-variance")
def test_more_samples_scatter_less(student):
    """samples개를 뽑아 추정해야 합니다. 표본이 적으면 추정값이 더 흩어집니다."""
    # Theory: sqrt((2 + 6/d) / samples), 0.29 and 0.046.
    few, many = spread(student, 16, 30), spread(student, 16, 1_200)
    assert 0.12 < few < 0.6 and 0.02 < many < 0.1, f"흩어진 정도가 {few:.3f}와 {many:.3f}입니다."


### END HIDDEN TESTS
