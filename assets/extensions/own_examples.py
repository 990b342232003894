"""In the English book, the examples of some pages are English: the words of their code, in it and in what it shows.

Code is the same in both editions, and so is what it computes; which pages, and which words, grader/translation/sources.py
and locale/en/examples.po say.
"""

import re
from pathlib import PurePosixPath

from grader.translation.catalogue import Catalogue
from grader.translation.sources import EXAMPLES

SHOWN = re.compile(r'<pre>.*?</pre>|<figure class="attention-map".*?</figure>', re.DOTALL)
WORD = re.compile("[가-힣]+")


def translated(body: str, words: dict[str, str]) -> str:
    """The page's body, words of the table in place of their Korean in code, outputs and maps."""
    return SHOWN.sub(lambda part: WORD.sub(lambda word: words.get(word[0], word[0]), part[0]), body)


def translate(app, pagename, templatename, context, doctree):
    if app.config.language != "ko" and PurePosixPath(pagename).name in EXAMPLES and "body" in context:
        context["body"] = translated(context["body"], Catalogue(app.config.language, "examples").texts)


def setup(app):
    app.connect(
        "html-page-context", translate, priority=800
    )  # before what is left is marked as Korean (passages.py)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
