"""The file that `python -I -S` starts as the fork server: makes the sandbox's own modules importable, and
nothing else of the project."""

import json
import sys
import types
from pathlib import Path


def main() -> None:
    control, settings = int(sys.argv[1]), json.loads(sys.argv[2])
    sys.path[:] = settings["paths"]
    package = types.ModuleType("sandbox")
    package.__path__ = [str(Path(__file__).resolve().parent)]
    sys.modules["sandbox"] = package
    from sandbox.server import serve

    serve(control, settings)


if __name__ == "__main__":
    main()
