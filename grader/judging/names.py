"""Names that the cells of a notebook define, and that their definitions use: read, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache

from IPython.core.inputtransformer2 import TransformerManager

MOST_CELLS = 512  # that are read once: most cells of a class are alike, and a stranger's may be large


def defined(source: str) -> set[str]:
    """The names that a cell defines at its top level."""
    return {name for name, _ in definitions(source)}


@lru_cache(MOST_CELLS)
def written(source: str) -> frozenset[str]:
    """The functions and classes that a cell writes at its top level."""
    return frozenset(
        node.name
        for node in _statements(source)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    )


@lru_cache(MOST_CELLS)
def definitions(source: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The names that a cell defines, and what their definitions use."""
    return tuple(binding for node in _statements(source) for binding in _bindings(node))


def _bindings(node: ast.stmt) -> list[tuple[str, frozenset[str]]]:
    """The names that a statement defines, and what their definition uses."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        names = [node.name]
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
    else:
        return []
    used = frozenset(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return [(name, used - {name}) for name in names]


def _statements(source: str) -> list[ast.stmt]:
    """The statements of a cell, none where it is not Python."""
    try:
        return _parsed(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _parsed(source: str) -> list[ast.stmt]:
    """The statements as Python has them: IPython's own lines become calls; of a cell magic the body is read."""
    first, _, rest = source.lstrip().partition("\n")
    if first.startswith("%%"):
        return _parsed(rest)
    try:
        return ast.parse(source).body
    except SyntaxError:
        return ast.parse(TransformerManager().transform_cell(source)).body


def is_silent(name: str, sources: Iterable[str]) -> bool:
    """True where the last definition of a function, or of a class that is called, returns no value in any line."""
    last = None
    for source in sources:
        for node in _statements(source):
            if name in {bound for bound, _ in _bindings(node)}:
                last = node
    if isinstance(last, ast.ClassDef):
        called = [part for part in last.body if getattr(part, "name", "") in ("forward", "__call__")]
        last = called[-1] if called else None
    return isinstance(last, ast.FunctionDef) and not any(map(_gives, _own_parts(last)))


def _gives(node: ast.AST) -> bool:
    if isinstance(node, ast.Return):
        return not (node.value is None or isinstance(node.value, ast.Constant) and node.value.value is None)
    return isinstance(node, ast.Yield | ast.YieldFrom)


def _own_parts(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The parts of a function's body, without those of functions and classes within it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield node
            waiting += ast.iter_child_nodes(node)


def reach(name: str, used: Mapping[str, Set[str]]) -> set[str]:
    """Everything that a definition uses, and what that uses."""
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        for other in used.get(waiting.pop(), frozenset()) - reached:
            reached.add(other)
            waiting.append(other)
    return reached
