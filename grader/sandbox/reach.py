"""Paths that a worker may read: the Python installation and the system's libraries, never the project."""

from __future__ import annotations

import site
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

SYSTEM = """
    /lib /lib64 /usr/lib /usr/lib64 /usr/local/lib /usr/share/fonts /usr/share/fontconfig /usr/share/zoneinfo
    /etc/fonts /etc/ld.so.cache /etc/localtime /proc/cpuinfo /proc/meminfo /sys/devices/system/cpu
    /dev/random /dev/urandom /dev/zero
""".split()


def import_paths() -> list[str]:
    """The standard library and the installed packages; never a folder that merely lies on this process' path."""
    installed = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    installed += [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    allowed = [Path(path).resolve() for path in installed + _site_packages()]
    allowed.append(Path(sysconfig.get_path("stdlib")).resolve() / "lib-dynload")
    return [path for path in dict.fromkeys(sys.path) if path and Path(path).resolve() in allowed]


def readable(extra: Iterable[str | Path], forbidden: Iterable[str | Path]) -> tuple[list[str], list[str]]:
    """Paths that a worker may read.

    Args:
        extra: folders and files beside Python and the system's libraries.
        forbidden: what stays out of reach even if it lies below one of them.

    Returns:
        Paths that may be read with everything below them, and folders of which only the names may be listed.
    """
    roots = [*import_paths(), f"{sys.base_prefix}/lib", *SYSTEM, *extra]
    barred = [Path(path).resolve() for path in forbidden]
    whole: dict[str, None] = {}
    listed: dict[str, None] = {}
    for root in roots:
        _grant(Path(root).resolve(), barred, whole, listed)
    return list(whole), list(listed)


def project() -> list[Path]:
    """Paths of the project's answers and tests, installed or in a checkout."""
    home = Path(__file__).resolve().parents[2]
    return [home / "grader", home / "solutions"]


def _site_packages() -> list[str]:
    return site.getsitepackages() if hasattr(site, "getsitepackages") else []


def _grant(path: Path, barred: list[Path], whole: dict[str, None], listed: dict[str, None]) -> None:
    if any(path.is_relative_to(bar) for bar in barred) or not path.exists():
        return
    if not any(bar.is_relative_to(path) for bar in barred):
        whole[str(path)] = None
        return
    listed[str(path)] = None
    for child in path.iterdir():
        _grant(child.resolve(), barred, whole, listed)
