"""Time and peak memory of the attentions of the chapter `efficient_attention`, against torch's own, by length.

One head of width 64; forward, and forward with backward; causal where the attention can be. Each case runs in a process
of its own, so that memory which another has freed is not there to be used again. A peak is what comes on top of inputs
and parameters: on a GPU what torch has allocated at most, on a CPU how far the process' resident size has risen (only
Linux says; elsewhere there is no figure). Times on a CPU are seconds of its cores, added up. What the libraries load at
a first call is there before: 64 positions go first.

    PYTHONPATH=. python benchmarks/long_attention.py [--lengths 512 … 16384] [--repeats 3] [--json FILE] [--device DEVICE]

"full" is the textbook's: it makes all n × n weights. `F.scaled_dot_product_attention` is exact, too, and makes none.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
import torch.nn.functional as F
from rich.console import Console
from rich.table import Table
from torch import Tensor

from grader.results import write_whole
from solutions.attention import scaled_dot_product_attention
from solutions.efficient_attention import (
    latent_attention,
    linformer_attention,
    lsh_buckets,
    performer_attention,
    sorted_lsh_attention,
    window_attention,
)

WIDTH, WINDOW, MIXED, FEATURES, LATENTS, BUCKET = 64, 64, 128, 128, 64, 64
BASELINE = "F.scaled_dot_product_attention"

# Of query, key and value (n, WIDTH), and whether to look back only; then the output.
Attention = Callable[[Tensor, Tensor, Tensor, bool], Tensor]


# Each makes, for a length, what the attention learns or draws, and then the attention.


def fused(n: int, device: str) -> Attention:
    def attend(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Tensor:
        batch = (x[None, None] for x in (query, key, value))
        return F.scaled_dot_product_attention(*batch, is_causal=causal)[0, 0]

    return attend


def full(n: int, device: str) -> Attention:
    past = torch.ones(n, n, dtype=torch.bool, device=device).tril()
    return lambda q, k, v, causal: scaled_dot_product_attention(q, k, v, past if causal else None)[0]


def window(n: int, device: str) -> Attention:
    return lambda q, k, v, causal: window_attention(q, k, v, WINDOW, causal)


def linformer(n: int, device: str) -> Attention:
    mixes = torch.randn(2, MIXED, n, device=device) / n**0.5
    return lambda q, k, v, causal: linformer_attention(q, k, v, *mixes)[0]


def lsh(n: int, device: str) -> Attention:
    rotations = torch.randn(WIDTH, max(1, n // BUCKET // 2), device=device)

    def attend(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Tensor:
        return sorted_lsh_attention(query, value, lsh_buckets(query.detach(), rotations), BUCKET, causal)

    return attend


def performer(n: int, device: str) -> Attention:
    projection = torch.randn(FEATURES, WIDTH, device=device)
    return lambda q, k, v, causal: performer_attention(q, k, v, projection, causal)


def latents(n: int, device: str) -> Attention:
    asking, identity = torch.randn(LATENTS, WIDTH, device=device), torch.eye(WIDTH, device=device)
    return lambda q, k, v, causal: latent_attention(asking, k, identity, identity, identity)[0]


ATTENTIONS: dict[str, Callable[[int, str], Attention]] = {
    BASELINE: fused,
    "full": full,
    f"window {WINDOW}": window,
    f"Linformer {MIXED}": linformer,
    f"LSH, {BUCKET} a bucket": lsh,
    f"Performer {FEATURES}": performer,
    f"{LATENTS} latents": latents,
}
NOT_CAUSAL = {linformer, latents}


def caller(name: str, n: int, causal: bool, backward: bool, device: str) -> Callable[[], None]:
    """The call that is measured, on inputs that are made before."""
    torch.manual_seed(0)
    attend = ATTENTIONS[name](n, device)
    inputs = [torch.randn(n, WIDTH, device=device, requires_grad=backward) for _ in range(3)]

    def call() -> None:
        for x in inputs:
            x.grad = None
        with torch.set_grad_enabled(backward):
            output = attend(*inputs, causal)
            if backward:
                output.square().mean().backward()
        if device.startswith("cuda"):
            torch.cuda.synchronize()

    return call


def resident_bytes(line: str) -> int:
    """This process' resident size (VmRSS), or the largest since it was last reset (VmHWM)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(status.split(f"{line}:")[1].split()[0])


def peak_bytes(call: Callable[[], None], device: str) -> int | None:
    """Bytes by which memory rises during a call, at its peak; None where the system does not say."""
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        call()
        return torch.cuda.max_memory_allocated() - before
    if not Path("/proc/self/clear_refs").exists():
        call()
        return None
    before = resident_bytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # resets VmHWM
    call()
    return resident_bytes("VmHWM") - before


def measure(name: str, n: int, causal: bool, backward: bool, device: str, repeats: int) -> dict:
    """Milliseconds (the median, after a first call) and MiB of one case; for a process of its own."""
    caller(name, 64, causal, backward, device)()  # what the libraries load
    call = caller(name, n, causal, backward, device)
    peak = peak_bytes(call, device)
    # What a CPU's cores have worked does not depend on what else they do.
    clock = time.perf_counter if device.startswith("cuda") else time.process_time
    times = []
    for _ in range(repeats):
        began = clock()
        call()
        times.append(clock() - began)
    mib = None if peak is None else round(peak / 2**20, 1)
    return {"ms": round(1000 * statistics.median(times), 3), "mib": mib}


def cases(lengths: list[int], device: str, repeats: int) -> Iterator[dict]:
    """Each case, measured in a fresh process, forked from one that has only imported."""
    fresh = multiprocessing.get_context("forkserver" if platform.system() == "Linux" else "spawn")
    fresh.set_forkserver_preload(["rich.table", "grader.results", "solutions.efficient_attention"])
    for causal in (False, True):
        for backward in (False, True):
            for n in lengths:
                for name, make in ATTENTIONS.items():
                    if causal and make in NOT_CAUSAL:
                        continue
                    with fresh.Pool(1) as pool:
                        found = pool.apply(measure, (name, n, causal, backward, device, repeats))
                    yield {
                        "attention": name,
                        "length": n,
                        "causal": causal,
                        "backward": backward,
                        **found,
                    }


def table_of(results: list[dict], lengths: list[int], title: str) -> Table:
    """A row an attention and kind, a column a length: milliseconds and MiB."""
    table = Table(title=f"{title}: ms, MiB at the peak")
    table.add_column("attention")
    table.add_column("kind")
    for n in lengths:
        table.add_column(f"{n:,}", justify="right")
    kinds = dict.fromkeys((row["causal"], row["backward"], row["attention"]) for row in results)
    for causal, backward, name in kinds:
        row = {
            r["length"]: f"{r['ms']:,.1f}, " + ("–" if r["mib"] is None else f"{r['mib']:,.0f}")
            for r in results
            if (r["causal"], r["backward"], r["attention"]) == (causal, backward, name)
        }
        kind = ("causal, " if causal else "") + ("with backward" if backward else "forward")
        table.add_row(name, kind, *(row[n] for n in lengths))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 1024, 2048, 4096, 8192, 16384])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()

    results = list(cases(args.lengths, args.device, args.repeats))
    device = torch.cuda.get_device_name() if args.device.startswith("cuda") else args.device
    threads = torch.get_num_threads()
    Console().print(table_of(results, args.lengths, f"One head of {WIDTH}, {device}, {threads} threads"))
    if args.json:
        about = {"torch": torch.__version__, "device": device, "machine": platform.machine()}
        about |= {"threads": threads, "width": WIDTH, "results": results}
        write_whole(args.json, json.dumps(about, indent=1).encode())


if __name__ == "__main__":
    main()
