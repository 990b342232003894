"""What a search should find: which pages say a thing, read from the sources by a plain scan that knows no search.

A page says a word if its source does: chapters and notebooks, prose, code and formulas, but no unseen cells, no
bibliography and, in the glossary, none of the words that the book does not use. Of pages that are kept from the search
(nosearch) only the head answers.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from browsing import ROOT

from grader.translation.catalogue import Catalogue
from grader.translation.markdown import translated

PARTICLES = "은|는|이|가|을|를|의|에|와|과|로|도|만|나|인|며|마다|까지|부터|에서|에는|에도|에서는|에서의|으로|보다|처럼|입니다|이다|이고|이며|이나|이란|란|들|들은|들이|들을|들의|이라는|라는|라고"
UNSEEN = re.compile(
    r"\A---\n.*?^---$|^```\{code-cell\}[^\n]*\n(?:---\n)?:?[^\n]*remove-(?:cell|input)[^\n]*\n.*?^```[ \t]*$|^  (?:쓰지 않는 말|Other names): .*?$|^:alt: .*?$",
    re.MULTILINE | re.DOTALL,
)
# Anchors and stems, which in an English page look like its words
NAMES = re.compile(r"^\([\w-]+\)=$|\{ref\}`[^`<]*`|<[\w-]+>(?=`)|(?<=^- )[a-z]\w+: ", re.MULTILINE)


@dataclass
class Query:
    kind: str
    text: str
    words: str
    pages: set[str]  # any of them is meant
    sections: set[str]
    language: str


def read_queries(file: str, language: str) -> list[Query]:
    lines = (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines()
    queries = []
    for line in lines:
        if line and not line.startswith("#"):
            kind, text, words, meant = line.split(" | ")
            meant = meant.split(", ")
            pages = {place.partition("#")[0] for place in meant}
            queries.append(
                Query(kind, text, words, pages, {place for place in meant if "#" in place}, language)
            )
    return queries


QUERIES = read_queries("search_queries.txt", "ko")
ENGLISH = read_queries("search_queries_en.txt", "en")


@cache
def sources(language: str) -> dict[str, str]:
    found = {}
    for path in sorted((ROOT / "chapters").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if text.startswith("---\nnosearch: true"):
            text = text.partition("\n## ")[0]
        if language != "ko":
            text = NAMES.sub("", translated(text, Catalogue(language, f"chapters/{path.stem}")))
        found[path.stem] = UNSEEN.sub("\n", text)
    for folder in sorted((ROOT / "exercises").iterdir()):
        path = folder / (f"{folder.name}.ipynb" if language == "ko" else f"{folder.name}.{language}.ipynb")
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        found[f"exercises/{folder.name}"] = "\n\n".join("".join(cell["source"]) for cell in cells)
    titles = {name: re.search(r"^# (.*)", text, re.MULTILINE)[1] for name, text in found.items()}
    return {name: plain(text, titles) for name, text in found.items()}


def plain(text: str, titles: dict[str, str]) -> str:
    """With the titles of the pages that it links to, as a reader sees them, and without marks."""
    text = re.sub(r"\{doc\}`(\w+)`", lambda link: titles.get(link[1], ""), text)
    return re.sub(r"[$`*\\]|\{(?:term|ref|doc)\}", "", text)


def pattern(word: str, language: str) -> re.Pattern:
    alone = word.endswith("!")
    open_ended = word.endswith("*")
    word = word.rstrip("!*")
    body = r"[\s\-–·]*".join(map(re.escape, word.split(" ")))
    if word[0].isascii() and word[0].isalpha():
        body = rf"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?i:{body})"
    if language == "en":
        if word[-1].isalpha() and not open_ended:
            body = rf"{body}(?:{'s' if alone else 's|es|d|ed|ing'})?(?![a-z])"
    elif alone:
        body = rf"(?<![가-힣]){body}(?:{PARTICLES})?(?![가-힣])"
    return re.compile(body)


def pages_that_say(query: Query) -> set[str]:
    return {
        name
        for name, text in sources(query.language).items()
        if all(
            any(pattern(way, query.language).search(text) for way in group.split(" / "))
            for group in query.words.split(" & ")
        )
    }
