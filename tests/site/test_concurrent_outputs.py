"""Pages without outputs are executed side by side, into the cache that myst-nb reads."""

import os
from types import SimpleNamespace

import pytest
from concurrent_outputs import fill_cache, notebooks, pages_at_once
from jupyter_cache import get_cache
from myst_nb.core.config import NbParserConfig
from myst_parser.config.main import MdParserConfig

HEAD = """---
file_format: mystnb
kernelspec:
  name: python3
  display_name: Python 3
---

# A page

"""
MEETING = """```{{code-cell}} python
import pathlib, time
pathlib.Path("{mine}").touch()
end = time.monotonic() + 60
while not pathlib.Path("{other}").exists():
    assert time.monotonic() < end
    time.sleep(0.05)
```
"""


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A book of a page without code, one that fails, and two that each wait for the other to begin."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    pages = {
        "prose": "# Words only\n",
        "fails": HEAD + "```{code-cell} python\n1 / 0\n```\n",
        "left": HEAD + MEETING.format(mine="a", other="b"),
        "right": HEAD + MEETING.format(mine="b", other="a"),
    }
    for name, text in pages.items():
        (tmp_path / f"{name}.md").write_text(text)
    env = SimpleNamespace(
        doc2path=lambda name: tmp_path / f"{name}.md",
        myst_config=MdParserConfig(),
        mystnb_config=NbParserConfig(
            execution_mode="cache", execution_cache_path=str(tmp_path / "cache"), execution_timeout=100
        ),
    )
    return SimpleNamespace(app=SimpleNamespace(srcdir=tmp_path), env=env, pages=pages)


def missing(book) -> list[str]:
    cache = get_cache(book.env.mystnb_config.execution_cache_path)
    return [page.stem for page, _, cached in notebooks(cache, book.pages, book.app, book.env) if not cached]


@pytest.mark.whole
def test_pages_are_executed_at_once_and_a_failure_is_left_to_be_reported(book):
    assert missing(book) == ["fails", "left", "right"]
    fill_cache(book.app, book.env, list(book.pages))
    assert missing(book) == ["fails"]


def test_excluded_pages_are_not_executed(book):
    book.env.mystnb_config.execution_excludepatterns = ["*t.md"]
    assert missing(book) == ["fails"]


@pytest.mark.parametrize(("cores", "threads", "pages"), [(2, "1", 2), (2, "2", 1), (1, "2", 1), (64, "1", 4)])
def test_as_many_pages_as_cores_and_threads_allow(monkeypatch, cores, threads, pages):
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    assert pages_at_once() == pages
