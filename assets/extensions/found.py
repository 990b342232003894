"""Descriptions, cards, a site map, a root page, a 404 page: for search engines, messengers and lost readers.

Each page is described by its opening paragraph. Addresses that must be whole (canonical, Open Graph, sitemap.xml,
robots.txt) appear once `html: baseurl:` in _config.yml says where the book is published.
"""

import re
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from other_language import alternates, below

LENGTH = 160  # what search engines show of a description
# A card is 1200 × 630; assets/editions/card.html draws it
WORDS = {
    "ko": {
        "picture": "_static/card.png",
        "book": "첫 내적에서 BERT와 GPT, 오늘의 모델까지 트랜스포머를 다루는 한국어 온라인 교재입니다. 장마다 자동으로 채점되는 연습이 있습니다.",
        "card": "책의 이름과, 네 단어가 서로를 얼마나 보는지 나타낸 표",
        "locale": "ko_KR",
    },
    "en": {
        "picture": "_static/card.en.png",
        "book": "An online textbook on Transformers, from the first dot product to BERT, GPT and the models of today. Every chapter has an exercise that is graded automatically.",
        "card": "The name of the book, and a table of how much four words attend to one another",
        "locale": "en_GB",
    },
}
STANDALONE = {"index": "root.html", "404": "404.html"}  # pages outside the theme's layout


def opening(doctree) -> str:
    """The first sentences of a page, as plain text; empty where it has none."""
    for paragraph in doctree.findall(nodes.paragraph):
        in_prose = (
            isinstance(paragraph.parent, nodes.section) and "exercise-download" not in paragraph["classes"]
        )
        text = re.sub(r"\s*\[[^\]]*\d{4}[^\]]*\]", "", paragraph.astext())  # citations
        text = " ".join(text.replace("\\", "").split())
        if in_prose and "." in text + "?" and "·" not in text[:30]:
            return shortened(text)
    return ""


def shortened(text: str) -> str:
    """Whole sentences while they fit, else words."""
    if len(text) <= LENGTH:
        return text
    fitting = re.match(rf".{{40,{LENGTH}}}[.?](?=\s)", text)
    return fitting[0] if fitting else text[:LENGTH].rsplit(" ", 1)[0] + " …"


def describe(app, pagename, templatename, context, doctree):
    if app.builder.name != "html" or pagename in STANDALONE:
        return
    book, said = app.config.html_title, words(app)
    home = pagename == app.config.root_doc
    description = (opening(doctree) if doctree else "") or said["book"]
    if home:
        description = said["book"]
    title = book if home else f"{re.sub('<[^>]*>', '', context.get('title', ''))} · {book}"
    properties = {
        "og:type": "website" if home else "article",
        "og:site_name": book,
        "og:title": title,
        "og:description": description,
        "og:locale": said["locale"],
    }
    if app.config.html_baseurl:
        properties["og:url"] = context["pageurl"]
        properties["og:image"] = address(app, said["picture"])
        properties["og:image:alt"] = said["card"]
    tags = [f'<meta name="description" content="{escape(description)}" />']
    tags += [f'<meta property="{key}" content="{escape(value)}" />' for key, value in properties.items()]
    if app.config.html_baseurl:
        tags.append('<meta name="twitter:card" content="summary_large_image" />')
    if doctree is None:  # the index, the search
        tags.append('<meta name="robots" content="noindex" />')
    context["metatags"] = context.get("metatags", "") + "\n    " + "\n    ".join(tags)


def words(app) -> dict[str, str]:
    return WORDS.get(app.config.language, WORDS["en"])


def address(app, path: str) -> str:
    return f"{app.config.html_baseurl.rstrip('/')}/{path}"


def standalone_pages(app):
    """The root, which leads to the first page, and 404.html, which is shown at any depth: no relative address holds.

    A site has one 404.html, one map and one robots.txt, for all its editions.
    """
    if app.builder.name != "html":
        return
    root = urlsplit(app.config.html_baseurl).path.rstrip("/")
    first = app.builder.get_target_uri(app.config.root_doc)
    card = address(app, words(app)["picture"]) if app.config.html_baseurl else ""
    told = {"root": f"{root}/", "first": first, "description": words(app)["book"], "card": card}
    for name, template in STANDALONE.items():
        if name == "index" or not below(app):
            yield name, {**told, "language": app.config.language}, template


def entry(editions: dict[str, str]) -> str:
    """A page in the site's map: each edition of it, with all of them."""
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="{code}" href="{escape(whole)}"/>'
        for code, whole in editions.items()
    )
    wholes = dict.fromkeys(editions.values())
    return "".join(
        f"<url><loc>{escape(whole)}</loc>{links if len(wholes) > 1 else ''}</url>\n" for whole in wholes
    )


def write_map(app, error):
    if error or app.builder.name != "html" or not app.config.html_baseurl or below(app):
        return
    pages = [app.builder.get_target_uri(name) for name in sorted(app.env.found_docs)]
    urls = "".join(entry(alternates(app, page)) for page in pages)
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        'xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
    )
    out = Path(app.outdir)
    (out / "sitemap.xml").write_text(f"{head}{urls}</urlset>\n", encoding="utf-8")
    robots = f"User-agent: *\nAllow: /\nSitemap: {address(app, 'sitemap.xml')}\n"
    (out / "robots.txt").write_text(robots, encoding="utf-8")


def setup(app):
    app.connect("html-page-context", describe, priority=985)  # after light_pages has cleaned the tags
    app.connect("html-collect-pages", standalone_pages)
    app.connect("build-finished", write_map)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
