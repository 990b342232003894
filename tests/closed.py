"""A folder that nobody here may enter."""

import os
from functools import partial


def closed_to_us(monkeypatch, folder):
    """As a folder of somebody else's is, but also to root."""
    scandir, opened = os.scandir, open

    def refused(path, *about, call):
        if str(path) == str(folder):
            raise PermissionError(13, "Permission denied", str(folder))
        return call(path, *about)

    monkeypatch.setattr(os, "scandir", lambda path=".": refused(path, call=scandir))
    monkeypatch.setattr(
        "builtins.open", lambda path, *about, **more: refused(path, *about, call=partial(opened, **more))
    )
