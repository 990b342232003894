# %% [markdown]
# # 연습: BERT
#
# **난이도** 2/3 · **시간** 70분 · **배점** 10점 · **먼저 읽을 장** [BERT](../../chapters/bert.md)
#
# BERT를 조립합니다. 이름을 Hugging Face의 `BertModel`과 같게 지어, 그 가중치를 그대로 불러 같은 출력을 내는지 확인합니다.
# 어텐션, 중간층, 출력층은 주어집니다. 여러분이 만드는 것은 입력 임베딩, 마스크, 층의 연결과 쌓기, 풀러입니다.
#
# 축의 이름은 이 책의 것입니다. `batch`는 문장(또는 문장 쌍)의 수, `n`은 토큰의 수, `d_model`은 은닉 상태의 차원 `hidden_size`입니다.
# **마스크에서 `True`는 "볼 수 있다"는 뜻입니다.**
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

# %% [markdown]
# ## 주어진 것: 설정
#
# `transformers.BertConfig`와 같은 이름, 같은 기본값입니다. 기본값이 BERT-base입니다. 여러분의 클래스는 이 이름들만 읽어야 합니다.
# 그러면 `transformers.BertConfig`를 넣어도 됩니다.


# %%
@dataclass
class BertConfig:
    """Sizes, named as in Hugging Face; the defaults are those of BERT-base, uncased."""

    vocab_size: int = 30522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12
    pad_token_id: int | None = 0


# %% [markdown]
# ## 주어진 것: 층의 부품
#
# | 클래스 | 부르는 법 | 하는 일 |
# | --- | --- | --- |
# | `BertAttention` | `attention(hidden, mask)` | 멀티 헤드 셀프 어텐션, 드롭아웃, 잔차 연결, 층 정규화 |
# | `BertIntermediate` | `intermediate(attended)` | `hidden_size`에서 `intermediate_size`로, GELU |
# | `BertOutput` | `output(inner, attended)` | 다시 `hidden_size`로, 드롭아웃, `attended`와의 잔차 연결, 층 정규화 |
#
# `mask`는 점수 `(batch, heads, n, n)`으로 브로드캐스트되는 불리언 텐서이거나 `None`입니다. 볼 것이 하나도 없는 질의의 어텐션 출력은
# 0입니다.


# %%
class BertSelfAttention(nn.Module):
    """Multi-head self-attention up to the joined heads.

    Raises:
        ValueError: the heads do not divide the hidden size.
    """

    def __init__(self, config):
        super().__init__()
        if config.hidden_size % config.num_attention_heads:
            raise ValueError(
                f"{config.num_attention_heads} heads do not divide {config.hidden_size}"
            )
        self.num_heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = config.attention_probs_dropout_prob

    def forward(
        self, hidden: Float[Tensor, "batch n d_model"], mask: Tensor | None = None
    ) -> Float[Tensor, "batch n d_model"]:
        """Attend; `mask`, True = may, broadcasts to (batch, heads, n, n)."""
        # (batch, heads, n, d_k) each
        query = self.query(hidden).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        key = self.key(hidden).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        value = self.value(hidden).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        dropout = self.dropout if self.training else 0.0
        if mask is None:
            joined = F.scaled_dot_product_attention(
                query, key, value, dropout_p=dropout
            )
        else:
            if mask.dtype != torch.bool:
                raise TypeError(f"the mask must be bool, not {mask.dtype}")
            nothing = ~mask.any(dim=-1, keepdim=True)
            joined = F.scaled_dot_product_attention(
                query, key, value, mask | nothing, dropout_p=dropout
            )
            joined = joined.masked_fill(nothing, 0.0)
        return joined.transpose(1, 2).flatten(2)


class BertOutput(nn.Module):
    """Project to the hidden size, drop out, add what came in, normalise (post-norm)."""

    def __init__(self, config, in_features: int | None = None):
        super().__init__()
        self.dense = nn.Linear(
            in_features or config.intermediate_size, config.hidden_size
        )
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self,
        inner: Float[Tensor, "batch n d_ff"],
        residual: Float[Tensor, "batch n d_model"],
    ) -> Float[Tensor, "batch n d_model"]:
        return self.LayerNorm(residual + self.dropout(self.dense(inner)))


class BertAttention(nn.Module):
    """The first sublayer: self-attention, added to its input and normalised."""

    def __init__(self, config):
        super().__init__()
        self.self = BertSelfAttention(config)
        self.output = BertOutput(config, config.hidden_size)

    def forward(
        self, hidden: Float[Tensor, "batch n d_model"], mask: Tensor | None = None
    ) -> Float[Tensor, "batch n d_model"]:
        return self.output(self.self(hidden, mask), hidden)


class BertIntermediate(nn.Module):
    """The wide half of the feed-forward network; GELU by the error function."""

    def __init__(self, config):
        super().__init__()
        if config.hidden_act != "gelu":
            raise ValueError(f"this BERT knows gelu, not {config.hidden_act}")
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)

    def forward(
        self, attended: Float[Tensor, "batch n d_model"]
    ) -> Float[Tensor, "batch n d_ff"]:
        return F.gelu(self.dense(attended))


@torch.no_grad()
def init_weights(model: nn.Module, std: float) -> None:
    """Draw matrices and tables from N(0, std²); biases and padding rows become zero."""
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            module.weight.normal_(0.0, std)
        if isinstance(module, nn.Linear) and module.bias is not None:
            module.bias.zero_()
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            module.weight[module.padding_idx].zero_()


# %% [markdown]
# ## 문제 1. 입력 임베딩
#
# 토큰마다 벡터 셋을 **더하고**, 층 정규화한 다음 드롭아웃을 겁니다.
#
# | 이름 | 표의 행 수 | 무엇으로 찾는가 |
# | --- | --- | --- |
# | `word_embeddings` | `vocab_size` | 토큰 번호 `input_ids` |
# | `position_embeddings` | `max_position_embeddings` | 위치 0, 1, 2, … |
# | `token_type_embeddings` | `type_vocab_size` | 세그먼트 번호 `token_type_ids` |
#
# 층 정규화의 이름은 `LayerNorm`(대문자)이고 `eps`는 `config.layer_norm_eps`입니다. 셋은 `nn.Embedding`입니다.
#
# - `token_type_ids`를 주지 않으면 모두 0번 세그먼트입니다. 세그먼트 임베딩을 **빼는 것이 아닙니다.**
# - `position_ids`를 주지 않으면 0부터 차례로 셉니다. 한 행에 글을 여러 개 담을 때만 따로 줍니다.
# - `n`이 `max_position_embeddings`보다 크면 `ValueError`를 냅니다.
#
# 상태 사전에는 위 네 부품만 있어야 합니다. 위치 번호를 버퍼로 두려면 `persistent=False`로 등록하십시오.


# %% BertEmbeddings tags=["question"]
class BertEmbeddings(nn.Module):
    """Token, position and segment embeddings, added (Devlin et al. 2019, figure 2).

    Attributes:
        word_embeddings, position_embeddings, token_type_embeddings: nn.Embedding.
        LayerNorm: nn.LayerNorm of the sum.
    """

    def __init__(self, config):
        super().__init__()
        ### BEGIN SOLUTION
        size = config.hidden_size
        self.word_embeddings = nn.Embedding(
            config.vocab_size, size, padding_idx=config.pad_token_id
        )
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, size)
        self.LayerNorm = nn.LayerNorm(size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        ### END SOLUTION

    def forward(
        self,
        input_ids: Int[Tensor, "batch n"],
        token_type_ids: Int[Tensor, "batch n"] | None = None,
        position_ids: Int[Tensor, "batch n"] | None = None,
    ) -> Float[Tensor, "batch n d_model"]:
        """Embed tokens.

        Args:
            token_type_ids: 0 = first segment, 1 = second; all 0 if None.
            position_ids: 0, 1, 2, … in every row if None.

        Raises:
            ValueError: more tokens than positions.
        """
        ### BEGIN SOLUTION
        length, limit = input_ids.shape[1], self.position_embeddings.num_embeddings
        if length > limit:
            raise ValueError(f"{length} tokens do not fit into {limit} positions")
        if position_ids is None:
            position_ids = torch.arange(length, device=input_ids.device)
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        total = self.word_embeddings(input_ids)
        total = total + self.position_embeddings(position_ids)
        total = total + self.token_type_embeddings(token_type_ids)
        return self.dropout(self.LayerNorm(total))
        ### END SOLUTION


# %% [markdown]
# ## 문제 2. BERT
#
# 네 클래스를 채웁니다. 이름은 다음과 같습니다.
#
# ```text
# BertModel
# ├─ embeddings                       BertEmbeddings
# ├─ encoder                          BertEncoder
# │  └─ layer  (nn.ModuleList)        BertLayer × num_hidden_layers
# │     ├─ attention                  BertAttention      (주어진 것)
# │     ├─ intermediate               BertIntermediate   (주어진 것)
# │     └─ output                     BertOutput         (주어진 것)
# └─ pooler                           BertPooler
#    └─ dense                         nn.Linear, d_model → d_model
# ```
#
# - **층**: 어텐션을 지난 것이 피드포워드의 입력이자 둘째 잔차 연결의 지름길입니다.
# - **풀러**: 첫 토큰 `[CLS]`의 마지막 은닉 상태를 `dense`와 tanh에 통과시킵니다.
# - **마스크**: `attention_mask`는 `(batch, n)`이고 진짜 토큰이 1 또는 `True`, 패딩이 0 또는 `False`입니다. 정수로도 불리언으로도 옵니다.
#   부품이 받는 모양과 자료형으로 바꾸어 **모든 층**에 넘기십시오. 패딩은 키를 가립니다. 모두 패딩인 문장에서도 결과는
#   유한해야 합니다.
# - **시작값**: 다 만든 뒤 주어진 `init_weights(self, config.initializer_range)`를 한 번 부릅니다.
#
# 임베딩은 문제 1의 것 대신 **Hugging Face의 것을 써도 됩니다.** 부르는 법이 같으므로, 문제 1이 틀려도 이 문제를 풀 수 있습니다.
#
# ```python
# from transformers.models.bert.modeling_bert import BertEmbeddings
# ```


# %% BertModel tags=["question"]
class BertLayer(nn.Module):
    """One post-norm encoder layer out of `attention`, `intermediate` and `output`."""

    def __init__(self, config):
        super().__init__()
        ### BEGIN SOLUTION
        self.attention = BertAttention(config)
        self.intermediate = BertIntermediate(config)
        self.output = BertOutput(config)
        ### END SOLUTION

    def forward(
        self, hidden: Float[Tensor, "batch n d_model"], mask: Tensor | None = None
    ) -> Float[Tensor, "batch n d_model"]:
        """`mask`: bool, broadcasts to (batch, heads, n, n), True = may attend."""
        ### BEGIN SOLUTION
        attended = self.attention(hidden, mask)
        return self.output(self.intermediate(attended), attended)
        ### END SOLUTION


class BertEncoder(nn.Module):
    """`layer`: num_hidden_layers layers, one after the other."""

    def __init__(self, config):
        super().__init__()
        ### BEGIN SOLUTION
        self.layer = nn.ModuleList(
            BertLayer(config) for _ in range(config.num_hidden_layers)
        )
        ### END SOLUTION

    def forward(
        self, hidden: Float[Tensor, "batch n d_model"], mask: Tensor | None = None
    ) -> Float[Tensor, "batch n d_model"]:
        """All layers; `mask` as for one."""
        ### BEGIN SOLUTION
        for layer in self.layer:
            hidden = layer(hidden, mask)
        return hidden
        ### END SOLUTION


class BertPooler(nn.Module):
    """One vector for the sentence: tanh(`dense`([CLS]))."""

    def __init__(self, config):
        super().__init__()
        ### BEGIN SOLUTION
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        ### END SOLUTION

    def forward(
        self, hidden: Float[Tensor, "batch n d_model"]
    ) -> Float[Tensor, "batch d_model"]:
        ### BEGIN SOLUTION
        return self.dense(hidden[:, 0]).tanh()
        ### END SOLUTION


class BertModel(nn.Module):
    """BERT (Devlin et al. 2019, section 3); loads transformers.BertModel's state dict.

    Attributes:
        embeddings, encoder, pooler: the parts; every other name follows from them.
    """

    def __init__(self, config):
        super().__init__()
        ### BEGIN SOLUTION
        self.config = config
        self.embeddings = BertEmbeddings(config)
        self.encoder = BertEncoder(config)
        self.pooler = BertPooler(config)
        init_weights(self, config.initializer_range)
        ### END SOLUTION

    def forward(
        self,
        input_ids: Int[Tensor, "batch n"],
        token_type_ids: Int[Tensor, "batch n"] | None = None,
        attention_mask: Int[Tensor, "batch n"] | Bool[Tensor, "batch n"] | None = None,
    ) -> tuple[Float[Tensor, "batch n d_model"], Float[Tensor, "batch d_model"]]:
        """Read sentences, or pairs of sentences, in both directions.

        Args:
            input_ids: [CLS] first.
            token_type_ids: 0 = first segment, 1 = second; all 0 if None.
            attention_mask: 1 or True = a real token; None hides nothing.

        Returns:
            hidden: the last layer's states.
            pooled: tanh of a linear map of the state of [CLS].

        Raises:
            ValueError: more tokens than positions.
        """
        ### BEGIN SOLUTION
        mask = None
        if attention_mask is not None:
            mask = attention_mask.bool()[:, None, None, :]  # hides keys
        hidden = self.encoder(self.embeddings(input_ids, token_type_ids), mask)
        return hidden, self.pooler(hidden)
        ### END SOLUTION


# %% [markdown]
# ## 문제 3. 문장을 벡터 하나로
#
# 은닉 상태 `(batch, n, d_model)`을 문장마다 벡터 하나로 줄이십시오. `mask`는 `(batch, n)`이고 `True`(또는 1)가 진짜 토큰입니다.
#
# | `how` | 결과 |
# | --- | --- |
# | `"cls"` | 첫 토큰의 은닉 상태 |
# | `"mean"` | 진짜 토큰들의 평균 |
# | `"max"` | 성분마다, 진짜 토큰들의 최댓값 |
#
# ```text
# pool(tensor([[[1., -5.], [3., -1.], [9., 9.]]]), tensor([[True, True, False]]), "mean")  →  [[2., -3.]]
#                                                                                  "max"   →  [[3., -1.]]
# ```
#
# 진짜 토큰이 하나도 없는 문장의 평균과 최댓값은 0입니다. 다른 `how`에는 `ValueError`를 냅니다.


# %% pool tags=["question"]
def pool(
    hidden: Float[Tensor, "batch n d_model"],
    mask: Bool[Tensor, "batch n"] | Int[Tensor, "batch n"],
    how: str,
) -> Float[Tensor, "batch d_model"]:
    """One vector for each sentence.

    Args:
        mask: True or 1 = a real token.
        how: "cls", "mean" or "max".

    Returns:
        Mean and max are over real tokens, and zero where there are none.

    Raises:
        ValueError: another `how`.
    """
    ### BEGIN SOLUTION
    if how == "cls":
        return hidden[:, 0]
    real = mask.bool()[..., None]
    if how == "mean":
        return hidden.masked_fill(~real, 0.0).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    if how == "max":
        highest = hidden.masked_fill(~real, float("-inf")).amax(dim=1)
        return highest.masked_fill(~real.any(dim=1), 0.0)
    raise ValueError(f"how must be cls, mean or max, not {how!r}")
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 파라미터 세기
#
# 설정만 보고 `BertModel`의 파라미터 수를 **식으로** 계산하십시오. 임베딩, 인코더, 풀러를 세고 편향도 셉니다. 모델을 만들지 않습니다.
# 모델을 만들면 BERT-large에서 메모리 1.3 GB가 듭니다.
#
# ```text
# count_bert_parameters(BertConfig())  →  109482240     (BERT-base)
# ```


# %% count_bert_parameters tags=["question"]
def count_bert_parameters(config) -> int:
    """Parameters of embeddings, encoder and pooler, from the sizes alone.

    Args:
        config: a configuration, of which only sizes are read.
    """
    ### BEGIN SOLUTION
    size, inner = config.hidden_size, config.intermediate_size
    norm = 2 * size
    tables = config.vocab_size + config.max_position_embeddings + config.type_vocab_size
    attention = 4 * (size * size + size) + norm
    feed_forward = (size * inner + inner) + (inner * size + size) + norm
    embeddings = tables * size + norm
    pooler = size * size + size
    return embeddings + config.num_hidden_layers * (attention + feed_forward) + pooler
    ### END SOLUTION


# %% [markdown]
# ## 진짜 BERT로
#
# 다 만들었으면 이 책의 작은 한국어 BERT를 여러분의 모델에 부어 보십시오. 은닉 상태에서 빈칸의 단어를 고르는 헤드는 다음 연습에서 만들므로
# 여기서는 학습을 마친 것을 빌립니다. 그다음 `pool`로 문장을 벡터로 바꾸어, 이 책의 문장에서 가장 닮은 것을 찾습니다. 점수는 없습니다.
#
# - 새 칸에서 `fill("배우들의 [MASK]가 좋았다")`를 실행해 보십시오.
# - `nearest`에 여러분의 문장을 넣어 보십시오. 음식 이야기도 잘 찾습니까? 이 BERT는 영화평만 읽었습니다. `how="cls"`로 바꾸면 무엇을 찾습니까?


# %%
def load_tiny_bert():
    """The course's tiny Korean BERT: your model, its heads and its tokenizer."""
    from course_data import load_model

    trained, tokenizer = load_model("BertForPreTraining")
    model = BertModel(trained.config)
    model.load_state_dict(trained.bert.state_dict())
    return model.eval(), trained.cls, tokenizer


@torch.no_grad()
def fill(text: str) -> None:
    """Print the likeliest tokens for a text's first [MASK]."""
    model, heads, tokenizer = load_tiny_bert()
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    hidden, _ = model(ids)
    blank = ids[0].tolist().index(tokenizer.mask_token_id)
    best = heads.predictions(hidden[0, blank]).topk(5).indices
    print(text, "->", " ".join(tokenizer.convert_ids_to_tokens(best.tolist())))


@torch.no_grad()
def nearest(text: str, how: str = "mean") -> None:
    """Print the course's three sentences whose vectors are most like a text's."""
    from course_data import load_sentences

    model, _, tokenizer = load_tiny_bert()
    sentences, _ = load_sentences("train")
    batch = tokenizer([text, *sentences], padding=True, return_tensors="pt")
    mask = batch["attention_mask"]
    hidden, _ = model(batch["input_ids"], attention_mask=mask)
    vectors = F.normalize(pool(hidden, mask, how), dim=-1)
    for i in (vectors[1:] @ vectors[0]).topk(3).indices.tolist():
        print(f"{vectors[1 + i] @ vectors[0]:.2f}  {sentences[i]}")


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    fill("이 영화 정말 [MASK]")
    nearest("배우들의 연기가 훌륭하다")

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 다른 크기, 다른 정밀도, 정수와 불리언 마스크, 모두 패딩인 문장처럼 이 글에 적힌 약속을 그대로 시험합니다.
