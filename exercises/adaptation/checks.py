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
from grader.judging.values import values_of

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


merged_weight = values_of(
    [
        ([['float64', 3, 5, 15, 8.1956066, 6.5791527], ['float64', 4, 5, 20, -2.1337841, 9.9892091], ['float64', 3, 4, 12, -4.0919274, 3.7999413], 2], {'dtype': 'float64', 'shape': [3, 5], 'values': [-0.38182286, -1.8920117, -0.07123936, -0.14973106, -0.80403384, 0.061839091, 1.4221459, -0.013573791, 1.8314836, -0.71442795, 0.23506786, 0.72879505, -0.57335169, 0.70730241, -0.71931777]}),
        ([['float32', 3, 5, 15, 8.1956068, 6.5791528], ['float32', 4, 5, 20, -2.1337842, 9.9892092], ['float32', 3, 4, 12, -4.0919274, 3.7999414], 2], {'dtype': 'float32', 'shape': [3, 5], 'values': [-0.38182285, -1.8920116, -0.071239389, -0.14973107, -0.80403376, 0.061839163, 1.4221458, -0.013573885, 1.8314838, -0.71442795, 0.23506789, 0.72879505, -0.57335174, 0.70730245, -0.71931773]}),
    ]
)


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




# nearest_lora -----------------------------------------------------------------------------------------------


nearest_change = values_of(
    [
        ([['float64', 3, 5, 15, -6.1360339, 7.7230285], 2], {'dtype': 'float64', 'shape': [3, 5], 'values': [-0.59132369, 0.025109371, -0.052533122, -0.69404875, -0.88284746, 0.26813947, 0.91748443, -0.74911748, 0.090184369, 0.6807692, -0.2759256, -0.78409059, 0.63770016, -0.13148857, -0.65222063]}),
    ]
)


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
