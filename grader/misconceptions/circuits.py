"""Wrong answers that people give to the exercise `circuits`."""

import torch
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# logit_lens ---------------------------------------------------------------------------------------------------


@right_answer("logit_lens")
def _lens(states, norm, unembedding, *, middle=lambda norm, x: norm(x), last=lambda norm, x: x):
    """The right lens, in parts that a mistake can replace."""
    read = [middle(norm, x) for x in states[:-1]] + [last(norm, states[-1])]
    return torch.stack([x @ unembedding.T for x in read])


@wrong("logit_lens", read="circuits-lens")
def last_normed_twice(*args):
    """마지막 것까지 norm을 지났습니다. transformers의 hidden_states에서 마지막 것은 이미 지났으므로 두 번 지난 셈입니다."""
    return _lens(*args, last=lambda norm, x: norm(x))


@wrong("logit_lens", read="circuits-lens")
def depths_behind_the_first_axis(*args):
    """깊이의 축이 맨 앞이 아닙니다. 깊이마다의 로짓을 첫 축에 쌓습니다(`torch.stack`의 기본값)."""
    return _lens(*args).transpose(0, 1)


@wrong("logit_lens", read="circuits-lens")
def read_without_the_norm(*args):
    """도중의 흐름을 norm 없이 읽었습니다. 출력 행렬은 norm을 지난 벡터로 배웠으므로, 깊이마다 norm을 지난 다음 내적하십시오."""
    return _lens(*args, middle=lambda norm, x: x)


@wrong("logit_lens", read="circuits-lens")
def only_the_last_normed(*args):
    """norm을 거꾸로 썼습니다. 마지막 것만 그대로 두고 나머지가 norm을 지납니다."""
    return _lens(*args, middle=lambda norm, x: x, last=lambda norm, x: norm(x))


@wrong("logit_lens", read="circuits-lens")
def embedding_left_out(states, norm, unembedding):
    """층에 들어가기 전의 흐름을 빠뜨렸습니다. 깊이는 0부터 L까지 L + 1개입니다."""
    return _lens(states[1:] or states, norm, unembedding)


@wrong("logit_lens", read="circuits-lens")
def last_depth_left_out(states, norm, unembedding):
    """마지막 깊이를 빠뜨렸습니다. 거기서 읽은 것이 모델의 로짓입니다. 깊이는 0부터 L까지 L + 1개입니다."""
    return _lens(states, norm, unembedding)[: max(len(states) - 1, 1)]


@wrong("logit_lens", read="circuits-lens")
def probabilities_not_logits(*args):
    """소프트맥스까지 취했습니다. 로짓을 그대로 돌려주십시오."""
    return _lens(*args).softmax(dim=-1)


@wrong("logit_lens", read="circuits-lens")
def log_probabilities_not_logits(*args):
    """로그 소프트맥스까지 취했습니다. 로짓을 그대로 돌려주십시오."""
    return _lens(*args).log_softmax(dim=-1)


@wrong("logit_lens", read="circuits-lens")
def what_each_layer_wrote(states, norm, unembedding):
    """층이 쓴 것(이웃한 깊이의 차)을 읽었습니다. 렌즈는 거기까지 더해진 흐름 전체를 읽습니다."""
    wrote = [states[0], *(b - a for a, b in zip(states, states[1:], strict=False))]
    return _lens(wrote, norm, unembedding)


@wrong("logit_lens", read="circuits-lens")
def last_place_alone(*args):
    """마지막 자리만 읽었습니다. 모든 자리의 로짓을 돌려주십시오."""
    return _lens(*args)[..., -1, :]


@wrong("logit_lens", read="circuits-lens")
def norm_after_the_matrix(states, norm, unembedding):
    """출력 행렬과 내적한 다음 norm을 했습니다. 차례가 반대입니다. norm은 잔차 흐름의 것입니다."""
    read = [norm(x @ unembedding.T) for x in states[:-1]] + [states[-1] @ unembedding.T]
    return torch.stack(read)


@wrong("logit_lens", read="circuits-lens")
def first_depth_not_normed(states, norm, unembedding):
    """첫째 깊이를 norm 없이 읽었습니다. 그대로 두는 것은 이미 norm을 지난 마지막 것뿐입니다."""
    read = [states[0]] + [norm(x) for x in states[1:-1]] + [states[-1]] * (len(states) > 1)
    return torch.stack([x @ unembedding.T for x in read])


@wrong("logit_lens", read="circuits-lens", slip=True)
def depths_behind_the_batch(states, norm, unembedding):
    """배치가 있을 때 깊이가 맨 앞의 축이 아닙니다. 결과는 (깊이, 배치, 자리, 어휘)입니다."""
    return _lens(states, norm, unembedding).movedim(0, -3)


@wrong("logit_lens", read="circuits-grading", slip=True)
def logits_in_single_precision(*args):
    """자료형이 흐름의 것과 다릅니다. float32로 바꾸지 마십시오."""
    return _lens(*args).float()


# logit_shares -------------------------------------------------------------------------------------------------


def _own_mean(parts):
    return parts - parts.mean(dim=-1, keepdim=True)


def _whole_scale(parts, eps):
    return (parts.sum(0).var(correction=0) + eps).sqrt()


def _with_bias(shares, bias, direction):
    return torch.cat([shares, (bias @ direction).reshape(1)])


@right_answer("logit_shares")
def _shares(
    parts, weight, bias, direction, eps=1e-5, *, centre=_own_mean, scale=_whole_scale, end=_with_bias
):
    """The right shares, in parts that a mistake can replace."""
    return end((centre(parts) / scale(parts, eps) * weight) @ direction, bias, direction)


@wrong("logit_shares", read="circuits-shares")
def each_its_own_scale(*args):
    """부품마다 제 표준편차로 나누었습니다. 그러면 몫을 더해도 로짓이 되지 않습니다. 나누는 수는 전체 흐름의 것 하나입니다."""

    def scale(parts, eps):
        return (parts.var(dim=-1, keepdim=True, correction=0) + eps).sqrt()

    return _shares(*args, scale=scale)


@wrong("logit_shares", read="circuits-shares")
def norm_left_out(*args):
    """층 정규화를 건너뛰고 부품과 방향을 바로 내적했습니다. 모델의 로짓은 정규화한 흐름에서 나옵니다."""
    parts, _, bias, direction = args[:4]
    return _with_bias(parts @ direction, bias, direction)


@wrong("logit_shares", read="circuits-shares")
def means_left_in(*args):
    """부품의 평균을 빼지 않았습니다. 층 정규화는 평균을 빼므로, 부품마다 제 평균을 빼야 합이 맞습니다."""
    return _shares(*args, centre=lambda parts: parts)


@wrong("logit_shares", read="circuits-shares")
def mean_of_the_whole(*args):
    """부품마다 전체 흐름의 평균을 뺐습니다. 그러면 평균을 부품의 수만큼 빼게 됩니다. 부품마다 제 평균을 빼십시오."""
    return _shares(*args, centre=lambda parts: parts - parts.sum(0).mean())


@wrong("logit_shares", read="circuits-shares")
def mean_over_the_parts(*args):
    """부품에 걸쳐 평균한 벡터를 뺐습니다. 층 정규화의 평균은 한 벡터의 d개 성분에 걸친 것입니다."""
    return _shares(*args, centre=lambda parts: parts - parts.mean(0))


@wrong("logit_shares", read="circuits-shares")
def scale_of_the_mean(*args):
    """부품의 합이 아니라 평균에서 표준편차를 구했습니다. 흐름은 부품의 합입니다."""
    return _shares(*args, scale=lambda parts, eps: (parts.mean(0).var(correction=0) + eps).sqrt())


@wrong("logit_shares", read="circuits-shares")
def variances_added(*args):
    """부품의 분산을 더했습니다. 부품끼리 서로 지우거나 키우므로 합의 분산과 다릅니다. 먼저 더한 다음 분산을 구하십시오."""
    return _shares(*args, scale=lambda parts, eps: (parts.var(-1, correction=0).sum() + eps).sqrt())


@wrong("logit_shares", read="circuits-shares")
def scale_about_zero(*args):
    """평균을 빼지 않은 제곱의 평균으로 나누었습니다. RMSNorm의 것입니다. 층 정규화는 분산을 씁니다."""
    return _shares(*args, scale=lambda parts, eps: (parts.sum(0).square().mean() + eps).sqrt())


@wrong("logit_shares", read="circuits-shares")
def root_mean_square(*args):
    """RMSNorm의 식입니다. 층 정규화는 평균을 빼고 표준편차로 나눕니다."""
    return _shares(
        *args,
        centre=lambda parts: parts,
        scale=lambda parts, eps: (parts.sum(0).square().mean() + eps).sqrt(),
    )


@wrong("logit_shares", read="circuits-shares")
def divided_by_d_less_one(*args):
    """분산을 d - 1로 나누었습니다. torch.var의 기본값입니다. nn.LayerNorm은 d로 나눕니다(correction=0)."""
    return _shares(*args, scale=lambda parts, eps: (parts.sum(0).var() + eps).sqrt())


@wrong("logit_shares", read="circuits-shares")
def variance_not_its_root(*args):
    """분산으로 나누었습니다. 그 제곱근으로 나누십시오."""
    return _shares(*args, scale=lambda parts, eps: parts.sum(0).var(correction=0) + eps)


@wrong("logit_shares", read="circuits-shares")
def weight_forgotten(parts, weight, *rest):
    """정규화의 배율 γ를 곱하지 않았습니다."""
    return _shares(parts, torch.ones_like(weight), *rest)


@wrong("logit_shares", read="circuits-shares")
def neither_weight_nor_bias(parts, weight, bias, direction, *eps):
    """층 정규화의 배율과 편향을 모두 빠뜨렸습니다. 출력 행렬에 접어 넣은 모델이 아니라면 몫의 합이 로짓이 되지 않습니다."""
    return _shares(parts, torch.ones_like(weight), torch.zeros_like(bias), direction, *eps)


@wrong("logit_shares", read="circuits-shares")
def bias_shared_out(*args):
    """편향의 몫을 부품들에 나누어 더했습니다. 편향은 어느 부품도 쓰지 않은 것이므로 마지막에 따로 둡니다."""

    def end(shares, bias, direction):
        return torch.cat([shares + bias @ direction / len(shares), (0 * bias).sum().reshape(1)])

    return _shares(*args, end=end)


@wrong("logit_shares", read="circuits-shares")
def bias_in_every_part(*args):
    """부품마다 편향을 통째로 더했습니다. 더하면 편향이 여러 번 들어갑니다. 편향의 몫은 마지막에 한 번입니다."""

    def end(shares, bias, direction):
        return torch.cat([shares + bias @ direction, (bias @ direction).reshape(1)])

    return _shares(*args, end=end)


@wrong("logit_shares", read="circuits-shares")
def bias_left_out(*args):
    """편향의 몫이 없습니다. 부품의 몫 뒤에 하나를 이어 m + 1개를 돌려줍니다."""
    return _shares(*args, end=lambda shares, bias, direction: shares)


@wrong("logit_shares", read="circuits-shares")
def bias_in_every_part_alone(*args):
    """편향을 부품마다 더했습니다. 그러면 부품의 수만큼 여러 번 셉니다. 편향의 몫은 따로 한 번, 맨 뒤에 둡니다."""
    return _shares(*args, end=lambda shares, bias, direction: shares + bias @ direction)


@wrong("logit_shares", read="circuits-shares")
def bias_put_first(*args):
    """편향의 몫을 맨 앞에 두었습니다. 부품의 몫 다음, 맨 뒤에 둡니다."""
    return _shares(*args).roll(1)


@wrong("logit_shares", read="circuits-shares")
def total_alone(*args):
    """모두 더한 로짓만 돌려주었습니다. 부품마다의 몫이 필요합니다."""
    return _shares(*args).sum()


@wrong("logit_shares", read="circuits-shares")
def shares_as_fractions(*args):
    """몫을 합으로 나누어 비율로 만들었습니다. 몫에는 부호가 있고, 더하면 로짓 그 자체여야 합니다."""
    found = _shares(*args)
    return found / found.sum()


@wrong("logit_shares", read="circuits-shares")
def cumulated(*args):
    """부품을 쌓아 가며 읽었습니다. 부품 하나하나의 몫을 돌려주십시오."""
    found = _shares(*args)
    return torch.cat([found[:-1].cumsum(0), found[-1:]])


@wrong("logit_shares", read="circuits-shares", slip=True)
def eps_forgotten(parts, weight, bias, direction, eps=1e-5):
    """분산에 eps를 더하지 않았거나 받은 eps를 쓰지 않았습니다. 정규화가 쓰는 것과 같아야 합이 로짓과 맞습니다."""
    return _shares(parts, weight, bias, direction, 1e-5)


@wrong("logit_shares", read="circuits-shares", slip=True)
def eps_outside_the_root(*args):
    """eps를 제곱근 밖에서 더했습니다. 분산에 더한 다음 제곱근을 구하십시오."""
    return _shares(*args, scale=lambda parts, eps: parts.sum(0).var(correction=0).sqrt() + eps)


@wrong("logit_shares", read="circuits-grading", slip=True)
def shares_in_single_precision(*args):
    """자료형이 부품의 것과 다릅니다. float32로 바꾸지 마십시오."""
    return _shares(*args).float()


@wrong("logit_shares", read="circuits-grading", slip=True)
def scale_cut_off(*args):
    """나누는 수에서 기울기를 끊었습니다(detach, item). 몫을 나눌 때 고정한다는 것은 전체의 것을 쓴다는 뜻이고, 기울기는 흐릅니다."""
    found = _shares(*args, scale=lambda parts, eps: _whole_scale(parts, eps).detach())
    return found.detach()


# patch_effect -------------------------------------------------------------------------------------------------


def _run(x, layers):
    for layer in layers:
        x = layer(x)
    return x


def _one_place(mixed, clean):
    mixed, places = mixed.clone(), torch.arange(clean.shape[-2])
    mixed[places, places] = clean
    return mixed


def _effect(patched, right, wrong):
    return (patched - wrong) / (right - wrong)


@right_answer("patch_effect")
def _patch(
    layers, score, clean, corrupted,
    *, put=_one_place, after=lambda depth: depth, depths=None, read=_effect, source=lambda clean, depth: depth,
):  # fmt: skip
    """The right effects, in parts that a mistake can replace."""
    clean, corrupted = clean[None], corrupted[None]
    right, wrong_one = (score(_run(x, layers))[0] for x in (clean, corrupted))
    if right == wrong_one:
        raise ValueError("nothing to divide by")
    rows = []
    for depth in depths or range(len(layers) + 1):
        mixed = _run(corrupted, layers[:depth]).repeat(clean.shape[1], 1, 1)
        mixed = put(mixed, _run(clean, layers[: source(clean, depth)])[0])
        patched = score(_run(mixed, layers[after(depth) :]))
        rows.append(read(patched, right, wrong_one))
    return torch.stack(rows)


@wrong("patch_effect", read="circuits-patching")
def clean_run_patched(layers, score, clean, corrupted):
    """두 글의 자리를 맞바꾸었습니다. 망가뜨린 글의 벡터를 깨끗한 글에 끼우고 있습니다. 인자의 차례는 깨끗한 글, 망가뜨린 글입니다."""
    return _patch(layers, score, corrupted, clean)


@wrong("patch_effect", read="circuits-patching")
def patch_lost(*args):
    """갈아 끼운 것이 사라져 효과가 모두 0입니다. 텐서로 고른 것(x[i][j] = …)은 베낀 것이라 원래의 텐서가 바뀌지 않습니다. 한 번에 고르십시오(x[i, j] = …)."""
    return _patch(*args, put=lambda mixed, clean: mixed)


@wrong("patch_effect", read="circuits-patching")
def not_normalised(*args):
    """끼운 점수를 그대로 돌려주었습니다. 망가뜨린 글의 점수를 빼고, 두 글의 점수의 차로 나누십시오."""
    return _patch(*args, read=lambda patched, right, wrong: patched)


@wrong("patch_effect", read="circuits-patching")
def not_divided(*args):
    """망가뜨린 글의 점수를 빼기만 했습니다. 두 글의 점수의 차로 나누어야 0에서 1로 읽을 수 있습니다."""
    return _patch(*args, read=lambda patched, right, wrong: patched - wrong)


@wrong("patch_effect", read="circuits-patching")
def share_that_is_lost(*args):
    """돌아오지 않은 몫입니다. 다 돌아오면 1, 그대로이면 0이어야 합니다."""
    return _patch(*args, read=lambda patched, right, wrong: (right - patched) / (right - wrong))


@wrong("patch_effect", read="circuits-patching")
def divided_by_the_clean_score(*args):
    """깨끗한 글의 점수로 나누었습니다. 두 글의 점수의 차로 나누십시오."""
    return _patch(*args, read=lambda patched, right, wrong: (patched - wrong) / right)


@wrong("patch_effect", read="circuits-patching")
def sign_thrown_away(*args):
    """절댓값을 취했습니다. 반대로 움직인 자리는 음수로 남아야 합니다."""
    return _patch(*args, read=lambda patched, right, wrong: ((patched - wrong) / (right - wrong)).abs())


@wrong("patch_effect", read="circuits-patching")
def clipped_to_one(*args):
    """0과 1 사이로 잘랐습니다. 효과는 1보다 크거나 0보다 작을 수 있습니다. 그것도 알아야 할 것입니다."""
    return _patch(*args, read=lambda patched, right, wrong: _effect(patched, right, wrong).clamp(0, 1))


@wrong("patch_effect", read="circuits-patching")
def whole_stream_patched(*args):
    """그 깊이의 모든 자리를 바꾸었습니다. 그러면 언제나 깨끗한 글이 됩니다. 한 번에 한 자리만 바꾸십시오."""
    return _patch(*args, put=lambda mixed, clean: clean.expand_as(mixed))


@wrong("patch_effect", read="circuits-patching")
def places_stay_patched(*args):
    """앞에서 끼운 자리를 되돌리지 않고 다음 자리를 끼웠습니다. 자리마다 망가뜨린 글에서 새로 시작합니다."""

    def put(mixed, clean):
        return torch.where(torch.ones(len(mixed), len(mixed)).tril()[..., None] > 0, clean, mixed)

    return _patch(*args, put=put)


@wrong("patch_effect", read="circuits-patching")
def one_place_kept_corrupted(*args):
    """한 자리만 망가뜨린 글의 것으로 남기고 나머지를 모두 끼웠습니다. 한 자리만 끼우십시오."""

    def put(mixed, clean):
        return torch.where(torch.eye(len(mixed))[..., None] > 0, mixed, clean)

    return _patch(*args, put=put)


@wrong("patch_effect", read="circuits-patching")
def first_clean_vectors(*args):
    """어느 깊이에나 첫 층에 들어가기 전의 벡터를 끼웠습니다. 깨끗한 글이 같은 깊이에서 가진 것을 끼우십시오."""
    return _patch(*args, source=lambda clean, depth: 0)


@wrong("patch_effect", read="circuits-patching")
def a_layer_behind(layers, score, clean, corrupted):
    """끼우는 벡터의 깊이가 하나 어긋났습니다. 깨끗한 글이 같은 깊이에서, 같은 수의 층을 지난 뒤에 가진 것을 끼우십시오."""
    return _patch(layers, score, clean, corrupted, source=lambda _, depth: min(depth + 1, len(layers)))


@wrong("patch_effect", read="circuits-patching")
def all_layers_again(*args):
    """끼운 다음 첫 층부터 다시 지났습니다. 이미 지난 층은 지나지 않고, 그 뒤의 층만 지납니다."""
    return _patch(*args, after=lambda depth: 0)


@wrong("patch_effect", read="circuits-patching")
def a_layer_skipped(*args):
    """끼운 다음의 층 하나를 건너뛰었습니다. 깊이 l에서 끼웠으면 layers[l]부터 모두 지납니다."""
    return _patch(*args, after=lambda depth: depth + 1)


@wrong("patch_effect", read="circuits-patching")
def later_layers_not_run(*args):
    """끼운 벡터를 그 뒤의 층에 지나게 하지 않고 바로 점수를 매겼습니다. 끝까지 지난 흐름의 점수여야 합니다."""
    return _patch(*args, after=lambda depth: 10**6)


@wrong("patch_effect", read="circuits-patching")
def depth_before_left_out(layers, score, clean, corrupted):
    """첫 층에 들어가기 전에 끼운 행이 없습니다. 깊이는 0부터 L까지 L + 1개입니다."""
    return _patch(layers, score, clean, corrupted, depths=range(1, len(layers) + 1) if layers else None)


@wrong("patch_effect", read="circuits-patching")
def depth_after_left_out(layers, score, clean, corrupted):
    """마지막 층을 지난 뒤에 끼운 행이 없습니다. 깊이는 0부터 L까지 L + 1개입니다."""
    return _patch(layers, score, clean, corrupted, depths=range(len(layers)) if layers else None)


@wrong("patch_effect", read="circuits-patching")
def places_before_depths(*args):
    """행과 열이 바뀌었습니다. 행이 깊이, 열이 자리입니다."""
    return _patch(*args).T


@wrong("patch_effect", read="circuits-patching")
def deepest_first(*args):
    """행의 차례가 거꾸로입니다. 첫 행이 첫 층에 들어가기 전입니다."""
    return _patch(*args).flip(0)


@wrong("patch_effect", read="circuits-patching")
def difference_added(layers, score, clean, corrupted):
    """갈아 끼우지 않고 더했습니다. 그 자리의 벡터를 깨끗한 글의 것으로 갈아 넣으십시오."""

    def put(mixed, clean):
        return mixed + torch.eye(len(mixed))[..., None].to(mixed) * clean

    return _patch(layers, score, clean, corrupted, put=put)


@wrong("patch_effect", read="circuits-patching")
def place_erased(*args):
    """끼우지 않고 그 자리를 0으로 지웠습니다. 지우기(ablation)는 다른 물음입니다. 깨끗한 글의 벡터를 끼우십시오."""
    return _patch(*args, put=lambda mixed, clean: mixed * (1 - torch.eye(len(mixed))[..., None].to(mixed)))


@wrong("patch_effect", read="circuits-patching")
def without_the_batch_axis(layers, score, clean, corrupted):
    """층이나 score에 배치 축이 없는 흐름을 넘겼습니다. 언제나 (batch, n, d)를 넘깁니다."""
    layers = [lambda x, layer=layer: layer(x[0])[None] if len(x) == 1 else layer(x) for layer in layers]
    return _patch(layers, lambda x: torch.stack([score(y) for y in x]), clean, corrupted)


@wrong("patch_effect", read="circuits-grading", slip=True)
def nothing_to_divide_by(layers, score, clean, corrupted):
    """두 글의 점수가 같을 때 ValueError를 내지 않았습니다. 0으로 나누면 NaN이나 무한대가 됩니다."""
    try:
        return _patch(layers, score, clean, corrupted)
    except ValueError:
        return torch.zeros(len(layers) + 1, len(clean))


@wrong("patch_effect", read="circuits-grading", slip=True)
def effects_in_single_precision(*args):
    """결과가 흐름의 자료형이나 장치를 따르지 않습니다. torch.zeros로 만들 때 dtype과 device를 주십시오."""
    return _patch(*args).to(torch.float32)


@wrong("patch_effect", read="circuits-grading", slip=True)
def corrupted_stream_overwritten(layers, score, clean, corrupted):
    """받은 흐름을 제자리에서 고쳤습니다. 끼우기 전에 베끼십시오(clone)."""
    found = _patch(layers, score, clean, corrupted)
    corrupted[0] = clean[0]
    return found


# SparseAutoencoder --------------------------------------------------------------------------------------------


@right_answer("SparseAutoencoder")
class _InParts(nn.Module):
    """The right autoencoder, in parts that a mistake can replace."""

    def __init__(self, d, features, k):
        super().__init__()
        self.check(features, k)
        self.k = k
        directions = self.directions(d, features)
        self.W_dec = nn.Parameter(directions)
        self.W_enc = nn.Parameter(self.encoder(directions))
        self.b_pre = nn.Parameter(self.bias(d))

    def check(self, features, k):
        if not 1 <= k <= features:
            raise ValueError("k")

    def directions(self, d, features):
        found = torch.randn(d, features)
        return found / found.norm(dim=0)

    def encoder(self, directions):
        return directions.T.clone()

    def bias(self, d):
        return torch.zeros(d)

    def strength(self, x):
        return (x - self.b_pre) @ self.W_enc.T

    def largest(self, strength):
        return strength.topk(self.k, dim=-1).indices

    def positive(self, kept):
        return kept.relu()

    def encode(self, x):
        strength = self.strength(x)
        places = self.largest(strength)
        kept = self.positive(strength.gather(-1, places))
        return torch.zeros_like(strength).scatter(-1, places, kept)

    def decode(self, z):
        return z @ self.W_dec.T + self.b_pre

    def forward(self, x):
        z = self.encode(x)
        return self.decode(z), z

    def lengths(self):
        return self.W_dec.norm(dim=0)

    @torch.no_grad()
    def normalize_decoder(self):
        self.W_dec /= self.lengths()

    def spread(self, x):
        return (x - x.mean(dim=0)).square().sum()

    def lost(self, x):
        return (x - self(x)[0]).square().sum()

    def unexplained(self, x):
        return self.lost(x) / self.spread(x)


@wrong("SparseAutoencoder", read="circuits-sae")
class LargestInSize(_InParts):
    """절댓값이 큰 것을 골랐습니다. 그러면 음수인 특징이 자리를 차지합니다. 값이 큰 k개를 남기십시오."""

    def largest(self, strength):
        return strength.abs().topk(self.k, dim=-1).indices


@wrong("SparseAutoencoder", read="circuits-sae")
class NegativeOnesStay(_InParts):
    """남은 k개에 음수가 있습니다. 특징은 있거나(양수) 없거나(0)이므로 음수는 0으로 바꿉니다."""

    def positive(self, kept):
        return kept


@wrong("SparseAutoencoder", read="circuits-sae")
class SignsThrownAway(_InParts):
    """음수를 0이 아니라 절댓값으로 바꾸었습니다."""

    def positive(self, kept):
        return kept.abs()


@wrong("SparseAutoencoder", read="circuits-sae")
class SmallestKept(_InParts):
    """가장 작은 것을 남겼습니다. 큰 k개를 남기십시오."""

    def largest(self, strength):
        return strength.topk(self.k, dim=-1, largest=False).indices


@wrong("SparseAutoencoder", read="circuits-sae")
class EverythingKept(_InParts):
    """ReLU만 하고 k개로 줄이지 않았습니다. 벡터마다 많아야 k개의 특징만 0이 아니어야 합니다."""

    def largest(self, strength):
        return strength.topk(strength.shape[-1], dim=-1).indices


@wrong("SparseAutoencoder", read="circuits-sae")
class OneMore(_InParts):
    """k개보다 하나 많게 남겼습니다. 벡터마다 많아야 k개입니다."""

    def largest(self, strength):
        return strength.topk(min(self.k + 1, strength.shape[-1]), dim=-1).indices


@wrong("SparseAutoencoder", read="circuits-sae")
class LargestOfTheBatch(_InParts):
    """배치에 걸쳐 특징을 골랐습니다. 벡터마다 따로 큰 k개를 고르십시오."""

    def largest(self, strength):
        mean = strength.reshape(-1, strength.shape[-1]).mean(0)
        return mean.topk(self.k).indices.expand(*strength.shape[:-1], self.k)


@wrong("SparseAutoencoder", read="circuits-sae")
class LargestOfAllVectors(_InParts):
    """배치 전체에서 큰 것을 벡터의 수의 k배만큼 남겼습니다(BatchTopK). 여기서는 벡터마다 많아야 k개입니다."""

    def encode(self, x):
        strength = self.strength(x).relu()
        if strength.numel() == 0:
            return strength
        least = strength.flatten().topk(strength.numel() // strength.shape[-1] * self.k).values.min()
        return strength * (strength >= least)


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class TiesAllKept(_InParts):
    """k번째 점수와 같은 것을 모두 남겼습니다. 점수가 같은 특징이 여럿이면 k개를 넘습니다. topk가 고른 자리만 남기십시오."""

    def encode(self, x):
        strength = self.strength(x)
        return strength.relu() * (strength >= strength.topk(self.k, dim=-1).values[..., -1:])


@wrong("SparseAutoencoder", read="circuits-sae")
class OnesForFeatures(_InParts):
    """특징이 켜졌는지만 1로 남겼습니다. 점수 그 자체가 특징의 세기입니다."""

    def positive(self, kept):
        return (kept > 0).to(kept.dtype)


@wrong("SparseAutoencoder", read="circuits-sae")
class SoftmaxOfTheKept(_InParts):
    """남은 점수에 소프트맥스를 취했습니다. ReLU만 합니다."""

    def positive(self, kept):
        return kept.softmax(dim=-1)


@wrong("SparseAutoencoder", read="circuits-sae")
class BiasNotTakenAway(_InParts):
    """인코더 앞에서 b_pre를 빼지 않았습니다. 특징은 b_pre에서 얼마나 벗어났는지를 설명합니다."""

    def strength(self, x):
        return x @ self.W_enc.T


@wrong("SparseAutoencoder", read="circuits-sae")
class BiasAddedFirst(_InParts):
    """인코더 앞에서 b_pre를 더했습니다. 빼십시오. 디코더 뒤에서 다시 더합니다."""

    def strength(self, x):
        return (x + self.b_pre) @ self.W_enc.T


@wrong("SparseAutoencoder", read="circuits-sae")
class BiasNotGivenBack(_InParts):
    """디코더 뒤에서 b_pre를 다시 더하지 않았습니다. 뺀 것을 되돌려야 복원입니다."""

    def decode(self, z):
        return z @ self.W_dec.T


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class BiasGivenBackTwice(_InParts):
    """b_pre를 두 번 더했습니다. decode가 이미 더합니다."""

    def forward(self, x):
        reconstruction, z = super().forward(x)
        return reconstruction + self.b_pre, z


@wrong("SparseAutoencoder", read="circuits-sae")
class Tied(_InParts):
    """W_dec의 전치로 인코딩했습니다. W_enc은 같은 값에서 시작하지만 따로 배우는 파라미터입니다."""

    def strength(self, x):
        return (x - self.b_pre) @ self.W_dec


@wrong("SparseAutoencoder", read="circuits-sae")
class DecodesByTheEncoder(_InParts):
    """W_enc으로 복원했습니다. 특징의 방향은 W_dec의 열입니다."""

    def decode(self, z):
        return z @ self.W_enc + self.b_pre


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class OneTensorForBoth(_InParts):
    """W_enc이 W_dec과 같은 메모리를 씁니다. 하나를 고치면 다른 것도 바뀝니다. clone으로 베끼십시오."""

    def encoder(self, directions):
        return directions.T


@wrong("SparseAutoencoder", read="circuits-sae")
class FeaturesFirst(_InParts):
    """돌려주는 차례가 뒤바뀌었습니다. (복원, 특징)입니다."""

    def forward(self, x):
        return super().forward(x)[::-1]


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class StartsLong(_InParts):
    """W_dec의 열이 길이 1로 시작하지 않습니다. 뽑은 다음 열마다 길이로 나누십시오."""

    def directions(self, d, features):
        return torch.randn(d, features)


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class RowsOfLengthOne(_InParts):
    """W_dec의 행을 길이 1로 만들었습니다. 특징의 방향은 열입니다(dim=0)."""

    def directions(self, d, features):
        found = torch.randn(d, features)
        return found / found.norm(dim=1, keepdim=True)


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class EncoderOfItsOwn(_InParts):
    """W_enc이 W_dec의 전치와 같은 값에서 시작하지 않습니다. 그렇게 시작해야 죽은 특징이 적습니다."""

    def encoder(self, directions):
        return torch.randn_like(directions.T) / len(directions)


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class BiasOfNoise(_InParts):
    """b_pre가 0에서 시작하지 않습니다."""

    def bias(self, d):
        return torch.randn(d)


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class OnlyOneSide(_InParts):
    """방향을 모두 양수인 쪽에서 뽑았습니다. torch.rand가 아니라 torch.randn입니다."""

    def directions(self, d, features):
        found = torch.rand(d, features)
        return found / found.norm(dim=0)


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class RowsNormalised(_InParts):
    """normalize_decoder가 행의 길이를 1로 만듭니다. 특징의 방향은 열입니다(dim=0)."""

    def lengths(self):
        return self.W_dec.norm(dim=1, keepdim=True)


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class WholeDecoderNormalised(_InParts):
    """normalize_decoder가 행렬 전체를 길이 하나로 나눕니다. 열마다 따로 나누십시오."""

    def lengths(self):
        return self.W_dec.norm()


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class DecoderReplaced(_InParts):
    """normalize_decoder가 새 파라미터를 만듭니다. 옵티마이저가 쥔 것은 옛 파라미터라 더 배우지 않습니다. 제자리에서 나누십시오."""

    def normalize_decoder(self):
        self.W_dec = nn.Parameter((self.W_dec / self.lengths()).detach())


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class NothingNormalised(_InParts):
    """normalize_decoder가 W_dec을 바꾸지 않습니다. 열을 제자리에서 길이 1로 되돌려야 합니다."""

    def normalize_decoder(self):
        self.W_dec / self.lengths()


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class EncoderNormalisedToo(_InParts):
    """normalize_decoder가 W_enc까지 바꿉니다. 길이 1이어야 하는 것은 디코더의 열입니다."""

    @torch.no_grad()
    def normalize_decoder(self):
        super().normalize_decoder()
        self.W_enc /= self.W_enc.norm(dim=1, keepdim=True)


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class AgainstZero(_InParts):
    """평균을 빼지 않은 제곱의 합으로 나누었습니다. 평균이 0에서 멀면 어떤 복원이든 좋아 보입니다. 대조는 평균입니다."""

    def spread(self, x):
        return x.square().sum()


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class AgainstOneMean(_InParts):
    """모든 성분에 걸쳐 평균한 수 하나를 뺐습니다. 대조는 벡터들의 평균 벡터입니다(dim=0)."""

    def spread(self, x):
        return (x - x.mean()).square().sum()


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class ExplainedInstead(_InParts):
    """설명한 비율을 돌려주었습니다. 설명하지 못한 비율은 1에서 그것을 뺀 것입니다."""

    def unexplained(self, x):
        return 1 - super().unexplained(x)


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class ErrorAlone(_InParts):
    """오차를 나누지 않았습니다. 평균으로 복원한 오차로 나누어야 큰지 작은지 알 수 있습니다."""

    def spread(self, x):
        return torch.tensor(float(len(x))).to(x)


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class LengthsNotSquared(_InParts):
    """오차의 길이를 제곱하지 않고 더했습니다. 분산의 비율이므로 제곱의 합끼리 나눕니다."""

    def unexplained(self, x):
        return (x - self(x)[0]).norm(dim=-1).sum() / (x - x.mean(dim=0)).norm(dim=-1).sum()


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class CoordinatesAveraged(_InParts):
    """성분마다 비율을 구해 평균했습니다. 거의 움직이지 않는 성분이 전체를 정하게 됩니다. 오차와 분산을 먼저 모두 더하십시오."""

    def unexplained(self, x):
        error = (x - self(x)[0]).square().sum(0)
        return (error / (x - x.mean(dim=0)).square().sum(0)).mean()


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class VectorsAveraged(_InParts):
    """벡터마다 비율을 구해 평균했습니다. 평균에 가까운 벡터 하나가 전체를 정하게 됩니다. 오차와 분산을 먼저 모두 더하십시오."""

    def unexplained(self, x):
        error = (x - self(x)[0]).square().sum(-1)
        return (error / (x - x.mean(dim=0)).square().sum(-1)).mean()


@wrong("SparseAutoencoder", read="circuits-sae", slip=True)
class KeptValuesDetached(_InParts):
    """특징에서 기울기가 끊겼습니다(detach). 인코더가 배우지 못합니다."""

    def positive(self, kept):
        return kept.relu().detach()


@wrong("SparseAutoencoder", read="circuits-grading", slip=True)
class AnyKWelcome(_InParts):
    """k가 1보다 작거나 특징의 수보다 클 때 ValueError를 내지 않았습니다."""

    def check(self, features, k): ...


# against_random_directions ------------------------------------------------------------------------------------


def _normal(direction, generator):
    return torch.randn(direction.shape, generator=generator).to(direction)


def _as_long(noise, direction):
    return noise / noise.norm() * direction.norm()


def _at_least(other, found):
    return abs(other) >= abs(found)


@right_answer("against_random_directions")
def _against(
    effect, direction, count, generator,
    *, draw=_normal, length=_as_long, larger=_at_least, p=lambda c, count: (1 + c) / (1 + count),
):  # fmt: skip
    """The right control, in parts that a mistake can replace."""
    if count < 1:
        raise ValueError("count")
    found = float(effect(direction))
    others = [float(effect(length(draw(direction, generator), direction))) for _ in range(count)]
    return found, p(sum(larger(other, found) for other in others), count)


@wrong("against_random_directions", read="circuits-control")
def zero_is_possible(*args):
    """1을 더하지 않았습니다. 찾은 방향도 후보 하나로 세어 (1 + c) / (1 + count)입니다. 그래야 p가 0이 되지 않습니다."""
    return _against(*args, p=lambda c, count: c / count)


@wrong("against_random_directions", read="circuits-control")
def one_more_below_alone(*args):
    """분모에만 1을 더했습니다. 찾은 방향은 자기 자신 이상이므로 분자에도 1을 더합니다."""
    return _against(*args, p=lambda c, count: c / (1 + count))


@wrong("against_random_directions", read="circuits-control")
def one_more_above_alone(*args):
    """분자에만 1을 더했습니다. 그러면 1을 넘을 수 있습니다. 분모도 1 + count입니다."""
    return _against(*args, p=lambda c, count: (1 + c) / count)


@wrong("against_random_directions", read="circuits-control")
def share_that_it_beats(*args):
    """찾은 방향이 이긴 비율입니다. p는 무작위 방향이 그만큼 되거나 넘는 비율이라, 작을수록 드문 효과입니다."""
    return _against(*args, p=lambda c, count: 1 - (1 + c) / (1 + count))


@wrong("against_random_directions", read="circuits-control")
def verdict_instead_of_p(*args):
    """드문지 아닌지만 돌려주었습니다. p 그 자체를 실수로 돌려주십시오."""
    return _against(*args, p=lambda c, count: float((1 + c) / (1 + count) <= 0.05))


@wrong("against_random_directions", read="circuits-control", slip=True)
def ties_do_not_count(*args):
    """같은 효과를 세지 않았습니다. 어느 방향이나 효과가 같으면 p는 1이어야 합니다. 이상(>=)을 세십시오."""
    return _against(*args, larger=lambda other, found: abs(other) > abs(found))


@wrong("against_random_directions", read="circuits-control")
def signs_matter(*args):
    """부호를 둔 채 비교했습니다. 효과는 어느 쪽이든 됩니다. 절댓값끼리 비교하십시오."""
    return _against(*args, larger=lambda other, found: other >= found)


@wrong("against_random_directions", read="circuits-control")
def size_of_one_side(*args):
    """찾은 효과의 절댓값과 무작위 효과를 부호째 비교했습니다. 둘 다 절댓값이어야 합니다."""
    return _against(*args, larger=lambda other, found: other >= abs(found))


@wrong("against_random_directions", read="circuits-control")
def smaller_ones_counted(*args):
    """효과가 작은 무작위 방향을 세었습니다. 찾은 방향의 효과 이상인 것을 세십시오."""
    return _against(*args, larger=lambda other, found: abs(other) <= abs(found))


@wrong("against_random_directions", read="circuits-control")
def length_left_as_drawn(*args):
    """무작위 방향의 길이를 맞추지 않았습니다. 긴 방향을 지우면 효과도 큽니다. 길이가 direction과 같아야 공평한 대조입니다."""
    return _against(*args, length=lambda noise, direction: noise)


@wrong("against_random_directions", read="circuits-control")
def all_of_length_one(*args):
    """무작위 방향의 길이를 1로 맞추었습니다. direction의 길이를 곱해 같은 길이로 만드십시오."""
    return _against(*args, length=lambda noise, direction: noise / noise.norm())


@wrong("against_random_directions", read="circuits-control", slip=True)
def noise_added_to_it(effect, direction, count, generator):
    """찾은 방향에 잡음을 더했습니다. 그러면 찾은 방향 둘레의 방향뿐입니다. 아무 방향이나 고르게 나와야 합니다."""
    return _against(
        effect,
        direction,
        count,
        generator,
        draw=lambda d, g: d + 0.3 * d.norm() / len(d) ** 0.5 * _normal(d, g),
    )


@wrong("against_random_directions", read="circuits-control")
def its_own_numbers_shuffled(*args):
    """찾은 방향의 성분을 섞었습니다. 길이는 같지만 성분의 값이 같은 방향뿐입니다. 정규분포에서 새로 뽑으십시오."""
    return _against(*args, draw=lambda d, g: d[torch.randperm(len(d), generator=g)])


@wrong("against_random_directions", read="circuits-control")
def one_axis_at_a_time(*args):
    """축 하나만 남은 방향을 뽑았습니다. 축과 나란하지 않은 방향도 고르게 나와야 합니다."""
    return _against(
        *args,
        draw=lambda d, g: (
            (torch.rand(d.shape, generator=g) - 0.5).to(d)
            * (torch.arange(len(d)) == torch.randint(len(d), (), generator=g))
        ),
    )


@wrong("against_random_directions", read="circuits-control", slip=True)
def from_a_cube(*args):
    """고른 분포에서 뽑은 벡터는 모서리 쪽으로 몰립니다. 모든 방향이 고르려면 정규분포에서 뽑아 길이를 맞춥니다."""
    return _against(*args, draw=lambda d, g: (2 * torch.rand(d.shape, generator=g) - 1).to(d))


@wrong("against_random_directions", read="circuits-control", slip=True)
def positive_numbers_alone(*args):
    """성분이 모두 양수인 방향만 뽑았습니다(torch.rand). 정규분포(torch.randn)에서 뽑으십시오."""
    return _against(*args, draw=lambda d, g: torch.rand(d.shape, generator=g).to(d))


@wrong("against_random_directions", read="circuits-control")
def one_random_direction(effect, direction, count, generator):
    """무작위 방향 하나를 여러 번 썼습니다. count개를 따로 뽑으십시오."""
    noise = _normal(direction, generator)
    return _against(effect, direction, count, generator, draw=lambda d, g: noise)


@wrong("against_random_directions", read="circuits-control")
def too_few_directions(effect, direction, count, generator):
    """무작위 방향의 수가 count가 아닙니다. 찾은 방향을 빼고 count개입니다."""
    found = float(effect(direction))
    others = [effect(_as_long(_normal(direction, generator), direction)) for _ in range(count - 1)]
    return found, (1 + sum(_at_least(other, found) for other in others)) / count


@wrong("against_random_directions", read="circuits-control")
def effect_of_length_one(effect, direction, count, generator):
    """찾은 방향의 길이를 1로 바꾸어 효과를 쟀습니다. 받은 방향 그대로 재십시오."""
    return _against(effect, direction / direction.norm(), count, generator)


@wrong("against_random_directions", read="circuits-control")
def above_the_average(*args):
    """찾은 효과에서 무작위 효과의 평균을 뺀 것을 돌려주었습니다. 첫째는 찾은 방향의 효과 그대로입니다."""
    effect, direction, count, generator = args
    seen = []

    def watched(v):
        seen.append(float(effect(v)))
        return seen[-1]

    found, p = _against(watched, direction, count, generator)
    return found - sum(seen[1:]) / count, p


@wrong("against_random_directions", read="circuits-control")
def p_first(*args):
    """돌려주는 차례가 뒤바뀌었습니다. (효과, p)입니다."""
    return _against(*args)[::-1]


@wrong("against_random_directions", read="circuits-grading", slip=True)
def any_generator(effect, direction, count, generator):
    """generator를 쓰지 않았습니다. 난수는 거기서만 얻어야 같은 실험을 다시 할 수 있습니다."""
    return _against(effect, direction, count, None)


@wrong("against_random_directions", read="circuits-grading", slip=True)
def no_directions_welcome(effect, direction, count, generator):
    """count가 1보다 작을 때 ValueError를 내지 않았습니다. 대조가 없으면 읽을 것이 없습니다."""
    if count < 1:
        return float(effect(direction)), 1.0
    return _against(effect, direction, count, generator)


@wrong("against_random_directions", read="circuits-grading", slip=True)
def directions_of_another_type(*args):
    """무작위 방향의 자료형이 찾은 방향과 다릅니다. 같은 자료형과 장치로 바꾸어 주십시오."""
    return _against(*args, draw=lambda d, g: torch.randn(d.shape, generator=g),
                    length=lambda noise, d: noise / noise.norm() * d.norm().float())  # fmt: skip


@wrong("against_random_directions", read="circuits-grading", slip=True)
def direction_scaled_in_place(effect, direction, count, generator):
    """받은 방향을 제자리에서 고쳤습니다. 새 텐서를 만드십시오."""
    found = _against(effect, direction, count, generator)
    direction /= direction.norm()
    return found
