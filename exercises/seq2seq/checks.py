"""What the exercise `seq2seq` is graded by."""

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.contract import bad_manners, finite_gradients, unreached
from grader.judging.observed import attempt, up_to_the_first_wrong
from grader.judging.observed import same as close
from grader.judging.suite import (
    assert_close,
    follows_device,
    gradients,
    load,
    mutated,
    observes,
    parameters,
    place,
    points,
    scattered,
)

T, N = True, False  # visible, hidden


# additive_attention -------------------------------------------------------------------------------------------


def example():
    """One query and three keys, with d_q = 2, d_k = 3, d_a = 2; worked by hand below."""
    query = torch.tensor([1.0, -1.0])
    keys = torch.tensor([[0.0, 1.0, 0.0], [2.0, 0.0, 1.0], [-1.0, 0.5, 0.0]])
    W_q = torch.tensor([[0.5, 1.0], [0.0, -1.0]])
    W_k = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    v = torch.tensor([2.0, -1.0])
    return query, keys, W_q, W_k, v


def contexts(output):
    """The two things that an answer returns."""
    assert isinstance(output, tuple | list) and len(output) == 2, (
        "(문맥 벡터, 가중치) 둘을 돌려주어야 합니다."
    )
    return output


@points(0.5, "additive_attention", read="additive-attention", step="warm-up")
def test_weights_by_hand(student):
    """점수는 tanh(q W_q + k W_k)와 v의 내적이고, 가중치는 키에 걸친 점수의 소프트맥스입니다."""
    _, weights = contexts(student.additive_attention(*example()))
    assert_close(weights, torch.tensor([0.2773978, 0.6785479, 0.0440544]))


@points(0.5, "additive_attention", read="context-vector")
def test_context_by_hand(student):
    """문맥 벡터는 옮기기 전의 키를 가중치로 더한 것입니다. 문맥 벡터가 먼저, 가중치가 다음입니다."""
    context, _ = contexts(student.additive_attention(*example()))
    assert_close(context, torch.tensor([1.3130414, 0.2994249, 0.6785479]))


@points(1, "additive_attention", read="seq2seq-mask")
def test_hidden_keys_get_nothing(student):
    """mask가 False인 키의 가중치는 0이고, 나머지는 그 키들만의 소프트맥스여야 합니다."""
    context, weights = contexts(student.additive_attention(*example(), torch.tensor([T, N, T])))
    assert_close(weights, torch.tensor([0.8629520, 0.0, 0.1370480]))
    assert_close(context, torch.tensor([-0.1370480, 0.9314760, 0.0]))


@points(0.25, "additive_attention", read="seq2seq-mask", step="robust")
def test_nothing_to_see_gives_zeros(student):
    """볼 것이 하나도 없으면 가중치도 문맥 벡터도 0입니다. NaN도 균등 분포도 아니고, 기울기도 유한합니다."""
    context, weights = contexts(student.additive_attention(*example(), torch.tensor([N, N, N])))
    assert_close(weights, torch.zeros(3))
    assert_close(context, torch.zeros(3))
    seen = place(student, gradients_where_nothing_is_seen)(student.additive_attention, *example())
    assert seen, "기울기가 유한하지 않습니다. NaN을 나중에 0으로 덮어도 역전파에 남습니다."


def gradients_where_nothing_is_seen(attend, *inputs):
    """Whether none is NaN: of an answer that sends none, there is nothing to see here."""
    import torch

    inputs = [x.clone().requires_grad_() for x in inputs]
    context, weights = attend(*(1 * x for x in inputs), torch.zeros(3, dtype=torch.bool))
    if context.requires_grad or weights.requires_grad:
        (context.sum() + weights.sum()).backward()
    return all(x.grad is None or bool(x.grad.isfinite().all()) for x in inputs)


def sentences():
    """Three queries, three keys for each, and square matrices: most mistakes give numbers and no error."""
    query = torch.tensor([[1.0, -1.0], [0.5, 2.0], [-1.5, 0.5]])
    keys = torch.tensor(
        [[0.0, 1.0, 2.0, 0.5, -1.0, 0.5, 1.0, 1.5, 0.3], [-1.0, 0.7, 0.2, -0.4, 0.9, 1.2, -0.7, 0.1, -1.6]]
    )
    W_q, W_k = torch.tensor([[0.5, 1.0], [0.2, -1.0]]), torch.tensor([[1.0, -0.4], [0.3, 1.0]])
    return query, keys.reshape(3, 3, 2), W_q, W_k, torch.tensor([2.0, -1.0])


def how_masked(plain, found, mask):
    """How a mask, which must hide something, changes the weights: "right", or what seems to be done instead."""
    if found.shape != plain.shape:
        return "another shape"
    if close(found, plain):
        return "ignored"
    if close(found, plain * mask):
        return "after the softmax"
    wrong_side = found[~mask.all(-1)] * mask[~mask.all(-1)]
    if close(wrong_side, torch.zeros_like(wrong_side)):
        return "flipped"
    if not close(found.sum(-1), torch.ones_like(found[..., 0])):
        return "another sum"
    return "right" if (found[~mask] == 0).all() else "leaks"


def how_empty(weights):
    """What weights are where there is nothing to see."""
    if weights.isnan().any():
        return "nan"
    if (weights == 0).all():
        return "right"
    return "even" if close(weights, weights[..., :1].expand_as(weights)) else "uneven"


@observes("additive_attention")
def observe_additive_attention(student):
    answer, (query, keys, *learned) = student.additive_attention, sentences()
    mask = torch.tensor([[T, N, T], [T, T, N], [N, N, N]])

    def one(row=0, *masks):
        context, weights = answer(query[row : row + 1], keys[row : row + 1], *learned, *masks)
        return context.flatten(), weights.flatten()

    def sizes():
        found = answer(query[:1], keys[:1], *learned)
        return [x.numel() for x in found] if isinstance(found, tuple | list) else "no pair"

    def weights():
        right, found = torch.tensor([0.2683198, 0.6979588, 0.0337214]), one()[1]
        ratio = (found / found[0]).log()[1:] / (right / right[0]).log()[1:]
        constant = close(found.sum(), torch.tensor(1.0)) and close(ratio[:1], ratio[1:])
        return "scaled" if constant and abs(ratio[0] - 1) > 1e-2 else found

    def hidden_keys_count():
        moved = torch.where(mask[:1, :, None], keys[:1], 9.0)
        found = answer(query[:1], moved, *learned, mask[:1])
        return close(found[0].flatten(), one(0, mask[:1])[0])

    def batch():
        whole, rows = answer(query, keys, *learned)[1], torch.cat([one(row)[1] for row in range(3)])
        if not close(whole.flatten(), rows) and close(whole.sum(0).flatten(), torch.ones(3)):
            return "softmax over the batch"
        return "right" if close(whole.flatten(), rows) else "mixed"

    def oblong():
        query, keys, *learned = example()
        found = answer(query[None], keys[None], *learned)[1].flatten()
        return close(found, torch.tensor([0.2773978, 0.6785479, 0.0440544]))

    def other_axes():
        two = answer(torch.stack([query, query.flip(0)]), torch.stack([keys, keys.flip(0)]), *learned)
        rows = [answer(q, k, *learned) for q, k in zip(query, keys, strict=True)]
        return all(
            close(found[0], torch.stack(right)) and close(found[1], torch.stack(right).flip(0))
            for found, right in zip(two, zip(*rows, strict=True), strict=True)
        )

    def single():
        sizes = [
            answer(query[:b], keys[:b, :n], *learned)[i] for b, n in [(1, 3), (3, 1), (1, 1)] for i in (0, 1)
        ]
        return [list(found.shape) for found in sizes] == [[1, 2], [1, 3], [3, 2], [3, 1], [1, 2], [1, 1]]

    def empty():
        return how_empty(answer(query, keys, *learned, mask)[1][2])

    def one_mask():
        found = answer(query, keys, *learned, mask[0])[1]
        return close(found, answer(query, keys, *learned, mask[:1].expand(3, 3))[1])

    double = [x.double() for x in (query, keys, *learned)]
    return up_to_the_first_wrong(
        (sizes, [2, 3]),
        (weights, torch.tensor([0.2683198, 0.6979588, 0.0337214])),
        (lambda: one()[0], torch.tensor([1.3621963, 0.6341599])),
        (batch, "right"),
        (lambda: how_masked(one()[1], one(0, mask[:1])[1], mask[0]), "right"),
        (hidden_keys_count, True),
        (oblong, True),
        (other_axes, True),
        (single, True),
        (one_mask, True),
        (lambda: bad_manners(student, answer, *double, mask), "none"),
        (
            lambda: unreached("01234", answer, *double, output=1, cotangent=scattered((3, 3), 1)),
            [],
        ),
        (empty, "right"),
        (lambda: bool((answer(query, keys, *learned, mask)[0][2] == 0).all()), True),
        (lambda: finite_gradients(answer, query, keys, *learned, mask), True),
        (lambda: bool(answer(query, keys, *learned[:2], 1e3 * learned[2])[1].isfinite().all()), True),
    )




# luong_score --------------------------------------------------------------------------------------------------


@points(0.5, "luong_score", read="luong-score", step="warm-up")
def test_dot_by_hand(student):
    """W가 없으면 점수는 질의와 키의 내적 그대로입니다. 나누지도, 소프트맥스를 취하지도 않습니다."""
    query, keys = torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 0.0], [1.0, 1.0], [-1.0, 0.5]])
    assert_close(student.luong_score(query, keys), torch.tensor([3.0, 3.0, 0.0]))


@points(0.75, "luong_score", read="luong-score")
def test_general_by_hand(student):
    """W가 있으면 질의에 W를 곱한 다음 키와 내적합니다: q W kᵀ. W의 행이 질의, 열이 키의 차원입니다."""
    query, keys = torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    W = torch.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, -1.0]])
    assert_close(student.luong_score(query, keys, W), torch.tensor([6.0, 3.0]))


@observes("luong_score")
def observe_luong_score(student):
    score, (query, keys, *_) = student.luong_score, sentences()
    W = torch.tensor([[0.5, 2.0], [-1.0, 1.0]])

    def one(right, *matrix):
        found = score(query[:1], keys[:1], *matrix).flatten()
        ratio = found / right if len(found) == len(right) else found
        return "scaled" if abs(ratio[0] - 1) > 1e-2 and close(ratio, ratio[:1].expand_as(ratio)) else found

    def batch(*matrix):
        whole = score(query, keys, *matrix)
        if whole.numel() != 9:
            return "too many"
        rows = [score(query[row : row + 1], keys[row : row + 1], *matrix).flatten() for row in range(3)]
        return "right" if close(whole.flatten(), torch.cat(rows)) else "mixed"

    def other_axes():
        two = score(torch.stack([query, query.flip(0)]), torch.stack([keys, keys.flip(0)]), W)
        rows = torch.stack([score(q, k, W) for q, k in zip(query, keys, strict=True)])
        return close(two[0], rows) and close(two[1], rows.flip(0))

    def single():
        found = [score(query[:b], keys[:b, :n], *m) for b, n in [(1, 3), (3, 1), (1, 1)] for m in ([], [W])]
        sizes, right = [list(x.shape) for x in found], [[1, 3], [1, 3], [3, 1], [3, 1], [1, 1], [1, 1]]
        return "one axis more" if all(len(size) == 3 for size in sizes) else sizes == right

    plain, general = torch.tensor([-1.0, 1.5, -1.5]), torch.tensor([1.0, 3.5, -1.0])
    return up_to_the_first_wrong(
        (lambda: one(plain), plain),
        (lambda: one(general, W), general),
        (lambda: batch(), "right"),
        (lambda: batch(W), "right"),
        (lambda: score(query[:1], torch.ones(1, 2, 3), torch.ones(2, 3)).flatten(), torch.zeros(2)),
        (other_axes, True),
        (single, True),
        (lambda: bad_manners(student, score, query.double(), keys.double()), "none"),
        (lambda: bad_manners(student, score, query.double(), keys.double(), W.double()), "none"),
    )




# DecoderStep --------------------------------------------------------------------------------------------------

VOCAB, EMBEDDING, HIDDEN = 7, 5, 6


class Step:
    """A student's DecoderStep with fixed weights, in evaluation mode; takes states of an nn.LSTM's shape, too."""

    def __init__(self, student, dtype=torch.float64, device="cpu"):
        self.module = student.DecoderStep(VOCAB, EMBEDDING, HIDDEN)
        found = parameters(
            student, self.module
        )  # biases around 1: no unit of a ReLU is dead for a whole sentence
        values = {name: scattered(value.shape, name) + ("bias" in name) for name, value in found.items()}
        load(student, self.module, values)
        self.module = self.module.double() if dtype == torch.float64 else self.module
        self.module.to(str(device)).eval()
        self.layers = False
        try:
            self.module(*self.inputs(dtype, device))
        except NotImplementedError:
            raise
        except Exception as error:
            try:
                self.layers = True
                self.module(*self.packed(*self.inputs(dtype, device)))
            except Exception:
                raise error from None

    @staticmethod
    def inputs(dtype=torch.float64, device="cpu", batch=3, n=4):
        h, c = (scattered(torch.Size([batch, HIDDEN]), 100 + i).to(device, dtype) for i in range(2))
        states = scattered(torch.Size([batch, n, HIDDEN]), 102).to(device, dtype)
        token = torch.tensor([2, 5, 1, 0, 6, 3, 4][:batch], device=device)
        return token, (h, c), states, torch.ones(batch, n, dtype=torch.bool, device=device)

    def packed(self, token, state, states, mask):
        """Copies, of the shapes that this step takes: what it changes in place spoils no later look."""
        state = tuple(s[None].clone() if self.layers else s.clone() for s in state)
        return token.clone(), state, states.clone(), mask.clone()

    def __call__(self, token, state, states, mask):
        output = self.module(*self.packed(token, state, states, mask))
        assert isinstance(output, tuple | list) and len(output) == 3, (
            "(로짓, 상태, 가중치) 셋을 돌려주어야 합니다."
        )
        logits, new, weights = output
        assert isinstance(new, tuple | list) and len(new) == 2, "상태는 (h, c) 둘이어야 합니다."
        if self.layers:
            new = [s[0] for s in new]
        return logits, tuple(new), weights

    def gradients(self, *inputs, output=0, cotangent=None):
        return gradients(self.module, *self.packed(*inputs), output=output, cotangent=cotangent)


def same(one, other):
    return one.shape == other.shape and torch.allclose(one, other, rtol=1e-8, atol=1e-10)


def all_same(one, other):
    """Whether two steps end in the same logits and the same state."""
    return same(one[0], other[0]) and all(same(a, b) for a, b in zip(one[1], other[1], strict=True))


def sums_to_one(weights):
    return same(weights.sum(-1), torch.ones_like(weights[:, 0])) and bool((weights >= 0).all())


def some_hidden():
    return torch.tensor([[T, N, T, T], [T, T, T, T], [N, T, T, N]])


def elsewhere(states, mask):
    """The encoder's states with those that `mask` hides moved far away."""
    return torch.where(mask[..., None], states, 10 * scattered(states.shape, 103))


def moved(step, what):
    """Whether the logits change when one input changes, in every sentence."""
    token, (h, c), states, mask = step.inputs()
    new = {
        "token": ((token + 1) % VOCAB, (h, c), states, mask),
        "h": (token, (h.flip(-1), c), states, mask),
        "c": (token, (h, c.flip(-1)), states, mask),
        "states": (token, (h, c), states.flip(-1), mask),
    }[what]
    before, after = step(token, (h, c), states, mask)[0], step(*new)[0]
    return bool(((before - after).abs().amax(-1) > 1e-9).all())


def cut_off(module, token, h, c, states, mask):
    """What the second of two steps sends no gradient to: the state before the first, or a parameter."""
    h, c = (s.clone().requires_grad_() for s in (h, c))
    _, state, _ = module(token, (h, c), states, mask)
    logits, _, _ = module(token.flip(0), tuple(state), states, mask)
    logits.square().sum().backward()
    found = {"h": h.grad, "c": c.grad, **{name: p.grad for name, p in module.named_parameters()}}
    return [name for name, gradient in found.items() if gradient is None]


def changed(module, token, h, c, states, mask):
    """Whether a step changes the state that it is given."""
    given = h.clone(), c.clone()
    module(token, (h, c), states, mask)
    return not (torch.equal(given[0], h) and torch.equal(given[1], c))


def slopes_agree(step):
    """Whether the gradient says how the logits move when the encoder's states do, by whichever way."""
    token, state, states, mask = step.inputs()
    direction, cotangent = scattered(states.shape, 104), scattered((3, VOCAB), 105)
    found = step.gradients(token, state, states, mask, cotangent=cotangent)["inputs"].get(2)
    found = torch.zeros_like(states) if found is None else found
    ahead, back = (step(token, state, states + way * direction, mask)[0] for way in (1e-5, -1e-5))
    slope = float(((ahead - back) * cotangent).sum().detach()) / 2e-5
    return abs(slope - float((found * direction).sum())) < 1e-4 * (1 + abs(slope))


@points(0.25, "DecoderStep", read="decoder-step", step="warm-up")
def test_one_step(student):
    """로짓 (B, V), 새 상태 (h, c), 인코더의 상태마다 하나인 가중치 (B, n)을 내야 합니다. 가중치는 합이 1입니다."""
    step = Step(student)
    token, (h, c), states, mask = step.inputs()
    logits, new, weights = step(token, (h, c), states, mask)
    sizes = [tuple(x.shape) for x in (logits, *new, weights)]
    assert sizes == [(3, VOCAB), (3, HIDDEN), (3, HIDDEN), (3, 4)], f"로짓, h, c, 가중치의 모양: {sizes}"
    assert sums_to_one(weights), "가중치의 합이 문장마다 1이 아닙니다."
    assert not same(new[0], h) and not same(new[1], c), "상태가 그대로입니다."


@points(0.25, "DecoderStep", read="seq2seq-mask")
def test_hidden_states_have_no_influence(student):
    """가린 상태의 가중치는 0이어야 하고, 가린 상태를 바꾸어도 아무것도 달라지지 않아야 합니다."""
    step = Step(student)
    token, state, states, _ = step.inputs()
    found = step(token, state, states, some_hidden())
    changed = step(token, state, elsewhere(states, some_hidden()), some_hidden())
    assert sums_to_one(found[2]), "보이는 상태의 가중치를 더하면 1이어야 합니다."
    assert found[2][~some_hidden()].abs().max() == 0, "가린 상태가 가중치를 받았습니다."
    assert all_same(found, changed) and same(found[2], changed[2]), "가린 상태가 결과를 바꿉니다."
    assert moved(step, "states"), "보이는 상태를 바꾸어도 로짓이 그대로입니다."


@observes("DecoderStep")
def observe_decoder_step(student):
    step = attempt(Step, student, otherwise=None)
    if step is None:
        Step(student, torch.float32)  # raises if this, too, does not work
    return up_to_the_first_wrong(
        (lambda: step is not None, True),
        (lambda: what_is_returned(step), "right"),
        (lambda: all_same(step(*step.inputs()), step(*step.inputs())), True),
        (lambda: how_weighted(step), "right"),
        (lambda: which_state(step), "right"),
        (lambda: what_logits_are(step), "right"),
        (lambda: what_moves(step), [[T, T, T], [T, T, T]]),
        (lambda: moved(step, "states"), True),
        (lambda: what_stands_for_all(step), "right"),
        (lambda: what_is_asked(step), "right"),
        (lambda: what_stays_apart(step), "right"),
        (lambda: place(student, changed)(step.module, *flat(step)), False),
        (lambda: what_learns(student, step), "right"),
        (lambda: what_nothing_gives(step), "right"),
        (lambda: follows_device(student, step.module, *step.packed(*step.inputs())), True),
        (lambda: Step(student, torch.float32)(*step.inputs(torch.float32))[0].dtype == torch.float32, True),
    )


def flat(step):
    token, state, states, mask = step.packed(*step.inputs())
    return token, *state, states, mask


def what_is_returned(step):
    output = step.module(*step.packed(*step.inputs()))
    if len(output) != 3 or not isinstance(output[1], tuple | list) or len(output[1]) != 2:
        return "no three"
    logits, new, weights = output
    found = [list(x.shape) for x in (logits, *((s[0] for s in new) if step.layers else new), weights)]
    right = [[3, VOCAB], [3, HIDDEN], [3, HIDDEN], [3, 4]]
    if found == right:
        return "right"
    return "an axis too many" if [[n for n in size if n != 1] for size in found] == right else "another size"


def how_weighted(step):
    token, state, states, mask = step.inputs()
    plain, found = step(token, state, states, mask)[2], step(token, state, states, some_hidden())[2]
    kind = how_masked(plain, found, some_hidden())
    if kind == "flipped":
        return kind
    if not sums_to_one(plain):
        return "softmax over the batch" if close(plain.sum(0), torch.ones(4)) else "no softmax"
    if kind == "right" and (found.amax(-1) > 0.999).all():
        return "one state"
    return kind if (plain.amax(-1) - plain.amin(-1) > 1e-6).all() else "even"


def which_state(step):
    token, (h, c), states, mask = step.inputs()
    new = step(token, (h, c), states, mask)[1]
    if same(new[0], h) or same(new[1], c):
        return "given"
    return "swapped" if (new[0].abs() > new[1].abs()).all() else "right"  # |h| = |o tanh(c)| < |c|


def what_logits_are(step):
    logits = step(*step.inputs(batch=7))[0]
    if close(logits.exp().sum(-1), torch.ones(7)):
        return "log probabilities"
    if (logits >= 0).all() or (logits <= 0).all():
        return "probabilities" if close(logits.sum(-1), torch.ones(7)) else "one sign"
    return "right"


def what_moves(step):
    """Whether token, h and c move the new cell state, and the logits, where all of the encoder's states are one."""
    token, (h, c), states, mask = step.inputs()
    states = states[:, :1].expand_as(states)
    found = step(token, (h, c), states, mask)
    others = [((token + 1) % VOCAB, (h, c)), (token, (h.flip(-1), c)), (token, (h, c.flip(-1)))]
    others = [step(*other, states, mask) for other in others]
    return [
        [not same(other[1][1], found[1][1]) for other in others],
        [not same(other[0], found[0]) for other in others],
    ]


def what_stands_for_all(step):
    """Which vector does, in place of every state, what the states do of which some are hidden."""
    token, state, states, mask = step.inputs()
    seen = some_hidden()
    found, plain = step(token, state, states, seen), step(token, state, states, mask)
    last = seen.shape[1] - 1 - seen.flip(1).long().argmax(1)
    ways = {
        "right": found[2],
        "weights without the mask": plain[2],
        "mean of the visible": seen / seen.sum(1, keepdim=True).double(),
        "mean of all": mask / mask.sum(1, keepdim=True).double(),
        "last": F.one_hot(torch.full((3,), 3), 4),
        "last visible": F.one_hot(last, 4),
        "first": F.one_hot(torch.zeros(3, dtype=torch.long), 4),
    }
    for name, weights in ways.items():
        vector = (weights[..., None] * states).sum(1, keepdim=True)
        if all_same(found, step(token, state, vector.expand_as(states), mask)):
            return "one state" if name in ("last", "last visible", "first") else name
    return "something beside"


def what_is_asked(step):
    """What moves the weights if the hidden state does not."""
    token, (h, c), states, mask = step.inputs()
    others = {
        "right": (token, (h.flip(-1), c)),
        "token": ((token + 1) % VOCAB, (h, c)),
        "c": (token, (h, c.flip(-1))),
    }
    found = step(token, (h, c), states, mask)[2]
    return next((name for name, o in others.items() if not same(step(*o, states, mask)[2], found)), "nothing")


def what_stays_apart(step):
    """Whether sentences do, and positions; also where there is one only."""
    token, (h, c), states, mask = step.inputs()
    found = step(token, (h, c), states, mask)
    alone = attempt(lambda: step(token[1:2], (h[1:2], c[1:2]), states[1:2], mask[1:2]), otherwise=None)
    short = attempt(lambda: step(token, (h, c), states[:, :1], mask[:, :1]), otherwise=None)
    if None in (alone, short) or not close(short[2], torch.ones(3, 1)) or alone[0].shape != (1, VOCAB):
        return "no single"
    if alone[2].shape != (1, 4):
        return "no single"
    if not same(alone[0], found[0][1:2]) or not same(alone[2], found[2][1:2]):
        return "mixed"
    return "right" if same(step(token, (h, c), states.flip(1), mask)[2].flip(1), found[2]) else "order"


def what_nothing_gives(step):
    token, state, states, mask = step.inputs()
    mask[1] = False
    logits, new, weights = step(token, state, states, mask)
    if (kind := how_empty(weights[1])) != "right":
        return kind
    if not all_same((logits, new), step(token, state, elsewhere(states, mask), mask)):
        return "context"
    found = step.gradients(token, state, states, mask)
    found = [found["inputs"].get(2), *found["parameters"].values()]
    return "right" if all(x is None or x.isfinite().all() for x in found) else "gradient"


def what_learns(student, step):
    """What sends no gradient back, if anything does; it fails if nothing does."""
    if step.gradients(*step.inputs())["inputs"].get(2) is None:
        return "encoder"
    if not slopes_agree(step):
        return "weights"
    cut = place(student, cut_off)(step.module, *flat(step))
    return "right" if not cut else "state" if {"h", "c"} & set(cut) else "parameters"
