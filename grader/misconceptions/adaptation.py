"""Wrong answers that people give to the exercise `adaptation`."""

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# response_labels --------------------------------------------------------------------------------------------


def _of_prompt(ids, prompt_lengths):
    return torch.arange(ids.shape[1], device=ids.device) < prompt_lengths[:, None]


def _padding(ids, pad_id):
    return torch.zeros_like(ids, dtype=torch.bool) if pad_id is None else ids == pad_id


def _hidden(labels, ignored):
    return labels.masked_fill(ignored, -100)


@wrong("response_labels", read="ada-labels")
def prompt_counted(ids, prompt_lengths, pad_id=None):
    """물음까지 세었습니다. 물음 자리는 -100이어야 모델이 물음을 쓰는 법이 아니라 답하는 법을 배웁니다."""
    return ids if pad_id is None else ids.masked_fill(ids == pad_id, -100)


@wrong("response_labels", read="ada-labels")
def answer_hidden(ids, prompt_lengths, pad_id=None):
    """답을 가리고 물음을 남겼습니다. -100은 세지 않는 자리입니다."""
    labels = ids.masked_fill(~_of_prompt(ids, prompt_lengths), -100)
    return labels if pad_id is None else labels.masked_fill(ids == pad_id, -100)


@wrong("response_labels", read="ada-labels")
def shifted_here(ids, prompt_lengths, pad_id=None):
    """라벨을 여기서 한 칸 밀었습니다. 미는 일은 손실을 잴 때 한 번만 합니다. 두 번 밀면 두 칸 뒤를 맞히게 됩니다."""
    labels = ids.masked_fill(_of_prompt(ids, prompt_lengths), -100)
    if pad_id is not None:
        labels = labels.masked_fill(ids == pad_id, -100)
    return torch.cat([labels[:, 1:], torch.full_like(labels[:, :1], -100)], dim=1)


@wrong("response_labels", read="ada-labels")
def one_position_too_many(ids, prompt_lengths, pad_id=None):
    """물음의 자리를 하나 더 가렸습니다. 물음이 2토큰이면 자리 0과 1만 -100이고, 자리 2는 답의 첫 토큰입니다 (<= 대신 <)."""
    ignored = torch.arange(ids.shape[1], device=ids.device) <= prompt_lengths[:, None]
    return ids.masked_fill(ignored if pad_id is None else ignored | (ids == pad_id), -100)


@wrong("response_labels", read="ada-labels")
def padding_counted(ids, prompt_lengths, pad_id=None):
    """패딩을 가리지 않았습니다. 패딩을 쓰는 법을 배우게 됩니다."""
    return ids.masked_fill(_of_prompt(ids, prompt_lengths), -100)


@wrong("response_labels", read="ada-grading", slip=True)
def zero_taken_for_none(ids, prompt_lengths, pad_id=None):
    """pad_id가 0일 때 패딩을 가리지 않았습니다. if pad_id: 는 0에서 거짓입니다. if pad_id is not None: 을 쓰십시오."""
    ignored = _of_prompt(ids, prompt_lengths)
    return ids.masked_fill(ignored | (ids == pad_id) if pad_id else ignored, -100)


@wrong("response_labels", read="ada-labels")
def zero_for_ignored(ids, prompt_lengths, pad_id=None):
    """세지 않을 자리에 0을 넣었습니다. 0은 토큰의 번호입니다. F.cross_entropy가 세지 않는 값은 -100입니다."""
    ignored = _of_prompt(ids, prompt_lengths)
    return ids.masked_fill(ignored if pad_id is None else ignored | (ids == pad_id), 0)


@wrong("response_labels", read="ada-labels")
def one_length_for_all(ids, prompt_lengths, pad_id=None):
    """첫 줄의 물음 길이를 모든 줄에 썼습니다. 물음의 길이는 줄마다 다릅니다."""
    ignored = _of_prompt(ids, prompt_lengths[:1].expand(len(ids)))
    return ids.masked_fill(ignored if pad_id is None else ignored | (ids == pad_id), -100)


@wrong("response_labels", read="ada-grading", slip=True)
def ids_changed(ids, prompt_lengths, pad_id=None):
    """받은 ids를 바꾸었습니다. 같은 ids가 모델의 입력이기도 합니다. masked_fill_ 대신 masked_fill을 쓰십시오."""
    ignored = _of_prompt(ids, prompt_lengths)
    return ids.masked_fill_(ignored if pad_id is None else ignored | (ids == pad_id), -100)


@wrong("response_labels", read="ada-labels")
def one_position_too_few(ids, prompt_lengths, pad_id=None):
    """물음의 마지막 자리가 남았습니다. 물음이 2토큰이면 자리 0과 1이 모두 -100입니다. 미는 일은 손실을 잴 때 하므로 하나 덜 가리지 않습니다."""
    return _hidden(ids, _of_prompt(ids, prompt_lengths - 1) | _padding(ids, pad_id))


@wrong("response_labels", read="ada-labels")
def shifted_before_hiding(ids, prompt_lengths, pad_id=None):
    """토큰을 먼저 밀고 물음을 나중에 가렸습니다. 라벨은 토큰과 같은 자리에 있습니다. 여기서는 밀지 않습니다."""
    later = F.pad(ids[:, 1:], (0, 1), value=-100)
    return _hidden(later, _of_prompt(ids, prompt_lengths) | _padding(later, pad_id))


@wrong("response_labels", read="ada-grading", slip=True)
def none_taken_for_zero(ids, prompt_lengths, pad_id=None):
    """pad_id가 None인데 0번 토큰을 패딩으로 가렸습니다. None은 패딩이 없다는 뜻이므로 0번 토큰도 답입니다."""
    return _hidden(ids, _of_prompt(ids, prompt_lengths) | _padding(ids, pad_id or 0))


@wrong("response_labels", read="ada-labels")
def padding_always_zero(ids, prompt_lengths, pad_id=None):
    """pad_id를 쓰지 않고 언제나 0번 토큰을 가렸습니다. 패딩의 번호는 pad_id입니다."""
    return _hidden(ids, _of_prompt(ids, prompt_lengths) | (ids == 0))


@wrong("response_labels", read="ada-labels", slip=True)
def only_padding_at_the_end(ids, prompt_lengths, pad_id=None):
    """줄 끝에 이어진 패딩만 가렸습니다. 패딩은 어디에 있든 -100입니다."""
    other = ~_padding(ids, pad_id)
    at_the_end = other.flip(1).cumsum(dim=1).flip(1) == 0
    return _hidden(ids, _of_prompt(ids, prompt_lengths) | at_the_end)


@wrong("response_labels", read="ada-labels", slip=True)
def all_from_the_first_padding(ids, prompt_lengths, pad_id=None):
    """처음 나오는 패딩부터 줄의 끝까지 가렸습니다. 패딩과 같은 자리만 가리고, 그 뒤의 답은 남기십시오."""
    return _hidden(ids, _of_prompt(ids, prompt_lengths) | (_padding(ids, pad_id).cumsum(dim=1) > 0))


@wrong("response_labels", read="ada-labels")
def first_padding_kept(ids, prompt_lengths, pad_id=None):
    """답 뒤의 첫 패딩을 남겼습니다. 여기서는 패딩이 끝 토큰을 겸하지 않습니다. 패딩은 모두 -100입니다."""
    return _hidden(ids, _of_prompt(ids, prompt_lengths) | (_padding(ids, pad_id).cumsum(dim=1) > 1))


@wrong("response_labels", read="ada-labels")
def longest_prompt_for_all(ids, prompt_lengths, pad_id=None):
    """가장 긴 물음의 길이를 모든 줄에 썼습니다. 물음이 짧은 줄에서는 답까지 가려집니다."""
    longest = prompt_lengths.max().expand(len(ids))
    return _hidden(ids, _of_prompt(ids, longest) | _padding(ids, pad_id))


@wrong("response_labels", read="ada-labels")
def minus_one_for_ignored(ids, prompt_lengths, pad_id=None):
    """세지 않을 자리에 -1을 넣었습니다. F.cross_entropy가 세지 않는 값은 -100입니다."""
    return ids.masked_fill(_of_prompt(ids, prompt_lengths) | _padding(ids, pad_id), -1)


@wrong("response_labels", read="ada-grading", slip=True)
def labels_of_another_kind(ids, prompt_lengths, pad_id=None):
    """라벨이 정수가 아닙니다. 토큰의 번호이므로 ids와 같은 자료형이어야 합니다."""
    return _hidden(ids.float(), _of_prompt(ids, prompt_lengths) | _padding(ids, pad_id))


@wrong("response_labels", read="ada-grading", slip=True)
def device_forgotten(ids, prompt_lengths, pad_id=None):
    """안에서 만든 텐서가 ids와 다른 장치에 놓입니다. ids의 device를 주십시오."""
    of_prompt = torch.arange(ids.shape[1]) < prompt_lengths[:, None]
    return _hidden(ids, of_prompt | _padding(ids, pad_id))


# LoRALinear -------------------------------------------------------------------------------------------------


@right_answer("LoRALinear")
class _InParts(nn.Module):
    """The right adapter, in parts that a mistake can replace."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = self.freeze(linear)
        self.scale = self.scale_of(alpha, rank)
        self.A = nn.Parameter(self.like(self.start_a(rank, linear.in_features)))
        self.B = nn.Parameter(self.like(self.start_b(linear.out_features, rank)))

    def freeze(self, linear):
        return linear.requires_grad_(False)

    def scale_of(self, alpha, rank):
        return alpha / rank

    def start_a(self, *shape):
        return torch.randn(shape)

    def start_b(self, *shape):
        return torch.zeros(shape)

    def like(self, start):
        return start.to(self.linear.weight)

    def old(self, x):
        return self.linear(x)

    def new(self, x):
        return self.scale * (x @ self.A.T @ self.B.T)

    def forward(self, x):
        return self.old(x) + self.new(x)

    def change(self):
        return self.scale * self.B @ self.A

    def sizes(self):
        return self.linear.in_features, self.linear.out_features

    def numbers(self, merged):
        return merged.to(self.linear.weight)

    def has_bias(self):
        return self.linear.bias is not None

    def move_bias(self, merged):
        if self.linear.bias is not None:
            merged.bias.copy_(self.linear.bias)

    @torch.no_grad()
    def merge(self):
        merged = self.numbers(nn.Linear(*self.sizes(), bias=self.has_bias()))
        merged.weight.copy_(self.linear.weight + self.change())
        self.move_bias(merged)
        return merged


@wrong("LoRALinear", read="ada-lora")
class NotScaled(_InParts):
    """alpha / r를 곱하지 않았습니다. r를 바꾸어도 변화의 크기가 비슷하게 남도록 나누는 것입니다."""

    def scale_of(self, alpha, rank):
        return 1.0


@wrong("LoRALinear", read="ada-lora")
class ScaledByAlpha(_InParts):
    """alpha만 곱하고 r로 나누지 않았습니다."""

    def scale_of(self, alpha, rank):
        return alpha


@wrong("LoRALinear", read="ada-lora")
class ScaledByRoot(_InParts):
    """r의 제곱근으로 나누었습니다. 여기서는 alpha / r입니다."""

    def scale_of(self, alpha, rank):
        return alpha / rank**0.5


@wrong("LoRALinear", read="ada-start")
class BothRandom(_InParts):
    """B도 무작위로 시작합니다. 그러면 학습하기도 전에 모델이 달라집니다. B는 0으로 시작합니다."""

    def start_b(self, *shape):
        return torch.randn(shape)


@wrong("LoRALinear", read="ada-start", slip=True)
class BothZero(_InParts):
    """A와 B가 모두 0입니다. 그러면 둘의 기울기도 0이라 영원히 배우지 못합니다. A는 무작위로 시작합니다."""

    def start_a(self, *shape):
        return torch.zeros(shape)


@wrong("LoRALinear", read="ada-start", slip=True)
class ZeroTheOtherWay(_InParts):
    """A와 B의 시작이 바뀌었습니다. A가 무작위, B가 0입니다."""

    def start_a(self, *shape):
        return torch.zeros(shape)

    def start_b(self, *shape):
        return torch.randn(shape)


@wrong("LoRALinear", read="ada-lora")
class NotFrozen(_InParts):
    """원래의 선형 변환이 얼지 않았습니다. 그 파라미터의 requires_grad를 False로 두십시오."""

    def freeze(self, linear):
        return linear


@wrong("LoRALinear", read="ada-lora", slip=True)
class BiasNotFrozen(_InParts):
    """편향은 얼지 않았습니다. 가중치도 편향도 배우지 않아야 합니다."""

    def freeze(self, linear):
        linear.weight.requires_grad_(False)
        return linear


@wrong("LoRALinear", read="ada-lora")
class ScaledUpsideDown(_InParts):
    """r / alpha를 곱했습니다. 여기서는 alpha / r입니다."""

    def scale_of(self, alpha, rank):
        return rank / alpha


@wrong("LoRALinear", read="ada-lora")
class WiderThanTall(_InParts):
    """A와 B의 모양이 뒤바뀌었습니다. A는 (r, in), B는 (out, r)입니다."""

    def __init__(self, linear, rank, alpha):
        super().__init__(linear, rank, alpha)
        self.A, self.B = nn.Parameter(self.A.data.T.clone()), nn.Parameter(self.B.data.T.clone())

    def new(self, x):
        return self.scale * (x @ self.A @ self.B)


@wrong("LoRALinear", read="ada-lora")
class NamesSwapped(_InParts):
    """A와 B가 바뀌었습니다. 입력을 좁히는 (r, in)이 A, 다시 넓히는 (out, r)가 B입니다."""

    def __init__(self, linear, rank, alpha):
        super().__init__(linear, rank, alpha)
        self.A, self.B = self.B, self.A

    def new(self, x):
        return self.scale * (x @ self.B.T @ self.A.T)


@wrong("LoRALinear", read="ada-lora")
class PartsAreLinearMaps(_InParts):
    """A와 B가 nn.Linear입니다. 행렬 자체를 nn.Parameter로 두십시오."""

    def __init__(self, linear, rank, alpha):
        super().__init__(linear, rank, alpha)
        del self.A, self.B
        self.A = nn.Linear(linear.in_features, rank, bias=False)
        self.B = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.B.weight)

    def new(self, x):
        return self.scale * self.B(self.A(x))


@wrong("LoRALinear", read="ada-lora")
class NothingToLearn(_InParts):
    """A도 B도 배우는 파라미터가 아닙니다. nn.Parameter로 두어야 모듈이 압니다."""

    def __init__(self, linear, rank, alpha):
        super().__init__(linear, rank, alpha)
        A, B = self.A.data, self.B.data
        del self.A, self.B
        self.A, self.B = A, B


@wrong("LoRALinear", read="ada-lora")
class OnlyBLearns(_InParts):
    """A는 배우지 않습니다. A와 B가 모두 배우는 nn.Parameter여야 합니다."""

    def __init__(self, linear, rank, alpha):
        super().__init__(linear, rank, alpha)
        self.A.requires_grad_(False)


@wrong("LoRALinear", read="ada-lora", slip=True)
class UnderAnotherName(_InParts):
    """원래의 선형 변환이 linear라는 이름에 없습니다. 모듈 그대로 self.linear에 두십시오."""

    def __init__(self, linear, rank, alpha):
        super().__init__(linear, rank, alpha)
        del self.linear
        self.base = linear

    def __getattr__(self, name):
        return super().__getattr__("base" if name == "linear" and "base" in self._modules else name)


@wrong("LoRALinear", read="ada-grading", slip=True)
class BuiltWithBiasOnly(_InParts):
    """편향이 없는 선형 변환은 감싸지 못합니다. 그때 linear.bias는 None입니다."""

    def freeze(self, linear):
        linear.weight.requires_grad = False
        linear.bias.requires_grad = False
        return linear


@wrong("LoRALinear", read="ada-start", slip=True)
class AllTheSame(_InParts):
    """A의 값이 모두 같습니다. 그러면 r개의 줄이 똑같이 배웁니다. 무작위로 뽑으십시오."""

    def start_a(self, *shape):
        return torch.ones(shape)


@wrong("LoRALinear", read="ada-lora")
class LinearForgotten(_InParts):
    """변화만 돌려주었습니다. 원래의 선형 변환에 더해야 합니다."""

    def old(self, x):
        return 0.0


@wrong("LoRALinear", read="ada-lora")
class ChangeForgotten(_InParts):
    """forward가 변화를 더하지 않습니다. 원래의 선형 변환만 돌려주었습니다."""

    def new(self, x):
        return 0.0


@wrong("LoRALinear", read="ada-lora")
class BiasForgotten(_InParts):
    """forward가 편향을 잃었습니다. 가중치만 곱하지 말고 linear(x)를 쓰십시오."""

    def old(self, x):
        return x @ self.linear.weight.T


@wrong("LoRALinear", read="ada-grading", slip=True)
class OneLeadingAxisOnly(_InParts):
    """입력의 앞쪽 축이 하나일 때만 됩니다. 축이 더 있어도 마지막 축만 곱해야 합니다."""

    def new(self, x):
        return self.scale * (self.B @ self.A @ x.T).T


@wrong("LoRALinear", read="ada-lora", slip=True)
class InputCut(_InParts):
    """원래의 선형 변환을 기울기 없이 셈했습니다(no_grad, detach). 그러면 앞 층으로 기울기가 흐르지 않습니다. 동결은 requires_grad를 False로 두는 것으로 충분합니다."""

    def old(self, x):
        return self.linear(x).detach()


@wrong("LoRALinear", read="ada-lora")
class ChangeCut(_InParts):
    """A와 B로 기울기가 흐르지 않습니다. forward에서 detach나 data, no_grad를 쓰지 마십시오."""

    def new(self, x):
        return x @ self.change().detach().T


@wrong("LoRALinear", read="ada-merge", slip=True)
class MergedWithoutScale(_InParts):
    """합치면서 alpha / r를 잊었습니다. 합친 것의 출력이 합치기 전과 같아야 합니다."""

    def change(self):
        return self.B @ self.A


@wrong("LoRALinear", read="ada-merge", slip=True)
class MergedTransposed(_InParts):
    """합칠 때 변화를 전치했습니다. nn.Linear의 가중치는 (out, in)이고 B @ A도 (out, in)입니다."""

    def change(self):
        return (self.scale * self.B @ self.A).T


@wrong("LoRALinear", read="ada-grading", slip=True)
class MergedWithoutBias(_InParts):
    """합치면서 편향을 잃었습니다. 합친 선형 변환에도 같은 편향이 있어야 합니다."""

    def merge(self):
        merged = super().merge()
        merged.bias = None
        return merged


@wrong("LoRALinear", read="ada-grading", slip=True)
class MergedInPlace(_InParts):
    """원래의 가중치에 더해 썼습니다. merge() 뒤에도 모듈이 변화를 또 더하므로 두 번 더해집니다. 새 nn.Linear를 만드십시오."""

    @torch.no_grad()
    def merge(self):
        self.linear.weight += self.change()
        return self.linear


@wrong("LoRALinear", read="ada-merge", slip=True)
class MergedWithoutChange(_InParts):
    """합친 것이 변화를 담지 않았습니다. W에 alpha / r * B A를 더해야 합니다."""

    def change(self):
        return torch.zeros_like(self.linear.weight)


@wrong("LoRALinear", read="ada-merge", slip=True)
class MergedChangeAlone(_InParts):
    """원래의 가중치를 잊고 변화만 담았습니다. W에 alpha / r * B A를 더해야 합니다."""

    def change(self):
        return super().change() - self.linear.weight


@wrong("LoRALinear", read="ada-merge", slip=True)
class MergedIsTensor(_InParts):
    """가중치만 돌려주었습니다. merge()는 편향까지 담은 새 nn.Linear를 돌려줍니다."""

    def merge(self):
        return super().merge().weight


@wrong("LoRALinear", read="ada-merge", slip=True)
class MergedIsAdapter(_InParts):
    """merge()가 어댑터를 돌려주었습니다. 새 nn.Linear를 돌려주십시오."""

    def merge(self):
        return self


@wrong("LoRALinear", read="ada-merge", slip=True)
class MergedSizesSwapped(_InParts):
    """새 nn.Linear의 크기가 뒤바뀌었습니다. nn.Linear는 (in, out) 차례로 받고 가중치의 모양은 (out, in)입니다."""

    def sizes(self):
        return self.linear.out_features, self.linear.in_features


@wrong("LoRALinear", read="ada-grading", slip=True)
class MergedBiasNotMoved(_InParts):
    """합친 것의 편향이 새로 뽑은 것 그대로입니다. 원래의 편향을 옮기고, 원래 없으면 없어야 합니다."""

    def has_bias(self):
        return True

    def move_bias(self, merged):
        pass


@wrong("LoRALinear", read="ada-grading", slip=True)
class MergedBiasLeftAsItStarted(_InParts):
    """합친 것의 편향이 새로 뽑은 것 그대로입니다. 원래의 편향을 옮기십시오."""

    def move_bias(self, merged):
        pass


@wrong("LoRALinear", read="ada-grading", slip=True)
class MergedWithNewBias(_InParts):
    """편향이 없던 선형 변환에 편향이 생겼습니다. 원래 없으면 합친 것에도 없어야 합니다."""

    def has_bias(self):
        return True


@wrong("LoRALinear", read="ada-grading", slip=True)
class MergedWithBiasOnly(_InParts):
    """편향이 없으면 merge()가 멈춥니다. 그때 linear.bias는 None이고, 합친 것에도 편향이 없어야 합니다."""

    def move_bias(self, merged):
        merged.bias.copy_(self.linear.bias)


@wrong("LoRALinear", read="ada-grading", slip=True)
class MergedBiasShared(_InParts):
    """합친 것의 편향이 원래의 편향과 같은 텐서입니다. 하나를 고치면 둘 다 바뀝니다. 복사하십시오."""

    def move_bias(self, merged):
        merged.bias = self.linear.bias


@wrong("LoRALinear", read="ada-grading", slip=True)
class AlwaysSinglePrecision(_InParts):
    """A와 B가 언제나 float32입니다. 자료형과 장치는 linear.weight를 따릅니다."""

    def like(self, start):
        return start

    def new(self, x):
        return super().new(x.to(self.A)).to(x)


@wrong("LoRALinear", read="ada-grading", slip=True)
class MergedInSinglePrecision(_InParts):
    """합친 것이 언제나 float32입니다. 새 nn.Linear도 자료형과 장치가 linear.weight와 같아야 합니다."""

    def numbers(self, merged):
        return merged


# nearest_lora -----------------------------------------------------------------------------------------------


def _svd(change):
    """In a dtype that has a decomposition."""
    half = change.dtype in (torch.float16, torch.bfloat16)
    return torch.linalg.svd(change.float() if half else change, full_matrices=False)


def _room(weight, rank):
    if rank > min(weight.shape):
        raise ValueError("rank too large")


def _parts(change, rank, scale):
    """A and B of a change, the scale in B."""
    _room(change, rank)
    U, s, Vh = _svd(change)
    return (s[:rank, None] * Vh[:rank]).to(change.dtype), (U[:, :rank] * scale).to(change.dtype)


@wrong("nearest_lora", read="ada-lora")
def scale_forgotten(before, after, rank, alpha):
    """B A가 변화 그대로입니다. 어댑터는 여기에 alpha / r을 다시 곱합니다. 미리 r / alpha를 곱해 두십시오."""
    return _parts(after - before, rank, 1.0)


@wrong("nearest_lora", read="ada-lora")
def scale_multiplied(before, after, rank, alpha):
    """alpha / r을 곱했습니다. 어댑터가 또 곱하므로 변화가 그 제곱만큼 어긋납니다. 나누십시오."""
    return _parts(after - before, rank, alpha / rank)


@wrong("nearest_lora", read="ada-lora")
def scale_in_both(before, after, rank, alpha):
    """A와 B에 모두 r / alpha를 곱했습니다. 곱에는 한 번만 들어가야 합니다."""
    A, B = _parts(after - before, rank, rank / alpha)
    return A * (rank / alpha), B


@wrong("nearest_lora", read="ada-lora")
def rank_left_out_of_the_scale(before, after, rank, alpha):
    """alpha로만 나누었습니다. 어댑터가 곱하는 것은 alpha / r이므로 r도 곱해야 합니다."""
    return _parts(after - before, rank, 1 / alpha)


@wrong("nearest_lora", read="ada-merge")
def whole_weight_decomposed(before, after, rank, alpha):
    """after를 통째로 분해했습니다. 원래의 행렬은 어댑터 옆에 그대로 있으므로 움직인 것만 담습니다: after - before."""
    return _parts(after, rank, rank / alpha)


@wrong("nearest_lora", read="ada-merge")
def change_taken_backwards(before, after, rank, alpha):
    """before - after를 담았습니다. 합치면 움직인 쪽의 반대로 갑니다."""
    return _parts(before - after, rank, rank / alpha)


@wrong("nearest_lora", read="ada-narrow")
def singular_values_forgotten(before, after, rank, alpha):
    """특잇값을 곱하지 않았습니다. U와 V는 방향일 뿐이고, 얼마나 움직였는지는 특잇값에 있습니다."""
    _room(before, rank)
    U, _, Vh = _svd(after - before)
    return Vh[:rank].to(before.dtype), (U[:, :rank] * rank / alpha).to(before.dtype)


@wrong("nearest_lora", read="ada-narrow")
def singular_values_twice(before, after, rank, alpha):
    """특잇값을 A와 B에 모두 곱했습니다. 한쪽에만 곱하거나, 양쪽에 제곱근을 곱하십시오."""
    A, B = _parts(after - before, rank, rank / alpha)
    return A, B * _svd(after - before)[1][:rank].to(B.dtype)


@wrong("nearest_lora", read="ada-narrow")
def root_on_one_side(before, after, rank, alpha):
    """특잇값의 제곱근을 한쪽에만 곱했습니다. 양쪽에 곱해야 곱이 특잇값이 됩니다."""
    A, B = _parts(after - before, rank, rank / alpha)
    return A / _svd(after - before)[1][:rank, None].sqrt().to(A.dtype), B


@wrong("nearest_lora", read="ada-narrow")
def smallest_kept(before, after, rank, alpha):
    """작은 특잇값을 남겼습니다. 변화의 대부분은 큰 쪽에 있습니다. 앞에서부터 r개입니다."""
    _room(before, rank)
    U, s, Vh = _svd(after - before)
    A, B = s[-rank:, None] * Vh[-rank:], U[:, -rank:] * (rank / alpha)
    return A.to(before.dtype), B.to(before.dtype)


@wrong("nearest_lora", read="ada-narrow")
def columns_for_rows(before, after, rank, alpha):
    """V를 돌려놓지 않고 썼습니다. torch.linalg.svd의 셋째는 이미 옮겨진 것이므로, 오른쪽 방향은 그 행입니다."""
    _room(before, rank)
    U, s, Vh = torch.linalg.svd(after.float() - before.float())
    s = s[:rank, None]
    return (s * Vh[:, :rank].mT).to(before.dtype), (U[:, :rank] * rank / alpha).to(before.dtype)


@wrong("nearest_lora", read="ada-narrow")
def rows_of_the_change(before, after, rank, alpha):
    """변화의 앞 r개 행을 A로 삼고 B를 거기에 맞추었습니다. 랭크는 r이지만 가장 가까운 것은 아닙니다. 큰 특잇값의 방향을 남기십시오."""
    _room(before, rank)
    change = (after - before).double()
    A = change[:rank]
    B = torch.linalg.lstsq(A.mT, change.mT).solution.mT * rank / alpha
    return A.to(before.dtype), B.to(before.dtype)


@wrong("nearest_lora", read="ada-narrow")
def columns_of_the_change(before, after, rank, alpha):
    """변화의 앞 r개 열이 뻗는 방향만 남겼습니다(QR 분해). 랭크는 r이지만 가장 가까운 것은 아닙니다. 큰 특잇값의 방향을 남기십시오."""
    _room(before, rank)
    Q, R = torch.linalg.qr((after - before).double())
    return R[:rank].to(before.dtype), (Q[:, :rank] * rank / alpha).to(before.dtype)


@wrong("nearest_lora", read="ada-narrow")
def only_one_direction(before, after, rank, alpha):
    """가장 큰 방향 하나만 남겼습니다. 랭크가 r이므로 r개를 남깁니다."""
    A, B = _parts(after - before, rank, rank / alpha)
    first = (torch.arange(rank) == 0).to(A)
    return A * first[:, None], B


@wrong("nearest_lora", read="ada-lora")
def parts_swapped(before, after, rank, alpha):
    """A와 B의 차례가 바뀌었습니다. A (r, in)가 먼저입니다."""
    return _parts(after - before, rank, rank / alpha)[::-1]


@wrong("nearest_lora", read="ada-lora")
def parts_transposed(before, after, rank, alpha):
    """A와 B가 돌려져 있습니다. A는 (r, in), B는 (out, r)이어야 B A의 모양이 W와 같습니다."""
    A, B = _parts(after - before, rank, rank / alpha)
    return A.mT, B.mT


@wrong("nearest_lora", read="ada-narrow")
def all_directions_kept(before, after, rank, alpha):
    """특잇값을 r개로 자르지 않았습니다. 어댑터가 좁지 않고, 배우는 수가 줄지 않습니다."""
    _room(before, rank)
    return _parts(after - before, min(before.shape), rank / alpha)


@wrong("nearest_lora", read="ada-lora")
def change_returned(before, after, rank, alpha):
    """곱해 놓은 행렬 하나를 돌려주었습니다. A와 B 둘을 돌려주십시오."""
    A, B = _parts(after - before, rank, rank / alpha)
    return B @ A


@wrong("nearest_lora", read="ada-grading", slip=True)
def too_large_a_rank_accepted(before, after, rank, alpha):
    """min(out, in)보다 큰 랭크를 받아들였습니다. 조용히 잘리거나 0으로 채워집니다. ValueError를 내십시오."""
    return _parts(after - before, min(rank, *before.shape), rank / alpha)


@wrong("nearest_lora", read="ada-grading", slip=True)
def only_rows_counted(before, after, rank, alpha):
    """랭크를 한쪽 크기하고만 비교했습니다. 랭크는 out과 in 가운데 작은 것을 넘을 수 없습니다."""
    if rank > before.shape[0]:
        raise ValueError("rank too large")
    return _parts(after - before, min(rank, *before.shape), rank / alpha)


@wrong("nearest_lora", read="ada-grading", slip=True)
def refused_by_assertion(before, after, rank, alpha):
    """넘치는 랭크에서 ValueError가 아닌 오류를 냈습니다(assert). ValueError를 내십시오."""
    assert rank <= min(before.shape)
    return _parts(after - before, rank, rank / alpha)


@wrong("nearest_lora", read="ada-grading", slip=True)
def half_precision_decomposed(before, after, rank, alpha):
    """반정밀도에서 멈춥니다. float16과 bfloat16에는 특잇값 분해가 없으므로 float32로 바꾸어 분해하십시오."""
    _room(before, rank)
    U, s, Vh = torch.linalg.svd(after - before, full_matrices=False)
    return s[:rank, None] * Vh[:rank], U[:, :rank] * (rank / alpha)


@wrong("nearest_lora", read="ada-grading", slip=True)
def always_single_precision(before, after, rank, alpha):
    """결과가 언제나 float32입니다. 분해한 다음 입력의 자료형으로 되돌리십시오."""
    A, B = _parts(after - before, rank, rank / alpha)
    return A.float(), B.float()


@wrong("nearest_lora", read="ada-grading", slip=True)
def subtracted_in_place(before, after, rank, alpha):
    """받은 after를 제자리에서 바꾸었습니다(-=). 모델의 가중치가 움직인 것만 남습니다. 새 텐서를 만드십시오."""
    after -= before
    return _parts(after, rank, rank / alpha)


# sequence_log_prob ------------------------------------------------------------------------------------------


def _of_each(logits, labels):
    """Log probabilities (batch, n) of labels that stand where they are predicted; 0 where none counts."""
    losses = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="none")
    return -losses


@wrong("sequence_log_prob", read="ada-log-prob")
def not_shifted(logits, labels):
    """한 칸 밀지 않았습니다. 위치 t - 1의 로짓이 라벨 t를 맞힙니다. logits[:, :-1]과 labels[:, 1:]을 짝지으십시오."""
    return _of_each(logits, labels).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob")
def shifted_backwards(logits, labels):
    """반대로 밀었습니다. 로짓은 마지막을, 라벨은 처음을 버립니다."""
    return _of_each(logits[:, 1:], labels[:, :-1]).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob")
def mean_over_tokens(logits, labels):
    """토큰에 걸쳐 평균했습니다. 답 전체의 확률은 곱이므로 로그 확률은 합입니다."""
    counted = (labels[:, 1:] != -100).sum(dim=-1).clamp(min=1)
    return _of_each(logits[:, :-1], labels[:, 1:]).sum(dim=-1) / counted


@wrong("sequence_log_prob", read="ada-log-prob")
def loss_instead(logits, labels):
    """부호가 반대입니다. 손실은 로그 확률에 -1을 곱한 것입니다. 로그 확률은 0보다 크지 않습니다."""
    return -_of_each(logits[:, :-1], labels[:, 1:]).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob")
def sum_over_the_batch(logits, labels):
    """배치 전체를 더했습니다. 줄마다 하나씩, (batch,)를 돌려주십시오."""
    return _of_each(logits[:, :-1], labels[:, 1:]).sum()


@wrong("sequence_log_prob", read="ada-log-prob")
def logits_added(logits, labels):
    """softmax를 취하지 않고 로짓을 더했습니다. 로그 확률은 log_softmax입니다."""
    labels = labels[:, 1:]
    picked = logits[:, :-1].gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return (picked * (labels != -100)).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob")
def probabilities_added(logits, labels):
    """확률을 더했습니다. 로그를 취한 다음 더하십시오."""
    labels = labels[:, 1:]
    picked = logits[:, :-1].softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return (picked * (labels != -100)).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob")
def ignored_labels_counted(logits, labels):
    """-100인 라벨을 0번 토큰으로 세었습니다. 세지 않을 자리는 0을 곱하거나 빼십시오."""
    return _of_each(logits[:, :-1], labels[:, 1:].clamp(min=0)).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-grading")
def without_gradient(logits, labels):
    """기울기가 끊겼습니다(detach, no_grad). DPO에서는 이 로그 확률로 배웁니다."""
    return _of_each(logits[:, :-1], labels[:, 1:]).sum(dim=-1).detach()


@wrong("sequence_log_prob", read="ada-log-prob")
def mean_over_positions(logits, labels):
    """모든 위치로 나누어 평균했습니다. 답 전체의 확률은 곱이므로 로그 확률은 합입니다."""
    return _of_each(logits[:, :-1], labels[:, 1:]).mean(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob")
def loss_of_the_batch(logits, labels):
    """배치 전체의 손실 하나를 돌려주었습니다. 줄마다 하나씩, 부호가 반대인 로그 확률의 합입니다."""
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


@wrong("sequence_log_prob", read="ada-log-prob")
def mean_loss_of_each_row(logits, labels):
    """줄마다의 평균 손실을 돌려주었습니다. 로그 확률은 부호가 반대이고, 나누지 않고 더합니다."""
    return -mean_over_tokens(logits, labels)


@wrong("sequence_log_prob", read="ada-log-prob")
def mean_over_the_batch(logits, labels):
    """배치 전체의 평균 하나를 돌려주었습니다. 줄마다 하나씩, 나누지 않은 합을 돌려주십시오."""
    return -loss_of_the_batch(logits, labels)


@wrong("sequence_log_prob", read="ada-log-prob")
def summed_loss_of_the_batch(logits, labels):
    """배치 전체의 손실을 더했습니다. 줄마다 하나씩, 부호가 반대인 로그 확률의 합입니다."""
    return -sum_over_the_batch(logits, labels)


@wrong("sequence_log_prob", read="ada-log-prob")
def not_summed(logits, labels):
    """토큰마다의 로그 확률을 그대로 돌려주었습니다. 줄마다 더하십시오."""
    return _of_each(logits[:, :-1], labels[:, 1:])


@wrong("sequence_log_prob", read="ada-log-prob")
def summed_over_rows(logits, labels):
    """줄이 아니라 배치에 걸쳐 더했습니다. 줄마다 토큰에 걸쳐 더하십시오(마지막 축)."""
    return _of_each(logits[:, :-1], labels[:, 1:]).sum(dim=0)


@wrong("sequence_log_prob", read="ada-log-prob")
def first_label_counted(logits, labels):
    """첫 라벨까지 세었습니다. 위치 0의 라벨은 맞힐 로짓이 없습니다. 한 칸 밀 때 끝으로 돌아온 라벨은 버리십시오."""
    return _of_each(logits, labels.roll(-1, dims=1)).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob")
def mask_not_shifted(logits, labels):
    """세지 않을 자리를 라벨과 함께 밀지 않았습니다. 마스크도 labels[:, 1:]에서 만드십시오."""
    picked = _of_each(logits[:, :-1], labels[:, 1:].clamp(min=0))
    return (picked * (labels[:, :-1] != -100)).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob")
def ignored_gathered(logits, labels):
    """-100을 번호로 써서 로그 확률을 골랐습니다. 그런 번호는 없습니다. 먼저 있는 번호로 바꾸어 고르고, 그 자리는 세지 마십시오."""
    labels = labels[:, 1:]
    picked = logits[:, :-1].log_softmax(-1).gather(-1, labels[..., None])[..., 0]
    return picked.masked_fill(labels == -100, 0.0).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob")
def token_zero_skipped(logits, labels):
    """0번 토큰을 세지 않았습니다. 세지 않는 라벨은 -100뿐이고, 위치 0의 라벨은 토큰 0이 아니라 첫 자리의 라벨입니다."""
    return _of_each(logits[:, :-1], labels[:, 1:].masked_fill(labels[:, 1:] == 0, -100)).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob")
def softmax_over_positions(logits, labels):
    """소프트맥스를 위치의 축에 적용했습니다. 어휘의 축(마지막 축)에 적용하십시오."""
    labels = labels[:, 1:]
    picked = logits.log_softmax(1)[:, :-1].gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return (picked * (labels != -100)).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob")
def softmax_over_the_shorter(logits, labels):
    """소프트맥스를 위치의 축에 적용했습니다. 어휘의 축(마지막 축)에 적용하십시오."""
    labels = labels[:, 1:]
    picked = logits[:, :-1].log_softmax(1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return (picked * (labels != -100)).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob")
def probability_of_the_answer(logits, labels):
    """확률을 돌려주었습니다. 로그 확률의 합에서 멈추고 exp를 취하지 마십시오."""
    return _of_each(logits[:, :-1], labels[:, 1:]).sum(dim=-1).exp()


@wrong("sequence_log_prob", read="ada-grading")
def log_of_softmax(logits, labels):
    """softmax를 취한 다음 로그를 취했습니다. 로짓이 크면 확률이 0으로 내려앉습니다. log_softmax를 쓰십시오."""
    labels = labels[:, 1:]
    picked = logits[:, :-1].softmax(-1).log().gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return picked.masked_fill(labels == -100, 0.0).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-grading")
def exp_of_large_logits(logits, labels):
    """로짓에 그대로 exp를 취했습니다. 로짓이 1,000처럼 크면 넘칩니다. log_softmax를 쓰십시오."""
    labels = labels[:, 1:]
    log_probs = logits[:, :-1] - logits[:, :-1].exp().sum(dim=-1, keepdim=True).log()
    picked = log_probs.gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return picked.masked_fill(labels == -100, 0.0).sum(dim=-1)


@wrong("sequence_log_prob", read="ada-log-prob", slip=True)
def labels_changed(logits, labels):
    """받은 labels를 바꾸었습니다. 복사한 것을 고치십시오."""
    found = _of_each(logits[:, :-1], labels[:, 1:]).sum(dim=-1)
    labels[labels == -100] = 0
    return found


@wrong("sequence_log_prob", read="ada-log-prob", slip=True)
def numbers_of_its_own(logits, labels):
    """결과의 자료형이나 장치가 logits와 다릅니다. 안에서 만드는 텐서는 logits의 자료형과 장치를 따릅니다."""
    found = torch.zeros(len(logits))
    return found + _of_each(logits[:, :-1], labels[:, 1:]).sum(dim=-1).float()


# dpo_loss ---------------------------------------------------------------------------------------------------


def _of_margins(margins):
    return -F.logsigmoid(margins).mean(), (margins > 0).to(margins.dtype).mean()


def _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected):
    return policy_chosen - policy_rejected - (reference_chosen - reference_rejected).detach()


@wrong("dpo_loss", read="ada-reference")
def reference_forgotten(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """기준을 빼지 않았습니다. 배우는 모델이 동결한 모델보다 얼마나 더 좋아하게 되었는지를 비교합니다."""
    return _of_margins(beta * (policy_chosen - policy_rejected))


@wrong("dpo_loss", read="ada-reference")
def reference_of_the_other_answer(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """기준이 반대로 들어갔습니다. 고른 답에서는 고른 답의 기준을, 버린 답에서는 버린 답의 기준을 뺍니다."""
    chosen, rejected = (
        policy_chosen - reference_rejected.detach(),
        policy_rejected - reference_chosen.detach(),
    )
    return _of_margins(beta * (chosen - rejected))


@wrong("dpo_loss", read="ada-dpo")
def beta_forgotten(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """beta를 곱하지 않았습니다."""
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    return _of_margins(chosen - rejected)


@wrong("dpo_loss", read="ada-dpo")
def divided_by_beta(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """beta로 나누었습니다. 마진은 beta를 곱한 것입니다."""
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    return _of_margins((chosen - rejected) / beta)


@wrong("dpo_loss", read="ada-dpo")
def sides_swapped(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """마진의 부호가 반대입니다. 고른 답의 몫에서 버린 답의 몫을 빼고, 마진이 클수록 손실이 작아야 합니다."""
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    return _of_margins(beta * (rejected - chosen))


@wrong("dpo_loss", read="ada-dpo")
def summed_over_pairs(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """짝에 걸쳐 더했습니다. 손실은 평균입니다."""
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    margins = beta * (chosen - rejected)
    return -F.logsigmoid(margins).sum(), (margins > 0).to(margins.dtype).mean()


@wrong("dpo_loss", read="ada-dpo")
def mean_before_the_loss(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """마진을 먼저 평균했습니다. 짝마다 손실을 재고 평균하십시오."""
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    margins = beta * (chosen - rejected)
    return -F.logsigmoid(margins.mean()), (margins > 0).to(margins.dtype).mean()


@wrong("dpo_loss", read="ada-grading", slip=True)
def ties_are_right(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """마진이 0인 짝을 맞힌 것으로 세었습니다. 0보다 커야 합니다 (>= 대신 >)."""
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    margins = beta * (chosen - rejected)
    return -F.logsigmoid(margins).mean(), (margins >= 0).to(margins.dtype).mean()


@wrong("dpo_loss", read="ada-reference", slip=True)
def reference_learns(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """기준으로 기울기가 흐릅니다. 기준은 동결한 모델이므로 detach()로 끊으십시오."""
    return _of_margins(beta * ((policy_chosen - reference_chosen) - (policy_rejected - reference_rejected)))


@wrong("dpo_loss", read="ada-grading")
def log_of_sigmoid(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """sigmoid나 exp를 따로 취하고 로그를 취했습니다. 마진이 -1,000이면 0으로 내려앉거나 넘칩니다. F.logsigmoid를 쓰십시오."""
    chosen, rejected = (
        policy_chosen - reference_chosen.detach(),
        policy_rejected - reference_rejected.detach(),
    )
    margins = beta * (chosen - rejected)
    return -margins.sigmoid().log().mean(), (margins > 0).to(margins.dtype).mean()


@wrong("dpo_loss", read="ada-dpo")
def beta_on_the_policy_alone(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """beta를 기준에는 곱하지 않았습니다. 둘의 차이 전체에 곱합니다."""
    margins = beta * (policy_chosen - policy_rejected) - (reference_chosen - reference_rejected).detach()
    return _of_margins(margins)


@wrong("dpo_loss", read="ada-dpo")
def beta_on_the_reference_alone(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """beta를 기준에만 곱했습니다. 둘의 차이 전체에 곱합니다."""
    margins = policy_chosen - policy_rejected - beta * (reference_chosen - reference_rejected).detach()
    return _of_margins(margins)


@wrong("dpo_loss", read="ada-dpo")
def beta_outside(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """beta를 손실에 곱했습니다. 마진에 곱해 logsigmoid의 안에 들어가야 합니다."""
    loss, accuracy = _of_margins(
        _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)
    )
    return beta * loss, accuracy


@wrong("dpo_loss", read="ada-dpo")
def sign_of_the_loss(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """손실의 부호가 반대입니다. 로그에 -1을 곱해야 작게 할 것이 됩니다."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    loss, accuracy = _of_margins(margins)
    return -loss, accuracy


@wrong("dpo_loss", read="ada-dpo")
def margin_itself(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """logsigmoid를 취하지 않고 마진을 그대로 썼습니다. 손실은 -ln sigmoid(마진)의 평균입니다."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return -margins.mean(), _of_margins(margins)[1]


@wrong("dpo_loss", read="ada-dpo")
def log_forgotten(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """sigmoid의 로그를 취하지 않았습니다. 손실은 -ln sigmoid(마진)의 평균입니다."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return -margins.sigmoid().mean(), _of_margins(margins)[1]


@wrong("dpo_loss", read="ada-dpo")
def log_of_the_mean(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """확률을 먼저 평균하고 로그를 취했습니다. 짝마다 손실을 재고 평균하십시오."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return -margins.sigmoid().mean().log(), _of_margins(margins)[1]


@wrong("dpo_loss", read="ada-dpo")
def hinge(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """힌지 손실(1 - 마진)을 썼습니다. 손실은 -ln sigmoid(마진)의 평균입니다."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return F.relu(1 - margins).mean(), _of_margins(margins)[1]


@wrong("dpo_loss", read="ada-dpo")
def log_of_logs(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """로그 확률에 다시 로그를 취했습니다. 받은 것이 이미 로그입니다."""
    chosen = (policy_chosen / reference_chosen.detach()).log()
    rejected = (policy_rejected / reference_rejected.detach()).log()
    return _of_margins(beta * (chosen - rejected))


@wrong("dpo_loss", read="ada-dpo")
def logs_divided(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """로그 확률끼리 나누었습니다. 확률의 비의 로그는 로그 확률의 차입니다."""
    chosen, rejected = (
        policy_chosen / reference_chosen.detach(),
        policy_rejected / reference_rejected.detach(),
    )
    return _of_margins(beta * (chosen - rejected))


@wrong("dpo_loss", read="ada-dpo")
def not_averaged(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """짝마다의 손실을 그대로 돌려주었습니다. 평균해서 수 하나를 돌려주십시오."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return -F.logsigmoid(margins), _of_margins(margins)[1]


@wrong("dpo_loss", read="ada-reference")
def accuracy_of_the_policy_alone(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """정확도에서 기준을 빼지 않았습니다. 손실과 같은 마진이 0보다 큰 짝을 세십시오."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return _of_margins(margins)[0], (policy_chosen > policy_rejected).to(margins.dtype).mean()


@wrong("dpo_loss", read="ada-dpo", slip=True)
def pairs_counted(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """맞힌 짝의 수를 돌려주었습니다. 정확도는 짝의 수로 나눈 비율입니다."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return _of_margins(margins)[0], (margins > 0).to(margins.dtype).sum()


@wrong("dpo_loss", read="ada-dpo")
def accuracy_turned_around(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """정확도에서 마진이 0보다 작은 짝을 세었습니다. 0보다 큰 짝이 맞힌 것입니다."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return _of_margins(margins)[0], (margins < 0).to(margins.dtype).mean()


@wrong("dpo_loss", read="ada-dpo")
def accuracy_is_a_probability(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """정확도로 sigmoid(마진)의 평균을 돌려주었습니다. 마진이 0보다 큰 짝의 비율입니다."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return _of_margins(margins)[0], margins.sigmoid().mean()


@wrong("dpo_loss", read="ada-dpo")
def accuracy_is_the_margin(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """정확도로 마진의 평균을 돌려주었습니다. 마진이 0보다 큰 짝의 비율입니다."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return _of_margins(margins)[0], margins.mean()


@wrong("dpo_loss", read="ada-dpo")
def pairs_not_averaged(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """짝마다 맞혔는지를 그대로 돌려주었습니다. 정확도는 그 평균인 수 하나입니다."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return _of_margins(margins)[0], (margins > 0).to(margins.dtype)


@wrong("dpo_loss", read="ada-dpo")
def accuracy_forgotten(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """손실만 돌려주었습니다. 손실과 정확도, 둘을 돌려주십시오."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return _of_margins(margins)[0]


@wrong("dpo_loss", read="ada-reference", slip=True)
def policy_cut(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """배우는 모델로 기울기가 흐르지 않습니다(detach, no_grad). 기울기를 끊을 것은 기준뿐입니다."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)

    return _of_margins(margins.detach())


@wrong("dpo_loss", read="ada-grading")
def overflow_hidden(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta):
    """로그의 안에 작은 수를 더하거나 마진을 잘라 넘침을 가렸습니다. 그러면 마진이 -1,000일 때 손실이 작아지고 기울기가 0이 됩니다. F.logsigmoid를 쓰십시오."""
    margins = beta * _difference(policy_chosen, policy_rejected, reference_chosen, reference_rejected)
    return -(margins.sigmoid() + 1e-8).log().mean(), _of_margins(margins)[1]
