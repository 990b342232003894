"""The server's view of a worker from outside, through /proc."""

from __future__ import annotations

import fcntl
import math
import os
import shutil
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

LOCK = "lock"  # in a sandbox's folder
MAX_ENTRIES = 5_000  # in the scratch folder


def threads(pid: int) -> int:
    """The number of a process' threads; 0 if it is gone or /proc does not tell."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[17])
    except (OSError, IndexError):
        return 0


def stored(pid: int, folder: Path) -> float:
    """Bytes in a process' folder and in deleted files that it holds open; infinite past MAX_ENTRIES entries."""
    total, entries = _deleted(pid), 0
    pending = [str(folder)]
    while pending:
        try:
            found = list(os.scandir(pending.pop()))
        except FileNotFoundError:
            continue
        except OSError:  # too deep, or closed to its owner: what lies there cannot be counted
            return math.inf
        entries += len(found)
        if entries > MAX_ENTRIES:
            return math.inf
        for entry in found:
            try:
                about = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            except OSError:
                return math.inf
            total += about.st_blocks * 512
            if stat.S_ISDIR(about.st_mode):
                pending.append(entry.path)
    return total


def _deleted(pid: int) -> int:
    total = 0
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return 0
    for name in names:
        try:
            about = os.stat(f"/proc/{pid}/fd/{name}")
        except OSError:
            continue
        if stat.S_ISREG(about.st_mode) and about.st_nlink == 0:
            total += about.st_blocks * 512
    return total


def remove_unless_held(folder: Path) -> None:
    """Remove a sandbox's folder, if no server lives that holds its lock."""
    with suppress(OSError), open(folder / LOCK) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder, however deep it is and whatever permissions a student has set in it."""
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):  # neither minds paths that are too long
            subprocess.run([*command, "--", folder], check=False, stderr=subprocess.DEVNULL)
