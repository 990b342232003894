# %% [markdown]
# # 연습: 지도는 설명일까요
#
# **난이도** 2/3 · **시간** 60분 · **배점** 10점 · **먼저 읽을 장** [지도는 설명일까요](../../chapters/interpretability.md)
#
# 어텐션 지도를 본 다음에 쓰는 도구 여섯을 만듭니다. 층을 잇는 롤아웃, 입력을 지워 보는 점수, 가중치를 바꿔치기하는 함수, 탐침이 외운 몫을 덜어
# 내는 대조, 헤드를 하나씩 끄는 검사, 귀납 헤드를 찾는 점수입니다. 모두 모델의 코드를 고치지 않고 밖에서 잽니다. 마지막 둘은
# [다음 장](../../chapters/circuits.md)의 것입니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor

# %% [markdown]
# ## 주어진 것: 전변동 거리
#
# 장에서 두 분포를 비교할 때 쓴 함수입니다. 바꿔치기한 뒤에 답이 얼마나 움직였는지 재어 보고 싶을 때 쓰십시오.


# %%
def total_variation(
    p: Float[Tensor, "*batch n"], q: Float[Tensor, "*batch n"]
) -> Float[Tensor, "*batch"]:
    """Half the summed differences of two distributions over the last axis.

    Returns:
        Between 0, where they agree, and 1, where they share nothing.
    """
    return (p - q).abs().sum(dim=-1) / 2


# %% [markdown]
# ## 문제 1. 롤아웃
#
# 층마다 헤드를 평균한 가중치 $\bar{A}_l$에 잔차 연결의 몫 $r$을 섞고, 층을 차례로 곱합니다. 나중 층을 **왼쪽에서** 곱합니다.
#
# $$
# \hat{A}_l = r I + (1 - r)\,\bar{A}_l
# \qquad
# R = \hat{A}_N \cdots \hat{A}_2\, \hat{A}_1
# $$
#
# ```text
# 층 1 [[0.5, 0.5], [0, 1]]   층 2 [[1, 0], [0.5, 0.5]]   헤드 하나, r = 0.5
#   →  [[0.75, 0.25], [0.1875, 0.8125]]
# ```
#
# `weights`는 첫 층부터 마지막 층까지의 리스트입니다. 결과의 `i`번째 행은 마지막 층의 위치 `i`가 입력의 위치마다 얼마나 이어져 있는지이고, 합이
# 1입니다.


# %% attention_rollout tags=["question"]
def attention_rollout(
    weights: list[Float[Tensor, "batch heads n n"]], residual: float = 0.5
) -> Float[Tensor, "batch n n"]:
    """Follow attention through all layers, residual connections included.

    Abnar and Zuidema 2020.

    Args:
        weights: attention weights of each layer, the first layer first.
        residual: the share that passes by each layer's attention, 0 to 1.

    Returns:
        Row i says how the last layer's position i is composed of the input's positions.
    """
    ### BEGIN SOLUTION
    n = weights[0].shape[-1]
    rollout = identity = torch.eye(n, dtype=weights[0].dtype, device=weights[0].device)
    for layer in weights:
        mean = layer.mean(dim=1)  # over heads: (batch, n, n)
        rollout = (residual * identity + (1 - residual) * mean) @ rollout
    return rollout
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 지워 보기
#
# 토큰 하나를 `mask_id`로 바꾸었을 때 예측이 얼마나 **줄어드는지**가 그 토큰의 점수입니다. 지우지 않은 예측에서 지운 예측을 뺍니다.
#
# `predict`는 토큰 번호 `(batch, n)`을 받아 문장마다 수 하나, `(batch,)`를 돌려주는 함수입니다. 토큰을 한 번에 하나씩만 바꾸고, `ids`는 그대로
# 둡니다.
#
# ```text
# predict가 번호의 합이고 mask_id가 0이면
#   erasure_scores(predict, tensor([5, 2, 4]), 0)  →  [5, 2, 4]
# ```


# %% erasure_scores tags=["question"]
def erasure_scores(
    predict: Callable[[Tensor], Tensor], ids: Int[Tensor, "n"], mask_id: int
) -> Float[Tensor, "n"]:
    """The fall of a prediction when a token is masked, one token at a time.

    Args:
        predict: maps ids (batch, n) to one number a sentence, (batch,).
        ids: one sentence; left unchanged.
        mask_id: what an erased token is replaced by.

    Returns:
        The prediction for `ids` minus the prediction with token i masked.
    """
    ### BEGIN SOLUTION
    # Row i is the sentence without token i: (n, n).
    erased = ids.repeat(len(ids), 1)
    erased.fill_diagonal_(mask_id)
    return predict(ids[None]) - predict(erased)
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 가중치 바꿔치기
#
# 가중치의 값은 그대로 두고 자리만 무작위로 바꿉니다. 행마다, 헤드마다 **따로** 섞고, 0인 자리(가려진 키)는 그대로 0이어야 합니다. 0이 아닌 자리의 모든
# 차례가 같은 확률로 나옵니다.
#
# ```text
# [[0.7, 0.2, 0.1, 0],     →   예를 들어   [[0.1, 0.7, 0.2, 0],
#  [0,   0.6, 0.4, 0]]                      [0,   0.6, 0.4, 0]]
# ```
#
# 난수는 `generator`에서만 얻습니다. 같은 상태의 `generator`는 같은 결과를 냅니다. 받은 `weights`는 그대로 둡니다.


# %% counterfactual_weights tags=["question"]
def counterfactual_weights(
    weights: Float[Tensor, "*batch n_q n_k"], generator: torch.Generator
) -> Float[Tensor, "*batch n_q n_k"]:
    """Permute each row among the places where it is not zero (Jain and Wallace 2019).

    Args:
        weights: attention weights; left unchanged.
        generator: the only source of randomness.

    Returns:
        Each row permuted for itself; zeros stay where they are.
    """
    ### BEGIN SOLUTION
    hidden = weights == 0
    noise = torch.rand(weights.shape, generator=generator, device=generator.device)
    noise = noise.to(weights.device)
    # Visible places come before hidden ones, shuffled and not.
    shuffled = noise.masked_fill(hidden, 2.0).argsort(dim=-1)
    places = hidden.int().argsort(dim=-1)
    return weights.scatter(-1, places, weights.gather(-1, shuffled))
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 탐침과 대조 과제
#
# 탐침이 92%를 맞혔습니다. 벡터에 그 정보가 있어서입니까, 토큰마다 라벨을 **외워서**입니까? 대조를 만들고 읽습니다.
#
# `accuracy(labels)`는 그 라벨로 탐침을 학습시켜 정확도 하나를 돌려주는 함수입니다. `kinds`는 토큰마다 그 종류의 번호이고, `labels`가 진짜 라벨입니다. 둘 다 `(n,)`입니다.
#
# - **대조 과제.** 종류마다 라벨을 하나씩 무작위로 정합니다. 종류가 같은 토큰은 라벨이 같으므로 외울 수는 있지만, 뜻은 없습니다. 라벨은 `labels`에 든 것을 그 비율대로 뽑습니다.
#   종류마다 토큰 하나를 아무 자리에서나 골라 그 라벨을 쓰면 됩니다. 종류끼리는 서로 독립입니다.
# - 대조 과제를 `rounds`번 새로 만들어 정확도를 잽니다. **선택성**은 진짜 정확도에서 대조의 정확도를 평균한 것을 뺀 것입니다.
# - 대조의 정확도가 진짜 **이상**인 것이 $c$번이면 $p = \frac{1 + c}{1 + \text{rounds}}$입니다. 진짜도 후보 하나로 세므로 0이 되지 않습니다.
#
# 선택성과 $p$를 파이썬의 실수 둘로, 이 차례로 돌려줍니다. 난수는 `generator`에서만 얻습니다. `rounds`가 1보다 작거나 길이가 다르면 `ValueError`를 냅니다.
#
# ```text
# kinds [7, 7, 3, 7]   labels [0, 0, 1, 0]   →   대조의 라벨은 예를 들어 [0, 0, 0, 0]이나 [1, 1, 0, 1].  [0, 1, 0, 0]은 아닙니다.
# ```


# %% selectivity tags=["question"]
def selectivity(
    accuracy: Callable[[Int[Tensor, "n"]], float],
    kinds: Int[Tensor, "n"],
    labels: Int[Tensor, "m"],
    rounds: int,
    generator: torch.Generator,
) -> tuple[float, float]:
    """What a probe finds beyond what it learns by heart (Hewitt and Liang 2019).

    Args:
        accuracy: trains a probe on labels (n,) and says how often it is right.
        kinds: which kind of token each is; any integers.
        labels: the real ones.
        rounds: how many control tasks are drawn, each with one label for a kind.
        generator: the only source of randomness.

    Returns:
        Accuracy minus the controls' mean; (1 + how many controls are at least as
        accurate) / (1 + rounds).

    Raises:
        ValueError: `rounds` is below 1, or there are not as many kinds as labels.
    """
    ### BEGIN SOLUTION
    if rounds < 1 or len(kinds) != len(labels):
        raise ValueError(f"{rounds} rounds, {len(kinds)} kinds, {len(labels)} labels")
    found, (numbers, which) = accuracy(labels), kinds.unique(return_inverse=True)
    controls = []
    for _ in range(rounds):
        drawn = torch.randint(len(labels), (len(numbers),), generator=generator)
        controls.append(accuracy(labels[drawn][which]))
    at_least = sum(control >= found for control in controls)
    return found - sum(controls) / rounds, (1 + at_least) / (1 + rounds)
    ### END SOLUTION


# %% [markdown]
# ## 문제 5. 헤드를 하나씩 끄기
#
# `loss`는 헤드 마스크를 받아 손실을 돌려주는 함수입니다. 헤드 마스크는 `(num_layers, num_heads)` 크기의 `float32` 텐서이고, 1이면 켜진 헤드, 0이면 꺼진
# 헤드입니다. 헤드 하나만 껐을 때의 손실에서 **모두 켰을 때의 손실을 뺀 것**이 그 헤드의 중요도입니다. 꺼도 그만인 헤드는 0입니다.
#
# ```text
# 손실이 10 - 3 × (헤드 1-1) - 1 × (헤드 1-2)이면   head_importance(loss, 1, 2)  →  [[3, 1]]
# ```
#
# `loss`를 여러 번 부르게 됩니다. 모두 켠 손실은 한 번만 구하면 됩니다.


# %% head_importance tags=["question"]
def head_importance(
    loss: Callable[[Tensor], float], num_layers: int, num_heads: int
) -> Float[Tensor, "{num_layers} {num_heads}"]:
    """The growth of the loss when one head is switched off (Michel et al. 2019).

    Args:
        loss: maps a head mask (num_layers, num_heads), float32 ones and zeros, to a
            number.
        num_layers: number of layers.
        num_heads: heads of each layer.

    Returns:
        Loss without the head minus loss with all of them.
    """
    ### BEGIN SOLUTION
    with_all = loss(torch.ones(num_layers, num_heads))
    importance = torch.zeros(num_layers, num_heads)
    for layer in range(num_layers):
        for head in range(num_heads):
            mask = torch.ones(num_layers, num_heads)
            mask[layer, head] = 0
            importance[layer, head] = loss(mask) - with_all
    return importance
    ### END SOLUTION


# %% [markdown]
# ## 문제 6. 귀납 헤드 찾기
#
# 귀납 헤드는 지금 토큰이 **마지막으로** 나왔던 자리의 **바로 다음**을 봅니다. 앞에 같은 토큰이 있는 위치마다 그 자리에 준 가중치를 모아 평균하십시오.
# 헤드마다 수 하나입니다.
#
# ```text
# ids      5  1  5  2  5  3
# 위치     0  1  2  3  4  5
#   위치 2(토큰 5)는 앞의 5가 위치 0이므로 위치 1에 준 가중치
#   위치 4(토큰 5)는 가장 가까운 앞의 5가 위치 2이므로 위치 3에 준 가중치
#   나머지는 앞에 같은 토큰이 없으므로 세지 않습니다
# ```
#
# 바로 앞 토큰이 같으면 '바로 다음'은 자기 자신입니다. 앞에 같은 토큰이 있는 위치가 하나도 없으면 모든 헤드가 0입니다.


# %% induction_score tags=["question"]
def induction_score(
    weights: Float[Tensor, "heads n n"], ids: Int[Tensor, "n"]
) -> Float[Tensor, "heads"]:
    """Each head's attention to what followed the same token last time.

    Olsson et al. 2022.

    Args:
        weights: attention weights of one sentence.
        ids: its tokens.

    Returns:
        The mean weight from i to the place after the last earlier occurrence of ids[i],
        over the i that have one; zeros where no token repeats.
    """
    ### BEGIN SOLUTION
    places = torch.arange(len(ids), device=ids.device)
    earlier = (ids == ids[:, None]) & (places < places[:, None])  # (n, n)
    last = torch.where(earlier, places, -1).amax(dim=-1)
    repeated = last >= 0
    if not repeated.any():
        return weights.new_zeros(len(weights))
    return weights[:, repeated, last[repeated] + 1].mean(dim=-1)
    ### END SOLUTION


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 헤드가 여럿인 층, 토큰이 하나인 문장, 가려진 키, 수가 고르지 않은 종류, 다른 자료형처럼 이 글에 적힌 약속을 그대로 시험합니다.
