"""The self-check questions of the chapters, for a platform's question bank."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from grader.exercise import ROOT
from grader.translation import markdown
from grader.translation.catalogue import Catalogue

QUIZ = re.compile(r"^:::\{quiz\} (?P<question>.*)\n(?P<body>(?:.*\n)*?):::$", re.MULTILINE)
CHOICE = re.compile(r"^- \[(?P<mark>[ xX])\]\s*(?P<text>.*)$")
EXPLANATION = re.compile(r"^\s+>\s?(?P<text>.*)$")
# MyST's links are their words; a formula is MathJax's.
ROLE = re.compile(r"\{(?P<role>[\w:]+)\}`(?P<words>[^`<]*?)(?:\s*<[^>`]*>)?`")
LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
MARKUP = re.compile(r"`(?P<code>[^`]+)`|\$(?P<formula>[^$]+)\$|\*\*(?P<bold>[^*]+)\*\*")


@dataclass
class Choice:
    correct: bool
    text: list[str]
    explanation: list[str]


@dataclass(frozen=True)
class Question:
    """A question in HTML, with its choices: (correct, text, explanation), and the title of its chapter."""

    name: str
    text: str
    choices: list[tuple[bool, str, str]]
    chapter: str = ""

    @property
    def several(self) -> bool:
        return sum(correct for correct, *_ in self.choices) > 1


def parse_choices(lines: list[str]) -> tuple[list[str], list[Choice]]:
    """The lines of the question before the first choice, and the choices; raises ValueError on a malformed quiz."""
    question, choices = [], []
    for line in lines:
        start = CHOICE.match(line)
        if start:
            choices.append(Choice(start["mark"] != " ", [start["text"]], []))
        elif not choices:
            question.append(line)
        elif explained := EXPLANATION.match(line):
            choices[-1].explanation.append(explained["text"])
        elif not line.strip():
            continue
        elif line.startswith(" ") and not choices[-1].explanation:
            choices[-1].text.append(line.strip())
        else:
            raise ValueError(
                f"cannot read {line.strip()!r}: a choice is '- [ ] text', its explanation '  > text'"
            )

    if len(choices) < 2:
        raise ValueError("needs at least two choices ('- [ ] text' or '- [x] text')")
    if not any(choice.correct for choice in choices):
        raise ValueError("has no correct choice: mark one with [x]")
    if all(choice.correct for choice in choices):
        raise ValueError("has no wrong choice: leave one as [ ]")
    for choice in choices:
        text = " ".join(choice.text).strip()
        if not text:
            raise ValueError("has a choice without text")
        if not "".join(choice.explanation).strip():
            raise ValueError(f"does not explain the choice {text!r}: add a line '  > why'")
    return question, choices


def pages(language: str) -> dict[str, str]:
    """The chapters' sources by their stems; in English as the English edition has them."""
    found = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "chapters").glob("*.md"))}
    if language == "ko":
        return found
    return {
        stem: markdown.translated(page, Catalogue(language, f"chapters/{stem}"))
        for stem, page in found.items()
    }


def questions(language: str) -> list[Question]:
    """All chapters' questions, in the order of their stems."""
    read = pages(language)
    titles = {stem: TITLE.search(page)[1] for stem, page in read.items()}
    found = []
    for name, page in read.items():
        for number, quiz in enumerate(QUIZ.finditer(page), 1):
            stem, choices = parse_choices(quiz["body"].splitlines())
            told = [
                (
                    choice.correct,
                    html(" ".join(choice.text), titles),
                    html(" ".join(choice.explanation), titles),
                )
                for choice in choices
            ]
            text = html(" ".join([quiz["question"], *stem]), titles)
            found.append(Question(f"{name} {number}", text, told, titles[name]))
    return found


def html(text: str, titles: dict[str, str]) -> str:
    """A paragraph of MyST as HTML: code, formulas (MathJax's brackets), stress; links are their words, pages their titles."""

    def words(role: re.Match) -> str:
        page = role["words"].rpartition("/")[2] if role["role"] == "doc" else ""
        return titles.get(page, role["words"])

    text = ROLE.sub(words, LINK.sub(r"\1", text)).strip()
    parts, end = [], 0
    for found in MARKUP.finditer(text):
        parts += [escape(text[end : found.start()], quote=False), _marked(found)]
        end = found.end()
    return "".join(parts) + escape(text[end:], quote=False)


def _marked(found: re.Match) -> str:
    if found["code"]:
        return f"<code>{escape(found['code'], quote=False)}</code>"
    if found["formula"]:
        return rf"\({escape(found['formula'], quote=False)}\)"
    return f"<b>{escape(found['bold'], quote=False)}</b>"


def shares(question: Question) -> list[float]:
    """Percent that each choice is worth: the right ones share 100, where there are several the wrong ones −100."""
    right = sum(correct for correct, *_ in question.choices)
    wrong = len(question.choices) - right
    taken = -100 / wrong if question.several else 0
    return [round(100 / right if correct else taken, 5) for correct, *_ in question.choices]
