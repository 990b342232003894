"""What the exercise `all_attention` is graded by."""

import itertools

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.contract import assert_manners, unreached
from grader.judging.observed import up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    each,
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
from grader.judging.values import values_of

T, N = True, False  # visible, hidden
MAPS = ["W_q", "W_k", "W_v", "W_o"]
MEMORY = ["persistent_keys", "persistent_values"]


# feed_forward_as_attention ----------------------------------------------------------------------------------

BY_HAND = [
    torch.tensor([1.0, 2]),
    torch.tensor([[1.0, 0], [0, 1], [-1, -1]]),
    torch.tensor([0.0, -1, 1]),
    torch.tensor([[1.0, 0, 1], [0, 2, 1]]),
    torch.tensor([0.5, -0.5]),
]


@points(0.75, "feed_forward_as_attention", read="ffn-as-attention", step="warm-up")
def test_output_of_the_network(student, device):
    """출력은 피드포워드와 같아야 합니다: 가중치로 값(W2의 열)을 더하고 b2를 한 번 더합니다."""
    output, _ = student.feed_forward_as_attention(*(t.to(device) for t in BY_HAND))
    assert_close(output, torch.tensor([1.5, 1.5]))


@points(0.5, "feed_forward_as_attention", read="ffn-as-attention")
def test_weights_of_the_network(student):
    """가중치는 ReLU를 지난 은닉층입니다. 소프트맥스가 아니므로 합이 1이 아니어도 됩니다."""
    _, weights = student.feed_forward_as_attention(*BY_HAND)
    assert_close(weights, torch.tensor([1.0, 1, 0]))


@observes("feed_forward_as_attention")
def observe_feed_forward_as_attention(student):
    inputs = [3 * scattered(shape, i) for i, shape in enumerate([(2, 3, 4), (5, 4), (5,), (4, 5), (4,)])]
    square = [scattered(shape, i) for i, shape in enumerate([(2, 4), (4, 4), (4,), (4, 4), (4,)])]
    return [
        outcome(student.feed_forward_as_attention, *inputs),
        outcome(student.feed_forward_as_attention, *square),
        reached(student.feed_forward_as_attention, *inputs, cotangent=scattered((2, 3, 4), 9)),
    ]




# PersistentAttention ----------------------------------------------------------------------------------------


def known_values(d_model, num_heads, num_persistent, make, prefix=""):
    """`make(name, shape)` for each map's matrix and bias and for the memory."""
    shapes = {f"{name}.weight": (d_model, d_model) for name in MAPS}
    shapes |= {f"{name}.bias": (d_model,) for name in MAPS}
    shapes |= dict.fromkeys(MEMORY, (num_heads, num_persistent, d_model // num_heads))
    return {f"{prefix}{name}": make(f"{prefix}{name}", shape) for name, shape in shapes.items()}


def attention_of(student, d_model, num_heads, num_persistent, make, device="cpu"):
    """The student's module in float64 with these values, and what was set."""
    module = student.PersistentAttention(d_model, num_heads, num_persistent)
    values = known_values(d_model, num_heads, num_persistent, make)
    optional = [f"{name}.bias" for name in MAPS]
    return module, load(student, module, values, optional=optional, typed=True, device=device)


def fixed_values(name, shape):
    """The same each time. Of the biases only that of W_o is not zero."""
    is_zero = name.endswith("bias") and not name.endswith("W_o.bias")
    return torch.zeros(shape, dtype=torch.float64) if is_zero else scattered(shape, name)


def without_biases(name, shape):
    """The same whether an answer's maps have biases or not: the text leaves that open."""
    of_a_map = "W_" in name and name.endswith("bias")
    return torch.zeros(shape, dtype=torch.float64) if of_a_map else scattered(shape, name)


def matrices_reached(module, x, **options):
    """What a gradient reaches, but for the biases that an answer may have."""
    return [name for name in reached(module, x, **options) if not name.endswith("bias")]


def zero_biases(d_model, prefix=""):
    return {f"{prefix}{name}.bias": torch.zeros(d_model, dtype=torch.float64) for name in MAPS}


by_torch = values_of(
    [
        ([['float64', 2, 4, 6, 48, -28.597381, 24.79371], [['float64', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, -22.605373, 18.199991], ['float64', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, 6.9253619, 16.514058], ['float64', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, -2.5953128, 18.941051], ['float64', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, 2.5772562, 15.327642], ['float64', 2, 3, 3, 18, 4.8834968, 9.8445964], ['float64', 2, 3, 3, 18, 11.427392, 7.7054768]], None], ({'dtype': 'float64', 'shape': [2, 4, 6], 'values': [-0.010423941, -0.56778465, 0.2083369, -0.026186804, 0.11236575, 0.65532223, -0.049721797, -0.25458715, 0.28888967, 0.14119797, 0.17306964, 0.29886563, -0.048905368, -0.54186493, 0.2401422, -0.030353543, 0.15856194, 0.63126465, -0.028993687, -0.62134836, 0.17352147, -0.039162988, 0.16026365, 0.65504423, -0.083968452, -0.435869, -0.0036468472, -0.1109027, 0.26093036, 0.23783917, 0.18901007, -0.37387962, 0.083829191, -0.23723122, -0.046702905, 0.48319281, 0.11148003, -0.41867389, 0.11598712, -0.15150302, -0.22390392, 0.75176654, 0.35840554, 0.46735833, 0.1574201, -0.1468098, 0.33332286, -0.8336376]}, {'dtype': 'float64', 'shape': [2, 2, 4, 7], 'values': [0.12073125, 0.12728302, 0.22341671, 0.098546645, 0.19430243, 0.1324958, 0.10322415, 0.1614676, 0.16149242, 0.15646206, 0.12763314, 0.10977991, 0.15875297, 0.12441191, 0.19997647, 0.19318183, 0.19180497, 0.076391049, 0.077262034, 0.18753556, 0.073848083, 0.083110341, 0.096474476, 0.32654388, 0.071164251, 0.24107623, 0.10452581, 0.077105014, 0.13344902, 0.14803931, 0.14917976, 0.13881026, 0.14601176, 0.15459282, 0.12991707, 0.069466024, 0.17651507, 0.20646904, 0.074906006, 0.068720383, 0.27422634, 0.12969714, 0.17340176, 0.11521065, 0.11211076, 0.1209478, 0.13304833, 0.11266755, 0.23261315, 0.10386481, 0.17699697, 0.1931432, 0.1532056, 0.086100229, 0.17644838, 0.11024081, 0.047309004, 0.2288809, 0.19724667, 0.15751175, 0.24737403, 0.062230199, 0.059447437, 0.20660787, 0.090287565, 0.095510821, 0.090406773, 0.067351721, 0.25748603, 0.19234922, 0.2443087, 0.096386938, 0.08286249, 0.11851467, 0.092735965, 0.19154408, 0.17364715, 0.46221637, 0.025551581, 0.031564948, 0.079441766, 0.040032212, 0.11500797, 0.24618515, 0.10940621, 0.26203469, 0.11043648, 0.21319349, 0.054235981, 0.1206754, 0.13001775, 0.078908471, 0.095908944, 0.18312887, 0.087676402, 0.25158441, 0.16245742, 0.14033548, 0.28092641, 0.072198449, 0.10306928, 0.099305818, 0.20467696, 0.11259342, 0.12722967, 0.0041450959, 0.43231607, 0.20284031, 0.16419191, 0.017173866, 0.11718734, 0.062145419]})),
    ]
)


def assert_equals_torch(student, module, x, state, masks, device="cpu"):
    """`masks`, one after another: None stands for no mask."""
    calls = [[x.to(device), *([] if mask is None else [mask.to(device)])] for mask in masks]
    for mask, (output, weights) in zip(masks, each(student, module, calls), strict=True):
        expected_output, expected_weights = by_torch(x, zero_biases(x.shape[-1]) | state, mask)
        assert_close(weights, expected_weights, atol=1e-6)
        assert_close(output, expected_output, atol=1e-6)


@points(0.5, "PersistentAttention", read="persistent-attention", step="warm-up")
def test_one_softmax_over_context_and_memory(student, device):
    """문맥의 키와 지속 메모리의 키를 이어 소프트맥스를 한 번 취해야 합니다. sqrt(d_model / h), 메모리의 자리(맨 뒤), W_o를 확인하십시오."""
    module, state = attention_of(student, 6, 2, 3, without_biases, device)
    assert_equals_torch(student, module, scattered((2, 4, 6), 0.1), state, [None], device)


@points(0.25, "PersistentAttention", read="persistent-attention")
def test_memory_is_learned_and_starts_at_random(student):
    """지속 메모리는 모양이 (h, N, d_model / h)인 파라미터 둘이고, 처음에는 무작위여야 합니다. 모두 같은 값에서 시작하면 언제까지나 같습니다."""
    found, others = (parameters(student, student.PersistentAttention(8, 2, 5), *MEMORY) for _ in range(2))
    for name in MEMORY:
        assert name in found, f"{name}라는 파라미터가 없습니다."
        assert list(found[name].shape) == [2, 5, 4], f"{name}의 모양이 (2, 5, 4)가 아닙니다."
        assert found[name].flatten(0, 1).unique(dim=0).shape[0] == 10, f"{name}에 같은 벡터가 있습니다."
        assert not torch.equal(found[name], others[name]), f"{name}가 만들 때마다 같은 값에서 시작합니다."
    assert not unreached(MEMORY, student.PersistentAttention(8, 2, 5), scattered((3, 8), 1).float()), (
        "지속 메모리로 기울기가 흐르지 않습니다."
    )


@points(0.25, "PersistentAttention", read="multi_head_attention#heads-divide", step="robust")
def test_uneven_heads_are_refused(student):
    """d_model이 헤드의 수로 나누어떨어지지 않으면 모듈을 만들 때 ValueError를 내야 합니다."""
    student.PersistentAttention(8, 4, 2)
    with pytest.raises(ValueError):
        student.PersistentAttention(10, 4, 2)


@observes("PersistentAttention")
def observe_persistent_attention(student):
    fresh = parameters(student, student.PersistentAttention(6, 2, 3))
    shapes = {name: list(fresh[name].shape) for name in MEMORY if name in fresh}
    if shapes != dict.fromkeys(MEMORY, [2, 3, 3]):
        return shapes
    module, _ = attention_of(student, 6, 2, 3, without_biases)
    alone, _ = attention_of(student, 6, 2, 0, without_biases)
    biased, _ = attention_of(student, 6, 2, 0, fixed_values)
    x, causal = scattered((3, 4, 6), 2), torch.ones(4, 4, dtype=torch.bool).tril()
    of_sentence = torch.stack([causal, causal.T, torch.eye(4, dtype=torch.bool)])
    blind = of_sentence.clone()
    blind[1, 2] = False
    return [
        *(fresh[name].flatten(0, 1).unique(dim=0).shape[0] for name in MEMORY),
        refuses(student.PersistentAttention, 10, 4, 2),
        outcome(module, x),
        outcome(module, x[0]),
        outcome(module, x, causal),
        outcome(lambda: module(x[:2], of_sentence[:2])[1]),
        outcome(lambda: module(x, of_sentence[:, None])[1]),
        outcome(module, x, blind[:, None]),
        outcome(alone, x, blind[:, None]),
        outcome(lambda: biased(x, blind[:, None])[0][1, 2]),
        outcome(lambda: gradients(alone, x, blind[:, None])["inputs"][0].isfinite().all().item()),
        outcome(lambda: module(40 * x)[1]),
        matrices_reached(module, x, cotangent=scattered((3, 4, 6), 3)),
    ]




# AllAttentionLayer ------------------------------------------------------------------------------------------


def layer_of(student, make, device="cpu", **options):
    """The student's layer (d_model 6, 2 heads, 3 vectors) in float64 and evaluation mode, and what was set."""
    layer = student.AllAttentionLayer(6, 2, 3, **options)
    values = known_values(6, 2, 3, make, prefix="attention.")
    values |= {"norm.weight": 1 + make("norm.weight", (6,)) / 2, "norm.bias": make("norm.bias", (6,))}
    optional = [f"attention.{name}.bias" for name in MAPS]
    state = load(student, layer, values, optional=optional, typed=True, device=device, evaluating=True)
    return layer, state


by_formula = values_of(
    [
        ([['float64', 2, 4, 6, 48, -28.597381, 24.79371], [['float64', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, 1.5515483, 17.367363], ['float64', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, -0.038108166, 16.397691], ['float64', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, -5.1133615, 14.872961], ['float64', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, 28.284079, 18.057981], ['float64', 2, 3, 3, 18, 7.3780774, 9.9630563], ['float64', 2, 3, 3, 18, -15.307689, 8.38947], ['float64', 6, 6, 0.88497989, 2.2291048], ['float64', 6, 6, 9.9516677, 5.4343337]]], {'dtype': 'float64', 'shape': [2, 4, 6], 'values': [0.89646005, 0.77874881, -1.06016, 2.1540007, -0.43847994, -0.093985116, 0.63531887, 1.1832685, -1.3443284, 1.2457794, -0.00022626391, 0.44591888, -0.0069371502, 1.4742666, -0.84636186, 2.3839323, -0.9996555, 0.25717772, 1.1358248, 0.31329583, -1.0352616, 1.4781874, -1.8462126, 0.96599227, 0.8277124, 1.5715877, -0.33809312, 1.3980465, -1.187561, -0.62103527, -0.87835603, 0.37011039, -0.36884823, 1.5369494, -0.20678007, 1.0331926, 0.33922373, 0.2918101, -0.48190768, 0.5518656, -2.2304733, 1.6354022, -0.31701942, 2.2014447, -0.2868296, -1.2332307, -0.70017992, 0.93047672]}),
    ]
)


@points(0.25, "AllAttentionLayer", read="all-attention-layer", step="warm-up")
def test_add_and_normalise_once(student, device):
    """입력에 어텐션의 출력을 더하고 정규화합니다. 텐서 하나를 돌려주고, 피드포워드는 없습니다."""
    layer, state = layer_of(student, without_biases, device)
    x = scattered((2, 4, 6), 0.1)
    assert_close(layer(x.to(device)), by_formula(x, zero_biases(6, "attention.") | state), atol=1e-6)


def steady(layer, x):
    """What a layer returns, if it returns it every time."""
    found = [layer(x.clone()) for _ in range(4)]
    return found[0] if all(torch.equal(found[0], other) for other in found) else "another each time"


@observes("AllAttentionLayer")
def observe_all_attention_layer(student):
    fresh = parameters(student, student.AllAttentionLayer(6, 2, 3))
    shapes = [list(fresh[f"attention.{name}"].shape) for name in MEMORY if f"attention.{name}" in fresh]
    if shapes != [[2, 3, 3]] * 2:
        return shapes
    layer, _ = layer_of(student, without_biases, dropout=0.0)
    dropped, _ = layer_of(student, without_biases, dropout=1.0)
    x, causal = scattered((2, 4, 6), 2), torch.ones(4, 4, dtype=torch.bool).tril()
    found = [
        outcome(steady, layer, x),
        outcome(layer, x.clone(), causal),
        outcome(steady, dropped, x),
        matrices_reached(layer, x, cotangent=scattered((2, 4, 6), 3)),
        outcome(mutated, layer, x),
    ]
    dropped.train()
    layer.train()
    return [*found, outcome(steady, dropped, x), outcome(steady, layer, x)]




# memory_as_feed_forward -------------------------------------------------------------------------------------

BY_HAND_MEMORY = [
    torch.tensor([[1.0, 2], [3, 4]]),
    torch.tensor([1.0, -1]),
    torch.tensor([[1.0, 0], [5, 2]]),
    torch.tensor([[[2.0]], [[1.0]]]),
    torch.tensor([[[3.0]], [[4.0]]]),
]


read_from_memory = values_of(
    [
        ([['float64', 3, 6, 18, 8.8233622, 9.4144778], ['float64', 6, 6, 36, -2.2202438, 16.915612], ['float64', 6, 6, 1.5232788, 3.3465181], ['float64', 6, 6, 36, 12.472677, 18.162151], ['float64', 2, 4, 3, 24, -9.2543601, 11.486991], ['float64', 2, 4, 3, 24, -15.260887, 9.7650011]], {'dtype': 'float64', 'shape': [3, 6], 'values': [0.099842626, 0.048009956, 0.36016168, -0.23889635, -0.52362814, -0.3020809, 0.18710936, 0.055545983, 0.21797912, -0.17867801, -0.33477191, -0.26460586, 0.2688039, 0.0044810662, 0.12500632, -0.18395052, -0.22113035, -0.20221949]}),
    ]
)


folded = values_of(
    [
        ([['float64', 6, 6, 36, -2.2202438, 16.915612], ['float64', 6, 6, 1.5232788, 3.3465181], ['float64', 6, 6, 36, 12.472677, 18.162151], ['float64', 2, 4, 3, 24, -9.2543601, 11.486991], ['float64', 2, 4, 3, 24, -15.260887, 9.7650011]], ({'dtype': 'float64', 'shape': [8, 6], 'values': [0.6374925, -0.58299093, 0.35179024, -0.042971516, -0.20879895, -0.0097320906, -0.21868023, 0.33128464, 0.23560225, -0.04182924, 0.38386815, -0.013356193, 0.63247365, -0.96503453, -0.3373868, 0.076538922, -0.0675528, 0.34194741, -0.71116017, 0.7101825, -0.32858368, 0.035032956, 0.087683505, -0.078855354, 0.51830393, 0.28848295, -0.26088517, 0.010627953, -0.25571989, 0.10669626, 0.78146244, 0.4116719, -0.23486405, 0.45028642, 0.067112782, 0.16774936, -0.11078855, 0.15504726, -0.1275031, 0.27696562, 0.18505101, 0.082728587, -0.076648985, 0.04050125, 0.023382053, 0.29000107, 0.27322887, 0.031957384]}, {'dtype': 'float64', 'shape': [8], 'values': [-0.097077885, -0.086688325, -0.36302457, 0.22195222, 0.24702973, -0.16104023, -0.16933774, -0.29814068]}, {'dtype': 'float64', 'shape': [6, 8], 'values': [-0.18066886, -0.050057154, -0.25153343, 0.2216967, 0.11184843, 0.43966911, -0.59870708, 0.95922841, 0.12510976, 0.12715395, 0.22064525, -0.42583716, -0.7790063, 0.69307445, 0.87423585, -0.19673848, 0.88658751, 0.73937574, 0.32613819, -0.0068538968, -0.097451531, -0.31468403, -0.22143436, -0.2641636, -0.65971955, -0.90260682, 0.13968952, -0.18363963, 0.30606782, 0.15336476, -0.50178016, 0.66935941, -0.70101121, -0.74284007, -0.14774571, 0.055601725, -0.73830325, 0.6265672, -0.073307551, 0.37766498, -0.28867354, -0.27746977, -0.18574696, 0.24432865, 0.018687769, -0.41995906, 0.60012348, -0.86905667]})),
        ([['float64', 4, 4, 16, 4.8263398, 8.4990812], ['float64', 4, 4, -1.8734044, 1.8835469], ['float64', 4, 4, 16, -4.5347132, 8.1233587], ['float64', 2, 2, 2, 8, 0.96275638, 3.3205639], ['float64', 2, 2, 2, 8, -2.2615074, 3.0951859]], ({'dtype': 'float64', 'shape': [4, 4], 'values': [0.67611744, -0.51783393, 0.51728754, 0.040808062, 0.30184915, -0.24946238, 0.25935937, -0.023486288, -0.32517842, 0.47102281, 0.36168933, -0.0107463, -0.236122, 0.4587731, 0.10459657, -0.19133478]}, {'dtype': 'float64', 'shape': [4], 'values': [-0.14450521, -0.12210049, -0.23678113, -0.2176499]}, {'dtype': 'float64', 'shape': [4, 4], 'values': [-0.20882219, 0.50026291, 0.59233033, -0.098870052, -0.33540851, 0.75500955, 0.48851499, 0.27076972, 0.067157645, -0.2389462, 0.73722126, -0.18592082, 0.11699015, -0.31204031, -0.025104859, -0.35527048]})),
    ]
)


def memories(d, heads, N):
    """W_q, b_q, W_o, keys and values, the same each time."""
    shapes = [(d, d), (d,), (d, d), (heads, N, d // heads), (heads, N, d // heads)]
    return [scattered(shape, i) for i, shape in enumerate(shapes)]


def through_the_network(x, W1, b1, W2, heads):
    hidden = F.linear(x, W1, b1).unflatten(-1, (heads, -1)).softmax(-1).flatten(-2)
    return F.linear(hidden, W2)


@points(0.5, "memory_as_feed_forward", read="ffn-as-attention", step="warm-up")
def test_two_heads_by_hand(student, device):
    """점수는 키 · (W_q x + b_q)이므로, 헤드의 W_q 행들을 키로 묶은 것이 W1의 행입니다. W_o의 열들을 값으로 묶은 것이 W2의 열입니다."""
    found = student.memory_as_feed_forward(*(part.to(device) for part in BY_HAND_MEMORY))
    right = [[[2.0, 4], [3, 4]], [2.0, -1], [[3.0, 0], [15, 8]]]
    assert len(found) == 3, f"W1, b1, W2 셋이어야 하는데 {len(found)}개입니다."
    for part, expected in zip(found, right, strict=True):
        assert_close(part, torch.tensor(expected))


@points(0.25, "memory_as_feed_forward", read="persistent-attention")
def test_reads_as_the_memory(student):
    """헤드마다 소프트맥스를 취하면 메모리만 본 어텐션과 같아야 합니다. 어텐션이 점수를 나누던 sqrt(d_k)가 W1과 b1에 들어 있는지 보십시오."""
    given, x = memories(6, 2, 4), scattered((3, 6), 9)
    right = read_from_memory(x, *given)
    assert_close(through_the_network(x, *student.memory_as_feed_forward(*given), 2), right)


@observes("memory_as_feed_forward")
def observe_memory_as_feed_forward(student):
    fold, given = student.memory_as_feed_forward, memories(4, 2, 2)
    wide, right = memories(6, 2, 4), folded(*memories(6, 2, 4))

    def built():
        # No call sees what another has changed.
        return fold(*(part.clone() for part in wide))

    def dtypes():
        return sorted({str(part.dtype) for part in built()})

    def reached_by(part):
        return reached(fold, *given, output=part, cotangent=folded(*given)[part])

    return up_to_the_first_wrong(
        (lambda: [list(part.shape) for part in built()], [[8, 6], [8], [6, 8]]),
        (lambda: built()[0], right[0]),
        (lambda: built()[1], right[1]),
        (lambda: built()[2], right[2]),
        (dtypes, ["torch.float64"]),
        (lambda: [reached_by(part) for part in range(3)], [["0", "3"], ["1", "3"], ["2", "4"]]),
        (lambda: mutated(fold, *given), []),
    )
