"""Pyodide's distribution as far as a check at home needs it, in build/pyodide/distribution.

npm's package has Python itself and the list of all packages; the packages come from PyPI, in the list's versions where
it has them. What a browser asks for and checks is as at the real address, but for their digests.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

from packaging.utils import canonicalize_name, parse_wheel_filename

NEEDED = ("ipython", "msgspec", "pytest")  # as assets/static/solve/worker.js asks for them
NO_WHEEL = ("atomicwrites",)  # on PyPI as a source alone
BUILD = Path("build/pyodide")
TAGS = {
    "python-version": "3.14",
    "implementation": "cp",
    "abi": "cp314",
    "platform": "pyemscripten_2026_0_wasm32",
}
PLATFORM = [part for name, value in TAGS.items() for part in (f"--{name}", value)]


def with_dependencies(packages: dict[str, dict], names: tuple[str, ...]) -> list[str]:
    found, waiting = {}, list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in found:
            found[name] = True
            waiting += packages[name]["depends"]
    return list(found)


def fetch(packages: list[dict], to: Path) -> None:
    """The wheels of packages of the list; of those that are compiled there are only the newest."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--quiet"]
    wheels, sources = [], []
    for one in packages:
        pinned = f"{one['name']}=={one['version']}"
        pure = one["file_name"].endswith("-none-any.whl")
        (sources if one["name"] in NO_WHEEL else wheels).append(pinned if pure else one["name"])
    download = [*pip, "download", "--no-deps", "--only-binary=:all:", *PLATFORM, "--dest", to]
    subprocess.run([*download, *wheels], check=True)
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", to, *sources], check=True)


def main() -> None:
    fresh, to = BUILD / "distribution.new", BUILD / "distribution"
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.copytree(
        BUILD / "node_modules" / "pyodide", fresh, ignore=shutil.ignore_patterns("*.map", "*.html")
    )
    path = fresh / "pyodide-lock.json"
    lock = json.loads(path.read_text(encoding="utf-8"))
    packages = [lock["packages"][name] for name in with_dependencies(lock["packages"], NEEDED)]
    fetch(packages, fresh)
    wheels = {parse_wheel_filename(wheel.name)[0]: wheel for wheel in fresh.glob("*.whl")}
    for package in packages:
        wheel = wheels[canonicalize_name(package["name"])]
        package["file_name"] = wheel.name
        package["version"] = str(parse_wheel_filename(wheel.name)[1])
        package["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
    path.write_text(json.dumps(lock), encoding="utf-8")
    shutil.rmtree(to, ignore_errors=True)
    fresh.rename(to)


if __name__ == "__main__":
    main()
