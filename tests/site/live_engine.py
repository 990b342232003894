"""The page's models in a browser, without the book: for the tests of live models and benchmarks/live_models.py."""

from pathlib import Path

import live_weights
import torch
from browsing import ROOT
from course_data import FOLDER, TINY_BERT, TINY_GPT
from safetensors.torch import load_file
from transformers import BertForMaskedLM, GPT2LMHeadModel

from solutions.transformer import Transformer

LIVE = ROOT / "assets" / "static" / "live"
MODELS = list(live_weights.SOURCES)


def lay_out(folder: Path) -> Path:
    """A page with the engine, the tokenizer and all weights, and nothing else."""
    for name in MODELS:
        (folder / f"{name}.js").write_text(live_weights.script(name), encoding="utf-8")
    scripts = [(LIVE / name).as_uri() for name in ("transformer.js", "wordpiece.js", "weights.js")]
    scripts += [f"{name}.js" for name in MODELS]
    tags = "".join(f'<script src="{script}"></script>' for script in scripts)
    page = folder / "engine.html"
    start = "<script>window.live = {files: {}};</script>"
    page.write_text(f'<!doctype html><meta charset="utf-8">{start}{tags}', encoding="utf-8")
    return page


def rounded(tensor: torch.Tensor) -> torch.Tensor:
    """What the page makes of a tensor: its 8 bits, in float32."""
    if tensor.ndim == 1:
        return tensor.float()
    whole, scales = live_weights.quantised(tensor.float().numpy())
    return torch.from_numpy(whole).float() * torch.from_numpy(scales)[:, None]


def with_rounded_weights(model: torch.nn.Module, transposed: bool = False) -> torch.nn.Module:
    """The model with the weights that the page has. GPT-2's matrices in its blocks are kept transposed."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if transposed and parameter.ndim == 2 and ".h." in name:
                parameter.copy_(rounded(parameter.T).T)
            else:
                parameter.copy_(rounded(parameter))
    return model.eval()


def bert(**options) -> BertForMaskedLM:
    return BertForMaskedLM.from_pretrained(TINY_BERT, attn_implementation="eager", **options).eval()


def gpt() -> GPT2LMHeadModel:
    return GPT2LMHeadModel.from_pretrained(TINY_GPT).eval()


def translator() -> Transformer:
    model = Transformer(35, 17, 128, 4, 256, 2, dropout=0.0)
    weights = load_file(FOLDER / "number_translator" / "model.safetensors")
    model.load_state_dict({name: tensor.float() for name, tensor in weights.items()})
    return model.eval()
