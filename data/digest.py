"""A module's code as far as it computes: by it one knows what has to be made anew."""

from __future__ import annotations

import ast


def code(module: str) -> bytes:
    """A module's syntax without docstrings; the same bytes in every version of Python, unlike ast.dump's."""
    tree = ast.parse(module)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            del node.body[0]
    return repr(_plain(tree)).encode()


def _plain(node):
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, ast.AST):
        return node
    fields = [(name, value) for name, value in ast.iter_fields(node) if value not in (None, [])]
    return type(node).__name__, [(name, _plain(value)) for name, value in fields]
