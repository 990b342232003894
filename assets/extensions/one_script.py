"""One script for the whole book: what every page loads, joined.

Sphinx, the themes and the book bring fifteen small scripts to each page. On a phone's network a browser asks for six files at a
time, so they alone were two round trips, and the theme's inline settings had one of them hold up the page. Here they are
joined, in their order. What only some pages need stays by itself (light_pages.py), after this one.
"""

from pathlib import Path

from light_pages import ON_DEMAND, THEME_SCRIPT
from one_stylesheet import version

BOOK = "_static/scripts/book.js"
SETTINGS = "_static/documentation_options.js"  # a global name that the theme's script reads
OWN_NAMES = "(() => {{\n{}\n}})();\n"  # a script's names stay its own, and "use strict" is of it alone
# And of the theme's, on which no other waits: a task of its own, after a paint. It keeps how bright the page is, and would end,
# and with it every menu, where a browser keeps nothing or has no room.
LATER = """setTimeout(() => {{
const attempt = (keeping) => {{ try {{ return keeping(window.localStorage); }} catch {{ return null; }} }};
const localStorage = {{
  getItem: (key) => attempt((kept) => kept.getItem(key)),
  setItem: (key, value) => attempt((kept) => kept.setItem(key, value)),
}};
{}
}});
"""


def shared(builder) -> list[str]:
    """The scripts of all pages, in their order; Sphinx keeps them apart from what a page adds while it is written."""
    scripts = sorted(builder._orig_js_files, key=lambda script: script.priority)
    names = [str(script.filename) for script in scripts if script.filename]
    return [name for name in names if name.startswith("_static/") and Path(name).name not in ON_DEMAND]


def link(app, pagename, templatename, context, doctree):
    """Pages have the one script in place of all, and none that sets what the theme leaves unread here."""
    if app.builder.name != "html":
        return
    joined = shared(app.builder)
    others = [
        script
        for script in context["script_files"]
        if str(script.filename) not in joined
        and "DOCUMENTATION_OPTIONS" not in script.attributes.get("body", "")
    ]
    context["script_files"] = others
    paths = tuple(Path(app.outdir) / name for name in joined)
    context["book_script"] = f"{context['pathto'](BOOK, 1)}?v={version(paths)}"


def write(app, error):
    if error or app.builder.name != "html":
        return
    out = Path(app.outdir)
    joined = []
    for name in shared(app.builder):
        script = (out / name).read_text(encoding="utf-8")
        own = LATER if name.endswith(THEME_SCRIPT) else OWN_NAMES
        joined.append(script if name == SETTINGS else own.format(script))
    (out / BOOK).write_text("".join(joined), encoding="utf-8")


def setup(app):
    app.connect("html-page-context", link, priority=985)  # after all that adds scripts and light_pages
    app.connect("build-finished", write, priority=800)  # after light_pages, before one_stylesheet reads them
    return {"parallel_read_safe": True, "parallel_write_safe": True}
