# %% [markdown]
# # 연습: 셀프 어텐션
#
# **난이도** 1/3 · **시간** 40분 · **배점** 10점 · **먼저 읽을 장** [셀프 어텐션](../../chapters/self_attention.md)
#
# 학습할 것이 없는 가장 단순한 셀프 어텐션에서 시작해, 질의·키·값 세 역할을 배우는 층을 만듭니다. 마지막으로 비용을 세어
# 순환 층과 언제 뒤바뀌는지 계산합니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.

# %%
import torch
from jaxtyping import Float
from torch import Tensor, nn

# %% [markdown]
# ## 문제 1. 파라미터가 없는 셀프 어텐션
#
# 벡터 `n`개가 서로를 봅니다. 벡터 `i`는 모든 벡터와 내적해 점수를 얻고, 그 점수를 소프트맥스로 가중치로 바꾼 다음, 모든
# 벡터의 가중합을 냅니다. 질의도 키도 값도 `x` 자신입니다. 이 문제에서는 점수를 `sqrt(d)`로 **나누지 않습니다**.
#
# ```text
# x = (0, 0, -1), (1, 1, 0), (2, 0, 1)        나는, 배를, 먹었다
#   둘째 행의 점수    0, 2, 2
#   둘째 행의 가중치  0.063, 0.468, 0.468
#   둘째 행의 출력    (1.405, 0.468, 0.405)
# ```
#
# 앞에 붙은 축은 몇 개든 배치입니다. 결과는 `(출력, 가중치)`입니다. 이 문제와 다음 문제에서 점수는 1,000처럼 커도 넘치지
# 않아야 하고, `F.scaled_dot_product_attention`과 `nn.MultiheadAttention`은 쓰지 않습니다.


# %% basic_self_attention tags=["question"]
def basic_self_attention(
    x: Float[Tensor, "*batch n d"],
) -> tuple[Float[Tensor, "*batch n d"], Float[Tensor, "*batch n n"]]:
    """Unscaled self-attention without parameters: x is query, key and value at once.

    Returns:
        Output and weights; each row of the weights sums to one.
    """
    ### BEGIN SOLUTION
    weights = (x @ x.transpose(-2, -1)).softmax(dim=-1)
    return weights @ x, weights
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 배우는 셀프 어텐션
#
# 같은 입력에 선형 변환 셋을 걸어 질의, 키, 값을 만듭니다. 이름은 `W_q`, `W_k`, `W_v`이고, 모두 `nn.Linear`입니다. 편향은 있어도
# 없어도 됩니다. 이번에는 점수를 `sqrt(d_k)`로 나눕니다.
#
# `d_k`와 `d_v`는 서로 달라도 됩니다. 출력의 마지막 축은 `d_v`입니다.
#
# 이 장의 '나는 집에 간다'를 넣고 그 행렬들을 `weight`에 옮겨 적으면(`nn.Linear`는 전치해서 담습니다) '간다'의 가중치가
# 0.496, 0.496, 0.007입니다.


# %% SelfAttention tags=["question"]
class SelfAttention(nn.Module):
    """Scaled dot-product self-attention with learned query, key and value.

    Vaswani et al. 2017, section 3.2.1.

    Attributes:
        W_q, W_k: nn.Linear, d_model -> d_k; a bias is optional.
        W_v: nn.Linear, d_model -> d_v; a bias is optional.
    """

    def __init__(self, d_model: int, d_k: int, d_v: int):
        super().__init__()
        ### BEGIN SOLUTION
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_v, bias=False)
        ### END SOLUTION

    def forward(
        self, x: Float[Tensor, "*batch n d_model"]
    ) -> tuple[Float[Tensor, "*batch n d_v"], Float[Tensor, "*batch n n"]]:
        """Attend within a sequence: output and weights."""
        ### BEGIN SOLUTION
        query, key, value = self.W_q(x), self.W_k(x), self.W_v(x)
        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        weights = scores.softmax(dim=-1)
        return weights @ value, weights
        ### END SOLUTION


# %% [markdown]
# ## 문제 3. 어텐션의 비용
#
# 길이 `n`, 차원 `d`인 시퀀스에서 셀프 어텐션이 하는 **곱셈의 수**를 세십시오. 점수를 내는 곱과 가중합을 내는 곱만 셉니다. 투영과
# 소프트맥스는 세지 않습니다. `n = 4`, `d = 3`이면 96번입니다.


# %% attention_flops tags=["question"]
def attention_flops(n: int, d: int) -> int:
    """Multiplications of self-attention: scores and weighted sum, no projections.

    Args:
        n: length of the sequence.
        d: size of each vector.
    """
    ### BEGIN SOLUTION
    return 2 * n * n * d
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 순환 층의 비용
#
# 같은 시퀀스를 단순한 순환 층(은닉 상태의 차원도 `d`)이 읽을 때의 곱셈의 수입니다. 걸음마다 입력에 곱하는 행렬과 상태에 곱하는
# 행렬이 하나씩 있습니다. `n = 4`, `d = 3`이면 72번입니다.


# %% recurrent_flops tags=["question"]
def recurrent_flops(n: int, d: int) -> int:
    """Multiplications of a recurrent layer of size d: input and state at each step."""
    ### BEGIN SOLUTION
    return 2 * n * d * d
    ### END SOLUTION


# %% [markdown]
# ## 문제 5. 두 곡선이 만나는 길이
#
# 차원 `d`에서 문제 3과 4의 두 비용이 같아지는 길이 `n`을 돌려주십시오. 그보다 짧으면 어텐션이, 길면 순환 층이 곱셈을 덜 합니다.
# 투영까지 세면 이런 길이는 없습니다. 이유를 식으로 확인해 보십시오.


# %% crossover_length tags=["question"]
def crossover_length(d: int) -> int:
    """The length at which self-attention and a recurrent layer cost the same."""
    ### BEGIN SOLUTION
    return d
    ### END SOLUTION


# %% [markdown]
# ## 한 번에 거꾸로 쓰기
#
# 만든 층에 할 일을 하나 줍니다. 여섯 글자를 읽고 거꾸로 쓰는 일입니다. 순환 층이라면 마지막 글자까지 읽고 나서야 첫 글자를 쓸 수 있습니다. 여기서는
# 모든 자리가 한꺼번에 제 짝을 봅니다. 글자와 자리를 원핫으로 이어 붙여 넣고, 무작위 글자로 몇 초 학습시킵니다. 점수는 없습니다.
#
# - 가중치의 지도는 어떤 모양입니까? 행이 질의, 열이 키입니다.
# - `write_backwards("banana")`처럼 다른 단어를 넣어 보십시오. 배운 것은 글자입니까, 자리입니까?


# %%
LETTERS, LENGTH = "abcdefghijklmnopqrstuvwxyz", 6


def one_hot(letters: Tensor) -> Tensor:
    """Each letter beside its place: (batch, 6) -> (batch, 6, 32)."""
    places = torch.eye(LENGTH).expand(len(letters), -1, -1)
    letters = nn.functional.one_hot(letters, len(LETTERS)).float()
    return torch.cat([letters, places], dim=-1)


def write_backwards(word: str, steps: int = 150) -> None:
    """Train one layer to reverse six letters; print the word reversed, and the map."""
    torch.manual_seed(0)
    layer = SelfAttention(len(LETTERS) + LENGTH, d_k=16, d_v=len(LETTERS))
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.03)
    for _ in range(steps):
        letters = torch.randint(len(LETTERS), (64, LENGTH))
        logits, _ = layer(one_hot(letters))
        loss = nn.functional.cross_entropy(logits.mT, letters.flip(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    logits, weights = layer(one_hot(torch.tensor([[*map(LETTERS.index, word)]])))
    print(word, "->", "".join(LETTERS[i] for i in logits[0].argmax(dim=-1)))
    for row in weights[0]:
        print(" ".join(f"{weight:.1f}" for weight in row))


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    write_backwards("attend")

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다.
