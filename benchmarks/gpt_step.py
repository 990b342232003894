"""Time of a training step of the book's GPT, against the same model written for speed alone.

Both train GPT-2's architecture at the same sizes, from the same weights, on the same batches, in one process, their
steps taking turns so that whatever else the machine does falls on both. The other model is what one writes who needs
nothing but training: no cache, no configuration object, no weights to look at. The table gives the median step of
each and the median ratio of a pair of steps; the goal is at most 1.1.

    PYTHONPATH=. python benchmarks/gpt_step.py [--steps 30] [--json FILE] [--device DEVICE]
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn

from grader.results import write_whole
from solutions.gpt import GPT, GPTConfig, lm_loss

# name -> vocabulary, positions, width, layers, heads, batch
SIZES = {
    "tiny": (512, 64, 128, 4, 4, 16),
    "small": (2048, 128, 256, 6, 8, 8),
}
GPU_SIZES = {"GPT-2 small": (50257, 1024, 768, 12, 12, 8)}


class PlainBlock(nn.Module):
    """A pre-norm block with fused causal attention."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, n, width = x.shape
        qkv = self.qkv(self.ln_1(x)).view(batch, n, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)  # (batch, heads, n, head_dim) each
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, n, width))
        return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))


class PlainGPT(nn.Module):
    """GPT-2 for training alone."""

    def __init__(self, vocab: int, positions: int, width: int, layers: int, heads: int):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocab, width), nn.Embedding(positions, width)
        self.blocks = nn.Sequential(*(PlainBlock(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        logits = F.linear(self.norm(self.blocks(x)), self.tokens.weight)
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())

    def copy_from(self, model: GPT) -> None:
        """Take over the book's weights: both name the same tensors in the same order."""
        ours = [tensor for name, tensor in model.state_dict().items() if name != "lm_head.weight"]
        theirs = list(self.state_dict().values())
        assert [t.shape for t in ours] == [t.shape for t in theirs]
        for source, target in zip(ours, theirs, strict=True):
            target.copy_(source)


def stepper(model: nn.Module, loss_of: Callable[[Tensor], Tensor]) -> Callable[[Tensor], float]:
    """One training step with AdamW, as a function of the batch."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step(ids: Tensor) -> float:
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(ids)
        loss.backward()
        optimizer.step()
        return loss.item()  # also waits for a GPU

    return step


def measure(size: tuple[int, ...], steps: int, device: str) -> dict:
    """Time both models' steps in turn, after a few that warm up."""
    vocab, positions, width, layers, heads, batch = size
    torch.manual_seed(0)
    config = GPTConfig(
        vocab, positions, width, layers, heads, embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0
    )
    ours, plain = GPT(config).to(device), PlainGPT(vocab, positions, width, layers, heads).to(device)
    plain.copy_from(ours)
    runs = {
        "ours": stepper(ours, lambda ids: lm_loss(ours(ids), ids)),
        "plain": stepper(plain, plain),
    }
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for i in range(steps + 5):
        ids = torch.randint(0, vocab, (batch, positions), device=device)
        losses = []
        for name in sorted(runs, reverse=bool(i % 2)):  # who goes first takes turns, too
            began = time.perf_counter()
            losses.append(runs[name](ids))
            seconds[name].append(time.perf_counter() - began)
        assert abs(losses[0] - losses[1]) < 1e-3 * losses[0], "the two models are not the same"
    seconds = {name: times[5:] for name, times in seconds.items()}
    pairs = zip(seconds["ours"], seconds["plain"], strict=True)
    return {
        "parameters": sum(p.numel() for p in ours.parameters()),
        **{f"{name}_ms": round(1000 * statistics.median(times), 2) for name, times in seconds.items()},
        "ratio": round(statistics.median(a / b for a, b in pairs), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()

    sizes = GPU_SIZES if args.device.startswith("cuda") else SIZES
    results = [{"size": name, **measure(size, args.steps, args.device)} for name, size in sizes.items()]

    table = Table(title=f"A training step on {args.device}, {torch.get_num_threads()} threads")
    for column in ("size", "parameters", "ours, ms", "plain, ms", "ratio"):
        table.add_column(column, justify="left" if column == "size" else "right")
    for row in results:
        table.add_row(
            row["size"],
            f"{row['parameters']:,}",
            str(row["ours_ms"]),
            str(row["plain_ms"]),
            f"{row['ratio']:.3f}",
        )
    Console().print(table)
    if args.json:
        about = {"torch": torch.__version__, "device": args.device, "threads": torch.get_num_threads()}
        about |= {"machine": platform.machine(), "results": results}
        write_whole(args.json, json.dumps(about, indent=1).encode())


if __name__ == "__main__":
    main()
