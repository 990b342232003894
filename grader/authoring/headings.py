"""The chapters' own names for the paragraphs that hints point to, for whoever reads a hint without the book at hand."""

from __future__ import annotations

import re

from grader.exercise import ROOT
from grader.translation.catalogue import Catalogue
from grader.words import ENGLISH, KOREAN

LABEL = re.compile(r"\(([\w-]+)\)=")
HEADING = re.compile(r"#+ (.+)")


def headings() -> dict[str, dict[str, str]]:
    """For each language the chapters' titles by their stems, and sections' by "STEM#ANCHOR"."""
    found: dict[str, dict[str, str]] = {KOREAN: {}, ENGLISH: {}}
    for page in sorted((ROOT / "chapters").glob("*.md")):
        english = Catalogue(ENGLISH, f"chapters/{page.stem}")
        for name, heading in _of(page.stem, page.read_text(encoding="utf-8")).items():
            found[KOREAN][name], found[ENGLISH][name] = heading, english(heading)
    return found


def _of(stem: str, text: str) -> dict[str, str]:
    """A label belongs to the heading right below it, or, before anything else, to the one above."""
    found, waiting, above, fenced = {}, [], "", False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if fenced or not line:
            continue
        if label := LABEL.fullmatch(line):
            waiting.append(label[1])
            continue
        if heading := HEADING.fullmatch(line):
            above = heading[1]
            found.setdefault(stem, above)
        found |= {f"{stem}#{label}": above for label in waiting}
        waiting = []
    return found
