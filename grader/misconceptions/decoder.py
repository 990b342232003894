"""Wrong answers that people give to the exercise `decoder`."""

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# shift_right ------------------------------------------------------------------------------------------------


@wrong("shift_right", read="shift-right")
def shifted_left(ids, sos_id):
    """왼쪽으로 밀었습니다. 입력은 정답보다 한 칸 늦게 나와야 합니다."""
    return torch.cat([ids[..., 1:], torch.full_like(ids[..., :1], sos_id)], -1)


@wrong("shift_right", read="shift-right")
def rolled_over_sentences(ids, sos_id):
    """배치를 한 줄로 편 채 돌렸습니다(축이 없는 roll). 앞 문장의 끝이 다음 문장의 앞에 옵니다. 그 자리에는 SOS가 들어갑니다."""
    return ids.roll(1)


@wrong("shift_right", read="shift-right")
def one_token_longer(ids, sos_id):
    """SOS를 붙이고 마지막 토큰을 버리지 않았습니다. 길이가 하나 늘었습니다."""
    return torch.cat([torch.full_like(ids[..., :1], sos_id), ids], -1)


@wrong("shift_right", read="shift-right")
def rolled(ids, sos_id):
    """한 바퀴 돌렸습니다(roll). 마지막 토큰이 맨 앞에 와 정답을 미리 보여 줍니다. 맨 앞은 SOS여야 합니다."""
    return ids.roll(1, -1)


@wrong("shift_right", read="shift-right")
def overwrote_the_first(ids, sos_id):
    """첫 토큰을 SOS로 덮어썼을 뿐 밀지 않았습니다. 나머지 자리에서 정답이 그대로 보입니다."""
    return torch.cat([torch.full_like(ids[..., :1], sos_id), ids[..., 1:]], -1)


@wrong("shift_right", read="shift-right")
def in_place(ids, sos_id):
    """받은 텐서를 제자리에서 바꾸었습니다. 정답으로 써야 할 ids가 망가집니다."""
    ids[..., 1:] = ids[..., :-1].clone()
    ids[..., 0] = sos_id
    return ids


@wrong("shift_right", read="shift-right")
def one_batch_axis(ids, sos_id):
    """배치 축이 꼭 하나라고 보았습니다. ids[:, :-1] 대신 ids[..., :-1]로 뒤에서부터 세십시오."""
    return torch.cat([torch.full_like(ids[:, :1], sos_id), ids[:, :-1]], 1)


@wrong("shift_right", read="shift-right")
def start_elsewhere(ids, sos_id):
    """SOS를 ids와 다른 장치나 자료형으로 만들었습니다. torch.full_like나 ids.new_full을 쓰십시오."""
    return torch.cat([torch.full((*ids.shape[:-1], 1), sos_id), ids[..., :-1]], -1)


@wrong("shift_right", read="shift-right")
def zero_instead_of_sos(ids, sos_id):
    """맨 앞을 받은 sos_id가 아니라 정해 둔 수로 채웠습니다. 받은 sos_id를 쓰십시오."""
    return torch.cat([torch.zeros_like(ids[..., :1]), ids[..., :-1]], -1)


@wrong("shift_right", read="shift-right")
def shifted_along_the_batch(ids, sos_id):
    """문장 사이로 밀었습니다. 다른 문장의 토큰이 들어옵니다. 미는 것은 문장 안에서, 곧 마지막 축입니다."""
    return torch.cat([torch.full_like(ids[:1], sos_id), ids[:-1]], dim=0)


@wrong("shift_right", read="shift-right")
def start_runs_through(ids, sos_id):
    """이미 바꾼 이웃을 베꼈습니다. SOS가 끝까지 번집니다. 밀기 전의 토큰을 읽으십시오."""
    return torch.full_like(ids, sos_id)


# DecoderLayer -----------------------------------------------------------------------------------------------


@right_answer("DecoderLayer")
class _Layer(nn.Module):
    """The right layer, its steps laid open."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("heads")
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, num_heads, dropout=dropout, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.dropout, self.norm_first = nn.Dropout(dropout), norm_first

    @staticmethod
    def attend(attention, query, key, value, mask):
        if mask is not None:
            shape = (query.shape[0], query.shape[1], key.shape[1])
            mask = ~mask.expand(shape).repeat_interleave(attention.num_heads, dim=0)
        return attention(query, key, value, attn_mask=mask, need_weights=False)[0]

    def to_itself(self, x, mask):
        return self.attend(self.self_attn, x, x, x, mask)

    def to_memory(self, x, memory, mask):
        return self.attend(self.multihead_attn, x, memory, memory, mask)

    def feed_forward(self, x):
        return self.linear2(self.dropout(self.linear1(x).relu()))

    def wrap(self, x, norm, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(norm(x)))
        return norm(x + self.dropout(sublayer(x)))

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        x = self.wrap(x, self.norm1, lambda x: self.to_itself(x, self_mask))
        x = self.wrap(x, self.norm2, lambda x: self.to_memory(x, memory, memory_mask))
        return self.wrap(x, self.norm3, self.feed_forward)


@wrong("DecoderLayer", read="decoder-layer")
class FirstShortcutAgain(_Layer):
    """둘째 부분층의 지름길에 처음의 x를 더했습니다. 지름길은 바로 앞 부분층의 출력에서 시작합니다. 한 변수 x에 차례로 덮어쓰십시오."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        h = self.wrap(x, self.norm1, lambda x: self.to_itself(x, self_mask))
        seen = self.to_memory(self.norm2(h) if self.norm_first else h, memory, memory_mask)
        h = x + self.dropout(seen)
        return self.wrap(h if self.norm_first else self.norm2(h), self.norm3, self.feed_forward)


@wrong("DecoderLayer", read="cross-attention")
class NoCrossAttention(_Layer):
    """출력이 memory에 달려 있지 않습니다. 디코더가 원문을 보지 못합니다. 크로스 어텐션의 키와 값은 memory에서 옵니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        x = self.wrap(x, self.norm1, lambda x: self.to_itself(x, self_mask))
        return self.wrap(x, self.norm3, self.feed_forward)


@wrong("DecoderLayer", read="cross-attention")
class ValuesFromTheDecoder(_Layer):
    """크로스 어텐션의 값을 디코더에서 가져왔습니다. 키와 값은 모두 memory에서 옵니다."""

    def to_memory(self, x, memory, mask):
        n = memory.shape[1]
        repeated = x.repeat(1, -(-n // x.shape[1]), 1)[:, :n]
        return self.attend(self.multihead_attn, x, memory, repeated, mask)


@wrong("DecoderLayer", read="decoder-layer")
class CrossAttentionFirst(_Layer):
    """memory를 첫 어텐션에, 자기 자신을 둘째 어텐션에 썼습니다. 셀프 어텐션이 먼저입니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        x = self.wrap(x, self.norm2, lambda x: self.to_memory(x, memory, memory_mask))
        x = self.wrap(x, self.norm1, lambda x: self.to_itself(x, self_mask))
        return self.wrap(x, self.norm3, self.feed_forward)


@wrong("DecoderLayer", read="two-masks")
class IgnoresSelfMask(_Layer):
    """셀프 어텐션에 self_mask를 쓰지 않았습니다. 학습할 때 정답이 보입니다."""

    def to_itself(self, x, mask):
        return super().to_itself(x, None)


@wrong("DecoderLayer", read="two-masks")
class IgnoresMemoryMask(_Layer):
    """memory_mask를 쓰지 않았습니다. 원문의 패딩에 주의를 나누어 주게 됩니다."""

    def to_memory(self, x, memory, mask):
        return super().to_memory(x, memory, None)


@wrong("DecoderLayer", read="two-masks")
class MaskPolarity(_Layer):
    """마스크의 극성이 반대입니다. True가 '볼 수 있다'입니다."""

    def to_itself(self, x, mask):
        return super().to_itself(x, None if mask is None else ~mask)


@wrong("DecoderLayer", read="decoder-norm-order")
class NormalizesMemory(_Layer):
    """norm_first에서 memory까지 정규화했습니다. 정규화하는 것은 디코더의 x뿐입니다."""

    def to_memory(self, x, memory, mask):
        return super().to_memory(x, self.norm2(memory) if self.norm_first else memory, mask)


@wrong("DecoderLayer", read="decoder-norm-order")
class AlwaysPostNorm(_Layer):
    """norm_first를 보지 않고 언제나 더한 다음 정규화했습니다."""

    def wrap(self, x, norm, sublayer):
        return norm(x + self.dropout(sublayer(x)))


@wrong("DecoderLayer", read="decoder-layer")
class NoResidualAroundCross(_Layer):
    """크로스 어텐션에 잔차 연결이 없습니다. 셀프 어텐션이 모은 것이 사라집니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        x = self.wrap(x, self.norm1, lambda x: self.to_itself(x, self_mask))
        if self.norm_first:
            x = self.dropout(self.to_memory(self.norm2(x), memory, memory_mask))
        else:
            x = self.norm2(self.dropout(self.to_memory(x, memory, memory_mask)))
        return self.wrap(x, self.norm3, self.feed_forward)


@wrong("DecoderLayer", read="decoder-layer")
class OneAttentionForBoth(_Layer):
    """두 어텐션이 같은 가중치를 썼습니다. 셀프 어텐션은 self_attn, 크로스 어텐션은 multihead_attn입니다."""

    def to_memory(self, x, memory, mask):
        return self.attend(self.self_attn, x, memory, memory, mask)


@wrong("DecoderLayer", read="decoder-layer", slip=True)
class NoDropoutInside(_Layer):
    """피드포워드 안의 드롭아웃이 없습니다. 드롭아웃은 ReLU 다음에도 하나 있습니다."""

    def feed_forward(self, x):
        return self.linear2(self.linear1(x).relu())


@wrong("DecoderLayer", read="decoder-layer", slip=True)
class NoDropoutOfWeights(_Layer):
    """어텐션 가중치의 드롭아웃이 없습니다. nn.MultiheadAttention에 dropout을 넘기십시오."""

    def __init__(self, *sizes, **options):
        super().__init__(*sizes, **options)
        self.self_attn.dropout = self.multihead_attn.dropout = 0.0


@wrong("DecoderLayer", read="decoder-layer", slip=True)
class NoDropoutOfOutputs(_Layer):
    """출력에 드롭아웃이 없는 부분층이 있습니다. 세 부분층 모두 더하기 전에 거십시오: x + dropout(부분층(…))."""

    def wrap(self, x, norm, sublayer):
        return x + sublayer(norm(x)) if self.norm_first else norm(x + sublayer(x))


@wrong("DecoderLayer", read="decoder-layer")
class DropsInEvaluation(_Layer):
    """평가할 때도 드롭아웃이 걸립니다. nn.Dropout을 쓰거나 F.dropout에 training=self.training을 넘기십시오."""

    def wrap(self, x, norm, sublayer):
        drop = lambda y: F.dropout(y, self.dropout.p)  # noqa: E731
        return x + drop(sublayer(norm(x))) if self.norm_first else norm(x + drop(sublayer(x)))


@wrong("DecoderLayer", read="decoder-layer")
class GeluInstead(_Layer):
    """GELU를 썼습니다. 이 층의 활성화 함수는 ReLU입니다."""

    def feed_forward(self, x):
        return self.linear2(self.dropout(F.gelu(self.linear1(x))))


@wrong("DecoderLayer", read="decoder-norm-order")
class AlwaysPreNorm(_Layer):
    """norm_first를 보지 않고 언제나 먼저 정규화했습니다."""

    def wrap(self, x, norm, sublayer):
        return x + self.dropout(sublayer(norm(x)))


@wrong("DecoderLayer", read="decoder-norm-order")
class OrdersSwapped(_Layer):
    """norm_first의 뜻이 반대입니다. True이면 부분층보다 먼저 정규화합니다."""

    def __init__(self, *sizes, **options):
        super().__init__(*sizes, **options)
        self.norm_first = not self.norm_first


@wrong("DecoderLayer", read="decoder-norm-order")
class NormalizesOnlyTheSublayer(_Layer):
    """더하기 전에 부분층의 출력만 정규화했습니다. norm_first=False이면 더한 것을 정규화합니다."""

    def wrap(self, x, norm, sublayer):
        return super().wrap(x, norm, sublayer) if self.norm_first else x + norm(self.dropout(sublayer(x)))


@wrong("DecoderLayer", read="decoder-norm-order")
class NormalizesTwice(_Layer):
    """norm_first인데 더한 다음에 또 정규화했습니다. 정규화는 한 번, 부분층 앞에서만 합니다."""

    def wrap(self, x, norm, sublayer):
        out = super().wrap(x, norm, sublayer)
        return norm(out) if self.norm_first else out


@wrong("DecoderLayer", read="decoder-layer")
class FeedForwardBare(_Layer):
    """피드포워드에 잔차 연결이 없습니다. 두 어텐션이 모은 것이 사라집니다. 마지막 부분층도 입력에 더합니다."""

    def wrap(self, x, norm, sublayer):
        return sublayer(x) if sublayer == self.feed_forward else super().wrap(x, norm, sublayer)


@wrong("DecoderLayer", read="decoder-layer", slip=True)
class GradientCut(_Layer):
    """기울기를 끊었습니다(detach, no_grad). 값은 맞지만 이 층을 지나서는 아무것도 배우지 못합니다."""

    def wrap(self, x, norm, sublayer):
        return super().wrap(x.detach(), norm, lambda y: sublayer(y).detach())


@wrong("DecoderLayer", read="two-masks")
class MasksSwapped(_Layer):
    """두 마스크가 뒤바뀌었습니다. self_mask는 셀프 어텐션에, memory_mask는 크로스 어텐션에 씁니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        return super().forward(x, memory, memory_mask, self_mask)


@wrong("DecoderLayer", read="two-masks")
class MemoryMaskPolarity(_Layer):
    """크로스 어텐션의 마스크 극성이 반대입니다. True가 '볼 수 있다'입니다."""

    def to_memory(self, x, memory, mask):
        return super().to_memory(x, memory, None if mask is None else ~mask)


@wrong("DecoderLayer", read="two-masks")
class MakesItsOwnMask(_Layer):
    """층이 스스로 룩어헤드 마스크를 만들었습니다. 마스크는 부르는 쪽이 self_mask로 줍니다."""

    def to_itself(self, x, mask):
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
        return super().to_itself(x, causal if mask is None else causal & mask)


@wrong("DecoderLayer", read="cross-attention")
class MemoryAsQuery(_Layer):
    """질의와 memory의 자리가 뒤바뀌었습니다. 질의는 디코더에서, 키와 값은 memory에서 옵니다."""

    def to_memory(self, x, memory, mask):
        out = self.attend(self.multihead_attn, memory, x, x, None)
        return out[:, : x.shape[1]]


@wrong("DecoderLayer", read="cross-attention", slip=True)
class DetachedMemory(_Layer):
    """memory를 떼어 냈습니다(detach). 값은 맞지만 인코더가 배우지 못합니다."""

    def to_memory(self, x, memory, mask):
        return super().to_memory(x, memory.detach(), mask)


@wrong("DecoderLayer", read="decoder-layer", slip=True)
class HeadsLeftToTorch(_Layer):
    """나누어지지 않는 헤드를 확인하지 않았습니다. nn.MultiheadAttention이 내는 AssertionError 대신 ValueError를 내십시오."""

    def __init__(self, d_model, num_heads, *sizes, **options):
        assert d_model % num_heads == 0
        super().__init__(d_model, num_heads, *sizes, **options)


@wrong("DecoderLayer", read="decoder-layer", slip=True)
class DropsTheInputs(_Layer):
    """부분층의 입력에도 드롭아웃을 걸었습니다. 어텐션과 피드포워드는 지워지지 않은 x를 봅니다."""

    def wrap(self, x, norm, sublayer):
        return super().wrap(x, norm, lambda y: sublayer(self.dropout(y)))


@wrong("DecoderLayer", read="decoder-norm-order")
class ShortcutIsNormalized(_Layer):
    """norm_first에서 정규화한 것에 더했습니다. 지름길은 정규화하지 않은 x이고, 부분층만 정규화한 것을 봅니다."""

    def wrap(self, x, norm, sublayer):
        return super().wrap(
            norm(x) if self.norm_first else x, nn.Identity() if self.norm_first else norm, sublayer
        )


@wrong("DecoderLayer", read="decoder-layer")
class NoResidualAroundSelf(_Layer):
    """셀프 어텐션에 잔차 연결이 없습니다. 들어온 x가 사라집니다."""

    def to_itself(self, x, mask):
        return super().to_itself(x, mask) - self.shortcut

    def wrap(self, x, norm, sublayer):
        self.shortcut = x
        return super().wrap(x, norm, sublayer)


@wrong("DecoderLayer", read="decoder-layer")
class NoActivation(_Layer):
    """피드포워드에 ReLU가 없습니다. 선형 변환 둘을 이으면 하나의 선형 변환일 뿐입니다."""

    def feed_forward(self, x):
        return self.linear2(self.dropout(self.linear1(x)))


@wrong("DecoderLayer", read="two-masks")
class MasksOfOtherSentences(_Layer):
    """마스크가 다른 문장의 것과 섞였습니다. 한 문장의 마스크를 헤드의 수만큼 잇달아 되풀이해야 합니다. 주어진 attend를 쓰십시오."""

    @staticmethod
    def attend(attention, query, key, value, mask):
        if mask is not None:
            mask = ~mask.expand(len(query), query.shape[1], key.shape[1]).repeat(attention.num_heads, 1, 1)
        return attention(query, key, value, attn_mask=mask, need_weights=False)[0]


@wrong("DecoderLayer", read="two-masks", slip=True)
class NothingToSee(_Layer):
    """볼 것이 하나도 없는 질의에서 출력이 NaN입니다. 가중치를 함께 계산하면(need_weights) 그렇습니다. 주어진 attend를 쓰십시오."""

    @staticmethod
    def attend(attention, query, key, value, mask):
        if mask is not None:
            shape = (query.shape[0], query.shape[1], key.shape[1])
            mask = ~mask.expand(shape).repeat_interleave(attention.num_heads, dim=0)
        return attention(query, key, value, attn_mask=mask)[0]


@wrong("DecoderLayer", read="decoder-layer")
class NotBatchFirst(_Layer):
    """문장끼리 섞였습니다. nn.MultiheadAttention은 batch_first=True가 없으면 첫 축을 위치로 봅니다."""

    def __init__(self, *sizes, **options):
        super().__init__(*sizes, **options)
        self.self_attn.batch_first = self.multihead_attn.batch_first = False


@wrong("DecoderLayer", read="decoder-layer", slip=True)
class DropsTheShortcut(_Layer):
    """지름길에도 드롭아웃을 걸었습니다. 드롭아웃은 부분층의 출력에만, 더하기 전에 겁니다."""

    def wrap(self, x, norm, sublayer):
        return self.dropout(x + sublayer(norm(x))) if self.norm_first else norm(self.dropout(x + sublayer(x)))


@wrong("DecoderLayer", read="decoder-layer", slip=True)
class NoDropoutAtAll(_Layer):
    """학습할 때도 드롭아웃이 하나도 걸리지 않습니다. 받은 dropout을 어텐션과 nn.Dropout에 넘기십시오."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(d_model, num_heads, d_ff, 0.0, norm_first)


@wrong("DecoderLayer", read="decoder-layer")
class LastNormsSwapped(_Layer):
    """norm2와 norm3이 뒤바뀌었습니다. norm2는 크로스 어텐션, norm3은 피드포워드의 것입니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        x = self.wrap(x, self.norm1, lambda x: self.to_itself(x, self_mask))
        x = self.wrap(x, self.norm3, lambda x: self.to_memory(x, memory, memory_mask))
        return self.wrap(x, self.norm2, self.feed_forward)


# Decoder ----------------------------------------------------------------------------------------------------


@right_answer("Decoder")
class _Decoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        sizes = (d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList(_Layer(*sizes) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model) if norm_first else None

    def last(self, x):
        return x if self.norm is None else self.norm(x)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        for layer in self.layers:
            x = layer(x, memory, self_mask, memory_mask)
        return self.last(x)


@wrong("Decoder", read="two-masks")
class MasksOnlyTheFirst(_Decoder):
    """self_mask를 첫 층에만 넘겼습니다. 둘째 층부터 미래가 보입니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        for i, layer in enumerate(self.layers):
            x = layer(x, memory, self_mask if i == 0 else None, memory_mask)
        return self.last(x)


@wrong("Decoder", read="two-masks")
class ForgetsMemoryMask(_Decoder):
    """memory_mask를 층에 넘기지 않았습니다. 원문의 패딩에 주의를 나누어 주게 됩니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        for layer in self.layers:
            x = layer(x, memory, self_mask, None)
        return self.last(x)


@wrong("Decoder", read="decoder-stack")
class ReadsItselfForMemory(_Decoder):
    """memory의 자리에 x를 넘겼습니다. 디코더가 원문을 보지 못합니다. 층마다 layer(x, memory, …)로 부르십시오."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        for layer in self.layers:
            x = layer(x, x, self_mask, self_mask)
        return self.last(x)


@wrong("Decoder", read="decoder-norm-order")
class NormalizesMemoryForAll(_Decoder):
    """memory까지 정규화했습니다. 끝의 norm은 마지막 층의 출력에만 씁니다. memory는 인코더가 낸 그대로 넘기십시오."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        return super().forward(x, self.last(memory), self_mask, memory_mask)


@wrong("Decoder", read="decoder-stack")
class MemoryReplaced(_Decoder):
    """한 층의 출력을 다음 층의 memory로 넘겼습니다. 모든 층이 인코더의 같은 출력을 봅니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        for i, layer in enumerate(self.layers):
            x = layer(x, memory if i == 0 else x, self_mask, memory_mask if i == 0 else None)
        return self.last(x)


@wrong("Decoder", read="decoder-norm-order")
class NoLastNorm(_Decoder):
    """norm_first인데 마지막 norm을 쓰지 않았습니다."""

    def last(self, x):
        return x


@wrong("Decoder", read="decoder-stack")
class SharesOneLayer(_Decoder):
    """같은 층을 되풀이해 썼습니다. 층마다 자기 가중치가 있어야 합니다."""

    def __init__(self, num_layers, *sizes, **options):
        super().__init__(num_layers, *sizes, **options)
        self.layers = nn.ModuleList([self.layers[0]] * num_layers)


@wrong("Decoder", read="two-masks")
class ForgetsSelfMask(_Decoder):
    """self_mask를 층에 넘기지 않았습니다. 학습할 때 정답이 보입니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        return super().forward(x, memory, None, memory_mask)


@wrong("Decoder", read="decoder-norm-order")
class AlwaysLastNorm(_Decoder):
    """norm_first=False인데도 끝에 norm을 두었습니다. 마지막 층이 이미 정규화했습니다."""

    def __init__(self, num_layers, d_model, *sizes, **options):
        super().__init__(num_layers, d_model, *sizes, **options)
        self.norm = nn.LayerNorm(d_model)


@wrong("Decoder", read="decoder-stack")
class LayersSideBySide(_Decoder):
    """층들이 모두 같은 입력을 받았습니다. 한 층의 출력이 다음 층의 입력입니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        outputs = [layer(x, memory, self_mask, memory_mask) for layer in self.layers]
        return self.last(torch.stack(outputs).mean(0))


@wrong("Decoder", read="decoder-stack")
class OneLayerTooFew(_Decoder):
    """마지막 층을 빠뜨렸습니다. 층의 수가 하나 모자랍니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        for layer in self.layers[:-1]:
            x = layer(x, memory, self_mask, memory_mask)
        return self.last(x)


@wrong("Decoder", read="decoder-stack")
class OrderNotPassedOn(_Decoder):
    """norm_first를 층에 넘기지 않았습니다. 층들은 언제나 더한 다음 정규화합니다."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, False)
        self.norm = nn.LayerNorm(d_model) if norm_first else None


@wrong("Decoder", read="decoder-stack", slip=True)
class DropoutNotPassedOn(_Decoder):
    """dropout을 층에 넘기지 않았습니다. 층들은 언제나 기본값 0.1을 씁니다."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(num_layers, d_model, num_heads, d_ff, 0.1, norm_first)


@wrong("Decoder", read="two-masks")
class SwapsTheMasks(_Decoder):
    """두 마스크의 자리를 바꾸어 넘겼습니다. 층의 인자는 (x, memory, self_mask, memory_mask)의 차례입니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        return super().forward(x, memory, memory_mask, self_mask)


@wrong("Decoder", read="decoder-stack")
class LayersReversed(_Decoder):
    """층을 거꾸로 지났습니다. 0번 층이 먼저입니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        for layer in reversed(self.layers):
            x = layer(x, memory, self_mask, memory_mask)
        return self.last(x)


@wrong("Decoder", read="decoder-stack")
class MakesNoLastNorm(_Decoder):
    """norm_first=True인데 마지막 norm을 만들지 않았습니다. pre-norm의 출력은 정규화되어 있지 않습니다."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.norm = None


@wrong("Decoder", read="decoder-stack")
class NormAfterEveryLayer(_Decoder):
    """norm을 층마다 걸었습니다. 끝의 norm은 마지막 층 뒤에 한 번만 있습니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        for layer in self.layers:
            x = self.last(layer(x, memory, self_mask, memory_mask))
        return x


@wrong("Decoder", read="two-masks")
class MasksHeadsFirst(_Decoder):
    """마스크를 헤드마다 되풀이하는 차례가 다릅니다. 한 문장의 헤드들이 잇달아 있어야 다른 문장의 마스크를 받지 않습니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        for layer in self.layers:
            layer.attend = self.attend
            x = layer(x, memory, self_mask, memory_mask)
        return self.last(x)

    @staticmethod
    def attend(attention, query, key, value, mask):
        if mask is not None:
            shape = (query.shape[0], query.shape[1], key.shape[1])
            mask = ~mask.expand(shape).repeat(attention.num_heads, 1, 1)
        return attention(query, key, value, attn_mask=mask, need_weights=False)[0]


@wrong("Decoder", read="decoder-stack", slip=True)
class DropoutAroundTheStack(_Decoder):
    """층들 바깥에 드롭아웃을 하나 더 걸었습니다. 드롭아웃은 층 안에만 있습니다."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        return super().forward(self.dropout(x), memory, self_mask, memory_mask)


@wrong("Decoder", read="two-masks")
class MemoryMaskOnlyTheFirst(_Decoder):
    """memory_mask를 첫 층에만 넘겼습니다. 둘째 층부터 원문의 패딩을 봅니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        for i, layer in enumerate(self.layers):
            x = layer(x, memory, self_mask, memory_mask if i == 0 else None)
        return self.last(x)


@wrong("Decoder", read="two-masks")
class SelfMaskPolarity(_Decoder):
    """self_mask를 뒤집지 않고 PyTorch에 넘겼거나 두 번 뒤집었습니다. 이 책의 True는 '볼 수 있다', PyTorch의 True는 '가린다'입니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        return super().forward(x, memory, None if self_mask is None else ~self_mask, memory_mask)


@wrong("Decoder", read="two-masks")
class MemoryMaskTurned(_Decoder):
    """memory_mask를 뒤집지 않고 PyTorch에 넘겼거나 두 번 뒤집었습니다. 이 책의 True는 '볼 수 있다', PyTorch의 True는 '가린다'입니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        return super().forward(x, memory, self_mask, None if memory_mask is None else ~memory_mask)


@wrong("Decoder", read="decoder-stack", slip=True)
class CutBetweenLayers(_Decoder):
    """기울기를 끊었습니다(detach, no_grad). 값은 맞지만 아래의 층들이 배우지 못합니다."""

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        for layer in self.layers:
            x = layer(x.detach(), memory, self_mask, memory_mask)
        return self.last(x)


# generator_logits -------------------------------------------------------------------------------------------


@wrong("generator_logits", read="tied-logits")
def softmax_too(hidden, embedding):
    """소프트맥스까지 했습니다. 손실 함수가 로짓을 받으므로 두 번 하게 됩니다."""
    return (hidden @ embedding.weight.T).softmax(-1)


@wrong("generator_logits", read="tied-logits")
def log_softmax_too(hidden, embedding):
    """로그 소프트맥스까지 했습니다. 로짓은 내적 그대로입니다."""
    return (hidden @ embedding.weight.T).log_softmax(-1)


@wrong("generator_logits", read="tied-logits")
def scaled(hidden, embedding):
    """로짓을 나누었습니다(어텐션의 점수처럼). 로짓은 나누지 않은 내적입니다."""
    return hidden @ embedding.weight.T / hidden.shape[-1] ** 0.5


@wrong("generator_logits", read="tied-logits")
def cosine(hidden, embedding):
    """코사인 유사도를 냈습니다. 로짓은 길이까지 들어가는 내적입니다."""
    weight = embedding.weight / embedding.weight.norm(dim=-1, keepdim=True)
    return hidden / hidden.norm(dim=-1, keepdim=True) @ weight.T


@wrong("generator_logits", read="tied-logits", slip=True)
def detached(hidden, embedding):
    """기울기를 끊었습니다(no_grad, detach). 이대로는 모델 전체가 학습되지 않습니다."""
    return (hidden @ embedding.weight.T).detach()


@wrong("generator_logits", read="tied-logits", slip=True)
def table_detached(hidden, embedding):
    """임베딩의 가중치를 떼어 냈습니다(detach, .data). 값은 맞지만 나가는 쪽에서 임베딩이 배우지 못합니다."""
    return hidden @ embedding.weight.detach().T


@wrong("generator_logits", read="tied-logits")
def multiplied(hidden, embedding):
    """로짓에 수를 곱했습니다. sqrt(d_model)의 곱은 들어오는 임베딩에만 있고, 로짓은 내적 그대로입니다."""
    return hidden @ embedding.weight.T * hidden.shape[-1] ** 0.5


@wrong("generator_logits", read="tied-logits")
def last_position_only(hidden, embedding):
    """마지막 위치의 로짓만 냈습니다. 위치마다 하나씩 내야 합니다."""
    return hidden[..., -1, :] @ embedding.weight.T


@wrong("generator_logits", read="tied-logits")
def rows_of_length_one(hidden, embedding):
    """임베딩 표의 행만 크기 1로 만들었습니다. 로짓은 은닉 상태와 행의 내적 그대로입니다."""
    return hidden @ F.normalize(embedding.weight, dim=-1).T


@wrong("generator_logits", read="tied-logits")
def new_layer_each_time(hidden, embedding):
    """부를 때마다 로짓이 다릅니다. 새로 뽑은 가중치나 편향이 들어갔습니다. 임베딩의 가중치만 쓰고 편향은 두지 않습니다."""
    return nn.Linear(embedding.weight.shape[1], embedding.weight.shape[0]).to(hidden)(hidden)


@wrong("generator_logits", read="tied-logits")
def hidden_of_length_one(hidden, embedding):
    """은닉 상태만 크기 1로 만들었습니다. 로짓은 은닉 상태와 행의 내적 그대로입니다."""
    return F.normalize(hidden, dim=-1) @ embedding.weight.T


@wrong("generator_logits", read="tied-logits")
def only_matrices(hidden, embedding):
    """은닉 상태의 축의 수를 정해 두었습니다. 앞에 붙은 축은 몇 개든 되어야 합니다."""
    return torch.einsum("bnd,vd->bnv", hidden, embedding.weight)


@wrong("generator_logits", read="tied-logits", slip=True)
def padding_hidden(hidden, embedding):
    """패딩의 로짓을 따로 고쳤습니다. 어휘의 모든 행과 내적한 그대로를 냅니다."""
    logits = hidden @ embedding.weight.T
    if embedding.padding_idx is not None:
        logits[..., embedding.padding_idx] = float("-inf")
    return logits
