# %% [markdown]
# # 연습: 추론을 배우는 모델
#
# **난이도** 3/3 · **시간** 80분 · **배점** 10점 · **먼저 읽을 장** [추론을 배우는 모델](../../chapters/reasoning.md)
#
# 모델이 쓴 글에 점수를 매겨 배우는 데 드는 부품 다섯을 만듭니다. 서로 쓰지 않으므로 어느 것부터 풀어도 됩니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

# %% [markdown]
# ## 문제 1. 모델이 쓴 것의 로그 확률
#
# 줄마다 앞의 `prompt_lengths`개 토큰은 물음이고, 그 뒤를 모델이 온도 `temperature`로 뽑아 썼습니다. 모델이 **고른** 토큰의 로그 확률만 남깁니다.
#
# - 고른 토큰은 물음 바로 뒤부터 **처음 나온 `eos_id`까지**입니다. `eos_id`도 모델이 골랐습니다. 그 뒤는 채운 것이라 세지 않습니다. 물음 안에 있는 `eos_id`는
#   끝이 아닙니다.
# - 위치 $t - 1$의 로짓이 위치 $t$의 토큰을 맞힙니다. 결과의 열 $t - 1$이 토큰 $t$의 것이고, 열은 모두 $n - 1$개입니다.
# - 뽑을 때처럼 로짓을 온도로 나눈 다음 로그 확률을 구합니다.
# - 로그 확률 `(B, n - 1)`과 마스크 `(B, n - 1)`을 돌려줍니다. 마스크는 고른 토큰에서 `True`이고, 나머지의 로그 확률은 0입니다.
# - `temperature`가 0이거나 작으면 `ValueError`를 냅니다. 물음은 적어도 한 토큰입니다.


# %% completion_log_probs tags=["question"]
def completion_log_probs(
    logits: Float[Tensor, "batch n vocab"],
    ids: Int[Tensor, "batch n"],
    prompt_lengths: Int[Tensor, "batch"],
    eos_id: int,
    temperature: float = 1.0,
) -> tuple[Float[Tensor, "batch n_minus_1"], Bool[Tensor, "batch n_minus_1"]]:
    """Log probabilities of the tokens that a policy chose, and which those are.

    Args:
        logits: the policy's, at every place.
        ids: prompts with their completions, filled up behind them.
        prompt_lengths: how many tokens of a row were given; at least 1.
        eos_id: ends a completion and belongs to it.
        temperature: at which the completions were drawn.

    Returns:
        Log probabilities of ids[:, 1:], 0 where nothing was chosen; which were chosen.

    Raises:
        ValueError: the temperature is not above 0.
    """
    ### BEGIN SOLUTION
    if temperature <= 0:
        raise ValueError(f"temperature {temperature}")
    places = torch.arange(ids.shape[1], device=ids.device)
    written = places >= prompt_lengths[:, None]
    ends = written & (ids == eos_id)
    # Up to the first end: none stands before a place.
    chosen = (written & (ends.cumsum(dim=1) - ends.long() == 0))[:, 1:]
    log_probs = (logits[:, :-1] / temperature).log_softmax(dim=-1)
    log_probs = log_probs.gather(-1, ids[:, 1:, None])[..., 0]
    return log_probs.masked_fill(~chosen, 0), chosen
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 무리 안에서 얼마나 나은가
#
# 물음마다 답을 $G$개 쓰게 하고 보상을 매겼습니다. 답의 **이점**은 같은 물음의 답들과 비교해 얼마나 나은지입니다. 무리의 평균을 빼고 무리의
# 표준편차로 나눕니다.
#
# $$A_i = \frac{r_i - \operatorname{mean}(r)}{\operatorname{std}(r)}, \qquad \operatorname{std}(r)^2 = \frac{1}{G} \sum_j \bigl(r_j - \operatorname{mean}(r)\bigr)^2$$
#
# - 무리는 **마지막 축**이고 앞의 축은 몇 개든 좋습니다. 표준편차는 $G - 1$이 아니라 $G$로 나눕니다.
# - 보상이 모두 같은 무리에서는 배울 것이 없습니다. 이점은 **꼭 0**입니다. $0.1$ 셋의 평균이 반올림 때문에 $0.1$과 조금 다를 수 있다는 것에 주의하십시오.
# - 나누는 수에 작은 수를 더하지 않습니다. 보상에 1,000을 더하거나 100만을 곱하거나 나누어도 이점은 그대로입니다.
#
# ```text
# group_advantages(tensor([[1., 0., 0., 0.], [1., 1., 1., 1.]]))
#   →  tensor([[1.7321, -0.5774, -0.5774, -0.5774], [0., 0., 0., 0.]])
# ```


# %% group_advantages tags=["question"]
def group_advantages(
    rewards: Float[Tensor, "*groups size"],
) -> Float[Tensor, "*groups size"]:
    """How much better each completion is than the others of its prompt.

    Shao et al. 2024, section 4.1.2.

    Args:
        rewards: of the completions, a group along the last axis.

    Returns:
        Mean 0 and standard deviation 1 in each group; 0 in a group of equal rewards.
    """
    ### BEGIN SOLUTION
    equal = rewards.amax(dim=-1, keepdim=True) == rewards.amin(dim=-1, keepdim=True)
    centred = rewards - rewards.mean(dim=-1, keepdim=True)
    deviation = centred.square().mean(dim=-1, keepdim=True).sqrt()
    return (centred / deviation).masked_fill(equal, 0)
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 자른 목적 함수
#
# 글을 쓴 것은 옛 정책이고 배우는 것은 지금의 정책입니다. 토큰마다 비 $\rho = e^{\ln \pi - \ln \pi_\text{old}}$를 구하고, 글의 이점 $A$를 곱합니다. 비가 $[1 - \varepsilon_\text{low},\ 1 + \varepsilon_\text{high}]$를
# 벗어나 **더 얻을 것이 없게** 자릅니다.
#
# $$\min\bigl(\rho A,\ \operatorname{clip}(\rho,\ 1 - \varepsilon_\text{low},\ 1 + \varepsilon_\text{high})\, A\bigr)$$
#
# - 글마다 고른 토큰에 걸쳐 평균하고, 그것을 글에 걸쳐 평균합니다. 돌려줄 것은 줄여야 할 **손실**이므로 부호를 바꾼 수 하나입니다.
# - 이점 `(B,)`는 글의 모든 토큰이 함께 씁니다.
# - 옛 로그 확률로는 기울기가 흐르지 않습니다.
# - `mask`가 `False`인 자리의 값은 무엇이든($-\infty$라도) 손실과 기울기에 영향이 없습니다. 고른 토큰이 하나도 없는 글의 몫은 0이고, 글의 수에는 듭니다. 이점이
#   0인 글도 글의 수에 듭니다.


# %% clipped_loss tags=["question"]
def clipped_loss(
    log_probs: Float[Tensor, "batch n"],
    old_log_probs: Float[Tensor, "batch n"],
    advantages: Float[Tensor, "batch"],
    mask: Bool[Tensor, "batch n"],
    low: float = 0.2,
    high: float = 0.2,
) -> Float[Tensor, ""]:
    """The clipped surrogate as a loss: mean over each completion, then over all.

    Schulman et al. 2017, equation 7; averaged as in Shao et al. 2024, equation 3.

    Args:
        log_probs: of the chosen tokens, by the policy that learns.
        old_log_probs: by the policy that wrote them.
        advantages: one a completion.
        mask: True = chosen by the policy.
        low, high: how far the ratio may go below and above 1.

    Returns:
        What is to be made smaller.
    """
    ### BEGIN SOLUTION
    # Before exp: what is not chosen must not reach the gradient as infinity times 0.
    change = (log_probs - old_log_probs.detach()).masked_fill(~mask, 0)
    ratio = change.exp()
    advantage = advantages[:, None]
    gain = torch.minimum(ratio * advantage, ratio.clamp(1 - low, 1 + high) * advantage)
    lengths = mask.sum(dim=1).clamp(min=1)
    return -((gain * mask).sum(dim=1) / lengths).mean()
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 기준에서 얼마나 멀어졌나
#
# 글은 배우는 정책 $\pi$에서 뽑았고, 고른 토큰의 로그 확률을 두 모델에서 쟀습니다. $d = \ln \pi_\text{ref} - \ln \pi$일 때
#
# $$k_3 = e^{d} - d - 1$$
#
# 은 음수가 아니고, $\pi$에서 뽑은 토큰에 걸쳐 평균하면 꼭 $\mathrm{KL}(\pi \,\|\, \pi_\text{ref})$입니다. **토큰마다** 구하여 입력과 같은 모양으로 돌려주십시오.
#
# - 모양은 무엇이든 좋습니다. 기준의 로그 확률로는 기울기가 흐르지 않습니다.
# - 두 모델이 거의 같을 때는 $k_3 \approx \frac{d^2}{2}$입니다. $d = 10^{-4}$이면 $5 \cdot 10^{-9}$이어야 합니다. float32에서 $e^d$와 1은 소수 일곱 자리까지만 구별됩니다.
#   그래도 1% 안에서 맞아야 합니다(`torch.expm1`).


# %% k3_divergence tags=["question"]
def k3_divergence(
    log_probs: Float[Tensor, "*shape"], reference_log_probs: Float[Tensor, "*shape"]
) -> Float[Tensor, "*shape"]:
    """An estimate of KL(policy || reference) from each token that the policy drew.

    Schulman 2020, k3; Shao et al. 2024, equation 4.

    Args:
        log_probs: of the drawn tokens, by the policy.
        reference_log_probs: of the same tokens, by the frozen model.

    Returns:
        Never below 0, and right on average.
    """
    ### BEGIN SOLUTION
    difference = reference_log_probs.detach() - log_probs
    return difference.expm1() - difference
    ### END SOLUTION


# %% [markdown]
# ## 문제 5. k번 안에 한 번은
#
# 물음마다 글을 $n$개 써서 $c$개가 맞았습니다. 그 가운데 $k$개를 **되돌려 넣지 않고** 뽑았을 때 맞은 것이 하나라도 있을 확률이 pass@k의 치우치지 않은 추정값입니다.
#
# $$\text{pass@}k = 1 - \frac{\binom{n - c}{k}}{\binom{n}{k}}$$
#
# - `right`는 `(questions, n)`이고 `True`가 맞은 것입니다. 물음마다 구해 **물음에 걸쳐 평균**한 파이썬 `float`을 돌려주십시오.
# - 틀린 것이 $k$개보다 적으면 확률은 1입니다.
# - $n = 2{,}000$이어도 넘치지 않아야 합니다. 파이썬의 정수와 `math.comb`는 넘치지 않습니다.
# - `k`가 1보다 작거나 $n$보다 크면 `ValueError`를 냅니다.
#
# ```text
# pass_at_k(tensor([[True, False, False, False]]), 2)   →   0.5
# ```


# %% pass_at_k tags=["question"]
def pass_at_k(right: Bool[Tensor, "questions n"], k: int) -> float:
    """The chance that one of k completions is right, estimated without bias from n.

    Chen et al. 2021, equation 1.

    Args:
        right: which completions of each question are.
        k: how many tries.

    Returns:
        Mean over the questions.

    Raises:
        ValueError: `k` is below 1 or above n.
    """
    ### BEGIN SOLUTION
    n = right.shape[1]
    if not 1 <= k <= n:
        raise ValueError(f"{k} of {n}")
    # Whole numbers of any size; only the quotient is rounded.
    missed = [math.comb(n - c, k) / math.comb(n, k) for c in right.sum(dim=1).tolist()]
    return 1 - sum(missed) / len(missed)
    ### END SOLUTION


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 물음 안의 끝 토큰, 온도, 보상이 모두 같은 무리, 비어 있는 글, 거의 같은 두 모델, 큰 $n$처럼 이 글에 적힌 약속을 그대로 시험합니다.
