"""What an EPUB's reader needs otherwise than a browser: pages are XML, nothing is folded, no script runs."""

import re

VOID = re.compile(r"<(?P<tag>area|br|col|hr|img|input|link|meta|source|wbr)\b(?P<rest>[^>]*?)\s*/?>")
SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
BARE = re.compile(
    r'"[^"]*"|(?<=\s)(?P<name>checked|controls|disabled|download|hidden|open|selected)(?=[\s>/])'
)
TAG = re.compile(r"<[a-zA-Z][^>]*>")


def valued(match: re.Match) -> str:
    """An attribute without a value gets its name as one; quoted text stays."""
    return f'{match["name"]}="{match["name"]}"' if match["name"] else match[0]


def as_xml(body: str) -> str:
    body = SCRIPT.sub("", body).replace("&nbsp;", "&#160;")
    body = TAG.sub(lambda tag: BARE.sub(valued, tag[0]), body)
    body = VOID.sub(r"<\g<tag>\g<rest> />", body)
    return re.sub(r"<details\b(?![^>]*\bopen\b)", '<details open="open"', body)


def adapt(app, pagename, templatename, context, doctree):
    if app.builder.name == "epub" and "body" in context:
        context["body"] = as_xml(context["body"])


def setup(app):
    app.connect("html-page-context", adapt, priority=990)  # after all that changes bodies
    return {"parallel_read_safe": True, "parallel_write_safe": True}
