"""What the exercise `decoder` is graded by."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.suite import assert_close, gradients, mutated, observes, points

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


def torch_layer(norm_first, generator, dtype=torch.float32):
    layer = nn.TransformerDecoderLayer(
        D, HEADS, FF, 0.1, batch_first=True, norm_first=norm_first, dtype=dtype
    )
    return randomize(layer, generator)


def torch_decoder(num_layers, norm_first, generator, dtype=torch.float32):
    layer = nn.TransformerDecoderLayer(
        D, HEADS, FF, 0.1, batch_first=True, norm_first=norm_first, dtype=dtype
    )
    norm = nn.LayerNorm(D, dtype=dtype) if norm_first else None
    return randomize(nn.TransformerDecoder(layer, num_layers, norm), generator)


def with_weights_of(oracle, module):
    """A student's module with the oracle's weights, in evaluation mode."""
    state = oracle.state_dict()
    names = set(module.state_dict())
    assert names == set(state), f"파라미터의 이름이 다릅니다: {sorted(names ^ set(state))[:4]}"
    module = module.double() if next(iter(state.values())).dtype == torch.float64 else module
    module.load_state_dict(state)
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
    return [student.shift_right(ids, 1), mutated(student.shift_right, ids, 1)]




# DecoderLayer -----------------------------------------------------------------------------------------------


@points(
    1,
    question="DecoderLayer",
    hint="norm_first=False에서 nn.TransformerDecoderLayer와 출력이 다릅니다. 셀프 어텐션, 크로스 어텐션, 피드포워드의 차례입니다.",
    read="decoder#decoder-layer",
)
def test_post_norm_layer_equals_torch(student):
    generator = torch.Generator().manual_seed(0)
    oracle = torch_layer(False, generator)
    x, memory = example(generator)
    layer = with_weights_of(oracle, student.DecoderLayer(D, HEADS, FF, 0.1, False))
    assert_close(layer(x, memory), oracle(x, memory), atol=1e-5)


@points(
    0.5,
    question="DecoderLayer",
    hint="norm_first=True에서 nn.TransformerDecoderLayer와 출력이 다릅니다. 정규화하는 것은 x뿐이고 memory는 그대로입니다.",
    read="decoder#decoder-norm-order",
)
def test_pre_norm_layer_equals_torch(student):
    generator = torch.Generator().manual_seed(1)
    oracle = torch_layer(True, generator)
    x, memory = example(generator)
    layer = with_weights_of(oracle, student.DecoderLayer(D, HEADS, FF, 0.1, True))
    assert_close(layer(x, memory), oracle(x, memory), atol=1e-5)


@observes("DecoderLayer")
def observe_decoder_layer(student):
    generator = torch.Generator().manual_seed(2)
    seen = []
    for norm_first in [False, True]:
        layer = with_weights_of(
            torch_layer(norm_first, generator), student.DecoderLayer(D, HEADS, FF, 1.0, norm_first)
        )
        x, memory = example(generator)
        seen += [
            layer(x, memory)[:, :2],
            layer(x, memory, CAUSAL)[:, :2],
            layer(x, memory, None, padding())[:, :2],
        ]
        seen.append(layer.train()(x, memory)[:, :2])
    return seen




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
    decoder = with_weights_of(oracle, student.Decoder(2, D, HEADS, FF, 0.1, False))
    assert_close(decoder(x, memory), oracle(x, memory), atol=1e-4)


@observes("Decoder")
def observe_decoder(student):
    generator = torch.Generator().manual_seed(4)
    seen = []
    for norm_first in [False, True]:
        decoder = student.Decoder(3, D, HEADS, FF, 0.1, norm_first)
        state = {
            name: torch.randn(t.shape, generator=generator) / 2 for name, t in decoder.state_dict().items()
        }
        decoder.load_state_dict(state)
        decoder, (x, memory) = decoder.eval(), example(generator)
        seen += [sorted(state), decoder(x, memory)[:, :2]]
        seen += [decoder(x, memory, CAUSAL)[:, :2], decoder(x, memory, None, padding())[:, :2]]
    return seen




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


@observes("generator_logits")
def observe_generator_logits(student):
    weight = torch.tensor([[1.0, 0.5], [0.2, 2.0], [-1.0, 1.0]])
    embedding = tied(student, weight)
    hidden = torch.tensor([[[3.0, 5.0], [0.1, -0.2]]])
    found = gradients(student.generator_logits, hidden, embedding)["inputs"][0]
    learns = student.torch.nn.Embedding(3, 2)
    out = student.generator_logits(hidden, learns)
    return [student.generator_logits(hidden, embedding), found, out.shape == (1, 2, 3)]
