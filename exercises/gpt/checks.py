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
