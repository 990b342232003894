"""Wrong answers that people give to the exercise `modern`."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import misconception

# RMSNorm ------------------------------------------------------------------------------------------------------


class _RMSNorm(nn.Module):
    """The right normalisation, its steps laid open."""

    def __init__(self, d, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(d))

    def widen(self, x):
        return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x

    def center(self, x):
        return x

    def size(self, x):
        return (x.square().mean(-1, keepdim=True) + self.eps).sqrt()

    def scale(self, x):
        return self.weight * x

    def narrow(self, x, dtype):
        return x.to(dtype)

    def forward(self, x):
        wide = self.center(self.widen(x))
        return self.narrow(self.scale(wide / self.size(wide)), x.dtype)


@misconception(
    "RMSNorm",
    hint="평균을 뺐습니다. 그것은 층 정규화입니다. RMSNorm은 나누기만 합니다.",
    read="modern#modern-rmsnorm",
)
class CentersFirst(_RMSNorm):
    def center(self, x):
        return x - x.mean(-1, keepdim=True)


@misconception(
    "RMSNorm",
    hint="평균을 뺀 표준편차로 나누었습니다. 나눌 것은 평균을 빼지 않은 제곱의 평균의 제곱근입니다.",
    read="modern#modern-rmsnorm",
)
class DividesByDeviation(_RMSNorm):
    def size(self, x):
        return (x.var(-1, keepdim=True, unbiased=False) + self.eps).sqrt()


@misconception(
    "RMSNorm",
    hint="제곱의 합으로 나누었습니다. 합이 아니라 평균의 제곱근입니다. 합이면 차원이 클수록 결과가 작아집니다.",
    read="modern#modern-rmsnorm",
)
class DividesByLength(_RMSNorm):
    def size(self, x):
        return (x.square().sum(-1, keepdim=True) + self.eps).sqrt()


@misconception(
    "RMSNorm",
    hint="제곱의 평균으로 나누고 제곱근을 취하지 않았습니다.",
    read="modern#modern-rmsnorm",
)
class NoRoot(_RMSNorm):
    def size(self, x):
        return x.square().mean(-1, keepdim=True) + self.eps


@misconception(
    "RMSNorm",
    hint="절댓값의 평균으로 나누었습니다. 제곱해서 평균하고 제곱근을 취하십시오.",
    read="modern#modern-rmsnorm",
)
class MeanOfAbsolutes(_RMSNorm):
    def size(self, x):
        return x.abs().mean(-1, keepdim=True) + self.eps


@misconception(
    "RMSNorm",
    hint="엡실론을 제곱근 밖에서 더했습니다. 제곱의 평균에 더한 다음 제곱근을 취합니다.",
    read="modern#modern-rmsnorm",
)
class EpsilonOutside(_RMSNorm):
    def size(self, x):
        return x.square().mean(-1, keepdim=True).sqrt() + self.eps


@misconception(
    "RMSNorm",
    hint="weight를 곱하지 않았습니다.",
    read="modern#modern-rmsnorm",
)
class ForgetsTheWeight(_RMSNorm):
    def scale(self, x):
        return x


@misconception(
    "RMSNorm",
    hint="weight에 1을 더해 곱했습니다. 이 연습의 weight는 1로 시작하고 그대로 곱합니다.",
    read="modern#modern-rmsnorm",
)
class OnePlusTheWeight(_RMSNorm):
    def __init__(self, d, eps=1e-6):
        super().__init__(d, eps)
        nn.init.zeros_(self.weight)

    def scale(self, x):
        return (1 + self.weight) * x


@misconception(
    "RMSNorm",
    hint="받은 eps를 쓰지 않았습니다.",
    read="modern#modern-rmsnorm",
)
class FixedEpsilon(_RMSNorm):
    def __init__(self, d, eps=1e-6):
        super().__init__(d)


@misconception(
    "RMSNorm",
    hint="float16을 그대로 제곱했습니다. 65504를 넘으면 무한대가 되어 결과가 0입니다. float32로 바꾸어 계산하십시오.",
    read="modern#modern-half-precision",
)
class StaysInHalfPrecision(_RMSNorm):
    def widen(self, x):
        return x


@misconception(
    "RMSNorm",
    hint="반정밀도의 입력에 float32를 돌려주었습니다. 입력의 자료형으로 되돌리십시오.",
    read="modern#modern-half-precision",
)
class ReturnsFloat32(_RMSNorm):
    def narrow(self, x, dtype):
        return x.float()


@misconception(
    "RMSNorm",
    hint="벡터마다가 아니라 텐서 전체의 평균으로 나누었습니다. 마지막 축에서만 평균하십시오.",
    read="modern#modern-rmsnorm",
)
class OneSizeForAll(_RMSNorm):
    def size(self, x):
        return (x.square().mean() + self.eps).sqrt()


# SwiGLU -------------------------------------------------------------------------------------------------------


class _SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def mix(self, gate, up):
        return F.silu(gate) * up

    def forward(self, x):
        return self.down_proj(self.mix(self.gate_proj(x), self.up_proj(x)))


@misconception(
    "SwiGLU",
    hint="SiLU를 up_proj의 출력에 걸었습니다. gate_proj의 출력에 거십시오.",
    read="modern#modern-swiglu",
)
class GateAndUpSwapped(_SwiGLU):
    def mix(self, gate, up):
        return gate * F.silu(up)


@misconception(
    "SwiGLU",
    hint="곱한 다음 SiLU를 걸었습니다. gate에만 걸고 up은 그대로 곱합니다.",
    read="modern#modern-swiglu",
)
class ActivatesTheProduct(_SwiGLU):
    def mix(self, gate, up):
        return F.silu(gate * up)


@misconception(
    "SwiGLU",
    hint="두 출력 모두에 SiLU를 걸었습니다. gate에만 겁니다.",
    read="modern#modern-swiglu",
)
class ActivatesBoth(_SwiGLU):
    def mix(self, gate, up):
        return F.silu(gate) * F.silu(up)


@misconception(
    "SwiGLU",
    hint="시그모이드만 걸었습니다. 그것은 처음의 GLU입니다. SiLU는 시그모이드에 자기 자신을 곱합니다.",
    read="modern#modern-swiglu",
)
class SigmoidGate(_SwiGLU):
    def mix(self, gate, up):
        return gate.sigmoid() * up


@misconception(
    "SwiGLU",
    hint="SiLU 대신 GELU를 걸었습니다. 그것은 GEGLU입니다.",
    read="modern#modern-swiglu",
)
class GeluGate(_SwiGLU):
    def mix(self, gate, up):
        return F.gelu(gate) * up


@misconception(
    "SwiGLU",
    hint="SiLU 대신 ReLU를 걸었습니다.",
    read="modern#modern-swiglu",
)
class ReluGate(_SwiGLU):
    def mix(self, gate, up):
        return gate.relu() * up


@misconception(
    "SwiGLU",
    hint="두 출력을 더했습니다. 문은 성분마다 곱합니다.",
    read="modern#modern-swiglu",
)
class AddsTheGate(_SwiGLU):
    def mix(self, gate, up):
        return F.silu(gate) + up


@misconception(
    "SwiGLU",
    hint="up_proj를 쓰지 않았습니다. 문만 있고 지나갈 것이 없습니다.",
    read="modern#modern-swiglu",
)
class OnlyTheGate(_SwiGLU):
    def mix(self, gate, up):
        return F.silu(gate)


@misconception(
    "SwiGLU",
    hint="편향이 있습니다. Llama의 행렬에는 편향이 없습니다: bias=False.",
    read="modern#modern-swiglu",
)
class WithBiases(_SwiGLU):
    def __init__(self, d_model, d_ff):
        super().__init__(d_model, d_ff)
        self.gate_proj, self.up_proj = nn.Linear(d_model, d_ff), nn.Linear(d_model, d_ff)
        self.down_proj = nn.Linear(d_ff, d_model)


# apply_rotary -------------------------------------------------------------------------------------------------


def _rotary(
    x,
    positions,
    base=10_000.0,
    layout="half",
    *,
    read=None,
    write=None,
    turn=lambda a, b, sin, cos: (a * cos - b * sin, a * sin + b * cos),
    exponent=lambda i, d: 2 * i / d,
    dtype=torch.float64,
    careful=True,
):
    """The right rotation, its steps laid open; `read` and `write` are the layouts of what comes and goes."""
    d = x.shape[-1]
    if careful and (d % 2 or layout not in ("half", "interleaved")):
        raise ValueError("pairs")
    read, write = read or layout, write or layout
    i = torch.arange(d // 2, dtype=dtype, device=x.device)
    angles = positions[:, None].to(dtype) * torch.tensor(base, dtype=torch.float64).to(dtype) ** -exponent(
        i, d
    )
    sin, cos = angles.sin().to(x.dtype), angles.cos().to(x.dtype)
    half = d // 2
    a, b = (x[..., :half], x[..., half : 2 * half]) if read == "half" else (x[..., 0::2], x[..., 1::2])
    a, b = turn(a, b[..., :half], sin, cos)
    return torch.cat([a, b], -1) if write == "half" else torch.stack([a, b], -1).flatten(-2)


@misconception(
    "apply_rotary",
    hint="반대 방향으로 돌렸습니다. (a cos θ - b sin θ, a sin θ + b cos θ)입니다.",
    read="modern#modern-rotary",
)
def turns_the_other_way(x, positions, base=10_000.0, layout="half"):
    return _rotary(x, -positions, base, layout)


@misconception(
    "apply_rotary",
    hint="b sin θ를 빼지 않고 더했습니다. 회전이 아니어서 벡터의 크기가 바뀝니다.",
    read="modern#modern-rotary",
)
def without_the_minus(x, positions, base=10_000.0, layout="half"):
    return _rotary(
        x,
        positions,
        base,
        layout,
        turn=lambda a, b, sin, cos: (a * cos + b * sin, a * sin + b * cos),
    )


@misconception(
    "apply_rotary",
    hint="지수를 i/d로 적었습니다. i번째 쌍의 빠르기는 base^(-2i/d)입니다.",
    read="modern#modern-rotary",
)
def exponent_without_two(x, positions, base=10_000.0, layout="half"):
    return _rotary(x, positions, base, layout, exponent=lambda i, d: i / d)


@misconception(
    "apply_rotary",
    hint="두 배치를 맞바꾸었습니다. half는 i와 i + d/2, interleaved는 2i와 2i + 1입니다.",
    read="modern#modern-layouts",
)
def layouts_swapped(x, positions, base=10_000.0, layout="half"):
    other = {"half": "interleaved", "interleaved": "half"}
    return _rotary(x, positions, base, layout, read=other.get(layout), write=other.get(layout))


@misconception(
    "apply_rotary",
    hint="layout을 보지 않고 언제나 half로 돌렸습니다.",
    read="modern#modern-layouts",
)
def always_half(x, positions, base=10_000.0, layout="half"):
    return _rotary(x, positions, base, layout, read="half", write="half")


@misconception(
    "apply_rotary",
    hint="layout을 보지 않고 언제나 이웃한 둘을 돌렸습니다.",
    read="modern#modern-layouts",
)
def always_interleaved(x, positions, base=10_000.0, layout="half"):
    return _rotary(x, positions, base, layout, read="interleaved", write="interleaved")


@misconception(
    "apply_rotary",
    hint="이웃한 둘을 돌린 다음 제자리에 되돌리지 않고 앞 절반과 뒤 절반에 모았습니다.",
    read="modern#modern-layouts",
)
def not_put_back(x, positions, base=10_000.0, layout="half"):
    return _rotary(x, positions, base, layout, write="half")


@misconception(
    "apply_rotary",
    hint="받은 base를 쓰지 않고 언제나 10000을 썼습니다.",
    read="modern#modern-rotary",
)
def ignores_the_base(x, positions, base=10_000.0, layout="half"):
    return _rotary(x, positions, 10_000.0, layout)


@misconception(
    "apply_rotary",
    hint="받은 positions를 쓰지 않고 0부터 세었습니다. 생성할 때는 0부터가 아닙니다.",
    read="modern#modern-rotary",
)
def counts_from_zero(x, positions, base=10_000.0, layout="half"):
    return _rotary(x, torch.arange(x.shape[-2], device=x.device), base, layout)


@misconception(
    "apply_rotary",
    hint="각도를 반정밀도로 계산했습니다. 위치가 수천이면 각도가 몇 라디안씩 틀립니다. float32나 float64로 구한 다음 바꾸십시오.",
    read="modern#modern-half-precision",
)
def angles_in_half_precision(x, positions, base=10_000.0, layout="half"):
    return _rotary(x, positions, base, layout, dtype=x.dtype)


@misconception(
    "apply_rotary",
    hint="없는 layout이나 홀수인 d에 ValueError를 내지 않았습니다.",
    read="modern#modern-rotary",
)
def accepts_anything(x, positions, base=10_000.0, layout="half"):
    return _rotary(x, positions, base, layout, careful=False)


# GroupedQueryAttention ----------------------------------------------------------------------------------------


class _Attention(nn.Module):
    """The right attention, its steps laid open."""

    def __init__(self, d_model, num_heads, num_kv_heads, head_dim=None, base=10_000.0):
        super().__init__()
        self.check(d_model, num_heads, num_kv_heads, head_dim)
        self.head_dim = head_dim or d_model // num_heads
        self.d_model, self.group, self.base = d_model, num_heads // num_kv_heads, base
        self.q_proj = nn.Linear(d_model, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, d_model, bias=False)

    def check(self, d_model, num_heads, num_kv_heads, head_dim):
        if num_heads % num_kv_heads or (head_dim is None and d_model % num_heads):
            raise ValueError("heads")

    def heads(self, part):
        return part.view(*part.shape[:2], -1, self.head_dim).transpose(1, 2)

    def turn(self, query, key, value, positions):
        return _rotary(query, positions, self.base), _rotary(key, positions, self.base), value

    def share(self, part):
        return part.repeat_interleave(self.group, dim=1)

    def scale(self):
        return self.head_dim**0.5

    def visible(self, mask):
        return mask[:, None] if mask.dim() == 3 else mask

    def weigh(self, scores, visible):
        nothing = ~visible.any(-1, keepdim=True)
        return scores.masked_fill(~(visible | nothing), -math.inf).softmax(-1).masked_fill(nothing, 0.0)

    def merge(self, mixed):
        return mixed.transpose(1, 2).flatten(2)

    def project(self, mixed):
        return self.o_proj(mixed)

    def forward(self, x, positions=None, mask=None):
        query, key, value = (self.heads(p(x)) for p in (self.q_proj, self.k_proj, self.v_proj))
        if positions is not None:
            query, key, value = self.turn(query, key, value, positions)
        key, value = self.share(key), self.share(value)
        scores = query @ key.transpose(-2, -1) / self.scale()
        if mask is None:
            mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device)
        weights = self.weigh(scores, self.visible(mask))
        return self.project(self.merge(weights @ value)), weights


@misconception(
    "GroupedQueryAttention",
    hint="키·값 헤드를 0 1 0 1처럼 번갈아 되풀이했습니다. 이웃한 헤드가 하나를 나누어 씁니다: 0 0 1 1. repeat_interleave입니다.",
    read="modern#modern-groups",
)
class AlternatingGroups(_Attention):
    def share(self, part):
        return part.repeat(1, self.group, 1, 1)


@misconception(
    "GroupedQueryAttention",
    hint="모든 헤드가 첫 키·값 헤드만 봅니다. 묶음마다 자기 키와 값이 있습니다.",
    read="modern#modern-groups",
)
class OneGroupForAll(_Attention):
    def share(self, part):
        return part[:, :1].expand(-1, part.shape[1] * self.group, -1, -1)


@misconception(
    "GroupedQueryAttention",
    hint="점수를 나누지 않았습니다. 헤드 하나의 차원의 제곱근으로 나누십시오.",
    read="modern#modern-groups",
)
class NoScale(_Attention):
    def scale(self):
        return 1.0


@misconception(
    "GroupedQueryAttention",
    hint="d_model의 제곱근으로 나누었습니다. 나눌 것은 head_dim의 제곱근입니다.",
    read="modern#modern-groups",
)
class ScaledByModel(_Attention):
    def scale(self):
        return self.d_model**0.5


@misconception(
    "GroupedQueryAttention",
    hint="값까지 돌렸습니다. 돌리는 것은 질의와 키뿐입니다.",
    read="modern#modern-rotary",
)
class TurnsTheValues(_Attention):
    def turn(self, query, key, value, positions):
        query, key, _ = super().turn(query, key, value, positions)
        return query, key, _rotary(value, positions, self.base)


@misconception(
    "GroupedQueryAttention",
    hint="키를 돌리지 않았습니다. 질의와 키를 함께 돌려야 점수가 두 위치의 차이에 달립니다.",
    read="modern#modern-rotary",
)
class TurnsOnlyTheQueries(_Attention):
    def turn(self, query, key, value, positions):
        return _rotary(query, positions, self.base), key, value


@misconception(
    "GroupedQueryAttention",
    hint="positions를 받고도 돌리지 않았습니다.",
    read="modern#modern-rotary",
)
class NeverTurns(_Attention):
    def turn(self, query, key, value, positions):
        return query, key, value


@misconception(
    "GroupedQueryAttention",
    hint="이웃한 두 성분을 짝지어 돌렸습니다. 여기서는 half 배치입니다.",
    read="modern#modern-layouts",
)
class InterleavedPairs(_Attention):
    def turn(self, query, key, value, positions):
        query, key = (_rotary(part, positions, self.base, "interleaved") for part in (query, key))
        return query, key, value


@misconception(
    "GroupedQueryAttention",
    hint="받은 base를 apply_rotary에 넘기지 않았습니다.",
    read="modern#modern-rotary",
)
class DefaultBase(_Attention):
    def turn(self, query, key, value, positions):
        return _rotary(query, positions), _rotary(key, positions), value


@misconception(
    "GroupedQueryAttention",
    hint="transpose 없이 view로 헤드를 앞에 놓았습니다. 위치와 헤드가 뒤섞입니다.",
    read="multi_head_attention#splitting-heads",
)
class ViewsWithoutTranspose(_Attention):
    def heads(self, part):
        return part.reshape(part.shape[0], -1, part.shape[1], self.head_dim)


@misconception(
    "GroupedQueryAttention",
    hint="헤드를 합칠 때 축을 되돌리지 않았습니다. (batch, heads, n, head_dim)을 (batch, n, heads, head_dim)으로 바꾼 다음 펴십시오.",
    read="multi_head_attention#splitting-heads",
)
class MergesWithoutTranspose(_Attention):
    def merge(self, mixed):
        return mixed.reshape(mixed.shape[0], mixed.shape[2], -1)


@misconception(
    "GroupedQueryAttention",
    hint="마스크의 극성이 뒤집혔습니다. True가 볼 수 있는 자리입니다.",
    read="masking#polarity",
)
class MaskFlipped(_Attention):
    def visible(self, mask):
        visible = super().visible(mask)
        return visible if visible.all() else ~visible


@misconception(
    "GroupedQueryAttention",
    hint="볼 것이 없는 행이 NaN이 됩니다. 그런 행의 가중치는 0입니다.",
    read="masking#nothing-to-see",
)
class NothingToSeeIsNaN(_Attention):
    def weigh(self, scores, visible):
        return scores.masked_fill(~visible, -math.inf).softmax(-1)


@misconception(
    "GroupedQueryAttention",
    hint="가릴 점수를 큰 음수로 바꾸었습니다. 볼 것이 없는 행이 모든 자리를 고르게 봅니다. 그런 행은 0입니다.",
    read="masking#nothing-to-see",
)
class LargeNegativeNumber(_Attention):
    def weigh(self, scores, visible):
        return scores.masked_fill(~visible, -1e9).softmax(-1)


@misconception(
    "GroupedQueryAttention",
    hint="마스크를 주지 않아도 미래를 가렸습니다. 이 모듈은 받은 마스크만 씁니다.",
    read="modern#modern-groups",
)
class AlwaysCausal(_Attention):
    def visible(self, mask):
        return super().visible(mask).tril()


@misconception(
    "GroupedQueryAttention",
    hint="o_proj를 지나지 않았습니다. 헤드들이 섞이지 않은 채 나갑니다.",
    read="modern#modern-groups",
)
class NoProjection(_Attention):
    def project(self, mixed):
        return mixed


@misconception(
    "GroupedQueryAttention",
    hint="나누어지지 않는 헤드의 수에 ValueError를 내지 않았습니다.",
    read="modern#modern-groups",
)
class AcceptsAnyHeads(_Attention):
    def check(self, d_model, num_heads, num_kv_heads, head_dim):
        pass


# tiled_attention ----------------------------------------------------------------------------------------------


class _Tiles:
    """The right tiles, their steps laid open; `run` makes it a function."""

    def check(self, n_q, n_k, block, causal):
        if block < 1 or (causal and n_q != n_k):
            raise ValueError("tiles")

    def scale(self, d):
        return d**0.5

    def count(self, n_k, block):
        return n_k

    def hide(self, scores, start):
        rows = torch.arange(scores.shape[-2], device=scores.device)[:, None]
        columns = torch.arange(start, start + scores.shape[-1], device=scores.device)
        return scores.masked_fill(columns > rows, -math.inf)

    def higher(self, highest, scores):
        return torch.maximum(highest, scores.amax(-1, keepdim=True))

    def factors(self, highest, higher):
        """By what the old sum and the old output are multiplied."""
        shrink = (highest - higher).exp()
        return shrink, shrink

    def finish(self, output, total, highest):
        return output / total, (highest + total.log()).squeeze(-1)

    def run(self, query, key, value, block, causal=False):
        n_q, n_k = query.shape[-2], key.shape[-2]
        self.check(n_q, n_k, block, causal)
        highest = query.new_full((*query.shape[:-1], 1), -math.inf)
        total, output = 0.0, 0.0
        for start in range(0, self.count(n_k, block), max(1, block)):
            keys, values = key[..., start : start + block, :], value[..., start : start + block, :]
            scores = query @ keys.transpose(-2, -1) / self.scale(query.shape[-1])
            scores = self.hide(scores, start) if causal else scores
            higher = self.higher(highest, scores)
            exps = (scores - higher).exp()
            of_total, of_output = self.factors(highest, higher)
            total = total * of_total + exps.sum(-1, keepdim=True)
            output = output * of_output + exps @ values
            highest = higher
        return self.finish(output, total, highest)


@misconception(
    "tiled_attention",
    hint="최댓값이 바뀌어도 지금까지의 합과 가중합을 줄이지 않았습니다. 둘 다 exp(옛 최댓값 - 새 최댓값)을 곱하십시오.",
    read="modern#modern-tiles",
)
def never_rescaled(*args, **options):
    class Wrong(_Tiles):
        def factors(self, highest, higher):
            return 1.0, 1.0

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="가중합만 줄이고 합은 그대로 두었습니다. 분자와 분모를 같은 수로 줄여야 합니다.",
    read="modern#modern-tiles",
)
def only_the_output_rescaled(*args, **options):
    class Wrong(_Tiles):
        def factors(self, highest, higher):
            return 1.0, (highest - higher).exp()

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="합만 줄이고 가중합은 그대로 두었습니다. 분자와 분모를 같은 수로 줄여야 합니다.",
    read="modern#modern-tiles",
)
def only_the_sum_rescaled(*args, **options):
    class Wrong(_Tiles):
        def factors(self, highest, higher):
            return (highest - higher).exp(), 1.0

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="거꾸로 늘렸습니다. 곱할 것은 exp(새 최댓값 - 옛 최댓값)이 아니라 exp(옛 최댓값 - 새 최댓값)입니다.",
    read="modern#modern-tiles",
)
def inverse_factor(*args, **options):
    class Wrong(_Tiles):
        def factors(self, highest, higher):
            grow = torch.where(highest.isinf(), torch.zeros_like(higher), (higher - highest).exp())
            return grow, grow

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="타일마다 소프트맥스를 따로 취해 평균했습니다. 점수가 큰 타일이 더 큰 몫을 가져야 합니다.",
    read="modern#modern-tiles",
)
def averages_the_tiles(query, key, value, block, causal=False):
    if block < 1 or (causal and query.shape[-2] != key.shape[-2]):
        raise ValueError("tiles")
    outputs, sums = [], []
    for start in range(0, key.shape[-2], block):
        scores = query @ key[..., start : start + block, :].transpose(-2, -1) / query.shape[-1] ** 0.5
        scores = _Tiles().hide(scores, start) if causal else scores
        outputs.append(scores.softmax(-1).nan_to_num(0.0) @ value[..., start : start + block, :])
        sums.append(scores.logsumexp(-1))
    return sum(outputs) / len(outputs), torch.stack(sums).logsumexp(0)


@misconception(
    "tiled_attention",
    hint="최댓값을 빼지 않았습니다. 점수가 크면 exp가 넘쳐 NaN이 됩니다.",
    read="modern#modern-tiles",
)
def without_the_maximum(*args, **options):
    class Wrong(_Tiles):
        def higher(self, highest, scores):
            return torch.zeros_like(highest)

        def factors(self, highest, higher):
            return 1.0, 1.0

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="점수를 √d로 나누지 않았습니다.",
    read="modern#modern-tiles",
)
def unscaled(*args, **options):
    class Wrong(_Tiles):
        def scale(self, d):
            return 1.0

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="block으로 나누고 남은 키를 읽지 않았습니다. 마지막 타일은 작을 수 있습니다.",
    read="modern#modern-tiles",
)
def drops_the_last_tile(*args, **options):
    class Wrong(_Tiles):
        def count(self, n_k, block):
            return max(n_k // max(1, block) * block, min(block, n_k))

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="로그합 대신 최댓값을 돌려주었습니다. 최댓값에 ln D를 더하십시오.",
    read="modern#modern-tiles",
)
def maximum_for_log_sum(*args, **options):
    class Wrong(_Tiles):
        def finish(self, output, total, highest):
            return output / total, highest.squeeze(-1)

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="로그합에 최댓값을 다시 더하지 않았습니다. 합 D는 최댓값을 뺀 점수의 것입니다.",
    read="modern#modern-tiles",
)
def log_sum_without_the_maximum(*args, **options):
    class Wrong(_Tiles):
        def finish(self, output, total, highest):
            return output / total, total.log().squeeze(-1)

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="로그합의 모양이 (..., n_q, 1)입니다. 마지막 축을 없애십시오.",
    read="modern#modern-tiles",
)
def log_sum_keeps_its_axis(*args, **options):
    class Wrong(_Tiles):
        def finish(self, output, total, highest):
            return output / total, highest + total.log()

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="마지막에 합으로 나누지 않았습니다.",
    read="modern#modern-tiles",
)
def never_divided(*args, **options):
    class Wrong(_Tiles):
        def finish(self, output, total, highest):
            return output, (highest + total.log()).squeeze(-1)

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="causal을 무시하고 미래까지 보았습니다.",
    read="modern#modern-tiles-causal",
)
def ignores_causal(*args, **options):
    class Wrong(_Tiles):
        def hide(self, scores, start):
            return scores

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="삼각형을 타일마다 처음부터 그렸습니다. 열 번호는 타일의 시작을 더한 것입니다.",
    read="modern#modern-tiles-causal",
)
def triangle_in_each_tile(*args, **options):
    class Wrong(_Tiles):
        def hide(self, scores, start):
            return super().hide(scores, 0)

    return Wrong().run(*args, **options)


@misconception(
    "tiled_attention",
    hint="점수 전체를 만들었습니다. 출력은 같지만 메모리가 길이의 제곱입니다. 타일 하나의 점수만 만드십시오.",
    read="modern#modern-tiles",
)
def the_whole_matrix(query, key, value, block, causal=False):
    if block < 1 or (causal and query.shape[-2] != key.shape[-2]):
        raise ValueError("tiles")
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    scores = _Tiles().hide(scores, 0) if causal else scores
    return scores.softmax(-1) @ value, scores.logsumexp(-1)


@misconception(
    "tiled_attention",
    hint="질의를 하나씩 읽고 키는 한꺼번에 읽었습니다. 키와 값을 block개씩 읽고 합과 가중합을 고쳐 나가십시오.",
    read="modern#modern-tiles",
)
def row_by_row(query, key, value, block, causal=False):
    if block < 1 or (causal and query.shape[-2] != key.shape[-2]):
        raise ValueError("tiles")
    rows = []
    for i in range(query.shape[-2]):
        end = i + 1 if causal else key.shape[-2]
        row = query[..., i : i + 1, :] @ key[..., :end, :].transpose(-2, -1) / query.shape[-1] ** 0.5
        rows.append((row.softmax(-1) @ value[..., :end, :], row.logsumexp(-1)))
    return tuple(torch.cat(parts, dim) for parts, dim in zip(zip(*rows, strict=True), (-2, -1), strict=True))


@misconception(
    "tiled_attention",
    hint="block이 1보다 작거나, causal인데 n_q와 n_k가 다를 때 ValueError를 내지 않았습니다.",
    read="modern#modern-tiles-causal",
)
def accepts_any_tiles(query, key, value, block, causal=False):
    class Wrong(_Tiles):
        def check(self, *sizes):
            pass

    return Wrong().run(query, key, value, max(1, block), causal)


# route --------------------------------------------------------------------------------------------------------


def _chosen(logits, k):
    if not 1 <= k <= logits.shape[-1]:
        raise ValueError("experts")
    return logits.topk(k, dim=-1)


@misconception(
    "route",
    hint="소프트맥스를 모든 전문가에 걸쳐 취하고 다시 나누지 않았습니다. 고른 전문가의 가중치를 더하면 1이어야 합니다.",
    read="modern#modern-experts",
)
def not_renormalised(logits, k):
    _, experts = _chosen(logits, k)
    return logits.softmax(-1).gather(-1, experts), experts


@misconception(
    "route",
    hint="고르지 않은 로짓을 0으로 바꾸고 소프트맥스를 취했습니다. exp(0)은 1이므로 몫을 가져갑니다. 고른 로짓만 넣으십시오.",
    read="modern#modern-experts",
)
def zeros_for_the_others(logits, k):
    values, experts = _chosen(logits, k)
    kept = torch.zeros_like(logits).scatter(-1, experts, values)
    return kept.softmax(-1).gather(-1, experts), experts


@misconception(
    "route",
    hint="고른 전문가에게 똑같이 나누어 주었습니다. 로짓이 큰 쪽이 더 받아야 하고, 똑같으면 라우터가 배울 것도 없습니다.",
    read="modern#modern-experts",
)
def equal_parts(logits, k):
    values, experts = _chosen(logits, k)
    return torch.full_like(values, 1 / k), experts


@misconception(
    "route",
    hint="시그모이드를 취했습니다. 고른 k개에 걸쳐 소프트맥스를 취해 더하면 1이 되게 하십시오.",
    read="modern#modern-experts",
)
def sigmoids(logits, k):
    values, experts = _chosen(logits, k)
    return values.sigmoid(), experts


@misconception(
    "route",
    hint="로짓을 그대로 합으로 나누었습니다. 소프트맥스를 취하십시오.",
    read="modern#modern-experts",
)
def logits_over_their_sum(logits, k):
    values, experts = _chosen(logits, k)
    return values / values.sum(-1, keepdim=True), experts


@misconception(
    "route",
    hint="로짓이 가장 작은 전문가를 골랐습니다.",
    read="modern#modern-experts",
)
def the_smallest(logits, k):
    _, experts = _chosen(-logits, k)
    return logits.gather(-1, experts).softmax(-1), experts


@misconception(
    "route",
    hint="가중치의 자리와 전문가의 자리가 어긋났습니다. 한쪽만 정렬하지 마십시오.",
    read="modern#modern-experts",
)
def weights_and_experts_apart(logits, k):
    values, experts = _chosen(logits, k)
    return values.softmax(-1), experts.flip(-1)


@misconception(
    "route",
    hint="돌려주는 차례가 뒤바뀌었습니다. (가중치, 전문가)입니다.",
    read="modern#modern-experts",
)
def experts_first(logits, k):
    values, experts = _chosen(logits, k)
    return experts, values.softmax(-1)


@misconception(
    "route",
    hint="토큰의 축에서 소프트맥스를 취했습니다. 토큰마다 고른 전문가에 걸쳐 취하십시오.",
    read="modern#modern-experts",
)
def softmax_over_tokens(logits, k):
    values, experts = _chosen(logits, k)
    return values.softmax(0), experts


@misconception(
    "route",
    hint="k가 1보다 작거나 전문가의 수보다 클 때 ValueError를 내지 않았습니다.",
    read="modern#modern-experts",
)
def accepts_any_k(logits, k):
    values, experts = logits.topk(min(k, logits.shape[-1]), dim=-1)
    return values.softmax(-1), experts


# balance_loss -------------------------------------------------------------------------------------------------


def _shares(logits, experts):
    number_of = logits.shape[-1]
    counts = F.one_hot(experts, number_of).to(logits.dtype).sum((0, 1))
    return number_of, counts / experts.numel(), logits.softmax(-1).mean(0)


@misconception(
    "balance_loss",
    hint="전문가의 수 E를 곱하지 않았습니다. 고르게 나뉘었을 때 1이 되도록 곱합니다.",
    read="modern#modern-balance",
)
def without_the_number(logits, experts):
    _, share, probability = _shares(logits, experts)
    return (share * probability).sum()


@misconception(
    "balance_loss",
    hint="f를 제곱했습니다. 고른 횟수에는 기울기가 없어서 아무것도 배우지 못합니다. P를 곱하십시오.",
    read="modern#modern-balance",
)
def squared_shares(logits, experts):
    number_of, share, probability = _shares(logits, experts)
    return number_of * (share * share).sum() + 0 * probability.sum()


@misconception(
    "balance_loss",
    hint="P를 제곱했습니다. 실제로 어디로 갔는지(f)가 들어가지 않았습니다.",
    read="modern#modern-balance",
)
def squared_probabilities(logits, experts):
    number_of, _, probability = _shares(logits, experts)
    return number_of * (probability * probability).sum()


@misconception(
    "balance_loss",
    hint="f가 몫이 아니라 횟수입니다. 배정 T·k개로 나누십시오.",
    read="modern#modern-balance",
)
def counts_for_shares(logits, experts):
    number_of, share, probability = _shares(logits, experts)
    return number_of * (experts.numel() * share * probability).sum()


@misconception(
    "balance_loss",
    hint="f를 토큰의 수로만 나누었습니다. 토큰마다 k명을 고르므로 T·k로 나누어야 합니다. Hugging Face의 함수가 이렇게 k배를 냅니다.",
    read="modern#modern-balance",
)
def shares_of_tokens(logits, experts):
    number_of, share, probability = _shares(logits, experts)
    return number_of * (experts.shape[1] * share * probability).sum()


@misconception(
    "balance_loss",
    hint="첫째로 고른 전문가만 세었습니다. 고른 k명을 모두 셉니다.",
    read="modern#modern-balance",
)
def only_the_first_choice(logits, experts):
    number_of, share, probability = _shares(logits, experts[:, :1])
    return number_of * (share * probability).sum()


@misconception(
    "balance_loss",
    hint="소프트맥스를 토큰의 축에서 취했습니다. 토큰마다 모든 전문가에 걸쳐 취하십시오.",
    read="modern#modern-balance",
)
def probabilities_over_tokens(logits, experts):
    number_of, share, _ = _shares(logits, experts)
    return number_of * (share * logits.softmax(0).mean(0)).sum()


@misconception(
    "balance_loss",
    hint="소프트맥스를 취하지 않고 로짓을 평균했습니다. P는 확률의 평균입니다.",
    read="modern#modern-balance",
)
def mean_logits(logits, experts):
    number_of, share, _ = _shares(logits, experts)
    return number_of * (share * logits.mean(0)).sum()


@misconception(
    "balance_loss",
    hint="P의 기울기를 끊었습니다. 그러면 라우터가 배우지 못합니다.",
    read="modern#modern-balance",
)
def without_gradient(logits, experts):
    number_of, share, probability = _shares(logits, experts)
    return number_of * (share * probability.detach()).sum()


# Llama --------------------------------------------------------------------------------------------------------


class _Layer(nn.Module):
    def __init__(self, config, base, eps, attention=_Attention):
        super().__init__()
        width = config.hidden_size
        self.input_layernorm, self.post_attention_layernorm = _RMSNorm(width, eps), _RMSNorm(width, eps)
        heads, kv_heads = config.num_attention_heads, config.num_key_value_heads
        self.self_attn = attention(width, heads, kv_heads, config.head_dim, base)
        self.mlp = _SwiGLU(width, config.intermediate_size)

    def forward(self, x, positions, mask):
        x = x + self.self_attn(self.input_layernorm(x), positions, mask)[0]
        return x + self.mlp(self.post_attention_layernorm(x))


class _Llama(nn.Module):
    """The right model, its steps laid open."""

    attention = _Attention

    def __init__(self, config):
        super().__init__()
        self.config = config
        norm = _RMSNorm(config.hidden_size, self.epsilon(config))
        embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        self.model = nn.ModuleDict({"embed_tokens": embedding, "layers": self.stack(config), "norm": norm})
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        if self.ties(config):
            self.lm_head.weight = embedding.weight

    def epsilon(self, config):
        return config.rms_norm_eps

    def base(self, config):
        return config.rope_parameters["rope_theta"]

    def stack(self, config):
        return nn.ModuleList(self.layer(config) for _ in range(config.num_hidden_layers))

    def layer(self, config):
        return _Layer(config, self.base(config), self.epsilon(config), self.attention)

    def ties(self, config):
        return config.tie_word_embeddings

    def embed(self, ids):
        return self.model["embed_tokens"](ids)

    def positions(self, n, device):
        return torch.arange(n, device=device)

    def mask(self, n, device):
        return torch.ones(n, n, dtype=torch.bool, device=device).tril()

    def through(self, layer, x, positions, mask):
        return layer(x, positions, mask)

    def finish(self, x):
        return self.lm_head(self.model["norm"](x))

    def forward(self, ids):
        n = ids.shape[1]
        positions, mask = self.positions(n, ids.device), self.mask(n, ids.device)
        x = self.embed(ids)
        for layer in self.model["layers"]:
            x = self.through(layer, x, positions, mask)
        return self.finish(x)


@misconception(
    "Llama",
    hint="룩어헤드 마스크가 없습니다. 다음 토큰을 맞히면서 다음 토큰을 봅니다.",
    read="masking#look-ahead",
)
class SeesTheFuture(_Llama):
    def mask(self, n, device):
        return torch.ones(n, n, dtype=torch.bool, device=device)


@misconception(
    "Llama",
    hint="위치를 넘기지 않았습니다. 어텐션이 아무것도 돌리지 않습니다.",
    read="modern#modern-llama",
)
class NoPositions(_Llama):
    def positions(self, n, device):
        return torch.zeros(n, dtype=torch.int64, device=device)


@misconception(
    "Llama",
    hint="마지막 정규화 norm을 지나지 않았습니다.",
    read="modern#modern-llama",
)
class NoLastNorm(_Llama):
    def finish(self, x):
        return self.lm_head(x)


@misconception(
    "Llama",
    hint="더한 다음 정규화했습니다. 정규화는 부분층의 앞에 있고 지름길에는 없습니다.",
    read="modern#modern-llama",
)
class PostNorm(_Llama):
    def through(self, layer, x, positions, mask):
        x = layer.input_layernorm(x + layer.self_attn(x, positions, mask)[0])
        return layer.post_attention_layernorm(x + layer.mlp(x))


@misconception(
    "Llama",
    hint="두 부분층이 나란히 있습니다. mlp는 어텐션까지 더한 x를 받습니다.",
    read="modern#modern-llama",
)
class SublayersInParallel(_Llama):
    def through(self, layer, x, positions, mask):
        attended = layer.self_attn(layer.input_layernorm(x), positions, mask)[0]
        return x + attended + layer.mlp(layer.post_attention_layernorm(x))


@misconception(
    "Llama",
    hint="잔차 연결이 없습니다. 부분층의 출력에 x를 더하십시오.",
    read="modern#modern-llama",
)
class NoResidual(_Llama):
    def through(self, layer, x, positions, mask):
        x = layer.self_attn(layer.input_layernorm(x), positions, mask)[0]
        return layer.mlp(layer.post_attention_layernorm(x))


@misconception(
    "Llama",
    hint="두 정규화를 맞바꾸었습니다. input_layernorm이 어텐션의, post_attention_layernorm이 mlp의 것입니다.",
    read="modern#modern-llama",
)
class NormsSwapped(_Llama):
    def through(self, layer, x, positions, mask):
        x = x + layer.self_attn(layer.post_attention_layernorm(x), positions, mask)[0]
        return x + layer.mlp(layer.input_layernorm(x))


@misconception(
    "Llama",
    hint='회전의 밑을 설정에서 읽지 않았습니다. config.rope_parameters["rope_theta"]입니다.',
    read="modern#modern-llama",
)
class DefaultRotaryBase(_Llama):
    def base(self, config):
        return 10_000.0


@misconception(
    "Llama",
    hint="정규화의 엡실론을 설정에서 읽지 않았습니다. config.rms_norm_eps입니다.",
    read="modern#modern-llama",
)
class DefaultEpsilon(_Llama):
    def epsilon(self, config):
        return 1e-6


@misconception(
    "Llama",
    hint="임베딩에 √d를 곱했습니다. 2017년의 트랜스포머는 곱하지만 Llama는 곱하지 않습니다.",
    read="modern#modern-llama",
)
class ScaledEmbedding(_Llama):
    def embed(self, ids):
        return super().embed(ids) * self.config.hidden_size**0.5


@misconception(
    "Llama",
    hint="언제나 lm_head를 임베딩과 묶었습니다. 설정의 tie_word_embeddings가 참일 때만 묶습니다.",
    read="modern#modern-llama",
)
class AlwaysTied(_Llama):
    def ties(self, config):
        return True


@misconception(
    "Llama",
    hint="tie_word_embeddings인데 lm_head와 임베딩을 묶지 않았습니다. 같은 파라미터를 가리키게 하십시오.",
    read="modern#modern-llama",
)
class NeverTied(_Llama):
    def ties(self, config):
        return False


@misconception(
    "Llama",
    hint="층 하나를 되풀이해 썼습니다. [층] * N은 층 하나의 별명 N개입니다.",
    read="modern#modern-llama",
)
class OneLayerAgainAndAgain(_Llama):
    def stack(self, config):
        return nn.ModuleList([self.layer(config)] * config.num_hidden_layers)


# kv_cache_bytes -----------------------------------------------------------------------------------------------


def _numbers(config):
    """Of one token: heads of keys and values, and the size of one."""
    return config.num_key_value_heads, config.head_dim or config.hidden_size // config.num_attention_heads


@misconception(
    "kv_cache_bytes",
    hint="질의 헤드의 수를 곱했습니다. 저장하는 것은 키와 값이므로 num_key_value_heads입니다.",
    read="modern#modern-cache",
)
def counts_query_heads(config, length, dtype, batch=1):
    _, head_dim = _numbers(config)
    return (
        2 * config.num_hidden_layers * config.num_attention_heads * head_dim * length * batch * dtype.itemsize
    )


@misconception(
    "kv_cache_bytes",
    hint="키와 값 가운데 하나만 세었습니다. 둘 다 저장합니다.",
    read="modern#modern-cache",
)
def keys_only(config, length, dtype, batch=1):
    heads, head_dim = _numbers(config)
    return config.num_hidden_layers * heads * head_dim * length * batch * dtype.itemsize


@misconception(
    "kv_cache_bytes",
    hint="한 층만 세었습니다. 키와 값은 층마다 다르므로 층마다 저장합니다.",
    read="modern#modern-cache",
)
def one_layer(config, length, dtype, batch=1):
    heads, head_dim = _numbers(config)
    return 2 * heads * head_dim * length * batch * dtype.itemsize


@misconception(
    "kv_cache_bytes",
    hint="언제나 2바이트로 세었습니다. 자료형의 크기는 dtype.itemsize입니다.",
    read="modern#modern-cache",
)
def always_two_bytes(config, length, dtype, batch=1):
    heads, head_dim = _numbers(config)
    return 2 * config.num_hidden_layers * heads * head_dim * length * batch * 2


@misconception(
    "kv_cache_bytes",
    hint="바이트가 아니라 수의 개수입니다. dtype.itemsize를 곱하십시오.",
    read="modern#modern-cache",
)
def numbers_for_bytes(config, length, dtype, batch=1):
    heads, head_dim = _numbers(config)
    return 2 * config.num_hidden_layers * heads * head_dim * length * batch


@misconception(
    "kv_cache_bytes",
    hint="바이트가 아니라 비트를 세었습니다.",
    read="modern#modern-cache",
)
def bits(config, length, dtype, batch=1):
    heads, head_dim = _numbers(config)
    return 2 * config.num_hidden_layers * heads * head_dim * length * batch * dtype.itemsize * 8


@misconception(
    "kv_cache_bytes",
    hint="batch를 곱하지 않았습니다. 문장마다 캐시가 따로 있습니다.",
    read="modern#modern-cache",
)
def one_sentence(config, length, dtype, batch=1):
    heads, head_dim = _numbers(config)
    return 2 * config.num_hidden_layers * heads * head_dim * length * dtype.itemsize


@misconception(
    "kv_cache_bytes",
    hint="설정의 head_dim을 보지 않았습니다. 있으면 그것이 먼저입니다.",
    read="modern#modern-cache",
)
def ignores_head_dim(config, length, dtype, batch=1):
    head_dim = config.hidden_size // config.num_attention_heads
    heads = config.num_key_value_heads
    return 2 * config.num_hidden_layers * heads * head_dim * length * batch * dtype.itemsize


@misconception(
    "kv_cache_bytes",
    hint="정수가 아니라 실수를 돌려주었습니다. 나눌 때 //를 쓰십시오.",
    read="modern#modern-cache",
)
def a_float(config, length, dtype, batch=1):
    head_dim = config.head_dim or config.hidden_size / config.num_attention_heads
    numbers = 2 * config.num_hidden_layers * config.num_key_value_heads * head_dim
    return float(numbers * length * batch * dtype.itemsize)
