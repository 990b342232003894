"""Wrong answers that people give to the exercise `seq2seq`."""

import torch
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# additive_attention -------------------------------------------------------------------------------------------


def _scores(query, keys, W_q, W_k, v):
    return torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k) @ v


def _weights(scores, mask):
    if mask is None:
        return scores.softmax(-1)
    nothing = ~mask.any(-1, keepdim=True)
    return scores.masked_fill(~(mask | nothing), float("-inf")).softmax(-1).masked_fill(nothing, 0.0)


def _sum(weights, values):
    return (weights.unsqueeze(-2) @ values).squeeze(-2)


@wrong("additive_attention", read="additive-attention")
def sigmoid_for_tanh(query, keys, W_q, W_k, v, mask=None):
    """tanh의 자리에 시그모이드를 썼습니다. 덧셈 어텐션의 점수는 음수도 될 수 있는 tanh를 지나 v와 내적한 것입니다."""
    weights = _weights(torch.sigmoid((query @ W_q).unsqueeze(-2) + keys @ W_k) @ v, mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention")
def without_tanh(query, keys, W_q, W_k, v, mask=None):
    """tanh를 빠뜨렸습니다. 그러면 질의가 모든 점수에 같은 수를 더할 뿐이라, 무엇을 찾든 가중치가 같습니다."""
    weights = _weights(((query @ W_q).unsqueeze(-2) + keys @ W_k) @ v, mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention")
def tanh_after_v(query, keys, W_q, W_k, v, mask=None):
    """v와 내적한 다음에 tanh를 취했습니다. tanh가 먼저이고 v가 나중입니다."""
    weights = _weights(torch.tanh(((query @ W_q).unsqueeze(-2) + keys @ W_k) @ v), mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention")
def multiplied(query, keys, W_q, W_k, v, mask=None):
    """옮긴 질의와 키를 더하지 않고 곱했습니다. 덧셈 어텐션은 더한 다음 tanh를 지납니다."""
    weights = _weights(torch.tanh((query @ W_q).unsqueeze(-2) * (keys @ W_k)) @ v, mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention")
def scaled(query, keys, W_q, W_k, v, mask=None):
    """점수에 상수를 곱하거나 나누었습니다(제곱근, mean). 덧셈 어텐션의 식에는 나눗셈이 없습니다."""
    weights = _weights(_scores(query, keys, W_q, W_k, v) / len(v) ** 0.5, mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention")
def scores_as_weights(query, keys, W_q, W_k, v, mask=None):
    """소프트맥스를 취하지 않았습니다. 점수를 그대로 가중치로 쓰면 합이 1이 아니고 음수도 있습니다."""
    weights = _scores(query, keys, W_q, W_k, v)
    weights = weights if mask is None else weights.masked_fill(~mask, 0.0)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="context-vector")
def sum_of_projected_keys(query, keys, W_q, W_k, v, mask=None):
    """W_k로 옮긴 키를 더했습니다. 옮긴 것은 점수를 낼 때만 쓰고, 더하는 것은 원래의 키입니다."""
    weights = _weights(_scores(query, keys, W_q, W_k, v), mask)
    return _sum(weights, keys @ W_k), weights


@wrong("additive_attention", read="context-vector")
def mean_of_keys(query, keys, W_q, W_k, v, mask=None):
    """문맥 벡터를 키의 평균으로 냈습니다. 가중치로 더해야 질의에 따라 달라집니다."""
    weights = _weights(_scores(query, keys, W_q, W_k, v), mask)
    seen = (weights > 0).to(keys.dtype)
    return _sum(seen / seen.sum(-1, keepdim=True).clamp(min=1), keys), weights


@wrong("additive_attention", read="context-vector")
def weights_first(query, keys, W_q, W_k, v, mask=None):
    """순서를 바꾸어 돌려주었습니다. 문맥 벡터가 먼저, 가중치가 다음입니다."""
    weights = _weights(_scores(query, keys, W_q, W_k, v), mask)
    return weights, _sum(weights, keys)


@wrong("additive_attention", read="seq2seq-mask")
def ignores_the_mask(query, keys, W_q, W_k, v, mask=None):
    """마스크를 쓰지 않았습니다. 패딩의 상태도 가중치를 나누어 갖습니다."""
    weights = _scores(query, keys, W_q, W_k, v).softmax(-1)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="seq2seq-mask")
def flipped_polarity(query, keys, W_q, W_k, v, mask=None):
    """마스크의 극성이 반대입니다. True가 '볼 수 있다'입니다."""
    weights = _weights(_scores(query, keys, W_q, W_k, v), None if mask is None else ~mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="seq2seq-mask", slip=True)
def nan_where_nothing_is_seen(query, keys, W_q, W_k, v, mask=None):
    """볼 것이 없는 질의가 NaN이 되었습니다. 모든 점수가 -inf이면 소프트맥스는 0/0입니다."""
    scores = _scores(query, keys, W_q, W_k, v)
    weights = (scores if mask is None else scores.masked_fill(~mask, float("-inf"))).softmax(-1)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="seq2seq-mask", slip=True)
def nan_covered_afterwards(query, keys, W_q, W_k, v, mask=None):
    """NaN을 나중에 0으로 덮었습니다. 출력은 0이지만 역전파는 NaN이 생긴 자리를 다시 지나 기울기가 NaN입니다."""
    scores = _scores(query, keys, W_q, W_k, v)
    if mask is not None:
        scores = scores + torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1).nan_to_num(0.0)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="seq2seq-mask", slip=True)
def large_negative(query, keys, W_q, W_k, v, mask=None):
    """-inf 대신 -1e9 같은 큰 음수를 썼습니다. 볼 것이 없는 질의가 모든 키를 고르게 봅니다."""
    scores = _scores(query, keys, W_q, W_k, v)
    weights = (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="seq2seq-mask")
def zero_after_softmax(query, keys, W_q, W_k, v, mask=None):
    """소프트맥스를 한 다음에 0으로 지웠습니다. 남은 가중치의 합이 1보다 작습니다."""
    weights = _scores(query, keys, W_q, W_k, v).softmax(-1)
    weights = weights if mask is None else weights.masked_fill(~mask, 0.0)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="attention#saturation", slip=True)
def exponentials_by_hand(query, keys, W_q, W_k, v, mask=None):
    """exp를 직접 썼습니다. 점수가 크면 inf/inf가 되어 NaN이 납니다. softmax는 가장 큰 점수를 먼저 뺍니다."""
    powers = _scores(query, keys, W_q, W_k, v).exp()
    powers = powers if mask is None else powers * mask
    total = powers.sum(-1, keepdim=True)
    weights = powers / total.masked_fill(total == 0, 1.0)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention", slip=True)
def weights_detached(query, keys, W_q, W_k, v, mask=None):
    """가중치를 그래프에서 떼어 냈습니다(detach). W_q, W_k, v가 배우지 못합니다."""
    weights = _weights(_scores(query, keys, W_q, W_k, v), mask).detach()
    return _sum(weights, keys), weights


@wrong("additive_attention", read="seq2seq-mask")
def zero_before_softmax(query, keys, W_q, W_k, v, mask=None):
    """가릴 점수를 -inf가 아니라 0 같은 수로 바꾸었습니다. 가린 키도 가중치를 받습니다."""
    scores = _scores(query, keys, W_q, W_k, v)
    weights = (scores if mask is None else scores.masked_fill(~mask, 0.0)).softmax(-1)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention")
def without_the_query(query, keys, W_q, W_k, v, mask=None):
    """가중치가 질의에 따라 달라지지 않습니다. 질의를 빠뜨렸거나 질의와 키에 따로 tanh를 취했습니다. 둘을 더한 다음에 한 번 취합니다."""
    weights = _weights(torch.tanh(keys @ W_k) @ v, mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="tanh")
def v_inside_tanh(query, keys, W_q, W_k, v, mask=None):
    """v를 곱한 다음에 tanh를 취했습니다. tanh를 지난 것과 v를 내적합니다."""
    weights = _weights(torch.tanh(((query @ W_q).unsqueeze(-2) + keys @ W_k) * v).sum(-1), mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention")
def without_v(query, keys, W_q, W_k, v, mask=None):
    """v를 쓰지 않았습니다. tanh를 지난 성분을 그냥 더하지 말고 v와 내적합니다."""
    weights = _weights(torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k).sum(-1), mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention")
def dot_product(query, keys, W_q, W_k, v, mask=None):
    """옮긴 질의와 옮긴 키를 내적했습니다. 덧셈 어텐션은 둘을 더하고 tanh를 지나 v와 내적합니다."""
    weights = _weights(_luong(query @ W_q, keys @ W_k), mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention")
def relu(query, keys, W_q, W_k, v, mask=None):
    """tanh가 아니라 다른 함수를 썼습니다(ReLU). 덧셈 어텐션의 점수는 tanh를 지납니다."""
    weights = _weights(torch.relu((query @ W_q).unsqueeze(-2) + keys @ W_k) @ v, mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention")
def transposed_matrices(query, keys, W_q, W_k, v, mask=None):
    """W_q와 W_k를 뒤집어 곱했습니다. 행이 받는 차원, 열이 d_a입니다: query @ W_q."""
    weights = _weights(_scores(query, keys, W_q.T, W_k.T, v), mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention")
def one_batch_axis_only(query, keys, W_q, W_k, v, mask=None):
    """배치 축이 하나일 때만 맞습니다. bmm이나 dim=1은 배치 축의 수를 정해 버립니다. 축은 뒤에서 세십시오(-1, -2)."""
    weights = _weights(torch.tanh((query @ W_q).unsqueeze(1) + keys @ W_k) @ v, mask)
    return torch.bmm(weights.unsqueeze(1), keys).squeeze(1), weights


@wrong("additive_attention", read="additive-attention", slip=True)
def squeezed(query, keys, W_q, W_k, v, mask=None):
    """크기가 1인 배치나 키 하나의 축이 사라졌습니다. squeeze()에는 없앨 축을 적으십시오."""
    weights = _weights(_scores(query, keys, W_q, W_k, v), mask)
    return _sum(weights, keys).squeeze(), weights.squeeze()


@wrong("additive_attention", read="additive-attention", slip=True)
def everything_detached(query, keys, W_q, W_k, v, mask=None):
    """기울기를 모두 끊었습니다(no_grad, detach, numpy). 값은 맞지만 아무것도 배우지 못합니다."""
    weights = _weights(_scores(query, keys, W_q, W_k, v), mask).detach()
    return _sum(weights, keys).detach(), weights


@wrong("additive_attention", read="seq2seq-mask", slip=True)
def keys_changed_in_place(query, keys, W_q, W_k, v, mask=None):
    """입력을 제자리에서 바꾸었습니다. 이름 끝에 밑줄이 있는 함수와 `*=`, `[...] =`는 받은 텐서를 고칩니다."""
    weights = _weights(_scores(query, keys, W_q, W_k, v), mask)
    if mask is not None:
        keys.mul_(mask.unsqueeze(-1))
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention", slip=True)
def float32_only(query, keys, W_q, W_k, v, mask=None):
    """float32로 정해 놓았습니다. 안에서 만드는 텐서와 결과는 입력의 자료형을 따라야 합니다."""
    weights = _weights(_scores(query, keys, W_q, W_k, v), mask).float()
    return _sum(weights, keys.float()), weights


@wrong("additive_attention", read="context-vector")
def only_the_context(query, keys, W_q, W_k, v, mask=None):
    """문맥 벡터만 돌려주었습니다. 문맥 벡터와 가중치 둘을 돌려줍니다."""
    return _sum(_weights(_scores(query, keys, W_q, W_k, v), mask), keys)


@wrong("additive_attention", read="additive-attention", slip=True)
def query_without_a_key_axis(query, keys, W_q, W_k, v, mask=None):
    """옮긴 질의에 키의 축을 제자리에 끼워 넣지 않았습니다. 배치가 있으면 오류가 나거나 다른 문장의 질의가 섞입니다. unsqueeze(-2)를 쓰십시오."""
    weights = _weights(torch.tanh(query @ W_q + keys @ W_k) @ v, mask)
    return _sum(weights, keys), weights


@wrong("additive_attention", read="additive-attention", slip=True)
def softmax_over_the_first_axis(query, keys, W_q, W_k, v, mask=None):
    """배치 축으로 소프트맥스를 취했습니다. 가중치는 마지막 축, 곧 키에 걸쳐 더해 1입니다(dim=-1)."""
    scores = _scores(query, keys, W_q, W_k, v)
    if mask is None:
        return _sum(scores.softmax(0), keys), scores.softmax(0)
    nothing = ~mask.any(-1, keepdim=True)
    weights = scores.masked_fill(~(mask | nothing), float("-inf")).softmax(0)
    weights = weights.nan_to_num().masked_fill(~mask, 0.0)
    return _sum(weights, keys), weights


# luong_score --------------------------------------------------------------------------------------------------


@right_answer("luong_score")
def _luong(query, keys, W=None):
    query = query if W is None else query @ W
    return (keys @ query.unsqueeze(-1)).squeeze(-1)


@wrong("luong_score", read="luong-score")
def scaled_dot(query, keys, W=None):
    """점수를 상수로 나누었습니다(차원, 차원의 제곱근, mean). 루옹의 점수에는 나눗셈이 없습니다."""
    return _luong(query, keys, W) / keys.shape[-1] ** 0.5


@wrong("luong_score", read="luong-score")
def weights_instead_of_scores(query, keys, W=None):
    """소프트맥스까지 취했습니다. 이 문제는 점수만 묻습니다."""
    return _luong(query, keys, W).softmax(-1)


@wrong("luong_score", read="luong-score")
def transposed_matrix(query, keys, W=None):
    """W를 뒤집어 곱했습니다. W의 행은 질의, 열은 키의 차원입니다: query @ W."""
    return _luong(query, keys, None if W is None else W.T)


@wrong("luong_score", read="luong-score")
def ignores_the_matrix(query, keys, W=None):
    """W를 쓰지 않았습니다. W가 있으면 질의를 먼저 W로 옮깁니다."""
    return _luong(query, keys)


@wrong("luong_score", read="luong-score")
def cosine(query, keys, W=None):
    """크기로 나눈 코사인을 냈습니다. 내적은 벡터의 크기도 점수에 넣습니다."""
    query = query if W is None else query @ W
    return _luong(query / query.norm(dim=-1, keepdim=True), keys / keys.norm(dim=-1, keepdim=True))


@wrong("luong_score", read="luong-score", slip=True)
def every_query_with_every_key(query, keys, W=None):
    """배치의 질의마다 모든 문장의 키와 비교했습니다. 질의는 같은 문장의 키만 봅니다. 모양이 (..., n)인지 보십시오."""
    return (query if W is None else query @ W) @ keys.transpose(-2, -1)


@wrong("luong_score", read="luong-score")
def products_not_summed(query, keys, W=None):
    """같은 자리끼리 곱하기만 하고 더하지 않았습니다. 점수는 키마다 수 하나입니다."""
    return (query if W is None else query @ W).unsqueeze(-2) * keys


@wrong("luong_score", read="luong-score", slip=True)
def scores_without_gradient(query, keys, W=None):
    """기울기를 끊었습니다(detach, no_grad, numpy). 값은 맞지만 점수를 지나서는 아무것도 배우지 못합니다."""
    return _luong(query, keys, W).detach()


@wrong("luong_score", read="luong-score")
def batch_matrix_product(query, keys, W=None):
    """배치 축이 하나일 때만 맞습니다. bmm이나 dim=1은 배치 축의 수를 정해 버립니다. 축은 뒤에서 세십시오(-1, -2)."""
    query = query if W is None else query @ W
    return torch.bmm(keys, query.unsqueeze(-1)).squeeze(-1)


@wrong("luong_score", read="luong-score")
def squashed(query, keys, W=None):
    """tanh를 취했습니다. 그것은 덧셈 어텐션의 점수입니다. 루옹의 점수는 내적 그대로입니다."""
    return torch.tanh(_luong(query, keys, W))


@wrong("luong_score", read="luong-score")
def one_row_of_scores(query, keys, W=None):
    """곱하려고 끼운 축이 점수에 남았습니다. 점수는 (..., n)입니다. 끼운 축을 squeeze(-1)이나 squeeze(-2)로 없애십시오."""
    return _luong(query, keys, W).unsqueeze(-2)


@wrong("luong_score", read="luong-score", slip=True)
def squeezed_score(query, keys, W=None):
    """크기가 1인 배치나 키 하나의 축이 사라졌습니다. squeeze()에는 없앨 축을 적으십시오."""
    return _luong(query, keys, W).squeeze()


@wrong("luong_score", read="luong-score", slip=True)
def identity_in_float32(query, keys, W=None):
    """float32로 정해 놓았습니다. 안에서 만드는 텐서와 결과는 입력의 자료형을 따라야 합니다."""
    return _luong(query, keys, torch.eye(query.shape[-1], device=query.device) if W is None else W)


# DecoderStep --------------------------------------------------------------------------------------------------


@right_answer("DecoderStep")
class _Step(nn.Module):
    """A right step in Luong's order, its parts laid open."""

    def __init__(self, vocab_size, embedding_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_dim)
        self.cell = nn.LSTMCell(embedding_dim, hidden_dim)
        self.W = nn.Parameter(torch.randn(hidden_dim, hidden_dim))
        self.output = nn.Linear(2 * hidden_dim, vocab_size)

    def move(self, token, state):
        return self.cell(self.embedding(token), state)

    def query(self, token, h):
        return h

    def scores(self, query, states):
        return _luong(query, states, self.W)

    def weights(self, scores, mask):
        return _weights(scores, mask)

    def context(self, weights, states, mask):
        return _sum(weights, states)

    def logits(self, h, context):
        return self.output(torch.cat([h, context], -1))

    def forward(self, token, state, encoder_states, mask):
        h, c = self.move(token, state)
        weights = self.weights(self.scores(self.query(token, h), encoder_states), mask)
        context = self.context(weights, encoder_states, mask)
        return self.logits(h, context), (h, c), weights


@wrong("DecoderStep", read="seq2seq-mask")
class IgnoresTheMask(_Step):
    """마스크를 쓰지 않았습니다. 패딩의 상태가 문맥 벡터에 섞입니다."""

    def weights(self, scores, mask):
        return scores.softmax(-1)


@wrong("DecoderStep", read="seq2seq-mask")
class FlippedPolarity(_Step):
    """마스크의 극성이 반대입니다. True인 상태를 보아야 하는데 가렸습니다."""

    def weights(self, scores, mask):
        return _weights(scores, ~mask)


@wrong("DecoderStep", read="seq2seq-mask", slip=True)
class NaNWhereNothingIsSeen(_Step):
    """볼 것이 하나도 없는 문장에서 NaN이 나옵니다. 모든 점수가 -inf이면 소프트맥스는 0/0입니다."""

    def weights(self, scores, mask):
        return scores.masked_fill(~mask, float("-inf")).softmax(-1)


@wrong("DecoderStep", read="seq2seq-mask")
class ZeroAfterSoftmax(_Step):
    """소프트맥스 뒤에서 0으로 지웠습니다. 가린 상태가 있으면 가중치의 합이 1보다 작아집니다."""

    def weights(self, scores, mask):
        return scores.softmax(-1).masked_fill(~mask, 0.0)


@wrong("DecoderStep", read="additive-attention")
class SoftmaxOverTheBatch(_Step):
    """소프트맥스를 배치 축으로 취했습니다. 문장마다 그 문장의 상태에 걸쳐 더해서 1이어야 합니다."""

    def weights(self, scores, mask):
        return scores.softmax(0).masked_fill(~mask, 0.0)


@wrong("DecoderStep", read="context-vector")
class PlainMean(_Step):
    """문맥 벡터가 가중합이 아니라 평균입니다. 가중치를 구해 놓고 쓰지 않았습니다."""

    def context(self, weights, states, mask):
        seen = mask.to(states.dtype)
        return _sum(seen / seen.sum(-1, keepdim=True).clamp(min=1), states)


@wrong("DecoderStep", read="context-vector")
class LastStateOnly(_Step):
    """인코더의 상태 하나만 보았습니다(마지막 상태, argmax). 벡터 하나로 돌아간 것입니다. 모든 상태를 가중합해야 합니다."""

    def weights(self, scores, mask):
        last = mask * torch.arange(1, mask.shape[1] + 1, device=mask.device)
        return nn.functional.one_hot(last.argmax(-1), mask.shape[1]).to(scores.dtype) * mask


@wrong("DecoderStep", read="context-vector")
class ContextNotUsed(_Step):
    """문맥 벡터를 구했지만 로짓에 쓰지 않았습니다. 인코더의 상태가 결과에 닿지 않습니다."""

    def logits(self, h, context):
        return self.output(torch.cat([h, torch.zeros_like(context)], -1))


@wrong("DecoderStep", read="context-vector", slip=True)
class DetachedEncoder(_Step):
    """인코더의 상태를 detach했습니다. 값은 맞아도 기울기가 흐르지 않아 인코더가 배우지 못합니다."""

    def forward(self, token, state, encoder_states, mask):
        return super().forward(token, state, encoder_states.detach(), mask)


@wrong("DecoderStep", read="decoder-step")
class TokenAsQuery(_Step):
    """질의가 디코더의 상태가 아니라 토큰의 임베딩입니다. 같은 단어를 읽으면 언제나 같은 곳을 봅니다."""

    def __init__(self, vocab_size, embedding_dim, hidden_dim):
        super().__init__(vocab_size, embedding_dim, hidden_dim)
        self.W = nn.Parameter(torch.randn(embedding_dim, hidden_dim))

    def query(self, token, h):
        return self.embedding(token)


@wrong("DecoderStep", read="decoder-step")
class OldState(_Step):
    """받은 상태를 그대로 돌려주었습니다. 걸음을 옮긴 새 상태를 돌려주어야 다음 걸음이 이어집니다."""

    def forward(self, token, state, encoder_states, mask):
        logits, _, weights = super().forward(token, state, encoder_states, mask)
        return logits, state, weights


@wrong("DecoderStep", read="decoder-step")
class ForgetsTheCell(_Step):
    """LSTM에 c를 넘기지 않았습니다. 걸음마다 셀 상태가 0에서 새로 시작합니다."""

    def move(self, token, state):
        return self.cell(self.embedding(token), (state[0], torch.zeros_like(state[1])))


@wrong("DecoderStep", read="decoder-step")
class StartsAnew(_Step):
    """LSTM에 상태를 넘기지 않았습니다. 걸음마다 처음부터 다시 시작하므로 앞에서 쓴 단어를 모릅니다."""

    def move(self, token, state):
        return self.cell(self.embedding(token))


@wrong("DecoderStep", read="decoder-step")
class TokenIgnored(_Step):
    """토큰을 읽지 않았습니다. 방금 쓴 단어가 다음 단어를 정하는 데 쓰여야 합니다."""

    def move(self, token, state):
        return self.cell(torch.zeros_like(self.embedding(token)), state)


@wrong("DecoderStep", read="decoder-step", slip=True)
class Probabilities(_Step):
    """로짓이 아니라 확률을 돌려주었습니다. 소프트맥스는 손실 함수가 합니다."""

    def logits(self, h, context):
        return super().logits(h, context).softmax(-1)


@wrong("DecoderStep", read="decoder-step", slip=True)
class LogProbabilities(_Step):
    """로그 소프트맥스까지 했습니다. 로짓은 출력층의 값 그대로입니다. 소프트맥스는 손실 함수가 합니다."""

    def logits(self, h, context):
        return super().logits(h, context).log_softmax(-1)


@wrong("DecoderStep", read="context-vector", slip=True)
class DetachedWeights(_Step):
    """가중치를 그래프에서 떼어 냈습니다(detach). 어디를 볼지는 배우지 못합니다."""

    def weights(self, scores, mask):
        return _weights(scores, mask).detach()


@wrong("DecoderStep", read="seq2seq-mask", slip=True)
class UniformWhereNothingIsSeen(_Step):
    """-inf 대신 -1e9 같은 큰 음수를 썼습니다. 볼 것이 하나도 없는 문장이 모든 상태를 고르게 봅니다."""

    def weights(self, scores, mask):
        return scores.masked_fill(~mask, -1e9).softmax(-1)


@wrong("DecoderStep", read="context-vector")
class SomethingBesideTheSum(_Step):
    """인코더의 상태가 가중합이 아닌 길로도 결과에 닿습니다(마지막 상태, 평균 따위). 가중합 하나로만 들어와야 합니다."""

    def context(self, weights, states, mask):
        return _sum(weights, states) + states[:, -1]


@wrong("DecoderStep", read="decoder-step")
class LogitsOfTheOldState(_Step):
    """로짓을 새 상태가 아니라 받은 상태로 냈습니다. 방금 읽은 토큰이 로짓에 닿지 않습니다."""

    def forward(self, token, state, encoder_states, mask):
        h, c = self.move(token, state)
        weights = self.weights(self.scores(self.query(token, state[0]), encoder_states), mask)
        return self.logits(state[0], self.context(weights, encoder_states, mask)), (h, c), weights


@wrong("DecoderStep", read="additive-attention")
class ScoresAsWeights(_Step):
    """가중치에 소프트맥스를 취하지 않았습니다. 점수를 그대로 쓰면 합이 1이 아니고 음수도 있습니다."""

    def weights(self, scores, mask):
        return scores.masked_fill(~mask, 0.0)


@wrong("DecoderStep", read="context-vector")
class MeanOfAll(_Step):
    """문맥 벡터가 마스크 없는 평균입니다. 가중치를 구해 놓고 쓰지 않았고, 패딩의 상태까지 섞였습니다."""

    def context(self, weights, states, mask):
        return states.mean(1)


@wrong("DecoderStep", read="context-vector")
class LastStateAsContext(_Step):
    """문맥 벡터가 인코더의 상태 하나입니다. 가중치를 구해 놓고 쓰지 않았습니다. 모든 상태를 가중합해야 합니다."""

    def context(self, weights, states, mask):
        return states[:, -1]


@wrong("DecoderStep", read="decoder-step")
class NotThree(_Step):
    """돌려줄 것은 셋입니다: 로짓, 상태의 짝 (h, c), 가중치. 빠뜨리거나 풀어놓거나 순서를 바꾸었습니다."""

    def forward(self, token, state, encoder_states, mask):
        logits, (h, c), weights = super().forward(token, state, encoder_states, mask)
        return logits, h, c, weights


@wrong("DecoderStep", read="decoder-step")
class AxisLeft(_Step):
    """크기가 1인 축이 남았습니다. 로짓은 (B, V), 새 상태 h와 c는 (B, H), 가중치는 (B, n)입니다. 끼워 넣은 축은 squeeze(축 번호)로 없앱니다."""

    def forward(self, token, state, encoder_states, mask):
        logits, state, weights = super().forward(token, state, encoder_states, mask)
        return logits, state, weights.unsqueeze(1)


@wrong("DecoderStep", read="decoder-step", slip=True)
class Squeezed(_Step):
    """크기가 1인 배치나 상태 하나의 축이 사라졌습니다. squeeze()에는 없앨 축을 적으십시오."""

    def forward(self, token, state, encoder_states, mask):
        logits, state, weights = super().forward(token, state, encoder_states, mask)
        return logits.squeeze(), state, weights.squeeze()


@wrong("DecoderStep", read="decoder-step", slip=True)
class DetachedState(_Step):
    """상태를 떼어 냈습니다(detach). 받은 상태로도 돌려준 상태로도 기울기가 흘러야 앞 걸음이 배웁니다."""

    def move(self, token, state):
        return super().move(token, [s.detach() for s in state])


@wrong("DecoderStep", read="decoder-step", slip=True)
class UnusedLayer(_Step):
    """기울기가 닿지 않는 파라미터가 있습니다. 만들어 놓고 쓰지 않은 층이거나 detach한 길에만 있는 층입니다."""

    def __init__(self, vocab_size, embedding_dim, hidden_dim):
        super().__init__(vocab_size, embedding_dim, hidden_dim)
        self.unused = nn.Linear(hidden_dim, hidden_dim)


@wrong("DecoderStep", read="decoder-step", slip=True)
class StateChangedInPlace(_Step):
    """받은 상태를 제자리에서 고쳤습니다(`*=`, `+=`, `[...] =`, 밑줄로 끝나는 함수). 새 텐서를 만들어 돌려주십시오."""

    def forward(self, token, state, encoder_states, mask):
        logits, new, weights = super().forward(token, [s.clone() for s in state], encoder_states, mask)
        with torch.no_grad():
            state[1].copy_(new[1])
        return logits, new, weights


@wrong("DecoderStep", read="decoder-step")
class KeepsTheState(_Step):
    """같은 입력을 두 번 넣었더니 결과가 다릅니다. 상태를 모듈 안에 담아 두지 말고 받은 상태에서 시작하십시오."""

    kept = None

    def move(self, token, state):
        kept = state if self.kept is None or self.kept[0].shape != state[0].shape else self.kept
        h, c = super().move(token, [s.to(state[0]) for s in kept])
        self.kept = h.detach(), c.detach()
        return h, c


@wrong("DecoderStep", read="decoder-step")
class ForgetsTheHiddenState(_Step):
    """LSTM에 h를 넘기지 않았습니다. 앞 걸음의 은닉 상태가 셀에 닿지 않습니다."""

    def move(self, token, state):
        return self.cell(self.embedding(token), (torch.zeros_like(state[0]), state[1]))


@wrong("DecoderStep", read="decoder-step")
class LogitsOfTheContextAlone(_Step):
    """로짓을 문맥 벡터로만 냈습니다. 새 은닉 상태도 로짓에 들어가야 합니다."""

    def logits(self, h, context):
        return super().logits(torch.zeros_like(h), context)


@wrong("DecoderStep", read="decoder-step", slip=True)
class LogitsSquashed(_Step):
    """로짓의 부호가 모두 같습니다. 출력층 뒤에 ReLU나 시그모이드를 취하지 마십시오."""

    def logits(self, h, context):
        return super().logits(h, context).sigmoid()


@wrong("DecoderStep", read="seq2seq-mask")
class ZeroBeforeSoftmax(_Step):
    """가릴 점수를 -inf가 아니라 0 같은 수로 바꾸었습니다. 가린 상태도 가중치를 받습니다."""

    def weights(self, scores, mask):
        return scores.masked_fill(~mask, 0.0).softmax(-1)


@wrong("DecoderStep", read="seq2seq-mask", slip=True)
class NaNCoveredAfterwards(_Step):
    """NaN을 나중에 0으로 덮었습니다. 결과는 0이지만 기울기는 NaN이 생긴 자리를 다시 지나 NaN입니다."""

    def weights(self, scores, mask):
        return (
            (scores + torch.zeros_like(scores).masked_fill(~mask, float("-inf"))).softmax(-1).nan_to_num(0.0)
        )


@wrong("DecoderStep", read="decoder-step")
class CellAsQuery(_Step):
    """질의가 은닉 상태가 아니라 셀 상태 c입니다. 돌아볼 때는 h를 씁니다."""

    def forward(self, token, state, encoder_states, mask):
        weights = self.weights(self.scores(state[1], encoder_states), mask)
        context = self.context(weights, encoder_states, mask)
        h, c = self.move(token, state)
        return self.logits(h, context), (h, c), weights


@wrong("DecoderStep", read="decoder-step")
class WithoutAQuery(_Step):
    """가중치가 디코더의 상태에 따라 달라지지 않습니다. 은닉 상태를 질의로 써야 걸음마다 다른 곳을 봅니다."""

    def query(self, token, h):
        return torch.ones_like(h)


@wrong("DecoderStep", read="context-vector", slip=True)
class UnderNoGrad(_Step):
    """기울기를 모두 끊었습니다(no_grad, detach). 값은 맞지만 아무것도 배우지 못합니다."""

    def forward(self, *inputs):
        with torch.no_grad():
            return super().forward(*inputs)


@wrong("DecoderStep", read="decoder-step")
class Float32Only(_Step):
    """float64 입력에서 오류가 납니다. 안에서 만드는 텐서는 입력의 자료형을 따라야 합니다."""

    def move(self, token, state):
        return self.cell(self.embedding(token), [s.float() for s in state])


@wrong("DecoderStep", read="decoder-step")
class StateSwapped(_Step):
    """h와 c의 순서를 바꾸어 돌려주었습니다. 상태는 (h, c)입니다."""

    def forward(self, *inputs):
        logits, (h, c), weights = super().forward(*inputs)
        return logits, (c, h), weights
