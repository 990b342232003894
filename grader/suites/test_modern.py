"""What the exercise `modern` is graded by."""

import math
from functools import cache

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.contract import assert_manners, bad_manners, finite_gradients
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import (
    ATTENTION,
    NORMALISATION,
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
from grader.judging.values import secret

# torch has it since 2.4
OWN_RMS_NORM = ("aten::*rms_norm*",) if hasattr(F, "rms_norm") else ()
FORBIDDEN = {"RMSNorm": (*NORMALISATION, *OWN_RMS_NORM), "tiled_attention": ATTENTION}


def both(result, what):
    """The two things asked for, or a plain word about what came back instead."""
    assert isinstance(result, tuple | list) and len(result) == 2, f"{what}, 두 개를 돌려주어야 합니다."
    return result


def fixed_state(shapes):
    """Values for every parameter that depend on nothing but its name."""
    return {name: scattered(shape, name).float() for name, shape in shapes.items()}


def random_state(shapes, generator):
    return {
        name: torch.randn(shape, generator=generator, dtype=torch.float64) / 2
        for name, shape in shapes.items()
    }


def with_state(student, module, state, device="cpu"):
    """The student's module with these weights."""
    load(student, module, state, typed=True, device=device)
    return module  # as it is made, for training: nothing here is dropped


# RMSNorm ------------------------------------------------------------------------------------------------------


@secret
def normed(x, weight, eps):
    return weight * x / ((x * x).sum(-1, keepdim=True) / x.shape[-1] + eps) ** 0.5


@secret
def slope_of_normed(x, weight, eps, cotangent):
    leaf = x.clone().requires_grad_()
    return torch.autograd.grad((normed(leaf, weight, eps) * cotangent).sum(), leaf)[0]


@points(0.5, "RMSNorm", read="modern-rmsnorm", step="warm-up")
def test_root_mean_square(student):
    """제곱의 평균에 eps를 더하고, 그 제곱근으로 나눈 다음 weight를 곱합니다. 평균은 빼지 않습니다."""
    x = torch.tensor([[1.0, 2.0, 3.0, 6.0], [-0.5, 0.0, 0.1, 0.2]])
    norm = student.RMSNorm(4)
    assert_close(norm(x[0]), torch.tensor([0.2828, 0.5657, 0.8485, 1.6971]), atol=1e-4)
    norm = with_state(student, student.RMSNorm(4, eps=0.1), {"weight": torch.tensor([1.0, 2.0, 0.5, -1.0])})
    assert_close(norm(x), normed(x, torch.tensor([1.0, 2.0, 0.5, -1.0]), 0.1))


@observes("RMSNorm")
def observe_rms_norm(student):
    weight, ones = torch.tensor([1.0, 2.0, 0.5, -1.0]), torch.ones(4)  # to multiply by these rounds nothing
    x, cotangent = 4 * scattered((4, 4), 1).float(), scattered((4, 4), 2).float()
    small = torch.stack([x[0], x[1] / 16])
    cube = 4 * scattered((2, 3, 4), 3).float()
    right = slope_of_normed(x, weight, 1e-6, cotangent)

    def made(eps=1e-6, dtype=torch.float32):
        return with_state(student, student.RMSNorm(4, eps), {"weight": weight}).to(dtype)

    def learned():
        found = parameters(student, student.RMSNorm(4))
        return sorted([name if name == "weight" else "other", *t.shape] for name, t in found.items())

    def moved():
        """Whether the result is the same with 10 added to each component, and whether the divisor is."""
        one, other = made()(x.clone()), made()(x + 10)
        return [same(one, other), same(one / x, other / (x + 10))]

    def flows():
        found = gradients(made(), x, cotangent=cotangent)
        return same(found["inputs"][0], right) and bool((found["parameters"]["weight"] != 0).all())

    def with_epsilon():
        """Whether it is right with a larger eps, and, if not, whether that changes it and what becomes of zeros."""
        found = made(0.1)(small.clone())
        if same(found, normed(small, weight, 0.1)):
            return "right"
        unmoved = same(found, made()(small.clone()))
        return [unmoved, unmoved and bool(made(0.1)(0 * small).isnan().any())]

    def large():
        found = made(dtype=torch.float16)((200 * x).half())
        return [str(found.dtype), same(found, normed(x, weight, 0), 1e-2, 1e-2)]

    def rounded_once():
        y = scattered((16, 4), 4).bfloat16()
        found = made(dtype=torch.bfloat16)(y.clone())
        same = found == made()(y.float()).bfloat16()
        return found.dtype == torch.bfloat16 and float(same.double().mean()) > 0.9

    def beyond_float32():
        found = made(dtype=torch.float64)(scattered((4, 4), 1))
        return bool((found.double() != found.float().double()).any())

    return up_to_the_first_wrong(
        (learned, [["weight", 4]]),
        (moved, [False, False]),
        (lambda: made()(x.clone()), normed(x, weight, 1e-6)),
        (lambda: same(student.RMSNorm(4)(x.clone()), normed(x, ones, 1e-6)), True),
        (lambda: [with_epsilon()], ["right"]),
        (lambda: same(student.RMSNorm(4)(x / 2000), normed(x / 2000, ones, 1e-6), 1e-2), True),
        (lambda: same(made()(cube.clone()), normed(cube, weight, 1e-6)), True),
        (lambda: mutated(made(), x) == [], True),
        (flows, True),
        (large, ["torch.float16", True]),
        (rounded_once, True),
        (beyond_float32, True),
    )


### BEGIN HIDDEN TESTS
@points(0.25, "RMSNorm", read="modern-rmsnorm")
def test_rms_norm_of_any_shape(student, device, rng):
    """마지막 축에서만 나눕니다. 앞에 축이 몇 개든, 아주 작은 입력에서도 같아야 하고, 기울기가 x와 weight로 흘러야 합니다."""
    for shape, size, eps in [((5,), 1.0, 1e-6), ((2, 3, 8), 1e-3, 1e-6), ((4, 1, 2, 3), 3.0, 0.5)]:
        x = size * torch.randn(shape, generator=rng, dtype=torch.float64)
        weight = torch.randn(shape[-1], generator=rng, dtype=torch.float64)
        norm = with_state(student, student.RMSNorm(shape[-1], eps), {"weight": weight}, device)
        assert_close(norm(x.to(device)), normed(x, weight, eps), atol=1e-5)
        cotangent = torch.randn(shape, generator=rng, dtype=torch.float64)
        ours = [x.requires_grad_(), weight.requires_grad_()]
        right = torch.autograd.grad((normed(x, weight, eps) * cotangent).sum(), ours)
        found = gradients(norm, x.detach().to(device), cotangent=cotangent.to(device))
        assert_close(found["inputs"][0], right[0], rtol=1e-4, atol=1e-4)
        assert_close(found["parameters"]["weight"], right[1], rtol=1e-4, atol=1e-4)
    assert mutated(norm, x.detach().to(device)) == [], "입력이 바뀌었습니다."
    assert list(parameters(student, norm)) == ["weight"], "배우는 것은 weight뿐이고 이동은 없습니다."


@points(0.25, "RMSNorm", read="modern-half-precision", step="robust")
def test_rms_norm_in_half_precision(student, rng):
    """float16과 bfloat16은 float32로 바꾸어 계산하고 입력의 자료형으로 돌려줍니다. float16에서는 300의 제곱이 이미 넘칩니다."""
    for dtype, size in [(torch.float16, 300.0), (torch.float16, 1e-3), (torch.bfloat16, 1.0)]:
        x = (size * torch.randn(3, 64, generator=rng)).to(dtype)
        norm = student.RMSNorm(64).to(dtype)
        found = norm(x)
        assert found.dtype == dtype, f"{dtype} 입력에서 {found.dtype}이 나왔습니다."
        right = normed(x.double(), torch.ones(64).double(), 1e-6)
        assert_close(found, right, rtol=4e-3 if dtype == torch.bfloat16 else 2e-3, atol=1e-4)
    x = torch.randn(3, 64, generator=rng, dtype=torch.float64)
    found = student.RMSNorm(64).double()(x)
    assert found.dtype == torch.float64, f"float64 입력에서 {found.dtype}이 나왔습니다."
    assert_close(found, normed(x, torch.ones(64).double(), 1e-6), rtol=1e-10, atol=1e-10)


### END HIDDEN TESTS


# SwiGLU -------------------------------------------------------------------------------------------------------


def swiglu_shapes(d_model, d_ff):
    return {
        "gate_proj.weight": (d_ff, d_model),
        "up_proj.weight": (d_ff, d_model),
        "down_proj.weight": (d_model, d_ff),
    }


@secret
def gated(state, x):
    """By hand, the sigmoid written out."""
    gate, up = x @ state["gate_proj.weight"].T, x @ state["up_proj.weight"].T
    return (gate / (1 + (-gate).exp()) * up) @ state["down_proj.weight"].T


@secret
def slopes_of_gated(state, x):
    """Of the sum of what comes out, by name."""
    leaves = {name: value.clone().requires_grad_() for name, value in state.items()}
    return list(torch.autograd.grad(gated(leaves, x).sum(), list(leaves.values())))


@points(0.5, "SwiGLU", read="modern-swiglu", step="warm-up")
def test_gate_by_hand(student):
    """silu(gate) * up을 down_proj에 넣습니다. 예에서 gate (1, -1), up (2, 3)이면 은닉 벡터는 (1.4621, -0.8068)입니다."""
    network = student.SwiGLU(1, 2)
    weights = {"gate_proj": [[1.0], [-1.0]], "up_proj": [[2.0], [3.0]], "down_proj": [[1.0, 10.0]]}
    state = {f"{name}.weight": torch.tensor(value) for name, value in weights.items()}
    found = with_state(student, network, state)(torch.tensor([[1.0]]))
    assert_close(found, torch.tensor([[1.4621 - 8.0682]]), atol=1e-3)


@observes("SwiGLU")
def observe_swiglu(student):
    shapes = swiglu_shapes(3, 5)
    state, x = fixed_state(shapes), 3 * scattered((2, 4, 3), 4).float()
    found = {name: tuple(t.shape) for name, t in parameters(student, student.SwiGLU(3, 5)).items()}

    def network(inputs):
        return with_state(student, student.SwiGLU(3, 5), state)(inputs)

    def flows():
        layer = with_state(student, student.SwiGLU(3, 5), state)
        grads, right = gradients(layer, x)["parameters"], slopes_of_gated(state, x)
        return all(same(grads[key], slope) for key, slope in zip(state, right, strict=True))

    return up_to_the_first_wrong(
        (lambda: any(name.endswith("bias") for name in found), False),
        (lambda: shapes.keys() <= found.keys(), True),
        (lambda: found.keys() <= shapes.keys(), True),
        (lambda: found == shapes, True),
        (lambda: network(x).round(decimals=1), gated(state, x).round(decimals=1)),  # any spelling of GELU
        (lambda: bool(network(1e4 * x).isfinite().all()), True),
        (flows, True),
    )


### BEGIN HIDDEN TESTS
@points(0.25, "SwiGLU", read="modern-swiglu")
def test_swiglu_of_any_size(student, device, rng):
    """d_model, d_ff가 무엇이든 같은 식이어야 하고, 파라미터는 행렬 셋뿐입니다. 편향은 없습니다."""
    for d_model, d_ff, shape in [(4, 6, (2, 3)), (3, 1, ()), (2, 7, (1, 2, 4))]:
        network = student.SwiGLU(d_model, d_ff)
        assert sum(t.numel() for t in parameters(student, network).values()) == 3 * d_model * d_ff, (
            f"파라미터는 행렬 셋, {3 * d_model * d_ff}개여야 합니다."
        )
        state = random_state(swiglu_shapes(d_model, d_ff), rng)
        x = 2 * torch.randn(*shape, d_model, generator=rng, dtype=torch.float64)
        network = with_state(student, network, state, device)
        for size in (1, 1e4):
            assert_close(network(size * x.to(device)), gated(state, size * x), rtol=1e-10, atol=1e-10)
        assert {"0", *state} <= set(reached(network, x.to(device))), "기울기가 끊긴 곳이 있습니다."


### END HIDDEN TESTS


# apply_rotary -------------------------------------------------------------------------------------------------

LAYOUTS = ("half", "interleaved")


@points(0.25, "apply_rotary", read="modern-rotary", step="warm-up")
def test_both_layouts_by_hand(student):
    """ "half"는 성분 i와 i + d/2를, "interleaved"는 2i와 2i + 1을 짝지어 반시계 방향으로 돌립니다. 위치 0은 돌지 않습니다."""
    x, positions = torch.tensor([[1.0, 2.0, 3.0, 4.0]] * 2), torch.tensor([0, 1])
    by_layout = {
        "half": [-1.9841, 1.9599, 2.4624, 4.0198],
        "interleaved": [-1.1426, 1.9221, 2.9599, 4.0298],
    }
    for layout, expected in by_layout.items():
        found = student.apply_rotary(x, positions, layout=layout)
        assert_close(found, torch.tensor([[1.0, 2.0, 3.0, 4.0], expected]), atol=1e-4)
    assert_close(student.apply_rotary(x, positions)[1], torch.tensor(by_layout["half"]), atol=1e-4)


@observes("apply_rotary")
def observe_rotary(student):
    rotary, x, positions = student.apply_rotary, 3 * scattered((2, 6), 2).float(), torch.tensor([1, 4])
    far, weights = torch.tensor([3001, 4094]), scattered((6,), 4)

    def sums(x=x, positions=positions, base=10_000.0):
        """Each row's components, weighed and summed, in both layouts."""
        found = [outcome(rotary, x.clone(), positions, base, name) for name in LAYOUTS]
        return [one if isinstance(one, str) else one.double() @ weights for one in found]

    def row_by_row():
        """Whether rows in a batch are turned as they are alone."""
        for layout in LAYOUTS:
            for many, where in [
                (torch.stack([x, -x]), positions),
                (scattered((2, 2, 4, 6), 3), torch.arange(4, 8)),
            ]:
                alone = [
                    rotary(row[None].clone(), place[None], layout=layout)[0]
                    for rows in many.flatten(0, -3)
                    for row, place in zip(rows, where, strict=True)
                ]
                if not same(
                    rotary(many.clone(), where, layout=layout), torch.stack(alone).reshape(many.shape)
                ):
                    return False
        return True

    def keeps_the_dtype():
        wanted = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
        calls = [(dtype, name) for dtype in wanted for name in LAYOUTS]
        return all(
            rotary(x.clone().to(dtype), positions, layout=name).dtype == dtype for dtype, name in calls
        )

    def far_away(x):
        right = torch.tensor([[-0.1936, -2.5742], [-0.8651, -2.2036]]).double()
        return all(same(one, two, atol=0.3) for one, two in zip(sums(x, far), right, strict=True))

    def polite():
        return [bad_manners(student, rotary, x, positions, learns=(), layout=name) for name in LAYOUTS]

    def flows(layout):
        """Whether the gradient is turned back: turning it once more gives what came from above."""
        back = gradients(rotary, x, positions, cotangent=x, layout=layout)["inputs"][0]
        return same(rotary(back, positions, layout=layout), x, atol=1e-3)

    right, other_base = [[0.0806, 1.2301], [-0.3903, 0.4083]], [[0.0442, 0.6806], [-0.6121, 1.4625]]
    return up_to_the_first_wrong(
        (sums, [torch.tensor(one) for one in right]),
        (lambda: sums(base=50.0), [torch.tensor(one) for one in other_base]),
        (row_by_row, True),
        (keeps_the_dtype, True),
        (lambda: [far_away(x), far_away(x.half())], [True, True]),
        (polite, ["none", "none"]),
        (lambda: all(map(flows, LAYOUTS)), True),
        (
            lambda: [
                refuses(lambda: rotary(x, positions, layout="pairs")),
                all(refuses(rotary, x[:, :5], positions, 50.0, name) for name in LAYOUTS),
            ],
            [True, True],
        ),
    )


### BEGIN HIDDEN TESTS
def turned(x, positions, base=10_000.0, layout="half"):
    """The rotation as a product of complex numbers."""
    d = x.shape[-1]
    angles = positions[:, None].double() * float(base) ** (-torch.arange(0, d, 2).double() / d)
    x = x.double()
    pairs = x.unflatten(-1, (2, -1)).transpose(-2, -1) if layout == "half" else x.unflatten(-1, (-1, 2))
    pairs = torch.view_as_complex(pairs.contiguous())
    pairs = torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles))
    return (pairs.transpose(-2, -1) if layout == "half" else pairs).flatten(-2)


@points(0.25, "apply_rotary", read="modern-rotary")
def test_any_positions_and_base(student, device, rng):
    """받은 positions와 base를 써야 합니다. 앞의 축은 몇 개든 배치이고, 각도는 반정밀도로 구하지 않으며, 결과의 자료형과 장치는 x를 따릅니다."""
    for shape, base in [((3, 2), 10_000.0), ((2, 5, 8), 500_000), ((2, 3, 4, 6), 20.0)]:
        for layout in ["half", "interleaved"]:
            x = torch.randn(shape, generator=rng, dtype=torch.float64)
            positions = torch.randint(0, 500, (shape[-2],), generator=rng)
            found = student.apply_rotary(x.to(device), positions.to(device), base=base, layout=layout)
            assert found.dtype == x.dtype, f"{x.dtype} 입력에서 {found.dtype}이 나왔습니다."
            assert_close(found, turned(x, positions, base, layout), rtol=1e-3, atol=1e-3)
    x, far = torch.randn(2, 8, generator=rng).half(), torch.tensor([3000, 4095])
    found = student.apply_rotary(x, far)
    assert found.dtype == torch.float16, "float16 입력에서 다른 자료형이 나왔습니다."
    assert_close(found, turned(x, far), rtol=1e-2, atol=1e-2)
    for dtype in (torch.float32, torch.bfloat16):
        turn = student.apply_rotary(x.to(dtype), far)
        assert turn.dtype == dtype, f"{dtype} 입력에서 {turn.dtype}이 나왔습니다."


@points(0.25, "apply_rotary", read="modern-rotary")
def test_products_depend_on_the_distance(student, rng):
    """돌린 질의와 키의 내적은 위치의 차이에만 달려 있고, 기울기가 x까지 흘러야 합니다."""
    query, key, x, cotangent = torch.randn(4, 1, 6, generator=rng, dtype=torch.float64)
    for layout in ["half", "interleaved"]:

        def product(p, r, layout=layout):
            turn = student.apply_rotary
            one, other = torch.tensor([p]), torch.tensor([r])
            return (turn(query, one, layout=layout) * turn(key, other, layout=layout)).sum()

        assert_close(product(7, 3), product(104, 100), atol=1e-3)
        assert abs(float(product(7, 3) - product(3, 7))) > 1e-6, (
            "앞뒤의 방향이 사라졌습니다: 3에서 7을 볼 때와 7에서 3을 볼 때가 같습니다."
        )
        back = gradients(student.apply_rotary, x, torch.tensor([5]), cotangent=cotangent, layout=layout)
        right = turned(cotangent, torch.tensor([-5]), layout=layout)
        assert_close(back["inputs"][0], right, rtol=1e-4, atol=1e-5)


@points(0.25, "apply_rotary", read="modern-rotary", step="robust")
def test_rotary_has_manners(student):
    """d가 홀수이거나 layout이 둘 밖의 것이면 ValueError를 내십시오. x를 바꾸지 말고, 안에서 만드는 것은 x의 장치에 두십시오."""
    x, positions = scattered((2, 6), 1), torch.tensor([5, 7])
    assert_manners(student, student.apply_rotary, x, positions)
    assert refuses(student.apply_rotary, x, positions, 50.0, "other"), "없는 layout을 받아들였습니다."
    for layout in LAYOUTS:
        assert refuses(student.apply_rotary, x[:, :5], positions, 50.0, layout), "홀수인 d를 받아들였습니다."


### END HIDDEN TESTS


# GroupedQueryAttention ----------------------------------------------------------------------------------------


def attention_shapes(d_model, heads, kv_heads, head_dim=None):
    head_dim = head_dim or d_model // heads
    return {
        "q_proj.weight": (heads * head_dim, d_model),
        "k_proj.weight": (kv_heads * head_dim, d_model),
        "v_proj.weight": (kv_heads * head_dim, d_model),
        "o_proj.weight": (d_model, heads * head_dim),
    }


@secret
def torch_attention(state, x, heads, mask=None):
    """Output and weights of PyTorch's attention, whose every head has keys and values of its own: copies."""
    d_model = x.shape[-1]
    head_dim = d_model // heads
    group = d_model // len(state["k_proj.weight"])

    def copied(weight):
        return weight.unflatten(0, (-1, head_dim)).repeat_interleave(group, dim=0).flatten(0, 1)

    oracle = nn.MultiheadAttention(d_model, heads, bias=False, batch_first=True, dtype=x.dtype).eval()
    in_proj = [
        state["q_proj.weight"],
        copied(state["k_proj.weight"]),
        copied(state["v_proj.weight"]),
    ]
    oracle.load_state_dict({"in_proj_weight": torch.cat(in_proj), "out_proj.weight": state["o_proj.weight"]})
    with torch.no_grad():
        return oracle(x, x, x, attn_mask=mask, average_attn_weights=False)


def example_attention(student, key, heads=6, kv_heads=2, head_dim=None, **options):
    shapes = attention_shapes(24, heads, kv_heads, head_dim)
    layer = student.GroupedQueryAttention(24, heads, kv_heads, head_dim=head_dim, **options)
    state = fixed_state(shapes)
    return with_state(student, layer, state), state, 2 * scattered((2, 5, 24), key).float()


@points(0.25, "GroupedQueryAttention", read="modern-groups", step="warm-up")
def test_heads_share_keys_and_values(student):
    """헤드 6개, 키·값 헤드 2개이면 헤드 0, 1, 2가 첫 키와 값을, 3, 4, 5가 둘째 것을 봅니다. 배율, 헤드를 나누고 합치는 차례, o_proj도 보십시오."""
    layer, state, x = example_attention(student, 3)
    output, weights = both(layer(x), "출력과 가중치")
    right, right_weights = torch_attention(state, x, 6)
    assert_close(weights, right_weights, atol=1e-5)
    assert_close(output, right, atol=1e-5)


@points(0.25, "GroupedQueryAttention", read="modern-groups")
def test_only_distances_count(student):
    """positions를 주면 질의와 키를 돌립니다(값은 아닙니다). 모든 위치를 똑같이 밀어도 출력이 같고, 간격이 달라지면 달라야 합니다."""
    layer, _, x = example_attention(student, 4)
    near, moved, wide = torch.arange(5), torch.arange(90, 95), 3 * torch.arange(5)
    assert_close(layer(x, moved)[0], layer(x, near)[0], rtol=1e-3, atol=1e-3)
    for other in [layer(x)[0], layer(x, wide)[0]]:
        assert not torch.allclose(layer(x, near)[0], other, atol=1e-2), "위치가 출력을 바꾸지 않습니다."


@observes("GroupedQueryAttention")
def observe_attention(student):
    make, x = student.GroupedQueryAttention, 2 * scattered((2, 5, 24), 5).float()
    positions, triangle = torch.tensor([0, 1, 2, 5, 9]), torch.ones(5, 5, dtype=torch.bool).tril()
    holes = (scattered((2, 6, 5, 5), 6) > -0.2) | torch.eye(5, dtype=torch.bool)
    triangle[4, 0] = False  # each row sees something and something not, flipped or not
    blind = triangle.clone()
    blind[2] = False

    def attend(*inputs, x=x, sizes=(6, 2, None), **options):
        inputs = [None if t is None else t.clone() for t in (x, *inputs)]
        return both(example_attention(student, 5, *sizes, **options)[0](*inputs), "")

    def sums(*inputs, **options):
        """The output at each position, weighed and summed."""
        return torch.einsum("bnd,bd->n", attend(*inputs, **options)[0].double(), scattered((2, 24), 8))

    def sums_of_weights(*inputs, **options):
        weights = attend(*inputs, **options)[1].double()
        return (weights * scattered((2, 6, 1, 5), 8)).sum((0, 1, 3))

    def learned(*sizes):
        return {name: tuple(t.shape) for name, t in parameters(student, make(24, *sizes)).items()}

    def masked_by(mask, right):
        return same(sums(None, mask), right, atol=1e-2)

    def unseeing():
        """Of a row that sees nothing: whether there is NaN, and whether it sees something."""
        output, weights = attend(None, blind)
        nan = bool(output.isnan().any() | weights.isnan().any())
        return [nan, bool((weights[:, :, 2].sum(-1) > 0.5).any())]

    def turned_like():
        return [outcome(lambda s=sizes: sums(positions, sizes=s)) for sizes in (several, (6, 2, None))]

    learning = ["0", *attention_shapes(24, 6, 2)]
    several, wide = (5, 5, 4), (6, 2, 6)  # as many heads as positions: which of the two is turned shows
    plain, of_wide, *turned, other_base, of_triangle, of_one_mask, of_masks, of_weights, of_large = (
        torch.tensor(
            [
                [-1.9781, 72.1136, -26.3603, 2.3207, 54.1586],
                [-30.0109, 6.7359, 45.2424, -24.802, 40.1224],
                [14.1232, 33.7528, -39.485, -27.1493, -11.5324],
                [5.5698, 49.9097, 28.4369, -34.8808, -44.1945],
                [8.9666, 39.7853, 8.1318, -25.195, -88.0983],
                [49.2959, 57.3389, -35.0087, 2.3384, -23.4756],
                [-18.7663, 32.4587, -2.481, 1.842, 26.4115],
                [-2.6605, 53.6448, -2.4827, 15.5964, 53.0762],
                [-0.4102, 1.8314, 0.5607, 3.3434, 2.0821],
                [0.1848, 2.979, 1.361, 3.3696, 3.9961],
            ]
        )
    )
    return up_to_the_first_wrong(
        (lambda: bool([make(24, 6, 2), make(24, 4, 4)]), True),
        (lambda: any(name.endswith("bias") for name in learned(6, 2)), False),
        (lambda: learned(6, 2).keys() == attention_shapes(24, 6, 2).keys(), True),
        (lambda: learned(6, 2) == attention_shapes(24, 6, 2), True),
        (lambda: len(attend()) == 2, True),
        (sums, plain),
        (lambda: attend()[1].shape == (2, 6, 5, 5), True),
        (lambda: same(sums_of_weights(), of_weights), True),
        (lambda: bool([make(10, 4, 2, head_dim=4)]), True),
        (lambda: learned(*wide) == attention_shapes(24, *wide), True),
        (lambda: sums(sizes=wide), of_wide),
        (turned_like, turned),
        (lambda: sums(positions, base=30.0), other_base),
        (lambda: sums(None, triangle), of_triangle),
        (lambda: masked_by(holes[:, 0], of_one_mask), True),
        (lambda: masked_by(holes[:, :1], of_one_mask) and masked_by(holes, of_masks), True),
        (unseeing, [False, False]),
        (lambda: same(sums_of_weights(None, triangle, x=300 * x), of_large, atol=1e-2), True),
        (lambda: finite_gradients(example_attention(student, 5)[0], x, mask=blind), True),
        (
            lambda: bad_manners(student, example_attention(student, 5)[0], x, None, blind, learns=learning),
            "none",
        ),
        (lambda: [refuses(make, 12, 6, 4), refuses(make, 10, 4, 2)], [True, True]),
    )


### BEGIN HIDDEN TESTS
def head_by_head(state, x, heads, kv_heads, positions=None, base=10_000.0, mask=None):
    """Output and weights, one head after another; `mask` (batch, heads, n, n)."""
    head_dim = len(state["q_proj.weight"]) // heads
    outputs, weights = [], []
    for i in range(heads):
        own, shared = (slice(j * head_dim, (j + 1) * head_dim) for j in (i, i * kv_heads // heads))
        query, key = x @ state["q_proj.weight"][own].T, x @ state["k_proj.weight"][shared].T
        if positions is not None:
            query, key = turned(query, positions, base), turned(key, positions, base)
        scores = query @ key.transpose(-2, -1) / head_dim**0.5
        seen = scores if mask is None else scores.masked_fill(~mask[:, i], -1e300)
        exps = (seen - seen.amax(-1, keepdim=True)).exp()
        exps = exps if mask is None else exps * mask[:, i]
        weights.append(exps / exps.sum(-1, keepdim=True).clamp(min=1e-300))
        outputs.append(weights[-1] @ (x @ state["v_proj.weight"][shared].T))
    return torch.cat(outputs, dim=-1) @ state["o_proj.weight"].T, torch.stack(weights, dim=1)


@points(0.5, "GroupedQueryAttention", read="modern-groups")
def test_any_number_of_heads_turned(student, device, rng):
    """헤드의 수가 무엇이든 같아야 합니다. 키·값 헤드가 하나일 때도, 질의 헤드만큼 있을 때도, head_dim을 따로 줄 때도 그렇습니다. positions가 있으면 질의와 키를 half 배치로, 받은 밑으로 돌립니다. 값은 그대로 둡니다."""
    for d_model, heads, kv_heads, head_dim, n in [(8, 4, 1, None, 3), (6, 3, 3, None, 1), (5, 4, 2, 6, 4)]:
        layer = student.GroupedQueryAttention(d_model, heads, kv_heads, head_dim=head_dim)
        shapes = attention_shapes(d_model, heads, kv_heads, head_dim)
        count = sum(math.prod(shape) for shape in shapes.values())
        assert sum(t.numel() for t in parameters(student, layer).values()) == count, (
            f"파라미터는 {count}개여야 합니다. 키와 값의 행렬은 키·값 헤드의 수만큼이고 편향은 없습니다."
        )
        state = random_state(shapes, rng)
        layer = with_state(student, layer, state, device)
        x = torch.randn(2, n, d_model, generator=rng, dtype=torch.float64)
        right = head_by_head(state, x, heads, kv_heads)
        for found, expected in zip(layer(x.to(device)), right, strict=True):
            assert_close(found, expected, rtol=1e-10, atol=1e-10)
        names = state if n > 1 else ["o_proj.weight", "v_proj.weight"]
        assert {"0", *names} <= set(reached(layer, x.to(device))), "기울기가 끊긴 곳이 있습니다."
    for kv_heads, base, given in [(2, 10_000.0, {}), (1, 40.0, {"base": 40.0})]:
        layer = student.GroupedQueryAttention(8, 2, kv_heads, **given)
        state = random_state(attention_shapes(8, 2, kv_heads), rng)
        layer = with_state(student, layer, state)
        x = torch.randn(3, 5, 8, generator=rng, dtype=torch.float64)
        positions = torch.tensor([0, 1, 4, 11, 12])
        right = head_by_head(state, x, 2, kv_heads, positions, base)
        for found, expected in zip(layer(x, positions), right, strict=True):
            assert_close(found, expected, rtol=1e-4, atol=1e-5)


@points(0.5, "GroupedQueryAttention", read="modern-groups")
def test_masks(student, device, rng):
    """True가 볼 수 있는 자리입니다. (n, n), (batch, n, n), (batch, 1 또는 헤드, n, n)을 모두 받고, 볼 것이 없는 행은 출력과 가중치가 0이며 기울기가 유한해야 합니다. positions와 함께 주어도 그렇습니다."""
    layer = student.GroupedQueryAttention(8, 4, 2)
    state = random_state(attention_shapes(8, 4, 2), rng)
    layer = with_state(student, layer, state, device)
    x = torch.randn(3, 5, 8, generator=rng, dtype=torch.float64)
    for shape in [(5, 5), (3, 5, 5), (3, 1, 5, 5), (3, 4, 5, 5)]:
        mask = torch.rand(shape, generator=rng) > 0.4
        mask[..., 1, :] = False
        if len(shape) > 2:
            mask[(0, *[-1] * (len(shape) - 3), 3)] = False  # of one picture, of its last head only
        full = (mask[:, None] if mask.dim() == 3 else mask).expand(3, 4, 5, 5)
        right = head_by_head(state, x, 4, 2, mask=full)
        for found, expected in zip(layer(x.to(device), mask=mask.to(device)), right, strict=True):
            assert_close(found, expected, rtol=1e-8, atol=1e-8)
        large = 300 * x  # scores of a hundred thousand: what is hidden must not be the largest
        found, expected = (
            layer(large.to(device), mask=mask.to(device))[1],
            head_by_head(state, large, 4, 2, mask=full)[1],
        )
        assert_close(found, expected, rtol=1e-6, atol=1e-6)
        found = gradients(layer, x.to(device), mask=mask.to(device))
        assert found["inputs"][0].isfinite().all(), "기울기가 NaN이거나 무한대입니다."
    assert_manners(student, layer, x.to(device), None, mask.to(device))
    assert_close(layer(x.to(device))[0], head_by_head(state, x, 4, 2)[0], rtol=1e-8, atol=1e-8)
    state, positions = random_state(attention_shapes(8, 2, 1), rng), torch.tensor([0, 1, 4, 11, 12])
    layer = with_state(student, student.GroupedQueryAttention(8, 2, 1), state, device)
    found = layer(x.to(device), positions.to(device), mask[:, :2].to(device))[0]
    right = head_by_head(state, x, 2, 1, positions, mask=full[:, :2])[0]
    assert_close(found, right, rtol=1e-4, atol=1e-5)


@points(0.25, "GroupedQueryAttention", read="modern-groups", step="robust")
def test_impossible_heads_are_refused(student):
    """나누어지지 않는 헤드의 수에는 ValueError를 냅니다. head_dim을 주면 d_model은 헤드의 수로 나누어지지 않아도 됩니다."""
    student.GroupedQueryAttention(10, 4, 2, head_dim=4)
    assert refuses(student.GroupedQueryAttention, 12, 6, 4), "묶음이 고르지 않은데 받아들였습니다."
    assert refuses(student.GroupedQueryAttention, 10, 4, 2), "d_model이 나누어지지 않는데 받아들였습니다."


### END HIDDEN TESTS


# tiled_attention ----------------------------------------------------------------------------------------------


@secret
def whole_attention(query, key, value, causal=False):
    """Output and log-sum-exp with the whole matrix of scores."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
    return scores.softmax(-1) @ value, scores.logsumexp(-1)


@points(0.25, "tiled_attention", read="modern-tiles", step="warm-up")
def test_tiles_by_hand(student):
    """최댓값이 바뀔 때마다 지금까지의 합과 가중합에 exp(옛 최댓값 - 새 최댓값)을 곱합니다. 나누기는 마지막에 한 번입니다."""
    query, key = torch.tensor([[1.0]]), torch.tensor([[1.0], [3.0], [2.0], [5.0]])
    value = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
    for block in [2, 4]:
        output, _ = both(student.tiled_attention(query, key, value, block), "출력과 로그합")
        assert_close(output, torch.tensor([[3.6881]]), atol=1e-4)
    query, key, value = (scattered((2, 5, 3), seed).float() for seed in [1, 2, 3])
    output, _ = student.tiled_attention(query, 3 * key, value, 2)
    assert_close(output, whole_attention(query, 3 * key, value)[0], atol=1e-5)


@points(0.25, "tiled_attention", read="modern-tiles")
def test_log_sum_exp(student):
    """둘째는 질의마다 나눈 점수의 ln Σ exp(s)입니다. 모양은 (..., n_q)입니다. 최댓값을 다시 더했는지 보십시오."""
    query, key = torch.tensor([[1.0]]), torch.tensor([[1.0], [3.0], [2.0], [5.0]])
    found = both(student.tiled_attention(query, key, torch.ones(4, 2), 2), "출력과 로그합")[1]
    assert_close(found, torch.tensor([5.1852]), atol=1e-4)
    query, key = scattered((2, 5, 4), 4).float(), scattered((2, 6, 4), 5).float()
    found = student.tiled_attention(query, key, torch.ones(2, 6, 1), 4)[1]
    assert_close(found, whole_attention(query, key, torch.ones(2, 6, 1))[1], atol=1e-5)


@observes("tiled_attention")
def observe_tiles(student):
    tiled = student.tiled_attention

    def tensors(n_q=6, n_k=6, d_v=4, batch=(2,)):
        shapes = [(*batch, n_q, 4), (*batch, n_k, 4), (*batch, n_k, d_v)]
        return [2 * scattered(shape, seed).float() for shape, seed in zip(shapes, [6, 7, 8], strict=True)]

    def run(part, *options, **sizes):
        return both(tiled(*tensors(**sizes), *options), "")[part]

    def right(part, causal=False, **sizes):
        return whole_attention(*tensors(**sizes), causal)[part]

    def fine(given, block):
        """Whether a call gives both parts as they must be."""
        found = both(tiled(*(x.clone() for x in given), block), "")
        pairs = zip(found, whole_attention(*given), strict=True)
        return all(torch.allclose(one, other.reshape(one.shape), 1e-3, 1e-4) for one, other in pairs)

    def survives(queries, keys):
        """Whether scores as large as these, one tile each, do no harm."""
        given = [torch.tensor([float(number) for number in row])[:, None] for row in (queries, keys, keys)]
        return attempt(fine, given, 1) is True

    def some_of(batches):
        """Whether an answer takes only some numbers of axes."""
        runs = {attempt(lambda batch=batch: run(0, 2, batch=batch).dim()) != "fails" for batch in batches}
        return runs == {True, False}

    def polite(dtype):
        return bad_manners(student, tiled, *(x.to(dtype) for x in tensors()), 2, True)

    def refuses_all(*calls):
        return all(refuses(tiled, *call) for call in calls)

    return up_to_the_first_wrong(
        (lambda: some_of([(), (2,), (2, 3)]), False),
        (lambda: type(tiled(*tensors(), 2)).__name__ == "Tensor", False),
        (lambda: run(0, 2), right(0)),
        (lambda: run(1, 2), right(1)),
        (lambda: run(0, 2, n_q=5, n_k=5), right(0, n_q=5, n_k=5)),
        (lambda: attempt(fine, tensors(d_v=3), 2) is True, True),
        (lambda: attempt(fine, tensors(n_q=3), 2) is True and attempt(fine, tensors(n_k=4), 2) is True, True),
        (lambda: all(attempt(fine, tensors(), block) is True for block in [1, 6, 9]), True),
        (
            lambda: [
                survives([1], [80, -80]),
                survives([1, -0.75], [80, 79]),
                survives([1], [-200, -201]),
                survives([1], [200, 201]),
            ],
            [True] * 4,
        ),
        # whoever hides a query's own key leaves nothing to the first
        (lambda: run(0, 3, True)[:, 1:], right(0, True)[:, 1:]),
        (lambda: run(0, 3, True), right(0, True)),
        (lambda: [polite(dtype) for dtype in (torch.float64, torch.bfloat16)], ["none", "none"]),
        (lambda: most_memory_of(student, 160, 8)[0] < 160 * 160 * 4, True),
        (lambda: max(most_memory_of(student, 160, 8, True)[1]) < 160 * 160, True),
        (lambda: makes_a_row(student), False),
        (
            lambda: [
                refuses_all((*tensors(), 0), (*tensors(), -1)),
                refuses_all((*tensors(n_q=3), 2, True), (*tensors(n_k=4), 2, True)),
            ],
            [True, True],
        ),
    )


def most_memory(function, *args):
    """The most bytes that are in use at once in tensors which a call makes, and the sizes of these tensors."""
    import weakref

    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Watch(TorchDispatchMode):
        _should_skip_dynamo = classmethod(lambda cls: False)  # torch would load its compiler, for 1.6 s

        def __init__(self):
            super().__init__()
            self.known = {arg.untyped_storage()._cdata for arg in args if isinstance(arg, torch.Tensor)}
            self.used = self.most = 0
            self.sizes = set()

        def __torch_dispatch__(self, operation, types, given=(), named=None):
            result = operation(*given, **(named or {}))
            for tensor in [result] if isinstance(result, torch.Tensor) else tree_leaves(result):
                if isinstance(tensor, torch.Tensor):
                    self.note(tensor.untyped_storage())
            return result

        def note(self, storage):
            if storage._cdata not in self.known:
                self.known.add(storage._cdata)
                self.used += storage.nbytes()
                self.sizes.add(storage.nbytes())
                self.most = max(self.most, self.used)
                weakref.finalize(storage, self.forget, storage._cdata, storage.nbytes())

        def forget(self, number, size):
            self.known.discard(number)
            self.used -= size

    with torch.no_grad(), Watch() as watch:
        function(*args)
    return watch.most, sorted(watch.sizes)


def most_memory_of(student, n, block, causal=False):
    query, key, value = (scattered((n, 4), seed).float() for seed in [1, 2, 3])
    return place(student, most_memory)(student.tiled_attention, query, key, value, block, causal)


def makes_a_row(student):
    """Whether a single query's scores of all keys lie in one tensor."""
    query, key, value = (scattered((n, 4), n).float() for n in (1, 1000, 1000))
    return 4 * len(key) in place(student, most_memory)(student.tiled_attention, query, key, value, 50)[1]


### BEGIN HIDDEN TESTS
@points(0.5, "tiled_attention", read="modern-tiles")
def test_tiles_equal_the_whole(student, device, rng):
    """타일이 n_k를 나누지 않아도, 하나뿐이어도, n_q와 n_k가 달라도 보통의 어텐션과 같아야 하고 기울기도 같아야 합니다. 점수가 수천이어도 넘치지 않고, (n_q, n_k)인 점수를 만들지 않아야 합니다."""
    for n_q, n_k, block, size in [(3, 7, 2, 1.0), (1, 4, 1, 1.0), (5, 5, 9, 1.0), (4, 6, 3, 3000.0)]:
        query = size * torch.randn(2, 3, n_q, 4, generator=rng, dtype=torch.float64)
        key = torch.randn(2, 3, n_k, 4, generator=rng, dtype=torch.float64)
        value = torch.randn(2, 3, n_k, 5, generator=rng, dtype=torch.float64)
        cotangent = torch.randn(2, 3, n_q, 5, generator=rng, dtype=torch.float64)
        given = [query, key, value]
        there = [tensor.to(device) for tensor in given]
        right, right_sum = whole_attention(*given)
        output, log_sum = student.tiled_attention(*there, block)
        assert_close(output, right, rtol=1e-8, atol=1e-9)
        assert_close(log_sum, right_sum, rtol=1e-8, atol=1e-9)
        found = gradients(student.tiled_attention, *there, block, cotangent=cotangent.to(device))["inputs"]
        right = gradients(whole_attention, *given, cotangent=cotangent)["inputs"]
        for i in range(3):
            assert found[i] is not None, "기울기가 끊겼습니다."
            assert_close(found[i], right[i], rtol=1e-6, atol=1e-7)
    # every score is far below 0
    low = [-query.abs() - size, key.abs() + 1, value]
    for found, expected in zip(student.tiled_attention(*low, 2), whole_attention(*low), strict=True):
        assert_close(found, expected, rtol=1e-8, atol=1e-9)
    long = [torch.randn(160, 4, generator=rng) for _ in range(3)]
    _, sizes = place(student, most_memory)(student.tiled_attention, *long, 16, False)
    assert max(sizes) < 160 * 160, "(n_q, n_k) 크기의 텐서를 만듭니다."


@points(0.25, "tiled_attention", read="modern-tiles-causal")
def test_causal_tiles(student, device, rng):
    """causal이면 질의 i는 키 0부터 i까지 봅니다. 열 번호는 타일 안이 아니라 처음부터 셉니다."""
    for n, block in [(6, 2), (5, 3), (1, 4), (7, 1)]:
        query, key, value = torch.randn(3, 2, n, 4, generator=rng, dtype=torch.float64)
        found = student.tiled_attention(query.to(device), key.to(device), value.to(device), block, True)
        for part, expected in zip(found, whole_attention(query, key, value, True), strict=True):
            assert_close(part, expected, rtol=1e-8, atol=1e-9)
    back = gradients(student.tiled_attention, query, key, value, block, causal=True)["inputs"]
    assert all(grad is not None and grad.isfinite().all() for grad in back.values()), (
        "기울기가 유한하지 않습니다."
    )


@points(1, "tiled_attention", read="modern-tiles")
def test_memory_is_linear(student):
    """점수를 (n_q, n_k)로 만들거나 타일을 모아 두면 메모리가 길이의 제곱으로 늘어납니다. 행마다 최댓값, 합, 가중합만 들고 가십시오. 점수가 수천이어도 됩니다."""
    query, key, value = (scattered((256, 4), seed).float() for seed in [1, 2, 3])
    query = query * torch.tensor([1.0, 4000.0]).repeat(128)[:, None]
    for causal in [False, True]:
        output, _ = student.tiled_attention(query, key, value, 16, causal)
        assert_close(output, whole_attention(query, key, value, causal)[0], rtol=1e-3, atol=1e-3)
        used, sizes = place(student, most_memory)(student.tiled_attention, query, key, value, 16, causal)
        assert used < 256 * 256 * 4, f"길이 256에서 한꺼번에 {used // 1024} KiB를 씁니다."
        assert max(sizes) < 256 * 256, "(n_q, n_k) 크기의 텐서를 만듭니다."
    few = query[:64]  # few queries, many keys: blocks of queries would save nothing
    key, value = (x.repeat(8, 1) for x in (key, value))
    used, _ = place(student, most_memory)(student.tiled_attention, few, key, value, 128, False)
    assert used < 64 * 2048 * 4, (
        f"키 2,048개에서 한꺼번에 {used // 1024} KiB를 씁니다. 키를 block개씩 읽으십시오."
    )
    assert not makes_a_row(student), "질의 하나가 모든 키에 매긴 점수를 한꺼번에 들고 있습니다."


@points(0.25, "tiled_attention", read="modern-tiles", step="robust")
def test_tiles_have_manners(student):
    """causal인데 n_q와 n_k가 다르거나 block이 1보다 작으면 ValueError를 냅니다. 자료형과 장치는 입력을 따르고, 입력은 바꾸지 않습니다."""
    given = [scattered((2, 5, 4), seed) for seed in [1, 2, 3]]
    for causal in [False, True]:
        assert_manners(student, student.tiled_attention, *given, 2, causal=causal)
    output = student.tiled_attention(*(tensor.bfloat16() for tensor in given), 2)[0]
    assert output.dtype == torch.bfloat16, f"bfloat16 입력에서 {output.dtype}이 나왔습니다."
    for block in [0, -1]:
        assert refuses(student.tiled_attention, *given, block), "1보다 작은 block을 받아들였습니다."
    assert refuses(student.tiled_attention, given[0][:, :3], *given[1:], 2, True), (
        "causal인데 길이가 다른 것을 받아들였습니다."
    )


### END HIDDEN TESTS


# route --------------------------------------------------------------------------------------------------------


def dense(weights, experts, number_of):
    """The weight of every expert, chosen or not, (tokens, experts): any order of the chosen gives the same."""
    assert not experts.is_floating_point(), "전문가의 번호는 정수여야 합니다."
    return torch.zeros(len(weights), number_of, dtype=weights.dtype).scatter_add(1, experts.long(), weights)


ROUTER = [[2.0, 1.0, 0.0, -1.0], [2.5, 0.5, 0.7, 4.0], [3.0, -5.0, 2.0, -9.0]]
RIGHT_SHARES = {
    1: [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]],
    2: [[0.7311, 0.2689, 0.0, 0.0], [0.1824, 0.0, 0.0, 0.8176], [0.7311, 0.0, 0.2689, 0.0]],
    4: [[0.6439, 0.2369, 0.0871, 0.0321], [0.1729, 0.0234, 0.0286, 0.7751], [0.7309, 0.0002, 0.2689, 0.0]],
}


@points(0.25, "route", read="modern-experts", step="warm-up")
def test_route_by_hand(student):
    """로짓이 가장 큰 k명을 고르고, 고른 로짓에만 소프트맥스를 취합니다. (가중치, 전문가)를 돌려줍니다."""
    weights, experts = both(student.route(torch.tensor(ROUTER[:1]), 2), "가중치와 전문가")
    assert_close(dense(weights, experts, 4), torch.tensor([[0.7311, 0.2689, 0.0, 0.0]]), atol=1e-4)


@observes("route")
def observe_route(student):
    def logits():
        return torch.tensor(ROUTER)

    def run(k):
        return both(student.route(logits(), k), "")

    def kinds():
        return [[list(part.shape), part.is_floating_point()] for part in run(2)]

    def fine(k):
        found = run(k)
        return found[0].shape == (3, k) and same(dense(*found, 4), torch.tensor(RIGHT_SHARES[k]), atol=1e-3)

    return up_to_the_first_wrong(
        (lambda: isinstance(student.route(logits(), 2), torch.Tensor), False),
        (kinds, [[[3, 2], True], [[3, 2], False]]),
        (lambda: run(2)[1].sort().values.tolist(), [[0, 1], [0, 3], [0, 2]]),
        (
            lambda: run(2)[0].sort().values,
            torch.tensor([[0.2689, 0.7311], [0.1824, 0.8176], [0.2689, 0.7311]]),
        ),
        (lambda: fine(2), True),
        (lambda: all(attempt(fine, k) is True for k in [1, 4]), True),
        (lambda: bad_manners(student, student.route, logits().double(), 2), "none"),
        (lambda: [refuses(student.route, logits(), k) for k in [0, 5]], [True, True]),
    )


### BEGIN HIDDEN TESTS
@points(0.25, "route", read="modern-experts")
def test_route_any_number(student, device, rng):
    """k가 1이든 E이든 가중치의 합은 1이고, 기울기가 고른 로짓으로 흘러야 합니다."""
    for tokens, number_of, k in [(5, 4, 2), (3, 6, 6), (4, 3, 1), (1, 5, 3)]:
        logits = 3 * torch.randn(tokens, number_of, generator=rng, dtype=torch.float64)
        weights, experts = student.route(logits.clone().to(device), k)
        all_of_them = logits.softmax(-1)
        kept = all_of_them * (all_of_them >= all_of_them.sort(dim=-1).values[:, -k:][:, :1])
        right = kept / kept.sum(-1, keepdim=True)
        assert_close(dense(weights.cpu(), experts.cpu(), number_of), right)
        if k > 1:
            cotangent = torch.randn(tokens, k, generator=rng, dtype=torch.float64).to(device)
            assert reached(student.route, logits.to(device), k, cotangent=cotangent) == ["0"], (
                "기울기가 로짓으로 흐르지 않습니다."
            )
    weights, _ = student.route(torch.tensor([[1.0, 3.0, 3.0, 3.0]]), 2)  # k of them, whoever is tied
    assert_close(weights.sort().values, torch.tensor([[0.5, 0.5]]))


@points(0.25, "route", read="modern-experts", step="robust")
def test_route_has_manners(student):
    """k가 1보다 작거나 E보다 크면 ValueError를 내십시오. 받은 로짓을 바꾸지 말고, 가중치의 자료형은 로짓을 따르십시오."""
    logits = scattered((3, 4), 1)
    assert student.route(logits.clone(), 2)[0].dtype == torch.float64, "자료형이 로짓을 따르지 않습니다."
    assert mutated(student.route, logits, 2) == [], "입력이 바뀌었습니다."
    for wrong in [0, 5]:
        assert refuses(student.route, logits, wrong), f"k = {wrong}를 받아들였습니다."


### END HIDDEN TESTS


# balance_loss -------------------------------------------------------------------------------------------------

BALANCE = [[2.0, 0.0, -9.0], [2.0, 0.0, -9.0], [0.0, 2.0, -9.0], [2.0, -9.0, 0.0]]


@points(0.25, "balance_loss", read="experts#experts-balance", step="warm-up")
def test_balance_by_hand(student):
    """f는 배정의 몫, P는 모든 전문가에 걸친 소프트맥스의 평균이고, E를 곱합니다. 고르게 나뉘면 1입니다."""
    found = student.balance_loss(torch.tensor(BALANCE), torch.tensor([[0], [0], [1], [0]]))
    assert_close(found, torch.tensor(1.7632), atol=1e-4)
    even = student.balance_loss(torch.zeros(4, 4), torch.tensor([[0, 1], [2, 3], [1, 2], [3, 0]]))
    assert_close(even, torch.tensor(1.0))
    two = student.balance_loss(torch.tensor([[0.4, 0.3, 0.2, 0.1]]).log(), torch.tensor([[2, 1]]))
    assert_close(two, torch.tensor(4 * (0.5 * 0.3 + 0.5 * 0.2)))


@observes("balance_loss")
def observe_balance(student):
    logits = torch.tensor([[2.0, 1.0, -1.0], [1.0, 2.5, -1.0], [1.5, -1.0, 1.0], [0.5, -2.0, 2.0]])
    one, two = torch.tensor([[2], [2], [0], [1]]), torch.tensor([[1, 2], [2, 0], [1, 2], [0, 2]])
    idle = torch.tensor([[0, 1], [1, 0], [0, 1], [1, 0]])  # nobody goes to the last
    loss = student.balance_loss

    def kind():
        found = loss(logits, one)
        return [found.numel(), found.dim() > 0] if isinstance(found, torch.Tensor) else type(found).__name__

    return up_to_the_first_wrong(
        (kind, [1, False]),
        (lambda: [attempt(loss, logits, one), attempt(loss, logits, two)], [torch.tensor(0.97948)] * 2),
        (lambda: same(loss(logits, idle), torch.tensor(1.04103)), True),
        (lambda: bad_manners(student, loss, logits, two), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.25, "balance_loss", read="experts#experts-balance")
def test_balance_of_any_size(student, device, rng):
    """k가 몇이든 f는 배정 T·k개의 몫입니다. 아무도 가지 않은 전문가도 셉니다. 기울기는 P로만 흐릅니다."""
    for tokens, number_of, k in [(6, 4, 2), (3, 7, 3), (5, 2, 1)]:
        logits = torch.randn(tokens, number_of, generator=rng, dtype=torch.float64, requires_grad=True)
        drawn = [torch.randperm(number_of - 1, generator=rng)[:k] for _ in range(tokens)]
        experts = torch.stack(drawn)  # different ones for each token; the last gets nobody
        share = torch.tensor([(experts == e).sum() / (tokens * k) for e in range(number_of)])
        exps = logits.exp()
        right = number_of * (share * (exps / exps.sum(1, keepdim=True)).mean(0)).sum()
        there = (logits.detach().to(device), experts.to(device))
        assert_close(student.balance_loss(*there), right.detach(), rtol=1e-6, atol=1e-7)
        right.backward()
        assert reached(student.balance_loss, *there) == ["0"], "기울기가 로짓으로 흐르지 않습니다."
        found = gradients(student.balance_loss, *there)["inputs"][0]
        assert_close(found, logits.grad, rtol=1e-6, atol=1e-7)


@points(0.25, "balance_loss", read="experts#experts-balance", step="robust")
def test_balance_has_manners(student):
    """안에서 만드는 텐서는 로짓의 장치에 두고, 받은 텐서를 바꾸지 마십시오."""
    assert_manners(
        student, student.balance_loss, scattered((3, 4), 1), torch.tensor([[0, 1], [2, 0], [1, 0]])
    )


### END HIDDEN TESTS


# Llama --------------------------------------------------------------------------------------------------------

SIZES = dict(
    vocab_size=13,
    hidden_size=8,
    intermediate_size=6,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=None,
    rms_norm_eps=0.1,
    rope_parameters={"rope_theta": 30.0, "rope_type": "default"},
)


def model_shapes(sizes):
    width, vocab = sizes["hidden_size"], (sizes["vocab_size"], sizes["hidden_size"])
    shapes = {"model.embed_tokens.weight": vocab, "model.norm.weight": (width,), "lm_head.weight": vocab}
    attention = attention_shapes(
        width, sizes["num_attention_heads"], sizes["num_key_value_heads"], sizes["head_dim"]
    )
    network = swiglu_shapes(width, sizes["intermediate_size"])
    for i in range(sizes["num_hidden_layers"]):
        layer = {"input_layernorm.weight": (width,), "post_attention_layernorm.weight": (width,)}
        layer |= {f"self_attn.{name}": shape for name, shape in attention.items()}
        layer |= {f"mlp.{name}": shape for name, shape in network.items()}
        shapes |= {f"model.layers.{i}.{name}": shape for name, shape in layer.items()}
    return shapes


def example_model(student, silent=False, **changes):
    """A small model and its weights; silent layers add nothing."""
    sizes = {**SIZES, **changes}
    state = fixed_state(model_shapes(sizes))
    for name in state:
        state[name] = state[name] * (0 if silent and ("o_proj" in name or "down_proj" in name) else 1)
    model = student.Llama(student.LlamaConfig(**sizes))
    return with_state(student, model, state), state


IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


@secret
def around_silent_layers(state, ids, eps):
    hidden = normed(state["model.embed_tokens.weight"][ids], state["model.norm.weight"], eps)
    return hidden @ state["lm_head.weight"].T


@points(0.5, "Llama", read="modern-llama", step="warm-up")
def test_model_around_silent_layers(student):
    """층들이 아무것도 더하지 않으면 로짓은 norm(embed_tokens[ids])와 lm_head의 행들의 내적입니다. 엡실론은 설정의 것입니다."""
    model, state = example_model(student, silent=True)
    assert_close(model(IDS), around_silent_layers(state, IDS, 0.1), atol=1e-5)


# with these, whatever a model should read from its configuration is as its parts have it by default
DEFAULTS = {
    **SIZES,
    "hidden_size": 16,
    "num_key_value_heads": 4,
    "rms_norm_eps": 1e-6,
    "rope_parameters": {"rope_theta": 10_000.0, "rope_type": "default"},
}


# a right model's logits at each position of IDS, weighed and summed: as they are, with eps 0.1, with base 30
RIGHT_SUMS, SUMS_WITH_EPS, SUMS_WITH_BASE = torch.tensor(
    [
        [
            [-3.46295, -2.15484, -2.61994, -1.59281, -0.82261],
            [-0.77587, 0.01991, -0.28587, 0.01123, -2.16701],
        ],
        [
            [-3.12105, -1.50279, -2.48566, -1.29687, -0.64524],
            [-0.95086, 0.46034, -0.05707, 0.45209, -2.07368],
        ],
        [
            [-3.46295, -2.36556, -2.38287, -1.36407, -0.43714],
            [-0.77587, 0.04859, -0.25187, 0.05302, -1.65776],
        ],
    ]
)


@observes("Llama")
def observe_llama(student):
    shapes = model_shapes(DEFAULTS)
    numbers = sum(math.prod(shape) for shape in shapes.values())

    def made(**changes):
        return student.Llama(student.LlamaConfig(**{**DEFAULTS, **changes}))

    def misfits():
        """The parts whose parameters have another name or shape, and whether there are too few."""
        found = parameters(student, made(), *shapes)
        wrong = [name for name in shapes if name not in found or tuple(found[name].shape) != shapes[name]]
        return [sorted({name.split(".")[-2] for name in wrong}), bool(wrong) and surplus() < 0]

    def surplus(**changes):
        return sum(t.numel() for t in parameters(student, made(**changes)).values()) - numbers

    def kinds_of_surplus():
        return min(surplus(), 1 + DEFAULTS["vocab_size"])  # more than a bias of the head

    def rows(part, **changes):
        name = f"model.layers.0.self_attn.{part}.weight"
        return len(parameters(student, made(**changes), name)[name])

    def sums(**changes):
        logits = example_model(student, **{**DEFAULTS, **changes})[0](IDS)
        return logits.double() @ scattered((13,), 2)

    def found_by_gradient():
        cotangent = scattered((2, 5, 13), 1).float()
        return gradients(model(), IDS % 9, cotangent=cotangent)["parameters"]

    def learns(part):
        grad = attempt(found_by_gradient)
        return grad != "fails" and grad[part] is not None and bool(grad[part].any())

    def learns_token_zero():
        return bool(found_by_gradient()["model.embed_tokens.weight"][0].any())

    def model():
        return example_model(student, **DEFAULTS)[0]

    return up_to_the_first_wrong(
        (misfits, [[], False]),
        (kinds_of_surplus, 0),
        (lambda: list(model()(IDS).shape), [2, 5, 13]),
        (sums, RIGHT_SUMS),
        (lambda: same(sums(rms_norm_eps=0.1), SUMS_WITH_EPS), True),
        (lambda: same(sums(rope_parameters=SIZES["rope_parameters"]), SUMS_WITH_BASE), True),
        (lambda: rows("k_proj", num_key_value_heads=2), 8),
        (lambda: rows("q_proj", head_dim=6), 24),
        (lambda: surplus(tie_word_embeddings=True), -math.prod(shapes["lm_head.weight"])),
        (lambda: learns("model.layers.0.self_attn.k_proj.weight"), True),
        (learns_token_zero, True),
        (lambda: follows_device(student, model(), IDS), True),
    )


### BEGIN HIDDEN TESTS
FAR = {"rope_theta": 500_000.0, "rope_type": "default"}
OTHER_SIZES = {**SIZES, "head_dim": 6, "num_key_value_heads": 4, "rope_parameters": FAR, "rms_norm_eps": 1e-6}


@cache  # made once, with other weights in each submission: making one takes longer than asking it
def empty_llama(other):
    """Hugging Face's Llama, whose every computation is in float64.

    It normalises and turns in float32 whatever the weights are; here these two casts, too, are to float64.
    """
    import transformers
    from torch.overrides import TorchFunctionMode

    class InFloat64(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            def wide(value):
                return torch.float64 if value is torch.float32 else value

            if function is torch.Tensor.float:
                function = torch.Tensor.double
            kwargs = {name: wide(value) for name, value in (kwargs or {}).items()}
            return function(*map(wide, args), **kwargs)

    class Oracle:
        def __init__(self):
            with InFloat64():
                config = transformers.LlamaConfig(**OTHER_SIZES if other else SIZES)
                self.model = transformers.LlamaForCausalLM(config).double().eval()

        def __call__(self, ids):
            with InFloat64():
                return self.model(ids).logits

    return Oracle()


def hugging_face(rng, other):
    """A tiny Llama of the one sizes or the others, with random weights, and these."""
    oracle = empty_llama(other)
    state = random_state({name: p.shape for name, p in oracle.model.named_parameters()}, rng)
    oracle.model.load_state_dict(state, strict=False)
    return oracle, state


@points(0.75, "Llama", read="modern-llama")
def test_equals_hugging_face(student, device, rng):
    """같은 가중치의 Hugging Face Llama와 로짓이나 기울기가 다릅니다. 마스크, 위치, 회전의 밑, head_dim, 정규화의 자리를 차례로 비교해 보십시오."""
    for other in [False, True]:
        oracle, state = hugging_face(rng, other)
        config = student.LlamaConfig(**OTHER_SIZES if other else SIZES)
        model = with_state(student, student.Llama(config), state, device)
        for n in [1, 6, 6]:
            ids = torch.randint(0, 13, (3, n), generator=rng)
            ids[0, 0] = 0  # a token like any other
            expected = oracle(ids)
            close = 1e-10 if n == 1 else 1e-5  # angles other than 0 may be in float32
            assert_close(model(ids.to(device)), expected.detach(), rtol=close, atol=close)
        cotangent = torch.randn(expected.shape, generator=rng, dtype=torch.float64)
        found = gradients(model, ids.to(device), cotangent=cotangent.to(device))["parameters"]
        names = ["model.embed_tokens.weight", "model.layers.0.self_attn.k_proj.weight"]
        known = dict(oracle.model.named_parameters())
        rights = torch.autograd.grad((expected * cotangent).sum(), [known[name] for name in names])
        for name, right in zip(names, rights, strict=True):
            assert found.get(name) is not None, "기울기가 흐르지 않는 파라미터가 있습니다."
            assert_close(found[name], right, rtol=1e-4, atol=1e-4)


@points(0.25, "Llama", read="modern-llama", step="robust")
def test_parameters_are_those_of_the_configuration(student):
    """tie_word_embeddings이면 lm_head.weight와 embed_tokens.weight가 한 파라미터이고, 아니면 둘입니다. 층마다 파라미터가 따로 있어야 합니다. 마스크와 위치는 ids의 장치에 만드십시오."""
    for tied in [False, True]:
        model = student.Llama(student.LlamaConfig(**SIZES, tie_word_embeddings=tied))
        found = sum(t.numel() for t in parameters(student, model).values())
        right = sum(math.prod(shape) for shape in model_shapes(SIZES).values())
        right -= SIZES["vocab_size"] * SIZES["hidden_size"] * tied
        assert found == right, f"파라미터가 {right}개여야 하는데 {found}개입니다."
    assert follows_device(student, model, torch.tensor([[1, 2, 0]])), (
        "위치나 마스크가 입력과 다른 장치에 있습니다."
    )


### END HIDDEN TESTS
