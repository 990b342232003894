"""Numbers in prose cannot rot: a page's own cells or formulas hold every figure that its text quotes."""

import re

import pytest
from test_terms import CELL, PAGES, name

FRONT_MATTER = re.compile(r"\A---\n.*?^---$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^(?P<mark>`{3,})[^\n]*\n.*?^(?P=mark)[ \t]*$", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
# Code, links, anchors, and what a drawing (worked by hand) is said to show
NO_FIGURE = re.compile(r"`[^`\n]+`|\]\([^)]*\)|^\([\w-]+\)=$|^:(?:name|width|alt): .*$", re.MULTILINE)
# 0.85, 3.4, 85% and 3.4%, but no section (3.2.1절), no figure (그림 6.1), no table (표 3)
FIGURE = re.compile(r"(?<![\w.,])(?<!그림 )(\d[\d,]*\.\d+%?|\d[\d,]*%)(?![\d.]*절|\.\d)")
NUMBER = re.compile(r"\d[\d_,]*(?:\.\d+)?(?:e[+-]?\d+)?")
CITED = re.compile(r"\{cite:[a-z]+\}")

# Figures that no cell and no formula can hold: page -> {figure: why}
EXCEPTIONS = {
    "how_to": {
        "3.11": "a version of Python",
        "3.14": "a version of Python",
        "4.0": "a licence's version",
    },
    "notation": {"85%": "how a percentage is written", "3%": "how a difference is written"},
}


def values(text: str) -> set[float]:
    """All numbers in code or a formula; a comma between digits groups thousands or, in a vector, separates."""
    found = set()
    for number in NUMBER.findall(text.replace("{,}", "")):
        for part in {number.replace(",", ""), *number.split(",")}:
            if part := part.replace("_", ""):
                found.add(float(part))
    return found


def unheld_figures(markdown: str) -> list[str]:
    """Figures that the text quotes without a citation and no cell or formula of the page has."""
    held, alternatives = set(), []
    for cell in CELL.finditer(markdown):
        options, _, code = cell["code"].rpartition("\n---\n")
        held |= values(code)
        alternatives += re.findall(r"^\s*alt: .*$", options, re.MULTILINE)
    text = FENCE.sub("\n\n", FRONT_MATTER.sub("", markdown))
    text = "\n\n".join([text, *alternatives])
    for formula in FORMULA.findall(text):
        held |= values(formula)
    text = NO_FIGURE.sub(" ", FORMULA.sub(" ", text))
    found = []
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*>]|\d+\.) )", text):
        if CITED.search(paragraph):
            continue
        for figure in FIGURE.findall(paragraph):
            value = float(figure.rstrip("%").replace(",", ""))
            wanted = {value, round(value / 100, 6)} if figure.endswith("%") else {value}
            if not wanted & held:
                found.append(figure)
    return found


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_figures_in_prose_are_held_by_the_page(path):
    unheld = unheld_figures(path.read_text(encoding="utf-8"))
    allowed = EXCEPTIONS.get(path.stem, {})
    assert [figure for figure in unheld if figure not in allowed] == []
    assert [figure for figure in allowed if figure not in unheld] == [], "an exception that is not needed"


CELL_OF_085 = "```{code-cell} python\nassert abs(accuracy - 0.85) < 0.03\n```\n"


@pytest.mark.parametrize(
    ("markdown", "unheld"),
    [
        ("정확도는 약 0.85입니다.", ["0.85"]),
        ("정확도는 약 0.85입니다.\n\n" + CELL_OF_085, []),
        ("정확도는 85%입니다.\n\n" + CELL_OF_085, []),
        ("정확도는 0.86입니다.\n\n" + CELL_OF_085, ["0.86"]),
        ("```{code-cell} python\n---\nmystnb:\n  image:\n    alt: 0.9까지\n---\nplot()\n```", ["0.9"]),
        ("3.2.1절의 그림 6.1과 `0.3`, 셋째 자리의 12", []),
        ("$1/8 = 0.125$입니다.\n\n0.125만 움직입니다.", []),
        ("| 0.3 |\n\n- BLEU가 0.9 낮았습니다 {cite:p}`x`.\n- 0.4도 있습니다.", ["0.3", "0.4"]),
    ],
)
def test_a_figure_that_nothing_holds_is_found(markdown, unheld):
    assert unheld_figures(markdown) == unheld
