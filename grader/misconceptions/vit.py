"""Wrong answers that people give to the exercise `vit`."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import misconception


def _refuse(height, width, patch):
    if height % patch or width % patch:
        raise ValueError("patches do not divide the picture")


def _cut(images, patch, axes=(0, 2, 4, 1, 3, 5)):
    """The right patches, but for the order of the axes."""
    batch, channels, height, width = images.shape
    _refuse(height, width, patch)
    cut = images.reshape(batch, channels, height // patch, patch, width // patch, patch)
    return cut.permute(axes).reshape(batch, -1, channels * patch * patch)


# patchify ---------------------------------------------------------------------------------------------------


@misconception(
    "patchify",
    hint="reshape만 했습니다. 메모리에 놓인 차례대로 잘려서, 이웃한 화소가 아니라 한 줄의 화소가 패치가 됩니다. 축을 여섯으로 나누고 순서를 바꾸십시오.",
    read="vit#vit-reshape",
)
def reshape_only(images, patch):
    batch, channels, height, width = images.shape
    _refuse(height, width, patch)
    return images.reshape(batch, -1, channels * patch * patch)


@misconception(
    "patchify",
    hint="패치를 위에서 아래로 셌습니다. 왼쪽에서 오른쪽으로 세고, 한 줄이 끝나면 다음 줄로 갑니다.",
    read="vit#vit-patches",
)
def columns_first(images, patch):
    return _cut(images, patch, (0, 4, 2, 1, 3, 5))


@misconception(
    "patchify",
    hint="패치 하나를 (patch, patch, channels)로 폈습니다. 채널이 맨 앞입니다. 합성곱의 가중치도 이 차례입니다.",
    read="vit#vit-reshape",
)
def channels_last(images, patch):
    return _cut(images, patch, (0, 2, 4, 3, 5, 1))


@misconception(
    "patchify",
    hint="패치 안에서 행과 열이 바뀌었습니다. 패치가 뒤집혀 펴집니다.",
    read="vit#vit-reshape",
)
def transposed_patches(images, patch):
    return _cut(images, patch, (0, 2, 4, 1, 5, 3))


@misconception(
    "patchify",
    hint="patch칸이 아니라 한 칸씩 옮기며 잘라 패치가 겹칩니다. 보폭이 patch여야 합니다.",
    read="vit#vit-patches",
)
def overlapping(images, patch):
    _refuse(*images.shape[-2:], patch)
    return F.unfold(images, patch).mT


@misconception(
    "patchify",
    hint="축을 바꾸지 않았습니다. F.unfold가 주는 것은 (batch, values, patches)입니다. 마지막 두 축을 바꾸십시오.",
    read="vit#vit-reshape",
)
def values_first(images, patch):
    _refuse(*images.shape[-2:], patch)
    return F.unfold(images, patch, stride=patch)


@misconception(
    "patchify",
    hint="나누어지지 않는 그림을 받아들이고 남는 화소를 버렸습니다. ValueError를 내십시오.",
    read="vit#vit-patches",
)
def drops_the_rest(images, patch):
    return F.unfold(images, patch, stride=patch).mT


@misconception(
    "patchify",
    hint="세로만 확인했습니다. 가로가 나누어지지 않아도 ValueError를 내야 합니다.",
    read="vit#vit-patches",
)
def checks_the_height_only(images, patch):
    _refuse(images.shape[-2], patch, patch)
    return F.unfold(images, patch, stride=patch).mT


@misconception(
    "patchify",
    hint="채널마다 따로 잘랐습니다. 같은 자리의 모든 채널이 패치 하나입니다.",
    read="vit#vit-reshape",
)
def a_patch_for_each_channel(images, patch):
    return _cut(images, patch, (0, 1, 2, 4, 3, 5)).reshape(len(images), -1, patch * patch)


# unpatchify -------------------------------------------------------------------------------------------------


def _fits(patches, patch, size):
    height, width = size
    _refuse(height, width, patch)
    if patches.shape[1] * patch * patch != height * width or patches.shape[2] % patch**2:
        raise ValueError("patches do not fit")
    return patches.shape[2] // patch**2, height // patch, width // patch


@misconception(
    "unpatchify",
    hint="reshape만 했습니다. 화소가 그림의 자리로 돌아가지 않습니다. 축을 여섯으로 나누고 patchify의 순서를 되돌리십시오.",
    read="vit#vit-reshape",
)
def reshaped_back(patches, patch, size):
    channels, _, _ = _fits(patches, patch, size)
    return patches.reshape(len(patches), channels, *size)


@misconception(
    "unpatchify",
    hint="패치를 위에서 아래로 놓았습니다. 왼쪽에서 오른쪽으로 놓고, 한 줄이 차면 다음 줄로 갑니다.",
    read="vit#vit-patches",
)
def placed_by_columns(patches, patch, size):
    channels, rows, columns = _fits(patches, patch, size)
    cut = patches.reshape(len(patches), columns, rows, channels, patch, patch)
    return cut.permute(0, 3, 2, 4, 1, 5).reshape(len(patches), channels, *size)


@misconception(
    "unpatchify",
    hint="patchify의 permute를 그대로 다시 했습니다. 되돌리려면 거꾸로 된 순서가 필요합니다.",
    read="vit#vit-reshape",
)
def the_same_permutation_again(patches, patch, size):
    channels, rows, columns = _fits(patches, patch, size)
    cut = patches.reshape(len(patches), rows, columns, channels, patch, patch)
    return cut.permute(0, 2, 4, 1, 3, 5).reshape(len(patches), channels, *size)


@misconception(
    "unpatchify",
    hint="패치 하나를 (patch, patch, channels)로 읽었습니다. 채널이 맨 앞입니다.",
    read="vit#vit-reshape",
)
def channels_read_last(patches, patch, size):
    channels, rows, columns = _fits(patches, patch, size)
    cut = patches.reshape(len(patches), rows, columns, patch, patch, channels)
    return cut.permute(0, 5, 1, 3, 2, 4).reshape(len(patches), channels, *size)


@misconception(
    "unpatchify",
    hint="size를 (가로, 세로)로 읽었습니다. (height, width), 곧 (세로, 가로)입니다.",
    read="vit#vit-patches",
)
def width_before_height(patches, patch, size):
    channels, columns, rows = _fits(patches, patch, size)
    cut = patches.reshape(len(patches), rows, columns, channels, patch, patch)
    return cut.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), channels, size[1], size[0])


@misconception(
    "unpatchify",
    hint="그림이 정사각형이라고 보았습니다. 패치 여섯 개는 2 × 3일 수도 3 × 2일 수도 있습니다. size를 쓰십시오.",
    read="vit#vit-patches",
)
def always_square(patches, patch, size):
    channels, rows, columns = _fits(patches, patch, size)
    side = math.isqrt(rows * columns)
    if side * side != rows * columns:
        raise RuntimeError("no square")
    cut = patches.reshape(len(patches), side, side, channels, patch, patch)
    return cut.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), channels, side * patch, side * patch)


@misconception(
    "unpatchify",
    hint="맞지 않는 크기에서 ValueError를 내지 않았습니다. size가 patch로 나누어지는지, 패치의 수가 맞는지, 패치에 든 수가 patch * patch의 배수인지 확인하십시오.",
    read="vit#vit-patches",
)
def nothing_is_refused(patches, patch, size):
    height, width = size
    return F.fold(patches.mT, size, patch, stride=patch)


# PatchEmbedding ---------------------------------------------------------------------------------------------


class _Embedding(nn.Module):
    """The right embedding, its steps laid open."""

    def __init__(self, channels, patch, d_model):
        super().__init__()
        self.patch = patch
        self.projection = nn.Linear(channels * patch * patch, d_model)

    def cut(self, images):
        return _cut(images, self.patch)

    def forward(self, images):
        return self.projection(self.cut(images))


@misconception(
    "PatchEmbedding",
    hint="패치를 (patch, patch, channels)로 편 다음 곱했습니다. 합성곱의 가중치를 편 것과 차례가 다릅니다.",
    read="vit#vit-embedding",
)
class ProjectsChannelsLast(_Embedding):
    def cut(self, images):
        return _cut(images, self.patch, (0, 2, 4, 3, 5, 1))


@misconception(
    "PatchEmbedding",
    hint="자르지 않고 reshape로 나누었습니다. 한 줄의 화소가 한 벡터가 됩니다.",
    read="vit#vit-reshape",
)
class ProjectsReshaped(_Embedding):
    def cut(self, images):
        return images.reshape(len(images), -1, self.projection.in_features)


@misconception(
    "PatchEmbedding",
    hint="축을 바꾸지 않아 (batch, d_model, patches)가 나갑니다. 어텐션은 (batch, patches, d_model)을 받습니다.",
    read="vit#vit-embedding",
)
class FeaturesFirst(_Embedding):
    def forward(self, images):
        return super().forward(images).mT


@misconception(
    "PatchEmbedding",
    hint="선형 변환 뒤에 활성화 함수를 두었습니다. 패치 임베딩은 선형 변환 하나입니다.",
    read="vit#vit-embedding",
)
class Activated(_Embedding):
    def forward(self, images):
        return F.gelu(super().forward(images))


@misconception(
    "PatchEmbedding",
    hint="한 칸씩 옮기며 겹치는 패치를 만들었습니다. 보폭도 patch입니다.",
    read="vit#vit-embedding",
)
class Overlapping(_Embedding):
    def cut(self, images):
        return F.unfold(images, self.patch).mT


@misconception(
    "PatchEmbedding",
    hint="패치를 위에서 아래로 셌습니다. 왼쪽에서 오른쪽으로, 한 줄씩 셉니다.",
    read="vit#vit-patches",
)
class EmbedsColumnsFirst(_Embedding):
    def cut(self, images):
        return _cut(images, self.patch, (0, 4, 2, 1, 3, 5))


@misconception(
    "PatchEmbedding",
    hint="기울기를 끊었습니다(detach). 그림까지 기울기가 흘러야 합니다.",
    read="vit#vit-embedding",
)
class CutsTheGraph(_Embedding):
    def cut(self, images):
        return super().cut(images.detach())


# ViT --------------------------------------------------------------------------------------------------------


class _Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        size = config.hidden_size
        self.num_heads = config.num_attention_heads
        self.q_proj, self.k_proj = nn.Linear(size, size), nn.Linear(size, size)
        self.v_proj, self.o_proj = nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, x):
        query, key, value = (
            linear(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for linear in (self.q_proj, self.k_proj, self.v_proj)
        )
        joined = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
        return self.o_proj(joined)


class _MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.fc1 = nn.Linear(config.hidden_size, config.intermediate_size)
        self.fc2 = nn.Linear(config.intermediate_size, config.hidden_size)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


class _Model(nn.Module):
    """The right model, its steps laid open."""

    def __init__(self, config):
        super().__init__()
        size, patch = config.hidden_size, config.patch_size
        if config.image_size % patch:
            raise ValueError("patches do not divide the picture")
        self.image_size, self.deviation = config.image_size, config.initializer_range
        self.embeddings = nn.Module()
        self.embeddings.cls_token = nn.Parameter(self.drawn(1, 1, size))
        tokens = self.tokens((config.image_size // patch) ** 2)
        self.embeddings.position_embeddings = nn.Parameter(self.drawn(1, tokens, size))
        convolution = nn.Conv2d(config.num_channels, size, kernel_size=patch, stride=patch)
        self.embeddings.patch_embeddings = nn.ModuleDict({"projection": convolution})
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "layernorm_before": self.norm(config),
                    "attention": _Attention(config),
                    "layernorm_after": self.norm(config),
                    "mlp": _MLP(config),
                }
            )
            for _ in range(config.num_hidden_layers)
        )
        self.layernorm = self.norm(config)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def drawn(self, *shape):
        return torch.randn(shape) * self.deviation

    def tokens(self, patches):
        return 1 + patches

    def norm(self, config):
        return nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def check(self, images):
        if images.shape[-2:] != (self.image_size, self.image_size):
            raise ValueError("a picture of another size")

    def patches(self, images):
        return self.embeddings.patch_embeddings["projection"](images).flatten(2).mT

    def embed(self, images):
        first = self.embeddings.cls_token.expand(len(images), -1, -1)
        together = torch.cat([first, self.patches(images)], dim=1)
        return together + self.embeddings.position_embeddings

    def layer(self, layer, x):
        x = x + self.dropout(layer["attention"](layer["layernorm_before"](x)))
        return x + self.dropout(layer["mlp"](layer["layernorm_after"](x)))

    def stack(self, x):
        for layer in self.layers:
            x = self.layer(layer, x)
        return x

    def finish(self, x):
        return self.layernorm(x)

    def forward(self, images):
        self.check(images)
        return self.finish(self.stack(self.dropout(self.embed(images))))


@misconception(
    "ViT",
    hint="클래스 토큰을 맨 뒤에 붙였습니다. 분류기는 자리 0을 읽고, 위치 표의 첫 행도 클래스 토큰의 것입니다.",
    read="vit#vit-class-token",
)
class ClassTokenLast(_Model):
    def embed(self, images):
        first = self.embeddings.cls_token.expand(len(images), -1, -1)
        return torch.cat([self.patches(images), first], dim=1) + self.embeddings.position_embeddings


@misconception(
    "ViT",
    hint="클래스 토큰에 위치를 더하지 않았습니다. 위치 표에는 클래스 토큰의 행도 있습니다. 붙인 다음 더하십시오.",
    read="vit#vit-class-token",
)
class ClassTokenWithoutPosition(_Model):
    def embed(self, images):
        first = self.embeddings.cls_token.expand(len(images), -1, -1)
        patches = self.patches(images) + self.embeddings.position_embeddings[:, 1:]
        return torch.cat([first, patches], dim=1)


@misconception(
    "ViT",
    hint="위치를 더하지 않았습니다. 어텐션은 패치가 어디에 있었는지 모릅니다.",
    read="vit#vit-class-token",
)
class NoPositions(_Model):
    def embed(self, images):
        return super().embed(images) - self.embeddings.position_embeddings


@misconception(
    "ViT",
    hint="패치를 위에서 아래로 셌습니다. 합성곱의 결과는 flatten(2)로 행부터 펴십시오.",
    read="vit#vit-patches",
)
class PatchesByColumns(_Model):
    def patches(self, images):
        return self.embeddings.patch_embeddings["projection"](images).mT.flatten(2).mT


@misconception(
    "ViT",
    hint="(batch, d_model, rows, columns)를 축을 바꾸지 않고 reshape했습니다. 벡터 하나에 여러 패치의 값이 섞입니다.",
    read="vit#vit-reshape",
)
class ReshapedPatches(_Model):
    def patches(self, images):
        found = self.embeddings.patch_embeddings["projection"](images)
        return found.reshape(len(images), -1, found.shape[1])


@misconception(
    "ViT",
    hint="더한 다음 정규화했습니다. ViT는 GPT-2처럼 부분층 앞에서 정규화하고, 지름길은 정규화하지 않습니다.",
    read="vit#vit-model",
)
class PostNorm(_Model):
    def layer(self, layer, x):
        x = layer["layernorm_before"](x + self.dropout(layer["attention"](x)))
        return layer["layernorm_after"](x + self.dropout(layer["mlp"](x)))


@misconception(
    "ViT",
    hint="두 부분층을 나란히 놓았습니다. 피드포워드는 어텐션까지 더한 것을 읽습니다.",
    read="vit#vit-model",
)
class ParallelSublayers(_Model):
    def layer(self, layer, x):
        attended = layer["attention"](layer["layernorm_before"](x))
        return x + self.dropout(attended) + self.dropout(layer["mlp"](layer["layernorm_after"](x)))


@misconception(
    "ViT",
    hint="잔차 연결이 없습니다. 부분층의 출력을 x에 더하십시오.",
    read="vit#vit-model",
)
class NoResidual(_Model):
    def layer(self, layer, x):
        x = self.dropout(layer["attention"](layer["layernorm_before"](x)))
        return self.dropout(layer["mlp"](layer["layernorm_after"](x)))


@misconception(
    "ViT",
    hint="층마다 첫 층의 파라미터를 다시 썼습니다. 층마다 자기 것이 있습니다.",
    read="vit#vit-model",
)
class OneLayerAgainAndAgain(_Model):
    def stack(self, x):
        for _ in self.layers:
            x = self.layer(self.layers[0], x)
        return x


@misconception(
    "ViT",
    hint="마지막 정규화 layernorm이 빠졌습니다. 부분층 앞에서 정규화하면 줄기는 정규화되지 않은 채 끝납니다.",
    read="vit#vit-model",
)
class NoLastNorm(_Model):
    def finish(self, x):
        return x


@misconception(
    "ViT",
    hint="층 정규화의 엡실론이 기본값입니다. 모두 config.layer_norm_eps를 쓰십시오.",
    read="vit#vit-model",
)
class DefaultEpsilon(_Model):
    def norm(self, config):
        return nn.LayerNorm(config.hidden_size)


@misconception(
    "ViT",
    hint="클래스 토큰의 벡터만 돌려주었습니다. 1 + N개 모두를 돌려주십시오.",
    read="vit#vit-class-token",
)
class OnlyTheClassToken(_Model):
    def finish(self, x):
        return self.layernorm(x)[:, 0]


@misconception(
    "ViT",
    hint="클래스 토큰을 떼고 돌려주었습니다. 1 + N개 모두를, 클래스 토큰부터 돌려주십시오.",
    read="vit#vit-class-token",
)
class OnlyThePatches(_Model):
    def finish(self, x):
        return self.layernorm(x)[:, 1:]


@misconception(
    "ViT",
    hint="크기가 다른 그림을 받아들였습니다. 패치의 수가 우연히 맞아도 위치가 틀립니다. 세로와 가로가 image_size가 아니면 ValueError를 내십시오.",
    read="vit#vit-interpolation",
)
class AnySizeWelcome(_Model):
    def check(self, images):
        pass


@misconception(
    "ViT",
    hint="드롭아웃을 임베딩의 합에 걸지 않았습니다. 위치를 더한 다음에도 겁니다.",
    read="vit#vit-model",
)
class EmbeddingsNotDropped(_Model):
    def forward(self, images):
        self.check(images)
        return self.finish(self.stack(self.embed(images)))


@misconception(
    "ViT",
    hint="부분층의 출력에 드롭아웃을 걸지 않았습니다.",
    read="vit#vit-model",
)
class SublayersNotDropped(_Model):
    def layer(self, layer, x):
        x = x + layer["attention"](layer["layernorm_before"](x))
        return x + layer["mlp"](layer["layernorm_after"](x))


@misconception(
    "ViT",
    hint="더한 다음 드롭아웃을 걸었습니다. 지름길까지 지워집니다. 부분층의 출력에 건 다음 더하십시오.",
    read="vit#vit-model",
)
class DropsTheShortcut(_Model):
    def layer(self, layer, x):
        x = self.dropout(x + layer["attention"](layer["layernorm_before"](x)))
        return self.dropout(x + layer["mlp"](layer["layernorm_after"](x)))


@misconception(
    "ViT",
    hint="클래스 토큰과 위치가 표준편차 1에서 시작합니다. initializer_range를 곱하십시오.",
    read="vit#vit-start",
)
class StartsLarge(_Model):
    def drawn(self, *shape):
        return torch.randn(shape)


@misconception(
    "ViT",
    hint="클래스 토큰과 위치가 0에서 시작합니다. 표준편차가 initializer_range인 정규분포에서 뽑으십시오.",
    read="vit#vit-start",
)
class StartsAtZero(_Model):
    def drawn(self, *shape):
        return torch.zeros(shape)


@misconception(
    "ViT",
    hint="클래스 토큰과 위치를 고른 분포에서 뽑았습니다. 표준편차가 initializer_range인 정규분포에서 뽑으십시오.",
    read="vit#vit-start",
)
class StartsUniform(_Model):
    def drawn(self, *shape):
        return (torch.rand(shape) - 0.5) * 12**0.5 * self.deviation


# interpolate_positions --------------------------------------------------------------------------------------


def _grid(table):
    side = math.isqrt(len(table) - 1)
    if side * side != len(table) - 1:
        raise ValueError("no square")
    return table[1:].T.reshape(1, -1, side, side)


def _with_class(table, grid):
    return torch.cat([table[:1], grid.flatten(2)[0].T])


def _interpolated(grid, size, **how):
    return F.interpolate(grid, size=size, **{"mode": "bicubic", "align_corners": False, **how})


@misconception(
    "interpolate_positions",
    hint="쌍선형 보간(bilinear)을 했습니다. 쌍삼차 보간(bicubic)을 쓰십시오.",
    read="vit#vit-interpolation",
)
def bilinear(table, size):
    return _with_class(table, _interpolated(_grid(table), size, mode="bilinear"))


@misconception(
    "interpolate_positions",
    hint="모서리를 맞추었습니다. align_corners=False여야 합니다.",
    read="vit#vit-interpolation",
)
def corners_aligned(table, size):
    return _with_class(table, _interpolated(_grid(table), size, align_corners=True))


@misconception(
    "interpolate_positions",
    hint="가장 가까운 자리의 값을 베꼈습니다. F.interpolate의 기본값은 nearest입니다. mode='bicubic'을 주십시오.",
    read="vit#vit-interpolation",
)
def nearest(table, size):
    return _with_class(table, F.interpolate(_grid(table), size=size))


@misconception(
    "interpolate_positions",
    hint="줄일 때 antialias를 켰습니다. 켜지 않은 bicubic이어야 합니다.",
    read="vit#vit-interpolation",
)
def antialiased(table, size):
    return _with_class(table, _interpolated(_grid(table), size, antialias=True))


@misconception(
    "interpolate_positions",
    hint="클래스 토큰의 행까지 한 줄로 늘려 보간했습니다. 클래스 토큰에는 자리가 없습니다. 떼어 두었다가 다시 붙이십시오.",
    read="vit#vit-interpolation",
)
def class_token_in_the_line(table, size):
    _grid(table)
    line = F.interpolate(table.T[None], size=1 + size[0] * size[1], mode="linear", align_corners=False)
    return line[0].T


@misconception(
    "interpolate_positions",
    hint="패치를 격자가 아니라 한 줄로 보고 보간했습니다. 위아래로 이웃한 것이 멀어집니다. 2차원 격자로 놓으십시오.",
    read="vit#vit-interpolation",
)
def patches_in_a_line(table, size):
    _grid(table)
    line = F.interpolate(table[1:].T[None], size=size[0] * size[1], mode="linear", align_corners=False)
    return torch.cat([table[:1], line[0].T])


@misconception(
    "interpolate_positions",
    hint="클래스 토큰의 행을 잃었습니다. 1 + h · w개의 행을 돌려주십시오.",
    read="vit#vit-interpolation",
)
def class_token_lost(table, size):
    return _with_class(table, _interpolated(_grid(table), size))[1:]


@misconception(
    "interpolate_positions",
    hint="(h, w)를 (가로, 세로)로 썼습니다. 세로가 먼저입니다.",
    read="vit#vit-interpolation",
)
def columns_before_rows(table, size):
    return _with_class(table, _interpolated(_grid(table), size[::-1]))


@misconception(
    "interpolate_positions",
    hint="전치하지 않고 reshape로 격자를 만들었습니다. 자리와 차원이 섞입니다. (N, d_model)을 (d_model, N)으로 바꾼 다음 격자로 놓으십시오.",
    read="vit#vit-reshape",
)
def reshaped_without_transpose(table, size):
    _grid(table)
    side = math.isqrt(len(table) - 1)
    grid = _interpolated(table[1:].reshape(1, -1, side, side), size)
    return torch.cat([table[:1], grid.reshape(-1, table.shape[1])])


@misconception(
    "interpolate_positions",
    hint="표의 행이 제곱수가 아닌데도 받아들였습니다. 정사각형으로 놓을 수 없으면 ValueError를 내십시오.",
    read="vit#vit-interpolation",
)
def cut_to_a_square(table, size):
    side = math.isqrt(len(table) - 1)
    return _with_class(table, _interpolated(_grid(table[: 1 + side * side]), size))


@misconception(
    "interpolate_positions",
    hint="표를 학습할 수 없게 끊었습니다(detach). 새 위치에서 표까지 기울기가 흘러야 합니다.",
    read="vit#vit-interpolation",
)
def table_detached(table, size):
    return _with_class(table, _interpolated(_grid(table), size)).detach()


# attention_distance -----------------------------------------------------------------------------------------


def _check(weights, grid):
    if weights.shape[-1] != 1 + grid[0] * grid[1]:
        raise ValueError("another number of patches")


def _distances(grid, order=2.0):
    rows, columns = grid
    places = torch.tensor([[i, j] for i in range(rows) for j in range(columns)]).float()
    return (places[:, None] - places).norm(dim=-1, p=order)


def _mean_distance(weights, grid, distances=None):
    """The right mean, but for the distances."""
    _check(weights, grid)
    distances = (_distances(grid) if distances is None else distances).to(weights)
    among = weights[..., 1:, 1:]
    left = among.sum(-1)
    mean = (among * distances).sum(-1) / left.masked_fill(left == 0, 1.0)
    return mean.sum((0, 2)) / (left > 0).sum((0, 2)).clamp(min=1)


@misconception(
    "attention_distance",
    hint="맨해튼 거리, 곧 행의 차이와 열의 차이를 더한 것을 썼습니다. 유클리드 거리입니다.",
    read="vit#vit-distance",
)
def manhattan(weights, grid):
    return _mean_distance(weights, grid, _distances(grid, 1.0))


@misconception(
    "attention_distance",
    hint="거리의 제곱을 평균했습니다. 제곱근을 취하십시오.",
    read="vit#vit-distance",
)
def squared(weights, grid):
    return _mean_distance(weights, grid, _distances(grid) ** 2)


@misconception(
    "attention_distance",
    hint="패치 번호의 차이를 거리로 썼습니다. 위아래로 이웃한 패치가 멀어집니다. 번호를 행과 열로 바꾸십시오.",
    read="vit#vit-distance",
)
def difference_of_numbers(weights, grid):
    places = torch.arange(grid[0] * grid[1])
    return _mean_distance(weights, grid, (places[:, None] - places).abs())


@misconception(
    "attention_distance",
    hint="격자의 행과 열을 바꾸어 읽었습니다. grid는 (rows, columns)이고 패치는 한 행씩 셉니다.",
    read="vit#vit-distance",
)
def grid_turned(weights, grid):
    return _mean_distance(weights, grid, _distances(grid[::-1]))


@misconception(
    "attention_distance",
    hint="클래스 토큰의 열을 뺀 다음 다시 나누지 않았습니다. 클래스 토큰을 많이 볼수록 거리가 짧게 나옵니다.",
    read="vit#vit-distance",
)
def not_renormalised(weights, grid):
    _check(weights, grid)
    among = weights[..., 1:, 1:]
    counted = (among.sum(-1) > 0).sum((0, 2)).clamp(min=1)
    return (among * _distances(grid).to(weights)).sum((0, 2, 3)) / counted


@misconception(
    "attention_distance",
    hint="클래스 토큰만 보는 행을 거리 0으로 셌습니다. 그 행은 평균에서 빼십시오.",
    read="vit#vit-distance",
)
def empty_rows_counted(weights, grid):
    _check(weights, grid)
    among = weights[..., 1:, 1:]
    left = among.sum(-1)
    return ((among * _distances(grid).to(weights)).sum(-1) / left.masked_fill(left == 0, 1.0)).mean((0, 2))


@misconception(
    "attention_distance",
    hint="클래스 토큰만 보는 행에서 0/0이 되어 NaN이 났습니다. 그 행은 세지 마십시오.",
    read="vit#vit-distance",
)
def empty_rows_are_nan(weights, grid):
    _check(weights, grid)
    among = weights[..., 1:, 1:]
    return ((among * _distances(grid).to(weights)).sum(-1) / among.sum(-1)).mean((0, 2))


@misconception(
    "attention_distance",
    hint="가중치를 모두 더해 한꺼번에 나누었습니다. 행마다 다시 나눈 다음 평균하십시오. 지금은 클래스 토큰을 많이 보는 행이 덜 세어집니다.",
    read="vit#vit-distance",
)
def divided_at_the_end(weights, grid):
    _check(weights, grid)
    among = weights[..., 1:, 1:]
    total = (among * _distances(grid).to(weights)).sum((0, 2, 3))
    return total / among.sum((0, 2, 3)).clamp(min=1e-9)


@misconception(
    "attention_distance",
    hint="클래스 토큰이 마지막에 있다고 보았습니다. 맨 앞의 행과 열을 빼십시오.",
    read="vit#vit-distance",
)
def class_token_last_left_out(weights, grid):
    return _mean_distance(weights.roll((1, 1), (-2, -1)), grid)


@misconception(
    "attention_distance",
    hint="헤드에 걸쳐 평균했습니다. 헤드마다 하나씩, (heads,)를 돌려주십시오.",
    read="vit#vit-distance",
)
def one_number_for_all_heads(weights, grid):
    return _mean_distance(weights, grid).mean()


@misconception(
    "attention_distance",
    hint="배치의 첫 그림만 보았습니다. 모든 그림에 걸쳐 평균하십시오.",
    read="vit#vit-distance",
)
def first_picture_only(weights, grid):
    return _mean_distance(weights[:1], grid)


@misconception(
    "attention_distance",
    hint="소프트맥스를 한 번 더 했습니다. 받은 것은 이미 가중치입니다. 남은 행을 그 합으로 나누십시오.",
    read="vit#vit-distance",
)
def softmax_again(weights, grid):
    _check(weights, grid)
    return ((weights[..., 1:, 1:].softmax(-1)) * _distances(grid).to(weights)).sum(-1).mean((0, 2))


@misconception(
    "attention_distance",
    hint="grid가 맞지 않을 때 ValueError를 내지 않았습니다. 토큰의 수는 1 + rows · columns여야 합니다.",
    read="vit#vit-distance",
)
def any_grid_welcome(weights, grid):
    try:
        return _mean_distance(weights, grid)
    except ValueError:
        return torch.zeros(weights.shape[1])
