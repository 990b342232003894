"""A chapter climbs: what stands unfolded is read in one sitting, with few new terms and few experiments.

Not counted is what nobody reads through: the list of further reading.

`pytest -s tests/site/test_climb.py` prints the table of all chapters.
"""

import re
from typing import NamedTuple

import pytest
import yaml
from browsing import ROOT
from long_code import LONG

CHARACTERS, LINES = 500, 15  # read in a minute: of Korean prose, of code
LIMITS = {"minutes": 25, "terms": 15, "experiments": 3}  # of the core, Parts I to IV
LATER = {"minutes": 20, "terms": 15, "experiments": 5}  # of Part V, which compares what others have built
CORE = ("I.", "II.", "III.", "IV.")  # the parts, as the table of contents names them

HEADING = re.compile(r"(#+) ")
READING = "## 더 읽을거리"
CELL = re.compile(
    r"(?:---\n(?P<yaml>.*?)^---\n|(?P<options>(?::[^\n]*\n)+))?(?P<code>.*)", re.DOTALL | re.MULTILINE
)
HIDDEN = ("hide-input", "hide-cell", "remove-cell", "remove-input")
# 어텐션(attention), {term}`키`(key); an abbreviation, SOS(start of sequence), belongs to the words that it shortens
TERM = re.compile(r"(?:\{term\}`[^`]+`|[가-힣])\([a-zA-Z][\w ,–-]*\)")
# Numbers are drawn or a model is trained, and a reader sees what came of it. Two ways to compute one thing are no experiment.
DRAWS = re.compile(r"\brandn?\(|\brandint\(|\brandom\.|\btrain\w*\(|\bfrom_pretrained\(|\.step\(\)")
SHOWS = re.compile(r"\bprint\(|\bplt\.|\battention_map\(")
NO_EXPERIMENT = re.compile(r"assert_close\(")
NOT_READ = [  # what a page does not show, or shows without words
    (
        r"^\([\w-]+\)=$|^:[a-z-]+:.*$|^[ \t]*>.*$|^\|[ |:-]+\|$",
        "",
    ),  # anchors, options, a quiz's answers, a table's rule
    (r"^:::\{(?:quiz|folded)\}|^:::(?:\{.*)?$", ""),
    (r"\$\$.*?\$\$", ""),  # a formula is looked at; its table of symbols is read
    (r"\{cite:p\}`[^`]*`", ""),
    (r"\{cite:t\}`[^`]*`", "Vaswani et al. (2017)"),
    (r"\{[\w:]+\}`([^`<]*?)(?: <[^>]*>)?`", r"\1"),
    (r"!?\[([^\]]*)\]\([^)]*\)", r"\1"),
    (r"\\[a-zA-Z]+|[\\{}$`*|#]", ""),
    (r"\s+", " "),
]


class Climb(NamedTuple):
    minutes: float
    terms: int
    experiments: int


def unfolded(page: str):
    """(heading, code cell or None, prose or None) of what a page shows before anything is opened."""
    lines = iter(re.sub(r"\A---\n.*?^---\n", "", page, flags=re.DOTALL | re.MULTILINE).splitlines())
    heading, level, folded = "", 1, None  # folded: the level of the section whose rest waits behind a line
    for line in lines:
        if line.startswith("```"):
            block = "".join(f"{inside}\n" for inside in iter(lambda: next(lines), "```"))
            if folded is None and line.startswith("```{code-cell}"):
                yield heading, block, None
            continue
        if found := HEADING.match(line):
            heading, level = line, len(found[1])
            folded = None if folded is not None and level <= folded else folded
        if folded is None:
            yield heading, None, line
        if line.startswith(":::{folded}"):
            folded = level


def climb(page: str) -> Climb:
    """Minutes, terms glossed and experiments of a page's unfolded part."""
    prose, lines, experiments = [], 0, set()
    for heading, cell, text in unfolded(page):
        if heading == READING:
            continue
        if cell is None:
            prose.append(text)
            continue
        parts = CELL.fullmatch(cell)
        code = parts["code"].strip("\n")
        options = f"{parts['yaml']}{parts['options']}"
        if not any(tag in options for tag in HIDDEN) and code.count("\n") < LONG:
            lines += sum(1 for line in code.splitlines() if line.strip())
        if (
            "remove" not in options
            and DRAWS.search(code)
            and SHOWS.search(code)
            and not NO_EXPERIMENT.search(code)
        ):
            experiments.add(heading)
    text = "\n".join(prose)
    terms = len(set(TERM.findall(text)))
    for pattern, instead in NOT_READ:
        text = re.sub(pattern, instead, text, flags=re.DOTALL if "$$" in pattern else re.MULTILINE)
    return Climb(len(text) / CHARACTERS + lines / LINES, terms, len(experiments))


def chapters() -> dict[str, bool]:
    """Every numbered chapter in the order of reading, and whether it is of the core."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = [part for part in contents["parts"] if part.get("numbered")]
    return {
        c["file"]: part["caption"].startswith(tuple(f"{name} " for name in CORE))
        for part in parts
        for c in part["chapters"]
    }


def measured(name: str) -> Climb:
    return climb((ROOT / f"{name}.md").read_text(encoding="utf-8"))


def test_a_chapter_is_read_in_one_sitting():
    print(f"\n{'unfolded':<34}{'minutes':>8}{'terms':>7}{'experiments':>13}")
    over = []
    for name, core in chapters().items():
        found = measured(name)
        print(f"{name:<34}{found.minutes:8.1f}{found.terms:7}{found.experiments:13}")
        over += [
            f"{name}: {k} {getattr(found, k):.1f}, at most {most}"
            for k, most in (LIMITS if core else LATER).items()
            if getattr(found, k) > most
        ]
    assert over == [], "fold what is no part of the story (:::{folded}), or say it in fewer words"


PAGE = """\
---
x: y
---
# 가

(anchor)=
{term}`키`(key)와 값(value), SOS(start)입니다. $\\frac{1}{2}$

```{code-cell} python
print(torch.rand(1))
```

## 나

:::{folded} 펼치기
:::

숨은 {term}`글`(text)

### 다

```{code-cell} python
train()
print(2)
```

## 라

```{code-cell} python
:tags: [hide-input]

print(torch.randn(3))
```
"""


def test_what_is_counted():
    found = climb(PAGE)
    assert (found.terms, found.experiments) == (2, 2)  # neither what is folded nor the abbreviation
    prose = "가 키(key)와 값(value), SOS(start)입니다. 12 나 펼치기 라"
    assert found.minutes == pytest.approx(len(prose) / CHARACTERS + 1 / LINES, abs=3 / CHARACTERS)
