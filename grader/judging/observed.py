"""Observations of an answer on fixed inputs, in a form that JSON holds and that two spellings of one mistake share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from grader.sandbox.errors import UNFINISHED, ForbiddenCall, SandboxError


def up_to_the_first_wrong(*places: tuple[Callable[[], Any], Any]) -> list[Any]:
    """Results of each (look, what is right), and None after the first that is not right.

    So a mistake looks the same whatever else follows from it or is wrong beside it. A look that raises sees "fails",
    or False where the right answer is True: which error it is depends on how an answer is written.
    """
    seen = []
    for look, right in places:
        seen.append(attempt(look, otherwise=False if right is True else "fails"))
        if not alike(plain(seen[-1]), plain(right)):
            break
    return seen + [None] * (len(places) - len(seen))


def attempt(look: Callable, *args: Any, otherwise: Any = "fails") -> Any:
    """The result of a call, or `otherwise` where it raises; not where the process ends, something is forbidden, or
    a name is not there: a crash is no answer, and must not be taken for one."""
    try:
        return look(*args)
    except (SandboxError, ForbiddenCall, *UNFINISHED):
        raise
    except Exception:
        return otherwise


def same(found: Any, right: torch.Tensor, rtol: float = 1e-3, atol: float = 1e-4) -> bool:
    """True for a tensor of this shape and these values, in whatever precision."""
    if not isinstance(found, torch.Tensor) or found.shape != right.shape:
        return False
    return torch.allclose(found.double(), right.double(), rtol, atol, equal_nan=True)


def form_of(found: Any) -> str | list:
    """The form of a result: "one tensor", or the shapes of several."""
    return "one tensor" if isinstance(found, torch.Tensor) else [list(part.shape) for part in found]


def temperature(weights: torch.Tensor, right: torch.Tensor) -> str:
    """Softmax temperature of the weights: "ours", or "another" if the scores are some other number times as large."""
    found, expected = ((x[:, 1:] / x[:, :1]).log() for x in (weights, right))
    ratios = found / expected
    return "another" if (ratios - 1).abs().min() > 0.02 and ratios.std() < 0.01 * ratios.mean() else "ours"


def leading_axes(attend: Any, *inputs: torch.Tensor) -> str:
    """The number of axes before a sequence's two with which an attention gives what sequences give alone.

    "any number", "one only" or "none"; "another axis" where rows of the weights do not sum to one.
    """
    alone = [attend(*sequence) for sequence in zip(*(x.flatten(0, 1) for x in inputs), strict=True)]
    expected = [torch.stack(parts).unflatten(0, inputs[0].shape[:2]) for parts in zip(*alone, strict=True)]

    def works(*first: int) -> bool | str:
        found, right = attend(*(x[first] for x in inputs)), [x[first] for x in expected]
        weights = found[1]
        if weights.shape == right[1].shape and not same(weights.sum(-1), torch.ones(weights.shape[:-1])):
            return "another axis"
        return all(map(same, found, right))

    found = [attempt(works, 0), attempt(works)]
    if "another axis" in found:
        return "another axis"
    return "any number" if found == [True, True] else "one only" if found[0] is True else "none"


def plain(value: Any) -> Any:
    """Reduce an observation to what JSON can hold: tensors to dtype, shape and values, floats to five digits."""
    if isinstance(value, torch.Tensor):
        kind = "float" if value.is_floating_point() else str(value.dtype).removeprefix("torch.")
        return {"dtype": kind, "shape": list(value.shape), "values": plain(value.flatten().tolist())}
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        return float(f"{value:.5g}") if math.isfinite(value) else str(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    return type(value).__name__


def alike(one: Any, other: Any) -> bool:
    """True if two plain observations are equal, floats up to rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(alike(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float | int) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-4)
    return one == other


def failed(observed: Any) -> bool:
    """True for an observation that is an error which nobody asked for; a ValueError is how an answer refuses."""
    return isinstance(observed, str) and observed.endswith("Error") and observed != "ValueError"
