"""The ``svg`` directive: a hand-drawn figure that takes the page's colours.

An SVG in an ``<img>`` cannot see the page, so its lines stay black on a dark page. This directive puts the file's
markup into the page, where ``currentColor`` and the CSS variables of course.css apply.

    :::{svg} figures/two_heads.svg
    :alt: 두 헤드가 서로 다른 낱말을 봅니다.

    캡션입니다.
    :::
"""

import re
from html import escape
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

PROLOG = re.compile(r"^\s*(<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|\s)*", re.DOTALL)


def inline_markup(svg: str, alt: str) -> str:
    """The file's ``<svg>`` element with a name for screen readers; raises ValueError if it cannot stand in a page."""
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise ValueError(f"is not well-formed XML: {error}") from None
    if not root.tag.endswith("svg"):
        raise ValueError("has no <svg> element at its root")
    if "viewBox" not in root.attrib:
        raise ValueError("needs a viewBox, so that it fits a phone")
    markup = PROLOG.sub("", svg).strip()
    role = "group" if "<a " in markup else "img"  # an image's links would be hidden from screen readers
    return markup.replace("<svg", f'<svg role="{role}" aria-label="{escape(alt)}"', 1)


class InlineSvg(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec = {
        "alt": directives.unchanged_required,
        "name": directives.unchanged,
        "width": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        if not self.options.get("alt"):
            raise self.error(f"{self.name}: needs :alt: text that says what the figure shows")
        figure = nodes.figure(classes=["svg-figure"], align="center")
        figure += self.drawing()
        if self.content:
            body = nodes.Element()
            self.state.nested_parse(self.content, self.content_offset, body)
            first, *rest = body.children
            caption = nodes.caption(first.rawsource, "", *first.children)
            caption.source, caption.line = self.get_source_info()
            figure += caption
            if rest:
                figure += nodes.legend("", *rest)
        self.add_name(figure)
        return [figure]

    def drawing(self) -> nodes.Node:
        style = f' style="max-width: {escape(self.options["width"])}"' if "width" in self.options else ""
        markup = self.markup(self.arguments[0])
        return nodes.raw("", f'<div class="svg-drawing"{style}>{markup}</div>', format="html")

    def markup(self, file: str) -> str:
        _, path = self.env.relfn2path(file)
        self.env.note_dependency(path)
        try:
            return inline_markup(Path(path).read_text(encoding="utf-8"), self.options["alt"])
        except (OSError, ValueError) as error:
            raise self.error(f"svg: {file}: {error}") from None


def setup(app):
    app.add_directive("svg", InlineSvg)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
