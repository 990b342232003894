"""What the exercise `all_attention` is graded by."""

import itertools

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.contract import assert_manners, unreached
from grader.judging.observed import up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    each,
    gradients,
    load,
    mutated,
    observes,
    outcome,
    parameters,
    points,
    reached,
    refuses,
    scattered,
)
from grader.judging.values import secret

T, N = True, False  # visible, hidden
MAPS = ["W_q", "W_k", "W_v", "W_o"]
MEMORY = ["persistent_keys", "persistent_values"]


# feed_forward_as_attention ----------------------------------------------------------------------------------

BY_HAND = [
    torch.tensor([1.0, 2]),
    torch.tensor([[1.0, 0], [0, 1], [-1, -1]]),
    torch.tensor([0.0, -1, 1]),
    torch.tensor([[1.0, 0, 1], [0, 2, 1]]),
    torch.tensor([0.5, -0.5]),
]


@secret
def network(x, W1, b1, W2, b2):
    return F.linear(F.linear(x, W1, b1).relu(), W2, b2)


@points(0.75, "feed_forward_as_attention", read="ffn-as-attention", step="warm-up")
def test_output_of_the_network(student, device):
    """출력은 피드포워드와 같아야 합니다: 가중치로 값(W2의 열)을 더하고 b2를 한 번 더합니다."""
    output, _ = student.feed_forward_as_attention(*(t.to(device) for t in BY_HAND))
    assert_close(output, torch.tensor([1.5, 1.5]))


@points(0.5, "feed_forward_as_attention", read="ffn-as-attention")
def test_weights_of_the_network(student):
    """가중치는 ReLU를 지난 은닉층입니다. 소프트맥스가 아니므로 합이 1이 아니어도 됩니다."""
    _, weights = student.feed_forward_as_attention(*BY_HAND)
    assert_close(weights, torch.tensor([1.0, 1, 0]))


@observes("feed_forward_as_attention")
def observe_feed_forward_as_attention(student):
    inputs = [3 * scattered(shape, i) for i, shape in enumerate([(2, 3, 4), (5, 4), (5,), (4, 5), (4,)])]
    square = [scattered(shape, i) for i, shape in enumerate([(2, 4), (4, 4), (4,), (4, 4), (4,)])]
    return [
        outcome(student.feed_forward_as_attention, *inputs),
        outcome(student.feed_forward_as_attention, *square),
        reached(student.feed_forward_as_attention, *inputs, cotangent=scattered((2, 3, 4), 9)),
    ]


### BEGIN HIDDEN TESTS
@points(0.5, "feed_forward_as_attention", read="ffn-as-attention")
def test_equals_the_network(student, device, rng):
    """어떤 크기에서도 두 선형 변환 사이에 ReLU를 둔 것과 같고, 기울기가 네 파라미터에 모두 흘러야 합니다."""
    for axes, d, d_ff in [((), 3, 5), ((4,), 4, 4), ((2, 3), 6, 1), ((2, 1, 3), 1, 7)]:
        shapes = [(*axes, d), (d_ff, d), (d_ff,), (d, d_ff), (d,)]
        inputs = [torch.randn(shape, generator=rng, dtype=torch.float64) for shape in shapes]
        output, weights = student.feed_forward_as_attention(*(t.to(device) for t in inputs))
        assert_close(output, network(*inputs), atol=1e-10)
        assert_close(weights, F.linear(*inputs[:3]).relu(), atol=1e-10)
    cotangent = torch.randn(*axes, d, generator=rng, dtype=torch.float64)
    found = gradients(student.feed_forward_as_attention, *inputs, cotangent=cotangent)["inputs"]
    expected = gradients(network, *inputs, cotangent=cotangent)["inputs"]
    for i in range(5):
        assert found[i] is not None, "기울기가 끊겼습니다."
        assert_close(found[i], expected[i], atol=1e-10)


@points(0.25, "feed_forward_as_attention", read="ffn-as-attention", step="robust")
def test_the_network_has_manners(student):
    """가중치의 자료형과 장치는 입력을 따릅니다. 받은 텐서를 바꾸지 마십시오."""
    inputs = [part.double() for part in BY_HAND]
    weights = student.feed_forward_as_attention(*(part.clone() for part in inputs))[1]
    assert weights.dtype == torch.float64, f"float64 입력에서 가중치가 {weights.dtype}입니다."
    assert_manners(student, student.feed_forward_as_attention, *inputs)


### END HIDDEN TESTS


# PersistentAttention ----------------------------------------------------------------------------------------


def known_values(d_model, num_heads, num_persistent, make, prefix=""):
    """`make(name, shape)` for each map's matrix and bias and for the memory."""
    shapes = {f"{name}.weight": (d_model, d_model) for name in MAPS}
    shapes |= {f"{name}.bias": (d_model,) for name in MAPS}
    shapes |= dict.fromkeys(MEMORY, (num_heads, num_persistent, d_model // num_heads))
    return {f"{prefix}{name}": make(f"{prefix}{name}", shape) for name, shape in shapes.items()}


def attention_of(student, d_model, num_heads, num_persistent, make, device="cpu"):
    """The student's module in float64 with these values, and what was set."""
    module = student.PersistentAttention(d_model, num_heads, num_persistent)
    values = known_values(d_model, num_heads, num_persistent, make)
    optional = [f"{name}.bias" for name in MAPS]
    return module, load(student, module, values, optional=optional, typed=True, device=device)


def random_values(rng):
    return lambda name, shape: torch.randn(shape, generator=rng, dtype=torch.float64) / 2


def fixed_values(name, shape):
    """The same each time. Of the biases only that of W_o is not zero."""
    is_zero = name.endswith("bias") and not name.endswith("W_o.bias")
    return torch.zeros(shape, dtype=torch.float64) if is_zero else scattered(shape, name)


def without_biases(name, shape):
    """The same whether an answer's maps have biases or not: the text leaves that open."""
    of_a_map = "W_" in name and name.endswith("bias")
    return torch.zeros(shape, dtype=torch.float64) if of_a_map else scattered(shape, name)


def matrices_reached(module, x, **options):
    """What a gradient reaches, but for the biases that an answer may have."""
    return [name for name in reached(module, x, **options) if not name.endswith("bias")]


def zero_biases(d_model, prefix=""):
    return {f"{prefix}{name}.bias": torch.zeros(d_model, dtype=torch.float64) for name in MAPS}


@secret
def by_torch(x, state, mask=None):
    """PyTorch's attention over the context's keys and, behind them, the memory."""

    def project(name, x):
        return F.linear(x, state[f"{name}.weight"], state.get(f"{name}.bias"))

    h, num_persistent, _ = state["persistent_keys"].shape
    B, n, _ = x.shape
    Q, K, V = (torch.stack(project(name, x).chunk(h, dim=-1), dim=1) for name in MAPS[:3])
    K, V = (
        torch.cat([part, state[name].expand(B, -1, -1, -1)], dim=2)
        for part, name in zip((K, V), MEMORY, strict=True)
    )
    visible = torch.ones(B, h, n, n + num_persistent, dtype=torch.bool)
    if mask is not None:
        visible[..., :n] = mask[:, None] if mask.dim() == 3 else mask
    heads = F.scaled_dot_product_attention(Q, K, V, visible)
    identity = torch.eye(n + num_persistent, dtype=x.dtype).expand(B, h, -1, -1)
    weights = F.scaled_dot_product_attention(Q, K, identity, visible)
    return project("W_o", torch.cat(heads.unbind(dim=1), dim=-1)), weights


def assert_equals_torch(student, module, x, state, masks, device="cpu"):
    """`masks`, one after another: None stands for no mask."""
    calls = [[x.to(device), *([] if mask is None else [mask.to(device)])] for mask in masks]
    for mask, (output, weights) in zip(masks, each(student, module, calls), strict=True):
        expected_output, expected_weights = by_torch(x, zero_biases(x.shape[-1]) | state, mask)
        assert_close(weights, expected_weights, atol=1e-6)
        assert_close(output, expected_output, atol=1e-6)


@points(0.5, "PersistentAttention", read="persistent-attention", step="warm-up")
def test_one_softmax_over_context_and_memory(student, device):
    """문맥의 키와 지속 메모리의 키를 이어 소프트맥스를 한 번 취해야 합니다. sqrt(d_model / h), 메모리의 자리(맨 뒤), W_o를 확인하십시오."""
    module, state = attention_of(student, 6, 2, 3, without_biases, device)
    assert_equals_torch(student, module, scattered((2, 4, 6), 0.1), state, [None], device)


@points(0.25, "PersistentAttention", read="persistent-attention")
def test_memory_is_learned_and_starts_at_random(student):
    """지속 메모리는 모양이 (h, N, d_model / h)인 파라미터 둘이고, 처음에는 무작위여야 합니다. 모두 같은 값에서 시작하면 언제까지나 같습니다."""
    found, others = (parameters(student, student.PersistentAttention(8, 2, 5), *MEMORY) for _ in range(2))
    for name in MEMORY:
        assert name in found, f"{name}라는 파라미터가 없습니다."
        assert list(found[name].shape) == [2, 5, 4], f"{name}의 모양이 (2, 5, 4)가 아닙니다."
        assert found[name].flatten(0, 1).unique(dim=0).shape[0] == 10, f"{name}에 같은 벡터가 있습니다."
        assert not torch.equal(found[name], others[name]), f"{name}가 만들 때마다 같은 값에서 시작합니다."
    assert not unreached(MEMORY, student.PersistentAttention(8, 2, 5), scattered((3, 8), 1).float()), (
        "지속 메모리로 기울기가 흐르지 않습니다."
    )


@points(0.25, "PersistentAttention", read="multi_head_attention#heads-divide", step="robust")
def test_uneven_heads_are_refused(student):
    """d_model이 헤드의 수로 나누어떨어지지 않으면 모듈을 만들 때 ValueError를 내야 합니다."""
    student.PersistentAttention(8, 4, 2)
    with pytest.raises(ValueError):
        student.PersistentAttention(10, 4, 2)


@observes("PersistentAttention")
def observe_persistent_attention(student):
    fresh = parameters(student, student.PersistentAttention(6, 2, 3))
    shapes = {name: list(fresh[name].shape) for name in MEMORY if name in fresh}
    if shapes != dict.fromkeys(MEMORY, [2, 3, 3]):
        return shapes
    module, _ = attention_of(student, 6, 2, 3, without_biases)
    alone, _ = attention_of(student, 6, 2, 0, without_biases)
    biased, _ = attention_of(student, 6, 2, 0, fixed_values)
    x, causal = scattered((3, 4, 6), 2), torch.ones(4, 4, dtype=torch.bool).tril()
    of_sentence = torch.stack([causal, causal.T, torch.eye(4, dtype=torch.bool)])
    blind = of_sentence.clone()
    blind[1, 2] = False
    return [
        *(fresh[name].flatten(0, 1).unique(dim=0).shape[0] for name in MEMORY),
        refuses(student.PersistentAttention, 10, 4, 2),
        outcome(module, x),
        outcome(module, x[0]),
        outcome(module, x, causal),
        outcome(lambda: module(x[:2], of_sentence[:2])[1]),
        outcome(lambda: module(x, of_sentence[:, None])[1]),
        outcome(module, x, blind[:, None]),
        outcome(alone, x, blind[:, None]),
        outcome(lambda: biased(x, blind[:, None])[0][1, 2]),
        outcome(lambda: gradients(alone, x, blind[:, None])["inputs"][0].isfinite().all().item()),
        outcome(lambda: module(40 * x)[1]),
        matrices_reached(module, x, cotangent=scattered((3, 4, 6), 3)),
    ]


### BEGIN HIDDEN TESTS
@points(0.25, "PersistentAttention", read="persistent-attention")
def test_one_vector_is_torchs_bias_and_none_is_plain_attention(student, device, rng):
    """N이 1이면 nn.MultiheadAttention(add_bias_kv=True)와, N이 0이면 보통의 멀티 헤드 어텐션과 같아야 합니다. 길이가 1이거나 헤드가 하나여도 됩니다."""
    for batch, n, d_model, num_heads, num_persistent in [(2, 5, 6, 3, 1), (1, 1, 4, 1, 1), (2, 4, 8, 2, 0)]:
        module, state = attention_of(student, d_model, num_heads, num_persistent, random_values(rng), device)
        twin = nn.MultiheadAttention(
            d_model, num_heads, add_bias_kv=num_persistent == 1, batch_first=True, dtype=torch.float64
        )
        zeros = torch.zeros(d_model, dtype=torch.float64)
        values = {
            "in_proj_weight": torch.cat([state[f"{name}.weight"] for name in MAPS[:3]]),
            "in_proj_bias": torch.cat([state.get(f"{name}.bias", zeros) for name in MAPS[:3]]),
            "out_proj.weight": state["W_o.weight"],
            "out_proj.bias": state.get("W_o.bias", zeros),
        }
        if num_persistent:
            values |= {"bias_k": state["persistent_keys"].reshape(1, 1, -1)}
            values |= {"bias_v": state["persistent_values"].reshape(1, 1, -1)}
        twin.load_state_dict(values)
        x = torch.randn(batch, n, d_model, generator=rng, dtype=torch.float64)
        expected = twin(x, x, x, average_attn_weights=False)
        for found, right in zip(module(x.to(device)), expected, strict=True):
            assert_close(found, right.detach(), atol=1e-6)


@points(0.25, "PersistentAttention", read="multi_head_attention#axes-from-the-end", step="robust")
def test_any_leading_axes(student, device, rng):
    """배치 축은 없을 수도, 여럿일 수도 있습니다. 메모리를 배치에 맞추어 expand하고 축은 뒤에서부터 세십시오. 입력을 바꾸지 마십시오."""
    module, state = attention_of(student, 8, 2, 7, random_values(rng), device)
    x = torch.randn(2, 3, 4, 8, generator=rng, dtype=torch.float64)
    expected_output, expected_weights = by_torch(x.flatten(0, 1), state)
    output, weights = module(x.to(device))
    assert_close(output, expected_output.unflatten(0, (2, 3)), atol=1e-6)
    assert_close(weights, expected_weights.unflatten(0, (2, 3)), atol=1e-6)
    output, weights = module(x[1, 2].to(device))
    assert_close(output, expected_output[5], atol=1e-6)
    assert_close(weights, expected_weights[5], atol=1e-6)
    mask = torch.ones(4, 4, dtype=torch.bool, device=device).tril()
    for masks in [[], [mask]]:
        assert_manners(student, module, x[0].to(device), *masks)


def turned_away(name, shape):
    """Every token's key is the opposite of its query: what is visible scores far below 0."""
    if name.endswith("weight"):
        return torch.eye(shape[0], dtype=torch.float64) * (-1 if name == "W_k.weight" else 1)
    return torch.zeros(shape, dtype=torch.float64)


@points(1.25, "PersistentAttention", read="memory-is-always-visible")
def test_masks_hide_the_context_only(student, device, rng):
    """마스크는 문맥의 키에만 있습니다. 지속 메모리는 룩어헤드 마스크로도 가려지지 않습니다. (B, n, n) 마스크는 문장마다 하나이고 헤드가 같이 씁니다."""
    for batch, num_heads in [(2, 4), (4, 4), (1, 2)]:
        module, state = attention_of(student, 8, num_heads, 3, random_values(rng), device)
        x = torch.randn(batch, 5, 8, generator=rng, dtype=torch.float64)
        causal = torch.ones(5, 5, dtype=torch.bool).tril()
        shapes = [(batch, 5, 5), (batch, 1, 5, 5), (batch, num_heads, 5, 5)]
        masks = [torch.rand(shape, generator=rng) < 0.5 for shape in shapes]
        assert_equals_torch(student, module, x, state, [causal, None, *masks], device)
    assert not unreached(MEMORY, module, x.to(device), causal.to(device)), (
        "지속 메모리로 기울기가 흐르지 않습니다."
    )
    module, state = attention_of(student, 8, 2, 0, turned_away, device)
    assert_equals_torch(student, module, 100 * x, state, [causal], device)


@points(1, "PersistentAttention", read="memory-is-always-visible", step="robust")
def test_a_query_whose_context_is_hidden(student, device, rng):
    """문맥이 모두 가려진 질의는 메모리만 보고 가중치의 합이 1입니다. 메모리도 없으면 가중치와 출력이 NaN도 W_o의 편향도 아닌 0이고, 기울기도 유한해야 합니다."""
    x = torch.randn(2, 4, 6, generator=rng, dtype=torch.float64)
    mask = torch.ones(2, 1, 4, 4, dtype=torch.bool).tril()
    mask[1, :, 2] = False
    module, state = attention_of(student, 6, 2, 3, random_values(rng), device)
    assert_equals_torch(student, module, x, state, [mask], device)
    module, state = attention_of(student, 6, 2, 0, random_values(rng), device)
    output, weights = module(x.to(device), mask.to(device))
    assert_close(weights[1, :, 2], torch.zeros(2, 4))
    assert_close(output[1, 2], torch.zeros(6))
    assert bool((output[0].abs().amax(-1) > 1e-6).all()), "볼 것이 있는 질의의 출력까지 0입니다."
    found = gradients(module, x.to(device), mask.to(device))
    for gradient in [*found["inputs"].values(), *found["parameters"].values()]:
        assert gradient is None or gradient.isfinite().all(), "기울기에 NaN이나 무한대가 있습니다."
    of_heads = mask.repeat(1, 2, 1, 1)
    of_heads[1, 1, 2, 0] = True  # one head sees something, the other nothing
    output, weights = module(x.to(device), of_heads.to(device))
    assert_close(weights[1, :, 2], torch.tensor([[0, 0, 0, 0], [1, 0, 0, 0]]))
    seen = F.linear(x[1, 0], state["W_v.weight"], state.get("W_v.bias"))[3:]
    assert_close(output[1, 2], F.linear(seen, state["W_o.weight"][:, 3:], state.get("W_o.bias")))


@points(0.75, "PersistentAttention", read="persistent-attention")
def test_everything_learns(student, device, rng):
    """기울기가 네 선형 변환과 두 메모리에 모두 이르고, 점수가 커도 넘치지 않아야 합니다."""
    module, state = attention_of(student, 6, 3, 4, random_values(rng), device)
    x = torch.randn(2, 3, 6, generator=rng, dtype=torch.float64)
    cotangent = torch.randn(2, 3, 6, generator=rng, dtype=torch.float64)
    found = gradients(module, x.to(device), cotangent=cotangent.to(device))
    leaves = {name: value.clone().requires_grad_() for name, value in state.items()}
    source = x.clone().requires_grad_()
    (by_torch(source, leaves)[0] * cotangent).sum().backward()
    assert_close(found["inputs"][0], source.grad, atol=1e-6)
    for name in [*(f"{name}.weight" for name in MAPS), *MEMORY]:
        gradient = found["parameters"].get(name)
        assert gradient is not None, f"{name}에 기울기가 없습니다."
        assert_close(gradient, leaves[name].grad, atol=1e-6)
    assert_equals_torch(student, module, 100 * x, state, [None], device)


### END HIDDEN TESTS


# AllAttentionLayer ------------------------------------------------------------------------------------------


def layer_of(student, make, device="cpu", **options):
    """The student's layer (d_model 6, 2 heads, 3 vectors) in float64 and evaluation mode, and what was set."""
    layer = student.AllAttentionLayer(6, 2, 3, **options)
    values = known_values(6, 2, 3, make, prefix="attention.")
    values |= {"norm.weight": 1 + make("norm.weight", (6,)) / 2, "norm.bias": make("norm.bias", (6,))}
    optional = [f"attention.{name}.bias" for name in MAPS]
    state = load(student, layer, values, optional=optional, typed=True, device=device, evaluating=True)
    return layer, state


@secret
def by_formula(x, state, mask=None):
    of_attention = {name.removeprefix("attention."): value for name, value in state.items()}
    gathered, _ = by_torch(x, of_attention, mask)
    return F.layer_norm(x + gathered, (6,), state["norm.weight"], state["norm.bias"])


@points(0.25, "AllAttentionLayer", read="all-attention-layer", step="warm-up")
def test_add_and_normalise_once(student, device):
    """입력에 어텐션의 출력을 더하고 정규화합니다. 텐서 하나를 돌려주고, 피드포워드는 없습니다."""
    layer, state = layer_of(student, without_biases, device)
    x = scattered((2, 4, 6), 0.1)
    assert_close(layer(x.to(device)), by_formula(x, zero_biases(6, "attention.") | state), atol=1e-6)


def steady(layer, x):
    """What a layer returns, if it returns it every time."""
    found = [layer(x.clone()) for _ in range(4)]
    return found[0] if all(torch.equal(found[0], other) for other in found) else "another each time"


@observes("AllAttentionLayer")
def observe_all_attention_layer(student):
    fresh = parameters(student, student.AllAttentionLayer(6, 2, 3))
    shapes = [list(fresh[f"attention.{name}"].shape) for name in MEMORY if f"attention.{name}" in fresh]
    if shapes != [[2, 3, 3]] * 2:
        return shapes
    layer, _ = layer_of(student, without_biases, dropout=0.0)
    dropped, _ = layer_of(student, without_biases, dropout=1.0)
    x, causal = scattered((2, 4, 6), 2), torch.ones(4, 4, dtype=torch.bool).tril()
    found = [
        outcome(steady, layer, x),
        outcome(layer, x.clone(), causal),
        outcome(steady, dropped, x),
        matrices_reached(layer, x, cotangent=scattered((2, 4, 6), 3)),
        outcome(mutated, layer, x),
    ]
    dropped.train()
    layer.train()
    return [*found, outcome(steady, dropped, x), outcome(steady, layer, x)]


### BEGIN HIDDEN TESTS
@points(0.75, "AllAttentionLayer", read="all-attention-layer")
def test_layer_passes_the_mask_and_learns(student, device, rng):
    """마스크를 어텐션에 넘겨야 하고, 기울기가 모든 파라미터에 이르러야 합니다."""
    layer, state = layer_of(student, random_values(rng), device)
    x = torch.randn(3, 5, 6, generator=rng, dtype=torch.float64)
    for mask in [torch.ones(5, 5, dtype=torch.bool).tril(), torch.rand(3, 5, 5, generator=rng) < 0.5]:
        assert_close(layer(x.to(device), mask.to(device)), by_formula(x, state, mask), atol=1e-6)
    cotangent = torch.randn(3, 5, 6, generator=rng, dtype=torch.float64)
    found = gradients(layer, x.to(device), cotangent=cotangent.to(device))
    leaves = {name: value.clone().requires_grad_() for name, value in state.items()}
    source = x.clone().requires_grad_()
    (by_formula(source, leaves) * cotangent).sum().backward()
    assert_close(found["inputs"][0], source.grad, atol=1e-6)
    for name in [*(f"attention.{name}" for name in MEMORY), "norm.weight", "norm.bias"]:
        gradient = found["parameters"].get(name)
        assert gradient is not None, f"{name}에 기울기가 없습니다."
        assert_close(gradient, leaves[name].grad, atol=1e-6)


def same_from_everybody(name, shape):
    """Attention that gives ones to every token: what is dropped of them lies below the mean."""
    if name.endswith("W_o.weight"):
        return torch.eye(6, dtype=torch.float64)
    return (torch.ones if name.endswith("values") else torch.zeros)(shape, dtype=torch.float64)


@points(0.75, "AllAttentionLayer", read="all-attention-layer")
def test_dropout_falls_on_the_branch(student, rng):
    """드롭아웃은 학습할 때만, 더하기 전의 어텐션 출력에 겁니다. 모두 버리면 정규화한 입력만 남습니다. 기본값은 0.1입니다."""
    x = torch.randn(2, 40, 6, generator=rng, dtype=torch.float64)
    layer, state = layer_of(student, random_values(rng), dropout=1.0)
    assert_close(layer(x), by_formula(x, state), atol=1e-6)
    layer.train()
    assert_close(layer(x), F.layer_norm(x, (6,), state["norm.weight"], state["norm.bias"]), atol=1e-6)
    layer, state = layer_of(student, random_values(rng), dropout=0.0)
    layer.train()
    causal = torch.ones(40, 40, dtype=torch.bool).tril()
    for found, args in zip(each(student, layer, [[x], [x, causal]]), [[], [causal]], strict=True):
        assert_close(found, by_formula(x, state, *args), atol=1e-6)
    layer, state = layer_of(student, random_values(rng), dropout=0.5)
    layer.train()
    gathered, _ = by_torch(x, {name.removeprefix("attention."): value for name, value in state.items()})
    kept = 2 * torch.tensor([*itertools.product([0, 1], repeat=6)], dtype=torch.float64)
    possible = x[:, :, None] + kept * gathered[:, :, None]
    possible = F.layer_norm(possible, (6,), state["norm.weight"], state["norm.bias"])
    found = layer(x)
    nearest = (found[:, :, None] - possible).abs().amax(-1).amin(-1)
    assert (nearest < 1e-6).all(), (
        "남은 값은 1 / (1 - dropout)배이고, 드롭아웃은 어텐션의 출력에만 걸어야 합니다."
    )
    assert not torch.equal(found, layer(x)), "버리는 자리가 부를 때마다 같습니다."
    layer, _ = layer_of(student, same_from_everybody)
    layer.train()
    dropped = (layer(torch.zeros(400, 1, 6, dtype=torch.float64)) < -1e-3).sum().item()
    assert 150 < dropped < 340, f"2,400개 가운데 {dropped}개를 버렸습니다. dropout의 기본값은 0.1입니다."


@points(0.25, "AllAttentionLayer", read="all-attention-layer", step="robust")
def test_the_layer_has_manners(student):
    """출력의 장치는 입력을 따릅니다. 받은 텐서를 바꾸지 마십시오. 잔차가 같은 텐서를 씁니다."""
    layer, _ = layer_of(student, without_biases)
    layer.train()
    assert_manners(student, layer, scattered((2, 4, 6), 1))


### END HIDDEN TESTS


# memory_as_feed_forward -------------------------------------------------------------------------------------

BY_HAND_MEMORY = [
    torch.tensor([[1.0, 2], [3, 4]]),
    torch.tensor([1.0, -1]),
    torch.tensor([[1.0, 0], [5, 2]]),
    torch.tensor([[[2.0]], [[1.0]]]),
    torch.tensor([[[3.0]], [[4.0]]]),
]


@secret
def read_from_memory(x, W_q, b_q, W_o, keys, values):
    """What tokens read where the context is hidden: PyTorch's attention of each head to its memory."""
    queries = torch.stack(F.linear(x, W_q, b_q).chunk(len(keys), dim=-1))
    heads = F.scaled_dot_product_attention(queries, keys, values)
    return F.linear(torch.cat(heads.unbind(), dim=-1), W_o)


@secret
def folded(W_q, b_q, W_o, keys, values):
    """W1, b1 and W2, one hidden unit after the other."""
    h, N, d_k = keys.shape
    units = [(i, unit, slice(i * d_k, (i + 1) * d_k)) for i in range(h) for unit in range(N)]
    return (
        torch.stack([keys[i, unit] @ W_q[part] for i, unit, part in units]) / d_k**0.5,
        torch.stack([keys[i, unit] @ b_q[part] for i, unit, part in units]) / d_k**0.5,
        torch.stack([W_o[:, part] @ values[i, unit] for i, unit, part in units], dim=1),
    )


def memories(d, heads, N):
    """W_q, b_q, W_o, keys and values, the same each time."""
    shapes = [(d, d), (d,), (d, d), (heads, N, d // heads), (heads, N, d // heads)]
    return [scattered(shape, i) for i, shape in enumerate(shapes)]


def through_the_network(x, W1, b1, W2, heads):
    hidden = F.linear(x, W1, b1).unflatten(-1, (heads, -1)).softmax(-1).flatten(-2)
    return F.linear(hidden, W2)


@points(0.5, "memory_as_feed_forward", read="ffn-as-attention", step="warm-up")
def test_two_heads_by_hand(student, device):
    """점수는 키 · (W_q x + b_q)이므로, 헤드의 W_q 행들을 키로 묶은 것이 W1의 행입니다. W_o의 열들을 값으로 묶은 것이 W2의 열입니다."""
    found = student.memory_as_feed_forward(*(part.to(device) for part in BY_HAND_MEMORY))
    right = [[[2.0, 4], [3, 4]], [2.0, -1], [[3.0, 0], [15, 8]]]
    assert len(found) == 3, f"W1, b1, W2 셋이어야 하는데 {len(found)}개입니다."
    for part, expected in zip(found, right, strict=True):
        assert_close(part, torch.tensor(expected))


@points(0.25, "memory_as_feed_forward", read="persistent-attention")
def test_reads_as_the_memory(student):
    """헤드마다 소프트맥스를 취하면 메모리만 본 어텐션과 같아야 합니다. 어텐션이 점수를 나누던 sqrt(d_k)가 W1과 b1에 들어 있는지 보십시오."""
    given, x = memories(6, 2, 4), scattered((3, 6), 9)
    right = read_from_memory(x, *given)
    assert_close(through_the_network(x, *student.memory_as_feed_forward(*given), 2), right)


@observes("memory_as_feed_forward")
def observe_memory_as_feed_forward(student):
    fold, given = student.memory_as_feed_forward, memories(4, 2, 2)
    wide, right = memories(6, 2, 4), folded(*memories(6, 2, 4))

    def built():
        # No call sees what another has changed.
        return fold(*(part.clone() for part in wide))

    def dtypes():
        return sorted({str(part.dtype) for part in built()})

    def reached_by(part):
        return reached(fold, *given, output=part, cotangent=folded(*given)[part])

    return up_to_the_first_wrong(
        (lambda: [list(part.shape) for part in built()], [[8, 6], [8], [6, 8]]),
        (lambda: built()[0], right[0]),
        (lambda: built()[1], right[1]),
        (lambda: built()[2], right[2]),
        (dtypes, ["torch.float64"]),
        (lambda: [reached_by(part) for part in range(3)], [["0", "3"], ["1", "3"], ["2", "4"]]),
        (lambda: mutated(fold, *given), []),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "memory_as_feed_forward", read="persistent-attention")
def test_folded_for_any_sizes(student, device, rng):
    """헤드가 하나이든 여럿이든, N이 d_k보다 크든 작든 두 행렬과 편향이 맞아야 합니다. 은닉층은 헤드의 차례로 놓습니다."""
    for d, heads, N in [(4, 1, 3), (6, 3, 1), (8, 2, 5), (3, 3, 2)]:
        shapes = [(d, d), (d,), (d, d), (heads, N, d // heads), (heads, N, d // heads)]
        given = [torch.randn(shape, generator=rng, dtype=torch.float64) for shape in shapes]
        right = folded(*given)
        found = student.memory_as_feed_forward(*(part.to(device) for part in given))
        for part, expected in zip(found, right, strict=True):
            assert_close(part, expected)


@points(0.25, "memory_as_feed_forward", read="all-attention-grading", step="robust")
def test_folding_has_manners(student):
    """자료형과 장치는 입력을 따르고, 기울기가 다섯 입력에 모두 흐릅니다. 받은 텐서를 바꾸지 마십시오."""
    given = memories(6, 2, 4)
    for found in student.memory_as_feed_forward(*given):
        assert found.dtype == torch.float64, f"float64 입력에서 {found.dtype}이 나왔습니다."
    for part, names in enumerate([("0", "3"), ("1", "3"), ("2", "4")]):
        cut = unreached(names, student.memory_as_feed_forward, *given, output=part)
        assert not cut, "기울기가 끊겼습니다."
    assert_manners(student, student.memory_as_feed_forward, *given)


### END HIDDEN TESTS
