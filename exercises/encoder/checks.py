"""What the exercise `encoder` is graded by."""

from functools import cache
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.contract import bad_manners
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    gradients,
    load,
    mutated,
    observes,
    parameters,
    place,
    points,
    refuses,
    scattered,
)
from grader.judging.values import values_of

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
    load(student, layer, state, typed=True, evaluating=True)
    return layer


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
    out = module.train()(one.repeat(times, 1, 1))[:, 0]
    seen = F.layer_norm(one, (D,)) if norm_first or values is FEEDS else one
    if not norm_first:  # the norms are affine maps of a sentence, which the first two features give away
        one = seen
        out = (out - out[:, :1]) / (out[:, 1:2] - out[:, :1]) * (one[1] - one[0]) + one[0]
    return sorted({round(float(x), 2) + 0.0 for x in ((out - one) / (seen + 9))[:, 2:].detach().flatten()})


@points(0.25, "EncoderLayer", read="torch-structure", step="warm-up")
def test_sentences_do_not_mix(student):
    """문장끼리 섞입니다. nn.MultiheadAttention에 batch_first=True를 주었는지, 첫 축을 배치로 다루는지 보십시오."""
    x = scattered((3, 5, D), 1).float()
    layer = student.EncoderLayer(D, HEADS, FF, 0.0).eval()
    assert_close(layer(x.clone())[1:2], layer(x[1:2].clone()), atol=1e-5)
    assert (layer(x.clone())[0] != layer(x.clone())[1]).any(), "모든 문장의 출력이 같습니다."


fed_forward = values_of(
    [
        ([['float32', 2, 5, 8, 80, -22.667092, 38.195747], [['float32', 12, 12, 263.24104, 108.0], ['float32', 12, 8, 8, 42.09397, 8.0], ['float32', 8, 12, 6, 45.404714, 6.0]]], {'dtype': 'float32', 'shape': [2, 5, 8], 'values': [-0.59694308, 0.028573878, 9.3073626, 7.4965568, 7.1152434, 10.270196, 11.725997, 6.8694906, 0.34842387, 0.44761357, 8.4564743, 6.6538553, 10.194635, 9.5359259, 6.3769383, 10.201043, 0.10713258, 0.53911787, 9.6045723, 11.118802, 10.958396, 6.6532044, 7.2149491, 9.2623329, -0.28903154, 0.5954597, 10.656988, 9.608674, 6.4032359, 9.6712828, 7.2084503, 10.537151, 0.022598555, 0.53352928, 11.446155, 7.5088916, 8.6354408, 8.2796059, 6.815834, 10.618944, 0.62503386, 0.61926985, 7.6603241, 8.754528, 7.1588645, 10.468422, 7.3344259, 7.1076379, 0.0019152244, -0.28367621, 9.5154562, 10.343251, 6.162488, 9.1274862, 9.4572296, 6.8463926, 0.1441125, -0.37174025, 6.6449451, 7.6378136, 8.1401415, 10.23926, 8.9457703, 11.95429, 0.76262504, 0.87023842, 7.3082285, 9.7847137, 7.9441519, 7.5733848, 8.9375525, 8.1266155, -0.201387, 0.36513233, 11.820349, 7.4768381, 6.5365791, 8.2949371, 8.9090824, 10.019333]}),
        ([['float32', 2, 5, 8, 80, 30.202275, 39.533441], [['float32', 12, 8, 96, -14.35356, 47.243874], ['float32', 8, 8, -6.7333717, 4.0629666], ['float32', 8, 12, 96, -16.364512, 48.466028]]], {'dtype': 'float32', 'shape': [2, 5, 8], 'values': [-0.44627094, 0.2666133, 0.30669308, -0.45696533, -1.780454, 0.99631661, -2.7529593, -1.2591689, -1.0822601, 0.30698279, 2.1008496, -2.3167863, -0.35620147, -0.3306272, -1.2715514, 0.49851912, -1.5029354, 1.0372798, -0.35438889, -2.6575067, 0.95564628, -1.1252177, -4.6499386, -0.65130419, -0.98134112, -4.1142368, 0.46330774, 1.997287, -3.5282679, 0.47585756, -0.48356438, 2.9620974, -2.6016059, 0.32732582, 0.60848641, -2.8780067, -2.5456152, 1.6942294, 0.4977892, 3.2055147, 1.1791226, -2.8175473, 1.5541477, 1.8378687, -4.2530112, 1.5594071, -3.5845294, -0.83307254, -0.49953532, -2.9670067, 2.6217256, 0.75354069, -5.6726274, 3.092144, 3.5565143, 5.3003206, -3.0421515, -2.5921493, 1.2490869, 1.1377985, -3.5399332, 0.7281422, -0.98991078, 3.6136374, -1.1076398, -5.2693162, 1.1396009, 1.5944829, -5.0154057, 0.19698572, -2.2589734, 4.1753511, 0.054414988, 0.87752026, 2.3709064, -0.7082693, -2.4382181, 2.1362963, 1.9798982, -3.1567276]}),
    ]
)


@points(0.25, "EncoderLayer", read="encoder-norm-order")
def test_shortcut_is_open(student):
    """부분층이 아무것도 더하지 않으면 norm_first=True인 층은 x를 그대로 내보냅니다. 잔차 연결을 확인하십시오."""
    layer = student.EncoderLayer(D, HEADS, FF, 0.1, True)
    load(student, layer, quiet_state())
    x = scattered((2, 5, D), 2).float()
    assert_close(layer.eval()(x.clone()), x, atol=1e-5)
    load(student, layer, quiet_state(**FEEDS))
    expected = fed_forward(x, FEEDS)
    assert_close(layer.eval()(x.clone()), expected, atol=1e-5)


@points(0.25, "EncoderLayer", read="encoder-layer")
def test_feed_forward_by_itself(student):
    """피드포워드는 linear2(ReLU(linear1(x)))입니다. ReLU 하나가 사이에 있습니다."""
    maps = {
        "linear1.weight": scattered((FF, D), 3).float(),
        "linear2.weight": scattered((D, FF), 4).float(),
        "linear2.bias": scattered((D,), 5).float(),
    }
    layer = student.EncoderLayer(D, HEADS, FF, 0.1, True)
    load(student, layer, quiet_state(**maps))
    x = scattered((2, 5, D), 6).float()
    expected = fed_forward(x, maps)
    assert_close(layer.eval()(x.clone()), expected, atol=1e-5)


@points(0.25, "EncoderLayer", read="encoder-layer")
def test_post_norm_layer_equals_torch(student):
    """norm_first=False에서 nn.TransformerEncoderLayer와 출력이 다릅니다. 더한 다음 정규화합니다: norm(x + 부분층(x))."""
    generator = torch.Generator().manual_seed(0)
    oracle = torch_layer(False, generator)
    x = example(generator)
    assert_close(students_layer(student, oracle, False)(x.clone()), oracle(x), atol=1e-5)


@points(0.25, "EncoderLayer", read="encoder-norm-order")
def test_pre_norm_layer_equals_torch(student):
    """norm_first=True에서 nn.TransformerEncoderLayer와 출력이 다릅니다. x + 부분층(norm(x))이고 지름길은 그대로입니다."""
    generator = torch.Generator().manual_seed(1)
    oracle = torch_layer(True, generator)
    x = example(generator)
    assert_close(students_layer(student, oracle, True)(x.clone()), oracle(x), atol=1e-5)


def in_either(look, right=True):
    """What `look(norm_first)` sees, of the first order in which it is not right: a mistake looks alike in either."""
    for norm_first in (False, True):
        seen = attempt(look, norm_first)
        if seen != right:
            break
    return seen


def ordinary():
    """An input, made anew for whoever changes it."""
    return scattered((2, 5, D), 20).float() * 2


def another():
    return scattered((2, 5, D), 21).float() * 2


def known(oracle):
    """An oracle's weights and what it makes of `ordinary`, also with three shapes of masks as one might mistake them.

    Asked when the suite is loaded: while an answer is observed, PyTorch's own layers may not be called.
    """
    causal, each = torch.ones(5, 5, dtype=torch.bool).tril(), scattered((2, 5, 5), 7) < 0.3
    masks = []
    with torch.no_grad():
        for mask in (padding(), causal, each | torch.eye(5, dtype=torch.bool)):
            theirs = torch_mask(mask, 2, 5)
            others = {
                "right": theirs,
                "ignored": None,
                "inverted": ~theirs,
                "heads first": ~mask.expand(2, 5, 5).repeat(HEADS, 1, 1),
            }
            masks.append((mask, {kind: oracle(ordinary(), other) for kind, other in others.items()}))
        state = {name: value.clone() for name, value in oracle.state_dict().items()}
        return SimpleNamespace(state=state, out=oracle(ordinary()), masks=masks)


def kind_of_mask(module, masks):
    """What an answer makes of masks of three shapes."""
    found = [attempt(module, ordinary(), mask) for mask, _ in masks]
    if "fails" in found:
        return "some shapes fail" if any(isinstance(out, torch.Tensor) for out in found) else "fails"
    for out, (_, expected) in zip(found, masks, strict=True):
        # inverted, the first sentence's padding shows it nothing
        kinds = [
            kind
            for kind, right in expected.items()
            if same(out[kind == "inverted" :], right[kind == "inverted" :])
        ]
        if "right" not in kinds:
            return kinds[0] if kinds else out[:, :1]
    return "right"


KNOWN_LAYERS = {order: known(torch_layer(order, torch.Generator().manual_seed(2))) for order in (False, True)}
KNOWN_ENCODERS = {
    order: known(torch_encoder(3, order, torch.Generator().manual_seed(4))) for order in (False, True)
}


def dropouts_passed(student, values, norm_first):
    """How many dropouts of a quarter are on the way of what a sublayer adds."""
    found = added(student, student.EncoderLayer(D, HEADS, FF, 0.25, norm_first), values, norm_first)
    ways = {(1.0,): 0} | {(0.0, round((4 / 3) ** times, 2)): times for times in (1, 2, 3)}
    return ways.get(tuple(found), "others")


@observes("EncoderLayer")
def observe_encoder_layer(student):
    right = KNOWN_LAYERS
    layers = {}

    def made(order, values=None, dropout=0.0):
        key = order, dropout
        if key not in layers:
            layers[key] = student.EncoderLayer(D, HEADS, FF, dropout, order)
        load(student, layers[key], right[order].state | (values or {}))
        return layers[key].eval()

    def names(order):
        state = right[order].state
        return len(
            load(student, student.EncoderLayer(D, HEADS, FF, 0.0, order), state, optional=state)
        ) == len(state)

    def shortcut_by(order, values):
        layer = made(order, quiet_state(**values))
        return not same(layer(ordinary()), layer(another()))

    def quiet(order):
        out = made(order, quiet_state())(ordinary())
        kinds = {"x": ordinary(), "norm": F.layer_norm(ordinary(), (D,)), "twice": 2 * ordinary()}
        return next((kind for kind, value in kinds.items() if same(out, value)), "others")

    def orders():
        seen = [quiet(order) for order in (False, True)]
        wrong = [
            made(order)(ordinary())[:, :1] for order in (False, True) if seen[order] != ["norm", "x"][order]
        ]
        return [seen, *wrong[:1]]

    def without_effect(order):
        parts, out = ("norm1", "norm2"), made(order)(ordinary())
        changes = [{f"{part}.weight": scattered((D,), 8).float()} for part in parts]
        return [
            part
            for part, change in zip(parts, changes, strict=True)
            if same(made(order, change)(ordinary()), out)
        ]

    def attention_stays(order):
        return not same(
            made(order, quiet_state(**ATTENDS))(ordinary()), made(order, quiet_state())(ordinary())
        )

    def blind(order):
        nothing = torch.ones(5, 5, dtype=torch.bool)
        nothing[2] = False
        return bool(made(order)(ordinary(), nothing).isfinite().all())

    def manners(order):
        return bad_manners(student, made(order), ordinary(), learns=["0", *right[order].state])

    def dropped(order):
        """With everything dropped: whether what comes out depends on x and on the sublayers' biases."""
        changes = {name: scattered((D,), 9).float() for name in ("self_attn.out_proj.bias", "linear2.bias")}
        layer = made(order, dropout=1.0).train()
        out = layer(ordinary())
        if not torch.equal(out, layer(ordinary())):
            return "random"
        heeds = not same(out, layer(another()))
        return [heeds, not same(out, made(order, changes, dropout=1.0).train()(ordinary()))]

    return up_to_the_first_wrong(
        (lambda: refuses(student.EncoderLayer, D, HEADS, FF), False),
        (lambda: in_either(names), True),
        (
            lambda: in_either(
                lambda order: [shortcut_by(order, FEEDS), shortcut_by(order, ATTENDS)], [True] * 2
            ),
            [True] * 2,
        ),
        (orders, [["norm", "x"]]),
        (lambda: in_either(without_effect, []), []),
        (lambda: in_either(attention_stays), True),
        *(
            (lambda order=order: made(order)(ordinary())[:, :1], right[order].out[:, :1])
            for order in (False, True)
        ),
        (lambda: in_either(lambda order: kind_of_mask(made(order), right[order].masks), "right"), "right"),
        (lambda: in_either(blind), True),
        (lambda: in_either(manners, "none"), "none"),
        (
            lambda: in_either(lambda order: same(made(order, dropout=1.0)(ordinary()), right[order].out)),
            True,
        ),
        (lambda: in_either(dropped, [True, False]), [True, False]),
        (
            lambda: in_either(
                lambda order: [dropouts_passed(student, v, order) for v in (ATTENDS, FEEDS)], [2, 2]
            ),
            [2, 2],
        ),
        (lambda: refuses(student.EncoderLayer, 6, 4, 8), True),
    )




# Encoder ----------------------------------------------------------------------------------------------------


def students_encoder(student, oracle, num_layers, norm_first, dropout=0.1):
    encoder = student.Encoder(num_layers, D, HEADS, FF, dropout, norm_first)
    state = oracle.state_dict()
    load(student, encoder, state, typed=True, evaluating=True)
    return encoder


@points(0.75, "Encoder", read="encoder-stack", step="warm-up")
def test_stack_equals_torch(student):
    """층을 차례로 지나야 하고, 층마다 자기 가중치가 있어야 합니다. norm_first=False이면 끝의 norm은 없습니다."""
    generator = torch.Generator().manual_seed(3)
    oracle = torch_encoder(3, False, generator)
    x = example(generator)
    assert_close(students_encoder(student, oracle, 3, False)(x), oracle(x), atol=1e-4)


@observes("Encoder")
def observe_encoder(student):
    right = KNOWN_ENCODERS
    fresh = {order: attempt(student.Encoder, 3, D, HEADS, FF, 0.0, order) for order in (False, True)}

    def made(order, values=None, encoder=None):
        encoder, state = fresh[order] if encoder is None else encoder, right[order].state | (values or {})
        load(student, encoder, state, optional=[name for name in state if name.startswith("norm.")])
        return encoder.eval()

    def stack(order):
        """How many layers are found by name, and whether there is anything else to learn but the last norm."""
        found = parameters(student, fresh[order], *(f"layers.{i}.linear1.weight" for i in range(9)))
        return [len(found), len(parameters(student, fresh[order])) > 2]

    def widths(order):
        name = "layers.0.linear1.weight"
        return list(parameters(student, fresh[order], name)[name].shape) == [FF, D]

    def last_norm(order):
        return bool(parameters(student, fresh[order], "norm.weight"))

    def without_effect(order):
        out = made(order)(ordinary())
        changes = {f"layers.{i}.linear2.weight": scattered((D, FF), i).float() for i in range(3)}
        changes |= {"norm.weight": scattered((D,), 8).float()} if order else {}
        return [name for name, value in changes.items() if same(made(order, {name: value})(ordinary()), out)]

    def manners(order):
        return bad_manners(student, made(order), ordinary(), learns=["0", *right[order].state])

    def dropped(order):
        """With everything dropped: whether what comes out depends on x."""
        encoder = made(order, encoder=student.Encoder(3, D, HEADS, FF, 1.0, order)).train()
        out = encoder(ordinary())
        return not same(out, encoder(another())) if torch.equal(out, encoder(ordinary())) else "random"

    return up_to_the_first_wrong(
        (lambda: in_either(stack, [3, True]), [3, True]),
        (lambda: in_either(lambda order: len(parameters(student, fresh[order])) > 12 * 2), True),
        (lambda: in_either(widths), True),
        (lambda: [last_norm(order) for order in (False, True)], [False, True]),
        (lambda: in_either(without_effect, []), []),
        *(
            (lambda order=order: made(order)(ordinary())[:, :1], right[order].out[:, :1])
            for order in (False, True)
        ),
        (lambda: in_either(lambda order: kind_of_mask(made(order), right[order].masks), "right"), "right"),
        (lambda: in_either(manners, "none"), "none"),
        (lambda: in_either(dropped), True),
    )




# count_parameters_by_part -----------------------------------------------------------------------------------


@points(0.5, "count_parameters_by_part", read="encoder-counting")
def test_counts_of_one_small_layer(student):
    """어텐션은 행렬 넷과 편향 넷, 피드포워드는 행렬 둘과 편향 둘, 정규화는 벡터 넷입니다."""
    expected = {"attention": 24, "feed_forward": 17, "norm": 8, "total": 49}
    found = student.count_parameters_by_part(2, 3, 1, 1)
    assert found == expected, f"{expected}이어야 하는데 {found}입니다."


@observes("count_parameters_by_part")
def observe_count_parameters_by_part(student):
    """Part by part for one layer of one head, then what more heads and more layers change."""
    one, heads, layers = (
        student.count_parameters_by_part(8, 12, *sizes) for sizes in [(1, 1), (4, 1), (1, 3)]
    )
    parts = ["attention", "feed_forward", "norm"]
    matrices, biases = divmod(int(one["attention"]), 64)
    grown = [(heads[part] > one[part]) - (heads[part] < one[part]) for part in parts]
    times = [layers[part] / one[part] for part in parts]
    return [
        matrices,
        ["none", "too few", "all", "too many"][(biases > 0) + (biases > 31) + (biases > 32)],
        one["feed_forward"] // 192,
        [0, 20].index(one["feed_forward"] % 192) if one["feed_forward"] % 192 in (0, 20) else "others",
        one["norm"],
        grown,
        "some" if 1 in times and 3 in times else times,
        [count["total"] / sum(count[part] for part in parts) for count in (one, layers)],
    ]
