"""What the exercise `adaptation` is graded by."""

import math

import torch
import torch.nn.functional as F

from grader.judging.contract import assert_manners, bad_manners, how_refused, unreached
from grader.judging.observed import attempt, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    gradients,
    load,
    mutated,
    observes,
    parameters,
    place,
    points,
    reached,
    refuses,
    scattered,
)
from grader.judging.values import secret

# response_labels --------------------------------------------------------------------------------------------


def rows():
    return torch.tensor([[5, 6, 7, 8], [5, 7, 8, 0]])


@points(0.75, "response_labels", read="ada-labels", step="warm-up")
def test_only_the_answer_counts(student, device):
    """물음 자리와 패딩 자리는 -100, 답의 자리는 토큰 그대로입니다. 밀지 않습니다."""
    ids = torch.tensor([[5, 6, 7, 8], [5, 7, 8, 9]], device=device)
    labels = student.response_labels(ids, torch.tensor([2, 1], device=device), pad_id=9)
    assert_close(labels, torch.tensor([[-100, -100, 7, 8], [-100, 7, 8, -100]]))


@points(0.5, "response_labels", read="ada-labels", step="robust")
def test_zero_may_be_padding_or_not(student):
    """pad_id가 None이면 0번 토큰도 답입니다. pad_id가 0이면 0번 토큰은 패딩입니다. if pad_id: 는 0을 None처럼 다룹니다."""
    lengths = torch.tensor([2, 1])
    assert_close(student.response_labels(rows(), lengths)[1], torch.tensor([-100, 7, 8, 0]))
    assert_close(student.response_labels(rows(), lengths, pad_id=0)[1], torch.tensor([-100, 7, 8, -100]))


@observes("response_labels")
def observe_response_labels(student):
    labels, lengths = student.response_labels, torch.tensor([2, 1])

    def ids():
        return torch.tensor([[5, 6, 7, 8, 9], [5, 7, 8, 0, 0]])

    def values(*args):
        found = labels(ids(), *args).long()
        return F.pad(found, (0, 5 - found.shape[1]), value=-100).tolist()  # who shifts may cut the row, too

    return up_to_the_first_wrong(
        (
            lambda: [
                attempt(values, lengths, 0),
                attempt(values, lengths),
                attempt(values, torch.tensor([1, 3]), 7),
            ],
            [
                [[-100, -100, 7, 8, 9], [-100, 7, 8, -100, -100]],
                [[-100, -100, 7, 8, 9], [-100, 7, 8, 0, 0]],
                [[-100, 6, -100, 8, 9], [-100, -100, -100, 0, 0]],
            ],
        ),
        (lambda: labels(ids(), lengths, 0).dtype == torch.int64, True),
        (lambda: bad_manners(student, labels, ids(), lengths, 0), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "response_labels", read="ada-labels")
def test_any_lengths_and_any_padding(student, rng):
    """물음이 없는 줄과 답이 없는 줄도 있습니다. 패딩은 어느 번호든, 어디에 있든 -100입니다."""
    for batch, n, pad_id in [(1, 1, None), (4, 6, 3), (5, 5, 8), (3, 7, 9), (2, 2, None)]:
        ids = torch.randint(1, 10, (batch, n), generator=rng)  # what 0 means is another test's matter
        lengths = torch.randint(0, n + 1, (batch,), generator=rng)
        expected = [
            [-100 if t < length or token == pad_id else token for t, token in enumerate(row)]
            for row, length in zip(ids.tolist(), lengths.tolist(), strict=True)
        ]
        assert_close(student.response_labels(ids, lengths, pad_id), torch.tensor(expected))
    inside = student.response_labels(rows(), torch.tensor([1, 1]), pad_id=7)
    assert_close(inside, torch.tensor([[-100, 6, -100, 8], [-100, -100, 8, 0]]))


@points(0.25, "response_labels", read="ada-grading", step="robust")
def test_ids_are_left_alone(student):
    """받은 ids를 바꾸지 말고, 자료형과 장치는 ids를 따르십시오. -100은 정수입니다."""
    lengths = torch.tensor([2, 1])
    assert student.response_labels(rows(), lengths, 0).dtype == torch.int64, "라벨은 정수여야 합니다."
    assert_manners(student, student.response_labels, rows(), lengths, 0)


### END HIDDEN TESTS


# LoRALinear -------------------------------------------------------------------------------------------------


def make_linear(weight, bias):
    linear = torch.nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None).to(weight)
    with torch.no_grad():
        linear.weight.copy_(weight)
        if bias is not None:
            linear.bias.copy_(bias)
    return linear


def describe_linear(module):
    """Whether it is a linear map; its weight and bias, and whether they learn."""
    bias = module.bias
    return [
        type(module) is torch.nn.Linear,
        module.weight.detach().clone(),
        None if bias is None else bias.detach().clone(),
        [p.requires_grad for p in module.parameters()],
    ]


def what_learns(module):
    return {name: tuple(p.shape) for name, p in module.named_parameters() if p.requires_grad}


def adapted(student, weight, bias, A, B, alpha):
    """The student's adapter around a known linear map, with a known change."""
    linear = place(student, make_linear)(weight, bias)
    module = student.LoRALinear(linear, len(A), alpha)
    load(student, module, {"A": A, "B": B})
    return module


def known_parts(out, inside, rank, bias=True):
    return (
        scattered((out, inside), 1),
        scattered((out,), 2) if bias else None,
        scattered((rank, inside), 3),
        scattered((out, rank), 4),
    )


@secret
def merged_weight(weight, A, B, scale):
    return weight + scale * B @ A


BY_HAND = torch.eye(2), None, torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [4.0]]), 2.0


@points(0.25, "LoRALinear", read="ada-lora", step="warm-up")
def test_by_hand_and_with_more_ranks(student, device):
    """linear(x)에 alpha / r배 한 x A^T B^T를 더합니다. A는 (r, in), B는 (out, r)입니다."""
    module = adapted(student, *BY_HAND).to(device)
    assert_close(module(torch.ones(1, 2, device=device)), torch.tensor([[19.0, 25.0]]))
    weight, bias, A, B = known_parts(3, 5, 4)
    x = scattered((2, 5), 5)
    expected = place(student, make_linear)(merged_weight(weight, A, B, 2), bias)(x)
    assert_close(adapted(student, weight, bias, A, B, 8.0)(x), expected)


@points(0.5, "LoRALinear", read="ada-start")
def test_starts_as_the_linear_map(student):
    """처음에는 원래의 선형 변환과 출력이 같아야 하고, 배우는 것은 A와 B뿐입니다. B는 0, A는 무작위로 시작합니다. 둘 다 0이면 아무것도 배우지 못합니다."""
    weight, bias = scattered((3, 5), 1), scattered((3,), 2)
    module = student.LoRALinear(place(student, make_linear)(weight, bias), 2, 4.0)
    x = scattered((4, 5), 3)
    assert_close(module(x), place(student, make_linear)(weight, bias)(x))
    start = parameters(student, module, "A", "B")
    assert {"A", "B"} <= set(start), "A와 B가 파라미터가 아닙니다."
    assert (start["A"] != 0).any(), "A가 모두 0입니다."
    assert start["A"].unique().numel() == start["A"].numel(), "A의 값이 되풀이됩니다. 무작위로 뽑으십시오."
    assert (start["B"] == 0).all(), "B가 0이 아닙니다."
    learning = place(student, what_learns)(module).keys() - {
        "linear.bias"
    }  # the bias is another test's matter
    assert learning == {"A", "B"}, f"배우는 것: {sorted(learning)}"
    assert "B" in reached(module, x), "B로 기울기가 흐르지 않습니다."


def add_one(module):
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(1)


def kind_of(module):
    return type(module).__name__.replace("Parameter", "Tensor")


def kinds_of_number(module):
    return sorted({str(p.dtype) for p in module.parameters()})


@observes("LoRALinear")
def observe_lora_linear(student):
    weight, bias, A, B = (part.float() for part in known_parts(3, 5, 4))
    x = scattered((2, 5), 5).float()

    def fresh(*parts):
        return student.LoRALinear(place(student, make_linear)(*parts), 2, 4.0)

    def known(inside=5):
        return adapted(student, weight[:, :inside], bias, A[:, :inside], B, 8.0)

    def built():
        module = fresh(weight, bias)
        learning = sorted(place(student, what_learns)(module).items())
        named = "linear.weight" in parameters(student, module)
        return [learning, named, attempt(lambda: fresh(weight, None) is not None) is True]

    def start():
        found = parameters(student, fresh(weight, bias))
        return [len(found["A"].unique()) > 1, bool(found["A"].any()), bool(found["B"].any())]

    def forward():
        return [attempt(lambda: adapted(student, *BY_HAND)(torch.ones(1, 2))), attempt(lambda: known()(x))]

    def leading_axes():
        module, many = known(), scattered((2, 3, 1, 5), 6).float()
        return bool(torch.allclose(module(many), module(many.reshape(6, 5)).reshape(2, 3, 1, 3), atol=1e-5))

    def learns():
        module = known()
        slope = gradients(module, x)["inputs"][0]  # of a map that is linear but for its bias
        whole = module(x).sum() - module(torch.zeros_like(x)).sum()
        return [
            bool(torch.isclose((slope * x).sum(), whole, atol=1e-3)),
            unreached(["A", "B"], module, x) == [],
        ]

    def changed_by(change):
        """The names of what a use of `merge` changes in the module."""
        module = known(3)
        before = parameters(student, module)
        change(module)
        after = parameters(student, module)
        return sorted(name for name in before if not torch.equal(before[name], after[name]))

    def merged_bias(module, own):
        found = place(student, describe_linear)(module.merge())[2]
        if found is None or own is None:
            return found is None
        return "same" if torch.allclose(found, own) else "other"

    def merged():
        def weight_of(inside):
            return place(student, describe_linear)(known(inside).merge())[1]

        return [
            attempt(weight_of, 5),
            attempt(weight_of, 3),
            attempt(lambda: merged_bias(known(), bias)),
            attempt(lambda: merged_bias(adapted(student, weight, None, A, B, 8.0), None)),
        ]

    def numbers():
        module = fresh(weight.double(), bias.double())
        learning = place(student, kinds_of_number)(module)
        return [learning, place(student, kinds_of_number)(module.merge()) if len(learning) == 1 else None]

    double, whole = ["torch.float64"], merged_weight(weight, A, B, 2)
    return up_to_the_first_wrong(
        (built, [[["A", [2, 5]], ["B", [3, 2]]], True, True]),
        (start, [True, True, False]),
        (forward, [torch.tensor([[19.0, 25.0]]), F.linear(x, whole, bias)]),
        (leading_axes, True),
        (learns, [True, True]),
        (lambda: changed_by(lambda module: module.merge()), []),
        (lambda: place(student, kind_of)(known(3).merge()), "Linear"),
        (merged, [whole, whole[:, :3], "same", True]),
        (lambda: changed_by(lambda module: place(student, add_one)(module.merge())), []),
        (numbers, [double, double]),
    )


### BEGIN HIDDEN TESTS
@points(1, "LoRALinear", read="ada-lora")
def test_only_the_change_learns(student, rng):
    """처음의 출력에서 떠나 배우는 것은 A와 B뿐입니다. linear의 파라미터는 requires_grad가 False여야 합니다."""
    for out, inside, rank in [(3, 5, 2), (4, 2, 1), (6, 6, 3)]:
        weight, bias = torch.randn(out, inside, generator=rng), torch.randn(out, generator=rng)
        module = student.LoRALinear(place(student, make_linear)(weight, bias), rank, 1.0)
        found = place(student, what_learns)(module)
        assert found == {"A": (rank, inside), "B": (out, rank)}, f"배우는 것: {found}"
        x = torch.randn(4, inside, generator=rng)
        assert_close(module(x), F.linear(x, weight, bias), atol=1e-5)

    module = adapted(student, *known_parts(3, 5, 4), 8.0)
    assert reached(module, scattered((2, 5), 5)) == ["0", "A", "B"], "기울기가 A와 B에 닿지 않습니다."
    weight, _, A, B = known_parts(3, 5, 4)
    slope = gradients(module, scattered((2, 5), 5))["inputs"][0]
    assert torch.allclose(slope, (weight + 2 * B @ A).sum(dim=0).expand(2, 5)), (
        "입력으로 가는 기울기가 원래의 선형 변환을 지나지 않습니다."
    )


@points(0.75, "LoRALinear", read="ada-merge")
def test_merged_is_the_same_map(student, rng):
    """merge()의 결과는 출력이 같은 nn.Linear입니다: W + alpha / r * B A. 편향도 옮기십시오. 편향이 없으면 없어야 합니다."""
    for out, inside, rank, bias in [(3, 5, 4, True), (4, 4, 2, True), (5, 3, 3, False), (1, 2, 1, True)]:
        weight, A, B = (
            torch.randn(shape, generator=rng).double()
            for shape in [(out, inside), (rank, inside), (out, rank)]
        )
        b = torch.randn(out, generator=rng).double() if bias else None
        module = adapted(student, weight, b, A, B, 3.0)
        merged = module.merge()
        is_linear, found, found_bias, _ = place(student, describe_linear)(merged)
        assert is_linear, "merge()가 nn.Linear를 돌려주지 않았습니다."
        assert_close(found, weight + 3.0 / rank * B @ A, atol=1e-9)
        assert (found_bias is None) == (b is None), "편향이 있어야 할 때만 있어야 합니다."
        x = torch.randn(6, inside, generator=rng).double()
        assert_close(merged(x), module(x), atol=1e-9)


@points(0.25, "LoRALinear", read="ada-merge", step="robust")
def test_merging_changes_nothing(student):
    """merge()는 원래의 모듈을 바꾸지 않습니다. 두 번 불러도 결과가 같아야 합니다. 받은 가중치에 더해 쓰면 두 번 더해집니다."""
    weight, bias, A, B = known_parts(3, 5, 4)
    module = adapted(student, weight, bias, A, B, 8.0)
    first, second = (place(student, describe_linear)(module.merge())[1] for _ in range(2))
    assert_close(first, weight + 2 * B @ A, atol=1e-9)
    assert_close(second, first, atol=1e-9)
    kept = parameters(student, module)
    assert "linear.weight" in kept, "원래의 선형 변환이 linear라는 이름에 없습니다."
    assert_close(kept["linear.weight"], weight)
    assert_close(kept["B"], B)
    place(student, add_one)(module.merge())
    kept = parameters(student, module)
    assert_close(kept["linear.bias"], bias)  # a merged map is a copy
    assert_close(kept["linear.weight"], weight)


@points(0.25, "LoRALinear", read="ada-grading", step="robust")
def test_dtype_and_leading_axes(student, device):
    """A와 B의 자료형과 장치는 linear.weight와 같아야 합니다. 입력의 앞쪽 축은 몇 개든 됩니다."""
    for dtype in (torch.float64, torch.bfloat16):
        linear = place(student, make_linear)(scattered((3, 5), 1).to(device, dtype), None)
        module = student.LoRALinear(linear, 2, 4.0)
        found = parameters(student, module, "A", "B")
        assert {x.dtype for x in found.values()} == {dtype}, f"{dtype} 대신 {found['A'].dtype}입니다."
        assert {x.device.type for x in found.values()} == {device.type}, "linear와 다른 장치에 있습니다."
        assert module(scattered((2, 3, 1, 5), 2).to(device, dtype)).shape == (2, 3, 1, 3)


### END HIDDEN TESTS


# nearest_lora -----------------------------------------------------------------------------------------------


@secret
def nearest_change(change, rank):
    """The nearest matrix of a rank: what is left of the change beside its largest directions."""
    values, directions = torch.linalg.eigh(change.double().mT @ change.double())
    kept = directions[:, values.argsort(descending=True)[:rank]]
    return change.double() @ kept @ kept.mT


def moved(out, inside, seed=1):
    """A weight before and after a training, whose change is of full rank."""
    before = scattered((out, inside), seed)
    return before, before + scattered((out, inside), seed + 1)


def product_of(student, before, after, rank, alpha):
    """B A, where both have the shapes that an adapter needs."""
    A, B = student.nearest_lora(before, after, rank, alpha)
    (out, inside), found = before.shape, (tuple(A.shape), tuple(B.shape))
    assert found == ((rank, inside), (out, rank)), f"A와 B의 모양이 {found}입니다."
    return B @ A


@points(0.5, "nearest_lora", read="ada-merge", step="warm-up")
def test_a_merged_change_comes_out_again(student, device):
    """after - before를 분해합니다. 어댑터가 나중에 alpha / r을 곱하므로 B A는 변화에 r / alpha를 곱한 것입니다. 랭크가 1인 변화는 남김없이 나옵니다."""
    before, after = torch.eye(2, device=device), torch.tensor([[7.0, 12.0], [8.0, 17.0]], device=device)
    found = product_of(student, before, after, 1, 2.0)
    assert_close(found, torch.tensor([[3.0, 6.0], [4.0, 8.0]]), atol=1e-4)


@points(0.25, "nearest_lora", read="ada-narrow")
def test_the_largest_direction_is_kept(student):
    """랭크가 모자라면 가장 큰 특잇값부터 남깁니다. 행렬의 앞 행이나 앞 열을 남기는 것은 가장 가깝지 않습니다."""
    before, after = moved(3, 5)
    right = nearest_change(after - before, 2) * 2 / 3
    assert_close(product_of(student, before.float(), after.float(), 2, 3.0), right.float(), atol=1e-4)


@observes("nearest_lora")
def observe_nearest_lora(student):
    before, after = moved(3, 5)
    right = nearest_change(after - before, 2) * 2 / 3
    nearest = student.nearest_lora

    def parts(dtype=before.dtype):
        return nearest(before.to(dtype, copy=True), after.to(dtype, copy=True), 2, 3.0)

    def product():
        A, B = parts()
        return B.double() @ A.double()

    def refused(before, after):
        return how_refused(nearest, before.clone(), after.clone(), 4, 3.0)

    def dtypes(dtype):
        return [str(part.dtype) for part in parts(dtype)]

    return up_to_the_first_wrong(
        (lambda: [list(part.shape) for part in parts()], [[2, 5], [3, 2]]),
        (product, right),
        (lambda: refused(before, after), "refused"),
        (lambda: refused(before.mT, after.mT), "refused"),
        (lambda: dtypes(torch.bfloat16), ["torch.bfloat16"] * 2),
        (lambda: dtypes(torch.float64), ["torch.float64"] * 2),
        (lambda: mutated(nearest, before, after, 2, 3.0), []),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "nearest_lora", read="ada-narrow")
def test_no_change_of_this_rank_is_nearer(student, device, rng):
    """높은 행렬에서도 넓은 행렬에서도, 어느 랭크에서도 가장 가까운 변화여야 합니다. 랭크가 다 차면 변화가 그대로 나옵니다."""
    for out, inside, rank, alpha in [(6, 4, 2, 8.0), (3, 7, 1, 0.5), (5, 5, 3, 1.0), (4, 6, 4, 2.0)]:
        before, after = torch.randn(2, out, inside, generator=rng, dtype=torch.float64)
        right = nearest_change(after - before, rank)
        found = product_of(student, before.to(device), after.to(device), rank, alpha)
        assert_close(found * alpha / rank, right, atol=1e-6)


@points(0.25, "nearest_lora", read="ada-grading", step="robust")
def test_taking_out_has_manners(student):
    """rank가 min(out, in)보다 크면 ValueError를 냅니다. 반정밀도에서도 되고, 자료형과 장치는 입력을 따르고, 입력은 바꾸지 않습니다."""
    before, after = moved(3, 5)
    for dtype in (torch.float64, torch.bfloat16):
        parts = student.nearest_lora(before.to(dtype), after.to(dtype), 2, 2.0)
        assert {part.dtype for part in parts} == {dtype}, f"{dtype} 대신 {parts[0].dtype}입니다."
    exact = product_of(student, before, after, 2, 2.0)
    assert_close(exact, nearest_change(after - before, 2), rtol=1e-9, atol=1e-9)
    for given in [(before, after), (before.mT, after.mT)]:
        assert refuses(student.nearest_lora, *given, 4, 2.0), "넘치는 랭크를 받아들였습니다."
    assert_manners(student, student.nearest_lora, before, after, 2, 2.0)


### END HIDDEN TESTS


# sequence_log_prob ------------------------------------------------------------------------------------------

PROBABILITIES = torch.tensor([[[0.5, 0.5], [0.25, 0.75], [0.9, 0.1]]], dtype=torch.float64)


@points(0.25, "sequence_log_prob", read="ada-log-prob", step="warm-up")
def test_product_of_two_probabilities(student, device):
    """위치 t - 1의 로짓이 라벨 t를 맞힙니다. 로짓의 마지막 위치와 라벨의 첫 위치는 짝이 없습니다. 로그 확률을 더합니다."""
    logits = PROBABILITIES.log().to(device) + 3.0  # softmax takes any constant away
    found = student.sequence_log_prob(logits, torch.tensor([[0, 1, 0]], device=device))
    assert_close(found, torch.tensor([math.log(0.5 * 0.25)]))


@observes("sequence_log_prob")
def observe_sequence_log_prob(student):
    log_prob = student.sequence_log_prob
    logits = 3 * scattered((2, 4, 5), 1)
    every, some = [[1, 4, 2, 3], [4, 1, 3, 2]], [[1, -100, 2, 3], [4, -100, -100, 2]]

    def found(rows, logits=logits):
        return log_prob(logits.clone(), torch.tensor(rows))

    def by_hand():
        return log_prob(PROBABILITIES.log() + 3.0, torch.tensor([[0, 1, 0]]))

    def large():
        """Whether unlikely labels are as unlikely as they are, and whether a constant still falls away."""
        far, shifted = found(some, 500 * logits), found(some, logits + 2000)
        return [bool(far.isfinite().all() and far.min() < -800), bool(torch.allclose(shifted, found(some)))]

    return up_to_the_first_wrong(
        (
            lambda: [attempt(by_hand), attempt(found, every), attempt(found, some)],
            [torch.tensor(right) for right in ([-2.0794], [-3.8416, -9.9883], [-3.5313, -0.5864])],
        ),
        (lambda: found([[-100] * 4] * 2), torch.zeros(2)),
        (large, [True, True]),
        (lambda: bad_manners(student, log_prob, logits, torch.tensor(some)), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.25, "sequence_log_prob", read="ada-log-prob")
def test_equals_cross_entropy_row_by_row(student, rng):
    """줄마다 -100이 아닌 라벨의 로그 확률만 더합니다. 배치 전체의 합이나 토큰의 평균이 아닙니다. 셀 라벨이 없는 줄은 0입니다."""
    for batch, n, vocab in [(3, 5, 4), (1, 2, 7), (4, 6, 2), (2, 1, 3)]:
        logits = 3 * torch.randn(batch, n, vocab, generator=rng, dtype=torch.float64)
        labels = torch.randint(0, vocab, (batch, n), generator=rng)
        labels[torch.rand(batch, n, generator=rng) < 0.4] = -100
        labels[0] = -100
        expected = [
            -F.cross_entropy(row[:-1], label[1:], ignore_index=-100, reduction="sum")
            for row, label in zip(logits, labels, strict=True)
        ]
        found = student.sequence_log_prob(logits, labels)
        assert_close(found, torch.stack(expected).reshape(batch), atol=1e-9)


@points(0.75, "sequence_log_prob", read="ada-grading")
def test_gradients_and_large_logits(student, rng):
    """기울기는 로짓으로 흘러야 하고, 로짓이 1,000처럼 커도 결과가 유한해야 합니다. softmax의 로그 대신 log_softmax를 쓰십시오."""
    logits = torch.randn(2, 4, 5, generator=rng, dtype=torch.float64)
    labels = torch.tensor([[1, -100, 2, 3], [4, -100, -100, 0]])
    found = gradients(student.sequence_log_prob, logits, labels)["inputs"][0]
    picked = torch.zeros_like(logits)
    for b, t in [(0, 2), (0, 3), (1, 3)]:
        picked[b, t - 1] = F.one_hot(labels[b, t], 5) - logits[b, t - 1].softmax(-1)
    assert_close(found, picked, atol=1e-9)
    large = 1e4 * logits
    large[0, 1, labels[0, 2]] = -1e5  # its probability is 0 in every precision
    expected = torch.zeros(2, dtype=torch.float64)
    for b, t in [(0, 2), (0, 3), (1, 3)]:
        expected[b] += large[b, t - 1, labels[b, t]] - large[b, t - 1].logsumexp(-1)
    assert_close(student.sequence_log_prob(large, labels), expected)


@points(0.25, "sequence_log_prob", read="ada-grading", step="robust")
def test_log_prob_has_manners(student):
    """받은 logits와 labels를 바꾸지 말고, 결과의 자료형과 장치는 logits를 따르십시오."""
    logits, labels = scattered((2, 4, 5), 1), torch.tensor([[1, -100, 2, 3], [4, -100, -100, 0]])
    assert_manners(student, student.sequence_log_prob, logits, labels)


### END HIDDEN TESTS


# dpo_loss ---------------------------------------------------------------------------------------------------


def one_pair(*values):
    return [torch.tensor([value], dtype=torch.float64) for value in values]


@points(0.25, "dpo_loss", read="ada-dpo", step="warm-up")
def test_one_pair_by_hand(student, device):
    """마진은 beta * ((고른 답 - 그 기준) - (버린 답 - 그 기준))이고, 손실은 -ln sigmoid(마진)의 평균입니다."""
    inputs = [x.to(device) for x in one_pair(-10.0, -12.0, -9.0, -14.0)]
    loss, accuracy = student.dpo_loss(*inputs, 0.5)
    assert_close(loss, torch.tensor(1.7014133), atol=1e-5)
    assert float(accuracy) == 0.0, f"정확도가 0이어야 하는데 {float(accuracy)}입니다."


@points(0.25, "dpo_loss", read="ada-dpo")
def test_same_model_gives_log_two(student):
    """배우는 모델이 기준과 같으면 마진은 0, 손실은 ln 2입니다. 마진이 0인 짝은 맞힌 것이 아닙니다."""
    same = torch.tensor([-3.0, -20.0])
    other = torch.tensor([-5.0, -7.5])
    loss, accuracy = student.dpo_loss(same, other, same, other, 0.1)
    assert_close(loss, torch.tensor(math.log(2)))
    assert float(accuracy) == 0.0, f"정확도가 0이어야 하는데 {float(accuracy)}입니다."


@observes("dpo_loss")
def observe_dpo_loss(student):
    several = [10 * scattered((4,), key) - 12 for key in range(4)]
    far = one_pair(-3000.0, -1.0, -2.0, -5.0)
    inputs = [
        (*one_pair(-10.0, -12.0, -9.0, -14.0), 0.5),
        (*several, 0.2),
        (*several[:2], *several[:2], 0.2),  # the same model twice
    ]

    def loss_of(*args):
        found = student.dpo_loss(*args)
        return found[0] if isinstance(found, tuple | list) else found

    def accuracy_of(*args):
        found = student.dpo_loss(*args)
        return torch.as_tensor(found[1]).double() if isinstance(found, tuple | list) else "forgotten"

    def at_large_margins():
        loss, slope = loss_of(*far, 1.0), gradients(student.dpo_loss, *far, 1.0)["inputs"][0]
        if not (loss.isfinite() and slope.isfinite().all()):
            return "not finite"
        return bool(torch.isclose(loss.double(), torch.tensor(3002.0).double()))

    def learns():
        """Whether the policy learns, and whether the reference does."""
        found = set(reached(student.dpo_loss, *several, 0.2))
        return [{"0", "1"} <= found, bool(found & {"2", "3"})]

    return up_to_the_first_wrong(
        (
            lambda: [attempt(loss_of, *each) for each in inputs],
            [torch.tensor(loss) for loss in (1.7014, 1.5329, 0.69315)],
        ),
        (
            lambda: [attempt(accuracy_of, *each) for each in inputs],
            [torch.tensor(share) for share in (0.0, 0.5, 0.0)],
        ),
        (learns, [True, False]),
        (at_large_margins, True),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "dpo_loss", read="ada-dpo")
def test_mean_over_pairs(student, rng):
    """짝마다 손실을 재고 평균합니다. 정확도는 마진이 0보다 큰 짝의 비율입니다."""
    for batch, beta in [(1, 1.0), (5, 0.1), (8, 2500.0)]:
        four = [-10 * torch.rand(batch, generator=rng, dtype=torch.float64) for _ in range(4)]
        if batch == 1:  # right by the policy alone, and wrong against the reference
            four = one_pair(-1.0, -2.0, -0.5, -4.0)
        margins = [
            beta * ((pc - rc) - (pr - rr)) for pc, pr, rc, rr in zip(*(x.tolist() for x in four), strict=True)
        ]
        loss, accuracy = student.dpo_loss(*four, beta)
        assert_close(loss, F.softplus(-torch.tensor(margins, dtype=torch.float64)).mean(), atol=1e-9)
        assert_close(torch.as_tensor(accuracy).double(), torch.tensor(sum(m > 0 for m in margins) / batch))


@points(0.5, "dpo_loss", read="ada-reference")
def test_no_gradient_to_the_reference(student, rng):
    """기울기는 배우는 모델의 두 로그 확률로만 흐릅니다. 기준에는 흐르지 않습니다(detach)."""
    four = [-10 * torch.rand(3, generator=rng, dtype=torch.float64) for _ in range(4)]
    found = gradients(student.dpo_loss, *four, 0.5)["inputs"]
    margins = 0.5 * ((four[0] - four[2]) - (four[1] - four[3]))
    expected = -0.5 * torch.sigmoid(-margins) / 3
    assert found[0] is not None and found[1] is not None, "배우는 모델로 기울기가 흐르지 않습니다."
    assert_close(found[0], expected, atol=1e-9)
    assert_close(found[1], -expected, atol=1e-9)
    assert all(found[i] is None or not found[i].any() for i in (2, 3)), "기준으로 기울기가 흐릅니다."


@points(0.25, "dpo_loss", read="ada-grading", step="robust")
def test_large_margins(student):
    """마진이 -1,000이어도 손실과 기울기가 유한해야 합니다. log(sigmoid(...)) 대신 logsigmoid를 쓰십시오."""
    far = [torch.tensor(pair, dtype=torch.float64) for pair in ([-3000, -1], [-1, -3], [-2, -1], [-5, -3])]
    loss, _ = student.dpo_loss(*far, 1.0)  # of margins -3002 and 0
    assert_close(loss, torch.tensor((3002.0 + math.log(2)) / 2))
    grad = gradients(student.dpo_loss, *far, 1.0)["inputs"][0]
    assert_close(grad, torch.tensor([-0.5, -0.25]))


### END HIDDEN TESTS
