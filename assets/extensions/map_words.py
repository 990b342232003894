"""The words of attention maps in the page's language: corner, title, names of heads and rows of layers.

They are English in the code; `locale/LANGUAGE/maps.po` translates them. The words that a map is about stay.
"""

import re
from html import escape, unescape

from grader.translation.catalogue import Catalogue
from grader.words import Words

MAP = re.compile(r'<figure class="attention-map".*?</figure>', re.DOTALL)
# Where a map says something of its own; of its rows only layers are no words of a sentence.
SAID = re.compile(
    r'(?P<before><figcaption>|<caption>|<td class="am-corner">|data-head="|<th scope="row">(?=layer ))(?P<text>[^<"]+)'
)


def labels_in(language: str) -> Words:
    return Words(Catalogue(language, "maps").texts, language)


def translated(body: str, labels: Words) -> str:
    """The page's body with the labels of its maps in place of their English."""

    def said(found: re.Match) -> str:
        return found["before"] + escape(labels(unescape(found["text"])))

    return MAP.sub(lambda found: SAID.sub(said, found[0]), body)


def translate(app, pagename, templatename, context, doctree):
    if 'class="attention-map"' in context.get("body", ""):
        context["body"] = translated(context["body"], labels_in(app.config.language))


def setup(app):
    app.connect("html-page-context", translate, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
