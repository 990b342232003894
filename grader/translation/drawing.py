"""The words of an SVG drawing, and the drawing with other words in their places."""

import re
from collections.abc import Callable
from html import escape, unescape

WORDS = re.compile(r"(?P<before>>\s*|aria-label=\")(?P<text>[^<>\"]*[가-힣][^<>\"]*?)(?P<after>\s*<|\")")


def messages(drawing: str) -> list[str]:
    return [unescape(found["text"]) for found in WORDS.finditer(drawing)]


def translated(drawing: str, translate: Callable[[str], str]) -> str:
    return WORDS.sub(
        lambda found: found["before"] + escape(translate(unescape(found["text"]))) + found["after"], drawing
    )
