"""What the exercise `evaluation` is graded by."""

import math
from fractions import Fraction

import torch

from grader.judging.contract import assert_manners, bad_manners, how_refused
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    follows_device,
    observes,
    outcome,
    place,
    points,
    reached,
    refuses,
    scattered,
)
from grader.judging.values import values_of

# yarn_frequencies -------------------------------------------------------------------------------------------

LLAMA = 128, 10_000.0, 16.0, 4096  # dim, base, factor, the length it was trained at
SHORT = 16, 10_000.0, 4.0, 64
OTHERS = 32, 500.0, 8.0, 256, 8.0, 2.0
TURNING = 16, 10_000.0, 4.0, 131_072  # so long that the last pair turns


speeds = values_of(
    [
        ([128, 10000.0, 16.0, 4096], {'dtype': 'float64', 'shape': [64], 'values': [1.0, 0.86596432, 0.74989421, 0.64938163, 0.56234133, 0.48696753, 0.4216965, 0.36517413, 0.31622777, 0.27384196, 0.23713737, 0.2053525, 0.17782794, 0.15399265, 0.13335214, 0.1154782, 0.1, 0.086596432, 0.074989421, 0.064938163, 0.056234133, 0.048591506, 0.040436895, 0.033595327, 0.027861317, 0.023060871, 0.019046743, 0.015694387, 0.012898515, 0.010570178, 0.008634273, 0.0070274291, 0.0056962144, 0.0045956085, 0.0036877079, 0.0029406267, 0.0023275648, 0.0018260173, 0.0014171042, 0.0010850036, 0.00081647062, 0.00060043092, 0.00042763691, 0.00029037695, 0.00018222972, 9.7856875e-05, 8.334509e-05, 7.2173874e-05, 6.25e-05, 5.412277e-05, 4.6868388e-05, 4.0586352e-05, 3.5146333e-05, 3.043547e-05, 2.6356031e-05, 2.2823383e-05, 1.9764235e-05, 1.7115123e-05, 1.4821086e-05, 1.2834531e-05, 1.1114246e-05, 9.6245408e-06, 8.334509e-06, 7.2173874e-06]}),
        ([16, 10000.0, 4.0, 64], {'dtype': 'float64', 'shape': [8], 'values': [1.0, 0.19858352, 0.025595246, 0.0079056942, 0.0025, 0.00079056942, 0.00025, 7.9056942e-05]}),
        ([32, 500.0, 8.0, 256, 8.0, 2.0], {'dtype': 'float64', 'shape': [16], 'values': [1.0, 0.67813221, 0.4598633, 0.31184812, 0.21147425, 0.11496687, 0.054121293, 0.020533739, 0.0055901699, 0.0037908743, 0.002570714, 0.001743284, 0.001182177, 0.00080167231, 0.00054363982, 0.00036865967]}),
        ([16, 10000.0, 4.0, 131072], {'dtype': 'float64', 'shape': [8], 'values': [1.0, 0.31622777, 0.1, 0.031622777, 0.01, 0.0031622777, 0.00090740794, 0.00020816114]}),
    ]
)


def assert_speeds(found, *given):
    assert isinstance(found, tuple | list) and len(found) == 2, "각속도와 t를 함께 돌려주십시오."
    assert_close(found[0], speeds(*given), rtol=1e-5, atol=1e-12)


@points(0.25, "yarn_frequencies", read="ev-yarn", step="warm-up")
def test_factor_one_changes_nothing(student):
    """1배로 늘이면 각속도는 배운 그대로이고 t는 1입니다. 쌍은 넷입니다."""
    found, t = student.yarn_frequencies(8, 10_000.0, 1.0, 64)
    assert_close(found, torch.tensor([1.0, 0.1, 0.01, 0.001]), atol=1e-9)
    assert t == 1.0, "t가 1이 아닙니다."


@points(0.5, "yarn_frequencies", read="ev-yarn")
def test_between_the_two_bounds(student):
    """많이 도는 쌍은 그대로, 한 바퀴도 돌지 못한 쌍은 factor로 나누고, 그 사이는 번호에 따라 곧게 섞습니다."""
    for given in (LLAMA, SHORT, OTHERS):
        assert_speeds(student.yarn_frequencies(*given), *given)


@observes("yarn_frequencies")
def observe_yarn_frequencies(student):
    yarn = student.yarn_frequencies

    def speed(*given):
        return yarn(*given)[0].double() / speeds(*given)

    one = torch.ones(64, dtype=torch.float64)
    refused = [(7, 1e4, 4.0, 64), (8, 1e4, 0.5, 64), (8, 1e4, 4.0, 64, 2.0, 2.0), (8, 1e4, 4.0, 64, 1.0, 2.0)]
    return up_to_the_first_wrong(
        (lambda: list(yarn(*LLAMA)[0].shape), [64]),
        (lambda: speed(*LLAMA), one),
        (lambda: speed(*OTHERS), one[:16]),
        (lambda: speed(*SHORT), one[:8]),
        (lambda: speed(*TURNING), one[:8]),
        (lambda: float(yarn(*LLAMA)[1]), 0.1 * math.log(16) + 1),
        (lambda: float(yarn(8, 1e4, 1, 64)[1]), 1.0),
        (lambda: str(yarn(*LLAMA)[0].dtype), "torch.float64"),
        (lambda: type(yarn(*LLAMA)[1]).__name__, "float"),
        (lambda: [how_refused(yarn, *given) for given in refused], ["refused"] * 4),
    )




# strided_nll ------------------------------------------------------------------------------------------------

VOCAB = 5


def reads_all(ids):
    """Logits that depend on every token up to each place and on nothing else."""
    scores = 3 * scattered((VOCAB, 40), 3).to(ids.device)
    places = torch.arange(len(ids), device=ids.device)
    seen = (ids[None] * (1 + places)[None] % 7 * (places[None] <= places[:, None])).sum(1)
    return scores[:, (seen + 11 * ids + places) % 40].T


def reads_all_there(ids):
    """The same, on the student's side."""
    places = torch.arange(len(ids), device=ids.device)
    seen = (ids[None] * (places[None] <= places[:, None])).sum(1)
    return torch.stack([(seen + k) % 5 for k in range(5)], dim=-1).double()


def a_text(n, key=1):
    return (scattered((n,), key) * 1000).long() % VOCAB


nll_of = values_of(
    [
        ([['int64', 6, 5, 24.65561, 14.0], 4, 2], {'dtype': 'float64', 'shape': [5], 'values': [2.738993, 0.75665052, 2.7295988, 3.2043404, 4.510303]}),
        ([['int64', 11, 8, 48.042073, 22.0], 6, 4], {'dtype': 'float64', 'shape': [10], 'values': [2.738993, 0.75665052, 2.7295988, 4.0146508, 0.52336428, 0.73120642, 3.3254994, 3.8072527, 2.7884566, 1.7660605]}),
        ([['int64', 12, 8, 48.042073, 22.0], 5, 3], {'dtype': 'float64', 'shape': [11], 'values': [2.738993, 0.75665052, 2.7295988, 4.0146508, 0.85454919, 1.9953464, 2.1466839, 1.5684655, 2.5545854, 3.6284287, 1.1443399]}),
        ([['int64', 4, 4, 19.75663, 12.0], 8, 4], {'dtype': 'float64', 'shape': [3], 'values': [2.738993, 0.75665052, 2.7295988]}),
        ([['int64', 12, 8, 48.042073, 22.0], 6, 2], {'dtype': 'float64', 'shape': [11], 'values': [2.738993, 0.75665052, 2.7295988, 4.0146508, 0.52336428, 5.6296356, 4.0146508, 3.8072527, 2.7884566, 3.6284287, 3.9995437]}),
        ([['int64', 2, 2, 4.8284271, 4.0], 8, 7], {'dtype': 'float64', 'shape': [1], 'values': [2.738993]}),
        ([['int64', 8, 6, 35.238615, 18.0], 4, 3], {'dtype': 'float64', 'shape': [7], 'values': [2.738993, 0.75665052, 2.7295988, 3.5521792, 0.85454919, 1.9953464, 3.5521792]}),
        ([['int64', 9, 6, 35.238615, 18.0], 2, 1], {'dtype': 'float64', 'shape': [8], 'values': [2.738993, 1.8155197, 2.6977765, 3.5521792, 0.36044534, 1.8155197, 3.5521792, 5.7201742]}),
    ]
)


@points(0.25, "strided_nll", read="ev-stride", step="warm-up")
def test_a_text_within_one_window(student, device):
    """창 하나에 들어가는 글은 모델을 한 번 부르면 됩니다. 로짓은 다음 토큰의 것이므로 결과는 n - 1개입니다."""
    ids = torch.tensor([0, 1, 1], device=device)

    def model(ids):
        return torch.tensor([[0.0, math.log(3.0)], [math.log(3.0), 0.0], [9.0, 0.0]]).to(ids.device)[
            : len(ids)
        ]

    found = student.strided_nll(model, ids, 8, 4)
    assert_close(found, torch.tensor([0.2876821, 1.3862944]))


@points(0.5, "strided_nll", read="ev-stride")
def test_each_token_once(student):
    """토큰마다 그것을 맞히는 첫 창의 값입니다. 겹친 토큰은 앞말로만 쓰고 다시 세지 않습니다."""
    for n, window, stride in [(6, 4, 2), (11, 6, 4), (12, 5, 3)]:
        assert_close(student.strided_nll(reads_all, a_text(n), window, stride), nll_of(a_text(n), window, stride))  # fmt: skip


@observes("strided_nll")
def observe_strided_nll(student):
    measure, seen = student.strided_nll, []

    def model(ids):
        seen.append(ids.tolist())
        return reads_all(ids)

    def right(n, window, stride):
        return same(measure(reads_all, a_text(n), window, stride), nll_of(a_text(n), window, stride))

    def far():
        ids = a_text(9)
        found = measure(lambda part: 1000 * reads_all(part), ids, 5, 3)
        return bool(found.isfinite().all())

    def calls(n, window, stride, *right):
        """Whether the model was asked of these windows first, and whether of more."""
        seen.clear()
        measure(model, a_text(n), window, stride)
        return [[len(part) for part in seen[: len(right)]] == [*right], len(seen) > len(right)]

    def elsewhere():
        return follows_device(student, measure, place(student, reads_all_there), a_text(9), 5, 3)

    def changed():
        ids = a_text(9)
        measure(reads_all, ids, 5, 3)
        return ids.tolist() == a_text(9).tolist()

    return up_to_the_first_wrong(
        (lambda: list(measure(reads_all, a_text(4), 8, 4).shape), [3]),
        (lambda: measure(reads_all, a_text(4), 8, 4).double(), nll_of(a_text(4), 8, 4)),
        (lambda: list(measure(reads_all, a_text(12), 6, 2).shape), [11]),
        (lambda: measure(reads_all, a_text(12), 6, 2).double(), nll_of(a_text(12), 6, 2)),
        (lambda: list(measure(reads_all, a_text(11), 6, 4).shape), [10]),
        (lambda: measure(reads_all, a_text(11), 6, 4).double(), nll_of(a_text(11), 6, 4)),
        (lambda: [right(2, 8, 7), right(8, 4, 3), right(9, 2, 1)], [True] * 3),
        (lambda: calls(12, 6, 2, 6, 6, 6, 6), [True, False]),
        (lambda: calls(11, 6, 4, 6, 6, 3), [True, False]),
        (far, True),
        (lambda: [how_refused(measure, reads_all, a_text(9), 4, stride) for stride in (0, -1, 4, 5)], ["refused"] * 4),
        (changed, True),
        (lambda: attempt(elsewhere) is True, True),
    )  # fmt: skip




# choice_scores ----------------------------------------------------------------------------------------------

LENGTHS = [[3, 1, 2], [2, 4, 0]]


def choices(junk=math.nan):
    """log_probs, mask, byte_lengths, prior of two questions; the second has one choice less."""
    lengths = torch.tensor(LENGTHS)
    mask = torch.arange(4) < lengths[..., None]
    log_probs, prior = -1.2 - scattered((2, 3, 4), 4), -1.6 - scattered((2, 3, 4), 5)
    byte_lengths = 2 * lengths + torch.tensor([[1, 0, 3], [4, 1, 0]])
    return log_probs.masked_fill(~mask, junk), mask, byte_lengths, prior.masked_fill(~mask, junk)


scores_of = values_of(
    [
        ([['float64', 1, 3, 4, 12, -128.42394, 47.765545], ['bool', 1, 3, 4, 6, 12.54461, 6.0], 'sum', ['int64', 1, 3, 3, 21.952783, 16.0], ['float64', 1, 3, 4, 12, -141.4181, 52.778579]], {'dtype': 'float64', 'shape': [1, 3], 'values': [-2.9937312, -0.87627911, -1.8955349]}),
        ([['float64', 1, 3, 4, 12, -128.42394, 47.765545], ['bool', 1, 3, 4, 6, 12.54461, 6.0], 'token', ['int64', 1, 3, 3, 21.952783, 16.0], ['float64', 1, 3, 4, 12, -141.4181, 52.778579]], {'dtype': 'float64', 'shape': [1, 3], 'values': [-0.9979104, -0.87627911, -0.94776744]}),
        ([['float64', 1, 3, 4, 12, -128.42394, 47.765545], ['bool', 1, 3, 4, 6, 12.54461, 6.0], 'byte', ['int64', 1, 3, 3, 21.952783, 16.0], ['float64', 1, 3, 4, 12, -141.4181, 52.778579]], {'dtype': 'float64', 'shape': [1, 3], 'values': [-0.42767589, -0.43813956, -0.2707907]}),
        ([['float64', 1, 3, 4, 12, -128.42394, 47.765545], ['bool', 1, 3, 4, 6, 12.54461, 6.0], 'pmi', ['int64', 1, 3, 3, 21.952783, 16.0], ['float64', 1, 3, 4, 12, -141.4181, 52.778579]], {'dtype': 'float64', 'shape': [1, 3], 'values': [1.7025627, 0.5194713, 2.7909996]}),
        ([['float64', 2, 3, 4, 24, -341.60106, 95.902865], ['bool', 2, 3, 4, 12, 37.0886, 12.0], 'sum', ['int64', 2, 3, 5, 58.077395, 33.0], ['float64', 2, 3, 4, 24, -373.97359, 105.72568]], {'dtype': 'float64', 'shape': [2, 3], 'values': [-2.9937312, -0.87627911, -1.8955349, -2.2474042, -3.8899154, '-inf']}),
        ([['float64', 2, 3, 4, 24, -341.60106, 95.902865], ['bool', 2, 3, 4, 12, 37.0886, 12.0], 'token', ['int64', 2, 3, 5, 58.077395, 33.0], ['float64', 2, 3, 4, 24, -373.97359, 105.72568]], {'dtype': 'float64', 'shape': [2, 3], 'values': [-0.9979104, -0.87627911, -0.94776744, -1.1237021, -0.97247884, '-inf']}),
        ([['float64', 2, 3, 4, 24, -341.60106, 95.902865], ['bool', 2, 3, 4, 12, 37.0886, 12.0], 'byte', ['int64', 2, 3, 5, 58.077395, 33.0], ['float64', 2, 3, 4, 24, -373.97359, 105.72568]], {'dtype': 'float64', 'shape': [2, 3], 'values': [-0.42767589, -0.43813956, -0.2707907, -0.28092553, -0.43221282, '-inf']}),
        ([['float64', 2, 3, 4, 24, -341.60106, 95.902865], ['bool', 2, 3, 4, 12, 37.0886, 12.0], 'pmi', ['int64', 2, 3, 5, 58.077395, 33.0], ['float64', 2, 3, 4, 24, -373.97359, 105.72568]], {'dtype': 'float64', 'shape': [2, 3], 'values': [1.7025627, 0.5194713, 2.7909996, 1.8164403, 2.9933439, '-inf']}),
        ([['float64', 2, 3, 4, 24, 'nan', 'nan'], ['bool', 2, 3, 4, 12, 37.0886, 12.0], 'sum', ['int64', 2, 3, 5, 58.077395, 33.0], ['float64', 2, 3, 4, 24, 'nan', 'nan']], {'dtype': 'float64', 'shape': [2, 3], 'values': [-2.9937312, -0.87627911, -1.8955349, -2.2474042, -3.8899154, '-inf']}),
        ([['float64', 2, 3, 4, 24, 'nan', 'nan'], ['bool', 2, 3, 4, 12, 37.0886, 12.0], 'token', ['int64', 2, 3, 5, 58.077395, 33.0], ['float64', 2, 3, 4, 24, 'nan', 'nan']], {'dtype': 'float64', 'shape': [2, 3], 'values': [-0.9979104, -0.87627911, -0.94776744, -1.1237021, -0.97247884, '-inf']}),
        ([['float64', 2, 3, 4, 24, 'nan', 'nan'], ['bool', 2, 3, 4, 12, 37.0886, 12.0], 'byte', ['int64', 2, 3, 5, 58.077395, 33.0], ['float64', 2, 3, 4, 24, 'nan', 'nan']], {'dtype': 'float64', 'shape': [2, 3], 'values': [-0.42767589, -0.43813956, -0.2707907, -0.28092553, -0.43221282, '-inf']}),
        ([['float64', 2, 3, 4, 24, 'nan', 'nan'], ['bool', 2, 3, 4, 12, 37.0886, 12.0], 'pmi', ['int64', 2, 3, 5, 58.077395, 33.0], ['float64', 2, 3, 4, 24, 'nan', 'nan']], {'dtype': 'float64', 'shape': [2, 3], 'values': [1.7025627, 0.5194713, 2.7909996, 1.8164403, 2.9933439, '-inf']}),
        ([['float64', 3, 4, 12, -128.42394, 47.765545], ['bool', 3, 4, 6, 12.54461, 6.0], 'sum', ['int64', 3, 3, 21.952783, 16.0], ['float64', 3, 4, 12, -141.4181, 52.778579]], {'dtype': 'float64', 'shape': [3], 'values': [-2.9937312, -0.87627911, -1.8955349]}),
        ([['float64', 3, 4, 12, -128.42394, 47.765545], ['bool', 3, 4, 6, 12.54461, 6.0], 'token', ['int64', 3, 3, 21.952783, 16.0], ['float64', 3, 4, 12, -141.4181, 52.778579]], {'dtype': 'float64', 'shape': [3], 'values': [-0.9979104, -0.87627911, -0.94776744]}),
        ([['float64', 3, 4, 12, -128.42394, 47.765545], ['bool', 3, 4, 6, 12.54461, 6.0], 'byte', ['int64', 3, 3, 21.952783, 16.0], ['float64', 3, 4, 12, -141.4181, 52.778579]], {'dtype': 'float64', 'shape': [3], 'values': [-0.42767589, -0.43813956, -0.2707907]}),
        ([['float64', 3, 4, 12, -128.42394, 47.765545], ['bool', 3, 4, 6, 12.54461, 6.0], 'pmi', ['int64', 3, 3, 21.952783, 16.0], ['float64', 3, 4, 12, -141.4181, 52.778579]], {'dtype': 'float64', 'shape': [3], 'values': [1.7025627, 0.5194713, 2.7909996]}),
    ]
)


@points(0.25, "choice_scores", read="ev-choices", step="warm-up")
def test_two_choices_by_hand(student, device):
    """짧은 보기의 합은 -1, 긴 보기의 합은 -2입니다. 토큰마다는 -0.5와 -0.25라서 순서가 바뀝니다."""
    log_probs = torch.tensor([[-0.5, -0.5, *[0.0] * 6], [-0.25] * 8], device=device)
    mask = torch.arange(8, device=device) < torch.tensor([[2], [8]], device=device)
    assert_close(student.choice_scores(log_probs, mask, "sum"), torch.tensor([-1.0, -2.0]))
    assert_close(student.choice_scores(log_probs, mask, "token"), torch.tensor([-0.5, -0.25]))


@points(0.5, "choice_scores", read="ev-choices")
def test_four_ways(student):
    """보기마다 자기 토큰만 더하고, 방법에 따라 토큰의 수나 바이트 수로 나누거나 물음 없이 잰 합을 뺍니다."""
    for how in ("sum", "token", "byte", "pmi"):
        log_probs, mask, sizes, prior = (x[:1] for x in choices(-7.0))
        assert_close(
            student.choice_scores(log_probs, mask, how, sizes, prior),
            scores_of(log_probs, mask, how, sizes, prior),
        )


@observes("choice_scores")
def observe_choice_scores(student):
    score = student.choice_scores

    def first(how):
        log_probs, mask, sizes, prior = (x[:1] for x in choices(-7.0))
        return score(log_probs, mask, how, sizes, prior).double()

    def expected(how):
        return scores_of(*(x[:1] for x in choices(-7.0)[:2]), how, *(x[:1] for x in choices(-7.0)[2:]))

    def right(how, junk):
        log_probs, mask, sizes, prior = choices(junk)
        return same(score(log_probs, mask, how, sizes, prior), scores_of(log_probs, mask, how, sizes, prior))

    def alone(how):
        log_probs, mask, sizes, prior = (x[0] for x in choices(-7.0))
        return same(score(log_probs, mask, how, sizes, prior), scores_of(log_probs, mask, how, sizes, prior))

    def finite():
        log_probs, mask, sizes, prior = (x[:1] for x in choices())
        found = reached(score, log_probs, mask, "pmi", sizes, prior)
        return "0" in found and "4" in found

    ways = ("sum", "token", "byte", "pmi")
    log_probs, mask, sizes, prior = choices(-7.0)
    refused = [
        (log_probs, mask, "mean"),
        (log_probs, mask, "byte", None, prior),
        (log_probs, mask, "pmi", sizes),
    ]
    return up_to_the_first_wrong(
        (lambda: list(score(*choices(-7.0)[:2], "sum").shape), [2, 3]),
        *((lambda how=how: first(how), expected(how)) for how in ways),
        (lambda: str(score(*choices(-7.0)[:2], "sum")[1, 2].item()), "-inf"),
        (lambda: [right(how, -7.0) for how in ways], [True] * 4),
        (lambda: [right(how, math.nan) for how in ways], [True] * 4),
        (lambda: [alone(how) for how in ways], [True] * 4),
        (lambda: [how_refused(score, *given) for given in refused], ["refused"] * 3),
        (finite, True),
        (lambda: bad_manners(student, score, *choices(-7.0)[:2], "pmi", *choices(-7.0)[2:], learns=["0"]), "none"),
    )  # fmt: skip




# paired_difference ------------------------------------------------------------------------------------------

A, B = [1, 1, 0, 1, 0, 1, 1, 0], [1, 0, 0, 1, 1, 0, 0, 0]
GROUPS = [7, 3, 7, 3, 3, -1, -1, 7]


def answers():
    return torch.tensor(A).double(), torch.tensor(B).double(), torch.tensor(GROUPS)


difference_of = values_of(
    [
        ([['float64', 8, 5, 9.5094546, 5.0], ['float64', 8, 3, 5.236068, 3.0]], [{'dtype': 'float64', 'shape': [], 'values': [0.25]}, {'dtype': 'float64', 'shape': [], 'values': [0.25]}]),
        ([['float64', 8, 3, 5.236068, 3.0], ['float64', 8, 5, 28.528364, 15.0]], [{'dtype': 'float64', 'shape': [], 'values': [-1.5]}, {'dtype': 'float64', 'shape': [], 'values': [0.56694671]}]),
        ([['float64', 8, 5, 9.5094546, 5.0], ['float64', 8, 3, 5.236068, 3.0], ['int64', 8, 8, 50.778949, 32.0]], [{'dtype': 'float64', 'shape': [], 'values': [0.25]}, {'dtype': 'float64', 'shape': [], 'values': [0.28125]}]),
        ([['float64', 8, 5, 9.5094546, 5.0], ['float64', 8, 3, 5.236068, 3.0], ['int64', 8, 6, 29.525702, 12.0]], [{'dtype': 'float64', 'shape': [], 'values': [0.25]}, {'dtype': 'float64', 'shape': [], 'values': [0.14433757]}]),
        ([['float64', 8, 8, 13.585955, 7.0], ['float64', 8, 3, 2.618034, 1.5], ['int64', 8, 8, 50.778949, 32.0]], [{'dtype': 'float64', 'shape': [], 'values': [0.6875]}, {'dtype': 'float64', 'shape': [], 'values': [0.21777125]}]),
        ([['float64', 8, 5, 9.5094546, 5.0], ['float64', 8, 3, 5.236068, 3.0], ['int64', 8, 8, 50778949000.0, 32000000000.0]], [{'dtype': 'float64', 'shape': [], 'values': [0.25]}, {'dtype': 'float64', 'shape': [], 'values': [0.28125]}]),
    ]
)


def assert_pair(found, expected):
    assert isinstance(found, tuple | list) and len(found) == 2, "차의 평균과 표준오차를 함께 돌려주십시오."
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other)


@points(0.25, "paired_difference", read="ev-paired", step="warm-up")
def test_four_questions_by_hand(student, device):
    """차는 1, 0, 0, 1입니다. 평균은 0.5, 분산은 1/3이므로 표준오차는 √(1/12) = 0.2887입니다."""
    a, b = (torch.tensor(x, device=device) for x in ([1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]))
    assert_pair(student.paired_difference(a, b), [torch.tensor(0.5), torch.tensor(0.2886751)])


@points(0.5, "paired_difference", read="ev-paired")
def test_same_questions_are_subtracted(student):
    """두 모델의 분산을 더하지 않고 차의 분산을 구합니다. n - 1로 나눈 분산을 다시 n으로 나눕니다."""
    a, b, _ = answers()
    assert_pair(student.paired_difference(a, b), difference_of(a, b))
    assert_pair(student.paired_difference(b, 3 * a), difference_of(b, 3 * a))


@observes("paired_difference")
def observe_paired_difference(student):
    compare = student.paired_difference

    def right(*given):
        return all(map(same, compare(*given), difference_of(*given)))

    def far():
        a, b, groups = answers()
        return right(a, b, 10**9 * groups)

    a, b, groups = answers()
    short = torch.zeros(7, dtype=torch.float64)
    refused = [(a, short), (a, b, groups[:7]), (a, b, torch.zeros(8, dtype=torch.int64)), (a[:1], b[:1])]
    return up_to_the_first_wrong(
        (lambda: [list(part.shape) for part in compare(*answers())], [[], []]),
        (lambda: compare(a.clone(), b.clone())[0].double(), difference_of(a, b)[0]),
        (lambda: compare(a.clone(), b.clone())[1].double(), difference_of(a, b)[1]),
        (lambda: compare(*answers())[0].double(), difference_of(*answers())[0]),
        (lambda: compare(*answers())[1].double(), difference_of(*answers())[1]),
        (lambda: right(a, b, torch.arange(8) // 2), True),
        (lambda: right(a + 0.25, b * 0.5, groups), True),
        (far, True),
        (lambda: [how_refused(compare, *given) for given in refused], ["refused"] * 4),
        (lambda: bad_manners(student, compare, *answers(), learns=[]), "none"),
        (lambda: follows_device(student, compare, a, b), True),
    )




# judge_fairly -----------------------------------------------------------------------------------------------

LONG = ["가나다라마", "가", "가나다", "가나라", "나다"]
OTHER = ["가나", "나다라마", "다라마", "나", "가나다라마바"]
# Neither a byte nor a word for each letter
MIXED = ["가 나 abc", "a", "가나", "나 b c"]
OTHERS_MIXED = ["가나", "나다 라마", "abcde f", "나"]


def partial(first, second):
    """Prefers what is read first, and what is longer, and a good word."""
    good = first.count("나") - 0.6 * second.count("나") ** 2
    return 1 / (1 + math.exp(-0.7 - 0.35 * (len(first) - len(second)) - good))


verdict = values_of(
    [
        (['partial', ['가나다라마', '가', '가나다', '가나라', '나다'], ['가나', '나다라마', '다라마', '나', '가나다라마바']], (0.48035753, 0.51028921)),
        (['partial', ['가 나 abc', 'a', '가나', '나 b c'], ['가나', '나다 라마', 'abcde f', '나']], (0.49769516, 0.49769516)),
        (['partial', ['가나다', '가'], ['가', '가나다라']], (0.47536377, 0.53653939)),
    ]
)


def assert_verdict(found, expected):
    assert isinstance(found, tuple | list) and len(found) == 2, "승률 둘을 함께 돌려주십시오."
    for name, one, other in zip(("자리를 바꾼 승률", "길이가 같을 때의 승률"), found, expected, strict=True):
        assert abs(float(one) - other) < 1e-6, f"{name}: {other:.4f} 대신 {float(one):.4f}."


@points(0.25, "judge_fairly", read="ev-judges", step="warm-up")
def test_a_judge_that_reads_only_the_first(student):
    """무엇을 읽든 먼저 읽은 글이 0.8로 낫다는 심판은 자리를 바꾸면 아무것도 말하지 않습니다. 승률은 0.5입니다."""
    found = student.judge_fairly(lambda first, second: 0.8, ["가나", "가"], ["나", "나다"])
    assert_verdict(found, (0.5, 0.5))


@points(0.5, "judge_fairly", read="ev-judges")
def test_both_orders_and_both_lengths(student):
    """두 차례의 평균이 쌍마다의 값이고, 그 값을 길이의 차에 놓은 직선이 0을 지나는 높이가 둘째 수입니다."""
    assert_verdict(student.judge_fairly(partial, LONG, OTHER), verdict(partial, LONG, OTHER))


@observes("judge_fairly")
def observe_judge_fairly(student):
    fair, asked = student.judge_fairly, []

    def counted(first, second):
        asked.append((first, second))
        return partial(first, second)

    def right(a, b):
        return all(
            abs(x - y) < 1e-4 for x, y in zip(fair(partial, a, b), verdict(partial, a, b), strict=True)
        )

    def calls():
        asked.clear()
        fair(counted, list(LONG), list(OTHER))
        both = [(x, y) for x, y in zip(LONG, OTHER, strict=True)]
        return len(asked) == 10 and set(asked) == {*both, *((y, x) for x, y in both)}

    def kept():
        a, b = list(LONG), list(OTHER)
        fair(partial, a, b)
        return a == LONG and b == OTHER

    refused = [
        (partial, LONG, OTHER[:4]),
        (partial, [], []),
        (partial, ["가"], ["가나"]),
        (partial, ["가", "나"], ["나다", "다라"]),
    ]
    return up_to_the_first_wrong(
        (lambda: len(fair(partial, LONG, OTHER)), 2),
        (lambda: float(fair(partial, LONG, OTHER)[0]), verdict(partial, LONG, OTHER)[0]),
        (lambda: float(fair(partial, LONG, OTHER)[1]), verdict(partial, LONG, OTHER)[1]),
        (lambda: right(["가나다", "가"], ["가", "가나다라"]), True),
        (lambda: float(fair(partial, MIXED, OTHERS_MIXED)[1]), verdict(partial, MIXED, OTHERS_MIXED)[1]),
        (calls, True),
        (lambda: [how_refused(fair, *given) for given in refused], ["refused"] * 4),
        (kept, True),
    )  # fmt: skip
