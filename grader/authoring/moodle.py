"""Moodle's XML: quizzes as choices; drills as numbers, short answers, or numbers in cells (cloze), with their mistakes."""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree

from grader.authoring.drill_bank import Blank, Drill
from grader.authoring.quizzes import Question, shares


def moodle(quizzes: list[Question], drills: list[Drill]) -> str:
    """The file. Quizzes go into the category that whoever imports them chooses; each drill's variants into one of their own."""
    root = ElementTree.Element("quiz")
    for question in quizzes:
        _quiz(root, question)
    for category, variants in groupby(drills, category_of):
        _text(ElementTree.SubElement(_question(root, "category"), "category"), category)
        for drill in variants:
            _drill(root, drill)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def category_of(drill: Drill) -> str:
    """A path without a context: with one, Moodle 5 makes a question bank of its own for it (qformat_wordtable#24)."""
    return "/".join(["top", *(name.replace("/", "//") for name in (drill.group, drill.title))])


def _quiz(root: ElementTree.Element, question: Question) -> None:
    made = _question(root, "multichoice", question.name, question.text)
    ElementTree.SubElement(made, "single").text = str(not question.several).lower()
    ElementTree.SubElement(made, "shuffleanswers").text = "1"
    for (_, text, explanation), share in zip(question.choices, shares(question), strict=True):
        _answer(made, f"{share:g}", text, explanation, format="html")


def _drill(root: ElementTree.Element, drill: Drill) -> None:
    asked = f"<p>{drill.text}</p><p>{drill.hint}</p>"
    if len(drill.blanks) > 1:
        cells = "<br>".join(" ".join(map(_cell, row)) for row in drill.rows)
        made = _question(root, "cloze", drill.name, f"{asked}<p>{cells}</p>")
    else:
        [blank] = drill.blanks
        made = _question(root, "numerical" if blank.tolerance else "shortanswer", drill.name, asked)
        for share, ways, said in [("100", blank.right, ""), *(("0", *wrong) for wrong in blank.wrong)]:
            for way in ways:
                answer = _answer(made, share, way, said)
                if blank.tolerance:
                    ElementTree.SubElement(answer, "tolerance").text = f"{blank.tolerance:f}"
        if not blank.tolerance:
            ElementTree.SubElement(made, "usecase").text = "1"
    _text(ElementTree.SubElement(made, "generalfeedback", format="html"), drill.way)


def _cell(blank: Blank) -> str:
    """Moodle decodes entities in what is said of an answer, after having looked for the marks that end it."""

    def safe(text: str) -> str:
        return text.replace("&", "&amp;").replace("}", "&#125;").replace("~", "&#126;")

    answers = [f"={blank.right[0]}:{blank.tolerance:f}"]
    answers += [f"%0%{value}:{blank.tolerance:f}#{safe(said)}" for [value], said in blank.wrong]
    return f"{{1:NUMERICAL:{'~'.join(answers)}}}"


def _question(
    root: ElementTree.Element, sort: str, name: str | None = None, text: str = ""
) -> ElementTree.Element:
    made = ElementTree.SubElement(root, "question", type=sort)
    if name:
        _text(ElementTree.SubElement(made, "name"), name)
        _text(ElementTree.SubElement(made, "questiontext", format="html"), text)
    return made


def _answer(
    question: ElementTree.Element, share: str, text: str, said: str, format: str = "plain_text"
) -> ElementTree.Element:
    answer = ElementTree.SubElement(question, "answer", fraction=share, format=format)
    _text(answer, text)
    _text(ElementTree.SubElement(answer, "feedback", format="html"), said)
    return answer


def _text(parent: ElementTree.Element, text: str) -> None:
    ElementTree.SubElement(parent, "text").text = text
