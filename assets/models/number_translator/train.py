"""Train the number translator of the transformer chapter and keep its weights, for the page that runs it.

    PYTHONPATH=.:chapters python assets/models/number_translator/train.py --out DIR

Runs the chapter's own cells up to the one that trains, so that the page shows and the reader touches one and the same
recipe.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from safetensors.torch import save_file

CHAPTER = Path(__file__).resolve().parents[3] / "chapters" / "transformer.md"
CELL = re.compile(
    r"^```\{code-cell\} python\n(?::[^\n]*\n|---\n.*?\n---\n)*(.*?)^```$", re.MULTILINE | re.DOTALL
)


def run_chapter(until: str) -> dict:
    """The names that the chapter's cells define, run up to the one that has `until` in it."""
    names: dict = {}
    for cell in CELL.findall(CHAPTER.read_text(encoding="utf-8")):
        exec(compile(cell, CHAPTER.name, "exec"), names)
        if until in cell:
            return names
    raise SystemExit(f"{CHAPTER.name} has no cell with {until!r}: say in {__file__} where it trains now.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for model.safetensors and config.json"
    )
    out = parser.parse_args().out

    names = run_chapter(until="losses.append(loss)")
    model, held_out = names["model"], names["held_out"]
    print(f"held-out numbers read whole: {names['score'](model.half().float(), held_out):.1%}")
    out.mkdir(parents=True, exist_ok=True)
    save_file(
        {name: p.half().contiguous() for name, p in model.state_dict().items()}, out / "model.safetensors"
    )
    about = {
        "heads": 4,
        "source": names["source_words"].tokens,
        "target": names["target_words"].tokens,
    }
    text = json.dumps(about, ensure_ascii=False, indent=1) + "\n"
    (out / "config.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
