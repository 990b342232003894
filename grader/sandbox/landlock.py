"""Landlock: which files a worker may open. Numbers and structures: linux/landlock.h.

Landlock only ever allows: everything below an allowed folder is allowed. It says nothing about `stat`, `chmod`
and the like; seccomp takes care of those that change something.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from pathlib import Path

_CREATE, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_GET_VERSION, _PATH_BENEATH = 1, 1
_PR_SET_NO_NEW_PRIVS = 38

WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 14
_CHANGE = (
    1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 12
)  # remove folders and files; make folders, files and links
_TCP = 1 << 0 | 1 << 1  # bind, connect
_SCOPES = 1 << 0 | 1 << 1  # abstract sockets, signals

READ = READ_FILE | READ_DIR
USE = READ_FILE | WRITE_FILE | TRUNCATE  # a device such as /dev/null
OWN = READ | WRITE_FILE | TRUNCATE | _CHANGE


def version() -> int:
    """The kernel's Landlock version; 0 where there is none."""
    found = ctypes.CDLL(None, use_errno=True).syscall(_CREATE, None, 0, _GET_VERSION)
    return max(found, 0)


def restrict(rules: list[tuple[Path | str, int]]) -> None:
    """Let this process open nothing but what `rules` (path, rights) allow; paths that do not exist are left out.

    Raises:
        OSError: the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    handled = _handled(version())
    attributes = struct.pack("QQQ", *handled)[: 8 * (1 + (version() >= 4) + (version() >= 6))]
    ruleset = _check(libc.syscall(_CREATE, attributes, len(attributes), 0))
    try:
        for path, rights in rules:
            _allow(libc, ruleset, path, rights & handled[0])
        _check(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        _check(libc.syscall(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def _handled(abi: int) -> tuple[int, int, int]:
    """Rights that this version can forbid: on files, on the network, across processes."""
    files = (1 << 13) - 1
    for since, right in ((2, 1 << 13), (3, TRUNCATE), (5, 1 << 15)):
        files |= right if abi >= since else 0
    return files, _TCP if abi >= 4 else 0, _SCOPES if abi >= 6 else 0


def _allow(libc: ctypes.CDLL, ruleset: int, path: Path | str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= USE
        _check(libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, fd), 0))
    finally:
        os.close(fd)


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"Landlock: {os.strerror(ctypes.get_errno())}")
    return result
