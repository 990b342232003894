"""What the exercise `seq2seq` is graded by."""

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.suite import (
    assert_close,
    follows_device,
    gradients,
    load,
    mutated,
    observes,
    outcome,
    parameters,
    place,
    points,
    reached,
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


@points(
    0.5,
    question="additive_attention",
    hint="점수는 tanh(q W_q + k W_k)와 v의 내적이고, 가중치는 키에 걸친 점수의 소프트맥스입니다.",
    read="seq2seq#additive-attention",
)
def test_weights_by_hand(student):
    _, weights = contexts(student.additive_attention(*example()))
    assert_close(weights, torch.tensor([0.2773978, 0.6785479, 0.0440544]))


@points(
    0.5,
    question="additive_attention",
    hint="문맥 벡터는 옮기기 전의 키를 가중치로 더한 것입니다. 문맥 벡터가 먼저, 가중치가 다음입니다.",
    read="seq2seq#context-vector",
)
def test_context_by_hand(student):
    context, _ = contexts(student.additive_attention(*example()))
    assert_close(context, torch.tensor([1.3130414, 0.2994249, 0.6785479]))


@points(
    0.5,
    question="additive_attention",
    hint="mask가 False인 키의 가중치는 0이고, 나머지는 그 키들만의 소프트맥스여야 합니다.",
    read="seq2seq#seq2seq-mask",
)
def test_hidden_keys_get_nothing(student):
    context, weights = contexts(student.additive_attention(*example(), torch.tensor([T, N, T])))
    assert_close(weights, torch.tensor([0.8629520, 0.0, 0.1370480]))
    assert_close(context, torch.tensor([-0.1370480, 0.9314760, 0.0]))


@points(
    0.5,
    question="additive_attention",
    hint="볼 것이 하나도 없으면 가중치도 문맥 벡터도 0입니다. NaN도 균등 분포도 아닙니다.",
    read="seq2seq#seq2seq-mask",
)
def test_nothing_to_see_gives_zeros(student):
    context, weights = contexts(student.additive_attention(*example(), torch.tensor([N, N, N])))
    assert_close(weights, torch.zeros(3))
    assert_close(context, torch.zeros(3))


@observes("additive_attention")
def observe_additive_attention(student):
    query = torch.tensor([[1.0, -1.0], [0.5, 2.0]])
    keys = torch.tensor([[[0.0, 1.0], [2.0, 0.5], [-1.0, 0.5]], [[1.0, 1.5], [0.3, -1.0], [0.7, 0.2]]])
    W_q, W_k = torch.tensor([[0.5, 1.0], [0.2, -1.0]]), torch.tensor([[1.0, -0.4], [0.3, 1.0]])
    v, answer = torch.tensor([2.0, -1.0]), student.additive_attention
    masks = [torch.tensor([[T, N, T], [T, T, N]]), torch.tensor([[N, N, N], [T, T, N]])]

    def finite():
        found = gradients(answer, query, keys, W_q, W_k, v, masks[1])["inputs"]
        return all(grad is None or grad.isfinite().all().item() for grad in found.values())

    return [
        outcome(lambda: list(answer(query, keys, W_q, W_k, v))),
        [outcome(lambda mask=mask: list(answer(query, keys, W_q, W_k, v, mask))) for mask in masks],
        outcome(finite),
        outcome(lambda: answer(query, keys, W_q, W_k, 1e3 * v)[1]),
        reached(answer, query, keys, W_q, W_k, v),
        reached(answer, query, keys, W_q, W_k, v, output=1, cotangent=scattered((2, 3), 1).float()),
        outcome(lambda: answer(*example())[1]),
    ]




# luong_score --------------------------------------------------------------------------------------------------


@points(
    0.5,
    question="luong_score",
    hint="W가 없으면 점수는 질의와 키의 내적 그대로입니다. 나누지도, 소프트맥스를 취하지도 않습니다.",
    read="seq2seq#luong-score",
)
def test_dot_by_hand(student):
    query, keys = torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 0.0], [1.0, 1.0], [-1.0, 0.5]])
    assert_close(student.luong_score(query, keys), torch.tensor([3.0, 3.0, 0.0]))


@points(
    0.5,
    question="luong_score",
    hint="W가 있으면 질의에 W를 곱한 다음 키와 내적합니다: q W kᵀ. W의 행이 질의, 열이 키의 차원입니다.",
    read="seq2seq#luong-score",
)
def test_general_by_hand(student):
    query, keys = torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    W = torch.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, -1.0]])
    assert_close(student.luong_score(query, keys, W), torch.tensor([6.0, 3.0]))


@observes("luong_score")
def observe_luong_score(student):
    query = torch.tensor([[1.0, 2.0], [-0.5, 1.5]])
    keys = torch.tensor([[[3.0, 0.0], [1.0, 1.0], [-1.0, 0.5]], [[0.2, 0.4], [2.0, -1.0], [0.0, 1.0]]])
    W = torch.tensor([[0.5, 2.0], [-1.0, 1.0]])
    score, wide = student.luong_score, torch.tensor([[0.5, 2.0, 1.0], [-1.0, 1.0, 0.3]])
    return [
        outcome(score, query, keys),
        outcome(score, query, keys, W),
        outcome(score, query[0], keys[0], W),
        outcome(score, query[0], torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 1.0]]), wide),
        reached(score, query, keys, W),
    ]




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
        return token, tuple(s[None] for s in state) if self.layers else state, states, mask

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


def stands_for_all(step):
    """Whether one state, the weighted sum of all, stands for them all; and whether the weights tell states apart."""
    token, state, states, mask = step.inputs()
    found = step(token, state, states, mask)
    summed = (found[2][..., None] * states).sum(1, keepdim=True)
    uneven = bool((found[2].amax(-1) - found[2].amin(-1) > 1e-6).all())
    return all_same(found, step(token, state, summed, mask[:, :1])), uneven


def cut_off(module, token, h, c, states, mask):
    """What the second of two steps sends no gradient to: the state before the first, or a parameter."""
    h, c = (s.clone().requires_grad_() for s in (h, c))
    _, state, _ = module(token, (h, c), states, mask)
    logits, _, _ = module(token.flip(0), tuple(state), states, mask)
    logits.square().sum().backward()
    found = {"h": h.grad, "c": c.grad, **{name: p.grad for name, p in module.named_parameters()}}
    return [name for name, gradient in found.items() if gradient is None]


def slopes_agree(step):
    """Whether the gradient says how the logits move when the encoder's states do, by whichever way."""
    token, state, states, mask = step.inputs()
    direction, cotangent = scattered(states.shape, 104), scattered((3, VOCAB), 105)
    found = step.gradients(token, state, states, mask, cotangent=cotangent)["inputs"].get(2)
    found = torch.zeros_like(states) if found is None else found
    ahead, back = (step(token, state, states + way * direction, mask)[0] for way in (1e-5, -1e-5))
    slope = float(((ahead - back) * cotangent).sum().detach()) / 2e-5
    return abs(slope - float((found * direction).sum())) < 1e-4 * (1 + abs(slope))


@points(
    0.25,
    question="DecoderStep",
    hint="로짓 (B, V), 새 상태 (h, c), 인코더의 상태마다 하나인 가중치 (B, n)을 내야 합니다. 가중치는 합이 1입니다.",
    read="seq2seq#decoder-step",
)
def test_one_step(student):
    step = Step(student)
    token, (h, c), states, mask = step.inputs()
    logits, new, weights = step(token, (h, c), states, mask)
    sizes = [tuple(x.shape) for x in (logits, *new, weights)]
    assert sizes == [(3, VOCAB), (3, HIDDEN), (3, HIDDEN), (3, 4)], f"로짓, h, c, 가중치의 모양: {sizes}"
    assert sums_to_one(weights), "가중치의 합이 문장마다 1이 아닙니다."
    assert not same(new[0], h) and not same(new[1], c), "상태가 그대로입니다."


@points(
    0.25,
    question="DecoderStep",
    hint="가린 상태의 가중치는 0이어야 하고, 가린 상태를 바꾸어도 아무것도 달라지지 않아야 합니다.",
    read="seq2seq#seq2seq-mask",
)
def test_hidden_states_have_no_influence(student):
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
    step = Step(student)
    token, (h, c), states, mask = step.inputs()
    logits, new, weights = step(token, (h, c), states, mask)
    hidden = step(token, (h, c), states, some_hidden())
    changed = step(token, (h, c), elsewhere(states, some_hidden()), some_hidden())
    nothing = some_hidden()
    nothing[1] = False
    empty = step(token, (h, c), states, nothing)
    order = torch.tensor([2, 0, 3, 1])
    permuted = step(token, (h, c), states[:, order], mask)
    alone = step(token[1:2], (h[1:2], c[1:2]), states[1:2], mask[1:2])
    gradient = step.gradients(token, (h, c), states, mask)["inputs"].get(2)
    return [
        [list(x.shape) for x in (logits, *new, weights)],
        [moved(step, what) for what in ("token", "h", "c", "states")],
        [sums_to_one(weights), sums_to_one(hidden[2]), bool(hidden[2][~some_hidden()].abs().max() == 0)],
        [all_same(hidden, changed), same(hidden[2], changed[2])],
        [not same(new[0], h), not same(new[1], c)],
        [same(total.sum(-1), torch.ones(3).double()) for total in (logits, logits.exp())],
        list(stands_for_all(step)),
        [all_same(permuted, (logits, new)), same(permuted[2], weights[:, order])],
        [same(alone[0], logits[1:2]), same(alone[2], weights[1:2])],
        [bool(empty[0].isfinite().all()), bool((empty[2][1] == 0).all())],
        gradient is not None and bool((gradient != 0).all()),
        outcome(slopes_agree, step),
        # Whether the token moves the weights depends on whether attention comes first, which is left free.
        same(step(token, (h.flip(-1), c), states, mask)[2], weights),
        # With one state to see, h reaches the new state by the cell alone.
        same(*(step(token, (x, c), states[:, :1], mask[:, :1])[1][1] for x in (h, h.flip(-1)))),
    ]
