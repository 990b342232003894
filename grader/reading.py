"""Reasons as a reader meets them: with the address of the paragraph that clears them up, and `names` in code."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from grader.shown import escape
from grader.words import IN_KOREAN, Words

HEADINGS, DRILLS = (Path(__file__).with_name(name) for name in ("headings.json", "drills.json"))

DRILL = "drill-"  # begins the anchors of drills


def page_url(read: str, book_url: str) -> str:
    """The paragraph that a hint points to: "masking#look-ahead" -> its address in the book."""
    stem, _, anchor = read.partition("#")
    return f"{book_url}/chapters/{stem}.html#{anchor}"


def place(read: str, words: Words = IN_KOREAN) -> str:
    """The names of the chapter and section to read: "마스킹, '볼 것이 하나도 없는 행'"."""
    stem, _, anchor = read.partition("#")
    named = _headings()[words.language]
    chapter, section = named.get(stem, stem), "" if anchor.startswith(DRILL) else named.get(read, anchor)
    return chapter if section in ("", chapter) else f"{chapter}, '{section}'"


@cache
def _headings() -> dict[str, dict[str, str]]:
    return json.loads(HEADINGS.read_text(encoding="utf-8"))


def to_try(read: str, words: Words = IN_KOREAN) -> dict[str, str]:
    """The drills with other numbers on what a paragraph says: a line on each, by its place in the book."""
    titles = _drills()[words.language].get(read, {})
    return {at: words(f"다른 수로 풀어 보기: {place(at, words)}, '{title}'") for at, title in titles.items()}


@cache
def _drills() -> dict[str, dict[str, dict[str, str]]]:
    return json.loads(DRILLS.read_text(encoding="utf-8"))


def where_to_read(read: str, book_url: str, words: Words = IN_KOREAN) -> str:
    """`place` in a line of its own, with the address where somebody has said where the book is."""
    return with_address(words(f"읽을 곳: {place(read, words)}"), read, book_url, words)


def with_address(line: str, read: str, book_url: str, words: Words = IN_KOREAN) -> str:
    """A line on a place in the book, with its address where somebody has said where the book is."""
    return f"{line} {page_url(read, words.book(book_url))}" if book_url else line


def link_to_read(read: str, book_url: str, words: Words = IN_KOREAN) -> str:
    """`where_to_read` as HTML: a link, where there is an address."""
    return link(words(f"읽을 곳: {place(read, words)}"), read, book_url, words)


def link(line: str, read: str, book_url: str, words: Words = IN_KOREAN) -> str:
    """`with_address` as HTML."""
    line = in_code(line)
    url = escape(page_url(read, words.book(book_url)))
    return f'<a href="{url}" target="_blank">{line}</a>' if book_url else line


def in_code(text: str) -> str:
    """Escape, and set `names` in code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))
