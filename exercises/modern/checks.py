"""What the exercise `modern` is graded by."""

import math
from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.suite import (
    ATTENTION,
    NORMALISATION,
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

# torch has it since 2.4
OWN_RMS_NORM = ("aten::*rms_norm*",) if hasattr(F, "rms_norm") else ()
FORBIDDEN = {"RMSNorm": (*NORMALISATION, *OWN_RMS_NORM), "tiled_attention": ATTENTION}


def both(result, what):
    """The two things asked for, or a plain word about what came back instead."""
    assert isinstance(result, tuple | list) and len(result) == 2, f"{what}, 두 개를 돌려주어야 합니다."
    return result


def fixed_state(shapes):
    """Values for every parameter that depend on nothing but its name."""
    return {name: scattered(shape, name).float() for name, shape in shapes.items()}


def random_state(shapes, generator):
    return {
        name: torch.randn(shape, generator=generator, dtype=torch.float64) / 2
        for name, shape in shapes.items()
    }


def with_state(student, module, state):
    """The student's module with these weights."""
    module = module.double() if next(iter(state.values())).dtype == torch.float64 else module
    load(student, module, state)
    return module  # as it is made, for training: nothing here is dropped


# RMSNorm ------------------------------------------------------------------------------------------------------


def normed(x, weight, eps):
    return weight * x / ((x * x).sum(-1, keepdim=True) / x.shape[-1] + eps) ** 0.5


@points(
    0.5,
    question="RMSNorm",
    hint="제곱의 평균에 eps를 더하고, 그 제곱근으로 나눈 다음 weight를 곱합니다. 평균은 빼지 않습니다.",
    read="modern#modern-rmsnorm",
)
def test_root_mean_square(student):
    x = torch.tensor([[1.0, 2.0, 3.0, 6.0], [-0.5, 0.0, 0.1, 0.2]])
    norm = student.RMSNorm(4)
    assert_close(norm(x[0]), torch.tensor([0.2828, 0.5657, 0.8485, 1.6971]), atol=1e-4)
    norm = with_state(student, student.RMSNorm(4, eps=0.1), {"weight": torch.tensor([1.0, 2.0, 0.5, -1.0])})
    assert_close(norm(x), normed(x, torch.tensor([1.0, 2.0, 0.5, -1.0]), 0.1))


@observes("RMSNorm")
def observe_rms_norm(student):
    weight = torch.tensor([1.0, 2.0, 0.5, -1.0])
    x = torch.tensor([[1.0, 2.0, 3.0, 6.0], [-0.5, 0.0, 0.1, 0.2], [0.0, 0.0, 0.0, 0.0]])
    seen = []
    for eps in [1e-6, 0.1]:
        norm = student.RMSNorm(4, eps=eps)
        load(student, norm, {"weight": weight})
        seen += [outcome(norm, x), outcome(norm, x[0]), outcome(norm, x[:2, None])]
    half = outcome(norm.half(), (200 * x[:1]).half())
    return [*seen, half, str(getattr(half, "dtype", ""))]




# SwiGLU -------------------------------------------------------------------------------------------------------


def swiglu_shapes(d_model, d_ff):
    return {
        "gate_proj.weight": (d_ff, d_model),
        "up_proj.weight": (d_ff, d_model),
        "down_proj.weight": (d_model, d_ff),
    }


def gated(state, x):
    """By hand, the sigmoid written out."""
    gate, up = x @ state["gate_proj.weight"].T, x @ state["up_proj.weight"].T
    return (gate / (1 + (-gate).exp()) * up) @ state["down_proj.weight"].T


@points(
    0.5,
    question="SwiGLU",
    hint="silu(gate) * up을 down_proj에 넣습니다. 예에서 gate (1, -1), up (2, 3)이면 은닉 벡터는 (1.4621, -0.8068)입니다.",
    read="modern#modern-swiglu",
)
def test_gate_by_hand(student):
    network = student.SwiGLU(1, 2)
    weights = {"gate_proj": [[1.0], [-1.0]], "up_proj": [[2.0], [3.0]], "down_proj": [[1.0, 10.0]]}
    state = {f"{name}.weight": torch.tensor(value) for name, value in weights.items()}
    found = with_state(student, network, state)(torch.tensor([[1.0]]))
    assert_close(found, torch.tensor([[1.4621 - 8.0682]]), atol=1e-3)


@observes("SwiGLU")
def observe_swiglu(student):
    network = student.SwiGLU(3, 5)
    state = fixed_state(swiglu_shapes(3, 5))
    with_state(student, network, state)
    biases = sorted(name for name in parameters(student, network) if name.endswith("bias"))
    return [outcome(network, 3 * scattered((2, 4, 3), 1).float()) if not biases else "bias", biases]




# apply_rotary -------------------------------------------------------------------------------------------------


def turned(x, positions, base=10_000.0, layout="half"):
    """The rotation as a product of complex numbers."""
    d = x.shape[-1]
    angles = positions[:, None].double() * float(base) ** (-torch.arange(0, d, 2).double() / d)
    x = x.double()
    pairs = x.unflatten(-1, (2, -1)).transpose(-2, -1) if layout == "half" else x.unflatten(-1, (-1, 2))
    pairs = torch.view_as_complex(pairs.contiguous())
    pairs = torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles))
    return (pairs.transpose(-2, -1) if layout == "half" else pairs).flatten(-2)


@points(
    0.5,
    question="apply_rotary",
    hint='"half"는 성분 i와 i + d/2를, "interleaved"는 2i와 2i + 1을 짝지어 반시계 방향으로 돌립니다. 위치 0은 돌지 않습니다.',
    read="modern#modern-rotary",
)
def test_both_layouts_by_hand(student):
    x, positions = torch.tensor([[1.0, 2.0, 3.0, 4.0]] * 2), torch.tensor([0, 1])
    by_layout = {
        "half": [-1.9841, 1.9599, 2.4624, 4.0198],
        "interleaved": [-1.1426, 1.9221, 2.9599, 4.0298],
    }
    for layout, expected in by_layout.items():
        found = student.apply_rotary(x, positions, layout=layout)
        assert_close(found, torch.tensor([[1.0, 2.0, 3.0, 4.0], expected]), atol=1e-4)
    assert_close(student.apply_rotary(x, positions)[1], torch.tensor(by_layout["half"]), atol=1e-4)


@observes("apply_rotary")
def observe_rotary(student):
    x, positions = 3 * scattered((2, 6), 2).float(), torch.tensor([1, 4])
    rotary = student.apply_rotary
    half = outcome(rotary, x.half(), torch.tensor([1, 3001]))
    return [
        *(outcome(lambda name=name: rotary(x, positions, layout=name)) for name in ["half", "interleaved"]),
        outcome(rotary, torch.stack([x, 2 * x]), torch.tensor([0, 7]), 50.0),
        outcome(rotary, x[:, :4], positions),
        refuses(rotary, torch.zeros(2, 3), positions),
        refuses(lambda: rotary(x, positions, layout="pairs")),
        half.double().round(decimals=1) if isinstance(half, torch.Tensor) else half,
        str(getattr(half, "dtype", "")),
    ]




# GroupedQueryAttention ----------------------------------------------------------------------------------------


def attention_shapes(d_model, heads, kv_heads, head_dim=None):
    head_dim = head_dim or d_model // heads
    return {
        "q_proj.weight": (heads * head_dim, d_model),
        "k_proj.weight": (kv_heads * head_dim, d_model),
        "v_proj.weight": (kv_heads * head_dim, d_model),
        "o_proj.weight": (d_model, heads * head_dim),
    }


def torch_attention(state, x, heads, mask=None):
    """Output and weights of PyTorch's attention, whose every head has keys and values of its own: copies."""
    d_model = x.shape[-1]
    head_dim = d_model // heads
    group = d_model // len(state["k_proj.weight"])

    def copied(weight):
        return weight.unflatten(0, (-1, head_dim)).repeat_interleave(group, dim=0).flatten(0, 1)

    oracle = nn.MultiheadAttention(d_model, heads, bias=False, batch_first=True, dtype=x.dtype).eval()
    in_proj = [
        state["q_proj.weight"],
        copied(state["k_proj.weight"]),
        copied(state["v_proj.weight"]),
    ]
    oracle.load_state_dict({"in_proj_weight": torch.cat(in_proj), "out_proj.weight": state["o_proj.weight"]})
    with torch.no_grad():
        return oracle(x, x, x, attn_mask=mask, average_attn_weights=False)


def head_by_head(state, x, heads, kv_heads, positions=None, base=10_000.0, mask=None):
    """Output and weights, one head after another; `mask` (batch, heads, n, n)."""
    head_dim = len(state["q_proj.weight"]) // heads
    outputs, weights = [], []
    for i in range(heads):
        own, shared = (slice(j * head_dim, (j + 1) * head_dim) for j in (i, i * kv_heads // heads))
        query, key = x @ state["q_proj.weight"][own].T, x @ state["k_proj.weight"][shared].T
        if positions is not None:
            query, key = turned(query, positions, base), turned(key, positions, base)
        scores = query @ key.transpose(-2, -1) / head_dim**0.5
        seen = scores if mask is None else scores.masked_fill(~mask[:, i], -1e300)
        exps = (seen - seen.amax(-1, keepdim=True)).exp()
        exps = exps if mask is None else exps * mask[:, i]
        weights.append(exps / exps.sum(-1, keepdim=True).clamp(min=1e-300))
        outputs.append(weights[-1] @ (x @ state["v_proj.weight"][shared].T))
    return torch.cat(outputs, dim=-1) @ state["o_proj.weight"].T, torch.stack(weights, dim=1)


def example_attention(student, key, heads=6, kv_heads=2, head_dim=None, **options):
    shapes = attention_shapes(24, heads, kv_heads, head_dim)
    layer = student.GroupedQueryAttention(24, heads, kv_heads, head_dim=head_dim, **options)
    state = fixed_state(shapes)
    return with_state(student, layer, state), state, 2 * scattered((2, 5, 24), key).float()


@points(
    0.5,
    question="GroupedQueryAttention",
    hint="헤드 6개, 키·값 헤드 2개이면 헤드 0, 1, 2가 첫 키와 값을, 3, 4, 5가 둘째 것을 봅니다. 배율, 헤드를 나누고 합치는 차례, o_proj도 보십시오.",
    read="modern#modern-groups",
)
def test_heads_share_keys_and_values(student):
    layer, state, x = example_attention(student, 3)
    output, weights = both(layer(x), "출력과 가중치")
    right, right_weights = torch_attention(state, x, 6)
    assert_close(weights, right_weights, atol=1e-5)
    assert_close(output, right, atol=1e-5)


@points(
    0.25,
    question="GroupedQueryAttention",
    hint="positions를 주면 질의와 키를 돌립니다(값은 아닙니다). 모든 위치를 똑같이 밀어도 출력이 같고, 간격이 달라지면 달라야 합니다.",
    read="modern#modern-groups",
)
def test_only_distances_count(student):
    layer, _, x = example_attention(student, 4)
    near, moved, wide = torch.arange(5), torch.arange(90, 95), 3 * torch.arange(5)
    assert_close(layer(x, moved)[0], layer(x, near)[0], rtol=1e-3, atol=1e-3)
    for other in [layer(x)[0], layer(x, wide)[0]]:
        assert not torch.allclose(layer(x, near)[0], other, atol=1e-2), "위치가 출력을 바꾸지 않습니다."


@observes("GroupedQueryAttention")
def observe_attention(student):
    layer, _, x = example_attention(student, 5)
    holes = scattered((2, 1, 5, 5), 6) > -0.2
    holes[1, :, 2] = False
    positions = torch.tensor([0, 1, 2, 5, 9])
    turning, _, _ = example_attention(student, 5, base=30.0)
    seen = [outcome(layer, x), outcome(turning, x, positions), outcome(layer, x, None, holes)]
    triangle = torch.ones(5, 5, dtype=torch.bool).tril()
    seen += [outcome(layer, x, None, triangle), outcome(layer, x, None, holes[:, 0])]
    wide = outcome(lambda: example_attention(student, 5, head_dim=6)[0](x)[0])
    return [
        *seen,
        wide,
        refuses(student.GroupedQueryAttention, 12, 6, 4),
        refuses(student.GroupedQueryAttention, 10, 4, 2),
    ]




# tiled_attention ----------------------------------------------------------------------------------------------


def whole_attention(query, key, value, causal=False):
    """Output and log-sum-exp with the whole matrix of scores."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
    return scores.softmax(-1) @ value, scores.logsumexp(-1)


@points(
    0.5,
    question="tiled_attention",
    hint="최댓값이 바뀔 때마다 지금까지의 합과 가중합에 exp(옛 최댓값 - 새 최댓값)을 곱합니다. 나누기는 마지막에 한 번입니다.",
    read="modern#modern-tiles",
)
def test_tiles_by_hand(student):
    query, key = torch.tensor([[1.0]]), torch.tensor([[1.0], [3.0], [2.0], [5.0]])
    value = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
    for block in [2, 4]:
        output, _ = both(student.tiled_attention(query, key, value, block), "출력과 로그합")
        assert_close(output, torch.tensor([[3.6881]]), atol=1e-4)
    query, key, value = (scattered((2, 5, 3), seed).float() for seed in [1, 2, 3])
    output, _ = student.tiled_attention(query, 3 * key, value, 2)
    assert_close(output, whole_attention(query, 3 * key, value)[0], atol=1e-5)


@points(
    0.25,
    question="tiled_attention",
    hint="둘째는 질의마다 나눈 점수의 ln Σ exp(s)입니다. 모양은 (..., n_q)입니다. 최댓값을 다시 더했는지 보십시오.",
    read="modern#modern-tiles",
)
def test_log_sum_exp(student):
    query, key = torch.tensor([[1.0]]), torch.tensor([[1.0], [3.0], [2.0], [5.0]])
    found = both(student.tiled_attention(query, key, torch.ones(4, 2), 2), "출력과 로그합")[1]
    assert_close(found, torch.tensor([5.1852]), atol=1e-4)
    query, key = scattered((2, 5, 4), 4).float(), scattered((2, 6, 4), 5).float()
    found = student.tiled_attention(query, key, torch.ones(2, 6, 1), 4)[1]
    assert_close(found, whole_attention(query, key, torch.ones(2, 6, 1))[1], atol=1e-5)


@observes("tiled_attention")
def observe_tiles(student):
    query, key, value = (2 * scattered((2, 5, 4), seed).float() for seed in [6, 7, 8])
    large = 300 * query
    return [
        outcome(student.tiled_attention, query, key, value, 2),
        outcome(student.tiled_attention, query, key, value, 2, True),
        outcome(student.tiled_attention, query, key, value[..., :1], 7),
        outcome(student.tiled_attention, large, key, value, 2),
        refuses(student.tiled_attention, query, key, value, 0),
        refuses(student.tiled_attention, query[:, :3], key, value, 2, True),
        outcome(lambda: most_memory_of(student, 160, 8) < 160 * 160 * 4),
        outcome(makes_a_row, student),
    ]


def most_memory(function, *args):
    """The most bytes that are in use at once in tensors which a call makes, and the sizes of these tensors."""
    import weakref

    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Watch(TorchDispatchMode):
        _should_skip_dynamo = classmethod(lambda cls: False)  # torch would load its compiler, for 1.6 s

        def __init__(self):
            super().__init__()
            self.known = {arg.untyped_storage()._cdata for arg in args if isinstance(arg, torch.Tensor)}
            self.used = self.most = 0
            self.sizes = set()

        def __torch_dispatch__(self, operation, types, given=(), named=None):
            result = operation(*given, **(named or {}))
            for tensor in tree_leaves(result):
                if isinstance(tensor, torch.Tensor):
                    self.note(tensor.untyped_storage())
            return result

        def note(self, storage):
            if storage._cdata not in self.known:
                self.known.add(storage._cdata)
                self.used += storage.nbytes()
                self.sizes.add(storage.nbytes())
                self.most = max(self.most, self.used)
                weakref.finalize(storage, self.forget, storage._cdata, storage.nbytes())

        def forget(self, number, size):
            self.known.discard(number)
            self.used -= size

    with torch.no_grad(), Watch() as watch:
        function(*args)
    return watch.most, sorted(watch.sizes)


def most_memory_of(student, n, block):
    query, key, value = (scattered((n, 4), seed).float() for seed in [1, 2, 3])
    return place(student, most_memory)(student.tiled_attention, query, key, value, block)[0]


def makes_a_row(student):
    """Whether a single query's scores of all keys lie in one tensor."""
    query, key, value = (scattered((n, 4), n).float() for n in (1, 1000, 1000))
    return 4 * len(key) in place(student, most_memory)(student.tiled_attention, query, key, value, 10)[1]




# route --------------------------------------------------------------------------------------------------------


def dense(weights, experts, number_of):
    """The weight of every expert, chosen or not, (tokens, experts): any order of the chosen gives the same."""
    assert not experts.is_floating_point(), "전문가의 번호는 정수여야 합니다."
    return torch.zeros(len(weights), number_of, dtype=weights.dtype).scatter_add(1, experts.long(), weights)


ROUTER = [[2.0, 1.0, 0.0, -1.0], [-3.0, 0.5, 0.5, 4.0], [-1.0, -5.0, -2.0, -9.0]]


@points(
    0.5,
    question="route",
    hint="로짓이 가장 큰 k명을 고르고, 고른 로짓에만 소프트맥스를 취합니다. (가중치, 전문가)를 돌려줍니다.",
    read="modern#modern-experts",
)
def test_route_by_hand(student):
    weights, experts = both(student.route(torch.tensor(ROUTER[:1]), 2), "가중치와 전문가")
    assert_close(dense(weights, experts, 4), torch.tensor([[0.7311, 0.2689, 0.0, 0.0]]), atol=1e-4)


@observes("route")
def observe_route(student):
    logits = torch.tensor(ROUTER)
    seen = []
    for k in [1, 2]:
        found = outcome(student.route, logits, k)
        if isinstance(found, tuple | list) and len(found) == 2:
            found = [list(found), outcome(lambda found=found: dense(*found, 4))]
        seen.append(found)
    return [*seen, refuses(student.route, logits, 0), refuses(student.route, logits, 5)]




# balance_loss -------------------------------------------------------------------------------------------------

BALANCE = [[2.0, 0.0, -9.0], [2.0, 0.0, -9.0], [0.0, 2.0, -9.0], [2.0, -9.0, 0.0]]


@points(
    0.5,
    question="balance_loss",
    hint="f는 배정의 몫, P는 모든 전문가에 걸친 소프트맥스의 평균이고, E를 곱합니다. 고르게 나뉘면 1입니다.",
    read="modern#modern-balance",
)
def test_balance_by_hand(student):
    found = student.balance_loss(torch.tensor(BALANCE), torch.tensor([[0], [0], [1], [0]]))
    assert_close(found, torch.tensor(1.7632), atol=1e-4)
    even = student.balance_loss(torch.zeros(4, 4), torch.tensor([[0, 1], [2, 3], [1, 2], [3, 0]]))
    assert_close(even, torch.tensor(1.0))


@observes("balance_loss")
def observe_balance(student):
    logits = torch.tensor(BALANCE)
    one, two = torch.tensor([[0], [0], [1], [0]]), torch.tensor([[1, 0], [0, 2], [1, 0], [0, 1]])
    return [
        outcome(student.balance_loss, logits, one),
        outcome(student.balance_loss, logits, two),
        reached(student.balance_loss, logits, two),
    ]




# Llama --------------------------------------------------------------------------------------------------------

SIZES = dict(
    vocab_size=13,
    hidden_size=8,
    intermediate_size=6,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=None,
    rms_norm_eps=0.1,
    rope_parameters={"rope_theta": 30.0, "rope_type": "default"},
)


def model_shapes(sizes):
    width, vocab = sizes["hidden_size"], (sizes["vocab_size"], sizes["hidden_size"])
    shapes = {"model.embed_tokens.weight": vocab, "model.norm.weight": (width,), "lm_head.weight": vocab}
    attention = attention_shapes(
        width, sizes["num_attention_heads"], sizes["num_key_value_heads"], sizes["head_dim"]
    )
    network = swiglu_shapes(width, sizes["intermediate_size"])
    for i in range(sizes["num_hidden_layers"]):
        layer = {"input_layernorm.weight": (width,), "post_attention_layernorm.weight": (width,)}
        layer |= {f"self_attn.{name}": shape for name, shape in attention.items()}
        layer |= {f"mlp.{name}": shape for name, shape in network.items()}
        shapes |= {f"model.layers.{i}.{name}": shape for name, shape in layer.items()}
    return shapes


def example_model(student, silent=False, **changes):
    """A small model and its weights; silent layers add nothing."""
    sizes = {**SIZES, **changes}
    state = fixed_state(model_shapes(sizes))
    for name in state:
        state[name] = state[name] * (0 if silent and ("o_proj" in name or "down_proj" in name) else 1)
    model = student.Llama(student.LlamaConfig(**sizes))
    return with_state(student, model, state), state


IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


@points(
    0.5,
    question="Llama",
    hint="층들이 아무것도 더하지 않으면 로짓은 norm(embed_tokens[ids])와 lm_head의 행들의 내적입니다. 엡실론은 설정의 것입니다.",
    read="modern#modern-llama",
)
def test_model_around_silent_layers(student):
    model, state = example_model(student, silent=True)
    hidden = normed(state["model.embed_tokens.weight"][IDS], state["model.norm.weight"], 0.1)
    assert_close(model(IDS), hidden @ state["lm_head.weight"].T, atol=1e-5)


@observes("Llama")
def observe_llama(student):
    model, _ = example_model(student)
    learned = sum(t.numel() for t in parameters(student, model).values())
    tied = student.Llama(student.LlamaConfig(**SIZES, tie_word_embeddings=True))
    shared = sum(t.numel() for t in parameters(student, tied).values())
    wide = outcome(lambda: example_model(student, head_dim=6)[0](IDS[:1, :2]))
    return [outcome(model, IDS), outcome(example_model(student, silent=True)[0], IDS), learned, shared, wide]




# kv_cache_bytes -----------------------------------------------------------------------------------------------

LLAMA_70B = dict(
    hidden_size=8192,
    num_hidden_layers=80,
    num_attention_heads=64,
    num_key_value_heads=8,
)


@points(
    0.25,
    question="kv_cache_bytes",
    hint="토큰 하나에 키와 값 둘, 층마다, 키·값 헤드마다, head_dim개의 수입니다. 질의 헤드의 수가 아닙니다.",
    read="modern#modern-cache",
)
def test_published_size(student):
    config = student.LlamaConfig(**LLAMA_70B)
    found = student.kv_cache_bytes(config, 1, torch.float16)
    assert found == 327_680, f"토큰 하나에 327,680바이트여야 하는데 {found}입니다."


@observes("kv_cache_bytes")
def observe_bytes(student):
    config = student.LlamaConfig(**LLAMA_70B)
    other = student.LlamaConfig(
        hidden_size=48, num_hidden_layers=3, num_attention_heads=6, num_key_value_heads=2, head_dim=5
    )
    calls = [(config, 1, torch.float16), (config, 10, torch.float32), (other, 7, torch.int8)]
    seen = [outcome(student.kv_cache_bytes, *call) for call in [*calls, (other, 7, torch.float64, 3)]]
    return [*seen, type(seen[0]).__name__]
