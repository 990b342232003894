"""`student`, as the suites know it, for a notebook that lives in a worker."""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from functools import cache
from typing import Any

MAX_STEPS = 10_000  # of one iteration: a student's iterator need not end


class Handle:
    """An object on the student's side. It can be called, read, indexed and iterated, and nothing more:
    a test must not take an object for true, or for equal to something, because it is no plain data."""

    __slots__ = ("__run__", "__number__", "__description__", "__methods__")
    __hash__ = None

    def __init__(self, run: Any, number: int, description: str):
        self.__run__, self.__number__, self.__description__ = run, number, description
        self.__methods__: dict[str, Handle] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked by Python and its libraries, not by a suite
            raise AttributeError(name)
        if name in self.__methods__:
            return self.__methods__[name]
        found = self.__run__.ask("get", self, name)
        if isinstance(found, Handle) and found.__description__ == "method":
            self.__methods__[name] = found  # a suite calls it again and again; what is data may change
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__run__.ask("call", self, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self.__run__.ask("item", self, key)

    def __len__(self) -> int:
        length = self.__run__.ask("length", self)
        if type(length) is not int or not 0 <= length < 2**31:
            raise RuntimeError("an impossible length")
        return length

    def __iter__(self) -> Iterator[Any]:
        iterator = self.__run__.ask("iterate", self)
        for _ in range(MAX_STEPS):
            step = self.__run__.ask("next", iterator)
            if not isinstance(step, tuple) or len(step) != 1:
                return
            yield step[0]
        raise RuntimeError(f"an iteration does not end within {MAX_STEPS} steps")

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} is neither true nor false")

    def __eq__(self, other: object) -> bool:
        raise TypeError(f"{self!r} cannot be compared")

    def __repr__(self) -> str:
        return f"<{self.__description__!r} object of the student's>"

    def __del__(self) -> None:
        self.__run__.forget(self.__number__)

    def __gradients__(self, args: tuple, kwargs: dict, output: int, cotangent: Any) -> dict:
        """See `grader.judging.suite.gradients`."""
        found = self.__run__.ask("gradients", self, args, kwargs, output, cotangent)
        match found:
            case {"output": _, "inputs": dict(), "parameters": dict()}:
                return found
        raise RuntimeError("no gradients came back")

    def __mutated__(self, args: tuple, kwargs: dict) -> list:
        """See `grader.judging.suite.mutated`."""
        return self.__run__.ask("mutated", self, args, kwargs)


@cache
def _compiled(source: str) -> bytes:
    return marshal.dumps(compile(source, "<suite>", "exec"))


class Student:
    """The notebook's namespace. An object of it is asked for once a question: what it was called then stays it."""

    def __init__(self, run: Any):
        self.__run = run
        self.__objects: dict[str, Handle] = {}
        self.__placed: dict[str, Handle] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self.__objects:
            return self.__objects[name]
        found = self.__run.ask("torch") if name == "torch" else self.__run.ask("name", name)
        if isinstance(found, Handle):
            self.__objects[name] = found
        return found

    def __place__(self, source: str, name: str) -> Handle:
        """See `grader.judging.suite.place`."""
        if source not in self.__placed:
            self.__placed[source] = self.__run.ask("place", _compiled(source), name)
        return self.__placed[source]

    def __stand__(self, question: str, last: bool = False) -> bool:
        """Make a question ready to be judged (see `moments` and `surroundings`).

        Args:
            last: with the names as the notebook left them, not as they were when the question was checked.

        Returns:
            whether anything was another then.
        """
        self.__objects.clear()
        return self.__run.ask("stand", question, last) is True

    def __bind__(self, name: str, value: Any) -> None:
        """Put something else in the place of what the notebook defines."""
        self.__run.ask("bind", name, value)

    def __forbid__(self, names: list[str]) -> None:
        """Forbid functions of torch (see `forbid`) until the next call of this; an empty list allows all."""
        self.__run.ask("forbid", names)
