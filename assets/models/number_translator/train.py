"""Train the number translator of the transformer chapter, then longer, for the page that runs it.

    PYTHONPATH=.:chapters python assets/models/number_translator/train.py --out DIR

Runs the chapter's own cells up to the one that trains, so that the page shows and the reader touches one recipe, and
goes on from there with what a stranger types first: short and round numbers. Of the chapter's held-out numbers those of
five digits and more stay unseen.
A run resumes from the checkpoint in DIR; DIR/log.jsonl has a line every 250 steps.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from pathlib import Path

import torch
from safetensors.torch import save_file

CHAPTER = Path(__file__).resolve().parents[3] / "chapters" / "transformer.md"
CELL = re.compile(
    r"^```\{code-cell\} python\n(?::[^\n]*\n|---\n.*?\n---\n)*(.*?)^```$", re.MULTILINE | re.DOTALL
)
MILLION = 1_000_000
STEPS, SIZE, RATE, EVERY = 4000, 64, 1e-3, 250


def run_chapter(until: str) -> dict:
    """The names that the chapter's cells define, run up to the one that has `until` in it."""
    names: dict = {}
    for cell in CELL.findall(CHAPTER.read_text(encoding="utf-8")):
        exec(compile(cell, CHAPTER.name, "exec"), names)
        if until in cell:
            return names
    raise SystemExit(f"{CHAPTER.name} has no cell with {until!r}: say in {__file__} where it trains now.")


def typed_number(rng: random.Random, unseen: set[int]) -> int:
    """A number below a million as people type them, short and round ones often; or a round million."""
    while True:
        kind = rng.random()
        if kind < 0.3:  # evenly: nine of ten have six digits
            number = rng.randrange(MILLION)
        elif kind < 0.5:  # evenly among lengths
            number = rng.randrange(10 ** rng.randint(1, 6))
        elif kind < 0.65:
            number = rng.randrange(10_000)
        elif kind < 0.9:  # many zeros: 100,000, 305,000, 40,070
            length = rng.randint(1, 6)
            number = int(
                "".join(str(rng.randrange(10)) if rng.random() < 0.4 else "0" for _ in range(length))
            )
        elif kind < 0.97:  # one digit and zeros
            number = rng.randrange(10) * 10 ** rng.randrange(6)
        else:
            number = rng.randint(1, 9) * MILLION
        if number not in unseen:
            return number


def train_on(names: dict, folder: Path) -> torch.nn.Module:
    """The chapter's model after STEPS more steps, of which those in the folder's checkpoint are already made."""
    kept, log = folder / "checkpoint.pt", folder / "log.jsonl"
    # not the short ones: every number below ten thousand may be learned
    unseen = {number for number in names["held_out"] if number >= 10_000}
    model = names["model"]
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.98))
    done = 0
    if kept.exists():
        state = torch.load(kept)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        done = state["step"]
    losses: list[float] = []
    for step in range(done, STEPS):
        optimizer.param_groups[0]["lr"] = RATE * min((step + 1) / 100, (STEPS - step) / STEPS * 1.25, 1)
        rng = random.Random(step)  # its own for each step, so that a resumed run draws the same
        batch = [names["pair"](typed_number(rng, unseen)) for _ in range(SIZE)]
        losses.append(names["train_step"](model, names["collate"](batch, 0), optimizer, 0))
        if (step + 1) % EVERY == 0:
            about = {"step": step + 1, "loss": round(sum(losses) / len(losses), 6)}
            about["held out"] = names["score"](model, names["held_out"])
            losses.clear()
            with log.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(about) + "\n")
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1}
            torch.save(state, kept.with_suffix(".part"))
            kept.with_suffix(".part").replace(kept)
            save(names, folder)
    return model


def save(names: dict, folder: Path) -> None:
    """Write the weights in half precision, and what the page must know of them."""
    weights = {name: p.half().contiguous() for name, p in names["model"].state_dict().items()}
    save_file(weights, folder / "model.safetensors")
    about = {
        "heads": 4,
        "source": names["source_words"].tokens,
        "target": names["target_words"].tokens,
    }
    text = json.dumps(about, ensure_ascii=False, indent=1) + "\n"
    (folder / "config.json").write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for model.safetensors and config.json"
    )
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    names = run_chapter(until="losses.append(loss)")
    train_on(names, out)
    save(names, out)


if __name__ == "__main__":
    main()
