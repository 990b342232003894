"""Starts the fork server. Imports no torch: who starts a server early can do so before anything else is loaded."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from . import reach, watch
from .doctor import missing
from .errors import SandboxUnavailable

LOCK = "lock"
PRELOAD = ("numpy.random", "jaxtyping")


@dataclass(frozen=True)
class Warm:
    """A server's connection, and the folder that its workers' folders lie in."""

    base: str
    control: socket.socket


@dataclass(frozen=True)
class Launched:
    """A server that this process has started. It ends when `control` is closed.

    Attributes:
        log: what it says on stderr.
    """

    process: subprocess.Popen
    base: str
    control: socket.socket
    log: IO[bytes]

    def fork(self, number: int, core: int | None = None) -> Warm:
        """Have it fork another server, as soon as it is warm, for a process that has none of its own.

        Args:
            number: a new one for each.
            core: where it and its workers run; anywhere if None.
        """
        ours, theirs = socket.socketpair()
        base = str(Path(self.base, f"server-{number}"))
        with theirs:
            socket.send_fds(
                self.control, [json.dumps({"fork": base, "core": core}).encode() + b"\n"], [theirs.fileno()]
            )
        return Warm(base, ours)


@dataclass(frozen=True)
class Launch:
    """The settings of a server; the attributes are those of `client.Sandbox`."""

    preload: tuple[str, ...] = ()
    packages: dict[str, Path] = field(default_factory=dict)
    unconfined: bool = False

    def start(self) -> Launched:
        """Start a server.

        Raises:
            SandboxUnavailable: a layer of the confinement is missing.
        """
        if lacking := [] if self.unconfined else missing():
            raise SandboxUnavailable("; ".join(f"{layer.name}: {layer.why}" for layer in lacking))
        sweep()
        base, held = new_folder()
        os.chmod(base, 0o711)  # where a worker becomes another user, it must reach its folder
        folders = {name: Path(path).resolve() for name, path in self.packages.items()}
        packages = Path(base, "packages")
        packages.mkdir()
        for name, path in folders.items():
            (packages / name).symlink_to(path)
        readable, listed = reach.readable([packages, *folders.values()], reach.project())
        settings = {
            "paths": [*reach.import_paths(), str(packages)],
            "base": base,
            "preload": [*PRELOAD, *self.preload],
            "readable": readable,
            "listed": listed,
            "confined": not self.unconfined,
        }
        ours, theirs = socket.socketpair()
        log = tempfile.TemporaryFile()
        entry = Path(__file__).with_name("entry.py")
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", str(entry), str(theirs.fileno()), json.dumps(settings)],
                pass_fds=[theirs.fileno(), held],
                env=_environment(base),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd=base,
                start_new_session=True,
            )
        os.close(held)
        return Launched(process, base, ours, log)


def new_folder() -> tuple[str, int]:
    """A folder in the temporary one, and the descriptor that holds it: `sweep` leaves it while that is open."""
    folder = tempfile.mkdtemp(prefix="sandbox-")
    return folder, _hold(folder)


def _hold(base: str) -> int:
    """A lock in a folder, which lasts as long as any server that is given the descriptor, or forked from one."""
    path = Path(base, "new-lock")
    held = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    path.rename(Path(base, LOCK))  # it is never seen without being held
    return held


def sweep(temporary: str | None = None) -> None:
    """Remove the folders of those who were killed before they could do so themselves."""
    for folder in Path(temporary or tempfile.gettempdir()).glob("sandbox-*"):
        with suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            with open(folder / LOCK) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                watch.remove(folder)


def _environment(base: str) -> dict[str, str]:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "attentively" / "matplotlib"
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "HOME": base,
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": str(cache),
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        **one_thread,
    }
