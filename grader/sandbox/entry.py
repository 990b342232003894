"""The file that `python -I -S` starts as the fork server: makes the sandbox's own modules importable, and
nothing else of the project.

torch and other large libraries take most of the start. So that they are loaded once, the client may have a sibling
forked as soon as they are there, before this process knows anything of a notebook: what the judges come from.
"""

import gc
import importlib
import json
import os
import socket
import sys
import traceback
import types
from pathlib import Path


def main() -> None:
    control, sibling, settings = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
    sys.path[:] = settings["paths"]
    package = types.ModuleType("sandbox")
    package.__path__ = [str(Path(__file__).resolve().parent)]
    sys.modules["sandbox"] = package
    from sandbox import large_pages
    from sandbox.server import load, serve

    for name in settings["preload"]:
        load(name)
    gc.collect()
    gc.freeze()  # a collector leaves these objects, and the pages that all share, alone
    large_pages.use()
    if sibling >= 0:
        if os.fork() == 0:
            leave(sibling)
        os.close(sibling)
    serve(control, settings)


def leave(sibling: int) -> None:
    """Become a process of the client's, with its path and environment, and run the function that it names."""
    try:
        os.closerange(3, sibling)
        os.closerange(sibling + 1, os.sysconf("SC_OPEN_MAX"))
        for name in [name for name in sys.modules if name.partition(".")[0] == "sandbox"]:
            del sys.modules[name]
        client = socket.socket(fileno=sibling)
        with client.makefile("rb", buffering=0) as said:
            told = json.loads(said.readline())
        for name, value in told["sys"].items():
            setattr(sys, name, value)
        os.environ.clear()
        os.environ.update(told["environ"])
        os.chdir(told["folder"])
        module, _, function = told["run"].partition(":")
        getattr(importlib.import_module(module), function)(client)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()
