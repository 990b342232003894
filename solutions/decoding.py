# %% [markdown]
# # 연습: 디코딩
#
# **난이도** 3/3 · **시간** 80분 · **배점** 10점 · **먼저 읽을 장** [디코딩](../../chapters/decoding.md)
#
# 다음 토큰의 로짓을 내는 함수에서 문장을 얻는 방법 셋을 만듭니다. 탐욕 디코딩, 빔 서치, 샘플링입니다. 마지막 문제는 이미 계산한
# 키와 값을 다시 쓰는 캐시입니다.
#
# 이 연습에서 **모델은 함수 `step`입니다.** 토큰 번호 `(batch, t)`를 받아 다음 토큰의 로짓 `(batch, vocab)`을 돌려줍니다. 안에 무엇이
# 들어 있는지는 몰라도 됩니다. `step`에는 언제나 처음부터 지금까지의 토큰을 **모두** 넘깁니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.

# %%
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

# %% [markdown]
# ## 문제 1. 탐욕 디코딩
#
# 걸음마다 로짓이 가장 큰 토큰을 뒤에 붙입니다. `step`은 걸음마다 **한 번**, 문장 전부를 한 배치로 부릅니다. 문장마다 끝나는 때가
# 다릅니다.
#
# - 생성한 토큰이 `eos_id`이면 그 문장은 끝났습니다. 그 뒤는 `eos_id`로 채웁니다.
# - **프롬프트** `start` 안에 든 `eos_id`는 끝이 아닙니다.
# - 모든 문장이 끝나면 `step`을 더 부르지 않고 멈춥니다. 끝나지 않아도 `max_new_tokens`개를 생성하면 멈춥니다.
#
# ```text
# eos_id=1, start=[[5], [6]]에서 첫 문장이 7, 1을, 둘째 문장이 8, 9, 1을 생성하면
# greedy_decode(step, start, 10, eos_id=1)  →  [[5, 7, 1, 1], [6, 8, 9, 1]]
# ```


# %% greedy_decode tags=["question"]
@torch.no_grad()
def greedy_decode(
    step: Callable, start: Int[Tensor, "batch t"], max_new_tokens: int, eos_id: int
) -> Int[Tensor, "batch total"]:
    """Append the most probable token again and again.

    Args:
        step: maps ids (batch, t) to the logits of the next token, (batch, vocab).
        start: the prompts; left unchanged.
        max_new_tokens: how many tokens are generated at most.
        eos_id: the token that ends a sequence.

    Returns:
        Prompt and continuation; behind a sequence's first generated EOS, only EOS.
    """
    ### BEGIN SOLUTION
    ids = start
    finished = torch.zeros(len(start), dtype=torch.bool, device=start.device)
    for _ in range(max_new_tokens):
        if finished.all():
            break
        following = step(ids).argmax(dim=-1).to(ids.dtype)
        following = following.masked_fill(finished, eos_id)
        ids = torch.cat([ids, following[:, None]], dim=1)
        finished = finished | (following == eos_id)
    return ids
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 빔 서치
#
# 가설(지금까지 쓴 문장) 여럿을 함께 이어 갑니다. 처음에는 프롬프트 하나뿐입니다. $K$ = `beam_size`일 때 한 걸음은 이렇습니다.
#
# 1. 가설마다 모든 토큰을 이어 붙여 후보를 만들고, 후보의 로그 확률(생성한 토큰의 로그 확률의 합)을 구합니다. `step`은 가설 전부를 한 배치로
#    **한 번만** 부릅니다.
# 2. 모든 후보를 한데 모아 로그 확률의 순서로 세웁니다.
# 3. **상위 $K$개** 가운데 `eos_id`로 끝난 후보는 완성입니다. 점수와 함께 따로 적어 두고 더 잇지 않습니다.
# 4. `eos_id`로 끝나지 않은 후보 가운데 좋은 것부터 $K$개를 다음 걸음의 가설로 삼습니다. 완성으로 빠진 자리는 그다음 후보가 메웁니다.
#
# `max_new_tokens`개를 생성하면 남은 가설도 그대로 완성입니다. 완성의 점수는
#
# $$\text{score} = \frac{\log p}{\text{len}^{\,\alpha}}$$
#
# 이고 $\text{len}$은 **생성한 토큰의 수**입니다. EOS는 세고 프롬프트는 세지 않습니다. 점수가 높은 것부터 많아야 $K$개를 돌려줍니다.
#
# 남은 가설이 이미 가진 완성 $K$개보다 나아질 수 없으면 일찍 멈추어도 됩니다. 결과는 같습니다. 그러나 완성이 $K$개 모였다는 것만으로 멈추면
# 결과가 달라집니다.


# %% beam_search tags=["question"]
@torch.no_grad()
def beam_search(
    step: Callable,
    start: Int[Tensor, "one t"],
    beam_size: int,
    max_new_tokens: int,
    eos_id: int,
    alpha: float = 1.0,
) -> list[tuple[Tensor, float]]:
    """Keep the `beam_size` most probable hypotheses at every step.

    The length penalty is that of Hugging Face.

    Args:
        step: maps ids (beams, t) to the logits of the next token, (beams, vocab).
        start: one prompt.
        beam_size: hypotheses that are kept.
        max_new_tokens: how many tokens are generated at most.
        eos_id: the token that ends a hypothesis, which then leaves the beam.
        alpha: exponent of the length penalty.

    Returns:
        At most `beam_size` pairs (ids, score), best first. `ids` is one-dimensional:
        prompt, continuation and, where reached, one EOS. `score` is log p / len^alpha,
        with the number of generated tokens, EOS included.

    Raises:
        ValueError: `beam_size` or `max_new_tokens` is less than 1.
    """
    ### BEGIN SOLUTION
    if beam_size < 1 or max_new_tokens < 1:
        raise ValueError("a beam needs at least one hypothesis and one step")
    ids, log_p = start, torch.zeros(1, dtype=torch.float64, device=start.device)
    finished = []
    for length in range(1, max_new_tokens + 1):
        # In double precision: long sums of logarithms keep their digits.
        logits = step(ids).double()
        candidates = (log_p[:, None] + logits.log_softmax(dim=-1)).flatten()
        # One candidate of each beam may end in EOS: of the best 2K, K go on.
        best, index = candidates.topk(min(2 * beam_size, len(candidates)))
        beam, token = index // logits.shape[-1], index % logits.shape[-1]
        extended = torch.cat([ids[beam], token[:, None].to(ids.dtype)], dim=1)
        ends = token == eos_id
        for i in ends[:beam_size].nonzero().flatten().tolist():
            finished.append((extended[i], best[i].item() / length**alpha))
        finished = sorted(finished, key=lambda pair: -pair[1])[:beam_size]

        goes_on = (~ends).nonzero().flatten()[:beam_size]
        ids, log_p = extended[goes_on], best[goes_on]
        if not len(ids):
            return finished
        # log p only falls: this is the best score that any hypothesis can still reach.
        bound = log_p[0].item() / (max_new_tokens if alpha > 0 else length) ** alpha
        if len(finished) == beam_size and bound <= finished[-1][1]:
            return finished
    finished += [
        (row, score.item() / length**alpha)
        for row, score in zip(ids, log_p, strict=True)
    ]
    return sorted(finished, key=lambda pair: -pair[1])[:beam_size]
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 샘플링
#
# 로짓에서 다음 토큰을 뽑습니다. 순서는 다음과 같습니다.
#
# 1. **온도**: 로짓을 `temperature`로 나눕니다. 0이면 뽑지 않고 가장 큰 것을 고릅니다.
# 2. **top-k**: 로짓이 큰 `top_k`개만 남깁니다. 어휘보다 크면 모두 남깁니다.
# 3. **top-p**: 남은 것의 확률을 **다시** 구해 큰 것부터 더합니다. 합이 `top_p`에 처음으로 이르는 토큰까지 남깁니다. 그 토큰도
#    남습니다. 그래서 적어도 하나는 언제나 남습니다.
# 4. 남은 것에서 확률에 따라 뽑습니다. 앞에 붙은 축마다 따로 뽑습니다.
#
# ```text
# 확률 0.5, 0.3, 0.2에서  top_p=0.6  →  앞의 둘에서 0.625, 0.375의 확률로
# ```
#
# `temperature`가 음수이거나, `top_k`가 1보다 작거나, `top_p`가 0보다 크고 1 이하인 수가 아니면 `ValueError`를 냅니다. `generator`가
# 있으면 난수는 거기서만 얻습니다.


# %% sample_next tags=["question"]
def sample_next(
    logits: Float[Tensor, "*batch vocab"],
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "*batch"]:
    """Draw the next token: temperature, then top-k, then the nucleus.

    Fan et al. 2018 (top-k); Holtzman et al. 2020 (nucleus).

    Args:
        logits: left unchanged.
        temperature: divides the logits; 0 takes the largest.
        top_k: keep this many tokens; None keeps all.
        top_p: keep the fewest tokens whose probabilities reach this; None keeps all.
        generator: where random numbers come from.

    Raises:
        ValueError: `temperature` < 0, `top_k` < 1, or `top_p` not in (0, 1].
    """
    ### BEGIN SOLUTION
    if temperature < 0:
        raise ValueError(f"a temperature of {temperature}")
    if top_k is not None and top_k < 1:
        raise ValueError(f"the best {top_k} tokens are none")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"{top_p} is no share of the probability")
    if temperature == 0:
        return logits.argmax(dim=-1)

    logits, tokens = (logits / temperature).sort(dim=-1, descending=True)
    if top_k is not None:
        logits, tokens = logits[..., :top_k], tokens[..., :top_k]
    probabilities = logits.softmax(dim=-1)
    if top_p is not None:
        # Without the token itself, so that the first stays.
        before = probabilities.cumsum(dim=-1) - probabilities
        probabilities = probabilities.masked_fill(before >= top_p, 0.0)
    flat = probabilities.reshape(-1, probabilities.shape[-1])
    drawn = flat.multinomial(1, generator=generator)
    drawn = drawn.reshape(*probabilities.shape[:-1], 1)
    return tokens.gather(-1, drawn).squeeze(-1)
    ### END SOLUTION


# %% [markdown]
# ## 주어진 것: 캐시를 쓰는 모델
#
# 룩어헤드 마스크를 쓰는 작은 모델입니다. `cache`를 주면 새 토큰의 키와 값만 계산하고, 앞의 것은 캐시에서 받습니다. `first`는 새 토큰의
# 첫 자리가 문장의 몇 번째인지입니다. 캐시 없이 부르면 `ids`는 문장 전체이고 `first`는 0입니다.


# %%
class TinyDecoder(nn.Module):
    """A causal language model of two attention layers that can use a `KVCache`."""

    def __init__(
        self,
        vocab: int = 20,
        d_model: int = 16,
        num_heads: int = 2,
        max_length: int = 64,
    ):
        super().__init__()
        self.num_heads = num_heads
        self.token = nn.Embedding(vocab, d_model)
        self.position = nn.Embedding(max_length, d_model)
        self.qkv = nn.ModuleList(nn.Linear(d_model, 3 * d_model) for _ in range(2))
        self.output = nn.Linear(d_model, vocab)

    def forward(self, ids: Tensor, cache=None, first: int = 0) -> Tensor:
        """Logits at the new positions, (batch, n, vocab), of their ids (batch, n)."""
        n = ids.shape[1]
        positions = torch.arange(first, first + n, device=ids.device)
        x = self.token(ids) + self.position(positions)
        for layer, linear in enumerate(self.qkv):
            # (batch, heads, n, d_k) each
            query, key, value = (
                linear(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
            )
            if cache is not None:
                key, value = cache.update(layer, key, value)
            seen = torch.arange(key.shape[-2], device=ids.device) <= positions[:, None]
            attended = nn.functional.scaled_dot_product_attention(
                query, key, value, attn_mask=seen
            )
            x = x + attended.transpose(1, 2).flatten(2)
        return self.output(x)


# %% [markdown]
# ## 문제 4. 키·값 캐시
#
# 층마다 키와 값을 모아 둡니다. `update`는 새 키와 값을 **시간 축(뒤에서 둘째)** 의 뒤에 붙이고, 그 층에서 지금까지 모은 것을 모두 돌려줍니다.
# 새 토큰은 하나일 수도, 처음처럼 프롬프트 전체일 수도 있습니다. 층의 수는 미리 알려 주지 않습니다.
#
# 빔 서치에서는 걸음마다 가설의 차례가 바뀝니다. `reorder(rows)`는 모든 층의 키와 값에서 배치의 행을 `rows`의 차례로 다시 고릅니다.
# 같은 행을 여러 번 고르거나 버릴 수 있습니다.
#
# ```text
# cache = KVCache()
# key, value = cache.update(0, key_of_prompt, value_of_prompt)    # (1, heads, 5, d_k)가 그대로 나옵니다
# key, value = cache.update(0, key_of_token, value_of_token)      # (1, heads, 1, d_k)를 넣으면 (1, heads, 6, d_k)가 나옵니다
# cache.reorder(torch.tensor([0, 0]))                             # 이제 두 행이 같은 문장입니다
# ```
#
# 다 만들면 위의 `TinyDecoder`를 캐시 없이 한 번에 부른 로짓과, 토큰 하나씩 캐시와 함께 부른 로짓을 비교해 보십시오.


# %% KVCache tags=["question"]
class KVCache:
    """Keys and values of all positions so far, for each layer."""

    def __init__(self):
        ### BEGIN SOLUTION
        self._layers = {}
        ### END SOLUTION

    def update(
        self,
        layer: int,
        key: Float[Tensor, "batch *heads n d_k"],
        value: Float[Tensor, "batch *heads n d_v"],
    ) -> tuple[
        Float[Tensor, "batch *heads total d_k"], Float[Tensor, "batch *heads total d_v"]
    ]:
        """Append the new positions of a layer and return all of it so far.

        Args:
            layer: number of the layer.
            key, value: of the new positions only.

        Returns:
            Keys and values of all positions, oldest first.
        """
        ### BEGIN SOLUTION
        if layer in self._layers:
            old_key, old_value = self._layers[layer]
            key = torch.cat([old_key, key], dim=-2)
            value = torch.cat([old_value, value], dim=-2)
        self._layers[layer] = key, value
        return key, value
        ### END SOLUTION

    def reorder(self, rows: Int[Tensor, "new_batch"]) -> None:
        """Choose the batch's rows anew in every layer: row i becomes row `rows[i]`."""
        ### BEGIN SOLUTION
        for layer, (key, value) in self._layers.items():
            self._layers[layer] = key[rows], value[rows]
        ### END SOLUTION


# %% [markdown]
# ## 작은 GPT에게 쓰게 하기
#
# 이 책의 작은 한국어 GPT를 함수 `step`으로 감쌉니다. 그 함수 하나로 여러분의 세 방법이 같은 글을 이어 씁니다. 점수는 없습니다.
#
# - 탐욕 디코딩과 빔 서치의 글은 어디서 갈립니까? 빔 서치의 줄 앞에는 점수가 있습니다. 둘 다 왜 점을 되풀이합니까?
# - 샘플링의 온도를 0.5와 1.5로 바꾸어 보십시오. `top_p=0.9`를 더하면 무엇이 사라집니까?


# %%
def write(text: str, **options) -> None:
    """Continue a text with tiny GPT in three ways; `options` are of `sample_next`."""
    from course_data import load_model

    gpt, tokenizer = load_model("GPT2LMHeadModel")
    start = tokenizer(text, return_tensors="pt")["input_ids"][:, :-1]  # without [SEP]
    eos = tokenizer.sep_token_id

    @torch.no_grad()
    def step(ids):
        return gpt(ids).logits[:, -1]

    def show(way, ids):
        print(f"{way:8}", tokenizer.decode(ids, skip_special_tokens=True))

    show("greedy", greedy_decode(step, start, 16, eos)[0])
    for ids, score in beam_search(step, start, 4, 16, eos)[:2]:
        show(f"{score:.2f}", ids)
    generator = torch.Generator().manual_seed(0)
    for _ in range(3):
        ids = start
        while ids.shape[1] < start.shape[1] + 16 and ids[0, -1] != eos:
            following = sample_next(step(ids), generator=generator, **options)
            ids = torch.cat([ids, following[:, None]], dim=1)
        show("sampled", ids[0])


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    write("이 영화는", temperature=0.8, top_p=0.9)

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 빔 서치는 Hugging Face의 `generate`와, 샘플링은 확률 분포와 비교합니다. 끝나는 때가 다른 배치, EOS가 든 프롬프트,
# 가설보다 작은 어휘처럼 이 글에 적힌 약속을 그대로 시험합니다.
