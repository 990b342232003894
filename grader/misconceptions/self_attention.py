"""Wrong answers that people give to the exercise `self_attention`."""

import torch
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# basic_self_attention ---------------------------------------------------------------------------------------


@wrong("basic_self_attention", read="self-attention-scale")
def scaled(x):
    """점수를 sqrt(d) 같은 수로 나누거나 곱했습니다. 이 문제의 기본 셀프 어텐션은 내적을 그대로 씁니다."""
    weights = (x @ x.transpose(-2, -1) / x.shape[-1] ** 0.5).softmax(-1)
    return weights @ x, weights


@wrong("basic_self_attention", read="basic-self-attention")
def softmax_over_queries(x):
    """소프트맥스를 질의 축에 적용했습니다. 한 질의의 가중치(한 행)의 합이 1이어야 합니다."""
    weights = (x @ x.transpose(-2, -1)).softmax(-2)
    return weights @ x, weights


@wrong("basic_self_attention", read="attention#scores-are-not-weights")
def no_softmax(x):
    """소프트맥스를 쓰지 않고 점수를 그대로 가중치로 썼습니다. 가중치의 합이 1이 아닙니다."""
    scores = x @ x.transpose(-2, -1)
    return scores @ x, scores


@wrong("basic_self_attention", read="attention#scores-are-not-weights")
def divided_by_the_sum(x):
    """점수를 합으로 나누어 가중치를 만들었습니다. 음수 점수가 있으면 가중치가 음수가 됩니다. 소프트맥스를 쓰십시오."""
    scores = x @ x.transpose(-2, -1)
    weights = scores / scores.sum(-1, keepdim=True)
    return weights @ x, weights


@wrong("basic_self_attention", read="basic-self-attention")
def without_oneself(x):
    """자기 자신을 가렸습니다. 셀프 어텐션에서는 벡터가 자기 자신도 봅니다."""
    scores = x @ x.transpose(-2, -1)
    weights = scores.masked_fill(torch.eye(x.shape[-2], dtype=torch.bool), float("-inf")).softmax(-1)
    return weights @ x, weights


@wrong("basic_self_attention", read="attention#cosine")
def cosine_scores(x):
    """코사인 유사도를 점수로 썼습니다. 여기서는 벡터의 크기도 점수에 들어가는 내적을 씁니다."""
    unit = x / x.norm(dim=-1, keepdim=True)
    weights = (unit @ unit.transpose(-2, -1)).softmax(-1)
    return weights @ x, weights


@wrong("basic_self_attention", read="basic-self-attention")
def weights_first(x):
    """(가중치, 출력) 순서로 돌려주었습니다. 이 책에서는 언제나 (출력, 가중치)입니다."""
    weights = (x @ x.transpose(-2, -1)).softmax(-1)
    return weights, weights @ x


@wrong("basic_self_attention", read="attention#saturation", slip=True)
def exponentials_by_hand(x):
    """exp를 직접 썼습니다. 점수가 크면 inf/inf가 되어 NaN이 납니다. softmax는 가장 큰 점수를 먼저 뺍니다."""
    powers = (x @ x.transpose(-2, -1)).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ x, weights


@wrong("basic_self_attention", read="basic-self-attention")
def only_the_output(x):
    """출력만 돌려주었습니다. (출력, 가중치) 둘을 돌려줍니다."""
    return (x @ x.transpose(-2, -1)).softmax(-1) @ x


@wrong("basic_self_attention", read="basic-self-attention")
def plain_mean(x):
    """가중합 대신 평균을 냈습니다. 구해 놓은 가중치로 더해야 합니다."""
    weights = (x @ x.transpose(-2, -1)).softmax(-1)
    return x.mean(-2, keepdim=True).expand_as(x), weights


@wrong("basic_self_attention", read="basic-self-attention")
def only_the_past(x):
    """뒤에 오는 벡터를 가렸습니다. 여기서는 모든 벡터가 모든 벡터를 봅니다."""
    scores = x @ x.transpose(-2, -1)
    weights = scores.masked_fill(torch.ones_like(scores).triu(1) > 0, float("-inf")).softmax(-1)
    return weights @ x, weights


@wrong("basic_self_attention", read="basic-self-attention", slip=True)
def transposes_the_first_axes(x):
    """배치 축이 있으면 멈추거나 다른 축을 바꿉니다. x.T 대신 마지막 두 축을 바꾸십시오: x.transpose(-2, -1)."""
    weights = (x @ x.transpose(0, 1)).softmax(-1)
    return weights @ x, weights


@wrong("basic_self_attention", read="what-learns", slip=True)
def gradient_cut(x):
    """기울기를 끊었습니다(detach, no_grad, numpy). 값은 맞지만 이 층을 지나서는 아무것도 배우지 못합니다."""
    weights = (x @ x.transpose(-2, -1)).softmax(-1)
    return (weights @ x).detach(), weights.detach()


@wrong("basic_self_attention", read="basic-self-attention")
def weights_transposed(x):
    """가중치를 뒤집어 곱했습니다. i번째 출력은 i번째 행의 가중치로 더합니다: weights @ x."""
    weights = (x @ x.transpose(-2, -1)).softmax(-1)
    return weights.transpose(-2, -1) @ x, weights


@wrong("basic_self_attention", read="basic-self-attention")
def input_added(x):
    """입력을 더했습니다. 잔차 연결은 어텐션 밖의 일입니다. 여기서는 가중합만 냅니다."""
    weights = (x @ x.transpose(-2, -1)).softmax(-1)
    return weights @ x + x, weights


@right_answer("basic_self_attention")
def _ours(x):
    """A right answer, for those that spoil its input or its results."""
    weights = (x @ x.transpose(-2, -1)).softmax(-1)
    return weights @ x, weights


@wrong("basic_self_attention", read="basic-self-attention", slip=True)
def softmax_over_axis_one(x):
    """소프트맥스의 축을 앞에서부터 세었습니다. 배치 축이 붙으면 그 축은 키의 축이 아닙니다. 마지막 축(dim=-1)에 적용하십시오."""
    weights = (x @ x.transpose(-2, -1)).softmax(1)
    return weights @ x, weights


@wrong("basic_self_attention", read="basic-self-attention", slip=True)
def one_batch_axis_at_most(x):
    """배치 축이 둘 이상이면 틀립니다. 배치 축은 몇 개든 올 수 있고, 결과에도 그대로 남아야 합니다. 축을 뒤에서부터 세십시오."""
    return _ours(x.flatten(0, -3) if x.dim() > 3 else x)


@wrong("basic_self_attention", read="basic-self-attention")
def keeps_the_folded_batch(x):
    """하나로 접은 배치 축이 결과에 남았습니다. 배치 축이 없거나 여럿이면 모양이 달라집니다. 원래의 축으로 되돌리십시오."""
    flat = x.reshape(-1, *x.shape[-2:])
    weights = (flat @ flat.mT).softmax(-1)
    return weights @ flat, weights


@wrong("basic_self_attention", read="basic-self-attention")
def a_batch_axis_is_needed(x):
    """배치 축이 없으면 멈춥니다. 배치 축은 없을 수도, 여럿일 수도 있습니다. 축을 뒤에서부터 세고 @로 곱하십시오."""
    weights = torch.bmm(x, x.transpose(1, 2)).softmax(-1)
    return torch.bmm(weights, x), weights


@wrong("basic_self_attention", read="basic-self-attention", slip=True)
def squeezes_every_axis(x):
    """길이가 1인 축이 결과에서 사라졌습니다. squeeze는 길이가 1인 시퀀스나 배치의 축까지 없앱니다."""
    return tuple(part.squeeze() for part in _ours(x))


@wrong("basic_self_attention", read="basic-self-attention")
def returns_the_scores(x):
    """출력은 맞지만 가중치 대신 소프트맥스 전의 점수를 돌려주었습니다. 돌려줄 것은 합이 1인 가중치입니다."""
    return _ours(x)[0], x @ x.transpose(-2, -1)


@wrong("basic_self_attention", read="basic-self-attention")
def one_softmax_for_all(x):
    """모든 점수를 한꺼번에 소프트맥스했습니다. 가중치는 질의마다, 곧 행마다 합이 1이어야 합니다."""
    scores = x @ x.transpose(-2, -1)
    weights = scores.flatten(-2).softmax(-1).view_as(scores)
    return weights @ x, weights


@wrong("basic_self_attention", read="basic-self-attention")
def doubles_in_place(x):
    """받은 x를 제자리에서 바꾸었습니다. 부른 쪽의 텐서가 바뀝니다. 새 텐서를 만드십시오."""
    answer = _ours(x)
    x *= 2
    return answer


@wrong("basic_self_attention", read="basic-self-attention", slip=True)
def always_single_precision(x):
    """float32로 바꾸어 계산했습니다. 입력의 자료형으로 계산하십시오."""
    return _ours(x.float())


@wrong("basic_self_attention", read="what-learns", slip=True)
def gradient_cut_in_part(x):
    """기울기의 일부를 끊었습니다(detach). x는 질의이자 키이자 값이므로 기울기가 세 길로 모두 흘러야 합니다."""
    weights = (x @ x.transpose(-2, -1)).softmax(-1).detach()
    return weights @ x, weights


@wrong("basic_self_attention", read="basic-self-attention")
def features_for_vectors(x):
    """벡터끼리가 아니라 성분끼리 비교했습니다. 점수는 벡터마다 한 행인 n × n입니다. x @ x.transpose(-2, -1)의 차례로 곱하십시오."""
    weights = (x.transpose(-2, -1) @ x).softmax(-1)
    return x @ weights, weights


# SelfAttention ----------------------------------------------------------------------------------------------


@right_answer("SelfAttention")
class Layer(nn.Module):
    """The right layer, with the steps that a misconception gets wrong laid open."""

    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_v, bias=False)

    def scores(self, query, key, x):
        return query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5

    def weights(self, scores):
        return scores.softmax(-1)

    def forward(self, x):
        weights = self.weights(self.scores(self.W_q(x), self.W_k(x), x))
        return weights @ self.W_v(x), weights


@wrong("SelfAttention", read="three-roles")
class ProjectsTheOutput(Layer):
    """가중합에 행렬을 하나 더 곱했습니다. W_o는 여러 헤드를 합칠 때 나옵니다. 이 층의 출력은 값의 가중합 그대로입니다."""

    def __init__(self, d_model, d_k, d_v):
        super().__init__(d_model, d_k, d_v)
        self.W_o = nn.Linear(d_v, d_v, bias=False)

    def forward(self, x):
        output, weights = super().forward(x)
        return self.W_o(output), weights


@wrong("SelfAttention", read="self-attention-scale")
class NoScale(Layer):
    """점수를 sqrt(d_k)로 나누지 않았습니다."""

    def scores(self, query, key, x):
        return query @ key.transpose(-2, -1)


@wrong("SelfAttention", read="self-attention-scale")
class ScaledByModelSize(Layer):
    """sqrt(d_model)로 나누었습니다. 내적하는 벡터의 차원은 d_k이므로 sqrt(d_k)로 나눕니다."""

    def scores(self, query, key, x):
        return query @ key.transpose(-2, -1) / x.shape[-1] ** 0.5


@wrong("SelfAttention", read="self-attention-scale")
class ScaledWithoutRoot(Layer):
    """sqrt(d_k)가 아니라 d_k로 나누었습니다. 내적의 표준편차가 sqrt(d_k)입니다."""

    def scores(self, query, key, x):
        return query @ key.transpose(-2, -1) / query.shape[-1]


@wrong("SelfAttention", read="basic-self-attention")
class SoftmaxOverQueries(Layer):
    """소프트맥스를 질의 축에 적용했습니다. 마지막 축(키)에서 합이 1이어야 합니다."""

    def weights(self, scores):
        return scores.softmax(-2)


@wrong("SelfAttention", read="three-roles")
class QueryAndKeySwapped(Layer):
    """질의와 키의 자리를 바꾸었습니다. 행이 질의, 열이 키입니다."""

    def scores(self, query, key, x):
        return key @ query.transpose(-2, -1) / query.shape[-1] ** 0.5


@wrong("SelfAttention", read="three-roles")
class QueryFromKeyMap(Layer):
    """질의에도 키의 변환을 썼습니다. 질의와 키가 같은 변환을 쓰면 점수 행렬이 대칭이 됩니다."""

    def forward(self, x):
        weights = self.weights(self.scores(self.W_k(x), self.W_k(x), x))
        return weights @ self.W_v(x), weights


@wrong("SelfAttention", read="three-roles")
class ValuesOfKeySize(Layer):
    """W_v의 크기가 d_k입니다. 값의 크기는 d_v이고, d_k와 달라도 됩니다."""

    def __init__(self, d_model, d_k, d_v):
        super().__init__(d_model, d_k, d_k)


@wrong("SelfAttention", read="what-learns", slip=True)
class DetachedWeights(Layer):
    """가중치를 그래프에서 떼어 냈습니다(detach). W_q와 W_k가 학습되지 않습니다."""

    def weights(self, scores):
        return scores.softmax(-1).detach()


@wrong("SelfAttention", read="three-roles")
class ValuesNotMapped(Layer):
    """W_v를 쓰지 않고 x를 그대로 더했습니다. 더하는 것은 값 W_v(x)입니다."""

    def forward(self, x):
        weights = self.weights(self.scores(self.W_q(x), self.W_k(x), x))
        return weights @ x, weights


@wrong("SelfAttention", read="three-roles")
class SumsTheKeys(Layer):
    """값이 아니라 키나 질의를 더했습니다. 그 둘은 비교하는 데 쓰고, 더하는 것은 값 W_v(x)입니다."""

    def forward(self, x):
        weights = self.weights(self.scores(self.W_q(x), self.W_k(x), x))
        return weights @ self.W_k(x), weights


@wrong("SelfAttention", read="basic-self-attention")
class WeightsFirst(Layer):
    """(가중치, 출력) 순서로 돌려주었습니다. 이 책에서는 언제나 (출력, 가중치)입니다."""

    def forward(self, x):
        return super().forward(x)[::-1]


@wrong("SelfAttention", read="basic-self-attention")
class OnlyTheOutput(Layer):
    """출력만 돌려주었습니다. (출력, 가중치) 둘을 돌려줍니다."""

    def forward(self, x):
        return super().forward(x)[0]


@wrong("SelfAttention", read="basic-self-attention")
class NoSoftmax(Layer):
    """소프트맥스를 쓰지 않고 점수를 그대로 가중치로 썼습니다. 가중치의 합이 1이 아닙니다."""

    def weights(self, scores):
        return scores


@wrong("SelfAttention", read="self-attention-scale")
class ScaledAfterSoftmax(Layer):
    """소프트맥스를 한 다음에 나누었습니다. 가중치의 합이 1이 아닙니다. 소프트맥스 전의 점수를 나누십시오."""

    def scores(self, query, key, x):
        return query @ key.transpose(-2, -1)

    def weights(self, scores):
        return scores.softmax(-1) / self.W_k.out_features**0.5


@wrong("SelfAttention", read="self-attention-scale")
class ScaledByLength(Layer):
    """벡터의 수(길이)의 제곱근으로 나누었습니다. 나눌 것은 질의와 키의 마지막 축, d_k의 제곱근입니다."""

    def scores(self, query, key, x):
        return query @ key.transpose(-2, -1) / x.shape[-2] ** 0.5


@wrong("SelfAttention", read="self-attention-scale")
class ScaledByValueSize(Layer):
    """sqrt(d_v)로 나누었습니다. 점수는 질의와 키의 내적이므로 값의 크기와 상관이 없습니다."""

    def scores(self, query, key, x):
        return query @ key.transpose(-2, -1) / self.W_v.out_features**0.5


@wrong("SelfAttention", read="order-is-invisible")
class OnlyThePast(Layer):
    """뒤에 오는 벡터를 가렸습니다. 이 층에는 마스크가 없고, 모든 벡터가 모든 벡터를 봅니다."""

    def weights(self, scores):
        return scores.masked_fill(torch.ones_like(scores).triu(1) > 0, float("-inf")).softmax(-1)


@wrong("SelfAttention", read="three-roles")
class KeyFromQueryMap(Layer):
    """키를 W_q로 만들었습니다. W_k가 쓰이지 않습니다. 질의, 키, 값은 저마다의 행렬로 만듭니다."""

    def scores(self, query, key, x):
        return super().scores(query, query, x)


@wrong("SelfAttention", read="three-roles")
class OtherNames(Layer):
    """질의, 키, 값의 변환을 W_q, W_k, W_v에서 찾을 수 없습니다. 이 이름의 nn.Linear 셋을 따로 두십시오."""

    def __init__(self, d_model, d_k, d_v):
        super().__init__(d_model, d_k, d_v)
        self.query = nn.Linear(d_model, d_k)
        del self.W_q

    def forward(self, x):
        weights = self.weights(self.scores(self.query(x), self.W_k(x), x))
        return weights @ self.W_v(x), weights


@wrong("SelfAttention", read="self-attention-scale")
class MultipliedByTheRoot(Layer):
    """sqrt(d_k)를 곱했습니다. 점수가 더 커져서 소프트맥스가 키 하나에 몰립니다. 나누어야 합니다."""

    def scores(self, query, key, x):
        return query @ key.transpose(-2, -1) * query.shape[-1] ** 0.5


@wrong("SelfAttention", read="basic-self-attention")
class WithoutOneself(Layer):
    """자기 자신을 가렸습니다. 셀프 어텐션에서는 벡터가 자기 자신도 봅니다."""

    def weights(self, scores):
        oneself = torch.eye(scores.shape[-1], dtype=torch.bool)
        return scores.masked_fill(oneself, float("-inf")).softmax(-1)


@wrong("SelfAttention", read="basic-self-attention", slip=True)
class ReturnsTheScores(Layer):
    """출력은 맞지만 가중치 대신 소프트맥스 전의 점수를 돌려주었습니다. 돌려줄 것은 합이 1인 가중치입니다."""

    def forward(self, x):
        return super().forward(x)[0], self.scores(self.W_q(x), self.W_k(x), x)


@wrong("SelfAttention", read="three-roles", slip=True)
class TransposesTheFirstAxes(Layer):
    """배치 축이 있으면 멈추거나 다른 축을 바꿉니다. 키의 마지막 두 축을 바꾸십시오: transpose(-2, -1)."""

    def scores(self, query, key, x):
        return query @ key.transpose(0, 1) / query.shape[-1] ** 0.5


@wrong("SelfAttention", read="three-roles", slip=True)
class OneBatchAxisAtMost(Layer):
    """배치 축이 둘 이상이면 틀립니다. 배치 축은 몇 개든 올 수 있고, 결과에도 그대로 남아야 합니다. 축을 뒤에서부터 세십시오."""

    def forward(self, x):
        return super().forward(x.flatten(0, -3) if x.dim() > 3 else x)


@wrong("SelfAttention", read="three-roles")
class NeedsABatchAxis(Layer):
    """배치 축이 없으면 멈춥니다. 배치 축은 없을 수도, 여럿일 수도 있습니다. 축을 뒤에서부터 세고 @로 곱하십시오."""

    def scores(self, query, key, x):
        return torch.bmm(query, key.transpose(1, 2)) / query.shape[-1] ** 0.5


@wrong("SelfAttention", read="basic-self-attention", slip=True)
class SoftmaxOverAxisOne(Layer):
    """소프트맥스의 축을 앞에서부터 세었습니다. 배치 축이 더 붙으면 그 축은 키의 축이 아닙니다. 마지막 축(dim=-1)에 적용하십시오."""

    def weights(self, scores):
        return scores.softmax(1)


@wrong("SelfAttention", read="three-roles", slip=True)
class SqueezesEveryAxis(Layer):
    """길이가 1인 축이 결과에서 사라졌습니다. squeeze는 길이가 1인 시퀀스나 배치의 축까지 없앱니다."""

    def forward(self, x):
        return tuple(part.squeeze() for part in super().forward(x))


@wrong("SelfAttention", read="attention#saturation", slip=True)
class ExponentialsByHand(Layer):
    """exp를 직접 썼습니다. 점수가 크면 inf/inf가 되어 NaN이 납니다. softmax는 가장 큰 점수를 먼저 뺍니다."""

    def weights(self, scores):
        return scores.exp() / scores.exp().sum(-1, keepdim=True)


@wrong("SelfAttention", read="what-learns", slip=True)
class GradientCut(Layer):
    """기울기를 끊었습니다(detach, no_grad, numpy). 값은 맞지만 이 층은 아무것도 배우지 못합니다."""

    @torch.no_grad()
    def forward(self, x):
        return super().forward(x)


@wrong("SelfAttention", read="what-learns", slip=True)
class CutFromTheInput(Layer):
    """입력 x를 그래프에서 떼어 냈습니다. 이 층의 행렬은 배우지만 기울기가 그 앞의 층까지 흐르지 못합니다."""

    def forward(self, x):
        return super().forward(x.detach())


# costs ------------------------------------------------------------------------------------------------------


@wrong("attention_flops", read="attention-cost")
def scores_only(n, d):
    """점수의 곱셈만 셌습니다. 가중합에도 같은 수의 곱셈이 듭니다."""
    return n * n * d


@wrong("attention_flops", read="attention-cost")
def square_of_d(n, d):
    """n과 d의 자리를 바꾸었습니다. 어텐션의 비용은 길이의 제곱에 비례합니다."""
    return 2 * n * d * d


@wrong("attention_flops", read="attention-cost")
def additions_too(n, d):
    """덧셈까지 셌습니다. 이 문제에서는 곱셈만 셉니다."""
    return 4 * n * n * d


@wrong("attention_flops", read="attention-cost")
def number_of_scores(n, d):
    """점수의 수만 셌습니다. 점수 하나를 내는 데에도 곱셈이 d번 듭니다."""
    return n * n


@wrong("attention_flops", read="attention-cost")
def projections_too(n, d):
    """투영(W_q, W_k, W_v)의 곱셈까지 셌습니다. 여기서는 점수와 가중합만 셉니다."""
    return 2 * n * n * d + 3 * n * d * d


@wrong("attention_flops", read="attention-cost")
def sum_counted_over_features(n, d):
    """가중합을 n·d²으로 셌습니다. 출력의 수 n×d개가 저마다 곱셈 n번이므로 n²d입니다."""
    return n * n * d + n * d * d


@wrong("attention_flops", read="attention-cost")
def lower_triangle(n, d):
    """아래쪽 삼각형만 셌습니다. 여기에는 마스크가 없으므로 모든 벡터가 모든 벡터를 봅니다."""
    return n * (n + 1) * d


@wrong("attention_flops", read="attention-cost")
def scaling_too(n, d):
    """√d로 나누는 계산까지 셌습니다. 여기서는 점수와 가중합의 곱셈만 셉니다."""
    return 2 * n * n * d + n * n


@wrong("recurrent_flops", read="attention-cost")
def one_matrix(n, d):
    """행렬 하나만 셌습니다. 순환 층은 시간마다 입력과 상태에 행렬을 하나씩 곱합니다."""
    return n * d * d


@wrong("recurrent_flops", read="attention-cost")
def square_of_n(n, d):
    """어텐션의 비용을 썼습니다. 순환 층의 비용은 길이에 비례하고 차원의 제곱에 비례합니다."""
    return 2 * n * n * d


@wrong("recurrent_flops", read="attention-cost")
def one_step(n, d):
    """한 시간의 곱셈만 셌습니다. 그것을 n번 되풀이합니다."""
    return 2 * d * d


@wrong("recurrent_flops", read="attention-cost")
def four_gates(n, d):
    """LSTM의 게이트 네 개를 셌습니다. 여기서는 단순한 순환 층입니다."""
    return 8 * n * d * d


@wrong("recurrent_flops", read="attention-cost")
def recurrent_additions_too(n, d):
    """두 배입니다. 덧셈까지 셌거나, 입력과 상태를 이어 (2d)²으로 셌습니다. d×d 행렬 둘의 곱셈만 셉니다."""
    return 4 * n * d * d


@wrong("recurrent_flops", read="attention-cost")
def first_state_free(n, d):
    """첫 걸음의 상태가 0이라고 그 곱셈을 빼고 셌습니다. 층은 첫 걸음에도 곱합니다."""
    return n * d * d + (n - 1) * d * d


@wrong("recurrent_flops", read="attention-cost")
def vector_product(n, d):
    """행렬과 벡터의 곱을 d번으로 셌습니다. 나오는 수 d개가 저마다 곱셈 d번입니다."""
    return 2 * n * d


@wrong("crossover_length", read="crossover")
def squared(d):
    """차원의 제곱을 냈습니다. 2n²d = 2nd²의 양변을 2nd로 나누어 보십시오."""
    return d * d


@wrong("crossover_length", read="crossover")
def half(d):
    """차원의 절반을 냈습니다. 두 비용 모두 2가 붙으므로 2는 약분됩니다."""
    return d // 2


@wrong("crossover_length", read="crossover")
def double(d):
    """차원의 두 배를 냈습니다. 두 비용 모두 2가 붙으므로 2는 약분됩니다."""
    return 2 * d


@wrong("crossover_length", read="crossover")
def root(d):
    """제곱근을 냈습니다. 2n²d = 2nd²의 양변을 2nd로 나누어 보십시오."""
    return int(d**0.5)


@wrong("crossover_length", read="crossover")
def constant(d):
    """차원과 상관없는 값을 냈습니다. 만나는 길이는 d에 따라 달라집니다."""
    return 512


@wrong("crossover_length", read="attention-cost")
def one_before(d_model):
    """하나 작습니다. 묻는 것은 어텐션이 더 싼 마지막 길이가 아니라 두 비용이 같은 길이입니다."""
    return d_model - 1


@wrong("crossover_length", read="attention-cost")
def one_after(d_model):
    """하나 큽니다. 묻는 것은 어텐션이 더 비싼 첫 길이가 아니라 두 비용이 같은 길이입니다."""
    return d_model + 1


@wrong("attention_flops", read="attention-cost")
def each_pair_once(n, d):
    """점수가 대칭이라고 보고 쌍마다 한 번만 셌습니다. 질의와 키가 다르면 대칭이 아니므로 n×n개를 모두 셉니다."""
    return n * (n + 1) // 2 * d + n * n * d


@wrong("attention_flops", read="attention-cost")
def numbers_without_d(n, d):
    """점수와 가중치의 수만 셌습니다. 수 하나마다 곱셈이 d번 듭니다."""
    return 2 * n * n


@wrong("attention_flops", read="attention-cost")
def linear_in_n(n, d):
    """길이의 제곱을 빠뜨렸습니다. 벡터 하나가 아니라 n개가 저마다 n개를 봅니다."""
    return 2 * n * d


@wrong("recurrent_flops", read="attention-cost")
def output_matrix_too(n, d):
    """출력을 내는 행렬까지 셌습니다. 여기서는 입력과 상태에 곱하는 행렬 둘만 셉니다."""
    return 3 * n * d * d


@wrong("recurrent_flops", read="attention-cost")
def three_gates(n, d):
    """GRU의 게이트 세 개를 셌습니다. 여기서는 단순한 순환 층입니다."""
    return 6 * n * d * d


@wrong("recurrent_flops", read="attention-cost")
def bias_too(n, d):
    """편향이나 활성 함수까지 셌습니다. 여기서는 두 행렬을 곱하는 곱셈만 셉니다."""
    return 2 * n * d * d + n * d


@wrong("recurrent_flops", read="attention-cost")
def one_step_less(n, d):
    """걸음을 하나 덜 셌습니다. 벡터가 n개이면 걸음도 n번입니다."""
    return 2 * (n - 1) * d * d


@wrong("crossover_length", read="crossover")
def nothing_at_all(d):
    """0을 냈습니다. 길이 0에서는 둘 다 곱셈이 없어서 같을 뿐입니다. 0보다 큰 길이를 찾으십시오."""
    return 0
