"""Confinement: the rights that a freshly forked worker gives up before it runs a student's code."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
from pathlib import Path

from . import landlock, seccomp

NOBODY = 65534
_CAPSET_VERSION = 0x20080522
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL = 1, 24, 47, 4
OPEN_FILES = 256


def confine(fd: int, scratch: Path, limits: dict, settings: dict) -> None:
    """Keep nothing of the server but the descriptor `fd` and the folder `scratch`.

    Raises:
        OSError: a layer cannot be put on; the worker must not go on.
    """
    _leave_server(fd)
    os.chdir(scratch)
    os.environ.update(HOME=str(scratch), TMPDIR=str(scratch))
    _limit(limits)
    if sys.platform != "linux":
        return
    if settings["confined"]:
        landlock.restrict(rules(scratch, settings))
    drop_privileges(settings["user"])
    _die_with(os.getppid())
    if settings["confined"]:
        seccomp.install()


def rules(scratch: Path, settings: dict) -> list[tuple[Path | str, int]]:
    return [
        *((path, landlock.READ) for path in settings["readable"]),
        *((path, landlock.READ_DIR) for path in settings["listed"]),
        ("/dev/null", landlock.USE),
        (scratch, landlock.OWN),
    ]


def drop_privileges(user: int | None) -> None:
    """As root: become `user` where one is given, and in any case give every capability up."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL, 0, 0, 0)
    for capability in range(64):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    if libc.capset(struct.pack("Ii", _CAPSET_VERSION, 0), bytes(24)):
        raise OSError(ctypes.get_errno(), "the capabilities cannot be given up")


def _leave_server(fd: int) -> None:
    """A session of its own, the server's signals forgotten, no descriptor but `fd` and three empty ones."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL if number != signal.SIGPIPE else signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    highest = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    os.closerange(3, fd)
    os.closerange(fd + 1, highest if highest > 0 else 1 << 20)


def _limit(limits: dict) -> None:
    megabyte = 1 << 20
    wanted = {
        # Of one file; the folder as a whole is watched by the server.
        "FSIZE": limits["scratch_mb"] * megabyte,
        "NOFILE": OPEN_FILES,
        "CORE": 0,
        "MEMLOCK": 0,
        "MSGQUEUE": 0,
    }
    if inherited := _address_space():
        wanted["AS"] = inherited + limits["memory_mb"] * megabyte
    for name, value in wanted.items():
        if (number := getattr(resource, f"RLIMIT_{name}", None)) is not None:
            hard = resource.getrlimit(number)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(number, (value, value))
    # First a signal that says why; a student who catches it is killed a second later.
    seconds = max(1, round(limits["cpu"]))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def _address_space() -> int:
    """Bytes of address space that this process has; 0 where /proc does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def _die_with(parent: int) -> None:
    """Let the kernel end this process when its parent, the server, ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent or parent == 1:
        os._exit(0)
