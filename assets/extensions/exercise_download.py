"""Puts a link to the notebook below the title of every exercise page."""

import re

from docutils import nodes
from sphinx import addnodes

EXERCISE = re.compile(r"^exercises/(?P<stem>\w+)/(?P=stem)$")
BEFORE_COLLECTORS = 400  # Sphinx collects the files to copy at 500


def add_link(app, doctree):
    match = EXERCISE.match(app.env.docname)
    title = next(doctree.findall(nodes.title), None)
    if not match or title is None:
        return
    stem = match["stem"]
    link = addnodes.download_reference(
        "",
        "",
        nodes.Text("노트북 내려받기"),
        reftarget=f"/exercises/{stem}/{stem}.ipynb",
        refdoc=app.env.docname,
    )
    check = nodes.literal("", f"grader check {stem}")
    paragraph = nodes.paragraph("", "", link, nodes.Text(" · 채점: "), check, classes=["exercise-download"])
    title.parent.insert(title.parent.index(title) + 1, paragraph)


def setup(app):
    app.connect("doctree-read", add_link, priority=BEFORE_COLLECTORS)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
