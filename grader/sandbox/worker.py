"""The process in which one student's notebook runs and answers the judge. Forked from the server."""

from __future__ import annotations

import itertools
import marshal
import os
import random
import sys
import traceback
from typing import Any

import torch

from .errors import RAISED, own_frame
from .forbid import Ban
from .frames import Closed, Frames
from .shell import Capture, Shell, Stream, run_cell
from .wire import Reader, Reference, WireError, Writer

MAX_OBJECTS = 100_000
MAX_CALLBACK_DEPTH = 16
MAX_MESSAGE = 2_000  # characters
MAX_LINES = 6  # of a notebook, in what is said of an error


class Worker:
    """Answers requests `(number, operation, *arguments)` until the judge closes the connection."""

    def __init__(self, fd: int, shell: Shell, output_bytes: int):
        self._frames = Frames(fd)
        self._shell = shell
        self._stream = Capture(output_bytes)
        shell.capture = self._stream
        self._objects: dict[int, Any] = {}
        self._numbers = itertools.count()
        self._depth = 0
        sys.stdout, sys.stderr = Stream("stdout", self._stream), Stream("stderr", self._stream)
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
            "gradients": _gradients,
            "mutated": _mutated,
            "place": _place,
            "forbid": Ban().replace,
            "bind": shell.user_ns.__setitem__,
            "drop": self._drop,
        }

    def serve(self) -> None:
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

    def _cell(self, code: str) -> tuple:
        return run_cell(self._shell, code)

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


def _gradients(function: Any, args: tuple, kwargs: dict, output: int, cotangent: torch.Tensor | None) -> dict:
    inputs = {
        key: value.clone().requires_grad_()
        for key, value in _tensors(args, kwargs)
        if value.is_floating_point()
    }
    with torch.enable_grad():
        out = function(
            *(inputs.get(i, value) for i, value in enumerate(args)),
            **{key: inputs.get(key, value) for key, value in kwargs.items()},
        )
        if isinstance(out, tuple | list):
            out = out[output]
        parameters = _learning(function) if isinstance(function, torch.nn.Module) else {}
        loss = (out * (torch.ones_like(out) if cotangent is None else cotangent)).sum()
    wanted = [*inputs.values(), *parameters.values()]
    found = torch.autograd.grad(loss, wanted, allow_unused=True)
    return {
        "output": out,
        "inputs": dict(zip(inputs, found[: len(inputs)], strict=True)),
        "parameters": dict(zip(parameters, found[len(inputs) :], strict=True)),
    }


def _mutated(function: Any, args: tuple, kwargs: dict) -> list:
    before = {key: value.clone() for key, value in _tensors(args, kwargs)}
    function(*args, **kwargs)
    return [key for key, value in _tensors(args, kwargs) if not torch.equal(before[key], value)]


def _learning(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The parameters that are not frozen, by every name that they bear."""
    found = module.named_parameters(remove_duplicate=False)
    return {name: parameter for name, parameter in found if parameter.requires_grad}


def _tensors(args: tuple, kwargs: dict) -> list:
    pairs = [*enumerate(args), *kwargs.items()]
    return [(key, value) for key, value in pairs if isinstance(value, torch.Tensor)]


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


def install_stand_in() -> None:
    """Put an inert `grader` where a notebook's check cells expect the package, in either language."""
    from types import ModuleType

    for name in ("grader", "grader.en"):
        module = sys.modules[name] = ModuleType(name)
        module.check = lambda *args, **kwargs: None
    sys.modules["grader"].en = module
