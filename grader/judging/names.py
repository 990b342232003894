"""Names that the cells of a notebook define, and that their definitions use: read, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from IPython.core.inputtransformer2 import TransformerManager


def defined(source: str) -> set[str]:
    """The names that a cell defines at its top level."""
    return {name for name, _ in definitions(source)}


def written(source: str) -> set[str]:
    """The functions and classes that a cell writes at its top level."""
    try:
        body = ast.parse(as_python(source)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return {
        node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


def definitions(source: str) -> Iterable[tuple[str, set[str]]]:
    """The names that a cell defines, and what their definitions use."""
    try:
        body = ast.parse(as_python(source)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        else:
            continue
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        yield from ((name, used - {name}) for name in names)


def as_python(source: str) -> str:
    """A cell as Python has it: IPython's own lines become calls; of a cell magic the body is read."""
    first, _, rest = source.lstrip().partition("\n")
    if first.startswith("%%"):
        return as_python(rest)
    try:
        ast.parse(source)
        return source
    except SyntaxError:
        return TransformerManager().transform_cell(source)


def reach(name: str, used: dict[str, set[str]]) -> set[str]:
    """Everything that a definition uses, and what that uses."""
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        for other in used.get(waiting.pop(), set()) - reached:
            reached.add(other)
            waiting.append(other)
    return reached
