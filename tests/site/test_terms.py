"""One thing, one word: the glossary's choice holds in every page, exercise and hint."""

import json
import re

import pytest
from browsing import ROOT

GLOSSARY = ROOT / "chapters" / "glossary.md"
PAGES = sorted((ROOT / "chapters").glob("*.md"))
NOTEBOOKS = sorted((ROOT / "exercises").glob("*/*.ipynb"))
SOURCES = sorted(path for folder in ("grader", "solutions") for path in (ROOT / folder).rglob("*.py"))

FENCE = re.compile(r"^(?P<mark>`{3,})[^\n]*\n.*?^(?P=mark)[ \t]*$", re.MULTILINE | re.DOTALL)
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?P<code>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
NOT_PROSE = re.compile(
    r"\A---\n.*?^---$|\$\$.*?\$\$|`[^`\n]+`|\$[^$\n]+\$|!?\]\([^)]*\)|<[^>\n]+>|!\[", re.MULTILINE | re.DOTALL
)
NOT_STYLED = re.compile(
    r"(?P<role>\{[\w:]+\}`[^`]+`)|\A---\n.*?^---$|`[^`\n]+`|\]\([^)]*\)", re.MULTILINE | re.DOTALL
)
STRING = re.compile(r'"""(?:.|\n)*?"""|f?"(?:\\.|[^"\\\n])*"|f?\'(?:\\.|[^\'\\\n])*\'')

PHRASES = [
    "쉽게 말해",
    "말할 것도 없이",
    "에 다름 아니",
    "알아보도록 하겠습니다",
    "살펴보도록 하겠습니다",
    "되어진",
    "보여진다",
    "보여집니다",
]
# One word, one way to write it, where a list of words cannot say it: what is wrong -> what stands instead
STYLE = {
    r"\d %": "85%, attached",
    r"퍼센트|\d%p|% 포인트": "85%, 3%포인트",
    r"(?:모델|분류기|인코더|디코더|BERT|GPT|신경망)[을를] (?:[가-힣]+ )?학습[하합한할해했]": "모델을 학습시키다",
    r"(?:사전학습|파인튜닝)된": "사전학습한 모델",
    r"(?<![가-힣])머리(?!말|글)": "헤드",
    r"(?:벡터|질의|키|임베딩)의 길이|길이를 1로": "벡터의 크기",
    r"빈칸(?:으로|까지도?) (?:나누|이어|띄)": "공백",
    r"파이썬 목록": "리스트",
    r"(?:\$|[백천만])째(?![가-힣])": "번째",
    r"\{cite:t\}`[^`]+`(?:[는가와를](?![가-힣]))": "은, 이, 과, 을 after a citation",
}
# One symbol for one thing (the notation page's table)
SYMBOLS = {
    r"\bZ_i\b": "D_i, the sum below a softmax",
    r"(?<![\w_])v \\cdot": "v_a, the vector of additive attention",
    r"\bp - q\b": "p - r, two positions",
    r"\bW_[qkvo]\b": "W^Q, W^K, W^V, W^O",
}
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
EMOJI = re.compile("[\U0001f300-\U0001faff☀-⛿✀-✒✔-✖✘-➿️]")


def variants() -> dict[str, str]:
    """Words that the book does not use -> the term that stands in their place, as the glossary lists them."""
    found, term = {}, ""
    for line in GLOSSARY.read_text(encoding="utf-8").splitlines():
        if line.startswith("  쓰지 않는 말: "):
            for word in line.split(": ", 1)[1].rstrip(".").split(", "):
                found[word] = term
        elif line and not line.startswith((" ", "`", "#")):
            term = line
    return found


def prose(markdown: str) -> str:
    """A page's text without code, formulas, roles' contents in code marks, links' targets and front matter."""
    return NOT_PROSE.sub(" ", FENCE.sub(" ", markdown))


def notebook_prose(path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(prose("".join(cell["source"])) for cell in cells if cell["cell_type"] == "markdown")


def unwanted(text: str, words) -> list[str]:
    return [
        f"{word}: …{text[max(0, i - 15) : i + 20]!r}" for word in words for i in [text.find(word)] if i >= 0
    ]


def name(path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_glossary_lists_what_it_does_not_use():
    assert variants()["변압기"] == "트랜스포머"
    assert len(variants()) > 80


def test_no_term_is_anothers_variant():
    text = GLOSSARY.read_text(encoding="utf-8")
    definitions = "\n".join(line for line in text.splitlines() if "쓰지 않는 말" not in line)
    assert unwanted(prose(definitions.replace("```", "")), variants()) == []


@pytest.mark.parametrize("path", [page for page in PAGES if page != GLOSSARY], ids=name)
def test_pages_keep_to_the_glossary(path):
    assert unwanted(path.read_text(encoding="utf-8"), variants()) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_exercises_keep_to_the_glossary(path):
    assert unwanted(path.read_text(encoding="utf-8"), variants()) == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_hints_keep_to_the_glossary(path):
    assert unwanted(path.read_text(encoding="utf-8"), [*variants(), *PHRASES]) == []


@pytest.mark.parametrize("path", PAGES + NOTEBOOKS, ids=name)
def test_prose_is_plain(path):
    text = notebook_prose(path) if path.suffix == ".ipynb" else prose(path.read_text(encoding="utf-8"))
    assert unwanted(text, PHRASES) == []
    assert re.findall(r".{0,20}!", text) == []
    assert EMOJI.findall(text) == []


def departures(markdown: str) -> list[str]:
    """Where a page writes a word or a symbol in another way than the book does."""
    text = NOT_STYLED.sub(lambda part: part["role"] or " ", FENCE.sub(" ", markdown))
    formulas = " ".join(FORMULA.findall(text))
    return [
        f"{match[0]!r}: {instead}"
        for where, rules in ((text, STYLE), (formulas, SYMBOLS))
        for pattern, instead in rules.items()
        for match in re.finditer(pattern, where)
    ]


@pytest.mark.parametrize("path", [page for page in PAGES if page != GLOSSARY], ids=name)
def test_one_word_and_one_symbol_for_one_thing(path):
    assert departures(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("markdown", "wrong"),
    [
        ("정확도는 85 %이고 3 %포인트 낮습니다.", 2),
        ("모델을 더 학습합니다. 모델이 학습합니다. 모델을 학습시킵니다.", 1),
        ("두 머리를 얹고, 머리말을 씁니다.", 1),
        ("벡터의 길이와 문장의 길이", 1),
        ("{cite:t}`a`는 {cite:t}`b`은 {cite:t}`c`가", 2),
        ("$p - q$와 $v \\cdot x$, $v_a \\cdot x$, `W_q`와 $W^Q$", 2),
        ("```python\nx = 85 % 3\n```", 0),
    ],
)
def test_a_departure_is_found(markdown, wrong):
    assert len(departures(markdown)) == wrong


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_code_cells_are_english_but_for_data(path):
    """Hangul stands in strings only, and no string is printed or drawn as a sentence of the page."""
    for match in CELL.finditer(path.read_text(encoding="utf-8")):
        code = match["code"].partition("\n---\n")[2] if match["code"].startswith("---\n") else match["code"]
        assert re.findall(r".*[가-힣].*", STRING.sub('""', code)) == []
        labels = re.findall(
            r"(?:title|xlabel|ylabel|set_\w+|suptitle|label)\(?=?\(?\s*f?[\"'][^\"']*[가-힣]", code
        )
        assert labels == []


@pytest.mark.parametrize(
    ("markdown", "kept"),
    [
        ("가!\n\n```python\nassert x != 1\n```\n나", "!"),
        ("`x != 1`과 $n!$", ""),
        ("![그림](a.png)", ""),
    ],
)
def test_prose_leaves_code_and_formulas_out(markdown, kept):
    assert "".join(re.findall("!", prose(markdown))) == kept
