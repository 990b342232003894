"""Marks tables of long names and what these mean: on a phone the meaning stands below its name (course.css).

Side by side, names that do not break would leave half of a phone or less to all that is said of them.
"""

from docutils import nodes

LONG = 16  # letters of code: a third of a phone


def is_of_long_names(table: nodes.table) -> bool:
    rows = list(table.findall(nodes.row))
    names = [len(name.astext()) for row in rows for name in row[0].findall(nodes.literal)]
    return all(len(row) == 2 for row in rows) and max(names, default=0) >= LONG


def mark(app, doctree):
    for table in doctree.findall(nodes.table):
        if is_of_long_names(table):
            table["classes"].append("word-table")


def setup(app):
    app.connect("doctree-read", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
