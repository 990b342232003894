"""Does `grader similarity` find who has copied, and leave alone who has not? On made classes.

Each student answers each question on their own: the course's answer or a known mistake (many the same), or
another right one (tests/right_answers, one student each), written in a style of their own (parts of expressions under names, operands turned, functions or methods). Some have taken all
or half of their answers from somebody, and disguised them: names changed, independent statements reordered, comments
removed. Prints a row a kind of copy: how many of the copied pairs are found, how many others are named.

    python benchmarks/similarity.py [--classes 5] [--students 60] [--copied 5] [--json FILE]
"""

from __future__ import annotations

import argparse
import ast
import json
import random
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.table import Table

from grader.classroom.sample import mistaken_cell
from grader.classroom.similarity import _solution, compare
from grader.exercise import ROOT, find_exercise
from grader.results import write_whole

EXERCISES = ("masking", "attention", "add_norm")
WORDS = "total value result out mask rows part size count scale inner outer left right base step".split()


class Style(ast.NodeTransformer):
    """A way to write: which parts get a name, which operand comes first, functions or methods, words for dim."""

    def __init__(self, chance: random.Random):
        self._chance = chance
        self._eager, self._turns, self._functions, self._words = (chance.uniform(0, 0.7) for _ in range(4))

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.body = [made for statement in node.body for made in self._split(statement)]
        return node

    def _split(self, statement):
        """Give parts of a statement names, in statements before it."""
        before = []
        plain = isinstance(statement, ast.Return | ast.Assign) and statement.value is not None
        parts = [] if not plain or _binds(statement.value) else list(ast.walk(statement.value))[1:]
        for part in parts:
            if isinstance(part, ast.Call | ast.BinOp) and self._chance.random() < self._eager / 2:
                name = f"{self._chance.choice(WORDS)}{self._chance.randrange(10)}"
                before.insert(0, ast.Assign([ast.Name(name, ast.Store())], part, lineno=0))
                statement = _replace(statement, part, ast.Name(name, ast.Load()))
                break
        return [made for one in before for made in self._split(one)] + [statement]

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Add | ast.Mult) and self._chance.random() < self._turns:
            node.left, node.right = node.right, node.left
        if isinstance(node.op, ast.MatMult) and self._chance.random() < self._functions:
            return ast.Call(ast.Attribute(ast.Name("torch", ast.Load()), "matmul", ast.Load()), [node.left, node.right], [])  # fmt: skip
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        turned = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq}
        if len(node.ops) == 1 and type(node.ops[0]) in turned and self._chance.random() < self._turns:
            return ast.Compare(node.comparators[0], [turned[type(node.ops[0])]()], [node.left])
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        names = {
            "softmax",
            "sum",
            "mean",
            "sqrt",
            "exp",
            "where",
            "matmul",
            "tril",
            "triu",
            "cat",
            "stack",
            "var",
        }
        if isinstance(node.func, ast.Attribute) and node.func.attr in names:
            module = isinstance(node.func.value, ast.Name) and node.func.value.id in ("torch", "F")
            if not module and self._chance.random() < self._functions:
                torch = ast.Attribute(ast.Name("torch", ast.Load()), node.func.attr, ast.Load())
                node = ast.Call(torch, [node.func.value, *node.args], node.keywords)
        for keyword in node.keywords:
            if keyword.arg == "dim" and self._chance.random() < self._words:
                keyword.arg = "axis"
        return node


def _binds(node: ast.AST) -> bool:
    return any(
        isinstance(n, ast.Lambda | ast.comprehension | ast.NamedExpr | ast.IfExp) for n in ast.walk(node)
    )


def _replace(tree, old, new):
    class Replace(ast.NodeTransformer):
        def visit(self, node):
            return new if node is old else super().visit(node)

    return Replace().visit(tree)


class Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]):
        self._names = names

    def visit_Name(self, node):
        return ast.Name(self._names.get(node.id, node.id), node.ctx)

    def visit_arg(self, node):
        return ast.arg(self._names.get(node.arg, node.arg), None)


def disguised(code: str, chance: random.Random) -> str:
    """Code of somebody who has copied and does not want it seen."""
    tree = ast.parse(code)
    local = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    local -= {
        n.id for statement in tree.body for n in getattr(statement, "targets", []) if isinstance(n, ast.Name)
    }
    tree = Renamed({name: f"{chance.choice(WORDS)}_{k}" for k, name in enumerate(sorted(local))}).visit(tree)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            for k in range(len(body) - 1):
                if _independent(body[k], body[k + 1]) and chance.random() < 0.7:
                    body[k], body[k + 1] = body[k + 1], body[k]
    return ast.unparse(ast.fix_missing_locations(tree))


def _independent(one: ast.stmt, other: ast.stmt) -> bool:
    if not isinstance(one, ast.Assign) or not isinstance(other, ast.Assign):
        return False
    names = [{n.id for n in ast.walk(node) if isinstance(n, ast.Name)} for node in (one, other)]
    stored = [{n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} for s in (one, other)]  # fmt: skip
    return not (stored[0] & names[1] or stored[1] & names[0])


@cache
def known_answers(stem: str) -> tuple[dict[str, list[str]], ...]:
    """By question: answers that several give, of these the ones that the tool knows of, and answers that one gives."""
    exercise = find_exercise(stem)
    source, bank = exercise.source.read_text(), exercise.bank_path.read_text()
    questions = exercise.suite.questions
    common = {question: [_solution(source, question)] for question in questions}
    for mistake in exercise.bank.values():
        common[mistake.question].append(mistaken_cell(bank, mistake.question, mistake.name))
    given = {question: list(texts) for question, texts in common.items()}
    others = ROOT / "tests" / "right_answers" / f"{stem}.py"
    own: dict[str, list[str]] = {question: [] for question in questions}
    for cell in others.read_text().split("# %% ")[1:]:
        title, _, code = cell.partition("\n")
        own[title.split(":")[0]].append(code)
    for texts in given.values():
        texts += texts[:1] * 3  # most answer as the course does
    return given, common, own


def one_class(stem: str, students: int, copied: int, share: float, chance: random.Random):
    given, common, own = known_answers(stem)
    answers = {}
    for number in range(students):
        style = Style(chance)
        answers[f"s{number:03}"] = {
            question: ast.unparse(ast.fix_missing_locations(style.visit(ast.parse(chance.choice(texts)))))
            for question, texts in given.items()
        }
    for question, texts in own.items():
        for code, student in zip(texts, chance.sample(sorted(answers), len(texts)), strict=True):
            answers[student][question] = code
    names = chance.sample(sorted(answers), 2 * copied)
    pairs = set()
    for one, other in zip(names[:copied], names[copied:], strict=True):
        taken = chance.sample(list(given), max(1, round(share * len(given))))
        answers[other] |= {question: disguised(answers[one][question], chance) for question in taken}
        pairs.add(tuple(sorted((one, other))))
    return answers, common, pairs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--classes", type=int, default=5, help="of each exercise")
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--copied", type=int, default=5, help="pairs in each class")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "similarity.json")
    options = parser.parse_args()
    found: dict[str, Counter] = defaultdict(Counter)
    for stem in EXERCISES:
        for share in (1.0, 0.5, 0.0):
            for seed in range(options.classes):
                chance = random.Random(f"{stem}/{share}/{seed}")
                copied = options.copied if share else 0
                answers, common, pairs = one_class(stem, options.students, copied, share, chance)
                outcome = compare(answers, {}, common)
                named = {(pair.first, pair.second) for pair in outcome.pairs}
                row = found[f"{stem}, {'all' if share == 1 else 'half' if share else 'nothing'} copied"]
                row.update(classes=1, copied=len(pairs), found=len(named & pairs), false=len(named - pairs))
                row["compared"] += outcome.compared
    write_whole(options.json, json.dumps(found, indent=1).encode() + b"\n")
    table = Table(title=f"classes of {options.students}")
    for column in ("", "classes", "pairs copied", "found", "others named", "pairs compared"):
        table.add_column(column, justify="right" if column else "left")
    for name, row in found.items():
        table.add_row(name, *(str(row[key]) for key in ("classes", "copied", "found", "false", "compared")))
    Console().print(table)


if __name__ == "__main__":
    main()
