"""What the exercise `vit` is graded by."""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.observed import same
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


def counted(*shape):
    """0, 1, 2, ... so that every pixel can be told from every other."""
    return torch.arange(float(math.prod(shape))).reshape(shape)


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


@points(0.5, "patchify", read="vit-patches")
def test_patches_of_a_small_picture(student):
    """패치 하나에는 그림에서 이웃한 화소가 들어갑니다. 패치는 왼쪽 위에서 오른쪽으로, 한 줄이 끝나면 다음 줄로 셉니다."""
    expected = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    assert_close(student.patchify(counted(1, 1, 4, 4), 2), torch.tensor([expected]).float())


@points(0.5, "patchify", read="vit-reshape")
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
    if outcome(cut, images.double(), 2).dtype != torch.float64:
        return ["dtype"]
    if reached(cut, images, 2) != ["0"]:
        return ["gradient"]
    if outcome(mutated, cut, images, 2) == [0]:
        return ["changed"]
    return ["right" if follows_device(student, cut, images, 2) else "device"]




# unpatchify -------------------------------------------------------------------------------------------------


@points(0.5, "unpatchify", read="vit-reshape")
def test_puts_patches_together(student):
    """patchify를 거꾸로 해야 합니다. 패치의 행과 열, 패치 안의 행과 열을 나눈 다음 축을 되돌리십시오."""
    patches = torch.tensor([[[0.0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]])
    assert_close(student.unpatchify(patches, 2, (4, 4)), counted(1, 1, 4, 4))
    tall = torch.tensor([[[0.0, 1, 2, 3], [4, 5, 6, 7]]])
    assert_close(student.unpatchify(tall, 2, (4, 2)), counted(1, 1, 4, 2))


@observes("unpatchify")
def observe_unpatchify(student):
    join, square = student.unpatchify, scattered((2, 2, 6, 6), 2).float()
    found = outcome(join, cut_in_loops(square, 3), 3, (6, 6))
    if not same(found, square):
        return ["square", "another shape" if unshaped(found, square) else found]
    for height, width in ((6, 4), (4, 6)):
        images = scattered((2, 2, height, width), 2).float()
        patches = cut_in_loops(images, 2)
        found = outcome(join, patches, 2, (height, width))
        if not same(found, images):
            shape = list(found.shape[-2:]) if isinstance(found, torch.Tensor) else None
            return [
                "oblong",
                "right" if shape == [height, width] else "turned" if shape == [width, height] else "lost",
            ]
    if missing := unrefused_by(join, patches):
        return ["refused", missing]
    if outcome(join, patches.double(), 2, (4, 6)).dtype != torch.float64:
        return ["dtype"]
    if reached(join, patches, 2, (4, 6)) != ["0"]:
        return ["gradient"]
    if outcome(mutated, join, patches, 2, (4, 6)) == [0]:
        return ["changed"]
    return ["right" if follows_device(student, join, patches, 2, (4, 6)) else "device"]


def unrefused_by(join, patches):
    """The first check that an answer lacks, given 6 patches of 8 numbers; "" where it refuses all that does not fit."""
    sides = [refuses(join, patches, 2, size) for size in [(5, 6), (4, 7), (5, 7)]]
    number = [refuses(join, patches, 2, size) for size in [(4, 4), (6, 6), (4, 8)]]
    values = [refuses(join, patches[..., :count], 2, (4, 6)) for count in (7, 6)]
    if not any(sides + number + values):
        return "nothing"
    if not all(sides):
        return {(False, True): "height", (True, False): "width"}.get(
            tuple(sides[:2]), "one side of two" if sides[2] else "sides"
        )
    if not all(refuses(join, patches, 2, size) for size in [(3, 8), (8, 3)]):
        return "area"
    if not all(number):
        return "number"
    return "" if all(values) else "even" if values[0] else "values"




# PatchEmbedding ---------------------------------------------------------------------------------------------


def embedding_and_convolution(student, channels, patch, size, weight, bias):
    """The student's embedding and what PyTorch's convolution with the same weights gives."""
    embedding = student.PatchEmbedding(channels, patch, size).to(torch.float64)
    values = {"projection.weight": weight.flatten(1), "projection.bias": bias}
    loaded = load(student, embedding, values, optional=["projection.bias"])
    bias = loaded.get("projection.bias", torch.zeros_like(bias))
    return embedding, lambda images: F.conv2d(images, weight, bias, stride=patch).flatten(2).mT


@points(0.5, "PatchEmbedding", read="vit-embedding")
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
    if embedding(images).dtype != torch.float64:
        return ["dtype"]
    found = reached(embedding, images)
    if "projection.weight" not in found or "0" not in found:
        return ["gradient", "projection.weight" in found]
    return ["right"]


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
    model = student.ViT(small(student, **changes)).to(torch.float64)
    load(student, model, state)
    return model.eval()


def embedded(state, images):
    """Class token and patches with their positions, step by step."""
    weight = state["embeddings.patch_embeddings.projection.weight"]
    patches = cut_in_loops(images, weight.shape[-1]) @ weight.flatten(1).T
    patches = patches + state["embeddings.patch_embeddings.projection.bias"]
    first = state["embeddings.cls_token"].expand(len(images), 1, -1)
    return torch.cat([first, patches], dim=1) + state["embeddings.position_embeddings"]


def last_norm(state, x):
    return F.layer_norm(
        x, x.shape[-1:], state["layernorm.weight"], state["layernorm.bias"], SIZES["layer_norm_eps"]
    )


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


@points(0.75, "ViT", read="vit-class-token")
def test_model_around_silent_layers(student):
    """층이 아무것도 더하지 않으면 출력은 layernorm([클래스 토큰; 패치] + 위치)입니다. 클래스 토큰은 맨 앞에 옵니다."""
    state, images = silent(fixed_state()), scattered((3, 2, 6, 6), 8)
    expected = last_norm(state, embedded(state, images))
    assert_close(with_state(student, state)(images), expected)


@points(0.75, "ViT", read="vit-model")
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




# interpolate_positions --------------------------------------------------------------------------------------

SMALL_TABLE = torch.tensor([[0.0], [1.0], [2.0], [3.0], [4.0]])
UNEVEN = torch.tensor([9.0, 1, 5, 2, 0, 4, 1, 6, 3, 2, 7, 0, 5, 8, 3, 4, 1])[:, None]
LINES = [  # tables of one dimension, the size asked for, what comes out
    (SMALL_TABLE, (3, 3), [0, 0.7396, 1.3264, 1.9132, 1.9132, 2.5, 3.0868, 3.0868, 3.6736, 4.2604]),
    (SMALL_TABLE, (2, 3), [0, 0.91319, 1.5, 2.0868, 2.9132, 3.5, 4.0868]),
    (UNEVEN, (2, 3), [9, 2.6147, 3.7812, 1.8158, 4.9918, 3.4062, 2.8647]),
]


@points(0.5, "interpolate_positions", read="vit-interpolation")
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
    if not all(refuses(interpolate, scattered((rows, 2), 16), (2, 3)) for rows in (7, 9, 4)):
        return ["welcome"]
    if whole.dtype != torch.float64:
        return ["dtype"]
    return ["right" if reached(interpolate, table, (2, 5)) == ["0"] else "gradient"]




# attention_distance -----------------------------------------------------------------------------------------


def attention_of(shape, key):
    """Weights whose rows sum to one."""
    return (3 * scattered(shape, key)).softmax(dim=-1)


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


@points(0.5, "attention_distance", read="vit-distance")
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
    if outcome(mutated, distance, attention_of((1, 1, 7, 7), 20), (2, 3)) == [0]:
        return ["changed"]
    return ["right" if follows_device(student, distance, weights, (2, 3)) else "device"]
