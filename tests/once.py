"""What all workers of a run share: the first that needs it makes it, as pytest-xdist's guide does."""

import os

from filelock import FileLock


def once(tmp_path_factory, name, make):
    """The folder `name`, made by `make(folder)` in one worker. Nobody may change what is in it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, made = shared / name, shared / f"{name}.made"
    with FileLock(shared / f"{name}.lock"):
        if not made.exists():
            # what a failed attempt has left would be in the way of the next worker's
            if folder.exists():
                raise RuntimeError(f"{folder} could not be made by another worker; its error says why")
            folder.mkdir()
            make(folder)
            made.touch()
    return folder
