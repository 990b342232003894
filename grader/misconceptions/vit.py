"""Wrong answers that people give to the exercise `vit`."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import right_answer, wrong


def _refuse(height, width, patch):
    if height % patch or width % patch:
        raise ValueError("patches do not divide the picture")


@right_answer("patchify")
def _cut(images, patch, axes=(0, 2, 4, 1, 3, 5)):
    """The right patches, but for the order of the axes."""
    batch, channels, height, width = images.shape
    _refuse(height, width, patch)
    cut = images.reshape(batch, channels, height // patch, patch, width // patch, patch)
    return cut.permute(axes).reshape(batch, -1, channels * patch * patch)


# patchify ---------------------------------------------------------------------------------------------------


@wrong("patchify", read="vit-reshape")
def reshape_only(images, patch):
    """reshape만 했습니다. 메모리에 놓인 차례대로 잘려서, 이웃한 화소가 아니라 한 줄의 화소가 패치가 됩니다. 축을 여섯으로 나누고 순서를 바꾸십시오."""
    batch, channels, height, width = images.shape
    _refuse(height, width, patch)
    return images.reshape(batch, -1, channels * patch * patch)


@wrong("patchify", read="vit-patches")
def columns_first(images, patch):
    """패치를 위에서 아래로 셌습니다. 왼쪽에서 오른쪽으로 세고, 한 줄이 끝나면 다음 줄로 갑니다."""
    return _cut(images, patch, (0, 4, 2, 1, 3, 5))


@wrong("patchify", read="vit-reshape")
def channels_last(images, patch):
    """패치 하나를 (patch, patch, channels)로 폈습니다. 채널이 맨 앞입니다. 합성곱의 가중치도 이 차례입니다."""
    return _cut(images, patch, (0, 2, 4, 3, 5, 1))


@wrong("patchify", read="vit-reshape")
def transposed_patches(images, patch):
    """패치 안에서 행과 열이 바뀌었습니다. 패치가 뒤집혀 펴집니다."""
    return _cut(images, patch, (0, 2, 4, 1, 5, 3))


@wrong("patchify", read="vit-patches")
def overlapping(images, patch):
    """patch칸이 아니라 한 칸씩 옮기며 잘라 패치가 겹칩니다. 보폭이 patch여야 합니다."""
    _refuse(*images.shape[-2:], patch)
    return F.unfold(images, patch).mT


@wrong("patchify", read="vit-reshape")
def values_first(images, patch):
    """축을 바꾸지 않았습니다. F.unfold가 주는 것은 (batch, values, patches)입니다. 마지막 두 축을 바꾸십시오."""
    _refuse(*images.shape[-2:], patch)
    return F.unfold(images, patch, stride=patch)


@wrong("patchify", read="vit-patches", slip=True)
def drops_the_rest(images, patch):
    """나누어지지 않는 그림을 받아들였습니다. 남는 화소를 버리거나 0을 채우지 말고 ValueError를 내십시오."""
    return F.unfold(images, patch, stride=patch).mT


@wrong("patchify", read="vit-patches", slip=True)
def another_error(images, patch):
    """나누어지지 않는 그림이 ValueError가 아닌 다른 오류로 끝납니다. 나누어지는지 먼저 확인하고 ValueError를 내십시오."""
    try:
        return _cut(images, patch)
    except ValueError as error:
        raise RuntimeError("another error") from error


@wrong("patchify", read="vit-patches", slip=True)
def checks_the_height_only(images, patch):
    """세로만 확인했습니다. 가로가 나누어지지 않아도 ValueError를 내야 합니다."""
    _refuse(images.shape[-2], patch, patch)
    return F.unfold(images, patch, stride=patch).mT


@wrong("patchify", read="vit-patches", slip=True)
def checks_the_width_only(images, patch):
    """가로만 확인했습니다. 세로가 나누어지지 않아도 ValueError를 내야 합니다."""
    _refuse(images.shape[-1], patch, patch)
    return F.unfold(images, patch, stride=patch).mT


@wrong("patchify", read="vit-patches", slip=True)
def refuses_only_both(images, patch):
    """세로와 가로가 둘 다 나누어지지 않을 때만 거절했습니다. 하나라도 나누어지지 않으면 ValueError를 내십시오."""
    if images.shape[-2] % patch and images.shape[-1] % patch:
        raise ValueError("patches do not divide the picture")
    return F.unfold(images, patch, stride=patch).mT


@wrong("patchify", read="vit-patches", slip=True)
def divides_the_area(images, patch):
    """세로와 가로의 곱이 나누어지는지 확인했습니다. 곱이 나누어져도 한 변은 나누어지지 않을 수 있습니다. 세로와 가로를 따로 확인하십시오."""
    if images.shape[-2] * images.shape[-1] % patch**2:
        raise ValueError("patches do not divide the picture")
    return F.unfold(images, patch, stride=patch).mT


@wrong("patchify", read="vit-reshape")
def a_patch_for_each_channel(images, patch):
    """채널마다 따로 잘랐습니다. 같은 자리의 모든 채널이 패치 하나입니다."""
    return _cut(images, patch, (0, 1, 2, 4, 3, 5)).reshape(len(images), -1, patch * patch)


@wrong("patchify", read="vit-reshape")
def turned_picture(images, patch):
    """세로로 늘어선 화소부터 폈습니다. 그림이 통째로 뒤집혀, 패치의 차례와 패치 안의 차례가 모두 바뀝니다."""
    return _cut(images, patch, (0, 4, 2, 1, 5, 3))


@wrong("patchify", read="vit-reshape")
def unfolded_and_reshaped(images, patch):
    """F.unfold의 결과를 reshape했습니다. 모양은 맞지만 한 패치에 여러 패치의 화소가 섞입니다. 축을 바꾸십시오."""
    found = values_first(images, patch)
    return found.reshape(found.shape[0], found.shape[2], found.shape[1])


@wrong("patchify", read="vit-reshape")
def distant_pixels(images, patch):
    """한 변을 (patch, patch의 수)로 나누었습니다. 띄엄띄엄 떨어진 화소가 한 패치에 모입니다. (패치의 수, patch)로 나누십시오."""
    batch, channels, height, width = images.shape
    _refuse(height, width, patch)
    cut = images.reshape(batch, channels, patch, height // patch, patch, width // patch)
    return cut.permute(0, 3, 5, 1, 2, 4).reshape(batch, -1, channels * patch * patch)


@wrong("patchify", read="vit-patches")
def patch_is_how_many(images, patch):
    """patch를 한 변에 놓이는 패치의 수로 읽었습니다. patch는 패치 한 변의 화소 수입니다."""
    return _cut(images, images.shape[-1] // patch)


@wrong("patchify", read="vit-reshape")
def not_flattened(images, patch):
    """값의 차례는 맞지만 모양이 (batch, patches, channels * patch * patch)가 아닙니다. 패치의 행과 열을 한 축으로, 패치에 든 수를 한 축으로 합치십시오."""
    return _cut(images, patch).unflatten(-1, (images.shape[1], patch, patch))


@wrong("patchify", read="vit-patches")
def square_pictures_only(images, patch):
    """정사각형인 그림에서만 맞습니다. 세로와 가로가 다를 수 있으니 패치의 행과 열을 따로 세십시오."""
    side = images.shape[-2]
    return _cut(images[..., :side, :side], patch)


@wrong("patchify", read="vit-reshape")
def rows_for_columns(images, patch):
    """정사각형인 그림에서만 맞습니다. 패치의 행의 수와 열의 수를 바꾸어 썼습니다. 행은 세로에서, 열은 가로에서 나옵니다."""
    batch, channels, height, width = images.shape
    _refuse(height, width, patch)
    cut = images.reshape(batch, channels, width // patch, patch, height // patch, patch)
    return cut.permute(0, 2, 4, 1, 3, 5).reshape(batch, -1, channels * patch * patch)


@wrong("patchify", read="vit-reshape", slip=True)
def patches_in_single_precision(images, patch):
    """결과의 자료형이 그림의 것과 다릅니다. 새로 만드는 텐서는 그림의 자료형으로 만드십시오."""
    return _cut(images, patch).float()


@wrong("patchify", read="vit-reshape", slip=True)
def patches_detached(images, patch):
    """기울기를 끊었습니다. 패치를 지나 그림까지 기울기가 흘러야 합니다. detach하거나 넘파이를 거치지 마십시오."""
    return _cut(images, patch).detach()


@wrong("patchify", read="vit-reshape", slip=True)
def patches_on_the_default_device(images, patch):
    """새로 만드는 텐서를 그림과 같은 장치에 만들지 않았습니다."""
    found = _cut(images, patch)
    return torch.zeros(found.shape, dtype=found.dtype) + found


# equivariance_gap -------------------------------------------------------------------------------------------


def _rolled(images, patch, shift):
    return images.roll([steps * patch for steps in shift], (-2, -1))


def _on_the_grid(still, rows, columns, shift):
    return still.unflatten(1, (rows, columns)).roll(shift, (1, 2)).flatten(1, 2)


def _share(moved, still, expected):
    unmoved = (still - expected).norm()
    if unmoved == 0:
        raise ValueError("nothing can be told")
    return (moved - expected).norm() / unmoved


@right_answer("equivariance_gap")
def _gap(features, images, patch, shift, *, move=_rolled, along=_on_the_grid, share=_share):
    """The right gap, in parts that a mistake can replace."""
    height, width = images.shape[-2:]
    _refuse(height, width, patch)
    still, moved = features(images), features(move(images, patch, shift))
    return share(moved, still, along(still, height // patch, width // patch, shift))


@wrong("equivariance_gap", read="vit-equivariance")
def shifted_by_pixels(*args):
    """그림을 패치가 아니라 화소 단위로 그 수만큼만 밀었습니다. 한 패치를 밀려면 patch개의 화소를 밉니다."""
    return _gap(*args, move=lambda images, patch, shift: images.roll(shift, (-2, -1)))


@wrong("equivariance_gap", read="vit-equivariance")
def picture_down_and_right_swapped(*args):
    """그림을 밀 때 아래와 오른쪽을 바꾸었습니다. shift는 (아래로, 오른쪽으로)입니다."""
    return _gap(*args, move=lambda images, patch, shift: _rolled(images, patch, shift[::-1]))


@wrong("equivariance_gap", read="vit-equivariance")
def the_other_way(*args):
    """그림을 민 방향과 벡터를 민 방향이 반대입니다. 둘 다 같은 쪽으로 밉니다."""
    return _gap(*args, along=lambda x, h, w, shift: _on_the_grid(x, h, w, [-steps for steps in shift]))


@wrong("equivariance_gap", read="vit-equivariance")
def vectors_stay(*args):
    """민 그림의 출력을 밀지 않은 출력과 비교했습니다. 그것은 불변인지를 묻는 것입니다. 등변이면 출력도 함께 밀립니다."""

    def share(moved, still, expected):
        _share(moved, still, expected)
        return (moved - still).norm() / (still - expected).norm()

    return _gap(*args, share=share)


@wrong("equivariance_gap", read="vit-equivariance")
def rolled_in_a_line(*args):
    """벡터를 격자가 아니라 한 줄로 밀었습니다. 끝에 있던 것이 다음 줄로 넘어갑니다. 줄과 칸으로 나눈 다음 미십시오."""

    def along(still, rows, columns, shift):
        return still.roll(shift[0] * columns + shift[1], 1)

    return _gap(*args, along=along)


@wrong("equivariance_gap", read="vit-equivariance")
def grid_read_by_columns(*args):
    """격자의 행과 열이 바뀌었습니다. 패치는 왼쪽에서 오른쪽으로, 한 줄씩 셉니다."""
    return _gap(*args, along=lambda x, rows, columns, shift: _on_the_grid(x, columns, rows, shift))


@wrong("equivariance_gap", read="vit-equivariance")
def shifted_downwards_alone(*args):
    """벡터를 아래로만 밀었습니다. 오른쪽으로도 밉니다."""
    return _gap(*args, along=lambda x, h, w, shift: _on_the_grid(x, h, w, (shift[0], 0)))


@wrong("equivariance_gap", read="vit-equivariance")
def shifted_sideways_alone(*args):
    """벡터를 옆으로만 밀었습니다. 아래로도 밉니다."""
    return _gap(*args, along=lambda x, h, w, shift: _on_the_grid(x, h, w, (0, shift[1])))


@wrong("equivariance_gap", read="vit-equivariance")
def vectors_shifted_by_pixels(features, images, patch, shift):
    """벡터까지 patch배로 밀었습니다. 벡터는 패치마다 하나이므로 shift만큼만 밉니다."""
    return _gap(
        features, images, patch, shift,
        along=lambda x, h, w, shift: _on_the_grid(x, h, w, [steps * patch for steps in shift]),
    )  # fmt: skip


@wrong("equivariance_gap", read="vit-equivariance")
def zeros_come_in(*args):
    """밀려난 것을 버리고 0을 들였습니다. 그러면 등변인 함수도 끝에서 어긋납니다. roll로 반대쪽 끝에서 들어오게 하십시오."""

    def move(images, patch, shift):
        images = _rolled(images, patch, shift).clone()
        for axis, steps in zip((-2, -1), shift, strict=True):
            if steps:
                new = range(steps * patch) if steps > 0 else range(steps * patch, 0)
                images.index_fill_(axis, torch.tensor([i % images.shape[axis] for i in new]), 0)
        return images

    return _gap(*args, move=move)


@wrong("equivariance_gap", read="vit-equivariance")
def not_compared(*args):
    """대조로 나누지 않았습니다. 어긋난 길이만으로는 큰지 작은지 알 수 없습니다. 따라 움직이지 않았을 때의 길이로 나누십시오."""

    def share(moved, still, expected):
        return (moved - expected).norm() + 0 * _share(moved, still, expected)

    return _gap(*args, share=share)


@wrong("equivariance_gap", read="vit-equivariance")
def compared_with_the_size(*args):
    """출력의 길이로 나누었습니다. 대조는 따라 움직이지 않는 함수의 어긋남, |f(x) - S f(x)|입니다."""

    def share(moved, still, expected):
        return (moved - expected).norm() / still.norm() + 0 * _share(moved, still, expected)

    return _gap(*args, share=share)


@wrong("equivariance_gap", read="vit-equivariance")
def squares_compared(*args):
    """제곱끼리 나누었습니다. 노름끼리 나눕니다."""
    return _gap(*args, share=lambda *found: _share(*found) ** 2)


@wrong("equivariance_gap", read="vit-equivariance")
def sums_of_absolute_values(*args):
    """절댓값을 더해 나누었습니다. 노름은 제곱을 더해 제곱근을 구한 것입니다."""

    def share(moved, still, expected):
        return (moved - expected).abs().sum() / (still - expected).abs().sum() + 0 * _share(
            moved, still, expected
        )

    return _gap(*args, share=share)


@wrong("equivariance_gap", read="vit-equivariance")
def share_that_moves_along(*args):
    """1에서 뺐습니다. 완전히 등변이면 0, 움직인 것을 모르면 1입니다."""
    return _gap(*args, share=lambda *found: 1 - _share(*found))


@wrong("equivariance_gap", read="vit-equivariance")
def ratio_of_each_patch(*args):
    """패치마다 나눈 다음 평균했습니다. 거의 움직이지 않은 패치가 전체를 정하게 됩니다. 노름은 모두 합친 하나입니다."""

    def share(moved, still, expected):
        _share(moved, still, expected)
        return ((moved - expected).norm(dim=-1) / (still - expected).norm(dim=-1)).mean()

    return _gap(*args, share=share)


@wrong("equivariance_gap", read="vit-equivariance")
def ratio_of_each_picture(*args):
    """그림마다 나눈 다음 평균했습니다. 노름은 배치까지 모두 합친 하나입니다."""

    def share(moved, still, expected):
        _share(moved, still, expected)
        return ((moved - expected).flatten(1).norm(dim=1) / (still - expected).flatten(1).norm(dim=1)).mean()

    return _gap(*args, share=share)


@wrong("equivariance_gap", read="vit-equivariance", slip=True)
def nothing_told(features, images, patch, shift):
    """분모가 0일 때 ValueError를 내지 않았습니다. 밀어도 달라지지 않는 출력에서는 밀렸는지 알 수 없습니다."""
    height, width = images.shape[-2:]
    _refuse(height, width, patch)
    try:
        return _gap(features, images, patch, shift)
    except ValueError:
        return torch.zeros(())


@wrong("equivariance_gap", read="vit-patches", slip=True)
def any_patch_fits(features, images, patch, shift):
    """patch가 세로나 가로를 나누지 못할 때 ValueError를 내지 않았습니다."""
    if images.shape[-2] % patch or images.shape[-1] % patch:
        return torch.zeros(())
    return _gap(features, images, patch, shift)


@wrong("equivariance_gap", read="vit-equivariance", slip=True)
def gap_in_single_precision(*args):
    """자료형이 그림과 다릅니다. float32로 바꾸지 마십시오."""
    return _gap(*args).float()


@wrong("equivariance_gap", read="vit-equivariance", slip=True)
def pictures_moved_in_place(features, images, patch, shift):
    """받은 그림을 제자리에서 밀었습니다. 새 텐서를 만드십시오."""
    found = _gap(features, images, patch, shift)
    images.copy_(_rolled(images, patch, shift))
    return found


# PatchEmbedding ---------------------------------------------------------------------------------------------


@right_answer("PatchEmbedding")
class _Embedding(nn.Module):
    """The right embedding, its steps laid open."""

    def __init__(self, channels, patch, d_model):
        super().__init__()
        self.patch = patch
        self.projection = self.linear(channels, patch, d_model)

    def linear(self, channels, patch, d_model):
        return nn.Linear(channels * patch * patch, d_model)

    def cut(self, images):
        return _cut(images, self.patch)

    def forward(self, images):
        return self.projection(self.cut(images))


@wrong("PatchEmbedding", read="vit-embedding")
class ProjectsChannelsLast(_Embedding):
    """패치를 (patch, patch, channels)로 편 다음 곱했습니다. 합성곱의 가중치를 편 것과 차례가 다릅니다."""

    def cut(self, images):
        return _cut(images, self.patch, (0, 2, 4, 3, 5, 1))


@wrong("PatchEmbedding", read="vit-reshape")
class ProjectsReshaped(_Embedding):
    """자르지 않고 reshape로 나누었습니다. 한 줄의 화소가 한 벡터가 됩니다."""

    def cut(self, images):
        return images.reshape(len(images), -1, self.projection.in_features)


@wrong("PatchEmbedding", read="vit-embedding")
class FeaturesFirst(_Embedding):
    """축을 바꾸지 않아 d_model이 패치보다 앞에 있습니다. 어텐션은 (batch, patches, d_model)을 받습니다."""

    def forward(self, images):
        return super().forward(images).mT


@wrong("PatchEmbedding", read="vit-embedding")
class Activated(_Embedding):
    """선형이 아닌 것(활성화 함수나 정규화)을 두었습니다. 패치 임베딩은 선형 변환 하나입니다."""

    def forward(self, images):
        return F.gelu(super().forward(images))


@wrong("PatchEmbedding", read="vit-embedding")
class Overlapping(_Embedding):
    """한 칸씩 옮기며 겹치는 패치를 만들었습니다. 보폭도 patch입니다."""

    def cut(self, images):
        return F.unfold(images, self.patch).mT


@wrong("PatchEmbedding", read="vit-patches")
class EmbedsColumnsFirst(_Embedding):
    """패치를 위에서 아래로 셌습니다. 왼쪽에서 오른쪽으로, 한 줄씩 셉니다."""

    def cut(self, images):
        return _cut(images, self.patch, (0, 4, 2, 1, 3, 5))


@wrong("PatchEmbedding", read="vit-embedding", slip=True)
class CutsTheGraph(_Embedding):
    """기울기를 끊었습니다(detach). 그림까지 기울기가 흘러야 합니다."""

    def cut(self, images):
        return super().cut(images.detach())


@wrong("PatchEmbedding", read="vit-embedding")
class ProjectsByConvolution(_Embedding):
    """projection이 합성곱입니다. 이 문제에서는 nn.Linear로 만들어 편 패치에 곱합니다. 가중치의 모양은 (d_model, channels * patch * patch)입니다."""

    def linear(self, channels, patch, d_model):
        return nn.Conv2d(channels, d_model, patch, patch)


@wrong("PatchEmbedding", read="vit-embedding")
class AnotherName(_Embedding):
    """projection이라는 nn.Linear가 없습니다. 속성의 이름을 projection으로 하고 거기에 nn.Linear를 바로 넣으십시오."""

    def __init__(self, channels, patch, d_model):
        super().__init__(channels, patch, d_model)
        self.proj = self.projection
        del self.projection


@wrong("PatchEmbedding", read="vit-embedding")
class LinearTurned(_Embedding):
    """nn.Linear의 두 크기를 바꾸어 주었습니다. 들어오는 크기가 먼저이고 나가는 크기가 다음입니다. 가중치의 모양은 (d_model, channels * patch * patch)입니다."""

    def linear(self, channels, patch, d_model):
        return nn.Linear(d_model, channels * patch * patch)


@wrong("PatchEmbedding", read="vit-embedding")
class ChannelsForgotten(_Embedding):
    """projection에 들어가는 수의 개수가 다릅니다. 한 패치에는 모든 채널의 화소가 channels * patch * patch개 있습니다."""

    def linear(self, channels, patch, d_model):
        return nn.Linear(patch * patch, d_model)


@wrong("PatchEmbedding", read="vit-embedding", slip=True)
class LearnsMore(_Embedding):
    """projection 말고도 배우는 것이 있습니다. 패치 임베딩은 선형 변환 하나입니다. 정규화와 위치는 여기에 두지 않습니다."""

    def __init__(self, channels, patch, d_model):
        super().__init__(channels, patch, d_model)
        self.norm = nn.LayerNorm(d_model)


@wrong("PatchEmbedding", read="vit-embedding")
class ScaledEmbedding(_Embedding):
    """그림이나 결과에 수를 곱했습니다. projection을 한 번 곱하는 것이 모두입니다."""

    def forward(self, images):
        return super().forward(images) * self.projection.out_features**0.5


@wrong("PatchEmbedding", read="vit-embedding")
class BiasForgotten(_Embedding):
    """더하는 수가 projection의 편향이 아닙니다. 편 패치를 projection에 그대로 넣으십시오."""

    def forward(self, images):
        return self.cut(images) @ self.projection.weight.mT


@wrong("PatchEmbedding", read="vit-reshape")
class ProjectsUnfoldedAndReshaped(_Embedding):
    """F.unfold나 합성곱의 결과를 축을 바꾸지 않고 reshape했습니다. 한 패치에 여러 패치의 화소가 섞입니다."""

    def cut(self, images):
        found = super().cut(images)
        return found.mT.reshape(found.shape)


@wrong("PatchEmbedding", read="vit-embedding")
class EmbeddingsReshaped(_Embedding):
    """F.unfold나 합성곱의 결과를 축을 바꾸지 않고 reshape했습니다. 한 벡터에 여러 패치의 값이 섞입니다."""

    def forward(self, images):
        found = super().forward(images)
        return found.mT.reshape(found.shape)


@wrong("PatchEmbedding", read="vit-reshape")
class ProjectsTransposed(_Embedding):
    """패치 안에서 행과 열이 바뀌었습니다. 합성곱의 가중치를 편 것과 차례가 다릅니다."""

    def cut(self, images):
        return _cut(images, self.patch, (0, 2, 4, 1, 5, 3))


@wrong("PatchEmbedding", read="vit-embedding")
class NotInALine(_Embedding):
    """값은 맞지만 모양이 (batch, patches, d_model)이 아닙니다. 패치의 행과 열을 한 축으로 합치십시오."""

    def forward(self, images):
        return super().forward(images)[:, None]


@wrong("PatchEmbedding", read="vit-patches")
class EmbedsSquaresOnly(_Embedding):
    """정사각형인 그림에서만 맞습니다. 세로와 가로가 다를 수 있으니 패치의 행과 열을 따로 세십시오."""

    def cut(self, images):
        side = min(images.shape[-2:])
        return super().cut(images[..., :side, :side])


@wrong("PatchEmbedding", read="vit-embedding", slip=True)
class EmbedsInSinglePrecision(_Embedding):
    """결과의 자료형이 그림의 것과 다릅니다. 새로 만드는 텐서는 그림의 자료형으로 만드십시오."""

    def forward(self, images):
        return super().forward(images).float()


@wrong("PatchEmbedding", read="vit-embedding", slip=True)
class NeverLearns(_Embedding):
    """projection까지 기울기가 흐르지 않아 배울 수 없습니다. 가중치나 결과를 계산의 흐름에서 떼지 마십시오."""

    def forward(self, images):
        return super().forward(images).detach()


# ViT --------------------------------------------------------------------------------------------------------


class _Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        size = config.hidden_size
        self.num_heads = config.num_attention_heads
        self.q_proj, self.k_proj = nn.Linear(size, size), nn.Linear(size, size)
        self.v_proj, self.o_proj = nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, x):
        query, key, value = (
            linear(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for linear in (self.q_proj, self.k_proj, self.v_proj)
        )
        joined = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
        return self.o_proj(joined)


class _MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.fc1 = nn.Linear(config.hidden_size, config.intermediate_size)
        self.fc2 = nn.Linear(config.intermediate_size, config.hidden_size)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


class _AlwaysDrops(nn.Dropout):
    def forward(self, x):
        return F.dropout(x, self.p)


@right_answer("ViT")
class _Model(nn.Module):
    """The right model, its steps laid open."""

    def __init__(self, config):
        super().__init__()
        size, patch = config.hidden_size, config.patch_size
        self.check_config(config)
        self.image_size, self.deviation = config.image_size, config.initializer_range
        self.embeddings = nn.Module()
        self.embeddings.cls_token = nn.Parameter(self.drawn(1, 1, size))
        tokens = self.tokens((config.image_size // patch) ** 2)
        self.embeddings.position_embeddings = nn.Parameter(self.drawn(1, tokens, size))
        self.embeddings.patch_embeddings = nn.ModuleDict({"projection": self.projection(config)})
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "layernorm_before": self.norm(config),
                    "attention": _Attention(config),
                    "layernorm_after": self.norm(config),
                    "mlp": _MLP(config),
                }
            )
            for _ in range(config.num_hidden_layers)
        )
        self.layernorm = self.norm(config)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def check_config(self, config):
        if config.image_size % config.patch_size:
            raise ValueError("patches do not divide the picture")

    def projection(self, config):
        return nn.Conv2d(config.num_channels, config.hidden_size, config.patch_size, config.patch_size)

    def drawn(self, *shape):
        return torch.randn(shape) * self.deviation

    def tokens(self, patches):
        return 1 + patches

    def norm(self, config):
        return nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def check(self, images):
        if images.shape[-2:] != (self.image_size, self.image_size):
            raise ValueError("a picture of another size")

    def patches(self, images):
        return self.embeddings.patch_embeddings["projection"](images).flatten(2).mT

    def embed(self, images):
        first = self.embeddings.cls_token.expand(len(images), -1, -1)
        together = torch.cat([first, self.patches(images)], dim=1)
        return together + self.embeddings.position_embeddings

    def layer(self, layer, x):
        x = x + self.dropout(layer["attention"](layer["layernorm_before"](x)))
        return x + self.dropout(layer["mlp"](layer["layernorm_after"](x)))

    def stack(self, x):
        for layer in self.layers:
            x = self.layer(layer, x)
        return x

    def finish(self, x):
        return self.layernorm(x)

    def forward(self, images):
        self.check(images)
        return self.finish(self.stack(self.dropout(self.embed(images))))


@wrong("ViT", read="vit-class-token")
class ClassTokenLast(_Model):
    """클래스 토큰을 맨 뒤에 붙였습니다. 분류기는 자리 0을 읽고, 위치 표의 첫 행도 클래스 토큰의 것입니다."""

    def embed(self, images):
        first = self.embeddings.cls_token.expand(len(images), -1, -1)
        return torch.cat([self.patches(images), first], dim=1) + self.embeddings.position_embeddings


@wrong("ViT", read="vit-class-token")
class ClassTokenWithoutPosition(_Model):
    """클래스 토큰에 위치를 더하지 않았습니다. 위치 표에는 클래스 토큰의 행도 있습니다. 붙인 다음 더하십시오."""

    def embed(self, images):
        first = self.embeddings.cls_token.expand(len(images), -1, -1)
        patches = self.patches(images) + self.embeddings.position_embeddings[:, 1:]
        return torch.cat([first, patches], dim=1)


@wrong("ViT", read="vit-class-token")
class NoPositions(_Model):
    """위치를 더하지 않았습니다. 어텐션은 패치가 어디에 있었는지 모릅니다."""

    def embed(self, images):
        return super().embed(images) - self.embeddings.position_embeddings


@wrong("ViT", read="vit-patches")
class PatchesByColumns(_Model):
    """패치를 위에서 아래로 셌습니다. 합성곱의 결과는 flatten(2)로 행부터 펴십시오."""

    def patches(self, images):
        return self.embeddings.patch_embeddings["projection"](images).mT.flatten(2).mT


@wrong("ViT", read="vit-reshape")
class ReshapedPatches(_Model):
    """(batch, d_model, rows, columns)를 축을 바꾸지 않고 reshape했습니다. 벡터 하나에 여러 패치의 값이 섞입니다."""

    def patches(self, images):
        found = self.embeddings.patch_embeddings["projection"](images)
        return found.reshape(len(images), -1, found.shape[1])


@wrong("ViT", read="vit-model")
class PostNorm(_Model):
    """더한 다음 정규화했습니다. ViT는 GPT-2처럼 부분층 앞에서 정규화하고, 지름길은 정규화하지 않습니다."""

    def layer(self, layer, x):
        x = layer["layernorm_before"](x + self.dropout(layer["attention"](x)))
        return layer["layernorm_after"](x + self.dropout(layer["mlp"](x)))


@wrong("ViT", read="vit-model")
class ParallelSublayers(_Model):
    """두 부분층을 나란히 놓았습니다. 피드포워드는 어텐션까지 더한 것을 읽습니다."""

    def layer(self, layer, x):
        attended = layer["attention"](layer["layernorm_before"](x))
        return x + self.dropout(attended) + self.dropout(layer["mlp"](layer["layernorm_after"](x)))


@wrong("ViT", read="vit-model")
class NoResidual(_Model):
    """부분층의 출력을 x에 더하지 않은 곳이 있습니다. 두 부분층에 모두 잔차 연결이 있습니다."""

    def layer(self, layer, x):
        x = self.dropout(layer["attention"](layer["layernorm_before"](x)))
        return self.dropout(layer["mlp"](layer["layernorm_after"](x)))


@wrong("ViT", read="vit-model")
class OneLayerAgainAndAgain(_Model):
    """층마다 첫 층의 파라미터를 다시 썼습니다. 층마다 자기 것이 있습니다."""

    def stack(self, x):
        for _ in self.layers:
            x = self.layer(self.layers[0], x)
        return x


@wrong("ViT", read="vit-model")
class NoLastNorm(_Model):
    """마지막 정규화 layernorm이 빠졌습니다. 부분층 앞에서 정규화하면 줄기는 정규화되지 않은 채 끝납니다."""

    def finish(self, x):
        return x


@wrong("ViT", read="vit-model")
class DefaultEpsilon(_Model):
    """층 정규화의 엡실론이 기본값입니다. 모두 config.layer_norm_eps를 쓰십시오."""

    def norm(self, config):
        return nn.LayerNorm(config.hidden_size)


@wrong("ViT", read="vit-model")
class DefaultEpsilonAtTheEnd(_Model):
    """마지막 layernorm의 엡실론만 기본값입니다. 모두 config.layer_norm_eps를 쓰십시오."""

    def finish(self, x):
        return F.layer_norm(x, x.shape[-1:], self.layernorm.weight, self.layernorm.bias)


@wrong("ViT", read="vit-model")
class DefaultEpsilonInTheLayers(_Model):
    """층 안의 엡실론만 기본값입니다. 모두 config.layer_norm_eps를 쓰십시오."""

    def __init__(self, config):
        super().__init__(config)
        for layer in self.layers:
            layer["layernorm_before"].eps = layer["layernorm_after"].eps = 1e-5


@wrong("ViT", read="vit-class-token")
class OnlyTheClassToken(_Model):
    """클래스 토큰의 벡터만 돌려주었습니다. 1 + N개 모두를 돌려주십시오."""

    def finish(self, x):
        return self.layernorm(x)[:, 0]


@wrong("ViT", read="vit-class-token")
class OnlyThePatches(_Model):
    """클래스 토큰을 떼고 돌려주었습니다. 1 + N개 모두를, 클래스 토큰부터 돌려주십시오."""

    def finish(self, x):
        return self.layernorm(x)[:, 1:]


@wrong("ViT", read="vit-interpolation", slip=True)
class AnySizeWelcome(_Model):
    """크기가 다른 그림을 받아들였습니다. 패치의 수가 우연히 맞아도 위치가 틀립니다. 세로와 가로가 image_size가 아니면 ValueError를 내십시오."""

    def check(self, images):
        pass


@wrong("ViT", read="vit-model", slip=True)
class EmbeddingsNotDropped(_Model):
    """드롭아웃을 임베딩의 합에 걸지 않았습니다. 위치를 더한 다음에도 겁니다."""

    def forward(self, images):
        self.check(images)
        return self.finish(self.stack(self.embed(images)))


@wrong("ViT", read="vit-model", slip=True)
class SublayersNotDropped(_Model):
    """부분층의 출력에 드롭아웃을 걸지 않았습니다."""

    def layer(self, layer, x):
        x = x + layer["attention"](layer["layernorm_before"](x))
        return x + layer["mlp"](layer["layernorm_after"](x))


@wrong("ViT", read="vit-model", slip=True)
class DropsTheShortcut(_Model):
    """더한 다음 드롭아웃을 걸었습니다. 지름길까지 지워집니다. 부분층의 출력에 건 다음 더하십시오."""

    def layer(self, layer, x):
        x = self.dropout(x + layer["attention"](layer["layernorm_before"](x)))
        return self.dropout(x + layer["mlp"](layer["layernorm_after"](x)))


@wrong("ViT", read="vit-start", slip=True)
class StartsLarge(_Model):
    """클래스 토큰이나 위치가 훨씬 넓게 퍼져 시작합니다. 표준편차가 initializer_range여야 합니다."""

    def drawn(self, *shape):
        return torch.randn(shape)


@wrong("ViT", read="vit-start", slip=True)
class StartsAtZero(_Model):
    """클래스 토큰이나 위치가 0에서 시작합니다. 둘 다 표준편차가 initializer_range인 정규분포에서 뽑으십시오."""

    def drawn(self, *shape):
        return torch.zeros(shape)


@wrong("ViT", read="vit-start", slip=True)
class StartsUniform(_Model):
    """위치를 고른 분포에서 뽑았습니다. 클래스 토큰과 위치를 모두 표준편차가 initializer_range인 정규분포에서 뽑으십시오."""

    def drawn(self, *shape):
        return (torch.rand(shape) - 0.5) * 12**0.5 * self.deviation


@wrong("ViT", read="vit-model")
class OtherNames(_Model):
    """파라미터의 이름이 ViTModel의 것과 다릅니다. embeddings, layers, layernorm과 그 안의 이름을 문제에 적힌 대로 하고, 클래스 토큰과 위치는 nn.Parameter로 만드십시오."""

    def __init__(self, config):
        super().__init__(config)
        self.blocks = self.layers
        del self.layers


@wrong("ViT", read="vit-class-token")
class NoRowForTheClassToken(_Model):
    """위치 표의 행이 N개뿐입니다. 클래스 토큰에도 위치가 있어 1 + N개입니다."""

    def tokens(self, patches):
        return patches


@wrong("ViT", read="vit-embedding")
class LinearProjection(_Model):
    """projection이 nn.Linear입니다. 이 문제에서는 nn.Conv2d로 만들어야 공개된 가중치가 들어갑니다."""

    def projection(self, config):
        return nn.Linear(config.num_channels * config.patch_size**2, config.hidden_size)


@wrong("ViT", read="vit-class-token")
class OtherShapes(_Model):
    """이름은 맞지만 모양이 다른 파라미터가 있습니다. cls_token은 (1, 1, d_model), position_embeddings는 (1, 1 + N, d_model)입니다."""

    def drawn(self, *shape):
        return super().drawn(*shape[1:])


@wrong("ViT", read="vit-model")
class OneLayerInAllPlaces(_Model):
    """층 하나를 여러 자리에 넣었습니다. 이름은 여럿이어도 파라미터는 하나입니다. 층마다 새로 만드십시오."""

    def __init__(self, config):
        super().__init__(config)
        self.layers = nn.ModuleList([self.layers[0]] * config.num_hidden_layers)


@wrong("ViT", read="vit-model")
class OneNormInTwoPlaces(_Model):
    """한 층의 부품을 두 자리에서 함께 씁니다. 정규화는 층마다 둘, 마지막에 하나, 모두 따로 만드십시오."""

    def __init__(self, config):
        super().__init__(config)
        for layer in self.layers:
            layer["layernorm_after"] = layer["layernorm_before"]


@wrong("ViT", read="vit-model")
class NormalisedShortcut(_Model):
    """부분층에 들어가기 전에 x를 정규화한 것으로 바꾸어, 지름길도 정규화되었습니다. 정규화한 것은 부분층에만 넣고 x에 더하십시오."""

    def layer(self, layer, x):
        x = layer["layernorm_before"](x)
        x = x + self.dropout(layer["attention"](x))
        x = layer["layernorm_after"](x)
        return x + self.dropout(layer["mlp"](x))


@wrong("ViT", read="vit-model")
class NormsSwapped(_Model):
    """두 정규화의 자리가 바뀌었습니다. layernorm_before는 어텐션 앞, layernorm_after는 피드포워드 앞입니다."""

    def layer(self, layer, x):
        x = x + self.dropout(layer["attention"](layer["layernorm_after"](x)))
        return x + self.dropout(layer["mlp"](layer["layernorm_before"](x)))


@wrong("ViT", read="vit-model")
class MLPWithoutNorm(_Model):
    """피드포워드 앞에서 정규화하지 않았습니다. layernorm_after를 지난 것을 넣으십시오."""

    def layer(self, layer, x):
        x = x + self.dropout(layer["attention"](layer["layernorm_before"](x)))
        return x + self.dropout(layer["mlp"](x))


@wrong("ViT", read="vit-model")
class AttentionWithoutNorm(_Model):
    """어텐션 앞에서 정규화하지 않았습니다. layernorm_before를 지난 것을 넣으십시오."""

    def layer(self, layer, x):
        x = x + self.dropout(layer["attention"](x))
        return x + self.dropout(layer["mlp"](layer["layernorm_after"](x)))


@wrong("ViT", read="vit-model")
class NormAfterTheSublayer(_Model):
    """부분층에서 나온 것을 정규화했습니다. 정규화는 부분층 앞입니다."""

    def layer(self, layer, x):
        x = x + self.dropout(layer["layernorm_before"](layer["attention"](x)))
        return x + self.dropout(layer["layernorm_after"](layer["mlp"](x)))


@wrong("ViT", read="vit-model")
class MLPFirst(_Model):
    """피드포워드를 어텐션보다 먼저 계산했습니다. 어텐션이 먼저입니다."""

    def layer(self, layer, x):
        x = x + self.dropout(layer["mlp"](layer["layernorm_after"](x)))
        return x + self.dropout(layer["attention"](layer["layernorm_before"](x)))


@wrong("ViT", read="vit-model")
class AttentionLost(_Model):
    """피드포워드의 출력을 어텐션을 더하기 전의 x에 더했습니다. 어텐션의 출력이 지름길에서 사라집니다."""

    def layer(self, layer, x):
        attended = x + self.dropout(layer["attention"](layer["layernorm_before"](x)))
        return x + self.dropout(layer["mlp"](layer["layernorm_after"](attended)))


@wrong("ViT", read="vit-model")
class EachLayerReadsTheEmbeddings(_Model):
    """마지막 층만 지났습니다. 한 층의 출력이 다음 층의 입력입니다."""

    def stack(self, x):
        return self.layer(self.layers[-1], x)


@wrong("ViT", read="vit-class-token")
class PositionsOneOff(_Model):
    """클래스 토큰에 위치를 더하지 않고, 패치에는 위치를 한 칸씩 밀어 더했습니다. 위치의 첫 행은 클래스 토큰의 것입니다."""

    def embed(self, images):
        first = self.embeddings.cls_token.expand(len(images), -1, -1)
        patches = self.patches(images) + self.embeddings.position_embeddings[:, :-1]
        return torch.cat([first, patches], dim=1)


@wrong("ViT", read="vit-class-token")
class ClassTokenMovedToTheEnd(_Model):
    """클래스 토큰이 맨 뒤에 있습니다. 분류기는 자리 0을 읽습니다. 맨 앞에 붙이십시오."""

    def embed(self, images):
        return super().embed(images).roll(-1, 1)


@wrong("ViT", read="vit-class-token")
class PatchesWithoutPositions(_Model):
    """클래스 토큰에만 위치를 더했습니다. 패치에도 더해야 어디에 있었는지 압니다."""

    def embed(self, images):
        first = self.embeddings.cls_token + self.embeddings.position_embeddings[:, :1]
        return torch.cat([first.expand(len(images), -1, -1), self.patches(images)], dim=1)


@wrong("ViT", read="vit-class-token")
class ScaledPatches(_Model):
    """임베딩에 d_model의 제곱근을 곱했습니다. ViT에는 없는 일입니다."""

    def patches(self, images):
        found = super().patches(images)
        return found * found.shape[-1] ** 0.5


@wrong("ViT", read="vit-model")
class EmbeddingsNormalised(_Model):
    """층에 들어가기 전에 임베딩을 정규화했습니다. 처음의 정규화는 첫 층의 layernorm_before입니다."""

    def __init__(self, config):
        super().__init__(config)
        self.first = self.norm(config)

    def embed(self, images):
        return self.first(super().embed(images))


@wrong("ViT", read="vit-interpolation", slip=True)
class CountsThePatchesOnly(_Model):
    """패치의 수나 화소의 수만 비교했습니다. 수가 맞아도 세로와 가로가 다를 수 있습니다. 두 변을 따로 image_size와 비교하십시오."""

    def check(self, images):
        if images.shape[-2] * images.shape[-1] != self.image_size**2:
            raise ValueError("a picture of another size")


@wrong("ViT", read="vit-interpolation", slip=True)
class ChecksTheHeightOnly(_Model):
    """그림의 세로만 image_size와 비교했습니다. 가로도 확인하십시오."""

    def check(self, images):
        if images.shape[-2] != self.image_size:
            raise ValueError("a picture of another size")


@wrong("ViT", read="vit-interpolation", slip=True)
class ChecksTheWidthOnly(_Model):
    """그림의 가로만 image_size와 비교했습니다. 세로도 확인하십시오."""

    def check(self, images):
        if images.shape[-1] != self.image_size:
            raise ValueError("a picture of another size")


@wrong("ViT", read="vit-interpolation", slip=True)
class RefusesOnlyBoth(_Model):
    """세로와 가로가 둘 다 image_size와 다를 때만 거절했습니다. 하나라도 다르면 ValueError를 내십시오."""

    def check(self, images):
        if images.shape[-1] != self.image_size and images.shape[-2] != self.image_size:
            raise ValueError("a picture of another size")


@wrong("ViT", read="vit-interpolation", slip=True)
class AnySquareWelcome(_Model):
    """그림이 정사각형인지만 확인했습니다. 한 변이 image_size인지도 확인하십시오."""

    def check(self, images):
        if images.shape[-1] != images.shape[-2]:
            raise ValueError("a picture of another size")


@wrong("ViT", read="vit-interpolation", slip=True)
class AnyThatDividesWelcome(_Model):
    """그림이 패치로 나누어지는지만 확인했습니다. 세로와 가로가 image_size인지 확인하십시오."""

    def check(self, images):
        _refuse(*images.shape[-2:], self.embeddings.patch_embeddings["projection"].stride[0])


@wrong("ViT", read="vit-interpolation", slip=True)
class AnyConfigWelcome(_Model):
    """image_size가 patch_size로 나누어지지 않는 설정에서 ValueError를 내지 않았습니다."""

    def check_config(self, config):
        pass


@wrong("ViT", read="vit-model", slip=True)
class NothingDropped(_Model):
    """학습할 때 hidden_dropout_prob로 걸리는 드롭아웃이 없습니다. 임베딩의 합과 두 부분층의 출력에 거십시오."""

    def __init__(self, config):
        super().__init__(config)
        self.dropout = nn.Identity()


@wrong("ViT", read="vit-model")
class DropsWhenEvaluated(_Model):
    """드롭아웃이 평가할 때도 걸립니다. 학습할 때만 거십시오. nn.Dropout을 쓰거나 F.dropout에 self.training을 넘깁니다."""

    def __init__(self, config):
        super().__init__(config)
        self.dropout = _AlwaysDrops(config.hidden_dropout_prob)


@wrong("ViT", read="vit-model", slip=True)
class DropsWithAnotherProbability(_Model):
    """드롭아웃의 확률이 hidden_dropout_prob가 아닙니다. 적어 넣은 수가 아니라 설정의 것을 쓰십시오."""

    def __init__(self, config):
        super().__init__(config)
        self.dropout = nn.Dropout(0.1)


@wrong("ViT", read="vit-model", slip=True)
class AttentionNotDropped(_Model):
    """어텐션의 출력에 드롭아웃을 걸지 않았습니다. 두 부분층의 출력에 모두 겁니다."""

    def layer(self, layer, x):
        x = x + layer["attention"](layer["layernorm_before"](x))
        return x + self.dropout(layer["mlp"](layer["layernorm_after"](x)))


@wrong("ViT", read="vit-model", slip=True)
class MLPNotDropped(_Model):
    """피드포워드의 출력에 드롭아웃을 걸지 않았습니다. 두 부분층의 출력에 모두 겁니다."""

    def layer(self, layer, x):
        x = x + self.dropout(layer["attention"](layer["layernorm_before"](x)))
        return x + layer["mlp"](layer["layernorm_after"](x))


@wrong("ViT", read="vit-model", slip=True)
class DropsBeforePositions(EmbeddingsNotDropped):
    """위치를 더하기 전에 드롭아웃을 걸었습니다. 위치까지 더한 다음에 거십시오."""

    def embed(self, images):
        first = self.embeddings.cls_token.expand(len(images), -1, -1)
        together = torch.cat([first, self.patches(images)], dim=1)
        return self.dropout(together) + self.embeddings.position_embeddings


@wrong("ViT", read="vit-model", slip=True)
class DropsTheOutput(_Model):
    """마지막 출력에도 드롭아웃을 걸었습니다. 임베딩의 합과 두 부분층의 출력에만 겁니다."""

    def finish(self, x):
        return self.dropout(super().finish(x))


@wrong("ViT", read="vit-start", slip=True)
class StartsWithAFixedDeviation(_Model):
    """클래스 토큰이나 위치의 표준편차를 수로 적어 넣었습니다. config.initializer_range를 쓰십시오."""

    def drawn(self, *shape):
        return torch.randn(shape) * 0.02


@wrong("ViT", read="vit-start", slip=True)
class StartsAtOne(_Model):
    """클래스 토큰이나 위치가 모두 같은 수에서 시작합니다. 표준편차가 initializer_range인 정규분포에서 뽑으십시오."""

    def drawn(self, *shape):
        return torch.ones(shape)


@wrong("ViT", read="vit-model")
class OutputDetached(_Model):
    """출력에서 클래스 토큰, 위치, 층의 파라미터로 기울기가 흐르지 않습니다. 계산을 끊지 마십시오(detach, no_grad)."""

    def finish(self, x):
        return super().finish(x).detach()


@wrong("ViT", read="vit-class-token")
class PositionsDetached(_Model):
    """클래스 토큰이나 위치까지 기울기가 흐르지 않습니다. 학습하는 파라미터이니 떼지 말고 그대로 더하십시오."""

    def embed(self, images):
        positions = self.embeddings.position_embeddings
        return super().embed(images) - positions + positions.detach()


@wrong("ViT", read="vit-sizes", slip=True)
class WithAHead(_Model):
    """문제에 없는 파라미터가 더 있습니다. 분류기나 pooler는 만들지 않고, 정규화는 층마다 둘과 마지막 하나입니다."""

    def __init__(self, config):
        super().__init__(config)
        self.head = nn.Linear(config.hidden_size, 10)


# interpolate_positions --------------------------------------------------------------------------------------


def _grid(table):
    side = math.isqrt(len(table) - 1)
    if side * side != len(table) - 1:
        raise ValueError("no square")
    return table[1:].T.reshape(1, -1, side, side)


def _with_class(table, grid):
    return torch.cat([table[:1], grid.flatten(2)[0].T])


def _interpolated(grid, size, **how):
    return F.interpolate(grid, size=size, **{"mode": "bicubic", "align_corners": False, **how})


@wrong("interpolate_positions", read="vit-interpolation")
def bilinear(table, size):
    """쌍선형 보간(bilinear)을 했습니다. 쌍삼차 보간(bicubic)을 쓰십시오."""
    return _with_class(table, _interpolated(_grid(table), size, mode="bilinear"))


@wrong("interpolate_positions", read="vit-interpolation")
def corners_aligned(table, size):
    """모서리를 맞추었습니다. align_corners=False여야 합니다."""
    return _with_class(table, _interpolated(_grid(table), size, align_corners=True))


@wrong("interpolate_positions", read="vit-interpolation")
def nearest(table, size):
    """가장 가까운 자리의 값을 베꼈습니다. F.interpolate의 기본값은 nearest입니다. mode='bicubic'을 주십시오."""
    return _with_class(table, F.interpolate(_grid(table), size=size))


@wrong("interpolate_positions", read="vit-interpolation")
def antialiased(table, size):
    """줄일 때 antialias를 켰습니다. 켜지 않은 bicubic이어야 합니다."""
    return _with_class(table, _interpolated(_grid(table), size, antialias=True))


@wrong("interpolate_positions", read="vit-interpolation")
def class_token_in_the_line(table, size):
    """클래스 토큰의 행까지 한 줄로 늘려 보간했습니다. 클래스 토큰에는 자리가 없습니다. 떼어 두었다가 다시 붙이십시오."""
    _grid(table)
    line = F.interpolate(table.T[None], size=1 + size[0] * size[1], mode="linear", align_corners=False)
    return line[0].T


@wrong("interpolate_positions", read="vit-interpolation")
def patches_in_a_line(table, size):
    """패치를 격자가 아니라 한 줄로 보고 보간했습니다. 위아래로 이웃한 것이 멀어집니다. 2차원 격자로 놓으십시오."""
    _grid(table)
    line = F.interpolate(table[1:].T[None], size=size[0] * size[1], mode="linear", align_corners=False)
    return torch.cat([table[:1], line[0].T])


@wrong("interpolate_positions", read="vit-interpolation")
def class_token_lost(table, size):
    """클래스 토큰의 행을 잃었습니다. 1 + h · w개의 행을 돌려주십시오."""
    return _with_class(table, _interpolated(_grid(table), size))[1:]


@wrong("interpolate_positions", read="vit-interpolation")
def columns_before_rows(table, size):
    """(h, w)를 (가로, 세로)로 썼습니다. 세로가 먼저입니다."""
    return _with_class(table, _interpolated(_grid(table), size[::-1]))


@wrong("interpolate_positions", read="vit-reshape")
def reshaped_without_transpose(table, size):
    """축을 바꾸지 않고 reshape한 곳이 있어 자리와 차원이 섞입니다. 격자로 놓을 때는 차원을 앞으로 옮기고, 되돌릴 때는 다시 뒤로 옮기십시오."""
    _grid(table)
    side = math.isqrt(len(table) - 1)
    grid = _interpolated(table[1:].reshape(1, -1, side, side), size)
    return torch.cat([table[:1], grid.reshape(-1, table.shape[1])])


@wrong("interpolate_positions", read="vit-interpolation", slip=True)
def cut_to_a_square(table, size):
    """패치의 수가 제곱수가 아닐 때 ValueError를 내지 않았습니다. 정사각형으로 놓을 수 없는 표는 거절하십시오."""
    side = math.isqrt(len(table) - 1)
    return _with_class(table, _interpolated(_grid(table[: 1 + side * side]), size))


@wrong("interpolate_positions", read="vit-interpolation", slip=True)
def refused_by_another_error(table, size):
    """패치의 수가 제곱수가 아닐 때 다른 오류를 냈습니다(`assert`). `raise ValueError`로 거절하십시오."""
    assert math.isqrt(len(table) - 1) ** 2 == len(table) - 1
    return _with_class(table, _interpolated(_grid(table), size))


@wrong("interpolate_positions", read="vit-interpolation")
def table_detached(table, size):
    """표를 학습할 수 없게 끊었습니다(detach). 새 위치에서 표까지 기울기가 흘러야 합니다."""
    return _with_class(table, _interpolated(_grid(table), size)).detach()


@wrong("interpolate_positions", read="vit-interpolation")
def table_as_it_is(table, size):
    """패치의 수가 같다고 표를 그대로 돌려주었습니다. 수가 같아도 격자의 모양이 다르면 보간해야 합니다."""
    if size[0] * size[1] == len(table) - 1:
        return table
    return _with_class(table, _interpolated(_grid(table), size))


@wrong("interpolate_positions", read="vit-interpolation")
def a_tenth_more(table, size):
    """크기에 0.1을 더해 scale_factor로 주었습니다. 새 칸의 자리가 조금씩 밀립니다. 크기를 size로 주십시오."""
    grid = _grid(table)
    scale = tuple((side + 0.1) / grid.shape[-1] for side in size)
    return _with_class(table, F.interpolate(grid, scale_factor=scale, mode="bicubic"))


@wrong("interpolate_positions", read="vit-interpolation")
def class_token_read_last(table, size):
    """클래스 토큰이 마지막에 있다고 보았습니다. 맨 앞의 행이 클래스 토큰의 것입니다."""
    return _with_class(table.roll(1, 0), _interpolated(_grid(table.roll(1, 0)), size)).roll(-1, 0)


@wrong("interpolate_positions", read="vit-interpolation")
def class_token_put_last(table, size):
    """클래스 토큰의 행을 마지막에 붙였습니다. 맨 앞에 그대로 두십시오."""
    return _with_class(table, _interpolated(_grid(table), size)).roll(-1, 0)


@wrong("interpolate_positions", read="vit-interpolation")
def class_token_emptied(table, size):
    """클래스 토큰의 행을 0으로 채웠습니다. 표에 있던 행을 그대로 두십시오."""
    return _with_class(torch.zeros_like(table), _interpolated(_grid(table), size))


@wrong("interpolate_positions", read="vit-interpolation")
def grid_transposed(table, size):
    """격자의 행과 열이 바뀌었습니다. 패치는 한 행씩 셉니다."""
    return _with_class(table, _interpolated(_grid(table).mT, size))


@wrong("interpolate_positions", read="vit-interpolation")
def read_by_columns(table, size):
    """보간한 격자를 위에서 아래로 폈습니다. 한 행씩 왼쪽에서 오른쪽으로 펴십시오."""
    return _with_class(table, _interpolated(_grid(table), size).mT)


@wrong("interpolate_positions", read="vit-interpolation")
def averaged(table, size):
    """자리마다 둘레의 평균을 냈습니다(area). 쌍삼차 보간(bicubic)을 쓰십시오."""
    return _with_class(table, F.interpolate(_grid(table), size=size, mode="area"))


@wrong("interpolate_positions", read="vit-interpolation")
def class_token_counted(table, size):
    """클래스 토큰의 행까지 세어 제곱수인지 보았습니다. 그 행을 뺀 N이 제곱수여야 합니다."""
    side = math.isqrt(len(table))
    if side * side != len(table):
        raise ValueError("no square")
    return _with_class(table, _interpolated(table.T.reshape(1, -1, side, side), size))


@wrong("interpolate_positions", read="vit-interpolation", slip=True)
def positions_in_single_precision(table, size):
    """결과의 자료형이 표의 것과 다릅니다. 표의 자료형을 그대로 두십시오."""
    return _with_class(table, _interpolated(_grid(table), size)).float()


# attention_distance -----------------------------------------------------------------------------------------


def _check(weights, grid):
    if weights.shape[-1] != 1 + grid[0] * grid[1]:
        raise ValueError("another number of patches")


def _distances(grid, order=2.0):
    rows, columns = grid
    places = torch.tensor([[i, j] for i in range(rows) for j in range(columns)]).float()
    return (places[:, None] - places).norm(dim=-1, p=order)


@right_answer("attention_distance")
def _mean_distance(weights, grid, distances=None):
    """The right mean, but for the distances."""
    _check(weights, grid)
    distances = (_distances(grid) if distances is None else distances).to(weights)
    among = weights[..., 1:, 1:]
    left = among.sum(-1)
    mean = (among * distances).sum(-1) / left.masked_fill(left == 0, 1.0)
    return mean.sum((0, 2)) / (left > 0).sum((0, 2)).clamp(min=1)


@wrong("attention_distance", read="vit-distance")
def manhattan(weights, grid):
    """맨해튼 거리, 곧 행의 차이와 열의 차이를 더한 것을 썼습니다. 유클리드 거리입니다."""
    return _mean_distance(weights, grid, _distances(grid, 1.0))


@wrong("attention_distance", read="vit-distance")
def squared(weights, grid):
    """거리의 제곱을 평균했습니다. 제곱근을 취하십시오."""
    return _mean_distance(weights, grid, _distances(grid) ** 2)


@wrong("attention_distance", read="vit-distance")
def difference_of_numbers(weights, grid):
    """패치 번호의 차이를 거리로 썼습니다. 위아래로 이웃한 패치가 멀어집니다. 번호를 행과 열로 바꾸십시오."""
    places = torch.arange(grid[0] * grid[1])
    return _mean_distance(weights, grid, (places[:, None] - places).abs())


@wrong("attention_distance", read="vit-distance")
def grid_turned(weights, grid):
    """격자의 행과 열을 바꾸어 읽었습니다. grid는 (rows, columns)이고 패치는 한 행씩 셉니다."""
    return _mean_distance(weights, grid, _distances(grid[::-1]))


@wrong("attention_distance", read="vit-distance")
def not_renormalised(weights, grid):
    """클래스 토큰의 열을 빼거나 거리 0으로 둔 다음, 남은 행을 다시 나누지 않았습니다. 클래스 토큰을 많이 볼수록 거리가 짧게 나옵니다."""
    _check(weights, grid)
    among = weights[..., 1:, 1:]
    counted = (among.sum(-1) > 0).sum((0, 2)).clamp(min=1)
    return (among * _distances(grid).to(weights)).sum((0, 2, 3)) / counted


@wrong("attention_distance", read="vit-distance", slip=True)
def empty_rows_counted(weights, grid):
    """클래스 토큰만 보는 행을 거리 0으로 셌습니다. 그 행은 평균에서 빼십시오."""
    _check(weights, grid)
    among = weights[..., 1:, 1:]
    left = among.sum(-1)
    return ((among * _distances(grid).to(weights)).sum(-1) / left.masked_fill(left == 0, 1.0)).mean((0, 2))


@wrong("attention_distance", read="vit-distance", slip=True)
def empty_rows_are_nan(weights, grid):
    """클래스 토큰만 보는 행에서 0/0이 되어 NaN이 났습니다. 그 행은 세지 마십시오."""
    _check(weights, grid)
    among = weights[..., 1:, 1:]
    return ((among * _distances(grid).to(weights)).sum(-1) / among.sum(-1)).mean((0, 2))


@wrong("attention_distance", read="vit-distance")
def divided_at_the_end(weights, grid):
    """가중치를 모두 더해 한꺼번에 나누었습니다. 행마다 다시 나눈 다음 평균하십시오. 지금은 클래스 토큰을 많이 보는 행이 덜 세어집니다."""
    _check(weights, grid)
    among = weights[..., 1:, 1:]
    total = (among * _distances(grid).to(weights)).sum((0, 2, 3))
    return total / among.sum((0, 2, 3)).clamp(min=1e-9)


@wrong("attention_distance", read="vit-distance")
def class_token_last_left_out(weights, grid):
    """클래스 토큰이 마지막에 있다고 보았습니다. 맨 앞의 행과 열을 빼십시오."""
    return _mean_distance(weights.roll((1, 1), (-2, -1)), grid)


@wrong("attention_distance", read="vit-distance")
def one_number_for_all_heads(weights, grid):
    """헤드에 걸쳐 평균했습니다. 헤드마다 하나씩, (heads,)를 돌려주십시오."""
    return _mean_distance(weights, grid).mean()


@wrong("attention_distance", read="vit-distance")
def first_picture_only(weights, grid):
    """배치의 첫 그림만 보았습니다. 모든 그림에 걸쳐 평균하십시오."""
    return _mean_distance(weights[:1], grid)


@wrong("attention_distance", read="vit-distance")
def softmax_again(weights, grid):
    """소프트맥스를 한 번 더 했습니다. 받은 것은 이미 가중치입니다. 남은 행을 그 합으로 나누십시오."""
    _check(weights, grid)
    return ((weights[..., 1:, 1:].softmax(-1)) * _distances(grid).to(weights)).sum(-1).mean((0, 2))


@wrong("attention_distance", read="vit-distance", slip=True)
def any_grid_welcome(weights, grid):
    """grid가 맞지 않는데 ValueError를 내지 않은 때가 있습니다. 토큰의 수는 1 + rows · columns여야 합니다."""
    try:
        return _mean_distance(weights, grid)
    except ValueError:
        return torch.zeros(weights.shape[1])


@wrong("attention_distance", read="vit-distance")
def chessboard(weights, grid):
    """체스판의 거리, 곧 행의 차이와 열의 차이 가운데 큰 것을 썼습니다. 유클리드 거리입니다."""
    return _mean_distance(weights, grid, _distances(grid, math.inf))


@wrong("attention_distance", read="vit-distance")
def class_token_at_no_distance(weights, grid):
    """클래스 토큰의 행까지 거리 0으로 평균에 넣었습니다. 클래스 토큰의 행과 열을 빼십시오."""
    return not_renormalised(weights, grid) * (weights.shape[-1] - 1) / weights.shape[-1]


@wrong("attention_distance", read="vit-distance")
def columns_divided(weights, grid):
    """열마다 나누었습니다. 행이 질의이니 행의 합이 1이 되도록 나누고, 행마다 평균하십시오."""
    _check(weights, grid)
    among = weights[..., 1:, 1:]
    return (among / among.sum(-2, keepdim=True) * _distances(grid).to(weights)).sum(-1).mean((0, 2))


@wrong("attention_distance", read="vit-distance")
def summed_over_rows(weights, grid):
    """배치나 질의에 걸쳐 더하기만 했습니다. 센 행의 수로 나누어 평균하십시오."""
    return _mean_distance(weights, grid) * weights.shape[0] * (weights.shape[-1] - 1)


@wrong("attention_distance", read="vit-distance")
def summed_over_queries(weights, grid):
    """질의에 걸쳐 더하기만 했습니다. 행의 수로 나누어 평균하십시오."""
    return _mean_distance(weights, grid) * (weights.shape[-1] - 1)


@wrong("attention_distance", read="vit-distance")
def summed_over_pictures(weights, grid):
    """배치에 걸쳐 더하기만 했습니다. 그림의 수로도 나누어 평균하십시오."""
    return _mean_distance(weights, grid) * weights.shape[0]


@wrong("attention_distance", read="vit-distance")
def divided_once_more(weights, grid):
    """거리를 가중치로 평균한 다음 패치의 수로 한 번 더 나누었습니다. 다시 나눈 행은 합이 1이므로 거리에 곱해 더하면 됩니다."""
    return _mean_distance(weights, grid) / (weights.shape[-1] - 1)


@wrong("attention_distance", read="vit-distance")
def one_for_each_picture(weights, grid):
    """그림마다 하나씩, (batch, heads)를 돌려주었습니다. 배치에 걸쳐서도 평균하십시오."""
    return torch.stack([_mean_distance(picture[None], grid) for picture in weights])


@wrong("attention_distance", read="vit-distance")
def weights_averaged_first(weights, grid):
    """그림에 걸쳐 가중치를 먼저 평균했습니다. 행마다 다시 나눈 다음에 평균하십시오."""
    return _mean_distance(weights.mean(0, keepdim=True), grid)


@wrong("attention_distance", read="vit-distance")
def itself_left_out(weights, grid):
    """자기 자신을 뺐습니다. 자기 자신은 거리 0으로 셉니다."""
    return _mean_distance(weights * (1 - torch.eye(weights.shape[-1])).to(weights), grid)


@wrong("attention_distance", read="vit-distance")
def farthest_look(weights, grid):
    """가장 많이 보는 패치까지의 거리만 쟀습니다. 모든 패치까지의 거리를 가중치로 평균하십시오."""
    _check(weights, grid)
    most = F.one_hot(weights[..., 1:, 1:].argmax(-1), weights.shape[-1] - 1)
    return (most * _distances(grid)).sum(-1).mean((0, 2))


@wrong("attention_distance", read="vit-distance")
def share_of_the_longest(weights, grid):
    """거리를 가장 먼 거리로 나누었습니다. 단위는 패치이니 나누지 마십시오."""
    return _mean_distance(weights, grid, _distances(grid) / _distances(grid).max())


@wrong("attention_distance", read="vit-distance", slip=True)
def empty_heads_are_nan(weights, grid):
    """셀 행이 하나도 없는 헤드가 0이 아닙니다. 없는 것의 평균은 NaN이 되니 따로 0을 내십시오."""
    found = _mean_distance(weights, grid)
    return found.masked_fill((weights[..., 1:, 1:] == 0).all(-1).all(2).all(0), math.nan)


@wrong("attention_distance", read="vit-distance", slip=True)
def nan_replaced_at_the_end(weights, grid):
    """NaN을 맨 끝에 0으로 바꾸었습니다. 클래스 토큰만 보는 행 하나 때문에 헤드 전체가 0이 됩니다. 그 행만 빼고 평균하십시오."""
    return empty_rows_are_nan(weights, grid).nan_to_num(0.0)


@wrong("attention_distance", read="vit-distance", slip=True)
def pictures_averaged_apart(weights, grid):
    """그림마다 평균한 다음 그 평균들을 평균했습니다. 그림마다 센 행의 수가 다르면 값이 달라집니다. 센 행을 모두 모아 한 번에 평균하십시오."""
    return one_for_each_picture(weights, grid).mean(0)


@wrong("attention_distance", read="vit-distance", slip=True)
def little_is_nothing(weights, grid):
    """조금 남은 행을 다르게 셌습니다. 나눌 때 작은 수를 더하거나 문턱값을 두지 마십시오. 남은 것이 0인 행만 세지 않습니다."""
    return _mean_distance(weights * (weights[..., 1:].sum(-1, keepdim=True) > 1e-5), grid)


@wrong("attention_distance", read="vit-distance", slip=True)
def changes_the_weights(weights, grid):
    """받은 가중치를 바꾸었습니다. 클래스 토큰의 행과 열을 뺄 때 부르는 쪽의 텐서를 고치지 마십시오."""
    found = _mean_distance(weights, grid)
    weights[..., 0] = 0
    return found


@wrong("attention_distance", read="vit-distance", slip=True)
def distances_on_the_default_device(weights, grid):
    """거리를 가중치와 다른 장치에 만들었습니다. 새로 만드는 텐서는 weights와 같은 장치에 두십시오."""
    return _mean_distance(weights, grid) + torch.zeros(1)
