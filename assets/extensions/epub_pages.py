"""Pages as an EPUB's reader needs them: XML, nothing folded, no scripts.

And what Sphinx leaves out of its list of contents: pages beside the root's folder, and which hold formulas and drawings.
"""

import posixpath
import re
from pathlib import Path

from epub_styles import rewrite
from sphinx.builders.epub3 import Epub3Builder

VOID = re.compile(r"<(?P<tag>area|br|col|hr|img|input|link|meta|source|wbr)\b(?P<rest>[^>]*?)\s*/?>")
SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
BARE = re.compile(
    r'"[^"]*"|(?<=\s)(?P<name>checked|controls|disabled|download|hidden|open|selected)(?=[\s>/])'
)
TAG = re.compile(r"<[a-zA-Z][^>]*>")
SUMMARY = re.compile(  # MyST-NB's paragraphs, which XHTML does not allow there
    r'<summary>\s*<p class="collapsed[^>]*>(?P<words>.*?)</p>\s*<p class="expanded.*?</p>\s*</summary>',
    re.DOTALL,
)
DRAWING = re.compile(r"<svg\b(?![^>]*\sxmlns=)")
NAMED_FORMULA = re.compile(r"(<math\b[^>]*?\s)aria-label=")
LINKS = re.compile(
    r'(<svg\b[^>]*?) role="group"'
)  # on a drawing with links; XHTML knows no such role of an svg
WHOLE_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
LINK_INSIDE = re.compile(r"(?P<opening><a\b[^>]*>)(?P<drawn>.*?)</a>", re.DOTALL)
PAGE_LINK = re.compile(  # in a drawing, which is read once for all editions
    r'(?P<start><a\b[^>]*\shref="(?![a-z]+:)[^"#]*)\.html(?=[#"])'
)
OUTSIDE = re.compile(r'<a\b[^>]*\shref="[^"]*downloads/[^"]*"[^>]*>')  # files that the EPUB does not hold
PAGE = re.compile(r'(?P<item><item\b[^>]* href="(?P<page>[^"]+\.xhtml)"[^>]*?) />')
PROPERTIES = {"mathml": "<math", "svg": "<svg"}


def valued(match: re.Match) -> str:
    """An attribute without a value gets its name as one; quoted text stays."""
    return f'{match["name"]}="{match["name"]}"' if match["name"] else match[0]


def titled(link: re.Match) -> str:
    """A link in a drawing, named by its own words: readers look for them in its title only."""
    words = " ".join(re.sub(r"<[^>]*>", " ", link["drawn"]).split())
    return f"{link['opening']}<title>{words}</title>{link['drawn']}</a>"


def as_xml(body: str) -> str:
    body = SCRIPT.sub("", body).replace("&nbsp;", "&#160;")
    body = TAG.sub(lambda tag: BARE.sub(valued, tag[0]), body)
    body = VOID.sub(r"<\g<tag>\g<rest> />", body)
    body = SUMMARY.sub(r"<summary>\g<words></summary>", body)
    body = DRAWING.sub('<svg xmlns="http://www.w3.org/2000/svg"', body)
    body = NAMED_FORMULA.sub(r"\1alttext=", body)
    body = LINKS.sub(r"\1", body)
    body = WHOLE_DRAWING.sub(lambda drawing: LINK_INSIDE.sub(titled, drawing[0]), body)
    body = PAGE_LINK.sub(r"\g<start>.xhtml", body)
    body = OUTSIDE.sub("<a>", body)
    return re.sub(r"<details\b(?![^>]*\bopen\b)", '<details open="open"', body)


def adapt(app, pagename, templatename, context, doctree):
    if app.builder.name == "epub" and "body" in context:
        context["body"] = as_xml(context["body"])
        # MyST-NB's stylesheet comes only after the EPUB has been packed
        context["css_files"] = [css for css in context["css_files"] if "mystnb." not in str(css.filename)]


class BookEpub(Epub3Builder):
    def get_toc(self):
        super().get_toc()
        for entry in self.refnodes:  # chapters/../exercises/... is exercises/...
            path, *anchor = entry["refuri"].split("#")
            entry["refuri"] = "#".join([posixpath.normpath(path), *anchor])

    def build_content(self):
        static = Path(self.outdir) / "_static"
        for unused in static.glob("mystnb.*.css"):
            unused.unlink()
        rewrite(static)
        super().build_content()
        contents = Path(self.outdir) / "content.opf"
        contents.write_text(PAGE.sub(self.with_properties, contents.read_text("utf-8")), "utf-8")

    def with_properties(self, match: re.Match) -> str:
        text = (Path(self.outdir) / match["page"]).read_text(encoding="utf-8")
        found = " ".join(name for name, mark in PROPERTIES.items() if mark in text)
        known = found and "properties=" not in match["item"]
        return f'{match["item"]} properties="{found}" />' if known else match[0]


def setup(app):
    app.add_builder(BookEpub, override=True)
    app.connect("html-page-context", adapt, priority=990)  # after all that changes bodies
    return {"parallel_read_safe": True, "parallel_write_safe": True}
