# %% [markdown]
# # 연습: 전문가 섞기
#
# **난이도** 3/3 · **시간** 80분 · **배점** 10점 · **먼저 읽을 장** [전문가 섞기](../../chapters/experts.md)
#
# 전문가를 섞는 층을 조각조각 만듭니다. 고른 것만 계산하기, 자리가 모자랄 때 버리기, 편향으로 고르기, 그 편향을 옮기기, 묶음으로 좁히기입니다.
# 다섯 함수는 서로 쓰지 않으므로 어느 것부터 풀어도 됩니다. 마지막 둘과 문제 3을 이으면 DeepSeek-V3의 라우터입니다.
#
# 기호는 장과 같습니다. 토큰이 `T`개, 전문가가 `E`개(번호는 0부터), 토큰마다 `k`개를 고릅니다. `experts`는 `(T, k)`인 정수이고,
# 한 행에 같은 번호가 두 번 나오지 않습니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 받은 텐서는 바꾸지 않습니다. 안에서 만드는 텐서는 입력과 같은 장치에, 같은 자료형으로 만듭니다.

# %%
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

# %% [markdown]
# ## 문제 1. 고른 것만 계산하기
#
# 전문가 $e$는 [SwiGLU](../../chapters/modern.md)입니다. 토큰마다 고른 전문가의 출력에 가중치를 곱해 더합니다.
#
# $$y_t = \sum_{i=1}^{k} w_{t,i}\, \operatorname{FFN}_{e_{t,i}}(x_t), \qquad
# \operatorname{FFN}_e(x) = \bigl(\operatorname{SiLU}(x\, G_e) \odot x\, U_e\bigr) D_e$$
#
# - `gate`와 `up`은 $G$와 $U$, `(E, d, d_ff)`이고 `down`은 $D$, `(E, d_ff, d)`입니다.
# - **고른 전문가만, 고른 토큰에만** 계산합니다. 모두 계산해 놓고 0을 곱하면 안 됩니다. 채점은 가장 큰 텐서의 크기를 재고, 아무도 고르지
#   않은 전문가의 행렬에 NaN을 넣어 봅니다. 행렬을 토큰마다 복사해도 안 됩니다.
# - `kept`는 `(T, k)`인 참·거짓이고, 거짓인 자리는 버린 것입니다. 계산하지 않고 아무것도 더하지 않습니다. 남은 가중치를 다시 나누지
#   않습니다. 없으면 모두 남깁니다.


# %% mix_experts tags=["question"]
def mix_experts(
    x: Float[Tensor, "tokens d"],
    weights: Float[Tensor, "tokens k"],
    experts: Int[Tensor, "tokens k"],
    gate: Float[Tensor, "experts d d_ff"],
    up: Float[Tensor, "experts d d_ff"],
    down: Float[Tensor, "experts d_ff d"],
    kept: Bool[Tensor, "tokens k"] | None = None,
) -> Float[Tensor, "tokens d"]:
    """The weighted sum of the chosen experts; nobody else is computed.

    Shazeer et al. 2017, equation 1.

    Args:
        weights: of the chosen, as they are.
        experts: their numbers; no number twice in a row.
        gate, up, down: each expert is a SwiGLU without biases.
        kept: False where an assignment is dropped; all are kept if None.

    Returns:
        Zeros for a token all of whose assignments are dropped.
    """
    ### BEGIN SOLUTION
    if kept is None:
        kept = torch.ones_like(experts, dtype=torch.bool)
    output = torch.zeros_like(x)
    for e in experts[kept].unique().tolist():
        token, slot = ((experts == e) & kept).nonzero(as_tuple=True)
        given = x[token]
        found = (F.silu(given @ gate[e]) * (given @ up[e])) @ down[e]
        output = output.index_add(0, token, weights[token, slot, None] * found)
    return output
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 자리가 모자라면
#
# 전문가마다 자리가 `capacity`개입니다. 넘치는 배정은 버립니다. 누구를 버릴지는 순서가 정합니다. **첫째로 고른 것이 모두 먼저**이고, 그다음이
# 둘째로 고른 것입니다. 같은 차례 안에서는 앞의 토큰이 먼저입니다. 남으면 참, 버리면 거짓인 `(T, k)`를 돌려주십시오.
#
# ```text
# experts = [[0, 1], [0, 1], [1, 0]]   capacity = 2
#   →  [[True, True], [True, False], [True, False]]
# ```
#
# 전문가 0의 두 자리는 토큰 0과 1이 첫째로 고른 것이 씁니다. 전문가 1의 자리는 토큰 2가 첫째로 고른 것이 먼저 쓰고, 남은 하나를 토큰 0이 씁니다.


# %% kept_in_capacity tags=["question"]
def kept_in_capacity(
    experts: Int[Tensor, "tokens k"], capacity: int
) -> Bool[Tensor, "tokens k"]:
    """Which assignments find a place: first choices first, and tokens in order.

    Lepikhin et al. 2021, algorithm 1.

    Args:
        experts: the numbers of the chosen, a token's first choice first.
        capacity: places of each expert; 0 or more, perhaps more than there are tokens.
    """
    ### BEGIN SOLUTION
    in_order = experts.T.flatten()
    # Of those ahead in the queue, how many want the same expert.
    ahead = (in_order[:, None] == in_order).tril(-1).sum(dim=1)
    return (ahead < capacity).view(experts.T.shape).T
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 고를 때만 더하는 편향
#
# 라우터의 점수 `scores`는 양수입니다(시그모이드를 취한 것). 점수에 `bias`를 **더한 것**이 큰 `k`개를 고르고, 가중치는 **더하지 않은** 점수를
# 고른 것끼리 합이 1이 되게 나눈 것입니다. 가중치와 번호를 차례로 돌려줍니다. 순서는 상관없지만 둘의 자리는 맞아야 합니다.
#
# - `bias`는 `(E,)`이거나 `(T, E)`입니다. $-\infty$가 있을 수 있고, 그런 전문가는 고르지 않습니다. 유한한 것이 행마다 `k`개는 있습니다.
# - 가중치를 구할 때 편향을 더했다가 빼지 마십시오. 점수가 아주 작고 편향이 크면 점수가 반올림에 사라집니다.
# - 기울기는 `scores`로만 흐릅니다. `k`가 1보다 작거나 `E`보다 크면 `ValueError`를 냅니다.
#
# ```text
# scores = [[0.8, 0.6, 0.2]]   bias = [-0.5, 0., 0.3]   k = 2
#   →  더한 것 (0.3, 0.6, 0.5)에서 전문가 1과 2   가중치 0.75, 0.25
# ```


# %% bias_route tags=["question"]
def bias_route(
    scores: Float[Tensor, "tokens experts"],
    bias: Float[Tensor, "*tokens experts"],
    k: int,
) -> tuple[Float[Tensor, "tokens {k}"], Int[Tensor, "tokens {k}"]]:
    """Choose by scores with a bias, weigh by scores without it.

    Wang et al. 2024, equation 3; DeepSeek-AI 2024, equations 13 to 16.

    Args:
        scores: positive.
        bias: of each expert, or of each token's; minus infinity forbids one.

    Returns:
        Weights that sum to one over the chosen, and the numbers of the experts.

    Raises:
        ValueError: `k` is below 1 or above the number of experts.
    """
    ### BEGIN SOLUTION
    if not 1 <= k <= scores.shape[-1]:
        raise ValueError(f"{k} of {scores.shape[-1]} experts")
    experts = (scores + bias).topk(k, dim=-1).indices
    chosen = scores.gather(-1, experts)
    return chosen / chosen.sum(dim=-1, keepdim=True), experts
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 편향 옮기기
#
# 걸음마다 배정을 세어, 평균보다 **많이** 받은 전문가의 편향은 `rate`만큼 내리고 **적게** 받은 전문가의 편향은 `rate`만큼 올립니다. 평균과
# 같으면 그대로 둡니다. 얼마나 많고 적은지는 상관없습니다. 아무도 고르지 않은 전문가도 셉니다. 새 편향을 돌려주고 받은 것은 바꾸지 않습니다.
#
# ```text
# bias = [0., 0., 0.5]   experts = [[0, 1], [0, 1], [0, 2]]   rate = 0.1      (배정 3, 2, 1, 평균 2)
#   →  [-0.1, 0., 0.6]
# ```


# %% update_bias tags=["question"]
def update_bias(
    bias: Float[Tensor, " experts"], experts: Int[Tensor, "tokens k"], rate: float
) -> Float[Tensor, " experts"]:
    """Crowded experts a step down, idle ones a step up.

    Wang et al. 2024, algorithm 1.

    Args:
        experts: the numbers of the chosen.
        rate: how far a bias goes in one step.
    """
    ### BEGIN SOLUTION
    load = torch.bincount(experts.flatten(), minlength=len(bias)).to(bias.dtype)
    return bias + rate * (load.mean() - load).sign()
    ### END SOLUTION


# %% [markdown]
# ## 문제 5. 묶음으로 좁히기
#
# 전문가를 여러 장치에 나누어 두면, 토큰이 가는 장치가 적을수록 보낼 것이 적습니다. 번호가 이웃한 전문가를 `groups`개의 묶음으로 나누고, 토큰마다
# 묶음의 점수가 큰 `kept`개의 묶음에서만 고르게 합니다. 묶음의 점수는 **그 안에서 가장 큰 둘의 합**입니다. 묶음에 하나뿐이면 그 하나입니다.
# 골라도 되는 자리가 참인 `(T, E)`를 돌려주십시오.
#
# `E`가 `groups`로 나누어떨어지지 않거나 `kept`가 1보다 작거나 `groups`보다 크면 `ValueError`를 냅니다.
#
# ```text
# scores = [[0.9, 0.1, 0.1, 0.6, 0.5, 0.2]]   groups = 2   kept = 1
#   →  묶음의 점수 1.0, 1.1   [[False, False, False, True, True, True]]
# ```


# %% allowed_groups tags=["question"]
def allowed_groups(
    scores: Float[Tensor, "tokens experts"], groups: int, kept: int
) -> Bool[Tensor, "tokens experts"]:
    """Whom each token may choose: the experts of its best groups.

    DeepSeek-AI 2024, section 2.1.2.

    Args:
        scores: by which experts are chosen.
        groups: of neighbours, all of one size.
        kept: how many groups a token may choose from.

    Raises:
        ValueError: groups of different sizes, or `kept` below 1 or above their number.
    """
    ### BEGIN SOLUTION
    number_of = scores.shape[-1]
    if not 1 <= kept <= groups or number_of % groups:
        raise ValueError(f"{kept} of {groups} groups of {number_of} experts")
    size = number_of // groups
    by_group = (
        scores.unflatten(-1, (groups, size))
        .topk(min(2, size), dim=-1)
        .values.sum(dim=-1)
    )
    best = by_group.topk(kept, dim=-1).indices
    return F.one_hot(best, groups).sum(dim=-2).bool().repeat_interleave(size, dim=-1)
    ### END SOLUTION


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 버린 토큰, 빈 전문가, 아주 작은 점수처럼 이 글에 적힌 약속을 그대로 시험합니다.
