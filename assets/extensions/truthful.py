"""A build with a warning is not remembered: the next one reads every page again, and warns again until it is mended.

Sphinx keeps what it has read, and myst-nb what was executed; a page that is not read again does not warn again, and a
build that has failed would succeed by being repeated. Outputs that hold something from stderr leave the cache, so that
their page is executed again: what it complained of, a missing font perhaps, may be there by now.
"""

from pathlib import Path

from concurrent_outputs import shown_errors
from jupyter_cache import get_cache


def forget(app, exception):
    if not app._warncount and exception is None:
        return
    Path(app.doctreedir, "environment.pickle").unlink(missing_ok=True)
    if app.env is not None and app.env.mystnb_config.execution_mode == "cache":
        cache = get_cache(app.env.mystnb_config.execution_cache_path)
        for record in cache.list_cache_records():
            if shown_errors(cache.get_cache_bundle(record.pk).nb):
                cache.remove_cache(record.pk)


def setup(app):
    app.connect("build-finished", forget)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
