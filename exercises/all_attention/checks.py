"""What the exercise `all_attention` is graded by."""

import itertools

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.suite import (
    assert_close,
    follows_device,
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


def network(x, W1, b1, W2, b2):
    return F.linear(F.linear(x, W1, b1).relu(), W2, b2)


@points(1, "feed_forward_as_attention", read="ffn-as-attention")
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




# PersistentAttention ----------------------------------------------------------------------------------------


def known_values(d_model, num_heads, num_persistent, make, prefix=""):
    """`make(name, shape)` for each map's matrix and bias and for the memory."""
    shapes = {f"{name}.weight": (d_model, d_model) for name in MAPS}
    shapes |= {f"{name}.bias": (d_model,) for name in MAPS}
    shapes |= dict.fromkeys(MEMORY, (num_heads, num_persistent, d_model // num_heads))
    return {f"{prefix}{name}": make(f"{prefix}{name}", shape) for name, shape in shapes.items()}


def attention_of(student, d_model, num_heads, num_persistent, make, device="cpu"):
    """The student's module in float64 with these values, and what was set."""
    module = student.PersistentAttention(d_model, num_heads, num_persistent).double().to(device)
    values = known_values(d_model, num_heads, num_persistent, make)
    return module, load(student, module, values, optional=[f"{name}.bias" for name in MAPS])


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


def assert_equals_torch(module, x, state, mask=None, device="cpu"):
    output, weights = module(x.to(device), *([] if mask is None else [mask.to(device)]))
    expected_output, expected_weights = by_torch(x, state, mask)
    assert_close(weights, expected_weights, atol=1e-6)
    assert_close(output, expected_output, atol=1e-6)


@points(1, "PersistentAttention", read="persistent-attention")
def test_one_softmax_over_context_and_memory(student, device):
    """문맥의 키와 지속 메모리의 키를 이어 소프트맥스를 한 번 취해야 합니다. sqrt(d_model / h), 메모리의 자리(맨 뒤), W_o를 확인하십시오."""
    module, state = attention_of(student, 6, 2, 3, fixed_values, device)
    assert_equals_torch(module, scattered((2, 4, 6), 0.1), state, device=device)


@points(0.25, "PersistentAttention", read="persistent-attention")
def test_memory_is_learned_and_starts_at_random(student):
    """지속 메모리는 모양이 (h, N, d_model / h)인 파라미터 둘이고, 처음에는 무작위여야 합니다. 모두 같은 값에서 시작하면 언제까지나 같습니다."""
    found, others = (parameters(student, student.PersistentAttention(8, 2, 5), *MEMORY) for _ in range(2))
    for name in MEMORY:
        assert name in found, f"{name}라는 파라미터가 없습니다."
        assert list(found[name].shape) == [2, 5, 4], f"{name}의 모양이 (2, 5, 4)가 아닙니다."
        assert found[name].flatten(0, 1).unique(dim=0).shape[0] == 10, f"{name}에 같은 벡터가 있습니다."
        assert not torch.equal(found[name], others[name]), f"{name}가 만들 때마다 같은 값에서 시작합니다."


@points(0.25, "PersistentAttention", read="multi_head_attention#heads-divide")
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




# AllAttentionLayer ------------------------------------------------------------------------------------------


def layer_of(student, make, device="cpu", **options):
    """The student's layer (d_model 6, 2 heads, 3 vectors) in float64 and evaluation mode, and what was set."""
    layer = student.AllAttentionLayer(6, 2, 3, **options).double().to(device)
    values = known_values(6, 2, 3, make, prefix="attention.")
    values |= {"norm.weight": 1 + make("norm.weight", (6,)) / 2, "norm.bias": make("norm.bias", (6,))}
    state = load(student, layer, values, optional=[f"attention.{name}.bias" for name in MAPS])
    layer.eval()
    return layer, state


def by_formula(x, state, mask=None):
    of_attention = {name.removeprefix("attention."): value for name, value in state.items()}
    gathered, _ = by_torch(x, of_attention, mask)
    return F.layer_norm(x + gathered, (6,), state["norm.weight"], state["norm.bias"])


@points(0.75, "AllAttentionLayer", read="all-attention-layer")
def test_add_and_normalise_once(student, device):
    """입력에 어텐션의 출력을 더하고 정규화합니다. 텐서 하나를 돌려주고, 피드포워드는 없습니다."""
    layer, state = layer_of(student, fixed_values, device)
    x = scattered((2, 4, 6), 0.1)
    assert_close(layer(x.to(device)), by_formula(x, state), atol=1e-6)


def steady(layer, x):
    """What a layer returns, if it returns it every time."""
    found = [layer(x.clone()) for _ in range(8)]
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




# persistent_share -------------------------------------------------------------------------------------------

BY_HAND_WEIGHTS = torch.tensor([[[1, 3, 8, 4], [8, 4, 0, 4]]]) / 16


@points(0.75, "persistent_share", read="share")
def test_share_of_two_queries(student, device):
    """질의마다 마지막 N개의 가중치를 더하고, 그것을 모든 질의에 걸쳐 평균합니다."""
    assert_close(student.persistent_share(BY_HAND_WEIGHTS.to(device), 2), torch.tensor([0.5]))


@observes("persistent_share")
def observe_persistent_share(student):
    weights = scattered((2, 2, 3, 4, 6), 1).softmax(-1)
    return [
        outcome(student.persistent_share, weights, 2),
        outcome(student.persistent_share, weights[0], 2),
        outcome(student.persistent_share, weights[0, 0], 5),
        outcome(student.persistent_share, weights[0], 0),
        outcome(lambda: str(student.persistent_share(weights[0], 2).dtype)),
        outcome(
            lambda: [str(zeros.dtype) for zeros in [student.persistent_share(weights[0], 0)] if zeros.dim()]
        ),
    ]
