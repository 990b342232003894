# %% [markdown]
# # 연습: 어텐션
#
# **난이도** 2/3 · **시간** 50분 · **배점** 10점 · **먼저 읽을 장** [어텐션](../../chapters/attention.md)
#
# 질의로 값을 모으는 함수를 두 번 만듭니다. 처음에는 내적과 소프트맥스만 쓰고, 다음에는 나눗셈과 마스크를 더합니다. 마지막
# 문제에서는 왜 나누어야 하는지를 표본으로 잽니다.
#
# 두 함수는 언제나 **출력과 가중치**를 함께 돌려줍니다. 가중치가 있어야 질의가 무엇을 보았는지 알 수 있습니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

# %% [markdown]
# ## 문제 1. 내적 어텐션
#
# 질의와 키의 내적이 점수이고, 점수의 소프트맥스가 가중치이며, 값의 가중합이 출력입니다. 아직 아무것으로도 나누지 않습니다.
#
# ```text
# query  (4,)            keys (3, 4)            values (3, 2)   →  output (2,)            weights (3,)
# query  (5, 4)          keys (3, 4)            values (3, 2)   →  output (5, 2)          weights (5, 3)
# query  (8, 2, 5, 4)    keys (8, 2, 3, 4)      values (8, 2, 3, 2)   →  output (8, 2, 5, 2)    weights (8, 2, 5, 3)
# ```
#
# 이 장의 풋사과로 확인합니다.
#
# ```text
# query (1, 1, 0, 0)   keys (3, 1, 0, 0), (0, 2, 0, 0), (0, 0, 3, 0)   values (12, 86), (8, 89), (2, 0)
#   점수      4, 2, 0
#   가중치    0.867, 0.117, 0.016
#   출력      (11.4, 85.0)
# ```
#
# 질의는 하나일 수도, 여럿일 수도 있습니다. 여럿이면 질의마다, 곧 행마다 따로 소프트맥스를 취합니다. 그 앞에 배치 축이 몇 개
# 있어도 됩니다. 점수가 1,000처럼 커도 넘치지 않아야 합니다. 두 문제 모두 `F.scaled_dot_product_attention`과 `nn.MultiheadAttention`은 쓰지 않습니다.


# %% dot_product_attention tags=["question"]
def dot_product_attention(
    query: Float[Tensor, "*queries d_k"],
    keys: Float[Tensor, "*batch n_k d_k"],
    values: Float[Tensor, "*batch n_k d_v"],
) -> tuple[Float[Tensor, "*queries d_v"], Float[Tensor, "*queries n_k"]]:
    """Sum the values, weighted by how well their keys match the query; unscaled.

    Args:
        query: one query (d_k,), or many.
        keys: what the query is compared with.
        values: what is summed.

    Returns:
        The output, and weights that sum to one over the keys.
    """
    ### BEGIN SOLUTION
    weights = (query @ keys.transpose(-2, -1)).softmax(dim=-1)
    return weights @ values, weights
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 스케일드 내적 어텐션
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$$
#
# 점수를 $\sqrt{d_k}$로 나누고, 마스크가 있으면 지킵니다.
#
# - `mask`에서 **`True`는 "볼 수 있다"는 뜻입니다.** 마스크의 모양은 점수 `(..., n_q, n_k)`의 모양으로 브로드캐스트됩니다.
# - 볼 수 없는 키의 가중치는 정확히 0이고, 볼 수 있는 키의 가중치는 합이 1입니다.
# - 볼 것이 하나도 없는 질의는 가중치와 출력이 모두 0입니다. NaN이 되어서는 안 되고, 기울기도 유한해야 합니다. 그 이유는
#   [마스킹](../../chapters/masking.md) 장에서 설명합니다.
#
# 문제 1의 풋사과에서는 점수가 $\sqrt{4} = 2$로 나뉘어 2, 1, 0이 됩니다.
#
# ```text
# 마스크 없음            가중치 0.665, 0.245, 0.090   출력 (10.1, 79.0)
# 사과를 볼 수 없으면    가중치 0,     0.731, 0.269   출력 (6.4, 65.1)
# ```
#
# 소프트맥스는 `-inf`인 점수에 가중치 0을 줍니다. 그러나 한 행이 모두 `-inf`이면 NaN을 냅니다.
#
# 문제 1의 함수를 부르지 말고 처음부터 쓰십시오.


# %% scaled_dot_product_attention tags=["question"]
def scaled_dot_product_attention(
    query: Float[Tensor, "*batch n_q d_k"],
    key: Float[Tensor, "*batch n_k d_k"],
    value: Float[Tensor, "*batch n_k d_v"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[Float[Tensor, "*batch n_q d_v"], Float[Tensor, "*batch n_q n_k"]]:
    """Attention of Vaswani et al. (2017), equation 1: softmax(Q Kᵀ / sqrt(d_k)) V.

    Args:
        mask: broadcasts to the scores (..., n_q, n_k), True = may attend; None hides
            nothing.

    Returns:
        Output and weights. A query with nothing to see gets zeros in both, with finite
        gradients.
    """
    ### BEGIN SOLUTION
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        nothing_to_see = ~mask.any(dim=-1, keepdim=True)
        # Rows with nothing to see go through softmax unmasked, where it is finite, and
        # are zeroed afterwards.
        hidden = ~(mask | nothing_to_see)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        weights = weights.masked_fill(nothing_to_see, 0.0)
    return weights @ value, weights
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 점수의 분산
#
# 성분이 모두 독립이고 평균 0, 분산 1인 정규 분포를 따르는 질의와 키가 있습니다. 둘의 내적은 분산이 얼마입니까? 답을 아는
# 사람도 재어 보십시오. 질의와 키의 쌍을 `samples`개 뽑고, 나누지 않은 내적의 분산을 추정해 `float`로 돌려줍니다.
#
# 난수는 모두 `generator`에서 뽑습니다 (`torch.randn(..., generator=generator)`). 그러면 같은 시드가 같은 추정값을 냅니다.


# %% expected_score_variance tags=["question"]
def expected_score_variance(
    d_k: int, samples: int = 10_000, generator: torch.Generator | None = None
) -> float:
    """Estimate by sampling the variance of a random query's and key's dot product.

    Args:
        d_k: number of components, each drawn independently from N(0, 1).
        samples: number of pairs of a query and a key, each pair drawn anew.
        generator: where all random numbers come from; None = torch's own.

    Returns:
        The variance of the unscaled dot products of the sample.
    """
    ### BEGIN SOLUTION
    queries = torch.randn(samples, d_k, generator=generator)
    keys = torch.randn(samples, d_k, generator=generator)
    return (queries * keys).sum(dim=-1).var().item()
    ### END SOLUTION


# %% [markdown]
# ## 단어가 단어를 찾습니다
#
# 만든 함수에 진짜 단어를 넣습니다. 이 책의 작은 한국어 BERT는 영화평을 읽으며 토큰 7,680개의 벡터를 배웠습니다. 한 단어를 질의로, 나머지 모두를
# 키이자 값으로 삼으면 가중치는 어느 단어에 모입니까? 자기 자신은 마스크로 가립니다. 점수는 없습니다.
#
# - '일본'은 무엇을 찾습니까? `sharpness`를 5로 낮추면 가중치가 어떻게 됩니까?
# - 다른 단어도 넣어 보십시오. 비슷한 말도 찾고 반대말도 찾습니다. 왜 둘을 가리지 못할까요?


# %%
def look_up(word: str, sharpness: float = 20.0) -> None:
    """Print the tokens of tiny BERT's vocabulary that a word attends to most."""
    from course_data import load_model

    bert, tokenizer = load_model("BertModel")
    table = bert.get_input_embeddings().weight.detach()
    table = torch.nn.functional.normalize(table - table.mean(dim=0), dim=-1)
    number = tokenizer.convert_tokens_to_ids(word)
    if number == tokenizer.unk_token_id:
        print(f"{word}: not in the vocabulary")
        return
    query = sharpness * math.sqrt(table.shape[-1]) * table[[number]]
    others = torch.arange(len(table)) != number
    _, weights = scaled_dot_product_attention(query, table, table, others[None])
    for weight, found in zip(*weights[0].topk(4), strict=True):
        print(f"{word} -> {tokenizer.decode(found)}  {weight:.2f}")


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    for word in ["일본", "음악", "슬픈", "좋다"]:
        look_up(word)

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 여러 축의 배치, 길이가 1인 입력, 모양이 다른 마스크, 다른 자료형처럼 이 글에 적힌 약속을 그대로
# 시험합니다.
