"""The drills of the book by the paragraphs that clear up their mistakes: other numbers for whoever makes the same one."""

from __future__ import annotations

import re

from grader.exercise import ROOT
from grader.words import ENGLISH, KOREAN

BEGIN = re.compile(r'^ +name: "([\w-]+)", kind:', re.MULTILINE)
TITLE = re.compile(r'^ +title: "(.+)",$', re.MULTILINE)
READ = re.compile(r'\bread: "([\w#-]+)"')


def drills() -> dict[str, dict[str, dict[str, str]]]:
    """For each language and each paragraph ("STEM#ANCHOR") the titles of drills by their own places in the book."""
    found: dict[str, dict[str, dict[str, str]]] = {KOREAN: {}, ENGLISH: {}}
    for path in sorted((ROOT / "assets" / "static" / "drills").glob("*.js")):
        _, *parts = BEGIN.split(path.read_text(encoding="utf-8"))
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            titles = dict(zip((KOREAN, ENGLISH), TITLE.findall(text), strict=True))
            for read in dict.fromkeys(READ.findall(text)):
                for language, title in titles.items():
                    found[language].setdefault(read, {})[f"{path.stem}#drill-{name}"] = title
    return found
