"""Memory that reading a notebook with large outputs takes, as a part of the file: ours against msgspec and nbformat.

Each reads the file in a process of its own. Prints a row a reader: the peak above what an empty notebook takes, and seconds.

    python benchmarks/large_notebook.py [--mb 200] [--json FILE]
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

READERS = {
    "ours": "from grader.notebook import parse, read_notebook; parse(read_notebook(Path(sys.argv[1])))",
    "msgspec, outputs not asked for": "from grader.notebook import parse; parse(Path(sys.argv[1]).read_bytes())",
    "nbformat": "import nbformat; nbformat.read(sys.argv[1], as_version=4)",
}
MEASURE = (
    "import resource, sys, time; from pathlib import Path; began = time.perf_counter(); {}; "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter() - began)"
)


def write(path: Path, mb: int) -> None:
    """A notebook with pictures of 2 MB in its outputs."""
    picture = base64.b64encode(os.urandom(3 << 19)).decode()
    shown = {"output_type": "display_data", "metadata": {}, "data": {"image/png": picture}}
    cell = {
        "cell_type": "code",
        "metadata": {},
        "execution_count": 1,
        "source": "x = 1",
        "outputs": [shown] * (mb // 2),
    }
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell]}
    with open(path, "w") as file:
        json.dump(notebook, file)


def measured(reader: str, path: Path) -> tuple[float, float]:
    """Peak in MB, seconds."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE.format(reader), str(path)], capture_output=True, text=True, check=True
    )
    peak, seconds = done.stdout.split()
    return int(peak) / 1024, float(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    table, rows = Table("reader", "MB above an empty one", "of the file", "seconds"), []
    with tempfile.TemporaryDirectory() as folder:
        write(empty := Path(folder) / "empty.ipynb", 0)
        write(large := Path(folder) / "large.ipynb", options.mb)
        size = large.stat().st_size / (1 << 20)
        for name, reader in READERS.items():
            base, _ = measured(reader, empty)
            peak, seconds = measured(reader, large)
            rows.append(
                {"reader": name, "mb": peak - base, "of_the_file": (peak - base) / size, "seconds": seconds}
            )
            table.add_row(name, f"{peak - base:.0f}", f"{(peak - base) / size:.2f}", f"{seconds:.1f}")
    Console().print(table)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
