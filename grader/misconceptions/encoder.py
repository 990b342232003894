"""Wrong answers that people give to the exercise `encoder`."""

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# EncoderLayer -----------------------------------------------------------------------------------------------


@right_answer("EncoderLayer")
class _Layer(nn.Module):
    """The right layer, its steps laid open."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("heads")
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, dropout=dropout, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout, self.norm_first = nn.Dropout(dropout), norm_first

    def attention(self, x, mask):
        if mask is not None:
            shape = (x.shape[0], x.shape[1], x.shape[1])
            mask = ~mask.expand(shape).repeat_interleave(self.self_attn.num_heads, dim=0)
        value = x.view_as(x)  # as in `attend`: without it, NaN where a query sees nothing
        return self.self_attn(x, x, value, attn_mask=mask, need_weights=False)[0]

    def feed_forward(self, x):
        return self.linear2(self.dropout(self.linear1(x).relu()))

    def wrap(self, x, norm, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(norm(x)))
        return norm(x + self.dropout(sublayer(x)))

    def forward(self, x, mask=None):
        x = self.wrap(x, self.norm1, lambda x: self.attention(x, mask))
        return self.wrap(x, self.norm2, self.feed_forward)


@wrong("EncoderLayer", read="encoder-masks")
class MaskPolarity(_Layer):
    """마스크의 극성이 반대입니다. nn.MultiheadAttention의 True는 가린다는 뜻이므로 뒤집어 넘겨야 합니다."""

    def attention(self, x, mask):
        return super().attention(x, None if mask is None else ~mask)


@wrong("EncoderLayer", read="encoder-masks")
class IgnoresMask(_Layer):
    """마스크를 쓰지 않았습니다. 패딩에 주의를 나누어 주게 됩니다."""

    def attention(self, x, mask):
        return super().attention(x, None)


@wrong("EncoderLayer", read="encoder-norm-order")
class AlwaysPostNorm(_Layer):
    """norm_first를 보지 않고 언제나 더한 다음 정규화했습니다."""

    def wrap(self, x, norm, sublayer):
        return norm(x + self.dropout(sublayer(x)))


@wrong("EncoderLayer", read="encoder-norm-order")
class NormalizedShortcut(_Layer):
    """norm_first에서 지름길까지 정규화했습니다. 지름길로 가는 x는 그대로 두십시오."""

    def wrap(self, x, norm, sublayer):
        if not self.norm_first:
            return super().wrap(x, norm, sublayer)
        x = norm(x)
        return x + self.dropout(sublayer(x))


@wrong("EncoderLayer", read="encoder-layer")
class NoResidual(_Layer):
    """잔차 연결을 빠뜨렸습니다. 부분층의 출력에 그 입력을 더해야 합니다."""

    def wrap(self, x, norm, sublayer):
        return self.dropout(sublayer(norm(x))) if self.norm_first else norm(self.dropout(sublayer(x)))


@wrong("EncoderLayer", read="encoder-layer")
class OneNormForBoth(_Layer):
    """norm2를 쓰지 않았습니다. norm1은 어텐션, norm2는 피드포워드의 것입니다."""

    def forward(self, x, mask=None):
        x = self.wrap(x, self.norm1, lambda x: self.attention(x, mask))
        return self.wrap(x, self.norm1, self.feed_forward)


@wrong("EncoderLayer", read="encoder-layer")
class NoActivation(_Layer):
    """피드포워드의 ReLU가 빠졌습니다."""

    def feed_forward(self, x):
        return self.linear2(self.dropout(self.linear1(x)))


@wrong("EncoderLayer", read="encoder-layer")
class SublayersInParallel(_Layer):
    """피드포워드가 어텐션의 출력이 아니라 층의 입력을 받았습니다. 두 부분층은 차례로 이어집니다."""

    def forward(self, x, mask=None):
        attended = self.wrap(x, self.norm1, lambda x: self.attention(x, mask))
        if self.norm_first:
            return attended + self.dropout(self.feed_forward(self.norm2(x)))
        return self.norm2(attended + self.dropout(self.feed_forward(x)))


@wrong("EncoderLayer", read="encoder-dropout", slip=True)
class DropsTheShortcut(_Layer):
    """드롭아웃을 지름길까지 걸었습니다. x를 더하기 전에, 부분층의 출력에만 거십시오."""

    def wrap(self, x, norm, sublayer):
        return self.dropout(x + sublayer(norm(x))) if self.norm_first else norm(self.dropout(x + sublayer(x)))


@wrong("EncoderLayer", read="encoder-layer")
class BatchSecond(_Layer):
    """batch_first=True를 빠뜨렸습니다. 배치 축을 시간으로 읽어 문장끼리 섞입니다."""

    def __init__(self, *sizes, **options):
        super().__init__(*sizes, **options)
        self.self_attn.batch_first = False


@wrong("EncoderLayer", read="encoder-dropout", slip=True)
class NoDropoutInside(_Layer):
    """피드포워드 안의 드롭아웃이 없습니다. 드롭아웃은 ReLU 다음에도 하나 있습니다."""

    def feed_forward(self, x):
        return self.linear2(self.linear1(x).relu())


@wrong("EncoderLayer", read="encoder-dropout", slip=True)
class NoDropoutOfWeights(_Layer):
    """어텐션 가중치의 드롭아웃이 없습니다. nn.MultiheadAttention에 dropout을 넘기십시오."""

    def __init__(self, *sizes, **options):
        super().__init__(*sizes, **options)
        self.self_attn.dropout = 0.0


@wrong("EncoderLayer", read="encoder-dropout", slip=True)
class NoDropoutOfOutputs(_Layer):
    """부분층의 출력에 드롭아웃이 없습니다. 더하기 전에 거십시오: x + dropout(부분층(…))."""

    def wrap(self, x, norm, sublayer):
        return x + sublayer(norm(x)) if self.norm_first else norm(x + sublayer(x))


@wrong("EncoderLayer", read="encoder-dropout")
class DropsInEvaluation(_Layer):
    """평가할 때도 드롭아웃이 걸립니다. nn.Dropout을 쓰거나 F.dropout에 training=self.training을 넘기십시오."""

    def wrap(self, x, norm, sublayer):
        drop = lambda y: F.dropout(y, self.dropout.p)  # noqa: E731
        return x + drop(sublayer(norm(x))) if self.norm_first else norm(x + drop(sublayer(x)))


@wrong("EncoderLayer", read="encoder-layer")
class GeluInstead(_Layer):
    """GELU를 썼습니다. 이 층의 활성화 함수는 ReLU입니다."""

    def feed_forward(self, x):
        return self.linear2(self.dropout(F.gelu(self.linear1(x))))


@wrong("EncoderLayer", read="encoder-norm-order")
class AlwaysPreNorm(_Layer):
    """norm_first를 보지 않고 언제나 먼저 정규화했습니다."""

    def wrap(self, x, norm, sublayer):
        return x + self.dropout(sublayer(norm(x)))


@wrong("EncoderLayer", read="encoder-norm-order")
class OrdersSwapped(_Layer):
    """norm_first의 뜻이 반대입니다. True이면 부분층보다 먼저 정규화합니다."""

    def __init__(self, *sizes, **options):
        super().__init__(*sizes, **options)
        self.norm_first = not self.norm_first


@wrong("EncoderLayer", read="encoder-norm-order")
class NormalizesOnlyTheSublayer(_Layer):
    """더하기 전에 부분층의 출력만 정규화했습니다. norm_first=False이면 더한 것을 정규화합니다."""

    def wrap(self, x, norm, sublayer):
        return super().wrap(x, norm, sublayer) if self.norm_first else x + norm(self.dropout(sublayer(x)))


@wrong("EncoderLayer", read="encoder-norm-order")
class NormalizesTwice(_Layer):
    """norm_first인데 더한 다음에 또 정규화했습니다. 정규화는 한 번, 부분층 앞에서만 합니다."""

    def wrap(self, x, norm, sublayer):
        out = super().wrap(x, norm, sublayer)
        return norm(out) if self.norm_first else out


@wrong("EncoderLayer", read="encoder-layer")
class FeedForwardBare(_Layer):
    """피드포워드에 잔차 연결이 없습니다. 둘째 부분층의 출력에도 그 입력을 더합니다."""

    def wrap(self, x, norm, sublayer):
        return sublayer(x) if sublayer == self.feed_forward else super().wrap(x, norm, sublayer)


@wrong("EncoderLayer", read="encoder-layer", slip=True)
class GradientCut(_Layer):
    """기울기를 끊었습니다(detach, no_grad). 값은 맞지만 이 층을 지나서는 아무것도 배우지 못합니다."""

    def wrap(self, x, norm, sublayer):
        return super().wrap(x.detach(), norm, lambda y: sublayer(y).detach())


@wrong("EncoderLayer", read="encoder-layer")
class FeedForwardFirst(_Layer):
    """두 부분층의 차례가 뒤바뀌었습니다. 셀프 어텐션이 먼저, 피드포워드가 다음입니다."""

    def forward(self, x, mask=None):
        x = self.wrap(x, self.norm1, self.feed_forward)
        return self.wrap(x, self.norm2, lambda x: self.attention(x, mask))


@wrong("EncoderLayer", read="encoder-layer", slip=True)
class HeadsLeftToTorch(_Layer):
    """나누어지지 않는 헤드를 ValueError로 거절하지 않습니다. nn.MultiheadAttention이 내는 AssertionError는 ValueError가 아닙니다."""

    def __init__(self, d_model, num_heads, *sizes, **options):
        assert d_model % num_heads == 0
        super().__init__(d_model, num_heads, *sizes, **options)


@wrong("EncoderLayer", read="encoder-layer")
class FeedForwardFirstWithItsNorm(_Layer):
    """피드포워드 신경망을 어텐션보다 먼저 했습니다. 어텐션(norm1)이 먼저, 피드포워드(norm2)가 다음입니다."""

    def forward(self, x, mask=None):
        x = self.wrap(x, self.norm2, self.feed_forward)
        return self.wrap(x, self.norm1, lambda x: self.attention(x, mask))


@wrong("EncoderLayer", read="encoder-norm-order")
class NormalizesOnlyTheQuery(_Layer):
    """pre-norm에서 질의만 정규화했습니다. 셀프 어텐션은 질의, 키, 값이 모두 norm1(x)입니다."""

    def forward(self, x, mask=None):
        if not self.norm_first:
            return super().forward(x, mask)
        if mask is not None:
            shape = (x.shape[0], x.shape[1], x.shape[1])
            mask = ~mask.expand(shape).repeat_interleave(self.self_attn.num_heads, dim=0)
        attended = self.self_attn(self.norm1(x), x, x, attn_mask=mask, need_weights=False)[0]
        return self.wrap(x + self.dropout(attended), self.norm2, self.feed_forward)


@wrong("EncoderLayer", read="encoder-layer")
class SecondShortcutFromTheInput(_Layer):
    """둘째 잔차를 층의 입력에서 이었습니다. 둘째 부분층은 첫째 부분층의 결과에 더합니다."""

    def forward(self, x, mask=None):
        attended = self.wrap(x, self.norm1, lambda x: self.attention(x, mask))
        if self.norm_first:
            return x + self.dropout(self.feed_forward(self.norm2(attended)))
        return self.norm2(x + self.dropout(self.feed_forward(attended)))


@wrong("EncoderLayer", read="encoder-dropout", slip=True)
class DropoutOnlyOfOutputs(_Layer):
    """드롭아웃이 부분층의 출력에만 있습니다. 어텐션 가중치와 ReLU 뒤에도 있어야 합니다."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.self_attn.dropout = 0.0

    def feed_forward(self, x):
        return self.linear2(self.linear1(x).relu())


@wrong("EncoderLayer", read="encoder-dropout", slip=True)
class DropsTheInputs(_Layer):
    """부분층의 입력에도 드롭아웃을 걸었습니다. 어텐션과 피드포워드는 지워지지 않은 x를 봅니다."""

    def wrap(self, x, norm, sublayer):
        return super().wrap(x, norm, lambda y: sublayer(self.dropout(y)))


@wrong("EncoderLayer", read="encoder-layer")
class AttentionBare(_Layer):
    """어텐션에 잔차 연결이 없습니다. 첫째 부분층의 출력에도 그 입력 x를 더합니다."""

    def wrap(self, x, norm, sublayer):
        return super().wrap(x, norm, sublayer) if sublayer == self.feed_forward else sublayer(x)


@wrong("EncoderLayer", read="encoder-layer")
class SecondNormForBoth(_Layer):
    """norm1을 쓰지 않았습니다. norm1은 어텐션, norm2는 피드포워드의 것입니다."""

    def forward(self, x, mask=None):
        x = self.wrap(x, self.norm2, lambda x: self.attention(x, mask))
        return self.wrap(x, self.norm2, self.feed_forward)


@wrong("EncoderLayer", read="encoder-layer")
class ActivationAtTheEnd(_Layer):
    """ReLU를 linear2 다음에 걸었습니다. ReLU는 linear1과 linear2 사이에 있습니다."""

    def feed_forward(self, x):
        return self.linear2(self.dropout(self.linear1(x))).relu()


@wrong("EncoderLayer", read="encoder-norm-order")
class NormalizesAllButTheQuery(_Layer):
    """pre-norm에서 키와 값만 정규화했습니다. 셀프 어텐션은 질의, 키, 값이 모두 norm1(x)입니다."""

    def forward(self, x, mask=None):
        if not self.norm_first:
            return super().forward(x, mask)
        normed = self.norm1(x)
        attended = self.self_attn(x, normed, normed, need_weights=False)[0]
        return self.wrap(x + self.dropout(attended), self.norm2, self.feed_forward)


@wrong("EncoderLayer", read="encoder-masks")
class MaskHeadsFirst(_Layer):
    """마스크를 헤드마다 되풀이하는 차례가 다릅니다. 한 문장의 헤드들이 잇달아 있어야 다른 문장의 마스크를 받지 않습니다."""

    def attention(self, x, mask):
        if mask is not None:
            shape = (x.shape[0], x.shape[1], x.shape[1])
            mask = ~mask.expand(shape).repeat(self.self_attn.num_heads, 1, 1)
        return self.self_attn(x, x, x, attn_mask=mask, need_weights=False)[0]


@wrong("EncoderLayer", read="encoder-masks")
class MaskNotExpanded(_Layer):
    """마스크의 모양을 다 받지 못합니다. (n, n)도 (batch, 1, n)도 먼저 (batch, n, n)으로 펼치십시오."""

    def attention(self, x, mask):
        mask = None if mask is None else ~mask
        return self.self_attn(x, x, x, attn_mask=mask, need_weights=False)[0]


@wrong("EncoderLayer", read="encoder-masks", slip=True)
class AsksForTheWeights(_Layer):
    """볼 것이 하나도 없는 질의에서 NaN이 나옵니다. 어텐션은 주어진 attend로 부르십시오."""

    def attention(self, x, mask):
        if mask is not None:
            shape = (x.shape[0], x.shape[1], x.shape[1])
            mask = ~mask.expand(shape).repeat_interleave(self.self_attn.num_heads, dim=0)
        return self.self_attn(x, x, x, attn_mask=mask)[0]


@wrong("EncoderLayer", read="encoder-layer", slip=True)
class ChangesItsInput(_Layer):
    """받은 x를 그 자리에서 바꾸었습니다(+=). 부르는 쪽의 입력이 바뀝니다. x = x + …로 새 텐서를 만드십시오."""

    def forward(self, x, mask=None):
        out = super().forward(x, mask)
        x.add_(1)
        return out


@wrong("EncoderLayer", read="encoder-dropout", slip=True)
class DropoutIgnored(_Layer):
    """인자 dropout을 쓰지 않았습니다. 부분층의 출력에 걸리는 확률이 언제나 같습니다."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(d_model, num_heads, d_ff, 0.1, norm_first)


@wrong("EncoderLayer", read="encoder-dropout", slip=True)
class DropsTheFeedForwardTwice(_Layer):
    """피드포워드에 드롭아웃이 하나 더 있습니다. ReLU 다음에 하나, 더하기 전에 하나뿐입니다."""

    def feed_forward(self, x):
        return self.dropout(super().feed_forward(x))


@wrong("EncoderLayer", read="torch-structure")
class OtherNames(_Layer):
    """파라미터의 이름이 다릅니다. self_attn, linear1, linear2, norm1, norm2여야 그 가중치를 불러올 수 있습니다."""

    def __init__(self, *sizes, **options):
        super().__init__(*sizes, **options)
        self.attention_norm = self.norm1
        del self.norm1


@wrong("EncoderLayer", read="encoder-layer")
class RefusesWhatDivides(_Layer):
    """d_model이 num_heads로 나누어지는데도 거절했습니다. d_model을 num_heads로 나눈 나머지를 보십시오."""

    def __init__(self, d_model, num_heads, *sizes, **options):
        if num_heads % d_model:
            raise ValueError("heads")
        super().__init__(d_model, num_heads, *sizes, **options)


# Encoder ----------------------------------------------------------------------------------------------------


@right_answer("Encoder")
class _Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        sizes = (d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList(_Layer(*sizes) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model) if norm_first else None

    def last(self, x):
        return x if self.norm is None else self.norm(x)

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return self.last(x)


@wrong("Encoder", read="encoder-stack")
class SharesOneLayer(_Encoder):
    """같은 층을 되풀이해 썼습니다. 층마다 자기 가중치가 있어야 합니다. [layer] * N은 층 하나의 별명 N개입니다."""

    def __init__(self, num_layers, *sizes, **options):
        super().__init__(num_layers, *sizes, **options)
        self.layers = nn.ModuleList([self.layers[0]] * num_layers)


@wrong("Encoder", read="encoder-masks")
class MasksOnlyTheFirst(_Encoder):
    """마스크를 첫 층에만 넘겼습니다. 모든 층에 넘기십시오."""

    def forward(self, x, mask=None):
        for i, layer in enumerate(self.layers):
            x = layer(x, mask if i == 0 else None)
        return self.last(x)


@wrong("Encoder", read="encoder-last-norm")
class NoLastNorm(_Encoder):
    """norm_first인데 마지막 norm을 쓰지 않았습니다. 출력이 정규화되지 않은 채 나갑니다."""

    def last(self, x):
        return x


@wrong("Encoder", read="encoder-last-norm")
class AlwaysLastNorm(_Encoder):
    """norm_first=False인데도 끝에 norm을 두었습니다. 마지막 층이 이미 정규화했습니다."""

    def __init__(self, num_layers, d_model, *sizes, **options):
        super().__init__(num_layers, d_model, *sizes, **options)
        self.norm = nn.LayerNorm(d_model)


@wrong("Encoder", read="encoder-stack")
class LayersSideBySide(_Encoder):
    """층들이 모두 같은 입력을 받았습니다. 한 층의 출력이 다음 층의 입력입니다."""

    def forward(self, x, mask=None):
        return self.last(torch.stack([layer(x, mask) for layer in self.layers]).mean(0))


@wrong("Encoder", read="encoder-stack")
class OneLayerTooFew(_Encoder):
    """마지막 층을 지나지 않았습니다. num_layers개를 모두 차례로 지나야 합니다."""

    def forward(self, x, mask=None):
        for layer in self.layers[:-1]:
            x = layer(x, mask)
        return self.last(x)


@wrong("Encoder", read="encoder-masks")
class ForgetsTheMask(_Encoder):
    """마스크를 층에 넘기지 않았습니다. 패딩에 주의를 나누어 주게 됩니다."""

    def forward(self, x, mask=None):
        return super().forward(x, None)


@wrong("Encoder", read="encoder-last-norm")
class NormAfterEveryLayer(_Encoder):
    """norm을 층마다 걸었습니다. 끝의 norm은 마지막 층 뒤에 한 번만 있습니다."""

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = self.last(layer(x, mask))
        return x


@wrong("Encoder", read="encoder-stack")
class OrderNotPassedOn(_Encoder):
    """norm_first를 층에 넘기지 않았습니다. 층들은 언제나 더한 다음 정규화합니다."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, False)
        self.norm = nn.LayerNorm(d_model) if norm_first else None


@wrong("Encoder", read="encoder-stack", slip=True)
class DropoutNotPassedOn(_Encoder):
    """dropout을 층에 넘기지 않았습니다. 층들은 언제나 기본값 0.1을 씁니다."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(num_layers, d_model, num_heads, d_ff, 0.1, norm_first)


@wrong("Encoder", read="encoder-stack")
class PlainList(_Encoder):
    """층을 파이썬 리스트에 담았습니다. 그러면 파라미터로 세어지지 않아 학습되지도 저장되지도 않습니다. nn.ModuleList를 쓰십시오."""

    def __init__(self, *sizes, **options):
        super().__init__(*sizes, **options)
        layers = list(self.layers)
        for layer in layers:
            for parameter in layer.parameters():
                nn.init.constant_(parameter, 0.1)
        del self.layers
        self.layers = layers

    def eval(self):
        for layer in self.layers:
            layer.eval()
        return super().eval()


@wrong("Encoder", read="encoder-stack")
class ResidualAroundTheStack(_Encoder):
    """마지막 층에 입력 x를 다시 더했습니다. 잔차 연결은 층 안에 이미 있습니다."""

    def forward(self, x, mask=None):
        return x + super().forward(x, mask)


@wrong("Encoder", read="encoder-stack")
class EveryLayerReadsTheInput(_Encoder):
    """층마다 처음의 입력을 읽었습니다. 다음 층은 앞 층의 출력을 읽습니다."""

    def forward(self, x, mask=None):
        return self.last([layer(x, mask) for layer in self.layers][-1])


@wrong("Encoder", read="encoder-last-norm")
class MakesNoLastNorm(_Encoder):
    """norm_first=True인데 마지막 norm을 만들지 않았습니다. pre-norm의 출력은 정규화되어 있지 않습니다."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.norm = None


@wrong("Encoder", read="encoder-stack", slip=True)
class DropoutAroundTheStack(_Encoder):
    """층들 바깥에 드롭아웃을 하나 더 걸었습니다. 드롭아웃은 층 안에만 있습니다."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        return super().forward(self.dropout(x), mask)


@right_answer("Encoder")
class _OfTorch(_Encoder):
    """Of the library's layers, with their mask."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList(
            self.layer(d_model, num_heads, d_ff, dropout, norm_first) for _ in self.layers
        )
        self.heads = num_heads

    def layer(self, d_model, num_heads, d_ff, dropout, norm_first):
        return nn.TransformerEncoderLayer(
            d_model, num_heads, d_ff, dropout, batch_first=True, norm_first=norm_first
        )

    def hidden(self, mask):
        return ~mask.repeat_interleave(self.heads, dim=0)

    def forward(self, x, mask=None):
        if mask is not None:
            mask = self.hidden(mask.expand(x.shape[0], x.shape[1], x.shape[1]))
        return super().forward(x, mask)


@wrong("Encoder", read="encoder-masks")
class MaskNotInverted(_OfTorch):
    """마스크의 극성이 반대입니다. nn.TransformerEncoderLayer의 True는 가린다는 뜻이므로 뒤집어 넘겨야 합니다."""

    def hidden(self, mask):
        return ~super().hidden(mask)


@wrong("Encoder", read="encoder-masks")
class MaskOfTheStackHeadsFirst(_OfTorch):
    """마스크를 헤드마다 되풀이하는 차례가 다릅니다. 한 문장의 헤드들이 잇달아 있어야 다른 문장의 마스크를 받지 않습니다."""

    def hidden(self, mask):
        return ~mask.repeat(self.heads, 1, 1)


@wrong("Encoder", read="encoder-masks")
class MaskOfTheStackNotExpanded(_OfTorch):
    """마스크의 모양을 다 받지 못합니다. (n, n)도 (batch, 1, n)도 먼저 (batch, n, n)으로 펼치십시오."""

    def forward(self, x, mask=None):
        return _Encoder.forward(self, x, None if mask is None else ~mask)


@wrong("Encoder", read="torch-structure")
class StackReadsBatchesAsTime(_OfTorch):
    """nn.TransformerEncoderLayer에 batch_first=True를 빠뜨렸습니다. 배치 축을 시간으로 읽어 문장끼리 섞입니다."""

    def layer(self, d_model, num_heads, d_ff, dropout, norm_first):
        return nn.TransformerEncoderLayer(d_model, num_heads, d_ff, dropout, norm_first=norm_first)


@wrong("Encoder", read="encoder-stack")
class WidthNotPassedOn(_OfTorch):
    """d_ff를 층에 넘기지 않았습니다. 피드포워드의 너비가 d_ff가 아닙니다."""

    def layer(self, d_model, num_heads, d_ff, dropout, norm_first):
        return super().layer(d_model, num_heads, 2048, dropout, norm_first)


@wrong("Encoder", read="encoder-stack")
class ReturnsAfterTheFirst(_Encoder):
    """첫 층만 지나고 끝났습니다. 되풀이를 마치기 전에 돌려주지 않는지 보십시오."""

    def forward(self, x, mask=None):
        return self.last(self.layers[0](x, mask))


@wrong("Encoder", read="encoder-last-norm")
class NormBeforeTheLayers(_Encoder):
    """norm을 층들보다 먼저 걸었습니다. 끝의 norm은 마지막 층의 출력에 겁니다."""

    def forward(self, x, mask=None):
        x = self.last(x)
        for layer in self.layers:
            x = layer(x, mask)
        return x


@wrong("Encoder", read="encoder-last-norm")
class NormTheOtherWay(_Encoder):
    """norm을 두는 경우가 반대입니다. norm_first=True일 때만 끝에 norm이 있습니다."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.norm = None if norm_first else nn.LayerNorm(d_model)


@wrong("Encoder", read="encoder-stack", slip=True)
class StackCutsTheGradient(_Encoder):
    """기울기를 끊었습니다(detach, no_grad). 값은 맞지만 앞의 층들은 아무것도 배우지 못합니다."""

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x.detach(), mask)
        return self.last(x)


@wrong("Encoder", read="encoder-stack")
class LayersUnderAnotherName(_Encoder):
    """층들이 layers라는 이름에 있지 않습니다. nn.ModuleList를 self.layers에 두십시오."""

    def __init__(self, *sizes, **options):
        super().__init__(*sizes, **options)
        self.blocks = self.layers
        del self.layers


@wrong("Encoder", read="encoder-stack")
class MakesOneLayerTooFew(_Encoder):
    """층을 num_layers개보다 하나 적게 만들었습니다."""

    def __init__(self, num_layers, *sizes, **options):
        super().__init__(num_layers - 1, *sizes, **options)


# count_parameters_by_part -----------------------------------------------------------------------------------


def _count(attention, feed_forward, norm, num_layers):
    parts = {"attention": attention, "feed_forward": feed_forward, "norm": norm}
    parts = {name: num_layers * count for name, count in parts.items()}
    return {**parts, "total": sum(parts.values())}


@wrong("count_parameters_by_part", read="encoder-counting")
def without_biases(d_model, d_ff, num_heads, num_layers):
    """편향을 세지 않았습니다. nn.Linear마다 나가는 차원만큼 편향이 있습니다."""
    return _count(4 * d_model**2, 2 * d_model * d_ff, 4 * d_model, num_layers)


@wrong("count_parameters_by_part", read="encoder-counting")
def times_heads(d_model, d_ff, num_heads, num_layers):
    """헤드의 수를 곱했습니다. 헤드는 행렬을 나누어 쓰므로 헤드의 수는 파라미터의 수를 바꾸지 않습니다."""
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    return _count(num_heads * 4 * (d_model**2 + d_model), feed_forward, 4 * d_model, num_layers)


@wrong("count_parameters_by_part", read="encoder-counting")
def three_matrices(d_model, d_ff, num_heads, num_layers):
    """W_O를 세지 않았습니다. 어텐션의 행렬은 질의, 키, 값, 출력 넷입니다."""
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    return _count(3 * (d_model**2 + d_model), feed_forward, 4 * d_model, num_layers)


@wrong("count_parameters_by_part", read="encoder-counting")
def one_norm(d_model, d_ff, num_heads, num_layers):
    """층 정규화의 파라미터가 절반입니다. 한 층에 정규화가 둘이고, 저마다 weight와 bias가 있습니다."""
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    return _count(4 * (d_model**2 + d_model), feed_forward, 2 * d_model, num_layers)


@wrong("count_parameters_by_part", read="encoder-counting")
def one_layer(d_model, d_ff, num_heads, num_layers):
    """한 층만 셌습니다. num_layers를 곱하십시오."""
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    return _count(4 * (d_model**2 + d_model), feed_forward, 4 * d_model, 1)


@wrong("count_parameters_by_part", read="encoder-counting")
def total_of_one_layer(d_model, d_ff, num_heads, num_layers):
    """total을 한 층의 합으로 냈습니다. total도 모든 층을 더한 것입니다."""
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    right = _count(4 * d_model**2 + 4 * d_model, feed_forward, 4 * d_model, num_layers)
    return {**right, "total": right["total"] // num_layers}


@wrong("count_parameters_by_part", read="encoder-counting")
def last_norm_too(d_model, d_ff, num_heads, num_layers):
    """마지막 norm까지 셌습니다. 맨 끝의 norm은 세지 않습니다."""
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    right = _count(4 * d_model**2 + 4 * d_model, feed_forward, 4 * d_model, num_layers)
    return {**right, "norm": right["norm"] + 2 * d_model, "total": right["total"] + 2 * d_model}


@wrong("count_parameters_by_part", read="encoder-counting")
def feed_forward_without_biases(d_model, d_ff, num_heads, num_layers):
    """피드포워드의 편향을 세지 않았습니다. linear1에 d_ff개, linear2에 d_model개가 있습니다."""
    return _count(4 * d_model**2 + 4 * d_model, 2 * d_model * d_ff, 4 * d_model, num_layers)


@wrong("count_parameters_by_part", read="encoder-counting")
def layers_only_in_total(d_model, d_ff, num_heads, num_layers):
    """부분마다는 한 층의 수이고 전체만 층의 수를 곱했습니다. 부분의 합이 전체와 같아야 합니다."""
    parts = _count(4 * d_model * (d_model + 1), 2 * d_model * d_ff + d_ff + d_model, 4 * d_model, 1)
    return {**parts, "total": num_layers * parts["total"]}


def _right(d_model, d_ff, num_layers):
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    return _count(4 * (d_model**2 + d_model), feed_forward, 4 * d_model, num_layers)


@wrong("count_parameters_by_part", read="encoder-counting")
def attention_with_one_bias(d_model, d_ff, num_heads, num_layers):
    """어텐션의 편향이 모자랍니다. 질의, 키, 값, 출력의 행렬마다 d_model개가 있습니다."""
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    return _count(4 * d_model**2 + d_model, feed_forward, 4 * d_model, num_layers)


@wrong("count_parameters_by_part", read="encoder-counting")
def of_one_head(d_model, d_ff, num_heads, num_layers):
    """헤드 하나의 크기 d_model / num_heads로 셌습니다. 헤드를 모두 모으면 행렬의 열도 편향도 d_model개입니다."""
    d_k, feed_forward = d_model // num_heads, 2 * d_model * d_ff + d_ff + d_model
    return _count(3 * (d_model + 1) * d_k + d_model**2 + d_model, feed_forward, 4 * d_model, num_layers)


@wrong("count_parameters_by_part", read="encoder-counting")
def one_linear(d_model, d_ff, num_heads, num_layers):
    """피드포워드의 행렬을 하나만 셌습니다. linear1과 linear2 둘입니다."""
    return _count(4 * (d_model**2 + d_model), d_model * d_ff + d_ff, 4 * d_model, num_layers)


@wrong("count_parameters_by_part", read="encoder-counting")
def other_biases(d_model, d_ff, num_heads, num_layers):
    """피드포워드의 편향의 수가 다릅니다. linear1에 d_ff개, linear2에 d_model개가 있습니다."""
    return _count(4 * (d_model**2 + d_model), 2 * (d_model * d_ff + d_ff), 4 * d_model, num_layers)


@wrong("count_parameters_by_part", read="encoder-counting")
def three_norms(d_model, d_ff, num_heads, num_layers):
    """층마다 정규화를 셋 셌습니다. 인코더 층에는 둘입니다."""
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    return _count(4 * (d_model**2 + d_model), feed_forward, 6 * d_model, num_layers)


@wrong("count_parameters_by_part", read="encoder-counting")
def layers_of_some_parts(d_model, d_ff, num_heads, num_layers):
    """num_layers를 곱하지 않은 부분이 있습니다. 어텐션, 피드포워드, 정규화에 모두 곱합니다."""
    parts = {**_right(d_model, d_ff, num_layers), "norm": 4 * d_model}
    return {**parts, "total": parts["attention"] + parts["feed_forward"] + parts["norm"]}


@wrong("count_parameters_by_part", read="encoder-counting")
def layers_twice_in_total(d_model, d_ff, num_heads, num_layers):
    """total에 num_layers를 두 번 곱했습니다. 부분마다 이미 모든 층을 셌으니 그 합이 total입니다."""
    right = _right(d_model, d_ff, num_layers)
    return {**right, "total": num_layers * right["total"]}


@wrong("count_parameters_by_part", read="encoder-counting")
def total_without_norms(d_model, d_ff, num_heads, num_layers):
    """total에 정규화를 더하지 않았습니다. total은 세 부분의 합입니다."""
    right = _right(d_model, d_ff, num_layers)
    return {**right, "total": right["total"] - right["norm"]}
