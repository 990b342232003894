"""Submissions made up from an exercise's own answers and misconceptions."""

from __future__ import annotations

import ast
import copy
import json

from grader.classroom.folder import Classroom
from grader.exercise import Exercise
from grader.judging.answers import answers_in


class Sample:
    """Makes submissions of one exercise from the notebook that the class received."""

    def __init__(self, classroom: Classroom, exercise: Exercise):
        self._exercise = exercise
        self.released = json.loads(
            (classroom.released(exercise.stem) / f"{exercise.stem}.ipynb").read_bytes()
        )
        written = answers_in(exercise.source.read_text(encoding="utf-8"))
        self._answers = {question: answer.code for question, answer in written.items()}

    def solved(self, **cells: str) -> dict:
        """A notebook with right answers, but for `cells`: question to source."""
        notebook = copy.deepcopy(self.released)
        for cell in notebook["cells"]:
            name = grade_id(cell)
            if name in self._answers:
                cell["source"] = cells.get(name, self._answers[name])
        return notebook

    def answer(self, question: str) -> str:
        """The right answer's cell."""
        return self._answers[question]

    def mistaken(self, question: str, name: str) -> str:
        """A cell that answers `question` with the misconception `name`."""
        return mistaken_cell(self._exercise.bank_path.read_text(encoding="utf-8"), question, name)


def grade_id(cell: dict) -> str:
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def mistaken_cell(bank: str, question: str, name: str) -> str:
    """The part of a bank's file that one misconception needs, under the question's name."""
    body = [node for node in ast.parse(bank).body if not _speaks_of_the_grader(node)]
    defined = {node.name: node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    needed, waiting = set(), [name]
    while waiting:
        if (one := waiting.pop()) not in needed:
            needed.add(one)
            used = {node.id for node in ast.walk(_undecorated(defined[one])) if isinstance(node, ast.Name)}
            waiting += used & defined.keys()
    kept = [node for node in body if getattr(node, "name", name) in needed]
    return "\n\n\n".join([*map(ast.unparse, kept), f"{question} = {name}"])


def _speaks_of_the_grader(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "grader.judging.mistakes"


def _undecorated(node: ast.FunctionDef | ast.ClassDef) -> ast.FunctionDef | ast.ClassDef:
    """The source of a wrong answer as a student would have written it: without its mark and its hint."""
    marks = [ast.unparse(mark).partition("(")[0] for mark in node.decorator_list]
    if "right_answer" in marks:
        node.decorator_list = []
    if {"wrong", "misconception"} & set(marks):
        node.decorator_list = []
        if ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return node
