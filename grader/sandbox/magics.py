"""IPython's own lines, where there is neither a shell nor a browser: they do what they do in Jupyter, or nothing."""

from __future__ import annotations

import ast
import asyncio
import os
import re
import selectors
import sys
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

# They run the notebook's own code: its errors are its own.
OF_CODE = {"time", "prun", "run", "capture"}
# They ask for a window, a terminal, another process, or help; or only measure.
WITHOUT = set(
    "matplotlib config load_ext reload_ext unload_ext autoreload aimport pip conda mamba micromamba uv timeit memit "
    "mprun lprun debug pdb pinfo pinfo2 pdoc psource pfile pdef page edit less more man history recall rerun notebook "
    "logstart logon logoff sx system killbgscripts colors xmode gui bash sh zsh script shell cmd perl ruby pypy python "
    "python2 python3 html HTML javascript js latex markdown svg SVG sql cython R mermaid bigquery tensorflow_version "
    "tensorboard store watermark".split()
)
DEVICE = re.compile(r"\b(CUDA|cuda|MPS|mps|XPU|xpu|NVIDIA|HIP)\b")
PYLAB = (
    "import numpy, matplotlib; from matplotlib import pyplot; np = numpy; plt = pyplot; from pylab import *"
)


class Magics(InteractiveShell):
    """A shell in which no magic, no shell line and nothing that is not on this machine costs what stands below it."""

    async def run_ast_nodes(
        self, nodelist, cell_name, interactivity="last_expr", compiler=compile, result=None
    ):
        """Run a cell's statements. After a file, network, device or package that is not here, go on: its author's
        machine had it. Any other error ends the cell, as in Jupyter; the first stays the result's.

        Returns:
            whether there was an error.
        """
        first = None
        for number, node in enumerate(nodelist, 1):
            how = interactivity if number == len(nodelist) else "none"
            if await super().run_ast_nodes([node], cell_name, how, compiler, result):
                found = result.error_in_exec if result else None
                first = first or found
                if not lacks_something(found):
                    break
        if first is not None:
            result.error_in_exec = first
        return first is not None

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        if magic_name in WITHOUT:
            return None
        if magic_name == "pylab":
            return self.ex(PYLAB)
        if magic_name in OF_CODE:
            return super().run_line_magic(magic_name, line, _stack_depth + 1)
        try:
            return super().run_line_magic(magic_name, line, _stack_depth + 1)
        except Exception as error:
            return self._say(f"%{magic_name}", error)

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        if magic_name in WITHOUT:
            return None
        if magic_name in OF_CODE:
            return super().run_cell_magic(magic_name, line, cell)
        if self.find_cell_magic(magic_name) is None:  # an extension's, around Python as often as not
            return self._run(cell)
        try:
            return super().run_cell_magic(magic_name, line, cell)
        except Exception as error:
            return self._say(f"%%{magic_name}", error)

    def _run(self, cell: str) -> None:
        try:
            ast.parse(self.transform_cell(cell))
        except SyntaxError:
            return
        if (error := self.run_cell(cell).error_in_exec) is not None:
            raise error

    def _say(self, what: str, error: Exception) -> None:
        sys.stderr.write(f"{what}: {error}\n")


def lacks_something(error: BaseException | None) -> bool:
    """True for an error that speaks of this machine and not of the code: something that is elsewhere is not here."""
    return isinstance(error, ImportError | OSError) or bool(DEVICE.search(str(error)[:2_000]))


class Loop(asyncio.SelectorEventLoop):
    """An event loop for `await` at the top of a cell; it wakes itself by a pipe, for a worker has no sockets."""

    def __init__(self) -> None:
        super().__init__(selectors.SelectSelector())

    def _make_self_pipe(self) -> None:
        read, write = os.pipe()
        for end in (read, write):
            os.set_blocking(end, False)
        self._ssock, self._csock = _End(read), _End(write)
        self._internal_fds += 1
        self._add_reader(read, self._read_from_self)


class _End:
    """One end of a pipe, as asyncio takes a socket for it."""

    def __init__(self, number: int):
        self._number = number

    def fileno(self) -> int:
        return self._number

    def recv(self, size: int) -> bytes:
        try:
            return os.read(self._number, size)
        except BlockingIOError:
            raise InterruptedError from None

    def send(self, data: bytes) -> int:
        return os.write(self._number, data)

    def close(self) -> None:
        os.close(self._number)


def run_until_complete(coroutine: Any) -> Any:
    """Run what a cell awaits, in a loop of its own."""
    loop = Loop()
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(coroutine)
    finally:
        asyncio.set_event_loop(None)
        loop.close()
