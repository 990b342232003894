"""Exercises that are solved on their pages, once ``pyodide`` in ``_config.yml`` names where a browser gets Python.

    pyodide: {address: "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/", torch: ""}

``address`` is a distribution of Pyodide, ``torch`` a wheel of torch built for it; both may also begin with /, for files
beside the book. The page brings a button alone (assets/static/solve). Without ``torch``, exercises that need it offer
nothing; neither do those whose notebooks or checks need what no browser has. Without ``address`` no page has a byte of it.
"""

import ast
import json
import re
import sys

from docutils import nodes
from exercise_bundle import has_bundle
from sphinx.errors import ConfigError

EXERCISE = re.compile(r"^exercises/(?P<stem>\w+)/(?P=stem)$")
AFTER_STEPS = 450  # exercise_steps, below whose title this stands first
# MB that are fetched, not unpacked: as of Pyodide 314.0.7, of this book, and of torch 2.13 with what it imports
PIECES = {"python": 14, "packages": 5, "bundle": 7, "torch": 40}
# jaxtyping is in no browser: something stands in its place (grader/sandbox/missing.py)
IN_BROWSER = {"torch", "numpy", "pytest", "jaxtyping", *sys.stdlib_module_names}
IDS = "solve-"  # begins the ids of cells; panel.js knows it


class solve_node(nodes.General, nodes.Element):
    """The place of the button. Attributes: ``stem``, ``torch``."""


def offer(app, doctree):
    match = EXERCISE.match(app.env.docname)
    title = next(doctree.findall(nodes.title), None)
    if not match or title is None or not app.config.pyodide["address"] or not has_bundle(app):
        return
    needed = imported(match["stem"])
    torch = "torch" in needed
    if needed - IN_BROWSER or torch and not app.config.pyodide["torch"]:
        return
    title.parent.insert(title.parent.index(title) + 1, solve_node(stem=match["stem"], torch=torch))
    mark(doctree)


def imported(stem: str) -> set[str]:
    """The packages that an exercise's notebook and its public checks import, but for our own."""
    from grader.exercise import OURS, find_exercise  # other books need no grader

    folder = find_exercise(stem).folder
    cells = json.loads((folder / f"{stem}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    code.append((folder / "checks.py").read_text(encoding="utf-8"))
    nodes = [node for source in code for node in ast.walk(ast.parse(source))]
    found = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in found} - set(OURS)


def mark(doctree):
    """Name the cells that panel.js puts something in the place of."""
    for cell in doctree.findall(nodes.container):
        about = (cell.get("cell_metadata") or {}).get("nbgrader", {})
        name = about.get("grade_id", "")
        if about.get("solution") or name == "closing":
            cell["ids"].append(IDS + name)
        elif about.get("grade"):
            cell["classes"].append("solve-check")
        elif name.startswith("at_home_"):
            cell["classes"].append("solve-home")


def visit(self, node):
    if self.builder.name == "html":
        setting = self.builder.config.pyodide
        torch = setting["torch"] if node["torch"] else ""
        pieces = {name: size for name, size in PIECES.items() if torch or name != "torch"}
        attributes = {
            "stem": node["stem"],
            "address": setting["address"].rstrip("/") + "/",
            "torch": torch,
            "pieces": json.dumps(pieces),
            "megabytes": sum(pieces.values()),
        }
        written = " ".join(f'data-{name}="{self.attval(str(value))}"' for name, value in attributes.items())
        # as with the steps below it, nothing of it is printed
        self.body.append(f'<course-solve class="exercise-download" {written}></course-solve>\n')
    raise nodes.SkipNode


def bring_the_script(app, pagename, templatename, context, doctree):
    if doctree and app.builder.name == "html" and next(doctree.findall(solve_node), None):
        app.add_js_file("solve/solve.js", loading_method="defer")


def complete(app, config):
    unknown = config.pyodide.keys() - {"address", "torch"}
    if unknown:
        raise ConfigError(f"_config.yml: pyodide has an address and torch, no {', '.join(sorted(unknown))}")
    config.pyodide = {"address": "", "torch": "", **config.pyodide}


def setup(app):
    app.add_config_value("pyodide", {}, "env", dict)
    app.add_node(solve_node, html=(visit, None), text=(visit, None))
    app.connect("config-inited", complete)
    app.connect("doctree-read", offer, priority=AFTER_STEPS)
    app.connect("html-page-context", bring_the_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
