# %% [markdown]
# # 연습: 위치 인코딩
#
# **난이도** 2/3 · **시간** 60분 · **배점** 10점 · **먼저 읽을 장** [위치 인코딩](../../chapters/positional_encoding.md)
#
# 사인과 코사인으로 된 위치 행렬을 만들고, 위치가 `k`만큼 밀리는 것이 회전임을 행렬로 확인합니다. 그리고 다른 두 길, 배우는 위치
# 임베딩과 회전 위치 인코딩을 만듭니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

# %% [markdown]
# ## 문제 1. 사인과 코사인
#
# 위치 $p$와 쌍의 번호 $i$에 대해
#
# $$PE_{p,\,2i} = \sin(p / 10000^{2i/d}), \qquad PE_{p,\,2i+1} = \cos(p / 10000^{2i/d})$$
#
# 인 `(length, d_model)` 행렬을 만드십시오. 사인과 코사인은 **번갈아** 놓입니다. 각도는 float64로 계산하고 마지막에 float32로
# 바꾸십시오. 그래야 먼 위치에서도 값이 정확합니다. `d_model`이 홀수이면 쌍을 만들 수 없으므로 `ValueError`를 냅니다.
#
# ```text
# sinusoidal_encoding(2, 4)  →  [[0.000, 1.000, 0.000, 1.000],
#                                [0.841, 0.540, 0.010, 1.000]]
# ```


# %% sinusoidal_encoding tags=["question"]
def sinusoidal_encoding(
    length: int, d_model: int, device: torch.device | str | None = None
) -> Float[Tensor, "{length} {d_model}"]:
    """Sinusoidal positions, sines and cosines interleaved; float32.

    Vaswani et al. 2017, section 3.5.

    Raises:
        ValueError: `d_model` is odd.
    """
    ### BEGIN SOLUTION
    if d_model % 2:
        raise ValueError(f"sines and cosines come in pairs, but d_model is {d_model}")
    positions = torch.arange(length, dtype=torch.float64)
    pairs = torch.arange(0, d_model, 2, dtype=torch.float64)
    angles = positions[:, None] * 10_000.0 ** (-pairs / d_model)
    encoding = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
    return encoding.float().to(device)
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 배우는 위치 임베딩
#
# 위치마다 벡터 하나를 배웁니다. `max_length`개의 행을 `nn.Embedding`에 두고, 입력 `x`의 각 자리에 그 자리의 행을 **더해**
# 돌려주십시오. 표보다 긴 입력에는 `ValueError`를 냅니다.
#
# ```text
# 표의 0행이 (1, 2), 1행이 (3, 4)이면
# (0, 0), (0, 0)인 두 토큰  →  (1, 2), (3, 4)
# ```


# %% LearnedPositionalEmbedding tags=["question"]
class LearnedPositionalEmbedding(nn.Module):
    """A learned vector added to each position, as in BERT and GPT."""

    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        ### BEGIN SOLUTION
        self.table = nn.Embedding(max_length, d_model)
        ### END SOLUTION

    def forward(
        self, x: Float[Tensor, "*batch n d_model"]
    ) -> Float[Tensor, "*batch n d_model"]:
        """Add rows 0 to n - 1 of the table.

        Raises:
            ValueError: the sequence is longer than the table.
        """
        ### BEGIN SOLUTION
        n = x.shape[-2]
        if n > self.table.num_embeddings:
            raise ValueError(
                f"{n} positions do not fit into a table of {self.table.num_embeddings}"
            )
        return x + self.table.weight[:n]
        ### END SOLUTION


# %% [markdown]
# ## 문제 3. 밀기는 회전입니다
#
# 위치를 `k`만큼 미는 것은 어느 위치에서 시작하든 **같은 행렬** 하나를 곱하는 것과 같습니다. 모든 위치 `p`에서
#
# ```text
# encoding[p + k] == shift_matrix(k, d_model) @ encoding[p]
# ```
#
# 가 되는 `(d_model, d_model)` 행렬을 돌려주십시오. 사인의 덧셈정리가 힌트입니다. 쌍마다 2×2 회전 하나, 나머지는 0입니다. `d_model = 2`이면
# 위치 0의 $(0, 1)$을 위치 1의 $(0.841, 0.540)$으로 옮기는 행렬은 다음과 같습니다.
#
# ```text
# shift_matrix(1, 2)  →  [[ 0.540, 0.841],
#                         [-0.841, 0.540]]
# ```


# %% shift_matrix tags=["question"]
def shift_matrix(k: int, d_model: int) -> Float[Tensor, "{d_model} {d_model}"]:
    """The rotation that moves a sinusoidal encoding by k positions; float32.

    Raises:
        ValueError: `d_model` is odd.
    """
    ### BEGIN SOLUTION
    if d_model % 2:
        raise ValueError(f"sines and cosines come in pairs, but d_model is {d_model}")
    pairs = torch.arange(0, d_model, 2, dtype=torch.float64)
    angles = k * 10_000.0 ** (-pairs / d_model)
    blocks = [
        torch.stack([torch.stack([cos, sin]), torch.stack([-sin, cos])])
        for sin, cos in zip(angles.sin(), angles.cos(), strict=True)
    ]
    return torch.block_diag(*blocks).float()
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 회전 위치 인코딩
#
# 더하는 대신 돌립니다. `x`의 쌍 `(2i, 2i + 1)`을 각도 `position · 10000^(-2i/d)`만큼 반시계 방향으로 돌리십시오.
#
# ```text
# (a, b)  →  (a cos θ - b sin θ,  a sin θ + b cos θ)
# ```
#
# $(1, 0)$을 $\frac{\pi}{2}$만큼 돌리면 $(0, 1)$입니다. 첫째 쌍은 위치 1에서 1라디안을 도므로 $(1, 0)$이 $(0.540, 0.841)$이 됩니다.
# 이렇게 돌린 질의와 키의 내적은 두 위치의 **차이**에만 달려 있습니다. 결과의 자료형과 장치는 `x`를 따릅니다. 각도는 float32로
# 계산해도 됩니다. `d`가 홀수이면 `ValueError`를 냅니다.


# %% rotary tags=["question"]
def rotary(
    x: Float[Tensor, "*batch n d"], positions: Int[Tensor, "n"]
) -> Float[Tensor, "*batch n d"]:
    """Rotate the pairs of each vector by its position (Su et al. 2021, section 3.2).

    Args:
        x: queries or keys.
        positions: whole numbers.

    Raises:
        ValueError: `d` is odd.
    """
    ### BEGIN SOLUTION
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"components are rotated in pairs, but d is {d}")
    pairs = torch.arange(0, d, 2, dtype=torch.float64, device=x.device)
    angles = positions[:, None] * 10_000.0 ** (-pairs / d)
    sin, cos = angles.sin().to(x.dtype), angles.cos().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    rotated = [even * cos - odd * sin, even * sin + odd * cos]
    return torch.stack(rotated, dim=-1).flatten(-2)
    ### END SOLUTION


# %% [markdown]
# ## 누가 먼저 왔습니까?
#
# 글자 여덟 개 가운데 `a`와 `b`가 하나씩 있습니다. `a`가 앞입니까, `b`가 앞입니까? 셀프 어텐션 한 층에 이 문제를 네 가지 방법으로 배우게
# 합니다. 위치 없이, 그리고 여러분이 만든 세 가지로. 점수는 없습니다.
#
# - 위치가 없으면 정답률이 왜 절반입니까?
# - 세 가지를 여덟 자리로 배우게 한 다음 열여섯 자리에서 시험합니다. 어느 것이 견딥니까? 배우는 임베딩에 `ValueError`가 없었다면 무엇을
#   더했겠습니까?


# %%
def rows_of_letters(count: int, length: int) -> tuple[Tensor, Tensor]:
    """Letters 2 to 9 with one 0 ("a") and one 1 ("b"); 1 where the "a" comes first."""
    letters = torch.randint(2, 10, (count, length))
    places = torch.rand(count, length).argsort(dim=-1)[:, :2]
    letters.scatter_(1, places, torch.tensor([[0, 1]]).expand(count, 2))
    return letters, (places[:, 0] < places[:, 1]).long()


class WhoIsFirst(nn.Module):
    """One layer of self-attention over letters that know their places, or do not."""

    def __init__(self, positions: str, d: int = 32):
        super().__init__()
        self.positions, self.letters = positions, nn.Embedding(10, d)
        self.qkv, self.output = nn.Linear(d, 3 * d), nn.Linear(d, 2)
        self.table = LearnedPositionalEmbedding(8, d)

    def forward(self, letters: Tensor) -> Tensor:
        x, n = self.letters(letters), letters.shape[1]
        if self.positions == "sinusoidal":
            x = x + sinusoidal_encoding(n, x.shape[-1])
        if self.positions == "learned":
            x = self.table(x)
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        if self.positions == "rotary":
            query, key = (rotary(one, torch.arange(n)) for one in (query, key))
        mixed = nn.functional.scaled_dot_product_attention(query, key, value)
        return self.output(mixed.relu()).amax(dim=1)


def who_is_first(positions: str, steps: int = 400) -> None:
    """Train on 8 places; print the accuracy there and on 16."""
    torch.manual_seed(0)
    model = WhoIsFirst(positions)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        letters, answer = rows_of_letters(128, 8)
        loss = nn.functional.cross_entropy(model(letters), answer)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for length in (8, 16):
        letters, answer = rows_of_letters(1000, length)
        try:
            right = (model(letters).argmax(dim=-1) == answer).float().mean()
            print(f"{positions:10}  {length:2} places  {right:.0%}")
        except ValueError as error:
            print(f"{positions:10}  {length:2} places  {error}")


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    for positions in ["none", "sinusoidal", "learned", "rotary"]:
        who_is_first(positions)

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다.
