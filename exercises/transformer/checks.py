"""What the exercise `transformer` is graded by."""

import zlib

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.suite import assert_close, gradients, observes, place, points, scattered

SRC, TGT, D, HEADS, FF, LAYERS, LONGEST = 9, 8, 8, 2, 12, 2, 10
PAD = 0

# Transformer ------------------------------------------------------------------------------------------------


def fixed_weights(name, shape):
    """Values in [-1, 1) for a parameter, those of a norm's weight around 1."""
    values = scattered(shape, zlib.crc32(name.encode()) % 1000)
    return 1 + values / 2 if "norm" in name and name.endswith("weight") else values


def students_model(student, values=fixed_weights, dropout=0.1, dtype=torch.float32):
    """A student's model in evaluation mode, and the weights that it was given."""
    model = student.Transformer(SRC, TGT, D, HEADS, FF, LAYERS, dropout, LONGEST)
    state = model.state_dict()
    for name in ["src_embedding.weight", "tgt_embedding.weight", "position.weight", "generator.weight"]:
        assert name in state, f"{name.split('.')[0]}라는 이름의 부품이 없습니다."
    for name in ["encoder.layers.1.norm1.weight", "decoder.layers.1.norm1.weight"]:
        assert name in state, f"{name.split('.')[0]}의 층이 {LAYERS}개가 아닙니다."
    state = {name: values(name, tensor.shape).to(dtype) for name, tensor in state.items()}
    if "generator.bias" in state:
        state["generator.bias"] = torch.zeros_like(state["generator.bias"])
    model = model.double() if dtype == torch.float64 else model
    model.load_state_dict(state)
    return model.eval(), state


def example_ids():
    """Two pairs; the second source ends in two paddings."""
    src = torch.tensor([[3, 5, 8, 4], [6, 7, 0, 0]])
    tgt = torch.tensor([[1, 4, 3], [1, 7, 5]])
    return src, tgt, src != PAD


@points(
    1,
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
        [-0.9383, -0.4638, -0.2470, 2.9096, 1.5101, -0.3006, -1.0599, -1.4481],
        [-0.9130, -0.5083, -0.2368, 2.9231, 1.5188, -0.2819, -1.0594, -1.4228],
        [-0.9348, -0.4575, -0.2431, 2.8934, 1.5093, -0.3063, -1.0383, -1.4436],
    ]
]
PADDED = [
    [
        [-1.0402, -0.5483, -0.4190, 2.8879, 1.4866, -0.2921, -1.2865, -1.6410],
        [-1.1354, -0.4339, -0.5067, 2.8047, 1.4361, -0.3535, -1.3568, -1.7568],
        [-1.1730, -0.4137, -0.5539, 2.7589, 1.4076, -0.3677, -1.3886, -1.7835],
    ]
]


@observes("Transformer")
def observe_transformer(student):
    model, _ = students_model(student)
    src, tgt, mask = example_ids()
    seen = [model(src, tgt, mask)[..., :3]]
    found = gradients(model, src, tgt, mask)["parameters"]
    seen.append([found[name] is not None for name in ["src_embedding.weight", "position.weight"]])
    try:
        model(torch.ones(1, LONGEST + 1, dtype=torch.int64), tgt[:1], torch.ones(1, LONGEST + 1) > 0)
        seen.append("accepts")
    except Exception as error:
        seen.append(type(error).__name__)
    model, _ = students_model(student, dropout=1.0)
    return [*seen, model.train()(src, tgt, mask)[..., :3]]




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
    optimizer = torch.optim.SGD(toy.parameters(), lr=lr)
    losses = [train_step(toy, batch, optimizer, pad_id) for batch in batches]
    return {
        "kinds": [type(loss).__name__ for loss in losses],
        "losses": [None if loss is None else float(loss) for loss in losses],
        "source": toy.source.detach(),
        "target": toy.target.detach(),
        "calls": toy.calls,
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
    ]
    for predictions, targets in [([], []), ([[5]], [[5], [6]])]:
        try:
            seen.append(student.exact_match(predictions, targets))
        except Exception as error:
            seen.append(type(error).__name__)
    return seen
