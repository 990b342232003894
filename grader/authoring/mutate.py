"""Small changes of an answer, one at a time, as a slip of the hand would make them.

The operators of mutation testing (DeMillo, Lipton & Sayward, 1978; Offutt et al., 1996), and those of code that works
on tensors: another axis, swapped arguments, a call or a keyword left out. Libraries for it (cosmic-ray, mutmut) know
none of the latter, replace each operator by all others, and mutate files; here it is one definition in memory.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

# Each operator with what people write in its place.
_COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_NOT_COMMUTATIVE = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
_LEFT_ALONE = ("annotation", "returns", "decorator_list", "type_params")


class Mutant(NamedTuple):
    """An answer with one change.

    Attributes:
        name: the changed statement as it now reads, or `- ` and the statement that is gone; a number follows
            where a question has several of that name.
        source: the whole definition.
    """

    question: str
    name: str
    source: str


class _Place(NamedTuple):
    """The place of a node: a field of its parent, or an entry of a list that is one."""

    parent: ast.AST
    field: str
    index: int | None
    statement: ast.stmt

    def put(self, node: ast.AST | None) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def mutants_of(definition: ast.FunctionDef | ast.ClassDef) -> Iterator[Mutant]:
    """Every mutant of a function or class, in the order of its text."""
    seen: Counter[str] = Counter()
    sources = {ast.unparse(definition)}
    for node, place in list(_nodes(definition, definition)):
        for change in _changes(node, place):
            place.put(change)
            source = ast.unparse(definition)
            name = _name(node, change, place)
            place.put(node)
            if source in sources:  # another change has made the same answer
                continue
            sources.add(source)
            seen[name] += 1
            yield Mutant(definition.name, name + (f" ({seen[name]})" if seen[name] > 1 else ""), source)


def _nodes(node: ast.AST, statement: ast.stmt) -> Iterator[tuple[ast.AST, _Place]]:
    for field, value in ast.iter_fields(node):
        if field in _LEFT_ALONE or isinstance(node, ast.Raise):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and not _is_docstring(child):
                inner = child if isinstance(child, ast.stmt) else statement
                yield child, _Place(node, field, index, inner)
                yield from _nodes(child, inner)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _name(node: ast.AST, change: ast.AST, place: _Place) -> str:
    if isinstance(change, ast.Pass):
        return f"- {_line(node)}"
    return _line(change if node is place.statement else place.statement)


def _line(statement: ast.AST) -> str:
    return ast.unparse(statement).split("\n", 1)[0]


def _changes(node: ast.AST, place: _Place) -> Iterator[ast.AST]:
    """Nodes that may stand in a node's place."""
    match node:
        case ast.Compare(ops=[operator]):
            for other in _COMPARISONS[type(operator)]:
                yield ast.Compare(node.left, [other()], node.comparators)
        case ast.BinOp(left, operator, right):
            if other := _ARITHMETIC.get(type(operator)):
                yield ast.BinOp(left, other(), right)
            if isinstance(operator, _NOT_COMMUTATIVE):
                yield ast.BinOp(right, operator, left)
        case ast.AugAssign(target, operator, value) if other := _ARITHMETIC.get(type(operator)):
            yield ast.AugAssign(target, other(), value)
            yield ast.Pass()
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
            yield from values
        case ast.UnaryOp(ast.USub(), ast.Constant(int(number))) if not isinstance(number, bool):
            yield ast.Constant(0)
            yield ast.UnaryOp(ast.USub(), ast.Constant(number + 1))
        case ast.UnaryOp(ast.USub() | ast.Not() | ast.Invert(), operand):
            yield operand
        case ast.Constant(value):
            yield from _other_constants(value, place)
        case ast.Call():
            yield from _other_calls(node)
        case ast.If(test=test) | ast.IfExp(test=test) if not isinstance(test, ast.Constant):
            for always in (True, False):
                yield type(node)(ast.Constant(always), node.body, node.orelse)
        case ast.comprehension(target, iterated, [_, *_], is_async):
            yield ast.comprehension(target, iterated, [], is_async)
        case ast.Slice(lower, upper, step):
            bounds = (lower, upper, step)
            for i in range(3):
                if bounds[i] is not None:
                    yield ast.Slice(*(None if j == i else bound for j, bound in enumerate(bounds)))
        case ast.Return(value) if value is not None:
            yield ast.Return(None)
        case ast.Assign() | ast.Expr() | ast.Continue() | ast.Break():
            yield ast.Pass()


def _other_constants(value: object, place: _Place) -> Iterator[ast.AST]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        if isinstance(place.parent, ast.UnaryOp):
            return  # a negative number is changed as a whole
        yield ast.Constant(value + 1)
        if value > 0:
            yield ast.Constant(value - 1)
    elif isinstance(value, float):
        yield ast.Constant(value * 2 if value else 1.0)
    elif isinstance(value, str) and not isinstance(place.parent, ast.JoinedStr):
        yield ast.Constant("" if value else "x")


def _other_calls(call: ast.Call) -> Iterator[ast.AST]:
    """Without the call, without one of its keywords, with two neighbouring arguments swapped."""
    inner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if inner is not None and not isinstance(inner, ast.Name) or _is_method_of_a_value(inner):
        yield inner
    if call.args and not isinstance(call.args[0], ast.Starred):
        yield call.args[0]
    for gone in call.keywords:
        yield ast.Call(call.func, call.args, [keyword for keyword in call.keywords if keyword is not gone])
    for i in range(len(call.args) - 1):
        swapped = [*call.args[:i], call.args[i + 1], call.args[i], *call.args[i + 2 :]]
        yield ast.Call(call.func, swapped, call.keywords)


def _is_method_of_a_value(node: ast.AST | None) -> bool:
    """True for a method's call, `x.mean()`; not for `torch.arange()` or `F.relu()`."""
    return isinstance(node, ast.Name) and node.id not in ("torch", "F", "nn", "math", "np", "random")
