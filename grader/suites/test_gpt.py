"""What the exercise `gpt` is graded by."""

import math
from functools import cache

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
    place,
    points,
    scattered,
)

WIDTH, HEADS, LAYERS = 8, 4, 2


def small(student, **changes):
    """A small configuration, made on the student's side, without dropout."""
    sizes = dict(vocab_size=17, n_positions=9, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS)
    dropout = dict(embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0)
    return student.GPTConfig(**{**sizes, **dropout, **changes})


def attention_shapes(width=WIDTH):
    """What an attention learns, by the text's names; so for a block and a whole model."""
    wide, narrow = (3 * width, width), (width, width)
    return {
        "c_attn.weight": wide,
        "c_attn.bias": wide[:1],
        "c_proj.weight": narrow,
        "c_proj.bias": narrow[:1],
    }


def block_shapes(width=WIDTH):
    norms = {f"ln_{i}.{name}": (width,) for i in (1, 2) for name in ("weight", "bias")}
    mlp = {"c_fc.weight": (4 * width, width), "c_fc.bias": (4 * width,)}
    mlp |= {"c_proj.weight": (width, 4 * width), "c_proj.bias": (width,)}
    return {**norms, **under("attn", attention_shapes(width)), **under("mlp", mlp)}


def model_shapes(vocab_size=17, n_positions=9, n_embd=WIDTH, n_layer=LAYERS):
    shapes = {"wte.weight": (vocab_size, n_embd), "wpe.weight": (n_positions, n_embd)}
    for i in range(n_layer):
        shapes |= under(f"h.{i}", block_shapes(n_embd))
    return under("transformer", {**shapes, "ln_f.weight": (n_embd,), "ln_f.bias": (n_embd,)})


def under(prefix, named):
    return {f"{prefix}.{name}": value for name, value in named.items()}


def random_state(shapes, generator, dtype=torch.float32):
    """Random values for every parameter."""
    return {name: torch.randn(shape, generator=generator, dtype=dtype) / 2 for name, shape in shapes.items()}


def fixed_state(shapes):
    """Values for every parameter that depend on nothing but its name."""
    return {name: scattered(shape, name).float() for name, shape in shapes.items()}


def with_state(student, module, state):
    """The student's module with these weights, in evaluation mode."""
    module = module.double() if next(iter(state.values())).dtype == torch.float64 else module
    load(student, module, state)
    return module.eval()


def torch_attention(state, x, heads=HEADS):
    """Output and weights of PyTorch's own attention with the same weights and a look-ahead mask."""
    oracle = nn.MultiheadAttention(x.shape[-1], heads, batch_first=True, dtype=x.dtype).eval()
    oracle.load_state_dict(
        {
            "in_proj_weight": state["c_attn.weight"],
            "in_proj_bias": state["c_attn.bias"],
            "out_proj.weight": state["c_proj.weight"],
            "out_proj.bias": state["c_proj.bias"],
        }
    )
    hidden = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    with torch.no_grad():
        return oracle(x, x, x, attn_mask=hidden, average_attn_weights=False)


# On the student's side -----------------------------------------------------------------------------------------


def in_pieces(layer, x, sizes, need_weights=None):
    """Push a sequence through an attention or a block piece by piece, with one cache."""
    import torch

    cache, outputs = {}, []
    options = {} if need_weights is None else {"need_weights": need_weights}
    for piece in x.split(sizes, dim=1):
        output = layer(piece, cache=cache, **options)
        outputs.append(output if isinstance(output, torch.Tensor) else output[0])
    return torch.cat(outputs, dim=1)


def logits_in_pieces(model, ids, sizes, n_layer):
    import torch

    cache = [{} for _ in range(n_layer)]
    return torch.cat([model(piece, cache) for piece in ids.split(sizes, dim=1)], dim=1)


def count_on_meta(make, config):
    """How many parameters a model has, without the memory for them."""
    import torch
    from torch.overrides import TorchFunctionMode

    class NoValues(TorchFunctionMode):
        """Draws nothing: on "meta" there is nothing to fill, and to see that torch loads its compiler."""

        def __torch_function__(self, called, types, args=(), kwargs=None):
            if called.__name__.endswith(("normal_", "uniform_")):
                return args[0] if args else kwargs["tensor"]
            return called(*args, **(kwargs or {}))

    with torch.device("meta"), NoValues():
        return sum(parameter.numel() for parameter in make(config).parameters())


def toy_model(n_positions, n_layer):
    """A model of 11 tokens whose next token is the sum of token times place, modulo 11; notes what it is given."""
    from types import SimpleNamespace

    import torch

    class Toy(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.config = SimpleNamespace(n_positions=n_positions, n_layer=n_layer, vocab_size=11)
            self.lengths, self.modes = [], []

        def forward(self, ids, cache=None):
            n = ids.shape[1]
            self.lengths.append(n)
            self.modes.append(self.training)
            if cache is not None:
                ids = torch.cat([cache[0]["ids"], ids], dim=1) if cache[0] else ids
                for layer in cache:
                    layer["ids"] = ids
            if ids.shape[1] > n_positions:
                raise ValueError("more tokens than positions")
            places = torch.arange(1, ids.shape[1] + 1, device=ids.device)
            state = (ids * places).cumsum(dim=1) % 11
            return 3.0 * torch.nn.functional.one_hot(state, 11)[:, -n:].float()

    return Toy()


def steady_model(logits):
    """A model that says the same of every next token."""
    from types import SimpleNamespace

    import torch

    class Steady(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.config = SimpleNamespace(n_positions=64, n_layer=1, vocab_size=len(logits))

        def forward(self, ids, cache=None):
            return logits.to(ids.device).expand(*ids.shape, len(logits))

    return Steady()


# CausalSelfAttention ------------------------------------------------------------------------------------------


def example_attention(student, seed, **changes):
    layer = student.CausalSelfAttention(small(student, **changes))
    state = fixed_state(attention_shapes())
    return with_state(student, layer, state), state, 2 * scattered((3, 5, WIDTH), seed).float()


@points(
    0.75,
    question="CausalSelfAttention",
    hint="같은 가중치의 nn.MultiheadAttention과 출력이 다릅니다. 나누는 차례, 배율, 마스크, c_proj를 차례로 보십시오.",
    read="gpt#gpt-attention",
)
def test_attention_equals_torch(student):
    layer, state, x = example_attention(student, 0)
    assert_close(layer(x)[0], torch_attention(state, x)[0], atol=1e-5)


@points(
    0.5,
    question="CausalSelfAttention",
    hint="가중치는 (batch, heads, n, n)입니다. 행마다 합이 1이고, 대각선의 오른쪽은 0입니다.",
    read="gpt#gpt-attention",
)
def test_weights_see_only_the_past(student):
    layer, state, x = example_attention(student, 1)
    weights = layer(x)[1]
    assert_close(weights, torch_attention(state, x)[1], atol=1e-5)


@observes("CausalSelfAttention")
def observe_attention(student):
    layer, state, x = example_attention(student, 2)
    output, weights = layer(x)
    sizes = [[4, 1], [2, 3]]
    pieces = [outcome(lambda s=s: place(student, in_pieces)(layer, x, s)) for s in sizes]
    refused = outcome(lambda: student.CausalSelfAttention(small(student, n_head=3)))
    right = torch_attention(state, x)[0]
    seen = [output, weights, pieces, refused]
    if output.shape != right.shape or not torch.allclose(output, right, atol=1e-4):
        return seen  # whoever writes the weights wrongly may or may not have the fused attention right
    certain, _, x = example_attention(student, 9, attn_pdrop=1.0)  # in evaluation mode
    fused = outcome(lambda: certain(x, need_weights=False)[0])
    in_fused_pieces = [outcome(lambda s=s: place(student, in_pieces)(layer, x, s, False)) for s in sizes]
    dropped = []
    for changes in [{"attn_pdrop": 1.0}, {"resid_pdrop": 1.0}]:
        certain, _, x = example_attention(student, 9, **changes)
        dropped.append(outcome(certain.train(), x))
    return [*seen, fused, in_fused_pieces, dropped]


### BEGIN HIDDEN TESTS
@points(
    0.75,
    question="CausalSelfAttention",
    hint="나누어 넣어도 한꺼번에 넣은 것과 같아야 합니다. 캐시에 이어 붙이고, 마스크는 이미 본 키의 수만큼 오른쪽으로 밉니다.",
    read="gpt#gpt-cache",
)
def test_attention_in_pieces(student, rng):
    layer = student.CausalSelfAttention(small(student))
    state = random_state(attention_shapes(), rng, torch.float64)
    layer = with_state(student, layer, state)
    x = torch.randn(2, 7, WIDTH, generator=rng, dtype=torch.float64)
    expected = torch_attention(state, x)[0]
    for sizes in [[7], [1] * 7, [1, 4, 2]]:
        for need_weights in [True, False]:
            found = place(student, in_pieces)(layer, x, sizes, need_weights)
            assert_close(found, expected, rtol=1e-10, atol=1e-10)


@points(
    0.25,
    question="CausalSelfAttention",
    hint="어떤 길이에서도, 헤드가 하나일 때도, 토큰이 하나일 때도 같아야 합니다.",
    read="gpt#gpt-attention",
)
def test_attention_of_any_size(student, device, rng):
    for heads, width, n in [(1, 6, 1), (4, 12, 6), (3, 9, 4)]:
        layer = student.CausalSelfAttention(small(student, n_embd=width, n_head=heads))
        state = random_state(attention_shapes(width), rng, torch.float64)
        x = torch.randn(3, n, width, generator=rng, dtype=torch.float64)
        layer = with_state(student, layer, state).to(str(device))
        output, weights = layer(x.to(device))
        expected, expected_weights = torch_attention(state, x, heads)
        assert_close(output, expected, rtol=1e-10, atol=1e-10)
        assert_close(weights, expected_weights, rtol=1e-10, atol=1e-10)
    for need_weights in [True, False]:
        assert follows_device(student, layer, x.to(device), need_weights=need_weights), (
            "마스크가 입력과 다른 장치에 있습니다."
        )


@points(
    0.25,
    question="CausalSelfAttention",
    hint="need_weights=False이면 (출력, None)이고, 출력은 가중치를 돌려줄 때와 같아야 합니다.",
    read="gpt#gpt-fused",
)
def test_fused_attention_is_the_same(student, rng):
    layer = student.CausalSelfAttention(small(student))
    state = random_state(attention_shapes(), rng, torch.float64)
    layer = with_state(student, layer, state)
    x = torch.randn(2, 6, WIDTH, generator=rng, dtype=torch.float64)
    output, weights = layer(x, need_weights=False)
    assert weights is None, "need_weights=False인데 가중치를 돌려주었습니다."
    assert_close(output, torch_attention(state, x)[0], rtol=1e-10, atol=1e-10)


@points(
    0.25,
    question="CausalSelfAttention",
    hint="학습할 때 드롭아웃은 가중치와 c_proj의 출력 두 곳에 걸리고, 평가할 때는 꺼집니다. 돌려주는 가중치는 드롭아웃 전의 것입니다.",
    read="gpt#gpt-attention",
)
def test_attention_dropout(student, rng):
    for changes in [{"attn_pdrop": 1.0}, {"resid_pdrop": 1.0}]:
        layer = student.CausalSelfAttention(small(student, **changes))
        state = random_state(attention_shapes(), rng)
        layer = with_state(student, layer, state)
        x = torch.randn(2, 4, WIDTH, generator=rng)
        for need_weights in [True, False]:
            assert_close(layer(x, need_weights=need_weights)[0], torch_attention(state, x)[0], atol=1e-5)
        left = state["c_proj.bias"] if "attn_pdrop" in changes else torch.zeros(WIDTH)
        for need_weights in [True, False]:
            assert_close(layer.train()(x, need_weights=need_weights)[0], left.expand(2, 4, WIDTH), atol=1e-5)
        assert_close(layer(x)[1], torch_attention(state, x)[1], atol=1e-5)
        layer.eval()


@points(
    0.25,
    question="CausalSelfAttention",
    hint="n_embd가 n_head로 나누어지지 않으면 ValueError를 내야 합니다.",
    read="gpt#gpt-attention",
)
def test_heads_must_divide(student):
    student.CausalSelfAttention(small(student, n_head=4))
    with pytest.raises(ValueError):
        student.CausalSelfAttention(small(student, n_head=3))


### END HIDDEN TESTS


# Block --------------------------------------------------------------------------------------------------------


def feed_forward(state, x, epsilon, prefix=""):
    """x + mlp(ln_2(x)), step by step."""
    normed = F.layer_norm(
        x, x.shape[-1:], state[prefix + "ln_2.weight"], state[prefix + "ln_2.bias"], epsilon
    )
    hidden = normed @ state[prefix + "mlp.c_fc.weight"].T + state[prefix + "mlp.c_fc.bias"]
    cubic = math.sqrt(2 / math.pi) * (hidden + 0.044715 * hidden**3)
    hidden = hidden / 2 * (1 + cubic.tanh())
    return x + hidden @ state[prefix + "mlp.c_proj.weight"].T + state[prefix + "mlp.c_proj.bias"]


def example_block(student, seed, epsilon=0.1, attends=True, **changes):
    """A block, its weights and an input; one that does not attend has a projection of zero."""
    block = student.Block(small(student, layer_norm_epsilon=epsilon, **changes))
    state = fixed_state(block_shapes())
    if not attends:
        for name in state:
            state[name] = state[name] * (not name.startswith("attn.c_proj"))
    return with_state(student, block, state), state, 2 * scattered((3, 5, WIDTH), seed).float()


@points(
    0.5,
    question="Block",
    hint="어텐션이 0을 낼 때 블록은 x + mlp(ln_2(x))입니다. 지름길, 정규화의 자리와 엡실론, tanh 근사 GELU를 보십시오.",
    read="gpt#gpt-block",
)
def test_block_without_attention(student):
    block, state, x = example_block(student, 3, attends=False)
    assert_close(block(x), feed_forward(state, x, 0.1), atol=1e-5)


@observes("Block")
def observe_block(student):
    seen = []
    for attends in [True, False]:
        block, state, x = example_block(student, 4, attends=attends, resid_pdrop=1.0)
        state["mlp.c_fc.bias"] = torch.full_like(state["mlp.c_fc.bias"], -3.0)  # where the two GELUs differ
        state["mlp.c_proj.weight"] = state["mlp.c_proj.weight"] * 100
        load(student, block, state)
        pieces = outcome(lambda block=block, x=x: place(student, in_pieces)(block, x, [3, 2]))
        seen += [block(x), pieces, block.train()(x)]
    return seen


### BEGIN HIDDEN TESTS
@points(
    0.5,
    question="Block",
    hint="x = x + attn(ln_1(x)) 다음에 x = x + mlp(ln_2(x))입니다. 두 부분층은 차례로 이어지고 정규화를 따로 씁니다.",
    read="gpt#gpt-block",
)
def test_whole_block(student, device, rng):
    for epsilon in [1e-5, 0.3]:
        block = student.Block(small(student, layer_norm_epsilon=epsilon))
        state = random_state(block_shapes(), rng, torch.float64)
        x = torch.randn(3, 6, WIDTH, generator=rng, dtype=torch.float64)
        normed = F.layer_norm(x, (WIDTH,), state["ln_1.weight"], state["ln_1.bias"], epsilon)
        attention = {name.removeprefix("attn."): t for name, t in state.items() if name.startswith("attn.c_")}
        expected = feed_forward(state, x + torch_attention(attention, normed)[0], epsilon)
        found = with_state(student, block, state).to(str(device))(x.to(device))
        assert_close(found, expected, rtol=1e-10, atol=1e-10)


@points(
    0.25,
    question="Block",
    hint="블록은 받은 캐시를 어텐션에 넘겨야 합니다. 나누어 넣어도 한꺼번에 넣은 것과 같아야 합니다.",
    read="gpt#gpt-cache",
)
def test_block_in_pieces(student, reference, rng):
    block = student.Block(small(student))
    state = random_state(block_shapes(), rng, torch.float64)
    right = with_state(reference, reference.Block(small(reference)), state)
    x = torch.randn(2, 6, WIDTH, generator=rng, dtype=torch.float64)
    found = place(student, in_pieces)(with_state(student, block, state), x, [3, 1, 2])
    assert_close(found, right(x), rtol=1e-10, atol=1e-10)


@points(
    0.25,
    question="Block",
    hint="드롭아웃은 두 부분층의 출력에 걸리고 지름길에는 걸리지 않습니다. 평가할 때는 꺼집니다.",
    read="gpt#gpt-block",
)
def test_block_dropout_leaves_the_shortcut(student, rng):
    block = student.Block(small(student, resid_pdrop=1.0))
    state = random_state(block_shapes(), rng)
    x = torch.randn(2, 4, WIDTH, generator=rng)
    block = with_state(student, block, state)
    assert not torch.allclose(block(x), x), "평가할 때도 드롭아웃이 켜져 있습니다."
    assert_close(block.train()(x), x)


### END HIDDEN TESTS


# GPT ----------------------------------------------------------------------------------------------------------

IDS = [[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]]


def silent(state):
    """The same weights, with blocks that add nothing."""
    return {
        name: tensor * 0 if ".h." in name and ".c_proj." in name else tensor for name, tensor in state.items()
    }


def with_tied_state(student, model, state):
    """The student's model with these weights; a head of its own, which costs points elsewhere, gets the same."""
    load(student, model, {"lm_head.weight": state["transformer.wte.weight"]})
    return with_state(student, model, state)


@points(
    0.5,
    question="GPT",
    hint="블록이 아무것도 더하지 않으면 로짓은 ln_f(wte[ids] + wpe[0..n-1])와 wte의 행들의 내적입니다.",
    read="gpt#gpt-model",
)
def test_model_around_silent_blocks(student):
    model = student.GPT(small(student, layer_norm_epsilon=0.1))
    state = silent(fixed_state(model_shapes()))
    ids = torch.tensor(IDS)
    wte, wpe = state["transformer.wte.weight"], state["transformer.wpe.weight"]
    weight, bias = state["transformer.ln_f.weight"], state["transformer.ln_f.bias"]
    hidden = F.layer_norm(wte[ids] + wpe[:5], (WIDTH,), weight, bias, 0.1)
    assert_close(with_tied_state(student, model, state)(ids), hidden @ wte.T, atol=1e-5)


@points(
    0.25,
    question="GPT",
    hint="처음의 손실은 ln V에 가까워야 합니다. 다 만든 다음 initialize(self, config.n_layer)를 불렀는지 보십시오.",
    read="gpt#gpt-start",
)
def test_starts_by_knowing_nothing(student):
    generator = torch.Generator().manual_seed(6)
    model = student.GPT(small(student, vocab_size=400, n_positions=32, n_embd=64)).eval()
    ids = torch.randint(0, 400, (8, 32), generator=generator)
    logits = model(ids)
    loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()).item()
    assert abs(loss - math.log(400)) < 0.3, f"ln 400 = 5.99에 가까워야 하는데 {loss:.2f}입니다."
    assert logits.std() > 1e-3, "로짓이 모두 같습니다."
    names = [f"transformer.h.0.mlp.{name}" for name in ("c_proj.weight", "c_fc.weight", "c_fc.bias")]
    deep = parameters(student, student.GPT(small(student, n_embd=64, n_layer=8, n_head=2)), *names)
    to_stream, inside, bias = (deep[name] for name in names)
    for weight, expected in [(to_stream, 0.02 / 4), (inside, 0.02)]:
        deviation = weight.std().item()  # its own spread is below 1 %
        assert abs(deviation / expected - 1) < 0.1, (
            f"처음의 표준편차가 {expected}이어야 하는데 {deviation:.4f}입니다."
        )
    assert not bias.any(), "편향이 0에서 시작하지 않습니다."


@observes("GPT")
def observe_gpt(student):
    model = student.GPT(small(student, layer_norm_epsilon=0.1))
    tables = parameters(student, model, "transformer.wte.weight", "transformer.wpe.weight")
    large = [tables[name].abs().max().item() > 0.5 for name in sorted(tables)]
    to_stream = "transformer.h.0.mlp.c_proj.weight"
    deep = parameters(student, student.GPT(small(student, n_embd=64, n_layer=8, n_head=2)), to_stream)
    large.append(deep[to_stream].std().item() > 0.01)
    ids = torch.tensor(IDS)
    model = with_tied_state(student, model, fixed_state(model_shapes()))
    pieces = outcome(lambda: place(student, logits_in_pieces)(model, ids, [3, 2], LAYERS))
    shape_at = lambda n: list(model(torch.ones(1, n, dtype=torch.int64)).shape)  # noqa: E731
    lengths = [outcome(shape_at, n) for n in (9, 10)]  # as long as may be, and longer
    count = place(student, count_on_meta)(student.GPT, small(student))
    dropped = with_tied_state(
        student, student.GPT(small(student, embd_pdrop=1.0)), fixed_state(model_shapes())
    )
    return [model(ids), pieces, lengths, count, large, dropped.train()(ids)[..., :3]]


### BEGIN HIDDEN TESTS
@cache
def tiny_gpt2(**sizes):
    """Made once: it takes longer than to ask it."""
    import transformers

    options = dict(embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0, bos_token_id=0, eos_token_id=0)
    config = transformers.GPT2Config(**sizes, **options)
    return transformers.GPT2LMHeadModel(config).double().eval()


def hugging_face(rng, **sizes):
    """A tiny random GPT-2 in float64, and its weights under nn.Linear's shapes."""
    oracle = tiny_gpt2(**sizes)
    oracle.zero_grad()
    shapes = {name: value.shape for name, value in oracle.named_parameters()}
    oracle.load_state_dict(random_state(shapes, rng, torch.float64), strict=False)
    turned = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
    state = {
        name: t.detach().T.contiguous() if name.endswith(turned) else t.detach()
        for name, t in oracle.named_parameters()
    }
    return oracle, state


@points(
    0.75,
    question="GPT",
    hint="같은 가중치의 Hugging Face GPT-2와 로짓이나 기울기가 다릅니다. 위치, 블록, ln_f, lm_head를 차례로 견주어 보십시오.",
    read="gpt#gpt-model",
)
def test_equals_hugging_face(student, device, rng):
    sizes = [
        dict(vocab_size=19, n_positions=8, n_embd=12, n_layer=3, n_head=4),
        dict(vocab_size=7, n_positions=5, n_embd=6, n_layer=1, n_head=1, layer_norm_epsilon=0.2),
    ]
    for size in sizes:
        oracle, state = hugging_face(rng, **size)
        model = with_tied_state(student, student.GPT(small(student, **size)), state).to(str(device))
        for n in [1, size["n_positions"]]:
            ids = torch.randint(0, size["vocab_size"], (3, n), generator=rng)
            expected = oracle(ids).logits
            assert_close(model(ids.to(device)), expected.detach(), rtol=1e-10, atol=1e-10)
        assert follows_device(student, model, ids.to(device)), "위치나 마스크가 입력과 다른 장치에 있습니다."
        cotangent = torch.randn(expected.shape, generator=rng, dtype=torch.float64)
        (expected * cotangent).sum().backward()
        found = gradients(model, ids.to(device), cotangent=cotangent.to(device))["parameters"]
        tied = found.get("transformer.wte.weight", found.get("lm_head.weight"))
        first = "transformer.h.0.attn.c_attn.bias"
        assert tied is not None and found.get(first) is not None, "기울기가 흐르지 않는 파라미터가 있습니다."
        assert_close(tied, oracle.transformer.wte.weight.grad, rtol=1e-9, atol=1e-9)
        assert_close(found[first], oracle.transformer.h[0].attn.c_attn.bias.grad, rtol=1e-9, atol=1e-9)


@points(
    0.25,
    question="GPT",
    hint="공개된 GPT-2의 파라미터 수와 다릅니다. lm_head와 wte는 한 파라미터이고, 층마다 블록이 따로 있어야 합니다.",
    read="gpt#gpt-sizes",
)
def test_published_sizes(student):
    # GPT-2, and the widths of GPT-2 XL with few of its 48 layers, 30,740,800 parameters each.
    counts = [(768, 12, 12, 124_439_808), (1600, 2, 25, 1_557_611_200 - 46 * 30_740_800)]
    for n_embd, n_layer, n_head, expected in counts:
        config = student.GPTConfig(n_embd=n_embd, n_layer=n_layer, n_head=n_head)
        found = place(student, count_on_meta)(student.GPT, config)
        assert found == expected, f"차원 {n_embd}, 층 {n_layer}개: {expected:,} 대신 {found:,}개입니다."


@points(
    0.25,
    question="GPT",
    hint="캐시와 함께 나누어 넣어도 로짓이 같아야 합니다. 새 토큰의 위치는 이미 본 토큰의 수부터 셉니다.",
    read="gpt#gpt-cache",
)
def test_logits_in_pieces(student, rng):
    for n_layer, splits in [(3, [[5, 1, 1, 1], [2, 6]]), (1, [[1] * 8])]:
        size = dict(vocab_size=13, n_positions=8, n_embd=8, n_layer=n_layer, n_head=2)
        oracle, state = hugging_face(rng, **size)
        model = with_tied_state(student, student.GPT(small(student, **size)), state)
        ids = torch.randint(0, 13, (2, 8), generator=rng)
        with torch.no_grad():
            expected = oracle(ids).logits
        for sizes in splits:
            found = place(student, logits_in_pieces)(model, ids, sizes, n_layer)
            assert_close(found, expected, rtol=1e-10, atol=1e-10)


@points(
    0.25,
    question="GPT",
    hint="학습할 때 드롭아웃(embd_pdrop)은 토큰과 위치 임베딩을 더한 것에 걸리고, 평가할 때는 꺼집니다.",
    read="gpt#gpt-model",
)
def test_embeddings_are_dropped(student, rng):
    model = student.GPT(small(student, embd_pdrop=1.0))
    model = with_tied_state(student, model, random_state(model_shapes(), rng))
    ids = torch.randint(0, 17, (3, 5), generator=rng)
    logits = model(ids)
    assert not torch.allclose(logits, logits[:1, :1]), "평가할 때 로짓이 입력과 상관이 없습니다."
    logits = model.train()(ids)
    assert_close(logits, logits[:1, :1].expand(3, 5, -1), atol=1e-5)


@points(
    0.25,
    question="GPT",
    hint="n_positions보다 길면 ValueError를 내야 합니다. 캐시에 든 토큰도 셉니다. 꼭 맞는 길이는 됩니다.",
    read="gpt#gpt-model",
)
def test_too_long_is_refused(student, rng):
    model = student.GPT(small(student)).eval()
    ids = torch.randint(0, 17, (2, 10), generator=rng)
    assert tuple(model(ids[:, :9]).shape) == (2, 9, 17)
    with pytest.raises(ValueError):
        model(ids)
    with pytest.raises(ValueError):
        place(student, logits_in_pieces)(model, ids, [9, 1], LAYERS)


### END HIDDEN TESTS


# lm_loss ------------------------------------------------------------------------------------------------------


def by_hand(logits, ids):
    """The loss as a loop."""
    total, count = 0.0, 0
    for row, tokens in zip(logits.double().log_softmax(-1), ids.tolist(), strict=True):
        for t in range(len(tokens) - 1):
            total, count = total - row[t, tokens[t + 1]].item(), count + 1
    return total / count


@points(
    0.5,
    question="lm_loss",
    hint="자리 t의 로짓으로 자리 t + 1의 토큰을 맞힌 교차 엔트로피의 평균이어야 합니다.",
    read="gpt#gpt-loss",
)
def test_loss_shifts_by_one(student):
    probabilities = torch.tensor(
        [[[0.1, 0.5, 0.4], [0.25, 0.25, 0.5], [0.9, 0.05, 0.05]], [[0.8, 0.1, 0.1]] * 3]
    )
    ids = torch.tensor([[0, 1, 2], [1, 0, 0]])
    expected = -(math.log(0.5) + math.log(0.5) + 2 * math.log(0.8)) / 4
    assert_close(student.lm_loss(probabilities.log(), ids), torch.tensor(expected), atol=1e-5)


@observes("lm_loss")
def observe_lm_loss(student):
    generator = torch.Generator().manual_seed(8)
    logits = torch.randn(2, 5, 6, generator=generator) * 3
    ids = torch.randint(0, 6, (2, 5), generator=generator)
    return [
        student.lm_loss(logits, ids),
        outcome(lambda: student.lm_loss(logits[:, :1], ids[:, :1])) == "ValueError",
    ]


### BEGIN HIDDEN TESTS
@points(
    0.25,
    question="lm_loss",
    hint="모든 문장, 모든 자리의 평균입니다. 길이가 2여도, 어휘가 길이보다 작아도 같습니다.",
    read="gpt#gpt-loss",
)
def test_loss_on_random_inputs(student, device, rng):
    for batch, n, vocab in [(1, 2, 5), (3, 7, 4), (4, 5, 30)]:
        logits = torch.randn(batch, n, vocab, generator=rng) * 4
        ids = torch.randint(0, vocab, (batch, n), generator=rng)
        found = gradients(student.lm_loss, logits.to(device), ids.to(device))
        assert_close(found["output"], torch.tensor(by_hand(logits, ids)), rtol=1e-5, atol=1e-5)
        expected = torch.zeros_like(logits)
        expected[:, :-1] = logits[:, :-1].softmax(-1) - F.one_hot(ids[:, 1:], vocab)
        assert_close(found["inputs"][0], expected / (batch * (n - 1)), rtol=1e-4, atol=1e-6)


@points(
    0.25,
    question="lm_loss",
    hint="토큰이 하나뿐이면 NaN이 아니라 ValueError입니다.",
    read="gpt#gpt-loss",
)
def test_one_token_has_nothing_to_predict(student):
    logits, ids = torch.zeros(2, 2, 4), torch.tensor([[1, 2], [3, 0]])
    assert_close(student.lm_loss(logits, ids), torch.tensor(math.log(4)), atol=1e-5)
    with pytest.raises(ValueError):
        student.lm_loss(logits[:, :1], ids[:, :1])


### END HIDDEN TESTS


# generate -----------------------------------------------------------------------------------------------------


def continued(prompt, new, limit):
    """What the toy model's greedy continuation is, by counting."""
    rows = [list(row) for row in prompt]
    for row in rows:
        for _ in range(new):
            window = row[-limit:]
            row.append(sum(place * token for place, token in enumerate(window, 1)) % 11)
    return torch.tensor(rows)


@points(
    0.5,
    question="generate",
    hint="프롬프트와 이어 쓴 것을 함께 돌려줍니다. 다음 토큰은 마지막 자리의 로짓에서 나옵니다.",
    read="gpt#gpt-generate",
)
def test_prompt_and_continuation(student):
    prompt = [[1, 2, 3], [4, 0, 1]]
    found = student.generate(place(student, toy_model)(20, 2), torch.tensor(prompt), 5, temperature=0)
    assert_close(found, continued(prompt, 5, 20))


@points(
    0.25,
    question="generate",
    hint="모델에는 마지막 n_positions개까지만 넣고, 돌려주는 것은 자르지 않습니다.",
    read="gpt#gpt-crop",
)
def test_crops_what_the_model_sees(student):
    prompt = [[1, 2, 3, 4, 5, 6, 7]]
    model = place(student, toy_model)(5, 2)
    found = student.generate(model, torch.tensor(prompt), 4, temperature=0, use_cache=False)
    assert_close(found, continued(prompt, 4, 5))


@observes("generate")
def observe_generate(student):
    seen = []
    for limit, use_cache in [(20, False), (20, True), (6, False), (6, True)]:
        model = place(student, toy_model)(limit, 2)
        ids = torch.tensor([[1, 2, 3, 4], [5, 0, 0, 2]])
        found = outcome(
            lambda m=model, i=ids, u=use_cache: student.generate(m, i, 4, temperature=0, use_cache=u)
        )
        seen += [found, list(model.lengths), list(model.modes), model.training]
    for temperature in [0, 0.01, 1.0, 1000.0]:
        found = outcome(lambda t=temperature: share_of_one(student, t))
        seen.append(round(found, 1) if isinstance(found, float) else found)
    return [*seen, outcome(lambda: repeats(student))]


def draw(student, logits, rows, temperature, seed):
    model = place(student, steady_model)(torch.tensor(logits))
    generator = torch.Generator().manual_seed(seed)
    ids = torch.zeros(rows, 2, dtype=torch.int64)
    return student.generate(model, ids, 1, temperature=temperature, generator=generator)[:, -1]


def share_of_one(student, temperature):
    """How often the token 1 is drawn, four times as likely as the token 0 at temperature 1."""
    return draw(student, [0.0, math.log(4.0)], 4000, temperature, 0).float().mean().item()


def repeats(student):
    """Whether the same generator draws the same, and another one something else."""
    once, twice, other = (draw(student, [0.0] * 50, 40, 1.0, seed).tolist() for seed in (1, 1, 2))
    return [once == twice, once != other]


### BEGIN HIDDEN TESTS
@points(
    0.5,
    question="generate",
    hint="캐시를 쓰면 첫 호출 뒤로는 새 토큰 하나만 넣습니다. n_positions를 넘으면 캐시 없이 창 전체를 넣습니다.",
    read="gpt#gpt-cache",
)
def test_cache_changes_the_work_and_not_the_tokens(student, rng):
    for limit, n, new, lengths in [
        (20, 3, 5, [3, 1, 1, 1, 1]),
        (6, 4, 5, [4, 1, 1, 6, 6]),
        (5, 8, 2, [5, 5]),
        (4, 4, 2, [4, 4]),
    ]:
        prompt = torch.randint(0, 11, (2, n), generator=rng)
        model = place(student, toy_model)(limit, 3)
        found = student.generate(model, prompt, new, temperature=0)
        assert_close(found, continued(prompt.tolist(), new, limit))
        assert list(model.lengths) == lengths, f"{lengths}개씩 넣어야 하는데 {list(model.lengths)}개씩입니다."
        model = place(student, toy_model)(limit, 3)
        found = student.generate(model, prompt, new, temperature=0, use_cache=False)
        assert_close(found, continued(prompt.tolist(), new, limit))
        lengths = [min(n + i, limit) for i in range(new)]
        assert list(model.lengths) == lengths, (
            f"캐시 없이는 {lengths}개씩 넣어야 하는데 {list(model.lengths)}개씩입니다."
        )


@points(
    0.5,
    question="generate",
    hint="로짓을 온도로 나눈 다음 소프트맥스를 취한 확률로 뽑아야 합니다. 온도 0은 가장 큰 로짓입니다.",
    read="gpt#gpt-temperature",
)
def test_draws_with_the_right_probabilities(student, rng):
    rows = 4000
    for temperature in [0.5, 1.0, 2.5]:
        logits = torch.randn(6, generator=rng)
        seed = int(torch.randint(0, 10**6, (), generator=rng))
        drawn = draw(student, logits.tolist(), rows, temperature, seed)
        expected = (logits / temperature).softmax(0)
        found = torch.bincount(drawn, minlength=6) / rows
        margin = 5 * (expected * (1 - expected) / rows).sqrt() + 1 / rows
        wrong = ((found - expected).abs() > margin).nonzero().flatten().tolist()
        assert not wrong, f"온도 {temperature}: 토큰 {wrong}의 빈도가 확률과 다릅니다."
        assert (draw(student, logits.tolist(), 5, 0, seed) == logits.argmax()).all(), (
            "온도 0은 탐욕 디코딩입니다."
        )


@points(
    0.25,
    question="generate",
    hint="generator를 써야 같은 시드에서 같은 글이 나옵니다. 행마다 따로 뽑고, 받은 ids와 모델의 모드는 바꾸지 않습니다.",
    read="gpt#gpt-temperature",
)
def test_generator_decides(student):
    assert repeats(student) == [True, True], (
        "같은 생성기에서 같은 것이, 다른 생성기에서 다른 것이 나와야 합니다."
    )
    sloping = [i / 10 for i in range(50)]
    model, ids = place(student, steady_model)(torch.tensor(sloping)), torch.zeros(40, 2, dtype=torch.int64)
    usual = student.generate(model, ids, 1, generator=torch.Generator().manual_seed(4))[:, -1]
    assert torch.equal(usual, draw(student, sloping, 40, 1.0, 4)), "temperature의 기본값은 1입니다."
    drawn = draw(student, [0.0] * 50, 40, 1.0, 3)
    assert len(set(drawn.tolist())) > 5, "행마다 따로 뽑아야 합니다."
    ids = torch.tensor([[1, 2, 3]])
    assert mutated(student.generate, place(student, toy_model)(9, 1), ids, 2) == [], (
        "받은 ids가 바뀌었습니다."
    )
    for training in [True, False]:
        model = place(student, toy_model)(9, 1)
        model.train(training)
        student.generate(model, ids, 2)
        assert [*model.modes, model.training] == [training] * 3, (
            "모델의 모드를 바꾸었습니다. 드롭아웃을 끄고 부를지는 부르는 쪽이 정합니다."
        )


### END HIDDEN TESTS
