"""Wrong answers that people give to the exercise `positional_encoding`."""

import torch
from torch import nn

from grader.judging.mistakes import right_answer, wrong


def _pairs(d):
    if d % 2:
        raise ValueError("odd")


def _angles(positions, d, exponent=None, base=10_000.0):
    exponent = torch.arange(0, d, 2).double() / d if exponent is None else exponent
    return torch.as_tensor(positions).double()[:, None] * base**-exponent


def _interleave(angles):
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).float()


# sinusoidal_encoding ----------------------------------------------------------------------------------------


@wrong("sinusoidal_encoding", read="interleaved")
def concatenated(length, d_model, device=None):
    """사인을 앞에, 코사인을 뒤에 모았습니다. 이 책은 논문처럼 둘을 번갈아 놓습니다."""
    _pairs(d_model)
    angles = _angles(range(length), d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=-1).float()


@wrong("sinusoidal_encoding", read="sinusoid-formula")
def cosine_first(length, d_model, device=None):
    """사인과 코사인의 자리를 바꾸었습니다. 짝수 열이 사인, 홀수 열이 코사인입니다."""
    _pairs(d_model)
    angles = _angles(range(length), d_model)
    return torch.stack([angles.cos(), angles.sin()], dim=-1).flatten(-2).float()


@wrong("sinusoidal_encoding", read="sinusoid-formula")
def half_the_exponent(length, d_model, device=None):
    """지수가 절반입니다. i번째 쌍의 지수는 i/d가 아니라 2i/d입니다."""
    _pairs(d_model)
    return _interleave(_angles(range(length), d_model, torch.arange(d_model // 2).double() / d_model))


@wrong("sinusoidal_encoding", read="sinusoid-formula")
def double_the_exponent(length, d_model, device=None):
    """지수가 두 배입니다. 열의 번호 2i를 이미 셌다면 다시 2를 곱하지 않습니다."""
    _pairs(d_model)
    return _interleave(_angles(range(length), d_model, 2 * torch.arange(0, d_model, 2).double() / d_model))


@wrong("sinusoidal_encoding", read="sinusoid-pairs")
def own_angle_for_each_column(length, d_model, device=None):
    """사인과 코사인이 다른 각도를 씁니다. 한 쌍은 같은 각도를 써야 회전이 됩니다."""
    _pairs(d_model)
    angles = _angles(range(length), d_model, torch.arange(d_model).double() / d_model)
    even = torch.arange(d_model) % 2 == 0
    return torch.where(even, angles.sin(), angles.cos()).float()


@wrong("sinusoidal_encoding", read="sinusoid-formula")
def column_taken_for_the_pair(length, d_model, device=None):
    """열의 번호를 쌍의 번호 i로 썼습니다. 지수 2i는 짝수 열의 번호입니다. 열 2i와 2i + 1이 같은 지수 2i / d를 씁니다."""
    _pairs(d_model)
    angles = _angles(range(length), d_model, 2 * torch.arange(d_model).double() / d_model)
    even = torch.arange(d_model) % 2 == 0
    return torch.where(even, angles.sin(), angles.cos()).float()


@wrong("sinusoidal_encoding", read="sinusoid-formula")
def batch_axis_in_front(length, d_model, device=None):
    """앞에 배치 축을 하나 붙였습니다. 결과는 (length, d_model) 행렬입니다. 더할 때 브로드캐스트되므로 unsqueeze(0)은 필요 없습니다."""
    _pairs(d_model)
    return _interleave(_angles(range(length), d_model)).float()[None].to(device)


@wrong("sinusoidal_encoding", read="sinusoid-formula")
def counted_from_one(length, d_model, device=None):
    """위치를 1부터 셌습니다. 첫 위치는 0입니다."""
    _pairs(d_model)
    return _interleave(_angles(range(1, length + 1), d_model))


@wrong("sinusoidal_encoding", read="sinusoid-formula")
def multiplied(length, d_model, device=None):
    """위치를 10000^(2i/d)로 나누지 않고 곱했습니다. 뒤쪽 열로 갈수록 느리게 변해야 합니다."""
    _pairs(d_model)
    return _interleave(_angles(range(length), d_model, -torch.arange(0, d_model, 2).double() / d_model))


@wrong("sinusoidal_encoding", read="far-positions", slip=True)
def single_precision(length, d_model, device=None):
    """각도나 주파수를 float32로 계산했습니다. 먼 위치에서 값이 어긋납니다. float64로 계산한 다음 바꾸십시오."""
    _pairs(d_model)
    exponents = torch.arange(0, d_model, 2).float() / d_model
    angles = torch.arange(length).float()[:, None] * torch.exp(-exponents * torch.log(torch.tensor(10_000.0)))
    return _interleave(angles)


@wrong("sinusoidal_encoding", read="sinusoid-pairs", slip=True)
def odd_sizes_accepted(length, d_model, device=None):
    """홀수인 d_model을 받아들였습니다. 사인과 코사인이 쌍을 이루지 못합니다. ValueError를 내십시오."""
    return _interleave(_angles(range(length), d_model))[:, :d_model].to(device)


@wrong("sinusoidal_encoding", read="far-positions", slip=True)
def returns_double(length, d_model, device=None):
    """float64인 채로 돌려주었습니다. 각도만 float64로 계산하고, 마지막에 float32로 바꾸십시오."""
    _pairs(d_model)
    angles = _angles(range(length), d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).to(device)


@wrong("sinusoidal_encoding", read="sinusoid-formula", slip=True)
def ignores_the_device(length, d_model, device=None):
    """device를 쓰지 않았거나 일부 텐서에만 썼습니다. 행렬은 부르는 쪽이 고른 장치에 있어야 합니다."""
    _pairs(d_model)
    return _interleave(_angles(range(length), d_model))


@wrong("sinusoidal_encoding", read="sinusoid-pairs")
def only_sines(length, d_model, device=None):
    """열마다 사인만 썼습니다. 한 쌍은 같은 각도의 사인과 코사인입니다. 사인 하나로는 회전이 되지 않습니다."""
    _pairs(d_model)
    angles = _angles(range(length), d_model)
    return torch.stack([angles.sin(), angles.sin()], dim=-1).flatten(-2).float().to(device)


@wrong("sinusoidal_encoding", read="sinusoid-formula")
def base_of_a_thousand(length, d_model, device=None):
    """바닥이 1,000입니다. 이 식의 바닥은 10,000입니다."""
    _pairs(d_model)
    return _interleave(_angles(range(length), d_model, base=1000.0)).to(device)


@wrong("sinusoidal_encoding", read="sinusoid-pairs", slip=True)
def odd_size_left_to_torch(length, d_model, device=None):
    """홀수인 크기에 ValueError가 아닌 오류를 냅니다. assert나 PyTorch의 오류 대신, 먼저 확인하고 ValueError를 내십시오."""
    assert d_model % 2 == 0
    return _interleave(_angles(range(length), d_model)).to(device)


@wrong("sinusoidal_encoding", read="sinusoid-formula")
def one_frequency(length, d_model, device=None):
    """주파수를 빠뜨렸습니다. 모든 쌍이 같은 빠르기로 돌면 한 바퀴마다 위치를 헷갈립니다. 각도는 p / 10000^(2i/d)입니다."""
    _pairs(d_model)
    return _interleave(_angles(range(length), d_model, torch.zeros(d_model // 2).double())).to(device)


# LearnedPositionalEmbedding ---------------------------------------------------------------------------------


@right_answer("LearnedPositionalEmbedding")
class _Learned(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.table = nn.Embedding(max_length, d_model)

    def rows(self, x):
        if x.shape[-2] > self.table.num_embeddings:
            raise ValueError("too long")
        return self.table.weight[: x.shape[-2]]

    def forward(self, x):
        return x + self.rows(x)


@wrong("LearnedPositionalEmbedding", read="position-added")
class OnlyTheRows(_Learned):
    """표의 행만 돌려주고 x를 더하지 않았습니다. 단어가 사라지고 자리만 남습니다. x에 행을 더하십시오."""

    def forward(self, x):
        return self.rows(x)


@wrong("LearnedPositionalEmbedding", read="learned-positions")
class RowsAlone(_Learned):
    """위치 벡터만 돌려주었습니다. 입력에 더해서 돌려주십시오."""

    def forward(self, x):
        return self.rows(x).expand_as(x)


@wrong("LearnedPositionalEmbedding", read="position-added")
class Concatenated(_Learned):
    """더하지 않고 이어 붙였습니다. 뒤의 층이 받을 차원이 두 배가 됩니다."""

    def forward(self, x):
        return torch.cat([x, self.rows(x).expand_as(x)], dim=-1)


@wrong("LearnedPositionalEmbedding", read="learned-positions")
class NeverLearns(_Learned):
    """표를 학습에서 떼어 놓았습니다(detach). 위치 벡터가 처음 그대로 남습니다."""

    def forward(self, x):
        return x + self.rows(x).detach()


@wrong("LearnedPositionalEmbedding", read="learned-positions", slip=True)
class WrapsAround(_Learned):
    """표보다 긴 입력을 나머지 연산으로 접었습니다. 멀리 있는 두 위치가 같은 벡터를 받습니다. ValueError를 내십시오."""

    def forward(self, x):
        return x + self.table(torch.arange(x.shape[-2]) % self.table.num_embeddings)


@wrong("LearnedPositionalEmbedding", read="learned-positions")
class CountsTheBatch(_Learned):
    """첫 축의 크기로 위치를 셌습니다. 첫 축은 배치이고, 시간 축은 뒤에서 둘째 축입니다."""

    def forward(self, x):
        self.rows(x)
        return x + self.table.weight[: x.shape[0]].reshape(-1, *[1] * (x.dim() - 2), x.shape[-1])


@wrong("LearnedPositionalEmbedding", read="position-added", slip=True)
class AddsInPlace(_Learned):
    """입력을 제자리에서 바꾸었습니다(+=). 부른 쪽의 데이터가 망가집니다."""

    def forward(self, x):
        rows = self.rows(x)
        x.data += rows.data
        return x + (rows - rows.detach())


@wrong("LearnedPositionalEmbedding", read="learned-positions")
class CountsFromOne(_Learned):
    """위치를 1부터 셌습니다. 첫 자리에는 0번째 행을 더합니다."""

    def forward(self, x):
        self.rows(x)
        return x + self.table.weight.roll(-1, 0)[: x.shape[-2]]


@wrong("LearnedPositionalEmbedding", read="learned-positions")
class OneRowForAll(_Learned):
    """모든 자리에 같은 행을 더했습니다. 자리마다 자기 번호의 행을 더해야 순서가 보입니다."""

    def forward(self, x):
        return x + self.rows(x)[-1]


@wrong("LearnedPositionalEmbedding", read="learned-positions", slip=True)
class LeavesTheErrorToTorch(_Learned):
    """길이를 확인하지 않았습니다. PyTorch가 내는 오류 대신, 먼저 확인하고 ValueError를 내십시오."""

    def forward(self, x):
        return x + self.table.weight[: x.shape[-2]]


@wrong("LearnedPositionalEmbedding", read="learned-positions", slip=True)
class RefusesTheFullLength(_Learned):
    """표와 같은 길이까지 거절했습니다. 표보다 긴 입력에만 ValueError를 냅니다 (>= 대신 >)."""

    def forward(self, x):
        if x.shape[-2] >= self.table.num_embeddings:
            raise ValueError("too long")
        return super().forward(x)


@wrong("LearnedPositionalEmbedding", read="position-added")
class ScalesTheInput(_Learned):
    """입력을 sqrt(d)배 했습니다. 여기서는 행을 더하기만 합니다."""

    def forward(self, x):
        return x * x.shape[-1] ** 0.5 + self.rows(x)


@wrong("LearnedPositionalEmbedding", read="learned-positions", slip=True)
class CutsLongInputs(_Learned):
    """표보다 긴 입력을 말없이 잘랐습니다. 남은 토큰이 사라집니다. ValueError를 내십시오."""

    def forward(self, x):
        x = x[..., : self.table.num_embeddings, :]
        return x + self.rows(x)


@wrong("LearnedPositionalEmbedding", read="learned-positions")
class TableIsNoParameter(nn.Module):
    """모듈에 배우는 파라미터가 없습니다. 보통 텐서나 버퍼는 옵티마이저가 보지 못합니다. 표는 nn.Embedding에 두십시오."""

    def __init__(self, max_length, d_model):
        super().__init__()
        self.register_buffer("table", torch.randn(max_length, d_model))

    def forward(self, x):
        if x.shape[-2] > len(self.table):
            raise ValueError("too long")
        return x + self.table[: x.shape[-2]]


@wrong("LearnedPositionalEmbedding", read="learned-positions", slip=True)
class CountsTheSecondAxis(_Learned):
    """배치 축이 하나일 때만 맞습니다. 앞에 붙은 축은 몇 개든 배치이므로 시간 축은 앞에서 세지 말고 뒤에서 셉니다(-2)."""

    def forward(self, x):
        self.rows(x)
        return x + self.table.weight[: x.shape[1]]


@wrong("LearnedPositionalEmbedding", read="learned-positions", slip=True)
class LastRowAgain(_Learned):
    """표보다 긴 입력의 뒤쪽 자리에 모두 마지막 행을 더했습니다. 그 자리들을 구별하지 못합니다. ValueError를 내십시오."""

    def forward(self, x):
        last = self.table.num_embeddings - 1
        return x + self.table(torch.arange(x.shape[-2], device=x.device).clamp(max=last))


@wrong("LearnedPositionalEmbedding", read="learned-positions", slip=True)
class PositionsOnTheDefaultDevice(_Learned):
    """위치 번호를 입력과 다른 장치에 만들었습니다. torch.arange에 device=x.device를 주십시오."""

    def forward(self, x):
        self.rows(x)
        return x + self.table(torch.arange(x.shape[-2]))


# shift_matrix -----------------------------------------------------------------------------------------------


def _blocks(k, d, make):
    _pairs(d)
    angles = k * 10_000.0 ** (-torch.arange(0, d, 2).double() / d)
    return torch.block_diag(*[torch.tensor(make(float(a.sin()), float(a.cos()))) for a in angles])


@wrong("shift_matrix", read="shift-is-rotation")
def turned_backwards(k, d_model):
    """반대쪽으로 밉니다. 사인 행은 (cos, sin), 코사인 행은 (-sin, cos)입니다."""
    return _blocks(k, d_model, lambda sin, cos: [[cos, -sin], [sin, cos]])


@wrong("shift_matrix", read="shift-is-rotation")
def both_sines_positive(k, d_model):
    """부호가 하나 빠졌습니다. 회전 행렬의 두 sin은 부호가 반대입니다."""
    return _blocks(k, d_model, lambda sin, cos: [[cos, sin], [sin, cos]])


@wrong("shift_matrix", read="shift-is-rotation")
def one_angle_for_all(k, d_model):
    """모든 쌍을 같은 각도로 돌렸습니다. 쌍마다 주파수가 다릅니다."""
    _pairs(d_model)
    angle = torch.tensor(float(k))
    block = torch.stack([torch.stack([angle.cos(), angle.sin()]), torch.stack([-angle.sin(), angle.cos()])])
    return torch.block_diag(*[block] * (d_model // 2))


@wrong("shift_matrix", read="interleaved")
def for_concatenated_layout(k, d_model):
    """사인이 앞, 코사인이 뒤에 모인 배치의 행렬입니다. 이 책의 배치는 번갈아 놓은 것입니다."""
    _pairs(d_model)
    angles = k * 10_000.0 ** (-torch.arange(0, d_model, 2).double() / d_model)
    sin, cos = torch.diag(angles.sin()), torch.diag(angles.cos())
    return torch.cat([torch.cat([cos, sin], 1), torch.cat([-sin, cos], 1)]).float()


@wrong("shift_matrix", read="shift-is-rotation")
def rolled(k, d_model):
    """위치를 옮기는 순열 행렬을 만들었습니다. 옮길 것은 시간이 아니라 한 위치의 벡터입니다."""
    _pairs(d_model)
    return torch.eye(d_model).roll(k, 0)


@wrong("shift_matrix", read="sinusoid-pairs", slip=True)
def shift_of_odd_size(k, d_model):
    """홀수인 d_model을 받아들였습니다. 쌍을 이루지 못합니다. ValueError를 내십시오."""
    angles = k * 10_000.0 ** (-torch.arange(0, d_model, 2).double() / d_model)
    blocks = [torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]]) for a in angles]
    return torch.block_diag(*blocks).float()


@wrong("shift_matrix", read="shift-is-rotation")
def half_the_exponent_of_the_shift(k, d_model):
    """지수가 절반입니다. i번째 쌍의 각속도는 10000^(-2i/d)입니다."""
    _pairs(d_model)
    angles = k * 10_000.0 ** (-torch.arange(d_model // 2).double() / d_model)
    return torch.block_diag(
        *[torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]]) for a in angles]
    ).float()


@wrong("shift_matrix", read="shift-is-rotation")
def speed_to_the_power(k, d_model):
    """각을 k배 하지 않고 각속도를 k제곱했습니다. k칸 옮기면 각이 k배가 됩니다."""
    _pairs(d_model)
    angles = (10_000.0 ** (-torch.arange(0, d_model, 2).double() / d_model)) ** k
    return torch.block_diag(
        *[torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]]) for a in angles]
    ).float()


def _forth(sin, cos):
    return [[cos, sin], [-sin, cos]]


@wrong("shift_matrix", read="sinusoid-pairs", slip=True)
def shift_of_odd_size_left_to_torch(k, d_model):
    """홀수인 크기에 ValueError가 아닌 오류를 냅니다. assert나 PyTorch의 오류 대신, 먼저 확인하고 ValueError를 내십시오."""
    assert d_model % 2 == 0
    return _blocks(k, d_model, _forth)


@wrong("shift_matrix", read="shift-is-rotation")
def double_the_exponent_of_the_shift(k, d_model):
    """지수가 두 배입니다. 열의 번호 2i를 이미 셌다면 다시 2를 곱하지 않습니다."""
    _pairs(d_model)
    angles = k * 10_000.0 ** (-2 * torch.arange(0, d_model, 2).double() / d_model)
    return torch.block_diag(*[torch.tensor(_forth(float(a.sin()), float(a.cos()))) for a in angles])


@wrong("shift_matrix", read="shift-is-rotation")
def always_one_step(k, d_model):
    """k를 쓰지 않았습니다. k칸 밀면 각이 k배가 됩니다."""
    return _blocks(1, d_model, _forth)


@wrong("shift_matrix", read="shift-is-rotation", slip=True)
def never_backwards(k, d_model):
    """k가 음수인데 앞으로 밉니다. 음수이면 뒤로 밀어야 합니다."""
    return _blocks(abs(k), d_model, _forth)


@wrong("shift_matrix", read="shift-is-rotation", slip=True)
def shift_in_double(k, d_model):
    """float64인 채로 돌려주었습니다. 각도를 float64로 계산했더라도 돌려줄 때는 float32로 바꿉니다."""
    return _blocks(k, d_model, _forth).double()


# rotary -----------------------------------------------------------------------------------------------------


def _turn(x, angles):
    sin, cos = angles.sin().to(x.dtype), angles.cos().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


@wrong("rotary", read="rotary")
def clockwise(x, positions):
    """시계 방향으로 돌렸습니다. 이 책은 +θ, 곧 (a cos θ - b sin θ, a sin θ + b cos θ)입니다."""
    _pairs(x.shape[-1])
    return _turn(x, -_angles(positions, x.shape[-1]))


@wrong("rotary", read="interleaved")
def halves_as_pairs(x, positions):
    """앞쪽 절반과 뒤쪽 절반을 짝지었습니다. 이 책의 쌍은 이웃한 두 성분 (2i, 2i + 1)입니다."""
    _pairs(x.shape[-1])
    angles = _angles(positions, x.shape[-1])
    sin, cos = angles.sin().to(x.dtype), angles.cos().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


@wrong("rotary", read="rotary")
def ignores_positions(x, positions):
    """주어진 positions를 쓰지 않고 0, 1, 2, …를 썼습니다."""
    _pairs(x.shape[-1])
    return _turn(x, _angles(range(x.shape[-2]), x.shape[-1]))


@wrong("rotary", read="rotary")
def added_instead(x, positions):
    """돌리지 않고 사인과 코사인을 더했습니다. 회전 위치 인코딩은 곱합니다."""
    _pairs(x.shape[-1])
    return x + _interleave(_angles(positions, x.shape[-1])).to(x.dtype)


@wrong("rotary", read="rotary")
def same_angle_for_all_pairs(x, positions):
    """모든 쌍을 같은 각도로 돌렸습니다. i번째 쌍의 각도는 position · 10000^(-2i/d)입니다."""
    _pairs(x.shape[-1])
    return _turn(x, positions.double()[:, None].expand(-1, x.shape[-1] // 2))


@wrong("rotary", read="sinusoid-pairs", slip=True)
def turns_odd_sizes(x, positions):
    """홀수인 d를 받아들였습니다. 짝이 없는 성분은 돌릴 수 없습니다. ValueError를 내십시오."""
    if x.shape[-1] % 2:
        return x
    return _turn(x, _angles(positions, x.shape[-1]))


@wrong("rotary", read="interleaved")
def not_interleaved_again(x, positions):
    """돌린 성분을 앞뒤로 모아 놓았습니다. 짝수 자리와 홀수 자리의 결과를 다시 번갈아 놓으십시오."""
    _pairs(x.shape[-1])
    turned = _turn(x, _angles(positions, x.shape[-1]))
    return torch.cat([turned[..., 0::2], turned[..., 1::2]], dim=-1)


@wrong("rotary", read="rotary")
def turned_by_half_the_exponent(x, positions):
    """지수가 절반입니다. i번째 쌍의 각도는 position · 10000^(-2i/d)입니다."""
    d = x.shape[-1]
    _pairs(d)
    return _turn(x, _angles(positions, d, torch.arange(d // 2).double() / d))


@wrong("rotary", read="rotary", slip=True)
def turned_without_gradient(x, positions):
    """기울기를 끊었습니다(detach). 돌린 질의와 키를 지나서도 배워야 합니다."""
    _pairs(x.shape[-1])
    return _turn(x.detach(), _angles(positions, x.shape[-1]))


@wrong("rotary", read="rotary")
def turns_in_place(x, positions):
    """받은 x를 제자리에서 바꾸었습니다. 부른 쪽의 질의와 키가 망가집니다. 새 텐서를 만드십시오."""
    _pairs(x.shape[-1])
    turned = _turn(x, _angles(positions, x.shape[-1]))
    x.data.copy_(turned.data)
    return turned


@wrong("rotary", read="rotary")
def second_from_the_turned_first(x, positions):
    """이미 바꾼 첫째 성분으로 둘째 성분을 계산했습니다. 둘 다 돌리기 전의 값으로 계산하십시오."""
    _pairs(x.shape[-1])
    angles = _angles(positions, x.shape[-1])
    sin, cos = angles.sin().to(x.dtype), angles.cos().to(x.dtype)
    even = x[..., 0::2] * cos - x[..., 1::2] * sin
    return torch.stack([even, even * sin + x[..., 1::2] * cos], dim=-1).flatten(-2)


@wrong("rotary", read="sinusoid-pairs", slip=True)
def turning_odd_sizes_left_to_torch(x, positions):
    """홀수인 크기에 ValueError가 아닌 오류를 냅니다. assert나 PyTorch의 오류 대신, 먼저 확인하고 ValueError를 내십시오."""
    assert x.shape[-1] % 2 == 0
    return _turn(x, _angles(positions, x.shape[-1]))


@wrong("rotary", read="rotary")
def turned_by_double_the_exponent(x, positions):
    """지수가 두 배입니다. 성분의 번호 2i를 이미 셌다면 다시 2를 곱하지 않습니다."""
    _pairs(x.shape[-1])
    return _turn(
        x, _angles(positions, x.shape[-1], 2 * torch.arange(0, x.shape[-1], 2).double() / x.shape[-1])
    )


@wrong("rotary", read="interleaved")
def angles_in_halves(x, positions):
    """쌍은 이웃한 두 성분인데 각도는 앞뒤 절반의 배치로 늘어놓았습니다. 이웃한 둘이 같은 각도를 쓰도록 늘어놓으십시오."""
    _pairs(x.shape[-1])
    angles = torch.cat([_angles(positions, x.shape[-1])] * 2, dim=-1).to(x.dtype)
    swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * angles.cos() + swapped * angles.sin()


@wrong("rotary", read="rotary", slip=True)
def dtype_of_the_angles(x, positions):
    """결과의 자료형이 x와 다릅니다. 각도를 float32나 float64로 계산했더라도 결과는 x의 자료형으로 돌려주십시오."""
    _pairs(x.shape[-1])
    return _turn(x.float(), _angles(positions, x.shape[-1]))


@wrong("rotary", read="far-positions", slip=True)
def angles_in_the_dtype_of_x(x, positions):
    """각도를 x의 자료형으로 계산했습니다. float16이면 먼 위치의 각도가 크게 어긋납니다. 각도는 float32 이상으로 계산하십시오."""
    d = x.shape[-1]
    _pairs(d)
    frequencies = 10_000.0 ** -(torch.arange(0, d, 2, dtype=x.dtype, device=x.device) / d)
    return _turn(x, positions.to(x.dtype)[:, None] * frequencies)


@wrong("rotary", read="rotary", slip=True)
def frequencies_on_the_default_device(x, positions):
    """주파수나 위치를 x와 다른 장치에 만들었습니다. 새로 만드는 텐서에는 device=x.device를 주십시오."""
    d = x.shape[-1]
    _pairs(d)
    return _turn(x, positions[:, None] * 10_000.0 ** (-torch.arange(0, d, 2) / d))


@wrong("rotary", read="rotary")
def turns_one_batch_axis_only(x, positions):
    """배치 축이 하나일 때만 맞습니다. 앞에 붙은 축은 몇 개든 배치입니다. 축은 뒤에서 세고 크기를 정해 놓지 마십시오."""
    batch, n, d = x.shape
    _pairs(d)
    return _turn(x, _angles(positions, d))
