"""A formula or a piece of code keeps what is written to it on its line: a particle, a comma, an opening bracket.

Browsers may break before and after a formula, as before and after a picture, whatever stands there: lines began with 로 or
with a full stop. Short code is not broken at its spaces either; what is long has to be.
"""

import re
from html import unescape

LONGEST = {
    "code": 30,
    "math": 40,
}  # characters, with what is written to them; a formula's fractions are narrow
INLINE = re.compile(
    r"(?P<before>[(\[‘“]*)"
    r"(?:<math(?![^>]*display=)[^>]*>(?:(?!</math>).)*</math>|<code\b[^>]*>(?P<code>(?:(?!</code>).)*)</code>)"
    r"(?P<after>(?:&\w+;|[^\s<&]){0,4})",
    re.DOTALL,
)
TAG = re.compile(r"<[^>]*>")


def kept(body: str) -> str:
    def together(found: re.Match) -> str:
        joined = found["before"] or found["after"] or " " in TAG.sub("", found["code"] or "")
        short = len(unescape(TAG.sub("", found[0]))) <= LONGEST["math" if found["code"] is None else "code"]
        return f'<span class="kept">{found[0]}</span>' if joined and short else found[0]

    return INLINE.sub(together, body)


def keep_together(app, pagename, templatename, context, doctree):
    if "body" in context:
        context["body"] = kept(context["body"])


def setup(app):
    app.connect("html-page-context", keep_together, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
