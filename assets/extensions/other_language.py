"""The way to the same paragraph in the other language: a link in every page's head, and `hreflang` for search engines.

The Korean edition is the root of the site, the English one lies below it, in en/; pages have the same names in both, and
blocks that search leads to (p1, p2, …) the same numbers. The link leads to the page; other_language.js adds the block.
"""

from posixpath import relpath

FOLDERS = {"ko": "", "en": "en/"}
NAMES = {"ko": "한국어", "en": "English"}


def site_of(app) -> str:
    """The address at which all editions lie, from `html: baseurl:`; empty where that is."""
    base = app.config.html_baseurl.rstrip("/") + "/"
    return base.removesuffix(FOLDERS.get(app.config.language, "")).rstrip("/")


def way(page: str, here: str, there: str) -> str:
    """From a page's address in one edition to the same page in another, on a server and on disk."""
    return relpath(FOLDERS[there] + page, (FOLDERS[here] + page).rpartition("/")[0] or ".")


def other(language: str) -> str:
    return next(name for name in FOLDERS if name != language)


def lead(app, pagename, templatename, context, doctree):
    here = app.config.language
    if is_edition(app):
        there = other(here)
        address = way(app.builder.get_target_uri(pagename), here, there)
        context["other_language"] = {"code": there, "name": NAMES[there], "address": address}


def is_edition(app) -> bool:
    """True for an HTML edition of which there is another in a second language."""
    return app.builder.name == "html" and app.config.language in FOLDERS


def name_alternates(app, pagename, templatename, context, doctree):
    if is_edition(app) and app.config.html_baseurl:
        context["metatags"] = context.get("metatags", "") + "".join(
            f'\n    <link rel="alternate" hreflang="{code}" href="{whole}" />'
            for code, whole in alternates(app, app.builder.get_target_uri(pagename)).items()
        )


def alternates(app, page: str) -> dict[str, str]:
    """A page's whole address in each language; who reads none of them gets English."""
    if not is_edition(app):
        return {app.config.language: f"{site_of(app)}/{page}"}
    found = {code: f"{site_of(app)}/{folder}{page}" for code, folder in FOLDERS.items()}
    return {**found, "x-default": found["en"]}


def below(app) -> bool:
    """True if this edition lies inside another's folder."""
    return bool(FOLDERS.get(app.config.language))


def setup(app):
    app.connect("html-page-context", lead, priority=400)  # before the theme leaves out what would be empty
    app.connect("html-page-context", name_alternates, priority=986)  # after light_pages has cleaned the tags
    app.add_js_file("other_language.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
