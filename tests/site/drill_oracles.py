"""The right answer to each drill from its numbers, by torch, numpy or plain counting: written without looking at the drills'
own code. ``ORACLES["masking weights"](drawn)`` is a number, a list, rows, or words."""

import itertools
import math
import statistics
import unicodedata
from collections import Counter
from fractions import Fraction

import numpy as np
import tokenizers
import torch
import torch.nn.functional as F
from scipy import stats
from sklearn.metrics import r2_score
from transformers import (
    BertConfig,
    BertModel,
    DynamicCache,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    TopPLogitsWarper,
)
from transformers.models.llama.modeling_llama import LlamaMLP

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


# decoding ---------------------------------------------------------------------------------------------------


@oracle("decoding temperature")
def _(logits, T):
    return torch.distributions.Categorical(logits=tensor(logits) / T).probs


@oracle("decoding nucleus")
def _(p, most):
    logits = tensor(p).log()[None]
    kept = TopPLogitsWarper(most - 1e-9)(None, logits)
    return kept.softmax(dim=-1)[0]


@oracle("decoding beam")
def _(beams, next):
    scores = tensor(beams).log()[:, None] + tensor(next).log()
    best = scores.flatten().topk(2).indices.tolist()
    return ["AB"[i // len(next[0])] + "xyz"[i % len(next[0])] for i in best]


@oracle("decoding penalty")
def _(probabilities, alpha):
    return math.log(math.prod(probabilities)) / len(probabilities) ** alpha


@oracle("decoding cache")
def _(layers, d, n):
    cache = DynamicCache()
    for layer in range(layers):
        cache.update(torch.zeros(1, 1, n, d, device="meta"), torch.zeros(1, 1, n, d, device="meta"), layer)
    return sum(one.keys.numel() + one.values.numel() for one in cache.layers)


# tokenization -----------------------------------------------------------------------------------------------


@oracle("tokenization merge")
def _(words):
    pairs = Counter()
    for one in words:
        for pair in itertools.pairwise(one["word"]):
            pairs[pair] += one["count"]
    return min(pairs, key=lambda pair: (-pairs[pair], pair))


@oracle("tokenization encode")
def _(word, merges):
    letters = sorted({letter for pair in merges for part in pair for letter in part} | set(word))
    vocab = {
        token: i for i, token in enumerate(dict.fromkeys([*letters, *("".join(pair) for pair in merges)]))
    }
    model = tokenizers.models.BPE(vocab=vocab, merges=[tuple(pair) for pair in merges])
    return [token.value for token in model.tokenize(word)]


@oracle("tokenization wordpiece")
def _(word, vocab):
    numbered = {token: i for i, token in enumerate([*vocab, "UNK"])}
    return [
        token.value for token in tokenizers.models.WordPiece(vocab=numbered, unk_token="UNK").tokenize(word)
    ]


@oracle("tokenization bytes")
def _(word):
    return [len(unicodedata.normalize("NFD", word)), len(word.encode())]


# bert -------------------------------------------------------------------------------------------------------


@oracle("bert segments")
def _(a, b, pad):
    tokens = ["[CLS]", *"A" * a, "[SEP]", *"B" * b, "[SEP]"]
    segments, segment = [], 0
    for token in tokens:
        segments.append(segment)
        segment += token == "[SEP]"
    return [*segments, *[0] * pad]


@oracle("bert pool")
def _(hidden, real):
    mask = torch.arange(len(hidden)) < real
    return tensor(hidden)[mask].mean(dim=0)


def bert_config(d, N=1, V=10, P=8):
    return BertConfig(
        vocab_size=V,
        max_position_embeddings=P,
        hidden_size=d,
        num_attention_heads=1,
        num_hidden_layers=N,
        intermediate_size=4 * d,
    )


@oracle("bert embeddings")
def _(V, P, d):
    with torch.device("meta"):
        return size(BertModel(bert_config(d, V=V, P=P)).embeddings)


@oracle("bert layers")
def _(d, N):
    with torch.device("meta"):
        return size(BertModel(bert_config(d, N)).encoder)


# bert_pretraining -------------------------------------------------------------------------------------------


@oracle("bert_pretraining counts")
def _(n, rate):
    chosen = Fraction(rate, 100) * n
    return [float(chosen * Fraction(part)) for part in ("0.8", "0.1", "0.1")]


@oracle("bert_pretraining labels")
def _(ids, fates, drawn):
    return torch.where(torch.tensor([bool(fate) for fate in fates]), torch.tensor(ids), -100)


def right_with(p) -> torch.Tensor:
    """Log probabilities of two classes, the first with these probabilities."""
    return torch.stack([tensor(p), 1 - tensor(p)], dim=-1).log()


@oracle("bert_pretraining loss")
def _(p, picked, nsp):
    labels = torch.full((len(p),), -100)
    labels[picked] = 0
    return (
        F.nll_loss(right_with(p), labels)
        + F.nll_loss(right_with(nsp), torch.zeros(len(nsp), dtype=torch.long))
    ).item()


# sentiment --------------------------------------------------------------------------------------------------


@oracle("sentiment sigmoid")
def _(h, w, b):
    return F.linear(tensor(h), tensor([w]), tensor([b])).sigmoid().item()


@oracle("sentiment loss")
def _(y, p):
    return F.binary_cross_entropy(tensor(p), tensor(y), reduction="sum").item()


@oracle("sentiment tensor")
def _(lengths, limit):
    rows = [torch.ones(length + 2) for length in lengths]
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return torch.stack([ids, ids, ids], dim=1).shape


# gpt --------------------------------------------------------------------------------------------------------


@oracle("gpt perplexity")
def _(p):
    return math.prod(p) ** (-1 / len(p))


@oracle("gpt targets")
def _(ids):
    return torch.roll(tensor(ids), -1)[:-1]


@oracle("gpt size")
def _(V, P, d, N):
    config = GPT2Config(vocab_size=V, n_positions=P, n_embd=d, n_layer=N, n_head=1)
    with torch.device("meta"):
        model = GPT2LMHeadModel(config)
        model.tie_weights()
    return sum(parameter.numel() for parameter in model.parameters() if parameter.ndim == 2)


# gpt_finetuning ---------------------------------------------------------------------------------------------


@oracle("gpt_finetuning entailment")
def _(premise, hypothesis, start, delimiter, extract):
    return sum([[start], premise, [delimiter], hypothesis, [extract]], [])


@oracle("gpt_finetuning lambda")
def _(clf, lm, lam):
    return float(Fraction(str(clf)) + Fraction(str(lam)) * Fraction(str(lm)))


@oracle("gpt_finetuning choices")
def _(scores, answer):
    return F.cross_entropy(tensor([scores]), torch.tensor([answer])).item()


@oracle("gpt_finetuning label")
def _(a, b):
    return [tensor(a).log().mean().item(), tensor(b).log().mean().item()]


# inference --------------------------------------------------------------------------------------------------


@oracle("inference cache")
def _(layers, heads, kv, d, n):
    cache = DynamicCache()
    for layer in range(layers):
        keys = torch.zeros(1, kv, n, d, dtype=torch.bfloat16, device="meta")
        cache.update(keys, keys, layer)
    return sum(one.keys.nbytes + one.values.nbytes for one in cache.layers)


@oracle("inference limit")
def _(W, B, texts, cache):
    bytes_of_a_step = Fraction(W * 10**9) * 2 + texts * Fraction(str(cache)) * 10**9
    return float(texts * Fraction(B * 10**12) / bytes_of_a_step)


@oracle("inference codes")
def _(weights, size):
    codes = []
    for group in tensor(weights).float().split(size):
        scale = (group.abs().max() / 7).item()
        codes.append(torch.fake_quantize_per_tensor_affine(group, scale, 0, -7, 7) / scale)
    return torch.cat(codes).round()


@oracle("inference window")
def _(n, queries, window, sinks):
    near = torch.ones(n, n).triu(1 - window)
    near[:, :sinks] = 1
    return near.tril()[-queries]


@oracle("inference blocks")
def _(size, a, b):
    return sum(len(torch.arange(tokens).split(size)) for tokens in (sum(a), b))


@oracle("inference residual")
def _(p, r):
    return F.normalize(F.relu(tensor(p) - tensor(r)), p=1, dim=0)


# reasoning --------------------------------------------------------------------------------------------------


@oracle("reasoning gradient")
def _(p, drawn, R, b):
    logits = tensor(p).log().requires_grad_()
    ((R - b) * logits.log_softmax(0)[drawn - 1]).backward()
    return logits.grad


@oracle("reasoning advantages")
def _(rewards):
    deviation, mean = torch.std_mean(tensor(rewards), correction=0)
    return (tensor(rewards) - mean) / deviation


@oracle("reasoning clip")
def _(A, ratios):
    return (A * (tensor(ratios).clamp(max=1.2) if A > 0 else tensor(ratios).clamp(min=0.8))).mean().item()


@oracle("reasoning divergence")
def _(policy, reference):
    d = math.log(reference) - math.log(policy)
    return math.expm1(d) - d


@oracle("reasoning tries")
def _(n, c, k):
    sets = list(itertools.combinations(range(n), k))
    return sum(min(chosen) < c for chosen in sets) / len(sets)


# circuits ---------------------------------------------------------------------------------------------------


@oracle("circuits induction")
def _(tokens, weights):
    after, found = {}, []
    for i, token in enumerate(tokens):
        if token in after:
            found.append(weights[i][after[token]])
        after[token] = i + 1
    return statistics.mean(found)


@oracle("circuits patching")
def _(right, wrong, patched):
    return np.interp(patched, [wrong - 50, right + 50], [-50 / (right - wrong), 1 + 50 / (right - wrong)])


@oracle("circuits shares")
def _(parts, u):
    """What the shares must sum to is torch's own layer norm."""
    stream, parts = tensor(parts).sum(0), tensor(parts)
    scale = stream.var(correction=0).sqrt()
    shares = [((part - part.mean()) @ tensor(u) / scale).item() for part in parts]
    assert math.isclose(
        sum(shares), (F.layer_norm(stream, stream.shape, eps=0) @ tensor(u)).item(), abs_tol=1e-9
    )
    return shares


@oracle("circuits features")
def _(W, b, x, k):
    strengths = F.linear(tensor(x) - tensor(b), tensor(W))
    left = strengths.argsort(descending=True)[k:]
    return F.relu(strengths.index_fill(0, left, 0))


@oracle("circuits unexplained")
def _(x, y):
    return 1 - r2_score(x, y, multioutput="variance_weighted")


@oracle("circuits random")
def _(found, others):
    effects = np.abs([found, *others])
    return (effects >= effects[0]).mean().item()


# experts ----------------------------------------------------------------------------------------------------


@oracle("experts active")
def _(d, f, E, k, shared):
    with torch.device("meta"):
        expert = LlamaMLP(LlamaConfig(hidden_size=d, intermediate_size=f, num_attention_heads=1))
        router = torch.nn.Linear(d, E, bias=False)
    size = sum(parameter.numel() for parameter in expert.parameters())
    return size * (k + shared) + router.weight.numel()


@oracle("experts balance")
def _(T, k, counts, P):
    chosen = torch.tensor([e for e, count in enumerate(counts) for _ in range(count)])
    assert len(chosen) == T * k
    return (F.one_hot(chosen, len(P)).double().mean(0) * tensor(P) * len(P)).sum().item()


@oracle("experts seats")
def _(choices, E, c):
    """A queue for each expert: (which choice, which token), in order."""
    k = len(choices[0])
    places = math.ceil(Fraction(str(c)) * len(choices) * k / E)
    queues = {e: sorted((row.index(e), t) for t, row in enumerate(choices) if e in row) for e in range(E)}
    kept = {(rank, t) for queue in queues.values() for rank, t in queue[:places]}
    return [int((k - 1, t) in kept) for t in range(len(choices))]


@oracle("experts bias")
def _(scores, bias, k):
    chosen = (tensor(scores) + tensor(bias)).topk(k).indices
    return torch.zeros(len(scores), dtype=torch.float64).scatter(
        0, chosen, F.normalize(tensor(scores)[chosen], p=1, dim=0)
    )


@oracle("experts step")
def _(loads, bias, rate):
    mean = statistics.mean(loads)
    return [b + rate * ((mean > load) - (mean < load)) for b, load in zip(bias, loads, strict=True)]


@oracle("experts groups")
def _(scores, size, kept, k):
    """As DeepSeek-V3's own router writes it."""
    rows = tensor(scores).view(1, -1, size)
    groups = rows.topk(2, dim=-1)[0].sum(-1).topk(kept, dim=-1)[1]
    mask = torch.zeros(rows.shape[:2]).scatter_(1, groups, 1).bool()
    left = rows.masked_fill(~mask[..., None], -math.inf).flatten()
    return left.topk(k).indices.sort().values


# evaluation -------------------------------------------------------------------------------------------------


@oracle("evaluation turns")
def _(d, base, L, i):
    angles = torch.arange(0, d, 2, dtype=torch.float64) / d * math.log(base)
    return (L * torch.exp(-angles[i]) / math.tau).item()


@oracle("evaluation yarn")
def _(d, base, L, s, i):
    turns = np.array([L * base ** (-2 * j / d) / math.tau for j in range(d // 2)])
    # A pair's number is linear in the logarithm of its turns.
    last, first = (np.interp(0, np.log(turns / times)[[-1, 0]], [d // 2 - 1, 0]) for times in (1, 32))
    gamma = np.interp(i, [first, last], [0, 1])
    return 1 / ((1 - gamma) + gamma / s)


@oracle("evaluation bytes")
def _(perplexity, tokens, characters, spaces):
    text = "가" * characters + " " * spaces
    return -math.log2(Fraction(1, perplexity) ** tokens) / len(text.encode())


@oracle("evaluation stride")
def _(n, window, stride):
    """The loop of transformers' guide to perplexity."""
    counts, previous = [], 0
    for begin in range(0, n, stride):
        end = min(begin + window, n)
        labels = torch.arange(begin, end)
        labels[: -(end - previous)] = -100
        counts.append((labels[1:] != -100).sum().item())
        previous = end
        if end == n:
            break
    return counts


@oracle("evaluation choices")
def _(told, tokens, prior):
    told, prior = tensor(told), tensor(prior)
    return [
        score.argmax().item() + 1 for score in (told, told / tensor(tokens), (told.exp() / prior.exp()).log())
    ]


@oracle("evaluation paired")
def _(a, b, size):
    """Passages of one size: the error of the mean of their means."""
    return stats.sem(np.subtract(a, b).reshape(-1, size).mean(1)).item()


@oracle("evaluation judge")
def _(first, second, x):
    preferred = (np.array(first) + 1 - np.array(second)) / 2
    return [preferred.mean(), np.polynomial.Polynomial.fit(x, preferred, 1)(0)]


# warm_up ----------------------------------------------------------------------------------------------------


@oracle("warm_up cell")
def _(left, right, i, j):
    return (tensor(left) @ tensor(right))[i, j].item()


@oracle("warm_up product-shape")
def _(a, b):
    return list((torch.empty(a) @ torch.empty(b)).shape)


@oracle("warm_up broadcast")
def _(a, b):
    return list((torch.empty(a) + torch.empty(b)).shape)


@oracle("warm_up softmax")
def _(exps):
    return tensor(exps).log().softmax(dim=0)


@oracle("warm_up step")
def _(w, goal, rate):
    parameter = torch.nn.Parameter(tensor(w))
    (parameter - goal).square().backward()
    torch.optim.SGD([parameter], lr=rate).step()
    return parameter.item()


@oracle("warm_up parameters")
def _(sizes):
    layers = [torch.nn.Linear(*pair) for pair in zip(sizes, sizes[1:], strict=False)]
    return sum(parameter.numel() for layer in layers for parameter in layer.parameters())


# vision_language --------------------------------------------------------------------------------------------


@oracle("vision_language chance")
def _(cosines, scale):
    return F.softmax(scale * tensor(cosines), dim=1)[0, 0].item()


@oracle("vision_language places")
def _(words, side, patch):
    patches = F.unfold(torch.zeros(1, 1, side, side), patch, stride=patch).shape[-1]
    return words - 1 + patches


@oracle("vision_language mask")
def _(before, patches, after, at):
    n = before + patches + after
    mask = torch.ones(n, n).tril()
    mask[before : before + patches, before : before + patches] = 1
    return mask[at]
