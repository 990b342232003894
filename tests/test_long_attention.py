"""The benchmark of long attentions compares what it says, and its peaks are peaks."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

PATH = Path(__file__).resolve().parent.parent / "benchmarks" / "long_attention.py"
spec = importlib.util.spec_from_file_location("long_attention", PATH)
benchmark = importlib.util.module_from_spec(spec)
spec.loader.exec_module(benchmark)

EXACT = ["full", f"window {benchmark.WINDOW}"]  # at 64 positions a window of 64 sees all


def attention(name, n):
    torch.manual_seed(1)
    return benchmark.ATTENTIONS[name](n, "cpu")


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", EXACT)
def test_what_is_exact_equals_torch(name, causal):
    inputs = torch.randn(3, 64, benchmark.WIDTH, generator=torch.Generator().manual_seed(0))
    expected = attention(benchmark.BASELINE, 64)(*inputs, causal)
    torch.testing.assert_close(attention(name, 64)(*inputs, causal), expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    "name", [n for n, a in benchmark.ATTENTIONS.items() if a not in benchmark.NOT_CAUSAL]
)
def test_what_is_called_causal_looks_back_only(name):
    inputs = torch.randn(3, 200, benchmark.WIDTH, generator=torch.Generator().manual_seed(0))
    changed = inputs.clone()
    changed[:, 150:] += 1
    attend = attention(name, 200)
    outputs = [attend(*x, True) for x in (inputs, changed)]
    torch.testing.assert_close(outputs[0][:150], outputs[1][:150], atol=1e-4, rtol=1e-4)


def test_a_peak_holds_what_was_freed_again():
    call_peak = benchmark.peak_bytes(lambda: torch.ones(64, 2**20).sum(), "cpu")
    if call_peak is None:
        pytest.skip("this system does not say")
    assert 250 < call_peak / 2**20 < 290  # 256 MiB


@pytest.mark.whole
def test_a_row_a_case(tmp_path):
    found = tmp_path / "found.json"
    command = [
        sys.executable,
        str(PATH),
        "--lengths",
        "128",
        "--repeats",
        "1",
        "--device",
        "cpu",
        "--json",
        str(found),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(PATH.parent.parent)}
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(found.read_text(encoding="utf-8"))["results"]
    assert len(rows) == 2 * (2 * len(benchmark.ATTENTIONS) - len(benchmark.NOT_CAUSAL))
    assert all(row["ms"] > 0 for row in rows)
    assert f"{benchmark.LATENTS} latents" in done.stdout
