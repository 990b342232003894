"""Wrong answers that people give to the exercise `multi_head_attention`."""

import math

import torch
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# split_heads ------------------------------------------------------------------------------------------------


def _refuse_uneven(size, num_heads):
    if size % num_heads:
        raise ValueError("does not divide")


@wrong("split_heads", read="splitting-heads")
def view_without_transpose(x, num_heads):
    """모양만 맞추고 축을 옮기지 않았습니다. 한 헤드가 문장의 한 토막만 받습니다. 마지막 축을 (h, d_k)로 나눈 다음 헤드 축과 위치 축을 바꾸십시오."""
    _refuse_uneven(x.shape[-1], num_heads)
    return x.reshape(*x.shape[:-2], num_heads, x.shape[-2], -1)


@wrong("split_heads", read="splitting-heads")
def heads_behind_positions(x, num_heads):
    """헤드 축이 위치 축의 뒤에 있습니다. 어텐션은 뒤의 두 축으로 행렬을 곱하므로 헤드 축을 위치 축 앞으로 옮겨야 합니다."""
    _refuse_uneven(x.shape[-1], num_heads)
    return x.unflatten(-1, (num_heads, -1))


@wrong("split_heads", read="splitting-heads")
def features_interleaved(x, num_heads):
    """특징을 h칸씩 건너뛰며 나누었습니다. 헤드 하나는 이웃한 d_k개의 특징을 받습니다. (d_k, h)가 아니라 (h, d_k)로 나누십시오."""
    _refuse_uneven(x.shape[-1], num_heads)
    return x.unflatten(-1, (-1, num_heads)).movedim(-1, -3)


@wrong("split_heads", read="splitting-heads")
def number_taken_for_size(x, num_heads):
    """num_heads를 헤드의 크기로 썼습니다. num_heads는 헤드의 수이고 크기는 d / num_heads입니다."""
    _refuse_uneven(x.shape[-1], num_heads)
    return x.unflatten(-1, (-1, num_heads)).transpose(-3, -2)


@wrong("split_heads", read="axes-from-the-end")
def heads_before_batch(x, num_heads):
    """헤드 축을 맨 앞, 배치 축보다도 앞에 두었습니다. 위치 축 바로 앞이 헤드의 자리입니다."""
    _refuse_uneven(x.shape[-1], num_heads)
    return torch.stack(x.chunk(num_heads, dim=-1))


@wrong("split_heads", read="splitting-heads")
def positions_behind_features(x, num_heads):
    """헤드 안에서 위치와 특징의 축이 바뀌었습니다. 결과는 (..., h, n, d_k)입니다."""
    _refuse_uneven(x.shape[-1], num_heads)
    return x.unflatten(-1, (num_heads, -1)).movedim(-3, -1)


@wrong("split_heads", read="heads-divide", slip=True)
def drops_the_rest(x, num_heads):
    """나누어떨어지지 않는 크기를 받았을 때 남는 특징을 버렸습니다. 조용히 틀리는 대신 ValueError를 내십시오."""
    size = x.shape[-1] // num_heads
    return x[..., : num_heads * size].unflatten(-1, (num_heads, size)).transpose(-3, -2)


@wrong("split_heads", read="heads-divide", slip=True)
def leaves_the_error_to_torch(x, num_heads):
    """나누어떨어지는지 확인하지 않았습니다. PyTorch가 내는 RuntimeError 대신, 먼저 확인하고 ValueError를 내십시오."""
    return x.reshape(*x.shape[:-1], num_heads, x.shape[-1] // num_heads).transpose(-3, -2)


@wrong("split_heads", read="splitting-heads", slip=True)
def split_without_gradient(x, num_heads):
    """기울기를 끊었습니다(numpy, detach). 값은 맞지만 W_q, W_k, W_v가 학습되지 않습니다."""
    _refuse_uneven(x.shape[-1], num_heads)
    return x.detach().unflatten(-1, (num_heads, -1)).transpose(-3, -2)


@wrong("split_heads", read="splitting-heads")
def exactly_one_batch_axis(x, num_heads):
    """배치 축이 하나라고 정해 두었습니다. 배치가 없을 때도, 둘일 때도 맞도록 축을 뒤에서부터 세십시오."""
    _refuse_uneven(x.shape[-1], num_heads)
    batch, n = x.shape[0], x.shape[1]
    return x.reshape(batch, n, num_heads, -1).transpose(1, 2)


@wrong("split_heads", read="axes-from-the-end")
def no_batch_axis_when_splitting(x, num_heads):
    """배치 축이 없다고 보았습니다. 배치가 있으면 위치 축은 맨 앞이 아닙니다. 축을 뒤에서부터 세십시오."""
    _refuse_uneven(x.shape[-1], num_heads)
    return x.unflatten(-1, (num_heads, -1)).transpose(0, 1)


@wrong("split_heads", read="heads-divide", slip=True)
def split_refuses_by_assert(x, num_heads):
    """나누어떨어지지 않는 크기를 ValueError가 아닌 다른 오류로 거절했습니다. assert는 AssertionError를 냅니다. raise ValueError를 쓰십시오."""
    assert x.shape[-1] % num_heads == 0
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


@wrong("split_heads", read="splitting-heads", slip=True)
def split_into_float32(x, num_heads):
    """결과의 자료형이 입력과 다릅니다. 새 텐서를 만들어 채운다면 dtype=x.dtype으로 만드십시오."""
    _refuse_uneven(x.shape[-1], num_heads)
    return x.float().unflatten(-1, (num_heads, -1)).transpose(-3, -2)


# merge_heads ------------------------------------------------------------------------------------------------


@wrong("merge_heads", read="merging-heads")
def view_without_transposing_back(x):
    """헤드 축을 되돌리지 않고 모양만 바꾸었습니다. 서로 다른 위치의 결과가 한 벡터에 섞입니다. 먼저 transpose(-3, -2) 하십시오."""
    return x.reshape(*x.shape[:-3], x.shape[-2], -1)


@wrong("merge_heads", read="concatenating-heads")
def heads_averaged(x):
    """헤드를 평균 냈습니다. 헤드는 이어 붙입니다. 평균을 내면 어느 헤드가 찾은 것인지 구별할 수 없습니다."""
    return x.mean(dim=-3)


@wrong("merge_heads", read="concatenating-heads")
def heads_added(x):
    """헤드를 더했습니다. 헤드는 이어 붙이고, 섞는 일은 W_o가 합니다."""
    return x.sum(dim=-3)


@wrong("merge_heads", read="merging-heads")
def features_alternate(x):
    """헤드의 특징을 하나씩 번갈아 놓았습니다. 헤드 0의 d_k개가 먼저, 그다음에 헤드 1의 d_k개가 옵니다."""
    return x.movedim(-3, -1).flatten(-2)


@wrong("merge_heads", read="concatenating-heads")
def heads_along_positions(x):
    """헤드를 위치 축으로 이어 붙였습니다. 길이가 h배로 늘어납니다. 이어 붙일 축은 특징(마지막 축)입니다."""
    return x.flatten(-3, -2)


@wrong("merge_heads", read="axes-from-the-end")
def one_batch_axis_when_merging(x):
    """배치 축이 꼭 하나라고 보았습니다. 배치가 없을 때도, 둘일 때도 맞도록 축을 뒤에서부터 세십시오."""
    return x.transpose(1, 2).flatten(2)


@wrong("merge_heads", read="merging-heads", slip=True)
def merge_without_gradient(x):
    """기울기를 끊었습니다(numpy, detach). 값은 맞지만 헤드가 학습되지 않습니다."""
    return x.detach().transpose(-3, -2).flatten(-2)


@wrong("merge_heads", read="merging-heads")
def last_head_first(x):
    """헤드의 순서가 거꾸로입니다. 0번 헤드의 특징이 맨 앞에 옵니다."""
    return x.flip(-3).transpose(-3, -2).flatten(-2)


@wrong("merge_heads", read="axes-from-the-end")
def no_batch_axis_when_merging(x):
    """배치 축이 없다고 보았습니다. 배치가 있으면 맨 앞의 축은 헤드가 아닙니다. 축을 뒤에서부터 세십시오."""
    return torch.cat(list(x), dim=-1)


@wrong("merge_heads", read="merging-heads", slip=True)
def merged_in_place(x):
    """받은 텐서를 제자리에서 바꾸었습니다. 부른 쪽의 텐서까지 달라집니다. 이름이 _로 끝나지 않는 연산을 쓰십시오."""
    return x.transpose_(-3, -2).flatten(-2)


@wrong("merge_heads", read="axes-from-the-end", slip=True)
def squeezes_short_axes(x):
    """길이가 1인 축까지 없앴습니다(squeeze). 배치나 위치가 하나뿐이어도 그 축은 남아야 합니다."""
    return x.transpose(-3, -2).flatten(-2).squeeze()


@wrong("merge_heads", read="merging-heads")
def view_of_moved_axes(x):
    """축을 옮긴 텐서에 view를 썼습니다. 메모리에서 차례로 놓여 있지 않으면 view는 멈춥니다. reshape를 쓰십시오."""
    return x.transpose(-3, -2).view(*x.shape[:-3], x.shape[-2], -1)


@wrong("merge_heads", read="merging-heads", slip=True)
def merged_into_float32(x):
    """결과의 자료형이 입력과 다릅니다. 새 텐서를 만들어 채운다면 dtype=x.dtype으로 만드십시오."""
    return x.float().transpose(-3, -2).flatten(-2)


# MultiHeadAttention -----------------------------------------------------------------------------------------


@right_answer("MultiHeadAttention")
class _InParts(nn.Module):
    """The right answer in parts: each misconception below replaces one of them."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.check(d_model, num_heads)
        self.d_model, self.num_heads, self.d_k = d_model, num_heads, d_model // num_heads
        self.make_maps(d_model)

    def check(self, d_model, num_heads):
        _refuse_uneven(d_model, num_heads)

    def make_maps(self, d_model):
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        Q, K, V = map(self.split, self.project(query, key, value))
        scores = Q @ K.transpose(-2, -1) / self.scale()
        if mask is None:
            mask = torch.ones_like(scores, dtype=torch.bool)
        weights = self.weigh(scores, self.for_all_heads(mask, query))
        return self.silence(self.finish(weights @ V), weights), self.shown(weights)

    def project(self, query, key, value):
        return self.W_q(query), self.W_k(key), self.W_v(value)

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)

    def merge(self, x):
        return x.transpose(-3, -2).flatten(-2)

    def scale(self):
        return math.sqrt(self.d_k)

    def for_all_heads(self, mask, query):
        return mask.unsqueeze(-3) if mask.dim() == query.dim() else mask

    def weigh(self, scores, mask):
        blind = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~(mask | blind), float("-inf"))
        return self.softmax(scores).masked_fill(blind, 0.0)

    def softmax(self, scores):
        return scores.softmax(dim=-1)

    def finish(self, heads):
        return self.W_o(self.merge(heads))

    def silence(self, output, weights):
        """Nothing, not even the bias of W_o, where nothing is seen."""
        return output.masked_fill((weights == 0).all(-1).all(-2).unsqueeze(-1), 0.0)

    def shown(self, weights):
        return weights


@wrong("MultiHeadAttention", read="scale-of-a-head")
class ScaledByModelSize(_InParts):
    """sqrt(d_model)로 나누었습니다. 헤드마다 d_k개의 항을 더하므로 sqrt(d_k)로 나눕니다."""

    def scale(self):
        return math.sqrt(self.d_model)


@wrong("MultiHeadAttention", read="multi-head-formula")
class DropsWeights(_InParts):
    """드롭아웃을 넣었습니다. 부를 때마다 출력이 다릅니다. 이 문제의 층에는 드롭아웃이 없습니다."""

    def finish(self, heads):
        return super().finish(nn.functional.dropout(heads, 0.1))


@wrong("MultiHeadAttention", read="scale-of-a-head")
class NotScaled(_InParts):
    """점수를 sqrt(d_k)로 나누지 않았습니다. 점수가 커져 소프트맥스가 한 키에 몰립니다."""

    def scale(self):
        return 1.0


@wrong("MultiHeadAttention", read="scale-of-a-head")
class ScaledWithoutRoot(_InParts):
    """제곱근을 빠뜨리고 d_k로 나누었습니다. 점수의 표준편차가 sqrt(d_k)이므로 나눌 것도 sqrt(d_k)입니다."""

    def scale(self):
        return self.d_k


@wrong("MultiHeadAttention", read="softmax-over-keys")
class SoftmaxOverQueries(_InParts):
    """소프트맥스를 질의 축에 적용했습니다. 가중치는 키 축(마지막 축)에서 합이 1이어야 합니다."""

    def softmax(self, scores):
        return scores.softmax(dim=-2).nan_to_num(0.0)


@wrong("MultiHeadAttention", read="softmax-over-keys")
class SoftmaxOverHeads(_InParts):
    """소프트맥스를 헤드 축에 적용했습니다. 헤드끼리 가중치를 나누어 갖게 됩니다. dim=-1을 쓰십시오."""

    def softmax(self, scores):
        return scores.softmax(dim=-3).nan_to_num(0.0)


@wrong("MultiHeadAttention", read="splitting-heads")
class CutTheWrongWay(_InParts):
    """헤드를 잘못 잘랐습니다. 모양만 바꾸면 한 헤드가 문장의 한 토막만 봅니다. 잘라야 할 것은 특징입니다."""

    def split(self, x):
        return x.reshape(*x.shape[:-2], self.num_heads, x.shape[-2], -1)


@wrong("MultiHeadAttention", read="merging-heads")
class MergedWithoutTransposingBack(_InParts):
    """합치기 전에 헤드 축을 되돌리지 않았습니다. 서로 다른 위치의 결과가 한 벡터에 섞입니다."""

    def merge(self, x):
        return x.reshape(*x.shape[:-3], x.shape[-2], -1)


@wrong("MultiHeadAttention", read="output-projection")
class WithoutOutputMap(_InParts):
    """W_o를 곱하지 않았습니다. 이어 붙인 헤드들의 결과를 섞는 것은 W_o입니다."""

    def finish(self, heads):
        return self.merge(heads)


@wrong("MultiHeadAttention", read="concatenating-heads")
class HeadsAdded(_InParts):
    """헤드를 이어 붙이지 않고 더했습니다. W_o는 이어 붙인 d_model개의 특징을 받습니다."""

    def make_maps(self, d_model):
        super().make_maps(d_model)
        self.W_o = nn.Linear(self.d_k, d_model)

    def merge(self, x):
        return x.sum(dim=-3)


@wrong("MultiHeadAttention", read="projection-per-head")
class OneProjectionForAllHeads(_InParts):
    """모든 헤드가 같은 변환을 씁니다. 그러면 모든 헤드가 같은 것을 봅니다. 헤드마다 자기 W_q, W_k, W_v가 있어야 합니다."""

    def make_maps(self, d_model):
        self.W_q, self.W_k, self.W_v = (nn.Linear(d_model, self.d_k) for _ in range(3))
        self.W_o = nn.Linear(d_model, d_model)

    def split(self, x):
        return x.unsqueeze(-3).expand(*x.shape[:-2], self.num_heads, *x.shape[-2:])


@wrong("MultiHeadAttention", read="parameter-count")
class EveryHeadFullSize(_InParts):
    """헤드 하나가 d_model 크기를 다 씁니다. 파라미터가 h배로 늘어납니다. 헤드의 크기는 d_model / h입니다."""

    def make_maps(self, d_model):
        wide = self.num_heads * d_model
        self.W_q, self.W_k, self.W_v = (nn.Linear(d_model, wide) for _ in range(3))
        self.W_o = nn.Linear(wide, d_model)


@wrong("MultiHeadAttention", read="three-inputs")
class OnlyQueryUsed(_InParts):
    """질의 하나로 키와 값까지 만들었습니다. 인코더-디코더 어텐션에서는 키와 값이 다른 문장에서 옵니다."""

    def project(self, query, key, value):
        return self.W_q(query), self.W_k(query), self.W_v(query)

    def for_all_heads(self, mask, query):
        return torch.ones(query.shape[-2], query.shape[-2], dtype=torch.bool, device=query.device)


@wrong("MultiHeadAttention", read="three-inputs")
class ValuesFromKeys(_InParts):
    """값을 key에서 만들었습니다. W_v에 넣을 것은 value입니다."""

    def project(self, query, key, value):
        return self.W_q(query), self.W_k(key), self.W_v(key)


@wrong("MultiHeadAttention", read="head-mask-polarity")
class HidesTheVisible(_InParts):
    """마스크의 극성이 반대입니다. 이 책에서는 True가 '볼 수 있다'이고, nn.MultiheadAttention에서만 True가 '가린다'입니다."""

    def weigh(self, scores, mask):
        return scores if mask is None else super().weigh(scores, mask if mask.all() else ~mask)


@wrong("MultiHeadAttention", read="mask-over-heads", slip=True)
class MaskWithoutHeadAxis(_InParts):
    """(B, n_q, n_k) 마스크에 헤드 축을 끼우지 않았습니다. 오류가 나거나, B와 h가 같으면 조용히 엉뚱한 문장의 마스크를 씁니다."""

    def for_all_heads(self, mask, query):
        return mask


@wrong("MultiHeadAttention", read="head-mask-polarity")
class MaskIgnored(_InParts):
    """마스크를 쓰지 않았습니다. mask가 False인 자리의 가중치는 0이어야 합니다."""

    def weigh(self, scores, mask):
        return self.softmax(scores)


@wrong("MultiHeadAttention", read="head-mask-polarity")
class MaskedAfterSoftmax(_InParts):
    """소프트맥스를 한 다음에 가렸습니다. 남은 가중치의 합이 1보다 작아집니다. 소프트맥스 전에 -inf로 바꾸십시오."""

    def weigh(self, scores, mask):
        return self.softmax(scores).masked_fill(~mask, 0.0)


@wrong("MultiHeadAttention", read="masking#nothing-to-see", slip=True)
class NothingToSeeIsNaN(_InParts):
    """볼 것이 없는 질의가 NaN이 되었습니다. 모든 점수가 -inf이면 소프트맥스는 0/0입니다."""

    def weigh(self, scores, mask):
        return self.softmax(scores.masked_fill(~mask, float("-inf")))


@wrong("MultiHeadAttention", read="masking#nothing-to-see", slip=True)
class NothingToSeeIsUniform(_InParts):
    """-inf 대신 -1e9 같은 큰 음수를 썼습니다. 볼 것이 없는 질의가 모든 키를 고르게 봅니다."""

    def weigh(self, scores, mask):
        return self.softmax(scores.masked_fill(~mask, -1e9))


@wrong("MultiHeadAttention", read="weights-per-head")
class WeightsAveraged(_InParts):
    """가중치를 헤드에서 평균 냈습니다. 헤드마다의 가중치를 (..., h, n_q, n_k)로 돌려주십시오."""

    def shown(self, weights):
        return weights.mean(dim=-3)


@wrong("MultiHeadAttention", read="heads-divide", slip=True)
class UnevenAccepted(_InParts):
    """d_model이 헤드의 수로 나누어떨어지는지 확인하지 않았습니다. 모듈을 만들 때 ValueError를 내십시오."""

    def check(self, d_model, num_heads):
        pass


@wrong("MultiHeadAttention", read="axes-from-the-end", slip=True)
class OneBatchAxis(_InParts):
    """배치 축이 꼭 하나라고 보았습니다. 배치가 없거나 여럿인 입력에서 멈추거나 틀립니다. 축을 뒤에서부터 세십시오."""

    def split(self, x):
        batch, n, _ = x.shape
        return x.reshape(batch, n, self.num_heads, self.d_k).transpose(1, 2)


@wrong("MultiHeadAttention", read="masking#nothing-to-see", slip=True)
class OutputBiasWhereNothingIsSeen(_InParts):
    """볼 것이 없는 질의의 출력에 W_o의 편향이 남았습니다. 아무것도 보지 못했으면 출력도 0입니다."""

    def silence(self, output, weights):
        return output


@wrong("MultiHeadAttention", read="masking#nothing-to-see", slip=True)
class NaNCoveredUp(_InParts):
    """NaN을 나중에 0으로 덮었습니다. 값은 맞지만 역전파에서 NaN이 되살아납니다."""

    def weigh(self, scores, mask):
        hidden = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, float("-inf"))
        return self.softmax(scores + hidden).nan_to_num(0.0)


@wrong("MultiHeadAttention", read="masking#minus-infinity")
class ZeroBeforeSoftmax(_InParts):
    """가릴 점수를 -inf가 아니라 0으로 바꾸었습니다. exp(0)은 1이므로 가린 키도 가중치를 받습니다."""

    def weigh(self, scores, mask):
        return self.softmax(scores.masked_fill(~mask, 0.0))


@wrong("MultiHeadAttention", read="attention#saturation", slip=True)
class ExponentialsByHand(_InParts):
    """exp를 직접 썼습니다. 점수가 크면 inf/inf가 되어 NaN이 납니다. softmax는 가장 큰 점수를 먼저 뺍니다."""

    def weigh(self, scores, mask):
        powers = scores.exp() * mask
        total = powers.sum(-1, keepdim=True)
        return powers / total.masked_fill(total == 0, 1.0)


@wrong("MultiHeadAttention", read="scale-of-a-head")
class ScaledAfterSoftmax(_InParts):
    """소프트맥스를 한 다음에 나누었습니다. 가중치의 합이 1이 아닙니다. 소프트맥스 전의 점수를 나누십시오."""

    def scale(self):
        return 1.0

    def softmax(self, scores):
        return scores.softmax(dim=-1) / math.sqrt(self.d_k)


@wrong("MultiHeadAttention", read="three-inputs")
class MapsSwapped(_InParts):
    """질의와 키의 변환이 뒤바뀌었습니다. query에는 W_q, key에는 W_k를 씁니다."""

    def project(self, query, key, value):
        return self.W_k(query), self.W_q(key), self.W_v(value)


@wrong("MultiHeadAttention", read="three-inputs")
class ValuesNotMapped(_InParts):
    """값에 W_v를 곱하지 않았습니다. 더하는 것은 value가 아니라 W_v(value)입니다."""

    def project(self, query, key, value):
        return self.W_q(query), self.W_k(key), value


@wrong("MultiHeadAttention", read="splitting-heads")
class FeaturesInterleaved(_InParts):
    """특징을 h칸씩 건너뛰며 나누었습니다. 헤드 하나는 이웃한 d_k개의 특징을 받습니다."""

    def split(self, x):
        return x.unflatten(-1, (-1, self.num_heads)).movedim(-1, -3)

    def merge(self, x):
        return x.movedim(-3, -1).flatten(-2)


@wrong("MultiHeadAttention", read="multi-head-formula", slip=True)
class WithoutBiases(_InParts):
    """편향이 없는 선형 변환이 있습니다. 네 선형 변환에 모두 편향이 있어야 합니다 (bias=False를 지우십시오)."""

    def make_maps(self, d_model):
        maps = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))
        self.W_q, self.W_k, self.W_v, self.W_o = maps


@wrong("MultiHeadAttention", read="self_attention#what-learns", slip=True)
class DetachedWeights(_InParts):
    """가중치를 그래프에서 떼어 냈습니다(detach). W_q와 W_k가 학습되지 않습니다."""

    def softmax(self, scores):
        return scores.softmax(dim=-1).detach()


@wrong("MultiHeadAttention", read="weights-per-head")
class WeightsFirst(_InParts):
    """(가중치, 출력) 순서로 돌려주었습니다. 출력이 먼저, 가중치가 다음입니다."""

    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value, mask)[::-1]


@wrong("MultiHeadAttention", read="weights-per-head")
class OnlyTheOutput(_InParts):
    """출력만 돌려주었습니다. 출력과 함께 헤드마다의 가중치를 돌려줍니다."""

    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value, mask)[0]


@wrong("MultiHeadAttention", read="multi-head-formula")
class MapsUnderOtherNames(_InParts):
    """W_q, W_k, W_v 가운데 없는 것이 있습니다. 하나로 묶거나 다른 이름을 붙이지 말고, 셋을 저마다 nn.Linear로 만드십시오."""

    def make_maps(self, d_model):
        self.W_qkv, self.W_o = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)

    def project(self, query, key, value):
        pairs = zip(self.W_qkv.weight.chunk(3), (query, key, value), strict=True)
        return [x @ weight.T for weight, x in pairs]


@wrong("MultiHeadAttention", read="splitting-heads")
class OneHeadOnly(_InParts):
    """헤드로 나누지 않았습니다. 가중치가 한 벌뿐입니다. 헤드마다 d_k개의 특징으로 가중치를 따로 계산하십시오."""

    def split(self, x):
        return x

    def merge(self, x):
        return x

    def for_all_heads(self, mask, query):
        return mask

    def silence(self, output, weights):
        return output


@wrong("MultiHeadAttention", read="three-inputs")
class KeysAndValuesSwapped(_InParts):
    """key와 value가 뒤바뀌었습니다. 점수는 key로, 더할 값은 value로 만듭니다."""

    def project(self, query, key, value):
        return self.W_q(query), self.W_k(value), self.W_v(key)


@wrong("MultiHeadAttention", read="mask-over-heads", slip=True)
class HeadAxisAlwaysInserted(_InParts):
    """마스크에 언제나 축을 하나 끼웠습니다. (B, 1, n_q, n_k)와 (B, h, n_q, n_k)에는 헤드의 자리가 이미 있습니다."""

    def for_all_heads(self, mask, query):
        return mask if mask.all() else mask.unsqueeze(-3)


@wrong("MultiHeadAttention", read="mask-over-heads", slip=True)
class BatchTakenForHeads(_InParts):
    """(B, n_q, n_k) 마스크의 첫 축을 헤드로 읽었습니다. B와 h가 같더라도 첫 축은 배치입니다."""

    def for_all_heads(self, mask, query):
        of_sentences = mask.dim() == query.dim() and mask.shape[-3:-2] != (self.num_heads,)
        return mask.unsqueeze(-3) if of_sentences else mask


@wrong("MultiHeadAttention", read="axes-from-the-end", slip=True)
class MaskOfOneBatchAxis(_InParts):
    """배치 축이 둘이면 마스크를 잘못 읽습니다. 마스크의 축이 꼭 셋인지가 아니라 query와 축의 수가 같은지 보십시오."""

    def for_all_heads(self, mask, query):
        return mask.unsqueeze(1) if mask.dim() == 3 and not mask.all() else mask


@wrong("MultiHeadAttention", read="masking#nothing-to-see", slip=True)
class SilencedByOneHead(_InParts):
    """한 헤드만 볼 것이 없는데 출력 전체를 0으로 했습니다. 다른 헤드가 찾은 것은 남아야 합니다. 모든 헤드가 못 볼 때만 0입니다."""

    def silence(self, output, weights):
        return output.masked_fill((weights == 0).all(-1).any(-2).unsqueeze(-1), 0.0)


@wrong("MultiHeadAttention", read="heads-divide", slip=True)
class RefusesByAssert(_InParts):
    """나누어떨어지지 않는 크기를 ValueError가 아닌 다른 오류로 거절했습니다. assert는 AssertionError를 냅니다. raise ValueError를 쓰십시오."""

    def check(self, d_model, num_heads):
        assert d_model % num_heads == 0


@wrong("MultiHeadAttention", read="head-mask-polarity")
class MaskChangedInPlace(_InParts):
    """받은 마스크를 제자리에서 바꾸었습니다. 다음에 같은 마스크를 쓰면 결과가 달라집니다. 새 텐서를 만드십시오."""

    def for_all_heads(self, mask, query):
        kept = super().for_all_heads(mask.clone(), query)
        mask.logical_not_()
        return kept


# load_from_torch --------------------------------------------------------------------------------------------


@right_answer("load_from_torch")
def _load(mha, *, weights=None, biases=None, num_heads=None, like=None):
    """The right answer, except for what is given."""
    attention = _InParts(mha.embed_dim, num_heads or mha.num_heads)
    attention = attention.to(mha.in_proj_weight if like is None else like)
    if weights is None:
        weights = [*mha.in_proj_weight.chunk(3), mha.out_proj.weight]
    if biases is None:
        biases = _biases(mha)
    maps = [attention.W_q, attention.W_k, attention.W_v, attention.W_o]
    with torch.no_grad():
        for linear, weight, bias in zip(maps, weights, biases, strict=True):
            if weight is not None:
                linear.weight.copy_(weight)
            if bias is not None:
                linear.bias.copy_(bias)
    return attention


def _biases(mha):
    if mha.in_proj_bias is None:
        return torch.zeros(4, mha.embed_dim)
    return [*mha.in_proj_bias.chunk(3), mha.out_proj.bias]


@wrong("load_from_torch", read="in-proj")
def key_query_value(mha):
    """in_proj_weight의 순서가 다릅니다. 위에서부터 질의, 키, 값입니다. 지금은 키, 질의, 값으로 읽었습니다."""
    q, k, v = mha.in_proj_weight.chunk(3)
    q_bias, k_bias, v_bias, o_bias = _biases(mha)
    return _load(mha, weights=[k, q, v, mha.out_proj.weight], biases=[k_bias, q_bias, v_bias, o_bias])


@wrong("load_from_torch", read="in-proj")
def value_key_query(mha):
    """in_proj_weight의 순서가 다릅니다. 위에서부터 질의, 키, 값입니다. 지금은 값, 키, 질의로 읽었습니다."""
    q, k, v = mha.in_proj_weight.chunk(3)
    q_bias, k_bias, v_bias, o_bias = _biases(mha)
    return _load(mha, weights=[v, k, q, mha.out_proj.weight], biases=[v_bias, k_bias, q_bias, o_bias])


@wrong("load_from_torch", read="in-proj")
def three_per_head(mha):
    """in_proj_weight를 헤드마다 질의, 키, 값이 번갈아 있는 것으로 읽었습니다. 질의의 행이 모두 먼저 옵니다."""
    d_k = mha.embed_dim // mha.num_heads
    per_head = mha.in_proj_weight.unflatten(0, (mha.num_heads, 3, d_k))
    return _load(mha, weights=[*per_head.transpose(0, 1).flatten(1, 2), mha.out_proj.weight])


@wrong("load_from_torch", read="in-proj")
def transposed_weights(mha):
    """가중치를 전치했습니다. nn.Linear도 in_proj_weight도 (출력, 입력) 방향이므로 그대로 옮깁니다."""
    return _load(mha, weights=[part.T for part in (*mha.in_proj_weight.chunk(3), mha.out_proj.weight)])


@wrong("load_from_torch", read="in-proj-bias")
def input_biases_forgotten(mha):
    """in_proj_bias를 옮기지 않았습니다. 질의, 키, 값의 편향이 처음 만든 값 그대로 남아 있습니다."""
    return _load(mha, biases=[None, None, None, _biases(mha)[3]])


@wrong("load_from_torch", read="in-proj-bias")
def output_bias_forgotten(mha):
    """out_proj.bias를 옮기지 않았습니다. W_o에도 편향이 있습니다."""
    return _load(mha, biases=[*_biases(mha)[:3], None])


@wrong("load_from_torch", read="in-proj-bias")
def all_biases_forgotten(mha):
    """편향을 하나도 옮기지 않았습니다. in_proj_bias와 out_proj.bias를 빠뜨리면 출력이 달라집니다."""
    return _load(mha, biases=[None] * 4)


@wrong("load_from_torch", read="output-projection")
def output_map_forgotten(mha):
    """out_proj를 옮기지 않았습니다. W_o가 처음 만든 무작위 값 그대로입니다."""
    return _load(mha, weights=[*mha.in_proj_weight.chunk(3), None], biases=[*_biases(mha)[:3], None])


@wrong("load_from_torch", read="in-proj-bias", slip=True)
def needs_a_bias(mha):
    """bias=False로 만든 모듈에서 멈춥니다. 그때는 in_proj_bias도 out_proj.bias도 None이므로 편향을 0으로 두십시오."""
    return _load(mha, biases=[*mha.in_proj_bias.chunk(3), mha.out_proj.bias])


@wrong("load_from_torch", read="in-proj")
def one_head(mha):
    """헤드의 수를 옮기지 않았습니다. 가중치가 같아도 헤드의 수가 다르면 다른 계산입니다."""
    return _load(mha, num_heads=1)


@wrong("load_from_torch", read="copying-weights", slip=True)
def always_float32(mha):
    """자료형을 따르지 않았습니다. float64인 모듈에서 옮기면 새 모듈도 float64여야 합니다."""
    return _load(mha, like=mha.in_proj_weight.float())


@wrong("load_from_torch", read="copying-weights", slip=True)
def always_here(mha):
    """장치를 따르지 않았습니다. mha가 GPU에 있으면 새 모듈도 그 GPU에 있어야 합니다. .to(mha.in_proj_weight)를 쓰십시오."""
    return _load(mha, like=torch.empty(0, dtype=mha.in_proj_weight.dtype))


@wrong("load_from_torch", read="copying-weights", slip=True)
def shares_the_weights(mha):
    """가중치를 베끼지 않고 나누어 씁니다. mha를 학습시키면 새 모듈도 함께 바뀝니다. copy_나 clone으로 베끼십시오."""
    attention = _load(mha)
    maps = [attention.W_q, attention.W_k, attention.W_v, attention.W_o]
    for linear, weight in zip(maps, [*mha.in_proj_weight.chunk(3), mha.out_proj.weight], strict=True):
        linear.weight.data = weight.data
    return attention


@wrong("load_from_torch", read="in-proj")
def size_taken_for_number(mha):
    """헤드의 크기를 헤드의 수로 썼습니다. head_dim이 아니라 num_heads를 넘기십시오."""
    return _load(mha, num_heads=mha.head_dim)


@wrong("load_from_torch", read="in-proj-bias", slip=True)
def biases_left_random(mha):
    """mha에 편향이 없을 때 새 모듈의 편향을 처음 만든 무작위 값 그대로 두었습니다. 0으로 채우십시오."""
    return _load(mha, biases=[None] * 4 if mha.in_proj_bias is None else None)


@wrong("load_from_torch", read="copying-weights", slip=True)
def frozen_weights(mha):
    """새 모듈이 학습되지 않습니다. 가중치를 베끼더라도 requires_grad가 True인 nn.Parameter로 남아야 합니다."""
    return _load(mha).requires_grad_(False)
