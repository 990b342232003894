"""The same stories in other units than syllables: what a token is, and what a model on such tokens loses.

python -m course_data.stories.units    all units; some twelve minutes of a core
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import torch
import torch.nn.functional as F
from course_data.stories.check import shares
from course_data.stories.grow import HELD_OUT, NOTHING, SEEDS, TRAINING, inputs_and_targets, train
from course_data.stories.kept import keep, mean, stamp
from course_data.stories.model import Model
from course_data.stories.recipes import SMALL
from course_data.stories.world import stories
from course_data.stories.writing import STORIES, written
from torch import nn

RESULT = Path(__file__).with_name("units.json")
MERGES = 300
WORD = re.compile(r" ?[^ \n]+|\n")  # a word has the space before it


def by_merges(texts: list[str], merges: int = MERGES) -> Callable[[str], list[str]]:
    """Cuts a text by BPE merges learnt from the texts, inside words."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    alphabet = set("".join(texts)) | {"\n"}
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(WORD.pattern), "isolated")
    tokenizer.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=len(alphabet) + merges, show_progress=False)
    )
    return lambda text: tokenizer.encode(text).tokens


def cutters(texts: list[str]) -> dict[str, Callable[[str], list[str]]]:
    """For each unit, how it cuts a text into tokens that join to the text again (jamo: to its NFD)."""
    return {
        "jamo": lambda text: list(unicodedata.normalize("NFD", text)),
        "syllables": list,
        "merges": by_merges(texts),
        "words": WORD.findall,
    }


class UnitCorpus:
    """The stories of grow.Corpus cut into units: rows of numbers, a newline before and after, the rest NOTHING."""

    def __init__(self, unit: str, training: int = TRAINING, held_out: int = HELD_OUT):
        made = stories(training + held_out, seed=0)
        texts = [story.text for story in made]
        self.cut = cutters(texts[:training])[unit]
        tokens = [self.cut("\n" + text) for text in texts]
        self.syllables = sorted({token for row in tokens[:training] for token in row})
        self.number = {token: i for i, token in enumerate(self.syllables)}
        self.longest = max(map(len, tokens))
        self.train, self.held = self.rows(tokens[:training]), self.rows(tokens[training:])
        self.held_syllables = sum(map(len, texts[training:]))

    def rows(self, tokens: list[list[str]]) -> torch.Tensor:
        ids = [torch.tensor([self.number[token] for token in row]) for row in tokens]
        return nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=NOTHING)


@torch.no_grad()
def lost(model: Model, corpus: UnitCorpus) -> tuple[float, int]:
    """Nats lost on all held-out stories together, and the tokens that they have."""
    total, count = 0.0, 0
    for rows in corpus.held.split(25):
        ids, targets = inputs_and_targets(rows)
        logits = model(ids).flatten(0, 1)
        total += F.cross_entropy(logits, targets.flatten(), ignore_index=NOTHING, reduction="sum").item()
        count += (targets >= 0).sum().item()
    return total, count


def measured(unit: str) -> dict:
    corpus = UnitCorpus(unit)
    models = [train(SMALL, corpus, seed) for seed in SEEDS]
    losses = [lost(model, corpus) for model in models]
    texts = [
        [unicodedata.normalize("NFC", text) for text in written(model, corpus, STORIES, temperature=0.5)]
        for model in models
    ]
    return {
        "vocabulary": len(corpus.syllables),
        "parameters": sum(p.numel() for p in models[0].parameters()),
        "tokens": round(losses[0][1] / len(corpus.held), 1),
        "nats_a_token": mean([total / count for total, count in losses]),
        "nats_a_syllable": [round(total / corpus.held_syllables, 3) for total, _ in losses],
        "broken": [round(shares(of_one)["all"], 4) for of_one in texts],
        "story": texts[0][0],
    }


def main() -> None:
    torch.set_num_threads(1)
    units = {unit: measured(unit) for unit in ("jamo", "syllables", "merges", "words")}
    keep(
        RESULT,
        {"digest": stamp("check", "writing", "units"), "recipe": asdict(SMALL), "units": units},
    )


if __name__ == "__main__":
    main()
