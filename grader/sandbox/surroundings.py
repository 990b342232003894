"""Traces of a notebook in its process, without which answers are judged: modes of torch, seeds, patches.

Both sides use this: a worker before each question, a student's own process as well, which is then put back.
"""

from __future__ import annotations

import builtins
import math
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any

import numpy
import torch
from torch.nn.modules import module as hooks

_enter_inference, _in_inference = torch._C._InferenceMode, torch.is_inference_mode_enabled
_HOOKS = [
    value for name, value in vars(hooks).items() if name.startswith("_global_") and isinstance(value, dict)
]
_CALLABLE = property, staticmethod, classmethod


def _default_device() -> torch.device | None:
    context = getattr(
        torch._GLOBAL_DEVICE_CONTEXT, "device_context", None
    )  # asking torch fails without a GPU
    return None if context is None else context.device


def _set_hooks(found: list[dict]) -> None:
    for mine, theirs in zip(_HOOKS, found, strict=True):
        mine.clear()
        mine.update(theirs)


def _set_filters(found: list) -> None:
    warnings.resetwarnings()  # tells the modules that remember what they have shown
    warnings.filters[:] = found


# How each is read and set, and what is clean.
_SETTINGS: list[tuple[Callable, Callable, Any]] = [
    (_default_device, torch.set_default_device, None),
    (torch.get_default_dtype, torch.set_default_dtype, torch.float32),
    (torch.is_grad_enabled, torch._C._set_grad_enabled, True),
    (torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode, 0),
    (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision, "highest"),
    (torch.is_anomaly_enabled, torch.set_anomaly_enabled, False),
    (partial(torch.is_autocast_enabled, "cpu"), partial(torch.set_autocast_enabled, "cpu"), False),
    (lambda: [dict(found) for found in _HOOKS], _set_hooks, [{} for _ in _HOOKS]),
    (sys.gettrace, sys.settrace, None),
    (sys.getprofile, sys.setprofile, None),
]
_SEEDS: list[tuple[Callable, Callable, Any]] = [
    (torch.get_rng_state, torch.set_rng_state, torch.Generator().manual_seed(0).get_state()),
    (random.getstate, random.setstate, random.Random(0).getstate()),
    (numpy.random.get_state, numpy.random.set_state, numpy.random.RandomState(0).get_state()),
]


class Surroundings:
    """A process' surroundings as they are now, before a notebook runs in them."""

    def __init__(self) -> None:
        modules = [builtins, math, random, torch, torch.nn, torch.nn.functional, torch.nn.init]
        modules += [torch.autograd, torch.linalg, torch.func]
        classes = [
            torch.Tensor,
            torch.nn.Parameter,
            *(c for c in vars(torch.nn).values() if isinstance(c, type)),
        ]
        self._patchable = [
            (thing, _functions(thing), frozenset(vars(thing))) for thing in [*modules, *classes]
        ]
        self._modules = {module.__name__: module for module in modules}
        self._settings = [
            *_SETTINGS,
            (sys.getrecursionlimit, sys.setrecursionlimit, sys.getrecursionlimit()),
            (numpy.geterr, lambda kinds: numpy.seterr(**kinds), numpy.geterr()),
            (lambda: list(warnings.filters), _set_filters, list(warnings.filters)),
        ]

    def clean(self) -> list[Callable[[], Any]]:
        """Set everything back; what is to be called, in this order, to have it as it was."""
        undo: list[Callable[[], Any]] = [partial(sys.modules.update, _now(sys.modules, self._modules))]
        sys.modules.update(self._modules)
        for thing, clean, names in self._patchable:
            undo += _put_back(thing, clean, names)
        if _in_inference():
            normal = _enter_inference(False)
            normal.__enter__()
            undo.append(partial(normal.__exit__, None, None, None))
        for read, write, clean in [*self._settings, *_SEEDS]:
            found = read()
            write(clean)
            undo.append(partial(write, found))
        return undo[::-1]

    @contextmanager
    def cleaned(self) -> Iterator[None]:
        """Clean surroundings for a while; what is done to them meanwhile goes with it."""
        undo = self.clean()
        try:
            yield
        finally:
            self.clean()
            for step in undo:
                step()


def _functions(thing: Any) -> dict[str, Any]:
    """All that can be patched: functions, and whatever a module offers by a public name, such as `torch.float32`."""
    everything = isinstance(thing, ModuleType)
    return {
        name: found
        for name, found in vars(thing).items()
        if callable(found) or isinstance(found, _CALLABLE) or everything and not name.startswith("_")
    }


def _now(names: Any, wanted: Any) -> dict[str, Any]:
    return {name: names[name] for name in wanted if name in names}


def _put_back(thing: Any, clean: dict[str, Any], before: frozenset[str]) -> list[Callable[[], Any]]:
    """Undo patches of a module or class: replaced functions, and in a class what hides a base's.

    Args:
        before: all names that it had.
    """
    names, undo = vars(thing), []
    found = names.get
    for name in [name for name, right in clean.items() if found(name) is not right]:
        patch = found(name)
        undo.append(partial(delattr, thing, name) if patch is None else partial(setattr, thing, name, patch))
        setattr(thing, name, clean[name])
    if isinstance(thing, type):
        bases = thing.__mro__[1:]
        for name in [name for name in names.keys() - before if any(name in vars(base) for base in bases)]:
            if callable(names[name]) or not name.startswith("__"):
                undo.append(partial(setattr, thing, name, names[name]))
                delattr(thing, name)
    return undo
