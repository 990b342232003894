"""A book to install and to read without a network: the ``keep-parts`` directive, the manifest, and the worker's list.

The directive is a table of the book's parts, each to be kept in the reader's browser (assets/static/keeping). What a
part is made of is read off the built pages, since only they know what they load. ``write`` is done again by whatever
changes pages later (assets/editions/links.py): a page that is not as listed would not be kept.
"""

import hashlib
import json
import re
from base64 import b64encode
from html import unescape
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

SCRIPTS = Path(__file__).resolve().parent.parent / "static" / "keeping"
WORKER, LIST, MANIFEST = "service_worker.js", "keeping.json", "manifest.webmanifest"
PLACE = "<course-keeping>"
FIRST = "chapters/index.html"
WORDS = {
    "ko": {"short": "집중 강의", "no_script": "이 표는 자바스크립트가 있어야 합니다."},
    "en": {"short": "Attentively", "no_script": "This table needs JavaScript."},
}
# What scripts fetch by themselves, below _static
ON_DEMAND = ("search/*.js", "drills/*.js", "review/*.js", "glossary_terms.js")
PART = re.compile(
    r'<span class="caption-text">(.*?)</span></p>(.*?)(?=<p [^>]*class="caption"|</nav>)', re.DOTALL
)
PAGE = re.compile(r'<a class="[^"]*reference internal" href="([^"#]+)"')
LOADED = re.compile(
    r'<(?:script|img)\b[^>]*?\ssrc="([^"#?]+)|<link\b[^>]*?rel="(?:stylesheet|icon)"[^>]*?href="([^"?]+)'
)
IN_STYLES = re.compile(r'url\("?([^")?#:]+)"?\)')
LIVE = re.compile(r'data-files="([^"]+)"')


class keep_parts(nodes.General, nodes.Element):
    pass


class KeepParts(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [keep_parts()]


def words(config) -> dict[str, str]:
    return WORDS.get(config.language, WORDS["en"])


def visit(self, node):
    if self.builder.name == "html":
        said = words(self.builder.config)["no_script"]
        self.body.append(f"{PLACE}<p>{said}</p></course-keeping>\n")
    raise nodes.SkipNode


def add_scripts(app, pagename, templatename, context, doctree):
    if doctree and app.builder.name == "html" and next(doctree.findall(keep_parts), None):
        app.add_js_file("keeping/store.js", loading_method="defer")
        app.add_js_file("keeping/parts.js", loading_method="defer")


def parts(html: Path) -> list[tuple[str, list[Path]]]:
    """The title and the pages of each part, as the list of contents has them."""
    contents = (html / FIRST).read_text(encoding="utf-8").partition("bd-docs-nav")[2]
    return [
        (unescape(title), [(html / FIRST).parent.joinpath(page).resolve() for page in PAGE.findall(links)])
        for title, links in PART.findall(contents.partition("</nav>")[0] + "</nav>")
    ]


def loads(page: Path) -> set[Path]:
    """The files that a page loads, the models that its buttons bring too."""
    text = page.read_text(encoding="utf-8")
    own = {one or other for one, other in LOADED.findall(text)}
    root = re.search(r'data-content_root="([^"]*)"', text)
    live = {f"{root[1]}_static/live/{name}" for names in LIVE.findall(text) for name in names.split()}
    return {(page.parent / name).resolve() for name in own | live if not name.startswith(("data:", "/"))}


def in_styles(files: set[Path]) -> set[Path]:
    """The fonts and pictures that stylesheets among the files name."""
    return {
        (sheet.parent / name).resolve()
        for sheet in files
        if sheet.suffix == ".css"
        for name in IN_STYLES.findall(sheet.read_text(encoding="utf-8"))
    }


def listed(html: Path, files: set[Path]) -> dict[str, tuple[str, int]]:
    """Digest, as a browser checks it, and bytes of each file, by its path in the edition."""
    contents = {
        path.relative_to(html).as_posix(): path.read_bytes() for path in sorted(files) if path.is_file()
    }
    return {
        name: (b64encode(hashlib.sha256(content).digest()).decode("ascii"), len(content))
        for name, content in contents.items()
    }


def book(html: Path, language: str) -> dict:
    """The edition's list: what all parts share, and each part's own. The pages for reference are shared."""
    html = html.resolve()
    shared = {html / "index.html", html / FIRST, html / "search.html", html / "search_index.js"}
    apart = []
    for title, pages in parts(html):
        if any(PLACE in page.read_text(encoding="utf-8") for page in pages):
            shared |= set(pages)
        else:
            apart.append((title, pages))
    everything = shared | {page for _, pages in apart for page in pages}
    loaded = {page: loads(page) for page in everything if page.suffix == ".html"}
    static = set().union(*loaded.values())
    weights = {path for path in static if path.parent.name == "weights"}
    shared |= static - weights
    shared |= {path for pattern in ON_DEMAND for path in (html / "_static").glob(pattern)}
    shared |= {
        path for path in in_styles(shared) if "vendor" not in path.parts
    }  # the book's own icons stand before them
    made = {
        "language": language,
        "shared": {"files": listed(html, shared)},
        "parts": [
            {
                "id": pages[0].relative_to(html).with_suffix("").as_posix(),
                "title": title,
                "first": pages[0].relative_to(html).as_posix(),
                "files": listed(html, {*pages} | (set().union(*(loaded[page] for page in pages)) & weights)),
            }
            for title, pages in apart
        ],
    }
    scripts = "".join((SCRIPTS / name).read_text(encoding="utf-8") for name in ("store.js", "worker.js"))
    return {"build": hashlib.sha256((json.dumps(made) + scripts).encode()).hexdigest()[:12], **made}


def write(html: Path, language: str) -> None:
    """The worker and its list, beside the pages; a build with other pages is another worker."""
    told = json.dumps(book(html, language), ensure_ascii=False, separators=(",", ":"))
    (html / LIST).write_text(told, encoding="utf-8")
    scripts = [(SCRIPTS / name).read_text(encoding="utf-8") for name in ("store.js", "worker.js")]
    (html / WORKER).write_text("\n".join([f"const COURSE_BOOK = {told};", *scripts]), encoding="utf-8")


def manifest(config) -> dict:
    icons = [{"src": f"_static/keeping/icon-{size}.png", "sizes": f"{size}x{size}"} for size in (192, 512)]
    maskable = {"src": "_static/keeping/maskable-512.png", "sizes": "512x512", "purpose": "maskable"}
    return {
        "name": config.html_title,
        "short_name": words(config)["short"],
        "lang": config.language,
        "start_url": FIRST,
        "scope": "./",
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": "#0b3d78",
        "icons": [{**icon, "type": "image/png"} for icon in (*icons, maskable)],
    }


def write_all(app, error):
    if error or app.builder.name != "html":
        return
    out = Path(app.outdir)
    (out / MANIFEST).write_text(
        json.dumps(manifest(app.config), ensure_ascii=False, indent=1), encoding="utf-8"
    )
    write(out, app.config.language)


def setup(app):
    app.add_directive("keep-parts", KeepParts)
    app.add_node(keep_parts, html=(visit, None))
    app.add_css_file("keeping/keeping.css")
    app.add_js_file("keeping/install.js", loading_method="defer")
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_all, priority=950)  # after one_stylesheet has written
    return {"parallel_read_safe": True, "parallel_write_safe": True}
