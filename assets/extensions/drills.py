"""The ``drills`` directive: a chapter's numbers to work with by hand.

    ## 손으로 풀기

    :::{drills} masking
    :::

The drills are those of ``assets/static/drills/masking.js``. The page brings their titles and drills.js alone; the rest comes
when a reader opens one. Without a script, and on paper, an example of each stands there, with its answer or with that at
the page's end (print.js): the same code poses it when the book is built, in MiniRacer, the V8 that also sets the formulas.
"""

from functools import cache
from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from grader.authoring.drill_bank import FOLDER, run

INTERACTIVE = ("html", "dirhtml")  # builders whose pages run scripts; an EPUB keeps the examples alone
SEED = 1
WORDS = {
    "ko": {
        "lead": "종이와 계산기를 준비하십시오. 수는 열 때마다 바뀝니다. 틀린 답이 흔한 실수의 값과 같으면 그 실수를 짚어 줍니다.",
        "answer": "답",
    },
    "en": {
        "lead": "Have paper and a calculator ready. The numbers are new each time. A wrong answer that is the value of a "
        "common mistake is named.",
        "answer": "Answer",
    },
}
EXAMPLES = """(chapter, language, seed) => courseDrills[chapter].map((drill) => {
  const { html, pose } = drillKit;
  const { drawn, right } = pose(drill, seed);
  const { title, ask } = drill.words[language];
  return { name: drill.name, title, ask: html(ask(drawn)), answer: html(right) };
})"""


class drills_node(nodes.General, nodes.Element):
    """Attribute: ``chapter``."""


@cache
def examples(chapter: str, language: str) -> list[dict[str, str]]:
    """name, title, ask and answer of an example of each drill; the last three are HTML, but for the title."""
    return run(chapter, EXAMPLES, chapter, language, SEED)


class Drills(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        [chapter] = self.arguments
        if not (FOLDER / f"{chapter}.js").is_file():
            raise self.error(f"drills: there is no assets/static/drills/{chapter}.js")
        for name in ("kit.js", f"{chapter}.js"):
            self.env.note_dependency(str(FOLDER / name))
        return [drills_node(chapter=chapter)]


def visit_drills(self, node):
    language = self.builder.config.language if self.builder.config.language in WORDS else "en"
    words = WORDS[language]
    items = "".join(
        f'<li id="drill-{drill["name"]}" data-drill="{drill["name"]}"><p class="drill-title">{escape(drill["title"])}</p>'
        f'<div class="drill-still"><p>{drill["ask"]}</p><p class="drill-answer">{words["answer"]}: {drill["answer"]}</p></div></li>\n'
        for drill in examples(node["chapter"], language)
    )
    listed = f'<ol class="drills">\n{items}</ol>'
    if self.builder.name in INTERACTIVE:
        listed = f'<course-drills data-chapter="{node["chapter"]}">{listed}</course-drills>'
    self.body.append(f"<p>{words['lead']}</p>\n{listed}\n")
    raise nodes.SkipNode


def bring_the_script(app, pagename, templatename, context, doctree):
    if doctree and app.builder.name in INTERACTIVE and next(doctree.findall(drills_node), None):
        app.add_js_file("drills/drills.js", loading_method="defer")


def setup(app):
    app.add_directive("drills", Drills)
    app.add_node(drills_node, html=(visit_drills, None))
    app.connect("html-page-context", bring_the_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
