# %% [markdown]
# # 연습: 잔차 연결과 층 정규화
#
# **난이도** 2/3 · **시간** 60분 · **배점** 10점 · **먼저 읽을 장** [잔차 연결과 층 정규화](../../chapters/add_norm.md)
#
# 층 정규화를 평균과 분산에서부터 만들고, 네 가지 정규화가 어느 축을 모으는지 한 함수로 구별합니다. 그다음 위치별 피드포워드
# 신경망과, 부분층을 잔차 연결과 정규화로 감싸는 껍데기를 만듭니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.

# %%
import torch
from jaxtyping import Float
from torch import Tensor, nn

# %% [markdown]
# ## 문제 1. 층 정규화
#
# 마지막 축의 `d`개 성분을 평균 0, 분산 1로 만든 다음 `weight`를 곱하고 `bias`를 더합니다. 분산은 `d - 1`이 아니라 **`d`로 나눈**
# 것이고, `eps`는 제곱근 **안에서** 더합니다.
#
# $$y = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} \odot \gamma + \beta$$
#
# $(1, 2, 3, 6)$은 평균이 3, 분산이 3.5입니다. $\gamma = 1$, $\beta = 0$이면 $(-1.069, -0.535, 0, 1.604)$가 나옵니다.
# $(10001, 10002, 10003, 10006)$에서도 같은 값이 나와야 합니다.
#
# `F.layer_norm`과 `nn.LayerNorm`은 쓰지 않습니다.


# %% layer_norm tags=["question"]
def layer_norm(
    x: Float[Tensor, "*batch d"],
    weight: Float[Tensor, "d"],
    bias: Float[Tensor, "d"],
    eps: float = 1e-5,
) -> Float[Tensor, "*batch d"]:
    """Layer normalisation over the last axis (Ba et al. 2016, section 3).

    Args:
        weight, bias: the learned gain and shift.
        eps: added to the (biased) variance.
    """
    ### BEGIN SOLUTION
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * weight + bias
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 어느 축을 모으는가
#
# 입력은 `(N, C, ...)`입니다. `N`은 표본, `C`는 채널이고, 그 뒤로 위치의 축이 몇 개든 옵니다(없을 수도 있습니다). 종류마다 다음을
# 한 덩어리로 모아 평균 0, 분산 1로 만드십시오. 곱하고 더하는 파라미터는 없습니다.
#
# | `kind` | 한 덩어리 |
# | --- | --- |
# | `"batch"` | 채널 하나의, 모든 표본과 모든 위치 |
# | `"layer"` | 표본 하나의, 모든 채널과 모든 위치 |
# | `"instance"` | 표본 하나, 채널 하나의 모든 위치 |
# | `"group"` | 표본 하나, 이웃한 `C / groups`개 채널의 모든 위치 |
#
# 표본이 $(0, 4)$와 $(2, 2)$이고 채널이 둘이면 `"layer"`는 첫 표본을 $(-1, 1)$, 둘째를 $(0, 0)$으로 바꿉니다. `"batch"`는 채널마다 모으므로 $(-1, 1)$과
# $(1, -1)$입니다.
#
# `F.batch_norm`을 비롯해 정규화하는 함수와 모듈은 쓰지 않습니다. 모르는 `kind`이거나, `"group"`인데 `groups`가 없거나 `C`를 나누지 못하면 `ValueError`를 냅니다.


# %% normalize_over tags=["question"]
def normalize_over(
    x: Float[Tensor, "N C *positions"],
    kind: str,
    groups: int | None = None,
    eps: float = 1e-5,
) -> Float[Tensor, "N C *positions"]:
    """Batch, layer, instance or group normalisation.

    The four differ only in what they take together.

    Args:
        x: N samples of C channels at any number of positions.
        kind: "batch", "layer", "instance" or "group".
        groups: number of groups of channels, for "group".

    Raises:
        ValueError: an unknown kind, or groups that do not divide the channels.
    """
    ### BEGIN SOLUTION
    if kind == "group" and (not groups or x.shape[1] % groups):
        raise ValueError(f"{groups} groups do not divide {x.shape[1]} channels")
    # Batch takes samples and positions together; the other three take channels and
    # positions of a group.
    groups_of_kind = {"layer": 1, "instance": x.shape[1], "group": groups}
    if kind == "batch":
        together, dims = x, [0, *range(2, x.dim())]
    elif kind in groups_of_kind:
        together = x.reshape(x.shape[0], groups_of_kind[kind], -1)
        dims = [-1]
    else:
        raise ValueError(f"unknown kind {kind!r}")
    mean = together.mean(dim=dims, keepdim=True)
    variance = (together - mean).square().mean(dim=dims, keepdim=True)
    return ((together - mean) / (variance + eps).sqrt()).reshape(x.shape)
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 위치별 피드포워드 신경망
#
# 선형 변환, ReLU, 선형 변환입니다. 안쪽 차원은 `d_ff`이고, 모든 위치가 같은 가중치를 씁니다. 두 선형 변환의 이름은 `linear1`과
# `linear2`입니다. 드롭아웃은 넣지 않습니다.
#
# $d_\text{model} = 2$, $d_\text{ff} = 2$이고 뉴런 둘이 $\max(0, a - b)$와 $\max(0, b - a)$이며 둘째 변환이 둘을 더해 두 자리에 모두 적는다면,
# $(1, 0)$은 $(1, 1)$이 되고 $(1, 1)$은 $(0, 0)$이 됩니다.


# %% PositionwiseFeedForward tags=["question"]
class PositionwiseFeedForward(nn.Module):
    """Two linear maps with ReLU between, the same at each position.

    Vaswani et al. 2017, equation 2.

    Attributes:
        linear1: d_model -> d_ff.
        linear2: d_ff -> d_model.
    """

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        ### BEGIN SOLUTION
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        ### END SOLUTION

    def forward(
        self, x: Float[Tensor, "*batch d_model"]
    ) -> Float[Tensor, "*batch d_model"]:
        ### BEGIN SOLUTION
        return self.linear2(self.linear1(x).relu())
        ### END SOLUTION


# %% [markdown]
# ## 문제 4. 부분층을 감싸기
#
# 부분층(어텐션이나 피드포워드)을 잔차 연결, 드롭아웃, 층 정규화로 감쌉니다.
#
# - `norm_first=False`: `norm(x + dropout(sublayer(x)))`. 논문의 순서입니다.
# - `norm_first=True`: `x + dropout(sublayer(norm(x)))`. GPT-2부터 널리 쓰는 순서입니다.
#
# 정규화의 이름은 `norm`이고 `nn.LayerNorm(d_model)`입니다. 부분층이 언제나 0을 내면 먼저 정규화하는 순서는 $(0, 4)$를 그대로 돌려주고, 더한 다음
# 정규화하는 순서는 $(-1, 1)$을 냅니다.


# %% SublayerConnection tags=["question"]
class SublayerConnection(nn.Module):
    """Residual connection, dropout and layer normalisation around a sublayer.

    Post-norm: Vaswani et al. 2017, section 3.1. Pre-norm: Xiong et al. 2020.

    Attributes:
        norm: nn.LayerNorm(d_model).
    """

    def __init__(self, d_model: int, dropout: float, norm_first: bool):
        super().__init__()
        ### BEGIN SOLUTION
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first
        ### END SOLUTION

    def forward(
        self, x: Float[Tensor, "*batch d_model"], sublayer
    ) -> Float[Tensor, "*batch d_model"]:
        """Wrap `sublayer`, which maps (..., d_model) to (..., d_model)."""
        ### BEGIN SOLUTION
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))
        ### END SOLUTION


# %% [markdown]
# ## 스무 층을 지나면
#
# 여러분의 피드포워드를 스무 층 쌓습니다. 그대로 쌓고, 여러분의 `SublayerConnection`으로 감싸서 두 순서로 쌓습니다. 맨 아래 층의 기울기를
# 재고, 입력을 그대로 돌려주는 쉬운 일을 200걸음 배우게 합니다. 점수는 없습니다.
#
# - 감싸지 않으면 맨 아래 층에 기울기가 얼마나 옵니까? 그 층은 무엇을 배울 수 있습니까?
# - `depth=40`으로 더 깊게 쌓아 보십시오. 무엇이 먼저 무너집니까?


# %%
class Stack(nn.Module):
    """Feed-forward layers on top of each other: "bare", "post-norm" or "pre-norm"."""

    def __init__(self, kind: str, depth: int, d: int = 32):
        super().__init__()
        self.layers = nn.ModuleList(
            PositionwiseFeedForward(d, 4 * d) for _ in range(depth)
        )
        self.around = None
        if kind != "bare":
            norm_first = kind == "pre-norm"
            self.around = nn.ModuleList(
                SublayerConnection(d, 0.0, norm_first) for _ in range(depth)
            )
        self.output = nn.Linear(d, d)

    def forward(self, x: Tensor) -> Tensor:
        for i, layer in enumerate(self.layers):
            x = layer(x) if self.around is None else self.around[i](x, layer)
        return self.output(x)


def through_layers(kind: str, depth: int = 20, steps: int = 200) -> None:
    """Print the lowest layer's first gradient, and the loss before and after."""
    torch.manual_seed(0)
    stack = Stack(kind, depth)
    optimizer = torch.optim.Adam(stack.parameters(), lr=0.001)
    for step in range(steps):
        x = torch.randn(64, 32)
        loss = (stack(x) - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == 0:
            lowest = stack.layers[0].linear1.weight.grad.norm()
            print(f"{kind:9}  gradient {lowest:.0e}  loss {loss:.2f}", end=" -> ")
    print(f"{loss:.2f}")


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    for kind in ["bare", "post-norm", "pre-norm"]:
        through_layers(kind)

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다.
