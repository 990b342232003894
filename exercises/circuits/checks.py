"""What the exercise `circuits` is graded by."""

import torch
import torch.nn.functional as F

from grader.judging.contract import assert_manners, bad_manners, how_refused
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    follows_device,
    gradients,
    load,
    mutated,
    observes,
    parameters,
    place,
    points,
    reached,
    refuses,
    scattered,
)
from grader.judging.values import values_of

# logit_lens ---------------------------------------------------------------------------------------------------


def half_more(x):
    """A norm that is not linear."""
    return 1.5 * x + 0.1 * x.square()


def streams(depths=3, batch=(), n=4, d=3):
    return [scattered((*batch, n, d), 1 + depth) for depth in range(depths)]


through_the_lens = values_of(
    [
        ([[['float64', 4, 3, 12, 9.749311, 6.1274958], ['float64', 4, 3, 12, -4.6272253, 6.2306272], ['float64', 4, 3, 12, 2.6312361, 5.7056733]], ['float64', 5, 3, 15, 8.8728287, 7.748985]], {'dtype': 'float64', 'shape': [3, 4, 5], 'values': [0.46741614, 0.3264793, -0.030047107, -0.35561054, -0.28528092, -0.21844922, -0.21523301, -0.37870215, 0.90798672, -0.33309591, 0.36403365, -0.33659047, 1.2158086, 0.91469575, 1.1606084, 0.074343725, -0.21537847, 0.70475828, 0.30769121, 0.75437776, -0.31988793, 0.056667292, -0.79143503, -0.057891253, -0.72291102, 0.12137161, 0.64327047, -2.1943001, -0.026740946, -2.5684803, 0.98033193, 0.45862665, 0.11045344, 0.063324863, -0.42092564, -0.13493447, -0.22509803, 1.2763967, -0.79973841, 1.5503531, -0.40465021, 0.077221227, -0.7705721, -0.36877299, -0.64415767, 0.21803883, 0.11803315, -0.40759462, 0.44971738, -0.59727484, -0.62101311, -0.43074112, 0.827993, -0.46640199, 1.3011091, 0.48377439, 0.0019043417, 0.65829384, 0.32756209, 0.47318167]}),
        ([[['float64', 4, 3, 12, 9.749311, 6.1274958]], ['float64', 5, 3, 15, 8.8728287, 7.748985]], {'dtype': 'float64', 'shape': [1, 4, 5], 'values': [0.31771394, 0.23584081, -0.066407182, -0.25010029, -0.24612546, -0.14793731, -0.12907945, -0.28780754, 0.57699131, -0.26035843, 0.23590429, -0.21199159, 0.77126946, 0.58479858, 0.7333718, 0.049946927, -0.13948474, 0.45816813, 0.20134261, 0.48949454]}),
    ]
)


@points(0.25, "logit_lens", read="circuits-lens", step="warm-up")
def test_the_last_one_is_read_as_it_is(student):
    """도중의 흐름은 norm을 지나서, 마지막 흐름은 그대로 unembedding과 내적합니다. 마지막 것은 이미 norm을 지났습니다."""
    states = [torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]])]
    found = student.logit_lens(states, lambda x: 2 * x, torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    assert_close(found, torch.tensor([[[2.0, 4.0, 6.0]], [[3.0, 4.0, 7.0]]]))


@observes("logit_lens")
def observe_logit_lens(student):
    lens, unembedding = student.logit_lens, scattered((5, 3), 9)

    def double(x):
        return 2 * x

    return up_to_the_first_wrong(
        (lambda: lens(streams(), half_more, unembedding), through_the_lens(streams(), unembedding)),
        (lambda: list(lens(streams(batch=(2,)), half_more, unembedding).shape), [3, 2, 4, 5]),
        (lambda: lens(streams(1), half_more, unembedding), through_the_lens(streams(1), unembedding)),
        (lambda: bad_manners(student, lens, streams(), place(student, double), unembedding, learns=[]), "none"),
    )  # fmt: skip




# logit_shares -------------------------------------------------------------------------------------------------


def some_parts(m=4, d=6):
    """Parts, weight, bias, direction; the parts' means differ."""
    parts = scattered((m, d), 1) + torch.arange(m)[:, None] * 0.3
    return [parts, 1 + 0.5 * scattered((d,), 2), scattered((d,), 3), scattered((d,), 4)]


shares_of = values_of(
    [
        ([['float64', 4, 6, 24, 49.164767, 15.730037], ['float64', 6, 6, 9.2472663, 5.0741977], ['float64', 6, 6, -0.16869118, 2.3433415], ['float64', 6, 6, -3.7444618, 2.542779]], {'dtype': 'float64', 'shape': [5], 'values': [-0.28007483, 0.19290453, 0.22712037, 0.28581813, -0.50177079]}),
        ([['float64', 4, 6, 24, 0.49164767, 0.15730037], ['float64', 6, 6, 9.2472663, 5.0741977], ['float64', 6, 6, -0.16869118, 2.3433415], ['float64', 6, 6, -3.7444618, 2.542779], 0.001], {'dtype': 'float64', 'shape': [5], 'values': [-0.096427241, 0.066415293, 0.078195498, 0.098404607, -0.50177079]}),
        ([['float64', 4, 6, 24, 0.49164767, 0.15730037], ['float64', 6, 6, 9.2472663, 5.0741977], ['float64', 6, 6, -0.16869118, 2.3433415], ['float64', 6, 6, -3.7444618, 2.542779]], {'dtype': 'float64', 'shape': [5], 'values': [-0.27020923, 0.1861095, 0.21912009, 0.27575022, -0.50177079]}),
        ([['float64', 1, 3, 3, -0.89117385, 1.3924316], ['float64', 3, 3, 3.8387131, 2.6989079], ['float64', 3, 3, -1.966475, 1.5580588], ['float64', 3, 3, -1.2645788, 1.2946228]], {'dtype': 'float64', 'shape': [2], 'values': [0.32050178, 0.070929919]}),
    ]
)


def logit_of(parts, weight, bias, direction, eps=1e-5):
    return F.layer_norm(parts.sum(0), parts.shape[-1:], weight, bias, eps) @ direction


@points(0.5, "logit_shares", read="circuits-shares", step="warm-up")
def test_two_parts_by_hand(student):
    """합 (3, 1)의 평균은 2, 분산은 1입니다. 부품마다 제 평균을 빼고, 전체의 표준편차로 나눕니다. 둘째 부품 (1, 1)의 몫은 0이고, 마지막은 편향의 몫입니다."""
    parts = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    found = student.logit_shares(
        parts, torch.tensor([2.0, 1.0]), torch.tensor([0.5, 7.0]), torch.tensor([1.0, 0.0]), 0.0
    )
    assert_close(found, torch.tensor([2.0, 0.0, 0.5]))


@points(0.5, "logit_shares", read="circuits-shares")
def test_shares_add_up_to_the_logit(student):
    """몫을 모두 더하면 nn.LayerNorm을 지난 흐름과 방향의 내적입니다."""
    for m, d in [(4, 6), (3, 5)]:
        given = some_parts(m, d)
        found = student.logit_shares(*given)
        assert_close(found.sum(), logit_of(*given), rtol=1e-4, atol=1e-4)
        assert_close(found[-1], given[2] @ given[3])


@observes("logit_shares")
def observe_logit_shares(student):
    shares, small = student.logit_shares, [1e-2 * some_parts()[0], *some_parts()[1:]]

    def form():
        """The shape; and where one share is missing, whether the others are other than they should be."""
        found, right = shares(*some_parts()), shares_of(*some_parts())
        return [list(found.shape), found.shape == right[1:].shape and not same(found, right[:-1])]

    return up_to_the_first_wrong(
        (form, [[5], False]),
        (lambda: shares(*some_parts()), shares_of(*some_parts())),
        (lambda: shares(*small, 1e-3), shares_of(*small, 1e-3)),
        (lambda: shares(*small), shares_of(*small)),
        (lambda: shares(*some_parts(1, 3)), shares_of(*some_parts(1, 3))),
        (lambda: bad_manners(student, shares, *some_parts()), "none"),
    )




# patch_effect -------------------------------------------------------------------------------------------------


def to_the_right(x):
    """Each place takes in what the one before it holds."""
    return x + F.pad(x, (0, 0, 1, 0))[..., :-1, :]


def mixing(key, n=4):
    """A layer in which places look at each other, by a causal matrix, and are not merely added."""
    matrix = scattered((n, n), key).tril()

    def layer(x):
        assert x.dim() == 3, "층에는 (batch, n, d)를 넘깁니다."
        return x + (matrix.to(x) @ x + x.roll(1, -1)).tanh()

    return layer


def last_place(x):
    assert x.dim() == 3, "score에는 (batch, n, d)를 넘깁니다."
    return x[:, -1].sum(-1)


def all_places(x):
    return (x * torch.arange(1.0, 1 + x[0].numel()).view(x.shape[1:]).to(x)).sum((1, 2))


def two_texts(n=4, d=3):
    """Clean and corrupted streams that differ at places 0 and 2."""
    clean = scattered((n, d), 11)
    corrupted = clean.clone()
    corrupted[[0, 2]] = scattered((2, d), 12)
    return clean, corrupted


effects = values_of(
    [
        ([['layer', 'layer'], 'last_place', ['float64', 4, 3, 12, -4.0614916, 8.4652941], ['float64', 4, 3, 12, -2.1666554, 7.0504967]], {'dtype': 'float64', 'shape': [3, 4], 'values': [1.1656629, -0.0, -0.74901034, -0.0, 2.4140199, 0.17949757, -1.3932275, 0.145951, -0.0, -0.0, -0.0, 1.0]}),
        ([['layer', 'layer'], 'all_places', ['float64', 4, 3, 12, -4.0614916, 8.4652941], ['float64', 4, 3, 12, -2.1666554, 7.0504967]], {'dtype': 'float64', 'shape': [3, 4], 'values': [1.3893443, -0.0, -0.17657224, -0.0, 0.64413743, 0.64891458, 0.027814148, 0.0093628548, 0.44669413, 0.043394678, 0.42308162, 0.086829574]}),
        ([[], 'all_places', ['float64', 4, 3, 12, -4.0614916, 8.4652941], ['float64', 4, 3, 12, -2.1666554, 7.0504967]], {'dtype': 'float64', 'shape': [1, 4], 'values': [3.7585581, -0.0, -2.7585581, -0.0]}),
    ]
)


@points(0.5, "patch_effect", read="circuits-patching", step="warm-up")
def test_what_moves_one_place_a_layer(student):
    """층마다 한 자리씩 오른쪽으로 옮겨 적는 모델입니다. 답은 처음에 0번, 층 하나를 지나면 1번, 둘을 지나면 2번 자리에 있습니다."""
    clean, corrupted = torch.tensor([[1.0], [0.0], [0.0]]), torch.zeros(3, 1)
    found = student.patch_effect([to_the_right, to_the_right], lambda x: x[:, -1, 0], clean, corrupted)
    assert_close(found, torch.eye(3))


@points(0.5, "patch_effect", read="circuits-patching")
def test_layers_that_mix_places(student):
    """망가뜨린 글의 흐름에서 한 자리만 깨끗한 글의 것으로 바꾸고, 그 뒤의 층을 다시 지납니다. 끼우는 것은 같은 깊이에서 가진 벡터입니다."""
    layers = [mixing(1), mixing(2)]
    found = student.patch_effect(layers, last_place, *two_texts())
    assert_close(found, effects(layers, last_place, *two_texts()))


@observes("patch_effect")
def observe_patch_effect(student):
    patch, layers = student.patch_effect, [mixing(1), mixing(2)]

    def forward(x):
        return x + x.roll(1, 1).tanh()

    def first(x):
        return x[:, 0, 0]

    def batches():
        seen = []

        def watched(x):
            seen.append(x.dim())
            return to_the_right(x)

        patch([watched], lambda x: x[..., -1, 0], *two_texts())
        return set(seen) == {3}

    placed = [place(student, forward)], place(student, first)
    return up_to_the_first_wrong(
        (lambda: patch(layers, last_place, *two_texts()), effects(layers, last_place, *two_texts())),
        (batches, True),
        (lambda: patch(layers, all_places, *two_texts()), effects(layers, all_places, *two_texts())),
        (lambda: patch([], all_places, *two_texts()), effects([], all_places, *two_texts())),
        (lambda: how_refused(patch, layers, last_place, *[two_texts()[0]] * 2), "refused"),
        (lambda: bad_manners(student, patch, *placed, *two_texts(), learns=[]), "none"),
    )




# SparseAutoencoder --------------------------------------------------------------------------------------------


def known(d=3, features=5, key=1):
    """Encoder, decoder and bias that are nobody's transposed."""
    names = {"W_enc": (features, d), "W_dec": (d, features), "b_pre": (d,)}
    return {name: scattered(shape, key + i) for i, (name, shape) in enumerate(names.items())}


def built(student, values, k):
    features, d = values["W_enc"].shape
    module = student.SparseAutoencoder(d, features, k)
    load(student, module, values, typed=True)
    return module


features_of = values_of(
    [
        ([['float64', 6, 3, 18, 12.817153, 9.9022986], [['float64', 3, 5, 15, -6.1360339, 7.7230285], ['float64', 5, 3, 15, 8.1956066, 6.5791527], ['float64', 3, 3, -1.966475, 1.5580588]], 1], {'dtype': 'float64', 'shape': [6, 5], 'values': [0.0, 0.0, 0.8405264, 0.0, 0.0, 0.0, 0.0, 1.3814933, 0.0, 0.0, 0.0, 0.0, 1.3500884, 0.0, 0.0, 0.0, 0.0, 2.1784764, 0.0, 0.0, 0.78005606, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.5306596, 0.0, 0.0]}),
        ([['float64', 6, 3, 18, 12.817153, 9.9022986], [['float64', 3, 5, 15, -6.1360339, 7.7230285], ['float64', 5, 3, 15, 8.1956066, 6.5791527], ['float64', 3, 3, -1.966475, 1.5580588]], 3], {'dtype': 'float64', 'shape': [6, 5], 'values': [0.0, 0.63758217, 0.8405264, 0.44514696, 0.0, 0.0, 0.88751619, 1.3814933, 0.49274661, 0.0, 0.6230274, 0.0, 1.3500884, 0.58672267, 0.0, 0.29707753, 0.0, 2.1784764, 0.85287596, 0.0, 0.78005606, 0.0, 0.64684494, 0.087748691, 0.0, 0.45589456, 0.0, 1.5306596, 0.56792127, 0.0]}),
        ([['float64', 6, 3, 18, 12.817153, 9.9022986], [['float64', 3, 5, 15, -6.1360339, 7.7230285], ['float64', 5, 3, 15, 8.1956066, 6.5791527], ['float64', 3, 3, -1.966475, 1.5580588]], 5], {'dtype': 'float64', 'shape': [6, 5], 'values': [0.0, 0.63758217, 0.8405264, 0.44514696, 0.0, 0.0, 0.88751619, 1.3814933, 0.49274661, 0.0, 0.6230274, 0.0, 1.3500884, 0.58672267, 0.0, 0.29707753, 0.29007244, 2.1784764, 0.85287596, 0.0, 0.78005606, 0.0, 0.64684494, 0.087748691, 0.0, 0.45589456, 0.028086011, 1.5306596, 0.56792127, 0.0]}),
        ([['float64', 6, 3, 18, 25.634306, 19.804597], [['float64', 3, 5, 15, -6.1360339, 7.7230285], ['float64', 5, 3, 15, 8.1956066, 6.5791527], ['float64', 3, 3, -1.966475, 1.5580588]], 2], {'dtype': 'float64', 'shape': [6, 5], 'values': [0.0, 1.2554847, 0.70409658, 0.0, 0.0, 0.0, 1.7553527, 1.7860304, 0.0, 0.0, 1.077911, 0.0, 1.7232206, 0.0, 0.0, 0.0, 0.0, 3.3799966, 1.3052457, 0.0, 1.3919683, 0.0, 0.31673366, 0.0, 0.0, 0.74364529, 0.0, 2.0843631, 0.0, 0.0]}),
        ([['float64', 6, 3, 18, 25.634306, 19.804597], [['float64', 3, 5, 15, -6.1360339, 7.7230285], ['float64', 5, 3, 15, 8.1956066, 6.5791527], ['float64', 3, 3, -1.966475, 1.5580588]], 5], {'dtype': 'float64', 'shape': [6, 5], 'values': [0.0, 1.2554847, 0.70409658, 0.48978767, 0.0, 0.0, 1.7553527, 1.7860304, 0.58498696, 0.0, 1.077911, 0.0, 1.7232206, 0.77293909, 0.03099369, 0.42601124, 0.56046526, 3.3799966, 1.3052457, 0.0, 1.3919683, 0.0, 0.31673366, 0.0, 0.0, 0.74364529, 0.036492391, 2.0843631, 0.73533628, 0.0]}),
        ([['float64', 2, 3, 3, 18, 0.37279666, 8.7752714], [['float64', 3, 5, 15, -6.1360339, 7.7230285], ['float64', 5, 3, 15, 8.1956066, 6.5791527], ['float64', 3, 3, -1.966475, 1.5580588]], 2], {'dtype': 'float64', 'shape': [2, 3, 5], 'values': [0.0, 0.63457215, 0.88561, 0.0, 0.0, 0.10035287, 0.0, 0.0, 0.0, 0.12559294, 0.0, 0.77988253, 0.66352752, 0.0, 0.0, 0.0, 0.0, 1.4538793, 0.65595882, 0.0, 0.0, 0.0, 1.4728678, 0.66425027, 0.0, 0.96894463, 0.0, 0.88558257, 0.0, 0.0]}),
    ]
)


summed = values_of(
    [
        ([['float64', 2, 5, 10, 0.45101164, 5.1138965], [['float64', 3, 5, 15, -6.1360339, 7.7230285], ['float64', 5, 3, 15, 8.1956066, 6.5791527], ['float64', 3, 3, -1.966475, 1.5580588]]], {'dtype': 'float64', 'shape': [2, 3], 'values': [-0.99752801, 0.18691586, -1.2169623, -0.20990205, -0.59581217, -0.29460101]}),
        ([['float64', 6, 5, 12, 65.227746, 17.524049], [['float64', 3, 5, 15, -6.1360339, 7.7230285], ['float64', 5, 3, 15, 8.1956066, 6.5791527], ['float64', 3, 3, -1.966475, 1.5580588]]], {'dtype': 'float64', 'shape': [6, 3], 'values': [-0.88296835, 0.19009787, -1.1806942, -0.90527066, -0.40285411, -1.1640737, -1.5967555, -1.5312728, 0.045225855, -1.9459686, -3.0131521, 1.1464977, -1.7366697, -0.085377608, -0.57877823, -1.4094299, -1.9861703, 0.25718998]}),
        ([['float64', 2, 3, 5, 12, 37.14034, 9.2910214], [['float64', 3, 5, 15, -6.1360339, 7.7230285], ['float64', 5, 3, 15, 8.1956066, 6.5791527], ['float64', 3, 3, -1.966475, 1.5580588]]], {'dtype': 'float64', 'shape': [2, 3, 3], 'values': [-0.90684809, -0.52922349, -0.59404577, -1.0631476, -0.15280151, -0.55747909, -0.89518632, -0.18947189, -0.80283939, -1.4149106, -1.4011208, 0.2693573, -1.4215026, -1.4163542, 0.27832578, -1.5033842, -0.7677763, -0.26601754]}),
    ]
)


left_over = values_of(
    [
        ([['float64', 6, 3, 18, 25.634306, 19.804597], [['float64', 3, 5, 15, -6.1360339, 7.7230285], ['float64', 5, 3, 15, 8.1956066, 6.5791527], ['float64', 3, 3, -1.966475, 1.5580588]], 2], {'dtype': 'float64', 'shape': [], 'values': [3.0388389]}),
        ([['float64', 6, 3, 18, 236.97408, 79.15881], [['float64', 3, 5, 15, -6.1360339, 7.7230285], ['float64', 5, 3, 15, 8.1956066, 6.5791527], ['float64', 3, 3, -1.966475, 1.5580588]], 2], {'dtype': 'float64', 'shape': [], 'values': [48.380815]}),
    ]
)


BY_HAND = {
    "W_enc": torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [1.0, 1.0]]),
    "W_dec": torch.tensor([[1.0, 0.0, -1.0, 0.6], [0.0, 1.0, 0.0, 0.8]]),
    "b_pre": torch.tensor([1.0, -1.0]),
}


ALIKE = {"W_enc": torch.ones(5, 3), "W_dec": torch.ones(3, 5), "b_pre": torch.zeros(3)}


@points(0.25, "SparseAutoencoder", read="circuits-sae", step="warm-up")
def test_two_features_of_four(student):
    """x - b_pre = (2, -0.5)의 특징은 2, -0.5, -2, 1.5입니다. 큰 둘인 2와 1.5만 남고, 복원은 두 방향의 합에 b_pre를 더한 것입니다."""
    module = built(student, BY_HAND, 2)
    x = torch.tensor([[3.0, -1.5]])
    assert_close(module.encode(x), torch.tensor([[2.0, 0.0, 0.0, 1.5]]))
    reconstruction, z = module(x)
    assert_close(reconstruction, torch.tensor([[3.9, 0.2]]))
    assert_close(z, torch.tensor([[2.0, 0.0, 0.0, 1.5]]))


@points(0.25, "SparseAutoencoder", read="circuits-sae")
def test_starts_with_directions(student):
    """W_dec의 열은 길이 1인 서로 다른 무작위 방향, W_enc은 그 전치와 같은 값인 다른 파라미터, b_pre는 0에서 시작합니다."""
    found = parameters(student, student.SparseAutoencoder(12, 9, 2))
    assert set(found) == {"W_enc", "W_dec", "b_pre"}, f"파라미터: {sorted(found)}"
    assert_close(found["W_dec"].norm(dim=0), torch.ones(9))
    assert (found["W_dec"].T @ found["W_dec"]).fill_diagonal_(0).abs().max() < 0.999, "같은 방향이 있습니다."
    assert (found["W_dec"] < 0).any() and (found["W_dec"] > 0).any(), "모든 방향을 고르게 뽑으십시오."
    assert_close(found["W_enc"], found["W_dec"].T)
    assert_close(found["b_pre"], torch.zeros(12))


@points(0.5, "SparseAutoencoder", read="circuits-sae")
def test_largest_and_never_negative(student):
    """벡터마다 점수가 큰 k개를 남깁니다. 크기(절댓값)가 아니라 값이 큰 것이고, 남은 것이 음수이면 0입니다."""
    for k in (1, 3, 5):
        module, x = built(student, known(), k), scattered((6, 3), 7)
        assert_close(module.encode(x), features_of(x, known(), k))
        assert_close(module.decode(scattered((2, 5), 8)), summed(scattered((2, 5), 8), known()))


def all_alike(module):
    """How many features a vector keeps, of five with one score."""
    return (module.encode(torch.ones(1, 3)) != 0).sum()


def double_decoder(module):
    with torch.no_grad():
        module.W_dec.mul_(torch.arange(1.0, 1 + module.W_dec.shape[1]).to(module.W_dec))


def same_parameter(module):
    """Whether the decoder stays the parameter that an optimiser holds, and learns."""
    before = module.W_dec
    module.normalize_decoder()
    return module.W_dec is before and before.requires_grad and before.grad_fn is None


@observes("SparseAutoencoder")
def observe_sparse_autoencoder(student):
    def started():
        found = parameters(student, student.SparseAutoencoder(12, 9, 2))
        return {name: list(value.shape) for name, value in sorted(found.items())}

    def directions():
        found = parameters(student, student.SparseAutoencoder(12, 9, 2))
        dec, enc = found["W_dec"], found["W_enc"]
        unit = dec / dec.norm(dim=0)
        return [
            bool(torch.allclose(dec.norm(dim=0), torch.ones(9), atol=1e-4)),
            bool(torch.allclose(dec.norm(dim=1), torch.ones(12), atol=1e-4)),
            bool((unit.T @ unit).fill_diagonal_(0).abs().max() < 0.999 and (dec < 0).any()),
            bool(torch.allclose(enc, dec.T, atol=1e-6)),
            bool((found["b_pre"] == 0).all()),
        ]

    def apart():
        module = student.SparseAutoencoder(12, 9, 2)
        place(student, double_decoder)(module)
        found = parameters(student, module)
        return not torch.allclose(found["W_enc"], found["W_dec"].T)

    x, z = 2 * scattered((6, 3), 7), scattered((2, 5), 8)

    def encoded(k, x=x):
        return built(student, known(), k).encode(x.clone())

    def forward():
        reconstruction, features = built(student, known(), 2)(x.clone())
        right = features_of(x, known(), 2)
        return [same(features, right), same(reconstruction, summed(right, known()))]

    def normalized():
        module = built(student, known(), 2)
        place(student, double_decoder)(module)
        module.normalize_decoder()
        found = parameters(student, module)
        right = known()["W_dec"]
        return [
            found["W_dec"] / (right / right.norm(dim=0)),
            bool(torch.allclose(found["W_enc"], known()["W_enc"])),
            attempt(lambda: place(student, same_parameter)(module)),
        ]

    def learns():
        found = gradients(built(student, known(), 2), x, cotangent=scattered((6, 3), 9))["parameters"]
        return sorted(name for name, grad in found.items() if grad is not None and (grad != 0).any())

    def many_axes():
        many = scattered((2, 3, 3), 5)
        return same(built(student, known(), 2)(many)[0], summed(features_of(many, known(), 2), known()))

    names = ["W_dec", "W_enc", "b_pre"]
    return up_to_the_first_wrong(
        (started, {"W_dec": [12, 9], "W_enc": [9, 12], "b_pre": [12]}),
        (directions, [True, False, True, True, True]),
        (apart, True),
        (lambda: encoded(2), features_of(x, known(), 2)),
        (lambda: encoded(5), features_of(x, known(), 5)),
        (lambda: int(all_alike(built(student, ALIKE, 2))), 2),
        (lambda: built(student, known(), 2).decode(z), summed(z, known())),
        (forward, [True, True]),
        (normalized, [torch.ones(3, 5), True, True]),
        (lambda: built(student, known(), 2).unexplained(x), left_over(x, known(), 2)),
        (lambda: built(student, known(), 2).unexplained(x + 4), left_over(x + 4, known(), 2)),
        (learns, names),
        (many_axes, True),
        (lambda: [how_refused(student.SparseAutoencoder, 3, 5, k) for k in (0, -1, 6)], ["refused"] * 3),
    )




# against_random_directions ------------------------------------------------------------------------------------


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def asked_of(student, effect, direction, count, seed=0):
    """What is returned, and the directions that `effect` was asked of but for the given one."""
    seen = []

    def watched(v):
        seen.append(v.detach().clone())
        return effect(v)

    found = student.against_random_directions(watched, direction.clone(), count, seeded(seed))
    assert isinstance(found, list | tuple) and len(found) == 2, "효과와 p, 둘을 돌려줍니다."
    return found, [v for v in seen if not torch.equal(v, direction)]


def uneven(v):
    """An effect of either sign that no direction shares with its opposite."""
    return float(v[0] - 0.8 * v[1] + 0.3 * v[0] * v[1])


def p_of(observed, others):
    """(1 + how many are at least as large) / (1 + how many there are)."""
    return (1 + sum(abs(one) >= abs(observed) for one in others)) / (1 + len(others))


@points(0.25, "against_random_directions", read="circuits-control", step="warm-up")
def test_nothing_beats_what_only_one_direction_does(student):
    """찾은 방향에만 효과가 있으면 p는 1 / (1 + count)이고, 어느 방향이나 같으면 1입니다."""
    direction = torch.tensor([3.0, 4.0, 0.0])

    def alone(v):
        return -2.0 if torch.allclose(v, direction) else 0.5

    found = student.against_random_directions(alone, direction, 19, seeded(0))
    assert abs(found[0] + 2) < 1e-6 and abs(found[1] - 1 / 20) < 1e-6, f"{found}"
    found = student.against_random_directions(lambda v: -0.7, direction, 9, seeded(0))
    assert abs(found[0] + 0.7) < 1e-6 and abs(found[1] - 1) < 1e-6, f"{found}"


@points(0.5, "against_random_directions", read="circuits-control")
def test_random_directions_are_as_long(student):
    """무작위 방향은 count개이고 길이가 찾은 방향과 같습니다. p는 효과의 절댓값이 같거나 큰 것을 셉니다."""
    direction = torch.tensor([0.9, -0.2, 0.1, 1.5])
    (observed, p), others = asked_of(student, uneven, direction, 40)
    assert_fair(others, direction, 40)
    assert abs(observed - uneven(direction)) < 1e-6
    assert abs(p - p_of(observed, map_of(uneven, others))) < 1e-6, f"p = {p}"


def assert_fair(others, direction, count):
    """As many as were asked for, each its own, and as long as the direction."""
    assert len(others) == count, f"무작위 방향이 {len(others)}개입니다."
    assert_close(torch.stack(others).norm(dim=1), direction.norm().expand(count))
    assert len(torch.stack(others).unique(dim=0)) == count, "같은 방향이 되풀이됩니다."


def map_of(effect, directions):
    return [effect(v) for v in directions]


@observes("against_random_directions")
def observe_against_random_directions(student):
    direction = torch.tensor([0.9, -0.2, 0.1, 1.5])
    against = student.against_random_directions

    def observed():
        return float(asked_of(student, uneven, direction, 40)[0][0])

    def directions():
        others = torch.stack(asked_of(student, uneven, direction, 40)[1])
        lengths = others.norm(dim=1)
        return [
            len(others),
            bool(torch.allclose(lengths, direction.norm().expand(len(lengths)), rtol=1e-3)),
            bool(torch.allclose(lengths, torch.ones(len(lengths)), rtol=1e-3)),
            len(others.unique(dim=0)),
        ]

    def spread():
        others = asked_of(student, lambda v: 0.0, 2 + scattered((64,), 3).float(), 100)[1]
        return shape_of(torch.stack(others))

    def p(*values):
        """With the random directions' effects given in turn, whatever they are; the direction's own is -1."""
        left = list(values)

        def in_turn(v):
            return -1.0 if torch.allclose(v, direction.to(v)) else left.pop(0) if left else 0.0

        return float(against(in_turn, direction.clone(), len(values), seeded(0))[1])

    def by_seed():
        one, same_one, other = (
            torch.stack(asked_of(student, uneven, direction, 5, seed)[1]) for seed in (1, 1, 2)
        )
        return [torch.equal(one, same_one), torch.equal(one, other)]

    def kept():
        given = direction.clone()
        changed = mutated(against, lambda v: float(v[0]), given, 3, seeded(0))
        return [1 in changed, asked_type(torch.float64) == {torch.float64}]

    def asked_type(dtype):
        return {v.dtype for v in asked_of(student, uneven, direction.to(dtype), 3)[1]}

    return up_to_the_first_wrong(
        (observed, uneven(direction)),
        (directions, [40, True, False, 40]),
        (lambda: p(3.0, -3.0, -3.0, 1.0, -1.0, *[0.5, -0.5] * 7), 0.3),
        (lambda: p(*[-1.0] * 9), 1.0),
        (lambda: p(*[0.2] * 4), 0.2),
        (spread, "every way"),
        (by_seed, [True, False]),
        (lambda: [how_refused(against, uneven, direction, count, seeded(0)) for count in (0, -3)], ["refused"] * 2),
        (kept, [False, True]),
    )  # fmt: skip


def shape_of(others):
    """Of directions in 64 dimensions, what tells them from any direction's being as likely as another.

    The mean coordinate's deviation is some 0.0125, that of the kurtosis some 0.06; a sphere has 2.9, a cube 1.8.
    """
    coordinates = others / others.norm(dim=1, keepdim=True) * 8
    kurtosis = coordinates.pow(4).mean() / coordinates.square().mean() ** 2
    if (coordinates > 0).all():
        return "one side"
    if coordinates.mean(0).square().mean() > 0.1:
        return "around one"
    return "corners" if kurtosis < 2.5 else "axes" if kurtosis > 3.4 else "every way"
