"""Answers that are more alike than chance makes them.

An answer is taken apart into its statements, each with its local names numbered anew, so that renaming, reordering and
reformatting change nothing; own comments count as well. What two students share weighs the more, in bits, the fewer
others have it; less if the course's answer or a known mistake has it; nothing if the stub has it. What a pair shares is
summed over the questions, and counts by how much of the smaller of the two works it is: who has copied shares nearly
everything.

What chance gives is taken from the class itself: beyond three quarters of its pairs the rest thins out as more is
shared, at a rate that is read off all but the very highest, who may have copied.
"""

from __future__ import annotations

import ast
import copy
import io
import math
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

from grader.classroom.folder import Classroom
from grader.classroom.sample import mistaken_cell
from grader.classroom.scores import questions_of
from grader.errors import GraderError
from grader.judging.names import defined
from grader.notebook import Cell, Ungradable, parse, read_notebook

EXPECTED = 0.05  # a pair is shown if chance would give fewer such pairs in the whole class
KNOWN = 0.1  # of a class may well write what the course's answer or a known mistake writes
USUAL = 0.75  # the share of pairs, the least alike, whose likeness is taken for chance
FEW, FEWEST_PAIRS = 0.01, 5  # pairs that may have copied: they do not count when chance is read off
FEWEST = 10  # students, below whom there is no telling
COMMENT = "# "


@dataclass(frozen=True)
class Pair:
    """Two students whose answers are alike.

    Attributes:
        bits: how much they share.
        expected: how many pairs of this class would share as much by chance.
        shared: the features that both have, by question.
    """

    first: str
    second: str
    bits: float
    expected: float
    shared: dict[str, set[str]]


@dataclass(frozen=True)
class Similarity:
    """The pairs of a class that chance does not explain, the most alike first.

    Attributes:
        answers: what everybody has written, by student and question.
        compared: how many pairs there are in all.
    """

    pairs: list[Pair]
    answers: dict[str, dict[str, str]]
    compared: int


def similarity(classroom: Classroom, stem: str) -> Similarity:
    """Compare everybody's answers with everybody's.

    Raises:
        GraderError: too few have handed in something that can be read.
    """
    questions, template, exercise = (
        questions_of(classroom, stem),
        classroom.template(stem),
        classroom.exercise(stem),
    )
    answers = {}
    for author in classroom.works(stem):  # who works in a group does so together
        try:
            cells = parse(read_notebook(classroom.submitted_notebook(stem, author)))
        except Ungradable:
            continue
        answers[author] = {question: answer_to(cells, question) for question in questions}
    if len(answers) < FEWEST:
        raise GraderError(
            f"{len(answers)} have handed in '{stem}'. Of fewer than {FEWEST} nobody can say what chance would give."
        )
    stub = {name: cell["source"] for name, cell in template.solutions.items()}
    bank_text = exercise.bank_path.read_text(encoding="utf-8")
    common = {
        question: [_solution(exercise.source.read_text(encoding="utf-8"), question)] for question in questions
    }
    for mistake in exercise.mistakes:
        if mistake.question in common:
            common[mistake.question].append(mistaken_cell(bank_text, mistake.question, mistake.name))
    return compare(answers, stub, common)


def answer_to(cells: list[Cell], question: str) -> str:
    """The code that answers a question: its own cell, and others that define its name."""
    code = [cell for cell in cells if cell.kind == "code" and not cell.grade]
    return "\n\n".join(c.source for c in code if c.grade_id == question or question in defined(c.source))


def _solution(source: str, question: str) -> str:
    """The course's own cell for a question, in percent format."""
    cells = (cell.partition("\n") for cell in source.split("\n# %%")[1:])
    return next((body for head, _, body in cells if head.split()[:1] == [question]), "")


def compare(
    answers: dict[str, dict[str, str]], stub: dict[str, str], common: dict[str, list[str]]
) -> Similarity:
    """Similar pairs of answers of a class.

    Args:
        answers: code by student and question.
        stub: what each question was handed out with.
        common: answers that anybody may give, by question.
    """
    students = sorted(answers)
    shared: Counter[tuple[str, str]] = Counter()
    whole: Counter[str] = Counter()
    found: dict[str, dict[str, set[str]]] = {}
    for question in next(iter(answers.values())):
        given = features(stub.get(question, ""))
        found[question] = {student: features(answers[student][question]) - given for student in students}
        known = [features(text) - given for text in common.get(question, [])]
        _weigh(found[question], known, shared, whole)
    pairs = list(combinations(students, 2))
    sums = {pair: shared[pair] ** 2 / (min(whole[pair[0]], whole[pair[1]]) or 1) for pair in pairs}
    expected = _chance(sorted(sums.values()))
    alike = []
    for pair, total in sorted(sums.items(), key=lambda item: -item[1]):
        if expected(total) >= EXPECTED:
            break
        both = {q: of_students[pair[0]] & of_students[pair[1]] for q, of_students in found.items()}
        alike.append(Pair(*pair, shared[pair], expected(total), both))
    return Similarity(alike, answers, len(pairs))


def _weigh(
    found: dict[str, set[str]],
    known: list[set[str]],
    shared: Counter[tuple[str, str]],
    whole: Counter[str],
) -> None:
    """Add, for one question, what each pair shares and what each student has in all, in bits.

    Args:
        found: features by student.
        known: features of answers that anybody may give.
    """
    have: dict[str, list[str]] = {}
    for student in sorted(found):
        for feature in found[student]:
            have.setdefault(feature, []).append(student)
    expected = set().union(*known)
    for feature, who in have.items():
        # The chance that somebody else has it, from those beside two who do.
        chance = (max(len(who) - 2, 0) + 0.5) / (len(found) - 1)
        bits = -math.log2(min(1.0, chance + KNOWN * (feature in expected)))
        if bits < 1:  # what half of them have is common ground
            continue
        for student in who:
            whole[student] += bits
        for pair in combinations(who, 2):
            shared[pair] += bits


def _chance(sums: list[float]) -> Callable[[float], float]:
    """The number of pairs of this class that would share at least so much by chance."""
    usual = sums[int(USUAL * len(sums))]
    few = max(FEW * len(sums), FEWEST_PAIRS)
    falls = math.log((1 - USUAL) * len(sums) / few)
    rate = max(
        (sums[int(len(sums) - few)] - usual) / falls, 0.5
    )  # it takes so much to become fewer by a factor of e
    return lambda total: (1 - USUAL) * len(sums) * math.exp(-max(0.0, total - usual) / rate)


def features(source: str) -> set[str]:
    """Features of a piece of code: its statements with local names numbered, and its comments."""
    lines = ["" if line[:1] in "%!" else line for line in source.splitlines()]
    source = "\n".join(lines)
    return {f"{COMMENT}{text}" for text in _comments(source)} | set(_statements(source))


def _comments(source: str) -> Iterable[str]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            words = "".join(filter(str.isalnum, token.string)).casefold()
            if token.type == tokenize.COMMENT and len(words) > 3:
                yield words
    except (tokenize.TokenError, SyntaxError):  # what was read so far is read
        return


def _statements(source: str) -> Iterable[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from ("".join(line.split()) for line in source.splitlines() if len("".join(line.split())) > 3)
        return
    local = _local_names(tree)
    for statement, mark in lines_of(tree, local):
        if not isinstance(statement, ast.Pass | ast.Import | ast.ImportFrom):
            yield mark


def lines_of(tree: ast.Module, local: set[str]) -> Iterable[tuple[ast.stmt, str]]:
    """Each statement, and what it is taken for: by itself, without those in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not _is_docstring(node):
            yield node, _normal(node, local)


def marked_lines(source: str, shared: set[str]) -> set[int]:
    """The numbers of the lines on which shared statements begin or go on, and of shared comments."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {n for n, line in enumerate(source.splitlines(), 1) if "".join(line.split()) in shared}
    lines = set()
    for node, mark in lines_of(tree, _local_names(tree)):
        if mark in shared:
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno
            lines |= set(range(node.lineno, max(last, node.lineno) + 1))
    for number, line in enumerate(source.splitlines(), 1):
        if any(f"{COMMENT}{text}" in shared for text in _comments(line.strip())):
            lines.add(number)
    return lines


def _local_names(tree: ast.Module) -> set[str]:
    """Names that a student has chosen: of variables and parameters, and of whatever is defined."""
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    parameters = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    named = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    return stored | parameters | named


class _Numbered(ast.NodeTransformer):
    """Local names become v0, v1, … in the order in which a statement has them."""

    def __init__(self, local: set[str]):
        self._local, self._numbers = local, {}

    def _number(self, name: str) -> str:
        return f"v{self._numbers.setdefault(name, len(self._numbers))}" if name in self._local else name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._number(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(self._number(node.arg), None)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name, node.returns = self._number(node.name), None
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.name = self._number(node.name)
        return self.generic_visit(node)


def _normal(node: ast.stmt, local: set[str]) -> str:
    bare = copy.copy(node)
    for part in ("body", "orelse", "finalbody", "handlers"):
        if isinstance(getattr(bare, part, None), list):
            setattr(bare, part, [])
    if isinstance(bare, ast.AnnAssign) and bare.value is not None:
        bare = ast.Assign([bare.target], bare.value, lineno=node.lineno)
    return ast.dump(_Numbered(local).visit(copy.deepcopy(bare)))


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
