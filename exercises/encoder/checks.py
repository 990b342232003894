"""What the exercise `encoder` is graded by."""

from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.suite import (
    assert_close,
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

FORBIDDEN = {
    "EncoderLayer": ("torch.nn.TransformerEncoderLayer", "aten::_transformer_encoder_layer_fwd"),
    "Encoder": ("torch.nn.TransformerEncoder",),
}

D, HEADS, FF = 8, 2, 12


@cache  # an oracle is made once and gets other weights in each test: making one takes longer than asking it
def empty_layer(norm_first, dtype):
    return nn.TransformerEncoderLayer(D, HEADS, FF, 0.1, batch_first=True, norm_first=norm_first, dtype=dtype)


@cache
def empty_encoder(num_layers, norm_first, dtype):
    norm = nn.LayerNorm(D, dtype=dtype) if norm_first else None
    return nn.TransformerEncoder(empty_layer(norm_first, dtype), num_layers, norm, enable_nested_tensor=False)


def torch_layer(norm_first, generator, dtype=torch.float32):
    """PyTorch's layer with random weights, in evaluation mode."""
    return randomize(empty_layer(norm_first, dtype), generator)


def torch_encoder(num_layers, norm_first, generator, dtype=torch.float32):
    return randomize(empty_encoder(num_layers, norm_first, dtype), generator)


def randomize(module, generator):
    state = {
        name: torch.randn(tensor.shape, generator=generator, dtype=tensor.dtype) / 2
        for name, tensor in module.state_dict().items()
    }
    module.load_state_dict(state)
    return module.eval()


def students_layer(student, oracle, norm_first, dropout=0.1):
    """A student's layer with the oracle's weights, in evaluation mode."""
    layer = student.EncoderLayer(D, HEADS, FF, dropout, norm_first)
    state = oracle.state_dict()
    layer = layer.double() if next(iter(state.values())).dtype == torch.float64 else layer
    load(student, layer, state)
    return layer.eval()


def torch_mask(mask, batch, n):
    """This book's mask as nn.TransformerEncoder takes it."""
    return None if mask is None else ~mask.expand(batch, n, n).repeat_interleave(HEADS, dim=0)


def example(generator, dtype=torch.float32):
    return torch.randn(2, 5, D, generator=generator, dtype=dtype)


def padding():
    """The last two tokens of the second sentence are padding; as keys, (batch, 1, n)."""
    return torch.tensor([[[True] * 5], [[True] * 3 + [False] * 2]])


# EncoderLayer -----------------------------------------------------------------------------------------------


def quiet_state(**values):
    """Weights of a layer whose sublayers add nothing; `values` replaces some of them."""
    state = empty_layer(False, torch.float32).state_dict()
    state = {name: torch.zeros_like(tensor) for name, tensor in state.items()}
    state |= {f"{norm}.weight": torch.ones(D) for norm in ("norm1", "norm2")}
    return state | values


# With these, attention or the feed-forward network adds what it sees and nine, but to the first two features.
LATER = torch.eye(D) * torch.tensor([[0.0]] * 2 + [[1.0]] * (D - 2))
ATTENDS = {
    "self_attn.in_proj_weight": F.pad(torch.eye(D), (0, 0, 2 * D, 0)),
    "self_attn.in_proj_bias": F.pad(torch.full((D,), 9.0), (2 * D, 0)),
    "self_attn.out_proj.weight": LATER,
}
FEEDS = {
    "linear1.weight": F.pad(torch.eye(D), (0, 0, 0, FF - D)),
    "linear1.bias": torch.full((FF,), 9.0),
    "linear2.weight": F.pad(LATER, (0, FF - D)),
}


BY_DEFAULT = [0.0, 1 / 0.9**2]  # post-norm, and two dropouts of 0.1


def added(student, module, values, norm_first, prefix="", times=60):
    """By what one sublayer of a layer multiplies what it adds, in training: the values that occur, in 60 equal
    sentences of one token."""
    load(student, module, {f"{prefix}{name}": value for name, value in quiet_state(**values).items()})
    one = torch.tensor([3.0, -1.0, 0.5, 2.0, -2.0, 1.0, 0.75, -3.5])
    out = module.train()(one.expand(times, 1, D))[:, 0]
    seen = F.layer_norm(one, (D,)) if norm_first or values is FEEDS else one
    if not norm_first:  # the norms are affine maps of a sentence, which the first two features give away
        one = seen
        out = (out - out[:, :1]) / (out[:, 1:2] - out[:, :1]) * (one[1] - one[0]) + one[0]
    return sorted({round(float(x), 2) + 0.0 for x in ((out - one) / (seen + 9))[:, 2:].detach().flatten()})


@points(
    0.25,
    question="EncoderLayer",
    hint="문장끼리 섞입니다. nn.MultiheadAttention에 batch_first=True를 주었는지, 첫 축을 배치로 다루는지 보십시오.",
    read="encoder#torch-structure",
)
def test_sentences_do_not_mix(student):
    x = scattered((3, 5, D), 1).float()
    layer = student.EncoderLayer(D, HEADS, FF, 0.0).eval()
    assert_close(layer(x)[1:2], layer(x[1:2]), atol=1e-5)
    assert (layer(x)[0] != layer(x)[1]).any(), "모든 문장의 출력이 같습니다."


@points(
    0.25,
    question="EncoderLayer",
    hint="부분층이 아무것도 더하지 않으면 norm_first=True인 층은 x를 그대로 내보냅니다. 잔차 연결을 확인하십시오.",
    read="encoder#encoder-norm-order",
)
def test_shortcut_is_open(student):
    layer = student.EncoderLayer(D, HEADS, FF, 0.1, True)
    load(student, layer, quiet_state())
    x = scattered((2, 5, D), 2).float()
    assert_close(layer.eval()(x), x, atol=1e-5)
    load(student, layer, quiet_state(**FEEDS))
    expected = x + LATER.sum(-1) * (F.layer_norm(x, (D,)) + 9)
    assert_close(layer.eval()(x), expected, atol=1e-5)


@points(
    0.25,
    question="EncoderLayer",
    hint="피드포워드는 linear2(ReLU(linear1(x)))입니다. ReLU 하나가 사이에 있습니다.",
    read="encoder#encoder-layer",
)
def test_feed_forward_by_itself(student):
    maps = {
        "linear1.weight": scattered((FF, D), 3).float(),
        "linear2.weight": scattered((D, FF), 4).float(),
        "linear2.bias": scattered((D,), 5).float(),
    }
    layer = student.EncoderLayer(D, HEADS, FF, 0.1, True)
    load(student, layer, quiet_state(**maps))
    x = scattered((2, 5, D), 6).float()
    hidden = F.linear(F.layer_norm(x, (D,)), maps["linear1.weight"]).clamp(min=0)
    expected = x + F.linear(hidden, maps["linear2.weight"], maps["linear2.bias"])
    assert_close(layer.eval()(x), expected, atol=1e-5)


@points(
    0.5,
    question="EncoderLayer",
    hint="norm_first=False에서 nn.TransformerEncoderLayer와 출력이 다릅니다. 더한 다음 정규화합니다: norm(x + 부분층(x)).",
    read="encoder#encoder-layer",
)
def test_post_norm_layer_equals_torch(student):
    generator = torch.Generator().manual_seed(0)
    oracle = torch_layer(False, generator)
    x = example(generator)
    assert_close(students_layer(student, oracle, False)(x), oracle(x), atol=1e-5)


@points(
    0.5,
    question="EncoderLayer",
    hint="norm_first=True에서 nn.TransformerEncoderLayer와 출력이 다릅니다. x + 부분층(norm(x))이고 지름길은 그대로입니다.",
    read="encoder#encoder-norm-order",
)
def test_pre_norm_layer_equals_torch(student):
    generator = torch.Generator().manual_seed(1)
    oracle = torch_layer(True, generator)
    x = example(generator)
    assert_close(students_layer(student, oracle, True)(x), oracle(x), atol=1e-5)


@observes("EncoderLayer")
def observe_encoder_layer(student):
    generator = torch.Generator().manual_seed(2)
    seen = []
    for norm_first in [False, True]:
        oracle = torch_layer(norm_first, generator)
        layer = students_layer(student, oracle, norm_first, dropout=1.0)
        x = example(generator)
        seen += [layer(x)[:, :2], outcome(lambda: layer(x, padding())[:, :2])]  # noqa: B023
        seen += [reached(layer, x), layer.train()(x)[:, :2]]
        halved = student.EncoderLayer(D, HEADS, FF, 0.5, norm_first)
        found = [outcome(added, student, halved, values, norm_first) for values in (ATTENDS, FEEDS)]
        seen.append([values if values in ([0, 2], [0, 4]) else "others" for values in found])
    return [seen, refuses(student.EncoderLayer, 6, 4, 8)]




# Encoder ----------------------------------------------------------------------------------------------------


def students_encoder(student, oracle, num_layers, norm_first, dropout=0.1):
    encoder = student.Encoder(num_layers, D, HEADS, FF, dropout, norm_first)
    state = oracle.state_dict()
    encoder = encoder.double() if next(iter(state.values())).dtype == torch.float64 else encoder
    load(student, encoder, state)
    return encoder.eval()


@points(
    1,
    question="Encoder",
    hint="층을 차례로 지나야 하고, 층마다 자기 가중치가 있어야 합니다. norm_first=False이면 끝의 norm은 없습니다.",
    read="encoder#encoder-stack",
)
def test_stack_equals_torch(student):
    generator = torch.Generator().manual_seed(3)
    oracle = torch_encoder(3, False, generator)
    x = example(generator)
    assert_close(students_encoder(student, oracle, 3, False)(x), oracle(x), atol=1e-4)


@observes("Encoder")
def observe_encoder(student):
    generator = torch.Generator().manual_seed(4)
    seen = []
    for norm_first in [False, True]:
        state = torch_encoder(3, norm_first, generator).state_dict()
        encoder, x = student.Encoder(3, D, HEADS, FF, 0.1, norm_first), example(generator)
        present = load(student, encoder, state, optional=state)
        encoder = encoder.eval()
        seen += [sorted(set(state) - set(present)), len(parameters(student, encoder))]
        seen += [encoder(x)[:, :2], outcome(lambda: encoder(x, padding())[:, :2])]  # noqa: B023
    dropped = student.Encoder(3, D, HEADS, FF, 1.0, True).train()  # all of it, so that nothing is random
    passed = outcome(lambda: dropped(x)[:, :2] if torch.equal(dropped(x), dropped(x)) else "others")
    return [*seen, len(reached(encoder, x)), passed]




# count_parameters_by_part -----------------------------------------------------------------------------------


@points(
    0.5,
    question="count_parameters_by_part",
    hint="어텐션은 행렬 넷과 편향 넷, 피드포워드는 행렬 둘과 편향 둘, 정규화는 벡터 넷입니다.",
    read="encoder#encoder-counting",
)
def test_counts_of_one_small_layer(student):
    expected = {"attention": 24, "feed_forward": 17, "norm": 8, "total": 49}
    found = student.count_parameters_by_part(2, 3, 1, 1)
    assert found == expected, f"{expected}이어야 하는데 {found}입니다."


@observes("count_parameters_by_part")
def observe_count_parameters_by_part(student):
    return [student.count_parameters_by_part(*sizes) for sizes in [(2, 3, 1, 1), (8, 12, 4, 3)]]
