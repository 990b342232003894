"""Reasons as a reader meets them: with the address of the paragraph that clears them up, and `names` in code."""

from __future__ import annotations

from grader.shown import escape
from grader.words import IN_KOREAN, Words

READ_WHY = "이유를 설명하는 문단 읽기"


def page_url(read: str, book_url: str) -> str:
    """The paragraph that a hint points to: "masking#look-ahead" -> its address in the book."""
    stem, _, anchor = read.partition("#")
    return f"{book_url}/chapters/{stem}.html#{anchor}"


def place(read: str, book_url: str, words: Words = IN_KOREAN) -> str:
    """The address to read at; words, where nobody has said where the book is."""
    stem, _, anchor = read.partition("#")
    return page_url(read, words.book(book_url)) if book_url else words(f"책의 {stem} 장, {anchor}")


def where_to_read(read: str, book_url: str, words: Words = IN_KOREAN) -> str:
    """`place` in a line of its own."""
    return words(f"읽을 곳: {place(read, book_url, words)}")


def in_code(text: str) -> str:
    """Escape, and set `names` in code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))
