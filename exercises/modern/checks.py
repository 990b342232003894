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
from grader.judging.values import values_of

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


def with_state(student, module, state, device="cpu"):
    """The student's module with these weights."""
    load(student, module, state, typed=True, device=device)
    return module  # as it is made, for training: nothing here is dropped


# RMSNorm ------------------------------------------------------------------------------------------------------


normed = values_of(
    [
        ([['float32', 2, 4, 7, 20.736806, 12.8], ['float32', 4, 4, 2.6944525, 4.5], 0.1], {'dtype': 'float32', 'shape': [2, 4], 'values': [0.28171808, 1.1268723, 0.42257711, -1.6903085, -1.1952286, 0.0, 0.11952286, -0.47809145]}),
        ([['float32', 4, 4, 16, 36.189768, 27.168446], ['float32', 4, 4, 2.6944525, 4.5], 1e-06], {'dtype': 'float32', 'shape': [4, 4], 'values': [0.84361923, -3.1268749, -0.079269908, 0.90489447, 1.2045665, 1.6165825, 0.4225356, -1.0869862, 1.4810468, 1.4455805, 0.53742641, -0.35883722, 0.12288094, -1.9053793, -0.66792703, -1.1370003]}),
        ([['float32', 4, 4, 16, 36.189768, 27.168446], ['float32', 4, 4, 6.1462644, 4.0], 1e-06], {'dtype': 'float32', 'shape': [4, 4], 'values': [0.84361923, -1.5634375, -0.15853982, -0.90489447, 1.2045665, 0.80829126, 0.8450712, 1.0869862, 1.4810468, 0.72279024, 1.0748528, 0.35883722, 0.12288094, -0.95268965, -1.3358541, 1.1370003]}),
        ([['float32', 2, 4, 8, -5.6795465, 8.2509916], ['float32', 4, 4, 2.6944525, 4.5], 0.1], {'dtype': 'float32', 'shape': [2, 4], 'values': [0.83480924, -3.0942209, -0.078442089, 0.89544463, 0.60012454, 0.80539423, 0.21051058, -0.54154515]}),
        ([['float32', 4, 4, 16, 0.018094883, 0.013584223], ['float32', 4, 4, 6.1462644, 4.0], 1e-06], {'dtype': 'float32', 'shape': [4, 4], 'values': [0.62045443, -1.1498573, -0.11660086, -0.66552043, 0.99241179, 0.66593063, 0.69623274, 0.89554036, 0.89388037, 0.43623739, 0.64872354, 0.21657489, 0.043105785, -0.33419693, -0.46860835, 0.39885184]}),
        ([['float32', 2, 3, 4, 24, -37.017441, 45.947964], ['float32', 4, 4, 2.6944525, 4.5], 1e-06], {'dtype': 'float32', 'shape': [2, 3, 4], 'values': [-1.7574782, -0.95081431, -0.41325119, 0.046382297, 0.19343336, 2.6576459, -0.29801941, -1.3570373, -1.3612611, 2.6577041, 0.011046708, -0.61695337, -0.39077806, -0.78658414, 0.94035667, 0.39437309, -1.2442304, 2.030838, -0.4904784, 0.67715442, -0.94054222, -1.3939133, -0.61018783, 1.0678546]}),
        ([['float32', 4, 4, 16, 36.189768, 27.168446], ['float32', 4, 4, 2.6944525, 4.5], 0], {'dtype': 'float32', 'shape': [4, 4], 'values': [0.84361929, -3.1268752, -0.079269916, 0.90489459, 1.2045666, 1.6165826, 0.42253563, -1.0869863, 1.4810472, 1.4455808, 0.53742659, -0.35883731, 0.12288105, -1.905381, -0.66792762, -1.1370013]}),
    ]
)


slope_of_normed = values_of(
    [
        ([['float32', 4, 4, 16, 36.189768, 27.168446], ['float32', 4, 4, 2.6944525, 4.5], 1e-06, ['float32', 4, 4, 16, -4.5347132, 8.1233587]], {'dtype': 'float32', 'shape': [4, 4], 'values': [-0.15454382, -0.1968582, -0.030419836, 0.20137399, -0.39002466, 0.16400275, 0.085545547, 0.24375343, -0.10020389, 0.43010992, -0.30712211, 0.46717221, 0.53600234, 0.41782758, -0.66710931, -0.4916141]}),
    ]
)


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




# SwiGLU -------------------------------------------------------------------------------------------------------


def swiglu_shapes(d_model, d_ff):
    return {
        "gate_proj.weight": (d_ff, d_model),
        "up_proj.weight": (d_ff, d_model),
        "down_proj.weight": (d_model, d_ff),
    }


gated = values_of(
    [
        ([[['float32', 3, 5, 15, -8.6081428, 8.6500545], ['float32', 5, 3, 15, -0.17695253, 7.6926393], ['float32', 5, 3, 15, 10.242228, 8.2505188]], ['float32', 2, 4, 3, 24, -45.782661, 29.295003]], {'dtype': 'float32', 'shape': [2, 4, 3], 'values': [0.58054656, -2.589987, -4.3048568, 1.1237364, -2.2574563, -3.3427296, 0.65963244, -0.19135785, -0.49417773, 0.15846142, 0.037573472, -0.0022279173, 1.1181939, -0.49392989, -0.99860853, 5.0178275, -3.3436406, -3.0589325, 0.77499121, -2.5175865, -4.4153638, 2.1874356, 0.28799218, 2.1381884]}),
    ]
)


slopes_of_gated = values_of(
    [
        ([[['float32', 3, 5, 15, -8.6081428, 8.6500545], ['float32', 5, 3, 15, -0.17695253, 7.6926393], ['float32', 5, 3, 15, 10.242228, 8.2505188]], ['float32', 2, 4, 3, 24, -45.782661, 29.295003]], [{'dtype': 'float32', 'shape': [5, 3], 'values': [-19.730995, 0.29444408, 24.6094, 1.2264701, 1.8925897, -0.28640971, -1.9448302, 0.34740672, 3.1812866, -0.98475528, 4.215467, 5.7349467, -5.7024274, -9.4089451, -2.0342705]}, {'dtype': 'float32', 'shape': [5, 3], 'values': [-5.4761291, 6.7730541, 21.532602, -0.59118873, -2.2791646, 0.0072320849, -1.1807017, -0.50678593, -0.18614675, 1.557741, -2.9531624, -4.007566, 6.2527618, 6.2587905, -3.0833139]}, {'dtype': 'float32', 'shape': [3, 5], 'values': [8.057416, -2.4965785, 1.2278403, -14.34001, -3.0507567, 8.057416, -2.4965785, 1.2278403, -14.34001, -3.0507567, 8.057416, -2.4965785, 1.2278403, -14.34001, -3.0507567]}]),
    ]
)


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




# GroupedQueryAttention ----------------------------------------------------------------------------------------


def attention_shapes(d_model, heads, kv_heads, head_dim=None):
    head_dim = head_dim or d_model // heads
    return {
        "q_proj.weight": (heads * head_dim, d_model),
        "k_proj.weight": (kv_heads * head_dim, d_model),
        "v_proj.weight": (kv_heads * head_dim, d_model),
        "o_proj.weight": (d_model, heads * head_dim),
    }


torch_attention = values_of(
    [
        ([[['float32', 8, 24, 192, -87.251445, 91.158715], ['float32', 24, 24, 576, -233.712, 294.80231], ['float32', 24, 24, 576, 136.79165, 281.2626], ['float32', 8, 24, 192, 163.11685, 100.46516]], ['float32', 2, 5, 24, 240, -32.502603, 240.75931], 6], ({'dtype': 'float32', 'shape': [2, 5, 24], 'values': [-7.4257317, 2.6277897, 3.8620253, 7.1053362, -5.493875, -2.2070832, -2.4408679, 7.1455159, 4.8284163, -11.502314, 19.852503, 9.7883186, 9.2115059, 12.579261, -3.3258574, 6.8056502, 6.5174561, -18.692713, -5.194634, -1.3648251, -6.3792167, -8.6989946, -6.4229541, -6.598887, 3.5115428, 15.544286, 9.287818, 0.99680471, 13.050543, 6.4950285, -1.5854342, 3.7816064, -18.129328, 4.0576015, 9.3489771, 12.227222, 6.960536, -2.5238822, 0.93308634, -1.3691623, -18.963804, -27.399391, -4.6100101, 16.36511, 2.422045, 4.7294703, 3.8262086, 17.951649, 0.81306314, 10.924576, 5.9276352, 10.683243, 5.0490613, 10.303339, 0.66744012, -0.20035683, 14.176829, -4.675736, 31.509161, 5.766818, 7.4615493, 0.19761962, -6.5088687, 6.0513058, 6.294405, -5.3310738, -5.651495, -7.4820151, 5.6606717, -5.7433867, 14.254469, 7.601088, 8.5672255, 6.6919036, 6.8289709, -6.0090184, 6.7422628, -1.5243787, -8.2110176, 5.2241349, 5.1535106, 4.4463563, 1.534482, 19.720995, 6.2933931, -11.478866, 0.87753558, -2.8127627, -4.9979653, -15.685455, -4.4852724, 6.1042156, -3.4695125, 8.7489882, -2.63288, 5.5571585, -7.4919796, 2.2433162, 4.9470758, 1.5750237, -2.8514287, 2.0652087, -0.46291351, 8.8342972, 11.866837, -3.9118328, 28.742065, 12.377718, 10.929609, 8.939868, -8.4772778, 5.1336927, 8.2523575, -9.958231, -1.9572618, -7.7776699, -5.2175617, -5.9690742, 4.0306339, -1.6517429, -1.201285, -15.818496, 18.067934, 10.539464, -14.779514, 6.0790448, 8.2942038, -0.62239718, -0.46404189, -4.5329118, 19.34429, 7.685308, 6.136755, 10.169885, -19.268782, 34.839314, 11.478186, -15.824519, -20.030867, -0.17950019, 8.5042648, -16.086353, 0.86950755, -17.432743, 7.499486, 5.0337057, 9.9620628, -4.7877264, 0.8779875, 3.5703483, -4.7883124, -3.4205081, -3.2796574, 3.8745604, 5.848845, 12.571646, 6.3277822, -6.1658492, 1.2965355, -4.9371786, -2.9533689, -19.552717, 0.34588498, 12.5759, 2.4463301, 5.3870192, 6.0100312, 9.1018581, -10.971272, 7.9323244, -11.529882, 11.251588, -6.0284209, 1.4642644, 13.192766, -19.83378, 3.5577538, -11.346571, 21.631243, 10.473857, -6.4549904, 11.215226, -4.0118432, 8.0859594, -4.0929132, -3.7992177, 2.7857082, -9.6951714, 2.6423461, -23.235579, -5.5527368, -2.2866399, -9.5943975, 33.290688, -6.6240101, 12.393277, 8.9125824, -11.622584, 7.625586, -6.3338709, 15.316486, -11.512373, 28.101732, 16.388742, -4.6025748, -16.602009, 9.9710302, -7.7229347, -15.9232, 1.7798443, 1.8882878, -10.803548, 2.1456358, -10.855946, -2.9710622, -4.6528749, 8.6644306, -12.71517, 11.46758, -12.293903, -4.3318272, 11.076527, 23.874325, -7.6066694, -2.3111, 5.9188623, 10.383422, 0.84147072, -0.29943371, -4.9382849, -20.996981, 18.409838, 2.7132568, -0.53320813, -15.422022, -4.1840954, 18.902637, -5.7183566, 8.0968666, -7.5525947]}, {'dtype': 'float32', 'shape': [2, 6, 5, 5], 'values': [0.24655211, 0.75343919, 8.747088e-06, 3.4290892e-08, 1.3143707e-08, 0.0063097067, 0.005925694, 0.98771369, 5.0308721e-05, 6.4179011e-07, 2.5840865e-05, 3.777042e-05, 0.99948657, 0.00044978756, 2.4426484e-08, 0.25543696, 0.74449944, 7.7838763e-07, 3.747094e-08, 6.2833249e-05, 0.047861315, 0.52599037, 0.41798276, 1.1241771e-05, 0.008154327, 0.0058792001, 0.48517078, 0.50893295, 4.6182156e-09, 1.7050954e-05, 0.00030808948, 0.99969196, 2.3048168e-09, 1.2468347e-16, 6.3203417e-16, 1.9481667e-13, 7.9126636e-08, 0.0023218477, 3.5448047e-10, 0.9976781, 0.00023312945, 0.98000354, 0.01976252, 3.1755465e-10, 6.594376e-07, 4.300236e-23, 1.3329057e-12, 5.2212058e-06, 2.3183271e-22, 0.99999475, 0.0054918858, 2.1681266e-09, 8.2996263e-11, 0.99450809, 8.4073325e-11, 1.5080096e-09, 4.631378e-18, 1.8035681e-16, 1.0, 1.5237473e-16, 5.4095396e-12, 1.7244249e-08, 0.52228928, 7.6877178e-11, 0.47771072, 0.99201596, 1.9335439e-06, 3.3699742e-08, 0.0079820938, 5.6184231e-09, 0.08210516, 0.00028101521, 2.4140073e-07, 0.91761249, 1.1129475e-06, 0.0037397626, 0.00057686714, 0.0072456826, 0.98840106, 3.6593305e-05, 4.9579787e-18, 0.071569577, 0.00015151141, 3.7177171e-12, 0.92827892, 2.182943e-07, 4.9305371e-10, 3.1064346e-12, 0.99999976, 3.0831639e-17, 1.0411615e-06, 0.00018354676, 8.8489571e-07, 1.2198189e-13, 0.99981457, 9.7616453e-07, 0.00011031507, 2.255871e-09, 0.99988866, 3.1657163e-11, 2.0674443e-06, 6.0043076e-06, 0.99631774, 0.00034559509, 0.0033285595, 4.6950868e-06, 0.0064954017, 6.1132865e-05, 1.0536175e-09, 0.99343878, 0.99996316, 1.9341871e-10, 2.8249174e-17, 3.6830465e-05, 4.5576709e-17, 8.9503949e-08, 3.8412051e-09, 1.8951701e-08, 0.99999988, 7.1865162e-14, 0.71542674, 2.9742268e-11, 7.2313115e-09, 0.28457332, 1.0247947e-13, 3.2081648e-06, 0.00059285801, 0.0022006633, 7.7042737e-09, 0.99720323, 5.9407329e-10, 0.0024683401, 3.2061899e-07, 0.99753129, 1.9749202e-09, 0.095369704, 1.3731252e-05, 0.014676347, 3.5936001e-08, 0.88994014, 3.8544648e-08, 0.95925111, 0.00010335678, 0.040448226, 0.00019722256, 2.6238893e-09, 2.2424615e-09, 0.9616977, 3.3703923e-10, 0.038302332, 2.4791998e-08, 2.6434014e-27, 1.0, 1.5684056e-12, 6.6356653e-13, 3.1362562e-12, 7.4926453e-26, 1.0, 3.1864577e-13, 2.2750335e-15, 0.0086377617, 0.93476051, 4.2009529e-09, 0.00051112729, 0.056090631, 6.8519963e-05, 0.99941385, 2.4125238e-06, 0.00046920628, 4.6103843e-05, 3.0220797e-08, 3.7617037e-13, 0.99999988, 1.0892396e-07, 1.9790355e-11, 6.388113e-11, 5.3617451e-25, 1.0, 1.386811e-12, 7.9105267e-17, 3.303682e-08, 7.474691e-14, 1.0, 5.2013384e-08, 5.209241e-12, 2.8404256e-06, 0.013500821, 0.98375523, 0.0027411124, 2.5703049e-09, 1.0775239e-11, 0.99999666, 1.6169052e-17, 2.1241018e-09, 3.3209469e-06, 0.13515012, 4.0484185e-05, 0.63449955, 0.015032732, 0.21527712, 5.0898422e-15, 1.0, 1.5366803e-19, 1.8871776e-11, 5.5785976e-14, 0.0070202257, 2.076971e-10, 0.99222422, 0.00011591672, 0.00063969335, 0.0013730511, 0.00011980517, 2.083038e-14, 1.901082e-07, 0.99850696, 0.16693783, 4.0892273e-10, 0.49022961, 0.0001931482, 0.34263942, 6.399946e-07, 0.99937207, 0.0001165394, 0.00051080616, 3.4347398e-08, 5.2305808e-05, 0.00012123227, 0.99982649, 7.325391e-11, 4.3634475e-12, 2.3446562e-08, 0.99797314, 7.2846322e-17, 6.4256926e-11, 0.0020268054, 5.7742098e-05, 8.47329e-14, 0.99981433, 0.00011767609, 1.0323385e-05, 0.0025143768, 0.97448915, 6.3729378e-05, 1.3726452e-06, 0.022931365, 0.0020686532, 0.26635841, 0.73157078, 2.0867594e-06, 1.1962214e-07, 1.1223733e-06, 0.00022262747, 1.2778231e-07, 4.4486693e-05, 0.9997316, 0.00089593267, 1.2240663e-06, 0.00026645439, 0.61093897, 0.38789743, 0.00010291564, 0.99979371, 3.6534076e-10, 0.00010345885, 5.3377494e-08, 5.1986717e-06, 0.0001162868, 0.99932611, 3.0683539e-10, 0.0005523549, 1.4264154e-08, 3.314777e-15, 0.9999994, 2.9919104e-08, 5.5464136e-07, 1.6416861e-11, 1.0, 3.6353947e-12, 1.3510522e-16, 1.5300402e-13, 0.082295343, 0.00015662992, 0.014308201, 0.6412546, 0.26198515, 1.3873128e-06, 0.99999821, 6.0995751e-13, 4.1135641e-07, 3.7719197e-10, 0.00099812343, 0.99292552, 1.0818244e-06, 0.0019004192, 0.0041749082, 0.0047722766, 0.028035225, 0.93920511, 0.027978409, 8.9350015e-06]})),
    ]
)


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




# tiled_attention ----------------------------------------------------------------------------------------------


whole_attention = values_of(
    [
        ([['float32', 2, 5, 3, 30, 14.024207, 13.912481], ['float32', 2, 5, 3, 30, 19.784512, 45.302366], ['float32', 2, 5, 3, 30, -12.194863, 14.186633]], ({'dtype': 'float32', 'shape': [2, 5, 3], 'values': [-0.075852655, 0.37473029, -0.33250612, -0.45747158, -0.093571506, 0.00089944154, -0.12871963, 0.13778822, -0.04396297, -0.074202701, 0.061767492, 0.11319766, -0.0057868324, 0.071949303, 0.16797593, -0.24640583, -0.12947157, -0.087005042, -0.096847884, 0.31120902, -0.12791264, -0.4822664, -0.55350578, -0.18669476, -0.54029351, -0.5450291, -0.13733192, -0.22129795, -0.062103331, -0.018427029]}, {'dtype': 'float32', 'shape': [2, 5], 'values': [2.6151748, 1.1341033, 1.108404, 1.3860021, 1.8356485, 1.5165097, 2.2134261, 1.3604107, 2.7343631, 1.6856434]})),
        ([['float32', 2, 5, 4, 40, -26.031763, 17.198545], ['float32', 2, 6, 4, 48, -4.2591606, 27.280111], ['float32', 2, 6, 1, 12, 29.249005, 12.0]], ({'dtype': 'float32', 'shape': [2, 5, 1], 'values': [1.0, 0.99999988, 1.0, 1.0, 1.0, 1.0, 1.0000001, 1.0, 1.0, 1.0]}, {'dtype': 'float32', 'shape': [2, 5], 'values': [1.7624195, 1.8032643, 1.7823447, 1.9797376, 1.8913453, 2.1127009, 1.9107653, 1.8307501, 1.9515696, 1.9294519]})),
        ([['float32', 2, 6, 4, 48, 25.916915, 47.559712], ['float32', 2, 6, 4, 48, 61.447565, 51.425178], ['float32', 2, 6, 4, 48, 37.764595, 48.036926], False], ({'dtype': 'float32', 'shape': [2, 6, 4], 'values': [0.099496901, 0.13524736, 0.030759228, 0.65077931, -0.067238204, 0.24322882, -0.085290931, 0.44750473, 0.36038983, -0.35865688, -0.77927524, 0.76252747, 0.68239325, -0.035065021, -0.48052654, 0.77375793, 0.51406455, 0.4816938, 0.18527323, 0.4271186, 0.21411203, -0.091570646, -1.115023, 0.11060455, -0.68570882, 1.2841032, 1.073267, -1.132138, 0.24232821, 0.60675806, 0.24536629, -0.42537192, 0.24141181, 0.30684927, 0.47574827, -0.66167539, 0.90256929, 0.56191635, 0.055207029, 0.20700908, 1.1144838, 0.010737725, 0.58616471, 0.65663218, -0.90547097, 1.4311149, 1.1912966, -1.3308417]}, {'dtype': 'float32', 'shape': [2, 6], 'values': [3.7249846, 2.2762713, 3.3863919, 2.7935498, 3.1386924, 1.0967895, 2.3541837, 2.8297141, 2.3810358, 2.1033583, 2.1387763, 4.4610734]})),
        ([['float32', 2, 5, 4, 40, 43.563325, 39.398572], ['float32', 2, 5, 4, 40, 43.08829, 45.926329], ['float32', 2, 5, 4, 40, 20.146175, 38.681008], False], ({'dtype': 'float32', 'shape': [2, 5, 4], 'values': [0.09761744, 0.13347928, 0.032745138, 0.65448761, -0.1103778, 0.21413898, -0.052388817, 0.50952601, 0.35349888, -0.37413189, -0.7784937, 0.78374422, 0.67304611, -0.071327522, -0.4666509, 0.84086269, 0.48558679, 0.45190156, 0.25623661, 0.52430058, 0.52618599, 0.65513229, 0.17408122, -0.27135786, -0.62421519, 1.346447, 0.95208758, -1.1267537, 0.21547595, 0.64251184, 0.047523219, -0.36586681, 0.15392546, 0.23421024, -0.025468603, -0.71998209, 1.0633134, 0.63423824, -0.41198796, 0.55101115]}, {'dtype': 'float32', 'shape': [2, 5], 'values': [3.7227159, 2.2337935, 3.3743019, 2.756038, 3.071991, 1.2191188, 2.3558559, 2.6943102, 2.2880077, 1.8234061]})),
        ([['float32', 2, 6, 4, 48, 25.916915, 47.559712], ['float32', 2, 6, 4, 48, 61.447565, 51.425178], ['float32', 2, 6, 4, 48, 37.764595, 48.036926], True], ({'dtype': 'float32', 'shape': [2, 6, 4], 'values': [-1.4651395, 0.12072811, -0.68288708, -0.35366073, 0.38367879, 0.79652339, 0.38370395, 0.49408919, 0.25476801, 0.11972272, 0.00076651573, 0.99368781, 0.89361227, -0.22910735, -0.73281056, 1.1612967, 0.48558679, 0.45190156, 0.25623661, 0.52430058, 0.21411203, -0.091570646, -1.115023, 0.11060455, -0.5824427, -0.43997908, 0.1464871, -1.404261, 0.78471446, 0.21356657, -0.55634618, 0.16371328, -0.24443217, 0.11204693, 0.13964885, -0.93076348, 1.0698109, 0.62092894, -0.39142928, 0.62403369, 1.2866902, 0.090540931, 0.5360899, 0.83957464, -0.90547097, 1.4311149, 1.1912966, -1.3308417]}, {'dtype': 'float32', 'shape': [2, 6], 'values': [-0.58505589, 1.7157841, 2.0754721, 2.5016646, 3.071991, 1.0967895, -3.0786951, 2.2277079, 1.9182594, 1.7768664, 2.0495858, 4.4610734]})),
        ([['float32', 2, 6, 4, 48, 25.916915, 47.559712], ['float32', 2, 6, 4, 48, 61.447565, 51.425178], ['float32', 2, 6, 3, 36, 3.8625512, 35.513747]], ({'dtype': 'float32', 'shape': [2, 6, 3], 'values': [0.36787805, 0.58229357, -0.52603686, -0.063856408, 0.6305809, -0.29924852, -0.3286998, -0.56610727, -0.057650857, -0.39578283, -0.28854212, 0.28578958, 0.069426909, 0.1771839, -0.2089207, -0.097290307, -0.33639282, 0.20635846, -0.42339268, -0.30175072, 0.010353129, 0.23295832, -0.21758944, -0.19666457, 0.00020027161, 0.31286305, 0.059621409, 0.30468908, 0.10269472, -0.60593545, -0.99030703, 1.6050587, 0.27472919, -0.52766639, -0.42924404, 0.11501126]}, {'dtype': 'float32', 'shape': [2, 6], 'values': [3.7249846, 2.2762713, 3.3863919, 2.7935498, 3.1386924, 1.0967895, 2.3541837, 2.8297141, 2.3810358, 2.1033583, 2.1387763, 4.4610734]})),
        ([['float32', 2, 3, 4, 24, 33.603865, 24.268714], ['float32', 2, 6, 4, 48, 61.447565, 51.425178], ['float32', 2, 6, 4, 48, 37.764595, 48.036926]], ({'dtype': 'float32', 'shape': [2, 3, 4], 'values': [0.099496901, 0.13524736, 0.030759228, 0.65077931, -0.067238204, 0.24322882, -0.085290931, 0.44750473, 0.36038983, -0.35865688, -0.77927524, 0.76252747, 0.83914763, 0.21557429, 0.55442619, -0.0036551505, 0.55673242, 0.36892855, 0.38699546, -0.5231145, 0.20069467, 0.31362236, 0.79111809, -0.27731222]}, {'dtype': 'float32', 'shape': [2, 3], 'values': [3.7249846, 2.2762713, 3.3863919, 3.0150561, 3.289984, 1.181953]})),
        ([['float32', 2, 6, 4, 48, 25.916915, 47.559712], ['float32', 2, 4, 4, 32, 56.077503, 34.461466], ['float32', 2, 4, 4, 32, 1.8185484, 30.404879]], ({'dtype': 'float32', 'shape': [2, 6, 4], 'values': [0.16721806, 0.0063230172, -0.12418175, 0.99860573, -0.11425444, 0.16833015, -0.14155455, 0.64645296, 0.51823211, -0.69004869, -1.2372531, 1.1748176, 0.89361227, -0.22910735, -0.73281056, 1.1612967, 0.8016901, 0.44006687, 0.14830121, 0.95917529, -0.18307078, -0.71124882, -1.3674018, 0.76974976, 1.162869, 0.74320138, -0.76481223, 0.13559243, 0.48951349, 0.32213989, -0.21878898, -0.015304893, 0.13492584, 0.16961735, -0.15923733, -0.74984574, 0.94043112, 0.55036616, -0.44988194, 0.48814109, 0.82257712, 0.75931084, -0.67840362, -0.69483036, 0.87834018, 0.498184, -0.5119974, 0.20915753]}, {'dtype': 'float32', 'shape': [2, 6], 'values': [3.404928, 2.0710835, 3.0574841, 2.5016646, 2.6332979, 0.60038775, 0.43624693, 2.69063, 2.2379613, 1.9227479, 1.009375, 1.4014394]})),
        ([['float32', 2, 6, 4, 48, 25.916915, 47.559712], ['float32', 2, 6, 4, 48, 61.447565, 51.425178], ['float32', 2, 6, 4, 48, 37.764595, 48.036926]], ({'dtype': 'float32', 'shape': [2, 6, 4], 'values': [0.099496901, 0.13524736, 0.030759228, 0.65077931, -0.067238204, 0.24322882, -0.085290931, 0.44750473, 0.36038983, -0.35865688, -0.77927524, 0.76252747, 0.68239325, -0.035065021, -0.48052654, 0.77375793, 0.51406455, 0.4816938, 0.18527323, 0.4271186, 0.21411203, -0.091570646, -1.115023, 0.11060455, -0.68570882, 1.2841032, 1.073267, -1.132138, 0.24232821, 0.60675806, 0.24536629, -0.42537192, 0.24141181, 0.30684927, 0.47574827, -0.66167539, 0.90256929, 0.56191635, 0.055207029, 0.20700908, 1.1144838, 0.010737725, 0.58616471, 0.65663218, -0.90547097, 1.4311149, 1.1912966, -1.3308417]}, {'dtype': 'float32', 'shape': [2, 6], 'values': [3.7249846, 2.2762713, 3.3863919, 2.7935498, 3.1386924, 1.0967895, 2.3541837, 2.8297141, 2.3810358, 2.1033583, 2.1387763, 4.4610734]})),
        ([['float32', 1, 1, 1, 1.0, 1.0], ['float32', 2, 1, 2, -33.137085, 160.0], ['float32', 2, 1, 2, -33.137085, 160.0]], ({'dtype': 'float32', 'shape': [1, 1], 'values': [80.0]}, {'dtype': 'float32', 'shape': [1], 'values': [80.0]})),
        ([['float32', 2, 1, 2, -0.060660172, 1.75], ['float32', 2, 1, 2, 191.72287, 159.0], ['float32', 2, 1, 2, 191.72287, 159.0]], ({'dtype': 'float32', 'shape': [2, 1], 'values': [79.731064, 79.320824]}, {'dtype': 'float32', 'shape': [2], 'values': [80.313263, -58.863129]})),
        ([['float32', 1, 1, 1, 1.0, 1.0], ['float32', 2, 1, 2, -484.25693, 401.0], ['float32', 2, 1, 2, -484.25693, 401.0]], ({'dtype': 'float32', 'shape': [1, 1], 'values': [-200.26895]}, {'dtype': 'float32', 'shape': [1], 'values': [-199.68674]})),
        ([['float32', 1, 1, 1, 1.0, 1.0], ['float32', 2, 1, 2, 484.25693, 401.0], ['float32', 2, 1, 2, 484.25693, 401.0]], ({'dtype': 'float32', 'shape': [1, 1], 'values': [200.73106]}, {'dtype': 'float32', 'shape': [1], 'values': [201.31326]})),
    ]
)


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


around_silent_layers = values_of(
    [
        ([[['float32', 13, 8, 104, 44.295347, 52.860465], ['float32', 13, 8, 104, 33.660533, 51.015719], ['float32', 8, 8, -5.0139703, 4.2198755], ['float32', 8, 6, 0, 0.0, 0.0], ['float32', 6, 8, 48, -0.63230244, 25.26867], ['float32', 6, 8, 48, -18.344921, 25.485292], ['float32', 8, 8, 2.5656466, 4.3401826], ['float32', 4, 8, 32, 4.2473497, 15.945589], ['float32', 8, 8, 0, 0.0, 0.0], ['float32', 8, 8, 64, 21.147909, 35.477799], ['float32', 4, 8, 32, -19.05606, 17.727722], ['float32', 8, 8, -6.1460213, 4.1255705], ['float32', 8, 6, 0, 0.0, 0.0], ['float32', 6, 8, 48, -10.224346, 26.928978], ['float32', 6, 8, 48, 23.718525, 23.681487], ['float32', 8, 8, -2.6549118, 3.5410588], ['float32', 4, 8, 32, -5.0515771, 15.753393], ['float32', 8, 8, 0, 0.0, 0.0], ['float32', 8, 8, 64, 2.6990474, 30.461899], ['float32', 4, 8, 32, 4.0203514, 17.747848], ['float32', 8, 8, -1.615612, 3.170885]], ['int64', 2, 5, 10, 93.317063, 39.0], 0.1], {'dtype': 'float32', 'shape': [2, 5, 13], 'values': [0.45167574, -1.4414326, -0.52109677, 0.21981655, 0.14604785, 0.49643308, -2.0916388, 1.3764194, -1.7634912, 0.93790829, -0.47355223, -0.16439003, 0.97505617, 1.2630414, -1.5560284, 0.84671456, 1.1800033, 0.13048145, -0.77169943, -1.3154565, 0.38860893, -1.2064908, 0.60004306, -1.0506853, 0.064722724, -0.051838007, 1.3941393, -1.5240726, 1.6060165, 1.2155243, 0.50364953, 0.54236948, -0.40813288, 1.1055323, -0.27981502, 1.1427339, 0.43521634, 0.077966191, 1.0822692, 1.2630414, -1.5560284, 0.84671456, 1.1800033, 0.13048145, -0.77169943, -1.3154565, 0.38860893, -1.2064908, 0.60004306, -1.0506853, 0.064722724, -0.051838007, 0.59207386, -1.4067729, -0.10346797, 0.65125769, 0.36830539, -0.13067327, -1.4395744, 1.0140854, -1.2688383, 0.63469976, -0.3791467, -0.29501241, 0.56986684, -0.84911239, 1.5577461, -0.47008094, -0.73769039, -0.12665682, -0.32510319, 1.4032295, -1.1802734, 1.3684467, -1.045254, 0.52267617, 0.058935549, -0.96142167, 0.68993682, -0.83827215, 0.17678025, -0.13736029, -0.11485378, 1.488203, -1.6129336, 1.1823653, -0.89726901, 1.1648778, 0.29637828, 0.42969424, 1.1923381, 0.13535133, -0.20052254, 0.67872763, 0.89455765, 0.46276897, -1.1774334, 1.1721013, -0.41978648, 0.48604733, -0.45788097, -0.096988045, -0.41454923, -0.50526333, 0.59207386, -1.4067729, -0.10346797, 0.65125769, 0.36830539, -0.13067327, -1.4395744, 1.0140854, -1.2688383, 0.63469976, -0.3791467, -0.29501241, 0.56986684, 0.45167574, -1.4414326, -0.52109677, 0.21981655, 0.14604785, 0.49643308, -2.0916388, 1.3764194, -1.7634912, 0.93790829, -0.47355223, -0.16439003, 0.97505617]}),
    ]
)


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
