# %% [markdown]
# # 연습: 배우는 어텐션 범위
#
# **난이도** 3/3 · **시간** 80분 · **배점** 10점 · **먼저 읽을 장** [배우는 어텐션 범위](../../chapters/adaptive_span.md)
#
# 얼마나 멀리 볼지를 헤드마다 배우는 어텐션을 만듭니다. 거리를 0과 1 사이의 수로 바꾸는 마스크에서 시작해, 그 마스크를 쓰는
# 가중치를 구하고, 보지 않을 곳의 점수는 아예 계산하지 않는 층을 만듭니다. 마지막으로 무엇이 범위를 늘리는지 구합니다.
#
# 이 노트북에서 쓰는 약속은 세 가지입니다.
#
# - **거리** `distance`는 몇 자리 앞인지입니다. 0은 자기 자신, 3은 세 자리 앞, 음수는 미래입니다.
# - **범위** `z`와 **비탈** `ramp`도 자리의 수입니다. `ramp`는 0보다 큽니다.
# - 벡터의 나열은 `(batch, n, d)`이고, 헤드가 있으면 `(batch, heads, n, d_k)`입니다. `d_k`는 `d / heads`입니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import math

import torch
from jaxtyping import Float, Num
from torch import Tensor, nn

# %% [markdown]
# ## 문제 1. 부드러운 범위 마스크
#
# 거리 $x$인 자리를 얼마나 볼지를 0과 1 사이의 수로 정합니다. $z$까지는 1이고, 거기서 비탈을 따라 곧게 내려가
# $z + R$에서 0이 됩니다. $R$은 `ramp`입니다. 미래(음수인 거리)는 0입니다.
#
# $$
# m_z(x) = \min\!\left(\max\!\left(\frac{R + z - x}{R},\ 0\right),\ 1\right) \qquad (x \ge 0)
# $$
#
# ```text
# soft_span_mask(tensor([[-1, 0, 1, 2, 3, 4]]), tensor(1.5), 2)  →  [[0, 1, 1, 0.75, 0.25, 0]]
# ```
#
# 범위는 모든 헤드에 하나이거나 헤드마다 하나씩 `(heads, 1, 1)`입니다. 뒤의 것이면 결과는 `(heads, n_q, n_k)`입니다.
# 기울기가 `z`까지 흘러야 합니다.


# %% soft_span_mask tags=["question"]
def soft_span_mask(
    distance: Num[Tensor, "n_q n_k"], z: Float[Tensor, "*heads"], ramp: float | int
) -> Float[Tensor, "*any n_q n_k"]:
    """The share of each key that a query may see, by its distance.

    Sukhbaatar et al. 2019, section 2.2.

    Args:
        distance: places from a key to the query; 0 = itself, negative = the future.
        z: the span in places, a scalar or (heads, 1, 1); gradients flow to it.
        ramp: places behind the span over which the mask falls from 1 to 0; above 0.

    Returns:
        Numbers from 0 to 1 in the dtype of `z`; (heads, n_q, n_k) where every head has
        its span.
    """
    ### BEGIN SOLUTION
    mask = ((ramp + z - distance) / ramp).clamp(0, 1)
    return mask.masked_fill(distance < 0, 0.0)
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 범위를 지키는 가중치
#
# 마스크 $m$이 참과 거짓이 아니라 수이므로 $-\infty$로 가릴 수 없습니다. 점수의 $\exp$에 **곱한 다음** 행의 합이 1이 되도록 나눕니다.
#
# $$
# \alpha_j = \frac{m_j \exp(s_j)}{\sum_l m_l \exp(s_l)}
# $$
#
# ```text
# exp(scores) = [4, 4, 1, 3],  distance = [3, 2, 1, 0],  z = 1.5,  ramp = 2
# m           = [0.25, 0.75, 1, 1]
# weights     = [0.125, 0.375, 0.125, 0.375]
# ```
#
# 점수가 1,000처럼 커도, 마스크가 0인 자리의 점수만 커도 값이 정확해야 합니다. 볼 것이 남지 않은 행은 NaN이 아니라 모두 0이고,
# 기울기도 유한합니다. 앞의 `soft_span_mask`를 쓰십시오.


# %% span_attention tags=["question"]
def span_attention(
    scores: Float[Tensor, "*batch n_q n_k"],
    distance: Num[Tensor, "n_q n_k"],
    z: Float[Tensor, "*heads"],
    ramp: float | int,
) -> Float[Tensor, "*batch n_q n_k"]:
    """Attention weights within a soft span: exponentials times mask over their sum.

    Args:
        scores: (..., heads, n_q, n_k) where every head has its span.
        distance: places from a key to the query; negative = the future.
        z: the span in places, a scalar or (heads, 1, 1); gradients flow to it.
        ramp: places behind the span over which the mask falls from 1 to 0.

    Returns:
        Rows that sum to one, or are zeros, with finite gradients, where nothing is left
        to see.
    """
    ### BEGIN SOLUTION
    mask = soft_span_mask(distance, z, ramp)
    nothing_left = ~(mask > 0).any(dim=-1, keepdim=True)
    # What the mask hides must not decide how large the exponentials are. Rows with
    # nothing left go through softmax unmasked, where it is finite, and are zeroed by
    # the mask.
    hidden = (mask == 0) & ~nothing_left
    weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True).masked_fill(nothing_left, 1.0)
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 범위를 배우는 셀프 어텐션
#
# 앞만 보는 멀티 헤드 셀프 어텐션입니다. 헤드마다 범위가 하나씩 있고, 그것을 배웁니다.
#
# 1. `W_q`, `W_k`, `W_v`로 질의, 키, 값을 만들고 `num_heads`개의 헤드로 나눕니다(앞에서부터 `d_k = d / heads`개씩). 점수는 $\sqrt{d_k}$로 나눕니다.
# 2. `z`는 모양이 `(heads,)`인 파라미터입니다. 처음 값은 모두 `max_span / 2`이고, **쓸 때** `[0, max_span]`으로 자릅니다.
# 3. 헤드마다 범위 `z`로 가중치를 구하고, 값을 모으고, 헤드를 이어 `W_o`를 곱합니다. 미래는 보지 않습니다.
# 4. **거리가 `max(z) + ramp`보다 작은 점수만 계산합니다.** `max(z)`는 헤드들의 범위 가운데 가장 긴 것입니다. `n × n`짜리 점수를 모두
#    계산한 다음 가리면 범위가 짧아져도 아끼는 것이 없습니다.
#
# 넷째 조건을 지키는 길은 여럿입니다. 예를 들어 거리 $0, 1, 2, \dots$마다 그만큼 앞에 있는 키를 모아 `(batch, heads, n, 거리의 수, d_k)`로
# 놓으면 질의마다 볼 키만 곱할 수 있습니다. 문장의 앞을 벗어나는 자리는 거리가 음수인 것처럼 다루면 됩니다.
#
# 돌려주는 가중치는 `(batch, heads, n, n)`입니다. 계산하지 않은 자리는 0입니다.


# %% AdaptiveSpanAttention tags=["question"]
class AdaptiveSpanAttention(nn.Module):
    """Causal self-attention whose heads learn how far they look back.

    Sukhbaatar et al. 2019.

    Args:
        d_model: size of the vectors that come in and go out.
        num_heads: number of heads; each works with d_k = d_model / heads features.
        max_span: the longest span that a head can learn.
        ramp: places behind a span over which the mask falls to 0.

    Attributes:
        W_q, W_k, W_v, W_o: `nn.Linear`, d_model -> d_model; biases are optional.
        z: parameter (heads,), the spans, at first `max_span / 2`; clamped to
            [0, max_span] where used.

    Raises:
        ValueError: `d_model` is not a multiple of `num_heads`.
    """

    def __init__(self, d_model: int, num_heads: int, max_span: int, ramp: int):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % num_heads:
            raise ValueError(
                f"d_model {d_model} is not a multiple of num_heads {num_heads}"
            )
        self.num_heads, self.max_span, self.ramp = num_heads, max_span, ramp
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.z = nn.Parameter(torch.full((num_heads,), max_span / 2))
        ### END SOLUTION

    def forward(
        self, x: Float[Tensor, "batch n d_model"]
    ) -> tuple[Float[Tensor, "batch n d_model"], Float[Tensor, "batch heads n n"]]:
        """Let every position look back, in each head as far as its span.

        Returns:
            The output, and weights that are zero where nothing was computed. No score
            is computed for a distance of `max(z) + ramp` or more.
        """
        ### BEGIN SOLUTION
        # (batch, heads, n, d_k) each
        Q = self.W_q(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        K = self.W_k(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        V = self.W_v(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

        # A query looks at distances 0 to reach - 1; places is (n, reach).
        z = self.z.clamp(0, self.max_span)
        n = x.shape[1]
        reach = min(n, math.ceil(z.max().item() + self.ramp))
        back = torch.arange(reach, device=x.device)
        places = torch.arange(n, device=x.device)[:, None] - back
        before_the_start = places < 0
        places = places.masked_fill(before_the_start, 0)
        # What lies before the start is hidden, like the future.
        distance = back.expand(n, reach).masked_fill(before_the_start, -1)

        # (batch, heads, n, reach, d_k), then without d_k
        keys, values = K[:, :, places], V[:, :, places]
        scores = (keys @ Q.unsqueeze(-1)).squeeze(-1) / math.sqrt(Q.shape[-1])
        weights = span_attention(scores, distance, z[:, None, None], self.ramp)
        heads = (weights.unsqueeze(-2) @ values).squeeze(-2)  # (batch, heads, n, d_k)

        # Back to where the keys stand: (batch, heads, n, n).
        everywhere = weights.new_zeros(*weights.shape[:3], n)
        everywhere = everywhere.scatter_add(-1, places.expand_as(weights), weights)
        return self.W_o(heads.transpose(1, 2).flatten(2)), everywhere
        ### END SOLUTION


# %% [markdown]
# ## 주어진 것: 긴 범위에 매기는 값
#
# 손실만 줄이라고 하면 범위를 줄일 이유가 없습니다. 그래서 헤드들의 범위의 **평균**에 계수를 곱한 것을 손실에 더합니다. 이 항은 헤드마다 범위를
# `coefficient / heads`의 힘으로 아래로 밉니다.


# %%
def span_penalty(z: Float[Tensor, "heads"], coefficient: float) -> Float[Tensor, ""]:
    """The cost of long spans, to add to the loss: `coefficient` times their mean.

    Args:
        z: the spans of the heads; gradients flow to it.
        coefficient: the price of one place.
    """
    return coefficient * z.mean()


# %% [markdown]
# ## 문제 4. 범위를 미는 힘
#
# 무엇이 범위를 위로 밉니까? 키 $j$를 보면 얻는 것이 $g_j$라고 합시다(그 키에서 오는 정답의 확률이라고 생각하십시오). 질의가 얻는 것은 가중치로 섞은
# $y = \sum_j \alpha_j g_j$입니다. $z$를 늘릴 때 $y$가 늘어나는 빠르기, 곧 **질의마다 $\frac{\partial y}{\partial z}$**를 구하십시오. 양수이면 더 멀리 보는 쪽이 이득입니다.
#
# - $z$가 움직이면 마스크가 움직이는 키는 비탈에 있는 것뿐입니다.
# - 그 키의 마스크가 커지면 가중치를 나누던 합도 커집니다. 다른 키의 몫은 그만큼 줄어듭니다.
#
# 문제 2의 예(`weights = [0.125, 0.375, 0.125, 0.375]`)에서 비탈에 있는 것은 앞의 두 키입니다.
#
# ```text
# gain = [0, 1, 0, 0]   y = 0.375   slope =  0.0625
# gain = [1, 0, 0, 0]   y = 0.125   slope =  0.1875
# gain = [0, 0, 0, 1]   y = 0.375   slope = -0.1875
# ```
#
# 마지막 줄에서는 정답이 이미 보이는 자리에 있습니다. 멀리 보면 오히려 흐려집니다.
#
# 식으로 쓰십시오. 자동 미분(`backward`, `torch.autograd`, `torch.func`)은 쓰지 않습니다. 볼 것이 남지 않은 행에서는 0이고, 점수가 아주 커도 정확해야 합니다. 거리가
# 꼭 $z$이거나 $z + R$인 키는 시험하지 않습니다.


# %% span_slope tags=["question"]
def span_slope(
    scores: Float[Tensor, "*batch n_q n_k"],
    distance: Num[Tensor, "n_q n_k"],
    z: Float[Tensor, "*heads"],
    ramp: float | int,
    gain: Float[Tensor, "*batch n_q n_k"],
) -> Float[Tensor, "*batch n_q"]:
    """Derivative of what a query gains by its span, without automatic differentiation.

    Args:
        scores: (..., heads, n_q, n_k) where every head has its span.
        distance: places from a key to the query; negative = the future.
        z: the span in places, a scalar or (heads, 1, 1).
        ramp: places behind the span over which the mask falls from 1 to 0.
        gain: what each key is worth to each query, in the shape of `scores`.

    Returns:
        The derivative by z of the gains mixed by `span_attention`'s weights; 0 where
        nothing is left to see.
    """
    ### BEGIN SOLUTION
    mask = soft_span_mask(distance, z, ramp)
    weights = span_attention(scores, distance, z, ramp)
    mixed = (weights * gain).sum(dim=-1, keepdim=True)
    on_the_ramp = (mask > 0) & (mask < 1)
    # A weight without its own mask, the derivative of the weight by the mask, but for
    # what the sum takes off.
    share = (weights / mask).masked_fill(~on_the_ramp, 0.0)
    return (share * (gain - mixed)).sum(dim=-1) / ramp
    ### END SOLUTION


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 볼 것이 남지 않은 행, 아주 큰 점수, 길이가 1인 문장, 범위를 벗어난 `z`, 계산한 점수의 수처럼 이 글에 적힌 약속을
# 그대로 시험합니다.
