"""What the exercise `transformer` is graded by."""

from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import nn

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
    reached,
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
    model = model.double() if dtype == torch.float64 else model
    wanted = {name: values(name, shape).to(dtype) for name, shape in shapes().items()}
    for stack in ["encoder", "decoder"]:
        found = parameters(student, model, *[f"{stack}.layers.{i}.norm1.bias" for i in range(LAYERS + 1)])
        assert len(found) == LAYERS, f"{stack}의 층이 {LAYERS}개가 아닙니다."
    bias = {"generator.bias": torch.zeros(TGT, dtype=dtype)}
    return model.eval(), load(student, model, {**wanted, **bias}, optional=bias)


def example_ids():
    """Two pairs; the second source ends in two paddings."""
    src = torch.tensor([[3, 5, 8, 4], [6, 7, 0, 0]])
    tgt = torch.tensor([[1, 4, 3], [1, 7, 5]])
    return src, tgt, src != PAD


@points(
    0.75,
    question="Transformer",
    hint="로짓이 다릅니다. 임베딩 · √d_model + 위치를 인코더와 디코더에 넣고, 인코더의 출력을 디코더의 memory로 넘기십시오.",
    read="transformer#assembly",
)
def test_logits_of_a_whole_sentence(student):
    model, _ = students_model(student)
    src, tgt, mask = example_ids()
    logits = model(src[:1], tgt[:1], mask[:1])
    assert_close(logits, torch.tensor(WHOLE), rtol=1e-3, atol=1e-3)


@points(
    0.5,
    question="Transformer",
    hint="패딩이 있는 문장에서 로짓이 다릅니다. src_mask를 인코더와 디코더 두 곳에 넘겼는지 보십시오.",
    read="transformer#transformer-padding",
)
def test_logits_of_a_padded_sentence(student):
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


@observes("Transformer")
def observe_transformer(student):
    model, _ = students_model(student)
    src, tgt, mask = example_ids()
    seen = [model(src, tgt, mask)[..., :3]]
    learns = reached(model, src, tgt, mask)
    names = [f"{part}.weight" for part in ("src_embedding", "tgt_embedding", "position", "generator")]
    seen.append([name in learns for name in [*names, "encoder.layers.0.linear1.weight"]])
    for n in (LONGEST, LONGEST + 1):
        ids = torch.ones(1, n, dtype=torch.int64)
        seen.append(outcome(lambda: list(model(ids, tgt[:1], ids > 0).shape)))  # noqa: B023
    once = place(student, dropped_once)(students_model(student, dropout=0.0)[0], src, tgt, mask)
    model, _ = students_model(student, dropout=1.0)
    return [*seen, bool(once), model.train()(src, tgt, mask)[..., :3]]




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


@points(
    0.75,
    question="collate",
    hint="원문은 원문끼리, 번역문은 번역문끼리 가장 긴 것에 맞추어 뒤를 pad_id로 채운 두 int64 텐서여야 합니다.",
    read="transformer#batches",
)
def test_pads_to_the_longest(student):
    src, tgt = student.collate(example_pairs(), 0)
    assert_close(src, torch.tensor([[5, 6, 7], [8, 0, 0]]))
    assert_close(tgt, torch.tensor([[1, 9, 2, 0, 0], [1, 9, 9, 9, 2]]))
    for ids in (src, tgt):
        assert ids.dtype == torch.int64, f"자료형이 int64여야 하는데 {ids.dtype}입니다."


@observes("collate")
def observe_collate(student):
    seen = place(student, collate_and_look)(student.collate, example_pairs(), 0)
    other = student.collate([([5], [1, 2])] + example_pairs(), 4)
    return [seen, str(seen["src"].dtype), *other]




# train_step -------------------------------------------------------------------------------------------------


def take_steps(train_step, source, target, batches, pad_id, lr):
    """Train a toy model by train_step and stochastic gradient descent; what came back and what was seen."""

    import torch._dynamo  # every optimizer loads it, for 1.6 s: so the sandbox's server has it already

    class Toy(torch.nn.Module):
        """Adds what the last target token says to the mean of what the source says."""

        def __init__(self):
            super().__init__()
            self.source = torch.nn.Parameter(source.clone())
            self.target = torch.nn.Parameter(target.clone())
            self.calls = []

        def forward(self, src, tgt, src_mask):
            self.calls.append([self.training, list(tgt.shape), src_mask.tolist()])
            kept = src_mask[..., None].to(self.source.dtype)
            context = (self.source[src] * kept).sum(1) / kept.sum(1).clamp(min=1)
            return self.target[tgt] + context[:, None]

    toy = Toy().eval()
    for parameter in toy.parameters():
        parameter.grad = torch.ones_like(parameter)  # left over: to be cleared before the first step
    optimizer = torch.optim.SGD(toy.parameters(), lr=lr)
    losses = [train_step(toy, batch, optimizer, pad_id) for batch in batches]
    return {
        "kinds": [type(loss).__name__ for loss in losses],
        "losses": [None if loss is None else float(loss) for loss in losses],
        "source": toy.source.detach(),
        "target": toy.target.detach(),
        "calls": toy.calls,
        "left": toy.target.grad is not None,
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


@points(
    0.75,
    question="train_step",
    hint="손실이 다릅니다. tgt의 앞부분으로 한 칸 뒤를 맞히고, 패딩이 아닌 정답 토큰 다섯의 평균을 내십시오.",
    read="transformer#train-step",
)
def test_loss_over_real_tokens(student):
    seen = place(student, take_steps)(student.train_step, *toy_tables(), [example_batch()], PAD, 1.0)
    assert seen["kinds"] == ["float"], f"float를 돌려주어야 하는데 {seen['kinds'][0]}입니다."
    probabilities = torch.tensor([4 / 8, 4 / 8, 4 / 8, 1 / 8, 4 / 8])  # of 3, 4, 2 and of 4, 2
    assert_close(torch.tensor(seen["losses"][0]), -probabilities.log().mean(), rtol=1e-4, atol=1e-4)


@points(
    0.5,
    question="train_step",
    hint="한 걸음 뒤의 파라미터가 다릅니다. 기울기를 지우고, 역전파하고, optimizer.step()을 한 번 부르십시오.",
    read="transformer#train-step",
)
def test_one_step_changes_the_model(student):
    seen = place(student, take_steps)(student.train_step, *toy_tables(), [example_batch()], PAD, 5.0)
    # From SOS (row 1), 3 and 4 are the two right answers: each step is 5 · (1 - p) / 5 and so on.
    change = (seen["target"] - toy_tables()[1])[1]
    expected = torch.tensor([-0.125, -0.125, -0.25, 0.0, 0.75, -0.25])
    assert_close(change, expected, rtol=1e-3, atol=1e-3)


def example_source():
    return torch.tensor([[0.3, -0.2, 0.5, 0.1, -0.4, 0.2]] * 6).roll(1, 0) * torch.arange(1, 7)[:, None] / 3


@observes("train_step")
def observe_train_step(student):
    other = (torch.tensor([[4, 0, 0], [3, 5, 3]]), torch.tensor([[1, 5, 2, 0, 0], [1, 3, 3, 4, 2]]))
    batches = [example_batch(), other, example_batch()]
    return place(student, take_steps)(
        student.train_step, example_source(), toy_tables()[1], batches, PAD, 0.5
    )




# exact_match ------------------------------------------------------------------------------------------------


@points(
    0.5,
    question="exact_match",
    hint="번역문 하나가 통째로 정답과 같을 때만 맞은 것입니다. 셋 가운데 하나가 맞으면 1/3입니다.",
    read="transformer#exact-match",
)
def test_counts_whole_sequences(student):
    predictions, targets = [[7, 8, 2], [7, 2], [8, 7, 2]], [[7, 8, 2], [7, 9, 2], [7, 8, 2]]
    found = student.exact_match(predictions, targets)
    assert isinstance(found, float), f"float를 돌려주어야 하는데 {type(found).__name__}입니다."
    assert found == pytest.approx(1 / 3), f"1/3이어야 하는데 {found}입니다."


@observes("exact_match")
def observe_exact_match(student):
    seen = [
        student.exact_match([[7, 8, 2], [7, 8], [8, 7, 2], [2]], [[7, 8, 2], [7, 8, 2], [7, 8, 2], [2]]),
        student.exact_match([[5, 6, 2, 2], [5]], [[5, 6, 2], [6]]),
        student.exact_match([[5], [6], [7]], [[7], [5], [7]]),
        student.exact_match([[5, 6, 2], [6]], [[5, 6, 6, 2], [7]]),
        student.exact_match([[1, 12, 2]], [[11, 2, 2]]),
    ]
    for predictions, targets in [([], []), ([[5]], [[5], [6]])]:
        try:
            seen.append(student.exact_match(predictions, targets))
        except Exception as error:
            seen.append(type(error).__name__)
    return seen
