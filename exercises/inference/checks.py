"""What the exercise `inference` is graded by."""

import math

import torch

from grader.judging.contract import assert_manners, bad_manners, how_refused
from grader.judging.memory import measured
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import assert_close, each, observes, place, points, reached, refuses, scattered
from grader.judging.values import values_of

# quantize_groups --------------------------------------------------------------------------------------------

REFUSED = [(4, 5), (4, 0), (1, 3), (9, 3)]


def some_weight():
    """Made anew for each call: an answer may change what it is given."""
    return 3 * scattered((2, 12), 1)


scales_of = values_of(
    [
        ([['float64', 2, 12, 24, 13.407281, 33.895609], 8, 3], {'dtype': 'float64', 'shape': [2, 4], 'values': [0.020043962, 0.020680974, 0.018662261, 0.0096097062, 0.0059103272, 0.005529459, 0.020913367, 0.022935237]}),
        ([['float64', 2, 12, 24, 13.407281, 33.895609], 4, 4], {'dtype': 'float64', 'shape': [2, 3], 'values': [0.36365474, 0.37521196, 0.2402346, 0.10723022, 0.37942824, 0.41611073]}),
        ([['float64', 2, 12, 24, 13.407281, 33.895609], 3, 12], {'dtype': 'float64', 'shape': [2, 1], 'values': [0.87549457, 0.97092503]}),
        ([['float64', 2, 12, 24, 13.407281, 33.895609], 4, 1], {'dtype': 'float64', 'shape': [2, 12], 'values': [0.1962254, 0.36365474, 0.036876279, 0.21047798, 0.37521196, 0.25177568, 0.26323232, 0.33858674, 0.2402346, 0.11724087, 0.17434753, 0.058205534, 0.009863765, 0.076473266, 0.10723022, 0.09126805, 0.10032018, 0.064119858, 0.22904292, 0.37942824, 0.10519632, 0.31407426, 0.41611073, 0.32303246]}),
        ([['float64', 2, 12, 24, 13.407281, 33.895609], 4, 3], {'dtype': 'float64', 'shape': [2, 4], 'values': [0.36365474, 0.37521196, 0.33858674, 0.17434753, 0.10723022, 0.10032018, 0.37942824, 0.41611073]}),
        ([['float64', 2, 12, 24, 13.407281, 33.895609], 8, 6], {'dtype': 'float64', 'shape': [2, 2], 'values': [0.020680974, 0.018662261, 0.0059103272, 0.022935237]}),
        ([['float64', 8, 8, -10.624813, 13.206468], 5, 4], {'dtype': 'float64', 'shape': [2], 'values': [0.14351948, 0.19087709]}),
        ([['float64', 3, 2, 8, 48, -2.8461334, 74.066867], 5, 4], {'dtype': 'float64', 'shape': [3, 2, 2], 'values': [0.14351948, 0.19087709, 0.16568713, 0.18487223, 0.174173, 0.1632693, 0.12763919, 0.17288792, 0.17575997, 0.1369151, 0.12761482, 0.16997181]}),
    ]
)


codes_of = values_of(
    [
        ([['float64', 2, 12, 24, 13.407281, 33.895609], 8, 3], {'dtype': 'int64', 'shape': [2, 12], 'values': [69, -127, -13, -71, 127, 85, 99, 127, 90, 85, 127, 42, 12, -91, -127, 116, -127, -81, 77, -127, 35, -96, 127, -99]}),
        ([['float64', 2, 12, 24, 13.407281, 33.895609], 4, 4], {'dtype': 'int64', 'shape': [2, 12], 'values': [4, -7, -1, -4, 7, 5, 5, 6, 7, 3, 5, 2, 1, -5, -7, 6, -2, -1, 4, -7, 2, -5, 7, -5]}),
        ([['float64', 2, 12, 24, 13.407281, 33.895609], 3, 12], {'dtype': 'int64', 'shape': [2, 12], 'values': [2, -3, 0, -2, 3, 2, 2, 3, 2, 1, 1, 0, 0, -1, -1, 1, -1, 0, 2, -3, 1, -2, 3, -2]}),
        ([['float64', 2, 12, 24, 13.407281, 33.895609], 4, 1], {'dtype': 'int64', 'shape': [2, 12], 'values': [7, -7, -7, -7, 7, 7, 7, 7, 7, 7, 7, 7, 7, -7, -7, 7, -7, -7, 7, -7, 7, -7, 7, -7]}),
        ([['float64', 2, 12, 24, 13.407281, 33.895609], 4, 3], {'dtype': 'int64', 'shape': [2, 12], 'values': [4, -7, -1, -4, 7, 5, 5, 7, 5, 5, 7, 2, 1, -5, -7, 6, -7, -4, 4, -7, 2, -5, 7, -5]}),
        ([['float64', 2, 12, 24, 13.407281, 33.895609], 8, 6], {'dtype': 'int64', 'shape': [2, 12], 'values': [66, -123, -12, -71, 127, 85, 99, 127, 90, 44, 65, 22, 12, -91, -127, 108, -119, -76, 70, -116, 32, -96, 127, -99]}),
        ([['float64', 8, 8, -10.624813, 13.206468], 5, 4], {'dtype': 'int64', 'shape': [8], 'values': [-12, 1, -1, -15, -14, 5, 14, -15]}),
        ([['float64', 3, 2, 8, 48, -2.8461334, 74.066867], 5, 4], {'dtype': 'int64', 'shape': [3, 2, 8], 'values': [-12, 1, -1, -15, -14, 5, 14, -15, 6, 8, -4, -15, 6, 3, -15, 6, 2, 9, 6, 15, 15, -12, -8, 4, -7, 14, 15, 6, -15, 5, -10, 10, 0, 9, 15, -8, -2, -4, -15, 13, 15, 15, -15, -5, -15, 8, -13, -15]}),
        ([['float64', 2, 12, 24, 1.3407281e-05, 3.3895609e-05], 4, 4], {'dtype': 'int64', 'shape': [2, 12], 'values': [4, -7, -1, -4, 7, 5, 5, 6, 7, 3, 5, 2, 1, -5, -7, 6, -2, -1, 4, -7, 2, -5, 7, -5]}),
        ([['float32', 2, 12, 24, 1.3407282e-37, 3.3895609e-37], 8, 4], {'dtype': 'int64', 'shape': [2, 12], 'values': [69, -127, -13, -74, 127, 85, 89, 115, 127, 62, 92, 31, 12, -91, -127, 108, -34, -21, 77, -127, 32, -96, 127, -99]}),
    ]
)


def tiny():
    """In float32 one over its scales is infinite."""
    return (some_weight() * 1e-38).float()


@points(0.25, "quantize_groups", read="inference-groups", step="warm-up")
def test_two_groups_by_hand(student, device):
    """묶음마다 절댓값이 가장 큰 수를 2^(bits-1) - 1로 나눈 것이 배율이고, 수를 배율로 나누어 반올림한 것이 코드입니다."""
    codes, scales = student.quantize_groups(torch.tensor([[1.0, -7.0, 0.2, 0.7]], device=device), 4, 2)
    assert_close(scales, torch.tensor([[1.0, 0.1]]))
    assert_close(codes.long(), torch.tensor([[1, -7, 2, 7]]))


@points(0.5, "quantize_groups", read="inference-groups")
def test_neighbours_share_a_scale(student):
    """배율은 이웃한 group개가 함께 씁니다. 묶음이 커지면 배율의 수가 줄어듭니다."""
    for bits, group in [(8, 3), (4, 4), (3, 12), (4, 1)]:
        codes, scales = student.quantize_groups(some_weight(), bits, group)
        assert_close(scales, scales_of(some_weight(), bits, group))
        assert_close(codes.long(), codes_of(some_weight(), bits, group))


@observes("quantize_groups")
def observe_quantize_groups(student):
    quantize = student.quantize_groups

    def is_right(weight, bits, group):
        codes, scales = quantize(weight.clone(), bits, group)
        return same(scales, scales_of(weight, bits, group)) and same(codes, codes_of(weight, bits, group))

    def small():
        codes, scales = quantize(some_weight() * 1e-6, 4, 4)
        return same(codes, codes_of(some_weight() * 1e-6, 4, 4))

    def zeros():
        codes, scales = quantize(torch.zeros(2, 4), 4, 2)
        return bool((codes == 0).all()) and bool(scales.isfinite().all())

    return up_to_the_first_wrong(
        (lambda: list(quantize(some_weight(), 4, 3)[0].shape), [2, 12]),
        (lambda: list(quantize(some_weight(), 4, 3)[1].shape), [2, 4]),
        (lambda: quantize(some_weight(), 4, 3)[1].double(), scales_of(some_weight(), 4, 3)),
        (lambda: quantize(some_weight(), 4, 3)[0].double(), codes_of(some_weight(), 4, 3).double()),
        (lambda: is_right(some_weight(), 8, 6), True),
        (lambda: [is_right(3 * scattered(shape, 2), 5, 4) for shape in [(8,), (3, 2, 8)]], [True, True]),
        (small, True),
        (zeros, True),
        (lambda: same(quantize(tiny(), 8, 4)[0], codes_of(tiny(), 8, 4)), True),
        (lambda: [how_refused(quantize, some_weight(), *how) for how in REFUSED], ["refused"] * 4),
        (lambda: str(quantize(some_weight(), 4, 3)[0].dtype), "torch.int8"),
        (lambda: quantize(some_weight().float(), 4, 3)[1].dtype == torch.float32, True),
        (lambda: bad_manners(student, quantize, some_weight(), 4, 3, learns=[]), "none"),
    )




# window_mask ------------------------------------------------------------------------------------------------

ODD = [(3, 5, 0, 0), (3, 5, -1, 0), (3, 5, 2, -1), (6, 5, 2, 0)]


seen = values_of(
    [
        ([7, 7, 3], {'dtype': 'bool', 'shape': [7, 7], 'values': [True, False, False, False, False, False, False, True, True, False, False, False, False, False, True, True, True, False, False, False, False, False, True, True, True, False, False, False, False, False, True, True, True, False, False, False, False, False, True, True, True, False, False, False, False, False, True, True, True]}),
        ([3, 7, 3], {'dtype': 'bool', 'shape': [3, 7], 'values': [False, False, True, True, True, False, False, False, False, False, True, True, True, False, False, False, False, False, True, True, True]}),
        ([7, 7, 3, 2], {'dtype': 'bool', 'shape': [7, 7], 'values': [True, False, False, False, False, False, False, True, True, False, False, False, False, False, True, True, True, False, False, False, False, True, True, True, True, False, False, False, True, True, True, True, True, False, False, True, True, False, True, True, True, False, True, True, False, False, True, True, True]}),
        ([3, 7, 3, 2], {'dtype': 'bool', 'shape': [3, 7], 'values': [True, True, True, True, True, False, False, True, True, False, True, True, True, False, True, True, False, False, True, True, True]}),
        ([1, 1, 1, 0], {'dtype': 'bool', 'shape': [1, 1], 'values': [True]}),
        ([2, 5, 99, 0], {'dtype': 'bool', 'shape': [2, 5], 'values': [True, True, True, True, False, True, True, True, True, True]}),
        ([5, 5, 1, 99], {'dtype': 'bool', 'shape': [5, 5], 'values': [True, False, False, False, False, True, True, False, False, False, True, True, True, False, False, True, True, True, True, False, True, True, True, True, True]}),
        ([1, 9, 1, 0], {'dtype': 'bool', 'shape': [1, 9], 'values': [False, False, False, False, False, False, False, False, True]}),
    ]
)


@points(0.25, "window_mask", read="inference-mask", step="warm-up")
def test_the_last_two_of_six(student):
    """질의는 마지막 n_q개 자리의 것입니다. 자기까지 넣어 가까운 window개와 맨 앞 sinks개를 봅니다."""
    expected = torch.tensor([[1, 0, 0, 1, 1, 0], [1, 0, 0, 0, 1, 1]]).bool()
    assert_close(student.window_mask(2, 6, 2, 1), expected)


@points(0.25, "window_mask", read="inference-window")
def test_a_prompt_at_once(student):
    """질의와 키의 수가 같으면 대각선부터 왼쪽으로 window칸입니다. 미래는 보지 않습니다."""
    expected = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]).bool()
    assert_close(student.window_mask(4, 4, 2), expected)


@observes("window_mask")
def observe_window_mask(student):
    mask = student.window_mask

    def numbers(*how):
        return mask(*how).long()

    return up_to_the_first_wrong(
        (lambda: list(mask(3, 7, 2, 0).shape), [3, 7]),
        (lambda: numbers(7, 7, 3), seen(7, 7, 3).long()),
        (lambda: numbers(3, 7, 3), seen(3, 7, 3).long()),
        (lambda: numbers(7, 7, 3, 2), seen(7, 7, 3, 2).long()),
        (lambda: numbers(3, 7, 3, 2), seen(3, 7, 3, 2).long()),
        (lambda: [same(numbers(*how), seen(*how).long()) for how in EDGES], [True] * len(EDGES)),
        (lambda: str(mask(3, 7, 2, 1).dtype), "torch.bool"),
        (lambda: [how_refused(mask, *how) for how in ODD], ["refused"] * 4),
    )


EDGES = [(1, 1, 1, 0), (2, 5, 99, 0), (5, 5, 1, 99), (1, 9, 1, 0)]




# absorbed_attention -----------------------------------------------------------------------------------------


def latent_inputs(batch, heads, n_q, n, rank, size, size_r, size_v, key=1):
    """query, rope_query, latents, rope_key, up_key, up_value."""
    shapes = [
        (*batch, heads, n_q, size),
        (*batch, heads, n_q, size_r),
        (*batch, n, rank),
        (*batch, n, size_r),
        (heads, rank, size),
        (heads, rank, size_v),
    ]
    return [2 * scattered(shape, 10 * key + i) for i, shape in enumerate(shapes)]


unrolled = values_of(
    [
        ([['float64', 3, 2, 6, 36, -0.017754345, 34.842817], ['float64', 3, 2, 2, 12, -8.1229832, 16.930588], ['float64', 5, 5, 25, -42.593417, 25.473471], ['float64', 5, 2, 10, 4.9596505, 9.3929084], ['float64', 3, 5, 6, 90, 6.6764935, 86.835347], ['float64', 3, 5, 7, 105, -19.160365, 104.39146]], ({'dtype': 'float64', 'shape': [3, 2, 7], 'values': [1.3598937, -4.5975809, 2.5160174, 1.0206628, -1.7220546, -2.3979815, 2.7386389, 4.5756338, 1.2298418, 1.1601242, -1.0527953, 2.5215246, -2.1524001, 2.2375282, 1.090657, 0.33854407, 1.0243487, 1.1348591, -2.4951579, -1.1664283, -4.9576815, 0.43709488, -0.29801749, -0.90843273, 2.2711244, -1.296957, -5.1319512, -4.4502841, -0.13395624, -0.8035217, -2.593389, -1.1093528, -0.22431146, -0.73584564, -1.1619873, 1.2675657, -1.5734034, -3.4522637, 0.37945781, 1.3943911, 0.19788391, 0.78282072]}, {'dtype': 'float64', 'shape': [3, 2, 5], 'values': [0.34948918, 0.0048431253, 0.092282387, 0.49003867, 0.063346643, 0.0014669106, 0.023518191, 0.0075497163, 0.020572168, 0.94689301, 0.64987791, 0.08473391, 0.037529312, 0.024016601, 0.20384227, 0.0087513827, 0.022208027, 0.0068613638, 0.46061356, 0.50156567, 0.47132916, 0.0057064751, 0.29276461, 0.017125795, 0.21307396, 0.025254603, 0.043686468, 0.091624866, 0.80197738, 0.037456681]})),
        ([['float64', 3, 2, 6, 36, -0.017754345, 34.842817], ['float64', 3, 2, 2, 12, -8.1229832, 16.930588], ['float64', 5, 5, 25, -42.593417, 25.473471], ['float64', 5, 2, 10, 4.9596505, 9.3929084], ['float64', 3, 5, 6, 90, 6.6764935, 86.835347], ['float64', 3, 5, 7, 105, -19.160365, 104.39146], ['bool', 2, 5, 7, 15.500159, 7.0]], ({'dtype': 'float64', 'shape': [3, 2, 7], 'values': [0.94736449, -5.4992472, 2.952515, 1.6820206, -2.4207918, -2.7287256, 3.3035345, 4.6397459, 1.3910363, 1.084339, -1.137329, 2.649768, -2.0869338, 2.1964288, 1.7004031, -0.17059091, 0.88704203, 0.50046019, -2.6047683, -0.9861373, -5.060123, -1.0056509, 1.8570685, 1.5657704, 3.4165054, -2.2201739, -1.8534363, -5.1370525, -1.0822017, -2.8518353, -3.8801915, -2.4065372, -0.15365578, -0.56599088, -0.62367552, -0.018186571, 1.0876835, -0.75590656, 0.73625301, 0.59853732, -0.9713501, -1.4384901]}, {'dtype': 'float64', 'shape': [3, 2, 5], 'values': [0.41390477, 0.005735779, 0.0, 0.58035945, 0.0, 0.0014977219, 0.024012174, 0.0077082926, 0.0, 0.96678181, 0.85664851, 0.11169356, 0.0, 0.031657924, 0.0, 0.016224699, 0.041172758, 0.012720683, 0.0, 0.92988186, 0.95379593, 0.011547795, 0.0, 0.034656276, 0.0, 0.12753393, 0.22061353, 0.46269899, 0.0, 0.18915355]})),
        ([['float64', 2, 3, 2, 12, -3.3774654, 10.319455], ['float64', 2, 3, 2, 12, -8.1229832, 16.930588], ['float64', 4, 3, 12, -15.105939, 11.67546], ['float64', 4, 2, 8, 6.5870289, 7.9401518], ['float64', 2, 3, 2, 12, 12.604521, 12.154221], ['float64', 2, 3, 5, 30, -6.9031577, 34.301058]], ({'dtype': 'float64', 'shape': [2, 3, 5], 'values': [1.0801038, 0.035069782, 1.3582072, -0.81329511, 0.68602491, 3.4647468, -0.42975111, 0.5780999, 0.74240336, 2.2977733, -0.42856742, 0.17874995, 0.024248245, -0.14737984, 0.42879171, 4.6351752, -0.26748393, -3.6826367, 2.013848, 0.044725209, 1.1790476, 0.126185, -1.2024344, 0.22411228, -0.51702027, 1.9653907, -0.97541248, -1.7692175, 1.0335455, -2.6852702]}, {'dtype': 'float64', 'shape': [2, 3, 4], 'values': [0.36850611, 0.45105481, 0.15790908, 0.02253, 0.097419924, 0.7394228, 0.1108987, 0.05225858, 0.15915574, 0.19349159, 0.58999288, 0.057359782, 0.00074916498, 0.62738961, 5.5057803e-05, 0.37180617, 0.23003741, 0.42809912, 0.28854285, 0.05332062, 0.041230903, 0.091001945, 0.076209249, 0.7915579]})),
        ([['float64', 1, 2, 3, 2, 12, -3.3774654, 10.319455], ['float64', 1, 2, 3, 2, 12, -8.1229832, 16.930588], ['float64', 1, 4, 3, 12, -15.105939, 11.67546], ['float64', 1, 4, 2, 8, 6.5870289, 7.9401518], ['float64', 2, 3, 2, 12, 12.604521, 12.154221], ['float64', 2, 3, 5, 30, -6.9031577, 34.301058]], ({'dtype': 'float64', 'shape': [1, 2, 3, 5], 'values': [1.0801038, 0.035069782, 1.3582072, -0.81329511, 0.68602491, 3.4647468, -0.42975111, 0.5780999, 0.74240336, 2.2977733, -0.42856742, 0.17874995, 0.024248245, -0.14737984, 0.42879171, 4.6351752, -0.26748393, -3.6826367, 2.013848, 0.044725209, 1.1790476, 0.126185, -1.2024344, 0.22411228, -0.51702027, 1.9653907, -0.97541248, -1.7692175, 1.0335455, -2.6852702]}, {'dtype': 'float64', 'shape': [1, 2, 3, 4], 'values': [0.36850611, 0.45105481, 0.15790908, 0.02253, 0.097419924, 0.7394228, 0.1108987, 0.05225858, 0.15915574, 0.19349159, 0.58999288, 0.057359782, 0.00074916498, 0.62738961, 5.5057803e-05, 0.37180617, 0.23003741, 0.42809912, 0.28854285, 0.05332062, 0.041230903, 0.091001945, 0.076209249, 0.7915579]})),
        ([['float64', 2, 3, 2, 3, 2, 72, 37.69999, 67.4792], ['float64', 2, 3, 2, 3, 2, 72, -61.551485, 77.438693], ['float64', 2, 3, 4, 3, 72, 110.17578, 69.371], ['float64', 2, 3, 4, 2, 48, -9.5383672, 52.939775], ['float64', 2, 3, 2, 12, 12.604521, 12.154221], ['float64', 2, 3, 5, 30, -6.9031577, 34.301058]], ({'dtype': 'float64', 'shape': [2, 3, 2, 3, 5], 'values': [1.0801038, 0.035069782, 1.3582072, -0.81329511, 0.68602491, 3.4647468, -0.42975111, 0.5780999, 0.74240336, 2.2977733, -0.42856742, 0.17874995, 0.024248245, -0.14737984, 0.42879171, 4.6351752, -0.26748393, -3.6826367, 2.013848, 0.044725209, 1.1790476, 0.126185, -1.2024344, 0.22411228, -0.51702027, 1.9653907, -0.97541248, -1.7692175, 1.0335455, -2.6852702, 1.4101998, -0.18463994, -0.24815945, 0.74659824, 1.3292145, -1.2146666, 0.81120442, 3.8821549, -3.8634784, -0.43483243, 1.7789055, 0.048291932, 1.7508853, -0.89258019, 1.5279566, -2.2614102, -0.81174081, 0.9334596, -1.2903717, -5.2939952, 0.3696428, -0.564907, -0.91683013, -0.11619963, -3.4936126, -0.76473117, 0.36539131, 0.038184446, -0.91185578, -1.3544535, -0.53698995, 0.33371063, 1.8760866, -1.8623155, -0.50241652, -0.52429809, 0.26750698, 1.7876993, -1.7928913, -0.8220077, -0.60708775, 0.13461174, 0.059159036, -0.26285533, -0.17462601, -2.0061528, -0.51545366, 1.4011833, -0.77223953, -2.1474092, -0.41352285, 0.10710306, 0.19575105, -0.3181581, -0.29935697, -1.2615966, -0.64348637, 0.80051734, -0.42200315, -2.3656562, 3.0230932, -0.44201273, -1.1671484, 2.1756227, 3.1533491, 3.0630354, -0.44682596, -1.1693234, 2.1923908, 3.1890814, 0.96773008, -0.17502497, -1.3703448, 1.6091743, 1.7354734, 0.64286017, -0.26149143, 0.030390025, 0.79782629, 1.4693204, 0.26306756, -0.47205037, 0.71888726, 1.0322019, 2.3484057, 3.0601988, 0.95447981, -2.6802866, 0.68049518, 1.6791255, -1.8292377, -0.26949215, -1.3604355, 0.45330467, -3.3925691, -1.7408236, -0.047288562, -1.1217344, 0.32642914, -2.0537537, -0.64449941, -0.11899437, -0.029914009, -0.26210956, -1.7731842, 5.4143783, -2.718182, -2.622551, 4.6441043, 0.72925521, -8.3800187, 0.97760738, 5.4201718, -4.8191924, -3.4708593, 3.7150867, -2.533161, -1.2046783, 3.9248094, 1.1561813, -2.5042743, 0.212166, -0.51841433, -0.46947061, -2.1956647, -2.3018483, 0.12446344, -1.4098375, 0.41286971, -1.588775, -1.5773762, 0.010326408, -0.312126, -0.34141344, -2.185366, -3.3689399, -0.28232752, 2.8658703, -1.1232977, -0.42081269, -3.1890853, -0.58405801, 2.8182929, -0.85324539, -0.73044984, -0.27481165, -1.7762636, 1.6054269, 1.6957537, 0.99762899]}, {'dtype': 'float64', 'shape': [2, 3, 2, 3, 4], 'values': [0.36850611, 0.45105481, 0.15790908, 0.02253, 0.097419924, 0.7394228, 0.1108987, 0.05225858, 0.15915574, 0.19349159, 0.58999288, 0.057359782, 0.00074916498, 0.62738961, 5.5057803e-05, 0.37180617, 0.23003741, 0.42809912, 0.28854285, 0.05332062, 0.041230903, 0.091001945, 0.076209249, 0.7915579, 0.26294794, 0.042692952, 0.35398007, 0.34037904, 0.084809039, 0.82424922, 0.0056645839, 0.085277154, 0.20405916, 0.057998316, 0.043171218, 0.69477131, 0.11322669, 0.82604027, 0.0011044184, 0.059628619, 0.0085018344, 0.49860198, 0.001495288, 0.4914009, 0.43963166, 0.23155435, 0.25012528, 0.0786887, 0.032073352, 0.23871161, 0.013119445, 0.71609559, 0.051950113, 0.55446188, 0.062871262, 0.33071674, 0.39199679, 0.0073169045, 0.58851064, 0.01217566, 0.058857725, 0.34020407, 0.36981939, 0.23111882, 0.41962072, 0.014353418, 0.54069444, 0.02533142, 0.020457681, 0.24149347, 0.10282917, 0.63521967, 0.021195541, 0.020205564, 0.0020423074, 0.95655659, 0.016611479, 0.017659437, 0.0012615136, 0.96446757, 0.29091983, 0.020118651, 0.036672844, 0.65228868, 0.18285945, 0.39695023, 0.259677, 0.16051332, 0.11973464, 0.31676255, 0.56230422, 0.0011985956, 0.010619088, 0.21779196, 0.02666783, 0.74492113, 0.049434261, 0.009814041, 0.087471989, 0.85327971, 0.10533372, 0.16431404, 0.47568943, 0.2546628, 0.15930165, 0.34961933, 0.20458717, 0.28649186, 0.0041970973, 0.96231166, 0.0079392287, 0.025552012, 0.85689378, 0.0045742428, 0.1049908, 0.033541179, 0.011066281, 0.71093709, 0.029978272, 0.24801836, 0.36730164, 0.24133789, 0.26684785, 0.12451262, 0.12664967, 0.26623311, 0.46805434, 0.13906288, 0.28865832, 0.27835948, 0.084293963, 0.34868824, 0.35377093, 0.29050727, 0.35154806, 0.004173739, 0.18675822, 0.67054351, 0.088754289, 0.053943981, 0.40493919, 0.031601735, 0.02499566, 0.53846341]})),
    ]
)


def one_text():
    return latent_inputs((), 3, 2, 5, 5, 6, 2, 7)


HALF_HIDDEN = torch.tensor([[1, 1, 0, 1, 0], [1, 1, 1, 0, 1]]).bool()


def assert_both(found, expected):
    # Public tests know eight digits of what is right.
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other, rtol=1e-6, atol=1e-8)


@points(0.25, "absorbed_attention", read="inference-absorb", step="warm-up")
def test_two_latents_by_hand(student, device):
    """점수는 내린 질의와 압축 벡터의 내적에 위치를 맡은 두 벡터의 내적을 더한 것입니다. 여기서는 두 점수가 같으므로 가중치가 반씩입니다."""
    column = torch.tensor
    inputs = (
        column([[[1.0]]]),
        column([[[1.0]]]),
        column([[0.0], [1.0]]),
        column([[2.0], [0.0]]),
        column([[[2.0]]]),
        column([[[3.0]]]),
    )
    output, weights = student.absorbed_attention(*(x.to(device) for x in inputs))
    assert_close(weights, column([[[0.5, 0.5]]]))
    assert_close(output, column([[[1.5]]]))


@points(0.25, "absorbed_attention", read="inference-absorb")
def test_equals_unrolled_keys_and_values(student):
    """키와 값을 펼친 어텐션과 출력도 가중치도 같아야 합니다. 점수는 sqrt(d_h + d_R)로 나눕니다."""
    assert_both(student.absorbed_attention(*one_text()), unrolled(*one_text()))


def long_cache():
    """A cache of which unrolled keys would be 81,920 numbers, unrolled values 32,768."""
    mask = scattered((2, 512), 3) > 0
    return [*latent_inputs((), 8, 2, 512, 16, 20, 4, 8, key=7), mask]


SHORT = 16_384


@observes("absorbed_attention")
def observe_absorbed_attention(student):
    attend = student.absorbed_attention

    def right(inputs):
        found, expected = attend(*inputs), unrolled(*inputs)
        return all(same(one, other) for one, other in zip(found, expected, strict=True))

    def made():
        largest = measured(student, attend, *long_cache())[0]
        return "keys" if largest > 60_000 else "values" if largest > SHORT else "neither"

    return up_to_the_first_wrong(
        (lambda: [list(part.shape) for part in attend(*one_text())], [[3, 2, 7], [3, 2, 5]]),
        (lambda: attend(*one_text())[1], unrolled(*one_text())[1]),
        (lambda: attend(*one_text())[0], unrolled(*one_text())[0]),
        (lambda: attend(*one_text(), HALF_HIDDEN)[1], unrolled(*one_text(), HALF_HIDDEN)[1]),
        (lambda: right([*one_text(), HALF_HIDDEN]), True),
        (made, "neither"),
        (
            lambda: [right(latent_inputs(b, 2, 3, 4, 3, 2, 2, 5)) for b in [(), (1,), (2, 3)]],
            [True] * 3,
        ),
        (lambda: bad_manners(student, attend, *one_text()), "none"),
    )




# PagedCache -------------------------------------------------------------------------------------------------


def rows(*numbers):
    """Vectors of three equal numbers."""
    return torch.tensor(numbers, dtype=torch.float64)[:, None].expand(-1, 3).clone()


@points(0.25, "PagedCache", read="inference-pages", step="warm-up")
def test_what_was_appended_comes_back(student):
    """붙인 차례대로 모두 돌려줍니다. 마지막 블록의 빈자리는 돌려주지 않습니다."""
    cache = student.PagedCache(4, 2)
    cache.append("a", rows(1, 2, 3))
    assert_close(cache.gather("a"), rows(1, 2, 3))
    cache.append("a", rows(4))
    assert_close(cache.gather("a"), rows(1, 2, 3, 4))


@points(0.5, "PagedCache", read="inference-pages")
def test_two_texts_take_blocks_in_turn(student):
    """글마다 필요한 만큼만, 다른 글이 가지지 않은 블록을 받습니다. 마지막 블록에 남은 자리부터 채웁니다. 지운 글의 블록은 다시 쓰입니다."""
    cache = student.PagedCache(5, 2)
    for name, numbers in [("a", [1]), ("b", [7, 8, 9]), ("a", [2]), ("a", [3]), ("b", [10])]:
        cache.append(name, rows(*numbers))
    assert_close(cache.gather("a"), rows(1, 2, 3))
    assert_close(cache.gather("b"), rows(7, 8, 9, 10))
    taken = [*cache.blocks("a"), *cache.blocks("b")]
    assert len(taken) == len(set(taken)) == 4 and set(taken) <= set(range(5)), "받은 블록이 다릅니다."
    assert cache.free_blocks() == 1, "남은 블록의 수가 다릅니다."
    cache.free("a")
    assert cache.free_blocks() == 3, "돌려놓은 블록의 수가 다릅니다."
    assert refuses(cache.gather, "a"), "지운 글이 남아 있습니다."
    cache.append("c", rows(4, 5, 6, 7, 8))
    assert_close(cache.gather("c"), rows(4, 5, 6, 7, 8))
    assert_close(cache.gather("b"), rows(7, 8, 9, 10))


@observes("PagedCache")
def observe_paged_cache(student):
    def after(*steps, blocks=6, size=2):
        cache = student.PagedCache(blocks, size)
        for name, *numbers in steps:
            cache.append(name, rows(*numbers)) if numbers else cache.free(name)
        return cache

    def held(cache, *names):
        return [cache.gather(name)[:, 0].tolist() for name in names]

    def counts(cache, *names):
        taken = [cache.blocks(name) for name in names]
        free = cache.free_blocks()
        free = free if isinstance(free, int) else type(free).__name__
        return [len(one) for one in taken], len({b for one in taken for b in one}), free

    turns = [("a", 1), ("b", 7, 8, 9), ("a", 2), ("a", 3), ("b", 10)]
    again = [*turns, ("a",), ("c", 4, 5, 6, 7)]

    def full():
        cache = after(*turns, blocks=4)
        how = how_refused(cache.append, "b", rows(1, 2, 3))
        return how, counts(cache, "a", "b"), held(cache, "a", "b")

    def partly():
        cache = after(*turns, blocks=5)
        how = how_refused(cache.append, "b", rows(1, 2, 3))
        return how, counts(cache, "a", "b"), held(cache, "a", "b")

    def unknown():
        return [
            how_refused(getattr(after(*turns), what), name)
            for what in ("gather", "free", "blocks")
            for name in ("nobody",)
        ]

    def empty():
        cache = after(("a", 1))
        cache.append("a", rows(1)[:0])
        cache.append("z", rows(1)[:0])
        return held(cache, "a", "z"), counts(cache, "a", "z")

    def apart():
        one, other = after(("a", 1)), after(("b", 5))
        other.append("a", rows(6))
        return held(one, "a"), held(other, "b", "a"), one.free_blocks()

    def kept():
        cache, mine = student.PagedCache(2, 2), rows(1, 2)
        cache.append("a", mine)
        mine.zero_()
        return held(cache, "a")

    return up_to_the_first_wrong(
        (lambda: held(after(("a", 1, 2, 3)), "a"), [[1.0, 2.0, 3.0]]),
        (lambda: counts(after(("a", 1, 2, 3)), "a"), ([2], 2, 4)),
        (lambda: held(after(("a", 1, 2, 3), ("a", 4)), "a"), [[1.0, 2.0, 3.0, 4.0]]),
        (lambda: counts(after(("a", 1), ("a", 2)), "a"), ([1], 1, 5)),
        (lambda: counts(after(*turns), "a", "b"), ([2, 2], 4, 2)),
        (lambda: held(after(*turns), "a", "b"), [[1.0, 2.0, 3.0], [7.0, 8.0, 9.0, 10.0]]),
        (lambda: after(*turns, ("a",)).free_blocks(), 4),
        (lambda: held(after(*again), "b", "c"), [[7.0, 8.0, 9.0, 10.0], [4.0, 5.0, 6.0, 7.0]]),
        (lambda: counts(after(*again), "b", "c"), ([2, 2], 4, 2)),
        (lambda: how_refused(after(*again).gather, "a"), "refused"),
        (apart, ([[1.0]], [[5.0], [6.0]], 5)),
        (kept, [[1.0, 2.0]]),
        (full, ("refused", ([2, 2], 4, 0), [[1.0, 2.0, 3.0], [7.0, 8.0, 9.0, 10.0]])),
        (partly, ("refused", ([2, 2], 4, 1), [[1.0, 2.0, 3.0], [7.0, 8.0, 9.0, 10.0]])),
        (unknown, ["refused"] * 3),
        (empty, ([[1.0], []], ([1, 0], 1, 5))),
        (lambda: attempt(lambda: str(after(("a", 1)).gather("a").dtype)), "torch.float64"),
    )




# verify_drafts ----------------------------------------------------------------------------------------------


def drawn(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def target():
    return drawn([0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6])


def draft():
    return drawn([0.2, 0.7, 0.1], [0.5, 0.4, 0.1])


@points(0.25, "verify_drafts", read="inference-residual", step="warm-up")
def test_a_refused_draft(student, device):
    """난수가 p(x) / r(x)보다 작지 않으면 거절합니다. 그 자리는 max(0, p - r)를 합이 1이 되게 나눈 분포에서 다시 뽑습니다."""
    inputs = torch.tensor([1]), draft()[:1], target()[:2], drawn(0.6)
    accepted, rest = student.verify_drafts(*(x.to(device) for x in inputs))
    assert accepted == 0, f"받아들인 수가 0이어야 하는데 {accepted}입니다."
    assert_close(rest, drawn(0.75, 0, 0.25))


CASES = [  # drafts, uniforms, how many are accepted, the distribution that follows
    ((0, 1), (0.9, 0.9), 2, (0.2, 0.2, 0.6)),
    ((0, 0), (0.0, 0.1), 2, (0.2, 0.2, 0.6)),
    ((0, 0), (0.9, 0.3), 1, (0.0, 0.5, 0.5)),
    ((1, 1), (0.5, 0.1), 0, (0.75, 0.0, 0.25)),
]


@points(0.5, "verify_drafts", read="inference-bonus")
def test_the_first_refusal_ends_it(student):
    """처음 거절한 자리에서 멈춥니다. 그 뒤의 추측은 보지 않습니다. 모두 받아들였으면 다음 토큰은 큰 모델의 마지막 분포에서 뽑습니다."""
    for drafts, uniforms, accepted, rest in CASES:
        found, distribution = student.verify_drafts(torch.tensor(drafts), draft(), target(), drawn(*uniforms))
        assert found == accepted, f"{accepted}개를 받아들여야 하는데 {found}개입니다."
        assert_close(distribution, drawn(*rest))


SINGLE = [(1, 0.6), (1, 0.25), (1, 0.41), (1, 0.95), (0, 0.9), (2, 0.99)]


@observes("verify_drafts")
def observe_verify_drafts(student):
    verify = student.verify_drafts

    def told(drafts, uniforms):
        accepted, rest = verify(
            torch.tensor(drafts), draft()[: len(drafts)], target()[: len(drafts) + 1], drawn(*uniforms)
        )
        return int(accepted), rest.double()

    def certain():
        p, r = drawn(0, 1)[None], drawn(0.5, 0.5)[None]
        return int(verify(torch.tensor([0]), r, torch.cat([p, p]), drawn(0.0))[0])

    def none():
        accepted, rest = verify(torch.tensor([], dtype=torch.long), draft()[:0], target()[:1], drawn())
        return int(accepted), rest

    inputs = torch.tensor([0, 0]), draft(), target(), drawn(0.9, 0.3)
    return up_to_the_first_wrong(
        (lambda: [told([x], [u])[0] for x, u in SINGLE], [0, 1, 1, 0, 1, 1]),
        (lambda: told([1], [0.6]), (0, drawn(0.75, 0, 0.25))),
        (lambda: told([1], [0.25]), (1, target()[1])),
        (lambda: told([0, 1], [0.9, 0.9]), (2, target()[2])),
        (lambda: told([0, 0], [0.9, 0.3]), (1, drawn(0, 0.5, 0.5))),
        (lambda: told([1, 1], [0.5, 0.1]), (0, drawn(0.75, 0, 0.25))),
        (certain, 0),
        (none, (0, target()[0])),
        (lambda: type(verify(*inputs)[0]).__name__, "int"),
        (lambda: bad_manners(student, verify, *inputs, learns=[]), "none"),
    )
