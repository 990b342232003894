# %% [markdown]
# # 연습: 지속 메모리
#
# **난이도** 2/3 · **시간** 70분 · **배점** 10점 · **먼저 읽을 장** [어텐션만으로 된 층](../../chapters/all_attention.md)
#
# 피드포워드를 어텐션으로 다시 쓰고, 피드포워드 대신 지속 메모리를 가진 멀티 헤드 어텐션을 만들고, 그것으로 층 하나를 만듭니다.
# 마지막으로 메모리를 다시 피드포워드로 씁니다.
#
# 이 노트북에서 쓰는 약속은 세 가지입니다.
#
# - 벡터의 나열은 `(..., n, d)`입니다. 앞의 `...`에는 축이 없을 수도, 여럿일 수도 있습니다.
# - 지속 메모리는 헤드마다 `N`개이고, 키의 차례에서 **맨 뒤**에 놓입니다. `N`은 0일 수도 있습니다.
# - **마스크에서 `True`는 "볼 수 있다"는 뜻입니다.**
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

# %% [markdown]
# ## 문제 1. 어텐션으로 쓴 피드포워드
#
# 피드포워드를 질의와 키와 값으로 다시 씁니다. 토큰 `x`가 질의, `W1`의 **행**이 키, `W2`의 **열**이 값이고, 소프트맥스 자리에 ReLU가 있습니다.
#
# $$
# w_i = \operatorname{ReLU}(k_i \cdot x + b_i), \qquad o = \sum_i w_i\, v_i + c
# $$
#
# 출력과 함께 가중치 `(..., d_ff)`를 돌려주십시오.
#
# ```text
# x  = [1, 2]
# W1 = [[1, 0], [0, 1], [-1, -1]],  b1 = [0, -1, 1]
# W2 = [[1, 0, 1],
#       [0, 2, 1]],                 b2 = [0.5, -0.5]
# weights = [1, 1, 0],  output = [1.5, 1.5]
# ```


# %% feed_forward_as_attention tags=["question"]
def feed_forward_as_attention(
    x: Float[Tensor, "*batch d"],
    W1: Float[Tensor, "d_ff d"],
    b1: Float[Tensor, "d_ff"],
    W2: Float[Tensor, "d d_ff"],
    b2: Float[Tensor, "d"],
) -> tuple[Float[Tensor, "*batch d"], Float[Tensor, "*batch d_ff"]]:
    """The position-wise feed-forward network, written as attention.

    Its keys and values do not depend on the input.

    Args:
        x: tokens, the queries.
        W1: its rows are the keys.
        b1: added to the scores.
        W2: its columns are the values.
        b2: added to the output.

    Returns:
        output: what the network computes.
        weights: not negative; they need not sum to one.
    """
    ### BEGIN SOLUTION
    weights = (x @ W1.T + b1).relu()
    return weights @ W2.T + b2, weights
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 지속 메모리가 있는 어텐션
#
# 멀티 헤드 셀프 어텐션의 키와 값 뒤에, 입력과 관계없는 벡터를 헤드마다 `N`개씩 붙입니다.
#
# 1. `W_q`, `W_k`, `W_v`로 질의, 키, 값을 만들고 `num_heads`개의 헤드로 나눕니다(앞에서부터 `d_k = d / heads`개씩).
# 2. 헤드마다 키 뒤에 `persistent_keys`를, 값 뒤에 `persistent_values`를 붙입니다. 둘은 모양이 `(heads, N, d_k)`인 **파라미터**이고, 처음에는 무작위입니다.
#    선형 변환을 지나지 않고, 질의로는 쓰이지 않습니다.
# 3. 점수를 $\sqrt{d_k}$로 나누고 `n + N`개 **전체에 소프트맥스를 한 번** 취합니다.
# 4. 헤드를 잇고 `W_o`를 곱합니다.
#
# 마스크는 문맥의 키 `n`개에만 있습니다. **지속 메모리는 언제나 볼 수 있습니다.** 문맥이 모두 가려진 질의는 메모리만 봅니다. `N = 0`이고 볼 것이 하나도 없으면 가중치와
# 출력이 NaN이 아니라 0입니다.
#
# 마스크의 모양은 `(n, n)`, `(batch, n, n)`, `(batch, 1, n, n)`, `(batch, heads, n, n)` 가운데 하나입니다. `(batch, n, n)`은 문장마다 하나이고 헤드가 같이 씁니다.


# %% PersistentAttention tags=["question"]
class PersistentAttention(nn.Module):
    """Multi-head self-attention with keys and values that the input does not change.

    Args:
        d_model: size of the vectors that come in and go out.
        num_heads: number of heads; each works with d_k = d_model / heads features.
        num_persistent: number N of persistent vectors in each head; may be 0.

    Attributes:
        W_q, W_k, W_v, W_o: `nn.Linear`, d_model -> d_model; biases are optional.
        persistent_keys, persistent_values: parameters (heads, N, d_k), random at first.

    Raises:
        ValueError: `d_model` is not a multiple of `num_heads`.

    Source:
        Sukhbaatar et al., Augmenting Self-attention with Persistent Memory (2019).
    """

    def __init__(self, d_model: int, num_heads: int, num_persistent: int):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % num_heads:
            raise ValueError(
                f"d_model {d_model} is not a multiple of num_heads {num_heads}"
            )
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        shape = (num_heads, num_persistent, d_model // num_heads)
        self.persistent_keys = nn.Parameter(torch.randn(shape))
        self.persistent_values = nn.Parameter(torch.randn(shape))
        ### END SOLUTION

    def forward(
        self,
        x: Float[Tensor, "*batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[
        Float[Tensor, "*batch n d_model"], Float[Tensor, "*batch heads n n_and_N"]
    ]:
        """Let every position collect from the context and from the memory.

        Args:
            mask: True = may attend; (n, n), (..., n, n) for all heads alike, or
                anything that broadcasts to (..., heads, n, n). It says nothing of the
                memory, which is always visible.

        Returns:
            The output, and the weights of the n + N keys, the memory last.
        """
        ### BEGIN SOLUTION
        # (..., heads, n, d_k) each
        Q = self.W_q(x).unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)
        K = self.W_k(x).unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)
        V = self.W_v(x).unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)
        # The memory follows the context: (..., heads, n + N, d_k).
        every_sentence = (*K.shape[:-2], -1, -1)
        K = torch.cat([K, self.persistent_keys.expand(every_sentence)], dim=-2)
        V = torch.cat([V, self.persistent_values.expand(every_sentence)], dim=-2)
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])

        visible = torch.ones_like(scores, dtype=torch.bool)
        if mask is not None:
            n = x.shape[-2]
            per_head = mask.unsqueeze(-3) if mask.dim() == x.dim() else mask
            visible[..., :n] = per_head
        nothing_to_see = ~visible.any(dim=-1, keepdim=True)
        hidden = ~(visible | nothing_to_see)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        weights = weights.masked_fill(nothing_to_see, 0.0)

        output = self.W_o((weights @ V).transpose(-3, -2).flatten(-2))
        # In every head: (..., n, 1).
        blind = nothing_to_see.all(dim=-3)
        return output.masked_fill(blind, 0.0), weights
        ### END SOLUTION


# %% [markdown]
# ## 문제 3. 어텐션만으로 된 층
#
# 부분층이 하나뿐인 층입니다. 지속 메모리가 있는 어텐션의 출력에 드롭아웃을 걸고, 입력에 더하고, 정규화합니다. 피드포워드도, 둘째 정규화도 없습니다.
#
# $$
# \operatorname{norm}\bigl(x + \operatorname{dropout}(\operatorname{attention}(x))\bigr)
# $$
#
# 앞의 `PersistentAttention`을 쓰십시오. 돌려주는 것은 텐서 하나입니다.


# %% AllAttentionLayer tags=["question"]
class AllAttentionLayer(nn.Module):
    """A layer of one sublayer: attention with persistent memory, added and normalised.

    Args:
        d_model: size of the vectors that come in and go out.
        num_heads: number of heads.
        num_persistent: number of persistent vectors in each head.
        dropout: share of the attention's output that is dropped while training.

    Attributes:
        attention: a `PersistentAttention`.
        norm: a `nn.LayerNorm`.
    """

    def __init__(
        self, d_model: int, num_heads: int, num_persistent: int, dropout: float = 0.1
    ):
        super().__init__()
        ### BEGIN SOLUTION
        self.attention = PersistentAttention(d_model, num_heads, num_persistent)
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(
        self,
        x: Float[Tensor, "*batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "*batch n d_model"]:
        """One layer; `mask` as `PersistentAttention` takes it."""
        ### BEGIN SOLUTION
        gathered, _ = self.attention(x, mask)
        return self.norm(x + self.dropout(gathered))
        ### END SOLUTION


# %% [markdown]
# ## 문제 4. 메모리를 피드포워드로
#
# 문제 1은 피드포워드를 어텐션으로 썼습니다. 거꾸로도 됩니다. 메모리의 키와 값은 입력에서 나오지 않으므로, 질의를 만드는 `W_q`와 헤드를 잇는
# `W_o`를 **미리 곱해 둘 수** 있습니다. 문맥이 모두 가려져 메모리만 보는 토큰에서 어텐션의 출력은, `W_o`의 편향을 빼면
#
# $$
# o = W_2\, \operatorname{softmax}(W_1 x + b_1)
# $$
#
# 입니다. 피드포워드에서 ReLU가 있던 자리에, 헤드마다 은닉층 `N`개에 **따로** 취하는 소프트맥스가 있을 뿐입니다. 그런 $W_1$, $b_1$, $W_2$를 구하십시오.
#
# - `W_q`와 `W_o`는 `nn.Linear`의 `weight`이고, `b_q`는 `W_q`의 편향입니다. 헤드는 앞에서부터 `d_k = d / heads`개씩입니다.
# - 점수를 나누던 $\sqrt{d_k}$까지 $W_1$과 $b_1$에 들어갑니다.
# - 은닉층은 헤드 0의 `N`개, 헤드 1의 `N`개, … 차례로 놓습니다. 기울기는 다섯 입력에 모두 흘러야 합니다.
#
# ```text
# 헤드 둘, N = 1, d_k = 1
# W_q = [[1, 2],   b_q = [1, -1],   W_o = [[1, 0],   키 2와 1, 값 3과 4
#        [3, 4]],                          [5, 2]]
#
# W_1 = [[2, 4],   b_1 = [2, -1],   W_2 = [[ 3, 0],
#        [3, 4]],                          [15, 8]]
# ```


# %% memory_as_feed_forward tags=["question"]
def memory_as_feed_forward(
    W_q: Float[Tensor, "d d"],
    b_q: Float[Tensor, "d"],
    W_o: Float[Tensor, "d d"],
    persistent_keys: Float[Tensor, "heads N d_k"],
    persistent_values: Float[Tensor, "heads N d_k"],
) -> tuple[
    Float[Tensor, "heads_times_N d"],
    Float[Tensor, "heads_times_N"],
    Float[Tensor, "d heads_times_N"],
]:
    """The two matrices of the feed-forward network that a persistent memory is.

    Args:
        W_q: weight of the map that makes the queries of all heads.
        b_q: its bias.
        W_o: weight of the map behind the joined heads.
        persistent_keys: of each head.
        persistent_values: of each head.

    Returns:
        W1, b1 and W2, for which W2 softmax(W1 x + b1), with a softmax over the N hidden
        units of each head, is what a token x reads from the memory alone, without the
        bias of W_o.
    """
    ### BEGIN SOLUTION
    heads, _, d_k = persistent_keys.shape
    keys = persistent_keys / math.sqrt(d_k)
    # The rows of W_q and the columns of W_o that belong to a head: heads first.
    queries = W_q.unflatten(0, (heads, d_k))
    W1 = (keys @ queries).flatten(0, 1)
    b1 = (keys @ b_q.view(heads, d_k, 1)).flatten()
    outputs = W_o.unflatten(1, (heads, d_k)).transpose(0, 1)
    W2 = (outputs @ persistent_values.mT).transpose(0, 1).flatten(1)
    return W1, b1, W2
    ### END SOLUTION


# %% [markdown]
# ## 주어진 것: 메모리의 몫
#
# 여러분의 층이 메모리를 얼마나 쓰는지는 아래 함수로 잽니다. 헤드마다, 질의의 가중치 가운데 메모리 `N`개에 간 것을 더하고 모든 질의와 문장에 걸쳐
# 평균합니다. `weights[..., -N:]`이 아니라 앞에서부터 센 자리에서 자르는 것에 주목하십시오. `N`이 0이면 `-0:`은 전체입니다.


# %%
def persistent_share(
    weights: Float[Tensor, "*batch heads n_q n_and_N"], num_persistent: int
) -> Float[Tensor, "heads"]:
    """The share of each head's attention that goes to the persistent memory.

    Args:
        weights: of n + N keys, the memory last.
        num_persistent: N, may be 0.

    Returns:
        From 0 to 1: the memory's weights added for each query, then the mean over all
        queries.
    """
    n = weights.shape[-1] - num_persistent
    share = weights[..., n:].sum(dim=-1)  # (..., heads, n_q)
    return share.mean(dim=-1).reshape(-1, weights.shape[-3]).mean(dim=0)


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 메모리가 없는 경우와 하나뿐인 경우, 배치 축이 없거나 여럿인 입력, 네 가지 모양의 마스크, 볼 것이 없는 질의처럼 이 글에 적힌 약속을 그대로 시험합니다.
