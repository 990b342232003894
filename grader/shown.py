"""Strangers' text (students' names, files, messages) as it can be shown: nothing in it acts on what shows it.

A terminal obeys escapes, a browser bidirectional overrides, a spreadsheet formulas; a name with a zero-width space looks
like another. Whoever shows such text passes it through here.
"""

from __future__ import annotations

import html
import re
import unicodedata

LONGEST = 4000  # characters of a line; nothing that somebody reads is longer
# Control and format characters, private ones, halves of pairs, separators of lines; not tab and newline. Ranges, since
# a regular expression is many times faster than a look at each character's category.
_ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\uf8ff\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_MARKS = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{4})[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+"
)


def plain(text: str) -> str:
    """The text with what acts made visible (`\\x1b`, `\\u202e`) and lines beyond `LONGEST` characters cut."""
    text = _MARKS.sub(r"\1", _ACTS.sub(_visible, text))
    if len(text) <= LONGEST:
        return text
    return "\n".join(map(_short, text.split("\n")))


def one_line(text: str) -> str:
    """`plain`, on a single line: for file names, ids and whatever stands in a list."""
    return plain(text.replace("\r\n", "\n")).replace("\n", "\\n").replace("\t", " ")


def escape(text: str) -> str:
    """`plain`, as HTML."""
    return html.escape(plain(text))


def cell(text: str) -> str:
    """`one_line`, as a spreadsheet's cell: one that begins like a formula would be run."""
    text = one_line(text)
    return f"'{text}" if text and text[0] in "=+-@" else text


def in_json(text: str) -> str:
    """JSON whose strings hold the same, and nothing that acts."""
    return _ACTS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _visible(found: re.Match[str]) -> str:
    character = found[0]
    if unicodedata.category(character) == "Cs" and character >= "\udc80" and character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"  # a byte of a file name that is no UTF-8
    return character.encode("unicode_escape", "surrogatepass").decode()


def _short(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} ... ({len(line) - LONGEST} more characters)"
