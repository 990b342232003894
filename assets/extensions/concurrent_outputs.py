"""Executes pages whose outputs are not in the cache side by side, before Sphinx reads them one after another.

myst-nb executes a page when Sphinx reads it, and Sphinx reads in parallel only where every extension is safe for it;
two of Jupyter Book's do not say so. What fails here is left out of the cache: myst-nb executes it again and reports it.

With COURSE_OUTPUTS=1 a build ends when this is done: the editions, which share their outputs, are then built at once.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fresh_outputs import marked
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader

MOST = 4  # kernels at once: a chapter may take a gigabyte


def pages_at_once() -> int:
    """The number of pages that keep the cores busy, with `OMP_NUM_THREADS` threads each."""
    threads = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count())
    return max(1, min(MOST, os.cpu_count() // threads))


def notebooks(cache, docnames, app, env):
    """(path, notebook, whether the cache holds it) of every page with cells to execute."""
    excluded = env.mystnb_config.execution_excludepatterns
    for path in (Path(env.doc2path(name)) for name in sorted(docnames)):
        text, _ = marked(path.read_text(encoding="utf-8"), Path(app.srcdir))
        reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
        if reader is None or any(path.match(pattern) for pattern in excluded):
            continue
        notebook = reader.read(text)
        try:
            cache.match_cache_notebook(notebook)
            yield path, notebook, True
        except KeyError:
            yield path, notebook, False


def shown_errors(notebook) -> bool:
    """True if a cell has written to stderr."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return any(output.get("name") == "stderr" for output in outputs)


def fill_cache(app, env, docnames):
    config = env.mystnb_config
    if config.execution_mode != "cache" or pages_at_once() == 1:
        return
    cache = get_cache(config.execution_cache_path)
    pages = [page[:2] for page in notebooks(cache, docnames, app, env) if not page[2]]

    def execute(page):
        path, notebook = page
        return path, single_nb_execution(
            notebook,
            cwd=str(path.parent),
            timeout=config.execution_timeout,
            allow_errors=False,
            extra_arguments=["--log-level=ERROR"],  # else each kernel warns that it talks over TCP
        )

    with ThreadPoolExecutor(pages_at_once()) as pool:
        # The last pages train models: begun last, one of them would keep the others waiting.
        for path, result in pool.map(execute, reversed(pages)):
            if result.err is None:
                bundle = CacheBundleIn(result.nb, str(path), data={"execution_seconds": result.time})
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def end(app, env, docnames):
    if os.environ.get("COURSE_OUTPUTS"):
        sys.exit()


def setup(app):
    app.connect("env-before-read-docs", fill_cache)
    app.connect("env-before-read-docs", end, priority=502)  # after fill_cache, and after outputs are stored
    return {"parallel_read_safe": True, "parallel_write_safe": True}
