"""A suite's helpers that compute what a question asks for: students get their values, not their text.

In a suite such a helper is `@secret`. In the public tests a table of what it returns stands in its place, by what
these tests and the observations call it with; the build makes it (`grader.authoring.public`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

Call = tuple[str, list, Any]  # of what, with what, what came back; both as `written`
_calls: list[Call] | None = None


def secret(function: Callable) -> Callable:
    """Mark a helper whose text is not for students; it is called with what does not depend on their answers."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        global _calls
        calls, _calls = _calls, None  # what it calls itself is not called by a test
        try:
            found = function(*args, **kwargs)
        finally:
            _calls = calls
        if calls is not None:
            calls.append((function.__name__, _print(args, kwargs), written(found)))
        return found

    return call


@contextmanager
def recorded() -> Iterator[list[Call]]:
    """The calls of secrets until it ends."""
    global _calls
    _calls = calls = []
    try:
        yield calls
    finally:
        _calls = None


def values_of(table: list[tuple[list, Any]]) -> Callable:
    """A helper that finds what it returns in a table of (arguments, result).

    Raises:
        LookupError: it was never called so when the table was made.
    """

    def find(*args: Any, **kwargs: Any) -> Any:
        asked = _print(args, kwargs)
        for known, result in table:
            if _same(known, asked):
                return _read(result)
        raise LookupError("no value is known for these arguments")

    return find


def written(value: Any) -> Any:
    """A result as a literal: tensors as {"dtype", "shape", "values"}."""
    if isinstance(value, torch.Tensor):
        kind = str(value.dtype).removeprefix("torch.")
        values = [_number(x) for x in value.detach().flatten().tolist()]
        return {"dtype": kind, "shape": list(value.shape), "values": values}
    if isinstance(value, tuple):
        return tuple(map(written, value))
    if isinstance(value, list):
        return [written(entry) for entry in value]
    return _number(value)


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        values = [float(x) if isinstance(x, str) else x for x in value["values"]]
        return torch.tensor(values, dtype=getattr(torch, value["dtype"])).reshape(value["shape"])
    if isinstance(value, tuple | list):
        return type(value)(map(_read, value))
    return value


def _number(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return float(f"{value:.8g}") if math.isfinite(value) else str(value)


def _print(args: tuple, kwargs: dict) -> list:
    """A call's print: tensors by dtype, shape, how many are not zero, and two sums."""
    return [_mark(value) for value in (*args, *(kwargs[name] for name in sorted(kwargs)))]


def _mark(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        flat = value.detach().double().flatten()
        weights = (1.0 + torch.arange(len(flat), dtype=torch.float64)).sqrt()
        sums = [_number(x.item()) for x in ((flat * weights).sum(), flat.abs().sum())]
        return [str(value.dtype).removeprefix("torch."), *value.shape, int(flat.count_nonzero()), *sums]
    if isinstance(value, dict):
        return [_mark(value[name]) for name in sorted(value)]
    if isinstance(value, list | tuple):
        return [_mark(entry) for entry in value]
    return getattr(value, "__name__", value)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-9)
    return type(one) is type(other) and one == other
