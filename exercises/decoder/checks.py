"""What the exercise `decoder` is graded by."""

from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.contract import bad_manners
from grader.judging.observed import same, up_to_the_first_wrong
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
from grader.judging.values import values_of

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
    load(student, module, state, typed=True, evaluating=True)
    return module


def torch_mask(mask, batch, n_q, n_k):
    """This book's mask as nn.TransformerDecoder takes it."""
    return None if mask is None else ~mask.expand(batch, n_q, n_k).repeat_interleave(HEADS, dim=0)


def example(generator, dtype=torch.float32):
    """Four target positions and a memory of five."""
    return (torch.randn(2, n, D, generator=generator, dtype=dtype) for n in (4, 5))


def padding():
    """The last two positions of the second memory are padding; as keys, (batch, 1, n)."""
    return torch.tensor([[[True] * 5], [[True] * 3 + [False] * 2]])


def first_wrong(labels):
    """The first of these labels that is not "right"."""
    return next((label for label in labels if label != "right"), "right")


# An observation ends at the first thing that is wrong, so that what comes after it cannot hide it.


# shift_right ------------------------------------------------------------------------------------------------


@points(1, "shift_right", read="shift-right")
def test_shifts_by_one(student):
    """맨 앞에 SOS를 넣고 맨 뒤의 토큰을 버립니다. 길이는 그대로입니다."""
    ids = torch.tensor([[5, 6, 7], [8, 9, 2]])
    assert_close(student.shift_right(ids, 1), torch.tensor([[1, 5, 6], [1, 8, 9]]))


@observes("shift_right")
def observe_shift_right(student):
    shift, ids = student.shift_right, torch.tensor([[5, 6, 7], [8, 9, 2]])

    def of_other_sentences():
        rows = shift(ids.clone(), 3).tolist()
        return any(set(row[1:]) & set(ids[1 - i].tolist()) for i, row in enumerate(rows))

    def behind_another_number():
        found = shift(ids.clone(), 3)
        if found.shape != ids.shape or not torch.equal(found[:, 1:], ids[:, :-1]):
            return False
        return len(found[:, 0].unique()) == 1 and found[0, 0].item() != 3

    def every_number_of_axes():
        flat = [5, 6, 7, 8]
        shapes = [(4,), (1, 4), (1, 1, 4)]
        return all(
            shift(torch.tensor(flat).reshape(shape), 3).tolist()
            == torch.tensor([3, *flat[:3]]).reshape(shape).tolist()
            for shape in shapes
        ) and not any(row[1:] != [5, 6, 7] for row in shift(torch.tensor([[flat] * 3] * 2), 3)[0].tolist())

    return up_to_the_first_wrong(
        (of_other_sentences, False),
        (behind_another_number, False),
        (lambda: shift(ids.clone(), 3).tolist(), [[3, 5, 6], [3, 8, 9]]),
        (every_number_of_axes, True),
        (lambda: shift(ids[:, :1].clone(), 3).tolist(), [[3], [3]]),
        (lambda: shift(ids.int(), 3).dtype == torch.int32, True),
        (lambda: bad_manners(student, shift, ids, 3), "none"),
    )




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


@points(0.25, "DecoderLayer", read="encoder#torch-structure", step="warm-up")
def test_sentences_do_not_mix(student):
    """문장끼리 섞입니다. nn.MultiheadAttention에 batch_first=True를 주었는지, 첫 축을 배치로 다루는지 보십시오."""
    x, memory = scattered((3, 4, D), 1).float(), scattered((3, 4, D), 2).float()
    layer = student.DecoderLayer(D, HEADS, FF, 0.0).eval()
    assert_close(layer(x, memory)[1:2], layer(x[1:2], memory[1:2]), atol=1e-5)
    assert (layer(x, memory)[0] != layer(x, memory)[1]).any(), "모든 문장의 출력이 같습니다."


with_what_is_seen = values_of(
    [
        ([['float32', 2, 4, 8, 64, -2.1682426, 32.104595], ['float32', 2, 1, 8, 16, 2.483293, 6.2320413]], {'dtype': 'float32', 'shape': [2, 4, 8], 'values': [-0.89503348, -0.24211128, 8.0556583, 9.056448, 9.4589977, 9.8014402, 8.9731455, 10.24209, -0.97524804, 0.95202929, 8.4924002, 9.5220737, 9.1866674, 8.9598885, 10.116229, 9.3859358, -0.92395592, 0.75404239, 7.7481213, 8.57722, 9.0033684, 8.8706541, 8.8057642, 9.1556778, -0.54302013, -0.64657283, 8.2957458, 9.1367493, 10.34553, 8.8473368, 9.6418114, 10.404088, 0.97881436, 0.093594983, 8.0784054, 7.6924391, 9.8173885, 10.17752, 9.7071905, 9.3184805, 0.42300442, -0.28952885, 8.9848881, 8.852459, 10.005112, 9.5447407, 8.7718229, 9.5667257, -0.25087145, -0.53923321, 9.9908171, 8.2327566, 8.2269382, 10.13739, 8.3715858, 8.6453123, -0.90101117, -0.34306735, 9.4207287, 7.6106315, 8.838563, 10.045507, 9.5760612, 9.9485521]}),
        ([['float32', 2, 4, 8, 64, -2.1682426, 32.104595], ['float32', 2, 1, 8, 16, -1.4535769, 2.5178101]], {'dtype': 'float32', 'shape': [2, 4, 8], 'values': [-0.89503348, -0.24211128, 8.3086729, 8.8562374, 8.6395073, 9.5277443, 8.774003, 9.7222958, -0.97524804, 0.95202929, 8.7454147, 9.3218632, 8.367177, 8.6861925, 9.9170866, 8.8661413, -0.92395592, 0.75404239, 8.0011358, 8.3770094, 8.1838779, 8.5969582, 8.6066217, 8.6358833, -0.54302013, -0.64657283, 8.5487604, 8.9365387, 9.5260391, 8.5736408, 9.4426689, 9.8842936, 0.97881436, 0.093594983, 7.9802675, 8.2840033, 9.9555569, 9.6749926, 9.3379049, 9.0455961, 0.42300442, -0.28952885, 8.8867502, 9.4440231, 10.143279, 9.0422134, 8.4025373, 9.2938414, -0.25087145, -0.53923321, 9.8926792, 8.8243208, 8.3651056, 9.6348629, 8.0023003, 8.3724279, -0.90101117, -0.34306735, 9.3225908, 8.2021961, 8.9767303, 9.5429802, 9.2067757, 9.6756678]}),
        ([['float32', 2, 4, 8, 64, -2.1682426, 32.104595], ['float32', 2, 4, 8, 64, 6.1844917, 53.13935]], {'dtype': 'float32', 'shape': [2, 4, 8], 'values': [-0.89503348, -0.24211128, 7.8497634, 9.0387192, 9.3990507, 11.09915, 8.216918, 11.141397, -0.97524804, 0.95202929, 8.8838625, 10.031693, 8.3684311, 8.3653889, 11.116702, 8.3640814, -0.92395592, 0.75404239, 7.4860544, 8.1957312, 8.6487293, 8.9410763, 8.3128786, 8.4959307, -0.54302013, -0.64657283, 8.3722439, 9.0263472, 11.57835, 8.0737047, 9.8904514, 11.186382, 0.97881436, 0.093594983, 6.312798, 6.8201275, 10.31917, 10.272838, 10.511462, 8.9551983, 0.42300442, -0.28952885, 8.2767506, 10.010459, 11.629738, 8.4419212, 7.6546125, 9.7884283, -0.25087145, -0.53923321, 11.844145, 8.7417994, 6.7989745, 10.863008, 7.6790109, 7.7862883, -0.90101117, -0.34306735, 10.041144, 6.8159008, 8.1401186, 10.327393, 10.581573, 10.949155]}),
    ]
)


@points(0.25, "DecoderLayer", read="decoder-norm-order")
def test_shortcut_is_open(student):
    """부분층이 아무것도 더하지 않으면 norm_first=True인 층은 x를 그대로 내보냅니다. 세 부분층의 잔차 연결을 확인하십시오."""
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
        assert_close(layer(x, memory), with_what_is_seen(x, seen), atol=1e-5)


@points(0.25, "DecoderLayer", read="decoder-layer")
def test_post_norm_layer_equals_torch(student):
    """norm_first=False에서 nn.TransformerDecoderLayer와 출력이 다릅니다. 셀프 어텐션, 크로스 어텐션, 피드포워드(사이에 ReLU)의 차례입니다."""
    generator = torch.Generator().manual_seed(0)
    oracle = torch_layer(False, generator)
    x, memory = example(generator)
    layer = with_weights_of(oracle, student, student.DecoderLayer(D, HEADS, FF, 0.1, False))
    assert_close(layer(x, memory), oracle(x, memory), atol=1e-5)


@points(0.25, "DecoderLayer", read="decoder-norm-order")
def test_pre_norm_layer_equals_torch(student):
    """norm_first=True에서 nn.TransformerDecoderLayer와 출력이 다릅니다. 정규화하는 것은 x뿐이고 memory는 그대로입니다."""
    generator = torch.Generator().manual_seed(1)
    oracle = torch_layer(True, generator)
    x, memory = example(generator)
    layer = with_weights_of(oracle, student, student.DecoderLayer(D, HEADS, FF, 0.1, True))
    assert_close(layer(x, memory), oracle(x, memory), atol=1e-5)


ORDERS = (False, True)  # norm_first
MASKS = {
    "self_mask": CAUSAL,
    "memory_mask": torch.tensor([[[True, True, True, False]], [[True, True, False, False]]]),
}
BIASES = ("self_attn.out_proj.bias", "multihead_attn.out_proj.bias", "linear2.bias")


def what_matters(student, norm_first):
    """Whether the output depends on x and on what each sublayer adds, where no sublayer sees anything."""
    x, other, memory = (scattered((2, 4, D), key).float() for key in (5, 6, 7))
    layer = student.DecoderLayer(D, HEADS, FF, 0.0, norm_first).eval()

    def output(x, *biases):
        load(student, layer, quiet_state(**dict.fromkeys(biases, torch.arange(float(D)))))
        return layer(x.clone(), memory)

    plain = output(x)
    return [not same(one, plain) for one in (output(other), *(output(x, bias) for bias in BIASES))]


def asked(oracle, generator):
    """What PyTorch's module gives, asked before an answer may be forbidden to call it: its weights, an input, the
    output, and outputs with a mask as it should be used and as it is used in other places and ways."""
    x, memory, longer = (torch.randn(2, n, D, generator=generator) for n in (4, 4, 5))
    plain, uses = oracle(x, memory).detach(), {}
    for name, mask in MASKS.items():
        right, other = ("tgt_mask", "memory_mask") if name == "self_mask" else ("memory_mask", "tgt_mask")
        hidden = torch_mask(mask, 2, 4, 4)
        asked_for = {
            "right": {right: hidden},
            "opposite": {right: ~hidden},
            "elsewhere": {other: hidden},
            "heads": {right: hidden[[0, 2, 1, 3]]},  # of two sentences and two heads
        }
        uses[name] = {use: oracle(x, memory, **masks).detach() for use, masks in asked_for.items()}
        uses[name]["ignored"] = plain
    masks = torch_mask(CAUSAL, 2, 4, 4), torch_mask(padding(), 2, 4, 5)
    return {
        "state": {name: value.clone() for name, value in oracle.state_dict().items()},
        "inputs": (x, memory, longer),
        "plain": plain,
        "uses": uses,
        "longer": oracle(x, longer, *masks).detach(),
    }


def use_of_mask(module, told, name):
    """What an answer does with a mask, by its outputs at the first two positions."""
    x, memory, _ = told["inputs"]
    found = outcome(lambda: module(x.clone(), memory.clone(), **{name: MASKS[name]}))
    if isinstance(found, str):
        return "fails"
    uses = told["uses"][name].items()
    return next((use for use, one in uses if same(found[:, :2], one[:, :2])), "others")


def where_gradients_end(found, told):
    """What no gradient reaches: nothing, the memory alone, or more."""
    missing = {"0", "1", *told["state"]} - set(found)
    return "memory" if missing == {"1"} else "more" if missing else "right"


def dropped_outside(student, norm_first):
    """What a dropout of everything leaves: x alone ("right"), outputs of sublayers, or not even x."""
    x, other, memory = (scattered((2, 4, D), key).float() for key in (5, 6, 7))
    layer = student.DecoderLayer(D, HEADS, FF, 1.0, norm_first).train()
    load(student, layer, quiet_state())
    plain = layer(x.clone(), memory)
    load(student, layer, quiet_state(**dict.fromkeys(BIASES, torch.arange(float(D)))))
    if same(layer(x.clone(), memory), layer(other.clone(), memory)):
        return "not even x"
    return "right" if same(layer(x.clone(), memory), plain) else "outputs"


def dropped_inside(student, *names):
    """Whether two dropouts are on the way through sublayers, or only one."""
    found = [
        added(student, student.DecoderLayer(D, HEADS, FF, 0.5, order), name, order)
        for name in names
        for order in ORDERS
    ]
    return first_wrong({(0, 4): "right", (0, 2): "one"}.get(tuple(values), "others") for values in found)


OF_LAYERS = [
    asked(torch_layer(order, torch.Generator().manual_seed(2)), torch.Generator()) for order in ORDERS
]


@observes("DecoderLayer")
def observe_decoder_layer(student):
    x, memory, longer = OF_LAYERS[0]["inputs"]
    made = []

    def missing():
        layer, state = student.DecoderLayer(D, HEADS, FF), OF_LAYERS[0]["state"]
        return sorted(
            {name.split(".")[0] for name in state.keys() - load(student, layer, state, optional=state)}
        )

    def of_each(function):
        if not made:
            for order, told in zip(ORDERS, OF_LAYERS, strict=True):
                made.append(student.DecoderLayer(D, HEADS, FF, 0.5, order))
                load(student, made[-1], told["state"])
        return [function(layer.eval(), told) for layer, told in zip(made, OF_LAYERS, strict=True)]

    def told_apart(layer, _):
        """What an output depends on beside its own sentence, or does not depend on."""
        first, again = layer(x.clone(), memory), layer(x.clone(), memory)
        if not same(first, again):
            return "chance"
        if not same(first[1:], layer(x[1:].clone(), memory[1:])):
            return "other sentences"
        return "no memory" if same(first, layer(x.clone(), memory.flip(2))) else "right"

    def of_mask(name):
        return first_wrong(of_each(lambda layer, told: use_of_mask(layer, told, name)))

    def seeing_nothing(layer, _):
        found = layer(x.clone(), memory, CAUSAL, torch.zeros(2, 1, 4, dtype=torch.bool))
        return "right" if found.isfinite().all() else "not finite"

    def any_length(layer, told):
        return same(layer(x.clone(), longer, CAUSAL, padding()), told["longer"])

    def learns(layer, told):
        return where_gradients_end(reached(layer, x, memory), told)

    def quiet_in_training(layer, _):
        return same(layer.train()(x.clone(), memory), layer.eval()(x.clone(), memory))

    return up_to_the_first_wrong(
        (missing, []),
        (lambda: of_each(lambda layer, _: mutated(layer, x, memory)), [[], []]),
        (lambda: first_wrong(of_each(told_apart)), "right"),
        (
            lambda: [all(both) for both in zip(*(what_matters(student, o) for o in ORDERS), strict=True)],
            [True] * 4,
        ),
        (
            lambda: of_each(lambda layer, _: layer(x.clone(), memory)[:, :2]),
            [told["plain"][:, :2] for told in OF_LAYERS],
        ),
        (lambda: of_mask("self_mask"), "right"),
        (lambda: of_mask("memory_mask"), "right"),
        (lambda: all(of_each(any_length)), True),
        (lambda: first_wrong(of_each(seeing_nothing)), "right"),
        (lambda: first_wrong(of_each(learns)), "right"),
        (lambda: any(of_each(quiet_in_training)), False),
        (lambda: first_wrong(dropped_outside(student, order) for order in ORDERS), "right"),
        (
            lambda: [
                dropped_inside(student, "self_attn", "multihead_attn"),
                dropped_inside(student, "linear"),
            ],
            ["right", "right"],
        ),
        (lambda: refuses(student.DecoderLayer, 6, 4, 8), True),
    )




# Decoder ----------------------------------------------------------------------------------------------------


@points(0.75, "Decoder", read="decoder-stack", step="warm-up")
def test_stack_equals_torch(student):
    """층을 차례로 지나고, 모든 층이 같은 memory를 보아야 합니다."""
    generator = torch.Generator().manual_seed(3)
    oracle = torch_decoder(2, False, generator)
    x, memory = example(generator)
    decoder = with_weights_of(oracle, student, student.Decoder(2, D, HEADS, FF, 0.1, False))
    for target, source in [(x, memory), (memory, memory.flip(1))]:  # as long as the source, too
        assert_close(decoder(target, source), oracle(target, source), atol=1e-4)


def lively(decoder):
    """A stack whose norms leave a difference between inputs."""
    state = decoder.state_dict()
    decoder.load_state_dict({name: value + ("norm" in name) for name, value in state.items()})
    return decoder


OF_DECODERS = [
    asked(lively(torch_decoder(2, order, torch.Generator().manual_seed(4))), torch.Generator().manual_seed(5))
    for order in ORDERS
]


@observes("Decoder")
def observe_decoder(student):
    x, memory, _ = OF_DECODERS[0]["inputs"]
    made = []

    def of_each(function):
        if not made:
            for order, told in zip(ORDERS, OF_DECODERS, strict=True):
                made.append(student.Decoder(2, D, HEADS, FF, 0.5, order))
                load(student, made[-1], told["state"])
        return [function(decoder.eval(), told) for decoder, told in zip(made, OF_DECODERS, strict=True)]

    def learnt(order, told):
        """What is missing by its name, and whether there are fewer or more parameters than names."""
        decoder, state = student.Decoder(2, D, HEADS, FF, 0.5, order), told["state"]
        present = load(student, decoder, state, optional=state)
        extra = len(parameters(student, decoder)) - len(present)
        return sorted({name.split(".")[0] for name in state.keys() - present}), max(-1, min(extra, 1))

    def alone(decoder, _):
        whole = decoder(x, memory)
        if not same(whole, decoder(x, memory)):
            return "chance"
        return "right" if same(whole[1:], decoder(x[1:], memory[1:])) else "other sentences"

    def hidden(name):
        """What a mask does: what PyTorch's stack does with it in some place and way, else the values."""
        use = first_wrong(of_each(lambda f, told: use_of_mask(f, told, name)))
        values = [f(x, memory, **{name: MASKS[name]})[:, :2] for f in made] if use == "others" else []
        return use, values

    def learns(decoder, told):
        return where_gradients_end(reached(decoder, x, memory), told)

    def left():
        """What is left where the layers drop everything: the same each time, and more than a constant?"""
        decoder = student.Decoder(2, D, HEADS, FF, 1.0, True).train()
        found, again, other = decoder(x, memory), decoder(x, memory), decoder(memory, memory)
        if not same(found, again):
            return "others"
        right = F.layer_norm(x, (D,))
        return "nothing" if same(found, other) else "right" if same(found, right) else "more"

    return up_to_the_first_wrong(
        (lambda: [learnt(*both) for both in zip(ORDERS, OF_DECODERS, strict=True)], [[[], 0], [[], 0]]),
        (lambda: first_wrong(of_each(alone)), "right"),
        (
            lambda: of_each(lambda f, _: f(x, memory)[:, :2]),
            [told["plain"][:, :2] for told in OF_DECODERS],
        ),
        (lambda: hidden("self_mask"), ["right", []]),
        (lambda: hidden("memory_mask"), ["right", []]),
        (lambda: first_wrong(of_each(learns)), "right"),
        (left, "right"),
    )




# generator_logits -------------------------------------------------------------------------------------------


def tied(student, weight):
    """An embedding with these rows, on the student's side."""
    embedding = student.torch.nn.Embedding(*weight.shape)
    embedding.load_state_dict({"weight": weight})
    return embedding


@points(0.75, "generator_logits", read="tied-logits", step="warm-up")
def test_logits_are_products_with_rows(student):
    """로짓은 은닉 상태와 임베딩 표의 각 행의 내적입니다. 소프트맥스는 하지 않습니다."""
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


products = values_of(
    [
        ([['float32', 2, 5, 10, 2.0951864, 10.495682], ['float32', 3, 5, 15, -6.1360338, 7.7230285]], {'dtype': 'float32', 'shape': [2, 3], 'values': [0.95032299, -0.1425554, 0.24422196, -1.0975904, -1.2094359, -1.3279979]}),
    ]
)


@observes("generator_logits")
def observe_generator_logits(student):
    answer, weight = student.generator_logits, scattered((3, 5), 2).float()
    hidden, embedding = 2 * scattered((2, 5), 3).float(), tied(student, weight)
    right = products(hidden, weight)

    def logits(hidden=hidden, embedding=embedding):
        """Of vectors in a batch, or of single ones where an answer takes no batch."""
        found = outcome(answer, hidden[None].clone(), embedding)
        return (answer(hidden.clone(), embedding) if isinstance(found, str) else found).flatten()

    def probabilities():
        found = logits()
        if len(found) != 6:
            return "no"
        kinds = {"softmax": found, "logarithms": found.exp()}
        return next((k for k, v in kinds.items() if same(v.reshape(2, 3).sum(-1), torch.ones(2))), "no")

    def times():
        """Whether every logit is multiplied by one number, and by how much."""
        found = logits()
        ratio = found / right.flatten() if len(found) == 6 else torch.zeros(6)
        if same(ratio, torch.ones(6)) or ratio[0] <= 0 or not same(ratio, ratio[:1].expand(6)):
            return "one or none"
        return "more" if ratio[0] > 1 else "less"

    def every_number_of_axes():
        inputs = [(hidden[0], right[0]), (hidden, right), (hidden[:, None, None], right[:, None, None])]
        return all(same(answer(given.clone(), embedding), expected) for given, expected in inputs)

    def with_padding():
        embedding = student.torch.nn.Embedding(3, 5, padding_idx=0)
        embedding.load_state_dict({"weight": weight})
        return same(logits(embedding=embedding), right.flatten())

    def learns():
        head = place(student, with_table)(answer, embedding)
        found = reached(head, hidden[None], cotangent=scattered((1, 2, 3), 1).float())
        return "0" in found, "embedding.weight" in found

    return up_to_the_first_wrong(
        (lambda: "right" if same(logits(), logits()) else "chance", "right"),
        (probabilities, "no"),
        (times, "one or none"),
        (logits, right.flatten()),
        (every_number_of_axes, True),
        (with_padding, True),
        (learns, [True, True]),
    )
