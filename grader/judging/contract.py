"""The contract of every answer, whatever it computes: manners, and how observations and tests look at them.

An answer keeps its arguments' dtype, leaves them as they are, lets gradients through and works on their device.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import Any

import torch

from grader.judging.observed import attempt
from grader.judging.suite import follows_device, gradients, mutated, outcome, reached, scattered

Promises = dict[str, Callable[[], bool]]


def manners(
    student: Any, function: Any, *args: Any, learns: Collection[str] | None = None, **kwargs: Any
) -> Promises:
    """A call's promises by name: "dtype", "in place", "gradients", "gradient to 0", ..., "device".

    Args:
        learns: what a gradient must reach, by position, keyword or parameter; the floating arguments if None.
    """
    given = {str(key): value for key, value in [*enumerate(args), *kwargs.items()]}
    floating = {key: value.dtype for key, value in given.items() if _is_floating(value)}

    def called() -> Any:
        found = function(*map(_copy, args), **{key: _copy(value) for key, value in kwargs.items()})
        return found if isinstance(found, list | tuple) else [found]

    def keeps_dtype() -> bool:
        made = {x.dtype for x in called() if _is_floating(x)}
        return not floating or made <= set(floating.values())

    @cache
    def learning() -> list[str]:
        out = called()[0]
        return reached(function, *args, cotangent=scattered(out.shape, 1).to(out), **kwargs)

    names = sorted(floating if learns is None else learns)
    return {
        "dtype": keeps_dtype,
        "in place": lambda: mutated(function, *args, **kwargs) == [],
        "gradients": lambda: not names or bool(learning()),
        **{f"gradient to {name}": lambda name=name: name in learning() for name in names},
        "device": lambda: follows_device(student, function, *args, **kwargs),
    }


def kept(promise: Callable[[], bool]) -> bool:
    """True for a look that returns True; False where it raises."""
    return attempt(promise) is True


def first_broken(promises: Promises) -> str:
    """The name of the first promise that is not kept; "none" if all are."""
    return next((name for name, promise in promises.items() if not kept(promise)), "none")


def bad_manners(student: Any, function: Any, *args: Any, **options: Any) -> str:
    """The first of its `manners` that a call forgets; "none" if it has all."""
    return first_broken(manners(student, function, *args, **options))


def assert_manners(student: Any, function: Any, *args: Any, **kwargs: Any) -> None:
    """Assert that a call leaves its arguments as they are and works on their device."""
    assert mutated(function, *args, **kwargs) == [], "받은 텐서가 바뀌었습니다."
    assert follows_device(student, function, *args, **kwargs), "장치가 입력을 따르지 않습니다."


def unreached(names: Collection[str], function: Any, *args: Any, **options: Any) -> list[str]:
    """Those of the names (as `reached` gives them) to which no gradient flows, or only zeros."""
    return sorted(set(names) - set(reached(function, *args, **options)))


def finite_gradients(function: Any, *args: Any, **options: Any) -> bool:
    """True if the gradients of all inputs and parameters are finite.

    Raises:
        RuntimeError: no gradient flows at all.
    """
    found = gradients(function, *args, **options)
    everything = [*found["inputs"].values(), *found["parameters"].values()]
    return all(bool(grad.isfinite().all()) for grad in everything if grad is not None)


def how_refused(function: Any, *args: Any) -> str:
    """The end of a call that should raise a ValueError: "refused", "another error" or "accepted"."""
    found = outcome(function, *args)
    if not isinstance(found, str):
        return "accepted"
    return "refused" if found == "ValueError" else "another error"


def _is_floating(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value
