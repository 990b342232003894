"""The whole Transformer of 2017, without a switch: what two languages' words go through, and how a sentence is written."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.merge = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, memory, mask):
        q, k, v = map(self.split, (self.query(x), self.key(memory), self.value(memory)))
        scores = q @ k.mT / q.shape[-1] ** 0.5  # (batch, heads, queries, keys)
        self.weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
        return self.merge((self.weights @ v).transpose(1, 2).flatten(2))

    def split(self, rows):  # (batch, n, d) -> (batch, heads, n, d / heads)
        return rows.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Layer(nn.Module):
    def __init__(self, d, heads, inside, attentions):
        super().__init__()
        self.attentions = nn.ModuleList(Attention(d, heads) for _ in range(attentions))
        self.feed_forward = nn.Sequential(nn.Linear(d, inside), nn.ReLU(), nn.Linear(inside, d))
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(attentions + 1))

    def forward(self, x, *looks):  # what each attention looks at (None: at x), and its mask
        for i, (memory, mask) in enumerate(looks):
            x = self.norms[i](x + self.attentions[i](x, x if memory is None else memory, mask))
        return self.norms[-1](x + self.feed_forward(x))


class Transformer(nn.Module):
    def __init__(self, src_words, tgt_words, d=128, heads=4, inside=256, layers=2, longest=64):
        super().__init__()
        self.source, self.target = nn.Embedding(src_words, d), nn.Embedding(tgt_words, d)
        self.position = nn.Embedding(longest, d)
        self.encoder = nn.ModuleList(Layer(d, heads, inside, 1) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(d, heads, inside, 2) for _ in range(layers))
        self.output = nn.Linear(d, tgt_words)

    def embed(self, table, ids):
        return table(ids) * table.embedding_dim**0.5 + self.position.weight[: ids.shape[1]]

    def forward(self, src, tgt, real):  # ids (batch, n) and (batch, m); real: no padding (batch, n)
        memory, see = self.embed(self.source, src), real[:, None, None, :]
        for layer in self.encoder:
            memory = layer(memory, (None, see))
        x = self.embed(self.target, tgt)
        past = torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool, device=tgt.device).tril()
        for layer in self.decoder:
            x = layer(x, (None, past), (memory, see))
        return self.output(x)  # logits (batch, m, tgt_words)

    def write(self, src, start, end, longest=30):  # one sentence, the likeliest token each time
        ids, real = [start], torch.ones(1, len(src), dtype=torch.bool)
        while ids[-1] != end and len(ids) < longest:
            ids.append(int(self(torch.tensor([src]), torch.tensor([ids]), real)[0, -1].argmax()))
        return ids
