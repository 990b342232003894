"""What the exercise `interpretability` is graded by."""

from itertools import permutations

import torch

from grader.judging.contract import bad_manners, how_refused
from grader.judging.observed import attempt, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    follows_device,
    mutated,
    observes,
    outcome,
    place,
    points,
    refuses,
    scattered,
)


def fault(*faults):
    """The first of the faults (whether it is there, what it is called) that is there.

    Without any, what a mistake passes over, as it does an error: a second slip, such as a tensor made on another
    device, hides no mistake in what is computed.
    """
    return next((name for there, name in faults if there), "NoError")


def worked(function, *args):
    """What a call returns; None where it fails."""
    found = outcome(function, *args)
    return None if isinstance(found, str) else found


def numbers(found):
    """The numbers of a tensor, or of a list, whatever its shape."""
    if isinstance(found, str):
        return found
    return torch.stack([torch.as_tensor(entry) for entry in found]).flatten().tolist()


# attention_rollout ------------------------------------------------------------------------------------------

FIRST, SECOND = torch.tensor([[0.5, 0.5], [0.0, 1.0]]), torch.tensor([[1.0, 0.0], [0.5, 0.5]])
FLAT = torch.tensor([[0.5, 0.5], [0.5, 0.5]])


def layers_of(*matrices):
    """One sentence and one head a layer."""
    return [matrix[None, None] for matrix in matrices]


def random_layers(rng, layers=3, batch=2, heads=3, n=5):
    scores = torch.randn(layers, batch, heads, n, n, generator=rng, dtype=torch.float64)
    return list((2 * scores).softmax(dim=-1))


@points(0.5, "attention_rollout", read="interpretability-rollout", step="warm-up")
def test_two_layers_by_hand(student):
    """층마다 r·I + (1 - r)·A를 만들고, 나중 층을 왼쪽에서 곱합니다. 두 층이면 둘째 층 @ 첫째 층입니다."""
    rollout = student.attention_rollout(layers_of(FIRST, SECOND))
    assert_close(rollout, torch.tensor([[[0.75, 0.25], [0.1875, 0.8125]]]))
    rollout = student.attention_rollout(layers_of(FIRST, SECOND), residual=0.2)
    assert_close(rollout, torch.tensor([[[0.6, 0.4], [0.24, 0.76]]]))


@points(0.25, "attention_rollout", read="interpretability-rollout-mistakes")
def test_heads_are_averaged(student):
    """층 안에서는 헤드를 평균합니다. 최댓값이나 합을 쓰면 행의 합이 1이 아닙니다."""
    heads = torch.stack([torch.eye(2), torch.eye(2).flip(0)])[None]
    assert_close(student.attention_rollout([heads]), torch.tensor([[[0.75, 0.25], [0.25, 0.75]]]))


@observes("attention_rollout")
def observe_attention_rollout(student):
    layers = list((3 * scattered((3, 2, 3, 4, 4), 1)).softmax(dim=-1))
    coarse = [layer.bfloat16() for layer in layers]
    kept = outcome(lambda: student.attention_rollout(coarse).dtype == torch.bfloat16) is True
    followed = follows_device(student, student.attention_rollout, layers)
    return [
        outcome(lambda: student.attention_rollout([layer.float() for layer in layers], residual=0.2)),
        fault((not kept or not followed, "elsewhere")),
    ]


### BEGIN HIDDEN TESTS
@points(0.5, "attention_rollout", read="interpretability-rollout")
def test_limits(student, rng):
    """r = 1이면 항등 행렬, r = 0이면 가중치의 곱입니다. 그 사이에서도 행의 합은 1입니다."""
    layers = [layer.float() for layer in random_layers(rng)]
    mean = [layer.mean(1) for layer in layers]
    assert_close(student.attention_rollout(layers, 1.0), torch.eye(5).expand(2, 5, 5))
    assert_close(student.attention_rollout(layers, 0.0), mean[2] @ mean[1] @ mean[0])
    for residual in [0.0, 0.3, 0.5]:
        assert_close(student.attention_rollout(layers, residual).sum(-1), torch.ones(2, 5))


@points(0.5, "attention_rollout", read="interpretability-rollout")
def test_any_number_of_layers_and_heads(student, device, rng):
    """층과 헤드와 문장이 몇이어도, 위치가 하나여도 됩니다."""
    for layers, batch, heads, n in [(1, 1, 1, 1), (1, 3, 2, 4), (4, 2, 3, 5), (2, 1, 4, 7)]:
        weights = random_layers(rng, layers, batch, heads, n)
        residual = torch.rand((), generator=rng).item()
        expected = torch.eye(n, dtype=torch.float64)
        for layer in weights:
            passed = sum(layer[:, h] for h in range(heads)) / heads
            expected = (residual * torch.eye(n, dtype=torch.float64) + (1 - residual) * passed) @ expected
        found = student.attention_rollout([layer.float().to(device) for layer in weights], residual)
        assert_close(found, expected)


@points(0.25, "attention_rollout", read="interpretability-rollout", step="robust")
def test_rollout_has_manners(student, rng):
    """결과의 자료형과 장치는 가중치를 따릅니다."""
    weights = random_layers(rng)
    found = student.attention_rollout(weights, 0.5)
    assert found.dtype == torch.float64, "자료형이 가중치와 다릅니다."
    assert follows_device(student, student.attention_rollout, weights), (
        "결과가 가중치와 다른 장치에 있습니다."
    )


### END HIDDEN TESTS


# erasure_scores ---------------------------------------------------------------------------------------------


def total(ids):
    return ids.double().sum(dim=-1)


def by_place(ids):
    """Each place counts differently, and neighbours count together: nothing that is merely a sum."""
    places = 1 + torch.arange(ids.shape[-1], dtype=torch.float64, device=ids.device)
    together = (ids[..., 1:] * ids[..., :-1]).double().sum(dim=-1)
    return (ids * places).sum(dim=-1) + 0.1 * together


@points(0.25, "erasure_scores", read="interpretability-erasure", step="warm-up")
def test_a_sum_falls_by_its_terms(student):
    """지우지 않은 예측에서 지운 예측을 뺍니다. 토큰 하나씩 따로 지웁니다."""
    assert_close(student.erasure_scores(total, torch.tensor([1, 2, 3]), 0), torch.tensor([1.0, 2.0, 3.0]))
    assert_close(student.erasure_scores(total, torch.tensor([6, 2, 9]), 4), torch.tensor([2.0, -2.0, 5.0]))


@points(0.25, "erasure_scores", read="interpretability-erasure-mistakes")
def test_the_sentence_keeps_its_length(student):
    """ids를 고치지 말고 베껴서 바꿉니다. 토큰을 빼지 않고 mask_id로 바꾸므로 길이는 그대로입니다."""
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
    ids, axes = torch.tensor([4, 7, 4, 9, 2]), set()

    def predict(batch):
        axes.add(batch.dim())
        return by_place(batch)

    found = outcome(student.erasure_scores, predict, ids.clone(), 5)
    changed = outcome(mutated, student.erasure_scores, total, ids.clone(), 1)
    followed = follows_device(student, student.erasure_scores, place(student, total), ids, 1)
    return [
        outcome(numbers, found),
        fault(
            (isinstance(found, list | tuple), "a list"),
            (axes - {2}, "no batch"),
            (changed == [1], "ids changed"),
            (isinstance(found, torch.Tensor) and found.shape != (5,), "another shape"),
            (not followed, "elsewhere"),
        ),
    ]


### BEGIN HIDDEN TESTS
@points(1, "erasure_scores", read="interpretability-erasure")
def test_one_token_at_a_time(student, rng):
    """토큰끼리 얽힌 예측에서도 하나씩만 지웁니다. 앞에서 지운 토큰은 되돌려 놓고 다음 토큰을 지웁니다."""
    for n in [2, 5, 8]:
        ids = torch.randint(8, 50, (n,), generator=rng)
        ids[-1] = ids[0]  # erased at one place, it stays at the other
        if n > 2:
            ids[1] = 3  # less than 7: the prediction rises where it is erased
        for mask_id in [0, 7]:
            expected = []
            for i in range(n):
                without = torch.cat([ids[:i], torch.tensor([mask_id]), ids[i + 1 :]])
                expected.append(by_place(ids) - by_place(without))
            found = student.erasure_scores(by_place, ids, mask_id)
            assert_close(found, torch.stack(expected), atol=1e-4, rtol=1e-5)


@points(0.5, "erasure_scores", read="interpretability-erasure", step="robust")
def test_predict_gets_batches(student, device):
    """predict는 언제나 (batch, n)을 받습니다. 토큰이 하나여도, 이미 mask_id인 토큰이 있어도 됩니다."""

    def predict(ids):
        assert ids.dim() == 2, "predict에는 (batch, n)을 넘깁니다."
        return by_place(ids)

    found = student.erasure_scores(predict, torch.tensor([5], device=device), 2)
    assert_close(found, torch.tensor([3.0]))
    found = student.erasure_scores(predict, torch.tensor([3, 9, 3], device=device), 3)
    assert_close(found, torch.tensor([0.0, 15.6, 0.0]), atol=1e-9)
    ids = torch.tensor([3, 9, 3])
    assert follows_device(student, student.erasure_scores, place(student, total_there), ids, 1), (
        "ids와 다른 장치에서 지웠습니다."
    )


def total_there(ids):
    return ids.double().sum(dim=-1)


### END HIDDEN TESTS


# counterfactual_weights -------------------------------------------------------------------------------------

ROW = torch.tensor([0.6, 0.0, 0.3, 0.1])  # three visible places: six orders


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def many(student, count, seed=0):
    """`ROW` `count` times over, counterfactually."""
    return student.counterfactual_weights(ROW.expand(1, count, 4).clone(), seeded(seed))[0]


@points(0.5, "counterfactual_weights", read="interpretability-counterfactual", step="warm-up")
def test_values_stay_and_move(student):
    """행마다 같은 값들이 다른 차례로 있어야 하고, 0이던 자리는 0이어야 합니다."""
    found = many(student, 40)
    assert_close(found.sort(dim=-1).values, ROW.sort().values.expand(40, 4))
    assert_close(found[:, 1], torch.zeros(40))
    assert (found != ROW).any(), "아무 행도 바뀌지 않았습니다."
    assert len(found.unique(dim=0)) > 1, "모든 행을 같은 차례로 섞었습니다."


@points(0.25, "counterfactual_weights", read="interpretability-counterfactual-mistakes", step="robust")
def test_randomness_comes_from_the_generator(student):
    """난수는 generator에서만 얻습니다. 받은 weights는 그대로 둡니다."""
    same = [many(student, 40, seed) for seed in (1, 1, 2)]
    assert_close(same[0], same[1])
    assert not torch.equal(same[0], same[2]), "generator가 달라도 결과가 같습니다."
    weights = ROW.expand(2, 5, 4).clone()
    found = mutated(student.counterfactual_weights, weights, seeded(3))
    assert 0 not in found, "weights가 바뀌었습니다."


@observes("counterfactual_weights")
def observe_counterfactual_weights(student):
    """The first thing that is wrong, of what each row holds, then of its order, then of all else."""

    def shuffle(weights, seed=0):
        return student.counterfactual_weights(weights.clone(), seeded(seed))

    row = torch.tensor([0.2, 0.0, 0.4, 0.1, 0.3])
    alike = row.expand(2, 2, 30, 5)
    found, again, *others = (worked(shuffle, alike, seed) for seed in (0, 0, 1, 2))
    axes = [worked(shuffle, alike[(0,) * left]) is None for left in range(3)]
    if found is None or found.shape != alike.shape:
        return fault((not all(axes), "only so many axes"))
    if (held := what_rows_hold(shuffle, found)) != "NoError":
        return held
    same = all(torch.equal(found, other) for other in others)
    if same and (found == found[0, 0, 0]).all():
        return found[0, 0, 0]
    if (ordered := order_of(found, row)) != "NoError":
        return ordered
    wide = worked(shuffle, alike.double())
    bare = worked(shuffle, torch.tensor([[0.0, 0, 0], [0, 1, 0]]).expand(2, 2, 2, 3))
    changed = mutated(student.counterfactual_weights, alike.clone(), seeded(3))
    return fault(
        (not torch.equal(found, again), "another each time"),
        (same, "the same whatever the generator"),
        (0 in changed, "in place"),
        (wide is None or wide.dtype != torch.float64, "another type"),
        (bare is None or not bare.isfinite().all(), "nothing visible fails"),
        (any(axes), "only so many axes"),
    )


def what_rows_hold(shuffle, of_alike_rows):
    """Whether each row holds its own values, each once, and none at hidden places."""

    def as_sorted(axis):
        return torch.allclose(found.sort(axis).values, weights.sort(axis).values)

    weights = scattered((1, 2, 4, 5), 3).abs().float() + 0.1
    weights[..., 1] = 0
    found = shuffle(weights)
    every = torch.allclose(found.flatten().sort().values, weights.flatten().sort().values)
    own = torch.isclose(found[..., None], weights[..., None, :]).any(dim=-1).all()
    values = of_alike_rows.sort(-1).values
    if not as_sorted(-1):
        return fault(
            (as_sorted(-2), "from the same column"),
            (every, "from any row"),
            (own, "some more than once"),
            (not torch.allclose(values, values[0, 0, 0].expand_as(values)), "drawn"),
            (True, "changed"),
        )
    last, between = torch.tensor([0.5, 0.3, 0.2, 0, 0]), torch.tensor([0.5, 0, 0.3, 0, 0.2])
    filled = [
        any((shuffle(row.expand(1, 1, 8, 5), seed)[..., row == 0] != 0).any() for seed in range(4))
        for row in (last, between)
    ]
    in_order = torch.equal(of_alike_rows, values) or torch.equal(of_alike_rows, values.flip(-1))
    one_order = (of_alike_rows == of_alike_rows[..., :1, :]).all()
    return fault(
        (any(filled) and in_order, "sorted"),
        (filled[0] and one_order, "columns moved"),
        (filled[0], "at any place"),
        (filled[1], "at places between"),
    )


def order_of(found, row):
    """What the orders of rows that were all `row` have in common that they should not."""
    seen, before = found.flatten(0, -2)[:, row != 0], row[row != 0]
    turned = [before.roll(step) for step in range(len(before))]
    return fault(
        ((found == found[..., :1, :]).all(), "the same in every row"),
        (torch.equal(found[:, 0], found[:, 1]), "the same in every head"),
        (torch.equal(found[0], found[1]), "the same in every sentence"),
        (all(any(torch.equal(one, other) for other in turned) for one in seen), "rolled"),
        (((seen != before).sum(dim=-1) <= 2).all(), "a pair swapped"),
        ((seen != before).all(), "nothing stays"),
    )


### BEGIN HIDDEN TESTS
@points(0.5, "counterfactual_weights", read="interpretability-counterfactual")
def test_every_order_is_as_likely(student, rng):
    """0이 아닌 자리의 모든 차례가 같은 확률로 나와야 합니다. 밀거나 뒤집기만 하면 나오지 않는 차례가 있습니다."""
    count = 6000
    found = many(student, count, int(torch.randint(10**6, (), generator=rng)))
    times = []
    for order in permutations([0.6, 0.3, 0.1]):
        row = torch.tensor([order[0], 0.0, order[1], order[2]])
        times.append(int(torch.isclose(found, row).all(dim=-1).sum()))
    # Pearson's chi-square of six orders: above 35 once in 600,000; swapping each place with any other gives some 79.
    off = sum((found - count / 6) ** 2 / (count / 6) for found in times)
    assert off < 35, f"여섯 차례가 {count // 6}번씩이어야 하는데 {times}번입니다."


@points(0.25, "counterfactual_weights", read="interpretability-counterfactual")
def test_each_row_for_itself(student, device, rng):
    """행마다, 헤드마다, 문장마다 따로 섞습니다. 보이는 자리가 하나뿐이거나 없는 행은 그대로입니다."""
    weights = torch.rand(2, 3, 6, 6, generator=rng, dtype=torch.float64).tril()
    weights[0, 0, 3] = 0
    found = student.counterfactual_weights(weights.to(device), seeded(4))
    assert_close(found.sort(-1).values, weights.sort(-1).values, atol=1e-12, rtol=0)
    assert ((found.cpu() == 0) == (weights == 0)).all(), "0이던 자리가 바뀌었습니다."
    assert found.dtype == torch.float64, "자료형이 weights와 다릅니다."
    alike = (torch.arange(6.0) + 1).expand(2, 2, 8, 6).clone()
    found = student.counterfactual_weights(alike, seeded(5)).flatten(0, 2)
    assert len(found.unique(dim=0)) > 20, "여러 행이나 헤드를 같은 차례로 섞었습니다."


### END HIDDEN TESTS


# selectivity ------------------------------------------------------------------------------------------------

# Fourteen kinds, numbered in no order: the first has thirty tokens of label 0, the others one or two of labels 1 and 2.
KINDS = torch.tensor([90] * 15 + [-4, 7, 12, 3, 55, 8, 1000, 2, 41, 6, 77, 13, 5, 7, 12, 3] + [90] * 15)
LABELS = torch.tensor([0] * 15 + [1, 2, 1, 2, 2, 1, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2] + [0] * 15)


def probed(student, accuracy, rounds, seed=0, kinds=KINDS, labels=LABELS):
    """What is returned, and the labels that `accuracy` was asked of but for the real ones."""
    seen = []

    def watched(given):
        seen.append(given.clone())
        return accuracy(given)

    found = student.selectivity(watched, kinds.clone(), labels.clone(), rounds, seeded(seed))
    assert isinstance(found, list | tuple) and len(found) == 2, "선택성과 p, 둘을 돌려줍니다."
    return found, [given for given in seen if not torch.equal(given, labels)]


def in_turn(*controls, real=0.5):
    """An accuracy that is `real` for the real labels, and for the controls these, one after another."""
    left = list(controls)
    return lambda given: real if torch.equal(given, LABELS) else left.pop(0) if left else 0.0


def remembered(given):
    """An accuracy of some labels, of a probe that has learnt others."""
    return float((given == LABELS.roll(5)).double().mean())


def read_off(real, controls):
    """Selectivity and p, as the text defines them."""
    at_least = len([control for control in controls if control >= real])
    return real - sum(controls) / len(controls), (1 + at_least) / (1 + len(controls))


def is_by_kind(control, kinds=KINDS):
    return all(len(control[kinds == kind].unique()) == 1 for kind in kinds.unique())


@points(0.25, "selectivity", read="interpretability-probes", step="warm-up")
def test_reads_the_control(student):
    """진짜가 0.5이고 대조가 0.4, 0.25, 0.5, 0.25이면 선택성은 0.5 - 0.35 = 0.15이고, 진짜 이상인 것이 하나이므로 p는 2 / 5입니다."""
    found, _ = probed(student, in_turn(0.4, 0.25, 0.5, 0.25), 4)
    assert abs(found[0] - 0.15) < 1e-6 and abs(found[1] - 0.4) < 1e-6, f"{found}"
    found, _ = probed(student, in_turn(0.1), 1)
    assert abs(found[0] - 0.4) < 1e-6 and abs(found[1] - 0.5) < 1e-6, f"{found}"


@points(0.5, "selectivity", read="interpretability-selectivity-mistakes")
def test_one_label_for_each_kind(student):
    """대조의 라벨은 종류마다 하나이고, 종류끼리는 서로 상관이 없으며, 대조마다 새로 뽑습니다. 토큰마다 뽑으면 외울 수 없어서 대조의 정확도가 낮아지고 선택성이 부풀려집니다."""
    _, controls = probed(student, remembered, 20)
    assert len(controls) == 20, f"대조를 {len(controls)}번 쟀습니다."
    assert all(control.shape == LABELS.shape for control in controls), "라벨의 모양이 다릅니다."
    assert all(map(is_by_kind, controls)), "종류가 같은 토큰의 라벨이 다릅니다."
    assert set(torch.stack(controls).unique().tolist()) <= {0, 1, 2}, "labels에 없는 라벨이 있습니다."
    assert len(torch.stack(controls).unique(dim=0)) > 10, "같은 대조를 되풀이했습니다."
    # Kinds of one real label get different ones: renaming the labels tells nothing new.
    assert any(len(control[LABELS == 1].unique()) > 1 for control in controls), "라벨의 이름만 바꾸었습니다."


@observes("selectivity")
def observe_selectivity(student):
    def number(which, accuracy, rounds):
        return float(probed(student, accuracy, rounds)[0][which])

    def controls(rounds=20):
        return torch.stack(probed(student, remembered, rounds)[1])

    def form():
        found, real = controls(), LABELS.bincount().tolist()
        held = [control.bincount(minlength=3).tolist() for control in found]
        return [
            len(found),
            all(map(is_by_kind, found)),
            all(one == real for one in held),
            all(sorted(one) == sorted(real) for one in held),
            any(len(control.unique()) > 1 for control in found),
            len(found.unique(dim=0)) > 1,
            any(len(control[LABELS == 1].unique()) > 1 for control in found),
        ]

    def by_seed():
        one, same_one, other = (torch.stack(probed(student, remembered, 2, seed)[1]) for seed in (1, 1, 2))
        return [torch.equal(one, same_one), torch.equal(one, other)]

    def kept():
        kinds, labels = KINDS.clone(), LABELS.clone()
        changed = mutated(student.selectivity, remembered, kinds, labels, 3, seeded(0))
        return not {1, 2} & set(changed)

    def refused(rounds, length):
        return how_refused(student.selectivity, remembered, KINDS[:length], LABELS, rounds, seeded(0))

    def all_below():
        kinds = -1 - KINDS.abs()
        found = probed(student, remembered, 5, kinds=kinds)[1]
        return all(is_by_kind(control, kinds) for control in found)

    mixed = 0.125, 0.625, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25
    return up_to_the_first_wrong(
        (lambda: number(0, in_turn(*mixed), 8), 0.15625),
        (lambda: number(1, in_turn(*mixed), 8), 4 / 9),
        (form, [20, True, False, False, True, True, True]),
        (lambda: share_of_the_first(controls(60)), "by tokens"),
        (by_seed, [True, False]),
        (lambda: [refused(0, 46), refused(-2, 46), refused(3, 45)], ["refused"] * 3),
        (kept, True),
        (lambda: attempt(all_below) is True, True),
    )


def share_of_the_first(controls):
    """Where the kinds' labels come from: label 0 is 30 of 46 tokens, one of three labels, one of 14 kinds.

    Of 60 controls with 14 kinds each, the share of label 0 deviates by 0.016.
    """
    kinds = [int((KINDS == kind).nonzero()[0]) for kind in KINDS.unique()]
    share = (controls[:, kinds] == 0).double().mean().item()
    names = {30 / 46: "by tokens", 1 / 3: "by labels", 1 / 14: "by kinds"}
    return names[min(names, key=lambda other: abs(other - share))]


### BEGIN HIDDEN TESTS
@points(0.5, "selectivity", read="interpretability-selectivity-mistakes")
def test_labels_as_often_as_they_are(student, rng):
    """대조의 라벨은 labels에 든 비율대로 나옵니다. 흔한 라벨은 대조에서도 흔해야, 찍어서 맞히는 몫이 같습니다."""
    seed = int(torch.randint(10**6, (), generator=rng))
    (found, p), controls = probed(student, remembered, 60, seed)
    assert len(controls) == 60 and all(map(is_by_kind, controls)), "종류마다 라벨이 하나여야 합니다."
    assert len(torch.stack(controls).unique(dim=0)) > 30, "같은 대조를 되풀이했습니다."
    assert share_of_the_first(torch.stack(controls)) == "by tokens", "라벨의 비율이 labels와 다릅니다."
    selected, expected = read_off(remembered(LABELS), [remembered(control) for control in controls])
    assert abs(found - selected) < 1e-6, f"선택성: {selected:.4f} 대신 {found:.4f}."
    assert abs(p - expected) < 1e-6, f"p: {expected:.4f} 대신 {p:.4f}."


@points(0.25, "selectivity", read="interpretability-selectivity-mistakes", step="robust")
def test_selectivity_has_manners(student):
    """난수는 generator에서만 얻습니다. 종류의 번호는 음수여도 됩니다. rounds가 1보다 작거나 길이가 다르면 ValueError이고, 받은 텐서는 그대로 둡니다."""
    one, again, other = (torch.stack(probed(student, remembered, 2, seed)[1]) for seed in (1, 1, 2))
    assert torch.equal(one, again), "같은 generator인데 대조가 다릅니다."
    assert not torch.equal(one, other), "generator가 달라도 대조가 같습니다."
    assert one.dtype == torch.int64, "라벨의 자료형이 다릅니다."
    below = -1 - KINDS.abs()
    controls = probed(student, remembered, 2, kinds=below)[1]
    assert all(is_by_kind(control, below) for control in controls), "음수인 번호를 다르게 다룹니다."
    for rounds, length in [(0, 46), (-2, 46), (3, 45)]:
        assert refuses(student.selectivity, remembered, KINDS[:length], LABELS, rounds, seeded(0)), (
            f"{rounds}, {length}"
        )
    changed = mutated(student.selectivity, remembered, KINDS.clone(), LABELS.clone(), 3, seeded(0))
    assert not {1, 2} & set(changed), "받은 텐서가 바뀌었습니다."


### END HIDDEN TESTS


# head_importance --------------------------------------------------------------------------------------------

TERMS = torch.tensor([[3.0, 1.0, 0.0], [0.5, -2.0, 4.0]])


def additive(mask):
    return 10.0 - float((TERMS * mask).sum())


def backed_up(mask):
    """The first two heads of layer 1 replace each other; head 3 of layer 2 needs the first of layer 1."""
    a, b, c = mask[0, 0].item(), mask[0, 1].item(), mask[1, 2].item()
    return 5.0 - 2.0 * max(a, b) - 1.5 * a * c - 0.25 * mask.sum().item()


@points(0.75, "head_importance", read="circuits#interpretability-heads", step="warm-up")
def test_additive_loss_gives_its_terms(student):
    """헤드 하나만 0으로 둔 마스크로 손실을 구하고, 모두 1일 때의 손실을 뺍니다."""
    assert_close(student.head_importance(additive, 2, 3), TERMS, atol=1e-5)


@observes("head_importance")
def observe_head_importance(student):
    seen = []

    def loss(mask):
        seen.append((tuple(mask.shape), mask.dtype, set(mask.flatten().tolist())))
        mask = mask.detach().float()
        mask = mask.T if mask.shape == (3, 2) else mask.reshape(2, 3)
        return additive(mask) + backed_up(mask)

    found = outcome(student.head_importance, loss, 2, 3)
    shape = tuple(found.shape) if isinstance(found, torch.Tensor) else None
    values = outcome(numbers, found.T if shape == (3, 2) else found)
    size = max(map(abs, values)) if isinstance(values, list) else 0
    shapes, kinds = {made[0] for made in seen}, {made[1] for made in seen}
    held = set().union(*(made[2] for made in seen))
    if held - {0, 1}:
        return [fault(), fault(), "neither ones nor zeros"]
    return [
        [value / size for value in values] if size else values,
        fault((size and abs(size / 5.75 - 1) > 1e-3, "another scale")),
        fault(
            (held == {1}, "nothing off"),
            (values == [0] * 6 and 0 in held, "no difference"),
            ((3, 2) in shapes, "masks transposed"),
            (shapes - {(2, 3)}, "masks of another shape"),
            (torch.bool in kinds, "booleans"),
            (kinds - {torch.float32}, "masks of another type"),
            (shape == (3, 2), "transposed"),
            (isinstance(found, list | tuple), "a list"),
            (size and shape != (2, 3), "another shape"),
        ),
    ]


### BEGIN HIDDEN TESTS
@points(0.5, "head_importance", read="circuits#interpretability-head-mistakes")
def test_heads_that_replace_each_other(student, rng):
    """헤드를 끈 다음에는 다시 켜고 다음 헤드를 끕니다. 서로 대신하는 헤드는 하나만 꺼서는 드러나지 않습니다."""
    expected = torch.tensor([[1.75, 0.25, 0.25], [0.25, 0.25, 1.75]])
    assert_close(student.head_importance(backed_up, 2, 3), expected, atol=1e-5)
    terms = torch.randn(3, 2, generator=rng)
    found = student.head_importance(lambda mask: 1.0 - float((terms * mask).sum()), 3, 2)
    assert_close(found, terms, atol=1e-5)


@points(0.25, "head_importance", read="circuits#interpretability-head-mistakes", step="robust")
def test_masks_that_loss_sees(student):
    """loss에는 0과 1로 된 float32 마스크 (num_layers, num_heads)를 넘깁니다. 한 번에 꺼진 헤드는 하나를 넘지 않습니다."""
    seen = []

    def loss(mask):
        seen.append(mask.clone())
        return additive(mask)

    assert_close(student.head_importance(loss, 2, 3), TERMS, atol=1e-5)
    assert all(mask.shape == (2, 3) for mask in seen), "마스크의 모양이 (num_layers, num_heads)가 아닙니다."
    assert all(mask.dtype == torch.float32 for mask in seen), "마스크가 float32가 아닙니다."
    off = {tuple((mask == 0).nonzero().flatten().tolist()) for mask in seen}
    assert off == {(), *((layer, head) for layer in range(2) for head in range(3))}, (
        "헤드를 하나씩만 꺼야 합니다."
    )


### END HIDDEN TESTS


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


@points(0.25, "induction_score", read="circuits#interpretability-induction-score", step="warm-up")
def test_induction_by_hand(student):
    """같은 토큰이 마지막으로 나온 자리의 바로 다음에 준 가중치를, 앞에 같은 토큰이 있는 위치에서만 평균합니다."""
    weights = torch.cat([
        head_of(6, w2_1=0.8, w4_3=0.6, w4_1=0.3, w1_0=1.0, w3_2=1.0),
        head_of(6, w2_0=1.0, w4_2=1.0),
        after_the_last(IDS)[None],
    ])  # fmt: skip
    assert_close(student.induction_score(weights, IDS), torch.tensor([0.7, 0.0, 1.0]))


@points(0.25, "induction_score", read="circuits#interpretability-induction-mistakes", step="robust")
def test_no_repeats_give_zero(student):
    """앞에 같은 토큰이 있는 위치가 없으면 모든 헤드가 0입니다. 빈 평균은 NaN입니다."""
    weights = torch.full((2, 4, 4), 0.25)
    assert_close(student.induction_score(weights, torch.tensor([3, 1, 2, 7])), torch.zeros(2))


@observes("induction_score")
def observe_induction_score(student):
    ids = torch.tensor([5, 1, 5, 2, 5, 5, 1, 3])
    weights = (2 * scattered((2, 8, 8), 4)).softmax(dim=-1)
    few, once = weights[:, :3, :3], torch.tensor([5, 1, 4])
    score = student.induction_score
    found, none = outcome(score, weights.float(), ids), outcome(score, few.float(), once)
    if isinstance(found, list | tuple):
        return [torch.tensor([float(head) for head in found]), "a list"]
    if not isinstance(found, torch.Tensor) or isinstance(none, str):
        return [found, fault((isinstance(found, torch.Tensor), "fails"))]
    none = torch.as_tensor(none)
    return [
        found,
        fault(
            (none.isnan().any(), "NaN"),
            (none.shape != (2,), "one number"),
            (bad_manners(student, score, weights, ids, learns=()) in ("dtype", "device"), "elsewhere"),
            (bad_manners(student, score, few, once, learns=()) in ("dtype", "device"), "zeros elsewhere"),
        ),
    ]


### BEGIN HIDDEN TESTS
@points(0.75, "induction_score", read="circuits#interpretability-induction-score")
def test_induction_on_random_texts(student, rng):
    """같은 토큰이 여러 번 나오면 가장 가까운 앞의 것을 씁니다."""
    for heads, n, vocab in [(1, 4, 3), (3, 9, 4), (2, 20, 6), (4, 6, 3)]:
        ids = torch.randint(1, vocab, (n,), generator=rng).cumsum(0) % vocab  # no two neighbours are the same
        weights = torch.rand(heads, n, n, generator=rng, dtype=torch.float64)
        found = []
        for i in range(n):
            earlier = [j for j in range(i) if ids[j] == ids[i]]
            if earlier:
                found.append(weights[:, i, earlier[-1] + 1])
        expected = torch.stack(found).mean(0)
        assert_close(student.induction_score(weights, ids), expected, atol=1e-9, rtol=0)
        assert_close(student.induction_score(after_the_last(ids)[None], ids), torch.ones(1))


@points(0.25, "induction_score", read="circuits#interpretability-induction-mistakes", step="robust")
def test_one_number_a_head(student, device):
    """헤드마다 수 하나를, 가중치의 자료형과 장치로 돌려줍니다. 토큰이 하나인 글도 있고, 바로 앞이 같으면 그 다음은 자기 자신입니다."""
    weights = scattered((2, 4, 4), 1)
    found = student.induction_score(weights, torch.tensor([6, 6, 2, 6]))
    assert_close(found, (weights[:, 1, 1] + weights[:, 3, 2]) / 2)
    weights = torch.full((3, 4, 4), 0.25, dtype=torch.float64, device=device)
    for ids in [torch.tensor([6, 6, 2, 6]), torch.tensor([0, 1, 2, 3])]:
        found = student.induction_score(weights, ids.to(device))
        assert_close(found, torch.full((3,), 0.25 if ids[0] == 6 else 0.0))
        assert found.dtype == torch.float64, "자료형이 weights와 다릅니다."
        assert found.device.type == device.type, "결과가 weights와 다른 장치에 있습니다."
    one = student.induction_score(torch.ones(2, 1, 1), torch.tensor([4]))
    assert_close(one, torch.zeros(2))
    ids = torch.tensor([6, 6, 2, 6])
    assert follows_device(student, student.induction_score, weights.cpu(), ids), (
        "새로 만든 텐서가 ids의 장치를 따르지 않습니다."
    )


### END HIDDEN TESTS
