"""One notebook in one worker, as the judge sees it: what its cells showed, what it is asked, how it ended."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .decode import Reader
from .errors import (
    MissingName,
    SandboxError,
    ServerDied,
    WorkerDied,
    WorkerKilled,
    WorkerTimeout,
    raised_by_student,
)
from .frames import Closed, Frames, Late
from .limits import Limits
from .outputs import clean_outputs
from .standin import Handle, Student
from .wire import Reference, WireError, Writer

# Forgetting runs the student's destructors, so it is seldom asked for, and never between two questions by default.
FORGET_AT_ONCE = 100


@dataclass(frozen=True)
class Record:
    """A worker's end.

    Attributes:
        status: exit status, or None where a signal ended it.
        signal: number of that signal, or None.
        reason: the limit for which the server ended it, or "".
    """

    status: int | None
    signal: int | None
    cpu_seconds: float
    wall_seconds: float
    peak_memory_mb: float
    reason: str


@dataclass(frozen=True)
class CellRun:
    """One cell: its outputs (nbformat 4), the name of the error's class or None, and the seconds it took."""

    outputs: list[dict]
    error: str | None
    seconds: float


class Keeper(Protocol):
    """The starter of a run's worker, who also ends it: the fork server's client."""

    def kill(self, number: int) -> None: ...

    def leave(self, number: int) -> None:
        """End a run whose record nobody wants."""

    def record(self, number: int) -> Record | None:
        """The record of how a run ended; None if nobody can say."""


class Run:
    """One notebook in one worker.

    Attributes:
        cells: what each cell showed.
        student: the notebook's names, as the suites use them.
        record: how the worker ended; None while it runs.
        failure: why it can be asked nothing more; None while it can.
    """

    def __init__(self, keeper: Keeper, number: int, connection: socket.socket, limits: Limits):
        connection.setblocking(False)
        self._keeper, self._number, self._connection = keeper, number, connection
        self._frames = Frames(connection.fileno())
        self._limits, self._left = limits, limits.wall
        self._request = 0
        self._callbacks: list[Callable] = []
        self._dropped: list[int] = []
        self._ready = False
        self.failure: WorkerDied | WorkerTimeout | None = None
        self.cells: list[CellRun] = []
        self.record: Record | None = None
        self.student = Student(self)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker, if it still runs, and complete `record`."""
        self._fail(WorkerDied, "the run is closed")

    def leave(self) -> None:
        """End the worker without waiting for it; there will be no `record`."""
        self.failure = self.failure or WorkerDied("the run is closed")
        if self._connection.fileno() >= 0:
            self._connection.close()
            self._keeper.leave(self._number)

    def _run_cells(self, cells: Sequence[str], checks: Mapping[int, str]) -> None:
        for index, code in enumerate(cells):
            try:
                answer = self.ask("cell", code, checks.get(index), seconds=self._left)
                self.cells.append(_cell_run(answer))
            except (WorkerDied, WorkerTimeout) as failure:
                failure.cell, failure.cells = index, self.cells
                raise
            except Exception as error:
                # The cell's own errors are among its outputs; this one comes from broken machinery around it.
                self.cells.append(CellRun([], type(error).__name__, 0.0))

    def ask(self, operation: str, *arguments: Any, seconds: float | None = None) -> Any:
        """One request to the worker.

        Args:
            seconds: how long its answer may take; a call's limit if None.

        Raises:
            WorkerDied, WorkerTimeout: no answer, or none that follows the protocol.
            MissingName: `operation` is "name" and the notebook does not define it.
            Exception: what the student's code raised, as the same builtin class.
            WireError: an argument cannot cross.
        """
        if len(self._dropped) >= FORGET_AT_ONCE:
            dropped, self._dropped = self._dropped, []
            self.ask("drop", dropped)
        self._request += 1
        number = self._request
        self._send((number, operation, *arguments))
        # The judge's own functions count as well: a worker may call them back without end.
        deadline = time.monotonic() + (self._limits.call if seconds is None else seconds)
        while True:
            match self._receive(deadline):
                case (int(sent), "value", value) if sent == number:
                    return value
                case (int(sent), "missing") if sent == number:
                    raise MissingName(str(arguments[0]))
                case (int(sent), "error", [*kinds], str(message), str(trace)) if sent == number:
                    raise raised_by_student([str(kind) for kind in kinds], message[:2_000], trace[:20_000])
                case (None, "ready"):
                    self._ready = True
                case (None, "callback", int(index), tuple(args), dict(kwargs)):
                    self._call_back(index, args, kwargs)
                case _:
                    raise self._fail(WorkerDied, "the process broke the protocol")

    def forget(self, number: int) -> None:
        """Tell the worker, some time, that an object of its is not needed any more."""
        self._dropped.append(number)

    def _call_back(self, index: int, args: tuple, kwargs: dict) -> None:
        if not 0 <= index < len(self._callbacks):
            raise self._fail(WorkerDied, "the process broke the protocol")
        try:
            reply = ("return", self._callbacks[index](*args, **kwargs))
        except SandboxError:
            raise
        except Exception as error:
            reply = ("raise", type(error).__name__, str(error))
        self._send((None, *reply))

    def _send(self, message: tuple) -> None:
        payload = Writer(self._refer).encode(message)
        if self.failure:
            raise self.failure
        try:
            self._frames.send(payload, time.monotonic() + self._left)
        except Closed:
            raise self._ended() from None
        except Late:
            raise self._fail(WorkerTimeout, "the process does not listen") from None

    def _receive(self, deadline: float) -> Any:
        """The worker's next message."""
        began = time.monotonic()
        try:
            frame = self._frames.receive(min(deadline, began + self._left))
            return Reader(frame, self._resolve).decode()
        except Closed:
            raise self._ended() from None
        except Late:
            raise self._fail(WorkerTimeout, "the time for an answer is over") from None
        except WireError as error:
            raise self._fail(WorkerDied, f"the process broke the protocol: {error}") from None
        finally:
            self._left -= time.monotonic() - began

    def _refer(self, value: Any) -> Reference:
        if isinstance(value, Handle):
            if value.__run__ is not self:
                raise WireError("an object of another run")
            return Reference(Reference.HANDLE, value.__number__)
        if callable(value):
            if value not in self._callbacks:
                self._callbacks.append(value)
            return Reference(Reference.CALLBACK, self._callbacks.index(value))
        raise WireError(f"a {type(value).__name__} cannot be handed to the student's code")

    def _resolve(self, reference: Reference) -> Handle:
        if reference.kind != Reference.HANDLE:
            raise WireError("a function of the judge's came back")
        return Handle(self, reference.number, reference.description)

    def _ended(self) -> SandboxError:
        """The failure of a worker whose connection has closed, explained by its record."""
        return self._fail(*_explain(self._finish(), self._limits, self._ready))

    def _fail(self, kind: type[SandboxError], reason: str) -> SandboxError:
        """Remember why the run is over, end the worker, and give the error to raise."""
        self.failure = self.failure or kind(reason)
        self._finish()
        return self.failure

    def _finish(self) -> Record | None:
        if self._connection.fileno() >= 0:
            self._connection.close()
            self._keeper.kill(self._number)
            self.record = self._keeper.record(self._number)
        return self.record


def _explain(record: Record | None, limits: Limits, ready: bool) -> tuple[type[SandboxError], str]:
    """The kind of a failure and its reason.

    Args:
        ready: the worker was confined, and had begun to run what it was given.
    """
    if record is None:
        return ServerDied, "the sandbox's server died"
    if not ready:
        return ServerDied, f"the sandbox does not start (status {record.status}, signal {record.signal})"
    if record.reason:
        return WorkerDied, record.reason
    spent = record.signal == signal.SIGKILL and record.cpu_seconds > 0.9 * limits.cpu
    if record.signal == signal.SIGXCPU or spent:
        return WorkerTimeout, f"the process used {record.cpu_seconds:.0f} seconds of processor time"
    if record.signal is not None:
        kind = WorkerKilled if record.signal == signal.SIGKILL else WorkerDied
        return kind, f"the process was ended by {signal.Signals(record.signal).name}"
    return WorkerDied, f"the process ended itself with status {record.status}"


def _cell_run(answer: Any) -> CellRun:
    """A cell's result, as far as it is one: it comes from the student's process."""
    match answer:
        case (list(outputs), None | str() as error, float(seconds)):
            return CellRun(clean_outputs(outputs), error and error[:200], max(0.0, seconds))
    return CellRun([], "RuntimeError", 0.0)
