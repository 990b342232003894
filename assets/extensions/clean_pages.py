"""A page that shows what a build has left behind fails the build: a warning, a traceback, a folder of the machine.

Only what is written is looked at. A warning makes the next build read every page again (truthful.py), so a page that
has been refused once is refused until it is mended.
"""

import re

from sphinx.util import logging

# A library's folder, Python's warnings (UserWarning: ...), its tracebacks, homes on Linux, macOS and Windows
LEFT_BEHIND = re.compile(
    r"site-packages|Warning:|Traceback \(most recent|(?<![\w.])/(?:root|home|Users)/|\b[A-Z]:\\Users\\"
)
TAG = re.compile(r"<[^>]*>")
logger = logging.getLogger(__name__)


def left_behind(html: str) -> list[str]:
    """Matches of LEFT_BEHIND in a page's text and addresses, each with some letters around it.

    The text is read without its tags as well, since highlighting sets the parts of a path in tags of their own.
    """
    read = [html, TAG.sub("", html)]
    found = {
        match[0]: text[max(match.start() - 40, 0) : match.end() + 40]
        for text in read
        for match in LEFT_BEHIND.finditer(text)
    }
    return [" ".join(around.split()) for around in found.values()]


def refuse(app, pagename, templatename, context, doctree):
    for around in left_behind(context.get("body", "")):
        logger.warning(
            "the page shows what only the machine that built it should see: … %s …", around, location=pagename
        )


def setup(app):
    app.connect("html-page-context", refuse, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
