"""One PO file of `locale/LANGUAGE/`: what its source says, and how the other language says it."""

import io
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

LOCALE = Path(__file__).resolve().parents[2] / "locale"
WAS = "was: "  # begins the comment that holds the text of which a stale translation was made


class Catalogue:
    """The translations of one source; a missing file is an empty catalogue.

    Attributes:
        name: what it translates, "chapters/masking"; its file is `locale/LANGUAGE/NAME.po`.
    """

    def __init__(self, language: str, name: str, root: Path | None = None):
        self.name = name
        self.path = (root or LOCALE) / language / f"{name}.po"
        self._catalog = Catalog(locale=language)
        if self.path.is_file():
            with self.path.open("rb") as file:
                self._catalog = read_po(file, locale=language, abort_invalid=True)

    @property
    def messages(self) -> list[Message]:
        return [message for message in self._catalog if message.id]

    @cached_property
    def texts(self) -> dict[str, str]:
        """Translations that are not stale, by their sources."""
        return {m.id: m.string for m in self.messages if m.string and not m.fuzzy}

    def __call__(self, text: str) -> str:
        """The translation; the text itself where there is none."""
        return self.texts.get(text, text)

    def update(self, texts: Iterable[tuple[str, int]], source: str) -> None:
        """Take over what the source says now: (text, line) in its order.

        A text that is new has no translation; one that has changed keeps its old translation, marked fuzzy, with the old
        text beside it, in a comment, since Babel does not read what it writes as the previous text.
        """
        template = Catalog()
        for text, line in texts:
            template.add(text, locations=[(source, line)])
        self._catalog.update(template, no_fuzzy_matching=not self.texts)
        self.__dict__.pop("texts")
        self._catalog.obsolete.clear()
        for message in self.messages:
            comments = message.user_comments
            begin = next((i for i, comment in enumerate(comments) if comment.startswith(WAS)), len(comments))
            others, was = comments[:begin], comments[begin:]  # Babel has broken the old text into lines
            now = [WAS + " ".join(message.previous_id[0].splitlines())] if message.previous_id else []
            message.user_comments = others + (was or now if message.fuzzy else [])

    def write(self) -> bool:
        """Write the file if it says something else now; returns whether it did."""
        return _write(self.path, self._content())

    @property
    def changed(self) -> bool:
        """True if the file on disk says something else."""
        return not self.path.is_file() or self.path.read_bytes() != self._content()

    def _content(self) -> bytes:
        out = io.BytesIO()
        write_po(out, self._catalog, width=0, omit_header=False, no_location=True)
        return _without_dates(out.getvalue())


def _without_dates(po: bytes) -> bytes:
    """A PO file without its header's dates and names, which change without a reason."""
    header, _, rest = po.partition(b"\n\n")
    kept = [
        line
        for line in header.split(b"\n")
        if line.startswith(
            (b"msgid", b"msgstr", b'"Language:', b'"Content-Type:', b'"MIME', b'"Content-Transfer')
        )
    ]
    return b"\n".join(kept) + b"\n\n" + rest


def _write(path: Path, content: bytes) -> bool:
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(content)
    beside.replace(path)
    return True
