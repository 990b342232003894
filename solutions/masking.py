# %% [markdown]
# # 연습: 마스킹
#
# **난이도** 2/3 · **시간** 50분 · **배점** 10점 · **먼저 읽을 장** [마스킹](../../chapters/masking.md)
#
# 마스크 두 가지를 만들고, 합치고, 소프트맥스에 넣습니다. 마지막 문제에서는 어떤 함수가 미래를 훔쳐보는지 판정하는
# 검사기를 만듭니다.
#
# 약속은 하나입니다. **마스크에서 `True`는 "볼 수 있다"는 뜻입니다.** PyTorch의 `F.scaled_dot_product_attention`은
# 이 약속과 같고, `nn.MultiheadAttention`의 마스크는 반대입니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

# %% [markdown]
# ## 문제 1. 패딩 마스크
#
# 길이가 다른 문장을 한 배치에 담으려면 짧은 문장의 뒤를 패딩으로 채웁니다. 문장마다 진짜 토큰의 수가 `lengths`로
# 주어질 때, 진짜 토큰 자리는 `True`, 패딩 자리는 `False`인 텐서를 만드십시오.
#
# ```text
# padding_mask(tensor([3, 1]), 4)  →  [[True, True,  True,  False],
#                                      [True, False, False, False]]
# ```
#
# `max_length`보다 긴 문장이 있으면 `ValueError`를 냅니다.


# %% padding_mask tags=["question"]
def padding_mask(
    lengths: Int[Tensor, "batch"], max_length: int
) -> Bool[Tensor, "batch {max_length}"]:
    """Mark the real tokens of each sentence in a padded batch.

    Args:
        lengths: number of real tokens of each sentence.
        max_length: the padded length.

    Returns:
        True = a real token; on the device of `lengths`.

    Raises:
        ValueError: a sentence is longer than `max_length`.
    """
    ### BEGIN SOLUTION
    if (lengths > max_length).any():
        raise ValueError(
            f"a sentence of {int(lengths.max())} tokens does not fit into {max_length}"
        )
    positions = torch.arange(max_length, device=lengths.device)
    return positions < lengths[:, None]
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 룩어헤드 마스크
#
# 다음 단어를 맞히는 디코더는 자기보다 뒤에 있는 단어를 보면 안 됩니다. `i`번째 행의 `j`번째 열은 "위치 `i`가 위치 `j`를
# 볼 수 있는가"입니다. 자기 자신과 그 앞은 볼 수 있습니다.
#
# ```text
# look_ahead_mask(3)  →  [[True,  False, False],
#                         [True,  True,  False],
#                         [True,  True,  True ]]
# ```


# %% look_ahead_mask tags=["question"]
def look_ahead_mask(
    length: int, device: torch.device | str | None = None
) -> Bool[Tensor, "{length} {length}"]:
    """Mark what position i may attend to: itself and everything before it.

    Args:
        length: number of positions.
        device: where the mask lies.

    Returns:
        True = the row's position may attend to the column's position.
    """
    ### BEGIN SOLUTION
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 두 마스크 합치기
#
# 디코더에서는 두 조건을 모두 지켜야 합니다. 문장마다 패딩이 다르므로 결과는 문장마다 하나씩, `(batch, n, n)`입니다.
#
# 패딩 마스크가 가리는 것은 **키**, 곧 열입니다. 패딩 자리의 행(질의)은 가리지 않습니다. 그 행의 출력은 어차피 쓰지
# 않고, 행 전체를 가리면 볼 것이 하나도 없는 행이 생기기 때문입니다.


# %% combine_masks tags=["question"]
def combine_masks(
    padding: Bool[Tensor, "batch n"], look_ahead: Bool[Tensor, "n n"]
) -> Bool[Tensor, "batch n n"]:
    """Allow what both masks allow; padding hides keys (columns), not queries (rows).

    Args:
        padding: True = a real token.
        look_ahead: True = row may attend to column.

    Returns:
        True = may attend.
    """
    ### BEGIN SOLUTION
    return padding[:, None, :] & look_ahead
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 마스크를 쓰는 소프트맥스
#
# 마지막 축(키 축)으로 소프트맥스를 취하되, `mask`가 `False`인 자리의 가중치는 정확히 0이어야 합니다. 볼 수 있는 자리의
# 가중치는 합이 1입니다.
#
# **볼 것이 하나도 없는 행**은 모두 0이어야 합니다. NaN이 되어서는 안 되고, 기울기도 유한해야 합니다. 점수가 아무리 커도,
# 아무리 작아도 맞아야 합니다. 마스크의 모양은 점수의 모양으로 브로드캐스트됩니다. `softmax`는 써도 되지만 `torch.masked.softmax`와 `F.scaled_dot_product_attention`은 쓰지
# 않습니다.


# %% masked_softmax tags=["question"]
def masked_softmax(
    scores: Float[Tensor, "*batch n_q n_k"], mask: Bool[Tensor, "..."]
) -> Float[Tensor, "*batch n_q n_k"]:
    """Softmax over the keys that a query may attend to.

    Args:
        scores: attention scores.
        mask: broadcasts to the scores, True = may attend.

    Returns:
        Weights, zero where the mask is False. A row sums to one, or is zero, with
        finite gradients, where a query has nothing to see.
    """
    ### BEGIN SOLUTION
    nothing_to_see = ~mask.any(dim=-1, keepdim=True)
    # Rows with nothing to see go through softmax unmasked, where it is finite, and
    # are zeroed afterwards.
    hidden = ~(mask | nothing_to_see)
    weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
    return weights.masked_fill(nothing_to_see, 0.0)
    ### END SOLUTION


# %% [markdown]
# ## 문제 5. 미래를 보는가
#
# `fn`은 `(..., n, d)`를 받아 같은 길이의 `(..., n, d')`를 돌려주는 함수입니다. 시간 축은 뒤에서 둘째 축입니다. `fn`의 `t`번째
# 출력이 `t`보다 뒤에 있는 입력에 조금이라도 영향을 받으면 `False`, 그렇지 않으면 `True`를 돌려주십시오. 부동소수점 오차는 영향이
# 아닙니다. 차이가 `1e-6`을 넘지 않으면 그대로인 것으로 봅니다.
#
# 마스크의 코드를 읽지 않고도 새는 곳을 찾는 방법입니다. 입력의 뒷부분을 바꾸고 앞부분의 출력이 그대로인지 보십시오.
# 어느 자리에서 새는지 모르므로 자르는 위치를 모두 시험해야 합니다.


# %% causal_attention_is_causal tags=["question"]
def causal_attention_is_causal(fn, x: Float[Tensor, "*batch n d"]) -> bool:
    """Probe whether `fn` keeps the future from the past.

    Args:
        fn: maps (..., n, d) to (..., n, d'); position i of the output belongs to
            position i of the input.
        x: an input to probe at; left unchanged.

    Returns:
        True if no output depends on a later input.
    """
    ### BEGIN SOLUTION
    expected = fn(x)
    for t in range(1, x.shape[-2]):
        changed = x.clone()
        changed[..., t:, :] = torch.randn_like(changed[..., t:, :])
        past, as_before = fn(changed)[..., :t, :], expected[..., :t, :]
        if not torch.allclose(past, as_before, rtol=0, atol=1e-6):
            return False
    return True
    ### END SOLUTION


# %% [markdown]
# ## 답을 보지 않고 이어 쓰기
#
# 이 책의 작은 한국어 GPT에서 어텐션의 마스크와 소프트맥스를 여러분의 것으로 바꿉니다. 그것으로 글을 이어 쓰고, 문제 5의 검사기로 GPT
# 전체를 검사합니다. 점수는 없습니다.
#
# - 이어 쓴 글은 말이 됩니까? `continue_text("배우들")`처럼 다른 글로 시작해 보십시오.
# - 마스크를 모두 `True`로 바꾸면(`causal=False`) 검사기는 무엇이라고 합니까?


# %%
@torch.no_grad()
def read(gpt, x: Tensor, causal: bool = True) -> Tensor:
    """What tiny GPT makes of embeddings (1, n, d) with your mask and your softmax."""
    mask = look_ahead_mask(x.shape[-2])
    mask = mask if causal else mask | True
    for block in gpt.transformer.h:
        merged = block.attn.c_attn(block.ln_1(x))
        merged = merged.unflatten(-1, (3, gpt.config.n_head, -1))
        query, key, value = merged.permute(2, 0, 3, 1, 4)  # (1, heads, n, d_k) each
        scores = query @ key.mT / query.shape[-1] ** 0.5
        mixed = masked_softmax(scores, mask) @ value
        x = x + block.attn.c_proj(mixed.transpose(1, 2).flatten(2))
        x = x + block.mlp(block.ln_2(x))
    return gpt.transformer.ln_f(x)


def continue_text(text: str, count: int = 10, causal: bool = True) -> None:
    """Print how tiny GPT goes on, and whether it keeps the future from the past."""
    from course_data import load_model

    gpt, tokenizer = load_model("GPT2LMHeadModel")
    ids = tokenizer(text, return_tensors="pt")["input_ids"][:, :-1]  # without [SEP]
    for _ in range(count):
        x = gpt.transformer.wte(ids) + gpt.transformer.wpe(torch.arange(ids.shape[1]))
        following = gpt.lm_head(read(gpt, x, causal)[:, -1:]).argmax(dim=-1)
        ids = torch.cat([ids, following], dim=1)
    print(tokenizer.decode(ids[0], skip_special_tokens=True))
    blind = causal_attention_is_causal(lambda x: read(gpt, x, causal), x.detach())
    print("sees no future:", blind)


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    continue_text("이 영화는")
    continue_text("이 영화는", causal=False)

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 길이가 1인 입력, 볼 것이 없는 행, 여러 축의 배치처럼 이 글에 적힌 약속을 그대로 시험합니다.
