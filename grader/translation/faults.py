"""Parts that a translation must leave as they are: numbers, formulas, code, and where roles and links lead."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import count

from grader.exercise import ROOT
from grader.translation.catalogue import Catalogue
from grader.translation.markdown import DROP, KOREAN
from grader.words import HOLE

CODE = re.compile(r"(?<!`)(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)")
ROLE = re.compile(r"\{(?P<role>[\w:-]+)\}`(?P<content>[^`]+)`")
TITLED = re.compile(r"^.*<(?P<target>[^<>]+)>$")
FORMULA = re.compile(r"(?<!\\)\$(?P<formula>[^$]+)\$")
WORDS = re.compile(r"\\text(?:bf|it|rm)?\{[^{}]*\}|\s")
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
NUMBER = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*")
MYRIADS = re.compile(r"(?P<number>\d[\d,]*(?:\.\d+)?)(?P<unit>만|억|천)")
UNITS = {"천": 10**3, "만": 10**4, "억": 10**8}
RUN = re.compile(r"[가-힣ㄱ-ㆎ]+")
OTHER_NUMBERS = "numbers:"  # a comment on a message that gives the reason why its numbers differ


@cache
def terms() -> dict[str, str]:
    """The glossary's words: Korean to English."""
    glossary = (ROOT / "chapters" / "glossary.md").read_text(encoding="utf-8")
    english = Catalogue("en", "chapters/glossary")
    entries = re.findall(r"^((?:[^\s`].*\n)+)  \*", glossary, re.MULTILINE)
    return {word: english(word) for entry in entries for word in entry.splitlines()}


def faults(source: str, target: str, other_numbers: bool = False) -> Iterator[str]:
    """Sentences on what a translation changes that it must not."""
    if target == DROP:
        return
    yield from _differ("holes", _holes(source), _holes(target))
    if "{}" in source:
        target = HOLE.sub("{}", target)
    kinds = (
        ("roles", _roles),
        ("links", _links),
        ("code", _code),
        ("formulas", _formulas),
        ("holes", _holes),
    )
    for what, of in kinds:
        yield from _differ(what, of(source), of(target))
    if not other_numbers and _numbers(target) != _numbers(source, myriads=True):
        yield from _differ("numbers", _numbers(source), _numbers(target))
    yield from _differ("cells", _cells(source), _cells(target))
    known = set(terms().values())
    for word in _terms(target):
        if word not in known:
            yield f"{{term}}: {word!r} is no word of the English glossary"
    ours = RUN.findall(source)
    if left := [word for word in RUN.findall(target) if not any(word in run for run in ours)]:
        yield f"Korean that the source does not have: {', '.join(left)}"


def _differ(what: str, ours: Counter, theirs: Counter) -> Iterator[str]:
    if missing := ours - theirs:
        yield f"{what} missing: {', '.join(missing.elements())}"
    if added := theirs - ours:
        yield f"{what} added: {', '.join(added.elements())}"


def _target(content: str) -> str:
    titled = TITLED.match(content)
    return titled["target"] if titled else content


def _roles(text: str) -> Counter:
    return Counter(f"{r['role']} {_target(r['content'])}" for r in ROLE.finditer(text) if r["role"] != "term")


def _terms(text: str) -> list[str]:
    return [_target(r["content"]) for r in ROLE.finditer(text) if r["role"] == "term"]


def _links(text: str) -> Counter:
    return Counter(link["target"] for link in LINK.finditer(text))


def _code(text: str) -> Counter:
    return Counter(code for _, code in CODE.findall(ROLE.sub("", text)) if not KOREAN.search(code))


def _formulas(text: str) -> Counter:
    bare = CODE.sub("", ROLE.sub("", text))
    return Counter(WORDS.sub("", found["formula"]) for found in FORMULA.finditer(bare))


def _numbers(text: str, myriads: bool = False) -> Counter:
    """`myriads`: 만 behind a number is ten thousand, and not the particle "only"."""
    bare = FORMULA.sub(" ", CODE.sub(" ", LINK.sub("]", ROLE.sub(" ", text))))
    if myriads:
        bare = MYRIADS.sub(lambda m: f"{float(m['number'].replace(',', '')) * UNITS[m['unit']]:.0f}", bare)
    return Counter(number.replace(",", "") for number in NUMBER.findall(bare))


def _holes(text: str) -> Counter:
    """Holes to fill: "{}" in order, or by number where the other language turns the sentence round."""
    bare = FORMULA.sub("", text)
    numbers = count()
    return Counter(hole[1] or str(next(numbers)) for hole in HOLE.finditer(bare))


def _cells(text: str) -> Counter:
    if not text.startswith("|"):
        return Counter()
    bare = FORMULA.sub("", CODE.sub("", text)).replace(r"\|", "")
    return Counter({"|": bare.count("|")})
