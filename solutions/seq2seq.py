# %% [markdown]
# # 연습: 시퀀스에서 시퀀스로
#
# **난이도** 2/3 · **시간** 60분 · **배점** 10점 · **먼저 읽을 장** [시퀀스에서 시퀀스로](../../chapters/seq2seq.md)
#
# 디코더가 인코더의 상태를 돌아보는 방법을 만듭니다. 먼저 덧셈 어텐션을, 다음에는 루옹의 두 점수를 만들고, 마지막에는
# 토큰 하나를 읽고 다음 토큰의 로짓을 내는 디코더의 한 걸음을 만듭니다.
#
# 이 장의 어텐션에서는 인코더의 상태가 **키이면서 값**입니다. 그래서 키와 값을 따로 받지 않습니다. **마스크에서 `True`는
# "볼 수 있다"는 뜻입니다.**
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

# %% [markdown]
# ## 문제 1. 덧셈 어텐션
#
# 질의 하나가 키 `n`개를 봅니다. 점수는 질의와 키를 같은 차원 `d_a`로 옮겨 더하고, tanh를 지나, 벡터 $v_a$(코드의 `v`)와 내적한
# 것입니다. $W^Q$와 $W^K$는 코드의 `W_q`와 `W_k`입니다.
#
# $$s_j = v_a \cdot \tanh(q W^Q + k_j W^K)$$
#
# 점수의 소프트맥스가 가중치이고, 키의 가중합이 문맥 벡터입니다.
#
# ```text
# query (1.0)   keys (0.0), (-1.0)   W_q (1.0)   W_k (1.0)   v (1.0)
#   점수      tanh(1) = 0.762, tanh(0) = 0
#   가중치    0.682, 0.318
#   문맥      0.682 · 0.0 + 0.318 · (-1.0) = -0.318
#
# query (8, 4)   keys (8, 5, 6)   mask (8, 5)   →   context (8, 6)   weights (8, 5)
# ```
#
# - 질의와 키 앞에는 배치 축이 몇 개든 똑같이 있을 수 있고, 하나도 없을 수도 있습니다.
# - `mask`가 있으면 볼 수 없는 키의 가중치는 정확히 0이고, 볼 수 있는 키의 가중치는 합이 1입니다.
# - 점수가 1,000처럼 커도 넘치지 않아야 합니다.
# - 볼 것이 하나도 없으면 가중치와 문맥 벡터가 모두 0입니다. NaN이 되어서는 안 되고, 기울기도 유한해야 합니다. 그 이유는
#   [마스킹](../../chapters/masking.md) 장에서 설명합니다.


# %% additive_attention tags=["question"]
def additive_attention(
    query: Float[Tensor, "*batch d_q"],
    keys: Float[Tensor, "*batch n d_k"],
    W_q: Float[Tensor, "d_q d_a"],
    W_k: Float[Tensor, "d_k d_a"],
    v: Float[Tensor, "d_a"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[Float[Tensor, "*batch d_k"], Float[Tensor, "*batch n"]]:
    """Look back at all states, with a small network as the score.

    Bahdanau et al. 2015, appendix A.1.2.

    Args:
        query: the decoder's state.
        keys: the encoder's states; they are the values, too.
        mask: broadcasts to the scores (..., n), True = may attend; None hides nothing.

    Returns:
        Context and weights. A query with nothing to see gets zeros in both, with finite
        gradients.
    """
    ### BEGIN SOLUTION
    scores = torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k) @ v
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        nothing_to_see = ~mask.any(dim=-1, keepdim=True)
        # Rows with nothing to see go through softmax unmasked, where it is finite, and
        # are zeroed afterwards.
        hidden = ~(mask | nothing_to_see)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        weights = weights.masked_fill(nothing_to_see, 0.0)
    return (weights.unsqueeze(-2) @ keys).squeeze(-2), weights
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 루옹의 점수
#
# 점수를 내는 더 단순한 방법 둘입니다. 행렬 `W`가 없으면 내적이고, 있으면 질의를 `W`로 옮긴 다음 내적합니다.
#
# $$s_j = q \cdot k_j \qquad\qquad s_j = q W k_j^\top$$
#
# 돌려줄 것은 **점수뿐**입니다. 소프트맥스를 취하지 말고, 아무것으로도 나누지 마십시오.
#
# ```text
# query (1, 2)   keys (3, 0), (1, 1)                 →   3, 3
# query (1, 2)   keys (3, 0), (1, 1)   W (0, 1)      →   6, 3        q W = (2, 1)
#                                        (1, 0)
# query (8, 4)   keys (8, 5, 6)        W (4, 6)      →   (8, 5)
# ```


# %% luong_score tags=["question"]
def luong_score(
    query: Float[Tensor, "*batch d_q"],
    keys: Float[Tensor, "*batch n d_k"],
    W: Float[Tensor, "d_q d_k"] | None = None,
) -> Float[Tensor, "*batch n"]:
    """Scores, no softmax, of all keys for one query: "dot", or "general" with W.

    Luong et al. 2015, section 3.1.

    Args:
        query: the decoder's state.
        keys: the encoder's states; d_k = d_q without W.
    """
    ### BEGIN SOLUTION
    if W is not None:
        query = query @ W
    return (keys @ query.unsqueeze(-1)).squeeze(-1)
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 디코더의 한 걸음
#
# 번역문의 토큰 하나를 받아 다음 토큰의 로짓을 냅니다. 하는 일은 네 가지입니다.
#
# 1. 토큰 번호를 임베딩으로 바꿉니다.
# 2. 디코더의 은닉 상태를 질의로 삼아 인코더의 상태를 보고, 문맥 벡터를 얻습니다.
# 3. LSTM으로 상태를 한 걸음 옮깁니다.
# 4. 새 은닉 상태와 문맥 벡터로 어휘의 토큰마다 로짓을 하나씩 냅니다.
#
# ```text
# DecoderStep(vocab_size=20, embedding_dim=16, hidden_dim=32)
#   token (8,)   state h (8, 32), c (8, 32)   encoder_states (8, 5, 32)   mask (8, 5)
#   →  logits (8, 20)   state h (8, 32), c (8, 32)   weights (8, 5)
# ```
#
# 정하지 않은 것은 마음대로 해도 됩니다. 점수는 덧셈이든 내적이든 되고, 어텐션을 LSTM보다 먼저 해도 나중에 해도 됩니다(먼저
# 하면 문맥 벡터를 LSTM에도 넣을 수 있습니다). 문제 1과 2의 함수를 불러도 되고 여기서 새로 써도 됩니다. 채점은 성질로 합니다.
#
# - 가중치는 볼 수 있는 상태에서 합이 1이고, 인코더의 상태는 **가중합으로만** 결과에 들어옵니다. 가린 상태는 아무 영향이
#   없습니다.
# - 볼 것이 하나도 없는 문장에서는 가중치와 문맥 벡터가 0이고, 로짓과 기울기는 유한합니다(이것도 마스킹 장에서
#   설명합니다).
# - 기울기는 받은 상태와 모든 파라미터까지 흐릅니다. 새 상태를 떼어 내지(detach) 마십시오.
# - 배치의 문장은 서로 섞이지 않습니다. 받은 상태를 고치지 않고 새 상태를 돌려줍니다.
# - 로짓에는 소프트맥스를 취하지 않습니다.


# %% DecoderStep tags=["question"]
class DecoderStep(nn.Module):
    """One step of a recurrent decoder with attention.

    Bahdanau et al. 2015; Luong et al. 2015.

    Args:
        vocab_size: number of tokens.
        embedding_dim: size of a token's embedding.
        hidden_dim: size of the decoder's state and of the encoder's states.
    """

    def __init__(self, vocab_size: int, embedding_dim: int, hidden_dim: int):
        super().__init__()
        ### BEGIN SOLUTION
        self.embedding = nn.Embedding(vocab_size, embedding_dim)
        self.W_q = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim**-0.5)
        self.W_k = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim**-0.5)
        self.v = nn.Parameter(torch.randn(hidden_dim) * hidden_dim**-0.5)
        self.cell = nn.LSTMCell(embedding_dim + hidden_dim, hidden_dim)
        self.output = nn.Linear(2 * hidden_dim, vocab_size)
        ### END SOLUTION

    def forward(
        self,
        token: Int[Tensor, "batch"],
        state: tuple[
            Float[Tensor, "batch hidden_dim"], Float[Tensor, "batch hidden_dim"]
        ],
        encoder_states: Float[Tensor, "batch n hidden_dim"],
        mask: Bool[Tensor, "batch n"],
    ) -> tuple[
        Float[Tensor, "batch vocab"],
        tuple[Float[Tensor, "batch hidden_dim"], Float[Tensor, "batch hidden_dim"]],
        Float[Tensor, "batch n"],
    ]:
        """Read one token and predict the next.

        Args:
            token: the token to read.
            state: h and c; left unchanged.
            encoder_states: the keys, which are the values, too.
            mask: True = may attend.

        Returns:
            Logits of the next token, the new state (h, c), and weights.
        """
        ### BEGIN SOLUTION
        h, c = state
        context, weights = additive_attention(
            h, encoder_states, self.W_q, self.W_k, self.v, mask
        )
        h, c = self.cell(torch.cat([self.embedding(token), context], dim=-1), (h, c))
        return self.output(torch.cat([h, context], dim=-1)), (h, c), weights
        ### END SOLUTION


# %% [markdown]
# ## 숫자를 읽고, 어디를 보았는지 말하기
#
# 여러분의 `DecoderStep`에 수를 소리 내어 읽게 합니다. LSTM 인코더가 `907`의 숫자를 읽고, 디코더가 `구백칠`을 씁니다. 0은 소리가 없고
# 10은 자리를 보아야 알므로 한 글자씩 옮겨서는 되지 않습니다. 몇 초 학습시킨 다음, 쓴 글자마다 어느 숫자를 가장 많이 보았는지 적습니다.
# 점수는 없습니다.
#
# - 학습에 없던 수 100개 가운데 몇을 맞게 읽습니까?
# - '백'을 쓸 때 어느 숫자를 봅니까?


# %%
def said(number: int) -> str:
    """How one says a number below 1,000, with a full stop: 907 -> "구백칠."."""
    text = ""
    for digit, unit in zip(f"{number:03}", ["백", "십", ""], strict=True):
        if digit != "0":
            one = digit == "1" and unit
            text += ("" if one else "영일이삼사오육칠팔구"[int(digit)]) + unit
    return (text or "영") + "."


SYLLABLES = " .영일이삼사오육칠팔구십백"  # " " starts, and pads


class Reader(nn.Module):
    """An LSTM that reads three digits, and your decoder, which says them."""

    def __init__(self, size: int = 64):
        super().__init__()
        self.digits = nn.Embedding(10, size)
        self.encoder = nn.LSTM(size, size, batch_first=True)
        self.step = DecoderStep(len(SYLLABLES), size, size)

    def forward(self, digits: Tensor, ids: Tensor | None = None):
        """Logits and weights of seven steps; without `ids` each step reads the last."""
        states, (h, c) = self.encoder(self.digits(digits))
        state, token = (h[0], c[0]), torch.zeros_like(digits[:, 0])
        mask, steps = torch.ones_like(digits, dtype=torch.bool), []
        for i in range(7):
            logits, state, weights = self.step(token, state, states, mask)
            steps.append((logits, weights))
            token = logits.argmax(dim=-1) if ids is None else ids[:, i]
        return [torch.stack(parts, dim=1) for parts in zip(*steps, strict=True)]


def learn_to_read(steps: int = 400) -> Reader:
    """Train on all numbers but 100, and print how many of these are read right."""
    torch.manual_seed(0)
    digits = torch.cartesian_prod(*[torch.arange(10)] * 3)
    rows = [[*map(SYLLABLES.index, said(n).ljust(7))] for n in range(1000)]
    ids, order = torch.tensor(rows), torch.randperm(1000)
    reader = Reader()
    optimizer = torch.optim.Adam(reader.parameters(), lr=0.005)
    for _ in range(steps):
        some = order[torch.randint(100, 1000, (64,))]
        logits, _ = reader(digits[some], ids[some])
        loss = nn.functional.cross_entropy(logits.mT, ids[some], ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    found = reader(digits[order[:100]])[0].argmax(dim=-1)
    right = ((found == ids[order[:100]]) | (ids[order[:100]] == 0)).all(dim=-1).sum()
    print(f"{right} of 100 new numbers right")
    return reader


@torch.no_grad()
def read_aloud(reader: Reader, number: int) -> None:
    """Print what the decoder says, each syllable with the digit it looks at most."""
    digits = [*map(int, f"{number:03}")]
    logits, weights = reader(torch.tensor([digits]))
    text = "".join(SYLLABLES[i] for i in logits[0].argmax(dim=-1)).partition(".")[0]
    places = weights[0].argmax(dim=-1)
    looks = [f"{one} (digit {places[i] + 1})" for i, one in enumerate(text)]
    print(f"{number:03}", "->", " ".join(looks))


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    reader = learn_to_read()
    for number in [907, 110, 345]:
        read_aloud(reader, number)

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 여러 축의 배치, 길이가 1인 입력, 볼 것이 없는 문장, 다른 자료형처럼 이 글에 적힌 약속을 그대로
# 시험합니다.
