# %% [markdown]
# # 연습: 학습
#
# **난이도** 2/3 · **시간** 60분 · **배점** 10점 · **먼저 읽을 장** [학습](../../chapters/training.md)
#
# 학습률을 올렸다 내리고, 정답의 확률을 조금 덜어 내고, 작은 배치 여럿으로 큰 배치의 기울기를 만들고, 하이퍼파라미터를
# 무작위로 뽑습니다. 네 문제는 서로 기대지 않으므로 어느 것부터 풀어도 됩니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import random
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

# %% [markdown]
# ## 문제 1. 워밍업과 감쇠
#
# 원래 논문의 학습률입니다. `warmup`걸음까지는 곧게 오르고, 그 뒤에는 걸음 수의 제곱근에 반비례해 내려갑니다.
#
# $$
# d_\text{model}^{-0.5} \cdot \min(s^{-0.5},\ s \cdot w^{-1.5})
# $$
#
# $s$는 걸음(`step`), $w$는 `warmup`입니다. 걸음을 0부터 세는 코드도 있으므로 `step`이 0이면 **1걸음의 값**을 돌려줍니다.
#
# ```text
# noam_lr(1, d_model=4, warmup=4)  →  0.0625
# noam_lr(4, d_model=4, warmup=4)  →  0.25      가장 큰 값
# noam_lr(16, d_model=4, warmup=4) →  0.125
# ```


# %% noam_lr tags=["question"]
def noam_lr(step: int, d_model: int, warmup: int) -> float:
    """Learning rate of a step (Vaswani et al. 2017, equation 3).

    Args:
        step: number of the step, from 1; 0 is taken for 1.
        d_model: size of the model's vectors.
        warmup: number of steps over which the rate rises.

    Returns:
        The rate, largest at `step == warmup`.
    """
    ### BEGIN SOLUTION
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 라벨 스무딩
#
# 위치마다 로짓 `V`개와 정답 번호 하나가 있습니다. 목표 분포는 `epsilon`을 **어휘 전체에** 고르게 나누고 나머지를 정답에 줍니다.
#
# | | 정답 단어 | 다른 단어 |
# | --- | --- | --- |
# | 목표 확률 | `1 - epsilon + epsilon / V` | `epsilon / V` |
#
# 위치의 손실은 이 목표 분포와 모델의 확률 사이의 교차 엔트로피입니다. 정답이 `ignore_index`인 위치는 세지 않고, **남은 위치의
# 평균**을 돌려주십시오. 남은 위치가 하나도 없으면 0입니다. 이때도 NaN이 아니고, 기울기는 모두 0이어야 합니다. 로짓과
# 이어지지 않은 상수 0에서는 역전파를 할 수 없습니다.
#
# 로짓이 1,000처럼 커도 넘치지 않아야 합니다. `ignore_index`는 -100처럼 어휘에 없는 번호일 수도, PAD의 번호처럼 어휘에 있는
# 번호일 수도 있습니다. 어휘에 있는 번호여도 `epsilon / V`는 그대로 받습니다.
#
# ```text
# label_smoothed_nll([[0, 0, 0, 0]], [2], 0.1)                  →  ln 4 = 1.3863
# label_smoothed_nll([[ln 5, 0, 0, 0]], [0], 0.4)               →  ln 8 - 0.7 ln 5 = 0.9528
# ```


# %% label_smoothed_nll tags=["question"]
def label_smoothed_nll(
    logits: Float[Tensor, "*batch vocab"],
    target: Int[Tensor, "*batch"],
    epsilon: float,
    ignore_index: int = -100,
) -> Float[Tensor, ""]:
    """Mean cross-entropy against smoothed targets, as in torch: epsilon / vocab each.

    Szegedy et al. 2016, section 7.

    Args:
        target: the right token of each position; `ignore_index` where there is none.
        epsilon: the probability that is spread over the whole vocabulary.
        ignore_index: positions with this target do not count.

    Returns:
        The mean over the positions that count; 0 where there are none.
    """
    ### BEGIN SOLUTION
    log_probabilities = logits.log_softmax(dim=-1)
    counts = target != ignore_index
    right = target.where(counts, 0).unsqueeze(-1)
    right = log_probabilities.gather(-1, right).squeeze(-1)
    losses = -(1 - epsilon) * right - epsilon * log_probabilities.mean(dim=-1)
    return losses.masked_fill(~counts, 0.0).sum() / counts.sum().clamp(min=1)
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 기울기 누적
#
# 메모리에 다 들어가지 않는 큰 배치를 작은 배치의 리스트 `batches`로 나누었습니다. 작은 배치를 하나씩 계산해 **큰 배치 하나로 계산한
# 것과 같은 기울기**를 `model`의 파라미터에 남기십시오.
#
# `loss_sum(model, batch)`은 `(손실의 합, 토큰의 수)`를 돌려줍니다. 손실의 합은 기울기가 흐르는 스칼라 텐서이고, 토큰의 수는 패딩을 뺀
# 정수입니다. 배치마다 토큰의 수가 다르고, 0일 수도 있습니다.
#
# - 전에 남아 있던 기울기는 지우고 시작합니다.
# - 끝나면 `p.grad`는 **모든 토큰에 걸친 평균 손실**의 기울기이고, 함수는 그 평균 손실을 `float`로 돌려줍니다.
# - 한 배치를 역전파한 다음에 다음 배치를 계산합니다. 손실을 다 모아 두었다가 한 번에 역전파하면 계산 그래프가 모두 메모리에 남아
#   나눈 보람이 없습니다.
# - 손실에 쓰이지 않아 `p.grad`가 `None`인 파라미터도 있습니다. 파라미터의 값은 바꾸지 않습니다.


# %% accumulate_gradients tags=["question"]
def accumulate_gradients(model: nn.Module, loss_sum: Callable, batches: list) -> float:
    """Leave the gradient of the mean loss over all tokens of all small batches.

    Args:
        model: its parameters get their `grad`; older gradients are cleared.
        loss_sum: `loss_sum(model, batch)` gives the summed loss (a scalar tensor) and
            the number of tokens.
        batches: small batches with different numbers of tokens; at least one token in
            all.

    Returns:
        The mean loss over all tokens.
    """
    ### BEGIN SOLUTION
    model.zero_grad()
    total, tokens = 0.0, 0
    for batch in batches:
        loss, count = loss_sum(model, batch)
        loss.backward()
        total, tokens = total + loss.item(), tokens + count
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= tokens
    return float(total / tokens)
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 무작위 탐색
#
# `space`는 하이퍼파라미터의 이름에서 고를 수 있는 값으로 가는 사전입니다. `trials`개의 설정을 뽑아 리스트로 돌려주십시오. 설정
# 하나는 이름마다 값이 하나씩 있는 사전입니다.
#
# - 값이 **리스트**이면 그 가운데 하나를 고르게 뽑습니다.
# - 값이 **튜플** `(low, high)`이면 `low`와 `high` 사이의 실수를 고르게(균등 분포로) 뽑습니다.
# - 설정마다, 이름마다 **따로** 뽑습니다.
# - 같은 `seed`는 같은 결과를, 다른 `seed`는 다른 결과를 냅니다. `random.seed`나 `torch.manual_seed`처럼 **프로그램 전체의 난수
#   상태를 바꾸는 함수는 쓰지 않습니다.** 탐색이 모델의 초깃값까지 바꾸게 되기 때문입니다.
#
# ```text
# random_search({"heads": [1, 2, 4], "dropout": (0.0, 0.5)}, trials=2, seed=0)
#   →  [{"heads": 2, "dropout": 0.379…}, {"heads": 1, "dropout": 0.210…}]     예: 뽑히는 값은 구현마다 다릅니다
# ```


# %% random_search tags=["question"]
def random_search(space: dict[str, list | tuple], trials: int, seed: int) -> list:
    """Draw settings for a random search (Bergstra & Bengio 2012).

    Args:
        space: for each name a list to choose from, or a tuple (low, high) to draw
            evenly between.
        trials: how many settings to draw.
        seed: decides the settings; the global random state is neither used nor changed.

    Returns:
        `trials` dictionaries with the names of `space`.
    """
    ### BEGIN SOLUTION
    rng = random.Random(seed)

    def draw(values):
        return rng.uniform(*values) if isinstance(values, tuple) else rng.choice(values)

    def setting():
        return {name: draw(values) for name, values in space.items()}

    return [setting() for _ in range(trials)]
    ### END SOLUTION


# %% [markdown]
# ## 학습률 찾기
#
# 여러분이 만든 넷을 한꺼번에 씁니다. `random_search`가 설정 여섯을 뽑고, `noam_lr`가 걸음마다 학습률을 정하고, `accumulate_gradients`가
# 작은 배치 둘의 기울기를 모으고, `label_smoothed_nll`이 손실을 잽니다. 모델은 숫자 여덟 개를 작은 것부터 늘어놓는 작은 인코더입니다.
# 점수는 없습니다.
#
# - 줄마다 맞힌 숫자의 비율과 1, 20, 50, 150걸음의 학습률이 나옵니다. 무너진 설정은 무엇이 다릅니까?
# - `try_settings(seed=1)`로 다른 여섯을 뽑아 보십시오. 같은 결론이 나옵니까?


# %%
class Sorter(nn.Module):
    """Eight digits in any order to the logits of the digits in order."""

    def __init__(self, d: int = 32):
        super().__init__()
        self.digits = nn.Embedding(10, d)
        self.places = nn.Parameter(0.1 * torch.randn(8, d))
        layer = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.output = nn.Linear(d, 10)

    def forward(self, digits: Tensor) -> Tensor:
        return self.output(self.encoder(self.digits(digits) + self.places))


def train_sorter(warmup: int, factor: float, epsilon: float, steps: int = 150) -> float:
    """Train with `factor` times the paper's rate; return the share of digits right."""
    torch.manual_seed(0)
    model = Sorter()
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))

    def loss_sum(model, digits):
        ordered = digits.sort(dim=-1).values
        loss = label_smoothed_nll(model(digits), ordered, epsilon)
        return loss * digits.numel(), digits.numel()

    for step in range(1, steps + 1):
        optimizer.param_groups[0]["lr"] = factor * noam_lr(step, 32, warmup)
        batches = [torch.randint(10, (64, 8)) for _ in range(2)]
        accumulate_gradients(model, loss_sum, batches)
        optimizer.step()
    digits = torch.randint(10, (500, 8))
    found = model(digits).argmax(dim=-1)
    return (found == digits.sort(dim=-1).values).float().mean().item()


def try_settings(trials: int = 6, seed: int = 0) -> None:
    """Draw settings, train with each, and print them with their curves, best first."""
    space = {"warmup": [1, 20, 50], "factor": (0.1, 2.0), "epsilon": [0.0, 0.1]}
    settings = random_search(space, trials, seed)
    found = [(train_sorter(**setting), setting) for setting in settings]
    for right, setting in sorted(found, key=lambda pair: -pair[0]):
        warmup, factor, epsilon = setting.values()
        rates = [factor * noam_lr(step, 32, warmup) for step in (1, 20, 50, 150)]
        curve = " ".join(f"{rate:.4f}" for rate in rates)
        print(f"{right:4.0%}  warmup {warmup:2}  epsilon {epsilon}  rates {curve}")


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    try_settings()

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 여러 축의 배치, 토큰이 하나도 없는 배치, 다른 시드처럼 이 글에 적힌 약속을 그대로 시험합니다.
