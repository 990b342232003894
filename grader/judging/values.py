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

KEPT = 64  # results of each helper: a suite asks for fewer again and again, beside those of drawn inputs
Call = tuple[str, list, Any]  # of what, with what, what came back; both as `written`
_calls: list[Call] | None = None


def secret(function: Callable) -> Callable:
    """Mark a helper whose text is not for students; it is called with what does not depend on their answers.

    What it returns follows from its arguments alone, so it is computed once for a class wherever both are plain values.
    """
    known: dict[Any, Any] = {}  # the latest last

    def once(args: tuple, kwargs: dict) -> Any:
        try:
            asked = _exactly([args, kwargs])
        except _NotPlain:
            return function(*args, **kwargs)
        found = known.pop(asked) if asked in known else function(*args, **kwargs)
        try:
            given = _copied(found)
        except _NotPlain:
            return found
        known[asked] = found
        if len(known) > KEPT:
            del known[next(iter(known))]
        return given

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        global _calls
        calls, _calls = _calls, None  # what it calls itself is not called by a test
        try:
            found = once(args, kwargs)
        finally:
            _calls = calls
        if calls is not None:
            calls.append((function.__name__, _print(args, kwargs), written(found)))
        return found

    return call


class _NotPlain(Exception):
    """A value is not made of tensors, numbers and text, or a gradient may flow through it."""


def _exactly(value: Any) -> Any:
    """A key that two values share only where they are the same to the last bit."""
    if type(value) is torch.Tensor and not value.requires_grad:
        content = value.contiguous().flatten().view(torch.uint8).numpy(force=True).tobytes()
        return value.dtype, value.device, value.shape, content
    if type(value) in (list, tuple):
        return type(value), *map(_exactly, value)
    if type(value) is dict:
        return dict, *((_exactly(name), _exactly(entry)) for name, entry in value.items())
    if value is None or type(value) in (bool, int, float, str):
        return type(value), repr(value)
    raise _NotPlain


def _copied(value: Any) -> Any:
    """The same value in tensors of its own: a test may write into what it is given."""
    if type(value) is torch.Tensor and not value.requires_grad:
        return value.clone()
    if type(value) in (list, tuple):
        return type(value)(map(_copied, value))
    if type(value) is dict:
        return {name: _copied(entry) for name, entry in value.items()}
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise _NotPlain


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
