"""What the pages say holds on other processors, too: other instructions round otherwise, and training goes another way.

A page states figures that its own run must bear out, on any machine that builds the book. MKL and PyTorch can be told
to leave newer instructions alone."""

import os
from pathlib import Path

import jupytext
import pytest
from nbclient import NotebookClient

CHAPTERS = Path(__file__).parents[2] / "chapters"
PAGES = sorted(page.stem for page in CHAPTERS.glob("*.md") if "{code-cell}" in page.read_text())
PROCESSORS = {
    "AVX2": {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
    "SSE4.1": {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE", "ONEDNN_MAX_CPU_ISA": "SSE41"},
}


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("processor", PROCESSORS)
def test_a_page_holds_on_another_processor(page, processor):
    notebook = jupytext.read(CHAPTERS / f"{page}.md", fmt="md:myst")
    client = NotebookClient(notebook, timeout=1200, resources={"metadata": {"path": str(CHAPTERS)}})
    client.execute(env=os.environ | PROCESSORS[processor] | {"OMP_NUM_THREADS": "1"})
