"""The number translator that the book ships, in the Transformer of sixty_lines.py: for pages that only look inside."""

import json
import re
from pathlib import Path

from safetensors.torch import load_file
from sixty_lines import Transformer

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "models" / "number_translator"
# A parameter of torch's layers, and what it is called in sixty_lines.py
NAMES = [
    (r"src_embedding", "source"),
    (r"tgt_embedding", "target"),
    (r"generator", "output"),
    (r"(\w+)\.layers\.(\d+)\.linear1", r"\1.\2.feed_forward.0"),
    (r"(\w+)\.layers\.(\d+)\.linear2", r"\1.\2.feed_forward.2"),
    (r"(\w+)\.layers\.(\d+)\.self_attn\.", r"\1.\2.attentions.0."),
    (r"(\w+)\.layers\.(\d+)\.multihead_attn\.", r"\1.\2.attentions.1."),
    (r"out_proj", "merge"),
]


def renamed(state: dict) -> dict:
    """The state dict of torch's encoder and decoder layers (norm after each sum) as sixty_lines.py names it."""
    found = {}
    for name, tensor in state.items():
        for pattern, new in NAMES:
            name = re.sub(pattern, new, name)
        name = re.sub(
            r"(\w+)\.layers\.(\d+)\.norm(\d)", lambda m: f"{m[1]}.{m[2]}.norms.{int(m[3]) - 1}", name
        )
        if "in_proj_" in name:
            for part, third in zip(("query", "key", "value"), tensor.chunk(3), strict=True):
                found[name.replace("in_proj_", f"{part}.")] = third
        else:
            found[name] = tensor
    return found


def number_translator() -> tuple[Transformer, list[str], list[str]]:
    """The model in evaluation mode, the English words and the Korean syllables of its vocabularies."""
    about = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))
    state = renamed(
        {name: tensor.float() for name, tensor in load_file(FOLDER / "model.safetensors").items()}
    )
    model = Transformer(
        *(len(about[side]) for side in ("source", "target")),
        d=state["output.weight"].shape[1],
        heads=about["heads"],
        inside=state["encoder.0.feed_forward.0.weight"].shape[0],
        layers=len({name.split(".")[1] for name in state if name.startswith("encoder.")}),
        longest=len(state["position.weight"]),
    )
    model.load_state_dict(state)
    return model.eval(), about["source"], about["target"]
