"""What `python -I -S loaded_main.py` is: loads torch once, and forks what asks to be entry.py of the sandbox (see `loaded`)."""

import importlib
import json
import os
import signal
import socket
import sys
from pathlib import Path

FIRST = 600  # above all numbers of descriptors that are given


def serve(asked: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody here waits for them
    while True:
        said, given, _, _ = socket.recv_fds(asked, 1 << 20, 16)
        if not said:
            return
        told = json.loads(said)
        if (pid := os.fork()) == 0:
            asked.close()
            become(told, given)
        for fd in given:
            os.close(fd)
        asked.send(b"%d" % pid)


def become(told: dict, given: list[int]) -> None:
    """Be what `python entry.py` with these arguments would be."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        high = [os.dup2(fd, FIRST + number, False) for number, fd in enumerate(given)]
        for fd in given:
            os.close(fd)
        for fd, place in zip(high, [2, *told["fds"]], strict=True):
            os.dup2(fd, place)
            os.close(fd)
        os.dup2(0, 1)
        os.chdir(told["cwd"])
        os.environ.clear()
        os.environ.update(told["env"])
        sys.argv[:] = told["argv"]
        names = {"__name__": "__main__", "__file__": sys.argv[0]}
        exec(compile(Path(sys.argv[0]).read_bytes(), sys.argv[0], "exec"), names)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    told = json.loads(sys.argv[2])
    sys.path[:] = told["paths"]
    for name in told["load"]:
        importlib.import_module(name)
    serve(socket.socket(fileno=int(sys.argv[1])))
