"""One stylesheet for the whole book, without the rules that no page uses.

Sphinx, the theme and its extensions link a dozen stylesheets from each page, 90 kB compressed, and a browser shows
nothing before it has them all. Here they are joined, in their order, once all pages are written; a rule whose classes
or ids occur in no page and no script is left out, and so is a variable that nothing reads: Bootstrap sets hundreds. A
stylesheet that an extension adds to one page stays by itself. The light theme needs no script.
"""

import hashlib
import posixpath
import re
from functools import cache
from pathlib import Path

import tinycss2
from sphinx.util.osutil import relative_uri

THEME = ["_static/basic.css", "_static/styles/pydata-sphinx-theme.css"]  # linked by the theme's layout, first
BOOK = "_static/styles/book.css"
NAME = re.compile(r"[A-Za-z_][\w-]*")
POSITIVE = re.compile(r":not\((?:[^()]|\([^()]*\))*\)")  # what a selector excludes need not exist
NEEDED = re.compile(r"[.#](-?[A-Za-z_][\w-]*)")
URL = re.compile(r"url\((?P<quote>[\"']?)(?!data:|#|https?:)(?P<path>[^)\"']+)(?P=quote)\)")
READ = re.compile(r"var\(\s*(--[\w-]+)|[\"'`](--[\w-]+)")  # by a style, or by its name in a script
LIGHT = re.compile(r"""html\[data-theme=["']?light["']?\]""")
GROUPS = {"media", "supports", "layer", "container"}


def read(text: str) -> set[str]:
    return {style or script for style, script in READ.findall(text)}


class Names:
    """Names that pages and scripts mention; one that a script completes (`"tooltip-" + side`) stands for all such."""

    def __init__(self, texts) -> None:
        self.whole: set[str] = set()
        self.read: set[str] = set()  # variables
        for text in texts:
            self.whole.update(NAME.findall(text))
            self.read.update(read(text))
        self.beginnings = tuple(name for name in self.whole if name.endswith("-") and len(name) > 4)

    def __contains__(self, name: str) -> bool:
        return name in self.whole or name.startswith(self.beginnings)


def used(selector: str, names: Names) -> bool:
    return all(name in names for name in NEEDED.findall(POSITIVE.sub("", selector)))


def parted(tokens, sign: str) -> list[str]:
    """The parts of a selector list or of a rule's inside; a sign inside brackets parts nothing, for it is inside a token."""
    parts = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == sign:
            parts.append([])
        else:
            parts[-1].append(token)
    return [tinycss2.serialize(part).strip() for part in parts]


def inside(content, variables: set[str] | None) -> str:
    """The declarations of a rule; of variables only `variables`, if any are given."""
    parts = parted(content, ";")
    if variables is not None:
        parts = [part for part in parts if part[:2] != "--" or part.partition(":")[0].strip() in variables]
    return ";".join(parts)


def trimmed(rules, names: Names, variables: set[str] | None = None) -> str:
    """The rules that some page could use, as text."""
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule":
            matching = [selector for selector in parted(rule.prelude, ",") if used(selector, names)]
            if matching:
                kept.append(f"{','.join(matching)}{{{inside(rule.content, variables)}}}")
        elif rule.type == "at-rule" and rule.lower_at_keyword in GROUPS and rule.content is not None:
            inner = trimmed(parse(rule.content), names, variables)
            if inner:
                kept.append(f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}")
        elif rule.type == "at-rule" and rule.lower_at_keyword not in {"charset", "import"}:
            kept.append(rule.serialize())
    return "\n".join(kept)


def parse(css):
    return tinycss2.parse_rule_list(css, skip_comments=True, skip_whitespace=True)


def light_by_itself(css: str) -> str:
    """The light theme's rules hold where no script has named a theme, too: without them nothing has a colour."""
    return LIGHT.sub("html:not([data-theme=dark])", css)


def moved(css: str, source: str) -> str:
    """The addresses in a stylesheet as they read from where the book's stands."""

    def move(match):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), match["path"]))
        return f'url("{relative_uri(BOOK, target)}")'

    return URL.sub(move, css)


def shared(builder) -> list[str]:
    """The stylesheets of all pages; Sphinx keeps them apart from what a page adds while it is written."""
    names = [
        str(asset.filename) for asset in sorted(builder._orig_css_files, key=lambda asset: asset.priority)
    ]
    return list(dict.fromkeys([*THEME, *(name for name in names if name.startswith("_static/"))]))


@cache
def version(paths: tuple[Path, ...]) -> str:
    """A digest of the stylesheets: some extensions write theirs last, under a name that says its contents."""
    sha = hashlib.sha256()
    for path in paths:
        sha.update(path.name.encode() + (path.read_bytes() if path.is_file() else b""))
    return sha.hexdigest()[:8]


def link(app, pagename, templatename, context, doctree):
    """Pages link the one stylesheet in place of all."""
    if app.builder.name != "html":
        return
    joined = shared(app.builder)
    paths = tuple(Path(app.outdir) / name for name in joined)
    context["css_files"] = [asset for asset in context["css_files"] if str(asset.filename) not in joined]
    context["book_stylesheet"] = f"{context['pathto'](BOOK, 1)}?v={version(paths)}"


def write(app, error):
    if error or app.builder.name != "html":
        return
    out = Path(app.outdir)
    mentioning = [*out.rglob("*.html"), *(out / "_static").rglob("*.js")]
    names = Names(path.read_text(encoding="utf-8") for path in mentioning)
    css = "\n".join(
        moved(trimmed(parse((out / name).read_text(encoding="utf-8")), names), name)
        for name in shared(app.builder)
    )
    css = trimmed(parse(css), names, names.read | read(css))  # once it is known which rules are left
    (out / BOOK).write_text(light_by_itself(css) + "\n", encoding="utf-8")


def setup(app):
    app.connect("html-page-context", link, priority=990)  # after all that adds stylesheets
    app.connect("build-finished", write, priority=900)  # and after all that writes some
    return {"parallel_read_safe": True, "parallel_write_safe": True}
