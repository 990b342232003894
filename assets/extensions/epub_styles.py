"""Stylesheets as an EPUB's readers know them: older than browsers, and without fonts of ours.

What stands in :is() and :not() is spelled out; a rule with :has() is left out, as are fonts, which the EPUB does not
hold, margins of paper, and the direction of text, which belongs in the pages. Colours are those of the light pages: an
EPUB's bear no theme, and a colour without a value paints black.
"""

import re
from pathlib import Path

import tinycss2
from one_stylesheet import GROUPS, parted

ANY = re.compile(r":(?:is|where)\((?P<choices>(?:[^()]|\([^()]*\))*)\)")
NONE = re.compile(r":not\((?P<choices>[^()]*,[^()]*)\)")
START = re.compile(r"(.*[\s>+~]|)(.*)", re.DOTALL)
COMMA = re.compile(r",(?![^(]*\))")
UNKNOWN = re.compile(r":(?:has|focus-within|focus-visible)\b|::(?!before|after|first-l)")
LEFT_OUT = {"direction", "unicode-bidi"}


def spelled_out(selector: str) -> list[str]:
    """The selectors that one with :is() stands for."""
    if found := ANY.search(selector):
        start, end = selector[: found.start()], selector[found.end() :]
        before, compound = START.fullmatch(start).groups()
        each = []
        for choice in map(str.strip, COMMA.split(found["choices"])):
            joined = (
                choice + compound if choice[0].isalpha() else compound + choice
            )  # an element stands first
            each += spelled_out(before + joined + end)
        return each
    none = NONE.sub(lambda no: "".join(f":not({one.strip()})" for one in no["choices"].split(",")), selector)
    return [none]


LIGHT = re.compile(r"html\[data-theme=[\"']?light[\"']?\]")
BORDER = ":root {--pst-color-border: #999999;}\n"  # of the theme, whose own sheet is not here


def declarations(content) -> str:
    parsed = tinycss2.parse_declaration_list(content, skip_comments=True, skip_whitespace=True)
    return "".join(
        f"{one.serialize()};" for one in parsed if one.type == "declaration" and one.name not in LEFT_OUT
    )


def older(rules) -> str:
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [LIGHT.sub(":root", selector) for selector in parted(rule.prelude, ",")]
            every = [plain for selector in selectors for plain in spelled_out(selector)]
            if known := [selector for selector in every if not UNKNOWN.search(selector)]:
                kept.append(f"{', '.join(known)} {{{declarations(rule.content)}}}")
        elif rule.type == "at-rule" and rule.at_keyword in GROUPS and rule.content is not None:
            inner = older(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True))
            kept.append(f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}")
    return "\n".join(kept)


def rewrite(folder: Path) -> None:
    for path in folder.rglob("*.css"):
        sheet = tinycss2.parse_stylesheet(
            path.read_text(encoding="utf-8"), skip_comments=True, skip_whitespace=True
        )
        path.write_text(older(sheet) + "\n", encoding="utf-8")
    with (folder / "epub.css").open("a", encoding="utf-8") as every_page:
        every_page.write(BORDER)
