# %% [markdown]
# # 연습: 선형 어텐션과 상태
#
# **난이도** 3/3 · **시간** 80분 · **배점** 10점 · **먼저 읽을 장** [선형 어텐션과 상태](../../chapters/linear_attention.md)
#
# 글을 크기가 정해진 행렬 하나에 적어 두고 읽는 어텐션을 만듭니다. 토큰마다 한 걸음씩 계산하는 것과 조각으로 나누어 계산하는 것은 같은 수를 내야 합니다.
# 네 함수는 서로 쓰지 않으므로 어느 것부터 풀어도 됩니다.
#
# 네 함수의 약속은 같습니다.
#
# - `query`와 `key`는 `(..., n, d_k)`, `value`는 `(..., n, d_v)`입니다. 앞의 축은 몇 개든 좋습니다. 점수를 나누거나 소프트맥스를 취하거나 크기를 맞추지 않습니다.
# - `log_decay`와 `beta`는 토큰마다 수 하나, `(..., n)`입니다. `log_decay`는 0이거나 음수인 유한한 수입니다.
# - 상태 $S$는 `(..., d_k, d_v)`입니다. `state`를 주면 거기에서 시작하고, 주지 않으면 0에서 시작합니다.
# - `(output, state)`를 돌려줍니다. 출력 $o_t$는 `(..., n, d_v)`이고, 상태는 마지막 토큰을 적은 다음의 것입니다. 그래서 글을 둘로 나누어 이어 불러도 한 번에 부른 것과 같습니다.
# - 입력은 바꾸지 않고, 받은 `state`도 바꾸지 않습니다. 기울기는 모든 입력으로 흐릅니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서는 입력과 같은 장치에, 같은 자료형으로 만듭니다.

# %%
import math

import torch
from jaxtyping import Float
from torch import Tensor

# %% [markdown]
# ## 문제 1. 한 토큰씩
#
# 토큰마다 상태를 잊고, 적고, 읽습니다. 이 순서입니다.
#
# $$S_t = e^{g_t}\, S_{t-1} + k_t v_t^\top, \qquad o_t = S_t^\top q_t$$
#
# $g_t$는 `log_decay`입니다. 방금 적은 것도 읽으므로 자기 자신이 보이고, 뒤의 토큰은 아직 적히지 않았으므로 보이지 않습니다.
#
# ```text
# query = key = [[1., 0.], [1., 0.]]   value = [[4.], [2.]]   log_decay = [0., ln 0.5]
#   →  output [[4.], [4.]]   state [[4.], [0.]]      (둘째 걸음: 0.5 · 4 + 2)
# ```


# %% recurrent_linear_attention tags=["question"]
def recurrent_linear_attention(
    query: Float[Tensor, "*batch n d_k"],
    key: Float[Tensor, "*batch n d_k"],
    value: Float[Tensor, "*batch n d_v"],
    log_decay: Float[Tensor, "*batch n"],
    state: Float[Tensor, "*batch d_k d_v"] | None = None,
) -> tuple[Float[Tensor, "*batch n d_v"], Float[Tensor, "*batch d_k d_v"]]:
    """Linear attention as a recurrence: forget, write, read.

    Katharopoulos et al. 2020; with a decay Sun et al. 2023; one that follows the input
    Dao and Gu 2024.

    Args:
        query, key, value: features as they are; nothing is scaled.
        log_decay: at most 0; the state is multiplied by its exponential, then written.
        state: what earlier tokens wrote; zeros if None.

    Returns:
        What each token reads, itself included; the state behind the last.
    """
    ### BEGIN SOLUTION
    if state is None:
        state = value.new_zeros(*key.shape[:-2], key.shape[-1], value.shape[-1])
    outputs = []
    for t in range(key.shape[-2]):
        kept = log_decay[..., t, None, None].exp() * state
        state = kept + key[..., t, :, None] * value[..., t, None, :]
        outputs.append((query[..., t, None, :] @ state)[..., 0, :])
    return torch.stack(outputs, dim=-2), state
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 조각으로
#
# 한 토큰씩 계산하면 걸음이 $n$번이라 느립니다. 글을 길이 `chunk`인 조각으로 자르고, 조각 안은 행렬 곱으로, 조각 사이는 상태로 잇습니다. 답은 문제 1과 같습니다.
#
# 조각 안의 위치를 $1, \dots, c$, 조각에 들어올 때의 상태를 $S$, 잊은 것을 쌓은 것을 $G_i = g_1 + \cdots + g_i$라고 하면
#
# $$o_i = e^{G_i}\, S^\top q_i + \sum_{j \le i} e^{G_i - G_j}\, (q_i \cdot k_j)\, v_j$$
#
# 입니다. 조각을 나갈 때의 상태도 같은 방법으로 적으십시오.
#
# - 반복문은 조각마다 한 번만 돕니다. 조각 안에서 토큰마다 돌지 않습니다. 채점은 연산의 수를 셉니다.
# - $n \times n$인 텐서를 만들지 않습니다.
# - 마지막 조각은 짧을 수 있고, `chunk`가 $n$보다 클 수도 있습니다. 1보다 작으면 `ValueError`를 냅니다.
# - $g$가 $-100$이어도 넘치지 않아야 합니다. $e^{-G_j}$를 따로 계산하면 넘칩니다.


# %% chunked_linear_attention tags=["question"]
def chunked_linear_attention(
    query: Float[Tensor, "*batch n d_k"],
    key: Float[Tensor, "*batch n d_k"],
    value: Float[Tensor, "*batch n d_v"],
    log_decay: Float[Tensor, "*batch n"],
    chunk: int,
    state: Float[Tensor, "*batch d_k d_v"] | None = None,
) -> tuple[Float[Tensor, "*batch n d_v"], Float[Tensor, "*batch d_k d_v"]]:
    """The same numbers as the recurrence, in products of matrices within chunks.

    Sun et al. 2023, section 2.1; Dao and Gu 2024, section 6.

    Args:
        query, key, value: features as they are; nothing is scaled.
        log_decay: at most 0; the state is multiplied by its exponential, then written.
        chunk: how many tokens are computed at once.
        state: what earlier tokens wrote; zeros if None.

    Returns:
        What each token reads, itself included; the state behind the last.

    Raises:
        ValueError: `chunk` is below 1.
    """
    ### BEGIN SOLUTION
    if chunk < 1:
        raise ValueError(f"chunk {chunk}")
    if state is None:
        state = value.new_zeros(*key.shape[:-2], key.shape[-1], value.shape[-1])
    parts = (x.split(chunk, dim=-2) for x in (query, key, value))
    outputs = []
    for q, k, v, g in zip(*parts, log_decay.split(chunk, dim=-1), strict=True):
        total = g.cumsum(dim=-1)
        between = total[..., :, None] - total[..., None, :]
        # The future before exp: there the difference is positive and may overflow.
        future = torch.ones_like(between, dtype=torch.bool).triu(1)
        left = between.masked_fill(future, -math.inf).exp()
        outputs.append((q @ k.mT * left) @ v + total[..., None].exp() * (q @ state))
        to_the_end = left[..., -1, :, None] * k
        state = total[..., -1, None, None].exp() * state + to_the_end.mT @ v
    return torch.cat(outputs, dim=-2), state
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 모자란 것만 적기
#
# 더하기만 하면 같은 키에 두 번 적은 값이 섞입니다. 델타 규칙은 적기 전에 그 키로 **읽어 보고**, 값에서 모자란 만큼만 적습니다. 잊기를 더하면 게이트가 있는
# 델타 규칙입니다. 순서는 잊기, 읽어 보기, 고쳐 적기, 읽기입니다.
#
# $$\bar S_t = e^{g_t}\, S_{t-1}, \qquad S_t = \bar S_t + \beta_t\, k_t \bigl(v_t - \bar S_t^\top k_t\bigr)^\top, \qquad o_t = S_t^\top q_t$$
#
# - `beta`가 1이고 키의 크기가 1이면, 적은 다음 그 키로 읽으면 꼭 $v_t$가 나옵니다.
# - 키의 크기를 1로 맞추는 것은 부르는 쪽의 일입니다.
#
# ```text
# query = key = [[1., 0.], [1., 0.]]   value = [[4.], [2.]]   beta = [1., 1.]   log_decay = [0., 0.]
#   →  output [[4.], [2.]]   state [[2.], [0.]]
# ```


# %% gated_delta_rule tags=["question"]
def gated_delta_rule(
    query: Float[Tensor, "*batch n d_k"],
    key: Float[Tensor, "*batch n d_k"],
    value: Float[Tensor, "*batch n d_v"],
    beta: Float[Tensor, "*batch n"],
    log_decay: Float[Tensor, "*batch n"],
    state: Float[Tensor, "*batch d_k d_v"] | None = None,
) -> tuple[Float[Tensor, "*batch n d_v"], Float[Tensor, "*batch d_k d_v"]]:
    """Forget, look up what the key holds, write what is missing, read.

    Schlag et al. 2021; with a decay Yang et al. 2025.

    Args:
        query, key, value: features as they are; nothing is scaled.
        beta: how much of what is missing is written.
        log_decay: at most 0; the state is multiplied by its exponential first.
        state: what earlier tokens wrote; zeros if None.

    Returns:
        What each token reads, itself included; the state behind the last.
    """
    ### BEGIN SOLUTION
    if state is None:
        state = value.new_zeros(*key.shape[:-2], key.shape[-1], value.shape[-1])
    outputs = []
    for t in range(key.shape[-2]):
        q, k, v = (x[..., t, None, :] for x in (query, key, value))
        state = log_decay[..., t, None, None].exp() * state
        missing = v - k @ state
        state = state + beta[..., t, None, None] * k.mT * missing
        outputs.append((q @ state)[..., 0, :])
    return torch.stack(outputs, dim=-2), state
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 모자란 것을 한꺼번에
#
# 델타 규칙은 앞의 토큰이 적은 것을 알아야 모자란 것을 알므로 한 걸음씩만 할 수 있을 것 같습니다. 잊기가 없는 델타 규칙을 조각으로 계산합니다.
#
# 조각에 들어올 때의 상태가 $S$이고 위치 $i$가 적는 벡터를 $u_i$라고 하면, 그때까지의 상태는 $S + \sum_{j < i} k_j u_j^\top$입니다. 그러니
#
# $$u_i = \beta_i \Bigl(v_i - S^\top k_i - \sum_{j < i} (k_i \cdot k_j)\, u_j\Bigr)$$
#
# 입니다. 모르는 $u$를 왼쪽에 모으면 대각선이 1인 아래 삼각 행렬의 연립방정식입니다. `torch.linalg.solve_triangular`가 풉니다.
# $u$를 구하고 나면 남은 것은 더하기만 하는 선형 어텐션입니다. 값이 $v$ 대신 $u$일 뿐입니다.
#
# 반복문, 메모리, `chunk`의 약속은 문제 2와 같습니다.


# %% chunked_delta_rule tags=["question"]
def chunked_delta_rule(
    query: Float[Tensor, "*batch n d_k"],
    key: Float[Tensor, "*batch n d_k"],
    value: Float[Tensor, "*batch n d_v"],
    beta: Float[Tensor, "*batch n"],
    chunk: int,
    state: Float[Tensor, "*batch d_k d_v"] | None = None,
) -> tuple[Float[Tensor, "*batch n d_v"], Float[Tensor, "*batch d_k d_v"]]:
    """The delta rule without a decay, a triangular system for each chunk.

    Yang et al. 2024, section 3.

    Args:
        query, key, value: features as they are; nothing is scaled.
        beta: how much of what is missing is written.
        chunk: how many tokens are computed at once.
        state: what earlier tokens wrote; zeros if None.

    Returns:
        What each token reads, itself included; the state behind the last.

    Raises:
        ValueError: `chunk` is below 1.
    """
    ### BEGIN SOLUTION
    if chunk < 1:
        raise ValueError(f"chunk {chunk}")
    if state is None:
        state = value.new_zeros(*key.shape[:-2], key.shape[-1], value.shape[-1])
    parts = (x.split(chunk, dim=-2) for x in (query, key, value))
    outputs = []
    for q, k, v, b in zip(*parts, beta[..., None].split(chunk, dim=-2), strict=True):
        # Its diagonal counts as 1, and what is above as 0.
        system = b * (k @ k.mT)
        missing = b * (v - k @ state)
        written = torch.linalg.solve_triangular(
            system, missing, upper=False, unitriangular=True
        )
        outputs.append((q @ k.mT).tril() @ written + q @ state)
        state = state + k.mT @ written
    return torch.cat(outputs, dim=-2), state
    ### END SOLUTION


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 이어 부르기, 짧은 마지막 조각, 아주 센 잊기, 앞의 축이 여럿인 입력처럼 이 글에 적힌 약속을 그대로 시험합니다.
