# %% [markdown]
# # 연습: 적응
#
# **난이도** 2/3 · **시간** 70분 · **배점** 10점 · **먼저 읽을 장** [적응](../../chapters/adaptation.md)
#
# 글을 이어 쓰는 모델을 물음에 답하는 모델로 고칩니다. 답에서만 손실을 재는 라벨, 행렬을 좁은 둘로 고치는 LoRA와 그 변화를 다시 꺼내는 함수, 고른 답과 버린 답에서 배우는
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
# ## 주어진 것: 모델에 어댑터 달기
#
# `model` 안의 `nn.Linear` 가운데 속성 이름이 `names`에 있는 것을 모두 여러분의 `LoRALinear`로 감싸고, 나머지는 모두 동결합니다. 모델은 제자리에서
# 바뀝니다. 먼저 동결하고 나중에 감싸는 것에 주목하십시오. 거꾸로 하면 어댑터까지 동결됩니다.


# %%
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


# %% [markdown]
# ## 문제 3. 움직인 것을 좁은 둘로
#
# `merge()`는 좁은 변화를 행렬에 더해 넣습니다. 이번에는 거꾸로 꺼냅니다. 학습이 행렬 `before`를 `after`로 옮겼습니다. 움직인 것 $\Delta W$를 랭크가 $r$인
# LoRA로 적을 때, $\frac{\alpha}{r} BA$가 $\Delta W$에 **가장 가까운** $A$와 $B$를 돌려주십시오. 성분의 차를 제곱해 더한 것이 가장 작다는 뜻입니다.
#
# 특잇값 분해 $\Delta W = U \operatorname{diag}(s)\, V^\top$에서 큰 특잇값 $r$개만 남기면 그런 행렬이 됩니다. `torch.linalg.svd`는 큰 것부터 줍니다.
#
# - $A$는 `(r, in)`, $B$는 `(out, r)`입니다. 곱 $BA$만 맞으면 되므로 특잇값은 어느 쪽에 곱해도 됩니다.
# - `rank`가 `min(out, in)`보다 크면 `ValueError`를 냅니다.
# - float16과 bfloat16은 float32로 바꾸어 분해하고, 결과는 입력의 자료형으로 돌려줍니다.
#
# ```text
# before = [[1, 0], [0, 1]], after = [[7, 12], [8, 17]], rank = 1, alpha = 2  →  B A = [[3, 6], [4, 8]]
# before = [[0, 0], [0, 0]], after = [[3, 0], [0, 1]],   rank = 1, alpha = 1  →  B A = [[3, 0], [0, 0]]
# ```
#
# 첫째는 앞 문제의 $W$에 변화를 합친 것이라 남는 것이 없습니다. 둘째에서는 랭크 하나에 담기지 않은 1이 사라집니다.


# %% nearest_lora tags=["question"]
def nearest_lora(
    before: Float[Tensor, "d_out d_in"],
    after: Float[Tensor, "d_out d_in"],
    rank: int,
    alpha: float,
) -> tuple[Float[Tensor, "{rank} d_in"], Float[Tensor, "d_out {rank}"]]:
    """Take a change out of a weight, as the adapter that is nearest to it.

    Eckart and Young 1936.

    Args:
        before: the weight that the adapter will stand beside.
        after: the weight that training has made of it.
        rank: r, of the adapter.
        alpha: the adapter scales its change by alpha / r.

    Returns:
        A and B; of all changes of rank r, alpha / r * B A is the nearest to
        `after - before` in the sum of squares.

    Raises:
        ValueError: `rank` exceeds the smaller side of the weight.
    """
    ### BEGIN SOLUTION
    if rank > min(before.shape):
        raise ValueError(f"a matrix {tuple(before.shape)} has no rank {rank}")
    change = after - before
    # Half precision has no decomposition.
    half = change.dtype in (torch.float16, torch.bfloat16)
    U, s, Vh = torch.linalg.svd(change.float() if half else change, full_matrices=False)
    A = s[:rank, None] * Vh[:rank]
    B = U[:, :rank] * (rank / alpha)
    return A.to(change.dtype), B.to(change.dtype)
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
# 시험이 더 있습니다. 편향이 없는 선형 변환, 랭크가 넘치는 변화, 라벨이 하나도 없는 줄, 아주 큰 마진처럼 이 글에 적힌 약속을 그대로 시험합니다.
