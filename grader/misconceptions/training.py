"""Wrong answers that people give to the exercise `training`."""

import itertools
import random

import torch

from grader.judging.mistakes import wrong

# noam_lr ----------------------------------------------------------------------------------------------------


@wrong("noam_lr", read="noam-step-zero", slip=True)
def divides_by_zero(step, d_model, warmup):
    """step이 0이면 0의 -0.5제곱을 계산하다 멈춥니다. 0걸음은 1걸음으로 셉니다."""
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


@wrong("noam_lr", read="noam-step-zero", slip=True)
def nothing_at_step_zero(step, d_model, warmup):
    """0걸음의 학습률을 0으로 두었습니다. 그 걸음에서는 아무것도 배우지 않습니다. 1걸음의 값을 돌려주십시오."""
    return divides_by_zero(step, d_model, warmup) if step else 0.0


@wrong("noam_lr", read="noam-step-zero")
def every_step_one_later(step, d_model, warmup):
    """걸음마다 1을 더했습니다. 1로 바꿀 것은 0걸음뿐이고, 꼭대기는 warmup걸음입니다."""
    return divides_by_zero(step + 1, d_model, warmup)


@wrong("noam_lr", read="noam-schedule")
def larger_of_the_two(step, d_model, warmup):
    """두 식 가운데 큰 쪽을 골랐습니다. 처음이 가장 크고 내려갔다가 다시 올라갑니다. min을 쓰십시오."""
    step = max(step, 1)
    return d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)


@wrong("noam_lr", read="noam-schedule")
def never_decays(step, d_model, warmup):
    """워밍업이 끝난 뒤 내려가지 않습니다. 걸음의 제곱근에 반비례해 줄어야 합니다."""
    return d_model**-0.5 * min(warmup**-0.5, max(step, 1) * warmup**-1.5)


@wrong("noam_lr", read="noam-schedule")
def no_warmup(step, d_model, warmup):
    """워밍업이 없습니다. 첫 걸음부터 학습률이 가장 큽니다."""
    return d_model**-0.5 * min(warmup**-0.5, max(step, 1) ** -0.5)


@wrong("noam_lr", read="noam-schedule")
def lines_that_do_not_meet(step, d_model, warmup):
    """warmup의 지수가 -0.5입니다. 두 식이 warmup걸음에서 만나려면 -1.5여야 합니다."""
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup**-0.5)


@wrong("noam_lr", read="noam-schedule")
def decays_too_fast(step, d_model, warmup):
    """걸음에 반비례해 너무 빨리 내려갑니다. 걸음의 제곱근에 반비례해야 합니다 (-1이 아니라 -0.5제곱)."""
    step = max(step, 1)
    return (d_model * warmup) ** -0.5 * min(warmup / step, step / warmup)


@wrong("noam_lr", read="noam-schedule")
def times_root_of_d_model(step, d_model, warmup):
    """d_model의 제곱근을 곱했습니다. 큰 모델일수록 학습률은 작아야 하므로 나눕니다 (-0.5제곱)."""
    step = max(step, 1)
    return d_model**0.5 * min(step**-0.5, step * warmup**-1.5)


@wrong("noam_lr", read="noam-schedule")
def forgets_d_model(step, d_model, warmup):
    """d_model을 쓰지 않았습니다. d_model의 -0.5제곱을 곱하십시오."""
    step = max(step, 1)
    return min(step**-0.5, step * warmup**-1.5)


@wrong("noam_lr", read="noam-schedule")
def swaps_d_model_and_warmup(step, d_model, warmup):
    """d_model과 warmup의 자리가 바뀌었습니다. 걸음에 곱하는 것은 warmup의 -1.5제곱이고, d_model의 -0.5제곱은 전체에 곱합니다."""
    return divides_by_zero(max(step, 1), warmup, d_model)


@wrong("noam_lr", read="noam-schedule")
def scales_one_side(step, d_model, warmup):
    """d_model의 -0.5제곱을 두 식 가운데 하나에만 곱했습니다. 작은 쪽을 고른 다음 곱하십시오."""
    step = max(step, 1)
    return min(d_model**-0.5 * step**-0.5, step * warmup**-1.5)


@wrong("noam_lr", read="noam-schedule")
def counts_anew_after_warmup(step, d_model, warmup):
    """워밍업이 끝난 뒤 걸음을 다시 1부터 세었습니다. 내려가는 식에도 처음부터 센 걸음을 넣으십시오."""
    peak = (d_model * warmup) ** -0.5
    return peak * (max(step, 1) / warmup if step <= warmup else (step - warmup + 1) ** -0.5)


@wrong("noam_lr", read="noam-schedule")
def halves_the_inverse(step, d_model, warmup):
    """`step ** -1 / 2`는 1/step의 절반입니다. 거듭제곱을 나눗셈보다 먼저 합니다. step ** -0.5로 쓰십시오."""
    step = max(step, 1)
    return d_model**-0.5 * min(step**-1 / 2, step * warmup**-1.5)


# label_smoothed_nll -----------------------------------------------------------------------------------------


def _smoothed(logits, target, ignore_index, losses_of):
    """The mean of losses_of(log-probabilities, right one) over the positions that count."""
    log_p = logits.log_softmax(-1)
    counts = target != ignore_index
    right = log_p.gather(-1, target.where(counts, 0).unsqueeze(-1)).squeeze(-1)
    return losses_of(log_p, right).masked_fill(~counts, 0.0).sum() / counts.sum().clamp(min=1)


def _mixed(epsilon, log_p, right):
    return (1 - epsilon) * right + epsilon * log_p.mean(-1)


@wrong("label_smoothed_nll", read="smoothing-conventions")
def over_the_wrong_ones(logits, target, epsilon, ignore_index=-100):
    """epsilon을 정답이 아닌 V - 1개에만 나누었습니다. 이 문제의 약속은 정답까지 넣은 V개입니다."""

    def losses(log_p, right):
        return -(1 - epsilon) * right - epsilon * (log_p.sum(-1) - right) / (log_p.shape[-1] - 1)

    return _smoothed(logits, target, ignore_index, losses)


@wrong("label_smoothed_nll", read="smoothing-conventions")
def without_right_and_padding(logits, target, epsilon, ignore_index=-100):
    """정답과 PAD를 뺀 V - 2개에 나누었습니다. 이 문제의 약속은 V개 모두입니다."""

    def losses(log_p, right):
        pad = log_p[..., ignore_index] if 0 <= ignore_index < log_p.shape[-1] else log_p[..., 0]
        return -(1 - epsilon) * right - epsilon * (log_p.sum(-1) - right - pad) / (log_p.shape[-1] - 2)

    return _smoothed(logits, target, ignore_index, losses)


@wrong("label_smoothed_nll", read="smoothing-conventions")
def no_smoothing(logits, target, epsilon, ignore_index=-100):
    """epsilon을 쓰지 않은 보통의 교차 엔트로피입니다."""
    return _smoothed(logits, target, ignore_index, lambda log_p, right: -right)


@wrong("label_smoothed_nll", read="smoothing-conventions")
def shares_swapped(logits, target, epsilon, ignore_index=-100):
    """epsilon과 1 - epsilon을 바꾸어 썼습니다. 정답이 큰 쪽인 1 - epsilon을 받습니다."""

    def losses(log_p, right):
        return -epsilon * right - (1 - epsilon) * log_p.mean(-1)

    return _smoothed(logits, target, ignore_index, losses)


@wrong("label_smoothed_nll", read="smoothing-the-target")
def smooths_the_prediction(logits, target, epsilon, ignore_index=-100):
    """목표가 아니라 모델의 확률을 뭉갰습니다. 로그 안의 확률은 그대로 두고 목표 분포를 바꾸십시오."""

    def losses(log_p, right):
        return -((1 - epsilon) * right.exp() + epsilon / log_p.shape[-1]).log()

    return _smoothed(logits, target, ignore_index, losses)


@wrong("label_smoothed_nll", read="smoothing-conventions")
def epsilon_for_each(logits, target, epsilon, ignore_index=-100):
    """epsilon을 어휘의 수로 나누지 않고 더했습니다. 목표 확률의 합이 1을 넘습니다."""

    def losses(log_p, right):
        return -(1 - epsilon) * right - epsilon * log_p.sum(-1)

    return _smoothed(logits, target, ignore_index, losses)


@wrong("label_smoothed_nll", read="training-log-softmax")
def softmax_twice(logits, target, epsilon, ignore_index=-100):
    """소프트맥스를 두 번 했습니다. 로짓을 한 번만 log_softmax에 넣으십시오."""

    def losses(log_p, right):
        return -(1 - epsilon) * right - epsilon * log_p.mean(-1)

    return _smoothed(logits.softmax(-1), target, ignore_index, losses)


@wrong("label_smoothed_nll", read="training-log-softmax")
def log_of_softmax(logits, target, epsilon, ignore_index=-100):
    """큰 로짓에서 지수가 넘치거나 확률이 0으로 내려앉습니다. 소프트맥스와 로그를 따로 하지 말고 log_softmax를 쓰십시오."""
    log_p = logits.softmax(-1).log()
    counts = target != ignore_index
    right = log_p.gather(-1, target.where(counts, 0).unsqueeze(-1)).squeeze(-1)
    losses = -(1 - epsilon) * right - epsilon * log_p.mean(-1)
    return losses.masked_fill(~counts, 0.0).sum() / counts.sum().clamp(min=1)


@wrong("label_smoothed_nll", read="training-ignored")
def divides_by_all(logits, target, epsilon, ignore_index=-100):
    """ignore_index인 위치를 0으로 지우고도 전체 위치의 수로 나누었습니다. 패딩이 많을수록 손실이 작아 보입니다."""
    log_p = logits.log_softmax(-1)
    counts = target != ignore_index
    right = log_p.gather(-1, target.where(counts, 0).unsqueeze(-1)).squeeze(-1)
    losses = -(1 - epsilon) * right - epsilon * log_p.mean(-1)
    return losses.masked_fill(~counts, 0.0).mean()


@wrong("label_smoothed_nll", read="training-ignored")
def smooths_the_ignored(logits, target, epsilon, ignore_index=-100):
    """ignore_index인 위치에서 정답 항만 지웠습니다. 고르게 나눈 epsilon의 항도 세지 말아야 합니다."""
    log_p = logits.log_softmax(-1)
    counts = target != ignore_index
    right = log_p.gather(-1, target.where(counts, 0).unsqueeze(-1)).squeeze(-1)
    losses = -(1 - epsilon) * right.masked_fill(~counts, 0.0) - epsilon * log_p.mean(-1)
    return losses.sum() / counts.sum().clamp(min=1)


@wrong("label_smoothed_nll", read="training-ignored")
def ignores_nothing(logits, target, epsilon, ignore_index=-100):
    """ignore_index를 쓰지 않았습니다. 패딩을 맞히는 것까지 손실에 들어갑니다."""
    log_p = logits.log_softmax(-1)
    right = log_p.gather(-1, target.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return (-(1 - epsilon) * right - epsilon * log_p.mean(-1)).mean()


@wrong("label_smoothed_nll", read="training-ignored", slip=True)
def nan_for_nothing(logits, target, epsilon, ignore_index=-100):
    """셀 위치가 하나도 없을 때 0 / 0이 NaN이 되었습니다. 이때의 손실은 0입니다."""
    log_p = logits.log_softmax(-1)
    counts = target != ignore_index
    right = log_p.gather(-1, target.where(counts, 0).unsqueeze(-1)).squeeze(-1)
    return (-(1 - epsilon) * right - epsilon * log_p.mean(-1))[counts].mean()


@wrong("label_smoothed_nll", read="training-cross-entropy")
def summed(logits, target, epsilon, ignore_index=-100):
    """평균이 아니라 합을 돌려주었습니다. 세는 위치의 수로 나누십시오."""
    log_p = logits.log_softmax(-1)
    counts = target != ignore_index
    right = log_p.gather(-1, target.where(counts, 0).unsqueeze(-1)).squeeze(-1)
    return (-(1 - epsilon) * right - epsilon * log_p.mean(-1)).masked_fill(~counts, 0.0).sum()


@wrong("label_smoothed_nll", read="smoothing-conventions")
def whole_weight_on_the_right_one(logits, target, epsilon, ignore_index=-100):
    """정답의 몫을 줄이지 않았습니다. 정답은 1 - epsilon + epsilon / V를 받습니다. 지금은 목표의 합이 1 + epsilon입니다."""
    return _smoothed(logits, target, ignore_index, lambda log_p, right: -right - epsilon * log_p.mean(-1))


@wrong("label_smoothed_nll", read="training-cross-entropy")
def wrong_sign(logits, target, epsilon, ignore_index=-100):
    """음수 부호가 빠졌거나 두 번 붙었습니다. 손실은 로그 확률에 음수 부호를 한 번 붙인 것입니다."""
    return _smoothed(
        logits, target, ignore_index, lambda log_p, right: (1 - epsilon) * right + epsilon * log_p.mean(-1)
    )


@wrong("label_smoothed_nll", read="smoothing-conventions")
def divergence(logits, target, epsilon, ignore_index=-100):
    """교차 엔트로피에서 목표 분포의 엔트로피를 뺀 KL 발산입니다. 목표 확률에 로그 확률만 곱해 더하십시오."""

    def losses(log_p, right):
        size = log_p.shape[-1]
        shares = torch.full((size,), epsilon / size)
        shares[0] += 1 - epsilon
        return -(1 - epsilon) * right - epsilon * log_p.mean(-1) + torch.xlogy(shares, shares).sum()

    return _smoothed(logits, target, ignore_index, losses)


@wrong("label_smoothed_nll", read="training-ignored", slip=True)
def no_share_for_the_ignored(logits, target, epsilon, ignore_index=-100):
    """ignore_index번 단어의 몫을 지웠습니다. 세지 않는 것은 정답이 ignore_index인 위치이고, 그 번호도 epsilon / V를 받습니다."""

    def losses(log_p, right):
        spread = log_p.mean(-1)
        if 0 <= ignore_index < log_p.shape[-1]:
            spread = spread - log_p[..., ignore_index] / log_p.shape[-1]
        return -(1 - epsilon) * right - epsilon * spread

    return _smoothed(logits, target, ignore_index, losses)


@wrong("label_smoothed_nll", read="training-ignored", slip=True)
def looks_up_the_ignored(logits, target, epsilon, ignore_index=-100):
    """정답이 -100인 위치에서 멈추었습니다. 어휘에 없는 번호로는 고를 수 없으므로, 그 위치를 먼저 빼거나 다른 번호로 바꾸십시오."""
    if ((target < 0) | (target >= logits.shape[-1])).any():
        raise IndexError("index out of range")
    return _smoothed(logits, target, ignore_index, lambda log_p, right: -_mixed(epsilon, log_p, right))


@wrong("label_smoothed_nll", read="training-cross-entropy", slip=True)
def one_axis_only(logits, target, epsilon, ignore_index=-100):
    """앞의 축이 하나일 때만 됩니다. (batch, n, vocab)처럼 축이 더 있어도 되어야 합니다. 앞의 축을 하나로 펴십시오."""
    if target.dim() > 1:
        raise IndexError("shape mismatch")
    return _smoothed(logits, target, ignore_index, lambda log_p, right: -_mixed(epsilon, log_p, right))


@wrong("label_smoothed_nll", read="training-ignored", slip=True)
def constant_for_nothing(logits, target, epsilon, ignore_index=-100):
    """셀 위치가 없을 때 로짓과 이어지지 않은 상수를 돌려주었습니다. 역전파가 멈추므로, 로짓에서 계산한 0을 돌려주십시오."""
    if (target == ignore_index).all():
        return torch.zeros(())
    return _smoothed(logits, target, ignore_index, lambda log_p, right: -_mixed(epsilon, log_p, right))


@wrong("label_smoothed_nll", read="training-cross-entropy")
def cuts_the_gradient(logits, target, epsilon, ignore_index=-100):
    """기울기가 로짓까지 흐르지 않습니다. 중간에 detach나 item으로 끊지 마십시오."""
    found = _smoothed(logits, target, ignore_index, lambda log_p, right: -_mixed(epsilon, log_p, right))
    return found.detach()


@wrong("label_smoothed_nll", read="training-ignored", slip=True)
def overwrites_the_target(logits, target, epsilon, ignore_index=-100):
    """받은 target을 제자리에서 바꾸었습니다. 다음에 부를 때 ignore_index였던 위치까지 셉니다. 새 텐서를 만드십시오."""
    counts = target != ignore_index
    target[~counts] = 0
    log_p = logits.log_softmax(-1)
    losses = -_mixed(epsilon, log_p, log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1))
    return losses.masked_fill(~counts, 0.0).sum() / counts.sum().clamp(min=1)


# accumulate_gradients ---------------------------------------------------------------------------------------


def _divide(model, number):
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= number


def _add_up(model, loss_sum, batches):
    """Leave the gradient of the sum; the summed loss and the number of tokens."""
    total, tokens = 0.0, 0
    for batch in batches:
        loss, count = loss_sum(model, batch)
        loss.backward()
        total, tokens = total + loss.item(), tokens + count
    return total, tokens


@wrong("accumulate_gradients", read="mean-of-means")
def mean_of_means(model, loss_sum, batches):
    """배치마다 평균을 내고 그 기울기를 모았습니다. 토큰이 적은 배치의 토큰이 더 큰 목소리를 냅니다. 합을 모은 다음 전체 토큰 수로 나누십시오."""
    model.zero_grad()
    total = 0.0
    for batch in batches:
        loss, count = loss_sum(model, batch)
        loss = loss / max(count, 1) / len(batches)
        loss.backward()
        total += loss.item()
    return total


@wrong("accumulate_gradients", read="mean-of-means")
def gradient_of_the_sum(model, loss_sum, batches):
    """나누지 않았습니다. 지금 남은 것은 평균이 아니라 합의 기울기입니다. 전체 토큰 수로 나누십시오."""
    model.zero_grad()
    total, tokens = _add_up(model, loss_sum, batches)
    return total / tokens


@wrong("accumulate_gradients", read="mean-of-means")
def divides_by_batches(model, loss_sum, batches):
    """토큰의 수가 아니라 배치의 수로 나누었습니다."""
    model.zero_grad()
    total, _ = _add_up(model, loss_sum, batches)
    _divide(model, len(batches))
    return total / len(batches)


@wrong("accumulate_gradients", read="clear-once")
def clears_every_time(model, loss_sum, batches):
    """배치마다 기울기를 지워 마지막 배치의 기울기만 남았습니다. 지우는 것은 처음에 한 번입니다."""
    total, tokens = 0.0, 0
    for batch in batches:
        model.zero_grad()
        loss, count = loss_sum(model, batch)
        loss.backward()
        total, tokens = total + loss.item(), tokens + count
    _divide(model, tokens)
    return total / tokens


@wrong("accumulate_gradients", read="clear-once")
def never_clears(model, loss_sum, batches):
    """전에 남아 있던 기울기를 지우지 않아 거기에 더했습니다. 먼저 zero_grad()를 부르십시오."""
    total, tokens = _add_up(model, loss_sum, batches)
    _divide(model, tokens)
    return total / tokens


@wrong("accumulate_gradients", read="mean-of-means")
def divides_again_and_again(model, loss_sum, batches):
    """배치마다 그때까지의 토큰 수로 기울기 전체를 나누었습니다. 앞 배치의 기울기가 여러 번 나뉩니다."""
    model.zero_grad()
    total, tokens = 0.0, 0
    for batch in batches:
        loss, count = loss_sum(model, batch)
        loss.backward()
        total, tokens = total + loss.item(), tokens + count
        _divide(model, max(tokens, 1))
    return total / tokens


@wrong("accumulate_gradients", read="mean-of-means", slip=True)
def mean_of_the_last_batch(model, loss_sum, batches):
    """기울기는 맞지만 마지막 배치의 손실로 평균을 냈습니다. 모든 배치의 손실을 더한 다음 전체 토큰 수로 나누십시오."""
    model.zero_grad()
    _, tokens = _add_up(model, loss_sum, batches)
    _divide(model, tokens)
    return loss_sum(model, batches[-1])[0].item() / tokens


@wrong("accumulate_gradients", read="mean-of-means", slip=True)
def returns_the_sum(model, loss_sum, batches):
    """기울기는 맞지만 손실의 합을 돌려주었습니다. 전체 토큰 수로 나눈 평균을 돌려주십시오."""
    model.zero_grad()
    total, tokens = _add_up(model, loss_sum, batches)
    _divide(model, tokens)
    return total


@wrong("accumulate_gradients", read="one-graph-at-a-time", slip=True)
def returns_a_tensor(model, loss_sum, batches):
    """평균 손실을 텐서로 돌려주었습니다. 기록하려고 모아 두면 계산 그래프까지 남습니다. item()으로 float를 꺼내십시오."""
    model.zero_grad()
    total, tokens = 0.0, 0
    for batch in batches:
        loss, count = loss_sum(model, batch)
        loss.backward()
        total, tokens = total + loss.detach(), tokens + count
    _divide(model, tokens)
    return total / tokens


@wrong("accumulate_gradients", read="one-graph-at-a-time")
def one_backward_at_the_end(model, loss_sum, batches):
    """손실을 모두 더한 다음 한 번에 역전파했습니다. 기울기는 맞지만 모든 배치의 계산 그래프가 메모리에 남습니다."""
    model.zero_grad()
    found = [loss_sum(model, batch) for batch in batches]
    loss = sum(loss for loss, _ in found) / sum(count for _, count in found)
    loss.backward()
    return loss.item()


@wrong("accumulate_gradients", read="one-graph-at-a-time", slip=True)
def counts_in_a_first_round(model, loss_sum, batches):
    """토큰을 세려고 모든 배치를 한 번 더 계산했습니다. 시간이 더 들고, 드롭아웃이 있으면 두 계산이 다릅니다. 합의 기울기를 모은 다음 나누십시오."""
    model.zero_grad()
    tokens = sum(loss_sum(model, batch)[1] for batch in batches)
    total = 0.0
    for batch in batches:
        loss = loss_sum(model, batch)[0] / tokens
        loss.backward()
        total += loss.item()
    return total


@wrong("accumulate_gradients", read="clear-once")
def steps_on_every_batch(model, loss_sum, batches):
    """배치마다 파라미터를 움직였습니다. 다음 배치는 이미 다른 모델입니다. 이 함수는 기울기만 남깁니다."""
    model.zero_grad()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total, tokens = 0.0, 0
    for batch in batches:
        loss, count = loss_sum(model, batch)
        loss.backward()
        optimizer.step()
        total, tokens = total + loss.item(), tokens + count
    _divide(model, tokens)
    return total / tokens


@wrong("accumulate_gradients", read="mean-of-means")
def divides_what_is_missing(model, loss_sum, batches):
    """p.grad가 None인 파라미터에서 멈추었습니다. 손실에 쓰이지 않은 파라미터는 건너뛰십시오."""
    model.zero_grad()
    total, tokens = _add_up(model, loss_sum, batches)
    for parameter in model.parameters():
        parameter.grad = parameter.grad / tokens
    return total / tokens


@wrong("accumulate_gradients", read="mean-of-means")
def returns_the_mean_of_means(model, loss_sum, batches):
    """기울기는 맞지만 배치마다 낸 평균의 평균을 돌려주었습니다. 손실의 합을 전체 토큰 수로 나누십시오."""
    model.zero_grad()
    _, tokens = _add_up(model, loss_sum, batches)
    _divide(model, tokens)
    found = [loss_sum(model, batch) for batch in batches]
    return sum(loss.item() / max(count, 1) for loss, count in found) / len(found)


# random_search ----------------------------------------------------------------------------------------------


def _draw(rng, values):
    return rng.uniform(*values) if isinstance(values, tuple) else rng.choice(values)


@wrong("random_search", read="random-search")
def a_grid(space, trials, seed):
    """격자를 만들어 앞에서부터 잘랐습니다. 이름마다 몇 가지 값만 되풀이됩니다. 설정마다 새로 뽑으십시오."""
    values = [[v[0], (v[0] + v[1]) / 2, v[1]] if isinstance(v, tuple) else v for v in space.values()]
    combinations = itertools.cycle(itertools.product(*values))
    return [dict(zip(space, next(combinations), strict=True)) for _ in range(trials)]


@wrong("random_search", read="random-search")
def ends_of_the_range(space, trials, seed):
    """범위 (low, high)를 값이 둘인 리스트로 보았습니다. 두 끝이 아니라 그 사이의 실수를 뽑으십시오."""
    rng = random.Random(seed)
    return [{name: rng.choice(values) for name, values in space.items()} for _ in range(trials)]


@wrong("random_search", read="random-search", slip=True)
def rounds_to_an_index(space, trials, seed):
    """리스트의 값이 고르게 나오지 않습니다. 반올림한 번호는 두 끝이 반만 나옵니다. rng.choice를 쓰십시오."""
    rng = random.Random(seed)

    def one(values):
        if isinstance(values, tuple):
            return rng.uniform(*values)
        return values[round(rng.random() * (len(values) - 1))]

    return [{name: one(values) for name, values in space.items()} for _ in range(trials)]


@wrong("random_search", read="random-search", slip=True)
def leans_to_one_side(space, trials, seed):
    """범위에서 뽑은 수가 한쪽이나 가운데에 몰립니다. 균등 분포(rng.uniform)로 뽑으십시오."""
    rng = random.Random(seed)

    def one(values):
        if isinstance(values, tuple):
            return values[0] + (values[1] - values[0]) * rng.random() ** 2
        return rng.choice(values)

    return [{name: one(values) for name, values in space.items()} for _ in range(trials)]


@wrong("random_search", read="random-search")
def one_number_for_all(space, trials, seed):
    """난수 하나로 모든 값을 정했습니다. 점이 대각선 위에만 놓입니다. 이름마다 따로 뽑으십시오."""
    rng = random.Random(seed)

    def at(values, share):
        if isinstance(values, tuple):
            return values[0] + share * (values[1] - values[0])
        return values[int(share * len(values))]

    shares = [rng.random() for _ in range(trials)]
    return [{name: at(values, share) for name, values in space.items()} for share in shares]


@wrong("random_search", read="search-seed")
def seeds_every_trial(space, trials, seed):
    """설정마다 시드를 다시 심어 모두 같은 설정이 나왔습니다. 생성기는 한 번만 만드십시오."""

    def one():
        rng = random.Random(seed)
        return {name: _draw(rng, values) for name, values in space.items()}

    return [one() for _ in range(trials)]


@wrong("random_search", read="search-seed", slip=True)
def seeds_the_whole_program(space, trials, seed):
    """random.seed나 torch.manual_seed로 전역 난수 상태를 바꾸었습니다. random.Random(seed)처럼 생성기를 따로 만드십시오."""
    random.seed(seed)
    return [{name: _draw(random, values) for name, values in space.items()} for _ in range(trials)]


@wrong("random_search", read="search-seed")
def ignores_the_seed(space, trials, seed):
    """seed를 쓰지 않았습니다. 같은 시드로 불러도 부를 때마다 다른 설정이 나옵니다."""
    return [{name: _draw(random, values) for name, values in space.items()} for _ in range(trials)]


@wrong("random_search", read="search-seed")
def always_the_same_seed(space, trials, seed):
    """어떤 시드를 주어도 같은 설정이 나옵니다. seed 인자로 생성기를 만드십시오."""
    rng = random.Random(42)
    return [{name: _draw(rng, values) for name, values in space.items()} for _ in range(trials)]


@wrong("random_search", read="random-search")
def one_dictionary_of_lists(space, trials, seed):
    """이름마다 값의 리스트가 있는 사전 하나를 돌려주었습니다. 설정(사전)의 리스트여야 합니다."""
    rng = random.Random(seed)
    return {name: [_draw(rng, values) for _ in range(trials)] for name, values in space.items()}


@wrong("random_search", read="random-search", slip=True)
def lists_in_turn(space, trials, seed):
    """리스트의 값을 뽑지 않고 차례로 돌려썼습니다. 시드가 달라도 같은 차례가 되풀이됩니다."""
    rng = random.Random(seed)
    return [
        {n: _draw(rng, v) if isinstance(v, tuple) else v[i % len(v)] for n, v in space.items()}
        for i in range(trials)
    ]


@wrong("random_search", read="random-search")
def trials_for_each_name(space, trials, seed):
    """설정이 trials개가 아닙니다. trials는 전체 설정의 수이지 값마다의 수가 아닙니다."""
    rng = random.Random(seed)
    return [{name: _draw(rng, values) for name, values in space.items()} for _ in range(trials * len(space))]


@wrong("random_search", read="random-search")
def whole_numbers_of_the_range(space, trials, seed):
    """범위에서 정수만 뽑았습니다. (low, high)는 그 사이의 실수입니다. randint가 아니라 uniform으로 뽑으십시오."""
    rng = random.Random(seed)

    def draw(values):
        return (
            rng.randint(int(values[0]), int(values[1])) if isinstance(values, tuple) else rng.choice(values)
        )

    return [{name: draw(values) for name, values in space.items()} for _ in range(trials)]


@wrong("random_search", read="random-search")
def one_dictionary_for_all(space, trials, seed):
    """사전 하나를 고쳐 가며 여러 번 담았습니다. 리스트의 모든 자리가 마지막 설정을 가리킵니다. 설정마다 사전을 새로 만드십시오."""
    rng, setting, found = random.Random(seed), {}, []
    for _ in range(trials):
        for name, values in space.items():
            setting[name] = _draw(rng, values)
        found.append(setting)
    return found


@wrong("random_search", read="random-search")
def one_setting_times_trials(space, trials, seed):
    """설정 하나를 뽑아 되풀이했습니다. [설정] * trials는 같은 사전을 여러 번 담은 것입니다. 설정마다 새로 뽑으십시오."""
    rng = random.Random(seed)
    return [{name: _draw(rng, values) for name, values in space.items()}] * trials


@wrong("random_search", read="search-space", slip=True)
def a_list_of_two_is_a_range(space, trials, seed):
    """값이 둘인 리스트도 범위로 보아 그 사이의 수를 뽑았습니다. 리스트인지 튜플인지를 보고 나누십시오."""
    rng = random.Random(seed)

    def draw(values):
        numbers = len(values) == 2 and not isinstance(values[0], str)
        return _draw(rng, tuple(values) if numbers else values)

    return [{name: draw(values) for name, values in space.items()} for _ in range(trials)]
