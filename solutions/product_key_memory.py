# %% [markdown]
# # 연습: 곱 키 메모리
#
# **난이도** 3/3 · **시간** 70분 · **배점** 10점 · **먼저 읽을 장** [곱 키 메모리](../../chapters/product_key_memory.md)
#
# 키가 백만 개여도 몇천 번만 비교해 가장 가까운 키를 찾습니다. 그다음 그 키들의 값을 섞는 메모리를 만들고, 메모리가 얼마나 고르게
# 쓰이는지 잽니다.
#
# 반쪽 키가 `n`개씩 두 벌이면 키는 `n * n`개이고, 슬롯 `i * n + j`의 키는 `half_keys_1[i]`와 `half_keys_2[j]`를 이어 붙인 것입니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

# %% [markdown]
# 아래는 주어진 함수입니다. 키를 **모두** 만들어 비교하므로 느리지만 답은 맞습니다. 문제 1의 답을 이것과 비교해 볼 수 있습니다.


# %%
def exhaustive_topk(
    query: Float[Tensor, "*batch d"],
    half_keys_1: Float[Tensor, "n half"],
    half_keys_2: Float[Tensor, "n half"],
    k: int,
) -> tuple[Float[Tensor, "*batch {k}"], Int[Tensor, "*batch {k}"]]:
    """Score each of the n * n keys; the best k first, equal scores by lower slot."""
    n = len(half_keys_1)
    keys = torch.cat(
        [half_keys_1.repeat_interleave(n, dim=0), half_keys_2.repeat(n, 1)], dim=-1
    )
    scores, slots = (query @ keys.T).sort(dim=-1, descending=True, stable=True)
    return scores[..., :k], slots[..., :k]


# %% [markdown]
# ## 문제 1. 곱 키의 k개
#
# 질의의 앞 절반은 `half_keys_1`과, 뒤 절반은 `half_keys_2`와 내적합니다. 절반마다 가장 큰 `k`개를 고르고, 고른 것끼리 더해 다시 가장
# 큰 `k`개를 고르십시오. 점수는 내적 그대로이고 나누지 않습니다.
#
# - **점수가 큰 것부터**, 점수가 같으면 **슬롯 번호가 작은 것부터** 돌려줍니다. `torch.topk`는 점수가 같을 때의 차례를 지키지 않습니다.
#   `sort(descending=True, stable=True)`는 지킵니다.
# - `k`는 `n`보다 클 수 있습니다. `n * n`보다 크면 `ValueError`를 냅니다.
# - 키를 모두 만들지 마십시오. `n = 1024`이면 키는 1,048,576개입니다.
#
# ```text
# product_topk(tensor([1., 1.]), tensor([[5.], [3.], [1.]]), tensor([[4.], [3.], [0.]]), 2)
#   →  (tensor([9., 8.]), tensor([0, 1]))
# ```


# %% product_topk tags=["question"]
def product_topk(
    query: Float[Tensor, "*batch d"],
    half_keys_1: Float[Tensor, "n half"],
    half_keys_2: Float[Tensor, "n half"],
    k: int,
) -> tuple[Float[Tensor, "*batch {k}"], Int[Tensor, "*batch {k}"]]:
    """Find the k best of n * n product keys by 2n comparisons (Lample et al. 2019).

    Args:
        half_keys_1: for the first half of the query, of size d / 2.
        half_keys_2: for the second half.
        k: number of slots to find; may exceed n.

    Returns:
        Scores, best first, and slots; slot i * n + j has the key [half_keys_1[i];
        half_keys_2[j]]. Equal scores come in the order of their slots.

    Raises:
        ValueError: `k` exceeds n * n.
    """
    ### BEGIN SOLUTION
    n = len(half_keys_1)
    if k > n * n:
        raise ValueError(f"there are {n * n} slots, not {k}")

    def best_of_half(half, half_keys):
        scores = half @ half_keys.T
        best = scores.argsort(dim=-1, descending=True, stable=True)[..., :k]
        # By index, so that the candidates below lie in the order of their slots.
        best = best.sort(dim=-1).values
        return scores.gather(-1, best), best

    query_1, query_2 = query.chunk(2, dim=-1)
    scores_1, best_1 = best_of_half(query_1, half_keys_1)
    scores_2, best_2 = best_of_half(query_2, half_keys_2)
    sums = (scores_1[..., :, None] + scores_2[..., None, :]).flatten(-2)
    slots = (best_1[..., :, None] * n + best_2[..., None, :]).flatten(-2)
    scores, order = sums.sort(dim=-1, descending=True, stable=True)
    return scores[..., :k], slots.gather(-1, order[..., :k])
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 곱 키 메모리
#
# 입력마다 헤드 `h`개가 저마다 질의를 만들어 슬롯 `k`개를 찾습니다. 찾은 `k`개의 점수에 소프트맥스를 취해 그 슬롯의 값을 섞고, **헤드의
# 결과를 더합니다**. 값의 표는 모든 헤드가 함께 씁니다. 이름은 다음과 같이 합니다.
#
# | 이름 | 모양 |
# | --- | --- |
# | `query` | `nn.Linear(d_model, num_heads * d_model)`. 헤드 0의 질의가 앞의 `d_model`개입니다. 편향은 있어도 없어도 됩니다. |
# | `half_keys` | `nn.Parameter`, `(num_heads, 2, num_half_keys, d_model / 2)`. 무작위로 시작합니다. |
# | `values` | `nn.Embedding(num_half_keys ** 2, d_value)` |
#
# 질의는 정규화하지 않고 점수는 나누지 않습니다. 결과는 **출력 하나**입니다(가중치는 돌려주지 않습니다). `d_model`이 홀수이거나 `k`가 슬롯의 수보다
# 크면 모듈을 만들 때 `ValueError`를 냅니다.
#
# 문제 1의 `product_topk`를 쓰십시오. 문제 1이 아직 틀렸다면 `exhaustive_topk`를 써도 이 문제의 점수는 모두 받습니다.


# %% ProductKeyMemory tags=["question"]
class ProductKeyMemory(nn.Module):
    """A memory of n * n values, read by the k nearest product keys.

    Lample et al. 2019, without normalised queries.

    Args:
        d_model: dimension of the input and of each head's query; even.
        num_half_keys: n.
        d_value: dimension of a value and of the output.
        k: slots read by each head.
        num_heads: heads with queries and sub-keys of their own; all share the values.

    Raises:
        ValueError: `d_model` is odd, or `k` exceeds the number of slots.
    """

    def __init__(
        self, d_model: int, num_half_keys: int, d_value: int, k: int, num_heads: int
    ):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % 2 or k > num_half_keys**2:
            raise ValueError("d_model must be even and k at most num_half_keys ** 2")
        self.k = k
        self.query = nn.Linear(d_model, num_heads * d_model)
        self.half_keys = nn.Parameter(
            torch.randn(num_heads, 2, num_half_keys, d_model // 2) / d_model**0.5
        )
        self.values = nn.Embedding(num_half_keys**2, d_value)
        ### END SOLUTION

    def forward(
        self, x: Float[Tensor, "*batch d_model"]
    ) -> Float[Tensor, "*batch d_value"]:
        """Read the memory at each position of `x`."""
        ### BEGIN SOLUTION
        queries = self.query(x).chunk(len(self.half_keys), dim=-1)
        output = 0.0
        for query, half_keys in zip(queries, self.half_keys, strict=True):
            half_keys_1, half_keys_2 = half_keys
            scores, slots = product_topk(query, half_keys_1, half_keys_2, self.k)
            weights = scores.softmax(dim=-1)
            output = output + (weights[..., None] * self.values(slots)).sum(dim=-2)
        return output
        ### END SOLUTION


# %% [markdown]
# ## 주어진 것: 비교하는 횟수
#
# 슬롯이 `num_keys`개일 때 `product_topk`가 비교하는 횟수입니다. 내적 한 번과 덧셈 한 번을 똑같이 한 번으로 셉니다. 뒤의 항은 고른 것끼리의 짝을
# 모두 더해 본 것입니다. 문제 3에서 이 항을 줄입니다.


# %%
def comparisons(num_keys: int, k: int) -> int:
    """Comparisons of product keys: the sub-keys, then the pairs of the best.

    Raises:
        ValueError: `num_keys` is no square.
    """
    n = math.isqrt(num_keys)
    if n * n != num_keys:
        raise ValueError(f"{num_keys} is not a square")
    return 2 * n + min(k, n) ** 2


# %% [markdown]
# ## 문제 3. 뽑힐 수 있는 짝
#
# 절반마다 점수가 큰 것부터 등수를 0, 1, 2, …로 매깁니다. `product_topk`는 `k`등 안의 것끼리 짝 `k * k`개를 모두 더해 봅니다. 그런데 그 가운데 많은
# 짝은 **점수가 무엇이든** 가장 큰 `k`개에 들지 못합니다. 앞 절반에서 $i$등, 뒤 절반에서 $j$등인 짝보다 언제나 큰 짝이 몇 개인지 세어 보십시오.
#
# 반쪽 키가 `n`개씩일 때, 어떤 점수에서는 가장 큰 `k`개에 드는 등수의 짝 $(i, j)$를 **모두, 그것만** 돌려주십시오. 합이 같은 짝은 없다고 합니다.
#
# - 모양이 `(pairs, 2)`인 정수 텐서입니다. $i$가 작은 것부터, $i$가 같으면 $j$가 작은 것부터 놓습니다.
# - `k`는 `n`보다 클 수 있습니다. 등수는 언제나 `n`보다 작습니다.
#
# ```text
# candidate_pairs(5, 3)  →  [[0, 0], [0, 1], [0, 2], [1, 0], [2, 0]]
# ```
#
# $(1, 1)$은 없습니다. $(0, 0)$, $(0, 1)$, $(1, 0)$이 언제나 앞섭니다. $(0, 2)$는 점수에 따라 뽑힙니다. `k`가 32이면 짝 1,024개 가운데 119개만 남습니다.


# %% candidate_pairs tags=["question"]
def candidate_pairs(n: int, k: int) -> Int[Tensor, "pairs 2"]:
    """List the pairs of ranks that are among the k best sums for some scores.

    Args:
        n: number of sub-keys in each half.
        k: number of slots to find; may exceed n.

    Returns:
        Ranks from 0 of the first half and of the second, ordered by the first, then by
        the second.
    """
    ### BEGIN SOLUTION
    ranks = torch.arange(1, n + 1)
    # No pair in the rectangle up to (i, j) has a smaller sum than (i, j) itself.
    return (ranks[:, None] * ranks <= k).nonzero()
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 메모리를 얼마나 고르게 씁니까
#
# 읽은 슬롯의 번호와 가중치가 여럿 주어집니다. 슬롯마다 받은 가중치를 모두 더하고, 전체 합이 1이 되게 나눈 것이 $p$입니다. 둘을 돌려주십시오.
#
# - **쓰인 비율**: 가중치의 합이 0보다 큰 슬롯의 비율
# - **KL**: $p$에서 균등 분포까지의 쿨백·라이블러 발산. $\sum_s p_s \ln (N p_s)$이고, $p_s = 0$인 항은 0입니다. 로그의 밑은 $e$입니다. 모두 고르게
#   쓰이면 0, 슬롯 하나만 쓰이면 $\ln N$입니다.
#
# 둘 다 파이썬의 `float`입니다. 같은 슬롯이 몇 번이고 나올 수 있습니다.
#
# ```text
# memory_usage(tensor([[0, 1]]), tensor([[0.5, 0.5]]), 4)  →  (0.5, 0.6931)
# ```


# %% memory_usage tags=["question"]
def memory_usage(
    indices: Int[Tensor, "*reads"], weights: Float[Tensor, "*reads"], num_keys: int
) -> tuple[float, float]:
    """Measure how evenly a memory's slots are used.

    Args:
        indices: slots that were read, any shape.
        weights: the weight of each read, at least 0, of the same shape.
        num_keys: number of slots.

    Returns:
        The share of slots with a weight above 0, and the divergence of the slots'
        shares from uniform, in nats.
    """
    ### BEGIN SOLUTION
    totals = torch.zeros(num_keys, dtype=torch.float64, device=weights.device)
    totals.index_add_(0, indices.flatten(), weights.flatten().double())
    used = totals > 0
    p = totals[used] / totals.sum()
    return used.double().mean().item(), (p * (num_keys * p).log()).sum().item()
    ### END SOLUTION


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 점수가 같은 키, `n`보다 큰 `k`, 여러 축의 배치, 만든 텐서의 크기, 빠진 짝과 남는 짝처럼 이 글에 적힌 약속을 그대로 시험합니다.
