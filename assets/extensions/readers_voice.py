"""Readers have a voice: each page's foot names the book's version and, once somebody can be told, where to tell of a mistake.

With `repository: {url: …}` in _config.yml that is the repository's form for pages, else an e-mail to `contact:`; voice.js
puts the same beside each heading. Page and version are filled in, the page last, so that an anchor can follow.
"""

from importlib.metadata import version
from urllib.parse import quote, urlencode

CONTENT = ("chapters/", "exercises/")


def name_version(app, config):
    config.version = config.release = version("attentively")


def tell(config, page: str) -> str:
    """The address at which a reader tells of a mistake on a page; empty where nobody can be told."""
    where = f"{config.html_baseurl.rstrip('/')}/{page}" if config.html_baseurl else page
    edition = f"{config.release}, {config.language}"
    if repository := config.html_theme_options.get("repository_url"):
        filled_in = {"template": "page.yml", "version": edition, "page": where}
        return f"{repository}/issues/new?{urlencode(filled_in)}"
    if config.contact:
        return f"mailto:{config.contact}?{urlencode({'subject': f'{config.html_title} ({edition}): {where}'}, quote_via=quote)}"
    return ""


def offer(app, pagename, templatename, context, doctree):
    if pagename.startswith(CONTENT) and app.builder.name == "html":
        context["tell"] = tell(app.config, app.builder.get_target_uri(pagename))
        if context["tell"]:
            app.add_js_file("voice.js", loading_method="defer")


def setup(app):
    app.add_config_value("contact", "", "html", str)
    app.connect("config-inited", name_version)
    app.connect("html-page-context", offer, priority=400)  # before the theme makes its foot
    return {"parallel_read_safe": True, "parallel_write_safe": True}
