"""The judge's side: has a fork server, runs notebooks in its workers, and outlives whatever they do."""

from __future__ import annotations

import json
import select
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from .errors import SandboxUnavailable, ServerDied
from .launch import Launch, Warm
from .limits import Limits
from .run import Record, Run

START_SECONDS = 300
EXIT_SECONDS = 10


class Sandbox:
    """A warm process that forks a confined worker for each run; started anew when it has died.

    Args:
        limits: for every run that is given none of its own.
        preload: what else to import once, before the first fork: "module" or "module:name".
        packages: what else a notebook may import: name to folder, readable as a whole.
        unconfined: run even where this machine cannot confine a worker.
        warm: a server that another process has started for this one.

    Raises:
        SandboxUnavailable: a layer of the confinement is missing, or the server does not start.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        preload: Sequence[str] = (),
        packages: dict[str, Path] | None = None,
        unconfined: bool = False,
        warm: Warm | None = None,
    ):
        self.limits = limits or Limits()
        self._launch = Launch(tuple(preload), packages or {}, unconfined)
        self._process: subprocess.Popen | None = None
        self._number = 0
        self._left: set[int] = set()  # runs whose records nobody wants
        if warm is None or not self._attach(warm):
            self._start()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self, cells: Sequence[str], limits: Limits | None = None, checks: Mapping[int, str] | None = None
    ) -> Run:
        """Run a notebook's cells in a new worker, going on after an error.

        Args:
            limits: for this run; the server's if None.
            checks: which question a cell checks, by the cell's number: its answer is what it is then.

        Raises:
            WorkerDied, WorkerTimeout: the worker ended while a cell ran.
            SandboxUnavailable: the server has died and does not start again.
            ServerDied: it has died twice.
        """
        try:
            return self._run(cells, limits or self.limits, checks or {})
        except ServerDied:
            self._stop()
            self._start()
            return self._run(cells, limits or self.limits, checks or {})

    def _run(self, cells: Sequence[str], limits: Limits, checks: Mapping[int, str]) -> Run:
        ours, theirs = socket.socketpair()
        with theirs:
            number = self._fork(theirs, limits, draws=any("matplotlib" in cell for cell in cells))
        run = Run(self, number, ours, limits)
        try:
            run._run_cells(cells, checks)
        except BaseException:
            run.close()
            raise
        return run

    def close(self) -> None:
        self._stop()

    def _attach(self, warm: Warm) -> bool:
        """Take over a warm server; False if it does not answer."""
        self._base, self._control, self._buffer, self._records = warm.base, warm.control, b"", {}
        if self._hear(lambda message: "ready" in message, START_SECONDS):
            return True
        self._stop()
        return False

    def _start(self) -> None:
        launched = self._launch.start()
        self._process, self._log = launched.process, launched.log
        self._base, self._control, self._buffer, self._records = launched.base, launched.control, b"", {}
        if not self._hear(lambda message: "ready" in message, START_SECONDS):
            said = launched.last_words()
            self._stop()
            raise SandboxUnavailable(f"the sandbox's server does not start: {said}")

    def _stop(self) -> None:
        self._control.close()
        if self._process is not None:
            try:
                self._process.wait(EXIT_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._log.close()
            shutil.rmtree(self._base, ignore_errors=True)
        self._process = None

    def _fork(self, theirs: socket.socket, limits: Limits, draws: bool) -> int:
        self._number += 1
        message = {"run": self._number, "limits": asdict(limits), "draws": draws}
        line = json.dumps(message).encode() + b"\n"
        try:
            socket.send_fds(self._control, [line], [theirs.fileno()])
        except OSError:
            raise ServerDied("the sandbox's server died") from None
        return self._number

    def kill(self, number: int) -> None:
        try:
            self._control.sendall(json.dumps({"kill": number}).encode() + b"\n")
        except OSError:
            pass  # the server is dead, and its workers with it

    def leave(self, number: int) -> None:
        """End a run whose record nobody wants."""
        self._left.add(number)
        self.kill(number)
        # What nobody waits for is read as well: a server that says how some 280 runs ended, unheard, would wait for ever.
        self._hear(lambda message: False, 0)

    def record(self, number: int) -> Record | None:
        """A run's record; None if the server died before it could say so, or does not answer and is killed."""
        if number not in self._records:
            if not self._hear(lambda message: message.get("exited") == number, EXIT_SECONDS):
                self._give_up()
                return None
        message = self._records.pop(number)
        return Record(**{name: value for name, value in message.items() if name != "exited"})

    def _give_up(self) -> None:
        """Make sure that a server which does not answer is not asked again."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        else:
            self._control.close()

    def _hear(self, wanted: Callable[[dict], bool], seconds: float) -> bool:
        """Read the server's messages until the wanted one; False when it does not come."""
        deadline = time.monotonic() + seconds
        while True:
            *lines, self._buffer = self._buffer.split(b"\n")
            messages = [json.loads(line) for line in lines]
            exited = {message["exited"]: message for message in messages if "exited" in message}
            self._records.update({n: exited[n] for n in exited.keys() - self._left})
            self._left -= exited.keys()
            if any(map(wanted, messages)):
                return True
            readable, _, _ = select.select([self._control], [], [], max(0, deadline - time.monotonic()))
            try:
                data = self._control.recv(1 << 16) if readable else b""
            except OSError:
                data = b""
            if not data:
                return False
            self._buffer += data
