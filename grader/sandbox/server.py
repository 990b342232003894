"""The fork server: imports the heavy libraries once, then forks a worker for each run.

It runs in a process of its own, started by `entry`, so that nothing of the judge is in the memory that the
workers inherit. It computes nothing and starts no thread.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
from pathlib import Path

import numpy
import torch
from torch.utils._device import _device_constructors

from . import shell, watch
from .confine import NOBODY, confine, drop_privileges
from .missing import do_without
from .moments import Moments
from .surroundings import Surroundings
from .worker import Worker, install_stand_in

TICK = 0.02  # seconds between two looks at the workers


def serve(control: int, settings: dict) -> None:
    """Fork workers until the client is gone."""
    server = Server(socket.socket(fileno=control), settings)
    try:
        server.serve()
    finally:
        server.stop()


class Server:
    """Talks to the client in lines of JSON; the worker's socket comes along with a `run` line."""

    def __init__(self, control: socket.socket, settings: dict):
        self._control = control
        self._settings = settings
        self._base = Path(settings["base"])
        self._workers: dict[int, Child] = {}  # by pid
        self._fds: list[int] = []
        self._buffer = b""
        self._wake = self._wake_on_exits()
        torch.set_num_threads(1)
        install_stand_in()
        do_without()
        self._surroundings = Surroundings()
        settings["user"] = unprivileged_user()
        self._shell = shell.make_shell(str(self._base))
        shell.warm(self._shell)
        _device_constructors()  # nearly every answer is looked at with them: found once, and loaded with their module
        # Made here, not in each worker: it goes through all modules, and what a worker touches is copied for it.
        self._moments = Moments(self._shell.user_ns)
        torch.manual_seed(0)  # the same notebook gives the same answers
        numpy.random.seed(0)
        gc.collect()
        gc.freeze()  # what has come since the entry

    def serve(self) -> None:
        self._say(ready=True)
        while True:
            readable, _, _ = select.select(
                [self._control, self._wake], [], [], TICK if self._workers else None
            )
            if self._wake in readable:
                os.read(self._wake, 4096)
            self._reap()
            if self._control in readable and not self._listen():
                return
            for child in self._workers.values():
                child.watch()

    def stop(self) -> None:
        for child in self._workers.values():
            child.kill("")
            os.waitpid(child.pid, 0)
            watch.remove(child.scratch)
        # Servers that were forked from one share its folder: the last takes it along.
        shared = Path(self._settings["base"])
        if self._base != shared:
            watch.remove(self._base)
        os.close(self._settings["held"])
        watch.remove_unless_held(shared)

    def _wake_on_exits(self) -> int:
        """A descriptor that becomes readable when a worker has ended."""
        wake, signalled = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(signalled, False)
        signal.set_wakeup_fd(signalled, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        return wake

    def _listen(self) -> bool:
        """Handle what the client says; False when it is gone."""
        data, fds, _, _ = socket.recv_fds(self._control, 1 << 16, 8)
        self._fds += fds
        if not data:
            return False
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if message.get("draws"):  # few notebooks do: loaded for the first of them, and all that follow
                load("matplotlib.pyplot")
            if "run" in message:
                self._start(message["run"], message["limits"])
            if "fork" in message and self._fork(message["fork"], message["core"]):
                return True
            for child in self._workers.values():
                if child.number == message.get("kill"):
                    child.kill("")
        return True

    def _fork(self, base: str, core: int | None) -> bool:
        """Fork a server, as warm as this one, for another client; True in the new one."""
        control = socket.socket(fileno=self._fds.pop(0))
        if os.fork():
            control.close()
            return False
        if core is not None:
            os.sched_setaffinity(0, {core})
        self._control.close()
        for fd in self._fds:
            os.close(fd)
        self._control, self._fds, self._buffer, self._workers = control, [], b"", {}
        self._wake = self._wake_on_exits()
        self._base = Path(base)
        self._base.mkdir()
        self._base.chmod(0o711)
        self._say(ready=True)
        return True

    def _start(self, number: int, limits: dict) -> None:
        fd = self._fds.pop(0)
        scratch = self._base / f"run-{number}"
        scratch.mkdir(mode=0o700)
        if (user := self._settings["user"]) is not None:
            os.chown(scratch, user, user)
        pid = os.fork()
        if pid == 0:
            self._become_worker(fd, limits, scratch)
        os.close(fd)
        self._workers[pid] = Child(pid, number, limits, scratch)

    def _become_worker(self, fd: int, limits: dict, scratch: Path) -> None:
        log = sys.stderr
        try:
            output = int(limits["output_mb"] * (1 << 20))
            worker = Worker(fd, self._shell, self._moments, self._surroundings, output)
            confine(fd, scratch, limits, self._settings)
            sys.path.insert(0, "")  # a notebook's own modules, as in Jupyter
            worker.serve()
        except BaseException as error:
            print(f"worker: {type(error).__name__}: {error}", file=log, flush=True)
        finally:
            os._exit(70)

    def _reap(self) -> None:
        while self._workers:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            child = self._workers.pop(pid, None)
            if child is None:
                continue
            watch.remove(child.scratch)
            self._say(
                exited=child.number,
                status=os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
                signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
                cpu_seconds=usage.ru_utime + usage.ru_stime,
                wall_seconds=time.monotonic() - child.began,
                peak_memory_mb=usage.ru_maxrss / 1024,
                reason=child.reason,
            )

    def _say(self, **message) -> None:
        self._control.sendall(json.dumps(message).encode() + b"\n")


def load(name: str) -> None:
    """Import "module", or "module:name": large libraries load what is behind a name only when it is asked for."""
    module, _, attribute = name.partition(":")
    loaded = importlib.import_module(module)
    if attribute:
        getattr(loaded, attribute)


class Child:
    """A worker as its parent sees it."""

    def __init__(self, pid: int, number: int, limits: dict, scratch: Path):
        self.pid, self.number, self.scratch = pid, number, scratch
        self.began = time.monotonic()
        self.reason = ""
        self._threads, self._scratch_mb = limits["threads"], limits["scratch_mb"]

    def watch(self) -> None:
        """Kill the worker once it is past a limit that the kernel does not hold."""
        if watch.threads(self.pid) > self._threads:
            self.kill(f"the process started more than {self._threads} threads")
        if watch.stored(self.pid, self.scratch) > self._scratch_mb << 20:
            self.kill(f"the process stored more than {self._scratch_mb} MB in files")

    def kill(self, reason: str) -> None:
        self.reason = self.reason or reason
        os.kill(self.pid, signal.SIGKILL)


def unprivileged_user() -> int | None:
    """The user that workers become where the server is root: nobody, if nobody may read this Python."""
    if os.geteuid() != 0:
        return None
    pid = os.fork()
    if pid == 0:
        try:
            drop_privileges(NOBODY)
            for path in (os.__file__, torch.__file__):
                open(path, "rb").close()
        finally:
            os._exit(sys.exc_info()[0] is not None)
    return NOBODY if os.waitpid(pid, 0)[1] == 0 else None
