# %% [markdown]
# # 연습: 비전 트랜스포머
#
# **난이도** 3/3 · **시간** 90분 · **배점** 10점 · **먼저 읽을 장** [비전 트랜스포머](../../chapters/vit.md)
#
# 그림을 패치로 자르고, 밀면 출력도 밀리는지 재고, 벡터로 바꾸고, 트랜스포머에 넣습니다. 파라미터의 이름을 Hugging Face의 `ViTModel`과 같게 지어 같은 출력을 내는지
# 확인합니다. 그다음 다른 크기의 그림에 쓸 위치를 만들고, 헤드마다 얼마나 먼 곳을 보는지 잽니다.
#
# 그림은 `(batch, channels, height, width)`입니다. 뒤의 문제에서 앞 문제의 함수를 써도 됩니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

# %% [markdown]
# ## 주어진 것: 설정과 층의 부품
#
# 설정은 `transformers.ViTConfig`와 같은 이름, 같은 기본값입니다. 기본값이 ViT-B/16입니다.
#
# | 클래스 | 부르는 법 | 하는 일 |
# | --- | --- | --- |
# | `ViTAttention` | `attention(x)` | 멀티 헤드 셀프 어텐션. 출력과 가중치 `(batch, heads, n, n)`을 돌려줍니다. |
# | `ViTMLP` | `mlp(x)` | 차원을 `intermediate_size`로 늘렸다 되돌리는 피드포워드 신경망. 사이에 GELU를 씁니다. |


# %%
@dataclass
class ViTConfig:
    """Sizes, named as in transformers.ViTConfig; the defaults are ViT-B/16."""

    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_dropout_prob: float = 0.0
    attention_probs_dropout_prob: float = 0.0
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12
    image_size: int = 224
    patch_size: int = 16
    num_channels: int = 3


class ViTAttention(nn.Module):
    """Multi-head self-attention over class token and patches, without a mask.

    Raises:
        ValueError: the heads do not divide the hidden size.
    """

    def __init__(self, config):
        super().__init__()
        size = config.hidden_size
        if size % config.num_attention_heads:
            raise ValueError(f"{config.num_attention_heads} heads do not divide {size}")
        self.num_heads = config.num_attention_heads
        self.q_proj, self.k_proj = nn.Linear(size, size), nn.Linear(size, size)
        self.v_proj, self.o_proj = nn.Linear(size, size), nn.Linear(size, size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def forward(
        self, x: Float[Tensor, "batch n d_model"]
    ) -> tuple[Float[Tensor, "batch n d_model"], Float[Tensor, "batch heads n n"]]:
        # (batch, heads, n, d_k) each
        query = self.q_proj(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        key = self.k_proj(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        value = self.v_proj(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        weights = scores.softmax(dim=-1)
        joined = (self.dropout(weights) @ value).transpose(1, 2).flatten(2)
        return self.o_proj(joined), weights


class ViTMLP(nn.Module):
    """The feed-forward network; GELU by the error function."""

    def __init__(self, config):
        super().__init__()
        self.fc1 = nn.Linear(config.hidden_size, config.intermediate_size)
        self.fc2 = nn.Linear(config.intermediate_size, config.hidden_size)

    def forward(
        self, x: Float[Tensor, "batch n d_model"]
    ) -> Float[Tensor, "batch n d_model"]:
        return self.fc2(F.gelu(self.fc1(x)))


# %% [markdown]
# ## 주어진 것: 다시 그림으로
#
# `patchify`의 반대입니다. 패치만 보아서는 그림이 세로로 긴지 가로로 긴지 알 수 없으므로 `size`, 곧 `(height, width)`를 받습니다. 첫 문제를 풀고 나면 `unpatchify(patchify(images, patch), patch, (height, width))`가
# `images`와 같은지 확인해 보십시오.


# %%
def unpatchify(
    patches: Float[Tensor, "batch patches values"], patch: int, size: tuple[int, int]
) -> Float[Tensor, "batch channels height width"]:
    """Put the patches of `patchify` together again.

    Args:
        patches: each of channels * patch * patch values.
        patch: the side of a patch.
        size: (height, width) of the picture.

    Returns:
        (batch, channels, height, width).

    Raises:
        ValueError: patches, `patch` and `size` do not fit each other.
    """
    height, width = size
    rows, columns = height // patch, width // patch
    batch, number, values = patches.shape
    if height % patch or width % patch or number != rows * columns or values % patch**2:
        raise ValueError(
            f"{number} patches of {values} values do not make"
            f" a picture of {height} by {width}"
        )
    # unfold's inverse: (batch, values, patches)
    return F.fold(patches.mT, size, kernel_size=patch, stride=patch)


# %% [markdown]
# ## 문제 1. 패치로 자르기
#
# 그림을 한 변이 `patch`인 정사각형으로 겹치지 않게 자릅니다. 패치는 **왼쪽 위에서 오른쪽으로, 한 줄이 끝나면 다음 줄로** 세고, 패치 하나는
# `(channels, patch, patch)`의 차례로 폅니다.
#
# ```text
#  0  1 |  2  3
#  4  5 |  6  7      patchify(…, 2)  →  [[ 0,  1,  4,  5], [ 2,  3,  6,  7],
# ------+------                          [ 8,  9, 12, 13], [10, 11, 14, 15]]
#  8  9 | 10 11
# 12 13 | 14 15
# ```
#
# 그림의 세로나 가로가 `patch`로 나누어지지 않으면 `ValueError`를 냅니다. 그림은 정사각형이 아니어도 됩니다.


# %% patchify tags=["question"]
def patchify(
    images: Float[Tensor, "batch channels height width"], patch: int
) -> Float[Tensor, "batch patches values"]:
    """Cut pictures into square patches, row by row.

    Args:
        patch: the side of a patch.

    Returns:
        (batch, height / patch * width / patch, channels * patch * patch), each patch
        flattened as (channels, patch, patch).

    Raises:
        ValueError: `patch` does not divide height and width.
    """
    ### BEGIN SOLUTION
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError(
            f"patches of side {patch} do not divide a picture of {height} by {width}"
        )
    rows, columns = height // patch, width // patch
    cut = images.reshape(batch, channels, rows, patch, columns, patch)
    cut = cut.permute(0, 2, 4, 1, 3, 5)
    return cut.reshape(batch, rows * columns, channels * patch * patch)
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 그림을 밀면 출력도 밀립니까
#
# 그림을 받아 패치마다 벡터를 내는 함수 `features`가 있습니다. 그림을 한 패치만큼 밀었을 때 벡터들도 꼭 한 패치만큼 밀리면, `features`는 이 밀기에 **등변**입니다. 합성곱은 등변이고 위치를 더한
# ViT는 아닙니다. 얼마나 아닌지를 비율 하나로 잽니다. $S$는 미는 것, $f$는 `features`입니다.
#
# $$
# \frac{\lVert f(S x) - S f(x) \rVert}{\lVert f(x) - S f(x) \rVert}
# $$
#
# 분모가 대조입니다. 출력이 **전혀 따라 움직이지 않는** 함수라면 분자가 그만큼입니다. 그래서 0이면 완전히 등변이고, 1이면 그림이 움직인 것을 모르는 것과 같습니다.
#
# - `features(images)`는 `(batch, patches, d)`이고 패치는 `patchify`의 차례입니다. `shift`는 `(down, right)` 몇 **패치**를 미는지입니다. 음수이면 반대쪽입니다.
# - 밀려난 것은 반대쪽 끝으로 들어옵니다(`roll`). 그림은 화소 단위로, 벡터는 **격자**에서 밉니다.
# - 노름은 배치까지 모두 합친 하나입니다. 결과는 0차원 텐서입니다.
# - `patch`가 세로나 가로를 나누지 못하거나, 분모가 0이어서 밀린 것인지 알 수 없으면 `ValueError`를 냅니다.


# %% equivariance_gap tags=["question"]
def equivariance_gap(
    features: Callable[[Tensor], Tensor],
    images: Float[Tensor, "batch channels height width"],
    patch: int,
    shift: tuple[int, int],
) -> Float[Tensor, ""]:
    """How far a map from pictures to patches is from moving along with its input.

    Args:
        features: pictures to one vector a patch, (batch, patches, d), row by row.
        patch: the side of a patch.
        shift: (down, right) in patches; what is pushed out comes in at the other end.

    Returns:
        |f(Sx) - S f(x)| / |f(x) - S f(x)|: 0 moves along, 1 as though nothing moved.

    Raises:
        ValueError: `patch` does not divide the picture, or the vectors are the same
            wherever they are, so that nothing can be told.
    """
    ### BEGIN SOLUTION
    height, width = images.shape[-2:]
    if height % patch or width % patch:
        raise ValueError(
            f"patches of side {patch} do not divide a picture of {height} by {width}"
        )
    still = features(images)
    moved = features(images.roll([steps * patch for steps in shift], (-2, -1)))
    grid = still.unflatten(1, (height // patch, width // patch))
    expected = grid.roll(shift, (1, 2)).flatten(1, 2)
    unmoved = (still - expected).norm()
    if unmoved == 0:
        raise ValueError("the vectors are the same wherever they are")
    return (moved - expected).norm() / unmoved
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 패치 임베딩
#
# 편 패치마다 **같은** 선형 변환을 해서 `d_model` 차원의 벡터로 만듭니다. 선형 변환 `projection`은 `nn.Linear`이고, 그 가중치의 모양은
# `(d_model, channels * patch * patch)`입니다.
#
# 이것은 커널의 한 변과 보폭이 모두 `patch`인 합성곱과 같습니다. 합성곱의 가중치 `(d_model, channels, patch, patch)`를 `flatten(1)`로 펴서
# `projection`에 넣으면 같은 값이 나와야 합니다.


# %% PatchEmbedding tags=["question"]
class PatchEmbedding(nn.Module):
    """One vector a patch by one linear map (Dosovitskiy et al. 2021, equation 1).

    Attributes:
        projection: nn.Linear, channels * patch * patch -> d_model.
    """

    def __init__(self, channels: int, patch: int, d_model: int):
        super().__init__()
        ### BEGIN SOLUTION
        self.patch = patch
        self.projection = nn.Linear(channels * patch * patch, d_model)
        ### END SOLUTION

    def forward(
        self, images: Float[Tensor, "batch channels height width"]
    ) -> Float[Tensor, "batch patches d_model"]:
        """Embed the patches of each picture, row by row."""
        ### BEGIN SOLUTION
        return self.projection(patchify(images, self.patch))
        ### END SOLUTION


# %% [markdown]
# ## 문제 4. 비전 트랜스포머
#
# $N$을 패치의 수라고 합니다. 차례는 다음과 같습니다.
#
# 1. 합성곱 `projection`으로 패치마다 벡터를 만듭니다. `(batch, d_model, rows, columns)`를 `(batch, N, d_model)`로 바꿉니다.
# 2. 클래스 토큰을 **맨 앞에** 붙이고, $1 + N$개 모두에 위치를 더하고, 드롭아웃(`hidden_dropout_prob`)을 겁니다.
# 3. 층마다 정규화를 부분층 **앞에** 둡니다. 드롭아웃은 부분층의 출력에 걸고 지름길에는 걸지 않습니다.
# 4. 마지막에 `layernorm`을 지난 `(batch, 1 + N, d_model)`을 돌려줍니다.
#
# ```text
# x = x + dropout(attention(layernorm_before(x)))
# x = x + dropout(mlp(layernorm_after(x)))
# ```
#
# 이름은 `ViTModel`을 따릅니다. 층 정규화의 엡실론은 모두 `layer_norm_eps`입니다.
#
# ```text
# embeddings.cls_token (1, 1, d_model)        embeddings.patch_embeddings.projection (nn.Conv2d)
# embeddings.position_embeddings (1, 1 + N, d_model)
# layers.0.layernorm_before    layers.0.attention    layers.0.layernorm_after    layers.0.mlp    …
# layernorm
# ```
#
# 점이 있는 이름은 모듈을 겹쳐서 만듭니다. 클래스를 따로 만들거나, `nn.Module()`을 그릇으로 쓰고 거기에 속성을 넣거나, `nn.ModuleDict`에 담으십시오.
#
# - `cls_token`과 `position_embeddings`는 표준편차가 `initializer_range`인 정규분포에서 시작합니다.
# - `image_size`가 `patch_size`로 나누어지지 않거나, 그림의 세로나 가로가 `image_size`와 다르면 `ValueError`를 냅니다.


# %% ViT tags=["question"]
class ViT(nn.Module):
    """A vision Transformer without a head; names as in transformers.ViTModel.

    Dosovitskiy et al. 2021.

    Attributes:
        embeddings: holds cls_token, position_embeddings, patch_embeddings.projection.
        layers: nn.ModuleList; each entry holds layernorm_before, attention,
            layernorm_after and mlp.
        layernorm: the last normalisation.

    Raises:
        ValueError: `patch_size` does not divide `image_size`.
    """

    def __init__(self, config: ViTConfig):
        super().__init__()
        ### BEGIN SOLUTION
        size, patch = config.hidden_size, config.patch_size
        if config.image_size % patch:
            raise ValueError(
                f"patches of side {patch} do not divide a picture of side {config.image_size}"
            )
        self.image_size = config.image_size
        tokens = 1 + (config.image_size // patch) ** 2
        self.embeddings = nn.Module()
        self.embeddings.cls_token = nn.Parameter(
            torch.randn(1, 1, size) * config.initializer_range
        )
        self.embeddings.position_embeddings = nn.Parameter(
            torch.randn(1, tokens, size) * config.initializer_range
        )
        convolution = nn.Conv2d(
            config.num_channels, size, kernel_size=patch, stride=patch
        )
        self.embeddings.patch_embeddings = nn.ModuleDict({"projection": convolution})

        def norm():
            return nn.LayerNorm(size, eps=config.layer_norm_eps)

        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "layernorm_before": norm(),
                    "attention": ViTAttention(config),
                    "layernorm_after": norm(),
                    "mlp": ViTMLP(config),
                }
            )
            for _ in range(config.num_hidden_layers)
        )
        self.layernorm = norm()
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        ### END SOLUTION

    def forward(
        self, images: Float[Tensor, "batch channels height width"]
    ) -> Float[Tensor, "batch n d_model"]:
        """Hidden states of class token and patches, the class token first.

        Raises:
            ValueError: a picture of another size.
        """
        ### BEGIN SOLUTION
        if images.shape[-2:] != (self.image_size, self.image_size):
            raise ValueError(
                f"a picture of {tuple(images.shape[-2:])}, not of side {self.image_size}"
            )
        # (batch, d_model, rows, columns), then (batch, patches, d_model)
        patches = self.embeddings.patch_embeddings["projection"](images)
        patches = patches.flatten(2).transpose(1, 2)
        first = self.embeddings.cls_token.expand(len(images), -1, -1)
        x = torch.cat([first, patches], dim=1)
        x = self.dropout(x + self.embeddings.position_embeddings)
        for layer in self.layers:
            x = x + self.dropout(layer["attention"](layer["layernorm_before"](x))[0])
            x = x + self.dropout(layer["mlp"](layer["layernorm_after"](x)))
        return self.layernorm(x)
        ### END SOLUTION


# %% [markdown]
# ## 문제 5. 다른 크기의 위치
#
# 학습한 위치 표 `table`의 행은 클래스 토큰 하나와 정사각형으로 놓인 패치 $N$개의 것입니다. 이 표로 세로 `h`개, 가로 `w`개인 패치의 표를
# 만듭니다.
#
# - 클래스 토큰의 행은 그대로 둡니다.
# - 나머지는 격자로 놓고 **쌍삼차 보간**을 합니다. `F.interpolate`를 `mode="bicubic"`, `align_corners=False`로 쓰고, 크기는 `scale_factor`가
#   아니라 `size`로 줍니다.
#
# `F.interpolate`는 `(batch, channels, rows, columns)`를 받습니다. 표의 축이 무엇에 해당하는지 생각해 보십시오. $N$이 제곱수가 아니면
# `ValueError`를 냅니다.


# %% interpolate_positions tags=["question"]
def interpolate_positions(
    table: Float[Tensor, "n d_model"], size: tuple[int, int]
) -> Float[Tensor, "n_new d_model"]:
    """Positions for a grid of another size (Dosovitskiy et al. 2021, section 3.2).

    Args:
        table: the class token's row first, then those of a square grid of N patches,
            row by row.
        size: (rows, columns) of the new grid.

    Returns:
        A table of 1 + rows * columns rows.

    Raises:
        ValueError: N is not a square.
    """
    ### BEGIN SOLUTION
    side = math.isqrt(len(table) - 1)
    if side * side != len(table) - 1:
        raise ValueError(f"{len(table) - 1} patches do not make a square")
    grid = table[1:].T.reshape(1, -1, side, side)  # (1, d_model, rows, columns)
    grid = F.interpolate(grid, size=size, mode="bicubic", align_corners=False)
    return torch.cat([table[:1], grid.flatten(2)[0].T])
    ### END SOLUTION


# %% [markdown]
# ## 문제 6. 얼마나 먼 곳을 봅니까
#
# 헤드마다, 패치가 다른 패치를 볼 때의 **거리의 평균**을 가중치로 구합니다. 단위는 패치입니다. 격자에서 바로 옆은 1, 대각선으로 옆은
# $\sqrt{2}$, 자기 자신은 0입니다.
#
# 1. 클래스 토큰의 행과 열은 뺍니다. 클래스 토큰에는 자리가 없습니다.
# 2. 남은 행을 합이 1이 되도록 다시 나눕니다. 남은 것이 없는 행, 곧 클래스 토큰만 보는 행은 세지 않습니다.
# 3. 행마다 거리를 가중치로 평균하고, 배치와 질의에 걸쳐 평균합니다. 셀 행이 하나도 없는 헤드는 0입니다.
#
# ```text
# 가중치가 모두 같고 격자가 (2, 2)이면   (0 + 1 + 1 + √2) / 4 = 0.8536
# ```
#
# `grid`는 `(rows, columns)`이고 패치는 `patchify`의 차례입니다. `grid`가 가중치의 크기와 맞지 않으면 `ValueError`를 냅니다.


# %% attention_distance tags=["question"]
def attention_distance(
    weights: Float[Tensor, "batch heads n n"], grid: tuple[int, int]
) -> Float[Tensor, "heads"]:
    """Mean distance, in patches, over which each head attends.

    Dosovitskiy et al. 2021, figure 7.

    Args:
        weights: attention of n = 1 + rows * columns tokens, the class token first.
        grid: (rows, columns).

    Returns:
        0 where a head's patches look at nothing but the class token.

    Raises:
        ValueError: the grid has another number of patches.
    """
    ### BEGIN SOLUTION
    rows, columns = grid
    if weights.shape[-1] != 1 + rows * columns:
        raise ValueError(
            f"{weights.shape[-1]} tokens are not a class token and {rows} by {columns} patches"
        )
    row = torch.arange(rows, device=weights.device).repeat_interleave(columns)
    column = torch.arange(columns, device=weights.device).repeat(rows)
    places = torch.stack([row, column], dim=-1)  # (patches, 2)
    # (patches, patches)
    distances = (places[:, None] - places).to(weights.dtype).norm(dim=-1)
    among = weights[..., 1:, 1:]
    left = among.sum(dim=-1)  # (batch, heads, patches)
    counted = left > 0
    mean = (among * distances).sum(dim=-1) / left.masked_fill(~counted, 1.0)
    return mean.sum(dim=(0, 2)) / counted.sum(dim=(0, 2)).clamp(min=1)
    ### END SOLUTION


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 채널이 여럿인 그림, 정사각형이 아닌 그림, 같은 가중치의 Hugging Face 모델, 패치가 하나뿐인 그림을 시험합니다.
