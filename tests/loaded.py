"""A sandbox's server forked from a process that has loaded torch, as entry.py would: four seconds less for each that a test
starts. What a start itself must do is tested where nothing is loaded before (`FRESH`).
"""

import json
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil

from grader.sandbox import launch, reach

FRESH = ("test_sandbox", "test_judges", "test_class_attacks", "test_faults", "test_windows", "test_platforms")


class Begun:
    """As much of a subprocess.Popen as the sandbox needs, of a process that is another's child."""

    def __init__(self, pid: int):
        self.pid = pid
        with suppress(psutil.NoSuchProcess):
            self._process = psutil.Process(pid)

    def kill(self) -> None:
        with suppress(AttributeError, psutil.NoSuchProcess):
            self._process.kill()

    def wait(self, timeout: float | None = None) -> None:
        try:
            with suppress(AttributeError):
                self._process.wait(timeout)
        except psutil.TimeoutExpired:
            raise subprocess.TimeoutExpired("entry.py", timeout) from None


class Loaded:
    """The process. It ends with this one, whose end of the connection is then closed."""

    def __init__(self):
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        names = [*launch.PRELOAD, "torch", "matplotlib", "IPython.core.interactiveshell"]
        told = json.dumps({"paths": reach.import_paths(), "load": names})
        with theirs:
            subprocess.Popen(
                [
                    sys.executable,
                    "-I",
                    "-S",
                    "-B",
                    str(Path(__file__).with_name("loaded_main.py")),
                    str(theirs.fileno()),
                    told,
                ],
                pass_fds=[theirs.fileno()],
                env=launch._environment("/nowhere"),
                stdin=subprocess.DEVNULL,
            )

    def begin(self, arguments, *, pass_fds, env, stderr, cwd, **_) -> Begun:
        """Stands in for the call of subprocess.Popen in `launch`."""
        given = [stderr.fileno(), *pass_fds]
        told = {"argv": arguments[4:], "fds": pass_fds, "env": env, "cwd": cwd}
        socket.send_fds(self._ours, [json.dumps(told).encode()], given)
        return Begun(int(self._ours.recv(16)))
