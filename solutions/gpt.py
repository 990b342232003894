# %% [markdown]
# # 연습: GPT
#
# **난이도** 3/3 · **시간** 90분 · **배점** 10점 · **먼저 읽을 장** [GPT](../../chapters/gpt.md)
#
# GPT-2를 처음부터 만듭니다. 인과 셀프 어텐션, 블록, 모델, 손실, 생성의 차례입니다. 파라미터의 이름을 Hugging Face의
# `GPT2LMHeadModel`과 같게 지어, 공개된 가중치를 그대로 불러 같은 로짓을 내는지 확인합니다.
#
# 문제 2와 3의 공개 시험은 앞 문제의 값이 틀렸더라도 통과할 수 있습니다. 앞 문제의 답이 오류 없이 돌기만 하면 됩니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

# %% [markdown]
# ## 주어진 것: 설정, 초기화, 가중치 옮기기
#
# 설정의 이름은 Hugging Face의 `GPT2Config`와 같고, 기본값은 가장 작은 GPT-2입니다. `initialize`는 `GPT`가 만들어질 때 한 번
# 부릅니다. `from_gpt2_state_dict`는 공개된 GPT-2의 가중치를 이 연습의 이름과 모양으로 옮깁니다. GPT-2의 저장된 행렬은
# `(들어오는 차원, 나가는 차원)`이라 `nn.Linear`와 반대이기 때문입니다.


# %%
@dataclass
class GPTConfig:
    """Sizes of a GPT; the fields are those of transformers.GPT2Config."""

    vocab_size: int = 50257
    n_positions: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    layer_norm_epsilon: float = 1e-5
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    resid_pdrop: float = 0.1


def initialize(model: nn.Module, n_layer: int) -> None:
    """Draw the weights that GPT-2 starts from (Radford et al. 2019, section 2.3).

    Normal with deviation 0.02, biases zero; the two projections that write into the
    residual stream of each block are smaller by sqrt(2 n_layer), so that the sum over
    the blocks keeps its size.
    """
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            shrink = math.sqrt(2 * n_layer) if name.endswith("c_proj") else 1.0
            nn.init.normal_(module.weight, std=0.02 / shrink)
            if getattr(module, "bias", None) is not None:
                nn.init.zeros_(module.bias)


def from_gpt2_state_dict(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """GPT2LMHeadModel's weights, (in, out) matrices turned to nn.Linear's (out, in)."""
    turned = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
    return {
        name: tensor.T if name.endswith(turned) else tensor
        for name, tensor in state.items()
    }


# %% [markdown]
# ## 문제 1. 인과 셀프 어텐션
#
# `c_attn` 하나가 질의, 키, 값을 **이 차례로 이어** 만듭니다(`n_embd → 3 · n_embd`). 헤드로 나누어 룩어헤드 마스크를 쓰는 어텐션을
# 하고, 합쳐서 `c_proj`를 지납니다. 출력과 함께 헤드마다의 가중치 `(batch, heads, n, n_k)`를 돌려줍니다.
#
# - `need_weights=False`이면 `(출력, None)`을 돌려줍니다. 이때는 `F.scaled_dot_product_attention`을 쓰면 됩니다. 출력은 같아야 합니다.
# - `cache`는 사전입니다. `None`이 아니면 `"key"`와 `"value"`에 지금까지의 키와 값 `(batch, heads, n_past, d_k)`가 들어 있거나
#   비어 있습니다. 새 키와 값을 **뒤에 이어 붙이고**, 이어 붙인 것을 다시 넣고, 그 전체를 봅니다.
# - `n_past`개를 이미 보았다면 새 토큰 가운데 `i`번째는 키 `0`부터 `n_past + i`까지 볼 수 있습니다.
# - 드롭아웃은 가중치(`attn_pdrop`)와 `c_proj`의 출력(`resid_pdrop`)에 걸립니다. 돌려주는 가중치는 드롭아웃 전의 것입니다.
# - `n_embd`가 `n_head`로 나누어지지 않으면 `ValueError`를 냅니다.


# %% CausalSelfAttention tags=["question"]
class CausalSelfAttention(nn.Module):
    """Multi-head self-attention that sees no future; names as in GPT-2.

    Radford et al. 2018, section 3.1.

    Attributes:
        c_attn: nn.Linear, n_embd -> 3 n_embd: query, key and value side by side.
        c_proj: nn.Linear, n_embd -> n_embd.

    Raises:
        ValueError: `n_head` does not divide `n_embd`.
    """

    def __init__(self, config: GPTConfig):
        super().__init__()
        ### BEGIN SOLUTION
        if config.n_embd % config.n_head:
            raise ValueError(
                f"{config.n_head} heads do not divide a model of size {config.n_embd}"
            )
        self.n_head = config.n_head
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.attn_dropout = nn.Dropout(config.attn_pdrop)
        self.resid_dropout = nn.Dropout(config.resid_pdrop)
        ### END SOLUTION

    def forward(
        self,
        x: Float[Tensor, "batch n n_embd"],
        cache: dict | None = None,
        need_weights: bool = True,
    ) -> tuple[
        Float[Tensor, "batch n n_embd"], Float[Tensor, "batch heads n n_k"] | None
    ]:
        """Attend to what came before.

        Args:
            cache: "key" and "value" of earlier tokens, (batch, heads, n_past, d_k)
                each, or empty; extended.
            need_weights: without them the fused attention does the work.

        Returns:
            The output, and the weights of n_k = n_past + n keys or None.
        """
        ### BEGIN SOLUTION
        batch, n, width = x.shape
        query, key, value = self.c_attn(x).chunk(3, dim=-1)
        # (batch, heads, n, d_k) each
        query = query.view(batch, n, self.n_head, -1).transpose(1, 2)
        key = key.view(batch, n, self.n_head, -1).transpose(1, 2)
        value = value.view(batch, n, self.n_head, -1).transpose(1, 2)
        if cache is not None:
            if cache:
                key = torch.cat([cache["key"], key], dim=2)
                value = torch.cat([cache["value"], value], dim=2)
            cache["key"], cache["value"] = key, value

        if need_weights:
            scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
            scores = scores.masked_fill(~self._visible(n, key), -math.inf)
            weights = scores.softmax(dim=-1)  # (batch, heads, n, n_k)
            mixed = self.attn_dropout(weights) @ value  # (batch, heads, n, d_k)
        else:
            weights = None
            # is_causal puts the triangle into the top left corner.
            whole = n == key.shape[2]
            mixed = F.scaled_dot_product_attention(
                query,
                key,
                value,
                attn_mask=None if whole else self._visible(n, key),
                is_causal=whole,
                dropout_p=self.attn_dropout.p if self.training else 0.0,
            )
        mixed = mixed.transpose(1, 2).reshape(batch, n, width)
        return self.resid_dropout(self.c_proj(mixed)), weights

    def _visible(self, n, key):
        """The last n rows of the causal mask of all keys, (n, n_k)."""
        n_k = key.shape[2]
        return torch.ones(n, n_k, dtype=torch.bool, device=key.device).tril(n_k - n)
        ### END SOLUTION


# %% [markdown]
# ## 문제 2. 블록
#
# 정규화를 부분층 **앞**에 둡니다. 지름길은 정규화하지 않습니다.
#
# ```text
# x = x + attn(ln_1(x))
# x = x + mlp(ln_2(x))
# ```
#
# `mlp`는 `c_fc`(`n_embd → 4 · n_embd`), **tanh 근사 GELU**(`F.gelu(x, approximate="tanh")`), `c_proj`(`4 · n_embd → n_embd`),
# 드롭아웃(`resid_pdrop`)입니다. `block.mlp.c_fc`처럼 읽을 수 있어야 하므로 `nn.ModuleDict`에 담거나 모듈을 따로 만드십시오. 층
# 정규화의 엡실론은 `layer_norm_epsilon`입니다. `cache`는 어텐션에 넘깁니다. 가중치는 필요 없습니다.


# %% Block tags=["question"]
class Block(nn.Module):
    """One pre-norm block of GPT-2 (Radford et al. 2019, section 2.3).

    Attributes:
        ln_1, ln_2: nn.LayerNorm before the attention and the feed-forward network.
        attn: CausalSelfAttention.
        mlp: holds `c_fc` and `c_proj`, two nn.Linear with a tanh-approximated GELU
            between them.
    """

    def __init__(self, config: GPTConfig):
        super().__init__()
        ### BEGIN SOLUTION
        width = config.n_embd
        self.ln_1 = nn.LayerNorm(width, eps=config.layer_norm_epsilon)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = nn.LayerNorm(width, eps=config.layer_norm_epsilon)
        self.mlp = nn.ModuleDict(
            {"c_fc": nn.Linear(width, 4 * width), "c_proj": nn.Linear(4 * width, width)}
        )
        self.dropout = nn.Dropout(config.resid_pdrop)
        ### END SOLUTION

    def forward(
        self, x: Float[Tensor, "batch n n_embd"], cache: dict | None = None
    ) -> Float[Tensor, "batch n n_embd"]:
        """One block; `cache` as for CausalSelfAttention."""
        ### BEGIN SOLUTION
        x = x + self.attn(self.ln_1(x), cache, need_weights=False)[0]
        hidden = F.gelu(self.mlp.c_fc(self.ln_2(x)), approximate="tanh")
        return x + self.dropout(self.mlp.c_proj(hidden))
        ### END SOLUTION


# %% [markdown]
# ## 문제 3. GPT
#
# 토큰 임베딩 `wte`와 위치 임베딩 `wpe`를 더하고 드롭아웃(`embd_pdrop`)을 건 다음, 블록 `n_layer`개를 지나고, 마지막 층 정규화
# `ln_f`를 지나 로짓을 냅니다. 로짓을 내는 행렬은 `wte`와 **같은 파라미터**입니다.
#
# 이름은 `GPT2LMHeadModel`을 따릅니다. 공개된 가중치를 부를 수 있어야 하기 때문입니다.
#
# ```text
# transformer.wte.weight      transformer.h.0.ln_1.weight …      transformer.ln_f.weight
# transformer.wpe.weight      transformer.h.0.attn.c_attn.weight …      lm_head.weight
# ```
#
# - `self.config`에 설정을 두고, `self.transformer`는 `nn.ModuleDict`로, `transformer["h"]`는 `nn.ModuleList`로 만듭니다.
# - 다 만든 다음 `initialize(self, config.n_layer)`를 부릅니다.
# - `cache`는 블록마다 하나씩인 사전의 리스트입니다. 처음에는 모두 비어 있습니다. 이미 본 토큰이 `n_past`개면 새 토큰의 위치는
#   `n_past`부터입니다.
# - 이미 본 것까지 합해 `n_positions`를 넘으면 `ValueError`를 냅니다.


# %% GPT tags=["question"]
class GPT(nn.Module):
    """GPT-2; loads GPT2LMHeadModel's weights through `from_gpt2_state_dict`.

    Attributes:
        config: the sizes.
        transformer: nn.ModuleDict of wte, wpe, h (the blocks) and ln_f.
        lm_head: nn.Linear without bias, its weight that of wte.
    """

    def __init__(self, config: GPTConfig):
        super().__init__()
        ### BEGIN SOLUTION
        self.config = config
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(config.vocab_size, config.n_embd),
                "wpe": nn.Embedding(config.n_positions, config.n_embd),
                "drop": nn.Dropout(config.embd_pdrop),
                "h": nn.ModuleList(Block(config) for _ in range(config.n_layer)),
                "ln_f": nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon),
            }
        )
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.lm_head.weight = self.transformer.wte.weight
        initialize(self, config.n_layer)
        ### END SOLUTION

    def forward(
        self, ids: Int[Tensor, "batch n"], cache: list[dict] | None = None
    ) -> Float[Tensor, "batch n vocab"]:
        """Logits of the token after each position; no softmax.

        Args:
            ids: the tokens after those in the cache.
            cache: one dictionary a block, as for CausalSelfAttention, all empty at
                first; extended.

        Raises:
            ValueError: more tokens than `n_positions`, those in the cache included.
        """
        ### BEGIN SOLUTION
        past = cache[0]["key"].shape[2] if cache and cache[0] else 0
        end = past + ids.shape[1]
        if end > self.config.n_positions:
            raise ValueError(
                f"{end} tokens do not fit into {self.config.n_positions} positions"
            )
        positions = torch.arange(past, end, device=ids.device)
        x = self.transformer.drop(
            self.transformer.wte(ids) + self.transformer.wpe(positions)
        )
        for i, block in enumerate(self.transformer.h):
            x = block(x, None if cache is None else cache[i])
        return self.lm_head(self.transformer.ln_f(x))
        ### END SOLUTION


# %% [markdown]
# ## 문제 4. 다음 토큰의 손실
#
# 자리 `t`의 로짓은 자리 `t + 1`의 토큰을 맞힙니다. 한 칸 미는 일을 **이 함수 안에서** 합니다. 맞힐 것이 있는 자리 전체의 교차
# 엔트로피 평균을 스칼라로 돌려주십시오. 마지막 자리의 로짓과 첫 토큰은 쓰이지 않습니다.
#
# ```text
# ids 5 8 3이면:   logits[0] → 8,   logits[1] → 3,   logits[2]는 쓰지 않음
# ```
#
# 토큰이 하나뿐이면 맞힐 것이 없으므로 `ValueError`를 냅니다.


# %% lm_loss tags=["question"]
def lm_loss(
    logits: Float[Tensor, "batch n vocab"], ids: Int[Tensor, "batch n"]
) -> Float[Tensor, ""]:
    """Mean cross-entropy of each token after the first, in nats.

    Radford et al. 2018, equation 1.

    Args:
        logits: the model's, at each position.
        ids: the tokens that it has read.

    Raises:
        ValueError: fewer than two tokens.
    """
    ### BEGIN SOLUTION
    if ids.shape[1] < 2:
        raise ValueError("one token alone has nothing to predict")
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
    ### END SOLUTION


# %% [markdown]
# ## 문제 5. 생성
#
# 마지막 자리의 로짓에서 다음 토큰을 뽑아 뒤에 붙이는 일을 `max_new_tokens`번 되풀이합니다. **프롬프트와 이어 쓴 것을 함께**
# 돌려줍니다. `ids`는 바꾸지 않습니다.
#
# - `temperature`로 로짓을 나누고 소프트맥스를 취한 확률로, 행마다 따로 뽑습니다. `generator`를 `torch.multinomial`에 넘깁니다.
#   `temperature=0`이면 가장 큰 로짓을 고릅니다.
# - 모델에는 마지막 `n_positions`개까지만 넣습니다(`model.config.n_positions`). 돌려주는 것은 자르지 않습니다.
# - `use_cache=True`이면 빈 사전 `model.config.n_layer`개의 리스트를 만들어 `model(새 토큰, cache)`로 부릅니다. 첫 호출에는
#   프롬프트 전체를, 그다음에는 새 토큰 하나만 넣습니다. `n_positions`를 넘으면 창이 밀리면서 모든 토큰의 위치가 바뀝니다. 그때부터는
#   캐시 없이 `model(마지막 n_positions개)`로 부릅니다. 토큰은 캐시를 쓰지 않을 때와 같아야 합니다.
#
# `model`은 여러분의 `GPT`가 아닐 수도 있습니다. `model(ids)`와 `model(ids, cache)`로 부를 수 있고 `config`가 있으면 됩니다. 모드는 부르는
# 쪽이 정합니다.


# %% generate tags=["question"]
@torch.no_grad()
def generate(
    model,
    ids: Int[Tensor, "batch n"],
    max_new_tokens: int,
    temperature: float | int = 1.0,
    generator: torch.Generator | None = None,
    use_cache: bool = True,
) -> Int[Tensor, "batch total"]:
    """Continue each row of `ids` by `max_new_tokens` tokens.

    Args:
        model: `model(ids)` and `model(ids, cache)` give logits (batch, n, vocab); has a
            `config`.
        ids: the prompt.
        temperature: the logits are divided by it; 0 takes the largest.
        generator: what the tokens are drawn with.
        use_cache: keep keys and values while all tokens fit into `n_positions`.

    Returns:
        Prompt and continuation, n + max_new_tokens tokens.
    """
    ### BEGIN SOLUTION
    limit = model.config.n_positions
    cache = [{} for _ in range(model.config.n_layer)]
    seen = 0
    for _ in range(max_new_tokens):
        if use_cache and ids.shape[1] <= limit:
            logits = model(ids[:, seen:], cache)
            seen = ids.shape[1]
        else:
            # A window that slides moves every token: the keys are no longer right.
            logits = model(ids[:, -limit:])
        logits = logits[:, -1]  # (batch, vocab)
        if temperature == 0:
            following = logits.argmax(dim=-1, keepdim=True)
        else:
            probabilities = (logits.float() / temperature).softmax(dim=-1)
            following = torch.multinomial(probabilities, 1, generator=generator)
        ids = torch.cat([ids, following], dim=1)
    return ids
    ### END SOLUTION


# %% [markdown]
# ## 여러분의 GPT가 글을 씁니다
#
# 이 책의 작은 한국어 GPT의 가중치를 여러분의 `GPT`에 붓고, 여러분의 `generate`로 이어 씁니다. Hugging Face의 모델과 로짓이 얼마나
# 다른지, 쓴 글이 `lm_loss`로 얼마나 뜻밖인지도 적습니다. 점수는 없습니다.
#
# - `write("배우들")`처럼 다른 글로 시작해 보십시오. `temperature=0`과 `temperature=1.5`는 어떻게 다릅니까?
# - 온도를 올리면 쓴 글의 손실은 어떻게 됩니까?


# %%
def load_tiny_gpt():
    """The course's tiny Korean GPT in your model, the original and its tokenizer."""
    from course_data import load_model

    trained, tokenizer = load_model("GPT2LMHeadModel")
    model = GPT(trained.config)
    state = trained.state_dict()
    model.load_state_dict(from_gpt2_state_dict(state))
    return model.eval(), trained, tokenizer


def write(text: str, temperature: float = 0.7, count: int = 3) -> None:
    """Print continuations of a text and their losses."""
    model, trained, tokenizer = load_tiny_gpt()
    start = tokenizer(text, return_tensors="pt")["input_ids"][:, :-1]  # without [SEP]
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        difference = (model(start) - trained(start).logits).abs().max()
        print(f"largest difference from Hugging Face's logits: {difference:.0e}")
        for _ in range(count):
            ids = generate(model, start, 20, temperature, generator)
            ends = (ids[0] == tokenizer.sep_token_id).nonzero().flatten().tolist()
            ids = ids[:, : ends[0] + 1] if ends else ids
            loss = lm_loss(model(ids), ids)
            print(f"{loss:.2f}  {tokenizer.decode(ids[0], skip_special_tokens=True)}")


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    write("이 영화는")

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 공개된 GPT-2 네 크기의 파라미터 수, Hugging Face와 같은 로짓, 여러 조각으로 나누어 넣은 캐시, 위치의 끝까지 찬
# 입력을 시험합니다.
