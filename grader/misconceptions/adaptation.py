"""Wrong answers that people give to the exercise `adaptation`."""

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import misconception

# response_labels --------------------------------------------------------------------------------------------


def _of_prompt(ids, prompt_lengths):
    return torch.arange(ids.shape[1], device=ids.device) < prompt_lengths[:, None]


@misconception(
    "response_labels",
    hint="물음까지 세었습니다. 물음 자리는 -100이어야 모델이 물음을 쓰는 법이 아니라 답하는 법을 배웁니다.",
    read="adaptation#ada-labels",
)
def prompt_counted(ids, prompt_lengths, pad_id=None):
    return ids if pad_id is None else ids.masked_fill(ids == pad_id, -100)


@misconception(
    "response_labels",
    hint="답을 가리고 물음을 남겼습니다. -100은 세지 않는 자리입니다.",
    read="adaptation#ada-labels",
)
def answer_hidden(ids, prompt_lengths, pad_id=None):
    labels = ids.masked_fill(~_of_prompt(ids, prompt_lengths), -100)
    return labels if pad_id is None else labels.masked_fill(ids == pad_id, -100)


@misconception(
    "response_labels",
    hint="라벨을 여기서 한 칸 밀었습니다. 미는 일은 손실을 잴 때 한 번만 합니다. 두 번 밀면 두 칸 뒤를 맞히게 됩니다.",
    read="adaptation#ada-labels",
)
def shifted_here(ids, prompt_lengths, pad_id=None):
    labels = ids.masked_fill(_of_prompt(ids, prompt_lengths), -100)
    if pad_id is not None:
        labels = labels.masked_fill(ids == pad_id, -100)
    return torch.cat([labels[:, 1:], torch.full_like(labels[:, :1], -100)], dim=1)


@misconception(
    "response_labels",
    hint="물음의 자리를 하나 더 가렸습니다. 물음이 2토큰이면 자리 0과 1만 -100이고, 자리 2는 답의 첫 토큰입니다 (<= 대신 <).",
    read="adaptation#ada-labels",
)
def one_position_too_many(ids, prompt_lengths, pad_id=None):
    ignored = torch.arange(ids.shape[1], device=ids.device) <= prompt_lengths[:, None]
    return ids.masked_fill(ignored if pad_id is None else ignored | (ids == pad_id), -100)


@misconception(
    "response_labels",
    hint="패딩을 가리지 않았습니다. 패딩을 쓰는 법을 배우게 됩니다.",
    read="adaptation#ada-labels",
)
def padding_counted(ids, prompt_lengths, pad_id=None):
    return ids.masked_fill(_of_prompt(ids, prompt_lengths), -100)


@misconception(
    "response_labels",
    hint="pad_id가 0일 때 패딩을 가리지 않았습니다. if pad_id: 는 0에서 거짓입니다. if pad_id is not None: 을 쓰십시오.",
    read="adaptation#ada-grading",
)
def zero_taken_for_none(ids, prompt_lengths, pad_id=None):
    ignored = _of_prompt(ids, prompt_lengths)
    return ids.masked_fill(ignored | (ids == pad_id) if pad_id else ignored, -100)


@misconception(
    "response_labels",
    hint="세지 않을 자리에 0을 넣었습니다. 0은 토큰의 번호입니다. F.cross_entropy가 세지 않는 값은 -100입니다.",
    read="adaptation#ada-labels",
)
def zero_for_ignored(ids, prompt_lengths, pad_id=None):
    ignored = _of_prompt(ids, prompt_lengths)
    return ids.masked_fill(ignored if pad_id is None else ignored | (ids == pad_id), 0)


@misconception(
    "response_labels",
    hint="첫 줄의 물음 길이를 모든 줄에 썼습니다. 물음의 길이는 줄마다 다릅니다.",
    read="adaptation#ada-labels",
)
def one_length_for_all(ids, prompt_lengths, pad_id=None):
    ignored = _of_prompt(ids, prompt_lengths[:1].expand(len(ids)))
    return ids.masked_fill(ignored if pad_id is None else ignored | (ids == pad_id), -100)


@misconception(
    "response_labels",
    hint="받은 ids를 바꾸었습니다. 같은 ids가 모델의 입력이기도 합니다. masked_fill_ 대신 masked_fill을 쓰십시오.",
    read="adaptation#ada-grading",
)
def ids_changed(ids, prompt_lengths, pad_id=None):
    ignored = _of_prompt(ids, prompt_lengths)
    return ids.masked_fill_(ignored if pad_id is None else ignored | (ids == pad_id), -100)


# LoRALinear -------------------------------------------------------------------------------------------------


class _InParts(nn.Module):
    """The right adapter, in parts that a mistake can replace."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = self.freeze(linear)
        self.scale = self.scale_of(alpha, rank)
        self.A = nn.Parameter(self.start_a(rank, linear.in_features).to(linear.weight))
        self.B = nn.Parameter(self.start_b(linear.out_features, rank).to(linear.weight))

    def freeze(self, linear):
        return linear.requires_grad_(False)

    def scale_of(self, alpha, rank):
        return alpha / rank

    def start_a(self, *shape):
        return torch.randn(shape)

    def start_b(self, *shape):
        return torch.zeros(shape)

    def forward(self, x):
        return self.linear(x) + self.scale * (x @ self.A.T @ self.B.T)

    def change(self):
        return self.scale * self.B @ self.A

    @torch.no_grad()
    def merge(self):
        out, inside = self.linear.weight.shape
        merged = nn.Linear(inside, out, bias=self.linear.bias is not None).to(self.linear.weight)
        merged.weight.copy_(self.linear.weight + self.change())
        if self.linear.bias is not None:
            merged.bias.copy_(self.linear.bias)
        return merged


@misconception(
    "LoRALinear",
    hint="alpha / r를 곱하지 않았습니다. r를 바꾸어도 변화의 크기가 비슷하게 남도록 나누는 것입니다.",
    read="adaptation#ada-lora",
)
class NotScaled(_InParts):
    def scale_of(self, alpha, rank):
        return 1.0


@misconception(
    "LoRALinear",
    hint="alpha만 곱하고 r로 나누지 않았습니다.",
    read="adaptation#ada-lora",
)
class ScaledByAlpha(_InParts):
    def scale_of(self, alpha, rank):
        return alpha


@misconception(
    "LoRALinear",
    hint="r의 제곱근으로 나누었습니다. 여기서는 alpha / r입니다.",
    read="adaptation#ada-lora",
)
class ScaledByRoot(_InParts):
    def scale_of(self, alpha, rank):
        return alpha / rank**0.5


@misconception(
    "LoRALinear",
    hint="B도 무작위로 시작합니다. 그러면 학습하기도 전에 모델이 달라집니다. B는 0으로 시작합니다.",
    read="adaptation#ada-start",
)
class BothRandom(_InParts):
    def start_b(self, *shape):
        return torch.randn(shape)


@misconception(
    "LoRALinear",
    hint="A와 B가 모두 0입니다. 그러면 둘의 기울기도 0이라 영원히 배우지 못합니다. A는 무작위로 시작합니다.",
    read="adaptation#ada-start",
)
class BothZero(_InParts):
    def start_a(self, *shape):
        return torch.zeros(shape)


@misconception(
    "LoRALinear",
    hint="A와 B의 시작이 바뀌었습니다. A가 무작위, B가 0입니다.",
    read="adaptation#ada-start",
)
class ZeroTheOtherWay(_InParts):
    def start_a(self, *shape):
        return torch.zeros(shape)

    def start_b(self, *shape):
        return torch.randn(shape)


@misconception(
    "LoRALinear",
    hint="원래의 선형 변환이 얼지 않았습니다. 그 파라미터의 requires_grad를 False로 두십시오.",
    read="adaptation#ada-lora",
)
class NotFrozen(_InParts):
    def freeze(self, linear):
        return linear


@misconception(
    "LoRALinear",
    hint="편향은 얼지 않았습니다. 가중치도 편향도 배우지 않아야 합니다.",
    read="adaptation#ada-lora",
)
class BiasNotFrozen(_InParts):
    def freeze(self, linear):
        linear.weight.requires_grad_(False)
        return linear


@misconception(
    "LoRALinear",
    hint="합치면서 alpha / r를 잊었습니다. 합친 것의 출력이 합치기 전과 같아야 합니다.",
    read="adaptation#ada-merge",
)
class MergedWithoutScale(_InParts):
    def change(self):
        return self.B @ self.A


@misconception(
    "LoRALinear",
    hint="합칠 때 변화를 전치했습니다. nn.Linear의 가중치는 (out, in)이고 B @ A도 (out, in)입니다.",
    read="adaptation#ada-merge",
)
class MergedTransposed(_InParts):
    def change(self):
        return (self.scale * self.B @ self.A).T


@misconception(
    "LoRALinear",
    hint="합치면서 편향을 잃었습니다. 합친 선형 변환에도 같은 편향이 있어야 합니다.",
    read="adaptation#ada-grading",
)
class MergedWithoutBias(_InParts):
    def merge(self):
        merged = super().merge()
        merged.bias = None
        return merged


@misconception(
    "LoRALinear",
    hint="원래의 가중치에 더해 썼습니다. merge() 뒤에도 모듈이 변화를 또 더하므로 두 번 더해집니다. 새 nn.Linear를 만드십시오.",
    read="adaptation#ada-grading",
)
class MergedInPlace(_InParts):
    @torch.no_grad()
    def merge(self):
        self.linear.weight += self.change()
        return self.linear


@misconception(
    "LoRALinear",
    hint="합친 것이 변화를 담지 않았습니다. W에 alpha / r * B A를 더해야 합니다.",
    read="adaptation#ada-merge",
)
class MergedWithoutChange(_InParts):
    def change(self):
        return torch.zeros_like(self.linear.weight)


# add_lora ---------------------------------------------------------------------------------------------------


class _Adapter(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear, self.scale = linear, alpha / rank
        self.A = nn.Parameter(torch.randn(rank, linear.in_features))
        self.B = nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x):
        return self.linear(x) + self.scale * (x @ self.A.T @ self.B.T)


def _named(model, names, match=lambda name, names: name in names):
    found = [
        (parent, name, child)
        for parent in model.modules()
        for name, child in parent.named_children()
        if match(name, names) and isinstance(child, nn.Linear)
    ]
    if not found:
        raise ValueError("no such name")
    return found


def _wrap(found, rank, alpha):
    for parent, name, child in found:
        setattr(parent, name, _Adapter(child, rank, alpha))


def _learning(model):
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


@misconception(
    "add_lora",
    hint="감싼 선형 변환 말고는 동결하지 않았습니다. 임베딩도 정규화도 다른 선형 변환도 동결해야 합니다.",
    read="adaptation#ada-where",
)
def rest_not_frozen(model, names, rank, alpha):
    found = _named(model, names)
    for _, _, child in found:
        child.requires_grad_(False)
    _wrap(found, rank, alpha)
    return _learning(model)


@misconception(
    "add_lora",
    hint="감싼 다음에 모두 동결해 어댑터까지 동결되었습니다. 먼저 동결하고 감싸십시오.",
    read="adaptation#ada-grading",
)
def adapters_frozen_too(model, names, rank, alpha):
    _wrap(_named(model, names), rank, alpha)
    count = _learning(model)
    model.requires_grad_(False)
    return count


@misconception(
    "add_lora",
    hint="모델의 파라미터를 모두 세었습니다. 배우는 것(requires_grad가 True인 것)만 세십시오.",
    read="adaptation#ada-where",
)
def everything_counted(model, names, rank, alpha):
    found = _named(model, names)
    model.requires_grad_(False)
    _wrap(found, rank, alpha)
    return sum(p.numel() for p in model.parameters())


@misconception(
    "add_lora",
    hint="이름의 일부만 같아도 감쌌습니다. 속성 이름 전체가 같아야 합니다.",
    read="adaptation#ada-grading",
)
def part_of_a_name(model, names, rank, alpha):
    found = _named(model, names, lambda name, names: any(wanted in name for wanted in names))
    model.requires_grad_(False)
    _wrap(found, rank, alpha)
    return _learning(model)


@misconception(
    "add_lora",
    hint="처음 찾은 하나만 감쌌습니다. 층마다 같은 이름이 있으므로 모두 감싸야 합니다.",
    read="adaptation#ada-where",
)
def only_the_first(model, names, rank, alpha):
    found = _named(model, names)[:1]
    model.requires_grad_(False)
    _wrap(found, rank, alpha)
    return _learning(model)


@misconception(
    "add_lora",
    hint="첫째 이름의 선형 변환만 감쌌습니다. names에 있는 이름을 모두 찾으십시오.",
    read="adaptation#ada-where",
)
def only_the_first_name(model, names, rank, alpha):
    found = _named(model, names[:1])
    model.requires_grad_(False)
    _wrap(found, rank, alpha)
    return _learning(model)


@misconception(
    "add_lora",
    hint="맞는 이름이 없는데도 넘어갔습니다. 이름을 잘못 적으면 아무것도 배우지 않는 모델을 학습시키게 됩니다. ValueError를 내십시오.",
    read="adaptation#ada-grading",
)
def unknown_names_accepted(model, names, rank, alpha):
    try:
        found = _named(model, names)
    except ValueError:
        found = []
    model.requires_grad_(False)
    _wrap(found, rank, alpha)
    return _learning(model)


# sequence_log_prob ------------------------------------------------------------------------------------------


def _of_each(logits, labels):
    """Log probabilities (batch, n) of labels that stand where they are predicted; 0 where none counts."""
    losses = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="none")
    return -losses


@misconception(
    "sequence_log_prob",
    hint="한 칸 밀지 않았습니다. 위치 t - 1의 로짓이 라벨 t를 맞힙니다. logits[:, :-1]과 labels[:, 1:]을 짝지으십시오.",
    read="adaptation#ada-log-prob",
)
def not_shifted(logits, labels):
    return _of_each(logits, labels).sum(dim=-1)


@misconception(
    "sequence_log_prob",
    hint="반대로 밀었습니다. 로짓은 마지막을, 라벨은 처음을 버립니다.",
    read="adaptation#ada-log-prob",
)
def shifted_backwards(logits, labels):
    return _of_each(logits[:, 1:], labels[:, :-1]).sum(dim=-1)


@misconception(
    "sequence_log_prob",
    hint="토큰에 걸쳐 평균했습니다. 답 전체의 확률은 곱이므로 로그 확률은 합입니다.",
    read="adaptation#ada-log-prob",
)
def mean_over_tokens(logits, labels):
    counted = (labels[:, 1:] != -100).sum(dim=-1).clamp(min=1)
    return _of_each(logits[:, :-1], labels[:, 1:]).sum(dim=-1) / counted


@misconception(
    "sequence_log_prob",
    hint="부호가 반대입니다. 손실은 로그 확률에 -1을 곱한 것입니다. 로그 확률은 0보다 크지 않습니다.",
    read="adaptation#ada-log-prob",
)
def loss_instead(logits, labels):
    return -_of_each(logits[:, :-1], labels[:, 1:]).sum(dim=-1)


@misconception(
    "sequence_log_prob",
    hint="배치 전체를 더했습니다. 줄마다 하나씩, (batch,)를 돌려주십시오.",
    read="adaptation#ada-log-prob",
)
def sum_over_the_batch(logits, labels):
    return _of_each(logits[:, :-1], labels[:, 1:]).sum()


@misconception(
    "sequence_log_prob",
    hint="softmax를 취하지 않고 로짓을 더했습니다. 로그 확률은 log_softmax입니다.",
    read="adaptation#ada-log-prob",
)
def logits_added(logits, labels):
    labels = labels[:, 1:]
    picked = logits[:, :-1].gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return (picked * (labels != -100)).sum(dim=-1)


@misconception(
    "sequence_log_prob",
    hint="확률을 더했습니다. 로그를 취한 다음 더하십시오.",
    read="adaptation#ada-log-prob",
)
def probabilities_added(logits, labels):
    labels = labels[:, 1:]
    picked = logits[:, :-1].softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return (picked * (labels != -100)).sum(dim=-1)


@misconception(
    "sequence_log_prob",
    hint="-100인 라벨을 0번 토큰으로 세었습니다. 세지 않을 자리는 0을 곱하거나 빼십시오.",
    read="adaptation#ada-log-prob",
)
def ignored_labels_counted(logits, labels):
    return _of_each(logits[:, :-1], labels[:, 1:].clamp(min=0)).sum(dim=-1)


@misconception(
    "sequence_log_prob",
    hint="기울기가 끊겼습니다(detach, no_grad). DPO에서는 이 로그 확률로 배웁니다.",
    read="adaptation#ada-grading",
)
def without_gradient(logits, labels):
    return _of_each(logits[:, :-1], labels[:, 1:]).sum(dim=-1).detach()


# dpo_loss ---------------------------------------------------------------------------------------------------


def _of_margins(margins):
    return -F.logsigmoid(margins).mean(), (margins > 0).to(margins.dtype).mean()


@misconception(
    "dpo_loss",
    hint="기준을 빼지 않았습니다. 배우는 모델이 동결한 모델보다 얼마나 더 좋아하게 되었는지를 견줍니다.",
    read="adaptation#ada-reference",
)
def reference_forgotten(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    return _of_margins(beta * (policy_chosen - policy_rejected))


@misconception(
    "dpo_loss",
    hint="기준의 두 답이 바뀌었습니다. 고른 답에서는 고른 답의 기준을 뺍니다.",
    read="adaptation#ada-reference",
)
def reference_of_the_other_answer(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    chosen, rejected = (
        policy_chosen - reference_rejected.detach(),
        policy_rejected - reference_chosen.detach(),
    )
    return _of_margins(beta * (chosen - rejected))


@misconception(
    "dpo_loss",
    hint="beta를 곱하지 않았습니다.",
    read="adaptation#ada-dpo",
)
def beta_forgotten(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    return _of_margins(chosen - rejected)


@misconception(
    "dpo_loss",
    hint="beta로 나누었습니다. 마진은 beta를 곱한 것입니다.",
    read="adaptation#ada-dpo",
)
def divided_by_beta(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    return _of_margins((chosen - rejected) / beta)


@misconception(
    "dpo_loss",
    hint="고른 답과 버린 답이 바뀌었습니다. 고른 답의 몫에서 버린 답의 몫을 뺍니다.",
    read="adaptation#ada-dpo",
)
def sides_swapped(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    return _of_margins(beta * (rejected - chosen))


@misconception(
    "dpo_loss",
    hint="짝에 걸쳐 더했습니다. 손실은 평균입니다.",
    read="adaptation#ada-dpo",
)
def summed_over_pairs(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    margins = beta * (chosen - rejected)
    return -F.logsigmoid(margins).sum(), (margins > 0).to(margins.dtype).mean()


@misconception(
    "dpo_loss",
    hint="마진을 먼저 평균했습니다. 짝마다 손실을 재고 평균하십시오.",
    read="adaptation#ada-dpo",
)
def mean_before_the_loss(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    margins = beta * (chosen - rejected)
    return -F.logsigmoid(margins.mean()), (margins > 0).to(margins.dtype).mean()


@misconception(
    "dpo_loss",
    hint="마진이 0인 짝을 맞힌 것으로 세었습니다. 0보다 커야 합니다 (>= 대신 >).",
    read="adaptation#ada-grading",
)
def ties_are_right(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    margins = beta * (chosen - rejected)
    return -F.logsigmoid(margins).mean(), (margins >= 0).to(margins.dtype).mean()


@misconception(
    "dpo_loss",
    hint="기준으로 기울기가 흐릅니다. 기준은 동결한 모델이므로 detach()로 끊으십시오.",
    read="adaptation#ada-reference",
)
def reference_learns(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    return _of_margins(beta * ((policy_chosen - reference_chosen) - (policy_rejected - reference_rejected)))


@misconception(
    "dpo_loss",
    hint="sigmoid를 먼저 취하고 로그를 취했습니다. 마진이 -1,000이면 로그의 안이 0이 됩니다. F.logsigmoid를 쓰십시오.",
    read="adaptation#ada-grading",
)
def log_of_sigmoid(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    margins = beta * (chosen - rejected)
    return -margins.sigmoid().log().mean(), (margins > 0).to(margins.dtype).mean()
