# %% [markdown]
# # 연습: 멀티 헤드 어텐션
#
# **난이도** 2/3 · **시간** 70분 · **배점** 10점 · **먼저 읽을 장** [멀티 헤드 어텐션](../../chapters/multi_head_attention.md)
#
# 질의와 키와 값을 헤드로 나누고, 다시 합치고, 그 둘로 멀티 헤드 어텐션을 만듭니다. 마지막 문제에서는 PyTorch의
# `nn.MultiheadAttention`에서 가중치를 옮겨 와 같은 답이 나오게 합니다.
#
# 이 노트북에서 쓰는 약속은 세 가지입니다.
#
# - 벡터의 나열은 `(..., n, d)`입니다. 앞의 `...`에는 축이 없을 수도, 여럿일 수도 있습니다. 축은 뒤에서부터 세십시오.
# - 헤드의 수는 `h`, 헤드 하나의 차원은 `d_k = d_model / h`입니다. 나누어떨어지지 않으면 `ValueError`를 냅니다.
# - **마스크에서 `True`는 "볼 수 있다"는 뜻입니다.** `nn.MultiheadAttention`의 마스크는 반대입니다.
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
# ## 문제 1. 헤드로 나누기
#
# `d`차원 벡터를 앞에서부터 `d_k`개씩 끊어 `h`개의 헤드에 나누어 줍니다. 헤드는 저마다 **모든 위치**의 벡터를
# 자기 몫만큼 받습니다. 헤드 축은 위치 축 바로 앞에 둡니다. 다음에서 헤드 0은 모든 위치의 앞 절반을, 헤드 1은
# 뒤 절반을 받습니다.
#
# ```text
# x = [[0, 1, 2, 3],
#      [4, 5, 6, 7],
#      [8, 9, 10, 11]]
#
# split_heads(x, 2)  →  [[[0, 1], [4, 5], [8, 9]],
#                        [[2, 3], [6, 7], [10, 11]]]
# ```


# %% split_heads tags=["question"]
def split_heads(
    x: Float[Tensor, "*batch n d"], num_heads: int
) -> Float[Tensor, "*batch {num_heads} n d_k"]:
    """Cut every vector into one slice a head.

    Args:
        x: vectors.
        num_heads: number of heads; each gets d_k = d / heads features.

    Returns:
        Head i holds features i * d_k to (i + 1) * d_k of every position.

    Raises:
        ValueError: d is not a multiple of `num_heads`.
    """
    ### BEGIN SOLUTION
    if x.shape[-1] % num_heads:
        raise ValueError(f"{x.shape[-1]} features do not divide into {num_heads} heads")
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 헤드를 다시 합치기
#
# 나누기의 반대입니다. 위치마다 헤드의 결과를 헤드 순서대로 이어 붙입니다. `merge_heads(split_heads(x, h))`는 `x`와
# 같아야 합니다.


# %% merge_heads tags=["question"]
def merge_heads(x: Float[Tensor, "*batch heads n d_k"]) -> Float[Tensor, "*batch n d"]:
    """Concatenate, at every position, what the heads have found, head 0 first."""
    ### BEGIN SOLUTION
    return x.transpose(-3, -2).flatten(-2)
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 멀티 헤드 어텐션
#
# 순서는 다음과 같습니다.
#
# 1. `W_q`, `W_k`, `W_v`로 질의, 키, 값을 만듭니다. 세 가지 모두 `d_model`에서 `d_model`로 가는 선형 변환이고 편향도
#    있습니다.
# 2. 헤드로 나누고, 헤드마다 스케일드 내적 어텐션을 계산합니다. 헤드의 차원은 `d_model`이 아니라 `d_k`입니다.
# 3. 헤드의 결과를 합치고 `W_o`를 곱합니다.
#
# 질의의 수 `n_q`와 키의 수 `n_k`는 다를 수 있습니다. 키와 값의 수는 같습니다. 출력과 함께 헤드마다의 가중치를
# **평균 내지 않고** 돌려줍니다.
#
# 마스크의 모양은 세 가지입니다. `(batch, n_q, n_k)`에서 `batch`와 `heads`가 같더라도 첫 축은 배치입니다.
#
# | 모양 | 뜻 |
# | --- | --- |
# | `(n_q, n_k)` | 모든 문장, 모든 헤드에 같은 마스크 |
# | `(batch, n_q, n_k)` | 문장마다 다른 마스크, 헤드는 같이 씁니다 |
# | `(batch, 1, n_q, n_k)`, `(batch, heads, n_q, n_k)` | 점수의 모양으로 브로드캐스트됩니다 |
#
# 배치 축이 없으면 마스크에도 없고, 여럿이면 `batch` 자리에 그 축이 모두 옵니다.
#
# 볼 것이 하나도 없는 질의의 가중치와 출력은 NaN이 아니라 0이고, 기울기도 유한합니다. 그 이유는
# [마스킹](../../chapters/masking.md) 장에서 설명합니다. 점수가 1,000처럼 커도 넘치지 않아야 합니다.
# `F.scaled_dot_product_attention`과 `nn.MultiheadAttention`은 쓰지 않습니다.


# %% MultiHeadAttention tags=["question"]
class MultiHeadAttention(nn.Module):
    """Scaled dot-product attention in several heads at once.

    Vaswani et al. 2017, section 3.2.2.

    Args:
        d_model: size of the vectors that come in and go out.
        num_heads: number of heads; each works with d_k = d_model / heads features.

    Attributes:
        W_q, W_k, W_v, W_o: `nn.Linear`, d_model -> d_model, with bias.

    Raises:
        ValueError: `d_model` is not a multiple of `num_heads`.
    """

    def __init__(self, d_model: int, num_heads: int):
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
        ### END SOLUTION

    def forward(
        self,
        query: Float[Tensor, "*batch n_q d_model"],
        key: Float[Tensor, "*batch n_k d_model"],
        value: Float[Tensor, "*batch n_k d_model"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[
        Float[Tensor, "*batch n_q d_model"], Float[Tensor, "*batch heads n_q n_k"]
    ]:
        """Let every query collect values, once in every head.

        Args:
            mask: True = may attend; (n_q, n_k), (..., n_q, n_k) for all heads alike, or
                anything that broadcasts to the scores (..., heads, n_q, n_k).

        Returns:
            The output, and weights that are not averaged over heads. Both are zero for
            a query with nothing to see.
        """
        ### BEGIN SOLUTION
        Q = split_heads(self.W_q(query), self.num_heads)  # (..., heads, n_q, d_k)
        K = split_heads(self.W_k(key), self.num_heads)  # (..., heads, n_k, d_k)
        V = split_heads(self.W_v(value), self.num_heads)  # (..., heads, n_k, d_k)
        # (..., heads, n_q, n_k)
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if mask is None:
            mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
        elif mask.dim() == query.dim():
            mask = mask.unsqueeze(-3)  # all heads alike
        nothing_to_see = ~mask.any(dim=-1, keepdim=True)
        # Rows with nothing to see go through softmax unmasked, where it is finite, and
        # are zeroed afterwards.
        hidden = ~(mask | nothing_to_see)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        weights = weights.masked_fill(nothing_to_see, 0.0)
        output = self.W_o(merge_heads(weights @ V))
        # What no head has found is zero, without the bias of W_o.
        sees_something = weights.any(dim=-1).any(dim=-2).unsqueeze(-1)  # (..., n_q, 1)
        return output.masked_fill(~sees_something, 0.0), weights
        ### END SOLUTION


# %% [markdown]
# ## 문제 4. PyTorch에서 가중치 옮기기
#
# `nn.MultiheadAttention`은 같은 계산을 합니다. 다만 가중치를 다르게 담습니다.
#
# | 이름 | 모양 | 내용 |
# | --- | --- | --- |
# | `in_proj_weight` | `(3 * d_model, d_model)` | `W_q`, `W_k`, `W_v`의 가중치를 이 순서대로 위아래로 쌓은 것 |
# | `in_proj_bias` | `(3 * d_model,)` | 세 편향을 이은 것. `bias=False`로 만들었으면 `None` |
# | `out_proj.weight`, `out_proj.bias` | `(d_model, d_model)`, `(d_model,)` | `W_o` |
# | `embed_dim`, `num_heads` | | `d_model`, `h` |
#
# 같은 입력에 같은 출력을 내는 **새** `MultiHeadAttention`을 만드십시오. 가중치는 베껴야 합니다. 나중에 `mha`를 더
# 학습시켜도 새 모듈은 그대로여야 합니다. 자료형과 장치는 `mha`를 따르고, `mha`에 편향이 없으면 편향은 0입니다.


# %% load_from_torch tags=["question"]
def load_from_torch(mha: nn.MultiheadAttention) -> MultiHeadAttention:
    """Copy PyTorch's weights into a new module that computes the same.

    Args:
        mha: a module whose queries, keys and values have the same size `embed_dim`.

    Returns:
        A new module, of the dtype and device of `mha`, that shares no memory with it.
    """
    ### BEGIN SOLUTION
    attention = MultiHeadAttention(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight)
    maps = [attention.W_q, attention.W_k, attention.W_v, attention.W_o]
    weights = [*mha.in_proj_weight.chunk(3), mha.out_proj.weight]
    if mha.in_proj_bias is None:
        biases = torch.zeros(4, mha.embed_dim)
    else:
        biases = [*mha.in_proj_bias.chunk(3), mha.out_proj.bias]
    with torch.no_grad():
        for linear, weight, bias in zip(maps, weights, biases, strict=True):
            linear.weight.copy_(weight)
            linear.bias.copy_(bias)
    return attention
    ### END SOLUTION


# %% [markdown]
# ## 진짜 헤드가 보는 곳
#
# 이 책의 작은 한국어 BERT에는 층마다 헤드가 넷 있습니다. 그 가중치를 여러분의 `MultiHeadAttention`에 부어, 헤드마다 한 단어가 어느 단어를
# 가장 많이 보는지 적습니다. BERT가 스스로 계산한 가중치와 얼마나 다른지도 적습니다. 점수는 없습니다.
#
# - 한 칸 앞을 보는 헤드가 있습니까? 한 칸 뒤를 보는 헤드, `[CLS]`만 보는 헤드는 어느 것입니까?
# - `where_heads_look("배우들 연기가 정말 좋았다", layer=0)`처럼 다른 문장과 층을 넣어 보십시오.


# %%
def where_heads_look(text: str, layer: int = 1) -> None:
    """Print which token each token attends to most, in each head of tiny BERT."""
    from course_data import load_model

    bert, tokenizer = load_model("BertModel")
    bert.set_attn_implementation("eager")  # which returns weights
    batch = tokenizer(text, return_tensors="pt")
    attention = MultiHeadAttention(bert.config.hidden_size, 4).eval()
    theirs = bert.encoder.layer[layer].attention
    own = theirs.self
    parts = [own.query, own.key, own.value, theirs.output.dense]
    names = ["W_q", "W_k", "W_v", "W_o"]
    for name, trained in zip(names, parts, strict=True):
        getattr(attention, name).load_state_dict(trained.state_dict())
    with torch.no_grad():
        seen = bert(**batch, output_hidden_states=True, output_attentions=True)
        x = seen.hidden_states[layer]
        _, weights = attention(x, x, x)
    difference = (weights - seen.attentions[layer]).abs().max()
    print(f"largest difference from BERT's own weights: {difference:.0e}")
    tokens = tokenizer.convert_ids_to_tokens(batch["input_ids"][0])
    for head, rows in enumerate(weights[0]):
        looks = [f"{tokens[i]}->{tokens[row.argmax()]}" for i, row in enumerate(rows)]
        print(f"head {head}:", "  ".join(looks[1:-1]))


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    where_heads_look("나는 집에 간다")

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 배치 축이 없거나 여럿인 입력, 길이가 1인 문장, 헤드가 하나뿐이거나 `d_model`개인 경우, 세 가지 모양의
# 마스크처럼 이 글에 적힌 약속을 그대로 시험합니다.
