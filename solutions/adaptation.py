# %% [markdown]
# # 연습: 적응
#
# **난이도** 2/3 · **시간** 70분 · **배점** 10점 · **먼저 읽을 장** [적응](../../chapters/adaptation.md)
#
# 글을 이어 쓰는 모델을 물음에 답하는 모델로 고칩니다. 답에서만 손실을 재는 라벨, 행렬을 좁은 둘로 고치는 LoRA, 고른 답과 버린 답에서 배우는
# DPO의 손실을 만드십시오.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

# %% [markdown]
# ## 문제 1. 답에만 붙는 라벨
#
# 줄마다 물음이 먼저, 답이 나중입니다. 물음에 든 토큰의 수가 `prompt_lengths`로 주어집니다. 물음 자리와 `pad_id`와 같은 자리는 `-100`, 나머지는 토큰
# 그대로인 라벨을 만드십시오. `-100`은 `F.cross_entropy`가 세지 않는 값입니다. **여기서 밀지 않습니다.** 한 칸 미는 일은 손실을 잴 때 합니다.
#
# `pad_id`가 `None`이면 패딩이 없는 것이고, `0`이면 0번 토큰이 패딩입니다. 받은 `ids`는 바꾸지 않습니다.
#
# ```text
# response_labels(tensor([[5, 6, 7, 8], [5, 7, 8, 0]]), tensor([2, 1]), pad_id=0)
#   →  [[-100, -100, 7, 8], [-100, 7, 8, -100]]
# ```


# %% response_labels tags=["question"]
def response_labels(
    ids: Int[Tensor, "batch n"],
    prompt_lengths: Int[Tensor, "batch"],
    pad_id: int | None = None,
) -> Int[Tensor, "batch n"]:
    """Make labels that count the answer alone; not shifted.

    Args:
        ids: prompt, answer and padding of each row; left unchanged.
        prompt_lengths: number of tokens of each prompt.
        pad_id: id of the padding, wherever it stands; None if there is none.

    Returns:
        The ids of the answer, -100 elsewhere.
    """
    ### BEGIN SOLUTION
    ignored = torch.arange(ids.shape[1], device=ids.device) < prompt_lengths[:, None]
    if pad_id is not None:
        ignored = ignored | (ids == pad_id)
    return ids.masked_fill(ignored, -100)
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. LoRA
#
# 선형 변환 $Wx$는 동결해 두고 $\frac{\alpha}{r} B A x$를 더합니다. $A$는 `(r, in)`이고 무작위로, $B$는 `(out, r)`이고 0으로 시작합니다. 그래서 처음에는
# 원래의 선형 변환과 같습니다.
#
# - 원래의 선형 변환은 `linear`라는 이름으로 두고, 그 파라미터는 배우지 않게 합니다(`requires_grad`가 `False`).
# - `A`와 `B`는 `nn.Parameter`이고, 자료형과 장치가 `linear.weight`와 같습니다.
# - `merge()`는 둘을 더한 **새** `nn.Linear`를 돌려줍니다. 출력이 같고, 편향도 그대로 있으며, 원래의 모듈은 바뀌지 않습니다.
#
# ```text
# W = [[1, 0], [0, 1]], A = [[1, 2]], B = [[3], [4]], r = 1, alpha = 2, x = (1, 1)  →  (19, 25)
# ```


# %% LoRALinear tags=["question"]
class LoRALinear(nn.Module):
    """A frozen linear map and a change of low rank that learns (Hu et al. 2022).

    Args:
        linear: the map to adapt; kept as `linear`, frozen.
        rank: r, the rank of the change.
        alpha: the change is scaled by alpha / r.
    """

    def __init__(self, linear: nn.Linear, rank: int, alpha: float):
        super().__init__()
        ### BEGIN SOLUTION
        weight = linear.weight
        self.linear = linear.requires_grad_(False)
        self.scale = alpha / rank
        self.A = nn.Parameter(
            torch.randn(rank, linear.in_features).to(weight) / linear.in_features**0.5
        )
        self.B = nn.Parameter(torch.zeros(linear.out_features, rank).to(weight))
        ### END SOLUTION

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        """The frozen map of `x` plus the scaled change."""
        ### BEGIN SOLUTION
        return self.linear(x) + self.scale * (x @ self.A.T @ self.B.T)
        ### END SOLUTION

    def merge(self) -> nn.Linear:
        """A new linear map with the change added to its weight."""
        ### BEGIN SOLUTION
        weight, bias = self.linear.weight, self.linear.bias
        d_out, d_in = weight.shape
        merged = nn.Linear(d_in, d_out, bias=bias is not None).to(weight)
        with torch.no_grad():
            merged.weight.copy_(weight + self.scale * self.B @ self.A)
            if bias is not None:
                merged.bias.copy_(bias)
        return merged
        ### END SOLUTION


# %% [markdown]
# ## 문제 3. 모델에 어댑터 달기
#
# `model` 안의 `nn.Linear` 가운데 **속성 이름**이 `names`에 있는 것을 모두 LoRA로 감쌉니다. 이름은 마지막 것입니다. `model.layers[0].W_q`의 이름은
# `W_q`입니다. 모델은 제자리에서 바뀝니다. 어댑터가 아닌 파라미터는 모두 동결하고, 배우는 파라미터의 수를 돌려줍니다. 맞는 이름이 하나도 없으면
# `ValueError`를 냅니다.
#
# `LoRALinear`는 문제 2의 것을 씁니다. 맞는 이름이 `nn.Linear`가 아니면 그대로 둡니다.


# %% add_lora tags=["question"]
def add_lora(model: nn.Module, names: list[str], rank: int, alpha: float) -> int:
    """Wrap linear maps of a model in adapters, in place, and freeze all else.

    Args:
        model: changed in place.
        names: attribute names of the linear maps to wrap, wherever they are.
        rank: rank of each adapter.
        alpha: scale of each adapter.

    Returns:
        How many parameters learn.

    Raises:
        ValueError: no linear map has one of the names.
    """
    ### BEGIN SOLUTION
    found = [
        (parent, name, child)
        for parent in model.modules()
        for name, child in parent.named_children()
        if name in names and isinstance(child, nn.Linear)
    ]
    if not found:
        raise ValueError(f"no linear map is called {names}")
    model.requires_grad_(False)
    for parent, name, child in found:
        setattr(parent, name, LoRALinear(child, rank, alpha))
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 답의 로그 확률
#
# 줄마다 라벨의 로그 확률을 **더합니다**. 위치 `t - 1`의 로짓이 라벨 `t`를 맞힙니다. `-100`인 라벨은 세지 않습니다. 위치 0의 라벨은 맞힐 로짓이 없으므로
# 언제나 세지 않습니다. 평균이 아니라 합입니다. 기울기가 로짓으로 흘러야 합니다.


# %% sequence_log_prob tags=["question"]
def sequence_log_prob(
    logits: Float[Tensor, "batch n vocab"], labels: Int[Tensor, "batch n"]
) -> Float[Tensor, "batch"]:
    """Sum the log probabilities of each row's labels.

    Args:
        logits: those at t - 1 predict label t.
        labels: not shifted; -100 does not count, nor does label 0.

    Returns:
        A sum for each row; 0 where nothing counts.
    """
    ### BEGIN SOLUTION
    logits, labels = logits[:, :-1], labels[:, 1:]
    losses = F.cross_entropy(
        logits.transpose(1, 2), labels, ignore_index=-100, reduction="none"
    )
    return -losses.sum(dim=-1)
    ### END SOLUTION


# %% [markdown]
# ## 문제 5. DPO의 손실
#
# 고른 답과 버린 답의 로그 확률이, 배우는 모델(`policy`)과 동결한 모델(`reference`)에서 주어집니다. 짝마다 마진은
#
# $$
# \beta \left[(\ln \pi_c - \ln \text{ref}_c) - (\ln \pi_r - \ln \text{ref}_r)\right]
# $$
#
# 이고, 손실은 $-\ln \sigma(\text{마진})$의 평균입니다. 정확도는 마진이 **0보다 큰** 짝의 비율입니다. 0이면 맞힌 것이 아닙니다. `reference`로는 기울기를
# 보내지 않습니다. 마진이 -1,000이어도 손실과 기울기는 유한해야 합니다.
#
# ```text
# ln p: 고른 답 -10 (기준 -9), 버린 답 -12 (기준 -14), beta = 0.5  →  마진 -1.5, 손실 1.7014, 정확도 0
# ```


# %% dpo_loss tags=["question"]
def dpo_loss(
    policy_chosen: Float[Tensor, "batch"],
    policy_rejected: Float[Tensor, "batch"],
    reference_chosen: Float[Tensor, "batch"],
    reference_rejected: Float[Tensor, "batch"],
    beta: float,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Prefer the chosen answers (Rafailov et al. 2023, equation 7).

    Args:
        policy_chosen: log probabilities of the chosen answers by the model that learns.
        policy_rejected: of the rejected answers.
        reference_chosen: of the chosen answers by the frozen model; gets no gradient.
        reference_rejected: of the rejected answers.
        beta: how strongly the model is held to the frozen model.

    Returns:
        The mean loss, and the share of pairs whose margin is above 0.
    """
    ### BEGIN SOLUTION
    chosen = policy_chosen - reference_chosen.detach()
    rejected = policy_rejected - reference_rejected.detach()
    margins = beta * (chosen - rejected)
    return -F.logsigmoid(margins).mean(), (margins > 0).to(margins.dtype).mean()
    ### END SOLUTION


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 편향이 없는 선형 변환, 이름이 겹치는 층, 라벨이 하나도 없는 줄, 아주 큰 마진처럼 이 글에 적힌 약속을 그대로 시험합니다.
