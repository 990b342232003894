# %% [markdown]
# # 연습: 디코더
#
# **난이도** 2/3 · **시간** 60분 · **배점** 10점 · **먼저 읽을 장** [디코더](../../chapters/decoder.md)
#
# 정답을 한 칸 밀어 입력으로 만들고, 마스크를 쓴 셀프 어텐션과 크로스 어텐션을 가진 층을 만들어 쌓습니다. 마지막으로 은닉
# 상태를 어휘의 로짓으로 바꿉니다. 이름은 PyTorch의 `nn.TransformerDecoderLayer`와 같습니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

# %% [markdown]
# ## 주어진 것: 멀티 헤드 어텐션
#
# 멀티 헤드 어텐션은 `nn.MultiheadAttention`을 씁니다. 그 함수의 마스크는 이 책과 반대로 `True`가 "가린다"이고, 모양도
# `(batch · heads, n_q, n_k)`입니다. `attend`가 그 차이를 메웁니다. **`mask`에서 `True`는 볼 수 있다는 뜻입니다.**


# %%
def attend(
    attention: nn.MultiheadAttention,
    query: Tensor,
    memory: Tensor,
    mask: Tensor | None = None,
) -> Tensor:
    """Apply `attention` with a mask of this book.

    Args:
        attention: made with `batch_first=True`.
        query: (batch, n_q, d_model).
        memory: keys and values, (batch, n_k, d_model).
        mask: broadcasts to (batch, n_q, n_k), True = may attend; None hides nothing.

    Returns:
        (batch, n_q, d_model).
    """
    if mask is not None:
        shape = (query.shape[0], query.shape[1], memory.shape[1])
        mask = ~mask.expand(shape).repeat_interleave(attention.num_heads, dim=0)
    # A view: for one tensor in all three places PyTorch takes a short cut in evaluation
    # that gives NaN to a query that sees nothing.
    value = memory.view_as(memory)
    return attention(query, memory, value, attn_mask=mask, need_weights=False)[0]


# %% [markdown]
# ## 문제 1. 한 칸 밀기
#
# 디코더의 입력은 정답을 오른쪽으로 한 칸 민 것입니다. 맨 앞에 `sos_id`를 넣고 맨 뒤의 토큰을 버립니다. 길이는 그대로입니다.
#
# ```text
# shift_right(tensor([[5, 6, 7]]), sos_id=1)  →  [[1, 5, 6]]
# ```


# %% shift_right tags=["question"]
def shift_right(ids: Int[Tensor, "*batch n"], sos_id: int) -> Int[Tensor, "*batch n"]:
    """The decoder's input for teacher forcing: the targets moved right, behind SOS.

    Args:
        ids: targets.
        sos_id: what the sequence starts with.

    Returns:
        As many ids as there are targets, with their dtype and device.
    """
    ### BEGIN SOLUTION
    start = torch.full_like(ids[..., :1], sos_id)
    return torch.cat([start, ids[..., :-1]], dim=-1)
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 디코더 층
#
# 부분층은 셋입니다. 마스크를 쓴 셀프 어텐션(`self_attn`, `norm1`), 크로스 어텐션(`multihead_attn`, `norm2`),
# 피드포워드(`linear1`, ReLU, `linear2`, `norm3`)의 차례입니다. 둘째 부분층에서 질의는 디코더에서, **키와 값은 `memory`**, 곧 인코더의
# 출력에서 옵니다.
#
# 룩어헤드 마스크는 부르는 쪽이 `self_mask`로 줍니다. 층이 스스로 만들지 않습니다. `memory_mask`는 `memory`의 패딩을 가립니다.
# `norm_first=True`이면 부분층마다 먼저 정규화합니다. 이때 `memory`는 정규화하지 않습니다. 드롭아웃의 자리는 인코더 층과 같습니다.
# `d_model`이 `num_heads`로 나누어지지 않으면 `ValueError`를 냅니다. `nn.TransformerDecoderLayer`는 쓰지 않습니다. 볼 것이 하나도 없는
# 질의에서도 출력이 NaN이어서는 안 됩니다. 주어진 `attend`를 쓰면 그렇습니다.
#
# 모양을 손으로 따라가 봅니다. `x`가 `(2, 4, 16)`, `memory`가 `(2, 6, 16)`이면 셀프 어텐션의 가중치는 `(4, 4)`, 크로스 어텐션의 가중치는 `(4, 6)`이고
# 출력은 다시 `(2, 4, 16)`입니다.


# %% DecoderLayer tags=["question"]
class DecoderLayer(nn.Module):
    """One decoder layer (Vaswani et al. 2017, section 3.1).

    Loads the state dict of nn.TransformerDecoderLayer.

    Attributes:
        self_attn, multihead_attn: nn.MultiheadAttention with batch_first=True.
        linear1, linear2: the feed-forward network.
        norm1, norm2, norm3: nn.LayerNorm of the three sublayers.

    Raises:
        ValueError: `num_heads` does not divide `d_model`.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        norm_first: bool = False,
    ):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % num_heads:
            raise ValueError(
                f"{num_heads} heads do not divide a model of size {d_model}"
            )
        self.self_attn = nn.MultiheadAttention(
            d_model, num_heads, dropout=dropout, batch_first=True
        )
        self.multihead_attn = nn.MultiheadAttention(
            d_model, num_heads, dropout=dropout, batch_first=True
        )
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first
        ### END SOLUTION

    def forward(
        self,
        x: Float[Tensor, "batch m d_model"],
        memory: Float[Tensor, "batch n d_model"],
        self_mask: Bool[Tensor, "..."] | None = None,
        memory_mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch m d_model"]:
        """Decode one layer further.

        Args:
            memory: the encoder's output.
            self_mask: broadcasts to (batch, m, m), True = may attend.
            memory_mask: broadcasts to (batch, m, n), True = may attend.
        """
        ### BEGIN SOLUTION

        def attend_to_itself(x):
            return attend(self.self_attn, x, x, self_mask)

        def attend_to_memory(x):
            return attend(self.multihead_attn, x, memory, memory_mask)

        x = self._connect(x, self.norm1, attend_to_itself)
        x = self._connect(x, self.norm2, attend_to_memory)
        return self._connect(x, self.norm3, self._feed_forward)

    def _connect(self, x, norm, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(norm(x)))
        return norm(x + self.dropout(sublayer(x)))

    def _feed_forward(self, x):
        return self.linear2(self.dropout(self.linear1(x).relu()))
        ### END SOLUTION


# %% [markdown]
# ## 문제 3. 디코더
#
# 층 `num_layers`개를 `layers`에 쌓습니다. 모든 층이 **같은 `memory`**, 곧 인코더 마지막 층의 출력을 봅니다. `norm_first=True`이면
# 끝에 `norm`을 하나 더 둡니다. 층은 위의 `DecoderLayer` 대신 `nn.TransformerDecoderLayer`를 써도 됩니다. 그 층에는
# `batch_first=True`를 주고, `self_mask`는 `tgt_mask`로, `memory_mask`는 같은 이름으로 넘깁니다. 두 마스크 모두 `True`가 "가린다"이고
# 모양은 `(batch · heads, m, m)`과 `(batch · heads, m, n)`입니다. `nn.TransformerDecoder`는 쓰지 않습니다.


# %% Decoder tags=["question"]
class Decoder(nn.Module):
    """A stack of decoder layers; loads the state dict of nn.TransformerDecoder.

    Attributes:
        layers: nn.ModuleList of `num_layers` layers that share no weights.
        norm: nn.LayerNorm after the last layer, only with `norm_first`.
    """

    def __init__(
        self,
        num_layers: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        norm_first: bool = False,
    ):
        super().__init__()
        ### BEGIN SOLUTION
        self.layers = nn.ModuleList(
            DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model) if norm_first else None
        ### END SOLUTION

    def forward(
        self,
        x: Float[Tensor, "batch m d_model"],
        memory: Float[Tensor, "batch n d_model"],
        self_mask: Bool[Tensor, "..."] | None = None,
        memory_mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch m d_model"]:
        """Decode: the arguments as for one layer."""
        ### BEGIN SOLUTION
        for layer in self.layers:
            x = layer(x, memory, self_mask, memory_mask)
        return x if self.norm is None else self.norm(x)
        ### END SOLUTION


# %% [markdown]
# ## 문제 4. 로짓
#
# 은닉 상태와 임베딩 표의 모든 행을 내적하면 어휘 전체의 로짓이 됩니다. 나가는 행렬을 따로 두지 않고 **임베딩의 가중치를 함께**
# 씁니다. 소프트맥스는 하지 않습니다.
#
# 은닉 상태가 $(1.16, -0.28)$이고 세 단어의 임베딩이 $(2, 0)$, $(-2, -2)$, $(0, 2)$이면 로짓은 $2.32, -1.76, -0.56$입니다.


# %% generator_logits tags=["question"]
def generator_logits(
    hidden: Float[Tensor, "*batch d_model"], embedding: nn.Embedding
) -> Float[Tensor, "*batch vocab"]:
    """Logits over the vocabulary, no softmax, with tied weights.

    Press and Wolf 2017; Vaswani et al. 2017, section 3.4.

    Args:
        hidden: the decoder's output.
        embedding: the token embedding, a table (vocab, d_model).
    """
    ### BEGIN SOLUTION
    return hidden @ embedding.weight.T
    ### END SOLUTION


# %% [markdown]
# ## 시계 읽기
#
# 여러분의 디코더에 시계를 읽게 합니다. `14:35`의 숫자 넷이 메모리이고, 쓸 글은 `두시삼십오분`입니다. 시는 우리말 수로, 분은 한자어 수로
# 읽으므로 숫자를 하나씩 옮겨서는 되지 않습니다. 시각 1,440개 가운데 1,340개로 배우고 나머지 100개로 시험합니다. 점수는 없습니다.
#
# - 처음 보는 시각을 몇이나 맞게 읽습니까?
# - 새 칸에서 `reader = learn_clocks()`로 받아 `print(read_clock(reader, "23:59"))`를 해 보십시오.


# %%
HOURS = "열두 한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 열한".split()
TIMES = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in range(60)]


def said(time: str) -> str:
    """How one says a time, with a full stop: "14:35" -> "두시삼십오분."."""
    numbers = ["", *"일이삼사오육칠팔구"]
    tens, ones = int(time[3]), int(time[4])
    ten = ("" if tens == 1 else numbers[tens]) + ("십" if tens else "")
    minutes = ten + numbers[ones] + "분" if tens or ones else ""
    return HOURS[int(time[:2]) % 12] + "시" + minutes + "."


SYLLABLES = [" ", *sorted(set("".join(map(said, TIMES))))]  # " " starts, and pads


class ClockReader(nn.Module):
    """Syllables so far to the next: a decoder whose memory are a time's digits."""

    def __init__(self, d_model: int = 64):
        super().__init__()
        self.digits = nn.Embedding(40, d_model)  # ten for each of the four places
        self.syllables = nn.Embedding(len(SYLLABLES), d_model)
        self.places = nn.Embedding(12, d_model)
        self.decoder = Decoder(2, d_model, 4, 128, 0.0, norm_first=True)
        nn.init.normal_(self.syllables.weight, std=0.1)

    def forward(self, times: list[str], ids: Tensor) -> Tensor:
        digits = torch.tensor([[int(time[i]) for i in (0, 1, 3, 4)] for time in times])
        memory = self.digits(digits + torch.tensor([0, 10, 20, 30]))
        past = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril()
        x = self.syllables(ids) + self.places(torch.arange(ids.shape[1]))
        return generator_logits(self.decoder(x, memory, past), self.syllables)


@torch.no_grad()
def read_clock(reader: ClockReader, time: str) -> str:
    """Let the decoder write until its full stop."""
    ids = [0]
    while len(ids) < 12 and SYLLABLES[ids[-1]] != ".":
        ids.append(reader([time], torch.tensor([ids]))[0, -1].argmax().item())
    return "".join(SYLLABLES[i] for i in ids).strip()


def learn_clocks(steps: int = 300) -> ClockReader:
    """Train on all times but 100, and print how many of these are read right."""
    torch.manual_seed(0)
    reader, shuffled = ClockReader(), torch.randperm(len(TIMES)).tolist()
    optimizer = torch.optim.Adam(reader.parameters(), lr=0.003)
    for _ in range(steps):
        rows = torch.randint(100, len(TIMES), (64,)).tolist()
        times = [TIMES[shuffled[row]] for row in rows]
        rows = [[*map(SYLLABLES.index, said(time).ljust(10))] for time in times]
        ids = torch.tensor(rows)
        logits = reader(times, shift_right(ids, 0))
        loss = nn.functional.cross_entropy(logits.mT, ids, ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    new = [TIMES[number] for number in shuffled[:100]]
    right = sum(read_clock(reader, time) == said(time) for time in new)
    print(f"{right} of {len(new)} new times right")
    return reader


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    reader = learn_clocks()
    for time in ["14:35", "09:10", "00:00"]:
        print(time, read_clock(reader, time))

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 질의와 키의 길이가 다른 경우, 두 가지 정규화 순서, 여러 모양의 마스크를 시험합니다.
