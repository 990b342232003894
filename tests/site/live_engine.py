"""The page's models in a browser, without the book: for the tests of live models and benchmarks/live_models.py."""

from html import escape
from pathlib import Path

import live_weights
import torch
from browsing import ROOT
from course_data import TINY_BERT, TINY_GPT
from course_data.finetune import collate, encode, similar_lengths
from playwright.sync_api import Locator
from safetensors.torch import load_file
from transformers import AutoTokenizer, BertForMaskedLM, GPT2LMHeadModel

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
    weights = load_file(live_weights.SOURCES["number_translator"])
    model.load_state_dict({name: tensor.float() for name, tensor in weights.items()})
    return model.eval()


def sentiment(adapter: str, bits: int = 8) -> tuple[torch.nn.Module, torch.nn.Linear]:
    """The BERT with an adapter merged into its weights, and the head, from the files' 16 bits or from the page's 8."""
    cut = rounded if bits == 8 else torch.Tensor.float
    body = bert().bert
    changes = load_file(live_weights.SOURCES[f"sentiment_{adapter}"])
    with torch.no_grad():
        for parameter in body.parameters():
            parameter.copy_(cut(parameter))
        for name, module in body.named_modules():
            if f"{name}.A" in changes:
                module.weight += cut(changes[f"{name}.B"]) @ cut(changes[f"{name}.A"])
        head = torch.nn.Linear(body.config.hidden_size, 1)
        head.weight.copy_(cut(changes["head.weight"]))
        head.bias.copy_(changes["head.bias"])
    return body.eval(), head


@torch.no_grad()
def log_odds(adapter: str, texts: list[str], bits: int = 8) -> torch.Tensor:
    body, head = sentiment(adapter, bits)
    ids = encode(AutoTokenizer.from_pretrained(TINY_BERT), texts)
    found = torch.zeros(len(texts))
    for batch in similar_lengths(ids, 256, torch.Generator()):
        x, mask = collate([ids[i] for i in batch])
        found[batch] = head(body(x, attention_mask=mask).last_hidden_state[:, 0])[:, 0]
    return found


def accuracy(adapter: str, texts: list[str], labels: list[int], bits: int = 8) -> float:
    right = (log_odds(adapter, texts, bits) > 0) == torch.tensor(labels, dtype=torch.bool)
    return right.float().mean().item()


def example(widget: Locator) -> str:
    """Load a widget's model; its own example and what it shows for it, as HTML without the controls."""
    widget.locator(".live-start").click()
    widget.locator(".live-panel").wait_for()
    widget.page.wait_for_function(
        "widget => widget.querySelector('.live-unseen')?.textContent !== ''", arg=widget.element_handle()
    )
    asked = widget.locator(".live-text").input_value()
    shown = widget.locator(".live-result").inner_html().replace(' role="status"', "")
    return f'<p class="live-name">{escape(asked)}</p>{shown}'
