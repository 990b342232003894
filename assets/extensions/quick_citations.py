"""pybtex looks through all installed packages for each citation, though they stay the same: here once."""

from functools import cache

from pybtex import plugin


def setup(app):
    if not hasattr(plugin._load_entry_point, "cache_clear"):
        plugin._load_entry_point = cache(plugin._load_entry_point)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
