# %% [markdown]
# # 연습: 회로
#
# **난이도** 3/3 · **시간** 80분 · **배점** 10점 · **먼저 읽을 장** [회로](../../chapters/circuits.md)
#
# 모델 안을 여는 도구 다섯을 만듭니다. 도중에서 읽는 렌즈, 로짓을 부품의 몫으로 나누는 귀속, 한 자리의 활성값을 갈아 끼우는 패칭, 희소 오토인코더,
# 그리고 찾은 방향을 무작위 방향과 비교하는 대조입니다. 서로 쓰지 않으므로 어느 것부터 풀어도 됩니다.
#
# 기호는 장과 같습니다. 잔차 흐름은 토큰마다 `d`차원의 벡터이고, 토큰이 `n`개, 층이 $L$개입니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 받은 텐서는 바꾸지 않습니다. 안에서 만드는 텐서는 입력과 같은 장치에, 같은 자료형으로 만듭니다.

# %%
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

# %% [markdown]
# ## 문제 1. 로짓 렌즈
#
# 층을 다 지나지 않은 잔차 흐름을 마지막 층 정규화 `norm`과 출력 행렬 `unembedding`으로 읽습니다. 깊이마다 로짓이 하나씩, 모두 $L + 1$벌입니다.
#
# `hidden_states`는 transformers가 주는 그대로입니다. 첫 층에 들어가기 전, 첫 층을 지난 뒤, …, 마지막 층을 지난 뒤입니다. 그런데 **마지막 것은 이미 `norm`을
# 지났습니다.** 그래서 마지막 깊이의 로짓은 모델이 내는 로짓과 똑같아야 합니다.
#
# ```text
# norm이 벡터를 두 배로 하고 unembedding이 항등 행렬이면
#   logit_lens([tensor([[1., 2.]]), tensor([[3., 4.]])], norm, eye(2))  →  [[[2, 4]], [[3, 4]]]
# ```


# %% logit_lens tags=["question"]
def logit_lens(
    hidden_states: list[Float[Tensor, "*batch n d"]],
    norm: Callable[[Tensor], Tensor],
    unembedding: Float[Tensor, "vocab d"],
) -> Float[Tensor, "depths *batch n vocab"]:
    """Logits read off the residual stream at each depth (nostalgebraist 2020).

    Args:
        hidden_states: the stream before the first layer, after the first, ..., as
            transformers returns them: the last one has been through `norm` already.
        norm: the model's last normalisation, (*batch, n, d) -> (*batch, n, d).
        unembedding: the rows that the stream is compared with; no bias.

    Returns:
        The last depth's are the model's own logits.
    """
    ### BEGIN SOLUTION
    *middle, last = hidden_states
    return torch.stack([*map(norm, middle), last]) @ unembedding.T
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 로짓을 나누기
#
# 한 자리의 잔차 흐름은 임베딩, 위치, 헤드, 피드포워드 신경망이 쓴 벡터 $x_1, \dots, x_m$의 합 $x$입니다. 로짓 하나, 또는 두 로짓의 차는 $x$를 마지막 층 정규화에
# 넣고 방향 $u$와 내적한 것입니다. **누가 얼마를 더했습니까?**
#
# 층 정규화는 선형이 아니지만, 나누는 수 $\sigma$를 **전체 $x$의 것**으로 정해 두면 선형입니다. 부품마다 제 평균 $\mu_i$를 빼고 같은 $\sigma$로 나눕니다.
#
# $$
# \operatorname{LN}(x) \cdot u = \sum_{i=1}^{m} \Bigl(\gamma \odot \frac{x_i - \mu_i}{\sigma}\Bigr) \cdot u + \beta \cdot u,
# \qquad \sigma = \sqrt{\operatorname{var}(x) + \epsilon}
# $$
#
# 분산은 `nn.LayerNorm`처럼 $d$로 나눕니다. 부품마다 수 하나와, 마지막에 $\beta$의 몫을 이어 $m + 1$개를 돌려주십시오. 모두 더하면 로짓입니다.


# %% logit_shares tags=["question"]
def logit_shares(
    parts: Float[Tensor, "m d"],
    weight: Float[Tensor, "d"],
    bias: Float[Tensor, "d"],
    direction: Float[Tensor, "d"],
    eps: float = 1e-5,
) -> Float[Tensor, "shares"]:
    """What each part of the residual stream adds to a logit, or to a difference of two.

    Direct logit attribution (Elhage et al. 2021): the last layer normalisation is
    linear once its scale, the whole stream's, is held fixed.

    Args:
        parts: what embedding, positions, heads and networks wrote at one place; their
            sum is the stream there.
        weight, bias, eps: of the last layer normalisation.
        direction: a row of the unembedding, or the difference of two.

    Returns:
        (m + 1,): one share a part, and last the bias'; their sum is the logit.
    """
    ### BEGIN SOLUTION
    centred = parts - parts.mean(dim=-1, keepdim=True)
    scale = (centred.sum(dim=0).square().mean() + eps).sqrt()
    shares = (centred / scale * weight) @ direction
    return torch.cat([shares, (bias @ direction)[None]])
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 갈아 끼우기
#
# 글 둘을 읽힙니다. 바른 답을 내는 `clean`과, 토큰이 바뀌어 답이 달라진 `corrupted`입니다. 망가뜨린 글을 다시 읽히면서 **한 깊이, 한 자리의 벡터만** 깨끗한 글의 것으로
# 갈아 끼웁니다(활성값 패칭, activation patching). 그 뒤의 층은 갈아 끼운 것을 읽습니다. 바른 답이 얼마나 돌아옵니까?
#
# $$
# \text{효과} = \frac{\text{갈아 끼운 점수} - \text{망가뜨린 글의 점수}}{\text{깨끗한 글의 점수} - \text{망가뜨린 글의 점수}}
# $$
#
# 다 돌아오면 1, 그대로이면 0입니다. 1보다 크거나 0보다 작을 수도 있습니다.
#
# - `clean`과 `corrupted`는 첫 층에 들어가기 전의 잔차 흐름 `(n, d)`입니다. 층은 흐름 `(batch, n, d)`를 받아 다음 흐름을 돌려주고, `score`는 마지막 층을 지난 흐름
#   `(batch, n, d)`에서 흐름마다 점수 하나, `(batch,)`를 냅니다.
# - 결과의 행 $\ell$은 $\ell$개의 층을 지난 흐름에서 바꾼 것이고, 열은 자리입니다. 그래서 `(L + 1, n)`입니다. 끼우는 벡터는 **깨끗한 글이 같은 깊이, 같은 자리에서** 가진
#   것입니다.
# - 두 글의 점수가 같으면 나눌 것이 없으므로 `ValueError`를 냅니다.


# %% patch_effect tags=["question"]
def patch_effect(
    layers: list[Callable[[Tensor], Tensor]],
    score: Callable[[Tensor], Tensor],
    clean: Float[Tensor, "n d"],
    corrupted: Float[Tensor, "n d"],
) -> Float[Tensor, "depths n"]:
    """How much of the clean answer one place of the clean stream brings back.

    Activation patching (Meng et al. 2022; Heimersheim and Nanda 2024).

    Args:
        layers: each maps a stream (batch, n, d) to the next.
        score: the answer as one number a stream, (batch, n, d) after the last layer
            to (batch,): such as the difference of two logits.
        clean, corrupted: two streams before the first layer.

    Returns:
        (len(layers) + 1, n): 1 where all of the score comes back, 0 where nothing. Row
        l is patched before layer l, the last row after the last layer.

    Raises:
        ValueError: both runs have the same score.
    """
    ### BEGIN SOLUTION
    streams = torch.stack([clean, corrupted])
    patched, places = [], torch.arange(len(clean), device=clean.device)
    for depth in range(len(layers) + 1):
        # One corrupted stream for each place, clean there: (n, n, d).
        mixed = streams[1].repeat(len(clean), 1, 1)
        mixed[places, places] = streams[0]
        for layer in layers[depth:]:
            mixed = layer(mixed)
        patched.append(score(mixed))
        if depth < len(layers):
            streams = layers[depth](streams)
    right, wrong = score(streams)
    if right == wrong:
        raise ValueError("clean and corrupted runs have the same score")
    return (torch.stack(patched) - wrong) / (right - wrong)
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 희소 오토인코더
#
# 활성값 하나를 많은 방향 가운데 **몇 개**의 합으로 씁니다. 인코더가 특징마다 점수를 매기고, 가장 큰 `k`개만 남기고, 디코더가 그 방향을 더합니다.
#
# $$
# z = \operatorname{ReLU}\bigl(\operatorname{TopK}\bigl(W_\text{enc}\,(x - b_\text{pre})\bigr)\bigr),
# \qquad
# \hat{x} = W_\text{dec}\, z + b_\text{pre}
# $$
#
# - 파라미터는 `W_enc (features, d)`, `W_dec (d, features)`, `b_pre (d,)`입니다. `W_dec`의 **열**이 특징의 방향이고 길이 1로 시작합니다. 서로 다른 무작위 방향입니다. `W_enc`은
#   `W_dec`의 전치와 같은 값에서 시작하지만 따로 배웁니다. `b_pre`는 0에서 시작합니다.
# - `encode`는 벡터마다 가장 큰 `k`개만 남기고 나머지는 0입니다. 남은 것 가운데 음수는 0으로 바꿉니다.
# - `forward`는 $(\hat{x}, z)$를 돌려줍니다.
# - `normalize_decoder`는 `W_dec`의 열을 제자리에서 다시 길이 1로 만듭니다. 최적화의 걸음마다 부릅니다.
# - `unexplained`는 **설명하지 못한 분산의 비율**입니다. 모든 벡터를 그 평균 하나로 복원하는 것이 대조이고, 그 오차로 나눕니다. 0이면 똑같이 복원한 것, 1이면 평균보다
#   나을 것이 없는 것입니다.
#
# $$
# \text{unexplained} = \frac{\sum_i \lVert x_i - \hat{x}_i \rVert^2}{\sum_i \lVert x_i - \bar{x} \rVert^2}
# $$
#
# - `k`가 1보다 작거나 `features`보다 크면 `ValueError`를 냅니다.


# %% SparseAutoencoder tags=["question"]
class SparseAutoencoder(nn.Module):
    """Activations as sums of a few directions out of many, with TopK.

    Gao et al. 2024, section 2.3.

    Attributes:
        W_enc: (features, d), starts as the decoder transposed.
        W_dec: (d, features), columns of length 1.
        b_pre: (d,), taken away before the encoder, added after the decoder; zeros.

    Raises:
        ValueError: `k`, the features that a vector may use, is below 1 or above all.
    """

    def __init__(self, d: int, features: int, k: int):
        super().__init__()
        ### BEGIN SOLUTION
        if not 1 <= k <= features:
            raise ValueError(f"{k} of {features} features")
        self.k = k
        self.W_dec = nn.Parameter(torch.randn(d, features))
        self.normalize_decoder()
        self.W_enc = nn.Parameter(self.W_dec.detach().T.clone())
        self.b_pre = nn.Parameter(torch.zeros(d))
        ### END SOLUTION

    def encode(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch features"]:
        """The k largest features of each vector, none below zero; zeros elsewhere."""
        ### BEGIN SOLUTION
        strength = (x - self.b_pre) @ self.W_enc.T
        kept, places = strength.topk(self.k, dim=-1)
        return torch.zeros_like(strength).scatter(-1, places, kept.relu())
        ### END SOLUTION

    def decode(self, z: Float[Tensor, "*batch features"]) -> Float[Tensor, "*batch d"]:
        """The sum of the features' directions, and the bias."""
        ### BEGIN SOLUTION
        return z @ self.W_dec.T + self.b_pre
        ### END SOLUTION

    def forward(
        self, x: Float[Tensor, "*batch d"]
    ) -> tuple[Float[Tensor, "*batch d"], Float[Tensor, "*batch features"]]:
        """The reconstruction, and the features."""
        ### BEGIN SOLUTION
        z = self.encode(x)
        return self.decode(z), z
        ### END SOLUTION

    def normalize_decoder(self) -> None:
        """Make the decoder's columns of length 1 again, in place."""
        ### BEGIN SOLUTION
        with torch.no_grad():
            self.W_dec /= self.W_dec.norm(dim=0)
        ### END SOLUTION

    def unexplained(self, x: Float[Tensor, "rows d"]) -> Float[Tensor, ""]:
        """The fraction of variance unexplained; 1 is what the rows' mean would do."""
        ### BEGIN SOLUTION
        lost = (x - self(x)[0]).square().sum()
        return lost / (x - x.mean(dim=0)).square().sum()
        ### END SOLUTION


# %% [markdown]
# ## 문제 5. 무작위 방향과 비교하기
#
# 어떤 방향을 지웠더니(또는 더했더니) 답이 움직였습니다. 그런데 **아무 방향이나** 그만큼 지워도 움직이지 않습니까? 대조를 만들고 읽습니다.
#
# 1. `effect(direction)`을 구합니다. `effect`는 방향 `(d,)`를 받아 수 하나를 돌려줍니다. 부호는 어느 쪽이든 됩니다.
# 2. 길이가 `direction`과 같은 무작위 방향을 `count`개 만듭니다. 모든 방향이 같은 확률로 나와야 합니다. 표준정규분포에서 뽑은 벡터의 길이를 맞추면 됩니다.
# 3. 효과의 **절댓값**이 찾은 방향의 것 이상인 무작위 방향을 셉니다. 그 수가 $c$이면
#
# $$p = \frac{1 + c}{1 + \text{count}}$$
#
# 입니다. 찾은 방향도 후보 하나로 세므로 $p$는 0이 되지 않습니다. 100개를 재어 보고 하나도 이기지 못했다고 해서 확률이 0은 아닙니다.
#
# 효과와 $p$를 파이썬의 실수 둘로, 이 차례로 돌려줍니다. 난수는 `generator`에서만 얻습니다. `count`가 1보다 작으면 `ValueError`를 냅니다.


# %% against_random_directions tags=["question"]
def against_random_directions(
    effect: Callable[[Tensor], float],
    direction: Float[Tensor, "d"],
    count: int,
    generator: torch.Generator,
) -> tuple[float, float]:
    """A direction's effect, and how rarely a random one as long has as large an effect.

    Args:
        effect: of ablating, or of adding, a direction (d,); of either sign.
        direction: left unchanged.
        count: how many random directions are tried.
        generator: the only source of randomness.

    Returns:
        effect(direction); (1 + how many random ones have an effect at least as large,
        signs aside) / (1 + count).

    Raises:
        ValueError: `count` is below 1.
    """
    ### BEGIN SOLUTION
    if count < 1:
        raise ValueError(f"{count} random directions")
    found = effect(direction)
    as_large = 0
    for _ in range(count):
        noise = torch.randn(direction.shape, generator=generator).to(direction)
        other = noise / noise.norm() * direction.norm()
        as_large += abs(effect(other)) >= abs(found)
    return found, (1 + as_large) / (1 + count)
    ### END SOLUTION


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 자리끼리 얽힌 층, 음수뿐인 특징, 효과가 음수인 방향, 다른 자료형처럼 이 글에 적힌 약속을 그대로 시험합니다.
