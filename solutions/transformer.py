# %% [markdown]
# # 연습: 트랜스포머
#
# **난이도** 3/3 · **시간** 75분 · **배점** 10점 · **먼저 읽을 장** [트랜스포머](../../chapters/transformer.md)
#
# 임베딩, 위치, 인코더, 디코더를 이어 원래 논문의 모델 전체를 조립합니다. 그리고 그 모델을 학습하는 데 필요한 세 가지, 길이가 다른
# 쌍을 담는 배치, 학습 한 걸음, 정답과 통째로 같은지 세는 채점을 만듭니다.
#
# 쌍은 `(원문 번호 리스트, 번역문 번호 리스트)`입니다. **번역문은 SOS로 시작해 EOS로 끝납니다.** 마스크에서 `True`는 볼 수 있다는 뜻입니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

# %% [markdown]
# ## 주어진 것: 부품
#
# `torch.nn`의 층을 쌓은 인코더와 디코더입니다. PyTorch의 마스크는 `True`가 "가린다"이므로, 안에서 뒤집어 이 책의 약속에 맞춥니다.
# `make_embedding`은 처음 값의 표준편차가 $1/\sqrt{d_\text{model}}$인 임베딩 표를 만듭니다.


# %%
class Encoder(nn.Module):
    """A stack of encoder layers."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, num_heads, d_ff, dropout, batch_first=True
            )
            for _ in range(num_layers)
        )

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """`x`: (batch, n, d_model); `mask`: (batch, n), True = a real token."""
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=~mask)
        return x


class Decoder(nn.Module):
    """A stack of decoder layers."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerDecoderLayer(
                d_model, num_heads, d_ff, dropout, batch_first=True
            )
            for _ in range(num_layers)
        )

    def forward(
        self, x: Tensor, memory: Tensor, self_mask: Tensor, memory_mask: Tensor
    ) -> Tensor:
        """Decode.

        Args:
            x: (batch, m, d_model).
            memory: (batch, n, d_model).
            self_mask: (m, m), True = row may attend to column.
            memory_mask: (batch, n), True = a real token.
        """
        for layer in self.layers:
            x = layer(
                x, memory, tgt_mask=~self_mask, memory_key_padding_mask=~memory_mask
            )
        return x


def make_embedding(vocab: int, d_model: int) -> nn.Embedding:
    """A table whose rows, times sqrt(d_model), have components of variance one."""
    table = nn.Embedding(vocab, d_model)
    nn.init.normal_(table.weight, std=d_model**-0.5)
    return table


# %% [markdown]
# ## 문제 1. 트랜스포머
#
# 부품을 다음 이름으로 두십시오. 인코더와 디코더의 층의 수는 모두 `num_layers`입니다.
#
# | 이름 | 부품 |
# | --- | --- |
# | `src_embedding`, `tgt_embedding` | `make_embedding`으로 만든 두 임베딩 표 |
# | `position` | `nn.Embedding(max_length, d_model)`. 자리마다 배우는 벡터 하나, 원문과 번역문이 함께 씁니다 |
# | `dropout` | `nn.Dropout` |
# | `encoder`, `decoder` | 주어진 `Encoder`, `Decoder` |
# | `generator` | 로짓을 내는 `nn.Linear` |
#
# 두 스택에 들어가는 것은 `dropout(임베딩 · √d_model + 위치)`입니다. 위치는 0부터 셉니다. 디코더의 룩어헤드 마스크는 모델이 스스로
# 만듭니다. `src_mask`는 인코더와 크로스 어텐션 두 곳에서 원문의 패딩을 가립니다. 원문이나 번역문이 `max_length`보다 길면 `ValueError`를
# 냅니다.


# %% Transformer tags=["question"]
class Transformer(nn.Module):
    """Encoder and decoder from token ids to logits, with learned positions.

    Vaswani et al. 2017, section 3.

    Attributes:
        src_embedding, tgt_embedding: token embeddings, used times sqrt(d_model).
        position: nn.Embedding of `max_length` places, shared by source and target.
        dropout: on the sum of embedding and position.
        encoder, decoder: the given stacks.
        generator: nn.Linear to the target vocabulary.
    """

    def __init__(
        self,
        src_vocab: int,
        tgt_vocab: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        dropout: float = 0.1,
        max_length: int = 64,
    ):
        super().__init__()
        ### BEGIN SOLUTION
        self.src_embedding = make_embedding(src_vocab, d_model)
        self.tgt_embedding = make_embedding(tgt_vocab, d_model)
        self.position = nn.Embedding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.decoder = Decoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.generator = nn.Linear(d_model, tgt_vocab)
        ### END SOLUTION

    def forward(
        self,
        src: Int[Tensor, "batch n"],
        tgt: Int[Tensor, "batch m"],
        src_mask: Bool[Tensor, "batch n"],
    ) -> Float[Tensor, "batch m vocab"]:
        """Logits, no softmax, of the token that follows each target position.

        Position i sees the target up to i only.

        Args:
            src: source ids.
            tgt: target ids so far, SOS first.
            src_mask: True = a real token.

        Raises:
            ValueError: `src` or `tgt` is longer than `max_length`.
        """
        ### BEGIN SOLUTION
        memory = self.encoder(self._embed(src, self.src_embedding), src_mask)
        m = tgt.shape[1]
        past = torch.ones(m, m, dtype=torch.bool, device=tgt.device).tril()
        x = self._embed(tgt, self.tgt_embedding)
        return self.generator(self.decoder(x, memory, past, src_mask))

    def _embed(self, ids, table):
        n, max_length = ids.shape[1], self.position.num_embeddings
        if n > max_length:
            raise ValueError(f"{n} tokens do not fit into {max_length} positions")
        x = table(ids) * table.embedding_dim**0.5
        return self.dropout(x + self.position.weight[:n])
        ### END SOLUTION


# %% [markdown]
# ## 문제 2. 배치로 묶기
#
# 길이가 다른 쌍을 두 텐서에 담으십시오. 원문은 원문끼리, 번역문은 번역문끼리 **배치에서 가장 긴 것**에 맞추어 뒤를 `pad_id`로
# 채웁니다.
#
# ```text
# collate([([5, 6, 7], [1, 9, 2]), ([8], [1, 9, 9, 2])], pad_id=0)
#   →  [[5, 6, 7],      [[1, 9, 2, 0],
#       [8, 0, 0]],      [1, 9, 9, 2]]
# ```


# %% collate tags=["question"]
def collate(
    pairs: list[tuple[list[int], list[int]]], pad_id: int
) -> tuple[Int[Tensor, "batch n"], Int[Tensor, "batch m"]]:
    """Put pairs of different lengths into two tensors, padded on the right.

    Args:
        pairs: (source ids, target ids), at least one pair.
        pad_id: what fills the room behind a short sequence.

    Returns:
        Sources and targets, int64; n and m are the longest of each.
    """
    ### BEGIN SOLUTION
    padded = []
    for sequences in zip(*pairs, strict=True):
        width = max(map(len, sequences))
        rows = [list(ids) + [pad_id] * (width - len(ids)) for ids in sequences]
        padded.append(torch.tensor(rows, dtype=torch.int64))
    return tuple(padded)
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 학습 한 걸음
#
# `batch`는 `collate`가 낸 `(src, tgt)`입니다. 모델을 학습 모드로 두고, `tgt`의 앞부분을 넣어 한 칸 뒤의 토큰을 맞히게 합니다. 손실은
# **패딩이 아닌 정답 토큰 전체의 평균** 교차 엔트로피입니다. EOS도 정답입니다. 기울기를 지우고, 역전파하고, 파라미터를 한 번 고친 다음,
# **고치기 전의 손실**을 파이썬의 `float`로 돌려주십시오.


# %% train_step tags=["question"]
def train_step(
    model: nn.Module,
    batch: tuple[Int[Tensor, "batch n"], Int[Tensor, "batch m"]],
    optimizer: torch.optim.Optimizer,
    pad_id: int,
) -> float:
    """Improve the model by one step of teacher forcing.

    Args:
        model: called as `model(src, tgt, src_mask)`, gives logits (batch, m, vocab).
        batch: sources and targets, padded with `pad_id`; targets begin with SOS and end
            with EOS.
        optimizer: of the model's parameters.
        pad_id: the padding of both.

    Returns:
        The loss before the step: cross-entropy, mean over the real target tokens.
    """
    ### BEGIN SOLUTION
    src, tgt = batch
    model.train()
    logits = model(src, tgt[:, :-1], src != pad_id)
    loss = F.cross_entropy(
        logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=pad_id
    )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 통째로 맞은 비율
#
# 번역문 하나가 **처음부터 끝까지 정답과 같을 때만** 맞은 것입니다. 맞은 수를 전체 수로 나누십시오. 두 리스트의 개수가 다르면 어느 것이
# 어느 정답의 짝인지 알 수 없으므로 `ValueError`를 냅니다. 빈 리스트이면 0.0입니다.
#
# ```text
# exact_match([[7, 8, 2], [7, 2]], [[7, 8, 2], [7, 9, 2]])  →  0.5
# ```


# %% exact_match tags=["question"]
def exact_match(predictions: list[list[int]], targets: list[list[int]]) -> float:
    """The fraction of predictions that equal their target as a whole.

    Args:
        predictions, targets: lists of the same number of id lists.

    Returns:
        Between 0.0 and 1.0; 0.0 where there is nothing to compare.

    Raises:
        ValueError: another number of predictions than of targets.
    """
    ### BEGIN SOLUTION
    if len(predictions) != len(targets):
        raise ValueError(f"{len(predictions)} predictions for {len(targets)} targets")
    if not targets:
        return 0.0
    right = [list(p) == list(t) for p, t in zip(predictions, targets, strict=True)]
    return sum(right) / len(right)
    ### END SOLUTION


# %% [markdown]
# ## 수 번역하기
#
# 만든 것을 모두 이어 번역기를 학습시킵니다. `three hundred and five`를 읽고 `삼백오`를 씁니다. 천보다 작은 수 1,000개 가운데 900개로 배우고
# 나머지 100개로 시험합니다. `collate`가 배치를 만들고, `train_step`이 학습시키고, `exact_match`가 채점합니다. 점수는 없습니다.
#
# - 처음 보는 수를 얼마나 맞힙니까?
# - 새 칸에서 `model = learn_to_translate()`로 받아 `print(translate(model, "nine hundred and twelve"))`를 해 보십시오.
# - `two and hundred`처럼 없는 수를 넣으면 무엇이 나옵니까?


# %%
PAD, SOS, EOS = 0, 1, 2
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
WORDS = ["[PAD]", *ONES, *TENS, "hundred", "and"]
SYLLABLES = ["[PAD]", "[SOS]", "[EOS]", *"영일이삼사오육칠팔구십백"]


def english(n: int) -> list[str]:
    """The English words of a number below 1,000."""
    if n >= 100:
        rest = ["and", *english(n % 100)] if n % 100 else []
        return [ONES[n // 100], "hundred", *rest]
    if n < 20:
        return [ONES[n]]
    return [TENS[n // 10 - 2], *([ONES[n % 10]] if n % 10 else [])]


def korean(n: int) -> str:
    """The Korean syllables of a number below 1,000."""
    said = ""
    for digit, unit in zip(f"{n:03}", ["백", "십", ""], strict=True):
        if digit != "0":
            said += ("" if digit == "1" and unit else SYLLABLES[3 + int(digit)]) + unit
    return said or "영"


def pair(n: int) -> tuple[list[int], list[int]]:
    """The ids of a number in both languages."""
    said = [SYLLABLES.index(one) for one in korean(n)]
    return [WORDS.index(word) for word in english(n)], [SOS, *said, EOS]


@torch.no_grad()
def write(model: nn.Module, source: list[int]) -> list[int]:
    """The likeliest next syllable again and again, to the end."""
    model.eval()
    src, ids = torch.tensor([source]), [SOS]
    while ids[-1] != EOS and len(ids) < 10:
        logits = model(src, torch.tensor([ids]), src != PAD)
        ids.append(logits[0, -1].argmax().item())
    return ids


def translate(model: nn.Module, text: str) -> str:
    """Translate the English words of a number."""
    ids = write(model, [WORDS.index(word) for word in text.split()])
    return "".join(SYLLABLES[i] for i in ids if i > EOS)


def learn_to_translate(steps: int = 300) -> nn.Module:
    """Train on 900 numbers; print the share of the other 100 that come out right."""
    torch.manual_seed(0)
    model = Transformer(len(WORDS), len(SYLLABLES), 64, 4, 128, 2, dropout=0.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    pairs = [pair(n) for n in torch.randperm(1000).tolist()]
    for step in range(steps):
        rows = torch.randint(900, (64,)).tolist()
        batch = collate([pairs[row] for row in rows], PAD)
        loss = train_step(model, batch, optimizer, PAD)
        if step % 100 == 99:
            print(f"step {step + 1}: loss {loss:.3f}")
    written = [write(model, source) for source, _ in pairs[900:]]
    right = exact_match(written, [target for _, target in pairs[900:]])
    print(f"{right:.0%} of 100 new numbers right")
    return model


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    model = learn_to_translate()
    for text in ["three hundred and five", "seventy", "eight hundred and eleven"]:
        print(text, "->", translate(model, text))

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 네 문제는 서로 기대지 않습니다. 문제 3은 작은 시험용 모델로 채점합니다.
