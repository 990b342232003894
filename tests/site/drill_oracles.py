"""The right answer to each drill from its numbers, by torch, numpy or plain counting: written without looking at the drills'
own code. ``ORACLES["masking weights"](drawn)`` is a number, a list, rows, or words."""

import math

import torch
import torch.nn.functional as F

ORACLES = {}


def oracle(name: str):
    def keep(function):
        ORACLES[name] = lambda drawn: function(**drawn)
        return function

    return keep


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


# attention --------------------------------------------------------------------------------------------------


@oracle("attention score")
def _(query, key):
    return (tensor(query) @ tensor(key) / math.sqrt(len(key))).item()


@oracle("attention weights")
def _(query, keys):
    return F.softmax(tensor(keys) @ tensor(query) / math.sqrt(len(query)), dim=0)


@oracle("attention output")
def _(weights, keys, values):
    return torch.einsum("n,nd->d", tensor(weights), tensor(values))


@oracle("attention axis")
def _(exps):
    return tensor(exps).log().softmax(dim=-1)


@oracle("attention shapes")
def _(batch, n_q, n_k, d_k, d_v):
    query, key, value = (
        torch.zeros(*batch, n_q, d_k),
        torch.zeros(*batch, n_k, d_k),
        torch.zeros(*batch, n_k, d_v),
    )
    return F.scaled_dot_product_attention(query, key, value).shape


# masking ----------------------------------------------------------------------------------------------------


def look_ahead(n: int, at: int) -> torch.Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril()[at]


@oracle("masking weights")
def _(exps, at):
    return tensor(exps).log().masked_fill(~look_ahead(len(exps), at), -math.inf).softmax(dim=-1)


@oracle("masking mask-row")
def _(n, real, at):
    return (look_ahead(n, at) & (torch.arange(n) < real)).int()


@oracle("masking output")
def _(exps, values, at):
    scores = tensor(exps).log().masked_fill(~look_ahead(len(exps), at), -math.inf)
    return scores.softmax(dim=-1) @ tensor(values)


@oracle("masking lost")
def _(exps, at):
    return (tensor(exps).log().softmax(dim=-1) * look_ahead(len(exps), at)).sum().item()


# seq2seq ----------------------------------------------------------------------------------------------------


@oracle("seq2seq context")
def _(exps, states):
    return tensor(exps).log().softmax(dim=0) @ tensor(states)


@oracle("seq2seq additive")
def _(query, key, v):
    return (torch.tanh(tensor(query) + tensor(key)) @ tensor(v)).item()


@oracle("seq2seq general")
def _(query, W, key):
    return torch.einsum("i,ij,j->", tensor(query), tensor(W), tensor(key)).item()


# self_attention ---------------------------------------------------------------------------------------------


@oracle("self_attention basic")
def _(x, at):
    return (tensor(x) @ tensor(x).T).softmax(dim=-1)[at]


@oracle("self_attention roles")
def _(x, W_q, W_k, **drawn):
    scores = (tensor(x) @ tensor(W_q)) @ (tensor(x) @ tensor(W_k)).T / math.sqrt(2)
    return scores[drawn["from"], 1 - drawn["from"]].item()


@oracle("self_attention cost")
def _(n, d):
    return sum(d for _ in range(n) for _ in range(n)) + sum(n for _ in range(n) for _ in range(d))


@oracle("self_attention ratio")
def _(n, d):
    return (2 * n * n * d) / (2 * n * d * d)


# multi_head_attention ---------------------------------------------------------------------------------------


@oracle("multi_head_attention split")
def _(batch, n, h, d):
    return torch.zeros(*batch, n, d).unflatten(-1, (h, -1)).transpose(-3, -2).shape


@oracle("multi_head_attention columns")
def _(x, h, head):
    return tensor(x).chunk(h)[head]


@oracle("multi_head_attention merge")
def _(heads, at):
    return torch.cat([tensor(head) for head in heads], dim=-1)[at]


@oracle("multi_head_attention parameters")
def _(d, h, bias):
    attention = torch.nn.MultiheadAttention(d, h, bias=bool(bias))
    return sum(parameter.numel() for parameter in attention.parameters())


@oracle("multi_head_attention scale")
def _(d, h, score):
    return score * torch.zeros(d).view(h, -1).shape[-1] ** -0.5


# positional_encoding ----------------------------------------------------------------------------------------


def sinusoids(length: int, d: int) -> torch.Tensor:
    rates = torch.exp(-math.log(10000) * torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.arange(length, dtype=torch.float64)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


@oracle("positional_encoding row")
def _(p, d):
    return sinusoids(p + 1, d)[p]


@oracle("positional_encoding period")
def _(d, i):
    return 2 * math.pi / math.exp(-math.log(10000) * 2 * i / d)


@oracle("positional_encoding relative")
def _(p, r, d):
    table = sinusoids(r + 1, d)
    return (table[p] @ table[r]).item()


@oracle("positional_encoding rotary")
def _(x, p):
    rates = torch.tensor([10000 ** (-2 * i / len(x)) for i in range(len(x) // 2)], dtype=torch.float64)
    turned = torch.view_as_complex(tensor(x).view(-1, 2)) * torch.polar(torch.ones_like(rates), p * rates)
    return torch.view_as_real(turned).flatten()


# add_norm ---------------------------------------------------------------------------------------------------


@oracle("add_norm layer-norm")
def _(x):
    return F.layer_norm(tensor(x), (len(x),), eps=0)


@oracle("add_norm statistics")
def _(N, C, L, groups, kind):
    axes = {"batch": (0, 2), "layer": (1, 2), "instance": (2,)}
    if kind == "group":
        return torch.zeros(N, groups, C // groups, L).mean(dim=(2, 3)).numel()
    return torch.zeros(N, C, L).mean(dim=axes[kind]).numel()


@oracle("add_norm sublayer")
def _(x, f, pre):
    added = tensor(x) + tensor(f)
    return added if pre else F.layer_norm(added, (len(x),), eps=0)


@oracle("add_norm feed-forward")
def _(x, W1, b1, W2):
    return F.linear(F.relu(F.linear(tensor(x), tensor(W1).T, tensor(b1))), tensor(W2).T)


# encoder ----------------------------------------------------------------------------------------------------


def encoder_layer(d: int, f: int) -> torch.nn.Module:
    return torch.nn.TransformerEncoderLayer(d, 1, f, device="meta")


def size(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


@oracle("encoder layer")
def _(d, f, N):
    return size(encoder_layer(d, f))


@oracle("encoder stack")
def _(d, f, N, V):
    layers = torch.nn.TransformerEncoder(encoder_layer(d, f), N, enable_nested_tensor=False)
    return size(layers) + size(torch.nn.Embedding(V, d, device="meta"))


@oracle("encoder weights")
def _(B, n, h, d):
    x = torch.zeros(B, n, d)
    attention = torch.nn.MultiheadAttention(d, h, batch_first=True)
    return attention(x, x, x, average_attn_weights=False)[1].shape


# decoder ----------------------------------------------------------------------------------------------------


@oracle("decoder shift")
def _(ids, sos, eos):
    shifted = torch.roll(tensor(ids), 1)
    shifted[0] = sos
    return shifted


@oracle("decoder cross")
def _(B, n, m, h, d, **drawn):
    query, memory = torch.zeros(B, m, d), torch.zeros(B, n, d)
    attention = torch.nn.MultiheadAttention(d, h, batch_first=True)
    keys = query if drawn["self"] else memory
    return attention(query, keys, keys, average_attn_weights=False)[1].shape


@oracle("decoder pairs")
def _(n, m):
    return (torch.ones(m, m).tril().sum() + torch.ones(m, n).sum()).item()


@oracle("decoder tied")
def _(hidden, E):
    return F.linear(tensor(hidden), tensor(E))


# transformer ------------------------------------------------------------------------------------------------


@oracle("transformer loss")
def _(losses, real):
    # a cross-entropy that gives these losses: two classes, the right one with probability exp(-loss)
    p = torch.exp(-tensor(losses))
    targets = torch.where(torch.arange(len(losses)) < real, 0, -100)
    return F.nll_loss(torch.stack([p, 1 - p], dim=-1).log(), targets, ignore_index=-100).item()


@oracle("transformer collate")
def _(lengths):
    return torch.nn.utils.rnn.pad_sequence([torch.ones(n) for n in lengths], batch_first=True).shape


@oracle("transformer matrices")
def _(d, N, times):
    model = torch.nn.Transformer(d, 2, N, N, times * d, batch_first=True, device="meta")
    return sum(parameter.numel() for parameter in model.parameters() if parameter.ndim == 2)


@oracle("transformer exact")
def _(targets, predictions):
    return (tensor(targets) == tensor(predictions)).all(dim=1).double().mean().item()


# training ---------------------------------------------------------------------------------------------------


@oracle("training cross-entropy")
def _(probabilities):
    p = tensor(probabilities)
    return F.nll_loss(torch.stack([p, 1 - p], dim=-1).log(), torch.zeros(len(p), dtype=torch.long)).item()


@oracle("training noam")
def _(step, d, warmup):
    rising = step / warmup**1.5
    falling = 1 / math.sqrt(step)
    return 1000 * (rising if step < warmup else falling) / math.sqrt(d)


@oracle("training smoothing")
def _(V, epsilon, at):
    # the gradient of the smoothed loss with respect to the log probabilities, negated, is the target distribution
    logits = torch.zeros(V, dtype=torch.float64, requires_grad=True)
    F.cross_entropy(logits[None], torch.tensor([at]), label_smoothing=epsilon).backward()
    return torch.full((V,), 1 / V, dtype=torch.float64) - logits.grad


@oracle("training accumulate")
def _(sums, counts):
    tokens = torch.cat(
        [
            torch.full((count,), total / count, dtype=torch.float64)
            for total, count in zip(sums, counts, strict=True)
        ]
    )
    return tokens.mean().item()


@oracle("training clip")
def _(gradient, limit):
    parameter = torch.zeros(len(gradient), dtype=torch.float64, requires_grad=True)
    parameter.grad = tensor(gradient)
    norm = torch.nn.utils.get_total_norm([parameter.grad])
    return parameter.grad * (limit / norm)
