"""Outputs kept in the repository are those of today's code; a build that has warned warns again; no font is taken from the machine."""

import json
import re
import shutil
import subprocess
import sys
from html import unescape
from itertools import pairwise
from types import SimpleNamespace

import pytest
from browsing import ROOT
from concurrent_outputs import notebooks
from conftest import lay_out_sample
from fontTools.ttLib import TTFont
from fresh_outputs import leave_captions_out
from jupyter_cache import get_cache
from matplotlib import font_manager
from myst_nb.core.config import NbParserConfig
from myst_parser.config.main import MdParserConfig
from nbformat.v4 import new_code_cell, new_output
from stored_outputs import key, outputs_of, with_stored_outputs

PAGES = sorted(path.stem for path in (ROOT / "chapters").glob("*.md"))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """(cache, path, notebook) of every chapter with cells."""
    leave_captions_out()
    cache = get_cache(tmp_path_factory.mktemp("cache"))
    env = SimpleNamespace(
        doc2path=lambda name: ROOT / "chapters" / f"{name}.md",
        myst_config=MdParserConfig(enable_extensions={"colon_fence", "dollarmath"}),
        mystnb_config=NbParserConfig(execution_mode="cache"),
    )
    app = SimpleNamespace(srcdir=ROOT)
    return [(cache, path, notebook) for path, notebook, _ in notebooks(cache, PAGES, app, env)]


def test_stored_outputs_are_of_todays_code(pages):
    old = [page.stem for cache, page, notebook in pages if with_stored_outputs(cache, page, notebook) is None]
    assert old == [], "run 'make outputs' and commit chapters/outputs"


def test_maps_are_stored_without_the_sites_script():
    stored = (ROOT / "chapters" / "outputs").glob("*.json")
    assert [path.stem for path in stored if "startAttentionMaps" in path.read_text(encoding="utf-8")] == []


def test_what_a_stream_wrote_in_pieces_is_stored_whole():
    pieces = [new_output("stream", text="a"), new_output("stream", text="\nb\n"), new_output("display_data")]
    assert outputs_of(new_code_cell(outputs=pieces)) == [new_output("stream", text="a\nb\n"), pieces[2]]
    for path in (ROOT / "chapters" / "outputs").glob("*.json"):
        for outputs in json.loads(path.read_text(encoding="utf-8"))["outputs"]:
            streams = [(one["output_type"], one.get("name")) for one in outputs]
            assert ("stream", "stdout") not in [a for a, b in pairwise(streams) if a == b], path.stem


def test_other_code_has_no_stored_outputs(pages):
    cache, page, notebook = next((c, p, n) for c, p, n in pages if p.stem == "masking")
    before = key(cache, notebook)
    cell = next(cell for cell in notebook.cells if cell.cell_type == "code")
    cell.source += "\npass"
    assert key(cache, notebook) != before
    assert with_stored_outputs(cache, page, notebook) is None
    cell.source = cell.source.removesuffix("\npass")


def test_every_sign_in_a_plot_is_in_a_font_that_comes_with_the_book():
    def signs(path):
        return set(TTFont(path).getBestCmap())

    known = signs(font_manager.findfont("DejaVu Sans")) | signs(ROOT / "assets/fonts/NotoSansKR-plots.otf")
    missing = set()
    for file in (ROOT / "chapters" / "outputs").glob("*.json"):
        for outputs in json.loads(file.read_text(encoding="utf-8"))["outputs"]:
            for output in outputs:
                svg = output.get("data", {}).get("image/svg+xml", "")
                for text in re.findall(r"<text[^>]*>([^<]*)</text>", "".join(svg)):
                    missing |= {sign for sign in unescape(text) if ord(sign) not in known}
    assert missing == set(), "add them to assets/fonts/make.py"


NO_FONTS = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>'


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """What a process has on a machine that has nothing: no font, nothing in its home folder, no locale."""
    folder = tmp_path_factory.mktemp("bare machine 빈")
    (folder / "fonts.conf").write_text(NO_FONTS)
    (folder / "home").mkdir()
    return {
        "FONTCONFIG_FILE": str(folder / "fonts.conf"),
        "HOME": str(folder / "home"),
        "MPLCONFIGDIR": "",
        "XDG_CACHE_HOME": "",
        "LC_ALL": "C",
        "TZ": "Asia/Seoul",
        "COLUMNS": "20",
    }


def test_a_machine_without_fonts_draws_hangul(bare, tmp_path):
    code = "import plots; plots.style(); import matplotlib.pyplot as plt; plt.title('나는 집에 간다 −∞ ½'); plt.savefig('a.svg')"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env={"PATH": "", "PYTHONPATH": str(ROOT / "chapters"), "MPLBACKEND": "agg", **bare},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def build(root):
    command = [shutil.which("jupyter-book", path=str(ROOT / ".venv/bin")) or "jupyter-book"]
    command += ["build", ".", "--path-output", "build/book", "-W", "--keep-going", "--quiet"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True)


@pytest.mark.whole
def test_a_cell_that_warns_fails_the_build_each_time(bare, tmp_path, monkeypatch):
    root = lay_out_sample(tmp_path / "책 of two")
    page = root / "chapters" / "sample.md"
    page.write_text(
        page.read_text(encoding="utf-8")
        + '\n```{code-cell} python\nimport sys\nprint("Glyph missing", file=sys.stderr)\n```\n',
        encoding="utf-8",
    )
    for name, value in bare.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for _ in range(2):
        done = build(root)
        assert done.returncode != 0 and "stderr" in done.stdout + done.stderr


@pytest.mark.whole
def test_a_broken_font_fails_each_build_with_what_to_do(tmp_path):
    root = lay_out_sample(tmp_path)
    (root / "assets" / "fonts" / "NotoSansKR-plots.otf").write_bytes(b"")
    for _ in range(2):
        done = build(root)
        said = done.stdout + done.stderr
        assert done.returncode != 0 and "git checkout assets/fonts/NotoSansKR-plots.otf" in said
