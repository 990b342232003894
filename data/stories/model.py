"""The language model that grows: every part, and a recipe that says which of them stand."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class Recipe:
    """The parts of a model that stand, and its training."""

    past: str = "attention"  # or "mean", "lstm"
    heads: int = 1
    mask: bool = True  # nobody sees what comes after
    positions: bool = False
    layers: int = 1
    residual: bool = False
    feed_forward: bool = False
    norm: str = "none"  # or "before", "after" the residual's sum
    width: int = 64
    steps: int = 800
    rate: float = 5e-3
    schedule: bool = False  # warm-up, then a cosine


class Mean(nn.Module):
    """The mean of all vectors so far: a look back that weighs nothing."""

    def __init__(self, width: int):
        super().__init__()
        self.value = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:  # (batch, length, width) -> the same
        count = torch.arange(1, x.shape[1] + 1, device=x.device)
        return self.value(x).cumsum(dim=1) / count[:, None]


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, mask: bool):
        super().__init__()
        self.query_key_value = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.heads, self.mask = heads, mask

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.query_key_value(x).chunk(3, dim=-1)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (q, k, v))
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=self.mask)
        return self.output(seen.transpose(1, 2).flatten(2))


class Recurrent(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.lstm = nn.LSTM(width, width, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.lstm(x)[0]


class Beside(nn.Module):
    """Without a residual: a token's own vector beside what it saw, and both mixed, as in seq2seq."""

    def __init__(self, width: int, past: nn.Module):
        super().__init__()
        self.past = past
        self.mix = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.mix(torch.cat([x, self.past(x)], dim=-1))


class Residual(nn.Module):
    def __init__(self, width: int, part: nn.Module, norm: str):
        super().__init__()
        self.part = part
        self.before = nn.LayerNorm(width) if norm == "before" else nn.Identity()
        self.after = nn.LayerNorm(width) if norm == "after" else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.after(x + self.part(self.before(x)))


def sinusoids(length: int, width: int) -> Tensor:
    """Vaswani et al. (2017), section 3.5: (length, width)."""
    angle = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


def layer(recipe: Recipe) -> list[nn.Module]:
    width = recipe.width
    past = {
        "mean": lambda: Mean(width),
        "lstm": lambda: Recurrent(width),
        "attention": lambda: Attention(width, recipe.heads, recipe.mask),
    }[recipe.past]()
    parts = [past]
    if recipe.feed_forward:
        parts.append(nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)))
    if recipe.residual:
        return [Residual(width, part, recipe.norm) for part in parts]
    return [Beside(width, past), *parts[1:]]


class Model(nn.Module):
    """Syllables in, a score for each next syllable out."""

    def __init__(self, recipe: Recipe, vocabulary: int, longest: int):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, recipe.width)
        self.register_buffer("positions", sinusoids(longest, recipe.width) * recipe.positions)
        parts = [part for _ in range(recipe.layers) for part in layer(recipe)]
        if recipe.norm == "before":
            parts.append(nn.LayerNorm(recipe.width))
        self.parts = nn.Sequential(*parts)
        self.head = nn.Linear(recipe.width, vocabulary)

    def forward(self, ids: Tensor) -> Tensor:  # (batch, length) -> (batch, length, vocabulary)
        x = self.embedding(ids) + self.positions[: ids.shape[1]]
        return self.head(self.parts(x))
