"""Pages load nothing that they do not use; what can wait, waits.

A widget's script comes only with the pages that hold one (``ON_DEMAND``); all scripts stand at the end of the page and
are deferred, in their order (templates/layout.html); those of all pages are one (one_script.py). Of the marks that
colour code, those of the text's own colour are left out: they are up to a third of a long page's elements. Nobody gets the
theme's second copy of all icons, nor Bootstrap's script: its tooltips are titles, its one menu is the browser's
(templates/article-header-buttons.html).
"""

import re
from pathlib import Path

from sphinx.errors import ExtensionError

# A script that only pages holding this mark (a regular expression) need.
NEVER = "(?!)"
ON_DEMAND = {
    "attention_map.js": 'class="attention-map|<live-model',
    "plots.js": "course-plot-panels",
    "quiz.js": 'class="quiz"|<course-review',
    "clipboard.min.js": NEVER,
    "copybutton.js": NEVER,  # copy.js
    "design-tabs.js": "sd-tab-",
    "togglebutton.js": r'class="[^"]*\b(toggle|dropdown)\b',
    "doctools.js": NEVER,  # Sphinx's keys and tables, which the theme and search/field.js have replaced
    "translations.js": NEVER,  # their words
    "sphinx_highlight.js": NEVER,  # marks for Sphinx's own search; search/marks.js makes those of the book's
}
# Names, punctuation, white space; the dot between names, which is as many marks as all other signs
PLAIN = re.compile(r'<span class="(?:n|nn|p|w)">([^<]*)</span>|<span class="o">(\.)</span>')
# What the themes' scripts do to the whole page, and what does it better in assets/static: measuring code, again at each change
# of any part (scrollable.js), watching headings and placing the book's contents, which lays the page out (toc_now.js);
# looking for notes in the margin and measuring a banner, of which there are none; and taking the focus from the head's
# buttons for the sake of tooltips that the book has not: what they open could not give it back.
THEME_SCRIPT = "scripts/pydata-sphinx-theme.js"
REPLACED = {
    THEME_SCRIPT: [
        re.compile(r'(?<=\[)"pre",".nboutput > .output_area"[^]]*(?=\])'),
        re.compile(r'(?<=querySelector\()"#pst-page-toc-nav"(?=\);if\(!)'),
        re.compile(r'(?<=if\(!document\.querySelector\()"\.bd-docs-nav"(?=\)\)return)'),
        re.compile(r'(?<=querySelector\()"\.pst-async-banner-revealer"(?=\);if\(!)'),
    ],
    "scripts/sphinx-book-theme.js": [
        re.compile(r'(?<=querySelectorAll\()\w+\.join\(", "\)(?=\)\.forEach\()'),
        re.compile(r'(?<=\[)"\.theme-switch-button","\.search-button",[^]]*(?=\]\.forEach)'),
    ],
}
NOTHING = '":not(*)"'
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')


def needed(script, body: str) -> bool:
    mark = ON_DEMAND.get(Path(script.filename or "").name)
    return mark is None or re.search(mark, body) is not None


def deferred(script):
    if script.filename:
        script.attributes["defer"] = "defer"
    return script


def lighten(app, pagename, templatename, context, doctree):
    if app.builder.name != "html":
        return
    context["metatags"] = VIEWPORT.sub("", context.get("metatags", ""))  # the layout has one
    body = context.get("body", "")
    if body:
        context["body"] = PLAIN.sub(r"\1\2", body)
    context["script_files"] = [deferred(script) for script in context["script_files"] if needed(script, body)]


def drop_unused(app, error):
    static = Path(app.outdir) / "_static"
    for path in [
        *static.glob("scripts/fontawesome*"),
        *static.glob("scripts/bootstrap*"),
        *static.rglob("*.map"),
    ]:
        path.unlink(missing_ok=True)  # a map is found twice
    if app.builder.name == "html" and not error:
        for name in REPLACED:
            script = static / name
            script.write_text(without_replaced(name, script.read_text(encoding="utf-8")), encoding="utf-8")


def without_replaced(name: str, script: str) -> str:
    """A theme's script without what assets/static does in its place."""
    for replaced in REPLACED[name]:
        script = replaced.sub(NOTHING, script)
    if script.count(NOTHING) < len(REPLACED[name]):
        raise ExtensionError(f"{name} has changed: what does it do to the whole page now?")
    return script


def setup(app):
    app.add_js_file(THEME_SCRIPT, priority=900, loading_method="defer")  # after all others
    app.connect("html-page-context", lighten, priority=980)
    app.connect("build-finished", drop_unused, priority=400)  # before one_stylesheet reads the scripts
    return {"parallel_read_safe": True, "parallel_write_safe": True}
