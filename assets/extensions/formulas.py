"""Formulas as MathML, made when the book is built: a page needs no script to show them.

Temml (temml/, vendored) reads the TeX; MiniRacer, the V8 of a Python wheel, runs it, so that the build needs no Node.
A formula that Temml cannot read is a warning, and with -W fails the build.
"""

import atexit
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from py_mini_racer import JSEvalException, MiniRacer
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

TEMML = Path(__file__).parent / "temml" / "temml.min.js"
ENVIRONMENT = re.compile(r"\s*\\begin\{(align|gather|equation|multline|alignat|flalign|eqnarray)\*?\}")

logger = logging.getLogger(__name__)


@cache
def temml() -> MiniRacer:
    engine = MiniRacer()
    atexit.register(engine.close)  # from Python 3.13 on its thread would keep the interpreter from ending
    engine.eval(TEMML.read_text(encoding="utf-8"))
    return engine


@cache
def mathml(tex: str, display: bool) -> str:
    """A formula's ``<math>`` element; raises ValueError if the TeX cannot be read."""
    options = {"displayMode": display, "throwOnError": True, "xml": True}  # the EPUB's pages are XML
    try:
        # Its request for a plain sign instead of an emoji is one more character, which no font draws.
        return temml().call("temml.renderToString", tex, options).replace("\ufe0e", "")
    except JSEvalException as error:
        reason = str(error).partition("ParseError:")[2].partition("\n    at ")[0]
        raise ValueError(" ".join((reason or str(error)).split())) from None


def mathml_or_warning(tex: str, display: bool, node: nodes.Element) -> str:
    try:
        return mathml(tex, display)
    except ValueError as error:
        logger.warning("formula: %s", error, location=node)
        return ""


def aligned(tex: str) -> str:
    """A display formula of several lines, as MyST and Sphinx allow it: lines end in ``\\\\``, blank lines part formulas."""
    if ENVIRONMENT.match(tex):
        return tex
    parts = [part for part in re.split(r"\n\s*\n", tex) if part.strip()]
    lines = r"\\".join(parts)
    return rf"\begin{{aligned}}{lines}\end{{aligned}}" if r"\\" in lines else lines


def visit_inline(self, node):
    self.body.append(mathml_or_warning(node.astext(), False, node))
    raise nodes.SkipNode


def visit_display(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    self.body.append(mathml_or_warning(aligned(node.astext()), True, node))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
