"""The text of this book itself, which four chapters read: without code, tables and formulas."""

import re
from pathlib import Path

CHAPTERS = Path(__file__).parent
WRITTEN = [  # what is no prose, and what is left of it
    (r"\A---\n.*?\n---\n", ""),
    (r"(?ms)^```.*?^```$", ""),
    (r"(?s)\$\$.*?\$\$", "\n"),
    (r"\{cite[^`]*`[^`]*`|\{(?:doc|term|ref)\}| <[\w-]+>(?=`)", ""),
    (r"(?m)^(?:\(.*\)=|\|.*|:.*)$", ""),
    (r"(?m)^\s*(?:- \[.\]|[-#>]+) ", ""),
    (r"\$[^$]*\$", "□"),
    (r"\]\([^)]*\)|[\[*`]", ""),
]


def chapters() -> list[Path]:
    """The files of the book's chapters, by name."""
    return sorted(CHAPTERS.glob("*.md"))


def paragraphs(chapter: Path) -> list[str]:
    """A chapter's paragraphs, headings and list items among them, each in one line."""
    text = chapter.read_text(encoding="utf-8")
    for pattern, kept in WRITTEN:
        text = re.sub(pattern, kept, text)
    return [" ".join(part.split()) for part in text.split("\n\n")]


def training_and_held_out() -> tuple[str, str]:
    """The paragraphs of all chapters, a line each; every tenth is held out. Short ones are left out."""
    found = [part for chapter in chapters() for part in paragraphs(chapter) if len(part) > 30]
    return "\n".join(part for i, part in enumerate(found) if i % 10), "\n".join(found[::10])
