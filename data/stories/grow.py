"""Train the rows of the table: each adds one part to the row above it.

python -m course_data.stories.grow    the rows that rows.json lacks, three seeds each; all: some 25 minutes of a core
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from dataclasses import asdict
from pathlib import Path

import torch
import torch.nn.functional as F
from course_data.digest import code
from course_data.stories.model import Model, Recipe
from course_data.stories.recipes import CONTROLS, ROWS
from course_data.stories.world import SKILLS, Story, floor, stories
from torch import Tensor, nn

TRAINING, HELD_OUT = 6000, 300
LONGEST = 200
BATCH = 12
NOTHING = -100  # no syllable to guess here
SEEDS = (0, 1, 2)
RESULT = Path(__file__).with_name("rows.json")


class Corpus:
    """The stories as numbers: one story a row, a newline before and after it, the rest NOTHING."""

    def __init__(self, training: int = TRAINING, held_out: int = HELD_OUT):
        made = stories(training + held_out, seed=0)
        self.syllables = sorted(set("".join(story.text for story in made[:training])))
        self.number = {syllable: i for i, syllable in enumerate(self.syllables)}
        self.held_stories = made[training:]
        self.train, self.held = self.rows(made[:training]), self.rows(self.held_stories)
        self.longest = LONGEST

    def rows(self, made: list[Story]) -> Tensor:
        ids = [torch.tensor([self.number[s] for s in "\n" + story.text]) for story in made]
        return nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=NOTHING)


def inputs_and_targets(rows: Tensor) -> tuple[Tensor, Tensor]:
    return rows[:, :-1].clamp(min=0), rows[:, 1:]


def rate_at(step: int, recipe: Recipe) -> float:
    if not recipe.schedule:
        return recipe.rate
    warm = recipe.steps // 10
    if step < warm:
        return recipe.rate * (step + 1) / warm
    return recipe.rate * 0.5 * (1 + math.cos(math.pi * (step - warm) / (recipe.steps - warm)))


def train(recipe: Recipe, corpus: Corpus, seed: int = 0) -> Model:
    torch.manual_seed(seed)
    model = Model(recipe, len(corpus.syllables), corpus.longest)
    draw = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.95), weight_decay=0.01)
    for step in range(recipe.steps):
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, recipe)
        rows = corpus.train[torch.randint(len(corpus.train), (BATCH,), generator=draw)]
        rows = rows[:, : (rows >= 0).sum(dim=1).max()]
        ids, targets = inputs_and_targets(rows)
        loss = F.cross_entropy(model(ids).flatten(0, 1), targets.flatten(), ignore_index=NOTHING)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model.eval()


@torch.no_grad()
def judge(model, corpus: Corpus) -> tuple[float, dict[str, float]]:
    """Loss on held-out stories, in nats a syllable, and the share of each skill's marks that are right."""
    total, count = 0.0, 0
    right: dict[str, list[bool]] = {skill: [] for skill in SKILLS}
    for first in range(0, len(corpus.held), 25):
        ids, targets = inputs_and_targets(corpus.held[first : first + 25])
        logs = model(ids).log_softmax(dim=-1)
        total += F.nll_loss(
            logs.flatten(0, 1), targets.flatten(), ignore_index=NOTHING, reduction="sum"
        ).item()
        count += (targets >= 0).sum().item()
        for row, target, story in zip(logs, targets, corpus.held_stories[first : first + 25], strict=True):
            for mark in story.marks:
                scores, wanted = row[mark.at], target[mark.at]
                others = [corpus.number[s] for s in mark.wrong] or [
                    i for i in range(len(scores)) if i != wanted
                ]
                right[mark.skill].append(bool(scores[wanted] > scores[others].max()))
    return total / count, {skill: sum(marks) / len(marks) for skill, marks in right.items()}


@torch.no_grad()
def write(model, corpus: Corpus, length: int = 120, temperature: float = 0.8, seed: int = 0) -> str:
    draw = torch.Generator().manual_seed(seed)
    ids = torch.tensor([[corpus.number["\n"]]])
    while len(ids[0]) <= length:
        odds = (model(ids)[0, -1] / temperature).softmax(dim=-1)
        ids = torch.cat([ids, torch.multinomial(odds, 1, generator=draw)[None]], dim=1)
        if corpus.syllables[ids[0, -1]] == "\n":
            break
    return "".join(corpus.syllables[i] for i in ids[0, 1:]).strip()


class Counted:
    """The n-gram model: counts of what followed the last n - 1 syllables, leaning on shorter ones where they are few."""

    def __init__(self, n: int, corpus: Corpus, lean: float = 5.0):
        self.n, self.lean, self.vocabulary = n, lean, len(corpus.syllables)
        ids, targets = inputs_and_targets(corpus.train)
        real = targets >= 0
        counts = torch.bincount(targets[real], minlength=self.vocabulary) + 1.0
        self.shares = counts / counts.sum()
        self.tables = []
        for before in range(1, n):
            seen, row = self.key(ids, before)[real].unique(return_inverse=True)
            table = torch.zeros(len(seen) + 1, self.vocabulary)  # the last row: never seen
            table.index_put_((row, targets[real]), torch.ones(len(row)), accumulate=True)
            self.tables.append((seen, table))

    def key(self, ids: Tensor, before: int) -> Tensor:
        """One number for the last `before` syllables up to each place."""
        parts = (F.pad(ids, (i, 0))[:, : ids.shape[1]] * self.vocabulary**i for i in range(before))
        return sum(parts)

    def __call__(self, ids: Tensor) -> Tensor:
        odds = self.shares.expand(*ids.shape, -1)
        for before, (seen, table) in enumerate(self.tables, start=1):
            key = self.key(ids, before)
            at = torch.searchsorted(seen, key).clamp(max=len(seen) - 1)
            counts = table[torch.where(seen[at] == key, at, len(seen))]
            odds = (counts + self.lean * odds) / (counts.sum(dim=-1, keepdim=True) + self.lean)
        return odds.log()


def grown(recipe: Recipe, corpus: Corpus, seed: int) -> dict:
    began = time.process_time()
    model = train(recipe, corpus, seed)
    seconds = time.process_time() - began
    loss, skills = judge(model, corpus)
    return {"loss": loss, "skills": skills, "seconds": seconds, "sample": write(model, corpus)}


def row(runs: list[dict], control: bool = False) -> dict:
    """Runs of all seeds as one row of the table: means, and what the first seed writes."""
    mean = {skill: sum(run["skills"][skill] for run in runs) / len(runs) for skill in SKILLS}
    return {
        "control": control,
        "loss": round(sum(run["loss"] for run in runs) / len(runs), 3),
        "losses": [round(run["loss"], 3) for run in runs],
        "seconds": round(sum(run["seconds"] for run in runs) / len(runs)),
        "skills": {skill: round(share, 3) for skill, share in mean.items()},
        "sample": runs[0]["sample"],
    }


def counted(corpus: Corpus) -> dict:
    began = time.process_time()
    model = Counted(4, corpus)
    seconds = time.process_time() - began
    loss, skills = judge(model, corpus)
    return row([{"loss": loss, "skills": skills, "seconds": seconds, "sample": write(model, corpus)}])


def digest() -> str:
    """SHA-256 of the code that makes a row from its recipe."""
    here = Path(__file__)
    modules = [
        here.with_name(name).read_text(encoding="utf-8") for name in ("world.py", "model.py", here.name)
    ]
    return hashlib.sha256(b"".join(map(code, modules))).hexdigest()[:16]


def kept() -> dict:
    """The rows of rows.json that today's code and recipes would make again."""
    if not RESULT.exists():
        return {}
    table = json.loads(RESULT.read_text(encoding="utf-8"))
    rows = table["rows"] if table["digest"] == digest() else {}
    recipes = ROWS | CONTROLS
    return {name: row for name, row in rows.items() if row["recipe"] == recipe_of(recipes.get(name))}


def recipe_of(recipe: Recipe | None) -> dict | None:
    return recipe and asdict(recipe)


def main() -> None:
    torch.set_num_threads(1)
    corpus = Corpus()
    rows = kept()
    rows.setdefault("counted", {**counted(corpus), "recipe": None})
    for name, recipe in (ROWS | CONTROLS).items():
        if name not in rows:
            made = row([grown(recipe, corpus, seed) for seed in SEEDS], name in CONTROLS)
            rows[name] = {**made, "recipe": recipe_of(recipe)}
            print(f"{name:<16}{made['losses']}  {made['seconds']} s", flush=True)
    in_order = {name: rows[name] for name in ("counted", *ROWS, *CONTROLS)}
    table = {"digest": digest(), "floor": round(floor(corpus.held_stories), 3), "rows": in_order}
    writing = RESULT.with_suffix(".writing")
    writing.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    writing.replace(RESULT)


if __name__ == "__main__":
    main()
