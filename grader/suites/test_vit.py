"""What the exercise `vit` is graded by."""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.contract import assert_manners, bad_manners, how_refused
from grader.judging.observed import same, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    follows_device,
    gradients,
    load,
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


def counted(*shape):
    """0, 1, 2, ... so that every pixel can be told from every other."""
    return torch.arange(float(math.prod(shape))).reshape(shape)


@secret
def cut_in_loops(images, patch):
    """Patches as their definition says, pixel by pixel."""
    batch, channels, height, width = images.shape
    return torch.stack(
        [
            torch.stack(
                [
                    images[:, c, row + i, column + j]
                    for c in range(channels)
                    for i in range(patch)
                    for j in range(patch)
                ],
                dim=-1,
            )
            for row in range(0, height, patch)
            for column in range(0, width, patch)
        ],
        dim=1,
    )


def unshaped(found, right):
    """Whether a tensor holds the right values in the right order, in another shape."""
    return isinstance(found, torch.Tensor) and same(found.flatten(), right.flatten())


# An observation ends at the first thing that is wrong, so that what comes after it cannot hide it.


# patchify ---------------------------------------------------------------------------------------------------


@points(0.25, "patchify", read="vit-patches", step="warm-up")
def test_patches_of_a_small_picture(student):
    """패치 하나에는 그림에서 이웃한 화소가 들어갑니다. 패치는 왼쪽 위에서 오른쪽으로, 한 줄이 끝나면 다음 줄로 셉니다."""
    expected = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    assert_close(student.patchify(counted(1, 1, 4, 4), 2), torch.tensor([expected]).float())


@points(0.25, "patchify", read="vit-reshape")
def test_channels_come_first_in_a_patch(student):
    """패치 하나는 (channels, patch, patch)의 차례로 폅니다. 그림은 정사각형이 아니어도 됩니다."""
    image = torch.stack([counted(2, 4), counted(2, 4) + 100])[None]
    expected = [[0, 1, 4, 5, 100, 101, 104, 105], [2, 3, 6, 7, 102, 103, 106, 107]]
    assert_close(student.patchify(image, 2), torch.tensor([expected]).float())


@observes("patchify")
def observe_patchify(student):
    cut, square = student.patchify, scattered((2, 2, 6, 6), 1).float()
    found, right = outcome(cut, square, 3), cut_in_loops(square, 3)
    if not same(found, right):
        return ["square", "another shape" if unshaped(found, right) else found]
    for shape in ((2, 2, 4, 6), (2, 2, 6, 4)):
        images = scattered(shape, 1).float()
        found, right = outcome(cut, images, 2), cut_in_loops(images, 2)
        if not same(found, right):
            return ["oblong", isinstance(found, torch.Tensor) and found.shape == right.shape]
    refused = [refuses(cut, counted(1, 1, *size), 2) for size in [(2, 5), (5, 2), (4, 5), (5, 4), (5, 5)]]
    if not all(refused):
        return [
            "refused",
            refused,
            not any(refused) and isinstance(outcome(cut, counted(1, 1, 5, 5), 2), str),
        ]
    return [bad_manners(student, cut, images.double(), 2)]


### BEGIN HIDDEN TESTS
@points(0.5, "patchify", read="vit-reshape")
def test_patches_of_any_picture(student, device, rng):
    """배치, 채널, 정사각형이 아닌 그림에서도 같아야 합니다. patch는 패치 한 변의 화소 수입니다."""
    for shape, patch in [((2, 3, 6, 4), 2), ((1, 2, 3, 9), 3), ((3, 1, 2, 2), 1), ((2, 2, 4, 4), 4)]:
        images = torch.randn(shape, generator=rng)
        expected = F.unfold(images, patch, stride=patch).mT
        assert_close(student.patchify(images.to(device), patch), expected)


@points(0.25, "patchify", read="vit-reshape", step="robust")
def test_patches_have_manners(student):
    """패치의 자료형과 장치는 그림을 따르고, 패치를 지나 그림까지 기울기가 흘러야 합니다. 그림을 바꾸지 마십시오."""
    images = scattered((2, 2, 4, 6), 1)
    assert student.patchify(images, 2).dtype == torch.float64, "자료형이 그림의 것과 다릅니다."
    assert reached(student.patchify, images, 2) == ["0"], "그림까지 기울기가 흐르지 않습니다."
    assert_manners(student, student.patchify, images, 2)


@points(0.25, "patchify", read="vit-patches", step="robust")
def test_what_does_not_divide_is_refused(student):
    """세로나 가로가 patch로 나누어지지 않으면 ValueError를 냅니다. 남는 화소를 버리지 않습니다."""
    assert student.patchify(counted(1, 1, 4, 6), 2).shape == (1, 6, 4)
    assert refuses(student.patchify, counted(1, 1, 4, 5), 2), "가로 5를 2로 나눌 수 없습니다."
    assert refuses(student.patchify, counted(1, 1, 3, 4), 2), "세로 3을 2로 나눌 수 없습니다."
    assert refuses(student.patchify, counted(1, 1, 2, 8), 4), "세로 2를 4로 나눌 수 없습니다."


### END HIDDEN TESTS


# equivariance_gap -------------------------------------------------------------------------------------------

SHIFT = (1, -1)


def with_places(strength, rows=3, columns=4, patch=2):
    """A map of patches to which learnt places are added: the stronger, the less it moves along."""

    def features(images):
        cut = cut_in_loops(images, patch)
        weight = scattered((cut.shape[-1], 5), 21).to(cut)
        return (cut @ weight).tanh() + strength * scattered((rows * columns, 5), 22).to(cut)

    return features


def some_pictures():
    """Made anew for each call: an answer may change what it is given. The second is brighter."""
    return scattered((2, 2, 6, 8), 1) * torch.tensor([0.3, 2.0]).view(2, 1, 1, 1)


def all_alike(images):
    """What a picture is on the whole, at every place."""
    return images.flatten(1).sum(1)[:, None, None].expand(-1, 12, 5)


@secret
def gap_of(strength, images, patch, shift, rows, columns):
    """Patch by patch: where each came from, and how far its vector is from the one that it had there."""
    features = with_places(strength, rows, columns, patch)
    still, apart, unmoved = features(images), 0.0, 0.0
    down, right = shift
    height, width = images.shape[-2:]
    pixels = torch.arange(height)[:, None] * width + torch.arange(width)
    pixels = pixels.roll(down * patch, 0).roll(right * patch, 1).flatten()
    moved = features(images.flatten(2)[..., pixels].reshape(images.shape))
    for row in range(rows):
        for column in range(columns):
            here = row * columns + column
            there = (row - down) % rows * columns + (column - right) % columns
            apart = apart + (moved[:, here] - still[:, there]).square().sum()
            unmoved = unmoved + (still[:, here] - still[:, there]).square().sum()
    return (apart / unmoved).sqrt()


@points(0.25, "equivariance_gap", read="vit-equivariance", step="warm-up")
def test_what_moves_along_and_what_does_not(student):
    """패치를 하나씩 보기만 하는 함수는 그림을 따라 움직이므로 0, 그림을 보지 않고 자리만 보는 함수는 1입니다."""

    def gap(features):
        return student.equivariance_gap(features, some_pictures(), 2, SHIFT)

    assert_close(gap(with_places(0)), torch.tensor(0.0))
    assert_close(gap(lambda x: with_places(1)(0 * x)), torch.tensor(1.0))
    assert_close(gap(with_places(0.7)), gap_of(0.7, some_pictures(), 2, SHIFT, 3, 4))


@observes("equivariance_gap")
def observe_equivariance_gap(student):
    gap, images = student.equivariance_gap, some_pictures()

    def first(x):
        return x.flatten(2).mT[:, :12, :2]

    def refused(*given):
        return how_refused(gap, *given)

    def asked():
        """Shapes of what `features` was given; nothing of the picture is lost."""
        seen = []

        def features(x):
            seen.append(x.detach().flatten().sort().values)
            return with_places(0.7)(x)

        gap(features, images.clone(), 2, SHIFT)
        return all(torch.allclose(one, images.flatten().sort().values) for one in seen)

    return up_to_the_first_wrong(
        (lambda: gap(with_places(0.7), images.clone(), 2, (2, 1)), gap_of(0.7, images, 2, (2, 1), 3, 4)),
        (asked, True),
        (lambda: gap(with_places(0.7), images.clone(), 2, SHIFT), gap_of(0.7, images, 2, SHIFT, 3, 4)),
        (lambda: float(gap(with_places(0), images.clone(), 2, SHIFT)), 0.0),
        (lambda: [refused(with_places(0), images, patch, SHIFT) for patch in (4, 3)], ["refused"] * 2),
        (lambda: [refused(with_places(0.7), images, 2, (0, 0)), refused(all_alike, images, 2, SHIFT)], ["refused"] * 2),
        (lambda: bad_manners(student, gap, place(student, first), images, 2, SHIFT, learns=[]), "none"),
    )  # fmt: skip


### BEGIN HIDDEN TESTS
@points(0.5, "equivariance_gap", read="vit-equivariance")
def test_gap_of_any_map(student, device, rng):
    """어느 쪽으로 몇 패치를 밀든, 그림이 정사각형이 아니어도 같은 식입니다. 노름은 배치까지 모두 합친 하나입니다."""
    for (batch, height, width), patch, shift in [
        ((3, 6, 4), 2, (1, 0)),
        ((1, 3, 9), 3, (0, 2)),
        ((2, 4, 5), 1, (-1, 3)),
    ]:
        images = torch.randn(batch, 2, height, width, generator=rng, dtype=torch.float64)
        rows, columns = height // patch, width // patch
        for strength in (0.2, 1.5):
            features = with_places(strength, rows, columns, patch)
            found = student.equivariance_gap(features, images.clone().to(device), patch, shift)
            assert_close(found, gap_of(strength, images, patch, shift, rows, columns))
    kernel = torch.randn(4, 2, 3, 3, generator=rng, dtype=torch.float64)

    def convolved(x, mode):
        return F.conv2d(F.pad(x, (1, 1, 1, 1), mode=mode), kernel.to(x)).flatten(2).mT

    images = torch.randn(2, 2, 4, 5, generator=rng, dtype=torch.float64).to(device)
    found = student.equivariance_gap(lambda x: convolved(x, "circular"), images.clone(), 1, (1, 2))
    assert_close(found, torch.tensor(0.0))
    edges = student.equivariance_gap(lambda x: convolved(x, "constant"), images.clone(), 1, (1, 2))
    assert edges > 0.01, "가장자리가 0인 합성곱은 끝에서 어긋납니다."


@points(0.25, "equivariance_gap", read="vit-equivariance", step="robust")
def test_gap_has_manners(student):
    """patch가 나누지 못하는 그림과, 밀어도 달라지지 않는 출력은 ValueError입니다. 그림을 바꾸지 않고 자료형과 장치를 따릅니다."""
    found = student.equivariance_gap(with_places(0.7), some_pictures(), 2, SHIFT)
    assert found.dtype == torch.float64, "자료형이 그림과 다릅니다."
    for features, patch, shift in [
        (with_places(0), 4, SHIFT),
        (with_places(0), 3, SHIFT),
        (with_places(0.7), 2, (0, 0)),
        (all_alike, 2, SHIFT),
    ]:
        assert refuses(student.equivariance_gap, features, some_pictures(), patch, shift), f"{patch}, {shift}"

    def first(x):
        return x.flatten(2).mT[:, :12, :2]

    assert_manners(student, student.equivariance_gap, place(student, first), some_pictures(), 2, SHIFT)


### END HIDDEN TESTS


# PatchEmbedding ---------------------------------------------------------------------------------------------


@secret
def convolved(images, weight, bias):
    return F.conv2d(images, weight, bias, stride=weight.shape[-1]).flatten(2).mT


def embedding_and_convolution(student, channels, patch, size, weight, bias):
    """The student's embedding and what PyTorch's convolution with the same weights gives."""
    embedding = student.PatchEmbedding(channels, patch, size).to(torch.float64)
    values = {"projection.weight": weight.flatten(1), "projection.bias": bias}
    lacks_bias = "projection.bias" not in load(student, embedding, values, optional=["projection.bias"])
    return embedding, lambda images: [convolved(images, weight, b) for b in (bias, 0 * bias)][lacks_bias]


@points(0.5, "PatchEmbedding", read="vit-embedding", step="warm-up")
def test_equals_a_strided_convolution(student):
    """커널과 보폭이 patch인 합성곱과 같아야 합니다. 편 패치에 projection을 한 번 곱합니다. 모양은 (batch, patches, d_model)입니다."""
    weight, bias = scattered((5, 2, 2, 2), 3), scattered((5,), 4)
    embedding, convolution = embedding_and_convolution(student, 2, 2, 5, weight, bias)
    images = scattered((3, 2, 4, 6), 5)
    assert_close(embedding(images), convolution(images))
    assert_close(embedding(-images), convolution(-images))


@observes("PatchEmbedding")
def observe_patch_embedding(student):
    fresh = student.PatchEmbedding(2, 3, 5)
    shapes = {name: list(value.shape) for name, value in parameters(student, fresh).items()}
    shape = shapes.get("projection.weight")
    if shape != [5, 18]:
        return ["projection", shape if shape in (None, [5, 2, 3, 3], [18, 5]) else "other inputs"]
    if shapes.keys() - {"projection.weight", "projection.bias"}:
        return ["more to learn"]
    weight, bias = scattered((5, 2, 3, 3), 6), scattered((5,), 4)
    embedding, convolution = embedding_and_convolution(student, 2, 3, 5, weight, bias)
    embedding = embedding.eval()
    images = scattered((2, 2, 6, 6), 7)
    found, right = outcome(embedding, images), convolution(images)
    if not same(found, right):
        return ["square", kind_of_embedding(embedding, images, found, right, convolution(images * 0))]
    for shape in ((2, 2, 6, 9), (2, 2, 9, 6)):
        images = scattered(shape, 7)
        if not same(outcome(embedding, images), convolution(images)):
            return ["oblong"]
    return [bad_manners(student, embedding, images, learns=["projection.weight", "0"])]


def kind_of_embedding(embedding, images, found, right, empty):
    """What sets it apart from the right one, where that can be said whatever the numbers are; else the numbers."""
    if not isinstance(found, torch.Tensor):
        return found
    if found.dim() > 2 and same(found.flatten(2).mT, right):
        return "features first"
    if unshaped(found, right):
        return "another shape"
    if found.shape != right.shape:
        return found
    start = outcome(embedding, images * 0)
    if not isinstance(start, torch.Tensor) or start.shape != found.shape:
        return found
    linear = found - start
    ratio = linear / (right - empty)
    if same(ratio, torch.ones_like(ratio)):
        return "another constant"
    if same(ratio, ratio.mean().expand_as(ratio)):
        return "scaled"
    if not same(embedding(-images) - start, -linear) or not same(embedding(2 * images) - start, 2 * linear):
        return "not linear"
    return found


### BEGIN HIDDEN TESTS
@points(0.25, "PatchEmbedding", read="vit-embedding")
def test_equals_any_strided_convolution(student, device, rng):
    """채널, 패치의 크기, 그림의 모양이 달라도 합성곱과 같아야 합니다."""
    for channels, patch, size, (height, width) in [(3, 3, 4, (6, 9)), (1, 1, 2, (2, 3)), (2, 4, 7, (4, 4))]:
        weight = torch.randn(size, channels, patch, patch, generator=rng, dtype=torch.float64)
        bias = torch.randn(size, generator=rng, dtype=torch.float64)
        embedding, convolution = embedding_and_convolution(student, channels, patch, size, weight, bias)
        images = torch.randn(2, channels, height, width, generator=rng, dtype=torch.float64)
        found = embedding.to(str(device))(images.to(device))
        assert_close(found, convolution(images), rtol=1e-4, atol=1e-4)


@points(0.25, "PatchEmbedding", read="vit-embedding")
def test_embedding_learns(student, rng):
    """그림과 projection까지 기울기가 흘러야 합니다. 자료형과 장치는 그림을 따릅니다."""
    weight = torch.randn(4, 2, 2, 2, generator=rng, dtype=torch.float64)
    embedding, convolution = embedding_and_convolution(student, 2, 2, 4, weight, torch.zeros(4).double())
    extra = parameters(student, embedding).keys() - {"projection.weight", "projection.bias"}
    assert not extra, f"배우는 것은 projection뿐이어야 하는데 {sorted(extra)}도 있습니다."
    images = torch.randn(2, 2, 4, 6, generator=rng, dtype=torch.float64)
    cotangent = torch.randn(2, 6, 4, generator=rng, dtype=torch.float64)
    found = gradients(embedding, images, cotangent=cotangent)
    pixels, kernel = images.clone().requires_grad_(), weight.clone().requires_grad_()
    expected = (F.conv2d(pixels, kernel, stride=2).flatten(2).mT * cotangent).sum()
    expected.backward()
    of_projection = found["parameters"].get("projection.weight")
    assert found["inputs"][0] is not None and of_projection is not None, "기울기가 흐르지 않습니다."
    assert_close(found["inputs"][0], pixels.grad, rtol=1e-9, atol=1e-9)
    assert_close(of_projection, kernel.grad.flatten(1), rtol=1e-9, atol=1e-9)
    assert follows_device(student, embedding, images), "결과가 그림과 다른 장치에 있습니다."


### END HIDDEN TESTS


# ViT --------------------------------------------------------------------------------------------------------

SIZES = dict(
    hidden_size=8,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=12,
    layer_norm_eps=0.1,
    image_size=6,
    patch_size=2,
    num_channels=2,
)


def small(student, **changes):
    """A small configuration, made on the student's side."""
    return student.ViTConfig(**{**SIZES, **changes})


def vit_shapes(**changes):
    """What a model learns, by the text's names."""
    c = {**SIZES, **changes}
    size, wide = c["hidden_size"], c["intermediate_size"]
    tokens = 1 + (c["image_size"] // c["patch_size"]) ** 2
    shapes = {
        "embeddings.cls_token": (1, 1, size),
        "embeddings.position_embeddings": (1, tokens, size),
        "embeddings.patch_embeddings.projection.weight": (size, c["num_channels"]) + (c["patch_size"],) * 2,
        "embeddings.patch_embeddings.projection.bias": (size,),
        "layernorm.weight": (size,),
        "layernorm.bias": (size,),
    }
    maps = {f"attention.{name}_proj": (size, size) for name in "qkvo"}
    maps |= {"mlp.fc1": (wide, size), "mlp.fc2": (size, wide)}
    for i in range(c["num_hidden_layers"]):
        for name in ("layernorm_before", "layernorm_after"):
            shapes |= {f"layers.{i}.{name}.{what}": (size,) for what in ("weight", "bias")}
        for name, shape in maps.items():
            shapes |= {f"layers.{i}.{name}.weight": shape, f"layers.{i}.{name}.bias": shape[:1]}
    return shapes


def fixed_state(**changes):
    """Values for every parameter that depend on nothing but its name."""
    return {name: scattered(shape, name) for name, shape in vit_shapes(**changes).items()}


def silent(state):
    """The same weights, with layers that add nothing."""
    last = ("o_proj.weight", "o_proj.bias", "fc2.weight", "fc2.bias")
    return {name: value * 0 if name.endswith(last) else value for name, value in state.items()}


def with_state(student, state, **changes):
    """The student's model with these weights, in float64 and evaluation mode."""
    model = student.ViT(small(student, **changes))
    load(student, model, state, typed=True, evaluating=True)
    return model


@secret
def embedded(state, images):
    """Class token and patches with their positions, step by step."""
    weight = state["embeddings.patch_embeddings.projection.weight"]
    patches = cut_in_loops(images, weight.shape[-1]) @ weight.flatten(1).T
    patches = patches + state["embeddings.patch_embeddings.projection.bias"]
    first = state["embeddings.cls_token"].expand(len(images), 1, -1)
    return torch.cat([first, patches], dim=1) + state["embeddings.position_embeddings"]


@secret
def last_norm(state, x):
    return F.layer_norm(
        x, x.shape[-1:], state["layernorm.weight"], state["layernorm.bias"], SIZES["layer_norm_eps"]
    )


@secret
def torch_layers(state, x):
    """PyTorch's own pre-norm encoder with the same weights."""
    c = SIZES
    for i in range(c["num_hidden_layers"]):
        layer = nn.TransformerEncoderLayer(
            c["hidden_size"],
            c["num_attention_heads"],
            c["intermediate_size"],
            dropout=0.0,
            activation="gelu",
            layer_norm_eps=c["layer_norm_eps"],
            batch_first=True,
            norm_first=True,
            dtype=torch.float64,
        )
        here = {name.removeprefix(f"layers.{i}."): value for name, value in state.items()}
        own = {}
        for what in ("weight", "bias"):
            own[f"self_attn.in_proj_{what}"] = torch.cat(
                [here[f"attention.{name}_proj.{what}"] for name in "qkv"]
            )
            own[f"self_attn.out_proj.{what}"] = here[f"attention.o_proj.{what}"]
            own[f"linear1.{what}"], own[f"linear2.{what}"] = here[f"mlp.fc1.{what}"], here[f"mlp.fc2.{what}"]
            own[f"norm1.{what}"] = here[f"layernorm_before.{what}"]
            own[f"norm2.{what}"] = here[f"layernorm_after.{what}"]
        layer.load_state_dict(own)
        x = layer(x).detach()
    return x


def count_on_meta(make, config):
    """How many parameters a model has, without the memory for them."""
    import torch._dynamo  # to draw values on "meta" loads it, for 1.6 s: so the sandbox's server has it already

    with torch.device("meta"):
        return sum(parameter.numel() for parameter in make(config).parameters())


@points(0.25, "ViT", read="vit-class-token", step="warm-up")
def test_model_around_silent_layers(student):
    """층이 아무것도 더하지 않으면 출력은 layernorm([클래스 토큰; 패치] + 위치)입니다. 클래스 토큰은 맨 앞에 옵니다."""
    state, images = silent(fixed_state()), scattered((3, 2, 6, 6), 8)
    expected = last_norm(state, embedded(state, images))
    assert_close(with_state(student, state)(images), expected)


@points(0.5, "ViT", read="vit-model")
def test_layers_equal_torch(student):
    """층은 x = x + attention(layernorm_before(x)), 그다음 x = x + mlp(layernorm_after(x))입니다. 층마다 파라미터가 따로 있습니다."""
    state, images = fixed_state(), scattered((2, 2, 6, 6), 9)
    expected = last_norm(state, torch_layers(state, embedded(state, images)))
    assert_close(with_state(student, state)(images), expected)


@observes("ViT")
def observe_vit(student):
    if wrong := wrong_names(student):
        return ["names", wrong]
    state, images = fixed_state(), scattered((2, 2, 6, 6), 10)
    model, embeddings = with_state(student, state), embedded(state, images)
    right, silently = last_norm(state, torch_layers(state, embeddings)), last_norm(state, embeddings)
    found, around = outcome(model, images), outcome(with_state(student, silent(state)), images)
    if isinstance(around, torch.Tensor) and around.dim() == 3 and around.shape == silently.shape:
        if same(around, state["layernorm.bias"].expand_as(around)):
            return ["no shortcut"]
    if not same(around, silently):
        if isinstance(found, torch.Tensor) and same(found.flatten(), right[:, 0].flatten()):
            return ["class token alone"]
        return ["around", around, found]
    if not same(found, right):
        return ["layers", found]
    sizes = [(4, 6), (6, 4), (8, 8), (2, 18), (7, 7)]
    refused = [refuses(model, scattered((1, 2, *size), 11)) for size in sizes]
    if not all(refused):
        return ["refused", "count" if all(refused[:3]) else refused]
    if not refuses(lambda: student.ViT(small(student, image_size=7))):
        return ["config"]
    wrong = wrong_dropout(student, state, images, right)
    if wrong is not None:
        return ["dropout", wrong]
    if wrong := wrong_start(student):
        return ["start", wrong]
    learns = ["embeddings.cls_token", "embeddings.position_embeddings", "layers.0.mlp.fc1.weight"]
    if missing := set(learns) - set(reached(model, images, cotangent=scattered(right.shape, 11))):
        return ["gradient", "all" if len(missing) == 3 else "some"]
    if parameters(student, model).keys() - vit_shapes().keys():
        return ["more to learn"]
    return ["right"]


def wrong_names(student):
    """What of the text's parameters is not there, has another shape or is one under two names."""
    model, expected = student.ViT(small(student)), vit_shapes()
    shapes = {name: value.shape for name, value in parameters(student, model, *expected).items()}
    if expected.keys() - shapes.keys():
        return "missing"
    wrong = [name for name in expected if shapes[name] != expected[name]]
    if wrong == ["embeddings.position_embeddings"]:
        return "a row too few" if 9 in shapes[wrong[0]] else "another shape"
    if "embeddings.patch_embeddings.projection.weight" in wrong:
        return (
            "linear" if len(shapes["embeddings.patch_embeddings.projection.weight"]) == 2 else "another shape"
        )
    if wrong:
        return "another shape"
    shared = expected.keys() - parameters(student, model).keys()
    return "" if not shared else "layers" if all(".1." in name for name in shared) else "parts"


def wrong_dropout(student, state, images, right):
    """What a dropout that takes all leaves, where that is wrong; or what is wrong otherwise; None if nothing is."""
    dropped = with_state(student, state, hidden_dropout_prob=1.0)
    if not same(dropped(images), right):
        return "when evaluated"
    dropped = dropped.train()
    found = dropped(images)
    if not same(found, state["layernorm.bias"].expand_as(found)):
        return found if same(dropped(images), found) else "another probability"
    return "shortcut" if shortcut_dropped(student) else None


def wrong_start(student):
    """How positions or else the class token start, if not as the configuration says."""
    token, table, token_later, table_later = start(student)
    flat, *_, away = start_is_normal(student)
    kinds = [(table, table_later), (token, token_later)]
    if ("zero", "zero") in kinds:
        return "constant" if away else "zero"
    if flat:
        return "uniform"
    return {("right", "small"): "fixed", ("large", "large"): "large", ("right", "right"): ""}.get(
        next((kind for kind in kinds if kind != ("right", "right")), kinds[0]), "another"
    )


def shortcut_dropped(student):
    """Whether silent layers lose more than the half of the embeddings that a dropout of one half takes."""
    plain = {"layernorm.weight": torch.ones(8), "layernorm.bias": torch.zeros(8)}
    model = with_state(student, silent(fixed_state()) | plain, hidden_dropout_prob=0.5)
    found = model.train()(scattered((4, 2, 6, 6), 12))
    alike = (found[..., None] - found[..., None, :]).abs() < 1e-9  # pairs of zeros, and each with itself
    return alike.double().mean().item() > 0.6


def what_was_kept(student):
    """What a dropout of one half leaves of the sum of the embeddings, (calls, images, tokens, numbers): 0 or 1.

    Layer normalisation hides which; so all 256 ways are tried. None where none of them gives what was found.
    """
    plain = {"layernorm.weight": torch.ones(8), "layernorm.bias": torch.zeros(8)}
    state = silent(fixed_state()) | {name: value.double() for name, value in plain.items()}
    model, images = with_state(student, state, hidden_dropout_prob=0.5).train(), scattered((4, 2, 6, 6), 12)
    ways = torch.tensor(list(itertools.product([0.0, 1.0], repeat=8)), dtype=torch.float64)
    right = last_norm(state, 2 * embedded(state, images)[..., None, :] * ways)
    found = torch.stack([model(images), model(images)])
    gap, way = (found[..., None, :] - right).abs().amax(-1).min(-1)
    return ways[way] if gap.max() < 1e-9 else None


def start(student):
    """How class token and positions spread at the start, next to what the configuration says."""
    found = []
    for deviation in (0.02, 0.5):
        config = small(student, hidden_size=64, image_size=8, initializer_range=deviation)
        names = ("embeddings.cls_token", "embeddings.position_embeddings")
        drawn = parameters(student, student.ViT(config), *names)
        spread = [drawn[name].std().item() / deviation for name in names]
        found += [
            "zero" if s == 0 else "small" if s < 0.5 else "large" if s > 1.5 else "right" for s in spread
        ]
    return found


def start_is_normal(student):
    """Whether class token and positions are drawn from a normal distribution around 0, each number by itself."""
    config = small(student, hidden_size=64, image_size=8, initializer_range=0.5)
    names = ("embeddings.cls_token", "embeddings.position_embeddings")
    drawn, again = (parameters(student, student.ViT(config), *names) for _ in range(2))
    (token, table), (token_again, table_again) = (
        [found[name].flatten(0, 1) * 2 for name in names] for found in (drawn, again)
    )
    flat = (table - table.mean()).pow(4).mean() < 2.4 * table.var() ** 2  # 3 if normal, 1.8 if uniform
    same = torch.equal(token, token_again) or torch.equal(table, table_again)
    repeated = min(table.std(0).mean(), table.std(1).mean()) < 0.5
    away = bool(max(token.mean().abs(), table.mean().abs()) > 0.6)
    return [bool(flat), same, bool(repeated), away]


### BEGIN HIDDEN TESTS
OLDER_NAMES = {  # of transformers' releases before the pinned one
    "encoder.layer.": "layers.",
    "attention.attention.query": "attention.q_proj",
    "attention.attention.key": "attention.k_proj",
    "attention.attention.value": "attention.v_proj",
    "attention.output.dense": "attention.o_proj",
    "intermediate.dense": "mlp.fc1",
    "output.dense": "mlp.fc2",
}


def hugging_face(rng, **sizes):
    """A tiny random ViTModel in float64, and its parameters by the text's names."""
    import transformers

    oracle = transformers.ViTModel(transformers.ViTConfig(**sizes), add_pooling_layer=False).double().eval()
    named = {}
    for name, parameter in oracle.named_parameters():
        parameter.data = torch.randn(parameter.shape, generator=rng, dtype=torch.float64) / 2
        for older, newer in OLDER_NAMES.items():
            name = name.replace(older, newer)
        named[name] = parameter
    return oracle, named


@points(1.75, "ViT", read="vit-model")
def test_equals_hugging_face(student, device, rng):
    """같은 가중치의 Hugging Face ViT와 출력이나 기울기가 다릅니다. 패치의 차례, 위치, 정규화와 엡실론을 차례로 보십시오. 평가할 때 드롭아웃은 꺼집니다."""
    for changes in [
        dict(hidden_size=12, num_hidden_layers=3, num_attention_heads=3, image_size=8, num_channels=3),
        dict(num_hidden_layers=1, num_attention_heads=1, image_size=2, num_channels=1, layer_norm_eps=1e-12),
    ]:
        sizes = {**SIZES, **changes}
        oracle, named = hugging_face(rng, **sizes)
        weights = {name: p.detach() for name, p in named.items()}
        model = with_state(student, weights, hidden_dropout_prob=0.5, **changes).to(str(device))
        shape = (2, sizes["num_channels"], sizes["image_size"], sizes["image_size"])
        images = torch.randn(shape, generator=rng, dtype=torch.float64)
        expected = oracle(images).last_hidden_state
        cotangent = torch.randn(expected.shape, generator=rng, dtype=torch.float64)
        (expected * cotangent).sum().backward()
        found = gradients(model, images.to(device), cotangent=cotangent.to(device))
        assert_close(found["output"], expected.detach(), rtol=1e-10, atol=1e-10)
        for name in ("embeddings.cls_token", "embeddings.position_embeddings", "layers.0.mlp.fc1.weight"):
            grad = found["parameters"].get(name)
            assert grad is not None, f"{name}까지 기울기가 흐르지 않습니다."
            assert_close(grad, named[name].grad, rtol=1e-9, atol=1e-9)


@points(0.25, "ViT", read="vit-interpolation", step="robust")
def test_other_sizes_are_refused(student):
    """그림의 크기가 image_size와 다르거나 image_size가 patch_size로 나누어지지 않으면 ValueError를 냅니다. 안에서 만드는 것은 그림의 장치에 둡니다."""
    model = with_state(student, fixed_state())
    assert tuple(model(scattered((1, 2, 6, 6), 11)).shape) == (1, 10, 8)
    for size in [(4, 6), (6, 4), (8, 8), (2, 18)]:
        assert refuses(model, scattered((1, 2, *size), 11)), f"{size}인 그림을 받아들였습니다."
    with pytest.raises(ValueError):
        student.ViT(small(student, image_size=7))
    images = scattered((1, 2, 6, 6), 11)
    assert follows_device(student, model, images), "그림과 다른 장치에 있는 것이 섞였습니다."


@points(0.25, "ViT", read="vit-model")
def test_everything_is_dropped(student):
    """학습할 때 드롭아웃(hidden_dropout_prob)은 임베딩의 합과 두 부분층의 출력에 걸리고, 평가할 때는 꺼집니다."""
    state, images = fixed_state(), scattered((2, 2, 6, 6), 12)
    model = with_state(student, state, hidden_dropout_prob=1.0)
    assert_close(model(images), last_norm(state, torch_layers(state, embedded(state, images))))
    found = model.train()(images)
    assert_close(found, state["layernorm.bias"].expand_as(found))
    assert not shortcut_dropped(student), "지름길에도 드롭아웃이 걸렸습니다."
    kept = what_was_kept(student)
    assert kept is not None, "지우지 않은 수는 1 / (1 - p)배가 되어야 합니다."
    share = kept.mean([0, 1, 2]), kept.mean([0, 1, 3]), kept.mean([0, 2, 3]), kept.mean([1, 2, 3])
    assert all((0.2 < s).all() and (s < 0.8).all() for s in share), "수마다 따로 지워야 합니다."
    for axis in range(4):
        first, *others = kept.unbind(axis)
        assert all((first != other).any() for other in others), "언제나 같은 자리를 지웠습니다."
    assert kept.any(-1).sum() > 70, "수마다 따로 지워야 합니다."


@points(0.25, "ViT", read="vit-start", step="robust")
def test_starts_with_the_right_deviation(student):
    """클래스 토큰과 위치는 표준편차가 initializer_range인 정규분포에서 시작합니다."""
    assert start(student) == ["right"] * 4
    assert not any(start_is_normal(student)), "정규분포에서, 수마다 따로, 모델마다 새로 뽑은 값이 아닙니다."


@points(0.25, "ViT", read="vit-sizes")
def test_published_sizes(student):
    """공개된 크기의 파라미터 수와 다릅니다. 위치는 1 + N개, 정규화는 층마다 둘과 마지막 하나입니다."""
    large = dict(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096)
    for sizes, expected in [({"patch_size": 32}, 87_455_232), (large, 303_301_632)]:
        found = place(student, count_on_meta)(student.ViT, student.ViTConfig(**sizes))
        assert found == expected, f"{expected:,} 대신 {found:,}개입니다."


### END HIDDEN TESTS


# interpolate_positions --------------------------------------------------------------------------------------

SMALL_TABLE = torch.tensor([[0.0], [1.0], [2.0], [3.0], [4.0]])
UNEVEN = torch.tensor([9.0, 1, 5, 2, 0, 4, 1, 6, 3, 2, 7, 0, 5, 8, 3, 4, 1])[:, None]
LINES = [  # tables of one dimension, the size asked for, what comes out
    (SMALL_TABLE, (3, 3), [0, 0.7396, 1.3264, 1.9132, 1.9132, 2.5, 3.0868, 3.0868, 3.6736, 4.2604]),
    (SMALL_TABLE, (2, 3), [0, 0.91319, 1.5, 2.0868, 2.9132, 3.5, 4.0868]),
    (UNEVEN, (2, 3), [9, 2.6147, 3.7812, 1.8158, 4.9918, 3.4062, 2.8647]),
]


@points(0.25, "interpolate_positions", read="vit-interpolation", step="warm-up")
def test_four_places_become_nine(student):
    """클래스 토큰의 행은 그대로이고, 나머지는 격자로 놓아 bicubic, align_corners=False로 보간합니다."""
    expected = [0, 0.7396, 1.3264, 1.9132, 1.9132, 2.5, 3.0868, 3.0868, 3.6736, 4.2604]
    found = student.interpolate_positions(SMALL_TABLE, (3, 3))
    assert_close(found, torch.tensor(expected)[:, None], atol=1e-4)


@points(0.25, "interpolate_positions", read="vit-interpolation")
def test_the_same_size_changes_nothing(student):
    """같은 크기로 보간하면 표가 그대로여야 합니다. 차원마다 따로 보간하고, 행의 차례를 지킵니다."""
    table = scattered((10, 4), 13)
    assert_close(student.interpolate_positions(table, (3, 3)), table)
    constant = torch.tensor([[5.0, 6.0]] + [[1.0, 2.0]] * 4)
    found = student.interpolate_positions(constant, (2, 5))
    assert_close(found, torch.tensor([[5.0, 6.0]] + [[1.0, 2.0]] * 10))


@observes("interpolate_positions")
def observe_interpolate_positions(student):
    interpolate = student.interpolate_positions
    found = [outcome(interpolate, table, size) for table, size, _ in LINES]
    if not all(
        same(one, torch.tensor(right)[:, None]) for one, (*_, right) in zip(found, LINES, strict=True)
    ):
        if found[0] == "ValueError":
            return ["refused", refuses(interpolate, SMALL_TABLE[:4], (2, 2))]
        return ["one dimension", *found]
    if same(outcome(interpolate, SMALL_TABLE, (1, 4)), SMALL_TABLE):
        return ["same number"]
    table = scattered((10, 3), 14)
    whole, parts = (
        outcome(interpolate, table, (2, 5)),
        [interpolate(part, (2, 5)) for part in table.split(1, dim=1)],
    )
    if not same(whole, torch.cat(parts, dim=1)):
        return ["dimensions mixed"]
    how = {how_refused(interpolate, scattered((rows, 2), 16), (2, 3)) for rows in (7, 9, 4)}
    if how != {"refused"}:
        return ["welcome" if "accepted" in how else "another error"]
    return [bad_manners(student, interpolate, table, (2, 5))]


### BEGIN HIDDEN TESTS
@points(0.75, "interpolate_positions", read="vit-interpolation")
def test_interpolates_like_hugging_face(student, device, rng):
    """Hugging Face의 보간과 달라집니다. (h, w)는 (세로, 가로)이고, 줄일 때도 늘릴 때도 같은 방법입니다."""
    for side, size in [(2, (5, 3)), (4, (2, 7)), (3, (1, 4)), (2, (1, 4)), (1, (2, 2)), (5, (3, 3))]:
        oracle, named = hugging_face(rng, **{**SIZES, "image_size": 2 * side})
        table = named["embeddings.position_embeddings"].detach()[0].float()
        tokens = torch.zeros(1, 1 + size[0] * size[1], SIZES["hidden_size"])
        with torch.no_grad():
            expected = oracle.embeddings.interpolate_pos_encoding(tokens, 2 * size[0], 2 * size[1])[0]
        found = student.interpolate_positions(table.to(device), size)
        assert_close(found, expected, rtol=1e-4, atol=1e-4)
    assert reached(student.interpolate_positions, table, size) == ["0"], (
        "보간한 위치에서 표까지 기울기가 흐르지 않습니다."
    )


@points(0.25, "interpolate_positions", read="vit-interpolation", step="robust")
def test_a_table_that_is_no_square_is_refused(student):
    """클래스 토큰을 뺀 행의 수가 제곱수가 아니면 ValueError를 냅니다. 자료형과 장치는 표를 따르고, 표를 바꾸지 않습니다."""
    found = student.interpolate_positions(scattered((10, 2), 18), (2, 2))
    assert found.shape == (5, 2) and found.dtype == torch.float64, "자료형이 표의 것과 다릅니다."
    assert_manners(student, student.interpolate_positions, scattered((10, 2), 18), (2, 2))
    for rows in (7, 9, 4):
        assert refuses(student.interpolate_positions, scattered((rows, 2), 18), (2, 3)), (
            f"패치 {rows - 1}개는 정사각형으로 놓을 수 없습니다."
        )


### END HIDDEN TESTS


# attention_distance -----------------------------------------------------------------------------------------


def attention_of(shape, key):
    """Weights whose rows sum to one."""
    return (3 * scattered(shape, key)).softmax(dim=-1)


@secret
def distance_in_loops(weights, grid):
    """The mean as the text says it, row by row."""
    rows, columns = grid
    places = [(i, j) for i in range(rows) for j in range(columns)]
    result = []
    for head in range(weights.shape[1]):
        means = []
        for picture in weights[:, head, 1:, 1:].tolist():
            for here, row in zip(places, picture, strict=True):
                if sum(row) > 0:
                    total = sum(w * math.dist(here, there) for w, there in zip(row, places, strict=True))
                    means.append(total / sum(row))
        result.append(sum(means) / len(means) if means else 0.0)
    return torch.tensor(result, dtype=weights.dtype)


@points(0.25, "attention_distance", read="vit-distance", step="warm-up")
def test_distance_of_plain_attention(student):
    """거리는 유클리드 거리입니다. 가중치가 모두 같은 2 × 2 격자에서 (0 + 1 + 1 + √2) / 4, 자기만 보면 0입니다."""
    weights = torch.stack([torch.full((5, 5), 0.2), torch.eye(5)])[None]
    assert_close(student.attention_distance(weights, (2, 2)), torch.tensor([0.853553, 0.0]))


@points(0.25, "attention_distance", read="vit-distance")
def test_class_token_is_left_out(student):
    """클래스 토큰의 행과 열을 빼고, 남은 행을 합이 1이 되도록 다시 나눕니다."""
    rows = [[0.0, 0.5, 0.5], [0.5, 0.125, 0.375], [0.8, 0.1, 0.1]]  # 3/4 and 1/2 of what is left
    found = student.attention_distance(torch.tensor([[rows]]), (1, 2))
    assert_close(found, torch.tensor([(0.75 + 0.5) / 2]))


@observes("attention_distance")
def observe_attention_distance(student):
    distance = student.attention_distance
    weights = attention_of((2, 2, 7, 7), 20).float()
    found = outcome(distance, weights, (2, 3))
    if not same(found, distance_in_loops(weights, (2, 3))):
        return ["mean", found, outcome(distance, torch.full((1, 1, 17, 17), 1 / 17), (4, 4))]
    some, none = attention_of((2, 1, 7, 7), 19).float(), torch.eye(7)[0].expand(2, 1, 7, 7).clone()
    some[0, 0, 2:] = torch.eye(7)[0]
    found = outcome(distance, some, (2, 3))
    if not same(found, distance_in_loops(some, (2, 3))):
        return ["empty rows", found]
    if not same(outcome(distance, none, (2, 3)), torch.zeros(1)):
        return ["empty head"]
    some[0, 0, 2, 1] = 6e-7
    if not same(outcome(distance, some, (2, 3)), distance_in_loops(some, (2, 3))):
        return ["little left"]
    if not all(refuses(distance, weights, grid) for grid in [(3, 3), (2, 2), (1, 7), (1, 5)]):
        return ["welcome"]
    return [bad_manners(student, distance, attention_of((1, 1, 7, 7), 20), (2, 3), learns=())]


### BEGIN HIDDEN TESTS
@points(0.5, "attention_distance", read="vit-distance")
def test_distance_of_any_attention(student, device, rng):
    """배치와 질의에 걸쳐 평균하고 헤드마다 하나씩 냅니다. 격자는 정사각형이 아니어도 됩니다."""
    for batch, heads, grid in [(2, 3, (2, 4)), (3, 1, (4, 2)), (1, 2, (1, 5)), (2, 2, (1, 1))]:
        n = 1 + grid[0] * grid[1]
        weights = (2 * torch.randn(batch, heads, n, n, generator=rng, dtype=torch.float64)).softmax(-1)
        found = student.attention_distance(weights.to(device), grid)
        assert_close(found, distance_in_loops(weights, grid))


@points(0.25, "attention_distance", read="vit-distance", step="robust")
def test_distance_has_manners(student):
    """grid가 토큰의 수와 맞지 않으면 ValueError입니다. 거리는 가중치의 장치에 만들고, 받은 가중치는 그대로 둡니다."""
    assert_manners(student, student.attention_distance, attention_of((1, 2, 7, 7), 21), (2, 3))
    assert refuses(student.attention_distance, attention_of((1, 2, 7, 7), 21), (2, 2)), (
        "토큰 7개는 2 × 2 격자가 아닙니다."
    )
    assert refuses(student.attention_distance, attention_of((1, 2, 7, 7), 21), (1, 7)), (
        "토큰 7개는 클래스 토큰을 빼면 6개입니다."
    )


@points(0.25, "attention_distance", read="vit-distance", step="robust")
def test_rows_with_nothing_left_do_not_count(student, rng):
    """클래스 토큰만 보는 행은 세지 않습니다. 셀 행이 하나도 없는 헤드는 NaN이 아니라 0입니다."""
    weights = torch.randn(2, 3, 7, 7, generator=rng).softmax(-1)
    only_class = torch.eye(7)[0]
    weights[0, 0, 3:] = only_class
    weights[:, 1, 1:] = only_class
    weights[:, 2, 1:] = only_class
    weights[1, 2, 1] = torch.full((7,), 1 / 7)  # the only row that counts
    found = student.attention_distance(weights.clone(), (2, 3))
    assert_close(found, distance_in_loops(weights, (2, 3)))
    assert found[1] == 0
    weights[0, 0, 3] = torch.tensor(
        [1.0, 6e-7, 0, 0, 0, 0, 0]
    )  # little is left: it counts as much as any other row
    assert_close(student.attention_distance(weights, (2, 3)), distance_in_loops(weights, (2, 3)))


### END HIDDEN TESTS
