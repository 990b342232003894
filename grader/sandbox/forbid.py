"""Forbids functions of torch for a while: what a question asks to write must not be called instead.

A name is an operator or a pattern of operators (`aten::*scaled_dot_product*`), which is refused at torch's
dispatcher, so that no alias leads around it; or a function or class by its path
(`torch.nn.MultiheadAttention`), whose code is exchanged, so that every name for it is refused.

It runs in the student's own process: it turns away who looks for a short cut, not who takes the process apart.
"""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any

import torch

from .errors import ForbiddenCall

# Where an operator's own kernels are, also those that `vmap` takes in their place.
_KEYS = ("AutogradCPU", "CPU", "FuncTorchBatched", "FuncTorchBatchedDecomposition", "FuncTorchVmapMode")
# Taken before a notebook can put something else in its place.
_Library, _impl, _destroy = torch.library.Library, torch.library.Library.impl, torch.library.Library._destroy
# Asked once, before workers are forked: it takes longer than all the rest.
_OPERATORS: dict[str, list[str]] = {}  # with their overloads
for _name in torch._C._dispatch_get_all_op_names():
    if _name.startswith("aten::") and not _name.endswith(("_backward", ".out")):
        _OPERATORS.setdefault(_name.split(".")[0], []).append(_name.removeprefix("aten::"))
_NAMES = "\n".join(_OPERATORS)


class Ban:
    """The functions that are forbidden now."""

    def __init__(self) -> None:
        self._library: torch.library.Library | None = None
        self._codes: list[tuple[FunctionType, CodeType]] = []

    def replace(self, names: Sequence[str]) -> None:
        """Forbid `names` and nothing else. Who calls one of them gets a `ForbiddenCall`.

        Raises:
            LookupError: a name stands for nothing.
        """
        self._lift()
        operators = [name for name in names if name.startswith("aten::")]
        functions = [pair for name in names if name not in operators for pair in _functions(name)]
        if operators:
            self._library = _Library("aten", "IMPL")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns whoever replaces a kernel
            for operator in _matching(operators):
                refusal = _refusal(operator.split(".")[0])
                for key in _KEYS:
                    _impl(self._library, operator, refusal, key)
        for function, name in functions:
            self._codes.append((function, function.__code__))
            function.__code__ = _refusing_code(name)

    def _lift(self) -> None:
        for function, code in self._codes:
            function.__code__ = code
        self._codes = []
        if self._library is not None:
            _destroy(self._library)
            self._library = None


def _refusal(name: str) -> Callable:
    """A function that only refuses."""

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise ForbiddenCall(name)

    return refuse


def _refusing_code(name: str) -> CodeType:
    """The code of one that does so in any function's place: it finds the error without its own module's names."""
    constants = [name if constant == "NAME" else constant for constant in _REFUSING.co_consts]
    return _REFUSING.replace(co_consts=tuple(constants))


_made: dict[str, Any] = {}
exec(  # compiled once, before workers are forked
    f"""
def refuse(*args, **kwargs):
    from {__package__}.errors import ForbiddenCall
    raise ForbiddenCall("NAME")
""",
    _made,
)
_REFUSING: CodeType = _made["refuse"].__code__


def _matching(patterns: list[str]) -> Iterator[str]:
    for pattern in patterns:
        # One search through all names: it is made in each worker, where every microsecond counts for each submission.
        wanted = re.escape(pattern).replace(r"\*", ".*")
        found = re.findall(rf"^{wanted}$", _NAMES, flags=re.M)
        if not found:
            raise LookupError(f"torch has no operator {pattern!r}")
        for name in found:
            yield from _OPERATORS[name]


def _functions(path: str) -> list[tuple[FunctionType, str]]:
    """The function at a path with its name; of a class, those by which it is made and called."""
    names = path.split(".")
    thing: Any = importlib.import_module(names[0])
    for name in names[1:]:
        thing = getattr(thing, name, None)
    candidates = (
        [thing] if not isinstance(thing, type) else [vars(thing).get(n) for n in ("__init__", "forward")]
    )
    functions = [inspect.unwrap(found) for found in candidates if isinstance(found, FunctionType)]
    functions = [function for function in functions if not function.__code__.co_freevars]
    if not functions:
        raise LookupError(f"{path!r} is no function or class of Python's; forbid its operator (aten::...)")
    return [(function, path.removeprefix("torch.")) for function in functions]
