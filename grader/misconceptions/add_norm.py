"""Wrong answers that people give to the exercise `add_norm`."""

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import right_answer, wrong


def _normalize(x, dims, eps):
    mean, variance = x.mean(dims, keepdim=True), x.var(dims, unbiased=False, keepdim=True)
    return (x - mean) / (variance + eps).sqrt()


# layer_norm -------------------------------------------------------------------------------------------------


@wrong("layer_norm", read="norm-epsilon", slip=True)
def epsilon_outside_the_root(x, weight, bias, eps=1e-5):
    """eps를 제곱근 밖에서 더했습니다. sqrt(분산 + eps)이지 sqrt(분산) + eps가 아닙니다."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) / (variance.sqrt() + eps) * weight + bias


@wrong("layer_norm", read="layer-norm")
def unbiased_variance(x, weight, bias, eps=1e-5):
    """분산을 d - 1로 나누었습니다. torch의 var와 std는 기본이 그렇습니다. unbiased=False로 d로 나누십시오."""
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt() * weight + bias


@wrong("layer_norm", read="layer-norm")
def divided_by_the_variance(x, weight, bias, eps=1e-5):
    """분산을 제곱근 없이 나누었습니다. 표준편차로 나누어야 분산이 1이 됩니다."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) / (variance + eps) * weight + bias


@wrong("layer_norm", read="which-axes")
def over_the_batch(x, weight, bias, eps=1e-5):
    """첫 축(배치)에서 평균과 분산을 냈습니다. 그것은 배치 정규화입니다. 마지막 축에서 내십시오."""
    mean, variance = x.mean(0, keepdim=True), x.var(0, unbiased=False, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * weight + bias


@wrong("layer_norm", read="which-axes")
def over_everything(x, weight, bias, eps=1e-5):
    """모든 축을 한데 모아 평균을 냈습니다. 벡터마다 따로, 마지막 축에서만 냅니다."""
    return (x - x.mean()) / (x.var(unbiased=False) + eps).sqrt() * weight + bias


@wrong("layer_norm", read="layer-norm")
def mean_not_subtracted(x, weight, bias, eps=1e-5):
    """평균을 빼지 않았습니다. 크기만 맞추면 RMSNorm입니다."""
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * weight + bias


@wrong("layer_norm", read="gain-and-shift")
def without_gain_and_shift(x, weight, bias, eps=1e-5):
    """weight와 bias를 쓰지 않았습니다. 정규화한 다음 weight를 곱하고 bias를 더합니다."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) / (variance + eps).sqrt()


@wrong("layer_norm", read="layer-norm", slip=True)
def statistics_detached(x, weight, bias, eps=1e-5):
    """평균과 분산을 그래프에서 떼어 냈습니다(detach). 값은 맞지만 기울기가 다릅니다. 평균과 분산도 x의 함수입니다."""
    mean, variance = x.mean(-1, keepdim=True).detach(), x.var(-1, unbiased=False, keepdim=True).detach()
    return (x - mean) / (variance + eps).sqrt() * weight + bias


@wrong("layer_norm", read="gain-and-shift")
def shift_before_gain(x, weight, bias, eps=1e-5):
    """bias를 먼저 더하고 weight를 곱했습니다. weight를 곱한 다음 bias를 더합니다."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return ((x - mean) / (variance + eps).sqrt() + bias) * weight


@wrong("layer_norm", read="gain-and-shift")
def without_shift(x, weight, bias, eps=1e-5):
    """bias를 더하지 않았습니다. weight를 곱한 다음 bias를 더합니다."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * weight


@wrong("layer_norm", read="norm-epsilon", slip=True)
def without_epsilon(x, weight, bias, eps=1e-5):
    """eps를 더하지 않았습니다. 모든 성분이 같으면 분산이 0이라 0으로 나누게 됩니다."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) / variance.sqrt() * weight + bias


@wrong("layer_norm", read="layer-norm", slip=True)
def centres_in_place(x, weight, bias, eps=1e-5):
    """받은 x를 제자리에서 바꾸었습니다 (x -= …). 부른 쪽의 텐서가 바뀝니다. 새 텐서를 만드십시오."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    x.data -= mean.data
    return x / (variance + eps).sqrt() * weight + bias


@wrong("layer_norm", read="layer-norm")
def only_centred(x, weight, bias, eps=1e-5):
    """평균만 빼고 나누지 않았습니다. sqrt(분산 + eps)로 나누어야 분산이 1이 됩니다."""
    return (x - x.mean(-1, keepdim=True)) * weight + bias


@wrong("layer_norm", read="which-axes")
def over_all_but_the_first(x, weight, bias, eps=1e-5):
    """첫 축만 남기고 나머지를 모두 모았습니다. 문장의 위치들이 섞입니다. 위치마다 따로, 마지막 축에서만 냅니다."""
    dims = [*range(1, x.dim())] or [0]
    return _normalize(x, dims, eps) * weight + bias


@wrong("layer_norm", read="norm-epsilon", slip=True)
def epsilon_written_in(x, weight, bias, eps=1e-5):
    """받은 eps를 쓰지 않고 1e-5를 적어 넣었습니다. 1e-5는 기본값일 뿐입니다."""
    return _normalize(x, [-1], 1e-5) * weight + bias


@wrong("layer_norm", read="norm-epsilon", slip=True)
def another_default(x, weight, bias, eps=1e-6):
    """eps의 기본값이 다릅니다. 주지 않으면 1e-5입니다."""
    return _normalize(x, [-1], eps) * weight + bias


@wrong("layer_norm", read="norm-epsilon", slip=True)
def deviation_squared(x, weight, bias, eps=1e-5):
    """모든 성분이 같으면 값이나 기울기가 NaN입니다. 표준편차를 제곱하지 말고, 제곱근보다 먼저 분산에 eps를 더하십시오."""
    deviation = x.var(-1, unbiased=False, keepdim=True).sqrt()
    return (x - x.mean(-1, keepdim=True)) / (deviation.square() + eps).sqrt() * weight + bias


@wrong("layer_norm", read="layer-norm", slip=True)
def variance_as_a_difference(x, weight, bias, eps=1e-5):
    """분산을 제곱의 평균에서 평균의 제곱을 빼서 구했습니다. 성분이 크면 두 수의 차이에 남는 자릿수가 없습니다. 평균을 뺀 다음 제곱하십시오."""
    mean = x.mean(-1, keepdim=True)
    variance = (x.square().mean(-1, keepdim=True) - mean.square()).clamp(min=0)
    return (x - mean) / (variance + eps).sqrt() * weight + bias


# normalize_over ---------------------------------------------------------------------------------------------


def _with_constant_statistics(x, dims, eps):
    mean, variance = x.mean(dims, keepdim=True), x.var(dims, unbiased=False, keepdim=True)
    return (x - mean.detach()) / (variance.detach() + eps).sqrt()


def _right(x, kind, groups, eps, normalize=_normalize):
    if kind == "batch":
        return normalize(x, [0, *range(2, x.dim())], eps)
    if kind == "layer":
        return normalize(x, [*range(1, x.dim())], eps)
    if kind == "instance":
        return normalize(x.reshape(*x.shape[:2], -1), [-1], eps).reshape(x.shape)
    if kind == "group" and groups and x.shape[1] % groups == 0:
        return normalize(x.reshape(x.shape[0], groups, -1), [-1], eps).reshape(x.shape)
    raise ValueError(kind)


@wrong("normalize_over", read="which-axes")
def batch_over_channels_too(x, kind, groups=None, eps=1e-5):
    """batch에서 채널까지 한데 모았습니다. 채널마다 따로, 표본과 위치만 모읍니다."""
    return _normalize(x, [*range(x.dim())], eps) if kind == "batch" else _right(x, kind, groups, eps)


@wrong("normalize_over", read="which-axes")
def batch_over_samples_only(x, kind, groups=None, eps=1e-5):
    """batch에서 표본만 모았습니다. 그 채널의 모든 위치도 함께 모읍니다."""
    return _normalize(x, [0], eps) if kind == "batch" else _right(x, kind, groups, eps)


@wrong("normalize_over", read="which-axes")
def layer_over_last_axis(x, kind, groups=None, eps=1e-5):
    """layer에서 마지막 축만 모았습니다. 여기서는 표본 하나의 모든 채널과 위치를 모읍니다."""
    return _normalize(x, [-1], eps) if kind == "layer" else _right(x, kind, groups, eps)


@wrong("normalize_over", read="which-axes")
def instance_over_channels(x, kind, groups=None, eps=1e-5):
    """instance에서 채널까지 모았습니다. 표본과 채널마다 따로, 위치만 모읍니다."""
    return _right(x, "layer" if kind == "instance" else kind, groups, eps)


@wrong("normalize_over", read="which-axes")
def interleaved_groups(x, kind, groups=None, eps=1e-5):
    """떨어진 채널끼리 묶었습니다. 한 묶음은 이웃한 C / groups개의 채널입니다."""
    if kind != "group" or not groups or x.shape[1] % groups:
        return _right(x, kind, groups, eps)
    strided = x.reshape(x.shape[0], -1, groups, *x.shape[2:])
    return _normalize(strided, [1, *range(3, strided.dim())], eps).reshape(x.shape)


@wrong("normalize_over", read="which-axes")
def groups_as_size(x, kind, groups=None, eps=1e-5):
    """groups를 묶음의 수가 아니라 한 묶음의 채널 수로 읽었습니다."""
    if kind == "group" and groups and x.shape[1] % groups == 0:
        groups = x.shape[1] // groups
    return _right(x, kind, groups, eps)


@wrong("normalize_over", read="which-axes")
def batch_and_layer_swapped(x, kind, groups=None, eps=1e-5):
    """batch와 layer의 축이 뒤바뀌었습니다. batch는 채널마다, layer는 표본마다 한 덩어리입니다."""
    return _right(x, {"batch": "layer", "layer": "batch"}.get(kind, kind), groups, eps)


@wrong("normalize_over", read="which-axes")
def layer_over_channels_only(x, kind, groups=None, eps=1e-5):
    """layer에서 채널만 모았습니다. 그 표본의 모든 위치도 함께 모읍니다."""
    return _normalize(x, [1], eps) if kind == "layer" else _right(x, kind, groups, eps)


@wrong("normalize_over", read="which-axes")
def instance_over_last_axis(x, kind, groups=None, eps=1e-5):
    """instance에서 마지막 축만 모았습니다. 위치의 축이 여럿이면 모두 모읍니다."""
    return _normalize(x, [-1], eps) if kind == "instance" else _right(x, kind, groups, eps)


@wrong("normalize_over", read="norm-epsilon", slip=True)
def epsilon_outside(x, kind, groups=None, eps=1e-5):
    """eps를 제곱근 밖에서 더했습니다. sqrt(분산 + eps)이지 sqrt(분산) + eps가 아닙니다."""
    right = _right(x, kind, groups, 0.0)
    scale = (_right(x, kind, groups, 1.0) / right).square()  # variance / (variance + 1)
    deviation = (scale / (1 - scale)).sqrt()
    return right * deviation / (deviation + eps)


@wrong("normalize_over", read="layer-norm", slip=True)
def constant_statistics(x, kind, groups=None, eps=1e-5):
    """통계를 그래프에서 떼어 냈습니다(detach). 값은 맞지만 기울기가 다릅니다. 평균과 분산도 x의 함수입니다."""
    return _right(x, kind, groups, eps, _with_constant_statistics)


@wrong("normalize_over", read="which-axes", slip=True)
def unknown_kind_passes(x, kind, groups=None, eps=1e-5):
    """모르는 kind를 그대로 지나가게 했습니다. 조용히 틀리는 대신 ValueError를 내십시오."""
    return x if kind == "unknown" else _right(x, kind, groups, eps)


@wrong("normalize_over", read="which-axes", slip=True)
def groups_not_checked(x, kind, groups=None, eps=1e-5):
    """groups가 없거나 채널을 나누지 못할 때 ValueError를 내지 않았습니다. PyTorch가 내는 오류 대신, 먼저 확인하십시오."""
    if kind == "group":
        groups = x.shape[1] // groups
        return _normalize(
            x.reshape(x.shape[0], -1, groups, *x.shape[2:]), [*range(2, x.dim() + 1)], eps
        ).reshape(x.shape)
    return _right(x, kind, groups, eps)


@wrong("normalize_over", read="layer-norm")
def sample_variance(x, kind, groups=None, eps=1e-5):
    """분산을 n - 1로 나누었습니다(torch.var의 기본값). 정규화에서는 n으로 나눕니다: correction=0."""

    def normalize(x, dims, eps):
        return (x - x.mean(dims, keepdim=True)) / (x.var(dims, keepdim=True) + eps).sqrt()

    return _right(x, kind, groups, eps, normalize)


@wrong("normalize_over", read="which-axes")
def layer_and_instance_exchanged(x, kind, groups=None, eps=1e-5):
    """layer와 instance를 바꾸었습니다. layer는 표본 하나의 모든 채널을, instance는 채널 하나만 모읍니다."""
    return _right(x, {"layer": "instance", "instance": "layer"}.get(kind, kind), groups, eps)


@wrong("normalize_over", read="which-axes", slip=True)
def one_group_when_not_told(x, kind, groups=None, eps=1e-5):
    """group인데 groups가 없으면 ValueError여야 합니다. 말없이 한 묶음으로 보면 layer와 같아집니다."""
    return _right(x, kind, groups or 1, eps)


@wrong("normalize_over", read="which-axes", slip=True)
def uneven_groups_pass(x, kind, groups=None, eps=1e-5):
    """groups가 채널을 나누지 못하는데 지나갔거나 다른 오류가 났습니다. 묶음의 크기가 같지 않으면 ValueError를 내십시오."""
    if kind != "group" or not groups:
        return _right(x, kind, groups, eps)
    parts = x.reshape(*x.shape[:2], -1).chunk(groups, dim=1)
    return torch.cat([_normalize(part, [1, 2], eps) for part in parts], dim=1).reshape(x.shape)


@wrong("normalize_over", read="layer-norm", slip=True)
def images_in_place(x, kind, groups=None, eps=1e-5):
    """받은 x를 제자리에서 바꾸었습니다. 부른 쪽의 텐서가 바뀝니다. 새 텐서를 만드십시오."""
    normalized = _right(x, kind, groups, eps)
    x.data.copy_(normalized)
    return normalized


# PositionwiseFeedForward ------------------------------------------------------------------------------------


@right_answer("PositionwiseFeedForward")
class _FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(self.linear1(x).relu())


@wrong("PositionwiseFeedForward", read="feed-forward")
class NoActivation(_FeedForward):
    """활성화 함수가 없습니다. 선형 변환 둘을 이으면 선형 변환 하나와 같습니다."""

    def forward(self, x):
        return self.linear2(self.linear1(x))


@wrong("PositionwiseFeedForward", read="feed-forward")
class ReluAtTheEnd(_FeedForward):
    """끝에도 ReLU를 걸었습니다. 출력이 음수가 될 수 없어 잔차 연결에 더할 수만 있고 뺄 수 없습니다."""

    def forward(self, x):
        return super().forward(x).relu()


@wrong("PositionwiseFeedForward", read="feed-forward")
class GeluInstead(_FeedForward):
    """GELU를 썼습니다. 이 문제는 원래 논문처럼 ReLU를 씁니다."""

    def forward(self, x):
        return self.linear2(F.gelu(self.linear1(x)))


@wrong("PositionwiseFeedForward", read="residual")
class ResidualInside(_FeedForward):
    """잔차 연결을 안에 넣었습니다. 그것은 바깥에서 감싸는 껍데기의 일입니다."""

    def forward(self, x):
        return x + super().forward(x)


@wrong("PositionwiseFeedForward", read="feed-forward")
class FixedInnerSize(_FeedForward):
    """안쪽 차원을 d_ff가 아니라 4·d_model로 고정했습니다. d_ff를 쓰십시오."""

    def __init__(self, d_model, d_ff):
        super().__init__(d_model, 4 * d_model)


@wrong("PositionwiseFeedForward", read="feed-forward")
class MixesPositions(_FeedForward):
    """위치끼리 섞였습니다. 피드포워드는 위치마다 따로 계산합니다."""

    def forward(self, x):
        return super().forward(x.mean(-2, keepdim=True).expand_as(x) if x.dim() > 1 else x)


@wrong("PositionwiseFeedForward", read="feed-forward")
class WithDropout(_FeedForward):
    """드롭아웃을 넣었습니다. 이 문제에는 드롭아웃이 없습니다. 그것은 바깥에서 감싸는 껍데기의 일입니다."""

    def forward(self, x):
        return self.linear2(F.dropout(self.linear1(x).relu(), 0.1, self.training))


@wrong("PositionwiseFeedForward", read="feed-forward")
class ReluFirst(_FeedForward):
    """ReLU를 선형 변환보다 먼저 걸었습니다. linear1, ReLU, linear2의 차례입니다."""

    def forward(self, x):
        return self.linear2(self.linear1(x.relu()))


@wrong("PositionwiseFeedForward", read="feed-forward")
class NormInside(_FeedForward):
    """층 정규화를 안에 넣었습니다. 그것은 바깥에서 감싸는 껍데기의 일입니다."""

    def forward(self, x):
        out = super().forward(x)
        return F.layer_norm(out, out.shape[-1:])


@wrong("PositionwiseFeedForward", read="feed-forward")
class SizesSwapped(_FeedForward):
    """linear1과 linear2의 크기가 뒤바뀌었습니다. linear1이 d_model에서 d_ff로 넓히고 linear2가 되돌립니다."""

    def __init__(self, d_model, d_ff):
        super().__init__(d_ff, d_model)


@wrong("PositionwiseFeedForward", read="feed-forward", slip=True)
class KeepsPositionsFlat(_FeedForward):
    """앞의 축들을 한 축으로 펴고 되돌리지 않았습니다. 결과의 모양은 x와 같아야 합니다. nn.Linear는 앞에 축이 몇 개든 받습니다."""

    def forward(self, x):
        return super().forward(x.reshape(-1, x.shape[-1]))


# SublayerConnection -----------------------------------------------------------------------------------------


@right_answer("SublayerConnection")
class _Connection(nn.Module):
    def __init__(self, d_model, dropout, norm_first):
        super().__init__()
        self.norm, self.dropout, self.norm_first = nn.LayerNorm(d_model), nn.Dropout(dropout), norm_first

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))


@wrong("SublayerConnection", read="pre-norm")
class AlwaysPostNorm(_Connection):
    """norm_first를 보지 않고 언제나 더한 다음 정규화했습니다."""

    def forward(self, x, sublayer):
        return self.norm(x + self.dropout(sublayer(x)))


@wrong("SublayerConnection", read="pre-norm")
class OrdersSwapped(_Connection):
    """norm_first의 뜻이 반대입니다. True이면 부분층보다 먼저 정규화합니다."""

    def __init__(self, d_model, dropout, norm_first):
        super().__init__(d_model, dropout, not norm_first)


@wrong("SublayerConnection", read="pre-norm")
class NormalizedShortcut(_Connection):
    """지름길의 x까지 정규화했습니다. norm_first에서 지름길은 x 그대로여야 합니다."""

    def forward(self, x, sublayer):
        if not self.norm_first:
            return super().forward(x, sublayer)
        x = self.norm(x)
        return x + self.dropout(sublayer(x))


@wrong("SublayerConnection", read="residual")
class NoResidual(_Connection):
    """잔차 연결을 빠뜨렸습니다. 부분층의 출력에 x를 더하십시오."""

    def forward(self, x, sublayer):
        return (
            self.dropout(sublayer(self.norm(x))) if self.norm_first else self.norm(self.dropout(sublayer(x)))
        )


@wrong("SublayerConnection", read="post-norm")
class NormalizesOnlyTheSublayer(_Connection):
    """더하기 전에 부분층의 출력만 정규화했습니다. norm_first=False이면 더한 것을 정규화합니다."""

    def forward(self, x, sublayer):
        return super().forward(x, sublayer) if self.norm_first else x + self.norm(self.dropout(sublayer(x)))


@wrong("SublayerConnection", read="sublayer-dropout", slip=True)
class DropsTheShortcut(_Connection):
    """드롭아웃을 지름길까지 걸었습니다. 부분층의 출력에만 거십시오."""

    def forward(self, x, sublayer):
        if self.norm_first:
            return self.dropout(x + sublayer(self.norm(x)))
        return self.norm(self.dropout(x + sublayer(x)))


@wrong("SublayerConnection", read="sublayer-dropout", slip=True)
class NoDropout(_Connection):
    """드롭아웃이 없습니다. 부분층의 출력에 거십시오."""

    def __init__(self, d_model, dropout, norm_first):
        super().__init__(d_model, 0.0, norm_first)


@wrong("SublayerConnection", read="residual")
class OnlyTheNorm(_Connection):
    """부분층을 부르지 않고 정규화한 x만 돌려주었습니다. sublayer(…)의 결과를 x에 더해야 합니다."""

    def forward(self, x, sublayer):
        return self.norm(x)


@wrong("SublayerConnection", read="post-norm")
class NoNorm(_Connection):
    """정규화하지 않았습니다. norm_first에 따라 부분층 앞이나 더한 다음에 norm을 지나야 합니다."""

    def forward(self, x, sublayer):
        return x + self.dropout(sublayer(x))


@wrong("SublayerConnection", read="post-norm")
class AlwaysPreNorm(_Connection):
    """norm_first를 보지 않고 언제나 먼저 정규화했습니다."""

    def forward(self, x, sublayer):
        return x + self.dropout(sublayer(self.norm(x)))


@wrong("SublayerConnection", read="pre-norm")
class NormalizesTwice(_Connection):
    """norm_first인데 더한 다음에 또 정규화했습니다. 정규화는 한 번, 부분층 앞에서만 합니다."""

    def forward(self, x, sublayer):
        out = super().forward(x, sublayer)
        return self.norm(out) if self.norm_first else out


@wrong("SublayerConnection", read="pre-norm")
class NormalizesTheOutputFirst(_Connection):
    """norm_first에서 부분층의 입력이 아니라 출력을 정규화했습니다. x + 부분층(norm(x))입니다."""

    def forward(self, x, sublayer):
        return x + self.dropout(self.norm(sublayer(x))) if self.norm_first else super().forward(x, sublayer)


@wrong("SublayerConnection", read="sublayer-dropout")
class DropsInEvaluation(_Connection):
    """평가할 때도 드롭아웃이 걸립니다. nn.Dropout을 쓰거나 F.dropout에 training=self.training을 넘기십시오."""

    def forward(self, x, sublayer):
        drop = lambda y: F.dropout(y, self.dropout.p)  # noqa: E731
        if self.norm_first:
            return x + drop(sublayer(self.norm(x)))
        return self.norm(x + drop(sublayer(x)))


@wrong("SublayerConnection", read="sublayer-dropout", slip=True)
class DropsTheInput(_Connection):
    """드롭아웃을 부분층의 입력에 걸었습니다. 부분층의 출력에 거십시오."""

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + sublayer(self.dropout(self.norm(x)))
        return self.norm(x + sublayer(self.dropout(x)))


@wrong("SublayerConnection", read="residual", slip=True)
class DetachedShortcut(_Connection):
    """지름길의 x를 떼어 냈습니다(detach). 지름길로 기울기가 흐르는 것이 잔차 연결의 뜻입니다."""

    def forward(self, x, sublayer):
        if self.norm_first:
            return x.detach() + self.dropout(sublayer(self.norm(x)))
        return self.norm(x.detach() + self.dropout(sublayer(x)))


@wrong("SublayerConnection", read="residual")
class AddsInPlace(_Connection):
    """받은 x를 제자리에서 바꾸었습니다 (x += …). 부른 쪽의 텐서가 바뀝니다. x = x + …로 쓰십시오."""

    def forward(self, x, sublayer):
        if self.norm_first:
            x += self.dropout(sublayer(self.norm(x)))
            return x
        x += self.dropout(sublayer(x))
        return self.norm(x)


@wrong("SublayerConnection", read="residual")
class NoResidualInPostNorm(_Connection):
    """post-norm에서 입력을 더하지 않았습니다. 어느 순서에서든 x + dropout(sublayer(...))입니다."""

    def forward(self, x, sublayer):
        return super().forward(x, sublayer) if self.norm_first else self.norm(self.dropout(sublayer(x)))


@wrong("SublayerConnection", read="sublayer-dropout", slip=True)
class DropsInOneOrder(_Connection):
    """두 순서 가운데 하나에만 드롭아웃이 있습니다. 어느 순서에서든 부분층의 출력에 거십시오."""

    def forward(self, x, sublayer):
        return x + sublayer(self.norm(x)) if self.norm_first else super().forward(x, sublayer)


@wrong("SublayerConnection", read="sublayer-dropout", slip=True)
class FixedDropout(_Connection):
    """dropout이 0인데도 학습할 때 출력의 일부가 사라집니다. 비율을 적어 넣지 말고 받은 dropout을 쓰십시오."""

    def __init__(self, d_model, dropout, norm_first):
        super().__init__(d_model, 0.1, norm_first)


@wrong("SublayerConnection", read="residual", slip=True)
class DetachedSublayer(_Connection):
    """부분층의 출력에서 기울기가 끊겼습니다. 부분층도, 그 앞의 norm도 배우지 못합니다."""

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)).detach())
        return self.norm(x + self.dropout(sublayer(x).detach()))
