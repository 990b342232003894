"""What the exercise `gpt` is graded by."""

import math
from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.observed import attempt, same, up_to_the_first_wrong
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
    reached,
    scattered,
)
from grader.judging.values import secret

WIDTH, HEADS, LAYERS = 8, 4, 2


def small(student, **changes):
    """A small configuration, made on the student's side, without dropout."""
    sizes = dict(vocab_size=17, n_positions=9, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS)
    dropout = dict(embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0)
    return student.GPTConfig(**{**sizes, **dropout, **changes})


DROPOUT = dict(embd_pdrop=0.5, attn_pdrop=0.5, resid_pdrop=0.5)


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


def with_state(student, module, state, device="cpu"):
    """The student's module with these weights, in evaluation mode."""
    load(student, module, state, typed=True, device=device, evaluating=True)
    return module


@secret
def torch_attention(state, x, heads=HEADS):
    """Output and weights of PyTorch's own attention with the same weights and a causal mask."""
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


def cached(layer, x, alone):
    """The shapes of the keys that are remembered after one piece, in a cache or in two; None where there are none."""
    cache = [{} for _ in range(1 if alone else 2)]
    layer(x, cache=cache[0] if alone else cache)
    return [list(each["key"].shape) if "key" in each else None for each in cache]


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
            for layer in [{} for _ in range(n_layer)] if cache is None else cache:
                past = layer["key"][:, 0, :, 0] if layer else ids[:, :0]
                places = torch.arange(1, n + 1, device=ids.device) + past.shape[1]
                seen = torch.cat([past, ids * places], dim=1)  # a key knows its place
                layer["key"] = layer["value"] = seen[:, None, :, None]
            if seen.shape[1] > n_positions:
                raise ValueError("more tokens than positions")
            return 3.0 * torch.nn.functional.one_hot(seen.cumsum(dim=1) % 11, 11)[:, -n:].float()

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


@points(0.25, "CausalSelfAttention", read="gpt-attention", step="warm-up")
def test_attention_equals_torch(student):
    """같은 가중치의 nn.MultiheadAttention과 출력이 다릅니다. 나누는 차례, 배율, 마스크, c_proj를 차례로 보십시오."""
    layer, state, x = example_attention(student, 0)
    assert_close(layer(x)[0], torch_attention(state, x)[0], atol=1e-5)


@points(0.25, "CausalSelfAttention", read="gpt-attention")
def test_weights_see_only_the_past(student):
    """가중치는 (batch, heads, n, n)입니다. 행마다 합이 1이고, 대각선의 오른쪽은 0입니다."""
    layer, state, x = example_attention(student, 1)
    weights = layer(x)[1]
    assert_close(weights, torch_attention(state, x)[1], atol=1e-5)


@observes("CausalSelfAttention")
def observe_attention(student):
    width = 12  # three dimensions a head, so that the roots of width, heads and dimensions differ
    state = fixed_state(attention_shapes(width))
    x = 2 * scattered((3, 5, width), 2).float()
    right, right_weights = torch_attention(state, x)
    layers = {}

    def made(values=None, **options):
        key = str(options)
        if key not in layers:
            layers[key] = student.CausalSelfAttention(small(student, n_embd=width, **options))
        return with_state(student, layers[key], state | (values or {}))

    def output():
        """One row of what comes out; or that it is right with the three parts of c_attn in another order."""
        out = made()(x)[0]
        if same(out, right):
            return True
        parts = [state[f"c_attn.{name}"].chunk(3) for name in ("weight", "bias")]
        for order in [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]:
            weight, bias = (torch.cat([part[i] for i in order]) for part in parts)
            if same(made({"c_attn.weight": weight, "c_attn.bias": bias})(x)[0], right):
                return "another order"
        return [seen(made()(x)[1]), out[0, 3:, :4]]

    def seen(weights):
        """What the third position attends to, and along which axis the weights sum to one."""
        if not isinstance(weights, torch.Tensor) or weights.shape != right_weights.shape:
            return "another shape"
        row = (weights[0, 0, 2] != 0).tolist()
        sums = [same(weights.sum(axis), torch.ones_like(weights.sum(axis))) for axis in (-1, -2)]
        return [row[0], row[2], row[4], sums]

    def reported():
        weights = made()(x)[1]
        if not isinstance(weights, torch.Tensor):
            return "none"
        return same(weights, right_weights) or [list(weights.shape), weights.flatten()[-5:]]

    def fused():
        """What need_weights=False returns."""
        out = made()(x, need_weights=False)
        if not isinstance(out, tuple):
            return "no pair"
        return ["right" if same(out[0], right) else out[0][0, 3:, :4], out[1] is None]

    def pieces(sizes, need_weights=True):
        out = place(student, in_pieces)(made(), x, sizes, need_weights)
        return same(out, right) or out[0, 3:, :4]

    def left(training, need_weights, **options):
        """What is left of the output where one of the dropouts drops all."""
        out = made(**options).train(training)(x, need_weights=need_weights)[0]
        kinds = {"all": right, "the bias": state["c_proj.bias"].expand_as(x), "nothing": 0 * x}
        return next((kind for kind, value in kinds.items() if same(out, value)), "something else")

    def dropped(training, need_weights):
        options = [{"attn_pdrop": 1.0}, {"resid_pdrop": 1.0}]
        return [left(training, need_weights, **option) for option in options]

    def weights_stay():
        return same(made(attn_pdrop=1.0).train()(x)[1], right_weights)

    def refuses_heads():
        return outcome(lambda: student.CausalSelfAttention(small(student, n_head=3))) == "ValueError"

    return up_to_the_first_wrong(
        (output, True),
        (reported, True),
        (fused, ["right", True]),
        (lambda: place(student, cached)(made(), x, True), [[3, HEADS, 5, 3]]),
        (lambda: pieces([4, 1]), True),
        (lambda: pieces([2, 3]), True),
        (lambda: pieces([2, 1, 2]), True),
        (lambda: pieces([4, 1], False), True),
        (lambda: pieces([2, 3], False), True),
        (lambda: dropped(False, True) == ["all", "all"], True),
        (lambda: dropped(False, False), ["all", "all"]),
        (lambda: dropped(True, True), ["the bias", "nothing"]),
        (lambda: dropped(True, False), ["the bias", "nothing"]),
        (weights_stay, True),
        (refuses_heads, True),
        (lambda: follows_device(student, made(), x), True),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "CausalSelfAttention", read="gpt-cache")
def test_attention_in_pieces(student, rng):
    """나누어 넣어도 한꺼번에 넣은 것과 같아야 합니다. 캐시에 이어 붙이고, 마스크는 이미 본 키의 수만큼 오른쪽으로 밉니다. 평가할 때 드롭아웃은 꺼집니다."""
    layer = student.CausalSelfAttention(small(student, **DROPOUT))
    state = random_state(attention_shapes(), rng, torch.float64)
    layer = with_state(student, layer, state)
    x = torch.randn(2, 7, WIDTH, generator=rng, dtype=torch.float64)
    expected = torch_attention(state, x)[0]
    for sizes in [[7], [1] * 7, [1, 4, 2]]:
        for need_weights in [True, False]:
            found = place(student, in_pieces)(layer, x, sizes, need_weights)
            assert_close(found, expected, rtol=1e-10, atol=1e-10)
    shapes = place(student, cached)(layer, x, True)
    assert shapes == [[2, HEADS, 7, WIDTH // HEADS]], f"캐시에 든 키의 모양이 {shapes[0]}입니다."


@points(0.75, "CausalSelfAttention", read="gpt-attention")
def test_attention_of_any_size(student, device, rng):
    """어떤 길이에서도, 헤드가 하나일 때도, 토큰이 하나일 때도 같아야 합니다. 평가할 때 드롭아웃은 꺼집니다."""
    for heads, width, n in [(1, 6, 1), (4, 12, 6), (3, 9, 4)]:
        layer = student.CausalSelfAttention(small(student, n_embd=width, n_head=heads, **DROPOUT))
        state = random_state(attention_shapes(width), rng, torch.float64)
        x = torch.randn(3, n, width, generator=rng, dtype=torch.float64)
        layer = with_state(student, layer, state, device)
        output, weights = layer(x.to(device))
        expected, expected_weights = torch_attention(state, x, heads)
        assert_close(output, expected, rtol=1e-10, atol=1e-10)
        assert_close(weights, expected_weights, rtol=1e-10, atol=1e-10)
        assert_close(layer(x.to(device), need_weights=False)[0], expected, rtol=1e-10, atol=1e-10)


@points(0.5, "CausalSelfAttention", read="gpt-fused")
def test_fused_attention_is_the_same(student, rng):
    """need_weights=False이면 (출력, None)이고, 출력은 가중치를 돌려줄 때와 같아야 합니다."""
    layer = student.CausalSelfAttention(small(student, **DROPOUT))
    state = random_state(attention_shapes(), rng, torch.float64)
    layer = with_state(student, layer, state)
    x = torch.randn(2, 6, WIDTH, generator=rng, dtype=torch.float64)
    output, weights = layer(x, need_weights=False)
    assert weights is None, "need_weights=False인데 가중치를 돌려주었습니다."
    assert_close(output, torch_attention(state, x)[0], rtol=1e-10, atol=1e-10)


@points(0.25, "CausalSelfAttention", read="gpt-attention")
def test_attention_dropout(student, rng):
    """학습할 때 드롭아웃은 가중치와 c_proj의 출력 두 곳에 걸리고, 평가할 때는 꺼집니다. 돌려주는 가중치는 드롭아웃 전의 것입니다."""
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


@points(0.25, "CausalSelfAttention", read="gpt-attention", step="robust")
def test_heads_must_divide(student):
    """n_embd가 n_head로 나누어지지 않으면 ValueError를 내야 합니다. 마스크는 입력과 같은 장치에 만드십시오."""
    layer = student.CausalSelfAttention(small(student, n_head=4))
    with pytest.raises(ValueError):
        student.CausalSelfAttention(small(student, n_head=3))
    for need_weights in [True, False]:
        assert follows_device(student, layer, torch.ones(2, 3, WIDTH), need_weights=need_weights), (
            "마스크가 입력과 다른 장치에 있습니다."
        )


### END HIDDEN TESTS


# Block --------------------------------------------------------------------------------------------------------


@secret
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


@points(0.5, "Block", read="gpt-block", step="warm-up")
def test_block_without_attention(student):
    """어텐션이 0을 낼 때 블록은 x + mlp(ln_2(x))입니다. 지름길, 정규화의 자리와 엡실론, tanh 근사 GELU를 보십시오."""
    block, state, x = example_block(student, 3, attends=False)
    assert_close(block(x), feed_forward(state, x, 0.1), atol=1e-5)


@observes("Block")
def observe_block(student):
    """Mostly beside an attention that adds nothing but its bias, since it may be wrong itself."""
    x = 2 * scattered((3, 5, WIDTH), 4).float()
    quiet, other = scattered((WIDTH,), 5).float(), scattered((WIDTH,), 6).float()
    blocks = {}

    def made(attends=True, feeds=True, values=None, **options):
        """A block; a part that does not add what it finds adds `quiet`."""
        state = fixed_state(block_shapes())
        for part, speaks in [("attn", attends), ("mlp", feeds)]:
            if not speaks:
                weight = state[f"{part}.c_proj.weight"]
                state |= {f"{part}.c_proj.weight": 0 * weight, f"{part}.c_proj.bias": quiet}
        key = str(options)
        blocks[key] = blocks[key] if key in blocks else student.Block(small(student, **options))
        return with_state(student, blocks[key], state | (values or {}))

    def changes(parts, name):
        """Whether the block's output depends on a parameter, what the shortcut adds of it left out."""
        found, moved = made(*parts)(x), made(*parts, {name: other})(x)
        difference = other - quiet if name.endswith("c_proj.bias") else torch.zeros(WIDTH)
        return not same(moved - found, difference.expand_as(x))

    def shortcut():
        out = made(False, False)(x)
        kinds = {"both": (x, 2 * quiet), "not the first": (0, 2 * quiet), "not the second": (0, quiet)}
        found = next(
            (kind for kind, (base, right) in kinds.items() if same(out - base, right.expand_as(x))),
            out[0, 0, :4],
        )
        return [found, not same(made(False)(x), made(False)(x.flip(0)))]

    def chain():
        """Whether the second part sees what the first one adds, and the other way round."""
        return [changes((False, True), "attn.c_proj.bias"), changes((True, False), "mlp.c_proj.bias")]

    def norms():
        """Which norm each part goes through."""
        used = [
            [i for i in (1, 2) if changes(parts, f"ln_{i}.weight")]
            for parts in ((True, False), (False, True))
        ]
        return "none" if [] in used else "one for both" if used[0] == used[1] else used

    def activation():
        """What the inner layer makes of four numbers, a hundred times."""
        points, dense = [-3.0, -1.0, 0.5, 2.0], torch.zeros(4 * WIDTH)
        dense[:4] = torch.tensor(points)
        values = {"mlp.c_fc.weight": torch.zeros(4 * WIDTH, WIDTH), "mlp.c_fc.bias": dense}
        values["mlp.c_proj.weight"] = 100 * torch.eye(4 * WIDTH)[:WIDTH]
        state = fixed_state(block_shapes())
        out = made(False, True, values)(x) - x - quiet - state["mlp.c_proj.bias"]
        return out[0, 0, :4]

    def epsilon():
        either = ((True, False), (False, True))
        return not any(same(made(*parts, layer_norm_epsilon=3.0)(x), made(*parts)(x)) for parts in either)

    def cache():
        """Whether pieces come out as the whole; asked only of an attention that itself does so."""
        attention = student.CausalSelfAttention(small(student))
        attention = with_state(student, attention, fixed_state(attention_shapes()))
        push = place(student, in_pieces)
        if not all(
            same(attempt(push, attention, x, [3, 2], need), attention(x)[0]) for need in (True, False)
        ):
            return "the attention"
        found, block = push(made(), x, [3, 2]), made()
        if same(found, block(x)):
            return "taken"
        return "lost" if same(found[:, 3:], block(x[:, 3:])) else "otherwise"

    def left(training):
        """What is left of x and of the second part when all that may be is dropped."""
        no_bias = {"attn.c_proj.bias": torch.zeros(WIDTH)}
        out = made(False, True, no_bias, resid_pdrop=1.0).train(training)(x)
        rest = (out - x).flatten(0, 1)
        kinds = {"x": 0 * rest, "nothing": -x.flatten(0, 1), "a constant": rest[:1].expand_as(rest)}
        return next((kind for kind, right in kinds.items() if same(rest, right)), "more")

    return up_to_the_first_wrong(
        (shortcut, ["both", True]),
        (chain, [True, False]),
        (norms, [[1], [2]]),
        (activation, torch.tensor([-0.36374, -15.8808, 34.5714, 195.4598])),
        (epsilon, True),
        (lambda: made(False)(x)[0, 0, :4], torch.tensor([1.1769, -0.98113, -0.19528, 4.1777])),
        (cache, "taken"),
        (lambda: left(False), "more"),
        (lambda: left(True), "x"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "Block", read="gpt-block")
def test_whole_block(student, device, rng):
    """x = x + attn(ln_1(x)) 다음에 x = x + mlp(ln_2(x))입니다. 두 부분층은 차례로 이어지고 정규화를 따로 씁니다."""
    for epsilon in [1e-5, 0.3]:
        block = student.Block(small(student, layer_norm_epsilon=epsilon))
        state = random_state(block_shapes(), rng, torch.float64)
        x = torch.randn(3, 6, WIDTH, generator=rng, dtype=torch.float64)
        normed = F.layer_norm(x, (WIDTH,), state["ln_1.weight"], state["ln_1.bias"], epsilon)
        attention = {name.removeprefix("attn."): t for name, t in state.items() if name.startswith("attn.c_")}
        expected = feed_forward(state, x + torch_attention(attention, normed)[0], epsilon)
        found = with_state(student, block, state, device)(x.to(device))
        assert_close(found, expected, rtol=1e-10, atol=1e-10)


@points(0.25, "Block", read="gpt-cache")
def test_block_in_pieces(student, reference, rng):
    """블록은 받은 캐시를 어텐션에 넘겨야 합니다. 나누어 넣어도 한꺼번에 넣은 것과 같아야 합니다."""
    block = student.Block(small(student))
    state = random_state(block_shapes(), rng, torch.float64)
    right = with_state(reference, reference.Block(small(reference)), state)
    x = torch.randn(2, 6, WIDTH, generator=rng, dtype=torch.float64)
    found = place(student, in_pieces)(with_state(student, block, state), x, [3, 1, 2])
    assert_close(found, right(x), rtol=1e-10, atol=1e-10)


@points(0.25, "Block", read="gpt-block")
def test_block_dropout_leaves_the_shortcut(student, rng):
    """드롭아웃은 두 부분층의 출력에 걸리고 지름길에는 걸리지 않습니다. 평가할 때는 꺼집니다."""
    block = student.Block(small(student, resid_pdrop=1.0))
    state = random_state(block_shapes(), rng)
    x = torch.randn(2, 4, WIDTH, generator=rng)
    block = with_state(student, block, state)
    assert not torch.allclose(block(x), x), "평가할 때도 드롭아웃이 켜져 있습니다."
    assert_close(block.train()(x), x)
    block = student.Block(small(student, resid_pdrop=0.5))
    ones = {name: 1 - t / t if name.endswith("weight") else t / t for name, t in state.items()}
    added = with_state(student, block, ones).train()(torch.zeros(8, 4, WIDTH))  # each part adds 0 or 2
    assert set(added.unique().tolist()) <= {0.0, 2.0, 4.0}, "드롭아웃이 부분층마다 한 번이 아닙니다."


### END HIDDEN TESTS


# GPT ----------------------------------------------------------------------------------------------------------

IDS = [[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]]


def silent(state):
    """The same weights, with blocks that add nothing."""
    return {
        name: tensor * 0 if ".h." in name and ".c_proj." in name else tensor for name, tensor in state.items()
    }


def with_tied_state(student, model, state, device="cpu"):
    """The student's model with these weights; a head of its own, which costs points elsewhere, gets the same."""
    load(student, model, {"lm_head.weight": state["transformer.wte.weight"]})
    return with_state(student, model, state, device)


@secret
def around_silent_blocks(state, ids, epsilon):
    wte, wpe = state["transformer.wte.weight"], state["transformer.wpe.weight"]
    weight, bias = state["transformer.ln_f.weight"], state["transformer.ln_f.bias"]
    return F.layer_norm(wte[ids] + wpe[: ids.shape[1]], (WIDTH,), weight, bias, epsilon) @ wte.T


@points(0.25, "GPT", read="gpt-model", step="warm-up")
def test_model_around_silent_blocks(student):
    """블록이 아무것도 더하지 않으면 로짓은 ln_f(wte[ids] + wpe[0..n-1])와 wte의 행들의 내적입니다."""
    model = student.GPT(small(student, layer_norm_epsilon=0.1))
    state = silent(fixed_state(model_shapes()))
    ids = torch.tensor(IDS)
    expected = around_silent_blocks(state, ids, 0.1)
    assert_close(with_tied_state(student, model, state)(ids), expected, atol=1e-5)


@points(0.25, "GPT", read="gpt-start")
def test_starts_by_knowing_nothing(student):
    """처음의 손실은 ln V에 가까워야 합니다. 다 만든 다음 initialize(self, config.n_layer)를 불렀는지 보십시오."""
    generator = torch.Generator().manual_seed(6)
    model = student.GPT(small(student, vocab_size=400, n_positions=32, n_embd=64)).eval()
    ids = torch.randint(0, 400, (8, 32), generator=generator)
    logits = model(ids)
    loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()).item()
    assert abs(loss - math.log(400)) < 0.3, f"ln 400 = 5.99에 가까워야 하는데 {loss:.2f}입니다."
    assert logits.std() > 1e-3, "로짓이 모두 같습니다."
    names = [f"transformer.h.0.mlp.{name}" for name in ("c_proj.weight", "c_fc.weight", "c_fc.bias")]
    names.append("transformer.wte.weight")
    config = small(student, vocab_size=400, n_embd=32, n_layer=8, n_head=2)
    deep = parameters(student, student.GPT(config), *names)
    to_stream, inside, bias, table = (deep[name] for name in names)
    for weight, expected in [(to_stream, 0.02 / 4), (inside, 0.02), (table, 0.02)]:
        deviation = weight.std().item()  # its own spread is 1 %
        assert abs(deviation / expected - 1) < 0.1, (
            f"처음의 표준편차가 {expected}이어야 하는데 {deviation:.4f}입니다."
        )
    assert not bias.any(), "편향이 0에서 시작하지 않습니다."


@observes("GPT")
def observe_gpt(student):
    """Around blocks that add nothing, so that it hardly matters whether attention and block are right."""
    one_head = dict(n_positions=20, n_head=1)
    ids = torch.tensor(IDS)

    def made(changes=None, **options):
        state = silent(fixed_state(model_shapes(n_positions=options.get("n_positions", 9))))
        return with_tied_state(student, student.GPT(small(student, **options)), state | (changes or {}))

    def learned():
        """Whether the second block and a head of its own are among what is learned."""
        names = parameters(student, student.GPT(small(student)))
        heads = {"lm_head.weight", "transformer.wte.weight"}
        return ["transformer.h.1.ln_1.weight" in names, heads <= set(names)]

    def logits():
        found = made()(ids)
        if isinstance(found, tuple):
            return "several"
        totals = found.exp().sum(-1), found.sum(-1)
        return "probabilities" if any(same(t, torch.ones_like(t)) for t in totals) else found[0, 1:3, :4]

    def felt():
        """Which blocks the logits depend on."""
        usual = made()(ids)
        changes = [{f"transformer.h.{i}.mlp.c_proj.bias": torch.arange(8.0)} for i in range(LAYERS)]
        return [not same(made(change)(ids), usual) for change in changes]

    def starts():
        """The deviations at the start, each as the nearest power of two times 0.02."""
        names = ["wte.weight", "wpe.weight", "h.0.mlp.c_fc.weight", "h.0.mlp.c_proj.weight"]
        names = [f"transformer.{name}" for name in names]
        config = small(student, vocab_size=40, n_positions=40, n_embd=64, n_layer=8, n_head=2)
        found = parameters(student, student.GPT(config), *names)
        return [round(math.log2(found[name].std().item() / 0.02)) for name in names]

    def handed_on():
        """How long the blocks' caches are; whether a block alone fills one is asked of the block."""
        block = student.Block(small(student, **one_head))
        if attempt(place(student, cached), block, scattered((6, 3, WIDTH), 1).float(), True) != [
            [6, 1, 3, 8]
        ]:
            return "the block"
        return [shape and shape[2] for shape in place(student, cached)(made(**one_head), ids[:, :3], False)]

    def second_position():
        """Where the second piece of a text is said to begin: the place in the table that gives the same."""
        text = torch.arange(30).reshape(6, 5) % 17
        found = place(student, logits_in_pieces)(made(**one_head), text, [3, 2], LAYERS)[:, 3:]
        name = "transformer.wpe.weight"
        table = fixed_state({name: (20, WIDTH)})[name]
        shifted = (made({name: table.roll(-i, 0)}, **one_head)(text[:, 3:]) for i in range(19))
        return next((i for i, right in enumerate(shifted) if same(found, right)), "elsewhere")

    def refusal(*sizes):
        """Whether pieces of these sizes are refused, otherwise how many logits come back."""
        text = torch.ones(1, sum(sizes), dtype=torch.int64)
        found = outcome(lambda: place(student, logits_in_pieces)(made(), text, list(sizes), LAYERS).shape[1])
        return found if found == "ValueError" or isinstance(found, int) else "fails"

    def shown(training):
        """Whether tokens and positions can be told from the logits when every embedding is dropped."""
        model = made(embd_pdrop=1.0).train(training)
        found = model(torch.tensor([[3, 3], [4, 4]]))
        return [not same(found[0], found[1]), not same(found[:, 0], found[:, 1])]

    def follows():
        block, x = student.Block(small(student)), scattered((2, 5, WIDTH), 1).float()
        return follows_device(student, made(), ids) or not follows_device(student, block, x)

    def epsilon():
        large = made(layer_norm_epsilon=3.0)
        return not same(large(ids), made()(ids))

    return up_to_the_first_wrong(
        (learned, [True, False]),
        (
            logits,
            torch.tensor([[0.38029, 0.36185, -0.82109, 0.70616], [0.36742, -0.02651, -2.6472, 0.18486]]),
        ),
        (felt, [True, True]),
        (epsilon, True),
        (starts, [0, 0, 0, -2]),
        (lambda: refusal(9), 9),
        (lambda: refusal(10), "ValueError"),
        (handed_on, [3, 3]),
        (second_position, 3),
        (lambda: refusal(8, 2) == "ValueError", True),
        (lambda: shown(False), [True, True]),
        (lambda: shown(True), [False, False]),
        (follows, True),
    )


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


@points(0.5, "GPT", read="gpt-model")
def test_equals_hugging_face(student, device, rng):
    """같은 가중치의 Hugging Face GPT-2와 로짓이나 기울기가 다릅니다. 위치, 블록, ln_f, lm_head, 캐시를 차례로 비교해 보십시오."""
    sizes = [
        dict(vocab_size=19, n_positions=8, n_embd=12, n_layer=3, n_head=4),
        dict(vocab_size=7, n_positions=5, n_embd=6, n_layer=1, n_head=1, layer_norm_epsilon=0.2),
    ]
    for size in sizes:
        oracle, state = hugging_face(rng, **size)
        model = with_tied_state(student, student.GPT(small(student, **size)), state, device)
        for n in [1, size["n_positions"]]:
            ids = torch.randint(0, size["vocab_size"], (3, n), generator=rng)
            expected = oracle(ids).logits
            assert_close(model(ids.to(device)), expected.detach(), rtol=1e-10, atol=1e-10)
        found = place(student, logits_in_pieces)(model, ids.to(device), [1, n - 1], size["n_layer"])
        assert_close(found, expected.detach(), rtol=1e-10, atol=1e-10)
        cotangent = torch.randn(expected.shape, generator=rng, dtype=torch.float64)
        (expected * cotangent).sum().backward()
        found = gradients(model, ids.to(device), cotangent=cotangent.to(device))["parameters"]
        tied = found.get("transformer.wte.weight", found.get("lm_head.weight"))
        first = "transformer.h.0.attn.c_attn.bias"
        assert tied is not None and found.get(first) is not None, "기울기가 흐르지 않는 파라미터가 있습니다."
        assert_close(tied, oracle.transformer.wte.weight.grad, rtol=1e-9, atol=1e-9)
        assert_close(found[first], oracle.transformer.h[0].attn.c_attn.bias.grad, rtol=1e-9, atol=1e-9)


@points(0.25, "GPT", read="gpt-sizes")
def test_published_sizes(student):
    """공개된 GPT-2의 파라미터 수와 다릅니다. lm_head와 wte는 한 파라미터이고, 층마다 블록이 따로 있어야 합니다."""
    # GPT-2, and the widths of GPT-2 XL with few of its 48 layers, 30,740,800 parameters each.
    counts = [(768, 12, 12, 124_439_808), (1600, 2, 25, 1_557_611_200 - 46 * 30_740_800)]
    for n_embd, n_layer, n_head, expected in counts:
        config = student.GPTConfig(n_embd=n_embd, n_layer=n_layer, n_head=n_head)
        found = place(student, count_on_meta)(student.GPT, config)
        assert found == expected, f"차원 {n_embd}, 층 {n_layer}개: {expected:,} 대신 {found:,}개입니다."


@points(0.75, "GPT", read="gpt-cache")
def test_logits_in_pieces(student, rng):
    """캐시와 함께 나누어 넣어도 로짓이 같아야 합니다. 새 토큰의 위치는 이미 본 토큰의 수부터 셉니다."""
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


@points(0.25, "GPT", read="gpt-model")
def test_embeddings_are_dropped(student, rng):
    """학습할 때 드롭아웃(embd_pdrop)은 토큰과 위치 임베딩을 더한 것에 걸리고, 평가할 때는 꺼집니다."""
    model = student.GPT(small(student, embd_pdrop=1.0))
    model = with_tied_state(student, model, random_state(model_shapes(), rng))
    ids = torch.randint(0, 17, (3, 5), generator=rng)
    logits = model(ids)
    assert not torch.allclose(logits, logits[:1, :1]), "평가할 때 로짓이 입력과 상관이 없습니다."
    logits = model.train()(ids)
    assert_close(logits, logits[:1, :1].expand(3, 5, -1), atol=1e-5)


@points(0.25, "GPT", read="gpt-model", step="robust")
def test_too_long_is_refused(student, rng):
    """n_positions보다 길면 ValueError를 내야 합니다. 캐시에 든 토큰도 셉니다. 꼭 맞는 길이는 됩니다. 위치는 입력과 같은 장치에 만드십시오."""
    model = student.GPT(small(student)).eval()
    ids = torch.randint(0, 17, (2, 10), generator=rng)
    assert tuple(model(ids[:, :9]).shape) == (2, 9, 17)
    with pytest.raises(ValueError):
        model(ids)
    with pytest.raises(ValueError):
        place(student, logits_in_pieces)(model, ids, [9, 1], LAYERS)
    assert follows_device(student, model, ids[:, :9]), "위치나 마스크가 입력과 다른 장치에 있습니다."


### END HIDDEN TESTS


# lm_loss ------------------------------------------------------------------------------------------------------


def by_hand(logits, ids):
    """The loss as a loop."""
    total, count = 0.0, 0
    for row, tokens in zip(logits.double().log_softmax(-1), ids.tolist(), strict=True):
        for t in range(len(tokens) - 1):
            total, count = total - row[t, tokens[t + 1]].item(), count + 1
    return total / count


@points(0.25, "lm_loss", read="gpt-loss", step="warm-up")
def test_loss_shifts_by_one(student):
    """자리 t의 로짓으로 자리 t + 1의 토큰을 맞힌 교차 엔트로피의 평균이어야 합니다."""
    probabilities = torch.tensor(
        [[[0.1, 0.5, 0.4], [0.25, 0.25, 0.5], [0.9, 0.05, 0.05]], [[0.8, 0.1, 0.1]] * 3]
    )
    ids = torch.tensor([[0, 2, 2], [1, 0, 0]])
    expected = -(math.log(0.4) + math.log(0.5) + 2 * math.log(0.8)) / 4
    assert_close(student.lm_loss(probabilities.log(), ids), torch.tensor(expected), atol=1e-5)


@observes("lm_loss")
def observe_lm_loss(student):
    logits = 3 * scattered((3, 5, 6), 8).float()
    ids = torch.tensor([[2, 0, 5, 1, 4], [3, 3, 0, 2, 5], [1, 4, 2, 0, 1]])

    def loss(rows=3, n=5):
        return round(float(student.lm_loss(logits[:rows, :n], ids[:rows, :n])), 3)

    def mean():
        found, right = loss(), 3.3894
        return "a sum" if any(math.isclose(found, n * right, rel_tol=1e-3) for n in (3, 4, 12)) else found

    def refusal(**sizes):
        """Whether it is refused, otherwise the loss."""
        found = outcome(lambda: loss(**sizes))
        return found if found == "ValueError" or isinstance(found, float) else "fails"

    return up_to_the_first_wrong(
        (mean, 3.389),
        (lambda: refusal(rows=1), 3.583),
        (lambda: refusal(n=2), 2.142),
        (lambda: refusal(n=1) == "ValueError", True),
        (lambda: refusal(rows=1, n=1) == "ValueError", True),
        (lambda: attempt(reached, student.lm_loss, logits, ids, otherwise=[]), ["0"]),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "lm_loss", read="gpt-loss")
def test_loss_on_random_inputs(student, device, rng):
    """모든 문장, 모든 자리의 평균입니다. 길이가 2여도, 어휘가 길이보다 작아도 같습니다."""
    for batch, n, vocab in [(2, 2, 5), (3, 7, 4), (4, 5, 30)]:
        logits = torch.randn(batch, n, vocab, generator=rng) * 4
        ids = torch.randint(0, vocab, (batch, n), generator=rng)
        found = gradients(student.lm_loss, logits.to(device), ids.to(device))
        assert_close(found["output"], torch.tensor(by_hand(logits, ids)), rtol=1e-5, atol=1e-5)
        expected = torch.zeros_like(logits)
        expected[:, :-1] = logits[:, :-1].softmax(-1) - F.one_hot(ids[:, 1:], vocab)
        assert_close(found["inputs"][0], expected / (batch * (n - 1)), rtol=1e-4, atol=1e-6)


@points(0.25, "lm_loss", read="gpt-loss", step="robust")
def test_one_token_has_nothing_to_predict(student):
    """토큰이 하나뿐이면 NaN이 아니라 ValueError입니다. 문장은 하나뿐이어도 됩니다."""
    logits, ids = torch.zeros(2, 2, 4), torch.tensor([[1, 2], [3, 0]])
    for rows in (1, 2):
        assert_close(student.lm_loss(logits[:rows], ids[:rows]), torch.tensor(math.log(4)), atol=1e-5)
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


@points(0.25, "generate", read="gpt-generate", step="warm-up")
def test_prompt_and_continuation(student):
    """프롬프트와 이어 쓴 것을 함께 돌려줍니다. 다음 토큰은 마지막 자리의 로짓에서 나옵니다."""
    prompt = [[1, 2, 3], [4, 0, 1]]
    found = student.generate(place(student, toy_model)(20, 2), torch.tensor(prompt), 5, temperature=0)
    assert_close(found, continued(prompt, 5, 20))


@points(0.25, "generate", read="gpt-crop")
def test_crops_what_the_model_sees(student):
    """모델에는 마지막 n_positions개까지만 넣고, 돌려주는 것은 자르지 않습니다."""
    for prompt, use_cache in [([[1, 2, 3, 4, 5, 6, 7]], False), ([[1, 2, 3]], True)]:
        model = place(student, toy_model)(5, 2)
        found = student.generate(model, torch.tensor(prompt), 4, temperature=0, use_cache=use_cache)
        assert_close(found, continued(prompt, 4, 5))


@observes("generate")
def observe_generate(student):
    prompt = [[1, 2, 3, 4], [5, 0, 0, 2]]

    def tokens(limit, **options):
        """What is written greedily after the prompt; a name for what is written rightly and not all of it."""
        right = continued(prompt, 4, limit)
        found = student.generate(
            place(student, toy_model)(limit, 2), torch.tensor(prompt), 4, temperature=0, **options
        )
        n = found.shape[1]
        if limit < n < 8 or n == limit:
            kinds = {"cut": right[:, -n:], "stopped": right[:, :n]}
            return next((kind for kind, part in kinds.items() if torch.equal(found, part)), found)
        return found

    def lengths(limit, **options):
        """How much is given to the model at each call, whether or not it takes it."""
        model = place(student, toy_model)(limit, 2)
        outcome(lambda: student.generate(model, torch.tensor(prompt), 4, temperature=0, **options))
        return list(model.lengths)

    def share(temperature):
        return round(share_of_one(student, temperature), 1)

    def largest():
        found = attempt(share, 0)
        return found if found != "fails" or attempt(share, 1.0) != "fails" else "always fails"

    def keeps_the_mode(training):
        model = place(student, toy_model)(9, 1)
        model.train(training)
        student.generate(model, torch.tensor(prompt), 2)
        return {*model.modes, model.training} == {training}

    plain, roomy, narrow = {"use_cache": False}, continued(prompt, 4, 20), continued(prompt, 4, 6)
    return up_to_the_first_wrong(
        (largest, 1.0),
        (lambda: tokens(20, **plain), roomy),
        (lambda: tokens(6, **plain), narrow),
        (lambda: tokens(40), roomy),
        (lambda: lengths(20), [4, 1, 1, 1]),
        (lambda: lengths(6), [4, 1, 1, 6]),
        (lambda: tokens(6), narrow),
        (lambda: lengths(20, **plain), [4, 5, 6, 7]),
        (lambda: [share(temperature) for temperature in (0.01, 1.0, 1000.0)], [1.0, 0.8, 0.5]),
        (lambda: repeats(student), [True, True]),
        (lambda: len(set(draw(student, [0.0] * 50, 40, 1.0, 3).tolist())) > 5, True),
        (lambda: keeps_the_mode(True) and keeps_the_mode(False), True),
    )


def draw(student, logits, rows, temperature, seed):
    model = place(student, steady_model)(torch.tensor(logits))
    generator = torch.Generator().manual_seed(seed)
    ids = torch.zeros(rows, 2, dtype=torch.int64)
    return student.generate(model, ids, 1, temperature=temperature, generator=generator)[:, -1]


def share_of_one(student, temperature):
    """How often the token 1 is drawn, four times as likely as the token 0 at temperature 1."""
    return draw(student, [1.0, 1 + math.log(4.0)], 4000, temperature, 0).float().mean().item()


def repeats(student):
    """Whether the same generator draws the same, and another one something else."""
    once, twice, other = (draw(student, [0.0] * 50, 40, 1.0, seed).tolist() for seed in (1, 1, 2))
    return [once == twice, once != other]


### BEGIN HIDDEN TESTS
@points(0.5, "generate", read="gpt-cache")
def test_cache_changes_the_work_and_not_the_tokens(student, rng):
    """캐시를 쓰면 첫 호출 뒤로는 새 토큰 하나만 넣습니다. n_positions를 넘으면 캐시 없이 창 전체를 넣습니다."""
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


@points(0.75, "generate", read="gpt-temperature")
def test_draws_with_the_right_probabilities(student, rng):
    """로짓을 온도로 나눈 다음 소프트맥스를 취한 확률로 뽑아야 합니다. 온도 0은 가장 큰 로짓입니다."""
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


@points(0.25, "generate", read="gpt-temperature")
def test_generator_decides(student):
    """generator를 써야 같은 시드에서 같은 글이 나옵니다. 행마다, 받은 온도로 따로 뽑고, 받은 ids와 모델의 모드는 바꾸지 않습니다."""
    assert repeats(student) == [True, True], (
        "같은 생성기에서 같은 것이, 다른 생성기에서 다른 것이 나와야 합니다."
    )
    sloping = [i / 10 for i in range(50)]
    model, ids = place(student, steady_model)(torch.tensor(sloping)), torch.zeros(40, 2, dtype=torch.int64)
    usual = student.generate(model, ids, 1, generator=torch.Generator().manual_seed(4))[:, -1]
    assert torch.equal(usual, draw(student, sloping, 40, 1.0, 4)), "temperature의 기본값은 1입니다."
    assert share_of_one(student, 0.5) > 0.9 > share_of_one(student, 2.0), "온도가 낮을수록 확률이 몰립니다."
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
