"""The layers that this machine offers for the confinement of a worker."""

from __future__ import annotations

import os
import platform
import sys
from typing import NamedTuple

from . import landlock, seccomp

STATUS = "/proc/self/status"


class Layer(NamedTuple):
    """One layer: whether this machine has it, and what that means."""

    name: str
    available: bool
    why: str
    required: bool = True


def doctor() -> list[Layer]:
    """The layers of the confinement, outermost first."""
    if sys.platform != "linux":
        return [
            Layer("linux", False, f"{platform.system()} has neither Landlock nor seccomp; grade on Linux")
        ]
    return [_landlock(), _network(), _scopes(), _seccomp(), _privileges(), _limits()]


def missing() -> list[Layer]:
    """The layers without which nothing is graded."""
    return [layer for layer in doctor() if layer.required and not layer.available]


def _landlock() -> Layer:
    version = landlock.version()
    if not version:
        why = "the kernel lacks Landlock (5.13 or later, `landlock` among its LSMs)"
        if _filtered():  # then a kernel that has it answers as one that has not
            why += ", or the system calls of this container or service are filtered: an older Docker, SystemCallFilter="
        return Layer("landlock", False, why)
    if version < 3:
        # Before version 3 a file that may not be written can still be emptied by path; seccomp refuses that.
        return Layer("landlock", True, f"version {version}: files, with seccomp's help")
    return Layer("landlock", True, f"version {version}: files")


def _filtered() -> bool:
    """True if somebody has put this process under a seccomp filter."""
    try:
        with open(STATUS) as file:
            return "Seccomp:\t2" in file.read()
    except OSError:
        return False


def _network() -> Layer:
    if landlock.version() >= 4:
        return Layer("landlock network", True, "TCP is refused a second time, after seccomp", required=False)
    return Layer(
        "landlock network", False, "version 4 refuses TCP; seccomp alone refuses sockets", required=False
    )


def _scopes() -> Layer:
    if landlock.version() >= 6:
        return Layer("landlock scopes", True, "signals and abstract sockets stay inside", required=False)
    return Layer(
        "landlock scopes", False, "version 6 keeps signals inside; seccomp alone does", required=False
    )


def _seccomp() -> Layer:
    why = seccomp.available()
    return Layer("seccomp", not why, why or f"system calls are filtered ({platform.machine()})")


def _privileges() -> Layer:
    if os.geteuid() == 0:
        return Layer(
            "privileges", True, "root: workers become nobody, or keep the user without any capability"
        )
    return Layer(
        "privileges", True, f"user {os.geteuid()}: workers have no more than that user, and no way up"
    )


def _limits() -> Layer:
    if os.path.exists("/proc/self/statm"):
        return Layer(
            "limits", True, "memory, processor time, files; threads and the scratch folder are watched"
        )
    return Layer(
        "limits", False, "/proc is not mounted: memory, threads and the scratch folder have no limit"
    )
