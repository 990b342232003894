"""Submissions made up from an exercise's own answers and misconceptions."""

from __future__ import annotations

import ast
import copy
import json

from grader.authoring.build import instructor_notebook
from grader.classroom.folder import Classroom
from grader.exercise import Exercise


class Sample:
    """Makes submissions of one exercise from the notebook that the class received."""

    def __init__(self, classroom: Classroom, exercise: Exercise):
        self._exercise = exercise
        self.released = json.loads(
            (classroom.released(exercise.stem) / f"{exercise.stem}.ipynb").read_bytes()
        )
        self._answers = {
            cell.metadata.nbgrader.grade_id: _without_markers(cell.source)
            for cell in instructor_notebook(exercise).cells
            if cell.metadata.get("nbgrader", {}).get("solution")
        }

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


def _without_markers(source: str) -> str:
    markers = ("### BEGIN SOLUTION", "### END SOLUTION")
    return "\n".join(line for line in source.splitlines() if line.strip() not in markers)


def mistaken_cell(bank: str, question: str, name: str) -> str:
    """The part of a bank's file that one misconception needs, under the question's name."""
    kept = []
    for node in ast.parse(bank).body:
        decorated = isinstance(node, ast.FunctionDef | ast.ClassDef) and node.decorator_list
        if isinstance(node, ast.ImportFrom) and node.module == "grader.judging.mistakes":
            continue
        if decorated and node.name != name:
            continue
        if decorated:
            node.decorator_list = []
        kept.append(ast.unparse(node))
    return "\n\n\n".join([*kept, f"{question} = {name}"])
