"""GIFT, which platforms beside Moodle read as well. It has no cells: of a vector that is to be rounded one number is asked."""

from __future__ import annotations

import re
from itertools import groupby

from grader.authoring.drill_bank import Drill
from grader.authoring.moodle import category_of
from grader.authoring.quizzes import Question, shares

SPECIAL = re.compile(r"([\\~=#{}:])")  # what GIFT reads as its own


def gift(quizzes: list[Question], drills: list[Drill]) -> str:
    """The file: quizzes, then each drill's variants in a category."""
    blocks = [_quiz(question) for question in quizzes]
    for category, variants in groupby(drills, category_of):
        blocks += [f"$CATEGORY: {category}\n", *map(_drill, variants)]
    return "\n".join(blocks)


def _safe(text: str) -> str:
    return SPECIAL.sub(r"\\\1", text)


def _quiz(question: Question) -> str:
    lines = [f"::{_safe(question.name)}::[html]{_safe(question.text)} {{"]
    for (correct, text, explanation), share in zip(question.choices, shares(question), strict=True):
        mark = f"~%{share:g}%" if question.several else "=" if correct else "~"
        lines.append(f"  {mark}{_safe(text)}#{_safe(explanation)}")
    return "\n".join([*lines, "}", ""])


def _drill(drill: Drill) -> str:
    drill = drill.one_cell()
    [blank] = drill.blanks
    margin = f":{blank.tolerance:f}" if blank.tolerance else ""
    asked = f"<p>{drill.text}</p><p>{drill.hint}</p>"
    lines = [f"::{_safe(drill.name)}::[html]{_safe(asked)} {{{'#' if blank.tolerance else ''}"]
    lines += [f"  ={_safe(way)}{margin}" for way in blank.right]
    lines += [f"  =%0%{_safe(way)}{margin}#{_safe(said)}" for ways, said in blank.wrong for way in ways]
    return "\n".join([*lines, f"  ####{_safe(drill.way)}", "}", ""])
