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
