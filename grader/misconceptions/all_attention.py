"""Wrong answers that people give to the exercise `all_attention`."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# feed_forward_as_attention ----------------------------------------------------------------------------------


@wrong("feed_forward_as_attention", read="ffn-as-attention")
def first_bias_forgotten(x, W1, b1, W2, b2):
    """b1을 빠뜨렸습니다. ReLU를 지나기 전의 점수에 더하십시오."""
    weights = (x @ W1.T).relu()
    return weights @ W2.T + b2, weights


@wrong("feed_forward_as_attention", read="ffn-as-attention")
def second_bias_forgotten(x, W1, b1, W2, b2):
    """b2를 빠뜨렸습니다. 가중치와 관계없이 출력에 한 번 더합니다."""
    weights = (x @ W1.T + b1).relu()
    return weights @ W2.T, weights


@wrong("feed_forward_as_attention", read="ffn-mistakes")
def second_bias_in_every_value(x, W1, b1, W2, b2):
    """b2를 값마다 더했습니다. 가중치의 합이 1이 아니므로 b2가 그 합만큼 곱해집니다. 마지막에 한 번만 더하십시오."""
    weights = (x @ W1.T + b1).relu()
    return weights @ (W2 + b2[:, None]).T, weights


@wrong("feed_forward_as_attention", read="ffn-mistakes")
def softmax_for_relu(x, W1, b1, W2, b2):
    """소프트맥스를 썼습니다. 피드포워드에서 그 자리에 있는 것은 ReLU입니다."""
    weights = (x @ W1.T + b1).softmax(-1)
    return weights @ W2.T + b2, weights


@wrong("feed_forward_as_attention", read="ffn-as-attention")
def no_relu(x, W1, b1, W2, b2):
    """ReLU가 없습니다. 그러면 두 선형 변환이 하나와 같아지고 가중치가 음수가 됩니다."""
    weights = x @ W1.T + b1
    return weights @ W2.T + b2, weights


@wrong("feed_forward_as_attention", read="ffn-as-attention")
def gelu_for_relu(x, W1, b1, W2, b2):
    """GELU를 썼습니다. 이 문제의 피드포워드는 ReLU입니다."""
    weights = F.gelu(x @ W1.T + b1)
    return weights @ W2.T + b2, weights


@wrong("feed_forward_as_attention", read="ffn-mistakes")
def divided_by_the_sum(x, W1, b1, W2, b2):
    """가중치의 합이 1이 되도록 나누었습니다. ReLU의 가중치는 나누지 않습니다."""
    weights = (x @ W1.T + b1).relu()
    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
    return weights @ W2.T + b2, weights


@wrong("feed_forward_as_attention", read="ffn-mistakes")
def scaled_network(x, W1, b1, W2, b2):
    """점수를 sqrt(d)로 나누었습니다. 피드포워드는 나누지 않습니다."""
    weights = (x @ W1.T / math.sqrt(x.shape[-1]) + b1).relu()
    return weights @ W2.T + b2, weights


@wrong("feed_forward_as_attention", read="ffn-as-attention")
def scores_for_weights(x, W1, b1, W2, b2):
    """가중치로 ReLU 앞의 점수를 돌려주었습니다. 값에 곱해지는 것은 ReLU를 지난 수입니다."""
    scores = x @ W1.T + b1
    return scores.relu() @ W2.T + b2, scores


@wrong("feed_forward_as_attention", read="ffn-as-attention", slip=True)
def network_detached(x, W1, b1, W2, b2):
    """기울기를 끊었습니다(detach). 키와 값은 피드포워드의 파라미터이므로 배워야 합니다."""
    weights = (x @ W1.T + b1).relu().detach()
    return weights @ W2.T + b2, weights


@wrong("feed_forward_as_attention", read="ffn-as-attention")
def first_bias_after_relu(x, W1, b1, W2, b2):
    """b1을 ReLU를 지난 다음에 더했습니다. ReLU 앞의 점수에 더하십시오."""
    weights = (x @ W1.T).relu() + b1
    return weights @ W2.T + b2, weights


@wrong("feed_forward_as_attention", read="ffn-mistakes")
def shares_for_weights(x, W1, b1, W2, b2):
    """돌려준 가중치만 합이 1이 되도록 나누었습니다. 출력을 만든 수를 그대로 돌려주십시오."""
    weights = (x @ W1.T + b1).relu()
    return weights @ W2.T + b2, weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)


@wrong("feed_forward_as_attention", read="ffn-as-attention")
def values_reshaped(x, W1, b1, W2, b2):
    """W2의 축을 바꾸지 않고 모양만 (d_ff, d)로 맞추었습니다. 값 하나는 W2의 열 하나입니다."""
    weights = (x @ W1.T + b1).relu()
    return weights @ W2.reshape(len(W1), -1) + b2, weights


@wrong("feed_forward_as_attention", read="ffn-mistakes", slip=True)
def weights_below_one(x, W1, b1, W2, b2):
    """가중치를 0과 1 사이로 잘랐습니다. ReLU의 가중치는 1을 넘어도 됩니다."""
    weights = (x @ W1.T + b1).clamp(0, 1)
    return weights @ W2.T + b2, weights


# PersistentAttention ----------------------------------------------------------------------------------------


@right_answer("PersistentAttention")
class _Attention(nn.Module):
    """The right attention, its steps laid open."""

    def __init__(self, d_model, num_heads, num_persistent):
        super().__init__()
        self.refuse(d_model, num_heads)
        self.num_heads, self.N = num_heads, num_persistent
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))
        shape = (num_heads, num_persistent, d_model // num_heads)
        self.persistent_keys, self.persistent_values = self.start(shape), self.start(shape)

    def refuse(self, d_model, num_heads):
        if d_model % num_heads:
            raise ValueError("heads")

    def start(self, shape):
        return nn.Parameter(torch.randn(shape))

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)

    def merge(self, mixed):
        return mixed.transpose(-3, -2).flatten(-2)

    def expand(self, memory, like):
        return memory.expand(*like.shape[:-2], -1, -1)

    def keys(self, of_memory):
        return of_memory

    def values(self, of_memory):
        return of_memory

    def scale(self, Q):
        return math.sqrt(Q.shape[-1])

    def visible(self, mask, x, scores):
        """What the mask and the memory allow, like `scores`."""
        n = x.shape[-2]
        visible = torch.ones_like(scores, dtype=torch.bool)
        if mask is not None:
            visible[..., :n] = mask.unsqueeze(-3) if mask.dim() == x.dim() else mask
        return visible

    def weigh(self, scores, visible, n):
        nothing = ~visible.any(-1, keepdim=True)
        return scores.masked_fill(~(visible | nothing), -math.inf).softmax(-1).masked_fill(nothing, 0.0)

    def finish(self, mixed, visible):
        output = self.W_o(self.merge(mixed))
        return output.masked_fill(~visible.any(-1, keepdim=True).any(-3), 0.0)

    def join(self, of_context, of_memory):
        return torch.cat([of_context, of_memory], dim=-2)

    def forward(self, x, mask=None):
        Q, K, V = (self.split(linear(x)) for linear in (self.W_q, self.W_k, self.W_v))
        K = self.join(K, self.keys(self.expand(self.persistent_keys, K)))
        V = self.join(V, self.values(self.expand(self.persistent_values, V)))
        scores = Q @ K.transpose(-2, -1) / self.scale(Q)
        visible = self.visible(mask, x, scores)
        weights = self.weigh(scores, visible, x.shape[-2])
        return self.finish(weights @ V, visible), weights


@wrong("PersistentAttention", read="memory-mistakes")
class TwoSoftmaxes(_Attention):
    """문맥과 메모리에 소프트맥스를 따로 취했습니다. 가중치의 합이 2가 됩니다. 이어 붙인 점수에 한 번만 취하십시오."""

    def weigh(self, scores, visible, n):
        parts = [scores[..., :n], scores[..., n:]], [visible[..., :n], visible[..., n:]]
        return torch.cat([super(TwoSoftmaxes, self).weigh(s, v, n) for s, v in zip(*parts, strict=True)], -1)


@wrong("PersistentAttention", read="memory-mistakes")
class TwoSoftmaxesAveraged(TwoSoftmaxes):
    """문맥과 메모리에 소프트맥스를 따로 취해 반씩 섞었습니다. 그러면 메모리의 몫이 언제나 절반입니다. 이어 붙인 점수에 한 번만 취하십시오."""

    def weigh(self, scores, visible, n):
        weights = super().weigh(scores, visible, n)
        return weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)


@wrong("PersistentAttention", read="memory-mistakes")
class MemoryFirst(_Attention):
    """메모리를 맨 앞에 두었습니다. 약속은 문맥이 먼저, 메모리가 맨 뒤입니다."""

    def join(self, of_context, of_memory):
        return torch.cat([of_memory, of_context], dim=-2)

    def visible(self, mask, x, scores):
        return super().visible(mask, x, scores).roll(self.N, dims=-1)


@wrong("PersistentAttention", read="memory-is-always-visible")
class MaskHidesTheMemory(_Attention):
    """룩어헤드 마스크가 메모리까지 가렸습니다. 메모리에는 위치가 없으므로 언제나 볼 수 있습니다. 메모리 열은 True로 두십시오."""

    def visible(self, mask, x, scores):
        visible = super().visible(mask, x, scores)
        visible[..., x.shape[-2] :] = mask is None
        return visible


@wrong("PersistentAttention", read="memory-is-always-visible")
class BlindWithoutContext(_Attention):
    """문맥이 모두 가려진 질의의 가중치를 0으로 지웠습니다. 그런 질의도 메모리는 볼 수 있습니다."""

    def visible(self, mask, x, scores):
        visible = super().visible(mask, x, scores)
        return visible & visible[..., : x.shape[-2]].any(-1, keepdim=True)


@wrong("PersistentAttention", read="masking#polarity")
class PolarityFlipped(_Attention):
    """마스크의 극성이 반대입니다. 이 책에서 True는 볼 수 있다는 뜻입니다."""

    def visible(self, mask, x, scores):
        return super().visible(None if mask is None else ~mask, x, scores)


@wrong("PersistentAttention", read="memory-is-always-visible")
class MaskIgnored(_Attention):
    """마스크를 쓰지 않았습니다. 문맥의 키는 마스크가 허락한 것만 볼 수 있습니다."""

    def visible(self, mask, x, scores):
        return super().visible(None, x, scores)


@wrong("PersistentAttention", read="multi_head_attention#mask-over-heads", slip=True)
class NoHeadAxis(_Attention):
    """(B, n, n) 마스크에 헤드 축을 끼워 넣지 않았습니다. 오류가 나거나, B와 h가 같으면 문장의 마스크를 헤드에 씁니다."""

    def visible(self, mask, x, scores):
        visible = torch.ones_like(scores, dtype=torch.bool)
        if mask is not None:
            visible[..., : x.shape[-2]] = mask
        return visible


@wrong("PersistentAttention", read="persistent-attention")
class NoMemory(_Attention):
    """메모리를 쓰지 않았습니다. 키와 값의 뒤에 헤드마다 N개씩 붙이십시오."""

    def join(self, of_context, of_memory):
        return of_context

    def visible(self, mask, x, scores):
        return super().visible(mask, x, scores)


@wrong("PersistentAttention", read="memory-mistakes")
class MemoryNotScaled(_Attention):
    """메모리의 키를 나누지 않았습니다. 문맥의 키와 똑같이 sqrt(d_model / h)로 나눕니다."""

    def keys(self, of_memory):
        return of_memory * math.sqrt(of_memory.shape[-1])


@wrong("PersistentAttention", read="multi_head_attention#multi-head-formula")
class NoScale(_Attention):
    """점수를 나누지 않았습니다. 헤드 하나의 차원의 제곱근으로 나누십시오."""

    def scale(self, Q):
        return 1.0


@wrong("PersistentAttention", read="multi_head_attention#multi-head-formula")
class ScaledByModel(_Attention):
    """d_model의 제곱근으로 나누었습니다. 나눌 것은 헤드 하나의 차원 d_model / h의 제곱근입니다."""

    def scale(self, Q):
        return math.sqrt(Q.shape[-1] * self.num_heads)


@wrong("PersistentAttention", read="persistent-attention")
class KeysForValues(_Attention):
    """메모리의 키와 값에 같은 벡터를 썼습니다. persistent_keys는 키에, persistent_values는 값에 붙입니다."""

    def values(self, of_memory):
        return self.persistent_keys.expand(of_memory.shape)


@wrong("PersistentAttention", read="persistent-attention")
class SharedByHeads(_Attention):
    """메모리를 모든 헤드가 같이 씁니다. 헤드마다 N개씩, 모양이 (h, N, d_model / h)이어야 합니다."""

    def start(self, shape):
        return nn.Parameter(torch.randn(shape[1:]))


@wrong("PersistentAttention", read="persistent-attention")
class FirstHeadsMemory(_Attention):
    """모든 헤드가 첫 헤드의 메모리를 봅니다. 헤드마다 자기 것을 보아야 합니다."""

    def expand(self, memory, like):
        return super().expand(memory[:1], like)


@wrong("PersistentAttention", read="persistent-attention")
class MemoryInABuffer(_Attention):
    """메모리가 파라미터가 아니라 버퍼입니다. 학습해도 움직이지 않습니다. nn.Parameter로 만드십시오."""

    def __init__(self, d_model, num_heads, num_persistent):
        super().__init__(d_model, num_heads, num_persistent)
        for name in ["persistent_keys", "persistent_values"]:
            value = getattr(self, name).detach()
            delattr(self, name)
            self.register_buffer(name, value)


@wrong("PersistentAttention", read="memory-mistakes", slip=True)
class StartsAtZero(_Attention):
    """메모리가 모두 같은 값에서 시작합니다. 그런 벡터는 같은 기울기를 받아 언제까지나 같습니다. 무작위로 시작하십시오."""

    def start(self, shape):
        return nn.Parameter(torch.zeros(shape))


@wrong("PersistentAttention", read="multi_head_attention#output-projection")
class NoOutputMap(_Attention):
    """W_o를 곱하지 않았습니다. 헤드를 이어 붙인 다음 섞어야 합니다."""

    def finish(self, mixed, visible):
        return self.merge(mixed)


@wrong("PersistentAttention", read="masking#nothing-to-see", slip=True)
class BiasOfNothing(_Attention):
    """볼 것이 없는 질의의 출력에 W_o의 편향이 남았습니다. 출력도 0이어야 합니다."""

    def finish(self, mixed, visible):
        return self.W_o(self.merge(mixed))


@wrong("PersistentAttention", read="masking#nothing-to-see", slip=True)
class NaNOfNothing(_Attention):
    """N이 0이고 볼 것이 없는 질의가 NaN이 되었습니다. 그런 행의 가중치는 0입니다."""

    def weigh(self, scores, visible, n):
        return scores.masked_fill(~visible, -math.inf).softmax(-1)


@wrong("PersistentAttention", read="persistent-attention")
class WeightsOfTheContext(_Attention):
    """가중치에서 메모리를 떼고 돌려주었습니다. 모양은 (..., h, n, n + N)이고 행의 합이 1입니다."""

    def forward(self, x, mask=None):
        output, weights = super().forward(x, mask)
        return output, weights[..., : x.shape[-2]]


@wrong("PersistentAttention", read="multi_head_attention#heads-divide", slip=True)
class UnevenHeadsAccepted(_Attention):
    """d_model이 헤드의 수로 나누어떨어지지 않는데 받아들였습니다. ValueError를 내십시오."""

    def refuse(self, d_model, num_heads): ...


@wrong("PersistentAttention", read="masking#nothing-to-see", slip=True)
class EvenWhereNothing(_Attention):
    """가려진 점수에 아주 작은 수를 넣어, 볼 것이 없는 행의 가중치가 고르게 퍼졌습니다. 그런 행의 가중치는 0입니다."""

    def weigh(self, scores, visible, n):
        return scores.masked_fill(~visible, -1e9).softmax(-1)

    def finish(self, mixed, visible):
        return self.W_o(self.merge(mixed))


@wrong("PersistentAttention", read="masking#nothing-to-see", slip=True)
class NaNInTheGradient(_Attention):
    """볼 것이 없는 행의 NaN을 나중에 0으로 바꾸었습니다. 출력은 맞지만 기울기는 NaN입니다. 소프트맥스에 NaN이 생기지 않게 하십시오."""

    def weigh(self, scores, visible, n):
        hidden = torch.zeros_like(scores).masked_fill(~visible, -math.inf)
        return (scores + hidden).softmax(-1).nan_to_num(0.0)


@wrong("PersistentAttention", read="memory-mistakes", slip=True)
class ValuesStartAtZero(_Attention):
    """메모리의 값이 모두 같은 값에서 시작합니다. 그런 벡터는 서로 다른 것을 담기 어렵습니다. 무작위로 시작하십시오."""

    def __init__(self, d_model, num_heads, num_persistent):
        super().__init__(d_model, num_heads, num_persistent)
        nn.init.zeros_(self.persistent_values)


@wrong("PersistentAttention", read="multi_head_attention#splitting-heads")
class FeaturesDealtOut(_Attention):
    """차원을 헤드마다 하나씩 건너뛰며 나누었습니다. 헤드 하나는 이어진 d_model / h개를 맡습니다. 축을 (h, d_model / h)의 차례로 나누십시오."""

    def split(self, x):
        return x.unflatten(-1, (-1, self.num_heads)).movedim(-1, -3)

    def merge(self, mixed):
        return mixed.movedim(-3, -1).flatten(-2)


@wrong("PersistentAttention", read="multi_head_attention#merging-heads")
class MergedWithoutTranspose(_Attention):
    """헤드를 이어 붙일 때 축을 되돌리지 않고 모양만 맞추었습니다. 한 단어의 벡터에 여러 단어의 값이 섞입니다."""

    def merge(self, mixed):
        return mixed.reshape(*mixed.shape[:-3], mixed.shape[-2], -1)


@wrong("PersistentAttention", read="persistent-attention")
class MemoryThroughTheMaps(_Attention):
    """메모리에 W_k와 W_v를 곱했습니다. 지속 메모리는 이미 키와 값입니다. 그대로 붙이십시오."""

    def mapped(self, memory, linear):
        together = memory.transpose(-3, -2).flatten(-2)
        return self.split(linear(together))

    def keys(self, of_memory):
        return self.mapped(of_memory, self.W_k)

    def values(self, of_memory):
        return self.mapped(of_memory, self.W_v)


@wrong("PersistentAttention", read="persistent-attention")
class MemoryDetached(_Attention):
    """메모리의 기울기를 끊었습니다(detach, data). 지속 메모리는 배우는 파라미터입니다."""

    def expand(self, memory, like):
        return super().expand(memory.detach(), like)


# AllAttentionLayer ------------------------------------------------------------------------------------------


@right_answer("AllAttentionLayer")
class _Layer(nn.Module):
    """The right layer, its steps laid open."""

    def __init__(self, d_model, num_heads, num_persistent, dropout=0.1):
        super().__init__()
        self.attention = _Attention(d_model, num_heads, num_persistent)
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        return self.norm(x + self.dropout(self.attention(x, mask)[0]))


@wrong("AllAttentionLayer", read="all-attention-layer")
class NoResidual(_Layer):
    """입력을 더하지 않았습니다. 잔차 연결이 빠졌습니다."""

    def forward(self, x, mask=None):
        return self.norm(self.dropout(self.attention(x, mask)[0]))


@wrong("AllAttentionLayer", read="all-attention-layer")
class NormFirst(_Layer):
    """먼저 정규화했습니다. 이 층은 더한 다음 정규화합니다."""

    def forward(self, x, mask=None):
        return x + self.dropout(self.attention(self.norm(x), mask)[0])


@wrong("AllAttentionLayer", read="all-attention-layer")
class NormOfTheBranch(_Layer):
    """어텐션의 출력만 정규화한 다음 더했습니다. 더한 것을 정규화하십시오."""

    def forward(self, x, mask=None):
        return x + self.norm(self.dropout(self.attention(x, mask)[0]))


@wrong("AllAttentionLayer", read="all-attention-layer")
class NoNorm(_Layer):
    """정규화하지 않았습니다."""

    def forward(self, x, mask=None):
        return x + self.dropout(self.attention(x, mask)[0])


@wrong("AllAttentionLayer", read="all-attention-layer")
class MaskNotPassed(_Layer):
    """마스크를 어텐션에 넘기지 않았습니다."""

    def forward(self, x, mask=None):
        return super().forward(x)


@wrong("AllAttentionLayer", read="all-attention-grading")
class ReturnsAPair(_Layer):
    """튜플을 돌려주었습니다. 이 층은 텐서 하나를 돌려줍니다."""

    def forward(self, x, mask=None):
        output, weights = self.attention(x, mask)
        return self.norm(x + self.dropout(output)), weights


@wrong("AllAttentionLayer", read="all-attention-layer", slip=True)
class NoDropout(_Layer):
    """드롭아웃이 없습니다. 학습할 때 어텐션의 출력에 거십시오."""

    def forward(self, x, mask=None):
        return self.norm(x + self.attention(x, mask)[0])


@wrong("AllAttentionLayer", read="all-attention-layer", slip=True)
class DropsTheSum(_Layer):
    """드롭아웃을 더한 뒤에 걸었습니다. 잔차까지 지워집니다. 더하기 전의 어텐션 출력에만 거십시오."""

    def forward(self, x, mask=None):
        return self.norm(self.dropout(x + self.attention(x, mask)[0]))


@wrong("AllAttentionLayer", read="all-attention-grading")
class DropsWhenEvaluated(_Layer):
    """평가할 때도 드롭아웃이 걸립니다. nn.Dropout을 쓰거나 F.dropout에 self.training을 넘기십시오."""

    def forward(self, x, mask=None):
        return self.norm(x + F.dropout(self.attention(x, mask)[0], self.dropout.p))


@wrong("AllAttentionLayer", read="all-attention-layer")
class FeedForwardLeft(_Layer):
    """피드포워드가 남아 있습니다. 이 층에서는 지속 메모리가 그 일을 합니다."""

    def __init__(self, d_model, num_heads, num_persistent, dropout=0.1):
        super().__init__(d_model, num_heads, num_persistent, dropout)
        self.network = nn.Sequential(
            nn.Linear(d_model, 4 * d_model), nn.ReLU(), nn.Linear(4 * d_model, d_model)
        )
        for parameter in self.network.parameters():
            nn.init.constant_(parameter, 0.01)

    def forward(self, x, mask=None):
        x = super().forward(x, mask)
        return self.norm(x + self.network(x))


@wrong("AllAttentionLayer", read="all-attention-layer")
class NormTwice(_Layer):
    """정규화를 두 번 했습니다. 부분층이 하나이므로 정규화도 한 번입니다."""

    def forward(self, x, mask=None):
        return self.norm(super().forward(x, mask))


@wrong("AllAttentionLayer", read="all-attention-grading", slip=True)
class DropoutNotPassed(_Layer):
    """받은 dropout을 쓰지 않았습니다. nn.Dropout(dropout)처럼 넘기십시오."""

    def __init__(self, d_model, num_heads, num_persistent, dropout=0.1):
        super().__init__(d_model, num_heads, num_persistent, 0.5)


@wrong("AllAttentionLayer", read="all-attention-layer", slip=True)
class DropsTheOutput(_Layer):
    """드롭아웃을 정규화한 다음에 걸었습니다. 더하기 전의 어텐션 출력에 거십시오."""

    def forward(self, x, mask=None):
        return self.dropout(self.norm(x + self.attention(x, mask)[0]))


@wrong("AllAttentionLayer", read="all-attention-layer", slip=True)
class DropsTheInput(_Layer):
    """드롭아웃을 층의 입력에 걸었습니다. 더하기 전의 어텐션 출력에 거십시오."""

    def forward(self, x, mask=None):
        return self.norm(x + self.attention(self.dropout(x), mask)[0])


@wrong("AllAttentionLayer", read="all-attention-layer")
class HeadsAndMemorySwapped(_Layer):
    """헤드의 수와 메모리의 수를 바꾸어 넘겼습니다. PersistentAttention(d_model, num_heads, num_persistent)의 차례입니다."""

    def __init__(self, d_model, num_heads, num_persistent, dropout=0.1):
        super().__init__(d_model, num_persistent, num_heads, dropout)


@wrong("AllAttentionLayer", read="all-attention-grading")
class AddsInPlace(_Layer):
    """받은 텐서를 제자리에서 바꾸었습니다(x += …). 새 텐서를 만드십시오."""

    def forward(self, x, mask=None):
        x += self.dropout(self.attention(x, mask)[0])
        return self.norm(x)


# memory_as_feed_forward -------------------------------------------------------------------------------------


@right_answer("memory_as_feed_forward")
def _folded(W_q, b_q, W_o, keys, values, scale=None, of_queries=None, of_outputs=None):
    """The right fold; wrong ones take another scale, or other parts of the two maps for a head."""
    heads, _, d_k = keys.shape
    keys = keys / (math.sqrt(d_k) if scale is None else scale)
    queries = W_q.unflatten(0, (heads, d_k)) if of_queries is None else of_queries
    outputs = W_o.unflatten(1, (heads, d_k)).movedim(1, 0) if of_outputs is None else of_outputs
    W1 = torch.einsum("hnk,hkd->hnd", keys, queries)
    b1 = torch.einsum("hnk,hk->hn", keys, b_q.unflatten(0, (heads, d_k)))
    W2 = torch.einsum("hdk,hnk->dhn", outputs, values)
    return W1.flatten(0, 1), b1.flatten(), W2.flatten(1)


@wrong("memory_as_feed_forward", read="memory-mistakes")
def fold_not_scaled(W_q, b_q, W_o, keys, values):
    """sqrt(d_k)로 나누지 않았습니다. 어텐션이 점수를 나누던 수가 W1과 b1에 들어가야 합니다."""
    return _folded(W_q, b_q, W_o, keys, values, scale=1.0)


@wrong("memory_as_feed_forward", read="multi_head_attention#multi-head-formula")
def fold_scaled_by_the_model(W_q, b_q, W_o, keys, values):
    """d_model의 제곱근으로 나누었습니다. 나눌 것은 헤드 하나의 차원 d_k의 제곱근입니다."""
    return _folded(W_q, b_q, W_o, keys, values, scale=math.sqrt(len(W_q)))


@wrong("memory_as_feed_forward", read="persistent-attention")
def bias_not_scaled(W_q, b_q, W_o, keys, values):
    """b1을 sqrt(d_k)로 나누지 않았습니다. 편향에서 온 몫도 점수의 일부이므로 함께 나눕니다."""
    W1, b1, W2 = _folded(W_q, b_q, W_o, keys, values)
    return W1, b1 * math.sqrt(keys.shape[-1]), W2


@wrong("memory_as_feed_forward", read="ffn-as-attention")
def query_bias_forgotten(W_q, b_q, W_o, keys, values):
    """질의의 편향을 빠뜨려 b1이 0입니다. 키와 b_q의 내적이 점수마다 더해집니다."""
    return _folded(W_q, 0 * b_q, W_o, keys, values)


@wrong("memory_as_feed_forward", read="ffn-as-attention")
def bias_taken_as_it_is(W_q, b_q, W_o, keys, values):
    """b_q를 그대로 b1로 썼습니다. b1은 은닉층마다 하나, 그 헤드의 b_q와 키의 내적입니다."""
    W1, _, W2 = _folded(W_q, b_q, W_o, keys, values)
    return W1, b_q, W2


@wrong("memory_as_feed_forward", read="multi_head_attention#splitting-heads")
def query_map_turned(W_q, b_q, W_o, keys, values):
    """W_q의 행 대신 열을 썼습니다. nn.Linear는 x W^T를 계산하므로 헤드의 질의를 만드는 것은 weight의 행입니다."""
    return _folded(W_q.mT, b_q, W_o, keys, values)


@wrong("memory_as_feed_forward", read="multi_head_attention#merging-heads")
def output_map_turned(W_q, b_q, W_o, keys, values):
    """W_o의 열 대신 행을 썼습니다. nn.Linear는 x W^T를 계산하므로 헤드의 결과에 곱해지는 것은 weight의 열입니다."""
    return _folded(W_q, b_q, W_o.mT, keys, values)


@wrong("memory_as_feed_forward", read="ffn-as-attention")
def keys_and_values_swapped(W_q, b_q, W_o, keys, values):
    """키와 값을 바꾸었습니다. 키는 점수를 내는 W1에, 값은 출력을 내는 W2에 들어갑니다."""
    return _folded(W_q, b_q, W_o, values, keys)


@wrong("memory_as_feed_forward", read="multi_head_attention#splitting-heads")
def features_dealt_to_heads(W_q, b_q, W_o, keys, values):
    """W_q의 행을 헤드마다 하나씩 건너뛰며 나누었습니다. 헤드 하나는 이어진 d_k개를 맡습니다."""
    heads = len(keys)
    queries = W_q.unflatten(0, (-1, heads)).movedim(1, 0)
    return _folded(W_q, b_q, W_o, keys, values, of_queries=queries)


@wrong("memory_as_feed_forward", read="multi_head_attention#splitting-heads")
def first_head_for_all(W_q, b_q, W_o, keys, values):
    """모든 헤드에 첫 헤드의 질의를 썼습니다. 헤드마다 W_q의 제 행들이 있습니다."""
    heads, _, d_k = keys.shape
    return _folded(W_q, b_q, W_o, keys, values, of_queries=W_q[:d_k].expand(heads, d_k, -1))


@wrong("memory_as_feed_forward", read="multi_head_attention#merging-heads")
def first_columns_for_all(W_q, b_q, W_o, keys, values):
    """모든 헤드의 값을 W_o의 앞 열들에 곱했습니다. 헤드마다 제 열들이 있습니다."""
    heads, _, d_k = keys.shape
    return _folded(W_q, b_q, W_o, keys, values, of_outputs=W_o[:, :d_k].expand(heads, -1, d_k))


@wrong("memory_as_feed_forward", read="persistent-attention")
def query_map_forgotten(W_q, b_q, W_o, keys, values):
    """W_q를 곱하지 않고 키를 그대로 놓았습니다. 키와 내적하는 것은 토큰이 아니라 W_q를 지난 질의입니다."""
    return _folded(torch.eye(len(W_q)).to(W_q), b_q, W_o, keys, values)


@wrong("memory_as_feed_forward", read="persistent-attention")
def output_map_forgotten(W_q, b_q, W_o, keys, values):
    """W_o를 곱하지 않고 값을 그대로 놓았습니다. 메모리에서 읽은 것도 헤드를 이은 다음 W_o를 지납니다."""
    return _folded(W_q, b_q, torch.eye(len(W_o)).to(W_o), keys, values)


@wrong("memory_as_feed_forward", read="persistent-attention")
def values_scaled_too(W_q, b_q, W_o, keys, values):
    """W2까지 sqrt(d_k)로 나누었습니다. 나누는 것은 점수뿐입니다."""
    return _folded(W_q, b_q, W_o, keys, values / math.sqrt(keys.shape[-1]))


@wrong("memory_as_feed_forward", read="multi_head_attention#splitting-heads")
def units_of_heads_in_turns(W_q, b_q, W_o, keys, values):
    """은닉층이 헤드마다 번갈아 놓였습니다. 헤드 0의 N개 다음에 헤드 1의 N개입니다."""
    W1, b1, W2 = _folded(W_q, b_q, W_o, keys, values)
    order = torch.arange(len(b1)).view(len(keys), -1).T.flatten()
    return W1[order], b1[order], W2[:, order]


@wrong("memory_as_feed_forward", read="ffn-as-attention")
def second_matrix_in_rows(W_q, b_q, W_o, keys, values):
    """W2가 돌려져 있습니다. 값은 W2의 열이므로 모양은 (d, h * N)입니다."""
    W1, b1, W2 = _folded(W_q, b_q, W_o, keys, values)
    return W1, b1, W2.mT


@wrong("memory_as_feed_forward", read="ffn-as-attention")
def first_matrix_in_columns(W_q, b_q, W_o, keys, values):
    """W1이 돌려져 있습니다. 키는 W1의 행이므로 모양은 (h * N, d)입니다."""
    W1, b1, W2 = _folded(W_q, b_q, W_o, keys, values)
    return W1.mT, b1, W2


@wrong("memory_as_feed_forward", read="ffn-as-attention")
def heads_left_apart(W_q, b_q, W_o, keys, values):
    """헤드의 축이 남았습니다. 은닉층 하나로 이으십시오: W1은 (h * N, d)입니다."""
    W1, b1, W2 = _folded(W_q, b_q, W_o, keys, values)
    heads = len(keys)
    return W1.unflatten(0, (heads, -1)), b1.unflatten(0, (heads, -1)), W2.unflatten(1, (heads, -1))


@wrong("memory_as_feed_forward", read="ffn-as-attention")
def matrices_without_the_bias(W_q, b_q, W_o, keys, values):
    """두 행렬만 돌려주었습니다. 질의의 편향에서 온 b1도 함께, W1, b1, W2의 차례로 돌려주십시오."""
    W1, _, W2 = _folded(W_q, b_q, W_o, keys, values)
    return W1, W2


@wrong("memory_as_feed_forward", read="all-attention-grading", slip=True)
def fold_detached(W_q, b_q, W_o, keys, values):
    """기울기를 끊었습니다(detach, data, no_grad). 합쳐 놓은 다음에도 메모리는 배울 수 있어야 합니다."""
    return tuple(part.detach() for part in _folded(W_q, b_q, W_o, keys, values))


@wrong("memory_as_feed_forward", read="all-attention-grading", slip=True)
def fold_in_single_precision(W_q, b_q, W_o, keys, values):
    """결과가 언제나 float32입니다. 새로 만든 텐서의 자료형을 입력과 같게 하십시오."""
    return tuple(part.float() for part in _folded(W_q, b_q, W_o, keys, values))


@wrong("memory_as_feed_forward", read="all-attention-grading", slip=True)
def keys_divided_in_place(W_q, b_q, W_o, keys, values):
    """받은 키를 제자리에서 나누었습니다(/=). 부를 때마다 모델의 메모리가 작아집니다. 새 텐서를 만드십시오."""
    with torch.no_grad():
        keys /= math.sqrt(keys.shape[-1])
    return _folded(W_q, b_q, W_o, keys, values, scale=1.0)
