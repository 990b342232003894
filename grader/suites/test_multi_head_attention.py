"""What the exercise `multi_head_attention` is graded by."""

from functools import cache

import pytest
import torch
from torch import nn

from grader.judging.contract import assert_manners, bad_manners, finite_gradients, unreached
from grader.judging.observed import same, up_to_the_first_wrong
from grader.judging.suite import (
    ATTENTION,
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
    scattered,
)

FORBIDDEN = {"MultiHeadAttention": ATTENTION}

T, N = True, False  # visible, hidden
MAPS = ["W_q", "W_k", "W_v", "W_o"]


def counted(*shape):
    """0, 1, 2, ... so that every feature can be told from every other."""
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape)


def numbered(*axes):
    """Numbers that grow by a step along each of (size, step)."""
    numbers = torch.zeros(())
    for size, step in axes:
        numbers = numbers[..., None] + step * torch.arange(float(size))
    return numbers


# The same twelve features at eight positions, as vectors and in four heads, and 0, 1 or 2 axes before them.
VECTORS, HEADS = [(8, 12), (12, 1)], [(4, 3), (8, 12), (3, 1)]
LEADING = [[], [(2, 96)], [(2, 288), (3, 96)]]


def of_one_sentence(function, given, expected):
    """True, or what is wrong about one sentence, whichever of a batch of one or no batch the answer can take."""
    found = [outcome(function, numbered(*batch, *given)) for batch in ([(1, 0)], [])]
    outputs = [x[0] if x.dim() and len(x) == 1 else x for x in found if isinstance(x, torch.Tensor)]
    if any(same(x, numbered(*expected)) for x in outputs):
        return True
    if outputs:
        return outputs[0]
    return "refused" if found == ["ValueError"] * 2 else "fails"


def leading_axes(works):
    """What 0, 1 and 2 axes before the others, handled rightly or not, say together."""
    if all(works):
        return "any number"
    return "one only" if works[1] else "none only" if works[0] else "other"


def is_same(function, given, expected):
    return outcome(lambda x: same(function(x), expected), given) is True


def answer_to(function, *args):
    """How a call that should raise a ValueError ends."""
    found = outcome(function, *args)
    if isinstance(found, str):  # an error's name
        return {"ValueError": "refused", "RuntimeError": "left to torch"}.get(found, "another error")
    return "accepted"


# split_heads ------------------------------------------------------------------------------------------------


@points(0.75, "split_heads", read="splitting-heads", step="warm-up")
def test_each_head_gets_a_slice_of_every_position(student, device):
    """헤드마다 모든 위치의 벡터를 앞에서부터 d_k개씩 받아야 합니다. 마지막 축을 나눈 다음 헤드 축을 위치 축 앞으로 옮기십시오."""
    heads = student.split_heads(counted(3, 4).to(device), 2)
    expected = [[[0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 11]]]
    assert_close(heads, torch.tensor(expected, dtype=torch.float32))


@points(0.25, "split_heads", read="heads-divide", step="robust")
def test_uneven_slices_are_refused(student):
    """d가 헤드의 수로 나누어떨어지지 않으면 ValueError를 내야 합니다."""
    student.split_heads(counted(2, 3, 8), 4)
    with pytest.raises(ValueError):
        student.split_heads(counted(2, 3, 10), 4)


@observes("split_heads")
def observe_split_heads(student):
    split, x = student.split_heads, scattered((2, 3, 8), 1)

    def axes():
        works = [is_same(split_in_four, numbered(*b, *VECTORS), numbered(*b, *HEADS)) for b in LEADING]
        with_batch = outcome(split_in_four, numbered(*LEADING[1], *VECTORS))
        if works[0] and not works[1] and getattr(with_batch, "shape", None) == (4, 2, 8, 3):
            return "heads first"
        return leading_axes(works)

    def split_in_four(x):
        return split(x, 4)

    return up_to_the_first_wrong(
        (lambda: of_one_sentence(split_in_four, VECTORS, HEADS), True),
        (axes, "any number"),
        (lambda: answer_to(split, x[..., :6], 4), "refused"),
        (lambda: list(split(x[:1, :1, :1], 1).shape), [1, 1, 1, 1]),
        (lambda: bad_manners(student, split, x, 4), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "split_heads", read="axes-from-the-end")
def test_split_with_any_leading_axes(student, device, rng):
    """배치 축은 없을 수도, 여럿일 수도 있습니다. 축을 뒤에서부터(-1, -2, -3) 세십시오."""
    for *shape, num_heads in [
        (5, 6, 3),
        (2, 5, 12, 4),
        (1, 1, 4, 4),
        (2, 3, 4, 8, 2),
        (4, 4, 16, 4),
        (3, 5, 1),
    ]:
        x = torch.randn(*shape, generator=rng)
        heads = student.split_heads(x.to(device), num_heads)
        assert_close(heads, torch.stack(x.chunk(num_heads, dim=-1), dim=-3))
        assert heads.device.type == device.type, "결과가 입력과 다른 장치에 있습니다."


def split_by_torch(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=-3)


@points(0.25, "split_heads", read="splitting-heads", step="robust")
def test_split_passes_gradients(student, rng):
    """기울기가 끊겼습니다(numpy, detach). 나누기만 해도 기울기는 그대로 흘러야 헤드가 배웁니다."""
    x, cotangent = torch.randn(2, 5, 6, generator=rng), torch.randn(2, 3, 5, 2, generator=rng)
    found = gradients(student.split_heads, x, 3, cotangent=cotangent)["inputs"][0]
    assert_close(found, gradients(split_by_torch, x, 3, cotangent=cotangent)["inputs"][0])
    assert mutated(student.split_heads, x, 3) == [], "입력이 바뀌었습니다."
    assert student.split_heads(x.double(), 3).dtype == torch.float64, "자료형이 입력을 따르지 않습니다."


### END HIDDEN TESTS


# merge_heads ------------------------------------------------------------------------------------------------


@points(0.75, "merge_heads", read="merging-heads", step="warm-up")
def test_heads_stand_side_by_side(student, device):
    """위치마다 헤드 0의 결과, 헤드 1의 결과를 차례로 이어 붙여야 합니다. 헤드 축을 위치 축 뒤로 되돌린 다음 두 축을 합치십시오."""
    heads = torch.tensor([[[0.0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 11]]])
    assert_close(student.merge_heads(heads.to(device)), counted(3, 4))


@observes("merge_heads")
def observe_merge_heads(student):
    merge, x = student.merge_heads, scattered((2, 4, 3, 2), 1)

    def values():
        found = of_one_sentence(merge, HEADS, VECTORS)
        # With one position there is nothing to move.
        in_order = numbered((4, 3), (1, 12), (3, 1)), numbered((1, 12), (12, 1))
        return "only in order" if isinstance(found, str) and is_same(merge, *in_order) else found

    def axes():
        works = [is_same(merge, numbered(*b, *HEADS), numbered(*b, *VECTORS)) for b in LEADING]
        return leading_axes(works)

    short = [(2, 4, 1, 3), (1, 4, 3, 2), (2, 1, 3, 1), (1, 1, 1, 1)]
    shapes = [[2, 1, 12], [1, 3, 8], [2, 3, 1], [1, 1, 1]]
    return up_to_the_first_wrong(
        (values, True),
        (lambda: bad_manners(student, merge, x), "none"),
        (axes, "any number"),
        (lambda: [list(merge(counted(*shape)).shape) for shape in short] == shapes, True),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "merge_heads", read="axes-from-the-end")
def test_merge_with_any_leading_axes(student, device, rng):
    """배치 축은 없을 수도, 여럿일 수도 있습니다. 축을 뒤에서부터(-1, -2, -3) 세십시오."""
    for shape in [(3, 5, 2), (2, 4, 5, 3), (1, 4, 1, 1), (2, 3, 2, 4, 4), (4, 4, 4, 4), (1, 5, 3)]:
        x = torch.randn(shape, generator=rng)
        assert_close(student.merge_heads(x.clone().to(device)), torch.cat(x.unbind(dim=-3), dim=-1))


def merge_by_torch(x):
    return torch.cat(x.unbind(dim=-3), dim=-1)


@points(0.25, "merge_heads", read="merging-heads", step="robust")
def test_merge_passes_gradients(student, rng):
    """기울기가 끊겼습니다(numpy, detach). 합치기만 해도 기울기는 그대로 흘러야 헤드가 배웁니다."""
    x, cotangent = torch.randn(2, 3, 5, 2, generator=rng), torch.randn(2, 5, 6, generator=rng)
    found = gradients(student.merge_heads, x, cotangent=cotangent)["inputs"][0]
    assert_close(found, gradients(merge_by_torch, x, cotangent=cotangent)["inputs"][0])
    assert mutated(student.merge_heads, x) == [], "입력이 바뀌었습니다."
    assert student.merge_heads(x.double()).dtype == torch.float64, "자료형이 입력을 따르지 않습니다."


### END HIDDEN TESTS


# MultiHeadAttention -----------------------------------------------------------------------------------------


def known_maps(d_model, make):
    """`make(name, shape)` for each map's matrix and bias."""
    shapes = {"weight": (d_model, d_model), "bias": (d_model,)}
    return {f"{name}.{part}": make(f"{name}.{part}", shapes[part]) for name in MAPS for part in shapes}


def torch_twin(state, num_heads):
    """`nn.MultiheadAttention` with the same weights."""
    d_model = len(state["W_o.weight"])
    twin = nn.MultiheadAttention(d_model, num_heads, batch_first=True, dtype=torch.float64)
    zeros = torch.zeros(d_model, dtype=torch.float64)
    twin.load_state_dict(
        {
            "in_proj_weight": torch.cat([state[f"{name}.weight"] for name in MAPS[:3]]),
            "in_proj_bias": torch.cat([state.get(f"{name}.bias", zeros) for name in MAPS[:3]]),
            "out_proj.weight": state["W_o.weight"],
            "out_proj.bias": state.get("W_o.bias", zeros),
        }
    )
    return twin.eval()


def pair(student, d_model, num_heads, make, device="cpu"):
    """The student's module and PyTorch's, in float64, with the same weights; one test asks for the biases."""
    module = student.MultiHeadAttention(d_model, num_heads).double().to(device)
    biases = [f"{name}.bias" for name in MAPS]
    state = load(student, module, known_maps(d_model, make), optional=biases)
    return module, torch_twin(state, num_heads)


def fixed_weights(name, shape):
    """The same matrices each time. Of the biases only that of W_o is not zero."""
    return scattered(shape, name) if len(shape) == 2 or name == "W_o.bias" else torch.zeros(shape)


def random_weights(rng):
    return lambda name, shape: torch.randn(shape, generator=rng, dtype=torch.float64) / 2


def expected_of(twin, query, key, value, visible=None):
    """Output and weights of PyTorch's module; `visible` (batch, heads, n_q, n_k), True = may attend."""
    hidden = None if visible is None else ~visible.flatten(0, 1)  # in nn.MultiheadAttention True hides
    with torch.no_grad():
        return twin(query, key, value, attn_mask=hidden, average_attn_weights=False)


def shapes_of_maps(student, d_model, num_heads):
    names = [f"{name}.{part}" for name in MAPS for part in ("weight", "bias")]
    found = parameters(student, student.MultiHeadAttention(d_model, num_heads), *names)
    return {name: list(found[name].shape) for name in names if name in found}


@points(0.25, "MultiHeadAttention", read="multi-head-formula")
def test_four_maps_with_biases(student):
    """W_q, W_k, W_v, W_o는 저마다 d_model에서 d_model로 가는 nn.Linear이고 편향이 있습니다."""
    shapes = shapes_of_maps(student, 6, 2)
    for name in MAPS:
        assert shapes.get(f"{name}.weight") == [6, 6], f"{name}.weight: {shapes.get(f'{name}.weight')}"
        assert shapes.get(f"{name}.bias") == [6], f"{name}.bias: {shapes.get(f'{name}.bias')}"


@points(0.25, "MultiHeadAttention", read="weights-per-head", step="warm-up")
def test_shapes_and_rows(student, device):
    """출력은 (..., n_q, d_model), 가중치는 (..., h, n_q, n_k)입니다. 가중치는 헤드마다 따로, 키 축에서 합이 1입니다."""
    module = student.MultiHeadAttention(8, 4).to(device)
    query, memory = scattered((2, 3, 8), 0).float().to(device), scattered((2, 5, 8), 1).float().to(device)
    output, weights = module(query, memory, memory)
    assert tuple(output.shape) == (2, 3, 8), f"출력의 모양이 {tuple(output.shape)}입니다."
    assert tuple(weights.shape) == (2, 4, 3, 5), f"가중치의 모양이 {tuple(weights.shape)}입니다."
    assert_close(weights.sum(-1), torch.ones(2, 4, 3))


@points(0.75, "MultiHeadAttention", read="multi-head-formula")
def test_equals_torch(student, device):
    """같은 가중치를 넣은 nn.MultiheadAttention과 출력이 같아야 합니다. sqrt(d_k), 헤드의 순서, W_o를 확인하십시오."""
    module, twin = pair(student, 6, 2, fixed_weights, device)
    query, key, value = scattered((2, 3, 6), 0.1), scattered((2, 4, 6), 0.2), scattered((2, 4, 6), 0.3)
    output, weights = module(query.to(device), key.to(device), value.to(device))
    expected_output, expected_weights = expected_of(twin, query, key, value)
    assert_close(weights, expected_weights, atol=1e-6)
    assert_close(output, expected_output, atol=1e-6)


@points(0.25, "MultiHeadAttention", read="heads-divide", step="robust")
def test_uneven_heads_are_refused(student):
    """d_model이 헤드의 수로 나누어떨어지지 않으면 모듈을 만들 때 ValueError를 내야 합니다."""
    with pytest.raises(ValueError):
        student.MultiHeadAttention(10, 4)


def without_biases(name, shape):
    """The same matrices each time, and biases that are the same as none."""
    return scattered(shape, name) if len(shape) == 2 else torch.zeros(shape)


# What an answer is observed on, and what is right there: made here, since it uses what an answer must not call.
QUERY, KEY, VALUE = scattered((3, 4, 6), 4), scattered((3, 5, 6), 5), scattered((3, 5, 6), 6)
VISIBLE = counted(3, 4, 5) % 3 > 0  # every query sees some keys and others not
OF_HEADS = counted(3, 2, 4, 5) % 3 > 0
TWIN = torch_twin(known_maps(6, without_biases), 2)
RIGHT, *RIGHT_MASKED = (
    expected_of(TWIN, QUERY, KEY, VALUE, mask if mask is None else mask.expand(3, 2, 4, 5))
    for mask in (None, VISIBLE[0], VISIBLE[:, None], OF_HEADS)
)


@observes("MultiHeadAttention")
def observe_multi_head_attention(student):
    blind, blind_in_one = VISIBLE[:2].clone(), torch.ones(2, 2, 4, 5, dtype=torch.bool)
    blind[0, 1] = blind_in_one[0, 1, 2] = False
    made = cache(lambda make=without_biases: pair(student, 6, 2, make)[0])
    inputs = QUERY, KEY, VALUE

    def attend(*masks, n=3, make=without_biases):
        return made(make)(*(x[:n].clone() for x in inputs), *(mask.clone() for mask in masks))

    def maps():
        shapes = shapes_of_maps(student, 6, 2)
        found = [shapes.get(f"{name}.weight") for name in MAPS]
        return "other names" if None in found[:3] else found

    def returned():
        found = attend()
        if isinstance(found, torch.Tensor):
            return "one tensor"
        shapes = [list(x.shape) for x in found]
        if shapes == [[3, 4, 6], [3, 4, 5]]:
            return "mean" if same(found[1], RIGHT[1].mean(-3)) else "no axis of heads"
        return shapes

    def works_on(axes, *mask):
        """Whether the output is right with so many axes before the positions."""
        forms = [lambda x: x[0], lambda x: x, lambda x: torch.stack([x, x.flip(0)])]
        given = [forms[axes](x).clone() for x in (*inputs, *mask)]
        expected, _ = RIGHT_MASKED[1] if mask else RIGHT
        return is_same(lambda given: made()(*given)[0], given, forms[axes](expected))

    def one_mask():
        """The weights under one mask for all, in whichever form the answer takes it."""
        forms = [VISIBLE[0].expand(shape) for shape in [(4, 5), (3, 4, 5), (3, 1, 4, 5), (3, 2, 4, 5)]]
        found = [outcome(lambda mask: attend(mask)[1], mask) for mask in forms]
        found = [x for x in found if isinstance(x, torch.Tensor) and x.shape == (3, 2, 4, 5)]
        return any(same(x, RIGHT_MASKED[0][1]) for x in found) or found[0]

    def forms_of_masks():
        of_all, of_sentence, of_head = (weights for _, weights in RIGHT_MASKED)
        pairs = [
            (VISIBLE[0], of_all),
            (VISIBLE, of_sentence),
            (VISIBLE[:, None], of_sentence),
            (OF_HEADS, of_head),
        ]
        works = [is_same(lambda mask: attend(mask)[1], mask, expected) for mask, expected in pairs]
        return "only one a sentence" if works[1] and not any(works[2:]) else works

    def of_the_blind():
        found = attend(blind, n=2, make=fixed_weights)[0][0, 1]
        bias = fixed_weights("W_o.bias", (6,))
        return "zero" if not found.any() else "bias" if same(found, bias) else "other"

    def of_the_blind_in_one():
        found = attend(blind_in_one, n=2)[0][0, 2]
        return "zero" if not found.any() else bool(found.isfinite().all())

    def biases():
        return all(f"{name}.bias" in shapes_of_maps(student, 6, 2) for name in MAPS)

    learning = ["0", "1", "2", *(f"{name}.weight" for name in MAPS)]
    return up_to_the_first_wrong(
        (maps, [[6, 6]] * 4),
        (returned, [[3, 4, 6], [3, 2, 4, 5]]),
        (lambda: same(attend()[0], attend()[0]), True),
        (lambda: attend()[1], RIGHT[1]),
        (lambda: attend()[0], RIGHT[0]),
        (lambda: leading_axes([works_on(axes) for axes in range(3)]), "any number"),
        (one_mask, True),
        (forms_of_masks, [True] * 4),
        (lambda: same(attend(VISIBLE[:2], n=2)[1], RIGHT_MASKED[1][1][:2]), True),
        (lambda: works_on(2, VISIBLE), True),
        (lambda: attend(blind, n=2)[1][0, :, 1], torch.zeros(2, 5)),
        (biases, True),
        (of_the_blind, "zero"),
        (of_the_blind_in_one, True),
        (lambda: finite_gradients(made(), *(x[:2] for x in inputs), blind.clone()), True),
        (lambda: answer_to(student.MultiHeadAttention, 10, 4), "refused"),
        (lambda: bool(made()(40 * QUERY, 40 * KEY, VALUE)[1].isfinite().all()), True),
        (lambda: bad_manners(student, made(), *inputs, VISIBLE, learns=learning), "none"),
    )


### BEGIN HIDDEN TESTS
@points(1.25, "MultiHeadAttention", read="multi-head-formula")
def test_equals_torch_at_every_size(student, device, rng):
    """헤드의 수와 길이가 달라져도, 길이가 1이거나 헤드가 하나뿐이어도 nn.MultiheadAttention과 같아야 합니다."""
    for batch, n_q, n_k, d_model, num_heads in [
        (1, 1, 1, 4, 1),
        (3, 5, 2, 6, 6),
        (2, 4, 4, 12, 4),
        (4, 4, 4, 16, 4),
    ]:
        module, twin = pair(student, d_model, num_heads, random_weights(rng), device)
        query, key, value = (
            torch.randn(batch, n, d_model, generator=rng, dtype=torch.float64) for n in (n_q, n_k, n_k)
        )
        mask = torch.ones(n_q, n_k, dtype=torch.bool).tril()
        for masks, visible in [([], None), ([mask], mask.expand(batch, num_heads, n_q, n_k))]:
            output, weights = module(*(x.to(device) for x in (query, key, value, *masks)))
            expected_output, expected_weights = expected_of(twin, query, key, value, visible)
            assert_close(weights, expected_weights, atol=1e-6)
            assert_close(output, expected_output, atol=1e-6)


@points(0.25, "MultiHeadAttention", read="attention#saturation", step="robust")
def test_large_scores(student, rng):
    """점수가 1,000처럼 커도 넘치지 않아야 합니다. exp를 직접 쓰면 inf/inf가 됩니다."""
    module, twin = pair(student, 6, 2, random_weights(rng))
    query, memory = 100 * torch.randn(2, 2, 3, 6, generator=rng, dtype=torch.float64)
    output, weights = module(query, memory, memory)
    expected_output, expected_weights = expected_of(twin, query, memory, memory)
    assert_close(weights, expected_weights, atol=1e-2)
    assert_close(output, expected_output, atol=1)


@points(0.25, "MultiHeadAttention", read="axes-from-the-end", step="robust")
def test_attends_with_any_leading_axes(student, device, rng):
    """배치 축이 없어도 여럿이어도 되어야 합니다. 축을 뒤에서부터 세십시오."""
    module, twin = pair(student, 8, 2, random_weights(rng), device)
    query = torch.randn(2, 3, 4, 8, generator=rng, dtype=torch.float64)
    memory = torch.randn(2, 3, 5, 8, generator=rng, dtype=torch.float64)
    expected_output, expected_weights = expected_of(
        twin, query.flatten(0, 1), memory.flatten(0, 1), memory.flatten(0, 1)
    )
    query, memory = query.to(device), memory.to(device)
    output, weights = module(query, memory, memory)
    assert_close(output, expected_output.unflatten(0, (2, 3)), atol=1e-6)
    assert_close(weights, expected_weights.unflatten(0, (2, 3)), atol=1e-6)
    output, weights = module(query[1, 2], memory[1, 2], memory[1, 2])
    assert_close(output, expected_output[5], atol=1e-6)
    assert_close(weights, expected_weights[5], atol=1e-6)
    mask = torch.rand(2, 3, 4, 5, generator=rng) > 0.4
    mask[..., 0] = True
    merged = query.cpu().flatten(0, 1), memory.cpu().flatten(0, 1)
    wanted, _ = expected_of(
        twin, merged[0], merged[1], merged[1], mask.flatten(0, 1)[:, None].expand(6, 2, 4, 5)
    )
    output, _ = module(query, memory, memory, mask.to(device))
    assert_close(output, wanted.unflatten(0, (2, 3)), atol=1e-6)
    output, _ = module(query[1, 2], memory[1, 2], memory[1, 2], mask[1, 2].to(device))
    assert_close(output, wanted[5], atol=1e-6)


@points(0.5, "MultiHeadAttention", read="head-mask-polarity")
def test_one_mask_for_all(student, device, rng):
    """마스크가 False인 자리의 가중치는 모든 헤드에서 0이고, 나머지 가중치의 합이 1이어야 합니다."""
    module, twin = pair(student, 8, 2, random_weights(rng), device)
    x = torch.randn(3, 5, 8, generator=rng, dtype=torch.float64)
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    output, weights = module(x.to(device), x.to(device), x.to(device), mask.to(device))
    expected_output, expected_weights = expected_of(twin, x, x, x, mask.expand(3, 2, 5, 5))
    assert_close(weights, expected_weights, atol=1e-6)
    assert_close(output, expected_output, atol=1e-6)


@points(0.25, "MultiHeadAttention", read="mask-over-heads", step="robust")
def test_masks_of_every_shape(student, device, rng):
    """(B, n_q, n_k) 마스크는 문장마다 하나이고 모든 헤드가 같이 씁니다. 헤드 축을 끼워 넣어 브로드캐스트하십시오."""
    for batch, num_heads in [(2, 4), (4, 4), (1, 2)]:
        module, twin = pair(student, 8, num_heads, random_weights(rng), device)
        query = torch.randn(batch, 3, 8, generator=rng, dtype=torch.float64)
        memory = torch.randn(batch, 5, 8, generator=rng, dtype=torch.float64)
        for shape in [(batch, 3, 5), (batch, 1, 3, 5), (batch, num_heads, 3, 5)]:
            mask = torch.rand(shape, generator=rng) < 0.6
            mask[..., 0] = True
            visible = (mask[:, None] if mask.dim() == 3 else mask).expand(batch, num_heads, 3, 5)
            expected_output, expected_weights = expected_of(twin, query, memory, memory, visible)
            output, weights = module(*(t.to(device) for t in (query, memory, memory, mask)))
            assert_close(weights, expected_weights, atol=1e-6)
            assert_close(output, expected_output, atol=1e-6)


@points(0.25, "MultiHeadAttention", read="masking#nothing-to-see", step="robust")
def test_nothing_to_see(student, device, rng):
    """볼 것이 하나도 없는 질의의 가중치와 출력은 NaN도 W_o의 편향도 아닌 0이고, 기울기도 유한해야 합니다."""
    module, _ = pair(student, 8, 2, random_weights(rng), device)
    x = torch.randn(2, 4, 8, generator=rng, dtype=torch.float64).to(device)
    mask = torch.ones(2, 4, 4, dtype=torch.bool, device=device).tril()
    mask[1, 2] = False
    output, weights = module(x, x, x, mask)
    assert_close(weights[1, :, 2], torch.zeros(2, 4))
    assert_close(output[1, 2], torch.zeros(8))
    assert bool((output[0].abs().amax(-1) > 1e-6).all()), "볼 것이 있는 질의의 출력까지 0입니다."
    assert_close(weights[0].sum(-1), torch.ones(2, 4))
    # A head that sees nothing takes nothing from the other: only where no head sees is the output zero.
    per_head = torch.ones(2, 2, 4, 4, dtype=torch.bool, device=device)
    per_head[0, 1, 2] = per_head[1, 0, 1] = False
    per_head[1, :, 3] = False
    output, weights = module(x, x, x, per_head)
    for hidden in (weights[0, 1, 2], weights[1, 0, 1], weights[1, :, 3], output[1, 3]):
        assert_close(hidden, torch.zeros_like(hidden))
    for seen in (output[0, 2], output[1, 1]):
        assert bool((seen.abs().amax() > 1e-6).all()), "다른 헤드가 찾은 것까지 지웠습니다."
    found = gradients(module, x, x, x, mask)
    for gradient in [*found["inputs"].values(), *found["parameters"].values()]:
        assert gradient is None or gradient.isfinite().all(), "기울기에 NaN이나 무한대가 있습니다."


@points(0.25, "MultiHeadAttention", read="multi-head-formula", step="robust")
def test_gradients_equal_torch(student, device, rng):
    """받은 텐서를 제자리에서 바꾸지 말고, 입력의 장치를 따르고, 기울기가 네 선형 변환에 모두 이르러야 합니다."""
    module, twin = pair(student, 6, 3, random_weights(rng), device)
    query = torch.randn(2, 3, 6, generator=rng, dtype=torch.float64)
    memory = torch.randn(2, 4, 6, generator=rng, dtype=torch.float64)
    cotangent = torch.randn(2, 3, 6, generator=rng, dtype=torch.float64)
    inputs = [t.to(device) for t in (query, memory, memory)]
    found = gradients(module, *inputs, cotangent=cotangent.to(device))
    expected = gradients(twin, query, memory, memory, cotangent=cotangent)
    for i in range(3):
        assert_close(found["inputs"][i], expected["inputs"][i], atol=1e-6)
    in_proj = torch.cat([found["parameters"][f"{name}.weight"] for name in MAPS[:3]])
    assert_close(in_proj, expected["parameters"]["in_proj_weight"], atol=1e-6)
    out_proj = expected["parameters"]["out_proj.weight"]
    assert_close(found["parameters"]["W_o.weight"], out_proj, atol=1e-6)
    mask = torch.ones(3, 4, dtype=torch.bool, device=device).tril()
    for masks in [[], [mask]]:
        assert_manners(student, module, *inputs, *masks)


### END HIDDEN TESTS


# load_from_torch --------------------------------------------------------------------------------------------


def torch_module(
    student, d_model, num_heads, *, make=scattered, bias=True, dtype=torch.float32, device="cpu"
):
    """`nn.MultiheadAttention` on the student's side, with known weights, and these weights."""
    mha = student.torch.nn.MultiheadAttention(d_model, num_heads, bias=bias, dtype=dtype)
    state = {
        name: make(value.shape, start).to(dtype)
        for start, (name, value) in enumerate(mha.state_dict().items())
    }
    mha.load_state_dict(state)
    return mha.to(device), state


def expected_maps(state):
    """What belongs into `W_q`, ... for PyTorch's weights."""
    maps = dict(zip(MAPS, [*state["in_proj_weight"].chunk(3), state["out_proj.weight"]], strict=True))
    biases = dict(zip(MAPS, [*state["in_proj_bias"].chunk(3), state["out_proj.bias"]], strict=True))
    return {f"{name}.weight": maps[name] for name in MAPS} | {f"{name}.bias": biases[name] for name in MAPS}


def devices_of(load_from_torch, mha):
    return sorted({parameter.device.type for parameter in load_from_torch(mha).parameters()})


def devices_elsewhere(student):
    """Where the new module lies if `mha` does not lie on torch's default device."""
    return outcome(
        place(student, devices_of), student.load_from_torch, torch_module(student, 6, 2, device="meta")[0]
    )


def assert_loaded(student, module, state, part):
    """Assert that the weights, or the biases, are exactly those of PyTorch's state."""
    loaded = parameters(student, module, *expected_maps(state))
    for name, expected in expected_maps(state).items():
        if name.endswith(part):
            assert name in loaded, f"새 모듈에 {name}가 없습니다."
            assert torch.equal(loaded[name].cpu(), expected), f"{name}가 mha의 것과 다릅니다."


@points(0.25, "load_from_torch", read="in-proj", step="warm-up")
def test_weights_in_their_places(student, device):
    """in_proj_weight에는 위에서부터 질의, 키, 값의 가중치가 쌓여 있습니다. nn.Linear의 가중치와 같은 방향이라 전치하지 않습니다."""
    mha, state = torch_module(student, 6, 2, device=device)
    assert_loaded(student, student.load_from_torch(mha), state, "weight")


@points(0.25, "load_from_torch", read="in-proj-bias")
def test_biases_in_their_places(student, device):
    """편향도 옮겨야 합니다. in_proj_bias에 질의, 키, 값의 편향이, out_proj.bias에 W_o의 편향이 있습니다."""
    mha, state = torch_module(student, 6, 2, device=device)
    assert_loaded(student, student.load_from_torch(mha), state, "bias")


@observes("load_from_torch")
def observe_load_from_torch(student):
    mha, state = torch_module(student, 6, 2, dtype=torch.float64)
    load_it = cache(lambda: student.load_from_torch(mha))
    known = expected_maps(state)
    rows = state["in_proj_weight"]
    origins = dict(known)
    origins |= {f"{name} transposed": matrix.T for name, matrix in known.items() if matrix.dim() == 2}
    for i in range(3):
        origins[f"{i} of each head"] = rows.reshape(2, 3, 3, 6)[:, i].reshape(6, 6)

    def loaded():
        return parameters(student, load_it(), *known)

    def origin(value):
        if value is None:
            return "missing"
        return next((name for name, other in origins.items() if same(value, other)), "unknown")

    def heads():
        module = load_it()
        x = scattered((1, 3, 6), 9).to(loaded()["W_q.weight"].dtype)
        return module(x, x, x)[1].shape[-3]

    def without_bias():
        module = student.load_from_torch(torch_module(student, 6, 2, bias=False)[0])
        found = parameters(student, module, *known)
        return not any(found[f"{name}.bias"].any() for name in MAPS if f"{name}.bias" in found)

    def stays():
        before = loaded()
        mha.load_state_dict({name: value + 1 for name, value in state.items()})
        after = loaded()
        return all(torch.equal(value, after[name]) for name, value in before.items())

    def cut():
        dtype = loaded()["W_q.weight"].dtype
        inputs = [scattered((3, 6), i).to(dtype) for i in range(3)]
        return bool(unreached([f"{name}.weight" for name in MAPS], load_it(), *inputs))

    return up_to_the_first_wrong(
        (
            lambda: [origin(loaded().get(f"{name}.weight")) for name in MAPS],
            [f"{name}.weight" for name in MAPS],
        ),
        (heads, 2),
        (lambda: [origin(loaded().get(f"{name}.bias")) for name in MAPS], [f"{name}.bias" for name in MAPS]),
        (lambda: {True: "zero", False: "not zero"}.get(outcome(without_bias), "fails"), "zero"),
        (lambda: sorted({str(value.dtype) for value in loaded().values()}), ["torch.float64"]),
        (stays, True),
        (cut, False),
        (lambda: devices_elsewhere(student) == ["meta"], True),
    )


### BEGIN HIDDEN TESTS
@points(1, "load_from_torch", read="in-proj")
def test_loaded_module_computes_the_same(student, device, rng):
    """같은 입력에 nn.MultiheadAttention과 같은 출력이 나와야 합니다. 헤드의 수도 같아야 합니다."""
    for d_model, num_heads in [(8, 4), (6, 1)]:
        assert_computes_the_same(student, device, rng, d_model, num_heads)


@points(0.25, "load_from_torch", read="in-proj", step="robust")
def test_loaded_module_follows(student, device, rng):
    """자료형과 장치를 따르고, 편향이 없는 mha도 옮겨야 합니다."""
    assert_computes_the_same(student, device, rng, 6, 2, bias=False)
    assert_computes_the_same(student, device, rng, 6, 2, dtype=torch.float64)
    assert devices_elsewhere(student) == ["meta"], "새 모듈이 mha와 다른 장치에 있습니다."


def assert_computes_the_same(student, device, rng, d_model, num_heads, bias=True, dtype=torch.float32):
    def random(shape, _start=None):
        return torch.randn(shape, generator=rng, dtype=dtype)

    mha, state = torch_module(student, d_model, num_heads, make=random, bias=bias, dtype=dtype, device=device)
    twin = nn.MultiheadAttention(d_model, num_heads, bias=bias, batch_first=True, dtype=dtype)
    twin.load_state_dict(state)
    query, memory = random((2, 3, d_model)), random((2, 4, d_model))
    output, _ = student.load_from_torch(mha)(query.to(device), memory.to(device), memory.to(device))
    assert_close(output, expected_of(twin, query, memory, memory)[0], rtol=1e-4, atol=1e-4)


@points(0.25, "load_from_torch", read="copying-weights", step="robust")
def test_loaded_module_is_independent(student, device):
    """가중치를 나누어 쓰지 말고 베껴야 합니다. mha를 바꾸어도 새 모듈은 그대로여야 합니다."""
    mha, state = torch_module(student, 6, 3, device=device)
    module = student.load_from_torch(mha)
    mha.load_state_dict({name: value + 1 for name, value in state.items()})
    for part in ["weight", "bias"]:
        assert_loaded(student, module, state, part)
    learns = reached(module, *[scattered((3, 6), i).float().to(device) for i in range(3)])
    learning = expected_maps(state).keys() - {"W_k.bias"}  # the softmax cancels what is added to all scores
    missing = learning - set(learns)
    assert not missing, f"새 모듈의 {sorted(missing)}가 학습되지 않습니다."


### END HIDDEN TESTS
