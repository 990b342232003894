"""What the exercise `encoder` is graded by."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.suite import assert_close, gradients, mutated, observes, points, refuses

FORBIDDEN = {
    "EncoderLayer": ("torch.nn.TransformerEncoderLayer", "aten::_transformer_encoder_layer_fwd"),
    "Encoder": ("torch.nn.TransformerEncoder",),
}

D, HEADS, FF = 8, 2, 12


def torch_layer(norm_first, generator, dtype=torch.float32):
    """PyTorch's layer with random weights, in evaluation mode."""
    layer = nn.TransformerEncoderLayer(
        D, HEADS, FF, 0.1, batch_first=True, norm_first=norm_first, dtype=dtype
    )
    randomize(layer, generator)
    return layer.eval()


def randomize(module, generator):
    state = {
        name: torch.randn(tensor.shape, generator=generator, dtype=tensor.dtype) / 2
        for name, tensor in module.state_dict().items()
    }
    module.load_state_dict(state)


def students_layer(student, oracle, norm_first, dropout=0.1):
    """A student's layer with the oracle's weights, in evaluation mode."""
    layer = student.EncoderLayer(D, HEADS, FF, dropout, norm_first)
    state = oracle.state_dict()
    layer = layer.double() if next(iter(state.values())).dtype == torch.float64 else layer
    layer.load_state_dict(state)
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


@points(
    1,
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
    1,
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
        seen += [layer(x)[:, :2], layer(x, padding())[:, :2], layer.train()(x)[:, :2]]
    return [seen, refuses(student.EncoderLayer, 6, 4, 8)]


### BEGIN HIDDEN TESTS
@points(
    1,
    question="EncoderLayer",
    hint="마스크가 True인 자리만 보아야 합니다. (n, n), (batch, 1, n), (batch, n, n) 모양을 모두 받습니다.",
    read="encoder#encoder-masks",
)
def test_layer_with_masks(student, device, rng):
    for norm_first in [False, True]:
        oracle = torch_layer(norm_first, rng, torch.float64)
        layer = students_layer(student, oracle, norm_first).to(str(device))
        x = example(rng, torch.float64)
        random = torch.rand(2, 5, 5, generator=rng) < 0.5
        random[..., 0] = True
        for mask in [None, torch.ones(5, 5, dtype=torch.bool).tril(), padding(), random]:
            expected = oracle(x, src_mask=torch_mask(mask, 2, 5))
            found = layer(x.to(device), None if mask is None else mask.to(device))
            assert_close(found, expected, rtol=1e-10, atol=1e-10)


@points(
    0.5,
    question="EncoderLayer",
    hint="길이 1, 배치 1에서도 되어야 하고, 볼 것이 없는 질의에서도 NaN이 나오지 않아야 합니다.",
    read="encoder#encoder-masks",
)
def test_layer_at_the_edges(student, rng):
    for norm_first in [False, True]:
        oracle = torch_layer(norm_first, rng)
        layer = students_layer(student, oracle, norm_first)
        x = torch.randn(1, 1, D, generator=rng)
        assert_close(layer(x), oracle(x), atol=1e-5)
        nothing = torch.ones(5, 5, dtype=torch.bool)
        nothing[2] = False
        x = example(rng)
        assert layer(x, nothing).isfinite().all(), "볼 것이 없는 질의의 출력이 NaN입니다."
        assert mutated(layer, x, nothing) == [], "입력이 바뀌었습니다."


@points(
    1,
    question="EncoderLayer",
    hint="드롭아웃은 부분층의 출력에 걸립니다. 지름길에 걸지 않고, 평가할 때는 꺼집니다.",
    read="encoder#encoder-dropout",
)
def test_dropout_leaves_the_shortcut(student, rng):
    for norm_first in [False, True]:
        oracle = torch_layer(norm_first, rng)
        layer = students_layer(student, oracle, norm_first, dropout=1.0)
        x = example(rng)
        assert_close(layer(x), oracle(x), atol=1e-5)
        state = oracle.state_dict()
        expected = x
        for norm in ["norm1", "norm2"] if not norm_first else []:
            expected = F.layer_norm(expected, (D,), state[f"{norm}.weight"], state[f"{norm}.bias"])
        assert_close(layer.train()(x), expected, atol=1e-5)


@points(
    0.5,
    question="EncoderLayer",
    hint="d_model이 num_heads로 나누어지지 않으면 ValueError를 내야 합니다.",
    read="encoder#encoder-layer",
)
def test_heads_must_divide(student):
    with pytest.raises(ValueError):
        student.EncoderLayer(6, 4, 8)


### END HIDDEN TESTS


# Encoder ----------------------------------------------------------------------------------------------------


def torch_encoder(num_layers, norm_first, generator, dtype=torch.float32):
    layer = nn.TransformerEncoderLayer(
        D, HEADS, FF, 0.1, batch_first=True, norm_first=norm_first, dtype=dtype
    )
    norm = nn.LayerNorm(D, dtype=dtype) if norm_first else None
    encoder = nn.TransformerEncoder(layer, num_layers, norm, enable_nested_tensor=False)
    randomize(encoder, generator)
    return encoder.eval()


def students_encoder(student, oracle, num_layers, norm_first):
    encoder = student.Encoder(num_layers, D, HEADS, FF, 0.1, norm_first)
    state = oracle.state_dict()
    names = encoder.state_dict().keys()
    assert set(names) == set(state), f"파라미터의 이름이 다릅니다: {sorted(set(names) ^ set(state))[:4]}"
    encoder = encoder.double() if next(iter(state.values())).dtype == torch.float64 else encoder
    encoder.load_state_dict(state)
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
        encoder = student.Encoder(3, D, HEADS, FF, 0.1, norm_first)
        names = sorted(encoder.state_dict())
        state = {
            name: torch.randn(t.shape, generator=generator) / 2 for name, t in encoder.state_dict().items()
        }
        encoder.load_state_dict(state)
        encoder, x = encoder.eval(), example(generator)
        seen += [names, encoder(x)[:, :2], encoder(x, padding())[:, :2]]
    return seen


### BEGIN HIDDEN TESTS
@points(
    1,
    question="Encoder",
    hint="norm_first=True이면 마지막 층 뒤에 norm이 하나 더 있습니다.",
    read="encoder#encoder-last-norm",
)
def test_pre_norm_stack_ends_in_a_norm(student, rng):
    oracle = torch_encoder(2, True, rng, torch.float64)
    x = example(rng, torch.float64)
    assert_close(students_encoder(student, oracle, 2, True)(x), oracle(x), rtol=1e-10, atol=1e-10)


@points(
    1,
    question="Encoder",
    hint="마스크는 모든 층에 넘겨야 합니다. 첫 층만 가리면 둘째 층에서 패딩이 보입니다.",
    read="encoder#encoder-masks",
)
def test_every_layer_is_masked(student, rng):
    for norm_first, num_layers in [(False, 2), (True, 3)]:
        oracle = torch_encoder(num_layers, norm_first, rng, torch.float64)
        encoder = students_encoder(student, oracle, num_layers, norm_first)
        x = example(rng, torch.float64)
        expected = oracle(x, mask=torch_mask(padding(), 2, 5))
        assert_close(encoder(x, padding()), expected, rtol=1e-10, atol=1e-10)


@points(
    0.5,
    question="Encoder",
    hint="모든 층이 학습되어야 합니다. nn.ModuleList에 담지 않은 층은 파라미터로 세어지지 않습니다.",
    read="encoder#encoder-stack",
)
def test_every_layer_learns(student, rng):
    encoder = student.Encoder(3, D, HEADS, FF, 0.0, False)
    cotangent = torch.randn(2, 5, D, generator=rng)
    found = gradients(encoder, example(rng), cotangent=cotangent)["parameters"]
    for i in range(3):
        gradient = found.get(f"layers.{i}.linear1.weight")
        assert gradient is not None and gradient.abs().sum() > 0, f"layers.{i}에 기울기가 흐르지 않습니다."


### END HIDDEN TESTS


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


### BEGIN HIDDEN TESTS
@points(
    1,
    question="count_parameters_by_part",
    hint="nn.TransformerEncoder의 파라미터를 실제로 센 수와 달라졌습니다. 층의 수를 곱했는지 보십시오.",
    read="encoder#encoder-counting",
)
def test_counts_of_torch(student, rng):
    for heads, num_layers in [(1, 2), (4, 6)]:
        d_ff = int(torch.randint(5, 40, (), generator=rng))
        layer = nn.TransformerEncoderLayer(D, heads, d_ff, device="meta")
        count = {
            "attention": sum(p.numel() for p in layer.self_attn.parameters()),
            "feed_forward": sum(p.numel() for m in (layer.linear1, layer.linear2) for p in m.parameters()),
            "norm": sum(p.numel() for m in (layer.norm1, layer.norm2) for p in m.parameters()),
        }
        count = {name: num_layers * number for name, number in count.items()}
        found = student.count_parameters_by_part(D, d_ff, heads, num_layers)
        assert found == {**count, "total": sum(count.values())}, f"{found}"


### END HIDDEN TESTS
