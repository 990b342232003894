"""The ``folded`` directive: the rest of its section waits behind one line until a reader wants it.

    ## 자주 하는 실수

    :::{folded} 연습에서 막혔거나 힌트를 따라왔다면 펼치십시오.
    :::

    (diagonal)=
    ### 대각선을 한 칸 잘못 자르기

A directive cannot hold code cells, for they stand at the top level of a notebook; so this one stands before what it
folds, subsections and all. The line becomes the summary of a native ``<details>``, which keyboards, screen readers and
pages without JavaScript know; folded.js opens it for links to an anchor inside and for print. Search, references and
the table of contents see the section as it is written. Lists of references are folded in the same way.
"""

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

REFERENCES = {"ko": "참고 문헌 {}편", "en": "{} reference{}"}


class folded_node(nodes.General, nodes.Element):
    """A node that is folded; its first child is the summary."""


class folded_summary(nodes.General, nodes.TextElement):
    pass


class Folded(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        children, messages = self.state.inline_text(self.arguments[0], self.lineno)
        if any(isinstance(child, addnodes.pending_xref | nodes.reference) for child in children):
            raise self.error("What is pressed to unfold a section holds no link: put it below.")
        summary = folded_summary(self.arguments[0], "", *children)
        summary.source, summary.line = self.get_source_info()  # so that it can be translated
        return [folded_node("", summary), *messages]


class FoldTheRest(SphinxPostTransform):
    """Move what follows the directive in its section into it, once all references are known."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs) -> None:
        for node in list(self.document.findall(folded_node)):
            section = node.parent
            rest = section.children[section.index(node) + 1 :]
            del section.children[section.index(node) + 1 :]
            node += rest


class FoldReferences(SphinxPostTransform):
    """A list of references waits, too: a link to one opens it, and a pointer at the link is told what is in it."""

    default_priority = FoldTheRest.default_priority + 1
    formats = ("html",)

    def run(self, **kwargs) -> None:
        word = REFERENCES.get(self.config.language, REFERENCES["en"])
        for first in list(self.document.findall(nodes.citation)):
            references = first.parent
            if references.index(first) or not isinstance(references, nodes.container):
                continue
            text = word.format(len(references), "s" if len(references) > 1 else "")
            fold = folded_node("", folded_summary(text, "", nodes.Text(text)))
            references.replace_self(fold)
            fold += references


def visit_folded(self, node):
    self.body.append('<details class="course-folded">\n')


def depart_folded(self, node):
    self.body.append("</details>\n")


def visit_summary(self, node):
    self.body.append("<summary>")


def depart_summary(self, node):
    self.body.append("</summary>\n")


def setup(app):
    app.add_directive("folded", Folded)
    app.add_node(folded_node, html=(visit_folded, depart_folded))
    app.add_node(folded_summary, html=(visit_summary, depart_summary))
    app.add_post_transform(FoldTheRest)
    app.add_post_transform(FoldReferences)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
