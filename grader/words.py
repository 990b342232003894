"""Words in the student's language. The grader decides in Korean; words are replaced where they are shown."""

from __future__ import annotations

import re
from collections.abc import Mapping

KOREAN, ENGLISH = "ko", "en"
OPENINGS = {KOREAN: "from grader import check", ENGLISH: "from grader.en import check"}
HOLE = re.compile(r"\{(\d*)\}")
LONGEST = 4000  # of a text that may be a filled template; no sentence of ours is as long
DEPTH = 3  # of what fills a template and is a filled template itself: a note on a cell on a place


class Words:
    """A language's sentences by their sources: whole texts, and templates with {} for what is filled in ("head {}").

    What is not translated stays as it is.
    """

    def __init__(self, texts: Mapping[str, str], language: str):
        self.language, self.texts = language, dict(texts)
        templates = sorted((source for source in self.texts if "{}" in source), key=len, reverse=True)
        self._templates = [(source.split("{}"), self.texts[source]) for source in templates]

    def __contains__(self, text: str) -> bool:
        return text in self.texts or self._filled(text, 1) is not None

    def __call__(self, text: str, depth: int = DEPTH) -> str:
        if text in self.texts:
            return self.texts[text]
        filled = self._filled(text, depth) if depth and len(text) <= LONGEST else None
        return text if filled is None else filled

    def _filled(self, text: str, depth: int) -> str | None:
        for pieces, target in self._templates:
            if (found := fillings(pieces, text)) is not None:
                return fill(target, [self(part, depth - 1) for part in found])
        return None

    def book(self, url: str | None) -> str:
        """The book's address in this language."""
        return f"{url}/{self.language}" if url and self.language != KOREAN else url or ""


IN_KOREAN = Words({}, KOREAN)


def fillings(pieces: list[str], text: str) -> list[str] | None:
    """Texts in the holes between a template's pieces; None where the text is not of it.

    No regular expression: its time would be in the hands of who wrote the text.
    """
    first, *inner, last = pieces
    at, end = len(first), len(text) - len(last)
    if at > end or not text.startswith(first) or not text.endswith(last):
        return None
    found = []
    for piece in inner:
        place = text.find(piece, at, end)
        if place < 0:
            return None
        found.append(text[at:place])
        at = place + len(piece)
    return [*found, text[at:end]]


def fill(template: str, parts: list[str]) -> str:
    """Put parts into the holes: {} in their order, {1} by number (from 0), for languages that turn a sentence round."""
    number = iter(range(len(parts)))
    return HOLE.sub(lambda hole: parts[int(hole[1]) if hole[1] else next(number)], template)


def language_of(notebook: bytes) -> str:
    """The language of a notebook's file, whatever else is wrong with it: by its metadata, or by how it opens.

    It decides on nothing but words, so a look at the bytes will do.
    """
    said = rb'"lang":\s*"en"|' + re.escape(OPENINGS[ENGLISH]).encode()
    return ENGLISH if re.search(said, notebook) else KOREAN
