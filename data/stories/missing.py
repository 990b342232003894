"""A small model with every part, and what becomes of it without one of them: its loss, the rules that it breaks, stories.

python -m course_data.stories.missing    all parts; some twenty-five minutes of a core
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import torch
from course_data.stories.check import broken, shares
from course_data.stories.grow import SEEDS, Corpus, judge, train
from course_data.stories.kept import keep, mean, stamp
from course_data.stories.model import Recipe
from course_data.stories.recipes import SMALL, WITHOUT
from course_data.stories.world import floor
from course_data.stories.writing import written

COOL = 0.5  # the temperature, so that what is broken is what the model does not know, not what the dice have done
STORIES = 50
SHOWN = 4  # stories of the first seed
RESULT = Path(__file__).with_name("missing.json")


def shown(text: str) -> dict:
    return {
        "text": text,
        "broken": [(check.start, check.end, check.rule) for check in broken(text)],
    }


def measured(recipe: Recipe, corpus: Corpus) -> dict:
    models = [train(recipe, corpus, seed) for seed in SEEDS]
    losses, skills = zip(*(judge(model, corpus) for model in models), strict=True)
    texts = [written(model, corpus, STORIES, temperature=COOL) for model in models]
    return {
        "recipe": asdict(recipe),
        "loss": mean(losses),
        "losses": [round(loss, 3) for loss in losses],
        "skills": {skill: mean([of_one[skill] for of_one in skills]) for skill in skills[0]},
        "broken": mean([shares(of_one)["all"] for of_one in texts]),
        "stories": [shown(text) for text in texts[0][:SHOWN]],
    }


def main() -> None:
    torch.set_num_threads(1)
    corpus = Corpus()
    parts = {name: measured(recipe, corpus) for name, recipe in {"nothing": SMALL, **WITHOUT}.items()}
    lowest = round(floor(corpus.held_stories), 3)
    keep(RESULT, {"digest": stamp("check", "writing", "missing"), "floor": lowest, "without": parts})


if __name__ == "__main__":
    main()
