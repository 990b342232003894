# %% [markdown]
# # 연습: 긴 글을 위한 어텐션
#
# **난이도** 3/3 · **시간** 80분 · **배점** 10점 · **먼저 읽을 장** [긴 글을 위한 어텐션](../../chapters/efficient_attention.md)
#
# 점수 $n \times n$개를 모두 계산하지 않는 방법을 씁니다. 저랭크 근사(Linformer), 버킷(Reformer), 무작위 특징(Performer)을 만들고,
# 미끄럼 창(Longformer)과 잠재 벡터(Perceiver)는 읽습니다.
#
# 이 노트북에서 쓰는 약속은 다음과 같습니다.
#
# - 벡터의 나열은 `(..., n, d)`입니다. 앞의 `...`에는 축이 없을 수도, 여럿일 수도 있습니다. 축은 뒤에서부터 세십시오. 문제 2만 `(n, d)`입니다.
# - 자료형과 장치는 입력을 따르고, 받은 텐서를 제자리에서 바꾸지 않습니다.
# - **마스크에서 `True`는 "볼 수 있다"는 뜻입니다.**
# - 어텐션은 `(출력, 가중치)`를 돌려줍니다. 문제 2와 문제 4는 출력 하나를 돌려줍니다. 가중치의 표를 만들지 않는 것이 그 방법의 뜻이기 때문입니다.
#
# `F.scaled_dot_product_attention`은 쓰지 않습니다. `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께
# 무엇이 어긋났는지 알려 줍니다.

# %%
import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import normalize

# %% [markdown]
# ## 문제 1. 키와 값을 줄이기: Linformer
#
# 행렬 `E`와 `F`는 모양이 `(k, n)`입니다. 키와 값의 **길이**를 $n$에서 $k$로 줄인 다음 보통의 어텐션을 합니다.
#
# $$A = \mathrm{softmax}\!\left(\frac{Q\,(EK)^\top}{\sqrt{d_k}}\right) \qquad O = A\,(FV)$$
#
# 다음에서 `E`와 `F`는 이웃한 둘의 평균을 냅니다. 줄인 키의 점수는 0과 $\ln 6$이므로 가중치는 1 대 6입니다.
#
# ```text
# query [[1, 1, 1, 1]]
# key   [[0, 0, 0, 0], [0, 0, 0, 0], [ln 4, 0, ln 4, 0], [ln 9, 0, 0, ln 9]]
# value [[0], [7], [7], [14]]
# E = F = [[1/2, 1/2, 0, 0], [0, 0, 1/2, 1/2]]
#
# weights [[1/7, 6/7]]     output [[9.5]]
# ```
#
# - 점수 `(..., n_q, k)`보다 큰 것, 곧 `(..., n_q, n)`인 것을 만들지 않습니다. 시험이 메모리를 잽니다.
# - 키의 수가 `E`나 `F`의 열의 수와 다르면 `ValueError`를 냅니다. 배운 행렬이 길이를 정하기 때문입니다.


# %% linformer_attention tags=["question"]
def linformer_attention(
    query: Float[Tensor, "*batch n_q d_k"],
    key: Float[Tensor, "*batch n d_k"],
    value: Float[Tensor, "*batch n d_v"],
    E: Float[Tensor, "k columns_of_E"],
    F: Float[Tensor, "k columns_of_F"],
) -> tuple[Float[Tensor, "*batch n_q d_v"], Float[Tensor, "*batch n_q k"]]:
    """Linformer: attention to k mixtures of the keys instead of to the n keys.

    Wang et al. 2020, equation 7.

    Args:
        E: (k, n), mixes the keys.
        F: (k, n), mixes the values.

    Returns:
        The output, and the weights of the k mixtures.

    Raises:
        ValueError: the number of keys is not the number of columns of `E` and `F`.
    """
    ### BEGIN SOLUTION
    if not key.shape[-2] == E.shape[-1] == F.shape[-1]:
        raise ValueError(
            f"E and F were made for {E.shape[-1]} keys, not for {key.shape[-2]}"
        )
    scores = query @ (E @ key).mT / math.sqrt(query.shape[-1])  # (..., n_q, k)
    weights = scores.softmax(dim=-1)
    return weights @ (F @ value), weights
    ### END SOLUTION


# %% [markdown]
# ## 주어진 것: 가까운 곳만 보기
#
# 위치 $i$가 거리 `window` 이하인 위치만 보는 것이 미끄럼 창입니다(Longformer). `global_positions`에 든 위치는 모두를 보고, 모두가 그 위치를 봅니다.
#
# ```text
# n = 6, window = 1                    행마다 보는 키의 수  2 3 3 3 3 2
# n = 6, window = 1, 위치 0이 전역     행마다 보는 키의 수  6 3 4 4 4 3
# ```
#
# 마스크만으로는 메모리가 줄지 않습니다. `(n, n)`인 점수를 만든 다음 가리기 때문입니다. 그 아래의 `attend_in_blocks`는 제곱을 만들지 않습니다. 길이를
# 블록으로 자르고, 블록의 질의는 자기 블록과 양옆 블록의 키에만 점수를 매깁니다. 점수는 `(blocks, block, 3 · block)`, 곧 $3 n \cdot$ `block`개입니다.
# 창은 블록을 창의 폭으로 자르면 됩니다. 세 블록 안에서 누가 누구를 보는지는 `rule`이 정합니다. 문제 2에서 다른 규칙으로 씁니다.


# %%
def sliding_window_mask(
    n: int, window: int, global_positions: list[int] | tuple[int, ...] = ()
) -> Bool[Tensor, "{n} {n}"]:
    """Mark what each position may attend to: its neighbours, and the global positions.

    Args:
        n: number of positions.
        window: how far a position sees on each side; 0 = only itself.
        global_positions: positions that see all and are seen by all.

    Returns:
        True = the row's position may attend to the column's position.
    """
    positions = torch.arange(n)
    mask = (positions[:, None] - positions).abs() <= window
    chosen = list(global_positions)
    mask[chosen] = True
    mask[:, chosen] = True
    return mask


# %%
def attend_in_blocks(query, key, value, block: int, rule, itself_last: bool = False):
    """Attention of one head, where a block of queries scores three blocks of keys.

    They are its own and those beside it.

    Args:
        query, key, value: (n, d_k), (n, d_k), (n, d_v).
        rule: True where query i may see key j, for positions that broadcast.
        itself_last: see oneself only where the rule leaves nothing else.
    """
    n, count = len(query), -(-len(query) // block)
    # Positions of queries, (count, block, 1), and of their keys, (count, 1, 3 * block).
    i = torch.arange(count * block, device=query.device).view(count, block, 1)
    j = i[:, :1] + torch.arange(-block, 2 * block, device=query.device)
    inside = (j >= 0) & (j < n)
    i, j = i.clamp(max=n - 1), j.clamp(0, n - 1)
    # (count, block, 3 * block)
    scores = query[i[..., 0]] @ key[j[:, 0]].mT / math.sqrt(query.shape[-1])
    if itself_last:
        # Nothing beside any other score, all beside none.
        scores = scores.masked_fill(i == j, -1e5)
    weights = scores.masked_fill(~(inside & rule(i, j)), float("-inf")).softmax(dim=-1)
    return (weights @ value[j[:, 0]]).flatten(0, 1)[:n]


def window_attention(query, key, value, window: int, causal: bool = False):
    """Attention of one head to positions at most `window` (1 or more) away."""

    def rule(i, j):
        near = (i - j).abs() <= window
        return near & (j <= i) if causal else near

    return attend_in_blocks(query, key, value, window, rule)


# %% [markdown]
# ## 주어진 것: 같은 버킷만 보기
#
# Reformer는 방향이 비슷한 벡터끼리만 보게 합니다. `lsh_buckets`는 무작위로 뽑은 방향 $b / 2$개(`rotations`의 **열**)와 그 반대 방향들 가운데 벡터와
# 가장 가까운 것의 번호를 버킷으로 합니다.
#
# ```text
# rotations = [[1, 0], [0, 1]]
# x = (2, 1)  (1, 3)  (-3, 1)  (1, -2)
# 버킷   0       1        2        3
# ```
#
# `lsh_attention`은 무엇을 계산하는지를 그대로 옮긴 것입니다. 질의와 키가 같은 벡터 `qk`에서 나옵니다.
#
# - 질의는 `qk` 그대로, 키는 `qk`를 **크기 1로 맞춘 것**입니다. 점수는 $\sqrt{d_k}$로 나눕니다.
# - 버킷이 **같은** 위치만 봅니다. `causal`이면 그 가운데 자기와 앞만 봅니다.
# - 자기 자신은 **달리 볼 것이 없을 때만** 봅니다. `causal`이면 가린 다음에 남은 것을 셉니다.
#
# ```text
# qk      (1, 0)  (2, 0)  (0, 1)  (0, -1)
# buckets    0       0       0        1
# value      1       2       4        8
#
# output            2.6605  1.5867  1.5  8
# causal이면 output   1       1     1.5  8
# ```
#
# 이 함수는 `(n, n)`을 만들므로 아끼는 것이 없습니다.


# %%
def lsh_buckets(
    x: Float[Tensor, "*batch n d"], rotations: Float[Tensor, "d half_b"]
) -> Int[Tensor, "*batch n"]:
    """Number the direction that each vector is nearest to, among b directions.

    Kitaev et al. 2020 (Reformer), section 2.

    Args:
        rotations: b / 2 directions, in columns; their opposites are the other half.

    Returns:
        From 0 to b - 1: i for column i, b / 2 + i for its opposite.
    """
    along = x @ rotations
    return torch.cat([along, -along], dim=-1).argmax(dim=-1)


def lsh_attention(
    qk: Float[Tensor, "*batch n d"],
    value: Float[Tensor, "*batch n d_v"],
    buckets: Int[Tensor, "*batch n"],
    causal: bool = False,
) -> tuple[Float[Tensor, "*batch n d_v"], Float[Tensor, "*batch n n"]]:
    """Attention within buckets, whose queries and keys are the same vectors.

    Kitaev et al. 2020 (Reformer), section 2.

    Args:
        qk: the queries; scaled to norm 1 they are the keys.
        causal: see nothing that comes later.

    Returns:
        Output and weights. A position sees itself only where it sees nothing else.
    """
    n, d = qk.shape[-2:]
    scores = qk @ normalize(qk, dim=-1).mT / math.sqrt(d)
    itself = torch.eye(n, dtype=torch.bool, device=qk.device)
    others = (buckets[..., :, None] == buckets[..., None, :]) & ~itself
    if causal:
        others = others.tril()
    alone = ~others.any(dim=-1, keepdim=True)
    visible = others | (itself & alone)
    weights = scores.masked_fill(~visible, float("-inf")).softmax(dim=-1)
    return weights @ value, weights


# %% [markdown]
# ## 문제 2. 정렬해서 같은 버킷만 보기: Reformer
#
# `lsh_attention`의 출력을 **제곱을 만들지 않고** 구하십시오. 같은 버킷에 든 것은 글의 여기저기에 흩어져 있습니다. 버킷의 차례로 **정렬하면** 이웃이 되고,
# 그다음은 창과 같은 일입니다. 헤드 하나, 문장 하나를 다룹니다. 버킷 하나에 든 위치는 많아야 `block`개입니다.
#
# ```text
# buckets = 2 0 1 0 2 0        정렬한 차례  1 3 5 | 2 | 0 4
# ```
#
# - 출력은 글의 **처음 차례대로** 놓습니다. 돌려주는 것은 출력 하나입니다.
# - `attend_in_blocks`를 써도 되고 쓰지 않아도 됩니다. 그 `rule`이 받는 `i`와 `j`는 정렬한 다음의 자리입니다. `itself_last`가 무엇을 하는지 읽어 보십시오.
# - 길이 512에서 `(n, n)`인 것을 만들지 않습니다. 시험이 메모리를 잽니다. 버킷마다 도는 반복문은 느리지만 됩니다.


# %% sorted_lsh_attention tags=["question"]
def sorted_lsh_attention(
    qk: Float[Tensor, "n d"],
    value: Float[Tensor, "n d_v"],
    buckets: Int[Tensor, "n"],
    block: int,
    causal: bool = False,
) -> Float[Tensor, "n d_v"]:
    """Compute `lsh_attention`'s output, of one head, in memory linear in the length.

    Kitaev et al. 2020 (Reformer), section 2.

    Args:
        qk: the queries; scaled to norm 1 they are the keys.
        block: no bucket holds more positions than this.
        causal: see nothing that comes later.

    Returns:
        The output, in the order of the positions, without weights.
    """
    ### BEGIN SOLUTION
    order = buckets.argsort(stable=True)

    def rule(i, j):
        same = buckets[order[i]] == buckets[order[j]]
        return same & (order[j] <= order[i]) if causal else same

    query, key = qk[order], normalize(qk, dim=-1)[order]
    output = attend_in_blocks(query, key, value[order], block, rule, itself_last=True)
    return output[order.argsort()]  # back to where they came from
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 무작위 특징
#
# `projection`의 행 $\omega_1, \dots, \omega_m$은 표준 정규 분포에서 뽑은 것입니다. 벡터 $x$를 양수 $m$개로 바꿉니다.
#
# $$\phi(x) = \frac{1}{\sqrt{m}} \left( e^{\omega_1 \cdot x - |x|^2 / 2},\ \dots,\ e^{\omega_m \cdot x - |x|^2 / 2} \right)$$
#
# 그러면 $\phi(x) \cdot \phi(y)$의 기댓값이 $e^{x \cdot y}$입니다. $e^{\omega \cdot x}$만 따로 구하면 큰 벡터에서 넘치므로, 지수에서 먼저 빼십시오.
#
# ```text
# x = (1, 0)   projection = [[1, 0], [0, 2], [-1, 1], [3, 0]]
#
# φ(x) = (e^0.5, e^-0.5, e^-1.5, e^2.5) / 2
# ```


# %% positive_random_features tags=["question"]
def positive_random_features(
    x: Float[Tensor, "*batch n d"], projection: Float[Tensor, "m d"]
) -> Float[Tensor, "*batch n m"]:
    """Positive features whose dot products estimate exp(x · y).

    Choromanski et al. 2021 (Performer), section 2.3.

    Args:
        projection: a random direction ω in each of its m rows.

    Returns:
        exp(ω · x - |x|² / 2) / sqrt(m).
    """
    ### BEGIN SOLUTION
    half_squares = x.square().sum(dim=-1, keepdim=True) / 2
    return (x @ projection.mT - half_squares).exp() / math.sqrt(len(projection))
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 곱하는 순서를 바꾸기: Performer
#
# 특징을 쓰면 소프트맥스 어텐션은 곱셈과 나눗셈만 남습니다. 질의와 키에 각각 $d_k^{-1/4}$를 곱한 다음 문제 3의 특징을 냅니다.
#
# $$o_i = \frac{\phi(q_i)\, \sum_j \phi(k_j)^\top v_j}{\phi(q_i) \cdot \sum_j \phi(k_j)}$$
#
# 합은 $i$와 상관이 없으므로 한 번만 계산합니다. `causal`이면 합이 $j \le i$까지입니다. 앞의 합에 하나씩 더해 가십시오.
#
# `causal`이든 아니든 메모리는 길이에 비례해야 합니다. `(..., n, n)`인 것을 만들지 않습니다. 분모에 $10^{-6}$쯤의 작은 수를 더해도
# 됩니다. `causal`일 때는 질의와 키의 수가 같습니다.


# %% performer_attention tags=["question"]
def performer_attention(
    query: Float[Tensor, "*batch n_q d_k"],
    key: Float[Tensor, "*batch n_k d_k"],
    value: Float[Tensor, "*batch n_k d_v"],
    projection: Float[Tensor, "m d_k"],
    causal: bool = False,
) -> Float[Tensor, "*batch n_q d_v"]:
    """Softmax attention estimated by random features, in memory linear in the length.

    Choromanski et al. 2021 (Performer), section 2.

    Args:
        projection: a random direction in each of its m rows.
        causal: query i sees keys 0 to i; asks for n_q = n_k.

    Returns:
        The output, without weights: none are made.
    """
    ### BEGIN SOLUTION
    scale = query.shape[-1] ** -0.25
    phi_q = positive_random_features(query * scale, projection)
    phi_k = positive_random_features(key * scale, projection)
    # A last value of 1 sums up the denominator beside the numerator.
    values = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    if causal:
        # What came before a block is one sum (m, d_v + 1), of nothing at first; only
        # within the block there is a small square.
        past = phi_k[..., :0, :].mT @ values[..., :0, :]
        blocks = []
        cut = (x.split(64, dim=-2) for x in (phi_q, phi_k, values))
        for q, k, v in zip(*cut, strict=True):
            blocks.append(q @ past + (q @ k.mT).tril() @ v)
            past = past + k.mT @ v
        sums = torch.cat(blocks, dim=-2)
    else:
        sums = phi_q @ (phi_k.mT @ values)
    return sums[..., :-1] / sums[..., -1:]
    ### END SOLUTION


# %% [markdown]
# ## 주어진 것: 잠재 벡터가 묻기
#
# Perceiver는 질의를 입력에서 만들지 않습니다. 배우는 벡터 $m$개, 곧 잠재 벡터가 묻고 입력 $n$개가 답합니다. 점수는 `(m, n)`개뿐입니다.


# %%
def latent_attention(
    latents: Float[Tensor, "*batch m d"],
    inputs: Float[Tensor, "*batch n d_in"],
    W_q: Float[Tensor, "d d_k"],
    W_k: Float[Tensor, "d_in d_k"],
    W_v: Float[Tensor, "d_in d_v"],
) -> tuple[Float[Tensor, "*batch m d_v"], Float[Tensor, "*batch m n"]]:
    """Cross-attention, with weights, in which few latents ask and the inputs answer.

    Jaegle et al. 2021 (Perceiver), section 3.
    """
    query, key, value = latents @ W_q, inputs @ W_k, inputs @ W_v
    weights = (query @ key.mT / math.sqrt(key.shape[-1])).softmax(dim=-1)
    return weights @ value, weights


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 여러 축의 배치, 질의와 키의 수가 다른 입력, 길이가 1인 입력, 기울기와 메모리처럼 이 글에 적힌 약속을 그대로
# 시험합니다.
