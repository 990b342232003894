"""Learns how much each piece of a word tells of the page that is asked for: `python assets/learn_asked.py [LANGUAGE]`.

The search counts how often the phrases of chapters/asked that ask for a page have a piece of the query (asked.js, BM25).
To BM25 every rare piece tells much. Here each piece's weight is learned, so that as many phrases as can be find their
page, each by the others alone (leave one out). It writes asked_weights.LANGUAGE.json beside this file, in half a minute
for each language. Run it when many phrases have changed; until then the new ones are counted all the same.
"""

import argparse
import json
import math
import random
import sys
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

ROOT = Path(__file__).parents[1]
ASKED = ROOT / "chapters" / "asked"
sys.path.insert(0, str(ROOT / "assets" / "extensions"))
from course_search import ASKED_WORD, HANGUL, asked_words  # noqa: E402

HASHED = 1 << 15  # pieces share this many weights
LEVELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
STEP = 0.1  # between levels, of a weight's logarithm; N, the middle, is 1
WITHOUT = 60  # as in asked.js
EPOCHS, BATCH, RATE, DROPPED = 10, 128, 0.1, 0.3


def opening(word: str) -> str:
    return f" {word[:2]}" if HANGUL.match(word) and len(word) > 1 else f" {word} "


def pieces_of(query: str) -> list[str]:
    """A word; parts of it; how two neighbours begin. As asked.js divides a query."""
    words, pieces = ASKED_WORD.findall(query), {}
    for word in words:
        whole, sizes = (f" {word}", (2, 3)) if HANGUL.match(word) else (f" {word} ", (4, 5))
        pieces[f" {word} "] = True
        for size in sizes:
            for start in range(max(1, len(whole) - size + 1)):
                pieces[whole[start : start + size]] = True
    for first, second in zip(words, words[1:], strict=False):
        pieces[opening(first) + opening(second)] = True
    return list(pieces)


def hashed(piece: str) -> int:
    """FNV-1a of its letters, as asked.js finds a piece's weight."""
    value = 2166136261
    for letter in piece:
        value = (value ^ ord(letter)) * 16777619 % 2**32
    return value % HASHED


class Asked:
    """The phrases, as rows of pieces, and how many of each page's phrases have each piece: counts (pieces, pages)."""

    def __init__(self, language: str):
        asked = {
            path.stem: asked_words(path.read_text(encoding="utf-8").splitlines(), language).split(",")
            for path in sorted(ASKED.glob("*.txt"))
        }
        self.pages = [page for page, phrases in asked.items() if phrases != [""]]
        known: dict[str, int] = {}
        self.phrases, self.rows, meant = [], [], []
        for page, name in enumerate(self.pages):
            for phrase in asked[name]:
                self.phrases.append(phrase)
                self.rows.append(torch.tensor([known.setdefault(p, len(known)) for p in pieces_of(phrase)]))
                meant.append(page)
        self.meant = torch.tensor(meant)
        self.hashes = torch.tensor([hashed(piece) for piece in known])
        self.counts = torch.zeros(len(known), len(self.pages))
        for row, page in zip(self.rows, meant, strict=True):
            self.counts[row, page] += 1
        words = [sum(phrase.count(" ") + 1 for phrase in asked[name]) for name in self.pages]
        self.lengths = torch.tensor(words) / (sum(words) / len(words))

    def without_themselves(self, chosen: list[int]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The phrases' pieces (n, m), which of them are there (n, m), and counts without these phrases (n, m, pages)."""
        rows = [self.rows[i] for i in chosen]
        pieces = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
        there = torch.nn.utils.rnn.pad_sequence([torch.ones(len(row)) for row in rows], batch_first=True)
        own = torch.nn.functional.one_hot(self.meant[chosen], len(self.pages))
        return pieces, there, (self.counts[pieces] - there[..., None] * own[:, None]).clamp(min=0)


class Likeness(torch.nn.Module):
    """BM25 with a weight for each piece, and a page's bias: the logits of the page that is asked for."""

    def __init__(self, pages: int):
        super().__init__()
        self.weights = torch.nn.Embedding(HASHED, 1, sparse=True)  # logarithms
        torch.nn.init.zeros_(self.weights.weight)
        self.bias = torch.nn.Parameter(torch.zeros(pages))
        self.scale = torch.nn.Parameter(torch.tensor(0.2))
        self.often = torch.nn.Parameter(torch.tensor(3.0).log())
        self.long = torch.nn.Parameter(torch.tensor(0.8))

    def forward(self, hashes, there, counts, lengths):
        having = (counts > 0).sum(-1)
        rare = torch.log(1 + (len(lengths) + WITHOUT - having + 0.5) / (having + 0.5))
        often = self.often.exp()
        said = counts * (often + 1) / (counts + often * (1 - self.long + self.long * lengths))
        weight = self.weights(hashes)[..., 0].clamp(-2.5, 2.5).exp()
        return self.scale * ((there * rare * weight)[..., None] * said).sum(-2) + self.bias


def learn(asked: Asked) -> Likeness:
    torch.manual_seed(0)
    drawn = random.Random(0)
    model = Likeness(len(asked.pages))
    others = [model.bias, model.scale, model.often, model.long]
    optimizers = [
        torch.optim.Adagrad(model.weights.parameters(), lr=RATE),
        torch.optim.Adam(others, lr=0.02),
    ]
    order = list(range(len(asked.rows)))
    for epoch in range(1, EPOCHS + 1):
        drawn.shuffle(order)
        right = 0
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            pieces, there, counts = asked.without_themselves(chosen)
            there = there * (torch.rand_like(there) > DROPPED)  # no piece alone may decide
            logits = model(asked.hashes[pieces], there, counts, asked.lengths)
            loss = cross_entropy(logits, asked.meant[chosen])
            for optimizer in optimizers:
                optimizer.zero_grad()
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
            right += int((logits.argmax(-1) == asked.meant[chosen]).sum())
        print(
            f"{epoch:3} of {EPOCHS}: {right / len(order):.1%} of {len(order):,} phrases find their page",
            flush=True,
        )
    return model


def read(numbers: dict, pages: list[str]) -> Likeness:
    """The model of a file that was written."""
    model = Likeness(len(pages))
    levels = torch.tensor([LEVELS.index(letter) for letter in numbers["weights"]])
    with torch.no_grad():
        model.weights.weight[:, 0] = (levels - LEVELS.index("N")) * STEP
        model.bias.copy_(torch.tensor([numbers["bias"].get(page, 0) for page in pages]))
        model.scale.fill_(numbers["scale"])
        model.often.fill_(math.log(numbers["often"]))
        model.long.fill_(numbers["long"])
    return model


def written(model: Likeness, pages: list[str]) -> str:
    levels = (model.weights.weight.detach()[:, 0] / STEP).round().long() + LEVELS.index("N")
    numbers = {
        "scale": round(model.scale.item(), 4),
        "often": round(model.often.exp().item(), 3),
        "long": round(model.long.item(), 3),
        "bias": {page: round(bias, 2) for page, bias in zip(pages, model.bias.tolist(), strict=True)},
        "weights": "".join(LEVELS[level] for level in levels.clamp(0, len(LEVELS) - 1).tolist()),
    }
    return json.dumps(numbers, indent=1) + "\n"


if __name__ == "__main__":
    editions = ["ko", "en"]
    command = argparse.ArgumentParser(description=__doc__.partition("\n")[0].partition(":")[0])
    command.add_argument("language", nargs="?", choices=editions, help="both, if none is named")
    chosen = command.parse_args().language
    for language in [chosen] if chosen else editions:
        asked = Asked(language)
        target = Path(__file__).with_name(f"asked_weights.{language}.json")
        beside = target.with_suffix(".tmp")
        beside.write_text(written(learn(asked), asked.pages), encoding="utf-8")
        beside.replace(target)
