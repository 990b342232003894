"""Writes below each figure of the English book what its Korean words mean.

The book's models read and write Korean, and so do its figures. `locale/en/glosses.po` says what each word means; a word that
means something else on one page, or nothing but its sound, has that page's name as its context.
"""

import re
from html import escape
from pathlib import PurePosixPath

from grader.translation.catalogue import Catalogue

FIGURE = re.compile(r"<figure\b.*?</figure>", re.DOTALL)
UNDRAWN = re.compile(r"<(figcaption|script|style|live-model)\b.*?</\1>|<[^>]*>", re.DOTALL)
WORD = re.compile("[가-힣]+")


def words_of(figure: str) -> list[str]:
    """The Korean words that a figure shows, captions aside, in their order."""
    return list(dict.fromkeys(WORD.findall(UNDRAWN.sub(" ", figure))))


def glosses_of(page: str) -> dict[str, str]:
    """Return the meanings of words on a page, by word."""
    messages = Catalogue("en", "glosses").messages
    common = {message.id: message.string for message in messages if not message.context}
    return common | {message.id: message.string for message in messages if message.context == page}


def glossed(body: str, glosses: dict[str, str]) -> str:
    """The body, each figure with what its words mean at its end."""

    def with_line(found: re.Match) -> str:
        said = ", ".join(
            f"{word} ‘{escape(glosses[word])}’" for word in words_of(found[0]) if word in glosses
        )
        line = f'<p class="figure-gloss">{said}</p>' if said else ""
        return found[0].removesuffix("</figure>") + line + "</figure>"

    return FIGURE.sub(with_line, body)


def gloss(app, pagename, templatename, context, doctree):
    # the first page's drawing has its English beside it
    if app.config.language == "en" and "body" in context and pagename != app.config.root_doc:
        context["body"] = glossed(context["body"], glosses_of(PurePosixPath(pagename).name))


def setup(app):
    # after the examples that are English there (own_examples.py), before what is Korean is marked as that (passages.py)
    app.connect("html-page-context", gloss, priority=850)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
