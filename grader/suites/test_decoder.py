"""What the exercise `decoder` is graded by."""

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
    reached,
    refuses,
    scattered,
)

FORBIDDEN = {
    "DecoderLayer": ("torch.nn.TransformerDecoderLayer",),
    "Decoder": ("torch.nn.TransformerDecoder",),
}

D, HEADS, FF = 8, 2, 12
CAUSAL = torch.ones(4, 4, dtype=torch.bool).tril()


def randomize(module, generator):
    module.load_state_dict(
        {
            name: torch.randn(tensor.shape, generator=generator, dtype=tensor.dtype) / 2
            for name, tensor in module.state_dict().items()
        }
    )
    return module.eval()


@cache  # an oracle is made once and gets other weights in each test: making one takes longer than asking it
def empty_layer(norm_first, dtype):
    return nn.TransformerDecoderLayer(D, HEADS, FF, 0.1, batch_first=True, norm_first=norm_first, dtype=dtype)


@cache
def empty_decoder(num_layers, norm_first, dtype):
    norm = nn.LayerNorm(D, dtype=dtype) if norm_first else None
    return nn.TransformerDecoder(empty_layer(norm_first, dtype), num_layers, norm)


def torch_layer(norm_first, generator, dtype=torch.float32):
    return randomize(empty_layer(norm_first, dtype), generator)


def torch_decoder(num_layers, norm_first, generator, dtype=torch.float32):
    return randomize(empty_decoder(num_layers, norm_first, dtype), generator)


def with_weights_of(oracle, student, module):
    """A student's module with the oracle's weights, in evaluation mode."""
    state = oracle.state_dict()
    module = module.double() if next(iter(state.values())).dtype == torch.float64 else module
    load(student, module, state)
    return module.eval()


def torch_mask(mask, batch, n_q, n_k):
    """This book's mask as nn.TransformerDecoder takes it."""
    return None if mask is None else ~mask.expand(batch, n_q, n_k).repeat_interleave(HEADS, dim=0)


def example(generator, dtype=torch.float32):
    """Four target positions and a memory of five."""
    return (torch.randn(2, n, D, generator=generator, dtype=dtype) for n in (4, 5))


def padding():
    """The last two positions of the second memory are padding; as keys, (batch, 1, n)."""
    return torch.tensor([[[True] * 5], [[True] * 3 + [False] * 2]])


# shift_right ------------------------------------------------------------------------------------------------


@points(
    1,
    question="shift_right",
    hint="맨 앞에 SOS를 넣고 맨 뒤의 토큰을 버립니다. 길이는 그대로입니다.",
    read="decoder#shift-right",
)
def test_shifts_by_one(student):
    ids = torch.tensor([[5, 6, 7], [8, 9, 2]])
    assert_close(student.shift_right(ids, 1), torch.tensor([[1, 5, 6], [1, 8, 9]]))


@observes("shift_right")
def observe_shift_right(student):
    ids = torch.tensor([[5, 6, 7], [8, 9, 2]])
    shift = student.shift_right
    return [
        outcome(shift, ids.clone(), 1),
        outcome(shift, ids[0].clone(), 1),
        outcome(shift, ids[:, :1].clone(), 1),
        outcome(lambda: str(shift(ids.int(), 1).dtype)),
        mutated(shift, ids, 1),
        follows_device(student, shift, ids, 1),
    ]


### BEGIN HIDDEN TESTS
@points(
    1,
    question="shift_right",
    hint="앞에 붙은 축은 몇 개든 배치입니다. 길이 1이면 SOS만 남습니다. 자료형과 장치는 그대로이고 받은 텐서는 바꾸지 않습니다.",
    read="decoder#shift-right",
)
def test_shifts_any_shape(student, device, rng):
    for shape in [(1,), (6,), (3, 1), (2, 3, 5)]:
        ids = torch.randint(3, 50, shape, generator=rng).to(device)
        found = student.shift_right(ids, 2)
        assert_close(found, torch.cat([torch.full((*shape[:-1], 1), 2), ids.cpu()[..., :-1]], -1))
        assert found.dtype == ids.dtype, f"자료형이 {found.dtype}로 바뀌었습니다."
        assert mutated(student.shift_right, ids, 2) == [], "입력이 바뀌었습니다."
    assert student.shift_right(ids.int(), 2).dtype == torch.int32, "자료형이 바뀌었습니다."
    assert follows_device(student, student.shift_right, ids, 2), "결과가 ids와 다른 장치에 있습니다."


### END HIDDEN TESTS


# DecoderLayer -----------------------------------------------------------------------------------------------


def quiet_state(**values):
    """Weights of a layer whose sublayers add nothing; `values` replaces some of them."""
    state = empty_layer(False, torch.float32).state_dict()
    state = {name: torch.zeros_like(tensor) for name, tensor in state.items()}
    state |= {f"norm{i}.weight": torch.ones(D) for i in (1, 2, 3)}
    return state | values


# With these, one sublayer adds what it sees and nine, but to the first two features.
LATER = torch.eye(D) * torch.tensor([[0.0]] * 2 + [[1.0]] * (D - 2))
SUBLAYERS = {
    name: {
        f"{name}.in_proj_weight": F.pad(torch.eye(D), (0, 0, 2 * D, 0)),
        f"{name}.in_proj_bias": F.pad(torch.full((D,), 9.0), (2 * D, 0)),
        f"{name}.out_proj.weight": LATER,
    }
    for name in ("self_attn", "multihead_attn")
} | {
    "linear": {
        "linear1.weight": F.pad(torch.eye(D), (0, 0, 0, FF - D)),
        "linear1.bias": torch.full((FF,), 9.0),
        "linear2.weight": F.pad(LATER, (0, FF - D)),
    }
}


BY_DEFAULT = [0.0, 1 / 0.9**2]  # post-norm, and two dropouts of 0.1


def added(student, module, sublayer, norm_first, prefix="", times=60):
    """By what one sublayer of a layer multiplies what it adds, in training: the values that occur, in 60 equal
    sentences of one token."""
    values = quiet_state(**SUBLAYERS[sublayer])
    load(student, module, {f"{prefix}{name}": value for name, value in values.items()})
    one = torch.tensor([3.0, -1.0, 0.5, 2.0, -2.0, 1.0, 0.75, -3.5])
    memory = torch.ones(times, 1, D)
    out = module.train()(one.expand(times, 1, D), memory)[:, 0]
    normed = F.layer_norm(one, (D,))
    if not norm_first:  # the norms are affine maps of a sentence, which the first two features give away
        one = one if sublayer == "self_attn" else normed
        out = (out - out[:, :1]) / (out[:, 1:2] - out[:, :1]) * (one[1] - one[0]) + one[0]
    seen = {"self_attn": normed if norm_first else one, "multihead_attn": memory[0], "linear": normed}[
        sublayer
    ]
    return sorted({round(float(x), 2) + 0.0 for x in ((out - one) / (seen + 9))[:, 2:].detach().flatten()})


@points(
    0.25,
    question="DecoderLayer",
    hint="문장끼리 섞입니다. nn.MultiheadAttention에 batch_first=True를 주었는지, 첫 축을 배치로 다루는지 보십시오.",
    read="encoder#torch-structure",
)
def test_sentences_do_not_mix(student):
    x, memory = scattered((3, 4, D), 1).float(), scattered((3, 4, D), 2).float()
    layer = student.DecoderLayer(D, HEADS, FF, 0.0).eval()
    assert_close(layer(x, memory)[1:2], layer(x[1:2], memory[1:2]), atol=1e-5)
    assert (layer(x, memory)[0] != layer(x, memory)[1]).any(), "모든 문장의 출력이 같습니다."


@points(
    0.25,
    question="DecoderLayer",
    hint="부분층이 아무것도 더하지 않으면 norm_first=True인 층은 x를 그대로 내보냅니다. 세 부분층의 잔차 연결을 확인하십시오.",
    read="decoder#decoder-norm-order",
)
def test_shortcut_is_open(student):
    layer = student.DecoderLayer(D, HEADS, FF, 0.1, True).eval()
    x, memory = scattered((2, 4, D), 3).float(), scattered((2, 5, D), 4).float()
    load(student, layer, quiet_state())
    assert_close(layer(x, memory), x, atol=1e-5)
    normed = F.layer_norm(x, (D,))
    for name, seen in [
        ("self_attn", normed.mean(1, keepdim=True)),
        ("multihead_attn", memory.mean(1, keepdim=True)),
        ("linear", normed),
    ]:
        load(student, layer, quiet_state(**SUBLAYERS[name]))
        assert_close(layer(x, memory), x + LATER.sum(-1) * (seen + 9), atol=1e-5)


@points(
    0.5,
    question="DecoderLayer",
    hint="norm_first=False에서 nn.TransformerDecoderLayer와 출력이 다릅니다. 셀프 어텐션, 크로스 어텐션, 피드포워드(사이에 ReLU)의 차례입니다.",
    read="decoder#decoder-layer",
)
def test_post_norm_layer_equals_torch(student):
    generator = torch.Generator().manual_seed(0)
    oracle = torch_layer(False, generator)
    x, memory = example(generator)
    layer = with_weights_of(oracle, student, student.DecoderLayer(D, HEADS, FF, 0.1, False))
    assert_close(layer(x, memory), oracle(x, memory), atol=1e-5)


@points(
    0.25,
    question="DecoderLayer",
    hint="norm_first=True에서 nn.TransformerDecoderLayer와 출력이 다릅니다. 정규화하는 것은 x뿐이고 memory는 그대로입니다.",
    read="decoder#decoder-norm-order",
)
def test_pre_norm_layer_equals_torch(student):
    generator = torch.Generator().manual_seed(1)
    oracle = torch_layer(True, generator)
    x, memory = example(generator)
    layer = with_weights_of(oracle, student, student.DecoderLayer(D, HEADS, FF, 0.1, True))
    assert_close(layer(x, memory), oracle(x, memory), atol=1e-5)


@observes("DecoderLayer")
def observe_decoder_layer(student):
    generator = torch.Generator().manual_seed(2)
    seen = []
    for norm_first in [False, True]:
        layer = student.DecoderLayer(D, HEADS, FF, 1.0, norm_first)
        layer = with_weights_of(torch_layer(norm_first, generator), student, layer)
        x, memory = example(generator)
        seen += [
            layer(x, memory)[:, :2],
            layer(x, memory, CAUSAL)[:, :2],
            layer(x, memory, None, padding())[:, :2],
        ]
        seen += [reached(layer, x, memory), layer.train()(x, memory)[:, :2]]
        halved = student.DecoderLayer(D, HEADS, FF, 0.5, norm_first)
        found = [outcome(added, student, halved, name, norm_first) for name in SUBLAYERS]
        seen.append([values if values in ([0, 2], [0, 4]) else "others" for values in found])
    return [*seen, refuses(student.DecoderLayer, 6, 4, 8)]


### BEGIN HIDDEN TESTS
@points(
    1,
    question="DecoderLayer",
    hint="self_mask는 셀프 어텐션에, memory_mask는 크로스 어텐션에 씁니다. True인 자리만 봅니다.",
    read="decoder#two-masks",
)
def test_each_mask_in_its_place(student, device, rng):
    for norm_first in [False, True]:
        oracle = torch_layer(norm_first, rng, torch.float64)
        layer = with_weights_of(oracle, student, student.DecoderLayer(D, HEADS, FF, 0.1, norm_first)).to(
            str(device)
        )
        x, memory = example(rng, torch.float64)
        random = torch.rand(2, 4, 5, generator=rng) < 0.5
        random[..., 0] = True
        one_by_one = [] if norm_first else [(CAUSAL, None), (None, padding())]
        for self_mask, memory_mask in [*one_by_one, (CAUSAL, random)]:
            masks = {"self_mask": self_mask, "memory_mask": memory_mask}
            masks = {name: mask.to(device) for name, mask in masks.items() if mask is not None}
            expected = oracle(
                x,
                memory,
                tgt_mask=torch_mask(self_mask, 2, 4, 4),
                memory_mask=torch_mask(memory_mask, 2, 4, 5),
            )
            assert_close(layer(x.to(device), memory.to(device), **masks), expected, atol=1e-6)


@points(
    0.25,
    question="DecoderLayer",
    hint="길이 1, 배치 1에서도 되어야 하고, 받은 텐서를 바꾸지 않아야 하고, 나누어지지 않는 헤드에는 ValueError를 내야 합니다.",
    read="decoder#decoder-layer",
)
def test_layer_at_the_edges(student, rng):
    oracle = torch_layer(False, rng)
    layer = with_weights_of(oracle, student, student.DecoderLayer(D, HEADS, FF))
    x, memory = torch.randn(1, 1, D, generator=rng), torch.randn(1, 1, D, generator=rng)
    assert_close(layer(x, memory), oracle(x, memory), atol=1e-5)
    assert mutated(layer, x, memory) == [], "입력이 바뀌었습니다."
    with pytest.raises(ValueError):
        student.DecoderLayer(6, 4, 8)


@points(
    1,
    question="DecoderLayer",
    hint="볼 것이 없는 질의에서도 NaN이 나오지 않아야 하고, memory로도 기울기가 흘러야 합니다. 그 길로 인코더가 배웁니다.",
    read="decoder#cross-attention",
)
def test_memory_learns(student, rng):
    oracle = torch_layer(False, rng)
    layer = with_weights_of(oracle, student, student.DecoderLayer(D, HEADS, FF))
    x, memory = example(rng)
    cotangent = torch.randn(2, 4, D, generator=rng)
    masks = {"tgt_mask": torch_mask(CAUSAL, 2, 4, 4)}
    found = gradients(layer, x, memory, CAUSAL, cotangent=cotangent)
    expected = gradients(oracle, x, memory, **masks, cotangent=cotangent)
    for i, name in enumerate(["x", "memory"]):
        assert found["inputs"][i] is not None, f"{name}에 기울기가 흐르지 않습니다."
        assert_close(found["inputs"][i], expected["inputs"][i], rtol=1e-3, atol=1e-4)
    for name, gradient in expected["parameters"].items():
        assert found["parameters"].get(name) is not None, f"{name}에 기울기가 흐르지 않습니다."
        assert_close(found["parameters"][name], gradient, rtol=1e-3, atol=1e-3)
    nothing = torch.zeros(2, 1, 5, dtype=torch.bool)
    assert layer(x, memory, CAUSAL, nothing).isfinite().all(), "볼 것이 없는 질의의 출력이 NaN입니다."


@points(
    0.25,
    question="DecoderLayer",
    hint="드롭아웃은 부분층의 출력에 걸립니다. 지름길에 걸지 않고, 평가할 때는 꺼집니다.",
    read="decoder#decoder-layer",
)
def test_dropout_leaves_the_shortcut(student, rng):
    for norm_first in [False, True]:
        oracle = torch_layer(norm_first, rng)
        layer = with_weights_of(oracle, student, student.DecoderLayer(D, HEADS, FF, 1.0, norm_first))
        x, memory = example(rng)
        expected, state = x, oracle.state_dict()
        for norm in ["norm1", "norm2", "norm3"] if not norm_first else []:
            expected = F.layer_norm(expected, (D,), state[f"{norm}.weight"], state[f"{norm}.bias"])
        assert_close(layer.train()(x, memory), expected, atol=1e-5)
        assert_close(layer.eval()(x, memory), oracle(x, memory), atol=1e-5)


@points(
    0.25,
    question="DecoderLayer",
    hint="드롭아웃의 자리가 다릅니다. 두 어텐션의 가중치, ReLU 다음, 세 부분층의 출력에 걸리고 부분층의 입력에는 걸리지 않습니다.",
    read="decoder#decoder-layer",
)
def test_dropout_is_inside_too(student):
    # What gets through two dropouts of one half is doubled twice.
    for norm_first in [False, True]:
        layer = student.DecoderLayer(D, HEADS, FF, 0.5, norm_first)
        for name in SUBLAYERS:
            found = added(student, layer, name, norm_first)
            assert len(found) == 2, f"{name}에서 나올 배수는 0과 4인데 {found[:5]}입니다."
            assert_close(torch.tensor(found), torch.tensor([0.0, 4.0]), atol=0.05)
    found = added(student, student.DecoderLayer(D, HEADS, FF), "linear", norm_first=False)
    assert_close(torch.tensor(found), torch.tensor(BY_DEFAULT), atol=0.05)


### END HIDDEN TESTS


# Decoder ----------------------------------------------------------------------------------------------------


@points(
    1,
    question="Decoder",
    hint="층을 차례로 지나고, 모든 층이 같은 memory를 보아야 합니다.",
    read="decoder#decoder-stack",
)
def test_stack_equals_torch(student):
    generator = torch.Generator().manual_seed(3)
    oracle = torch_decoder(2, False, generator)
    x, memory = example(generator)
    decoder = with_weights_of(oracle, student, student.Decoder(2, D, HEADS, FF, 0.1, False))
    for target, source in [(x, memory), (memory, memory.flip(1))]:  # as long as the source, too
        assert_close(decoder(target, source), oracle(target, source), atol=1e-4)


@observes("Decoder")
def observe_decoder(student):
    generator = torch.Generator().manual_seed(4)
    seen = []
    for norm_first in [False, True]:
        state = torch_decoder(3, norm_first, generator).state_dict()
        decoder, (x, memory) = student.Decoder(3, D, HEADS, FF, 0.1, norm_first), example(generator)
        present = load(student, decoder, state, optional=state)
        decoder = decoder.eval()
        seen += [sorted(set(state) - set(present)), len(parameters(student, decoder))]
        for masks in [(), (CAUSAL,), (None, padding())]:
            seen.append(outcome(lambda: decoder(x, memory, *masks)[:, :2]))  # noqa: B023
    dropped = student.Decoder(3, D, HEADS, FF, 1.0, True).train()  # all of it, so that nothing is random
    twice = lambda: (dropped(x, memory), dropped(x, memory))  # noqa: E731
    passed = outcome(lambda: dropped(x, memory)[:, :2] if torch.equal(*twice()) else "others")
    return [*seen, len(reached(decoder, x, memory)), passed]


### BEGIN HIDDEN TESTS
@points(
    0.25,
    question="Decoder",
    hint="norm_first=True이면 마지막 층 뒤에 norm이 하나 더 있습니다.",
    read="decoder#decoder-norm-order",
)
def test_pre_norm_stack_ends_in_a_norm(student, rng):
    oracle = torch_decoder(3, True, rng, torch.float64)
    x, memory = example(rng, torch.float64)
    decoder = with_weights_of(oracle, student, student.Decoder(3, D, HEADS, FF, 0.1, True))
    assert_close(decoder(x, memory), oracle(x, memory), atol=1e-6)


@points(
    1,
    question="Decoder",
    hint="두 마스크를 모든 층에 넘겨야 합니다. 한 층이라도 미래를 보면 출력이 미래를 압니다.",
    read="decoder#two-masks",
)
def test_no_layer_sees_the_future(student, rng):
    for norm_first, layers in [(False, 2), (True, 3)]:
        oracle = torch_decoder(layers, norm_first, rng, torch.float64)
        x, memory = example(rng, torch.float64)
        decoder = with_weights_of(oracle, student, student.Decoder(layers, D, HEADS, FF, 0.1, norm_first))
        expected = oracle(x, memory, torch_mask(CAUSAL, 2, 4, 4), torch_mask(padding(), 2, 4, 5))
        found = decoder(x, memory, CAUSAL, padding())
        assert_close(found, expected, atol=1e-6)
        changed = x.clone()
        changed[:, 2:] += 1
        assert_close(decoder(changed, memory, CAUSAL, padding())[:, :2], found[:, :2], atol=1e-6)


@points(
    0.25,
    question="Decoder",
    hint="층마다 자기 가중치를 배우고, dropout과 norm_first를 모든 층에 넘겨야 합니다.",
    read="decoder#decoder-stack",
)
def test_every_layer_learns(student, rng):
    for norm_first in [False, True]:
        oracle = torch_decoder(2, norm_first, rng)
        x, memory = example(rng)
        decoder = with_weights_of(oracle, student, student.Decoder(2, D, HEADS, FF, 1.0, norm_first))
        found, expected = len(parameters(student, decoder)), 2 * 18 + 2 * norm_first
        assert found == expected, f"파라미터 텐서가 {expected}개여야 하는데 {found}개입니다."
        missing = {"0", "1", *oracle.state_dict()} - set(reached(decoder, x, memory))
        assert not missing, f"기울기가 흐르지 않습니다: {sorted(missing)[:3]}"
    found = added(student, student.Decoder(1, D, HEADS, FF), "linear", norm_first=False, prefix="layers.0.")
    assert_close(torch.tensor(found), torch.tensor(BY_DEFAULT), atol=0.05)
    # With everything dropped, only the shortcut and the last norm are left.
    assert_close(decoder.train()(x, memory), oracle.norm(x), atol=1e-5)


### END HIDDEN TESTS


# generator_logits -------------------------------------------------------------------------------------------


def tied(student, weight):
    """An embedding with these rows, on the student's side."""
    embedding = student.torch.nn.Embedding(*weight.shape)
    embedding.load_state_dict({"weight": weight})
    return embedding


@points(
    0.5,
    question="generator_logits",
    hint="로짓은 은닉 상태와 임베딩 표의 각 행의 내적입니다. 소프트맥스는 하지 않습니다.",
    read="decoder#tied-logits",
)
def test_logits_are_products_with_rows(student):
    weight = torch.tensor([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]])
    found = student.generator_logits(torch.tensor([[3.0, 5.0]]), tied(student, weight))
    assert_close(found, torch.tensor([[3.0, 10.0, 2.0]]))


def with_table(answer, embedding):
    """A module that answers with its own table, so that `gradients` shows what the table learns."""

    class Head(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = embedding

        def forward(self, hidden):
            return answer(hidden, self.embedding)

    return Head()


@observes("generator_logits")
def observe_generator_logits(student):
    weight = torch.tensor([[1.0, 0.5], [0.2, 2.0], [-1.0, 1.0]])
    embedding = tied(student, weight)
    hidden = torch.tensor([[[3.0, 5.0], [0.1, -0.2]]])
    head = place(student, with_table)(student.generator_logits, embedding)
    return [
        outcome(student.generator_logits, hidden, embedding),
        reached(head, hidden, cotangent=scattered((1, 2, 3), 1).float()),
        outcome(lambda: student.generator_logits(hidden[0, 0], embedding).shape[-1]),
    ]


### BEGIN HIDDEN TESTS
@points(
    0.5,
    question="generator_logits",
    hint="앞에 붙은 축은 몇 개든 됩니다. 임베딩의 가중치를 그대로 써야 하고 편향이나 새 행렬을 두지 않습니다.",
    read="decoder#tied-logits",
)
def test_logits_of_any_shape(student, device, rng):
    for shape in [(4,), (2, 4), (2, 3, 4)]:
        weight = torch.randn(7, 4, generator=rng)
        hidden = torch.randn(shape, generator=rng)
        embedding = tied(student, weight).to(str(device))
        assert_close(
            student.generator_logits(hidden.to(device), embedding), F.linear(hidden, weight), atol=1e-5
        )


@points(
    0.5,
    question="generator_logits",
    hint="은닉 상태와 임베딩, 두 곳으로 기울기가 흘러야 합니다. 결과나 가중치를 떼어 내거나(detach) no_grad 안에서 계산하지 마십시오.",
    read="decoder#tied-logits",
)
def test_logits_pass_gradients(student, rng):
    weight, hidden = torch.randn(5, 3, generator=rng), torch.randn(2, 3, generator=rng)
    cotangent = torch.randn(2, 5, generator=rng)
    head = place(student, with_table)(student.generator_logits, tied(student, weight))
    found = gradients(head, hidden, cotangent=cotangent)
    assert found["inputs"][0] is not None, "기울기가 은닉 상태까지 흐르지 않습니다."
    assert_close(found["inputs"][0], cotangent @ weight, atol=1e-5)
    learns = found["parameters"].get("embedding.weight")
    assert learns is not None, "기울기가 임베딩까지 흐르지 않습니다."
    assert_close(learns, cotangent.T @ hidden, atol=1e-5)


### END HIDDEN TESTS
