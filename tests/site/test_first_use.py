"""A reader meets no term before its definition: where the parts first use one, it links to the glossary."""

import re

import yaml
from browsing import ROOT
from test_terms import FENCE, GLOSSARY, NOT_PROSE

ROLE = re.compile(r"\{term\}`([^`<]+?)(?:\s*<([^>]+)>)?`")
# What is no sentence of the page: headings, options of a directive (alt texts), anchors
ASIDE = re.compile(r"^#+ .*$|^:[a-z-]+: .*$|^\([\w-]+\)=$", re.MULTILINE)
ORDINARY = {
    "키",
    "값",
    "층",
    "이점",
    "보상",
    "특징",
}  # everyday words and parts of others, too: a reader needs no link to read them


def glossary_terms() -> list[str]:
    """The lines of the glossary's blocks that are not indented: a definition is."""
    blocks = re.findall(r"^```\{glossary\}\n(.+?)^```", GLOSSARY.read_text(encoding="utf-8"), re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line and not line.startswith(" ")]


def parts_in_order() -> list[list[str]]:
    """Each numbered part's chapters, as in the table of contents."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [
        [chapter["file"] for chapter in part["chapters"]]
        for part in contents["parts"]
        if part.get("numbered")
    ]


def marked_prose(markdown: str) -> str:
    """A page's prose after its opening, which only promises, with linked terms in guillemets."""
    markdown = "## " + markdown.partition("\n## ")[2]
    markdown = ROLE.sub(lambda link: f"«{(link[2] or link[1]).strip()}»", markdown)
    return ASIDE.sub(" ", NOT_PROSE.sub(" ", FENCE.sub(" ", markdown)))


def unlinked_first_uses(pages: list[tuple[str, str]], terms: list[str]) -> list[str]:
    """'page: term' for each term whose first use in the pages (name, markdown) is no link."""
    terms = sorted(terms, key=len, reverse=True)  # 셀프 어텐션 is no use of 어텐션
    pattern = re.compile("«(" + "|".join(map(re.escape, terms)) + ")»|" + "|".join(map(re.escape, terms)))
    seen, found = set(), []
    for name, markdown in pages:
        for use in pattern.finditer(marked_prose(markdown)):
            term = use[1] or use[0]
            if term not in seen and not use[1]:
                found.append(f"{name}: {term}")
            seen.add(term)
    return found


def test_the_first_use_of_a_term_links_to_its_definition():
    terms = [term for term in glossary_terms() if term not in ORDINARY]
    names = [name for part in parts_in_order() for name in part]
    pages = [(name, (ROOT / f"{name}.md").read_text(encoding="utf-8")) for name in names]
    assert unlinked_first_uses(pages, terms) == []


def test_a_use_before_the_link_is_found():
    pages = [
        ("a", "어텐션을 배웁니다.\n\n## 가\n\n질의와 {term}`셀프 어텐션`(self-attention)"),
        ("b", "\n## 나\n\n{term}`질의`와 어텐션, `키`"),
    ]
    assert unlinked_first_uses(pages, ["질의", "어텐션", "셀프 어텐션", "키"]) == ["a: 질의", "b: 어텐션"]
