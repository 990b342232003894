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
from grader.judging.values import secret

# yarn_frequencies -------------------------------------------------------------------------------------------

LLAMA = 128, 10_000.0, 16.0, 4096  # dim, base, factor, the length it was trained at
SHORT = 16, 10_000.0, 4.0, 64
OTHERS = 32, 500.0, 8.0, 256, 8.0, 2.0
TURNING = 16, 10_000.0, 4.0, 131_072  # so long that the last pair turns


@secret
def speeds(dim, base, factor, length, fast=32.0, slow=1.0):
    """Pair by pair, as the formula says it."""
    first, last = (
        dim * math.log(length / (turns * 2 * math.pi)) / (2 * math.log(base)) for turns in (fast, slow)
    )
    first, found = max(first, 0), []
    for i in range(dim // 2):
        theta = 1 / base ** (2 * i / dim)
        kept = 1 - min(max((i - first) / (last - first), 0), 1)
        found.append(theta * kept + theta / factor * (1 - kept))
    return torch.tensor(found, dtype=torch.float64)


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


### BEGIN HIDDEN TESTS
@points(0.5, "yarn_frequencies", read="ev-yarn")
def test_any_heads(student, rng):
    """차원, 밑, 길이, 두 한계가 얼마든 같은 식입니다. 가장 빠른 한계는 0보다 작아지지 않고, 느린 한계는 마지막 쌍을 넘을 수 있습니다."""
    for dim, base, length in [
        (64, 150_000.0, 4096),
        (8, 100.0, 64),
        (256, 1e7, 262_144),
        (6, 50.0, 40),
        (16, 1e4, 131_072),
    ]:
        factor = 1 + 31 * torch.rand((), generator=rng).item()
        assert_speeds(student.yarn_frequencies(dim, base, factor, length), dim, base, factor, length)
        given = dim, base, factor, length, 6.5, 1.5
        assert_speeds(student.yarn_frequencies(*given), *given)


@points(0.5, "yarn_frequencies", read="ev-yarn")
def test_scores_grow_with_the_factor(student):
    """t는 0.1 ln s + 1입니다. 8배이면 1.2079이고, 32배이면 1.3466입니다."""
    for factor, expected in [
        (8.0, 1.2079441541679836),
        (32.0, 1.3465735902799727),
        (40.0, 1.3688879454113936),
    ]:
        t = student.yarn_frequencies(64, 10_000.0, factor, 4096)[1]
        assert abs(t - expected) < 1e-9, f"{factor:g}배의 t가 {expected:.4f}이어야 합니다."


@points(0.25, "yarn_frequencies", read="ev-grading", step="robust")
def test_what_yarn_cannot_be(student):
    """홀수인 dim, 1보다 작은 factor, 사이가 없는 두 한계는 ValueError입니다. 각속도는 float64이고, t는 텐서가 아니라 파이썬의 실수입니다."""
    found, t = student.yarn_frequencies(*LLAMA)
    assert found.dtype == torch.float64, "float64가 아닙니다."
    assert isinstance(t, float), f"t가 {type(t).__name__}입니다."
    for given in [
        (7, 1e4, 4.0, 64),
        (8, 1e4, 0.5, 64),
        (8, 1e4, 4.0, 64, 2.0, 2.0),
        (8, 1e4, 4.0, 64, 1.0, 2.0),
    ]:
        assert refuses(student.yarn_frequencies, *given), f"{given}: ValueError를 내지 않았습니다."


### END HIDDEN TESTS


# strided_nll ------------------------------------------------------------------------------------------------

VOCAB = 5


def table():
    return 3 * scattered((VOCAB, 40), 3)


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


@secret
def nll_of(ids, window, stride):
    """Token by token: of all windows that predict it the first."""
    found = []
    for t in range(1, len(ids)):
        start = next(s for s in range(0, len(ids), stride) if s < t < s + window)
        scores = reads_all(ids[start : start + window])[t - 1 - start]
        found.append(scores.logsumexp(-1) - scores[ids[t]])
    return torch.stack(found)


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


### BEGIN HIDDEN TESTS
@points(0.5, "strided_nll", read="ev-stride")
def test_any_windows(student, rng):
    """글과 창과 걸음이 얼마든 결과는 n - 1개입니다. 걸음이 1이면 토큰마다 앞말이 가장 길고, 마지막 창은 짧을 수 있습니다."""
    for n, window, stride in [(2, 5, 1), (9, 2, 1), (20, 7, 6), (17, 8, 3), (16, 8, 4), (5, 5, 2), (6, 5, 2)]:
        ids = torch.randint(VOCAB, (n,), generator=rng)
        assert_close(student.strided_nll(reads_all, ids, window, stride), nll_of(ids, window, stride))


@points(0.5, "strided_nll", read="ev-stride")
def test_one_call_for_each_window(student):
    """창마다 모델을 한 번만 부르고, 글의 끝에 닿으면 멈춥니다. 창은 window보다 길지 않습니다."""
    for n, window, stride, lengths in [(6, 4, 2, [4, 4]), (11, 6, 4, [6, 6, 3]), (4, 9, 1, [4])]:
        seen, ids = [], a_text(n)

        def model(part, seen=seen):
            seen.append(part.tolist())
            return reads_all(part)

        student.strided_nll(model, ids, window, stride)
        expected = [ids[i * stride :][:length].tolist() for i, length in enumerate(lengths)]
        assert seen == expected, f"창의 길이가 {lengths}이어야 하는데 {list(map(len, seen))}입니다."


@points(0.25, "strided_nll", read="ev-grading", step="robust")
def test_strides_that_leave_tokens_out(student):
    """걸음은 1부터 window - 1까지입니다. 큰 로짓에서도 값은 유한하고, 자료형은 로짓을, 장치는 ids를 따릅니다."""
    found = student.strided_nll(lambda part: 1000 * reads_all(part).float(), a_text(9), 5, 3)
    assert found.isfinite().all(), "무한대나 NaN이 있습니다."
    assert found.dtype == torch.float32, "자료형이 로짓과 다릅니다."
    assert follows_device(student, student.strided_nll, place(student, reads_all_there), a_text(9), 5, 3), (
        "장치가 ids를 따르지 않습니다."
    )
    for stride in (0, -1, 4, 5):
        assert refuses(student.strided_nll, reads_all, a_text(9), 4, stride), "ValueError를 내지 않았습니다."


### END HIDDEN TESTS


# choice_scores ----------------------------------------------------------------------------------------------

LENGTHS = [[3, 1, 2], [2, 4, 0]]


def choices(junk=math.nan):
    """log_probs, mask, byte_lengths, prior of two questions; the second has one choice less."""
    lengths = torch.tensor(LENGTHS)
    mask = torch.arange(4) < lengths[..., None]
    log_probs, prior = -1.2 - scattered((2, 3, 4), 4), -1.6 - scattered((2, 3, 4), 5)
    byte_lengths = 2 * lengths + torch.tensor([[1, 0, 3], [4, 1, 0]])
    return log_probs.masked_fill(~mask, junk), mask, byte_lengths, prior.masked_fill(~mask, junk)


@secret
def scores_of(log_probs, mask, how, byte_lengths, prior):
    """Choice by choice, over its own tokens."""
    found = []
    shape = mask.shape[:-1]
    rows = zip(
        *(x.flatten(0, -2).tolist() for x in (log_probs, mask, prior)),
        byte_lengths.flatten().tolist(),
        strict=True,
    )
    for given, there, before, size in rows:
        own = [x for x, m in zip(given, there, strict=True) if m]
        unasked = sum(x for x, m in zip(before, there, strict=True) if m)
        if not own:
            found.append(-math.inf)
            continue
        total = sum(own)
        found.append({"sum": total, "token": total / len(own), "byte": total / (size or 1), "pmi": total - unasked}[how])  # fmt: skip
    return torch.tensor(found, dtype=torch.float64).reshape(shape)


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


### BEGIN HIDDEN TESTS
@points(0.5, "choice_scores", read="ev-choices")
def test_any_questions(student, rng):
    """물음과 보기와 토큰이 몇 개든 같습니다. 보기의 토큰은 앞에 몰려 있지 않을 수도 있습니다."""
    for shape in [(2, 3), (4, 2, 5), (2, 2, 3, 4)]:
        log_probs, prior = -torch.rand(2, *shape, generator=rng, dtype=torch.float64)
        mask = torch.rand(shape, generator=rng) < 0.6
        mask[..., 0] |= ~mask.any(dim=-1)
        sizes = torch.randint(1, 30, shape[:-1], generator=rng)
        for how in ("sum", "token", "byte", "pmi"):
            found = student.choice_scores(log_probs, mask, how, sizes, prior)
            assert_close(found, scores_of(log_probs, mask, how, sizes, prior))


@points(0.5, "choice_scores", read="ev-choices", step="robust")
def test_what_is_filled_up(student):
    """채운 자리에는 NaN도 있을 수 있고, 토큰이 없는 줄의 점수는 어느 방법이든 음의 무한대입니다."""
    for junk in (math.nan, math.inf, -7.0):
        log_probs, mask, sizes, prior = choices(junk)
        for how in ("sum", "token", "byte", "pmi"):
            found = student.choice_scores(log_probs, mask, how, sizes, prior)
            assert_close(found, scores_of(log_probs, mask, how, sizes, prior))


@points(0.25, "choice_scores", read="ev-grading", step="robust")
def test_choice_scores_has_manners(student):
    """모르는 방법이나 빠진 것은 ValueError입니다. 입력은 바꾸지 않고, 기울기는 log_probs와 prior로 흐릅니다."""
    log_probs, mask, sizes, prior = choices(-7.0)
    assert_manners(student, student.choice_scores, log_probs, mask, "pmi", sizes, prior)
    assert reached(student.choice_scores, log_probs[:1], mask[:1], "pmi", sizes[:1], prior[:1]) == ["0", "4"], (
        "기울기가 흐르지 않습니다."
    )  # fmt: skip
    found = student.choice_scores(log_probs.float(), mask, "byte", sizes)
    assert found.dtype == torch.float32, "자료형이 다릅니다."
    for given in [(log_probs, mask, "mean"), (log_probs, mask, "byte", None, prior), (log_probs, mask, "pmi", sizes)]:  # fmt: skip
        assert refuses(student.choice_scores, *given), f"{given[2]}: ValueError를 내지 않았습니다."


### END HIDDEN TESTS


# paired_difference ------------------------------------------------------------------------------------------

A, B = [1, 1, 0, 1, 0, 1, 1, 0], [1, 0, 0, 1, 1, 0, 0, 0]
GROUPS = [7, 3, 7, 3, 3, -1, -1, 7]


def answers():
    return torch.tensor(A).double(), torch.tensor(B).double(), torch.tensor(GROUPS)


@secret
def difference_of(a, b, groups=None):
    """In fractions up to the root, group by group."""
    d = [Fraction(x) - Fraction(y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    names = list(range(len(d))) if groups is None else groups.tolist()
    mean = sum(d) / len(d)
    sums = {name: sum(x - mean for x, own in zip(d, names, strict=True) if own == name) for name in names}
    variance = Fraction(len(sums), len(sums) - 1) * sum(s * s for s in sums.values()) / len(d) ** 2
    return [torch.tensor(float(x), dtype=torch.float64) for x in (mean, math.sqrt(variance))]


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


### BEGIN HIDDEN TESTS
@points(0.5, "paired_difference", read="ev-clusters")
def test_questions_of_one_passage(student):
    """지문마다 어긋난 것을 먼저 더한 다음 제곱합니다. 지문의 수로 고치고 물음의 수로 나눕니다."""
    assert_pair(student.paired_difference(*answers()), difference_of(*answers()))
    twice = [torch.cat([x, x]) for x in answers()]
    assert_pair(student.paired_difference(*twice), difference_of(*twice))


@points(0.5, "paired_difference", read="ev-clusters")
def test_any_passages(student, rng):
    """지문의 번호와 크기와 차례가 어떻든, 점수가 0과 1이 아니어도 같은 식입니다."""
    for n, passages in [(12, 3), (30, 10), (9, 9), (40, 2)]:
        a, b = torch.rand(2, n, generator=rng, dtype=torch.float64)
        groups = 5 * torch.randint(passages, (n,), generator=rng) - 7
        groups[:2] = torch.tensor([-7, -2])
        assert_pair(student.paired_difference(a, b, groups), difference_of(a, b, groups))
        assert_pair(student.paired_difference(a, b), difference_of(a, b))


@points(0.25, "paired_difference", read="ev-grading", step="robust")
def test_paired_difference_has_manners(student):
    """길이가 다르거나 지문이 하나뿐이면 ValueError입니다. 입력은 바꾸지 않고 자료형과 장치는 입력을 따릅니다."""
    a, b, groups = answers()
    assert_manners(student, student.paired_difference, *answers())
    assert follows_device(student, student.paired_difference, a, b), "지문이 없을 때 장치를 따르지 않습니다."
    assert {x.dtype for x in student.paired_difference(a.float(), b.float(), groups)} == {torch.float32}, (
        "자료형이 다릅니다."
    )
    many = torch.arange(8) * 10**12
    assert_pair(student.paired_difference(a, b, many), difference_of(a, b, many))
    for given in [(a, b[:7]), (a, b, groups[:7]), (a, b, torch.zeros_like(groups)), (a[:1], b[:1])]:
        assert refuses(student.paired_difference, *given), "ValueError를 내지 않았습니다."


### END HIDDEN TESTS


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


@secret
def verdict(judge, a, b):
    """Preferences of both orders, and the normal equations of a line."""
    p = [(judge(x, y) + 1 - judge(y, x)) / 2 for x, y in zip(a, b, strict=True)]
    x = torch.tensor([len(one) - len(other) for one, other in zip(a, b, strict=True)]).double()
    design = torch.stack([torch.ones_like(x), x], dim=-1)
    line = torch.linalg.solve(design.T @ design, design.T @ torch.tensor(p).double())
    return sum(p) / len(p), line[0].item()


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


### BEGIN HIDDEN TESTS
@points(0.5, "judge_fairly", read="ev-judges")
def test_any_answers(student, rng):
    """답이 몇 개이고 얼마나 길든 같은 식입니다."""
    for count in (2, 5, 12):
        lengths = torch.randint(1, 9, (2, count), generator=rng)
        lengths[:, 0], lengths[:, 1] = torch.tensor([2, 7]), torch.tensor([4, 1])
        a, b = ([("나가" * 5)[:size] for size in row] for row in lengths.tolist())
        assert_verdict(student.judge_fairly(partial, a, b), verdict(partial, a, b))


@points(0.5, "judge_fairly", read="ev-length")
def test_a_judge_that_counts_letters(student):
    """긴 글을 길이만큼 좋아하기만 하는 심판이면, 길이가 같을 때의 승률은 0.5입니다."""

    def counts(first, second):
        return 0.5 + 0.04 * (len(first) - len(second))

    for given in [(LONG, OTHER), (MIXED, OTHERS_MIXED)]:
        assert_verdict(student.judge_fairly(counts, *given), verdict(counts, *given))
    longer = ["가나다라", "나다", "다라마바사"]
    assert_verdict(student.judge_fairly(counts, longer, ["가", "나", "다"]), (0.6066666666666667, 0.5))


@points(0.25, "judge_fairly", read="ev-grading", step="robust")
def test_what_cannot_be_judged(student):
    """수가 다르거나, 비었거나, 길이의 차가 모두 같으면 ValueError입니다. 심판은 쌍마다 두 차례로 한 번씩만 부릅니다."""
    asked = []

    def judge(first, second):
        asked.append((first, second))
        return outcome(partial, first, second)

    student.judge_fairly(judge, LONG, OTHER)
    pairs = list(zip(LONG, OTHER, strict=True))
    assert sorted(asked) == sorted([*pairs, *((y, x) for x, y in pairs)]), (
        f"심판을 {len(asked)}번 불렀습니다."
    )
    for a, b in [(LONG, OTHER[:4]), ([], []), (["가"], ["가나"]), (["가", "나"], ["나다", "다라"])]:
        assert refuses(student.judge_fairly, partial, a, b), f"{a}: ValueError를 내지 않았습니다."


### END HIDDEN TESTS
