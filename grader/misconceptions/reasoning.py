"""Wrong answers that people give to the exercise `reasoning`."""

import math

import torch

from grader.judging.mistakes import right_answer, wrong

# completion_log_probs ---------------------------------------------------------------------------------------


def _up_to_the_first(ends):
    return ends.cumsum(dim=1) - ends.long() == 0


def _from(places, lengths):
    return places >= lengths[:, None]


def _log_softmax(logits, temperature):
    return (logits / temperature).log_softmax(dim=-1)


@right_answer("completion_log_probs")
def _log_probs(
    logits, ids, prompt_lengths, eos_id, temperature=1.0,
    *, written=_from, counted=_up_to_the_first, anywhere=False, score=_log_softmax, kept=torch.where,
    predict=lambda x: x[:, :-1], predicted=lambda x: x[:, 1:],
):  # fmt: skip
    """The right log probabilities, in parts that a mistake can replace."""
    if temperature <= 0:
        raise ValueError("temperature")
    places = torch.arange(ids.shape[1], device=ids.device)
    behind = written(places, prompt_lengths)
    ends = (ids == eos_id) & (behind | anywhere)
    mask = (behind & counted(ends))[:, 1:]
    found = predict(score(logits, temperature)).gather(-1, predicted(ids)[..., None])[..., 0]
    return kept(mask, found, torch.zeros_like(found)), mask


@wrong("completion_log_probs", read="reason-chosen")
def not_shifted(*args, **options):
    """로짓과 토큰을 밀지 않고 짝지었습니다. 위치 t - 1의 로짓이 위치 t의 토큰을 맞힙니다."""
    return _log_probs(*args, **options, predict=lambda x: x[:, 1:])


@wrong("completion_log_probs", read="reason-chosen")
def shifted_the_other_way(*args, **options):
    """거꾸로 밀었습니다. 로짓은 마지막 하나를, 토큰은 처음 하나를 버립니다."""
    return _log_probs(*args, **options, predict=lambda x: x[:, 1:], predicted=lambda x: x[:, :-1])


@wrong("completion_log_probs", read="reason-chosen")
def end_left_out(*args, **options):
    """끝 토큰을 세지 않았습니다. 멈추는 것도 모델이 고른 것입니다. 빼면 언제 멈출지를 배우지 못합니다."""
    return _log_probs(*args, **options, counted=lambda ends: ends.cumsum(dim=1) == 0)


@wrong("completion_log_probs", read="reason-chosen")
def ends_taken_for_padding(*args, **options):
    """끝 토큰과 번호가 같은 것만 빼고 모두 셌습니다. 채운 것을 토큰의 번호로 알아보면, 모델이 고른 끝 토큰까지 빠지고 그 뒤는 남습니다. 자리로 아십시오."""
    return _log_probs(*args, **options, counted=lambda ends: ~ends)


@wrong("completion_log_probs", read="reason-chosen")
def beyond_the_end(*args, **options):
    """끝 토큰 뒤에 채운 것까지 셌습니다. 모델이 고른 토큰은 처음 나온 끝 토큰까지입니다."""
    return _log_probs(*args, **options, counted=lambda ends: ends | True)


@wrong("completion_log_probs", read="reason-chosen")
def up_to_the_last_end(*args, **options):
    """마지막 끝 토큰까지 셌습니다. 처음 나온 끝 토큰에서 글이 끝납니다."""

    def counted(ends):
        later = ends.long().flip(1).cumsum(dim=1).flip(1)
        return (later > 0) | ~ends.any(dim=1, keepdim=True)

    return _log_probs(*args, **options, counted=counted)


@wrong("completion_log_probs", read="reason-chosen")
def nothing_without_an_end(*args, **options):
    """끝 토큰이 없는 글에서는 아무것도 고르지 않은 것이 되었습니다. 없는 것의 argmax는 0입니다. 끝이 없으면 마지막까지 모두 골랐습니다."""
    found, mask = _log_probs(*args, **options)
    _, ids, lengths, eos_id = args
    ended = (_from(torch.arange(ids.shape[1], device=ids.device), lengths) & (ids == eos_id)).any(
        dim=1, keepdim=True
    )
    return found * ended, mask & ended


@wrong("completion_log_probs", read="reason-chosen")
def ended_in_the_prompt(*args, **options):
    """물음 안의 끝 토큰에서 글이 끝났다고 보았습니다. 시작 토큰과 끝 토큰이 같은 번호인 모델도 있습니다. 물음 뒤에서 찾으십시오."""
    return _log_probs(*args, **options, anywhere=True)


@wrong("completion_log_probs", read="reason-chosen")
def prompt_counted(*args, **options):
    """물음의 토큰까지 셌습니다. 물음은 모델이 고르지 않았으므로 배울 것이 없습니다."""
    return _log_probs(*args, **options, written=lambda places, lengths: _from(places, 0 * lengths))


@wrong("completion_log_probs", read="reason-chosen")
def first_choice_missed(*args, **options):
    """첫 토큰을 빠뜨렸습니다. 물음이 p개이면 위치 p의 토큰부터 모델이 골랐고, 그것은 열 p - 1입니다."""
    return _log_probs(*args, **options, written=lambda places, lengths: _from(places, lengths + 1))


@wrong("completion_log_probs", read="reason-chosen")
def last_of_the_prompt(*args, **options):
    """물음의 마지막 토큰까지 골랐다고 셌습니다. 위치는 0부터이므로 위치 p부터가 모델이 쓴 것입니다."""
    return _log_probs(*args, **options, written=lambda places, lengths: _from(places, lengths - 1))


@wrong("completion_log_probs", read="reason-chosen")
def one_length_for_all(*args, **options):
    """모든 줄에 첫 줄의 물음 길이를 썼습니다. 물음의 길이는 줄마다 다릅니다."""
    return _log_probs(*args, **options, written=lambda places, lengths: _from(places, lengths[:1]))


@wrong("completion_log_probs", read="reason-chosen")
def probabilities(*args, **options):
    """로그를 취하지 않은 확률을 돌려주었습니다."""
    return _log_probs(*args, **options, score=lambda logits, t: (logits / t).softmax(dim=-1))


@wrong("completion_log_probs", read="reason-chosen")
def raw_logits(*args, **options):
    """로짓을 그대로 골랐습니다. 먼저 어휘에 걸쳐 log_softmax를 취하십시오."""
    return _log_probs(*args, **options, score=lambda logits, t: logits / t)


@wrong("completion_log_probs", read="reason-chosen")
def softmax_over_places(*args, **options):
    """소프트맥스를 위치에 걸쳐 취했습니다. 위치마다 어휘에 걸쳐, 곧 마지막 축으로 취합니다."""
    return _log_probs(*args, **options, score=lambda logits, t: (logits / t).log_softmax(dim=1))


@wrong("completion_log_probs", read="reason-chosen")
def sign_changed(*args, **options):
    """부호가 반대입니다. 손실이 아니라 로그 확률이므로 0보다 클 수 없습니다."""
    return _log_probs(*args, **options, score=lambda logits, t: -_log_softmax(logits, t))


@wrong("completion_log_probs", read="reason-chosen")
def everything_kept(*args, **options):
    """고르지 않은 자리의 로그 확률이 남아 있습니다. 0으로 두십시오. 더하면 물음과 채운 것까지 더해집니다."""
    return _log_probs(*args, **options, kept=lambda mask, found, zero: found)


@wrong("completion_log_probs", read="reason-chosen", slip=True)
def without_the_temperature(*args, **options):
    """온도로 나누지 않았습니다. 글을 쓴 것은 온도로 나눈 분포입니다. 다른 분포의 확률로 배우면 기울기가 치우칩니다."""
    return _log_probs(*args, **options, score=lambda logits, t: logits.log_softmax(dim=-1))


@wrong("completion_log_probs", read="reason-chosen", slip=True)
def times_the_temperature(*args, **options):
    """온도를 곱했습니다. 로짓을 온도로 나누십시오."""
    return _log_probs(*args, **options, score=lambda logits, t: (logits * t).log_softmax(dim=-1))


@wrong("completion_log_probs", read="reason-chosen", slip=True)
def cooled_afterwards(*args, **options):
    """로그 확률을 구한 다음에 온도로 나누었습니다. 그러면 확률의 합이 1이 아닙니다. 로짓을 나누십시오."""
    return _log_probs(*args, **options, score=lambda logits, t: logits.log_softmax(dim=-1) / t)


@wrong("completion_log_probs", read="reason-grading", slip=True)
def log_of_softmax(*args, **options):
    """소프트맥스를 취한 다음 로그를 취했습니다. 큰 로짓에서 확률이 0이 되어 음의 무한대가 나옵니다. log_softmax를 쓰십시오."""
    return _log_probs(*args, **options, score=lambda logits, t: (logits / t).softmax(dim=-1).log())


@wrong("completion_log_probs", read="reason-grading", slip=True)
def any_temperature(logits, ids, prompt_lengths, eos_id, temperature=1.0):
    """0이나 음수인 온도를 받아들였습니다. ValueError를 내십시오."""
    return _log_probs(logits, ids, prompt_lengths, eos_id, temperature if temperature > 0 else 1.0)


@wrong("completion_log_probs", read="reason-grading", slip=True)
def mask_in_numbers(*args, **options):
    """마스크가 bool이 아닙니다."""
    found, mask = _log_probs(*args, **options)
    return found, mask.long()


# group_advantages -------------------------------------------------------------------------------------------


def _mean(rewards):
    return rewards.mean(dim=-1, keepdim=True)


def _deviation(rewards):
    return (rewards - _mean(rewards)).square().mean(dim=-1, keepdim=True).sqrt()


def _equal(rewards):
    return rewards.amax(dim=-1, keepdim=True) == rewards.amin(dim=-1, keepdim=True)


@right_answer("group_advantages")
def _advantages(rewards, *, baseline=_mean, scale=_deviation, equal=_equal):
    """The right advantages, in parts that a mistake can replace."""
    centred = rewards - baseline(rewards)
    divisor = torch.where(equal(rewards), torch.ones_like(centred), scale(rewards))
    return torch.where(equal(rewards), torch.zeros_like(centred), centred / divisor)


@wrong("group_advantages", read="reason-group")
def mean_of_all(rewards):
    """모든 물음의 평균을 뺐습니다. 쉬운 물음의 틀린 답이 어려운 물음의 맞은 답만큼 좋아 보입니다. 무리마다 평균을 구하십시오."""
    return _advantages(rewards, baseline=lambda r: r.mean())


@wrong("group_advantages", read="reason-group")
def deviation_of_all(rewards):
    """모든 물음의 표준편차로 나누었습니다. 무리마다 따로 구하십시오."""
    return _advantages(rewards, scale=lambda r: r.std(correction=0).expand_as(r))


@wrong("group_advantages", read="reason-group")
def mean_and_deviation_of_all(rewards):
    """모든 물음의 보상을 한데 모아 평균과 표준편차를 구했습니다. 둘 다 무리마다 따로 구해야 같은 물음의 답끼리 비교합니다."""
    return _advantages(rewards, baseline=lambda r: r.mean(), scale=lambda r: r.std().expand_as(r))


@wrong("group_advantages", read="reason-group")
def other_axis(rewards):
    """무리의 축이 다릅니다. 무리는 마지막 축입니다."""
    if rewards.dim() < 2:
        return _advantages(rewards)
    return _advantages(rewards.transpose(-2, -1)).transpose(-2, -1)


@wrong("group_advantages", read="reason-group")
def not_divided(rewards):
    """표준편차로 나누지 않았습니다."""
    return _advantages(rewards, scale=torch.ones_like)


@wrong("group_advantages", read="reason-group")
def not_centred(rewards):
    """평균을 빼지 않았습니다. 보상이 0과 1뿐이면 틀린 답에서는 아무것도 배우지 못합니다."""
    return _advantages(rewards, baseline=torch.zeros_like)


@wrong("group_advantages", read="reason-group")
def one_less(rewards):
    """표준편차를 G - 1로 나누어 구했습니다. 여기서는 G로 나눕니다(correction=0)."""
    return _advantages(
        rewards, scale=lambda r: _deviation(r) * math.sqrt(r.shape[-1] / max(r.shape[-1] - 1, 1))
    )


@wrong("group_advantages", read="reason-group")
def over_the_variance(rewards):
    """분산으로 나누었습니다. 제곱근을 취한 표준편차로 나누십시오."""
    return _advantages(rewards, scale=lambda r: _deviation(r).square())


@wrong("group_advantages", read="reason-group")
def upside_down(rewards):
    """부호가 반대입니다. 평균보다 나은 답의 이점이 양수여야 합니다."""
    return -_advantages(rewards)


@wrong("group_advantages", read="reason-group")
def against_the_best(rewards):
    """가장 큰 보상을 뺐습니다. 모든 이점이 0보다 작거나 같아집니다. 평균을 빼십시오."""
    return _advantages(rewards, baseline=lambda r: r.amax(dim=-1, keepdim=True))


@wrong("group_advantages", read="reason-group")
def against_the_median(rewards):
    """가운데 값을 뺐습니다. 평균을 빼십시오."""
    return _advantages(rewards, baseline=lambda r: r.median(dim=-1, keepdim=True).values)


@wrong("group_advantages", read="reason-group")
def against_the_others(rewards):
    """자기를 뺀 나머지의 평균을 뺐습니다(leave-one-out). 그것도 좋은 기준선이지만, 여기서는 자기도 넣은 무리의 평균입니다."""
    size = rewards.shape[-1]
    return _advantages(rewards, baseline=lambda r: (r.sum(dim=-1, keepdim=True) - r) / max(size - 1, 1))


@wrong("group_advantages", read="reason-group")
def about_zero(rewards):
    """평균을 빼지 않은 보상의 제곱평균제곱근으로 나누었습니다. 표준편차는 평균에서 떨어진 만큼입니다."""
    return _advantages(rewards, scale=lambda r: r.square().mean(dim=-1, keepdim=True).sqrt())


@wrong("group_advantages", read="reason-group")
def absolute_deviation(rewards):
    """떨어진 만큼의 절댓값을 평균해 나누었습니다. 제곱해 평균한 것의 제곱근이 표준편차입니다."""
    return _advantages(rewards, scale=lambda r: (r - _mean(r)).abs().mean(dim=-1, keepdim=True))


@wrong("group_advantages", read="reason-group")
def ranks(rewards):
    """보상 대신 순위를 썼습니다. 보상의 차이가 사라집니다."""
    return _advantages(rewards.argsort(dim=-1).argsort(dim=-1).to(rewards))


@wrong("group_advantages", read="reason-group")
def between_nought_and_one(rewards):
    """가장 작은 보상을 0, 가장 큰 보상을 1로 옮겼습니다. 평균을 빼고 표준편차로 나누십시오."""
    low, high = rewards.amin(dim=-1, keepdim=True), rewards.amax(dim=-1, keepdim=True)
    return _advantages(rewards, baseline=lambda r: low, scale=lambda r: high - low)


@wrong("group_advantages", read="reason-edges", slip=True)
def nothing_over_nothing(rewards):
    """보상이 모두 같은 무리에서 0을 0으로 나누어 NaN이 되었습니다. 그 이점은 0입니다."""
    return (rewards - _mean(rewards)) / _deviation(rewards)


@wrong("group_advantages", read="reason-edges", slip=True)
def something_added(rewards):
    """표준편차에 작은 수를 더했습니다. 보상이 작은 단위로 적혀 있으면 이점이 줄어듭니다. 보상이 모두 같을 때만 따로 다루십시오."""
    return _advantages(rewards, scale=lambda r: _deviation(r) + 1e-6)


@wrong("group_advantages", read="reason-edges", slip=True)
def equal_after_rounding(rewards):
    """표준편차가 꼭 0인지 보았습니다. 0.1 셋의 평균은 반올림 때문에 0.1이 아니고, 그 오차를 오차로 나누면 1쯤이 됩니다. 가장 큰 보상과 가장 작은 보상이 같은지 보십시오."""
    return _advantages(rewards, equal=lambda r: _deviation(r) == 0)


@wrong("group_advantages", read="reason-edges", slip=True)
def from_sums_of_squares(rewards):
    """분산을 제곱의 평균에서 평균의 제곱을 빼어 구했습니다. 보상이 모두 0에서 멀면 큰 수끼리 빼며 자릿수를 잃습니다. 평균을 먼저 빼고 제곱하십시오."""
    return _advantages(
        rewards,
        scale=lambda r: (r.square().mean(dim=-1, keepdim=True) - _mean(r).square()).clamp(min=0).sqrt(),
    )


@wrong("group_advantages", read="reason-grading", slip=True)
def rewards_changed(rewards):
    """받은 텐서를 바꾸었습니다. 제자리에서 빼지 마십시오(-=)."""
    found = _advantages(rewards)
    rewards -= _mean(rewards)
    return found


# clipped_loss -----------------------------------------------------------------------------------------------


def _ratio(new, old):
    return (new - old).exp()


def _smaller(ratio, advantage, low, high):
    return torch.minimum(ratio * advantage, ratio.clamp(1 - low, 1 + high) * advantage)


def _by_completion(gain, mask):
    return ((gain * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)).mean()


@right_answer("clipped_loss")
def _loss(
    log_probs, old_log_probs, advantages, mask, low=0.2, high=0.2,
    *, ratio=_ratio, gain=_smaller, mean=_by_completion, fixed=torch.Tensor.detach, used=None,
):  # fmt: skip
    """The right loss, in parts that a mistake can replace."""
    used = mask if used is None else used
    new, old = (x.masked_fill(~used, 0) for x in (log_probs, fixed(old_log_probs)))
    return -mean(gain(ratio(new, old), advantages[:, None], low, high), mask)


@wrong("clipped_loss", read="reason-clip")
def sign_of_the_loss(*args, **options):
    """부호가 반대입니다. 크게 할 것에 음의 부호를 붙여야 줄일 손실이 됩니다."""
    return -_loss(*args, **options)


@wrong("clipped_loss", read="reason-clip")
def never_clipped(*args, **options):
    """자르지 않았습니다. 같은 글로 여러 번 배우면 정책이 얼마든지 멀어집니다."""
    return _loss(*args, **options, gain=lambda ratio, advantage, low, high: ratio * advantage)


@wrong("clipped_loss", read="reason-clip")
def always_clipped(*args, **options):
    """자른 것만 썼습니다. 자르지 않은 것과 비교해 작은 쪽을 쓰지 않으면, 나쁜 쪽으로 멀리 간 토큰이 돌아올 기울기를 잃습니다."""
    return _loss(
        *args, **options, gain=lambda ratio, advantage, low, high: ratio.clamp(1 - low, 1 + high) * advantage
    )


@wrong("clipped_loss", read="reason-clip")
def the_larger(*args, **options):
    """둘 가운데 큰 쪽을 썼습니다. 작은 쪽이라야 더 얻을 것이 없습니다. 손실로 바꾼 다음에는 큰 쪽입니다."""

    def gain(ratio, advantage, low, high):
        return torch.maximum(ratio * advantage, ratio.clamp(1 - low, 1 + high) * advantage)

    return _loss(*args, **options, gain=gain)


@wrong("clipped_loss", read="reason-clip")
def the_larger_made_small(*args, **options):
    """둘 가운데 큰 쪽을 그대로 손실로 썼습니다. 작은 쪽을 크게 하는 것은 큰 쪽을 작게 하는 것이 아닙니다. 작은 쪽에 음의 부호를 붙이십시오."""
    return -the_larger(*args, **options)


@wrong("clipped_loss", read="reason-clip")
def clipped_before_the_advantage(*args, **options):
    """비끼리 작은 쪽을 고른 다음에 이점을 곱했습니다. 이점이 음수이면 반대가 됩니다. 이점을 곱한 다음에 비교하십시오."""

    def gain(ratio, advantage, low, high):
        return torch.minimum(ratio, ratio.clamp(1 - low, 1 + high)) * advantage

    return _loss(*args, **options, gain=gain)


@wrong("clipped_loss", read="reason-clip")
def gain_clipped(*args, **options):
    """비가 아니라 이점을 곱한 것을 잘랐습니다. 한계는 비에 있습니다."""

    def gain(ratio, advantage, low, high):
        return torch.minimum(ratio * advantage, (ratio * advantage).clamp(1 - low, 1 + high))

    return _loss(*args, **options, gain=gain)


@wrong("clipped_loss", read="reason-clip")
def clipped_about_zero(*args, **options):
    """비를 -low에서 high까지로 잘랐습니다. 두 정책이 같을 때의 비는 1이므로 1의 둘레에서 자릅니다."""

    def gain(ratio, advantage, low, high):
        return torch.minimum(ratio * advantage, ratio.clamp(-low, high) * advantage)

    return _loss(*args, **options, gain=gain)


@wrong("clipped_loss", read="reason-clip")
def ratio_upside_down(*args, **options):
    """비를 뒤집었습니다. 지금의 정책을 옛 정책으로 나눕니다."""
    return _loss(*args, **options, ratio=lambda new, old: (old - new).exp())


@wrong("clipped_loss", read="reason-clip")
def difference_of_logs(*args, **options):
    """로그 확률의 차를 비로 썼습니다. exp를 취하십시오."""
    return _loss(*args, **options, ratio=lambda new, old: new - old)


@wrong("clipped_loss", read="reason-clip")
def quotient_of_logs(*args, **options):
    """로그 확률을 로그 확률로 나누었습니다. 확률의 비는 로그 확률의 차에 exp를 취한 것입니다."""
    return _loss(*args, **options, ratio=lambda new, old: new / old.clamp(max=-1e-3))


@wrong("clipped_loss", read="reason-clip")
def without_a_ratio(*args, **options):
    """비 대신 로그 확률에 이점을 곱했습니다. 옛 정책이 쓴 글이므로 비로 고쳐야 합니다."""
    return _loss(*args, **options, gain=lambda ratio, advantage, low, high: ratio.log() * advantage)


@wrong("clipped_loss", read="reason-clip")
def ratio_to_itself(*args, **options):
    """지금의 로그 확률을 자기 자신에서 뺐습니다. 비가 늘 1이라 자를 것이 없습니다. 글을 쓴 옛 정책의 로그 확률을 빼십시오."""
    return _loss(*args, **options, ratio=lambda new, old: (new - new.detach()).exp())


@wrong("clipped_loss", read="reason-clip")
def ratio_of_whole_texts(log_probs, old_log_probs, advantages, mask, low=0.2, high=0.2):
    """글 전체의 비를 하나 구했습니다. 여기서는 토큰마다 비를 구해 토큰마다 자릅니다."""

    def ratio(new, old):
        return ((new - old) * mask).sum(dim=1, keepdim=True).exp().expand_as(new)

    return _loss(log_probs, old_log_probs, advantages, mask, low, high, ratio=ratio)


@wrong("clipped_loss", read="reason-clip")
def mean_of_all_tokens(*args, **options):
    """모든 글의 토큰을 한데 모아 평균했습니다. 긴 글의 몫이 커집니다. 글마다 평균한 다음 글에 걸쳐 평균하십시오."""
    return _loss(*args, **options, mean=lambda gain, mask: (gain * mask).sum() / mask.sum().clamp(min=1))


@wrong("clipped_loss", read="reason-clip")
def sum_of_tokens(*args, **options):
    """글 안에서 더하기만 하고 토큰의 수로 나누지 않았습니다."""
    return _loss(*args, **options, mean=lambda gain, mask: (gain * mask).sum(dim=1).mean())


@wrong("clipped_loss", read="reason-edges", slip=True)
def texts_of_no_advantage_left_out(log_probs, old_log_probs, advantages, mask, low=0.2, high=0.2):
    """이점이 0인 글을 글의 수에서 뺐습니다. 배울 것이 없는 글도 나누는 수에 듭니다."""
    useful = (advantages != 0).sum().clamp(min=1)
    return _loss(log_probs, old_log_probs, advantages, mask, low, high) * len(advantages) / useful


@wrong("clipped_loss", read="reason-clip")
def sum_of_texts(*args, **options):
    """글에 걸쳐 평균하지 않고 더했습니다."""
    return _loss(*args, **options, mean=lambda gain, mask: _by_completion(gain, mask) * len(mask))


@wrong("clipped_loss", read="reason-edges")
def mask_forgotten(log_probs, old_log_probs, advantages, mask, low=0.2, high=0.2):
    """mask를 쓰지 않았습니다. 고르지 않은 토큰까지 세었습니다."""
    return _loss(log_probs, old_log_probs, advantages, torch.ones_like(mask), low, high)


@wrong("clipped_loss", read="reason-edges")
def padding_in_the_mean(*args, **options):
    """토큰의 수로 n을 썼습니다. 고른 토큰의 수로 나누십시오. 짧은 글의 몫이 작아집니다."""
    return _loss(*args, **options, mean=lambda gain, mask: (gain * mask).mean())


@wrong("clipped_loss", read="reason-clip", slip=True)
def one_bound(log_probs, old_log_probs, advantages, mask, low=0.2, high=0.2):
    """아래와 위의 한계에 같은 수를 썼습니다. low와 high는 따로입니다."""
    return _loss(log_probs, old_log_probs, advantages, mask, low, low)


@wrong("clipped_loss", read="reason-edges", slip=True)
def masked_afterwards(log_probs, old_log_probs, advantages, mask, low=0.2, high=0.2):
    """비를 구한 다음에 0을 곱해 지웠습니다. 고르지 않은 자리가 음의 무한대이면 NaN이 됩니다. 로그 확률의 차를 먼저 0으로 두십시오."""
    everywhere = torch.ones_like(mask)
    return _loss(log_probs, old_log_probs, advantages, mask, low, high, used=everywhere)


@wrong("clipped_loss", read="reason-clip", slip=True)
def bounds_swapped(log_probs, old_log_probs, advantages, mask, low=0.2, high=0.2):
    """아래와 위의 한계가 뒤바뀌었습니다. 비는 1 - low에서 1 + high까지입니다."""
    return _loss(log_probs, old_log_probs, advantages, mask, high, low)


@wrong("clipped_loss", read="reason-edges", slip=True)
def chosen_after_exp(log_probs, old_log_probs, advantages, mask, low=0.2, high=0.2):
    """비를 구한 다음에 고른 자리만 남겼습니다(`torch.where`). 손실은 맞지만, 고르지 않은 자리가 무한대이면 기울기가 NaN입니다. 로그 확률의 차를 먼저 0으로 두십시오."""
    gain = _smaller(_ratio(log_probs, old_log_probs.detach()), advantages[:, None], low, high)
    return -_by_completion(torch.where(mask, gain, torch.zeros_like(gain)), mask)


@wrong("clipped_loss", read="reason-clip", slip=True)
def policy_does_not_move(log_probs, *args, **options):
    """지금의 정책의 로그 확률을 떼어 냈습니다. 기울기가 흐르지 않으면 아무것도 배우지 않습니다. 떼어 낼 것은 옛 로그 확률뿐입니다."""
    return _loss(log_probs.detach(), *args, **options)


@wrong("clipped_loss", read="reason-edges", slip=True)
def empty_over_nothing(*args, **options):
    """고른 토큰이 없는 글에서 0으로 나누었습니다. 그 글의 몫은 0입니다."""
    return _loss(
        *args, **options, mean=lambda gain, mask: ((gain * mask).sum(dim=1) / mask.sum(dim=1)).mean()
    )


@wrong("clipped_loss", read="reason-grading", slip=True)
def old_learns_too(*args, **options):
    """옛 로그 확률로도 기울기가 흐릅니다. 글을 쓴 정책은 움직이지 않습니다(detach)."""
    return _loss(*args, **options, fixed=lambda old: old)


# k3_divergence ----------------------------------------------------------------------------------------------


@right_answer("k3_divergence")
def _k3(log_probs, reference_log_probs, *, of=lambda d: d.expm1() - d, fixed=torch.Tensor.detach):
    """The right estimate, in parts that a mistake can replace."""
    return of(fixed(reference_log_probs) - log_probs)


@wrong("k3_divergence", read="reason-kl")
def turned_round(log_probs, reference_log_probs):
    """d의 부호가 반대입니다. 기준의 로그 확률에서 정책의 것을 뺍니다. 정책에서 뽑은 토큰으로는 이렇게 해야 KL이 됩니다."""
    return _k3(log_probs, reference_log_probs, of=lambda d: (-d).expm1() + d)


@wrong("k3_divergence", read="reason-kl")
def k1(log_probs, reference_log_probs):
    """로그 확률의 차만 썼습니다(k1). 평균은 맞지만 토큰마다 음수가 되기도 하고 흔들림이 큽니다."""
    return _k3(log_probs, reference_log_probs, of=lambda d: -d)


@wrong("k3_divergence", read="reason-kl")
def k1_turned_round(log_probs, reference_log_probs):
    """기준의 로그 확률에서 정책의 것을 빼기만 했습니다. 그 평균은 KL의 부호를 바꾼 것입니다."""
    return _k3(log_probs, reference_log_probs, of=lambda d: d)


@wrong("k3_divergence", read="reason-kl")
def k2(log_probs, reference_log_probs):
    """차의 제곱의 절반을 썼습니다(k2). 음수는 아니지만 두 모델이 멀면 평균이 KL과 다릅니다."""
    return _k3(log_probs, reference_log_probs, of=lambda d: d.square() / 2)


@wrong("k3_divergence", read="reason-kl")
def squared(log_probs, reference_log_probs):
    """차를 제곱했습니다. 그 평균은 KL이 아닙니다."""
    return _k3(log_probs, reference_log_probs, of=torch.square)


@wrong("k3_divergence", read="reason-kl")
def absolute(log_probs, reference_log_probs):
    """차의 절댓값을 썼습니다. 음수를 없애려다 평균이 달라졌습니다."""
    return _k3(log_probs, reference_log_probs, of=torch.abs)


@wrong("k3_divergence", read="reason-kl")
def cut_at_zero(log_probs, reference_log_probs):
    """음수를 0으로 잘랐습니다. 평균이 KL보다 커집니다."""
    return _k3(log_probs, reference_log_probs, of=lambda d: (-d).clamp(min=0))


@wrong("k3_divergence", read="reason-kl")
def one_forgotten(log_probs, reference_log_probs):
    """1을 빼지 않았습니다. 두 모델이 같으면 0이어야 합니다."""
    return _k3(log_probs, reference_log_probs, of=lambda d: d.exp() - d)


@wrong("k3_divergence", read="reason-kl")
def added(log_probs, reference_log_probs):
    """d를 빼지 않고 더했습니다. d가 0일 때 기울기가 0이 아니고, 음수가 나옵니다."""
    return _k3(log_probs, reference_log_probs, of=lambda d: d.expm1() + d)


@wrong("k3_divergence", read="reason-kl")
def ratio_less_one(log_probs, reference_log_probs):
    """비에서 1만 뺐습니다. 그것을 정책에 걸쳐 평균하면 언제나 0입니다. d도 빼야 KL이 됩니다."""
    return _k3(log_probs, reference_log_probs, of=torch.expm1)


@wrong("k3_divergence", read="reason-kl")
def the_ratio(log_probs, reference_log_probs):
    """두 확률의 비를 돌려주었습니다."""
    return _k3(log_probs, reference_log_probs, of=torch.exp)


@wrong("k3_divergence", read="reason-kl")
def exp_of_the_ratio(log_probs, reference_log_probs):
    """d가 있을 자리에 두 확률의 비를 넣었습니다. d는 로그 확률의 차이고, 비는 그 exp입니다."""
    return _k3(log_probs, reference_log_probs, of=lambda d: d.exp().expm1() - d.exp())


@wrong("k3_divergence", read="reason-kl")
def weighed_again(log_probs, reference_log_probs):
    """토큰의 확률을 곱했습니다. 토큰을 정책에서 뽑았으므로 이미 그 확률만큼 나옵니다."""
    return log_probs.exp() * _k3(log_probs, reference_log_probs)


@wrong("k3_divergence", read="reason-kl")
def term_of_the_sum(log_probs, reference_log_probs):
    """KL의 정의에 있는 한 항을 그대로 썼습니다. 뽑은 토큰에서는 확률이 이미 곱해져 있습니다."""
    return _k3(log_probs, reference_log_probs, of=lambda d: -d * log_probs.exp())


@wrong("k3_divergence", read="reason-kl")
def bits(log_probs, reference_log_probs):
    """밑이 2인 로그로 바꾸었습니다. 로그 확률은 자연로그 그대로 씁니다."""
    return _k3(log_probs, reference_log_probs) / math.log(2)


@wrong("k3_divergence", read="reason-kl")
def averaged_already(log_probs, reference_log_probs):
    """평균한 수 하나를 돌려주었습니다. 토큰마다 하나씩, 입력과 같은 모양입니다."""
    return _k3(log_probs, reference_log_probs).mean()


@wrong("k3_divergence", read="reason-kl")
def one_taken_twice(log_probs, reference_log_probs):
    """1을 두 번 뺐습니다. `torch.expm1(d)`가 이미 e^d - 1이므로 d만 더 빼십시오."""
    return _k3(log_probs, reference_log_probs, of=lambda d: d.expm1() - d - 1)


@wrong("k3_divergence", read="reason-edges", slip=True)
def digits_lost(log_probs, reference_log_probs):
    """두 모델이 거의 같을 때 e^d에서 1을 빼며 자릿수를 잃었습니다. torch.expm1을 쓰십시오."""
    return _k3(log_probs, reference_log_probs, of=lambda d: d.exp() - d - 1)


@wrong("k3_divergence", read="reason-grading", slip=True)
def reference_learns_too(log_probs, reference_log_probs):
    """기준의 로그 확률로도 기울기가 흐릅니다. 기준을 움직여 KL을 줄일 수 있게 됩니다(detach)."""
    return _k3(log_probs, reference_log_probs, fixed=lambda reference: reference)


@wrong("k3_divergence", read="reason-grading", slip=True)
def policy_does_not_learn(log_probs, reference_log_probs):
    """정책의 로그 확률을 떼어 냈습니다. 기울기가 흘러야 기준 쪽으로 당깁니다."""
    return _k3(log_probs.detach(), reference_log_probs)


# pass_at_k --------------------------------------------------------------------------------------------------


def _without_replacement(n, c, k):
    return 1 - math.comb(n - c, k) / math.comb(n, k)


@right_answer("pass_at_k")
def _passed(right, k, *, chance=_without_replacement):
    """The right estimate, its formula open to a mistake."""
    n = right.shape[1]
    if not 1 <= k <= n:
        raise ValueError("no such k")
    return float(sum(chance(n, c, k) for c in right.sum(dim=1).tolist()) / len(right))


@wrong("pass_at_k", read="reason-tries")
def with_replacement(right, k):
    """맞은 비율 p로 1 - (1 - p)^k를 구했습니다. n이 작으면 참값보다 작게 치우칩니다. 되돌려 넣지 않고 뽑는 경우를 세십시오."""
    return _passed(right, k, chance=lambda n, c, k: 1 - (1 - c / n) ** k)


@wrong("pass_at_k", read="reason-tries")
def share_of_right(right, k):
    """맞은 비율을 돌려주었습니다. 그것은 pass@1입니다."""
    return _passed(right, k, chance=lambda n, c, k: c / n)


@wrong("pass_at_k", read="reason-tries")
def any_at_all(right, k):
    """n개 가운데 하나라도 맞았는지만 보았습니다. k개만 뽑았을 때의 확률입니다."""
    return _passed(right, k, chance=lambda n, c, k: float(c > 0))


@wrong("pass_at_k", read="reason-tries")
def first_k(right, k):
    """앞의 k개만 보았습니다. 치우치지는 않지만 나머지를 버려 크게 흔들립니다. k개를 고르는 모든 경우를 세십시오."""
    _passed(right, k)
    return right[:, :k].any(dim=1).double().mean().item()


@wrong("pass_at_k", read="reason-tries")
def never_right(right, k):
    """하나도 맞지 않을 확률을 돌려주었습니다. 1에서 빼십시오."""
    return _passed(right, k, chance=lambda n, c, k: math.comb(n - c, k) / math.comb(n, k))


@wrong("pass_at_k", read="reason-tries")
def all_k_right(right, k):
    """k개가 모두 맞을 확률입니다. 하나라도 맞으면 됩니다."""
    return _passed(right, k, chance=lambda n, c, k: math.comb(c, k) / math.comb(n, k))


@wrong("pass_at_k", read="reason-tries")
def not_all_right(right, k):
    """k개가 모두 맞지는 않을 확률을 구했습니다. 빼야 할 것은 모두 틀릴 확률이므로 틀린 것 n - c개에서 고릅니다."""
    return _passed(right, k, chance=lambda n, c, k: 1 - math.comb(c, k) / math.comb(n, k))


@wrong("pass_at_k", read="reason-tries")
def k_times(right, k):
    """맞은 비율에 k를 곱했습니다. 두 번 다 맞는 경우가 두 번 세어집니다."""
    return _passed(right, k, chance=lambda n, c, k: min(1.0, k * c / n))


@wrong("pass_at_k", read="reason-tries")
def at_least_k(right, k):
    """k개 넘게 맞았는지를 보았습니다."""
    return _passed(right, k, chance=lambda n, c, k: float(c >= k))


@wrong("pass_at_k", read="reason-tries")
def exactly_one(right, k):
    """꼭 하나만 맞을 확률을 구했습니다. 둘 이상 맞아도 됩니다."""
    return _passed(right, k, chance=lambda n, c, k: c * math.comb(n - c, k - 1) / math.comb(n, k))


@wrong("pass_at_k", read="reason-tries")
def questions_pooled(right, k):
    """모든 물음의 글을 한데 모아 뽑았습니다. 쉬운 물음 하나가 어려운 물음을 가립니다. 물음마다 구해 평균하십시오."""
    _passed(right, k)
    return _without_replacement(right.numel(), int(right.sum()), k)


@wrong("pass_at_k", read="reason-tries")
def formula_of_the_mean(right, k):
    """맞은 비율을 물음에 걸쳐 먼저 평균하고 식에 넣었습니다. 식이 굽어 있으므로 물음마다 구한 다음 평균해야 합니다."""
    _passed(right, k)
    share, n = right.double().mean().item(), right.shape[1]
    return 1 - math.prod(max(n - share * n - i, 0) / (n - i) for i in range(k))


@wrong("pass_at_k", read="reason-tries")
def right_in_order(right, k):
    """조합의 위와 아래가 뒤섞였습니다. n개에서 k개를 고르는 수로 나눕니다."""
    return _passed(right, k, chance=lambda n, c, k: 1 - math.comb(n - k, c) / max(math.comb(n, k), 1))


@wrong("pass_at_k", read="reason-tries")
def few_wrong_count_as_none(right, k):
    """틀린 것이 k개보다 적을 때 0을 냈습니다. 그때는 무엇을 뽑아도 맞은 것이 있으므로 1입니다."""
    return _passed(right, k, chance=lambda n, c, k: 0.0 if n - c < k else _without_replacement(n, c, k))


@wrong("pass_at_k", read="reason-edges", slip=True)
def overflown(right, k):
    """계승을 실수로 구해 n이 크면 넘쳤습니다. math.comb의 정수를 쓰거나 비를 하나씩 곱하십시오."""

    def choose(n, k):
        return (
            math.prod(float(n - i) for i in range(k)) / math.prod(float(i + 1) for i in range(k))
            if n >= k
            else 0.0
        )

    return _passed(right, k, chance=lambda n, c, k: 1 - choose(n - c, k) / choose(n, k))


@wrong("pass_at_k", read="reason-grading", slip=True)
def any_k(right, k):
    """1보다 작거나 n보다 큰 k를 받아들였습니다. ValueError를 내십시오."""
    return _passed(right, min(max(k, 1), right.shape[1]))


@wrong("pass_at_k", read="reason-grading", slip=True)
def in_a_tensor(right, k):
    """텐서를 돌려주었습니다. 파이썬의 float입니다."""
    return torch.tensor(_passed(right, k), dtype=torch.float64)
