"""What the exercise `transformer` is graded by."""

from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.contract import bad_manners
from grader.judging.observed import attempt, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    follows_device,
    gradients,
    load,
    observes,
    outcome,
    parameters,
    place,
    points,
    refuses,
    scattered,
)

# No two alike, so that none can take another's place.
SRC, TGT, D, HEADS, FF, LAYERS, LONGEST = 9, 11, 8, 4, 12, 2, 10
PAD = 0

# Transformer ------------------------------------------------------------------------------------------------


def torch_stacks(dtype=torch.float64):
    """nn.Transformer's encoder and decoder, whose parameters bear the given parts' names."""
    stacks = nn.Transformer(D, HEADS, LAYERS, LAYERS, FF, dropout=0.0, batch_first=True, dtype=dtype)
    stacks.encoder.norm = stacks.decoder.norm = None
    return stacks


@cache
def shapes():
    """What a model learns, by name; the bias of the last layer may be left out."""
    tables = {"src_embedding": (SRC, D), "tgt_embedding": (TGT, D), "position": (LONGEST, D)}
    ends = {f"{name}.weight": shape for name, shape in {**tables, "generator": (TGT, D)}.items()}
    return {**ends, **{name: tuple(p.shape) for name, p in torch_stacks().named_parameters()}}


def fixed_weights(name, shape):
    """Values in [-1, 1) for a parameter, those of a norm's weight around 1."""
    values = scattered(shape, name)
    return 1 + values / 2 if "norm" in name and name.endswith("weight") else values


def students_model(student, values=fixed_weights, dropout=0.1, dtype=torch.float32):
    """A student's model in evaluation mode, and the weights that it was given."""
    model = student.Transformer(SRC, TGT, D, HEADS, FF, LAYERS, dropout, LONGEST)
    wanted = {name: values(name, shape).to(dtype) for name, shape in shapes().items()}
    for stack in ["encoder", "decoder"]:
        found = parameters(student, model, *[f"{stack}.layers.{i}.norm1.bias" for i in range(LAYERS + 1)])
        assert len(found) == LAYERS, f"{stack}의 층이 {LAYERS}개가 아닙니다."
    bias = {"generator.bias": torch.zeros(TGT, dtype=dtype)}
    return model, load(student, model, {**wanted, **bias}, optional=bias, typed=True, evaluating=True)


def example_ids():
    """Two pairs; the second source ends in two paddings."""
    src = torch.tensor([[3, 5, 8, 4], [6, 7, 0, 0]])
    tgt = torch.tensor([[1, 4, 3], [1, 7, 5]])
    return src, tgt, src != PAD


@points(0.75, "Transformer", read="assembly", step="warm-up")
def test_logits_of_a_whole_sentence(student):
    """로짓이 다릅니다. 임베딩 · √d_model + 위치를 인코더와 디코더에 넣고, 인코더의 출력을 디코더의 memory로 넘기십시오."""
    model, _ = students_model(student)
    src, tgt, mask = example_ids()
    logits = model(src[:1], tgt[:1], mask[:1])
    assert_close(logits, torch.tensor(WHOLE), rtol=1e-3, atol=1e-3)


@points(1.25, "Transformer", read="transformer-padding")
def test_logits_of_a_padded_sentence(student):
    """패딩이 있는 문장에서 로짓이 다릅니다. src_mask를 인코더와 디코더 두 곳에 넘겼는지 보십시오."""
    model, _ = students_model(student)
    logits = model(*example_ids())
    assert_close(logits[1:], torch.tensor(PADDED), rtol=1e-3, atol=1e-3)


# What a right model gives with these weights, (1, 3, TGT).
WHOLE = [
    [
        [-1.2553, 1.9976, -2.5097, -0.2974, 0.6973, 1.0092, 0.7500, 1.7662, 0.4869, -2.3253, -1.0062],
        [-1.2686, 1.9902, -2.5163, -0.2921, 0.6905, 1.0025, 0.7443, 1.7645, 0.4975, -2.3262, -1.0138],
        [-1.2685, 1.9821, -2.5168, -0.2813, 0.6953, 0.9869, 0.7460, 1.7604, 0.4985, -2.3266, -1.0293],
    ]
]
PADDED = [
    [
        [-1.2090, 2.1988, -2.4940, -0.4039, 0.6279, 1.1298, 0.7168, 1.7111, 0.4483, -2.3958, -0.8535],
        [-1.2155, 2.1992, -2.4971, -0.4060, 0.6227, 1.1329, 0.7126, 1.7065, 0.4510, -2.3959, -0.8526],
        [-1.2066, 2.2053, -2.4932, -0.4054, 0.6261, 1.1310, 0.7163, 1.7098, 0.4473, -2.3989, -0.8505],
    ]
]


def dropped_once(model, src, tgt, mask):
    """Whether what enters both stacks in training is, component by component, nothing or twice what it was."""
    noted = []

    def note(module, args, options):
        noted.append((args or list(options.values()))[0].detach())

    for stack in (model.encoder, model.decoder):
        stack.register_forward_pre_hook(note, with_kwargs=True)
    model.eval()(src, tgt, mask)
    model.dropout.p = 0.5
    model.train()(src, tgt, mask)
    whole, dropped = noted[: len(noted) // 2], noted[len(noted) // 2 :]  # a stack may be left out
    return all(bool(((y - 2 * x) * y).abs().max() < 1e-6) for x, y in zip(whole, dropped, strict=True))


def what_enters(model, training, src, tgt, mask):
    """What the encoder and the decoder are given, in the order of their signatures."""
    import inspect

    noted = {}

    def note(name):
        def hook(module, args, options):
            given = inspect.signature(module.forward).bind(*args, **options).arguments.values()
            noted[name] = [x.detach() if isinstance(x, torch.Tensor) else None for x in given]

        return hook

    model.train(training)
    for name in ("encoder", "decoder"):
        getattr(model, name).register_forward_pre_hook(note(name), with_kwargs=True)
    try:
        model(src, tgt, mask)
    except Exception:
        noted["failed"] = True  # what entered has been seen
    return noted


def flat_tables(word, step):
    """Every source word says `word`, every target word ten times as much; the positions say step, 2 step, ..."""

    def values(name, shape):
        if name == "position.weight":
            return (step * torch.arange(1.0, LONGEST + 1))[:, None].expand(shape)
        tables = {"src_embedding.weight": word, "tgt_embedding.weight": 10 * word}
        return torch.full(shape, tables[name]) if name in tables else fixed_weights(name, shape)

    return values


@observes("Transformer")
def observe_transformer(student):
    src, tgt = torch.tensor([[3, 5, 8, 4], [6, 7, 2, 1]]), torch.tensor([[1, 4, 3], [1, 7, 5]])
    mask = torch.tensor([[True, True, True, True], [True, True, False, False]])

    @cache
    def entering(word, step, dropout=0.0, training=False):
        model, _ = students_model(student, flat_tables(word, step), dropout)
        return place(student, what_enters)(model, training, src, tgt, mask)

    @cache
    def model():
        return students_model(student)[0]

    def went_through_layers():
        return [not x.std(-1).max() < 1e-5 for x in entering(1.0, 0.0)["decoder"][:2]]

    def of_both(word, step, **options):
        seen = entering(word, step, **options)
        return [seen[stack][0][0, :, 0].tolist() for stack in ("encoder", "decoder")]

    def look_ahead():
        allowed = entering(1.0, 0.0)["decoder"][2]
        rows = [(i, j, bool(x)) for i, row in enumerate(allowed.tolist()) for j, x in enumerate(row)]
        return [any(x for i, j, x in rows if j > i), all(x for i, j, x in rows if j <= i)]

    def source_masks():
        seen = entering(1.0, 0.0)
        return [seen["encoder"][1].tolist(), seen["decoder"][3].tolist()]

    def probabilities():
        logits = model()(*example_ids())
        sums = torch.stack([logits.sum(-1), logits.exp().sum(-1)])
        return bool(((sums - 1).abs() < 1e-3).all(-1).all(-1).any())

    def logits():
        expected = torch.tensor(WHOLE + PADDED)
        return torch.allclose(model()(*example_ids()), expected, rtol=1e-3, atol=1e-3)

    def refused():
        def refuses_lengths(n, m):
            ids = torch.ones(1, n, dtype=torch.int64)
            return refuses(model(), ids, torch.ones(1, m, dtype=torch.int64), ids > 0)

        lengths = [(LONGEST + 1, 3), (3, LONGEST + 1), (LONGEST, 3), (3, LONGEST), (LONGEST - 1, 3)]
        return [refuses_lengths(*both) for both in lengths]

    def dropped(training):
        left = []
        for word, step in ((1.0, 0.0), (0.0, 1.0)):
            seen = entering(word, step, dropout=1.0, training=training)
            share = [(seen[stack][0] != 0).double().mean().item() for stack in ("encoder", "decoder")]
            left += [{0.0: "none", 1.0: "all"}.get(x, "some") for x in share]
        return left

    def once():
        return place(student, dropped_once)(students_model(student, dropout=0.0)[0], *example_ids())

    root, parts = D**0.5, "src_embedding tgt_embedding position generator encoder.layers.0.linear1".split()
    learning = [f"{part}.weight" for part in parts]
    return up_to_the_first_wrong(
        (went_through_layers, [False, True]),
        (lambda: [x[0] for x in of_both(1.0, 0.0)], [root, 10 * root]),
        (lambda: of_both(0.0, 1.0), [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0]]),
        (look_ahead, [False, True]),
        (lambda: str(entering(1.0, 0.0)["decoder"][2].dtype), "torch.bool"),
        (source_masks, [mask.tolist()] * 2),
        (lambda: list(model()(*example_ids()).shape), [2, 3, TGT]),
        (probabilities, False),
        (logits, True),
        (refused, [True, True, False, False, False]),
        (lambda: dropped(training=False), ["all"] * 4),
        (lambda: dropped(training=True), ["none"] * 4),
        (once, True),
        (lambda: bad_manners(student, model(), src, tgt, mask, learns=learning), "none"),
        (lambda: tables_start_small(student), True),
    )


def tables_start_small(student):
    """Whether the components of both new tables are about as large as make_embedding's."""
    new = student.Transformer(50, 60, 64, 4, 8, 1)
    tables = parameters(student, new, "src_embedding.weight", "tgt_embedding.weight").values()
    return all(0.5 < table.std().item() * 64**0.5 < 2 for table in tables)




# collate ----------------------------------------------------------------------------------------------------


def collate_and_look(collate, pairs, pad_id):
    """What collate returns, and whether it changed the lists that it was given."""
    import copy

    given = copy.deepcopy(pairs)
    returned = collate(given, pad_id)
    return {
        "src": returned[0],
        "tgt": returned[1],
        "changed": given != pairs,
    }


def example_pairs():
    return [([5, 6, 7], [1, 9, 2]), ([8], [1, 9, 9, 9, 2])]


@points(0.75, "collate", read="batches", step="warm-up")
def test_pads_to_the_longest(student):
    """원문은 원문끼리, 번역문은 번역문끼리 가장 긴 것에 맞추어 뒤를 pad_id로 채운 두 int64 텐서여야 합니다."""
    src, tgt = student.collate(example_pairs(), 0)
    assert_close(src, torch.tensor([[5, 6, 7], [8, 0, 0]]))
    assert_close(tgt, torch.tensor([[1, 9, 2, 0, 0], [1, 9, 9, 9, 2]]))
    for ids in (src, tgt):
        assert ids.dtype == torch.int64, f"자료형이 int64여야 하는데 {ids.dtype}입니다."


@observes("collate")
def observe_collate(student):
    def rows(*pairs, pad_id=0):
        return [ids.tolist() for ids in student.collate(list(pairs), pad_id)]

    def kinds():
        return [type(ids).__name__ for ids in student.collate([([5, 6], [1, 7, 2])], 0)]

    # The longest is the largest, too, as lists are compared.
    long, short = ([8, 6, 7], [1, 9, 9, 2]), ([5], [1, 2])
    padded = [[8, 6, 7], [1, 9, 9, 2]], [[5, 0, 0], [1, 2, 0, 0]]

    def moved():
        found = [attempt(rows, *pairs, otherwise=[]) for pairs in ((long, short), (short, long))]
        return len(found[0]) == len(found[1]) == 2 and found[0] == found[1]

    def right(first, second):
        return [list(side) for side in zip(first, second, strict=True)]

    def pads_with_four():
        return rows(([5], [1, 2]), ([8, 6], [1, 9, 2]), pad_id=4)

    def dtype():
        return [str(ids.dtype) for ids in student.collate(example_pairs(), 0)]

    def changed():
        return place(student, collate_and_look)(student.collate, example_pairs(), 0)["changed"]

    return up_to_the_first_wrong(
        (kinds, ["Tensor", "Tensor"]),
        (
            lambda: rows(long, ([5, 6, 4], [1, 7, 8, 2])),
            [[[8, 6, 7], [5, 6, 4]], [[1, 9, 9, 2], [1, 7, 8, 2]]],
        ),
        (moved, False),
        (lambda: rows(long, short), right(*padded)),
        (lambda: attempt(rows, short, long) == right(*padded[::-1]), True),
        (lambda: attempt(rows, ([5, 6, 7], [1, 4, 4, 2]), ([8], [1, 9])) == WIDE_BUT_SMALL, True),
        (pads_with_four, [[[5, 4], [8, 6]], [[1, 2, 4], [1, 9, 2]]]),
        (dtype, ["torch.int64"] * 2),
        (changed, False),
    )


WIDE_BUT_SMALL = [[[5, 6, 7], [8, 0, 0]], [[1, 4, 4, 2], [1, 9, 0, 0]]]




# train_step -------------------------------------------------------------------------------------------------


def take_steps(train_step, source, target, batches, pad_id, lr, left_over=1.0):
    """Train a toy model by train_step and stochastic gradient descent; what came back and what was seen."""

    import torch._dynamo  # every optimizer loads it, for 1.6 s: so the sandbox's server has it already

    class Toy(torch.nn.Module):
        """Adds what the last target token says to the mean of what the source says."""

        def __init__(self):
            super().__init__()
            self.source = torch.nn.Parameter(source.clone())
            self.target = torch.nn.Parameter(target.clone())
            self.calls, self.flows = [], []

        def forward(self, src, tgt, src_mask):
            self.calls.append([self.training, list(tgt.shape), src_mask.tolist()])
            kept = src_mask[..., None].to(self.source.dtype)
            context = (self.source[src] * kept).sum(1) / kept.sum(1).clamp(min=1)
            logits = self.target[tgt] + context[:, None]
            if logits.requires_grad:
                logits.register_hook(lambda gradient: self.flows.append(True))
            return logits

    toy = Toy().eval()
    for parameter in toy.parameters():
        parameter.grad = torch.full_like(
            parameter, left_over
        )  # left over: to be cleared before the first step
    optimizer = torch.optim.SGD(toy.parameters(), lr=lr)
    steps = []
    optimizer.register_step_post_hook(lambda *_: steps.append(True))
    losses = [train_step(toy, batch, optimizer, pad_id) for batch in batches]
    return {
        "kinds": [type(loss).__name__ for loss in losses],
        "losses": [None if loss is None else float(loss) for loss in losses],
        "source": toy.source.detach(),
        "target": toy.target.detach(),
        "calls": toy.calls,
        "backward": bool(toy.flows),
        "steps": len(steps),
    }


def toy_tables():
    """A source that says nothing, and the log-probabilities of what follows each target token."""
    eighths = [
        [1.0, 1.0, 1.0, 1.0, 2.0, 2.0],
        [0.5, 0.5, 1.0, 4.0, 1.0, 1.0],
        [1.0, 1.0, 1.0, 1.0, 2.0, 2.0],
        [0.5, 0.5, 1.0, 1.0, 4.0, 1.0],
        [1.0, 0.5, 4.0, 0.5, 1.0, 1.0],
        [1.0, 1.0, 2.0, 1.0, 1.0, 2.0],
    ]
    return torch.zeros(6, 6), (torch.tensor(eighths) / 8).log()


def example_batch():
    """Real targets 3 4 2 and 4 2; one padding on each side."""
    return torch.tensor([[3, 4], [5, 0]]), torch.tensor([[1, 3, 4, 2], [1, 4, 2, 0]])


@points(0.5, "train_step", read="train-step", step="warm-up")
def test_loss_over_real_tokens(student):
    """손실이 다릅니다. tgt의 앞부분으로 한 칸 뒤를 맞히고, 패딩이 아닌 정답 토큰 다섯의 평균을 내십시오."""
    seen = place(student, take_steps)(student.train_step, *toy_tables(), [example_batch()], PAD, 1.0)
    assert seen["losses"][0] is not None, "손실을 돌려주지 않았습니다."
    probabilities = torch.tensor([4 / 8, 4 / 8, 4 / 8, 1 / 8, 4 / 8])  # of 3, 4, 2 and of 4, 2
    assert_close(torch.tensor(seen["losses"][0]), -probabilities.log().mean(), rtol=1e-4, atol=1e-4)


@points(0.25, "train_step", read="train-step")
def test_one_step_changes_the_model(student):
    """한 걸음 뒤의 파라미터가 다릅니다. 기울기를 지우고, 역전파하고, optimizer.step()을 한 번 부르십시오."""
    seen = place(student, take_steps)(student.train_step, *toy_tables(), [example_batch()], PAD, 5.0)
    # From SOS (row 1), 3 and 4 are the two right answers: each step is 5 · (1 - p) / 5 and so on.
    change = (seen["target"] - toy_tables()[1])[1]
    expected = torch.tensor([-0.125, -0.125, -0.25, 0.0, 0.75, -0.25])
    assert_close(change, expected, rtol=1e-3, atol=1e-3)


@observes("train_step")
def observe_train_step(student):
    """As many places as words, so that it shows which axis of the logits the loss takes for the words."""
    tables = torch.zeros(6, 6), 2 * scattered((6, 6), 1).float()

    def batch(pad_id):
        src = torch.tensor([[3, 4, 1, 2, 4, 3], [4, 3, 0, 0, 0, 0]])
        tgt = torch.tensor([[1, 3, 4, 4, 3, 3, 2], [1, 4, 2, 0, 0, 0, 0]])
        return src.masked_fill(src == 0, pad_id), tgt.masked_fill(tgt == 0, pad_id)

    def take(count=1, pad_id=PAD, lr=1.0, left_over=0.0, start=tables):
        batches = [batch(pad_id)] * count
        return place(student, take_steps)(student.train_step, *start, batches, pad_id, lr, left_over)

    def loss(**options):
        [found] = take(**options)["losses"]
        return "nothing" if found is None else found

    def trained():
        seen = take()
        return [seen["backward"], seen["steps"], bool((seen["target"] != tables[1]).any())]

    def cleared():
        one, other, two = take(), take(left_over=1.0), take(2)
        again = take(start=(one["source"], one["target"]))
        return [torch.allclose(a["target"], b["target"]) for a, b in ((one, other), (two, again))]

    def mask(pad_id=PAD):
        return take(pad_id=pad_id)["calls"][0][2]

    return up_to_the_first_wrong(
        (lambda: loss(lr=0.0), RIGHT_LOSS),
        (trained, [True, 1, True]),
        (cleared, [True, True]),
        (lambda: abs(loss(lr=5.0) - loss(lr=0.0)) < 1e-5, True),
        (mask, [[True] * 6, [True, True, False, False, False, False]]),
        (lambda: take()["calls"][0][0], True),
        (lambda: abs(loss(pad_id=5, lr=0.0) - RIGHT_LOSS) < 1e-3 and mask(5) == mask(), True),
        (lambda: take()["kinds"], ["float"]),
    )


RIGHT_LOSS = 2.05724




# exact_match ------------------------------------------------------------------------------------------------


@points(0.25, "exact_match", read="exact-match", step="warm-up")
def test_counts_whole_sequences(student):
    """번역문 하나가 통째로 정답과 같을 때만 맞은 것입니다. 셋 가운데 하나가 맞으면 1/3입니다."""
    predictions, targets = [[7, 8, 2], [7, 2], [8, 7, 2]], [[7, 8, 2], [7, 9, 2], [7, 8, 2]]
    found = student.exact_match(predictions, targets)
    assert isinstance(found, float), f"float를 돌려주어야 하는데 {type(found).__name__}입니다."
    assert found == pytest.approx(1 / 3), f"1/3이어야 하는데 {found}입니다."


@observes("exact_match")
def observe_exact_match(student):
    match = student.exact_match

    def accepts(prediction, target):
        return float(match([prediction], [target])) > 0

    def share():
        found = float(match([[7, 8, 5], [4, 4, 4], [3, 3, 3]], [[7, 8, 5], [9, 9, 9], [6, 6, 6]]))
        return "rounded" if 1e-8 < abs(found - 1 / 3) < 0.01 else found

    def credit_for_a_part():
        found = float(match([[7, 8, 5]], [[7, 9, 5]]))
        return "a part" if 0 < found < 1 else found

    def refused():
        one, two = [[5]], [[5], [6]]
        calls = [(one, two), (two, one), ([], one), (one, [])]
        raised = [outcome(lambda: float(match(*call))) for call in calls]  # noqa: B023
        named = [x == "ValueError" for x in raised]
        if not any(named):
            same = len(set(raised)) == 1 and isinstance(raised[0], str)
            return "another error" if same and raised[0] != "ZeroDivisionError" else "nothing"
        if named[0] != named[1]:
            return "one direction"
        return "all" if all(named) else "not beside an empty list" if named[0] else named

    def nothing_to_compare():
        found = outcome(lambda: float(match([], [])))
        if found == "ZeroDivisionError" or found != found:
            return "divided"
        return "refused" if found == "ValueError" else found

    return up_to_the_first_wrong(
        (share, 1 / 3),
        (credit_for_a_part, 0.0),
        (lambda: [accepts([8, 7, 5], [7, 8, 5]), accepts([7, 7, 8], [7, 8, 8])], [False, False]),
        (lambda: [accepts([5, 6], [5, 6, 7]), accepts([5, 6, 7], [5, 6])], [False, False]),
        (lambda: float(match([[5], [6], [7]], [[7], [5], [7]])), 1 / 3),
        (lambda: accepts([1, 12, 2], [11, 2, 2]), False),
        (lambda: accepts([5, 6, 2, 7], [5, 6, 2]) or accepts([5, 6, 2, 7], [5, 6, 2, 8]), False),
        (lambda: any(accepts([5, 6], ids) for ids in ([5, 6, 2], [5, 6, 0], [1, 5, 6])), False),
        (lambda: type(match([[5]], [[5]])).__name__, "float"),
        (refused, "all"),
        (nothing_to_compare, 0.0),
    )
