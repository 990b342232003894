# %% [markdown]
# # 연습: BERT 사전학습
#
# **난이도** 2/3 · **시간** 70분 · **배점** 10점 · **먼저 읽을 장** [BERT 사전학습](../../chapters/bert_pretraining.md)
#
# 라벨이 없는 글에서 문제와 정답을 만들고, BERT 위에 얹을 헤드 둘과 손실을 만듭니다. 헤드의 이름을 Hugging Face와 같게 지어,
# 이 책의 작은 한국어 BERT가 사전학습을 마친 가중치를 그대로 불러 빈칸을 채웁니다.
#
# 축의 이름은 이 책의 것입니다. `batch`는 문장(또는 문장 쌍)의 수, `n`은 토큰의 수, `d_model`은 은닉 상태의 차원, `vocab`은 어휘의 크기입니다.
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
# `transformers.BertConfig`와 같은 이름입니다. 헤드는 이 넷만 읽습니다. 그러면 `transformers.BertConfig`를 넣어도 됩니다.


# %%
@dataclass
class BertConfig:
    """Sizes of a BERT that its heads depend on, named as in Hugging Face."""

    vocab_size: int = 30522
    hidden_size: int = 768
    hidden_act: str = "gelu"
    layer_norm_eps: float = 1e-12


# %% [markdown]
# ## 문제 1. 토큰 가리기
#
# 토큰 번호 `ids`에서 마스크 언어 모델의 문제와 정답을 만드십시오.
#
# 1. 특수 토큰이 아닌 토큰마다 **따로** 동전을 던져 15%의 확률로 뽑습니다.
# 2. 뽑힌 토큰은 80%의 확률로 `mask_id`로, 10%의 확률로 무작위 토큰으로 바꾸고, 10%의 확률로 그대로 둡니다.
# 3. 무작위 토큰은 어휘 **전체** `0, …, vocab_size - 1`에서 자리마다 고르게 뽑습니다.
# 4. 라벨은 뽑힌 자리에서 원래 토큰, 나머지 자리에서 `-100`입니다.
#
# `special_mask`에서 `True`(또는 1)는 특수 토큰이나 패딩입니다. 난수는 모두 `generator`에서 얻습니다. `ids`는 그대로 둡니다.
#
# ```text
# ids      2  10  11  12   3        2 = [CLS], 3 = [SEP], 4 = [MASK]
# inputs   2  10   4  12   3        11이 뽑혀 [MASK]가 되었습니다.
# labels  -100 -100 11 -100 -100
# ```


# %% mask_tokens tags=["question"]
def mask_tokens(
    ids: Int[Tensor, "batch n"],
    special_mask: Bool[Tensor, "batch n"] | Int[Tensor, "batch n"],
    vocab_size: int,
    mask_id: int,
    generator: torch.Generator | None = None,
) -> tuple[Int[Tensor, "batch n"], Int[Tensor, "batch n"]]:
    """Make a masked language model's question and answer.

    Devlin et al. 2019, section 3.1, task 1.

    Args:
        ids: tokens; left unchanged.
        special_mask: True or 1 = a special token or padding, which is never chosen.
        vocab_size: random tokens are drawn from 0, …, vocab_size - 1.
        mask_id: the number of [MASK].
        generator: the source of all randomness.

    Returns:
        inputs: the tokens with the chosen ones replaced or not.
        labels: the token that was there where one was chosen, -100 elsewhere.
    """
    ### BEGIN SOLUTION
    source = ids.device if generator is None else generator.device

    def uniform():
        return torch.rand(ids.shape, generator=generator, device=source).to(ids.device)

    chosen = (uniform() < 0.15) & ~special_mask.bool()
    labels = ids.masked_fill(~chosen, -100)

    fate = uniform()
    words = torch.randint(
        vocab_size, ids.shape, generator=generator, device=source, dtype=ids.dtype
    )
    inputs = ids.masked_fill(chosen & (fate < 0.8), mask_id)
    inputs = torch.where(chosen & (fate >= 0.9), words.to(ids.device), inputs)
    return inputs, labels
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 문장 쌍 만들기
#
# 문서는 문장의 리스트이고 `documents`는 문서의 리스트입니다. 같은 문서 안에 **다음 문장이 있는** 문장마다 짝을 하나씩, 글의 차례대로
# 만드십시오. 짝은 `(a, b, label)`입니다. 짝마다 `generator`로 동전을 던집니다.
#
# | `label` | `b` |
# | --- | --- |
# | 0 (IsNext) | `a`의 다음 문장 |
# | 1 (NotNext) | **다른 문서**에서 무작위로 뽑은 문장 |
#
# ```text
# make_nsp_pairs([["가", "나", "다"], ["라"]], generator)  →  예를 들어 [("가", "나", 0), ("나", "라", 1)]
# ```
#
# 문서의 마지막 문장에는 짝이 없습니다. 문장이 하나뿐인 문서도 `b`를 뽑는 데에는 쓰입니다. 다른 문서의 모든 문장이 뽑힐 수 있어야
# 합니다. 빈 문서도 올 수 있습니다. `documents`는 그대로 둡니다.
#
# 뽑을 다른 문서가 없으면 라벨 1을 만들 수 없습니다. 이때는 `ValueError`를 냅니다. 모든 짝을 라벨 0으로 돌려주어도 됩니다.


# %% make_nsp_pairs tags=["question"]
def make_nsp_pairs(
    documents: list[list[str]], generator: torch.Generator | None = None
) -> list[tuple[str, str, int]]:
    """Make pairs for next sentence prediction.

    Devlin et al. 2019, section 3.1, task 2.

    Args:
        documents: sentences in order, document by document; left unchanged.
        generator: the source of all randomness.

    Returns:
        (a, b, label) for each sentence `a` that has a next one: label 0 with the next
        sentence as `b`, or, at even odds, label 1 with a random sentence of another
        document.

    Raises:
        ValueError: there is a pair to make and no other document to draw from.
    """
    ### BEGIN SOLUTION

    def draw(count):
        return int(torch.randint(count, (), generator=generator))

    pairs = []
    for number, document in enumerate(documents):
        if len(document) < 2:
            continue
        others = [other for i, other in enumerate(documents) if i != number and other]
        if not others:
            raise ValueError(
                "there is no other document to draw a random sentence from"
            )
        for a, following in zip(document, document[1:], strict=False):
            if draw(2) == 0:
                pairs.append((a, following, 0))
            else:
                other = others[draw(len(others))]
                pairs.append((a, other[draw(len(other))], 1))
    return pairs
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 빈칸을 채우는 헤드
#
# 은닉 상태를 어휘의 로짓으로 바꿉니다.
#
# $$
# \text{logits} = \operatorname{LN}\bigl(\operatorname{GELU}(W h + b)\bigr)\, E^\top + c
# $$
#
# `E`는 토큰 임베딩의 표 `(vocab, d_model)`이고, 헤드가 새로 만들지 않습니다. **`embedding.weight`를 그대로** 나누어 씁니다. 임베딩이 학습되면
# 헤드도 바뀌고, 헤드에서 온 기울기가 임베딩에 더해집니다. `c`는 0에서 시작하는 편향 `(vocab,)`입니다. 헤드를 만든다고 `embedding`의
# 값이 바뀌어서는 안 됩니다.
#
# 이름은 Hugging Face의 `cls.predictions`와 같습니다.
#
# ```text
# MLMHead
# ├─ transform
# │  ├─ dense        nn.Linear, d_model → d_model
# │  └─ LayerNorm    nn.LayerNorm, eps는 config.layer_norm_eps
# ├─ decoder         nn.Linear, d_model → vocab, weight는 embedding.weight
# └─ bias            c. decoder.bias와 같은 파라미터
# ```
#
# `transform`은 `nn.Module`이면 됩니다(`nn.ModuleDict`도 좋습니다). `bias`는 Hugging Face에 있는 또 하나의 이름일 뿐이므로 두지 않아도
# 됩니다. 두더라도 한 번만 더합니다. GELU는 `F.gelu`의 기본값입니다. `hidden`의 앞쪽 축은 몇 개든 올 수 있습니다.


# %% MLMHead tags=["question"]
class MLMHead(nn.Module):
    """From hidden states to logits over the vocabulary.

    Hugging Face calls it BertLMPredictionHead.

    Attributes:
        transform: `dense` and `LayerNorm`.
        decoder: nn.Linear whose weight is the embedding's.
    """

    def __init__(self, config, embedding: nn.Embedding):
        super().__init__()
        ### BEGIN SOLUTION
        size = config.hidden_size
        self.transform = nn.ModuleDict(
            {
                "dense": nn.Linear(size, size),
                "LayerNorm": nn.LayerNorm(size, eps=config.layer_norm_eps),
            }
        )
        self.decoder = nn.Linear(size, config.vocab_size)
        self.decoder.weight = embedding.weight
        nn.init.zeros_(self.decoder.bias)
        self.bias = self.decoder.bias
        ### END SOLUTION

    def forward(
        self, hidden: Float[Tensor, "... d_model"]
    ) -> Float[Tensor, "... vocab"]:
        """Logits of every token of the vocabulary at every position."""
        ### BEGIN SOLUTION
        hidden = self.transform["LayerNorm"](F.gelu(self.transform["dense"](hidden)))
        return self.decoder(hidden)
        ### END SOLUTION


# %% [markdown]
# ## 문제 4. 다음 문장인지 판정하는 헤드
#
# 풀러의 출력 `pooled (batch, d_model)`을 로짓 둘로 바꾸는 선형 변환입니다. 풀러가 이미 `dense`와 tanh를 지났으므로 다른 것은 없습니다. 0번이
# IsNext, 1번이 NotNext입니다. 선형 변환의 이름은 `seq_relationship`입니다.


# %% NSPHead tags=["question"]
class NSPHead(nn.Module):
    """From the pooler's output to the logits of "is next" and "is random".

    Attributes:
        seq_relationship: nn.Linear, d_model -> 2.
    """

    def __init__(self, config):
        super().__init__()
        ### BEGIN SOLUTION
        self.seq_relationship = nn.Linear(config.hidden_size, 2)
        ### END SOLUTION

    def forward(
        self, pooled: Float[Tensor, "batch d_model"]
    ) -> Float[Tensor, "batch 2"]:
        """Logits of 0 = is next and 1 = random, from the pooler's output."""
        ### BEGIN SOLUTION
        return self.seq_relationship(pooled)
        ### END SOLUTION


# %% [markdown]
# ## 문제 5. 사전학습의 손실
#
# 두 교차 엔트로피의 **평균을 더합니다**. 하나는 뽑힌 토큰(라벨이 -100이 아닌 자리) 전체의 평균이고, 다른 하나는 문장 쌍의 평균입니다.
#
# ```text
# 모든 로짓이 0, vocab = 8, 뽑힌 토큰 셋, 문장 쌍 하나   →   log 8 + log 2 = 2.7726
# ```
#
# 뽑힌 토큰이 하나도 없으면 앞의 것은 0입니다. NaN이 되어서는 안 되고, 기울기도 유한해야 합니다.


# %% pretraining_loss tags=["question"]
def pretraining_loss(
    mlm_logits: Float[Tensor, "batch n vocab"],
    mlm_labels: Int[Tensor, "batch n"],
    nsp_logits: Float[Tensor, "batch 2"],
    nsp_labels: Int[Tensor, "batch"],
) -> Float[Tensor, ""]:
    """Mean loss of the masked language model plus that of next sentence prediction.

    Devlin et al. 2019, A.2.

    Args:
        mlm_labels: -100 where no token was chosen.
        nsp_labels: 0 = is next, 1 = random.

    Returns:
        A scalar; the masked language model's part is 0 where no token was chosen.
    """
    ### BEGIN SOLUTION
    chosen = (mlm_labels != -100).sum().clamp(min=1)
    logits, labels = mlm_logits.flatten(0, -2), mlm_labels.flatten()
    words = F.cross_entropy(logits, labels, reduction="sum") / chosen
    return words + F.cross_entropy(nsp_logits, nsp_labels)
    ### END SOLUTION


# %% [markdown]
# ## 진짜 빈칸 채우기
#
# 다 만들었으면 작은 한국어 BERT가 사전학습을 마친 헤드 둘을 여러분의 `MLMHead`와 `NSPHead`에 부어 보십시오. `fill`은 빈칸을 채우고, `follows`는
# 둘째 글이 첫째 글의 다음일 확률을 적습니다. 점수는 없습니다.
#
# - 빈칸을 문장의 여기저기로 옮겨 보십시오. 앞만 보아서는 알 수 없는 빈칸도 채웁니까?
# - `follows`는 어떤 쌍에서 틀립니까? 이 BERT가 읽은 것은 반으로 자른 영화평입니다.


# %%
def load_heads():
    """Tiny BERT with both of its heads in yours, and its tokenizer."""
    from course_data import load_model

    trained, tokenizer = load_model("BertForPreTraining")
    mlm = MLMHead(trained.config, trained.bert.embeddings.word_embeddings)
    nsp = NSPHead(trained.config)
    state = trained.cls.predictions.state_dict()
    mlm.load_state_dict({name: state[name] for name in mlm.state_dict()})
    nsp.seq_relationship.load_state_dict(trained.cls.seq_relationship.state_dict())
    return trained.bert, mlm.eval(), nsp.eval(), tokenizer


@torch.no_grad()
def fill(text: str, count: int = 5) -> list[str]:
    """The likeliest tokens for a text's first [MASK], by tiny BERT and your head."""
    bert, mlm, _, tokenizer = load_heads()
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    blank = ids[0].tolist().index(tokenizer.mask_token_id)
    best = mlm(bert(ids).last_hidden_state[0, blank]).topk(count).indices
    return tokenizer.convert_ids_to_tokens(best.tolist())


@torch.no_grad()
def follows(first: str, second: str) -> float:
    """The probability that the second text is the next of the first."""
    bert, _, nsp, tokenizer = load_heads()
    batch = tokenizer(first, second, return_tensors="pt")
    return nsp(bert(**batch).pooler_output).softmax(dim=-1)[0, 0].item()


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    for text in ["이 영화 정말 [MASK]", "[MASK]들의 연기가 좋았다"]:
        print(text, "->", " ".join(fill(text)))
    for second in ["눈물이 나서 혼났다", "주인공이 총을 너무 못 쏜다"]:
        print(f"{follows('너무 슬픈 이야기였다', second):.2f}  {second}")

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 다른 크기와 확률, 뽑힌 토큰이 없는 배치, 문장이 하나뿐인 문서처럼 이 글에 적힌 약속을 그대로 시험합니다.
