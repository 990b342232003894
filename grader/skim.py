"""A notebook's file without what grading does not read: outputs and attached pictures are passed over while it is read.

Memory is bounded by what is kept and by `CHUNK`, however large the file. Home and class read by this alone.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

CHUNK = 1 << 20  # bytes read at once
SKIPPED = {"outputs", "attachments", "widgets"}  # keys, of cells and of the notebook's metadata
_SIGN = re.compile(r'["{}\[\]]')
_STRING = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_KEY = re.compile(r"\s*:\s*")
_LONGEST_KEY = 100


class TooLarge(Exception):
    """More would be kept than may be."""


def skim(file: BinaryIO, most: int) -> bytes:
    """The file's JSON in UTF-8, with `null` for the values of `SKIPPED`; whatever is no JSON stays as it is.

    Raises:
        TooLarge: more than `most` bytes would be kept.
    """
    start = file.read(4)
    file.seek(0)
    names = ["utf-16"] if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else ["utf-8-sig", "cp949"]
    for name in names:
        try:
            return _skimmed(file, name, "strict", most)
        except UnicodeDecodeError:
            file.seek(0)
    return _skimmed(file, names[0], "replace", most)


def _skimmed(file: BinaryIO, encoding: str, errors: str, most: int) -> bytes:
    kept = bytearray()
    for text in _Skimmer(_pieces(file, encoding, errors)):
        kept += text.encode("utf-8", "surrogatepass")
        if len(kept) > most:
            raise TooLarge
    return bytes(kept)


def _pieces(file: BinaryIO, encoding: str, errors: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    while block := file.read(CHUNK):
        yield decoder.decode(block)
    yield decoder.decode(b"", True)


class _Skimmer:
    """Iterates over the text that is kept."""

    def __init__(self, pieces: Iterator[str]):
        self._pieces, self._text, self._at = pieces, "", 0

    def __iter__(self) -> Iterator[str]:
        while True:
            found = _SIGN.search(self._text, self._at)
            yield self._up_to(found.end() if found else len(self._text))
            if found is None:
                if not self._more():
                    return
            elif found[0] == '"':
                key = ""
                for part in self._string():
                    key += part[:_LONGEST_KEY] if len(key) < _LONGEST_KEY else ""
                    yield part
                yield '"'
                if key in SKIPPED and (colon := self._colon()):
                    yield colon
                    if self._text[self._at] in "{[":
                        self._skip()
                        yield "null"

    def _more(self) -> bool:
        """Read on; what has been passed is forgotten."""
        piece = next(self._pieces, None)
        if piece is None:
            return False
        self._text, self._at = self._text[self._at :] + piece, 0
        return True

    def _up_to(self, end: int) -> str:
        text, self._at = self._text[self._at : end], end
        return text

    def _string(self) -> Iterator[str]:
        """A string's parts, as it is written; behind it, the quote that ends it is passed."""
        while True:
            found = _STRING.match(self._text, self._at)
            part, self._at = found[0], found.end()
            if self._text[self._at : self._at + 1] == '"':
                self._at += 1
                yield part
                return
            yield part  # the piece ends here, perhaps between a backslash and what it escapes
            if not self._more():
                return
            while len(self._text) - self._at < 2 and self._more():
                pass

    def _colon(self) -> str:
        """The colon between a key and its value; "" where there is none, or more space than anybody writes."""
        while (found := _KEY.match(self._text, self._at)) is None or found.end() == len(self._text):
            if (
                found is None
                and self._text[self._at :].strip()
                or len(self._text) - self._at > CHUNK + _LONGEST_KEY
            ):
                return ""
            if not self._more():
                return ""
        return self._up_to(found.end())

    def _skip(self) -> None:
        """Pass a list or an object."""
        depth = 0
        while True:
            found = _SIGN.search(self._text, self._at)
            if found is None:
                self._at = len(self._text)
                if not self._more():
                    return
                continue
            self._at = found.end()
            if found[0] == '"':
                for _ in self._string():
                    pass
                continue
            depth += 1 if found[0] in "{[" else -1
            if not depth:
                return
