"""The ``timeline`` directive: a list of years that one can touch.

    :::{timeline}
    - **2017 트랜스포머.** 순환 없이 어텐션만으로 번역합니다 {cite:p}`vaswani2017attention`.
    :::

Each item begins with its year and name in bold. timeline.js sets a dot for each upon an axis of years and shows the one
that is chosen; on paper and without a script the list stands as it is written.
"""

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class timeline_node(nodes.General, nodes.Element):
    """Child: the list."""


class Timeline(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        timeline = timeline_node()
        self.state.nested_parse(self.content, self.content_offset, timeline)
        items = list(timeline.findall(nodes.list_item))
        if not items or any(not item.astext()[:4].isdigit() for item in items):
            raise self.error("timeline: every item is '- **YEAR name.** text'")
        return [timeline]


def visit(self, node):
    self.body.append("<course-timeline>\n")


def depart(self, node):
    self.body.append("</course-timeline>\n")


def add_script(app, pagename, templatename, context, doctree):
    if doctree is not None and next(doctree.findall(timeline_node), None):
        app.add_js_file("timeline.js", loading_method="defer")


def setup(app):
    app.add_node(timeline_node, html=(visit, depart))
    app.add_directive("timeline", Timeline)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
