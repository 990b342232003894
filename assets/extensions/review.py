"""The ``review`` directive: what a reader has missed, brought back (assets/static/review).

Quizzes are shown there without their chapters: when the book is built each chapter's are written to
``_static/review/STEM.js``, as they stand in its page, so that they can be fetched by a script tag, from disk too.
"""

import json
import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

QUIZ = re.compile(
    r'<div class="quiz" id="quiz-\d+" data-key="(?P<key>\w+)".*?</ul>\s*</div>(?=\s*(?:<|$))', re.DOTALL
)
WORDS = {
    "ko": "이 쪽은 자바스크립트가 있어야 합니다. 틀린 문제를 이 브라우저에 적어 두기 때문입니다.",
    "en": "This page needs JavaScript, for what was missed is kept in this browser.",
}


class review_node(nodes.General, nodes.Element):
    pass


class Review(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [review_node()]


def numbered(env) -> list[str]:
    """The stems of the chapters, in the order of the book."""
    numbers = {
        page: next(iter(of.values()))
        for page, of in env.toc_secnumbers.items()
        if of and page.startswith("chapters/")
    }
    return [page.partition("/")[2] for page in sorted(numbers, key=lambda page: tuple(numbers[page] or ()))]


def visit_review(self, node):
    env = self.builder.env
    titles = {stem: env.titles[f"chapters/{stem}"].astext() for stem in numbered(env)}
    said = WORDS.get(self.builder.config.language, WORDS["en"])
    told = escape(json.dumps(titles, ensure_ascii=False), quote=True)
    self.body.append(f'<course-review data-chapters="{told}"><p>{said}</p></course-review>\n')
    raise nodes.SkipNode


def bring_the_scripts(app, pagename, templatename, context, doctree):
    if doctree and app.builder.name == "html" and next(doctree.findall(review_node), None):
        app.add_js_file("drills/drills.js", loading_method="defer")
        app.add_js_file("review/review.js", loading_method="defer")


def quizzes(stem: str, page: str) -> dict[str, str]:
    """A page's quizzes by their keys, fit to stand in another page of its folder."""
    found = {match["key"]: match[0] for match in QUIZ.finditer(page)}
    if len(found) != page.count('<div class="quiz" ') or any(
        html.count("<div") != html.count("</div") for html in found.values()
    ):
        raise ExtensionError(f"review: the quizzes of chapters/{stem} cannot be told apart")
    for key, html in found.items():
        html = re.sub(r' id="p\d+"', "", html)
        html = re.sub(r"\bquiz-(\d+)", rf"quiz-{stem}-\1", html)
        found[key] = html.replace('href="#', f'href="{stem}.html#')
    return found


def write_quizzes(app, error):
    if error or app.builder.name != "html":
        return
    folder = Path(app.outdir, "_static", "review")
    folder.mkdir(parents=True, exist_ok=True)
    for stem in numbered(app.env):
        page = Path(app.outdir, "chapters", f"{stem}.html").read_text(encoding="utf-8")
        told = json.dumps(quizzes(stem, page), ensure_ascii=False)
        (folder / f"{stem}.js").write_text(
            f"courseReview.quizzes({json.dumps(stem)}, {told});\n", encoding="utf-8"
        )


def setup(app):
    app.add_directive("review", Review)
    app.add_node(review_node, html=(visit_review, None))
    app.connect("html-page-context", bring_the_scripts)
    app.connect("build-finished", write_quizzes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
