"""What the exercise `reasoning` is graded by."""

import math
from fractions import Fraction
from itertools import combinations

import torch

from grader.judging.contract import assert_manners, bad_manners, finite_gradients, how_refused
from grader.judging.observed import same, up_to_the_first_wrong
from grader.judging.suite import assert_close, gradients, observes, points, reached, refuses, scattered
from grader.judging.values import secret

# completion_log_probs ---------------------------------------------------------------------------------------

EOS = 4
IDS = [[1, 2, 3, 0, 4, 4, 0], [4, 2, 4, 1, 2, 3, 4], [2, 0, 1, 3, 1, 2, 2]]
LENGTHS = [2, 3, 1]


def written():
    """logits, ids, prompt_lengths: an end with padding behind it, ends in a prompt, no end at all."""
    return 3 * scattered((3, 7, 5), 1), torch.tensor(IDS), torch.tensor(LENGTHS)


@secret
def chosen(ids, lengths, eos=EOS):
    """Token by token: behind the prompt, and no end before it."""
    mask = torch.zeros(len(ids), len(ids[0]) - 1, dtype=torch.bool)
    for i, (row, length) in enumerate(zip(ids, lengths, strict=True)):
        for t in range(length, len(row)):
            mask[i, t - 1] = True
            if row[t] == eos:
                break
    return mask


@secret
def log_probs_of(logits, ids, lengths, temperature=1.0):
    """Each chosen token's scores against those of all others."""
    mask, found = chosen(ids, lengths), torch.zeros(len(ids), len(ids[0]) - 1, dtype=torch.float64)
    for i, t in mask.nonzero().tolist():
        scores = logits[i, t] / temperature
        found[i, t] = scores[ids[i][t + 1]] - scores.logsumexp(-1)
    return found


@points(0.25, "completion_log_probs", read="reason-chosen", step="warm-up")
def test_one_choice_by_hand(student, device):
    """물음이 토큰 둘이면 마지막 토큰 하나만 골랐습니다. 그 로그 확률은 위치 1의 로짓에서 옵니다. 열은 n - 1개이고 나머지는 0입니다."""
    logits = torch.tensor([[[9.0, 0.0], [0.0, math.log(3.0)], [0.0, 9.0]]], device=device)
    ids, lengths = torch.tensor([[0, 1, 1]], device=device), torch.tensor([2], device=device)
    found, mask = student.completion_log_probs(logits, ids, lengths, 0)
    assert_close(mask.bool(), torch.tensor([[False, True]]))
    assert_close(found, torch.tensor([[0.0, -0.2876821]]))


@points(0.5, "completion_log_probs", read="reason-chosen")
def test_from_the_prompt_to_the_first_end(student):
    """고른 것은 물음 바로 뒤부터 처음 나온 끝 토큰까지입니다. 끝 토큰도 골랐습니다. 줄마다 물음의 길이가 다릅니다."""
    logits, ids, lengths = written()
    found, mask = student.completion_log_probs(logits, ids, lengths, EOS)
    assert_close(mask.bool(), chosen(IDS, LENGTHS))
    assert_close(found, log_probs_of(written()[0], IDS, LENGTHS))


@observes("completion_log_probs")
def observe_completion_log_probs(student):
    def call(**options):
        return student.completion_log_probs(*written(), EOS, **options)

    def far():
        logits, ids, lengths = written()
        return call_with(1000 * logits, ids, lengths)

    def call_with(logits, ids, lengths):
        found, _ = student.completion_log_probs(logits, ids, lengths, EOS)
        return same(found, log_probs_of(logits, ids.tolist(), lengths.tolist()))

    return up_to_the_first_wrong(
        (lambda: [list(part.shape) for part in call()], [[3, 6], [3, 6]]),
        (lambda: call()[1].long(), chosen(IDS, LENGTHS).long()),
        (lambda: call()[0].double(), log_probs_of(written()[0], IDS, LENGTHS)),
        (lambda: call(temperature=0.5)[0].double(), log_probs_of(written()[0], IDS, LENGTHS, 0.5)),
        (far, True),
        (lambda: str(call()[1].dtype), "torch.bool"),
        (lambda: [how_refused(student.completion_log_probs, *written(), EOS, t) for t in (0.0, -1.0)], ["refused"] * 2),
        (lambda: bad_manners(student, student.completion_log_probs, *written(), EOS), "none"),
    )  # fmt: skip


### BEGIN HIDDEN TESTS
@points(0.5, "completion_log_probs", read="reason-chosen")
def test_any_completions(student, rng):
    """물음 안의 끝 토큰은 끝이 아니고, 물음 뒤의 첫 끝 토큰 뒤는 세지 않습니다. 길이와 어휘가 얼마든 같습니다."""
    for batch, n, vocab in [(4, 9, 3), (2, 5, 6), (1, 2, 4), (6, 12, 2)]:
        logits = torch.randn(batch, n, vocab, generator=rng, dtype=torch.float64)
        ids = torch.randint(vocab, (batch, n), generator=rng)
        lengths = torch.randint(1, n + 1, (batch,), generator=rng)
        if batch > 1:
            ids[-1], lengths[-1] = 0, 1  # a text without an end
        ids[0, 0] = vocab - 1
        found, mask = student.completion_log_probs(logits, ids, lengths, vocab - 1)
        expected = chosen(ids.tolist(), lengths.tolist(), vocab - 1)
        assert_close(mask.bool(), expected)
        right = logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None])[..., 0]
        assert_close(found, torch.where(expected, right, 0.0))


@points(0.5, "completion_log_probs", read="reason-chosen")
def test_drawn_at_a_temperature(student):
    """뽑을 때의 온도로 로짓을 나눈 다음 로그 확률을 구합니다. 글을 쓴 분포가 그것입니다."""
    for temperature in (0.5, 0.7, 2.0):
        found, _ = student.completion_log_probs(*written(), EOS, temperature)
        assert_close(found, log_probs_of(written()[0], IDS, LENGTHS, temperature))


@points(0.25, "completion_log_probs", read="reason-grading", step="robust")
def test_completion_log_probs_has_manners(student):
    """온도는 0보다 커야 하고, 큰 로짓에서도 로그 확률은 유한합니다. 마스크는 bool이며, 로짓으로 기울기가 흐르고 입력은 바꾸지 않습니다."""
    logits, ids, lengths = written()
    found, mask = student.completion_log_probs(1000 * logits, ids, lengths, EOS)
    assert_close(found, log_probs_of(1000 * logits, IDS, LENGTHS))
    assert mask.dtype == torch.bool, "마스크가 bool이 아닙니다."
    assert student.completion_log_probs(logits.float(), ids, lengths, EOS)[0].dtype == torch.float32
    assert reached(student.completion_log_probs, *written(), EOS) == ["0"], "기울기가 흐르지 않습니다."
    assert_manners(student, student.completion_log_probs, *written(), EOS)
    for temperature in (0.0, -1.0):
        refused = refuses(student.completion_log_probs, *written(), EOS, temperature)
        assert refused, "ValueError를 내지 않았습니다."


### END HIDDEN TESTS


# group_advantages -------------------------------------------------------------------------------------------


def rewards():
    return torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0.5], [3, -1, 2, 0]], dtype=torch.float64)


@secret
def advantages_of(given):
    """Group by group, in fractions up to the root."""
    rows = []
    for row in given.reshape(-1, given.shape[-1]).tolist():
        mean = sum(map(Fraction, row)) / len(row)
        variance = sum((Fraction(r) - mean) ** 2 for r in row) / len(row)
        rows.append([float(Fraction(r) - mean) / math.sqrt(variance) if variance else 0.0 for r in row])
    return torch.tensor(rows, dtype=torch.float64).reshape(given.shape)


def alike_groups(value=0.1, size=3):
    return torch.full((2, size), value, dtype=torch.float64)


@points(0.25, "group_advantages", read="reason-group", step="warm-up")
def test_one_right_of_four(student, device):
    """넷 가운데 하나가 맞으면 평균은 0.25, 표준편차는 0.433입니다. 무리의 평균을 빼고 표준편차로 나누십시오. G로 나눈 표준편차입니다."""
    found = student.group_advantages(torch.tensor([[1.0, 0.0, 0.0, 0.0]], device=device))
    assert_close(found, torch.tensor([[1.7320508, -0.5773503, -0.5773503, -0.5773503]]))


@points(0.5, "group_advantages", read="reason-group")
def test_each_group_for_itself(student):
    """평균도 표준편차도 무리마다 따로 구합니다. 무리는 마지막 축입니다."""
    assert_close(student.group_advantages(rewards()), advantages_of(rewards()))
    apart = torch.cat([rewards(), 100 + 10 * rewards()])
    assert_close(student.group_advantages(apart), advantages_of(apart))


@observes("group_advantages")
def observe_group_advantages(student):
    advantages = student.group_advantages

    def zero(given):
        return bool((advantages(given) == 0).all())

    def right(given):
        return same(advantages(given.clone()), advantages_of(given))

    return up_to_the_first_wrong(
        (lambda: list(advantages(rewards()).shape), [3, 4]),
        (lambda: advantages(rewards()).double(), advantages_of(rewards())),
        (lambda: [right(rewards()[0]), right(torch.stack([rewards(), 2 - rewards()]))], [True] * 2),
        (lambda: [right(1e-7 * rewards()), right(1e6 * rewards())], [True] * 2),
        (lambda: same(advantages((1000 + rewards()).float()), advantages_of(rewards())), True),
        (lambda: zero(torch.ones(2, 4).double()), True),
        (lambda: zero(alike_groups()), True),
        (lambda: zero(torch.tensor([[5.0]]).double()), True),
        (lambda: bad_manners(student, advantages, rewards(), learns=[]), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "group_advantages", read="reason-group")
def test_any_groups(student, rng):
    """앞의 축이 몇이든, 무리가 얼마나 크든 같은 식입니다."""
    for shape in [(5,), (3, 2), (2, 3, 8), (4, 16)]:
        given = torch.randn(*shape, generator=rng, dtype=torch.float64)
        assert_close(student.group_advantages(given.clone()), advantages_of(given))
    given = (torch.rand(6, 8, generator=rng) < 0.5).double()
    assert_close(student.group_advantages(given.clone()), advantages_of(given))


@points(0.5, "group_advantages", read="reason-edges", step="robust")
def test_groups_of_equal_rewards(student):
    """보상이 모두 같은 무리의 이점은 꼭 0입니다. 0을 0으로 나누지 말고, 평균의 반올림 오차를 표준편차로 나누지도 마십시오."""
    for given in [torch.zeros(2, 4).double(), torch.ones(3, 8), alike_groups(), alike_groups(0.7, 6).float(), alike_groups(1 / 3, 7)]:  # fmt: skip
        assert_close(student.group_advantages(given.clone()), torch.zeros_like(given), rtol=0, atol=0)
    mixed = torch.stack([torch.full((4,), 0.1), torch.tensor([0.1, 0.1, 0.1, 0.2])]).double()
    assert_close(student.group_advantages(mixed), advantages_of(mixed))


@points(0.25, "group_advantages", read="reason-grading", step="robust")
def test_group_advantages_has_manners(student):
    """보상의 크기도, 0에서 얼마나 먼지도 상관없습니다. 답이 하나뿐인 무리의 이점은 0입니다. 자료형은 입력을 따르고 입력은 바꾸지 않습니다."""
    for scale in (1e-7, 1e6):
        assert_close(student.group_advantages(scale * rewards()), advantages_of(rewards()))
    assert_close(student.group_advantages((1000 + rewards()).float()), advantages_of(rewards()))
    assert_close(student.group_advantages(torch.tensor([[5.0], [0.0]])), torch.zeros(2, 1))
    assert student.group_advantages(rewards().float()).dtype == torch.float32, "자료형이 다릅니다."
    assert_manners(student, student.group_advantages, rewards())


### END HIDDEN TESTS


# clipped_loss -----------------------------------------------------------------------------------------------

MASK = [[1, 1, 1, 1, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]


def steps():
    """log_probs, old_log_probs, advantages, mask: ratios on both sides of both bounds, for both signs."""
    old = -1 - scattered((4, 5), 2).abs()
    return old + 0.6 * scattered((4, 5), 3), old, torch.tensor([1.5, -0.5, 0.7, -1.0]).double(), mask_of(MASK)


def mask_of(rows):
    return torch.tensor(rows).bool()


def of_each_completion(log_probs, old, advantages, mask, low=0.2, high=0.2):
    """Token by token, case by case."""
    means = []
    for new_row, old_row, advantage, kept in zip(
        log_probs, old, advantages.tolist(), mask.tolist(), strict=True
    ):
        gains = []
        for new, before in [
            (n, b) for n, b, k in zip(new_row.tolist(), old_row.tolist(), kept, strict=True) if k
        ]:
            ratio = math.exp(new - before)
            ratio = min(ratio, 1 + high) if advantage > 0 else max(ratio, 1 - low)
            gains.append(ratio * advantage)
        means.append(sum(gains) / max(len(gains), 1))
    return means  # fmt: skip


@secret
def loss_of(log_probs, old, advantages, mask, low=0.2, high=0.2):
    means = of_each_completion(log_probs, old, advantages, mask, low, high)
    return torch.tensor(-sum(means) / len(means), dtype=torch.float64)


@secret
def slope_of(log_probs, old, advantages, mask):
    """The gradient to log_probs: ratio times advantage where more can be gained, else 0."""
    found = torch.zeros_like(log_probs)
    for i, t in mask.nonzero().tolist():
        ratio, advantage = math.exp(log_probs[i, t] - old[i, t]), advantages[i].item()
        if ratio < 1.2 if advantage > 0 else ratio > 0.8:
            found[i, t] = -ratio * advantage / int(mask[i].sum()) / len(mask)
    return found


def nowhere():
    """Where nothing was chosen stand what cannot be computed with."""
    new, old, advantages, mask = steps()
    return new.masked_fill(~mask, -math.inf), old.masked_fill(~mask, -math.inf), advantages, mask


def with_an_empty_one():
    new, old, advantages, mask = steps()
    mask[1] = False
    return new, old, advantages, mask


def with_nothing_to_gain():
    new, old, advantages, mask = steps()
    return new, old, advantages * torch.tensor([1, 0, 1, 1]), mask


@points(0.25, "clipped_loss", read="reason-clip", step="warm-up")
def test_two_tokens_by_hand(student, device):
    """비가 1.5와 0.5이고 이점이 1이면 1.2와 0.5를 얻습니다. 평균은 0.85이고 손실은 부호를 바꾼 것입니다."""
    new = torch.tensor([[1.5, 0.5]], device=device).log()
    one = torch.tensor([1.0], device=device)
    mask = torch.ones(1, 2, dtype=torch.bool, device=device)
    assert_close(student.clipped_loss(new, torch.zeros_like(new), one, mask), torch.tensor(-0.85))


@points(0.5, "clipped_loss", read="reason-clip")
def test_of_both_signs(student):
    """이점이 음수이면 반대쪽을 자릅니다. 자른 것과 자르지 않은 것 가운데 작은 쪽입니다. 글 안에서 평균한 것을 글에 걸쳐 평균합니다."""
    assert_close(student.clipped_loss(*steps()), loss_of(*steps()))


@observes("clipped_loss")
def observe_clipped_loss(student):
    loss = student.clipped_loss

    def finite():
        return [same(loss(*nowhere()), loss_of(*steps())), finite_gradients(loss, *nowhere())]

    return up_to_the_first_wrong(
        (lambda: list(loss(*steps()).shape), []),
        (lambda: loss(*steps()).double(), loss_of(*steps())),
        (lambda: loss(*steps(), 0.1, 0.3).double(), loss_of(*steps(), 0.1, 0.3)),
        (lambda: loss(*steps(), low=0.05, high=0.4).double(), loss_of(*steps(), 0.05, 0.4)),
        (lambda: "0" in reached(loss, *steps()), True),
        (finite, [True, True]),
        (lambda: loss(*with_an_empty_one()).double(), loss_of(*with_an_empty_one())),
        (lambda: loss(*with_nothing_to_gain()).double(), loss_of(*with_nothing_to_gain())),
        (lambda: "1" in reached(loss, *steps()), False),
        (lambda: bad_manners(student, loss, *steps(), learns=["0"]), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "clipped_loss", read="reason-clip")
def test_any_steps(student, rng):
    """비가 어디에 있든 같은 식입니다. 아래와 위의 한계는 따로 정해집니다."""
    assert_close(student.clipped_loss(*steps(), 0.1, 0.4), loss_of(*steps(), 0.1, 0.4))
    for batch, n, low, high in [(3, 4, 0.2, 0.2), (6, 9, 0.1, 0.4), (2, 1, 0.3, 0.05)]:
        old = -torch.rand(batch, n, generator=rng, dtype=torch.float64)
        new = old + torch.randn(batch, n, generator=rng, dtype=torch.float64) / 2
        advantages = torch.randn(batch, generator=rng, dtype=torch.float64)
        mask = torch.rand(batch, n, generator=rng) < 0.6
        mask[:, 0] = True
        given = new, old, advantages, mask
        assert_close(student.clipped_loss(*given, low, high), loss_of(*given, low, high))


@points(0.5, "clipped_loss", read="reason-clip")
def test_where_it_has_a_slope(student):
    """이점이 양수이면 비가 위의 한계를 넘은 토큰에서, 음수이면 아래의 한계를 넘은 토큰에서 기울기가 0입니다. 나머지 토큰에는 기울기가 있습니다."""
    found = gradients(student.clipped_loss, *steps())["inputs"]
    assert_close(found[0], slope_of(*steps()))


@points(0.25, "clipped_loss", read="reason-edges", step="robust")
def test_clipped_loss_has_manners(student):
    """고르지 않은 자리의 값은 무엇이든 상관없고, 고른 것이 없는 글의 몫은 0입니다. 그런 글도 이점이 0인 글도 글의 수에 듭니다. 옛 로그 확률로는 기울기가 흐르지 않습니다."""
    assert_close(student.clipped_loss(*nowhere()), loss_of(*steps()))
    found = gradients(student.clipped_loss, *nowhere())["inputs"]
    assert_close(found[0], slope_of(*steps()))
    for given in (with_an_empty_one(), with_nothing_to_gain()):
        assert_close(student.clipped_loss(*given), loss_of(*given))
    assert "1" not in reached(student.clipped_loss, *steps()), "옛 로그 확률로 기울기가 흐릅니다."
    assert_manners(student, student.clipped_loss, *steps())


### END HIDDEN TESTS


# k3_divergence ----------------------------------------------------------------------------------------------


def two_models():
    policy, reference = (scattered((3, 4), key).mul(2).log_softmax(-1) for key in (5, 6))
    return policy, reference


@secret
def k3_of(log_probs, reference):
    """One number at a time; differences below a thousandth by their series."""
    found = []
    for one, other in zip(log_probs.flatten().tolist(), reference.flatten().tolist(), strict=True):
        d = other - one
        found.append(d**2 / 2 + d**3 / 6 + d**4 / 24 if abs(d) < 1e-2 else math.exp(d) - d - 1)
    return torch.tensor(found, dtype=torch.float64).reshape(log_probs.shape)


def nearly_alike():
    """In float32; the differences themselves are exact."""
    return torch.zeros(3), torch.tensor([2.0**-13, -(2.0**-13), 2.0**-12])


@points(0.25, "k3_divergence", read="reason-kl", step="warm-up")
def test_one_token_by_hand(student, device):
    """정책이 0.5, 기준이 0.25를 준 토큰이면 d = ln 0.5이고 k3은 0.5 + 0.693 - 1입니다."""
    policy, reference = (
        torch.tensor([0.5, 0.5], device=device).log(),
        torch.tensor([0.25, 0.5], device=device).log(),
    )
    assert_close(student.k3_divergence(policy, reference), torch.tensor([0.1931472, 0.0]))  # fmt: skip


@points(0.5, "k3_divergence", read="reason-kl")
def test_token_by_token(student):
    """토큰마다 하나씩, 입력과 같은 모양입니다. d는 기준의 로그 확률에서 정책의 것을 뺀 것입니다."""
    assert_close(student.k3_divergence(*two_models()), k3_of(*two_models()))


@observes("k3_divergence")
def observe_k3_divergence(student):
    k3 = student.k3_divergence

    def small():
        found = k3(*nearly_alike())
        return bool(((found.double() / k3_of(*nearly_alike()) - 1).abs() < 0.01).all())

    return up_to_the_first_wrong(
        (lambda: list(k3(*two_models()).shape), [3, 4]),
        (lambda: k3(*two_models()).double(), k3_of(*two_models())),
        (lambda: [list(k3(x, x).shape) for x in (torch.zeros(()), torch.zeros(2, 1, 3))], [[], [2, 1, 3]]),
        (small, True),
        (lambda: "0" in reached(k3, *two_models()), True),
        (lambda: "1" in reached(k3, *two_models()), False),
        (lambda: bad_manners(student, k3, *two_models(), learns=["0"]), "none"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "k3_divergence", read="reason-kl")
def test_right_on_average(student, rng):
    """정책의 확률로 모든 토큰에 걸쳐 평균하면 꼭 KL이고, 어느 토큰에서도 음수가 아닙니다."""
    for vocab in (2, 5, 9):
        policy, reference = torch.randn(2, vocab, generator=rng, dtype=torch.float64).log_softmax(-1)
        found = student.k3_divergence(policy.clone(), reference.clone())
        assert (found >= 0).all(), "음수가 나왔습니다."
        assert_close((policy.exp() * found).sum(), (policy.exp() * (policy - reference)).sum())


@points(0.25, "k3_divergence", read="reason-kl")
def test_pulls_towards_the_reference(student):
    """정책의 로그 확률에 대한 기울기는 1 - e^d입니다."""
    policy, reference = two_models()
    ones = torch.ones_like(policy)
    found = gradients(student.k3_divergence, policy, reference, cotangent=ones)["inputs"]
    assert_close(found[0], 1 - (reference - policy).exp())


@points(0.25, "k3_divergence", read="reason-edges", step="robust")
def test_nearly_alike(student):
    """d가 작으면 k3은 d의 제곱의 절반입니다. e^d에서 1을 빼며 자릿수를 잃지 마십시오(expm1)."""
    found = student.k3_divergence(*nearly_alike())
    assert_close(found.double(), k3_of(*nearly_alike()), rtol=0.01, atol=0)


@points(0.25, "k3_divergence", read="reason-grading", step="robust")
def test_k3_divergence_has_manners(student):
    """기준의 로그 확률로는 기울기가 흐르지 않습니다. 모양과 자료형은 입력을 따르고 입력은 바꾸지 않습니다."""
    for shape in [(), (5,), (2, 1, 3)]:
        policy, reference = scattered(shape, 7), scattered(shape, 8)
        assert_close(student.k3_divergence(policy, reference), k3_of(policy, reference))
    assert student.k3_divergence(torch.zeros(2), torch.ones(2)).dtype == torch.float32, "자료형이 다릅니다."
    assert reached(student.k3_divergence, *two_models()) == ["0"], "기울기가 흐르는 곳이 다릅니다."
    assert_manners(student, student.k3_divergence, *two_models())


### END HIDDEN TESTS


# pass_at_k --------------------------------------------------------------------------------------------------


def tries(*rights, n=8):
    """For each question so many right ones, in some order."""
    rows = [torch.arange(n).roll(3 * i + 2) < c for i, c in enumerate(rights)]
    return torch.stack(rows)


@secret
def chance_of(right, k):
    """Every set of k tries, counted."""
    shares = []
    for row in right.tolist():
        sets = list(combinations(row, k))
        shares.append(sum(map(any, sets)) / len(sets))
    return sum(shares) / len(shares)


@points(0.25, "pass_at_k", read="reason-tries", step="warm-up")
def test_two_of_four(student):
    """넷 가운데 하나가 맞았으면, 둘을 고르는 여섯 가지 가운데 셋에 맞은 것이 들어 있습니다."""
    found = student.pass_at_k(torch.tensor([[True, False, False, False]]), 2)
    assert_close(torch.tensor(float(found)), torch.tensor(0.5))


@points(0.5, "pass_at_k", read="reason-tries")
def test_question_by_question(student):
    """물음마다 구한 다음 평균합니다. 되돌려 넣지 않고 뽑습니다. 틀린 것이 k개보다 적으면 1입니다."""
    for k in (1, 3, 6):
        right = tries(0, 1, 3, 8)
        assert_close(torch.tensor(float(student.pass_at_k(right, k))).double(), torch.tensor(chance_of(right, k)).double())  # fmt: skip


ALONE = [(2, 1), (2, 3), (4, 2), (5, 3)]


@observes("pass_at_k")
def observe_pass_at_k(student):
    passed = student.pass_at_k

    def many():
        found = passed(torch.arange(2000)[None] < 40, 100)
        return abs(found - 0.87413) < 1e-3

    return up_to_the_first_wrong(
        (lambda: [float(passed(tries(c), k)) for c, k in ALONE], [chance_of(tries(c), k) for c, k in ALONE]),
        (lambda: float(passed(tries(0, 1, 3), 3)), chance_of(tries(0, 1, 3), 3)),
        (lambda: [float(passed(tries(*c), 5)) for c in [(4, 6), (8,), (0,)]], [1.0, 1.0, 0.0]),
        (many, True),
        (lambda: [how_refused(passed, tries(2), k) for k in (0, -1, 9)], ["refused"] * 3),
        (lambda: float(passed(tries(2, 0), 8)), 0.5),
        (lambda: type(passed(tries(2), 3)).__name__, "float"),
    )


### BEGIN HIDDEN TESTS
@points(0.75, "pass_at_k", read="reason-tries")
def test_any_tries(student, rng):
    """맞은 것의 수와 k가 얼마든, 모든 경우를 센 것과 같아야 합니다."""
    for questions, n, k in [(1, 5, 2), (4, 7, 3), (3, 9, 4), (5, 6, 6), (6, 4, 1)]:
        right = torch.rand(questions, n, generator=rng) < torch.rand(questions, 1, generator=rng)
        found = student.pass_at_k(right.clone(), k)
        assert_close(torch.tensor(float(found)).double(), torch.tensor(chance_of(right, k)).double())


@points(0.25, "pass_at_k", read="reason-edges", step="robust")
def test_thousands_of_tries(student):
    """n이 커도 넘치지 않습니다. 계승을 실수로 구하지 마십시오."""
    right = torch.arange(2000)[None] < torch.tensor([[100], [1], [2000]])
    for k in (1, 40, 1000):
        log_missed = [sum(math.log1p(-k / (2000 - i)) for i in range(c)) for c in (100, 1)]
        expected = (sum(1 - math.exp(x) for x in log_missed) + 1) / 3
        assert abs(student.pass_at_k(right.clone(), k) - expected) < 1e-6, f"k = {k}에서 값이 다릅니다."


@points(0.25, "pass_at_k", read="reason-grading", step="robust")
def test_pass_at_k_refuses(student):
    """k는 1부터 n까지이고 나머지는 ValueError입니다. 파이썬의 float을 돌려주고 입력은 바꾸지 않습니다."""
    right = tries(2, 0)
    assert type(student.pass_at_k(right, 8)) is float, "파이썬의 float이 아닙니다."
    assert abs(student.pass_at_k(right, 8) - 0.5) < 1e-9
    assert torch.equal(right, tries(2, 0)), "받은 텐서가 바뀌었습니다."
    for k in (0, -1, 9):
        assert refuses(student.pass_at_k, tries(2, 3), k), "ValueError를 내지 않았습니다."


### END HIDDEN TESTS
