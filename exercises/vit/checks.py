"""What the exercise `vit` is graded by."""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

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


# patchify ---------------------------------------------------------------------------------------------------


@points(
    0.5,
    question="patchify",
    hint="패치 하나에는 그림에서 이웃한 화소가 들어갑니다. 패치는 왼쪽 위에서 오른쪽으로, 한 줄이 끝나면 다음 줄로 셉니다.",
    read="vit#vit-patches",
)
def test_patches_of_a_small_picture(student):
    expected = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    assert_close(student.patchify(counted(1, 1, 4, 4), 2), torch.tensor([expected]).float())


@points(
    0.5,
    question="patchify",
    hint="패치 하나는 (channels, patch, patch)의 차례로 폅니다. 그림은 정사각형이 아니어도 됩니다.",
    read="vit#vit-reshape",
)
def test_channels_come_first_in_a_patch(student):
    image = torch.stack([counted(2, 4), counted(2, 4) + 100])[None]
    expected = [[0, 1, 4, 5, 100, 101, 104, 105], [2, 3, 6, 7, 102, 103, 106, 107]]
    assert_close(student.patchify(image, 2), torch.tensor([expected]).float())


@observes("patchify")
def observe_patchify(student):
    images = scattered((2, 2, 4, 6), 1).float()
    found = outcome(student.patchify, images, 2)
    if not (isinstance(found, torch.Tensor) and torch.equal(found, cut_in_loops(images, 2))):
        return [found, outcome(student.patchify, counted(1, 1, 4, 4), 2)]
    return [
        found,
        outcome(student.patchify, counted(1, 1, 4, 5), 2),
        outcome(student.patchify, counted(1, 1, 5, 4), 2),
        reached(student.patchify, images, 2),
    ]




# unpatchify -------------------------------------------------------------------------------------------------


@points(
    0.5,
    question="unpatchify",
    hint="patchify를 거꾸로 해야 합니다. 패치의 행과 열, 패치 안의 행과 열을 나눈 다음 축을 되돌리십시오.",
    read="vit#vit-reshape",
)
def test_puts_patches_together(student):
    patches = torch.tensor([[[0.0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]])
    assert_close(student.unpatchify(patches, 2, (4, 4)), counted(1, 1, 4, 4))
    tall = torch.tensor([[[0.0, 1, 2, 3], [4, 5, 6, 7]]])
    assert_close(student.unpatchify(tall, 2, (4, 2)), counted(1, 1, 4, 2))


@observes("unpatchify")
def observe_unpatchify(student):
    images = scattered((2, 2, 4, 6), 2).float()
    patches = cut_in_loops(images, 2)
    found = outcome(student.unpatchify, patches, 2, (4, 6))
    if not (isinstance(found, torch.Tensor) and torch.equal(found, images)):
        return [found, outcome(student.unpatchify, cut_in_loops(counted(1, 1, 4, 4), 2), 2, (4, 4))]
    return [
        found,
        outcome(student.unpatchify, patches, 2, (6, 6)),
        outcome(student.unpatchify, patches, 2, (5, 6)),
        outcome(student.unpatchify, patches, 2, (4, 7)),
        outcome(student.unpatchify, patches[..., :7], 2, (4, 6)),
        reached(student.unpatchify, patches, 2, (4, 6)),
    ]




# PatchEmbedding ---------------------------------------------------------------------------------------------


def embedding_and_convolution(student, channels, patch, size, weight, bias):
    """The student's embedding and what PyTorch's convolution with the same weights gives."""
    embedding = student.PatchEmbedding(channels, patch, size).to(torch.float64)
    values = {"projection.weight": weight.flatten(1), "projection.bias": bias}
    loaded = load(student, embedding, values, optional=["projection.bias"])
    bias = loaded.get("projection.bias", torch.zeros_like(bias))
    return embedding, lambda images: F.conv2d(images, weight, bias, stride=patch).flatten(2).mT


@points(
    0.5,
    question="PatchEmbedding",
    hint="커널과 보폭이 patch인 합성곱과 같아야 합니다. 편 패치에 projection을 한 번 곱합니다. 모양은 (batch, patches, d_model)입니다.",
    read="vit#vit-embedding",
)
def test_equals_a_strided_convolution(student):
    weight, bias = scattered((5, 2, 2, 2), 3), scattered((5,), 4)
    embedding, convolution = embedding_and_convolution(student, 2, 2, 5, weight, bias)
    images = scattered((3, 2, 4, 6), 5)
    assert_close(embedding(images), convolution(images))
    assert_close(embedding(-images), convolution(-images))


@observes("PatchEmbedding")
def observe_patch_embedding(student):
    weight, bias = scattered((5, 2, 2, 2), 6), torch.zeros(5, dtype=torch.float64)
    embedding, _ = embedding_and_convolution(student, 2, 2, 5, weight, bias)
    images = scattered((2, 2, 4, 6), 7)
    return [embedding(images), reached(embedding, images)]




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


@points(
    0.75,
    question="ViT",
    hint="층이 아무것도 더하지 않으면 출력은 layernorm([클래스 토큰; 패치] + 위치)입니다. 클래스 토큰은 맨 앞에 옵니다.",
    read="vit#vit-class-token",
)
def test_model_around_silent_layers(student):
    state, images = silent(fixed_state()), scattered((3, 2, 6, 6), 8)
    expected = last_norm(state, embedded(state, images))
    assert_close(with_state(student, state)(images), expected)


@points(
    0.75,
    question="ViT",
    hint="층은 x = x + attention(layernorm_before(x)), 그다음 x = x + mlp(layernorm_after(x))입니다. 층마다 파라미터가 따로 있습니다.",
    read="vit#vit-model",
)
def test_layers_equal_torch(student):
    state, images = fixed_state(), scattered((2, 2, 6, 6), 9)
    expected = last_norm(state, torch_layers(state, embedded(state, images)))
    assert_close(with_state(student, state)(images), expected)


@observes("ViT")
def observe_vit(student):
    state, images = fixed_state(), scattered((2, 2, 6, 6), 10)
    model = with_state(student, state)
    right = last_norm(state, torch_layers(state, embedded(state, images)))
    found = outcome(model, images)
    if not (isinstance(found, torch.Tensor) and found.shape == right.shape and torch.allclose(found, right)):
        return [found, outcome(with_state(student, silent(state)), images)]
    sizes = [(4, 6), (6, 4), (8, 8)]
    refused = [outcome(lambda s=s: list(model(scattered((1, 2, *s), 11)).shape)) for s in sizes]
    refused.append(outcome(lambda: student.ViT(small(student, image_size=7)) is None))
    dropped = with_state(student, state, hidden_dropout_prob=1.0)
    return [
        found,
        refused,
        dropped(images),
        dropped.train()(images),
        shortcut_dropped(student),
        [*start(student), *start_is_normal(student)],
    ]


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


@points(
    0.5,
    question="interpolate_positions",
    hint="클래스 토큰의 행은 그대로이고, 나머지는 격자로 놓아 bicubic, align_corners=False로 보간합니다.",
    read="vit#vit-interpolation",
)
def test_four_places_become_nine(student):
    expected = [0, 0.7396, 1.3264, 1.9132, 1.9132, 2.5, 3.0868, 3.0868, 3.6736, 4.2604]
    found = student.interpolate_positions(SMALL_TABLE, (3, 3))
    assert_close(found, torch.tensor(expected)[:, None], atol=1e-4)


@points(
    0.25,
    question="interpolate_positions",
    hint="같은 크기로 보간하면 표가 그대로여야 합니다. 차원마다 따로 보간하고, 행의 차례를 지킵니다.",
    read="vit#vit-interpolation",
)
def test_the_same_size_changes_nothing(student):
    table = scattered((10, 4), 13)
    assert_close(student.interpolate_positions(table, (3, 3)), table)
    constant = torch.tensor([[5.0, 6.0]] + [[1.0, 2.0]] * 4)
    found = student.interpolate_positions(constant, (2, 5))
    assert_close(found, torch.tensor([[5.0, 6.0]] + [[1.0, 2.0]] * 10))


@observes("interpolate_positions")
def observe_interpolate_positions(student):
    interpolate = student.interpolate_positions
    return [
        outcome(interpolate, SMALL_TABLE, (3, 3)),
        outcome(interpolate, scattered((10, 2), 14), (2, 5)),
        outcome(interpolate, scattered((17, 2), 15), (2, 3)),
        outcome(interpolate, scattered((7, 2), 16), (2, 3)),
        reached(interpolate, scattered((5, 2), 17), (3, 3)),
    ]




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


@points(
    0.5,
    question="attention_distance",
    hint="거리는 유클리드 거리입니다. 가중치가 모두 같은 2 × 2 격자에서 (0 + 1 + 1 + √2) / 4, 자기만 보면 0입니다.",
    read="vit#vit-distance",
)
def test_distance_of_plain_attention(student):
    weights = torch.stack([torch.full((5, 5), 0.2), torch.eye(5)])[None]
    assert_close(student.attention_distance(weights, (2, 2)), torch.tensor([0.853553, 0.0]))


@points(
    0.25,
    question="attention_distance",
    hint="클래스 토큰의 행과 열을 빼고, 남은 행을 합이 1이 되도록 다시 나눕니다.",
    read="vit#vit-distance",
)
def test_class_token_is_left_out(student):
    rows = [[0.0, 0.5, 0.5], [0.5, 0.125, 0.375], [0.8, 0.1, 0.1]]  # 3/4 and 1/2 of what is left
    found = student.attention_distance(torch.tensor([[rows]]), (1, 2))
    assert_close(found, torch.tensor([(0.75 + 0.5) / 2]))


@observes("attention_distance")
def observe_attention_distance(student):
    weights = attention_of((2, 3, 7, 7), 19).float()
    weights[1, 0] = 0
    weights[1, 0, :, 0] = 1
    weights[0, 1, 2] = torch.eye(7)[0]
    distance = student.attention_distance
    return [
        outcome(distance, attention_of((2, 2, 7, 7), 20).float(), (2, 3)),
        outcome(distance, torch.full((1, 1, 17, 17), 1 / 17), (4, 4)),
        outcome(distance, weights, (2, 3)),
        outcome(distance, weights, (3, 3)),
    ]
