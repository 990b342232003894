"""Many stories at once: each step computes one token, keys and values are kept.

python -m course_data.stories.writing    the last row of the table writes in several ways; some twelve minutes of a core
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path

import torch
import torch.nn.functional as F
from course_data.stories.check import shares
from course_data.stories.grow import SEEDS, Corpus, train
from course_data.stories.kept import keep, mean, stamp
from course_data.stories.model import Attention, Beside, Mean, Model, Recurrent, Residual
from course_data.stories.recipes import ROWS
from course_data.stories.world import PLACES
from torch import Tensor, nn

STORIES = 100  # written by each model in each way
WAYS = {
    "greedy": {"temperature": 0.0},
    "T = 0.25": {"temperature": 0.25},
    "T = 0.5": {"temperature": 0.5},
    "T = 1": {},
    "T = 1.5": {"temperature": 1.5},
    "T = 2": {"temperature": 2.0},
    "top-p = 0.9": {"top_p": 0.9},
}
RESULT = Path(__file__).with_name("writing.json")


def chosen(scores: Tensor, temperature: float, top_p: float, draw: torch.Generator) -> Tensor:
    """A number for each row of scores (rows, vocabulary): temperature 0 takes the likeliest, top_p cuts the tail."""
    if temperature == 0:
        return scores.argmax(dim=-1)
    odds, order = (scores / temperature).softmax(dim=-1).sort(dim=-1, descending=True)
    odds = odds.masked_fill(odds.cumsum(dim=-1) - odds >= top_p, 0.0)
    return order.gather(1, torch.multinomial(odds, 1, generator=draw)).squeeze(1)


def one_more(part: nn.Module, x: Tensor, seen: dict) -> Tensor:
    """The part's output for one more place, x of (rows, 1, width); `seen` keeps the keys and values of those before."""
    if isinstance(part, Residual):
        return part.after(x + one_more(part.part, part.before(x), seen))
    if isinstance(part, Beside):
        return part.mix(torch.cat([x, one_more(part.past, x, seen)], dim=-1))
    if not isinstance(part, Attention):
        return part(x)
    q, k, v = part.query_key_value(x).chunk(3, dim=-1)
    q, k, v = (each.unflatten(-1, (part.heads, -1)).transpose(1, 2) for each in (q, k, v))
    if part in seen:
        k, v = (torch.cat([old, new], dim=2) for old, new in zip(seen[part], (k, v), strict=True))
    seen[part] = k, v
    return part.output(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


def keeps(model: Model) -> bool:
    """True if what a place has seen never changes, so that its keys and values may be kept."""
    looks = [part for part in model.modules() if isinstance(part, (Attention, Mean, Recurrent))]
    return all(isinstance(part, Attention) and part.mask for part in looks)


def next_scores(model: Model, ids: Tensor, seen: dict | None) -> Tensor:
    """Scores (rows, vocabulary) of what follows ids; `seen` of the places before the last, None to compute them anew."""
    if seen is None:
        return model(ids)[:, -1]
    x = model.embedding(ids[:, -1:]) + model.positions[ids.shape[1] - 1]
    for part in model.parts:
        x = one_more(part, x, seen)
    return model.head(x)[:, 0]


@torch.no_grad()
def written(
    model: Model, corpus, count: int, temperature: float = 1.0, top_p: float = 1.0, seed: int = 0
) -> list[str]:
    """`count` stories, each up to its newline or, where none comes, to the length of the longest that was read."""
    draw = torch.Generator().manual_seed(seed)
    end = corpus.number["\n"]
    ids = torch.full((count, 1), end)
    seen = {} if keeps(model) else None
    while ids.shape[1] < corpus.longest and not (ids[:, 1:] == end).any(dim=1).all():
        following = chosen(next_scores(model, ids, seen), temperature, top_p, draw)
        ids = torch.cat([ids, following[:, None]], dim=1)
    texts = ("".join(corpus.syllables[i] for i in row[1:]) for row in ids.tolist())
    return [text.partition("\n")[0] for text in texts]


def commonest_place(texts: list[str]) -> float:
    """The share of stories that have the commonest place in their first sentence."""
    first = (text.partition(". ")[0] for text in texts)
    counts = Counter(place for sentence in first for place in PLACES if place in sentence)
    return max(counts.values(), default=0) / len(texts)


def purchases(texts: list[str]) -> float:
    """The share of stories in which somebody buys something: a half, in the world."""
    return sum("모두 " in text for text in texts) / len(texts)


def main() -> None:
    torch.set_num_threads(1)
    corpus, recipe = Corpus(), ROWS["schedule"]
    models = [train(recipe, corpus, seed) for seed in SEEDS]
    ways = {}
    for way, options in WAYS.items():
        texts = [written(model, corpus, STORIES, **options) for model in models]
        each = [shares(of_one) for of_one in texts]
        ways[way] = {
            "broken": [round(share["all"], 4) for share in each],
            "by_rule": {rule: mean([share[rule] for share in each]) for rule in each[0]},
            "place": mean([commonest_place(of_one) for of_one in texts]),
            "purchases": mean([purchases(of_one) for of_one in texts]),
            "stories": [len(set(of_one)) for of_one in texts],
            "story": texts[0][0],
        }
    keep(RESULT, {"digest": stamp("check", "writing"), "recipe": asdict(recipe), "ways": ways})


if __name__ == "__main__":
    main()
