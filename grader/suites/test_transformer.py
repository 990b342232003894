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


### BEGIN HIDDEN TESTS
class Oracle:
    """nn.Transformer in float64 with a student's weights; in torch.nn True hides."""

    def __init__(self, state):
        self.state = {name: tensor.double() for name, tensor in state.items()}
        self.stacks = torch_stacks()
        self.stacks.load_state_dict(
            {name: t for name, t in self.state.items() if name.startswith(("encoder.", "decoder."))}
        )

    def embed(self, ids, table):
        x = F.embedding(ids, self.state[table])
        return x * D**0.5 + self.state["position.weight"][: ids.shape[1]]

    def __call__(self, src, tgt, mask):
        m = tgt.shape[1]
        hidden = self.stacks(
            self.embed(src, "src_embedding.weight"),
            self.embed(tgt, "tgt_embedding.weight"),
            tgt_mask=torch.ones(m, m, dtype=torch.bool).triu(1),
            src_key_padding_mask=~mask,
            memory_key_padding_mask=~mask,
        )
        return hidden @ self.state["generator.weight"].T


def random_values(rng):
    return lambda name, shape: torch.randn(shape, generator=rng, dtype=torch.float64) / 2


def random_ids(batch, n, m, rng):
    src = torch.randint(1, SRC, (batch, n), generator=rng)
    tgt = torch.randint(1, TGT, (batch, m), generator=rng)
    tgt[:, 0] = TGT - 1  # a word whose number the source has not
    lengths = torch.randint(1, n + 1, (batch, 1), generator=rng)
    mask = torch.arange(n) < lengths
    return src.masked_fill(~mask, PAD), tgt, mask


@points(0.25, "Transformer", read="assembly", step="robust")
def test_matches_torch(student, device, rng):
    """nn.Transformer에 같은 가중치를 넣은 것과 달라졌습니다. 원문과 번역문의 길이가 다르거나 1이어도 같은 식입니다."""
    values = random_values(rng)
    model, state = students_model(student, values, dtype=torch.float64)
    oracle, model = Oracle(state), model.to(str(device))
    for batch, n, m in [(1, 1, 1), (3, LONGEST, 4), (4, 2, LONGEST)]:
        src, tgt, mask = random_ids(batch, n, m, rng)
        logits = model(src.to(device), tgt.to(device), mask.to(device))
        assert_close(logits, oracle(src, tgt, mask), rtol=1e-10, atol=1e-10)
    assert follows_device(student, model, src.to(device), tgt.to(device), mask.to(device)), (
        "모델이 만든 텐서(마스크나 위치)가 입력과 다른 장치에 있습니다."
    )


@points(0.25, "Transformer", read="transformer-causal")
def test_is_causal_by_itself(student, rng):
    """번역문의 뒤를 바꾸었는데 앞의 로짓이 움직였습니다. 룩어헤드 마스크는 모델이 스스로 만들어 디코더에 넘깁니다."""
    model, _ = students_model(student, random_values(rng), dtype=torch.float64)
    src, tgt, _ = random_ids(2, 4, 6, rng)
    src, mask = src.clamp(min=1), torch.ones(2, 4, dtype=torch.bool)
    expected = model(src, tgt, mask)
    for t in range(1, 6):
        changed = tgt.clone()
        changed[:, t:] = tgt[:, t:] % (TGT - 1) + 1
        logits = model(src, changed, mask)
        assert_close(logits[:, :t], expected[:, :t], rtol=1e-10, atol=1e-10)
        assert not torch.allclose(logits[:, t], expected[:, t]), (
            "제자리의 입력을 바꾸었는데 로짓이 그대로입니다."
        )
    changed = torch.cat([tgt[:, :1] % (TGT - 1) + 1, tgt[:, 1:]], dim=1)
    assert not torch.allclose(model(src, changed, mask)[:, -1], expected[:, -1]), "지난 단어를 보지 않습니다."


@points(0.75, "Transformer", read="transformer-padding")
def test_padding_has_no_influence(student, rng):
    """원문의 패딩이 로짓에 영향을 줍니다. 인코더의 셀프 어텐션과 디코더의 크로스 어텐션 모두에서 가려야 합니다."""
    model, _ = students_model(student, random_values(rng), dtype=torch.float64)
    src = torch.randint(1, SRC, (1, 3), generator=rng)
    tgt = torch.randint(1, TGT, (1, 4), generator=rng)
    tgt[:, 0] = TGT - 1
    expected = model(src, tgt, torch.ones(1, 3, dtype=torch.bool))
    for behind in [torch.zeros(1, 4, dtype=torch.int64), torch.randint(1, SRC, (1, 4), generator=rng)]:
        padded = torch.cat([src, behind], dim=1)
        logits = model(padded, tgt, torch.arange(7)[None] < 3)
        assert_close(logits, expected, rtol=1e-10, atol=1e-10)
    for i in range(3):
        changed = src.clone()
        changed[:, i] = src[:, i] % (SRC - 1) + 1
        logits = model(changed, tgt, torch.ones(1, 3, dtype=torch.bool))
        assert not torch.allclose(logits, expected), "진짜 토큰을 바꾸었는데 로짓이 그대로입니다."


@points(0.5, "Transformer", read="transformer-positions")
def test_embeddings_are_dropped(student, rng):
    """학습할 때 드롭아웃은 임베딩과 위치를 더한 것에도 걸립니다. 모두 지우면 로짓은 입력과 상관이 없어야 합니다."""
    model, _ = students_model(student, random_values(rng), dropout=1.0, dtype=torch.float64)
    (src, tgt, mask), (others, words, _) = (random_ids(2, 3, 4, rng) for _ in range(2))
    seen, other = model(src, tgt, mask), model(others.clamp(min=1), words, mask)
    assert not torch.allclose(seen, other), "평가할 때 로짓이 입력과 상관이 없습니다."
    seen, other = model.train()(src, tgt, mask), model(others.clamp(min=1), words, mask)
    assert_close(seen, other, rtol=1e-10, atol=1e-10)
    assert_close(seen, seen[:1, :1].expand(2, 4, -1), rtol=1e-10, atol=1e-10)
    model, _ = students_model(student, random_values(rng), dropout=0.0, dtype=torch.float64)
    once = place(student, dropped_once)(model, src, tgt, mask)
    assert once, "드롭아웃은 임베딩과 위치를 더한 다음 한 번 겁니다."


@points(0.25, "Transformer", read="transformer-positions", step="robust")
def test_too_long_is_refused(student):
    """원문이든 번역문이든 max_length보다 길면 ValueError를 내야 합니다. 꼭 max_length이면 괜찮습니다."""
    model, _ = students_model(student)
    short, long = torch.ones(1, 3, dtype=torch.int64), torch.ones(1, LONGEST + 1, dtype=torch.int64)
    usual = student.Transformer(SRC, TGT, D, HEADS, FF, LAYERS)
    places = parameters(student, usual, "position.weight")["position.weight"].shape[0]
    assert (places, usual.dropout.p) == (64, 0.1), "max_length와 dropout의 기본값은 64와 0.1입니다."
    assert model(long[:, 1:], long[:, 1:], long[:, 1:] > 0).shape == (1, LONGEST, TGT)
    for src, tgt in [(long, short), (short, long)]:
        with pytest.raises(ValueError):
            model(src, tgt, src > 0)


@points(0.25, "Transformer", read="transformer-positions", step="robust")
def test_tables_start_small(student):
    """두 임베딩 표는 make_embedding으로 만드십시오. 처음 값의 표준편차가 1/√d_model이어야 합니다."""
    assert tables_start_small(student), "임베딩 표의 처음 값의 크기가 make_embedding의 것과 다릅니다."


@points(0.25, "Transformer", read="assembly", step="robust")
def test_everything_learns(student, rng):
    """기울기가 모든 파라미터에 흘러야 합니다. 인코더도 디코더의 손실로 배웁니다."""
    model, state = students_model(student, random_values(rng), dtype=torch.float64)
    src, tgt, mask = random_ids(3, 4, 5, rng)
    cotangent = torch.randn(3, 5, TGT, generator=rng, dtype=torch.float64)
    found = gradients(model, src, tgt, mask, cotangent=cotangent)["parameters"]
    for name in state:
        gradient = found.get(name)
        assert gradient is not None and gradient.abs().sum() > 0, f"{name}에 기울기가 흐르지 않습니다."


### END HIDDEN TESTS


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


### BEGIN HIDDEN TESTS
def random_pairs(count, rng):
    lengths = torch.randint(1, 9, (count, 2), generator=rng).tolist()
    lengths[1:3] = [[9, 1], [1, 9]][: count - 1]  # in no order of length, whichever side is looked at
    pairs = [tuple(torch.randint(3, 50, (n,), generator=rng).tolist() for n in both) for both in lengths]
    for ids in (ids for pair in pairs[1:3] for ids in pair):
        ids[0] = 3 if len(ids) > 1 else 50  # as lists, the longest are the least
    return pairs


@points(0.5, "collate", read="batches")
def test_pads_any_batch(student, rng):
    """쌍이 하나여도, 길이가 어떻든, pad_id가 0이 아니어도 같아야 합니다."""
    for count, pad_id in [(1, 0), (2, 7), (6, 99)]:
        pairs = random_pairs(count, rng)
        for side, ids in enumerate(student.collate(pairs, pad_id)):
            assert ids.dtype == torch.int64, f"자료형이 int64여야 하는데 {ids.dtype}입니다."
            width = max(len(pair[side]) for pair in pairs)
            expected = torch.full((count, width), pad_id)
            for row, pair in zip(expected, pairs, strict=True):
                row[: len(pair[side])] = torch.tensor(pair[side])
            assert_close(ids, expected)


@points(0.25, "collate", read="batches", step="robust")
def test_pairs_are_left_alone(student, rng):
    """받은 리스트를 고치지 마십시오. 같은 쌍을 다음 에폭에 다른 배치로 다시 묶습니다."""
    pairs = random_pairs(4, rng)
    seen = place(student, collate_and_look)(student.collate, pairs, 0)
    assert seen["src"].shape == (4, max(len(src) for src, _ in pairs)), "원문의 모양이 다릅니다."
    assert not seen["changed"], "받은 쌍의 리스트가 바뀌었습니다."


### END HIDDEN TESTS


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


### BEGIN HIDDEN TESTS
def random_batch(batch, n, m, pad_id, rng):
    src = torch.randint(3, 9, (batch, n), generator=rng)
    tgt = torch.randint(3, 9, (batch, m), generator=rng)
    tgt[:, 0] = 1
    for row in range(batch):
        start, end = (int(torch.randint(1, size, (), generator=rng)) for size in (n + 1, m))
        if row < 2 <= batch:  # two sentences of which each is shorter on one side, always
            start, end = [(n, 1), (1, m - 1)][row]
        src[row, start:] = pad_id
        tgt[row, end], tgt[row, end + 1 :] = 2, pad_id
    return src, tgt


def expected_steps(source, target, batches, pad_id, lr):
    """The losses and the tables after plain gradient descent, token by token."""
    source, target, losses = source.clone(), target.clone(), []
    for src, tgt in batches:
        source.requires_grad_(), target.requires_grad_()
        terms = []
        for ids, words in zip(src.tolist(), tgt.tolist(), strict=True):
            context = torch.stack([source[i] for i in ids if i != pad_id]).mean(0)
            for now, then in zip(words[:-1], words[1:], strict=True):
                if then != pad_id:
                    terms.append(-(target[now] + context).log_softmax(0)[then])
        loss = torch.stack(terms).mean()
        by_source, by_target = torch.autograd.grad(loss, [source, target])
        source, target = (source - lr * by_source).detach(), (target - lr * by_target).detach()
        losses.append(loss.item())
    return losses, source, target


def assert_steps(student, rng, sizes, pad_id=0, lr=0.7):
    tables = torch.randn(2, 10, 10, generator=rng, dtype=torch.float64)
    batches = [random_batch(*size, pad_id, rng) for size in sizes]
    losses, source, target = expected_steps(*tables, batches, pad_id, lr)
    seen = place(student, take_steps)(student.train_step, *tables, batches, pad_id, lr)
    assert_close(torch.tensor(seen["losses"]), torch.tensor(losses), rtol=1e-6, atol=1e-6)
    assert_close(seen["source"], source, rtol=1e-8, atol=1e-8)
    assert_close(seen["target"], target, rtol=1e-8, atol=1e-8)
    return seen


@points(0.75, "train_step", read="train-step")
def test_steps_do_not_add_up(student, rng):
    """둘째 걸음이 달라졌습니다. 앞 걸음의 기울기가 남아 있으면 두 배치의 기울기를 더한 방향으로 갑니다."""
    assert_steps(student, rng, [(3, 4, 5)] * 4)


@points(0.25, "train_step", read="train-step")
def test_mean_over_all_real_tokens(student, rng):
    """문장 길이가 들쭉날쭉하면 평균이 달라집니다. 문장마다가 아니라 진짜 정답 토큰 전체로 나누십시오."""
    for pad_id in (0, 9):
        assert_steps(student, rng, [(6, 5, 12)], pad_id)
    assert_steps(student, rng, [(1, 1, 2)])


@points(0.25, "train_step", read="train-step", step="robust")
def test_model_is_in_training_mode(student):
    """모델을 학습 모드로 두고 부르십시오. 평가 모드에서는 드롭아웃이 꺼집니다."""
    seen = place(student, take_steps)(student.train_step, *toy_tables(), [example_batch()], PAD, 1.0)
    assert seen["calls"], "모델을 부르지 않았습니다."
    assert all(training for training, *_ in seen["calls"]), "모델이 평가 모드입니다."


@points(0.25, "train_step", read="train-step", step="robust")
def test_loss_is_a_float(student):
    """손실은 파이썬의 float로 돌려주십시오. 텐서를 모으면 계산 그래프가 메모리에 모두 남습니다."""
    seen = place(student, take_steps)(student.train_step, *toy_tables(), [example_batch()], PAD, 1.0)
    assert seen["kinds"] == ["float"], f"float를 돌려주어야 하는데 {seen['kinds'][0]}입니다."


@points(0.5, "train_step", read="transformer-padding")
def test_source_mask_is_passed(student, rng):
    """원문의 마스크는 진짜 토큰이 True인 (batch, n)입니다: src != pad_id."""
    seen = assert_steps(student, rng, [(5, 7, 3)], pad_id=9)
    assert any(False in row for _, _, mask in seen["calls"] for row in mask), (
        "마스크가 아무것도 가리지 않습니다."
    )


### END HIDDEN TESTS


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


### BEGIN HIDDEN TESTS
@points(0.75, "exact_match", read="exact-match")
def test_fraction_of_any_list(student, rng):
    """앞부분만 같은 것, 순서만 다른 것, 뒤에 더 붙은 것은 틀린 것입니다. 짝은 같은 번호끼리입니다."""
    targets = [torch.randint(3, 9, (n,), generator=rng).tolist() + [2] for n in (1, 4, 6, 2, 5, 3, 7, 8)]
    targets[2] = [3, 4, 5, 6, 7, 8, 2]
    spoiled = [targets[0][:-1], [*targets[1], 2], [4, 3, 5, 6, 7, 8, 2], [9, *targets[3][1:]]]
    predictions = [*spoiled, *targets[4:]]
    assert student.exact_match(predictions, targets) == pytest.approx(0.5)
    assert student.exact_match(targets, targets) == 1.0
    assert student.exact_match(targets[1:] + targets[:1], targets) == 0.0
    assert student.exact_match(targets[:1], targets[:1]) == 1.0
    assert student.exact_match([[1, 12, 2]], [[11, 2, 2]]) == 0.0


@points(0.25, "exact_match", read="exact-match", step="robust")
def test_odd_lists(student):
    """두 리스트의 개수가 다르면 ValueError, 빈 리스트이면 0.0입니다."""
    assert student.exact_match([], []) == 0.0
    for predictions, targets in [([[5]], [[5], [6]]), ([[5], [6]], [[5]]), ([], [[5]]), ([[5]], [])]:
        with pytest.raises(ValueError):
            student.exact_match(predictions, targets)


### END HIDDEN TESTS
