"""A chapter's notebook: plain Markdown, the page's cells, and a first cell that finds what they import."""

import json
import os
import re
import subprocess
import sys
import zipfile
from types import SimpleNamespace

import nbformat
import pytest
import repository
from browsing import ROOT
from chapter_notebook import PREPARE
from exercise_steps import WORDS, on_colab
from test_terms import CELL

MYST = re.compile(r"\{[a-z:]+\}`|^(?::{3,}|`{3,}\{).*$|^\([\w-]+\)=$", re.MULTILINE)
IMAGE = re.compile(r"\(data:[^)]*\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
OPTIONS = re.compile(r"\A---\n.*?\n---\n|\A(?::[\w-]+:[^\n]*\n)+\n?", re.DOTALL)


def test_a_notebook_has_the_pages_cells_and_no_directive(book):
    """Of every chapter, as the build has made them."""
    pages = [page for page in (ROOT / "chapters").glob("*.md") if "kernelspec:" in page.read_text()[:300]]
    for page in pages:
        notebook = nbformat.read(book / "_sources" / "chapters" / f"{page.stem}.ipynb", as_version=4)
        nbformat.validate(notebook)
        code = [cell.source for cell in notebook.cells if cell.cell_type == "code"][1:]
        cells = [match["code"] for match in CELL.finditer(page.read_text(encoding="utf-8"))]
        assert code == [re.sub(OPTIONS, "", cell).strip() for cell in cells], page.stem
        text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        assert MYST.findall(FENCE.sub("", IMAGE.sub("", text))) == [], page.stem


def test_a_page_offers_its_notebook(visit, sample_url):
    page = visit(f"{sample_url}/chapters/sample.html")
    page.locator("summary[aria-label='이 페이지 내려받기']").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="노트북 내려받기").click()
    notebook = json.loads(download.value.path().read_text(encoding="utf-8"))
    text = IMAGE.sub("()", "\n".join("".join(cell["source"]) for cell in notebook["cells"]))
    assert "가중합은 질의와 키를 견줍니다 (Vaswani et al., 2017)." in text
    assert "![질의에서 키로 가는 화살표]()\n\n*질의는 키를 봅니다.*" in text
    assert "**확인 문제.** $QK^\\top$의 모양은 무엇입니까?\n\n1. $(n_k, n_q)$\n2. $(n_q, n_k)$" in text
    assert "1. **아닙니다.** 행과 열이 바뀌었습니다. 행은 질의입니다." in text


@pytest.fixture
def first_cell(tmp_path):
    """Runs a notebook's first cell, and then an import of the chapters', in a folder."""

    def run(folder, repository=""):
        code = (
            PREPARE.format(repository=repository, missing="없습니다")
            + "import plots\nprint(plots.__file__)\n"
        )
        environment = {**os.environ, "PYTHONPATH": "", "PYTHONSAFEPATH": "1"}
        return subprocess.run(
            [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True
        )

    return run


def test_the_first_cell_finds_the_repository_or_says_what_is_missing(first_cell, tmp_path):
    assert first_cell(ROOT / "chapters").stdout.strip() == str(ROOT / "chapters" / "plots.py")
    lost = first_cell(tmp_path)
    assert lost.returncode and lost.stderr.strip().endswith("FileNotFoundError: 없습니다")


def book_at(url):
    return SimpleNamespace(
        html_theme_options={"repository_url": url, "repository_branch": "main"}, language="ko", srcdir="."
    )


def test_colab_and_the_repository_appear_with_its_address():
    config = book_at("")
    repository.show_buttons(None, config)
    assert "use_edit_page_button" not in config.html_theme_options
    assert on_colab(SimpleNamespace(config=config), "masking", WORDS["ko"]) == []

    config = book_at("https://github.com/someone/attentively")
    repository.show_buttons(None, config)
    assert config.html_theme_options["use_edit_page_button"]
    paragraph, lines = on_colab(SimpleNamespace(config=config), "masking", WORDS["ko"])
    assert paragraph[0]["refuri"] == (
        "https://colab.research.google.com/github/someone/attentively/blob/main/exercises/masking/masking.ipynb"
    )
    assert lines.astext().splitlines()[-1] == "%cd attentively/exercises/masking"


def test_the_bundle_beside_the_book_is_what_an_exercise_says_it_is(book):
    with zipfile.ZipFile(book / "downloads" / "exercises.zip") as bundle:
        assert {name.partition("/")[0] for name in bundle.namelist()} == {"exercises"}
        names = {name.partition("/")[2] for name in bundle.namelist()}
        assert "unzip -qo exercises.zip" in bundle.read("exercises/README.md").decode()
    page = (book / "exercises" / "masking" / "masking.html").read_text(encoding="utf-8")
    assert 'href="../../downloads/exercises.zip"' in page
    # A notebook alone has nothing to check itself by
    assert not re.findall(r'href="[^"]*\.ipynb"', page)
    wheel = re.search(r"pip install \./(\S+)", re.sub("<[^>]+>", "", page))[1]
    assert wheel in names
    exercises = {path.parent.name for path in (ROOT / "exercises").glob("*/*.ipynb")}
    assert {
        f"{stem}/{name}" for stem in exercises for name in (f"{stem}.ipynb", "checks.py", "mistakes.json")
    } <= names
    assert not [name for name in names if "solutions" in name or "test_" in name]
