"""The process in which one student's notebook runs and answers the judge. Forked from the server."""

from __future__ import annotations

import itertools
import marshal
import os
import random
import sys
import traceback
from types import ModuleType
from typing import Any

import torch

from .decode import Reader
from .errors import RAISED, own_frame
from .forbid import Ban
from .frames import Closed, Frames
from .missing import Missing
from .moments import Moments
from .probes import gradients, mutated
from .shell import Capture, Shell, Stream, run_cell
from .surroundings import Surroundings
from .wire import Reference, WireError, Writer

MAX_OBJECTS = 100_000
MAX_CALLBACK_DEPTH = 16
MAX_MESSAGE = 2_000  # characters
MAX_LINES = 6  # of a notebook, in what is said of an error


class Worker:
    """Answers requests `(number, operation, *arguments)` until the judge closes the connection."""

    def __init__(
        self, fd: int, shell: Shell, moments: Moments, surroundings: Surroundings, output_bytes: int
    ):
        self._frames = Frames(fd)
        self._shell, self._moments, self._surroundings = shell, moments, surroundings
        for name in STAND_INS:
            sys.modules[name].check = self._check
        self._stream = Capture(output_bytes)
        shell.capture = self._stream
        self._objects: dict[int, Any] = {}
        self._numbers = itertools.count()
        self._depth = 0
        self._streams = Stream("stdout", self._stream), Stream("stderr", self._stream)
        sys.stdout, sys.stderr = self._streams
        random.seed(0)  # after a fork Python draws it a new one, unlike torch's and numpy's
        self._operations = {
            "cell": self._cell,
            "torch": lambda: torch,
            "get": getattr,
            "call": lambda function, args, kwargs: function(*args, **kwargs),
            "item": lambda thing, key: thing[key],
            "length": len,
            "iterate": iter,
            "next": _next,
            "gradients": gradients,
            "mutated": mutated,
            "place": _place,
            "forbid": Ban().replace,
            "stand": self._stand,
            "bind": self._moments.bind,
            "drop": self._drop,
        }

    def serve(self) -> None:
        # What ends this process before that is the machine's doing, and after that the notebook's.
        self._frames.send(self._encode((None, "ready")))
        while True:
            request = self._receive()
            self._answer(request)

    def _receive(self) -> tuple:
        try:
            return Reader(self._frames.receive(), self._resolve).decode()
        except (Closed, WireError):
            os._exit(0)

    def _answer(self, request: tuple) -> None:
        number, operation, *arguments = request
        try:
            if operation == "name":
                (name,) = arguments
                found = name in self._shell.user_ns
                reply = ("value", self._shell.user_ns[name]) if found else ("missing",)
            else:
                reply = ("value", self._operations[operation](*arguments))
            payload = self._encode((number, *reply))
        except BaseException as error:
            payload = self._encode((number, "error", *_describe(error)))
        self._frames.send(payload)

    def _encode(self, value: Any) -> bytes:
        return Writer(self._refer).encode(value)

    def _refer(self, value: Any) -> Reference:
        if len(self._objects) >= MAX_OBJECTS:
            raise WireError("too many objects")
        number = next(self._numbers)
        self._objects[number] = value
        return Reference(Reference.HANDLE, number, type(value).__name__)

    def _resolve(self, reference: Reference) -> Any:
        if reference.kind == Reference.HANDLE:
            return self._objects[reference.number]
        return lambda *args, **kwargs: self._call_back(reference.number, args, kwargs)

    def _call_back(self, number: int, args: tuple, kwargs: dict) -> Any:
        """Call the judge's function; while it runs, the judge may ask things of this process."""
        if self._depth >= MAX_CALLBACK_DEPTH:
            raise RecursionError("functions of the suite and of the notebook call each other too deeply")
        self._depth += 1
        try:
            self._frames.send(self._encode((None, "callback", number, args, kwargs)))
            while True:
                request = self._receive()
                if request[1] == "return":
                    return request[2]
                if request[1] == "raise":
                    raise RAISED.get(request[2], RuntimeError)(request[3])
                self._answer(request)
        finally:
            self._depth -= 1

    def _cell(self, code: str, question: str | None = None) -> tuple:
        """Run a cell; `question` is what it checks, whatever its author has made of it."""
        found = run_cell(self._shell, code)
        if question is not None:
            self._moments.keep(question, again=False)
        return found

    def _check(self, stem: object = None, question: object = None, *args: object, **kwargs: object) -> None:
        """Remember the answer as it is now: a notebook's `check`, in a class."""
        self._moments.keep(question if isinstance(question, str) else None)

    def _stand(self, question: str, last: bool) -> bool:
        """Make a question ready to be judged: its names, and nothing of what the notebook has left behind."""
        Missing.judging = True
        sys.stdout, sys.stderr = self._streams
        self._surroundings.clean()
        torch.set_num_threads(1)
        return self._moments.stand(question, last)

    def _drop(self, numbers: list[int]) -> None:
        for number in numbers:
            self._objects.pop(number, None)


def _next(iterator: Any) -> tuple:
    """The iterator's next value in a tuple, which is empty at its end."""
    for value in iterator:
        return (value,)
    return ()


def _place(code: bytes, name: str) -> Any:
    """A function of the suite's, which the judge has compiled: once, where each worker would anew."""
    namespace: dict[str, Any] = {"torch": torch}
    exec(marshal.loads(code), namespace)
    placed = namespace[name]
    placed.__name__ = placed.__qualname__ = (
        "placed"  # what an answer probes does not say by its name what it is
    )
    return placed


def _describe(error: BaseException) -> tuple[list[str], str, str]:
    """Names of the error's class and its bases, its message, and the notebook's own lines on the way to it."""
    kinds = [kind.__name__[:100] for kind in type(error).__mro__][:20]
    try:
        message = str(error)[:MAX_MESSAGE]
    except BaseException:
        message = ""
    try:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if own_frame(f.filename)]
        lines = [f"  {frame.line}  # {frame.name}, line {frame.lineno}" for frame in frames[-MAX_LINES:]]
    except BaseException:
        lines = []
    return kinds, message, "\n".join(lines)[-4 * MAX_MESSAGE :]


STAND_INS = "grader", "grader.en"


def install_stand_in() -> None:
    """Put an inert `grader` where a notebook's check cells expect the package, in either language."""
    for name in STAND_INS:
        sys.modules[name] = ModuleType(name)
    sys.modules["grader"].en = sys.modules["grader.en"]
