"""Forbids functions of torch for a while: what a question asks to write must not be called instead.

A name is an operator or a pattern of operators (`aten::*scaled_dot_product*`), which is refused at torch's
dispatcher, so that no alias leads around it; or a function or class by its path
(`torch.nn.MultiheadAttention`), whose code is exchanged, so that every name for it is refused.

It runs in the student's own process: it turns away who looks for a short cut, not who takes the process apart.
"""

from __future__ import annotations

import fnmatch
import importlib
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any

import torch

_KEYS = ("AutogradCPU", "CPU")


def _refuse(*args: Any, **kwargs: Any) -> None:
    raise RuntimeError("this question asks you to write what you are calling here")


class Ban:
    """What is forbidden now."""

    def __init__(self) -> None:
        self._library: torch.library.Library | None = None
        self._codes: list[tuple[FunctionType, CodeType]] = []

    def replace(self, names: Sequence[str]) -> None:
        """Forbid `names` and nothing else.

        Raises:
            LookupError: a name stands for nothing.
        """
        self._lift()
        operators = [name for name in names if name.startswith("aten::")]
        functions = [function for name in names if name not in operators for function in _functions(name)]
        if operators:
            self._library = torch.library.Library("aten", "IMPL")
        for operator in _matching(operators):
            for key in _KEYS:
                self._library.impl(operator, _refuse, key)
        for function in functions:
            self._codes.append((function, function.__code__))
            function.__code__ = _refuse.__code__

    def _lift(self) -> None:
        for function, code in self._codes:
            function.__code__ = code
        self._codes = []
        if self._library is not None:
            self._library._destroy()
            self._library = None


def _matching(patterns: list[str]) -> Iterator[str]:
    known = [name for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")]
    for pattern in patterns:
        found = [name for name in known if fnmatch.fnmatchcase(name.split(".")[0], pattern)]
        if not found:
            raise LookupError(f"torch has no operator {pattern!r}")
        yield from (name.removeprefix("aten::") for name in found if not name.endswith(("_backward", ".out")))


def _functions(path: str) -> list[Callable]:
    """The function at a path; of a class, those by which it is made and called."""
    names = path.split(".")
    thing: Any = importlib.import_module(names[0])
    for name in names[1:]:
        thing = getattr(thing, name, None)
    candidates = (
        [thing] if not isinstance(thing, type) else [vars(thing).get(n) for n in ("__init__", "forward")]
    )
    functions = [
        found for found in candidates if isinstance(found, FunctionType) and not found.__code__.co_freevars
    ]
    if not functions:
        raise LookupError(f"{path!r} is no function or class of Python's; forbid its operator (aten::...)")
    return functions
