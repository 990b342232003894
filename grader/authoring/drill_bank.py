"""The chapters' drills with numbers drawn once and for all, for a platform's question bank.

What is asked, right, mistaken and said comes from assets/static/drills, run in MiniRacer, the V8 that also sets the book's
formulas. A drill's answer becomes one of three things that platforms know:

- a number, with the drill's tolerance;
- a text, where a shape, whole numbers or words are asked: each usual way to write it;
- a number in each cell, where a vector or a matrix is to be rounded. A platform that has no cells asks for one of them
  (`Drill.one_cell`), that by which most mistakes are told apart.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from py_mini_racer import MiniRacer

from grader.authoring.quizzes import TITLE, pages
from grader.exercise import ROOT

FOLDER = ROOT / "assets" / "static" / "drills"
BASE = ("drills", "kit", "panel")  # beside the chapters' files
VARIANTS = 5  # of a drill, or as many as it has
POSED = """(chapter, language, variants) => {
  const { html, pose, tolerance } = drillKit;
  return courseDrills[chapter].map((drill) => {
    const own = drill.words[language];
    const posed = new Map(); // other seeds may draw the same numbers
    for (let seed = 1; posed.size < variants && seed <= 20 * variants; seed += 1) {
      const { drawn, right, mistakes } = pose(drill, seed);
      const said = ({ name }) => html(typeof own[name] === "function" ? own[name](drawn) : own[name]);
      const wrong = mistakes.map((mistake) => [mistake.value, said(mistake)]);
      posed.set(JSON.stringify(drawn), { ask: html(own.ask(drawn)), right, wrong, way: own.way(drawn).map(html) });
    }
    const { name, kind, digits = null } = drill;
    return { name, kind, digits, tolerance: tolerance(drill), title: own.title, posed: [...posed.values()] };
  });
}"""
MATRIX = re.compile("<math>.*?</math>")
WORDS = {
    "ko": {
        "by hand": "손으로 풀기",
        "number": "수 하나{place}.",
        "shape": "모양. 예: 2, 4, 8",
        "tokens": "조각을 공백으로 나누어 적습니다.",
        "numbers": "수 {count}개. 쉼표로 나눕니다.",
        "cells": "칸마다 수 하나{place}.",
        "one of a row": "답 가운데 왼쪽에서 {column}번째 수만{place}.",
        "one of rows": "답 가운데 {row}행 {column}열의 수만{place}.",
        "places": ("", ", 소수 첫째 자리까지", ", 소수 둘째 자리까지", ", 소수 셋째 자리까지"),
        "mistakes": "틀린 답이 이 가운데 있다면 이유는 이렇습니다.",
    },
    "en": {
        "by hand": "By hand",
        "number": "One number{place}.",
        "shape": "A shape, such as 2, 4, 8",
        "tokens": "Pieces, separated by spaces.",
        "numbers": "{count} numbers, separated by commas.",
        "cells": "One number in each box{place}.",
        "one of a row": "Only number {column} of the answer, counted from the left{place}.",
        "one of rows": "Only row {row}, column {column} of the answer{place}.",
        "places": ("", ", to 1 decimal place", ", to 2 decimal places", ", to 3 decimal places"),
        "mistakes": "If your answer is one of these, here is what went wrong.",
    },
}


def chapters() -> list[str]:
    """The stems of chapters that have drills."""
    return sorted(path.stem for path in FOLDER.glob("*.js") if path.stem not in BASE)


def run(chapter: str, function: str, *arguments: Any) -> Any:
    """The result of a JavaScript function for JSON arguments, run with the kit and a chapter's drills."""
    called = f"JSON.stringify(({function})({', '.join(map(json.dumps, arguments))}))"
    with MiniRacer() as engine:
        for name in ("kit.js", f"{chapter}.js"):
            engine.eval((FOLDER / name).read_text(encoding="utf-8"))
        return json.loads(engine.eval(called))


@dataclass(frozen=True)
class Blank:
    """A place to write in: answers by the ways to write them; of wrong ones also what is said of them.

    A number is written in one way, as a decimal, and taken within the tolerance; a text has none.
    """

    right: list[str]
    wrong: list[tuple[list[str], str]]
    tolerance: Decimal | None = None


@dataclass(frozen=True)
class Drill:
    """A drill with its numbers, in HTML. Variants of a drill have the same group (of the chapter) and title.

    rows: what is to be written, as it is laid out; hint: how; place: to which decimal place.
    """

    name: str
    group: str
    title: str
    text: str
    hint: str
    place: str
    rows: list[list[Blank]]
    way: str
    language: str

    @property
    def blanks(self) -> list[Blank]:
        return [blank for row in self.rows for blank in row]

    def one_cell(self) -> Drill:
        """The same, asked for one number only where it asks for several."""
        if len(self.blanks) == 1:
            return self
        cells = [(row, column) for row, blanks in enumerate(self.rows) for column in range(len(blanks))]
        row, column = max(cells, key=lambda cell: len(self.rows[cell[0]][cell[1]].wrong))
        which = WORDS[self.language]["one of rows" if len(self.rows) > 1 else "one of a row"]
        told = which.format(row=row + 1, column=column + 1, place=self.place)
        return replace(self, hint=told, rows=[[self.rows[row][column]]])


def drills(language: str, variants: int = VARIANTS) -> list[Drill]:
    """All chapters' drills, each with several draws, the same ones in both languages."""
    words = WORDS[language]
    titles = {stem: TITLE.search(page)[1] for stem, page in pages(language).items()}
    found = []
    for chapter in chapters():
        for drill in run(chapter, POSED, chapter, language, variants):
            for number, posed in enumerate(drill["posed"], 1):
                hint, place = _asked(drill, posed["right"], language)
                found.append(
                    Drill(
                        name=f"{chapter} {drill['name']} {number}",
                        group=f"{words['by hand']}: {titles[chapter]}",
                        title=drill["title"],
                        text=formulas(posed["ask"]),
                        hint=hint,
                        place=place,
                        rows=_rows(drill, posed["right"], posed["wrong"]),
                        way=f"<ol>{''.join(f'<li>{formulas(step)}</li>' for step in posed['way'])}</ol>",
                        language=language,
                    )
                )
    return found


def formulas(html: str) -> str:
    """The drills' only MathML, matrices, for MathJax, which platforms have."""

    def brackets(matrix: re.Match) -> str:
        rows = [re.findall("<mn>(.*?)</mn>", row) for row in re.findall("<mtr>(.*?)</mtr>", matrix[0])]
        told = r" \\ ".join(" &amp; ".join(row) for row in rows).replace(",", "{,}")
        return rf"\(\begin{{bmatrix}} {told} \end{{bmatrix}}\)"

    return MATRIX.sub(brackets, html)


def _asked(drill: dict, right: Any, language: str) -> tuple[str, str]:
    """The line that says how to write the answer (platforms read less than the page does), and to which decimal place."""
    words, sort = WORDS[language], drill["kind"]
    place = words["places"][drill["digits"] or 0]
    if sort in ("vector", "matrix"):
        sort = "numbers" if drill["digits"] is None else "cells"
    return words[sort].format(place=place, count=len(right) if sort == "numbers" else 1), place


def _rows(drill: dict, right: Any, wrong: list[tuple[Any, str]]) -> list[list[Blank]]:
    if drill["kind"] == "number":
        return [[_number(drill, right, wrong)]]
    if drill["digits"] is None:
        known = [(_ways(value), said) for value, said in wrong if _ways(value)]
        return [[Blank(_ways(right), known)]]
    rows = right if drill["kind"] == "matrix" else [right]
    mistakes = [(value if drill["kind"] == "matrix" else [value], said) for value, said in wrong]
    alike = [(value, said) for value, said in mistakes if [*map(len, value)] == [*map(len, rows)]]
    return [
        [_number(drill, cell, [(value[i][j], said) for value, said in alike]) for j, cell in enumerate(row)]
        for i, row in enumerate(rows)
    ]


def _number(drill: dict, right: float, wrong: list[tuple[float, str]]) -> Blank:
    """A number with those wrong ones that one mistake alone can have given."""
    distance = 2.5 * drill["tolerance"]  # as the drills themselves keep their answers apart

    def apart(value: float, others: list[float]) -> bool:
        return all(abs(value - other) > distance for other in others)

    values = [value for value, _ in wrong]
    known = [
        ([_decimal(value, drill["digits"])], said)
        for i, (value, said) in enumerate(wrong)
        if apart(value, [right, *values[:i], *values[i + 1 :]])
    ]
    return Blank([_decimal(right, drill["digits"])], known, Decimal(str(drill["tolerance"])))


def _decimal(value: float, digits: int | None) -> str:
    """Two places more than are asked: what a platform shows stays short, and as far from mistakes as the drill keeps it."""
    told = f"{value:z.{6 if digits is None else digits + 2}f}"
    return told.rstrip("0").rstrip(".")


def _ways(values: list[float] | list[str]) -> list[str]:
    """The usual ways to write words or whole numbers; none for other numbers."""
    if any(isinstance(value, str) for value in values):
        ways = [mark.join(values) for mark in (" ", ", ")]
    elif all(value == int(value) for value in values):
        bare = [mark.join(str(int(value)) for value in values) for mark in (", ", ",", " ")]
        ways = [*bare, *(f"({way})" for way in bare)]
    else:
        ways = []
    return list(dict.fromkeys(ways))
