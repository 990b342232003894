"""Large pages for what all workers share: to fork one, and to end it, is to go through a table 512 times as short."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from pathlib import Path

_SIZE = 2 << 20  # bytes
_COLLAPSE = 25  # MADV_COLLAPSE, of Linux 6.1


def use() -> None:
    """Put the memory of this process on large pages as far as the kernel has them; the rest stays where it is.

    A worker that writes into one gets a copy of 4 KB, as from others.
    """
    if sys.platform != "linux":
        return
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    maps = ""
    with suppress(OSError):
        maps = Path("/proc/self/maps").read_text()
    for line in maps.splitlines():
        addresses, rights, _, _, inode, *_ = line.split()
        begin, end = (int(address, 16) for address in addresses.split("-"))
        begin, end = -(-begin // _SIZE) * _SIZE, end // _SIZE * _SIZE
        if rights == "rw-p" and inode == "0" and begin < end:
            advise(begin, end - begin, _COLLAPSE)
