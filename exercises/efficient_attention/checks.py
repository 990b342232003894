"""What the exercise `efficient_attention` is graded by."""

import math

import torch
import torch.nn.functional as F

from grader.judging.suite import (
    ATTENTION,
    assert_close,
    follows_device,
    gradients,
    mutated,
    observes,
    outcome,
    place,
    points,
    reached,
    refuses,
    scattered,
)

FORBIDDEN = dict.fromkeys(
    ["linformer_attention", "lsh_attention", "performer_attention", "latent_attention"], ATTENTION
)

T, N = True, False  # visible, hidden


def drawn(rng, *shape):
    return torch.randn(shape, generator=rng, dtype=torch.float64)


def attend(query, key, value, mask=None, scale=None):
    """PyTorch's attention, and its weights: the output for the values of an identity matrix."""
    identity = torch.eye(key.shape[-2], dtype=key.dtype).expand(*key.shape[:-1], -1)
    return [F.scaled_dot_product_attention(query, key, v, mask, scale=scale) for v in (value, identity)]


def assert_attention(found, expected, *, atol=1e-9):
    """Assert that output and weights are right, and float64 as the inputs are."""
    assert isinstance(found, list | tuple) and len(found) == 2, "(출력, 가중치) 둘을 돌려주어야 합니다."
    for tensor, right in zip(found, expected, strict=True):
        assert_close(tensor, right, rtol=1e-7, atol=atol)
        assert tensor.dtype == torch.float64, f"float64 입력에서 {tensor.dtype}이 나왔습니다."


def pair(function, *args):
    """Output and weights as a list, whatever holds them, or the name of the error."""
    return outcome(lambda: list(function(*args)))


def measured(student, function, *args):
    """How many numbers the largest tensor holds that a call makes, how many all of them, and what it returns."""
    return place(student, tensors_made)(function, list(args))


def is_linear(largest):
    """For 1,024 positions: whether nothing was larger than a quarter of n x n numbers."""
    return largest <= 1024**2 / 4


def is_linear_work(made):
    """For 1,024 positions: whether all that was made is less than half of n x n numbers, in whatever pieces."""
    return made <= 1024**2 / 2


def tensors_made(function, args):
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    largest = made = 0

    class Watch(TorchDispatchMode):
        _should_skip_dynamo = classmethod(lambda cls: False)  # torch would load its compiler, for 1.6 s

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            nonlocal largest, made
            given = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
            given = {x.untyped_storage().data_ptr() for x in given}
            found = operation(*args, **(kwargs or {}))
            for tensor in tree_leaves(found):
                if isinstance(tensor, torch.Tensor):
                    numbers = tensor.untyped_storage().nbytes() // tensor.element_size()
                    largest = max(largest, numbers)
                    made += numbers * (
                        tensor.untyped_storage().data_ptr() not in given
                    )  # a view makes nothing
            return found

    with Watch():
        result = function(*args)
    return largest, made, result


# linformer_attention ----------------------------------------------------------------------------------------


def four_keys():
    """Keys whose scores with a query of ones are 0, 0, ln 4 and ln 9."""
    key = torch.zeros(4, 4)
    key[2, 0] = key[2, 2] = math.log(4)
    key[3, 0] = key[3, 3] = math.log(9)
    return torch.ones(1, 4), key, torch.tensor([[0.0], [7], [7], [14]])


MEANS = torch.tensor([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]])
FIRSTS = torch.tensor([[1.0, 0, 0, 0], [0, 0, 1, 0]])


@points(
    0.5,
    question="linformer_attention",
    hint="E가 키를, F가 값을 길이 쪽에서 줄입니다: E @ key와 F @ value. 그다음은 보통의 어텐션입니다.",
    read="efficient_attention#low-rank",
)
def test_means_of_neighbours(student, device):
    inputs = [x.to(device) for x in (*four_keys(), MEANS, MEANS)]
    output, weights = student.linformer_attention(*inputs)
    assert_close(weights, torch.tensor([[1 / 7, 6 / 7]]))
    assert_close(output, torch.tensor([[9.5]]))


@points(
    0.25,
    question="linformer_attention",
    hint="키의 수가 E나 F의 열의 수와 다르면 ValueError를 내야 합니다. 배운 행렬이 길이를 정합니다.",
    read="efficient_attention#fixed-length",
)
def test_another_length_is_refused(student):
    query, key, value = four_keys()
    student.linformer_attention(query, key, value, MEANS, MEANS)
    assert refuses(student.linformer_attention, query, key[:3], value[:3], MEANS, MEANS), (
        "열이 4개인 E에 키 3개를 넣어도 ValueError가 없습니다."
    )


@observes("linformer_attention")
def observe_linformer_attention(student):
    attend_ = student.linformer_attention
    query, key, value = four_keys()
    inputs = [scattered(shape, i) for i, shape in enumerate([(3, 4), (5, 4), (5, 2), (2, 5), (2, 5)])]
    square = [scattered((4, 4), i) for i in range(5)]
    return [
        pair(attend_, query, key, value, MEANS, FIRSTS),
        pair(attend_, *inputs),
        pair(attend_, *square),
        refuses(attend_, query, key[:3], value[:3], MEANS, MEANS),
        refuses(attend_, query, key[:3], value[:3], MEANS[:, :3], MEANS),
        outcome(lambda: is_linear(measured(student, attend_, *long_linformer())[0])),
        outcome(lambda: reached(attend_, *inputs)),
    ]


def long_linformer():
    x = scattered((1024, 2), 0).float()
    return x, x, x, scattered((3, 1024), 1).float(), scattered((3, 1024), 2).float()




# sliding_window_mask ----------------------------------------------------------------------------------------


@points(
    0.5,
    question="sliding_window_mask",
    hint="|i - j|가 window 이하인 자리가 True입니다. window는 한쪽의 폭이고 자기 자신도 봅니다.",
    read="efficient_attention#sliding-window",
)
def test_neighbours_on_both_sides(student):
    assert_close(
        student.sliding_window_mask(4, 1),
        torch.tensor([[T, T, N, N], [T, T, T, N], [N, T, T, T], [N, N, T, T]]),
    )
    assert_close(student.sliding_window_mask(6, 2).sum(-1), torch.tensor([3, 4, 5, 5, 4, 3]))


@points(
    0.25,
    question="sliding_window_mask",
    hint="전역 위치는 모두를 보고(행), 모두가 그 위치를 봅니다(열). 둘 다 True로 바꾸십시오.",
    read="efficient_attention#global-positions",
)
def test_a_global_position(student):
    assert_close(
        student.sliding_window_mask(4, 0, [1]),
        torch.tensor([[T, T, N, N], [T, T, T, T], [N, T, T, N], [N, T, N, T]]),
    )


@observes("sliding_window_mask")
def observe_sliding_window_mask(student):
    mask = student.sliding_window_mask
    return [outcome(mask, 6, 2), outcome(mask, 5, 0), outcome(mask, 6, 1, [2]), outcome(mask, 5, 1, (0, 4))]




# lsh_buckets ------------------------------------------------------------------------------------------------


@points(
    0.5,
    question="lsh_buckets",
    hint="xR 뒤에 -xR을 이어 붙이고 마지막 축에서 가장 큰 것의 번호를 고릅니다.",
    read="efficient_attention#buckets",
)
def test_nearest_of_four_directions(student, device):
    x = torch.tensor([[2.0, 1], [1, 3], [-3, 1], [1, -2]])
    buckets = student.lsh_buckets(x.to(device), torch.eye(2).to(device))
    assert_close(buckets, torch.tensor([0, 1, 2, 3]))


@observes("lsh_buckets")
def observe_lsh_buckets(student):
    rotations = torch.tensor([[1.0, 0, 0.5], [0, 1, -2]])
    return [
        outcome(student.lsh_buckets, scattered((12, 2), 1).float(), rotations),
        outcome(student.lsh_buckets, scattered((2, 4, 3), 2).float(), scattered((3, 3), 3).float()),
    ]




# lsh_attention ----------------------------------------------------------------------------------------------


def three_and_one():
    qk = torch.tensor([[1.0, 0], [2, 0], [0, 1], [0, -1]])
    return qk, torch.tensor([[1.0], [2], [4], [8]]), torch.tensor([0, 0, 0, 1])


@points(
    0.5,
    question="lsh_attention",
    hint="키는 qk를 크기 1로 맞춘 것, 질의는 qk 그대로입니다. 점수를 √d로 나누고 같은 버킷의 다른 위치만 봅니다.",
    read="efficient_attention#shared-qk",
)
def test_equal_buckets(student, device):
    output, weights = student.lsh_attention(*(x.to(device) for x in three_and_one()))
    assert_close(output, torch.tensor([[2.66052], [1.58674], [1.5], [8]]), atol=1e-4)
    assert_close(weights.sum(-1), torch.ones(4), atol=1e-5)


@points(
    0.25,
    question="lsh_attention",
    hint="달리 볼 것이 없는 위치만 자기 자신을 봅니다. 그 출력은 자기 값입니다.",
    read="efficient_attention#itself-last",
)
def test_alone_in_a_bucket(student):
    qk, value, _ = three_and_one()
    output, weights = student.lsh_attention(qk, value, torch.tensor([5, 2, 2, 0]))
    assert_close(output, torch.tensor([[1.0], [4], [2], [8]]))
    assert_close(weights, torch.tensor([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]))


@points(
    0.25,
    question="lsh_attention",
    hint="causal이면 같은 버킷에서 앞의 위치만 봅니다. 앞에 아무도 없으면 자기 자신을 봅니다.",
    read="efficient_attention#itself-last",
)
def test_causal_buckets(student):
    output, _ = student.lsh_attention(*three_and_one(), causal=True)
    assert_close(output, torch.tensor([[1.0], [1], [1.5], [8]]))


@observes("lsh_attention")
def observe_lsh_attention(student):
    attend_ = student.lsh_attention
    qk, value, buckets = scattered((6, 4), 1), scattered((6, 2), 2), torch.tensor([0, 1, 0, 0, 2, 1])
    square = scattered((2, 4, 4), 3), scattered((2, 4, 4), 4), torch.tensor([[0, 0, 1, 0], [1, 1, 1, 1]])
    return [
        pair(attend_, *three_and_one()),
        pair(attend_, *three_and_one(), True),
        pair(attend_, qk, value, buckets),
        pair(attend_, qk, value, buckets, True),
        pair(attend_, *square),
        outcome(lambda: reached(attend_, qk, value, buckets)),
        outcome(lambda: mutated(attend_, qk, value, buckets)),
    ]




# positive_random_features -----------------------------------------------------------------------------------


@points(
    0.5,
    question="positive_random_features",
    hint="exp(ω · x - |x|² / 2)를 √m으로 나눈 것입니다. |x|는 벡터의 크기, m은 projection의 행의 수입니다.",
    read="efficient_attention#random-features",
)
def test_features_by_hand(student, device):
    projection = torch.tensor([[1.0, 0], [0, 2], [-1, 1], [3, 0]])
    found = student.positive_random_features(torch.tensor([[1.0, 0]]).to(device), projection.to(device))
    assert_close(found, torch.tensor([[0.5, -0.5, -1.5, 2.5]]).exp() / 2)
    found = student.positive_random_features(
        torch.tensor([[1.0, 2], [0, 0]]).to(device), projection.to(device)
    )
    assert_close(found, torch.tensor([[-1.5, 1.5, -1.5, 0.5], [0, 0, 0, 0]]).exp() / 2)


@observes("positive_random_features")
def observe_positive_random_features(student):
    features = student.positive_random_features
    return [
        outcome(features, 2 * scattered((4, 3), 1), scattered((5, 3), 2)),
        outcome(features, scattered((2, 3, 3), 3), scattered((3, 3), 4)),
        outcome(lambda: reached(features, scattered((4, 3), 1), scattered((5, 3), 2))),
        outcome(lambda: mutated(features, scattered((4, 3), 1), scattered((5, 3), 2))),
    ]




# performer_attention ----------------------------------------------------------------------------------------


def kernel_attention(query, key, value, projection, causal=False):
    """The same with all n x n estimates: features of query and key, divided by their sums."""
    query, key = (x / x.shape[-1] ** 0.25 for x in (query, key))
    exponents = [x @ projection.mT - (x * x).sum(-1, keepdim=True) / 2 for x in (query, key)]
    kernel = exponents[0].exp() @ exponents[1].exp().mT
    kernel = kernel.tril() if causal else kernel
    return kernel @ value / kernel.sum(-1, keepdim=True)


def five_positions():
    return [scattered((5, 4), i) for i in range(2)] + [scattered((5, 3), 2), 2 * scattered((6, 4), 3)]


@points(
    0.5,
    question="performer_attention",
    hint="질의와 키에 각각 d^(-1/4)를 곱한 다음 특징을 내고, 분자를 분모로 나누어야 합니다. 출력 하나만 돌려줍니다.",
    read="efficient_attention#linear-time",
)
def test_features_in_place_of_scores(student, device):
    inputs = five_positions()
    found = student.performer_attention(*(x.to(device) for x in inputs))
    assert_close(found, kernel_attention(*inputs), atol=1e-4)


@points(
    0.5,
    question="performer_attention",
    hint="causal이면 분자와 분모의 합이 모두 j ≤ i까지입니다. 첫 출력은 첫 값, 마지막 출력은 causal이 아닐 때와 같습니다.",
    read="efficient_attention#prefix-sums",
)
def test_sums_up_to_here(student, device):
    inputs = five_positions()
    found = student.performer_attention(*(x.to(device) for x in inputs), causal=True)
    assert_close(found, kernel_attention(*inputs, causal=True), atol=1e-4)
    assert_close(found[0], inputs[2][0], atol=1e-4)


@observes("performer_attention")
def observe_performer_attention(student):
    attend_ = student.performer_attention
    inputs = five_positions()
    return [
        outcome(attend_, *inputs),
        outcome(attend_, *inputs, True),
        outcome(attend_, inputs[0][:2], *inputs[1:]),
        outcome(lambda: is_linear(measured(student, attend_, *long_performer())[0])),
        outcome(lambda: is_linear(measured(student, attend_, *long_performer(), True)[0])),
        outcome(lambda: reached(attend_, *inputs)),
    ]


def long_performer():
    x = [scattered((1, 1024, 2), i).float() for i in range(3)]
    return *x, scattered((3, 2), 3).float()




# latent_attention -------------------------------------------------------------------------------------------


def two_latents():
    """Two latents that ask for the first and for the second feature of three inputs."""
    latents, inputs = torch.eye(2)[None], torch.tensor([[[2.0, 0, 1], [0, 4, 2], [0, 0, 9]]])
    W_q = torch.tensor([[1.0, 0, 0, 0], [0, 1, 0, 0]])
    W_k = torch.tensor([[math.log(3), 0, 0, 0], [0, math.log(2), 0, 0], [0, 0, 0, 0]])
    return latents, inputs, W_q, W_k, torch.tensor([[0.0], [0], [1]])


@points(
    0.5,
    question="latent_attention",
    hint="질의는 latents @ W_q, 키와 값은 inputs @ W_k와 inputs @ W_v입니다. 점수는 키의 차원의 제곱근으로 나눕니다.",
    read="efficient_attention#latents",
)
def test_latents_ask(student, device):
    output, weights = student.latent_attention(*(x.to(device) for x in two_latents()))
    assert_close(weights, torch.tensor([[[3 / 5, 1 / 5, 1 / 5], [1 / 6, 4 / 6, 1 / 6]]]))
    assert_close(output, torch.tensor([[[14 / 5], [18 / 6]]]))


@observes("latent_attention")
def observe_latent_attention(student):
    attend_ = student.latent_attention
    shapes = [(2, 3, 4), (2, 5, 6), (4, 7), (6, 7), (6, 2)]
    inputs = [2 * scattered(shape, i) for i, shape in enumerate(shapes)]
    square = [
        2 * scattered(shape, i) for i, shape in enumerate([(1, 4, 4), (1, 4, 4), (4, 4), (4, 4), (4, 4)])
    ]
    return [
        pair(attend_, *inputs),
        pair(attend_, *square),
        pair(attend_, *two_latents()),
        outcome(lambda: reached(attend_, *inputs)),
    ]
