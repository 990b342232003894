"""Stand-ins for what this machine has not: packages, a compiler, a GPU. A line that asks for them costs nothing.

Where an import at the top of a cell finds no package, `Missing` stands in its place. While cells run it takes whatever
is done to it; an answer that needs it then says which package it is.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest import mock

import torch


class Missing:
    """A package that is not installed, and whatever is taken from it."""

    judging = False  # whether answers are called, and no cells run any more

    def __init__(self, package: str):
        self.__package = package

    def __use(self) -> Any:
        if Missing.judging:
            raise ModuleNotFoundError(f"No module named {self.__package!r}", name=self.__package)
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.__use()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.__use()
        decorates = len(args) == 1 and not kwargs and callable(args[0]) and not isinstance(args[0], Missing)
        return args[0] if decorates else self

    def __getitem__(self, key: Any) -> Any:
        return self.__use()

    def __iter__(self) -> Any:
        self.__use()
        return iter(())

    def __enter__(self) -> Any:
        return self.__use()

    def __exit__(self, *_: object) -> None:
        pass

    def __bool__(self) -> bool:
        return False

    def __mro_entries__(self, bases: tuple) -> tuple:
        use = self.__use

        class Base:
            def __init__(self, *args: Any, **kwargs: Any):
                use()

        return (Base,)


class ImportsOfMissing(ast.NodeTransformer):
    """Lets imports at the top of a cell go on where a package is missing; what stands in `try` keeps its error."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        node.body = [made for line in node.body for made in self._lines(line)]
        return node  # whose new lines get their locations from IPython

    def _lines(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, ast.Import):
            return [self._import(alias) for alias in node.names]
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and not node.level
            and not _installed(node.module)
        ):
            package = _top(node.module)
            # With a star nobody knows which names are missing; that something is, is told.
            return [_stand_in("_" if a.name == "*" else a.asname or a.name, package) for a in node.names]
        return [node]

    def _import(self, alias: ast.alias) -> ast.stmt:
        if _installed(alias.name):
            return ast.Import([alias])
        return _stand_in(alias.asname or _top(alias.name), _top(alias.name))


def _top(module: str) -> str:
    return module.partition(".")[0]


def _installed(module: str) -> bool:
    top = _top(module)
    if top in sys.modules or top in sys.builtin_module_names:
        return True
    try:
        return importlib.util.find_spec(top) is not None
    except Exception:
        return True  # whatever is wrong with it, the import itself says so


def _stand_in(name: str, package: str) -> ast.stmt:
    return ast.parse(f"{name} = get_ipython().missing({package!r})").body[0]


def _as_it_is(function: Any = None, *args: Any, **kwargs: Any) -> Any:
    """In place of what compiles: `@compile`, `@compile(...)` and `compile(f, ...)` leave a function what it is."""
    return (lambda function: function) if function is None else function


_set_default_device = torch.set_default_device


@cache
def _computes_on(kind: str) -> bool:
    return kind in ("cpu", "meta") or kind == "cuda" and torch.cuda.is_available()


def _set_device_that_is_there(device: Any) -> None:
    if device is None or _computes_on(torch.device(device).type):
        _set_default_device(device)


PATCHES: list[tuple[Any, str, Callable]] = [
    (torch, "compile", _as_it_is),
    (torch.jit, "script", _as_it_is),
    (torch.jit, "trace", _as_it_is),
    (torch.nn.Module, "compile", lambda *args, **kwargs: None),
    (torch, "set_default_device", _set_device_that_is_there),
]


def do_without() -> None:
    """For good: torch compiles nothing, and takes no default device that is not there."""
    for owner, name, instead in PATCHES:
        setattr(owner, name, instead)


@contextmanager
def doing_without():
    """The same for a while, in a process that goes on."""
    patches = [mock.patch.object(owner, name, instead) for owner, name, instead in PATCHES]
    for patch in patches:
        patch.start()
    try:
        yield
    finally:
        for patch in reversed(patches):
            patch.stop()
