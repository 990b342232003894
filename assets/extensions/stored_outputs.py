"""The outputs of all pages, kept in the repository: a clone is read whole before its experiments have run again.

`chapters/outputs/STEM.json` holds what a page's cells have put out and the key by which the execution cache knows their
code and what they import (fresh_outputs.py). Where the key is the page's, the outputs go into the cache and nothing is
executed; any other page is executed as ever. With COURSE_EXECUTE=1 stored outputs are left alone; with COURSE_STORE=1 those
of the cache are stored (`make outputs`).
"""

import json
import os
from pathlib import Path

from concurrent_outputs import notebooks, shown_errors
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbformat import from_dict
from sphinx.errors import ExtensionError

PYTHON = {"name": "python", "pygments_lexer": "ipython3"}


def stored_in(page: Path) -> Path:
    return page.parent / "outputs" / f"{page.stem}.json"


def key(cache, notebook) -> str:
    """The cache's key of a notebook: its code and, in its kernel's name, a digest of what the code imports."""
    return cache.create_hashed_notebook(notebook)[1]


def code_cells(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs_of(cell) -> list:
    """A cell's outputs; what one stream wrote in pieces, cut where the machine was busy, is put together."""
    return CoalesceStreamsPreprocessor().preprocess_cell(cell, {}, 0)[0].outputs


def store(cache, page: Path, notebook) -> None:
    """Write the cache's outputs of a page, a line for each cell.

    Raises ExtensionError if they hold a warning, which no reader should meet.
    """
    _, executed = cache.merge_match_into_notebook(notebook)
    if shown_errors(executed):
        raise ExtensionError(f"{page.name}: a cell writes to stderr; mend it before its outputs are stored")
    lines = [
        json.dumps(outputs_of(cell), ensure_ascii=False, sort_keys=True) for cell in code_cells(executed)
    ]
    file = stored_in(page)
    file.parent.mkdir(exist_ok=True)
    beside = file.with_suffix(".new")
    beside.write_text(
        f'{{"key": "{key(cache, notebook)}",\n"outputs": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8"
    )
    beside.replace(file)


def with_stored_outputs(cache, page: Path, notebook):
    """The notebook with its stored outputs, or None where there are none or they are of other code."""
    try:
        stored = json.loads(stored_in(page).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if stored["key"] != key(cache, notebook):
        return None
    for number, (cell, outputs) in enumerate(zip(code_cells(notebook), stored["outputs"], strict=True), 1):
        cell.outputs, cell.execution_count = [from_dict(output) for output in outputs], number
    notebook.metadata["language_info"] = from_dict(PYTHON)  # a kernel says so, and code is coloured by it
    return notebook


def take_stored(app, env, docnames):
    if env.mystnb_config.execution_mode != "cache" or os.environ.get("COURSE_EXECUTE"):
        return
    cache = get_cache(env.mystnb_config.execution_cache_path)
    for page, notebook, cached in notebooks(cache, docnames, app, env):
        if not cached and (executed := with_stored_outputs(cache, page, notebook)) is not None:
            bundle = CacheBundleIn(executed, str(page))
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def read_all(app, env, added, changed, removed):
    """All pages, where outputs are stored: a new module changes the keys of pages that Sphinx knows as unchanged."""
    return env.found_docs if os.environ.get("COURSE_STORE") else ()


def store_all(app, env, docnames):
    if not os.environ.get("COURSE_STORE"):
        return
    cache = get_cache(env.mystnb_config.execution_cache_path)
    pages = {
        page: notebook for page, notebook, cached in notebooks(cache, env.found_docs, app, env) if cached
    }
    for page, notebook in pages.items():
        store(cache, page, notebook)
    for file in Path(app.srcdir, "chapters", "outputs").glob("*.json"):
        if file.stem not in {page.stem for page in pages}:
            file.unlink()


def setup(app):
    app.connect("env-get-outdated", read_all)
    app.connect("env-before-read-docs", take_stored, priority=400)  # before what is missing is executed
    app.connect("env-before-read-docs", store_all, priority=501)  # after it
    return {"parallel_read_safe": True, "parallel_write_safe": True}
