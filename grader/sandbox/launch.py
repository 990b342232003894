"""Starts the fork server. Imports no torch: who starts a server early can do so before anything else is loaded."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import subprocess
import sys
import tempfile
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from . import reach, watch
from .doctor import missing
from .errors import SandboxUnavailable

EXIT_SECONDS = 10
PRELOAD = ("numpy.random", "jaxtyping")
begin = subprocess.Popen  # the project's tests fork from a process that has torch already (tests/loaded.py)


@dataclass(frozen=True)
class Warm:
    """A server's connection, and the folder that its workers' folders lie in."""

    base: str
    control: socket.socket


@dataclass(frozen=True)
class Launched:
    """A server that this process has started. It ends when `control` is closed.

    Attributes:
        log: what it, and whatever is forked from it, says on stderr.
        sibling: the connection to a process that was forked from it before it was a server, if one was asked for.
    """

    process: subprocess.Popen
    base: str
    control: socket.socket
    log: IO[bytes]
    sibling: socket.socket | None = None

    def ask(self, said: bytes, *given: socket.socket) -> bytes:
        """Say something to the sibling, with connections for it to keep; its answer.

        Raises:
            OSError: it is gone.
        """
        socket.send_fds(self.sibling, [said], [end.fileno() for end in given])
        if not (answer := self.sibling.recv(64)):
            raise ConnectionResetError("the process has ended")
        return answer

    def last_words(self) -> str:
        """The last line that it has said on stderr."""
        self.log.seek(0)
        said = self.log.read().decode(errors="replace").strip().splitlines()
        return (said or ["no answer"])[-1]

    def close(self) -> None:
        """End the server, and the sibling, and wait for that: whatever it has forked ends before it."""
        self.control.close()
        if self.sibling:
            with self.sibling, suppress(OSError):
                self.sibling.shutdown(socket.SHUT_WR)
                self.sibling.settimeout(EXIT_SECONDS)
                while self.sibling.recv(64):
                    pass

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

    def start(self, sibling: str = "") -> Launched:
        """Start a server.

        Args:
            sibling: "module:function", which runs with its end of a connection in another process of this one's path
                and environment, with torch loaded already.

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
            "held": held,
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
        near, far = socket.socketpair() if sibling else (None, None)
        given = [end.fileno() if end else -1 for end in (theirs, far)]
        with theirs, far or nullcontext():
            process = begin(
                [sys.executable, "-I", "-S", "-B", str(entry), *map(str, given), json.dumps(settings)],
                pass_fds=[held, *(fd for fd in given if fd >= 0)],
                env=_environment(base),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd=base,
                start_new_session=True,
            )
        os.close(held)
        if sibling:
            near.sendall(json.dumps(_own_surroundings(sibling)).encode() + b"\n")
        return Launched(process, base, ours, log, near)


def new_folder() -> tuple[str, int]:
    """A folder in the temporary one, and the descriptor that holds it: `sweep` leaves it while that is open."""
    folder = tempfile.mkdtemp(prefix="sandbox-")
    return folder, _hold(folder)


def _hold(base: str) -> int:
    """A lock in a folder, which lasts as long as any server that is given the descriptor, or forked from one."""
    path = Path(base, "new-lock")
    held = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    path.rename(Path(base, watch.LOCK))  # it is never seen without being held
    return held


def sweep(temporary: str | None = None) -> None:
    """Remove the folders of those who were killed before they could do so themselves."""
    for folder in Path(temporary or tempfile.gettempdir()).glob("sandbox-*"):
        with suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            watch.remove_unless_held(folder)


def _own_surroundings(run: str) -> dict:
    """The path and environment of this process, for one that becomes another of its kind (see `entry.leave`)."""
    own = {name: getattr(sys, name) for name in ("path", "prefix", "exec_prefix", "dont_write_bytecode")}
    own["path"] = [*own["path"], str(Path(__file__).resolve().parents[2])]
    return {"run": run, "sys": own, "environ": dict(os.environ), "folder": os.getcwd()}


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
