# %% [markdown]
# # 연습: 인코더
#
# **난이도** 2/3 · **시간** 60분 · **배점** 10점 · **먼저 읽을 장** [인코더](../../chapters/encoder.md)
#
# 셀프 어텐션과 피드포워드를 잔차 연결과 층 정규화로 감싸 인코더 층 하나를 만들고, 그것을 쌓습니다. 이름을 PyTorch의
# `nn.TransformerEncoderLayer`와 같게 지어, 그 가중치를 그대로 불러 같은 출력을 내는지 확인합니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import torch
from jaxtyping import Bool, Float
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
# ## 문제 1. 인코더 층
#
# 부분층은 둘입니다. 셀프 어텐션(`self_attn`)과 피드포워드(`linear1`, ReLU, `linear2`)입니다. 부분층마다 드롭아웃, 잔차 연결, 층
# 정규화(`norm1`, `norm2`)로 감쌉니다.
#
# | | 첫째 부분층 | 둘째 부분층 |
# | --- | --- | --- |
# | `norm_first=False` | `x = norm1(x + dropout(attention(x)))` | `x = norm2(x + dropout(feed_forward(x)))` |
# | `norm_first=True` | `x = x + dropout(attention(norm1(x)))` | `x = x + dropout(feed_forward(norm2(x)))` |
#
# 드롭아웃은 ReLU 다음에도 하나 있고, 어텐션 가중치에는 `nn.MultiheadAttention`의 `dropout` 인자로 걸립니다. `d_model`이
# `num_heads`로 나누어지지 않으면 `ValueError`를 냅니다. `nn.TransformerEncoderLayer`는 쓰지 않습니다. 볼 것이 하나도 없는 질의에서도
# 출력이 NaN이어서는 안 됩니다. 주어진 `attend`를 쓰면 그렇습니다.


# %% EncoderLayer tags=["question"]
class EncoderLayer(nn.Module):
    """One encoder layer (Vaswani et al. 2017, section 3.1).

    Loads the state dict of nn.TransformerEncoderLayer.

    Attributes:
        self_attn: nn.MultiheadAttention with batch_first=True.
        linear1, linear2: the feed-forward network, d_model -> d_ff -> d_model.
        norm1, norm2: nn.LayerNorm of the first and the second sublayer.

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
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first
        ### END SOLUTION

    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch n d_model"]:
        """Encode one layer further.

        Args:
            mask: broadcasts to (batch, n, n), True = may attend.
        """
        ### BEGIN SOLUTION
        if self.norm_first:
            normed = self.norm1(x)
            x = x + self.dropout(attend(self.self_attn, normed, normed, mask))
            return x + self.dropout(self._feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(attend(self.self_attn, x, x, mask)))
        return self.norm2(x + self.dropout(self._feed_forward(x)))

    def _feed_forward(self, x):
        return self.linear2(self.dropout(self.linear1(x).relu()))
        ### END SOLUTION


# %% [markdown]
# ## 문제 2. 인코더
#
# 층 `num_layers`개를 `layers`(`nn.ModuleList`)에 쌓습니다. 층끼리 가중치를 나누어 쓰지 않습니다. `norm_first=True`이면 마지막 층의
# 출력이 정규화되지 않은 채 나오므로, 끝에 층 정규화 `norm`을 하나 더 둡니다. `norm_first=False`이면 두지 않습니다.
#
# 층은 위의 `EncoderLayer` 대신 **`nn.TransformerEncoderLayer`를 써도 됩니다**. 문제 1이 틀려도 이 문제를 풀 수 있습니다. 그 층의
# `src_mask`는 `True`가 "가린다"이고 모양은 `(batch · heads, n, n)`입니다. `nn.TransformerEncoder`는 쓰지 않습니다.


# %% Encoder tags=["question"]
class Encoder(nn.Module):
    """A stack of encoder layers; loads the state dict of nn.TransformerEncoder.

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
            EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model) if norm_first else None
        ### END SOLUTION

    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch n d_model"]:
        """Encode: `x` and `mask` as for one layer."""
        ### BEGIN SOLUTION
        for layer in self.layers:
            x = layer(x, mask)
        return x if self.norm is None else self.norm(x)
        ### END SOLUTION


# %% [markdown]
# ## 문제 3. 파라미터 세기
#
# `num_layers`개 층의 파라미터를 부분별로 세십시오. 편향도 셉니다. 맨 끝의 `norm`은 세지 않습니다.
#
# ```text
# count_parameters_by_part(d_model=2, d_ff=3, num_heads=1, num_layers=1)
#   →  {"attention": 24, "feed_forward": 17, "norm": 8, "total": 49}
# ```


# %% count_parameters_by_part tags=["question"]
def count_parameters_by_part(
    d_model: int, d_ff: int, num_heads: int, num_layers: int
) -> dict[str, int]:
    """Parameters of a stack of encoder layers: attention, feed_forward, norm, total."""
    ### BEGIN SOLUTION
    attention = 4 * (d_model * d_model + d_model)  # the same for any number of heads
    feed_forward = (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)
    norm = 2 * (2 * d_model)
    parts = {"attention": attention, "feed_forward": feed_forward, "norm": norm}
    parts = {name: num_layers * count for name, count in parts.items()}
    return {**parts, "total": sum(parts.values())}
    ### END SOLUTION


# %% [markdown]
# ## 한꺼번에 줄 세우기
#
# 여러분의 인코더에 숫자 여덟 개를 작은 것부터 늘어놓는 일을 가르칩니다. 자리마다 답이 하나씩이고, 어느 자리의 답도 여덟 숫자를 모두 보아야
# 나옵니다. 몇 초면 배웁니다. 점수는 없습니다.
#
# - 처음 보는 숫자들도 줄을 세웁니까?
# - `learn_to_sort(num_layers=1)`처럼 층을 줄이거나 `steps`를 줄이면 어디서 틀립니까?


# %%
class Sorter(nn.Module):
    """Digits in any order to digits in order: an encoder with a place for each."""

    def __init__(self, num_layers: int, length: int = 8, d_model: int = 32):
        super().__init__()
        self.digits = nn.Embedding(10, d_model)
        self.places = nn.Parameter(0.1 * torch.randn(length, d_model))
        self.encoder = Encoder(num_layers, d_model, 4, 64, 0.0, norm_first=True)
        self.output = nn.Linear(d_model, 10)

    def forward(self, digits: Tensor) -> Tensor:
        return self.output(self.encoder(self.digits(digits) + self.places))


def learn_to_sort(num_layers: int = 2, steps: int = 400) -> None:
    """Train on random digits; print how many new rows come out right, and one."""
    torch.manual_seed(0)
    sorter = Sorter(num_layers)
    optimizer = torch.optim.Adam(sorter.parameters(), lr=0.003)
    for _ in range(steps):
        digits = torch.randint(10, (128, 8))
        logits = sorter(digits)
        loss = nn.functional.cross_entropy(logits.mT, digits.sort(dim=-1).values)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    digits = torch.randint(10, (1000, 8))
    found = sorter(digits).argmax(dim=-1)
    right = (found == digits.sort(dim=-1).values).all(dim=-1).float().mean()
    print(f"{num_layers} layers, {steps} steps: {right:.0%} of 1,000 new rows right")
    print(digits[0].tolist(), "->", found[0].tolist())


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    learn_to_sort()

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 마스크의 여러 모양, 길이 1, 두 가지 정규화 순서를 모두 시험합니다.
