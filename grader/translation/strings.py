"""Korean in Python code: string literals, and f-strings as templates with {} for what is filled in."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.translation.markdown import KOREAN

Said = tuple[str, int]  # a text and its line
MARKS = {"points", "wrong"}  # decorators of what has a hint that a student reads: a docstring, or `hint=`
FAILURES = {"AssertionError", "fail"}
LABELS = {
    "name",
    "what",
}  # what suites call a word of ours that fills a message; whatever else fills one is data


def spoken(code: str) -> list[Said]:
    """Every Korean string of a module but its docstrings."""
    tree = ast.parse(code)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and isinstance(node.body[0], ast.Expr)
    }
    return _unique(said for said in _strings(tree) if id(said[2]) not in docstrings)


def hints(code: str) -> list[Said]:
    """Texts that a suite or a bank says to a student: hints, messages of assertions, words that fill these."""
    tree = ast.parse(code)
    named = {n.targets[0].id: n.value for n in tree.body if isinstance(n, ast.Assign) and _name(n.targets[0])}
    parts = [named.get(_name(part), part) for node in ast.walk(tree) for part in _hints(node)]
    found = [said for part in parts for said in _strings(part)]
    found += [said for part in _fillings(tree) for said in _strings(part)]
    return _unique(sorted(found, key=lambda said: said[1]))


def _hints(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assert):
        return [node.msg] if node.msg else []
    if isinstance(node, ast.Call) and _name(node.func) in FAILURES:
        return node.args
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        marked = any(isinstance(m, ast.Call) and _name(m.func) in MARKS for m in node.decorator_list)
        said = ast.get_docstring(node) if marked else None
        return [ast.Constant(said.strip(), lineno=node.body[0].lineno)] if said else []
    if isinstance(node, ast.Call) and _name(node.func) in MARKS:
        return [keyword.value for keyword in node.keywords if keyword.arg == "hint"]
    return []


def _fillings(tree: ast.Module) -> Iterator[ast.expr]:
    """Words that fill a message: an argument of the helper it stands in, what a loop goes over, a function's result."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for function in functions.values():
        nodes = list(ast.walk(function))
        parts = [part for node in nodes for message in _hints(node) for part in ast.walk(message)]
        named = {part.id for part in parts if isinstance(part, ast.Name)}
        for position, argument in enumerate(function.args.args):
            if argument.arg in named & LABELS:
                same = (call for call in calls if _name(call.func) == function.name)
                yield from (call.args[position] for call in same if position < len(call.args))
        for loop in nodes:
            if isinstance(loop, ast.For):
                yield from _looped(loop, named & LABELS)
        for name in named & functions.keys():
            yield from (
                node.value
                for node in ast.walk(functions[name])
                if isinstance(node, ast.Return) and node.value
            )


def _looped(loop: ast.For, named: set[str]) -> Iterator[ast.expr]:
    """Values that a loop gives to names: for NAME, _ in [("word", _), ...], for NAME, _ in zip(["word", ...], _)."""
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    over = loop.iter
    for position, target in enumerate(targets):
        if not (isinstance(target, ast.Name) and target.id in named):
            continue
        if isinstance(over, ast.Call) and _name(over.func) == "zip":
            yield from over.args[position : position + 1]
        elif isinstance(over, (ast.List, ast.Tuple)):
            rows = [row.elts if isinstance(row, ast.Tuple) else [row] for row in over.elts]
            yield from (row[position] for row in rows if position < len(row))


def _strings(tree: ast.AST) -> Iterator[tuple[str, int, ast.AST]]:
    """Korean strings and templates, each with its line and node."""
    parts = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts |= set(map(id, node.values))
            text = "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            text = node.value
        else:
            continue
        if KOREAN.search(text):
            yield text, node.lineno, node


def _name(function: ast.expr) -> str:
    return getattr(function, "id", getattr(function, "attr", ""))


def _unique(found) -> list[Said]:
    lines: dict[str, int] = {}
    for text, line, _ in found:
        lines.setdefault(text, line)
    return sorted(lines.items(), key=lambda said: said[1])
