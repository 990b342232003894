"""What the exercise `interpretability` is graded by."""

from itertools import permutations

import torch

from grader.judging.suite import assert_close, follows_device, mutated, observes, outcome, place, points

# attention_rollout ------------------------------------------------------------------------------------------

FIRST, SECOND = torch.tensor([[0.5, 0.5], [0.0, 1.0]]), torch.tensor([[1.0, 0.0], [0.5, 0.5]])
FLAT = torch.tensor([[0.5, 0.5], [0.5, 0.5]])


def layers_of(*matrices):
    """One sentence and one head a layer."""
    return [matrix[None, None] for matrix in matrices]


def random_layers(rng, layers=3, batch=2, heads=3, n=5):
    scores = torch.randn(layers, batch, heads, n, n, generator=rng, dtype=torch.float64)
    return list((2 * scores).softmax(dim=-1))


@points(
    0.75,
    question="attention_rollout",
    hint="층마다 r·I + (1 - r)·A를 만들고, 나중 층을 왼쪽에서 곱합니다. 두 층이면 둘째 층 @ 첫째 층입니다.",
    read="interpretability#interpretability-rollout",
)
def test_two_layers_by_hand(student):
    rollout = student.attention_rollout(layers_of(FIRST, SECOND))
    assert_close(rollout, torch.tensor([[[0.75, 0.25], [0.1875, 0.8125]]]))
    rollout = student.attention_rollout(layers_of(FIRST, SECOND), residual=0.2)
    assert_close(rollout, torch.tensor([[[0.6, 0.4], [0.24, 0.76]]]))


@points(
    0.25,
    question="attention_rollout",
    hint="층 안에서는 헤드를 평균합니다. 최댓값이나 합을 쓰면 행의 합이 1이 아닙니다.",
    read="interpretability#interpretability-rollout-mistakes",
)
def test_heads_are_averaged(student):
    heads = torch.stack([torch.eye(2), torch.eye(2).flip(0)])[None]
    assert_close(student.attention_rollout([heads]), torch.tensor([[[0.75, 0.25], [0.25, 0.75]]]))


@observes("attention_rollout")
def observe_attention_rollout(student):
    third = torch.tensor([[0.2, 0.8], [0.9, 0.1]])
    two_heads = torch.stack([FIRST, third])[None]
    layers = [two_heads, layers_of(SECOND)[0].expand(1, 2, 2, 2), two_heads.flip(1)]
    return [
        outcome(student.attention_rollout, layers),
        outcome(lambda: student.attention_rollout(layers, residual=0.2)),
        outcome(lambda: student.attention_rollout(layers_of(FIRST, third), residual=0.0)),
        follows_device(student, student.attention_rollout, [layer.double() for layer in layers]),
    ]




# erasure_scores ---------------------------------------------------------------------------------------------


def total(ids):
    return ids.double().sum(dim=-1)


def by_place(ids):
    """Each place counts differently, and neighbours count together: nothing that is merely a sum."""
    places = 1 + torch.arange(ids.shape[-1], dtype=torch.float64, device=ids.device)
    together = (ids[..., 1:] * ids[..., :-1]).double().sum(dim=-1)
    return (ids * places).sum(dim=-1) + 0.1 * together


@points(
    0.75,
    question="erasure_scores",
    hint="지우지 않은 예측에서 지운 예측을 뺍니다. 토큰 하나씩 따로 지웁니다.",
    read="interpretability#interpretability-erasure",
)
def test_a_sum_falls_by_its_terms(student):
    assert_close(student.erasure_scores(total, torch.tensor([1, 2, 3]), 0), torch.tensor([1.0, 2.0, 3.0]))
    assert_close(student.erasure_scores(total, torch.tensor([6, 2, 9]), 4), torch.tensor([2.0, -2.0, 5.0]))


@points(
    0.25,
    question="erasure_scores",
    hint="ids를 고치지 말고 베껴서 바꿉니다. 토큰을 빼지 않고 mask_id로 바꾸므로 길이는 그대로입니다.",
    read="interpretability#interpretability-erasure-mistakes",
)
def test_the_sentence_keeps_its_length(student):
    lengths = []

    def predict(ids):
        lengths.append(ids.shape[-1])
        return total(ids)

    ids = torch.tensor([7, 5, 8, 6])
    assert mutated(student.erasure_scores, total, ids, 1) == [], "ids가 바뀌었습니다."
    assert_close(student.erasure_scores(predict, ids, 1), torch.tensor([6.0, 4.0, 7.0, 5.0]))
    assert set(lengths) == {4}, "predict에 넘긴 문장의 길이가 달라졌습니다."


@observes("erasure_scores")
def observe_erasure_scores(student):
    ids = torch.tensor([4, 7, 2, 9])
    return [
        outcome(student.erasure_scores, by_place, ids.clone(), 3),
        outcome(student.erasure_scores, total, ids.clone(), 5),
        mutated(student.erasure_scores, total, ids.clone(), 1),
        outcome(student.erasure_scores, total, ids[:1].clone(), 0),
    ]




# counterfactual_weights -------------------------------------------------------------------------------------

ROW = torch.tensor([0.6, 0.0, 0.3, 0.1])  # three visible places: six orders


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def many(student, count, seed=0):
    """`ROW` `count` times over, counterfactually."""
    return student.counterfactual_weights(ROW.expand(1, count, 4).clone(), seeded(seed))[0]


@points(
    0.75,
    question="counterfactual_weights",
    hint="행마다 같은 값들이 다른 차례로 있어야 하고, 0이던 자리는 0이어야 합니다.",
    read="interpretability#interpretability-counterfactual",
)
def test_values_stay_and_move(student):
    found = many(student, 40)
    assert_close(found.sort(dim=-1).values, ROW.sort().values.expand(40, 4))
    assert_close(found[:, 1], torch.zeros(40))
    assert (found != ROW).any(), "아무 행도 바뀌지 않았습니다."
    assert len(found.unique(dim=0)) > 1, "모든 행을 같은 차례로 섞었습니다."


@points(
    0.25,
    question="counterfactual_weights",
    hint="난수는 generator에서만 얻습니다. 받은 weights는 그대로 둡니다.",
    read="interpretability#interpretability-counterfactual-mistakes",
)
def test_randomness_comes_from_the_generator(student):
    same = [many(student, 40, seed) for seed in (1, 1, 2)]
    assert_close(same[0], same[1])
    assert not torch.equal(same[0], same[2]), "generator가 달라도 결과가 같습니다."
    weights = ROW.expand(2, 5, 4).clone()
    found = mutated(student.counterfactual_weights, weights, seeded(3))
    assert 0 not in found, "weights가 바뀌었습니다."


@observes("counterfactual_weights")
def observe_counterfactual_weights(student):
    def properties():
        row = torch.tensor([0.4, 0.0, 0.3, 0.2, 0.1])
        weights = row.expand(2, 300, 5).clone()
        found, again, *others = (
            student.counterfactual_weights(weights.clone(), seeded(seed)) for seed in (0, 0, 1, 2)
        )
        fixed = all(torch.equal(found, other) for other in others)
        orders = len(found.flatten(0, 1).unique(dim=0))
        return {
            "values kept": torch.equal(found.sort(-1).values, weights.sort(-1).values),
            "zeros kept": bool((found[..., 1] == 0).all()),
            "orders": orders if orders < 24 else 24,
            "orders in a head": min(len(found[0].unique(dim=0)), 24),
            "heads alike": torch.equal(found[0], found[1]),
            "same again": torch.equal(found, again),
            "always": found[0, 0] if fixed else None,
            "sums": found[0, 0].sum().item(),
        }

    rows = torch.eye(4)[None] * 0.5 + 0.5 * torch.eye(4).roll(1, 0)
    return [
        outcome(properties),
        mutated(student.counterfactual_weights, ROW.expand(2, 5, 4).clone(), seeded(3)) != [],
        outcome(lambda: torch.equal(student.counterfactual_weights(rows.clone(), seeded(0)), rows)),
    ]




# total_variation --------------------------------------------------------------------------------------------


@points(
    0.5,
    question="total_variation",
    hint="차이의 절댓값을 마지막 축에서 더해 반으로 나눕니다. 겹치는 곳이 없는 두 분포는 1입니다.",
    read="interpretability#interpretability-counterfactual",
)
def test_by_hand(student):
    p = torch.tensor([[0.7, 0.2, 0.1, 0.0], [1.0, 0.0, 0.0, 0.0], [0.4, 0.3, 0.2, 0.1], [0.5, 0.2, 0.2, 0.1]])
    q = torch.tensor([[0.1, 0.2, 0.7, 0.0], [0.0, 0.4, 0.3, 0.3], [0.1, 0.2, 0.3, 0.4], [0.5, 0.2, 0.2, 0.1]])
    assert_close(student.total_variation(p, q), torch.tensor([0.6, 1.0, 0.4, 0.0]))


@observes("total_variation")
def observe_total_variation(student):
    p = torch.tensor([[[0.5, 0.25, 0.125, 0.125], [0.7, 0.1, 0.1, 0.1]]])
    q = torch.tensor([[[0.2, 0.1, 0.3, 0.4], [0.1, 0.4, 0.3, 0.2]]])
    return [outcome(student.total_variation, p, q), outcome(student.total_variation, p[0, 0], q[0, 0])]




# head_importance --------------------------------------------------------------------------------------------

TERMS = torch.tensor([[3.0, 1.0, 0.0], [0.5, -2.0, 4.0]])


def additive(mask):
    return 10.0 - float((TERMS * mask).sum())


def backed_up(mask):
    """The first two heads of layer 1 replace each other; head 3 of layer 2 needs the first of layer 1."""
    a, b, c = mask[0, 0].item(), mask[0, 1].item(), mask[1, 2].item()
    return 5.0 - 2.0 * max(a, b) - 1.5 * a * c - 0.25 * mask.sum().item()


@points(
    0.75,
    question="head_importance",
    hint="헤드 하나만 0으로 둔 마스크로 손실을 구하고, 모두 1일 때의 손실을 뺍니다.",
    read="interpretability#interpretability-heads",
)
def test_additive_loss_gives_its_terms(student):
    assert_close(student.head_importance(additive, 2, 3), TERMS, atol=1e-5)


@observes("head_importance")
def observe_head_importance(student):
    kinds = set()

    def loss(mask):
        kinds.add(str(mask.dtype).removeprefix("torch."))
        return backed_up(mask.float())

    found = outcome(student.head_importance, loss, 2, 3)
    return [found, sorted(kinds), outcome(student.head_importance, additive, 2, 3)]




# induction_score --------------------------------------------------------------------------------------------

IDS = torch.tensor([5, 1, 5, 2, 5, 3])


def head_of(n, **places):
    """One head, (1, n, n), with weights such as w2_1=0.8 from place 2 to place 1."""
    weights = torch.zeros(1, n, n)
    for name, weight in places.items():
        i, j = map(int, name[1:].split("_"))
        weights[0, i, j] = weight
    return weights


def after_the_last(ids):
    """The ideal head: all weight on what followed the same token last time, on the first token otherwise."""
    weights = torch.zeros(len(ids), len(ids))
    for i, token in enumerate(ids.tolist()):
        earlier = [j for j in range(i) if ids[j] == token]
        weights[i, earlier[-1] + 1 if earlier else 0] = 1
    return weights


@points(
    0.5,
    question="induction_score",
    hint="같은 토큰이 마지막으로 나온 자리의 바로 다음에 준 가중치를, 앞에 같은 토큰이 있는 위치에서만 평균합니다.",
    read="interpretability#interpretability-induction-score",
)
def test_induction_by_hand(student):
    weights = torch.cat([
        head_of(6, w2_1=0.8, w4_3=0.6, w4_1=0.3, w1_0=1.0, w3_2=1.0),
        head_of(6, w2_0=1.0, w4_2=1.0),
        after_the_last(IDS)[None],
    ])  # fmt: skip
    assert_close(student.induction_score(weights, IDS), torch.tensor([0.7, 0.0, 1.0]))


@points(
    0.25,
    question="induction_score",
    hint="앞에 같은 토큰이 있는 위치가 없으면 모든 헤드가 0입니다. 빈 평균은 NaN입니다.",
    read="interpretability#interpretability-induction-mistakes",
)
def test_no_repeats_give_zero(student):
    weights = torch.full((2, 4, 4), 0.25)
    assert_close(student.induction_score(weights, torch.tensor([3, 1, 2, 7])), torch.zeros(2))


@observes("induction_score")
def observe_induction_score(student):
    ids = torch.tensor([5, 1, 5, 5, 2, 1, 4])
    weights = (1 + torch.arange(98.0).reshape(2, 7, 7)).sqrt() / 10
    return [
        outcome(student.induction_score, weights, ids),
        outcome(student.induction_score, weights[:, :3, :3], ids[[0, 1, 4]]),
        follows_device(student, student.induction_score, weights, ids),
    ]
