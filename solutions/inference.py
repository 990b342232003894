# %% [markdown]
# # 연습: 빠르게 내놓기
#
# **난이도** 3/3 · **시간** 90분 · **배점** 10점 · **먼저 읽을 장** [빠르게 내놓기](../../chapters/inference.md)
#
# 학습을 마친 모델을 덜 옮기고 덜 저장하며 돌리는 부품 다섯을 만듭니다. 서로 쓰지 않으므로 어느 것부터 풀어도 됩니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

# %% [markdown]
# ## 문제 1. 묶음마다 양자화
#
# 마지막 축을 이웃한 `group`개씩 묶고, 묶음마다 배율을 하나 둡니다. 배율은 묶음에서 **절댓값이 가장 큰 것**이 가장 큰 정수
# $2^{b-1} - 1$이 되게 정합니다. 수를 배율로 나누어 가장 가까운 정수로 반올림한 것이 코드입니다. 코드에 배율을 곱하면 원래의 수에 가까워집니다.
#
# $$s = \frac{\max_j |w_j|}{2^{b-1} - 1}, \qquad q_j = \operatorname{round}\!\left(\frac{w_j}{s}\right)$$
#
# - 코드는 `torch.int8`, 모양은 `weight`와 같습니다. 배율은 `(..., n // group)`이고 `weight`와 같은 자료형입니다.
# - 모두 0인 묶음의 코드는 0이고 배율은 유한합니다. NaN이 나오면 안 됩니다. $10^{-38}$쯤인 수뿐인 묶음도 같은 식입니다.
# - `group`이 마지막 축을 나누지 않거나 `bits`가 2보다 작거나 8보다 크면 `ValueError`를 냅니다.
#
# ```text
# quantize_groups(tensor([[1.0, -7.0, 0.2, 0.7]]), 4, 2)
#   →  (tensor([[1, -7, 2, 7]], dtype=torch.int8), tensor([[1.0, 0.1]]))
# ```


# %% quantize_groups tags=["question"]
def quantize_groups(
    weight: Float[Tensor, "*batch n"], bits: int, group: int
) -> tuple[Int[Tensor, "*batch n"], Float[Tensor, "*batch groups"]]:
    """Round each group of neighbours to integers of few bits (absmax).

    Dettmers et al. 2022, section 2.1, with groups along the last axis.

    Args:
        weight: what to quantise.
        bits: of one code, the sign included; 2 to 8.
        group: neighbours that share a scale.

    Returns:
        Codes, int8, and the scale of each group: weight is about codes * scale.

    Raises:
        ValueError: `group` does not divide n, or there is no such number of bits.
    """
    ### BEGIN SOLUTION
    n = weight.shape[-1]
    if group < 1 or n % group:
        raise ValueError(f"groups of {group} do not divide {n}")
    if not 2 <= bits <= 8:
        raise ValueError(f"{bits} bits")
    parts = weight.unflatten(-1, (-1, group))
    scale = parts.abs().amax(dim=-1) / (2 ** (bits - 1) - 1)
    # A group of zeros is divided by 1.
    divisor = torch.where(scale == 0, torch.ones_like(scale), scale)
    codes = (parts / divisor[..., None]).round().to(torch.int8)
    return codes.flatten(-2), scale
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 창과 싱크의 마스크
#
# 캐시에 키가 `n_k`개 있고, 질의는 그 가운데 **마지막** `n_q`개 자리의 것입니다. `n_q = n_k`이면 프롬프트를 한꺼번에 읽을 때, `n_q = 1`이면 한 토큰을 쓸
# 때입니다. 질의는 앞과 자기만 보되, 다음 가운데 하나인 키만 봅니다.
#
# - **창**: 자기까지 넣어 가장 가까운 `window`개
# - **싱크**: 글의 맨 앞 `sinks`개
#
# `True`가 볼 수 있다는 뜻입니다. `window`가 1보다 작거나, `sinks`가 0보다 작거나, `n_q`가 `n_k`보다 크면 `ValueError`를 냅니다.
#
# ```text
# window_mask(2, 6, window=2, sinks=1)   →   1 0 0 1 1 0     자리 4의 질의
#                                            1 0 0 0 1 1     자리 5의 질의
# ```


# %% window_mask tags=["question"]
def window_mask(
    n_q: int, n_k: int, window: int, sinks: int = 0
) -> Bool[Tensor, "{n_q} {n_k}"]:
    """Tell what the last n_q of n_k positions see: a window and the first tokens.

    Xiao et al. 2024, section 3.2.

    Args:
        window: the nearest keys, itself among them.
        sinks: how many of the first keys everybody behind them sees.

    Returns:
        True = may attend.

    Raises:
        ValueError: `window` is below 1, `sinks` below 0, or `n_q` above `n_k`.
    """
    ### BEGIN SOLUTION
    if window < 1 or sinks < 0 or n_q > n_k:
        raise ValueError(f"window {window}, sinks {sinks}, {n_q} of {n_k} positions")
    key = torch.arange(n_k)
    back = key[n_k - n_q :, None] - key  # how far back, (n_q, n_k)
    return (back >= 0) & ((back < window) | (key < sinks))
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 펼치지 않는 잠재 어텐션
#
# 캐시에는 토큰마다 압축 벡터 $c$ (`latents`)와 위치를 맡은 키 $k^R$ (`rope_key`)만 있습니다. 헤드 $i$의 키는 $[\,c\,W_i^K;\ k^R\,]$, 값은 $c\,W_i^V$입니다.
# 질의도 $[\,q;\ q^R\,]$ 두 부분입니다. 점수는 두 내적의 합을 $\sqrt{d_h + d_R}$로 나눈 것입니다.
#
# $$s = \frac{q\,(c\,W_i^K)^\top + q^R\,{k^R}^\top}{\sqrt{d_h + d_R}}$$
#
# 키와 값을 **펼치지 마십시오**. 질의를 $q\,{W_i^K}^\top$로 내려 압축 벡터와 바로 내적하고, 압축 벡터의 가중합을 구한 다음 한 번만 $W_i^V$로 올립니다.
# 회전은 이미 되어 있으니 돌리지 않습니다.
#
# - `mask`는 `(n_q, n)`이고 `True`가 볼 수 있다는 뜻입니다. 볼 것이 없는 행은 주지 않습니다. 없으면 모두 봅니다.
# - 출력 `(..., h, n_q, d_v)`와 가중치 `(..., h, n_q, n)`을 돌려줍니다.


# %% absorbed_attention tags=["question"]
def absorbed_attention(
    query: Float[Tensor, "*batch heads n_q d_h"],
    rope_query: Float[Tensor, "*batch heads n_q d_r"],
    latents: Float[Tensor, "*batch n rank"],
    rope_key: Float[Tensor, "*batch n d_r"],
    up_key: Float[Tensor, "heads rank d_h"],
    up_value: Float[Tensor, "heads rank d_v"],
    mask: Bool[Tensor, "n_q n"] | None = None,
) -> tuple[Float[Tensor, "*batch heads n_q d_v"], Float[Tensor, "*batch heads n_q n"]]:
    """Attend to latents without unrolling keys and values (DeepSeek-V2, section 2.1).

    Args:
        query: what meets a head's own keys.
        rope_query: what meets the shared key, rotated already.
        latents: what the cache holds of each token.
        rope_key: one rotated key a token, shared by all heads.
        up_key, up_value: unroll a latent to a head's key and value.
        mask: True = may attend; None hides nothing.

    Returns:
        The output and the weights of each head.
    """
    ### BEGIN SOLUTION
    shared = latents.unsqueeze(-3)  # (..., 1, n, rank), the same for every head
    lowered = query @ up_key.transpose(-2, -1)  # (..., heads, n_q, rank)
    scores = lowered @ shared.transpose(-2, -1)
    scores = scores + rope_query @ rope_key.unsqueeze(-3).transpose(-2, -1)
    scores = scores / math.sqrt(query.shape[-1] + rope_query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return (weights @ shared) @ up_value, weights
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 페이지에 나누어 담는 캐시
#
# 벡터 `block_size`개를 담는 블록이 `num_blocks`개 있고, 글 여럿이 나누어 씁니다. 글은 블록을 **필요해질 때 하나씩** 받습니다. 받은 블록이 이웃할 필요는
# 없습니다. 글마다 받은 블록의 번호를 차례로 적은 표가 있으면 다시 이을 수 있습니다.
#
# - `append(name, vectors)`는 글 `name`의 뒤에 벡터 `(t, d)`를 붙입니다. 처음 보는 이름이면 새 글입니다. 마지막 블록에 남은 자리부터 채웁니다. 캐시에 처음 넣는
#   벡터가 `d`와 자료형을 정합니다. `t`는 0일 수 있습니다.
# - `gather(name)`은 지금까지 붙인 것을 차례대로 `(n, d)`로 돌려줍니다.
# - `free(name)`은 글을 지우고 블록을 모두 돌려놓습니다. 돌려놓은 블록은 다른 글이 다시 받습니다.
# - `blocks(name)`은 그 글이 받은 블록의 번호를 차례대로, `free_blocks()`는 남은 블록의 **수**를 돌려줍니다. 어느 블록부터 줄지는 상관없습니다.
# - 블록이 모자라면 `append`는 `ValueError`를 내고 **아무것도 바꾸지 않습니다**. 모르는 이름을 `gather`, `free`, `blocks`에 주어도 `ValueError`입니다.


# %% PagedCache tags=["question"]
class PagedCache:
    """Vectors of several texts in blocks taken when needed (Kwon et al. 2023, 4).

    Args:
        num_blocks: blocks that all texts share.
        block_size: vectors that a block holds.
    """

    def __init__(self, num_blocks: int, block_size: int):
        ### BEGIN SOLUTION
        self.block_size = block_size
        self.pool = list(range(num_blocks))  # the free ones
        self.storage = None  # (num_blocks, block_size, d), made with the first vector
        self.tables = {}  # name -> blocks in order
        self.lengths = {}  # name -> number of vectors
        self.num_blocks = num_blocks
        ### END SOLUTION

    def append(self, name: str, vectors: Float[Tensor, "t d"]) -> None:
        """Add vectors behind those of a text.

        Raises:
            ValueError: there are not enough blocks; nothing is changed then.
        """
        ### BEGIN SOLUTION
        length = self.lengths.get(name, 0)
        table = self.tables.get(name, [])
        total = length + len(vectors)
        missing = -(-total // self.block_size) - len(table)
        if missing > len(self.pool):
            raise ValueError(f"{missing} blocks wanted, {len(self.pool)} free")
        if self.storage is None:
            shape = (self.num_blocks, self.block_size, vectors.shape[-1])
            self.storage = vectors.new_zeros(shape)
        table = table + [self.pool.pop() for _ in range(missing)]
        for place, vector in enumerate(vectors, start=length):
            block, offset = table[place // self.block_size], place % self.block_size
            self.storage[block, offset] = vector
        self.tables[name], self.lengths[name] = table, total
        ### END SOLUTION

    def gather(self, name: str) -> Float[Tensor, "n d"]:
        """All vectors of a text, in order.

        Raises:
            ValueError: there is no such text.
        """
        ### BEGIN SOLUTION
        return self.storage[self.blocks(name)].flatten(0, 1)[: self.lengths[name]]
        ### END SOLUTION

    def free(self, name: str) -> None:
        """Forget a text and give its blocks back.

        Raises:
            ValueError: there is no such text.
        """
        ### BEGIN SOLUTION
        self.pool += self.blocks(name)
        del self.tables[name], self.lengths[name]
        ### END SOLUTION

    def blocks(self, name: str) -> list[int]:
        """Numbers of a text's blocks, in order.

        Raises:
            ValueError: there is no such text.
        """
        ### BEGIN SOLUTION
        if name not in self.tables:
            raise ValueError(f"no text {name!r}")
        return list(self.tables[name])
        ### END SOLUTION

    def free_blocks(self) -> int:
        """How many blocks nobody has."""
        ### BEGIN SOLUTION
        return len(self.pool)
        ### END SOLUTION


# %% [markdown]
# ## 문제 5. 추측을 받아들이거나 다시 뽑기
#
# 작은 모델이 분포 $r_1, \dots, r_k$에서 토큰 `drafts`를 하나씩 뽑았고, 큰 모델이 자리마다 분포 $p_1, \dots, p_{k+1}$을 냈습니다. 앞에서부터 확인합니다.
#
# 1. 자리 $t$의 토큰 $x$는 `uniforms[t]`가 $\frac{p_t(x)}{r_t(x)}$보다 **작을 때** 받아들입니다. `uniforms`는 $[0, 1)$에서 고르게 뽑은 수입니다.
# 2. 처음으로 받아들이지 않은 자리에서 멈춥니다. 그 자리의 토큰은 $\max(0,\ p_t - r_t)$을 합이 1이 되게 나눈 분포에서 다시 뽑아야 합니다.
# 3. 모두 받아들였으면 $p_{k+1}$에서 하나를 더 뽑아야 합니다.
#
# 받아들인 **수**(파이썬의 `int`)와, 다음 토큰을 뽑을 **분포** `(V,)`를 돌려주십시오. 뽑는 일은 하지 않습니다. `k`는 0일 수 있습니다.
#
# ```text
# p = (0.5, 0.3, 0.2), r = (0.2, 0.7, 0.1), 추측한 토큰 1, 난수 0.6   →   0, (0.75, 0, 0.25)
# ```


# %% verify_drafts tags=["question"]
def verify_drafts(
    drafts: Int[Tensor, "k"],
    draft_probs: Float[Tensor, "k vocab"],
    target_probs: Float[Tensor, "k_and_one vocab"],
    uniforms: Float[Tensor, "k"],
) -> tuple[int, Float[Tensor, "vocab"]]:
    """Accept a prefix of drafted tokens so that what is written is the target's.

    Leviathan et al. 2023, algorithm 1; Chen et al. 2023, algorithm 2.

    Args:
        drafts: tokens that the small model drew.
        draft_probs: the distributions that it drew them from.
        target_probs: the large model's at the same places, and at the one behind.
        uniforms: from [0, 1), one a draft.

    Returns:
        How many are accepted, and the distribution of the token that follows them.
    """
    ### BEGIN SOLUTION
    for t, token in enumerate(drafts.tolist()):
        p, r = target_probs[t], draft_probs[t]
        if uniforms[t] * r[token] >= p[token]:
            rest = (p - r).clamp(min=0)
            return t, rest / rest.sum()
    return len(drafts), target_probs[-1]
    ### END SOLUTION


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 모두 0인 묶음, 캐시가 있을 때의 마스크, 여러 축의 배치, 모자라는 블록, 추측을 모두 받아들인 경우처럼 이 글에 적힌 약속을 그대로 시험합니다.
