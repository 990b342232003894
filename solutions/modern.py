# %% [markdown]
# # 연습: 오늘의 트랜스포머
#
# **난이도** 3/3 · **시간** 105분 · **배점** 10점 · **먼저 읽을 장** [오늘의 트랜스포머](../../chapters/modern.md)
#
# 오늘의 언어 모델에 들어 있는 부품을 하나씩 만들고, 마지막에 이어 붙여 Llama를 만듭니다. 문제는 많지만 하나하나는 몇 줄입니다. Llama의
# 파라미터 이름은 Hugging Face의 `LlamaForCausalLM`과 같아서, 같은 가중치로 같은 로짓을 내는지 확인할 수 있습니다.
#
# Llama는 앞의 답을 씁니다. 그 공개 시험은 RMSNorm만 맞으면 앞의 다른 값이 틀렸더라도 통과할 수 있습니다. 앞의 답이 오류 없이 돌기만 하면 됩니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import math
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

# %% [markdown]
# ## 주어진 것: 설정
#
# 이름은 Hugging Face의 `LlamaConfig`와 같고, 기본값은 첫 Llama의 가장 작은 모델(7B)입니다. 회전의 밑은 `rope_parameters["rope_theta"]`에 있습니다.


# %%
@dataclass
class LlamaConfig:
    """Sizes of a Llama; the fields are those of transformers.LlamaConfig."""

    vocab_size: int = 32000
    hidden_size: int = 4096
    intermediate_size: int = 11008
    num_hidden_layers: int = 32
    num_attention_heads: int = 32
    num_key_value_heads: int = 32
    head_dim: int | None = None  # None: hidden_size / num_attention_heads
    rms_norm_eps: float = 1e-6
    rope_parameters: dict = field(default_factory=lambda: {"rope_theta": 10_000.0})
    tie_word_embeddings: bool = False


# %% [markdown]
# ## 문제 1. RMSNorm
#
# 평균을 빼지 않고, 제곱의 평균의 제곱근으로 나눈 다음 배운 배율 `weight`를 곱합니다. 이동은 없습니다. `weight`는 1로 시작합니다.
#
# $$y = \frac{x}{\sqrt{\frac{1}{d}\sum_i x_i^2 + \epsilon}} \odot g$$
#
# float16과 bfloat16은 float32로 바꾸어 계산하고, 결과는 입력의 자료형으로 돌려줍니다. 라이브러리의 정규화는 쓰지 마십시오.


# %% RMSNorm tags=["question"]
class RMSNorm(nn.Module):
    """Divide each vector by its root mean square (Zhang and Sennrich 2019, equation 4).

    Attributes:
        weight: parameter (d,), ones at first.
    """

    def __init__(self, d: int, eps: float = 1e-6):
        super().__init__()
        ### BEGIN SOLUTION
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d))
        ### END SOLUTION

    def forward(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
        """Same shape and dtype as `x`; half precision is computed in float32."""
        ### BEGIN SOLUTION
        # In half precision squares overflow.
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        mean_square = wide.square().mean(dim=-1, keepdim=True)
        return (self.weight * wide / (mean_square + self.eps).sqrt()).to(x.dtype)
        ### END SOLUTION


# %% [markdown]
# ## 문제 2. SwiGLU
#
# 행렬 셋, 편향 없음. `gate_proj`와 `up_proj`는 `d_model → d_ff`, `down_proj`는 `d_ff → d_model`입니다. SiLU는 `gate_proj`의 출력에만 겁니다.
#
# ```text
# down_proj(silu(gate_proj(x)) * up_proj(x))
# ```


# %% SwiGLU tags=["question"]
class SwiGLU(nn.Module):
    """A feed-forward network with a gate (Shazeer 2020, equation 6).

    Attributes:
        gate_proj, up_proj: nn.Linear, d_model -> d_ff, no bias.
        down_proj: nn.Linear, d_ff -> d_model, no bias.
    """

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        ### BEGIN SOLUTION
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)
        ### END SOLUTION

    def forward(
        self, x: Float[Tensor, "*batch d_model"]
    ) -> Float[Tensor, "*batch d_model"]:
        """Gate and widen, then narrow again, each position for itself."""
        ### BEGIN SOLUTION
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
        ### END SOLUTION


# %% [markdown]
# ## 문제 3. 회전 위치 인코딩, 두 가지 배치
#
# 쌍 $(a, b)$를 각도 $\theta = p \cdot \text{base}^{-2i/d}$만큼 돌려 $(a\cos\theta - b\sin\theta,\ a\sin\theta + b\cos\theta)$로 바꿉니다.
# 무엇이 쌍인지는 `layout`이 정합니다.
#
# | `layout` | $i$번째 쌍 |
# | --- | --- |
# | `"half"` | 성분 $i$와 $i + d/2$ |
# | `"interleaved"` | 성분 $2i$와 $2i + 1$ |
#
# 두 성분은 돌린 다음 제자리에 놓입니다. 각도는 float32나 float64로 계산하고, 결과의 자료형은 `x`의 것입니다. `d`가 홀수이거나 `layout`이 둘 가운데
# 하나가 아니면 `ValueError`를 냅니다.


# %% apply_rotary tags=["question"]
def apply_rotary(
    x: Float[Tensor, "*batch n d"],
    positions: Int[Tensor, "n"],
    base: float | int = 10_000.0,
    layout: str = "half",
) -> Float[Tensor, "*batch n d"]:
    """Turn the pairs of each vector by its position (Su et al. 2021, section 3.2).

    Args:
        x: queries or keys.
        positions: whole numbers.
        base: the slowest pair turns by about 1 / base a position.
        layout: "half" pairs component i with i + d / 2, "interleaved" 2i with 2i + 1.

    Raises:
        ValueError: `d` is odd, or there is no such layout.
    """
    ### BEGIN SOLUTION
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"components are turned in pairs, but d is {d}")
    if layout not in ("half", "interleaved"):
        raise ValueError(f"no layout {layout!r}")
    pairs = torch.arange(0, d, 2, dtype=torch.float64, device=x.device)
    frequencies = base ** (-pairs / d)
    angles = positions[:, None] * frequencies  # (n, d / 2)
    sin, cos = angles.sin().to(x.dtype), angles.cos().to(x.dtype)
    if layout == "half":
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 묶음 질의 어텐션
#
# 질의 헤드는 `num_heads`개, 키와 값의 헤드는 `num_kv_heads`개입니다. 헤드 `i`는 키·값 헤드 `i // (num_heads // num_kv_heads)`를 봅니다.
# 질의 헤드가 6개, 키·값 헤드가 2개이면 `0 0 0 1 1 1`입니다.
#
# - 행렬은 `q_proj`(`d_model → num_heads · head_dim`), `k_proj`와 `v_proj`(`d_model → num_kv_heads · head_dim`), `o_proj`
#   (`num_heads · head_dim → d_model`)이고 편향이 없습니다. `head_dim`이 `None`이면 `d_model / num_heads`입니다.
# - `positions`가 있으면 질의와 키를 돌립니다(`apply_rotary`, 배치는 `"half"`, 밑은 `base`). 값은 돌리지 않습니다.
# - `mask`가 없으면 모두 봅니다. 있으면 `True`가 볼 수 있다는 뜻이고 모양은 `(n, n)`, `(batch, n, n)`, `(batch, 1 또는 num_heads, n, n)`입니다. 볼 것이
#   없는 행은 가중치가 0이고, 기울기도 유한해야 합니다.
# - 점수는 $\sqrt{\text{head\_dim}}$으로 나눕니다.
# - `num_heads`가 `num_kv_heads`로 나누어지지 않거나, `head_dim`이 없는데 `d_model`이 `num_heads`로 나누어지지 않으면 `ValueError`를 냅니다.


# %% GroupedQueryAttention tags=["question"]
class GroupedQueryAttention(nn.Module):
    """Attention whose query heads share keys and values in groups.

    Ainslie et al. 2023, section 2.2.

    Attributes:
        q_proj: nn.Linear, d_model -> num_heads * head_dim, no bias.
        k_proj, v_proj: nn.Linear, d_model -> num_kv_heads * head_dim, no bias.
        o_proj: nn.Linear, num_heads * head_dim -> d_model, no bias.

    Raises:
        ValueError: the heads do not divide.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        num_kv_heads: int,
        head_dim: int | None = None,
        base: float | int = 10_000.0,
    ):
        super().__init__()
        ### BEGIN SOLUTION
        if num_heads % num_kv_heads:
            raise ValueError(
                f"{num_kv_heads} key-value heads do not divide {num_heads} heads"
            )
        if head_dim is None and d_model % num_heads:
            raise ValueError(
                f"{num_heads} heads do not divide a model of size {d_model}"
            )
        self.head_dim = head_dim or d_model // num_heads
        self.group = num_heads // num_kv_heads
        self.base = base
        self.q_proj = nn.Linear(d_model, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, d_model, bias=False)
        ### END SOLUTION

    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        positions: Int[Tensor, "n"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[Float[Tensor, "batch n d_model"], Float[Tensor, "batch heads n n"]]:
        """Attend, with keys and values shared by groups of heads.

        Args:
            positions: by which queries and keys are turned; None turns nothing.
            mask: (n, n), (batch, n, n) or (batch, 1 or heads, n, n), True = may attend;
                None hides nothing.

        Returns:
            The output, and the weights of every query head.
        """
        ### BEGIN SOLUTION
        # (batch, heads or kv_heads, n, d_k) each
        query = self.q_proj(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
        key = self.k_proj(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
        value = self.v_proj(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
        if positions is not None:
            query = apply_rotary(query, positions, self.base)
            key = apply_rotary(key, positions, self.base)
        # Every query head meets the key and value head of its group.
        key = key.repeat_interleave(self.group, dim=1)
        value = value.repeat_interleave(self.group, dim=1)
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            visible = mask[:, None] if mask.dim() == 3 else mask
            nothing = ~visible.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~(visible | nothing), -math.inf)
            weights = scores.softmax(dim=-1).masked_fill(nothing, 0.0)
        return self.o_proj((weights @ value).transpose(1, 2).flatten(2)), weights
        ### END SOLUTION


# %% [markdown]
# ## 문제 5. 타일로 나눈 어텐션
#
# 키와 값을 `block`개씩 차례로 읽으면서 어텐션을 계산합니다. 점수를 $\sqrt{d}$로 나눈 보통의 어텐션과 **같은 출력**을 내되, `(n_q, n_k)` 크기의 텐서를 만들지 않고
# 점수를 모두 모아 두지도 않습니다. 행마다 최댓값 $m$, 지수의 합 $D$, 가중합 $o$만 들고 다니면 됩니다.
#
# 출력과 함께 나눈 점수의 $\ln \sum_j e^{s_j}$를 `(..., n_q)`로 돌려줍니다.
#
# - `block`이 `n_k`를 나누지 않아도 됩니다. 마지막 타일이 작을 뿐입니다. `block`이 1보다 작으면 `ValueError`를 냅니다.
# - `causal=True`이면 질의 `i`는 키 `0`부터 `i`까지 봅니다. `n_q`와 `n_k`가 다르면 `ValueError`를 냅니다.
# - 점수가 수천이어도 넘치지 않아야 합니다. 라이브러리의 어텐션은 쓰지 마십시오.


# %% tiled_attention tags=["question"]
def tiled_attention(
    query: Float[Tensor, "*batch n_q d"],
    key: Float[Tensor, "*batch n_k d"],
    value: Float[Tensor, "*batch n_k d_v"],
    block: int,
    causal: bool = False,
) -> tuple[Float[Tensor, "*batch n_q d_v"], Float[Tensor, "*batch n_q"]]:
    """Scaled dot-product attention in tiles of keys, by an online softmax.

    Dao et al. 2022, algorithm 1.

    Args:
        key, value: read `block` at a time.
        causal: query i sees the keys 0 to i.

    Returns:
        The output, and the log-sum-exp of each query's scaled scores.

    Raises:
        ValueError: `block` is below 1, or `causal` with n_q != n_k.
    """
    ### BEGIN SOLUTION
    n_q, n_k = query.shape[-2], key.shape[-2]
    if block < 1:
        raise ValueError(f"a tile of {block} keys")
    if causal and n_q != n_k:
        raise ValueError(f"{n_q} queries and {n_k} keys have no common triangle")
    query = query / math.sqrt(query.shape[-1])
    highest = query.new_full((*query.shape[:-1], 1), -math.inf)
    total = torch.zeros_like(highest)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    rows = torch.arange(n_q, device=query.device)[:, None]
    for start in range(0, n_k, block):
        keys = key[..., start : start + block, :]
        values = value[..., start : start + block, :]
        scores = query @ keys.transpose(-2, -1)  # (..., n_q, block)
        if causal:
            columns = torch.arange(start, start + keys.shape[-2], device=query.device)
            scores = scores.masked_fill(columns > rows, -math.inf)
        higher = torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
        shrink, exps = (highest - higher).exp(), (scores - higher).exp()
        total = total * shrink + exps.sum(dim=-1, keepdim=True)
        output = output * shrink + exps @ values
        highest = higher
    return output / total, (highest + total.log()).squeeze(-1)
    ### END SOLUTION


# %% [markdown]
# ## 문제 6. 전문가 고르기
#
# 라우터의 로짓 `(토큰 T, 전문가 E)`에서 토큰마다 로짓이 큰 전문가 `k`명을 고르고, **고른 `k`명에 걸쳐** 소프트맥스를 취한 가중치를 돌려줍니다. 순서는
# 상관없지만 가중치와 전문가의 자리는 맞아야 합니다. `k`가 1보다 작거나 `E`보다 크면 `ValueError`를 냅니다.
#
# ```text
# 로짓 (2, 1, 0, -1), k = 2이면:   전문가 0, 1   가중치 0.7311, 0.2689
# ```


# %% route tags=["question"]
def route(
    logits: Float[Tensor, "tokens experts"], k: int
) -> tuple[Float[Tensor, "tokens {k}"], Int[Tensor, "tokens {k}"]]:
    """Choose k experts for each token (Jiang et al. 2024, section 2.1).

    Args:
        logits: the router's.

    Returns:
        Weights that sum to one over the chosen, and the numbers of the experts.

    Raises:
        ValueError: `k` is below 1 or above the number of experts.
    """
    ### BEGIN SOLUTION
    if not 1 <= k <= logits.shape[-1]:
        raise ValueError(f"{k} of {logits.shape[-1]} experts")
    chosen, experts = logits.topk(k, dim=-1)
    return chosen.softmax(dim=-1), experts
    ### END SOLUTION


# %% [markdown]
# ## 문제 7. 균형 손실
#
# $$E \sum_{e} f_e P_e$$
#
# $f_e$는 배정 `T · k`개 가운데 전문가 $e$에게 간 **몫**이고, $P_e$는 모든 전문가에 걸친 소프트맥스에서 $e$가 받은 확률을 토큰에 걸쳐 평균한 것입니다. 기울기는
# $P_e$로만 흐릅니다. 스칼라를 돌려주십시오.


# %% balance_loss tags=["question"]
def balance_loss(
    logits: Float[Tensor, "tokens experts"], experts: Int[Tensor, "tokens k"]
) -> Float[Tensor, ""]:
    """The unevenness of the tokens' fall on experts: 1 when even.

    Fedus et al. 2022, equation 4.

    Args:
        logits: the router's.
        experts: the numbers of those it chose.
    """
    ### BEGIN SOLUTION
    number_of = logits.shape[-1]
    # Both (experts,).
    share = F.one_hot(experts, number_of).to(logits.dtype).mean(dim=(0, 1))
    probability = logits.softmax(dim=-1).mean(dim=0)
    return number_of * (share * probability).sum()
    ### END SOLUTION


# %% [markdown]
# ## 문제 8. Llama
#
# ```text
# x = embed_tokens[ids]
# 층마다:  x = x + self_attn(input_layernorm(x))
#          x = x + mlp(post_attention_layernorm(x))
# 로짓 = lm_head(norm(x))
# ```
#
# 어텐션은 룩어헤드 마스크를 쓰고, 위치는 0부터입니다. 위치 임베딩은 없습니다. 이름은 `LlamaForCausalLM`을 따릅니다.
#
# ```text
# model.embed_tokens.weight
# model.layers.0.input_layernorm.weight       model.layers.0.self_attn.q_proj.weight …
# model.layers.0.post_attention_layernorm.weight       model.layers.0.mlp.gate_proj.weight …
# model.norm.weight       lm_head.weight
# ```
#
# - 정규화의 엡실론, 회전의 밑, `head_dim`은 설정에서 읽습니다.
# - `lm_head`에는 편향이 없습니다. `tie_word_embeddings`이면 `lm_head.weight`는 `embed_tokens.weight`와 **같은 파라미터**입니다.
# - 층은 `nn.ModuleDict`에 담아도 되고 모듈을 따로 만들어도 됩니다.


# %% Llama tags=["question"]
class Llama(nn.Module):
    """A decoder as of 2023; loads the weights of transformers.LlamaForCausalLM.

    Touvron et al. 2023.

    Attributes:
        model: holds embed_tokens, layers and norm.
        lm_head: nn.Linear without bias; its weight is that of embed_tokens if the
            configuration says so.
    """

    def __init__(self, config: LlamaConfig):
        super().__init__()
        ### BEGIN SOLUTION
        width = config.hidden_size
        self.model = nn.ModuleDict(
            {
                "embed_tokens": nn.Embedding(config.vocab_size, width),
                "layers": nn.ModuleList(
                    self._layer(config) for _ in range(config.num_hidden_layers)
                ),
                "norm": RMSNorm(width, config.rms_norm_eps),
            }
        )
        self.lm_head = nn.Linear(width, config.vocab_size, bias=False)
        if config.tie_word_embeddings:
            self.lm_head.weight = self.model.embed_tokens.weight

    def _layer(self, config):
        width = config.hidden_size
        attention = GroupedQueryAttention(
            width,
            config.num_attention_heads,
            config.num_key_value_heads,
            config.head_dim,
            config.rope_parameters["rope_theta"],
        )
        return nn.ModuleDict(
            {
                "input_layernorm": RMSNorm(width, config.rms_norm_eps),
                "self_attn": attention,
                "post_attention_layernorm": RMSNorm(width, config.rms_norm_eps),
                "mlp": SwiGLU(width, config.intermediate_size),
            }
        )
        ### END SOLUTION

    def forward(self, ids: Int[Tensor, "batch n"]) -> Float[Tensor, "batch n vocab"]:
        """Logits of the token after each position; no softmax."""
        ### BEGIN SOLUTION
        n = ids.shape[1]
        positions = torch.arange(n, device=ids.device)
        past = torch.ones(n, n, dtype=torch.bool, device=ids.device).tril()
        x = self.model.embed_tokens(ids)
        for layer in self.model.layers:
            x = x + layer.self_attn(layer.input_layernorm(x), positions, past)[0]
            x = x + layer.mlp(layer.post_attention_layernorm(x))
        return self.lm_head(self.model.norm(x))
        ### END SOLUTION


# %% [markdown]
# ## 주어진 것: 캐시의 크기
#
# 묶음 질의 어텐션이 아끼는 것은 토큰을 하나씩 만들 때 저장해 두는 키와 값입니다. 아래 함수는 설정에서 그 바이트 수를 셉니다. 설정의
# `num_key_value_heads`나 `head_dim`을 바꾸어 무엇이 캐시를 줄이는지 보십시오.


# %%
def kv_cache_bytes(config, length: int, dtype: torch.dtype, batch: int = 1) -> int:
    """Bytes that the keys and values of all layers take.

    Args:
        config: a LlamaConfig, ours or that of transformers.
        length: tokens kept.
    """
    head_dim = config.head_dim or config.hidden_size // config.num_attention_heads
    per_token = 2 * config.num_hidden_layers * config.num_key_value_heads * head_dim
    return batch * length * per_token * dtype.itemsize


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. float64에서 Hugging Face와 같은 로짓, 반정밀도, 먼 위치, 볼 것이 없는 행, 타일의 메모리와 기울기를 시험합니다.
