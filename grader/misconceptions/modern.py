"""Wrong answers that people give to the exercise `modern`."""

import math
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# RMSNorm ------------------------------------------------------------------------------------------------------


@right_answer("RMSNorm")
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


@wrong("RMSNorm", read="modern-rmsnorm")
class CentersFirst(_RMSNorm):
    """평균을 뺐습니다. 그것은 층 정규화입니다. RMSNorm은 나누기만 합니다."""

    def center(self, x):
        return x - x.mean(-1, keepdim=True)


@wrong("RMSNorm", read="modern-rmsnorm")
class DividesByDeviation(_RMSNorm):
    """평균을 뺀 표준편차로 나누었습니다. 나눌 것은 평균을 빼지 않은 제곱의 평균의 제곱근입니다."""

    def size(self, x):
        return (x.var(-1, keepdim=True, unbiased=False) + self.eps).sqrt()


@wrong("RMSNorm", read="modern-rmsnorm")
class DividesByLength(_RMSNorm):
    """제곱의 합으로 나누었습니다. 합이 아니라 평균의 제곱근입니다. 합이면 차원이 클수록 결과가 작아집니다."""

    def size(self, x):
        return (x.square().sum(-1, keepdim=True) + self.eps).sqrt()


@wrong("RMSNorm", read="modern-rmsnorm")
class NoRoot(_RMSNorm):
    """제곱의 평균으로 나누고 제곱근을 취하지 않았습니다."""

    def size(self, x):
        return x.square().mean(-1, keepdim=True) + self.eps


@wrong("RMSNorm", read="modern-rmsnorm")
class MeanOfAbsolutes(_RMSNorm):
    """절댓값의 평균으로 나누었습니다. 제곱해서 평균하고 제곱근을 취하십시오."""

    def size(self, x):
        return x.abs().mean(-1, keepdim=True) + self.eps


@wrong("RMSNorm", read="modern-rmsnorm")
class EpsilonOutside(_RMSNorm):
    """엡실론을 더하는 자리가 다릅니다. 제곱의 평균에 더한 다음, 그 합의 제곱근을 취합니다."""

    def size(self, x):
        return x.square().mean(-1, keepdim=True).sqrt() + self.eps


@wrong("RMSNorm", read="modern-rmsnorm")
class ForgetsTheWeight(_RMSNorm):
    """weight를 곱하지 않았습니다."""

    def scale(self, x):
        return x


@wrong("RMSNorm", read="modern-rmsnorm")
class OnePlusTheWeight(_RMSNorm):
    """weight에 1을 더해 곱했습니다. 이 연습의 weight는 1로 시작하고 그대로 곱합니다."""

    def __init__(self, d, eps=1e-6):
        super().__init__(d, eps)
        nn.init.zeros_(self.weight)

    def scale(self, x):
        return (1 + self.weight) * x


@wrong("RMSNorm", read="modern-rmsnorm")
class FixedEpsilon(_RMSNorm):
    """받은 eps를 쓰지 않았습니다."""

    def __init__(self, d, eps=1e-6):
        super().__init__(d)


@wrong("RMSNorm", read="modern-half-precision", slip=True)
class StaysInHalfPrecision(_RMSNorm):
    """float16을 그대로 제곱했습니다. 65504를 넘으면 무한대가 되어 결과가 0입니다. float32로 바꾸어 계산하십시오."""

    def widen(self, x):
        return x


@wrong("RMSNorm", read="modern-half-precision", slip=True)
class ReturnsFloat32(_RMSNorm):
    """반정밀도의 입력에 float32를 돌려주었습니다. 입력의 자료형으로 되돌리십시오."""

    def narrow(self, x, dtype):
        return x.float()


@wrong("RMSNorm", read="modern-rmsnorm")
class OneSizeForAll(_RMSNorm):
    """벡터마다가 아니라 텐서 전체의 평균으로 나누었습니다. 마지막 축에서만 평균하십시오."""

    def size(self, x):
        return (x.square().mean() + self.eps).sqrt()


@wrong("RMSNorm", read="modern-rmsnorm")
class SizeOfColumns(_RMSNorm):
    """마지막 축이 아니라 앞의 축을 따라 평균했습니다. 벡터 하나의 성분끼리 평균하십시오."""

    def size(self, x):
        return (x.square().mean(0, keepdim=True) + self.eps).sqrt()


@wrong("RMSNorm", read="modern-rmsnorm")
class SizeAlongTheSecondAxis(_RMSNorm):
    """축이 둘일 때는 맞고 셋일 때는 틀립니다. 축이 몇 개든 마지막 축에서만 평균하십시오."""

    def size(self, x):
        return (x.square().mean(1, keepdim=True) + self.eps).sqrt()


@wrong("RMSNorm", read="modern-rmsnorm")
class DropsTheAxis(_RMSNorm):
    """평균한 축을 남기지 않아서 엉뚱한 축에 맞추어 나누었습니다. keepdim=True로 축을 남기십시오."""

    def size(self, x):
        return (x.square().mean(-1) + self.eps).sqrt()


@wrong("RMSNorm", read="modern-rmsnorm")
class MultipliesByTheSize(_RMSNorm):
    """제곱의 평균의 제곱근을 나누지 않고 곱했습니다."""

    def size(self, x):
        return 1 / super().size(x)


@wrong("RMSNorm", read="modern-rmsnorm")
class ScalesFirst(_RMSNorm):
    """weight를 먼저 곱하고 나누었습니다. 나눌 것은 곱하기 전의 x의 크기입니다."""

    def center(self, x):
        return self.weight * x

    def scale(self, x):
        return x


@wrong("RMSNorm", read="modern-rmsnorm")
class NoEpsilon(_RMSNorm):
    """eps를 더하지 않았습니다. 0뿐인 벡터에서 0을 0으로 나눕니다."""

    def size(self, x):
        return x.square().mean(-1, keepdim=True).sqrt()


@wrong("RMSNorm", read="modern-rmsnorm", slip=True)
class OtherDefaultEpsilon(_RMSNorm):
    """eps를 주지 않았을 때의 값이 1e-6이 아닙니다."""

    def __init__(self, d, eps=1e-5):
        super().__init__(d, eps)


@wrong("RMSNorm", read="modern-rmsnorm")
class NothingToLearn(_RMSNorm):
    """배우는 weight가 없습니다. 그냥 텐서나 버퍼는 배우지 않습니다: nn.Parameter로 두십시오."""

    def __init__(self, d, eps=1e-6):
        super().__init__(d, eps)
        del self.weight
        self.weight = torch.ones(d)


@wrong("RMSNorm", read="modern-rmsnorm")
class OtherName(_RMSNorm):
    """배우는 배율의 이름이 weight가 아닙니다. 이름이 다르면 가중치를 불러올 수 없습니다."""

    def __init__(self, d, eps=1e-6):
        super().__init__(d, eps)
        del self.weight
        self.gain = nn.Parameter(torch.ones(d))

    def scale(self, x):
        return self.gain * x


@wrong("RMSNorm", read="modern-rmsnorm", slip=True)
class WithShift(_RMSNorm):
    """이동을 더하는 파라미터가 있습니다. 층 정규화와 달리 배우는 것은 배율뿐입니다."""

    def __init__(self, d, eps=1e-6):
        super().__init__(d, eps)
        self.bias = nn.Parameter(torch.zeros(d))

    def scale(self, x):
        return self.weight * x + self.bias


@wrong("RMSNorm", read="modern-rmsnorm")
class OneWeightForAll(_RMSNorm):
    """weight가 수 하나입니다. 성분마다 배율이 하나씩, (d,)입니다."""

    def __init__(self, d, eps=1e-6):
        super().__init__(1, eps)


@wrong("RMSNorm", read="modern-rmsnorm")
class WeightFromZero(_RMSNorm):
    """weight가 1로 시작하지 않습니다."""

    def __init__(self, d, eps=1e-6):
        super().__init__(d, eps)
        nn.init.zeros_(self.weight)


@wrong("RMSNorm", read="modern-rmsnorm")
class ChangesItsInput(_RMSNorm):
    """받은 x를 제자리에서 바꾸었습니다. 지름길이 같은 x를 쓰므로 새 텐서를 만드십시오."""

    def forward(self, x):
        return self.narrow(self.scale(x.div_(self.size(self.widen(x)))), x.dtype)


@wrong("RMSNorm", read="modern-rmsnorm", slip=True)
class SizeWithoutGradient(_RMSNorm):
    """기울기가 도중에 끊겼습니다. 나누는 수도 x로 구한 것이므로 detach나 no_grad 없이 구하십시오."""

    def size(self, x):
        return super().size(x).detach()


@wrong("RMSNorm", read="modern-half-precision", slip=True)
class WidensOnlyFloat16(_RMSNorm):
    """bfloat16의 입력을 bfloat16으로 계산했거나 다른 자료형으로 돌려주었습니다. float16과 똑같이 float32로 계산하고 되돌립니다."""

    def widen(self, x):
        return x.float() if x.dtype == torch.float16 else x


@wrong("RMSNorm", read="modern-half-precision", slip=True)
class AlwaysFloat32(_RMSNorm):
    """float64까지 float32로 계산했습니다. float32로 바꿀 것은 float16과 bfloat16뿐입니다."""

    def widen(self, x):
        return x.float()

    def scale(self, x):
        return self.weight.float() * x


# SwiGLU -------------------------------------------------------------------------------------------------------


@right_answer("SwiGLU")
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


@wrong("SwiGLU", read="modern-swiglu")
class GateAndUpSwapped(_SwiGLU):
    """SiLU를 up_proj의 출력에 걸었습니다. gate_proj의 출력에 거십시오."""

    def mix(self, gate, up):
        return gate * F.silu(up)


@wrong("SwiGLU", read="modern-swiglu")
class ActivatesTheProduct(_SwiGLU):
    """곱한 다음 SiLU를 걸었습니다. gate에만 걸고 up은 그대로 곱합니다."""

    def mix(self, gate, up):
        return F.silu(gate * up)


@wrong("SwiGLU", read="modern-swiglu")
class ActivatesBoth(_SwiGLU):
    """두 출력 모두에 SiLU를 걸었습니다. gate에만 겁니다."""

    def mix(self, gate, up):
        return F.silu(gate) * F.silu(up)


@wrong("SwiGLU", read="modern-swiglu")
class SigmoidGate(_SwiGLU):
    """시그모이드만 걸었습니다. 그것은 처음의 GLU입니다. SiLU는 시그모이드에 자기 자신을 곱합니다."""

    def mix(self, gate, up):
        return gate.sigmoid() * up


@wrong("SwiGLU", read="modern-swiglu")
class SigmoidOfUp(_SwiGLU):
    """up_proj의 출력에 시그모이드를 걸었습니다. gate_proj의 출력에 SiLU를 거십시오."""

    def mix(self, gate, up):
        return gate * up.sigmoid()


@wrong("SwiGLU", read="modern-swiglu")
class GeluGate(_SwiGLU):
    """SiLU 대신 GELU를 걸었습니다. 그것은 GEGLU입니다."""

    def mix(self, gate, up):
        return F.gelu(gate) * up


@wrong("SwiGLU", read="modern-swiglu")
class ReluGate(_SwiGLU):
    """SiLU 대신 ReLU를 걸었습니다."""

    def mix(self, gate, up):
        return gate.relu() * up


@wrong("SwiGLU", read="modern-swiglu")
class AddsTheGate(_SwiGLU):
    """두 출력을 더했습니다. 문은 성분마다 곱합니다."""

    def mix(self, gate, up):
        return F.silu(gate) + up


@wrong("SwiGLU", read="modern-swiglu")
class OnlyTheGate(_SwiGLU):
    """up_proj를 쓰지 않았습니다. 문만 있고 지나갈 것이 없습니다."""

    def mix(self, gate, up):
        return F.silu(gate)


@wrong("SwiGLU", read="modern-swiglu")
class WithBiases(_SwiGLU):
    """편향이 있습니다. Llama의 행렬에는 편향이 없습니다: bias=False."""

    def __init__(self, d_model, d_ff):
        super().__init__(d_model, d_ff)
        self.gate_proj, self.up_proj = nn.Linear(d_model, d_ff), nn.Linear(d_model, d_ff)
        self.down_proj = nn.Linear(d_ff, d_model)


@wrong("SwiGLU", read="modern-swiglu")
class OtherMatrices(nn.Module):
    """gate_proj, up_proj, down_proj라는 행렬 셋이 아닙니다. 셋을 따로, 그 이름으로 두십시오."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w1, self.w3 = nn.Linear(d_model, d_ff, bias=False), nn.Linear(d_model, d_ff, bias=False)
        self.w2 = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


@wrong("SwiGLU", read="modern-swiglu", slip=True)
class LearnsMore(_SwiGLU):
    """행렬 셋 말고도 배우는 파라미터가 있습니다."""

    def __init__(self, d_model, d_ff):
        super().__init__(d_model, d_ff)
        self.beta = nn.Parameter(torch.ones(()))

    def mix(self, gate, up):
        return gate * (self.beta * gate).sigmoid() * up


@wrong("SwiGLU", read="modern-swiglu")
class TwoThirdsAgain(_SwiGLU):
    """은닉 차원이 받은 d_ff가 아닙니다. 3분의 2로 줄이거나 배수로 올리는 일은 부르는 쪽이 합니다. d_ff를 그대로 쓰십시오."""

    def __init__(self, d_model, d_ff):
        super().__init__(d_model, 2 * d_ff // 3)


@wrong("SwiGLU", read="modern-swiglu")
class AddsTheInput(_SwiGLU):
    """x를 더했습니다. 잔차 연결은 SwiGLU의 밖, 층에서 더합니다."""

    def forward(self, x):
        return x + super().forward(x)


@wrong("SwiGLU", read="modern-swiglu")
class LinearGate(_SwiGLU):
    """SiLU를 걸지 않았습니다. 문은 gate_proj의 출력에 SiLU를 건 것입니다."""

    def mix(self, gate, up):
        return gate * up


@wrong("SwiGLU", read="modern-swiglu")
class TanhGate(_SwiGLU):
    """SiLU 대신 tanh를 걸었습니다."""

    def mix(self, gate, up):
        return gate.tanh() * up


@wrong("SwiGLU", read="modern-swiglu")
class SoftmaxGate(_SwiGLU):
    """SiLU 대신 소프트맥스를 걸었습니다. 문은 성분마다 따로 여닫습니다."""

    def mix(self, gate, up):
        return gate.softmax(-1) * up


@wrong("SwiGLU", read="modern-swiglu")
class GatesItself(_SwiGLU):
    """gate_proj의 출력을 두 번 썼습니다. 지나갈 값은 up_proj의 출력입니다."""

    def mix(self, gate, up):
        return F.silu(gate) * gate


@wrong("SwiGLU", read="modern-swiglu")
class UpAlone(_SwiGLU):
    """up_proj의 출력을 두 번 썼습니다. 문은 gate_proj의 출력으로 만듭니다."""

    def mix(self, gate, up):
        return F.silu(up) * up


@wrong("SwiGLU", read="modern-swiglu")
class ActivatesTheOutput(_SwiGLU):
    """down_proj의 출력에 SiLU를 걸었습니다. SiLU는 gate_proj의 출력에만 겁니다."""

    def forward(self, x):
        return F.silu(self.down_proj(self.gate_proj(x) * self.up_proj(x)))


@wrong("SwiGLU", read="modern-swiglu")
class ActivatesTheInput(_SwiGLU):
    """입력에 SiLU를 걸었습니다. SiLU는 gate_proj의 출력에만 겁니다."""

    def forward(self, x):
        return self.down_proj(self.gate_proj(F.silu(x)) * self.up_proj(x))


@wrong("SwiGLU", read="modern-swiglu", slip=True)
class OverflowingSigmoid(_SwiGLU):
    """큰 입력에서 지수가 넘쳐 NaN이 됩니다. exp(z) / (1 + exp(z))가 아니라 1 / (1 + exp(-z))로 적거나 F.silu를 부르십시오."""

    def mix(self, gate, up):
        return gate * gate.exp() / (1 + gate.exp()) * up


@wrong("SwiGLU", read="modern-swiglu", slip=True)
class GateWithoutGradient(_SwiGLU):
    """문으로 가는 기울기를 끊었습니다. 그러면 gate_proj가 배우지 못합니다."""

    def mix(self, gate, up):
        return F.silu(gate).detach() * up


# apply_rotary -------------------------------------------------------------------------------------------------


@right_answer("apply_rotary")
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


@wrong("apply_rotary", read="modern-rotary")
def turns_the_other_way(x, positions, base=10_000.0, layout="half"):
    """반대 방향으로 돌렸습니다. (a cos θ - b sin θ, a sin θ + b cos θ)입니다."""
    return _rotary(x, -positions, base, layout)


@wrong("apply_rotary", read="modern-rotary")
def without_the_minus(x, positions, base=10_000.0, layout="half"):
    """b sin θ를 빼지 않고 더했습니다. 회전이 아니어서 벡터의 크기가 바뀝니다."""
    return _rotary(
        x,
        positions,
        base,
        layout,
        turn=lambda a, b, sin, cos: (a * cos + b * sin, a * sin + b * cos),
    )


@wrong("apply_rotary", read="modern-rotary")
def exponent_without_two(x, positions, base=10_000.0, layout="half"):
    """지수를 i/d로 적었습니다. i번째 쌍의 빠르기는 base^(-2i/d)입니다."""
    return _rotary(x, positions, base, layout, exponent=lambda i, d: i / d)


@wrong("apply_rotary", read="modern-layouts")
def layouts_swapped(x, positions, base=10_000.0, layout="half"):
    """두 배치를 맞바꾸었습니다. half는 i와 i + d/2, interleaved는 2i와 2i + 1입니다."""
    other = {"half": "interleaved", "interleaved": "half"}
    return _rotary(x, positions, base, layout, read=other.get(layout), write=other.get(layout))


@wrong("apply_rotary", read="modern-layouts")
def always_half(x, positions, base=10_000.0, layout="half"):
    """layout을 보지 않고 언제나 half로 돌렸습니다."""
    return _rotary(x, positions, base, layout, read="half", write="half")


@wrong("apply_rotary", read="modern-layouts")
def always_interleaved(x, positions, base=10_000.0, layout="half"):
    """layout을 보지 않고 언제나 이웃한 둘을 돌렸습니다."""
    return _rotary(x, positions, base, layout, read="interleaved", write="interleaved")


@wrong("apply_rotary", read="modern-layouts")
def not_put_back(x, positions, base=10_000.0, layout="half"):
    """이웃한 둘을 돌린 다음 제자리에 되돌리지 않고 앞 절반과 뒤 절반에 모았습니다."""
    return _rotary(x, positions, base, layout, write="half")


@wrong("apply_rotary", read="modern-layouts")
def put_side_by_side(x, positions, base=10_000.0, layout="half"):
    """half에서도 돌린 두 성분을 이웃하게 놓았습니다. 성분 i와 i + d/2의 자리로 되돌리십시오."""
    return _rotary(x, positions, base, layout, write="interleaved")


@wrong("apply_rotary", read="modern-layouts")
def read_in_halves(x, positions, base=10_000.0, layout="half"):
    """interleaved에서도 앞 절반과 뒤 절반을 짝지었습니다. 짝은 2i와 2i + 1입니다."""
    return _rotary(x, positions, base, layout, read="half")


@wrong("apply_rotary", read="modern-rotary")
def second_before_first(x, positions, base=10_000.0, layout="half"):
    """돌린 두 성분의 자리를 맞바꾸었습니다. a cos θ - b sin θ가 첫 성분의 자리에 놓입니다."""
    return _rotary(
        x,
        positions,
        base,
        layout,
        turn=lambda a, b, sin, cos: (a * sin + b * cos, a * cos - b * sin),
    )


@wrong("apply_rotary", read="modern-rotary", slip=True)
def ignores_the_base(x, positions, base=10_000.0, layout="half"):
    """받은 base를 쓰지 않고 언제나 10000을 썼습니다."""
    return _rotary(x, positions, 10_000.0, layout)


@wrong("apply_rotary", read="modern-rotary")
def counts_from_zero(x, positions, base=10_000.0, layout="half"):
    """받은 positions를 쓰지 않고 0부터 세었습니다. 생성할 때는 0부터가 아닙니다."""
    return _rotary(x, torch.arange(x.shape[-2], device=x.device), base, layout)


@wrong("apply_rotary", read="modern-half-precision", slip=True)
def angles_in_half_precision(x, positions, base=10_000.0, layout="half"):
    """각도를 반정밀도로 계산했습니다. 위치가 수천이면 각도가 몇 라디안씩 틀립니다. float32나 float64로 구한 다음 바꾸십시오."""
    return _rotary(x, positions, base, layout, dtype=x.dtype)


@wrong("apply_rotary", read="modern-rotary", slip=True)
def accepts_anything(x, positions, base=10_000.0, layout="half"):
    """없는 layout이나 홀수인 d에 ValueError를 내지 않았습니다."""
    return _rotary(x, positions, base, layout, careful=False)


@wrong("apply_rotary", read="modern-rotary", slip=True)
def accepts_any_layout(x, positions, base=10_000.0, layout="half"):
    """없는 layout에 ValueError를 내지 않았습니다."""
    return _rotary(x, positions, base, layout if layout == "half" else "interleaved")


@wrong("apply_rotary", read="modern-rotary", slip=True)
def accepts_odd_sizes(x, positions, base=10_000.0, layout="half"):
    """d가 홀수일 때 ValueError를 내지 않았습니다. 어느 layout에서나 냅니다."""
    if layout not in ("half", "interleaved"):
        raise ValueError("layout")
    return _rotary(x, positions, base, layout, careful=False)


@wrong("apply_rotary", read="modern-rotary")
def minus_twice(x, positions, base=10_000.0, layout="half"):
    """b cos θ에 a sin θ를 더하지 않고 뺐습니다. 회전이 아니어서 벡터의 크기가 바뀝니다."""
    return _rotary(
        x,
        positions,
        base,
        layout,
        turn=lambda a, b, sin, cos: (a * cos - b * sin, b * cos - a * sin),
    )


@wrong("apply_rotary", read="modern-rotary")
def sine_for_cosine(x, positions, base=10_000.0, layout="half"):
    """사인과 코사인을 맞바꾸었습니다. 위치 0에서는 코사인이 1이라 아무것도 돌지 않아야 합니다."""
    return _rotary(
        x,
        positions,
        base,
        layout,
        turn=lambda a, b, sin, cos: (a * sin - b * cos, a * cos + b * sin),
    )


def _one_after_another(a, b, sin, cos):
    a = a * cos - b * sin
    return a, a * sin + b * cos


@wrong("apply_rotary", read="modern-rotary")
def first_overwritten(x, positions, base=10_000.0, layout="half"):
    """둘째 성분을 이미 돌린 첫 성분으로 구했습니다. 두 식의 a는 모두 돌리기 전의 것입니다."""
    return _rotary(x, positions, base, layout, turn=_one_after_another)


@wrong("apply_rotary", read="modern-rotary")
def exponent_doubled(x, positions, base=10_000.0, layout="half"):
    """지수가 두 배입니다. 2i는 0, 2, 4, …이고, 그것을 d로 나눈 것이 지수입니다."""
    return _rotary(x, positions, base, layout, exponent=lambda i, d: 4 * i / d)


@wrong("apply_rotary", read="modern-rotary")
def faster_and_faster(x, positions, base=10_000.0, layout="half"):
    """지수의 부호가 반대입니다. 뒤의 쌍일수록 느리게 돕니다: base^(-2i/d)."""
    return _rotary(x, positions, base, layout, exponent=lambda i, d: -2 * i / d)


@wrong("apply_rotary", read="modern-rotary")
def pairs_from_one(x, positions, base=10_000.0, layout="half"):
    """쌍을 1부터 세었습니다. 첫 쌍은 i = 0이고, 위치 하나에 1라디안 돕니다."""
    return _rotary(x, positions, base, layout, exponent=lambda i, d: 2 * (i + 1) / d)


@wrong("apply_rotary", read="modern-rotary")
def one_speed(x, positions, base=10_000.0, layout="half"):
    """모든 쌍을 같은 각도로 돌렸습니다. i번째 쌍의 빠르기는 base^(-2i/d)입니다."""
    return _rotary(x, positions, base, layout, exponent=lambda i, d: 0 * i)


@wrong("apply_rotary", read="modern-rotary")
def one_position_on(x, positions, base=10_000.0, layout="half"):
    """위치에 1을 더했습니다. 받은 positions를 그대로 씁니다."""
    return _rotary(x, positions + 1, base, layout)


def _by_signs(x, positions, base, layout, angles, partners):
    """x cos θ + partner sin θ, with the angles in the order of one layout and the partners of another."""
    d = x.shape[-1]
    if d % 2 or layout not in ("half", "interleaved"):
        raise ValueError("pairs")
    speeds = float(base) ** (-torch.arange(0, d, 2, dtype=torch.float64, device=x.device) / d)
    speeds = speeds.repeat(2) if angles == "half" else speeds.repeat_interleave(2)
    turn = positions[:, None].double() * speeds
    if partners == "half":
        partner = torch.cat([-x[..., d // 2 :], x[..., : d // 2]], -1)
    else:
        partner = torch.stack([-x[..., 1::2], x[..., 0::2]], -1).flatten(-2)
    return (x * turn.cos() + partner * turn.sin()).to(x.dtype)


@wrong("apply_rotary", read="modern-layouts")
def partners_of_half(x, positions, base=10_000.0, layout="half"):
    """interleaved에서도 짝을 half의 짝으로 골랐습니다. 각도의 차례뿐 아니라 짝도 2i와 2i + 1이어야 합니다."""
    return _by_signs(x, positions, base, layout, layout, "half")


@wrong("apply_rotary", read="modern-layouts")
def angles_of_half(x, positions, base=10_000.0, layout="half"):
    """interleaved에서도 각도를 half의 차례로 늘어놓았습니다. 이웃한 두 성분의 각도가 같아야 합니다."""
    return _by_signs(x, positions, base, layout, "half", layout)


@wrong("apply_rotary", read="modern-layouts")
def angles_of_interleaved(x, positions, base=10_000.0, layout="half"):
    """half에서도 각도를 interleaved의 차례로 늘어놓았습니다. 성분 i와 i + d/2의 각도가 같아야 합니다."""
    return _by_signs(x, positions, base, layout, "interleaved", layout)


@wrong("apply_rotary", read="modern-layouts")
def partners_of_interleaved(x, positions, base=10_000.0, layout="half"):
    """half에서도 짝을 interleaved의 짝으로 골랐습니다. 각도의 차례뿐 아니라 짝도 i와 i + d/2여야 합니다."""
    return _by_signs(x, positions, base, layout, layout, "interleaved")


@wrong("apply_rotary", read="modern-rotary", slip=True)
def positions_of_the_first_axis(x, positions, base=10_000.0, layout="half"):
    """앞의 축이 여럿이면 틀립니다. 위치는 언제나 뒤에서 둘째 축의 것이고, 그 앞의 축은 모두 배치입니다."""
    if x.dim() < 3:
        return _rotary(x, positions, base, layout)
    return _rotary(x.transpose(0, -2), positions, base, layout).transpose(0, -2)


@wrong("apply_rotary", read="modern-half-precision", slip=True)
def not_narrowed(x, positions, base=10_000.0, layout="half"):
    """결과의 자료형이 x의 것이 아닙니다. 각도는 float32나 float64로 구하되 마지막에 x의 자료형으로 되돌리십시오."""
    wide = x if x.dtype == torch.float64 else x.float()
    return _rotary(wide, positions, base, layout)


@wrong("apply_rotary", read="modern-rotary", slip=True)
def short_table(x, positions, base=10_000.0, layout="half"):
    """먼 위치에서 오류가 납니다. 정한 길이까지만 각도의 표를 만들지 말고, 받은 positions에서 각도를 구하십시오."""
    return _rotary(x, torch.arange(2048, device=positions.device)[positions], base, layout)


@wrong("apply_rotary", read="modern-rotary")
def changes_its_input(x, positions, base=10_000.0, layout="half"):
    """받은 x를 제자리에서 바꾸었습니다. 새 텐서에 적으십시오."""
    return x.copy_(_rotary(x, positions, base, layout))


@wrong("apply_rotary", read="modern-rotary", slip=True)
def rotation_without_gradient(x, positions, base=10_000.0, layout="half"):
    """x로 가는 기울기가 끊겼습니다. 질의와 키의 행렬이 배우지 못합니다."""
    return _rotary(x.detach(), positions, base, layout)


@wrong("apply_rotary", read="modern-rotary", slip=True)
def made_elsewhere(x, positions, base=10_000.0, layout="half"):
    """안에서 만든 텐서가 x와 다른 장치에 있습니다. device=x.device로 만드십시오."""
    return _rotary(x, positions, base, layout) * torch.ones(x.shape[-1], dtype=x.dtype)


# GroupedQueryAttention ----------------------------------------------------------------------------------------


@right_answer("GroupedQueryAttention")
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


@wrong("GroupedQueryAttention", read="modern-groups")
class AlternatingGroups(_Attention):
    """키·값 헤드를 0 1 0 1처럼 번갈아 되풀이했습니다. 이웃한 헤드가 하나를 나누어 씁니다: 0 0 1 1. repeat_interleave입니다."""

    def share(self, part):
        return part.repeat(1, self.group, 1, 1)


@wrong("GroupedQueryAttention", read="modern-groups")
class OneGroupForAll(_Attention):
    """모든 헤드가 첫 키·값 헤드만 봅니다. 묶음마다 자기 키와 값이 있습니다."""

    def share(self, part):
        return part[:, :1].expand(-1, part.shape[1] * self.group, -1, -1)


@wrong("GroupedQueryAttention", read="modern-groups")
class NoScale(_Attention):
    """점수를 나누지 않았습니다. 헤드 하나의 차원의 제곱근으로 나누십시오."""

    def scale(self):
        return 1.0


@wrong("GroupedQueryAttention", read="modern-groups")
class ScaledByModel(_Attention):
    """d_model의 제곱근으로 나누었습니다. 나눌 것은 head_dim의 제곱근입니다."""

    def scale(self):
        return self.d_model**0.5


@wrong("GroupedQueryAttention", read="modern-rotary")
class TurnsTheValues(_Attention):
    """값까지 돌렸습니다. 돌리는 것은 질의와 키뿐입니다."""

    def turn(self, query, key, value, positions):
        query, key, _ = super().turn(query, key, value, positions)
        return query, key, _rotary(value, positions, self.base)


@wrong("GroupedQueryAttention", read="modern-rotary")
class TurnsOnlyTheQueries(_Attention):
    """키를 돌리지 않았습니다. 질의와 키를 함께 돌려야 점수가 두 위치의 차이에 달립니다."""

    def turn(self, query, key, value, positions):
        return _rotary(query, positions, self.base), key, value


@wrong("GroupedQueryAttention", read="modern-rotary")
class NeverTurns(_Attention):
    """positions를 받고도 돌리지 않았습니다."""

    def turn(self, query, key, value, positions):
        return query, key, value


@wrong("GroupedQueryAttention", read="modern-layouts")
class InterleavedPairs(_Attention):
    """이웃한 두 성분을 짝지어 돌렸습니다. 여기서는 half 배치입니다."""

    def turn(self, query, key, value, positions):
        query, key = (_rotary(part, positions, self.base, "interleaved") for part in (query, key))
        return query, key, value


@wrong("GroupedQueryAttention", read="modern-rotary", slip=True)
class DefaultBase(_Attention):
    """받은 base를 apply_rotary에 넘기지 않았습니다."""

    def turn(self, query, key, value, positions):
        return _rotary(query, positions), _rotary(key, positions), value


@wrong("GroupedQueryAttention", read="multi_head_attention#splitting-heads")
class ViewsWithoutTranspose(_Attention):
    """transpose 없이 view로 헤드를 앞에 놓았습니다. 위치와 헤드가 뒤섞입니다."""

    def heads(self, part):
        return part.reshape(part.shape[0], -1, part.shape[1], self.head_dim)


@wrong("GroupedQueryAttention", read="multi_head_attention#splitting-heads")
class FeaturesDealtToHeads(_Attention):
    """헤드의 축을 뒤에 두고 나누었습니다. 성분이 헤드들에 번갈아 나뉩니다. 이어진 `head_dim`개가 한 헤드이므로 (..., heads, head_dim)으로 나누십시오."""

    def heads(self, part):
        return part.unflatten(-1, (self.head_dim, -1)).permute(0, 3, 1, 2)


@wrong("GroupedQueryAttention", read="multi_head_attention#splitting-heads")
class MergesWithoutTranspose(_Attention):
    """헤드를 합칠 때 축을 되돌리지 않았습니다. (batch, heads, n, head_dim)을 (batch, n, heads, head_dim)으로 바꾼 다음 펴십시오."""

    def merge(self, mixed):
        return mixed.reshape(mixed.shape[0], mixed.shape[2], -1)


@wrong("GroupedQueryAttention", read="masking#polarity", slip=True)
class MaskFlipped(_Attention):
    """마스크의 극성이 뒤집혔습니다. True가 볼 수 있는 자리입니다."""

    def visible(self, mask):
        visible = super().visible(mask)
        return visible if visible.all() else ~visible


@wrong("GroupedQueryAttention", read="masking#nothing-to-see", slip=True)
class NothingToSeeIsNaN(_Attention):
    """볼 것이 없는 행이 NaN이 됩니다. 그런 행의 가중치는 0입니다."""

    def weigh(self, scores, visible):
        return scores.masked_fill(~visible, -math.inf).softmax(-1)


@wrong("GroupedQueryAttention", read="masking#nothing-to-see", slip=True)
class LargeNegativeNumber(_Attention):
    """볼 것이 없는 행에도 가중치가 남습니다. 가릴 점수를 큰 음수로만 바꾸면 그렇습니다. 그런 행은 0입니다."""

    def weigh(self, scores, visible):
        return scores.masked_fill(~visible, -1e9).softmax(-1)


@wrong("GroupedQueryAttention", read="modern-groups")
class AlwaysCausal(_Attention):
    """마스크를 주지 않아도 미래를 가렸습니다. 이 모듈은 받은 마스크만 씁니다."""

    def visible(self, mask):
        return super().visible(mask).tril()


@wrong("GroupedQueryAttention", read="modern-groups")
class NoProjection(_Attention):
    """o_proj를 지나지 않았습니다. 헤드들이 섞이지 않은 채 나갑니다."""

    def project(self, mixed):
        return mixed


@wrong("GroupedQueryAttention", read="modern-groups", slip=True)
class AcceptsAnyHeads(_Attention):
    """나누어지지 않는 헤드의 수에 ValueError를 내지 않았습니다."""

    def check(self, d_model, num_heads, num_kv_heads, head_dim):
        pass


@wrong("GroupedQueryAttention", read="modern-groups", slip=True)
class AcceptsUnevenGroups(_Attention):
    """num_heads가 num_kv_heads로 나누어지지 않을 때 ValueError를 내지 않았습니다. 만들 때 냅니다."""

    def check(self, d_model, num_heads, num_kv_heads, head_dim):
        if head_dim is None and d_model % num_heads:
            raise ValueError("heads")


@wrong("GroupedQueryAttention", read="modern-groups", slip=True)
class AcceptsUnevenModel(_Attention):
    """head_dim이 없고 d_model이 num_heads로 나누어지지 않을 때 ValueError를 내지 않았습니다. 만들 때 냅니다."""

    def check(self, d_model, num_heads, num_kv_heads, head_dim):
        if num_heads % num_kv_heads:
            raise ValueError("heads")


@wrong("GroupedQueryAttention", read="modern-groups", slip=True)
class RefusesGivenHeadDim(_Attention):
    """head_dim을 주었는데도 d_model이 num_heads로 나누어지는지 따졌습니다. 그것은 head_dim이 없을 때만 필요합니다."""

    def check(self, d_model, num_heads, num_kv_heads, head_dim):
        super().check(d_model, num_heads, num_kv_heads, None)


@wrong("GroupedQueryAttention", read="modern-groups")
class DividesTheWrongWay(_Attention):
    """질의 헤드가 키·값 헤드보다 많은데 거절했습니다. num_heads가 num_kv_heads로 나누어지면 됩니다."""

    def check(self, d_model, num_heads, num_kv_heads, head_dim):
        if num_kv_heads % num_heads or (head_dim is None and d_model % num_heads):
            raise ValueError("heads")


@wrong("GroupedQueryAttention", read="modern-groups")
class AttentionWithBiases(_Attention):
    """편향이 있습니다. 네 행렬 모두 bias=False입니다."""

    def __init__(self, d_model, num_heads, num_kv_heads, head_dim=None, base=10_000.0):
        super().__init__(d_model, num_heads, num_kv_heads, head_dim, base)
        for name, layer in list(self.named_children()):
            setattr(self, name, nn.Linear(layer.in_features, layer.out_features))


@wrong("GroupedQueryAttention", read="modern-groups")
class OtherProjections(_Attention):
    """파라미터가 q_proj, k_proj, v_proj, o_proj의 넷이 아닙니다. 그 이름으로 하나씩 두십시오."""

    def __init__(self, d_model, num_heads, num_kv_heads, head_dim=None, base=10_000.0):
        super().__init__(d_model, num_heads, num_kv_heads, head_dim, base)
        self.out_proj = self.o_proj
        del self.o_proj

    def project(self, mixed):
        return self.out_proj(mixed)


@wrong("GroupedQueryAttention", read="modern-groups")
class KeysForEveryHead(_Attention):
    """k_proj와 v_proj의 크기가 다릅니다. 키와 값은 num_kv_heads · head_dim개의 수입니다. 질의 헤드만큼 만들면 나누어 쓰는 것이 없습니다."""

    def __init__(self, d_model, num_heads, num_kv_heads, head_dim=None, base=10_000.0):
        super().__init__(d_model, num_heads, num_kv_heads, head_dim, base)
        width = num_heads * self.head_dim
        self.k_proj, self.v_proj = (nn.Linear(d_model, width, bias=False) for _ in range(2))

    def share(self, part):
        return part


@wrong("GroupedQueryAttention", read="modern-groups", slip=True)
class IgnoresHeadDim(_Attention):
    """받은 head_dim을 쓰지 않고 언제나 d_model / num_heads로 했습니다."""

    def __init__(self, d_model, num_heads, num_kv_heads, head_dim=None, base=10_000.0):
        self.check(d_model, num_heads, num_kv_heads, head_dim)
        super().__init__(d_model, num_heads, num_kv_heads, d_model // num_heads, base)


@wrong("GroupedQueryAttention", read="modern-groups", slip=True)
class ScaledByNaturalSize(_Attention):
    """head_dim을 따로 주어도 d_model / num_heads의 제곱근으로 나누었습니다. 나눌 것은 head_dim의 제곱근입니다."""

    def scale(self):
        return (self.d_model * self.head_dim / self.q_proj.out_features) ** 0.5


@wrong("GroupedQueryAttention", read="modern-groups", slip=True)
class MergesToModelWidth(_Attention):
    """head_dim을 따로 주면 헤드를 모두 이은 크기가 d_model이 아닙니다. num_heads · head_dim으로 펴야 합니다."""

    def merge(self, mixed):
        batch, _, n, _ = mixed.shape
        return mixed.transpose(1, 2).reshape(batch, n, self.d_model)


@wrong("GroupedQueryAttention", read="modern-groups")
class ScaledWithoutRoot(_Attention):
    """제곱근을 취하지 않고 head_dim으로 나누었습니다."""

    def scale(self):
        return self.head_dim


@wrong("GroupedQueryAttention", read="modern-groups")
class MultipliedByTheScale(_Attention):
    """head_dim의 제곱근을 나누지 않고 곱했습니다."""

    def scale(self):
        return self.head_dim**-0.5


@wrong("GroupedQueryAttention", read="modern-groups")
class SoftmaxOverQueries(_Attention):
    """소프트맥스를 질의의 축에서 취했습니다. 질의마다 키에 걸쳐 더하면 1이어야 합니다."""

    def weigh(self, scores, visible):
        return scores.masked_fill(~visible, -math.inf).softmax(-2)


@wrong("GroupedQueryAttention", read="modern-groups")
class TurnsWithoutPositions(_Attention):
    """positions가 None인데도 돌렸습니다. 없으면 돌리지 않습니다."""

    def forward(self, x, positions=None, mask=None):
        positions = torch.arange(x.shape[1], device=x.device) if positions is None else positions
        return super().forward(x, positions, mask)


@wrong("GroupedQueryAttention", read="modern-groups")
class OnlyTheOutput(_Attention):
    """출력만 돌려주었습니다. (출력, 가중치) 둘을 돌려줍니다."""

    def forward(self, x, positions=None, mask=None):
        return super().forward(x, positions, mask)[0]


@wrong("GroupedQueryAttention", read="modern-groups")
class AveragedWeights(_Attention):
    """가중치의 모양이 (batch, num_heads, n, n)이 아닙니다. 질의 헤드마다 하나씩, 평균하지 않고 돌려줍니다."""

    def forward(self, x, positions=None, mask=None):
        output, weights = super().forward(x, positions, mask)
        return output, weights.mean(1)


@wrong("GroupedQueryAttention", read="modern-groups")
class ScoresForWeights(_Attention):
    """함께 돌려준 것이 출력에 쓴 가중치가 아닙니다. 소프트맥스를 취한 것을 돌려주십시오."""

    def forward(self, x, positions=None, mask=None):
        output, weights = super().forward(x, positions, mask)
        return output, weights.log()


@wrong("GroupedQueryAttention", read="modern-rotary")
class TurnsOnlyTheKeys(_Attention):
    """질의를 돌리지 않았습니다. 질의와 키를 함께 돌려야 점수가 두 위치의 차이에 달립니다."""

    def turn(self, query, key, value, positions):
        return query, _rotary(key, positions, self.base), value


@wrong("GroupedQueryAttention", read="modern-rotary")
class CountsPositionsItself(_Attention):
    """받은 positions를 쓰지 않고 0부터 세었습니다."""

    def turn(self, query, key, value, positions):
        return super().turn(query, key, value, torch.arange(len(positions), device=positions.device))


@wrong("GroupedQueryAttention", read="modern-rotary")
class TurnsBeforeSplitting(_Attention):
    """헤드를 나누기 전에 돌렸습니다. 짝과 빠르기는 헤드 하나의 head_dim개 성분에서 정해집니다. 나눈 다음 돌리십시오."""

    def turn(self, query, key, value, positions):
        def turned(part):
            return self.heads(_rotary(part.transpose(1, 2).flatten(2), positions, self.base))

        return turned(query), turned(key), value


@wrong("GroupedQueryAttention", read="modern-rotary")
class TurnsBeforeTransposing(_Attention):
    """헤드의 축을 앞으로 옮기기 전에 돌렸습니다. apply_rotary는 뒤에서 둘째 축을 위치로 봅니다."""

    def turn(self, query, key, value, positions):
        query, key = (
            _rotary(part.transpose(1, 2), positions, self.base).transpose(1, 2) for part in (query, key)
        )
        return query, key, value


@wrong("GroupedQueryAttention", read="masking#polarity", slip=True)
class IgnoresTheMask(_Attention):
    """받은 마스크를 쓰지 않았습니다."""

    def visible(self, mask):
        return torch.ones_like(super().visible(mask))


@wrong("GroupedQueryAttention", read="masking#minus-infinity", slip=True)
class MasksTheWeights(_Attention):
    """소프트맥스를 취한 다음 가렸습니다. 남은 가중치의 합이 1이 아닙니다. 점수를 가린 다음 소프트맥스를 취하십시오."""

    def weigh(self, scores, visible):
        return scores.softmax(-1) * visible


@wrong("GroupedQueryAttention", read="masking#minus-infinity", slip=True)
class ZeroForHidden(_Attention):
    """가릴 점수를 0으로 바꾸었습니다. exp(0)은 1이므로 가린 자리도 몫을 가져갑니다."""

    def weigh(self, scores, visible):
        return (scores * visible).softmax(-1)


@wrong("GroupedQueryAttention", read="masking#minus-infinity", slip=True)
class AddsTheMask(_Attention):
    """마스크를 점수에 더했습니다. 참은 1일 뿐이라 가린 자리가 거의 그대로 보입니다. 가릴 점수를 음의 무한대로 바꾸십시오."""

    def weigh(self, scores, visible):
        return (scores + visible.to(scores.dtype)).softmax(-1)


@wrong("GroupedQueryAttention", read="modern-groups", slip=True)
class AlwaysAddsAnAxis(_Attention):
    """축이 둘인 마스크 (n, n)에서 오류가 납니다. 축의 수를 보고, 헤드의 축은 축이 셋일 때만 넣으십시오."""

    def visible(self, mask):
        return mask[:, None]

    def forward(self, x, positions=None, mask=None):
        mask = torch.ones(1, *2 * x.shape[1:2], dtype=torch.bool, device=x.device) if mask is None else mask
        return super().forward(x, positions, mask)


@wrong("GroupedQueryAttention", read="modern-groups", slip=True)
class BatchMaskForHeads(_Attention):
    """(batch, n, n) 마스크의 첫 축을 헤드로 보거나 문장을 가리지 않았습니다. 헤드의 축을 가운데에 넣어 문장마다 자기 마스크를 쓰십시오."""

    def visible(self, mask):
        return mask


@wrong("GroupedQueryAttention", read="modern-groups", slip=True)
class OneMaskForAllHeads(_Attention):
    """축이 넷인 마스크를 그대로 쓰지 않았습니다. (batch, 1, n, n)도, 헤드마다 다른 (batch, num_heads, n, n)도 받습니다."""

    def visible(self, mask):
        return super().visible(mask)[..., :1, :, :] if mask.dim() > 2 else mask


@wrong("GroupedQueryAttention", read="masking#minus-infinity", slip=True)
class NotLowEnough(_Attention):
    """가린 점수가 넉넉히 작지 않습니다. 점수가 크면 가린 자리가 가장 커집니다. 음의 무한대나 자료형의 가장 작은 수를 쓰십시오."""

    def weigh(self, scores, visible):
        return scores.masked_fill(~visible, -1e3).softmax(-1) * visible.any(-1, keepdim=True)


@wrong("GroupedQueryAttention", read="masking#nothing-to-see", slip=True)
class NaNInTheGradient(_Attention):
    """볼 것이 없는 행의 기울기가 NaN입니다. 소프트맥스에서 생긴 NaN은 뒤에서 0으로 바꾸어도 기울기에 남습니다. NaN이 생기지 않게 하십시오."""

    def weigh(self, scores, visible):
        hidden = torch.zeros_like(scores).masked_fill(~visible, -math.inf)
        return (scores + hidden).softmax(-1).nan_to_num(0.0)


@wrong("GroupedQueryAttention", read="modern-groups", slip=True)
class ChangesTheMask(_Attention):
    """받은 텐서를 제자리에서 바꾸었습니다. 마스크는 층마다 다시 쓰입니다."""

    def visible(self, mask):
        visible = super().visible(mask).clone()
        mask.logical_not_()
        return visible


@wrong("GroupedQueryAttention", read="modern-groups", slip=True)
class WeightsWithoutGradient(_Attention):
    """기울기가 끊긴 곳이 있습니다. 네 행렬과 x에 모두 기울기가 흘러야 합니다."""

    def weigh(self, scores, visible):
        return super().weigh(scores, visible).detach()


# tiled_attention ----------------------------------------------------------------------------------------------


@right_answer("tiled_attention", lambda tiles: tiles().run)
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

    def exps(self, scores, higher):
        return (scores - higher).exp()

    def factors(self, highest, higher):
        """By what the old sum and the old output are multiplied."""
        shrink = (highest - higher).exp()
        return shrink, shrink

    def add(self, old, factor, new):
        return old * factor + new

    def keep(self, output, total):
        """The output that the next tile is added to."""
        return output

    def start(self, query):
        return query.new_full((*query.shape[:-1], 1), -math.inf)

    def finish(self, output, total, highest):
        return output / total, (highest + total.log()).squeeze(-1)

    def run(self, query, key, value, block, causal=False):
        n_q, n_k = query.shape[-2], key.shape[-2]
        self.check(n_q, n_k, block, causal)
        highest = self.start(query)
        total, output = 0.0, 0.0
        for start in range(0, self.count(n_k, block), max(1, block)):
            keys, values = key[..., start : start + block, :], value[..., start : start + block, :]
            scores = query @ keys.transpose(-2, -1) / self.scale(query.shape[-1])
            scores = self.hide(scores, start) if causal else scores
            higher = self.higher(highest, scores)
            exps = self.exps(scores, higher)
            of_total, of_output = self.factors(highest, higher)
            total = self.add(total, of_total, exps.sum(-1, keepdim=True))
            output = self.keep(self.add(output, of_output, exps @ values), total)
            highest = higher
        return self.finish(output, total, highest)


@wrong("tiled_attention", read="modern-tiles")
def never_rescaled(*args, **options):
    """최댓값이 바뀌어도 지금까지의 합과 가중합을 줄이지 않았습니다. 둘 다 exp(옛 최댓값 - 새 최댓값)을 곱하십시오."""

    class Wrong(_Tiles):
        def factors(self, highest, higher):
            return 1.0, 1.0

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def only_the_output_rescaled(*args, **options):
    """가중합만 줄이고 합은 그대로 두었습니다. 분자와 분모를 같은 수로 줄여야 합니다."""

    class Wrong(_Tiles):
        def factors(self, highest, higher):
            return 1.0, (highest - higher).exp()

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def only_the_sum_rescaled(*args, **options):
    """합만 줄이고 가중합은 그대로 두었습니다. 분자와 분모를 같은 수로 줄여야 합니다."""

    class Wrong(_Tiles):
        def factors(self, highest, higher):
            return (highest - higher).exp(), 1.0

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def inverse_factor(*args, **options):
    """거꾸로 늘렸습니다. 곱할 것은 exp(새 최댓값 - 옛 최댓값)이 아니라 exp(옛 최댓값 - 새 최댓값)입니다."""

    class Wrong(_Tiles):
        def factors(self, highest, higher):
            grow = torch.where(highest.isinf(), torch.zeros_like(higher), (higher - highest).exp())
            return grow, grow

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def nothing_but_nan(*args, **options):
    """결과가 모두 NaN입니다. 처음의 최댓값은 음의 무한대라서, 그것을 다른 수에서 빼면 무한대가 됩니다. 곱할 것은 exp(옛 최댓값 - 새 최댓값)이고, 점수에서 뺄 것은 새 최댓값입니다."""

    class Wrong(_Tiles):
        def factors(self, highest, higher):
            grow = (higher - highest).exp()
            return grow, grow

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def averages_the_tiles(query, key, value, block, causal=False):
    """타일마다 소프트맥스를 따로 취해 평균했습니다. 점수가 큰 타일이 더 큰 몫을 가져야 합니다."""
    if block < 1 or (causal and query.shape[-2] != key.shape[-2]):
        raise ValueError("tiles")
    outputs, sums = [], []
    for start in range(0, key.shape[-2], block):
        scores = query @ key[..., start : start + block, :].transpose(-2, -1) / query.shape[-1] ** 0.5
        scores = _Tiles().hide(scores, start) if causal else scores
        outputs.append(scores.softmax(-1).nan_to_num(0.0) @ value[..., start : start + block, :])
        sums.append(scores.logsumexp(-1))
    return sum(outputs) / len(outputs), torch.stack(sums).logsumexp(0)


@wrong("tiled_attention", read="modern-tiles")
def adds_the_tiles(query, key, value, block, causal=False):
    """타일마다 소프트맥스를 따로 취해 더했습니다. 가중치의 합이 타일의 수가 됩니다. 타일을 다 읽고 한 번만 나누십시오."""
    output, log_sum = averages_the_tiles(query, key, value, block, causal)
    return output * math.ceil(key.shape[-2] / block), log_sum


@wrong("tiled_attention", read="modern-tiles")
def divides_in_every_tile(*args, **options):
    """타일마다 합으로 나누었습니다. 나눈 것을 다음 타일에서 또 줄이고 나누게 됩니다. 타일을 다 읽고 한 번만 나누십시오."""

    class Wrong(_Tiles):
        def keep(self, output, total):
            return output / total

        def finish(self, output, total, highest):
            return output, (highest + total.log()).squeeze(-1)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def rescales_the_new_tile_too(*args, **options):
    """새 타일의 것을 더한 다음 줄였습니다. 새 것은 이미 새 최댓값을 뺀 것이므로, 지금까지의 것만 줄이고 나서 더하십시오."""

    class Wrong(_Tiles):
        def add(self, old, factor, new):
            return (old + new) * factor

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def only_the_last_tile(*args, **options):
    """앞 타일의 합과 가중합을 버리고 마지막 타일만 남겼습니다. 줄인 것에 더해 나가십시오."""

    class Wrong(_Tiles):
        def factors(self, highest, higher):
            return 0.0, 0.0

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def exps_below_the_tile_maximum(*args, **options):
    """지수는 그 타일의 최댓값을 빼고 구했는데, 줄이기는 지금까지의 최댓값으로 했습니다. 둘 다 같은 새 최댓값을 써야 합니다."""

    class Wrong(_Tiles):
        def exps(self, scores, higher):
            return (scores - scores.amax(-1, keepdim=True)).exp()

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def forgets_the_highest(*args, **options):
    """타일의 최댓값을 지금까지의 최댓값과 비교하지 않고 그대로 새 최댓값으로 썼습니다. 최댓값이 내려가면 곱하는 수가 넘치고, 다 가려진 타일에서는 NaN이 됩니다."""

    class Wrong(_Tiles):
        def higher(self, highest, scores):
            return scores.amax(-1, keepdim=True)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def one_maximum_for_all_rows(*args, **options):
    """모든 질의가 최댓값 하나를 함께 씁니다. 점수가 훨씬 작은 행은 지수가 모두 0이 되어 NaN이 나옵니다. 최댓값은 행마다 따로입니다."""

    class Wrong(_Tiles):
        def higher(self, highest, scores):
            return torch.maximum(highest, scores.amax().expand_as(highest))

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def begins_at_zero(*args, **options):
    """최댓값이 0에서 시작합니다. 점수가 모두 0보다 훨씬 작은 행은 지수가 모두 0이 되어 NaN이 나옵니다. 음의 무한대에서 시작하십시오."""

    class Wrong(_Tiles):
        def start(self, query):
            return query.new_zeros(*query.shape[:-1], 1)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def without_the_maximum(*args, **options):
    """최댓값을 빼지 않았습니다. 점수가 크면 exp가 넘쳐 NaN이 됩니다."""

    class Wrong(_Tiles):
        def higher(self, highest, scores):
            return torch.zeros_like(highest)

        def factors(self, highest, higher):
            return 1.0, 1.0

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def unscaled(*args, **options):
    """점수를 √d로 나누지 않았습니다."""

    class Wrong(_Tiles):
        def scale(self, d):
            return 1.0

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def divides_by_d(*args, **options):
    """점수를 d로 나누었습니다. 나눌 것은 d의 제곱근입니다."""

    class Wrong(_Tiles):
        def scale(self, d):
            return d

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def multiplies_by_the_root(*args, **options):
    """점수에 √d를 곱했습니다. √d로 나누십시오."""

    class Wrong(_Tiles):
        def scale(self, d):
            return d**-0.5

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def drops_the_last_tile(*args, **options):
    """block으로 나누고 남은 키를 읽지 않았습니다. 마지막 타일은 작을 수 있습니다."""

    class Wrong(_Tiles):
        def count(self, n_k, block):
            return max(n_k // max(1, block) * block, min(block, n_k))

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def needs_whole_tiles(query, key, value, block, causal=False):
    """block이 n_k를 나누지 않으면 실패합니다. 마지막 타일이 작을 뿐이니, 남은 키만 읽으십시오."""
    if key.shape[-2] % min(max(1, block), key.shape[-2]):
        raise ValueError("tiles")
    return _Tiles().run(query, key, value, block, causal)


@wrong("tiled_attention", read="modern-tiles", slip=True)
def fills_the_last_tile(query, key, value, block, causal=False):
    """마지막 타일을 0으로 채우고 가리지 않았습니다. 점수가 0인 키도 exp(0) = 1의 몫을 가져갑니다."""

    class Wrong(_Tiles):
        def check(self, *sizes):
            pass

    _Tiles().check(query.shape[-2], key.shape[-2], block, causal)
    missing = -key.shape[-2] % block
    key, value = (F.pad(part, (0, 0, 0, missing)) for part in (key, value))
    return Wrong().run(query, key, value, block, causal)


@wrong("tiled_attention", read="modern-tiles")
def takes_some_axes_only(query, key, value, block, causal=False):
    """앞의 축이 몇 개인지 정해 놓았습니다. 축이 그보다 많거나 적으면 실패합니다. 뒤의 두 축만 이름을 붙이고 앞은 그대로 두십시오."""
    _, _, _ = query.shape
    return _Tiles().run(query, key, value, block, causal)


@wrong("tiled_attention", read="modern-tiles", slip=True)
def value_as_wide_as_key(query, key, value, block, causal=False):
    """값의 차원 d_v가 d와 다르면 틀립니다. 가중합의 마지막 축은 query가 아니라 value의 것입니다."""
    output, log_sum = _Tiles().run(query, key, value, block, causal)
    return torch.zeros_like(query) + output, log_sum


@wrong("tiled_attention", read="modern-tiles")
def same_lengths_only(*args, **options):
    """n_q와 n_k가 같다고 여겼습니다. causal이 아니면 둘은 달라도 됩니다."""

    class Wrong(_Tiles):
        def check(self, n_q, n_k, block, causal):
            super().check(n_q, n_k, block, True)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles", slip=True)
def refuses_the_edges(*args, **options):
    """block이 1이거나 n_k와 같거나 n_k보다 클 때 틀립니다. 셋 다 쓸 수 있는 크기입니다."""

    class Wrong(_Tiles):
        def check(self, n_q, n_k, block, causal):
            super().check(n_q, n_k, block - 1, causal)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles", slip=True)
def maximum_for_log_sum(*args, **options):
    """로그합 대신 최댓값을 돌려주었습니다. 최댓값에 ln D를 더하십시오."""

    class Wrong(_Tiles):
        def finish(self, output, total, highest):
            return output / total, highest.squeeze(-1)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles", slip=True)
def log_sum_without_the_maximum(*args, **options):
    """로그합에 최댓값을 다시 더하지 않았습니다. 합 D는 최댓값을 뺀 점수의 것입니다."""

    class Wrong(_Tiles):
        def finish(self, output, total, highest):
            return output / total, total.log().squeeze(-1)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles", slip=True)
def log_sum_keeps_its_axis(*args, **options):
    """로그합의 모양이 (..., n_q, 1)입니다. 마지막 축을 없애십시오."""

    class Wrong(_Tiles):
        def finish(self, output, total, highest):
            return output / total, highest + total.log()

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles", slip=True)
def sum_for_log_sum(*args, **options):
    """로그합 대신 합 D를 돌려주었습니다. 최댓값에 ln D를 더한 것이어야 합니다."""

    class Wrong(_Tiles):
        def finish(self, output, total, highest):
            return output / total, total.squeeze(-1)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles", slip=True)
def maximum_taken_away_again(*args, **options):
    """로그합에서 최댓값을 뺐습니다. 이미 뺀 최댓값을 다시 더해야 합니다."""

    class Wrong(_Tiles):
        def finish(self, output, total, highest):
            return output / total, (total.log() - highest).squeeze(-1)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles", slip=True)
def adds_the_sum_itself(*args, **options):
    """최댓값에 합 D를 그대로 더했습니다. 더할 것은 ln D입니다."""

    class Wrong(_Tiles):
        def finish(self, output, total, highest):
            return output / total, (highest + total).squeeze(-1)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles", slip=True)
def log_sum_in_base_two(*args, **options):
    """밑이 2인 로그를 취했습니다. 자연로그여야 합니다."""

    class Wrong(_Tiles):
        def finish(self, output, total, highest):
            return output / total, (highest + total.log2()).squeeze(-1)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def only_the_output(query, key, value, block, causal=False):
    """출력만 돌려주었습니다. 질의마다의 로그합도 함께 돌려주십시오."""
    return _Tiles().run(query, key, value, block, causal)[0]


@wrong("tiled_attention", read="modern-tiles")
def log_sum_first(query, key, value, block, causal=False):
    """돌려주는 차례가 뒤바뀌었습니다. (출력, 로그합)입니다."""
    return _Tiles().run(query, key, value, block, causal)[::-1]


@wrong("tiled_attention", read="modern-tiles")
def never_divided(*args, **options):
    """마지막에 합으로 나누지 않았습니다."""

    class Wrong(_Tiles):
        def finish(self, output, total, highest):
            return output, (highest + total.log()).squeeze(-1)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles-causal")
def ignores_causal(*args, **options):
    """causal을 무시하고 미래까지 보았습니다."""

    class Wrong(_Tiles):
        def hide(self, scores, start):
            return scores

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles-causal")
def triangle_in_each_tile(*args, **options):
    """삼각형을 타일마다 처음부터 그렸습니다. 열 번호는 타일의 시작을 더한 것입니다."""

    class Wrong(_Tiles):
        def hide(self, scores, start):
            return super().hide(scores, 0)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles-causal")
def triangle_shifted_by_tiles(*args, **options):
    """삼각형을 타일의 번호만큼 옮겼습니다. 열 번호는 타일의 번호가 아니라 그 타일의 첫 열(번호 × block)부터 셉니다."""
    block = args[3]

    class Wrong(_Tiles):
        def hide(self, scores, start):
            return super().hide(scores, start // block)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles-causal")
def hides_the_own_key(*args, **options):
    """causal에서 자기 자리의 키까지 가렸습니다. 질의 i는 키 0부터 i까지, 곧 i도 봅니다."""

    class Wrong(_Tiles):
        def hide(self, scores, start):
            return super().hide(scores, start + 1)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles-causal")
def sees_one_ahead(*args, **options):
    """causal에서 한 자리 앞까지 보았습니다. 질의 i가 보는 마지막 키는 i입니다."""

    class Wrong(_Tiles):
        def hide(self, scores, start):
            return super().hide(scores, start - 1)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles-causal")
def keeps_the_future(*args, **options):
    """삼각형이 뒤집혔습니다. 지난 키를 가리고 앞으로 올 키를 보았습니다."""

    class Wrong(_Tiles):
        def hide(self, scores, start):
            rows = torch.arange(scores.shape[-2], device=scores.device)[:, None]
            columns = torch.arange(start, start + scores.shape[-1], device=scores.device)
            return scores.masked_fill(columns < rows, -math.inf)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles-causal")
def zeros_for_the_future(*args, **options):
    """가릴 점수를 0으로 바꾸었습니다. exp(0)은 1이므로 몫을 가져갑니다. 음의 무한대로 바꾸십시오."""

    class Wrong(_Tiles):
        def hide(self, scores, start):
            return scores.masked_fill(super().hide(scores, start).isinf(), 0.0)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def changes_the_query(query, key, value, block, causal=False):
    """받은 텐서를 제자리에서 바꾸었습니다 (query /= …). 부른 쪽의 텐서가 바뀝니다. 새 텐서를 만드십시오."""
    found = _Tiles().run(query, key, value, block, causal)
    query /= query.shape[-1] ** 0.5
    return found


@wrong("tiled_attention", read="modern-tiles", slip=True)
def without_the_way_back(query, key, value, block, causal=False):
    """기울기가 입력까지 흐르지 않습니다. no_grad나 detach로 끊지 말고, 역전파에 쓰일 텐서를 제자리에서 고치지 마십시오."""
    with torch.no_grad():
        return _Tiles().run(query, key, value, block, causal)


@wrong("tiled_attention", read="modern-half-precision", slip=True)
def always_float32(query, key, value, block, causal=False):
    """bfloat16이나 float64의 입력에서 실패하거나 다른 자료형을 돌려줍니다. 안에서 만드는 텐서의 자료형은 입력의 것입니다."""
    return _Tiles().run(query.float(), key.float(), value.float(), block, causal)


@wrong("tiled_attention", read="modern-tiles-causal", slip=True)
def tiles_on_the_default_device(*args, **options):
    """안에서 만든 텐서가 입력과 다른 장치에 있습니다. GPU에서는 멈춥니다. 입력의 device를 넘기십시오."""

    class Wrong(_Tiles):
        def hide(self, scores, start):
            rows = torch.arange(scores.shape[-2])[:, None]
            return scores.masked_fill(torch.arange(start, start + scores.shape[-1]) > rows, -math.inf)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles-causal", slip=True)
def the_whole_mask(*args, **options):
    """(n_q, n_k) 크기의 마스크를 만들었습니다. 그것도 길이의 제곱입니다. 타일 하나의 삼각형만 만드십시오."""

    class Wrong(_Tiles):
        def hide(self, scores, start):
            n, width = scores.shape[-2:]
            hidden = torch.ones(n, n, dtype=torch.bool, device=scores.device).triu(1)
            return scores.masked_fill(hidden[:, start : start + width], -math.inf)

    return Wrong().run(*args, **options)


@wrong("tiled_attention", read="modern-tiles")
def the_whole_matrix(query, key, value, block, causal=False):
    """점수 전체를 만들었습니다. 출력은 같지만 메모리가 길이의 제곱입니다. 타일 하나의 점수만 만드십시오."""
    if block < 1 or (causal and query.shape[-2] != key.shape[-2]):
        raise ValueError("tiles")
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    scores = _Tiles().hide(scores, 0) if causal else scores
    return scores.softmax(-1) @ value, scores.logsumexp(-1)


@wrong("tiled_attention", read="modern-tiles", slip=True)
def row_by_row(query, key, value, block, causal=False):
    """질의를 나누어 읽고 키는 한꺼번에 읽었습니다. 키와 값을 block개씩 읽고 합과 가중합을 고쳐 나가십시오."""
    if block < 1 or (causal and query.shape[-2] != key.shape[-2]):
        raise ValueError("tiles")
    rows = []
    for i in range(query.shape[-2]):
        end = i + 1 if causal else key.shape[-2]
        row = query[..., i : i + 1, :] @ key[..., :end, :].transpose(-2, -1) / query.shape[-1] ** 0.5
        rows.append((row.softmax(-1) @ value[..., :end, :], row.logsumexp(-1)))
    return tuple(torch.cat(parts, dim) for parts, dim in zip(zip(*rows, strict=True), (-2, -1), strict=True))


@wrong("tiled_attention", read="modern-tiles-causal", slip=True)
def accepts_any_tiles(query, key, value, block, causal=False):
    """block이 1보다 작거나, causal인데 n_q와 n_k가 다를 때 ValueError를 내지 않았습니다."""

    class Wrong(_Tiles):
        def check(self, *sizes):
            pass

    return Wrong().run(query, key, value, max(1, block), causal)


@wrong("tiled_attention", read="modern-tiles", slip=True)
def accepts_any_block(query, key, value, block, causal=False):
    """block이 1보다 작을 때 ValueError를 내지 않았습니다."""
    return _Tiles().run(query, key, value, max(1, block), causal)


@wrong("tiled_attention", read="modern-tiles-causal", slip=True)
def accepts_other_lengths(*args, **options):
    """causal인데 n_q와 n_k가 다를 때 ValueError를 내지 않았습니다. 삼각형을 어디에 맞출지 정해지지 않습니다."""

    class Wrong(_Tiles):
        def check(self, n_q, n_k, block, causal):
            super().check(n_q, n_k, block, False)

    return Wrong().run(*args, **options)


# route --------------------------------------------------------------------------------------------------------


def _chosen(logits, k):
    if not 1 <= k <= logits.shape[-1]:
        raise ValueError("experts")
    return logits.topk(k, dim=-1)


@wrong("route", read="modern-experts")
def not_renormalised(logits, k):
    """소프트맥스를 모든 전문가에 걸쳐 취하고 다시 나누지 않았습니다. 고른 전문가의 가중치를 더하면 1이어야 합니다."""
    _, experts = _chosen(logits, k)
    return logits.softmax(-1).gather(-1, experts), experts


@wrong("route", read="modern-experts")
def zeros_for_the_others(logits, k):
    """고르지 않은 로짓을 0으로 바꾸고 소프트맥스를 취했습니다. exp(0)은 1이므로 몫을 가져갑니다. 고른 로짓만 넣으십시오."""
    values, experts = _chosen(logits, k)
    kept = torch.zeros_like(logits).scatter(-1, experts, values)
    return kept.softmax(-1).gather(-1, experts), experts


@wrong("route", read="modern-experts")
def equal_parts(logits, k):
    """고른 전문가에게 똑같이 나누어 주었습니다. 로짓이 큰 쪽이 더 받아야 하고, 똑같으면 라우터가 배울 것도 없습니다."""
    values, experts = _chosen(logits, k)
    return torch.full_like(values, 1 / k), experts


@wrong("route", read="modern-experts")
def sigmoids(logits, k):
    """시그모이드를 취했습니다. 고른 k개에 걸쳐 소프트맥스를 취해 더하면 1이 되게 하십시오."""
    values, experts = _chosen(logits, k)
    return values.sigmoid(), experts


@wrong("route", read="modern-experts")
def sigmoids_over_their_sum(logits, k):
    """시그모이드를 취해 합으로 나누었습니다. 이 연습에서는 고른 로짓에 소프트맥스를 취합니다."""
    values, experts = _chosen(logits, k)
    parts = values.sigmoid()
    return parts / parts.sum(-1, keepdim=True), experts


@wrong("route", read="modern-experts")
def softmax_twice(logits, k):
    """소프트맥스를 두 번 취했습니다. 고른 것이 확률이면 또 취하지 말고, 로짓을 골라 한 번만 취하십시오."""
    values, experts = _chosen(logits.softmax(-1), k)
    return values.softmax(-1), experts


@wrong("route", read="modern-experts")
def logits_for_weights(logits, k):
    """로짓을 그대로 가중치로 돌려주었습니다. 고른 로짓에 소프트맥스를 취하십시오."""
    return _chosen(logits, k)


@wrong("route", read="modern-experts")
def logs_of_weights(logits, k):
    """가중치의 로그를 돌려주었습니다. log_softmax가 아니라 소프트맥스입니다."""
    values, experts = _chosen(logits, k)
    return values.log_softmax(-1), experts


@wrong("route", read="modern-experts")
def never_divided_by_the_sum(logits, k):
    """지수만 취하고 합으로 나누지 않았습니다. 고른 전문가의 가중치를 더하면 1이어야 합니다."""
    values, experts = _chosen(logits, k)
    return values.exp(), experts


@wrong("route", read="modern-experts")
def weights_of_everyone(logits, k):
    """가중치를 모든 전문가에 걸쳐 돌려주었습니다. 고른 k명의 것만, (토큰, k)입니다."""
    _, experts = _chosen(logits, k)
    return logits.softmax(-1), experts


@wrong("route", read="modern-experts")
def tokens_for_each_expert(logits, k):
    """토큰의 축에서 골랐습니다. 전문가가 토큰을 고르는 것이 아니라 토큰마다 전문가를 고릅니다."""
    _chosen(logits, k)
    values, experts = logits.topk(min(k, len(logits)), dim=0)
    return values.softmax(-1), experts


@wrong("route", read="modern-experts")
def logits_over_their_sum(logits, k):
    """로짓을 그대로 합으로 나누었습니다. 소프트맥스를 취하십시오."""
    values, experts = _chosen(logits, k)
    return values / values.sum(-1, keepdim=True), experts


@wrong("route", read="modern-experts")
def the_smallest(logits, k):
    """로짓이 가장 작은 전문가를 골랐습니다."""
    _, experts = _chosen(-logits, k)
    return logits.gather(-1, experts).softmax(-1), experts


@wrong("route", read="modern-experts")
def weights_and_experts_apart(logits, k):
    """가중치의 자리와 전문가의 자리가 어긋났습니다. 한쪽만 정렬하지 마십시오."""
    values, experts = _chosen(logits, k)
    return values.softmax(-1), experts.flip(-1)


@wrong("route", read="modern-experts")
def experts_first(logits, k):
    """돌려주는 차례가 뒤바뀌었습니다. (가중치, 전문가)입니다."""
    values, experts = _chosen(logits, k)
    return experts, values.softmax(-1)


@wrong("route", read="modern-experts")
def only_one_of_two(logits, k):
    """하나만 돌려주었습니다. 가중치와 전문가의 번호를 (가중치, 전문가)로 함께 돌려주십시오."""
    values, _ = _chosen(logits, k)
    return values.softmax(-1)


@wrong("route", read="modern-experts")
def numbers_as_floats(logits, k):
    """전문가의 번호를 실수로 돌려주었습니다. 번호는 정수입니다."""
    values, experts = _chosen(logits, k)
    return values.softmax(-1), experts.to(logits.dtype)


@wrong("route", read="modern-experts")
def softmax_over_tokens(logits, k):
    """토큰의 축에서 소프트맥스를 취했습니다. 토큰마다 고른 전문가에 걸쳐 취하십시오."""
    values, experts = _chosen(logits, k)
    return values.softmax(0), experts


@wrong("route", read="modern-experts")
def divided_over_tokens(logits, k):
    """토큰의 축에서 더한 것으로 나누었습니다. 토큰마다 고른 전문가의 가중치를 더하면 1이어야 합니다."""
    _, experts = _chosen(logits, k)
    parts = logits.softmax(-1).gather(-1, experts)
    return parts / parts.sum(0), experts


@wrong("route", read="modern-experts")
def softmax_over_tokens_first(logits, k):
    """토큰의 축에서 소프트맥스를 취한 다음 골랐습니다. 토큰마다 로짓이 큰 전문가를 고르고, 고른 것에 걸쳐 취하십시오."""
    return _chosen(logits.softmax(0), k)


@wrong("route", read="modern-experts", slip=True)
def refuses_everyone(logits, k):
    """k가 1이거나 E일 때 틀립니다. 둘 다 쓸 수 있는 수입니다."""
    if k >= logits.shape[-1]:
        raise ValueError("experts")
    values, experts = _chosen(logits, k)
    return values.softmax(-1), experts


@wrong("route", read="modern-experts", slip=True)
def changes_the_logits(logits, k):
    """받은 logits를 제자리에서 바꾸었습니다. 균형 손실도 그 로짓을 씁니다. clone()으로 베껴서 바꾸십시오."""
    values, experts = _chosen(logits.clone(), k)
    logits.detach().scatter_(-1, experts, -math.inf)
    return values.softmax(-1), experts


@wrong("route", read="modern-experts", slip=True)
def weights_without_gradient(logits, k):
    """가중치의 기울기를 끊었습니다(detach, tolist, item). 라우터가 배우지 못합니다."""
    values, experts = _chosen(logits.detach(), k)
    return values.softmax(-1), experts


@wrong("route", read="modern-experts", slip=True)
def weights_in_float32(logits, k):
    """가중치의 자료형이 로짓의 것과 다릅니다. float32로 바꾸어 계산했으면 되돌리십시오."""
    values, experts = _chosen(logits, k)
    return values.float().softmax(-1), experts


@wrong("route", read="modern-experts", slip=True)
def accepts_any_k(logits, k):
    """k가 1보다 작거나 전문가의 수보다 클 때 ValueError를 내지 않았습니다."""
    values, experts = logits.topk(min(k, logits.shape[-1]), dim=-1)
    return values.softmax(-1), experts


@wrong("route", read="modern-experts", slip=True)
def accepts_no_experts(logits, k):
    """k가 1보다 작을 때 ValueError를 내지 않았습니다."""
    values, experts = _chosen(logits, max(1, k))
    return values.softmax(-1), experts


@wrong("route", read="modern-experts", slip=True)
def accepts_too_many(logits, k):
    """k가 전문가의 수보다 클 때 ValueError를 내지 않았습니다. topk가 내는 것은 RuntimeError입니다."""
    values, experts = _chosen(logits, min(k, logits.shape[-1]))
    return values.softmax(-1), experts


# balance_loss -------------------------------------------------------------------------------------------------


def _shares(logits, experts):
    number_of = logits.shape[-1]
    counts = F.one_hot(experts, number_of).to(logits.dtype).sum((0, 1))
    return number_of, counts / experts.numel(), logits.softmax(-1).mean(0)


@right_answer("balance_loss")
def _balance(logits, experts):
    number_of, share, probability = _shares(logits, experts)
    return number_of * (share * probability).sum()


@wrong("balance_loss", read="experts#experts-balance")
def without_the_number(logits, experts):
    """결과가 E분의 1입니다. 전문가의 수 E를 곱하지 않았거나, 더할 것을 E로 나누어 평균했습니다. 고르게 나뉘면 1입니다."""
    _, share, probability = _shares(logits, experts)
    return (share * probability).sum()


@wrong("balance_loss", read="experts#experts-balance")
def squared_shares(logits, experts):
    """f를 제곱했습니다. 고른 횟수에는 기울기가 없어서 아무것도 배우지 못합니다. P를 곱하십시오."""
    number_of, share, probability = _shares(logits, experts)
    return number_of * (share * share).sum() + 0 * probability.sum()


@wrong("balance_loss", read="experts#experts-balance")
def squared_probabilities(logits, experts):
    """P를 제곱했습니다. 실제로 어디로 갔는지(f)가 들어가지 않았습니다."""
    number_of, _, probability = _shares(logits, experts)
    return number_of * (probability * probability).sum()


@wrong("balance_loss", read="experts#experts-balance")
def counts_for_shares(logits, experts):
    """f가 몫이 아니라 횟수입니다. 배정 T·k개로 나누십시오."""
    number_of, share, probability = _shares(logits, experts)
    return number_of * (experts.numel() * share * probability).sum()


@wrong("balance_loss", read="experts#experts-balance")
def shares_of_tokens(logits, experts):
    """f를 토큰의 수로만 나누었습니다. 토큰마다 k명을 고르므로 T·k로 나누어야 합니다. Hugging Face의 함수가 이렇게 k배를 냅니다."""
    number_of, share, probability = _shares(logits, experts)
    return number_of * (experts.shape[1] * share * probability).sum()


@wrong("balance_loss", read="experts#experts-balance")
def only_the_first_choice(logits, experts):
    """첫째로 고른 전문가만 세었습니다. 고른 k명을 모두 셉니다."""
    number_of, share, probability = _shares(logits, experts[:, :1])
    return number_of * (share * probability).sum()


@wrong("balance_loss", read="experts#experts-balance")
def probabilities_over_tokens(logits, experts):
    """소프트맥스를 토큰의 축에서 취했습니다. 토큰마다 모든 전문가에 걸쳐 취하십시오."""
    number_of, share, _ = _shares(logits, experts)
    return number_of * (share * logits.softmax(0).mean(0)).sum()


@wrong("balance_loss", read="experts#experts-balance")
def mean_logits(logits, experts):
    """소프트맥스를 취하지 않고 로짓을 평균했습니다. P는 확률의 평균입니다."""
    number_of, share, _ = _shares(logits, experts)
    return number_of * (share * logits.mean(0)).sum()


@wrong("balance_loss", read="experts#experts-balance")
def mean_log_probabilities(logits, experts):
    """로그 확률을 평균했습니다. P는 확률의 평균입니다. log_softmax가 아니라 소프트맥스입니다."""
    number_of, share, _ = _shares(logits, experts)
    return number_of * (share * logits.log_softmax(-1).mean(0)).sum()


@wrong("balance_loss", read="experts#experts-balance")
def summed_probabilities(logits, experts):
    """결과가 토큰의 수 T배입니다. f도 P도 토큰에 걸쳐 더한 것이 아니라 평균입니다."""
    number_of, share, _ = _shares(logits, experts)
    return number_of * (share * logits.softmax(-1).sum(0)).sum()


@wrong("balance_loss", read="experts#experts-balance")
def probabilities_of_the_chosen(logits, experts):
    """P를 고른 전문가에만 걸친 소프트맥스로 구했습니다. 모든 전문가에 걸쳐 취합니다."""
    number_of, share, _ = _shares(logits, experts)
    over_chosen = torch.zeros_like(logits).scatter(-1, experts, logits.gather(-1, experts).softmax(-1))
    return number_of * (share * over_chosen.mean(0)).sum()


@wrong("balance_loss", read="experts#experts-balance")
def weights_for_shares(logits, experts):
    """f에 전문가가 받은 가중치를 더했습니다. f는 배정의 수의 몫입니다: 얼마나 받았든 하나는 하나입니다."""
    number_of, _, probability = _shares(logits, experts)
    weights = logits.detach().gather(-1, experts).softmax(-1)
    share = torch.zeros_like(logits).scatter(-1, experts, weights).mean(0)
    return number_of * (share * probability).sum()


@wrong("balance_loss", read="experts#experts-balance")
def probabilities_for_shares(logits, experts):
    """f에 고른 전문가의 확률을 더했습니다. f는 배정의 수의 몫입니다: 확률이 얼마든 하나는 하나입니다."""
    number_of, _, probability = _shares(logits, experts)
    over_all = logits.softmax(-1)
    share = torch.zeros_like(logits).scatter(-1, experts, over_all.gather(-1, experts)).mean(0)
    return number_of * (share * probability).sum()


@wrong("balance_loss", read="experts#experts-balance")
def chooses_again(logits, experts):
    """받은 experts를 쓰지 않고 로짓에서 다시 골랐습니다. f는 받은 배정의 몫입니다."""
    return _balance(logits, logits.topk(experts.shape[1]).indices)


@wrong("balance_loss", read="experts#experts-balance")
def product_in_each_token(logits, experts):
    """토큰마다 곱한 다음 평균했습니다. f와 P를 저마다 토큰에 걸쳐 평균한 다음 곱합니다."""
    number_of, _, _ = _shares(logits, experts)
    chosen = F.one_hot(experts, number_of).to(logits.dtype).mean(1)
    return number_of * (chosen * logits.softmax(-1)).sum(-1).mean()


@wrong("balance_loss", read="experts#experts-balance")
def number_of_tokens(logits, experts):
    """전문가의 수 E가 아니라 토큰의 수 T를 곱했습니다."""
    _, share, probability = _shares(logits, experts)
    return len(logits) * (share * probability).sum()


@wrong("balance_loss", read="experts#experts-balance")
def number_of_choices(logits, experts):
    """전문가의 수 E가 아니라 고르는 수 k를 곱했습니다."""
    _, share, probability = _shares(logits, experts)
    return experts.shape[1] * (share * probability).sum()


@wrong("balance_loss", read="experts#experts-balance")
def one_minus_balance(logits, experts):
    """고르게 나뉘면 0이 되도록 1을 뺐습니다. 식 그대로이면 고르게 나뉠 때 1입니다."""
    return _balance(logits, experts) - 1


@wrong("balance_loss", read="experts#experts-balance")
def some_axis_left(logits, experts):
    """스칼라가 아닙니다. 더하지 않은 축이 남았습니다. 모든 전문가에 걸쳐 더하십시오."""
    number_of, share, probability = _shares(logits, experts)
    return number_of * share * probability


@wrong("balance_loss", read="experts#experts-balance")
def axis_of_one_left(logits, experts):
    """스칼라가 아닙니다. 크기가 1인 축이 남았습니다. 축이 없는 텐서를 돌려주십시오."""
    return _balance(logits, experts)[None]


@wrong("balance_loss", read="experts#experts-balance")
def a_python_number(logits, experts):
    """텐서가 아니라 파이썬의 수를 돌려주었습니다(item, float). 기울기가 흐르지 않습니다. 스칼라 텐서로 두십시오."""
    return _balance(logits, experts).item()


@wrong("balance_loss", read="experts#experts-balance")
def forgets_the_idle(logits, experts):
    """아무도 고르지 않은 전문가를 셈에서 빠뜨렸습니다. f의 길이는 고른 번호가 아니라 로짓의 전문가 수 E를 따릅니다."""
    _, _, probability = _shares(logits, experts)
    return logits.shape[-1] * (experts.flatten().bincount() / experts.numel() * probability).sum()


@wrong("balance_loss", read="experts#experts-balance", slip=True)
def shares_elsewhere(logits, experts):
    """안에서 만든 텐서가 로짓과 다른 장치에 있습니다. GPU에서는 멈춥니다. 로짓의 device를 넘기십시오."""
    number_of, share, probability = _shares(logits, experts)
    return number_of * (torch.zeros(number_of) + share).mul(probability).sum()


@wrong("balance_loss", read="experts#experts-balance", slip=True)
def without_gradient(logits, experts):
    """P의 기울기를 끊었습니다. 그러면 라우터가 배우지 못합니다."""
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


@right_answer("Llama")
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

    def blocks(self):
        return self.model["layers"]

    def finish(self, x):
        return self.lm_head(self.model["norm"](x))

    def forward(self, ids):
        n = ids.shape[1]
        positions, mask = self.positions(n, ids.device), self.mask(n, ids.device)
        x = self.embed(ids)
        for layer in self.blocks():
            x = self.through(layer, x, positions, mask)
        return self.finish(x)


@wrong("Llama", read="masking#look-ahead")
class SeesTheFuture(_Llama):
    """룩어헤드 마스크가 없습니다. 다음 토큰을 맞히면서 다음 토큰을 봅니다."""

    def mask(self, n, device):
        return torch.ones(n, n, dtype=torch.bool, device=device)


@wrong("Llama", read="masking#polarity")
class SeesOnlyTheFuture(_Llama):
    """마스크가 뒤집혔습니다. 앞의 토큰을 가리고 뒤의 토큰을 봅니다. True가 볼 수 있다는 뜻이고, 볼 것은 아래 삼각형입니다."""

    def mask(self, n, device):
        return torch.ones(n, n, dtype=torch.bool, device=device).triu()


@wrong("Llama", read="masking#polarity")
class SeesWhatIsHidden(_Llama):
    """마스크의 True와 False가 뒤바뀌었습니다. 어텐션의 마스크는 True가 볼 수 있다는 뜻입니다."""

    def mask(self, n, device):
        return torch.ones(n, n, dtype=torch.bool, device=device).triu(1)


@wrong("Llama", read="masking#diagonal")
class NotItself(_Llama):
    """마스크가 자기 자리까지 가립니다. 대각선은 보아야 합니다."""

    def mask(self, n, device):
        return torch.ones(n, n, dtype=torch.bool, device=device).tril(-1)


@wrong("Llama", read="masking#diagonal")
class SeesOneAhead(_Llama):
    """마스크가 한 자리 어긋나 다음 토큰을 봅니다. 맞힐 것이 바로 그 토큰입니다."""

    def mask(self, n, device):
        return torch.ones(n, n, dtype=torch.bool, device=device).tril(1)


@wrong("Llama", read="modern-llama", slip=True)
class MaskElsewhere(_Llama):
    """마스크나 위치를 ids와 다른 장치에 만들었습니다. GPU에서는 멈춥니다. device=ids.device를 넘기십시오."""

    def mask(self, n, device):
        return torch.ones(n, n, dtype=torch.bool).tril()


@wrong("Llama", read="modern-llama")
class NoPositions(_Llama):
    """위치를 넘기지 않았습니다. 어텐션이 아무것도 돌리지 않습니다."""

    def positions(self, n, device):
        return torch.zeros(n, dtype=torch.int64, device=device)


@wrong("Llama", read="modern-llama")
class NoLastNorm(_Llama):
    """마지막 정규화 norm을 지나지 않았습니다."""

    def finish(self, x):
        return self.lm_head(x)


@wrong("Llama", read="modern-llama")
class PostNorm(_Llama):
    """더한 다음 정규화했습니다. 정규화는 부분층의 앞에 있고 지름길에는 없습니다."""

    def through(self, layer, x, positions, mask):
        x = layer.input_layernorm(x + layer.self_attn(x, positions, mask)[0])
        return layer.post_attention_layernorm(x + layer.mlp(x))


@wrong("Llama", read="modern-llama")
class SublayersInParallel(_Llama):
    """두 부분층이 나란히 있습니다. mlp는 어텐션까지 더한 x를 받습니다."""

    def through(self, layer, x, positions, mask):
        attended = layer.self_attn(layer.input_layernorm(x), positions, mask)[0]
        return x + attended + layer.mlp(layer.post_attention_layernorm(x))


@wrong("Llama", read="modern-llama")
class NoResidual(_Llama):
    """잔차 연결이 없습니다. 부분층의 출력에 x를 더하십시오."""

    def through(self, layer, x, positions, mask):
        x = layer.self_attn(layer.input_layernorm(x), positions, mask)[0]
        return layer.mlp(layer.post_attention_layernorm(x))


@wrong("Llama", read="modern-llama")
class NoResidualAroundTheAttention(_Llama):
    """어텐션의 둘레에 잔차 연결이 없습니다. 어텐션의 출력에 x를 더하십시오."""

    def through(self, layer, x, positions, mask):
        x = layer.self_attn(layer.input_layernorm(x), positions, mask)[0]
        return x + layer.mlp(layer.post_attention_layernorm(x))


@wrong("Llama", read="modern-llama")
class NoResidualAroundTheNetwork(_Llama):
    """mlp의 둘레에 잔차 연결이 없습니다. mlp의 출력에 x를 더하십시오."""

    def through(self, layer, x, positions, mask):
        x = x + layer.self_attn(layer.input_layernorm(x), positions, mask)[0]
        return layer.mlp(layer.post_attention_layernorm(x))


@wrong("Llama", read="modern-llama")
class ResidualOfTheNorm(_Llama):
    """정규화한 x에 부분층의 출력을 더했습니다. 지름길로 가는 것은 정규화하기 전의 x입니다."""

    def through(self, layer, x, positions, mask):
        x = layer.input_layernorm(x)
        x = layer.post_attention_layernorm(x + layer.self_attn(x, positions, mask)[0])
        return x + layer.mlp(x)


@wrong("Llama", read="modern-llama")
class ResidualOfTheStart(_Llama):
    """mlp의 지름길에 층의 입력을 더했습니다. 더할 것은 어텐션까지 더한 x입니다."""

    def through(self, layer, x, positions, mask):
        attended = x + layer.self_attn(layer.input_layernorm(x), positions, mask)[0]
        return x + layer.mlp(layer.post_attention_layernorm(attended))


@wrong("Llama", read="modern-llama")
class NormsTheOutputs(_Llama):
    """부분층의 출력을 정규화했습니다. 정규화하는 것은 부분층의 입력입니다."""

    def through(self, layer, x, positions, mask):
        x = x + layer.input_layernorm(layer.self_attn(x, positions, mask)[0])
        return x + layer.post_attention_layernorm(layer.mlp(x))


@wrong("Llama", read="modern-llama")
class NoNormBeforeTheAttention(_Llama):
    """어텐션의 앞에서 정규화하지 않았습니다. input_layernorm을 지난 것이 들어갑니다."""

    def through(self, layer, x, positions, mask):
        x = x + layer.self_attn(x, positions, mask)[0]
        return x + layer.mlp(layer.post_attention_layernorm(x))


@wrong("Llama", read="modern-llama")
class NoNormBeforeTheNetwork(_Llama):
    """mlp의 앞에서 정규화하지 않았습니다. post_attention_layernorm을 지난 것이 들어갑니다."""

    def through(self, layer, x, positions, mask):
        x = x + layer.self_attn(layer.input_layernorm(x), positions, mask)[0]
        return x + layer.mlp(x)


@wrong("Llama", read="modern-llama")
class OneNormForBoth(_Llama):
    """두 부분층이 input_layernorm 하나를 함께 씁니다. mlp의 앞은 post_attention_layernorm입니다."""

    def through(self, layer, x, positions, mask):
        x = x + layer.self_attn(layer.input_layernorm(x), positions, mask)[0]
        return x + layer.mlp(layer.input_layernorm(x))


@wrong("Llama", read="modern-llama")
class AttentionOnly(_Llama):
    """mlp를 지나지 않았습니다. 층마다 어텐션 다음에 mlp가 있습니다."""

    def through(self, layer, x, positions, mask):
        return x + layer.self_attn(layer.input_layernorm(x), positions, mask)[0]


@wrong("Llama", read="modern-llama")
class OnlyTheFirstLayer(_Llama):
    """첫 층만 지났습니다. 모든 층을 차례로 지나야 합니다."""

    def blocks(self):
        return self.model["layers"][:1]


@wrong("Llama", read="modern-llama")
class OnlyTheLastLayer(_Llama):
    """층마다 앞 층의 출력이 아니라 임베딩을 넣어, 마지막 층만 남았습니다. x를 이어서 넘기십시오."""

    def blocks(self):
        return self.model["layers"][-1:]


@wrong("Llama", read="modern-llama")
class NormAfterEachLayer(_Llama):
    """층마다 마지막 정규화 norm을 지났습니다. norm은 모든 층의 뒤에 한 번입니다."""

    def through(self, layer, x, positions, mask):
        return self.model["norm"](super().through(layer, x, positions, mask))

    def finish(self, x):
        return self.lm_head(x)


@wrong("Llama", read="modern-llama")
class Probabilities(_Llama):
    """소프트맥스를 취했습니다. 돌려줄 것은 로짓입니다."""

    def finish(self, x):
        return super().finish(x).softmax(-1)


@wrong("Llama", read="modern-llama")
class LogProbabilities(_Llama):
    """log_softmax를 취했습니다. 돌려줄 것은 로짓입니다."""

    def finish(self, x):
        return super().finish(x).log_softmax(-1)


@wrong("Llama", read="modern-llama")
class HiddenForLogits(_Llama):
    """lm_head를 지나지 않고 은닉 벡터를 돌려주었습니다."""

    def finish(self, x):
        return self.model["norm"](x)


@wrong("Llama", read="modern-llama")
class OnlyTheLastPosition(_Llama):
    """마지막 자리의 로짓만 돌려주었습니다. 자리마다 다음 토큰의 로짓을 돌려줍니다."""

    def finish(self, x):
        return super().finish(x)[:, -1]


@wrong("Llama", read="modern-llama")
class NormsSwapped(_Llama):
    """두 정규화를 맞바꾸었습니다. input_layernorm이 어텐션의, post_attention_layernorm이 mlp의 것입니다."""

    def through(self, layer, x, positions, mask):
        x = x + layer.self_attn(layer.post_attention_layernorm(x), positions, mask)[0]
        return x + layer.mlp(layer.input_layernorm(x))


@wrong("Llama", read="modern-llama")
class DefaultRotaryBase(_Llama):
    """회전의 밑을 설정에서 읽지 않았습니다. config.rope_parameters["rope_theta"]입니다."""

    def base(self, config):
        return 10_000.0


@wrong("Llama", read="modern-llama")
class DefaultEpsilon(_Llama):
    """정규화의 엡실론을 설정에서 읽지 않았습니다. config.rms_norm_eps입니다."""

    def epsilon(self, config):
        return 1e-6


@wrong("Llama", read="modern-llama")
class IgnoresKeyValueHeads(_Llama):
    """키·값 헤드의 수를 설정에서 읽지 않았습니다. config.num_key_value_heads입니다."""

    def layer(self, config):
        return super().layer(replace(config, num_key_value_heads=config.num_attention_heads))


@wrong("Llama", read="modern-llama")
class HeadsTheWrongWayRound(_Llama):
    """질의 헤드와 키·값 헤드의 수가 다르면 실패합니다. 어텐션에 넘기는 차례는 질의 헤드, 키·값 헤드입니다."""

    def layer(self, config):
        heads, kv_heads = config.num_attention_heads, config.num_key_value_heads
        return super().layer(replace(config, num_attention_heads=kv_heads, num_key_value_heads=heads))


@wrong("Llama", read="modern-llama")
class IgnoresHeadSize(_Llama):
    """헤드의 차원을 설정에서 읽지 않았습니다. config.head_dim을 어텐션에 넘기십시오."""

    def layer(self, config):
        return super().layer(replace(config, head_dim=None))


@wrong("Llama", read="modern-llama")
class NetworkOfAnotherSize(_Llama):
    """mlp의 크기가 설정과 다릅니다. 은닉 차원은 config.intermediate_size입니다. 넘기는 차례도 보십시오."""

    def layer(self, config):
        return super().layer(replace(config, intermediate_size=4 * config.hidden_size))


@wrong("Llama", read="modern-llama")
class ScaledEmbedding(_Llama):
    """임베딩에 √d를 곱했습니다. 2017년의 트랜스포머는 곱하지만 Llama는 곱하지 않습니다."""

    def embed(self, ids):
        return super().embed(ids) * self.config.hidden_size**0.5


@wrong("Llama", read="modern-llama")
class AlwaysTied(_Llama):
    """언제나 lm_head를 임베딩과 묶었습니다. 설정의 tie_word_embeddings가 참일 때만 묶습니다."""

    def ties(self, config):
        return True


@wrong("Llama", read="modern-llama", slip=True)
class NeverTied(_Llama):
    """tie_word_embeddings인데 lm_head와 임베딩을 묶지 않았습니다. 같은 파라미터를 가리키게 하십시오."""

    def ties(self, config):
        return False


@wrong("Llama", read="modern-llama")
class OneLayerAgainAndAgain(_Llama):
    """층 하나를 되풀이해 썼습니다. [층] * N은 층 하나의 별명 N개입니다."""

    def stack(self, config):
        return nn.ModuleList([self.layer(config)] * config.num_hidden_layers)


@wrong("Llama", read="modern-llama")
class LayersInAList(_Llama):
    """층을 파이썬의 리스트에 담았습니다. 그러면 층의 파라미터가 등록되지 않아 옮겨지지도 배우지도 않습니다. nn.ModuleList에 담으십시오."""

    def __init__(self, config):
        super().__init__(config)
        self.hidden = [self.model.pop("layers")]

    def blocks(self):
        return self.hidden[0]


@wrong("Llama", read="modern-llama")
class PartsWithoutTheModel(_Llama):
    """embed_tokens, layers, norm을 model 안에 두지 않았습니다. 이름이 model.embed_tokens.weight처럼 되어야 가중치를 읽을 수 있습니다."""

    def __init__(self, config):
        super().__init__(config)
        parts = dict(self.model.items())
        del self.model
        for name, part in parts.items():
            self.add_module(name, part)
        self.__dict__["model"] = parts


@wrong("Llama", read="modern-llama", slip=True)
class BiasInTheHead(_Llama):
    """lm_head에 편향이 있습니다: bias=False."""

    def __init__(self, config):
        super().__init__(config)
        self.lm_head.bias = nn.Parameter(torch.zeros(config.vocab_size))


@wrong("Llama", read="modern-llama")
class MoreParameters(_Llama):
    """설정과 이름표에 없는 파라미터가 더 있습니다. Llama에는 위치 임베딩도, 다른 정규화도 없습니다."""

    def __init__(self, config):
        super().__init__(config)
        self.model["embed_positions"] = nn.Embedding(64, config.hidden_size)

    def embed(self, ids):
        return super().embed(ids) + self.model["embed_positions"].weight[: ids.shape[1]]


@wrong("Llama", read="modern-llama")
class TokenZeroIsPadding(_Llama):
    """0번 토큰을 패딩으로 두었습니다(padding_idx=0). 여기서는 다른 것과 같은 토큰이고, 그 임베딩도 배웁니다."""

    def __init__(self, config):
        super().__init__(config)
        self.model["embed_tokens"].padding_idx = 0


@wrong("Llama", read="modern-llama")
class WithoutTheWayBack(_Llama):
    """기울기를 끊었습니다(no_grad, detach). 값은 맞지만 모델이 배우지 못합니다."""

    @torch.no_grad()
    def forward(self, ids):
        return super().forward(ids)
