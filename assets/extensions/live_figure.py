"""The ``live-figure`` directive: a drawing that answers to mouse, finger and keys.

    :::{live-figure} masking-switches
    :still: figures/stills/masking_switches.svg
    :alt: 질의 넷과 키 넷의 표. 룩어헤드 마스크가 켜져 있습니다.

    캡션입니다.
    :::

The custom element ``<course-masking-switches>`` of ``assets/static/figures/masking_switches.js`` takes the place of the
still, which stays where there is no script, on paper, and where the script fails. Only pages with a figure load it.
What cells compute for a figure comes by ``figure_data("masking-switches", …)`` (chapters/figure_data.py) on the same page.
"""

from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from inline_svg import InlineSvg

STATIC = Path(__file__).resolve().parent.parent / "static"


class live_figure(nodes.raw):
    """The figure's markup; ``script`` is its file below ``_static``."""


class LiveFigure(InlineSvg):
    option_spec = {**InlineSvg.option_spec, "still": directives.unchanged_required}

    def drawing(self) -> nodes.Node:
        [name] = self.arguments
        script = f"figures/{name.replace('-', '_')}.js"
        if not (STATIC / script).is_file():
            raise self.error(f"live-figure: there is no assets/static/{script}")
        if "still" not in self.options:
            raise self.error(f"live-figure: {name} needs a :still:, for paper and where no script runs")
        still = f'<div class="lf-still svg-drawing">{self.markup(self.options["still"])}</div>'
        markup = f"<course-{name}>{still}</course-{name}>"
        return live_figure("", markup, format="html", script=script, classes=[])

    def run(self) -> list[nodes.Node]:
        [figure] = super().run()
        figure["classes"].append("live-figure")
        return [figure]


def add_scripts(app, pagename, templatename, context, doctree):
    """The scripts of a page's figures, after the base that they share, once each."""
    figures = [] if doctree is None else list(doctree.findall(live_figure))
    if not figures:
        return
    for script in ["figures/base.js", *dict.fromkeys(figure["script"] for figure in figures)]:
        app.add_js_file(script, loading_method="defer")


def visit(self, node):
    self.visit_raw(node)


def depart(self, node):
    pass


def setup(app):
    app.setup_extension("inline_svg")
    app.add_node(live_figure, html=(visit, depart))
    app.add_directive("live-figure", LiveFigure)
    app.connect("html-page-context", add_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
