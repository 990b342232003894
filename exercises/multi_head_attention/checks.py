"""What the exercise `multi_head_attention` is graded by."""

import pytest
import torch
from torch import nn

from grader.judging.suite import (
    ATTENTION,
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

FORBIDDEN = {"MultiHeadAttention": ATTENTION}

T, N = True, False  # visible, hidden
MAPS = ["W_q", "W_k", "W_v", "W_o"]


def counted(*shape):
    """0, 1, 2, ... so that every feature can be told from every other."""
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape)


# split_heads ------------------------------------------------------------------------------------------------


@points(
    1,
    question="split_heads",
    hint="헤드마다 모든 위치의 벡터를 앞에서부터 d_k개씩 받아야 합니다. 마지막 축을 나눈 다음 헤드 축을 위치 축 앞으로 옮기십시오.",
    read="multi_head_attention#splitting-heads",
)
def test_each_head_gets_a_slice_of_every_position(student, device):
    heads = student.split_heads(counted(3, 4).to(device), 2)
    expected = [[[0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 11]]]
    assert_close(heads, torch.tensor(expected, dtype=torch.float32))


@points(
    0.25,
    question="split_heads",
    hint="d가 헤드의 수로 나누어떨어지지 않으면 ValueError를 내야 합니다.",
    read="multi_head_attention#heads-divide",
)
def test_uneven_slices_are_refused(student):
    student.split_heads(counted(2, 3, 8), 4)
    with pytest.raises(ValueError):
        student.split_heads(counted(2, 3, 10), 4)


@observes("split_heads")
def observe_split_heads(student):
    return [
        outcome(student.split_heads, counted(2, 3, 8), 4),
        outcome(student.split_heads, counted(2, 4), 2),
        outcome(student.split_heads, counted(2, 3, 10), 4),
        reached(student.split_heads, counted(2, 3, 8), 4),
    ]




# merge_heads ------------------------------------------------------------------------------------------------


@points(
    1,
    question="merge_heads",
    hint="위치마다 헤드 0의 결과, 헤드 1의 결과를 차례로 이어 붙여야 합니다. 헤드 축을 위치 축 뒤로 되돌린 다음 두 축을 합치십시오.",
    read="multi_head_attention#merging-heads",
)
def test_heads_stand_side_by_side(student, device):
    heads = torch.tensor([[[0.0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 11]]])
    assert_close(student.merge_heads(heads.to(device)), counted(3, 4))


@observes("merge_heads")
def observe_merge_heads(student):
    return [
        outcome(student.merge_heads, counted(2, 4, 3, 2)),
        outcome(student.merge_heads, counted(2, 3, 4)),
        reached(student.merge_heads, counted(2, 4, 3, 2)),
    ]




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


@points(
    0.25,
    question="MultiHeadAttention",
    hint="W_q, W_k, W_v, W_o는 저마다 d_model에서 d_model로 가는 nn.Linear이고 편향이 있습니다.",
    read="multi_head_attention#multi-head-formula",
)
def test_four_maps_with_biases(student):
    shapes = shapes_of_maps(student, 6, 2)
    for name in MAPS:
        assert shapes.get(f"{name}.weight") == [6, 6], f"{name}.weight: {shapes.get(f'{name}.weight')}"
        assert shapes.get(f"{name}.bias") == [6], f"{name}.bias: {shapes.get(f'{name}.bias')}"


@points(
    0.25,
    question="MultiHeadAttention",
    hint="출력은 (..., n_q, d_model), 가중치는 (..., h, n_q, n_k)입니다. 가중치는 헤드마다 따로, 키 축에서 합이 1입니다.",
    read="multi_head_attention#weights-per-head",
)
def test_shapes_and_rows(student, device):
    module = student.MultiHeadAttention(8, 4).to(device)
    query, memory = scattered((2, 3, 8), 0).float().to(device), scattered((2, 5, 8), 1).float().to(device)
    output, weights = module(query, memory, memory)
    assert tuple(output.shape) == (2, 3, 8), f"출력의 모양이 {tuple(output.shape)}입니다."
    assert tuple(weights.shape) == (2, 4, 3, 5), f"가중치의 모양이 {tuple(weights.shape)}입니다."
    assert_close(weights.sum(-1), torch.ones(2, 4, 3))


@points(
    1,
    question="MultiHeadAttention",
    hint="같은 가중치를 넣은 nn.MultiheadAttention과 출력이 같아야 합니다. sqrt(d_k), 헤드의 순서, W_o를 확인하십시오.",
    read="multi_head_attention#multi-head-formula",
)
def test_equals_torch(student, device):
    module, twin = pair(student, 6, 2, fixed_weights, device)
    query, key, value = scattered((2, 3, 6), 0.1), scattered((2, 4, 6), 0.2), scattered((2, 4, 6), 0.3)
    output, weights = module(query.to(device), key.to(device), value.to(device))
    expected_output, expected_weights = expected_of(twin, query, key, value)
    assert_close(weights, expected_weights, atol=1e-6)
    assert_close(output, expected_output, atol=1e-6)


@points(
    0.25,
    question="MultiHeadAttention",
    hint="d_model이 헤드의 수로 나누어떨어지지 않으면 모듈을 만들 때 ValueError를 내야 합니다.",
    read="multi_head_attention#heads-divide",
)
def test_uneven_heads_are_refused(student):
    with pytest.raises(ValueError):
        student.MultiHeadAttention(10, 4)


@observes("MultiHeadAttention")
def observe_multi_head_attention(student):
    shapes = shapes_of_maps(student, 6, 2)
    if [shapes.get(f"{name}.weight") for name in MAPS] != [[6, 6]] * 4:
        return shapes
    module, _ = pair(student, 6, 2, fixed_weights)
    query, key, value = scattered((3, 2, 6), 4), scattered((3, 3, 6), 5), scattered((3, 3, 6), 6)
    of_sentence = torch.tensor([[[T, N, T], [T, T, T]], [[T, T, N], [N, T, T]], [[T, T, T], [N, N, T]]])
    blind = of_sentence.clone()
    blind[0, 1] = False

    def first(mask, batch=2):
        """The weights in the first sentence of a batch."""
        return module(query[:batch], key[:batch], value[:batch], mask)[1][0]

    return [
        refuses(student.MultiHeadAttention, 10, 4),
        outcome(module, query[:2], key[:2], value[:2]),
        outcome(first, of_sentence[0]),
        outcome(first, of_sentence[:2]),
        outcome(first, of_sentence[:2, None]),
        outcome(first, of_sentence, 3),
        outcome(first, blind[:2]),
        outcome(lambda: module(query[0], key[0], value[0])[0]),
        outcome(lambda: module(query[:2], key[:2], value[:2], blind[:2])[0][0, 1]),
        [name.endswith("bias") for name in shapes].count(True),
        reached(module, query[:2], key[:2], value[:2], cotangent=scattered((2, 2, 6), 7)),
        finite_gradients(module, query[:2], key[:2], value[:2], blind[:2]),
        outcome(lambda: module(40 * query[0], 40 * key[0], value[0])[1]),
    ]


def finite_gradients(module, *inputs):
    try:
        found = gradients(module, *inputs)
    except RuntimeError:
        return False
    all_of_them = [*found["inputs"].values(), *found["parameters"].values()]
    return all(bool(grad.isfinite().all()) for grad in all_of_them if grad is not None)




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


@points(
    0.5,
    question="load_from_torch",
    hint="in_proj_weight에는 위에서부터 질의, 키, 값의 가중치가 쌓여 있습니다. nn.Linear의 가중치와 같은 방향이라 전치하지 않습니다.",
    read="multi_head_attention#in-proj",
)
def test_weights_in_their_places(student, device):
    mha, state = torch_module(student, 6, 2, device=device)
    assert_loaded(student, student.load_from_torch(mha), state, "weight")


@points(
    0.5,
    question="load_from_torch",
    hint="편향도 옮겨야 합니다. in_proj_bias에 질의, 키, 값의 편향이, out_proj.bias에 W_o의 편향이 있습니다.",
    read="multi_head_attention#in-proj-bias",
)
def test_biases_in_their_places(student, device):
    mha, state = torch_module(student, 6, 2, device=device)
    assert_loaded(student, student.load_from_torch(mha), state, "bias")


@observes("load_from_torch")
def observe_load_from_torch(student):
    mha, state = torch_module(student, 6, 2, dtype=torch.float64)
    module = student.load_from_torch(mha)
    loaded = parameters(student, module, *expected_maps(state))
    x = scattered((1, 3, 6), 9).to(loaded["W_q.weight"].dtype)
    heads = outcome(lambda: module(x, x, x)[1].shape[-3])
    mha.load_state_dict({name: value + 1 for name, value in state.items()})
    afterwards = parameters(student, module, *expected_maps(state))

    def load_without_bias():
        student.load_from_torch(torch_module(student, 6, 2, bias=False)[0])
        return "loaded"

    known = expected_maps(state)
    matrices = {name: value for name, value in known.items() if name.endswith("weight")}
    matrices |= {f"{name} transposed": matrix.T for name, matrix in matrices.items()}
    per_head = state["in_proj_weight"].reshape(2, 3, 3, 6).transpose(0, 1).reshape(3, 6, 6)
    matrices |= {f"{i} of each head": matrix for i, matrix in enumerate(per_head)}

    def origin(weight):
        same = (name for name, matrix in matrices.items() if torch.allclose(weight.double(), matrix))
        return next(same, "unknown")

    def is_right(bias):
        return bias in loaded and torch.allclose(loaded[bias].double(), known[bias])

    return {
        "weights": [origin(loaded[f"{name}.weight"]) for name in MAPS],
        "biases": [is_right(f"{name}.bias") for name in MAPS],
        "dtype": str(loaded["W_q.weight"].dtype),
        "heads": heads,
        "copied": all(torch.equal(value, afterwards[name]) for name, value in loaded.items()),
        "without bias": outcome(load_without_bias),
        "device": devices_elsewhere(student),
    }
