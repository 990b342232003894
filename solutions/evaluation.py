# %% [markdown]
# # 연습: 재는 법
#
# **난이도** 3/3 · **시간** 75분 · **배점** 10점 · **먼저 읽을 장** [재는 법](../../chapters/evaluation.md)
#
# 모델을 늘이고 재는 데 드는 부품 다섯을 만듭니다. 서로 쓰지 않으므로 어느 것부터 풀어도 됩니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서는 입력과 같은 장치에 만들고, 입력은 바꾸지 않습니다.

# %%
import math
from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

# %% [markdown]
# ## 문제 1. YaRN의 각속도
#
# 길이 `original_length`로 배운 회전 위치 인코딩을 `factor`배 긴 글에 씁니다. 쌍 $i$의 각속도는 $\theta_i = \text{base}^{-2i/d}$이고, 배운 길이 $L$에서
# $\frac{L \theta_i}{2\pi}$바퀴를 돕니다. 많이 도는 쌍은 그대로 두고, 한 바퀴도 돌지 못한 쌍은 `factor`로 나누고, 그 사이는 섞습니다.
#
# $$i(r) = \frac{d}{2} \cdot \frac{\ln \frac{L}{2 \pi r}}{\ln \text{base}}, \qquad
# \gamma_i = \operatorname{clip}\!\left(\frac{i - i_\text{fast}}{i_\text{slow} - i_\text{fast}},\, 0,\, 1\right), \qquad
# \theta_i' = (1 - \gamma_i)\, \theta_i + \gamma_i\, \frac{\theta_i}{s}$$
#
# - $i(r)$은 배운 길이에서 꼭 $r$바퀴를 도는 쌍의 번호입니다. $i_\text{fast} = \max(i(\beta_\text{fast}), 0)$이고 $i_\text{slow} = i(\beta_\text{slow})$입니다. **반올림하지 않습니다.**
#   transformers의 `truncate=False`와 같습니다.
# - 점수는 $t^2$배 합니다. 질의와 키에 곱할 $t = 0.1 \ln s + 1$을 함께 돌려줍니다.
# - 각속도는 `(dim / 2,)`인 float64이고, $t$는 파이썬의 실수입니다.
# - `dim`이 홀수이거나, `factor`가 1보다 작거나, `beta_fast`가 `beta_slow`보다 크지 않으면 `ValueError`를 냅니다.


# %% yarn_frequencies tags=["question"]
def yarn_frequencies(
    dim: int,
    base: float,
    factor: float,
    original_length: int,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> tuple[Float[Tensor, "pairs"], float]:
    """Angular speeds of RoPE's pairs in texts `factor` times as long, as in YaRN.

    Peng et al. 2023, section 3, as in their code: a ramp linear in the pair's number.

    Args:
        dim: of a head.
        base: of the geometric row of speeds.
        factor: how many times as long texts become; at least 1.
        original_length: that the model was trained at.
        beta_fast: pairs that turn more often within it keep their speed.
        beta_slow: pairs that turn less often are slowed down by the factor.

    Returns:
        Radians a place, in float64; what queries and keys are multiplied by.

    Raises:
        ValueError: an odd `dim`, a factor below 1, or betas with nothing between them.
    """
    ### BEGIN SOLUTION
    if dim % 2 or factor < 1 or beta_fast <= beta_slow:
        raise ValueError(
            f"dim {dim}, factor {factor}, betas {beta_fast} and {beta_slow}"
        )

    def pair_that_turns(times):
        return (
            dim / 2 * math.log(original_length / (2 * math.pi * times)) / math.log(base)
        )

    fast, slow = max(pair_that_turns(beta_fast), 0), pair_that_turns(beta_slow)
    pair = torch.arange(dim // 2, dtype=torch.float64)
    theta = base ** (-2 * pair / dim)
    ramp = ((pair - fast) / (slow - fast)).clamp(0, 1)
    return (1 - ramp) * theta + ramp * theta / factor, 0.1 * math.log(factor) + 1
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 창을 밀며 재기
#
# 글이 모델의 `window`보다 깁니다. 창을 `stride`만큼씩 밀면서 토큰마다 음의 로그 확률(nats)을 구합니다. **모든 토큰을 한 번씩만** 셉니다.
#
# - `model(ids (t,)) -> logits (t, V)`: 자리 $i$의 로짓이 자리 $i + 1$의 토큰을 맞힙니다. $t$는 `window` 이하여야 합니다.
# - 창은 $0,\ \text{stride},\ 2\, \text{stride}, \dots$에서 시작하고, 글의 끝에 처음 닿은 창이 마지막입니다. 마지막 창은 짧을 수 있습니다. 창마다 모델을 한 번만 부릅니다.
# - 창에서는 **앞의 창들이 맞히지 않은** 토큰만 셉니다. 나머지는 앞말로만 씁니다.
# - 첫 토큰은 앞말이 없으므로 세지 않습니다. 그래서 결과는 `(n - 1,)`이고, 열 $t$가 토큰 $t + 1$의 것입니다.
# - `stride`는 1부터 `window - 1`까지입니다. `stride`가 `window`와 같으면 창의 첫 토큰을 아무 창도 맞히지 않습니다. 아니면 `ValueError`를 냅니다.
#
# ```text
# n = 6, window = 4, stride = 2   →   창 [0, 4)는 토큰 1, 2, 3을, 창 [2, 6)은 토큰 4, 5를 셉니다.
# ```


# %% strided_nll tags=["question"]
def strided_nll(
    model: Callable[[Int[Tensor, "t"]], Float[Tensor, "t vocab"]],
    ids: Int[Tensor, "n"],
    window: int,
    stride: int,
) -> Float[Tensor, "n_minus_1"]:
    """Negative log probability of each token after the first, in windows that overlap.

    Args:
        model: logits of the next token at each place of a text no longer than `window`.
        ids: a text of at least two tokens.
        window: how many tokens the model sees at once.
        stride: how far a window is moved; what it shares with the last one is context.

    Returns:
        In nats, each token once.

    Raises:
        ValueError: a stride below 1, or so long that no window predicts some token.
    """
    ### BEGIN SOLUTION
    if not 1 <= stride < window:
        raise ValueError(f"stride {stride}, window {window}")
    found, counted = [], 1
    for start in range(0, len(ids), stride):
        part = ids[start : start + window]
        log_probs = model(part)[:-1].log_softmax(dim=-1)
        nll = -log_probs.gather(-1, part[1:, None])[:, 0]
        found.append(nll[counted - start - 1 :])
        counted = start + len(part)
        if counted == len(ids):
            break
    return torch.cat(found)
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 보기의 점수
#
# 보기마다 토큰의 로그 확률이 있습니다. 네 가지 방법으로 점수를 매깁니다. 점수가 가장 높은 보기가 모델의 답입니다.
#
# | `how` | 점수 |
# | --- | --- |
# | `"sum"` | 로그 확률의 합 |
# | `"token"` | 합을 토큰의 수로 나눈 것 |
# | `"byte"` | 합을 보기의 바이트 수 `byte_lengths`로 나눈 것 |
# | `"pmi"` | 합에서, 물음 없이 잰 로그 확률 `prior`의 합을 뺀 것 |
#
# - `log_probs (..., c, n)`에서 축 `c`가 보기, `n`이 토큰입니다. `mask`가 `True`인 것만 보기의 토큰이고, 나머지 자리에는 **무엇이든**(NaN도) 있을 수 있습니다.
#   `prior`도 같은 모양이고 같은 `mask`를 씁니다.
# - 토큰이 하나도 없는 줄은 보기가 아닙니다. 보기의 수가 물음마다 다를 때 채운 것입니다. 점수는 어느 방법이든 $-\infty$입니다.
# - 다른 `how`이거나 그 방법에 드는 `byte_lengths`나 `prior`가 없으면 `ValueError`를 냅니다.
# - 기울기는 로그 확률로 흐르고, NaN이 섞이지 않습니다.


# %% choice_scores tags=["question"]
def choice_scores(
    log_probs: Float[Tensor, "*batch c n"],
    mask: Bool[Tensor, "*batch c n"],
    how: str,
    byte_lengths: Shaped[Tensor, "*batch c"] | None = None,
    prior: Float[Tensor, "*batch c n"] | None = None,
) -> Float[Tensor, "*batch c"]:
    """Scores of the choices of a question; the highest is the model's answer.

    Holtzman et al. 2021 for "pmi".

    Args:
        log_probs: of the choices' tokens, the question before them.
        mask: True where a choice has a token.
        how: "sum", "token", "byte" or "pmi".
        byte_lengths: of the choices as UTF-8.
        prior: log probabilities of the same tokens without the question.

    Returns:
        In the dtype of `log_probs`; minus infinity for a row without tokens.

    Raises:
        ValueError: another `how`, or what it needs is missing.
    """
    ### BEGIN SOLUTION
    needed = {"sum": mask, "token": mask, "byte": byte_lengths, "pmi": prior}
    if needed.get(how) is None:
        raise ValueError(f"{how}: not a way, or without what it needs")
    there = mask.any(dim=-1)
    scores = log_probs.masked_fill(~mask, 0).sum(dim=-1)
    if how == "token":
        scores = scores / mask.sum(dim=-1).clamp(min=1)
    elif how == "byte":
        scores = scores / byte_lengths.masked_fill(~there, 1)
    elif how == "pmi":
        scores = scores - prior.masked_fill(~mask, 0).sum(dim=-1)
    return scores.masked_fill(~there, -math.inf)
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 짝지어 비교하기
#
# 두 모델이 같은 물음 $n$개를 풀었습니다. 점수의 차 $d_i = a_i - b_i$의 평균과 그 표준오차를 구합니다. 물음마다 어려움이 다르지만, 같은 물음끼리 빼면 사라집니다.
#
# 한 지문에 딸린 물음들은 함께 맞고 함께 틀립니다. `groups`는 물음마다 지문의 번호입니다. 같은 지문의 물음은 서로 독립이 아니므로 지문마다 먼저 더합니다. 지문이 $G$개이면
#
# $$\text{SE}^2 = \frac{G}{G - 1} \cdot \frac{1}{n^2} \sum_{g} \Bigl(\sum_{i \in g} (d_i - \bar d)\Bigr)^2$$
#
# 입니다. `groups`가 없으면 물음마다 지문이 따로 있는 것과 같습니다. 그때는 늘 보던 $\sqrt{\frac{\operatorname{var}(d)}{n}}$입니다(분산은 $n - 1$로 나눈 것).
#
# - 차의 평균과 표준오차를 이 차례로 0차원 텐서 둘로 돌려줍니다. 점수는 0과 1이 아닌 실수여도 됩니다.
# - 지문의 번호는 아무 정수여도 되고, 지문마다 물음의 수가 달라도 되고, 흩어져 있어도 됩니다.
# - 길이가 다르거나 지문이 둘보다 적으면 `ValueError`를 냅니다.


# %% paired_difference tags=["question"]
def paired_difference(
    a: Float[Tensor, "n"], b: Float[Tensor, "m"], groups: Int[Tensor, "k"] | None = None
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Mean difference of two models' scores on the same questions, and its error.

    Miller 2024, sections 2.2 and 4; with G / (G - 1), as cluster-robust errors have it.

    Args:
        a, b: scores of the questions in one order.
        groups: of which passage each question is; each its own if None.

    Returns:
        mean(a - b); its standard error.

    Raises:
        ValueError: lengths differ, or there are fewer than two groups.
    """
    ### BEGIN SOLUTION
    n = len(a)
    if groups is None:
        groups = torch.arange(n, device=a.device)
    if not n == len(b) == len(groups):
        raise ValueError(f"lengths {n}, {len(b)} and {len(groups)}")
    numbers, places = groups.unique(return_inverse=True)
    if len(numbers) < 2:
        raise ValueError("one group tells nothing of how groups differ")
    difference = a - b
    mean = difference.mean()
    totals = torch.zeros(len(numbers), dtype=a.dtype, device=a.device)
    totals = totals.index_add(0, places, difference - mean)
    share = len(numbers) / (len(numbers) - 1)
    return mean, (share * totals.square().sum()).sqrt() / n
    ### END SOLUTION


# %% [markdown]
# ## 문제 5. 심판의 버릇 빼기
#
# `judge(first, second)`는 두 글을 차례로 읽고 **먼저 읽은 글**이 나을 확률(0에서 1)을 돌려줍니다. 심판은 먼저 읽은 글을 좋아할 수도, 긴 글을 좋아할 수도 있습니다. `a[i]`와 `b[i]`는 같은
# 물음에 대한 두 모델의 답입니다. 두 수를 돌려줍니다.
#
# - **자리를 바꾸어 평균한 승률.** 쌍마다 두 차례로 물어, `a[i]`가 나을 확률의 평균 $p_i$를 구합니다. 승률은 $p_i$의 평균입니다. 심판은 쌍마다 꼭 두 번 부릅니다.
# - **길이가 같을 때의 승률.** 길이의 차를 $x_i = |a_i| - |b_i|$(글자의 수)라고 합니다. $p_i \approx \alpha + \beta x_i$가 되도록 최소제곱으로 직선을 그으면, $x = 0$에서의
#   값이 $\alpha$입니다. 이것을 돌려줍니다.
#
# - `a`와 `b`의 수가 다르거나, 쌍이 없거나, $x_i$가 모두 같아서 기울기를 알 수 없으면 `ValueError`를 냅니다.


# %% judge_fairly tags=["question"]
def judge_fairly(
    judge: Callable[[str, str], float], a: list[str], b: list[str]
) -> tuple[float, float]:
    """How often a judge prefers `a`, whatever is read first; and at equal length.

    Zheng et al. 2023 swap places. Dubois et al. 2024 fit a logistic line.

    Args:
        judge: (first, second) -> probability that the first is better.
        a, b: two models' answers to the same questions.

    Returns:
        Mean preference for `a` over both orders; the least-squares line through the
        pairs' preferences, at no difference in length.

    Raises:
        ValueError: not as many answers, none, or all pairs differ in length by as much.
    """
    ### BEGIN SOLUTION
    if len(a) != len(b) or not a:
        raise ValueError(f"{len(a)} and {len(b)} answers")
    preferred = [(judge(x, y) + 1 - judge(y, x)) / 2 for x, y in zip(a, b, strict=True)]
    longer = [len(x) - len(y) for x, y in zip(a, b, strict=True)]
    mean, centre = sum(preferred) / len(a), sum(longer) / len(a)
    spread = sum((x - centre) ** 2 for x in longer)
    if spread == 0:
        raise ValueError("all pairs differ in length by as much")
    pairs = zip(longer, preferred, strict=True)
    slope = sum((x - centre) * (p - mean) for x, p in pairs) / spread
    return mean, mean - slope * centre
    ### END SOLUTION


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 짧은 마지막 창, 채운 보기, 흩어진 지문, 길이가 모두 같은 답처럼 이 글에 적힌 약속을 그대로 시험합니다.
