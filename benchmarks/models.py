"""Time of each reference against its counterpart in torch.nn or Hugging Face, forward and backward.

Both hold the same weights and get the same inputs in one process, taking turns, so that whatever else the machine
does falls on both; before anything is timed their outputs must agree. A row is a reference at one length: the median
time of each, and the median ratio of a pair (below 1: ours is faster).

    PYTHONPATH=. python benchmarks/models.py [--lengths 64 256 1024 2048] [--json FILE] [--device DEVICE] [--dtype DTYPE]

The references are written to be read, and return attention weights where the book promises them; torch's fused
kernels do not make any.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
import torch.nn.functional as F
import transformers
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn

from grader.results import write_whole
from solutions.add_norm import layer_norm
from solutions.attention import scaled_dot_product_attention
from solutions.bert import BertConfig, BertModel
from solutions.decoder import DecoderLayer
from solutions.encoder import EncoderLayer
from solutions.gpt import GPT, GPTConfig, from_gpt2_state_dict
from solutions.multi_head_attention import load_from_torch

BATCH, WIDTH, HEADS, INNER, VOCAB, LAYERS = 2, 256, 4, 1024, 1000, 2
TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 1e-1}

# A pair: what the inputs are, then our function of them and the counterpart's.
Pair = tuple[list[Tensor], Callable[..., Tensor], Callable[..., Tensor]]


def attention(n: int, place: dict) -> Pair:
    inputs = [torch.randn(BATCH, HEADS, n, WIDTH // HEADS, **place) for _ in range(3)]
    return inputs, lambda *x: scaled_dot_product_attention(*x)[0], F.scaled_dot_product_attention


def normalization(n: int, place: dict) -> Pair:
    inputs = [torch.randn(BATCH, n, WIDTH, **place), torch.randn(WIDTH, **place), torch.randn(WIDTH, **place)]
    return (
        inputs,
        lambda x, weight, bias: layer_norm(x, weight, bias, 1e-5),
        lambda x, weight, bias: F.layer_norm(x, (WIDTH,), weight, bias),
    )


def multi_head(n: int, place: dict) -> Pair:
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).to(**place)
    ours = load_from_torch(theirs)
    return [torch.randn(BATCH, n, WIDTH, **place)], lambda x: ours(x, x, x)[0], lambda x: theirs(x, x, x)[0]


def encoder_layer(n: int, place: dict) -> Pair:
    theirs = nn.TransformerEncoderLayer(WIDTH, HEADS, INNER, dropout=0.0, batch_first=True).to(**place)
    ours = same(EncoderLayer(WIDTH, HEADS, INNER, dropout=0.0).to(**place), theirs.state_dict())
    return [torch.randn(BATCH, n, WIDTH, **place)], ours, theirs


def decoder_layer(n: int, place: dict) -> Pair:
    theirs = nn.TransformerDecoderLayer(WIDTH, HEADS, INNER, dropout=0.0, batch_first=True).to(**place)
    ours = same(DecoderLayer(WIDTH, HEADS, INNER, dropout=0.0).to(**place), theirs.state_dict())
    past = torch.ones(n, n, dtype=torch.bool, device=place["device"]).tril()
    return (
        [torch.randn(BATCH, n, WIDTH, **place), torch.randn(BATCH, n, WIDTH, **place)],
        lambda x, memory: ours(x, memory, self_mask=past),
        lambda x, memory: theirs(x, memory, tgt_mask=~past),
    )


def bert(n: int, place: dict) -> Pair:
    sizes = dict(
        vocab_size=VOCAB,
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=INNER,
        max_position_embeddings=n,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    theirs = transformers.BertModel(transformers.BertConfig(**sizes)).to(**place)
    ours = same(BertModel(BertConfig(**sizes)).to(**place), theirs.state_dict())
    ids = torch.randint(0, VOCAB, (BATCH, n), device=place["device"])
    return [], lambda: ours(ids)[0], lambda: theirs(ids).last_hidden_state


def gpt(n: int, place: dict) -> Pair:
    sizes = dict(vocab_size=VOCAB, n_positions=n, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS)
    no_dropout = dict(embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0)
    no_warning = dict(bos_token_id=0, eos_token_id=0)
    theirs = transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes, **no_dropout, **no_warning)).to(
        **place
    )
    ours = same(GPT(GPTConfig(**sizes, **no_dropout)).to(**place), from_gpt2_state_dict(theirs.state_dict()))
    ids = torch.randint(0, VOCAB, (BATCH, n), device=place["device"])
    return [], lambda: ours(ids), lambda: theirs(ids).logits


PAIRS = {
    "attention.scaled_dot_product_attention": ("F.scaled_dot_product_attention", attention),
    "add_norm.layer_norm": ("F.layer_norm", normalization),
    "multi_head_attention.MultiHeadAttention": ("nn.MultiheadAttention", multi_head),
    "encoder.EncoderLayer": ("nn.TransformerEncoderLayer", encoder_layer),
    "decoder.DecoderLayer": ("nn.TransformerDecoderLayer", decoder_layer),
    "bert.BertModel": ("transformers.BertModel", bert),
    "gpt.GPT": ("transformers.GPT2LMHeadModel", gpt),
}


def same(model: nn.Module, state: dict[str, Tensor]) -> nn.Module:
    model.load_state_dict(state)
    return model


def timed(run: Callable[[], object], device: str) -> float:
    """Seconds of one call, a GPU's work included."""
    began = time.perf_counter()
    run()
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    return time.perf_counter() - began


def turns(pair: Pair, backward: bool, device: str, repeats: int) -> tuple[list[float], list[float]]:
    """Seconds of ours and of theirs, in turn, after two rounds that warm up."""
    inputs, *functions = pair
    inputs = [x.requires_grad_(backward) for x in inputs]

    def run(function: Callable[..., Tensor]) -> Callable[[], None]:
        def once() -> None:
            with torch.set_grad_enabled(backward):
                output = function(*inputs)
                if backward:
                    output.square().mean().backward()

        return once

    seconds: tuple[list[float], list[float]] = ([], [])
    for i in range(repeats + 2):
        for which in (0, 1) if i % 2 else (1, 0):
            seconds[which].append(timed(run(functions[which]), device))
    return seconds[0][2:], seconds[1][2:]


def measure(lengths: list[int], device: str, dtype: torch.dtype, repeats: int) -> Iterator[dict]:
    for name, (counterpart, make) in PAIRS.items():
        for n in lengths:
            torch.manual_seed(0)
            pair = make(n, {"device": device, "dtype": dtype})
            inputs, ours, theirs = pair
            with torch.no_grad():
                gap = (ours(*inputs) - theirs(*inputs)).abs().max().item()
            if not gap < TOLERANCE[dtype]:
                raise SystemExit(f"{name} and {counterpart} differ by {gap:.2g} at length {n}")
            row = {"reference": name, "counterpart": counterpart, "length": n}
            for kind, backward in (("forward", False), ("backward", True)):
                mine, other = turns(pair, backward, device, repeats)
                row[f"{kind}_ms"] = round(1000 * statistics.median(mine), 3)
                row[f"{kind}_counterpart_ms"] = round(1000 * statistics.median(other), 3)
                row[f"{kind}_ratio"] = round(
                    statistics.median(a / b for a, b in zip(mine, other, strict=True)), 3
                )
            yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", type=int, nargs="+", default=[64, 256, 1024, 2048])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], default="float32")
    args = parser.parse_args()

    results = list(measure(args.lengths, args.device, getattr(torch, args.dtype), args.repeats))
    device = torch.cuda.get_device_name() if args.device.startswith("cuda") else args.device
    table = Table(title=f"Time over the counterpart's, {device}, {args.dtype}, {BATCH} x length x {WIDTH}")
    for column in ("reference", "counterpart", "length", "forward", "with backward"):
        table.add_column(column, justify="right" if column not in ("reference", "counterpart") else "left")
    for row in results:
        table.add_row(
            row["reference"],
            row["counterpart"],
            str(row["length"]),
            f"{row['forward_ratio']:.2f}",
            f"{row['backward_ratio']:.2f}",
        )
    Console().print(table)
    if args.json:
        about = {
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "device": device,
            "machine": platform.machine(),
            "threads": torch.get_num_threads(),
            "dtype": args.dtype,
        }
        write_whole(args.json, json.dumps({**about, "results": results}, indent=1).encode())


if __name__ == "__main__":
    main()
