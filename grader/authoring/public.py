"""The public part of a suite, for students: tables stand in the place of helpers that compute an answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from grader.exercise import Exercise
from grader.judging.judge import judge
from grader.judging.mistakes import observe, with_answer
from grader.judging.suite import Suite, public_source
from grader.judging.values import Call, recorded

NUMBER = re.compile(r"-?\b\d+\.\d+(?:e-?\d+)?")


def public_checks(exercise: Exercise) -> str:
    """A suite's public part, with tables of what its secrets return.

    Called with what the public tests call them with where the answers are right, and with what observations call
    them with, right answers or wrong. A helper that only hidden tests use is left out as these are.
    """
    text = _without_unused(public_source(exercise.suite_path.read_text(encoding="utf-8")))
    secrets = [node for node in ast.parse(text).body if _is_secret(node)]
    calls = _calls(exercise) if secrets else []
    text = _replaced(text, {node: _table(node.name, calls) for node in secrets})
    return text.replace("values import secret\n", "values import values_of\n")


def _is_secret(node: ast.stmt) -> bool:
    marks = getattr(node, "decorator_list", [])
    return any(isinstance(mark, ast.Name) and mark.id == "secret" for mark in marks)


def _without_unused(text: str) -> str:
    """The text without functions and classes at the top that no other text for students names."""
    body = ast.parse(text).body
    naming = {
        id(node): set() if _is_secret(node) else {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        for node in body
    }
    unused = [
        node
        for node in body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and (not node.decorator_list or _is_secret(node))
        and not any(node.name in naming[id(other)] for other in body if other is not node)
    ]
    return _without_unused(_replaced(text, dict.fromkeys(unused, ""))) if unused else text


def _replaced(text: str, by: dict[ast.stmt, str]) -> str:
    lines = text.splitlines(keepends=True)
    for node in sorted(by, key=lambda node: node.lineno, reverse=True):
        begin = (node.decorator_list or [node])[0].lineno - 1
        end = node.end_lineno
        while not by[node] and end < len(lines) and not lines[end].strip():
            end += 1  # what is left out leaves no gap
        lines[begin:end] = [by[node]]
    return "".join(lines)


def _calls(exercise: Exercise) -> list[Call]:
    suite, right = exercise.suite, exercise.reference
    public = Suite(suite.stem, [case for case in suite.cases if not case.hidden], suite.observations)
    with recorded() as calls:
        judge(right, public)
    for question in suite.observations:
        with recorded() as seen:
            observe(suite, question, right)
            if seen:
                for answer, mistake in exercise.bank.items():
                    if mistake.question == question:
                        observe(suite, question, with_answer(exercise.names, question, answer))
        calls += seen
    return calls


def _table(name: str, calls: Iterable[Call]) -> str:
    rows = dict.fromkeys(repr((asked, found)) for called, asked, found in calls if called == name)
    return f"{name} = values_of(\n    [\n" + "".join(f"        {row},\n" for row in rows) + "    ]\n)\n"


def same_but_rounding(one: str, other: str) -> bool:
    """True if two texts differ at most by the last digits of the numbers in them, as two machines' do."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= 1e-5 * max(1, abs(float(a))) for a, b in pairs)
