"""The prose of a MyST page, message by message, and the page with other prose in the same places.

A message is a paragraph, heading, list item, table row, directive's title, caption or alternative text: whatever holds a
Korean letter and is no code. Everything else is the same in every language.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

KOREAN = re.compile("[가-힣ㄱ-ㆎ]")
FENCE = re.compile(r"^(?P<indent>\s*)(?P<fence>`{3,})(?:\{(?P<name>[\w-]+)\})?(?P<rest>.*)$")
DIRECTIVE = re.compile(r"^(?P<head>\s*:{3,}\{[\w-]+\} ?)(?P<text>.*)$")
OPTION = re.compile(r"^(?P<head>\s*:[\w-]+: )(?P<text>.*)$")
CELL_OPTION = re.compile(r"^(?P<head>\s*(?:caption|alt): )(?P<text>.*)$")
HEADING = re.compile(r"^(?P<head>#+ )(?P<text>.*)$")
ROW = re.compile(r"^(?P<head>\s*)(?P<text>\|.*)$")
ITEM = re.compile(r"^(?P<head>\s*(?:[-*+]|\d+\.) (?:\[[ xX]\] )?)(?P<text>.*)$")
QUOTE = re.compile(r"^(?P<head>\s*> ?)(?P<text>.*)$")
VERBATIM = re.compile(r"^\s*(?::{3,}\s*$|\([\w-]+\)=\s*$|%)")
BLOCK = (FENCE, DIRECTIVE, OPTION, HEADING, ROW, ITEM, QUOTE, VERBATIM, re.compile(r"^\s*\$\$"))
PROSE_FENCES = {"glossary"}
DROP = "∅"  # the translation of what has no place in the other language


@dataclass(frozen=True)
class Message:
    """Prose in its place: the line on which it begins (from 1), what stands before it, and its text on one line."""

    line: int
    head: str
    text: str


def parts(page: str) -> Iterator[Message | str]:
    """The page in order: messages, and between them lines that stay as they are."""
    lines = page.split("\n")
    at, glossary = 0, False
    if lines[0] == "---":  # front matter
        end = lines.index("---", 1) + 1
        yield from lines[:end]
        at = end
    while at < len(lines):
        line = lines[at]
        fence = FENCE.match(line)
        if fence and fence["name"] not in PROSE_FENCES and line.strip() != "```":
            end = next(n for n in range(at + 1, len(lines)) if lines[n].strip() == fence["fence"])
            yield from _fenced(lines, at, end, fence)
            at = end + 1
        elif line.strip() == "$$":
            end = lines.index(line, at + 1)
            yield from _whole(lines, at, end + 1)
            at = end + 1
        elif not line.strip() or fence or VERBATIM.match(line):
            glossary = fence["name"] == "glossary" if fence else glossary
            yield line
            at += 1
        elif glossary and not line.startswith(" "):  # a term; its definition is indented
            yield _message(at, "", [line], [line])
            at += 1
        elif found := next(
            filter(None, (kind.match(line) for kind in (DIRECTIVE, OPTION, HEADING, ROW))), None
        ):
            yield _message(at, found["head"], [found["text"]], [line])
            at += 1
        else:
            end = at + 1
            while end < len(lines) and lines[end].strip() and not _begins_block(lines[end], line):
                end += 1
            found = ITEM.match(line) or QUOTE.match(line) or re.match(r"^(?P<head>\s*)(?P<text>.*)$", line)
            texts = [found["text"], *(_continued(more, found["head"]) for more in lines[at + 1 : end])]
            yield _message(at, found["head"], texts, lines[at:end])
            at = end


def _begins_block(line: str, first: str) -> bool:
    if QUOTE.match(line) and QUOTE.match(first):
        return False
    return any(kind.match(line) for kind in BLOCK)


def _continued(line: str, head: str) -> str:
    return QUOTE.match(line)["text"] if QUOTE.match(head + "x") else line.strip()


def _message(at: int, head: str, texts: list[str], lines: list[str]) -> Message | str:
    text = " ".join(text.strip() for text in texts)
    return Message(at + 1, head, text) if KOREAN.search(text) else "\n".join(lines)


def _whole(lines: list[str], start: int, end: int) -> Iterator[Message | str]:
    """Lines that are one message with their breaks: a formula, a listing."""
    text = "\n".join(lines[start:end])
    yield Message(start + 1, "", text) if KOREAN.search(text) else text


def _fenced(lines: list[str], at: int, end: int, fence) -> Iterator[Message | str]:
    yield lines[at]
    body = at + 1
    if fence["name"]:
        option = OPTION
        if body < end and lines[body] == "---":
            option = CELL_OPTION
            yield lines[body]
            body += 1
        while body < end and (option is CELL_OPTION or lines[body].startswith(":")):
            line = lines[body]
            body += 1
            if line == "---":
                yield line
                break
            found = option.match(line)
            if not found and KOREAN.search(line):
                raise ValueError(f"line {body}: what is this option? {line.strip()!r}")
            yield _message(body - 1, found["head"], [found["text"]], [line]) if found else line
    if fence["name"] == "code-cell":
        yield from lines[body:end]
    elif body < end:
        yield from _whole(lines, body, end)
    yield lines[end]


def messages(page: str) -> list[Message]:
    return [part for part in parts(page) if isinstance(part, Message)]


def translated(page: str, translate: Callable[[str], str]) -> str:
    """The page with `translate(text)` in the place of every message; what is translated to DROP leaves.

    A heading begins with a capital: a term of the glossary may be one. A cell's option is YAML, where ": " says something.
    """
    lines = []
    for part in parts(page):
        if isinstance(part, str):
            lines.append(part)
        elif (text := translate(part.text)) != DROP:
            if part.head.startswith("#"):
                text = text[:1].upper() + text[1:]
            elif CELL_OPTION.match(part.head) and ": " in text:
                text = "'{}'".format(text.replace("'", "''"))
            lines.append(part.head + text)
    return "\n".join(lines)
